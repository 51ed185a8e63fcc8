/* SPDX-License-Identifier: Apache-2.0 */
/* Text tables. */
#include "table.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,          /* between columns */
    LEAST_WIDTH = 16, /* texts are not shortened below */
    NAMES_SHOWN = 20  /* of columns left out */
};

bool table_init(table *t, output *o, table_column *columns, int32_t column_count, int32_t width, bool utf8) {
    memset(t, 0, sizeof *t);
    t->out = o;
    t->columns = columns;
    t->column_count = column_count;
    t->width = width;
    t->utf8 = utf8;
    t->cells = calloc((size_t)TABLE_LOOK_AHEAD * (size_t)column_count + 1, sizeof *t->cells);
    for (int32_t i = 0; i < column_count; i++) {
        columns[i].width = text_width(columns[i].name, utf8);
        columns[i].hidden = false;
    }
    return t->cells != NULL;
}

void table_clear(table *t) {
    for (int32_t i = 0; t->cells != NULL && i < t->held * t->column_count; i++)
        free(t->cells[i]);
    free(t->cells);
    t->cells = NULL;
    t->held = 0;
}

/* --- layout --- */

static int32_t width_under(const table_column *c, int32_t cap) {
    return c->right || c->keep || c->width <= cap ? c->width : cap;
}

/* Columns of the terminal that the table takes. */
static int64_t width_of(const table *t, int32_t cap) {
    int64_t total = -GAP;
    for (int32_t i = 0; i < t->column_count; i++)
        total += t->columns[i].hidden ? 0 : GAP + width_under(&t->columns[i], cap);
    return total;
}

/* Shortens texts as little as needed; leaves out columns from the right when that is not enough. The first one stays. */
static void fit_columns(table *t) {
    int64_t total = width_of(t, LEAST_WIDTH);
    for (int32_t i = t->column_count - 1; i > 0 && total > t->width; i--) {
        if (t->columns[i].keep)
            continue;
        t->columns[i].hidden = true;
        total -= GAP + width_under(&t->columns[i], LEAST_WIDTH);
    }
    int32_t cap = t->width > LEAST_WIDTH ? t->width : LEAST_WIDTH;
    while (cap > LEAST_WIDTH && width_of(t, cap) > t->width)
        cap--;
    for (int32_t i = 0; i < t->column_count; i++)
        t->columns[i].width = width_under(&t->columns[i], cap);
}

/* --- printing --- */

static void put_cell(const table *t, const table_column *c, const char *text, bool last) {
    int32_t pad = c->width - text_width(text, t->utf8);
    if (c->right)
        out_spaces(t->out, pad);
    out_str(t->out, text);
    if (!c->right && !last)
        out_spaces(t->out, pad);
}

static int32_t find_last_shown(const table *t) {
    int32_t last = t->column_count - 1;
    while (last > 0 && t->columns[last].hidden)
        last--;
    return last;
}

static void put_row(const table *t, char *const *cells) {
    int32_t last = find_last_shown(t);
    for (int32_t i = 0; i <= last; i++) {
        const table_column *c = &t->columns[i];
        if (c->hidden)
            continue;
        if (i > 0)
            out_spaces(t->out, GAP);
        if (t->width > 0 && !c->right && !c->keep)
            text_shorten(cells[i], strlen(cells[i]) + 1 + TEXT_SLACK, c->width, c->tail, t->utf8);
        put_cell(t, c, cells[i], i == last);
    }
    out_char(t->out, '\n');
}

static void put_header(const table *t) {
    int32_t last = find_last_shown(t);
    for (int32_t i = 0; i <= last; i++) {
        if (t->columns[i].hidden)
            continue;
        if (i > 0)
            out_spaces(t->out, GAP);
        put_cell(t, &t->columns[i], t->columns[i].name, i == last);
    }
    out_char(t->out, '\n');
}

static char *copy_cell(const char *text) {
    size_t len = strlen(text);
    char *copy = malloc(len + 1 + TEXT_SLACK);
    if (copy != NULL)
        memcpy(copy, text, len + 1);
    return copy;
}

/* Sets the widths and prints the rows held back. */
static void lay_out(table *t) {
    size_t columns = (size_t)t->column_count;
    for (size_t i = 0; i < (size_t)t->held * columns; i++) {
        table_column *c = &t->columns[i % columns];
        int32_t width = text_width(t->cells[i], t->utf8);
        c->width = width > c->width ? width : c->width;
    }
    if (t->width > 0)
        fit_columns(t);
    t->laid_out = true;
    put_header(t);
    for (size_t row = 0; row < (size_t)t->held; row++)
        put_row(t, t->cells + row * columns);
    for (size_t i = 0; i < (size_t)t->held * columns; i++)
        free(t->cells[i]);
    t->held = 0;
}

bool table_row(table *t, const char *const *cells) {
    if (!t->laid_out && t->held == TABLE_LOOK_AHEAD)
        lay_out(t);
    char **to = t->cells + (size_t)t->held * (size_t)t->column_count;
    for (int32_t i = 0; i < t->column_count; i++) {
        to[i] = copy_cell(cells[i]);
        if (to[i] == NULL) {
            for (; i > 0; i--)
                free(to[i - 1]);
            return false;
        }
    }
    if (!t->laid_out) {
        t->held++;
        return true;
    }
    put_row(t, to);
    for (int32_t i = 0; i < t->column_count; i++)
        free(to[i]);
    return true;
}

void table_end(table *t) {
    if (!t->laid_out)
        lay_out(t);
    int64_t hidden = 0;
    for (int32_t i = 0; i < t->column_count; i++) {
        if (!t->columns[i].hidden || hidden++ >= NAMES_SHOWN)
            continue;
        out_str(t->out, hidden == 1 ? "not shown: " : ", ");
        out_str(t->out, t->columns[i].name);
    }
    if (hidden > NAMES_SHOWN)
        out_printf(t->out, " and %s more", text_grouped(hidden - NAMES_SHOWN).s);
    if (hidden > 0)
        out_char(t->out, '\n');
}
