/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two halves of column reading: pages (column_read.c) and rows of a page (column_decode.c). */
#ifndef RWL_PARQUET_COLUMN_INTERNAL_H
#define RWL_PARQUET_COLUMN_INTERNAL_H

#include "parquet/column_read.h"

/* Valid rows in a piece of levels of width 1. */
int64_t rwl_parquet_levels_count(const rwl_rle_run *run);
/* Appends 1 to `rows` rows of the open page, which has as many; *is_full when `out` can take no more bytes (it
 * may then have got none). Room for the rows, and validity for optional columns, is there. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_decode(rwl_parquet_column *c, rwl_column *out, int64_t rows,
                                                    bool *is_full, rwl_error *err);

#endif
