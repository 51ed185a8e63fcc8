/* SPDX-License-Identifier: Apache-2.0 */
/* Binding: names to columns, literals to column types, negations down to the leaves. */
#include "expr/expr_internal.h"

#include <stdlib.h>

typedef struct binder {
    const rwl_field *fields;
    int32_t count;
    rwl_arena *arena;
    bool *used; /* a flag a field */
    rwl_error *err;
} binder;

/* --- names --- */

static bool equal_ignoring_case(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

static bool has_field(const binder *b, const char *name) {
    for (int32_t i = 0; i < b->count; i++) {
        if (strcmp(b->fields[i].name, name) == 0)
            return true;
    }
    return false;
}

/* A column that was likely meant, NULL when none comes to mind. Other engines write "$row_id". */
static const char *likely_name(const binder *b, const char *name) {
    if (name[0] == '$') {
        for (int32_t i = 0; i < b->count; i++) {
            const char *known = b->fields[i].name;
            if (known[0] == '_' && strcmp(known + 1, name + 1) == 0)
                return known;
        }
        if (strcmp(name, "$path") == 0 && has_field(b, RWL_COLUMN_FILE))
            return RWL_COLUMN_FILE;
    }
    for (int32_t i = 0; i < b->count; i++) {
        if (equal_ignoring_case(b->fields[i].name, name))
            return b->fields[i].name;
    }
    return NULL;
}

static rwl_status fail_unknown(const binder *b, const rwl_expr *e, const char *name) {
    char known[300];
    size_t len = 0;
    int32_t shown = 0;
    for (; shown < b->count; shown++) {
        size_t more = strlen(b->fields[shown].name);
        if (len + more + 24 > sizeof known)
            break;
        if (shown > 0) {
            memcpy(known + len, ", ", 2);
            len += 2;
        }
        memcpy(known + len, b->fields[shown].name, more);
        len += more;
    }
    known[len] = '\0';
    const char *likely = likely_name(b, name);
    if (likely != NULL)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "no column '%.100s': here it is called %s",
                           name, likely);
    return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "no column '%.100s'; the columns are %s%s", name,
                       known, shown < b->count ? ", and more" : "");
}

static rwl_status find_column(const binder *b, const rwl_expr *e, int32_t *out) {
    const char *name = e->parts[0];
    for (int32_t i = 0; i < b->count; i++) {
        if (strcmp(b->fields[i].name, name) != 0)
            continue;
        rwl_type_kind kind = b->fields[i].type.kind;
        if (e->part_count > 1)
            return rwl_fail_at(b->err, RWL_UNSUPPORTED, (int64_t)e->at,
                               "nested field '%.60s.%.60s' in a filter is not supported yet", name,
                               e->parts[1]);
        if (kind > RWL_TYPE_BINARY)
            return rwl_fail_at(b->err, RWL_UNSUPPORTED, (int64_t)e->at,
                               "column '%.100s' in a filter: %s types are not supported yet", name,
                               rwl_type_is_nested(&b->fields[i].type) ? "nested" : "variant and geo");
        b->used[i] = true;
        *out = i;
        return RWL_OK;
    }
    return fail_unknown(b, e, name);
}

/* --- nodes --- */

static rwl_status new_node(binder *b, rwl_bound_kind kind, rwl_bound_node **out) {
    rwl_bound_node *n = rwl_arena_alloc(b->arena, sizeof *n);
    if (n == NULL)
        return rwl_no_memory(b->err, sizeof *n);
    n->kind = kind;
    *out = n;
    return RWL_OK;
}

static rwl_status make_const(binder *b, bool selected, const rwl_bound_node **out) {
    rwl_bound_node *n;
    RWL_TRY(new_node(b, selected ? RWL_BOUND_TRUE : RWL_BOUND_NEVER, &n));
    *out = n;
    return RWL_OK;
}

