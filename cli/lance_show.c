/* SPDX-License-Identifier: Apache-2.0 */
/* rowline show, of a Lance dataset: what the manifest of its version says. */
#include "lance.h"
#include "layout.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t lance_i64(const json_node *node, const char *key, int64_t absent) {
    int64_t value;
    return json_as_i64(json_get(node, key), &value) ? value : absent;
}

static bool is_true(const json_node *node, const char *key) {
    const json_node *member = json_get(node, key);
    return member != NULL && member->kind == JSON_TRUE;
}

static void put_line(cli *c, const char *title, const char *text) {
    layout_section s = {&c->out, title, false};
    layout_line(&s);
    layout_safe(&c->out, text != NULL ? text : "none");
    out_char(&c->out, '\n');
}

/* --- lineage --- */

/* "inline, 24 B in 3 fragments" */
static void put_part(output *o, bool *any, const char *how, int64_t fragments, int64_t bytes) {
    if (fragments == 0)
        return;
    out_printf(o, "%s%s", *any ? "; " : "", how);
    if (bytes >= 0)
        out_printf(o, ", %s", text_bytes(bytes).s);
    out_printf(o, " in %s", text_count(fragments, "fragment").s);
    *any = true;
}

void lance_put_sequences(cli *c, const char *title, bool begun, const json_node *sequences) {
    output *o = &c->out;
    layout_section s = {o, title, begun};
    for (const json_node *q = sequences != NULL ? sequences->first : NULL; q != NULL; q = q->next) {
        const char *name = json_get_text(q, "sequence");
        bool any = false;
        layout_line(&s);
        out_printf(o, "%-28s  ", name != NULL ? name : "");
        put_part(o, &any, "inline", lance_i64(q, "inline_fragments", 0), lance_i64(q, "inline_bytes", 0));
        put_part(o, &any, "spilled", lance_i64(q, "spilled_fragments", 0), lance_i64(q, "spilled_bytes", 0));
        put_part(o, &any, "absent", lance_i64(q, "absent_fragments", 0), -1);
        put_part(o, &any, "external", lance_i64(q, "external_fragments", 0), -1);
        out_str(o, any ? "\n" : "no fragments\n");
    }
}

static void put_lineage(cli *c, const json_node *details) {
    layout_section s = {&c->out, "lineage", false};
    layout_line(&s);
    if (is_true(details, "stable_row_ids"))
        out_printf(&c->out, "stable row ids, next-row-id %" PRId64 "\n",
                   lance_i64(details, "next_row_id", 0));
    else
        out_str(&c->out, "none: _rowid is the address of a row, versions read 1\n");
    lance_put_sequences(c, "lineage", true, json_get(details, "lineage"));
}

/* --- flags --- */

static void put_word(output *o, const char *title, const json_node *flags) {
    const json_node *names = json_get(flags, "names"), *value = json_get(flags, "value");
    out_printf(o, "%s %s", title, value != NULL && value->text != NULL ? value->text : "0");
    for (const json_node *n = names != NULL ? names->first : NULL; n != NULL; n = n->next) {
        out_str(o, n == names->first ? " (" : ", ");
        layout_safe(o, n->text);
        if (n->next == NULL)
            out_char(o, ')');
    }
    out_char(o, '\n');
}

void lance_put_flags(cli *c, const json_node *details) {
    layout_section s = {&c->out, "flags", false};
    layout_line(&s);
    put_word(&c->out, "reader", json_get(details, "reader_flags"));
    layout_line(&s);
    put_word(&c->out, "writer", json_get(details, "writer_flags"));
}

/* --- schema --- */

static void put_field(output *o, const json_node *field) {
    layout_member(o, field, "id");
    out_char(o, ' ');
    layout_member(o, field, "name");
    out_char(o, ' ');
    layout_member(o, field, "type");
    if (!is_true(field, "nullable"))
        out_str(o, " not null");
    out_char(o, '\n');
}

/* Children stand below their parent, two columns to the right. Depth is limited by the parser's. */
static void put_fields(layout_section *s, const json_node *fields, int32_t indent) {
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        layout_line(s);
        out_spaces(s->out, indent);
        put_field(s->out, f);
        put_fields(s, json_get(f, "children"), indent + 2);
    }
}

