/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of comparisons: literals to the types they are compared with, two values to a type that both have. */
#include "expr/bind_internal.h"

/* --- comparisons with a literal --- */

/* Values that are NaN, or values that are not: nulls are neither. */
static rwl_status make_nan_test(rwl_binder *b, const rwl_side *s, bool is_nan, const rwl_bound_node **out) {
    rwl_bound_node *n;
    rwl_bound_node *valid;
    rwl_bound_node *let;
    rwl_side inner;
    if (is_nan) {
        RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IS_NAN, s, false, &n));
        *out = n;
        return RWL_OK;
    }
    RWL_TRY(rwl_bind_open_let(b, s, &inner, &let));
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IS_NAN, &inner, true, &n));
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IS_NULL, &inner, true, &valid));
    const rwl_bound_node *items[2] = {n, valid};
    RWL_TRY(rwl_bind_items(b, true, items, 2, out));
    return rwl_bind_close_let(b, let, out);
}

/* subject op NaN, NaN being the greatest value. */
static rwl_status make_nan_compare(rwl_binder *b, const rwl_side *s, rwl_relation op,
                                   const rwl_bound_node **out) {
    switch (op) {
    case RWL_RELATION_EQ:
    case RWL_RELATION_GE:
        return make_nan_test(b, s, true, out);
    case RWL_RELATION_NE:
    case RWL_RELATION_LT:
        return make_nan_test(b, s, false, out);
    default:
        return rwl_bind_for_values(b, s, op == RWL_RELATION_LE, out);
    }
}

static rwl_status compare_place(rwl_binder *b, const rwl_side *s, rwl_relation op, const rwl_place *place,
                                const rwl_bound_node **out) {
    if (place->where != RWL_PLACE_AT) /* every value is on the same rwl_side */
        return rwl_bind_for_values(b, s, rwl_relation_holds(op, place->where == RWL_PLACE_BELOW ? 1 : -1),
                                   out);
    if (!place->exact) {
        if (op == RWL_RELATION_EQ || op == RWL_RELATION_NE)
            return rwl_bind_for_values(b, s, op == RWL_RELATION_NE, out);
        /* floor < literal < the next value */
        op = op == RWL_RELATION_LT ? RWL_RELATION_LE : op == RWL_RELATION_GE ? RWL_RELATION_GT : op;
    }
    if (rwl_value_is_nan(&place->floor))
        return make_nan_compare(b, s, op, out);
    rwl_bound_node *n;
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_COMPARE, s, false, &n));
    n->op = op;
    *out = n;
    return rwl_bind_copy(b, &place->floor, &n->value);
}

/* --- the day of a timestamp: a range of days is a range of timestamps --- */

/* The column against midnight of a day, wherever that lies among its values. */
static rwl_status compare_midnight(rwl_binder *b, const rwl_side *ts, rwl_relation op, int64_t day,
                                   const rwl_bound_node **out) {
    static const rwl_i128 NS_A_DAY = (rwl_i128)86400 * 1000000000;
    rwl_literal midnight = {.kind = RWL_LITERAL_TIMESTAMP, .units = day * NS_A_DAY};
    rwl_place place;
    RWL_TRY(rwl_literal_place(&midnight, ts->type, b->arena, &place, b->err));
    return compare_place(b, ts, op, &place, out);
}

static rwl_status compare_day(rwl_binder *b, const rwl_side *ts, rwl_relation op, const rwl_place *day,
                              const rwl_bound_node **out) {
    const rwl_bound_node *ends[2];
    int64_t d = day->floor.as.i32;
    bool is_eq = op == RWL_RELATION_EQ;
    if (day->where != RWL_PLACE_AT || (!day->exact && (is_eq || op == RWL_RELATION_NE)))
        return compare_place(b, ts, op, day, out);
    switch (op) {
    case RWL_RELATION_EQ:
    case RWL_RELATION_NE:
        RWL_TRY(compare_midnight(b, ts, is_eq ? RWL_RELATION_GE : RWL_RELATION_LT, d, &ends[0]));
        RWL_TRY(compare_midnight(b, ts, is_eq ? RWL_RELATION_LT : RWL_RELATION_GE, d + 1, &ends[1]));
        return rwl_bind_items(b, is_eq, ends, 2, out);
    case RWL_RELATION_LT:
        return compare_midnight(b, ts, RWL_RELATION_LT, d + !day->exact, out);
    case RWL_RELATION_LE:
        return compare_midnight(b, ts, RWL_RELATION_LT, d + 1, out);
    case RWL_RELATION_GT:
        return compare_midnight(b, ts, RWL_RELATION_GE, d + 1, out);
    default:
        return compare_midnight(b, ts, RWL_RELATION_GE, d + !day->exact, out);
    }
}

