/* SPDX-License-Identifier: Apache-2.0 */
/* rowline upgrade: a newer format version, rows of main getting their ids in the same swap. */
#include "report.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct upgrade {
    rowline_commit commit;
    rowline_upgrade report;
} upgrade;

static rowline_status run_upgrade(cli *c, rowline_table *table, bool dry_run, upgrade *u) {
    memset(u, 0, sizeof *u);
    u->commit.struct_size = sizeof u->commit;
    u->report.struct_size = sizeof u->report;
    rowline_change_options options;
    rowline_property *properties = NULL;
    rowline_status st = cli_change_options(c, &options, &properties);
    options.dry_run = dry_run;
    if (st == ROWLINE_OK)
        st = cli_committed(c,
                           rowline_table_upgrade(table, (int32_t)c->args.to, !c->args.no_assign, &options,
                                                 &u->commit, &u->report, &c->error),
                           &u->commit);
    free(properties);
    return st;
}

static bool does_nothing(const upgrade *u) {
    return u->report.from_version == u->report.to_version && u->report.assigned_rows == 0 &&
           u->commit.snapshot_id < 0;
}

/* --- text --- */

/* "spark 4.1.4 x119, unsigned x1"; the number of them. */
static int32_t put_writers(cli *c, const char *text, output *o) {
    json_doc doc;
    const json_node *writers = json_parse(text, strlen(text), &doc);
    const char *before = "";
    int32_t count = json_count(writers);
    for (const json_node *w = writers != NULL ? writers->first : NULL; w != NULL; w = w->next) {
        const char *name = json_get_text(w, "name"), *version = json_get_text(w, "version");
        int64_t snapshots = 0;
        bool counted = json_as_i64(json_get(w, "snapshots"), &snapshots);
        out_printf(o, "%s%s", before, name != NULL ? name : "unsigned");
        if (version != NULL && version[0] != '\0')
            out_printf(o, " %s", version);
        if (counted)
            out_printf(o, " %s%s", c->utf8 ? "\xc3\x97" : "x", text_grouped(snapshots).s);
        before = ", ";
    }
    if (count == 0)
        out_str(o, "none seen");
    json_doc_free(&doc);
    return count;
}

/* The names of a JSON array, ", " between, as many as there is room for; the number of them. */
static int32_t join_names(const char *text, char *out, size_t room) {
    json_doc doc;
    const json_node *names = json_parse(text, strlen(text), &doc);
    size_t len = 0;
    int32_t count = 0;
    out[0] = '\0';
    for (const json_node *n = names != NULL ? names->first : NULL; n != NULL && n->text != NULL;
         n = n->next) {
        if (len + strlen(n->text) + 3 > room)
            break;
        len += (size_t)snprintf(out + len, room - len, "%s%s", count++ > 0 ? ", " : "", n->text);
    }
    json_doc_free(&doc);
    return count;
}

/* Of the names in front, "" when these are all. */
static short_text more_of(int64_t all, int64_t named) {
    short_text out = {""};
    if (all > named)
        snprintf(out.s, sizeof out.s, " and %.40s more", text_grouped(all - named).s);
    return out;
}

/* What an upgrade meets: told by a dry run and before the question. */
static void put_findings(cli *c, const upgrade *u, output *o) {
    out_str(o, "  writers   ");
    out_str(o, more_of(u->report.writers, put_writers(c, u->report.writers_json, o)).s);
    out_printf(o, "\n  deletes   %s, ",
               text_count(u->report.live_equality_deletes, "live equality delete file").s);
    out_printf(o, "%s\n", text_count(u->report.live_position_deletes, "live position delete file").s);
    char names[4096];
    int32_t count = join_names(u->report.branches_without_ids_json, names, sizeof names);
    if (count > 0) {
        out_str(o, "  branches  without ids until the next commit to them: ");
        out_str(o, names);
        out_printf(o, "%s\n", more_of(u->report.branches_without_ids, count).s);
    }
}

static void put_versions(cli *c, const upgrade *u, output *o) {
    out_str(o, c->args.arguments[0]);
    if (u->report.from_version == u->report.to_version)
        out_printf(o, "  stays v%d\n", u->report.to_version);
    else
        out_printf(o, "  v%d %s v%d\n", u->report.from_version, text_arrow(c->utf8), u->report.to_version);
}

static void put_assigned(const upgrade *u, bool dry_run, output *o) {
    const rowline_commit *m = &u->commit;
    if (u->report.assigned_rows <= 0)
        return;
    out_printf(o, "  assigned  %s %s ids", text_count(u->report.assigned_rows, "row").s,
               dry_run ? "would get" : "got");
    if (m->first_row_id >= 0)
        out_printf(o, " %" PRId64 "..%" PRId64, m->first_row_id,
                   m->first_row_id + u->report.assigned_rows - 1);
    out_char(o, '\n');
}

