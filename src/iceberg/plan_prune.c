/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about filter columns from partition summaries, partition values and metrics. */
#include "iceberg/plan_prune.h"

#include "iceberg/delete_index.h"
#include "iceberg/filter_fields.h"
#include "iceberg/partition_facts.h"

void rwl_plan_pruner_init(rwl_plan_pruner *p, const rwl_plan_pruner *from, const rwl_env *env) {
    *p = *from;
    rwl_arena_init(&p->scratch, env, 0);
}

void rwl_plan_pruner_clear(rwl_plan_pruner *p) {
    rwl_arena_clear(&p->scratch);
}

static bool has_metrics(const rwl_field *field) {
    return rwl_field_is_stored(field) || field->id == RWL_FIELD_ID_ROW_ID ||
           field->id == RWL_FIELD_ID_LAST_UPDATED;
}

rwl_status rwl_plan_pruner_wanted(const rwl_plan_pruner *p, rwl_arena *arena, rwl_manifest_wanted *wanted,
                                  rwl_error *err) {
    memset(wanted, 0, sizeof *wanted);
    if (p->filter == NULL)
        return RWL_OK;
    int32_t count;
    const int32_t *columns = rwl_bound_columns(p->filter, &count);
    int32_t *ids = rwl_arena_array(arena, (size_t)count, sizeof *ids);
    if (ids == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *ids);
    for (int32_t i = 0; i < count; i++)
        if (has_metrics(&p->fields[columns[i]]))
            ids[wanted->id_count++] = p->fields[columns[i]].id;
    wanted->ids = ids;
    wanted->counts = wanted->bounds = wanted->id_count > 0;
    return RWL_OK;
}

static bool set_constant(rwl_column_facts *out, rwl_value v) {
    out->is_constant = true;
    out->constant = v;
    return true;
}

static bool set_i32(rwl_column_facts *out, int32_t v) {
    rwl_value value = {.kind = RWL_TYPE_INT, .as.i32 = v};
    return set_constant(out, value);
}

/* --- bounds --- */

static bool decode_bound(const rwl_type *type, rwl_span bytes, rwl_value *out) {
    return bytes.data != NULL && rwl_value_decode(type, bytes, out, NULL) == RWL_OK;
}

/* Some writers cut text anywhere, and did not make it larger then: a prefix is no upper bound. */
static bool is_cut_text(const rwl_type *type, rwl_span bytes) {
    return type->kind == RWL_TYPE_STRING && bytes.data != NULL && !rwl_utf8_valid(bytes);
}

/* Both bounds, or none where they contradict each other. NaN ones are left for expr/ to judge. */
static void decode_bounds(const rwl_type *type, rwl_span lower, rwl_span upper, rwl_column_facts *out) {
    out->has_lower = decode_bound(type, lower, &out->lower);
    out->has_upper = !is_cut_text(type, upper) && decode_bound(type, upper, &out->upper);
    if (out->has_lower && out->has_upper && rwl_value_compare(&out->lower, &out->upper) > 0)
        out->has_lower = out->has_upper = false;
}

/* --- partitions --- */

/* A bucket field whose source was a date once and is a timestamp now: old files were put by the hash of days. */
static bool is_rehashed(const rwl_plan_pruner *p, const rwl_partition_field *field, const rwl_type *source) {
    for (int32_t i = 0; source->kind != RWL_TYPE_DATE && i < p->metadata->schema_count; i++) {
        const rwl_field *old = rwl_schema_by_id(&p->metadata->schemas[i], field->source_id);
        if (old != NULL && old->type.kind == RWL_TYPE_DATE)
            return true;
    }
    return false;
}

static rwl_partition_values summary_values(const rwl_field_summary *s, const rwl_type *type) {
    rwl_partition_values v = {.may_null = s->contains_null, .may_nan = s->contains_nan};
    rwl_column_facts bounds = {0};
    decode_bounds(type, s->lower, s->upper, &bounds);
    v.has_lower = bounds.has_lower && !rwl_facts_is_nan(&bounds.lower);
    v.has_upper = bounds.has_upper && !rwl_facts_is_nan(&bounds.upper);
    v.lower = bounds.lower;
    v.upper = bounds.upper;
    return v;
}

