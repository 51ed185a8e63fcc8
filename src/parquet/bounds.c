/* SPDX-License-Identifier: Apache-2.0 */
/* Least and greatest value of a column, gathered block by block. */
#include "parquet/bounds.h"

#include <math.h>

enum { LANES = 4 }; /* independent comparisons, so that no value waits for the one before */

void rwl_parquet_bounds_init(rwl_parquet_bounds *b, const rwl_env *env, rwl_parquet_order order) {
    memset(b, 0, sizeof *b);
    b->order = order;
    rwl_buf_init(&b->low, env, INT32_MAX);
    rwl_buf_init(&b->high, env, INT32_MAX);
}

void rwl_parquet_bounds_clear(rwl_parquet_bounds *b) {
    rwl_buf_clear(&b->low);
    rwl_buf_clear(&b->high);
    b->seen = false;
}

void rwl_parquet_bounds_reset(rwl_parquet_bounds *b) {
    b->seen = false;
}

/* --- taking a pair of candidates in --- */

static void take_integers(rwl_parquet_bounds *b, int64_t low, int64_t high) {
    b->as.i.low = b->seen && b->as.i.low < low ? b->as.i.low : low;
    b->as.i.high = b->seen && b->as.i.high > high ? b->as.i.high : high;
    b->seen = true;
}

static void take_floats(rwl_parquet_bounds *b, double low, double high) {
    if (low > high)
        return; /* nothing but NaN */
    b->as.f.low = b->seen && b->as.f.low < low ? b->as.f.low : low;
    b->as.f.high = b->seen && b->as.f.high > high ? b->as.f.high : high;
    b->seen = true;
}

static void take_decimals(rwl_parquet_bounds *b, rwl_i128 low, rwl_i128 high) {
    b->as.d.low = b->seen && b->as.d.low < low ? b->as.d.low : low;
    b->as.d.high = b->seen && b->as.d.high > high ? b->as.d.high : high;
    b->seen = true;
}

static rwl_status take_bytes(rwl_parquet_bounds *b, rwl_span low, rwl_span high, rwl_error *err) {
    if (!b->seen || rwl_span_compare(low, rwl_buf_span(&b->low)) < 0) {
        rwl_buf_reset(&b->low);
        RWL_TRY(rwl_buf_append(&b->low, low.data, low.len, err));
    }
    if (!b->seen || rwl_span_compare(high, rwl_buf_span(&b->high)) > 0) {
        rwl_buf_reset(&b->high);
        RWL_TRY(rwl_buf_append(&b->high, high.data, high.len, err));
    }
    b->seen = true;
    return RWL_OK;
}

/* --- blocks --- */

#define DEFINE_SCAN(name, type, lowest, highest)                                                             \
    static void name(const uint8_t *values, size_t count, type *low_out, type *high_out) {                   \
        type low[LANES], high[LANES], v;                                                                     \
        for (int k = 0; k < LANES; k++) {                                                                    \
            low[k] = highest;                                                                                \
            high[k] = lowest;                                                                                \
        }                                                                                                    \
        size_t i = 0;                                                                                        \
        for (; i + LANES <= count; i += LANES)                                                               \
            for (size_t k = 0; k < LANES; k++) {                                                             \
                memcpy(&v, values + (i + k) * sizeof v, sizeof v);                                           \
                low[k] = v < low[k] ? v : low[k];                                                            \
                high[k] = v > high[k] ? v : high[k];                                                         \
            }                                                                                                \
        for (; i < count; i++) {                                                                             \
            memcpy(&v, values + i * sizeof v, sizeof v);                                                     \
            low[0] = v < low[0] ? v : low[0];                                                                \
            high[0] = v > high[0] ? v : high[0];                                                             \
        }                                                                                                    \
        for (int k = 1; k < LANES; k++) {                                                                    \
            low[0] = low[k] < low[0] ? low[k] : low[0];                                                      \
            high[0] = high[k] > high[0] ? high[k] : high[0];                                                 \
        }                                                                                                    \
        *low_out = low[0];                                                                                   \
        *high_out = high[0];                                                                                 \
    }

DEFINE_SCAN(scan_i32, int32_t, INT32_MIN, INT32_MAX)
DEFINE_SCAN(scan_i64, int64_t, INT64_MIN, INT64_MAX)
DEFINE_SCAN(scan_f32, float, -INFINITY, INFINITY) /* every comparison with NaN is false */
DEFINE_SCAN(scan_f64, double, -INFINITY, INFINITY)