static rwl_status make_leaf(binder *b, rwl_bound_kind kind, int32_t column, bool negated,
                            rwl_bound_node **out) {
    RWL_TRY(new_node(b, kind, out));
    (*out)->column = column;
    (*out)->type = &b->fields[column].type;
    (*out)->negated = negated;
    return RWL_OK;
}

/* What a comparison that holds for every value, or for none, selects. */
static rwl_status make_for_values(binder *b, int32_t column, bool holds, const rwl_bound_node **out) {
    if (!holds)
        return make_const(b, false, out);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NULL, column, true, &n));
    *out = n;
    return RWL_OK;
}

/* Values that are NaN, or values that are not: nulls are neither. */
static rwl_status make_nan_test(binder *b, int32_t column, bool is_nan, const rwl_bound_node **out) {
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NAN, column, !is_nan, &n));
    *out = n;
    if (is_nan)
        return RWL_OK;
    rwl_bound_node *valid;
    rwl_bound_node *both;
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NULL, column, true, &valid));
    RWL_TRY(new_node(b, RWL_BOUND_AND, &both));
    const rwl_bound_node *items[2] = {n, valid};
    both->items = rwl_arena_copy(b->arena, items, sizeof items);
    if (both->items == NULL)
        return rwl_no_memory(b->err, sizeof items);
    both->item_count = 2;
    *out = both;
    return RWL_OK;
}

/* column op NaN, NaN being the greatest value. */
static rwl_status make_nan_compare(binder *b, int32_t column, rwl_relation op, const rwl_bound_node **out) {
    switch (op) {
    case RWL_RELATION_EQ:
    case RWL_RELATION_GE:
        return make_nan_test(b, column, true, out);
    case RWL_RELATION_NE:
    case RWL_RELATION_LT:
        return make_nan_test(b, column, false, out);
    default:
        return make_for_values(b, column, op == RWL_RELATION_LE, out);
    }
}

/* --- comparisons --- */

static rwl_status name_failure(const binder *b, const rwl_expr *e, int32_t column, rwl_status st) {
    if (b->err != NULL && st != RWL_OK)
        b->err->offset = (int64_t)e->at;
    return rwl_error_in(b->err, st, "column '%.100s'", b->fields[column].name);
}

static rwl_status copy_value(binder *b, const rwl_value *from, rwl_value *to) {
    return rwl_value_copy(b->arena, from, to) ? RWL_OK : rwl_no_memory(b->err, sizeof *to);
}

static rwl_status bind_value_compare(binder *b, const rwl_expr *e, int32_t column, rwl_relation op,
                                     const rwl_literal *literal, const rwl_bound_node **out) {
    const rwl_type *type = &b->fields[column].type;
    if (literal->kind == RWL_LITERAL_NULL || type->kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    rwl_place place;
    rwl_status st = rwl_literal_place(literal, type, b->arena, &place, b->err);
    if (st != RWL_OK)
        return name_failure(b, e, column, st);
    if (place.where != RWL_PLACE_AT) { /* every value is on the same side */
        return make_for_values(b, column, rwl_relation_holds(op, place.where == RWL_PLACE_BELOW ? 1 : -1),
                               out);
    }
    if (!place.exact) {
        if (op == RWL_RELATION_EQ || op == RWL_RELATION_NE)
            return make_for_values(b, column, op == RWL_RELATION_NE, out);
        /* floor < literal < the next value */
        op = op == RWL_RELATION_LT ? RWL_RELATION_LE : op == RWL_RELATION_GE ? RWL_RELATION_GT : op;
    }
    if (rwl_value_is_nan(&place.floor))
        return make_nan_compare(b, column, op, out);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_COMPARE, column, false, &n));
    n->op = op;
    *out = n;
    return copy_value(b, &place.floor, &n->value);
}

