/* SPDX-License-Identifier: Apache-2.0 */
/* Fields to and from ArrowSchema: formats, names, field ids, extension types. */
#include "column/arrow_internal.h"

#include <stdio.h>

static const char KEY_FIELD_ID[] = "PARQUET:field_id";
static const char KEY_EXTENSION[] = "ARROW:extension:name";
static const char KEY_EXTENSION_DATA[] = "ARROW:extension:metadata";
static const char EXTENSION_UUID[] = "arrow.uuid";
static const char EXTENSION_JSON[] = "arrow.json";

enum { FORMAT_MAX = 32, CHILDREN_MAX = 100000 };

typedef struct exported_schema {
    const rwl_env *env;
    struct ArrowSchema **children; /* pointers, then the structs */
    char *metadata;
    char *name;
    char format[FORMAT_MAX];
} exported_schema;

/* --- export --- */

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
        return "z";
    case RWL_TYPE_UUID:
        return "w:16";
    default:
        return NULL;
    }
}

static rwl_status write_format(const rwl_field *field, char out[FORMAT_MAX], rwl_error *err) {
    const rwl_type *t = &field->type;
    const char *plain = plain_format(t->kind);
    if (plain != NULL)
        snprintf(out, FORMAT_MAX, "%s", plain);
    else if (t->kind == RWL_TYPE_DECIMAL)
        snprintf(out, FORMAT_MAX, "d:%d,%d", t->precision, t->scale);
    else if (t->kind == RWL_TYPE_FIXED)
        snprintf(out, FORMAT_MAX, "w:%d", t->length);
    else
        return rwl_fail(err, RWL_UNSUPPORTED, "column '%s': no Arrow form of this type yet", field->name);
    return RWL_OK;
}

static const char *extension_of(const rwl_type *t) {
    if (t->kind == RWL_TYPE_UUID)
        return EXTENSION_UUID;
    bool json =
        t->kind == RWL_TYPE_STRING && t->parameters != NULL && strcmp(t->parameters, RWL_TYPE_JSON) == 0;
    return json ? EXTENSION_JSON : NULL;
}

static void put_i32(char **p, int32_t v) {
    memcpy(*p, &v, sizeof v);
    *p += sizeof v;
}

static void put_pair(char **p, const char *key, const char *value) {
    const char *texts[2] = {key, value};
    for (int i = 0; i < 2; i++) {
        size_t len = strlen(texts[i]);
        put_i32(p, (int32_t)len);
        memcpy(*p, texts[i], len);
        *p += len;
    }
}

/* Pairs as the C data interface encodes them; nothing when there are none. */
static rwl_status write_metadata(exported_schema *node, const rwl_field *field, rwl_error *err) {
    const char *extension = extension_of(&field->type);
    int32_t pairs = (field->id > 0) + (extension != NULL ? 2 : 0);
    if (pairs == 0)
        return RWL_OK;
    node->metadata = rwl_alloc(node->env, 256); /* at most 4 + 3 * 8 + 4 texts of 24 or fewer bytes */
    if (node->metadata == NULL)
        return rwl_no_memory(err, 256);
    char *p = node->metadata;
    put_i32(&p, pairs);
    if (field->id > 0) {
        char id[16];
        snprintf(id, sizeof id, "%d", field->id);
        put_pair(&p, KEY_FIELD_ID, id);
    }
    if (extension != NULL) {
        put_pair(&p, KEY_EXTENSION, extension);
        put_pair(&p, KEY_EXTENSION_DATA, "");
    }
    return RWL_OK;
}

static void release_schema(struct ArrowSchema *schema) {
    exported_schema *node = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child->release != NULL)
            child->release(child);
    }
    rwl_free(node->env, node->children);
    rwl_free(node->env, node->metadata);
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

static rwl_status export_field(const rwl_env *env, const rwl_field *field, struct ArrowSchema *out,
                               rwl_error *err) {
    exported_schema *node;
    RWL_TRY(init_node(env, field->name, out, &node, err));
    RWL_TRY(write_format(field, node->format, err));
    RWL_TRY(write_metadata(node, field, err));
    out->metadata = node->metadata;
    out->flags = field->required ? 0 : ARROW_FLAG_NULLABLE;
    return RWL_OK;
}

