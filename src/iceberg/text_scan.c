/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of the command line's schema, partition and sort texts. */
#include "iceberg/text_scan.h"

#include "column/value.h"

#include <stdio.h>
#include <strings.h>

rwl_status rwl_text_scan_init(rwl_text_scan *s, const char *what, const char *text, rwl_arena *arena,
                              rwl_error *err) {
    *s = (rwl_text_scan){what, text, 0, arena};
    if (!rwl_utf8_valid(rwl_span_str(text)))
        return rwl_fail(err, RWL_USAGE, "%s text is not UTF-8", what);
    return RWL_OK;
}

rwl_status rwl_text_scan_fail(const rwl_text_scan *s, size_t pos, rwl_error *err, const char *fmt, ...) {
    char message[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return rwl_fail_at(err, RWL_USAGE, (int64_t)pos, "%s text, position %zu: %s", s->what, pos + 1, message);
}

static void skip_space(rwl_text_scan *s) {
    while (s->text[s->pos] != '\0' && strchr(" \t\r\n", s->text[s->pos]))
        s->pos++;
}

bool rwl_text_scan_end(rwl_text_scan *s) {
    skip_space(s);
    return s->text[s->pos] == '\0';
}

bool rwl_text_scan_accept(rwl_text_scan *s, char c) {
    skip_space(s);
    if (s->text[s->pos] != c)
        return false;
    s->pos++;
    return true;
}

rwl_status rwl_text_scan_expected(const rwl_text_scan *s, size_t pos, const char *what, rwl_error *err) {
    if (s->text[pos] == '\0')
        return rwl_text_scan_fail(s, pos, err, "expected %s at the end", what);
    return rwl_text_scan_fail(s, pos, err, "expected %s before '%.40s'", what, s->text + pos);
}

rwl_status rwl_text_scan_expect(rwl_text_scan *s, char c, rwl_error *err) {
    if (rwl_text_scan_accept(s, c))
        return RWL_OK;
    char what[] = {'\'', c, '\'', '\0'};
    return rwl_text_scan_expected(s, s->pos, what, err);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c) {
    return is_name_start(c) || is_digit(c) || c == '$';
}

/* The length of the bare word at the position, 0 for none. */
static size_t bare_len(const rwl_text_scan *s) {
    const char *p = s->text + s->pos;
    size_t len = 0;
    if (!is_name_start(*p))
        return 0;
    while (is_name_part(p[len]))
        len++;
    return len;
}

bool rwl_text_scan_word(rwl_text_scan *s, const char *word) {
    skip_space(s);
    size_t len = bare_len(s);
    if (len != strlen(word) || strncasecmp(s->text + s->pos, word, len) != 0)
        return false;
    s->pos += len;
    return true;
}

/* "quoted name", the position behind the first quote. */
static rwl_status scan_quoted(rwl_text_scan *s, const char **out, rwl_error *err) {
    size_t start = s->pos;
    char *name = rwl_arena_alloc(s->arena, strlen(s->text + start) + 1);
    if (!name)
        return rwl_no_memory(err, strlen(s->text + start) + 1);
    size_t len = 0;
    for (;; s->pos++) {
        char c = s->text[s->pos];
        if (c == '\0')
            return rwl_text_scan_fail(s, start - 1, err, "the quoted name does not end");
        if (c == '"' && s->text[++s->pos] != '"')
            break;
        name[len++] = c;
    }
    if (len == 0)
        return rwl_text_scan_fail(s, start - 1, err, "a name is empty");
    *out = name;
    return RWL_OK;
}

rwl_status rwl_text_scan_name(rwl_text_scan *s, const char **out, bool *bare, rwl_error *err) {
    bool quoted = rwl_text_scan_accept(s, '"');
    if (bare)
        *bare = !quoted;
    if (quoted)
        return scan_quoted(s, out, err);
    size_t len = bare_len(s);
    if (len == 0)
        return rwl_text_scan_expected(s, s->pos, "a name", err);
    *out = rwl_arena_strndup(s->arena, s->text + s->pos, len);
    if (!*out)
        return rwl_no_memory(err, len + 1);
    s->pos += len;
    return RWL_OK;
}

rwl_status rwl_text_scan_number(rwl_text_scan *s, int32_t *out, rwl_error *err) {
    skip_space(s);
    size_t start = s->pos;
    int64_t value = 0;
    while (is_digit(s->text[s->pos]) && value <= INT32_MAX)
        value = value * 10 + (s->text[s->pos++] - '0');
    if (value < 1 || value > INT32_MAX)
        return rwl_text_scan_expected(s, start, "a number from 1 to 2147483647", err);
    *out = (int32_t)value;
    return RWL_OK;
}

rwl_status rwl_text_scan_field(rwl_text_scan *s, const rwl_schema *schema, const rwl_field **out,
                               const char **name, rwl_error *err) {
    skip_space(s);
    size_t start = s->pos;
    const rwl_field *fields = schema->fields;
    int32_t count = schema->field_count;
    const char *path = NULL;
    for (;;) {
        const char *part;
        RWL_TRY(rwl_text_scan_name(s, &part, NULL, err));
        path = path ? rwl_arena_printf(s->arena, "%s.%s", path, part) : part;
        if (!path)
            return rwl_no_memory(err, strlen(part));
        const rwl_field *field = NULL;
        for (int32_t i = 0; i < count && !field; i++)
            field = strcmp(fields[i].name, part) == 0 ? &fields[i] : NULL;
        if (!field) /* a call of what is no transform, most likely */
            return rwl_text_scan_fail(s, start, err, "there is no %s '%s'",
                                      rwl_text_scan_accept(s, '(') ? "transform" : "column", path);
        *out = field;
        *name = path;
        if (!rwl_text_scan_accept(s, '.'))
            return RWL_OK;
        if (field->type.kind != RWL_TYPE_STRUCT)
            return rwl_text_scan_fail(s, start, err, "'%s' is no struct", path);
        fields = field->type.children;
        count = field->type.child_count;
    }
}
