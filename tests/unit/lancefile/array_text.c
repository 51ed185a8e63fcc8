/* SPDX-License-Identifier: Apache-2.0 */
/* Text to ArrayEncoding messages, by recursive descent. */
#include "array_text.h"

#include "lance_build.h"

#include <stdio.h>
#include <stdlib.h>

static void give_up(const char *at) {
    fprintf(stderr, "no page encoding: '%s'\n", at);
    abort();
}

static bool skip(const char **p, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*p, word, len) != 0)
        return false;
    *p += len;
    return true;
}

static void expect(const char **p, const char *word) {
    if (!skip(p, word))
        give_up(*p);
}

static uint64_t number(const char **p) {
    char *end;
    uint64_t n = strtoull(*p, &end, 10);
    if (end == *p)
        give_up(*p);
    *p = end;
    return n;
}

static void put_array(rwl_buf *out, const char **p);

/* An inner encoding as field `n`. */
static void put_inner(rwl_buf *out, uint32_t n, const char **p) {
    size_t at = pb_begin(out, n);
    put_array(out, p);
    pb_end(out, at);
}

static void put_buffer(rwl_buf *out, uint32_t n, const char **p) {
    expect(p, "@");
    uint64_t kind = skip(p, "c") ? 1 : skip(p, "f") ? 2 : 0;
    size_t at = pb_begin(out, n);
    pb_varint(out, 1, number(p));
    pb_varint(out, 2, kind);
    pb_end(out, at);
}

static void put_flat(rwl_buf *out, const char **p) {
    char word[16] = {0};
    pb_varint(out, 1, number(p));
    if (skip(p, "+"))
        for (size_t i = 0; **p != '@' && **p != '\0' && i < sizeof word - 1; i++)
            word[i] = *(*p)++;
    put_buffer(out, 2, p);
    if (word[0] == '\0')
        return;
    size_t at = pb_begin(out, 3);
    pb_text(out, 1, word);
    pb_end(out, at);
}

/* (X) or (X, Y), as fields `first` and the next. */
static void put_arguments(rwl_buf *out, uint32_t first, int count, const char **p) {
    expect(p, "(");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            expect(p, ", ");
        put_inner(out, first + (uint32_t)i, p);
    }
    expect(p, ")");
}

static void put_nullable(rwl_buf *out, uint32_t arm, int count, const char **p) {
    size_t at = pb_begin(out, arm);
    if (count > 0)
        put_arguments(out, 1, count, p);
    pb_end(out, at);
}

static void put_packed(rwl_buf *out, const char **p) {
    put_buffer(out, 2, p);
    expect(p, "(");
    do
        put_inner(out, 1, p);
    while (skip(p, ", "));
    expect(p, ")");
}

static void put_list(rwl_buf *out, const char **p) {
    pb_varint(out, 3, number(p));
    expect(p, "/");
    pb_varint(out, 2, number(p));
    put_arguments(out, 1, 1, p);
}

static void put_bitpacked(rwl_buf *out, const char **p) {
    pb_varint(out, 1, number(p));
    expect(p, "of");
    pb_varint(out, 2, number(p));
    bool is_signed = skip(p, "s");
    put_buffer(out, 3, p);
    if (is_signed)
        pb_varint(out, 4, 1);
}

static void put_fsst(rwl_buf *out, const char **p) {
    uint8_t table[8 + 2 * 9] = {2, 0, 0, 1,   'T', 'S', 'S', 'F', 'a', 'b', 0,   0, 0,
                                0, 0, 0, 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 2, 8};
    bool is_bare = skip(p, "_bare");
    if (skip(p, "_raw"))
        table[3] = 0;
    put_arguments(out, 1, 1, p);
    if (!is_bare)
        pb_bytes(out, 2, rwl_span_of(table, sizeof table));
}

static void put_constant(rwl_buf *out, const char **p) {
    uint8_t value[16];
    size_t len = 0;
    if (!skip(p, ":"))
        return;
    for (int high, low; len < sizeof value && (high = rwl_hex_digit((uint8_t)(*p)[0])) >= 0; *p += 2) {
        if ((low = rwl_hex_digit((uint8_t)(*p)[1])) < 0)
            give_up(*p);
        value[len++] = (uint8_t)(high << 4 | low);
    }
    pb_bytes(out, 1, rwl_span_of(value, len));
}

static void put_kind(rwl_buf *out, int kind, const char **p) {
    switch (kind) {
    case 1:
        put_flat(out, p);
        break;
    case 3:
        pb_varint(out, 1, number(p));
        pb_varint(out, 3, skip(p, "+validity"));
        put_arguments(out, 2, 1, p);
        break;
    case 4:
        put_list(out, p);
        break;
    case 6:
        pb_varint(out, 3, number(p));
        put_arguments(out, 1, 2, p);
        break;
    case 7:
        pb_varint(out, 3, number(p));
        put_arguments(out, 1, 2, p);
        break;
    case 8:
        put_fsst(out, p);
        break;
    case 9:
        put_packed(out, p);
        break;
    case 10:
    case 12:
        put_bitpacked(out, p);
        break;
    case 11:
        pb_varint(out, 2, number(p));
        put_arguments(out, 1, 1, p);
        break;
    case 13:
        put_constant(out, p);
        break;
    default:
        break;
    }
}

static void put_array(rwl_buf *out, const char **p) {
    static const struct {
        const char *word;
        int kind, arm, count; /* arm: of nullable */
    } WORDS[] = {{"flat", 1, 0, 0},          {"no_nulls", 2, 1, 1}, {"some_nulls", 2, 2, 2},
                 {"all_nulls", 2, 3, 0},     {"fsl", 3, 0, 0},      {"list", 4, 0, 0},
                 {"struct", 5, 0, 0},        {"binary", 6, 0, 0},   {"dictionary", 7, 0, 0},
                 {"fsst", 8, 0, 0},          {"packed", 9, 0, 0},   {"bitpacked", 10, 0, 0},
                 {"fixed_binary", 11, 0, 0}, {"non_neg", 12, 0, 0}, {"constant", 13, 0, 0}};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (!skip(p, WORDS[i].word))
            continue;
        size_t at = pb_begin(out, (uint32_t)WORDS[i].kind);
        if (WORDS[i].kind == 2)
            put_nullable(out, (uint32_t)WORDS[i].arm, WORDS[i].count, p);
        else
            put_kind(out, WORDS[i].kind, p);
        pb_end(out, at);
        return;
    }
    expect(p, "kind");
    pb_empty(out, (uint32_t)number(p));
}

void put_array_text(rwl_buf *out, const char *text) {
    put_array(out, &text);
    if (*text != '\0')
        give_up(text);
}
