/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of expressions. */
#ifndef RWL_EXPR_LEX_H
#define RWL_EXPR_LEX_H

#include "expr/expr_internal.h"

typedef enum rwl_token_kind {
    RWL_TOKEN_END,
    RWL_TOKEN_WORD,       /* keyword or unquoted name; text */
    RWL_TOKEN_QUOTED,     /* quoted name; text without quotes */
    RWL_TOKEN_NUMBER,     /* text, unsigned */
    RWL_TOKEN_STRING,     /* text without quotes */
    RWL_TOKEN_BYTES,      /* text: the bytes of X'…' */
    RWL_TOKEN_OP,         /* comparison */
    RWL_TOKEN_ARITHMETIC, /* a sign too */
    RWL_TOKEN_OPEN,
    RWL_TOKEN_CLOSE,
    RWL_TOKEN_COMMA,
    RWL_TOKEN_DOT
} rwl_token_kind;

typedef struct rwl_token {
    rwl_token_kind kind;
    rwl_relation op;
    rwl_arithmetic arithmetic;
    size_t at, len; /* in the text */
    rwl_span text;  /* in the arena or the text */
} rwl_token;

typedef struct rwl_lexer {
    rwl_span text;
    size_t pos;
    rwl_arena *arena;
} rwl_lexer;

/* Reads the next token. */
rwl_status rwl_lex_next(rwl_lexer *lexer, rwl_token *out, rwl_error *err);
/* Whether the token is the unquoted `word` (given in lower case) in any case. */
bool rwl_token_is(const rwl_token *token, const char *word);
/* A usage error at a place of the text. */
rwl_status rwl_lex_fail(size_t at, const char *what, rwl_error *err);

#endif
