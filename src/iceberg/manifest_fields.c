/* SPDX-License-Identifier: Apache-2.0 */
/* Typed access to the fields of Avro records, and partition values by type. */
#include "iceberg/manifest_internal.h"

#include "base/int128.h"

#include <inttypes.h>

static rwl_status wrong_kind(const char *name, int32_t id, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "field %s (id %" PRId32 ") has the wrong Avro type", name, id);
}

static rwl_status missing(const char *name, int32_t id, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "required field %s (id %" PRId32 ") is missing or null", name, id);
}

rwl_status rwl_record_opt_i64(const rwl_avro_datum *record, int32_t id, const char *name, int64_t fallback,
                              int64_t *out, rwl_error *err) {
    const rwl_avro_datum *d = rwl_avro_get(record, id, name);
    *out = fallback;
    if (d == NULL)
        return RWL_OK;
    if (d->kind != RWL_AVRO_INT && d->kind != RWL_AVRO_LONG)
        return wrong_kind(name, id, err);
    *out = d->as.i;
    return RWL_OK;
}

rwl_status rwl_record_i64(const rwl_avro_datum *record, int32_t id, const char *name, int64_t *out,
                          rwl_error *err) {
    if (rwl_avro_get(record, id, name) == NULL)
        return missing(name, id, err);
    return rwl_record_opt_i64(record, id, name, 0, out, err);
}

rwl_status rwl_record_opt_i32(const rwl_avro_datum *record, int32_t id, const char *name, int32_t fallback,
                              int32_t *out, rwl_error *err) {
    int64_t wide;
    RWL_TRY(rwl_record_opt_i64(record, id, name, fallback, &wide, err));
    if (wide < INT32_MIN || wide > INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "field %s (id %" PRId32 ") is out of range: %" PRId64, name, id,
                        wide);
    *out = (int32_t)wide;
    return RWL_OK;
}

rwl_status rwl_record_opt_bytes(const rwl_avro_datum *record, int32_t id, const char *name, rwl_arena *arena,
                                rwl_span *out, rwl_error *err) {
    const rwl_avro_datum *d = rwl_avro_get(record, id, name);
    *out = rwl_span_of(NULL, 0);
    if (d == NULL)
        return RWL_OK;
    if (d->kind != RWL_AVRO_BYTES && d->kind != RWL_AVRO_STRING && d->kind != RWL_AVRO_FIXED)
        return wrong_kind(name, id, err);
    out->len = d->as.bytes.len;
    out->data = rwl_arena_copy(arena, d->as.bytes.data, d->as.bytes.len);
    return out->data == NULL ? rwl_no_memory(err, out->len) : RWL_OK;
}

rwl_status rwl_record_opt_str(const rwl_avro_datum *record, int32_t id, const char *name, rwl_arena *arena,
                              const char **out, rwl_error *err) {
    const rwl_avro_datum *d = rwl_avro_get(record, id, name);
    *out = NULL;
    if (d == NULL)
        return RWL_OK;
    if (d->kind != RWL_AVRO_STRING)
        return wrong_kind(name, id, err);
    if (d->as.bytes.len > 0 && memchr(d->as.bytes.data, 0, d->as.bytes.len) != NULL)
        return rwl_fail(err, RWL_CORRUPT, "field %s (id %" PRId32 ") has a zero byte inside", name, id);
    *out = rwl_arena_strndup(arena, (const char *)d->as.bytes.data, d->as.bytes.len);
    return *out == NULL ? rwl_no_memory(err, d->as.bytes.len) : RWL_OK;
}

rwl_status rwl_record_str(const rwl_avro_datum *record, int32_t id, const char *name, rwl_arena *arena,
                          const char **out, rwl_error *err) {
    RWL_TRY(rwl_record_opt_str(record, id, name, arena, out, err));
    return *out == NULL ? missing(name, id, err) : RWL_OK;
}

rwl_status rwl_record_opt_array(const rwl_avro_datum *record, int32_t id, const char *name,
                                const rwl_avro_datum **out, rwl_error *err) {
    *out = rwl_avro_get(record, id, name);
    if (*out != NULL && (*out)->kind != RWL_AVRO_ARRAY)
        return wrong_kind(name, id, err);
    return RWL_OK;
}

/* --- partition values --- */

