/* SPDX-License-Identifier: Apache-2.0 */
/* rowline status: what state a table is in, and what is due. */
#include "lance.h"
#include "layout.h"
#include "status.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 10, UNSIGNED_MAX = 3 }; /* shown on a line */

/* --- JSON --- */

static void put_json(cli *c, const rowline_table_figures *f) {
    if (f->details_json != NULL) { /* of a Lance dataset: all there is */
        out_str(&c->out, f->details_json);
        out_char(&c->out, '\n');
        return;
    }
    json j = {&c->out, false};
    json_open(&j, '{');
    json_key(&j, "rows");
    json_i64(&j, f->rows);
    json_key(&j, "deleted_rows");
    json_i64(&j, f->deleted_rows);
    json_key(&j, "data_files");
    json_i64(&j, f->data_files);
    json_key(&j, "bytes");
    json_i64(&j, f->bytes);
    json_key(&j, "small_files");
    json_i64(&j, f->small_files);
    json_key(&j, "delete_files");
    json_i64(&j, f->delete_files);
    json_key(&j, "lineage");
    json_open(&j, '{');
    json_key(&j, "complete");
    json_bool(&j, f->lineage_complete != 0);
    json_key(&j, "rows_without_lineage");
    json_i64(&j, f->rows_without_lineage);
    json_key(&j, "next_row_id");
    json_maybe_i64(&j, f->next_row_id >= 0, f->next_row_id);
    json_close(&j, '}');
    json_key(&j, "snapshots");
    json_i64(&j, f->snapshots);
    json_key(&j, "writers");
    json_raw(&j, f->writers_json);
    json_key(&j, "due");
    json_raw(&j, f->due_json);
    json_key(&j, "cautions");
    json_raw(&j, f->cautions_json);
    json_close(&j, '}');
    out_char(&c->out, '\n');
}

/* --- text --- */

static const char *at_most(const cli *c) {
    return c->utf8 ? "\xe2\x89\xa4 " : "<= ";
}

static const char *at_least(const cli *c) {
    return c->utf8 ? "\xe2\x89\xa5 " : ">= ";
}

static const char *times(const cli *c) {
    return c->utf8 ? "\xc3\x97" : "x";
}

void status_put_name(output *o, const char *name) {
    size_t len = strlen(name);
    while (len > 1 && name[len - 1] == '/')
        len--;
    size_t begin = len;
    while (begin > 0 && name[begin - 1] != '/')
        begin--;
    char *copy = text_printable(name + begin, len - begin);
    out_str(o, copy != NULL ? copy : "");
    free(copy);
}

void status_put_last_commit(cli *c, const rowline_table_figures *f) {
    output *o = &c->out;
    const char *dot = text_dot(c->utf8);
    if (f->snapshots == 0 || f->last_commit_ms == 0) {
        out_printf(o, "%sempty\n", dot);
        return;
    }
    short_text when = text_time(f->last_commit_ms); /* 2026-11-30 06:12:44 */
    for (char *p = when.s; *p != '\0'; p++)
        if (*p == ' ')
            *p = 'T';
    out_printf(o, "%slast commit %sZ by ", dot, when.s);
    layout_safe(o, f->last_engine != NULL ? f->last_engine : "unsigned");
    out_char(o, '\n');
}

static void put_heading(cli *c, const rowline_table_figures *f) {
    output *o = &c->out;
    const char *dot = text_dot(c->utf8);
    status_put_name(o, c->args.arguments[0]);
    out_printf(o, "  Iceberg v%d%s%s", f->format_version, dot, f->catalog);
    if (strcmp(f->catalog, "filesystem") == 0)
        out_printf(o, "%smetadata v%" PRId64, dot, f->metadata_version);
    else if (f->metadata_version > 0)
        out_printf(o, "%smetadata %05" PRId64, dot, f->metadata_version);
    status_put_last_commit(c, f);
}

