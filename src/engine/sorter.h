/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting any number of rows, with their lineage, within a budget of memory: an external merge sort. Stable; what comes
 * out depends on the rows and the order alone.
 *
 * Rows are collected to chunks, each chunk is sorted when it is full and cut to blocks of some hundred kilobytes, and
 * the blocks of a chunk are a run; a chunk that goes on where the last run ends makes that run longer. Blocks stay in
 * memory while they fit and go to a temporary file, oldest first, when they do not (sorter_run.c). In the end all runs
 * are merged at once, a block of each in memory (sorter_merge.c); when there are too many for that, neighbouring runs are
 * merged to longer ones first.
 */
#ifndef RWL_ENGINE_SORTER_H
#define RWL_ENGINE_SORTER_H

#include "column/runs.h"
#include "iceberg/partition.h"
#include "storage/spill.h"

typedef struct rwl_sorter rwl_sorter;

typedef struct rwl_sorter_options {
    int64_t memory;               /* bytes to hold; 0: no limit, nothing is spilled */
    int64_t batch_bytes;          /* of rows given at once, about; 0: by `memory` */
    int64_t limit;                /* only so many first rows are wanted; 0: all */
    const rwl_spill_calls *calls; /* for tests, else NULL */
} rwl_sorter_options;

/*
 * Sorts rows of these fields by `order` (transforms applied to its source columns); all three are borrowed. What is held
 * counts against the operation's budget too. UNSUPPORTED when a column cannot be sorted by, or a row does not fit.
 */
RWL_MUST_CHECK rwl_status rwl_sorter_new(rwl_op *op, const rwl_field *fields, int32_t field_count,
                                         const rwl_sort_order *order, const rwl_sorter_options *options,
                                         rwl_sorter **out, rwl_error *err);
void rwl_sorter_free(rwl_sorter *sorter); /* NULL is fine */
/* Takes a copy of the rows. `ids` and `versions` may be NULL, then always. IO when a temporary file cannot be written. */
RWL_MUST_CHECK rwl_status rwl_sorter_add(rwl_sorter *sorter, const rwl_batch *batch, const rwl_runs *ids,
                                         const rwl_runs *versions, rwl_error *err);
int64_t rwl_sorter_rows(const rwl_sorter *sorter);    /* added */
int64_t rwl_sorter_bytes(const rwl_sorter *sorter);   /* held in memory */
int64_t rwl_sorter_spilled(const rwl_sorter *sorter); /* bytes written to temporary files in all */
/* Ends adding. After it, next gives the rows in order. */
RWL_MUST_CHECK rwl_status rwl_sorter_finish(rwl_sorter *sorter, rwl_error *err);
/* Sets `batch`, and `ids` and `versions` when rows have them, to at most `max_rows` next rows; length 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_sorter_next(rwl_sorter *sorter, int64_t max_rows, rwl_batch *batch,
                                          rwl_runs *ids, rwl_runs *versions, rwl_error *err);
/* Forgets all rows, for the next file. */
void rwl_sorter_reset(rwl_sorter *sorter);

/* The least memory that sorting rows of so many columns makes sense with. */
int64_t rwl_sorter_least_memory(int32_t columns);
/* That of a sorter whose share of the budget (0: none) comes to `share`: no less than the least, UNSUPPORTED with the
 * budget needed when that is more than half of the budget. */
RWL_MUST_CHECK rwl_status rwl_sorter_share(int64_t budget, int64_t share, int32_t columns, int64_t *memory,
                                           rwl_error *err);
/* Bytes of a row of these fields in memory without those of variable length, lineage counted. */
int64_t rwl_sorter_row_bytes(const rwl_field *fields, int32_t field_count);
/* Disk that sorting `bytes` of rows takes with so much memory, at its peak: 0 when they fit. */
int64_t rwl_sorter_disk_bytes(int64_t bytes, int64_t memory);

#endif
