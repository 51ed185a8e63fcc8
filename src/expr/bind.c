/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of conditions: literals to the types they are compared with, negations down to the leaves. */
#include "expr/bind_internal.h"
#include "expr/in_set.h"

#include <stdlib.h>

/* One side of a comparison: a literal, a column, or a value to be computed. */
typedef struct side {
    const rwl_literal *literal;  /* or NULL */
    const rwl_value_node *value; /* or NULL */
    int32_t column;              /* of neither */
    const rwl_type *type;        /* of column and value */
    size_t at;
} side;

/* --- nodes --- */

static rwl_status new_node(rwl_binder *b, rwl_bound_kind kind, rwl_bound_node **out) {
    rwl_bound_node *n = rwl_arena_alloc(b->arena, sizeof *n);
    if (n == NULL)
        return rwl_no_memory(b->err, sizeof *n);
    n->kind = kind;
    *out = n;
    return RWL_OK;
}

static rwl_status make_const(rwl_binder *b, bool selected, const rwl_bound_node **out) {
    rwl_bound_node *n;
    RWL_TRY(new_node(b, selected ? RWL_BOUND_TRUE : RWL_BOUND_NEVER, &n));
    *out = n;
    return RWL_OK;
}

static rwl_status make_leaf(rwl_binder *b, rwl_bound_kind kind, const side *s, bool negated,
                            rwl_bound_node **out) {
    RWL_TRY(new_node(b, kind, out));
    (*out)->column = s->value == NULL ? s->column : -1;
    (*out)->operand = s->value;
    (*out)->type = s->type;
    (*out)->negated = negated;
    return RWL_OK;
}

static rwl_status make_logic(rwl_binder *b, bool is_and, const rwl_bound_node *const *items, size_t count,
                             const rwl_bound_node **out) {
    rwl_bound_node *n;
    RWL_TRY(new_node(b, is_and ? RWL_BOUND_AND : RWL_BOUND_OR, &n));
    n->items = rwl_arena_copy(b->arena, items, count * sizeof *items);
    if (n->items == NULL)
        return rwl_no_memory(b->err, count * sizeof *items);
    n->item_count = count;
    *out = n;
    return RWL_OK;
}

/* What a comparison that holds for every value, or for none, selects. */
static rwl_status make_for_values(rwl_binder *b, const side *s, bool holds, const rwl_bound_node **out) {
    if (!holds)
        return make_const(b, false, out);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NULL, s, true, &n));
    *out = n;
    return RWL_OK;
}

/* A condition that asks for a value more than once: the value is computed by a LET around it and `inner` stands for it.
 * Columns stand for themselves. */
static rwl_status open_let(rwl_binder *b, const side *s, side *inner, rwl_bound_node **let) {
    *inner = *s;
    *let = NULL;
    if (s->value == NULL || s->value->kind == RWL_VALUE_SLOT || rwl_bind_looks_through(s->value))
        return RWL_OK;
    rwl_value_node *slot = rwl_arena_alloc(b->arena, sizeof *slot);
    if (slot == NULL)
        return rwl_no_memory(b->err, sizeof *slot);
    slot->kind = RWL_VALUE_SLOT;
    slot->type = s->value->type;
    slot->at = s->at;
    inner->value = slot;
    inner->type = &slot->type;
    RWL_TRY(make_leaf(b, RWL_BOUND_LET, s, false, let));
    (*let)->slot = slot;
    return RWL_OK;
}

