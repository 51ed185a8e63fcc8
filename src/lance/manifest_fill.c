/* SPDX-License-Identifier: Apache-2.0 */
/* The plain structs of a manifest from protobuf-c's, whose strings and arrays they borrow. */
#include "lance/manifest_internal.h"

#include "lance/table.pb-c.h"

#include <stdlib.h>

static const char *text_or_empty(const char *text) {
    return text != NULL ? text : "";
}

static void *take(rwl_lance_manifest *m, size_t count, size_t size, rwl_status *st, rwl_error *err) {
    void *out = rwl_arena_array(&m->arena, count, size);
    if (out == NULL)
        *st = rwl_no_memory(err, count);
    return out;
}

/* --- pairs --- */

static rwl_status fill_texts(rwl_lance_manifest *m, Rwl__Lance__StringEntry *const *from, size_t count,
                             const rwl_lance_pair **out, size_t *out_count, rwl_error *err) {
    rwl_status st = RWL_OK;
    rwl_lance_pair *pairs = take(m, count, sizeof *pairs, &st, err);
    for (size_t i = 0; st == RWL_OK && i < count; i++) {
        pairs[i].key = text_or_empty(from[i]->key);
        pairs[i].value = rwl_span_str(text_or_empty(from[i]->value));
    }
    *out = pairs;
    *out_count = count;
    return st;
}

static rwl_status fill_bytes(rwl_lance_manifest *m, Rwl__Lance__BytesEntry *const *from, size_t count,
                             const rwl_lance_pair **out, size_t *out_count, rwl_error *err) {
    rwl_status st = RWL_OK;
    rwl_lance_pair *pairs = take(m, count, sizeof *pairs, &st, err);
    for (size_t i = 0; st == RWL_OK && i < count; i++) {
        pairs[i].key = text_or_empty(from[i]->key);
        pairs[i].value = rwl_span_of(from[i]->value.data, from[i]->value.len);
    }
    *out = pairs;
    *out_count = count;
    return st;
}

/* --- fields --- */

static bool is_text(const ProtobufCBinaryData *bytes, const char *text) {
    return bytes->len == strlen(text) && memcmp(bytes->data, text, bytes->len) == 0;
}

static rwl_status fill_field(rwl_lance_manifest *m, const Rwl__Lance__Field *from, rwl_lance_field_def *to,
                             rwl_error *err) {
    *to = (rwl_lance_field_def){
        .name = text_or_empty(from->name),
        .id = from->id, /* absent is 0 of both (trap 1) */
        .parent_id = from->parent_id,
        .logical_type = text_or_empty(from->logical_type),
        .extension = from->extension_name != NULL && *from->extension_name ? from->extension_name : NULL,
        .nullable = from->nullable,
    };
    if (to->id < 0)
        return rwl_fail(err, RWL_CORRUPT, "field %.80s has id %d", to->name, (int)to->id);
    for (size_t i = 0; i < from->n_metadata; i++) {
        const char *key = text_or_empty(from->metadata[i]->key);
        const ProtobufCBinaryData *value = &from->metadata[i]->value;
        if (strcmp(key, "packed") == 0 || strcmp(key, "lance-encoding:packed") == 0)
            to->is_packed = to->is_packed || is_text(value, "true");
        else if (strcmp(key, "lance-encoding:blob") == 0)
            to->is_blob = is_text(value, "true");
        else if (strcmp(key, "ARROW:extension:name") == 0 && to->extension == NULL) {
            to->extension = rwl_arena_strndup(&m->arena, (const char *)value->data, value->len);
            if (to->extension == NULL)
                return rwl_no_memory(err, value->len);
        }
    }
    return RWL_OK;
}

static rwl_status fill_schema(rwl_lance_manifest *m, const Rwl__Lance__Manifest *from, rwl_error *err) {
    rwl_status st = RWL_OK;
    rwl_lance_field_def *defs = take(m, from->n_fields, sizeof *defs, &st, err);
    for (size_t i = 0; st == RWL_OK && i < from->n_fields; i++)
        st = fill_field(m, from->fields[i], &defs[i], err);
    RWL_TRY(st);
    m->defs = defs;
    m->def_count = from->n_fields;
    return rwl_lance_schema_build(defs, from->n_fields, &m->arena, &m->schema, err);
}

/* --- the rest --- */

