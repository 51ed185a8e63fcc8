/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of filter expressions: recursive descent with a depth, one token ahead. */
#include "base/time.h"
#include "base/uuid.h"
#include "expr/lex.h"

typedef struct parser {
    rwl_lexer lexer;
    rwl_token token; /* the one ahead */
    rwl_arena *arena;
    rwl_error *err;
    int depth;
} parser;

/* Items collected before their number is known. */
typedef struct item_link {
    const rwl_expr *expr;
    struct item_link *next;
} item_link;

typedef struct item_list {
    item_link *first, *last;
    size_t count;
} item_list;

static rwl_status advance(parser *p) {
    return rwl_lex_next(&p->lexer, &p->token, p->err);
}

static rwl_status fail_token(parser *p, const char *expected) {
    const rwl_token *t = &p->token;
    if (t->kind == RWL_TOKEN_END)
        return rwl_fail_at(p->err, RWL_USAGE, (int64_t)t->at, "filter expression, at its end: expected %s",
                           expected);
    return rwl_fail_at(p->err, RWL_USAGE, (int64_t)t->at,
                       "filter expression, at %zu: expected %s, found %.*s", t->at + 1, expected,
                       (int)(t->len > 60 ? 60 : t->len), (const char *)p->lexer.text.data + t->at);
}

static rwl_status fail_unsupported(parser *p, size_t at, const char *what, rwl_span name) {
    return rwl_fail_at(p->err, RWL_UNSUPPORTED, (int64_t)at,
                       "filter expression, at %zu: %s%.*s is not supported yet", at + 1, what,
                       (int)(name.len > 60 ? 60 : name.len), name.len == 0 ? "" : (const char *)name.data);
}

/* --- nodes --- */

static rwl_status new_node(parser *p, rwl_expr_kind kind, size_t at, rwl_expr **out) {
    rwl_expr *e = rwl_arena_alloc(p->arena, sizeof *e);
    if (e == NULL)
        return rwl_no_memory(p->err, sizeof *e);
    e->kind = kind;
    e->at = at;
    *out = e;
    return RWL_OK;
}

