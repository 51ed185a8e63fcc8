/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bound expressions on rows. Each node writes a bitmap of the rows it selects. Negations sit in the leaves,
 * so "false" and "unknown" need not be told apart: and/or of selected rows is exact.
 */
#include "expr/eval_rows.h"

typedef rwl_evaluation evaluation;

/* --- leaves --- */

/* The other side of a pair is computed only here. */
static rwl_status eval_other_side(const evaluation *e, const rwl_bound_node *n, const rwl_column *c,
                                  const uint64_t *active, uint64_t *bits) {
    rwl_operand other;
    if (n->operand2 == NULL)
        return rwl_rows_compare_pair(e, n, c, e->columns[n->column2], bits);
    rwl_status st = rwl_eval_operand(e, n->operand2, active, &other);
    if (st == RWL_OK)
        st = rwl_rows_compare_pair(e, n, c, other.column, bits);
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
        rwl_rows_are_null(e, n, c, bits);
        return RWL_OK;
    case RWL_BOUND_IS_NAN:
        rwl_rows_are_nan(e, n, c, bits);
        return RWL_OK;
    case RWL_BOUND_COMPARE:
        rwl_rows_compare(e, c, n->op, &n->value, bits);
        rwl_rows_keep_valid(c, e, bits);
        return RWL_OK;
    case RWL_BOUND_PAIR:
        return eval_other_side(e, n, c, active, bits);
    case RWL_BOUND_LIKE:
        rwl_rows_are_like(e, n, c, bits);
        return RWL_OK;
    default:
        return rwl_rows_find(e, n, c, bits);
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

static void clear_tail(uint64_t *bits, const evaluation *e) {
    if (e->length % 64 != 0)
        bits[e->words - 1] &= (UINT64_C(1) << (e->length % 64)) - 1;
}

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
        rwl_rows_fill(bits, e, n->kind == RWL_BOUND_TRUE);
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
