/* SPDX-License-Identifier: Apache-2.0 */
/* Scans shared by processes: a plan gives tasks as JSON text, each of which any process can read. */
#ifndef ROWLINE_TASK_H
#define ROWLINE_TASK_H

#include <rowline/read.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The tasks of a scan. Read one after another they give what the scan gives, each row once, with the same row ids and versions;
 * in any other order, or in other processes, the same rows. A task is of one state of the table: later commits do not change
 * its rows, as long as its files are not removed.
 */
typedef struct rowline_plan rowline_plan;

/*
 * Plans a scan: `select`, `where`, `lineage` of the options (ROWLINE_USAGE: a limit or an order, which tasks can't keep).
 * `task_bytes`: of the files of a task, 0: the table's read.split.target-size, else 128 MB; a larger Parquet file is shared by
 * several tasks. The plan keeps using the table: free the table after it. ROWLINE_UNSUPPORTED for a Lance dataset.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_plan_open(rowline_table *table, const rowline_scan_options *options, int64_t task_bytes,
                  rowline_plan **out, rowline_error *err);
ROWLINE_API void
rowline_plan_free(rowline_plan *plan); /* NULL is fine */
/* The next task: UTF-8 JSON with a NUL behind it, valid until the next call; NULL at the end. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_plan_next(rowline_plan *plan, const char **task, size_t *length, rowline_error *err);

/*
 * The rows of a task, in this process or another: `table` is the same table, opened at any state of the planned version or a later
 * one (the task's `metadata_location` names a file that can be opened). ROWLINE_CORRUPT: no task; ROWLINE_USAGE: of another
 * table; ROWLINE_NOT_FOUND: its snapshot has expired. The stream keeps the table's files open; free the table after it.
 */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_scan_task(rowline_table *table, const char *task, size_t length, struct ArrowArrayStream *out,
                  rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
