/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a Lance dataset: a row a version, from the tails of manifests and their transactions. */
#include "engine/lance_about.h"
#include "engine/lance_figures.h"
#include "engine/lance_history.h"
#include "lance/transaction.h"

#include <stdio.h>

enum { ROWS_A_BATCH = 16 }; /* few: each is a manifest to read, and rows should flow */

typedef struct log_source {
    const rwl_table *table;
    rwl_op *op;
    rwl_lance_history history;
    size_t given;
    rwl_lance_manifest *next; /* of entry `given`, where it was opened already */
    rwl_arena arena;          /* of a row */
    rwl_buf text;
} log_source;

static void free_log(void *ctx) {
    log_source *log = ctx;
    const rwl_env *env = log->table->env;
    rwl_lance_manifest_free(log->next);
    rwl_lance_history_clear(&log->history);
    rwl_arena_clear(&log->arena);
    rwl_buf_clear(&log->text);
    rwl_free(env, log);
}

/* A version and the one before it, as far as it can be read. */
typedef struct version_pair {
    const rwl_lance_entry *entry;
    const rwl_lance_manifest *manifest;
    const rwl_lance_manifest *older;          /* NULL: none, or it can't be read, or it was cleaned up */
    int64_t parent;                           /* its version; 0: none, or not told */
    bool is_first;                            /* nothing was before it: version 1 */
    const rwl_lance_transaction *transaction; /* NULL: none, or it can't be read */
    const char *transaction_error;
} version_pair;

/* Ids the commit gave out: between the two marks, where both are known. */
static bool new_ids(const version_pair *v, int64_t *first, int64_t *count) {
    if (!rwl_lance_manifest_has_stable_ids(v->manifest) || (v->older == NULL && !v->is_first))
        return false;
    *first = v->older != NULL ? v->older->next_row_id : 0;
    return !__builtin_sub_overflow(v->manifest->next_row_id, *first, count) && *count >= 0;
}

static void add_engine(rwl_about_row *row, log_source *log, const rwl_lance_manifest *m) {
    rwl_doc doc = rwl_about_doc(row, &log->text);
    bool known = *m->writer_library != '\0';
    rwl_doc_open(&doc, NULL, '{');
    rwl_doc_text(&doc, "name", known ? m->writer_library : NULL);
    rwl_doc_text(&doc, "version", *m->writer_version != '\0' ? m->writer_version : NULL);
    rwl_doc_text(&doc, "evidence", known ? "manifest" : "none");
    rwl_doc_close(&doc, '}');
    rwl_about_json(row, &doc);
}

static void put_count(rwl_doc *doc, const char *key, int64_t count) {
    if (count >= 0)
        rwl_doc_i64(doc, key, count);
}

static void put_transaction(rwl_doc *doc, const rwl_lance_transaction *t) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)t->read_version);
    rwl_doc_raw(doc, "read_version", rwl_span_str(text));
    rwl_doc_text(doc, "uuid", t->uuid);
    put_count(doc, "added_fragments", t->added_fragments);
    put_count(doc, "removed_fragments", t->removed_fragments);
    put_count(doc, "updated_fragments", t->updated_fragments);
    if (t->predicate != NULL)
        rwl_doc_text(doc, "predicate", t->predicate);
    put_count(doc, "restored_version", t->restored_version);
    if (t->property_count > 0)
        rwl_lance_pairs_put(t->properties, t->property_count, doc, "properties");
}

static void put_totals(rwl_doc *doc, const version_pair *v) {
    int64_t rows, before = 0, files = 0;
    bool known = rwl_lance_live_rows(v->manifest, &rows);
    bool known_before = v->is_first || (v->older != NULL && rwl_lance_live_rows(v->older, &before));
    for (size_t i = 0; i < v->manifest->fragment_count; i++)
        files += v->manifest->fragments[i].file_count;
    rwl_doc_i64(doc, "fragments", (int64_t)v->manifest->fragment_count);
    rwl_doc_i64(doc, "data_files", files);
    rwl_doc_maybe(doc, "rows", known, rows);
    rwl_doc_maybe(doc, "rows_change", known && known_before, rows - before);
    rwl_doc_i64(doc, "manifest_bytes", v->manifest->size);
}

static void add_summary(rwl_about_row *row, log_source *log, const version_pair *v) {
    rwl_doc doc = rwl_about_doc(row, &log->text);
    rwl_doc_open(&doc, NULL, '{');
    rwl_doc_text(&doc, "branch", rwl_lance_branch_name(v->entry->branch));
    if (v->transaction != NULL)
        put_transaction(&doc, v->transaction);
    if (v->transaction_error != NULL)
        rwl_doc_text(&doc, "transaction_error", v->transaction_error);
    put_totals(&doc, v);
    rwl_doc_close(&doc, '}');
    rwl_about_json(row, &doc);
}

