/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files a rewrite takes, and in which groups (the rules of Iceberg's rewrite_data_files, CLI.md "rewrite").
 *
 * A file is a candidate when it is smaller than min, larger than max, or has many deletes. Candidates of one partition of
 * the default spec form groups of at most max_group_bytes, in plan order; files of older specs form one group, split by
 * the new partition when written. Files whose rows have no lineage yet never share a group with others (law 8). A group is
 * taken when it has enough files, is larger than target, or deletes ask for it; and left when nothing would be gained.
 */
#ifndef RWL_ENGINE_REWRITE_PLAN_H
#define RWL_ENGINE_REWRITE_PLAN_H

#include "engine/table.h"

#include "base/map.h"
#include "base/vec.h"

/* The order in which groups are written (Spark's rewrite-job-order). */
typedef enum rwl_rewrite_order {
    RWL_REWRITE_ORDER_NONE, /* partitions by their first file, then files */
    RWL_REWRITE_ORDER_BYTES_ASC,
    RWL_REWRITE_ORDER_BYTES_DESC,
    RWL_REWRITE_ORDER_FILES_ASC,
    RWL_REWRITE_ORDER_FILES_DESC
} rwl_rewrite_order;

typedef struct rwl_rewrite_rules {
    int64_t target_bytes, min_bytes, max_bytes;
    int32_t min_input_files;
    double delete_ratio;  /* 0 < ratio <= 1 */
    int64_t delete_files; /* that many delete files make a file a candidate */
    int64_t max_group_bytes;
    int64_t max_group_files; /* 0: no limit */
    int64_t max_files;       /* of all groups, the last one cut short in planning order; 0: no limit */
    int64_t max_total_bytes; /* of all groups; a first one that is larger is cut short; 0: no limit */
    rwl_rewrite_order order;
    bool rewrite_all;               /* every live file, no group is left */
    const rwl_sort_order *sort;     /* NULL keeps plan order */
    const rwl_partition_spec *spec; /* of new files; NULL: the default one */
} rwl_rewrite_rules;

typedef struct rwl_rewrite_group {
    int64_t number;             /* from 1, in the order they are written */
    int32_t spec_id;            /* of its files: the default spec, or -1 when of older ones */
    const rwl_value *partition; /* NULL with older specs */
    bool with_lineage;          /* every row has an id */
    const rwl_fragment *fragments;
    size_t fragment_count;
    int64_t bytes, rows, deleted_rows; /* deleted: positions of vectors and file-scoped deletes */
    int64_t expected_files;
    const char *reason; /* static text */
} rwl_rewrite_group;

typedef struct rwl_rewrite_plan {
    rwl_arena arena;
    RWL_VEC(void *) blocks; /* of the groups' fragments */
    rwl_rewrite_group *groups;
    size_t group_count;
    int64_t skipped_right_size, skipped_too_few_files, skipped_no_gain, skipped_filtered; /* files */
    bool complete; /* no limit left a file for another run */
    /* Position delete files that name several data files: location → live files each applies to. Empty with a filter, which
     * hides files. */
    rwl_map shared_deletes;
} rwl_rewrite_plan;

/* The rules of a rewrite without options for files of `target_bytes`, 0: the table's write.target-file-size-bytes. */
RWL_MUST_CHECK rwl_status rwl_rewrite_rules_default(const rwl_metadata *metadata, int64_t target_bytes,
                                                    rwl_rewrite_rules *out, rwl_error *err);
/* Files the new data of `bytes` would be written as (Iceberg's expectedOutputFiles). At least 1. */
int64_t rwl_rewrite_expected_files(const rwl_rewrite_rules *rules, int64_t bytes);
/* Of an input of `bytes`, what goes into one output (Iceberg's inputSplitSize). */
int64_t rwl_rewrite_split_bytes(const rwl_rewrite_rules *rules, int64_t bytes);
/* A file being written is closed at this size: half way from target to max. */
int64_t rwl_rewrite_roll_bytes(const rwl_rewrite_rules *rules);

/* Plans over the live files of the table's snapshot that may satisfy `filter` (NULL for all). */
RWL_MUST_CHECK rwl_status rwl_rewrite_plan_make(const rwl_table *table, rwl_op *op, const rwl_expr *filter,
                                                const rwl_rewrite_rules *rules, rwl_rewrite_plan *out,
                                                rwl_error *err);
void rwl_rewrite_plan_clear(rwl_rewrite_plan *plan);

#endif
