/* SPDX-License-Identifier: Apache-2.0 */
/* What every change shares: the extra summary properties, dry runs, and the checks before work begins. */
#ifndef RWL_ENGINE_CHANGE_COMMON_H
#define RWL_ENGINE_CHANGE_COMMON_H

#include "engine/commit.h"

typedef struct rwl_change_options {
    const char *const *summary_keys, *const *summary_values; /* --snapshot-property */
    size_t summary_count;
    bool dry_run;
} rwl_change_options;

/* Refuses tables that can't be written: format version 1, with the command that helps. */
RWL_MUST_CHECK rwl_status rwl_change_check_version(const rwl_metadata *metadata, int32_t least_version,
                                                   const char *what, rwl_error *err);
/* The store to write with: the table's, or one that writes nothing in a dry run (freed with rwl_change_store_free). */
RWL_MUST_CHECK rwl_status rwl_change_store(const rwl_table *table, const rwl_change_options *options,
                                           rwl_store **out, rwl_error *err);
void rwl_change_store_free(const rwl_table *table, rwl_store *store);
/* The result of writing a file that only a later commit would name: whether it is there may be unknown, but nothing is committed, so
 * COMMIT_UNKNOWN becomes IO. */
RWL_MUST_CHECK rwl_status rwl_change_part(rwl_status st, rwl_error *err);
/* Removes such a file, if it is there; one that stays is logged. */
void rwl_change_remove_part(rwl_store *store, rwl_op *op, const char *location);
/* The outcome of an operation that had nothing to do. */
void rwl_change_nothing(const rwl_table *table, rwl_commit_outcome *out);

#endif
