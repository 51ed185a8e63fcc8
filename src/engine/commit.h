/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only commit loop: load the freshest metadata, validate and rebuild on it, swap; after a lost race, back off and again
 * (commit.retry.*). Three outcomes and no fourth: committed, not committed (its manifests removed), unknown (nothing removed).
 */
#ifndef RWL_ENGINE_COMMIT_H
#define RWL_ENGINE_COMMIT_H

#include "engine/table.h"

enum { RWL_CONFLICTS_MAX = 16 }; /* conflicts remembered by name */

typedef struct rwl_commit_request {
    const rwl_change_set *change;
    const char *branch;
    int32_t upgrade_to; /* format version to upgrade to in the same swap; 0: none */
    bool metadata_only; /* with upgrade_to: no snapshot */
    bool dry_run;
    int64_t known_snapshot_id; /* the caller's own commit since the plan, no other's; 0: none */
} rwl_commit_request;

typedef struct rwl_commit_outcome {
    rwl_change_result result;
    int32_t attempts;     /* states it was tried on; that of the plan counts when others committed since */
    int64_t deleted_rows; /* live rows that a delete ended; set by it, after the commit */
    char commit_id[40];
    rwl_conflict conflicts
        [RWL_CONFLICTS_MAX]; /* commits that came in between; last the one that can not be overcome */
    int32_t conflict_count;
} rwl_commit_outcome;

/* CONFLICT names the other commit. COMMIT_UNKNOWN carries the commit id to look for. The caller removes its own data files
 * after every failure but COMMIT_UNKNOWN. */
RWL_MUST_CHECK rwl_status rwl_commit(const rwl_table *table, rwl_op *op, const rwl_commit_request *request,
                                     rwl_commit_outcome *out, rwl_error *err);

#endif
