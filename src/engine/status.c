/* SPDX-License-Identifier: Apache-2.0 */
/* Adding up what the manifests say of live files. */
#include "engine/status_internal.h"

#include "base/map.h"
#include "engine/entry_walk.h"
#include "engine/rewrite_plan.h"
#include "iceberg/delete_index.h"

#include <strings.h>

typedef struct reading {
    const rwl_table *table;
    rwl_op *op;
    rwl_table_status *out;
    rwl_status_facts facts;
    rwl_rewrite_rules rules; /* those of a rewrite without options */
    rwl_map small;           /* partitions that have a small file */
    rwl_buf key, text;
} reading;

/* --- data files --- */

static rwl_status add_to(int64_t *sum, int64_t value, rwl_error *err) {
    if (__builtin_add_overflow(*sum, value, sum))
        return rwl_fail(err, RWL_CORRUPT, "the counts of the live files are beyond 64 bits");
    return RWL_OK;
}

/* Rows of a fragment that are deleted for sure. */
static int64_t count_deleted(rwl_table_status *s, const rwl_fragment *f) {
    int64_t most = 0, scoped = 0;
    for (int32_t i = 0; i < f->delete_count; i++) {
        const rwl_delete_ref *d = &f->deletes[i];
        if (!d->file_scoped || d->kind == RWL_DELETE_EQUALITY) {
            s->is_exact = false;
            continue;
        }
        scoped++;
        most = d->row_count > most ? d->row_count : most;
    }
    if (scoped > 1)
        s->is_exact = false; /* two files may name the same position */
    return most < f->row_count ? most : f->row_count;
}

static rwl_status add_small(reading *r, const rwl_fragment *f, rwl_error *err) {
    r->out->small_files++;
    RWL_TRY(add_to(&r->out->small_bytes, f->file_size, err));
    rwl_buf_reset(&r->key);
    RWL_TRY(rwl_partition_key(f->spec_id, f->partition, f->partition_count, &r->key, err));
    rwl_map_value *found;
    return rwl_map_put(&r->small, rwl_buf_span(&r->key), &found, NULL, err);
}

static rwl_status add_fragment(reading *r, const rwl_fragment *f, rwl_error *err) {
    rwl_table_status *s = r->out;
    int64_t deleted = count_deleted(s, f);
    s->data_files++;
    RWL_TRY(add_to(&s->bytes, f->file_size, err));
    RWL_TRY(add_to(&r->facts.records, f->row_count, err));
    s->deleted_rows += deleted;
    s->rows += f->row_count - deleted;
    r->facts.has_lineage = r->facts.has_lineage || f->lineage.has_first_row_id;
    if (!f->lineage.has_first_row_id) {
        s->lineage_complete = false;
        s->rows_without_lineage += f->row_count - deleted;
    }
    r->facts.avro_files += strcasecmp(f->format, "avro") == 0;
    r->facts.other_files += strcasecmp(f->format, "avro") != 0 && strcasecmp(f->format, "parquet") != 0;
    return f->file_size < r->rules.min_bytes ? add_small(r, f, err) : (rwl_status)RWL_OK;
}

static rwl_status read_fragments(reading *r, rwl_error *err) {
    rwl_driver driver = rwl_table_driver(r->table);
    rwl_planner *plan = NULL;
    RWL_TRY(rwl_table_plan(r->table, &driver, r->op, NULL, &plan, err));
    rwl_status st;
    const rwl_fragment *f = NULL;
    do {
        st = driver.vtable->plan_next(plan, &f, err);
        if (st == RWL_OK && f != NULL)
            st = add_fragment(r, f, err);
    } while (st == RWL_OK && f != NULL);
    driver.vtable->plan_close(plan);
    r->out->small_partitions = (int64_t)r->small.len;
    return st;
}

/* --- delete files --- */

static rwl_status read_deletes(reading *r, rwl_error *err) {
    rwl_entry_walk w;
    RWL_TRY(rwl_entry_walk_open(&w, r->table, r->op, r->table->snapshot, err));
    w.deletes_only = true;
    const rwl_manifest_entry *e = NULL;
    rwl_status st;
    while ((st = rwl_entry_walk_next(&w, &e, err)) == RWL_OK && e != NULL) {
        if (e->status == RWL_STATUS_DELETED)
            continue;
        bool equality = e->file.content == RWL_CONTENT_EQUALITY_DELETES;
        bool vector = !equality && strcasecmp(e->file.file_format, "puffin") == 0;
        r->out->delete_files++;
        r->out->equality_files += equality;
        r->out->vectors += vector;
        r->out->position_files += !equality && !vector;
    }
    rwl_entry_walk_clear(&w);
    return st;
}

