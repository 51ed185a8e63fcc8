/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the bytes of a line. */
#include "engine/json_line.h"

#include <math.h>

enum { INTEGER_DIGITS = 18 /* what an int64_t holds in any case */ };

typedef struct scanner {
    const uint8_t *at, *end;
} scanner;

typedef enum token_kind { TOKEN_NULL, TOKEN_BOOL, TOKEN_INTEGER, TOKEN_REAL, TOKEN_STRING } token_kind;

typedef struct token {
    token_kind kind;
    rwl_span text; /* of strings without quotes */
    int64_t integer;
    bool truth;
} token;

rwl_status rwl_json_line_init(rwl_json_line *l, const rwl_schema *schema, const rwl_map *columns,
                              rwl_arena *arena, rwl_error *err) {
    size_t count = (size_t)schema->field_count;
    l->schema = schema;
    l->columns = columns;
    l->names = rwl_arena_array(arena, count, sizeof *l->names);
    l->values = rwl_arena_array(arena, count, sizeof *l->values);
    l->seen_in_line = rwl_arena_array(arena, count, sizeof *l->seen_in_line);
    if (l->names == NULL || l->values == NULL || l->seen_in_line == NULL)
        return rwl_no_memory(err, count * sizeof *l->values);
    for (size_t i = 0; i < count; i++)
        l->names[i] = rwl_span_str(schema->fields[i].name);
    return RWL_OK;
}

/* --- tokens --- */

static void skip_blanks(scanner *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

static bool take(scanner *s, uint8_t c) {
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* A string without escapes, behind its opening quote. */
static bool take_string(scanner *s, rwl_span *out) {
    const uint8_t *from = s->at;
    while (s->at < s->end && *s->at != '"' && *s->at != '\\' && *s->at >= 0x20)
        s->at++;
    if (s->at == s->end || *s->at != '"')
        return false;
    *out = rwl_span_of(from, (size_t)(s->at - from));
    s->at++;
    return true;
}

static size_t take_digits(scanner *s) {
    const uint8_t *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - from);
}

static bool take_fraction_and_exponent(scanner *s, bool *real) {
    *real = s->at < s->end && (*s->at == '.' || *s->at == 'e' || *s->at == 'E');
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (take_digits(s) == 0)
            return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
            s->at++;
        return take_digits(s) > 0;
    }
    return true;
}

/* RFC 8259, section 6. */
static bool take_number(scanner *s, token *t) {
    const uint8_t *from = s->at;
    bool negative = *s->at == '-', real;
    s->at += negative;
    const uint8_t *first = s->at;
    size_t digits = take_digits(s);
    if (digits == 0 || digits > INTEGER_DIGITS || (*first == '0' && digits > 1))
        return false;
    t->integer = 0;
    for (size_t i = 0; i < digits; i++)
        t->integer = t->integer * 10 + (first[i] - '0');
    if (negative)
        t->integer = -t->integer;
    if (!take_fraction_and_exponent(s, &real))
        return false;
    t->kind = real ? TOKEN_REAL : TOKEN_INTEGER;
    t->text = rwl_span_of(from, (size_t)(s->at - from));
    return true;
}

static bool take_word(scanner *s, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
        return false;
    s->at += len;
    return true;
}

static bool take_value(scanner *s, token *t) {
    skip_blanks(s);
    if (s->at == s->end)
        return false;
    switch (*s->at) {
    case '"':
        s->at++;
        t->kind = TOKEN_STRING;
        return take_string(s, &t->text);
    case 'n':
        t->kind = TOKEN_NULL;
        return take_word(s, "null");
    case 't':
    case 'f':
        t->kind = TOKEN_BOOL;
        t->truth = *s->at == 't';
        return take_word(s, t->truth ? "true" : "false");
    default:
        return (*s->at == '-' || (*s->at >= '0' && *s->at <= '9')) && take_number(s, t);
    }
}

/* --- values: each conversion is one of json_value.c's, or none --- */

