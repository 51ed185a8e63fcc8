/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change set: what an operation wants a table to become, in files. A driver (iceberg/update.h) turns it and the
 * freshest table state into the next metadata, anew for each attempt, so nothing here names a sequence number or
 * row id of the commit to come (law 4).
 */
#ifndef RWL_TABLE_CHANGE_H
#define RWL_TABLE_CHANGE_H

#include "base/vec.h"
#include "table/fragment.h"

typedef enum rwl_operation {
    RWL_OPERATION_APPEND,
    RWL_OPERATION_DELETE,
    RWL_OPERATION_OVERWRITE,
    RWL_OPERATION_REPLACE
} rwl_operation;
const char *rwl_operation_name(rwl_operation operation); /* "append", … */

/* Counts and bounds of one column of a new file; spans in binary single-value form, data NULL for none. */
typedef struct rwl_column_metrics {
    int32_t field_id;
    int64_t column_size, value_count;
    int64_t null_count; /* -1 when unknown */
    int64_t nan_count;  /* -1 for types without NaN, or unknown */
    bool with_counts;   /* false: mode none, only column_size is told (and that only with counts) */
    rwl_span lower, upper;
} rwl_column_metrics;

/* The stored lineage columns of a new file, as read back from it. */
typedef struct rwl_stored_lineage {
    bool present; /* both columns are in the file */
    int64_t null_ids, null_versions;
    int64_t min_id, max_id; /* over non-null ids; min > max when there are none */
} rwl_stored_lineage;

typedef struct rwl_added_file {
    const char *location;
    const char *format;
    int64_t file_size, row_count;
    int32_t spec_id;
    const rwl_value *partition;
    int32_t partition_count;
    int32_t sort_order_id;
    const rwl_column_metrics *metrics;
    int32_t metrics_count;
    const int64_t *split_offsets;
    int32_t split_count;
    rwl_stored_lineage lineage;
} rwl_added_file;

/* A deletion vector for a live fragment. It replaces every earlier delete named in `replaces`. */
typedef struct rwl_added_vector {
    const char *data_file; /* the fragment's location, byte for byte */
    int32_t spec_id;
    const rwl_value *partition;
    int32_t partition_count;
    const char *location; /* Puffin file */
    int64_t file_size, offset, length, cardinality;
    int64_t data_sequence_number; /* of the fragment when planned; checked on each attempt */
} rwl_added_vector;

/* A file that must be live when the commit happens, and is not afterwards. */
typedef struct rwl_removed_file {
    const char *location;
    int32_t spec_id;
    int64_t row_count, file_size;
} rwl_removed_file;

/* A delete file (or one vector in a Puffin file) that is not live afterwards. */
typedef struct rwl_removed_delete {
    rwl_delete_kind kind;
    const char *location;
    int64_t offset;        /* DELETE_VECTOR: identity is location and offset; else -1 */
    const char *data_file; /* the fragment it was scoped to, NULL when several */
} rwl_removed_delete;

/* Files and deletes that go, as they are collected. Names are borrowed from the fragments. */
typedef struct rwl_removals {
    RWL_VEC(rwl_removed_file) files;
    RWL_VEC(rwl_removed_delete) deletes;
} rwl_removals;
void rwl_removals_clear(rwl_removals *removals, const rwl_env *env);
/* The deletes that name this fragment alone: its vector, file-scoped position deletes. Others may apply to other live files. */
RWL_MUST_CHECK rwl_status rwl_removals_add_deletes(rwl_removals *removals, const rwl_env *env,
                                                   const rwl_fragment *fragment, rwl_error *err);
/* The fragment's file, and these deletes with it. */
RWL_MUST_CHECK rwl_status rwl_removals_add_file(rwl_removals *removals, const rwl_env *env,
                                                const rwl_fragment *fragment, rwl_error *err);

typedef struct rwl_change_set {
    rwl_operation operation;
    int64_t planned_snapshot_id;  /* the state it was planned from, -1 for none (append) */
    int64_t data_sequence_number; /* of added files; -1: the commit's own */
    bool pin;                     /* store-carried ids: give the manifest of added files its least id */
    const rwl_added_file *added_files;
    size_t added_file_count;
    const rwl_removed_file *removed_files;
    size_t removed_file_count;
    const rwl_added_vector *added_vectors;
    size_t added_vector_count;
    const rwl_removed_delete *removed_deletes;
    size_t removed_delete_count;
    const char *const *summary_keys, *const *summary_values; /* extra snapshot properties */
    size_t summary_count;
} rwl_change_set;

/* What one attempt would do or did: the figures of CLI.md "Commits". */
typedef struct rwl_change_result {
    int64_t snapshot_id, parent_snapshot_id, sequence_number;
    int64_t added_data_files, removed_data_files, added_delete_files, removed_delete_files;
    int64_t added_records, removed_records;
    int64_t first_row_id, added_rows, next_row_id; /* -1 below v3 */
} rwl_change_result;

/* How a change is tried. */
typedef struct rwl_attempt_options {
    const char *branch;    /* "main" */
    const char *commit_id; /* uuid text: in names of metadata files, and the summary's rowline.commit-id */
    int64_t snapshot_id;
    bool dry_run; /* nothing is written; figures only */
} rwl_attempt_options;

/* The other side of a conflict. */
typedef struct rwl_conflict {
    int64_t snapshot_id; /* the other commit */
    char engine[128];
    char file[1024];                 /* the shared file */
    int64_t first_group, last_group; /* of a rewrite that were not committed for it; 0: none, or all */
} rwl_conflict;

#endif
