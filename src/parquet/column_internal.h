/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of column reading: pages (column_page.c), rows of flat columns (column_read.c, column_decode.c),
 * entries of nested ones (entries.c). */
#ifndef RWL_PARQUET_COLUMN_INTERNAL_H
#define RWL_PARQUET_COLUMN_INTERNAL_H

#include "parquet/column_read.h"

/* Bits a level of at most `max` takes. */
static inline int rwl_parquet_levels_width(int max) {
    int width = 0;
    for (; max > 0; max >>= 1)
        width++;
    return width;
}
/* Whether there are data pages not yet begun. */
bool rwl_parquet_column_more(const rwl_parquet_column *c);
/* With an index: the row at which the next page begins. */
int64_t rwl_parquet_column_next_row(const rwl_parquet_column *c);
/* Opens the next page that has entries. At the border of a row, pages of no more than `skip` rows are passed instead, by
 * one or by as many as the index knows: *skipped says how many rows those were, and then no page is open. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_open(rwl_parquet_column *c, int64_t skip, int64_t *skipped,
                                                  rwl_error *err);
/* Valid rows in a piece of levels of width 1. */
int64_t rwl_parquet_levels_count(const rwl_rle_run *run);
/* Appends 1 to `rows` rows of the open page, which has as many; *is_full when `out` can take no more bytes (it
 * may then have got none). Room for the rows, and validity for optional columns, is there. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_decode(rwl_parquet_column *c, rwl_column *out, int64_t rows,
                                                    bool *is_full, rwl_error *err);

#endif
