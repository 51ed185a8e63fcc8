/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table state as batches: plan order, or ascending row id. */
#ifndef RWL_ENGINE_SCAN_H
#define RWL_ENGINE_SCAN_H

#include "engine/row_scan.h"

typedef struct rwl_scan_options {
    rwl_row_filter_options rows;
    /* Read instead of what a plan would give, in this order: fragments of this table state, planned here or in another
     * process for the same filter (must_match speaks of that one). NULL: planned. To outlive the scan. */
    const rwl_fragment *fragments;
    size_t fragment_count;
    int64_t limit;        /* -1: none */
    bool order_by_row_id; /* rows without an id last */
    bool skip_page_crc;
    rwl_range range; /* only these physical rows, of a data file by itself or of one fragment; count 0: all */
    int64_t batch_rows; /* read at once, at most; 0: RWL_BATCH_ROWS */
} rwl_scan_options;

typedef struct rwl_scan_stats {
    rwl_plan_stats plan;
    rwl_read_stats files;
} rwl_scan_stats;

typedef struct rwl_scan rwl_scan;

/* `table` and `op` must outlive the scan. */
RWL_MUST_CHECK rwl_status rwl_scan_open(const rwl_table *table, rwl_op *op, const rwl_scan_options *options,
                                        rwl_scan **out, rwl_error *err);
void rwl_scan_close(rwl_scan *scan); /* NULL is fine */
const rwl_field *rwl_scan_fields(const rwl_scan *scan, int32_t *count);
/* Sets `batch` (made with the scan's fields) to the next rows; length 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_scan_next(rwl_scan *scan, rwl_batch *batch, rwl_error *err);
rwl_scan_stats rwl_scan_get_stats(const rwl_scan *scan);

#endif
