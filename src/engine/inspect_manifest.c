/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests and manifest lists as tables of what is stored in them and, with the manifest list beside a manifest, of what their
 * entries inherit (specification, "Manifests"; lineage/assign.h, rule 3).
 */
#include "engine/inspect_internal.h"

#include "iceberg/manifest.h"

#include <inttypes.h>

/* What an entry says of a column; NULL: nothing. */
typedef struct metrics {
    const rwl_metric_count *bytes, *values, *nulls, *nans;
    const rwl_metric_bound *lower, *upper;
} metrics;

/* A manifest read by itself: its header stands in for the table. */
typedef struct lone_manifest {
    rwl_metadata metadata; /* the schema alone */
    rwl_partition_spec spec;
    rwl_type *types;  /* of its fields */
    metrics *metrics; /* of the entry being shown, one a field of the schema by id */
    rwl_manifest line;
    int32_t version;
    bool is_inherited; /* the line is a manifest list's */
} lone_manifest;

/* --- the header --- */

static bool header_number(const rwl_avro_reader *avro, const char *key, int32_t *out) {
    rwl_span text = rwl_avro_reader_metadata(avro, key);
    int64_t value = 0;
    if (text.data == NULL || text.len == 0 || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (text.data[i] - '0');
    }
    *out = (int32_t)value;
    return true;
}

/* JSON out of the header; *out NULL when the key is not there. */
static rwl_status header_json(const rwl_avro_reader *avro, const char *key, rwl_json **out, rwl_error *err) {
    rwl_span text = rwl_avro_reader_metadata(avro, key);
    *out = NULL;
    if (text.data == NULL)
        return RWL_OK;
    rwl_status st = rwl_json_parse(text, out, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "'%s' of the header", key);
}

static rwl_status read_schema(rwl_inspect *in, const rwl_avro_reader *avro, rwl_schema *out, rwl_error *err) {
    rwl_json *json;
    memset(out, 0, sizeof *out);
    RWL_TRY(header_json(avro, "schema", &json, err));
    if (json == NULL)
        return rwl_schema_index(out, &in->arena, err);
    rwl_status st = rwl_schema_from_json(json, 3, &in->arena, out, err);
    rwl_json_free(json);
    return st;
}

static rwl_status read_spec(rwl_inspect *in, const rwl_avro_reader *avro, lone_manifest *m, rwl_error *err) {
    rwl_json *json;
    RWL_TRY(header_json(avro, "partition-spec", &json, err));
    rwl_status st = json != NULL ? rwl_partition_spec_from_json(json, &in->arena, &m->spec, err) : RWL_OK;
    rwl_json_free(json);
    RWL_TRY(st);
    m->types = rwl_arena_array(&in->arena, (size_t)m->spec.field_count + 1, sizeof *m->types);
    if (m->types == NULL)
        return rwl_no_memory(err, sizeof *m->types);
    return rwl_partition_types(&m->spec, m->metadata.schema, m->types, err);
}

/* The line that a list would have, as far as the header tells: numbers stay as stored, except that those of v1 are 0. */
static void make_line(rwl_inspect *in, const rwl_avro_reader *avro, lone_manifest *m) {
    rwl_span content = rwl_avro_reader_metadata(avro, "content");
    m->version = 1;
    header_number(avro, "format-version", &m->version);
    m->line = (rwl_manifest){.path = in->location,
                             .length = in->size,
                             .sequence_number = m->version == 1 ? 0 : -1,
                             .added_snapshot_id = -1,
                             .added_files = -1,
                             .existing_files = -1,
                             .deleted_files = -1,
                             .added_rows = -1,
                             .existing_rows = -1,
                             .deleted_rows = -1};
    header_number(avro, "partition-spec-id", &m->line.spec_id);
    m->line.content = content.data != NULL && rwl_span_equal(content, rwl_span_str("deletes")) ? 1 : 0;
}