static inline rwl_i128 load_be(const uint8_t *p, size_t width) {
    rwl_u128 v = (p[0] & 0x80) != 0 ? ~(rwl_u128)0 : 0;
    for (size_t i = 0; i < width; i++)
        v = v << 8 | p[i];
    return (rwl_i128)v;
}

static void scan_decimals(rwl_parquet_bounds *b, const uint8_t *values, size_t count, size_t width) {
    rwl_i128 low = load_be(values, width), high = low;
    for (size_t i = 1; i < count; i++) {
        rwl_i128 v = load_be(values + i * width, width);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    take_decimals(b, low, high);
}

/* The first 8 bytes as a number of the same order; shorter values are filled up with zeros. */
static inline uint64_t prefix_of(const uint8_t *p, size_t len) {
    uint64_t v = 0;
    if (len >= 8) {
        memcpy(&v, p, 8);
        return __builtin_bswap64(v);
    }
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)p[i] << (56 - 8 * i);
    return v;
}

static rwl_status scan_fixed(rwl_parquet_bounds *b, const uint8_t *values, size_t count, size_t width,
                             rwl_error *err) {
    const uint8_t *low = values, *high = values;
    uint64_t low_prefix = prefix_of(values, width), high_prefix = low_prefix;
    for (size_t i = 1; i < count; i++) {
        const uint8_t *p = values + i * width;
        uint64_t prefix = prefix_of(p, width);
        if (prefix <= low_prefix && (prefix < low_prefix || memcmp(p, low, width) < 0)) {
            low = p;
            low_prefix = prefix;
        }
        if (prefix >= high_prefix && (prefix > high_prefix || memcmp(p, high, width) > 0)) {
            high = p;
            high_prefix = prefix;
        }
    }
    return take_bytes(b, rwl_span_of(low, width), rwl_span_of(high, width), err);
}

rwl_status rwl_parquet_bounds_add_fixed(rwl_parquet_bounds *b, const uint8_t *values, size_t count,
                                        size_t width, rwl_error *err) {
    int32_t low_i32, high_i32;
    int64_t low_i64, high_i64;
    float low_f32, high_f32;
    double low_f64, high_f64;
    if (count == 0)
        return RWL_OK;
    switch (b->order) {
    case RWL_PARQUET_ORDER_INT32:
        scan_i32(values, count, &low_i32, &high_i32);
        take_integers(b, low_i32, high_i32);
        return RWL_OK;
    case RWL_PARQUET_ORDER_INT64:
        scan_i64(values, count, &low_i64, &high_i64);
        take_integers(b, low_i64, high_i64);
        return RWL_OK;
    case RWL_PARQUET_ORDER_FLOAT:
        scan_f32(values, count, &low_f32, &high_f32);
        take_floats(b, (double)low_f32, (double)high_f32);
        return RWL_OK;
    case RWL_PARQUET_ORDER_DOUBLE:
        scan_f64(values, count, &low_f64, &high_f64);
        take_floats(b, low_f64, high_f64);
        return RWL_OK;
    case RWL_PARQUET_ORDER_DECIMAL:
        scan_decimals(b, values, count, width);
        return RWL_OK;
    case RWL_PARQUET_ORDER_FIXED:
        return scan_fixed(b, values, count, width, err);
    default:
        return rwl_fail(err, RWL_INTERNAL, "bounds of order %d have no fixed width", (int)b->order);
    }
}

rwl_status rwl_parquet_bounds_add_bytes(rwl_parquet_bounds *b, const uint8_t *bytes, const int32_t *starts,
                                        const int32_t *ends, size_t count, rwl_error *err) {
    if (count == 0 || b->order == RWL_PARQUET_ORDER_NONE)
        return RWL_OK;
    rwl_span low = rwl_span_of(bytes + starts[0], (size_t)(ends[0] - starts[0])), high = low;
    uint64_t low_prefix = prefix_of(low.data, low.len), high_prefix = low_prefix;
    for (size_t i = 1; i < count; i++) {
        rwl_span v = rwl_span_of(bytes + starts[i], (size_t)(ends[i] - starts[i]));
        uint64_t prefix = prefix_of(v.data, v.len);
        if (prefix <= low_prefix && (prefix < low_prefix || rwl_span_compare(v, low) < 0)) {
            low = v;
            low_prefix = prefix;
        }
        if (prefix >= high_prefix && (prefix > high_prefix || rwl_span_compare(v, high) > 0)) {
            high = v;
            high_prefix = prefix;
        }
    }
    return take_bytes(b, low, high, err);
}

