/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates: ICE-01 to 31 as far as an update does them, law 8, conflicts, deletes, summaries. No data file is ever read, so
 * names and row counts are enough: A = 125 rows, B = 100, C = 90.
 */
#include "table_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 8 };

/* A table under test: its metadata, replaced by each commit. */
typedef struct table {
    rwl_metadata *metadata;
    int64_t next_snapshot;
    rwl_change_result result;
} table;

static const char COMMIT_ID[] = "11111111-2222-3333-4444-555555555555";

static table new_table(int32_t version) {
    table t = {.metadata = test_table(version, "id int, data string", NULL), .next_snapshot = 1001};
    return t;
}

static void free_table(table *t) { rwl_metadata_free(t->metadata); }

static rwl_added_file added(const char *name, int64_t rows) {
    rwl_added_file f;
    memset(&f, 0, sizeof f);
    f.location = name;
    f.format = "parquet";
    f.file_size = rows * 10;
    f.row_count = rows;
    return f;
}

/* A file whose rows all store their lineage. */
static rwl_added_file carried(const char *name, int64_t rows, int64_t min_id, int64_t max_id) {
    rwl_added_file f = added(name, rows);
    f.lineage.present = true;
    f.lineage.min_id = min_id;
    f.lineage.max_id = max_id;
    return f;
}

static rwl_removed_file removed(const char *name) {
    rwl_removed_file f = {.location = name};
    return f;
}

static rwl_added_vector vector(const char *data_file, const char *puffin, int64_t cardinality, int64_t sequence) {
    rwl_added_vector v;
    memset(&v, 0, sizeof v);
    v.data_file = data_file;
    v.location = puffin;
    v.file_size = 100;
    v.offset = 4;
    v.length = 35;
    v.cardinality = cardinality;
    v.data_sequence_number = sequence;
    return v;
}

static rwl_change_set change_of(rwl_operation operation, int64_t planned) {
    rwl_change_set c;
    memset(&c, 0, sizeof c);
    c.operation = operation;
    c.planned_snapshot_id = planned;
    c.data_sequence_number = -1;
    return c;
}

static rwl_update *new_update(table *t, const rwl_change_set *change, const char *branch, bool dry_run) {
    rwl_attempt_options options = {
        .branch = branch,
        .commit_id = rwl_arena_printf(test_arena(), "%.31s%05" PRId64, COMMIT_ID, t->next_snapshot),
        .snapshot_id = t->next_snapshot++,
        .dry_run = dry_run,
    };
    rwl_update *u = NULL;
    ASSERT_OK(rwl_update_new(test_store(), test_op(), change, &options, &u, err));
    return u;
}

static void apply(table *t, rwl_update *u) {
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_OK(rwl_update_apply(u, t->metadata, 1, &next, &t->result, &conflict, err));
    rwl_metadata_free(t->metadata);
    t->metadata = next;
}

static void commit_to(table *t, const rwl_change_set *change, const char *branch) {
    rwl_update *u = new_update(t, change, branch, false);
    apply(t, u);
    rwl_update_discard(u, false);
    rwl_update_free(u);
}

static void commit(table *t, const rwl_change_set *change) { commit_to(t, change, "main"); }

static void append_to(table *t, const char *branch, size_t count, const rwl_added_file *files) {
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    c.added_files = files;
    c.added_file_count = count;
    commit_to(t, &c, branch);
}

static void append(table *t, const char *name, int64_t rows) {
    rwl_added_file f = added(name, rows);
    append_to(t, "main", 1, &f);
}

static void append_two(table *t, const char *a, int64_t a_rows, const char *b, int64_t b_rows) {
    rwl_added_file files[2] = {added(a, a_rows), added(b, b_rows)};
    append_to(t, "main", 2, files);
}

static const rwl_snapshot *head(const table *t, const char *branch) {
    const rwl_ref *ref = rwl_metadata_ref(t->metadata, branch);
    ck_assert_ptr_nonnull(ref);
    return rwl_metadata_snapshot(t->metadata, ref->snapshot_id);
}

