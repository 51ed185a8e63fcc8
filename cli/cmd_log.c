/* SPDX-License-Identifier: Apache-2.0 */
/* rowline log: snapshots, newest first; the table tells rows, files and ids from their summaries. */
#include "json.h"
#include "print.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOT, SEQUENCE, BRANCH, TIME, OPERATION, ROWS, FILES, IDS, BY, REFS, CELLS, CELL_ROOM = 256 };

/* A row of the log as texts. */
typedef struct log_row {
    char cells[CELLS][CELL_ROOM];
} log_row;

/* The figure in a summary, 0 when it is absent. */
static int64_t figure(const json_node *summary, const char *key) {
    int64_t value;
    return json_as_i64(json_get(summary, key), &value) ? value : 0;
}

/* Live rows gained or lost, of a Lance dataset between two versions. */
static void tell_change(const json_node *summary, char cell[CELL_ROOM]) {
    int64_t gained;
    bool known = json_as_i64(json_get(summary, "rows_change"), &gained);
    if (known)
        snprintf(cell, CELL_ROOM, "%s%s", gained > 0 ? "+" : "", text_grouped(gained).s);
    else
        snprintf(cell, CELL_ROOM, "-");
}

/* Live rows gained or lost. What equality deletes hit is not known to a summary: marked. */
static void tell_rows(const json_node *summary, char cell[CELL_ROOM]) {
    if (json_get(summary, "rows_change") != NULL) {
        tell_change(summary, cell);
        return;
    }
    if (json_get(summary, "total-records") == NULL && json_get(summary, "added-records") == NULL &&
        json_get(summary, "deleted-records") == NULL) {
        snprintf(cell, CELL_ROOM, "-");
        return;
    }
    int64_t gained = figure(summary, "added-records") - figure(summary, "deleted-records") -
                     figure(summary, "added-position-deletes") + figure(summary, "removed-position-deletes");
    bool unsure = figure(summary, "added-equality-deletes") > 0;
    snprintf(cell, CELL_ROOM, "%s%s%s", gained > 0 ? "+" : "", text_grouped(gained).s, unsure ? " -?" : "");
}

/* "-1906 +15", delete files behind. */
static void tell_files(const json_node *summary, char cell[CELL_ROOM]) {
    const struct {
        const char *key, *sign, *noun;
    } parts[] = {{"deleted-data-files", "-", ""},
                 {"added-data-files", "+", ""},
                 {"removed-delete-files", "-", " del"},
                 {"added-delete-files", "+", " del"},
                 /* Lance */
                 {"removed_fragments", "-", ""},
                 {"updated_fragments", "~", ""},
                 {"added_fragments", "+", ""}};
    size_t len = 0;
    cell[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int64_t count = figure(summary, parts[i].key);
        if (count > 0)
            len += (size_t)snprintf(cell + len, CELL_ROOM - len, "%s%s%" PRId64 "%s", len > 0 ? " " : "",
                                    parts[i].sign, count, parts[i].noun);
    }
    if (len == 0)
        snprintf(cell, CELL_ROOM, "-");
}

static void tell_branch(const json_node *summary, char cell[CELL_ROOM]) {
    const char *branch = json_get_text(summary, "branch");
    snprintf(cell, CELL_ROOM, "%s", branch != NULL ? branch : "-");
}

static void tell_engine(const json_node *engine, char cell[CELL_ROOM]) {
    const char *name = json_get_text(engine, "name"), *version = json_get_text(engine, "version");
    snprintf(cell, CELL_ROOM, "%s%s%s", name != NULL ? name : "unsigned",
             name != NULL && version != NULL ? " " : "", name != NULL && version != NULL ? version : "");
}

