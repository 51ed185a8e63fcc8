/* SPDX-License-Identifier: Apache-2.0 */
/* The log: which snapshots a state has, and who made them. */
#include "engine/about_changes.h"
#include "engine/evidence.h"
#include "engine/lance_about.h"

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
enum { ROWS_A_BATCH = 64 }; /* few: an unsigned snapshot costs three reads, and rows should flow */

typedef struct log_source {
    const rwl_table *table;
    rwl_op *op;
    const rwl_snapshot **order; /* the snapshots to give */
    int32_t count, given;
    bool metadata;   /* changes too */
    bool has_change; /* `change` is the next one, else there is none any more */
    bool begun;      /* the first change was looked for */
    rwl_table_change change;
    rwl_changes_walk changes;
    rwl_arena arena; /* texts of footers, of one row */
    rwl_buf text;
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

/* {name, version, evidence} */
static void add_engine(rwl_about_row *row, log_source *log, const rwl_evidence *e) {
    rwl_doc doc = rwl_about_doc(row, &log->text);
    rwl_doc_open(&doc, NULL, '{');
    rwl_doc_span(&doc, "name", e->name);
    rwl_doc_span(&doc, "version", e->version);
    rwl_doc_text(&doc, "evidence", rwl_evidence_text(e->kind));
    rwl_doc_close(&doc, '}');
    rwl_about_json(row, &doc);
}

static void add_refs(rwl_about_row *row, log_source *log, const rwl_snapshot *s) {
    const rwl_metadata *m = log->table->metadata;
    rwl_doc doc = rwl_about_doc(row, &log->text);
    rwl_doc_open(&doc, NULL, '[');
    for (int32_t i = 0; s != NULL && i < m->ref_count; i++)
        if (m->refs[i].snapshot_id == s->snapshot_id)
            rwl_doc_text(&doc, NULL, m->refs[i].name);
    rwl_doc_close(&doc, ']');
    rwl_about_json(row, &doc);
}

static void add_summary(rwl_about_row *row, log_source *log, const rwl_json *summary) {
    rwl_doc doc = rwl_about_doc(row, &log->text);
    if (summary != NULL) {
        rwl_doc_json(&doc, NULL, summary);
    } else {
        rwl_doc_open(&doc, NULL, '{');
        rwl_doc_close(&doc, '}');
    }
    rwl_about_json(row, &doc);
}

static rwl_status add_snapshot(log_source *log, const rwl_snapshot *s, rwl_batch *batch, rwl_error *err) {
    rwl_evidence evidence = rwl_evidence_of_summary(s);
    rwl_arena_reset(&log->arena);
    if (evidence.kind == RWL_EVIDENCE_NONE)
        RWL_TRY(rwl_evidence_of_files(log->table, log->op, s, &log->arena, &evidence, err));
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_i64(&row, true, s->snapshot_id);
    rwl_about_i64(&row, s->parent_id >= 0, s->parent_id);
    rwl_about_i64(&row, true, s->sequence_number);
    rwl_about_i64(&row, true, s->timestamp_ms);
    rwl_about_text(&row, s->operation != NULL ? rwl_span_str(s->operation) : rwl_span_of(NULL, 0));
    rwl_about_i32(&row, s->schema_id >= 0, s->schema_id);
    rwl_about_i64(&row, s->has_first_row_id, s->first_row_id);
    rwl_about_i64(&row, s->has_first_row_id, s->added_rows);
    add_engine(&row, log, &evidence);
    add_refs(&row, log, s);
    add_summary(&row, log, s->summary);
    return rwl_about_end(&row);
}

/* A change without a snapshot: its kinds are the operation, its sentences the summary's "changes". */
static rwl_status add_change(log_source *log, const rwl_table_change *change, rwl_batch *batch,
                             rwl_error *err) {
    static const rwl_evidence none = {.kind = RWL_EVIDENCE_NONE};
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_i64(&row, false, 0);
    rwl_about_i64(&row, false, 0);
    rwl_about_i64(&row, false, 0);
    rwl_about_i64(&row, true, change->timestamp_ms);
    rwl_about_text(&row, rwl_span_str(change->kind));
    rwl_about_i32(&row, false, 0);
    rwl_about_i64(&row, false, 0);
    rwl_about_i64(&row, false, 0);
    add_engine(&row, log, &none);
    add_refs(&row, log, NULL);
    rwl_doc doc = rwl_about_doc(&row, &log->text);
    rwl_doc_open(&doc, NULL, '{');
    rwl_doc_text(&doc, "metadata-file", change->file);
    rwl_doc_raw(&doc, "changes", change->texts);
    rwl_doc_close(&doc, '}');
    rwl_about_json(&row, &doc);
    return rwl_about_end(&row);
}

static rwl_status next_change(log_source *log, rwl_error *err) {
    log->begun = true;
    return rwl_changes_walk_next(&log->changes, &log->change, &log->has_change, err);
}

static rwl_status next_rows(void *ctx, rwl_batch *batch, rwl_error *err) {
    log_source *log = ctx;
    if (log->metadata && !log->begun)
        RWL_TRY(next_change(log, err));
    while (batch->length < ROWS_A_BATCH) {
        RWL_TRY(rwl_op_check(log->op, err));
        const rwl_snapshot *s = log->given < log->count ? log->order[log->given] : NULL;
        if (log->has_change && (s == NULL || log->change.timestamp_ms >= s->timestamp_ms)) {
            RWL_TRY(add_change(log, &log->change, batch, err));
            RWL_TRY(next_change(log, err));
        } else if (s != NULL) {
            RWL_TRY(add_snapshot(log, s, batch, err));
            log->given++;
        } else {
            break;
        }
    }
    return RWL_OK;
}

static void free_log(void *ctx) {
    log_source *log = ctx;
    const rwl_env *env = log->op->env;
    rwl_changes_walk_clear(&log->changes);
    rwl_arena_clear(&log->arena);
    rwl_buf_clear(&log->text);
    rwl_free(env, log->order);
    rwl_free(env, log);
}

const rwl_field *rwl_about_log_fields(int32_t *count) {
    *count = LOG_FIELD_COUNT;
    return LOG_FIELDS;
}

rwl_status rwl_about_log(const rwl_table *table, rwl_op *op, const rwl_log_options *options,
                         struct ArrowArrayStream *out, rwl_error *err) {
    if (table->lance != NULL) /* nothing of it changes without a version */
        return rwl_lance_about_log(table, op, options->all, out, err);
    const rwl_metadata *m = table->metadata;
    size_t size = (size_t)(m->snapshot_count + 1) * sizeof(const rwl_snapshot *);
    log_source *log = rwl_calloc(op->env, 1, sizeof *log);
    const rwl_snapshot **order = rwl_alloc(op->env, size);
    if (log == NULL || order == NULL) {
        rwl_free(op->env, log);
        rwl_free(op->env, order);
        return rwl_no_memory(err, size);
    }
    log->table = table;
    log->op = op;
    log->order = order;
    log->metadata = options->metadata;
    rwl_changes_walk_open(&log->changes, table, op);
    rwl_arena_init(&log->arena, op->env, 0);
    rwl_buf_init(&log->text, op->env, SIZE_MAX);
    if (options->all) {
        for (int32_t i = 0; i < m->snapshot_count; i++)
            order[log->count++] = &m->snapshots[i];
        qsort(order, (size_t)log->count, sizeof *order, compare_newest_first);
    } else {
        list_ancestors(log);
    }
    rwl_arrow_source source = {log, next_rows, free_log};
    return rwl_arrow_stream_from(op->env, LOG_FIELDS, LOG_FIELD_COUNT, source, out, err);
}