/* --- the rest --- */

static void put_heads(cli *c, const json_node *d) {
    output *o = &c->out;
    const json_node *writer = json_get(d, "writer");
    const char *library = json_get_text(writer, "library"), *version = json_get_text(writer, "version");
    layout_section at = {o, "version", false}, manifest = {o, "manifest", false},
                   fragments = {o, "fragments", false};
    layout_line(&at);
    layout_member(o, d, "version");
    out_str(o, " of ");
    layout_member(o, d, "branch");
    out_printf(o, ", %s by ", text_time(lance_i64(d, "timestamp_ms", 0)).s);
    layout_safe(o, library != NULL ? library : "unsigned");
    out_str(o, version != NULL ? " " : "");
    layout_safe(o, version != NULL ? version : "");
    out_char(o, '\n');
    layout_line(&manifest);
    layout_member(o, d, "manifest");
    out_printf(o, ", %s\n", text_bytes(lance_i64(d, "manifest_bytes", 0)).s);
    layout_line(&fragments);
    out_str(o, text_grouped(lance_i64(d, "fragments", 0)).s);
    if (lance_i64(d, "max_fragment_id", -1) >= 0)
        out_printf(o, ", greatest id so far %" PRId64, lance_i64(d, "max_fragment_id", 0));
    out_char(o, '\n');
}

static void put_refs(cli *c, const json_node *refs) {
    output *o = &c->out;
    layout_section s = {o, "refs", false};
    for (const json_node *r = refs != NULL ? refs->first : NULL; r != NULL; r = r->next) {
        const char *on = json_get_text(r, "branch"), *parent = json_get_text(r, "parent");
        const json_node *version = json_get(r, "version");
        layout_line(&s);
        layout_safe(o, r->key);
        out_char(o, ' ');
        layout_member(o, r, "type");
        out_char(o, ' ');
        layout_member(o, r, "version");
        if (version == NULL || version->kind != JSON_NUMBER)
            out_str(o, "without versions");
        if (on != NULL && strcmp(on, "main") != 0) {
            out_str(o, " of ");
            layout_safe(o, on);
        }
        if (parent != NULL) {
            out_str(o, ", from version ");
            layout_member(o, r, "parent_version");
            out_str(o, " of ");
            layout_safe(o, parent);
        }
        out_char(o, '\n');
    }
}

static void put_pairs(cli *c, const char *title, const json_node *pairs) {
    layout_section s = {&c->out, title, false};
    for (const json_node *p = pairs != NULL ? pairs->first : NULL; p != NULL; p = p->next) {
        layout_line(&s);
        layout_safe(&c->out, p->key);
        out_str(&c->out, " = ");
        layout_safe(&c->out, p->text != NULL ? p->text : "");
        out_char(&c->out, '\n');
    }
}

void lance_put_bases(cli *c, const json_node *bases) {
    layout_section s = {&c->out, "bases", false};
    for (const json_node *b = bases != NULL ? bases->first : NULL; b != NULL; b = b->next) {
        layout_line(&s);
        layout_member(&c->out, b, "id");
        out_char(&c->out, ' ');
        layout_member(&c->out, b, "path");
        out_char(&c->out, '\n');
    }
}

void lance_put_show(cli *c, const json_node *d) {
    output *o = &c->out;
    const char *format = json_get_text(d, "data_format");
    layout_safe(o, c->args.arguments[0]);
    out_printf(o, "  Lance%s", format != NULL ? ", data files " : "");
    layout_safe(o, format != NULL ? format : "");
    out_char(o, '\n');
    put_line(c, "location", json_get_text(d, "location"));
    put_heads(c, d);
    put_lineage(c, d);
    lance_put_flags(c, d);
    layout_section schema = {o, "schema", false};
    put_fields(&schema, json_get(json_get(d, "schema"), "fields"), 0);
    put_refs(c, json_get(d, "refs"));
    put_pairs(c, "config", json_get(d, "config"));
    put_pairs(c, "metadata", json_get(d, "table_metadata"));
    put_pairs(c, "of schema", json_get(d, "schema_metadata"));
    lance_put_bases(c, json_get(d, "bases"));
}