void rwl_parquet_bounds_add_booleans(rwl_parquet_bounds *b, size_t true_count, size_t false_count) {
    if (true_count + false_count > 0)
        take_integers(b, false_count == 0, true_count > 0);
}

rwl_status rwl_parquet_bounds_merge(rwl_parquet_bounds *into, const rwl_parquet_bounds *from,
                                    rwl_error *err) {
    if (!from->seen)
        return RWL_OK;
    switch (into->order) {
    case RWL_PARQUET_ORDER_BOOLEAN:
    case RWL_PARQUET_ORDER_INT32:
    case RWL_PARQUET_ORDER_INT64:
        take_integers(into, from->as.i.low, from->as.i.high);
        return RWL_OK;
    case RWL_PARQUET_ORDER_FLOAT:
    case RWL_PARQUET_ORDER_DOUBLE:
        take_floats(into, from->as.f.low, from->as.f.high);
        return RWL_OK;
    case RWL_PARQUET_ORDER_DECIMAL:
        take_decimals(into, from->as.d.low, from->as.d.high);
        return RWL_OK;
    case RWL_PARQUET_ORDER_FIXED:
    case RWL_PARQUET_ORDER_BYTES:
        break;
    case RWL_PARQUET_ORDER_NONE:
        return RWL_OK;
    }
    return take_bytes(into, rwl_buf_span(&from->low), rwl_buf_span(&from->high), err);
}

static inline size_t count_nan_f32(const uint8_t *values, size_t count) {
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        float v;
        memcpy(&v, values + i * 4, 4);
        n += v != v;
    }
    return n;
}

static inline size_t count_nan_f64(const uint8_t *values, size_t count) {
    uint64_t n = 0;
    for (size_t i = 0; i < count; i++) {
        double v;
        memcpy(&v, values + i * 8, 8);
        n += v != v;
    }
    return n;
}

size_t rwl_parquet_nan_count(const uint8_t *values, size_t count, size_t width) {
    return width == 4 ? count_nan_f32(values, count) : count_nan_f64(values, count);
}

/* --- results --- */

static double zero_bound(double v, double zero) {
    return v == 0 ? zero : v;
}

static rwl_value value_of(const rwl_parquet_bounds *b, const rwl_type *type, bool upper) {
    rwl_value v = rwl_value_null(type->kind);
    int64_t i = upper ? b->as.i.high : b->as.i.low;
    v.is_null = false;
    if (type->kind == RWL_TYPE_DECIMAL) {
        rwl_i128 d =
            b->order == RWL_PARQUET_ORDER_DECIMAL ? (upper ? b->as.d.high : b->as.d.low) : (rwl_i128)i;
        v.as.i128 = d;
        return v;
    }
    switch (b->order) {
    case RWL_PARQUET_ORDER_BOOLEAN:
        v.as.b = i != 0;
        break;
    case RWL_PARQUET_ORDER_INT32:
        v.as.i32 = (int32_t)i;
        break;
    case RWL_PARQUET_ORDER_INT64:
        v.as.i64 = i;
        break;
    case RWL_PARQUET_ORDER_FLOAT:
        v.as.f32 = (float)(upper ? zero_bound(b->as.f.high, 0.0) : zero_bound(b->as.f.low, -0.0));
        break;
    case RWL_PARQUET_ORDER_DOUBLE:
        v.as.f64 = upper ? zero_bound(b->as.f.high, 0.0) : zero_bound(b->as.f.low, -0.0);
        break;
    default:
        v.as.bytes = rwl_buf_span(upper ? &b->high : &b->low);
        break;
    }
    return v;
}

void rwl_parquet_bounds_values(const rwl_parquet_bounds *b, const rwl_type *type, rwl_value *lower,
                               rwl_value *upper) {
    *lower = value_of(b, type, false);
    *upper = value_of(b, type, true);
}

/* --- statistics --- */

/* Length of the longest prefix of at most STAT_BYTES that ends at a code point border. */
static size_t cut_text(rwl_span v) {
    size_t len = RWL_PARQUET_STAT_BYTES;
    for (int back = 0; back < 3 && len > 0 && (v.data[len] & 0xC0) == 0x80; back++)
        len--;
    return len;
}

/* Bytes of the code point whose first byte is `lead`; 0 when none starts so. */
static size_t text_len(uint8_t lead) {
    return lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
}

/* The next code point, in as many bytes, over the `n` bytes at `p`; false when there is none or these are no
 * text. */
