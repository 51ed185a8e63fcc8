/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving scan columns against one data file. */
#include "iceberg/projection.h"

#include <inttypes.h>

typedef struct resolver {
    const rwl_metadata *metadata;
    const rwl_fragment *fragment;
    const rwl_parquet_file *file;
    rwl_arena *arena;
} resolver;

/* --- the file's columns --- */

/* Types with the same bytes that files of careless writers leave without their annotation. */
static bool same_layout(const rwl_type *from, const rwl_type *to) {
    if (from->kind == RWL_TYPE_FIXED && to->kind == RWL_TYPE_UUID)
        return from->length == 16;
    if (from->kind == RWL_TYPE_UUID && to->kind == RWL_TYPE_FIXED)
        return to->length == 16;
    return from->kind == RWL_TYPE_STRING && to->kind == RWL_TYPE_BINARY;
}

static rwl_status wrong_type(const resolver *r, const rwl_field *field, const rwl_type *from,
                             rwl_error *err) {
    rwl_buf names[2];
    for (int i = 0; i < 2; i++)
        rwl_buf_init(&names[i], r->arena->env, 4096);
    const char *texts[2] = {"?", "?"};
    const rwl_type *types[2] = {from, &field->type};
    for (int i = 0; i < 2; i++)
        if (rwl_type_format(types[i], &names[i], NULL) == RWL_OK &&
            rwl_buf_terminate(&names[i], NULL) == RWL_OK)
            texts[i] = (const char *)names[i].data;
    rwl_status st = rwl_fail(err, RWL_CORRUPT, "column %s is %s in the file, which can't be read as %s",
                             field->name, texts[0], texts[1]);
    for (int i = 0; i < 2; i++)
        rwl_buf_clear(&names[i]);
    return st;
}

/* Whether a column of type `from` may be read as `to`; *same when no value changes. Children are those of the table, by
 * id and in its order: a nested type that has changed otherwise is not read yet. */
static bool reads_as(const rwl_type *from, const rwl_type *to, int depth, bool *same) {
    if (rwl_type_is_nested(to) || from->kind != to->kind) {
        if (from->kind != to->kind || from->child_count != to->child_count || depth > RWL_TYPE_DEPTH_MAX) {
            *same &= same_layout(from, to);
            return same_layout(from, to) || rwl_type_promotes(from, to);
        }
        for (int32_t i = 0; i < to->child_count; i++)
            if (from->children[i].id != to->children[i].id ||
                !reads_as(&from->children[i].type, &to->children[i].type, depth + 1, same))
                return false;
        return true;
    }
    if (to->kind >= RWL_TYPE_VARIANT ||
        rwl_type_equal(from, to)) /* geometries keep the table's reference system */
        return true;
    *same = false;
    return rwl_type_promotes(from, to);
}

static rwl_status refuse_leaves(const resolver *r, const rwl_parquet_node *top, const rwl_field *field,
                                rwl_error *err) {
    for (int32_t i = 0; i < top->leaf_count; i++) {
        const rwl_parquet_leaf *leaf = &r->file->leaves[top->first_leaf + i];
        if (leaf->unsupported)
            return rwl_fail(err, RWL_UNSUPPORTED, "column %s has type %s in the file, which can't be read",
                            field->name, leaf->type_text != NULL ? leaf->type_text : "?");
    }
    return RWL_OK;
}

static rwl_status use_node(const resolver *r, const rwl_field *field, int32_t node, rwl_source *out,
                           rwl_error *err) {
    const rwl_parquet_node *top = &r->file->nodes[node];
    bool same = true;
    RWL_TRY(refuse_leaves(r, top, field, err));
    out->node = node;
    if (!reads_as(&top->field.type, &field->type, 0, &same)) {
        if (rwl_type_is_nested(&field->type) && top->field.type.kind == field->type.kind)
            return rwl_fail(
                err, RWL_UNSUPPORTED,
                "column %s is nested and has another structure in the file, which can't be read yet",
                field->name);
        return wrong_type(r, field, &top->field.type, err);
    }
    out->kind = same ? RWL_SOURCE_SAME : RWL_SOURCE_PROMOTED;
    return RWL_OK;
}

