/* SPDX-License-Identifier: Apache-2.0 */
/* Fields from ArrowSchema: formats, nested types, field ids, extension types. */
#include "column/arrow_internal.h"

#include <stdio.h>

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
    *id = -1;
    RWL_TRY(find_metadata(schema->metadata, RWL_ARROW_FIELD_ID, &text, err));
    int64_t value = 0;
    if (text.len == 0 || text.len > 10)
        return RWL_OK;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return RWL_OK; /* pyarrow writes -1 for none */
        value = value * 10 + (text.data[i] - '0');
    }
    *id = value <= INT32_MAX ? (int32_t)value : -1;
    return RWL_OK;
}

static const struct {
    const char *format;
    rwl_type_kind kind;
} FORMATS[] = {
    {"n", RWL_TYPE_UNKNOWN}, {"b", RWL_TYPE_BOOLEAN}, {"c", RWL_TYPE_INT},     {"C", RWL_TYPE_INT},
    {"s", RWL_TYPE_INT},     {"S", RWL_TYPE_INT},     {"i", RWL_TYPE_INT},     {"I", RWL_TYPE_LONG},
    {"l", RWL_TYPE_LONG},    {"e", RWL_TYPE_FLOAT},   {"f", RWL_TYPE_FLOAT},   {"g", RWL_TYPE_DOUBLE},
    {"tdD", RWL_TYPE_DATE},  {"tdm", RWL_TYPE_DATE},  {"tts", RWL_TYPE_TIME},  {"ttm", RWL_TYPE_TIME},
    {"ttu", RWL_TYPE_TIME},  {"u", RWL_TYPE_STRING},  {"U", RWL_TYPE_STRING},  {"vu", RWL_TYPE_STRING},
    {"z", RWL_TYPE_BINARY},  {"Z", RWL_TYPE_BINARY},  {"vz", RWL_TYPE_BINARY},
};

static const struct {
    const char *format, *parameters;
} DURATIONS[] = {{"tDs", RWL_TYPE_DURATION "s"},
                 {"tDm", RWL_TYPE_DURATION "ms"},
                 {"tDu", RWL_TYPE_DURATION "us"},
                 {"tDn", RWL_TYPE_DURATION "ns"}};
enum { DURATION_COUNT = sizeof DURATIONS / sizeof DURATIONS[0] };

const char *rwl_arrow_duration_format(const rwl_type *type) {
    for (int i = 0; i < DURATION_COUNT; i++)
        if (rwl_type_has(type, DURATIONS[i].parameters))
            return DURATIONS[i].format;
    return NULL;
}

static bool import_duration(const char *format, rwl_type *out) {
    for (int i = 0; i < DURATION_COUNT; i++) {
        if (strcmp(format, DURATIONS[i].format) != 0)
            continue;
        *out = rwl_type_of(RWL_TYPE_LONG);
        out->parameters = DURATIONS[i].parameters;
        return true;
    }
    return false;
}

static bool import_timestamp(const char *format, rwl_type *out) {
    if (strncmp(format, "ts", 2) != 0 || format[2] == '\0' || strchr("smun", format[2]) == NULL ||
        format[3] != ':')
        return false;
    bool nanos = format[2] == 'n';
    bool zone = format[4] != '\0';
    *out = rwl_type_of(nanos ? (zone ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMP_NS)
                             : (zone ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP));
    return true;
}

/* "p,s,256" behind "d:", with more digits than a decimal of 128 bits has. */
static bool import_decimal256(const char *numbers, rwl_arena *arena, rwl_type *out) {
    const char *bits = strrchr(numbers, ',');
    rwl_type t = rwl_type_of(RWL_TYPE_FIXED);
    int32_t precision, scale;
    if (bits == NULL || strcmp(bits, ",256") != 0)
        return false;
    t.length = 32;
    t.parameters = rwl_arena_printf(arena, RWL_TYPE_DECIMAL256 "%.*s", (int)(bits - numbers), numbers);
    if (t.parameters == NULL || !rwl_type_decimal256(&t, &precision, &scale))
        return false;
    *out = t;
    return true;
}

/* "d:p,s" or "d:p,s,bits" and "w:n", through the names of our own types; 'L' as the decimal that holds it. */
static bool import_parametric(const char *format, rwl_arena *arena, rwl_type *out) {
    static const char *const BITS[] = {",32", ",64", ",128", ",256"};
    char text[RWL_ARROW_FORMAT_MAX + 16];
    size_t len = strlen(format);
    if (strcmp(format, "L") == 0)
        return rwl_type_parse("decimal(20,0)", NULL, out);
    if (len < 3 || len >= RWL_ARROW_FORMAT_MAX || (format[0] != 'd' && format[0] != 'w') || format[1] != ':')
        return false;
    if (format[0] == 'w') {
        snprintf(text, sizeof text, "fixed[%s]", format + 2);
        return rwl_type_parse(text, NULL, out);
    }
    const char *first = strchr(format, ',');
    const char *second = first != NULL ? strchr(first + 1, ',') : NULL;
    bool known = second == NULL;
    for (size_t i = 0; second != NULL && i < sizeof BITS / sizeof BITS[0]; i++)
        known = known || strcmp(second, BITS[i]) == 0;
    if (second != NULL)
        len = (size_t)(second - format);
    snprintf(text, sizeof text, "decimal(%.*s)", (int)(len - 2), format + 2);
    return known && (rwl_type_parse(text, NULL, out) || import_decimal256(format + 2, arena, out));
}

