/* SPDX-License-Identifier: Apache-2.0 */
/* Plan, run the groups as tasks, verify, one commit. */
#include "engine/rewrite.h"

#include "base/pool.h"
#include "base/uuid.h"
#include "base/vec.h"
#include "engine/budget.h"
#include "engine/row_filter.h"
#include "engine/sorter.h"
#include "engine/upgrade.h"

enum {
    DISTINCT_BYTES = 1 << 28, /* ids of one verification held at once, without a budget */
    SORT_BYTES = 1 << 26      /* with less to sort in, groups are sorted one after another */
};

typedef struct rewrite {
    rwl_table *table;
    rwl_op *op;
    const rwl_rewrite_options *options;
    rwl_rewrite_result *result;
    rwl_arena arena;
    rwl_sort_order order;
    rwl_rewrite_rules rules;
    rwl_rewrite_plan plan;
    rwl_group_job *jobs;
    rwl_distinct distinct;
    rwl_mutex distinct_lock;
    bool locked;                /* distinct_lock is initialised */
    int32_t parallel;           /* groups at once */
    rwl_sorter_options sorting; /* of each of them */
    atomic_llong rows_done;
    char operation_id[RWL_UUID_TEXT_LEN + 1];
    RWL_VEC(rwl_added_file) added;
    rwl_removals removals;
} rewrite;

/* --- rules --- */

static rwl_status check_rules(const rwl_rewrite_rules *r, rwl_error *err) {
    if (r->target_bytes <= 0)
        return rwl_fail(err, RWL_USAGE, "target file size %lld is not positive", (long long)r->target_bytes);
    if (r->min_bytes < 0 || r->min_bytes >= r->target_bytes)
        return rwl_fail(err, RWL_USAGE, "min file size %lld is not below target %lld",
                        (long long)r->min_bytes, (long long)r->target_bytes);
    if (r->max_bytes <= r->target_bytes)
        return rwl_fail(err, RWL_USAGE, "max file size %lld is not above target %lld",
                        (long long)r->max_bytes, (long long)r->target_bytes);
    if (r->min_input_files <= 0)
        return rwl_fail(err, RWL_USAGE, "min input files %d is not positive", r->min_input_files);
    if (!(r->delete_ratio > 0 && r->delete_ratio <= 1))
        return rwl_fail(err, RWL_USAGE, "delete ratio %g is not above 0 and at most 1", r->delete_ratio);
    if (r->delete_files < 0)
        return rwl_fail(err, RWL_USAGE, "delete files %lld is negative", (long long)r->delete_files);
    if (r->max_group_bytes <= 0)
        return rwl_fail(err, RWL_USAGE, "max group size %lld is not positive", (long long)r->max_group_bytes);
    return RWL_OK;
}

/* The order asked for: one of the table's when equal to it, else without an id. */
static rwl_status read_sort(rewrite *r, rwl_error *err) {
    const rwl_metadata *m = r->table->metadata;
    if (r->options->sort == NULL)
        return RWL_OK;
    RWL_TRY(rwl_sort_order_from_text(r->options->sort, m->schema, &r->arena, &r->order, err));
    if (r->order.field_count == 0)
        return rwl_fail(err, RWL_USAGE, "the sort order names no column");
    r->order.order_id = 0;
    for (int32_t i = 0; i < m->order_count; i++)
        if (rwl_sort_order_equal(&m->orders[i], &r->order))
            r->order.order_id = m->orders[i].order_id;
    r->rules.sort = &r->order;
    return RWL_OK;
}

static rwl_status read_rules(rewrite *r, rwl_error *err) {
    const rwl_rewrite_options *o = r->options;
    rwl_rewrite_rules *rules = &r->rules;
    rules->target_bytes = o->target_bytes;
    if (rules->target_bytes == 0)
        RWL_TRY(rwl_metadata_property_i64(r->table->metadata, "write.target-file-size-bytes",
                                          INT64_C(536870912), &rules->target_bytes, err));
    rules->min_bytes = o->min_bytes != 0 ? o->min_bytes : (int64_t)((double)rules->target_bytes * 0.75);
    rules->max_bytes = o->max_bytes != 0 ? o->max_bytes : (int64_t)((double)rules->target_bytes * 1.8);
    if (o->max_bytes == 0 && rules->max_bytes == rules->target_bytes)
        rules->max_bytes++; /* a target of one byte */
    rules->min_input_files = o->min_input_files != 0 ? o->min_input_files : 5;
    rules->delete_ratio = o->delete_ratio != 0 ? o->delete_ratio : 0.3;
    rules->delete_files = o->delete_files != 0 ? o->delete_files : INT32_MAX;
    rules->max_group_bytes = o->max_group_bytes != 0 ? o->max_group_bytes : INT64_C(100) << 30;
    rules->rewrite_all = o->rewrite_all;
    RWL_TRY(read_sort(r, err));
    return check_rules(rules, err);
}