static rwl_status export_children(const rwl_env *env, const rwl_field *fields, int32_t count,
                                  exported_schema *top, struct ArrowSchema *out, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    size_t n = (size_t)count;
    size_t size = n * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema));
    top->children = rwl_calloc(env, 1, size);
    if (top->children == NULL)
        return rwl_no_memory(err, size);
    struct ArrowSchema *structs = (struct ArrowSchema *)(void *)(top->children + n);
    out->children = top->children;
    for (size_t i = 0; i < n; i++) {
        top->children[i] = &structs[i];
        out->n_children = (int64_t)i + 1;
        RWL_TRY(export_field(env, &fields[i], &structs[i], err));
    }
    return RWL_OK;
}

rwl_status rwl_arrow_export_schema(const rwl_env *env, const rwl_field *fields, int32_t count,
                                   struct ArrowSchema *out, rwl_error *err) {
    exported_schema *top;
    rwl_status st = init_node(env, "", out, &top, err);
    if (st == RWL_OK) {
        memcpy(top->format, "+s", 3);
        st = export_children(env, fields, count, top, out, err);
    }
    if (st != RWL_OK && out->release != NULL)
        out->release(out);
    return st;
}

/* --- import --- */

/* The value of `key` in encoded metadata, a span without data when there is none. */
static rwl_status find_metadata(const char *metadata, const char *key, rwl_span *out, rwl_error *err) {
    *out = rwl_span_of(NULL, 0);
    if (metadata == NULL)
        return RWL_OK;
    int32_t pairs;
    memcpy(&pairs, metadata, sizeof pairs);
    const char *p = metadata + sizeof pairs;
    for (int32_t i = 0; i < pairs; i++) {
        rwl_span texts[2];
        for (int k = 0; k < 2; k++) {
            int32_t len;
            memcpy(&len, p, sizeof len);
            p += sizeof len;
            if (len < 0)
                return rwl_fail(err, RWL_CORRUPT, "arrow metadata with a length of %d", len);
            texts[k] = rwl_span_of(p, (size_t)len);
            p += len;
        }
        if (rwl_span_equal(texts[0], rwl_span_str(key)))
            *out = texts[1];
    }
    return RWL_OK;
}

static rwl_status import_id(const struct ArrowSchema *schema, int32_t *id, rwl_error *err) {
    rwl_span text;
    *id = 0;
    RWL_TRY(find_metadata(schema->metadata, KEY_FIELD_ID, &text, err));
    int64_t value = 0;
    if (text.len > 10)
        return RWL_OK;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return RWL_OK; /* pyarrow writes -1 for none */
        value = value * 10 + (text.data[i] - '0');
    }
    *id = value <= INT32_MAX ? (int32_t)value : 0;
    return RWL_OK;
}

static const struct {
    const char *format;
    rwl_type_kind kind;
} FORMATS[] = {
    {"n", RWL_TYPE_UNKNOWN}, {"b", RWL_TYPE_BOOLEAN}, {"c", RWL_TYPE_INT},    {"C", RWL_TYPE_INT},
    {"s", RWL_TYPE_INT},     {"S", RWL_TYPE_INT},     {"i", RWL_TYPE_INT},    {"I", RWL_TYPE_LONG},
    {"l", RWL_TYPE_LONG},    {"f", RWL_TYPE_FLOAT},   {"g", RWL_TYPE_DOUBLE}, {"tdD", RWL_TYPE_DATE},
    {"ttu", RWL_TYPE_TIME},  {"u", RWL_TYPE_STRING},  {"U", RWL_TYPE_STRING}, {"z", RWL_TYPE_BINARY},
    {"Z", RWL_TYPE_BINARY},
};

