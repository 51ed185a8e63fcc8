/* SPDX-License-Identifier: Apache-2.0 */
/* Live rows of a fragment on their way through the engine: columns, and beside them positions and lineage as runs. */
#ifndef RWL_TABLE_ROWS_H
#define RWL_TABLE_ROWS_H

#include "column/runs.h"

/* The rows of one step. Columns are the requested fields in order. */
typedef struct rwl_rows {
    rwl_batch batch;
    rwl_runs positions; /* physical positions, step 1 */
    rwl_runs row_ids;   /* step 1; empty when lineage was not asked for */
    rwl_runs versions;  /* step 0; likewise */
} rwl_rows;

RWL_MUST_CHECK rwl_status rwl_rows_init(rwl_rows *rows, const rwl_env *env, const rwl_field *fields,
                                        int32_t count, rwl_error *err);
void rwl_rows_clear(rwl_rows *rows);
void rwl_rows_reset(rwl_rows *rows); /* no rows, keeps the buffers */

typedef struct rwl_fragment_read_options {
    const rwl_field *fields; /* columns to give, with the table's ids and types */
    int32_t field_count;
    bool lineage; /* fill row_ids and versions */
    bool skip_page_crc;
    bool keep_deleted;       /* give deleted rows too */
    const bool *skip_groups; /* row groups to leave out; positions stay physical */
} rwl_fragment_read_options;

#endif
