/* SPDX-License-Identifier: Apache-2.0 */
/* rowline show: what a table is, its schema, partitioning, sort order, refs and properties. */
#include "lance.h"
#include "layout.h"

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

static void put_line(cli *c, const char *title, const char *text) {
    layout_section s = {&c->out, title, false};
    layout_line(&s);
    layout_safe(&c->out, text != NULL ? text : "none");
    out_char(&c->out, '\n');
}

static void put_refs(cli *c, const json_node *refs) {
    layout_section s = {&c->out, "refs", false};
    for (const json_node *r = refs != NULL ? refs->first : NULL; r != NULL; r = r->next) {
        layout_line(&s);
        layout_safe(s.out, r->key);
        out_char(s.out, ' ');
        layout_member(s.out, r, "type");
        out_char(s.out, ' ');
        layout_member(s.out, r, "snapshot_id");
        out_char(s.out, '\n');
    }
}

static void put_properties(cli *c, const json_node *properties) {
    layout_section s = {&c->out, "properties", false};
    for (const json_node *p = properties != NULL ? properties->first : NULL; p != NULL; p = p->next) {
        layout_line(&s);
        layout_safe(s.out, p->key);
        out_str(s.out, " = ");
        layout_safe(s.out, p->text != NULL ? p->text : "");
        out_char(s.out, '\n');
    }
}

static void put_heads(cli *c, const rowline_table_info *info) {
    layout_section snapshot = {&c->out, "snapshot", false}, lineage = {&c->out, "lineage", false};
    layout_section state = {&c->out, "state", false};
    layout_line(&snapshot);
    if (info->current_snapshot_id >= 0)
        out_printf(&c->out, "%" PRId64 ", last sequence number %" PRId64 "\n", info->current_snapshot_id,
                   info->last_sequence_number);
    else
        out_str(&c->out, "none\n");
    if (info->snapshot_id >= 0 && info->snapshot_id != info->current_snapshot_id) {
        layout_line(&state);
        out_printf(&c->out, "%" PRId64 "\n", info->snapshot_id);
    }
    layout_line(&lineage);
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
    layout_safe(&c->out, c->args.arguments[0]);
    out_printf(&c->out, "  Iceberg v%d\n", info->format_version);
    put_line(c, "location", info->location);
    put_line(c, "uuid", info->table_uuid);
    put_line(c, "metadata", info->metadata_location);
    put_heads(c, info);
    layout_schema(&c->out, "schema", roots[SCHEMA]);
    layout_fields(&c->out, "partition", "none", roots[SPEC], roots[SCHEMA]);
    layout_fields(&c->out, "sort", "none", roots[ORDER], roots[SCHEMA]);
    put_refs(c, roots[REFS]);
    put_properties(c, roots[PROPERTIES]);
    for (int i = 0; i < PARTS; i++)
        json_doc_free(&docs[i]);
}

/* A Lance dataset's own description, as it is or as a screen. */
static rowline_status show_lance(cli *c, rowline_table *table) {
    const char *details;
    rowline_status st = rowline_table_details(table, &details, &c->error);
    if (st != ROWLINE_OK)
        return st;
    if (c->json) {
        out_str(&c->out, details);
        out_char(&c->out, '\n');
        return ROWLINE_OK;
    }
    json_doc doc;
    const json_node *root = json_parse(details, strlen(details), &doc);
    if (root != NULL)
        lance_put_show(c, root);
    json_doc_free(&doc);
    return root != NULL
               ? ROWLINE_OK
               : cli_fail(c, ROWLINE_UNSUPPORTED, "the description is too deep for a screen; say --json");
}

rowline_status cmd_show(cli *c) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    rowline_table_info info = {.struct_size = sizeof info};
    st = rowline_table_describe(table, &info, &c->error);
    if (st == ROWLINE_OK && strcmp(info.format, "lance") == 0)
        st = show_lance(c, table);
    else if (st == ROWLINE_OK && c->json)
        put_json(c, &info);
    else if (st == ROWLINE_OK)
        put_text(c, &info);
    rowline_table_free(table);
    return st;
}
