/* SPDX-License-Identifier: Apache-2.0 */
#include "case_table.h"

#include "avro/avro.h"
#include "engine/task.h"
#include "parquet/writer.h"

#include <stdio.h>
#include <string.h>

/* --- reading --- */

static void put_row(rwl_buf *out, const rwl_field *fields, const rwl_batch *batch, int64_t row) {
    for (int32_t i = 0; i < batch->column_count; i++) {
        rwl_value v = rwl_column_value(&batch->columns[i], row);
        if (i > 0)
            ASSERT_OK(rwl_buf_u8(out, ',', err));
        if (v.is_null)
            ASSERT_OK(rwl_buf_str(out, "null", err));
        else
            ASSERT_OK(rwl_value_format(&fields[i].type, &v, out, err));
    }
}

/* All rows of a scan, which is closed. */
static const char *drain(rwl_scan *scan, bool mark_batches) {
    rwl_batch batch;
    rwl_buf out;
    int32_t count;
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    for (;;) {
        ASSERT_OK(rwl_scan_next(scan, &batch, err));
        if (batch.length == 0)
            break;
        if (mark_batches && out.len > 0)
            ASSERT_OK(rwl_buf_str(&out, " |", err));
        for (int64_t row = 0; row < batch.length; row++) {
            if (out.len > 0)
                ASSERT_OK(rwl_buf_u8(&out, ' ', err));
            put_row(&out, fields, &batch, row);
        }
    }
    const char *text = rwl_arena_strndup(test_arena(), out.len > 0 ? (const char *)out.data : "", out.len);
    rwl_buf_clear(&out);
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    return text;
}

static const char *read_rows(const char *name, const rwl_scan_options *options, bool mark_batches) {
    const rwl_table_options how = {0};
    rwl_table *t = NULL;
    rwl_scan *scan = NULL;
    ASSERT_OK(rwl_table_open(test_op(), test_path(name), &how, &t, err));
    ASSERT_OK(rwl_scan_open(t, test_op(), options, &scan, err));
    const char *text = drain(scan, mark_batches);
    test_close(t);
    return text;
}

const char *case_rows(const char *name, const char *select, const char *where) {
    const rwl_scan_options options = {.rows = {.select = select, .where = where}, .limit = -1};
    return read_rows(name, &options, false);
}

const char *case_batches(const char *name, const char *select, int64_t batch_rows) {
    const rwl_scan_options options = {.rows = {.select = select}, .limit = -1, .batch_rows = batch_rows};
    return read_rows(name, &options, true);
}

const char *case_task_rows(const char *name, rwl_span text) {
    rwl_table *t = test_open(name), at;
    rwl_task task;
    rwl_scan *scan = NULL;
    ASSERT_OK(rwl_task_parse(test_env(), text, &task, err));
    ASSERT_OK(rwl_task_scan(t, test_op(), &task, &at, &scan, err));
    const char *rows = drain(scan, false);
    rwl_task_clear(&task);
    test_close(t);
    return rows;
}

/* --- data files --- */

static rwl_json *json_of(const char *text) {
    char *copy = rwl_arena_strdup(test_arena(), text);
    rwl_json *json = NULL;
    for (char *p = copy; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    ASSERT_OK(rwl_json_parse(rwl_span_str(copy), &json, err));
    return json;
}

static rwl_value cell(const rwl_field *field, const rwl_json *rows, size_t row, int32_t column) {
    const rwl_json *json = rwl_json_at(rwl_json_at(rows, row), (size_t)column);
    rwl_value v = rwl_value_null(field->type.kind);
    if (rwl_json_kind_of(json) != RWL_JSON_NULL)
        ASSERT_OK(rwl_value_from_json(&field->type, json, test_arena(), &v, err));
    return v;
}

static int64_t write_parquet(rwl_table *t, const char *path, const rwl_field *fields, int32_t count,
                             const rwl_json *rows, int64_t group_rows) {
    const rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD, .row_group_rows = group_rows};
    rwl_parquet_writer *w = NULL;
    rwl_parquet_written written;
    rwl_batch batch;
    memset(&written, 0, sizeof written);
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    for (size_t row = 0; row < rwl_json_len(rows); row++, batch.length++)
        for (int32_t c = 0; c < count; c++) {
            rwl_value v = cell(&fields[c], rows, row, c);
            ASSERT_OK(rwl_column_append(&batch.columns[c], test_env(), &v, 1, err));
        }
    ASSERT_OK(rwl_parquet_writer_open(t->store, test_op(), path, fields, count, &options, &w, err));
    ASSERT_OK(rwl_parquet_writer_write(w, &batch, err));
    ASSERT_OK(rwl_parquet_writer_finish(w, &written, err));
    int64_t size = written.file_size;
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
    return size;
}

static const char *avro_name(const rwl_type *type) {
    return type->kind == RWL_TYPE_LONG ? "long" : type->kind == RWL_TYPE_INT ? "int" : "string";
}

static const char *avro_id(const rwl_field *field) {
    return field->id < 0 ? "" : rwl_arena_printf(test_arena(), ",\"field-id\":%d", (int)field->id);
}

static const char *avro_schema(const rwl_field *fields, int32_t count) {
    const char *text = "{\"type\":\"record\",\"name\":\"table\",\"fields\":[";
    for (int32_t i = 0; i < count; i++)
        text = rwl_arena_printf(test_arena(), "%s%s{\"name\":\"%s\",\"type\":[\"null\",\"%s\"]%s}", text,
                                i > 0 ? "," : "", fields[i].name, avro_name(&fields[i].type),
                                avro_id(&fields[i]));
    return rwl_arena_printf(test_arena(), "%s]}", text);
}

