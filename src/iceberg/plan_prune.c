/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about filter columns from partition summaries, partition values and metrics. */
#include "iceberg/plan_prune.h"

#include "iceberg/projection.h"

#include <math.h>

/* The identity partition field of the current spec with this source; -1 for none. */
static int32_t identity_field(const rwl_plan_pruner *p, int32_t field_id) {
    for (int32_t i = 0; p->spec != NULL && i < p->spec->field_count; i++)
        if (p->spec->fields[i].source_id == field_id &&
            p->spec->fields[i].transform.kind == RWL_TRANSFORM_IDENTITY)
            return i;
    return -1;
}

static bool is_nan(const rwl_value *v) {
    return (v->kind == RWL_TYPE_FLOAT && isnan(v->as.f32)) ||
           (v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64));
}

/* A bound that can't be read, or that some old writer set to NaN, is none. */
static bool decode_bound(const rwl_type *type, rwl_span bytes, rwl_value *out) {
    return bytes.data != NULL && rwl_value_decode(type, bytes, out, NULL) == RWL_OK && !is_nan(out);
}

/* --- manifests --- */

static bool manifest_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    const rwl_plan_pruner *p = ctx;
    const rwl_field *field = &p->fields[column];
    int32_t i = identity_field(p, field->id);
    if (i < 0 || p->manifest->partitions == NULL || i >= p->manifest->partition_count)
        return false;
    const rwl_field_summary *s = &p->manifest->partitions[i];
    if (!s->contains_null)
        out->null_count = 0;
    if (s->contains_nan == 0)
        out->nan_count = 0;
    out->has_lower = decode_bound(&field->type, s->lower, &out->lower);
    out->has_upper = decode_bound(&field->type, s->upper, &out->upper);
    return true;
}

bool rwl_plan_may_match_manifest(rwl_plan_pruner *p, const rwl_manifest *manifest) {
    if (p->filter == NULL)
        return true;
    p->manifest = manifest;
    p->spec = rwl_metadata_spec(p->metadata, manifest->spec_id);
    rwl_facts facts = {.ctx = p, .lookup = manifest_facts};
    return rwl_expr_may_match(p->filter, &facts);
}

/* --- files --- */

static int64_t find_count(const rwl_metric_count *items, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (items[i].field_id == id)
            return items[i].value;
    return -1;
}

static rwl_span find_bound(const rwl_metric_bound *items, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (items[i].field_id == id)
            return items[i].value;
    return rwl_span_of(NULL, 0);
}

static bool metric_facts(const rwl_data_file *f, const rwl_field *field, rwl_column_facts *out) {
    out->value_count = find_count(f->value_counts, f->value_count_count, field->id);
    out->null_count = find_count(f->null_counts, f->null_count_count, field->id);
    out->nan_count = find_count(f->nan_counts, f->nan_count_count, field->id);
    if (out->value_count < 0)
        out->value_count = -1;
    if (out->null_count < 0)
        out->null_count = -1;
    if (out->nan_count < 0)
        out->nan_count = -1;
    out->has_lower =
        decode_bound(&field->type, find_bound(f->lower_bounds, f->lower_count, field->id), &out->lower);
    out->has_upper =
        decode_bound(&field->type, find_bound(f->upper_bounds, f->upper_count, field->id), &out->upper);
    return true;
}

static bool set_constant(rwl_column_facts *out, rwl_value v) {
    out->is_constant = true;
    out->constant = v;
    return true;
}

/* Stored lineage tells something only where no cell is null: null cells read as something else. */
static bool lineage_facts(const rwl_data_file *f, const rwl_field *field, rwl_column_facts *out) {
    if (!f->has_first_row_id)
        return set_constant(out, rwl_value_null(RWL_TYPE_LONG));
    return metric_facts(f, field, out) && out->null_count == 0;
}

static bool position_facts(const rwl_data_file *f, rwl_column_facts *out) {
    if (f->record_count == 0)
        return false;
    out->value_count = f->record_count;
    out->null_count = 0;
    out->has_lower = out->has_upper = true;
    out->lower = out->upper = rwl_value_null(RWL_TYPE_LONG);
    out->lower.is_null = out->upper.is_null = false;
    out->upper.as.i64 = f->record_count - 1;
    return true;
}

static bool metadata_column_facts(const rwl_data_file *f, const rwl_field *field, rwl_column_facts *out) {
    rwl_value v = rwl_value_null(field->type.kind);
    v.is_null = false;
    switch (field->id) {
    case RWL_FIELD_ID_ROW_ID:
    case RWL_FIELD_ID_LAST_UPDATED:
        return lineage_facts(f, field, out);
    case RWL_FIELD_ID_FILE:
        v.as.bytes = rwl_span_str(f->file_path);
        return set_constant(out, v);
    case RWL_FIELD_ID_SPEC_ID:
        v.as.i32 = f->spec_id;
        return set_constant(out, v);
    case RWL_FIELD_ID_POS:
        return position_facts(f, out);
    default:
        return false;
    }
}

static bool file_facts(void *ctx, int32_t column, rwl_column_facts *out) {
    const rwl_plan_pruner *p = ctx;
    const rwl_field *field = &p->fields[column];
    const rwl_data_file *f = &p->entry->file;
    if (field->id >= RWL_FIELD_ID_RESERVED_MIN)
        return metadata_column_facts(f, field, out);
    int32_t i = identity_field(p, field->id);
    rwl_value v;
    if (i >= 0 && i < f->partition_count && rwl_value_convert(&f->partition[i], &field->type, &v))
        return set_constant(out, v);
    return metric_facts(f, field, out);
}

static rwl_facts ask_about_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry) {
    p->entry = entry;
    p->spec = rwl_metadata_spec(p->metadata, entry->file.spec_id);
    rwl_facts facts = {.ctx = p, .lookup = file_facts};
    return facts;
}

bool rwl_plan_may_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry) {
    if (p->filter == NULL)
        return true;
    rwl_facts facts = ask_about_file(p, entry);
    return rwl_expr_may_match(p->filter, &facts);
}

bool rwl_plan_must_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry) {
    if (p->filter == NULL)
        return true;
    rwl_facts facts = ask_about_file(p, entry);
    return rwl_expr_must_match(p->filter, &facts);
}
