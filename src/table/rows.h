/* SPDX-License-Identifier: Apache-2.0 */
/* Live rows of a fragment on their way through the engine: columns, and beside them positions and lineage as runs. */
#ifndef RWL_TABLE_ROWS_H
#define RWL_TABLE_ROWS_H

#include "column/runs.h"
#include "expr/expr.h"

/* The rows of one step. Columns are the requested fields in order. */
typedef struct rwl_rows {
    rwl_batch batch;
    rwl_runs positions; /* physical positions, step 1 */
    rwl_runs row_ids;   /* step 1; empty when lineage was not asked for */
    rwl_runs versions;  /* of the last change, step 0; likewise */
    rwl_runs created; /* version a row was created at, step 0; likewise, and of formats that do not tell it */
} rwl_rows;

RWL_MUST_CHECK rwl_status rwl_rows_init(rwl_rows *rows, const rwl_env *env, const rwl_field *fields,
                                        int32_t count, rwl_error *err);
void rwl_rows_clear(rwl_rows *rows);
void rwl_rows_reset(rwl_rows *rows); /* no rows, keeps the buffers */

/* Parts of lineage. A driver may fill more of them than were asked for. */
enum { RWL_LINEAGE_ROW_IDS = 1, RWL_LINEAGE_VERSIONS = 2, RWL_LINEAGE_CREATED = 4, RWL_LINEAGE_ALL = 7 };

typedef struct rwl_fragment_read_options {
    const rwl_field *fields; /* columns to give, with the table's ids and types */
    int32_t field_count;
    /* Columns that read_next leaves out and read_take gives, of rows that turn out to be wanted; none: NULL. */
    const rwl_field *late_fields;
    int32_t late_field_count;
    unsigned lineage; /* what to fill: RWL_LINEAGE_… */
    bool skip_page_crc;
    bool keep_deleted;  /* give deleted rows too */
    rwl_range rows;     /* only these physical rows; count 0: all */
    int64_t batch_rows; /* of a batch at most; 0: RWL_BATCH_ROWS */
    /* Rows that surely do not satisfy `filter`, bound to `filter_fields` (all that the driver's state can name), may be left
     * out. Positions stay physical. NULL: none. Borrowed until the reader is closed. */
    const rwl_bound *filter;
    const rwl_field *filter_fields;
    int32_t filter_field_count;
    struct rwl_pool *pool; /* decodes the columns of a batch side by side; NULL: one after another */
} rwl_fragment_read_options;

#endif
