/* SPDX-License-Identifier: Apache-2.0 */
/* Lineage as it is read from data files of other writers: BUG-001 to 014, ICE-60 to 67 over whole tables. */
#include "case_table.h"
#include "suites.h"

#include "engine/task.h"
#include "parquet/file.h"

#define LINEAGE "_row_id, _last_updated_sequence_number"

/* A v3 table whose next commit has this number and takes ids from `next` on. */
static void create_at(const char *columns, int64_t sequence, int64_t next) {
    test_create("t", 3, columns, NULL, NULL);
    case_advance("t", sequence, next);
}

/* --- versions are data sequence numbers --- */

/* S1 A of 2 rows, S2 B of 2, S3 {A, B} -> C with data number 2, file number 3; upgraded, S4 gives ids. */
START_TEST(bug_001_versions_are_data_sequence_numbers_not_file_ones) {
    test_create("t", 2, "id long", NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_append("t", "{'id':3}\n{'id':4}");
    test_rewrite("t", NULL);
    test_upgrade("t", true);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, 2);
    ck_assert_int_eq(test_live(&head, 0)->file_sequence_number, 3);
    ck_assert_int_eq(head.last_sequence_number, 4);
    ck_assert_str_eq(case_rows("t", LINEAGE, NULL), "0,2 1,2 2,2 3,2");
}
END_TEST

/* A task's text and the table are all that its reader has. */
START_TEST(bug_005_tasks_sent_as_text_carry_ids_and_versions) {
    test_create("t", 3, "id long", NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    test_append("t", "{'id':3}\n{'id':4}");
    ck_assert_str_eq(test_sorted(case_rows("t", LINEAGE, NULL)), "0,1 1,1 2,2 3,2");
    const rwl_tasks_options options = {.select = "id", .lineage = true, .target_bytes = 1};
    rwl_table *t = test_open("t");
    rwl_tasks *tasks = NULL;
    const char *rows = "";
    ASSERT_OK(rwl_tasks_open(t, test_op(), &options, &tasks, err));
    for (;;) {
        rwl_span text;
        ASSERT_OK(rwl_tasks_next(tasks, &text, err));
        if (text.data == NULL)
            break;
        rows = rwl_arena_printf(test_arena(), "%s %s", rows, case_task_rows("t", text));
    }
    rwl_tasks_close(tasks);
    test_close(t);
    ck_assert_str_eq(test_sorted(rows), "1,0,1 2,1,1 3,2,2 4,3,2");
}
END_TEST

/* --- Avro --- */

START_TEST(bug_002_ice_61_avro_rows_without_lineage_columns_count_from_the_base) {
    const rwl_field fields[] = {CASE_FIELD("data", 1, STRING)};
    create_at("data string", 5, 1000);
    case_append("t", "a.avro", fields, 1, "[['a'], ['b']]", 0);
    ck_assert_str_eq(test_rows("t"), "a=1000/5 b=1001/5");
}
END_TEST

/* A stored row takes up a position: the null one is at 1. */
START_TEST(bug_002_ice_62_a_null_in_avro_inherits_by_its_position) {
    const rwl_field fields[] = {CASE_FIELD("data", 1, STRING), CASE_ROW_ID("_row_id"),
                                CASE_VERSION("_last_updated_sequence_number")};
    create_at("data string", 10, 1000);
    case_append("t", "a.avro", fields, 3, "[['a', 555, 7], ['b', null, null]]", 0);
    ck_assert_str_eq(test_rows("t"), "a=555/7 b=1001/10");
}
END_TEST

START_TEST(bug_003_ice_63_stored_lineage_is_passed_over_when_it_is_not_asked_for) {
    static const struct {
        const char *select, *row;
    } cases[] = {{"data", "a"},
                 {"_row_id", "10"},
                 {"_last_updated_sequence_number", "5"},
                 {LINEAGE, "10,5"},
                 {"_last_updated_sequence_number, data", "5,a"},
                 {"", ""}};
    const rwl_field fields[] = {CASE_ROW_ID("_row_id"), CASE_VERSION("_last_updated_sequence_number"),
                                CASE_FIELD("data", 1, STRING)};
    static const char *const files[] = {"a.avro", "a.parquet"};
    for (int f = 0; f < 2; f++) {
        const char *name = f == 0 ? "t" : "u";
        test_create(name, 3, "data string", NULL, NULL);
        case_advance(name, 7, 1000);
        case_append(name, files[f], fields, 3, "[[10, 5, 'a']]", 0);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            ck_assert_str_eq(case_rows(name, cases[i].select, NULL), cases[i].row);
    }
}
END_TEST

/* --- stored, null and absent --- */

/* Base 2000, number 34; the third row stores both, the fourth its id alone. */
START_TEST(ice_60_stored_values_win_and_nulls_inherit_in_both_formats) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("data", 2, STRING),
                                CASE_ROW_ID("_row_id"), CASE_VERSION("_last_updated_sequence_number")};
    static const char *const files[] = {"a.avro", "a.parquet"};
    for (int f = 0; f < 2; f++) {
        const char *name = f == 0 ? "t" : "u";
        test_create(name, 3, "id long, data string", NULL, NULL);
        case_advance(name, 34, 2000);
        case_append(name, files[f], fields, 4,
                    "[[1, 'a', null, null], [2, 'b', null, null], [3, 'c', 1000, 33], [4, 'd', 1001, null], "
                    "[5, 'e', null, null]]",
                    2);
        static const char rows_read[] = "1,a=2000/34 2,b=2001/34 3,c=1000/33 4,d=1001/34 5,e=2004/34";
        ck_assert_str_eq(test_rows(name), rows_read);
        ck_assert_str_eq(case_rows(name, "id", "_row_id between 1001 and 2000"), "1 4");
        ck_assert_str_eq(case_rows(name, "id", "_last_updated_sequence_number = 33"), "3");
        test_rewrite(name, NULL);
        ck_assert_str_eq(test_rows(name), rows_read);
    }
}
END_TEST

