/* SPDX-License-Identifier: Apache-2.0 */
/* A rewrite from end to end: give ids where the head has none, plan, execute, verify, commit. */
#ifndef RWL_ENGINE_REWRITE_H
#define RWL_ENGINE_REWRITE_H

#include "engine/rewrite_options.h"

/* Figures of what was committed; in a dry run of what would be. */
typedef struct rwl_rewrite_result {
    int64_t groups, input_files;
    int64_t planned_groups;
    int64_t commits, failed_commits; /* failed: lost to another writer, their groups stay as they were */
    int64_t input_bytes, output_bytes;
    int64_t rows_in, rows_out, rows_without_lineage;
    int64_t pages_copied, pages_encoded; /* data pages whose bodies are those of an input, and the others */
    int64_t groups_stitched;
    int64_t
        sort_disk_bytes; /* of temporary files, about, at once, as far as the plan tells; 0: sorting fits memory */
    int64_t next_row_id_before; /* -1 below v3 */
    rwl_digest before, after;   /* of the rows of the rewritten files */
    int64_t skipped_right_size, skipped_too_few_files, skipped_no_gain, skipped_filtered;
    bool complete; /* no limit, deadline or lost commit left something for another run */
    int64_t assigned_snapshot_id, assigned_rows; /* -1 and 0 when the head had ids */
} rwl_rewrite_result;

/*
 * Rewrites the head of the table's branch. `table` is moved to the freshest version first when ids had to be given, and after
 * commits when deletes are looked through. `commit` has the ids and numbers of the last commit and the sums over all; its
 * conflicts name the groups of commits that were lost. With several commits CONFLICT means that none succeeded, or more
 * failed than may; after any other failure those made before it stay.
 */
RWL_MUST_CHECK rwl_status rwl_rewrite(rwl_table *table, rwl_op *op, const rwl_rewrite_options *options,
                                      rwl_commit_outcome *commit, rwl_rewrite_result *result, rwl_error *err);

#endif
