/* SPDX-License-Identifier: Apache-2.0 */
/* Updates: ids of appends, overwrites, upgrades and rewrites (ICE-01 to 31 as far as an update does them, law
 * 8). */
#include "update_test.h"

/* --- assignment --- */

START_TEST(ice_01_append_takes_ids) {
    table t = new_table(3);
    append(&t, "A", 125);
    assert_snapshot(&t, 0, 125, 125);
    assert_list(&t, "main", "0");
    assert_files(&t, "main", "A:0:1");
    free_table(&t);
}
END_TEST

START_TEST(ice_03_branches_share_the_counter) {
    table t = new_table(3);
    append(&t, "A", 125);
    rwl_json *refs = rwl_json_get(t.metadata->json, "refs"), *branch = rwl_json_new_object();
    ASSERT_OK(rwl_json_set(branch, "snapshot-id", rwl_json_new_i64(head_id(&t)), err));
    ASSERT_OK(rwl_json_set(branch, "type", rwl_json_new_str("branch"), err));
    ASSERT_OK(rwl_json_set(refs, "branch", branch, err));
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(t.metadata, &text, err));
    rwl_metadata_free(t.metadata);
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &t.metadata, err));
    rwl_buf_clear(&text);
    rwl_added_file b = added("B", 100);
    append_to(&t, "branch", 1, &b);
    ck_assert_int_eq(t.metadata->next_row_id, 225);
    assert_list(&t, "main", "0");
    append(&t, "C", 90);
    ck_assert_int_eq(t.metadata->next_row_id, 315);
    assert_files(&t, "branch", "B:125:2 A:0:1");
    assert_files(&t, "main", "C:225:3 A:0:1");
    free_table(&t);
}
END_TEST

START_TEST(ice_06_07_files_of_one_append_follow_each_other) {
    table t = new_table(3);
    append_two(&t, "A", 125, "B", 100);
    assert_snapshot(&t, 0, 225, 225);
    assert_list(&t, "main", "0");
    assert_files(&t, "main", "A:0:1 B:125:1");
    append(&t, "C", 90);
    assert_snapshot(&t, 225, 90, 315);
    assert_list(&t, "main", "225 0");
    assert_files(&t, "main", "C:225:2 A:0:1 B:125:1");
    free_table(&t);
}
END_TEST

START_TEST(ice_08_retry_assigns_anew_and_reuses_manifests) {
    table t = new_table(3);
    append(&t, "A", 125);
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    rwl_added_file b = added("B", 100);
    c.added_files = &b;
    c.added_file_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *staged = NULL;
    rwl_conflict conflict;
    rwl_change_result result;
    ASSERT_OK(rwl_update_apply(u, t.metadata, 1, &staged, &result, &conflict, err));
    ck_assert_int_eq(result.first_row_id, 125);
    ck_assert_int_eq(result.next_row_id, 225);
    const rwl_snapshot *lost = rwl_metadata_snapshot(staged, result.snapshot_id);
    char *lost_list = rwl_arena_strdup(test_arena(), lost->manifest_list);
    append(&t, "C", 90); /* wins */
    assert_snapshot(&t, 125, 90, 215);
    apply(&t, u);
    assert_snapshot(&t, 215, 100, 315);
    assert_list(&t, "main", "215 125 0");
    assert_files(&t, "main", "B:215:3 C:125:2 A:0:1");
    rwl_update_discard(u, false);
    rwl_stat st;
    ASSERT_FAILS(RWL_NOT_FOUND, "", rwl_store_stat(test_store(), test_op(), lost_list, &st, err));
    assert_files(&t, "main", "B:215:3 C:125:2 A:0:1");
    rwl_update_free(u);
    rwl_metadata_free(staged);
    free_table(&t);
}
END_TEST

START_TEST(ice_09_manifest_without_live_files_takes_no_ids_and_goes_at_the_next_commit) {
    table t = new_table(3);
    append(&t, "A", 125);
    rwl_change_set c = change_of(RWL_OPERATION_OVERWRITE, head_id(&t));
    rwl_added_file b = added("B", 100);
    rwl_removed_file a = removed("A");
    c.added_files = &b;
    c.added_file_count = 1;
    c.removed_files = &a;
    c.removed_file_count = 1;
    commit(&t, &c);
    assert_snapshot(&t, 125, 100, 225);
    assert_list(&t, "main", "125 225");
    assert_files(&t, "main", "B:125:2");
    append(&t, "C", 90);
    assert_list(&t, "main", "225 125");
    free_table(&t);
}
END_TEST

