/* SPDX-License-Identifier: Apache-2.0 */
/* Branches and tags as rows. */
#include "engine/lance_about.h"

enum { ROWS_A_BATCH = 1024 };

static const rwl_field REF_FIELDS[] = {
    RWL_ABOUT_FIELD("name", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("type", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("snapshot_id", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("max_reference_age_in_ms", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("min_snapshots_to_keep", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("max_snapshot_age_in_ms", RWL_TYPE_LONG),
};
enum { REF_FIELD_COUNT = sizeof REF_FIELDS / sizeof *REF_FIELDS };

typedef struct refs_source {
    const rwl_env *env;
    const rwl_metadata *metadata;
    int32_t given;
} refs_source;

static void free_refs(void *ctx) {
    refs_source *r = ctx;
    rwl_free(r->env, r);
}

static rwl_status next_refs(void *ctx, rwl_batch *batch, rwl_error *err) {
    refs_source *r = ctx;
    for (; batch->length < ROWS_A_BATCH && r->given < r->metadata->ref_count; r->given++) {
        const rwl_ref *ref = &r->metadata->refs[r->given];
        rwl_about_row row = {.batch = batch, .err = err};
        rwl_about_text(&row, rwl_span_str(ref->name));
        rwl_about_text(&row, rwl_span_str(ref->is_tag ? "TAG" : "BRANCH"));
        rwl_about_i64(&row, true, ref->snapshot_id);
        rwl_about_i64(&row, ref->max_ref_age_ms >= 0, ref->max_ref_age_ms);
        rwl_about_i64(&row, ref->min_snapshots_to_keep >= 0, ref->min_snapshots_to_keep);
        rwl_about_i64(&row, ref->max_snapshot_age_ms >= 0, ref->max_snapshot_age_ms);
        RWL_TRY(rwl_about_end(&row));
    }
    return RWL_OK;
}

rwl_status rwl_about_refs(const rwl_table *table, rwl_op *op, struct ArrowArrayStream *out, rwl_error *err) {
    if (table->lance != NULL)
        return rwl_lance_about_refs(table, op, out, err);
    refs_source *r = rwl_calloc(table->env, 1, sizeof *r);
    if (r == NULL)
        return rwl_no_memory(err, sizeof *r);
    r->env = table->env;
    r->metadata = table->metadata;
    rwl_arrow_source source = {r, next_refs, free_refs};
    return rwl_arrow_stream_from(table->env, REF_FIELDS, REF_FIELD_COUNT, source, out, err);
}
