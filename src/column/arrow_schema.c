/* SPDX-License-Identifier: Apache-2.0 */
/* Fields to ArrowSchema: formats, names, field ids, extension types. */
#include "column/arrow_internal.h"

#include <stdio.h>

typedef struct exported_schema {
    const rwl_env *env;
    struct ArrowSchema **children; /* pointers, then the structs */
    rwl_buf metadata;
    char *name;
    char format[RWL_ARROW_FORMAT_MAX];
} exported_schema;

static const char *plain_format(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_UNKNOWN:
        return "n";
    case RWL_TYPE_BOOLEAN:
        return "b";
    case RWL_TYPE_INT:
        return "i";
    case RWL_TYPE_LONG:
        return "l";
    case RWL_TYPE_FLOAT:
        return "f";
    case RWL_TYPE_DOUBLE:
        return "g";
    case RWL_TYPE_DATE:
        return "tdD";
    case RWL_TYPE_TIME:
        return "ttu";
    case RWL_TYPE_TIMESTAMP:
        return "tsu:";
    case RWL_TYPE_TIMESTAMPTZ:
        return "tsu:UTC";
    case RWL_TYPE_TIMESTAMP_NS:
        return "tsn:";
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return "tsn:UTC";
    case RWL_TYPE_STRING:
        return "u";
    case RWL_TYPE_BINARY:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return "z";
    case RWL_TYPE_STRUCT:
    case RWL_TYPE_VARIANT:
        return "+s";
    case RWL_TYPE_LIST:
        return "+l";
    case RWL_TYPE_MAP:
        return "+m";
    case RWL_TYPE_UUID:
        return "w:16";
    default:
        return NULL;
    }
}

static rwl_status write_format(const rwl_field *field, char out[RWL_ARROW_FORMAT_MAX], rwl_error *err) {
    const rwl_type *t = &field->type;
    const char *plain = rwl_type_is_time_ns(t) ? "ttn" : plain_format(t->kind);
    int32_t precision, scale;
    if (rwl_type_is_duration(t))
        plain = rwl_arrow_duration_format(t);
    if (plain != NULL)
        snprintf(out, RWL_ARROW_FORMAT_MAX, "%s", plain);
    else if (rwl_type_decimal256(t, &precision, &scale))
        snprintf(out, RWL_ARROW_FORMAT_MAX, "d:%d,%d,256", precision, scale);
    else if (t->kind == RWL_TYPE_DECIMAL)
        snprintf(out, RWL_ARROW_FORMAT_MAX, "d:%d,%d", t->precision, t->scale);
    else if (t->kind == RWL_TYPE_FIXED)
        snprintf(out, RWL_ARROW_FORMAT_MAX, "w:%d", t->length);
    else
        return rwl_fail(err, RWL_UNSUPPORTED, "column '%s': no Arrow form of this type",
                        field->name == NULL ? "" : field->name);
    return RWL_OK;
}

static const char *extension_of(const rwl_type *t) {
    switch (t->kind) {
    case RWL_TYPE_UUID:
        return RWL_ARROW_UUID;
    case RWL_TYPE_VARIANT:
        return RWL_ARROW_VARIANT;
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return RWL_ARROW_WKB;
    case RWL_TYPE_STRING:
        return rwl_type_has(t, RWL_TYPE_JSON) ? RWL_ARROW_JSON : NULL;
    case RWL_TYPE_DECIMAL:
        return rwl_type_has(t, RWL_TYPE_UINT64) ? RWL_ARROW_UINT64 : NULL;
    default:
        return NULL;
    }
}

/* In the machine's byte order, as the interface has it. */
static rwl_status put_i32(rwl_buf *out, size_t v, rwl_error *err) {
    int32_t n = (int32_t)v;
    if (v > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "arrow metadata of %zu bytes", v);
    return rwl_buf_append(out, &n, sizeof n, err);
}

static rwl_status put_text(rwl_buf *out, rwl_span text, rwl_error *err) {
    RWL_TRY(put_i32(out, text.len, err));
    return text.len > 0 ? rwl_buf_append(out, text.data, text.len, err) : RWL_OK;
}

static rwl_status put_extension(const rwl_type *type, const char *extension, rwl_buf *out, rwl_error *err) {
    RWL_TRY(put_text(out, rwl_span_str(RWL_ARROW_EXTENSION), err));
    RWL_TRY(put_text(out, rwl_span_str(extension), err));
    RWL_TRY(put_text(out, rwl_span_str(RWL_ARROW_EXTENSION_DATA), err));
    if (type->kind != RWL_TYPE_GEOMETRY && type->kind != RWL_TYPE_GEOGRAPHY)
        return put_text(out, rwl_span_of(NULL, 0), err);
    rwl_buf data;
    rwl_buf_init(&data, out->env, SIZE_MAX);
    rwl_status st = rwl_arrow_geo_metadata(type, &data, err);
    if (st == RWL_OK)
        st = put_text(out, rwl_buf_span(&data), err);
    rwl_buf_clear(&data);
    return st;
}

