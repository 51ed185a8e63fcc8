/* SPDX-License-Identifier: Apache-2.0 */
/* Column statistics: which bounds a footer's writer can be trusted with, and their values. */
#include "parquet/footer.h"

#include "parquet/thrift_field.h"

#include <math.h>

/* The deprecated pair was compared as signed numbers and bytes (parquet.thrift, Statistics): right for these. */
static bool has_signed_order(const rwl_parquet_leaf *leaf) {
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
    case RWL_PARQUET_FLOAT:
    case RWL_PARQUET_DOUBLE:
        return true;
    case RWL_PARQUET_INT64:
        return !leaf->is_unsigned;
    case RWL_PARQUET_INT32:
        return leaf->field.type.kind != RWL_TYPE_LONG; /* unsigned */
    default:
        return false;
    }
}

rwl_status rwl_parquet_stats_parse(rwl_cursor *c, rwl_parquet_stats *out, rwl_error *err) {
    *out = (rwl_parquet_stats){.null_count = -1, .nan_count = -1, .min_is_exact = true, .max_is_exact = true};
    rwl_span old_min = {NULL, 0}, old_max = {NULL, 0};
    const rwl_parquet_target targets[] = {{1, .bytes = &old_max},          {2, .bytes = &old_min},
                                          {3, .i64 = &out->null_count},    {5, .bytes = &out->max},
                                          {6, .bytes = &out->min},         {7, .flag = &out->max_is_exact},
                                          {8, .flag = &out->min_is_exact}, {9, .i64 = &out->nan_count}};
    RWL_TRY(rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err));
    if (out->null_count < -1)
        out->null_count = -1;
    if (out->nan_count < -1)
        out->nan_count = -1;
    out->is_old = !out->min.data && !out->max.data && (old_min.data || old_max.data);
    if (out->is_old) {
        out->min = old_min;
        out->max = old_max;
        out->min_is_exact = out->max_is_exact = true;
    }
    return RWL_OK;
}

/* A number at *text, which moves behind it; -1 for none. */
static int take_number(const char **text) {
    int n = -1;
    for (; **text >= '0' && **text <= '9' && n < 100000; (*text)++)
        n = (n < 0 ? 0 : n) * 10 + (**text - '0');
    return n;
}

/* "parquet-mr version 1.8.0 (build …)", also "1.5.0-cdh5.5.0", which has the repair. */
bool rwl_parquet_stats_corrupt(const char *created_by) {
    static const char ours[] = "parquet-mr", version[] = " version ";
    if (created_by[0] == 0)
        return true;
    if (strncmp(created_by, ours, sizeof ours - 1) != 0)
        return false;
    const char *at = strstr(created_by, version);
    if (!at)
        return true;
    at += sizeof version - 1;
    int major = take_number(&at);
    int minor = *at == '.' ? (at++, take_number(&at)) : -1;
    if (major < 0 || minor < 0)
        return true;
    if (major > 1 || minor >= 8)
        return false;
    const char *cdh = strstr(at, "-cdh");
    if (major != 1 || minor != 5 || !cdh)
        return true;
    at = cdh + 4;
    major = take_number(&at);
    minor = *at == '.' ? (at++, take_number(&at)) : -1;
    return major < 5 || (major == 5 && minor < 5);
}

/* "If the min is +0, the row group may contain -0 values as well", and the other way round for max. */
static void widen_zero(rwl_span *bound, bool is_max) {
    static const uint8_t plus[8] = {0}, minus_half[2] = {0, 0x80}, minus_float[4] = {0, 0, 0, 0x80},
                         minus_double[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    const uint8_t *minus = bound->len == 2 ? minus_half : bound->len == 4 ? minus_float : minus_double;
    if (bound->data && (bound->len == 2 || bound->len == 4 || bound->len == 8) &&
        (memcmp(bound->data, plus, bound->len) == 0 || memcmp(bound->data, minus, bound->len) == 0))
        bound->data = is_max ? plus : minus;
}

static bool is_floating(const rwl_parquet_leaf *leaf) {
    return leaf->field.type.kind == RWL_TYPE_FLOAT || leaf->field.type.kind == RWL_TYPE_DOUBLE;
}

/* What the writer said of the order of its bounds, and whether it was right for the type. */
static bool is_ordered(const rwl_parquet_leaf *leaf, const rwl_parquet_stats *stats) {
    if (stats->is_old) /* one value alone is in any order */
        return has_signed_order(leaf) ||
               (stats->min.data && stats->max.data && rwl_span_equal(stats->min, stats->max));
    switch (leaf->order) {
    case RWL_PARQUET_BOUNDS_NONE:
        return has_signed_order(leaf);
    case RWL_PARQUET_BOUNDS_TYPED:
        return true;
    case RWL_PARQUET_BOUNDS_IEEE:
        return is_floating(leaf);
    default:
        return false;
    }
}

/* True when a bound is no value (NaN, another length), or the lower one is above the upper one. */
static bool is_nonsense(const rwl_parquet_leaf *leaf, const rwl_parquet_stats *stats) {
    rwl_value min, max;
    bool has_min = rwl_parquet_stats_value(leaf, stats->min, &min);
    bool has_max = rwl_parquet_stats_value(leaf, stats->max, &max);
    return has_min != (stats->min.data != NULL) || has_max != (stats->max.data != NULL) ||
           (has_min && has_max && rwl_value_compare(&min, &max) > 0);
}

void rwl_parquet_stats_settle(const rwl_parquet_leaf *leaf, rwl_parquet_stats *stats) {
    bool is_usable = is_ordered(leaf, stats);
    if (is_usable && is_floating(leaf)) {
        widen_zero(&stats->min, false);
        widen_zero(&stats->max, true);
    }
    /* below lists and maps only the writer's word is known */
    bool is_told = leaf->max_repetition == 0 && !leaf->unsupported;
    if (!is_usable || (is_told && is_nonsense(leaf, stats)))
        stats->min = stats->max = (rwl_span){NULL, 0};
}

/* Bytes of the stored type in little endian as a signed number. */
static bool stored_int(const rwl_parquet_leaf *leaf, rwl_span bound, int64_t *out) {
    if (leaf->physical == RWL_PARQUET_INT32 && bound.len == 4)
        *out = (int32_t)rwl_load_le32(bound.data);
    else if (leaf->physical == RWL_PARQUET_INT64 && bound.len == 8)
        *out = (int64_t)rwl_load_le64(bound.data);
    else
        return false;
    return true;
}

static bool decimal_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    int64_t v;
    if (leaf->physical == RWL_PARQUET_BYTE_ARRAY || leaf->physical == RWL_PARQUET_FIXED)
        return bound.len > 0 &&
               (leaf->physical == RWL_PARQUET_BYTE_ARRAY || bound.len == (size_t)leaf->type_length) &&
               rwl_i128_from_be(bound, &out->as.i128);
    if (!stored_int(leaf, bound, &v))
        return false;
    out->as.i128 = leaf->is_unsigned ? (rwl_i128)(uint64_t)v : (rwl_i128)v;
    return true;
}

