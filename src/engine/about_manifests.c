/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest list as rows. */
#include "engine/about.h"

#include "engine/entry_walk.h"

enum { ROWS_A_BATCH = 1024 };

static const rwl_field MANIFEST_FIELDS[] = {
    RWL_ABOUT_FIELD("content", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("path", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("length", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("partition_spec_id", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("added_snapshot_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("added_data_files_count", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("existing_data_files_count", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("deleted_data_files_count", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("added_delete_files_count", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("existing_delete_files_count", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("deleted_delete_files_count", RWL_TYPE_INT),
    RWL_ABOUT_JSON("partition_summaries"),
    RWL_ABOUT_FIELD("sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("min_sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("first_row_id", RWL_TYPE_LONG),
};
enum { MANIFEST_FIELD_COUNT = sizeof MANIFEST_FIELDS / sizeof *MANIFEST_FIELDS };

typedef struct manifests_source {
    const rwl_table *table;
    rwl_op *op;
    rwl_manifest_list list;
    int32_t given;
    rwl_arena arena; /* types of one manifest's partition fields */
    rwl_buf text, bound;
} manifests_source;

static void free_manifests(void *ctx) {
    manifests_source *m = ctx;
    const rwl_env *env = m->op->env;
    rwl_manifest_list_clear(&m->list);
    rwl_arena_clear(&m->arena);
    rwl_buf_clear(&m->text);
    rwl_buf_clear(&m->bound);
    rwl_free(env, m);
}

/* A bound as people read it; as hex when nothing tells its type or the bytes are none of it. */
static void put_bound(manifests_source *m, rwl_doc *doc, const char *key, const rwl_partition_field *field,
                      const rwl_type *type, rwl_span bytes) {
    rwl_value v;
    rwl_error ignored;
    rwl_buf_reset(&m->bound);
    if (bytes.data == NULL)
        rwl_doc_text(doc, key, NULL);
    else if (type != NULL && rwl_value_decode(type, bytes, &v, &ignored) == RWL_OK &&
             rwl_transform_format(&field->transform, type, &v, &m->bound, &ignored) == RWL_OK)
        rwl_doc_span(doc, key, rwl_buf_span(&m->bound));
    else
        rwl_doc_hex(doc, key, bytes);
}

static void put_summary(manifests_source *m, rwl_doc *doc, const rwl_field_summary *s,
                        const rwl_partition_field *field, const rwl_type *type) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_bool(doc, "contains_null", s->contains_null);
    if (s->contains_nan < 0)
        rwl_doc_text(doc, "contains_nan", NULL);
    else
        rwl_doc_bool(doc, "contains_nan", s->contains_nan == 1);
    put_bound(m, doc, "lower_bound", field, type, s->lower);
    put_bound(m, doc, "upper_bound", field, type, s->upper);
    rwl_doc_close(doc, '}');
}

/* An array as long as the spec, null where the manifest list has none. */
static void add_summaries(manifests_source *m, rwl_about_row *row, const rwl_manifest *manifest) {
    const rwl_partition_spec *spec = NULL;
    const rwl_type *types = NULL;
    rwl_arena_reset(&m->arena);
    if (row->st == RWL_OK)
        row->st = rwl_manifest_spec_types(m->table->metadata, manifest, &m->arena, &spec, &types, row->err);
    rwl_doc doc = rwl_about_doc(row, &m->text);
    if (manifest->partitions == NULL) {
        rwl_about_text(row, rwl_span_of(NULL, 0));
        return;
    }
    rwl_doc_open(&doc, NULL, '[');
    for (int32_t i = 0; i < manifest->partition_count; i++) {
        bool known = spec != NULL && i < spec->field_count;
        put_summary(m, &doc, &manifest->partitions[i], known ? &spec->fields[i] : NULL,
                    known ? &types[i] : NULL);
    }
    rwl_doc_close(&doc, ']');
    rwl_about_json(row, &doc);
}

/* Counts of data files and delete files: one kind is 0 in every manifest; null where the list has none. */
static void add_counts(rwl_about_row *row, const rwl_manifest *manifest) {
    const int32_t counts[] = {manifest->added_files, manifest->existing_files, manifest->deleted_files};
    for (int32_t content = 0; content < 2; content++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            bool own = manifest->content == content;
            rwl_about_i32(row, !own || counts[i] >= 0, own ? counts[i] : 0);
        }
}

static rwl_status add_manifest(manifests_source *m, const rwl_manifest *manifest, rwl_batch *batch,
                               rwl_error *err) {
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_i32(&row, true, manifest->content);
    rwl_about_text(&row, rwl_span_str(manifest->path));
    rwl_about_i64(&row, true, manifest->length);
    rwl_about_i32(&row, true, manifest->spec_id);
    rwl_about_i64(&row, manifest->added_snapshot_id >= 0, manifest->added_snapshot_id);
    add_counts(&row, manifest);
    add_summaries(m, &row, manifest);
    rwl_about_i64(&row, manifest->sequence_number >= 0, manifest->sequence_number);
    rwl_about_i64(&row, manifest->min_sequence_number >= 0, manifest->min_sequence_number);
    rwl_about_i64(&row, manifest->has_first_row_id, manifest->first_row_id);
    return rwl_about_end(&row);
}

static rwl_status next_manifests(void *ctx, rwl_batch *batch, rwl_error *err) {
    manifests_source *m = ctx;
    RWL_TRY(rwl_op_check(m->op, err));
    while (batch->length < ROWS_A_BATCH && m->given < m->list.count)
        RWL_TRY(add_manifest(m, &m->list.items[m->given++], batch, err));
    return RWL_OK;
}

rwl_status rwl_about_manifests(const rwl_table *table, rwl_op *op, struct ArrowArrayStream *out,
                               rwl_error *err) {
    manifests_source *m = rwl_calloc(op->env, 1, sizeof *m);
    if (m == NULL)
        return rwl_no_memory(err, sizeof *m);
    m->table = table;
    m->op = op;
    rwl_arena_init(&m->arena, op->env, 0);
    rwl_arena_init(&m->list.arena, op->env, 0);
    rwl_buf_init(&m->text, op->env, SIZE_MAX);
    rwl_buf_init(&m->bound, op->env, SIZE_MAX);
    if (table->snapshot != NULL) {
        rwl_status st = rwl_manifest_list_read(table->store, op, table->snapshot, &m->list, err);
        if (st != RWL_OK) {
            free_manifests(m);
            return st;
        }
    }
    rwl_arrow_source source = {m, next_manifests, free_manifests};
    return rwl_arrow_stream_from(op->env, MANIFEST_FIELDS, MANIFEST_FIELD_COUNT, source, out, err);
}
