/* SPDX-License-Identifier: Apache-2.0 */
/* LIKE patterns: compiled once, matched with one point to go back to, so never more than text times pattern. */
#include "expr/expr_internal.h"

enum { ANY_ONE = 256, ANY_MANY = 257 };

/* Bytes of the code point at `at`; 1 for a byte that starts none. */
static size_t point_len(rwl_span text, size_t at) {
    size_t len = 1;
    if (text.data[at] < 0xC0)
        return 1;
    while (len < 4 && at + len < text.len && (text.data[at + len] & 0xC0) == 0x80)
        len++;
    return len;
}

static bool starts_with(rwl_span text, size_t at, rwl_span what) {
    return what.len > 0 && text.len - at >= what.len && memcmp(text.data + at, what.data, what.len) == 0;
}

/* `wild` is the op of an unescaped wildcard, 0 for a byte that stands for itself. */
static rwl_status read_op(rwl_span source, rwl_span escape, size_t *at, uint16_t *op, rwl_error *err) {
    bool escaped = starts_with(source, *at, escape);
    if (escaped) {
        *at += escape.len;
        if (*at == source.len ||
            (source.data[*at] != '%' && source.data[*at] != '_' && !starts_with(source, *at, escape)))
            return rwl_fail(err, RWL_USAGE, "the escape character stands before %%, _ or itself only");
    }
    uint8_t c = source.data[(*at)++];
    *op = escaped || (c != '%' && c != '_') ? c : c == '%' ? ANY_MANY : ANY_ONE;
    return RWL_OK;
}

/* Wildcards in a row: all _ first, then one % if there was any. */
static size_t add_op(uint16_t *ops, size_t count, uint16_t op) {
    bool after_many = count > 0 && ops[count - 1] == ANY_MANY;
    if (after_many && op == ANY_MANY)
        return count;
    if (after_many && op == ANY_ONE) {
        ops[count - 1] = ANY_ONE;
        op = ANY_MANY;
    }
    ops[count] = op;
    return count + 1;
}

static rwl_status set_prefix(rwl_pattern *p, rwl_arena *arena, rwl_error *err) {
    size_t len = 0;
    while (len < p->op_count && p->ops[len] < ANY_ONE)
        len++;
    uint8_t *prefix = rwl_arena_alloc(arena, len);
    if (prefix == NULL)
        return rwl_no_memory(err, len);
    for (size_t i = 0; i < len; i++)
        prefix[i] = (uint8_t)p->ops[i];
    p->prefix = rwl_span_of(prefix, len);
    p->has_wildcard = len < p->op_count;
    p->is_prefix = len + 1 == p->op_count && p->ops[len] == ANY_MANY;
    return RWL_OK;
}

rwl_status rwl_pattern_compile(rwl_span source, rwl_span escape, rwl_arena *arena, rwl_pattern *out,
                               rwl_error *err) {
    memset(out, 0, sizeof *out);
    if (escape.len > 0 && point_len(escape, 0) != escape.len)
        return rwl_fail(err, RWL_USAGE, "escape takes one character");
    uint16_t *ops = rwl_arena_array(arena, source.len, sizeof *ops);
    if (ops == NULL)
        return rwl_no_memory(err, source.len * sizeof *ops);
    for (size_t at = 0; at < source.len;) {
        uint16_t op = 0;
        RWL_TRY(read_op(source, escape, &at, &op, err));
        out->op_count = add_op(ops, out->op_count, op);
    }
    out->source = source;
    out->escape = escape;
    out->ops = ops;
    return set_prefix(out, arena, err);
}

bool rwl_pattern_matches(const rwl_pattern *p, rwl_span text) {
    size_t skip = p->prefix.len;
    if (skip > text.len || (skip > 0 && memcmp(text.data, p->prefix.data, skip) != 0))
        return false;
    if (p->is_prefix)
        return true;
    size_t at = skip, op = skip;
    size_t back_op = SIZE_MAX, back_at = 0; /* behind the last %, and how much text it took */
    while (at < text.len) {
        if (op < p->op_count && p->ops[op] == ANY_MANY) {
            back_op = ++op;
            back_at = at;
            if (op == p->op_count)
                return true;
        } else if (op < p->op_count && p->ops[op] == ANY_ONE) {
            op++;
            at += point_len(text, at);
        } else if (op < p->op_count && p->ops[op] == text.data[at]) {
            op++;
            at++;
        } else if (back_op != SIZE_MAX) {
            op = back_op;
            back_at += point_len(text, back_at); /* the pattern matches whole code points */
            at = back_at;
        } else {
            return false;
        }
    }
    while (op < p->op_count && p->ops[op] == ANY_MANY)
        op++;
    return op == p->op_count;
}