/* --- memory --- */

static rwl_status fail_too_small(int64_t limit, int64_t needed, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "a memory budget of %lld MB is too small: this rewrite needs %lld MB",
                    (long long)(limit >> 20), (long long)(needed >> 20) + 1);
}

/* As many sorted groups at once as there are threads, when each has memory to sort in that makes it worth it. */
static rwl_status divide_sorting(rewrite *r, int32_t columns, rwl_error *err) {
    int64_t limit = r->op->memory_limit, least = rwl_sorter_least_memory(columns);
    if (rwl_budget_sort(limit, columns, 1) < least)
        return fail_too_small(limit, rwl_budget_sort_least(least, columns), err);
    if (rwl_budget_sort(limit, columns, r->parallel) < SORT_BYTES)
        r->parallel = 1;
    r->sorting.memory = rwl_budget_sort(limit, columns, r->parallel);
    return RWL_OK;
}

/* As many groups at once as there are threads and the budget holds; refuses a budget too small for one, before any
 * work. */
static rwl_status divide_memory(rewrite *r, size_t groups, rwl_error *err) {
    int32_t columns = r->table->metadata->schema->field_count + 2;
    int64_t limit = r->op->memory_limit, left = limit - rwl_budget_program(),
            least = rwl_budget_least(columns);
    r->parallel = rwl_pool_threads(r->op->env->pool);
    if (groups < (size_t)r->parallel)
        r->parallel = (int32_t)groups;
    r->sorting = (rwl_sorter_options){.batch_bytes = rwl_budget_sort_batch(limit, columns)};
    if (limit == 0)
        return RWL_OK;
    if (left < least)
        return fail_too_small(limit, least + rwl_budget_program(), err);
    if (r->rules.sort != NULL)
        return divide_sorting(r, columns, err);
    int64_t fit = left / rwl_budget_usual(limit, columns);
    if (fit < r->parallel)
        r->parallel = (int32_t)fit;
    return RWL_OK;
}

/* --- planning --- */

static rwl_status plan_files(rewrite *r, rwl_rewrite_plan *plan, rwl_error *err) {
    const rwl_expr *filter = NULL;
    if (r->options->where != NULL)
        RWL_TRY(rwl_filter_parse(r->options->where, &r->arena, &filter, err));
    return rwl_rewrite_plan_make(r->table, r->op, filter, &r->rules, plan, err);
}

/* What is wrong with the request must show before ids are given out for it. */
static rwl_status check_request(rewrite *r, rwl_error *err) {
    rwl_rewrite_plan plan;
    memset(&plan, 0, sizeof plan);
    rwl_arena_init(&plan.arena, r->op->env, 0);
    rwl_status st = read_rules(r, err);
    if (st == RWL_OK)
        st = plan_files(r, &plan, err);
    if (st == RWL_OK && plan.group_count > 0)
        st = divide_memory(r, plan.group_count, err);
    rwl_rewrite_plan_clear(&plan);
    return st;
}

/* Ids for a head that has none, in an empty append of its own (law 8), so that rows keep the numbers of their commits. */
static rwl_status assign_ids(rewrite *r, rwl_error *err) {
    r->result->assigned_snapshot_id = -1;
    bool unassigned;
    RWL_TRY(rwl_head_is_unassigned(r->table, r->op, &unassigned, err));
    if (unassigned && !r->options->change.dry_run)
        RWL_TRY(check_request(r, err));
    if (unassigned) {
        rwl_commit_outcome outcome;
        RWL_TRY(rwl_assign_head(r->table, r->op, &r->options->change, &outcome, err));
        r->result->assigned_snapshot_id = outcome.result.snapshot_id;
        r->result->assigned_rows = outcome.result.added_rows;
        r->result->next_row_id_before = outcome.result.next_row_id;
        if (r->options->change.dry_run)
            return RWL_OK;
        RWL_TRY(rwl_table_refresh(r->table, r->op, err));
    }
    r->result->next_row_id_before =
        r->table->metadata->format_version >= 3 ? r->table->metadata->next_row_id : -1;
    return RWL_OK;
}

