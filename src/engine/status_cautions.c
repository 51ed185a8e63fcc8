/* SPDX-License-Identifier: Apache-2.0 */
/* Who wrote the table, and what someone who works with it should know. */
#include "engine/status_internal.h"

#include "base/vec.h"
#include "catalog/folder.h"

#include <inttypes.h>
#include <stdio.h>

/* --- writers --- */

/* An engine and the number of its snapshots. */
typedef struct writer {
    rwl_evidence evidence;
    int64_t snapshots;
} writer;

/* In order of their first commit. */
typedef struct writer_list {
    RWL_VEC(writer) found;
    int32_t *by; /* the writer of each snapshot, -1 for unsigned ones */
    int64_t unsigned_count;
} writer_list;

static bool same_text(rwl_span a, rwl_span b) {
    return (a.data == NULL) == (b.data == NULL) && rwl_span_equal(a, b);
}

static rwl_status add_writer(writer_list *list, const rwl_metadata *m, int32_t snapshot, rwl_error *err) {
    rwl_evidence e = rwl_evidence_of_summary(&m->snapshots[snapshot]);
    list->by[snapshot] = -1;
    if (e.kind == RWL_EVIDENCE_NONE) {
        list->unsigned_count++;
        return RWL_OK;
    }
    size_t i = 0;
    while (i < list->found.len && !(same_text(list->found.items[i].evidence.name, e.name) &&
                                    same_text(list->found.items[i].evidence.version, e.version)))
        i++;
    if (i == list->found.len)
        RWL_TRY(rwl_vec_push(&list->found, m->env, ((writer){e, 0}), err));
    list->found.items[i].snapshots++;
    list->by[snapshot] = (int32_t)i;
    return RWL_OK;
}

static void put_unsigned(const rwl_metadata *m, const int32_t *by, int64_t count, rwl_doc *doc) {
    rwl_doc_open(doc, NULL, '{');
    rwl_doc_text(doc, "name", NULL);
    rwl_doc_text(doc, "version", NULL);
    rwl_doc_i64(doc, "snapshots", count);
    rwl_doc_open(doc, "snapshot_ids", '[');
    for (int32_t i = 0; i < m->snapshot_count; i++)
        if (by[i] < 0)
            rwl_doc_id(doc, NULL, m->snapshots[i].snapshot_id);
    rwl_doc_close(doc, ']');
    rwl_doc_close(doc, '}');
}

static void put_list(const rwl_metadata *m, const writer_list *list, rwl_status_facts *facts, rwl_doc *doc) {
    for (size_t i = 0; i < list->found.len; i++) {
        const writer *w = &list->found.items[i];
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_span(doc, "name", w->evidence.name);
        rwl_doc_span(doc, "version", w->evidence.version);
        rwl_doc_i64(doc, "snapshots", w->snapshots);
        rwl_doc_close(doc, '}');
        facts->other_writers |= !rwl_span_equal(w->evidence.name, rwl_span_str("rowline"));
    }
    facts->unsigned_writers = list->unsigned_count > 0;
    if (list->unsigned_count > 0)
        put_unsigned(m, list->by, list->unsigned_count, doc);
}

rwl_status rwl_status_put_writers(const rwl_metadata *m, rwl_status_facts *facts, rwl_doc *doc,
                                  rwl_error *err) {
    writer_list list;
    memset(&list, 0, sizeof list);
    list.by = rwl_calloc(m->env, (size_t)m->snapshot_count + 1, sizeof *list.by);
    if (list.by == NULL)
        return rwl_no_memory(err, (size_t)m->snapshot_count * sizeof *list.by);
    rwl_status st = RWL_OK;
    for (int32_t i = 0; st == RWL_OK && i < m->snapshot_count; i++)
        st = add_writer(&list, m, i, err);
    if (st == RWL_OK)
        put_list(m, &list, facts, doc);
    rwl_vec_clear(&list.found, m->env);
    rwl_free(m->env, list.by);
    return st;
}

/* --- cautions --- */