/* What is known of partition field `i` of the subject's spec: of the entry when there is one, else of the manifest. */
static bool partition_values(const rwl_plan_pruner *p, int32_t i, const rwl_type *type,
                             rwl_partition_values *out) {
    if (p->entry != NULL) {
        if (i >= p->entry->file.partition_count)
            return false;
        *out = rwl_partition_values_of(&p->entry->file.partition[i]);
        return true;
    }
    if (p->manifest->partitions == NULL || i >= p->manifest->partition_count)
        return false;
    *out = summary_values(&p->manifest->partitions[i], type);
    return true;
}

/* What all partition fields that are made of this column say of it. */
static bool source_facts(rwl_plan_pruner *p, const rwl_field *field, rwl_column_facts *out) {
    bool known = false;
    for (int32_t i = 0; p->spec != NULL && i < p->spec->field_count && !out->is_constant; i++) {
        const rwl_partition_field *part = &p->spec->fields[i];
        rwl_type result;
        rwl_partition_values values;
        if (part->source_id != field->id || !rwl_transform_result(&part->transform, &field->type, &result) ||
            !partition_values(p, i, &result, &values))
            continue;
        known = rwl_partition_narrow(part, &field->type, &values, &p->scratch, out) || known;
    }
    return known;
}

/* Whether values of a spec's field are those of _partition's field of that id: v1 tables gave one id to fields of several
 * specs that have nothing else in common. */
static bool is_of_type(const rwl_plan_pruner *p, const rwl_partition_field *part, const rwl_type *type) {
    const rwl_field *source = rwl_schema_by_id(p->metadata->schema, part->source_id);
    for (int32_t i = p->metadata->schema_count; source == NULL && i-- > 0;)
        source = rwl_schema_by_id(&p->metadata->schemas[i], part->source_id);
    rwl_type own;
    return source != NULL && rwl_transform_result(&part->transform, &source->type, &own) &&
           (own.kind == type->kind || rwl_type_promotes(&own, type));
}

/* A field of _partition: its own values, whatever they were made of. */
static bool partition_field_facts(const rwl_plan_pruner *p, const rwl_field *field, rwl_column_facts *out) {
    int32_t id = rwl_field_partition_id(field);
    rwl_partition_values values;
    rwl_value v;
    if (p->entry != NULL) {
        const rwl_data_file *f = &p->entry->file;
        return rwl_filter_partition_value(p->metadata, f->spec_id, f->partition, f->partition_count, id,
                                          &field->type, &v) &&
               set_constant(out, v);
    }
    if (p->spec == NULL)
        return false;
    int32_t i = 0;
    while (i < p->spec->field_count && p->spec->fields[i].field_id != id)
        i++;
    if (i == p->spec->field_count)
        return set_constant(out, rwl_value_null(field->type.kind));
    if (!is_of_type(p, &p->spec->fields[i], &field->type) || !partition_values(p, i, &field->type, &values))
        return false;
    if (!values.may_null)
        out->null_count = 0;
    if (values.may_nan == 0)
        out->nan_count = 0;
    out->has_lower = values.has_lower;
    out->has_upper = values.has_upper;
    out->lower = values.lower;
    out->upper = values.upper;
    return true;
}

static bool may_contain(void *ctx, int32_t column, const rwl_value *v) {
    rwl_plan_pruner *p = ctx;
    const rwl_field *field = &p->fields[column];
    for (int32_t i = 0; p->spec != NULL && i < p->spec->field_count; i++) {
        const rwl_partition_field *part = &p->spec->fields[i];
        const rwl_type result = rwl_type_of(RWL_TYPE_INT);
        rwl_partition_values values;
        if (part->source_id == field->id && part->transform.kind == RWL_TRANSFORM_BUCKET &&
            v->kind == field->type.kind && partition_values(p, i, &result, &values) &&
            !rwl_partition_may_contain(part, &values, v) && !is_rehashed(p, part, &field->type))
            return false;
    }
    return true;
}

