/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of values: the types of operands and results, casts where they differ, constants computed. */
#include "expr/bind_internal.h"
#include "expr/eval_internal.h"
#include "expr/number.h"

enum {
    CONDITION_NESTING_MAX = 4
}; /* of conditions as values: each level doubles what is bound and computed */

static rwl_status new_value(rwl_binder *b, rwl_value_kind kind, const rwl_type *type, size_t at,
                            rwl_value_node **out) {
    rwl_value_node *v = rwl_arena_alloc(b->arena, sizeof *v);
    if (v == NULL)
        return rwl_no_memory(b->err, sizeof *v);
    v->kind = kind;
    v->type = *type;
    v->at = at;
    v->column = -1;
    *out = v;
    return RWL_OK;
}

rwl_status rwl_bind_constant(rwl_binder *b, const rwl_type *type, const rwl_value *value, size_t at,
                             const rwl_value_node **out) {
    rwl_value_node *v;
    RWL_TRY(new_value(b, RWL_VALUE_CONSTANT, type, at, &v));
    v->constant = *value;
    *out = v;
    return RWL_OK;
}

static rwl_status make_null(rwl_binder *b, const rwl_type *type, size_t at, const rwl_value_node **out) {
    rwl_value null = rwl_value_null(type->kind);
    return rwl_bind_constant(b, type, &null, at, out);
}

static rwl_status set_operands(rwl_binder *b, rwl_value_node *v, const rwl_value_node *const *items,
                               size_t count) {
    v->items = rwl_arena_copy(b->arena, items, count * sizeof *items);
    if (v->items == NULL)
        return rwl_no_memory(b->err, count * sizeof *items);
    v->item_count = count;
    return RWL_OK;
}

/* Computes a value of constants. One that cannot be computed fails where a row needs it, if any does. */
static rwl_status finish(rwl_binder *b, rwl_value_node *v, bool can_fail, const rwl_value_node **out) {
    bool constant = true;
    *out = v;
    for (size_t i = 0; i < v->item_count; i++)
        constant = constant && v->items[i]->kind == RWL_VALUE_CONSTANT;
    if (constant) {
        rwl_value value;
        rwl_status st = rwl_value_eval_constant(v, b->arena, &value, b->err);
        if (st == RWL_OK)
            return rwl_bind_constant(b, &v->type, &value, v->at, out);
        if (st == RWL_NO_MEMORY)
            return st;
    }
    b->can_fail = b->can_fail || can_fail;
    return RWL_OK;
}

/* --- leaves and casts --- */

rwl_status rwl_bind_column_value(rwl_binder *b, int32_t column, size_t at, const rwl_value_node **out) {
    const rwl_type *type = &b->fields[column].type;
    rwl_value_node *v;
    if (type->kind == RWL_TYPE_UNKNOWN)
        return make_null(b, type, at, out);
    RWL_TRY(new_value(b, RWL_VALUE_COLUMN, type, at, &v));
    v->column = column;
    *out = v;
    return RWL_OK;
}

rwl_status rwl_bind_fail_types(const rwl_binder *b, size_t at, const char *what, const rwl_type *x,
                               const rwl_type *y) {
    char left[80];
    char right[80];
    rwl_type_name(x, left, sizeof left);
    rwl_type_name(y, right, sizeof right);
    return rwl_fail_at(b->err, RWL_USAGE, (int64_t)at, "expression, at %zu: %s %s and %s", at + 1, what, left,
                       right);
}

rwl_status rwl_bind_cast(rwl_binder *b, const rwl_value_node *value, const rwl_type *type, size_t at,
                         const rwl_value_node **out) {
    rwl_value_node *v;
    *out = value;
    if (rwl_type_equal(&value->type, type))
        return RWL_OK;
    if (!rwl_cast_exists(&value->type, type))
        return rwl_bind_fail_types(b, at, "there is no cast between", &value->type, type);
    if (value->kind == RWL_VALUE_CONSTANT && value->constant.is_null)
        return make_null(b, type, at, out);
    RWL_TRY(new_value(b, RWL_VALUE_CAST, type, at, &v));
    RWL_TRY(set_operands(b, v, &value, 1));
    return finish(b, v, !rwl_cast_always_fits(&value->type, type), out);
}