static bool comparable(const rwl_type *a, const rwl_type *b) {
    if (a->kind == b->kind)
        return (a->kind != RWL_TYPE_DECIMAL || a->scale == b->scale) &&
               rwl_type_is_time_ns(a) == rwl_type_is_time_ns(b);
    return (a->kind == RWL_TYPE_INT && b->kind == RWL_TYPE_LONG) ||
           (a->kind == RWL_TYPE_LONG && b->kind == RWL_TYPE_INT) ||
           (a->kind == RWL_TYPE_FLOAT && b->kind == RWL_TYPE_DOUBLE) ||
           (a->kind == RWL_TYPE_DOUBLE && b->kind == RWL_TYPE_FLOAT);
}

static rwl_status fail_columns(const binder *b, const rwl_expr *e, int32_t left, int32_t right) {
    rwl_buf text;
    rwl_buf_init(&text, b->arena->env, 1 << 16);
    rwl_status st = rwl_type_format(&b->fields[left].type, &text, NULL);
    if (st == RWL_OK)
        st = rwl_buf_str(&text, " and ", NULL);
    if (st == RWL_OK)
        st = rwl_type_format(&b->fields[right].type, &text, NULL);
    if (st == RWL_OK)
        st = rwl_buf_terminate(&text, NULL);
    st = rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                     "columns '%.80s' and '%.80s' of types %s do not compare", b->fields[left].name,
                     b->fields[right].name, st == RWL_OK ? (const char *)text.data : "?");
    rwl_buf_clear(&text);
    return st;
}

static rwl_status bind_columns(binder *b, const rwl_expr *e, rwl_relation op, const rwl_bound_node **out) {
    int32_t left;
    int32_t right;
    RWL_TRY(find_column(b, e->items[0], &left));
    RWL_TRY(find_column(b, e->items[1], &right));
    if (b->fields[left].type.kind == RWL_TYPE_UNKNOWN || b->fields[right].type.kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    if (!comparable(&b->fields[left].type, &b->fields[right].type))
        return fail_columns(b, e, left, right);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_COLUMNS, left, false, &n));
    n->column2 = right;
    n->op = op;
    *out = n;
    return RWL_OK;
}

static rwl_status bind_literals(binder *b, const rwl_expr *e, rwl_relation op, const rwl_bound_node **out) {
    const rwl_literal *x = &e->items[0]->literal;
    const rwl_literal *y = &e->items[1]->literal;
    if (x->kind == RWL_LITERAL_NULL || y->kind == RWL_LITERAL_NULL)
        return make_const(b, false, out);
    int order;
    if (!rwl_literal_compare(x, y, &order))
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "%s does not compare with %s",
                           rwl_literal_kind_name(x->kind), rwl_literal_kind_name(y->kind));
    return make_const(b, rwl_relation_holds(op, order), out);
}

static rwl_status bind_compare(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    rwl_relation op = negate ? rwl_relation_negate(e->op) : e->op;
    bool left = e->items[0]->kind == RWL_EXPR_COLUMN;
    bool right = e->items[1]->kind == RWL_EXPR_COLUMN;
    if (left && right)
        return bind_columns(b, e, op, out);
    if (!left && !right)
        return bind_literals(b, e, op, out);
    int32_t column;
    RWL_TRY(find_column(b, e->items[left ? 0 : 1], &column));
    return bind_value_compare(b, e->items[left ? 1 : 0], column, left ? op : rwl_relation_mirror(op),
                              &e->items[left ? 1 : 0]->literal, out);
}

/* --- in --- */

static int order_values(const void *a, const void *b) {
    return rwl_expr_order((const rwl_value *)a, (const rwl_value *)b);
}

