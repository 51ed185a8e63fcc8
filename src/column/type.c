/* SPDX-License-Identifier: Apache-2.0 */
/* Types: equality, width, names, deep copies. */
#include "column/type.h"

#include "column/value.h"

#include <stdio.h>

typedef struct type_name {
    const char *name;
    rwl_type_kind kind;
} type_name;

/* Primitive types without parameters, as the specification writes them. */
static const type_name TYPE_NAMES[] = {
    {"unknown", RWL_TYPE_UNKNOWN},
    {"boolean", RWL_TYPE_BOOLEAN},
    {"int", RWL_TYPE_INT},
    {"long", RWL_TYPE_LONG},
    {"float", RWL_TYPE_FLOAT},
    {"double", RWL_TYPE_DOUBLE},
    {"date", RWL_TYPE_DATE},
    {"time", RWL_TYPE_TIME},
    {"timestamp", RWL_TYPE_TIMESTAMP},
    {"timestamptz", RWL_TYPE_TIMESTAMPTZ},
    {"timestamp_ns", RWL_TYPE_TIMESTAMP_NS},
    {"timestamptz_ns", RWL_TYPE_TIMESTAMPTZ_NS},
    {"string", RWL_TYPE_STRING},
    {"uuid", RWL_TYPE_UUID},
    {"binary", RWL_TYPE_BINARY},
    {"variant", RWL_TYPE_VARIANT},
    {"geometry", RWL_TYPE_GEOMETRY},
    {"geography", RWL_TYPE_GEOGRAPHY},
};
enum { TYPE_NAME_COUNT = sizeof TYPE_NAMES / sizeof TYPE_NAMES[0] };

static bool equal_text(const char *a, const char *b) {
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

static bool equal_types(const rwl_type *a, const rwl_type *b, int depth);

static bool equal_children(const rwl_type *a, const rwl_type *b, int depth) {
    if (a->child_count != b->child_count)
        return false;
    for (int32_t i = 0; i < a->child_count; i++) {
        const rwl_field *x = &a->children[i];
        const rwl_field *y = &b->children[i];
        if (x->id != y->id || x->required != y->required || !equal_text(x->name, y->name) ||
            !equal_types(&x->type, &y->type, depth + 1))
            return false;
    }
    return true;
}

static bool equal_types(const rwl_type *a, const rwl_type *b, int depth) {
    if (a->kind != b->kind || depth > RWL_TYPE_DEPTH_MAX)
        return false;
    switch (a->kind) {
    case RWL_TYPE_DECIMAL:
        return a->precision == b->precision && a->scale == b->scale;
    case RWL_TYPE_FIXED:
        return a->length == b->length && equal_text(a->parameters, b->parameters);
    case RWL_TYPE_TIME:
        return rwl_type_is_time_ns(a) == rwl_type_is_time_ns(b);
    case RWL_TYPE_LONG:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return equal_text(a->parameters, b->parameters);
    default:
        return !rwl_type_is_nested(a) || equal_children(a, b, depth);
    }
}

bool rwl_type_equal(const rwl_type *a, const rwl_type *b) {
    return equal_types(a, b, 0);
}

int32_t rwl_type_width(const rwl_type *t) {
    switch (t->kind) {
    case RWL_TYPE_INT:
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DATE:
        return 4;
    case RWL_TYPE_LONG:
    case RWL_TYPE_DOUBLE:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return 8;
    case RWL_TYPE_DECIMAL:
    case RWL_TYPE_UUID:
        return 16;
    case RWL_TYPE_FIXED:
        return t->length;
    default:
        return 0;
    }
}

bool rwl_type_has(const rwl_type *t, const char *parameters) {
    return t->parameters != NULL && strcmp(t->parameters, parameters) == 0;
}

static const char *parse_number(const char *p, char end, int32_t *out);

bool rwl_type_decimal256(const rwl_type *t, int32_t *precision, int32_t *scale) {
    const size_t prefix = sizeof RWL_TYPE_DECIMAL256 - 1;
    if (!rwl_type_is_decimal256(t) || t->length != 32 ||
        strncmp(t->parameters, RWL_TYPE_DECIMAL256, prefix) != 0)
        return false;
    const char *p = parse_number(t->parameters + prefix, ',', precision);
    p = p != NULL ? parse_number(p, '\0', scale) : NULL;
    return p != NULL && *precision > 38 && *precision <= RWL_DECIMAL256_DIGITS && *scale <= *precision;
}

/* Types of which the kind alone is not the name, in Iceberg or beside it; false for others. */
static bool name_by_parameters(const rwl_type *t, char *out, size_t size) {
    int32_t precision, scale;
    if (t->kind == RWL_TYPE_DECIMAL)
        snprintf(out, size, "decimal(%d, %d)", t->precision, t->scale);
    else if (rwl_type_decimal256(t, &precision, &scale))
        snprintf(out, size, "decimal(%d, %d)", precision, scale);
    else if (t->kind == RWL_TYPE_FIXED)
        snprintf(out, size, "fixed[%d]", t->length);
    else if (rwl_type_is_duration(t))
        snprintf(out, size, "duration[%.8s]", t->parameters + strcspn(t->parameters, ":") + 1);
    else if (rwl_type_is_time_ns(t))
        snprintf(out, size, "time(%s)", t->parameters);
    else
        return false;
    return true;
}

bool rwl_type_is_bytes(const rwl_type *t) {
    switch (t->kind) {
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return true;
    default:
        return false;
    }
}

static rwl_status format_type(const rwl_type *t, rwl_buf *out, int depth, rwl_error *err);

static rwl_status format_struct(const rwl_type *t, rwl_buf *out, int depth, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "struct<", err));
    for (int32_t i = 0; i < t->child_count; i++) {
        const rwl_field *f = &t->children[i];
        RWL_TRY(rwl_buf_printf(out, err, "%s%d: ", i == 0 ? "" : ", ", f->id));
        RWL_TRY(rwl_buf_str(out, f->name == NULL ? "" : f->name, err));
        RWL_TRY(rwl_buf_str(out, f->required ? ": required " : ": optional ", err));
        RWL_TRY(format_type(&f->type, out, depth + 1, err));
    }
    return rwl_buf_u8(out, '>', err);
}

