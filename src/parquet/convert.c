/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion kernels: one loop a kind, no call and no branch a value where the format allows. */
#include "parquet/convert.h"

#define MICROS_PER_DAY     INT64_C(86400000000)
#define JULIAN_DAY_OF_1970 INT64_C(2440588)

static rwl_parquet_layout layout_int32(const rwl_parquet_leaf *leaf) {
    switch (leaf->field.type.kind) {
    case RWL_TYPE_DECIMAL:
        return (rwl_parquet_layout){.convert = RWL_PARQUET_INT32_TO_DECIMAL, .width = 16};
    case RWL_TYPE_LONG:
        return (rwl_parquet_layout){.convert = RWL_PARQUET_UINT32_TO_LONG, .width = 8};
    default:
        if (leaf->millis)
            return (rwl_parquet_layout){.convert = RWL_PARQUET_MILLIS32, .width = 8};
        return (rwl_parquet_layout){.convert = RWL_PARQUET_TO_SAME, .width = 4};
    }
}

static rwl_parquet_layout layout_int64(const rwl_parquet_leaf *leaf) {
    if (leaf->is_unsigned)
        return (rwl_parquet_layout){.convert = RWL_PARQUET_UINT64_TO_DECIMAL, .width = 16};
    if (leaf->field.type.kind == RWL_TYPE_DECIMAL)
        return (rwl_parquet_layout){.convert = RWL_PARQUET_INT64_TO_DECIMAL, .width = 16};
    if (leaf->millis)
        return (rwl_parquet_layout){.convert = RWL_PARQUET_MILLIS64, .width = 8};
    return (rwl_parquet_layout){.convert = RWL_PARQUET_TO_SAME, .width = 8};
}

static rwl_parquet_layout layout_fixed(const rwl_parquet_leaf *leaf) {
    if (leaf->field.type.kind == RWL_TYPE_DECIMAL)
        return (rwl_parquet_layout){.convert = RWL_PARQUET_FIXED_TO_DECIMAL, .width = 16};
    if (leaf->field.type.kind == RWL_TYPE_FLOAT)
        return (rwl_parquet_layout){.convert = RWL_PARQUET_FLOAT16_TO_FLOAT, .width = 4};
    return (rwl_parquet_layout){.convert = RWL_PARQUET_TO_SAME, .width = (size_t)leaf->type_length};
}

static rwl_parquet_layout layout_byte_array(const rwl_parquet_leaf *leaf) {
    if (leaf->field.type.kind == RWL_TYPE_DECIMAL)
        return (rwl_parquet_layout){.convert = RWL_PARQUET_BYTES_TO_DECIMAL, .width = 16};
    return (rwl_parquet_layout){.convert = RWL_PARQUET_TO_BYTES,
                                .is_text = leaf->field.type.kind == RWL_TYPE_STRING};
}

rwl_parquet_layout rwl_parquet_layout_of(const rwl_parquet_leaf *leaf) {
    rwl_parquet_layout stored = rwl_parquet_layout_physical(leaf), layout = stored;
    switch (leaf->physical) {
    case RWL_PARQUET_INT32:
        layout = layout_int32(leaf);
        break;
    case RWL_PARQUET_INT64:
        layout = layout_int64(leaf);
        break;
    case RWL_PARQUET_INT96:
        layout = (rwl_parquet_layout){.convert = RWL_PARQUET_INT96_TO_MICROS, .width = 8};
        break;
    case RWL_PARQUET_FIXED:
        layout = layout_fixed(leaf);
        break;
    case RWL_PARQUET_BYTE_ARRAY:
        layout = layout_byte_array(leaf);
        break;
    case RWL_PARQUET_BOOLEAN:
    case RWL_PARQUET_FLOAT:
    case RWL_PARQUET_DOUBLE:
        break;
    }
    layout.physical = leaf->physical;
    layout.stored_width = stored.stored_width;
    return layout;
}