static rwl_status read_header(rwl_inspect *in, lone_manifest *m, rwl_error *err) {
    rwl_avro_reader *avro;
    rwl_schema *schema = rwl_arena_alloc(&in->arena, sizeof *schema);
    memset(m, 0, sizeof *m);
    if (schema == NULL)
        return rwl_no_memory(err, sizeof *schema);
    RWL_TRY(rwl_avro_reader_open(in->store, in->op, in->location, &avro, err));
    rwl_status st = read_schema(in, avro, schema, err);
    m->metadata.env = in->env;
    m->metadata.schema = m->metadata.schemas = schema;
    m->metadata.schema_count = 1;
    make_line(in, avro, m);
    if (st == RWL_OK)
        st = read_spec(in, avro, m, err);
    rwl_avro_reader_close(avro);
    m->spec.spec_id = m->line.spec_id;
    m->metadata.specs = m->metadata.spec = &m->spec;
    m->metadata.spec_count = 1;
    return st;
}

/* --- its line in the list --- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Whether both name one file, after mapping; what can't be mapped is another. */
static bool is_same_place(rwl_inspect *in, const char *a, const char *b) {
    rwl_buf x, y;
    rwl_buf_init(&x, in->env, SIZE_MAX);
    rwl_buf_init(&y, in->env, SIZE_MAX);
    rwl_error ignored = {0};
    bool same = rwl_store_local_path(in->store, a, &x, NULL, &ignored) == RWL_OK &&
                rwl_store_local_path(in->store, b, &y, NULL, &ignored) == RWL_OK &&
                rwl_span_equal(rwl_buf_span(&x), rwl_buf_span(&y));
    rwl_buf_clear(&x);
    rwl_buf_clear(&y);
    return same;
}

/* By place, else by a file name that only one of them has (writers put a uuid into it): tables are moved about. */
static rwl_status find_line(rwl_inspect *in, const rwl_manifest_list *list, const rwl_manifest **out,
                            rwl_error *err) {
    const rwl_manifest *named = NULL;
    int32_t count = 0;
    *out = NULL;
    for (int32_t i = 0; i < list->count; i++) {
        const rwl_manifest *m = &list->items[i];
        if (is_same_place(in, m->path, in->location)) {
            *out = m;
            return RWL_OK;
        }
        if (strcmp(base_name(m->path), base_name(in->location)) == 0) {
            named = m;
            count++;
        }
    }
    if (count != 1)
        return rwl_fail(err, RWL_USAGE, "%s is not in the manifest list %s", in->location, in->manifest_list);
    *out = named;
    return RWL_OK;
}

static rwl_status read_list(rwl_inspect *in, const char *location, rwl_manifest_list *list, rwl_error *err) {
    rwl_snapshot snapshot = {.manifest_list = location, .snapshot_id = -1, .parent_id = -1};
    return rwl_manifest_list_read(in->store, in->op, &snapshot, list, err);
}

static rwl_status inherit_line(rwl_inspect *in, lone_manifest *m, rwl_error *err) {
    rwl_manifest_list list;
    const rwl_manifest *line;
    RWL_TRY(read_list(in, in->manifest_list, &list, err));
    rwl_status st = find_line(in, &list, &line, err);
    if (st == RWL_OK) {
        m->line = *line;
        m->line.path = in->location;
        m->line.partitions = NULL; /* of the list's arena, not needed here */
        m->line.partition_count = 0;
        m->line.key_metadata = rwl_span_of(line->key_metadata.data != NULL ? (const uint8_t *)"" : NULL, 0);
        m->spec.spec_id = line->spec_id;
        m->is_inherited = true;
    }
    rwl_manifest_list_clear(&list);
    return st;
}

/* --- entries --- */

