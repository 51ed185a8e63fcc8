/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assignment: how the table's counter becomes the first_row_id of snapshots, manifests and files.
 *
 * 1. Snapshot ("First Row ID Assignment"): first-row-id is the table's next-row-id of this attempt, whether
 *    or not anything is assigned; added-rows is the size of the id range the manifest list took, an upper
 *    bound that may count existing rows. Both are required in v3.
 * 2. Manifest list: a counter starts at the snapshot's first-row-id. In list order, a delete manifest gets
 *    null; a data manifest that has a first_row_id keeps it; any other data manifest gets the counter, which
 *    then moves by the rows the manifest takes: none if every live file in it has a first_row_id of its own
 *    (law 8), else added rows + existing rows. More than needed is legal, less is corruption.
 * 3. Files ("First Row ID Inheritance"), in entry order, when a manifest is read and before anything is
 *    filtered: a counter starts at the manifest's first_row_id. A live file whose own first_row_id is null
 *    gets the counter, which then moves by its record_count. A file with a first_row_id keeps it and moves
 *    nothing. DELETED entries are not assigned and move nothing: the specification's words can be read
 *    otherwise, Java and the row counts of the manifest list say this.
 *    A committed manifest without first_row_id (its snapshot is older than the upgrade) makes the
 *    first_row_id of all its files null, whatever they carry (law 5). A manifest read back inside the
 *    commit that is writing it keeps the explicit ones and leaves null as null.
 * 4. Table: next-row-id becomes max(next-row-id, first-row-id + added-rows), also for a snapshot that no
 *    branch points to (law 2).
 */
#ifndef RWL_LINEAGE_ASSIGN_H
#define RWL_LINEAGE_ASSIGN_H

#include "lineage/laws.h"

/* A manifest as the manifest list sees it. */
typedef struct rwl_assign_manifest {
    bool is_data;
    rwl_opt_i64 first_row_id;              /* as it was; set to what the list must write */
    rwl_opt_i64 added_rows, existing_rows; /* row counts of the list entry; v1 lists may lack them */
    rwl_opt_i64 unassigned_rows;           /* of live files without own first_row_id, if known by reading */
    int64_t taken;                         /* set to the number of ids it took */
} rwl_assign_manifest;

/*
 * Rule 2 over `count` manifests in list order; *next is the counter after the last, and next - first_row_id
 * the snapshot's added-rows. Counts that are null must have been replaced by reading the manifest
 * (unassigned_rows): INTERNAL when neither is known. CORRUPT for negative counts and for counts below
 * unassigned_rows; UNSUPPORTED when the counter would pass 2^63 - 1.
 */
RWL_MUST_CHECK rwl_status rwl_assign_manifests(rwl_assign_manifest *manifests, size_t count,
                                               int64_t first_row_id, int64_t *next, rwl_error *err);

/* Status of a manifest entry, with the numbers of its field 0. */
typedef enum rwl_entry_status {
    RWL_ENTRY_EXISTING = 0,
    RWL_ENTRY_ADDED = 1,
    RWL_ENTRY_DELETED = 2
} rwl_entry_status;

/* Rule 3 as a walk along the entries of one data manifest. */
typedef struct rwl_assign_files {
    rwl_opt_i64 next; /* the counter; absent when the manifest has no first_row_id */
    bool committed;
    int64_t live_rows;       /* rows of the ADDED and EXISTING entries so far: added + existing rows */
    int64_t unassigned_rows; /* those of them in files whose own first_row_id is null */
} rwl_assign_files;

/* `committed` is false only for a manifest that the unfinished commit itself wrote. */
void rwl_assign_files_init(rwl_assign_files *walk, rwl_opt_i64 manifest_first_row_id, bool committed);
/*
 * The next entry, every one in file order: `stored` is the first_row_id in the entry, *out what the file's
 * is. CORRUPT for a negative record_count or first_row_id and for ids past 2^63 - 1.
 */
RWL_MUST_CHECK rwl_status rwl_assign_files_next(rwl_assign_files *walk, rwl_entry_status status,
                                                rwl_opt_i64 stored, int64_t record_count, rwl_opt_i64 *out,
                                                rwl_error *err);

/* The two numbers of a snapshot. */
typedef struct rwl_snapshot_ids {
    rwl_opt_i64 first_row_id, added_rows;
} rwl_snapshot_ids;

/*
 * Checks the numbers of a snapshot as read: neither is negative, added-rows is there when first-row-id is.
 * An added-rows without first-row-id is dropped. CORRUPT.
 */
RWL_MUST_CHECK rwl_status rwl_snapshot_ids_check(rwl_snapshot_ids *ids, rwl_error *err);

/*
 * Rule 4: *out is the table's next-row-id once this snapshot is added. INTERNAL when first-row-id or
 * added-rows is null; CONFLICT when first-row-id is behind next-row-id (another commit came in between:
 * reassign and retry); UNSUPPORTED when the sum passes 2^63 - 1.
 */
RWL_MUST_CHECK rwl_status rwl_assign_next_row_id(int64_t next_row_id, const rwl_snapshot_ids *ids,
                                                 int64_t *out, rwl_error *err);

#endif
