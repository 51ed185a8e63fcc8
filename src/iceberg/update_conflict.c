/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others committed since the plan. An input that is gone, or a new delete on one, is a conflict that no
 * retry heals; appends, and deletes elsewhere, are not (DESIGN.md, "A commit"). Equality deletes committed
 * meanwhile still apply to outputs that keep their data sequence number, and to rows that a vector leaves
 * alone.
 */
#include "iceberg/position_deletes.h"
#include "iceberg/update_internal.h"

#include <inttypes.h>
#include <stdio.h>

static rwl_status conflict(update_attempt *a, const rwl_snapshot *other, const char *what, const char *file,
                           rwl_error *err) {
    rwl_conflict *c = a->conflict;
    char engine[128] = "unsigned";
    if (other != NULL)
        rwl_snapshot_engine(other, engine, sizeof engine);
    if (c != NULL) {
        c->snapshot_id = other == NULL ? -1 : other->snapshot_id;
        snprintf(c->engine, sizeof c->engine, "%s", engine);
        snprintf(c->file, sizeof c->file, "%s", file);
    }
    rwl_status st = other == NULL ? rwl_fail(err, RWL_CONFLICT, "%s: %s", what, file)
                                  : rwl_fail(err, RWL_CONFLICT, "snapshot %" PRId64 " (%s) %s %s",
                                             other->snapshot_id, engine, what, file);
    return rwl_error_path(err, st, file);
}

