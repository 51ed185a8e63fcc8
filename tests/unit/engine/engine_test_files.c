/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a table consists of, and commits put together by hand as other writers would make them. */
#include "engine_test.h"

#include "parquet/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading the head --- */

static void read_entries(rwl_table *t, const rwl_manifest *m, int32_t index, test_head *head, int32_t *room) {
    rwl_manifest_reader *reader = NULL;
    ASSERT_OK(rwl_manifest_reader_open(t->store, test_op(), t->metadata, m, &reader, err));
    for (;;) {
        const rwl_manifest_entry *e;
        ASSERT_OK(rwl_manifest_reader_next(reader, &e, err));
        if (e == NULL)
            break;
        if (head->entry_count == *room) {
            *room = *room * 2 + 16;
            rwl_manifest_entry *entries = rwl_arena_array(test_arena(), (size_t)*room, sizeof *entries);
            int32_t *owners = rwl_arena_array(test_arena(), (size_t)*room, sizeof *owners);
            for (int32_t i = 0; i < head->entry_count; i++) {
                entries[i] = head->entries[i];
                owners[i] = head->manifest_of[i];
            }
            head->entries = entries;
            head->manifest_of = owners;
        }
        rwl_manifest_entry *copy = &head->entries[head->entry_count];
        *copy = *e;
        ASSERT_OK(rwl_data_file_copy(test_arena(), &e->file, true, &copy->file, err));
        head->manifest_of[head->entry_count++] = index;
        if (e->status != RWL_STATUS_DELETED)
            ++*(e->file.content == RWL_CONTENT_DATA ? &head->data_files : &head->delete_files);
    }
    rwl_manifest_reader_close(reader);
}

static rwl_table *last_opened; /* keeps the summary alive */

test_head test_read_head(const char *name) {
    rwl_table *t = test_open(name);
    test_head head;
    memset(&head, 0, sizeof head);
    head.format_version = t->metadata->format_version;
    head.next_row_id = t->metadata->next_row_id;
    head.last_sequence_number = t->metadata->last_sequence_number;
    head.snapshot_id = head.parent_id = -1;
    rwl_table_free(last_opened);
    last_opened = t;
    rwl_op_release(test_op(), t->metadata->charged); /* what is tested is charged, not what is kept here */
    t->metadata->charged = 0;
    if (t->snapshot == NULL)
        return head;
    head.snapshot_id = t->snapshot->snapshot_id;
    head.parent_id = t->snapshot->parent_id;
    head.first_row_id = t->snapshot->has_first_row_id ? t->snapshot->first_row_id : -1;
    head.added_rows = t->snapshot->has_first_row_id ? t->snapshot->added_rows : -1;
    head.operation = t->snapshot->operation;
    head.summary = t->snapshot->summary;
    rwl_manifest_list list;
    memset(&list, 0, sizeof list);
    ASSERT_OK(rwl_manifest_list_read(t->store, test_op(), t->snapshot, &list, err));
    head.manifests = rwl_arena_copy(test_arena(), list.items, (size_t)list.count * sizeof *list.items);
    head.manifest_count = list.count;
    int32_t room = 0;
    for (int32_t i = 0; i < list.count; i++) {
        head.manifests[i].path = rwl_arena_strdup(test_arena(), list.items[i].path);
        read_entries(t, &list.items[i], i, &head, &room);
    }
    rwl_manifest_list_clear(&list);
    return head;
}

const rwl_manifest_entry *test_live(const test_head *head, int32_t n) {
    for (int32_t i = 0; i < head->entry_count; i++) {
        const rwl_manifest_entry *e = &head->entries[i];
        if (e->status != RWL_STATUS_DELETED && e->file.content == RWL_CONTENT_DATA && n-- == 0)
            return e;
    }
    ck_abort_msg("there is no live data file %d", n);
    return NULL;
}