static rwl_status make_plan(rewrite *r, rwl_error *err) {
    const rwl_table *t = r->table;
    RWL_TRY(plan_files(r, &r->plan, err));
    rwl_rewrite_result *out = r->result;
    out->groups = (int64_t)r->plan.group_count;
    out->skipped_right_size = r->plan.skipped_right_size;
    out->skipped_too_few_files = r->plan.skipped_too_few_files;
    out->skipped_no_gain = r->plan.skipped_no_gain;
    out->skipped_filtered = r->plan.skipped_filtered;
    for (size_t i = 0; i < r->plan.group_count; i++) {
        const rwl_rewrite_group *g = &r->plan.groups[i];
        out->input_bytes += g->bytes;
        out->input_files += (int64_t)g->fragment_count;
        out->rows_in += g->rows - g->deleted_rows;
        if (r->options->each_group != NULL &&
            r->options->each_group(r->options->each_group_ctx, t->metadata, g) != 0)
            return rwl_fail(err, RWL_INTERRUPTED, "stopped by the caller");
    }
    return RWL_OK;
}

/* --- execution --- */

/* Several groups, and a budget that holds as many as there are threads. */
static bool runs_side_by_side(const rewrite *r) {
    return r->plan.group_count > 1 && r->parallel > 1 && r->parallel >= rwl_pool_threads(r->op->env->pool);
}

static rwl_status make_jobs(rewrite *r, rwl_error *err) {
    rwl_uuid id;
    RWL_TRY(rwl_uuid_new(r->op->env, &id, err));
    rwl_uuid_format(id.bytes, r->operation_id);
    RWL_TRY(rwl_mutex_init(&r->distinct_lock, err));
    r->locked = true;
    int64_t ceiling = r->op->memory_limit > 0 ? r->op->memory_limit / 4 : DISTINCT_BYTES;
    rwl_distinct_init(&r->distinct, r->op->env, 0, INT64_MAX, ceiling);
    r->jobs = rwl_arena_array(&r->arena, r->plan.group_count, sizeof *r->jobs);
    if (r->jobs == NULL)
        return rwl_no_memory(err, r->plan.group_count * sizeof *r->jobs);
    for (size_t i = 0; i < r->plan.group_count; i++) {
        r->jobs[i] = (rwl_group_job){.store = r->table->store,
                                     .op = r->op,
                                     .metadata = r->table->metadata,
                                     .deletes = r->table->deletes,
                                     .group = &r->plan.groups[i],
                                     .rules = &r->rules,
                                     .operation_id = r->operation_id,
                                     .row_id_encoding = r->options->row_id_encoding,
                                     .verify_full = !r->options->verify_lineage_only,
                                     .sorting = r->sorting,
                                     .overlap = !runs_side_by_side(r),
                                     .rows_done = &r->rows_done,
                                     .rows_total = r->result->rows_in,
                                     .data_sequence_number = r->table->snapshot->sequence_number,
                                     .distinct = &r->distinct,
                                     .distinct_lock = &r->distinct_lock,
                                     .tamper = r->options->tamper,
                                     .tamper_ctx = r->options->tamper_ctx};
    }
    return RWL_OK;
}

/* Groups run side by side, else one after another, each using the pool for itself. */
static rwl_status run_jobs(rewrite *r, rwl_error *err) {
    rwl_group *group = NULL;
    rwl_pool *pool = runs_side_by_side(r) ? r->op->env->pool : NULL;
    RWL_TRY(rwl_group_new(pool, r->op, &group, err));
    rwl_status st = RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < r->plan.group_count; i++)
        st = rwl_group_submit(group, rwl_group_job_run, &r->jobs[i], err);
    rwl_status waited = rwl_group_wait(group, st == RWL_OK ? err : NULL);
    rwl_group_free(group);
    return st != RWL_OK ? st : waited;
}

