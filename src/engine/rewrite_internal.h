/* SPDX-License-Identifier: Apache-2.0 */
/* A rewrite under way, and its parts: memory, execution, commits, deletes that are left over. */
#ifndef RWL_ENGINE_REWRITE_INTERNAL_H
#define RWL_ENGINE_REWRITE_INTERNAL_H

#include "base/uuid.h"
#include "engine/rewrite.h"

typedef struct rwl_rewrite_run {
    rwl_table *table;
    rwl_op *op;
    const rwl_rewrite_options *options;
    rwl_commit_outcome *commit;
    rwl_rewrite_result *result;
    rwl_arena arena;
    rwl_rewrite_settings settings;
    rwl_rewrite_plan plan;
    rwl_group_job *jobs;        /* one a group */
    int32_t parallel;           /* groups at once */
    rwl_sorter_options sorting; /* of each of them */
    int64_t deadline_ns;        /* of the monotonic clock; 0: none */
    atomic_llong rows_done;
    char operation_id[RWL_UUID_TEXT_LEN + 1];
    rwl_row_sums before, after; /* of what was committed */
    int64_t planned_snapshot_id, data_sequence_number;
} rwl_rewrite_run;

/* Groups next to each other that are executed, verified and committed together. */
typedef struct rwl_rewrite_part {
    size_t first, count;
} rwl_rewrite_part;

/* --- rewrite_memory.c --- */

/* As many groups at once, of so many in a part, as there are threads and the budget holds; refuses a budget too small for one
 * (UNSUPPORTED), before any work. */
RWL_MUST_CHECK rwl_status rwl_rewrite_divide_memory(rwl_rewrite_run *r, size_t groups, rwl_error *err);
/* Bytes of temporary files of the groups that are sorted at once, about. */
int64_t rwl_rewrite_sort_disk(const rwl_rewrite_run *r);

/* --- rewrite_run.c --- */

RWL_MUST_CHECK rwl_status rwl_rewrite_make_jobs(rwl_rewrite_run *r, rwl_error *err);
/* Runs the part's jobs and verifies what they wrote, each by itself and ids across them (law 1). Jobs that the deadline kept
 * from beginning are not done. */
RWL_MUST_CHECK rwl_status rwl_rewrite_run_part(rwl_rewrite_run *r, rwl_rewrite_part part, rwl_error *err);
/* The figures a run would have: identities from the files, sizes as far as the plan knows them. */
RWL_MUST_CHECK rwl_status rwl_rewrite_forecast(const rwl_rewrite_run *r, rwl_error *err);

/* --- rewrite_commit.c --- */

/* Commits what the part's jobs have done, if anything, and adds it to the figures. Files of a part that is not committed are
 * removed with its jobs. */
RWL_MUST_CHECK rwl_status rwl_rewrite_commit_part(rwl_rewrite_run *r, rwl_rewrite_part part, rwl_error *err);
/* Adds a commit to the outcome of all. */
void rwl_rewrite_add_outcome(rwl_rewrite_run *r, const rwl_commit_outcome *one);

/* --- rewrite_dangling.c --- */

/*
 * Removes deletes that apply to no live file, in a commit of their own when there are any: an equality delete when no file in
 * its scope is older, a position delete or vector when none is as old, or the one file it names is not live. The scope is the
 * partition; of an equality delete of an unpartitioned spec the table.
 */
RWL_MUST_CHECK rwl_status rwl_rewrite_remove_dangling(rwl_rewrite_run *r, rwl_error *err);

#endif
