/* SPDX-License-Identifier: Apache-2.0 */
/* rowline files on a screen, of a Lance dataset: a line a fragment. */
#include "inspect.h"
#include "lance.h"
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAGMENT,
    ROWS,
    DELETED,
    FILES,
    BYTES,
    IDS,
    CREATED,
    UPDATED,
    CARRIER,
    FILE_PATH,
    CELLS,
    CELL_ROOM = 512
};

typedef struct files_row {
    char cells[CELLS][CELL_ROOM];
} files_row;

/* The end of a path. */
static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* "spilled", "10 B, 480..497", "11 B, 7", "-" */
static void tell_arm(const json_node *arm, char cell[CELL_ROOM]) {
    const char *kind = json_get_text(arm, "kind");
    int64_t bytes, least, greatest;
    if (kind == NULL || strcmp(kind, "absent") == 0)
        snprintf(cell, CELL_ROOM, "-");
    else if (!json_as_i64(json_get(arm, "bytes"), &bytes))
        snprintf(cell, CELL_ROOM, "%s", kind);
    else if (!json_as_i64(json_get(arm, "least"), &least) ||
             !json_as_i64(json_get(arm, "greatest"), &greatest))
        snprintf(cell, CELL_ROOM, "%s", text_bytes(bytes).s);
    else if (least == greatest)
        snprintf(cell, CELL_ROOM, "%s, %" PRId64, text_bytes(bytes).s, least);
    else
        snprintf(cell, CELL_ROOM, "%s, %" PRId64 "..%" PRId64, text_bytes(bytes).s, least, greatest);
}

/* The first file, how many there are, and their bytes where the manifest knows those of all. */
static void tell_files(const json_node *files, files_row *row) {
    int64_t count = 0, bytes = 0, total = 0;
    bool known = true;
    const json_node *first = files != NULL ? files->first : NULL;
    const char *path = json_get_text(first, "path");
    for (const json_node *f = first; f != NULL; f = f->next, count++) {
        known = known && json_as_i64(json_get(f, "bytes"), &bytes) &&
                !__builtin_add_overflow(total, bytes, &total);
    }
    snprintf(row->cells[FILES], CELL_ROOM, "%s", text_grouped(count).s);
    snprintf(row->cells[BYTES], CELL_ROOM, "%s", known ? text_bytes(total).s : "-");
    snprintf(row->cells[FILE_PATH], CELL_ROOM, "%s", path != NULL ? path : "-");
}

/* The names of the files that carry spilled sequences, each once. */
static void tell_carriers(const json_node *carriers, char cell[CELL_ROOM]) {
    size_t len = 0;
    for (const json_node *n = carriers != NULL ? carriers->first : NULL; n != NULL; n = n->next) {
        const char *name = n->text != NULL ? name_of(n->text) : "?";
        if (len > 0 && strstr(cell, name) != NULL)
            continue;
        int more = snprintf(cell + len, CELL_ROOM - len, "%s%s", len > 0 ? ", " : "", name);
        len = more > 0 && len + (size_t)more < CELL_ROOM ? len + (size_t)more : CELL_ROOM - 1;
    }
    if (len == 0)
        snprintf(cell, CELL_ROOM, "-");
}

/* --- cells of the stream --- */

static rowline_status read_number(rows *r, const char *column, bool grouped, char cell[CELL_ROOM]) {
    const char *text;
    size_t len;
    rowline_status st = rows_cell(r, rows_find(r, column), false, &text, &len);
    if (st != ROWLINE_OK)
        return st;
    snprintf(cell, CELL_ROOM, "%s",
             text == NULL ? "-"
             : grouped    ? text_grouped(strtoll(text, NULL, 10)).s
                          : text);
    return ROWLINE_OK;
}

static void tell(int cell, const json_node *node, files_row *row) {
    if (cell == FILES)
        tell_files(node, row);
    else if (cell == CARRIER)
        tell_carriers(node, row->cells[cell]);
    else
        tell_arm(node, row->cells[cell]);
}

static rowline_status read_row(rows *r, files_row *row) {
    static const struct {
        int cell;
        const char *column;
    } DOCUMENTS[] = {{FILES, "files"},
                     {IDS, "row_ids"},
                     {CREATED, "created_at"},
                     {UPDATED, "last_updated_at"},
                     {CARRIER, "carrier"}};
    rowline_status st = read_number(r, "fragment_id", false, row->cells[FRAGMENT]);
    if (st == ROWLINE_OK)
        st = read_number(r, "physical_rows", true, row->cells[ROWS]);
    if (st == ROWLINE_OK)
        st = read_number(r, "deleted_rows", true, row->cells[DELETED]);
    for (size_t i = 0; st == ROWLINE_OK && i < sizeof DOCUMENTS / sizeof *DOCUMENTS; i++) {
        const char *text;
        size_t len;
        json_doc doc = {NULL, NULL};
        st = rows_cell(r, rows_find(r, DOCUMENTS[i].column), false, &text, &len);
        if (st != ROWLINE_OK)
            break;
        tell(DOCUMENTS[i].cell, text != NULL ? json_parse(text, len, &doc) : NULL, row);
        json_doc_free(&doc);
    }
    return st;
}

static rowline_status put_rows(rows *r, inspect_table *t) {
    files_row row;
    bool more = true;
    while (t->c->out.failed == 0 && t->st == ROWLINE_OK && (t->c->args.limit <= 0 || t->shown < t->limit)) {
        rowline_status st = rows_next(r, &more);
        if (st != ROWLINE_OK || !more)
            return st;
        if (!inspect_table_wants(t))
            continue;
        st = read_row(r, &row);
        if (st != ROWLINE_OK)
            return st;
        const char *cells[CELLS];
        for (int i = 0; i < CELLS; i++)
            cells[i] = row.cells[i];
        inspect_table_row(t, cells);
    }
    return ROWLINE_OK;
}

rowline_status lance_put_files(cli *c, struct ArrowArrayStream *stream) {
    table_column columns[CELLS] = {
        [FRAGMENT] = {.name = "FRAGMENT", .right = true, .keep = true},
        [ROWS] = {.name = "ROWS", .right = true, .keep = true},
        [DELETED] = {.name = "DELETED", .right = true},
        [FILES] = {.name = "FILES", .right = true},
        [BYTES] = {.name = "BYTES", .right = true},
        [IDS] = {.name = "ROW IDS", .keep = true},
        [CREATED] = {.name = "CREATED AT"},
        [UPDATED] = {.name = "LAST UPDATED AT"},
        [CARRIER] = {.name = "CARRIER", .tail = true},
        [FILE_PATH] = {.name = "FILE", .tail = true},
    };
    rows r;
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    rowline_status st = t.st;
    if (st == ROWLINE_OK) {
        st = rows_open(&r, c, stream);
        if (st == ROWLINE_OK)
            st = put_rows(&r, &t);
        rows_close(&r);
    }
    if (st != ROWLINE_OK)
        t.st = st;
    return inspect_table_close(&t);
}
