/* SPDX-License-Identifier: Apache-2.0 */
/* A rewrite from end to end: give ids where the head has none, plan, execute, verify, commit once. */
#ifndef RWL_ENGINE_REWRITE_H
#define RWL_ENGINE_REWRITE_H

#include "engine/change_common.h"
#include "engine/rewrite_group.h"

typedef struct rwl_rewrite_options {
    rwl_change_options change;
    const char *where; /* NULL: all files */
    const char *sort;  /* NULL: plan order */
    /* 0: the default of CLI.md */
    int64_t target_bytes, min_bytes, max_bytes;
    int32_t min_input_files;
    double delete_ratio;
    int64_t delete_files;
    int64_t max_group_bytes;
    bool rewrite_all;
    bool verify_lineage_only;
    bool no_pin;
    rwl_row_id_encoding row_id_encoding;
    /* Called once a planned group before any work; non-zero stops (INTERRUPTED). May be NULL. */
    int32_t (*each_group)(void *ctx, const rwl_metadata *metadata, const rwl_rewrite_group *group);
    void *each_group_ctx;
    void (*tamper)(void *ctx, rwl_rows *rows); /* see rwl_group_job */
    void *tamper_ctx;
} rwl_rewrite_options;

typedef struct rwl_rewrite_result {
    int64_t groups, input_files;
    int64_t input_bytes, output_bytes;
    int64_t rows_in, rows_out, rows_without_lineage;
    int64_t pages_copied, pages_encoded; /* data pages whose bodies are those of an input, and the others */
    int64_t groups_stitched;
    int64_t
        sort_disk_bytes; /* of temporary files, about, at once, as far as the plan tells; 0: sorting fits memory */
    int64_t next_row_id_before; /* -1 below v3 */
    rwl_digest before, after;   /* of the rows of the rewritten files */
    int64_t skipped_right_size, skipped_too_few_files, skipped_no_gain, skipped_filtered;
    int64_t assigned_snapshot_id, assigned_rows; /* -1 and 0 when the head had ids */
} rwl_rewrite_result;

/* Rewrites the head of the table's branch. `table` is moved to the freshest version first when ids had to be given. */
RWL_MUST_CHECK rwl_status rwl_rewrite(rwl_table *table, rwl_op *op, const rwl_rewrite_options *options,
                                      rwl_commit_outcome *commit, rwl_rewrite_result *result, rwl_error *err);

#endif
