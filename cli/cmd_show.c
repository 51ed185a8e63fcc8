/* SPDX-License-Identifier: Apache-2.0 */
/* rowline show: what a table is, its schema, partitioning, sort order, refs and properties. */
#include "cli.h"
#include "json.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- JSON --- */

static void put_json(cli *c, const rowline_table_info *info) {
    json j = {&c->out, false};
    json_open(&j, '{');
    json_key(&j, "format_version");
    json_i64(&j, info->format_version);
    json_key(&j, "table_uuid");
    json_text(&j, info->table_uuid);
    json_key(&j, "location");
    json_text(&j, info->location);
    json_key(&j, "next_row_id");
    json_maybe_i64(&j, info->next_row_id >= 0, info->next_row_id);
    json_key(&j, "last_sequence_number");
    json_i64(&j, info->last_sequence_number);
    json_key(&j, "current_snapshot_id");
    json_id(&j, info->current_snapshot_id);
    json_key(&j, "schema");
    json_raw(&j, info->schema_json);
    json_key(&j, "partition_spec");
    json_raw(&j, info->partition_spec_json);
    json_key(&j, "sort_order");
    json_raw(&j, info->sort_order_json);
    json_key(&j, "refs");
    json_raw(&j, info->refs_json);
    json_key(&j, "properties");
    json_raw(&j, info->properties_json);
    json_close(&j, '}');
    out_char(&c->out, '\n');
}

/* --- text --- */

typedef struct section {
    output *out;
    const char *title; /* printed before the first line */
    bool begun;
} section;

/* Begins a line of a section: its title, or as many spaces. */
static void begin_line(section *s) {
    out_printf(s->out, "  %-10s ", s->begun ? "" : s->title);
    s->begun = true;
}

/* Text of metadata is another's: it goes to a terminal without its control characters. */
static void put_safe(output *o, const char *text) {
    char *copy = text_printable(text, strlen(text));
    out_str(o, copy != NULL ? copy : "");
    free(copy);
}

static void put_member(output *o, const json_node *node, const char *key) {
    const json_node *member = json_get(node, key);
    if (member != NULL && member->kind == JSON_STRING)
        put_safe(o, member->text);
    else if (member != NULL && member->kind == JSON_NUMBER)
        out_bytes(o, member->text, member->len);
}

static void put_line(cli *c, const char *title, const char *text) {
    section s = {&c->out, title, false};
    begin_line(&s);
    put_safe(&c->out, text != NULL ? text : "none");
    out_char(&c->out, '\n');
}

/* A type of the metadata as the schema language writes it. Depth is limited by the parser's. */
static void put_type(output *o, const json_node *type) {
    if (type == NULL)
        return;
    if (type->kind == JSON_STRING) {
        put_safe(o, type->text);
        return;
    }
    const char *kind = json_get_text(type, "type");
    const json_node *fields = json_get(type, "fields");
    out_str(o, kind != NULL ? kind : "");
    out_char(o, '<');
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        put_member(o, f, "name");
        out_char(o, ' ');
        put_type(o, json_get(f, "type"));
        if (f->next != NULL)
            out_str(o, ", ");
    }
    put_type(o, json_get(type, "element"));
    put_type(o, json_get(type, "key"));
    if (json_get(type, "value") != NULL)
        out_str(o, ", ");
    put_type(o, json_get(type, "value"));
    out_char(o, '>');
}

static void put_schema(cli *c, const json_node *schema) {
    section s = {&c->out, "schema", false};
    const json_node *fields = json_get(schema, "fields");
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        const json_node *required = json_get(f, "required");
        begin_line(&s);
        put_member(s.out, f, "id");
        out_char(s.out, ' ');
        put_member(s.out, f, "name");
        out_char(s.out, ' ');
        put_type(s.out, json_get(f, "type"));
        out_str(s.out, required != NULL && required->kind == JSON_TRUE ? " not null\n" : "\n");
    }
}

/* Writes the dotted name of the field with this id below `type`; false when it is not there. */
static bool put_field_name(output *o, const json_node *type, int64_t id) {
    const json_node *fields = json_get(type, "fields");
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        int64_t own;
        if (json_as_i64(json_get(f, "id"), &own) && own == id) {
            put_member(o, f, "name");
            return true;
        }
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
        out_bytes(o, transform, argument != NULL ? (size_t)(argument - transform) : strlen(transform));
        out_char(o, '(');
    }
    if (argument != NULL) {
        out_bytes(o, argument + 1, argument_len);
        out_str(o, ", ");
    }
    int64_t id;
    if (!json_as_i64(json_get(field, "source-id"), &id) || !put_field_name(o, schema, id)) {
        out_str(o, "field ");
        put_member(o, field, "source-id");
    }
    if (!plain)
        out_char(o, ')');
}