int64_t test_bound(const rwl_data_file *file, int32_t field_id, bool upper) {
    const rwl_metric_bound *bounds = upper ? file->upper_bounds : file->lower_bounds;
    int32_t count = upper ? file->upper_count : file->lower_count;
    for (int32_t i = 0; i < count; i++) {
        if (bounds[i].field_id != field_id)
            continue;
        rwl_type type = rwl_type_of(RWL_TYPE_LONG);
        rwl_value v;
        ASSERT_OK(rwl_value_decode(&type, bounds[i].value, &v, err));
        return v.as.i64;
    }
    ck_abort_msg("field %d has no bound", field_id);
    return 0;
}

int64_t test_figure(const test_head *head, const char *key) {
    const char *text = rwl_json_str(rwl_json_get(head->summary, key));
    return text != NULL ? strtoll(text, NULL, 10) : -1;
}

/* --- the commit loop with files of no substance --- */

rwl_added_file test_fake_file(const char *path, int64_t size, int64_t rows, const rwl_value *partition) {
    rwl_added_file f;
    memset(&f, 0, sizeof f);
    f.location = path;
    f.format = "PARQUET";
    f.file_size = size;
    f.row_count = rows;
    f.partition = partition;
    f.partition_count = partition != NULL;
    f.lineage.min_id = INT64_MAX;
    f.lineage.max_id = INT64_MIN;
    return f;
}

rwl_status try_commit(rwl_table *t, const rwl_change_set *change, rwl_commit_outcome *out, rwl_error *err) {
    rwl_commit_request request = {.change = change, .branch = "main"};
    return rwl_commit(t, test_op(), &request, out, err);
}

rwl_commit_outcome test_commit(const char *name, const rwl_change_set *change) {
    rwl_table *t = test_open(name);
    rwl_commit_outcome out;
    ASSERT_OK(try_commit(t, change, &out, err));
    test_close(t);
    return out;
}

void test_append_fakes(const char *name, const rwl_added_file *files, size_t count) {
    rwl_change_set change = {.operation = RWL_OPERATION_APPEND,
                             .planned_snapshot_id = -1,
                             .data_sequence_number = -1,
                             .added_files = files,
                             .added_file_count = count};
    test_commit(name, &change);
}

/* --- commits of other writers --- */

static int64_t next_snapshot_id(const rwl_table *t) {
    return 1000 + t->version;
}

rwl_manifest test_manifest(rwl_table *t, int32_t content, const rwl_data_file *files, int32_t count) {
    static int number;
    const char *path =
        rwl_arena_printf(test_arena(), "%s/metadata/other-m%d.avro", t->metadata->location, number++);
    rwl_manifest_writer_options options = {.format_version = t->metadata->format_version,
                                           .content = content,
                                           .schema = t->metadata->schema,
                                           .spec = t->metadata->spec,
                                           .snapshot_id = next_snapshot_id(t),
                                           .codec = RWL_CODEC_DEFLATE};
    rwl_manifest_writer *w = NULL;
    rwl_manifest m;
    ASSERT_OK(rwl_manifest_writer_open(t->store, test_op(), path, &options, &w, err));
    for (int32_t i = 0; i < count; i++)
        ASSERT_OK(rwl_manifest_writer_add(w, &files[i], -1, err));
    ASSERT_OK(rwl_manifest_writer_finish(w, test_arena(), &m, err));
    return m;
}

