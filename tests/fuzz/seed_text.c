/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that stand for bytes and messages. */
#include "seed_text.h"

#include "base/env.h"
#include "lance_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void seed_must(rwl_status st, const char *what) {
    if (st == RWL_OK)
        return;
    fprintf(stderr, "%s: status %d\n", what, (int)st);
    exit(EXIT_FAILURE);
}

static void fail_text(const char *text, const char *why) {
    fprintf(stderr, "%s at \"%.60s\"\n", why, text);
    exit(EXIT_FAILURE);
}

static void put(rwl_buf *out, const void *bytes, size_t len) {
    seed_must(rwl_buf_append(out, bytes, len, NULL), "memory");
}

/* --- bytes --- */

static int digit_of(char c) {
    const char *digits = "0123456789abcdef", *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* One piece, its repetition too; returns what is behind it. */
static const char *put_piece(rwl_buf *out, const char *text) {
    size_t begin = out->len;
    if (*text == '\'') {
        const char *end = strchr(text + 1, '\'');
        if (end == NULL)
            fail_text(text, "no end of text");
        put(out, text + 1, (size_t)(end - text - 1));
        text = end + 1;
    } else {
        if (digit_of(text[0]) < 0 || digit_of(text[1]) < 0)
            fail_text(text, "no hex digits");
        uint8_t byte = (uint8_t)(digit_of(text[0]) << 4 | digit_of(text[1]));
        put(out, &byte, 1);
        text += 2;
    }
    if (*text != '*')
        return text;
    char *end;
    unsigned long times = strtoul(text + 1, &end, 10);
    size_t len = out->len - begin;
    seed_must(rwl_buf_reserve(out, len * times, NULL), "memory");
    if (times == 0)
        out->len = begin;
    for (; times > 1; times--)
        put(out, out->data + begin, len);
    return end;
}

void seed_bytes(rwl_buf *out, const char *text) {
    while (*text != '\0')
        if (*text == ' ' || *text == '+')
            text++;
        else
            text = put_piece(out, text);
}

/* --- messages --- */

/* Fields up to the end or a closing bracket, which is returned. Depth: the text's, which is in the program. */
static const char *put_fields(rwl_buf *out, const char *text) {
    for (;;) {
        char *at;
        while (*text == ' ')
            text++;
        if (*text == '\0' || *text == ')')
            return text;
        uint32_t number = (uint32_t)strtoul(text, &at, 10);
        if (at == text)
            fail_text(text, "no field number");
        text = at + 1;
        if (*at == ':') {
            if (*text == '-')
                pb_signed(out, number, strtoll(text, &at, 10));
            else
                pb_varint(out, number, strtoull(text, &at, 10));
            text = at;
        } else if (*at == '(') {
            size_t begin = pb_begin(out, number);
            text = put_fields(out, text);
            if (*text++ != ')')
                fail_text(text, "no closing bracket");
            pb_end(out, begin);
        } else if (*at == '=') {
            size_t begin = pb_begin(out, number);
            while (*text != '\0' && *text != ' ' && *text != ')')
                text = *text == '+' ? text + 1 : put_piece(out, text);
            pb_end(out, begin);
        } else {
            fail_text(at, "no field");
        }
    }
}

void seed_message(rwl_buf *out, const char *text) {
    const char *end = put_fields(out, text);
    if (*end != '\0')
        fail_text(end, "a bracket too many");
}

/* --- files --- */

void seed_write(const char *directory, const char *target, const char *name, rwl_span content) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, target);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/%s", directory, target, name);
    FILE *f = fopen(path, "wbx");
    if (f == NULL)
        return; /* it is there */
    if (fwrite(content.data, 1, content.len, f) != content.len || fclose(f) != 0)
        fail_text(path, "can't be written");
}