/* Law 1 over everything that was written. */
static rwl_status check_distinct(rewrite *r, rwl_error *err) {
    rwl_verify_request *requests = rwl_arena_array(&r->arena, r->plan.group_count, sizeof *requests);
    if (requests == NULL)
        return rwl_no_memory(err, r->plan.group_count * sizeof *requests);
    for (size_t i = 0; i < r->plan.group_count; i++)
        requests[i] = rwl_group_job_request(&r->jobs[i]);
    return rwl_verify_distinct(r->op, requests, r->plan.group_count, &r->distinct, err);
}

/* --- commit --- */

static rwl_status collect_changes(rewrite *r, rwl_error *err) {
    rwl_row_sums before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    for (size_t i = 0; i < r->plan.group_count; i++) {
        const rwl_group_job *job = &r->jobs[i];
        size_t count;
        const rwl_added_file *files = rwl_data_files_list(job->files, &count);
        for (size_t f = 0; f < count; f++) {
            RWL_TRY(rwl_vec_push(&r->added, r->op->env, files[f], err));
            r->result->output_bytes += files[f].file_size;
        }
        for (size_t f = 0; f < job->group->fragment_count; f++)
            RWL_TRY(rwl_removals_add_file(&r->removals, r->op->env, &job->group->fragments[f], err));
        r->result->pages_copied += job->files->pages_copied;
        r->result->pages_encoded += job->files->pages_encoded;
        r->result->groups_stitched += job->stitched;
        RWL_TRY(rwl_row_sums_merge(&before, &job->before, err));
        RWL_TRY(rwl_row_sums_merge(&after, &job->after, err));
    }
    r->result->rows_in = before.conserve.rows;
    r->result->rows_out = after.conserve.rows;
    r->result->rows_without_lineage = before.conserve.rows_without_lineage;
    r->result->before = before.digest;
    r->result->after = after.digest;
    return RWL_OK;
}

static rwl_status commit_changes(rewrite *r, rwl_commit_outcome *commit, rwl_error *err) {
    const rwl_rewrite_options *o = r->options;
    rwl_change_set change = {
        .operation = RWL_OPERATION_REPLACE,
        .planned_snapshot_id = r->table->snapshot->snapshot_id,
        .data_sequence_number = r->table->snapshot->sequence_number,
        .pin = r->table->metadata->format_version >= 3 && !o->no_pin,
        .added_files = r->added.items,
        .added_file_count = r->added.len,
        .removed_files = r->removals.files.items,
        .removed_file_count = r->removals.files.len,
        .removed_deletes = r->removals.deletes.items,
        .removed_delete_count = r->removals.deletes.len,
        .summary_keys = o->change.summary_keys,
        .summary_values = o->change.summary_values,
        .summary_count = o->change.summary_count,
    };
    rwl_commit_request request = {.change = &change, .branch = r->table->branch};
    rwl_status st = rwl_commit(r->table, r->op, &request, commit, err);
    if (st == RWL_OK && commit->result.next_row_id >= 0) /* that of the state it was committed on */
        r->result->next_row_id_before = commit->result.next_row_id - commit->result.added_rows;
    if (st == RWL_OK || st == RWL_COMMIT_UNKNOWN)
        for (size_t i = 0; i < r->plan.group_count; i++)
            rwl_data_files_release(r->jobs[i].files);
    return st;
}

static rwl_status execute(rewrite *r, rwl_commit_outcome *commit, rwl_error *err) {
    RWL_TRY(make_jobs(r, err));
    RWL_TRY(run_jobs(r, err));
    RWL_TRY(check_distinct(r, err));
    RWL_TRY(collect_changes(r, err));
    return commit_changes(r, commit, err);
}