static rwl_status add_row(log_source *log, const version_pair *v, rwl_batch *batch, rwl_error *err) {
    rwl_about_row row = {.batch = batch, .err = err};
    int64_t first, count, version = rwl_lance_version_bits(v->entry->version, v->entry->is_detached);
    bool known = new_ids(v, &first, &count);
    const char *operation = v->transaction != NULL ? v->transaction->operation : NULL;
    rwl_about_i64(&row, true, version);
    rwl_about_i64(&row, v->parent > 0, v->parent);
    rwl_about_i64(&row, true, version);
    rwl_about_i64(&row, true, v->manifest->timestamp_ms);
    rwl_about_text(&row, operation != NULL ? rwl_span_str(operation) : rwl_span_of(NULL, 0));
    rwl_about_i32(&row, false, 0); /* schemas have no ids */
    rwl_about_i64(&row, known, known ? first : 0);
    rwl_about_i64(&row, known, known ? count : 0);
    add_engine(&row, log, v->manifest);
    rwl_doc refs = rwl_about_doc(&row, &log->text);
    rwl_lance_history_put_refs(&log->history, v->entry, &refs, NULL);
    rwl_about_json(&row, &refs);
    add_summary(&row, log, v);
    return rwl_about_end(&row);
}

/* A transaction that can't be read is told, not a reason to have no log. */
static rwl_status read_transaction(log_source *log, version_pair *v, rwl_lance_transaction *t,
                                   rwl_error *err) {
    rwl_error why;
    bool found = false;
    memset(&why, 0, sizeof why);
    rwl_status st = rwl_lance_transaction_read(log->table->store, log->op, v->manifest, v->entry->tree,
                                               &log->arena, t, &found, &why);
    if (st == RWL_OK) {
        v->transaction = found ? t : NULL;
        return RWL_OK;
    }
    if (st != RWL_CORRUPT && st != RWL_UNSUPPORTED) {
        if (err != NULL)
            *err = why;
        return st;
    }
    v->transaction_error = rwl_arena_strdup(&log->arena, why.message);
    return v->transaction_error != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, sizeof why.message);
}

static rwl_status open_entry(log_source *log, const rwl_lance_entry *entry, rwl_lance_manifest **out,
                             rwl_error *err) {
    return rwl_lance_manifest_open(log->table->store, log->op, entry->manifest, out, err);
}

static rwl_status add_version(log_source *log, rwl_batch *batch, rwl_error *err) {
    const rwl_lance_entry *entry = &log->history.entries.items[log->given];
    const rwl_lance_entry *before;
    int64_t parent = rwl_lance_history_before(&log->history, log->given, &before);
    rwl_lance_manifest *manifest = log->next, *older = NULL;
    rwl_lance_transaction transaction;
    log->next = NULL;
    rwl_arena_reset(&log->arena);
    if (manifest == NULL)
        RWL_TRY(open_entry(log, entry, &manifest, err));
    if (before != NULL && open_entry(log, before, &older, NULL) != RWL_OK)
        older = NULL; /* its own row fails */
    version_pair v = {.entry = entry,
                      .manifest = manifest,
                      .older = older,
                      .parent = parent,
                      .is_first = parent == 0 && entry->version == 1 && !entry->is_detached};
    rwl_status st = read_transaction(log, &v, &transaction, err);
    if (st == RWL_OK)
        st = add_row(log, &v, batch, err);
    rwl_lance_manifest_free(manifest);
    if (before == entry + 1)
        log->next = older;
    else
        rwl_lance_manifest_free(older);
    return st;
}

static rwl_status next_rows(void *ctx, rwl_batch *batch, rwl_error *err) {
    log_source *log = ctx;
    for (; batch->length < ROWS_A_BATCH && log->given < log->history.entries.len; log->given++) {
        RWL_TRY(rwl_op_check(log->op, err));
        RWL_TRY(add_version(log, batch, err));
    }
    return RWL_OK;
}

rwl_status rwl_lance_about_log(const rwl_table *table, rwl_op *op, bool all, struct ArrowArrayStream *out,
                               rwl_error *err) {
    log_source *log = rwl_calloc(table->env, 1, sizeof *log);
    if (log == NULL)
        return rwl_no_memory(err, sizeof *log);
    log->table = table;
    log->op = op;
    rwl_status st = rwl_lance_history_read(table, op, all, &log->history, err);
    if (st != RWL_OK) {
        rwl_free(table->env, log);
        return st;
    }
    rwl_arena_init(&log->arena, table->env, 0);
    rwl_buf_init(&log->text, table->env, SIZE_MAX);
    int32_t count;
    const rwl_field *fields = rwl_about_log_fields(&count);
    rwl_arrow_source source = {log, next_rows, free_log};
    return rwl_arrow_stream_from(table->env, fields, count, source, out, err);
}
