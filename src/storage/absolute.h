/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute form of a path as a person typed it, for locations that are recorded. */
#ifndef RWL_STORAGE_ABSOLUTE_H
#define RWL_STORAGE_ABSOLUTE_H

#include "base/arena.h"

/* Length of the scheme of a URL ("s3" of "s3://bucket"), 0 when `text` is none: no slash comes before "://". */
size_t rwl_url_scheme_len(const char *text);

/*
 * `path` made absolute from the working directory as the shell knows it (PWD, when it is right), so that
 * links stay as they were typed; "." and ".." steps and repeated slashes are removed by text. URLs are kept
 * as given, less trailing slashes.
 */
RWL_MUST_CHECK rwl_status rwl_path_absolute(const char *path, rwl_arena *arena, const char **out,
                                            rwl_error *err);

#endif