static bool is_source(const rwl_partition_spec *spec, const rwl_field *field) {
    for (int32_t i = 0; i < spec->field_count; i++)
        if (spec->fields[i].source_id == field->id)
            return true;
    return rwl_field_is_partition(field) || field->id == RWL_FIELD_ID_SPEC_ID;
}

static void find_spec(rwl_plan_pruner *p, int32_t spec_id) {
    if (p->spec != NULL && p->spec->spec_id == spec_id)
        return;
    int32_t count;
    const int32_t *columns = rwl_bound_columns(p->filter, &count);
    p->spec = rwl_metadata_spec(p->metadata, spec_id);
    p->by_tuple = false;
    for (int32_t i = 0; p->spec != NULL && i < count; i++)
        p->by_tuple = p->by_tuple || is_source(p->spec, &p->fields[columns[i]]);
}

/* --- manifests --- */

static bool manifest_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    rwl_plan_pruner *p = ctx;
    const rwl_field *field = &p->fields[column];
    const rwl_manifest *m = p->manifest;
    if (rwl_field_is_partition(field))
        return partition_field_facts(p, field, out);
    if (rwl_field_is_stored(field))
        return source_facts(p, field, out);
    if (field->id == RWL_FIELD_ID_SPEC_ID)
        return set_i32(out, m->spec_id);
    bool lineage = field->id == RWL_FIELD_ID_ROW_ID || field->id == RWL_FIELD_ID_LAST_UPDATED;
    if (lineage && m->content == 0 && !m->has_first_row_id)
        return set_constant(out, rwl_value_null(RWL_TYPE_LONG)); /* law 5 */
    return false;
}

/* Equality deletes of a spec without partitions apply to files of all specs. */
static bool applies_everywhere(const rwl_plan_pruner *p) {
    return p->manifest->content == 1 && (p->spec == NULL || rwl_spec_is_unpartitioned(p->spec));
}

bool rwl_plan_may_match_manifest(rwl_plan_pruner *p, const rwl_manifest *manifest) {
    if (p->filter == NULL)
        return true;
    rwl_arena_reset(&p->scratch);
    p->manifest = manifest;
    p->entry = NULL;
    find_spec(p, manifest->spec_id);
    if (applies_everywhere(p))
        return true;
    rwl_facts facts = {.ctx = p, .lookup = manifest_facts, .may_contain = may_contain};
    return rwl_expr_may_match(p->filter, &facts);
}

/* --- files --- */

static int64_t find_count(const rwl_metric_count *items, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (items[i].field_id == id)
            return items[i].value < 0 ? -1 : items[i].value;
    return -1;
}

static rwl_span find_bound(const rwl_metric_bound *items, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (items[i].field_id == id)
            return items[i].value;
    return rwl_span_of(NULL, 0);
}

/* Where values are counted otherwise than rows (fields of a null struct, say), nulls are not counted as rows either; of
 * what may be such a field, by its dotted name, that has to be known. */
static void metric_facts(const rwl_data_file *f, const rwl_field *field, rwl_column_facts *out) {
    out->value_count = find_count(f->value_counts, f->value_count_count, field->id);
    bool by_rows =
        out->value_count < 0 ? strchr(field->name, '.') == NULL : out->value_count == f->record_count;
    if (by_rows) {
        out->null_count = find_count(f->null_counts, f->null_count_count, field->id);
        out->nan_count = find_count(f->nan_counts, f->nan_count_count, field->id);
    } else {
        out->value_count = -1;
    }
    bool has_nan = field->type.kind == RWL_TYPE_FLOAT || field->type.kind == RWL_TYPE_DOUBLE;
    if (field->type.kind != RWL_TYPE_UUID &&
        !(has_nan && find_count(f->nan_counts, f->nan_count_count, field->id) < 0))
        decode_bounds(&field->type, find_bound(f->lower_bounds, f->lower_count, field->id),
                      find_bound(f->upper_bounds, f->upper_count, field->id), out);
}

static rwl_value long_value(int64_t v) {
    return (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = v};
}

