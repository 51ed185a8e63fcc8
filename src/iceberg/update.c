/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an update and one attempt of it. */
#include "iceberg/update_internal.h"

#include "lineage/assign.h"

#include <inttypes.h>
#include <stdio.h>

/* --- life cycle --- */

static rwl_status add_target(rwl_update *u, const char *path, const rwl_removed_file *removed,
                             const rwl_added_vector *vector, rwl_error *err) {
    rwl_map_value *index;
    bool added;
    RWL_TRY(rwl_map_put(&u->target_by_path, rwl_span_str(path), &index, &added, err));
    if (!added)
        return rwl_fail(err, RWL_INTERNAL, "data file %s is named twice by one change", path);
    update_target target = {path, removed, vector};
    RWL_TRY(rwl_vec_push(&u->targets, u->env, target, err));
    index->i64 = (int64_t)u->targets.len;
    return RWL_OK;
}

static rwl_status add_removed_delete(rwl_update *u, size_t i, rwl_error *err) {
    const rwl_removed_delete *d = &u->change->removed_deletes[i];
    rwl_buf key;
    rwl_buf_init(&key, u->env, SIZE_MAX);
    int64_t offset = d->kind == RWL_DELETE_VECTOR ? d->offset : -1;
    rwl_map_value *index;
    rwl_status st = rwl_buf_append(&key, d->location, strlen(d->location) + 1, err);
    if (st == RWL_OK)
        st = rwl_buf_le64(&key, (uint64_t)offset, err);
    if (st == RWL_OK)
        st = rwl_map_put(&u->delete_by_name, rwl_buf_span(&key), &index, NULL, err);
    if (st == RWL_OK)
        index->i64 = (int64_t)i + 1;
    rwl_buf_clear(&key);
    return st;
}

/* A file that is added twice would have its rows twice. */
static rwl_status check_added(const rwl_update *u, rwl_error *err) {
    rwl_map seen;
    rwl_map_init(&seen, u->env);
    rwl_status st = RWL_OK;
    for (size_t i = 0; i < u->change->added_file_count && st == RWL_OK; i++) {
        const char *path = u->change->added_files[i].location;
        rwl_map_value *unused;
        bool added = true;
        st = rwl_map_put(&seen, rwl_span_str(path), &unused, &added, err);
        if (st == RWL_OK && !added)
            st = rwl_fail(err, RWL_INTERNAL, "data file %s is added twice by one change", path);
    }
    rwl_map_clear(&seen);
    return st;
}

static rwl_status index_change(rwl_update *u, rwl_error *err) {
    const rwl_change_set *change = u->change;
    RWL_TRY(check_added(u, err));
    for (size_t i = 0; i < change->removed_file_count; i++)
        RWL_TRY(add_target(u, change->removed_files[i].location, &change->removed_files[i], NULL, err));
    for (size_t i = 0; i < change->added_vector_count; i++)
        RWL_TRY(add_target(u, change->added_vectors[i].data_file, NULL, &change->added_vectors[i], err));
    for (size_t i = 0; i < change->removed_delete_count; i++)
        RWL_TRY(add_removed_delete(u, i, err));
    return RWL_OK;
}

rwl_status rwl_update_new(rwl_store *store, rwl_op *op, const rwl_change_set *change,
                          const rwl_attempt_options *options, rwl_update **out, rwl_error *err) {
    *out = NULL;
    rwl_update *u = rwl_calloc(op->env, 1, sizeof *u);
    if (u == NULL)
        return rwl_no_memory(err, sizeof *u);
    u->env = op->env;
    u->store = store;
    u->op = op;
    u->change = change;
    u->snapshot_id = options->snapshot_id;
    u->dry_run = options->dry_run;
    rwl_arena_init(&u->arena, u->env, 0);
    rwl_map_init(&u->target_by_path, u->env);
    rwl_map_init(&u->delete_by_name, u->env);
    rwl_map_init(&u->sources, u->env);
    u->branch = rwl_arena_strdup(&u->arena, options->branch);
    u->commit_id = rwl_arena_strdup(&u->arena, options->commit_id);
    rwl_status st = u->branch == NULL || u->commit_id == NULL ? rwl_no_memory(err, 64) : index_change(u, err);
    if (st != RWL_OK) {
        rwl_update_free(u);
        return st;
    }
    *out = u;
    return RWL_OK;
}

