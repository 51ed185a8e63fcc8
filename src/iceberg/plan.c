/* SPDX-License-Identifier: Apache-2.0 */
/* Scan plans: deletes into memory first, then data files as they are streamed from their manifests. */
#include "iceberg/plan.h"

#include "iceberg/delete_index.h"
#include "iceberg/entry_stream.h"
#include "iceberg/filter_fields.h"

struct rwl_plan {
    const rwl_env *env;
    rwl_store *store;
    rwl_op *op;
    const rwl_metadata *metadata;
    rwl_arena arena; /* filter fields and the bound filter */
    rwl_manifest_list list;
    rwl_entry_stream *data;
    rwl_delete_index *deletes;
    rwl_plan_pruner pruner;
    rwl_entry_stream_stats delete_stats;
    int64_t files_read;
    rwl_fragment fragment;
};

/* --- opening --- */

static rwl_status bind_filter(rwl_plan *p, const rwl_plan_options *options, rwl_error *err) {
    p->pruner.metadata = p->metadata;
    if (options->filter == NULL)
        return RWL_OK;
    rwl_field *fields;
    const rwl_schema *schema = options->schema != NULL ? options->schema : p->metadata->schema;
    RWL_TRY(rwl_filter_fields(p->metadata, schema, &p->arena, &fields, NULL, &p->pruner.field_count, err));
    p->pruner.fields = fields;
    return rwl_expr_bind(options->filter, fields, p->pruner.field_count, &p->arena, &p->pruner.filter, err);
}

static rwl_status index_deletes(rwl_plan *p, rwl_entry_stream *deletes, rwl_error *err) {
    for (;;) {
        rwl_streamed_entry e;
        RWL_TRY(rwl_entry_stream_next(deletes, &e, err));
        if (e.entry == NULL)
            return RWL_OK;
        rwl_status st = rwl_delete_index_add(p->deletes, e.entry, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "manifest %s", e.manifest->path);
    }
}

/* Of the metrics the index needs the bounds of the paths that position deletes name. Entries are not pruned: what is
 * wrong with a delete of a manifest that was read must not go unseen. */
static rwl_status read_deletes(rwl_plan *p, rwl_error *err) {
    static const int32_t path = RWL_FIELD_ID_DELETE_PATH;
    const rwl_entry_stream_options options = {.manifests = p->list.items,
                                              .count = p->list.count,
                                              .content = 1,
                                              .wanted = {.bounds = true, .ids = &path, .id_count = 1},
                                              .keep_metrics = true,
                                              .prune = &p->pruner};
    rwl_entry_stream *deletes = NULL;
    RWL_TRY(rwl_entry_stream_open(p->store, p->op, p->metadata, &options, &deletes, err));
    rwl_status st = index_deletes(p, deletes, err);
    p->delete_stats = rwl_entry_stream_get_stats(deletes);
    rwl_entry_stream_close(deletes);
    return st == RWL_OK ? rwl_delete_index_finish(p->deletes, err) : st;
}

static rwl_status open_plan(rwl_plan *p, const rwl_plan_options *options, rwl_error *err) {
    RWL_TRY(bind_filter(p, options, err));
    RWL_TRY(rwl_delete_index_new(p->env, p->metadata, &p->deletes, err));
    if (options->snapshot != NULL)
        RWL_TRY(rwl_manifest_list_read(p->store, p->op, options->snapshot, &p->list, err));
    RWL_TRY(read_deletes(p, err));
    rwl_entry_stream_options data = {
        .manifests = p->list.items, .count = p->list.count, .content = 0, .prune = &p->pruner};
    RWL_TRY(rwl_plan_pruner_wanted(&p->pruner, &p->arena, &data.wanted, err));
    return rwl_entry_stream_open(p->store, p->op, p->metadata, &data, &p->data, err);
}

rwl_status rwl_plan_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                         const rwl_plan_options *options, rwl_plan **out, rwl_error *err) {
    *out = NULL;
    rwl_plan *p = rwl_calloc(op->env, 1, sizeof *p);
    if (p == NULL)
        return rwl_no_memory(err, sizeof *p);
    p->env = op->env;
    p->store = store;
    p->op = op;
    p->metadata = metadata;
    rwl_arena_init(&p->arena, p->env, 0);
    rwl_arena_init(&p->list.arena, p->env, 0);
    rwl_status st = open_plan(p, options, err);
    if (st != RWL_OK) {
        rwl_plan_close(p);
        return st;
    }
    *out = p;
    return RWL_OK;
}

void rwl_plan_close(rwl_plan *plan) {
    if (plan == NULL)
        return;
    rwl_entry_stream_close(plan->data);
    rwl_manifest_list_clear(&plan->list);
    rwl_delete_index_free(plan->deletes);
    rwl_arena_clear(&plan->arena);
    rwl_free(plan->env, plan);
}

rwl_plan_stats rwl_plan_get_stats(const rwl_plan *plan) {
    rwl_entry_stream_stats data = rwl_entry_stream_get_stats(plan->data);
    return (rwl_plan_stats){.manifests_read = plan->delete_stats.manifests_read + data.manifests_read,
                            .manifests_skipped =
                                plan->delete_stats.manifests_skipped + data.manifests_skipped,
                            .files_read = plan->files_read,
                            .files_skipped = data.entries_skipped};
}

/* --- fragments --- */

static rwl_status make_fragment(rwl_plan *p, const rwl_streamed_entry *e, rwl_error *err) {
    const rwl_data_file *f = &e->entry->file;
    if (f->key_metadata.data != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "data file %s is encrypted", f->file_path);
    rwl_fragment *out = &p->fragment;
    memset(out, 0, sizeof *out);
    out->location = f->file_path;
    out->format = f->file_format;
    out->file_size = f->file_size;
    out->row_count = f->record_count;
    out->file_sequence_number = e->entry->file_sequence_number;
    out->lineage.has_first_row_id = f->has_first_row_id;
    out->lineage.first_row_id = f->first_row_id;
    out->lineage.sequence_number = e->entry->sequence_number;
    out->spec_id = f->spec_id;
    out->partition = f->partition;
    out->partition_count = f->partition_count;
    out->sort_order_id = f->sort_order_id;
    out->must_match = e->must_match;
    return rwl_delete_index_find(p->deletes, e->entry, &out->deletes, &out->delete_count, err);
}

rwl_status rwl_plan_next(rwl_plan *plan, const rwl_fragment **out, rwl_error *err) {
    rwl_streamed_entry e;
    *out = NULL;
    RWL_TRY(rwl_entry_stream_next(plan->data, &e, err));
    if (e.entry == NULL)
        return RWL_OK;
    plan->files_read++;
    RWL_TRY(make_fragment(plan, &e, err));
    *out = &plan->fragment;
    return RWL_OK;
}
