/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions, parsed and bound, as text. */
#include "expr/expr_internal.h"

const char *rwl_relation_text(rwl_relation op) {
    static const char *const TEXTS[] = {"=", "<>", "<", "<=", ">", ">="};
    return TEXTS[op];
}

/* Text in quotes, the quote doubled. */
static rwl_status put_quoted(rwl_span text, char quote, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_u8(out, (uint8_t)quote, err));
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == (uint8_t)quote)
            RWL_TRY(rwl_buf_u8(out, (uint8_t)quote, err));
        RWL_TRY(rwl_buf_u8(out, text.data[i], err));
    }
    return rwl_buf_u8(out, (uint8_t)quote, err);
}

static bool is_bare_name(rwl_span name) {
    if (name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9') || rwl_expr_is_reserved(name))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!ok)
            return false;
    }
    return true;
}

static rwl_status put_name(const char *name, rwl_buf *out, rwl_error *err) {
    rwl_span span = rwl_span_str(name);
    return is_bare_name(span) ? rwl_buf_str(out, name, err) : put_quoted(span, '"', out, err);
}

static rwl_status put_hex(rwl_span bytes, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "X'", err));
    RWL_TRY(rwl_buf_hex(out, bytes, err));
    return rwl_buf_u8(out, '\'', err);
}

static rwl_status put_typed(const char *type, rwl_span text, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, type, err));
    RWL_TRY(rwl_buf_u8(out, ' ', err));
    return put_quoted(text, '\'', out, err);
}

rwl_status rwl_literal_format(const rwl_literal *l, rwl_buf *out, rwl_error *err) {
    switch (l->kind) {
    case RWL_LITERAL_NULL:
        return rwl_buf_str(out, "null", err);
    case RWL_LITERAL_BOOL:
        return rwl_buf_str(out, l->b ? "true" : "false", err);
    case RWL_LITERAL_NAN:
        return rwl_buf_str(out, "nan", err);
    case RWL_LITERAL_NUMBER:
        return rwl_buf_append(out, l->text.data, l->text.len, err);
    case RWL_LITERAL_STRING:
        return put_quoted(l->text, '\'', out, err);
    case RWL_LITERAL_BYTES:
        return put_hex(l->text, out, err);
    case RWL_LITERAL_UUID:
        return put_typed("uuid", l->source, out, err);
    case RWL_LITERAL_DATE:
        return put_typed("date", l->source, out, err);
    case RWL_LITERAL_TIME:
        return put_typed("time", l->source, out, err);
    case RWL_LITERAL_TIMESTAMP:
        return put_typed("timestamp", l->source, out, err);
    default:
        return put_typed("timestamptz", l->source, out, err);
    }
}

static rwl_status put_expr(const rwl_expr *e, rwl_buf *out, rwl_error *err);

static rwl_status put_items(const rwl_expr *e, size_t first, const char *between, rwl_buf *out,
                            rwl_error *err) {
    for (size_t i = first; i < e->item_count; i++) {
        if (i > first)
            RWL_TRY(rwl_buf_str(out, between, err));
        const rwl_expr *item = e->items[i];
        /* parentheses only where the grammar needs them: printing must not nest deeper than what was read */
        bool open = item->kind == RWL_EXPR_OR || (item->kind == RWL_EXPR_AND && e->kind != RWL_EXPR_OR);
        RWL_TRY(rwl_buf_str(out, open ? "(" : "", err));
        RWL_TRY(put_expr(item, out, err));
        RWL_TRY(rwl_buf_str(out, open ? ")" : "", err));
    }
    return RWL_OK;
}

/* Arguments, which are set apart by words and commas and need no parentheses. */
static rwl_status put_argument(const rwl_expr *e, const char *before, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, before, err));
    return put_expr(e, out, err);
}

static rwl_status put_case(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "case", err));
    size_t i = 0;
    for (; i + 1 < e->item_count; i += 2) {
        RWL_TRY(put_argument(e->items[i], " when ", out, err));
        RWL_TRY(put_argument(e->items[i + 1], " then ", out, err));
    }
    if (i < e->item_count)
        RWL_TRY(put_argument(e->items[i], " else ", out, err));
    return rwl_buf_str(out, " end", err);
}