static rwl_status compare_literal(rwl_binder *b, const rwl_side *s, rwl_relation op, const rwl_side *literal,
                                  const rwl_bound_node **out) {
    if (literal->literal->kind == RWL_LITERAL_NULL || s->type->kind == RWL_TYPE_UNKNOWN)
        return rwl_bind_const(b, false, out);
    rwl_place place;
    rwl_side subject;
    rwl_status st = rwl_bind_place(b, s->value, literal->literal, s->type, &place);
    if (st != RWL_OK)
        return rwl_bind_fail_in(b, s, literal->at, st);
    if (rwl_bind_is_day(s->value)) {
        rwl_side_column(b, s->value->items[0]->column, s->at, &subject);
        return compare_day(b, &subject, op, &place, out);
    }
    subject = *s;
    if (s->value != NULL && rwl_bind_looks_through(s->value))
        rwl_side_column(b, s->value->items[0]->column, s->at, &subject);
    return compare_place(b, &subject, op, &place, out);
}

/* --- comparisons of two values --- */

static rwl_status side_value(rwl_binder *b, const rwl_side *s, const rwl_value_node **out) {
    *out = s->value;
    return s->value != NULL ? RWL_OK : rwl_bind_column_value(b, s->column, s->at, out);
}

static bool comparable(const rwl_type *a, const rwl_type *b) {
    if (a->kind == b->kind)
        return rwl_type_is_time_ns(a) == rwl_type_is_time_ns(b);
    return (a->kind == RWL_TYPE_INT && b->kind == RWL_TYPE_LONG) ||
           (a->kind == RWL_TYPE_LONG && b->kind == RWL_TYPE_INT) ||
           (a->kind == RWL_TYPE_FLOAT && b->kind == RWL_TYPE_DOUBLE) ||
           (a->kind == RWL_TYPE_DOUBLE && b->kind == RWL_TYPE_FLOAT);
}

static rwl_status fail_pair(const rwl_binder *b, const rwl_expr *e, const rwl_side *x, const rwl_side *y) {
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
static rwl_status meet(rwl_binder *b, const rwl_expr *e, rwl_side *x, rwl_side *y) {
    rwl_type common;
    const rwl_value_node *value;
    rwl_side *sides[2] = {x, y};
    if (rwl_type_is_decimal256(x->type) || rwl_type_is_decimal256(y->type))
        return rwl_fail_at(b->err, RWL_UNSUPPORTED, (int64_t)e->at,
                           "expression, at %zu: decimals of more than 38 digits are not compared", e->at + 1);
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

static rwl_status compare_values(rwl_binder *b, const rwl_expr *e, rwl_relation op, rwl_side x, rwl_side y,
                                 const rwl_bound_node **out) {
    if (x.type->kind == RWL_TYPE_UNKNOWN || y.type->kind == RWL_TYPE_UNKNOWN)
        return rwl_bind_const(b, false, out);
    RWL_TRY(meet(b, e, &x, &y));
    rwl_bound_node *n;
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_PAIR, &x, false, &n));
    n->column2 = y.value == NULL ? y.column : -1;
    n->operand2 = y.value;
    n->op = op;
    *out = n;
    return RWL_OK;
}

static rwl_status compare_literals(rwl_binder *b, const rwl_expr *e, rwl_relation op, const rwl_literal *x,
                                   const rwl_literal *y, const rwl_bound_node **out) {
    if (x->kind == RWL_LITERAL_NULL || y->kind == RWL_LITERAL_NULL)
        return rwl_bind_const(b, false, out);
    int order;
    if (!rwl_literal_compare(x, y, &order))
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "%s does not compare with %s",
                           rwl_literal_kind_name(x->kind), rwl_literal_kind_name(y->kind));
    return rwl_bind_const(b, rwl_relation_holds(op, order), out);
}

rwl_status rwl_bind_sides(rwl_binder *b, const rwl_expr *e, rwl_relation op, const rwl_side *x,
                          const rwl_side *y, const rwl_bound_node **out) {
    if (x->literal != NULL && y->literal != NULL)
        return compare_literals(b, e, op, x->literal, y->literal, out);
    if (x->literal != NULL)
        return compare_literal(b, y, rwl_relation_mirror(op), x, out);
    if (y->literal != NULL)
        return compare_literal(b, x, op, y, out);
    return compare_values(b, e, op, *x, *y, out);
}
