/* SPDX-License-Identifier: Apache-2.0 */
/* Giving rows their ids: the upgrade to v3, and the empty append that numbers an unassigned head. */
#ifndef RWL_ENGINE_UPGRADE_H
#define RWL_ENGINE_UPGRADE_H

#include "engine/change_common.h"

/* True when the head of the table's state is v3 and has data files of which none has an id (just upgraded by another
 * engine). */
RWL_MUST_CHECK rwl_status rwl_head_is_unassigned(const rwl_table *table, rwl_op *op, bool *out,
                                                 rwl_error *err);
/* Commits an append without files: every data file of the head gets its first_row_id, rows keep their data sequence number as
 * version (law 8, specification "Row Lineage for Upgraded Tables"). */
RWL_MUST_CHECK rwl_status rwl_assign_head(const rwl_table *table, rwl_op *op,
                                          const rwl_change_options *options, rwl_commit_outcome *out,
                                          rwl_error *err);

typedef struct rwl_upgrade_report {
    int32_t from_version, to_version;
    int64_t assigned_rows;
    int64_t live_equality_deletes, live_position_deletes; /* files of the head */
    const char *branches_without_ids;                     /* JSON array of names, in the arena */
    const char *writers; /* JSON array of {name, version, snapshots}, in the arena */
} rwl_upgrade_report;

/*
 * One swap: format version `to`, and with `assign` the append without files on main. On a v3 table whose main has no ids it only
 * assigns. USAGE for a lower version; nothing to do is snapshot_id -1 and equal versions.
 */
RWL_MUST_CHECK rwl_status rwl_upgrade_table(const rwl_table *table, rwl_op *op, int32_t to, bool assign,
                                            const rwl_change_options *options, rwl_arena *arena,
                                            rwl_commit_outcome *out, rwl_upgrade_report *report,
                                            rwl_error *err);

#endif
