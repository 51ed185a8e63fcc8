/* SPDX-License-Identifier: Apache-2.0 */
/* What a status says of tables whose files nobody reads. */
#include "engine_test.h"
#include "suites.h"

#include "engine/status.h"

static rwl_table_status read_status(const char *name) {
    rwl_table *t = test_open(name);
    rwl_table_status s;
    ASSERT_OK(rwl_table_status_read(t, test_op(), &s, err));
    test_close(t);
    return s;
}

/* The caution with these words is there, or is not. */
static void check_caution(const rwl_table_status *s, const char *words, bool there) {
    ck_assert_msg((strstr(s->cautions, words) != NULL) == there, "'%s' in %s", words, s->cautions);
}

/* The newest metadata with one text replaced, as the next version. */
static void edit_metadata(const char *name, const char *from, const char *to) {
    rwl_table *t = test_open(name);
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(t->metadata->json, 0, &text, err));
    ASSERT_OK(rwl_buf_terminate(&text, err));
    const char *at = strstr((const char *)text.data, from);
    ck_assert_msg(at != NULL, "%s is not in %s", from, (const char *)text.data);
    const char *edited = rwl_arena_printf(test_arena(), "%.*s%s%s", (int)(at - (const char *)text.data),
                                          (const char *)text.data, to, at + strlen(from));
    const char *location;
    ASSERT_OK(rwl_place_swap(&t->place, test_op(), t->version + 1, rwl_span_str(edited), false, test_arena(),
                             &location, err));
    rwl_buf_clear(&text);
    test_close(t);
}

/*
 * 20 partitions of 100 files of 10,000,000 bytes and 50 rows. A group is 1,000,000,000 bytes: one file of 536,870,912 and
 * 463,129,088 that are more than 75 % of a target, so two files (reference/iceberg.md 4.5).
 */
START_TEST(small_files_and_what_is_due_are_counted_by_the_rules_of_a_rewrite) {
    enum { PARTITIONS = 20, FILES = 100 };
    static rwl_value partitions[PARTITIONS];
    static rwl_added_file files[PARTITIONS * FILES + 1];
    test_create("t", 3, "id int, p int", "p", NULL);
    for (int i = 0; i < PARTITIONS * FILES; i++) {
        partitions[i / FILES] = (rwl_value){.kind = RWL_TYPE_INT, .as.i32 = i / FILES};
        files[i] = test_fake_file(rwl_arena_printf(test_arena(), "f%d.parquet", i), 10000000, 50,
                                  &partitions[i / FILES]);
    }
    files[PARTITIONS * FILES] = test_fake_file("large.parquet", 402653184, 7, &partitions[0]); /* just 75 % */
    test_append_fakes("t", files, PARTITIONS * FILES + 1);
    rwl_table_status s = read_status("t");
    ck_assert_int_eq(s.data_files, 2001);
    ck_assert_int_eq(s.rows, 100007);
    ck_assert_int_eq(s.bytes, INT64_C(20402653184));
    ck_assert_int_eq(s.small_limit, 402653184);
    ck_assert_int_eq(s.small_files, 2000);
    ck_assert_int_eq(s.small_bytes, INT64_C(20000000000));
    ck_assert_int_eq(s.small_partitions, 20);
    ck_assert_int_eq(s.due_groups, 20);
    ck_assert_int_eq(s.due_files, 2000);
    ck_assert_int_eq(s.due_expected_files, 40);
    ck_assert(s.is_exact && s.lineage_complete && !s.assignment_due);
    ck_assert_str_eq(s.due,
                     "[{\"what\": \"compact\", \"groups\": 20, \"files\": 2000, \"bytes\": 20000000000, "
                     "\"expected_files\": 40}]");
    ck_assert_str_eq(s.cautions, "[]");
    rwl_table_status_clear(&s);
}
END_TEST