static void put_partition(rwl_doc *doc, const lone_manifest *m, const rwl_data_file *file) {
    rwl_doc_open(doc, "partition", '{');
    for (int32_t i = 0; i < m->spec.field_count && i < file->partition_count; i++) {
        rwl_type own = rwl_type_of(file->partition[i].kind);
        const rwl_type *type = m->types[i].kind == own.kind ? &m->types[i] : &own;
        rwl_doc_value(doc, m->spec.fields[i].name, type, &file->partition[i]);
    }
    rwl_doc_close(doc, '}');
}

/* Where the schema's fields by id have this one, -1. */
static int32_t place_of(const rwl_schema *schema, int32_t id) {
    int32_t low = 0, high = schema->by_id_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (schema->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < schema->by_id_count && schema->by_id[low]->id == id ? low : -1;
}

/* Sorts a list of the entry to the columns it speaks of; those that the schema does not know are left out. */
#define SORT_METRICS(m, items, count, member)                                                                \
    for (int32_t i_ = 0; i_ < (count); i_++) {                                                               \
        int32_t at_ = place_of((m)->metadata.schema, (items)[i_].field_id);                                  \
        if (at_ >= 0)                                                                                        \
            (m)->metrics[at_].member = &(items)[i_];                                                         \
    }

static void sort_metrics(const lone_manifest *m, const rwl_data_file *f) {
    memset(m->metrics, 0, (size_t)m->metadata.schema->by_id_count * sizeof *m->metrics);
    SORT_METRICS(m, f->column_sizes, f->column_size_count, bytes)
    SORT_METRICS(m, f->value_counts, f->value_count_count, values)
    SORT_METRICS(m, f->null_counts, f->null_count_count, nulls)
    SORT_METRICS(m, f->nan_counts, f->nan_count_count, nans)
    SORT_METRICS(m, f->lower_bounds, f->lower_count, lower)
    SORT_METRICS(m, f->upper_bounds, f->upper_count, upper)
}

static void put_count(rwl_doc *doc, const char *key, const rwl_metric_count *count) {
    rwl_doc_maybe(doc, key, count != NULL, count != NULL ? count->value : 0);
}

/* A bound in human form; as hex when the bytes are none of the field's type, or are no value (the corners of geometries). */
static void put_bound(rwl_doc *doc, const char *key, const rwl_field *field, const rwl_metric_bound *bound) {
    rwl_error ignored = {0};
    rwl_value v;
    if (bound == NULL)
        rwl_doc_text(doc, key, NULL);
    else if (field->type.kind < RWL_TYPE_VARIANT &&
             rwl_value_decode(&field->type, bound->value, &v, &ignored) == RWL_OK)
        rwl_doc_value(doc, key, &field->type, &v);
    else
        rwl_doc_hex(doc, key, bound->value);
}

static void put_metric(rwl_doc *doc, const rwl_field *field, const metrics *m) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "field_id", field->id);
    rwl_doc_text(doc, "name", field->name);
    put_count(doc, "bytes", m->bytes);
    put_count(doc, "values", m->values);
    put_count(doc, "nulls", m->nulls);
    put_count(doc, "nans", m->nans);
    put_bound(doc, "lower", field, m->lower);
    put_bound(doc, "upper", field, m->upper);
    rwl_doc_close(doc, '}');
}

/* Fields of the schema that have any metric, in id order. */
static void put_metrics(rwl_doc *doc, const lone_manifest *m, const rwl_data_file *f) {
    const rwl_schema *schema = m->metadata.schema;
    sort_metrics(m, f);
    rwl_doc_open(doc, "metrics", '[');
    for (int32_t i = 0; i < schema->by_id_count && doc->st == RWL_OK; i++) {
        const metrics *own = &m->metrics[i];
        if (own->bytes != NULL || own->values != NULL || own->nulls != NULL || own->nans != NULL ||
            own->lower != NULL || own->upper != NULL)
            put_metric(doc, schema->by_id[i], own);
    }
    rwl_doc_close(doc, ']');
}

