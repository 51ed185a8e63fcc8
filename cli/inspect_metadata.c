/* SPDX-License-Identifier: Apache-2.0 */
/* Table metadata: one version of a table. */
#include "inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(cli *c, const char *title, const char *text) {
    layout_section s = {&c->out, title, false};
    layout_line(&s);
    layout_safe(&c->out, text != NULL ? text : "none");
    out_char(&c->out, '\n');
}

static const json_node *find_by_id(const json_node *list, const char *key, int64_t id) {
    for (const json_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next)
        if (inspect_i64(n, key) == id)
            return n;
    return list != NULL ? list->first : NULL; /* v1 may leave ids out */
}

/* "schema", or "schema 3" and "(current)" where there are several. */
static void make_title(char out[40], const char *what, int64_t count, int64_t id, bool current) {
    if (count <= 1)
        snprintf(out, 40, "%s", what);
    else
        snprintf(out, 40, "%s %" PRId64 "%s", what, id, current ? "*" : "");
}

static void put_schemas(cli *c, const json_node *doc) {
    const json_node *list = json_get(doc, "schemas");
    for (const json_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next) {
        char title[40];
        int64_t id = inspect_i64(n, "schema-id");
        make_title(title, "schema", json_count(list), id, id == inspect_i64(doc, "current_schema_id"));
        layout_schema(&c->out, title, n);
    }
}

/* All specs or orders, over the current schema; `several` titles them by id where there is more than one. */
static void put_layouts(cli *c, const char *what, const char *several, const json_node *list,
                        const char *id_key, int64_t current, const json_node *schema) {
    if (json_count(list) == 0)
        put_text(c, what, "none");
    for (const json_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next) {
        char title[40];
        int64_t id = inspect_i64(n, id_key);
        make_title(title, json_count(list) > 1 ? several : what, json_count(list), id, id == current);
        layout_fields(&c->out, title, "none", n, schema);
    }
}

static void put_refs(cli *c, const json_node *refs) {
    layout_section s = {&c->out, "refs", false};
    for (const json_node *r = refs != NULL ? refs->first : NULL; r != NULL; r = r->next) {
        layout_line(&s);
        layout_member(s.out, r, "name");
        out_char(s.out, ' ');
        layout_member(s.out, r, "type");
        out_char(s.out, ' ');
        layout_member(s.out, r, "snapshot_id");
        out_char(s.out, '\n');
    }
}

static void put_heads(cli *c, const json_node *doc) {
    const char *head = json_get_text(doc, "current_snapshot_id");
    layout_section snapshot = {&c->out, "snapshot", false}, lineage = {&c->out, "lineage", false},
                   history = {&c->out, "history", false};
    layout_line(&snapshot);
    out_printf(&c->out, "%.24s, last sequence number %" PRId64 "\n", head != NULL ? head : "none",
               inspect_i64(doc, "last_sequence_number"));
    layout_line(&lineage);
    if (inspect_i64(doc, "next_row_id") >= 0)
        out_printf(&c->out, "next-row-id %" PRId64 "\n", inspect_i64(doc, "next_row_id"));
    else
        out_printf(&c->out, "none in version %" PRId64 "\n", inspect_i64(doc, "format_version"));
    layout_line(&history);
    out_printf(&c->out, "updated %s, %s", text_time(inspect_i64(doc, "last_updated_ms")).s,
               text_count(inspect_i64(doc, "snapshot_count"), "snapshot").s);
    out_printf(&c->out, ", %s", text_count(inspect_i64(doc, "earlier_versions"), "earlier version").s);
    if (inspect_i64(doc, "statistics_files") > 0)
        out_printf(&c->out, ", %s", text_count(inspect_i64(doc, "statistics_files"), "statistics file").s);
    out_char(&c->out, '\n');
}

static rowline_status put_snapshots(cli *c, const json_node *snapshots) {
    enum { SNAPSHOT, PARENT, SEQUENCE, TIME, OPERATION, SCHEMA, FIRST, ADDED, LIST, CELLS };
    table_column columns[CELLS] = {
        [SNAPSHOT] = {.name = "SNAPSHOT", .keep = true},
        [PARENT] = {.name = "PARENT"},
        [SEQUENCE] = {.name = "SEQ", .right = true},
        [TIME] = {.name = "TIME (UTC)", .keep = true},
        [OPERATION] = {.name = "OPERATION"},
        [SCHEMA] = {.name = "SCHEMA", .right = true},
        [FIRST] = {.name = "FIRST_ROW_ID", .right = true, .keep = true},
        [ADDED] = {.name = "ADDED ROWS", .right = true},
        [LIST] = {.name = "MANIFEST LIST", .tail = true},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *s = snapshots->first; s != NULL; s = s->next) {
        if (!inspect_table_wants(&t))
            continue;
        short_text time = text_time(inspect_i64(s, "timestamp_ms")), added = inspect_grouped(s, "added_rows");
        const char *cells[CELLS] = {
            [SNAPSHOT] = inspect_cell(json_get(s, "snapshot_id")),
            [PARENT] = inspect_cell(json_get(s, "parent_snapshot_id")),
            [SEQUENCE] = inspect_cell(json_get(s, "sequence_number")),
            [TIME] = time.s,
            [OPERATION] = inspect_cell(json_get(s, "operation")),
            [SCHEMA] = inspect_cell(json_get(s, "schema_id")),
            [FIRST] = inspect_cell(json_get(s, "first_row_id")),
            [ADDED] = added.s,
            [LIST] = inspect_cell(json_get(s, "manifest_list")),
        };
        inspect_table_row(&t, cells);
    }
    return inspect_table_close(&t);
}

rowline_status inspect_metadata(cli *c, const json_node *doc) {
    char kind[40];
    snprintf(kind, sizeof kind, "Iceberg v%" PRId64 " metadata", inspect_i64(doc, "format_version"));
    inspect_head(c, doc, kind);
    out_char(&c->out, '\n');
    put_text(c, "location", json_get_text(doc, "location"));
    put_text(c, "uuid", json_get_text(doc, "table_uuid"));
    put_heads(c, doc);
    put_schemas(c, doc);
    const json_node *schema =
        find_by_id(json_get(doc, "schemas"), "schema-id", inspect_i64(doc, "current_schema_id"));
    put_layouts(c, "partition", "spec", json_get(doc, "partition_specs"), "spec-id",
                inspect_i64(doc, "default_spec_id"), schema);
    put_layouts(c, "sort", "order", json_get(doc, "sort_orders"), "order-id",
                inspect_i64(doc, "default_sort_order_id"), schema);
    put_refs(c, json_get(doc, "refs"));
    inspect_members(c, "properties", json_get(doc, "properties"));
    const json_node *snapshots = json_get(doc, "snapshots");
    if (json_count(snapshots) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    return put_snapshots(c, snapshots);
}
