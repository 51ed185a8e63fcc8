/* SPDX-License-Identifier: Apache-2.0 */
/* Names one after another. */
#include "engine/select_list.h"

#include <ctype.h>
#include <string.h>

static const char *skip_spaces(const char *p) {
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* Appends the part at *at to `out`. */
static rwl_status take_part(const char **at, char *out, size_t *len, rwl_error *err) {
    const char *p = skip_spaces(*at);
    size_t start = *len;
    if (*p == '"') {
        for (p++; *p != '\0' && !(*p == '"' && p[1] != '"'); p++) {
            out[(*len)++] = *p;
            p += *p == '"'; /* a doubled quote */
        }
        if (*p++ != '"')
            return rwl_fail(err, RWL_USAGE, "--select: a quoted name does not end");
    } else {
        while (*p != '\0' && *p != ',' && *p != '.')
            out[(*len)++] = *p++;
        while (*len > start && isspace((unsigned char)out[*len - 1]))
            (*len)--;
    }
    if (*len == start)
        return rwl_fail(err, RWL_USAGE, "--select: expected a column name at '%.100s'", *at);
    *at = skip_spaces(p);
    return RWL_OK;
}

rwl_status rwl_select_next(const char **text, rwl_arena *arena, rwl_select_name *out, rwl_error *err) {
    const char *p = skip_spaces(*text);
    *out = (rwl_select_name){0};
    if (*p == '\0')
        return RWL_OK;
    char *name = rwl_arena_alloc(arena, strlen(p) + 1);
    size_t len = 0;
    if (name == NULL)
        return rwl_no_memory(err, strlen(p) + 1);
    RWL_TRY(take_part(&p, name, &len, err));
    while (*p == '.') {
        name[len++] = *p++;
        out->is_path = true;
        RWL_TRY(take_part(&p, name, &len, err));
    }
    if (*p != ',' && *p != '\0')
        return rwl_fail(err, RWL_USAGE, "--select: expected a comma at '%.100s'", p);
    name[len] = '\0';
    *text = *p == ',' ? p + 1 : p;
    out->text = name;
    return RWL_OK;
}
