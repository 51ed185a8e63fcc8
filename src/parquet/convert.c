/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion kernels: one loop a kind, no call and no branch a value where the format allows. */
#include "parquet/convert.h"

#define MICROS_PER_DAY     INT64_C(86400000000)
#define JULIAN_DAY_OF_1970 INT64_C(2440588)

rwl_parquet_layout rwl_parquet_layout_of(const rwl_parquet_leaf *leaf) {
    bool is_decimal = leaf->field.type.kind == RWL_TYPE_DECIMAL;
    size_t fixed = (size_t)leaf->type_length;
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
        return (rwl_parquet_layout){RWL_PARQUET_TO_BITS, 0, 0};
    case RWL_PARQUET_INT32:
        if (is_decimal)
            return (rwl_parquet_layout){RWL_PARQUET_INT32_TO_DECIMAL, 4, 16};
        if (leaf->field.type.kind == RWL_TYPE_LONG)
            return (rwl_parquet_layout){RWL_PARQUET_UINT32_TO_LONG, 4, 8};
        if (leaf->millis)
            return (rwl_parquet_layout){RWL_PARQUET_MILLIS32, 4, 8};
        return (rwl_parquet_layout){RWL_PARQUET_TO_SAME, 4, 4};
    case RWL_PARQUET_FLOAT:
        return (rwl_parquet_layout){RWL_PARQUET_TO_SAME, 4, 4};
    case RWL_PARQUET_INT64:
        if (is_decimal)
            return (rwl_parquet_layout){RWL_PARQUET_INT64_TO_DECIMAL, 8, 16};
        if (leaf->millis)
            return (rwl_parquet_layout){RWL_PARQUET_MILLIS64, 8, 8};
        return (rwl_parquet_layout){RWL_PARQUET_TO_SAME, 8, 8};
    case RWL_PARQUET_DOUBLE:
        return (rwl_parquet_layout){RWL_PARQUET_TO_SAME, 8, 8};
    case RWL_PARQUET_INT96:
        return (rwl_parquet_layout){RWL_PARQUET_INT96_TO_MICROS, 12, 8};
    case RWL_PARQUET_FIXED:
        if (is_decimal)
            return (rwl_parquet_layout){RWL_PARQUET_FIXED_TO_DECIMAL, fixed, 16};
        return (rwl_parquet_layout){RWL_PARQUET_TO_SAME, fixed, fixed};
    case RWL_PARQUET_BYTE_ARRAY:
        break;
    }
    if (is_decimal)
        return (rwl_parquet_layout){RWL_PARQUET_BYTES_TO_DECIMAL, 0, 16};
    return (rwl_parquet_layout){RWL_PARQUET_TO_BYTES, 0, 0};
}

static void uint32_to_long(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t v;
        memcpy(&v, src + i * 4, 4);
        int64_t wide = v;
        memcpy(dst + i * 8, &wide, 8);
    }
}

static void millis32_to_micros(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int32_t v;
        memcpy(&v, src + i * 4, 4);
        int64_t micros = (int64_t)v * 1000;
        memcpy(dst + i * 8, &micros, 8);
    }
}

static rwl_status millis64_to_micros(const uint8_t *src, uint8_t *dst, size_t count, rwl_error *err) {
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        int64_t v;
        memcpy(&v, src + i * 8, 8);
        bad |= v > INT64_MAX / 1000 || v < INT64_MIN / 1000;
        uint64_t micros = (uint64_t)v * 1000u;
        memcpy(dst + i * 8, &micros, 8);
    }
    return bad ? rwl_fail(err, RWL_CORRUPT, "a timestamp in milliseconds is too large for microseconds")
               : RWL_OK;
}

/* Nanoseconds of the day, then the Julian day: Impala's and Spark's timestamp. Finer than a microsecond is cut. */
static rwl_status int96_to_micros(const uint8_t *src, uint8_t *dst, size_t count, rwl_error *err) {
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = src + i * 12;
        int64_t nanos = (int64_t)rwl_load_le64(p);
        int64_t day = (int64_t)(int32_t)rwl_load_le32(p + 8) - JULIAN_DAY_OF_1970;
        int64_t micros_of_day = nanos / 1000 - (nanos % 1000 < 0);
        int64_t micros = 0;
        bad |= !rwl_i64_mul(day, MICROS_PER_DAY, &micros) || !rwl_i64_add(micros, micros_of_day, &micros);
        memcpy(dst + i * 8, &micros, 8);
    }
    return bad ? rwl_fail(err, RWL_CORRUPT, "an INT96 timestamp is too large for microseconds") : RWL_OK;
}

