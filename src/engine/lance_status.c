/* SPDX-License-Identifier: Apache-2.0 */
/* Adding up what the manifests of a Lance dataset say. */
#include "engine/lance_status.h"

#include "engine/lance_about.h"
#include "engine/lance_history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A library, its version, and how many versions of the dataset it wrote. */
typedef struct writer {
    const char *name, *version; /* "" when the manifest does not say */
    int64_t count;
} writer;

typedef struct reading {
    const rwl_table *table;
    rwl_op *op;
    rwl_lance_status *out;
    RWL_VEC(writer) writers;
    RWL_VEC(const char *) unreadable; /* sentences about versions that can't be opened */
    const char *budget_text;          /* of the config; NULL: not there */
    int64_t budget;                   /* -1: it is no number */
    rwl_buf text;
} reading;

/* --- writers --- */

static rwl_status count_writer(reading *r, const rwl_lance_manifest *m, rwl_error *err) {
    size_t i = 0;
    while (i < r->writers.len && (strcmp(r->writers.items[i].name, m->writer_library) != 0 ||
                                  strcmp(r->writers.items[i].version, m->writer_version) != 0))
        i++;
    if (i == r->writers.len) {
        writer w = {rwl_arena_strdup(&r->out->arena, m->writer_library),
                    rwl_arena_strdup(&r->out->arena, m->writer_version), 0};
        if (w.name == NULL || w.version == NULL)
            return rwl_no_memory(err, 64);
        RWL_TRY(rwl_vec_push(&r->writers, r->op->env, w, err));
    }
    r->writers.items[i].count++;
    return RWL_OK;
}

/* An older version that can't be read is a caution: this one still can. */
static rwl_status count_entry(reading *r, const rwl_lance_entry *entry, rwl_error *err) {
    rwl_lance_manifest *m = NULL;
    rwl_error why;
    memset(&why, 0, sizeof why);
    RWL_TRY(rwl_op_check(r->op, err));
    rwl_status st = rwl_lance_manifest_open(r->table->store, r->op, entry->manifest, &m, &why);
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED || st == RWL_NOT_FOUND) {
        const char *text =
            rwl_arena_printf(&r->out->arena, "version %" PRIu64 " of %s can't be read: %s",
                             (uint64_t)rwl_lance_version_bits(entry->version, entry->is_detached),
                             rwl_lance_branch_name(entry->branch), why.message);
        return text != NULL ? rwl_vec_push(&r->unreadable, r->op->env, text, err) : rwl_no_memory(err, 512);
    }
    if (st != RWL_OK) {
        if (err != NULL)
            *err = why;
        return st;
    }
    if (r->out->first_version_ms == 0 || m->timestamp_ms < r->out->first_version_ms)
        r->out->first_version_ms = m->timestamp_ms;
    st = count_writer(r, m, err);
    rwl_lance_manifest_free(m);
    return st;
}

static rwl_status read_history(reading *r, rwl_error *err) {
    rwl_lance_history history;
    RWL_TRY(rwl_lance_history_read(r->table, r->op, false, &history, err));
    rwl_status st = RWL_OK;
    r->out->versions = (int64_t)history.entries.len;
    for (size_t i = history.entries.len; st == RWL_OK && i > 0; i--)
        st = count_entry(r, &history.entries.items[i - 1], err);
    rwl_lance_history_clear(&history);
    return st;
}

