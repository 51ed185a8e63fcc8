/* SPDX-License-Identifier: Apache-2.0 */
/* rowline files, entries, manifests, partitions, refs: tables about a table, as their streams give them. */
#include "print.h"

typedef rowline_status open_stream(rowline_table *table, struct ArrowArrayStream *out, rowline_error *err);

static rowline_status put_about(cli *c, open_stream *open) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    struct ArrowArrayStream stream;
    st = open(table, &stream, &c->error);
    if (st == ROWLINE_OK) {
        print_options how = {
            .metadata = true, .limit = print_limit(c), .count_rest = !c->json && c->args.limit < 0};
        int64_t printed;
        st = print_stream(c, &stream, &how, &printed);
        stream.release(&stream);
    }
    rowline_table_free(table);
    return st;
}

rowline_status cmd_files(cli *c) {
    return put_about(c, rowline_files);
}

rowline_status cmd_entries(cli *c) {
    return put_about(c, rowline_entries);
}

rowline_status cmd_manifests(cli *c) {
    return put_about(c, rowline_manifests);
}

rowline_status cmd_partitions(cli *c) {
    return put_about(c, rowline_partitions);
}

rowline_status cmd_refs(cli *c) {
    return put_about(c, rowline_refs);
}
