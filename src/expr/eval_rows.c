/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons on rows: with a value, with another column, with a pattern, with null and NaN. */
#include "expr/eval_rows.h"

#include "column/bits.h"

/* --- bitmaps --- */

void rwl_rows_fill(uint64_t *bits, const rwl_evaluation *e, bool value) {
    memset(bits, value ? 0xFF : 0, e->words * 8);
}

uint64_t rwl_eval_load_word(const uint8_t *bits, size_t word, int64_t length) {
    int64_t left = length - (int64_t)word * 64;
    uint64_t out = 0;
    memcpy(&out, bits + word * 8, left >= 64 ? 8 : rwl_bits_bytes(left));
    return out;
}

void rwl_rows_keep_valid(const rwl_column *c, const rwl_evaluation *e, uint64_t *bits) {
    if (c->null_count == 0)
        return;
    for (size_t w = 0; w < e->words; w++)
        bits[w] &= rwl_eval_load_word(c->validity.data, w, e->length);
}

/* The operator as one of =, <, <= and a flip. For floats >, >= then hold for NaN, as they should. */
static rwl_relation base_op(rwl_relation op, bool *invert) {
    *invert = op == RWL_RELATION_NE || op == RWL_RELATION_GT || op == RWL_RELATION_GE;
    return *invert ? rwl_relation_negate(op) : op;
}

/* --- column op value --- */

#define COMPARE_ROWS(e, bits, op, x, v)                                                                      \
    do {                                                                                                     \
        bool invert_;                                                                                        \
        switch (base_op((op), &invert_)) {                                                                   \
        case RWL_RELATION_EQ:                                                                                \
            RWL_TEST_ROWS(e, bits, invert_, (x) == (v));                                                     \
            break;                                                                                           \
        case RWL_RELATION_LT:                                                                                \
            RWL_TEST_ROWS(e, bits, invert_, (x) < (v));                                                      \
            break;                                                                                           \
        default:                                                                                             \
            RWL_TEST_ROWS(e, bits, invert_, (x) <= (v));                                                     \
            break;                                                                                           \
        }                                                                                                    \
    } while (0)

