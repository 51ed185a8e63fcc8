/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer of filter expressions. */
#include "expr/lex.h"

rwl_status rwl_lex_fail(size_t at, const char *what, rwl_error *err) {
    return rwl_fail_at(err, RWL_USAGE, (int64_t)at, "expression, at %zu: %s", at + 1, what);
}

static uint8_t lower(uint8_t c) {
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static bool equal_word(rwl_span text, const char *word) {
    size_t i = 0;
    for (; i < text.len && word[i] != '\0'; i++) {
        if (lower(text.data[i]) != (uint8_t)word[i])
            return false;
    }
    return i == text.len && word[i] == '\0';
}

bool rwl_token_is(const rwl_token *token, const char *word) {
    return token->kind == RWL_TOKEN_WORD && equal_word(token->text, word);
}

bool rwl_expr_is_reserved(rwl_span word) {
    static const char *const WORDS[] = {
        "and",   "or",    "not",  "in",   "between", "is",   "null", "nan",  "true",     "false",  "like",
        "ilike", "rlike", "case", "when", "then",    "else", "end",  "cast", "coalesce", "exists", "select"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (equal_word(word, WORDS[i]))
            return true;
    }
    return false;
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}
static bool is_name_start(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}
static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The byte `ahead` of the position, 0 behind the end. */
static uint8_t peek(const rwl_lexer *l, size_t ahead) {
    return l->text.len - l->pos > ahead ? l->text.data[l->pos + ahead] : 0;
}

/* Text up to the closing `quote`, which doubled stands for itself; the position is behind the opening one. */
static rwl_status read_quoted(rwl_lexer *l, uint8_t quote, rwl_span *out, rwl_error *err) {
    size_t start = l->pos;
    size_t end = start;
    size_t doubled = 0;
    for (;; end++) {
        if (end >= l->text.len)
            return rwl_lex_fail(
                start - 1, quote == '\'' ? "text without its closing '" : "name without its closing \"", err);
        if (l->text.data[end] != quote)
            continue;
        if (end + 1 < l->text.len && l->text.data[end + 1] == quote) {
            doubled++;
            end++;
            continue;
        }
        break;
    }
    l->pos = end + 1;
    uint8_t *text = rwl_arena_alloc(l->arena, end - start - doubled + 1); /* a NUL: names are C strings */
    if (text == NULL)
        return rwl_no_memory(err, end - start);
    size_t len = 0;
    for (size_t i = start; i < end; i++) {
        text[len++] = l->text.data[i];
        if (l->text.data[i] == quote)
            i++;
    }
    *out = rwl_span_of(text, len);
    return RWL_OK;
}

static rwl_status read_hex(rwl_lexer *l, rwl_token *token, rwl_error *err) {
    rwl_span text;
    l->pos += 2;
    RWL_TRY(read_quoted(l, '\'', &text, err));
    if (text.len % 2 != 0)
        return rwl_lex_fail(token->at, "an odd number of hexadecimal digits", err);
    uint8_t *bytes = rwl_arena_alloc(l->arena, text.len / 2);
    if (bytes == NULL)
        return rwl_no_memory(err, text.len / 2);
    for (size_t i = 0; i < text.len / 2; i++) {
        int high = rwl_hex_digit(text.data[2 * i]);
        int low = rwl_hex_digit(text.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return rwl_lex_fail(token->at, "X'…' takes hexadecimal digits only", err);
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    token->kind = RWL_TOKEN_BYTES;
    token->text = rwl_span_of(bytes, text.len / 2);
    return RWL_OK;
}

static void skip_digits(rwl_lexer *l) {
    while (is_digit(peek(l, 0)))
        l->pos++;
}

static rwl_status read_number(rwl_lexer *l, rwl_token *token, rwl_error *err) {
    skip_digits(l);
    if (peek(l, 0) == '.') {
        l->pos++;
        skip_digits(l);
    }
    if (lower(peek(l, 0)) == 'e') {
        size_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
        if (!is_digit(peek(l, 1 + sign)))
            return rwl_lex_fail(l->pos, "an exponent without digits", err);
        l->pos += 1 + sign;
        skip_digits(l);
    }
    if (is_name_start(peek(l, 0)))
        return rwl_lex_fail(l->pos, "letters behind a number", err);
    token->kind = RWL_TOKEN_NUMBER;
    token->text = rwl_span_of(l->text.data + token->at, l->pos - token->at);
    return RWL_OK;
}

static void read_word(rwl_lexer *l, rwl_token *token) {
    while (is_name_start(peek(l, 0)) || is_digit(peek(l, 0)))
        l->pos++;
    token->kind = RWL_TOKEN_WORD;
    token->text = rwl_span_of(l->text.data + token->at, l->pos - token->at);
}

/* A comparison of one or two characters; false when there is none here. */
static bool read_op(rwl_lexer *l, rwl_token *token) {
    uint8_t c = peek(l, 0);
    uint8_t next = peek(l, 1);
    size_t len = 2;
    if (c == '<' && next == '>') {
        token->op = RWL_RELATION_NE;
    } else if (c == '!' && next == '=') {
        token->op = RWL_RELATION_NE;
    } else if (c == '<' && next == '=') {
        token->op = RWL_RELATION_LE;
    } else if (c == '>' && next == '=') {
        token->op = RWL_RELATION_GE;
    } else if (c == '<' || c == '>' || c == '=') {
        token->op = c == '<' ? RWL_RELATION_LT : c == '>' ? RWL_RELATION_GT : RWL_RELATION_EQ;
        len = 1;
    } else {
        return false;
    }
    token->kind = RWL_TOKEN_OP;
    l->pos += len;
    return true;
}

static rwl_status take_arithmetic(rwl_lexer *l, rwl_token *token, rwl_arithmetic op, size_t len) {
    token->kind = RWL_TOKEN_ARITHMETIC;
    token->arithmetic = op;
    l->pos += len;
    return RWL_OK;
}

static rwl_status read_symbol(rwl_lexer *l, rwl_token *token, rwl_error *err) {
    if (peek(l, 0) == '=' && peek(l, 1) == '=')
        return rwl_lex_fail(token->at, "equality is written =", err);
    if (read_op(l, token))
        return RWL_OK;
    switch (peek(l, 0)) {
    case '(':
        token->kind = RWL_TOKEN_OPEN;
        break;
    case ')':
        token->kind = RWL_TOKEN_CLOSE;
        break;
    case ',':
        token->kind = RWL_TOKEN_COMMA;
        break;
    case '.':
        token->kind = RWL_TOKEN_DOT;
        break;
    case '+':
        return take_arithmetic(l, token, RWL_ARITHMETIC_ADD, 1);
    case '-':
        return take_arithmetic(l, token, RWL_ARITHMETIC_SUBTRACT, 1);
    case '*':
        return take_arithmetic(l, token, RWL_ARITHMETIC_MULTIPLY, 1);
    case '/':
        return take_arithmetic(l, token, RWL_ARITHMETIC_DIVIDE, 1);
    case '%':
        return take_arithmetic(l, token, RWL_ARITHMETIC_REMAINDER, 1);
    case '|':
        if (peek(l, 1) != '|')
            return rwl_lex_fail(token->at, "text is joined with ||", err);
        return take_arithmetic(l, token, RWL_ARITHMETIC_CONCAT, 2);
    case '`':
        return rwl_lex_fail(token->at, "names are quoted with \"", err);
    default:
        return rwl_lex_fail(token->at, "a character that has no meaning here", err);
    }
    l->pos++;
    return RWL_OK;
}

static rwl_status read_token(rwl_lexer *l, rwl_token *token, rwl_error *err) {
    uint8_t c = peek(l, 0);
    if (c == '\'') {
        l->pos++;
        token->kind = RWL_TOKEN_STRING;
        return read_quoted(l, '\'', &token->text, err);
    }
    if (c == '"') {
        l->pos++;
        token->kind = RWL_TOKEN_QUOTED;
        return read_quoted(l, '"', &token->text, err);
    }
    if (lower(c) == 'x' && peek(l, 1) == '\'')
        return read_hex(l, token, err);
    if (is_digit(c) || (c == '.' && is_digit(peek(l, 1))))
        return read_number(l, token, err);
    if (!is_name_start(c))
        return read_symbol(l, token, err);
    read_word(l, token);
    return RWL_OK;
}

rwl_status rwl_lex_next(rwl_lexer *l, rwl_token *out, rwl_error *err) {
    while (l->pos < l->text.len && is_space(l->text.data[l->pos]))
        l->pos++;
    memset(out, 0, sizeof *out);
    out->at = l->pos;
    if (l->pos == l->text.len)
        return RWL_OK; /* kind 0 is the end */
    RWL_TRY(read_token(l, out, err));
    out->len = l->pos - out->at;
    return RWL_OK;
}
