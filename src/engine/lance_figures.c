/* SPDX-License-Identifier: Apache-2.0 */
/* Adding up fragments, and pages of the columns that carry lineage. */
#include "engine/lance_figures.h"

#include "engine/lance_history.h"
#include "lance/carrier.h"
#include "lance/deletions.h"
#include "lancefile/file.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct adding {
    const rwl_table *table;
    rwl_op *op;
    unsigned wanted; /* RWL_LANCE_FIGURES_… */
    rwl_arena arena; /* of one fragment */
    rwl_lance_figures *out;
} adding;

static rwl_status add_to(int64_t *sum, int64_t value, rwl_error *err) {
    if (__builtin_add_overflow(*sum, value, sum))
        return rwl_fail(err, RWL_CORRUPT, "the counts of the fragments are beyond 64 bits");
    return RWL_OK;
}

rwl_status rwl_lance_deleted_rows(const rwl_lance_dataset *dataset, rwl_op *op,
                                  const rwl_lance_fragment *fragment, int64_t *out, rwl_error *err) {
    *out = fragment->deletion.is_present ? fragment->deletion.deleted_rows : 0;
    if (!fragment->deletion.is_present || *out > 0)
        return RWL_OK;
    rwl_bitmap *deleted = NULL;
    RWL_TRY(rwl_lance_deletions_read(dataset, op, fragment, &deleted, err));
    if (deleted != NULL)
        *out = rwl_bitmap_count_range(deleted, 0, fragment->physical_rows);
    rwl_bitmap_free(deleted);
    return RWL_OK;
}

bool rwl_lance_live_rows(const rwl_lance_manifest *m, int64_t *out) {
    *out = 0;
    for (size_t i = 0; i < m->fragment_count; i++) {
        const rwl_lance_fragment *f = &m->fragments[i];
        if (!rwl_lance_fragment_tells_rows(f) || (f->deletion.is_present && f->deletion.deleted_rows <= 0))
            return false;
        int64_t live = f->physical_rows - (f->deletion.is_present ? f->deletion.deleted_rows : 0);
        if (__builtin_add_overflow(*out, live, out))
            return false;
    }
    return true;
}

/* --- files --- */

static rwl_status add_files(adding *a, const rwl_lance_fragment *f, rwl_error *err) {
    bool small = rwl_lance_fragment_tells_rows(f) && f->physical_rows < RWL_LANCE_SMALL_ROWS;
    for (int32_t i = 0; i < f->file_count; i++) {
        int64_t size = f->files[i].size;
        if (size <= 0) {
            const char *location;
            rwl_stat stat;
            RWL_TRY(rwl_lance_data_location(a->table->lance, &f->files[i], &a->arena, &location, err));
            RWL_TRY(rwl_store_stat(a->table->store, a->op, location, &stat, err));
            size = stat.size;
        }
        RWL_TRY(add_to(&a->out->bytes, size, err));
        if (small)
            a->out->small_bytes += size; /* within bytes */
    }
    a->out->data_files += f->file_count;
    a->out->small_files += small ? f->file_count : 0;
    return RWL_OK;
}

/* --- carriers --- */

static rwl_status add_pages(adding *a, rwl_lancefile *file, int32_t column, int64_t *sum, rwl_error *err) {
    const rwl_lance_column *c;
    RWL_TRY(rwl_lancefile_column(file, a->op, column, &c, err));
    for (int32_t i = 0; i < c->buffer_count; i++)
        RWL_TRY(add_to(sum, c->buffers[i].length, err));
    for (int32_t p = 0; p < c->page_count; p++)
        for (int32_t i = 0; i < c->pages[p].buffer_count; i++)
            RWL_TRY(add_to(sum, c->pages[p].buffers[i].length, err));
    return RWL_OK;
}

/* The bytes of the fragment's spilled sequences, whose carriers are held to the rules that hold when they are read. */
static rwl_status add_carriers(adding *a, const rwl_lance_fragment *f, rwl_error *err) {
    rwl_lance_fragment_files files;
    rwl_lance_carriers carriers;
    rwl_status st = RWL_OK;
    rwl_lance_fragment_files_init(&files, a->table->lance, a->op, f);
    rwl_lance_carriers_init(&carriers, &files);
    for (int s = 0; st == RWL_OK && s < RWL_LANCE_SEQUENCES; s++)
        if (f->arms[s].kind == RWL_LANCE_ARM_COLUMN)
            st = rwl_lance_carriers_add(&carriers, (rwl_lance_sequence)s, err);
    for (int32_t i = 0; i < carriers.count; i++) {
        const rwl_lance_carrier *c = &carriers.items[i];
        for (int32_t k = 0; st == RWL_OK && k < c->count; k++)
            st = add_pages(a, c->file, c->sources[k].column,
                           &a->out->sequences[c->sequences[k]].spilled_bytes, err);
    }
    rwl_lance_carriers_clear(&carriers);
    rwl_lance_fragment_files_clear(&files);
    return st;
}

