/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row ids and versions of a fragment's physical rows, wherever they are stored, read as they are wanted.
 *
 *   arm         row ids                                created at, last updated at
 *   inline      segments (lineage/segment.h)           runs: of each only the number of values of its span, and its version
 *   column      uint64 in the carrier's hidden column  likewise
 *   absent      fragment id << 32 | position           1            (ids: CORRUPT on a dataset with stable row ids)
 *   external    refused by name: UNSUPPORTED
 *
 * An inline arm wins over a column that is there too (a stale one); how columns are found and checked says lance/carrier.h. A stored id
 * is below the manifest's next-row-id (law 2); whether two rows have the same is not looked at.
 */
#ifndef RWL_LANCE_LINEAGE_H
#define RWL_LANCE_LINEAGE_H

#include "column/runs.h"
#include "lance/fragment_files.h"
#include "lineage/segment.h"
#include "table/driver.h"

typedef struct rwl_lance_lineage rwl_lance_lineage;

/* `wanted`: RWL_LINEAGE_… of the sequences to read. `files` are borrowed; carriers among them are opened. Checks the arms and carriers
 * of what is wanted, without reading values. */
RWL_MUST_CHECK rwl_status rwl_lance_lineage_open(rwl_lance_fragment_files *files, unsigned wanted,
                                                 rwl_lance_lineage **out, rwl_error *err);
void rwl_lance_lineage_close(rwl_lance_lineage *lineage); /* NULL is fine */
/* Appends the lineage of the physical rows of `ranges` (ascending, disjoint, of one call behind those of the call before) to the rows' row_ids,
 * versions (last updated) and created, as far as wanted. CORRUPT when a sequence ends too soon; at the last physical row also when it
 * goes on behind it. LAW_BROKEN when an id is not below the manifest's next-row-id. */
RWL_MUST_CHECK rwl_status rwl_lance_lineage_read(rwl_lance_lineage *lineage, const rwl_range *ranges,
                                                 size_t count, rwl_rows *rows, rwl_error *err);
/* Passes the rows that are left, which are deleted: CORRUPT when a sequence is shorter than the physical rows, or longer. */
RWL_MUST_CHECK rwl_status rwl_lance_lineage_finish(rwl_lance_lineage *lineage, rwl_error *err);
/* Goes on to row `row` of inline row ids, and gives the segment that holds it, valid until the next call, and its first row; *out NULL
 * when there is none. */
RWL_MUST_CHECK rwl_status rwl_lance_lineage_segment(rwl_lance_lineage *lineage, int64_t row,
                                                    const rwl_segment **out, int64_t *first, rwl_error *err);
/* Whether reading all that lies between the first and the last range, and cutting it out, is cheaper than reading the ranges, of
 * `rows` rows. */
bool rwl_lance_is_scattered(const rwl_range *ranges, size_t count, int64_t rows);
/* Of values; not of what opening the files has read. */
void rwl_lance_lineage_add_stats(const rwl_lance_lineage *lineage, rwl_read_stats *to);
/* Bounds of a sequence as far as the manifest in memory tells them cheaply (inline arms that were not left in the file
 * and have a value a row); *known false else. */
RWL_MUST_CHECK rwl_status rwl_lance_lineage_bounds(const rwl_lance_fragment *fragment, rwl_lance_sequence s,
                                                   bool *known, int64_t *least, int64_t *greatest,
                                                   rwl_error *err);

#endif
