/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bound expressions on rows. Each node writes a bitmap of the rows it selects. Negations sit in the leaves,
 * so "false" and "unknown" need not be told apart: and/or of selected rows is exact.
 */
#include "column/bits.h"
#include "expr/eval_internal.h"
#include "expr/in_set.h"

typedef rwl_evaluation evaluation;

/* --- bitmaps --- */

static void fill_bits(uint64_t *bits, const evaluation *e, bool value) {
    memset(bits, value ? 0xFF : 0, e->words * 8);
}

static void clear_tail(uint64_t *bits, const evaluation *e) {
    if (e->length % 64 != 0)
        bits[e->words - 1] &= (UINT64_C(1) << (e->length % 64)) - 1;
}

uint64_t rwl_eval_load_word(const uint8_t *bits, size_t word, int64_t length) {
    int64_t left = length - (int64_t)word * 64;
    uint64_t out = 0;
    memcpy(&out, bits + word * 8, left >= 64 ? 8 : rwl_bits_bytes(left));
    return out;
}

static void keep_valid(const rwl_column *c, const evaluation *e, uint64_t *bits) {
    if (c->null_count == 0)
        return;
    for (size_t w = 0; w < e->words; w++)
        bits[w] &= rwl_eval_load_word(c->validity.data, w, e->length);
}

/* Eight 0/1 bytes as eight bits, the first lowest. */
static inline uint64_t pack8(const uint8_t *flags) {
    uint64_t v;
    memcpy(&v, flags, sizeof v);
    return v * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t pack64(const uint8_t *flags) {
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= pack8(flags + 8 * k) << (8 * k);
    return word;
}

/*
 * One loop over rows: `test`, of row i, is 0 or 1; blocks of 64 as bytes first, which compilers turn into
 * SIMD. `invert` flips all (rows behind the end are cleared later).
 */
#define TEST_ROWS(e, bits, invert, test)                                                                     \
    do {                                                                                                     \
        uint64_t test_flip_ = (invert) ? UINT64_MAX : 0;                                                     \
        for (size_t test_w_ = 0; test_w_ < (e)->words; test_w_++) {                                          \
            uint8_t test_flags_[64] = {0};                                                                   \
            int64_t test_base_ = (int64_t)test_w_ * 64;                                                      \
            if ((e)->length - test_base_ >= 64) {                                                            \
                for (int test_k_ = 0; test_k_ < 64; test_k_++) {                                             \
                    int64_t i = test_base_ + test_k_;                                                        \
                    test_flags_[test_k_] = (test);                                                           \
                }                                                                                            \
            } else {                                                                                         \
                for (int64_t i = test_base_; i < (e)->length; i++)                                           \
                    test_flags_[i - test_base_] = (test);                                                    \
            }                                                                                                \
            (bits)[test_w_] = pack64(test_flags_) ^ test_flip_;                                              \
        }                                                                                                    \
    } while (0)

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
            TEST_ROWS(e, bits, invert_, (x) == (v));                                                         \
            break;                                                                                           \
        case RWL_RELATION_LT:                                                                                \
            TEST_ROWS(e, bits, invert_, (x) < (v));                                                          \
            break;                                                                                           \
        default:                                                                                             \
            TEST_ROWS(e, bits, invert_, (x) <= (v));                                                         \
            break;                                                                                           \
        }                                                                                                    \
    } while (0)

/* Row i as a span: variable and fixed length alike. */
static inline rwl_span row_bytes(const rwl_column *c, size_t width, int64_t i) {
    return width > 0 ? rwl_span_of(c->values.data + (size_t)i * width, width) : rwl_column_bytes(c, i);
}