START_TEST(a_target_of_the_table_is_its_own) {
    test_create("t", 3, "id int", NULL, NULL);
    rwl_added_file file = test_fake_file("f.parquet", 700, 10, NULL);
    test_append_fakes("t", &file, 1);
    edit_metadata("t", "\"properties\": {", "\"properties\": {\"write.target-file-size-bytes\":\"800\",");
    rwl_table_status s = read_status("t");
    ck_assert_int_eq(s.small_limit, 600);
    ck_assert_int_eq(s.small_files, 0);
    rwl_table_status_clear(&s);
    edit_metadata("t", "\"800\"", "\"9223372036854775807\""); /* no file is too large */
    s = read_status("t");
    ck_assert_int_eq(s.small_files, 1);
    ck_assert_int_eq(s.due_groups, 0);
    rwl_table_status_clear(&s);
}
END_TEST

/* --- deletes --- */

/* A v2 table of files a (100 rows) and b (50), with these position delete files over both. */
static rwl_table_status with_deletes(const rwl_data_file *deletes, int32_t count) {
    rwl_table *t = test_open("t");
    rwl_manifest_list list;
    memset(&list, 0, sizeof list);
    ASSERT_OK(rwl_manifest_list_read(t->store, test_op(), t->snapshot, &list, err));
    rwl_manifest manifests[2] = {list.items[0], test_manifest(t, 1, deletes, count)};
    test_put_snapshot(t, manifests, 2, "delete", "other", 0);
    rwl_manifest_list_clear(&list);
    test_close(t);
    return read_status("t");
}

static const char *data_path(const char *name) {
    return rwl_arena_printf(test_arena(), "%s/data/%s", test_path("t"), name);
}

static void two_files(void) {
    test_create("t", 2, "id int", NULL, NULL);
    rwl_added_file files[] = {test_fake_file(data_path("a.parquet"), 1000, 100, NULL),
                              test_fake_file(data_path("b.parquet"), 1000, 50, NULL)};
    test_append_fakes("t", files, 2);
}

START_TEST(one_position_delete_file_of_a_file_is_exact) {
    two_files();
    const char *a = data_path("a.parquet");
    const char *const paths[] = {a, a, a};
    const int64_t positions[] = {1, 2, 3};
    rwl_table *t = test_open("t");
    rwl_data_file f = test_position_deletes(t, "d1.parquet", paths, positions, 3);
    test_close(t);
    rwl_table_status s = with_deletes(&f, 1);
    ck_assert_int_eq(s.rows, 147); /* 150 - 3 */
    ck_assert_int_eq(s.deleted_rows, 3);
    ck_assert_int_eq(s.position_files, 1);
    ck_assert(s.is_exact);
    check_caution(&s, "upper bound", false);
    ck_assert(!s.lineage_complete); /* v2 */
    ck_assert_int_eq(s.rows_without_lineage, 147);
    ck_assert(!s.assignment_due);
    rwl_table_status_clear(&s);
}
END_TEST

/* Two files may name the same positions: at most 150 - max(3, 2) rows are left. */
START_TEST(two_position_delete_files_of_a_file_make_a_bound) {
    two_files();
    const char *a = data_path("a.parquet");
    const char *const paths[] = {a, a, a};
    const int64_t positions[] = {1, 2, 3};
    rwl_table *t = test_open("t");
    rwl_data_file f[] = {test_position_deletes(t, "d1.parquet", paths, positions, 3),
                         test_position_deletes(t, "d2.parquet", paths, positions, 2)};
    test_close(t);
    rwl_table_status s = with_deletes(f, 2);
    ck_assert_int_eq(s.rows, 147);
    ck_assert(!s.is_exact);
    check_caution(&s, "2 position delete files", true);
    check_caution(&s, "upper bound", true);
    rwl_table_status_clear(&s);
}
END_TEST

START_TEST(position_deletes_of_several_files_make_a_bound) {
    two_files();
    const char *const paths[] = {data_path("a.parquet"), data_path("b.parquet")};
    const int64_t positions[] = {1, 2};
    rwl_table *t = test_open("t");
    rwl_data_file f = test_position_deletes(t, "d.parquet", paths, positions, 2);
    test_close(t);
    rwl_table_status s = with_deletes(&f, 1);
    ck_assert_int_eq(s.rows, 150);
    ck_assert_int_eq(s.deleted_rows, 0);
    ck_assert(!s.is_exact);
    check_caution(&s, "upper bound", true);
    rwl_table_status_clear(&s);
}
END_TEST