/* Puts what was bound inside into the LET, if there is one. */
static rwl_status close_let(rwl_binder *b, rwl_bound_node *let, const rwl_bound_node **inout) {
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

static void set_column(const rwl_binder *b, int32_t column, size_t at, side *out) {
    side s = {.column = column, .type = &b->fields[column].type, .at = at};
    *out = s;
}

/* A value that turned out to be a constant is a literal, as far as literals go; a column is one. */
static rwl_status set_value(rwl_binder *b, const rwl_value_node *value, size_t at, side *out) {
    side s = {.value = value, .column = -1, .type = &value->type, .at = at};
    *out = s;
    if (value->kind == RWL_VALUE_COLUMN) {
        set_column(b, value->column, at, out);
    } else if (value->kind == RWL_VALUE_CONSTANT) {
        rwl_literal *literal = rwl_arena_alloc(b->arena, sizeof *literal);
        if (literal == NULL)
            return rwl_no_memory(b->err, sizeof *literal);
        if (rwl_literal_of_value(&value->type, &value->constant, b->arena, literal))
            out->literal = literal;
    }
    return RWL_OK;
}

static rwl_status bind_side(rwl_binder *b, const rwl_expr *e, side *out) {
    const rwl_value_node *value;
    if (e->kind == RWL_EXPR_LITERAL) {
        side s = {.literal = &e->literal, .column = -1, .at = e->at};
        *out = s;
        return RWL_OK;
    }
    if (e->kind == RWL_EXPR_COLUMN) {
        int32_t column;
        RWL_TRY(rwl_bind_name(b, e, false, &column));
        set_column(b, column, e->at, out);
        return RWL_OK;
    }
    RWL_TRY(rwl_bind_operand(b, e, &value));
    return set_value(b, value, e->at, out);
}

static rwl_status side_value(rwl_binder *b, const side *s, const rwl_value_node **out) {
    *out = s->value;
    return s->value != NULL ? RWL_OK : rwl_bind_column_value(b, s->column, s->at, out);
}

static rwl_status name_failure(const rwl_binder *b, const side *s, size_t at, rwl_status st) {
    if (b->err != NULL && st != RWL_OK)
        b->err->offset = (int64_t)at;
    if (s->value != NULL)
        return rwl_error_in(b->err, st, "expression at %zu", s->at + 1);
    return rwl_error_in(b->err, st, "column '%.100s'", b->fields[s->column].name);
}

static rwl_status copy_value(rwl_binder *b, const rwl_value *from, rwl_value *to) {
    return rwl_value_copy(b->arena, from, to) ? RWL_OK : rwl_no_memory(b->err, sizeof *to);
}

/* --- comparisons with a literal --- */

/* Values that are NaN, or values that are not: nulls are neither. */
static rwl_status make_nan_test(rwl_binder *b, const side *s, bool is_nan, const rwl_bound_node **out) {
    rwl_bound_node *n;
    rwl_bound_node *valid;
    rwl_bound_node *let;
    side inner;
    if (is_nan) {
        RWL_TRY(make_leaf(b, RWL_BOUND_IS_NAN, s, false, &n));
        *out = n;
        return RWL_OK;
    }
    RWL_TRY(open_let(b, s, &inner, &let));
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NAN, &inner, true, &n));
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NULL, &inner, true, &valid));
    const rwl_bound_node *items[2] = {n, valid};
    RWL_TRY(make_logic(b, true, items, 2, out));
    return close_let(b, let, out);
}

/* subject op NaN, NaN being the greatest value. */
static rwl_status make_nan_compare(rwl_binder *b, const side *s, rwl_relation op,
                                   const rwl_bound_node **out) {
    switch (op) {
    case RWL_RELATION_EQ:
    case RWL_RELATION_GE:
        return make_nan_test(b, s, true, out);
    case RWL_RELATION_NE:
    case RWL_RELATION_LT:
        return make_nan_test(b, s, false, out);
    default:
        return make_for_values(b, s, op == RWL_RELATION_LE, out);
    }
}

