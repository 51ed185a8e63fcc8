/* SPDX-License-Identifier: Apache-2.0 */
/* What the groups of a part have done becomes a change set, and its outcome part of the whole. */
#include "engine/rewrite_internal.h"

#include "base/vec.h"

typedef struct part_commit {
    rwl_rewrite_run *r;
    rwl_rewrite_part part;
    RWL_VEC(rwl_added_file) added;
    rwl_removals removals;
    rwl_map shared; /* deletes of several files: how many of theirs go here */
} part_commit;

static rwl_status collect_shared(part_commit *c, const rwl_fragment *f, rwl_error *err) {
    const rwl_map *all = &c->r->plan.shared_deletes;
    for (int32_t i = 0; i < f->delete_count; i++) {
        const rwl_delete_ref *d = &f->deletes[i];
        rwl_map_value *users;
        if (d->kind != RWL_DELETE_POSITIONS || d->file_scoped || rwl_map_get_str(all, d->location) == NULL)
            continue;
        RWL_TRY(rwl_map_put(&c->shared, rwl_span_str(d->location), &users, NULL, err));
        if (++users->i64 < rwl_map_get_str(all, d->location)->i64)
            continue;
        /* the last live file that it applies to */
        rwl_removed_delete gone = {.kind = d->kind, .location = d->location, .offset = -1};
        RWL_TRY(rwl_vec_push(&c->removals.deletes, c->r->op->env, gone, err));
    }
    return RWL_OK;
}

static rwl_status collect_job(part_commit *c, const rwl_group_job *job, rwl_error *err) {
    const rwl_env *env = c->r->op->env;
    size_t count;
    const rwl_added_file *files = rwl_data_files_list(job->files, &count);
    for (size_t f = 0; f < count; f++)
        RWL_TRY(rwl_vec_push(&c->added, env, files[f], err));
    for (size_t f = 0; f < job->group->fragment_count; f++) {
        RWL_TRY(rwl_removals_add_file(&c->removals, env, &job->group->fragments[f], err));
        RWL_TRY(collect_shared(c, &job->group->fragments[f], err));
    }
    return RWL_OK;
}

static rwl_status collect(part_commit *c, rwl_error *err) {
    for (size_t i = 0; i < c->part.count; i++) {
        const rwl_group_job *job = &c->r->jobs[c->part.first + i];
        if (job->done)
            RWL_TRY(collect_job(c, job, err));
    }
    return RWL_OK;
}

static rwl_status commit_changes(part_commit *c, rwl_commit_outcome *out, rwl_error *err) {
    const rwl_rewrite_run *r = c->r;
    const rwl_rewrite_options *o = r->options;
    rwl_change_set change = {
        .operation = RWL_OPERATION_REPLACE,
        .planned_snapshot_id = r->planned_snapshot_id,
        .data_sequence_number = r->settings.renumber ? -1 : r->data_sequence_number,
        .pin = r->table->metadata->format_version >= 3 && !o->no_pin,
        .added_files = c->added.items,
        .added_file_count = c->added.len,
        .removed_files = c->removals.files.items,
        .removed_file_count = c->removals.files.len,
        .removed_deletes = c->removals.deletes.items,
        .removed_delete_count = c->removals.deletes.len,
        .summary_keys = o->change.summary_keys,
        .summary_values = o->change.summary_values,
        .summary_count = o->change.summary_count,
    };
    rwl_commit_request request = {.change = &change, .branch = r->table->branch};
    if (r->result->commits > 0)
        request.known_snapshot_id = r->commit->result.snapshot_id;
    rwl_status st = rwl_commit(r->table, r->op, &request, out, err);
    for (size_t i = 0; (st == RWL_OK || st == RWL_COMMIT_UNKNOWN) && i < c->part.count; i++)
        if (r->jobs[c->part.first + i].done)
            rwl_data_files_release(r->jobs[c->part.first + i].files);
    return st;
}

/* --- figures --- */

static rwl_status add_figures(rwl_rewrite_run *r, const rwl_group_job *job, rwl_error *err) {
    rwl_rewrite_result *out = r->result;
    size_t count;
    const rwl_added_file *files = rwl_data_files_list(job->files, &count);
    for (size_t i = 0; i < count; i++)
        out->output_bytes += files[i].file_size;
    out->groups++;
    out->input_files += (int64_t)job->group->fragment_count;
    out->input_bytes += job->group->bytes;
    out->pages_copied += job->files->pages_copied;
    out->pages_encoded += job->files->pages_encoded;
    out->groups_stitched += job->stitched;
    RWL_TRY(rwl_row_sums_merge(&r->before, &job->before, err));
    return rwl_row_sums_merge(&r->after, &job->after, err);
}

