/* SPDX-License-Identifier: Apache-2.0 */
/* Literals by themselves: the type they have, the value they are, and values as literals. */
#include "base/uuid.h"
#include "expr/expr_internal.h"
#include "expr/number.h"

static rwl_type decimal_of(int precision, int scale) {
    rwl_type t = rwl_type_of(RWL_TYPE_DECIMAL);
    t.precision = precision;
    t.scale = scale;
    return t;
}

static rwl_type number_type(rwl_span text) {
    rwl_number n = rwl_number_read(text);
    bool exponent = memchr(text.data, 'e', text.len) != NULL || memchr(text.data, 'E', text.len) != NULL;
    if (n.is_integer && n.count <= 38) {
        rwl_i128 v;
        bool exact;
        int where;
        rwl_number_floor(&n, 0, &v, &exact, &where);
        if (v >= INT32_MIN && v <= INT32_MAX)
            return rwl_type_of(RWL_TYPE_INT);
        if (v >= INT64_MIN && v <= INT64_MAX)
            return rwl_type_of(RWL_TYPE_LONG);
        return decimal_of((int)n.count, 0);
    }
    int64_t scale = -n.exp10;
    if (exponent || n.count > 38 || scale > 38)
        return rwl_type_of(RWL_TYPE_DOUBLE);
    int64_t digits = (int64_t)n.count > scale ? (int64_t)n.count : scale;
    return decimal_of(digits > 0 ? (int)digits : 1, (int)scale);
}

rwl_type rwl_literal_type(const rwl_literal *l) {
    switch (l->kind) {
    case RWL_LITERAL_NULL:
        return rwl_type_of(RWL_TYPE_UNKNOWN);
    case RWL_LITERAL_BOOL:
        return rwl_type_of(RWL_TYPE_BOOLEAN);
    case RWL_LITERAL_NUMBER:
        return number_type(l->text);
    case RWL_LITERAL_NAN:
        return rwl_type_of(RWL_TYPE_DOUBLE);
    case RWL_LITERAL_STRING:
        return rwl_type_of(RWL_TYPE_STRING);
    case RWL_LITERAL_BYTES:
        return rwl_type_of(RWL_TYPE_BINARY);
    case RWL_LITERAL_UUID:
        return rwl_type_of(RWL_TYPE_UUID);
    case RWL_LITERAL_DATE:
        return rwl_type_of(RWL_TYPE_DATE);
    case RWL_LITERAL_TIME:
        return rwl_type_of(RWL_TYPE_TIME);
    default: {
        bool micros = l->units % 1000 == 0;
        bool zone = l->kind == RWL_LITERAL_TIMESTAMPTZ;
        return rwl_type_of(zone     ? micros ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMPTZ_NS
                           : micros ? RWL_TYPE_TIMESTAMP
                                    : RWL_TYPE_TIMESTAMP_NS);
    }
    }
}

rwl_status rwl_literal_value(const rwl_literal *l, const rwl_type *type, rwl_arena *arena, rwl_value *out,
                             bool *fits, rwl_error *err) {
    *out = rwl_value_null(type->kind);
    *fits = true;
    if (l->kind == RWL_LITERAL_NULL)
        return RWL_OK;
    if (l->kind == RWL_LITERAL_NUMBER && rwl_kind_has_nan(type->kind)) {
        out->is_null = false;
        *fits = type->kind == RWL_TYPE_FLOAT ? rwl_float_parse(l->text, &out->as.f32)
                                             : rwl_double_parse(l->text, &out->as.f64);
        return RWL_OK;
    }
    rwl_place place;
    RWL_TRY(rwl_literal_place(l, type, arena, &place, err));
    *out = place.floor;
    *fits = place.where == RWL_PLACE_AT && place.exact &&
            (type->kind != RWL_TYPE_FIXED || place.floor.as.bytes.len == (size_t)type->length);
    return RWL_OK;
}

