/* SPDX-License-Identifier: Apache-2.0 */
/* Lance data files, transactions and deletion files. */
#include "inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_ROOM = 256 };

static bool is_true(const json_node *node, const char *key) {
    const json_node *member = json_get(node, key);
    return member != NULL && member->kind == JSON_TRUE;
}

/* --- schema --- */

/* Depth is limited by the parser's. */
static void put_fields(layout_section *s, const json_node *fields, int32_t depth) {
    for (const json_node *f = fields != NULL ? fields->first : NULL; f != NULL; f = f->next) {
        layout_line(s);
        out_spaces(s->out, 2 * depth);
        layout_member(s->out, f, "id");
        out_char(s->out, ' ');
        layout_member(s->out, f, "name");
        out_char(s->out, ' ');
        layout_member(s->out, f, "type");
        if (json_get(f, "extension") != NULL) {
            out_str(s->out, " as ");
            layout_member(s->out, f, "extension");
        }
        out_str(s->out, is_true(f, "nullable") ? "" : " not null");
        out_str(s->out, is_true(f, "hidden") ? " (hidden)\n" : "\n");
        put_fields(s, json_get(f, "children"), depth + 1);
    }
}

void inspect_lance_schema(cli *c, const char *title, const json_node *schema) {
    layout_section s = {&c->out, title, false};
    put_fields(&s, json_get(schema, "fields"), 0);
}

/* --- data files --- */

/* Encodings, ", " between, as many as there is room for; then how many pages have others. */
static void join_encodings(const json_node *column, char *out, size_t room) {
    const json_node *list = json_get(column, "encodings");
    size_t used = 0;
    out[0] = '\0';
    for (const json_node *n = list != NULL ? list->first : NULL; n != NULL && used < room; n = n->next) {
        int more = snprintf(out + used, room - used, "%s%.160s", used > 0 ? ", " : "", n->text);
        used += more > 0 ? (size_t)more : 0;
    }
    if (inspect_i64(column, "other_pages") > 0 && used < room)
        snprintf(out + used, room - used, ", others in %s",
                 text_count(inspect_i64(column, "other_pages"), "page").s);
}

static rowline_status put_columns(cli *c, const json_node *list) {
    enum { INDEX, COLUMN, FIELD, TYPE, PAGES, ROWS, BYTES, ENCODINGS, CELLS };
    table_column columns[CELLS] = {
        [INDEX] = {.name = "INDEX", .right = true},
        [COLUMN] = {.name = "COLUMN", .keep = true},
        [FIELD] = {.name = "FIELD", .right = true},
        [TYPE] = {.name = "TYPE"},
        [PAGES] = {.name = "PAGES", .right = true},
        [ROWS] = {.name = "ROWS", .right = true},
        [BYTES] = {.name = "BYTES", .right = true, .keep = true},
        [ENCODINGS] = {.name = "ENCODINGS"},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *n = list->first; n != NULL; n = n->next) {
        if (!inspect_table_wants(&t))
            continue;
        char encodings[LIST_ROOM];
        join_encodings(n, encodings, sizeof encodings);
        short_text pages = inspect_grouped(n, "pages"), count = inspect_grouped(n, "rows"),
                   bytes = inspect_bytes(n, "bytes");
        const char *const cells[CELLS] = {
            [INDEX] = inspect_cell(json_get(n, "index")),
            [COLUMN] = inspect_cell(json_get(n, "column")),
            [FIELD] = inspect_cell(json_get(n, "field_id")),
            [TYPE] = inspect_cell(json_get(n, "type")),
            [PAGES] = pages.s,
            [ROWS] = count.s,
            [BYTES] = bytes.s,
            [ENCODINGS] = encodings[0] != '\0' ? encodings : NULL,
        };
        inspect_table_row(&t, cells);
    }
    return inspect_table_close(&t);
}

static void put_globals(cli *c, const json_node *buffers) {
    layout_section s = {&c->out, "buffers", false};
    int64_t bytes = 0;
    for (const json_node *b = buffers != NULL ? buffers->first : NULL; b != NULL; b = b->next)
        bytes += inspect_i64(b, "bytes");
    layout_line(&s);
    out_printf(&c->out, "%s of the file itself, %s\n", text_count(json_count(buffers), "buffer").s,
               text_bytes(bytes).s);
}

