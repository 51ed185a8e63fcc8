/* SPDX-License-Identifier: Apache-2.0 */
/* Runs against a plain array of optional numbers. */
#include "column/runs.h"
#include "suites.h"

static rwl_env env;
static void setup(void) {
    rwl_env_init_default(&env);
}

enum { MAX_ROWS = 20000 };

typedef struct model {
    int64_t values[MAX_ROWS];
    bool nulls[MAX_ROWS];
    int64_t length;
} model;

static void expect_same(const rwl_runs *r, const model *m) {
    ck_assert_int_eq(r->length, m->length);
    int64_t nulls = 0;
    for (int64_t i = 0; i < m->length; i++) {
        int64_t v;
        bool valid = rwl_runs_get(r, i, &v);
        ck_assert_msg(valid == !m->nulls[i] && (!valid || v == m->values[i]), "row %lld", (long long)i);
        nulls += m->nulls[i];
    }
    ck_assert_int_eq(r->null_count, nulls);
    rwl_column c;
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_column_init_flat(&c, &type);
    OK(rwl_runs_to_column(r, &c, err));
    ck_assert_int_eq(c.length, m->length);
    ck_assert_int_eq(c.null_count, nulls);
    for (int64_t i = 0; i < m->length; i++) {
        ck_assert_int_eq(rwl_column_is_null(&c, i), m->nulls[i]);
        ck_assert(m->nulls[i] || rwl_column_i64(&c)[i] == m->values[i]);
    }
    rwl_column_clear(&c, &env);
}

static void model_add(model *m, int64_t value, bool is_null) {
    m->values[m->length] = is_null ? 0 : value;
    m->nulls[m->length++] = is_null;
}

static void add_random(rwl_runs *r, model *m, uint64_t *seed, int64_t longest) {
    int64_t count = 1 + (int64_t)(next_random(seed) % (uint64_t)longest);
    if (next_random(seed) % 4 == 0) {
        OK(rwl_runs_append_null(r, count, err));
        for (int64_t i = 0; i < count; i++)
            model_add(m, 0, true);
        return;
    }
    int64_t start = (int64_t)(next_random(seed) % 1000);
    OK(rwl_runs_append(r, start, count, err));
    for (int64_t i = 0; i < count; i++)
        model_add(m, start + i * r->step, false);
}

/* Loop index: bit 0 the step, bit 1 short runs (turns dense). */
START_TEST(appends_slices_and_takes_as_an_array_does) {
    static model source;
    static model target;
    uint64_t seed = 13 + (uint64_t)_i;
    source.length = target.length = 0;
    bool dense = _i & 2;
    rwl_runs in;
    rwl_runs out;
    rwl_runs_init(&in, &env, _i & 1);
    rwl_runs_init(&out, &env, _i & 1);
    for (int i = 0; i < 200; i++)
        add_random(&in, &source, &seed, dense ? 2 : 40);
    ck_assert_int_eq(in.dense, dense);
    expect_same(&in, &source);
    for (int round = 0; round < 20; round++) {
        int64_t first = (int64_t)(next_random(&seed) % (uint64_t)source.length);
        int64_t count = (int64_t)(next_random(&seed) % (uint64_t)(source.length - first));
        OK(rwl_runs_append_slice(&out, &in, first, count, err));
        for (int64_t i = 0; i < count; i++)
            model_add(&target, source.values[first + i], source.nulls[first + i]);
        int32_t rows[30];
        for (int i = 0; i < 30; i++) {
            rows[i] = (int32_t)(next_random(&seed) % (uint64_t)source.length);
            model_add(&target, source.values[rows[i]], source.nulls[rows[i]]);
        }
        OK(rwl_runs_take(&in, rows, 30, &out, err));
        if (target.length > MAX_ROWS - 10000)
            break;
    }
    expect_same(&out, &target);
    rwl_range ranges[] = {{0, 5}, {10, 0}, {20, 50}};
    rwl_runs_reset(&out);
    target.length = 0;
    OK(rwl_runs_take_ranges(&in, ranges, 3, &out, err));
    for (int r = 0; r < 3; r++) {
        for (int64_t i = 0; i < ranges[r].count; i++)
            model_add(&target, source.values[ranges[r].start + i], source.nulls[ranges[r].start + i]);
    }
    expect_same(&out, &target);
    rwl_runs_clear(&in);
    rwl_runs_clear(&out);
}
END_TEST

/* Loop index: where the ranges begin, so that the runs turn dense among them, before them, and hold a null. */
START_TEST(appends_ranges_as_one_after_another) {
    static model target;
    enum { RANGES = 400, OFFSET = 1000 };
    rwl_range ranges[RANGES];
    rwl_runs runs;
    target.length = 0;
    rwl_runs_init(&runs, &env, 1);
    for (int i = 0; i < RANGES; i++)
        ranges[i] = (rwl_range){10 * i, i % 4};
    if (_i > 1) {
        OK(rwl_runs_append_null(&runs, 1, err));
        model_add(&target, 0, true);
    }
    for (int round = 0; round <= _i; round++) {
        OK(rwl_runs_append_ranges(&runs, ranges, RANGES, OFFSET, err));
        for (int i = 0; i < RANGES; i++)
            for (int64_t k = 0; k < ranges[i].count; k++)
                model_add(&target, OFFSET + ranges[i].start + k, false);
    }
    ck_assert(runs.dense);
    expect_same(&runs, &target);
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_runs_append_ranges(&runs, ranges, RANGES, INT64_MAX, &fault), RWL_CORRUPT);
    rwl_runs_clear(&runs);
}
END_TEST

START_TEST(contiguous_appends_stay_one_run) {
    rwl_runs r;
    rwl_runs_init(&r, &env, 1);
    for (int64_t i = 0; i < 1000; i++)
        OK(rwl_runs_append(&r, 500 + i * 10, 10, err));
    ck_assert_uint_eq(r.run_count, 1);
    OK(rwl_runs_append_null(&r, 4, err));
    OK(rwl_runs_append_null(&r, 4, err));
    ck_assert_uint_eq(r.run_count, 2);
    ck_assert_int_eq(r.length, 10008);
    rwl_runs_clear(&r);
    rwl_runs_init(&r, &env, 0);
    OK(rwl_runs_append(&r, 7, 3, err));
    OK(rwl_runs_append(&r, 7, 3, err));
    ck_assert_uint_eq(r.run_count, 1);
    rwl_runs_clear(&r);
}
END_TEST

START_TEST(refuses_runs_past_the_largest_id) {
    rwl_runs r;
    rwl_error fault = {0};
    rwl_runs_init(&r, &env, 1);
    ck_assert_int_eq(rwl_runs_append(&r, INT64_MAX - 1, 3, &fault), RWL_CORRUPT);
    OK(rwl_runs_append(&r, INT64_MAX - 3, 3, err));
    rwl_runs_clear(&r);
}
END_TEST

TCase *runs_cases(void) {
    TCase *tc = tcase_create("runs");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, appends_slices_and_takes_as_an_array_does, 0, 4);
    tcase_add_loop_test(tc, appends_ranges_as_one_after_another, 0, 3);
    tcase_add_test(tc, contiguous_appends_stay_one_run);
    tcase_add_test(tc, refuses_runs_past_the_largest_id);
    return tc;
}
