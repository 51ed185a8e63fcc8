/* SPDX-License-Identifier: Apache-2.0 */
/* Making and clearing rows. */
#include "table/rows.h"

rwl_status rwl_rows_init(rwl_rows *rows, const rwl_env *env, const rwl_field *fields, int32_t count,
                         rwl_error *err) {
    memset(rows, 0, sizeof *rows);
    rwl_runs_init(&rows->positions, env, 1);
    rwl_runs_init(&rows->row_ids, env, 1);
    rwl_runs_init(&rows->versions, env, 0);
    rwl_runs_init(&rows->created, env, 0);
    return rwl_batch_init(&rows->batch, env, fields, count, err);
}

void rwl_rows_clear(rwl_rows *rows) {
    rwl_batch_clear(&rows->batch);
    rwl_runs_clear(&rows->positions);
    rwl_runs_clear(&rows->row_ids);
    rwl_runs_clear(&rows->versions);
    rwl_runs_clear(&rows->created);
}

void rwl_rows_reset(rwl_rows *rows) {
    rwl_batch_reset(&rows->batch);
    rwl_runs_reset(&rows->positions);
    rwl_runs_reset(&rows->row_ids);
    rwl_runs_reset(&rows->versions);
    rwl_runs_reset(&rows->created);
}
