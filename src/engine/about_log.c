/* SPDX-License-Identifier: Apache-2.0 */
/* The log: which snapshots a state has, and who made them. */
#include "engine/about.h"

#include <stdlib.h>

static const rwl_field LOG_FIELDS[] = {
    RWL_ABOUT_FIELD("snapshot_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("parent_snapshot_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("sequence_number", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("timestamp_ms", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("operation", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("schema_id", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("first_row_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("added_rows", RWL_TYPE_LONG),
    RWL_ABOUT_JSON("engine"),
    RWL_ABOUT_JSON("refs"),
    RWL_ABOUT_JSON("summary"),
};
enum { LOG_FIELD_COUNT = sizeof LOG_FIELDS / sizeof *LOG_FIELDS };

typedef struct log_source {
    const rwl_table *table;
    const rwl_snapshot **order; /* the snapshots to give */
    int32_t count, given;
} log_source;

static int compare_newest_first(const void *a, const void *b) {
    const rwl_snapshot *x = *(const rwl_snapshot *const *)a, *y = *(const rwl_snapshot *const *)b;
    if (x->sequence_number != y->sequence_number)
        return x->sequence_number < y->sequence_number ? 1 : -1;
    return (x->timestamp_ms < y->timestamp_ms) - (x->timestamp_ms > y->timestamp_ms);
}

/* The state's ancestors; a cycle of parents ends when as many as there are were walked. */
static void list_ancestors(log_source *log) {
    const rwl_metadata *m = log->table->metadata;
    const rwl_snapshot *s = log->table->snapshot;
    while (s != NULL && log->count < m->snapshot_count) {
        log->order[log->count++] = s;
        s = s->parent_id >= 0 ? rwl_metadata_snapshot(m, s->parent_id) : NULL;
    }
}

static rwl_status set_or_null(rwl_json *object, const char *key, const char *text, rwl_error *err) {
    return rwl_json_set(object, key, text != NULL ? rwl_json_new_str(text) : rwl_json_new_null(), err);
}

/* {name, version, evidence} from the summary. */
static rwl_status engine_json(const rwl_snapshot *s, rwl_json *out, rwl_error *err) {
    const char *name = rwl_json_str(rwl_json_get(s->summary, "engine-name"));
    RWL_TRY(set_or_null(out, "name", name, err));
    RWL_TRY(set_or_null(out, "version", rwl_json_str(rwl_json_get(s->summary, "engine-version")), err));
    return set_or_null(out, "evidence", name != NULL ? "summary" : NULL, err);
}

static rwl_status refs_json(const rwl_metadata *m, const rwl_snapshot *s, rwl_json *out, rwl_error *err) {
    for (int32_t i = 0; i < m->ref_count; i++)
        if (m->refs[i].snapshot_id == s->snapshot_id)
            RWL_TRY(rwl_json_append(out, rwl_json_new_str(m->refs[i].name), err));
    return RWL_OK;
}

/* Adds a JSON cell and frees the value. */
static void json_cell(rwl_about_row *row, rwl_json *value, rwl_status made, rwl_buf *scratch) {
    rwl_buf_reset(scratch);
    if (row->st == RWL_OK)
        row->st = made;
    if (row->st == RWL_OK)
        row->st = rwl_json_dump(value, 0, scratch, row->err);
    rwl_about_text(row, rwl_buf_span(scratch));
    rwl_json_free(value);
}

static rwl_status add_snapshot(const rwl_metadata *m, const rwl_snapshot *s, rwl_batch *batch,
                               rwl_buf *scratch, rwl_error *err) {
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_i64(&row, true, s->snapshot_id);
    rwl_about_i64(&row, s->parent_id >= 0, s->parent_id);
    rwl_about_i64(&row, true, s->sequence_number);
    rwl_about_i64(&row, true, s->timestamp_ms);
    rwl_about_text(&row, s->operation != NULL ? rwl_span_str(s->operation) : rwl_span_of(NULL, 0));
    rwl_about_i32(&row, s->schema_id >= 0, s->schema_id);
    rwl_about_i64(&row, s->has_first_row_id, s->first_row_id);
    rwl_about_i64(&row, s->has_first_row_id, s->added_rows);
    rwl_json *engine = rwl_json_new_object();
    json_cell(&row, engine, engine != NULL ? engine_json(s, engine, err) : rwl_no_memory(err, 64), scratch);
    rwl_json *refs = rwl_json_new_array();
    json_cell(&row, refs, refs != NULL ? refs_json(m, s, refs, err) : rwl_no_memory(err, 64), scratch);
    rwl_json *summary = s->summary != NULL ? rwl_json_copy(s->summary) : rwl_json_new_object();
    json_cell(&row, summary, summary != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, 64), scratch);
    return rwl_about_end(&row);
}

static rwl_status next_snapshots(void *ctx, rwl_batch *batch, rwl_error *err) {
    log_source *log = ctx;
    rwl_buf scratch;
    rwl_buf_init(&scratch, log->table->env, SIZE_MAX);
    rwl_status st = RWL_OK;
    while (st == RWL_OK && log->given < log->count && batch->length < 4096)
        st = add_snapshot(log->table->metadata, log->order[log->given++], batch, &scratch, err);
    rwl_buf_clear(&scratch);
    return st;
}

static void free_log(void *ctx) {
    log_source *log = ctx;
    rwl_free(log->table->env, log->order);
    rwl_free(log->table->env, log);
}

rwl_status rwl_about_log(const rwl_table *table, bool all, struct ArrowArrayStream *out, rwl_error *err) {
    const rwl_metadata *m = table->metadata;
    size_t size = (size_t)(m->snapshot_count + 1) * sizeof(const rwl_snapshot *);
    log_source *log = rwl_calloc(table->env, 1, sizeof *log);
    const rwl_snapshot **order = rwl_alloc(table->env, size);
    if (log == NULL || order == NULL) {
        rwl_free(table->env, log);
        rwl_free(table->env, order);
        return rwl_no_memory(err, size);
    }
    log->table = table;
    log->order = order;
    if (all) {
        for (int32_t i = 0; i < m->snapshot_count; i++)
            order[log->count++] = &m->snapshots[i];
        qsort(order, (size_t)log->count, sizeof *order, compare_newest_first);
    } else {
        list_ancestors(log);
    }
    rwl_arrow_source source = {log, next_snapshots, free_log};
    return rwl_arrow_stream_from(table->env, LOG_FIELDS, LOG_FIELD_COUNT, source, out, err);
}
