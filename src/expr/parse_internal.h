/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the parser share: the state, nodes and lists of items. */
#ifndef RWL_EXPR_PARSE_INTERNAL_H
#define RWL_EXPR_PARSE_INTERNAL_H

#include "expr/lex.h"

typedef struct rwl_parser {
    rwl_lexer lexer;
    rwl_token token; /* the one ahead */
    rwl_arena *arena;
    rwl_error *err;
    int depth;
} rwl_parser;

/* Items collected before their number is known. */
typedef struct rwl_item_link {
    const rwl_expr *expr;
    struct rwl_item_link *next;
} rwl_item_link;

typedef struct rwl_item_list {
    rwl_item_link *first, *last;
    size_t count;
} rwl_item_list;

static inline rwl_status rwl_parse_advance(rwl_parser *p) {
    return rwl_lex_next(&p->lexer, &p->token, p->err);
}
/* A failure at the token ahead, or at a construct that is not supported. */
rwl_status rwl_parse_fail(rwl_parser *p, const char *expected);
rwl_status rwl_parse_unsupported(rwl_parser *p, size_t at, const char *what, rwl_span name);
/* One level further down, as far as the limit; leaving is p->depth--. */
rwl_status rwl_parse_enter(rwl_parser *p);

rwl_status rwl_parse_node(rwl_parser *p, rwl_expr_kind kind, size_t at, rwl_expr **out);
rwl_status rwl_parse_add(rwl_parser *p, rwl_item_list *list, const rwl_expr *expr);
rwl_status rwl_parse_set_items(rwl_parser *p, rwl_expr *e, const rwl_item_list *list);
/* A node of one or two (b not NULL) items. */
rwl_status rwl_parse_parent(rwl_parser *p, rwl_expr_kind kind, size_t at, const rwl_expr *a,
                            const rwl_expr *b, rwl_expr **out);

/* Literals (expr/parse_literal.c): each starts at the token ahead and steps behind it. */
rwl_status rwl_parse_literal(rwl_parser *p, rwl_literal_kind kind, size_t at, rwl_span text, rwl_expr **out);
/* `at`: of the number or of its sign, which was read. */
rwl_status rwl_parse_number(rwl_parser *p, size_t at, bool negative, const rwl_expr **out);
/* TRUE, FALSE, NULL, NAN; `found` tells whether it was one. */
rwl_status rwl_parse_keyword(rwl_parser *p, bool *found, const rwl_expr **out);
/* Whether a string behind `word` makes a typed literal, and of which kind. */
bool rwl_parse_typed_kind(const rwl_token *word, rwl_literal_kind *out);
rwl_status rwl_parse_typed(rwl_parser *p, rwl_literal_kind kind, size_t at, const rwl_expr **out);

/* An operand with arithmetic, or a condition in parentheses; an operand only (expr/parse_operand.c). */
rwl_status rwl_parse_term(rwl_parser *p, const rwl_expr **out);
rwl_status rwl_parse_operand(rwl_parser *p, const rwl_expr **out);
/* A whole condition or value (expr/parse.c). */
rwl_status rwl_parse_or(rwl_parser *p, const rwl_expr **out);

#endif
