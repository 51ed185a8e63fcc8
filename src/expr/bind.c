/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of conditions: trees, with negations down to the leaves, and leaves of one kind of value. */
#include "expr/bind_internal.h"

static rwl_status bind_compare(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    rwl_side x;
    rwl_side y;
    RWL_TRY(rwl_bind_side(b, e->items[0], &x));
    RWL_TRY(rwl_bind_side(b, e->items[1], &y));
    return rwl_bind_sides(b, e, negate ? rwl_relation_negate(e->op) : e->op, &x, &y, out);
}

static rwl_status bind_between(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    rwl_side subject;
    rwl_side it;
    rwl_side ends[2];
    rwl_bound_node *let;
    const rwl_bound_node *items[2];
    RWL_TRY(rwl_bind_side(b, e->items[0], &subject));
    RWL_TRY(rwl_bind_open_let(b, &subject, &it, &let));
    for (int i = 0; i < 2; i++) {
        rwl_relation op = i == 0 ? RWL_RELATION_GE : RWL_RELATION_LE;
        RWL_TRY(rwl_bind_side(b, e->items[i + 1], &ends[i]));
        RWL_TRY(rwl_bind_sides(b, e, negated ? rwl_relation_negate(op) : op, &it, &ends[i], &items[i]));
    }
    RWL_TRY(rwl_bind_items(b, !negated, items, 2, out));
    return rwl_bind_close_let(b, let, out);
}

/* --- like --- */

static rwl_status bind_pattern(rwl_binder *b, const rwl_expr *e, rwl_pattern **out) {
    rwl_span escape = rwl_span_of(NULL, 0);
    *out = rwl_arena_alloc(b->arena, sizeof **out);
    if (*out == NULL)
        return rwl_no_memory(b->err, sizeof **out);
    if (e->item_count > 2) {
        escape = e->items[2]->literal.text;
        if (escape.len == 0)
            return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->items[2]->at, "escape takes one character");
    }
    rwl_status st = rwl_pattern_compile(e->items[1]->literal.text, escape, b->arena, *out, b->err);
    if (st != RWL_OK && b->err != NULL)
        b->err->offset = (int64_t)e->items[1]->at;
    return rwl_error_in(b->err, st, "like, at %zu", e->items[1]->at + 1);
}

static rwl_status fail_like(const rwl_binder *b, const rwl_side *s) {
    char name[80];
    rwl_type_name(s->type, name, sizeof name);
    return rwl_bind_fail_in(b, s, s->at,
                            rwl_fail(b->err, RWL_USAGE, "like takes a string, not type %s", name));
}

static rwl_status bind_like(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    rwl_pattern *pattern;
    rwl_bound_node *n;
    rwl_side s;
    RWL_TRY(rwl_bind_side(b, e->items[0], &s));
    if (s.literal != NULL && s.literal->kind != RWL_LITERAL_STRING && s.literal->kind != RWL_LITERAL_NULL)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "like takes a string, not %s",
                           rwl_literal_kind_name(s.literal->kind));
    if (s.literal == NULL && s.type->kind != RWL_TYPE_STRING && s.type->kind != RWL_TYPE_UNKNOWN)
        return fail_like(b, &s);
    RWL_TRY(bind_pattern(b, e, &pattern));
    if (e->items[1]->literal.kind == RWL_LITERAL_NULL ||
        (s.literal != NULL ? s.literal->kind == RWL_LITERAL_NULL : s.type->kind == RWL_TYPE_UNKNOWN))
        return rwl_bind_const(b, false, out);
    if (s.literal != NULL)
        return rwl_bind_const(b, rwl_pattern_matches(pattern, s.literal->text) != negated, out);
    bool exact = !pattern->has_wildcard;
    RWL_TRY(rwl_bind_leaf(b, exact ? RWL_BOUND_COMPARE : RWL_BOUND_LIKE, &s, !exact && negated, &n));
    n->pattern = exact ? NULL : pattern;
    n->op = negated ? RWL_RELATION_NE : RWL_RELATION_EQ;
    n->value.kind = RWL_TYPE_STRING;
    n->value.as.bytes = pattern->prefix;
    *out = n;
    return RWL_OK;
}

/* --- is null, is nan, truth --- */

static rwl_status bind_is_null(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    const rwl_expr *operand = e->items[0];
    rwl_bound_node *n;
    rwl_side s;
    if (operand->kind == RWL_EXPR_COLUMN) {
        int32_t column;
        RWL_TRY(rwl_bind_name(b, operand, true, &column));
        rwl_side_column(b, column, operand->at, &s);
    } else {
        RWL_TRY(rwl_bind_side(b, operand, &s));
    }
    if (s.literal != NULL)
        return rwl_bind_const(b, (s.literal->kind == RWL_LITERAL_NULL) != negated, out);
    if (s.type->kind == RWL_TYPE_UNKNOWN)
        return rwl_bind_const(b, !negated, out);
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IS_NULL, &s, negated, &n));
    *out = n;
    return RWL_OK;
}

