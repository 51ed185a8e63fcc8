/* SPDX-License-Identifier: Apache-2.0 */
/* Literals of expressions. */
#include "base/time.h"
#include "base/uuid.h"
#include "expr/parse_internal.h"

static rwl_status keep_text(rwl_parser *p, rwl_span text, rwl_span *out) {
    const void *copy = rwl_arena_copy(p->arena, text.data, text.len);
    if (copy == NULL)
        return rwl_no_memory(p->err, text.len);
    *out = rwl_span_of(copy, text.len);
    return RWL_OK;
}

rwl_status rwl_parse_literal(rwl_parser *p, rwl_literal_kind kind, size_t at, rwl_span text, rwl_expr **out) {
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_LITERAL, at, out));
    (*out)->literal.kind = kind;
    return text.len == 0 ? RWL_OK : keep_text(p, text, &(*out)->literal.text);
}

rwl_status rwl_parse_number(rwl_parser *p, size_t at, bool negative, const rwl_expr **out) {
    rwl_expr *e;
    rwl_span text = p->token.text;
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_LITERAL, at, &e));
    char *copy = rwl_arena_alloc(p->arena, text.len + 1);
    if (copy == NULL)
        return rwl_no_memory(p->err, text.len + 1);
    copy[0] = '-';
    memcpy(copy + negative, text.data, text.len);
    e->literal.kind = RWL_LITERAL_NUMBER;
    e->literal.text = rwl_span_of(copy, text.len + negative);
    *out = e;
    return rwl_parse_advance(p);
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

bool rwl_parse_typed_kind(const rwl_token *word, rwl_literal_kind *out) {
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
rwl_status rwl_parse_typed(rwl_parser *p, rwl_literal_kind kind, size_t at, const rwl_expr **out) {
    rwl_expr *e;
    RWL_TRY(rwl_parse_node(p, RWL_EXPR_LITERAL, at, &e));
    uint8_t *uuid = rwl_arena_alloc(p->arena, 16);
    if (uuid == NULL)
        return rwl_no_memory(p->err, 16);
    e->literal.kind = kind;
    if (!read_typed(p->token.text, &e->literal, uuid))
        return rwl_parse_fail(
            p, kind == RWL_LITERAL_DATE          ? "a date such as '2026-11-30'"
               : kind == RWL_LITERAL_TIME        ? "a time such as '12:34:56.000001'"
               : kind == RWL_LITERAL_TIMESTAMP   ? "a timestamp such as '2026-11-30T12:34:56', without zone"
               : kind == RWL_LITERAL_TIMESTAMPTZ ? "a timestamp with zone such as '2026-11-30T12:34:56+00:00'"
                                                 : "a uuid");
    e->literal.source = p->token.text; /* strings are in the arena */
    *out = e;
    return rwl_parse_advance(p);
}

rwl_status rwl_parse_keyword(rwl_parser *p, bool *found, const rwl_expr **out) {
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
    RWL_TRY(rwl_parse_literal(p, kind, at, rwl_span_of(NULL, 0), &e));
    e->literal.b = is_true;
    *out = e;
    return rwl_parse_advance(p);
}
