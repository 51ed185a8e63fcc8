/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver: what the engine asks of a table format. It plans and reads fragments of one table state, and turns a change set
 * and the freshest state into the next one. The engine is written once against this; iceberg/driver.c is the first to
 * implement it.
 *
 * A state is one version of a table's metadata, a type only its driver knows (Iceberg: rwl_metadata). Handles belong to the
 * driver that gave them.
 */
#ifndef RWL_TABLE_DRIVER_H
#define RWL_TABLE_DRIVER_H

#include "bitmap/bitmap.h"
#include "expr/expr.h"
#include "storage/store.h"
#include "table/change.h"
#include "table/name_fields.h"
#include "table/rows.h"

typedef struct rwl_driver_vtable rwl_driver_vtable;
typedef struct rwl_planner rwl_planner;   /* a plan being read */
typedef struct rwl_reader rwl_reader;     /* a fragment being read */
typedef struct rwl_attempts rwl_attempts; /* a change on its way through commit attempts */

/* A table state and where its files lie; all borrowed. */
typedef struct rwl_driver {
    const rwl_driver_vtable *vtable;
    rwl_store *store;
    const void *state;
    struct rwl_delete_cache *deletes; /* delete files already read, for all tasks; NULL: each is read anew */
} rwl_driver;

typedef struct rwl_plan_request {
    int64_t snapshot_id;     /* -1: an empty plan */
    const rwl_field *fields; /* the columns the filter may name, metadata columns aside */
    int32_t field_count;
    const rwl_expr *filter; /* NULL: all fragments */
} rwl_plan_request;

typedef struct rwl_plan_stats {
    int64_t manifests_read, manifests_skipped, files_read, files_skipped;
} rwl_plan_stats;

typedef struct rwl_read_stats {
    int64_t groups_read, groups_skipped, pages_read, pages_skipped, bytes_read, requests;
} rwl_read_stats;

struct rwl_driver_vtable {
    const char *format; /* "iceberg" */
    bool is_file; /* a data file by itself: columns called like metadata columns are what one expects of it */

    /* The columns of the state's rows that are no part of its schema; what is not constant is in `arena`. */
    rwl_status (*metadata_columns)(const rwl_driver *d, rwl_arena *arena, const rwl_metadata_column **out,
                                   int32_t *count, rwl_error *err);

    /* Fragments that may have rows for the filter, one at a time: valid until the next call, *out NULL at the end. */
    rwl_status (*plan_open)(const rwl_driver *d, rwl_op *op, const rwl_plan_request *request,
                            rwl_planner **out, rwl_error *err);
    rwl_status (*plan_next)(rwl_planner *planner, const rwl_fragment **out, rwl_error *err);
    rwl_plan_stats (*plan_stats)(const rwl_planner *planner);
    void (*plan_close)(rwl_planner *planner); /* NULL is fine */

    /* All deleted positions of a fragment, those deleted by equality too; NULL when there are none. */
    rwl_status (*read_deletes)(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                               rwl_bitmap **out, rwl_error *err);
    /* Live rows of a fragment in physical order; no rows is the end. `fragment` must outlive the reader. */
    rwl_status (*read_open)(const rwl_driver *d, rwl_op *op, const rwl_fragment *fragment,
                            const rwl_fragment_read_options *options, rwl_reader **out, rwl_error *err);
    rwl_status (*read_next)(rwl_reader *reader, rwl_rows *rows, rwl_error *err);
    /* Sets `batch` (made with the late fields) to the rows at these physical positions, ascending and disjoint, among
     * those that read_next gave last and behind those taken before: all of them, or the first batch->length where they
     * are too many bytes. NULL: the driver knows no late fields. */
    rwl_status (*read_take)(rwl_reader *reader, const rwl_range *ranges, size_t count, rwl_batch *batch,
                            rwl_error *err);
    rwl_read_stats (*read_stats)(const rwl_reader *reader);
    void (*read_close)(rwl_reader *reader); /* NULL is fine */

    /* A change on its way: each apply is one attempt, on `base`, and gives the next state (NULL in a dry run). CONFLICT with
     * `conflict` filled: it can never succeed. discard removes what attempts wrote and the winner does not use, or all. */
    rwl_status (*change_open)(const rwl_driver *d, rwl_op *op, const rwl_change_set *change,
                              const rwl_attempt_options *options, rwl_attempts **out, rwl_error *err);
    rwl_status (*change_apply)(rwl_attempts *attempts, const void *base, int64_t now_ms, void **next,
                               rwl_change_result *result, rwl_conflict *conflict, rwl_error *err);
    void (*change_discard)(rwl_attempts *attempts, bool all);
    void (*change_close)(rwl_attempts *attempts); /* NULL is fine */
};

#endif
