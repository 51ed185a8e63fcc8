/* SPDX-License-Identifier: Apache-2.0 */
/* A column of int64 beside a batch, as runs while that is small, else dense: row ids, versions, positions. */
#ifndef RWL_COLUMN_RUNS_H
#define RWL_COLUMN_RUNS_H

#include "column/batch.h"

/* `count` values start, start + step, …; `step` is 1 (ids, positions) or 0 (versions); or all null. */
typedef struct rwl_run {
    int64_t start;
    int64_t count;
    bool is_null;
    int64_t row; /* position of its first value in the sequence */
} rwl_run;

/*
 * A sequence of optional int64. While `dense` is false the runs hold it. Appending turns it dense once
 * the runs outnumber a quarter of the rows (and a small floor); reading works on both.
 */
typedef struct rwl_runs {
    const rwl_env *env;
    int32_t step;
    bool dense;
    int64_t length;
    int64_t null_count;
    rwl_run *runs;
    size_t run_count, run_cap;
    rwl_column column; /* LONG; used while dense */
} rwl_runs;

void rwl_runs_init(rwl_runs *r, const rwl_env *env, int32_t step);
void rwl_runs_clear(rwl_runs *r);
void rwl_runs_reset(rwl_runs *r);
RWL_MUST_CHECK rwl_status rwl_runs_append(rwl_runs *r, int64_t start, int64_t count, rwl_error *err);
/* Appends a run for each range, whose values are its positions plus `offset`. Of step 1; for many short ones. */
RWL_MUST_CHECK rwl_status rwl_runs_append_ranges(rwl_runs *r, const rwl_range *ranges, size_t count,
                                                 int64_t offset, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_runs_append_null(rwl_runs *r, int64_t count, rwl_error *err);
/* Appends rows [first, first + count) of `from`. Steps must be equal. */
RWL_MUST_CHECK rwl_status rwl_runs_append_slice(rwl_runs *r, const rwl_runs *from, int64_t first,
                                                int64_t count, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_runs_take_ranges(const rwl_runs *in, const rwl_range *ranges, size_t count,
                                               rwl_runs *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_runs_take(const rwl_runs *in, const int32_t *rows, int64_t count, rwl_runs *out,
                                        rwl_error *err);
/* Value of row i; false when null. O(log runs). */
bool rwl_runs_get(const rwl_runs *r, int64_t i, int64_t *out);
/* Expands into a LONG column, replacing its rows. */
RWL_MUST_CHECK rwl_status rwl_runs_to_column(const rwl_runs *r, rwl_column *out, rwl_error *err);

/* Where the next values of a dense sequence without nulls may be written, *room of them; NULL where there is none. */
static inline int64_t *rwl_runs_tail(rwl_runs *r, int64_t *room) {
    rwl_column *c = &r->column;
    *room = (int64_t)(c->values.cap / sizeof(int64_t)) - c->length;
    if (!r->dense || c->null_count > 0 || *room <= 0)
        return NULL;
    return (int64_t *)(void *)c->values.data + c->length;
}
/* That `count` of them were. */
static inline void rwl_runs_written(rwl_runs *r, int64_t count) {
    r->column.length += count;
    r->length += count;
}

#endif