static rwl_status compare_place(rwl_binder *b, const side *s, rwl_relation op, const rwl_place *place,
                                const rwl_bound_node **out) {
    if (place->where != RWL_PLACE_AT) /* every value is on the same side */
        return make_for_values(b, s, rwl_relation_holds(op, place->where == RWL_PLACE_BELOW ? 1 : -1), out);
    if (!place->exact) {
        if (op == RWL_RELATION_EQ || op == RWL_RELATION_NE)
            return make_for_values(b, s, op == RWL_RELATION_NE, out);
        /* floor < literal < the next value */
        op = op == RWL_RELATION_LT ? RWL_RELATION_LE : op == RWL_RELATION_GE ? RWL_RELATION_GT : op;
    }
    if (rwl_value_is_nan(&place->floor))
        return make_nan_compare(b, s, op, out);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_COMPARE, s, false, &n));
    n->op = op;
    *out = n;
    return copy_value(b, &place->floor, &n->value);
}

static rwl_status compare_literal(rwl_binder *b, const side *s, rwl_relation op, const side *literal,
                                  const rwl_bound_node **out) {
    if (literal->literal->kind == RWL_LITERAL_NULL || s->type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    rwl_place place;
    side subject;
    rwl_status st = rwl_bind_place(b, s->value, literal->literal, s->type, &place);
    if (st != RWL_OK)
        return name_failure(b, s, literal->at, st);
    subject = *s;
    if (s->value != NULL && rwl_bind_looks_through(s->value))
        set_column(b, s->value->items[0]->column, s->at, &subject);
    return compare_place(b, &subject, op, &place, out);
}

/* --- comparisons of two values --- */

static bool comparable(const rwl_type *a, const rwl_type *b) {
    if (a->kind == b->kind)
        return rwl_type_is_time_ns(a) == rwl_type_is_time_ns(b);
    return (a->kind == RWL_TYPE_INT && b->kind == RWL_TYPE_LONG) ||
           (a->kind == RWL_TYPE_LONG && b->kind == RWL_TYPE_INT) ||
           (a->kind == RWL_TYPE_FLOAT && b->kind == RWL_TYPE_DOUBLE) ||
           (a->kind == RWL_TYPE_DOUBLE && b->kind == RWL_TYPE_FLOAT);
}

static rwl_status fail_pair(const rwl_binder *b, const rwl_expr *e, const side *x, const side *y) {
    char left[80];
    char right[80];
    rwl_type_name(x->type, left, sizeof left);
    rwl_type_name(y->type, right, sizeof right);
    if (x->value == NULL && y->value == NULL)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                           "columns '%.80s' and '%.80s' of types %s and %s do not compare",
                           b->fields[x->column].name, b->fields[y->column].name, left, right);
    return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                       "expression, at %zu: types %s and %s do not compare", e->at + 1, left, right);
}

/* Both in one type, as far as comparing needs it: decimals of any scale compare as they are. */
static rwl_status meet(rwl_binder *b, const rwl_expr *e, side *x, side *y) {
    rwl_type common;
    const rwl_value_node *value;
    side *sides[2] = {x, y};
    if (comparable(x->type, y->type))
        return RWL_OK;
    if (!rwl_bind_common_type(x->type, y->type, &common))
        return fail_pair(b, e, x, y);
    for (int i = 0; i < 2; i++) {
        rwl_type type = common;
        if (sides[i]->type->kind == common.kind)
            continue;
        if (common.kind == RWL_TYPE_DECIMAL) { /* of integers */
            type.precision = sides[i]->type->kind == RWL_TYPE_INT ? 10 : 19;
            type.scale = 0;
        }
        RWL_TRY(side_value(b, sides[i], &value));
        RWL_TRY(rwl_bind_cast(b, value, &type, sides[i]->at, &value));
        sides[i]->value = value;
        sides[i]->type = &value->type;
    }
    return RWL_OK;
}

static rwl_status compare_values(rwl_binder *b, const rwl_expr *e, rwl_relation op, side x, side y,
                                 const rwl_bound_node **out) {
    if (x.type->kind == RWL_TYPE_UNKNOWN || y.type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    RWL_TRY(meet(b, e, &x, &y));
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_PAIR, &x, false, &n));
    n->column2 = y.value == NULL ? y.column : -1;
    n->operand2 = y.value;
    n->op = op;
    *out = n;
    return RWL_OK;
}

