/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions, each handed on to the module that does the work. */
#include "lance/driver.h"

#include "lance/deletions.h"
#include "lance/fragment_reader.h"
#include "lance/plan.h"

#include <inttypes.h>

static rwl_status metadata_columns(const rwl_driver *d, rwl_arena *arena, const rwl_metadata_column **out,
                                   int32_t *count, rwl_error *err) {
    (void)d;
    (void)arena;
    (void)err;
    *out = rwl_lance_metadata_columns(count);
    return RWL_OK;
}

/* --- plans --- */

static rwl_status plan_open(const rwl_driver *d, rwl_op *op, const rwl_plan_request *request,
                            rwl_planner **out, rwl_error *err) {
    rwl_lance_plan *plan = NULL;
    RWL_TRY(rwl_lance_plan_open(d->state, op, request, &plan, err));
    *out = (rwl_planner *)plan;
    return RWL_OK;
}

static rwl_status plan_next(rwl_planner *planner, const rwl_fragment **out, rwl_error *err) {
    return rwl_lance_plan_next((rwl_lance_plan *)planner, out, err);
}

static rwl_plan_stats plan_stats(const rwl_planner *planner) {
    return rwl_lance_plan_stats((const rwl_lance_plan *)planner);
}

static void plan_close(rwl_planner *planner) {
    rwl_lance_plan_close((rwl_lance_plan *)planner);
}

/* --- fragments --- */

static rwl_status read_deletes(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                               rwl_bitmap **out, rwl_error *err) {
    const rwl_lance_dataset *dataset = d->state;
    const rwl_lance_fragment *f = rwl_lance_manifest_fragment(dataset->manifest, fragment->fragment_id);
    *out = NULL;
    if (f == NULL)
        return rwl_fail(err, RWL_NOT_FOUND, "%s has no fragment %" PRId64, dataset->root,
                        fragment->fragment_id);
    return rwl_lance_deletions_read(dataset, op, f, out, err);
}

static rwl_status read_open(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                            const rwl_fragment_read_options *options, rwl_reader **out, rwl_error *err) {
    rwl_lance_fragment_reader *reader = NULL;
    rwl_bitmap *deletes = NULL;
    if (!options->keep_deleted)
        RWL_TRY(read_deletes(d, op, fragment, &deletes, err));
    RWL_TRY(rwl_lance_fragment_reader_open(d->state, op, fragment, options, deletes, &reader, err));
    *out = (rwl_reader *)reader;
    return RWL_OK;
}

static rwl_status read_next(rwl_reader *reader, rwl_rows *rows, rwl_error *err) {
    return rwl_lance_fragment_reader_next((rwl_lance_fragment_reader *)reader, rows, err);
}

static rwl_status read_take(rwl_reader *reader, const rwl_range *ranges, size_t count, rwl_batch *batch,
                            rwl_error *err) {
    return rwl_lance_fragment_reader_take((rwl_lance_fragment_reader *)reader, ranges, count, batch, err);
}

static rwl_read_stats read_stats(const rwl_reader *reader) {
    return rwl_lance_fragment_reader_stats((const rwl_lance_fragment_reader *)reader);
}

static void read_close(rwl_reader *reader) {
    rwl_lance_fragment_reader_close((rwl_lance_fragment_reader *)reader);
}

rwl_driver rwl_lance_driver(rwl_store *store, const rwl_lance_dataset *dataset) {
    static const rwl_driver_vtable vtable = {
        .format = "lance",
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
    };
    return (rwl_driver){&vtable, store, dataset, NULL};
}
