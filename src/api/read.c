/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, digests, and the tables about a table, as streams. */
#include "api/api_internal.h"

#include "column/arrow.h"
#include "engine/about.h"
#include "engine/digest.h"

#include <stdlib.h>

void rowline_stream_error(struct ArrowArrayStream *stream, rowline_error *out) {
    rwl_arrow_stream_error(stream, out);
}

rowline_status rowline_count(rowline_table *t, const char *where, int64_t *out, rowline_error *err) {
    return rwl_table_count(t->table, &t->context->op, where, out, err);
}

void rwl_api_digest(rowline_digest *given, const rwl_digest *from) {
    given->rows = from->rows;
    given->rows_without_lineage = from->rows_without_lineage;
    rwl_i128_format(from->row_id_sum, 0, given->row_id_sum);
    rwl_i128_format(from->last_updated_sum, 0, given->last_updated_sum);
    rwl_i128_format(from->product_sum, 0, given->product_sum);
    rwl_digest_checksum_format(from, given->lineage_checksum);
}

static void give_digest(rowline_digest *given, const rwl_digest *from) {
    rowline_digest out;
    memset(&out, 0, sizeof out);
    rwl_api_digest(&out, from);
    rwl_api_result(given, &out, sizeof out);
}

rowline_status rowline_table_digest(rowline_table *t, const char *where, rowline_digest *out,
                                    rowline_error *err) {
    rwl_digest digest;
    RWL_TRY(rwl_table_digest(t->table, &t->context->op, where, &digest, err));
    give_digest(out, &digest);
    return RWL_OK;
}

/* `state` NULL is the handle's own. */
static rwl_status digest_state(rowline_table *t, const char *state, const char *where, rwl_digest *out,
                               rwl_error *err) {
    rwl_table at;
    if (state == NULL)
        return rwl_table_digest(t->table, &t->context->op, where, out, err);
    RWL_TRY(rwl_table_at(t->table, &t->context->op, state, &at, err));
    rwl_status st = rwl_table_digest(&at, &t->context->op, where, out, err);
    rwl_table_at_clear(&at);
    return st;
}

rowline_status rowline_digest_compare(rowline_table *t, const char *a, const char *b, const char *where,
                                      rowline_digest *digest_a, rowline_digest *digest_b, int32_t *equal,
                                      rowline_error *err) {
    rwl_digest first, second;
    RWL_TRY(digest_state(t, a, where, &first, err));
    RWL_TRY(digest_state(t, b, where, &second, err));
    give_digest(digest_a, &first);
    give_digest(digest_b, &second);
    *equal = rwl_digest_equal(&first, &second);
    return RWL_OK;
}

rowline_status rowline_log(rowline_table *t, int32_t flags, struct ArrowArrayStream *out,
                           rowline_error *err) {
    RWL_TRY(rwl_table_check_metadata(t->table, err));
    rwl_log_options options = {.all = (flags & ROWLINE_LOG_ALL) != 0,
                               .metadata = (flags & ROWLINE_LOG_METADATA) != 0};
    return rwl_about_log(t->table, &t->context->op, &options, out, err);
}

rowline_status rowline_files(rowline_table *t, struct ArrowArrayStream *out, rowline_error *err) {
    RWL_TRY(rwl_table_check_metadata(t->table, err));
    return rwl_about_files(t->table, &t->context->op, false, out, err);
}

rowline_status rowline_entries(rowline_table *t, struct ArrowArrayStream *out, rowline_error *err) {
    RWL_TRY(rwl_table_check_iceberg(t->table, "listing manifest entries of", err));
    return rwl_about_files(t->table, &t->context->op, true, out, err);
}

rowline_status rowline_manifests(rowline_table *t, struct ArrowArrayStream *out, rowline_error *err) {
    RWL_TRY(rwl_table_check_iceberg(t->table, "listing manifests of", err));
    return rwl_about_manifests(t->table, &t->context->op, out, err);
}

rowline_status rowline_partitions(rowline_table *t, struct ArrowArrayStream *out, rowline_error *err) {
    RWL_TRY(rwl_table_check_iceberg(t->table, "listing partitions of", err));
    return rwl_about_partitions(t->table, &t->context->op, out, err);
}

rowline_status rowline_refs(rowline_table *t, struct ArrowArrayStream *out, rowline_error *err) {
    RWL_TRY(rwl_table_check_metadata(t->table, err));
    return rwl_about_refs(t->table, &t->context->op, out, err);
}

/* --- cells --- */

struct rowline_formatter {
    const rwl_env *env;
    rwl_arena arena;
    rwl_field *fields;
    int32_t field_count;
    rwl_buf text;
};

rowline_status rowline_formatter_new(rowline_context *context, const struct ArrowSchema *schema,
                                     rowline_formatter **out, rowline_error *err) {
    rowline_formatter *f = rwl_calloc(&context->env, 1, sizeof *f);
    if (f == NULL)
        return rwl_no_memory(err, sizeof *f);
    f->env = &context->env;
    rwl_arena_init(&f->arena, f->env, 0);
    rwl_buf_init(&f->text, f->env, SIZE_MAX);
    rwl_status st = rwl_arrow_import_schema(schema, &f->arena, &f->fields, &f->field_count, err);
    if (st != RWL_OK) {
        rowline_formatter_free(f);
        return st;
    }
    *out = f;
    return RWL_OK;
}

void rowline_formatter_free(rowline_formatter *f) {
    if (f == NULL)
        return;
    rwl_buf_clear(&f->text);
    rwl_arena_clear(&f->arena);
    rwl_free(f->env, f);
}

static bool is_json(const rwl_type *type) {
    return type->kind == RWL_TYPE_STRING && rwl_type_has(type, RWL_TYPE_JSON);
}

rowline_status rowline_formatter_cell(rowline_formatter *f, const struct ArrowArray *array, int64_t column,
                                      int64_t row, int32_t json, const char **text, size_t *length,
                                      rowline_error *err) {
    if (column < 0 || column >= f->field_count || column >= array->n_children || row < 0 ||
        row >= array->length)
        return rwl_fail(err, RWL_USAGE, "no cell at column %lld, row %lld", (long long)column,
                        (long long)row);
    const rwl_type *type = &f->fields[column].type;
    const struct ArrowArray *child = array->children[column];
    row += array->offset;
    *text = NULL;
    *length = 0;
    bool is_null = rwl_arrow_is_null(child, row);
    if (is_null && !json)
        return RWL_OK;
    rwl_buf_reset(&f->text);
    if (is_null || type->kind == RWL_TYPE_VARIANT || rwl_type_is_nested(type) || (json && !is_json(type))) {
        RWL_TRY(rwl_arrow_format_json(type, child, row, &f->text, err));
    } else {
        rwl_value v = rwl_arrow_cell(type, child, row);
        RWL_TRY(rwl_value_format(type, &v, &f->text, err));
    }
    *length = f->text.len;
    RWL_TRY(rwl_buf_terminate(&f->text, err));
    *text = (const char *)f->text.data;
    return RWL_OK;
}