static rwl_status compare_literals(rwl_binder *b, const rwl_expr *e, rwl_relation op, const rwl_literal *x,
                                   const rwl_literal *y, const rwl_bound_node **out) {
    if (x->kind == RWL_LITERAL_NULL || y->kind == RWL_LITERAL_NULL)
        return make_const(b, false, out);
    int order;
    if (!rwl_literal_compare(x, y, &order))
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "%s does not compare with %s",
                           rwl_literal_kind_name(x->kind), rwl_literal_kind_name(y->kind));
    return make_const(b, rwl_relation_holds(op, order), out);
}

static rwl_status compare_sides(rwl_binder *b, const rwl_expr *e, rwl_relation op, const side *x,
                                const side *y, const rwl_bound_node **out) {
    if (x->literal != NULL && y->literal != NULL)
        return compare_literals(b, e, op, x->literal, y->literal, out);
    if (x->literal != NULL)
        return compare_literal(b, y, rwl_relation_mirror(op), x, out);
    if (y->literal != NULL)
        return compare_literal(b, x, op, y, out);
    return compare_values(b, e, op, *x, *y, out);
}

static rwl_status bind_compare(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    side x;
    side y;
    RWL_TRY(bind_side(b, e->items[0], &x));
    RWL_TRY(bind_side(b, e->items[1], &y));
    return compare_sides(b, e, negate ? rwl_relation_negate(e->op) : e->op, &x, &y, out);
}

static rwl_status bind_between(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    side subject;
    side it;
    side ends[2];
    rwl_bound_node *let;
    const rwl_bound_node *items[2];
    RWL_TRY(bind_side(b, e->items[0], &subject));
    RWL_TRY(open_let(b, &subject, &it, &let));
    for (int i = 0; i < 2; i++) {
        rwl_relation op = i == 0 ? RWL_RELATION_GE : RWL_RELATION_LE;
        RWL_TRY(bind_side(b, e->items[i + 1], &ends[i]));
        RWL_TRY(compare_sides(b, e, negated ? rwl_relation_negate(op) : op, &it, &ends[i], &items[i]));
    }
    RWL_TRY(make_logic(b, !negated, items, 2, out));
    return close_let(b, let, out);
}

/* --- in --- */

static int order_values(const void *a, const void *b) {
    return rwl_expr_order((const rwl_value *)a, (const rwl_value *)b);
}

static rwl_status set_ints(rwl_binder *b, rwl_bound_node *n) {
    if (!rwl_kind_is_int(n->type->kind))
        return RWL_OK;
    int64_t *ints = rwl_arena_array(b->arena, n->value_count, sizeof *ints);
    if (ints == NULL)
        return rwl_no_memory(b->err, n->value_count * sizeof *ints);
    bool narrow = rwl_type_width(n->type) == 4;
    for (size_t i = 0; i < n->value_count; i++)
        ints[i] = narrow ? n->values[i].as.i32 : n->values[i].as.i64;
    n->ints = ints;
    return RWL_OK;
}

/* Sorts the values and leaves doubles out. */
static rwl_status set_values(rwl_binder *b, rwl_bound_node *n, rwl_value *values, size_t count) {
    if (count > 1)
        qsort(values, count, sizeof *values, order_values);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || rwl_expr_order(&values[kept - 1], &values[i]) != 0)
            values[kept++] = values[i];
    }
    n->values = values;
    n->value_count = kept;
    RWL_TRY(set_ints(b, n));
    return rwl_in_set_build(n, b->arena, b->err);
}

/* The list of an IN apart: literals among the values of the subject, and what has to be computed. */
typedef struct in_list {
    rwl_value *values;
    const rwl_bound_node **others; /* comparisons with the rest */
    size_t value_count, other_count;
    bool with_null, with_nan;
} in_list;

