/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of table/: fragments outlive what they were copied from, and travel as JSON; operations have their names. */
#include "table/change.h"
#include "table/fragment_json.h"

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

/* --- as JSON --- */

/* A fragment with everything a fragment can have. */
static rwl_fragment full_fragment(rwl_value *partition, rwl_delete_ref *deletes) {
    static const int32_t ids[2] = {1, 7};
    partition[0] = rwl_value_null(RWL_TYPE_STRING);
    partition[1] = (rwl_value){.kind = RWL_TYPE_INT, .as.i32 = 34};
    partition[2] = (rwl_value){.kind = RWL_TYPE_DECIMAL, .as.i128 = -1420};
    partition[3] = (rwl_value){.kind = RWL_TYPE_FIXED, .as.bytes = rwl_span_str("ab")};
    deletes[0] = (rwl_delete_ref){.kind = RWL_DELETE_VECTOR,
                                  .location = "s3://b/a.puffin",
                                  .format = "PUFFIN",
                                  .file_size = 99,
                                  .offset = 4,
                                  .length = 50,
                                  .row_count = 2,
                                  .sequence_number = 5,
                                  .file_scoped = true};
    deletes[1] = (rwl_delete_ref){.kind = RWL_DELETE_EQUALITY,
                                  .location = "s3://b/e.avro",
                                  .format = "AVRO",
                                  .offset = -1,
                                  .length = -1,
                                  .row_count = 1,
                                  .sequence_number = 6,
                                  .equality_ids = ids,
                                  .equality_count = 2};
    return (rwl_fragment){.location = "s3://b/p=a%20b/\u00e9 1.parquet",
                          .format = "PARQUET",
                          .file_size = 1234,
                          .row_count = 7,
                          .file_sequence_number = 3,
                          .lineage = {true, 100, 2},
                          .spec_id = 1,
                          .partition = partition,
                          .partition_count = 4,
                          .sort_order_id = 9,
                          .deletes = deletes,
                          .delete_count = 2,
                          .must_match = true};
}

static rwl_json *json_of(const char *text) {
    rwl_json *json = NULL;
    rwl_error err = {0};
    ck_assert_int_eq(rwl_json_parse(rwl_span_str(text), &json, &err), RWL_OK);
    return json;
}

/* Row ids need the base, versions the data sequence number: both must arrive (BUG-005, BUG-006). */
START_TEST(fragment_travels_as_json_with_its_lineage) {
    rwl_value partition[4];
    rwl_delete_ref deletes[2];
    rwl_fragment from = full_fragment(partition, deletes), to;
    rwl_arena arena;
    rwl_arena_init(&arena, &env, 0);
    rwl_json *json = NULL;
    rwl_error err = {0};
    const char *text;
    ck_assert_int_eq(rwl_fragment_to_json(&from, &json, &err), RWL_OK);
    ck_assert_int_eq(rwl_json_text_in(json, &arena, &text, &err), RWL_OK);
    rwl_json_free(json);
    json = json_of(text);
    ck_assert_int_eq(rwl_fragment_from_json(json, &arena, &to, &err), RWL_OK);
    rwl_json_free(json);
    ck_assert_str_eq(to.location, from.location);
    ck_assert_str_eq(to.format, "PARQUET");
    ck_assert_int_eq(to.file_size, 1234);
    ck_assert_int_eq(to.row_count, 7);
    ck_assert_int_eq(to.file_sequence_number, 3);
    ck_assert(to.lineage.has_first_row_id);
    ck_assert_int_eq(to.lineage.first_row_id, 100);
    ck_assert_int_eq(to.lineage.sequence_number, 2);
    ck_assert_int_eq(to.spec_id, 1);
    ck_assert_int_eq(to.sort_order_id, 9);
    ck_assert(to.must_match);
    ck_assert_int_eq(to.partition_count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert(rwl_value_equal(&to.partition[i], &from.partition[i]));
    ck_assert_int_eq(to.delete_count, 2);
    ck_assert_int_eq(to.deletes[0].kind, RWL_DELETE_VECTOR);
    ck_assert_int_eq(to.deletes[0].offset, 4);
    ck_assert_int_eq(to.deletes[0].length, 50);
    ck_assert(to.deletes[0].file_scoped);
    ck_assert_int_eq(to.deletes[1].kind, RWL_DELETE_EQUALITY);
    ck_assert_int_eq(to.deletes[1].sequence_number, 6);
    ck_assert_int_eq(to.deletes[1].equality_count, 2);
    ck_assert_int_eq(to.deletes[1].equality_ids[1], 7);
    rwl_arena_clear(&arena);
}
END_TEST

START_TEST(fragment_json_that_lacks_something_names_it) {
    static const struct {
        const char *cut, *put, *message;
    } cases[] = {
        {"\"data_sequence_number\": 2, ", "", "data_sequence_number"}, /* BUG-006: never guessed */
        {"\"record_count\": 7,", "\"record_count\": -7,", "record_count"},
        {"\"first_row_id\": 100,", "\"first_row_id\": -1,", "first_row_id"},
        {"\"type\": \"int\"", "\"type\": \"ints\"", "ints"},
        {"\"bytes\": \"22", "\"bytes\": \"2x", "hexadecimal"},
        {"\"bytes\": \"22", "\"bytes\": \"2", "within a byte"},
        {"\"vector\"", "\"vectors\"", "vectors"},
        {"[1, 7]", "[7, 1]", "rising"},
        {"[1, 7]", "[]", "empty"},
    };
    rwl_value partition[4];
    rwl_delete_ref deletes[2];
    rwl_fragment from = full_fragment(partition, deletes), to;
    rwl_arena arena;
    rwl_arena_init(&arena, &env, 0);
    rwl_json *json = NULL;
    rwl_error err = {0};
    const char *text;
    ck_assert_int_eq(rwl_fragment_to_json(&from, &json, &err), RWL_OK);
    ck_assert_int_eq(rwl_json_text_in(json, &arena, &text, &err), RWL_OK);
    rwl_json_free(json);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = strstr(text, cases[i].cut);
        ck_assert_msg(at != NULL, "%s is not in %s", cases[i].cut, text);
        const char *changed = rwl_arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, cases[i].put,
                                               at + strlen(cases[i].cut));
        json = json_of(changed);
        memset(&err, 0, sizeof err);
        ck_assert_int_eq(rwl_fragment_from_json(json, &arena, &to, &err), RWL_CORRUPT);
        ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
        rwl_json_free(json);
    }
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
    tcase_add_test(t, fragment_travels_as_json_with_its_lineage);
    tcase_add_test(t, fragment_json_that_lacks_something_names_it);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