static rwl_status add_arms(adding *a, const rwl_lance_fragment *f, rwl_error *err) {
    bool spilled = false;
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++) {
        rwl_lance_sequence_figures *q = &a->out->sequences[s];
        const rwl_lance_arm *arm = &f->arms[s];
        q->absent_fragments += arm->kind == RWL_LANCE_ARM_ABSENT;
        q->external_fragments += arm->kind == RWL_LANCE_ARM_EXTERNAL;
        q->spilled_fragments += arm->kind == RWL_LANCE_ARM_COLUMN;
        q->inline_fragments += arm->kind == RWL_LANCE_ARM_INLINE;
        spilled = spilled || arm->kind == RWL_LANCE_ARM_COLUMN;
        if (arm->kind == RWL_LANCE_ARM_INLINE)
            RWL_TRY(add_to(&q->inline_bytes, arm->length, err));
    }
    return spilled && (a->wanted & RWL_LANCE_FIGURES_SPILLED) != 0 ? add_carriers(a, f, err)
                                                                   : (rwl_status)RWL_OK;
}

static bool has_ids(const adding *a, const rwl_lance_fragment *f) {
    rwl_lance_arm_kind kind = f->arms[RWL_LANCE_ROW_IDS].kind;
    return rwl_lance_manifest_has_stable_ids(a->table->lance->manifest) &&
           (kind == RWL_LANCE_ARM_INLINE || kind == RWL_LANCE_ARM_COLUMN);
}

static rwl_status add_rows(adding *a, const rwl_lance_fragment *f, rwl_error *err) {
    int64_t deleted;
    if (!rwl_lance_fragment_tells_rows(f))
        return rwl_fail(err, RWL_UNSUPPORTED, "the manifest does not tell its number of rows");
    RWL_TRY(rwl_lance_deleted_rows(a->table->lance, a->op, f, &deleted, err));
    RWL_TRY(add_to(&a->out->physical_rows, f->physical_rows, err));
    RWL_TRY(add_to(&a->out->deleted_rows, deleted, err));
    if (!has_ids(a, f))
        RWL_TRY(add_to(&a->out->rows_without_ids, f->physical_rows - deleted, err));
    a->out->deletion_files += f->deletion.is_present;
    return RWL_OK;
}

static rwl_status add_fragment(adding *a, const rwl_lance_fragment *f, rwl_error *err) {
    RWL_TRY(rwl_op_check(a->op, err));
    rwl_arena_reset(&a->arena);
    if ((a->wanted & RWL_LANCE_FIGURES_ROWS) != 0)
        RWL_TRY(add_rows(a, f, err));
    if ((a->wanted & RWL_LANCE_FIGURES_FILES) != 0)
        RWL_TRY(add_files(a, f, err));
    return add_arms(a, f, err);
}

rwl_status rwl_lance_figures_read(const rwl_table *table, rwl_op *op, unsigned wanted, rwl_lance_figures *out,
                                  rwl_error *err) {
    adding a = {.table = table, .op = op, .wanted = wanted, .out = out};
    const rwl_lance_manifest *m = table->lance->manifest;
    memset(out, 0, sizeof *out);
    rwl_arena_init(&a.arena, table->env, 0);
    rwl_status st = RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < m->fragment_count; i++) {
        st = add_fragment(&a, &m->fragments[i], err);
        if (st != RWL_OK && (err == NULL || strncmp(err->message, "fragment ", 9) != 0))
            st = rwl_error_in(err, st, "fragment %" PRId64, m->fragments[i].id);
    }
    rwl_arena_clear(&a.arena);
    return st;
}

/* --- as JSON --- */

const char *rwl_lance_arm_name(rwl_lance_arm_kind kind) {
    static const char *const NAMES[] = {[RWL_LANCE_ARM_ABSENT] = "absent",
                                        [RWL_LANCE_ARM_INLINE] = "inline",
                                        [RWL_LANCE_ARM_COLUMN] = "spilled",
                                        [RWL_LANCE_ARM_EXTERNAL] = "external"};
    return NAMES[kind];
}