/* A literal as a value of `type`; `fits` tells whether one equals it, and may be NULL where one has to. */
static rwl_status bind_literal(rwl_binder *b, const rwl_expr *e, const rwl_type *type, bool *fits,
                               const rwl_value_node **out) {
    rwl_value value;
    bool equal;
    char name[80];
    rwl_status st = rwl_literal_value(&e->literal, type, b->arena, &value, &equal, b->err);
    if (st != RWL_OK)
        return rwl_error_in(b->err, st, "expression, at %zu", e->at + 1);
    if (fits != NULL)
        *fits = equal;
    rwl_type_name(type, name, sizeof name);
    if (fits == NULL && !equal)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                           "expression, at %zu: type %s does not hold the literal", e->at + 1, name);
    return rwl_bind_constant(b, type, &value, e->at, out);
}

/* --- arithmetic --- */

/* The type that a number next to a value of `other` has. */
static rwl_type number_type_beside(const rwl_literal *l, const rwl_type *other) {
    rwl_type own = rwl_literal_type(l);
    if (rwl_kind_has_nan(other->kind))
        return *other;
    if (other->kind == RWL_TYPE_LONG && own.kind == RWL_TYPE_INT)
        return *other;
    if (other->kind == RWL_TYPE_DECIMAL && l->kind == RWL_LITERAL_NUMBER && own.kind != RWL_TYPE_DOUBLE &&
        own.kind != RWL_TYPE_DECIMAL) { /* of the digits it has */
        rwl_number n = rwl_number_read(l->text);
        own = rwl_type_of(RWL_TYPE_DECIMAL);
        own.precision = n.count > 0 ? (int32_t)n.count : 1;
    }
    return own;
}

static rwl_status bind_number(rwl_binder *b, const rwl_expr *e, const rwl_type *beside,
                              const rwl_value_node **out) {
    rwl_type type = number_type_beside(&e->literal, beside);
    return bind_literal(b, e, &type, NULL, out);
}

static bool is_number_literal(const rwl_expr *e) {
    return e->kind == RWL_EXPR_LITERAL &&
           (e->literal.kind == RWL_LITERAL_NUMBER || e->literal.kind == RWL_LITERAL_NAN);
}

/* Both sides, a number taking after the other one, even if that is one too. */
static rwl_status bind_sides(rwl_binder *b, const rwl_expr *e, const rwl_value_node *sides[2]) {
    rwl_type types[2];
    for (int i = 0; i < 2; i++) {
        if (is_number_literal(e->items[i])) {
            types[i] = rwl_literal_type(&e->items[i]->literal);
        } else {
            RWL_TRY(rwl_bind_operand(b, e->items[i], &sides[i]));
            types[i] = sides[i]->type;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (is_number_literal(e->items[i]))
            RWL_TRY(bind_number(b, e->items[i], &types[1 - i], &sides[i]));
    }
    return RWL_OK;
}

static rwl_type as_decimal(const rwl_type *t) {
    rwl_type d = *t;
    if (t->kind != RWL_TYPE_DECIMAL) {
        d = rwl_type_of(RWL_TYPE_DECIMAL);
        d.precision = t->kind == RWL_TYPE_INT ? 10 : 19;
    }
    return d;
}

static int max_int(int a, int b) {
    return a > b ? a : b;
}
static int min_int(int a, int b) {
    return a < b ? a : b;
}

/* Result of decimals; the header says how. */
static rwl_type decimal_result(rwl_arithmetic op, const rwl_type *a, const rwl_type *b) {
    rwl_type t = rwl_type_of(RWL_TYPE_DECIMAL);
    int whole = max_int(a->precision - a->scale, b->precision - b->scale);
    t.scale = max_int(a->scale, b->scale);
    switch (op) {
    case RWL_ARITHMETIC_MULTIPLY:
        t.scale = a->scale + b->scale;
        t.precision = a->precision + b->precision + 1;
        break;
    case RWL_ARITHMETIC_DIVIDE: {
        int before = a->precision - a->scale + b->scale;
        t.scale = max_int(6, a->scale + b->precision + 1);
        if (before + t.scale > 38)
            t.scale = max_int(38 - before, 6);
        t.precision = before + t.scale;
        break;
    }
    case RWL_ARITHMETIC_REMAINDER:
        t.precision = min_int(a->precision - a->scale, b->precision - b->scale) + t.scale;
        break;
    default:
        t.precision = whole + t.scale + 1;
        break;
    }
    t.precision = min_int(max_int(t.precision, 1), 38);
    return t;
}

/* Casts both sides to what is computed with, and says the type of the result. */
static rwl_status meet_numbers(rwl_binder *b, const rwl_expr *e, const rwl_value_node *sides[2],
                               rwl_type *result) {
    rwl_type common;
    (void)rwl_bind_common_type(&sides[0]->type, &sides[1]->type, &common);
    if (common.kind == RWL_TYPE_DECIMAL) {
        rwl_type types[2] = {as_decimal(&sides[0]->type), as_decimal(&sides[1]->type)};
        *result = decimal_result(e->arithmetic, &types[0], &types[1]);
        if (result->scale > 38)
            return rwl_fail_at(
                b->err, RWL_USAGE, (int64_t)e->at,
                "expression, at %zu: the product has %d digits behind the point, more than 38: "
                "cast its factors",
                e->at + 1, result->scale);
        for (int i = 0; i < 2; i++)
            RWL_TRY(rwl_bind_cast(b, sides[i], &types[i], e->at, &sides[i]));
        return RWL_OK;
    }
    if (common.kind == RWL_TYPE_LONG)
        common.parameters = NULL; /* what is computed of durations is a number */
    *result = common;
    for (int i = 0; i < 2; i++)
        RWL_TRY(rwl_bind_cast(b, sides[i], &common, e->at, &sides[i]));
    return RWL_OK;
}

static bool takes_part(rwl_arithmetic op, const rwl_type *t) {
    if (t->kind == RWL_TYPE_UNKNOWN)
        return true;
    return op == RWL_ARITHMETIC_CONCAT ? t->kind == RWL_TYPE_STRING : rwl_kind_is_number(t->kind);
}

static rwl_status bind_arithmetic(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    const rwl_value_node *sides[2];
    rwl_value_node *v;
    RWL_TRY(bind_sides(b, e, sides));
    for (int i = 0; i < 2; i++) {
        if (!takes_part(e->arithmetic, &sides[i]->type)) {
            char name[80];
            rwl_type_name(&sides[i]->type, name, sizeof name);
            return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                               "expression, at %zu: %s does not take type %s", e->at + 1,
                               rwl_arithmetic_text(e->arithmetic), name);
        }
    }
    if (sides[0]->type.kind == RWL_TYPE_UNKNOWN || sides[1]->type.kind == RWL_TYPE_UNKNOWN)
        return make_null(b, &sides[sides[0]->type.kind == RWL_TYPE_UNKNOWN]->type, e->at, out);
    rwl_type result = rwl_type_of(RWL_TYPE_STRING);
    if (e->arithmetic != RWL_ARITHMETIC_CONCAT)
        RWL_TRY(meet_numbers(b, e, sides, &result));
    RWL_TRY(new_value(b, RWL_VALUE_ARITHMETIC, &result, e->at, &v));
    v->op = e->arithmetic;
    RWL_TRY(set_operands(b, v, sides, 2));
    return finish(b, v, result.kind != RWL_TYPE_STRING && !rwl_kind_has_nan(result.kind), out);
}

