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
/* Whether a value is the day of a column of timestamps without zone: comparing it is a range of the column. */
bool rwl_bind_is_day(const rwl_value_node *value);
/* Places a literal among the values of `type`, and where `value` is such a cast, among those of its column. */
rwl_status rwl_bind_place(rwl_binder *b, const rwl_value_node *value, const rwl_literal *literal,
                          const rwl_type *type, rwl_place *out);
rwl_status rwl_bind_constant(rwl_binder *b, const rwl_type *type, const rwl_value *value, size_t at,
                             const rwl_value_node **out);
/* USAGE: `what`, then both types. */
rwl_status rwl_bind_fail_types(const rwl_binder *b, size_t at, const char *what, const rwl_type *x,
                               const rwl_type *y);
/* A column as a value. */
rwl_status rwl_bind_column_value(rwl_binder *b, int32_t column, size_t at, const rwl_value_node **out);

/* --- conditions --- */

/* One side of a comparison: a literal, a column, or a value to be computed. */
typedef struct rwl_side {
    const rwl_literal *literal;  /* or NULL */
    const rwl_value_node *value; /* or NULL */
    int32_t column;              /* of neither */
    const rwl_type *type;        /* of column and value */
    size_t at;
} rwl_side;

rwl_status rwl_bind_side(rwl_binder *b, const rwl_expr *e, rwl_side *out);
void rwl_side_column(const rwl_binder *b, int32_t column, size_t at, rwl_side *out);
/* Names column or expression in front of a failure about what stands at `at`. */
rwl_status rwl_bind_fail_in(const rwl_binder *b, const rwl_side *s, size_t at, rwl_status st);
rwl_status rwl_bind_copy(rwl_binder *b, const rwl_value *from, rwl_value *to);

rwl_status rwl_bind_node(rwl_binder *b, rwl_bound_kind kind, rwl_bound_node **out);
rwl_status rwl_bind_const(rwl_binder *b, bool selected, const rwl_bound_node **out);
rwl_status rwl_bind_leaf(rwl_binder *b, rwl_bound_kind kind, const rwl_side *s, bool negated,
                         rwl_bound_node **out);
rwl_status rwl_bind_items(rwl_binder *b, bool is_and, const rwl_bound_node *const *items, size_t count,
                          const rwl_bound_node **out);
/* What a comparison that holds for every value, or for none, selects. */
rwl_status rwl_bind_for_values(rwl_binder *b, const rwl_side *s, bool holds, const rwl_bound_node **out);
/* A condition that asks for a value more than once: the value is computed by a LET around it and `inner` stands for
 * it. Columns, and casts that are seen through, stand for themselves. */
rwl_status rwl_bind_open_let(rwl_binder *b, const rwl_side *s, rwl_side *inner, rwl_bound_node **let);
/* Puts what was bound inside into the LET, if there is one. */
rwl_status rwl_bind_close_let(rwl_binder *b, rwl_bound_node *let, const rwl_bound_node **inout);

/* x op y; `e` says where. */
rwl_status rwl_bind_sides(rwl_binder *b, const rwl_expr *e, rwl_relation op, const rwl_side *x,
                          const rwl_side *y, const rwl_bound_node **out);
rwl_status rwl_bind_in(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out);

#endif