void rwl_update_free(rwl_update *u) {
    if (u == NULL)
        return;
    rwl_vec_clear(&u->targets, u->env);
    rwl_vec_clear(&u->added, u->env);
    rwl_vec_clear(&u->added_deletes, u->env);
    rwl_vec_clear(&u->order, u->env);
    rwl_vec_clear(&u->written, u->env);
    rwl_map_clear(&u->target_by_path);
    rwl_map_clear(&u->delete_by_name);
    rwl_map_clear(&u->sources);
    rwl_arena_clear(&u->arena);
    rwl_free(u->env, u);
}

rwl_status rwl_update_expect(rwl_update *u, const rwl_metadata *planned, rwl_error *err) {
    u->knows_table = true;
    /* rows that get ids between plan and commit must keep them: files of an older version do not carry them */
    if (u->change->planned_snapshot_id >= 0)
        u->format_version = planned->format_version;
    if (planned->table_uuid == NULL)
        return RWL_OK;
    u->uuid = rwl_arena_strdup(&u->arena, planned->table_uuid);
    return u->uuid == NULL ? rwl_no_memory(err, strlen(planned->table_uuid) + 1) : RWL_OK;
}

void rwl_update_discard(rwl_update *u, bool all) {
    rwl_op op;
    rwl_op_init(&op, u->env, 0); /* the operation itself may have been cancelled */
    for (size_t i = 0; i < u->written.len; i++) {
        if (!all && u->written.items[i].used)
            continue;
        rwl_status st = rwl_store_remove(u->store, &op, u->written.items[i].path, NULL);
        if (st != RWL_OK && st != RWL_NOT_FOUND)
            rwl_log(u->env, RWL_LOG_WARN, "%s stays behind", u->written.items[i].path);
    }
    if (all)
        u->written.len = 0;
}

size_t rwl_update_target(const rwl_update *u, rwl_span path) {
    const rwl_map_value *found = rwl_map_get(&u->target_by_path, path);
    return found == NULL ? SIZE_MAX : (size_t)found->i64 - 1;
}

rwl_status rwl_update_new_path(update_attempt *a, const char *name, const char **out, rwl_error *err) {
    rwl_update *u = a->u;
    const char *folder = rwl_metadata_folder(a->base, "write.metadata.path", "metadata", &a->arena);
    char *path = folder == NULL ? NULL : rwl_arena_printf(&u->arena, "%s/%s", folder, name);
    if (path == NULL)
        return rwl_no_memory(err, strlen(a->base->location) + strlen(name) + 16);
    update_written written = {path, true};
    *out = path;
    return rwl_vec_push(&u->written, u->env, written, err);
}

/* --- one attempt --- */

static rwl_status refuse(update_attempt *a, const char *what, rwl_error *err) {
    if (a->conflict != NULL) {
        a->conflict->snapshot_id = a->head == NULL ? -1 : a->head->snapshot_id;
        snprintf(a->conflict->engine, sizeof a->conflict->engine, "unsigned");
        if (a->head != NULL)
            rwl_snapshot_engine(a->head, a->conflict->engine, sizeof a->conflict->engine);
    }
    return rwl_fail(err, RWL_CONFLICT, "%s", what);
}

static rwl_status check_table(update_attempt *a, rwl_error *err) {
    rwl_update *u = a->u;
    const rwl_metadata *base = a->base;
    if (base->format_version < 2)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "tables of format version %" PRId32 " are not written: upgrade the table first",
                        base->format_version);
    if (u->format_version == 0)
        u->format_version = base->format_version;
    if (u->format_version != base->format_version)
        return refuse(a, "the table was upgraded to another format version meanwhile", err);
    if (!u->knows_table) {
        u->knows_table = true;
        u->uuid = base->table_uuid == NULL ? NULL : rwl_arena_strdup(&u->arena, base->table_uuid);
        return RWL_OK;
    }
    /* a table that had none gets one by an upgrade, anew in each attempt */
    if (u->uuid != NULL && (base->table_uuid == NULL || strcmp(u->uuid, base->table_uuid) != 0))
        return refuse(a, "the table was replaced by one with another uuid meanwhile", err);
    return RWL_OK;
}

