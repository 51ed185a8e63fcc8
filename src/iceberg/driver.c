/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions, each handed on to the module that does the work. */
#include "iceberg/driver.h"

#include "iceberg/filter_fields.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/fragment_reader.h"
#include "iceberg/plan.h"
#include "iceberg/update.h"

static rwl_status metadata_columns(const rwl_driver *d, rwl_arena *arena, const rwl_metadata_column **out,
                                   int32_t *count, rwl_error *err) {
    return rwl_filter_metadata_columns(d->state, arena, out, count, err);
}

/* --- plans --- */

static rwl_status plan_open(const rwl_driver *d, rwl_op *op, const rwl_plan_request *request,
                            rwl_planner **out, rwl_error *err) {
    const rwl_metadata *m = d->state;
    rwl_schema columns = {.schema_id = -1, .fields = request->fields, .field_count = request->field_count};
    rwl_plan_options options = {.schema = &columns, .filter = request->filter};
    if (request->snapshot_id >= 0) {
        options.snapshot = rwl_metadata_snapshot(m, request->snapshot_id);
        if (options.snapshot == NULL)
            return rwl_fail(err, RWL_NOT_FOUND, "%s has no snapshot %lld", m->location,
                            (long long)request->snapshot_id);
    }
    rwl_plan *plan = NULL;
    RWL_TRY(rwl_plan_open(d->store, op, m, &options, &plan, err));
    *out = (rwl_planner *)plan;
    return RWL_OK;
}

static rwl_status plan_next(rwl_planner *planner, const rwl_fragment **out, rwl_error *err) {
    return rwl_plan_next((rwl_plan *)planner, out, err);
}

static rwl_plan_stats plan_stats(const rwl_planner *planner) {
    return rwl_plan_get_stats((const rwl_plan *)planner);
}

static void plan_close(rwl_planner *planner) {
    rwl_plan_close((rwl_plan *)planner);
}

/* --- fragments --- */

static rwl_status read_deletes(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                               rwl_bitmap **out, rwl_error *err) {
    return rwl_fragment_deletes(d, op, fragment, out, err);
}

static rwl_status read_open(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                            const rwl_fragment_read_options *options, rwl_reader **out, rwl_error *err) {
    rwl_fragment_reader *reader = NULL;
    rwl_bitmap *deletes = NULL;
    if (!options->keep_deleted)
        RWL_TRY(rwl_fragment_deletes(d, op, fragment, &deletes, err));
    RWL_TRY(rwl_fragment_reader_open(d->store, op, d->state, fragment, options, deletes, &reader, err));
    *out = (rwl_reader *)reader;
    return RWL_OK;
}

static rwl_status read_next(rwl_reader *reader, rwl_rows *rows, rwl_error *err) {
    return rwl_fragment_reader_next((rwl_fragment_reader *)reader, rows, err);
}

static rwl_status read_take(rwl_reader *reader, const rwl_range *ranges, size_t count, rwl_batch *batch,
                            rwl_error *err) {
    return rwl_fragment_reader_take((rwl_fragment_reader *)reader, ranges, count, batch, err);
}

static rwl_read_stats read_stats(const rwl_reader *reader) {
    rwl_parquet_read_stats s = rwl_fragment_reader_stats((const rwl_fragment_reader *)reader);
    return (rwl_read_stats){s.groups_read,   s.groups_skipped, s.pages_read,
                            s.pages_skipped, s.bytes_read,     s.requests};
}

static void read_close(rwl_reader *reader) {
    rwl_fragment_reader_close((rwl_fragment_reader *)reader);
}

/* --- changes --- */

static rwl_status change_open(const rwl_driver *d, rwl_op *op, const rwl_change_set *change,
                              const rwl_attempt_options *options, rwl_attempts **out, rwl_error *err) {
    rwl_update *update = NULL;
    RWL_TRY(rwl_update_new(d->store, op, change, options, &update, err));
    rwl_status st = rwl_update_expect(update, d->state, err);
    if (st != RWL_OK) {
        rwl_update_free(update);
        return st;
    }
    *out = (rwl_attempts *)update;
    return RWL_OK;
}

static rwl_status change_apply(rwl_attempts *attempts, const void *base, int64_t now_ms, void **next,
                               rwl_change_result *result, rwl_conflict *conflict, rwl_error *err) {
    rwl_metadata *made = NULL;
    rwl_status st = rwl_update_apply((rwl_update *)attempts, base, now_ms, &made, result, conflict, err);
    *next = made;
    return st;
}

static void change_discard(rwl_attempts *attempts, bool all) {
    rwl_update_discard((rwl_update *)attempts, all);
}

static void change_close(rwl_attempts *attempts) {
    rwl_update_free((rwl_update *)attempts);
}

rwl_driver rwl_iceberg_driver(rwl_store *store, const rwl_metadata *metadata,
                              struct rwl_delete_cache *deletes) {
    static const rwl_driver_vtable vtable = {
        .format = "iceberg",
        .metadata_columns = metadata_columns,
        .plan_open = plan_open,
        .plan_next = plan_next,
        .plan_stats = plan_stats,
        .plan_close = plan_close,
        .read_deletes = read_deletes,
        .read_open = read_open,
        .read_next = read_next,
        .read_take = read_take,
        .read_stats = read_stats,
        .read_close = read_close,
        .change_open = change_open,
        .change_apply = change_apply,
        .change_discard = change_discard,
        .change_close = change_close,
    };
    return (rwl_driver){&vtable, store, metadata, deletes};
}