static rwl_status add_literal(rwl_binder *b, const side *subject, const side *item, in_list *list) {
    if (item->literal->kind == RWL_LITERAL_NULL) {
        list->with_null = true;
        return RWL_OK;
    }
    rwl_place place;
    rwl_status st = rwl_bind_place(b, subject->value, item->literal, subject->type, &place);
    if (st != RWL_OK)
        return name_failure(b, subject, item->at, st);
    if (place.where != RWL_PLACE_AT || !place.exact)
        return RWL_OK;
    if (!rwl_value_is_nan(&place.floor))
        return copy_value(b, &place.floor, &list->values[list->value_count++]);
    list->with_nan = true;
    return RWL_OK;
}

static rwl_status bind_list(rwl_binder *b, const rwl_expr *e, const side *subject, bool negated,
                            in_list *list) {
    memset(list, 0, sizeof *list);
    list->values = rwl_arena_array(b->arena, e->item_count, sizeof *list->values);
    list->others = rwl_arena_array(b->arena, e->item_count, sizeof *list->others);
    if (list->values == NULL || list->others == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *list->values);
    for (size_t i = 1; i < e->item_count; i++) {
        side item;
        RWL_TRY(bind_side(b, e->items[i], &item));
        if (item.literal != NULL && subject->literal == NULL)
            RWL_TRY(add_literal(b, subject, &item, list));
        else
            RWL_TRY(compare_sides(b, e->items[i], negated ? RWL_RELATION_NE : RWL_RELATION_EQ, subject, &item,
                                  &list->others[list->other_count++]));
    }
    return RWL_OK;
}

/* The literals of the list as one leaf, never or always where they come to nothing. */
static rwl_status make_in(rwl_binder *b, const side *subject, bool negated, const in_list *list,
                          const rwl_bound_node **out) {
    rwl_bound_node *n;
    side s = *subject;
    if (s.value != NULL && rwl_bind_looks_through(s.value))
        set_column(b, s.value->items[0]->column, s.at, &s);
    if (list->value_count == 0 && !list->with_nan)
        return make_for_values(b, &s, negated, out);
    RWL_TRY(make_leaf(b, RWL_BOUND_IN, &s, negated, &n));
    n->with_nan = list->with_nan;
    *out = n;
    return set_values(b, n, list->values, list->value_count);
}

static rwl_status bind_literal_in(rwl_binder *b, const rwl_expr *e, const side *subject, bool negated,
                                  const rwl_bound_node **out) {
    in_list list;
    RWL_TRY(bind_list(b, e, subject, negated, &list));
    size_t kept = 0;
    for (size_t i = 0; i < list.other_count; i++) { /* mostly constants: they decide, or say nothing */
        rwl_bound_kind kind = list.others[i]->kind;
        if (kind == (negated ? RWL_BOUND_NEVER : RWL_BOUND_TRUE))
            return make_const(b, !negated, out);
        if (kind != RWL_BOUND_NEVER && kind != RWL_BOUND_TRUE)
            list.others[kept++] = list.others[i];
    }
    return kept == 0 ? make_const(b, negated, out) : make_logic(b, negated, list.others, kept, out);
}

