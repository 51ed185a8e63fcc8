/* SPDX-License-Identifier: Apache-2.0 */
/* rowline append: the rows of files, or of standard input. */
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static rowline_status check_input(cli *c) {
    const char *format = c->args.input_format;
    bool has_stdin = false;
    for (int32_t i = 1; i < c->args.argument_count; i++)
        has_stdin = has_stdin || strcmp(c->args.arguments[i], "-") == 0;
    if (format != NULL && !cli_has_word("parquet csv jsonl arrow", format))
        return cli_fail(c, ROWLINE_USAGE, "--input-format '%.60s': not parquet, csv, jsonl or arrow", format);
    if (has_stdin && format == NULL)
        return cli_fail(c, ROWLINE_USAGE, "standard input needs --input-format csv, jsonl, arrow or parquet");
    return ROWLINE_OK;
}

static void put_result(cli *c, const rowline_commit *commit) {
    if (c->json) {
        report_commit_line(c, commit);
        return;
    }
    if (commit->snapshot_id < 0 && commit->added_records == 0) {
        out_printf(&c->out, "nothing to append: the input has no rows; %s\n",
                   commit->dry_run ? "dry run, nothing written" : "no snapshot made");
        return;
    }
    out_printf(&c->out, "+%s in ", text_count(commit->added_records, "row").s);
    out_printf(&c->out, "%s", text_count(commit->added_data_files, "file").s);
    report_ids_text(c, commit);
    out_printf(&c->out, "%s%s\n", text_dot(c->utf8), text_duration(commit->wall_ms).s);
    report_commit_text(c, commit);
}

rowline_status cmd_append(cli *c) {
    rowline_status st = check_input(c);
    rowline_change_options options;
    rowline_property *properties = NULL;
    rowline_table *table = NULL;
    if (st == ROWLINE_OK)
        st = cli_change_options(c, &options, &properties);
    if (st == ROWLINE_OK)
        st = cli_open(c, c->args.arguments[0], true, &table);
    rowline_commit commit = {.struct_size = sizeof commit};
    if (st == ROWLINE_OK)
        st = cli_committed(c,
                           rowline_append_files(table, c->args.arguments + 1,
                                                (size_t)c->args.argument_count - 1, c->args.input_format,
                                                &options, &commit, &c->error),
                           &commit);
    rowline_table_free(table);
    free(properties);
    if (st == ROWLINE_OK)
        put_result(c, &commit);
    return st;
}
