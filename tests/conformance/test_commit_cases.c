/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites beside other commits: BUG-207 to 216. A handle opened before another commit is the plan that the other one overtakes. */
#include "case_table.h"
#include "suites.h"

static const char columns[] = "id long not null, name string";

static rwl_status rewrite_planned(rwl_table *planned, rwl_error *err) {
    const rwl_rewrite_options all = {.rewrite_all = true};
    test_rewritten out;
    rwl_status st = rwl_rewrite(planned, test_op(), &all, &out.commit, &out.rewrite, err);
    test_close(planned);
    return st;
}

static int64_t count_rows(const char *name) {
    rwl_table *t = test_open(name);
    int64_t count = -1;
    ASSERT_OK(rwl_table_count(t, test_op(), NULL, &count, err));
    test_close(t);
    return count;
}

/* One file of ids 1 to 100, and a rewrite of it that is planned. */
static rwl_table *plan_of_a_hundred(void) {
    const char *lines = "";
    for (int i = 1; i <= 100; i++)
        lines = rwl_arena_printf(test_arena(), "%s{'id':%d}\n", lines, i);
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", lines);
    return test_open("t");
}

START_TEST(bug_207_a_delete_after_the_plan_is_a_conflict) {
    rwl_table *planned = plan_of_a_hundred();
    test_delete("t", "id = 42");
    ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file", rewrite_planned(planned, err));
    ck_assert_int_eq(count_rows("t"), 99);
    test_rewrite("t", NULL);
    ck_assert_int_eq(count_rows("t"), 99);
    ck_assert_str_eq(case_rows("t", "_row_id", "id between 41 and 43"), "40 42");
}
END_TEST

/* An update by another writer: a vector on the old file, and a new one whose row stores the old id. */
START_TEST(bug_207_an_update_after_the_plan_is_a_conflict) {
    const rwl_field fields[] = {CASE_FIELD("id", 1, LONG), CASE_FIELD("name", 2, STRING),
                                CASE_ROW_ID("_row_id")};
    rwl_table *planned = plan_of_a_hundred();
    test_delete("t", "id = 42");
    case_append("t", "new.parquet", fields, 3, "[[42, 'new', 41]]", 0);
    ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file", rewrite_planned(planned, err));
    test_rewrite("t", NULL);
    ck_assert_int_eq(count_rows("t"), 100);
    ck_assert_str_eq(case_rows("t", "name, _row_id, _last_updated_sequence_number", "id = 42"), "new,41,3");
}
END_TEST

START_TEST(bug_208_a_delete_newer_than_the_plan_is_not_retired) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    rwl_table *planned = test_open("t");
    test_delete("t", "id = 2");
    const char *files = test_listing("t");
    ASSERT_FAILS(RWL_CONFLICT, "", rewrite_planned(planned, err));
    ck_assert_str_eq(test_listing("t"), files);
    ck_assert_int_eq(test_read_head("t").delete_files, 1);
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 3,null=2/1");
    ck_assert_int_eq(test_read_head("t").delete_files, 0);
}
END_TEST

/* The head lists f as DELETED: that is no file to delete of. */
START_TEST(bug_209_a_deleted_entry_is_no_file_that_is_there) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}\n{'id':3}");
    rwl_table *planned = test_open("t");
    test_rewrite("t", NULL);
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_CONFLICT, "", rwl_delete(planned, test_op(), "id = 2", &options, &out, err));
    test_close(planned);
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 2,null=1/1 3,null=2/1");
    test_delete("t", "id = 2");
    ck_assert_str_eq(test_rows("t"), "1,null=0/1 3,null=2/1");
}
END_TEST

START_TEST(bug_213_a_rewrite_removes_no_file_of_the_snapshots_before) {
    test_create("t", 3, columns, NULL, NULL);
    int64_t first = test_append("t", "{'id':1}\n{'id':2}\n{'id':3}").result.snapshot_id;
    int64_t second = test_delete("t", "id = 1").result.snapshot_id;
    const char *before = test_listing("t");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_values("t", "id"), "2 3");
    ck_assert_str_eq(test_values(rwl_arena_printf(test_arena(), "t@%lld", (long long)first), "id"), "1 2 3");
    ck_assert_str_eq(test_values(rwl_arena_printf(test_arena(), "t@%lld", (long long)second), "id"), "2 3");
    /* every file of before is still there */
    char *copy = rwl_arena_strdup(test_arena(), before), *state = NULL;
    for (char *path = strtok_r(copy, " ", &state); path != NULL; path = strtok_r(NULL, " ", &state))
        ck_assert_msg(strstr(test_listing("t"), path) != NULL, "%s is gone", path);
}
END_TEST

START_TEST(bug_215_a_rewrite_removes_the_files_it_read_and_no_others) {
    static const char *const partitions[] = {"a", "b", "c"};
    test_create("t", 3, columns, "name", NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    for (int i = 0; i < 3; i++) {
        rwl_rewrite_options o = {.rewrite_all = true,
                                 .where = rwl_arena_printf(test_arena(), "name = '%s'", partitions[i])};
        test_rewritten out = test_rewrite("t", &o);
        ck_assert_int_eq(out.commit.result.removed_data_files, 1);
        ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/1 3,c=2/1");
    }
    ck_assert_int_eq(test_read_head("t").data_files, 3);
}
END_TEST

START_TEST(bug_216_files_to_retire_are_those_of_the_plan) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1}\n{'id':2}");
    rwl_table *planned = test_open("t");
    test_append("t", "{'id':3}");
    ASSERT_OK(rewrite_planned(planned, err));
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,null=0/1 2,null=1/1 3,null=2/2");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 2);
    ck_assert_int_eq(test_figure(&head, "deleted-data-files"), 1);
}
END_TEST

Suite *suite_commit_cases(void) {
    const TTest *const tests[] = {
        bug_207_a_delete_after_the_plan_is_a_conflict,
        bug_207_an_update_after_the_plan_is_a_conflict,
        bug_208_a_delete_newer_than_the_plan_is_not_retired,
        bug_209_a_deleted_entry_is_no_file_that_is_there,
        bug_213_a_rewrite_removes_no_file_of_the_snapshots_before,
        bug_215_a_rewrite_removes_the_files_it_read_and_no_others,
        bug_216_files_to_retire_are_those_of_the_plan,
    };
    return TEST_SUITE("commit cases", tests);
}
