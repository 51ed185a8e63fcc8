/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws of lineage, and the check of the second on the ids of one snapshot.
 *
 * Every row of a v3 table has an id, `_row_id`, and a version, `_last_updated_sequence_number` (Iceberg
 * specification, "Row Lineage"). They hang from one counter in the table's metadata:
 *
 *     table.next-row-id
 *       snapshot.first-row-id     = next-row-id, read again for every commit attempt      assign.h
 *         manifest.first_row_id   given by the manifest list, in list order               assign.h
 *           file.first_row_id     given when the manifest is read, in entry order         assign.h
 *             row._row_id         = first_row_id + position, where none is stored         inherit.h
 *     row._last_updated_…         = the file's data sequence number, where none is stored inherit.h
 *
 * After every operation, on every branch:
 *
 *   1  Within a snapshot a live row id occurs once.
 *   2  next-row-id is greater than every id ever assigned and never decreases.
 *   3  A row that is moved keeps its id; moved unchanged it keeps its version; modified it takes the version
 *      of the commit that modified it.                                                    carry.h
 *   4  Ids are assigned per commit attempt, never baked into files before they are known.
 *   5  A null first_row_id of a file makes both columns null, whatever the file stores.
 *   6  The inherited version is the data sequence number, not the file sequence number.
 *   7  Positions are physical: pruning, filtering, deleting or splitting never shifts an id.
 *   8  A pure rewrite consumes no id space. A data manifest that gets its first_row_id takes no ids when
 *      every live entry in it has an explicit one, else its added + existing rows.        assign.h, pin.h
 *   9  History is not invented: rows of snapshots before an upgrade read null.
 *  10  An operation that cannot keep these laws refuses and names the law.
 *
 * Everything here is a pure function of its arguments: nothing reads a file, a clock or a catalog.
 */
#ifndef RWL_LINEAGE_LAWS_H
#define RWL_LINEAGE_LAWS_H

#include "column/runs.h"

/* A number that may be null: a first_row_id, an added-rows, a row count of an old manifest list. */
typedef struct rwl_opt_i64 {
    bool present;
    int64_t value; /* 0 while absent */
} rwl_opt_i64;

static inline rwl_opt_i64 rwl_some(int64_t value) {
    rwl_opt_i64 some = {true, value};
    return some;
}
static inline rwl_opt_i64 rwl_none(void) {
    rwl_opt_i64 none = {false, 0};
    return none;
}

/* Law 2 (distinct.h has law 1): every id is at least 0 and below `next_row_id`. LAW_BROKEN naming the first that is not. */
RWL_MUST_CHECK rwl_status rwl_laws_check_below(const rwl_runs *ids, int64_t next_row_id, rwl_error *err);

#endif