/* --- cautions --- */

START_TEST(other_writers_branches_and_transforms_are_said) {
    test_create("t", 3, "id int, s string", "truncate(2, s)", NULL);
    rwl_table *t = test_open("t");
    test_put_snapshot(t, NULL, 0, "append", "spark", 0);
    int64_t id = t->snapshot->snapshot_id;
    test_close(t);
    rwl_table_status s = read_status("t");
    check_caution(&s, "other engines write here too", true);
    check_caution(&s, "branch", false);
    ck_assert_str_eq(s.writers, "[{\"name\": \"spark\", \"version\": null, \"snapshots\": 1}]");
    rwl_table_status_clear(&s);
    edit_metadata("t", "\"transform\": \"truncate[2]\"", "\"transform\": \"zorder\"");
    edit_metadata("t", "\"refs\": {",
                  rwl_arena_printf(test_arena(),
                                   "\"refs\": {\"dev\":{\"snapshot-id\":%lld,\"type\":\"branch\"},",
                                   (long long)id));
    s = read_status("t");
    check_caution(&s, "partition field s_trunc has the unknown transform zorder", true);
    check_caution(&s, "branch dev", false); /* its head has ids */
    rwl_table_status_clear(&s);
    edit_metadata("t", ", \"first-row-id\": 0, \"added-rows\": 0", "");
    s = read_status("t");
    check_caution(&s, "branch dev has a head without row ids", true);
    rwl_table_status_clear(&s);
}
END_TEST

/* The summary claims 999 records, the manifest has 10. */
START_TEST(bug_183_counts_are_those_of_the_manifests) {
    test_create("t", 3, "id int", NULL, NULL);
    rwl_added_file file = test_fake_file("f.parquet", 700, 10, NULL);
    test_append_fakes("t", &file, 1);
    edit_metadata("t", "\"total-records\": \"10\"", "\"total-records\": \"999\"");
    rwl_table_status s = read_status("t");
    ck_assert_int_eq(s.rows, 10);
    check_caution(&s, "says total-records 999, its manifests have 10", true);
    check_caution(&s, "total-data-files", false);
    rwl_table_status_clear(&s);
}
END_TEST

START_TEST(a_head_without_ids_is_due_for_them) {
    test_create("t", 2, "id int", NULL, NULL);
    rwl_added_file file = test_fake_file("f.parquet", 700, 10, NULL);
    test_append_fakes("t", &file, 1);
    edit_metadata("t", "\"format-version\": 2", "\"format-version\":3,\"next-row-id\":0");
    rwl_table_status s = read_status("t");
    ck_assert(s.assignment_due && !s.lineage_complete);
    ck_assert_str_eq(s.due, "[{\"what\": \"assign\", \"files\": 1, \"rows\": 10}]");
    rwl_table_status_clear(&s);
}
END_TEST

START_TEST(an_empty_table_has_nothing_due) {
    test_create("t", 3, "id int", NULL, NULL);
    rwl_table_status s = read_status("t");
    ck_assert_int_eq(s.rows, 0);
    ck_assert(s.is_exact && s.lineage_complete && !s.assignment_due);
    ck_assert_str_eq(s.due, "[]");
    ck_assert_str_eq(s.writers, "[]");
    ck_assert_str_eq(s.cautions, "[]");
    rwl_table_status_clear(&s);
}
END_TEST

Suite *suite_status(void) {
    const TTest *const tests[] = {small_files_and_what_is_due_are_counted_by_the_rules_of_a_rewrite,
                                  a_target_of_the_table_is_its_own,
                                  one_position_delete_file_of_a_file_is_exact,
                                  two_position_delete_files_of_a_file_make_a_bound,
                                  position_deletes_of_several_files_make_a_bound,
                                  other_writers_branches_and_transforms_are_said,
                                  bug_183_counts_are_those_of_the_manifests,
                                  a_head_without_ids_is_due_for_them,
                                  an_empty_table_has_nothing_due};
    return TEST_SUITE("status", tests);
}
