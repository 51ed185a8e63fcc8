/* SPDX-License-Identifier: Apache-2.0 */
/* Counting, deleting and rewriting where other writers have deleted rows by equality. */
#include "engine_test.h"
#include "suites.h"

/* ids 0 to 4; 2 and 4 deleted by equality, and 9, which is not there yet */
static void make_table(void) {
    const int64_t gone[] = {2, 4, 9};
    test_create("t", 3, "id long, name string", NULL, NULL);
    test_append("t", "{'id':0,'name':'a'}\n{'id':1,'name':'b'}\n{'id':2,'name':'c'}\n{'id':3,'name':'d'}\n"
                     "{'id':4,'name':'e'}");
    test_delete_by_equality("t", "eq.parquet", gone, 3);
}

static int64_t count_rows(const char *where) {
    rwl_table *t = test_open("t");
    int64_t count = -1;
    ASSERT_OK(rwl_table_count(t, test_op(), where, &count, err));
    test_close(t);
    return count;
}

START_TEST(bug_184_a_count_leaves_out_rows_deleted_by_equality) {
    make_table();
    ck_assert_int_eq(count_rows(NULL), 3); /* 5 rows, 2 deleted */
    ck_assert_int_eq(count_rows("id >= 2"), 1);
    ck_assert_str_eq(test_rows("t"), "0,a=0/1 1,b=1/1 3,d=3/1");
    rwl_table *t = test_open("t");
    rwl_digest digest;
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &digest, err));
    ck_assert_int_eq(digest.rows, 3);
    test_close(t);
}
END_TEST

START_TEST(bug_077_rows_added_since_stay) {
    make_table();
    test_append("t", "{'id':9,'name':'new'}");
    ck_assert_str_eq(test_rows("t"), "9,new=5/3 0,a=0/1 1,b=1/1 3,d=3/1");
    ck_assert_int_eq(count_rows(NULL), 4);
}
END_TEST

START_TEST(a_vector_leaves_rows_to_the_equality_deletes_that_have_them) {
    make_table();
    rwl_commit_outcome out = test_delete("t", "id >= 3"); /* 3 and 4; 4 is gone already */
    ck_assert_int_eq(out.deleted_rows, 1);
    ck_assert_str_eq(test_rows("t"), "0,a=0/1 1,b=1/1");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.delete_files, 2);
    for (int32_t i = 0; i < head.entry_count; i++)
        if (head.entries[i].file.referenced_data_file != NULL)
            ck_assert_int_eq(head.entries[i].file.record_count, 1);
    out = test_delete("t", "id <= 1"); /* now nothing is left, so the file goes, and the vector with it */
    ck_assert_int_eq(out.deleted_rows, 2);
    head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 0);
    ck_assert_int_eq(head.delete_files, 1);
    ck_assert_int_eq(count_rows(NULL), 0);
}
END_TEST

/* Rows deleted by equality are cut out; the rest keeps its lineage, and the new file the number of the planned snapshot, to
 * which the deletes do not apply. */
START_TEST(a_rewrite_applies_equality_deletes) {
    make_table();
    test_append("t", "{'id':9,'name':'new'}");
    const char *rows = test_sorted(test_rows("t"));
    test_rewritten r = test_rewrite("t", NULL);
    ck_assert_int_eq(r.commit.result.added_data_files, 1);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 1);
    ck_assert_int_eq(test_live(&head, 0)->file.record_count, 4);
    ck_assert_int_eq(test_live(&head, 0)->sequence_number, 3);
}
END_TEST

/* BUG-075: what is deleted after a rewrite hits the rewritten file. */
START_TEST(bug_075_deletes_that_come_later_hit_the_rewritten_file) {
    make_table();
    test_rewrite("t", NULL);
    const int64_t gone[] = {3};
    test_delete_by_equality("t", "eq2.parquet", gone, 1);
    ck_assert_str_eq(test_rows("t"), "0,a=0/1 1,b=1/1");
    ck_assert_int_eq(count_rows(NULL), 2);
}
END_TEST

/* Written files get the snapshot's number: a delete that claims a greater one would hit their rows, which it never meant. */
START_TEST(deletes_newer_than_their_snapshot_are_not_rewritten_around) {
    make_table();
    test_head head = test_read_head("t");
    for (int32_t i = 0; i < head.manifest_count; i++)
        if (head.manifests[i].content == 1)
            head.manifests[i].sequence_number = 20;
    rwl_table *t = test_open("t");
    test_put_snapshot(t, head.manifests, head.manifest_count, "delete", "other", 0);
    test_close(t);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true};
    ASSERT_FAILS(RWL_CORRUPT, "sequence number 20, above 3", try_rewrite("t", &o, err));
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

Suite *suite_equality(void) {
    const TTest *const tests[] = {
        bug_184_a_count_leaves_out_rows_deleted_by_equality,
        bug_077_rows_added_since_stay,
        a_vector_leaves_rows_to_the_equality_deletes_that_have_them,
        a_rewrite_applies_equality_deletes,
        bug_075_deletes_that_come_later_hit_the_rewritten_file,
        deletes_newer_than_their_snapshot_are_not_rewritten_around,
    };
    return TEST_SUITE("equality", tests);
}
