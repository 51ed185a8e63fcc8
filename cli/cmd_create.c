/* SPDX-License-Identifier: Apache-2.0 */
/* rowline create: an empty table. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

static rowline_status check_options(cli *c) {
    const cli_args *a = &c->args;
    if ((a->schema == NULL) == (a->like == NULL))
        return cli_fail(c, ROWLINE_USAGE, "create needs --schema or --like, one of them");
    if (a->format != NULL && strcmp(a->format, "lance") == 0)
        return cli_fail(c, ROWLINE_UNSUPPORTED, "--format lance is not supported yet");
    if (a->format != NULL && strcmp(a->format, "iceberg") != 0)
        return cli_fail(c, ROWLINE_USAGE, "--format '%.60s': not iceberg or lance", a->format);
    if (a->snapshot != NULL || a->ref != NULL)
        return cli_fail(c, ROWLINE_USAGE, "a table that is made has no states: no --snapshot or --ref");
    if (a->map_path.count > 0)
        return cli_fail(c, ROWLINE_UNSUPPORTED, "create with --map-path is not supported yet");
    return ROWLINE_OK;
}

static void put_result(cli *c, int32_t format_version, const rowline_commit *commit) {
    if (c->json) {
        report_commit_line(c, commit);
        return;
    }
    out_str(&c->out, commit->dry_run ? "would create " : "created ");
    out_str(&c->out, c->args.arguments[0]);
    out_printf(&c->out, "  Iceberg v%d, empty%s\n", format_version,
               commit->dry_run ? "; dry run, nothing written" : "");
}

rowline_status cmd_create(cli *c) {
    rowline_property *properties = NULL;
    rowline_status st = check_options(c);
    if (st == ROWLINE_OK)
        st = cli_properties(c, "--property", &c->args.property, &properties);
    if (st != ROWLINE_OK)
        return st;
    int32_t format_version = c->args.format_version > 0 ? (int32_t)c->args.format_version : 3;
    rowline_create_options options = {.struct_size = sizeof options,
                                      .schema = c->args.schema,
                                      .like = c->args.like,
                                      .partition = c->args.partition,
                                      .sort = c->args.sort,
                                      .format_version = format_version,
                                      .properties = properties,
                                      .property_count = c->args.property.count,
                                      .dry_run = c->args.dry_run};
    rowline_commit commit = {.struct_size = sizeof commit};
    st = cli_committed(
        c, rowline_table_create(c->context, c->args.arguments[0], &options, &commit, &c->error), &commit);
    free(properties);
    if (st == ROWLINE_OK)
        put_result(c, format_version, &commit);
    return st;
}
