/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a dataset at the version that is meant. */
#include "engine/lance_table.h"

#include "engine/state.h"

#include <stdlib.h>

/* Without slashes at the end. */
static rwl_status keep_root(rwl_arena *arena, const char *location, const char **out, rwl_error *err) {
    size_t len = strlen(location);
    while (len > 1 && location[len - 1] == '/')
        len--;
    *out = rwl_arena_strndup(arena, location, len);
    return *out != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, len + 1);
}

rwl_status rwl_lance_table_is(rwl_store *store, rwl_op *op, const char *location, rwl_arena *arena, bool *is,
                              rwl_error *err) {
    const char *root;
    rwl_stat stat;
    RWL_TRY(keep_root(arena, location, &root, err));
    RWL_TRY(rwl_lance_dataset_is(store, op, root, is, err));
    if (!*is)
        return RWL_OK;
    const char *metadata = rwl_arena_printf(arena, "%s/metadata", root);
    if (metadata == NULL)
        return rwl_no_memory(err, strlen(root));
    rwl_status st = rwl_store_stat(store, op, metadata, &stat, NULL);
    if (st == RWL_OK && stat.is_directory)
        return rwl_error_path(
            err,
            rwl_fail(err, RWL_UNSUPPORTED,
                     "%s has both _versions and metadata: a Lance dataset and an Iceberg table", root),
            root);
    return RWL_OK;
}

/*
 * True when `text` is a number. From 2^63 on versions are detached, as are the negative numbers of the same bits; what is beyond 64 bits
 * is the greatest there could be.
 */
static bool parse_version(const char *text, rwl_lance_request *out) {
    const char *digits = text + (*text == '-');
    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return false;
    unsigned long long value =
        digits > text ? (unsigned long long)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
    out->is_detached = value > INT64_MAX;
    out->version = (int64_t)(value & INT64_MAX);
    return true;
}

static rwl_status fill_request(const rwl_table *t, const rwl_name *name, const rwl_table_options *o,
                               rwl_lance_request *out, rwl_error *err) {
    const char *time = name->time != NULL ? name->time : o->as_of;
    if (name->time != NULL && o->as_of != NULL)
        return rwl_fail(err, RWL_USAGE, "name one time: @{%s} or --as-of", name->time);
    if ((name->state != NULL && (o->snapshot != NULL || o->ref != NULL)) ||
        (o->snapshot != NULL && time != NULL))
        return rwl_fail(err, RWL_USAGE,
                        "name one state: TABLE@REF, --snapshot, or --ref; a time goes with a branch, and "
                        "--snapshot with a --ref that is a branch");
    *out = (rwl_lance_request){.state = name->state, .version = -1, .ref = o->ref, .as_of_ms = -1};
    if (o->snapshot != NULL && !parse_version(o->snapshot, out))
        return rwl_fail(err, RWL_USAGE, "--snapshot %.200s is no version", o->snapshot);
    if (time == NULL)
        return RWL_OK;
    RWL_TRY(rwl_state_time(time, t->env->now_ms(t->env->ctx), &out->as_of_ms, err));
    out->as_of_ms = out->as_of_ms < 0 ? 0 : out->as_of_ms; /* nothing is older; -1 would mean no time */
    return RWL_OK;
}

/* The manifest's fields as the engine takes a schema. */
static rwl_status take_dataset(rwl_table *t, rwl_lance_dataset *dataset, rwl_error *err) {
    rwl_schema *schema = rwl_arena_alloc(&t->arena, sizeof *schema);
    t->lance = dataset;
    if (schema == NULL)
        return rwl_no_memory(err, sizeof *schema);
    *schema = (rwl_schema){.schema_id = -1,
                           .fields = dataset->manifest->schema.fields,
                           .field_count = dataset->manifest->schema.count};
    t->schema = schema;
    t->branch = dataset->name;
    return RWL_OK;
}

rwl_status rwl_lance_table_open(rwl_table *t, rwl_op *op, const rwl_name *name,
                                const rwl_table_options *options, rwl_error *err) {
    rwl_lance_request request;
    rwl_lance_dataset *dataset = NULL;
    const char *root;
    RWL_TRY(fill_request(t, name, options, &request, err));
    RWL_TRY(keep_root(&t->arena, name->table, &root, err));
    RWL_TRY(rwl_lance_dataset_open(t->store, op, root, &request, &dataset, err));
    return take_dataset(t, dataset, err);
}

rwl_status rwl_lance_table_at(const rwl_table *t, rwl_op *op, const char *state, rwl_table *at,
                              rwl_error *err) {
    const rwl_lance_dataset *from = t->lance;
    rwl_lance_request request = {.state = state, .on = from->branch, .version = -1, .as_of_ms = -1};
    rwl_lance_dataset *dataset = NULL;
    RWL_TRY(rwl_lance_dataset_open(t->store, op, from->root, &request, &dataset, err));
    rwl_status st = take_dataset(at, dataset, err);
    if (st != RWL_OK)
        rwl_lance_dataset_free(dataset);
    return st;
}
