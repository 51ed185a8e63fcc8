/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of table/: fragments outlive what they were copied from; operations have their names. */
#include "table/change.h"

#include <check.h>
#include <stdlib.h>

static rwl_env env;

START_TEST(operations_are_named_as_snapshot_summaries_name_them) {
    ck_assert_str_eq(rwl_operation_name(RWL_OPERATION_APPEND), "append");
    ck_assert_str_eq(rwl_operation_name(RWL_OPERATION_DELETE), "delete");
    ck_assert_str_eq(rwl_operation_name(RWL_OPERATION_OVERWRITE), "overwrite");
    ck_assert_str_eq(rwl_operation_name(RWL_OPERATION_REPLACE), "replace");
}
END_TEST

START_TEST(fragment_copy_is_deep) {
    char location[] = "s3://b/a.parquet", format[] = "PARQUET", puffin[] = "s3://b/a.puffin", text[] = "x";
    rwl_value partition[2] = {rwl_value_null(RWL_TYPE_INT), rwl_value_null(RWL_TYPE_STRING)};
    partition[1].is_null = false;
    partition[1].as.bytes = rwl_span_of(text, 1);
    rwl_delete_ref deletes[1] = {
        {.kind = RWL_DELETE_VECTOR, .location = puffin, .offset = 4, .row_count = 2}};
    rwl_fragment from = {
        .location = location,
        .format = format,
        .row_count = 7,
        .lineage = {true, 100, 3},
        .partition = partition,
        .partition_count = 2,
        .deletes = deletes,
        .delete_count = 1,
    };
    rwl_arena arena;
    rwl_arena_init(&arena, &env, 0);
    rwl_fragment to;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_fragment_copy(&arena, &from, &to, &err), RWL_OK);
    location[0] = format[0] = puffin[0] = text[0] = '?';
    memset(partition, 0, sizeof partition);
    memset(deletes, 0, sizeof deletes);
    ck_assert_str_eq(to.location, "s3://b/a.parquet");
    ck_assert_str_eq(to.format, "PARQUET");
    ck_assert_int_eq(to.lineage.first_row_id, 100);
    ck_assert(to.partition[0].is_null);
    ck_assert(rwl_span_equal(to.partition[1].as.bytes, rwl_span_str("x")));
    ck_assert_str_eq(to.deletes[0].location, "s3://b/a.puffin");
    ck_assert_int_eq(to.deletes[0].offset, 4);
    ck_assert_ptr_null(to.deletes[0].format);
    rwl_arena_clear(&arena);
}
END_TEST

START_TEST(fragment_copy_reports_a_full_arena) {
    rwl_fragment from = {.location = "s3://b/a.parquet", .format = "PARQUET"};
    rwl_arena arena;
    rwl_arena_init(&arena, &env, 16);
    rwl_fragment to;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_fragment_copy(&arena, &from, &to, &err), RWL_NO_MEMORY);
    rwl_arena_clear(&arena);
}
END_TEST

int main(void) {
    rwl_env_init_default(&env);
    Suite *s = suite_create("table");
    TCase *t = tcase_create("table");
    tcase_add_test(t, operations_are_named_as_snapshot_summaries_name_them);
    tcase_add_test(t, fragment_copy_is_deep);
    tcase_add_test(t, fragment_copy_reports_a_full_arena);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
