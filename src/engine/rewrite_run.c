/* SPDX-License-Identifier: Apache-2.0 */
/* Groups as tasks: side by side, or one after another, each using the pool for itself. */
#include "engine/rewrite_internal.h"

#include "base/pool.h"

enum { DISTINCT_BYTES = 1 << 28 }; /* ids of one verification held at once, without a budget */

/* Several groups, and a budget that holds as many as there are threads. */
static bool runs_side_by_side(const rwl_rewrite_run *r) {
    return r->plan.group_count > 1 && r->parallel > 1 && r->parallel >= rwl_pool_threads(r->op->env->pool);
}

rwl_status rwl_rewrite_make_jobs(rwl_rewrite_run *r, rwl_error *err) {
    rwl_uuid id;
    RWL_TRY(rwl_uuid_new(r->op->env, &id, err));
    rwl_uuid_format(id.bytes, r->operation_id);
    r->jobs = rwl_arena_array(&r->arena, r->plan.group_count, sizeof *r->jobs);
    if (r->jobs == NULL)
        return rwl_no_memory(err, r->plan.group_count * sizeof *r->jobs);
    for (size_t i = 0; i < r->plan.group_count; i++) {
        r->jobs[i] = (rwl_group_job){.store = r->table->store,
                                     .op = r->op,
                                     .metadata = r->table->metadata,
                                     .deletes = r->table->deletes,
                                     .group = &r->plan.groups[i],
                                     .rules = &r->settings.rules,
                                     .operation_id = r->operation_id,
                                     .row_id_encoding = r->options->row_id_encoding,
                                     .verify_full = !r->options->verify_lineage_only,
                                     .sorting = r->sorting,
                                     .overlap = !runs_side_by_side(r),
                                     .rows_done = &r->rows_done,
                                     .rows_total = r->result->rows_in,
                                     .data_sequence_number = r->data_sequence_number,
                                     .deadline_ns = r->deadline_ns,
                                     .tamper = r->options->tamper,
                                     .tamper_ctx = r->options->tamper_ctx,
                                     .damage = r->options->damage,
                                     .damage_ctx = r->options->damage_ctx};
    }
    return RWL_OK;
}

static rwl_status run_jobs(rwl_rewrite_run *r, rwl_rewrite_part part, rwl_error *err) {
    rwl_group *group = NULL;
    rwl_pool *pool = runs_side_by_side(r) ? r->op->env->pool : NULL;
    RWL_TRY(rwl_group_new(pool, r->op, &group, err));
    rwl_status st = RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < part.count; i++)
        st = rwl_group_submit(group, rwl_group_job_run, &r->jobs[part.first + i], err);
    rwl_status waited = rwl_group_wait(group, st == RWL_OK ? err : NULL);
    rwl_group_free(group);
    return st != RWL_OK ? st : waited;
}

/* Law 1 over everything that the part wrote. */
static rwl_status check_distinct(rwl_rewrite_run *r, rwl_rewrite_part part, rwl_distinct *distinct,
                                 rwl_error *err) {
    rwl_verify_request *requests = rwl_arena_array(&r->arena, part.count, sizeof *requests);
    if (requests == NULL)
        return rwl_no_memory(err, part.count * sizeof *requests);
    size_t count = 0;
    for (size_t i = 0; i < part.count; i++)
        if (r->jobs[part.first + i].done)
            requests[count++] = rwl_group_job_request(&r->jobs[part.first + i]);
    return rwl_verify_distinct(r->op, requests, count, distinct, err);
}

rwl_status rwl_rewrite_run_part(rwl_rewrite_run *r, rwl_rewrite_part part, rwl_error *err) {
    rwl_distinct distinct;
    rwl_mutex lock;
    RWL_TRY(rwl_mutex_init(&lock, err));
    int64_t ceiling = r->op->memory_limit > 0 ? r->op->memory_limit / 4 : DISTINCT_BYTES;
    rwl_distinct_init(&distinct, r->op->env, 0, INT64_MAX, ceiling);
    for (size_t i = 0; i < part.count; i++) {
        r->jobs[part.first + i].distinct = &distinct;
        r->jobs[part.first + i].distinct_lock = &lock;
    }
    rwl_status st = run_jobs(r, part, err);
    if (st == RWL_OK)
        st = check_distinct(r, part, &distinct, err);
    rwl_distinct_clear(&distinct);
    rwl_mutex_clear(&lock);
    return st;
}

/* --- dry runs --- */

/* The lineage of a fragment's live rows, without their values. */
static rwl_status digest_fragment(const rwl_rewrite_run *r, const rwl_fragment *f, rwl_rows *rows,
                                  rwl_digest *out, rwl_error *err) {
    rwl_driver driver = rwl_table_driver(r->table);
    rwl_fragment_read_options options = {.lineage = RWL_LINEAGE_ALL};
    rwl_reader *reader = NULL;
    RWL_TRY(driver.vtable->read_open(&driver, r->op, f, &options, &reader, err));
    rwl_status st;
    do {
        st = driver.vtable->read_next(reader, rows, err);
        if (st == RWL_OK)
            st = rwl_digest_add(out, &rows->row_ids, &rows->versions, err);
    } while (st == RWL_OK && rows->batch.length > 0);
    driver.vtable->read_close(reader);
    return st;
}

static rwl_status digest_plan(const rwl_rewrite_run *r, rwl_digest *out, rwl_error *err) {
    rwl_rows rows;
    RWL_TRY(rwl_rows_init(&rows, r->op->env, NULL, 0, err));
    rwl_status st = RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < r->plan.group_count; i++)
        for (size_t f = 0; st == RWL_OK && f < r->plan.groups[i].fragment_count; f++)
            st = digest_fragment(r, &r->plan.groups[i].fragments[f], &rows, out, err);
    rwl_rows_clear(&rows);
    return st;
}

/* Deletes that would go with the file: those that name it alone, and others once it is the last one they apply to. */
static int64_t count_removed(const rwl_rewrite_run *r, const rwl_fragment *f) {
    int64_t count = 0;
    for (int32_t d = 0; d < f->delete_count; d++) {
        rwl_map_value *left = NULL;
        if (!f->deletes[d].file_scoped && f->deletes[d].kind == RWL_DELETE_POSITIONS)
            left = rwl_map_get_str(&r->plan.shared_deletes, f->deletes[d].location);
        count += f->deletes[d].file_scoped || (left != NULL && --left->i64 == 0);
    }
    return count;
}

rwl_status rwl_rewrite_forecast(const rwl_rewrite_run *r, rwl_error *err) {
    const rwl_rewrite_plan *plan = &r->plan;
    rwl_rewrite_result *out = r->result;
    rwl_change_result *change = &r->commit->result;
    for (size_t i = 0; i < plan->group_count; i++) {
        const rwl_rewrite_group *g = &plan->groups[i];
        change->removed_data_files += (int64_t)g->fragment_count;
        change->removed_records += g->rows;
        change->added_data_files += g->expected_files;
        for (size_t f = 0; f < g->fragment_count; f++)
            change->removed_delete_files += count_removed(r, &g->fragments[f]);
    }
    RWL_TRY(digest_plan(r, &out->before, err));
    out->after = out->before;
    out->rows_in = out->rows_out = change->added_records = out->before.rows;
    out->rows_without_lineage = out->before.rows_without_lineage;
    return RWL_OK;
}