static void int32_to_decimal(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int64_t v = (int32_t)rwl_load_le32(src + i * 4);
        int64_t pair[2] = {v, v >> 63};
        memcpy(dst + i * 16, pair, 16);
    }
}

static void int64_to_decimal(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int64_t v;
        memcpy(&v, src + i * 8, 8);
        int64_t pair[2] = {v, v >> 63};
        memcpy(dst + i * 16, pair, 16);
    }
}

static inline uint64_t load_be64(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return __builtin_bswap64(word);
}

/* Big-endian values of 1 to 16 bytes: a whole word or two, shifted down with their sign. */
static void short_fixed_to_decimal(const uint8_t *src, size_t width, uint8_t *dst, size_t count) {
    if (width <= 8) {
        int shift = (int)(64 - 8 * width);
        for (size_t i = 0; i < count; i++) {
            int64_t v = (int64_t)load_be64(src + i * width) >> shift;
            int64_t pair[2] = {v, v >> 63};
            memcpy(dst + i * 16, pair, 16);
        }
        return;
    }
    int shift = (int)(128 - 8 * width);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = src + i * width;
        rwl_u128 wide = (rwl_u128)load_be64(p) << 64 | load_be64(p + 8);
        rwl_i128 v = (rwl_i128)wide >> shift;
        memcpy(dst + i * 16, &v, 16);
    }
}

static rwl_status fixed_to_decimal(const uint8_t *src, size_t width, uint8_t *dst, size_t count,
                                   rwl_error *err) {
    if (width <= 16) {
        short_fixed_to_decimal(src, width, dst, count);
        return RWL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        rwl_i128 v;
        if (!rwl_i128_from_be(rwl_span_of(src + i * width, width), &v))
            return rwl_fail(err, RWL_CORRUPT, "a decimal of %zu bytes needs more than 128 bits", width);
        rwl_i128_store(dst + i * 16, v);
    }
    return RWL_OK;
}

rwl_status rwl_parquet_convert_fixed(const rwl_parquet_layout *layout, const uint8_t *src, uint8_t *dst,
                                     size_t count, rwl_error *err) {
    switch (layout->convert) {
    case RWL_PARQUET_TO_SAME:
        if (count > 0)
            memcpy(dst, src, count * layout->width);
        return RWL_OK;
    case RWL_PARQUET_UINT32_TO_LONG:
        uint32_to_long(src, dst, count);
        return RWL_OK;
    case RWL_PARQUET_MILLIS32:
        millis32_to_micros(src, dst, count);
        return RWL_OK;
    case RWL_PARQUET_MILLIS64:
        return millis64_to_micros(src, dst, count, err);
    case RWL_PARQUET_INT96_TO_MICROS:
        return int96_to_micros(src, dst, count, err);
    case RWL_PARQUET_INT32_TO_DECIMAL:
        int32_to_decimal(src, dst, count);
        return RWL_OK;
    case RWL_PARQUET_INT64_TO_DECIMAL:
        int64_to_decimal(src, dst, count);
        return RWL_OK;
    case RWL_PARQUET_FIXED_TO_DECIMAL:
        return fixed_to_decimal(src, layout->stored_width, dst, count, err);
    case RWL_PARQUET_TO_BITS:
    case RWL_PARQUET_TO_BYTES:
    case RWL_PARQUET_BYTES_TO_DECIMAL:
        break;
    }
    return rwl_fail(err, RWL_INTERNAL, "conversion %d has no fixed width", (int)layout->convert);
}

rwl_status rwl_parquet_convert_byte_decimals(const uint8_t **src, const uint8_t *end, uint8_t *dst,
                                             size_t count, rwl_error *err) {
    const uint8_t *p = *src;
    for (size_t i = 0; i < count; i++) {
        if (end - p < 4)
            return rwl_fail(err, RWL_CORRUPT, "plain values end too early");
        size_t len = rwl_load_le32(p);
        p += 4;
        rwl_i128 v;
        if (len == 0 || len > (size_t)(end - p) || !rwl_i128_from_be(rwl_span_of(p, len), &v))
            return rwl_fail(err, RWL_CORRUPT, "a decimal of %zu bytes where %zu are left", len,
                            (size_t)(end - p));
        rwl_i128_store(dst + i * 16, v);
        p += len;
    }
    *src = p;
    return RWL_OK;
}