static int64_t head_id(const table *t) { return head(t, "main")->snapshot_id; }

/* "225 125 -" : first_row_id of each data manifest of the branch in list order, "-" for null; delete manifests "d". */
static void assert_list(const table *t, const char *branch, const char *want) {
    rwl_manifest_list list;
    char text[256] = "";
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(t, branch), &list, err));
    for (int32_t i = 0; i < list.count; i++) {
        const rwl_manifest *m = &list.items[i];
        char one[32] = "-";
        if (m->content == 1) {
            ck_assert(!m->has_first_row_id);
            snprintf(one, sizeof one, "d");
        } else if (m->has_first_row_id) {
            snprintf(one, sizeof one, "%" PRId64, m->first_row_id);
        }
        strncat(text, i > 0 ? " " : "", sizeof text - strlen(text) - 1);
        strncat(text, one, sizeof text - strlen(text) - 1);
    }
    ck_assert_str_eq(text, want);
    rwl_manifest_list_clear(&list);
}

/* "C:225:3 B:125:1": live files of the branch with first_row_id ("-" null) and data sequence number, in order; a vector
 * is "v(data file)". */
static void assert_files(const table *t, const char *branch, const char *want) {
    rwl_manifest_list list;
    char text[512] = "";
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(t, branch), &list, err));
    for (int32_t i = 0; i < list.count; i++) {
        rwl_manifest_reader *r = NULL;
        ASSERT_OK(rwl_manifest_reader_open(test_store(), test_op(), t->metadata, &list.items[i], &r, err));
        for (;;) {
            const rwl_manifest_entry *e;
            ASSERT_OK(rwl_manifest_reader_next(r, &e, err));
            if (e == NULL)
                break;
            if (e->status == RWL_STATUS_DELETED)
                continue;
            char one[96], id[32] = "-";
            if (e->file.has_first_row_id)
                snprintf(id, sizeof id, "%" PRId64, e->file.first_row_id);
            if (e->file.content == RWL_CONTENT_DATA)
                snprintf(one, sizeof one, "%s:%s:%" PRId64, e->file.file_path, id, e->sequence_number);
            else
                snprintf(one, sizeof one, "v(%s):%" PRId64, e->file.referenced_data_file, e->sequence_number);
            strncat(text, *text != 0 ? " " : "", sizeof text - strlen(text) - 1);
            strncat(text, one, sizeof text - strlen(text) - 1);
        }
        rwl_manifest_reader_close(r);
    }
    ck_assert_str_eq(text, want);
    rwl_manifest_list_clear(&list);
}

static void assert_snapshot(const table *t, int64_t first_row_id, int64_t added_rows, int64_t next_row_id) {
    const rwl_snapshot *s = head(t, "main");
    ck_assert(s->has_first_row_id);
    ck_assert_int_eq(s->first_row_id, first_row_id);
    ck_assert_int_eq(s->added_rows, added_rows);
    ck_assert_int_eq(t->metadata->next_row_id, next_row_id);
    ck_assert_int_eq(t->result.added_rows, added_rows);
    ck_assert_int_eq(t->result.next_row_id, next_row_id);
}

static void assert_summary(const table *t, const char *key, const char *want) {
    const char *got = rwl_json_str(rwl_json_get(head(t, "main")->summary, key));
    if (want == NULL)
        ck_assert_msg(got == NULL, "%s is %s", key, got);
    else
        ck_assert_msg(got != NULL && strcmp(got, want) == 0, "%s is %s, not %s", key, got ? got : "absent", want);
}

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
    /* Java takes 100 more for the filtered manifest (next-row-id 415); law 8: every live entry has an explicit id */
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

