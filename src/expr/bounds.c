/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bound expressions on what is known of a file's columns. Both questions are answered leaf by leaf: "may some
 * row be selected" errs towards yes, "must every row be selected" towards no. Negations sit in the leaves.
 */
#include "expr/expr_internal.h"

int rwl_expr_order(const rwl_value *a, const rwl_value *b) {
    if (a->kind == RWL_TYPE_DOUBLE && !rwl_value_is_nan(a) && !rwl_value_is_nan(b))
        return (a->as.f64 > b->as.f64) - (a->as.f64 < b->as.f64);
    if (a->kind == RWL_TYPE_FLOAT && !rwl_value_is_nan(a) && !rwl_value_is_nan(b))
        return (a->as.f32 > b->as.f32) - (a->as.f32 < b->as.f32);
    return rwl_value_compare(a, b);
}

/* Facts as the leaves ask for them. Bounds are of values that are neither null nor NaN. */
typedef struct column_view {
    bool may_null, may_nan, may_number; /* whether such a row may exist */
    bool has_lower, has_upper;
    rwl_value lower, upper;
} column_view;

static void view_constant(const rwl_value *v, column_view *out) {
    out->may_null = v->is_null;
    out->may_nan = rwl_value_is_nan(v);
    out->may_number = !out->may_null && !out->may_nan;
    out->has_lower = out->has_upper = out->may_number;
    out->lower = out->upper = *v;
}

static void view_column(const rwl_facts *facts, int32_t column, const rwl_type *type, column_view *out) {
    rwl_column_facts f;
    memset(&f, 0, sizeof f);
    f.value_count = f.null_count = f.nan_count = -1;
    bool known = facts->lookup(facts->ctx, column, &f);
    memset(out, 0, sizeof *out);
    if (known && f.is_constant) {
        view_constant(&f.constant, out);
        return;
    }
    out->may_null = out->may_number = true;
    out->may_nan = rwl_kind_has_nan(type->kind);
    if (!known)
        return;
    /* counts that contradict each other say nothing */
    int64_t rows = f.value_count;
    int64_t nulls = f.null_count;
    int64_t nans = out->may_nan ? f.nan_count : 0;
    if (rows >= 0 && (nulls > rows || nans > rows || (nulls >= 0 && nans >= 0 && nulls + nans > rows)))
        rows = nulls = nans = -1;
    out->may_null = nulls != 0;
    out->may_nan = out->may_nan && nans != 0;
    if (rows >= 0 && nulls == rows)
        out->may_nan = out->may_number = false;
    if (rows >= 0 && nulls >= 0 && nans >= 0 && nulls + nans == rows)
        out->may_number = false;
    if (rows >= 0 && nans == rows && rows > 0)
        out->may_null = out->may_number = false;
    if (rows == 0)
        out->may_null = out->may_nan = out->may_number = false;
    /* a NaN bound is from a writer that did not know better, and that compared the other one with it */
    bool nan = (f.has_lower && rwl_value_is_nan(&f.lower)) || (f.has_upper && rwl_value_is_nan(&f.upper));
    out->has_lower = f.has_lower && !f.lower.is_null && !nan;
    out->has_upper = f.has_upper && !f.upper.is_null && !nan;
    out->lower = f.lower;
    out->upper = f.upper;
}

/* --- may --- */

/* Order of a bound against a value; without the bound as `otherwise`. */
static int order_lower(const column_view *c, const rwl_value *v, int otherwise) {
    return c->has_lower ? rwl_expr_order(&c->lower, v) : otherwise;
}
static int order_upper(const column_view *c, const rwl_value *v, int otherwise) {
    return c->has_upper ? rwl_expr_order(&c->upper, v) : otherwise;
}

static bool asked_contains(const rwl_facts *facts, int32_t column, const rwl_value *v) {
    bool zero =
        (v->kind == RWL_TYPE_DOUBLE && v->as.f64 == 0) || (v->kind == RWL_TYPE_FLOAT && v->as.f32 == 0);
    return facts->may_contain == NULL || zero || facts->may_contain(facts->ctx, column, v);
}

/* Some number of the column satisfies op v. */
static bool may_compare(const column_view *c, rwl_relation op, const rwl_value *v) {
    switch (op) {
    case RWL_RELATION_EQ:
        return order_lower(c, v, -1) <= 0 && order_upper(c, v, 1) >= 0;
    case RWL_RELATION_NE:
        return order_lower(c, v, -1) != 0 || order_upper(c, v, 1) != 0;
    case RWL_RELATION_LT:
        return order_lower(c, v, -1) < 0;
    case RWL_RELATION_LE:
        return order_lower(c, v, -1) <= 0;
    case RWL_RELATION_GT:
        return order_upper(c, v, 1) > 0;
    default:
        return order_upper(c, v, 1) >= 0;
    }
}

