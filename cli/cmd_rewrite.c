/* SPDX-License-Identifier: Apache-2.0 */
/* rowline rewrite: compaction that keeps every row's identity; what it did, or with --dry-run would do. */
#include "report.h"
#include "rewrite_groups.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { DEFAULT_MEMORY = 1 << 30 };

typedef struct outcome {
    rowline_commit commit;
    rowline_rewrite rewrite;
} outcome;

/* Pairs that the options borrow. */
typedef struct pairs {
    rowline_property *properties, *options;
} pairs;

static rowline_status read_options(cli *c, rowline_rewrite_options *o, pairs *p) {
    const cli_args *a = &c->args;
    memset(o, 0, sizeof *o);
    o->struct_size = sizeof *o;
    if (a->verify != NULL && !cli_has_word("full lineage", a->verify))
        return cli_fail(c, ROWLINE_USAGE, "--verify '%.60s': not full or lineage", a->verify);
    if (a->row_id_encoding != NULL && !cli_has_word("plain delta", a->row_id_encoding))
        return cli_fail(c, ROWLINE_USAGE, "--row-id-encoding '%.60s': not plain or delta",
                        a->row_id_encoding);
    o->where = a->where;
    o->sort = a->sort;
    o->target_file_size = a->target_file_size > 0 ? a->target_file_size : 0;
    o->min_file_size = a->min_file_size > 0 ? a->min_file_size : 0;
    o->max_file_size = a->max_file_size > 0 ? a->max_file_size : 0;
    o->min_input_files = a->min_input_files > 0 ? (int32_t)a->min_input_files : 0;
    o->delete_ratio = a->delete_ratio;
    o->delete_files = a->delete_files > 0 ? a->delete_files : 0;
    o->max_group_size = a->max_group_size > 0 ? a->max_group_size : 0;
    o->max_bytes = a->max_bytes > 0 ? a->max_bytes : 0;
    o->deadline_ms = a->deadline > 0 ? a->deadline : 0;
    o->max_commits = a->max_commits > 0 ? (int32_t)a->max_commits : 0;
    o->rewrite_all = a->rewrite_all;
    o->verify =
        a->verify != NULL && strcmp(a->verify, "lineage") == 0 ? ROWLINE_VERIFY_LINEAGE : ROWLINE_VERIFY_FULL;
    o->no_pin = a->no_pin;
    if (a->row_id_encoding != NULL)
        o->row_id_encoding =
            strcmp(a->row_id_encoding, "plain") == 0 ? ROWLINE_ROW_ID_PLAIN : ROWLINE_ROW_ID_DELTA;
    rowline_status st = cli_properties(c, "--option", &a->option, &p->options);
    o->options = p->options;
    o->option_count = a->option.count;
    return st == ROWLINE_OK ? cli_change_options(c, &o->change, &p->properties) : st;
}

/* --- JSON --- */

static void put_figures(json *j, const rowline_rewrite *r) {
    const report_figure figures[] = {
        {"groups", r->groups},
        {"input_bytes", r->input_bytes},
        {"output_bytes", r->output_bytes},
        {"rows_in", r->rows_in},
        {"rows_out", r->rows_out},
        {"rows_without_lineage", r->rows_without_lineage},
        {"pages_copied", r->pages_copied},
        {"pages_encoded", r->pages_encoded},
        {"next_row_id_before", r->next_row_id_before},
        {"peak_memory_bytes", r->peak_memory_bytes},
    };
    report_figures_json(j, figures, sizeof figures / sizeof *figures);
}

static void put_skipped(json *j, const rowline_rewrite *r) {
    json_key(j, "skipped_files");
    json_i64(j, r->skipped_files);
    json_key(j, "skipped");
    json_open(j, '{');
    json_key(j, "right_size");
    json_i64(j, r->skipped_right_size);
    json_key(j, "too_few_files");
    json_i64(j, r->skipped_too_few_files);
    json_key(j, "no_gain");
    json_i64(j, r->skipped_no_gain);
    json_key(j, "filtered");
    json_i64(j, r->skipped_filtered);
    json_close(j, '}');
}

static void put_json(cli *c, const outcome *o) {
    const rowline_rewrite *r = &o->rewrite;
    json j = {&c->out, false};
    json_open(&j, '{');
    report_commit_json(&j, &o->commit);
    put_figures(&j, r);
    json_key(&j, "digest_before");
    report_digest_json(&j, &r->digest_before);
    json_key(&j, "digest_after");
    report_digest_json(&j, &r->digest_after);
    put_skipped(&j, r);
    json_key(&j, "complete");
    json_bool(&j, r->complete != 0);
    json_key(&j, "assigned_snapshot_id");
    json_id(&j, r->assigned_snapshot_id);
    json_key(&j, "assigned_rows");
    json_i64(&j, r->assigned_rows);
    json_close(&j, '}');
    out_char(&c->out, '\n');
}

