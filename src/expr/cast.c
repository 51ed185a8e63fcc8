/* SPDX-License-Identifier: Apache-2.0 */
/* Casts of columns: loops for the common numbers, value by value for the rest. */
#include "base/time.h"
#include "base/uuid.h"
#include "expr/eval_internal.h"
#include "expr/number.h"

/* --- one value --- */

static bool int_of(const rwl_type *from, const rwl_value *v, rwl_i128 *out) {
    double d = 0;
    switch (from->kind) {
    case RWL_TYPE_INT:
        *out = v->as.i32;
        return true;
    case RWL_TYPE_LONG:
        *out = v->as.i64;
        return true;
    case RWL_TYPE_DECIMAL:
        *out = v->as.i128 / rwl_i128_pow10(from->scale);
        return true;
    case RWL_TYPE_FLOAT:
        d = (double)v->as.f32;
        break;
    default:
        d = v->as.f64;
        break;
    }
    bool fits = d > -0x1p100 && d < 0x1p100; /* not NaN; the type's own range is checked later */
    *out = fits ? (rwl_i128)d : 0;
    return fits;
}

static bool to_int(const rwl_type *from, const rwl_type *to, const rwl_value *v, rwl_value *out) {
    rwl_i128 whole;
    if (!int_of(from, v, &whole))
        return false;
    if (to->kind == RWL_TYPE_INT) {
        out->as.i32 = (int32_t)whole;
        return whole >= INT32_MIN && whole <= INT32_MAX;
    }
    out->as.i64 = (int64_t)whole;
    return whole >= INT64_MIN && whole <= INT64_MAX;
}

/* Units of one scale in another, the last digit rounded half away from zero. */
static bool rescale(rwl_i128 units, int from, int to, int precision, rwl_i128 *out) {
    if (to >= from) {
        if (__builtin_mul_overflow(units, rwl_i128_pow10(to - from), out))
            return false;
    } else {
        rwl_i128 divisor = rwl_i128_pow10(from - to);
        rwl_i128 rest = units % divisor;
        *out = units / divisor;
        if (rest >= divisor - rest)
            *out += 1;
        else if (-rest >= divisor + rest)
            *out -= 1;
    }
    return rwl_i128_fits_digits(*out, precision);
}

static bool to_decimal(const rwl_type *from, const rwl_type *to, const rwl_value *v, rwl_value *out) {
    char text[40];
    size_t len;
    switch (from->kind) {
    case RWL_TYPE_INT:
        return rescale(v->as.i32, 0, to->scale, to->precision, &out->as.i128);
    case RWL_TYPE_LONG:
        return rescale(v->as.i64, 0, to->scale, to->precision, &out->as.i128);
    case RWL_TYPE_DECIMAL:
        return rescale(v->as.i128, from->scale, to->scale, to->precision, &out->as.i128);
    case RWL_TYPE_FLOAT:
        len = rwl_float_format(v->as.f32, text);
        break;
    default:
        len = rwl_double_format(v->as.f64, text);
        break;
    }
    return rwl_number_round(rwl_span_of(text, len), to->precision, to->scale, &out->as.i128);
}

static bool to_float(const rwl_type *from, const rwl_type *to, const rwl_value *v, rwl_value *out) {
    char text[RWL_I128_TEXT_MAX];
    bool narrow = to->kind == RWL_TYPE_FLOAT;
    if (from->kind == RWL_TYPE_DECIMAL) {
        rwl_span span = rwl_span_of(text, rwl_i128_format(v->as.i128, from->scale, text));
        return narrow ? rwl_float_parse(span, &out->as.f32) : rwl_double_parse(span, &out->as.f64);
    }
    if (from->kind == RWL_TYPE_DOUBLE) { /* to float: what is finite has to stay so */
        out->as.f32 = (float)v->as.f64;
        return v->as.f64 - v->as.f64 != 0 || out->as.f32 - out->as.f32 == 0;
    }
    if (from->kind == RWL_TYPE_FLOAT)
        out->as.f64 = (double)v->as.f32;
    else if (narrow)
        out->as.f32 = from->kind == RWL_TYPE_INT ? (float)v->as.i32 : (float)v->as.i64;
    else
        out->as.f64 = from->kind == RWL_TYPE_INT ? (double)v->as.i32 : (double)v->as.i64;
    return true;
}

/* Units a day: 0 for what is no instant. */
static int64_t units_a_day(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_DATE:
        return 1;
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
        return INT64_C(86400000000);
    default:
        return INT64_C(86400000000000);
    }
}

static bool to_instant(const rwl_type *from, const rwl_type *to, const rwl_value *v, rwl_value *out) {
    int64_t a = units_a_day(from->kind), b = units_a_day(to->kind);
    int64_t units = from->kind == RWL_TYPE_DATE ? v->as.i32 : v->as.i64;
    bool fits = true;
    if (b >= a)
        fits = rwl_i64_mul(units, b / a, &units);
    else
        units = rwl_floor_div(units, a / b);
    if (to->kind == RWL_TYPE_DATE)
        out->as.i32 = (int32_t)units; /* 2^63 microseconds are 1.1e8 days */
    else
        out->as.i64 = units;
    return fits;
}

static bool from_text(const rwl_type *to, rwl_span text, uint8_t uuid[16], rwl_value *out) {
    int32_t days;
    bool plain = to->kind == RWL_TYPE_TIMESTAMP || to->kind == RWL_TYPE_TIMESTAMP_NS;
    if (to->kind == RWL_TYPE_UUID) {
        out->as.bytes = rwl_span_of(uuid, 16);
        return rwl_uuid_parse(text, uuid);
    }
    if (to->kind == RWL_TYPE_DECIMAL)
        return rwl_number_round(text, to->precision, to->scale, &out->as.i128);
    if (plain && rwl_date_parse(text, &days)) {
        rwl_type date = rwl_type_of(RWL_TYPE_DATE);
        rwl_value midnight = {.kind = RWL_TYPE_DATE, .as.i32 = days};
        return to_instant(&date, to, &midnight, out);
    }
    return rwl_value_parse(to, text, NULL, out, NULL) == RWL_OK; /* of fixed width: no arena is needed */
}

