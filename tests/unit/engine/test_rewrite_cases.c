/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered cases of rewrites that need no other writer but the ones before. */
#include "engine_test.h"
#include "suites.h"

static const char columns[] = "id long not null, name string";

/* v3: (3,c), (1,a), (2,b) get ids 0, 1, 2. */
START_TEST(bug_033_sorted_rewrites_carry_both_columns) {
    static const char *const rows = "1,a=1/1 2,b=2/1 3,c=0/1";
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':3,'name':'c'}\n{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    for (int i = 0; i < 2; i++) {
        rwl_rewrite_options o = {
            .rewrite_all = true, .sort = "id", .target_bytes = test_target(test_bytes("t"), 2)};
        test_rewritten out = test_rewrite("t", &o);
        ck_assert_int_eq(out.commit.result.added_data_files, 2); /* at most two rows in each */
        ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    }
    rwl_commit_outcome out = test_append("t", "{'id':4,'name':'d'}");
    ck_assert_int_eq(out.result.first_row_id, 3);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=1/1 2,b=2/1 3,c=0/1 4,d=3/4");
}
END_TEST

/* Every way a rewrite goes: stitched, sorted, to another target, with fresh ranges. */
START_TEST(bug_035_bug_036_every_path_keeps_rows_what_they_were) {
    static const rwl_rewrite_options ways[] = {{.rewrite_all = true},
                                               {.rewrite_all = true, .sort = "name desc"},
                                               {.rewrite_all = true, .no_pin = true},
                                               {.rewrite_all = true, .max_commits = 2}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *name = rwl_arena_printf(test_arena(), "t%zu", i);
        test_create(name, 3, columns, NULL, NULL);
        for (int id = 0; id < 4; id++)
            test_append(name, rwl_arena_printf(test_arena(), "{'id':%d,'name':'n%d'}", id, id));
        test_rewritten out = test_rewrite(name, &ways[i]);
        ck_assert_int_eq(out.commit.result.removed_data_files, 4);
        test_head head = test_read_head(name);
        ck_assert_str_eq(head.operation, "replace");
        ck_assert_int_eq(head.data_files, 1);
        ck_assert_str_eq(test_sorted(test_rows(name)), "0,n0=0/1 1,n1=1/2 2,n2=2/3 3,n3=3/4");
    }
}
END_TEST

START_TEST(ice_84_rows_of_one_commit_keep_one_number) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    test_append("t", "{'id':2,'name':'b'}");
    test_append("t", "{'id':3,'name':'c'}\n{'id':4,'name':'d'}");
    test_rewrite("t", NULL);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2 3,c=2/3 4,d=3/3");
}
END_TEST

START_TEST(ice_85_partitions_keep_theirs) {
    test_create("t", 3, columns, "name", NULL);
    for (int id = 1; id <= 4; id++)
        test_append("t", rwl_arena_printf(test_arena(), "{'id':%d,'name':'p%d'}", id, (id + 1) / 2));
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_eq(out.commit.result.removed_data_files, 4);
    ck_assert_int_eq(out.commit.result.added_data_files, 2);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,p1=0/1 2,p1=1/2 3,p2=2/3 4,p2=3/4");
}
END_TEST

/* A and B of one commit, each with a vector of one row; A is rewritten. */
START_TEST(ice_97_bug_118_what_stays_is_existing_and_what_goes_is_deleted) {
    test_create("t", 3, columns, "name", NULL);
    int64_t first =
        test_append("t", "{'id':1,'name':'A'}\n{'id':2,'name':'A'}\n{'id':3,'name':'B'}\n{'id':4,'name':'B'}")
            .result.snapshot_id;
    test_delete("t", "id = 1 or id = 3");
    rwl_rewrite_options o = {.rewrite_all = true, .where = "name = 'A'"};
    test_rewritten out = test_rewrite("t", &o);
    test_head head = test_read_head("t");
    int deletes = 0, data = 0;
    for (int32_t i = 0; i < head.entry_count; i++) {
        const rwl_manifest_entry *e = &head.entries[i];
        bool of_a = e->file.partition[0].as.bytes.data[0] == 'A';
        if (e->file.content != RWL_CONTENT_DATA) {
            ck_assert_int_eq((int)e->status, of_a ? RWL_STATUS_DELETED : RWL_STATUS_EXISTING);
            ck_assert_int_eq(e->sequence_number, 2);
            deletes++;
        } else if (!of_a) {
            ck_assert_int_eq((int)e->status, RWL_STATUS_EXISTING);
            ck_assert_int_eq(e->snapshot_id, first);
            ck_assert_int_eq(e->sequence_number, 1);
            ck_assert_int_eq(e->file_sequence_number, 1);
            data++;
        } else if (e->status == RWL_STATUS_DELETED) {
            ck_assert_int_eq(e->snapshot_id, out.commit.result.snapshot_id);
            data++;
        }
    }
    ck_assert_int_eq(deletes, 2);
    ck_assert_int_eq(data, 2);
    ck_assert_str_eq(test_sorted(test_rows("t")), "2,A=1/1 4,B=3/1");
}
END_TEST

/* One position delete file of three rows, its commit without counters: figures come from manifests. */
START_TEST(bug_243_a_delete_file_of_several_rows_is_one_file) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':0,'name':'a'}\n{'id':1,'name':'b'}\n{'id':2,'name':'c'}\n{'id':3,'name':'d'}");
    rwl_table *t = test_open("t");
    test_head head = test_read_head("t");
    const char *path = test_live(&head, 0)->file.file_path, *paths[] = {path, path, path};
    static const int64_t positions[] = {0, 1, 3};
    rwl_data_file d = test_position_deletes(t, "d.parquet", paths, positions, 3);
    rwl_manifest lines[] = {head.manifests[0], test_manifest(t, 1, &d, 1)};
    test_put_snapshot(t, lines, 2, "delete", NULL, 0);
    test_close(t);
    rwl_rewrite_options o = {.change.dry_run = true};
    test_rewritten dry = test_rewrite("t", &o), out = test_rewrite("t", &(rwl_rewrite_options){0});
    ck_assert_int_eq(dry.commit.result.removed_delete_files, 1);
    ck_assert_int_eq(out.commit.result.removed_delete_files, 1);
    ck_assert_int_eq(out.commit.result.added_records, 1);
    head = test_read_head("t");
    ck_assert_int_eq(test_figure(&head, "removed-position-deletes"), 3);
    ck_assert_str_eq(test_values("t", "id"), "2");
}
END_TEST

Suite *suite_rewrite_cases(void) {
    const TTest *const tests[] = {
        bug_033_sorted_rewrites_carry_both_columns,
        bug_035_bug_036_every_path_keeps_rows_what_they_were,
        ice_84_rows_of_one_commit_keep_one_number,
        ice_85_partitions_keep_theirs,
        ice_97_bug_118_what_stays_is_existing_and_what_goes_is_deleted,
        bug_243_a_delete_file_of_several_rows_is_one_file,
    };
    return TEST_SUITE("rewrite cases", tests);
}
