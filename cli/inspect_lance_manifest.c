/* SPDX-License-Identifier: Apache-2.0 */
/* A Lance manifest: one version of a dataset, its fragments and their lineage. */
#include "inspect.h"
#include "lance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_ROOM = 160 };

/* --- facts --- */

static void put_heads(cli *c, const json_node *doc) {
    output *o = &c->out;
    const json_node *writer = json_get(doc, "writer"), *stable = json_get(doc, "stable_row_ids"),
                    *detached = json_get(doc, "is_detached");
    const char *library = json_get_text(writer, "library"), *version = json_get_text(writer, "version"),
               *branch = json_get_text(doc, "branch"), *format = json_get_text(doc, "data_format");
    layout_section at = {o, "version", false}, lineage = {o, "lineage", false}, data = {o, "data", false};
    layout_line(&at);
    if (detached != NULL && detached->kind == JSON_TRUE)
        out_str(o, "detached ");
    out_printf(o, "%" PRId64 " of ", inspect_i64(doc, "version"));
    layout_safe(o, branch != NULL ? branch : "main");
    out_printf(o, ", %s by ", text_time(inspect_i64(doc, "timestamp_ms")).s);
    layout_safe(o, library != NULL ? library : "unsigned");
    out_str(o, version != NULL ? " " : "");
    layout_safe(o, version != NULL ? version : "");
    out_char(o, '\n');
    layout_line(&lineage);
    if (stable != NULL && stable->kind == JSON_TRUE)
        out_printf(o, "stable row ids, next-row-id %" PRId64 "\n", inspect_i64(doc, "next_row_id"));
    else
        out_str(o, "none: _rowid is the address of a row, versions read 1\n");
    lance_put_flags(c, doc);
    layout_line(&data);
    out_str(o, "files of version ");
    layout_safe(o, format != NULL ? format : "untold");
    out_char(o, '\n');
}

static void put_indices(cli *c, const json_node *section) {
    const json_node *list = json_get(section, "indices");
    layout_section s = {&c->out, "indices", false};
    for (const json_node *i = list != NULL ? list->first : NULL; i != NULL; i = i->next) {
        const json_node *fields = json_get(i, "fields");
        layout_line(&s);
        layout_member(&c->out, i, "name");
        out_char(&c->out, ' ');
        layout_member(&c->out, i, "uuid");
        for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
            out_str(&c->out, f == fields->first ? " on field " : ", ");
            layout_safe(&c->out, f->text != NULL ? f->text : "?");
        }
        if (json_get_text(i, "details") != NULL) {
            out_str(&c->out, ": ");
            layout_member(&c->out, i, "details");
        }
        out_char(&c->out, '\n');
    }
}

static void put_sections(cli *c, const json_node *doc) {
    output *o = &c->out;
    const json_node *index = json_get(doc, "index_section"), *t = json_get(doc, "transaction");
    const char *file = json_get_text(doc, "transaction_file");
    layout_section s = {o, "sections", false};
    if (index != NULL && inspect_i64(index, "bytes") >= 0) {
        layout_line(&s);
        out_printf(o, "index at byte %" PRId64 ", %s\n", inspect_i64(index, "offset"),
                   inspect_bytes(index, "bytes").s);
    }
    if (t != NULL && inspect_i64(t, "offset") >= 0) {
        layout_line(&s);
        out_printf(o, "transaction at byte %" PRId64 ", %s\n", inspect_i64(t, "offset"),
                   inspect_bytes(t, "bytes").s);
    }
    layout_line(&s);
    out_printf(o, "manifest at byte %" PRId64 ", %s\n", inspect_i64(doc, "message_offset"),
               inspect_bytes(doc, "message_bytes").s);
    put_indices(c, index);
    if (json_get_text(t, "error") != NULL) {
        layout_section broken = {o, "operation", false};
        layout_line(&broken);
        inspect_put_cut(c, json_get_text(t, "error"));
        out_char(o, '\n');
    } else if (json_get(t, "operation") != NULL) {
        inspect_lance_operation(c, t);
    }
    if (file != NULL) {
        layout_section also = {o, "txn file", false};
        layout_line(&also);
        layout_safe(o, file);
        out_char(o, '\n');
    }
}

/* --- fragments --- */

/* "8 B: range 0..8", "20 B: 6x4, 3x5 ... 2 more", "spilled", "-" */
static void format_arm(const cli *c, const json_node *arm, char out[CELL_ROOM]) {
    const char *kind = json_get_text(arm, "kind");
    const json_node *runs = json_get(arm, "runs"), *items = runs != NULL ? runs : json_get(arm, "segments");
    int64_t shown = 0, count = inspect_i64(arm, runs != NULL ? "run_count" : "segment_count");
    if (items == NULL) {
        snprintf(out, CELL_ROOM, "%.20s", kind != NULL && strcmp(kind, "absent") != 0 ? kind : "-");
        return;
    }
    size_t used = (size_t)snprintf(out, CELL_ROOM, "%s", inspect_bytes(arm, "bytes").s);
    for (const json_node *n = items->first; n != NULL && used < CELL_ROOM / 2; n = n->next, shown++) {
        int64_t length = 0, version = 0;
        const char *between = shown == 0 ? ": " : ", ";
        int more;
        if (runs != NULL && n->first != NULL && json_as_i64(n->first, &length) &&
            json_as_i64(n->first->next, &version))
            more = snprintf(out + used, CELL_ROOM - used, "%s%" PRId64 "x%" PRId64, between, length, version);
        else
            more = snprintf(out + used, CELL_ROOM - used, "%s%.60s", between, n->text != NULL ? n->text : "");
        used += more > 0 ? (size_t)more : 0;
    }
    if (count > shown && used < CELL_ROOM)
        snprintf(out + used, CELL_ROOM - used, " %s %s more", text_more(c->utf8),
                 text_grouped(count - shown).s);
}