rwl_parquet_layout rwl_parquet_layout_physical(const rwl_parquet_leaf *leaf) {
    size_t width = 0;
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
        return (rwl_parquet_layout){.convert = RWL_PARQUET_TO_BITS, .physical = leaf->physical};
    case RWL_PARQUET_BYTE_ARRAY:
        return (rwl_parquet_layout){.convert = RWL_PARQUET_TO_BYTES, .physical = leaf->physical};
    case RWL_PARQUET_INT32:
    case RWL_PARQUET_FLOAT:
        width = 4;
        break;
    case RWL_PARQUET_INT64:
    case RWL_PARQUET_DOUBLE:
        width = 8;
        break;
    case RWL_PARQUET_INT96:
        width = 12;
        break;
    case RWL_PARQUET_FIXED:
        width = (size_t)leaf->type_length;
        break;
    }
    return (rwl_parquet_layout){
        .convert = RWL_PARQUET_TO_SAME, .stored_width = width, .width = width, .physical = leaf->physical};
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

/* IEEE 754 binary16: the exponent's bias changes by 112; subnormal numbers are units of 2^-24. */
static void float16_to_float(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t half = rwl_load_le16(src + i * 2);
        uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu, bits;
        if (magnitude >= 0x7c00u) {
            bits = 0x7f800000u | (magnitude & 0x3ffu) << 13;
        } else if (magnitude >= 0x0400u) {
            bits = (magnitude << 13) + (112u << 23);
        } else {
            float small = (float)magnitude * 0x1p-24f;
            memcpy(&bits, &small, 4);
        }
        bits |= sign;
        memcpy(dst + i * 4, &bits, 4);
    }
}

/*
 * Nanoseconds of the day, then the Julian day: Impala's and Spark's timestamp. Finer than a microsecond is cut. Sums
 * wrap around: Spark writes days of a wrapped count for years beyond 290,000, and they come back right.
 */
static void int96_to_micros(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = src + i * 12;
        int64_t nanos = (int64_t)rwl_load_le64(p);
        int64_t day = (int64_t)(int32_t)rwl_load_le32(p + 8) - JULIAN_DAY_OF_1970;
        int64_t micros_of_day = nanos / 1000 - (nanos % 1000 < 0);
        uint64_t micros = (uint64_t)day * (uint64_t)MICROS_PER_DAY + (uint64_t)micros_of_day;
        memcpy(dst + i * 8, &micros, 8);
    }
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

static void uint64_to_decimal(const uint8_t *src, uint8_t *dst, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t pair[2] = {0, 0};
        memcpy(pair, src + i * 8, 8);
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
    case RWL_PARQUET_FLOAT16_TO_FLOAT:
        float16_to_float(src, dst, count);
        return RWL_OK;
    case RWL_PARQUET_UINT64_TO_DECIMAL:
        uint64_to_decimal(src, dst, count);
        return RWL_OK;
    case RWL_PARQUET_INT96_TO_MICROS:
        int96_to_micros(src, dst, count);
        return RWL_OK;
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

static rwl_status convert_byte_decimal(rwl_span value, uint8_t *dst, rwl_error *err) {
    rwl_i128 v;
    if (value.len == 0 || !rwl_i128_from_be(value, &v))
        return rwl_fail(err, RWL_CORRUPT, "a decimal of %zu bytes", value.len);
    rwl_i128_store(dst, v);
    return RWL_OK;
}

rwl_status rwl_parquet_convert_one(const rwl_parquet_layout *layout, rwl_span value, uint8_t *dst,
                                   rwl_error *err) {
    if (layout->convert == RWL_PARQUET_BYTES_TO_DECIMAL)
        return convert_byte_decimal(value, dst, err);
    if (value.len != layout->stored_width)
        return rwl_fail(err, RWL_CORRUPT, "a value of %zu bytes in a column of %zu", value.len,
                        layout->stored_width);
    return rwl_parquet_convert_fixed(layout, value.data, dst, 1, err);
}

rwl_status rwl_parquet_convert_byte_decimals(const uint8_t **src, const uint8_t *end, uint8_t *dst,
                                             size_t count, rwl_error *err) {
    const uint8_t *p = *src;
    for (size_t i = 0; i < count; i++) {
        if (end - p < 4)
            return rwl_fail(err, RWL_CORRUPT, "plain values end too early");
        size_t len = rwl_load_le32(p);
        p += 4;
        if (len > (size_t)(end - p))
            return rwl_fail(err, RWL_CORRUPT, "a decimal of %zu bytes where %zu are left", len,
                            (size_t)(end - p));
        RWL_TRY(convert_byte_decimal(rwl_span_of(p, len), dst + i * 16, err));
        p += len;
    }
    *src = p;
    return RWL_OK;
}