static bool may_leaf_compare(const rwl_bound_node *n, const rwl_facts *facts, const column_view *c) {
    if (c->may_nan && rwl_relation_holds(n->op, 1)) /* NaN is above any value */
        return true;
    return c->may_number && may_compare(c, n->op, &n->value) &&
           (n->op != RWL_RELATION_EQ || asked_contains(facts, n->column, &n->value));
}

static bool has_value(const rwl_bound_node *n, const rwl_value *v) {
    for (size_t low = 0, high = n->value_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = rwl_expr_order(&n->values[middle], v);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* All numbers of the column are one and the same. */
static bool is_single(const column_view *c) {
    return c->has_lower && c->has_upper && rwl_expr_order(&c->lower, &c->upper) == 0;
}

/* The first value of the list that is not below the column's lower bound. */
static size_t first_in_bounds(const rwl_bound_node *n, const column_view *c) {
    size_t low = 0, high = c->has_lower ? n->value_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rwl_expr_order(&n->values[middle], &c->lower) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool may_leaf_in(const rwl_bound_node *n, const rwl_facts *facts, const column_view *c) {
    if (c->may_nan && n->with_nan != n->negated)
        return true;
    if (!c->may_number)
        return false;
    if (n->negated)
        return !(is_single(c) && has_value(n, &c->lower));
    for (size_t i = first_in_bounds(n, c); i < n->value_count && order_upper(c, &n->values[i], 1) >= 0; i++) {
        if (asked_contains(facts, n->column, &n->values[i]))
            return true;
    }
    return false;
}

/* --- patterns --- */

static bool has_prefix(const rwl_value *v, rwl_span prefix) {
    rwl_span s = v->as.bytes;
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.data, prefix.data, prefix.len) == 0);
}

/* Texts with a prefix lie between it and, without end, the last of them: bounds may be cut short on both sides. */
static bool may_like(const rwl_bound_node *n, const column_view *c) {
    rwl_value prefix = {.kind = RWL_TYPE_STRING, .as.bytes = n->pattern->prefix};
    if (is_single(c))
        return rwl_pattern_matches(n->pattern, c->lower.as.bytes);
    if (order_upper(c, &prefix, 1) < 0)
        return false;
    return order_lower(c, &prefix, -1) <= 0 || has_prefix(&c->lower, prefix.as.bytes);
}

/* Every text matches: the only one does, or all lie between two with the prefix that is all there is to match. */
static bool must_like(const rwl_bound_node *n, const column_view *c) {
    if (is_single(c))
        return rwl_pattern_matches(n->pattern, c->lower.as.bytes);
    return n->pattern->is_prefix && c->has_lower && c->has_upper &&
           has_prefix(&c->lower, n->pattern->prefix) && has_prefix(&c->upper, n->pattern->prefix);
}

/* Facts of columns of two widths do not compare; NaN makes anything possible. */
static bool may_leaf_pair(const rwl_bound_node *n, const rwl_facts *facts, const rwl_bound *bound) {
    column_view a;
    column_view b;
    if (n->operand2 != NULL)
        return true;
    const rwl_type *other = &bound->fields[n->column2].type;
    view_column(facts, n->column, n->type, &a);
    view_column(facts, n->column2, other, &b);
    if ((!a.may_number && !a.may_nan) || (!b.may_number && !b.may_nan))
        return false;
    if (a.may_nan || b.may_nan || n->type->kind != other->kind || n->type->scale != other->scale)
        return true;
    switch (n->op) {
    case RWL_RELATION_EQ:
        return !(a.has_lower && b.has_upper && rwl_expr_order(&a.lower, &b.upper) > 0) &&
               !(a.has_upper && b.has_lower && rwl_expr_order(&a.upper, &b.lower) < 0);
    case RWL_RELATION_LT:
    case RWL_RELATION_LE:
        return !(a.has_lower && b.has_upper) || rwl_relation_holds(n->op, rwl_expr_order(&a.lower, &b.upper));
    case RWL_RELATION_GT:
    case RWL_RELATION_GE:
        return !(a.has_upper && b.has_lower) || rwl_relation_holds(n->op, rwl_expr_order(&a.upper, &b.lower));
    default:
        return true;
    }
}

static bool may_node(const rwl_bound_node *n, const rwl_facts *facts, const rwl_bound *bound);

static bool may_leaf(const rwl_bound_node *n, const rwl_facts *facts, const rwl_bound *bound) {
    column_view c;
    if (n->operand != NULL) /* f(lower) and f(upper) say nothing of f(x) in between */
        return n->kind != RWL_BOUND_LET || may_node(n->items[0], facts, bound);
    if (n->kind == RWL_BOUND_PAIR)
        return may_leaf_pair(n, facts, bound);
    view_column(facts, n->column, n->type, &c);
    switch (n->kind) {
    case RWL_BOUND_IS_NULL:
        return n->negated ? c.may_nan || c.may_number : c.may_null;
    case RWL_BOUND_IS_NAN:
        return n->negated ? c.may_null || c.may_number : c.may_nan;
    case RWL_BOUND_COMPARE:
        return may_leaf_compare(n, facts, &c);
    case RWL_BOUND_LIKE:
        return c.may_number && (n->negated ? !must_like(n, &c) : may_like(n, &c));
    default:
        return may_leaf_in(n, facts, &c);
    }
}

static bool may_node(const rwl_bound_node *n, const rwl_facts *facts, const rwl_bound *bound) {
    switch (n->kind) {
    case RWL_BOUND_TRUE:
    case RWL_BOUND_NEVER:
        return n->kind == RWL_BOUND_TRUE;
    case RWL_BOUND_AND:
    case RWL_BOUND_OR:
        for (size_t i = 0; i < n->item_count; i++) {
            if (may_node(n->items[i], facts, bound) != (n->kind == RWL_BOUND_AND))
                return n->kind == RWL_BOUND_OR;
        }
        return n->kind == RWL_BOUND_AND;
    default:
        return may_leaf(n, facts, bound);
    }
}

bool rwl_expr_may_match(const rwl_bound *bound, const rwl_facts *facts) {
    return may_node(bound->root, facts, bound);
}

/* --- must --- */

/* Every number of the column satisfies op v. */
static bool must_compare(const column_view *c, rwl_relation op, const rwl_value *v) {
    return !may_compare(c, rwl_relation_negate(op), v);
}

static bool must_in(const rwl_bound_node *n, const column_view *c) {
    if (!n->negated)
        return is_single(c) && has_value(n, &c->lower);
    size_t i = first_in_bounds(n, c);
    return i == n->value_count || order_upper(c, &n->values[i], 1) < 0;
}

/* Rows with a null are not selected; NaN and numbers each have to be, where they may occur. */
static bool must_leaf(const rwl_bound_node *n, const rwl_facts *facts) {
    if (n->kind == RWL_BOUND_PAIR || n->operand != NULL)
        return false;
    column_view c;
    view_column(facts, n->column, n->type, &c);
    switch (n->kind) {
    case RWL_BOUND_IS_NULL:
        return n->negated ? !c.may_null : !c.may_nan && !c.may_number;
    case RWL_BOUND_IS_NAN:
        return n->negated ? !c.may_nan : !c.may_null && !c.may_number;
    case RWL_BOUND_LIKE:
        return !c.may_null && (!c.may_number || (n->negated ? !may_like(n, &c) : must_like(n, &c)));
    case RWL_BOUND_COMPARE:
        return !c.may_null && (!c.may_nan || rwl_relation_holds(n->op, 1)) &&
               (!c.may_number || must_compare(&c, n->op, &n->value));
    default:
        return !c.may_null && (!c.may_nan || n->with_nan != n->negated) && (!c.may_number || must_in(n, &c));
    }
}

static bool must_node(const rwl_bound_node *n, const rwl_facts *facts) {
    switch (n->kind) {
    case RWL_BOUND_TRUE:
    case RWL_BOUND_NEVER:
        return n->kind == RWL_BOUND_TRUE;
    case RWL_BOUND_AND:
    case RWL_BOUND_OR:
        for (size_t i = 0; i < n->item_count; i++) {
            if (must_node(n->items[i], facts) != (n->kind == RWL_BOUND_AND))
                return n->kind == RWL_BOUND_OR;
        }
        return n->kind == RWL_BOUND_AND;
    default:
        return must_leaf(n, facts);
    }
}

bool rwl_expr_must_match(const rwl_bound *bound, const rwl_facts *facts) {
    return must_node(bound->root, facts);
}
