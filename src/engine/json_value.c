/* SPDX-License-Identifier: Apache-2.0 */
/* From JSON kinds to column types, each pair that loses nothing. */
#include "engine/json_value.h"

#include <math.h>
#include <stdio.h>

enum { DOUBLE_DIGITS = 15 }; /* a number with no more digits survives the way through a double */

/* --- text --- */

static bool is_number_byte(uint8_t c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* Whether a double drops digits of the number token of `len` bytes, zeros at its end not counted, or is shown with an exponent, which a
 * decimal does not read. Whole numbers are none: they are kept as integers. */
static bool needs_its_text(const uint8_t *token, size_t len) {
    static const char small[] = "0.0000";
    size_t digits = 0, significant = 0, sign = token[0] == '-';
    bool point = false;
    for (size_t i = sign; i < len && token[i] != 'e' && token[i] != 'E'; i++) {
        digits += token[i] != '.';
        point = point || token[i] == '.';
        if (!point || (token[i] != '.' && token[i] != '0'))
            significant = digits;
    }
    bool is_small = len - sign >= sizeof small - 1 && memcmp(token + sign, small, sizeof small - 1) == 0;
    return point && (significant > DOUBLE_DIGITS || is_small);
}

/* The text with quotes around the numbers that need their text; nothing in `out` when there are none. The text is JSON: outside of its strings, bytes of
 * numbers are in numbers, but for the 'e' of words. */
static rwl_status quote_numbers(rwl_span text, rwl_buf *out, rwl_error *err) {
    size_t copied = 0;
    for (size_t i = 0; i < text.len;) {
        size_t from = i++;
        uint8_t c = text.data[from];
        if (c == '"') {
            while (i < text.len && text.data[i] != '"')
                i += text.data[i] == '\\' ? 2 : 1;
            i++; /* the closing one */
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            while (i < text.len && is_number_byte(text.data[i]))
                i++;
            if (!needs_its_text(text.data + from, i - from))
                continue;
            RWL_TRY(rwl_buf_append(out, text.data + copied, from - copied, err));
            RWL_TRY(rwl_buf_printf(out, err, "\"%.*s\"", (int)(i - from), (const char *)text.data + from));
            copied = i;
        }
    }
    return copied > 0 ? rwl_buf_append(out, text.data + copied, text.len - copied, err) : (rwl_status)RWL_OK;
}

/* The text is parsed first as it is, for its errors and for what makes it JSON. */
rwl_status rwl_json_parse_values(rwl_span text, const rwl_env *env, rwl_json **out, rwl_error *err) {
    RWL_TRY(rwl_json_parse_data(text, out, err));
    rwl_buf quoted;
    rwl_buf_init(&quoted, env, SIZE_MAX);
    rwl_status st = quote_numbers(text, &quoted, err);
    if (st != RWL_OK || quoted.len > 0) {
        rwl_json_free(*out);
        *out = NULL;
    }
    if (st == RWL_OK && quoted.len > 0)
        st = rwl_json_parse_data(rwl_buf_span(&quoted), out, err);
    rwl_buf_clear(&quoted);
    return st;
}

/* --- primitive values --- */

static rwl_status mismatch(const rwl_type *type, const rwl_json *json, rwl_error *err) {
    static const char *const kinds[] = {"null",     "a boolean", "an integer", "a number with a fraction",
                                        "a string", "an array",  "an object"};
    char name[96];
    rwl_type_name(type, name, sizeof name);
    return rwl_fail(err, RWL_USAGE, "%s is no %s", kinds[rwl_json_kind_of(json)], name);
}

/* Whether a double holds the integer exactly. */
static bool is_exact_double(int64_t v) {
    const int64_t limit = INT64_C(1) << 53;
    return v >= -limit && v <= limit;
}

static rwl_status from_integer(const rwl_type *type, const rwl_json *json, rwl_arena *arena, rwl_value *out,
                               rwl_error *err) {
    int64_t v = rwl_json_i64(json);
    char text[24];
    switch (type->kind) {
    case RWL_TYPE_INT:
        out->as.i32 = (int32_t)v;
        return out->as.i32 == v ? (rwl_status)RWL_OK
                                : rwl_fail(err, RWL_USAGE, "%lld is out of range of int", (long long)v);
    case RWL_TYPE_LONG:
        out->as.i64 = v;
        return RWL_OK;
    case RWL_TYPE_FLOAT:
        out->as.f32 = (float)v;
        return is_exact_double(v) && (double)out->as.f32 == (double)v
                   ? (rwl_status)RWL_OK
                   : rwl_fail(err, RWL_USAGE, "%lld is no exact float", (long long)v);
    case RWL_TYPE_DOUBLE:
        out->as.f64 = (double)v;
        return is_exact_double(v) ? (rwl_status)RWL_OK
                                  : rwl_fail(err, RWL_USAGE, "%lld is no exact double", (long long)v);
    case RWL_TYPE_DECIMAL:
        snprintf(text, sizeof text, "%lld", (long long)v);
        return rwl_value_parse(type, rwl_span_str(text), arena, out, err);
    default:
        return mismatch(type, json, err);
    }
}

/* A number given as JSON real for a decimal column: its shortest text, as long as no digit can have been lost. */
static rwl_status real_to_decimal(const rwl_type *type, double v, rwl_arena *arena, rwl_value *out,
                                  rwl_error *err) {
    char text[40];
    size_t len = rwl_double_format(v, text), digits = 0;
    for (size_t i = 0; i < len; i++)
        digits += text[i] >= '0' && text[i] <= '9';
    if (digits > DOUBLE_DIGITS || strpbrk(text, "eEIN") != NULL)
        return rwl_fail(err, RWL_USAGE, "%s has too many digits for a JSON number: write it as a string",
                        text);
    if (len > 2 && strcmp(text + len - 2, ".0") == 0)
        len -= 2;
    return rwl_value_parse(type, rwl_span_of(text, len), arena, out, err);
}

static rwl_status from_real(const rwl_type *type, const rwl_json *json, rwl_arena *arena, rwl_value *out,
                            rwl_error *err) {
    double v = rwl_json_real(json);
    switch (type->kind) {
    case RWL_TYPE_FLOAT:
        out->as.f32 = (float)v;
        return isfinite(out->as.f32) ? (rwl_status)RWL_OK
                                     : rwl_fail(err, RWL_USAGE, "%g is out of range of float", v);
    case RWL_TYPE_DOUBLE:
        out->as.f64 = v;
        return RWL_OK;
    case RWL_TYPE_DECIMAL:
        return real_to_decimal(type, v, arena, out, err);
    default:
        return mismatch(type, json, err);
    }
}

static bool is_infinite(const rwl_value *v) {
    return (v->kind == RWL_TYPE_FLOAT && isinf(v->as.f32)) ||
           (v->kind == RWL_TYPE_DOUBLE && isinf(v->as.f64));
}

rwl_status rwl_json_value_of_text(const rwl_type *type, rwl_span text, rwl_arena *arena, rwl_value *out,
                                  rwl_error *err) {
    RWL_TRY(rwl_value_parse(type, text, arena, out, err));
    bool digits = false;
    for (size_t i = 0; is_infinite(out) && i < text.len; i++)
        digits = digits || (text.data[i] >= '0' && text.data[i] <= '9');
    if (digits)
        return rwl_fail(err, RWL_USAGE, "%.*s is out of range of %s", (int)(text.len < 40 ? text.len : 40),
                        (const char *)text.data, type->kind == RWL_TYPE_FLOAT ? "float" : "double");
    return RWL_OK;
}

/* Types whose values are written as strings; NaN and the infinities of floats are, too. */
static rwl_status from_string(const rwl_type *type, const rwl_json *json, rwl_arena *arena, rwl_value *out,
                              rwl_error *err) {
    if (type->kind == RWL_TYPE_BOOLEAN || type->kind == RWL_TYPE_INT || type->kind == RWL_TYPE_LONG)
        return mismatch(type, json, err);
    return rwl_json_value_of_text(type, rwl_json_text(json), arena, out, err);
}

rwl_status rwl_json_value(const rwl_type *type, const rwl_json *json, rwl_arena *arena, rwl_value *out,
                          rwl_error *err) {
    *out = rwl_value_null(type->kind);
    if (rwl_json_kind_of(json) == RWL_JSON_NULL)
        return RWL_OK;
    out->is_null = false;
    switch (rwl_json_kind_of(json)) {
    case RWL_JSON_INT:
        return from_integer(type, json, arena, out, err);
    case RWL_JSON_REAL:
        return from_real(type, json, arena, out, err);
    case RWL_JSON_STRING:
        return from_string(type, json, arena, out, err);
    case RWL_JSON_BOOL:
        out->as.b = rwl_json_bool(json);
        return type->kind == RWL_TYPE_BOOLEAN ? (rwl_status)RWL_OK : mismatch(type, json, err);
    default:
        return mismatch(type, json, err);
    }
}

/* --- nested values --- */

/* Counts one more row of a nested column, which is not null. */
static rwl_status add_row(rwl_column *c, const rwl_env *env, rwl_error *err) {
    RWL_TRY(rwl_column_reserve(c, env, c->length + 1, 0, err));
    if (c->null_count > 0) {
        RWL_TRY(rwl_column_need_validity(c, env, c->length + 1, err));
        rwl_bit_set(c->validity.data, c->length);
    }
    if (c->type.kind != RWL_TYPE_STRUCT) {
        int32_t *offsets = (int32_t *)(void *)c->offsets.data;
        if (c->length == 0)
            offsets[0] = 0;
        if (c->children[0].length > INT32_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "more than 2^31 elements in one batch");
        offsets[c->length + 1] = (int32_t)c->children[0].length;
    }
    c->length++;
    return RWL_OK;
}

/* As rwl_json_append_value, the field named in the error: it is part of a value. */
static rwl_status append_child(const rwl_field *field, const rwl_json *json, rwl_arena *arena,
                               const rwl_env *env, rwl_column *c, rwl_error *err) {
    rwl_status st = rwl_json_append_value(field, json, arena, env, c, err);
    return st == RWL_USAGE || st == RWL_UNSUPPORTED ? rwl_error_in(err, st, "%s", field->name) : st;
}

static rwl_status append_struct(const rwl_type *type, const rwl_json *json, rwl_arena *arena,
                                const rwl_env *env, rwl_column *c, rwl_error *err) {
    if (rwl_json_kind_of(json) != RWL_JSON_OBJECT)
        return mismatch(type, json, err);
    size_t known = 0;
    for (int32_t i = 0; i < type->child_count; i++) {
        const rwl_json *value = rwl_json_get(json, type->children[i].name);
        known += value != NULL;
        RWL_TRY(append_child(&type->children[i], value, arena, env, &c->children[i], err));
    }
    if (known < rwl_json_len(json))
        return rwl_fail(err, RWL_USAGE, "a key of it is no field of the struct");
    return add_row(c, env, err);
}

static rwl_status append_list(const rwl_type *type, const rwl_json *json, rwl_arena *arena,
                              const rwl_env *env, rwl_column *c, rwl_error *err) {
    if (rwl_json_kind_of(json) != RWL_JSON_ARRAY)
        return mismatch(type, json, err);
    for (size_t i = 0; i < rwl_json_len(json); i++)
        RWL_TRY(append_child(&type->children[0], rwl_json_at(json, i), arena, env, &c->children[0], err));
    return add_row(c, env, err);
}

static rwl_status append_map(const rwl_type *type, const rwl_json *json, rwl_arena *arena, const rwl_env *env,
                             rwl_column *c, rwl_error *err) {
    if (rwl_json_kind_of(json) != RWL_JSON_ARRAY)
        return mismatch(type, json, err);
    for (size_t i = 0; i < rwl_json_len(json); i++) {
        const rwl_json *pair = rwl_json_at(json, i);
        if (rwl_json_kind_of(pair) != RWL_JSON_ARRAY || rwl_json_len(pair) != 2)
            return rwl_fail(err, RWL_USAGE, "a map is an array of [key, value]");
        for (int32_t k = 0; k < 2; k++)
            RWL_TRY(append_child(&type->children[k], rwl_json_at(pair, (size_t)k), arena, env,
                                 &c->children[k], err));
    }
    return add_row(c, env, err);
}

rwl_status rwl_json_append_value(const rwl_field *field, const rwl_json *json, rwl_arena *arena,
                                 const rwl_env *env, rwl_column *c, rwl_error *err) {
    const rwl_type *type = &field->type;
    rwl_value v = rwl_value_null(type->kind);
    bool is_null = json == NULL || rwl_json_kind_of(json) == RWL_JSON_NULL;
    if (is_null && field->required)
        return rwl_fail(err, RWL_USAGE, "is required and null");
    switch (type->kind) {
    case RWL_TYPE_STRUCT:
        return is_null ? rwl_column_append(c, env, &v, 1, err)
                       : append_struct(type, json, arena, env, c, err);
    case RWL_TYPE_LIST:
        return is_null ? rwl_column_append(c, env, &v, 1, err) : append_list(type, json, arena, env, c, err);
    case RWL_TYPE_MAP:
        return is_null ? rwl_column_append(c, env, &v, 1, err) : append_map(type, json, arena, env, c, err);
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        if (!is_null)
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "appending variants and geometries from JSON is not supported");
        break;
    default:
        if (!is_null)
            RWL_TRY(rwl_json_value(type, json, arena, &v, err));
    }
    return rwl_column_append(c, env, &v, 1, err);
}
