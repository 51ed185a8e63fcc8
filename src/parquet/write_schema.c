/* SPDX-License-Identifier: Apache-2.0 */
/* How fields are stored as Parquet columns: the leaves of nested fields, and the footer's schema list. */
#include "parquet/write_schema.h"

#include "parquet/page.h"
#include "parquet/thrift_put.h"

#include <strings.h>

enum { PATH_MAX_LEN = 63 }; /* groups above a leaf, and it: what readers of ours take */

/* --- leaves --- */

typedef struct walk {
    rwl_arena *arena;
    rwl_parquet_write_leaf *leaves;
    int32_t leaf_count;
    int32_t top;
    const char *path[PATH_MAX_LEN];
    int32_t depth;
    int32_t ways[PATH_MAX_LEN]; /* fewer than names */
    int32_t way_count;
    int16_t definition, repetition; /* at this place */
    rwl_error *err;
} walk;

/* At most these; types deeper than can be written count as one. */
static int32_t count_leaves(const rwl_type *type, int depth) {
    if (type->kind == RWL_TYPE_VARIANT)
        return 2;
    if (!rwl_type_is_nested(type) || depth >= PATH_MAX_LEN)
        return 1;
    int32_t count = 0;
    for (int32_t i = 0; i < type->child_count; i++)
        count += count_leaves(&type->children[i].type, depth + 1);
    return count;
}

static rwl_status push_name(walk *w, const char *name) {
    if (w->depth == PATH_MAX_LEN)
        return rwl_fail(w->err, RWL_UNSUPPORTED, "column %s: nested deeper than parquet files can be read",
                        w->path[0]);
    w->path[w->depth++] = name;
    return RWL_OK;
}

static rwl_status keep_path(walk *w, rwl_parquet_write_leaf *leaf) {
    size_t len = 0, at = 0;
    const char **path = rwl_arena_copy(w->arena, w->path, (size_t)w->depth * sizeof *path);
    for (int32_t i = 0; i < w->depth; i++)
        len += strlen(w->path[i]) + 1;
    char *dotted = rwl_arena_alloc(w->arena, len);
    const int32_t *ways = rwl_arena_copy(w->arena, w->ways, (size_t)w->way_count * sizeof *ways);
    if (path == NULL || dotted == NULL || ways == NULL)
        return rwl_no_memory(w->err, len);
    for (int32_t i = 0; i < w->depth; i++) {
        size_t n = strlen(path[i]);
        memcpy(dotted + at, path[i], n);
        at += n;
        dotted[at++] = i + 1 < w->depth ? '.' : '\0';
    }
    leaf->path = path;
    leaf->path_len = w->depth;
    leaf->dotted = dotted;
    leaf->ways = ways;
    leaf->way_count = w->way_count;
    return RWL_OK;
}

static rwl_status add_leaf(walk *w, const rwl_field *field, rwl_parquet_part part, bool required) {
    rwl_parquet_write_leaf *leaf = &w->leaves[w->leaf_count++];
    leaf->field = field;
    leaf->part = part;
    leaf->top = w->top;
    leaf->required = required;
    leaf->max_definition = w->definition;
    leaf->max_repetition = w->repetition;
    RWL_TRY(keep_path(w, leaf));
    return rwl_parquet_shape_of(field, &leaf->shape, w->err);
}

static rwl_status add_variant(walk *w, const rwl_field *field) {
    RWL_TRY(push_name(w, "metadata"));
    RWL_TRY(add_leaf(w, field, RWL_PARQUET_VARIANT_METADATA, true));
    w->path[w->depth - 1] = "value";
    RWL_TRY(add_leaf(w, field, RWL_PARQUET_VARIANT_VALUE, true));
    w->depth--;
    return RWL_OK;
}

/* A list's element or a map's value has to be there: files have no other sign of it. */
static rwl_status check_stored(walk *w, const rwl_field *child) {
    if (child->type.kind != RWL_TYPE_UNKNOWN)
        return RWL_OK;
    return rwl_fail(w->err, RWL_UNSUPPORTED,
                    "column %s: a list or map of unknown can't be written to parquet", w->path[0]);
}

static rwl_status add_field(walk *w, const rwl_field *field, const char *name, bool required);

static rwl_status add_child(walk *w, const rwl_field *parent, int32_t child, const char *name,
                            bool required) {
    w->ways[w->way_count++] = child;
    RWL_TRY(add_field(w, &parent->type.children[child], name, required));
    w->way_count--;
    return RWL_OK;
}