static void put_text(cli *c, const upgrade *u) {
    if (does_nothing(u)) {
        out_printf(&c->out, "nothing to do: version %d already, and no row of main lacks an id; ",
                   u->report.to_version);
        out_str(&c->out, c->args.dry_run ? "dry run, nothing written\n" : "no snapshot made\n");
        return;
    }
    put_versions(c, u, &c->out);
    if (c->args.dry_run)
        put_findings(c, u, &c->out);
    put_assigned(u, c->args.dry_run, &c->out);
    report_commit_text(c, &u->commit);
}

static void put_json(cli *c, const upgrade *u) {
    json j = {&c->out, false};
    json_open(&j, '{');
    report_commit_json(&j, &u->commit);
    json_key(&j, "from_version");
    json_i64(&j, u->report.from_version);
    json_key(&j, "to_version");
    json_i64(&j, u->report.to_version);
    json_key(&j, "assigned_rows");
    json_i64(&j, u->report.assigned_rows);
    json_key(&j, "branches_without_ids");
    json_raw(&j, u->report.branches_without_ids_json[0] != '\0' ? u->report.branches_without_ids_json : "[]");
    if (c->args.dry_run) {
        json_key(&j, "writers");
        json_raw(&j, u->report.writers_json[0] != '\0' ? u->report.writers_json : "[]");
        json_key(&j, "live_equality_deletes");
        json_i64(&j, u->report.live_equality_deletes);
        json_key(&j, "live_position_deletes");
        json_i64(&j, u->report.live_position_deletes);
    }
    json_close(&j, '}');
    out_char(&c->out, '\n');
}

/* --- asking --- */

static rowline_status ask(cli *c, const upgrade *u) {
    put_versions(c, u, &c->err);
    put_findings(c, u, &c->err);
    put_assigned(u, true, &c->err);
    out_printf(&c->err, "Upgrade to version %d? There is no way back. [y/N] ", u->report.to_version);
    out_flush(&c->err);
    char answer[16];
    ssize_t n = read(STDIN_FILENO, answer, sizeof answer);
    if (n > 0 && (answer[0] == 'y' || answer[0] == 'Y'))
        return ROWLINE_OK;
    return n < 0 ? cli_fail(c, ROWLINE_INTERRUPTED, "interrupted; nothing was changed")
                 : cli_fail(c, ROWLINE_USAGE, "not confirmed; nothing was changed");
}

/* On a terminal a dry run shows what is coming, then the question. */
static rowline_status confirm(cli *c, rowline_table *table) {
    if (c->args.dry_run || c->args.yes)
        return ROWLINE_OK;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return cli_fail(c, ROWLINE_USAGE,
                        "there is no way back from an upgrade: --yes confirms it where nobody can be asked");
    upgrade *u = calloc(1, sizeof *u);
    if (u == NULL)
        return cli_fail(c, ROWLINE_NO_MEMORY, "no memory for %zu bytes", sizeof *u);
    rowline_status st = run_upgrade(c, table, true, u);
    if (st == ROWLINE_OK && !does_nothing(u))
        st = ask(c, u);
    free(u);
    return st;
}

static void note_branches(cli *c, const upgrade *u) {
    char names[900];
    int64_t all = u->report.branches_without_ids;
    int32_t count = join_names(u->report.branches_without_ids_json, names, sizeof names);
    if (!c->args.dry_run && count > 0)
        cli_note(c, "rows of these branches have no ids until the next commit to them: %s%s", names,
                 more_of(all, count).s);
}

rowline_status cmd_upgrade(cli *c) {
    if (c->args.to < 0)
        return cli_fail(c, ROWLINE_USAGE, "upgrade needs --to N");
    rowline_table *table = NULL;
    upgrade *u = calloc(1, sizeof *u);
    rowline_status st =
        u != NULL ? ROWLINE_OK : cli_fail(c, ROWLINE_NO_MEMORY, "no memory for %zu bytes", sizeof *u);
    if (st == ROWLINE_OK)
        st = cli_open(c, c->args.arguments[0], true, &table);
    if (st == ROWLINE_OK)
        st = confirm(c, table);
    if (st == ROWLINE_OK)
        st = run_upgrade(c, table, c->args.dry_run, u);
    rowline_table_free(table);
    if (st == ROWLINE_OK) {
        if (c->json)
            put_json(c, u);
        else
            put_text(c, u);
        out_flush(&c->out);
        note_branches(c, u);
    }
    free(u);
    return st;
}
