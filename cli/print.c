/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as JSON lines or as a table. */
#include "print.h"

#include "json.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

typedef struct column_style {
    bool id;      /* a snapshot id: a string in JSON */
    bool grouped; /* a count: grouped in tables */
    bool json;    /* cells are JSON documents, embedded as they are */
} column_style;

typedef struct printer {
    cli *c;
    const print_options *options;
    rows rows;
    int64_t column_count;
    column_style *styles;
    table_column *columns;
    char **names; /* of the columns, printable */
    char **cells; /* of the row being printed as a table */
} printer;

/* --- columns --- */

static bool is_number(const char *format) {
    return strchr("cCsSiIlLfeg", format[0]) != NULL ? format[1] == '\0' : format[0] == 'd';
}

static bool is_snapshot_id(const char *name) {
    static const char end[] = "snapshot_id";
    size_t len = strlen(name);
    return len >= sizeof end - 1 && strcmp(name + len - (sizeof end - 1), end) == 0;
}

static bool init_column(printer *p, int64_t index) {
    const struct ArrowSchema *field = p->rows.schema.children[index];
    const char *name = field->name;
    column_style *style = &p->styles[index];
    bool metadata = p->options->metadata;
    style->id = metadata && is_snapshot_id(name);
    style->grouped =
        metadata && cli_has_word("record_count file_count file_size_in_bytes content_size_in_bytes length "
                                 "total_data_file_size_in_bytes position_delete_record_count "
                                 "equality_delete_record_count",
                                 name);
    style->json = rows_is_json(field);
    table_column *column = &p->columns[index];
    column->name = p->names[index] = text_printable(name, strlen(name));
    column->right = is_number(field->format);
    column->keep = cli_has_word("_row_id _last_updated_sequence_number _rowid _row_created_at_version "
                                "_row_last_updated_at_version",
                                name);
    column->tail = cli_has_word("_file file_path path manifest_path referenced_data_file", name);
    return column->name != NULL;
}

static rowline_status init_columns(printer *p) {
    size_t count = (size_t)p->rows.schema.n_children;
    p->column_count = p->rows.schema.n_children;
    p->styles = calloc(count + 1, sizeof *p->styles);
    p->columns = calloc(count + 1, sizeof *p->columns);
    p->names = calloc(count + 1, sizeof *p->names);
    p->cells = calloc(count + 1, sizeof *p->cells);
    bool made = p->names != NULL && p->styles != NULL && p->columns != NULL && p->cells != NULL;
    for (size_t i = 0; made && i < count; i++)
        made = init_column(p, (int64_t)i);
    return made ? ROWLINE_OK : cli_fail(p->c, ROWLINE_NO_MEMORY, "no memory for %zu columns", count);
}

static void free_cells(printer *p) {
    for (int64_t i = 0; i < p->column_count; i++) {
        free(p->cells[i]);
        p->cells[i] = NULL;
    }
}

static void clear(printer *p) {
    if (p->cells != NULL)
        free_cells(p);
    for (int64_t i = 0; p->names != NULL && i < p->column_count; i++)
        free(p->names[i]);
    free(p->names);
    free(p->cells);
    free(p->styles);
    free(p->columns);
    rows_close(&p->rows);
}

/* --- JSON lines --- */

static rowline_status put_json_cell(printer *p, int64_t i) {
    output *o = &p->c->out;
    const column_style *style = &p->styles[i];
    const char *text;
    size_t len;
    rowline_status st = rows_cell(&p->rows, i, !style->json, &text, &len);
    if (st != ROWLINE_OK)
        return st;
    if (text == NULL) {
        text = "null";
        len = 4;
    }
    bool quoted = style->id && strcmp(text, "null") != 0;
    if (quoted)
        out_char(o, '"');
    out_bytes(o, text, len);
    if (quoted)
        out_char(o, '"');
    return ROWLINE_OK;
}