/* Stored values within the metrics' bounds, and values between `first` and `last` where none is stored. */
static bool lineage_facts(const rwl_data_file *f, const rwl_field *field, int64_t first, int64_t last,
                          rwl_column_facts *out) {
    if (!f->has_first_row_id)
        return set_constant(out, rwl_value_null(RWL_TYPE_LONG)); /* law 5 */
    rwl_column_facts stored = {.value_count = -1, .null_count = -1, .nan_count = -1};
    metric_facts(f, field, &stored);
    bool none = stored.value_count == f->record_count && stored.null_count == f->record_count;
    bool all = stored.null_count == 0;
    out->null_count = 0;
    if (!none && !(stored.has_lower && stored.has_upper))
        return true;
    out->has_lower = out->has_upper = true;
    out->lower = none || (!all && first < stored.lower.as.i64) ? long_value(first) : stored.lower;
    out->upper = none || (!all && last > stored.upper.as.i64) ? long_value(last) : stored.upper;
    return true;
}

static bool position_facts(const rwl_data_file *f, rwl_column_facts *out) {
    if (f->record_count == 0)
        return false;
    out->value_count = f->record_count;
    out->null_count = 0;
    out->has_lower = out->has_upper = true;
    out->lower = long_value(0);
    out->upper = long_value(f->record_count - 1);
    return true;
}

static bool metadata_column_facts(const rwl_manifest_entry *e, const rwl_field *field,
                                  rwl_column_facts *out) {
    const rwl_data_file *f = &e->file;
    rwl_value path = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str(f->file_path)};
    int64_t last;
    if (!rwl_i64_add(f->first_row_id, f->record_count, &last))
        last = INT64_MAX;
    switch (field->id) {
    case RWL_FIELD_ID_ROW_ID:
        return lineage_facts(f, field, f->first_row_id, last - (f->record_count > 0), out);
    case RWL_FIELD_ID_LAST_UPDATED:
        return lineage_facts(f, field, e->sequence_number, e->sequence_number, out);
    case RWL_FIELD_ID_FILE:
        return set_constant(out, path);
    case RWL_FIELD_ID_SPEC_ID:
        return set_i32(out, f->spec_id);
    case RWL_FIELD_ID_POS:
        return position_facts(f, out);
    default:
        return false;
    }
}

/* By the partition alone. */
static bool tuple_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    rwl_plan_pruner *p = ctx;
    const rwl_field *field = &p->fields[column];
    if (rwl_field_is_partition(field))
        return partition_field_facts(p, field, out);
    if (rwl_field_is_stored(field))
        return source_facts(p, field, out);
    return field->id == RWL_FIELD_ID_SPEC_ID && set_i32(out, p->entry->file.spec_id);
}

/* By all that is known of the file. */
static bool file_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    rwl_plan_pruner *p = ctx;
    const rwl_field *field = &p->fields[column];
    if (rwl_field_is_partition(field))
        return partition_field_facts(p, field, out);
    if (!rwl_field_is_stored(field))
        return metadata_column_facts(p->entry, field, out);
    metric_facts(&p->entry->file, field, out);
    if ((out->has_lower && rwl_facts_is_nan(&out->lower)) ||
        (out->has_upper && rwl_facts_is_nan(&out->upper)))
        out->has_lower = out->has_upper = false; /* before others are put beside them */
    (void)source_facts(p, field, out);
    return true;
}

static rwl_facts ask_about_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry,
                                bool (*lookup)(void *, int32_t, rwl_column_facts *)) {
    rwl_arena_reset(&p->scratch);
    p->entry = entry;
    find_spec(p, entry->file.spec_id);
    return (rwl_facts){.ctx = p, .lookup = lookup, .may_contain = may_contain};
}

bool rwl_plan_may_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry) {
    if (p->filter == NULL)
        return true;
    rwl_facts facts = ask_about_file(p, entry, tuple_facts);
    if (p->by_tuple && !rwl_expr_may_match(p->filter, &facts))
        return false;
    facts.lookup = file_facts;
    return rwl_expr_may_match(p->filter, &facts);
}

bool rwl_plan_must_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry) {
    if (p->filter == NULL)
        return true;
    rwl_facts facts = ask_about_file(p, entry, file_facts);
    return rwl_expr_must_match(p->filter, &facts);
}
