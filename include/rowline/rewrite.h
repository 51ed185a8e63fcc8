/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting data files with every row id and version carried exactly. */
#ifndef ROWLINE_REWRITE_H
#define ROWLINE_REWRITE_H

#include <rowline/read.h>
#include <rowline/write.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ROWLINE_VERIFY_FULL = 0, ROWLINE_VERIFY_LINEAGE = 1 };
/* How stored row ids are encoded: delta (DELTA_BINARY_PACKED), or plain for readers that know no other. */
enum { ROWLINE_ROW_ID_DEFAULT = 0, ROWLINE_ROW_ID_PLAIN = 1, ROWLINE_ROW_ID_DELTA = 2 };

/* 0 (and a zeroed struct) means the default everywhere; rowline-rewrite(1). */
typedef struct rowline_rewrite_options {
    size_t struct_size;
    rowline_change_options change;
    const char *where; /* files that may match are rewritten whole */
    const char *sort;  /* "a, b desc nulls last"; NULL keeps plan order */
    int64_t target_file_size, min_file_size, max_file_size;
    int32_t min_input_files;
    double delete_ratio;
    int64_t delete_files;
    int64_t max_group_size;
    int32_t rewrite_all;
    int32_t verify;          /* ROWLINE_VERIFY_… */
    int32_t no_pin;          /* 1: take a fresh range of ids for the new manifest, as Spark does */
    int32_t row_id_encoding; /* ROWLINE_ROW_ID_…; the default is delta */
    int64_t max_bytes;       /* of input in this run; the next goes on. 0: no limit */
    int64_t deadline_ms;     /* from now on; no group begins after it, what is done is committed. 0: none */
    int32_t max_commits;     /* groups are committed in up to so many commits, as they finish; 0: one */
    /* Options by the names of Spark's rewrite_data_files ("max-files-to-rewrite", …). */
    const rowline_property *options;
    size_t option_count;
} rowline_rewrite_options;

typedef struct rowline_rewrite {
    size_t struct_size; /* in: the caller's sizeof */
    int64_t groups;
    int64_t input_bytes, output_bytes;
    int64_t rows_in, rows_out, rows_without_lineage;
    int64_t pages_copied;       /* data pages whose stored bytes are those of an input */
    int64_t pages_encoded;      /* the others: decoded and encoded, or only compressed or numbered anew */
    int64_t next_row_id_before; /* -1 below v3 */
    int64_t peak_memory_bytes;
    rowline_digest digest_before, digest_after;
    int64_t skipped_files, skipped_right_size, skipped_too_few_files, skipped_no_gain, skipped_filtered;
    int32_t complete; /* 0: a limit, the deadline or a lost commit left something for another run */
    int64_t assigned_snapshot_id; /* -1: the head had ids already */
    int64_t assigned_rows;
    int64_t sort_disk_bytes; /* temporary files that sorting needs at once, about; 0: it fits the memory */
    int64_t planned_groups;  /* `groups` and the figures of files and rows are of those that were committed */
    int64_t commits, failed_commits;
} rowline_rewrite;

/* One group of files, chosen or left, as the plan has it: for --dry-run and progress. Strings live during the call. */
typedef struct rowline_rewrite_group {
    size_t struct_size;
    int64_t group;              /* from 1 */
    const char *partition;      /* "day=2026-11-28", "" when unpartitioned */
    const char *partition_json; /* object by field name */
    int32_t spec_id;
    const char *const *files;
    size_t file_count;
    int64_t input_bytes, rows, deleted_rows;
    int64_t expected_files;
    const char *reason; /* "small files", "deleted rows", "large files", "rewrite all", … */
} rowline_rewrite_group;

/* `each_group` (may be NULL) is called once a planned group before any work; returning non-zero stops with
 * ROWLINE_INTERRUPTED. With several commits a conflict costs the groups of its commit alone (failed_commits, and `groups` of
 * the conflict in the commit's conflicts_json); ROWLINE_CONFLICT when none succeeded. After any other failure the commits made
 * before it stay. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_table_rewrite(rowline_table *table, const rowline_rewrite_options *options,
                      int32_t (*each_group)(void *ctx, const rowline_rewrite_group *group), void *ctx,
                      rowline_commit *commit, rowline_rewrite *rewrite, rowline_error *err);

#ifdef __cplusplus
}
#endif

#endif