START_TEST(ice_10_filtered_manifest_keeps_ids_and_takes_none) {
    /* Java takes 100 more for the filtered manifest (next-row-id 415); law 8: every live entry has an
     * explicit id */
    table t = new_table(3);
    append_two(&t, "A", 125, "B", 100);
    rwl_change_set c = change_of(RWL_OPERATION_OVERWRITE, head_id(&t));
    rwl_added_file f = added("C", 90);
    rwl_removed_file a = removed("A");
    c.added_files = &f;
    c.added_file_count = 1;
    c.removed_files = &a;
    c.removed_file_count = 1;
    commit(&t, &c);
    assert_snapshot(&t, 225, 90, 315);
    assert_list(&t, "main", "225 315");
    assert_files(&t, "main", "C:225:2 B:125:1");
    free_table(&t);
}
END_TEST

/* ICE-13: v2 [added C], [existing A, deleted B]; then version 3. */
static table upgraded_table(void) {
    table t = new_table(2);
    append_two(&t, "A", 125, "B", 100);
    rwl_change_set c = change_of(RWL_OPERATION_OVERWRITE, head_id(&t));
    rwl_added_file f = added("C", 90);
    rwl_removed_file b = removed("B");
    c.added_files = &f;
    c.added_file_count = 1;
    c.removed_files = &b;
    c.removed_file_count = 1;
    commit(&t, &c);
    ck_assert_int_eq(t.result.first_row_id, -1);
    rwl_metadata *v3 = NULL;
    ASSERT_OK(rwl_metadata_upgrade(t.metadata, 3, 2, &v3, err));
    rwl_metadata_free(t.metadata);
    t.metadata = v3;
    return t;
}

START_TEST(ice_13_14_upgrade_and_empty_append) {
    table t = upgraded_table();
    ck_assert_int_eq(t.metadata->next_row_id, 0);
    assert_list(&t, "main", "- -");
    assert_files(&t, "main", "C:-:2 A:-:1");
    rwl_manifest_list before, after;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(&t, "main"), &before, err));
    rwl_change_set nothing = change_of(RWL_OPERATION_APPEND, -1);
    commit(&t, &nothing);
    assert_snapshot(&t, 0, 215, 215);
    assert_list(&t, "main", "0 90");
    assert_files(&t, "main", "C:0:2 A:90:1");
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(&t, "main"), &after, err));
    ck_assert_int_eq(before.count, after.count);
    for (int32_t i = 0; i < before.count; i++) {
        ck_assert_str_eq(before.items[i].path, after.items[i].path);
        ck_assert_int_eq(before.items[i].sequence_number, after.items[i].sequence_number);
        ck_assert_int_eq(before.items[i].min_sequence_number, after.items[i].min_sequence_number);
        ck_assert_int_eq(before.items[i].added_snapshot_id, after.items[i].added_snapshot_id);
    }
    rwl_manifest_list_clear(&before);
    rwl_manifest_list_clear(&after);
    free_table(&t);
}
END_TEST

START_TEST(ice_15_delete_after_upgrade_numbers_what_stays) {
    table t = upgraded_table();
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_removed_file f = removed("C");
    c.removed_files = &f;
    c.removed_file_count = 1;
    commit(&t, &c);
    assert_snapshot(&t, 0, 125, 125);
    assert_list(&t, "main", "0 0");
    assert_files(&t, "main", "A:0:1");
    free_table(&t);
}
END_TEST

START_TEST(ice_17_overwrite_after_upgrade) {
    table t = upgraded_table();
    rwl_change_set c = change_of(RWL_OPERATION_OVERWRITE, head_id(&t));
    rwl_added_file b = added("B", 100);
    rwl_removed_file f = removed("C");
    c.added_files = &b;
    c.added_file_count = 1;
    c.removed_files = &f;
    c.removed_file_count = 1;
    commit(&t, &c);
    assert_snapshot(&t, 0, 225, 225);
    assert_list(&t, "main", "0 100 100");
    assert_files(&t, "main", "B:0:3 A:100:1");
    free_table(&t);
}
END_TEST

START_TEST(ice_18_vector_after_upgrade) {
    table t = upgraded_table();
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "x.puffin", 15, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    commit(&t, &c);
    assert_snapshot(&t, 0, 215, 215);
    assert_list(&t, "main", "0 90 d");
    assert_files(&t, "main", "C:0:2 A:90:1 v(A):3");
    free_table(&t);
}
END_TEST

