/* SPDX-License-Identifier: Apache-2.0 */
/* Column statistics: which bounds a footer's writer can be trusted with, and their values. */
#include "parquet/footer.h"

#include <math.h>

/* The deprecated pair was compared as signed numbers and bytes (parquet.thrift, Statistics): right for these. */
static bool has_signed_order(const rwl_parquet_leaf *leaf) {
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
    case RWL_PARQUET_INT64:
    case RWL_PARQUET_FLOAT:
    case RWL_PARQUET_DOUBLE:
        return true;
    case RWL_PARQUET_INT32:
        return leaf->field.type.kind != RWL_TYPE_LONG; /* unsigned */
    default:
        return false;
    }
}

typedef struct both_pairs {
    rwl_span old_min, old_max, min, max;
} both_pairs;

static rwl_status read_stats_field(rwl_cursor *c, rwl_thrift_field f, both_pairs *p, rwl_parquet_stats *out,
                                   rwl_error *err) {
    switch (f.id) {
    case 1:
        return rwl_parquet_field_binary(c, f, &p->old_max, err);
    case 2:
        return rwl_parquet_field_binary(c, f, &p->old_min, err);
    case 3:
        return rwl_parquet_field_i64(c, f, &out->null_count, err);
    case 5:
        return rwl_parquet_field_binary(c, f, &p->max, err);
    case 6:
        return rwl_parquet_field_binary(c, f, &p->min, err);
    case 7:
        return rwl_parquet_field_bool(c, f, &out->max_is_exact, err);
    case 8:
        return rwl_parquet_field_bool(c, f, &out->min_is_exact, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

rwl_status rwl_parquet_stats_parse(rwl_cursor *c, const rwl_parquet_leaf *leaf, rwl_parquet_stats *out,
                                   rwl_error *err) {
    memset(out, 0, sizeof *out);
    out->null_count = -1;
    out->min_is_exact = out->max_is_exact = true;
    both_pairs p;
    memset(&p, 0, sizeof p);
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f;
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            break;
        RWL_TRY(read_stats_field(c, f, &p, out, err));
    }
    if (out->null_count < -1)
        out->null_count = -1;
    bool use_old = has_signed_order(leaf);
    out->min = p.min.data || !use_old ? p.min : p.old_min;
    out->max = p.max.data || !use_old ? p.max : p.old_max;
    return RWL_OK;
}

/* "If the min is +0, the row group may contain -0 values as well", and the other way round for max. */
static void widen_zero(rwl_span *bound, bool is_max) {
    static const uint8_t plus[8] = {0}, minus_float[4] = {0, 0, 0, 0x80},
                         minus_double[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    const uint8_t *minus = bound->len == 4 ? minus_float : minus_double;
    if (bound->data && (bound->len == 4 || bound->len == 8) &&
        (memcmp(bound->data, plus, bound->len) == 0 || memcmp(bound->data, minus, bound->len) == 0))
        bound->data = is_max ? plus : minus;
}

static bool is_nan(const rwl_parquet_leaf *leaf, rwl_span bound) {
    rwl_value ignored;
    return bound.data && !rwl_parquet_stats_value(leaf, bound, &ignored);
}

void rwl_parquet_stats_settle(const rwl_parquet_leaf *leaf, bool typed_order, rwl_parquet_stats *stats) {
    if (!typed_order && !has_signed_order(leaf))
        stats->min = stats->max = (rwl_span){NULL, 0};
    if (leaf->physical == RWL_PARQUET_FLOAT || leaf->physical == RWL_PARQUET_DOUBLE) {
        widen_zero(&stats->min, false);
        widen_zero(&stats->max, true);
        /* a NaN in one of them means that the other was compared with it */
        if (is_nan(leaf, stats->min) || is_nan(leaf, stats->max))
            stats->min = stats->max = (rwl_span){NULL, 0};
    }
}

static bool decimal_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    if (leaf->physical == RWL_PARQUET_INT32 && bound.len == 4)
        out->as.i128 = (int32_t)rwl_load_le32(bound.data);
    else if (leaf->physical == RWL_PARQUET_INT64 && bound.len == 8)
        out->as.i128 = (int64_t)rwl_load_le64(bound.data);
    else if (leaf->physical == RWL_PARQUET_BYTE_ARRAY || leaf->physical == RWL_PARQUET_FIXED)
        return bound.len > 0 && rwl_i128_from_be(bound, &out->as.i128);
    else
        return false;
    return true;
}

static bool int32_value(const rwl_parquet_leaf *leaf, uint32_t bits, rwl_value *out) {
    int32_t v = (int32_t)bits;
    if (leaf->field.type.kind == RWL_TYPE_LONG)
        out->as.i64 = bits;
    else if (leaf->millis)
        out->as.i64 = (int64_t)v * 1000;
    else
        out->as.i32 = v;
    return true;
}

static bool float_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    if (leaf->physical == RWL_PARQUET_FLOAT) {
        if (bound.len != 4)
            return false;
        uint32_t bits = rwl_load_le32(bound.data);
        memcpy(&out->as.f32, &bits, 4);
        return !isnan(out->as.f32);
    }
    if (bound.len != 8)
        return false;
    uint64_t bits = rwl_load_le64(bound.data);
    memcpy(&out->as.f64, &bits, 8);
    return !isnan(out->as.f64);
}

bool rwl_parquet_stats_value(const rwl_parquet_leaf *leaf, rwl_span bound, rwl_value *out) {
    if (!bound.data || leaf->unsupported || leaf->is_nested)
        return false;
    memset(out, 0, sizeof *out);
    out->kind = leaf->field.type.kind;
    if (out->kind == RWL_TYPE_DECIMAL)
        return decimal_value(leaf, bound, out);
    switch (leaf->physical) {
    case RWL_PARQUET_BOOLEAN:
        out->as.b = bound.len == 1 && bound.data[0] != 0;
        return bound.len == 1;
    case RWL_PARQUET_INT32:
        return bound.len == 4 && int32_value(leaf, rwl_load_le32(bound.data), out);
    case RWL_PARQUET_INT64:
        if (bound.len != 8)
            return false;
        out->as.i64 = (int64_t)rwl_load_le64(bound.data);
        return !leaf->millis || rwl_i64_mul(out->as.i64, 1000, &out->as.i64);
    case RWL_PARQUET_INT96:
        return false; /* its order is undefined */
    case RWL_PARQUET_FLOAT:
    case RWL_PARQUET_DOUBLE:
        return float_value(leaf, bound, out);
    case RWL_PARQUET_FIXED:
        if (bound.len != (size_t)leaf->type_length)
            return false;
        break;
    case RWL_PARQUET_BYTE_ARRAY:
        break;
    }
    out->as.bytes = bound;
    return true;
}