static void add_conflict(rwl_commit_outcome *all, const rwl_conflict *one) {
    if (all->conflict_count == RWL_CONFLICTS_MAX)
        all->conflict_count--; /* the newest is the one that was not overcome */
    all->conflicts[all->conflict_count++] = *one;
}

void rwl_rewrite_add_outcome(rwl_rewrite_run *r, const rwl_commit_outcome *one) {
    rwl_commit_outcome *all = r->commit;
    const rwl_change_result *b = &one->result;
    if (r->result->commits++ == 0) {
        rwl_conflict lost[RWL_CONFLICTS_MAX];
        int32_t lost_count = all->conflict_count;
        memcpy(lost, all->conflicts, sizeof lost);
        *all = *one;
        for (int32_t i = 0; i < lost_count; i++)
            add_conflict(all, &lost[i]);
        if (b->next_row_id >= 0) /* that of the state it was committed on */
            r->result->next_row_id_before = b->next_row_id - b->added_rows;
        return;
    }
    rwl_change_result sum = *b, *a = &all->result;
    sum.first_row_id = a->first_row_id;
    sum.added_data_files += a->added_data_files;
    sum.removed_data_files += a->removed_data_files;
    sum.added_delete_files += a->added_delete_files;
    sum.removed_delete_files += a->removed_delete_files;
    sum.added_records += a->added_records;
    sum.removed_records += a->removed_records;
    sum.added_rows += a->added_rows > 0 ? a->added_rows : 0;
    *a = sum;
    all->attempts = one->attempts > all->attempts ? one->attempts : all->attempts;
    memcpy(all->commit_id, one->commit_id, sizeof all->commit_id);
    for (int32_t i = 0; i < one->conflict_count; i++)
        add_conflict(all, &one->conflicts[i]);
}

/* The part's groups and rows into the figures, once they are committed. */
static rwl_status add_part(part_commit *c, rwl_error *err) {
    rwl_rewrite_run *r = c->r;
    for (size_t i = 0; i < c->part.count; i++)
        if (r->jobs[c->part.first + i].done)
            RWL_TRY(add_figures(r, &r->jobs[c->part.first + i], err));
    /* what deletes of several files still apply to */
    for (size_t i = 0; i < c->shared.len; i++) {
        rwl_map_value *left = rwl_map_get(&r->plan.shared_deletes, rwl_map_key(&c->shared, i));
        if (left != NULL)
            left->i64 -= rwl_map_value_at(&c->shared, i)->i64;
    }
    r->result->rows_in = r->before.conserve.rows;
    r->result->rows_out = r->after.conserve.rows;
    r->result->rows_without_lineage = r->before.conserve.rows_without_lineage;
    r->result->before = r->before.digest;
    r->result->after = r->after.digest;
    return RWL_OK;
}

/* Conflicts of a commit that was lost, and the groups that were in it. */
static void note_lost(part_commit *c, rwl_commit_outcome *one) {
    const rwl_rewrite_run *r = c->r;
    if (one->conflict_count > 0) {
        rwl_conflict *last = &one->conflicts[one->conflict_count - 1];
        last->first_group = r->plan.groups[c->part.first].number;
        last->last_group = r->plan.groups[c->part.first + c->part.count - 1].number;
    }
    for (int32_t i = 0; i < one->conflict_count; i++)
        add_conflict(r->commit, &one->conflicts[i]);
    if (one->attempts > r->commit->attempts)
        r->commit->attempts = one->attempts;
}

rwl_status rwl_rewrite_commit_part(rwl_rewrite_run *r, rwl_rewrite_part part, rwl_error *err) {
    part_commit c;
    rwl_commit_outcome one;
    memset(&c, 0, sizeof c);
    memset(&one, 0, sizeof one);
    c.r = r;
    c.part = part;
    rwl_map_init(&c.shared, r->op->env);
    rwl_status st = collect(&c, err);
    if (st == RWL_OK && c.removals.files.len > 0) {
        st = commit_changes(&c, &one, err);
        if (st == RWL_OK) {
            rwl_rewrite_add_outcome(r, &one);
            st = add_part(&c, err);
        } else if (st == RWL_CONFLICT) {
            note_lost(&c, &one);
        } else if (r->result->commits == 0) {
            *r->commit = one;
        } else { /* that of the commit to look for */
            memcpy(r->commit->commit_id, one.commit_id, sizeof one.commit_id);
        }
    }
    rwl_vec_clear(&c.added, r->op->env);
    rwl_removals_clear(&c.removals, r->op->env);
    rwl_map_clear(&c.shared);
    return st;
}
