/* SPDX-License-Identifier: Apache-2.0 */
/* What a table or file is, as lines under titles. */
#include "layout.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Begins a line of a section: its title, or as many spaces. */
void layout_line(layout_section *s) {
    if (s->title == NULL)
        return;
    out_printf(s->out, "  %-10s ", s->begun ? "" : s->title);
    s->begun = true;
}

/* Text of metadata is another's: it goes to a terminal without its control characters. */
static void put_safe(output *o, const char *text, size_t len) {
    char *copy = text_printable(text, len);
    out_str(o, copy != NULL ? copy : "");
    free(copy);
}

void layout_safe(output *o, const char *text) {
    put_safe(o, text, strlen(text));
}

void layout_member(output *o, const json_node *node, const char *key) {
    const json_node *member = json_get(node, key);
    if (member != NULL && member->kind == JSON_STRING)
        layout_safe(o, member->text);
    else if (member != NULL && member->kind == JSON_NUMBER)
        out_bytes(o, member->text, member->len);
}

/* A type of the metadata as the schema language writes it. Depth is limited by the parser's. */
void layout_type(output *o, const json_node *type) {
    if (type == NULL)
        return;
    if (type->kind == JSON_STRING) {
        layout_safe(o, type->text);
        return;
    }
    const char *kind = json_get_text(type, "type");
    const json_node *fields = json_get(type, "fields");
    out_str(o, kind != NULL ? kind : "");
    out_char(o, '<');
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        layout_member(o, f, "name");
        out_char(o, ' ');
        layout_type(o, json_get(f, "type"));
        if (f->next != NULL)
            out_str(o, ", ");
    }
    layout_type(o, json_get(type, "element"));
    layout_type(o, json_get(type, "key"));
    if (json_get(type, "value") != NULL)
        out_str(o, ", ");
    layout_type(o, json_get(type, "value"));
    out_char(o, '>');
}

void layout_schema(output *o, const char *title, const json_node *schema) {
    layout_section s = {o, title, false};
    const json_node *fields = json_get(schema, "fields");
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        const json_node *required = json_get(f, "required");
        layout_line(&s);
        layout_member(s.out, f, "id");
        out_char(s.out, ' ');
        layout_member(s.out, f, "name");
        out_char(s.out, ' ');
        layout_type(s.out, json_get(f, "type"));
        out_str(s.out, required != NULL && required->kind == JSON_TRUE ? " not null\n" : "\n");
    }
}

/* A field of a struct by its path. */
typedef struct field_name {
    const json_node *field;
    const struct field_name *above;
} field_name;

static void put_path(output *o, const field_name *name) {
    if (name->above != NULL) {
        put_path(o, name->above);
        out_char(o, '.');
    }
    layout_member(o, name->field, "name");
}

/* Writes the dotted name of the field with this id below `type`; false when it is not there. Depth is limited by the
 * parser's. */
static bool put_field_name(output *o, const json_node *type, int64_t id, const field_name *above) {
    const json_node *fields = json_get(type, "fields");
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        field_name name = {f, above};
        int64_t own;
        if (json_as_i64(json_get(f, "id"), &own) && own == id) {
            put_path(o, &name);
            return true;
        }
        if (put_field_name(o, json_get(f, "type"), id, &name))
            return true;
    }
    return false;
}

/* "day(ts)", "bucket(16, id)", or the column of an identity. */
static void put_transform(output *o, const json_node *field, const json_node *schema) {
    const char *transform = json_get_text(field, "transform");
    bool plain = transform == NULL || strcmp(transform, "identity") == 0;
    const char *argument = plain ? NULL : strchr(transform, '[');
    size_t argument_len = argument != NULL ? strcspn(argument + 1, "]") : 0;
    if (!plain) {
        put_safe(o, transform, argument != NULL ? (size_t)(argument - transform) : strlen(transform));
        out_char(o, '(');
    }
    if (argument != NULL) {
        put_safe(o, argument + 1, argument_len);
        out_str(o, ", ");
    }
    int64_t id;
    if (!json_as_i64(json_get(field, "source-id"), &id) || !put_field_name(o, schema, id, NULL)) {
        out_str(o, "field ");
        layout_member(o, field, "source-id");
    }
    if (!plain)
        out_char(o, ')');
}

void layout_fields(output *o, const char *title, const char *empty, const json_node *list,
                   const json_node *schema) {
    const json_node *fields = json_get(list, "fields");
    layout_section s = {o, title, false};
    layout_line(&s);
    if (json_count(fields) == 0)
        out_str(s.out, empty);
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        const char *name = json_get_text(f, "name"), *direction = json_get_text(f, "direction"),
                   *nulls = json_get_text(f, "null-order");
        put_transform(s.out, f, schema);
        if (name != NULL) {
            out_str(s.out, " as ");
            layout_safe(s.out, name);
        }
        if (direction != NULL && nulls != NULL)
            out_printf(s.out, " %.8s %s", direction,
                       strcmp(nulls, "nulls-first") == 0 ? "nulls first" : "nulls last");
        if (f->next != NULL)
            out_str(s.out, ", ");
    }
    out_char(s.out, '\n');
}

/* --- JSON --- */

static void put_string(output *o, const char *text) {
    json_quote(o, text, strlen(text));
}

static bool is_container(const json_node *node) {
    return node->kind == JSON_ARRAY || node->kind == JSON_OBJECT;
}

static bool is_flat(const json_node *node) {
    for (const json_node *n = node->first; n != NULL; n = n->next)
        if (is_container(n) && n->first != NULL)
            return false;
    return true;
}

static void put_scalar(output *o, const json_node *node) {
    static const char *const WORDS[] = {[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    if (node->kind == JSON_STRING)
        put_string(o, node->text);
    else if (node->kind == JSON_NUMBER)
        out_bytes(o, node->text, node->len);
    else
        out_str(o, WORDS[node->kind]);
}

/* Depth is limited by the parser's. */
void layout_json(output *o, const json_node *node, int32_t indent) {
    if (!is_container(node)) {
        put_scalar(o, node);
        return;
    }
    bool flat = is_flat(node);
    out_char(o, node->kind == JSON_ARRAY ? '[' : '{');
    for (const json_node *n = node->first; n != NULL; n = n->next) {
        if (!flat) {
            out_char(o, '\n');
            out_spaces(o, indent + 2);
        }
        if (n->key != NULL) {
            put_string(o, n->key);
            out_str(o, ": ");
        }
        layout_json(o, n, indent + 2);
        if (n->next != NULL)
            out_str(o, flat ? ", " : ",");
    }
    if (!flat) {
        out_char(o, '\n');
        out_spaces(o, indent);
    }
    out_char(o, node->kind == JSON_ARRAY ? ']' : '}');
}