static void put_rows(cli *c, const rowline_table_figures *f) {
    output *o = &c->out;
    layout_section line = {o, "rows", false};
    layout_line(&line);
    out_printf(o, "%s%s live", f->rows_exact ? "" : at_most(c), text_grouped(f->rows).s);
    if (f->delete_files > 0 || f->deleted_rows > 0) {
        int64_t all = f->rows + f->deleted_rows;
        out_printf(o, ", %s%s deleted (", f->rows_exact ? "" : at_least(c), text_grouped(f->deleted_rows).s);
        if (f->deletion_vectors > 0)
            out_printf(o, "%s, ", text_count(f->deletion_vectors, "DV").s);
        if (f->position_delete_files > 0)
            out_printf(o, "%s, ", text_count(f->position_delete_files, "position delete file").s);
        if (f->equality_delete_files > 0)
            out_printf(o, "%s, ", text_count(f->equality_delete_files, "equality delete file").s);
        out_printf(o, "%.2f %%)", all > 0 ? 100.0 * (double)f->deleted_rows / (double)all : 0.0);
    }
    out_char(o, '\n');
}

static void put_files(cli *c, const rowline_table_figures *f) {
    output *o = &c->out;
    layout_section line = {o, "files", false};
    layout_line(&line);
    out_printf(o, "%s (%s)", text_grouped(f->data_files).s, text_bytes(f->bytes).s);
    if (f->small_files > 0)
        out_printf(o, ", %s under %s (%s)", text_grouped(f->small_files).s, text_bytes(f->small_limit).s,
                   text_bytes(f->small_bytes).s);
    if (f->small_partitions > 1)
        out_printf(o, " in %s", text_count(f->small_partitions, "partition").s);
    out_char(o, '\n');
}

static void put_lineage(cli *c, const rowline_table_figures *f) {
    output *o = &c->out;
    layout_section line = {o, "lineage", false};
    layout_line(&line);
    if (f->next_row_id < 0)
        out_printf(o, "none in version %d (rowline upgrade --to 3)\n", f->format_version);
    else if (f->lineage_complete)
        out_printf(o, "complete, next-row-id %" PRId64 "\n", f->next_row_id);
    else
        out_printf(o, "incomplete: %s without identity, next-row-id %" PRId64 "\n",
                   text_count(f->rows_without_lineage, "row").s, f->next_row_id);
}

/* "; tags mart, audit-q3" */
static void put_refs(output *o, const json_node *refs, const char *type, const char *title) {
    int64_t count = 0;
    for (const json_node *r = refs != NULL ? refs->first : NULL; r != NULL; r = r->next) {
        const char *is = json_get_text(r, "type");
        if (is == NULL || strcmp(is, type) != 0)
            continue;
        if (count < NAMES_MAX) {
            out_printf(o, "%s%s", count == 0 ? "; " : ", ", count == 0 ? title : "");
            layout_safe(o, r->key);
        }
        count++;
    }
    if (count > NAMES_MAX)
        out_printf(o, " and %s more", text_grouped(count - NAMES_MAX).s);
}

void status_put_history(cli *c, const rowline_table_figures *f, const char *title, const json_node *refs) {
    output *o = &c->out;
    layout_section line = {o, title, false};
    layout_line(&line);
    if (f->snapshots > 0)
        out_printf(o, "%s since %.10s", text_grouped(f->snapshots).s, text_time(f->first_snapshot_ms).s);
    else
        out_str(o, "none");
    put_refs(o, refs, "tag", "tags ");
    put_refs(o, refs, "branch", "branches ");
    out_char(o, '\n');
}

/* " (3051729675574597004, ...)" */
static void put_unsigned(output *o, const json_node *ids) {
    int32_t shown = 0;
    for (const json_node *id = ids->first; id != NULL && shown < UNSIGNED_MAX; id = id->next, shown++)
        out_printf(o, "%s%s", shown == 0 ? " (" : ", ", id->text);
    if (json_count(ids) > UNSIGNED_MAX)
        out_printf(o, " and %s more", text_grouped(json_count(ids) - UNSIGNED_MAX).s);
    if (shown > 0)
        out_char(o, ')');
}

void status_put_writers(cli *c, const json_node *writers) {
    output *o = &c->out;
    if (json_count(writers) == 0)
        return;
    layout_section line = {o, "writers", false};
    layout_line(&line);
    for (const json_node *w = writers->first; w != NULL; w = w->next) {
        const char *name = json_get_text(w, "name"), *version = json_get_text(w, "version");
        const json_node *ids = json_get(w, "snapshot_ids");
        int64_t count = 0;
        json_as_i64(json_get(w, "snapshots"), &count);
        if (w != writers->first)
            out_str(o, ", ");
        layout_safe(o, name != NULL ? name : "unsigned");
        out_str(o, version != NULL ? " " : "");
        layout_safe(o, version != NULL ? version : "");
        out_printf(o, " %s%s", times(c), text_grouped(count).s);
        if (ids != NULL)
            put_unsigned(o, ids);
    }
    out_char(o, '\n');
}

