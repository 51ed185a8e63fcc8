/* SPDX-License-Identifier: Apache-2.0 */
/* What state a table is in. */
#include "api/api_internal.h"

#include "engine/evidence.h"
#include "engine/status.h"

/* "spark 4.1.4"; NULL when the summary says nothing. */
static rwl_status name_engine(rowline_table *t, const rwl_snapshot *s, const char **out, rwl_error *err) {
    rwl_evidence e = rwl_evidence_of_summary(s);
    *out = NULL;
    if (e.kind == RWL_EVIDENCE_NONE)
        return RWL_OK;
    *out = rwl_arena_printf(&t->arena, "%.*s%s%.*s", (int)e.name.len, (const char *)e.name.data,
                            e.version.len > 0 ? " " : "", (int)e.version.len,
                            e.version.len > 0 ? (const char *)e.version.data : "");
    return *out != NULL ? RWL_OK : rwl_no_memory(err, e.name.len + e.version.len);
}

static rwl_status fill_history(rowline_table *t, rowline_table_figures *out, rwl_error *err) {
    const rwl_metadata *m = t->table->metadata;
    const rwl_snapshot *head = t->table->snapshot;
    out->format_version = m->format_version;
    out->metadata_version = t->table->version;
    out->snapshots = m->snapshot_count;
    for (int32_t i = 0; i < m->snapshot_count; i++)
        if (i == 0 || m->snapshots[i].timestamp_ms < out->first_snapshot_ms)
            out->first_snapshot_ms = m->snapshots[i].timestamp_ms;
    static const char *const catalogs[] = {[RWL_LAYOUT_VERSIONS] = "filesystem",
                                           [RWL_LAYOUT_FOREIGN] = "catalog, by path",
                                           [RWL_LAYOUT_FILE] = "metadata file"};
    out->catalog = catalogs[t->table->place.layout];
    if (head == NULL)
        return RWL_OK;
    out->last_commit_ms = head->timestamp_ms;
    return name_engine(t, head, &out->last_engine, err);
}

static void fill_counts(const rwl_table *t, const rwl_table_status *s, rowline_table_figures *out) {
    out->rows = s->rows;
    out->deleted_rows = s->deleted_rows;
    out->rows_exact = s->is_exact;
    out->data_files = s->data_files;
    out->bytes = s->bytes;
    out->small_files = s->small_files;
    out->small_bytes = s->small_bytes;
    out->small_partitions = s->small_partitions;
    out->small_limit = s->small_limit;
    out->delete_files = s->delete_files;
    out->deletion_vectors = s->vectors;
    out->position_delete_files = s->position_files;
    out->equality_delete_files = s->equality_files;
    out->lineage_complete = s->lineage_complete;
    out->rows_without_lineage = s->rows_without_lineage;
    out->next_row_id = t->metadata->format_version >= 3 ? t->metadata->next_row_id : -1;
}

static rwl_status keep_text(rowline_table *t, const char *text, const char **out, rwl_error *err) {
    *out = rwl_arena_strdup(&t->arena, text);
    return *out != NULL ? RWL_OK : rwl_no_memory(err, strlen(text) + 1);
}

static rwl_status fill(rowline_table *t, const rwl_table_status *s, rwl_error *err) {
    rowline_table_figures *out = &t->figures;
    out->format = "iceberg";
    fill_counts(t->table, s, out);
    RWL_TRY(keep_text(t, s->writers, &out->writers_json, err));
    RWL_TRY(keep_text(t, s->due, &out->due_json, err));
    RWL_TRY(keep_text(t, s->cautions, &out->cautions_json, err));
    return fill_history(t, out, err);
}

static rwl_status read_status(rowline_table *t, rwl_error *err) {
    rwl_table_status status;
    RWL_TRY(rwl_table_status_read(t->table, &t->context->op, &status, err));
    rwl_status st = fill(t, &status, err);
    rwl_table_status_clear(&status);
    return st;
}

static rwl_status read_once(rowline_table *t, rwl_error *err) {
    if (t->has_figures)
        return RWL_OK;
    RWL_TRY(t->table->lance != NULL ? rwl_api_status_lance(t, err) : read_status(t, err));
    t->has_figures = true;
    return RWL_OK;
}

rowline_status rowline_table_status(rowline_table *t, rowline_table_figures *figures, rowline_error *err) {
    RWL_TRY(rwl_table_check_metadata(t->table, err));
    rwl_mutex_lock(&t->filling);
    rwl_status st = read_once(t, err);
    rwl_mutex_unlock(&t->filling);
    if (st == RWL_OK)
        rwl_api_result(figures, &t->figures, sizeof t->figures);
    return st;
}
