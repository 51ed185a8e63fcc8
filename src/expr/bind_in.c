/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of IN: a sorted list of values, and comparisons with what has to be computed. */
#include "expr/bind_internal.h"
#include "expr/in_set.h"

#include <stdlib.h>

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

static rwl_status add_literal(rwl_binder *b, const rwl_side *subject, const rwl_side *item, in_list *list) {
    if (item->literal->kind == RWL_LITERAL_NULL) {
        list->with_null = true;
        return RWL_OK;
    }
    rwl_place place;
    rwl_status st = rwl_bind_place(b, subject->value, item->literal, subject->type, &place);
    if (st != RWL_OK)
        return rwl_bind_fail_in(b, subject, item->at, st);
    if (place.where != RWL_PLACE_AT || !place.exact)
        return RWL_OK;
    if (!rwl_value_is_nan(&place.floor))
        return rwl_bind_copy(b, &place.floor, &list->values[list->value_count++]);
    list->with_nan = true;
    return RWL_OK;
}

static rwl_status bind_list(rwl_binder *b, const rwl_expr *e, const rwl_side *subject, bool negated,
                            in_list *list) {
    memset(list, 0, sizeof *list);
    list->values = rwl_arena_array(b->arena, e->item_count, sizeof *list->values);
    list->others = rwl_arena_array(b->arena, e->item_count, sizeof *list->others);
    if (list->values == NULL || list->others == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *list->values);
    for (size_t i = 1; i < e->item_count; i++) {
        rwl_side item;
        RWL_TRY(rwl_bind_side(b, e->items[i], &item));
        if (item.literal != NULL && subject->literal == NULL)
            RWL_TRY(add_literal(b, subject, &item, list));
        else
            RWL_TRY(rwl_bind_sides(b, e->items[i], negated ? RWL_RELATION_NE : RWL_RELATION_EQ, subject,
                                   &item, &list->others[list->other_count++]));
    }
    return RWL_OK;
}

/* The literals of the list as one leaf, never or always where they come to nothing. */
static rwl_status make_in(rwl_binder *b, const rwl_side *subject, bool negated, const in_list *list,
                          const rwl_bound_node **out) {
    rwl_bound_node *n;
    rwl_side s = *subject;
    if (s.value != NULL && rwl_bind_looks_through(s.value))
        rwl_side_column(b, s.value->items[0]->column, s.at, &s);
    if (list->value_count == 0 && !list->with_nan)
        return rwl_bind_for_values(b, &s, negated, out);
    RWL_TRY(rwl_bind_leaf(b, RWL_BOUND_IN, &s, negated, &n));
    n->with_nan = list->with_nan;
    *out = n;
    return set_values(b, n, list->values, list->value_count);
}

static rwl_status bind_literal_in(rwl_binder *b, const rwl_expr *e, const rwl_side *subject, bool negated,
                                  const rwl_bound_node **out) {
    in_list list;
    RWL_TRY(bind_list(b, e, subject, negated, &list));
    size_t kept = 0;
    for (size_t i = 0; i < list.other_count; i++) { /* mostly constants: they decide, or say nothing */
        rwl_bound_kind kind = list.others[i]->kind;
        if (kind == (negated ? RWL_BOUND_NEVER : RWL_BOUND_TRUE))
            return rwl_bind_const(b, !negated, out);
        if (kind != RWL_BOUND_NEVER && kind != RWL_BOUND_TRUE)
            list.others[kept++] = list.others[i];
    }
    return kept == 0 ? rwl_bind_const(b, negated, out) : rwl_bind_items(b, negated, list.others, kept, out);
}

rwl_status rwl_bind_in(rwl_binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    rwl_side subject;
    rwl_side it;
    rwl_bound_node *let = NULL;
    in_list list;
    RWL_TRY(rwl_bind_side(b, e->items[0], &subject));
    if (subject.literal != NULL)
        return bind_literal_in(b, e, &subject, negated, out);
    if (subject.type->kind == RWL_TYPE_UNKNOWN)
        return rwl_bind_const(b, false, out);
    RWL_TRY(rwl_bind_open_let(b, &subject, &it, &let));
    RWL_TRY(bind_list(b, e, &it, negated, &list));
    if (negated && list.with_null) /* false or unknown */
        return rwl_bind_const(b, false, out);
    if (list.other_count == 0) /* asked once */
        return make_in(b, &subject, negated, &list, out);
    if (list.value_count > 0 || list.with_nan)
        RWL_TRY(make_in(b, &it, negated, &list, &list.others[list.other_count++]));
    RWL_TRY(rwl_bind_items(b, negated, list.others, list.other_count, out));
    return rwl_bind_close_let(b, let, out);
}
