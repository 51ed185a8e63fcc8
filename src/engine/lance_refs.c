/* SPDX-License-Identifier: Apache-2.0 */
/* main, branches and tags as rows. */
#include "engine/lance_about.h"
#include "engine/lance_history.h"

enum { ROWS_A_BATCH = 1024 };

static const rwl_field REF_FIELDS[] = {
    RWL_ABOUT_FIELD("name", RWL_TYPE_STRING),         RWL_ABOUT_FIELD("type", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("version", RWL_TYPE_LONG),        /* of a branch its newest */
    RWL_ABOUT_FIELD("branch", RWL_TYPE_STRING),       /* a tag's own, a branch's parent */
    RWL_ABOUT_FIELD("parent_version", RWL_TYPE_LONG), /* that a branch began at */
    RWL_ABOUT_FIELD("created", RWL_TYPE_TIMESTAMPTZ),
};
enum { REF_FIELD_COUNT = sizeof REF_FIELDS / sizeof *REF_FIELDS };

typedef struct refs_source {
    const rwl_env *env;
    rwl_lance_history history;
    size_t given;
} refs_source;

static void free_refs(void *ctx) {
    refs_source *r = ctx;
    rwl_lance_history_clear(&r->history);
    rwl_free(r->env, r);
}

static rwl_status add_ref(const rwl_lance_head *head, rwl_batch *batch, rwl_error *err) {
    const rwl_lance_ref *ref = head->ref;
    bool is_tag = ref != NULL && ref->is_tag;
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_text(&row, rwl_span_str(ref != NULL ? ref->name : "main"));
    rwl_about_text(&row, rwl_span_str(is_tag ? "TAG" : "BRANCH"));
    rwl_about_i64(&row, head->version >= 0, rwl_lance_version_bits(head->version, head->is_detached));
    rwl_about_text(&row,
                   ref != NULL ? rwl_span_str(rwl_lance_branch_name(ref->branch)) : rwl_span_of(NULL, 0));
    rwl_about_i64(&row, ref != NULL && !is_tag,
                  ref != NULL ? rwl_lance_version_bits(ref->version, ref->is_detached) : 0);
    rwl_about_timestamptz(&row, ref != NULL && ref->created_ms >= 0, ref != NULL ? ref->created_ms : 0);
    return rwl_about_end(&row);
}

static rwl_status next_refs(void *ctx, rwl_batch *batch, rwl_error *err) {
    refs_source *r = ctx;
    for (; batch->length < ROWS_A_BATCH && r->given < r->history.heads.len; r->given++)
        RWL_TRY(add_ref(&r->history.heads.items[r->given], batch, err));
    return RWL_OK;
}

rwl_status rwl_lance_about_refs(const rwl_table *table, rwl_op *op, struct ArrowArrayStream *out,
                                rwl_error *err) {
    refs_source *r = rwl_calloc(table->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->env = table->env;
    rwl_status st = rwl_lance_heads_read(table, op, &r->history, err);
    if (st != RWL_OK) {
        rwl_free(table->env, r);
        return st;
    }
    rwl_arrow_source source = {r, next_refs, free_refs};
    return rwl_arrow_stream_from(table->env, REF_FIELDS, REF_FIELD_COUNT, source, out, err);
}