static rwl_change_set rewrite_two(const table *t, const rwl_added_file *out, size_t count, bool pin) {
    static rwl_removed_file inputs[2];
    inputs[0] = removed("A");
    inputs[1] = removed("B");
    rwl_change_set c = change_of(RWL_OPERATION_REPLACE, head_id(t));
    c.data_sequence_number = head(t, "main")->sequence_number;
    c.pin = pin;
    c.added_files = out;
    c.added_file_count = count;
    c.removed_files = inputs;
    c.removed_file_count = 2;
    return c;
}

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
    ASSERT_FAILS(RWL_LAW_BROKEN, "law 2", rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
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

/* --- vectors --- */

static void put_vector(table *t, const char *file, const char *puffin, int64_t cardinality, int64_t sequence,
                       const rwl_removed_delete *old) {
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(t));
    rwl_added_vector v = vector(file, puffin, cardinality, sequence);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    c.removed_deletes = old;
    c.removed_delete_count = old != NULL ? 1 : 0;
    commit(t, &c);
}

START_TEST(a_replaced_vector_is_one_deleted_and_one_added_entry) {
    table t = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    put_vector(&t, "A", "1.puffin", 2, 1, NULL);
    put_vector(&t, "B", "2.puffin", 1, 1, NULL);
    rwl_removed_delete old = {RWL_DELETE_VECTOR, "1.puffin", 4, "A"};
    put_vector(&t, "A", "3.puffin", 3, 1, &old);
    assert_files(&t, "main", "A:0:1 B:30:1 v(A):4 v(B):3");
    assert_summary(&t, "added-dvs", "1");
    assert_summary(&t, "removed-dvs", "1");
    assert_summary(&t, "added-position-deletes", "3");
    assert_summary(&t, "removed-position-deletes", "2");
    assert_summary(&t, "total-position-deletes", "4"); /* 2 + 1 + 3 - 2 */
    assert_summary(&t, "total-delete-files", "2");
    assert_summary(&t, "added-files-size", "35"); /* a vector counts its own bytes */
    assert_summary(&t, "manifests-created", "2");
    assert_summary(&t, "manifests-kept", "2");
    assert_summary(&t, "manifests-replaced", "1");
    free_table(&t);
}
END_TEST

START_TEST(a_second_vector_for_a_file_is_refused) {
    table t = new_table(3);
    append(&t, "A", 30);
    put_vector(&t, "A", "1.puffin", 2, 1, NULL);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_INTERNAL, "does not replace",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(vectors_need_version_3) {
    table t = new_table(2);
    append(&t, "A", 30);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_UNSUPPORTED, "upgrade", rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

/* --- conflicts --- */

typedef struct race {
    table t;
    int64_t planned;
    rwl_update *u;
    rwl_conflict conflict;
} race;

/* A pinned rewrite of A and B, planned; the race has not begun. */
static void plan_rewrite(race *r, rwl_change_set *c, rwl_added_file *out) {
    r->t = new_table(3);
    append_two(&r->t, "A", 30, "B", 30);
    append(&r->t, "D", 5);
    *out = carried("AB", 60, 0, 59);
    *c = rewrite_two(&r->t, out, 1, true);
    r->planned = head_id(&r->t);
    r->u = new_update(&r->t, c, "main", false);
}

static void end_race(race *r) {
    rwl_update_discard(r->u, true);
    rwl_update_free(r->u);
    free_table(&r->t);
}

START_TEST(a_concurrent_append_is_no_conflict) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    append(&r.t, "E", 7);
    apply(&r.t, r.u);
    assert_snapshot(&r.t, 72, 0, 72);
    assert_files(&r.t, "main", "AB:0:2 E:65:3 D:60:2");
    end_race(&r);
}
END_TEST

START_TEST(an_input_removed_meanwhile_is_a_conflict_that_names_commit_and_file) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    rwl_change_set d = change_of(RWL_OPERATION_DELETE, head_id(&r.t));
    rwl_removed_file b = removed("B");
    d.removed_files = &b;
    d.removed_file_count = 1;
    commit(&r.t, &d);
    int64_t other = head_id(&r.t);
    append(&r.t, "E", 7);
    rwl_metadata *next = NULL;
    ASSERT_FAILS(RWL_CONFLICT, "removed data file B",
                 rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    ck_assert_int_eq(r.conflict.snapshot_id, other);
    ck_assert_str_eq(r.conflict.file, "B");
    ck_assert_str_eq(r.conflict.engine, "rowline 0.1.0");
    end_race(&r);
}
END_TEST

START_TEST(a_vector_on_an_input_is_a_conflict) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    put_vector(&r.t, "A", "1.puffin", 2, 1, NULL);
    int64_t other = head_id(&r.t);
    rwl_metadata *next = NULL;
    ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file A",
                 rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    ck_assert_int_eq(r.conflict.snapshot_id, other);
    ck_assert_str_eq(r.conflict.file, "A");
    end_race(&r);
}
END_TEST

