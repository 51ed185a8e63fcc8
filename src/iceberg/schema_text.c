/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line's schema text:
 *
 *   fields = field { "," field }
 *   field  = name [":"] type ["not" "null"]
 *   type   = primitive name as in metadata | "list" "<" type ["not" "null"] ">"
 *          | "map" "<" type "," type ["not" "null"] ">" | "struct" "<" fields ">"
 *
 * fixed(L) is the specification's way to write what metadata call fixed[L]; both are taken.
 */
#include "base/vec.h"
#include "iceberg/text_scan.h"

typedef RWL_VEC(rwl_field) field_vec;

static rwl_status read_type(rwl_text_scan *s, int32_t *next_id, int depth, rwl_type *out, rwl_error *err);

static rwl_status read_required(rwl_text_scan *s, bool *required, rwl_error *err) {
    *required = false;
    if (!rwl_text_scan_word(s, "not"))
        return RWL_OK;
    *required = true;
    return rwl_text_scan_word(s, "null") ? RWL_OK
                                         : rwl_text_scan_fail(s, s->pos, err, "expected 'null' after 'not'");
}

static rwl_status read_field(rwl_text_scan *s, int32_t *next_id, int depth, const field_vec *before,
                             rwl_field *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    (void)rwl_text_scan_end(s);
    size_t start = s->pos;
    RWL_TRY(rwl_text_scan_name(s, &out->name, NULL, err));
    for (size_t i = 0; i < before->len; i++) {
        if (strcmp(before->items[i].name, out->name) == 0)
            return rwl_text_scan_fail(s, start, err, "the name '%s' occurs twice", out->name);
    }
    (void)rwl_text_scan_accept(s, ':');
    out->id = (*next_id)++;
    RWL_TRY(read_type(s, next_id, depth, &out->type, err));
    return read_required(s, &out->required, err);
}

/* Fields up to `close`, or up to the end of the text when that is NUL. */
static rwl_status read_fields(rwl_text_scan *s, int32_t *next_id, int depth, char close,
                              const rwl_field **out, int32_t *count, rwl_error *err) {
    const rwl_env *env = s->arena->env;
    field_vec fields = {NULL, 0, 0};
    rwl_status st;
    do {
        rwl_field field;
        RWL_GOTO(st, read_field(s, next_id, depth, &fields, &field, err), out);
        RWL_GOTO(st, rwl_vec_push(&fields, env, field, err), out);
    } while (rwl_text_scan_accept(s, ','));
    if (close)
        RWL_GOTO(st, rwl_text_scan_expect(s, close, err), out);
    *out = rwl_arena_copy(s->arena, fields.items, fields.len * sizeof(rwl_field));
    *count = (int32_t)fields.len;
    if (!*out)
        st = rwl_no_memory(err, fields.len * sizeof(rwl_field));
out:
    rwl_vec_clear(&fields, env);
    return st;
}

static rwl_status read_list_or_map(rwl_text_scan *s, int32_t *next_id, int depth, rwl_type *out,
                                   rwl_error *err) {
    bool is_map = out->kind == RWL_TYPE_MAP;
    rwl_field *children = rwl_arena_array(s->arena, 2, sizeof *children);
    if (!children)
        return rwl_no_memory(err, 2 * sizeof *children);
    out->children = children;
    out->child_count = is_map ? 2 : 1;
    if (is_map) {
        children[0].name = "key";
        children[0].required = true;
        children[0].id = (*next_id)++;
        RWL_TRY(read_type(s, next_id, depth, &children[0].type, err));
        RWL_TRY(rwl_text_scan_expect(s, ',', err));
    }
    rwl_field *last = &children[out->child_count - 1];
    last->name = is_map ? "value" : "element";
    last->id = (*next_id)++;
    RWL_TRY(read_type(s, next_id, depth, &last->type, err));
    RWL_TRY(read_required(s, &last->required, err));
    return rwl_text_scan_expect(s, '>', err);
}

/* A primitive's name from `start` on: a word, with its parameters when a bracket follows. */
static rwl_status read_primitive(rwl_text_scan *s, size_t start, const char *word, rwl_type *out,
                                 rwl_error *err) {
    char *text = rwl_arena_strdup(s->arena, word);
    if (text) {
        for (char *p = text; *p; p++)
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    }
    char open = '\0';
    if (rwl_text_scan_accept(s, '('))
        open = '(';
    else if (rwl_text_scan_accept(s, '['))
        open = '[';
    if (open && text) {
        const char *rest = s->text + s->pos;
        size_t len = strcspn(rest, open == '(' ? ")" : "]");
        if (rest[len] == '\0')
            return rwl_text_scan_fail(s, s->pos - 1, err, "the '%c' is not closed", open);
        if (len > 1000)
            return rwl_text_scan_fail(s, s->pos - 1, err, "the parameters are too long");
        bool fixed = strcmp(text, "fixed") == 0;
        text = rwl_arena_printf(s->arena, "%s%c%.*s%c", text, fixed ? '[' : open, (int)len, rest,
                                fixed ? ']' : rest[len]);
        s->pos += len + 1;
    }
    if (!text)
        return rwl_no_memory(err, strlen(word));
    return rwl_type_parse(text, s->arena, out)
               ? RWL_OK
               : rwl_text_scan_fail(s, start, err, "unknown type '%.100s'", text);
}

static rwl_status read_type(rwl_text_scan *s, int32_t *next_id, int depth, rwl_type *out, rwl_error *err) {
    (void)rwl_text_scan_end(s);
    size_t start = s->pos;
    if (depth >= RWL_TYPE_DEPTH_MAX)
        return rwl_text_scan_fail(s, start, err, "types nest deeper than %d levels", RWL_TYPE_DEPTH_MAX);
    static const char *const nested[] = {"struct", "list", "map"};
    for (int i = 0; i < 3; i++) {
        if (!rwl_text_scan_word(s, nested[i]))
            continue;
        *out = rwl_type_of((rwl_type_kind)(RWL_TYPE_STRUCT + i));
        RWL_TRY(rwl_text_scan_expect(s, '<', err));
        if (out->kind == RWL_TYPE_STRUCT)
            return read_fields(s, next_id, depth + 1, '>', &out->children, &out->child_count, err);
        return read_list_or_map(s, next_id, depth + 1, out, err);
    }
    const char *word;
    bool bare;
    if (s->text[s->pos] == '\0' || s->text[s->pos] == ',')
        return rwl_text_scan_expected(s, s->pos, "a type", err);
    RWL_TRY(rwl_text_scan_name(s, &word, &bare, err));
    if (!bare)
        return rwl_text_scan_fail(s, start, err, "expected a type before '\"%.40s'", word);
    return read_primitive(s, start, word, out, err);
}

rwl_status rwl_schema_from_text(const char *text, rwl_arena *arena, rwl_schema *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    rwl_text_scan s;
    RWL_TRY(rwl_text_scan_init(&s, "schema", text, arena, err));
    int32_t next_id = 1;
    RWL_TRY(read_fields(&s, &next_id, 0, '\0', &out->fields, &out->field_count, err));
    if (!rwl_text_scan_end(&s))
        return rwl_text_scan_fail(&s, s.pos, err, "expected ',' before '%.40s'", s.text + s.pos);
    return rwl_schema_index(out, arena, err);
}