static rwl_status add_struct(walk *w, const rwl_field *field) {
    int32_t before = w->leaf_count;
    for (int32_t i = 0; i < field->type.child_count; i++) {
        const rwl_field *child = &field->type.children[i];
        if (child->type.kind != RWL_TYPE_UNKNOWN)
            RWL_TRY(add_child(w, field, i, child->name, child->required));
    }
    if (w->leaf_count == before)
        return rwl_fail(w->err, RWL_UNSUPPORTED,
                        "column %s: a struct without fields can't be written to parquet", w->path[0]);
    return RWL_OK;
}

/* What is below the repeated group of a list or map. */
static rwl_status add_repeated(walk *w, const rwl_field *field) {
    bool is_map = field->type.kind == RWL_TYPE_MAP;
    const rwl_field *children = field->type.children;
    RWL_TRY(push_name(w, is_map ? "key_value" : "list"));
    w->definition++;
    w->repetition++;
    RWL_TRY(check_stored(w, &children[0]));
    RWL_TRY(add_child(w, field, 0, is_map ? "key" : "element", is_map || children[0].required));
    if (is_map) {
        RWL_TRY(check_stored(w, &children[1]));
        RWL_TRY(add_child(w, field, 1, "value", children[1].required));
    }
    w->definition--;
    w->repetition--;
    w->depth--;
    return RWL_OK;
}

/* Recursion ends with the path, which has at most PATH_MAX_LEN names. */
static rwl_status add_field(walk *w, const rwl_field *field, const char *name, bool required) {
    RWL_TRY(push_name(w, name));
    w->definition = (int16_t)(w->definition + !required);
    switch (field->type.kind) {
    case RWL_TYPE_STRUCT:
        RWL_TRY(add_struct(w, field));
        break;
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        RWL_TRY(add_repeated(w, field));
        break;
    case RWL_TYPE_VARIANT:
        RWL_TRY(add_variant(w, field));
        break;
    default:
        RWL_TRY(add_leaf(w, field, RWL_PARQUET_WHOLE, required));
        break;
    }
    w->definition = (int16_t)(w->definition - !required);
    w->depth--;
    return RWL_OK;
}

static rwl_status copy_fields(const rwl_field *fields, int32_t count, rwl_arena *arena, rwl_field **out,
                              rwl_error *err) {
    *out = rwl_arena_array(arena, (size_t)count, sizeof **out);
    if (*out == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof **out);
    for (int32_t i = 0; i < count; i++)
        if (!rwl_field_copy(arena, &fields[i], &(*out)[i]))
            return rwl_no_memory(err, sizeof *fields);
    return RWL_OK;
}

rwl_status rwl_parquet_write_schema_make(const rwl_field *fields, int32_t count, rwl_arena *arena,
                                         rwl_parquet_write_schema *out, rwl_error *err) {
    rwl_field *copy;
    walk w = {.arena = arena, .err = err};
    int32_t most = 0;
    RWL_TRY(copy_fields(fields, count, arena, &copy, err));
    for (int32_t i = 0; i < count; i++)
        most += count_leaves(&copy[i].type, 0);
    w.leaves = rwl_arena_array(arena, (size_t)most, sizeof *w.leaves);
    if (w.leaves == NULL)
        return rwl_no_memory(err, (size_t)most * sizeof *w.leaves);
    for (w.top = 0; w.top < count; w.top++)
        if (copy[w.top].type.kind != RWL_TYPE_UNKNOWN)
            RWL_TRY(add_field(&w, &copy[w.top], copy[w.top].name, copy[w.top].required));
    *out = (rwl_parquet_write_schema){copy, count, w.leaves, w.leaf_count};
    return RWL_OK;
}

/* --- annotations --- */

enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };

/* ConvertedType, for readers older than logical types; -1 where the type has none. Local times have the one of UTC
 * times ("writers must annotate local time with legacy annotations too", LogicalTypes.md). */
static int32_t converted_type(const rwl_type *type) {
    enum { UTF8 = 0, MAP = 1, LIST = 3, DECIMAL = 5, DATE = 6, TIME_MICROS = 8, TIMESTAMP_MICROS = 10 };
    switch (type->kind) {
    case RWL_TYPE_STRING:
        return UTF8;
    case RWL_TYPE_MAP:
        return MAP;
    case RWL_TYPE_LIST:
        return LIST;
    case RWL_TYPE_DECIMAL:
        return DECIMAL;
    case RWL_TYPE_DATE:
        return DATE;
    case RWL_TYPE_TIME:
        return rwl_type_is_time_ns(type) ? -1 : TIME_MICROS;
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
        return TIMESTAMP_MICROS;
    default:
        return -1;
    }
}

