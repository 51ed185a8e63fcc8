/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose value is in a list: by passes, by a table, by a search. */
#include "expr/eval_rows.h"
#include "expr/in_set.h"

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
static rwl_status find_in_short_list(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                                     uint64_t *bits) {
    uint64_t *one = rwl_alloc(e->env, e->words * 8);
    if (one == NULL)
        return rwl_no_memory(e->err, e->words * 8);
    rwl_rows_fill(bits, e, false);
    if (n->with_nan)
        rwl_rows_test_nan(e, c, bits);
    for (size_t k = 0; k < n->value_count; k++) {
        rwl_rows_compare(e, c, RWL_RELATION_EQ, &n->values[k], one);
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
static inline __attribute__((always_inline)) void find_ints(const rwl_evaluation *e, const rwl_bound_node *n,
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

static void find_in_table(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                          uint64_t *bits) {
    size_t width = (size_t)rwl_type_width(&c->type);
    if (n->ints != NULL && width == 4) {
        find_ints(e, n, c, true, bits);
    } else if (n->ints != NULL) {
        find_ints(e, n, c, false, bits);
    } else if (c->type.kind == RWL_TYPE_DECIMAL) {
        const rwl_i128 *x = rwl_column_i128(c);
        RWL_TEST_ROWS(e, bits, false, rwl_in_set_has_i128(n, x[i]));
    } else {
        RWL_TEST_ROWS(e, bits, false, rwl_in_set_has_bytes(n, rwl_row_bytes(c, width, i)));
    }
}

/* Floats, and lists that collide: a search a row. */
static void search_list(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                        uint64_t *bits) {
    rwl_rows_fill(bits, e, false);
    for (int64_t i = 0; i < e->length; i++) {
        rwl_value v = rwl_column_value(c, i);
        if (!v.is_null)
            bits[i / 64] |= (uint64_t)contains_value(n, &v) << (i % 64);
    }
}

static rwl_status find_in_list(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                               uint64_t *bits) {
    if (n->table != NULL)
        find_in_table(e, n, c, bits);
    else if (n->value_count <= RWL_IN_SHORT_LIST)
        return find_in_short_list(e, n, c, bits);
    else
        search_list(e, n, c, bits);
    return RWL_OK;
}

rwl_status rwl_rows_find(const rwl_evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                         uint64_t *bits) {
    RWL_TRY(find_in_list(e, n, c, bits));
    for (size_t w = 0; n->negated && w < e->words; w++)
        bits[w] = ~bits[w];
    rwl_rows_keep_valid(c, e, bits);
    return RWL_OK;
}