static inline uint8_t equal_bytes(rwl_span a, rwl_span b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static void compare_bytes(const rwl_evaluation *e, const rwl_column *c, rwl_relation op, rwl_span v,
                          uint64_t *bits) {
    bool invert;
    size_t width = (size_t)rwl_type_width(&c->type);
    switch (base_op(op, &invert)) {
    case RWL_RELATION_EQ:
        RWL_TEST_ROWS(e, bits, invert, equal_bytes(rwl_row_bytes(c, width, i), v));
        break;
    case RWL_RELATION_LT:
        RWL_TEST_ROWS(e, bits, invert, rwl_span_compare(rwl_row_bytes(c, width, i), v) < 0);
        break;
    default:
        RWL_TEST_ROWS(e, bits, invert, rwl_span_compare(rwl_row_bytes(c, width, i), v) <= 0);
        break;
    }
}

static void compare_booleans(const rwl_evaluation *e, const rwl_column *c, rwl_relation op, bool v,
                             uint64_t *bits) {
    uint64_t for_false = rwl_relation_holds(op, 0 - (int)v) ? UINT64_MAX : 0;
    uint64_t for_true = rwl_relation_holds(op, 1 - (int)v) ? UINT64_MAX : 0;
    for (size_t w = 0; w < e->words; w++) {
        uint64_t x = rwl_eval_load_word(c->values.data, w, e->length);
        bits[w] = (x & for_true) | (~x & for_false);
    }
}

void rwl_rows_compare(const rwl_evaluation *e, const rwl_column *c, rwl_relation op, const rwl_value *v,
                      uint64_t *bits) {
    switch (c->type.kind) {
    case RWL_TYPE_BOOLEAN:
        compare_booleans(e, c, op, v->as.b, bits);
        return;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE: {
        const int32_t *x = rwl_column_i32(c);
        int32_t y = v->as.i32;
        COMPARE_ROWS(e, bits, op, x[i], y);
        return;
    }
    case RWL_TYPE_FLOAT: {
        const float *x = rwl_column_f32(c);
        float y = v->as.f32;
        COMPARE_ROWS(e, bits, op, x[i], y);
        return;
    }
    case RWL_TYPE_DOUBLE: {
        const double *x = rwl_column_f64(c);
        double y = v->as.f64;
        COMPARE_ROWS(e, bits, op, x[i], y);
        return;
    }
    case RWL_TYPE_DECIMAL: {
        const rwl_i128 *x = (const rwl_i128 *)(const void *)c->values.data;
        rwl_i128 y = v->as.i128;
        COMPARE_ROWS(e, bits, op, x[i], y);
        return;
    }
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        compare_bytes(e, c, op, v->as.bytes, bits);
        return;
    default: {
        const int64_t *x = rwl_column_i64(c);
        int64_t y = v->as.i64;
        COMPARE_ROWS(e, bits, op, x[i], y);
        return;
    }
    }
}

/* --- is nan --- */

void rwl_rows_test_nan(const rwl_evaluation *e, const rwl_column *c, uint64_t *bits) {
    if (c->type.kind == RWL_TYPE_FLOAT) {
        const float *x = rwl_column_f32(c);
        RWL_TEST_ROWS(e, bits, false, x[i] != x[i]);
    } else {
        const double *x = rwl_column_f64(c);
        RWL_TEST_ROWS(e, bits, false, x[i] != x[i]);
    }
}

void rwl_rows_are_nan(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    rwl_rows_test_nan(e, c, bits);
    rwl_rows_keep_valid(c, e, bits);
    for (size_t w = 0; n->negated && w < e->words; w++)
        bits[w] = ~bits[w];
}

/* --- column op column --- */

static inline int order_f64(double a, double b) {
    if (a != a || b != b)
        return (a != a) - (b != b);
    return (a > b) - (a < b);
}

#define COMPARE_PAIRS(e, bits, op, order)                                                                    \
    do {                                                                                                     \
        bool invert_;                                                                                        \
        switch (base_op((op), &invert_)) {                                                                   \
        case RWL_RELATION_EQ:                                                                                \
            RWL_TEST_ROWS(e, bits, invert_, (order) == 0);                                                   \
            break;                                                                                           \
        case RWL_RELATION_LT:                                                                                \
            RWL_TEST_ROWS(e, bits, invert_, (order) < 0);                                                    \
            break;                                                                                           \
        default:                                                                                             \
            RWL_TEST_ROWS(e, bits, invert_, (order) <= 0);                                                   \
            break;                                                                                           \
        }                                                                                                    \
    } while (0)

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Both of one kind. */
static void compare_pairs(const rwl_evaluation *e, const rwl_column *a, const rwl_column *b, rwl_relation op,
                          uint64_t *bits) {
    switch (a->type.kind) {
    case RWL_TYPE_BOOLEAN:
        COMPARE_PAIRS(e, bits, op, (int)rwl_bit_get(a->values.data, i) - (int)rwl_bit_get(b->values.data, i));
        return;
    case RWL_TYPE_INT:
    case RWL_TYPE_DATE: {
        const int32_t *x = rwl_column_i32(a);
        const int32_t *y = rwl_column_i32(b);
        COMPARE_PAIRS(e, bits, op, ORDER(x[i], y[i]));
        return;
    }
    case RWL_TYPE_FLOAT: {
        const float *x = rwl_column_f32(a);
        const float *y = rwl_column_f32(b);
        COMPARE_PAIRS(e, bits, op, order_f64((double)x[i], (double)y[i]));
        return;
    }
    case RWL_TYPE_DOUBLE: {
        const double *x = rwl_column_f64(a);
        const double *y = rwl_column_f64(b);
        COMPARE_PAIRS(e, bits, op, order_f64(x[i], y[i]));
        return;
    }
    case RWL_TYPE_DECIMAL: {
        const rwl_i128 *x = (const rwl_i128 *)(const void *)a->values.data;
        const rwl_i128 *y = (const rwl_i128 *)(const void *)b->values.data;
        if (a->type.scale != b->type.scale)
            COMPARE_PAIRS(e, bits, op, rwl_decimal_order(x[i], a->type.scale, y[i], b->type.scale));
        else
            COMPARE_PAIRS(e, bits, op, ORDER(x[i], y[i]));
        return;
    }
    case RWL_TYPE_STRING:
    case RWL_TYPE_UUID:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY: {
        size_t x = (size_t)rwl_type_width(&a->type);
        size_t y = (size_t)rwl_type_width(&b->type);
        COMPARE_PAIRS(e, bits, op, rwl_span_compare(rwl_row_bytes(a, x, i), rwl_row_bytes(b, y, i)));
        return;
    }
    default: {
        const int64_t *x = rwl_column_i64(a);
        const int64_t *y = rwl_column_i64(b);
        COMPARE_PAIRS(e, bits, op, ORDER(x[i], y[i]));
        return;
    }
    }
}

/* Widens the narrower of the two first. */
rwl_status rwl_rows_compare_pair(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *a,
                                 const rwl_column *b, uint64_t *bits) {
    rwl_column wide;
    rwl_column_init_flat(&wide, &a->type);
    if (a->type.kind != b->type.kind) {
        bool widen_a = a->type.kind == RWL_TYPE_INT || a->type.kind == RWL_TYPE_FLOAT;
        rwl_column_init_flat(&wide, widen_a ? &b->type : &a->type);
        rwl_status st = rwl_column_promote(widen_a ? a : b, &wide, e->env, e->err);
        if (st != RWL_OK) {
            rwl_column_clear(&wide, e->env);
            return st;
        }
        compare_pairs(e, widen_a ? &wide : a, widen_a ? b : &wide, n->op, bits);
    } else {
        compare_pairs(e, a, b, n->op, bits);
    }
    rwl_column_clear(&wide, e->env);
    rwl_rows_keep_valid(a, e, bits);
    rwl_rows_keep_valid(b, e, bits);
    return RWL_OK;
}

/* --- like, null --- */

void rwl_rows_are_like(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                       uint64_t *bits) {
    const rwl_pattern *p = n->pattern;
    RWL_TEST_ROWS(e, bits, n->negated, rwl_pattern_matches(p, rwl_column_bytes(c, i)));
    rwl_rows_keep_valid(c, e, bits);
}

void rwl_rows_are_null(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                       uint64_t *bits) {
    rwl_rows_fill(bits, e, true);
    rwl_rows_keep_valid(c, e, bits);
    for (size_t w = 0; !n->negated && w < e->words; w++)
        bits[w] = ~bits[w];
}
