/* SPDX-License-Identifier: Apache-2.0 */
/* rowline files, entries, manifests, partitions, refs: tables about a table, as their streams give them. */
#include "lance.h"
#include "print.h"

#include <string.h>

typedef rowline_status open_stream(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);

static rowline_status put_about(cli *c, rowline_table *table, open_stream *open) {
    struct ArrowArrayStream stream;
    rowline_status st = open(table, &stream, &c->error);
    if (st == ROWLINE_OK) {
        print_options how = {
            .metadata = true, .limit = print_limit(c), .count_rest = !c->json && c->args.limit < 0};
        int64_t printed;
        st = print_stream(c, &stream, &how, &printed);
        stream.release(&stream);
    }
    return st;
}

static rowline_status open_about(cli *c, open_stream *open) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    st = put_about(c, table, open);
    rowline_table_free(table);
    return st;
}

/* Fragments of a Lance dataset have a screen of their own: their cells are JSON. */
static rowline_status put_files(cli *c, rowline_table *table) {
    struct ArrowArrayStream stream;
    rowline_status st = rowline_files(table, &stream, &c->error);
    if (st != ROWLINE_OK)
        return st;
    st = lance_put_files(c, &stream);
    stream.release(&stream);
    return st;
}

rowline_status cmd_files(cli *c) {
    rowline_table *table;
    rowline_table_info info = {.struct_size = sizeof info};
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    st = rowline_table_describe(table, &info, &c->error);
    if (st == ROWLINE_OK)
        st = !c->json && strcmp(info.format, "lance") == 0 ? put_files(c, table)
                                                           : put_about(c, table, rowline_files);
    rowline_table_free(table);
    return st;
}

rowline_status cmd_entries(cli *c) {
    return open_about(c, rowline_entries);
}

rowline_status cmd_manifests(cli *c) {
    return open_about(c, rowline_manifests);
}

rowline_status cmd_partitions(cli *c) {
    return open_about(c, rowline_partitions);
}

rowline_status cmd_refs(cli *c) {
    return open_about(c, rowline_refs);
}
