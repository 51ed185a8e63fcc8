/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting rows with their lineage in memory: collects batches, gives them back in order. Stable. */
#ifndef RWL_ENGINE_SORTER_H
#define RWL_ENGINE_SORTER_H

#include "column/runs.h"
#include "iceberg/partition.h"

typedef struct rwl_sorter rwl_sorter;

/*
 * Sorts rows of these fields by `order` (transforms applied to its source columns). Memory counts against the operation's
 * budget: UNSUPPORTED naming the figure when the rows would pass it. `fields` and `order` are borrowed.
 */
RWL_MUST_CHECK rwl_status rwl_sorter_new(rwl_op *op, const rwl_field *fields, int32_t field_count,
                                         const rwl_sort_order *order, rwl_sorter **out, rwl_error *err);
/* Bytes that sorting so many rows of these fields takes at the very least: fixed-width values, keys of one byte, order. */
int64_t rwl_sorter_least_bytes(const rwl_field *fields, int32_t field_count, const rwl_sort_order *order,
                               int64_t rows);
void rwl_sorter_free(rwl_sorter *sorter); /* NULL is fine */
/* Takes a copy of the rows. `ids` and `versions` may be NULL, then always. */
RWL_MUST_CHECK rwl_status rwl_sorter_add(rwl_sorter *sorter, const rwl_batch *batch, const rwl_runs *ids,
                                         const rwl_runs *versions, rwl_error *err);
int64_t rwl_sorter_rows(const rwl_sorter *sorter);
int64_t rwl_sorter_bytes(const rwl_sorter *sorter); /* held for rows and keys */
/* Sorts what was added. After it, next gives the rows in order. */
RWL_MUST_CHECK rwl_status rwl_sorter_finish(rwl_sorter *sorter, rwl_error *err);
/* Sets `batch`, and `ids` and `versions` when rows have them, to at most `max_rows` next rows; length 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_sorter_next(rwl_sorter *sorter, int64_t max_rows, rwl_batch *batch,
                                          rwl_runs *ids, rwl_runs *versions, rwl_error *err);
/* Forgets all rows, for the next file. */
void rwl_sorter_reset(rwl_sorter *sorter);

#endif
