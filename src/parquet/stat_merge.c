/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics being added up: pages to a chunk, chunks to a file. */
#include "parquet/stat_merge.h"

#include <math.h>

static int64_t load_integer(rwl_span s) {
    return s.len == 4 ? (int32_t)rwl_load_le32(s.data) : (int64_t)rwl_load_le64(s.data);
}

static double load_float(rwl_span s) {
    float f;
    double d;
    if (s.len == 4) {
        memcpy(&f, s.data, sizeof f);
        return (double)f;
    }
    memcpy(&d, s.data, sizeof d);
    return d;
}

static int compare_decimals(rwl_span a, rwl_span b) {
    rwl_i128 x = 0, y = 0;
    (void)(rwl_i128_from_be(a, &x) && rwl_i128_from_be(b, &y)); /* of the leaf's width, 16 at most */
    return (x > y) - (x < y);
}

int rwl_parquet_stat_compare(const rwl_parquet_write_leaf *leaf, rwl_span a, rwl_span b) {
    switch (leaf->shape.order) {
    case RWL_PARQUET_ORDER_INT32:
    case RWL_PARQUET_ORDER_INT64: {
        int64_t x = load_integer(a), y = load_integer(b);
        return (x > y) - (x < y);
    }
    case RWL_PARQUET_ORDER_FLOAT:
    case RWL_PARQUET_ORDER_DOUBLE: {
        double x = load_float(a), y = load_float(b);
        return (x > y) - (x < y);
    }
    case RWL_PARQUET_ORDER_DECIMAL:
        return compare_decimals(a, b);
    default:
        return rwl_span_compare(a, b);
    }
}

bool rwl_parquet_stat_ordered(const rwl_parquet_write_leaf *leaf) {
    return leaf->shape.order != RWL_PARQUET_ORDER_NONE;
}

void rwl_parquet_stat_sum_init(rwl_parquet_stat_sum *s, const rwl_env *env,
                               const rwl_parquet_write_leaf *leaf) {
    memset(s, 0, sizeof *s);
    s->leaf = leaf;
    rwl_buf_init(&s->min.bound.bytes, env, INT32_MAX);
    rwl_buf_init(&s->max.bound.bytes, env, INT32_MAX);
    rwl_buf_init(&s->low.bytes, env, INT32_MAX);
    rwl_buf_init(&s->high.bytes, env, INT32_MAX);
}

void rwl_parquet_stat_sum_clear(rwl_parquet_stat_sum *s) {
    rwl_buf_clear(&s->min.bound.bytes);
    rwl_buf_clear(&s->max.bound.bytes);
    rwl_buf_clear(&s->low.bytes);
    rwl_buf_clear(&s->high.bytes);
}

void rwl_parquet_stat_sum_reset(rwl_parquet_stat_sum *s) {
    s->min.unknown = s->max.unknown = false;
    s->min.bound.present = s->max.bound.present = false;
}

/* --- one bound --- */

/* Bytes a bound of this order has; 0: any number. */
static size_t bound_width(const rwl_parquet_shape *shape) {
    return shape->order == RWL_PARQUET_ORDER_BOOLEAN ? 1 : shape->width;
}

