/* SPDX-License-Identifier: Apache-2.0 */
/* The one printer of results that are streams of rows. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "cli.h"

enum { PRINT_TERMINAL_ROWS = 40 }; /* shown on a terminal when no limit is given */

typedef struct print_options {
    bool metadata;   /* a table about a table: ids of snapshots are strings in JSON, counts are grouped in
                        tables */
    int64_t limit;   /* rows to print; -1: all */
    bool count_rest; /* read on after the limit to say how many rows are left */
} print_options;

/* Prints the rows as c->json says; the stream stays the caller's. `*printed` is the number of rows. */
ROWLINE_MUST_CHECK rowline_status print_stream(cli *c, struct ArrowArrayStream *stream,
                                               const print_options *options, int64_t *printed);
/* The rows to print: --limit, else 40 for tables on a terminal; -1 for all. */
int64_t print_limit(const cli *c);
/* "... 12 more (--limit 0 for all)"; nothing for 0. */
void print_more(cli *c, int64_t count);

/* --- a stream, row by row, for printers of their own --- */

typedef struct rows {
    cli *c;
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    rowline_formatter *formatter;
    int64_t row; /* of the batch */
} rows;

ROWLINE_MUST_CHECK rowline_status rows_open(rows *r, cli *c, struct ArrowArrayStream *stream);
/* Moves to the next row; *more false at the end. */
ROWLINE_MUST_CHECK rowline_status rows_next(rows *r, bool *more);
/* The column called `name`; -1 when there is none. */
int64_t rows_find(const rows *r, const char *name);
/* The text of a cell of the row, NULL for null (with `json` as JSON); valid until the next call. */
ROWLINE_MUST_CHECK rowline_status rows_cell(rows *r, int64_t column, bool json, const char **text,
                                            size_t *len);
/* Frees all but the stream, which is the caller's. */
void rows_close(rows *r);
/* True when a column's cells are JSON documents (extension type arrow.json). */
bool rows_is_json(const struct ArrowSchema *column);

#endif
