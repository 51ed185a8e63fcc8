/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for the engine of a snapshot. */
#include "engine/evidence.h"

#include "engine/entry_walk.h"
#include "parquet/file.h"

#include <strings.h>

const char *rwl_evidence_text(rwl_evidence_kind kind) {
    static const char *const texts[] = {"none", "summary", "created_by"};
    return texts[kind];
}

/* The text up to the next space. */
static rwl_span first_word(const char *text) {
    return rwl_span_of(text, strcspn(text, " "));
}

static rwl_span span_or_null(const char *text) {
    return text != NULL ? rwl_span_str(text) : rwl_span_of(NULL, 0);
}

/* Keys that an engine leaves in summaries without naming itself; `whole` false: the beginning of one. */
static const struct {
    const char *key, *engine;
    bool whole;
} MARKS[] = {
    {"spark.app.id", "spark", true},
    {"flink.", "flink", false},
    {"trino_query_id", "trino", true},
    {"presto_query_id", "presto", true},
    {"kafka.connect.", "kafka-connect", false},
};

static const char *find_mark(const rwl_json *summary) {
    const char *key;
    rwl_json *value;
    for (size_t pos = 0; summary != NULL && rwl_json_next(summary, &pos, &key, &value);)
        for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
            if (MARKS[i].whole ? strcmp(key, MARKS[i].key) == 0
                               : strncmp(key, MARKS[i].key, strlen(MARKS[i].key)) == 0)
                return MARKS[i].engine;
    return NULL;
}

rwl_evidence rwl_evidence_of_summary(const rwl_snapshot *s) {
    static const char LIBRARY[] = "Apache Iceberg "; /* "Apache Iceberg 1.10.0 (commit …)" */
    rwl_evidence out = {.kind = RWL_EVIDENCE_SUMMARY};
    const char *version = rwl_json_str(rwl_json_get(s->summary, "engine-version"));
    const char *library = rwl_json_str(rwl_json_get(s->summary, "iceberg-version"));
    const char *name = rwl_json_str(rwl_json_get(s->summary, "engine-name"));
    if (name == NULL)
        name = find_mark(s->summary);
    out.name = span_or_null(name);
    out.version = span_or_null(version);
    if (name != NULL)
        return out;
    if (library == NULL)
        return (rwl_evidence){.kind = RWL_EVIDENCE_NONE};
    bool known = strncmp(library, LIBRARY, sizeof LIBRARY - 1) == 0;
    out.name = rwl_span_str(known ? "iceberg" : library);
    out.version = known ? first_word(library + sizeof LIBRARY - 1) : rwl_span_of(NULL, 0);
    return out;
}

rwl_evidence rwl_evidence_of_created_by(const char *created_by) {
    static const char SAYS[] = " version ";
    rwl_evidence out = {.kind = RWL_EVIDENCE_CREATED_BY};
    if (created_by == NULL || *created_by == '\0' || !rwl_utf8_valid(rwl_span_str(created_by)))
        return (rwl_evidence){.kind = RWL_EVIDENCE_NONE};
    const char *at = strstr(created_by, SAYS);
    if (at == NULL || at == created_by) {
        out.name = rwl_span_str(created_by);
        return out;
    }
    out.name = rwl_span_of(created_by, (size_t)(at - created_by));
    out.version = first_word(at + sizeof SAYS - 1);
    return out;
}

/* --- files --- */

static rwl_status read_created_by(const rwl_table *t, rwl_op *op, const rwl_data_file *file, rwl_arena *arena,
                                  rwl_evidence *out, rwl_error *err) {
    rwl_parquet_file *parquet = NULL;
    RWL_TRY(rwl_parquet_open(t->store, op, file->file_path, -1, &parquet, err));
    rwl_status st = RWL_OK;
    if (parquet->created_by != NULL) {
        const char *kept = rwl_arena_strdup(arena, parquet->created_by);
        if (kept == NULL)
            st = rwl_no_memory(err, strlen(parquet->created_by) + 1);
        else
            *out = rwl_evidence_of_created_by(kept);
    }
    rwl_parquet_close(parquet);
    return st;
}

/* Walks the manifests that the snapshot itself wrote, to the first Parquet file it added. */
static rwl_status find_file(rwl_entry_walk *w, const rwl_snapshot *s, rwl_arena *arena, rwl_evidence *out,
                            rwl_error *err) {
    int32_t kept = 0;
    for (int32_t i = 0; i < w->list.count; i++)
        if (w->list.items[i].added_snapshot_id == s->snapshot_id && w->list.items[i].added_files != 0)
            w->list.items[kept++] = w->list.items[i];
    w->list.count = kept;
    for (;;) {
        const rwl_manifest_entry *e;
        RWL_TRY(rwl_entry_walk_next(w, &e, err));
        if (e == NULL)
            return RWL_OK;
        if (e->status == RWL_STATUS_ADDED && e->snapshot_id == s->snapshot_id &&
            strcasecmp(e->file.file_format, "parquet") == 0)
            return read_created_by(w->table, w->op, &e->file, arena, out, err);
    }
}

rwl_status rwl_evidence_of_files(const rwl_table *table, rwl_op *op, const rwl_snapshot *snapshot,
                                 rwl_arena *arena, rwl_evidence *out, rwl_error *err) {
    rwl_entry_walk w;
    rwl_error why;
    memset(&why, 0, sizeof why);
    memset(out, 0, sizeof *out);
    rwl_status st = rwl_entry_walk_open(&w, table, op, snapshot, &why);
    if (st == RWL_OK) {
        st = find_file(&w, snapshot, arena, out, &why);
        rwl_entry_walk_clear(&w);
    }
    if (st != RWL_INTERRUPTED && st != RWL_NO_MEMORY)
        return RWL_OK; /* who made it is not known; that something is gone is for others to tell */
    if (err != NULL)
        *err = why;
    return st;
}
