/* SPDX-License-Identifier: Apache-2.0 */
/* Values: order, equality, copy, and Iceberg's binary single-value form (appendix D). */
#include "column/value.h"

#define MICROS_A_DAY INT64_C(86400000000)
#define NANOS_A_DAY  INT64_C(86400000000000)

static int compare_i64(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* -0.0 < +0.0, NaN on top: the sign of zero decides only between equal numbers. */
static int compare_f64(double a, double b) {
    bool a_nan = a != a;
    bool b_nan = b != b;
    if (a_nan || b_nan)
        return a_nan - b_nan;
    if (a != b)
        return a < b ? -1 : 1;
    return (__builtin_signbit(b) != 0) - (__builtin_signbit(a) != 0);
}

int rwl_value_compare(const rwl_value *a, const rwl_value *b) {
    if (a->is_null || b->is_null)
        return (int)b->is_null - (int)a->is_null;
    switch (a->kind) {
    case RWL_TYPE_BOOLEAN:
        return (int)a->as.b - (int)b->as.b;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return compare_i64(a->as.i32, b->as.i32);
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return compare_i64(a->as.i64, b->as.i64);
    case RWL_TYPE_FLOAT:
        return compare_f64((double)a->as.f32, (double)b->as.f32);
    case RWL_TYPE_DOUBLE:
        return compare_f64(a->as.f64, b->as.f64);
    case RWL_TYPE_DECIMAL:
        return (a->as.i128 > b->as.i128) - (a->as.i128 < b->as.i128);
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return rwl_span_compare(a->as.bytes, b->as.bytes);
    default:
        return 0; /* nothing but null */
    }
}

bool rwl_value_equal(const rwl_value *a, const rwl_value *b) {
    return a->kind == b->kind && rwl_value_compare(a, b) == 0;
}

static bool holds_bytes(rwl_type_kind kind) {
    rwl_type t = rwl_type_of(kind);
    return kind == RWL_TYPE_UUID || kind == RWL_TYPE_FIXED || rwl_type_is_bytes(&t);
}

bool rwl_value_copy(rwl_arena *arena, const rwl_value *from, rwl_value *to) {
    *to = *from;
    if (from->is_null || !holds_bytes(from->kind))
        return true;
    to->as.bytes.data = rwl_arena_copy(arena, from->as.bytes.data, from->as.bytes.len);
    return to->as.bytes.data != NULL;
}

rwl_status rwl_value_encode(const rwl_value *v, rwl_buf *out, rwl_error *err) {
    if (v->is_null)
        return rwl_fail(err, RWL_INTERNAL, "null has no binary single-value form");
    switch (v->kind) {
    case RWL_TYPE_BOOLEAN:
        return rwl_buf_u8(out, v->as.b ? 1 : 0, err);
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return rwl_buf_le32(out, (uint32_t)v->as.i32, err);
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return rwl_buf_le64(out, (uint64_t)v->as.i64, err);
    case RWL_TYPE_FLOAT: {
        uint32_t bits;
        memcpy(&bits, &v->as.f32, sizeof bits);
        return rwl_buf_le32(out, bits, err);
    }
    case RWL_TYPE_DOUBLE: {
        uint64_t bits;
        memcpy(&bits, &v->as.f64, sizeof bits);
        return rwl_buf_le64(out, bits, err);
    }
    case RWL_TYPE_DECIMAL: {
        uint8_t be[16];
        size_t len = rwl_i128_to_be(v->as.i128, be);
        return rwl_buf_append(out, be, len, err);
    }
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return rwl_buf_append(out, v->as.bytes.data, v->as.bytes.len, err);
    default:
        return rwl_fail(err, RWL_UNSUPPORTED, "type kind %d has no binary single-value form", (int)v->kind);
    }
}

static rwl_status fail_len(const char *type, size_t len, const char *want, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "%s value of %zu bytes, expected %s", type, len, want);
}

static rwl_status decode_long(rwl_span bytes, rwl_value *out, rwl_error *err) {
    if (bytes.len == 8)
        out->as.i64 = (int64_t)rwl_load_le64(bytes.data);
    else if (bytes.len == 4 && out->kind == RWL_TYPE_LONG)
        out->as.i64 = (int32_t)rwl_load_le32(bytes.data);
    else
        return fail_len(out->kind == RWL_TYPE_LONG ? "long" : "time", bytes.len,
                        out->kind == RWL_TYPE_LONG ? "8 or 4" : "8", err);
    return RWL_OK;
}

