/* SPDX-License-Identifier: Apache-2.0 */
/* Duplicate row ids, with and without windows; and laws 1 and 2 over a snapshot's ids. */
#include "lineage/distinct.h"

#include "lineage_test.h"

#include <stdlib.h>

enum { ROOM = 1 << 30 };

static void add(rwl_distinct *d, const int64_t *ids, int64_t count) {
    rwl_runs r = make_runs(1, ids, count);
    ASSERT_OK(rwl_distinct_add(d, &r, err));
    rwl_runs_clear(&r);
}

static void add_range(rwl_distinct *d, int64_t start, int64_t count) {
    rwl_runs r;
    rwl_runs_init(&r, test_env(), 1);
    ASSERT_OK(rwl_runs_append(&r, start, count, err));
    ASSERT_OK(rwl_distinct_add(d, &r, err));
    rwl_runs_clear(&r);
}

START_TEST(distinct_ids_pass) {
    rwl_distinct d;
    rwl_distinct_init(&d, test_env(), 0, INT64_MAX, ROOM);
    add(&d, (int64_t[]){5, 3, NIL, 9, NIL, 100000000000}, 6);
    add_range(&d, 10, 1000000);
    ASSERT_OK(rwl_distinct_check(&d, err));
    rwl_distinct_clear(&d);
}
END_TEST

START_TEST(duplicates_are_named) {
    rwl_distinct d;
    rwl_distinct_init(&d, test_env(), 0, INT64_MAX, ROOM);
    add(&d, (int64_t[]){5, 3, 7, 5, 5}, 5);
    add_range(&d, 2, 3); /* 2, 3, 4: 3 again */
    ck_assert_int_eq(d.duplicate_count, 3);
    ASSERT_FAILS(RWL_LAW_BROKEN, "law 1: 3 rows have a row id that another live row has: 5, 3",
                 rwl_distinct_check(&d, err));
    rwl_distinct_clear(&d);
}
END_TEST

START_TEST(overlapping_ranges_are_counted_whole_and_named_in_part) {
    rwl_distinct d;
    rwl_distinct_init(&d, test_env(), 0, INT64_MAX, ROOM);
    add_range(&d, 100, 200000);
    add_range(&d, 300000, 10);
    add_range(&d, 200000, 200000); /* 200000 … 200099 and 300000 … 300009 again */
    ck_assert_int_eq(d.duplicate_count, 110);
    ck_assert_int_eq(d.shown, RWL_DISTINCT_SHOWN);
    ck_assert_int_eq(d.duplicates[0], 200000);
    ASSERT_FAILS(RWL_LAW_BROKEN, "200007 and others", rwl_distinct_check(&d, err));
    rwl_distinct_clear(&d);
}
END_TEST

START_TEST(ids_outside_the_window_do_not_count) {
    rwl_distinct d;
    rwl_distinct_init(&d, test_env(), 100, 200, ROOM);
    add(&d, (int64_t[]){99, 99, 200, 200, 100, 199}, 6);
    add_range(&d, 0, 100);
    add_range(&d, 200, 50);
    ASSERT_OK(rwl_distinct_check(&d, err));
    add_range(&d, 50, 100);              /* 100 … 149 are inside: 100 again */
    add_range(&d, 150, INT64_MAX - 150); /* 150 … 199 are inside: 199 again */
    ck_assert_int_eq(d.duplicate_count, 2);
    rwl_distinct_clear(&d);
}
END_TEST

START_TEST(windows_find_what_a_full_set_would_and_stay_under_the_ceiling) {
    enum { COUNT = 200000, CEILING = RWL_DISTINCT_CEILING_MIN };
    int64_t space = INT64_C(2000000);
    uint64_t seed = 7;
    rwl_runs r;
    rwl_runs_init(&r, test_env(), 1);
    uint8_t *seen = calloc(1, (size_t)space);
    ck_assert_ptr_nonnull(seen);
    int64_t expected = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t id = (int64_t)random_below(&seed, (uint64_t)space);
        expected += seen[id];
        seen[id] = 1;
        ASSERT_OK(rwl_runs_append(&r, id, 1, err));
    }
    rwl_distinct d;
    rwl_distinct_init(&d, test_env(), 0, INT64_MAX, CEILING);
    ASSERT_OK(rwl_distinct_add(&d, &r, err));
    ck_assert(d.too_large);
    rwl_distinct_clear(&d);

    rwl_distinct_init(&d, test_env(), 0, 0, CEILING);
    int64_t window = rwl_distinct_window(CEILING);
    ck_assert_int_ge(window, 65536);
    for (int64_t lo = 0; lo < space; lo += window) {
        rwl_distinct_reset(&d, lo, lo + window);
        ASSERT_OK(rwl_distinct_add(&d, &r, err));
        ck_assert(!d.too_large);
        ck_assert_int_le(rwl_bitmap_memory(d.seen), CEILING);
    }
    ck_assert_int_eq(d.duplicate_count, expected);
    rwl_distinct_clear(&d);
    rwl_runs_clear(&r);
    free(seen);
}
END_TEST

START_TEST(a_negative_id_breaks_law_2) {
    rwl_distinct d;
    rwl_distinct_init(&d, test_env(), 0, INT64_MAX, ROOM);
    rwl_runs r = make_runs(1, (int64_t[]){-4}, 1);
    ASSERT_FAILS(RWL_LAW_BROKEN, "row id -4 is negative", rwl_distinct_add(&d, &r, err));
    rwl_runs_clear(&r);
    rwl_distinct_clear(&d);
}
END_TEST

Suite *distinct_suite(void) {
    Suite *suite = suite_create("distinct");
    TCase *t = tcase_create("distinct");
    suite_add_tcase(suite, t);
    tcase_add_test(t, distinct_ids_pass);
    tcase_add_test(t, duplicates_are_named);
    tcase_add_test(t, overlapping_ranges_are_counted_whole_and_named_in_part);
    tcase_add_test(t, ids_outside_the_window_do_not_count);
    tcase_add_test(t, windows_find_what_a_full_set_would_and_stay_under_the_ceiling);
    tcase_add_test(t, a_negative_id_breaks_law_2);
    return suite;
}