static rowline_status put_json_row(printer *p) {
    json j = {&p->c->out, false};
    json_open(&j, '{');
    for (int64_t i = 0; i < p->column_count; i++) {
        json_key(&j, p->rows.schema.children[i]->name);
        rowline_status st = put_json_cell(p, i);
        if (st != ROWLINE_OK)
            return st;
    }
    json_close(&j, '}');
    out_char(j.out, '\n');
    return ROWLINE_OK;
}

/* --- tables --- */

static char *make_cell(const printer *p, int64_t i, const char *text, size_t len) {
    if (text == NULL)
        return text_printable(p->options->metadata ? "-" : "null", p->options->metadata ? 1 : 4);
    if (!p->styles[i].grouped)
        return text_printable(text, len);
    short_text grouped = text_grouped(strtoll(text, NULL, 10));
    return text_printable(grouped.s, strlen(grouped.s));
}

static rowline_status put_table_row(printer *p, table *t) {
    for (int64_t i = 0; i < p->column_count; i++) {
        const char *text;
        size_t len;
        rowline_status st = rows_cell(&p->rows, i, false, &text, &len);
        if (st != ROWLINE_OK)
            return st;
        p->cells[i] = make_cell(p, i, text, len);
        if (p->cells[i] == NULL)
            return cli_fail(p->c, ROWLINE_NO_MEMORY, "no memory for %zu bytes", len);
    }
    bool put = table_row(t, (const char *const *)p->cells);
    free_cells(p);
    return put ? ROWLINE_OK : cli_fail(p->c, ROWLINE_NO_MEMORY, "no memory for a row of a table");
}

/* --- streams --- */

/* Calls the rows' printer up to the limit, then counts what is left when asked to. */
static rowline_status put_rows(printer *p, table *t, int64_t *printed, int64_t *rest) {
    const print_options *o = p->options;
    bool more = true;
    *printed = *rest = 0;
    while (p->c->out.failed == 0 && (o->limit < 0 || *printed < o->limit || o->count_rest)) {
        rowline_status st = rows_next(&p->rows, &more);
        if (st != ROWLINE_OK)
            return st;
        if (!more)
            break;
        if (o->limit >= 0 && *printed == o->limit) {
            *rest += p->rows.batch.length - p->rows.row;
            p->rows.row = p->rows.batch.length;
            continue;
        }
        st = t != NULL ? put_table_row(p, t) : put_json_row(p);
        if (st != ROWLINE_OK)
            return st;
        ++*printed;
    }
    return ROWLINE_OK;
}

static rowline_status put_table(printer *p, int64_t *printed) {
    cli *c = p->c;
    table t;
    int64_t rest;
    if (!table_init(&t, &c->out, p->columns, (int32_t)p->column_count, cli_width(c), c->utf8)) {
        table_clear(&t);
        return cli_fail(c, ROWLINE_NO_MEMORY, "no memory for a table of %lld columns",
                        (long long)p->column_count);
    }
    rowline_status st = put_rows(p, &t, printed, &rest);
    if (st == ROWLINE_OK) {
        table_end(&t);
        print_more(c, rest);
    }
    table_clear(&t);
    return st;
}

rowline_status print_stream(cli *c, struct ArrowArrayStream *stream, const print_options *options,
                            int64_t *printed) {
    printer p = {.c = c, .options = options};
    int64_t rest;
    *printed = 0;
    rowline_status st = rows_open(&p.rows, c, stream);
    if (st == ROWLINE_OK)
        st = init_columns(&p);
    if (st == ROWLINE_OK)
        st = c->json ? put_rows(&p, NULL, printed, &rest) : put_table(&p, printed);
    clear(&p);
    return st;
}

int64_t print_limit(const cli *c) {
    if (c->args.limit > 0)
        return c->args.limit;
    return c->args.limit < 0 && c->terminal && !c->json ? PRINT_TERMINAL_ROWS : -1;
}

void print_more(cli *c, int64_t count) {
    if (count > 0)
        out_printf(&c->out, "%s %s more (--limit 0 for all)\n", text_more(c->utf8), text_grouped(count).s);
}