static rwl_status bind_is_nan(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    rwl_bound_node *n;
    rwl_side s;
    RWL_TRY(rwl_bind_side(b, e->items[0], &s));
    if (s.literal != NULL)
        return rwl_bind_const(b, (s.literal->kind == RWL_LITERAL_NAN) != negated, out);
    if (s.type->kind == RWL_TYPE_UNKNOWN)
        return rwl_bind_const(b, negated, out);
    if (!rwl_kind_has_nan(s.type->kind))
        return rwl_bind_fail_in(b, &s, e->at,
                                rwl_fail(b->err, RWL_USAGE, "only float and double can be nan"));
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IS_NAN, &s, negated, &n));
    *out = n;
    return RWL_OK;
}

/* A boolean value as a condition. */
static rwl_status bind_truth(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    rwl_bound_node *n;
    rwl_side s;
    RWL_TRY(rwl_bind_side(b, e, &s));
    if (s.literal != NULL) {
        if (s.literal->kind != RWL_LITERAL_BOOL && s.literal->kind != RWL_LITERAL_NULL)
            return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "%s is not a condition",
                               rwl_literal_kind_name(s.literal->kind));
        return rwl_bind_const(b, s.literal->kind == RWL_LITERAL_BOOL && s.literal->b != negate, out);
    }
    if (s.type->kind == RWL_TYPE_UNKNOWN)
        return rwl_bind_const(b, false, out);
    if (s.type->kind != RWL_TYPE_BOOLEAN)
        return s.value != NULL
                   ? rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                                 "expression at %zu is not boolean: compare it with something", e->at + 1)
                   : rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                                 "column '%.100s' is not boolean: compare it with something",
                                 b->fields[s.column].name);
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_COMPARE, &s, false, &n));
    n->op = RWL_RELATION_EQ;
    n->value.kind = RWL_TYPE_BOOLEAN;
    n->value.as.b = !negate;
    *out = n;
    return RWL_OK;
}

/* --- trees; as deep as the parser lets them be --- */

static rwl_status bind_logic(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool is_and = (e->kind == RWL_EXPR_AND) != negate; /* De Morgan */
    rwl_bound_node *n;
    RWL_TRY(rwl_bind_node(b, is_and ? RWL_BOUND_AND : RWL_BOUND_OR, &n));
    const rwl_bound_node **items = rwl_arena_array(b->arena, e->item_count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *items);
    for (size_t i = 0; i < e->item_count; i++)
        RWL_TRY(rwl_bind_condition(b, e->items[i], negate, &items[i]));
    n->items = items;
    n->item_count = e->item_count;
    *out = n;
    return RWL_OK;
}

rwl_status rwl_bind_condition(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    switch (e->kind) {
    case RWL_EXPR_AND:
    case RWL_EXPR_OR:
        return bind_logic(b, e, negate, out);
    case RWL_EXPR_NOT:
        return rwl_bind_condition(b, e->items[0], !negate, out);
    case RWL_EXPR_COMPARE:
        return bind_compare(b, e, negate, out);
    case RWL_EXPR_BETWEEN:
        return bind_between(b, e, negate, out);
    case RWL_EXPR_IN:
        return rwl_bind_in(b, e, negate, out);
    case RWL_EXPR_LIKE:
        return bind_like(b, e, negate, out);
    case RWL_EXPR_IS_NULL:
        return bind_is_null(b, e, negate, out);
    case RWL_EXPR_IS_NAN:
        return bind_is_nan(b, e, negate, out);
    default:
        return bind_truth(b, e, negate, out);
    }
}

static int32_t list_columns(const bool *used, int32_t count, int32_t *columns) {
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++) {
        if (used[i])
            columns[n++] = i;
    }
    return n;
}

rwl_status rwl_expr_bind(const rwl_expr *expr, const rwl_field *fields, int32_t count, rwl_arena *arena,
                         const rwl_bound **out, rwl_error *err) {
    rwl_bound *bound = rwl_arena_alloc(arena, sizeof *bound);
    bool *used = rwl_arena_array(arena, (size_t)count, sizeof *used);
    int32_t *columns = rwl_arena_array(arena, (size_t)count, sizeof *columns);
    if (bound == NULL || used == NULL || columns == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *columns);
    rwl_binder b = {.fields = fields, .count = count, .arena = arena, .used = used, .err = err};
    RWL_TRY(rwl_bind_condition(&b, expr, false, &bound->root));
    bound->fields = fields;
    bound->field_count = count;
    bound->columns = columns;
    bound->column_count = list_columns(used, count, columns);
    bound->can_fail = b.can_fail;
    *out = bound;
    return RWL_OK;
}

const int32_t *rwl_bound_columns(const rwl_bound *bound, int32_t *count) {
    *count = bound->column_count;
    return bound->columns;
}

bool rwl_bound_can_fail(const rwl_bound *bound) {
    return bound->can_fail;
}
