/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms: names, result types, application to one value. */
#include "iceberg/transform_internal.h"

#include "base/hash.h"

#include <strings.h>

/* "bucket[16]": the number in brackets behind `name`. 1 when it is that, 0 when not, -1 for a number out of
 * range. */
static int parse_parameter(const char *text, const char *name, int32_t *out) {
    size_t len = strlen(name);
    if (strncasecmp(text, name, len) != 0 || text[len] != '[')
        return 0;
    const char *p = text + len + 1;
    int64_t value = 0;
    const char *digits = p;
    for (; *p >= '0' && *p <= '9'; p++)
        value = value > INT32_MAX ? value : value * 10 + (*p - '0');
    if (p == digits || p[0] != ']' || p[1] != '\0')
        return 0;
    *out = (int32_t)(value > INT32_MAX ? 0 : value);
    return value < 1 || value > INT32_MAX ? -1 : 1;
}

rwl_status rwl_transform_parse(const char *text, rwl_arena *arena, rwl_transform *out, rwl_error *err) {
    static const struct {
        const char *name;
        rwl_transform_kind kind;
    } plain[] = {{"identity", RWL_TRANSFORM_IDENTITY}, {"year", RWL_TRANSFORM_YEAR},
                 {"month", RWL_TRANSFORM_MONTH},       {"day", RWL_TRANSFORM_DAY},
                 {"hour", RWL_TRANSFORM_HOUR},         {"void", RWL_TRANSFORM_VOID}};
    *out = (rwl_transform){RWL_TRANSFORM_UNKNOWN, 0, rwl_arena_strdup(arena, text)};
    if (!out->text)
        return rwl_no_memory(err, strlen(text) + 1);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcasecmp(text, plain[i].name) == 0)
            out->kind = plain[i].kind;
    }
    int bucket = parse_parameter(text, "bucket", &out->param);
    int truncate = bucket ? 0 : parse_parameter(text, "truncate", &out->param);
    if (bucket < 0 || truncate < 0)
        return rwl_fail(err, RWL_CORRUPT, "the number in transform '%.100s' is out of range", text);
    if (bucket)
        out->kind = RWL_TRANSFORM_BUCKET;
    if (truncate)
        out->kind = RWL_TRANSFORM_TRUNCATE;
    return RWL_OK;
}

static bool can_bucket(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_UNKNOWN:
    case RWL_TYPE_BOOLEAN:
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
        return false;
    default:
        return kind <= RWL_TYPE_BINARY;
    }
}

static bool can_truncate(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG || kind == RWL_TYPE_DECIMAL ||
           kind == RWL_TYPE_STRING || kind == RWL_TYPE_BINARY;
}

bool rwl_transform_result(const rwl_transform *t, const rwl_type *source, rwl_type *out) {
    bool timestamp = rwl_transform_units(source->kind) != 0;
    *out = rwl_type_of(RWL_TYPE_INT);
    switch (t->kind) {
    case RWL_TRANSFORM_IDENTITY:
        *out = *source;
        return source->kind <= RWL_TYPE_BINARY;
    case RWL_TRANSFORM_VOID:
        *out = rwl_type_is_nested(source) ? rwl_type_of(RWL_TYPE_UNKNOWN) : *source;
        return true;
    case RWL_TRANSFORM_BUCKET:
        return can_bucket(source->kind);
    case RWL_TRANSFORM_TRUNCATE:
        *out = *source;
        return can_truncate(source->kind);
    case RWL_TRANSFORM_DAY:
        *out = rwl_type_of(RWL_TYPE_DATE);
        return timestamp || source->kind == RWL_TYPE_DATE;
    case RWL_TRANSFORM_YEAR:
    case RWL_TRANSFORM_MONTH:
        return timestamp || source->kind == RWL_TYPE_DATE;
    case RWL_TRANSFORM_HOUR:
        return timestamp;
    case RWL_TRANSFORM_UNKNOWN:
        break;
    }
    return false;
}

rwl_status rwl_transform_refuse(const rwl_transform *t, const rwl_type *source, rwl_error *err) {
    if (t->kind == RWL_TRANSFORM_UNKNOWN)
        return rwl_fail(err, RWL_UNSUPPORTED, "unknown transform '%.100s'", t->text);
    return rwl_fail(err, RWL_INTERNAL, "transform '%.100s' cannot take type kind %d", t->text,
                    (int)source->kind);
}