/* A whole number in the unit it is read in. */
static bool int_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    int64_t v;
    if (!stored_int(leaf, bound, &v))
        return false;
    if (leaf->physical == RWL_PARQUET_INT32 && out->kind == RWL_TYPE_LONG && !leaf->millis)
        v = (int64_t)(uint32_t)v;
    if (leaf->millis && !rwl_i64_mul(v, 1000, &v))
        return false;
    bool is_narrow = out->kind == RWL_TYPE_INT || out->kind == RWL_TYPE_DATE;
    if (is_narrow && (v < INT32_MIN || v > INT32_MAX))
        return false;
    if (is_narrow)
        out->as.i32 = (int32_t)v;
    else
        out->as.i64 = v;
    return true;
}

static float float_of_half(uint32_t half) {
    uint32_t exponent = (half >> 10) & 0x1f, fraction = half & 0x3ff;
    float v = exponent == 0x1f ? (fraction ? NAN : INFINITY)
              : exponent == 0  ? ldexpf((float)fraction, -24)
                               : ldexpf((float)(fraction | 0x400), (int)exponent - 25);
    return half & 0x8000 ? -v : v;
}

static bool float_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    if (leaf->physical == RWL_PARQUET_FIXED && bound.len == 2) {
        out->as.f32 = float_of_half(rwl_load_le16(bound.data));
        return !isnan(out->as.f32);
    }
    if (leaf->physical == RWL_PARQUET_FLOAT && bound.len == 4) {
        uint32_t bits = rwl_load_le32(bound.data);
        memcpy(&out->as.f32, &bits, 4);
        return !isnan(out->as.f32);
    }
    if (leaf->physical != RWL_PARQUET_DOUBLE || bound.len != 8)
        return false;
    uint64_t bits = rwl_load_le64(bound.data);
    memcpy(&out->as.f64, &bits, 8);
    return !isnan(out->as.f64);
}

static bool is_bytes_kind(rwl_type_kind kind) {
    return kind == RWL_TYPE_STRING || kind == RWL_TYPE_BINARY || kind == RWL_TYPE_UUID ||
           kind == RWL_TYPE_FIXED;
}

bool rwl_parquet_stats_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    if (!bound.data || leaf->unsupported || leaf->max_repetition > 0 || leaf->physical == RWL_PARQUET_INT96)
        return false; /* INT96 has no order but one that few writers know */
    memset(out, 0, sizeof *out);
    out->kind = leaf->field.type.kind;
    if (out->kind == RWL_TYPE_DECIMAL)
        return decimal_value(leaf, bound, out);
    if (out->kind == RWL_TYPE_FLOAT || out->kind == RWL_TYPE_DOUBLE)
        return float_value(leaf, bound, out);
    if (leaf->physical == RWL_PARQUET_BOOLEAN) {
        out->as.b = bound.len == 1 && bound.data[0] != 0;
        return bound.len == 1;
    }
    if (leaf->physical == RWL_PARQUET_INT32 || leaf->physical == RWL_PARQUET_INT64)
        return int_value(leaf, bound, out);
    if (!is_bytes_kind(out->kind) ||
        (leaf->physical == RWL_PARQUET_FIXED && bound.len != (size_t)leaf->type_length))
        return false; /* geometries and variants have no order */
    out->as.bytes = bound;
    return true;
}
