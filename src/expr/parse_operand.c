/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of expressions: names, arithmetic, CASE, COALESCE, CAST. */
#include "expr/parse_internal.h"

/* --- names --- */

static rwl_status keep_name(rwl_parser *p, const char **out) {
    *out = rwl_arena_strndup(p->arena, (const char *)p->token.text.data, p->token.text.len);
    return *out == NULL ? rwl_no_memory(p->err, p->token.text.len) : RWL_OK;
}

/* Names behind dots; the first one was read. */
static rwl_status parse_parts(rwl_parser *p, const char *first, size_t at, const rwl_expr **out) {
    enum { PARTS_MAX = 64 };
    const char *names[PARTS_MAX];
    size_t count = 1;
    names[0] = first;
    while (p->token.kind == RWL_TOKEN_DOT) {
        RWL_TRY(rwl_parse_advance(p));
        if (p->token.kind != RWL_TOKEN_WORD && p->token.kind != RWL_TOKEN_QUOTED)
            return rwl_parse_fail(p, "a field name behind the dot");
        if (count == PARTS_MAX)
            return rwl_parse_fail(p, "fewer nested names");
        RWL_TRY(keep_name(p, &names[count++]));
        RWL_TRY(rwl_parse_advance(p));
    }
    rwl_expr *e;
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_COLUMN, at, &e));
    e->parts = rwl_arena_copy(p->arena, names, count * sizeof names[0]);
    if (e->parts == NULL)
        return rwl_no_memory(p->err, count * sizeof names[0]);
    e->part_count = count;
    *out = e;
    return RWL_OK;
}

/* --- case, coalesce, cast --- */

static rwl_status expect_word(rwl_parser *p, const char *word, const char *expected) {
    return rwl_token_is(&p->token, word) ? rwl_parse_advance(p) : rwl_parse_fail(p, expected);
}

static rwl_status add_value(rwl_parser *p, rwl_item_list *list) {
    const rwl_expr *item;
    RWL_TRY(rwl_parse_or(p, &item));
    return rwl_parse_add(p, list, item);
}

/* Behind the word. */
static rwl_status parse_case(rwl_parser *p, size_t at, const rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    rwl_expr *e;
    if (!rwl_token_is(&p->token, "when"))
        return rwl_parse_unsupported(p, p->token.at, "case with an operand (write case when x = …)",
                                     rwl_span_of(NULL, 0));
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_CASE, at, &e));
    while (rwl_token_is(&p->token, "when")) {
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(add_value(p, &list));
        RWL_TRY(expect_word(p, "then", "then"));
        RWL_TRY(add_value(p, &list));
    }
    if (rwl_token_is(&p->token, "else")) {
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(add_value(p, &list));
    }
    *out = e;
    RWL_TRY(rwl_parse_set_items(p, e, &list));
    return expect_word(p, "end", "when, else or end");
}

/* Behind the word. */
static rwl_status parse_coalesce(rwl_parser *p, size_t at, const rwl_expr **out) {
    rwl_item_list list = {NULL, NULL, 0};
    rwl_expr *e;
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_COALESCE, at, &e));
    if (p->token.kind != RWL_TOKEN_OPEN)
        return rwl_parse_fail(p, "( behind coalesce");
    do {
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(add_value(p, &list));
    } while (p->token.kind == RWL_TOKEN_COMMA);
    if (p->token.kind != RWL_TOKEN_CLOSE)
        return rwl_parse_fail(p, "a comma or )");
    *out = e;
    RWL_TRY(rwl_parse_set_items(p, e, &list));
    return rwl_parse_advance(p);
}

static bool find_type(const rwl_token *word, rwl_type *out) {
    static const struct {
        const char *word;
        rwl_type_kind kind;
    } TYPES[] = {
        {"boolean", RWL_TYPE_BOOLEAN},
        {"bool", RWL_TYPE_BOOLEAN},
        {"int", RWL_TYPE_INT},
        {"integer", RWL_TYPE_INT},
        {"long", RWL_TYPE_LONG},
        {"bigint", RWL_TYPE_LONG},
        {"float", RWL_TYPE_FLOAT},
        {"real", RWL_TYPE_FLOAT},
        {"double", RWL_TYPE_DOUBLE},
        {"decimal", RWL_TYPE_DECIMAL},
        {"numeric", RWL_TYPE_DECIMAL},
        {"date", RWL_TYPE_DATE},
        {"time", RWL_TYPE_TIME},
        {"timestamp", RWL_TYPE_TIMESTAMP},
        {"timestamptz", RWL_TYPE_TIMESTAMPTZ},
        {"timestamp_ns", RWL_TYPE_TIMESTAMP_NS},
        {"timestamptz_ns", RWL_TYPE_TIMESTAMPTZ_NS},
        {"string", RWL_TYPE_STRING},
        {"varchar", RWL_TYPE_STRING},
        {"text", RWL_TYPE_STRING},
        {"uuid", RWL_TYPE_UUID},
        {"fixed", RWL_TYPE_FIXED},
        {"binary", RWL_TYPE_BINARY},
    };
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (rwl_token_is(word, TYPES[i].word)) {
            *out = rwl_type_of(TYPES[i].kind);
            return true;
        }
    }
    return false;
}