/* --- text --- */

/* "398 right size, 14 too few to make a group"; the number of kinds. */
static int put_left(cli *c, const rowline_rewrite *r, const char *title) {
    const struct {
        int64_t files;
        const char *why;
    } kinds[] = {{r->skipped_right_size, "right size"},
                 {r->skipped_too_few_files, "in groups of too few files"},
                 {r->skipped_no_gain, "without gain"},
                 {r->skipped_filtered, "outside --where"}};
    int count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].files > 0)
            out_printf(&c->out, "%s%s %s", count++ == 0 ? title : ", ", text_grouped(kinds[i].files).s,
                       kinds[i].why);
    return count;
}

static void put_assigned(cli *c, const rowline_rewrite *r, bool dry_run) {
    if (r->assigned_rows <= 0 && r->assigned_snapshot_id < 0)
        return;
    out_printf(&c->out, "  assigned  %s %s ids first", text_count(r->assigned_rows, "row").s,
               dry_run ? "would get" : "got");
    if (r->assigned_snapshot_id >= 0)
        out_printf(&c->out, ", in snapshot %" PRId64, r->assigned_snapshot_id);
    out_char(&c->out, '\n');
}

/* What is left for another run, and why: "12 of 14 groups; ...". Nothing when all that was due is done. */
static void put_left_over(cli *c, const outcome *o) {
    const rowline_rewrite *r = &o->rewrite;
    if (r->complete)
        return;
    out_str(&c->out, "  left      ");
    if (r->failed_commits > 0)
        out_printf(&c->out, "%s lost to other writers; ", text_count(r->failed_commits, "commit").s);
    if (r->groups < r->planned_groups)
        out_printf(&c->out, "%s of %s; ", text_grouped(r->planned_groups - r->groups).s,
                   text_count(r->planned_groups, "group").s);
    out_str(&c->out, "the next run goes on\n");
}

/* Groups were planned, but none was written: the deadline. */
static void put_none_begun(cli *c, const outcome *o) {
    out_printf(&c->out,
               "nothing rewritten: the deadline passed before the first of %s began; no snapshot made\n",
               text_count(o->rewrite.planned_groups, "group").s);
    put_assigned(c, &o->rewrite, false);
}

static void put_nothing(cli *c, const outcome *o) {
    const rowline_rewrite *r = &o->rewrite;
    if (r->planned_groups > 0 && r->commits == 0) {
        put_none_begun(c, o);
        return;
    }
    out_str(&c->out, "nothing to rewrite");
    put_left(c, &o->rewrite, ": files left alone: ");
    if (o->rewrite.skipped_too_few_files > 0)
        out_str(&c->out, " (--rewrite-all takes them)");
    bool made = !o->commit.dry_run && (r->assigned_rows > 0 || r->commits > 0);
    if (!made)
        out_printf(&c->out, "; %s", o->commit.dry_run ? "dry run, nothing written" : "no snapshot made");
    out_char(&c->out, '\n');
    put_assigned(c, &o->rewrite, o->commit.dry_run != 0);
    if (r->commits > 0) { /* dangling deletes */
        out_printf(&c->out, "  deletes   %s removed\n",
                   text_count(o->commit.removed_delete_files, "dangling delete file").s);
        report_commit_text(c, &o->commit);
    }
}

static void put_disk(cli *c, const rowline_rewrite *r) {
    struct statvfs fs;
    out_printf(&c->out, "needs up to %s of disk", text_bytes(r->input_bytes).s);
    if (statvfs(c->args.arguments[0], &fs) == 0 &&
        fs.f_bavail < INT64_MAX / (fs.f_frsize > 0 ? fs.f_frsize : 1))
        out_printf(&c->out, " (%s free)", text_bytes((int64_t)(fs.f_bavail * fs.f_frsize)).s);
    if (r->sort_disk_bytes > 0)
        out_printf(&c->out, ", %s of temporary files", text_bytes(r->sort_disk_bytes).s);
    int64_t memory = c->args.memory > 0 ? c->args.memory : DEFAULT_MEMORY;
    out_printf(&c->out, ", memory %s; dry run, nothing written\n", text_bytes(memory).s);
}

static rowline_status put_plan(cli *c, rewrite_groups *groups, const outcome *o) {
    rowline_status st = rewrite_groups_print(groups);
    if (st != ROWLINE_OK)
        return st;
    if (put_left(c, &o->rewrite, "left alone: ") > 0)
        out_char(&c->out, '\n');
    put_assigned(c, &o->rewrite, true);
    if (!o->rewrite.complete)
        out_str(&c->out, "a limit leaves groups or files for the next run\n");
    put_disk(c, &o->rewrite);
    return ROWLINE_OK;
}

