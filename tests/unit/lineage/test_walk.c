/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over ids and versions against a row-by-row reading of the same. */
#include "lineage/walk.h"

#include "lineage_test.h"

enum { ROWS = 500 };

/* Random values that go on regularly for about `regular` rows, `nulls` of ten rows null. */
static void fill(int64_t *values, int32_t step, uint64_t regular, uint64_t nulls, uint64_t *seed) {
    int64_t value = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        if (random_below(seed, regular) == 0)
            value = (int64_t)random_below(seed, 1000);
        values[i] = random_below(seed, 10) < nulls ? NIL : value;
        value += step;
    }
}

static void assert_walk(const rwl_runs *ids, const rwl_runs *versions, const int64_t *want_ids,
                        const int64_t *want_versions, int64_t first, int64_t count) {
    rwl_walk walk;
    rwl_stretch s;
    int64_t row = first;
    rwl_walk_init(&walk, ids, versions, first, count);
    while (rwl_walk_next(&walk, &s)) {
        ck_assert_int_eq(s.row, row);
        ck_assert_int_gt(s.count, 0);
        for (int64_t i = 0; i < s.count; i++, row++) {
            ck_assert_int_eq(s.id.present ? s.id.value + i : NIL, want_ids[row]);
            ck_assert_int_eq(s.version.present ? s.version.value : NIL,
                             want_versions == NULL ? NIL : want_versions[row]);
        }
    }
    ck_assert_int_eq(row, first + count);
}

START_TEST(stretches_equal_the_rows) {
    uint64_t seed = 99;
    for (int round = 0; round < 100; round++) {
        int64_t ids[ROWS], versions[ROWS];
        fill(ids, 1, 1 + random_below(&seed, 50), random_below(&seed, 4), &seed);
        fill(versions, 0, 1 + random_below(&seed, 50), random_below(&seed, 4), &seed);
        rwl_runs id_runs = make_runs(1, ids, ROWS), version_runs = make_runs(0, versions, ROWS);
        int64_t first = (int64_t)random_below(&seed, ROWS);
        int64_t count = (int64_t)random_below(&seed, (uint64_t)(ROWS - first + 1));
        assert_walk(&id_runs, &version_runs, ids, versions, 0, ROWS);
        assert_walk(&id_runs, &version_runs, ids, versions, first, count);
        assert_walk(&id_runs, NULL, ids, NULL, first, count);
        rwl_runs_clear(&id_runs);
        rwl_runs_clear(&version_runs);
    }
}
END_TEST

START_TEST(one_run_is_one_stretch) {
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    ASSERT_OK(rwl_runs_append(&ids, 7, 1000000, err));
    ASSERT_OK(rwl_runs_append(&versions, 3, 1000000, err));
    rwl_walk walk;
    rwl_stretch s;
    rwl_walk_init(&walk, &ids, &versions, 10, 999990);
    ck_assert(rwl_walk_next(&walk, &s));
    ck_assert_int_eq(s.count, 999990);
    ck_assert_int_eq(s.id.value, 17);
    ck_assert(!rwl_walk_next(&walk, &s));
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}
END_TEST

Suite *walk_suite(void) {
    Suite *suite = suite_create("walk");
    TCase *t = tcase_create("walk");
    suite_add_tcase(suite, t);
    tcase_add_test(t, stretches_equal_the_rows);
    tcase_add_test(t, one_run_is_one_stretch);
    return suite;
}
