/* SPDX-License-Identifier: Apache-2.0 */
/* Executing one group of a rewrite: read live rows with lineage, write them with it, read back what was written. */
#ifndef RWL_ENGINE_REWRITE_GROUP_H
#define RWL_ENGINE_REWRITE_GROUP_H

#include "engine/data_writer.h"
#include "engine/rewrite_plan.h"
#include "engine/sorter.h"
#include "engine/verify_copies.h"

typedef struct rwl_group_job {
    rwl_store *store;
    rwl_op *op;
    const rwl_metadata *metadata;
    struct rwl_delete_cache *deletes; /* the table's */
    const rwl_rewrite_group *group;
    const rwl_rewrite_rules *rules;
    const char *operation_id;
    rwl_row_id_encoding row_id_encoding;
    bool verify_full;
    rwl_sorter_options sorting; /* of groups that are sorted */
    bool overlap;               /* the pool is free: read ahead while writing */
    atomic_llong *rows_done;    /* progress of all jobs of the rewrite */
    int64_t rows_total;
    int64_t data_sequence_number;
    int64_t deadline_ns;    /* of the monotonic clock: the job does not begin after it; 0: none */
    rwl_distinct *distinct; /* ids of all jobs of the rewrite */
    rwl_mutex *distinct_lock;
    /* Tests change rows here on their way to the writer, to see that verification finds it. NULL otherwise. */
    void (*tamper)(void *ctx, rwl_rows *rows);
    void *tamper_ctx;
    /* Likewise the files that were written, before they are verified. */
    void (*damage)(void *ctx, struct rwl_group_job *job);
    void *damage_ctx;
    /* results */
    bool done;             /* false after success: the deadline had passed */
    rwl_data_files *files; /* owns the new files until released */
    bool stitched;         /* pages were copied, rows not decoded */
    rwl_schema sources;    /* then: columns that are verified row by row (verify_copies.h) */
    rwl_row_sums before, after;
    rwl_copies_stats copies; /* of stitched files */
} rwl_group_job;

/* Runs the job. On failure the new files are removed when the job is cleared. A task function: `arg` is the job. */
RWL_MUST_CHECK rwl_status rwl_group_job_run(void *arg, rwl_error *err);
/* Verifies what the job wrote: sums its rows up in job->after, which must be as before. */
RWL_MUST_CHECK rwl_status rwl_group_job_verify(rwl_group_job *job, rwl_error *err);
/* What verification looked at, for the pass over ids. */
rwl_verify_request rwl_group_job_request(const rwl_group_job *job);
void rwl_group_job_clear(rwl_group_job *job);

#endif