/* The field of the LogicalType union, 0 without one. */
static int16_t logical_type(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_STRING:
        return 1;
    case RWL_TYPE_MAP:
        return 2;
    case RWL_TYPE_LIST:
        return 3;
    case RWL_TYPE_DECIMAL:
        return 5;
    case RWL_TYPE_DATE:
        return 6;
    case RWL_TYPE_TIME:
        return 7;
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return 8;
    case RWL_TYPE_UUID:
        return 14;
    case RWL_TYPE_VARIANT:
        return 16;
    case RWL_TYPE_GEOMETRY:
        return 17;
    case RWL_TYPE_GEOGRAPHY:
        return 18;
    default:
        return 0;
    }
}

/* TimeType and TimestampType: whether UTC, and the unit. */
static rwl_status put_time(rwl_thrift_writing *w, const rwl_type *type) {
    enum { MICROS = 2, NANOS = 3 };
    rwl_thrift_writing unit;
    rwl_type_kind kind = type->kind;
    bool nanos =
        kind == RWL_TYPE_TIMESTAMP_NS || kind == RWL_TYPE_TIMESTAMPTZ_NS || rwl_type_is_time_ns(type);
    RWL_TRY(rwl_put_bool(w, 1, kind == RWL_TYPE_TIMESTAMPTZ || kind == RWL_TYPE_TIMESTAMPTZ_NS));
    RWL_TRY(rwl_put_begin(w, 2, &unit));
    RWL_TRY(rwl_put_empty(&unit, nanos ? NANOS : MICROS));
    return rwl_put_end(&unit);
}

static rwl_span trim(rwl_span s) {
    while (s.len > 0 && s.data[0] == ' ')
        s = rwl_span_of(s.data + 1, s.len - 1);
    while (s.len > 0 && s.data[s.len - 1] == ' ')
        s.len--;
    return s;
}

static rwl_status put_algorithm(rwl_thrift_writing *w, rwl_span name) {
    const char *known;
    for (int32_t i = 0; (known = rwl_parquet_edges_name(i)) != NULL; i++)
        if (name.len == strlen(known) && strncasecmp((const char *)name.data, known, name.len) == 0)
            return rwl_put_i32(w, 2, i);
    return rwl_fail(w->err, RWL_UNSUPPORTED, "geography: unknown edge algorithm %.*s", (int)name.len,
                    (const char *)name.data);
}

/* GeometryType(crs) and GeographyType(crs, algorithm): what the type leaves to the default is left out. */
static rwl_status put_geo(rwl_thrift_writing *w, const rwl_type *type) {
    if (type->parameters == NULL)
        return RWL_OK;
    const char *comma =
        type->kind == RWL_TYPE_GEOGRAPHY ? strrchr(type->parameters, ',') : NULL; /* a crs may hold commas */
    rwl_span crs = rwl_span_str(type->parameters);
    if (comma != NULL)
        crs.len = (size_t)(comma - type->parameters);
    crs = trim(crs);
    if (crs.len > 0)
        RWL_TRY(rwl_put_bytes(w, 1, crs));
    return comma != NULL ? put_algorithm(w, trim(rwl_span_str(comma + 1))) : RWL_OK;
}

static rwl_status put_logical_fields(rwl_thrift_writing *w, const rwl_type *type) {
    switch (type->kind) {
    case RWL_TYPE_DECIMAL:
        RWL_TRY(rwl_put_i32(w, 1, type->scale));
        return rwl_put_i32(w, 2, type->precision);
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return put_time(w, type);
    case RWL_TYPE_VARIANT:
        return rwl_put_i8(w, 1, 1); /* specification_version */
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return put_geo(w, type);
    default:
        return RWL_OK;
    }
}

static rwl_status put_annotation(rwl_thrift_writing *w, const rwl_type *type, int32_t id) {
    if (converted_type(type) >= 0)
        RWL_TRY(rwl_put_i32(w, 6, converted_type(type)));
    if (type->kind == RWL_TYPE_DECIMAL) {
        RWL_TRY(rwl_put_i32(w, 7, type->scale));
        RWL_TRY(rwl_put_i32(w, 8, type->precision));
    }
    if (id >= 0)
        RWL_TRY(rwl_put_i32(w, 9, id));
    if (logical_type(type->kind) == 0)
        return RWL_OK;
    rwl_thrift_writing logical, inner;
    RWL_TRY(rwl_put_begin(w, 10, &logical));
    RWL_TRY(rwl_put_begin(&logical, logical_type(type->kind), &inner));
    RWL_TRY(put_logical_fields(&inner, type));
    RWL_TRY(rwl_put_end(&inner));
    return rwl_put_end(&logical);
}

