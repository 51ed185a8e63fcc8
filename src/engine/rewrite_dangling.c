/* SPDX-License-Identifier: Apache-2.0 */
/* Deletes are listed first, then held against every live data file, then removed by name. */
#include "engine/entry_walk.h"
#include "engine/rewrite_internal.h"

#include "iceberg/delete_index.h"

typedef struct old_delete {
    rwl_removed_delete name;
    bool equality, global;
    int64_t sequence_number;
    rwl_span scope;  /* key of its spec and partition */
    rwl_span target; /* the one data file it names; data NULL when it may name several */
} old_delete;

typedef struct cleaning {
    rwl_rewrite_run *r;
    rwl_arena arena; /* of what deletes are called */
    rwl_buf key;
    rwl_map scopes;  /* spec and partition → least data sequence number of its live data files */
    rwl_map targets; /* data files that deletes name → 1 when live */
    int64_t least;   /* over all live data files; INT64_MAX when there are none */
    RWL_VEC(old_delete) deletes;
    RWL_VEC(rwl_removed_delete) dangling;
} cleaning;

static rwl_status make_scope(cleaning *c, const rwl_data_file *f, rwl_error *err) {
    rwl_buf_reset(&c->key);
    return rwl_partition_key(f->spec_id, f->partition, f->partition_count, &c->key, err);
}

static rwl_status keep_span(cleaning *c, rwl_span from, rwl_span *to, rwl_error *err) {
    const void *copy = rwl_arena_copy(&c->arena, from.data, from.len);
    if (copy == NULL)
        return rwl_no_memory(err, from.len);
    *to = rwl_span_of(copy, from.len);
    return RWL_OK;
}

static rwl_status list_delete(cleaning *c, const rwl_manifest_entry *e, rwl_error *err) {
    const rwl_data_file *f = &e->file;
    bool vector = rwl_delete_is_vector(f);
    const rwl_partition_spec *spec = rwl_metadata_spec(c->r->table->metadata, f->spec_id);
    old_delete d;
    memset(&d, 0, sizeof d);
    d.equality = f->content == RWL_CONTENT_EQUALITY_DELETES;
    d.global = d.equality && (spec == NULL || rwl_spec_is_unpartitioned(spec));
    d.sequence_number = e->sequence_number;
    d.name.kind = d.equality ? RWL_DELETE_EQUALITY : vector ? RWL_DELETE_VECTOR : RWL_DELETE_POSITIONS;
    d.name.offset = vector ? f->content_offset : -1;
    d.name.location = rwl_arena_strdup(&c->arena, f->file_path);
    if (d.name.location == NULL)
        return rwl_no_memory(err, strlen(f->file_path));
    RWL_TRY(make_scope(c, f, err));
    RWL_TRY(keep_span(c, rwl_buf_span(&c->key), &d.scope, err));
    rwl_span target = d.equality ? (rwl_span){NULL, 0} : rwl_delete_scope(f);
    if (target.data != NULL) {
        RWL_TRY(keep_span(c, target, &d.target, err));
        RWL_TRY(rwl_map_put(&c->targets, target, &(rwl_map_value *){NULL}, NULL, err));
    }
    return rwl_vec_push(&c->deletes, c->r->op->env, d, err);
}

static rwl_status note_data(cleaning *c, const rwl_manifest_entry *e, rwl_error *err) {
    bool added;
    rwl_map_value *least, *target = rwl_map_get_str(&c->targets, e->file.file_path);
    if (target != NULL)
        target->i64 = 1;
    RWL_TRY(make_scope(c, &e->file, err));
    RWL_TRY(rwl_map_put(&c->scopes, rwl_buf_span(&c->key), &least, &added, err));
    if (added || e->sequence_number < least->i64)
        least->i64 = e->sequence_number;
    if (e->sequence_number < c->least)
        c->least = e->sequence_number;
    return RWL_OK;
}

