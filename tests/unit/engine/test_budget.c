/* SPDX-License-Identifier: Apache-2.0 */
/* The division of the memory budget. */
#include "engine/budget.h"
#include "engine/write_properties.h"

#include "engine_test.h"
#include "suites.h"

#define MIB (INT64_C(1) << 20)

START_TEST(without_a_budget_sizes_are_the_standard_ones) {
    rwl_write_budget w = rwl_budget_write(0, 10);
    ck_assert_int_eq(w.row_group_bytes, 128 * MIB);
    ck_assert_int_eq(w.page_bytes, MIB);
    ck_assert_int_eq(w.dictionary_bytes, 2 * MIB);
    ck_assert_int_eq(w.open_files_bytes, 0);
}
END_TEST

START_TEST(a_gigabyte_leaves_a_narrow_table_the_standard_sizes) {
    rwl_write_budget w =
        rwl_budget_write(1024 * MIB, 6); /* 512 MiB / 6 columns is far above 6 MiB a column */
    ck_assert_int_eq(w.row_group_bytes, 128 * MIB);
    ck_assert_int_eq(w.page_bytes, MIB);
    ck_assert_int_eq(w.dictionary_bytes, 2 * MIB);
}
END_TEST

START_TEST(many_columns_shrink_pages_and_dictionaries_not_below_64_kib) {
    /* half of 1024 MiB less the program, in 1008 columns: 512 KiB each, a sixth for the page, so that twice both fit */
    rwl_write_budget w = rwl_budget_write(1008 * MIB + rwl_budget_program(), 1008);
    ck_assert_int_eq(w.page_bytes, 512 * 1024 / 6);
    ck_assert_int_eq(w.dictionary_bytes, 512 * 1024 / 2 - 512 * 1024 / 6);
    w = rwl_budget_write(1024 * MIB, 100000);
    ck_assert_int_eq(w.page_bytes, 64 * 1024);
    ck_assert_int_eq(w.dictionary_bytes, 64 * 1024);
}
END_TEST

/* What is usual is never below what is needed, and a budget that is just enough holds what is usual under it. */
START_TEST(a_budget_that_is_accepted_holds_one_group) {
    for (int32_t columns = 1; columns <= 4096; columns *= 2) {
        int64_t least = rwl_budget_least(columns);
        for (int64_t budget = least + rwl_budget_program(); budget < INT64_C(1) << 40; budget *= 2) {
            int64_t usual = rwl_budget_usual(budget, columns);
            ck_assert_int_ge(usual, least);
            ck_assert_int_le(usual, budget - rwl_budget_program());
        }
    }
}
END_TEST

START_TEST(options_of_a_file_are_lowered_to_the_budget_never_raised) {
    rwl_parquet_write_options o = {.page_bytes = 1000, .dictionary_bytes = -1};
    rwl_write_budget w = rwl_budget_write(64 * MIB, 10);
    rwl_write_properties_limit(&o, 0, 10);
    ck_assert_int_eq(o.row_group_bytes, 0); /* no budget: as it was */
    rwl_write_properties_limit(&o, 64 * MIB, 10);
    ck_assert_int_eq(o.row_group_bytes, w.row_group_bytes);
    ck_assert_int_eq(o.page_bytes, 1000);
    ck_assert_int_eq(o.dictionary_bytes, -1);
    ck_assert_int_eq(o.bloom_max_bytes, w.dictionary_bytes < MIB ? w.dictionary_bytes : MIB);
    o.row_group_bytes = 512 * MIB;
    rwl_write_properties_limit(&o, 64 * MIB, 0);
    ck_assert_int_eq(o.row_group_bytes, rwl_budget_write(64 * MIB, 1).row_group_bytes);
}
END_TEST

Suite *suite_budget(void) {
    Suite *suite = suite_create("budget");
    TCase *tc = tcase_create("budget");
    tcase_add_test(tc, without_a_budget_sizes_are_the_standard_ones);
    tcase_add_test(tc, a_gigabyte_leaves_a_narrow_table_the_standard_sizes);
    tcase_add_test(tc, many_columns_shrink_pages_and_dictionaries_not_below_64_kib);
    tcase_add_test(tc, a_budget_that_is_accepted_holds_one_group);
    tcase_add_test(tc, options_of_a_file_are_lowered_to_the_budget_never_raised);
    suite_add_tcase(suite, tc);
    return suite;
}
