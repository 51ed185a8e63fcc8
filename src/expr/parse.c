/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of expressions: recursive descent with a depth, one token ahead. Conditions are here. */
#include "expr/parse_internal.h"

rwl_status rwl_parse_fail(rwl_parser *p, const char *expected) {
    const rwl_token *t = &p->token;
    if (t->kind == RWL_TOKEN_END)
        return rwl_fail_at(p->err, RWL_USAGE, (int64_t)t->at, "expression, at its end: expected %s",
                           expected);
    return rwl_fail_at(p->err, RWL_USAGE, (int64_t)t->at, "expression, at %zu: expected %s, found %.*s",
                       t->at + 1, expected, (int)(t->len > 60 ? 60 : t->len),
                       (const char *)p->lexer.text.data + t->at);
}

rwl_status rwl_parse_unsupported(rwl_parser *p, size_t at, const char *what, rwl_span name) {
    return rwl_fail_at(p->err, RWL_UNSUPPORTED, (int64_t)at,
                       "expression, at %zu: %s%.*s is not supported yet", at + 1, what,
                       (int)(name.len > 60 ? 60 : name.len), name.len == 0 ? "" : (const char *)name.data);
}

/* --- nodes --- */

rwl_status rwl_parse_node(rwl_parser *p, rwl_expr_kind kind, size_t at, rwl_expr **out) {
    rwl_expr *e = rwl_arena_alloc(p->arena, sizeof *e);
    if (e == NULL)
        return rwl_no_memory(p->err, sizeof *e);
    e->kind = kind;
    e->at = at;
    *out = e;
    return RWL_OK;
}

rwl_status rwl_parse_add(rwl_parser *p, rwl_item_list *list, const rwl_expr *expr) {
    rwl_item_link *link = rwl_arena_alloc(p->arena, sizeof *link);
    if (link == NULL)
        return rwl_no_memory(p->err, sizeof *link);
    link->expr = expr;
    if (list->last == NULL)
        list->first = link;
    else
        list->last->next = link;
    list->last = link;
    list->count++;
    return RWL_OK;
}

rwl_status rwl_parse_set_items(rwl_parser *p, rwl_expr *e, const rwl_item_list *list) {
    const rwl_expr **items = rwl_arena_array(p->arena, list->count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(p->err, list->count * sizeof *items);
    size_t n = 0;
    for (const rwl_item_link *link = list->first; link != NULL; link = link->next) {
        items[n++] = link->expr;
        e->depth = link->expr->depth >= e->depth ? link->expr->depth + 1 : e->depth;
    }
    e->items = items;
    e->item_count = n;
    return RWL_OK;
}

rwl_status rwl_parse_parent(rwl_parser *p, rwl_expr_kind kind, size_t at, const rwl_expr *a,
                            const rwl_expr *b, rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    RWL_TRY(rwl_parse_node(p, kind, at, out));
    RWL_TRY(rwl_parse_add(p, &list, a));
    if (b != NULL)
        RWL_TRY(rwl_parse_add(p, &list, b));
    return rwl_parse_set_items(p, *out, &list);
}

/* --- predicates --- */

static rwl_status parse_compare(rwl_parser *p, const rwl_expr *left, const rwl_expr **out) {
    rwl_token op = p->token;
    const rwl_expr *right;
    rwl_expr *e;
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(rwl_parse_operand(p, &right));
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_COMPARE, op.at, left, right, &e));
    e->op = op.op;
    *out = e;
    return RWL_OK;
}

static rwl_status parse_in(rwl_parser *p, const rwl_expr *left, bool negated, const rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    rwl_expr *e;
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_IN, p->token.at, &e));
    RWL_TRY(rwl_parse_add(p, &list, left));
    RWL_TRY(rwl_parse_advance(p));
    if (p->token.kind != RWL_TOKEN_OPEN)
        return rwl_parse_fail(p, "( behind in");
    do {
        const rwl_expr *item;
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(rwl_parse_operand(p, &item));
        RWL_TRY(rwl_parse_add(p, &list, item));
    } while (p->token.kind == RWL_TOKEN_COMMA);
    if (p->token.kind != RWL_TOKEN_CLOSE)
        return rwl_parse_fail(p, "a comma or )");
    e->negated = negated;
    *out = e;
    RWL_TRY(rwl_parse_set_items(p, e, &list));
    return rwl_parse_advance(p);
}