static bool import_format(const char *format, rwl_arena *arena, rwl_type *out) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        if (strcmp(FORMATS[i].format, format) == 0) {
            *out = rwl_type_of(FORMATS[i].kind);
            return true;
        }
    }
    if (strcmp(format, "ttn") == 0) {
        *out = rwl_type_of(RWL_TYPE_TIME);
        out->parameters = RWL_TYPE_NANOS;
        return true;
    }
    return import_timestamp(format, out) || import_duration(format, out) ||
           import_parametric(format, arena, out);
}

/* --- nested types and extensions --- */

static rwl_status import_field(const struct ArrowSchema *schema, rwl_arena *arena, int depth, rwl_field *out,
                               rwl_error *err);

static const char *name_of(const struct ArrowSchema *schema) {
    return schema->name == NULL ? "" : schema->name;
}

static rwl_status refuse(const struct ArrowSchema *schema, const char *what, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "column '%s': arrow %s'%s' is not supported", name_of(schema), what,
                    schema->format);
}

int64_t rwl_arrow_child_named(const struct ArrowSchema *schema, const char *name) {
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->name != NULL && strcmp(schema->children[i]->name, name) == 0)
            return i;
    return -1;
}

static rwl_status import_children(const struct ArrowSchema *schema, rwl_arena *arena, int depth,
                                  rwl_type_kind kind, rwl_type *out, rwl_error *err) {
    if (depth >= RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "column '%s': nested deeper than %d levels", name_of(schema),
                        RWL_TYPE_DEPTH_MAX);
    int64_t want = kind == RWL_TYPE_LIST ? 1 : kind == RWL_TYPE_MAP ? 2 : schema->n_children;
    if (schema->n_children != want || want < 0 || want > RWL_ARROW_CHILDREN_MAX ||
        (want > 0 && schema->children == NULL))
        return rwl_fail(err, RWL_CORRUPT, "arrow schema with %lld children", (long long)schema->n_children);
    rwl_field *made = rwl_arena_array(arena, (size_t)want, sizeof *made);
    if (made == NULL)
        return rwl_no_memory(err, (size_t)want * sizeof *made);
    for (int64_t i = 0; i < want; i++)
        RWL_TRY(import_field(schema->children[i], arena, depth + 1, &made[i], err));
    *out = rwl_type_of(kind);
    out->children = made;
    out->child_count = (int32_t)want;
    if (kind == RWL_TYPE_LIST)
        made[0].name = "element"; /* "item" and others with them */
    if (kind == RWL_TYPE_MAP) {
        made[0].name = "key";
        made[0].required = true;
        made[1].name = "value";
    }
    return RWL_OK;
}

static rwl_status import_map(const struct ArrowSchema *schema, rwl_arena *arena, int depth, rwl_type *out,
                             rwl_error *err) {
    const struct ArrowSchema *entries =
        schema->n_children == 1 && schema->children != NULL ? schema->children[0] : NULL;
    if (entries == NULL || entries->release == NULL || entries->format == NULL ||
        strcmp(entries->format, "+s") != 0)
        return rwl_fail(err, RWL_CORRUPT, "column '%s': an arrow map without entries", name_of(schema));
    return import_children(entries, arena, depth, RWL_TYPE_MAP, out, err);
}

/* Bytes of metadata and value, in any order, nothing shredded. */
static rwl_status import_variant(const struct ArrowSchema *schema, rwl_arena *arena, rwl_type *out,
                                 rwl_error *err) {
    rwl_status st = RWL_OK;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children == NULL || schema->children[i] == NULL || schema->children[i]->format == NULL)
            st = RWL_CORRUPT;
    if (st != RWL_OK)
        return rwl_fail(err, st, "column '%s': arrow schema with a missing child", name_of(schema));
    static const char *const NAMES[] = {"metadata", "value"};
    for (int i = 0; i < 2; i++) {
        int64_t at = schema->n_children == 2 ? rwl_arrow_child_named(schema, NAMES[i]) : -1;
        rwl_type part = rwl_type_of(RWL_TYPE_UNKNOWN);
        if (at < 0 || !import_format(schema->children[at]->format, arena, &part) ||
            part.kind != RWL_TYPE_BINARY)
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "column '%s': a variant of other parts than metadata and value", name_of(schema));
    }
    *out = rwl_type_of(RWL_TYPE_VARIANT);
    return RWL_OK;
}

static bool is_list(const char *format) {
    return strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0 || strcmp(format, "+vl") == 0 ||
           strcmp(format, "+vL") == 0 || strncmp(format, "+w:", 3) == 0;
}