START_TEST(a_vector_on_another_file_is_no_conflict) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    put_vector(&r.t, "D", "1.puffin", 2, 2, NULL);
    apply(&r.t, r.u);
    assert_files(&r.t, "main", "AB:0:2 D:60:2 v(D):3");
    end_race(&r);
}
END_TEST

START_TEST(two_vectors_for_one_file_are_a_conflict) {
    table t = new_table(3);
    append(&t, "A", 30);
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(&t));
    rwl_added_vector v = vector("A", "2.puffin", 1, 1);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    rwl_update *u = new_update(&t, &c, "main", false);
    put_vector(&t, "A", "1.puffin", 2, 1, NULL);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_CONFLICT, "added a delete to data file A",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(a_table_upgraded_between_attempts_is_a_conflict) {
    table t = new_table(2);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = added("AB", 60);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL, *v3 = NULL;
    rwl_conflict conflict;
    ASSERT_OK(rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_metadata_free(next);
    ASSERT_OK(rwl_metadata_upgrade(t.metadata, 3, 2, &v3, err));
    ASSERT_FAILS(RWL_CONFLICT, "upgraded", rwl_update_apply(u, v3, 1, &next, &t.result, &conflict, err));
    rwl_metadata_free(v3);
    rwl_update_discard(u, true);
    rwl_update_free(u);
    free_table(&t);
}
END_TEST

START_TEST(a_plan_that_is_no_ancestor_any_more_is_a_conflict) {
    table t = new_table(3), other = new_table(3);
    append_two(&t, "A", 30, "B", 30);
    rwl_added_file out = carried("AB", 60, 0, 59);
    rwl_change_set c = rewrite_two(&t, &out, 1, true);
    c.planned_snapshot_id = 5;
    rwl_update *u = new_update(&t, &c, "main", false);
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_FAILS(RWL_CONFLICT, "planned snapshot",
                 rwl_update_apply(u, t.metadata, 1, &next, &t.result, &conflict, err));
    rwl_update_free(u);
    free_table(&t);
    free_table(&other);
}
END_TEST

/* --- what is written --- */

static rwl_status count_one(void *ctx, const char *name, const rwl_stat *st, rwl_error *err) {
    (void)name, (void)st, (void)err;
    ++*(int *)ctx;
    return RWL_OK;
}

static int count_files(const char *folder) {
    int count = 0;
    rwl_error err = {0};
    rwl_status st = rwl_store_list(test_store(), test_op(), test_path(folder), count_one, &count, &err);
    ck_assert_msg(st == RWL_OK || st == RWL_NOT_FOUND, "%s", err.message);
    return count;
}

START_TEST(a_dry_run_has_the_figures_and_writes_nothing) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    int before = count_files("metadata");
    rwl_update *dry = new_update(&r.t, &c, "main", true);
    rwl_metadata *next = NULL;
    rwl_change_result figures;
    ASSERT_OK(rwl_update_apply(dry, r.t.metadata, 1, &next, &figures, &r.conflict, err));
    ck_assert_ptr_null(next);
    ck_assert_int_eq(count_files("metadata"), before);
    rwl_update_free(dry);
    apply(&r.t, r.u);
    ck_assert_int_eq(figures.added_rows, r.t.result.added_rows);
    ck_assert_int_eq(figures.next_row_id, r.t.result.next_row_id);
    ck_assert_int_eq(figures.sequence_number, r.t.result.sequence_number);
    ck_assert_int_eq(figures.removed_data_files, 2);
    ck_assert_int_eq(figures.added_records, 60);
    end_race(&r);
}
END_TEST

