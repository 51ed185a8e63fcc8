/* SPDX-License-Identifier: Apache-2.0 */
/* Single values as JSON (specification, appendix D, "JSON single-value serialization"): column defaults. */
#include "column/value.h"
#include "iceberg/schema.h"

static rwl_status fail_form(const rwl_json *json, rwl_error *err) {
    static const char *const kinds[] = {"null",     "a boolean", "an integer", "a real number",
                                        "a string", "an array",  "an object"};
    return rwl_fail(err, RWL_CORRUPT, "a default is %s, which is no value of the column's type",
                    kinds[rwl_json_kind_of(json)]);
}

/* NaN and the infinities have no JSON number; they are strings here as in CLI.md. */
static bool read_real(const rwl_json *json, double *out) {
    switch (rwl_json_kind_of(json)) {
    case RWL_JSON_INT:
    case RWL_JSON_REAL:
        *out = rwl_json_real(json);
        return true;
    case RWL_JSON_STRING: {
        const char *text = rwl_json_str(json);
        return !strpbrk(text, "0123456789") && rwl_double_parse(rwl_span_str(text), out);
    }
    default:
        return false;
    }
}

static bool read_integer(const rwl_json *json, int64_t min, int64_t max, int64_t *out) {
    if (rwl_json_kind_of(json) != RWL_JSON_INT)
        return false;
    *out = rwl_json_i64(json);
    return *out >= min && *out <= max;
}

/* Types that are JSON booleans and numbers; false when `json` is no value of `type`. */
static bool read_number(const rwl_type *type, const rwl_json *json, rwl_value *out) {
    int64_t integer = 0;
    double real = 0;
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        out->as.b = rwl_json_bool(json);
        return rwl_json_kind_of(json) == RWL_JSON_BOOL;
    case RWL_TYPE_INT:
        if (!read_integer(json, INT32_MIN, INT32_MAX, &integer))
            return false;
        out->as.i32 = (int32_t)integer;
        return true;
    case RWL_TYPE_LONG:
        return read_integer(json, INT64_MIN, INT64_MAX, &out->as.i64);
    case RWL_TYPE_FLOAT:
        if (!read_real(json, &real))
            return false;
        out->as.f32 = (float)real;
        return true;
    default:
        return read_real(json, &out->as.f64);
    }
}

/* {} of a struct stands for its fields' own defaults, as the specification has it; lists and maps have no value to hold
 * but the empty one. */
static rwl_status read_nested(const rwl_type *type, const rwl_json *json, rwl_error *err) {
    rwl_json_kind kind = rwl_json_kind_of(json);
    bool is_map = type->kind == RWL_TYPE_MAP;
    if (kind != (type->kind == RWL_TYPE_LIST ? RWL_JSON_ARRAY : RWL_JSON_OBJECT))
        return fail_form(json, err);
    size_t items = is_map ? rwl_json_len(rwl_json_get(json, "keys")) : rwl_json_len(json);
    if (items == 0)
        return RWL_OK;
    return type->kind == RWL_TYPE_STRUCT
               ? rwl_fail(err, RWL_CORRUPT, "a default of a struct can only be null or {}")
               : rwl_fail(err, RWL_UNSUPPORTED, "a default with elements of a list or map can't be read");
}

rwl_status rwl_value_from_json(const rwl_type *type, const rwl_json *json, rwl_arena *arena, rwl_value *out,
                               rwl_error *err) {
    *out = rwl_value_null(type->kind);
    if (rwl_json_kind_of(json) == RWL_JSON_NULL)
        return RWL_OK;
    out->is_null = false;
    if (rwl_type_is_nested(type))
        return read_nested(type, json, err);
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
    case RWL_TYPE_INT:
    case RWL_TYPE_LONG:
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
        return read_number(type, json, out) ? RWL_OK : fail_form(json, err);
    case RWL_TYPE_UNKNOWN:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return rwl_fail(err, RWL_CORRUPT, "a default of this type can only be null");
    default:
        break;
    }
    const char *text = rwl_json_str(json);
    if (!text)
        return fail_form(json, err);
    rwl_status st = rwl_value_parse(type, rwl_span_str(text), arena, out, err);
    if (st == RWL_USAGE && err)
        err->code = RWL_CORRUPT; /* the text comes from a document, not from the user */
    return st == RWL_USAGE ? RWL_CORRUPT : st;
}

/* Java writes hexadecimal in upper case. */
static void raise_case(rwl_buf *text) {
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] >= 'a' && text->data[i] <= 'f')
            text->data[i] = (uint8_t)(text->data[i] - 'a' + 'A');
    }
}

/* JSON values come from the process's allocator whatever the environment, so the text may as well. */
static rwl_status write_text(const rwl_type *type, const rwl_value *v, rwl_json **out, rwl_error *err) {
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_buf text;
    rwl_buf_init(&text, &env, SIZE_MAX);
    rwl_status st = rwl_value_format(type, v, &text, err);
    if (st == RWL_OK && (type->kind == RWL_TYPE_FIXED || type->kind == RWL_TYPE_BINARY))
        raise_case(&text);
    if (st == RWL_OK) {
        *out = rwl_json_new_strn(text.len ? (const char *)text.data : "", text.len);
        st = *out ? RWL_OK : rwl_no_memory(err, text.len);
    }
    rwl_buf_clear(&text);
    return st;
}

/* A number, or the name of a real that JSON has no number for. */
static rwl_json *write_real(const rwl_type *type, const rwl_value *v) {
    double real = type->kind == RWL_TYPE_FLOAT ? (double)v->as.f32 : v->as.f64;
    if (__builtin_isfinite(real))
        return rwl_json_new_real(real);
    return rwl_json_new_str(__builtin_isnan(real) ? "NaN" : real < 0 ? "-Infinity" : "Infinity");
}

/* What read_nested takes. NULL when out of memory. */
static rwl_json *write_nested(const rwl_type *type) {
    if (type->kind == RWL_TYPE_LIST)
        return rwl_json_new_array();
    rwl_json *object = rwl_json_new_object();
    if (type->kind == RWL_TYPE_STRUCT || object == NULL)
        return object;
    rwl_status st = rwl_json_set(object, "keys", rwl_json_new_array(), NULL);
    if (st == RWL_OK)
        st = rwl_json_set(object, "values", rwl_json_new_array(), NULL);
    if (st == RWL_OK)
        return object;
    rwl_json_free(object);
    return NULL;
}

rwl_status rwl_value_to_json(const rwl_type *type, const rwl_value *v, rwl_json **out, rwl_error *err) {
    *out = NULL;
    if (v->is_null) {
        *out = rwl_json_new_null();
    } else {
        switch (type->kind) {
        case RWL_TYPE_BOOLEAN:
            *out = rwl_json_new_bool(v->as.b);
            break;
        case RWL_TYPE_INT:
            *out = rwl_json_new_i64(v->as.i32);
            break;
        case RWL_TYPE_LONG:
            *out = rwl_json_new_i64(v->as.i64);
            break;
        case RWL_TYPE_FLOAT:
        case RWL_TYPE_DOUBLE:
            *out = write_real(type, v);
            break;
        case RWL_TYPE_STRUCT:
        case RWL_TYPE_LIST:
        case RWL_TYPE_MAP:
            *out = write_nested(type);
            break;
        default:
            return write_text(type, v, out, err);
        }
    }
    return *out ? RWL_OK : rwl_no_memory(err, sizeof *v);
}
