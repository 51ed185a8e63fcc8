/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a table's rows with their ids: cc scan.c $(pkg-config --cflags --libs rowline) && ./a.out TABLE [FILTER] */
#include <rowline/rowline.h>
#include <stdio.h>
#include <stdlib.h>

static rowline_error error;
static void check(rowline_status status) {
    if (status != ROWLINE_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(rowline_status_exit_code(status));
    }
}

int main(int argc, char **argv) {
    rowline_scan_options options = {
        .struct_size = sizeof options, .where = argc > 2 ? argv[2] : NULL, .limit = -1, .lineage = 1};
    rowline_context *context;
    rowline_table *table;
    struct ArrowArrayStream rows;
    rowline_formatter *formatter;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    check(rowline_context_new(NULL, &context, &error));
    check(rowline_table_open(context, argc > 1 ? argv[1] : ".", NULL, &table, &error));
    check(rowline_scan(table, &options, &rows, &error));
    rows.get_schema(&rows, &schema);
    check(rowline_formatter_new(context, &schema, &formatter, &error));
    while (rows.get_next(&rows, &batch) == 0 && batch.release != NULL) {
        for (int64_t i = 0; i < batch.length * batch.n_children; i++) {
            const char *cell;
            int64_t column = i % batch.n_children, row = i / batch.n_children;
            check(rowline_formatter_cell(formatter, &batch, column, row, 1, &cell, &(size_t){0}, &error));
            printf("%s%c", cell, column + 1 < batch.n_children ? '\t' : '\n');
        }
        batch.release(&batch);
    }
    rowline_stream_error(&rows, &error);
    check(error.code); /* the process frees the rest */
}