static bool import_timestamp(const char *format, rwl_type *out) {
    bool nanos = strncmp(format, "tsn:", 4) == 0;
    if (!nanos && strncmp(format, "tsu:", 4) != 0)
        return false;
    bool zone = format[4] != '\0';
    *out = rwl_type_of(nanos ? (zone ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMP_NS)
                             : (zone ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP));
    return true;
}

/* "d:p,s" (128 bits may be said) and "w:n", through the names of our own types. */
static bool import_parametric(const char *format, rwl_type *out) {
    char text[FORMAT_MAX + 16];
    if (strlen(format) >= FORMAT_MAX || (format[0] != 'd' && format[0] != 'w') || format[1] != ':')
        return false;
    if (format[0] == 'w') {
        snprintf(text, sizeof text, "fixed[%s]", format + 2);
        return rwl_type_parse(text, NULL, out);
    }
    size_t len = strlen(format);
    if (len > 4 && strcmp(format + len - 4, ",128") == 0 && strchr(format, ',') != format + len - 4)
        len -= 4;
    snprintf(text, sizeof text, "decimal(%.*s)", (int)(len - 2), format + 2);
    return rwl_type_parse(text, NULL, out);
}

static bool import_format(const char *format, rwl_type *out) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        if (strcmp(FORMATS[i].format, format) == 0) {
            *out = rwl_type_of(FORMATS[i].kind);
            return true;
        }
    }
    return import_timestamp(format, out) || import_parametric(format, out);
}

static rwl_status import_field(const struct ArrowSchema *schema, rwl_arena *arena, rwl_field *out,
                               rwl_error *err) {
    if (schema == NULL || schema->release == NULL || schema->format == NULL)
        return rwl_fail(err, RWL_CORRUPT, "arrow schema with a released or missing child");
    const char *name = schema->name == NULL ? "" : schema->name;
    rwl_field f = {.required = (schema->flags & ARROW_FLAG_NULLABLE) == 0};
    if (schema->dictionary != NULL || !import_format(schema->format, &f.type))
        return rwl_fail(err, RWL_UNSUPPORTED, "column '%s': arrow %s'%s' is not supported", name,
                        schema->dictionary != NULL ? "dictionary of " : "format ", schema->format);
    rwl_span extension;
    RWL_TRY(find_metadata(schema->metadata, KEY_EXTENSION, &extension, err));
    if (f.type.kind == RWL_TYPE_FIXED && f.type.length == 16 &&
        rwl_span_equal(extension, rwl_span_str(EXTENSION_UUID)))
        f.type = rwl_type_of(RWL_TYPE_UUID);
    if (f.type.kind == RWL_TYPE_STRING && rwl_span_equal(extension, rwl_span_str(EXTENSION_JSON)))
        f.type.parameters = RWL_TYPE_JSON;
    RWL_TRY(import_id(schema, &f.id, err));
    f.name = rwl_arena_strdup(arena, name);
    if (f.name == NULL)
        return rwl_no_memory(err, strlen(name));
    *out = f;
    return RWL_OK;
}

rwl_status rwl_arrow_import_schema(const struct ArrowSchema *schema, rwl_arena *arena, rwl_field **fields,
                                   int32_t *count, rwl_error *err) {
    if (schema->release == NULL || schema->format == NULL || strcmp(schema->format, "+s") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "arrow schema of format '%s', expected a struct",
                        schema->release == NULL || schema->format == NULL ? "" : schema->format);
    if (schema->n_children < 0 || schema->n_children > CHILDREN_MAX ||
        (schema->n_children > 0 && schema->children == NULL))
        return rwl_fail(err, RWL_CORRUPT, "arrow schema with %lld children", (long long)schema->n_children);
    size_t n = (size_t)schema->n_children;
    rwl_field *made = rwl_arena_array(arena, n, sizeof *made);
    if (made == NULL)
        return rwl_no_memory(err, n * sizeof *made);
    for (size_t i = 0; i < n; i++)
        RWL_TRY(import_field(schema->children[i], arena, &made[i], err));
    *fields = made;
    *count = (int32_t)n;
    return RWL_OK;
}
