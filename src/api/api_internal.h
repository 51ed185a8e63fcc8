/* SPDX-License-Identifier: Apache-2.0 */
/* The handles behind include/rowline. */
#ifndef RWL_API_API_INTERNAL_H
#define RWL_API_API_INTERNAL_H

#include "base/thread.h"
#include "engine/change_common.h"
#include "engine/scan.h"
#include "engine/table.h"
#include "lineage/digest.h"

#include <rowline/rowline.h>

struct rowline_context {
    rwl_env env;
    rwl_op op; /* budget, cancel flag and progress of all its operations */
    rowline_context_options options;
};

struct rowline_table {
    rowline_context *context;
    rwl_table *table;
    rwl_mutex filling;       /* held by who fills, or looks whether it is filled, what follows */
    rwl_arena arena;         /* what describe gives */
    rowline_table_info info; /* filled once */
    bool described;
    rowline_table_figures figures; /* filled once, texts in the arena */
    bool has_figures;
    const char *details; /* of a Lance dataset, filled once */
};

/* Copies a caller's options struct of any age into one of ours, zeroed where it is shorter. USAGE when struct_size was not set. */
RWL_MUST_CHECK rwl_status rwl_api_options(void *out, size_t out_size, const void *given, rwl_error *err);
/* Copies a result of ours into the caller's struct of any age. */
void rwl_api_result(void *given, const void *ours, size_t our_size);

/* What describe and status say of a Lance dataset; both fill the handle, `filling` is held. */
RWL_MUST_CHECK rwl_status rwl_api_describe_lance(rowline_table *table, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_api_status_lance(rowline_table *table, rwl_error *err);

/* The extra summary properties of a change as two lists, in `arena`. */
RWL_MUST_CHECK rwl_status rwl_api_change(const rowline_change_options *given, rwl_arena *arena,
                                         rwl_change_options *out, rwl_error *err);
/* Checks that the handle may be changed. */
RWL_MUST_CHECK rwl_status rwl_api_check_change(const rowline_table *table, rwl_error *err);
/* The figures of a commit, as the public struct has them. `operation` is static text or NULL. */
void rwl_api_commit(const rowline_context *context, rowline_commit *given, const rwl_commit_outcome *outcome,
                    const char *operation, bool dry_run, int64_t wall_ms);
void rwl_api_digest(rowline_digest *given, const rwl_digest *from);
/* A scan, which is taken, as a stream whose statistics rowline_scan_get_stats tells. */
RWL_MUST_CHECK rwl_status rwl_api_scan_stream(const rowline_context *context, rwl_scan *scan,
                                              struct ArrowArrayStream *out, rwl_error *err);
int64_t rwl_api_now_ms(const rowline_context *context); /* monotonic */

#endif
