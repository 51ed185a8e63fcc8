/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file or pipe from front to back: for inputs that are no part of a table. */
#ifndef RWL_STORAGE_STREAM_H
#define RWL_STORAGE_STREAM_H

#include "base/buf.h"

typedef struct rwl_stream rwl_stream;

/* Opens a path; "-" is standard input. */
RWL_MUST_CHECK rwl_status rwl_stream_open(rwl_op *op, const char *path, rwl_stream **out, rwl_error *err);
void rwl_stream_close(rwl_stream *s); /* NULL is fine */
/* Up to `cap` bytes; *got 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_stream_read(rwl_stream *s, uint8_t *dst, size_t cap, size_t *got,
                                          rwl_error *err);

#endif