static bool increment_point(uint8_t *p, size_t n) {
    static const uint8_t lead_bits[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    if (n > 4 || text_len(p[0]) != n)
        return false;
    uint32_t point = p[0] & lead_bits[n];
    for (size_t i = 1; i < n; i++)
        point = point << 6 | (p[i] & 0x3Fu);
    point++;
    if (point >= 0xD800 && point <= 0xDFFF)
        point = 0xE000;
    if (point > 0x10FFFF || n != (point < 0x80 ? 1u : point < 0x800 ? 2u : point < 0x10000 ? 3u : 4u))
        return false;
    for (size_t i = n; i-- > 1; point >>= 6)
        p[i] = (uint8_t)(0x80 | (point & 0x3F));
    p[0] = (uint8_t)(point | (p[0] & (uint8_t)~lead_bits[n]));
    return true;
}

/* Makes the last code point of the `*len` bytes greater, dropping those that can't be; false when none can.
 */
static bool increment_text(uint8_t *p, size_t *len) {
    while (*len > 0) {
        size_t at = *len - 1;
        while (at > 0 && (p[at] & 0xC0) == 0x80)
            at--;
        if (increment_point(p + at, *len - at))
            return true;
        *len = at;
    }
    return false;
}

static bool increment_bytes(uint8_t *p, size_t *len) {
    while (*len > 0 && p[*len - 1] == 0xFF)
        --*len;
    if (*len == 0)
        return false;
    p[*len - 1]++;
    return true;
}

static rwl_status stat_bytes(rwl_span v, const rwl_parquet_shape *shape, bool is_text, bool upper,
                             rwl_parquet_stat_bound *out, rwl_error *err) {
    if (v.len <= RWL_PARQUET_STAT_BYTES)
        return rwl_buf_append(&out->bytes, v.data, v.len, err);
    out->exact = false;
    if (shape->physical == RWL_PARQUET_FIXED) {
        out->present = false;
        return RWL_OK;
    }
    size_t len = is_text ? cut_text(v) : RWL_PARQUET_STAT_BYTES;
    RWL_TRY(rwl_buf_append(&out->bytes, v.data, len, err));
    if (upper) {
        out->present =
            is_text ? increment_text(out->bytes.data, &len) : increment_bytes(out->bytes.data, &len);
        out->bytes.len = len;
    }
    return RWL_OK;
}

static rwl_status stat_of(const rwl_parquet_bounds *b, const rwl_parquet_shape *shape, bool is_text,
                          bool upper, rwl_parquet_stat_bound *out, rwl_error *err) {
    rwl_value v;
    uint8_t be[16];
    uint32_t bits;
    int64_t i = upper ? b->as.i.high : b->as.i.low;
    out->present = out->exact = true;
    switch (b->order) {
    case RWL_PARQUET_ORDER_BOOLEAN:
        return rwl_buf_u8(&out->bytes, (uint8_t)i, err);
    case RWL_PARQUET_ORDER_INT32:
        return rwl_buf_le32(&out->bytes, (uint32_t)i, err);
    case RWL_PARQUET_ORDER_INT64:
        return rwl_buf_le64(&out->bytes, (uint64_t)i, err);
    case RWL_PARQUET_ORDER_FLOAT:
        v = value_of(b, &(rwl_type){.kind = RWL_TYPE_FLOAT}, upper);
        memcpy(&bits, &v.as.f32, sizeof bits);
        return rwl_buf_le32(&out->bytes, bits, err);
    case RWL_PARQUET_ORDER_DOUBLE:
        v = value_of(b, &(rwl_type){.kind = RWL_TYPE_DOUBLE}, upper);
        return rwl_buf_append(&out->bytes, &v.as.f64, sizeof v.as.f64, err);
    case RWL_PARQUET_ORDER_DECIMAL: {
        rwl_u128 d = (rwl_u128)(upper ? b->as.d.high : b->as.d.low);
        for (size_t k = shape->width; k-- > 0; d >>= 8)
            be[k] = (uint8_t)d;
        return rwl_buf_append(&out->bytes, be, shape->width, err);
    }
    default:
        return stat_bytes(rwl_buf_span(upper ? &b->high : &b->low), shape, is_text, upper, out, err);
    }
}

rwl_status rwl_parquet_bounds_stats(const rwl_parquet_bounds *b, const rwl_parquet_shape *shape, bool is_text,
                                    rwl_parquet_stat_bound *min, rwl_parquet_stat_bound *max,
                                    rwl_error *err) {
    rwl_buf_reset(&min->bytes);
    rwl_buf_reset(&max->bytes);
    min->present = max->present = false;
    if (!b->seen)
        return RWL_OK;
    RWL_TRY(stat_of(b, shape, is_text, false, min, err));
    return stat_of(b, shape, is_text, true, max, err);
}
