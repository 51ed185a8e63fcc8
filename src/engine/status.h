/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What state a table is in, from metadata and manifests alone: no data file and no delete file is opened.
 *
 * Live rows are the records of live data files less the positions that surely are deleted in them: all of a deletion vector, of
 * position delete files that name one file the one with most. What equality deletes and position deletes of several files hit is not
 * in the metadata: then rows is an upper bound and deleted_rows a lower one.
 */
#ifndef RWL_ENGINE_STATUS_H
#define RWL_ENGINE_STATUS_H

#include "engine/table.h"

typedef struct rwl_table_status {
    int64_t rows, deleted_rows;
    bool is_exact;
    int64_t data_files, bytes;
    int64_t small_files, small_bytes,
        small_partitions; /* data files below small_limit, and partitions with any */
    int64_t small_limit;  /* bytes from which a rewrite leaves a file alone */
    int64_t delete_files, vectors, position_files, equality_files;
    bool lineage_complete; /* every live data file has a first_row_id */
    int64_t rows_without_lineage;
    /* of a rewrite with its default rules */
    int64_t due_groups, due_files, due_bytes, due_expected_files;
    bool assignment_due; /* a v3 head whose rows have no ids yet */
    const char *writers; /* JSON, see CLI.md "status"; all in `arena` */
    const char *due;
    const char *cautions;
    rwl_arena arena;
} rwl_table_status;

/* Fills `out`, to be cleared by the caller when this succeeds. */
RWL_MUST_CHECK rwl_status rwl_table_status_read(const rwl_table *table, rwl_op *op, rwl_table_status *out,
                                                rwl_error *err);
void rwl_table_status_clear(rwl_table_status *status);

#endif
