/* SPDX-License-Identifier: Apache-2.0 */
/* Live files and manifest entries, manifest by manifest. */
#include "engine/about.h"

#include "iceberg/manifest.h"

enum { ROWS_A_BATCH = 1024 };

static const rwl_field FILE_FIELDS[] = {
    RWL_ABOUT_FIELD("content", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("file_path", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("file_format", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("record_count", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("file_size_in_bytes", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("first_row_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("stored_first_row_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("data_sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("file_sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_JSON("partition"),
    RWL_ABOUT_FIELD("spec_id", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("sort_order_id", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("referenced_data_file", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("content_offset", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("content_size_in_bytes", RWL_TYPE_LONG),
    /* of entries alone, from here on */
    RWL_ABOUT_FIELD("status", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("snapshot_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("stored_snapshot_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("stored_data_sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("stored_file_sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("manifest_path", RWL_TYPE_STRING),
};
enum { FILE_FIELD_COUNT = 15, ENTRY_FIELD_COUNT = sizeof FILE_FIELDS / sizeof *FILE_FIELDS };

typedef struct files_source {
    const rwl_table *table;
    rwl_op *op;
    bool all_entries;
    rwl_manifest_list list;
    int32_t manifest;            /* the one being read, list.count at the end */
    rwl_manifest_reader *reader; /* of it, NULL before it is opened */
    rwl_arena arena;             /* partition types of the manifest's spec */
    const rwl_partition_spec *spec;
    rwl_type *types;
    rwl_buf text;
} files_source;

static void free_files(void *ctx) {
    files_source *f = ctx;
    rwl_manifest_reader_close(f->reader);
    rwl_manifest_list_clear(&f->list);
    rwl_arena_clear(&f->arena);
    rwl_buf_clear(&f->text);
    rwl_free(f->op->env, f);
}

/* The partition as a JSON object by field name. */
static rwl_status format_partition(files_source *f, const rwl_data_file *file, rwl_error *err) {
    rwl_buf_reset(&f->text);
    RWL_TRY(rwl_buf_str(&f->text, "{", err));
    for (int32_t i = 0; f->spec != NULL && i < f->spec->field_count && i < file->partition_count; i++) {
        rwl_value name = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(f->spec->fields[i].name)};
        rwl_type text = rwl_type_of(RWL_TYPE_STRING), own = rwl_type_of(file->partition[i].kind);
        const rwl_type *type = f->types[i].kind == own.kind ? &f->types[i] : &own;
        if (i > 0)
            RWL_TRY(rwl_buf_str(&f->text, ", ", err));
        RWL_TRY(rwl_value_format_json(&text, &name, &f->text, err));
        RWL_TRY(rwl_buf_str(&f->text, ": ", err));
        RWL_TRY(rwl_value_format_json(type, &file->partition[i], &f->text, err));
    }
    return rwl_buf_str(&f->text, "}", err);
}

static rwl_span upper_case(const char *format, char out[16]) {
    size_t len = 0;
    for (; format[len] != '\0' && len < 15; len++)
        out[len] = (char)(format[len] >= 'a' && format[len] <= 'z' ? format[len] - 'a' + 'A' : format[len]);
    return rwl_span_of(out, len);
}

static void add_file(rwl_about_row *row, files_source *f, const rwl_manifest_entry *e) {
    const rwl_data_file *file = &e->file;
    char format[16];
    rwl_about_i32(row, true, file->content);
    rwl_about_text(row, rwl_span_str(file->file_path));
    rwl_about_text(row, upper_case(file->file_format, format));
    rwl_about_i64(row, true, file->record_count);
    rwl_about_i64(row, true, file->file_size);
    rwl_about_i64(row, file->has_first_row_id, file->first_row_id);
    rwl_about_i64(row, file->stored_has_first_row_id, file->stored_first_row_id);
    rwl_about_i64(row, e->sequence_number >= 0, e->sequence_number);
    rwl_about_i64(row, e->file_sequence_number >= 0, e->file_sequence_number);
    if (row->st == RWL_OK)
        row->st = format_partition(f, file, row->err);
    rwl_about_text(row, rwl_buf_span(&f->text));
    rwl_about_i32(row, true, file->spec_id);
    rwl_about_i32(row, file->sort_order_id >= 0, file->sort_order_id);
    rwl_about_text(row, file->referenced_data_file != NULL ? rwl_span_str(file->referenced_data_file)
                                                           : rwl_span_of(NULL, 0));
    rwl_about_i64(row, file->content_offset >= 0, file->content_offset);
    rwl_about_i64(row, file->content_size >= 0, file->content_size);
}

static void add_entry(rwl_about_row *row, const rwl_manifest_entry *e, const char *manifest_path) {
    rwl_about_i32(row, true, e->status);
    rwl_about_i64(row, e->snapshot_id >= 0, e->snapshot_id);
    rwl_about_i64(row, e->stored_snapshot_id >= 0, e->stored_snapshot_id);
    rwl_about_i64(row, e->stored_sequence_number >= 0, e->stored_sequence_number);
    rwl_about_i64(row, e->stored_file_sequence_number >= 0, e->stored_file_sequence_number);
    rwl_about_text(row, rwl_span_str(manifest_path));
}

static rwl_status open_manifest(files_source *f, rwl_error *err) {
    const rwl_metadata *m = f->table->metadata;
    const rwl_manifest *manifest = &f->list.items[f->manifest];
    RWL_TRY(rwl_manifest_reader_open(f->table->store, f->op, m, manifest, &f->reader, err));
    rwl_arena_reset(&f->arena);
    f->spec = rwl_metadata_spec(m, manifest->spec_id);
    if (f->spec == NULL)
        return RWL_OK;
    f->types = rwl_arena_array(&f->arena, (size_t)f->spec->field_count, sizeof *f->types);
    if (f->types == NULL)
        return rwl_no_memory(err, (size_t)f->spec->field_count * sizeof *f->types);
    return rwl_partition_types(f->spec, m->schema, f->types, err);
}

static rwl_status next_files(void *ctx, rwl_batch *batch, rwl_error *err) {
    files_source *f = ctx;
    while (batch->length < ROWS_A_BATCH && f->manifest < f->list.count) {
        RWL_TRY(rwl_op_check(f->op, err));
        if (f->reader == NULL)
            RWL_TRY(open_manifest(f, err));
        const rwl_manifest_entry *entry;
        RWL_TRY(rwl_manifest_reader_next(f->reader, &entry, err));
        if (entry == NULL) {
            rwl_manifest_reader_close(f->reader);
            f->reader = NULL;
            f->manifest++;
            continue;
        }
        if (entry->status == RWL_STATUS_DELETED && !f->all_entries)
            continue;
        rwl_about_row row = {.batch = batch, .err = err};
        add_file(&row, f, entry);
        if (f->all_entries)
            add_entry(&row, entry, f->list.items[f->manifest].path);
        RWL_TRY(rwl_about_end(&row));
    }
    return RWL_OK;
}

rwl_status rwl_about_files(const rwl_table *table, rwl_op *op, bool all_entries, struct ArrowArrayStream *out,
                           rwl_error *err) {
    files_source *f = rwl_calloc(table->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->table = table;
    f->op = op;
    f->all_entries = all_entries;
    rwl_arena_init(&f->arena, table->env, 0);
    rwl_arena_init(&f->list.arena, table->env, 0);
    rwl_buf_init(&f->text, table->env, SIZE_MAX);
    if (table->snapshot != NULL) {
        rwl_status st = rwl_manifest_list_read(table->store, op, table->snapshot, &f->list, err);
        if (st != RWL_OK) {
            free_files(f);
            return st;
        }
    }
    rwl_arrow_source source = {f, next_files, free_files};
    return rwl_arrow_stream_from(table->env, FILE_FIELDS, all_entries ? ENTRY_FIELD_COUNT : FILE_FIELD_COUNT,
                                 source, out, err);
}