static rwl_status format_type(const rwl_type *t, rwl_buf *out, int depth, rwl_error *err) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "type nested deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    char name[48];
    if (name_by_parameters(t, name, sizeof name))
        return rwl_buf_str(out, name, err);
    switch (t->kind) {
    case RWL_TYPE_STRUCT:
        return format_struct(t, out, depth, err);
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        RWL_TRY(rwl_buf_str(out, t->kind == RWL_TYPE_LIST ? "list<" : "map<", err));
        for (int32_t i = 0; i < t->child_count; i++) {
            RWL_TRY(rwl_buf_str(out, i == 0 ? "" : ", ", err));
            RWL_TRY(format_type(&t->children[i].type, out, depth + 1, err));
        }
        return rwl_buf_u8(out, '>', err);
    default:
        break;
    }
    for (size_t i = 0; i < TYPE_NAME_COUNT; i++) {
        if (TYPE_NAMES[i].kind != t->kind)
            continue;
        RWL_TRY(rwl_buf_str(out, TYPE_NAMES[i].name, err));
        if (t->parameters == NULL || t->kind == RWL_TYPE_STRING)
            return RWL_OK;
        RWL_TRY(rwl_buf_u8(out, '(', err));
        RWL_TRY(rwl_buf_str(out, t->parameters, err));
        return rwl_buf_u8(out, ')', err);
    }
    return rwl_fail(err, RWL_INTERNAL, "type kind %d has no name", (int)t->kind);
}

rwl_status rwl_type_format(const rwl_type *t, rwl_buf *out, rwl_error *err) {
    return format_type(t, out, 0, err);
}

void rwl_type_name(const rwl_type *t, char *out, size_t size) {
    const char *name = t->kind == RWL_TYPE_STRUCT ? "struct" : t->kind == RWL_TYPE_LIST ? "list" : "map";
    for (int i = 0; i < TYPE_NAME_COUNT; i++)
        if (TYPE_NAMES[i].kind == t->kind)
            name = TYPE_NAMES[i].name;
    if (!name_by_parameters(t, out, size))
        snprintf(out, size, "%s", name);
}

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

static const char *skip_spaces(const char *p) {
    while (is_space(*p))
        p++;
    return p;
}

