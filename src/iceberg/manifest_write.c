/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a manifest, v2 or v3: entries, header, counts, partition summaries. */
#include "iceberg/manifest_internal.h"

#include "base/int128.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Bounds of one partition field over all entries; values live in the writer's arena. */
typedef struct field_range {
    bool contains_null, contains_nan, has_bounds;
    rwl_value lower, upper;
} field_range;

struct rwl_manifest_writer {
    const rwl_env *env;
    rwl_op *op;
    rwl_avro_writer *avro;
    rwl_manifest_writer_options options;
    rwl_arena arena;
    const char *location;
    const rwl_type *types;
    field_range *ranges;
    int64_t files[3], rows[3]; /* by status */
    int64_t unassigned_rows;
    int64_t min_sequence; /* least explicit number of live entries, -1 when none */
};

/* --- opening --- */

static rwl_status json_text(rwl_json *json, rwl_buf *out, rwl_error *err) {
    rwl_status st = rwl_json_dump(json, 0, out, err);
    rwl_json_free(json);
    return st;
}

/* The table's schema and the spec's fields, as text. */
static rwl_status header_texts(const rwl_manifest_writer_options *o, rwl_buf *schema, rwl_buf *spec,
                               rwl_error *err) {
    rwl_json *json = NULL;
    RWL_TRY(rwl_schema_to_json(o->schema, &json, err));
    RWL_TRY(json_text(json, schema, err));
    json = NULL;
    RWL_TRY(rwl_partition_spec_to_json(o->spec, true, &json, err));
    return json_text(json, spec, err);
}

static rwl_status open_avro(rwl_manifest_writer *w, rwl_store *store, rwl_buf texts[3], rwl_error *err) {
    const rwl_manifest_writer_options *o = &w->options;
    RWL_TRY(header_texts(o, &texts[0], &texts[1], err));
    RWL_TRY(rwl_manifest_schema(o->format_version, o->spec, w->types, &texts[2], err));
    RWL_TRY(rwl_buf_terminate(&texts[2], err));
    char schema_id[16], spec_id[16], version[16];
    snprintf(schema_id, sizeof schema_id, "%" PRId32, o->schema->schema_id);
    snprintf(spec_id, sizeof spec_id, "%" PRId32, o->spec->spec_id);
    snprintf(version, sizeof version, "%" PRId32, o->format_version);
    const rwl_avro_metadata header[] = {
        {"schema", rwl_buf_span(&texts[0])},
        {"schema-id", rwl_span_str(schema_id)},
        {"partition-spec", rwl_buf_span(&texts[1])},
        {"partition-spec-id", rwl_span_str(spec_id)},
        {"format-version", rwl_span_str(version)},
        {"content", rwl_span_str(o->content == 0 ? "data" : "deletes")},
    };
    return rwl_avro_writer_open(store, w->op, w->location, (const char *)texts[2].data, header,
                                sizeof header / sizeof header[0], o->codec, 0, &w->avro, err);
}

static rwl_status prepare_types(rwl_manifest_writer *w, rwl_error *err) {
    const rwl_manifest_writer_options *o = &w->options;
    size_t count = (size_t)o->spec->field_count;
    rwl_type *types = rwl_arena_array(&w->arena, count, sizeof *types);
    w->ranges = rwl_arena_array(&w->arena, count, sizeof *w->ranges);
    if (types == NULL || w->ranges == NULL)
        return rwl_no_memory(err, count * sizeof *w->ranges);
    w->types = types;
    if (o->partition_types == NULL)
        return rwl_partition_types(o->spec, o->schema, types, err);
    if (count > 0)
        memcpy(types, o->partition_types, count * sizeof *types);
    return RWL_OK;
}

static rwl_status open_writer(rwl_manifest_writer *w, rwl_store *store, const char *location,
                              rwl_error *err) {
    if (w->options.format_version != 2 && w->options.format_version != 3)
        return rwl_fail(err, RWL_UNSUPPORTED, "manifests of format version %" PRId32 " are not written",
                        w->options.format_version);
    w->location = rwl_arena_strdup(&w->arena, location);
    if (w->location == NULL)
        return rwl_no_memory(err, strlen(location));
    RWL_TRY(prepare_types(w, err));
    rwl_buf texts[3];
    for (int i = 0; i < 3; i++)
        rwl_buf_init(&texts[i], w->env, SIZE_MAX);
    rwl_status st = open_avro(w, store, texts, err);
    for (int i = 0; i < 3; i++)
        rwl_buf_clear(&texts[i]);
    return st;
}