/* --- what is due --- */

static rwl_status read_due(reading *r, rwl_error *err) {
    rwl_rewrite_plan plan;
    RWL_TRY(rwl_rewrite_plan_make(r->table, r->op, NULL, &r->rules, &plan, err));
    for (size_t i = 0; i < plan.group_count; i++) {
        r->out->due_files += (int64_t)plan.groups[i].fragment_count;
        r->out->due_bytes += plan.groups[i].bytes;
        r->out->due_expected_files += plan.groups[i].expected_files;
    }
    r->out->due_groups = (int64_t)plan.group_count;
    rwl_rewrite_plan_clear(&plan);
    r->out->assignment_due =
        r->table->metadata->format_version >= 3 && r->out->data_files > 0 && !r->facts.has_lineage;
    return RWL_OK;
}

static void put_due(const rwl_table_status *s, rwl_doc *doc) {
    if (s->due_groups > 0) {
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_text(doc, "what", "compact");
        rwl_doc_i64(doc, "groups", s->due_groups);
        rwl_doc_i64(doc, "files", s->due_files);
        rwl_doc_i64(doc, "bytes", s->due_bytes);
        rwl_doc_i64(doc, "expected_files", s->due_expected_files);
        rwl_doc_close(doc, '}');
    }
    if (s->assignment_due) {
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_text(doc, "what", "assign");
        rwl_doc_i64(doc, "files", s->data_files);
        rwl_doc_i64(doc, "rows", s->rows_without_lineage);
        rwl_doc_close(doc, '}');
    }
}

/* --- lists --- */

typedef enum list_kind { LIST_WRITERS, LIST_DUE, LIST_CAUTIONS } list_kind;

static rwl_status make_list(reading *r, list_kind kind, const char **out, rwl_error *err) {
    rwl_doc doc = {.out = &r->text, .err = err, .st = RWL_OK};
    rwl_buf_reset(&r->text);
    rwl_doc_open(&doc, NULL, '[');
    if (kind == LIST_WRITERS)
        RWL_TRY(rwl_status_put_writers(r->table->metadata, &r->facts, &doc, err));
    else if (kind == LIST_DUE)
        put_due(r->out, &doc);
    else
        RWL_TRY(rwl_status_put_cautions(r->table, r->op, r->out, &r->facts, &doc, err));
    rwl_doc_close(&doc, ']');
    RWL_TRY(doc.st);
    *out = rwl_arena_strndup(&r->out->arena, (const char *)r->text.data, r->text.len);
    return *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, r->text.len + 1);
}

static rwl_status read_all(reading *r, rwl_error *err) {
    RWL_TRY(rwl_rewrite_rules_default(r->table->metadata, 0, &r->rules, err));
    r->out->small_limit = r->rules.min_bytes;
    RWL_TRY(read_fragments(r, err));
    RWL_TRY(read_deletes(r, err));
    RWL_TRY(read_due(r, err));
    RWL_TRY(make_list(r, LIST_WRITERS, &r->out->writers, err));
    RWL_TRY(make_list(r, LIST_DUE, &r->out->due, err));
    return make_list(r, LIST_CAUTIONS, &r->out->cautions, err);
}

rwl_status rwl_table_status_read(const rwl_table *table, rwl_op *op, rwl_table_status *out, rwl_error *err) {
    reading r;
    memset(&r, 0, sizeof r);
    memset(out, 0, sizeof *out);
    out->is_exact = out->lineage_complete = true;
    rwl_arena_init(&out->arena, op->env, 0);
    r.table = table;
    r.op = op;
    r.out = out;
    rwl_map_init(&r.small, op->env);
    rwl_buf_init(&r.key, op->env, SIZE_MAX);
    rwl_buf_init(&r.text, op->env, SIZE_MAX);
    rwl_status st = read_all(&r, err);
    rwl_map_clear(&r.small);
    rwl_buf_clear(&r.key);
    rwl_buf_clear(&r.text);
    if (st != RWL_OK)
        rwl_table_status_clear(out);
    return st;
}

void rwl_table_status_clear(rwl_table_status *status) {
    rwl_arena_clear(&status->arena);
    memset(status, 0, sizeof *status);
}