static void put_pages(cli *c, const rowline_rewrite *r) {
    int64_t pages = r->pages_copied + r->pages_encoded;
    if (pages <= 0)
        return;
    int64_t copied = (r->pages_copied * 100 + pages / 2) / pages;
    if (r->pages_copied == 0) {
        out_printf(&c->out, "%spages re-encoded", text_dot(c->utf8));
        return;
    }
    out_printf(&c->out, "%spages %" PRId64 " %% copied, %" PRId64 " %% re-encoded", text_dot(c->utf8), copied,
               100 - copied);
}

static void put_headline(cli *c, const outcome *o) {
    const rowline_rewrite *r = &o->rewrite;
    const char *dot = text_dot(c->utf8);
    out_printf(&c->out, "%s %s %s", text_count(o->commit.removed_data_files, "file").s, text_arrow(c->utf8),
               text_grouped(o->commit.added_data_files).s);
    out_printf(&c->out, "%s%s", dot, text_bytes_change(r->input_bytes, r->output_bytes, c->utf8).s);
    out_printf(&c->out, "%s%s", dot, text_duration(o->commit.wall_ms).s);
    if (r->peak_memory_bytes > 0)
        out_printf(&c->out, "%speak %s", dot, text_bytes(r->peak_memory_bytes).s);
    put_pages(c, r);
    out_char(&c->out, '\n');
}

static void put_lineage(cli *c, const outcome *o) {
    const rowline_rewrite *r = &o->rewrite;
    int64_t with = r->rows_out - r->rows_without_lineage;
    if (r->next_row_id_before < 0) {
        out_printf(&c->out, "  lineage   none: %s, no ids below version 3\n",
                   text_count(r->rows_out, "row").s);
        return;
    }
    bool equal = strcmp(r->digest_before.lineage_checksum, r->digest_after.lineage_checksum) == 0;
    out_printf(&c->out, "  lineage   ids and versions of %s unchanged, digest %s %s %s\n",
               text_count(with, "row").s, r->digest_before.lineage_checksum,
               equal ? "=" : "!=", r->digest_after.lineage_checksum);
    if (r->rows_without_lineage > 0)
        out_printf(&c->out, "            %s had no ids and got new ones\n",
                   text_count(r->rows_without_lineage, "row").s);
    out_printf(&c->out, "            next-row-id %" PRId64 " %s %" PRId64 "\n", r->next_row_id_before,
               text_arrow(c->utf8), o->commit.next_row_id);
}

static void put_text(cli *c, const outcome *o) {
    put_headline(c, o);
    if (o->commit.removed_delete_files > 0)
        out_printf(&c->out, "  deletes   %s applied and removed\n",
                   text_count(o->commit.removed_delete_files, "delete file").s);
    put_assigned(c, &o->rewrite, false);
    put_lineage(c, o);
    put_left_over(c, o);
    report_commit_text(c, &o->commit);
    if (o->rewrite.commits > 1)
        out_printf(&c->out, "            the last of %s\n", text_count(o->rewrite.commits, "commit").s);
}

static rowline_status put_result(cli *c, rewrite_groups *groups, const outcome *o) {
    if (c->json)
        put_json(c, o);
    else if (o->rewrite.groups == 0)
        put_nothing(c, o);
    else if (c->args.dry_run)
        return put_plan(c, groups, o);
    else
        put_text(c, o);
    return ROWLINE_OK;
}

/* --- the command --- */

static rowline_status run_rewrite(cli *c, const rowline_rewrite_options *options, outcome *o) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], true, &table);
    if (st != ROWLINE_OK)
        return st;
    rewrite_groups groups;
    rewrite_groups_init(&groups, c);
    o->commit.struct_size = sizeof o->commit;
    o->rewrite.struct_size = sizeof o->rewrite;
    st = rowline_table_rewrite(table, options, c->args.dry_run ? rewrite_groups_add : NULL, &groups,
                               &o->commit, &o->rewrite, &c->error);
    st = cli_committed(c, st, &o->commit);
    if (groups.failed)
        st = cli_fail(c, ROWLINE_NO_MEMORY, "no memory for the list of groups");
    rowline_table_free(table);
    if (st == ROWLINE_OK)
        st = put_result(c, &groups, o);
    rewrite_groups_clear(&groups);
    return st;
}

rowline_status cmd_rewrite(cli *c) {
    rowline_rewrite_options options;
    pairs given = {NULL, NULL};
    rowline_status st = read_options(c, &options, &given);
    outcome *o = calloc(1, sizeof *o);
    if (st == ROWLINE_OK && o == NULL)
        st = cli_fail(c, ROWLINE_NO_MEMORY, "no memory for %zu bytes", sizeof *o);
    if (st == ROWLINE_OK)
        st = run_rewrite(c, &options, o);
    free(o);
    free(given.options);
    free(given.properties);
    return st;
}