static bool set_number_text(rwl_arena *arena, const char *text, size_t len, rwl_literal *out) {
    const void *copy = rwl_arena_copy(arena, text, len);
    out->kind = RWL_LITERAL_NUMBER;
    out->text = rwl_span_of(copy, len);
    return copy != NULL;
}

static bool set_float_text(double v, bool narrow, float f, rwl_arena *arena, rwl_literal *out) {
    char text[40];
    if (v != v) {
        out->kind = RWL_LITERAL_NAN;
        return true;
    }
    if (v - v != 0)
        return false;
    size_t len = narrow ? rwl_float_format(f, text) : rwl_double_format(v, text);
    return set_number_text(arena, text, len, out);
}

/* Times: the units as nanoseconds, and the text of the value for printing. */
static bool set_instant(const rwl_type *type, const rwl_value *v, rwl_arena *arena, rwl_literal *out) {
    bool nanos = type->kind == RWL_TYPE_TIMESTAMP_NS || type->kind == RWL_TYPE_TIMESTAMPTZ_NS ||
                 rwl_type_is_time_ns(type);
    bool zone = type->kind == RWL_TYPE_TIMESTAMPTZ || type->kind == RWL_TYPE_TIMESTAMPTZ_NS;
    rwl_buf text;
    out->units = (rwl_i128)v->as.i64 * (nanos ? 1 : 1000);
    out->kind = zone ? RWL_LITERAL_TIMESTAMPTZ : RWL_LITERAL_TIMESTAMP;
    if (type->kind == RWL_TYPE_TIME)
        out->kind = RWL_LITERAL_TIME;
    if (type->kind == RWL_TYPE_DATE) {
        out->kind = RWL_LITERAL_DATE;
        out->units = v->as.i32;
    }
    rwl_buf_init(&text, arena->env, 256);
    bool ok = rwl_value_format(type, v, &text, NULL) == RWL_OK;
    const void *copy = ok ? rwl_arena_copy(arena, text.data, text.len) : NULL;
    out->source = rwl_span_of(copy, text.len);
    rwl_buf_clear(&text);
    return copy != NULL;
}

bool rwl_literal_of_value(const rwl_type *type, const rwl_value *v, rwl_arena *arena, rwl_literal *out) {
    char text[RWL_I128_TEXT_MAX];
    memset(out, 0, sizeof *out);
    if (v->is_null)
        return true; /* kind 0 is null */
    out->text = v->as.bytes;
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        out->kind = RWL_LITERAL_BOOL;
        out->b = v->as.b;
        return true;
    case RWL_TYPE_INT:
        return set_number_text(arena, text, rwl_i128_format(v->as.i32, 0, text), out);
    case RWL_TYPE_LONG:
        return set_number_text(arena, text, rwl_i128_format(v->as.i64, 0, text), out);
    case RWL_TYPE_DECIMAL:
        return set_number_text(arena, text, rwl_i128_format(v->as.i128, type->scale, text), out);
    case RWL_TYPE_FLOAT:
        return set_float_text((double)v->as.f32, true, v->as.f32, arena, out);
    case RWL_TYPE_DOUBLE:
        return set_float_text(v->as.f64, false, 0, arena, out);
    case RWL_TYPE_STRING:
        out->kind = RWL_LITERAL_STRING;
        return true;
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        out->kind = RWL_LITERAL_BYTES;
        return true;
    case RWL_TYPE_UUID: {
        char *source = rwl_arena_alloc(arena, RWL_UUID_TEXT_LEN + 1);
        if (source == NULL)
            return false;
        rwl_uuid_format(v->as.bytes.data, source);
        out->kind = RWL_LITERAL_UUID;
        out->source = rwl_span_of(source, RWL_UUID_TEXT_LEN);
        return true;
    }
    default:
        return type->kind >= RWL_TYPE_DATE && type->kind <= RWL_TYPE_TIMESTAMPTZ_NS &&
               set_instant(type, v, arena, out);
    }
}
