/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a table and choosing the state to read. */
#include "engine/table.h"

#include "engine/name.h"

#include <errno.h>
#include <stdlib.h>

/* True when `text` is all digits and a positive int64. */
static bool parse_snapshot_id(const char *text, int64_t *out) {
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return errno == 0 && *end == '\0';
}

static rwl_status select_snapshot(const rwl_metadata *m, int64_t id, const rwl_snapshot **snapshot,
                                  const rwl_schema **schema, rwl_error *err) {
    *snapshot = rwl_metadata_snapshot(m, id);
    if (*snapshot == NULL)
        return rwl_fail(err, RWL_NOT_FOUND, "%s has no snapshot %lld", m->location, (long long)id);
    *schema = rwl_metadata_snapshot_schema(m, *snapshot);
    return RWL_OK;
}

static rwl_status select_ref(const rwl_metadata *m, const char *name, const rwl_snapshot **snapshot,
                             const rwl_schema **schema, const char **branch, rwl_error *err) {
    const rwl_ref *ref = rwl_metadata_ref(m, name);
    if (ref == NULL && strcmp(name, "main") == 0) {
        *snapshot = NULL;
        *schema = m->schema;
        *branch = "main";
        return RWL_OK;
    }
    if (ref == NULL)
        return rwl_fail(err, RWL_NOT_FOUND, "%s has no branch, tag or snapshot %s", m->location, name);
    RWL_TRY(select_snapshot(m, ref->snapshot_id, snapshot, schema, err));
    if (!ref->is_tag) {
        *schema = m->schema;
        *branch = ref->name;
    }
    return RWL_OK;
}

rwl_status rwl_table_select(const rwl_metadata *m, const char *state, const rwl_snapshot **snapshot,
                            const rwl_schema **schema, const char **branch, rwl_error *err) {
    *branch = NULL;
    int64_t id;
    if (!parse_snapshot_id(state, &id))
        return select_ref(m, state, snapshot, schema, branch, err);
    if (rwl_metadata_ref(m, state) != NULL)
        return rwl_fail(err, RWL_USAGE,
                        "%s is a ref of %s and could be a snapshot id; say --snapshot or --ref", state,
                        m->location);
    return select_snapshot(m, id, snapshot, schema, err);
}

rwl_status rwl_table_load(const rwl_table *table, rwl_op *op, rwl_metadata **metadata, int64_t *version,
                          rwl_error *err) {
    rwl_arena scratch;
    rwl_arena_init(&scratch, table->env, 0);
    rwl_version v;
    memset(&v, 0, sizeof v);
    rwl_status st = rwl_place_load(&table->place, op, &scratch, &v, err);
    if (st == RWL_OK) {
        *version = v.number;
        st = rwl_metadata_parse(table->env, rwl_buf_span(&v.text), v.location, metadata, err);
        if (st != RWL_OK)
            st = rwl_error_path(err, rwl_error_in(err, st, "%s", v.location), v.location);
        rwl_buf_clear(&v.text);
    }
    rwl_arena_clear(&scratch);
    return st;
}

/* Chooses the state that TABLE@STATE, --snapshot or --ref name; at most one of them. */
static rwl_status choose_state(rwl_table *t, const char *state, const rwl_table_options *options,
                               rwl_error *err) {
    int named = (state != NULL) + (options->snapshot != NULL) + (options->ref != NULL);
    if (named > 1)
        return rwl_fail(err, RWL_USAGE, "name one state: TABLE@REF, --snapshot or --ref");
    t->branch = NULL;
    if (options->snapshot != NULL) {
        int64_t id;
        if (!parse_snapshot_id(options->snapshot, &id))
            return rwl_fail(err, RWL_USAGE, "--snapshot %s is no snapshot id", options->snapshot);
        return select_snapshot(t->metadata, id, &t->snapshot, &t->schema, err);
    }
    if (options->ref != NULL)
        return select_ref(t->metadata, options->ref, &t->snapshot, &t->schema, &t->branch, err);
    if (state != NULL)
        return rwl_table_select(t->metadata, state, &t->snapshot, &t->schema, &t->branch, err);
    return select_ref(t->metadata, "main", &t->snapshot, &t->schema, &t->branch, err);
}