static rwl_status bind_in(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    side subject;
    side it;
    rwl_bound_node *let = NULL;
    in_list list;
    RWL_TRY(bind_side(b, e->items[0], &subject));
    if (subject.literal != NULL)
        return bind_literal_in(b, e, &subject, negated, out);
    if (subject.type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    RWL_TRY(open_let(b, &subject, &it, &let));
    RWL_TRY(bind_list(b, e, &it, negated, &list));
    if (negated && list.with_null) /* false or unknown */
        return make_const(b, false, out);
    if (list.other_count == 0) /* asked once */
        return make_in(b, &subject, negated, &list, out);
    if (list.value_count > 0 || list.with_nan)
        RWL_TRY(make_in(b, &it, negated, &list, &list.others[list.other_count++]));
    RWL_TRY(make_logic(b, negated, list.others, list.other_count, out));
    return close_let(b, let, out);
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

static rwl_status fail_like(const rwl_binder *b, const side *s) {
    char name[80];
    rwl_type_name(s->type, name, sizeof name);
    return name_failure(b, s, s->at, rwl_fail(b->err, RWL_USAGE, "like takes a string, not type %s", name));
}

static rwl_status bind_like(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    rwl_pattern *pattern;
    rwl_bound_node *n;
    side s;
    RWL_TRY(bind_side(b, e->items[0], &s));
    if (s.literal != NULL && s.literal->kind != RWL_LITERAL_STRING && s.literal->kind != RWL_LITERAL_NULL)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "like takes a string, not %s",
                           rwl_literal_kind_name(s.literal->kind));
    if (s.literal == NULL && s.type->kind != RWL_TYPE_STRING && s.type->kind != RWL_TYPE_UNKNOWN)
        return fail_like(b, &s);
    RWL_TRY(bind_pattern(b, e, &pattern));
    if (e->items[1]->literal.kind == RWL_LITERAL_NULL ||
        (s.literal != NULL ? s.literal->kind == RWL_LITERAL_NULL : s.type->kind == RWL_TYPE_UNKNOWN))
        return make_const(b, false, out);
    if (s.literal != NULL)
        return make_const(b, rwl_pattern_matches(pattern, s.literal->text) != negated, out);
    bool exact = !pattern->has_wildcard;
    RWL_TRY(make_leaf(b, exact ? RWL_BOUND_COMPARE : RWL_BOUND_LIKE, &s, !exact && negated, &n));
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
    side s;
    if (operand->kind == RWL_EXPR_COLUMN) {
        int32_t column;
        RWL_TRY(rwl_bind_name(b, operand, true, &column));
        set_column(b, column, operand->at, &s);
    } else {
        RWL_TRY(bind_side(b, operand, &s));
    }
    if (s.literal != NULL)
        return make_const(b, (s.literal->kind == RWL_LITERAL_NULL) != negated, out);
    if (s.type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, !negated, out);
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NULL, &s, negated, &n));
    *out = n;
    return RWL_OK;
}

static rwl_status bind_is_nan(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    rwl_bound_node *n;
    side s;
    RWL_TRY(bind_side(b, e->items[0], &s));
    if (s.literal != NULL)
        return make_const(b, (s.literal->kind == RWL_LITERAL_NAN) != negated, out);
    if (s.type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, negated, out);
    if (!rwl_kind_has_nan(s.type->kind))
        return name_failure(b, &s, e->at, rwl_fail(b->err, RWL_USAGE, "only float and double can be nan"));
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NAN, &s, negated, &n));
    *out = n;
    return RWL_OK;
}

/* A boolean value as a condition. */
static rwl_status bind_truth(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    rwl_bound_node *n;
    side s;
    RWL_TRY(bind_side(b, e, &s));
    if (s.literal != NULL) {
        if (s.literal->kind != RWL_LITERAL_BOOL && s.literal->kind != RWL_LITERAL_NULL)
            return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "%s is not a condition",
                               rwl_literal_kind_name(s.literal->kind));
        return make_const(b, s.literal->kind == RWL_LITERAL_BOOL && s.literal->b != negate, out);
    }
    if (s.type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    if (s.type->kind != RWL_TYPE_BOOLEAN)
        return s.value != NULL
                   ? rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                                 "expression at %zu is not boolean: compare it with something", e->at + 1)
                   : rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                                 "column '%.100s' is not boolean: compare it with something",
                                 b->fields[s.column].name);
    RWL_TRY(make_leaf(b, RWL_BOUND_COMPARE, &s, false, &n));
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
    RWL_TRY(new_node(b, is_and ? RWL_BOUND_AND : RWL_BOUND_OR, &n));
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
        return bind_in(b, e, negate, out);
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