static rwl_status put_type(const rwl_type *t, rwl_buf *out, rwl_error *err) {
    if (t->kind == RWL_TYPE_FIXED)
        return rwl_buf_printf(out, err, "fixed(%d)", t->length);
    return rwl_type_format(t, out, err);
}

static int binding_strength(rwl_arithmetic op) {
    return op == RWL_ARITHMETIC_ADD || op == RWL_ARITHMETIC_SUBTRACT || op == RWL_ARITHMETIC_CONCAT ? 1 : 2;
}

const char *rwl_arithmetic_text(rwl_arithmetic op) {
    static const char *const TEXTS[] = {"+", "-", "*", "/", "%", "||"};
    return TEXTS[op];
}

/* An operand of arithmetic, in parentheses where it binds less than `strength`. */
static rwl_status put_term(const rwl_expr *e, int strength, rwl_buf *out, rwl_error *err) {
    bool open = e->kind == RWL_EXPR_ARITHMETIC && binding_strength(e->arithmetic) < strength;
    RWL_TRY(rwl_buf_str(out, open ? "(" : "", err));
    RWL_TRY(put_expr(e, out, err));
    return rwl_buf_str(out, open ? ")" : "", err);
}

static rwl_status put_arithmetic(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    int strength = binding_strength(e->arithmetic);
    RWL_TRY(put_term(e->items[0], strength, out, err));
    RWL_TRY(rwl_buf_printf(out, err, " %s ", rwl_arithmetic_text(e->arithmetic)));
    return put_term(e->items[1], strength + 1, out, err);
}

/* A literal behind the sign would take it for its own. */
static rwl_status put_negation(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    const rwl_expr *item = e->items[0];
    bool open = item->kind == RWL_EXPR_LITERAL || item->kind == RWL_EXPR_ARITHMETIC;
    RWL_TRY(rwl_buf_str(out, open ? "-(" : "-", err));
    RWL_TRY(put_expr(item, out, err));
    return rwl_buf_str(out, open ? ")" : "", err);
}

static rwl_status put_like(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    RWL_TRY(put_expr(e->items[0], out, err));
    RWL_TRY(put_argument(e->items[1], e->negated ? " not like " : " like ", out, err));
    return e->item_count > 2 ? put_argument(e->items[2], " escape ", out, err) : RWL_OK;
}

static rwl_status put_between(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    RWL_TRY(put_expr(e->items[0], out, err));
    RWL_TRY(put_argument(e->items[1], e->negated ? " not between " : " between ", out, err));
    return put_argument(e->items[2], " and ", out, err);
}

static rwl_status put_call(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, e->kind == RWL_EXPR_CAST ? "cast(" : "coalesce(", err));
    for (size_t i = 0; i < e->item_count; i++)
        RWL_TRY(put_argument(e->items[i], i > 0 ? ", " : "", out, err));
    if (e->kind == RWL_EXPR_CAST) {
        RWL_TRY(rwl_buf_str(out, " as ", err));
        RWL_TRY(put_type(&e->type, out, err));
    }
    return rwl_buf_u8(out, ')', err);
}

static rwl_status put_column(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    for (size_t i = 0; i < e->part_count; i++) {
        if (i > 0)
            RWL_TRY(rwl_buf_u8(out, '.', err));
        RWL_TRY(put_name(e->parts[i], out, err));
    }
    return RWL_OK;
}