static rwl_status add_item(parser *p, item_list *list, const rwl_expr *expr) {
    item_link *link = rwl_arena_alloc(p->arena, sizeof *link);
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

static rwl_status set_items(parser *p, rwl_expr *e, const item_list *list) {
    const rwl_expr **items = rwl_arena_array(p->arena, list->count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(p->err, list->count * sizeof *items);
    size_t n = 0;
    for (const item_link *link = list->first; link != NULL; link = link->next)
        items[n++] = link->expr;
    e->items = items;
    e->item_count = n;
    return RWL_OK;
}

static rwl_status new_parent(parser *p, rwl_expr_kind kind, size_t at, const rwl_expr *a, const rwl_expr *b,
                             rwl_expr **out) {
    item_list list = {NULL, NULL, 0};
    RWL_TRY(new_node(p, kind, at, out));
    RWL_TRY(add_item(p, &list, a));
    if (b != NULL)
        RWL_TRY(add_item(p, &list, b));
    return set_items(p, *out, &list);
}

/* --- literals --- */

static rwl_status keep_text(parser *p, rwl_span text, rwl_span *out) {
    const void *copy = rwl_arena_copy(p->arena, text.data, text.len);
    if (copy == NULL)
        return rwl_no_memory(p->err, text.len);
    *out = rwl_span_of(copy, text.len);
    return RWL_OK;
}

static rwl_status new_literal(parser *p, rwl_literal_kind kind, size_t at, rwl_span text, rwl_expr **out) {
    RWL_TRY(new_node(p, RWL_EXPR_LITERAL, at, out));
    (*out)->literal.kind = kind;
    return text.len == 0 ? RWL_OK : keep_text(p, text, &(*out)->literal.text);
}

/* A number with its sign, if it has one, as one text. */
static rwl_status parse_number(parser *p, const rwl_expr **out) {
    size_t at = p->token.at;
    bool negative = false;
    if (p->token.kind == RWL_TOKEN_SIGN) {
        negative = p->lexer.text.data[at] == '-';
        RWL_TRY(advance(p));
        if (p->token.kind != RWL_TOKEN_NUMBER)
            return fail_unsupported(p, at, "arithmetic with ", rwl_span_of(p->lexer.text.data + at, 1));
    }
    rwl_expr *e;
    rwl_span text = p->token.text;
    RWL_TRY(new_node(p, RWL_EXPR_LITERAL, at, &e));
    char *copy = rwl_arena_alloc(p->arena, text.len + 1);
    if (copy == NULL)
        return rwl_no_memory(p->err, text.len + 1);
    copy[0] = '-';
    memcpy(copy + negative, text.data, text.len);
    e->literal.kind = RWL_LITERAL_NUMBER;
    e->literal.text = rwl_span_of(copy, text.len + negative);
    *out = e;
    return advance(p);
}

/* Nanoseconds since 1970; wider than int64 for what only microseconds can hold. */
static bool read_timestamp(rwl_span text, bool zone, rwl_i128 *out) {
    int64_t units;
    if (rwl_timestamp_parse(text, 9, zone, &units)) {
        *out = units;
        return true;
    }
    if (!rwl_timestamp_parse(text, 6, zone, &units))
        return false;
    *out = (rwl_i128)units * 1000;
    return true;
}

static bool read_typed(rwl_span text, rwl_literal *out, uint8_t *uuid) {
    int32_t days;
    int64_t units;
    switch (out->kind) {
    case RWL_LITERAL_DATE:
        if (!rwl_date_parse(text, &days))
            return false;
        out->units = days;
        return true;
    case RWL_LITERAL_TIME:
        if (!rwl_time_parse(text, 9, &units))
            return false;
        out->units = units;
        return true;
    case RWL_LITERAL_TIMESTAMP:
        return read_timestamp(text, false, &out->units);
    case RWL_LITERAL_TIMESTAMPTZ:
        return read_timestamp(text, true, &out->units);
    default:
        out->text = rwl_span_of(uuid, 16);
        return rwl_uuid_parse(text, uuid);
    }
}

static bool typed_kind(const rwl_token *word, rwl_literal_kind *out) {
    static const struct {
        const char *word;
        rwl_literal_kind kind;
    } TYPED[] = {{"date", RWL_LITERAL_DATE},
                 {"time", RWL_LITERAL_TIME},
                 {"timestamp", RWL_LITERAL_TIMESTAMP},
                 {"timestamptz", RWL_LITERAL_TIMESTAMPTZ},
                 {"uuid", RWL_LITERAL_UUID}};
    for (size_t i = 0; i < sizeof TYPED / sizeof TYPED[0]; i++) {
        if (rwl_token_is(word, TYPED[i].word)) {
            *out = TYPED[i].kind;
            return true;
        }
    }
    return false;
}

/* The string behind a type's name is ahead. */
static rwl_status parse_typed(parser *p, rwl_literal_kind kind, size_t at, const rwl_expr **out) {
    rwl_expr *e;
    RWL_TRY(new_node(p, RWL_EXPR_LITERAL, at, &e));
    uint8_t *uuid = rwl_arena_alloc(p->arena, 16);
    if (uuid == NULL)
        return rwl_no_memory(p->err, 16);
    e->literal.kind = kind;
    if (!read_typed(p->token.text, &e->literal, uuid))
        return fail_token(
            p, kind == RWL_LITERAL_DATE          ? "a date such as '2026-11-30'"
               : kind == RWL_LITERAL_TIME        ? "a time such as '12:34:56.000001'"
               : kind == RWL_LITERAL_TIMESTAMP   ? "a timestamp such as '2026-11-30T12:34:56', without zone"
               : kind == RWL_LITERAL_TIMESTAMPTZ ? "a timestamp with zone such as '2026-11-30T12:34:56+00:00'"
                                                 : "a uuid");
    e->literal.source = p->token.text; /* strings are in the arena */
    *out = e;
    return advance(p);
}

/* --- operands --- */

static rwl_status keep_name(parser *p, const char **out) {
    *out = rwl_arena_strndup(p->arena, (const char *)p->token.text.data, p->token.text.len);
    return *out == NULL ? rwl_no_memory(p->err, p->token.text.len) : RWL_OK;
}

/* Names behind dots; the first one was read. */
static rwl_status parse_parts(parser *p, const char *first, size_t at, const rwl_expr **out) {
    enum { PARTS_MAX = 64 };
    const char *names[PARTS_MAX];
    size_t count = 1;
    names[0] = first;
    while (p->token.kind == RWL_TOKEN_DOT) {
        RWL_TRY(advance(p));
        if (p->token.kind != RWL_TOKEN_WORD && p->token.kind != RWL_TOKEN_QUOTED)
            return fail_token(p, "a field name behind the dot");
        if (count == PARTS_MAX)
            return fail_token(p, "fewer nested names");
        RWL_TRY(keep_name(p, &names[count++]));
        RWL_TRY(advance(p));
    }
    rwl_expr *e;
    RWL_TRY(new_node(p, RWL_EXPR_COLUMN, at, &e));
    e->parts = rwl_arena_copy(p->arena, names, count * sizeof names[0]);
    if (e->parts == NULL)
        return rwl_no_memory(p->err, count * sizeof names[0]);
    e->part_count = count;
    *out = e;
    return RWL_OK;
}

static rwl_status parse_keyword_literal(parser *p, bool *found, const rwl_expr **out) {
    size_t at = p->token.at;
    bool is_true = rwl_token_is(&p->token, "true");
    rwl_literal_kind kind;
    *found = true;
    if (is_true || rwl_token_is(&p->token, "false")) {
        kind = RWL_LITERAL_BOOL;
    } else if (rwl_token_is(&p->token, "null")) {
        kind = RWL_LITERAL_NULL;
    } else if (rwl_token_is(&p->token, "nan")) {
        kind = RWL_LITERAL_NAN;
    } else {
        *found = false;
        return RWL_OK;
    }
    rwl_expr *e;
    RWL_TRY(new_literal(p, kind, at, rwl_span_of(NULL, 0), &e));
    e->literal.b = is_true;
    *out = e;
    return advance(p);
}

/* A keyword's literal, a typed literal, a function (refused) or a column. */
static rwl_status parse_word(parser *p, const rwl_expr **out) {
    rwl_token word = p->token;
    bool found;
    RWL_TRY(parse_keyword_literal(p, &found, out));
    if (found)
        return RWL_OK;
    if (rwl_token_is(&word, "case") || rwl_token_is(&word, "cast") || rwl_token_is(&word, "coalesce") ||
        rwl_token_is(&word, "exists") || rwl_token_is(&word, "select"))
        return fail_unsupported(p, word.at, "", word.text);
    if (word.kind == RWL_TOKEN_WORD && rwl_expr_is_reserved(word.text))
        return fail_token(p, "a column or a literal");
    const char *name;
    RWL_TRY(keep_name(p, &name));
    RWL_TRY(advance(p));
    rwl_literal_kind kind;
    if (p->token.kind == RWL_TOKEN_STRING && typed_kind(&word, &kind))
        return parse_typed(p, kind, word.at, out);
    if (p->token.kind == RWL_TOKEN_OPEN)
        return fail_unsupported(p, word.at, "the function ", word.text);
    return parse_parts(p, name, word.at, out);
}

static rwl_status parse_or(parser *p, const rwl_expr **out);

static rwl_status parse_primary(parser *p, const rwl_expr **out) {
    rwl_token t = p->token;
    rwl_expr *e;
    switch (t.kind) {
    case RWL_TOKEN_OPEN:
        RWL_TRY(advance(p));
        RWL_TRY(parse_or(p, out));
        if (p->token.kind != RWL_TOKEN_CLOSE)
            return fail_token(p, "and, or or )");
        return advance(p);
    case RWL_TOKEN_NUMBER:
    case RWL_TOKEN_SIGN:
        return parse_number(p, out);
    case RWL_TOKEN_STRING:
    case RWL_TOKEN_BYTES:
        RWL_TRY(new_literal(p, t.kind == RWL_TOKEN_STRING ? RWL_LITERAL_STRING : RWL_LITERAL_BYTES, t.at,
                            t.text, &e));
        *out = e;
        return advance(p);
    case RWL_TOKEN_WORD:
    case RWL_TOKEN_QUOTED:
        return parse_word(p, out);
    default:
        return fail_token(p, "a column or a literal");
    }
}

/* An operand, with a word for what must not follow or precede it. */
static rwl_status parse_operand(parser *p, const rwl_expr **out) {
    RWL_TRY(parse_primary(p, out));
    if (p->token.kind == RWL_TOKEN_ARITHMETIC || p->token.kind == RWL_TOKEN_SIGN)
        return fail_unsupported(p, p->token.at, "arithmetic with ",
                                rwl_span_of(p->lexer.text.data + p->token.at, p->token.len));
    return RWL_OK;
}

static rwl_status parse_plain_operand(parser *p, const rwl_expr **out) {
    size_t at = p->token.at;
    RWL_TRY(parse_operand(p, out));
    return rwl_expr_is_operand(*out)
               ? RWL_OK
               : rwl_lex_fail(at, "expected a column or a literal, found a condition", p->err);
}

/* --- predicates --- */

static rwl_status parse_compare(parser *p, const rwl_expr *left, const rwl_expr **out) {
    rwl_token op = p->token;
    const rwl_expr *right;
    rwl_expr *e;
    RWL_TRY(advance(p));
    RWL_TRY(parse_plain_operand(p, &right));
    RWL_TRY(new_parent(p, RWL_EXPR_COMPARE, op.at, left, right, &e));
    e->op = op.op;
    *out = e;
    return RWL_OK;
}

static rwl_status parse_in(parser *p, const rwl_expr *left, bool negated, const rwl_expr **out) {
    item_list list = {NULL, NULL, 0};
    rwl_expr *e;
    RWL_TRY(new_node(p, RWL_EXPR_IN, p->token.at, &e));
    RWL_TRY(add_item(p, &list, left));
    RWL_TRY(advance(p));
    if (p->token.kind != RWL_TOKEN_OPEN)
        return fail_token(p, "( behind in");
    do {
        const rwl_expr *item;
        RWL_TRY(advance(p));
        RWL_TRY(parse_plain_operand(p, &item));
        if (item->kind != RWL_EXPR_LITERAL)
            return fail_unsupported(p, item->at, "a column in the list of in", rwl_span_of(NULL, 0));
        RWL_TRY(add_item(p, &list, item));
    } while (p->token.kind == RWL_TOKEN_COMMA);
    if (p->token.kind != RWL_TOKEN_CLOSE)
        return fail_token(p, "a comma or )");
    e->negated = negated;
    *out = e;
    RWL_TRY(set_items(p, e, &list));
    return advance(p);
}

static rwl_status parse_between(parser *p, const rwl_expr *left, bool negated, const rwl_expr **out) {
    size_t at = p->token.at;
    const rwl_expr *low;
    const rwl_expr *high;
    rwl_expr *from;
    rwl_expr *to;
    rwl_expr *both;
    RWL_TRY(advance(p));
    RWL_TRY(parse_plain_operand(p, &low));
    if (!rwl_token_is(&p->token, "and"))
        return fail_token(p, "and between the two ends");
    RWL_TRY(advance(p));
    RWL_TRY(parse_plain_operand(p, &high));
    RWL_TRY(new_parent(p, RWL_EXPR_COMPARE, at, left, low, &from));
    RWL_TRY(new_parent(p, RWL_EXPR_COMPARE, at, left, high, &to));
    from->op = RWL_RELATION_GE;
    to->op = RWL_RELATION_LE;
    RWL_TRY(new_parent(p, RWL_EXPR_AND, at, from, to, &both));
    if (negated)
        RWL_TRY(new_parent(p, RWL_EXPR_NOT, at, both, NULL, &both));
    *out = both;
    return RWL_OK;
}

static rwl_status parse_is(parser *p, const rwl_expr *left, const rwl_expr **out) {
    size_t at = p->token.at;
    RWL_TRY(advance(p));
    bool negated = rwl_token_is(&p->token, "not");
    if (negated)
        RWL_TRY(advance(p));
    bool is_null = rwl_token_is(&p->token, "null");
    if (rwl_token_is(&p->token, "distinct"))
        return fail_unsupported(p, p->token.at, "is distinct from", rwl_span_of(NULL, 0));
    if (!is_null && !rwl_token_is(&p->token, "nan"))
        return fail_token(p, negated ? "null or nan" : "null, nan or not");
    rwl_expr *e;
    RWL_TRY(new_parent(p, is_null ? RWL_EXPR_IS_NULL : RWL_EXPR_IS_NAN, at, left, NULL, &e));
    e->negated = negated;
    *out = e;
    return advance(p);
}

static bool is_like(const rwl_token *t) {
    return rwl_token_is(t, "like") || rwl_token_is(t, "ilike") || rwl_token_is(t, "rlike");
}

static rwl_status parse_predicate(parser *p, const rwl_expr **out) {
    const rwl_expr *left;
    size_t start = p->token.at;
    RWL_TRY(parse_operand(p, &left));
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
        RWL_TRY(advance(p));
    if (is_like(&p->token))
        return fail_unsupported(p, p->token.at, "", p->token.text);
    if (rwl_token_is(&p->token, "in"))
        return parse_in(p, left, negated, out);
    if (rwl_token_is(&p->token, "between"))
        return parse_between(p, left, negated, out);
    return fail_token(p, "in or between behind not");
}

/* --- logic --- */

static rwl_status enter(parser *p) {
    if (++p->depth > RWL_EXPR_DEPTH_MAX)
        return rwl_fail_at(p->err, RWL_USAGE, (int64_t)p->token.at,
                           "filter expression, at %zu: nested deeper than %d levels", p->token.at + 1,
                           RWL_EXPR_DEPTH_MAX);
    return RWL_OK;
}

static rwl_status parse_not(parser *p, const rwl_expr **out) {
    if (!rwl_token_is(&p->token, "not"))
        return parse_predicate(p, out);
    size_t at = p->token.at;
    const rwl_expr *inner;
    rwl_expr *e;
    RWL_TRY(enter(p));
    RWL_TRY(advance(p));
    RWL_TRY(parse_not(p, &inner));
    RWL_TRY(new_parent(p, RWL_EXPR_NOT, at, inner, NULL, &e));
    p->depth--;
    *out = e;
    return RWL_OK;
}

static rwl_status parse_and(parser *p, const rwl_expr **out) {
    item_list list = {NULL, NULL, 0};
    size_t at = p->token.at;
    RWL_TRY(parse_not(p, out));
    if (!rwl_token_is(&p->token, "and"))
        return RWL_OK;
    RWL_TRY(add_item(p, &list, *out));
    while (rwl_token_is(&p->token, "and")) {
        RWL_TRY(advance(p));
        RWL_TRY(parse_not(p, out));
        RWL_TRY(add_item(p, &list, *out));
    }
    rwl_expr *e;
    RWL_TRY(new_node(p, RWL_EXPR_AND, at, &e));
    *out = e;
    return set_items(p, e, &list);
}

static rwl_status parse_or(parser *p, const rwl_expr **out) {
    item_list list = {NULL, NULL, 0};
    size_t at = p->token.at;
    RWL_TRY(enter(p));
    RWL_TRY(parse_and(p, out));
    if (rwl_token_is(&p->token, "or")) {
        RWL_TRY(add_item(p, &list, *out));
        while (rwl_token_is(&p->token, "or")) {
            RWL_TRY(advance(p));
            RWL_TRY(parse_and(p, out));
            RWL_TRY(add_item(p, &list, *out));
        }
        rwl_expr *e;
        RWL_TRY(new_node(p, RWL_EXPR_OR, at, &e));
        *out = e;
        RWL_TRY(set_items(p, e, &list));
    }
    p->depth--;
    return RWL_OK;
}

rwl_status rwl_expr_parse(const char *text, rwl_arena *arena, const rwl_expr **out, rwl_error *err) {
    rwl_span span = rwl_span_str(text);
    if (span.len > RWL_EXPR_TEXT_MAX)
        return rwl_fail(err, RWL_USAGE, "filter expression of %zu bytes, limit %zu", span.len,
                        RWL_EXPR_TEXT_MAX);
    if (!rwl_utf8_valid(span))
        return rwl_fail(err, RWL_USAGE, "filter expression is not UTF-8");
    parser p = {.lexer = {span, 0, arena}, .arena = arena, .err = err};
    RWL_TRY(advance(&p));
    RWL_TRY(parse_or(&p, out));
    return p.token.kind == RWL_TOKEN_END ? RWL_OK : fail_token(&p, "and, or or the end");
}
