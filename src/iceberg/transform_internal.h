/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of the transforms (specification, "Partition Transforms"), shared by the forms for values and
 * columns. */
#ifndef RWL_ICEBERG_TRANSFORM_INTERNAL_H
#define RWL_ICEBERG_TRANSFORM_INTERNAL_H

#include "base/time.h"
#include "iceberg/partition.h"

#define RWL_MICROS_AN_HOUR INT64_C(3600000000)

/* The unit of a timestamp type in a second; 0 for other types. */
static inline int64_t rwl_transform_units(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
        return 1000000;
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return 1000000000;
    default:
        return 0;
    }
}

static inline uint32_t rwl_murmur_block(uint32_t h, uint32_t k) {
    k *= 0xcc9e2d51u;
    k = k << 15 | k >> 17;
    h ^= k * 0x1b873593u;
    h = h << 13 | h >> 19;
    return h * 5 + 0xe6546b64u;
}

/* murmur3_x86_32 with seed 0 of the 8 little-endian bytes of `value`. */
static inline uint32_t rwl_murmur_i64(int64_t value) {
    uint32_t h = rwl_murmur_block(0, (uint32_t)(uint64_t)value);
    h = rwl_murmur_block(h, (uint32_t)((uint64_t)value >> 32)) ^ 8;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static inline int32_t rwl_bucket_of(uint32_t hash, int32_t count) {
    return (int32_t)(hash & 0x7fffffffu) % count;
}

/* Down to a multiple of `width`; wraps below the least value, as Java does. */
static inline int64_t rwl_truncate_i64(int64_t v, int32_t width) {
    return (int64_t)((uint64_t)v - (uint64_t)rwl_floor_mod(v, width));
}
static inline int32_t rwl_truncate_i32(int32_t v, int32_t width) {
    return (int32_t)((uint32_t)v - (uint32_t)rwl_floor_mod(v, width));
}
static inline rwl_i128 rwl_truncate_i128(rwl_i128 v, int32_t width) {
    rwl_i128 rest = v % width;
    return v - (rest < 0 ? rest + width : rest);
}

/* Years or months since 1970 of a day. */
static inline int32_t rwl_years_of_day(int64_t day) {
    int64_t year;
    int month, of_month;
    rwl_civil_from_days(day, &year, &month, &of_month);
    return (int32_t)(year - 1970);
}
static inline int32_t rwl_months_of_day(int64_t day) {
    int64_t year;
    int month, of_month;
    rwl_civil_from_days(day, &year, &month, &of_month);
    return (int32_t)((year - 1970) * 12 + month - 1);
}

/* The first `width` code points of well-formed UTF-8, as a length. */
static inline size_t rwl_code_points_len(rwl_span text, int32_t width) {
    if (text.len <= (size_t)width)
        return text.len;
    size_t len = 0;
    for (int32_t seen = 0; len < text.len; len++) {
        if ((text.data[len] & 0xc0) != 0x80 && ++seen > width)
            break;
    }
    return len;
}

rwl_status rwl_transform_refuse(const rwl_transform *t, const rwl_type *source, rwl_error *err);
rwl_status rwl_transform_out_of_range(const rwl_transform *t, int64_t value, rwl_error *err);

#endif
