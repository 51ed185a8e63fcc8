/* SPDX-License-Identifier: Apache-2.0 */
/* rowline count: the bare number of live rows. */
#include "cli.h"
#include "json.h"

#include <inttypes.h>

rowline_status cmd_count(cli *c) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    int64_t count;
    st = rowline_count(table, c->args.where, &count, &c->error);
    rowline_table_free(table);
    if (st == ROWLINE_OK)
        out_printf(&c->out, c->json ? "{\"count\": %" PRId64 "}\n" : "%" PRId64 "\n", count);
    return st;
}