rwl_status rwl_manifest_writer_open(rwl_store *store, rwl_op *op, const char *location,
                                    const rwl_manifest_writer_options *options, rwl_manifest_writer **out,
                                    rwl_error *err) {
    *out = NULL;
    rwl_manifest_writer *w = rwl_calloc(op->env, 1, sizeof *w);
    if (w == NULL)
        return rwl_no_memory(err, sizeof *w);
    w->env = op->env;
    w->op = op;
    w->options = *options;
    w->min_sequence = -1;
    rwl_arena_init(&w->arena, op->env, 0);
    rwl_status st = open_writer(w, store, location, err);
    if (st != RWL_OK) {
        rwl_manifest_writer_abort(w);
        return rwl_error_in(err, st, "manifest %s", location);
    }
    *out = w;
    return RWL_OK;
}

void rwl_manifest_writer_abort(rwl_manifest_writer *w) {
    if (w == NULL)
        return;
    rwl_avro_writer_abort(w->avro);
    rwl_arena_clear(&w->arena);
    rwl_free(w->env, w);
}

int64_t rwl_manifest_writer_size(const rwl_manifest_writer *w) {
    return rwl_avro_writer_size(w->avro);
}

/* --- entries --- */

static bool is_nan(const rwl_value *v) {
    return (v->kind == RWL_TYPE_FLOAT && isnan(v->as.f32)) ||
           (v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64));
}

static rwl_status widen_range(rwl_manifest_writer *w, field_range *range, const rwl_value *v,
                              rwl_error *err) {
    if (v->is_null) {
        range->contains_null = true;
        return RWL_OK;
    }
    if (is_nan(v)) {
        range->contains_nan = true;
        return RWL_OK;
    }
    bool below = !range->has_bounds || rwl_value_compare(v, &range->lower) < 0;
    bool above = !range->has_bounds || rwl_value_compare(v, &range->upper) > 0;
    if ((below && !rwl_value_copy(&w->arena, v, &range->lower)) ||
        (above && !rwl_value_copy(&w->arena, v, &range->upper)))
        return rwl_no_memory(err, sizeof *v);
    range->has_bounds = true;
    return RWL_OK;
}

static rwl_status check_file(const rwl_manifest_writer *w, const rwl_data_file *f, rwl_error *err) {
    if ((f->content == RWL_CONTENT_DATA) != (w->options.content == 0))
        return rwl_fail(err, RWL_INTERNAL, "%s has content %" PRId32 " for a manifest of content %" PRId32,
                        f->file_path, f->content, w->options.content);
    if (f->partition_count != w->options.spec->field_count || f->spec_id != w->options.spec->spec_id)
        return rwl_fail(err, RWL_INTERNAL, "%s has spec %" PRId32 " for a manifest of spec %" PRId32,
                        f->file_path, f->spec_id, w->options.spec->spec_id);
    for (int32_t i = 0; i < f->partition_count; i++)
        if (w->types[i].kind == RWL_TYPE_UNKNOWN && !f->partition[i].is_null)
            return rwl_fail(
                err, RWL_UNSUPPORTED,
                "%s: values of partition field %s can't be written: the type that %s gives its source "
                "column %" PRId32 " is not known",
                f->file_path, w->options.spec->fields[i].name, w->options.spec->fields[i].transform.text,
                w->options.spec->fields[i].source_id);
    return RWL_OK;
}

static rwl_status put_entry(rwl_manifest_writer *w, const rwl_manifest_entry *e, rwl_error *err) {
    const rwl_data_file *f = &e->file;
    RWL_TRY(check_file(w, f, err));
    for (int32_t i = 0; i < f->partition_count; i++)
        RWL_TRY(widen_range(w, &w->ranges[i], &f->partition[i], err));
    RWL_TRY(rwl_manifest_entry_encode(e, w->options.format_version, w->types, rwl_avro_writer_record(w->avro),
                                      err));
    RWL_TRY(rwl_avro_writer_end_record(w->avro, err));
    w->files[e->status]++;
    if (!rwl_i64_add(w->rows[e->status], f->record_count, &w->rows[e->status]))
        return rwl_fail(err, RWL_UNSUPPORTED, "a manifest can't hold more than 2^63 - 1 rows");
    if (e->status == RWL_STATUS_DELETED)
        return RWL_OK;
    if (w->options.content == 0 && !f->stored_has_first_row_id)
        w->unassigned_rows += f->record_count;
    int64_t number = e->stored_sequence_number;
    if (number >= 0 && (w->min_sequence < 0 || number < w->min_sequence))
        w->min_sequence = number;
    return RWL_OK;
}