static int64_t write_avro(rwl_table *t, const char *path, const rwl_field *fields, int32_t count,
                          const rwl_json *rows) {
    rwl_avro_writer *w = NULL;
    int64_t size;
    ASSERT_OK(rwl_avro_writer_open(t->store, test_op(), path, avro_schema(fields, count), NULL, 0,
                                   RWL_CODEC_DEFLATE, 0, &w, err));
    for (size_t row = 0; row < rwl_json_len(rows); row++) {
        rwl_buf *record = rwl_avro_writer_record(w);
        for (int32_t c = 0; c < count; c++) {
            rwl_value v = cell(&fields[c], rows, row, c);
            ASSERT_OK(rwl_avro_put_long(record, v.is_null ? 0 : 1, err));
            if (v.is_null)
                continue;
            if (v.kind == RWL_TYPE_STRING)
                ASSERT_OK(rwl_avro_put_bytes(record, v.as.bytes, err));
            else
                ASSERT_OK(rwl_avro_put_long(record, v.kind == RWL_TYPE_INT ? v.as.i32 : v.as.i64, err));
        }
        ASSERT_OK(rwl_avro_writer_end_record(w, err));
    }
    ASSERT_OK(rwl_avro_writer_finish(w, &size, err));
    return size;
}

rwl_data_file case_write(rwl_table *t, const char *name, const rwl_field *fields, int32_t count,
                         const char *rows, int64_t group_rows) {
    rwl_json *json = json_of(rows);
    bool avro = strstr(name, ".avro") != NULL;
    rwl_data_file f;
    memset(&f, 0, sizeof f);
    f.file_path = rwl_arena_printf(test_arena(), "%s/data/%s", t->metadata->location, name);
    f.file_format = avro ? "AVRO" : "PARQUET";
    f.record_count = (int64_t)rwl_json_len(json);
    f.sort_order_id = -1;
    f.content_offset = f.content_size = -1;
    f.file_size = avro ? write_avro(t, f.file_path, fields, count, json)
                       : write_parquet(t, f.file_path, fields, count, json, group_rows);
    rwl_json_free(json);
    return f;
}

/* --- commits --- */

void case_advance(const char *name, int64_t sequence_number, int64_t next_row_id) {
    for (;;) {
        rwl_table *t = test_open(name);
        int64_t next = t->metadata->last_sequence_number + 1;
        if (next < sequence_number)
            test_put_snapshot(t, NULL, 0, "append", "other",
                              next == 1 && t->metadata->format_version >= 3 ? next_row_id : 0);
        test_close(t);
        if (next >= sequence_number)
            break;
    }
}

void case_commit(rwl_table *t, const char *name, rwl_manifest manifest, int64_t added_rows) {
    test_head head = test_read_head(name);
    rwl_manifest *lines = rwl_arena_array(test_arena(), (size_t)head.manifest_count + 1, sizeof *lines);
    lines[0] = manifest;
    lines[0].has_first_row_id = t->metadata->format_version >= 3 && manifest.content == 0;
    lines[0].first_row_id = t->metadata->next_row_id;
    if (head.manifest_count > 0)
        memcpy(lines + 1, head.manifests, (size_t)head.manifest_count * sizeof *lines);
    test_put_snapshot(t, lines, head.manifest_count + 1, "append", "other", added_rows);
}

void case_append(const char *name, const char *file, const rwl_field *fields, int32_t count, const char *rows,
                 int64_t group_rows) {
    rwl_table *t = test_open(name);
    rwl_data_file f = case_write(t, file, fields, count, rows, group_rows);
    case_commit(t, name, test_manifest(t, RWL_CONTENT_DATA, &f, 1), f.record_count);
    test_close(t);
}

void case_partition_by(const char *name, int32_t column_id, const char *column) {
    rwl_table *t = test_open(name);
    const char *path = rwl_arena_printf(test_arena(), "%s/metadata/v%lld.metadata.json", test_path(name),
                                        (long long)t->version);
    int32_t spec_id = t->metadata->spec->spec_id + 1, field_id = 1000 + spec_id;
    rwl_json *json = rwl_json_copy(t->metadata->json);
    rwl_json *spec =
        json_of(rwl_arena_printf(test_arena(),
                                 "{'spec-id': %d, 'fields': [{'name': '%s', 'transform': 'identity', "
                                 "'source-id': %d, 'field-id': %d}]}",
                                 (int)spec_id, column, (int)column_id, (int)field_id));
    rwl_buf text;
    ASSERT_OK(rwl_json_append(rwl_json_get(json, "partition-specs"), spec, err));
    ASSERT_OK(rwl_json_set(json, "default-spec-id", rwl_json_new_i64(spec_id), err));
    ASSERT_OK(rwl_json_set(json, "last-partition-id", rwl_json_new_i64(field_id), err));
    rwl_buf_init(&text, test_env(), SIZE_MAX);
    ASSERT_OK(rwl_json_dump(json, 0, &text, err));
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text.data, 1, text.len, file), text.len);
    ck_assert_int_eq(fclose(file), 0);
    rwl_json_free(json);
    rwl_buf_clear(&text);
    test_close(t);
}