static void put_writers(const reading *r, rwl_doc *doc, const char *key) {
    rwl_doc_open(doc, key, '[');
    for (size_t i = 0; i < r->writers.len; i++) {
        const writer *w = &r->writers.items[i];
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_text(doc, "name", *w->name != '\0' ? w->name : NULL);
        rwl_doc_text(doc, "version", *w->version != '\0' ? w->version : NULL);
        rwl_doc_i64(doc, "snapshots", w->count);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

/* --- what spilling would do --- */

/* The text of a config key in the arena; NULL when it is not there. */
static rwl_status config_text(reading *r, const char *key, const char **out, rwl_error *err) {
    const rwl_lance_manifest *m = r->table->lance->manifest;
    *out = NULL;
    for (size_t i = 0; i < m->config_count; i++) {
        if (strcmp(m->config[i].key, key) != 0)
            continue;
        *out =
            rwl_arena_strndup(&r->out->arena, (const char *)m->config[i].value.data, m->config[i].value.len);
        return *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, m->config[i].value.len);
    }
    return RWL_OK;
}

static rwl_status read_budget(reading *r, rwl_error *err) {
    RWL_TRY(config_text(r, "lance.row_lineage.inline_max_bytes", &r->budget_text, err));
    r->budget = RWL_LANCE_INLINE_MAX_BYTES;
    if (r->budget_text == NULL)
        return RWL_OK;
    errno = 0;
    long long value = strtoll(r->budget_text, NULL, 10);
    bool digits = *r->budget_text != '\0' && r->budget_text[strspn(r->budget_text, "0123456789")] == '\0';
    r->budget = !digits ? -1 : errno != 0 ? INT64_MAX : value;
    return RWL_OK;
}

static bool would_spill(const reading *r, const rwl_lance_fragment *f, int s) {
    return r->budget >= 0 && f->arms[s].kind == RWL_LANCE_ARM_INLINE && f->arms[s].length > r->budget;
}

/* {"enabled", "inline_max_bytes", "sequences": [{"sequence", "fragments": [id…], "bytes"}…], "saved_bytes"} */
static rwl_status put_spilling(reading *r, rwl_doc *doc, rwl_error *err) {
    const rwl_lance_manifest *m = r->table->lance->manifest;
    const char *enabled;
    int64_t saved = 0;
    RWL_TRY(config_text(r, "lance.row_lineage.spill", &enabled, err));
    rwl_doc_open(doc, "spilling", '{');
    rwl_doc_bool(doc, "enabled", enabled != NULL && strcasecmp(enabled, "true") == 0);
    rwl_doc_maybe(doc, "inline_max_bytes", r->budget >= 0, r->budget);
    rwl_doc_open(doc, "sequences", '[');
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++) {
        int64_t bytes = 0;
        for (size_t i = 0; i < m->fragment_count; i++) {
            if (!would_spill(r, &m->fragments[i], s))
                continue;
            if (bytes == 0) {
                rwl_doc_open(doc, NULL, '{');
                rwl_doc_text(doc, "sequence", rwl_lance_sequence_name((rwl_lance_sequence)s));
                rwl_doc_open(doc, "fragments", '[');
            }
            rwl_doc_i64(doc, NULL, m->fragments[i].id);
            bytes += m->fragments[i].arms[s].length; /* within the sum of inline_bytes, which was checked */
        }
        if (bytes == 0)
            continue;
        rwl_doc_close(doc, ']');
        rwl_doc_i64(doc, "bytes", bytes);
        rwl_doc_close(doc, '}');
        saved += bytes;
    }
    rwl_doc_close(doc, ']');
    rwl_doc_i64(doc, "saved_bytes", saved);
    rwl_doc_close(doc, '}');
    return RWL_OK;
}

/* --- cautions --- */

static void put_cautions(const reading *r, rwl_doc *doc, const char *key) {
    int64_t external = 0, missing = r->out->figures.sequences[RWL_LANCE_ROW_IDS].absent_fragments;
    char text[320];
    rwl_doc_open(doc, key, '[');
    if (!rwl_lance_manifest_has_stable_ids(r->table->lance->manifest)) {
        rwl_doc_text(
            doc, NULL,
            "no stable row ids: _rowid is where a row lies, which compaction changes, and versions are "
            "not kept");
    } else if (missing > 0) {
        snprintf(text, sizeof text, "row ids of %" PRId64 " fragments are missing", missing);
        rwl_doc_text(doc, NULL, text);
    }
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        external += r->out->figures.sequences[s].external_fragments;
    if (external > 0) {
        snprintf(text, sizeof text,
                 "lineage of %" PRId64 " fragments is in external files, which are not supported", external);
        rwl_doc_text(doc, NULL, text);
    }
    if (r->budget < 0) {
        snprintf(
            text, sizeof text,
            "config lance.row_lineage.inline_max_bytes is '%.100s', which is no byte count: writers that may "
            "spill fail",
            r->budget_text);
        rwl_doc_text(doc, NULL, text);
    }
    for (size_t i = 0; i < r->unreadable.len; i++)
        rwl_doc_text(doc, NULL, r->unreadable.items[i]);
    rwl_doc_close(doc, ']');
}

/* --- all of it --- */

static int64_t inline_bytes(const rwl_lance_figures *f) {
    int64_t sum = 0;
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++)
        sum += f->sequences[s].inline_bytes; /* all of one manifest's bytes */
    return sum;
}

