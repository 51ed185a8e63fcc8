/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, changes and commits for the tests of updates. */
#include "update_test.h"

#include <inttypes.h>
#include <stdio.h>

static const char COMMIT_ID[] = "11111111-2222-3333-4444-555555555555";

table new_table(int32_t version) {
    table t = {.metadata = test_table(version, "id int, data string", NULL), .next_snapshot = 1001};
    return t;
}

void free_table(table *t) {
    rwl_metadata_free(t->metadata);
}

rwl_added_file added(const char *name, int64_t rows) {
    rwl_added_file f;
    memset(&f, 0, sizeof f);
    f.location = name;
    f.format = "parquet";
    f.file_size = rows * 10;
    f.row_count = rows;
    return f;
}

/* A file whose rows all store their lineage. */
rwl_added_file carried(const char *name, int64_t rows, int64_t min_id, int64_t max_id) {
    rwl_added_file f = added(name, rows);
    f.lineage.present = true;
    f.lineage.min_id = min_id;
    f.lineage.max_id = max_id;
    return f;
}

rwl_removed_file removed(const char *name) {
    rwl_removed_file f = {.location = name};
    return f;
}

rwl_added_vector vector(const char *data_file, const char *puffin, int64_t cardinality, int64_t sequence) {
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

rwl_change_set change_of(rwl_operation operation, int64_t planned) {
    rwl_change_set c;
    memset(&c, 0, sizeof c);
    c.operation = operation;
    c.planned_snapshot_id = planned;
    c.data_sequence_number = -1;
    return c;
}

rwl_update *new_update(table *t, const rwl_change_set *change, const char *branch, bool dry_run) {
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

void apply(table *t, rwl_update *u) {
    rwl_metadata *next = NULL;
    rwl_conflict conflict;
    ASSERT_OK(rwl_update_apply(u, t->metadata, 1, &next, &t->result, &conflict, err));
    rwl_metadata_free(t->metadata);
    t->metadata = next;
}

void commit_to(table *t, const rwl_change_set *change, const char *branch) {
    rwl_update *u = new_update(t, change, branch, false);
    apply(t, u);
    rwl_update_discard(u, false);
    rwl_update_free(u);
}

void commit(table *t, const rwl_change_set *change) {
    commit_to(t, change, "main");
}

void append_to(table *t, const char *branch, size_t count, const rwl_added_file *files) {
    rwl_change_set c = change_of(RWL_OPERATION_APPEND, -1);
    c.added_files = files;
    c.added_file_count = count;
    commit_to(t, &c, branch);
}

void append(table *t, const char *name, int64_t rows) {
    rwl_added_file f = added(name, rows);
    append_to(t, "main", 1, &f);
}

void append_two(table *t, const char *a, int64_t a_rows, const char *b, int64_t b_rows) {
    rwl_added_file files[2] = {added(a, a_rows), added(b, b_rows)};
    append_to(t, "main", 2, files);
}

const rwl_snapshot *head(const table *t, const char *branch) {
    const rwl_ref *ref = rwl_metadata_ref(t->metadata, branch);
    ck_assert_ptr_nonnull(ref);
    return rwl_metadata_snapshot(t->metadata, ref->snapshot_id);
}

int64_t head_id(const table *t) {
    return head(t, "main")->snapshot_id;
}

/* "225 125 -" : first_row_id of each data manifest of the branch in list order, "-" for null; delete
 * manifests "d". */
void assert_list(const table *t, const char *branch, const char *want) {
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

/* "C:225:3 B:125:1": live files of the branch with first_row_id ("-" null) and data sequence number, in
 * order; a vector is "v(data file)". */
void assert_files(const table *t, const char *branch, const char *want) {
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
            else if (e->file.content_offset < 0)
                snprintf(one, sizeof one, "%s:%" PRId64,
                         strrchr(e->file.file_path, '/') == NULL ? e->file.file_path
                                                                 : strrchr(e->file.file_path, '/') + 1,
                         e->sequence_number);
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

void assert_snapshot(const table *t, int64_t first_row_id, int64_t added_rows, int64_t next_row_id) {
    const rwl_snapshot *s = head(t, "main");
    ck_assert(s->has_first_row_id);
    ck_assert_int_eq(s->first_row_id, first_row_id);
    ck_assert_int_eq(s->added_rows, added_rows);
    ck_assert_int_eq(t->metadata->next_row_id, next_row_id);
    ck_assert_int_eq(t->result.added_rows, added_rows);
    ck_assert_int_eq(t->result.next_row_id, next_row_id);
}

void assert_summary(const table *t, const char *key, const char *want) {
    const char *got = rwl_json_str(rwl_json_get(head(t, "main")->summary, key));
    if (want == NULL)
        ck_assert_msg(got == NULL, "%s is %s", key, got);
    else
        ck_assert_msg(got != NULL && strcmp(got, want) == 0, "%s is %s, not %s", key, got ? got : "absent",
                      want);
}

rwl_change_set rewrite_two(const table *t, const rwl_added_file *out, size_t count, bool pin) {
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

void put_vector(table *t, const char *file, const char *puffin, int64_t cardinality, int64_t sequence,
                const rwl_removed_delete *old) {
    rwl_change_set c = change_of(RWL_OPERATION_DELETE, head_id(t));
    rwl_added_vector v = vector(file, puffin, cardinality, sequence);
    c.added_vectors = &v;
    c.added_vector_count = 1;
    c.removed_deletes = old;
    c.removed_delete_count = old != NULL ? 1 : 0;
    commit(t, &c);
}

rwl_data_file delete_file(int32_t content, const char *path, const char *data_file, int64_t rows) {
    static const int32_t IDS[] = {1};
    rwl_data_file f = test_data_file(path, rows, NULL, 0);
    f.content = content;
    f.sort_order_id = -1;
    f.referenced_data_file = data_file;
    if (content == RWL_CONTENT_EQUALITY_DELETES) {
        f.equality_ids = IDS;
        f.equality_count = 1;
    }
    return f;
}

static rwl_manifest write_deletes(const table *t, int64_t snapshot_id, const rwl_data_file *files,
                                  size_t count) {
    rwl_manifest_writer_options options = {
        .format_version = t->metadata->format_version,
        .content = 1,
        .schema = t->metadata->schema,
        .spec = t->metadata->spec,
        .snapshot_id = snapshot_id,
        .codec = RWL_CODEC_DEFLATE,
    };
    rwl_manifest_writer *w = NULL;
    const char *path = test_path(rwl_arena_printf(test_arena(), "foreign-%" PRId64 "-m0.avro", snapshot_id));
    ASSERT_OK(rwl_manifest_writer_open(test_store(), test_op(), path, &options, &w, err));
    for (size_t i = 0; i < count; i++)
        ASSERT_OK(rwl_manifest_writer_add(w, &files[i], -1, err));
    rwl_manifest m;
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &m, err));
    return m;
}

void commit_foreign_deletes(table *t, const rwl_data_file *files, size_t count) {
    int64_t id = t->next_snapshot++;
    rwl_manifest_list list;
    ASSERT_OK(rwl_manifest_list_read(test_store(), test_op(), head(t, "main"), &list, err));
    rwl_manifest *lines = rwl_arena_array(test_arena(), (size_t)list.count + 1, sizeof *lines);
    lines[0] = write_deletes(t, id, files, count);
    memcpy(lines + 1, list.items, (size_t)list.count * sizeof *lines);
    rwl_snapshot_new snapshot = {
        .snapshot_id = id,
        .parent_id = head_id(t),
        .sequence_number = t->metadata->last_sequence_number + 1,
        .timestamp_ms = t->metadata->last_updated_ms,
        .manifest_list = test_path(rwl_arena_printf(test_arena(), "foreign-%" PRId64 ".avro", id)),
        .first_row_id = t->metadata->next_row_id,
        .summary = rwl_json_new_object(),
    };
    ASSERT_OK(rwl_json_set(snapshot.summary, "operation", rwl_json_new_str("delete"), err));
    ASSERT_OK(rwl_json_set(snapshot.summary, "engine-name", rwl_json_new_str("spark"), err));
    ASSERT_OK(rwl_json_set(snapshot.summary, "engine-version", rwl_json_new_str("4.1.4"), err));
    rwl_manifest_list_options options = {t->metadata->format_version, id, snapshot.parent_id,
                                         snapshot.sequence_number, snapshot.first_row_id};
    ASSERT_OK(rwl_manifest_list_write(test_store(), test_op(), snapshot.manifest_list, lines, list.count + 1,
                                      &options, err));
    rwl_metadata *next = NULL;
    ASSERT_OK(rwl_metadata_add_snapshot(t->metadata, &snapshot, "main", &next, err));
    rwl_manifest_list_clear(&list);
    rwl_metadata_free(t->metadata);
    t->metadata = next;
}
