/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a table and choosing the state to read. */
#include "engine/table.h"

#include "engine/lance_table.h"
#include "engine/no_table.h"
#include "engine/state.h"

enum { DELETES_SHARE = 8 }; /* of the budget, for delete files that were read */

rwl_status rwl_table_load(const rwl_table *table, rwl_op *op, rwl_metadata **metadata, int64_t *version,
                          rwl_error *err) {
    rwl_arena scratch;
    rwl_arena_init(&scratch, table->env, 0);
    rwl_version v;
    memset(&v, 0, sizeof v);
    rwl_status st = rwl_place_load(&table->place, op, &scratch, &v, err);
    if (st == RWL_OK) {
        *version = v.number;
        st = rwl_metadata_read(op, rwl_buf_span(&v.text), v.location, metadata, err);
        if (st != RWL_OK)
            st = rwl_error_path(err, rwl_error_in(err, st, "%s", v.location), v.location);
        rwl_buf_clear(&v.text);
    }
    rwl_arena_clear(&scratch);
    return st;
}

static void take_state(rwl_table *t, const rwl_state *state) {
    t->snapshot = state->snapshot;
    t->schema = state->schema;
    t->branch = state->branch;
}

/* Chooses the state that the name or the options say. */
static rwl_status choose_state(rwl_table *t, const rwl_name *name, const rwl_table_options *options,
                               rwl_error *err) {
    if (name->time != NULL && options->as_of != NULL)
        return rwl_fail(err, RWL_USAGE, "name one time: @{%s} or --as-of", name->time);
    rwl_state_request request = {.state = name->state,
                                 .snapshot = options->snapshot,
                                 .ref = options->ref,
                                 .time = name->time != NULL ? name->time : options->as_of};
    rwl_state state;
    int64_t now_ms = request.time != NULL ? t->env->now_ms(t->env->ctx) : 0;
    RWL_TRY(rwl_state_select(t->metadata, &request, now_ms, &state, err));
    take_state(t, &state);
    return RWL_OK;
}

rwl_status rwl_table_check_metadata(const rwl_table *t, rwl_error *err) {
    if (t->file == NULL)
        return RWL_OK;
    const char *location = rwl_bare_file_parquet(t->file)->location;
    return rwl_error_path(
        err, rwl_fail(err, RWL_UNSUPPORTED, "%s is a Parquet file by itself, not a table", location),
        location);
}

rwl_status rwl_table_check_iceberg(const rwl_table *t, const char *what, rwl_error *err) {
    RWL_TRY(rwl_table_check_metadata(t, err));
    if (t->lance == NULL)
        return RWL_OK;
    return rwl_error_path(err, rwl_fail(err, RWL_UNSUPPORTED, "%s Lance datasets is not supported", what),
                          t->lance->root);
}