static void put_lineage(const reading *r, rwl_doc *doc) {
    const rwl_lance_manifest *m = r->table->lance->manifest;
    const rwl_lance_figures *f = &r->out->figures;
    bool stable = rwl_lance_manifest_has_stable_ids(m);
    rwl_doc_open(doc, "lineage", '{');
    rwl_doc_bool(doc, "complete", stable && f->rows_without_ids == 0);
    rwl_doc_i64(doc, "rows_without_lineage", f->rows_without_ids);
    rwl_doc_maybe(doc, "next_row_id", stable, m->next_row_id);
    rwl_doc_i64(doc, "inline_bytes", inline_bytes(f));
    rwl_doc_i64(doc, "manifest_bytes", m->size);
    rwl_lance_figures_put(f, doc, "sequences");
    rwl_doc_close(doc, '}');
}

static rwl_status put_details(reading *r, rwl_doc *doc, rwl_error *err) {
    const rwl_lance_manifest *m = r->table->lance->manifest;
    const rwl_lance_figures *f = &r->out->figures;
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_text(doc, "format", "lance");
    rwl_lance_version_put(m->version, m->is_detached, doc, "version");
    rwl_doc_text(doc, "branch", rwl_lance_branch_name(r->table->lance->branch));
    rwl_doc_text(doc, "data_format", *m->data_format != '\0' ? m->data_format : NULL);
    rwl_doc_i64(doc, "rows", f->physical_rows - f->deleted_rows);
    rwl_doc_i64(doc, "deleted_rows", f->deleted_rows);
    rwl_doc_i64(doc, "fragments", (int64_t)m->fragment_count);
    rwl_doc_i64(doc, "data_files", f->data_files);
    rwl_doc_i64(doc, "bytes", f->bytes);
    rwl_doc_i64(doc, "small_files", f->small_files);
    rwl_doc_i64(doc, "delete_files", f->deletion_files);
    put_lineage(r, doc);
    RWL_TRY(put_spilling(r, doc, err));
    rwl_lance_flags_put(m->reader_flags, doc, "reader_flags");
    rwl_lance_flags_put(m->writer_flags, doc, "writer_flags");
    rwl_doc_i64(doc, "snapshots", r->out->versions);
    put_writers(r, doc, "writers");
    rwl_doc_open(doc, "due", '[');
    rwl_doc_close(doc, ']');
    put_cautions(r, doc, "cautions");
    rwl_doc_close(doc, '}');
    return doc->st;
}

typedef enum text_kind { TEXT_WRITERS, TEXT_CAUTIONS, TEXT_DETAILS } text_kind;

static rwl_status make_text(reading *r, text_kind kind, const char **out, rwl_error *err) {
    rwl_buf_reset(&r->text);
    rwl_doc doc = {.out = &r->text, .err = err, .st = RWL_OK};
    if (kind == TEXT_WRITERS)
        put_writers(r, &doc, NULL);
    else if (kind == TEXT_CAUTIONS)
        put_cautions(r, &doc, NULL);
    else
        RWL_TRY(put_details(r, &doc, err));
    RWL_TRY(doc.st);
    *out = rwl_arena_strndup(&r->out->arena, (const char *)r->text.data, r->text.len);
    return *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, r->text.len + 1);
}

static rwl_status read_all(reading *r, rwl_error *err) {
    const unsigned all = RWL_LANCE_FIGURES_ROWS | RWL_LANCE_FIGURES_FILES | RWL_LANCE_FIGURES_SPILLED;
    RWL_TRY(rwl_lance_figures_read(r->table, r->op, all, &r->out->figures, err));
    RWL_TRY(read_budget(r, err));
    RWL_TRY(read_history(r, err));
    RWL_TRY(make_text(r, TEXT_WRITERS, &r->out->writers, err));
    RWL_TRY(make_text(r, TEXT_CAUTIONS, &r->out->cautions, err));
    return make_text(r, TEXT_DETAILS, &r->out->details, err);
}

rwl_status rwl_lance_status_read(const rwl_table *table, rwl_op *op, rwl_lance_status *out, rwl_error *err) {
    reading r;
    memset(&r, 0, sizeof r);
    memset(out, 0, sizeof *out);
    rwl_arena_init(&out->arena, op->env, 0);
    r.table = table;
    r.op = op;
    r.out = out;
    rwl_buf_init(&r.text, op->env, SIZE_MAX);
    rwl_status st = read_all(&r, err);
    rwl_vec_clear(&r.writers, op->env);
    rwl_vec_clear(&r.unreadable, op->env);
    rwl_buf_clear(&r.text);
    if (st != RWL_OK)
        rwl_lance_status_clear(out);
    return st;
}

void rwl_lance_status_clear(rwl_lance_status *status) {
    rwl_arena_clear(&status->arena);
    memset(status, 0, sizeof *status);
}
