/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of an open data file share: file.c, file_columns.c, file_schema.c. */
#ifndef RWL_LANCEFILE_FILE_INTERNAL_H
#define RWL_LANCEFILE_FILE_INTERNAL_H

#include "lancefile/file.h"

enum { RWL_LANCEFILE_MESSAGE_MAX = 64 * 1024 * 1024 /* bytes of a column's metadata or of the descriptor */ };

/* CORRUPT unless the bytes lie in the file. */
RWL_MUST_CHECK rwl_status rwl_lancefile_check_extent(const rwl_lancefile *file, uint64_t offset,
                                                     uint64_t length, rwl_lance_extent *out, rwl_error *err);
/* Bytes that stay as long as the file: of the tail, or read into the arena. Under the lock. */
RWL_MUST_CHECK rwl_status rwl_lancefile_message(rwl_lancefile *file, rwl_op *op, const char *what,
                                                rwl_lance_extent extent, rwl_span *out, rwl_error *err);
/* What a message tells as a number of rows and as bytes, by their fields' numbers; 0 and no bytes where it does not. */
RWL_MUST_CHECK rwl_status rwl_lancefile_rows_and_bytes(rwl_span message, uint32_t rows_number,
                                                       uint32_t bytes_number, int64_t *rows, rwl_span *bytes,
                                                       rwl_error *err);

#endif