/* A whole number in a type's parentheses, up to `max`. */
static rwl_status parse_parameter(rwl_parser *p, int32_t max, int32_t *out) {
    int64_t v = 0;
    bool ok = p->token.kind == RWL_TOKEN_NUMBER;
    for (size_t i = 0; ok && i < p->token.text.len; i++) {
        ok = p->token.text.data[i] >= '0' && p->token.text.data[i] <= '9' && v <= max;
        v = v * 10 + (p->token.text.data[i] - '0');
    }
    if (!ok || v > max)
        return rwl_parse_fail(p, "a whole number that the type allows");
    *out = (int32_t)v;
    return rwl_parse_advance(p);
}

static rwl_status parse_parameters(rwl_parser *p, rwl_type *type) {
    enum { FIXED_MAX = 1 << 20 };
    if (type->kind != RWL_TYPE_DECIMAL && type->kind != RWL_TYPE_FIXED)
        return RWL_OK;
    if (p->token.kind != RWL_TOKEN_OPEN)
        return rwl_parse_fail(p, type->kind == RWL_TYPE_FIXED ? "(length)" : "(precision, scale)");
    RWL_TRY(rwl_parse_advance(p));
    if (type->kind == RWL_TYPE_FIXED) {
        RWL_TRY(parse_parameter(p, FIXED_MAX, &type->length));
    } else {
        RWL_TRY(parse_parameter(p, 38, &type->precision));
        if (p->token.kind == RWL_TOKEN_COMMA) {
            RWL_TRY(rwl_parse_advance(p));
            RWL_TRY(parse_parameter(p, type->precision, &type->scale));
        }
    }
    if (p->token.kind != RWL_TOKEN_CLOSE)
        return rwl_parse_fail(p, ")");
    if (type->kind == RWL_TYPE_FIXED ? type->length == 0 : type->precision == 0)
        return rwl_parse_fail(p, "a length above 0 in the type");
    return rwl_parse_advance(p);
}

/* Behind the word. */
static rwl_status parse_cast(rwl_parser *p, size_t at, const rwl_expr **out) {
    const rwl_expr *item;
    rwl_expr *e;
    if (p->token.kind != RWL_TOKEN_OPEN)
        return rwl_parse_fail(p, "( behind cast");
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(rwl_parse_or(p, &item));
    RWL_TRY(expect_word(p, "as", "as and a type"));
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_CAST, at, item, NULL, &e));
    if (!find_type(&p->token, &e->type))
        return rwl_parse_fail(p, "a primitive type");
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(parse_parameters(p, &e->type));
    if (p->token.kind != RWL_TOKEN_CLOSE)
        return rwl_parse_fail(p, ")");
    *out = e;
    return rwl_parse_advance(p);
}

/* --- factors --- */

/* A construct of its own keyword; `found` tells whether it was one. */
static rwl_status parse_construct(rwl_parser *p, bool *found, const rwl_expr **out) {
    rwl_token word = p->token;
    rwl_status (*parse)(rwl_parser *, size_t, const rwl_expr **) = rwl_token_is(&word, "case") ? parse_case
                                                                   : rwl_token_is(&word, "coalesce")
                                                                       ? parse_coalesce
                                                                   : rwl_token_is(&word, "cast") ? parse_cast
                                                                                                 : NULL;
    *found = parse != NULL;
    if (parse == NULL)
        return RWL_OK;
    RWL_TRY(rwl_parse_enter(p));
    RWL_TRY(rwl_parse_advance(p));
    RWL_TRY(parse(p, word.at, out));
    p->depth--;
    return RWL_OK;
}

/* A keyword's literal or construct, a typed literal, a function (refused) or a column. */
static rwl_status parse_word(rwl_parser *p, const rwl_expr **out) {
    rwl_token word = p->token;
    bool found;
    RWL_TRY(rwl_parse_keyword(p, &found, out));
    if (!found)
        RWL_TRY(parse_construct(p, &found, out));
    if (found)
        return RWL_OK;
    if (rwl_token_is(&word, "exists") || rwl_token_is(&word, "select"))
        return rwl_parse_unsupported(p, word.at, "", word.text);
    if (word.kind == RWL_TOKEN_WORD && rwl_expr_is_reserved(word.text))
        return rwl_parse_fail(p, "a column or a literal");
    const char *name;
    RWL_TRY(keep_name(p, &name));
    RWL_TRY(rwl_parse_advance(p));
    rwl_literal_kind kind;
    if (p->token.kind == RWL_TOKEN_STRING && rwl_parse_typed_kind(&word, &kind))
        return rwl_parse_typed(p, kind, word.at, out);
    if (p->token.kind == RWL_TOKEN_OPEN)
        return rwl_parse_unsupported(p, word.at, "the function ", word.text);
    return parse_parts(p, name, word.at, out);
}