static rwl_status bind_negate(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    const rwl_value_node *item;
    rwl_value_node *v;
    RWL_TRY(rwl_bind_operand(b, e->items[0], &item));
    if (item->type.kind == RWL_TYPE_UNKNOWN) {
        *out = item;
        return RWL_OK;
    }
    if (!rwl_kind_is_number(item->type.kind)) {
        char name[80];
        rwl_type_name(&item->type, name, sizeof name);
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "expression, at %zu: - does not take type %s",
                           e->at + 1, name);
    }
    RWL_TRY(new_value(b, RWL_VALUE_NEGATE, &item->type, e->at, &v));
    RWL_TRY(set_operands(b, v, &item, 1));
    return finish(b, v, item->type.kind == RWL_TYPE_INT || item->type.kind == RWL_TYPE_LONG, out);
}

/* --- case and coalesce --- */

static bool is_late_literal(const rwl_expr *e) {
    return e->kind == RWL_EXPR_LITERAL;
}

/* Takes the literals into account: where one does not fit, the type grows by its own. */
static rwl_status grow_type(rwl_binder *b, const rwl_expr *e, rwl_type *type) {
    rwl_type own = rwl_literal_type(&e->literal);
    rwl_type common;
    bool fits = false;
    if (own.kind == RWL_TYPE_UNKNOWN)
        return RWL_OK;
    if (type->kind == RWL_TYPE_UNKNOWN) {
        *type = own;
        return RWL_OK;
    }
    const rwl_value_node *unused;
    RWL_TRY(bind_literal(b, e, type, &fits, &unused));
    if (fits)
        return RWL_OK;
    if (!rwl_bind_common_type(type, &own, &common))
        return rwl_bind_fail_types(b, e->at, "no type holds both", type, &own);
    *type = common;
    return RWL_OK;
}