/* Two comparisons of a column or literal; what has to be computed is kept together, to be computed once. */
static rwl_status make_between(rwl_parser *p, const rwl_expr *const ends[3], size_t at, bool negated,
                               const rwl_expr **out) {
    rwl_expr *from;
    rwl_expr *to;
    rwl_expr *both;
    if (ends[0]->kind != RWL_EXPR_COLUMN && ends[0]->kind != RWL_EXPR_LITERAL) {
        rwl_item_list list = {NULL, NULL, 0};
        RWL_TRY(rwl_parse_node(p, RWL_EXPR_BETWEEN, at, &both));
        for (int i = 0; i < 3; i++)
            RWL_TRY(rwl_parse_add(p, &list, ends[i]));
        both->negated = negated;
        *out = both;
        return rwl_parse_set_items(p, both, &list);
    }
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_COMPARE, at, ends[0], ends[1], &from));
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_COMPARE, at, ends[0], ends[2], &to));
    from->op = RWL_RELATION_GE;
    to->op = RWL_RELATION_LE;
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_AND, at, from, to, &both));
    if (negated)
        RWL_TRY(rwl_parse_parent(p, RWL_EXPR_NOT, at, both, NULL, &both));
    *out = both;
    return RWL_OK;
}

static rwl_status parse_between(rwl_parser *p, const rwl_expr *left, bool negated, const rwl_expr **out) {
    size_t at = p->token.at;
    const rwl_expr *ends[3] = {left, NULL, NULL};
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(rwl_parse_operand(p, &ends[1]));
    if (!rwl_token_is(&p->token, "and"))
        return rwl_parse_fail(p, "and between the two ends");
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(rwl_parse_operand(p, &ends[2]));
    return make_between(p, ends, at, negated, out);
}

static rwl_status parse_text(rwl_parser *p, const char *expected, const rwl_expr **out) {
    rwl_expr *e;
    if (p->token.kind != RWL_TOKEN_STRING)
        return rwl_parse_fail(p, expected);
    RWL_TRY(rwl_parse_literal(p, RWL_LITERAL_STRING, p->token.at, p->token.text, &e));
    *out = e;
    return rwl_parse_advance(p);
}

static rwl_status parse_like(rwl_parser *p, const rwl_expr *left, bool negated, const rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    rwl_expr *e;
    const rwl_expr *pattern;
    if (!rwl_token_is(&p->token, "like"))
        return rwl_parse_unsupported(p, p->token.at, "", p->token.text);
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_LIKE, p->token.at, &e));
    RWL_TRY(rwl_parse_advance(p));
    bool null = false;
    if (rwl_token_is(&p->token, "null"))
        RWL_TRY(rwl_parse_keyword(p, &null, &pattern));
    else
        RWL_TRY(parse_text(p, "a pattern in quotes behind like", &pattern));
    RWL_TRY(rwl_parse_add(p, &list, left));
    RWL_TRY(rwl_parse_add(p, &list, pattern));
    if (rwl_token_is(&p->token, "escape")) {
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(parse_text(p, "a character in quotes behind escape", &pattern));
        RWL_TRY(rwl_parse_add(p, &list, pattern));
    }
    e->negated = negated;
    *out = e;
    return rwl_parse_set_items(p, e, &list);
}

static rwl_status parse_is(rwl_parser *p, const rwl_expr *left, const rwl_expr **out) {
    size_t at = p->token.at;
    RWL_TRY(rwl_parse_advance(p));
    bool negated = rwl_token_is(&p->token, "not");
    if (negated)
        RWL_TRY(rwl_parse_advance(p));
    bool is_null = rwl_token_is(&p->token, "null");
    if (rwl_token_is(&p->token, "distinct"))
        return rwl_parse_unsupported(p, p->token.at, "is distinct from", rwl_span_of(NULL, 0));
    if (!is_null && !rwl_token_is(&p->token, "nan"))
        return rwl_parse_fail(p, negated ? "null or nan" : "null, nan or not");
    rwl_expr *e;
    RWL_TRY(rwl_parse_parent(p, is_null ? RWL_EXPR_IS_NULL : RWL_EXPR_IS_NAN, at, left, NULL, &e));
    e->negated = negated;
    *out = e;
    return rwl_parse_advance(p);
}

static bool is_like(const rwl_token *t) {
    return rwl_token_is(t, "like") || rwl_token_is(t, "ilike") || rwl_token_is(t, "rlike");
}

