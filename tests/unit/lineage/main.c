/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of lineage/ and holds their helpers. */
#include "lineage_test.h"

#include <stdlib.h>

static rwl_env env;

const rwl_env *test_env(void) {
    return &env;
}

rwl_runs make_runs(int32_t step, const int64_t *values, int64_t count) {
    rwl_runs r;
    rwl_runs_init(&r, &env, step);
    for (int64_t i = 0; i < count; i++) {
        if (values[i] == NIL)
            ASSERT_OK(rwl_runs_append_null(&r, 1, err));
        else
            ASSERT_OK(rwl_runs_append(&r, values[i], 1, err));
    }
    return r;
}

rwl_column make_column(const int64_t *values, int64_t count) {
    rwl_column c;
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_column_init_flat(&c, &type);
    for (int64_t i = 0; i < count; i++) {
        rwl_value v = rwl_value_null(RWL_TYPE_LONG);
        v.is_null = values[i] == NIL;
        v.as.i64 = v.is_null ? 0 : values[i];
        ASSERT_OK(rwl_column_append(&c, &env, &v, 1, err));
    }
    return c;
}

void assert_runs(const rwl_runs *r, const int64_t *values, int64_t count) {
    ck_assert_int_eq(r->length, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t got = NIL;
        if (!rwl_runs_get(r, i, &got))
            got = NIL;
        ck_assert_msg(got == values[i], "row %lld is %lld, not %lld", (long long)i, (long long)got,
                      (long long)values[i]);
    }
}

void assert_column(const rwl_column *c, const int64_t *values, int64_t count) {
    ck_assert_int_eq(c->length, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t got = rwl_column_is_null(c, i) ? NIL : rwl_column_i64(c)[i];
        ck_assert_msg(got == values[i], "row %lld is %lld, not %lld", (long long)i, (long long)got,
                      (long long)values[i]);
    }
}

uint64_t random_below(uint64_t *state, uint64_t bound) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % bound;
}

int main(void) {
    rwl_env_init_default(&env);
    SRunner *runner = srunner_create(assign_suite());
    srunner_add_suite(runner, inherit_suite());
    srunner_add_suite(runner, carry_suite());
    srunner_add_suite(runner, pin_suite());
    srunner_add_suite(runner, distinct_suite());
    srunner_add_suite(runner, conserve_suite());
    srunner_add_suite(runner, digest_suite());
    srunner_add_suite(runner, laws_suite());
    srunner_add_suite(runner, segment_suite());
    srunner_add_suite(runner, walk_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