/* The lineage of a fragment's live rows, without their values. */
static rwl_status digest_fragment(const rewrite *r, const rwl_fragment *f, rwl_rows *rows, rwl_digest *out,
                                  rwl_error *err) {
    rwl_driver driver = rwl_table_driver(r->table);
    rwl_fragment_read_options options = {.lineage = true};
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

static rwl_status digest_plan(const rewrite *r, rwl_digest *out, rwl_error *err) {
    rwl_rows rows;
    RWL_TRY(rwl_rows_init(&rows, r->op->env, NULL, 0, err));
    rwl_status st = RWL_OK;
    for (size_t i = 0; st == RWL_OK && i < r->plan.group_count; i++)
        for (size_t f = 0; st == RWL_OK && f < r->plan.groups[i].fragment_count; f++)
            st = digest_fragment(r, &r->plan.groups[i].fragments[f], &rows, out, err);
    rwl_rows_clear(&rows);
    return st;
}

/* The figures a run would have: identities from the files, sizes as far as the plan knows them. */
static rwl_status forecast(const rewrite *r, rwl_commit_outcome *commit, rwl_error *err) {
    const rwl_rewrite_plan *plan = &r->plan;
    rwl_rewrite_result *out = r->result;
    for (size_t i = 0; i < plan->group_count; i++) {
        const rwl_rewrite_group *g = &plan->groups[i];
        commit->result.removed_data_files += (int64_t)g->fragment_count;
        commit->result.removed_records += g->rows;
        commit->result.added_data_files += g->expected_files;
        for (size_t f = 0; f < g->fragment_count; f++)
            for (int32_t d = 0; d < g->fragments[f].delete_count; d++)
                commit->result.removed_delete_files += g->fragments[f].deletes[d].file_scoped;
    }
    RWL_TRY(digest_plan(r, &out->before, err));
    out->after = out->before;
    out->rows_in = out->rows_out = commit->result.added_records = out->before.rows;
    out->rows_without_lineage = out->before.rows_without_lineage;
    return RWL_OK;
}

/* Bytes of a group's rows in memory, about: what is written of texts and nested values has shrunk to half, say. */
static int64_t bytes_to_sort(const rewrite *r, const rwl_rewrite_group *g) {
    const rwl_schema *schema = r->table->metadata->schema;
    int64_t bytes = (g->rows - g->deleted_rows) * rwl_sorter_row_bytes(schema->fields, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++)
        if (rwl_type_is_bytes(&schema->fields[i].type) || rwl_type_is_nested(&schema->fields[i].type))
            return bytes + 2 * g->bytes;
    return bytes;
}

/* Temporary files of the groups that are sorted at once. */
static int64_t disk_to_sort(const rewrite *r) {
    int64_t most = 0, all = 0;
    for (size_t i = 0; r->rules.sort != NULL && i < r->plan.group_count; i++) {
        int64_t disk = rwl_sorter_disk_bytes(bytes_to_sort(r, &r->plan.groups[i]), r->sorting.memory);
        most = disk > most ? disk : most;
        all += disk;
    }
    most *= r->parallel;
    return most < all ? most : all;
}

static rwl_status run(rewrite *r, rwl_commit_outcome *commit, rwl_error *err) {
    RWL_TRY(assign_ids(r, err));
    RWL_TRY(read_rules(r, err));
    RWL_TRY(make_plan(r, err));
    rwl_change_nothing(r->table, commit);
    if (r->plan.group_count > 0)
        RWL_TRY(divide_memory(r, r->plan.group_count, err));
    r->result->sort_disk_bytes = disk_to_sort(r);
    if (r->options->change.dry_run)
        RWL_TRY(forecast(r, commit, err));
    else if (r->plan.group_count > 0)
        RWL_TRY(execute(r, commit, err));
    return RWL_OK;
}

rwl_status rwl_rewrite(rwl_table *table, rwl_op *op, const rwl_rewrite_options *options,
                       rwl_commit_outcome *commit, rwl_rewrite_result *result, rwl_error *err) {
    RWL_TRY(rwl_change_check_version(table->metadata, 2, "rewriting", err));
    memset(result, 0, sizeof *result);
    rewrite r;
    memset(&r, 0, sizeof r);
    r.table = table;
    r.op = op;
    r.options = options;
    r.result = result;
    rwl_arena_init(&r.arena, op->env, 0);
    rwl_arena_init(&r.plan.arena, op->env, 0);
    rwl_status st = run(&r, commit, err);
    for (size_t i = 0; r.jobs != NULL && i < r.plan.group_count; i++)
        rwl_group_job_clear(&r.jobs[i]);
    if (r.locked) {
        rwl_distinct_clear(&r.distinct);
        rwl_mutex_clear(&r.distinct_lock);
    }
    rwl_vec_clear(&r.added, op->env);
    rwl_removals_clear(&r.removals, op->env);
    rwl_rewrite_plan_clear(&r.plan);
    rwl_arena_clear(&r.arena);
    return st;
}