static void put_fragment(inspect_table *t, const json_node *f) {
    char ids[CELL_ROOM], created[CELL_ROOM], updated[CELL_ROOM], deleted[CELL_ROOM] = "";
    const json_node *deletion = json_get(f, "deletion_file");
    const char *form = json_get_text(deletion, "form");
    format_arm(t->c, json_get(f, "row_ids"), ids);
    format_arm(t->c, json_get(f, "created_at"), created);
    format_arm(t->c, json_get(f, "last_updated_at"), updated);
    if (form != NULL)
        snprintf(deleted, sizeof deleted, "%s", inspect_grouped(deletion, "deleted_rows").s);
    short_text physical = inspect_grouped(f, "physical_rows"),
               files = text_grouped(json_count(json_get(f, "files")));
    const char *const cells[] = {inspect_cell(json_get(f, "id")),
                                 physical.s,
                                 form != NULL ? deleted : NULL,
                                 files.s,
                                 ids,
                                 created,
                                 updated};
    inspect_table_row(t, cells);
}

static rowline_status put_fragments(cli *c, const json_node *fragments) {
    table_column columns[] = {
        {.name = "FRAGMENT", .right = true, .keep = true},
        {.name = "ROWS", .right = true, .keep = true},
        {.name = "DELETED", .right = true},
        {.name = "FILES", .right = true},
        {.name = "ROW IDS"},
        {.name = "CREATED AT"},
        {.name = "LAST UPDATED AT"},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, sizeof columns / sizeof *columns);
    for (const json_node *f = fragments->first; f != NULL; f = f->next)
        if (inspect_table_wants(&t))
            put_fragment(&t, f);
    return inspect_table_close(&t);
}

/* --- files --- */

static void join_numbers(const json_node *list, char out[CELL_ROOM]) {
    size_t used = 0;
    out[0] = '\0';
    for (const json_node *n = list != NULL ? list->first : NULL; n != NULL && used < CELL_ROOM; n = n->next) {
        int more = snprintf(out + used, CELL_ROOM - used, "%s%.12s", used > 0 ? ", " : "",
                            n->text != NULL ? n->text : "?");
        used += more > 0 ? (size_t)more : 0;
    }
}

static void put_file(inspect_table *t, const json_node *fragment, const json_node *file) {
    char fields[CELL_ROOM], indices[CELL_ROOM];
    join_numbers(json_get(file, "fields"), fields);
    join_numbers(json_get(file, "column_indices"), indices);
    short_text bytes = inspect_bytes(file, "bytes");
    const char *const cells[] = {inspect_cell(json_get(fragment, "id")),
                                 inspect_cell(json_get(file, "path")),
                                 inspect_cell(json_get(file, "base_id")),
                                 inspect_cell(json_get(file, "file_version")),
                                 bytes.s,
                                 fields,
                                 indices};
    inspect_table_row(t, cells);
}

static rowline_status put_files(cli *c, const json_node *fragments) {
    table_column columns[] = {
        {.name = "FRAGMENT", .right = true, .keep = true},
        {.name = "FILE", .keep = true, .tail = true},
        {.name = "BASE", .right = true},
        {.name = "VERSION"},
        {.name = "BYTES", .right = true},
        {.name = "FIELDS"},
        {.name = "COLUMNS"},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, sizeof columns / sizeof *columns);
    for (const json_node *f = fragments->first; f != NULL; f = f->next) {
        const json_node *files = json_get(f, "files");
        for (const json_node *n = files != NULL ? files->first : NULL; n != NULL; n = n->next)
            if (inspect_table_wants(&t))
                put_file(&t, f, n);
    }
    return inspect_table_close(&t);
}

rowline_status inspect_lance_manifest(cli *c, const json_node *doc) {
    const json_node *fragments = json_get(doc, "fragments");
    inspect_head(c, doc, "Lance manifest");
    out_printf(&c->out, "%s%s\n", text_dot(c->utf8),
               text_count(inspect_i64(doc, "fragment_count"), "fragment").s);
    put_heads(c, doc);
    inspect_lance_schema(c, "schema", json_get(doc, "schema"));
    inspect_members(c, "of schema", json_get(doc, "schema_metadata"));
    inspect_members(c, "config", json_get(doc, "config"));
    inspect_members(c, "metadata", json_get(doc, "table_metadata"));
    lance_put_bases(c, json_get(doc, "bases"));
    put_sections(c, doc);
    if (json_count(fragments) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    rowline_status st = put_fragments(c, fragments);
    if (st != ROWLINE_OK)
        return st;
    out_char(&c->out, '\n');
    return put_files(c, fragments);
}