static inline uint8_t equal_bytes(rwl_span a, rwl_span b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static void compare_bytes(const evaluation *e, const rwl_column *c, rwl_relation op, rwl_span v,
                          uint64_t *bits) {
    bool invert;
    size_t width = (size_t)rwl_type_width(&c->type);
    switch (base_op(op, &invert)) {
    case RWL_RELATION_EQ:
        TEST_ROWS(e, bits, invert, equal_bytes(row_bytes(c, width, i), v));
        break;
    case RWL_RELATION_LT:
        TEST_ROWS(e, bits, invert, rwl_span_compare(row_bytes(c, width, i), v) < 0);
        break;
    default:
        TEST_ROWS(e, bits, invert, rwl_span_compare(row_bytes(c, width, i), v) <= 0);
        break;
    }
}

static void compare_booleans(const evaluation *e, const rwl_column *c, rwl_relation op, bool v,
                             uint64_t *bits) {
    uint64_t for_false = rwl_relation_holds(op, 0 - (int)v) ? UINT64_MAX : 0;
    uint64_t for_true = rwl_relation_holds(op, 1 - (int)v) ? UINT64_MAX : 0;
    for (size_t w = 0; w < e->words; w++) {
        uint64_t x = rwl_eval_load_word(c->values.data, w, e->length);
        bits[w] = (x & for_true) | (~x & for_false);
    }
}

static void compare_value(const evaluation *e, const rwl_column *c, rwl_relation op, const rwl_value *v,
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

static void test_nan(const evaluation *e, const rwl_column *c, uint64_t *bits) {
    if (c->type.kind == RWL_TYPE_FLOAT) {
        const float *x = rwl_column_f32(c);
        TEST_ROWS(e, bits, false, x[i] != x[i]);
    } else {
        const double *x = rwl_column_f64(c);
        TEST_ROWS(e, bits, false, x[i] != x[i]);
    }
}

static void eval_is_nan(const evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    test_nan(e, c, bits);
    keep_valid(c, e, bits);
    for (size_t w = 0; n->negated && w < e->words; w++)
        bits[w] = ~bits[w];
}

/* --- in --- */

static uint8_t contains_value(const rwl_bound_node *n, const rwl_value *v) {
    if (rwl_value_is_nan(v))
        return n->with_nan;
    size_t low = 0;
    size_t high = n->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = rwl_expr_order(&n->values[middle], v);
        if (order == 0)
            return 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* One pass a value. */
static rwl_status find_in_short_list(const evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                                     uint64_t *bits) {
    uint64_t *one = rwl_alloc(e->env, e->words * 8);
    if (one == NULL)
        return rwl_no_memory(e->err, e->words * 8);
    fill_bits(bits, e, false);
    if (n->with_nan)
        test_nan(e, c, bits);
    for (size_t k = 0; k < n->value_count; k++) {
        compare_value(e, c, RWL_RELATION_EQ, &n->values[k], one);
        for (size_t w = 0; w < e->words; w++)
            bits[w] |= one[w];
    }
    rwl_free(e->env, one);
    return RWL_OK;
}

static inline int64_t int_at(const rwl_column *c, bool is_narrow, int64_t i) {
    return is_narrow ? rwl_column_i32(c)[i] : rwl_column_i64(c)[i];
}

/* Of each 64 rows those that the filter lets through, and of these, mostly few, those that are in the list. */
static inline __attribute__((always_inline)) void find_ints(const evaluation *e, const rwl_bound_node *n,
                                                            const rwl_column *c, bool is_narrow,
                                                            uint64_t *bits) {
    const uint64_t *filter = n->filter;
    int shift = n->filter_shift;
    for (size_t w = 0; w < e->words; w++) {
        int64_t base = (int64_t)w * 64;
        int count = e->length - base < 64 ? (int)(e->length - base) : 64;
        uint64_t maybe = 0, found = 0;
        for (int k = 0; k < count; k++)
            maybe |= rwl_in_set_may_have(filter, shift, int_at(c, is_narrow, base + k)) << k;
        for (; maybe != 0; maybe &= maybe - 1) {
            int k = __builtin_ctzll(maybe);
            found |= (uint64_t)rwl_in_set_has_int(n, int_at(c, is_narrow, base + k)) << k;
        }
        bits[w] = found;
    }
}

static void find_in_table(const evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    size_t width = (size_t)rwl_type_width(&c->type);
    if (n->ints != NULL && width == 4) {
        find_ints(e, n, c, true, bits);
    } else if (n->ints != NULL) {
        find_ints(e, n, c, false, bits);
    } else if (c->type.kind == RWL_TYPE_DECIMAL) {
        const rwl_i128 *x = rwl_column_i128(c);
        TEST_ROWS(e, bits, false, rwl_in_set_has_i128(n, x[i]));
    } else {
        TEST_ROWS(e, bits, false, rwl_in_set_has_bytes(n, row_bytes(c, width, i)));
    }
}

/* Floats, and lists that collide: a search a row. */
static void search_list(const evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    fill_bits(bits, e, false);
    for (int64_t i = 0; i < e->length; i++) {
        rwl_value v = rwl_column_value(c, i);
        if (!v.is_null)
            bits[i / 64] |= (uint64_t)contains_value(n, &v) << (i % 64);
    }
}

static rwl_status find_in_list(const evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                               uint64_t *bits) {
    if (n->table != NULL)
        find_in_table(e, n, c, bits);
    else if (n->value_count <= RWL_IN_SHORT_LIST)
        return find_in_short_list(e, n, c, bits);
    else
        search_list(e, n, c, bits);
    return RWL_OK;
}

static rwl_status eval_in(const evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    RWL_TRY(find_in_list(e, n, c, bits));
    for (size_t w = 0; n->negated && w < e->words; w++)
        bits[w] = ~bits[w];
    keep_valid(c, e, bits);
    return RWL_OK;
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
            TEST_ROWS(e, bits, invert_, (order) == 0);                                                       \
            break;                                                                                           \
        case RWL_RELATION_LT:                                                                                \
            TEST_ROWS(e, bits, invert_, (order) < 0);                                                        \
            break;                                                                                           \
        default:                                                                                             \
            TEST_ROWS(e, bits, invert_, (order) <= 0);                                                       \
            break;                                                                                           \
        }                                                                                                    \
    } while (0)

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Both of one kind. */
static void compare_pairs(const evaluation *e, const rwl_column *a, const rwl_column *b, rwl_relation op,
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
        COMPARE_PAIRS(e, bits, op, rwl_span_compare(row_bytes(a, x, i), row_bytes(b, y, i)));
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
static rwl_status eval_pair(const evaluation *e, const rwl_bound_node *n, const rwl_column *a,
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
    keep_valid(a, e, bits);
    keep_valid(b, e, bits);
    return RWL_OK;
}

/* --- like --- */

static void eval_like(const evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    const rwl_pattern *p = n->pattern;
    TEST_ROWS(e, bits, n->negated, rwl_pattern_matches(p, rwl_column_bytes(c, i)));
    keep_valid(c, e, bits);
}

/* --- leaves --- */

static void eval_is_null(const evaluation *e, const rwl_bound_node *n, const rwl_column *c, uint64_t *bits) {
    fill_bits(bits, e, true);
    keep_valid(c, e, bits);
    for (size_t w = 0; !n->negated && w < e->words; w++)
        bits[w] = ~bits[w];
}

/* The other side of a pair is computed only here. */
static rwl_status eval_other_side(const evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                                  const uint64_t *active, uint64_t *bits) {
    rwl_operand other;
    if (n->operand2 == NULL)
        return eval_pair(e, n, c, e->columns[n->column2], bits);
    rwl_status st = rwl_eval_operand(e, n->operand2, active, &other);
    if (st == RWL_OK)
        st = eval_pair(e, n, c, other.column, bits);
    rwl_operand_clear(&other, e->env);
    return st;
}

static rwl_status eval_let(const evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                           const uint64_t *active, uint64_t *bits) {
    evaluation inner = *e;
    rwl_slot slot = {n->slot, c, e->slots};
    inner.slots = &slot;
    return rwl_eval_condition(&inner, n->items[0], active, bits);
}

static rwl_status eval_leaf(const evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                            const uint64_t *active, uint64_t *bits) {
    switch (n->kind) {
    case RWL_BOUND_LET:
        return eval_let(e, n, c, active, bits);
    case RWL_BOUND_IS_NULL:
        eval_is_null(e, n, c, bits);
        return RWL_OK;
    case RWL_BOUND_IS_NAN:
        eval_is_nan(e, n, c, bits);
        return RWL_OK;
    case RWL_BOUND_COMPARE:
        compare_value(e, c, n->op, &n->value, bits);
        keep_valid(c, e, bits);
        return RWL_OK;
    case RWL_BOUND_PAIR:
        return eval_other_side(e, n, c, active, bits);
    case RWL_BOUND_LIKE:
        eval_like(e, n, c, bits);
        return RWL_OK;
    default:
        return eval_in(e, n, c, bits);
    }
}

static rwl_status eval_subject(const evaluation *e, const rwl_bound_node *n, const uint64_t *active,
                               uint64_t *bits) {
    rwl_operand subject;
    if (n->operand == NULL)
        return eval_leaf(e, n, e->columns[n->column], active, bits);
    rwl_status st = rwl_eval_operand(e, n->operand, active, &subject);
    if (st == RWL_OK)
        st = eval_leaf(e, n, subject.column, active, bits);
    rwl_operand_clear(&subject, e->env);
    return st;
}

/* --- trees --- */

static bool any_bit(const uint64_t *bits, size_t words) {
    for (size_t w = 0; w < words; w++) {
        if (bits[w] != 0)
            return true;
    }
    return false;
}

/* Rows that the items so far have not decided, in `wanted`; all of them where no item can fail. */
static const uint64_t *find_undecided(const evaluation *e, bool is_and, const uint64_t *bits,
                                      const uint64_t *active, uint64_t *wanted) {
    if (!e->can_fail)
        return NULL;
    for (size_t w = 0; w < e->words; w++)
        wanted[w] = (is_and ? bits[w] : ~bits[w]) & (active != NULL ? active[w] : UINT64_MAX);
    return wanted;
}

static rwl_status eval_items(const evaluation *e, const rwl_bound_node *n, const uint64_t *active,
                             uint64_t *bits, uint64_t *other) {
    bool is_and = n->kind == RWL_BOUND_AND;
    RWL_TRY(rwl_eval_condition(e, n->items[0], active, bits));
    for (size_t k = 1; k < n->item_count; k++) {
        if (is_and && !any_bit(bits, e->words))
            break;
        const uint64_t *wanted = find_undecided(e, is_and, bits, active, other + e->words);
        RWL_TRY(rwl_eval_condition(e, n->items[k], wanted, other));
        for (size_t w = 0; w < e->words; w++)
            bits[w] = is_and ? bits[w] & other[w] : bits[w] | other[w];
    }
    return RWL_OK;
}

static rwl_status eval_logic(const evaluation *e, const rwl_bound_node *n, const uint64_t *active,
                             uint64_t *bits) {
    uint64_t *other = rwl_alloc(e->env, 2 * e->words * 8);
    if (other == NULL)
        return rwl_no_memory(e->err, 2 * e->words * 8);
    rwl_status st = eval_items(e, n, active, bits, other);
    rwl_free(e->env, other);
    return st;
}

rwl_status rwl_eval_condition(const rwl_evaluation *e, const rwl_bound_node *n, const uint64_t *active,
                              uint64_t *bits) {
    rwl_status st = RWL_OK;
    if (n->kind == RWL_BOUND_TRUE || n->kind == RWL_BOUND_NEVER)
        fill_bits(bits, e, n->kind == RWL_BOUND_TRUE);
    else if (n->kind == RWL_BOUND_AND || n->kind == RWL_BOUND_OR)
        st = eval_logic(e, n, active, bits);
    else
        st = eval_subject(e, n, active, bits);
    clear_tail(bits, e);
    return st;
}

static rwl_status check_column(const rwl_bound *bound, int32_t at, const rwl_column *c, int64_t length,
                               rwl_error *err) {
    const rwl_type *type = &bound->fields[at].type;
    if (c == NULL || c->type.kind != type->kind || rwl_type_width(&c->type) != rwl_type_width(type) ||
        c->length != length)
        return rwl_fail(err, RWL_INTERNAL, "filter on column '%s' was given another one",
                        bound->fields[at].name);
    return RWL_OK;
}

rwl_status rwl_expr_eval(const rwl_bound *bound, const rwl_column *const *columns, int64_t length,
                         const rwl_env *env, uint64_t *bits, rwl_error *err) {
    for (int32_t i = 0; i < bound->column_count; i++)
        RWL_TRY(check_column(bound, bound->columns[i], columns[bound->columns[i]], length, err));
    if (length == 0)
        return RWL_OK;
    evaluation e = {columns, length, rwl_expr_bits_size(length) / 8, env, err, NULL, bound->can_fail};
    return rwl_eval_condition(&e, bound->root, NULL, bits);
}

rwl_status rwl_expr_eval_batch(const rwl_bound *bound, const rwl_batch *batch, uint64_t *bits,
                               rwl_error *err) {
    size_t n = (size_t)batch->column_count;
    if (batch->column_count != bound->field_count)
        return rwl_fail(err, RWL_INTERNAL, "filter on %d columns was given %d", bound->field_count,
                        batch->column_count);
    const rwl_column **columns = rwl_alloc(batch->env, (n + 1) * sizeof *columns);
    if (columns == NULL)
        return rwl_no_memory(err, (n + 1) * sizeof *columns);
    for (size_t i = 0; i < n; i++)
        columns[i] = &batch->columns[i];
    rwl_status st = rwl_expr_eval(bound, columns, batch->length, batch->env, bits, err);
    rwl_free(batch->env, columns);
    return st;
}