/* Batch b of n rows begins at 100 + b * n. */
START_TEST(ice_64_66_batches_of_absent_lineage_go_on_counting) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG)};
    static const char *const files[] = {"a.avro", "a.parquet"};
    for (int f = 0; f < 2; f++) {
        const char *name = f == 0 ? "t" : "u";
        test_create(name, 3, "id long", NULL, NULL);
        case_advance(name, 5, 100);
        case_append(name, files[f], fields, 1, "[[0], [1], [2], [3], [4], [5], [6]]", 0);
        ck_assert_str_eq(case_batches(name, LINEAGE, 3), "100,5 101,5 102,5 | 103,5 104,5 105,5 | 106,5");
    }
}
END_TEST

/* 5,000 rows, one version; a table without lineage gives nulls. The environment of the test counts what stays allocated. */
START_TEST(ice_67_the_version_is_the_same_in_every_row_and_null_without_a_base) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG)};
    const char *rows = "[[0]";
    rwl_buf text;
    create_at("id long", 42, 100);
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_buf_str(&text, rows, err));
    for (int i = 1; i < 5000; i++)
        ASSERT_OK(rwl_buf_printf(&text, err, ",[%d]", i));
    ASSERT_OK(rwl_buf_str(&text, "]", err));
    ASSERT_OK(rwl_buf_terminate(&text, err));
    case_append("t", "a.parquet", fields, 1, (const char *)text.data, 0);
    rwl_buf_clear(&text);
    const char *seen = case_rows("t", "_last_updated_sequence_number", NULL);
    ck_assert_uint_eq(strlen(seen), 5000 * 3 - 1);
    for (int i = 0; i < 5000; i++)
        ck_assert_int_eq(strncmp(seen + 3 * i, "42", 2), 0);
    test_create("old", 2, "id long", NULL, NULL);
    case_append("old", "a.parquet", fields, 1, "[[1], [2]]", 0);
    ck_assert_str_eq(case_rows("old", LINEAGE, NULL), "null,null null,null");
}
END_TEST

