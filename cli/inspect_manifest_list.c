/* SPDX-License-Identifier: Apache-2.0 */
/* Manifest lists: a row each manifest. */
#include "inspect.h"

#include <stdio.h>

enum { PATH, BYTES, WHAT, SPEC, SEQUENCE, MIN_SEQUENCE, SNAPSHOT, ADDED, EXISTING, DELETED, FIRST, CELLS };

static void format_counts(const json_node *m, const char *files_key, const char *rows_key, char out[64]) {
    short_text f = inspect_grouped(m, files_key), r = inspect_grouped(m, rows_key);
    snprintf(out, 64, "%.28s / %.28s", f.s, r.s);
}

static void put_line(inspect_table *t, const json_node *m) {
    char added[64], existing[64], deleted[64];
    format_counts(m, "added_files_count", "added_rows_count", added);
    format_counts(m, "existing_files_count", "existing_rows_count", existing);
    format_counts(m, "deleted_files_count", "deleted_rows_count", deleted);
    short_text bytes = inspect_bytes(m, "manifest_length");
    const char *cells[CELLS] = {
        [PATH] = inspect_cell(json_get(m, "manifest_path")),
        [BYTES] = bytes.s,
        [WHAT] = inspect_i64(m, "content") == 1 ? "deletes" : "data",
        [SPEC] = inspect_cell(json_get(m, "partition_spec_id")),
        [SEQUENCE] = inspect_cell(json_get(m, "sequence_number")),
        [MIN_SEQUENCE] = inspect_cell(json_get(m, "min_sequence_number")),
        [SNAPSHOT] = inspect_cell(json_get(m, "added_snapshot_id")),
        [ADDED] = added,
        [EXISTING] = existing,
        [DELETED] = deleted,
        [FIRST] = inspect_cell(json_get(m, "first_row_id")),
    };
    inspect_table_row(t, cells);
}

static rowline_status put_lines(cli *c, const json_node *manifests) {
    table_column columns[CELLS] = {
        [PATH] = {.name = "MANIFEST", .tail = true},
        [BYTES] = {.name = "BYTES", .right = true},
        [WHAT] = {.name = "CONTENT"},
        [SPEC] = {.name = "SPEC", .right = true},
        [SEQUENCE] = {.name = "SEQ", .right = true},
        [MIN_SEQUENCE] = {.name = "MIN SEQ", .right = true},
        [SNAPSHOT] = {.name = "ADDED BY", .keep = true},
        [ADDED] = {.name = "ADDED FILES / ROWS", .right = true},
        [EXISTING] = {.name = "EXISTING", .right = true},
        [DELETED] = {.name = "DELETED", .right = true},
        [FIRST] = {.name = "FIRST_ROW_ID", .right = true, .keep = true},
    };
    inspect_table t;
    inspect_table_open(&t, c, columns, CELLS);
    for (const json_node *m = manifests->first; m != NULL; m = m->next)
        if (inspect_table_wants(&t))
            put_line(&t, m);
    return inspect_table_close(&t);
}

rowline_status inspect_manifest_list(cli *c, const json_node *doc) {
    const json_node *manifests = json_get(doc, "manifests");
    inspect_head(c, doc, "manifest list");
    out_printf(&c->out, "%s%s\n", text_dot(c->utf8),
               text_count(inspect_i64(doc, "manifest_count"), "manifest").s);
    inspect_pairs(c, "header", json_get(json_get(doc, "avro"), "metadata"));
    if (json_count(manifests) == 0)
        return ROWLINE_OK;
    out_char(&c->out, '\n');
    return put_lines(c, manifests);
}
