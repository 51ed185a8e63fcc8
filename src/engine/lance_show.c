/* SPDX-License-Identifier: Apache-2.0 */
/* What a Lance dataset's version is: what its manifest says, with refs and the bytes of lineage beside it. */
#include "engine/lance_about.h"
#include "engine/lance_figures.h"
#include "engine/lance_history.h"

/* A name as it is stored: below lists and maps the engine has names of its own. */
static const char *stored_name(const rwl_lance_manifest *m, const rwl_lance_node *node) {
    bool is_renamed =
        node->parent != NULL && (node->parent->form == RWL_LANCE_LIST || node->parent->form == RWL_LANCE_MAP);
    for (size_t i = 0; is_renamed && i < m->def_count; i++)
        if (m->defs[i].id == node->field.id)
            return m->defs[i].name;
    return node->field.name;
}

/* Depth is limited by rwl_lance_schema_build. */
static void put_field(const rwl_lance_manifest *m, const rwl_lance_node *node, rwl_doc *doc) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "id", node->field.id);
    rwl_doc_text(doc, "name", stored_name(m, node));
    rwl_doc_text(doc, "type", node->logical_type);
    rwl_doc_bool(doc, "nullable", !node->field.required);
    bool has_fields =
        node->child_count > 0 && node->form != RWL_LANCE_VECTOR; /* the parts of a vector are no fields */
    if (has_fields) {
        rwl_doc_open(doc, "children", '[');
        for (int32_t i = 0; i < node->child_count; i++)
            put_field(m, &node->children[i], doc);
        rwl_doc_close(doc, ']');
    }
    rwl_doc_close(doc, '}');
}

void rwl_lance_schema_put(const rwl_lance_manifest *m, rwl_doc *doc, const char *key) {
    rwl_doc_open(doc, key, '{');
    rwl_doc_open(doc, "fields", '[');
    for (int32_t i = 0; i < m->schema.count; i++)
        put_field(m, &m->schema.nodes[i], doc);
    rwl_doc_close(doc, ']');
    rwl_doc_close(doc, '}');
}

void rwl_lance_pairs_put(const rwl_lance_pair *pairs, size_t count, rwl_doc *doc, const char *key) {
    rwl_doc_open(doc, key, '{');
    for (size_t i = 0; i < count; i++) {
        if (rwl_utf8_valid(pairs[i].value))
            rwl_doc_span(doc, pairs[i].key, pairs[i].value);
        else
            rwl_doc_hex(doc, pairs[i].key, pairs[i].value);
    }
    rwl_doc_close(doc, '}');
}

static void put_manifest(const rwl_lance_dataset *d, rwl_doc *doc) {
    const rwl_lance_manifest *m = d->manifest;
    bool stable = rwl_lance_manifest_has_stable_ids(m);
    rwl_doc_text(doc, "format", "lance");
    rwl_lance_version_put(m->version, m->is_detached, doc, "version");
    rwl_doc_text(doc, "location", d->root);
    rwl_doc_text(doc, "branch", d->branch != NULL ? d->branch : "main");
    rwl_doc_i64(doc, "timestamp_ms", m->timestamp_ms);
    rwl_doc_text(doc, "manifest", m->location);
    rwl_doc_maybe(doc, "next_row_id", stable, m->next_row_id);
    rwl_doc_maybe(doc, "max_fragment_id", m->max_fragment_id >= 0, m->max_fragment_id);
    rwl_doc_bool(doc, "stable_row_ids", stable);
    rwl_doc_text(doc, "data_format", *m->data_format != '\0' ? m->data_format : NULL);
    rwl_lance_flags_put(m->reader_flags, doc, "reader_flags");
    rwl_lance_flags_put(m->writer_flags, doc, "writer_flags");
    rwl_doc_i64(doc, "manifest_bytes", m->size);
    rwl_lance_writer_put(m, doc, "writer");
    rwl_lance_schema_put(m, doc, "schema");
}

rwl_status rwl_lance_show(const rwl_table *table, rwl_op *op, rwl_buf *out, rwl_error *err) {
    const rwl_lance_manifest *m = table->lance->manifest;
    rwl_doc doc = {.out = out, .err = err, .st = RWL_OK};
    rwl_lance_figures figures;
    RWL_TRY(rwl_lance_figures_read(table, op, RWL_LANCE_FIGURES_SPILLED, &figures, err));
    rwl_doc_open(&doc, NULL, '{');
    put_manifest(table->lance, &doc);
    RWL_TRY(rwl_lance_refs_put(table, op, &doc, "refs", err));
    rwl_lance_pairs_put(m->config, m->config_count, &doc, "config");
    rwl_lance_pairs_put(m->table_metadata, m->table_metadata_count, &doc, "table_metadata");
    rwl_lance_pairs_put(m->schema_metadata, m->schema_metadata_count, &doc, "schema_metadata");
    rwl_lance_bases_put(m, &doc);
    rwl_lance_figures_put(&figures, &doc, "lineage");
    rwl_doc_i64(&doc, "fragments", (int64_t)m->fragment_count);
    rwl_doc_close(&doc, '}');
    return doc.st;
}