START_TEST(bug_004_version_2_has_no_lineage_even_where_a_file_stores_some) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("a", 2, STRING),
                                CASE_FIELD("b", 3, STRING)};
    test_create("t", 2, "id long, a string, b string", NULL, NULL);
    case_append("t", "a.parquet", fields, 3, "[[1, 'a1', 'b1']]", 0);
    ck_assert_str_eq(case_rows("t", "id, " LINEAGE, NULL), "1,null,null");
}
END_TEST

/* --- positions --- */

/* 1,500 rows in 15 row groups of 100. */
static void fifteen_row_groups(void) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG)};
    rwl_buf text;
    test_create("t", 3, "id long", NULL, NULL);
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    for (int i = 0; i < 1500; i++)
        ASSERT_OK(rwl_buf_printf(&text, err, "%s[%d]", i > 0 ? "," : "[", i));
    ASSERT_OK(rwl_buf_str(&text, "]", err));
    ASSERT_OK(rwl_buf_terminate(&text, err));
    case_append("t", "a.parquet", fields, 1, (const char *)text.data, 100);
    rwl_buf_clear(&text);
}

START_TEST(bug_007_ids_of_later_row_groups_are_not_shifted) {
    fifteen_row_groups();
    ck_assert_str_eq(case_rows("t", "id, _row_id", "id in (99, 100, 1499)"), "99,99 100,100 1499,1499");
    ck_assert_str_eq(case_rows("t", "id", "_row_id = 100"), "100");
    ck_assert_str_eq(case_rows("t", "id, _row_id", "_row_id >= 1498"), "1498,1498 1499,1499");
    ck_assert_str_eq(case_rows("t", "id", "_row_id > 1499"), "");
}
END_TEST

START_TEST(bug_009_rows_that_are_dropped_renumber_none) {
    test_create("t", 3, "id long", NULL, NULL);
    test_append("t", "{'id':0}\n{'id':1}\n{'id':2}\n{'id':3}\n{'id':4}");
    test_delete("t", "id in (1, 3)");
    ck_assert_str_eq(test_rows("t"), "0=0/1 2=2/1 4=4/1");
    ck_assert_str_eq(case_rows("t", "_row_id", "id > 1"), "2 4");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_rows("t"), "0=0/1 2=2/1 4=4/1");
}
END_TEST

START_TEST(bug_009_row_groups_that_are_pruned_renumber_none) {
    fifteen_row_groups();
    ck_assert_str_eq(case_rows("t", "_row_id", "id between 299 and 301"), "299 300 301");
    ck_assert_str_eq(case_rows("t", "_row_id", "id >= 1499"), "1499");
}
END_TEST

/* The batch that takes rows of the file without lineage columns held stored ids before. */
START_TEST(bug_010_generated_ids_take_the_place_of_what_a_batch_held) {
    const rwl_field stored[] = {CASE_FIELD("id", 1, LONG), CASE_ROW_ID("_row_id"),
                                CASE_VERSION("_last_updated_sequence_number")};
    create_at("id long", 9, 100);
    case_append("t", "old.parquet", stored, 1, "[[0], [1], [2], [3], [4]]", 0); /* ids 100 to 104 */
    case_append("t", "new.parquet", stored, 3, "[[5, 7, 3], [6, 7, 3], [7, 7, 3], [8, 7, 3], [9, 7, 3]]", 0);
    ck_assert_str_eq(case_rows("t", LINEAGE, "id < 5"), "100,9 101,9 102,9 103,9 104,9");
    ck_assert_str_eq(case_rows("t", LINEAGE, NULL), "7,3 7,3 7,3 7,3 7,3 100,9 101,9 102,9 103,9 104,9");
}
END_TEST

/* --- reserved ids --- */