/* Recursion is as deep as the parser lets trees be. */
static rwl_status put_expr(const rwl_expr *e, rwl_buf *out, rwl_error *err) {
    switch (e->kind) {
    case RWL_EXPR_AND:
        return put_items(e, 0, " and ", out, err);
    case RWL_EXPR_OR:
        return put_items(e, 0, " or ", out, err);
    case RWL_EXPR_NOT:
        RWL_TRY(rwl_buf_str(out, "not ", err));
        return put_items(e, 0, "", out, err);
    case RWL_EXPR_COMPARE:
        RWL_TRY(put_expr(e->items[0], out, err));
        RWL_TRY(rwl_buf_printf(out, err, " %s ", rwl_relation_text(e->op)));
        return put_expr(e->items[1], out, err);
    case RWL_EXPR_IN:
        RWL_TRY(put_expr(e->items[0], out, err));
        RWL_TRY(rwl_buf_str(out, e->negated ? " not in (" : " in (", err));
        RWL_TRY(put_items(e, 1, ", ", out, err));
        return rwl_buf_u8(out, ')', err);
    case RWL_EXPR_IS_NULL:
    case RWL_EXPR_IS_NAN:
        RWL_TRY(put_expr(e->items[0], out, err));
        RWL_TRY(rwl_buf_str(out, e->negated ? " is not " : " is ", err));
        return rwl_buf_str(out, e->kind == RWL_EXPR_IS_NULL ? "null" : "nan", err);
    case RWL_EXPR_BETWEEN:
        return put_between(e, out, err);
    case RWL_EXPR_LIKE:
        return put_like(e, out, err);
    case RWL_EXPR_ARITHMETIC:
        return put_arithmetic(e, out, err);
    case RWL_EXPR_NEGATE:
        return put_negation(e, out, err);
    case RWL_EXPR_CASE:
        return put_case(e, out, err);
    case RWL_EXPR_COALESCE:
    case RWL_EXPR_CAST:
        return put_call(e, out, err);
    case RWL_EXPR_COLUMN:
        return put_column(e, out, err);
    default:
        return rwl_literal_format(&e->literal, out, err);
    }
}

rwl_status rwl_expr_format(const rwl_expr *expr, rwl_buf *out, rwl_error *err) {
    return put_expr(expr, out, err);
}

/* --- bound --- */

static rwl_status put_value(const rwl_type *type, const rwl_value *v, rwl_buf *out, rwl_error *err) {
    switch (v->kind) {
    case RWL_TYPE_STRING:
        return put_quoted(v->as.bytes, '\'', out, err);
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return put_hex(v->as.bytes, out, err);
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIME:
    case RWL_TYPE_TIMESTAMP:
    case RWL_TYPE_TIMESTAMPTZ:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
    case RWL_TYPE_UUID:
        RWL_TRY(rwl_buf_u8(out, '\'', err));
        RWL_TRY(rwl_value_format(type, v, out, err));
        return rwl_buf_u8(out, '\'', err);
    default:
        return rwl_value_format(type, v, out, err);
    }
}

static rwl_status put_in_list(const rwl_bound_node *n, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, n->negated ? " not in (" : " in (", err));
    for (size_t i = 0; i < n->value_count; i++) {
        RWL_TRY(rwl_buf_str(out, i == 0 ? "" : ", ", err));
        RWL_TRY(put_value(n->type, &n->values[i], out, err));
    }
    if (n->with_nan)
        RWL_TRY(rwl_buf_str(out, n->value_count > 0 ? ", nan" : "nan", err));
    return rwl_buf_u8(out, ')', err);
}

static rwl_status put_bound(const rwl_bound *b, const rwl_bound_node *n, rwl_buf *out, rwl_error *err);
static rwl_status put_operand(const rwl_bound *b, const rwl_value_node *v, rwl_buf *out, rwl_error *err);

static rwl_status put_operands(const rwl_bound *b, const rwl_value_node *v, const char *between, rwl_buf *out,
                               rwl_error *err) {
    for (size_t i = 0; i < v->item_count; i++) {
        RWL_TRY(rwl_buf_str(out, i > 0 ? between : "", err));
        RWL_TRY(put_operand(b, v->items[i], out, err));
    }
    return RWL_OK;
}

static rwl_status put_choice(const rwl_bound *b, const rwl_value_node *v, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "case", err));
    for (size_t i = 0; i < v->item_count; i++) {
        if (i < v->condition_count) {
            RWL_TRY(rwl_buf_str(out, " when ", err));
            RWL_TRY(put_bound(b, v->conditions[i], out, err));
        }
        RWL_TRY(rwl_buf_str(out, i < v->condition_count ? " then " : " else ", err));
        RWL_TRY(put_operand(b, v->items[i], out, err));
    }
    return rwl_buf_str(out, " end", err);
}