static void put_numbers(rwl_doc *doc, const rwl_manifest_entry *e) {
    const rwl_data_file *f = &e->file;
    rwl_doc_id(doc, "snapshot_id", e->snapshot_id);
    rwl_doc_id(doc, "stored_snapshot_id", e->stored_snapshot_id);
    rwl_doc_maybe(doc, "data_sequence_number", e->sequence_number >= 0, e->sequence_number);
    rwl_doc_maybe(doc, "stored_data_sequence_number", e->stored_sequence_number >= 0,
                  e->stored_sequence_number);
    rwl_doc_maybe(doc, "file_sequence_number", e->file_sequence_number >= 0, e->file_sequence_number);
    rwl_doc_maybe(doc, "stored_file_sequence_number", e->stored_file_sequence_number >= 0,
                  e->stored_file_sequence_number);
    rwl_doc_maybe(doc, "first_row_id", f->has_first_row_id, f->first_row_id);
    rwl_doc_maybe(doc, "stored_first_row_id", f->stored_has_first_row_id, f->stored_first_row_id);
}

static void put_lists(rwl_doc *doc, const rwl_data_file *f) {
    rwl_doc_open(doc, "equality_ids", '[');
    for (int32_t i = 0; i < f->equality_count; i++)
        rwl_doc_i64(doc, NULL, f->equality_ids[i]);
    rwl_doc_close(doc, ']');
    rwl_doc_open(doc, "split_offsets", '[');
    for (int32_t i = 0; i < f->split_count; i++)
        rwl_doc_i64(doc, NULL, f->split_offsets[i]);
    rwl_doc_close(doc, ']');
}

static void put_entry(rwl_doc *doc, const lone_manifest *m, const rwl_manifest_entry *e) {
    const rwl_data_file *f = &e->file;
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_i64(doc, "status", e->status);
    rwl_doc_i64(doc, "content", f->content);
    rwl_doc_text(doc, "file_path", f->file_path);
    rwl_doc_text(doc, "file_format", f->file_format);
    rwl_doc_i64(doc, "record_count", f->record_count);
    rwl_doc_i64(doc, "file_size_in_bytes", f->file_size);
    put_partition(doc, m, f);
    rwl_doc_maybe(doc, "sort_order_id", f->sort_order_id >= 0, f->sort_order_id);
    put_numbers(doc, e);
    rwl_doc_text(doc, "referenced_data_file", f->referenced_data_file);
    rwl_doc_maybe(doc, "content_offset", f->content_offset >= 0, f->content_offset);
    rwl_doc_maybe(doc, "content_size_in_bytes", f->content_size >= 0, f->content_size);
    put_lists(doc, f);
    put_metrics(doc, m, f);
    rwl_doc_close(doc, '}');
}

static rwl_status put_entries(rwl_inspect *in, lone_manifest *m, rwl_doc *doc, rwl_error *err) {
    rwl_manifest_reader *reader;
    const rwl_manifest_entry *entry;
    size_t fields = (size_t)m->metadata.schema->by_id_count + 1;
    m->metrics = rwl_arena_array(&in->arena, fields, sizeof *m->metrics);
    if (m->metrics == NULL)
        return rwl_no_memory(err, fields * sizeof *m->metrics);
    RWL_TRY(rwl_manifest_reader_open(in->store, in->op, &m->metadata, &m->line, &reader, err));
    rwl_status st;
    rwl_doc_open(doc, "entries", '[');
    while ((st = rwl_manifest_reader_next(reader, &entry, err)) == RWL_OK && entry != NULL &&
           doc->st == RWL_OK)
        put_entry(doc, m, entry);
    rwl_doc_close(doc, ']');
    rwl_manifest_reader_close(reader);
    return st;
}

static void put_inherited(const rwl_inspect *in, const lone_manifest *m, rwl_doc *doc) {
    if (!m->is_inherited) {
        rwl_doc_text(doc, "inherited", NULL);
        return;
    }
    rwl_doc_open(doc, "inherited", '{');
    rwl_doc_text(doc, "manifest_list", in->manifest_list);
    rwl_doc_i64(doc, "sequence_number", m->line.sequence_number);
    rwl_doc_id(doc, "added_snapshot_id", m->line.added_snapshot_id);
    rwl_doc_maybe(doc, "first_row_id", m->line.has_first_row_id, m->line.first_row_id);
    rwl_doc_close(doc, '}');
}

