/* SPDX-License-Identifier: Apache-2.0 */
/* Law 2 over the ids of one snapshot. */
#include "lineage/laws.h"

#include "lineage_test.h"

/* Law 2 of the ids, which are then freed: kept where no message is given. */
static void check_below(rwl_runs *ids, int64_t next_row_id, const char *message) {
    if (message == NULL)
        ASSERT_OK(rwl_laws_check_below(ids, next_row_id, err));
    else
        ASSERT_FAILS(RWL_LAW_BROKEN, message, rwl_laws_check_below(ids, next_row_id, err));
    rwl_runs_clear(ids);
}

START_TEST(law_2_over_a_snapshot) {
    static const struct {
        int64_t ids[5];
        int64_t next_row_id;
        const char *message; /* NULL: no law is broken */
    } cases[] = {
        {{0, 1, 2, 3, 4}, 5, NULL},
        {{9, NIL, 2, NIL, 4}, 10, NULL},
        {{0, 1, 2, 3, 4}, 4, "law 2: row id 4 is not below next-row-id 4"},
        {{0, 1, 17, 18, 4}, 5, "law 2: row id 17 is not below next-row-id 5"},
        {{0, 1, 2, -1, 4}, 5, "law 2: row id -1 is negative"},
        {{0, INT64_MAX - 1, 2, 3, 4}, INT64_MAX - 1, "law 2: row id 9223372036854775806"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_runs ids = make_runs(1, cases[i].ids, 5);
        check_below(&ids, cases[i].next_row_id, cases[i].message);
    }
}
END_TEST

/* Ids in no order are numbers, not runs: 2, 4, … 200 the other way round, and one of them another. */
START_TEST(law_2_over_many_numbers) {
    static const struct {
        int64_t row, id, next_row_id;
        const char *message;
    } cases[] = {
        {50, 0, 201, NULL},
        {50, 0, 200, "law 2: row id 200 is not below next-row-id 200"},
        {99, 201, 201, "law 2: row id 201 is not below next-row-id 201"},
        {50, -1, 201, "law 2: row id -1 is negative"},
        {0, -INT64_MAX, 201, "law 2: row id -9223372036854775807 is negative"},
        {99, INT64_MAX - 1, INT64_MAX, NULL},
        {99, INT64_MAX - 1, 0, "law 2: row id 200 is not below next-row-id 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t values[100];
        for (int64_t k = 0; k < 100; k++)
            values[k] = k == cases[i].row ? cases[i].id : 200 - 2 * k;
        rwl_runs ids = make_runs(1, values, 100);
        ck_assert(ids.dense);
        check_below(&ids, cases[i].next_row_id, cases[i].message);
    }
}
END_TEST

START_TEST(no_rows_break_no_law) {
    rwl_runs ids;
    rwl_runs_init(&ids, test_env(), 1);
    ASSERT_OK(rwl_laws_check_below(&ids, 0, err));
    rwl_runs_clear(&ids);
}
END_TEST

Suite *laws_suite(void) {
    Suite *suite = suite_create("laws");
    TCase *t = tcase_create("laws");
    suite_add_tcase(suite, t);
    tcase_add_test(t, law_2_over_a_snapshot);
    tcase_add_test(t, law_2_over_many_numbers);
    tcase_add_test(t, no_rows_break_no_law);
    return suite;
}