/* The type an Avro node stands for by itself. */
static rwl_type_kind natural_kind(const rwl_avro_datum *d) {
    const char *logical = d->schema->logical_type == NULL ? "" : d->schema->logical_type;
    bool utc = d->schema->adjust_to_utc == 1;
    switch (d->kind) {
    case RWL_AVRO_BOOLEAN:
        return RWL_TYPE_BOOLEAN;
    case RWL_AVRO_INT:
        return strcmp(logical, "date") == 0 ? RWL_TYPE_DATE : RWL_TYPE_INT;
    case RWL_AVRO_LONG:
        if (strcmp(logical, "time-micros") == 0)
            return RWL_TYPE_TIME;
        if (strcmp(logical, "timestamp-micros") == 0)
            return utc ? RWL_TYPE_TIMESTAMPTZ : RWL_TYPE_TIMESTAMP;
        if (strcmp(logical, "timestamp-nanos") == 0)
            return utc ? RWL_TYPE_TIMESTAMPTZ_NS : RWL_TYPE_TIMESTAMP_NS;
        return RWL_TYPE_LONG;
    case RWL_AVRO_FLOAT:
        return RWL_TYPE_FLOAT;
    case RWL_AVRO_DOUBLE:
        return RWL_TYPE_DOUBLE;
    case RWL_AVRO_STRING:
        return RWL_TYPE_STRING;
    case RWL_AVRO_BYTES:
        return strcmp(logical, "decimal") == 0 ? RWL_TYPE_DECIMAL : RWL_TYPE_BINARY;
    case RWL_AVRO_FIXED:
        if (strcmp(logical, "decimal") == 0)
            return RWL_TYPE_DECIMAL;
        return strcmp(logical, "uuid") == 0 ? RWL_TYPE_UUID : RWL_TYPE_FIXED;
    case RWL_AVRO_NULL:
    case RWL_AVRO_ENUM:
    case RWL_AVRO_ARRAY:
    case RWL_AVRO_MAP:
    case RWL_AVRO_RECORD:
    case RWL_AVRO_UNION:
        break;
    }
    return RWL_TYPE_UNKNOWN;
}

static bool is_integer(const rwl_avro_datum *d) {
    return d->kind == RWL_AVRO_INT || d->kind == RWL_AVRO_LONG;
}

static bool is_bytes(const rwl_avro_datum *d) {
    return d->kind == RWL_AVRO_BYTES || d->kind == RWL_AVRO_STRING || d->kind == RWL_AVRO_FIXED;
}

static bool set_i32(const rwl_avro_datum *d, rwl_value *out) {
    if (!is_integer(d) || d->as.i < INT32_MIN || d->as.i > INT32_MAX)
        return false;
    out->as.i32 = (int32_t)d->as.i;
    return true;
}

/* A timestamp, or a date that was promoted to one. */
static bool set_timestamp(const rwl_avro_datum *d, int64_t units_per_day, rwl_value *out) {
    if (!is_integer(d))
        return false;
    if (natural_kind(d) == RWL_TYPE_DATE)
        return rwl_i64_mul(d->as.i, units_per_day, &out->as.i64);
    out->as.i64 = d->as.i;
    return true;
}

static bool set_bytes(const rwl_avro_datum *d, size_t len, rwl_arena *arena, rwl_value *out) {
    if (!is_bytes(d) || (len > 0 && d->as.bytes.len != len))
        return false;
    out->as.bytes = rwl_span_of(rwl_arena_copy(arena, d->as.bytes.data, d->as.bytes.len), d->as.bytes.len);
    return out->as.bytes.data != NULL;
}

static bool set_float(const rwl_avro_datum *d, rwl_value *out) {
    if (out->kind == RWL_TYPE_FLOAT) {
        out->as.f32 = d->as.f;
        return d->kind == RWL_AVRO_FLOAT;
    }
    out->as.f64 = d->kind == RWL_AVRO_FLOAT ? (double)d->as.f : d->as.d;
    return d->kind == RWL_AVRO_FLOAT || d->kind == RWL_AVRO_DOUBLE;
}

static bool set_value(const rwl_avro_datum *d, const rwl_type *type, rwl_arena *arena, rwl_value *out) {
    const int64_t day_us = INT64_C(86400000000);
    switch (out->kind) {
    case RWL_TYPE_BOOLEAN:
        out->as.b = d->as.b;
        return d->kind == RWL_AVRO_BOOLEAN;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE:
        return set_i32(d, out);
    case RWL_TYPE_LONG:
    case RWL_TYPE_TIME:
        out->as.i64 = is_integer(d) ? d->as.i : 0;
        return is_integer(d);
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
        return set_timestamp(d, day_us, out);
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return set_timestamp(d, day_us * 1000, out);
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
        return set_float(d, out);
    case RWL_TYPE_DECIMAL:
        return is_bytes(d) && d->as.bytes.len > 0 && rwl_i128_from_be(d->as.bytes, &out->as.i128);
    case RWL_TYPE_UUID:
        return set_bytes(d, 16, arena, out);
    case RWL_TYPE_FIXED:
        return set_bytes(d, (size_t)type->length, arena, out);
    case RWL_TYPE_STRING:
    case RWL_TYPE_BINARY:
        return set_bytes(d, 0, arena, out);
    case RWL_TYPE_UNKNOWN:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
    case RWL_TYPE_STRUCT:
    case RWL_TYPE_LIST:
    case RWL_TYPE_MAP:
        break;
    }
    return false;
}

rwl_status rwl_partition_value(const rwl_avro_datum *datum, const rwl_type *target, rwl_arena *arena,
                               rwl_value *out, rwl_error *err) {
    *out = rwl_value_null(target->kind);
    if (datum == NULL || datum->kind == RWL_AVRO_NULL)
        return RWL_OK;
    out->is_null = false;
    rwl_type natural = *target;
    if (target->kind == RWL_TYPE_UNKNOWN) {
        natural = rwl_type_of(natural_kind(datum));
        natural.length = datum->schema->size;
        out->kind = natural.kind;
    }
    if (!set_value(datum, &natural, arena, out))
        return rwl_fail(err, RWL_CORRUPT,
                        "a partition value's Avro type number %d does not fit its partition field",
                        (int)datum->kind);
    return RWL_OK;
}