/* Deletes first: which data files they name is asked of the data files. */
static rwl_status walk(cleaning *c, bool deletes, rwl_error *err) {
    rwl_entry_walk w;
    RWL_TRY(rwl_entry_walk_open(&w, c->r->table, c->r->op, c->r->table->snapshot, err));
    w.deletes_only = deletes;
    rwl_status st = RWL_OK;
    for (const rwl_manifest_entry *e; st == RWL_OK;) {
        st = rwl_entry_walk_next(&w, &e, err);
        if (st != RWL_OK || e == NULL)
            break;
        if (e->status == RWL_STATUS_DELETED || (e->file.content == RWL_CONTENT_DATA) == deletes)
            continue;
        st = deletes ? list_delete(c, e, err) : note_data(c, e, err);
    }
    rwl_entry_walk_clear(&w);
    return st;
}

static bool is_dangling(const cleaning *c, const old_delete *d) {
    const rwl_map_value *least = rwl_map_get(&c->scopes, d->scope);
    if (d->global)
        return d->sequence_number <= c->least; /* no file at all: INT64_MAX */
    if (d->target.data != NULL && rwl_map_get(&c->targets, d->target)->i64 == 0)
        return true;
    if (least == NULL)
        return true;
    return d->equality ? d->sequence_number <= least->i64 : d->sequence_number < least->i64;
}

static rwl_status commit_dangling(cleaning *c, rwl_error *err) {
    rwl_rewrite_run *r = c->r;
    const rwl_change_options *o = &r->options->change;
    rwl_change_set change = {.operation = RWL_OPERATION_REPLACE,
                             .planned_snapshot_id = r->table->snapshot->snapshot_id,
                             .data_sequence_number = -1,
                             .removed_deletes = c->dangling.items,
                             .removed_delete_count = c->dangling.len,
                             .summary_keys = o->summary_keys,
                             .summary_values = o->summary_values,
                             .summary_count = o->summary_count};
    rwl_commit_request request = {.change = &change, .branch = r->table->branch};
    rwl_commit_outcome one;
    RWL_TRY(rwl_commit(r->table, r->op, &request, &one, err));
    rwl_rewrite_add_outcome(r, &one);
    rwl_log(r->op->env, RWL_LOG_INFO, "%zu dangling deletes are removed: snapshot %lld", c->dangling.len,
            (long long)one.result.snapshot_id);
    return RWL_OK;
}

static rwl_status clean(cleaning *c, rwl_error *err) {
    RWL_TRY(rwl_table_refresh(c->r->table, c->r->op, err));
    if (c->r->table->snapshot == NULL)
        return RWL_OK;
    RWL_TRY(walk(c, true, err));
    if (c->deletes.len == 0)
        return RWL_OK;
    RWL_TRY(walk(c, false, err));
    for (size_t i = 0; i < c->deletes.len; i++)
        if (is_dangling(c, &c->deletes.items[i]))
            RWL_TRY(rwl_vec_push(&c->dangling, c->r->op->env, c->deletes.items[i].name, err));
    return c->dangling.len > 0 ? commit_dangling(c, err) : RWL_OK;
}

rwl_status rwl_rewrite_remove_dangling(rwl_rewrite_run *r, rwl_error *err) {
    const rwl_env *env = r->op->env;
    cleaning c;
    memset(&c, 0, sizeof c);
    c.r = r;
    c.least = INT64_MAX;
    rwl_arena_init(&c.arena, env, 0);
    rwl_buf_init(&c.key, env, SIZE_MAX);
    rwl_map_init(&c.scopes, env);
    rwl_map_init(&c.targets, env);
    rwl_status st = clean(&c, err);
    rwl_vec_clear(&c.deletes, env);
    rwl_vec_clear(&c.dangling, env);
    rwl_map_clear(&c.scopes);
    rwl_map_clear(&c.targets);
    rwl_buf_clear(&c.key);
    rwl_arena_clear(&c.arena);
    if (st != RWL_OK && r->result->commits > 0)
        return rwl_error_in(err, st, "after %lld commits, which stay", (long long)r->result->commits);
    return st;
}
