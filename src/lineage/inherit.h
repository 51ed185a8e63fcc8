/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inheritance on read: the id and version each row of a data file has ("Row Lineage", "Reading").
 *
 *   file's first_row_id | stored _row_id | read as      | stored version | read as
 *   F                   | v              | v            | s              | s
 *   F                   | null or absent | F + position | null or absent | the file's data sequence number
 *   null                | whatever       | null         | whatever       | null                       (law 5)
 *
 * Positions count the physical rows of the file from 0, before deletes and filters (law 7). The version is
 * the data sequence number (law 6): Java took the file sequence number until Iceberg 1.12, so files whose two
 * numbers differ read otherwise there.
 */
#ifndef RWL_LINEAGE_INHERIT_H
#define RWL_LINEAGE_INHERIT_H

#include "lineage/laws.h"

/* What the manifest says about the rows of one data file. */
typedef struct rwl_inherit_file {
    rwl_opt_i64 first_row_id;     /* after inheritance from the manifest (assign.h) */
    int64_t data_sequence_number; /* field 3 of the entry, after inheritance */
} rwl_inherit_file;

/* The stored lineage columns of a batch, LONG; NULL for a column the file does not have. */
typedef struct rwl_inherit_stored {
    const rwl_column *ids, *versions;
} rwl_inherit_stored;

/*
 * Appends the ids and versions of the rows at physical positions pos … pos + count - 1, whose stored cells
 * are rows at … at + count - 1 of the `stored` columns. `ids` has step 1, `versions` step 0. `stored` may be
 * NULL. CORRUPT for a stored value below 0 and for an id of 2^63 - 1 or more, which no next-row-id could be
 * above.
 */
RWL_MUST_CHECK rwl_status rwl_inherit_rows(const rwl_inherit_file *file, int64_t pos, int64_t count,
                                           const rwl_inherit_stored *stored, int64_t at, rwl_runs *ids,
                                           rwl_runs *versions, rwl_error *err);

/*
 * The same for the rows that deletes left of a batch: `keep` are ascending ranges of batch rows, the batch
 * starts at physical position `pos`, `stored` holds the cells of the whole batch.
 */
RWL_MUST_CHECK rwl_status rwl_inherit_ranges(const rwl_inherit_file *file, int64_t pos, const rwl_range *keep,
                                             size_t keep_count, const rwl_inherit_stored *stored,
                                             rwl_runs *ids, rwl_runs *versions, rwl_error *err);

#endif
