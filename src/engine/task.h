/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scan cut into tasks that other processes can read: JSON documents that name the state, the columns, the filter, and
 * fragments (table/fragment_json.h) with all that their lineage needs.
 *
 *   {"table_uuid"?, "metadata_location", "snapshot_id": "123", "schema": 0, "select"?, "where"?, "lineage": bool,
 *    "rows"?: [first, count], "fragments": [fragment, …]}
 *
 * Together the tasks of a plan give each row of the scan once, in plan order. With "rows" there is one fragment, of which these
 * physical rows are meant: a large file is shared by tasks.
 */
#ifndef RWL_ENGINE_TASK_H
#define RWL_ENGINE_TASK_H

#include "engine/scan.h"

typedef struct rwl_tasks_options {
    const char *select, *where; /* as rwl_row_filter_options has them */
    bool lineage;
    int64_t target_bytes; /* of the files of a task; 0: the table's read.split.target-size, else 128 MB */
} rwl_tasks_options;

typedef struct rwl_tasks rwl_tasks;

/* `table` and `op` must outlive the tasks. Errors of columns and filter as rwl_scan_open has them. */
RWL_MUST_CHECK rwl_status rwl_tasks_open(const rwl_table *table, rwl_op *op, const rwl_tasks_options *options,
                                         rwl_tasks **out, rwl_error *err);
void rwl_tasks_close(rwl_tasks *tasks); /* NULL is fine */
/* The next task's text, with a NUL behind it, valid until the next call; data NULL at the end. */
RWL_MUST_CHECK rwl_status rwl_tasks_next(rwl_tasks *tasks, rwl_span *text, rwl_error *err);

/* A task read back. */
typedef struct rwl_task {
    rwl_arena arena;
    const char *table_uuid, *metadata_location; /* uuid NULL when the table has none */
    int64_t snapshot_id;
    int32_t schema_id;
    const char *select, *where; /* NULL when absent */
    bool lineage;
    rwl_range rows; /* count 0: all */
    rwl_fragment *fragments;
    size_t fragment_count;
} rwl_task;

/* CORRUPT naming what is missing or of another kind. */
RWL_MUST_CHECK rwl_status rwl_task_parse(const rwl_env *env, rwl_span text, rwl_task *out, rwl_error *err);
void rwl_task_clear(rwl_task *task);
/* Sets `at` to `table` at the task's snapshot and schema, and opens a scan of its rows; task and `at` must outlive it. The table may
 * be of a later version. USAGE: another table; NOT_FOUND: snapshot or schema are not (or no longer) in it. */
RWL_MUST_CHECK rwl_status rwl_task_scan(const rwl_table *table, rwl_op *op, const rwl_task *task,
                                        rwl_table *at, rwl_scan **out, rwl_error *err);

#endif