static rwl_status put_operand(const rwl_bound *b, const rwl_value_node *v, rwl_buf *out, rwl_error *err) {
    switch (v->kind) {
    case RWL_VALUE_COLUMN:
        return put_name(b->fields[v->column].name, out, err);
    case RWL_VALUE_CONSTANT:
        return v->constant.is_null ? rwl_buf_str(out, "null", err)
                                   : put_value(&v->type, &v->constant, out, err);
    case RWL_VALUE_SLOT:
        return rwl_buf_str(out, "it", err);
    case RWL_VALUE_CHOICE:
        return put_choice(b, v, out, err);
    case RWL_VALUE_CONDITION:
        RWL_TRY(rwl_buf_str(out, "truth(", err));
        RWL_TRY(put_bound(b, v->conditions[0], out, err));
        return rwl_buf_u8(out, ')', err);
    default:
        break;
    }
    bool arithmetic = v->kind == RWL_VALUE_ARITHMETIC;
    const char *between = ", ";
    char infix[8] = " ";
    if (arithmetic) {
        (void)strcat(strcat(infix, rwl_arithmetic_text(v->op)), " ");
        between = infix;
    }
    RWL_TRY(rwl_buf_str(out,
                        arithmetic                    ? "("
                        : v->kind == RWL_VALUE_NEGATE ? "-("
                        : v->kind == RWL_VALUE_CAST   ? "cast("
                                                      : "coalesce(",
                        err));
    RWL_TRY(put_operands(b, v, between, out, err));
    if (v->kind == RWL_VALUE_CAST) {
        RWL_TRY(rwl_buf_str(out, " as ", err));
        RWL_TRY(put_type(&v->type, out, err));
    }
    return rwl_buf_u8(out, ')', err);
}

static rwl_status put_subject(const rwl_bound *b, int32_t column, const rwl_value_node *operand, rwl_buf *out,
                              rwl_error *err) {
    return operand != NULL ? put_operand(b, operand, out, err) : put_name(b->fields[column].name, out, err);
}

static rwl_status put_pattern(const rwl_bound_node *n, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, n->negated ? " not like " : " like ", err));
    RWL_TRY(put_quoted(n->pattern->source, '\'', out, err));
    if (n->pattern->escape.len == 0)
        return RWL_OK;
    RWL_TRY(rwl_buf_str(out, " escape ", err));
    return put_quoted(n->pattern->escape, '\'', out, err);
}

static rwl_status put_bound(const rwl_bound *b, const rwl_bound_node *n, rwl_buf *out, rwl_error *err) {
    if (n->kind == RWL_BOUND_TRUE || n->kind == RWL_BOUND_NEVER)
        return rwl_buf_str(out, n->kind == RWL_BOUND_TRUE ? "true" : "never", err);
    if (n->kind == RWL_BOUND_AND || n->kind == RWL_BOUND_OR) {
        RWL_TRY(rwl_buf_u8(out, '(', err));
        for (size_t i = 0; i < n->item_count; i++) {
            if (i > 0)
                RWL_TRY(rwl_buf_str(out, n->kind == RWL_BOUND_AND ? " and " : " or ", err));
            RWL_TRY(put_bound(b, n->items[i], out, err));
        }
        return rwl_buf_u8(out, ')', err);
    }
    if (n->kind == RWL_BOUND_LET) {
        RWL_TRY(rwl_buf_str(out, "let it = ", err));
        RWL_TRY(put_operand(b, n->operand, out, err));
        RWL_TRY(rwl_buf_str(out, " in ", err));
        return put_bound(b, n->items[0], out, err);
    }
    RWL_TRY(put_subject(b, n->column, n->operand, out, err));
    switch (n->kind) {
    case RWL_BOUND_IS_NULL:
        return rwl_buf_str(out, n->negated ? " is not null" : " is null", err);
    case RWL_BOUND_IS_NAN:
        return rwl_buf_str(out, n->negated ? " is not nan" : " is nan", err);
    case RWL_BOUND_IN:
        return put_in_list(n, out, err);
    case RWL_BOUND_LIKE:
        return put_pattern(n, out, err);
    default:
        break;
    }
    RWL_TRY(rwl_buf_printf(out, err, " %s ", rwl_relation_text(n->op)));
    return n->kind == RWL_BOUND_PAIR ? put_subject(b, n->column2, n->operand2, out, err)
                                     : put_value(n->type, &n->value, out, err);
}

rwl_status rwl_bound_format(const rwl_bound *bound, rwl_buf *out, rwl_error *err) {
    return put_bound(bound, bound->root, out, err);
}