static rwl_status begin(update_attempt *a, rwl_error *err) {
    rwl_update *u = a->u;
    const rwl_ref *ref = rwl_metadata_ref(a->base, u->branch);
    if (ref != NULL && ref->is_tag)
        return rwl_fail(err, RWL_USAGE, "%s is a tag, not a branch", u->branch);
    a->head = ref == NULL ? NULL : rwl_metadata_snapshot(a->base, ref->snapshot_id);
    RWL_TRY(check_table(a, err));
    if (!rwl_i64_add(a->base->last_sequence_number, 1, &a->sequence_number))
        return rwl_fail(err, RWL_UNSUPPORTED, "the table has used up its sequence numbers");
    if (u->change->data_sequence_number > a->base->last_sequence_number)
        return rwl_fail(err, RWL_INTERNAL,
                        "new files with sequence number %" PRId64 ", above the table's %" PRId64,
                        u->change->data_sequence_number, a->base->last_sequence_number);
    if (a->head != NULL)
        RWL_TRY(rwl_manifest_list_read(u->store, u->op, a->head, &a->parent, err));
    a->sources = rwl_arena_array(&a->arena, (size_t)a->parent.count, sizeof(update_source *));
    a->found = rwl_arena_array(&a->arena, u->targets.len, sizeof *a->found);
    a->deletes_found = rwl_arena_array(&a->arena, u->change->removed_delete_count, sizeof *a->deletes_found);
    if (a->sources == NULL || a->found == NULL || a->deletes_found == NULL)
        return rwl_no_memory(err, sizeof *a->found);
    for (size_t i = 0; i < u->written.len; i++)
        u->written.items[i].used = false;
    return RWL_OK;
}

static void mark_used(rwl_update *u, const char *path) {
    for (size_t i = 0; i < u->written.len; i++)
        if (strcmp(u->written.items[i].path, path) == 0)
            u->written.items[i].used = true;
}

static rwl_status put_line(update_attempt *a, const rwl_manifest *line, rwl_error *err) {
    if (line->added_snapshot_id == a->u->snapshot_id) {
        mark_used(a->u, line->path);
        a->figures.manifests_created++;
    } else {
        a->figures.manifests_kept++;
    }
    return rwl_vec_push(&a->list, a->u->env, *line, err);
}

/* A manifest of the parent: filtered, carried with its counts known, or left out when an older commit emptied
 * it. */
static rwl_status put_parent_line(update_attempt *a, int32_t i, rwl_error *err) {
    update_source *source = a->sources[i];
    rwl_manifest line = a->parent.items[i];
    if (source != NULL) {
        const rwl_manifest *c = &source->counted;
        line.added_files = c->added_files;
        line.existing_files = c->existing_files;
        line.deleted_files = c->deleted_files;
        line.added_rows = c->added_rows;
        line.existing_rows = c->existing_rows;
        line.deleted_rows = c->deleted_rows;
        line.unassigned_rows = c->unassigned_rows;
    }
    if (line.added_files == 0 && line.existing_files == 0)
        return RWL_OK;
    if (source == NULL || !source->drops)
        return put_line(a, &line, err);
    RWL_TRY(rwl_update_filter(a, &a->parent.items[i], source, err));
    a->figures.manifests_replaced++;
    return put_line(a, &source->filtered, err);
}

static rwl_status put_parent_lines(update_attempt *a, int32_t content, rwl_error *err) {
    for (int32_t i = 0; i < a->parent.count; i++)
        if (a->parent.items[i].content == content)
            RWL_TRY(put_parent_line(a, i, err));
    return RWL_OK;
}

/* New data, carried data, new deletes, carried deletes. */
static rwl_status build_list(update_attempt *a, rwl_error *err) {
    rwl_update *u = a->u;
    for (size_t i = 0; i < u->added.len; i++) {
        rwl_manifest line = u->added.items[i].manifest;
        RWL_TRY(rwl_update_pin(a, &u->added.items[i], &line, err));
        RWL_TRY(put_line(a, &line, err));
    }
    RWL_TRY(put_parent_lines(a, 0, err));
    for (size_t i = 0; i < u->added_deletes.len; i++)
        RWL_TRY(put_line(a, &u->added_deletes.items[i], err));
    return put_parent_lines(a, 1, err);
}

/* Rule 2 of lineage/assign.h over the list. */
static rwl_status assign_ids(update_attempt *a, rwl_error *err) {
    a->first_row_id = a->next_row_id = a->base->next_row_id;
    if (a->base->format_version < 3)
        return RWL_OK;
    rwl_assign_manifest *items = rwl_arena_array(&a->arena, a->list.len, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, a->list.len * sizeof *items);
    for (size_t i = 0; i < a->list.len; i++) {
        const rwl_manifest *m = &a->list.items[i];
        items[i].is_data = m->content == 0;
        items[i].first_row_id = m->has_first_row_id ? rwl_some(m->first_row_id) : rwl_none();
        items[i].added_rows = rwl_some(m->added_rows);
        items[i].existing_rows = rwl_some(m->existing_rows);
        items[i].unassigned_rows = m->unassigned_rows < 0 ? rwl_none() : rwl_some(m->unassigned_rows);
    }
    RWL_TRY(rwl_assign_manifests(items, a->list.len, a->first_row_id, &a->next_row_id, err));
    for (size_t i = 0; i < a->list.len; i++) {
        a->list.items[i].has_first_row_id = items[i].first_row_id.present;
        a->list.items[i].first_row_id = items[i].first_row_id.value;
    }
    return RWL_OK;
}