/* --- the list of elements --- */

typedef struct listing {
    const rwl_parquet_write_schema *schema;
    int32_t leaf; /* the next */
    uint32_t count;
    rwl_buf *out;
    rwl_error *err;
} listing;

static rwl_status put_element(listing *l, const rwl_field *field, const char *name, bool required);

static rwl_status put_plain_leaf(listing *l, const char *name, int32_t repetition, const rwl_type *type,
                                 int32_t id) {
    const rwl_parquet_shape *shape = &l->schema->leaves[l->leaf++].shape;
    rwl_thrift_writing w = {l->out, 0, l->err};
    l->count++;
    RWL_TRY(rwl_put_i32(&w, 1, (int32_t)shape->physical));
    if (shape->physical == RWL_PARQUET_FIXED)
        RWL_TRY(rwl_put_i32(&w, 2, shape->type_length));
    RWL_TRY(rwl_put_i32(&w, 3, repetition));
    RWL_TRY(rwl_put_text(&w, 4, name));
    RWL_TRY(put_annotation(&w, type, id));
    return rwl_put_end(&w);
}

/* A group of `children` elements that follow; `type` NULL: not annotated. */
static rwl_status put_group(listing *l, const char *name, int32_t repetition, int32_t children,
                            const rwl_type *type, int32_t id) {
    rwl_thrift_writing w = {l->out, 0, l->err};
    l->count++;
    if (repetition >= 0)
        RWL_TRY(rwl_put_i32(&w, 3, repetition));
    RWL_TRY(rwl_put_text(&w, 4, name));
    RWL_TRY(rwl_put_i32(&w, 5, children));
    if (type != NULL)
        RWL_TRY(put_annotation(&w, type, id));
    return rwl_put_end(&w);
}

static int32_t count_stored(const rwl_field *fields, int32_t count) {
    int32_t stored = 0;
    for (int32_t i = 0; i < count; i++)
        stored += fields[i].type.kind != RWL_TYPE_UNKNOWN;
    return stored;
}

static rwl_status put_fields(listing *l, const rwl_field *fields, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (fields[i].type.kind != RWL_TYPE_UNKNOWN)
            RWL_TRY(put_element(l, &fields[i], fields[i].name, fields[i].required));
    return RWL_OK;
}

static rwl_status put_variant(listing *l) {
    rwl_type binary = rwl_type_of(RWL_TYPE_BINARY);
    RWL_TRY(put_plain_leaf(l, "metadata", REQUIRED, &binary, -1));
    return put_plain_leaf(l, "value", REQUIRED, &binary, -1);
}

/* Depth was limited when the leaves were made. */
static rwl_status put_element(listing *l, const rwl_field *field, const char *name, bool required) {
    const rwl_type *type = &field->type;
    int32_t repetition = required ? REQUIRED : OPTIONAL;
    switch (type->kind) {
    case RWL_TYPE_STRUCT:
        RWL_TRY(
            put_group(l, name, repetition, count_stored(type->children, type->child_count), type, field->id));
        return put_fields(l, type->children, type->child_count);
    case RWL_TYPE_LIST:
        RWL_TRY(put_group(l, name, repetition, 1, type, field->id));
        RWL_TRY(put_group(l, "list", REPEATED, 1, NULL, -1));
        return put_element(l, &type->children[0], "element", type->children[0].required);
    case RWL_TYPE_MAP:
        RWL_TRY(put_group(l, name, repetition, 1, type, field->id));
        RWL_TRY(put_group(l, "key_value", REPEATED, 2, NULL, -1));
        RWL_TRY(put_element(l, &type->children[0], "key", true));
        return put_element(l, &type->children[1], "value", type->children[1].required);
    case RWL_TYPE_VARIANT:
        RWL_TRY(put_group(l, name, repetition, 2, type, field->id));
        return put_variant(l);
    default:
        return put_plain_leaf(l, name, repetition, type, field->id);
    }
}

rwl_status rwl_parquet_write_schema_put(const rwl_parquet_write_schema *schema, rwl_buf *out, uint32_t *count,
                                        rwl_error *err) {
    listing l = {.schema = schema, .out = out, .err = err};
    RWL_TRY(put_group(&l, "table", -1, count_stored(schema->fields, schema->field_count), NULL, -1));
    RWL_TRY(put_fields(&l, schema->fields, schema->field_count));
    *count = l.count;
    return RWL_OK;
}