static rwl_status set_ints(binder *b, rwl_bound_node *n) {
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

/* The literals that equal some value of the column; tells about null and NaN among them. */
static rwl_status bind_list(binder *b, const rwl_expr *e, int32_t column, rwl_bound_node *n,
                            bool *with_null) {
    rwl_value *values = rwl_arena_array(b->arena, e->item_count, sizeof *values);
    if (values == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *values);
    size_t count = 0;
    for (size_t i = 1; i < e->item_count; i++) {
        const rwl_literal *literal = &e->items[i]->literal;
        if (literal->kind == RWL_LITERAL_NULL) {
            *with_null = true;
            continue;
        }
        rwl_place place;
        rwl_status st = rwl_literal_place(literal, n->type, b->arena, &place, b->err);
        if (st != RWL_OK)
            return name_failure(b, e->items[i], column, st);
        if (place.where != RWL_PLACE_AT || !place.exact)
            continue;
        if (rwl_value_is_nan(&place.floor))
            n->with_nan = true;
        else
            RWL_TRY(copy_value(b, &place.floor, &values[count++]));
    }
    if (count > 1)
        qsort(values, count, sizeof *values, order_values);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || rwl_expr_order(&values[kept - 1], &values[i]) != 0)
            values[kept++] = values[i];
    }
    n->values = values;
    n->value_count = kept;
    return set_ints(b, n);
}

static rwl_status bind_literal_in(binder *b, const rwl_expr *e, bool negated, const rwl_bound_node **out) {
    bool found = false;
    bool unknown = e->items[0]->literal.kind == RWL_LITERAL_NULL;
    for (size_t i = 1; i < e->item_count && !unknown; i++) {
        int order = 1;
        if (e->items[i]->literal.kind == RWL_LITERAL_NULL)
            unknown = !found;
        else if (!rwl_literal_compare(&e->items[0]->literal, &e->items[i]->literal, &order))
            return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->items[i]->at, "%s does not compare with %s",
                               rwl_literal_kind_name(e->items[0]->literal.kind),
                               rwl_literal_kind_name(e->items[i]->literal.kind));
        found = found || order == 0;
    }
    /* a later match makes an unknown true */
    for (size_t i = 1; i < e->item_count && unknown && e->items[0]->literal.kind != RWL_LITERAL_NULL; i++) {
        int order = 1;
        if (e->items[i]->literal.kind != RWL_LITERAL_NULL &&
            rwl_literal_compare(&e->items[0]->literal, &e->items[i]->literal, &order) && order == 0)
            found = true;
    }
    return make_const(b, negated ? !found && !unknown : found, out);
}

static rwl_status bind_in(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    if (e->items[0]->kind != RWL_EXPR_COLUMN)
        return bind_literal_in(b, e, negated, out);
    int32_t column;
    rwl_bound_node *n;
    bool with_null = false;
    RWL_TRY(find_column(b, e->items[0], &column));
    if (b->fields[column].type.kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    RWL_TRY(make_leaf(b, RWL_BOUND_IN, column, negated, &n));
    RWL_TRY(bind_list(b, e, column, n, &with_null));
    *out = n;
    if (negated && with_null) /* false or unknown */
        return make_const(b, false, out);
    if (n->value_count == 0 && !n->with_nan)
        return make_for_values(b, column, negated, out);
    return RWL_OK;
}

/* --- is null, is nan, truth --- */

static rwl_status bind_is_null(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    const rwl_expr *operand = e->items[0];
    if (operand->kind == RWL_EXPR_LITERAL)
        return make_const(b, (operand->literal.kind == RWL_LITERAL_NULL) != negated, out);
    int32_t column;
    RWL_TRY(find_column(b, operand, &column));
    if (b->fields[column].type.kind == RWL_TYPE_UNKNOWN)
        return make_const(b, !negated, out);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NULL, column, negated, &n));
    *out = n;
    return RWL_OK;
}

static rwl_status bind_is_nan(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool negated = e->negated != negate;
    const rwl_expr *operand = e->items[0];
    if (operand->kind == RWL_EXPR_LITERAL)
        return make_const(b, (operand->literal.kind == RWL_LITERAL_NAN) != negated, out);
    int32_t column;
    RWL_TRY(find_column(b, operand, &column));
    rwl_type_kind kind = b->fields[column].type.kind;
    if (kind == RWL_TYPE_UNKNOWN)
        return make_const(b, negated, out);
    if (!rwl_kind_has_nan(kind))
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                           "column '%.100s': only float and double can be nan", b->fields[column].name);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_IS_NAN, column, negated, &n));
    *out = n;
    return RWL_OK;
}