START_TEST(a_failed_commit_leaves_no_file) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    int before = count_files("metadata");
    rwl_metadata *next = NULL;
    ASSERT_OK(rwl_update_apply(r.u, r.t.metadata, 1, &next, &r.t.result, &r.conflict, err));
    rwl_metadata_free(next);
    /* the new manifest, a filtered one, a list */
    ck_assert_int_eq(count_files("metadata"), before + 3);
    rwl_update_discard(r.u, true);
    ck_assert_int_eq(count_files("metadata"), before);
    rwl_update_free(r.u);
    free_table(&r.t);
}
END_TEST

START_TEST(summary_of_a_rewrite_counts_exactly) {
    race r;
    rwl_change_set c;
    rwl_added_file out;
    plan_rewrite(&r, &c, &out);
    const char *keys[] = {"app"}, *values[] = {"x"};
    c.summary_keys = keys;
    c.summary_values = values;
    c.summary_count = 1;
    apply(&r.t, r.u);
    const char *want[][2] = {
        {"operation", "replace"},
        {"added-data-files", "1"},
        {"deleted-data-files", "2"},
        {"added-records", "60"},
        {"deleted-records", "60"},
        {"added-files-size", "600"},
        {"removed-files-size", NULL},
        {"total-records", "65"},
        {"total-data-files", "2"},
        {"total-delete-files", "0"},
        {"total-position-deletes", "0"},
        {"total-equality-deletes", "0"},
        {"changed-partition-count", "1"},
        {"added-delete-files", NULL},
        {"manifests-created", "2"},
        {"manifests-kept", "1"},
        {"manifests-replaced", "1"},
        {"engine-name", "rowline"},
        {"app", "x"},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        if (strcmp(want[i][0], "removed-files-size") == 0)
            assert_summary(&r.t, want[i][0], "600"); /* A and B: 30 rows of 10 bytes each */
        else
            assert_summary(&r.t, want[i][0], want[i][1]);
    end_race(&r);
}
END_TEST

START_TEST(small_manifest_targets_roll_manifests) {
    table t = new_table(3);
    rwl_json *properties = rwl_json_new_object();
    ASSERT_OK(rwl_json_set(properties, "commit.manifest.target-size-bytes", rwl_json_new_str("1"), err));
    ASSERT_OK(rwl_json_set(t.metadata->json, "properties", properties, err));
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(t.metadata, &text, err));
    rwl_metadata_free(t.metadata);
    ASSERT_OK(rwl_metadata_parse(test_env(), rwl_buf_span(&text), NULL, &t.metadata, err));
    rwl_buf_clear(&text);
    append_two(&t, "A", 125, "B", 100);
    assert_list(&t, "main", "0 125");
    assert_files(&t, "main", "A:0:1 B:125:1");
    free_table(&t);
}
END_TEST

/* --- Spark's appends, told again: the same numbers --- */

/* The metadata version before the one whose head is this snapshot. */
static const char *version_before(const rwl_json *expected, int64_t snapshot_id) {
    const rwl_json *versions = rwl_json_get(expected, "versions");
    for (size_t i = 1; i < rwl_json_len(versions); i++)
        if (rwl_json_i64(rwl_json_get(rwl_json_at(versions, i), "current-snapshot-id")) == snapshot_id)
            return rwl_json_str(rwl_json_get(rwl_json_at(versions, i - 1), "metadata"));
    return NULL;
}

