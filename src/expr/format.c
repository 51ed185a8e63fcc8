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
    static const char HEX[] = "0123456789abcdef";
    RWL_TRY(rwl_buf_str(out, "X'", err));
    for (size_t i = 0; i < bytes.len; i++) {
        RWL_TRY(rwl_buf_u8(out, (uint8_t)HEX[bytes.data[i] >> 4], err));
        RWL_TRY(rwl_buf_u8(out, (uint8_t)HEX[bytes.data[i] & 15], err));
    }
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
    RWL_TRY(put_name(b->fields[n->column].name, out, err));
    switch (n->kind) {
    case RWL_BOUND_IS_NULL:
        return rwl_buf_str(out, n->negated ? " is not null" : " is null", err);
    case RWL_BOUND_IS_NAN:
        return rwl_buf_str(out, n->negated ? " is not nan" : " is nan", err);
    case RWL_BOUND_IN:
        return put_in_list(n, out, err);
    default:
        break;
    }
    RWL_TRY(rwl_buf_printf(out, err, " %s ", rwl_relation_text(n->op)));
    return n->kind == RWL_BOUND_COLUMNS ? put_name(b->fields[n->column2].name, out, err)
                                        : put_value(n->type, &n->value, out, err);
}

rwl_status rwl_bound_format(const rwl_bound *bound, rwl_buf *out, rwl_error *err) {
    return put_bound(bound, bound->root, out, err);
}