static void tell_refs(const json_node *refs, char cell[CELL_ROOM]) {
    size_t len = 0;
    cell[0] = '\0';
    for (const json_node *ref = refs != NULL ? refs->first : NULL; ref != NULL && len < CELL_ROOM;
         ref = ref->next)
        len += (size_t)snprintf(cell + len, CELL_ROOM - len, "%s%s", len > 0 ? ", " : "",
                                ref->text != NULL ? ref->text : "");
    if (len == 0)
        snprintf(cell, CELL_ROOM, "-");
}

/* --- cells of the stream --- */

static rowline_status read_text(rows *r, const char *column, char cell[CELL_ROOM]) {
    const char *text;
    size_t len;
    rowline_status st = rows_cell(r, rows_find(r, column), false, &text, &len);
    snprintf(cell, CELL_ROOM, "%s", st == ROWLINE_OK && text != NULL ? text : "-");
    return st;
}

static rowline_status read_i64(rows *r, const char *column, int64_t absent, int64_t *out) {
    const char *text;
    size_t len;
    rowline_status st = rows_cell(r, rows_find(r, column), false, &text, &len);
    *out = st == ROWLINE_OK && text != NULL ? strtoll(text, NULL, 10) : absent;
    return st;
}

/* Calls `tell` with the JSON of a cell. */
static rowline_status read_json(rows *r, const char *column, void (*tell)(const json_node *, char *),
                                char cell[CELL_ROOM]) {
    const char *text;
    size_t len;
    rowline_status st = rows_cell(r, rows_find(r, column), false, &text, &len);
    if (st != ROWLINE_OK)
        return st;
    json_doc doc = {NULL, NULL};
    tell(text != NULL ? json_parse(text, len, &doc) : NULL, cell);
    json_doc_free(&doc);
    return ROWLINE_OK;
}

static rowline_status read_ids(rows *r, char cell[CELL_ROOM]) {
    int64_t first, added;
    rowline_status st = read_i64(r, "first_row_id", -1, &first);
    if (st == ROWLINE_OK)
        st = read_i64(r, "added_rows", 0, &added);
    if (st != ROWLINE_OK)
        return st;
    if (first >= 0 && added > 0)
        snprintf(cell, CELL_ROOM, "%" PRId64 "..%" PRId64, first, first + added - 1);
    else
        snprintf(cell, CELL_ROOM, "-");
    return ROWLINE_OK;
}

static rowline_status read_time(rows *r, char cell[CELL_ROOM]) {
    int64_t ms;
    rowline_status st = read_i64(r, "timestamp_ms", 0, &ms);
    snprintf(cell, CELL_ROOM, "%s", text_time(ms).s);
    return st;
}

static rowline_status read_row(rows *r, log_row *row) {
    rowline_status st = read_text(r, "snapshot_id", row->cells[SNAPSHOT]);
    if (st == ROWLINE_OK)
        st = read_text(r, "sequence_number", row->cells[SEQUENCE]);
    if (st == ROWLINE_OK)
        st = read_json(r, "summary", tell_branch, row->cells[BRANCH]);
    if (st == ROWLINE_OK)
        st = read_time(r, row->cells[TIME]);
    if (st == ROWLINE_OK)
        st = read_text(r, "operation", row->cells[OPERATION]);
    if (st == ROWLINE_OK)
        st = read_json(r, "summary", tell_rows, row->cells[ROWS]);
    if (st == ROWLINE_OK)
        st = read_json(r, "summary", tell_files, row->cells[FILES]);
    if (st == ROWLINE_OK)
        st = read_ids(r, row->cells[IDS]);
    if (st == ROWLINE_OK)
        st = read_json(r, "engine", tell_engine, row->cells[BY]);
    return st == ROWLINE_OK ? read_json(r, "refs", tell_refs, row->cells[REFS]) : st;
}

/* --- the table --- */

/* Of a Lance dataset a version is snapshot and sequence number in one, but each branch counts its own. */
static bool is_shown(int cell, bool is_lance) {
    return cell != (is_lance ? SEQUENCE : BRANCH);
}