/* All results in one type. */
static rwl_status bind_results(rwl_binder *b, const rwl_expr *const *results, size_t count, rwl_type *type,
                               const rwl_value_node **out) {
    *type = rwl_type_of(RWL_TYPE_UNKNOWN);
    for (size_t i = 0; i < count; i++) {
        if (is_late_literal(results[i]))
            continue;
        rwl_type common;
        RWL_TRY(rwl_bind_argument(b, results[i], &out[i]));
        if (!rwl_bind_common_type(type, &out[i]->type, &common))
            return rwl_bind_fail_types(b, results[i]->at, "no type holds both", type, &out[i]->type);
        *type = common;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_late_literal(results[i]))
            RWL_TRY(grow_type(b, results[i], type));
    }
    for (size_t i = 0; i < count; i++) {
        if (is_late_literal(results[i]))
            RWL_TRY(bind_literal(b, results[i], type, NULL, &out[i]));
        else
            RWL_TRY(rwl_bind_cast(b, out[i], type, results[i]->at, &out[i]));
    }
    return RWL_OK;
}

static rwl_status bind_choice(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    size_t conditions = e->item_count / 2, results = e->item_count - conditions;
    const rwl_bound_node **when = rwl_arena_array(b->arena, conditions, sizeof *when);
    const rwl_value_node **then = rwl_arena_array(b->arena, results, sizeof *then);
    const rwl_expr **items = rwl_arena_array(b->arena, results, sizeof *items);
    rwl_value_node *v;
    rwl_type type;
    if (when == NULL || then == NULL || items == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *when);
    for (size_t i = 0; i < results; i++)
        items[i] = e->items[i < conditions ? 2 * i + 1 : e->item_count - 1];
    for (size_t i = 0; i < conditions; i++)
        RWL_TRY(rwl_bind_condition(b, e->items[2 * i], false, &when[i]));
    RWL_TRY(bind_results(b, items, results, &type, then));
    RWL_TRY(new_value(b, RWL_VALUE_CHOICE, &type, e->at, &v));
    v->conditions = when;
    v->condition_count = conditions;
    v->items = then;
    v->item_count = results;
    *out = v;
    return RWL_OK;
}

static rwl_status bind_coalesce(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    const rwl_value_node **items = rwl_arena_array(b->arena, e->item_count, sizeof *items);
    rwl_value_node *v;
    rwl_type type;
    if (items == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *items);
    RWL_TRY(bind_results(b, e->items, e->item_count, &type, items));
    RWL_TRY(new_value(b, RWL_VALUE_COALESCE, &type, e->at, &v));
    v->items = items;
    v->item_count = e->item_count;
    return finish(b, v, false, out);
}

/* --- values of any kind --- */

/* Of a literal its value is read as the type, such as text as a date. */
static rwl_status bind_cast(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    const rwl_value_node *item;
    RWL_TRY(rwl_bind_argument(b, e->items[0], &item));
    return rwl_bind_cast(b, item, &e->type, e->at, out);
}

rwl_status rwl_bind_operand(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    int32_t column;
    rwl_type type;
    switch (e->kind) {
    case RWL_EXPR_COLUMN:
        RWL_TRY(rwl_bind_name(b, e, false, &column));
        return rwl_bind_column_value(b, column, e->at, out);
    case RWL_EXPR_ARITHMETIC:
        return bind_arithmetic(b, e, out);
    case RWL_EXPR_NEGATE:
        return bind_negate(b, e, out);
    case RWL_EXPR_CASE:
        return bind_choice(b, e, out);
    case RWL_EXPR_COALESCE:
        return bind_coalesce(b, e, out);
    case RWL_EXPR_CAST:
        return bind_cast(b, e, out);
    default:
        type = rwl_literal_type(&e->literal);
        return bind_literal(b, e, &type, NULL, out);
    }
}

static rwl_status bind_truth(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    rwl_type type = rwl_type_of(RWL_TYPE_BOOLEAN);
    const rwl_bound_node *sides[2];
    rwl_value_node *v;
    if (b->conditions == CONDITION_NESTING_MAX)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                           "expression, at %zu: conditions as values are nested deeper than %d levels",
                           e->at + 1, CONDITION_NESTING_MAX);
    b->conditions++;
    for (int i = 0; i < 2; i++)
        RWL_TRY(rwl_bind_condition(b, e, i == 1, &sides[i]));
    b->conditions--;
    RWL_TRY(new_value(b, RWL_VALUE_CONDITION, &type, e->at, &v));
    v->conditions = rwl_arena_copy(b->arena, sides, sizeof sides);
    if (v->conditions == NULL)
        return rwl_no_memory(b->err, sizeof sides);
    v->condition_count = 2;
    *out = v;
    return RWL_OK;
}

rwl_status rwl_bind_argument(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out) {
    return rwl_expr_is_operand(e) ? rwl_bind_operand(b, e, out) : bind_truth(b, e, out);
}
