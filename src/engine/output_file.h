/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file for people: written under a temporary name beside the target and renamed over it, so that the target is the old file or the
 * whole new one. A link is followed, the mode of a file that is replaced is kept. What is no regular file (a pipe, a device) and what
 * lies in /dev or /proc is written as it is. Directories are not made.
 */
#ifndef RWL_ENGINE_OUTPUT_FILE_H
#define RWL_ENGINE_OUTPUT_FILE_H

#include "base/env.h"

typedef struct rwl_output_file rwl_output_file;

/* IO or NOT_FOUND naming the path. */
RWL_MUST_CHECK rwl_status rwl_output_file_open(rwl_op *op, const char *path, rwl_output_file **out,
                                               rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_output_file_write(rwl_output_file *f, const void *data, size_t len,
                                                rwl_error *err);
/* Syncs and renames; frees the handle whatever the result. After a failure the target is what it was. */
RWL_MUST_CHECK rwl_status rwl_output_file_finish(rwl_output_file *f, rwl_error *err);
void rwl_output_file_abort(rwl_output_file *f); /* removes what was written; NULL is fine */

#endif
