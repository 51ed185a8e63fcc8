/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments as rows: their files, deleted rows, and where their lineage is. */
#include "engine/lance_about.h"
#include "engine/lance_figures.h"
#include "lance/carrier.h"
#include "lance/lineage.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROWS_A_BATCH = 256 };

static const rwl_field FILE_FIELDS[] = {
    RWL_ABOUT_FIELD("fragment_id", RWL_TYPE_LONG),
    RWL_ABOUT_JSON("files"),
    RWL_ABOUT_FIELD("physical_rows", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("deleted_rows", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("deletion_file", RWL_TYPE_STRING),
    RWL_ABOUT_JSON("row_ids"),
    RWL_ABOUT_JSON("created_at"),
    RWL_ABOUT_JSON("last_updated_at"),
    RWL_ABOUT_JSON("carrier"),
};
enum { FILE_FIELD_COUNT = sizeof FILE_FIELDS / sizeof *FILE_FIELDS };

typedef struct files_source {
    const rwl_table *table;
    rwl_op *op;
    size_t given;
    rwl_arena arena; /* of a row */
    rwl_buf text;
} files_source;

static void free_files(void *ctx) {
    files_source *f = ctx;
    const rwl_env *env = f->table->env;
    rwl_arena_clear(&f->arena);
    rwl_buf_clear(&f->text);
    rwl_free(env, f);
}

static void put_numbers(rwl_doc *doc, const char *key, const int32_t *numbers, int32_t count) {
    rwl_doc_open(doc, key, '[');
    for (int32_t i = 0; i < count; i++)
        rwl_doc_i64(doc, NULL, numbers[i]);
    rwl_doc_close(doc, ']');
}

/* [{path, fields, column_indices, file_version, bytes, base_id}…] */
static rwl_status add_data_files(rwl_about_row *row, files_source *f, const rwl_lance_fragment *fragment,
                                 rwl_error *err) {
    rwl_doc doc = rwl_about_doc(row, &f->text);
    rwl_doc_open(&doc, NULL, '[');
    for (int32_t i = 0; i < fragment->file_count; i++) {
        const rwl_lance_data_file *file = &fragment->files[i];
        const char *location;
        char version[32];
        RWL_TRY(rwl_lance_data_location(f->table->lance, file, &f->arena, &location, err));
        snprintf(version, sizeof version, "%" PRIu32 ".%" PRIu32, file->major_version, file->minor_version);
        rwl_doc_open(&doc, NULL, '{');
        rwl_doc_text(&doc, "path", location);
        put_numbers(&doc, "fields", file->fields, file->field_count);
        put_numbers(&doc, "column_indices", file->column_indices, file->index_count);
        rwl_doc_text(&doc, "file_version", version);
        rwl_doc_maybe(&doc, "bytes", file->size > 0, file->size);
        rwl_doc_maybe(&doc, "base_id", file->base_id >= 0, file->base_id);
        rwl_doc_close(&doc, '}');
    }
    rwl_doc_close(&doc, ']');
    rwl_about_json(row, &doc);
    return RWL_OK;
}

static rwl_status add_deletions(rwl_about_row *row, files_source *f, const rwl_lance_fragment *fragment,
                                rwl_error *err) {
    const char *location = NULL;
    int64_t deleted;
    RWL_TRY(rwl_lance_deleted_rows(f->table->lance, f->op, fragment, &deleted, err));
    if (fragment->deletion.is_present)
        RWL_TRY(rwl_lance_deletion_location(f->table->lance, fragment, &f->arena, &location, err));
    rwl_about_i64(row, true, deleted);
    rwl_about_text(row, location != NULL ? rwl_span_str(location) : rwl_span_of(NULL, 0));
    return RWL_OK;
}

/* {kind, bytes, least, greatest}: bytes of an inline one; bounds where the manifest tells them. */
static rwl_status add_arm(rwl_about_row *row, files_source *f, const rwl_lance_fragment *fragment,
                          rwl_lance_sequence s, rwl_error *err) {
    const rwl_lance_arm *arm = &fragment->arms[s];
    bool known = false;
    int64_t least, greatest;
    if (arm->kind == RWL_LANCE_ARM_INLINE)
        RWL_TRY(rwl_lance_lineage_bounds(fragment, s, &known, &least, &greatest, err));
    rwl_doc doc = rwl_about_doc(row, &f->text);
    rwl_doc_open(&doc, NULL, '{');
    rwl_doc_text(&doc, "kind", rwl_lance_arm_name(arm->kind));
    if (arm->kind == RWL_LANCE_ARM_INLINE)
        rwl_doc_i64(&doc, "bytes", arm->length);
    if (known) {
        rwl_doc_i64(&doc, "least", least);
        rwl_doc_i64(&doc, "greatest", greatest);
    }
    rwl_doc_close(&doc, '}');
    rwl_about_json(row, &doc);
    return RWL_OK;
}

/* {sequence: path} of spilled ones; null when there are none. */
static rwl_status add_carrier(rwl_about_row *row, files_source *f, const rwl_lance_fragment *fragment,
                              rwl_error *err) {
    rwl_doc doc = rwl_about_doc(row, &f->text);
    bool any = false;
    rwl_doc_open(&doc, NULL, '{');
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++) {
        int32_t file, column;
        const char *location;
        if (fragment->arms[s].kind != RWL_LANCE_ARM_COLUMN)
            continue;
        RWL_TRY(
            rwl_lance_carrier_find(f->table->lance, fragment, (rwl_lance_sequence)s, &file, &column, err));
        RWL_TRY(rwl_lance_data_location(f->table->lance, &fragment->files[file], &f->arena, &location, err));
        rwl_doc_text(&doc, rwl_lance_sequence_name((rwl_lance_sequence)s), location);
        any = true;
    }
    rwl_doc_close(&doc, '}');
    if (any)
        rwl_about_json(row, &doc);
    else
        rwl_about_text(row, rwl_span_of(NULL, 0));
    return RWL_OK;
}

static rwl_status add_fragment(files_source *f, const rwl_lance_fragment *fragment, rwl_batch *batch,
                               rwl_error *err) {
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_arena_reset(&f->arena);
    rwl_about_i64(&row, true, fragment->id);
    RWL_TRY(add_data_files(&row, f, fragment, err));
    rwl_about_i64(&row, true, fragment->physical_rows);
    RWL_TRY(add_deletions(&row, f, fragment, err));
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        RWL_TRY(add_arm(&row, f, fragment, (rwl_lance_sequence)s, err));
    RWL_TRY(add_carrier(&row, f, fragment, err));
    return rwl_about_end(&row);
}

static rwl_status next_files(void *ctx, rwl_batch *batch, rwl_error *err) {
    files_source *f = ctx;
    const rwl_lance_manifest *m = f->table->lance->manifest;
    for (; batch->length < ROWS_A_BATCH && f->given < m->fragment_count; f->given++) {
        RWL_TRY(rwl_op_check(f->op, err));
        RWL_TRY(add_fragment(f, &m->fragments[f->given], batch, err));
    }
    return RWL_OK;
}

rwl_status rwl_lance_about_files(const rwl_table *table, rwl_op *op, struct ArrowArrayStream *out,
                                 rwl_error *err) {
    files_source *f = rwl_calloc(table->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->table = table;
    f->op = op;
    rwl_arena_init(&f->arena, table->env, 0);
    rwl_buf_init(&f->text, table->env, SIZE_MAX);
    rwl_arrow_source source = {f, next_files, free_files};
    return rwl_arrow_stream_from(table->env, FILE_FIELDS, FILE_FIELD_COUNT, source, out, err);
}