static rwl_span widen_zero(rwl_span bound, bool is_max) {
    static const uint8_t plus[8] = {0}, minus_float[4] = {0, 0, 0, 0x80},
                         minus_double[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    const uint8_t *minus = bound.len == 4 ? minus_float : minus_double;
    return rwl_span_of(is_max ? plus : minus, bound.len);
}

/* Cuts by the writer's own rules, as the bounds of a column that holds this value alone. */
static rwl_status cut(rwl_parquet_stat_sum *s, rwl_span bytes, bool is_max, rwl_span *out, rwl_error *err) {
    const rwl_parquet_shape *shape = &s->leaf->shape;
    bool is_text = s->leaf->field->type.kind == RWL_TYPE_STRING;
    int32_t start = 0, end = (int32_t)bytes.len; /* thrift's binaries are shorter than 2^31 */
    rwl_parquet_bounds value;
    rwl_parquet_bounds_init(&value, s->low.bytes.env, shape->order);
    rwl_status st = shape->order == RWL_PARQUET_ORDER_FIXED
                        ? rwl_parquet_bounds_add_fixed(&value, bytes.data, 1, bytes.len, err)
                        : rwl_parquet_bounds_add_bytes(&value, bytes.data, &start, &end, 1, err);
    if (st == RWL_OK)
        st = rwl_parquet_bounds_stats(&value, shape, is_text, &s->low, &s->high, err);
    rwl_parquet_bounds_clear(&value);
    const rwl_parquet_stat_bound *b = is_max ? &s->high : &s->low;
    *out = b->present ? rwl_parquet_stat_span(b) : rwl_span_of(NULL, 0);
    return st;
}

rwl_status rwl_parquet_stat_trim(rwl_parquet_stat_sum *s, rwl_span bytes, bool is_max, rwl_span *out,
                                 bool *exact, rwl_error *err) {
    const rwl_parquet_shape *shape = &s->leaf->shape;
    size_t width = bound_width(shape);
    *out = rwl_span_of(NULL, 0);
    if (bytes.data == NULL || !rwl_parquet_stat_ordered(s->leaf) || (width != 0 && bytes.len != width))
        return RWL_OK;
    if (shape->order == RWL_PARQUET_ORDER_FLOAT || shape->order == RWL_PARQUET_ORDER_DOUBLE) {
        double v = load_float(bytes);
        if (!isnan(v))
            *out = v == 0 ? widen_zero(bytes, is_max) : bytes;
        return RWL_OK;
    }
    if (bytes.len > RWL_PARQUET_STAT_BYTES) {
        *exact = false;
        return cut(s, bytes, is_max, out, err);
    }
    *out = bytes;
    return RWL_OK;
}

rwl_status rwl_parquet_stat_take(rwl_parquet_stat_sum *s, rwl_span bytes, bool is_max, bool exact,
                                 rwl_error *err) {
    rwl_parquet_stat_side *side = is_max ? &s->max : &s->min;
    rwl_parquet_stat_bound *bound = &side->bound;
    if (bytes.data == NULL)
        side->unknown = true;
    if (side->unknown)
        return RWL_OK;
    if (bound->present) {
        int order = rwl_parquet_stat_compare(s->leaf, bytes, rwl_buf_span(&bound->bytes));
        bound->exact |= order == 0 && exact;
        if (is_max ? order <= 0 : order >= 0)
            return RWL_OK;
    }
    rwl_buf_reset(&bound->bytes);
    RWL_TRY(rwl_buf_append(&bound->bytes, bytes.data, bytes.len, err));
    bound->present = true;
    bound->exact = exact;
    return RWL_OK;
}

static rwl_status merge_side(rwl_parquet_stat_sum *into, const rwl_parquet_stat_side *from, bool is_max,
                             rwl_error *err) {
    if (from->unknown)
        return rwl_parquet_stat_take(into, rwl_span_of(NULL, 0), is_max, false, err);
    if (!from->bound.present)
        return RWL_OK;
    return rwl_parquet_stat_take(into, rwl_parquet_stat_span(&from->bound), is_max, from->bound.exact, err);
}

rwl_status rwl_parquet_stat_merge(rwl_parquet_stat_sum *into, const rwl_parquet_stat_sum *from,
                                  rwl_error *err) {
    RWL_TRY(merge_side(into, &from->min, false, err));
    return merge_side(into, &from->max, true, err);
}

bool rwl_parquet_stat_value(const rwl_parquet_write_leaf *leaf, rwl_span bytes, rwl_value *out) {
    rwl_parquet_leaf as = {
        .field = *leaf->field, .physical = leaf->shape.physical, .type_length = leaf->shape.type_length};
    return rwl_parquet_stats_value(&as, bytes, out);
}