rowline_status inspect_lance_data(cli *c, const json_node *doc) {
    const json_node *columns = json_get(doc, "columns");
    const char *version = json_get_text(doc, "file_version"), *dot = text_dot(c->utf8);
    char kind[40];
    snprintf(kind, sizeof kind, "Lance %.8s data file", version != NULL ? version : "");
    inspect_head(c, doc, kind);
    out_printf(&c->out, "%s%s%s%s\n", dot, text_count(inspect_i64(doc, "rows"), "row").s, dot,
               text_count(inspect_i64(doc, "column_count"), "column").s);
    inspect_lance_schema(c, "schema", json_get(doc, "schema"));
    put_globals(c, json_get(doc, "global_buffers"));
    if (json_count(columns) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    return put_columns(c, columns);
}

/* --- transactions --- */

/* "2 added, 1 updated" */
static void put_figures(cli *c, const json_node *t) {
    static const char *const FIGURES[][2] = {
        {"added_fragments", "added"}, {"removed_fragments", "removed"}, {"updated_fragments", "updated"}};
    layout_section s = {&c->out, "fragments", false};
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        int64_t value = inspect_i64(t, FIGURES[i][0]);
        if (value < 0)
            continue;
        if (s.begun)
            out_str(&c->out, ", ");
        else
            layout_line(&s);
        out_printf(&c->out, "%s %s", text_grouped(value).s, FIGURES[i][1]);
    }
    if (s.begun)
        out_char(&c->out, '\n');
}

void inspect_lance_operation(cli *c, const json_node *t) {
    layout_section s = {&c->out, "operation", false}, id = {&c->out, "uuid", false},
                   where = {&c->out, "where", false};
    const char *operation = json_get_text(t, "operation"), *uuid = json_get_text(t, "uuid"),
               *predicate = json_get_text(t, "predicate");
    layout_line(&s);
    layout_safe(&c->out, operation != NULL ? operation : "none");
    if (inspect_i64(t, "restored_version") >= 0)
        out_printf(&c->out, " of version %" PRId64, inspect_i64(t, "restored_version"));
    out_str(&c->out, ", having read version ");
    layout_member(&c->out, t, "read_version");
    out_char(&c->out, '\n');
    layout_line(&id);
    layout_safe(&c->out, uuid != NULL ? uuid : "none");
    out_char(&c->out, '\n');
    put_figures(c, t);
    if (predicate != NULL) {
        layout_line(&where);
        inspect_put_cut(c, predicate);
        out_char(&c->out, '\n');
    }
    inspect_members(c, "properties", json_get(t, "properties"));
}

rowline_status inspect_lance_transaction(cli *c, const json_node *doc) {
    inspect_head(c, doc, "Lance transaction");
    out_char(&c->out, '\n');
    inspect_lance_operation(c, doc);
    return ROWLINE_OK;
}

/* --- deletion files --- */

static void put_containers(cli *c, const json_node *doc) {
    layout_section s = {&c->out, "containers", false};
    const json_node *containers = json_get(doc, "containers");
    bool any = false;
    if (containers == NULL)
        return;
    layout_line(&s);
    out_str(&c->out, text_grouped(inspect_i64(doc, "container_count")).s);
    for (const json_node *n = containers->first; n != NULL; n = n->next) {
        int64_t count = inspect_i64(containers, n->key);
        if (count <= 0)
            continue;
        out_printf(&c->out, "%s%s", any ? ", " : ": ", text_count(count, n->key).s);
        any = true;
    }
    out_char(&c->out, '\n');
}

rowline_status inspect_lance_deletions(cli *c, const json_node *doc) {
    const char *form = json_get_text(doc, "form");
    layout_section s = {&c->out, "deleted", false};
    inspect_head(c, doc, "Lance deletion file");
    out_printf(&c->out, "%s%s\n", text_dot(c->utf8),
               form != NULL && strcmp(form, "arrow") == 0 ? "Arrow" : "Roaring bitmap");
    put_containers(c, doc);
    inspect_ranges(c, &s, doc, "deleted_rows");
    return ROWLINE_OK;
}
