/* SPDX-License-Identifier: Apache-2.0 */
/* Ids first, then the plan, then its groups in as many parts as there may be commits. */
#include "engine/rewrite.h"

#include "engine/rewrite_internal.h"
#include "engine/row_filter.h"
#include "engine/upgrade.h"

#include <strings.h>

/* --- planning --- */

static rwl_status plan_files(rwl_rewrite_run *r, rwl_rewrite_plan *plan, rwl_error *err) {
    const rwl_expr *filter = NULL;
    if (r->options->where != NULL)
        RWL_TRY(rwl_filter_parse(r->options->where, &r->arena, &filter, err));
    return rwl_rewrite_plan_make(r->table, r->op, filter, &r->settings.rules, plan, err);
}

static rwl_status read_settings(rwl_rewrite_run *r, rwl_error *err) {
    return rwl_rewrite_settings_read(r->options, r->table->metadata, &r->arena, &r->settings, err);
}

/* What can't be read is refused before any work. */
static rwl_status check_inputs(const rwl_rewrite_group *g, rwl_error *err) {
    for (size_t i = 0; i < g->fragment_count; i++) {
        const rwl_fragment *f = &g->fragments[i];
        if (strcasecmp(f->format, "orc") == 0)
            return rwl_error_path(err,
                                  rwl_fail(err, RWL_UNSUPPORTED,
                                           "data file %s is of format %s, which can't be read yet",
                                           f->location, f->format),
                                  f->location);
    }
    return RWL_OK;
}

/* Groups that are executed and committed together, of so many. */
static size_t part_size(const rwl_rewrite_run *r, size_t groups) {
    size_t commits = (size_t)r->settings.max_commits;
    return groups / commits + (groups % commits != 0);
}

/* What is wrong with the request must show before ids are given out for it. */
static rwl_status check_request(rwl_rewrite_run *r, rwl_error *err) {
    rwl_rewrite_plan plan;
    memset(&plan, 0, sizeof plan);
    rwl_arena_init(&plan.arena, r->op->env, 0);
    rwl_status st = read_settings(r, err);
    if (st == RWL_OK)
        st = plan_files(r, &plan, err);
    for (size_t i = 0; st == RWL_OK && i < plan.group_count; i++)
        st = check_inputs(&plan.groups[i], err);
    if (st == RWL_OK && plan.group_count > 0)
        st = rwl_rewrite_divide_memory(r, part_size(r, plan.group_count), err);
    rwl_rewrite_plan_clear(&plan);
    return st;
}