/* A boolean column as a condition. */
static rwl_status bind_truth(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    int32_t column;
    RWL_TRY(find_column(b, e, &column));
    if (b->fields[column].type.kind == RWL_TYPE_UNKNOWN)
        return make_const(b, false, out);
    if (b->fields[column].type.kind != RWL_TYPE_BOOLEAN)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                           "column '%.100s' is not boolean: compare it with something",
                           b->fields[column].name);
    rwl_bound_node *n;
    RWL_TRY(make_leaf(b, RWL_BOUND_COMPARE, column, false, &n));
    n->op = RWL_RELATION_EQ;
    n->value.kind = RWL_TYPE_BOOLEAN;
    n->value.as.b = !negate;
    *out = n;
    return RWL_OK;
}

static rwl_status bind_literal(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    if (e->literal.kind != RWL_LITERAL_BOOL && e->literal.kind != RWL_LITERAL_NULL)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "%s is not a condition",
                           rwl_literal_kind_name(e->literal.kind));
    return make_const(b, e->literal.kind == RWL_LITERAL_BOOL && e->literal.b != negate, out);
}

/* --- trees; as deep as the parser lets them be --- */

static rwl_status bind_node(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out);

static rwl_status bind_logic(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    bool is_and = (e->kind == RWL_EXPR_AND) != negate; /* De Morgan */
    rwl_bound_node *n;
    RWL_TRY(new_node(b, is_and ? RWL_BOUND_AND : RWL_BOUND_OR, &n));
    const rwl_bound_node **items = rwl_arena_array(b->arena, e->item_count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(b->err, e->item_count * sizeof *items);
    for (size_t i = 0; i < e->item_count; i++)
        RWL_TRY(bind_node(b, e->items[i], negate, &items[i]));
    n->items = items;
    n->item_count = e->item_count;
    *out = n;
    return RWL_OK;
}

static rwl_status bind_node(binder *b, const rwl_expr *e, bool negate, const rwl_bound_node **out) {
    switch (e->kind) {
    case RWL_EXPR_AND:
    case RWL_EXPR_OR:
        return bind_logic(b, e, negate, out);
    case RWL_EXPR_NOT:
        return bind_node(b, e->items[0], !negate, out);
    case RWL_EXPR_COMPARE:
        return bind_compare(b, e, negate, out);
    case RWL_EXPR_IN:
        return bind_in(b, e, negate, out);
    case RWL_EXPR_IS_NULL:
        return bind_is_null(b, e, negate, out);
    case RWL_EXPR_IS_NAN:
        return bind_is_nan(b, e, negate, out);
    case RWL_EXPR_COLUMN:
        return bind_truth(b, e, negate, out);
    default:
        return bind_literal(b, e, negate, out);
    }
}

rwl_status rwl_expr_bind(const rwl_expr *expr, const rwl_field *fields, int32_t count, rwl_arena *arena,
                         const rwl_bound **out, rwl_error *err) {
    rwl_bound *bound = rwl_arena_alloc(arena, sizeof *bound);
    bool *used = rwl_arena_array(arena, (size_t)count, sizeof *used);
    int32_t *columns = rwl_arena_array(arena, (size_t)count, sizeof *columns);
    if (bound == NULL || used == NULL || columns == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *columns);
    binder b = {fields, count, arena, used, err};
    RWL_TRY(bind_node(&b, expr, false, &bound->root));
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

const int32_t *rwl_bound_columns(const rwl_bound *bound, int32_t *count) {
    *count = bound->column_count;
    return bound->columns;
}
