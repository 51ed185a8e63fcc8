/* SPDX-License-Identifier: Apache-2.0 */
/* rowline status, of a Lance dataset: what its lineage costs, and what spilling would save. */
#include "lance.h"
#include "layout.h"
#include "status.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

static void put_heading(cli *c, const rowline_table_figures *f, const json_node *d) {
    output *o = &c->out;
    const char *dot = text_dot(c->utf8), *format = json_get_text(d, "data_format");
    const char *branch = json_get_text(d, "branch");
    status_put_name(o, c->args.arguments[0]);
    out_str(o, "  Lance");
    if (format != NULL) {
        out_printf(o, "%sdata files ", dot);
        layout_safe(o, format);
    }
    out_printf(o, "%sversion ", dot);
    layout_member(o, d, "version");
    if (branch != NULL && strcmp(branch, "main") != 0) {
        out_str(o, " of ");
        layout_safe(o, branch);
    }
    status_put_last_commit(c, f);
}

static void put_rows(cli *c, const rowline_table_figures *f) {
    output *o = &c->out;
    layout_section line = {o, "rows", false};
    int64_t all = f->rows + f->deleted_rows;
    layout_line(&line);
    out_printf(o, "%s live", text_grouped(f->rows).s);
    if (f->delete_files > 0)
        out_printf(o, ", %s deleted (%s, %.2f %%)", text_grouped(f->deleted_rows).s,
                   text_count(f->delete_files, "deletion file").s,
                   all > 0 ? 100.0 * (double)f->deleted_rows / (double)all : 0.0);
    out_char(o, '\n');
}

static void put_files(cli *c, const rowline_table_figures *f, const json_node *d) {
    layout_section line = {&c->out, "files", false};
    layout_line(&line);
    out_printf(&c->out, "%s in %s (%s)", text_grouped(f->data_files).s,
               text_count(lance_i64(d, "fragments", 0), "fragment").s, text_bytes(f->bytes).s);
    if (f->small_files > 0)
        out_printf(&c->out, ", %s of under 1,048,576 rows (%s)", text_grouped(f->small_files).s,
                   text_bytes(f->small_bytes).s);
    out_char(&c->out, '\n');
}

static void put_lineage(cli *c, const rowline_table_figures *f, const json_node *lineage) {
    output *o = &c->out;
    layout_section line = {o, "lineage", false};
    int64_t inside = lance_i64(lineage, "inline_bytes", 0), whole = lance_i64(lineage, "manifest_bytes", 0);
    layout_line(&line);
    if (f->lineage_complete)
        out_printf(o, "complete, next-row-id %" PRId64 "\n", f->next_row_id);
    else if (f->next_row_id >= 0)
        out_printf(o, "missing in %s, next-row-id %" PRId64 "\n",
                   text_count(f->rows_without_lineage, "row").s, f->next_row_id);
    else
        out_str(o, "none: _rowid is the address of a row, versions read 1\n");
    lance_put_sequences(c, "lineage", true, json_get(lineage, "sequences"));
    layout_section manifest = {o, "manifest", false};
    layout_line(&manifest);
    out_printf(o, "%s, of it lineage %s (%s)\n", text_bytes(whole).s, text_bytes(inside).s,
               text_percent(inside, whole).s);
}

/* "off: would take 1.2 MB out of the manifest (_rowid of 3 fragments)" */
static void put_spilling(cli *c, const json_node *spilling) {
    output *o = &c->out;
    const json_node *enabled = json_get(spilling, "enabled"), *sequences = json_get(spilling, "sequences");
    bool on = enabled != NULL && enabled->kind == JSON_TRUE;
    int64_t limit = lance_i64(spilling, "inline_max_bytes", -1);
    layout_section line = {o, "spilling", false};
    layout_line(&line);
    out_str(o, on ? "on" : "off");
    if (limit < 0) {
        out_str(o, ", without a readable limit\n");
        return;
    }
    if (sequences == NULL || sequences->first == NULL) {
        out_printf(o, ", nothing over %s a sequence\n", text_bytes(limit).s);
        return;
    }
    out_printf(o, "%s %s out of the manifest at the next compaction:", on ? ", takes" : ", would take",
               text_bytes(lance_i64(spilling, "saved_bytes", 0)).s);
    for (const json_node *q = sequences->first; q != NULL; q = q->next) {
        const char *name = json_get_text(q, "sequence");
        out_printf(o, "%s %s of %s", q == sequences->first ? "" : ",", name != NULL ? name : "",
                   text_count(json_count(json_get(q, "fragments")), "fragment").s);
    }
    out_char(o, '\n');
}

void lance_put_status(cli *c, const rowline_table_figures *f, const json_node *d, const json_node *refs) {
    put_heading(c, f, d);
    put_rows(c, f);
    put_files(c, f, d);
    put_lineage(c, f, json_get(d, "lineage"));
    put_spilling(c, json_get(d, "spilling"));
    lance_put_flags(c, d);
    status_put_history(c, f, "versions", refs);
    status_put_writers(c, json_get(d, "writers"));
    status_put_cautions(c, json_get(d, "cautions"));
}
