/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of Lance datasets. */
#include "api/api_internal.h"

#include "engine/lance_about.h"
#include "engine/lance_status.h"

#include <string.h>

/* Ends a text that was made with `st`: keeps it in the handle's arena and clears the buffer. */
static rwl_status keep_text(rowline_table *t, rwl_buf *text, rwl_status st, const char **out,
                            rwl_error *err) {
    if (st == RWL_OK) {
        *out = rwl_arena_strndup(&t->arena, (const char *)text->data, text->len);
        st = *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, text->len + 1);
    }
    rwl_buf_clear(text);
    return st;
}

static rwl_status describe_schema(rowline_table *t, rwl_error *err) {
    rwl_buf text;
    rwl_buf_init(&text, &t->context->env, SIZE_MAX);
    rwl_doc doc = {.out = &text, .err = err, .st = RWL_OK};
    rwl_lance_schema_put(t->table->lance->manifest, &doc, NULL);
    return keep_text(t, &text, doc.st, &t->info.schema_json, err);
}

static rwl_status describe_refs(rowline_table *t, rwl_error *err) {
    rwl_buf text;
    rwl_buf_init(&text, &t->context->env, SIZE_MAX);
    rwl_doc doc = {.out = &text, .err = err, .st = RWL_OK};
    rwl_status st = rwl_lance_refs_put(t->table, &t->context->op, &doc, NULL, err);
    return keep_text(t, &text, st, &t->info.refs_json, err);
}

static rwl_status describe_config(rowline_table *t, rwl_error *err) {
    const rwl_lance_manifest *m = t->table->lance->manifest;
    rwl_buf text;
    rwl_buf_init(&text, &t->context->env, SIZE_MAX);
    rwl_doc doc = {.out = &text, .err = err, .st = RWL_OK};
    rwl_lance_pairs_put(m->config, m->config_count, &doc, NULL);
    return keep_text(t, &text, doc.st, &t->info.properties_json, err);
}

static rwl_status find_head(rowline_table *t, int64_t *out, rwl_error *err) {
    rwl_arena scratch;
    rwl_lance_version *versions;
    size_t count = 0;
    rwl_arena_init(&scratch, &t->context->env, 0);
    rwl_status st = rwl_lance_versions(t->table->store, &t->context->op, t->table->lance->root, &scratch,
                                       &versions, &count, err);
    if (st == RWL_OK)
        *out = count > 0 ? versions[0].version : -1;
    rwl_arena_clear(&scratch);
    return st;
}

rwl_status rwl_api_describe_lance(rowline_table *t, rwl_error *err) {
    const rwl_lance_dataset *d = t->table->lance;
    const rwl_lance_manifest *m = d->manifest;
    rowline_table_info *info = &t->info;
    info->format = "lance";
    info->stable_row_ids = rwl_lance_manifest_has_stable_ids(m);
    info->next_row_id = info->stable_row_ids != 0 ? m->next_row_id : -1;
    info->last_sequence_number = rwl_lance_version_bits(m->version, m->is_detached);
    info->snapshot_id = info->last_sequence_number;
    info->location = d->root;
    info->metadata_location = m->location;
    RWL_TRY(find_head(t, &info->current_snapshot_id, err));
    RWL_TRY(describe_schema(t, err));
    RWL_TRY(describe_refs(t, err));
    return describe_config(t, err);
}

static rwl_status tell_once(rowline_table *t, rwl_error *err) {
    if (t->details != NULL)
        return RWL_OK;
    rwl_buf text;
    rwl_buf_init(&text, &t->context->env, SIZE_MAX);
    rwl_status st = rwl_lance_show(t->table, &t->context->op, &text, err);
    return keep_text(t, &text, st, &t->details, err);
}

rowline_status rowline_table_details(rowline_table *t, const char **json, rowline_error *err) {
    RWL_TRY(rwl_table_check_metadata(t->table, err));
    if (t->table->lance == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "details are of Lance datasets: describe tells what an Iceberg table is");
    rwl_mutex_lock(&t->filling);
    rwl_status st = tell_once(t, err);
    rwl_mutex_unlock(&t->filling);
    if (st == RWL_OK)
        *json = t->details;
    return st;
}

static void fill_figures(const rowline_table *t, const rwl_lance_status *s, rowline_table_figures *out) {
    const rwl_lance_manifest *m = t->table->lance->manifest;
    const rwl_lance_figures *f = &s->figures;
    bool stable = rwl_lance_manifest_has_stable_ids(m);
    out->format = "lance";
    out->rows = f->physical_rows - f->deleted_rows;
    out->deleted_rows = f->deleted_rows;
    out->rows_exact = 1;
    out->data_files = f->data_files;
    out->bytes = f->bytes;
    out->small_files = f->small_files;
    out->small_bytes = f->small_bytes;
    out->delete_files = out->deletion_vectors = f->deletion_files;
    out->lineage_complete = stable && f->rows_without_ids == 0;
    out->rows_without_lineage = f->rows_without_ids;
    out->next_row_id = stable ? m->next_row_id : -1;
    out->snapshots = s->versions;
    out->first_snapshot_ms = s->first_version_ms;
    out->last_commit_ms = m->timestamp_ms;
    out->metadata_version = rwl_lance_version_bits(m->version, m->is_detached);
    out->catalog = "filesystem";
    out->due_json = "[]";
}

static rwl_status fill_texts(rowline_table *t, const rwl_lance_status *s, rwl_error *err) {
    const rwl_lance_manifest *m = t->table->lance->manifest;
    rowline_table_figures *out = &t->figures;
    out->writers_json = rwl_arena_strdup(&t->arena, s->writers);
    out->cautions_json = rwl_arena_strdup(&t->arena, s->cautions);
    out->details_json = rwl_arena_strdup(&t->arena, s->details);
    if (*m->writer_library != '\0')
        out->last_engine = rwl_arena_printf(&t->arena, "%s%s%s", m->writer_library,
                                            *m->writer_version != '\0' ? " " : "", m->writer_version);
    bool made = out->writers_json != NULL && out->cautions_json != NULL && out->details_json != NULL &&
                (out->last_engine != NULL || *m->writer_library == '\0');
    return made ? (rwl_status)RWL_OK : rwl_no_memory(err, strlen(s->details));
}

rwl_status rwl_api_status_lance(rowline_table *t, rwl_error *err) {
    rwl_lance_status status;
    RWL_TRY(rwl_lance_status_read(t->table, &t->context->op, &status, err));
    fill_figures(t, &status, &t->figures);
    rwl_status st = fill_texts(t, &status, err);
    rwl_lance_status_clear(&status);
    return st;
}
