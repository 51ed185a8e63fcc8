/* SPDX-License-Identifier: Apache-2.0 */
/* When the manifest of rewritten files may be pinned. */
#include "lineage/pin.h"

#include "lineage_test.h"

/* rows, null ids, null versions, least id, greatest id */
static const rwl_pin_file good = {30, 0, 0, 30, 59};
static const rwl_pin_file empty = {0, 0, 0, 0, 0};

START_TEST(the_pin_is_the_least_id) {
    rwl_pin_file files[] = {good, {10, 0, 0, 7, 100}, empty};
    rwl_pin pin = rwl_pin_decide(files, 3, 101);
    ck_assert_int_eq((int)pin.verdict, (int)RWL_PIN_SOUND);
    ck_assert_int_eq(pin.first_row_id, 7);
    ASSERT_OK(rwl_pin_check(&pin, files, 101, err));
}
END_TEST

START_TEST(each_condition_has_its_verdict) {
    static const struct {
        rwl_pin_file file;
        int64_t next_row_id;
        rwl_pin_verdict verdict;
        rwl_status status;
        const char *message;
    } cases[] = {
        {{30, 1, 0, 0, 28},
         60,
         RWL_PIN_NULL_ID,
         RWL_UNSUPPORTED,
         "law 8: 1 rows of file 1 have no stored row id"},
        {{30, 0, 2, 0, 29},
         60,
         RWL_PIN_NULL_VERSION,
         RWL_UNSUPPORTED,
         "2 rows of file 1 have no stored version"},
        {{30, 30, 30, 0, 0}, 60, RWL_PIN_NULL_ID, RWL_UNSUPPORTED, "law 8"},
        {{30, 0, 0, 31, 60},
         60,
         RWL_PIN_ID_OUT_OF_RANGE,
         RWL_LAW_BROKEN,
         "law 2: file 1 holds row ids 31 to 60"},
        {{30, 0, 0, -1, 29}, 60, RWL_PIN_ID_OUT_OF_RANGE, RWL_LAW_BROKEN, "law 2"},
        {{31, 0, 0, 0, 29}, 60, RWL_PIN_RANGE_TOO_LONG, RWL_LAW_BROKEN, "law 1"}, /* 61 rows, 60 ids */
        {{INT64_MAX, 0, 0, 0, 29}, 60, RWL_PIN_RANGE_TOO_LONG, RWL_LAW_BROKEN, "law 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_pin_file files[] = {good, cases[i].file};
        rwl_pin pin = rwl_pin_decide(files, 2, cases[i].next_row_id);
        ck_assert_int_eq((int)pin.verdict, (int)cases[i].verdict);
        ASSERT_FAILS(cases[i].status, cases[i].message,
                     rwl_pin_check(&pin, files, cases[i].next_row_id, err));
    }
}
END_TEST

START_TEST(rows_may_fill_the_range_exactly) {
    rwl_pin_file files[] = {{30, 0, 0, 0, 29}, good};
    rwl_pin pin = rwl_pin_decide(files, 2, 60); /* ICE-31: ids 0..59, next-row-id 60 */
    ck_assert_int_eq((int)pin.verdict, (int)RWL_PIN_SOUND);
    ck_assert_int_eq(pin.first_row_id, 0);
}
END_TEST

START_TEST(no_rows_no_pin) {
    rwl_pin pin = rwl_pin_decide(&empty, 1, 60);
    ck_assert_int_eq((int)pin.verdict, (int)RWL_PIN_NO_ROWS);
    ASSERT_FAILS(RWL_INTERNAL, "without rows", rwl_pin_check(&pin, &empty, 60, err));
    ck_assert_int_eq((int)rwl_pin_decide(NULL, 0, 0).verdict, (int)RWL_PIN_NO_ROWS);
}
END_TEST

Suite *pin_suite(void) {
    Suite *suite = suite_create("pin");
    TCase *t = tcase_create("pin");
    suite_add_tcase(suite, t);
    tcase_add_test(t, the_pin_is_the_least_id);
    tcase_add_test(t, each_condition_has_its_verdict);
    tcase_add_test(t, rows_may_fill_the_range_exactly);
    tcase_add_test(t, no_rows_no_pin);
    return suite;
}