/* The manifest list's schema of format version 3, without what is optional and not needed here. */
static const char list_schema[] =
    "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":["
    "{\"name\":\"manifest_path\",\"type\":\"string\",\"field-id\":500},"
    "{\"name\":\"manifest_length\",\"type\":\"long\",\"field-id\":501},"
    "{\"name\":\"partition_spec_id\",\"type\":\"int\",\"field-id\":502},"
    "{\"name\":\"content\",\"type\":\"int\",\"field-id\":517},"
    "{\"name\":\"sequence_number\",\"type\":\"long\",\"field-id\":515},"
    "{\"name\":\"min_sequence_number\",\"type\":\"long\",\"field-id\":516},"
    "{\"name\":\"added_snapshot_id\",\"type\":\"long\",\"field-id\":503},"
    "{\"name\":\"added_files_count\",\"type\":\"int\",\"field-id\":504},"
    "{\"name\":\"existing_files_count\",\"type\":\"int\",\"field-id\":505},"
    "{\"name\":\"deleted_files_count\",\"type\":\"int\",\"field-id\":506},"
    "{\"name\":\"added_rows_count\",\"type\":\"long\",\"field-id\":512},"
    "{\"name\":\"existing_rows_count\",\"type\":\"long\",\"field-id\":513},"
    "{\"name\":\"deleted_rows_count\",\"type\":\"long\",\"field-id\":514},"
    "{\"name\":\"first_row_id\",\"type\":[\"null\",\"long\"],\"default\":null,\"field-id\":520}]}";

static void put_line(rwl_buf *out, const rwl_manifest *m, int64_t sequence) {
    const int64_t numbers[] = {m->length,
                               m->spec_id,
                               m->content,
                               m->sequence_number < 0 ? sequence : m->sequence_number,
                               m->min_sequence_number < 0 ? sequence : m->min_sequence_number,
                               m->added_snapshot_id,
                               m->added_files,
                               m->existing_files,
                               m->deleted_files,
                               m->added_rows,
                               m->existing_rows,
                               m->deleted_rows};
    ASSERT_OK(rwl_avro_put_bytes(out, rwl_span_str(m->path), err));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ASSERT_OK(rwl_avro_put_long(out, numbers[i], err));
    ASSERT_OK(rwl_avro_put_long(out, m->has_first_row_id, err));
    if (m->has_first_row_id)
        ASSERT_OK(rwl_avro_put_long(out, m->first_row_id, err));
}

static void write_list(rwl_table *t, const char *path, const rwl_manifest *manifests, int32_t count) {
    rwl_avro_writer *w = NULL;
    int64_t size;
    ASSERT_OK(
        rwl_avro_writer_open(t->store, test_op(), path, list_schema, NULL, 0, RWL_CODEC_NONE, 0, &w, err));
    for (int32_t i = 0; i < count; i++) {
        put_line(rwl_avro_writer_record(w), &manifests[i], t->metadata->last_sequence_number + 1);
        ASSERT_OK(rwl_avro_writer_end_record(w, err));
    }
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
}

void test_put_snapshot(rwl_table *t, const rwl_manifest *manifests, int32_t count, const char *operation,
                       const char *engine, int64_t added_rows) {
    const rwl_metadata *m = t->metadata;
    const char *list = rwl_arena_printf(test_arena(), "%s/metadata/other-list-%lld.avro", m->location,
                                        (long long)t->version);
    write_list(t, list, manifests, count);
    rwl_snapshot_new snapshot = {.snapshot_id = next_snapshot_id(t),
                                 .parent_id = t->snapshot != NULL ? t->snapshot->snapshot_id : -1,
                                 .sequence_number = m->last_sequence_number + 1,
                                 .timestamp_ms = m->last_updated_ms + 1,
                                 .manifest_list = list,
                                 .schema_id = m->schema->schema_id,
                                 .first_row_id = m->next_row_id,
                                 .added_rows = added_rows,
                                 .summary = rwl_json_new_object()};
    ASSERT_OK(rwl_json_set(snapshot.summary, "operation", rwl_json_new_str(operation), err));
    if (engine != NULL)
        ASSERT_OK(rwl_json_set(snapshot.summary, "engine-name", rwl_json_new_str(engine), err));
    rwl_metadata *next = NULL;
    ASSERT_OK(rwl_metadata_add_snapshot(m, &snapshot, "main", &next, err));
    rwl_buf text;
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_metadata_dump(next, &text, err));
    const char *location;
    ASSERT_OK(rwl_place_swap(&t->place, test_op(), t->version + 1, rwl_buf_span(&text), false, test_arena(),
                             &location, err));
    rwl_buf_clear(&text);
    rwl_metadata_free(next);
    ASSERT_OK(rwl_table_refresh(t, test_op(), err));
}