static rwl_status decode_timestamp(rwl_span bytes, rwl_value *out, rwl_error *err) {
    bool nanos = out->kind == RWL_TYPE_TIMESTAMP_NS || out->kind == RWL_TYPE_TIMESTAMPTZ_NS;
    bool zone = out->kind == RWL_TYPE_TIMESTAMPTZ || out->kind == RWL_TYPE_TIMESTAMPTZ_NS;
    if (bytes.len == 8) {
        out->as.i64 = (int64_t)rwl_load_le64(bytes.data);
        return RWL_OK;
    }
    if (bytes.len != 4 || zone) /* only date to timestamp without zone is a promotion */
        return fail_len("timestamp", bytes.len, zone ? "8" : "8 or 4", err);
    int32_t days = (int32_t)rwl_load_le32(bytes.data);
    if (!rwl_i64_mul(days, nanos ? NANOS_A_DAY : MICROS_A_DAY, &out->as.i64))
        return rwl_fail(err, RWL_CORRUPT, "date of day %d is outside the range of its promoted type", days);
    return RWL_OK;
}

static rwl_status decode_double(rwl_span bytes, rwl_value *out, rwl_error *err) {
    if (bytes.len == 8) {
        uint64_t bits = rwl_load_le64(bytes.data);
        memcpy(&out->as.f64, &bits, sizeof bits);
    } else if (bytes.len == 4) {
        uint32_t bits = rwl_load_le32(bytes.data);
        float f;
        memcpy(&f, &bits, sizeof f);
        out->as.f64 = (double)f;
    } else {
        return fail_len("double", bytes.len, "8 or 4", err);
    }
    return RWL_OK;
}

static rwl_status decode_word(rwl_span bytes, rwl_value *out, rwl_error *err) {
    if (bytes.len != 4)
        return fail_len(out->kind == RWL_TYPE_FLOAT ? "float" : "int or date", bytes.len, "4", err);
    uint32_t bits = rwl_load_le32(bytes.data);
    if (out->kind == RWL_TYPE_FLOAT)
        memcpy(&out->as.f32, &bits, sizeof bits);
    else
        out->as.i32 = (int32_t)bits;
    return RWL_OK;
}

static rwl_status decode_bytes(const rwl_type *type, rwl_span bytes, rwl_value *out, rwl_error *err) {
    if (type->kind == RWL_TYPE_UUID && bytes.len != 16)
        return fail_len("uuid", bytes.len, "16", err);
    if (type->kind == RWL_TYPE_FIXED && bytes.len != (size_t)type->length)
        return rwl_fail(err, RWL_CORRUPT, "fixed[%d] value of %zu bytes", type->length, bytes.len);
    out->as.bytes = bytes;
    return RWL_OK;
}

rwl_status rwl_value_decode(const rwl_type *type, rwl_span bytes, rwl_value *out, rwl_error *err) {
    rwl_value v = rwl_value_null(type->kind);
    v.is_null = false;
    *out = v;
    switch (type->kind) {
    case RWL_TYPE_BOOLEAN:
        if (bytes.len != 1)
            return fail_len("boolean", bytes.len, "1", err);
        out->as.b = bytes.data[0] != 0;
        return RWL_OK;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
    case RWL_TYPE_FLOAT:
        return decode_word(bytes, out, err);
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
        return decode_long(bytes, out, err);
    case RWL_TYPE_DOUBLE:
        return decode_double(bytes, out, err);
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return decode_timestamp(bytes, out, err);
    case RWL_TYPE_DECIMAL:
        if (bytes.len == 0 || !rwl_i128_from_be(bytes, &out->as.i128))
            return fail_len("decimal", bytes.len, "1 to 16", err);
        return RWL_OK;
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return decode_bytes(type, bytes, out, err);
    default:
        return rwl_fail(err, RWL_UNSUPPORTED, "type kind %d has no binary single-value form",
                        (int)type->kind);
    }
}