START_TEST(ice_25_28_29_append_delete_and_vector) {
    table t = new_table(3);
    append(&t, "A", 30);
    assert_snapshot(&t, 0, 30, 30);
    append_two(&t, "B", 17, "C", 11);
    assert_snapshot(&t, 30, 28, 58);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("B", "x.puffin", 10, 2);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    commit(&t, &c);
    assert_snapshot(&t, 58, 0, 58);
    assert_files(&t, "main", "B:30:2 C:47:2 A:0:1 v(B):3");
    rwl_change_set d = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_removed_file f = removed("B");
    d.removed_files = &f;
    d.removed_file_count = 1;
    commit(&t, &d); /* the file goes with its vector, in one snapshot */
    assert_snapshot(&t, 58, 0, 58);
    assert_files(&t, "main", "C:47:2 A:0:1");
    assert_summary(&t, "removed-dvs", "1");
    assert_summary(&t, "deleted-data-files", "1");
    free_table(&t);
}
END_TEST

/* --- rewrites --- */

START_TEST(ice_31_pinned_rewrite_takes_no_ids) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    append(&t, "D", 5);
    rwl_added_file out = carried("AB", 60, 0, 59);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    commit(&t, &c);
    assert_snapshot(&t, 65, 0, 65);
    assert_list(&t, "main", "0 60 65");
    assert_files(&t, "main", "AB:0:2 D:60:2");
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(&t, "main"), &list, err));
    ck_assert_int_eq(list.items[0].sequence_number, 3);
    ck_assert_int_eq(list.items[0].min_sequence_number, 2); /* the explicit one */
    rwl_manifest_list_clear(&list);
    free_table(&t);
}
END_TEST

START_TEST(ice_31_rewrite_without_pin_takes_a_fresh_range) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = carried("AB", 60, 0, 59);
    rwl_change_set c = rewrite_two(&t, &out, 1, false);
    commit(&t, &c);
    assert_snapshot(&t, 60, 60, 120);
    assert_list(&t, "main", "60 120");
    assert_files(&t, "main", "AB:60:1");
    free_table(&t);
}
END_TEST

START_TEST(rows_without_lineage_go_to_a_manifest_of_their_own) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out[3] = {carried("AB1", 30, 7, 40), added("AB2", 4), carried("AB3", 20, 41, 60 - 1)};
    rwl_change_set c = rewrite_two(&t, out, 3, true);
    commit(&t, &c);
    assert_snapshot(&t, 60, 4, 64);
    assert_list(&t, "main", "7 60 64");
    assert_files(&t, "main", "AB1:7:1 AB3:37:1 AB2:60:1");
    free_table(&t);
}
END_TEST

START_TEST(ids_above_the_counter_are_not_pinned) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = carried("AB", 60, 0, 60);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_LAW_BROKEN, "law 2",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(a_rewrite_of_a_rewrite_of_v2_keeps_sequence_numbers) {
    table t = new_table(2);
    append_two(&t, "A", 30, "B", 30);
    append(&t, "D", 5);
    rwl_added_file out = added("AB", 60);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    commit(&t, &c);
    assert_list(&t, "main", "- - -");
    assert_files(&t, "main", "AB:-:2 D:-:2");
    ck_assert_int_eq(t.result.added_rows, -1);
    free_table(&t);
}
END_TEST

START_TEST(a_replace_may_not_add_more_records_than_it_removes) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = carried("AB", 61, 0, 59);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_INTERNAL, "61 records for 60",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

Suite *suite_update(void) {
    Suite *s = suite_create("update");
    TCase *t = tcase_create("update");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, ice_01_append_takes_ids);
    tcase_add_test(t, ice_03_branches_share_the_counter);
    tcase_add_test(t, ice_06_07_files_of_one_append_follow_each_other);
    tcase_add_test(t, ice_08_retry_assigns_anew_and_reuses_manifests);
    tcase_add_test(t, ice_09_manifest_without_live_files_takes_no_ids_and_goes_at_the_next_commit);
    tcase_add_test(t, ice_10_filtered_manifest_keeps_ids_and_takes_none);
    tcase_add_test(t, ice_13_14_upgrade_and_empty_append);
    tcase_add_test(t, ice_15_delete_after_upgrade_numbers_what_stays);
    tcase_add_test(t, ice_17_overwrite_after_upgrade);
    tcase_add_test(t, ice_18_vector_after_upgrade);
    tcase_add_test(t, ice_25_28_29_append_delete_and_vector);
    tcase_add_test(t, ice_31_pinned_rewrite_takes_no_ids);
    tcase_add_test(t, ice_31_rewrite_without_pin_takes_a_fresh_range);
    tcase_add_test(t, rows_without_lineage_go_to_a_manifest_of_their_own);
    tcase_add_test(t, ids_above_the_counter_are_not_pinned);
    tcase_add_test(t, a_rewrite_of_a_rewrite_of_v2_keeps_sequence_numbers);
    tcase_add_test(t, a_replace_may_not_add_more_records_than_it_removes);
    suite_add_tcase(s, t);
    return s;
}