void rwl_lance_figures_put(const rwl_lance_figures *figures, rwl_doc *doc, const char *key) {
    rwl_doc_open(doc, key, '[');
    for (int s = 0; s < RWL_LANCE_SEQUENCES; s++) {
        const rwl_lance_sequence_figures *q = &figures->sequences[s];
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_text(doc, "sequence", rwl_lance_sequence_name((rwl_lance_sequence)s));
        rwl_doc_i64(doc, "inline_fragments", q->inline_fragments);
        rwl_doc_i64(doc, "inline_bytes", q->inline_bytes);
        rwl_doc_i64(doc, "spilled_fragments", q->spilled_fragments);
        rwl_doc_i64(doc, "spilled_bytes", q->spilled_bytes);
        rwl_doc_i64(doc, "absent_fragments", q->absent_fragments);
        if (q->external_fragments > 0)
            rwl_doc_i64(doc, "external_fragments", q->external_fragments);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

void rwl_lance_flags_put(uint64_t flags, rwl_doc *doc, const char *key) {
    char text[32];
    rwl_doc_open(doc, key, '{');
    snprintf(text, sizeof text, "%" PRIu64, flags);
    rwl_doc_raw(doc, "value", rwl_span_str(text));
    rwl_doc_open(doc, "names", '[');
    for (int bit = 0; bit < 64; bit++) {
        uint64_t one = (uint64_t)1 << bit;
        if ((flags & one) == 0)
            continue;
        const char *name = rwl_lance_flag_name(one);
        snprintf(text, sizeof text, "flag %" PRIu64, one);
        rwl_doc_text(doc, NULL, name != NULL ? name : text);
    }
    rwl_doc_close(doc, ']');
    rwl_doc_close(doc, '}');
}

static void put_ref(const rwl_lance_head *head, rwl_doc *doc) {
    const rwl_lance_ref *ref = head->ref;
    rwl_doc_open(doc, ref != NULL ? ref->name : "main", '{');
    rwl_doc_text(doc, "type", ref != NULL && ref->is_tag ? "tag" : "branch");
    if (head->version >= 0)
        rwl_lance_version_put(head->version, head->is_detached, doc, "version");
    else
        rwl_doc_maybe(doc, "version", false, 0);
    if (ref != NULL)
        rwl_doc_text(doc, ref->is_tag ? "branch" : "parent", rwl_lance_branch_name(ref->branch));
    if (ref != NULL && !ref->is_tag)
        rwl_lance_version_put(ref->version, ref->is_detached, doc, "parent_version");
    rwl_doc_close(doc, '}');
}

rwl_status rwl_lance_refs_put(const rwl_table *table, rwl_op *op, rwl_doc *doc, const char *key,
                              rwl_error *err) {
    rwl_lance_history history;
    RWL_TRY(rwl_lance_heads_read(table, op, &history, err));
    rwl_doc_open(doc, key, '{');
    for (size_t i = 0; i < history.heads.len; i++)
        put_ref(&history.heads.items[i], doc);
    rwl_doc_close(doc, '}');
    rwl_lance_history_clear(&history);
    return doc->st;
}

static void put_known(rwl_doc *doc, const char *key, const char *text) {
    rwl_doc_text(doc, key, *text != '\0' ? text : NULL);
}

void rwl_lance_bases_put(const rwl_lance_manifest *m, rwl_doc *doc) {
    rwl_doc_open(doc, "bases", '[');
    for (size_t i = 0; i < m->base_count; i++) {
        rwl_doc_open(doc, NULL, '{');
        rwl_doc_i64(doc, "id", m->bases[i].id);
        rwl_doc_text(doc, "name", m->bases[i].name);
        rwl_doc_text(doc, "path", m->bases[i].path);
        rwl_doc_bool(doc, "is_dataset_root", m->bases[i].is_dataset_root);
        rwl_doc_close(doc, '}');
    }
    rwl_doc_close(doc, ']');
}

void rwl_lance_writer_put(const rwl_lance_manifest *m, rwl_doc *doc, const char *key) {
    rwl_doc_open(doc, key, '{');
    put_known(doc, "library", m->writer_library);
    put_known(doc, "version", m->writer_version);
    rwl_doc_close(doc, '}');
}