static rowline_status put_row(cli *c, table *t, const log_row *row, bool is_lance) {
    char *copies[CELLS];
    int count = 0;
    bool made = true;
    for (int i = 0; i < CELLS; i++) {
        if (!is_shown(i, is_lance))
            continue;
        copies[count] = text_printable(row->cells[i], strlen(row->cells[i]));
        made = made && copies[count] != NULL;
        count++;
    }
    made = made && table_row(t, (const char *const *)copies);
    for (int i = 0; i < count; i++)
        free(copies[i]);
    return made ? ROWLINE_OK : cli_fail(c, ROWLINE_NO_MEMORY, "no memory for a row of a table");
}

static rowline_status put_snapshots(cli *c, rows *r, table *t, bool is_lance) {
    int64_t limit = print_limit(c), printed = 0, rest = 0;
    bool more = true;
    log_row row;
    while (c->out.failed == 0) {
        rowline_status st = rows_next(r, &more);
        if (st != ROWLINE_OK)
            return st;
        if (!more)
            break;
        if (limit >= 0 && printed >= limit) {
            rest++;
            continue;
        }
        st = read_row(r, &row);
        if (st == ROWLINE_OK)
            st = put_row(c, t, &row, is_lance);
        if (st != ROWLINE_OK)
            return st;
        printed++;
    }
    table_end(t);
    print_more(c, c->args.limit < 0 ? rest : 0);
    return ROWLINE_OK;
}

/* Of a Lance dataset it is fragments that come and go. */
static rowline_status put_table(cli *c, struct ArrowArrayStream *stream, bool is_lance) {
    const table_column all[CELLS] = {
        [SNAPSHOT] = {.name = is_lance ? "VERSION" : "SNAPSHOT", .keep = true, .right = is_lance},
        [SEQUENCE] = {.name = "SEQ", .right = true},
        [BRANCH] = {.name = "BRANCH", .keep = true},
        [TIME] = {.name = "TIME (UTC)", .keep = true},
        [OPERATION] = {.name = "OPERATION"},
        [ROWS] = {.name = "ROWS"},
        [FILES] = {.name = is_lance ? "FRAGMENTS" : "FILES"},
        [IDS] = {.name = "ID RANGE", .keep = true},
        [BY] = {.name = "BY"},
        [REFS] = {.name = "REFS"},
    };
    table_column columns[CELLS];
    int32_t count = 0;
    for (int i = 0; i < CELLS; i++)
        if (is_shown(i, is_lance))
            columns[count++] = all[i];
    table t;
    rows r;
    if (!table_init(&t, &c->out, columns, count, cli_width(c), c->utf8)) {
        table_clear(&t);
        return cli_fail(c, ROWLINE_NO_MEMORY, "no memory for a table");
    }
    rowline_status st = rows_open(&r, c, stream);
    if (st == ROWLINE_OK)
        st = put_snapshots(c, &r, &t, is_lance);
    rows_close(&r);
    table_clear(&t);
    return st;
}

rowline_status cmd_log(cli *c) {
    rowline_table *opened;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &opened);
    if (st != ROWLINE_OK)
        return st;
    struct ArrowArrayStream stream;
    int32_t flags = (c->args.all ? ROWLINE_LOG_ALL : 0) | (c->args.metadata ? ROWLINE_LOG_METADATA : 0);
    rowline_table_info info = {.struct_size = sizeof info};
    st = rowline_table_describe(opened, &info, &c->error);
    if (st == ROWLINE_OK)
        st = rowline_log(opened, flags, &stream, &c->error);
    if (st == ROWLINE_OK) {
        print_options how = {.metadata = true, .limit = print_limit(c)};
        int64_t printed;
        st = c->json ? print_stream(c, &stream, &how, &printed)
                     : put_table(c, &stream, strcmp(info.format, "lance") == 0);
        stream.release(&stream);
    }
    rowline_table_free(opened);
    return st;
}