static int compare_bases(const void *a, const void *b) {
    const rwl_lance_base *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* By id, for looking them up. */
static rwl_status fill_bases(rwl_lance_manifest *m, const Rwl__Lance__Manifest *from, rwl_error *err) {
    rwl_status st = RWL_OK;
    size_t count = from->n_base_paths;
    rwl_lance_base *bases = take(m, count, sizeof *bases, &st, err);
    RWL_TRY(st);
    for (size_t i = 0; i < count; i++) {
        const Rwl__Lance__BasePath *b = from->base_paths[i];
        bases[i] = (rwl_lance_base){b->id, b->is_dataset_root, b->name, text_or_empty(b->path)};
    }
    if (count > 1)
        qsort(bases, count, sizeof *bases, compare_bases);
    for (size_t i = 1; i < count; i++)
        if (bases[i].id == bases[i - 1].id)
            return rwl_fail(err, RWL_CORRUPT, "base path %u is there twice", (unsigned)bases[i].id);
    m->bases = bases;
    m->base_count = count;
    return RWL_OK;
}

static rwl_status fill_version(rwl_lance_manifest *m, const Rwl__Lance__Manifest *from, rwl_error *err) {
    const uint64_t top = (uint64_t)1 << 63;
    m->is_detached = (from->version & top) != 0;
    m->version = (int64_t)(from->version & ~top);
    if (m->version == 0 && !m->is_detached)
        return rwl_fail(err, RWL_CORRUPT, "version 0");
    if (from->next_row_id > INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "next_row_id is %llu, above 2^63 - 1",
                        (unsigned long long)from->next_row_id);
    m->next_row_id = (int64_t)from->next_row_id;
    const Rwl__Lance__Timestamp *t = from->timestamp;
    if (t == NULL)
        return RWL_OK;
    if (t->nanos < 0 || t->nanos >= 1000000000 ||
        __builtin_mul_overflow(t->seconds, (int64_t)1000, &m->timestamp_ms) ||
        __builtin_add_overflow(m->timestamp_ms, (int64_t)(t->nanos / 1000000), &m->timestamp_ms))
        return rwl_fail(err, RWL_CORRUPT, "a timestamp of %lld seconds and %d nanoseconds",
                        (long long)t->seconds, (int)t->nanos);
    m->timestamp_ns = t->nanos;
    return RWL_OK;
}

/* "14.0.0", "14.0.0-beta.1+abc" */
static rwl_status fill_writer(rwl_lance_manifest *m, const Rwl__Lance__WriterVersion *from, rwl_error *err) {
    m->writer_library = m->writer_version = "";
    if (from == NULL)
        return RWL_OK;
    const char *prerelease = text_or_empty(from->prerelease), *build = text_or_empty(from->build_metadata);
    m->writer_library = text_or_empty(from->library);
    m->writer_version = rwl_arena_printf(&m->arena, "%s%s%s%s%s", text_or_empty(from->version),
                                         *prerelease ? "-" : "", prerelease, *build ? "+" : "", build);
    return m->writer_version != NULL ? RWL_OK : rwl_no_memory(err, 64);
}

/* Where a section begins, -1 when there is none; one beyond what a file can have stays so, and is refused where it is read. */
static int64_t section(bool is_present, uint64_t offset) {
    return !is_present ? -1 : offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
}

static rwl_status fill_head(rwl_lance_manifest *m, const Rwl__Lance__Manifest *from, rwl_error *err) {
    m->reader_flags = from->reader_feature_flags;
    m->writer_flags = from->writer_feature_flags;
    RWL_TRY(rwl_lance_flags_check(m->reader_flags, m->writer_flags, err));
    if (from->has_fragment_tree)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "a fragment tree (feature flag %d) in place of the list of fragments",
                        (int)RWL_LANCE_FLAG_FRAGMENT_TREE);
    RWL_TRY(fill_version(m, from, err));
    RWL_TRY(fill_writer(m, from->writer_version, err));
    m->data_format = from->data_format != NULL ? text_or_empty(from->data_format->version) : "";
    m->tag = text_or_empty(from->tag);
    m->branch = text_or_empty(from->branch);
    m->transaction_file = text_or_empty(from->transaction_file);
    m->max_fragment_id = from->has_max_fragment_id ? (int64_t)from->max_fragment_id : -1;
    m->index_section = section(from->has_index_section, from->index_section);
    m->transaction_section = from->has_transaction_section
                                 ? section(true, from->transaction_section)
                                 : section(from->has_old_transaction_section, from->old_transaction_section);
    return RWL_OK;
}

rwl_status rwl_lance_manifest_fill(rwl_lance_manifest *m, const rwl_lance_left *left, size_t left_count,
                                   rwl_error *err) {
    const Rwl__Lance__Manifest *from = m->message;
    RWL_TRY(fill_head(m, from, err));
    RWL_TRY(fill_schema(m, from, err));
    RWL_TRY(fill_bases(m, from, err));
    RWL_TRY(fill_texts(m, from->config, from->n_config, &m->config, &m->config_count, err));
    RWL_TRY(fill_texts(m, from->table_metadata, from->n_table_metadata, &m->table_metadata,
                       &m->table_metadata_count, err));
    RWL_TRY(fill_bytes(m, from->schema_metadata, from->n_schema_metadata, &m->schema_metadata,
                       &m->schema_metadata_count, err));
    return rwl_lance_manifest_fill_fragments(m, left, left_count, err);
}