/* The table's name as a shell takes it. */
static void put_argument(output *o, const char *name) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@=-,+";
    if (strspn(name, plain) == strlen(name)) {
        out_str(o, name);
        return;
    }
    out_char(o, '\'');
    layout_safe(o, name);
    out_char(o, '\'');
}

static void put_due(cli *c, const json_node *due) {
    output *o = &c->out;
    layout_section line = {o, "due", false};
    for (const json_node *d = due != NULL ? due->first : NULL; d != NULL; d = d->next) {
        const char *what = json_get_text(d, "what");
        int64_t groups = 0, files = 0, expected = 0, rows = 0;
        json_as_i64(json_get(d, "groups"), &groups);
        json_as_i64(json_get(d, "files"), &files);
        json_as_i64(json_get(d, "expected_files"), &expected);
        json_as_i64(json_get(d, "rows"), &rows);
        bool compact = what != NULL && strcmp(what, "compact") == 0;
        layout_line(&line);
        if (compact)
            out_printf(o, "compact: %s, %s %s %s", text_count(groups, "group").s, text_grouped(files).s,
                       text_arrow(c->utf8), text_count(expected, "file").s);
        else
            out_printf(o, "assign: ids for %s", text_count(rows, "row").s);
        out_str(o, compact ? "     rowline rewrite " : "     rowline upgrade ");
        put_argument(o, c->args.arguments[0]);
        out_str(o, compact ? " --dry-run\n" : " --to 3 --dry-run\n");
    }
}

void status_put_cautions(cli *c, const json_node *cautions) {
    layout_section line = {&c->out, "caution", false};
    for (const json_node *n = cautions != NULL ? cautions->first : NULL; n != NULL; n = n->next) {
        layout_line(&line);
        layout_safe(&c->out, n->text);
        out_char(&c->out, '\n');
    }
}

static void put_iceberg(cli *c, const rowline_table_figures *f, const json_node *refs,
                        const json_node *writers, const json_node *due, const json_node *cautions) {
    put_heading(c, f);
    put_rows(c, f);
    put_files(c, f);
    put_lineage(c, f);
    status_put_history(c, f, "snapshots", refs);
    status_put_writers(c, writers);
    put_due(c, due);
    status_put_cautions(c, cautions);
}

static void put_text(cli *c, const rowline_table_figures *f, const char *refs_json) {
    enum { REFS, WRITERS, DUE, CAUTIONS, DETAILS, PARTS };
    const char *const texts[PARTS] = {refs_json, f->writers_json, f->due_json, f->cautions_json,
                                      f->details_json != NULL ? f->details_json : "null"};
    json_doc docs[PARTS];
    const json_node *roots[PARTS];
    for (int i = 0; i < PARTS; i++)
        roots[i] = json_parse(texts[i], strlen(texts[i]), &docs[i]);
    if (f->details_json != NULL)
        lance_put_status(c, f, roots[DETAILS], roots[REFS]);
    else
        put_iceberg(c, f, roots[REFS], roots[WRITERS], roots[DUE], roots[CAUTIONS]);
    for (int i = 0; i < PARTS; i++)
        json_doc_free(&docs[i]);
}

rowline_status cmd_status(cli *c) {
    rowline_table *table;
    rowline_status st = cli_open(c, c->args.arguments[0], false, &table);
    if (st != ROWLINE_OK)
        return st;
    rowline_table_figures figures = {.struct_size = sizeof figures};
    rowline_table_info info = {.struct_size = sizeof info};
    st = rowline_table_status(table, &figures, &c->error);
    if (st == ROWLINE_OK)
        st = rowline_table_describe(table, &info, &c->error);
    if (st == ROWLINE_OK && c->json)
        put_json(c, &figures);
    else if (st == ROWLINE_OK)
        put_text(c, &figures, info.refs_json);
    if (st == ROWLINE_OK && c->args.exit_code)
        c->findings = strcmp(figures.due_json, "[]") != 0 || !figures.lineage_complete;
    rowline_table_free(table);
    return st;
}