static rwl_status put_avro(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_doc_open(doc, "avro", '{');
    RWL_TRY(rwl_inspect_avro(in, doc, err));
    rwl_doc_close(doc, '}');
    return doc->st;
}

rwl_status rwl_inspect_manifest(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    lone_manifest m;
    rwl_status st = read_header(in, &m, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "%s", in->location);
    if (in->manifest_list != NULL)
        RWL_TRY(inherit_line(in, &m, err));
    rwl_doc_i64(doc, "format_version", m.version);
    rwl_doc_i64(doc, "content", m.line.content);
    rwl_doc_i64(doc, "partition_spec_id", m.line.spec_id);
    put_inherited(in, &m, doc);
    RWL_TRY(put_entries(in, &m, doc, err));
    return put_avro(in, doc, err);
}

/* --- lists --- */

static void put_summaries(rwl_doc *doc, const rwl_manifest *m) {
    if (m->partitions == NULL) {
        rwl_doc_text(doc, "partitions", NULL);
        return;
    }
    rwl_doc_open(doc, "partitions", '[');
    for (int32_t i = 0; i < m->partition_count; i++) {
        const rwl_field_summary *s = &m->partitions[i];
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_bool(doc, "contains_null", s->contains_null);
        if (s->contains_nan >= 0)
            rwl_doc_bool(doc, "contains_nan", s->contains_nan == 1);
        else
            rwl_doc_text(doc, "contains_nan", NULL);
        rwl_doc_hex(doc, "lower_bound", s->lower); /* their type is the table's to tell */
        rwl_doc_hex(doc, "upper_bound", s->upper);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

static void put_line(rwl_doc *doc, const rwl_manifest *m) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_text(doc, "manifest_path", m->path);
    rwl_doc_i64(doc, "manifest_length", m->length);
    rwl_doc_i64(doc, "partition_spec_id", m->spec_id);
    rwl_doc_i64(doc, "content", m->content);
    rwl_doc_i64(doc, "sequence_number", m->sequence_number);
    rwl_doc_i64(doc, "min_sequence_number", m->min_sequence_number);
    rwl_doc_id(doc, "added_snapshot_id", m->added_snapshot_id);
    rwl_doc_maybe(doc, "added_files_count", m->added_files >= 0, m->added_files);
    rwl_doc_maybe(doc, "existing_files_count", m->existing_files >= 0, m->existing_files);
    rwl_doc_maybe(doc, "deleted_files_count", m->deleted_files >= 0, m->deleted_files);
    rwl_doc_maybe(doc, "added_rows_count", m->added_rows >= 0, m->added_rows);
    rwl_doc_maybe(doc, "existing_rows_count", m->existing_rows >= 0, m->existing_rows);
    rwl_doc_maybe(doc, "deleted_rows_count", m->deleted_rows >= 0, m->deleted_rows);
    rwl_doc_maybe(doc, "first_row_id", m->has_first_row_id, m->first_row_id);
    put_summaries(doc, m);
    rwl_doc_close(doc, '}');
}

rwl_status rwl_inspect_manifest_list(rwl_inspect *in, rwl_doc *doc, rwl_error *err) {
    rwl_manifest_list list;
    RWL_TRY(read_list(in, in->location, &list, err));
    rwl_doc_i64(doc, "manifest_count", list.count);
    rwl_doc_open(doc, "manifests", '[');
    for (int32_t i = 0; i < list.count && doc->st == RWL_OK; i++)
        put_line(doc, &list.items[i]);
    rwl_doc_close(doc, ']');
    rwl_manifest_list_clear(&list);
    return put_avro(in, doc, err);
}
