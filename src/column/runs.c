/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of optional int64 as runs, dense where runs would not pay. */
#include "column/runs.h"

#include "base/vec.h"

enum { DENSE_FLOOR = 64 }; /* fewer runs than this stay runs whatever the rows */

void rwl_runs_init(rwl_runs *r, const rwl_env *env, int32_t step) {
    memset(r, 0, sizeof *r);
    r->env = env;
    r->step = step;
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_column_init_flat(&r->column, &type);
}

void rwl_runs_clear(rwl_runs *r) {
    if (r->env == NULL)
        return;
    rwl_free(r->env, r->runs);
    rwl_column_clear(&r->column, r->env);
    rwl_runs_init(r, r->env, r->step);
}

void rwl_runs_reset(rwl_runs *r) {
    r->dense = false;
    r->length = 0;
    r->null_count = 0;
    r->run_count = 0;
    rwl_column_reset(&r->column);
}

/* The run that holds row i. */
static size_t find_run(const rwl_runs *r, int64_t i) {
    size_t low = 0;
    size_t high = r->run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->runs[middle].row <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- expansion --- */

static rwl_status append_values(rwl_column *c, const rwl_env *env, int64_t start, int64_t step, int64_t count,
                                rwl_error *err) {
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    v.is_null = false;
    v.as.i64 = start;
    int64_t first = c->length;
    RWL_TRY(rwl_column_append(c, env, &v, count, err));
    if (step == 0)
        return RWL_OK;
    int64_t *to = (int64_t *)(void *)c->values.data + first;
    for (int64_t i = 0; i < count; i++)
        to[i] = start + i * step;
    return RWL_OK;
}

static rwl_status append_run(rwl_column *c, const rwl_env *env, const rwl_run *run, int64_t step,
                             rwl_error *err) {
    if (!run->is_null)
        return append_values(c, env, run->start, step, run->count, err);
    rwl_value null = rwl_value_null(RWL_TYPE_LONG);
    return rwl_column_append(c, env, &null, run->count, err);
}

static rwl_status make_dense(rwl_runs *r, rwl_error *err) {
    rwl_column_reset(&r->column);
    RWL_TRY(rwl_column_reserve(&r->column, r->env, r->length, 0, err));
    for (size_t i = 0; i < r->run_count; i++)
        RWL_TRY(append_run(&r->column, r->env, &r->runs[i], r->step, err));
    r->dense = true;
    r->run_count = 0;
    return RWL_OK;
}

/* --- appending --- */

static bool continues(const rwl_runs *r, const rwl_run *last, const rwl_run *run) {
    if (last->is_null || run->is_null)
        return last->is_null == run->is_null;
    return last->start + (r->step == 0 ? 0 : last->count) == run->start;
}

static rwl_status append(rwl_runs *r, const rwl_run *run, rwl_error *err) {
    if (run->count == 0)
        return RWL_OK;
    int64_t last_value;
    if (run->count < 0 || run->count > INT64_MAX - r->length ||
        (!run->is_null && r->step != 0 && !rwl_i64_add(run->start, run->count, &last_value)))
        return rwl_fail(err, RWL_CORRUPT, "a run of %lld values from %lld overflows", (long long)run->count,
                        (long long)run->start);
    if (r->dense) {
        RWL_TRY(append_run(&r->column, r->env, run, r->step, err));
    } else if (r->run_count > 0 && continues(r, &r->runs[r->run_count - 1], run)) {
        r->runs[r->run_count - 1].count += run->count;
    } else {
        RWL_TRY(rwl_vec_grow(r->env, (void **)&r->runs, &r->run_cap, r->run_count, 1, sizeof *r->runs, err));
        r->runs[r->run_count] = *run;
        r->runs[r->run_count++].row = r->length;
    }
    r->length += run->count;
    r->null_count += run->is_null ? run->count : 0;
    if (!r->dense && r->run_count > DENSE_FLOOR && (int64_t)r->run_count > r->length / 4)
        return make_dense(r, err);
    return RWL_OK;
}

rwl_status rwl_runs_append(rwl_runs *r, int64_t start, int64_t count, rwl_error *err) {
    rwl_run run = {start, count, false, 0};
    return append(r, &run, err);
}

/* Into a dense sequence without nulls. */
static rwl_status append_dense_ranges(rwl_runs *r, const rwl_range *ranges, size_t count, int64_t offset,
                                      rwl_error *err) {
    int64_t rows = 0, room;
    for (size_t i = 0; i < count; i++)
        rows += ranges[i].count;
    RWL_TRY(rwl_column_reserve(&r->column, r->env, r->length + rows, 0, err));
    int64_t *to = rwl_runs_tail(r, &room);
    for (size_t i = 0; i < count; i++)
        for (int64_t k = 0; k < ranges[i].count; k++)
            *to++ = ranges[i].start + offset + k;
    rwl_runs_written(r, rows);
    return RWL_OK;
}

rwl_status rwl_runs_append_ranges(rwl_runs *r, const rwl_range *ranges, size_t count, int64_t offset,
                                  rwl_error *err) {
    int64_t first, last;
    if (count > 0 && (!rwl_i64_add(ranges[0].start, offset, &first) ||
                      !rwl_i64_add(ranges[count - 1].start + ranges[count - 1].count, offset, &last)))
        return rwl_fail(err, RWL_CORRUPT, "values from %lld on overflow", (long long)ranges[0].start);
    for (; count > 0 && (!r->dense || r->null_count > 0); ranges++, count--)
        RWL_TRY(rwl_runs_append(r, ranges->start + offset, ranges->count, err));
    return count > 0 ? append_dense_ranges(r, ranges, count, offset, err) : (rwl_status)RWL_OK;
}

rwl_status rwl_runs_append_null(rwl_runs *r, int64_t count, rwl_error *err) {
    rwl_run run = {0, count, true, 0};
    return append(r, &run, err);
}

/* Row i of a dense sequence as a run of one. */
static rwl_run dense_run(const rwl_runs *r, int64_t i) {
    bool is_null = rwl_column_is_null(&r->column, i);
    return (rwl_run){is_null ? 0 : rwl_column_i64(&r->column)[i], 1, is_null, 0};
}

/* Dense to dense copies values; dense to runs finds runs again. */
static rwl_status append_dense(rwl_runs *r, const rwl_runs *from, int64_t first, int64_t count,
                               rwl_error *err) {
    int64_t end = first + count;
    for (; first < end && !r->dense; first++) {
        rwl_run run = dense_run(from, first);
        RWL_TRY(append(r, &run, err));
    }
    if (first == end)
        return RWL_OK;
    rwl_range range = {first, end - first};
    int64_t nulls_before = r->column.null_count;
    RWL_TRY(rwl_column_take_ranges(&from->column, &range, 1, &r->column, r->env, err));
    r->length += range.count;
    r->null_count += r->column.null_count - nulls_before;
    return RWL_OK;
}

static rwl_status check_slice(const rwl_runs *r, const rwl_runs *from, int64_t first, int64_t count,
                              rwl_error *err) {
    if (r->step != from->step)
        return rwl_fail(err, RWL_INTERNAL, "runs of step %d appended to step %d", from->step, r->step);
    if (first < 0 || count < 0 || first > from->length || count > from->length - first)
        return rwl_fail(err, RWL_INTERNAL, "rows %lld + %lld of runs of %lld", (long long)first,
                        (long long)count, (long long)from->length);
    return RWL_OK;
}

rwl_status rwl_runs_append_slice(rwl_runs *r, const rwl_runs *from, int64_t first, int64_t count,
                                 rwl_error *err) {
    RWL_TRY(check_slice(r, from, first, count, err));
    if (count == 0)
        return RWL_OK;
    if (from->dense)
        return append_dense(r, from, first, count, err);
    for (size_t k = find_run(from, first); count > 0; k++) {
        rwl_run run = from->runs[k];
        int64_t skip = first - run.row;
        run.start += from->step == 0 || run.is_null ? 0 : skip;
        run.count = run.count - skip < count ? run.count - skip : count;
        RWL_TRY(append(r, &run, err));
        first += run.count;
        count -= run.count;
    }
    return RWL_OK;
}

/* Dense to dense, all at once. */
static rwl_status take_dense_ranges(const rwl_runs *in, const rwl_range *ranges, size_t count, rwl_runs *out,
                                    rwl_error *err) {
    int64_t length = out->column.length, nulls = out->column.null_count;
    const rwl_range *last = &ranges[count - 1];
    RWL_TRY(check_slice(out, in, last->start, last->count, err));
    RWL_TRY(rwl_column_take_ranges(&in->column, ranges, count, &out->column, out->env, err));
    out->length += out->column.length - length;
    out->null_count += out->column.null_count - nulls;
    return RWL_OK;
}

rwl_status rwl_runs_take_ranges(const rwl_runs *in, const rwl_range *ranges, size_t count, rwl_runs *out,
                                rwl_error *err) {
    for (; count > 0 && !(in->dense && out->dense); ranges++, count--)
        RWL_TRY(rwl_runs_append_slice(out, in, ranges->start, ranges->count, err));
    return count > 0 ? take_dense_ranges(in, ranges, count, out, err) : (rwl_status)RWL_OK;
}

static rwl_status take_dense(const rwl_runs *in, const int32_t *rows, int64_t count, rwl_runs *out,
                             rwl_error *err) {
    int64_t nulls_before = out->column.null_count;
    RWL_TRY(rwl_column_take(&in->column, rows, count, &out->column, out->env, err));
    out->length += count;
    out->null_count += out->column.null_count - nulls_before;
    return RWL_OK;
}

rwl_status rwl_runs_take(const rwl_runs *in, const int32_t *rows, int64_t count, rwl_runs *out,
                         rwl_error *err) {
    RWL_TRY(check_slice(out, in, 0, 0, err));
    size_t k = 0;
    for (int64_t i = 0; i < count; i++) {
        if (in->dense && out->dense)
            return take_dense(in, rows + i, count - i, out, err);
        int64_t row = rows[i];
        if (row < 0 || row >= in->length)
            return rwl_fail(err, RWL_INTERNAL, "row %lld of runs of %lld", (long long)row,
                            (long long)in->length);
        rwl_run one;
        if (in->dense) {
            one = dense_run(in, row);
        } else {
            if (row < in->runs[k].row || row - in->runs[k].row >= in->runs[k].count)
                k = find_run(in, row);
            const rwl_run *run = &in->runs[k];
            bool moves = in->step != 0 && !run->is_null;
            one = (rwl_run){run->start + (moves ? row - run->row : 0), 1, run->is_null, 0};
        }
        RWL_TRY(append(out, &one, err));
    }
    return RWL_OK;
}

/* --- reading --- */

bool rwl_runs_get(const rwl_runs *r, int64_t i, int64_t *out) {
    if (r->dense) {
        *out = rwl_column_i64(&r->column)[i];
        return !rwl_column_is_null(&r->column, i);
    }
    const rwl_run *run = &r->runs[find_run(r, i)];
    *out = run->is_null ? 0 : run->start + (r->step == 0 ? 0 : i - run->row);
    return !run->is_null;
}

rwl_status rwl_runs_to_column(const rwl_runs *r, rwl_column *out, rwl_error *err) {
    rwl_column_reset(out);
    if (r->dense) {
        rwl_range all = {0, r->length};
        return rwl_column_take_ranges(&r->column, &all, 1, out, r->env, err);
    }
    RWL_TRY(rwl_column_reserve(out, r->env, r->length, 0, err));
    for (size_t i = 0; i < r->run_count; i++)
        RWL_TRY(append_run(out, r->env, &r->runs[i], r->step, err));
    return RWL_OK;
}