static void put_fields(cli *c, const char *title, const char *empty, const json_node *list,
                       const json_node *schema) {
    const json_node *fields = json_get(list, "fields");
    section s = {&c->out, title, false};
    begin_line(&s);
    if (json_count(fields) == 0)
        out_str(s.out, empty);
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        const char *name = json_get_text(f, "name"), *direction = json_get_text(f, "direction"),
                   *nulls = json_get_text(f, "null-order");
        put_transform(s.out, f, schema);
        if (name != NULL) {
            out_str(s.out, " as ");
            put_safe(s.out, name);
        }
        if (direction != NULL && nulls != NULL)
            out_printf(s.out, " %.8s %s", direction,
                       strcmp(nulls, "nulls-first") == 0 ? "nulls first" : "nulls last");
        if (f->next != NULL)
            out_str(s.out, ", ");
    }
    out_char(s.out, '\n');
}

static void put_refs(cli *c, const json_node *refs) {
    section s = {&c->out, "refs", false};
    for (const json_node *r = refs != NULL ? refs->first : NULL; r != NULL; r = r->next) {
        begin_line(&s);
        put_safe(s.out, r->key);
        out_char(s.out, ' ');
        put_member(s.out, r, "type");
        out_char(s.out, ' ');
        put_member(s.out, r, "snapshot_id");
        out_char(s.out, '\n');
    }
}

static void put_properties(cli *c, const json_node *properties) {
    section s = {&c->out, "properties", false};
    for (const json_node *p = properties != NULL ? properties->first : NULL; p != NULL; p = p->next) {
        begin_line(&s);
        put_safe(s.out, p->key);
        out_str(s.out, " = ");
        put_safe(s.out, p->text != NULL ? p->text : "");
        out_char(s.out, '\n');
    }
}

static void put_heads(cli *c, const rowline_table_info *info) {
    section snapshot = {&c->out, "snapshot", false}, lineage = {&c->out, "lineage", false};
    begin_line(&snapshot);
    if (info->current_snapshot_id >= 0)
        out_printf(&c->out, "%" PRId64 ", last sequence number %" PRId64 "\n", info->current_snapshot_id,
                   info->last_sequence_number);
    else
        out_str(&c->out, "none\n");
    begin_line(&lineage);
    if (info->next_row_id >= 0)
        out_printf(&c->out, "next-row-id %" PRId64 "\n", info->next_row_id);
    else
        out_printf(&c->out, "none in version %d (rowline upgrade --to 3)\n", info->format_version);
}

static void put_text(cli *c, const rowline_table_info *info) {
    enum { SCHEMA, SPEC, ORDER, REFS, PROPERTIES, PARTS };
    const char *const texts[PARTS] = {info->schema_json, info->partition_spec_json, info->sort_order_json,
                                      info->refs_json, info->properties_json};
    json_doc docs[PARTS];
    const json_node *roots[PARTS];
    for (int i = 0; i < PARTS; i++)
        roots[i] = json_parse(texts[i] != NULL ? texts[i] : "null", texts[i] != NULL ? strlen(texts[i]) : 4,
                              &docs[i]);
    put_safe(&c->out, c->args.arguments[0]);
    out_printf(&c->out, "  Iceberg v%d\n", info->format_version);
    put_line(c, "location", info->location);
    put_line(c, "uuid", info->table_uuid);
    put_line(c, "metadata", info->metadata_location);
    put_heads(c, info);
    put_schema(c, roots[SCHEMA]);
    put_fields(c, "partition", "none", roots[SPEC], roots[SCHEMA]);
    put_fields(c, "sort", "none", roots[ORDER], roots[SCHEMA]);
    put_refs(c, roots[REFS]);
    put_properties(c, roots[PROPERTIES]);
    for (int i = 0; i < PARTS; i++)
        json_doc_free(&docs[i]);
}

rowline_status cmd_show(cli *c) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    rowline_table_info info = {.struct_size = sizeof info};
    st = rowline_table_describe(table, &info, &c->error);
    if (st == ROWLINE_OK && c->json)
        put_json(c, &info);
    else if (st == ROWLINE_OK)
        put_text(c, &info);
    rowline_table_free(table);
    return st;
}
