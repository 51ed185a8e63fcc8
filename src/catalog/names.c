/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a table's metadata folder. */
#include "catalog/names.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const suffixes[] = {
    [RWL_METADATA_PLAIN] = ".metadata.json",
    [RWL_METADATA_GZIP] = ".gz.metadata.json",
    [RWL_METADATA_GZIP_OLD] = ".metadata.json.gz",
};
enum { FORMS = sizeof suffixes / sizeof *suffixes };

/* Digits at `text` as a number; *len is how many. False when there are none or too many. */
static bool parse_digits(const char *text, size_t *len, int64_t *out) {
    int64_t n = 0;
    size_t i = 0;
    for (; text[i] >= '0' && text[i] <= '9'; i++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text[i] - '0', &n))
            return false;
    *len = i;
    *out = n;
    return i > 0;
}

static bool parse_version(const char *name, rwl_metadata_name *out) {
    size_t len;
    if (name[0] != 'v' || name[1] == '0' || !parse_digits(name + 1, &len, &out->number))
        return false;
    out->layout = RWL_METADATA_VERSION;
    for (int form = 0; form < FORMS; form++) {
        out->form = (rwl_metadata_form)form;
        if (strcmp(name + 1 + len, suffixes[form]) == 0)
            return true;
    }
    return false;
}

static bool parse_foreign(const char *name, rwl_metadata_name *out) {
    size_t len;
    out->layout = RWL_METADATA_FOREIGN;
    return parse_digits(name, &len, &out->number) && name[len] == '-' && name[len + 1] != '.' &&
           rwl_metadata_name_form(name, &out->form);
}

bool rwl_metadata_name_parse(const char *name, rwl_metadata_name *out) {
    return parse_version(name, out) || parse_foreign(name, out);
}

bool rwl_metadata_name_form(const char *name, rwl_metadata_form *out) {
    size_t len = strlen(name);
    for (int form = FORMS - 1; form >= 0; form--) { /* the plain suffix ends the gzip one: it comes last */
        size_t suffix_len = strlen(suffixes[form]);
        if (len > suffix_len && strcmp(name + len - suffix_len, suffixes[form]) == 0) {
            *out = (rwl_metadata_form)form;
            return true;
        }
    }
    return false;
}

void rwl_metadata_name_format(int64_t number, rwl_metadata_form form, char out[RWL_METADATA_NAME_MAX]) {
    snprintf(out, RWL_METADATA_NAME_MAX, "v%" PRId64 "%s", number, suffixes[form]);
}

int64_t rwl_metadata_hint_parse(rwl_span text) {
    char line[32] = "";
    size_t len = 0, start = 0;
    while (start < text.len && text.data[start] == ' ')
        start++;
    while (start + len < text.len && len < sizeof line - 1 && text.data[start + len] > ' ')
        len++;
    if (len > 0)
        memcpy(line, text.data + start, len);
    for (size_t i = start + len; i < text.len && text.data[i] != '\n'; i++)
        if (text.data[i] != ' ' && text.data[i] != '\r')
            return -1;
    size_t digits;
    int64_t number;
    return parse_digits(line, &digits, &number) && digits == len && number > 0 ? number : -1;
}
