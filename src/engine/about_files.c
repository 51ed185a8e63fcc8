/* SPDX-License-Identifier: Apache-2.0 */
/* Live files and manifest entries, manifest by manifest. */
#include "engine/entry_walk.h"
#include "engine/lance_about.h"

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
    bool all_entries;
    rwl_entry_walk walk;
    rwl_buf text;
} files_source;

static void free_files(void *ctx) {
    files_source *f = ctx;
    const rwl_env *env = f->walk.op->env;
    rwl_entry_walk_clear(&f->walk);
    rwl_buf_clear(&f->text);
    rwl_free(env, f);
}

static void add_partition(rwl_about_row *row, files_source *f, const rwl_data_file *file) {
    rwl_doc doc = rwl_about_doc(row, &f->text);
    rwl_entry_walk_put_partition(&f->walk, file, &doc);
    rwl_about_json(row, &doc);
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
    add_partition(row, f, file);
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

static rwl_status next_files(void *ctx, rwl_batch *batch, rwl_error *err) {
    files_source *f = ctx;
    while (batch->length < ROWS_A_BATCH) {
        const rwl_manifest_entry *entry;
        RWL_TRY(rwl_entry_walk_next(&f->walk, &entry, err));
        if (entry == NULL)
            return RWL_OK;
        if (entry->status == RWL_STATUS_DELETED && !f->all_entries)
            continue;
        rwl_about_row row = {.batch = batch, .err = err};
        add_file(&row, f, entry);
        if (f->all_entries)
            add_entry(&row, entry, rwl_entry_walk_manifest(&f->walk)->path);
        RWL_TRY(rwl_about_end(&row));
    }
    return RWL_OK;
}

rwl_status rwl_about_files(const rwl_table *table, rwl_op *op, bool all_entries, struct ArrowArrayStream *out,
                           rwl_error *err) {
    if (table->lance != NULL && !all_entries)
        return rwl_lance_about_files(table, op, out, err);
    files_source *f = rwl_calloc(table->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->all_entries = all_entries;
    rwl_buf_init(&f->text, table->env, SIZE_MAX);
    rwl_status st = rwl_entry_walk_open(&f->walk, table, op, table->snapshot, err);
    if (st != RWL_OK) {
        rwl_free(table->env, f);
        return st;
    }
    rwl_arrow_source source = {f, next_files, free_files};
    return rwl_arrow_stream_from(table->env, FILE_FIELDS, all_entries ? ENTRY_FIELD_COUNT : FILE_FIELD_COUNT,
                                 source, out, err);
}