rwl_status rwl_transform_out_of_range(const rwl_transform *t, int64_t value, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "transform '%.40s' of the timestamp %lld gives no 32-bit number",
                    t->text, (long long)value);
}

/* --- hashes --- */

static int32_t hash_double(double v) {
    int64_t bits = 0;
    if (v != 0) /* both zeros hash as +0.0 */
        memcpy(&bits, &v, sizeof bits);
    return (int32_t)rwl_murmur_i64(v != v ? INT64_C(0x7ff8000000000000) : bits);
}

bool rwl_transform_hash(const rwl_value *in, int32_t *out) {
    if (in->is_null)
        return false;
    switch (in->kind) {
    case RWL_TYPE_BOOLEAN:
        *out = (int32_t)rwl_murmur_i64(in->as.b);
        return true;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        *out = (int32_t)rwl_murmur_i64(in->as.i32);
        return true;
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
        *out = (int32_t)rwl_murmur_i64(in->as.i64);
        return true;
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        *out = (int32_t)rwl_murmur_i64(rwl_floor_div(in->as.i64, 1000));
        return true;
    case RWL_TYPE_FLOAT:
        *out = hash_double((double)in->as.f32);
        return true;
    case RWL_TYPE_DOUBLE:
        *out = hash_double(in->as.f64);
        return true;
    case RWL_TYPE_DECIMAL: {
        uint8_t bytes[16];
        size_t len = rwl_i128_to_be(in->as.i128, bytes);
        *out = (int32_t)rwl_hash_murmur3(rwl_span_of(bytes, len), 0);
        return true;
    }
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        *out = (int32_t)rwl_hash_murmur3(in->as.bytes, 0);
        return true;
    default:
        return false;
    }
}

/* --- application --- */

static void truncate_value(const rwl_value *in, int32_t width, rwl_value *out) {
    *out = *in;
    switch (in->kind) {
    case RWL_TYPE_INT:
        out->as.i32 = rwl_truncate_i32(in->as.i32, width);
        break;
    case RWL_TYPE_LONG:
        out->as.i64 = rwl_truncate_i64(in->as.i64, width);
        break;
    case RWL_TYPE_DECIMAL:
        out->as.i128 = rwl_truncate_i128(in->as.i128, width);
        break;
    case RWL_TYPE_STRING:
        out->as.bytes.len = rwl_code_points_len(in->as.bytes, width);
        break;
    default:
        if (in->as.bytes.len > (size_t)width)
            out->as.bytes.len = (size_t)width;
        break;
    }
}

static rwl_status apply_time(const rwl_transform *t, const rwl_value *in, rwl_value *out, rwl_error *err) {
    int64_t second = rwl_transform_units(in->kind);
    if (t->kind == RWL_TRANSFORM_HOUR) {
        int64_t hour = rwl_floor_div(in->as.i64, 3600 * second);
        if (hour < INT32_MIN || hour > INT32_MAX)
            return rwl_transform_out_of_range(t, in->as.i64, err);
        out->as.i32 = (int32_t)hour;
        return RWL_OK;
    }
    int64_t day = second ? rwl_floor_div(in->as.i64, 86400 * second) : in->as.i32;
    if (t->kind == RWL_TRANSFORM_YEAR)
        out->as.i32 = rwl_years_of_day(day);
    else if (t->kind == RWL_TRANSFORM_MONTH)
        out->as.i32 = rwl_months_of_day(day);
    else
        out->as.i32 = (int32_t)day;
    return RWL_OK;
}

rwl_status rwl_transform_apply(const rwl_transform *t, const rwl_value *in, rwl_value *out, rwl_error *err) {
    rwl_type source = rwl_type_of(in->kind);
    rwl_type result;
    if (!rwl_transform_result(t, &source, &result))
        return rwl_transform_refuse(t, &source, err);
    rwl_value value = rwl_value_null(result.kind);
    int32_t hash = 0;
    rwl_status st = RWL_OK;
    if (!in->is_null && t->kind != RWL_TRANSFORM_VOID) {
        value.is_null = false;
        if (t->kind == RWL_TRANSFORM_IDENTITY)
            value = *in;
        else if (t->kind == RWL_TRANSFORM_TRUNCATE)
            truncate_value(in, t->param, &value);
        else if (t->kind == RWL_TRANSFORM_BUCKET && rwl_transform_hash(in, &hash))
            value.as.i32 = rwl_bucket_of((uint32_t)hash, t->param);
        else
            st = apply_time(t, in, &value, err);
    }
    *out = value;
    return st;
}