/* Pairs as the C data interface encodes them; nothing when there are none. */
static rwl_status write_metadata(exported_schema *node, const rwl_field *field, rwl_error *err) {
    const char *extension = extension_of(&field->type);
    size_t pairs = (field->id > 0) + (extension != NULL ? (size_t)2 : 0);
    if (pairs == 0)
        return RWL_OK;
    RWL_TRY(put_i32(&node->metadata, pairs, err));
    if (field->id > 0) {
        char id[16];
        snprintf(id, sizeof id, "%d", field->id);
        RWL_TRY(put_text(&node->metadata, rwl_span_str(RWL_ARROW_FIELD_ID), err));
        RWL_TRY(put_text(&node->metadata, rwl_span_str(id), err));
    }
    return extension != NULL ? put_extension(&field->type, extension, &node->metadata, err) : RWL_OK;
}

static void release_schema(struct ArrowSchema *schema) {
    exported_schema *node = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child->release != NULL)
            child->release(child);
    }
    rwl_free(node->env, node->children);
    rwl_buf_clear(&node->metadata);
    rwl_free(node->env, node->name);
    rwl_free(node->env, node);
    schema->release = NULL;
}

static rwl_status init_node(const rwl_env *env, const char *name, struct ArrowSchema *out,
                            exported_schema **node_out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    exported_schema *node = rwl_calloc(env, 1, sizeof *node);
    if (node == NULL)
        return rwl_no_memory(err, sizeof *node);
    node->env = env;
    rwl_buf_init(&node->metadata, env, SIZE_MAX);
    out->private_data = node;
    out->release = release_schema;
    out->format = node->format;
    out->name = "";
    *node_out = node;
    node->name = rwl_strdup(env, name == NULL ? "" : name);
    if (node->name == NULL)
        return rwl_no_memory(err, strlen(name == NULL ? "" : name));
    out->name = node->name;
    return RWL_OK;
}

static rwl_status export_field(const rwl_env *env, const rwl_field *field, int depth, struct ArrowSchema *out,
                               rwl_error *err);

static rwl_status export_children(const rwl_env *env, const rwl_field *fields, int32_t count, int depth,
                                  struct ArrowSchema *out, rwl_error *err) {
    exported_schema *node = out->private_data;
    if (count == 0)
        return RWL_OK;
    size_t n = (size_t)count;
    size_t size = n * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema));
    node->children = rwl_calloc(env, 1, size);
    if (node->children == NULL)
        return rwl_no_memory(err, size);
    struct ArrowSchema *structs = (struct ArrowSchema *)(void *)(node->children + n);
    out->children = node->children;
    for (size_t i = 0; i < n; i++) {
        node->children[i] = &structs[i];
        out->n_children = (int64_t)i + 1;
        RWL_TRY(export_field(env, &fields[i], depth + 1, &structs[i], err));
    }
    return RWL_OK;
}

/* A map's one child: the entries, whose keys are never null. */
static rwl_status export_entries(const rwl_env *env, const rwl_type *map, int depth, struct ArrowSchema *out,
                                 rwl_error *err) {
    rwl_field pair[2] = {map->children[0], map->children[1]};
    pair[0].required = true;
    rwl_field entries = {.name = "entries",
                         .required = true,
                         .type = {.kind = RWL_TYPE_STRUCT, .children = pair, .child_count = 2}};
    return export_children(env, &entries, 1, depth, out, err);
}

static rwl_status export_parts(const rwl_env *env, const rwl_type *type, int depth, struct ArrowSchema *out,
                               rwl_error *err) {
    static const rwl_field VARIANT_PARTS[2] = {
        {.name = "metadata", .required = true, .type = {.kind = RWL_TYPE_BINARY}},
        {.name = "value", .required = true, .type = {.kind = RWL_TYPE_BINARY}}};
    if (type->kind == RWL_TYPE_VARIANT)
        return export_children(env, VARIANT_PARTS, 2, depth, out, err);
    if (type->kind == RWL_TYPE_MAP)
        return export_entries(env, type, depth, out, err);
    return export_children(env, type->children, type->child_count, depth, out, err);
}

static rwl_status export_field(const rwl_env *env, const rwl_field *field, int depth, struct ArrowSchema *out,
                               rwl_error *err) {
    exported_schema *node = NULL;
    RWL_TRY(init_node(env, field->name, out, &node, err));
    if (depth > 2 * RWL_TYPE_DEPTH_MAX + 2) /* a map is two levels here */
        return rwl_fail(err, RWL_UNSUPPORTED, "type nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    RWL_TRY(write_format(field, node->format, err));
    RWL_TRY(write_metadata(node, field, err));
    out->metadata = (const char *)node->metadata.data;
    out->flags = field->required ? 0 : ARROW_FLAG_NULLABLE;
    return export_parts(env, &field->type, depth, out, err);
}

rwl_status rwl_arrow_export_schema(const rwl_env *env, const rwl_field *fields, int32_t count,
                                   struct ArrowSchema *out, rwl_error *err) {
    rwl_field top = {.required = true,
                     .type = {.kind = RWL_TYPE_STRUCT, .children = fields, .child_count = count}};
    rwl_status st = export_field(env, &top, 0, out, err);
    if (st != RWL_OK && out->release != NULL)
        out->release(out);
    return st;
}
