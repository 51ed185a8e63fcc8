/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming scan plans: deletes into memory first, then data manifests one after another. */
#include "iceberg/plan.h"

#include "iceberg/delete_index.h"
#include "iceberg/filter_fields.h"
#include "iceberg/plan_prune.h"

struct rwl_plan {
    const rwl_env *env;
    rwl_store *store;
    rwl_op *op;
    const rwl_metadata *metadata;
    rwl_arena arena; /* filter fields and the bound filter */
    rwl_manifest_list list;
    int32_t next_manifest;
    rwl_manifest_reader *reader; /* of the current data manifest */
    rwl_delete_index *deletes;
    rwl_plan_pruner pruner;
    rwl_plan_stats stats;
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

static bool has_no_live_files(const rwl_manifest *m) {
    return m->added_files == 0 && m->existing_files == 0;
}

static rwl_status read_deletes(rwl_plan *p, const rwl_manifest *m, rwl_error *err) {
    rwl_manifest_reader *reader = NULL;
    RWL_TRY(rwl_manifest_reader_open(p->store, p->op, p->metadata, m, &reader, err));
    p->stats.manifests_read++;
    rwl_status st = RWL_OK;
    for (;;) {
        const rwl_manifest_entry *e;
        st = rwl_manifest_reader_next(reader, &e, err);
        if (st != RWL_OK || e == NULL)
            break;
        if (e->status == RWL_STATUS_DELETED)
            continue;
        st = rwl_delete_index_add(p->deletes, e, err);
        if (st != RWL_OK) {
            st = rwl_error_in(err, st, "manifest %s", m->path);
            break;
        }
    }
    rwl_manifest_reader_close(reader);
    return st;
}

static rwl_status open_plan(rwl_plan *p, const rwl_plan_options *options, rwl_error *err) {
    RWL_TRY(bind_filter(p, options, err));
    RWL_TRY(rwl_delete_index_new(p->env, p->metadata, &p->deletes, err));
    if (options->snapshot != NULL)
        RWL_TRY(rwl_manifest_list_read(p->store, p->op, options->snapshot, &p->list, err));
    for (int32_t i = 0; i < p->list.count; i++)
        if (p->list.items[i].content == 1 && !has_no_live_files(&p->list.items[i]))
            RWL_TRY(read_deletes(p, &p->list.items[i], err));
    return rwl_delete_index_finish(p->deletes, err);
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
    rwl_manifest_reader_close(plan->reader);
    rwl_manifest_list_clear(&plan->list);
    rwl_delete_index_free(plan->deletes);
    rwl_arena_clear(&plan->arena);
    rwl_free(plan->env, plan);
}

rwl_plan_stats rwl_plan_get_stats(const rwl_plan *plan) {
    return plan->stats;
}

/* --- fragments --- */

static rwl_status make_fragment(rwl_plan *p, const rwl_manifest_entry *e, rwl_error *err) {
    const rwl_data_file *f = &e->file;
    if (f->key_metadata.data != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "data file %s is encrypted", f->file_path);
    rwl_fragment *out = &p->fragment;
    memset(out, 0, sizeof *out);
    out->location = f->file_path;
    out->format = f->file_format;
    out->file_size = f->file_size;
    out->row_count = f->record_count;
    out->file_sequence_number = e->file_sequence_number;
    out->lineage.has_first_row_id = f->has_first_row_id;
    out->lineage.first_row_id = f->first_row_id;
    out->lineage.sequence_number = e->sequence_number;
    out->spec_id = f->spec_id;
    out->partition = f->partition;
    out->partition_count = f->partition_count;
    out->sort_order_id = f->sort_order_id;
    out->must_match = rwl_plan_must_match_file(&p->pruner, e);
    return rwl_delete_index_find(p->deletes, e, &out->deletes, &out->delete_count, err);
}

/* The next data manifest that may hold selected rows; false at the end of the list. */
static rwl_status open_next_manifest(rwl_plan *p, bool *found, rwl_error *err) {
    *found = false;
    while (p->next_manifest < p->list.count) {
        const rwl_manifest *m = &p->list.items[p->next_manifest++];
        if (m->content != 0)
            continue;
        if (!rwl_plan_may_match_manifest(&p->pruner, m)) {
            p->stats.manifests_skipped++;
            continue;
        }
        RWL_TRY(rwl_manifest_reader_open(p->store, p->op, p->metadata, m, &p->reader, err));
        p->stats.manifests_read++;
        *found = true;
        return RWL_OK;
    }
    return RWL_OK;
}

static rwl_status next_in_manifest(rwl_plan *p, const rwl_fragment **out, rwl_error *err) {
    for (;;) {
        const rwl_manifest_entry *e;
        RWL_TRY(rwl_manifest_reader_next(p->reader, &e, err));
        if (e == NULL)
            return RWL_OK;
        if (e->status == RWL_STATUS_DELETED)
            continue;
        if (!rwl_plan_may_match_file(&p->pruner, e)) {
            p->stats.files_skipped++;
            continue;
        }
        p->stats.files_read++;
        RWL_TRY(make_fragment(p, e, err));
        *out = &p->fragment;
        return RWL_OK;
    }
}

rwl_status rwl_plan_next(rwl_plan *plan, const rwl_fragment **out, rwl_error *err) {
    *out = NULL;
    for (;;) {
        if (plan->reader == NULL) {
            bool found;
            RWL_TRY(open_next_manifest(plan, &found, err));
            if (!found)
                return RWL_OK;
        }
        RWL_TRY(next_in_manifest(plan, out, err));
        if (*out != NULL)
            return RWL_OK;
        rwl_manifest_reader_close(plan->reader);
        plan->reader = NULL;
    }
}