static rwl_status parse_predicate(rwl_parser *p, const rwl_expr **out) {
    const rwl_expr *left;
    size_t start = p->token.at;
    RWL_TRY(rwl_parse_term(p, &left));
    *out = left;
    bool is_op = p->token.kind == RWL_TOKEN_OP;
    bool is_is = rwl_token_is(&p->token, "is");
    bool negated = rwl_token_is(&p->token, "not");
    bool follows = is_op || is_is || negated || rwl_token_is(&p->token, "in") ||
                   rwl_token_is(&p->token, "between") || is_like(&p->token);
    if (!follows)
        return RWL_OK;
    if (!rwl_expr_is_operand(left))
        return rwl_lex_fail(start, "a condition cannot be compared", p->err);
    if (is_op)
        return parse_compare(p, left, out);
    if (is_is)
        return parse_is(p, left, out);
    if (negated)
        RWL_TRY(rwl_parse_advance(p));
    if (is_like(&p->token))
        return parse_like(p, left, negated, out);
    if (rwl_token_is(&p->token, "in"))
        return parse_in(p, left, negated, out);
    if (rwl_token_is(&p->token, "between"))
        return parse_between(p, left, negated, out);
    return rwl_parse_fail(p, "in, between or like behind not");
}

/* --- logic --- */

rwl_status rwl_parse_enter(rwl_parser *p) {
    if (++p->depth > RWL_EXPR_DEPTH_MAX)
        return rwl_fail_at(p->err, RWL_USAGE, (int64_t)p->token.at,
                           "expression, at %zu: nested deeper than %d levels", p->token.at + 1,
                           RWL_EXPR_DEPTH_MAX);
    return RWL_OK;
}

static rwl_status parse_not(rwl_parser *p, const rwl_expr **out) {
    if (!rwl_token_is(&p->token, "not"))
        return parse_predicate(p, out);
    size_t at = p->token.at;
    const rwl_expr *inner;
    rwl_expr *e;
    RWL_TRY(rwl_parse_enter(p));
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(parse_not(p, &inner));
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_NOT, at, inner, NULL, &e));
    p->depth--;
    *out = e;
    return RWL_OK;
}

static rwl_status parse_and(rwl_parser *p, const rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    size_t at = p->token.at;
    RWL_TRY(parse_not(p, out));
    if (!rwl_token_is(&p->token, "and"))
        return RWL_OK;
    RWL_TRY(rwl_parse_add(p, &list, *out));
    while (rwl_token_is(&p->token, "and")) {
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(parse_not(p, out));
        RWL_TRY(rwl_parse_add(p, &list, *out));
    }
    rwl_expr *e;
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_AND, at, &e));
    *out = e;
    return rwl_parse_set_items(p, e, &list);
}

rwl_status rwl_parse_or(rwl_parser *p, const rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    size_t at = p->token.at;
    RWL_TRY(rwl_parse_enter(p));
    RWL_TRY(parse_and(p, out));
    if (rwl_token_is(&p->token, "or")) {
        RWL_TRY(rwl_parse_add(p, &list, *out));
        while (rwl_token_is(&p->token, "or")) {
            RWL_TRY(rwl_parse_advance(p));
            RWL_TRY(parse_and(p, out));
            RWL_TRY(rwl_parse_add(p, &list, *out));
        }
        rwl_expr *e;
        RWL_TRY(rwl_parse_node(p, RWL_EXPR_OR, at, &e));
        *out = e;
        RWL_TRY(rwl_parse_set_items(p, e, &list));
    }
    p->depth--;
    return RWL_OK;
}

rwl_status rwl_expr_parse(const char *text, rwl_arena *arena, const rwl_expr **out, rwl_error *err) {
    rwl_span span = rwl_span_str(text);
    if (span.len > RWL_EXPR_TEXT_MAX)
        return rwl_fail(err, RWL_USAGE, "expression of %zu bytes, limit %zu", span.len, RWL_EXPR_TEXT_MAX);
    if (!rwl_utf8_valid(span))
        return rwl_fail(err, RWL_USAGE, "expression is not UTF-8");
    rwl_parser p = {.lexer = {span, 0, arena}, .arena = arena, .err = err};
    RWL_TRY(rwl_parse_advance(&p));
    RWL_TRY(rwl_parse_or(&p, out));
    return p.token.kind == RWL_TOKEN_END ? RWL_OK : rwl_parse_fail(&p, "and, or or the end");
}

/* Values and conditions have one grammar; binding tells them apart. */
rwl_status rwl_expr_parse_value(const char *text, rwl_arena *arena, const rwl_expr **out, rwl_error *err) {
    return rwl_expr_parse(text, arena, out, err);
}