rwl_status rwl_table_check_metadata(const rwl_table *t, rwl_error *err) {
    if (t->file == NULL)
        return RWL_OK;
    const char *location = rwl_bare_file_parquet(t->file)->location;
    return rwl_error_path(
        err, rwl_fail(err, RWL_UNSUPPORTED, "%s is a Parquet file by itself, not a table", location),
        location);
}

rwl_status rwl_table_check_change(const rwl_table *t, rwl_error *err) {
    RWL_TRY(rwl_table_check_metadata(t, err));
    if (t->place.refusal != NULL)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: %s", t->place.directory, t->place.refusal);
    if (t->branch == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "changes go to a branch: a snapshot id or tag can't be changed");
    if (strcmp(t->branch, "main") != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "changing branch %s is not supported: only main", t->branch);
    return RWL_OK;
}

static rwl_status open_bare_file(rwl_table *t, rwl_op *op, const rwl_name *name,
                                 const rwl_table_options *options, rwl_error *err) {
    if (name->state != NULL || options->snapshot != NULL || options->ref != NULL)
        return rwl_fail(err, RWL_USAGE, "%s is a Parquet file by itself: it has one state", name->table);
    RWL_TRY(rwl_bare_file_open(t->store, op, name->table, &t->file, err));
    t->schema = rwl_bare_file_schema(t->file);
    return options->for_change ? rwl_table_check_change(t, err) : (rwl_status)RWL_OK;
}

static rwl_status open_table(rwl_table *t, rwl_op *op, const char *name, const rwl_table_options *options,
                             rwl_error *err) {
    RWL_TRY(rwl_store_local_new(t->env, options->maps, options->map_count, &t->store, err));
    rwl_name parsed;
    bool is_file;
    RWL_TRY(rwl_name_parse(t->store, op, name, &t->arena, &parsed, err));
    RWL_TRY(rwl_bare_file_is(t->store, op, parsed.table, &is_file, err));
    if (is_file)
        return open_bare_file(t, op, &parsed, options, err);
    RWL_TRY(rwl_place_find(t->store, op, parsed.table, &t->arena, &t->place, err));
    RWL_TRY(rwl_table_load(t, op, &t->metadata, &t->version, err));
    RWL_TRY(rwl_place_check_location(&t->place, op, t->metadata->location, err));
    RWL_TRY(choose_state(t, parsed.state, options, err));
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
    return rwl_iceberg_driver(t->store, t->metadata, NULL);
}

rwl_status rwl_table_plan(const rwl_table *t, const rwl_driver *driver, rwl_op *op, const rwl_expr *filter,
                          rwl_planner **out, rwl_error *err) {
    rwl_plan_request request = {.snapshot_id = t->snapshot != NULL ? t->snapshot->snapshot_id : -1,
                                .fields = t->schema->fields,
                                .field_count = t->schema->field_count,
                                .filter = filter};
    return driver->vtable->plan_open(driver, op, &request, out, err);
}

rwl_status rwl_table_refresh(rwl_table *t, rwl_op *op, rwl_error *err) {
    rwl_metadata *fresh = NULL;
    int64_t version;
    RWL_TRY(rwl_table_load(t, op, &fresh, &version, err));
    const rwl_snapshot *snapshot;
    const rwl_schema *schema;
    const char *branch = NULL;
    rwl_status st =
        select_ref(fresh, t->branch != NULL ? t->branch : "main", &snapshot, &schema, &branch, err);
    if (st != RWL_OK) {
        rwl_metadata_free(fresh);
        return st;
    }
    rwl_metadata_free(t->metadata);
    t->metadata = fresh;
    t->version = version;
    t->snapshot = snapshot;
    t->schema = schema;
    t->branch = branch;
    return RWL_OK;
}

void rwl_table_free(rwl_table *t) {
    if (t == NULL)
        return;
    rwl_bare_file_free(t->file);
    rwl_metadata_free(t->metadata);
    rwl_store_free(t->store);
    rwl_arena_clear(&t->arena);
    rwl_free(t->env, t);
}