START_TEST(bug_013_files_that_store_reserved_ids_are_read) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG), CASE_ROW_ID("_row_id"),
                                CASE_VERSION("_last_updated_sequence_number"),
                                CASE_FIELD("other", 2147483600, LONG), CASE_FIELD("gone", 77, LONG)};
    create_at("id long", 3, 50);
    case_append("t", "a.parquet", fields, 5, "[[1, 8, 2, 0, 0], [2, 9, 2, 0, 0]]", 0);
    rwl_table *t = test_open("t");
    int64_t count = 0;
    ASSERT_OK(rwl_table_count(t, test_op(), NULL, &count, err));
    test_close(t);
    ck_assert_int_eq(count, 2);
    ck_assert_str_eq(case_rows("t", "id", NULL), "1 2");
    ck_assert_str_eq(case_rows("t", NULL, NULL), "1 2");
    ck_assert_str_eq(case_rows("t", LINEAGE, NULL), "8,2 9,2");
}
END_TEST

START_TEST(bug_014_a_rewritten_file_stores_lineage_under_the_reserved_ids) {
    test_create("t", 3, "id long", NULL, NULL);
    test_append("t", "{'id':1}");
    test_append("t", "{'id':2}");
    test_rewrite("t", NULL);
    test_head head = test_read_head("t");
    rwl_table *t = test_open("t");
    rwl_parquet_file *file = NULL;
    const rwl_data_file *f = &test_live(&head, 0)->file;
    ASSERT_OK(rwl_parquet_open(t->store, test_op(), f->file_path, f->file_size, &file, err));
    ck_assert_int_eq(rwl_parquet_leaf_by_name(file, "_row_id")->field.id, 2147483540);
    ck_assert_int_eq(rwl_parquet_leaf_by_name(file, "_last_updated_sequence_number")->field.id, 2147483539);
    rwl_parquet_close(file);
    test_close(t);
}
END_TEST

/* 2147483543 and 542 are change type and ordinal; a name alone makes no lineage either. */
START_TEST(bug_014_other_ids_and_names_are_no_lineage) {
    const rwl_field changes[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("_row_id", 2147483543, LONG),
                                 CASE_FIELD("_last_updated_sequence_number", 2147483542, LONG)};
    const rwl_field named[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("_row_id", 5, LONG)};
    create_at("id long", 4, 20);
    case_append("t", "a.parquet", changes, 3, "[[1, 8, 2]]", 0);
    ck_assert_str_eq(test_rows("t"), "1=20/4");
    case_append("t", "b.avro", named, 2, "[[2, 8]]", 0);
    ck_assert_str_eq(test_rows("t"), "2=21/5 1=20/4");
}
END_TEST

Suite *suite_lineage_cases(void) {
    const TTest *const tests[] = {
        bug_001_versions_are_data_sequence_numbers_not_file_ones,
        bug_005_tasks_sent_as_text_carry_ids_and_versions,
        bug_002_ice_61_avro_rows_without_lineage_columns_count_from_the_base,
        bug_002_ice_62_a_null_in_avro_inherits_by_its_position,
        bug_003_ice_63_stored_lineage_is_passed_over_when_it_is_not_asked_for,
        ice_60_stored_values_win_and_nulls_inherit_in_both_formats,
        ice_64_66_batches_of_absent_lineage_go_on_counting,
        ice_67_the_version_is_the_same_in_every_row_and_null_without_a_base,
        bug_004_version_2_has_no_lineage_even_where_a_file_stores_some,
        bug_007_ids_of_later_row_groups_are_not_shifted,
        bug_009_rows_that_are_dropped_renumber_none,
        bug_009_row_groups_that_are_pruned_renumber_none,
        bug_010_generated_ids_take_the_place_of_what_a_batch_held,
        bug_013_files_that_store_reserved_ids_are_read,
        bug_014_a_rewritten_file_stores_lineage_under_the_reserved_ids,
        bug_014_other_ids_and_names_are_no_lineage,
    };
    return TEST_SUITE("lineage cases", tests);
}
