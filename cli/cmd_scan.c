/* SPDX-License-Identifier: Apache-2.0 */
/* rowline scan: rows of a state, with lineage when asked for. */
#include "json.h"
#include "print.h"
#include "report.h"

#include <string.h>

static void put_stats(cli *c, const rowline_scan_stats *s) {
    const report_figure figures[] = {
        {"manifests_read", s->manifests_read},   {"manifests_skipped", s->manifests_skipped},
        {"files_read", s->files_read},           {"files_skipped", s->files_skipped},
        {"row_groups_read", s->row_groups_read}, {"row_groups_skipped", s->row_groups_skipped},
        {"pages_read", s->pages_read},           {"pages_skipped", s->pages_skipped},
        {"bytes_read", s->bytes_read},           {"requests", s->requests},
    };
    json j = {&c->err, false};
    json_open(&j, '{');
    report_figures_json(&j, figures, sizeof figures / sizeof *figures);
    json_close(&j, '}');
    out_char(&c->err, '\n');
}

/* On a table without row ids lineage is null, or (Lance) no identity: say so once. A file by itself, which can't be described, may store
 * ids. */
static rowline_status note_missing_lineage(cli *c, rowline_table *table) {
    rowline_table_info info = {.struct_size = sizeof info};
    rowline_status st = rowline_table_describe(table, &info, &c->error);
    if (st == ROWLINE_UNSUPPORTED) {
        memset(&c->error, 0, sizeof c->error);
        cli_note(c, "a file by itself has no lineage but what it stores: other rows read null");
        return ROWLINE_OK;
    }
    if (st == ROWLINE_OK && strcmp(info.format, "lance") == 0) {
        if (info.stable_row_ids == 0)
            cli_note(c, "without stable row ids _rowid is the address of a row, and versions are not kept: "
                        "they read 1");
        return ROWLINE_OK;
    }
    if (st == ROWLINE_OK && info.format_version < 3)
        cli_note(c,
                 "_row_id and _last_updated_sequence_number are null: format version %d has none (rowline "
                 "upgrade --to 3)",
                 info.format_version);
    return st;
}

/* The rows behind those that a terminal shows. */
static rowline_status put_rest(cli *c, rowline_table *table, int64_t printed) {
    int64_t count;
    rowline_status st = rowline_count(table, c->args.where, &count, &c->error);
    if (st == ROWLINE_OK)
        print_more(c, count - printed);
    return st;
}

/* --- formats for programs --- */

static int32_t write_out(void *context, const void *data, size_t length) {
    output *o = context;
    out_bytes(o, data, length);
    out_flush(o); /* lines flow while they are made */
    return o->failed;
}

static bool to_stdout(const cli *c) {
    return c->args.output == NULL || strcmp(c->args.output, "-") == 0;
}

/* Before a table is opened: what can't go where it should. */
static rowline_status check_output(cli *c) {
    const char *format = c->args.format;
    bool binary = format != NULL && cli_has_word("parquet arrow", format);
    if (binary && to_stdout(c) && c->terminal)
        return cli_fail(c, ROWLINE_USAGE, "--format %s is not for a terminal: redirect it, or give -o FILE",
                        format);
    return ROWLINE_OK;
}

static rowline_status write_rows(cli *c, struct ArrowArrayStream *stream) {
    rowline_output_options options = {.struct_size = sizeof options,
                                      .format = c->args.json ? "jsonl" : c->args.format};
    if (!to_stdout(c))
        return rowline_stream_save(c->context, stream, c->args.output, &options, NULL, &c->error);
    if (options.format == NULL)
        options.format = "jsonl";
    rowline_sink sink = {&c->out, write_out};
    rowline_status st = rowline_stream_write(c->context, stream, &sink, &options, NULL, &c->error);
    return c->out.failed != 0 ? ROWLINE_OK : st; /* cli_end says what became of standard output */
}

/* --- rows --- */

static rowline_status print_rows(cli *c, rowline_table *table, struct ArrowArrayStream *stream) {
    print_options how = {.limit = print_limit(c)};
    int64_t printed = 0;
    rowline_status st = print_stream(c, stream, &how, &printed);
    if (st == ROWLINE_OK && c->terminal && c->args.limit < 0 && printed == how.limit)
        st = put_rest(c, table, printed);
    return st;
}

static rowline_status put_rows(cli *c, rowline_table *table) {
    rowline_scan_options options = {.struct_size = sizeof options,
                                    .select = c->args.select,
                                    .where = c->args.where,
                                    .limit =
                                        c->bulk ? (c->args.limit > 0 ? c->args.limit : -1) : print_limit(c),
                                    .lineage = c->args.lineage,
                                    .order_by_row_id = c->args.order_by_row_id,
                                    .no_verify_pages = c->args.no_verify_pages};
    struct ArrowArrayStream stream;
    rowline_status st = rowline_scan(table, &options, &stream, &c->error);
    if (st != ROWLINE_OK)
        return st;
    rowline_scan_stats stats = {.struct_size = sizeof stats};
    st = c->bulk ? write_rows(c, &stream) : print_rows(c, table, &stream);
    if (st == ROWLINE_OK && c->args.stats)
        st = rowline_scan_get_stats(&stream, &stats, &c->error);
    stream.release(&stream);
    out_flush(&c->out);
    if (st == ROWLINE_OK && c->args.stats)
        put_stats(c, &stats);
    out_flush(&c->err);
    return st;
}

rowline_status cmd_scan(cli *c) {
    const char *select = c->args.select;
    if (select != NULL && select[strspn(select, " \t\n")] == '\0')
        return cli_fail(c, ROWLINE_USAGE, "--select names no column");
    rowline_table *table;
    rowline_status st = check_output(c);
    if (st == ROWLINE_OK)
        st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    if (c->args.lineage)
        st = note_missing_lineage(c, table);
    if (st == ROWLINE_OK)
        st = put_rows(c, table);
    rowline_table_free(table);
    return st;
}