/* Ids for a head that has none, in an empty append of its own (law 8), so that rows keep the numbers of their commits. */
static rwl_status assign_ids(rwl_rewrite_run *r, rwl_error *err) {
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

static rwl_status make_plan(rwl_rewrite_run *r, rwl_error *err) {
    RWL_TRY(plan_files(r, &r->plan, err));
    rwl_rewrite_result *out = r->result;
    out->planned_groups = out->groups = (int64_t)r->plan.group_count;
    out->complete = r->plan.complete;
    out->skipped_right_size = r->plan.skipped_right_size;
    out->skipped_too_few_files = r->plan.skipped_too_few_files;
    out->skipped_no_gain = r->plan.skipped_no_gain;
    out->skipped_filtered = r->plan.skipped_filtered;
    for (size_t i = 0; i < r->plan.group_count; i++) {
        const rwl_rewrite_group *g = &r->plan.groups[i];
        RWL_TRY(check_inputs(g, err));
        out->input_bytes += g->bytes;
        out->input_files += (int64_t)g->fragment_count;
        out->rows_in += g->rows - g->deleted_rows;
        if (r->options->each_group != NULL &&
            r->options->each_group(r->options->each_group_ctx, r->table->metadata, g) != 0)
            return rwl_fail(err, RWL_INTERRUPTED, "stopped by the caller");
    }
    if (r->table->snapshot != NULL) {
        r->planned_snapshot_id = r->table->snapshot->snapshot_id;
        r->data_sequence_number = r->table->snapshot->sequence_number;
    }
    return RWL_OK;
}

/* --- execution --- */

static void clear_part(rwl_rewrite_run *r, rwl_rewrite_part part) {
    for (size_t i = 0; i < part.count; i++)
        rwl_group_job_clear(&r->jobs[part.first + i]);
}

/* Executes and commits a part. One of several that is lost to another writer costs only its own groups. */
static rwl_status finish_part(rwl_rewrite_run *r, rwl_rewrite_part part, bool only, rwl_error *err) {
    rwl_error failure = {0};
    rwl_status st = rwl_rewrite_run_part(r, part, &failure);
    if (st == RWL_OK)
        st = rwl_rewrite_commit_part(r, part, &failure);
    for (size_t i = 0; i < part.count; i++)
        r->result->complete = r->result->complete && r->jobs[part.first + i].done;
    clear_part(r, part);
    if (st == RWL_CONFLICT && !only) {
        r->result->complete = false;
        rwl_log(r->op->env, RWL_LOG_WARN, "groups %lld to %lld are not committed: %s",
                (long long)r->plan.groups[part.first].number,
                (long long)r->plan.groups[part.first + part.count - 1].number, failure.message);
        if (++r->result->failed_commits <= r->settings.max_failed_commits)
            st = RWL_OK;
    } else if (st == RWL_OK && !only) {
        rwl_log(r->op->env, RWL_LOG_INFO, "groups up to %lld of %lld are committed: snapshot %lld",
                (long long)r->plan.groups[part.first + part.count - 1].number, (long long)r->plan.group_count,
                (long long)r->commit->result.snapshot_id);
    }
    if (st != RWL_OK && err != NULL)
        *err = failure;
    if (st != RWL_OK && r->result->commits > 0)
        return rwl_error_in(err, st, "after %lld commits, which stay", (long long)r->result->commits);
    return st;
}

/* Figures of the plan give way to those of what was done. */
static void forget_plan(rwl_rewrite_result *out) {
    out->groups = out->input_files = out->input_bytes = out->rows_in = 0;
}

static rwl_status execute(rwl_rewrite_run *r, rwl_error *err) {
    size_t groups = r->plan.group_count, each = part_size(r, groups);
    RWL_TRY(rwl_rewrite_make_jobs(r, err));
    forget_plan(r->result);
    for (size_t first = 0; first < groups; first += each) {
        rwl_rewrite_part part = {first, groups - first < each ? groups - first : each};
        RWL_TRY(finish_part(r, part, each >= groups, err));
    }
    if (r->result->commits == 0 && r->result->failed_commits > 0)
        return rwl_fail(err, RWL_CONFLICT,
                        "none of %lld commits succeeded: other writers changed their files",
                        (long long)r->result->failed_commits);
    return RWL_OK;
}

static rwl_status run(rwl_rewrite_run *r, rwl_error *err) {
    rwl_rewrite_options_note(r->options, r->op->env);
    RWL_TRY(assign_ids(r, err));
    RWL_TRY(read_settings(r, err));
    RWL_TRY(make_plan(r, err));
    rwl_change_nothing(r->table, r->commit);
    if (r->plan.group_count > 0) {
        rwl_data_files_tell_format(r->table->metadata, r->op->env);
        RWL_TRY(rwl_rewrite_divide_memory(r, part_size(r, r->plan.group_count), err));
    }
    r->result->sort_disk_bytes = rwl_rewrite_sort_disk(r);
    if (r->options->change.dry_run)
        return rwl_rewrite_forecast(r, err);
    if (r->plan.group_count > 0)
        RWL_TRY(execute(r, err));
    return r->settings.remove_dangling ? rwl_rewrite_remove_dangling(r, err) : RWL_OK;
}

rwl_status rwl_rewrite(rwl_table *table, rwl_op *op, const rwl_rewrite_options *options,
                       rwl_commit_outcome *commit, rwl_rewrite_result *result, rwl_error *err) {
    RWL_TRY(rwl_change_check_version(table->metadata, 2, "rewriting", err));
    memset(result, 0, sizeof *result);
    memset(commit, 0, sizeof *commit);
    rwl_rewrite_run r;
    memset(&r, 0, sizeof r);
    r.table = table;
    r.op = op;
    r.options = options;
    r.commit = commit;
    r.result = result;
    if (options->deadline_ms > 0 && options->deadline_ms < INT64_MAX / 2000000)
        r.deadline_ns = op->env->monotonic_ns(op->env->ctx) + options->deadline_ms * 1000000;
    rwl_arena_init(&r.arena, op->env, 0);
    rwl_arena_init(&r.plan.arena, op->env, 0);
    rwl_status st = run(&r, err);
    if (r.jobs != NULL)
        clear_part(&r, (rwl_rewrite_part){0, r.plan.group_count});
    rwl_rewrite_plan_clear(&r.plan);
    rwl_arena_clear(&r.arena);
    return st;
}
