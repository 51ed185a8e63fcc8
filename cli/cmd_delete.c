/* SPDX-License-Identifier: Apache-2.0 */
/* rowline delete: rows by deletion vectors, whole files where no row is left. */
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static rowline_status check_options(cli *c) {
    const char *mode = c->args.mode;
    if (c->args.where == NULL)
        return cli_fail(c, ROWLINE_USAGE, "delete needs --where EXPR");
    if (mode != NULL && strcmp(mode, "copy") == 0)
        return cli_fail(c, ROWLINE_UNSUPPORTED, "--mode copy is not supported yet");
    if (mode != NULL && strcmp(mode, "dv") != 0)
        return cli_fail(c, ROWLINE_USAGE, "--mode '%.60s': not dv or copy", mode);
    return ROWLINE_OK;
}

static void put_result(cli *c, const rowline_commit *commit) {
    if (c->json) {
        report_commit_line(c, commit);
        return;
    }
    if (commit->added_delete_files == 0 && commit->removed_data_files == 0) {
        out_printf(&c->out, "nothing to delete: no live row satisfies the condition; %s\n",
                   commit->dry_run ? "dry run, nothing written" : "no snapshot made");
        return;
    }
    out_printf(&c->out, "%s deleted", text_count(commit->deleted_rows, "row").s);
    out_printf(&c->out, "%s%s written", text_dot(c->utf8),
               text_count(commit->added_delete_files, "deletion vector").s);
    out_printf(&c->out, "%s%s removed", text_dot(c->utf8), text_count(commit->removed_data_files, "file").s);
    out_printf(&c->out, "%s%s\n", text_dot(c->utf8), text_duration(commit->wall_ms).s);
    report_commit_text(c, commit);
}

rowline_status cmd_delete(cli *c) {
    rowline_status st = check_options(c);
    rowline_change_options options;
    rowline_property *properties = NULL;
    rowline_table *table = NULL;
    if (st == ROWLINE_OK)
        st = cli_change_options(c, &options, &properties);
    if (st == ROWLINE_OK)
        st = cli_open(c, c->args.arguments[0], true, &table);
    rowline_commit commit = {.struct_size = sizeof commit};
    if (st == ROWLINE_OK)
        st = cli_committed(c, rowline_delete(table, c->args.where, &options, &commit, &c->error), &commit);
    rowline_table_free(table);
    free(properties);
    if (st == ROWLINE_OK)
        put_result(c, &commit);
    return st;
}