static void say(rwl_doc *doc, const char *format, ...) RWL_PRINTF(2, 3);
static void say(rwl_doc *doc, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rwl_doc_text(doc, NULL, text);
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static void put_deletes(const rwl_table_status *s, rwl_doc *doc) {
    if (!s->is_exact && s->equality_files > 0)
        say(doc, "%" PRId64 " equality delete file%s: rows is an upper bound until they are read",
            s->equality_files, plural(s->equality_files));
    else if (!s->is_exact)
        say(doc,
            "%" PRId64
            " position delete file%s, some of several data files or of one and the same: rows is an "
            "upper bound until they are read",
            s->position_files, plural(s->position_files));
}

static void put_formats(const rwl_status_facts *f, rwl_doc *doc) {
    if (f->other_files > 0)
        say(doc, "%" PRId64 " data file%s in a format that is not read: neither Parquet nor Avro",
            f->other_files, plural(f->other_files));
    if (f->avro_files > 0)
        say(doc, "%" PRId64 " Avro data file%s", f->avro_files, plural(f->avro_files));
}

static void put_transforms(const rwl_metadata *m, rwl_doc *doc) {
    for (int32_t i = 0; i < m->spec->field_count; i++) {
        const rwl_partition_field *f = &m->spec->fields[i];
        if (f->transform.kind == RWL_TRANSFORM_UNKNOWN)
            say(doc, "partition field %s has the unknown transform %s: nothing can be written with it",
                f->name, f->transform.text);
    }
}

static void put_lineage(const rwl_table *t, const rwl_table_status *s, const rwl_status_facts *f,
                        rwl_doc *doc) {
    const rwl_metadata *m = t->metadata;
    if (m->format_version < 3)
        return;
    if (f->has_lineage && !s->lineage_complete)
        say(doc,
            "some data files have no first_row_id beside others that have one: their rows have no identity");
    for (int32_t i = 0; i < m->ref_count; i++) {
        const rwl_snapshot *head = rwl_metadata_snapshot(m, m->refs[i].snapshot_id);
        if (!m->refs[i].is_tag && strcmp(m->refs[i].name, "main") != 0 && head != NULL &&
            !head->has_first_row_id)
            say(doc, "branch %s has a head without row ids: its rows read null", m->refs[i].name);
    }
}

/* A total that a summary claims against what the manifests have (cases.md, BUG-183). */
static void put_total(const rwl_snapshot *s, const char *key, int64_t counted, rwl_doc *doc) {
    const char *text = rwl_json_str(rwl_json_get(s->summary, key));
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_value v;
    rwl_error ignored;
    if (text == NULL)
        return;
    if (rwl_value_parse(&type, rwl_span_str(text), NULL, &v, &ignored) != RWL_OK || v.as.i64 != counted)
        say(doc, "the summary of snapshot %lld says %s %.40s, its manifests have %" PRId64,
            (long long)s->snapshot_id, key, text, counted);
}

static void put_summary(const rwl_table *t, const rwl_table_status *s, const rwl_status_facts *f,
                        rwl_doc *doc) {
    if (t->snapshot == NULL)
        return;
    put_total(t->snapshot, "total-records", f->records, doc);
    put_total(t->snapshot, "total-data-files", s->data_files, doc);
    put_total(t->snapshot, "total-delete-files", s->delete_files, doc);
}

/* --- the place --- */

static void put_writers_caution(const rwl_table *t, const rwl_status_facts *f, rwl_doc *doc) {
    if (t->place.layout == RWL_LAYOUT_VERSIONS && (f->other_writers || f->unsigned_writers))
        say(doc,
            "other engines write here too: their Hadoop catalogs may replace a commit that is made at the "
            "same moment");
}

static rwl_status put_hint(const rwl_table *t, rwl_op *op, rwl_doc *doc, rwl_error *err) {
    if (t->place.layout != RWL_LAYOUT_VERSIONS)
        return RWL_OK;
    rwl_arena scratch;
    rwl_arena_init(&scratch, t->env, 0);
    const char *folder = rwl_folder_join(&scratch, t->place.directory, "metadata");
    int64_t hint = -1;
    rwl_status st = folder != NULL ? rwl_folder_hint(t->store, op, folder, &scratch, &hint, err)
                                   : rwl_no_memory(err, strlen(t->place.directory));
    rwl_arena_clear(&scratch);
    RWL_TRY(st);
    if (hint >= 0 && hint < t->version)
        say(doc,
            "version-hint.text says %" PRId64 ", the newest version is %" PRId64
            ": readers that believe it see an old state",
            hint, t->version);
    return RWL_OK;
}

static rwl_status put_place(const rwl_table *t, rwl_doc *doc, rwl_error *err) {
    if (t->place.refusal != NULL)
        say(doc, "not changed here: %s", t->place.refusal);
    rwl_buf path;
    bool mapped = false;
    rwl_buf_init(&path, t->env, SIZE_MAX);
    rwl_status st = rwl_store_local_path(t->store, t->metadata->location, &path, &mapped, err);
    if (st == RWL_OK && mapped)
        say(doc, "moved: its metadata says %s, it lies at %s", t->metadata->location,
            (const char *)path.data);
    rwl_buf_clear(&path);
    return st;
}

rwl_status rwl_status_put_cautions(const rwl_table *t, rwl_op *op, const rwl_table_status *s,
                                   const rwl_status_facts *f, rwl_doc *doc, rwl_error *err) {
    put_deletes(s, doc);
    put_lineage(t, s, f, doc);
    put_formats(f, doc);
    put_transforms(t->metadata, doc);
    put_summary(t, s, f, doc);
    put_writers_caution(t, f, doc);
    RWL_TRY(put_hint(t, op, doc, err));
    return put_place(t, doc, err);
}