/* What the format says, extensions aside. */
static rwl_status import_storage(const struct ArrowSchema *schema, rwl_arena *arena, int depth, rwl_type *out,
                                 rwl_error *err) {
    if (is_list(schema->format))
        return import_children(schema, arena, depth, RWL_TYPE_LIST, out, err);
    if (strcmp(schema->format, "+s") == 0)
        return import_children(schema, arena, depth, RWL_TYPE_STRUCT, out, err);
    if (strcmp(schema->format, "+m") == 0)
        return import_map(schema, arena, depth, out, err);
    return import_format(schema->format, arena, out) ? RWL_OK : refuse(schema, "format ", err);
}

static rwl_status import_type(const struct ArrowSchema *schema, rwl_arena *arena, int depth, rwl_type *out,
                              rwl_error *err) {
    rwl_span extension, data;
    RWL_TRY(find_metadata(schema->metadata, RWL_ARROW_EXTENSION, &extension, err));
    RWL_TRY(find_metadata(schema->metadata, RWL_ARROW_EXTENSION_DATA, &data, err));
    if (rwl_span_equal(extension, rwl_span_str(RWL_ARROW_VARIANT)) ||
        rwl_span_equal(extension, rwl_span_str("parquet.variant")))
        return import_variant(schema, arena, out, err);
    RWL_TRY(import_storage(schema, arena, depth, out, err));
    if (out->kind == RWL_TYPE_BINARY && rwl_span_equal(extension, rwl_span_str(RWL_ARROW_WKB))) {
        rwl_status st = rwl_arrow_geo_type(data, arena, out, err);
        return st == RWL_OK ? st : rwl_error_in(err, st, "column '%s'", name_of(schema));
    }
    if (out->kind == RWL_TYPE_FIXED && out->length == 16 &&
        rwl_span_equal(extension, rwl_span_str(RWL_ARROW_UUID)))
        *out = rwl_type_of(RWL_TYPE_UUID);
    if (out->kind == RWL_TYPE_STRING && rwl_span_equal(extension, rwl_span_str(RWL_ARROW_JSON)))
        out->parameters = RWL_TYPE_JSON;
    if (out->kind == RWL_TYPE_DECIMAL && rwl_span_equal(extension, rwl_span_str(RWL_ARROW_UINT64)))
        out->parameters = RWL_TYPE_UINT64;
    return RWL_OK;
}

/* A dictionary's type is that of its values; flags, name and id are the index's. */
static rwl_status import_dictionary(const struct ArrowSchema *schema, rwl_arena *arena, rwl_type *out,
                                    rwl_error *err) {
    const struct ArrowSchema *values = schema->dictionary;
    if (values->release == NULL || values->format == NULL)
        return rwl_fail(err, RWL_CORRUPT, "arrow schema with a released dictionary");
    if (strlen(schema->format) != 1 || strchr("cCsSiIlL", schema->format[0]) == NULL ||
        values->format[0] == '+' || values->dictionary != NULL)
        return refuse(schema, "dictionary of ", err);
    return import_type(values, arena, RWL_TYPE_DEPTH_MAX, out, err);
}

static rwl_status import_field(const struct ArrowSchema *schema, rwl_arena *arena, int depth, rwl_field *out,
                               rwl_error *err) {
    if (schema == NULL || schema->release == NULL || schema->format == NULL)
        return rwl_fail(err, RWL_CORRUPT, "arrow schema with a released or missing child");
    rwl_field f = {.required = (schema->flags & ARROW_FLAG_NULLABLE) == 0};
    RWL_TRY(schema->dictionary != NULL ? import_dictionary(schema, arena, &f.type, err)
                                       : import_type(schema, arena, depth, &f.type, err));
    RWL_TRY(import_id(schema, &f.id, err));
    f.name = rwl_arena_strdup(arena, name_of(schema));
    if (f.name == NULL)
        return rwl_no_memory(err, strlen(name_of(schema)));
    *out = f;
    return RWL_OK;
}

rwl_status rwl_arrow_import_schema(const struct ArrowSchema *schema, rwl_arena *arena, rwl_field **fields,
                                   int32_t *count, rwl_error *err) {
    if (schema->release == NULL || schema->format == NULL || strcmp(schema->format, "+s") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "arrow schema of format '%s', expected a struct",
                        schema->release == NULL || schema->format == NULL ? "" : schema->format);
    if (schema->n_children < 0 || schema->n_children > RWL_ARROW_CHILDREN_MAX ||
        (schema->n_children > 0 && schema->children == NULL))
        return rwl_fail(err, RWL_CORRUPT, "arrow schema with %lld children", (long long)schema->n_children);
    size_t n = (size_t)schema->n_children;
    rwl_field *made = rwl_arena_array(arena, n, sizeof *made);
    if (made == NULL)
        return rwl_no_memory(err, n * sizeof *made);
    for (size_t i = 0; i < n; i++)
        RWL_TRY(import_field(schema->children[i], arena, 0, &made[i], err));
    *fields = made;
    *count = (int32_t)n;
    return RWL_OK;
}