rwl_data_file test_position_deletes(rwl_table *t, const char *name, const char *const *paths,
                                    const int64_t *positions, int32_t count) {
    const rwl_field fields[] = {
        {.name = "file_path",
         .id = RWL_FIELD_ID_DELETE_PATH,
         .required = true,
         .type = rwl_type_of(RWL_TYPE_STRING)},
        {.name = "pos", .id = RWL_FIELD_ID_DELETE_POS, .required = true, .type = rwl_type_of(RWL_TYPE_LONG)}};
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, 2, err));
    bool one = true;
    for (int32_t i = 0; i < count; i++) {
        rwl_value path = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(paths[i])};
        rwl_value pos = {.kind = RWL_TYPE_LONG, .as.i64 = positions[i]};
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &path, 1, err));
        ASSERT_OK(rwl_column_append(&batch.columns[1], test_env(), &pos, 1, err));
        batch.length++;
        one = one && strcmp(paths[i], paths[0]) == 0;
    }
    rwl_data_file f;
    memset(&f, 0, sizeof f);
    f.content = RWL_CONTENT_POSITION_DELETES;
    f.file_path = rwl_arena_printf(test_arena(), "%s/data/%s", t->metadata->location, name);
    f.file_format = "PARQUET";
    f.record_count = count;
    f.sort_order_id = -1;
    f.content_offset = f.content_size = -1;
    f.referenced_data_file = one ? rwl_arena_strdup(test_arena(), paths[0]) : NULL;
    rwl_parquet_writer *w = NULL;
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    const rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD};
    ASSERT_OK(rwl_parquet_writer_open(t->store, test_op(), f.file_path, fields, 2, &options, &w, err));
    ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    f.file_size = written.file_size;
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return f;
}

static rwl_data_file equality_deletes(rwl_table *t, const char *name, const int64_t *ids, int32_t count) {
    static const int32_t keys[] = {1};
    const rwl_field field = {.name = "id", .id = 1, .type = rwl_type_of(RWL_TYPE_LONG)};
    const rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD};
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), &field, 1, err));
    for (int32_t i = 0; i < count; i++) {
        rwl_value id = {.kind = RWL_TYPE_LONG, .as.i64 = ids[i]};
        ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &id, 1, err));
    }
    batch.length = count;
    rwl_data_file f;
    memset(&f, 0, sizeof f);
    f.content = RWL_CONTENT_EQUALITY_DELETES;
    f.file_path = rwl_arena_printf(test_arena(), "%s/data/%s", t->metadata->location, name);
    f.file_format = "PARQUET";
    f.record_count = count;
    f.sort_order_id = -1;
    f.content_offset = f.content_size = -1;
    f.equality_ids = keys;
    f.equality_count = 1;
    rwl_parquet_writer *w = NULL;
    rwl_parquet_written written;
    memset(&written, 0, sizeof written);
    ASSERT_OK(rwl_parquet_writer_open(t->store, test_op(), f.file_path, &field, 1, &options, &w, err));
    ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    f.file_size = written.file_size;
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return f;
}

void test_delete_by_equality(const char *name, const char *file, const int64_t *ids, int32_t count) {
    enum { MOST = 8 };
    rwl_table *t = test_open(name);
    test_head head = test_read_head(name);
    rwl_manifest manifests[MOST];
    ck_assert_int_lt(head.manifest_count, MOST);
    memcpy(manifests, head.manifests, (size_t)head.manifest_count * sizeof *manifests);
    rwl_data_file f = equality_deletes(t, file, ids, count);
    manifests[head.manifest_count] = test_manifest(t, 1, &f, 1);
    test_put_snapshot(t, manifests, head.manifest_count + 1, "delete", "other", 0);
    test_close(t);
}