static void check_append(const char *name, const rwl_json *expected, const rwl_json *want) {
    int64_t id = rwl_json_i64(rwl_json_get(want, "snapshot-id"));
    const char *file = version_before(expected, id);
    const rwl_json *entries = rwl_json_get(want, "entries");
    if (rwl_json_len(entries) == 0)
        return; /* types_java: Spark could not list them */
    rwl_metadata *base = file == NULL ? NULL : fixture_metadata("spark", name, file);
    if (base == NULL)
        return;
    rwl_added_file files[MANY];
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    c.added_files = files;
    for (size_t i = 0; i < rwl_json_len(entries) && c.added_file_count < MANY; i++) {
        const rwl_json *e = rwl_json_at(entries, i);
        if (rwl_json_i64(rwl_json_get(e, "snapshot_id")) != id)
            continue;
        const char *path = rwl_arena_printf(test_arena(), "new/%zu", i);
        rwl_added_file *f = &files[c.added_file_count++];
        *f = added(path, rwl_json_i64(rwl_json_get(e, "record_count")));
        f->spec_id = base->spec->spec_id;
        f->partition_count = base->spec->field_count;
        rwl_value *values = rwl_arena_array(test_arena(), (size_t)f->partition_count, sizeof *values);
        for (int32_t k = 0; k < f->partition_count; k++)
            values[k] = rwl_value_null(RWL_TYPE_INT);
        f->partition = values;
    }
    rwl_attempt_options options = {.branch = "main", .commit_id = COMMIT_ID, .snapshot_id = id + 1, .dry_run = true};
    rwl_update *u = NULL;
    rwl_metadata *next = NULL;
    rwl_change_result result;
    rwl_conflict conflict;
    ASSERT_OK(rwl_update_new(fixture_store(), test_op(), &c, &options, &u, err));
    ASSERT_OK(rwl_update_apply(u, base, 1, &next, &result, &conflict, err));
    ck_assert_int_eq(result.sequence_number, rwl_json_i64(rwl_json_get(want, "sequence-number")));
    if (base->format_version >= 3) {
        ck_assert_msg(result.first_row_id == rwl_json_i64(rwl_json_get(want, "first-row-id")), "%s", name);
        ck_assert_msg(result.added_rows == rwl_json_i64(rwl_json_get(want, "added-rows")),
                      "%s: %" PRId64 " rows added, not %" PRId64, name, result.added_rows,
                      rwl_json_i64(rwl_json_get(want, "added-rows")));
    }
    rwl_update_free(u);
    rwl_metadata_free(base);
}

static void check_appends(const char *name) {
    rwl_json *expected = fixture_expected("spark", name);
    const rwl_json *snapshots = rwl_json_get(expected, "snapshots");
    for (size_t i = 0; i < rwl_json_len(snapshots); i++) {
        const rwl_json *s = rwl_json_at(snapshots, i);
        const char *operation = rwl_json_str(rwl_json_get(s, "operation"));
        const char *replaced = rwl_json_str(rwl_json_get(rwl_json_get(s, "summary"), "manifests-replaced"));
        bool v1 = strcmp(name, "upgrade_v1") == 0 && i < 2;
        if (operation != NULL && strcmp(operation, "append") == 0 && replaced != NULL && strcmp(replaced, "0") == 0 &&
            !v1)
            check_append(name, expected, s);
    }
    rwl_json_free(expected);
}

START_TEST(appends_of_spark_take_the_same_ids_here) {
    if (fixture_each_spark_table(check_appends) == 0)
        puts("skipped: no fixtures of Spark");
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
    tcase_add_test(t, a_replaced_vector_is_one_deleted_and_one_added_entry);
    tcase_add_test(t, a_second_vector_for_a_file_is_refused);
    tcase_add_test(t, vectors_need_version_3);
    tcase_add_test(t, a_concurrent_append_is_no_conflict);
    tcase_add_test(t, an_input_removed_meanwhile_is_a_conflict_that_names_commit_and_file);
    tcase_add_test(t, a_vector_on_an_input_is_a_conflict);
    tcase_add_test(t, a_vector_on_another_file_is_no_conflict);
    tcase_add_test(t, two_vectors_for_one_file_are_a_conflict);
    tcase_add_test(t, a_table_upgraded_between_attempts_is_a_conflict);
    tcase_add_test(t, a_plan_that_is_no_ancestor_any_more_is_a_conflict);
    tcase_add_test(t, a_dry_run_has_the_figures_and_writes_nothing);
    tcase_add_test(t, a_failed_commit_leaves_no_file);
    tcase_add_test(t, summary_of_a_rewrite_counts_exactly);
    tcase_add_test(t, small_manifest_targets_roll_manifests);
    tcase_add_test(t, appends_of_spark_take_the_same_ids_here);
    suite_add_tcase(s, t);
    return s;
}
