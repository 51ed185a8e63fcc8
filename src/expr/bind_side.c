/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of bound conditions, and the sides of comparisons. */
#include "expr/bind_internal.h"

/* --- nodes --- */

rwl_status rwl_bind_node(rwl_binder *b, rwl_bound_kind kind, rwl_bound_node **out) {
    rwl_bound_node *n = rwl_arena_alloc(b->arena, sizeof *n);
    if (n == NULL)
        return rwl_no_memory(b->err, sizeof *n);
    n->kind = kind;
    *out = n;
    return RWL_OK;
}

rwl_status rwl_bind_const(rwl_binder *b, bool selected, const rwl_bound_node **out) {
    rwl_bound_node *n;
    RWL_TRY(rwl_bind_node(b, selected ? RWL_BOUND_TRUE : RWL_BOUND_NEVER, &n));
    *out = n;
    return RWL_OK;
}

rwl_status rwl_bind_leaf(rwl_binder *b, rwl_bound_kind kind, const rwl_side *s, bool negated,
                         rwl_bound_node **out) {
    RWL_TRY(rwl_bind_node(b, kind, out));
    (*out)->column = s->value == NULL ? s->column : -1;
    (*out)->operand = s->value;
    (*out)->type = s->type;
    (*out)->negated = negated;
    return RWL_OK;
}

rwl_status rwl_bind_items(rwl_binder *b, bool is_and, const rwl_bound_node *const *items, size_t count,
                          const rwl_bound_node **out) {
    rwl_bound_node *n;
    RWL_TRY(rwl_bind_node(b, is_and ? RWL_BOUND_AND : RWL_BOUND_OR, &n));
    n->items = rwl_arena_copy(b->arena, items, count * sizeof *items);
    if (n->items == NULL)
        return rwl_no_memory(b->err, count * sizeof *items);
    n->item_count = count;
    *out = n;
    return RWL_OK;
}

rwl_status rwl_bind_for_values(rwl_binder *b, const rwl_side *s, bool holds, const rwl_bound_node **out) {
    if (!holds)
        return rwl_bind_const(b, false, out);
    rwl_bound_node *n;
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IS_NULL, s, true, &n));
    *out = n;
    return RWL_OK;
}

rwl_status rwl_bind_open_let(rwl_binder *b, const rwl_side *s, rwl_side *inner, rwl_bound_node **let) {
    *inner = *s;
    *let = NULL;
    if (s->value == NULL || s->value->kind == RWL_VALUE_SLOT || rwl_bind_looks_through(s->value) ||
        rwl_bind_is_day(s->value))
        return RWL_OK;
    rwl_value_node *slot = rwl_arena_alloc(b->arena, sizeof *slot);
    if (slot == NULL)
        return rwl_no_memory(b->err, sizeof *slot);
    slot->kind = RWL_VALUE_SLOT;
    slot->type = s->value->type;
    slot->at = s->at;
    inner->value = slot;
    inner->type = &slot->type;
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_LET, s, false, let));
    (*let)->slot = slot;
    return RWL_OK;
}

rwl_status rwl_bind_close_let(rwl_binder *b, rwl_bound_node *let, const rwl_bound_node **inout) {
    if (let == NULL)
        return RWL_OK;
    let->items = rwl_arena_copy(b->arena, inout, sizeof *inout);
    if (let->items == NULL)
        return rwl_no_memory(b->err, sizeof *inout);
    let->item_count = 1;
    *inout = let;
    return RWL_OK;
}

/* --- sides --- */

void rwl_side_column(const rwl_binder *b, int32_t column, size_t at, rwl_side *out) {
    rwl_side s = {.column = column, .type = &b->fields[column].type, .at = at};
    *out = s;
}

/* A value that turned out to be a constant is a literal, as far as literals go; a column is one. */
static rwl_status set_value(rwl_binder *b, const rwl_value_node *value, size_t at, rwl_side *out) {
    rwl_side s = {.value = value, .column = -1, .type = &value->type, .at = at};
    *out = s;
    if (value->kind == RWL_VALUE_COLUMN) {
        rwl_side_column(b, value->column, at, out);
    } else if (value->kind == RWL_VALUE_CONSTANT) {
        rwl_literal *literal = rwl_arena_alloc(b->arena, sizeof *literal);
        if (literal == NULL)
            return rwl_no_memory(b->err, sizeof *literal);
        if (rwl_literal_of_value(&value->type, &value->constant, b->arena, literal))
            out->literal = literal;
    }
    return RWL_OK;
}

rwl_status rwl_bind_side(rwl_binder *b, const rwl_expr *e, rwl_side *out) {
    const rwl_value_node *value;
    if (e->kind == RWL_EXPR_LITERAL) {
        rwl_side s = {.literal = &e->literal, .column = -1, .at = e->at};
        *out = s;
        return RWL_OK;
    }
    if (e->kind == RWL_EXPR_COLUMN) {
        int32_t column;
        RWL_TRY(rwl_bind_name(b, e, false, &column));
        rwl_side_column(b, column, e->at, out);
        return RWL_OK;
    }
    RWL_TRY(rwl_bind_operand(b, e, &value));
    return set_value(b, value, e->at, out);
}

rwl_status rwl_bind_fail_in(const rwl_binder *b, const rwl_side *s, size_t at, rwl_status st) {
    if (b->err != NULL && st != RWL_OK)
        b->err->offset = (int64_t)at;
    if (s->value != NULL)
        return rwl_error_in(b->err, st, "expression at %zu", s->at + 1);
    return rwl_error_in(b->err, st, "column '%.100s'", b->fields[s->column].name);
}

rwl_status rwl_bind_copy(rwl_binder *b, const rwl_value *from, rwl_value *to) {
    return rwl_value_copy(b->arena, from, to) ? RWL_OK : rwl_no_memory(b->err, sizeof *to);
}