static rwl_status require_operand(rwl_parser *p, size_t at, const rwl_expr *e) {
    return rwl_expr_is_operand(e)
               ? RWL_OK
               : rwl_lex_fail(at, "expected a column or a literal, found a condition", p->err);
}

static rwl_status parse_factor(rwl_parser *p, const rwl_expr **out);

/* A sign: of a number that follows at once it is a part. */
static rwl_status parse_signed(rwl_parser *p, const rwl_expr **out) {
    size_t at = p->token.at;
    bool negative = p->token.arithmetic == RWL_ARITHMETIC_SUBTRACT;
    if (!negative && p->token.arithmetic != RWL_ARITHMETIC_ADD)
        return rwl_parse_fail(p, "a column or a literal");
    RWL_TRY(rwl_parse_advance(p));
    if (p->token.kind == RWL_TOKEN_NUMBER)
        return rwl_parse_number(p, at, negative, out);
    rwl_expr *e;
    RWL_TRY(rwl_parse_enter(p));
    size_t inner = p->token.at;
    RWL_TRY(parse_factor(p, out));
    RWL_TRY(require_operand(p, inner, *out));
    p->depth--;
    if (!negative)
        return RWL_OK;
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_NEGATE, at, *out, NULL, &e));
    *out = e;
    return RWL_OK;
}

static rwl_status parse_factor(rwl_parser *p, const rwl_expr **out) {
    rwl_token t = p->token;
    rwl_expr *e;
    switch (t.kind) {
    case RWL_TOKEN_OPEN:
        RWL_TRY(rwl_parse_advance(p));
        RWL_TRY(rwl_parse_or(p, out));
        if (p->token.kind != RWL_TOKEN_CLOSE)
            return rwl_parse_fail(p, "and, or or )");
        return rwl_parse_advance(p);
    case RWL_TOKEN_NUMBER:
        return rwl_parse_number(p, t.at, false, out);
    case RWL_TOKEN_ARITHMETIC:
        return parse_signed(p, out);
    case RWL_TOKEN_STRING:
    case RWL_TOKEN_BYTES:
        RWL_TRY(rwl_parse_literal(p, t.kind == RWL_TOKEN_STRING ? RWL_LITERAL_STRING : RWL_LITERAL_BYTES,
                                  t.at, t.text, &e));
        *out = e;
        return rwl_parse_advance(p);
    case RWL_TOKEN_WORD:
    case RWL_TOKEN_QUOTED:
        return parse_word(p, out);
    default:
        return rwl_parse_fail(p, "a column or a literal");
    }
}

/* --- arithmetic --- */

static bool is_product(const rwl_token *t) {
    return t->kind == RWL_TOKEN_ARITHMETIC &&
           (t->arithmetic == RWL_ARITHMETIC_MULTIPLY || t->arithmetic == RWL_ARITHMETIC_DIVIDE ||
            t->arithmetic == RWL_ARITHMETIC_REMAINDER);
}

/* left op right, both operands. */
static rwl_status join_terms(rwl_parser *p, const rwl_token *op, size_t start, const rwl_expr *right,
                             size_t right_at, const rwl_expr **left) {
    rwl_expr *e;
    RWL_TRY(require_operand(p, start, *left));
    RWL_TRY(require_operand(p, right_at, right));
    RWL_TRY(rwl_parse_parent(p, RWL_EXPR_ARITHMETIC, op->at, *left, right, &e));
    if (e->depth > RWL_EXPR_CHAIN_MAX)
        return rwl_fail_at(p->err, RWL_USAGE, (int64_t)op->at,
                           "expression, at %zu: arithmetic of more than %d operators in a row or nested",
                           op->at + 1, RWL_EXPR_CHAIN_MAX);
    e->arithmetic = op->arithmetic;
    *left = e;
    return RWL_OK;
}

static rwl_status parse_product(rwl_parser *p, const rwl_expr **out) {
    size_t start = p->token.at;
    RWL_TRY(parse_factor(p, out));
    while (is_product(&p->token)) {
        rwl_token op = p->token;
        const rwl_expr *right;
        RWL_TRY(rwl_parse_advance(p));
        size_t at = p->token.at;
        RWL_TRY(parse_factor(p, &right));
        RWL_TRY(join_terms(p, &op, start, right, at, out));
    }
    return RWL_OK;
}

rwl_status rwl_parse_term(rwl_parser *p, const rwl_expr **out) {
    size_t start = p->token.at;
    RWL_TRY(parse_product(p, out));
    while (p->token.kind == RWL_TOKEN_ARITHMETIC) {
        rwl_token op = p->token;
        const rwl_expr *right;
        RWL_TRY(rwl_parse_advance(p));
        size_t at = p->token.at;
        RWL_TRY(parse_product(p, &right));
        RWL_TRY(join_terms(p, &op, start, right, at, out));
    }
    return RWL_OK;
}

rwl_status rwl_parse_operand(rwl_parser *p, const rwl_expr **out) {
    size_t at = p->token.at;
    RWL_TRY(rwl_parse_term(p, out));
    return require_operand(p, at, *out);
}
