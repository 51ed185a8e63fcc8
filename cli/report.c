/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several commands print alike. */
#include "report.h"

#include "text.h"

#include <inttypes.h>
#include <string.h>

void report_figures_json(json *j, const report_figure *figures, size_t count) {
    for (size_t i = 0; i < count; i++) {
        json_key(j, figures[i].key);
        json_maybe_i64(j, figures[i].value >= 0, figures[i].value);
    }
}

void report_commit_json(json *j, const rowline_commit *m) {
    json_key(j, "snapshot_id");
    json_id(j, m->snapshot_id);
    json_key(j, "parent_snapshot_id");
    json_id(j, m->parent_snapshot_id);
    json_key(j, "sequence_number");
    json_maybe_i64(j, m->sequence_number >= 0, m->sequence_number);
    json_key(j, "operation");
    json_text(j, m->operation);
    const report_figure figures[] = {
        {"added_data_files", m->added_data_files},
        {"removed_data_files", m->removed_data_files},
        {"added_delete_files", m->added_delete_files},
        {"removed_delete_files", m->removed_delete_files},
        {"added_records", m->added_records},
        {"removed_records", m->removed_records},
        {"first_row_id", m->first_row_id},
        {"added_rows", m->added_rows},
        {"next_row_id", m->next_row_id},
        {"attempts", m->attempts},
    };
    report_figures_json(j, figures, sizeof figures / sizeof *figures);
    json_key(j, "conflicts");
    json_raw(j, m->conflicts_json[0] != '\0' ? m->conflicts_json : "[]");
    json_key(j, "wall_ms");
    json_i64(j, m->wall_ms);
    json_key(j, "dry_run");
    json_bool(j, m->dry_run != 0);
}

void report_commit_line(cli *c, const rowline_commit *commit) {
    json j = {&c->out, false};
    json_open(&j, '{');
    report_commit_json(&j, commit);
    json_close(&j, '}');
    out_char(&c->out, '\n');
}

static void put_attempts(cli *c, const rowline_commit *m) {
    if (m->attempts < 2)
        return;
    json_doc doc;
    int64_t others = json_count(json_parse(m->conflicts_json, strlen(m->conflicts_json), &doc));
    json_doc_free(&doc);
    out_printf(&c->out, ", attempt %d", m->attempts);
    if (others > 0)
        out_printf(&c->out, " (kept %s that came in between)", text_count(others, "commit").s);
}

void report_commit_text(cli *c, const rowline_commit *m) {
    if (m->dry_run) {
        out_str(&c->out, "dry run, nothing written\n");
    } else if (m->snapshot_id >= 0) {
        out_printf(&c->out, "  snapshot  %" PRId64 " %s", m->snapshot_id,
                   m->operation != NULL ? m->operation : "");
        put_attempts(c, m);
        out_char(&c->out, '\n');
    }
}

void report_digest_json(json *j, const rowline_digest *d) {
    json_open(j, '{');
    json_key(j, "rows");
    json_i64(j, d->rows);
    json_key(j, "rows_without_lineage");
    json_i64(j, d->rows_without_lineage);
    json_key(j, "row_id_sum");
    json_text(j, d->row_id_sum);
    json_key(j, "last_updated_sum");
    json_text(j, d->last_updated_sum);
    json_key(j, "product_sum");
    json_text(j, d->product_sum);
    json_key(j, "lineage_checksum");
    json_text(j, d->lineage_checksum);
    json_close(j, '}');
}

void report_ids_text(cli *c, const rowline_commit *m) {
    if (m->added_rows > 0 && m->first_row_id >= 0)
        out_printf(&c->out, "%sids %" PRId64 "..%" PRId64, text_dot(c->utf8), m->first_row_id,
                   m->first_row_id + m->added_rows - 1);
}