rwl_status rwl_table_check_change(const rwl_table *t, rwl_error *err) {
    RWL_TRY(rwl_table_check_iceberg(t, "changing", err));
    if (t->place.refusal != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: %s", t->place.directory, t->place.refusal);
    if (t->branch == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "changes go to a branch: a snapshot id, tag or time can't be changed");
    if (strcmp(t->branch, "main") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "changing branch %s is not supported: only main", t->branch);
    return RWL_OK;
}

static rwl_status open_bare_file(rwl_table *t, rwl_op *op, const rwl_name *name,
                                 const rwl_table_options *options, rwl_error *err) {
    if (name->state != NULL || name->time != NULL || options->snapshot != NULL || options->ref != NULL ||
        options->as_of != NULL)
        return rwl_fail(err, RWL_USAGE, "%s is a Parquet file by itself: it has one state", name->table);
    RWL_TRY(rwl_bare_file_open(t->store, op, name->table, &t->file, err));
    t->schema = rwl_bare_file_schema(t->file);
    return options->for_change ? rwl_table_check_change(t, err) : (rwl_status)RWL_OK;
}

static rwl_status open_lance(rwl_table *t, rwl_op *op, const rwl_name *name, const rwl_table_options *options,
                             rwl_error *err) {
    RWL_TRY(rwl_lance_table_open(t, op, name, options, err));
    return options->for_change ? rwl_table_check_change(t, err) : (rwl_status)RWL_OK;
}

static rwl_status open_table(rwl_table *t, rwl_op *op, const char *name, const rwl_table_options *options,
                             rwl_error *err) {
    RWL_TRY(rwl_store_local_new(t->env, options->maps, options->map_count, &t->store, err));
    rwl_name parsed;
    bool is_file, is_lance;
    RWL_TRY(rwl_name_parse(t->store, op, name, &t->arena, &parsed, err));
    RWL_TRY(rwl_bare_file_is(t->store, op, parsed.table, &is_file, err));
    if (is_file)
        return open_bare_file(t, op, &parsed, options, err);
    RWL_TRY(rwl_lance_table_is(t->store, op, parsed.table, &t->arena, &is_lance, err));
    if (is_lance)
        return open_lance(t, op, &parsed, options, err);
    rwl_status found = rwl_place_find(t->store, op, parsed.table, &t->arena, &t->place, err);
    if (found == RWL_NOT_FOUND)
        return rwl_no_table_hint(t->store, op, parsed.table, &t->arena, err);
    RWL_TRY(found);
    RWL_TRY(rwl_table_load(t, op, &t->metadata, &t->version, err));
    RWL_TRY(rwl_place_check_location(&t->place, op, t->metadata->location, err));
    RWL_TRY(rwl_delete_cache_new(t->env, op->memory_limit / DELETES_SHARE, &t->deletes, err));
    RWL_TRY(choose_state(t, &parsed, options, err));
    return options->for_change ? rwl_table_check_change(t, err) : (rwl_status)RWL_OK;
}

static rwl_status new_table(rwl_op *op, rwl_table **out, rwl_error *err) {
    rwl_table *t = rwl_calloc(op->env, 1, sizeof *t);
    if (t == NULL)
        return rwl_no_memory(err, sizeof *t);
    t->env = op->env;
    rwl_arena_init(&t->arena, op->env, 0);
    *out = t;
    return RWL_OK;
}

rwl_status rwl_table_open(rwl_op *op, const char *name, const rwl_table_options *options, rwl_table **out,
                          rwl_error *err) {
    rwl_table *t;
    RWL_TRY(new_table(op, &t, err));
    rwl_status st = open_table(t, op, name, options, err);
    if (st != RWL_OK) {
        rwl_table_free(t);
        return st;
    }
    *out = t;
    return RWL_OK;
}

rwl_status rwl_table_open_file(rwl_op *op, const char *location, rwl_table **out, rwl_error *err) {
    static const rwl_table_options options = {0};
    const rwl_name name = {.table = location};
    rwl_table *t;
    RWL_TRY(new_table(op, &t, err));
    rwl_status st = rwl_store_local_new(t->env, NULL, 0, &t->store, err);
    if (st == RWL_OK)
        st = open_bare_file(t, op, &name, &options, err);
    if (st != RWL_OK) {
        rwl_table_free(t);
        return st;
    }
    *out = t;
    return RWL_OK;
}

rwl_driver rwl_table_driver(const rwl_table *t) {
    if (t->file != NULL)
        return rwl_bare_file_driver(t->file, t->store);
    if (t->lance != NULL)
        return rwl_lance_driver(t->store, t->lance);
    return rwl_iceberg_driver(t->store, t->metadata, t->deletes);
}

/* The state as plans name it: a snapshot id or version, -1 for an empty one. */
static int64_t state_id(const rwl_table *t) {
    if (t->lance != NULL)
        return t->lance->manifest->version;
    return t->snapshot != NULL ? t->snapshot->snapshot_id : -1;
}

rwl_status rwl_table_plan(const rwl_table *t, const rwl_driver *driver, rwl_op *op, const rwl_expr *filter,
                          rwl_planner **out, rwl_error *err) {
    rwl_plan_request request = {.snapshot_id = state_id(t),
                                .fields = t->schema->fields,
                                .field_count = t->schema->field_count,
                                .filter = filter};
    return driver->vtable->plan_open(driver, op, &request, out, err);
}

rwl_status rwl_table_at(const rwl_table *t, rwl_op *op, const char *state, rwl_table *at, rwl_error *err) {
    RWL_TRY(rwl_table_check_metadata(t, err));
    *at = *t;
    rwl_arena_init(&at->arena, t->env, 0);
    if (t->lance != NULL) {
        rwl_status st = rwl_lance_table_at(t, op, state, at, err);
        if (st != RWL_OK)
            rwl_arena_clear(&at->arena);
        return st;
    }
    rwl_state_request request = {.state = state};
    rwl_state chosen;
    RWL_TRY(rwl_state_select(t->metadata, &request, 0, &chosen, err));
    take_state(at, &chosen);
    return RWL_OK;
}

void rwl_table_at_clear(rwl_table *at) {
    rwl_lance_dataset_free(at->lance);
    rwl_arena_clear(&at->arena);
}

rwl_status rwl_table_refresh(rwl_table *t, rwl_op *op, rwl_error *err) {
    rwl_metadata *fresh = NULL;
    int64_t version;
    RWL_TRY(rwl_table_load(t, op, &fresh, &version, err));
    rwl_state state;
    rwl_state_request request = {.ref = t->branch};
    rwl_status st = rwl_state_select(fresh, &request, 0, &state, err);
    if (st != RWL_OK) {
        rwl_metadata_free(fresh);
        return st;
    }
    rwl_metadata_free(t->metadata);
    t->metadata = fresh;
    t->version = version;
    take_state(t, &state);
    return RWL_OK;
}

void rwl_table_free(rwl_table *t) {
    if (t == NULL)
        return;
    rwl_bare_file_free(t->file);
    rwl_lance_dataset_free(t->lance);
    rwl_metadata_free(t->metadata);
    rwl_store_free(t->store);
    rwl_arena_clear(&t->arena);
    rwl_delete_cache_free(t->deletes);
    rwl_free(t->env, t);
}
