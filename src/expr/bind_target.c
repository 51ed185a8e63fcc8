/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of a value that goes into a column: as the column's type, where that is the same but for notation. */
#include "expr/bind_internal.h"
#include "expr/number.h"

static bool is_exact(const rwl_type *t) {
    return t->kind == RWL_TYPE_INT || t->kind == RWL_TYPE_LONG || t->kind == RWL_TYPE_DECIMAL;
}

/* Whether a value is stored in a column of another type without a CAST. */
static bool is_assignable(const rwl_type *from, const rwl_type *to) {
    if (rwl_type_equal(from, to) || from->kind == RWL_TYPE_UNKNOWN)
        return true;
    if (rwl_kind_has_nan(to->kind))
        return rwl_kind_is_number(from->kind);
    if (to->kind == RWL_TYPE_INT || to->kind == RWL_TYPE_LONG)
        return is_exact(from) && (from->kind != RWL_TYPE_DECIMAL || from->scale == 0);
    if (to->kind == RWL_TYPE_DECIMAL)
        return is_exact(from);
    return from->kind == RWL_TYPE_DATE &&
           (to->kind == RWL_TYPE_TIMESTAMP || to->kind == RWL_TYPE_TIMESTAMP_NS);
}

/* Constants count as literals: they have to fit exactly. */
static rwl_status assign_constant(rwl_binder *b, const rwl_literal *literal, const rwl_type *target,
                                  size_t at, const rwl_value_node **out) {
    rwl_value value;
    bool fits;
    char name[80];
    rwl_status st = rwl_literal_value(literal, target, b->arena, &value, &fits, b->err);
    if (st != RWL_OK)
        return rwl_error_in(b->err, st, "expression, at %zu", at + 1);
    rwl_type_name(target, name, sizeof name);
    if (!fits)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)at,
                           "expression, at %zu: %s that type %s does not hold", at + 1,
                           rwl_literal_kind_name(literal->kind), name);
    return rwl_bind_constant(b, target, &value, at, out);
}

static rwl_status assign(rwl_binder *b, const rwl_expr *e, const rwl_type *target,
                         const rwl_value_node **out) {
    rwl_literal literal;
    const rwl_value_node *value = *out;
    if (e->kind == RWL_EXPR_LITERAL)
        return assign_constant(b, &e->literal, target, e->at, out);
    bool nested = rwl_type_is_nested(target);
    if (value->kind == RWL_VALUE_CONSTANT && !nested && value->constant.kind != target->kind &&
        rwl_kind_is_number(value->type.kind) &&
        rwl_literal_of_value(&value->type, &value->constant, b->arena, &literal))
        return assign_constant(b, &literal, target, e->at, out);
    if (!is_assignable(&value->type, target))
        return rwl_bind_fail_types(
            b, e->at, "a value and its column have different types, and there is no cast:", &value->type,
            target);
    return rwl_bind_cast(b, value, target, e->at, out);
}

static rwl_status bind_root(rwl_binder *b, const rwl_expr *e, const rwl_type *target,
                            const rwl_value_node **out) {
    if (e->kind == RWL_EXPR_COLUMN) {
        int32_t column;
        RWL_TRY(rwl_bind_name(b, e, true, &column));
        RWL_TRY(rwl_bind_column_value(b, column, e->at, out));
    } else if (e->kind != RWL_EXPR_LITERAL || target == NULL) {
        RWL_TRY(rwl_bind_argument(b, e, out));
    }
    return target == NULL ? RWL_OK : assign(b, e, target, out);
}

rwl_status rwl_expr_bind_value(const rwl_expr *expr, const rwl_field *fields, int32_t count,
                               const rwl_type *target, rwl_arena *arena, const rwl_bound_value **out,
                               rwl_error *err) {
    rwl_bound_value *bound = rwl_arena_alloc(arena, sizeof *bound);
    bool *used = rwl_arena_array(arena, (size_t)count, sizeof *used);
    int32_t *columns = rwl_arena_array(arena, (size_t)count, sizeof *columns);
    if (bound == NULL || used == NULL || columns == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *columns);
    rwl_binder b = {.fields = fields, .count = count, .arena = arena, .used = used, .err = err};
    RWL_TRY(bind_root(&b, expr, target, &bound->root));
    bound->fields = fields;
    bound->field_count = count;
    bound->columns = columns;
    for (int32_t i = 0; i < count; i++) {
        if (used[i])
            columns[bound->column_count++] = i;
    }
    *out = bound;
    return RWL_OK;
}

const rwl_type *rwl_bound_value_type(const rwl_bound_value *bound) {
    return &bound->root->type;
}

const int32_t *rwl_bound_value_columns(const rwl_bound_value *bound, int32_t *count) {
    *count = bound->column_count;
    return bound->columns;
}
