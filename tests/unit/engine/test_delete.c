/* SPDX-License-Identifier: Apache-2.0 */
/* Deleting rows by vectors. */
#include "engine_test.h"
#include "suites.h"

#include <stdio.h>

static const char columns[] = "id long not null, name string";

/* ids 0..2 at sequence 1, 3..5 at sequence 2 */
static void make_table(void) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3}");
    test_append("t", "{'id':4,'name':'a'}\n{'id':5,'name':'b'}\n{'id':6}");
}

START_TEST(rows_that_satisfy_the_filter_go) {
    static const struct {
        const char *where, *left;
    } cases[] = {
        {"id = 2", "1,a=0/1 3,null=2/1 4,a=3/2 5,b=4/2 6,null=5/2"},
        {"name = 'a'", "2,b=1/1 3,null=2/1 5,b=4/2 6,null=5/2"},
        {"name <> 'a'", "1,a=0/1 3,null=2/1 4,a=3/2 6,null=5/2"}, /* null is not unequal: unknown */
        {"name is null", "1,a=0/1 2,b=1/1 4,a=3/2 5,b=4/2"},
        {"_row_id in (0, 5)", "2,b=1/1 3,null=2/1 4,a=3/2 5,b=4/2"},
        {"_last_updated_sequence_number = 2 and name is not null", "1,a=0/1 2,b=1/1 3,null=2/1 6,null=5/2"},
        {"_pos = 1", "1,a=0/1 3,null=2/1 4,a=3/2 6,null=5/2"},
        {"id <= 3", "4,a=3/2 5,b=4/2 6,null=5/2"},
        {"id between 1 and 6", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_table();
        rwl_commit_outcome out = test_delete("t", cases[i].where);
        ck_assert_msg(strcmp(test_sorted(test_rows("t")), cases[i].left) == 0, "%s: %s", cases[i].where,
                      test_rows("t"));
        ck_assert_int_eq(out.result.added_rows, 0);
        test_head head = test_read_head("t");
        ck_assert_str_eq(head.operation, "delete");
        ck_assert_int_eq(head.next_row_id, 6);
        ck_assert_int_eq(rename(test_path("t"), test_path(rwl_arena_printf(test_arena(), "t%zu", i))), 0);
    }
}
END_TEST

START_TEST(nothing_matched_commits_nothing) {
    make_table();
    const char *before = test_listing("t");
    rwl_commit_outcome out = test_delete("t", "id = 100 or name = 'zzz'");
    ck_assert_int_eq(out.result.snapshot_id, -1);
    ck_assert_str_eq(test_listing("t"), before);
    test_delete("t", "id = 2");
    before = test_listing("t");
    out = test_delete("t", "id = 2"); /* it is gone already */
    ck_assert_int_eq(out.result.snapshot_id, -1);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(the_last_row_commits_too) {
    make_table();
    rwl_commit_outcome out = test_delete("t", "id > 0");
    ck_assert_int_ge(out.result.snapshot_id, 0);
    ck_assert_int_eq(out.result.removed_data_files, 2);
    ck_assert_int_eq(out.result.added_delete_files, 0);
    ck_assert_str_eq(test_rows("t"), "");
    ck_assert_ptr_null(strstr(test_listing("t"), ".puffin"));
    test_append("t", "{'id':7}");
    ck_assert_str_eq(test_rows("t"), "7,null=6/4"); /* ids are never given again */
}
END_TEST

START_TEST(a_dry_run_tells_the_figures_and_changes_nothing) {
    make_table();
    test_delete("t", "id = 1");
    const char *before = test_listing("t");
    rwl_table *t = test_open("t");
    rwl_change_options options = {.dry_run = true};
    rwl_commit_outcome dry;
    ASSERT_OK(rwl_delete(t, test_op(), "id = 2 or id >= 4", &options, &dry, err));
    ck_assert_int_eq(dry.result.snapshot_id, -1);
    ck_assert_str_eq(test_listing("t"), before);
    rwl_input *input = NULL;
    rwl_commit_outcome added;
    ASSERT_OK(rwl_input_open_jsonl(test_op(), test_write("in.jsonl", "{'id':8}\n{'id':9}"), t->schema, &input,
                                   err));
    ASSERT_OK(rwl_append(t, test_op(), &input, 1, &options, &added, err));
    rwl_input_close(input);
    test_close(t);
    ck_assert_int_eq(added.result.added_records, 2);
    ck_assert_int_eq(added.result.first_row_id, 6);
    ck_assert_int_eq(added.result.next_row_id, 8);
    ck_assert_int_eq(added.result.snapshot_id, -1);
    ck_assert_str_eq(test_listing("t"), before);
    rwl_commit_outcome real = test_delete("t", "id = 2 or id >= 4");
    ck_assert_int_eq(dry.result.removed_data_files, real.result.removed_data_files);
    ck_assert_int_eq(dry.result.added_delete_files, real.result.added_delete_files);
    ck_assert_int_eq(dry.result.removed_delete_files, real.result.removed_delete_files);
    ck_assert_int_eq(dry.result.removed_records, real.result.removed_records);
}
END_TEST

START_TEST(older_versions_are_refused_naming_the_upgrade) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1}");
    const char *before = test_listing("t");
    rwl_table *t = test_open("t");
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_UNSUPPORTED, "rowline upgrade", rwl_delete(t, test_op(), "id = 1", &options, &out, err));
    test_close(t);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(wrong_filters_are_told) {
    make_table();
    rwl_table *t = test_open("t");
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_USAGE, "nope", rwl_delete(t, test_op(), "nope = 1", &options, &out, err));
    ASSERT_FAILS(RWL_USAGE, "", rwl_delete(t, test_op(), "id = ", &options, &out, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "upper",
                 rwl_delete(t, test_op(), "upper(name) = 'A'", &options, &out, err));
    test_close(t);
}
END_TEST

START_TEST(an_empty_table_has_nothing_to_delete) {
    test_create("t", 3, columns, NULL, NULL);
    rwl_commit_outcome out = test_delete("t", "id = 1");
    ck_assert_int_eq(out.result.snapshot_id, -1);
}
END_TEST

START_TEST(all_vectors_of_a_delete_lie_in_one_file) {
    test_create("t", 3, columns, "name", NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'a'}\n{'id':4,'name':'b'}\n{'"
                     "id':5,'name':null}\n{'id':6,'name':null}");
    test_delete("t", "id in (1, 2, 5)");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.delete_files, 3);
    const char *path = NULL;
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_data_file *f = &head.entries[i].file;
        if (f->content == RWL_CONTENT_DATA)
            continue;
        ck_assert(path == NULL || strcmp(path, f->file_path) == 0);
        path = f->file_path;
        ck_assert_str_eq(f->file_format, "PUFFIN");
        ck_assert_int_eq(f->record_count, 1);
        ck_assert_ptr_nonnull(f->referenced_data_file);
    }
    ck_assert_str_eq(test_sorted(test_values("t", NULL)), "3,a 4,b 6,null");
}
END_TEST

Suite *suite_delete(void) {
    const TTest *const tests[] = {
        rows_that_satisfy_the_filter_go,
        nothing_matched_commits_nothing,
        the_last_row_commits_too,
        a_dry_run_tells_the_figures_and_changes_nothing,
        older_versions_are_refused_naming_the_upgrade,
        wrong_filters_are_told,
        an_empty_table_has_nothing_to_delete,
        all_vectors_of_a_delete_lie_in_one_file,
    };
    return TEST_SUITE("delete", tests);
}