/* --- constants --- */

/* A partition value is typed by the current schema, `to` may be an older or a newer one. */
bool rwl_value_convert(const rwl_value *from, const rwl_type *to, rwl_value *out) {
    const int64_t day_us = INT64_C(86400000000);
    *out = *from;
    out->kind = to->kind;
    if (from->is_null || from->kind == to->kind)
        return true;
    if (from->kind == RWL_TYPE_INT && to->kind == RWL_TYPE_LONG)
        out->as.i64 = from->as.i32;
    else if (from->kind == RWL_TYPE_LONG && to->kind == RWL_TYPE_INT && from->as.i64 >= INT32_MIN &&
             from->as.i64 <= INT32_MAX)
        out->as.i32 = (int32_t)from->as.i64;
    else if (from->kind == RWL_TYPE_FLOAT && to->kind == RWL_TYPE_DOUBLE)
        out->as.f64 = (double)from->as.f32;
    else if (from->kind == RWL_TYPE_DOUBLE && to->kind == RWL_TYPE_FLOAT)
        out->as.f32 = (float)from->as.f64;
    else if (from->kind == RWL_TYPE_DATE && to->kind == RWL_TYPE_TIMESTAMP)
        return rwl_i64_mul(from->as.i32, day_us, &out->as.i64);
    else if (from->kind == RWL_TYPE_DATE && to->kind == RWL_TYPE_TIMESTAMP_NS)
        return rwl_i64_mul(from->as.i32, day_us * 1000, &out->as.i64);
    else
        return false;
    return true;
}

/* The identity partition field of the fragment's spec whose source is this field; -1 for none. */
static int32_t identity_field(const resolver *r, int32_t field_id) {
    const rwl_partition_spec *spec = rwl_metadata_spec(r->metadata, r->fragment->spec_id);
    for (int32_t i = 0; spec != NULL && i < spec->field_count && i < r->fragment->partition_count; i++)
        if (spec->fields[i].source_id == field_id && spec->fields[i].transform.kind == RWL_TRANSFORM_IDENTITY)
            return i;
    return -1;
}

static rwl_status use_constant(const rwl_field *field, const rwl_value *v, rwl_source *out, rwl_error *err) {
    out->kind = RWL_SOURCE_CONSTANT;
    if (!rwl_value_convert(v, &field->type, &out->constant))
        return rwl_fail(err, RWL_CORRUPT, "column %s: a partition value or default is of another type",
                        field->name);
    return RWL_OK;
}

static rwl_status use_default(const rwl_field *field, rwl_source *out, rwl_error *err) {
    if (field->initial_default != NULL)
        return use_constant(field, field->initial_default, out, err);
    if (field->required)
        return rwl_fail(err, RWL_CORRUPT, "required column %s (id %" PRId32 ") is missing and has no default",
                        field->name, field->id);
    out->kind = RWL_SOURCE_CONSTANT;
    out->constant = rwl_value_null(field->type.kind);
    return RWL_OK;
}

/* --- resolving --- */

static rwl_status resolve_field(const resolver *r, const rwl_field *field, rwl_source *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->node = -1;
    int32_t node = rwl_parquet_node_by_id(r->file, field->id);
    if (node >= 0)
        return use_node(r, field, node, out, err);
    int32_t identity = identity_field(r, field->id);
    if (identity >= 0)
        return use_constant(field, &r->fragment->partition[identity], out, err);
    return use_default(field, out, err);
}

rwl_status rwl_projection_resolve(const rwl_metadata *metadata, const rwl_fragment *fragment,
                                  const rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                                  rwl_arena *arena, rwl_source *sources, rwl_error *err) {
    resolver r = {.metadata = metadata, .fragment = fragment, .file = file, .arena = arena};
    if (count > 0 && rwl_parquet_without_ids(file))
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "the file has no field ids, and reading by name mapping is not supported yet");
    for (int32_t i = 0; i < count; i++)
        RWL_TRY(resolve_field(&r, &fields[i], &sources[i], err));
    return RWL_OK;
}
