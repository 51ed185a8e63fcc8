/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of binding share: names, conditions and values. */
#ifndef RWL_EXPR_BIND_INTERNAL_H
#define RWL_EXPR_BIND_INTERNAL_H

#include "expr/expr_internal.h"

typedef struct rwl_binder {
    const rwl_field *fields;
    int32_t count;
    rwl_arena *arena;
    bool *used; /* a flag a field */
    rwl_error *err;
    bool can_fail;
    int conditions; /* conditions as values around this place: each binds and computes what is in it twice */
} rwl_binder;

/* Finds the field a name means and marks it used. Types without an order are refused unless `any_type`. */
rwl_status rwl_bind_name(rwl_binder *b, const rwl_expr *e, bool any_type, int32_t *out);
rwl_status rwl_bind_condition(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out);
/* A value of its own type; what consists of constants is one. */
rwl_status rwl_bind_operand(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out);
/* The same of a value that may be a condition. */
rwl_status rwl_bind_argument(rwl_binder *b, const rwl_expr *e, const rwl_value_node **out);
/* Whether values of one type can become another, and whether each of them can. */
bool rwl_cast_exists(const rwl_type *from, const rwl_type *to);
bool rwl_cast_always_fits(const rwl_type *from, const rwl_type *to);
/* The value as another type: itself, a constant converted, or a cast. USAGE where there is no such cast. */
rwl_status rwl_bind_cast(rwl_binder *b, const rwl_value_node *value, const rwl_type *type, size_t at,
                         const rwl_value_node **out);
/* The type that both can be compared or chosen in: numbers as the header says, else one of the two; false for none. */
bool rwl_bind_common_type(const rwl_type *a, const rwl_type *b, rwl_type *out);
/*
 * Whether a value is a cast of a column that keeps order and tells values apart, so that comparing the column says the
 * same; NULL is not.
 */
bool rwl_bind_looks_through(const rwl_value_node *value);
/* Places a literal among the values of `type`, and where `value` is such a cast, among those of its column. */
rwl_status rwl_bind_place(rwl_binder *b, const rwl_value_node *value, const rwl_literal *literal,
                          const rwl_type *type, rwl_place *out);
/* A column as a value. */
rwl_status rwl_bind_column_value(rwl_binder *b, int32_t column, size_t at, const rwl_value_node **out);

#endif