rwl_status rwl_manifest_writer_add(rwl_manifest_writer *w, const rwl_data_file *file,
                                   int64_t explicit_sequence, rwl_error *err) {
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.status = RWL_STATUS_ADDED;
    e.stored_snapshot_id = w->options.snapshot_id;
    e.stored_sequence_number = explicit_sequence;
    e.stored_file_sequence_number = -1;
    e.file = *file;
    e.file.stored_has_first_row_id = false; /* ids are never baked in (law 4) */
    return put_entry(w, &e, err);
}

rwl_status rwl_manifest_writer_carry(rwl_manifest_writer *w, const rwl_manifest_entry *entry, int32_t status,
                                     rwl_error *err) {
    if (status != RWL_STATUS_EXISTING && status != RWL_STATUS_DELETED)
        return rwl_fail(err, RWL_INTERNAL, "entries are carried as existing or deleted, not %" PRId32,
                        status);
    rwl_manifest_entry e = *entry;
    e.status = status;
    e.stored_snapshot_id = status == RWL_STATUS_DELETED ? w->options.snapshot_id : entry->snapshot_id;
    e.stored_sequence_number = entry->sequence_number;
    e.stored_file_sequence_number = entry->file_sequence_number;
    e.file.stored_has_first_row_id = w->options.content == 0 && entry->file.has_first_row_id;
    e.file.stored_first_row_id = entry->file.first_row_id;
    return put_entry(w, &e, err);
}

/* --- finishing --- */

static rwl_status encode_bound(const rwl_value *v, rwl_buf *scratch, rwl_arena *arena, rwl_span *out,
                               rwl_error *err) {
    rwl_buf_reset(scratch);
    RWL_TRY(rwl_value_encode(v, scratch, err));
    *out = rwl_span_of(rwl_arena_copy(arena, scratch->data, scratch->len), scratch->len);
    return out->data == NULL ? rwl_no_memory(err, scratch->len) : RWL_OK;
}

static rwl_status summarize(const rwl_manifest_writer *w, rwl_arena *arena, rwl_manifest *out,
                            rwl_error *err) {
    int32_t count = w->options.spec->field_count;
    rwl_field_summary *items = rwl_arena_array(arena, (size_t)count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    rwl_buf scratch;
    rwl_buf_init(&scratch, w->env, SIZE_MAX);
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < count; i++) {
        const field_range *range = &w->ranges[i];
        items[i].contains_null = range->contains_null;
        items[i].contains_nan = range->contains_nan ? 1 : 0;
        if (!range->has_bounds)
            continue;
        RWL_GOTO(st, encode_bound(&range->lower, &scratch, arena, &items[i].lower, err), done);
        RWL_GOTO(st, encode_bound(&range->upper, &scratch, arena, &items[i].upper, err), done);
    }
    out->partitions = items;
    out->partition_count = count;
done:
    rwl_buf_clear(&scratch);
    return st;
}

static rwl_status describe(const rwl_manifest_writer *w, rwl_arena *arena, rwl_manifest *out,
                           rwl_error *err) {
    memset(out, 0, sizeof *out);
    for (int status = 0; status < 3; status++)
        if (w->files[status] > INT32_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "a manifest can't hold more than 2^31 - 1 files");
    out->path = rwl_arena_strdup(arena, w->location);
    if (out->path == NULL)
        return rwl_no_memory(err, strlen(w->location));
    out->spec_id = w->options.spec->spec_id;
    out->content = w->options.content;
    out->sequence_number = -1;
    out->min_sequence_number = w->min_sequence;
    out->added_snapshot_id = w->options.snapshot_id;
    out->added_files = (int32_t)w->files[RWL_STATUS_ADDED];
    out->existing_files = (int32_t)w->files[RWL_STATUS_EXISTING];
    out->deleted_files = (int32_t)w->files[RWL_STATUS_DELETED];
    out->added_rows = w->rows[RWL_STATUS_ADDED];
    out->existing_rows = w->rows[RWL_STATUS_EXISTING];
    out->deleted_rows = w->rows[RWL_STATUS_DELETED];
    out->unassigned_rows = w->unassigned_rows;
    return summarize(w, arena, out, err);
}

rwl_status rwl_manifest_writer_finish(rwl_manifest_writer *w, rwl_arena *arena, rwl_manifest *out,
                                      rwl_error *err) {
    rwl_status st = describe(w, arena, out, err);
    if (st == RWL_OK) {
        rwl_avro_writer *avro = w->avro;
        w->avro = NULL;
        st = rwl_avro_writer_finish(avro, &out->length, err);
    }
    rwl_manifest_writer_abort(w);
    return st;
}