static bool is_between(int64_t v, int64_t most) {
    return v >= -most && v <= most;
}

static bool from_integer(const rwl_type *type, int64_t v, rwl_value *out) {
    switch (type->kind) {
    case RWL_TYPE_INT:
        out->as.i32 = (int32_t)v;
        return out->as.i32 == v;
    case RWL_TYPE_LONG:
        out->as.i64 = v;
        return true;
    case RWL_TYPE_FLOAT:
        out->as.f32 = (float)v;
        return is_between(v, INT64_C(1) << 24);
    case RWL_TYPE_DOUBLE:
        out->as.f64 = (double)v;
        return is_between(v, INT64_C(1) << 53);
    default:
        return false;
    }
}

/* A decimal is read from the text, of which a double might not keep all digits. */
static bool from_real(const rwl_type *type, rwl_span text, rwl_arena *arena, rwl_value *out) {
    switch (type->kind) {
    case RWL_TYPE_FLOAT:
        return rwl_float_parse(text, &out->as.f32) && isfinite(out->as.f32);
    case RWL_TYPE_DOUBLE:
        return rwl_double_parse(text, &out->as.f64) && isfinite(out->as.f64);
    case RWL_TYPE_DECIMAL:
        return rwl_value_parse(type, text, arena, out, NULL) == RWL_OK;
    default:
        return false;
    }
}

static bool from_string(const rwl_type *type, rwl_span text, rwl_arena *arena, rwl_value *out) {
    switch (type->kind) {
    case RWL_TYPE_STRING:
        out->as.bytes = text;
        return rwl_utf8_valid(text);
    case RWL_TYPE_DECIMAL:
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return rwl_value_parse(type, text, arena, out, NULL) == RWL_OK;
    default:
        return false;
    }
}

static bool convert(const rwl_field *field, const token *t, rwl_arena *arena, rwl_value *out) {
    *out = rwl_value_null(field->type.kind);
    if (t->kind == TOKEN_NULL)
        return !field->required;
    out->is_null = false;
    switch (t->kind) {
    case TOKEN_BOOL:
        out->as.b = t->truth;
        return field->type.kind == RWL_TYPE_BOOLEAN;
    case TOKEN_INTEGER:
        return from_integer(&field->type, t->integer, out);
    case TOKEN_REAL:
        return from_real(&field->type, t->text, arena, out);
    default:
        return from_string(&field->type, t->text, arena, out);
    }
}

/* --- the line --- */

/* The field of this name: as a rule the one behind the last. -1: none. */
static int32_t find_field(const rwl_json_line *l, rwl_span key, int32_t last) {
    int32_t next = last + 1 < l->schema->field_count ? last + 1 : 0;
    if (rwl_span_equal(key, l->names[next]))
        return next;
    const rwl_map_value *found = rwl_map_get(l->columns, key);
    return found != NULL ? (int32_t)found->i64 : -1;
}

static bool read_members(rwl_json_line *l, scanner *s, int64_t number, rwl_arena *arena) {
    int32_t field = -1;
    do {
        rwl_span key;
        token t = {.kind = TOKEN_NULL};
        if (!take(s, '"') || !take_string(s, &key) || !take(s, ':') || !take_value(s, &t))
            return false;
        field = find_field(l, key, field);
        if (field < 0 || l->seen_in_line[field] == number ||
            !convert(&l->schema->fields[field], &t, arena, &l->values[field]))
            return false;
        l->seen_in_line[field] = number;
    } while (take(s, ','));
    return take(s, '}');
}

bool rwl_json_line_read(rwl_json_line *l, rwl_span line, int64_t number, rwl_arena *arena) {
    scanner s = {line.data, line.data + line.len};
    if (l->schema->field_count > 0 && take(&s, '{') && read_members(l, &s, number, arena)) {
        skip_blanks(&s);
        if (s.at == s.end)
            return true;
    }
    for (int32_t i = 0; i < l->schema->field_count; i++)
        if (l->seen_in_line[i] == number)
            l->seen_in_line[i] = 0;
    return false;
}