/* A number of at most 9 digits with spaces around it, then `end`; NULL when there is none. */
static const char *parse_number(const char *p, char end, int32_t *out) {
    p = skip_spaces(p);
    int32_t value = 0;
    int digits = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (++digits > 9)
            return NULL;
        value = value * 10 + (*p - '0');
    }
    p = skip_spaces(p);
    *out = value;
    return digits > 0 && *p == end ? p + 1 : NULL;
}

static bool parse_decimal(const char *p, rwl_type *out) {
    rwl_type t = rwl_type_of(RWL_TYPE_DECIMAL);
    p = parse_number(p, ',', &t.precision);
    if (p == NULL)
        return false;
    p = parse_number(p, ')', &t.scale);
    if (p == NULL || *p != '\0' || t.precision < 1 || t.precision > 38 || t.scale > t.precision)
        return false;
    *out = t;
    return true;
}

static bool parse_fixed(const char *p, rwl_type *out) {
    rwl_type t = rwl_type_of(RWL_TYPE_FIXED);
    p = parse_number(p, ']', &t.length);
    if (p == NULL || *p != '\0' || t.length < 1)
        return false;
    *out = t;
    return true;
}

/* "(…)" after geometry and geography; its text is kept as written. */
static bool parse_parameters(const char *p, rwl_arena *arena, rwl_type *out) {
    size_t len = strlen(p);
    if (len < 2 || p[0] != '(' || p[len - 1] != ')')
        return false;
    out->parameters = rwl_arena_strndup(arena, p + 1, len - 2);
    return out->parameters != NULL;
}

bool rwl_type_parse(const char *text, rwl_arena *arena, rwl_type *out) {
    if (strncmp(text, "decimal", 7) == 0) {
        const char *p = skip_spaces(text + 7);
        return *p == '(' && parse_decimal(p + 1, out);
    }
    if (strncmp(text, "fixed", 5) == 0) {
        const char *p = skip_spaces(text + 5);
        return *p == '[' && parse_fixed(p + 1, out);
    }
    for (size_t i = 0; i < TYPE_NAME_COUNT; i++) {
        size_t len = strlen(TYPE_NAMES[i].name);
        if (strncmp(text, TYPE_NAMES[i].name, len) != 0)
            continue;
        rwl_type t = rwl_type_of(TYPE_NAMES[i].kind);
        bool takes_parameters = t.kind == RWL_TYPE_GEOMETRY || t.kind == RWL_TYPE_GEOGRAPHY;
        if (text[len] != '\0' && !(takes_parameters && parse_parameters(skip_spaces(text + len), arena, &t)))
            continue; /* "timestamp" is a prefix of "timestamptz" */
        *out = t;
        return true;
    }
    return false;
}

static bool copy_text(rwl_arena *arena, const char *from, const char **to) {
    *to = NULL;
    if (from == NULL)
        return true;
    *to = rwl_arena_strdup(arena, from);
    return *to != NULL;
}

static bool copy_default(rwl_arena *arena, const rwl_value *from, const rwl_value **to) {
    *to = NULL;
    if (from == NULL)
        return true;
    rwl_value *v = rwl_arena_alloc(arena, sizeof *v);
    *to = v;
    return v != NULL && rwl_value_copy(arena, from, v);
}

static bool copy_field(rwl_arena *arena, const rwl_field *from, rwl_field *to, int depth) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return false;
    rwl_field f = *from;
    if (!copy_text(arena, from->name, &f.name) || !copy_text(arena, from->doc, &f.doc) ||
        !copy_text(arena, from->type.parameters, &f.type.parameters) ||
        !copy_default(arena, from->initial_default, &f.initial_default) ||
        !copy_default(arena, from->write_default, &f.write_default))
        return false;
    if (from->type.child_count > 0) {
        size_t count = (size_t)from->type.child_count;
        rwl_field *children = rwl_arena_array(arena, count, sizeof *children);
        if (children == NULL)
            return false;
        for (size_t i = 0; i < count; i++) {
            if (!copy_field(arena, &from->type.children[i], &children[i], depth + 1))
                return false;
        }
        f.type.children = children;
    }
    *to = f;
    return true;
}

bool rwl_field_copy(rwl_arena *arena, const rwl_field *from, rwl_field *to) {
    return copy_field(arena, from, to, 0);
}
