/* SPDX-License-Identifier: Apache-2.0 */
/* Names in expressions: which field they mean, and what is said when there is none. */
#include "expr/bind_internal.h"

static bool equal_ignoring_case(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

static bool has_field(const rwl_binder *b, const char *name) {
    for (int32_t i = 0; i < b->count; i++) {
        if (strcmp(b->fields[i].name, name) == 0)
            return true;
    }
    return false;
}

/* A column that was likely meant, NULL when none comes to mind. Other engines write "$row_id". */
static const char *likely_name(const rwl_binder *b, const char *name) {
    if (name[0] == '$') {
        for (int32_t i = 0; i < b->count; i++) {
            const char *known = b->fields[i].name;
            if (known[0] == '_' && strcmp(known + 1, name + 1) == 0)
                return known;
        }
        if (strcmp(name, "$path") == 0 && has_field(b, RWL_COLUMN_FILE))
            return RWL_COLUMN_FILE;
    }
    for (int32_t i = 0; i < b->count; i++) {
        if (equal_ignoring_case(b->fields[i].name, name))
            return b->fields[i].name;
    }
    /* What Iceberg and Lance call the same thing. */
    static const char *const PAIRS[][2] = {
        {RWL_COLUMN_ROW_ID, "_rowid"},
        {RWL_COLUMN_LAST_UPDATED, "_row_last_updated_at_version"},
    };
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        for (int k = 0; k < 2; k++)
            if (strcmp(name, PAIRS[i][k]) == 0 && has_field(b, PAIRS[i][1 - k]))
                return PAIRS[i][1 - k];
    }
    return NULL;
}

static rwl_status fail_unknown(const rwl_binder *b, const rwl_expr *e, const char *name) {
    char known[300];
    size_t len = 0;
    int32_t shown = 0;
    for (; shown < b->count; shown++) {
        size_t more = strlen(b->fields[shown].name);
        if (len + more + 24 > sizeof known)
            break;
        if (shown > 0) {
            memcpy(known + len, ", ", 2);
            len += 2;
        }
        memcpy(known + len, b->fields[shown].name, more);
        len += more;
    }
    known[len] = '\0';
    const char *likely = likely_name(b, name);
    if (likely != NULL)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "no column '%.100s': did you mean %s?", name,
                           likely);
    return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at, "no column '%.100s'; the columns are %s%s", name,
                       known, shown < b->count ? ", and more" : "");
}

/* The parts with dots between them; a name of one part as it is. */
static const char *join_parts(const rwl_binder *b, const rwl_expr *e) {
    size_t len = e->part_count;
    if (e->part_count == 1)
        return e->parts[0];
    for (size_t i = 0; i < e->part_count; i++)
        len += strlen(e->parts[i]);
    char *name = rwl_arena_alloc(b->arena, len);
    if (name == NULL)
        return NULL;
    size_t at = 0;
    for (size_t i = 0; i < e->part_count; i++) {
        size_t part = strlen(e->parts[i]);
        memcpy(name + at, e->parts[i], part);
        at += part;
        name[at++] = i + 1 < e->part_count ? '.' : '\0';
    }
    return name;
}

/* Whether `parent` is a struct with the field as a child, by path and id. */
static bool is_child(const rwl_field *parent, const rwl_field *field) {
    size_t len = strlen(parent->name);
    if (parent->type.kind != RWL_TYPE_STRUCT || strncmp(parent->name, field->name, len) != 0 ||
        field->name[len] != '.')
        return false;
    for (int32_t i = 0; i < parent->type.child_count; i++) {
        const rwl_field *child = &parent->type.children[i];
        if (child->id == field->id && strcmp(child->name, field->name + len + 1) == 0)
            return true;
    }
    return false;
}

static bool is_nested_field(const rwl_binder *b, const rwl_field *field) {
    for (int32_t i = 0; i < b->count; i++) {
        if (is_child(&b->fields[i], field))
            return true;
    }
    return false;
}

/* The field called `name`, -1 for none, -2 when two nested ones are. */
static int32_t choose_field(const rwl_binder *b, const char *name, bool prefer_nested) {
    int32_t first = -1, last = -1, nested = -1, nested_count = 0;
    for (int32_t i = 0; i < b->count; i++) {
        if (strcmp(b->fields[i].name, name) != 0)
            continue;
        first = first < 0 ? i : first;
        last = i;
    }
    if (first == last)
        return first;
    for (int32_t i = first; i <= last; i++) {
        if (strcmp(b->fields[i].name, name) != 0 || !is_nested_field(b, &b->fields[i]))
            continue;
        nested = i;
        nested_count++;
    }
    if (nested_count > 1 && (prefer_nested || is_nested_field(b, &b->fields[first])))
        return -2;
    if (!prefer_nested)
        return first;
    return nested >= 0 ? nested : last;
}

rwl_status rwl_bind_name(rwl_binder *b, const rwl_expr *e, bool any_type, int32_t *out) {
    const char *name = join_parts(b, e);
    if (name == NULL)
        return rwl_no_memory(b->err, e->part_count);
    int32_t i = choose_field(b, name, e->part_count > 1);
    if (i == -2)
        return rwl_fail_at(b->err, RWL_USAGE, (int64_t)e->at,
                           "'%.100s' is ambiguous: two nested fields have this path", name);
    if (i < 0)
        return fail_unknown(b, e, name);
    const rwl_type *type = &b->fields[i].type;
    if (type->kind > RWL_TYPE_BINARY && !any_type)
        return rwl_fail_at(b->err, RWL_UNSUPPORTED, (int64_t)e->at,
                           "column '%.100s' in an expression: %s types can only be tested for null%s", name,
                           rwl_type_is_nested(type) ? "nested" : "variant and geo",
                           type->kind == RWL_TYPE_STRUCT ? "; name its fields with dots" : "");
    b->used[i] = true;
    *out = i;
    return RWL_OK;
}
