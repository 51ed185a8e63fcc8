/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out. */
#include "json.h"

#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_escaped(output *o, unsigned char c) {
    static const char SHORT[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* character, letter after the backslash */
    for (size_t i = 0; i + 1 < sizeof SHORT; i += 2) {
        if ((unsigned char)SHORT[i] == c) {
            out_char(o, '\\');
            out_char(o, SHORT[i + 1]);
            return;
        }
    }
    out_printf(o, "\\u%04x", c);
}

void json_quote(output *o, const char *text, size_t len) {
    out_char(o, '"');
    size_t start = 0, i = 0;
    while (i < len) {
        unsigned char c = (unsigned char)text[i];
        size_t n = c < 0x80 ? 1 : text_utf8_len(text + i, len - i);
        if (n == 0 || c < 0x20 || c == '"' || c == '\\') {
            out_bytes(o, text + start, i - start);
            if (n == 0)
                out_str(o, "\xef\xbf\xbd");
            else
                put_escaped(o, c);
            start = i + 1;
            n = 1;
        }
        i += n;
    }
    out_bytes(o, text + start, len - start);
    out_char(o, '"');
}

void json_open(json *j, char bracket) {
    out_char(j->out, bracket);
    j->comma = false;
}

void json_close(json *j, char bracket) {
    out_char(j->out, bracket);
    j->comma = true;
}

void json_item(json *j) {
    if (j->comma)
        out_str(j->out, ", ");
    j->comma = true;
}

void json_key(json *j, const char *key) {
    json_item(j);
    json_quote(j->out, key, strlen(key));
    out_str(j->out, ": ");
}

void json_raw(json *j, const char *text) {
    out_str(j->out, text != NULL ? text : "null");
    j->comma = true;
}

void json_i64(json *j, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    json_raw(j, text);
}

void json_bool(json *j, bool value) {
    json_raw(j, value ? "true" : "false");
}

void json_text(json *j, const char *text) {
    if (text == NULL) {
        json_raw(j, NULL);
        return;
    }
    json_quote(j->out, text, strlen(text));
    j->comma = true;
}

void json_maybe_i64(json *j, bool present, int64_t value) {
    if (present)
        json_i64(j, value);
    else
        json_raw(j, NULL);
}

void json_id(json *j, int64_t id) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, id);
    json_text(j, id >= 0 ? text : NULL);
}
