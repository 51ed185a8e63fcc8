/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of small JSON documents: strings are decoded in place in a copy of the text. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

typedef struct reader {
    char *p, *end;
    json_node *nodes;
    size_t used, room;
} reader;

static void skip_space(reader *r) {
    while (r->p < r->end && strchr(" \t\r\n", *r->p) != NULL && *r->p != '\0')
        r->p++;
}

static bool take(reader *r, char c) {
    skip_space(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

static json_node *new_node(reader *r, json_kind kind) {
    if (r->used == r->room)
        return NULL;
    json_node *node = &r->nodes[r->used++];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    return node;
}

static bool read_hex4(const reader *r, const char *p, uint32_t *out) {
    *out = 0;
    if (r->end - p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return false;
        *out = *out * 16 + digit;
    }
    return true;
}

static char *put_utf8(char *to, uint32_t c) {
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* The character after "\u", surrogate pairs joined; a lone surrogate becomes U+FFFD. */
static bool read_unicode(reader *r, uint32_t *out) {
    if (!read_hex4(r, r->p, out))
        return false;
    r->p += 4;
    uint32_t low;
    bool high = *out >= 0xd800 && *out < 0xdc00;
    if (high && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u' && read_hex4(r, r->p + 2, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        r->p += 6;
        *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
    } else if (*out >= 0xd800 && *out < 0xe000) {
        *out = 0xfffd;
    }
    return true;
}

/* After the opening quote. An escape is never shorter than what it stands for, so decoding in place is safe.
 */
static bool read_string(reader *r, const char **text, size_t *len) {
    static const char ESCAPES[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char *to = r->p;
    *text = r->p;
    while (r->p < r->end && *r->p != '"') {
        char c = *r->p++;
        if (c != '\\') {
            *to++ = c;
            continue;
        }
        if (r->p == r->end)
            return false;
        c = *r->p++;
        if (c == 'u') {
            uint32_t code;
            if (!read_unicode(r, &code))
                return false;
            to = put_utf8(to, code);
            continue;
        }
        size_t i = 0;
        while (i + 1 < sizeof ESCAPES && ESCAPES[i] != c)
            i += 2;
        if (i + 1 >= sizeof ESCAPES)
            return false;
        *to++ = ESCAPES[i + 1];
    }
    if (r->p == r->end)
        return false;
    r->p++;
    *len = (size_t)(to - *text);
    *to = '\0'; /* at the latest the closing quote's place */
    return true;
}

static json_node *read_value(reader *r, int depth);

/* Members or items up to the closing bracket, chained under `parent`. */
static bool read_children(reader *r, json_node *parent, int depth) {
    bool object = parent->kind == JSON_OBJECT;
    char close = object ? '}' : ']';
    const json_node **link = &parent->first;
    if (take(r, close))
        return true;
    do {
        const char *key = NULL;
        size_t len;
        if (object && (!take(r, '"') || !read_string(r, &key, &len) || !take(r, ':')))
            return false;
        json_node *child = read_value(r, depth + 1);
        if (child == NULL)
            return false;
        child->key = key;
        *link = child;
        link = &child->next;
    } while (take(r, ','));
    return take(r, close);
}

static json_node *read_word(reader *r) {
    static const struct {
        const char *word;
        json_kind kind;
    } WORDS[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        size_t len = strlen(WORDS[i].word);
        if ((size_t)(r->end - r->p) >= len && memcmp(r->p, WORDS[i].word, len) == 0) {
            r->p += len;
            return new_node(r, WORDS[i].kind);
        }
    }
    return NULL;
}

static json_node *read_value(reader *r, int depth) {
    if (depth > DEPTH_MAX)
        return NULL;
    skip_space(r);
    if (r->p == r->end)
        return NULL;
    char c = *r->p;
    if (c == '{' || c == '[') {
        r->p++;
        json_node *node = new_node(r, c == '{' ? JSON_OBJECT : JSON_ARRAY);
        return node != NULL && read_children(r, node, depth) ? node : NULL;
    }
    if (c == '"') {
        r->p++;
        json_node *node = new_node(r, JSON_STRING);
        return node != NULL && read_string(r, &node->text, &node->len) ? node : NULL;
    }
    if (c != '-' && (c < '0' || c > '9'))
        return read_word(r);
    json_node *node = new_node(r, JSON_NUMBER);
    if (node == NULL)
        return NULL;
    node->text = r->p;
    while (r->p < r->end && *r->p != '\0' && strchr("+-.0123456789eE", *r->p) != NULL)
        r->p++;
    node->len = (size_t)(r->p - node->text);
    return node;
}

const json_node *json_parse(const char *text, size_t len, json_doc *doc) {
    size_t room = 1; /* no more values than commas and opening brackets, and one */
    for (size_t i = 0; i < len; i++)
        room += text[i] == ',' || text[i] == '[' || text[i] == '{';
    doc->text = malloc(len + 1);
    doc->nodes = calloc(room, sizeof *doc->nodes);
    if (doc->text == NULL || doc->nodes == NULL)
        return NULL;
    memcpy(doc->text, text, len);
    doc->text[len] = '\0';
    reader r = {doc->text, doc->text + len, doc->nodes, 0, room};
    const json_node *root = read_value(&r, 0);
    skip_space(&r);
    for (size_t i = 0; i < r.used; i++) /* what stands behind numbers has been read by now */
        if (doc->nodes[i].kind == JSON_NUMBER)
            doc->text[doc->nodes[i].text - doc->text + (ptrdiff_t)doc->nodes[i].len] = '\0';
    return r.p == r.end ? root : NULL;
}

void json_doc_free(json_doc *doc) {
    free(doc->text);
    free(doc->nodes);
    doc->text = NULL;
    doc->nodes = NULL;
}

const json_node *json_get(const json_node *node, const char *key) {
    if (node == NULL || node->kind != JSON_OBJECT)
        return NULL;
    for (const json_node *child = node->first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

const char *json_get_text(const json_node *node, const char *key) {
    const json_node *member = json_get(node, key);
    return member != NULL && member->kind == JSON_STRING ? member->text : NULL;
}

bool json_as_i64(const json_node *node, int64_t *value) {
    if (node == NULL || (node->kind != JSON_NUMBER && node->kind != JSON_STRING) || node->len == 0 ||
        node->len > 20)
        return false;
    bool negative = node->text[0] == '-';
    int64_t sum = 0;
    for (size_t i = negative; i < node->len; i++) {
        char c = node->text[i];
        if (c < '0' || c > '9' || sum > (INT64_MAX - (c - '0')) / 10)
            return false;
        sum = sum * 10 + (c - '0');
    }
    *value = negative ? -sum : sum;
    return true;
}

int32_t json_count(const json_node *node) {
    int32_t count = 0;
    for (const json_node *child = node != NULL ? node->first : NULL; child != NULL; child = child->next)
        count++;
    return count;
}