static bool to_bytes(const rwl_type *to, rwl_span bytes, rwl_value *out) {
    out->as.bytes = bytes;
    return to->kind == RWL_TYPE_BINARY || bytes.len == (size_t)rwl_type_width(to);
}

/* A value that is not null, to all but text. */
static bool cast_value(const rwl_type *from, const rwl_type *to, const rwl_value *v, uint8_t uuid[16],
                       rwl_value *out) {
    *out = rwl_value_null(to->kind);
    out->is_null = false;
    if (from->kind == RWL_TYPE_STRING)
        return from_text(to, v->as.bytes, uuid, out);
    switch (to->kind) {
    case RWL_TYPE_INT:
    case RWL_TYPE_LONG:
        return to_int(from, to, v, out);
    case RWL_TYPE_DECIMAL:
        return to_decimal(from, to, v, out);
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
        return to_float(from, to, v, out);
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return to_bytes(to, v->as.bytes, out);
    default:
        return to_instant(from, to, v, out);
    }
}

/* --- columns --- */

static rwl_status fail_cast(const rwl_evaluation *e, const rwl_value_node *v, const rwl_type *from,
                            const rwl_value *value, int64_t row) {
    char type[80];
    rwl_buf text;
    rwl_type_name(&v->type, type, sizeof type);
    rwl_buf_init(&text, e->env, 1 << 16);
    bool shown =
        rwl_value_format(from, value, &text, NULL) == RWL_OK && rwl_buf_terminate(&text, NULL) == RWL_OK;
    rwl_status st = rwl_fail_at(e->err, RWL_USAGE, (int64_t)v->at,
                                "expression, at %zu: '%.100s' does not fit type %s (row %lld of the batch)",
                                v->at + 1, shown ? (const char *)text.data : "…", type, (long long)row);
    rwl_buf_clear(&text);
    return st;
}

/* One row: a value into `cast`, its bytes in `text` or `uuid`. */
static rwl_status cast_row(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *in,
                           int64_t row, rwl_buf *text, uint8_t uuid[16], rwl_value *cast) {
    rwl_value value = rwl_column_value(in, row);
    if (v->type.kind != RWL_TYPE_STRING)
        return cast_value(&in->type, &v->type, &value, uuid, cast) ? RWL_OK
                                                                   : fail_cast(e, v, &in->type, &value, row);
    rwl_buf_reset(text);
    RWL_TRY(rwl_value_format(&in->type, &value, text, e->err));
    *cast = rwl_value_null(RWL_TYPE_STRING);
    cast->is_null = false;
    cast->as.bytes = rwl_buf_span(text);
    return RWL_OK;
}

static rwl_status cast_rows(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *in,
                            const uint64_t *active, rwl_buf *text, rwl_column *out) {
    for (int64_t i = 0; i < e->length; i++) {
        rwl_value cast = rwl_value_null(v->type.kind);
        uint8_t uuid[16];
        if (!rwl_column_is_null(in, i) && rwl_eval_wants(active, i))
            RWL_TRY(cast_row(e, v, in, i, text, uuid, &cast));
        RWL_TRY(rwl_column_append(out, e->env, &cast, 1, e->err));
    }
    return RWL_OK;
}

#define WIDEN(from, to)                                                                                      \
    do {                                                                                                     \
        const from *x = (const from *)(const void *)in->values.data;                                         \
        to *z = (to *)(void *)out->values.data;                                                              \
        for (int64_t i = 0; i < e->length; i++)                                                              \
            z[i] = (to)x[i];                                                                                 \
    } while (0)

/* Conversions that never fail and that a loop does; false for others. */
static bool widen(const rwl_evaluation *e, const rwl_column *in, rwl_column *out) {
    rwl_type_kind from = in->type.kind, to = out->type.kind;
    if (from == RWL_TYPE_INT && to == RWL_TYPE_LONG)
        WIDEN(int32_t, int64_t);
    else if (from == RWL_TYPE_INT && to == RWL_TYPE_DOUBLE)
        WIDEN(int32_t, double);
    else if (from == RWL_TYPE_LONG && to == RWL_TYPE_DOUBLE)
        WIDEN(int64_t, double);
    else if (from == RWL_TYPE_FLOAT && to == RWL_TYPE_DOUBLE)
        WIDEN(float, double);
    else if (from == RWL_TYPE_INT && to == RWL_TYPE_DECIMAL && out->type.scale == 0 &&
             out->type.precision >= 10)
        WIDEN(int32_t, rwl_i128);
    else if (from == RWL_TYPE_LONG && to == RWL_TYPE_DECIMAL && out->type.scale == 0 &&
             out->type.precision >= 19)
        WIDEN(int64_t, rwl_i128);
    else
        return false;
    return true;
}

rwl_status rwl_eval_cast(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *in,
                         const uint64_t *active, rwl_column *out) {
    rwl_buf text;
    RWL_TRY(rwl_column_reserve(out, e->env, e->length, 0, e->err));
    if (widen(e, in, out))
        return rwl_eval_give_nulls(e, in, NULL, out);
    rwl_buf_init(&text, e->env, SIZE_MAX);
    rwl_status st = cast_rows(e, v, in, active, &text, out);
    rwl_buf_clear(&text);
    return st;
}