static rwl_status write_list(update_attempt *a, const char **path, rwl_error *err) {
    rwl_update *u = a->u;
    char name[128];
    snprintf(name, sizeof name, "snap-%" PRId64 "-%" PRId32 "-%.40s.avro", u->snapshot_id, u->attempts,
             u->commit_id);
    RWL_TRY(rwl_update_new_path(a, name, path, err));
    rwl_manifest_list_options options = {
        .format_version = a->base->format_version,
        .snapshot_id = u->snapshot_id,
        .parent_id = a->head == NULL ? -1 : a->head->snapshot_id,
        .sequence_number = a->sequence_number,
        .first_row_id = a->first_row_id,
    };
    return rwl_manifest_list_write(u->store, u->op, *path, a->list.items, (int32_t)a->list.len, &options,
                                   err);
}

static rwl_status make_metadata(update_attempt *a, int64_t now_ms, rwl_metadata **next, rwl_error *err) {
    rwl_snapshot_new snapshot = {
        .snapshot_id = a->u->snapshot_id,
        .parent_id = a->head == NULL ? -1 : a->head->snapshot_id,
        .sequence_number = a->sequence_number,
        .timestamp_ms = now_ms > a->base->last_updated_ms ? now_ms : a->base->last_updated_ms,
        .schema_id = a->base->schema->schema_id,
        .first_row_id = a->first_row_id,
        .added_rows = a->next_row_id - a->first_row_id,
    };
    RWL_TRY(write_list(a, &snapshot.manifest_list, err));
    RWL_TRY(rwl_update_summary(a, &snapshot.summary, err));
    return rwl_metadata_add_snapshot(a->base, &snapshot, a->u->branch, next, err);
}

static void fill_result(const update_attempt *a, rwl_change_result *out) {
    const update_figures *g = &a->figures;
    bool v3 = a->base->format_version >= 3;
    out->snapshot_id = a->u->snapshot_id;
    out->parent_snapshot_id = a->head == NULL ? -1 : a->head->snapshot_id;
    out->sequence_number = a->sequence_number;
    out->added_data_files = g->added_data_files;
    out->removed_data_files = g->removed_data_files;
    out->added_delete_files = g->added_delete_files;
    out->removed_delete_files = g->removed_delete_files;
    out->added_records = g->added_records;
    out->removed_records = g->removed_records;
    out->first_row_id = v3 ? a->first_row_id : -1;
    out->added_rows = v3 ? a->next_row_id - a->first_row_id : -1;
    out->next_row_id = v3 ? a->next_row_id : -1;
}

static rwl_status run(update_attempt *a, int64_t now_ms, rwl_metadata **next, rwl_change_result *result,
                      rwl_error *err) {
    RWL_TRY(begin(a, err));
    RWL_TRY(rwl_update_scan(a, err));
    RWL_TRY(rwl_update_check_conflicts(a, err));
    RWL_TRY(rwl_update_count(a, err));
    RWL_TRY(rwl_update_add(a, err));
    RWL_TRY(build_list(a, err));
    RWL_TRY(assign_ids(a, err));
    fill_result(a, result);
    return a->u->dry_run ? RWL_OK : make_metadata(a, now_ms, next, err);
}

rwl_status rwl_update_apply(rwl_update *u, const rwl_metadata *base, int64_t now_ms, rwl_metadata **next,
                            rwl_change_result *result, rwl_conflict *conflict, rwl_error *err) {
    update_attempt a;
    memset(&a, 0, sizeof a);
    a.u = u;
    a.base = base;
    a.conflict = conflict;
    *next = NULL;
    if (conflict != NULL) {
        memset(conflict, 0, sizeof *conflict);
        conflict->snapshot_id = -1;
    }
    u->attempts++;
    rwl_arena_init(&a.arena, u->env, 0);
    rwl_arena_init(&a.parent.arena, u->env, 0);
    rwl_map_init(&a.partitions, u->env);
    rwl_status st = run(&a, now_ms, next, result, err);
    rwl_vec_clear(&a.list, u->env);
    rwl_map_clear(&a.partitions);
    rwl_manifest_list_clear(&a.parent);
    rwl_arena_clear(&a.arena);
    return st;
}
