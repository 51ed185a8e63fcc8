/* SPDX-License-Identifier: Apache-2.0 */
/* Text tables: aligned columns that fit a width, rows streaming once the first ones told how wide they are.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "out.h"

#include <stdbool.h>

typedef struct table_column {
    const char *name;
    bool right;  /* aligned right: numbers; never shortened */
    bool keep;   /* never left out nor shortened */
    bool tail;   /* shortened at the front: the end of a path tells more */
    bool hidden; /* set by the table: left out for want of room */
    int32_t width;
} table_column;

enum { TABLE_LOOK_AHEAD = 1000 }; /* rows that set the widths */

typedef struct table {
    output *out;
    table_column *columns; /* the caller's */
    int32_t column_count;
    int32_t width; /* of the terminal; 0: any */
    bool utf8;
    bool laid_out;
    char **cells; /* of the rows held back, row after row */
    int32_t held;
} table;

/* False when there is no memory. `columns` must outlive the table. */
bool table_init(table *t, output *o, table_column *columns, int32_t column_count, int32_t width, bool utf8);
/* A row; cells are copied. Cells must be printable (text_printable). False when there is no memory. */
bool table_row(table *t, const char *const *cells);
/* Prints what is held back, and names the columns left out. */
void table_end(table *t);
void table_clear(table *t);

#endif
