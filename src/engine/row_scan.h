/* SPDX-License-Identifier: Apache-2.0 */
/* The live rows of one fragment that a filter keeps. */
#ifndef RWL_ENGINE_ROW_SCAN_H
#define RWL_ENGINE_ROW_SCAN_H

#include "engine/row_filter.h"
#include "engine/table.h"

typedef struct rwl_row_scan rwl_row_scan;

typedef struct rwl_row_scan_options {
    unsigned lineage; /* RWL_LINEAGE_… of the rows to fill even when no column needs it */
    bool skip_page_crc;
    rwl_range rows;     /* only these physical rows; count 0: all */
    int64_t batch_rows; /* read at once, at most; 0: RWL_BATCH_ROWS */
} rwl_row_scan_options;

/* `fragment` must stay valid until close. */
RWL_MUST_CHECK rwl_status rwl_row_scan_open(const rwl_table *table, rwl_op *op, const rwl_row_filter *filter,
                                            const rwl_fragment *fragment, const rwl_row_scan_options *options,
                                            rwl_row_scan **out, rwl_error *err);
void rwl_row_scan_close(rwl_row_scan *scan); /* NULL is fine */
/* Sets `rows` (made with the filter's output fields) to the next rows; length 0 at the end. Positions are physical. */
RWL_MUST_CHECK rwl_status rwl_row_scan_next(rwl_row_scan *scan, rwl_rows *rows, rwl_error *err);
/* What the file's reader did so far. */
rwl_read_stats rwl_row_scan_stats(const rwl_row_scan *scan);

#endif
