/* SPDX-License-Identifier: Apache-2.0 */
/* Table metadata, plain or gzip: what one version of a table says, its own JSON where that is the best summary. */
#include "engine/inspect_internal.h"

#include "iceberg/metadata.h"

#define METADATA_MAX ((size_t)256 * 1024 * 1024)

static rwl_status read_text(rwl_inspect *in, rwl_buf *text, rwl_error *err) {
    RWL_TRY(rwl_store_read_all(in->store, in->op, in->location, text, err));
    if (text->len < 2 || text->data[0] != 0x1f || text->data[1] != 0x8b)
        return RWL_OK;
    rwl_codec *codec;
    rwl_buf plain;
    RWL_TRY(rwl_codec_new(in->env, RWL_CODEC_GZIP, 0, &codec, err));
    rwl_buf_init(&plain, in->env, METADATA_MAX);
    rwl_status st = rwl_codec_decompress_all(codec, rwl_buf_span(text), &plain, err);
    rwl_codec_free(codec);
    rwl_buf_clear(text);
    *text = plain;
    return st;
}

static rwl_status fail_other(const rwl_inspect *in, const char *what, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "%s is %s, no Iceberg table metadata", in->location, what);
}

/* JSON of another kind, and what gzip may hold, are refused by what they are. */
static rwl_status parse(rwl_inspect *in, rwl_span text, rwl_metadata **out, rwl_error *err) {
    size_t i = 0;
    while (i < text.len && memchr(" \t\r\n\xef\xbb\xbf", text.data[i], 7) != NULL)
        i++;
    if (i == text.len || text.data[i] != '{')
        return fail_other(in, "gzip of something else than JSON", err);
    rwl_json *json;
    RWL_TRY(rwl_json_parse(text, &json, err));
    bool is_metadata = rwl_json_get(json, "format-version") != NULL;
    rwl_json_free(json);
    if (!is_metadata)
        return fail_other(in, "JSON without a format-version", err);
    return rwl_metadata_read(in->op, text, in->location, out, err);
}

static void put_snapshot(rwl_doc *doc, const rwl_snapshot *s) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_id(doc, "snapshot_id", s->snapshot_id);
    rwl_doc_id(doc, "parent_snapshot_id", s->parent_id);
    rwl_doc_i64(doc, "sequence_number", s->sequence_number);
    rwl_doc_i64(doc, "timestamp_ms", s->timestamp_ms);
    rwl_doc_text(doc, "operation", s->operation);
    rwl_doc_maybe(doc, "schema_id", s->schema_id >= 0, s->schema_id);
    rwl_doc_maybe(doc, "first_row_id", s->has_first_row_id, s->first_row_id);
    rwl_doc_maybe(doc, "added_rows", s->has_first_row_id, s->added_rows);
    rwl_doc_text(doc, "manifest_list", s->manifest_list);
    rwl_doc_json(doc, "summary", s->summary);
    rwl_doc_close(doc, '}');
}

static void put_refs(rwl_doc *doc, const rwl_metadata *m) {
    rwl_doc_open(doc, "refs", '[');
    for (int32_t i = 0; i < m->ref_count; i++) {
        const rwl_ref *r = &m->refs[i];
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_text(doc, "name", r->name);
        rwl_doc_text(doc, "type", r->is_tag ? "tag" : "branch");
        rwl_doc_id(doc, "snapshot_id", r->snapshot_id);
        rwl_doc_maybe(doc, "min_snapshots_to_keep", r->min_snapshots_to_keep >= 0, r->min_snapshots_to_keep);
        rwl_doc_maybe(doc, "max_snapshot_age_ms", r->max_snapshot_age_ms >= 0, r->max_snapshot_age_ms);
        rwl_doc_maybe(doc, "max_ref_age_ms", r->max_ref_age_ms >= 0, r->max_ref_age_ms);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

/* A list of the metadata, or the one thing that v1 may have in its place, as a list. */
static void put_list(rwl_doc *doc, const char *key, const rwl_json *list, const rwl_json *single) {
    if (list != NULL || single == NULL) {
        rwl_doc_json(doc, key, list);
        return;
    }
    rwl_doc_open(doc, key, '[');
    rwl_doc_json(doc, NULL, single);
    rwl_doc_close(doc, ']');
}

static void put_layout(rwl_doc *doc, const rwl_metadata *m) {
    const rwl_json *json = m->json;
    rwl_doc_i64(doc, "current_schema_id", m->schema->schema_id);
    put_list(doc, "schemas", rwl_json_get(json, "schemas"), rwl_json_get(json, "schema"));
    rwl_doc_i64(doc, "default_spec_id", m->spec->spec_id);
    put_list(doc, "partition_specs", rwl_json_get(json, "partition-specs"), NULL);
    rwl_doc_i64(doc, "default_sort_order_id", m->order->order_id);
    put_list(doc, "sort_orders", rwl_json_get(json, "sort-orders"), NULL);
}

static void put_metadata(rwl_doc *doc, const rwl_metadata *m) {
    const rwl_json *json = m->json;
    rwl_doc_i64(doc, "format_version", m->format_version);
    rwl_doc_text(doc, "table_uuid", m->table_uuid);
    rwl_doc_text(doc, "location", m->location);
    rwl_doc_i64(doc, "last_updated_ms", m->last_updated_ms);
    rwl_doc_i64(doc, "last_sequence_number", m->last_sequence_number);
    rwl_doc_maybe(doc, "next_row_id", m->format_version >= 3, m->next_row_id);
    rwl_doc_id(doc, "current_snapshot_id", m->current_snapshot_id);
    put_layout(doc, m);
    put_refs(doc, m);
    rwl_doc_i64(doc, "snapshot_count", m->snapshot_count);
    rwl_doc_open(doc, "snapshots", '[');
    for (int32_t i = 0; i < m->snapshot_count && doc->st == RWL_OK; i++)
        put_snapshot(doc, &m->snapshots[i]);
    rwl_doc_close(doc, ']');
    rwl_doc_json(doc, "properties", rwl_json_get(json, "properties"));
    rwl_doc_i64(doc, "statistics_files", (int64_t)rwl_json_len(rwl_json_get(json, "statistics")));
    rwl_doc_i64(doc, "earlier_versions", (int64_t)rwl_json_len(rwl_json_get(json, "metadata-log")));
}

static rwl_status put_schema(rwl_doc *doc, const rwl_metadata *m, rwl_error *err) {
    rwl_json *schema;
    RWL_TRY(rwl_schema_to_json(m->schema, &schema, err));
    rwl_doc_json(doc, "schema", schema);
    rwl_json_free(schema);
    return doc->st;
}

rwl_status rwl_inspect_metadata(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_buf text;
    rwl_metadata *m = NULL;
    rwl_buf_init(&text, in->env, METADATA_MAX);
    rwl_status st = read_text(in, &text, err);
    if (st == RWL_OK)
        st = parse(in, rwl_buf_span(&text), &m, err);
    if (st == RWL_OK && in->schema_only)
        st = put_schema(doc, m, err);
    else if (st == RWL_OK)
        put_metadata(doc, m);
    rwl_metadata_free(m);
    rwl_buf_clear(&text);
    if (st == RWL_OK || (st == RWL_UNSUPPORTED && err != NULL && strstr(err->message, in->location) != NULL))
        return st;
    return rwl_error_in(err, st, "%s", in->location);
}