/* The snapshots after the planned one up to the head, newest first. */
static rwl_status list_history(update_attempt *a, const rwl_snapshot ***out, size_t *count, rwl_error *err) {
    const rwl_snapshot **items = rwl_arena_array(&a->arena, (size_t)a->base->snapshot_count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    size_t n = 0;
    for (const rwl_snapshot *s = a->head; s != NULL && s->snapshot_id != a->u->change->planned_snapshot_id;
         s = s->parent_id < 0 ? NULL : rwl_metadata_snapshot(a->base, s->parent_id)) {
        if (n == (size_t)a->base->snapshot_count)
            return rwl_fail(err, RWL_CORRUPT, "the parents of snapshot %" PRId64 " go round in a circle",
                            a->head->snapshot_id);
        items[n++] = s;
    }
    *out = items;
    *count = n;
    return RWL_OK;
}

/* --- removed inputs --- */

/* Does some manifest that `s` wrote say that it deleted this file (and, for a vector, this offset)? */
static rwl_status deletes_file(update_attempt *a, const rwl_snapshot *s, int32_t content, const char *path,
                               int64_t offset, bool *yes, rwl_error *err) {
    rwl_manifest_list list;
    RWL_TRY(rwl_manifest_list_read(a->u->store, a->u->op, s, &list, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < list.count && st == RWL_OK && !*yes; i++) {
        const rwl_manifest *m = &list.items[i];
        if (m->content != content || m->added_snapshot_id != s->snapshot_id || m->deleted_files == 0)
            continue;
        rwl_manifest_reader *reader = NULL;
        st = rwl_manifest_reader_open(a->u->store, a->u->op, a->base, m, &reader, err);
        const rwl_manifest_entry *e = NULL;
        while (st == RWL_OK && !*yes && (st = rwl_manifest_reader_next(reader, &e, err)) == RWL_OK &&
               e != NULL)
            *yes = e->status == RWL_STATUS_DELETED && e->snapshot_id == s->snapshot_id &&
                   strcmp(e->file.file_path, path) == 0 && (offset < 0 || e->file.content_offset == offset);
        rwl_manifest_reader_close(reader);
    }
    rwl_manifest_list_clear(&list);
    return st;
}

/* The snapshot that removed a file; where none says so (some writers leave files out silently), the head. */
static const rwl_snapshot *find_remover(update_attempt *a, const rwl_snapshot **history, size_t count,
                                        int32_t content, const char *path, int64_t offset) {
    for (size_t i = 0; i < count; i++) {
        bool yes = false;
        if (deletes_file(a, history[i], content, path, offset, &yes, NULL) == RWL_OK && yes)
            return history[i];
    }
    return a->head;
}

static rwl_status check_live(update_attempt *a, const rwl_snapshot **history, size_t count, rwl_error *err) {
    const rwl_update *u = a->u;
    for (size_t i = 0; i < u->targets.len; i++) {
        const update_target *t = &u->targets.items[i];
        const update_hit *hit = a->found[i].hit;
        if (hit == NULL)
            return conflict(a, find_remover(a, history, count, 0, t->path, -1), "removed data file", t->path,
                            err);
        if (t->vector != NULL && t->vector->data_sequence_number >= 0 &&
            t->vector->data_sequence_number != hit->sequence_number)
            return conflict(a, a->head, "changed the sequence number of data file", t->path, err);
    }
    for (size_t i = 0; i < u->change->removed_delete_count; i++) {
        const rwl_removed_delete *d = &u->change->removed_deletes[i];
        if (a->deletes_found[i])
            continue;
        int64_t offset = d->kind == RWL_DELETE_VECTOR ? d->offset : -1;
        bool of_one = d->data_file != NULL;
        return conflict(a, find_remover(a, history, count, 1, d->location, offset),
                        of_one ? "changed the deletes of data file" : "removed delete file",
                        of_one ? d->data_file : d->location, err);
    }
    return RWL_OK;
}

/* --- new deletes --- */

static bool in_path_bounds(const rwl_data_file *d, const char *path) {
    rwl_span span = rwl_span_str(path);
    for (int32_t i = 0; i < d->lower_count; i++)
        if (d->lower_bounds[i].field_id == RWL_FIELD_ID_DELETE_PATH &&
            rwl_span_compare(span, d->lower_bounds[i].value) < 0)
            return false;
    for (int32_t i = 0; i < d->upper_count; i++)
        if (d->upper_bounds[i].field_id == RWL_FIELD_ID_DELETE_PATH &&
            rwl_span_compare(span, d->upper_bounds[i].value) > 0)
            return false;
    return true;
}

static bool in_partition(const rwl_data_file *d, int32_t spec_id, const rwl_value *values, int32_t count) {
    if (d->spec_id != spec_id || d->partition_count != count)
        return false;
    for (int32_t i = 0; i < count; i++)
        if (!rwl_value_equal(&d->partition[i], &values[i]))
            return false;
    return true;
}

static bool same_partition(const rwl_data_file *x, const rwl_data_file *y) {
    return in_partition(x, y->spec_id, y->partition, y->partition_count);
}

/* A search of a position delete file for the change's data files. */
typedef struct search {
    const update_attempt *a;
    const rwl_data_file *file;
    const char *shared;
} search;

/* Whether the delete can reach the target: by partition and by the bounds of its paths. */
static bool may_reach(const update_attempt *a, const rwl_data_file *d, size_t target) {
    return in_path_bounds(d, a->u->targets.items[target].path) &&
           same_partition(d, &a->found[target].hit->file);
}

static bool is_shared(void *ctx, rwl_span path) {
    search *s = ctx;
    size_t target = rwl_update_target(s->a->u, path);
    if (target == SIZE_MAX || !may_reach(s->a, s->file, target))
        return false;
    s->shared = s->a->u->targets.items[target].path;
    return true;
}

/* The change's data file that a position delete file or vector names, NULL when it names none. One that names
 * several is read, if it may reach any; where it can't be read it counts as sharing the first it may reach.
 */
static rwl_status shared_by_positions(const update_attempt *a, const rwl_data_file *d, const char **shared,
                                      rwl_error *err) {
    *shared = NULL;
    rwl_span scope = rwl_delete_scope(d);
    if (scope.data != NULL) {
        size_t target = rwl_update_target(a->u, scope);
        *shared = target == SIZE_MAX ? NULL : a->u->targets.items[target].path;
        return RWL_OK;
    }
    size_t first = 0;
    while (first < a->u->targets.len && !may_reach(a, d, first))
        first++;
    if (first == a->u->targets.len)
        return RWL_OK;
    search s = {a, d, NULL};
    rwl_delete_ref ref = {
        .kind = RWL_DELETE_POSITIONS,
        .location = d->file_path,
        .format = d->file_format,
        .file_size = d->file_size,
        .row_count = d->record_count,
    };
    bool found;
    rwl_status st = rwl_position_deletes_search(a->u->store, a->u->op, &ref, is_shared, &s, &found, err);
    if (st == RWL_UNSUPPORTED) {
        *shared = a->u->targets.items[first].path;
        return RWL_OK;
    }
    *shared = s.shared;
    return st;
}

/* Whether an equality delete, which reaches files of its own spec and partition alone, reaches an added file. */
static bool reaches_added(const update_attempt *a, const rwl_data_file *d) {
    for (size_t i = 0; i < a->u->change->added_file_count; i++) {
        const rwl_added_file *f = &a->u->change->added_files[i];
        if (in_partition(d, f->spec_id, f->partition, f->partition_count))
            return true;
    }
    return false;
}

/* Whether all added files are of this spec. */
static bool all_added_in(const update_attempt *a, int32_t spec_id) {
    for (size_t i = 0; i < a->u->change->added_file_count; i++)
        if (a->u->change->added_files[i].spec_id != spec_id)
            return false;
    return true;
}

/*
 * The removed file whose rows an equality delete would treat otherwise once they are moved: with the commit's own
 * sequence number they escape it; moved to another spec they escape those of the old one, and those of the new one
 * reach rows they did not.
 */
static const char *shared_by_equality(const update_attempt *a, const rwl_data_file *d) {
    const rwl_change_set *change = a->u->change;
    if (change->added_file_count == 0 || change->removed_file_count == 0)
        return NULL;
    const rwl_partition_spec *spec = rwl_metadata_spec(a->base, d->spec_id);
    bool global = spec == NULL || rwl_spec_is_unpartitioned(spec),
         renumbered = change->data_sequence_number < 0;
    if (global && !renumbered)
        return NULL;
    bool stays = all_added_in(a, d->spec_id), reached = !global && reaches_added(a, d);
    for (size_t i = 0; i < a->u->targets.len; i++) {
        if (a->u->targets.items[i].removed == NULL)
            continue;
        const rwl_data_file *f = &a->found[i].hit->file;
        bool reaches = global || same_partition(d, f);
        if ((reaches && (renumbered || !stays)) || (!reaches && reached && f->spec_id != d->spec_id))
            return a->u->targets.items[i].path;
    }
    return NULL;
}

static rwl_status check_manifest(update_attempt *a, const rwl_snapshot *s, const rwl_manifest *m,
                                 rwl_error *err) {
    rwl_manifest_reader *reader = NULL;
    RWL_TRY(rwl_manifest_reader_open(a->u->store, a->u->op, a->base, m, &reader, err));
    rwl_status st = RWL_OK;
    for (;;) {
        const rwl_manifest_entry *e;
        RWL_GOTO(st, rwl_manifest_reader_next(reader, &e, err), done);
        if (e == NULL)
            break;
        if (e->status != RWL_STATUS_ADDED || e->snapshot_id != s->snapshot_id)
            continue;
        const char *shared = NULL;
        if (e->file.content == RWL_CONTENT_EQUALITY_DELETES)
            shared = shared_by_equality(a, &e->file);
        else
            RWL_GOTO(st, shared_by_positions(a, &e->file, &shared, err), done);
        if (shared != NULL) {
            st = conflict(a, s, "added a delete to data file", shared, err);
            break;
        }
    }
done:
    rwl_manifest_reader_close(reader);
    return st;
}

static rwl_status check_snapshot(update_attempt *a, const rwl_snapshot *s, rwl_error *err) {
    rwl_manifest_list list;
    RWL_TRY(rwl_manifest_list_read(a->u->store, a->u->op, s, &list, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < list.count && st == RWL_OK; i++) {
        const rwl_manifest *m = &list.items[i];
        if (m->content == 1 && m->added_snapshot_id == s->snapshot_id && m->added_files != 0)
            st = check_manifest(a, s, m, err);
    }
    rwl_manifest_list_clear(&list);
    return st;
}

/* A live vector that the change should have replaced: two for one file must never be. */
static rwl_status check_unreplaced(const update_attempt *a, rwl_error *err) {
    for (int32_t i = 0; i < a->parent.count; i++) {
        const update_source *source = a->sources[i];
        for (size_t j = 0; source != NULL && j < source->hit_count; j++)
            if (source->hits[j].unreplaced_vector)
                return rwl_fail(err, RWL_INTERNAL,
                                "data file %s has a deletion vector that the new one does not replace",
                                source->hits[j].file.referenced_data_file);
    }
    return RWL_OK;
}

rwl_status rwl_update_check_conflicts(update_attempt *a, rwl_error *err) {
    const rwl_change_set *change = a->u->change;
    if (a->u->targets.len == 0 && change->removed_delete_count == 0)
        return RWL_OK;
    if (change->planned_snapshot_id >= 0 &&
        (a->head == NULL ||
         !rwl_metadata_is_ancestor(a->base, change->planned_snapshot_id, a->head->snapshot_id))) {
        char planned[32];
        snprintf(planned, sizeof planned, "%" PRId64, change->planned_snapshot_id);
        return conflict(a, a->head, "no longer has the planned snapshot in its history:", planned, err);
    }
    const rwl_snapshot **history;
    size_t count;
    RWL_TRY(list_history(a, &history, &count, err));
    RWL_TRY(check_live(a, history, count, err));
    for (size_t i = 0; i < count; i++)
        RWL_TRY(check_snapshot(a, history[i], err));
    return check_unreplaced(a, err);
}
