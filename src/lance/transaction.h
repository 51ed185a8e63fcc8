/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions: what a version's commit did ("lance.table": Transaction), from the manifest's own section or `_transactions/`. */
#ifndef RWL_LANCE_TRANSACTION_H
#define RWL_LANCE_TRANSACTION_H

#include "lance/manifest.h"

typedef struct rwl_lance_transaction {
    uint64_t read_version;
    const char *uuid;
    int32_t operation_number; /* field number of the operation; 0: none */
    const char *operation;    /* "Append", …; "operation 117" when unknown */
    int64_t added_fragments, removed_fragments,
        updated_fragments;    /* that it names; -1: not of this operation */
    const char *predicate;    /* Delete; NULL when none */
    int64_t restored_version; /* Restore; -1 */
    const rwl_lance_pair *properties;
    size_t property_count;
} rwl_lance_transaction;

/* Parses a message; strings are copied into `arena`. CORRUPT. */
RWL_MUST_CHECK rwl_status rwl_lance_transaction_parse(const rwl_env *env, rwl_span message, rwl_arena *arena,
                                                      rwl_lance_transaction *out, rwl_error *err);
/* A file that holds one and nothing else. */
RWL_MUST_CHECK rwl_status rwl_lance_transaction_file(rwl_store *store, rwl_op *op, const char *location,
                                                     rwl_arena *arena, rwl_lance_transaction *out,
                                                     rwl_error *err);
/* That of a version: the manifest's section, else the file it names under `root` (the directory with _transactions). *found false when there
 * is neither, or it is gone; a transaction that can't be read is no reason not to open a version, so CORRUPT is the caller's to
 * show or pass over. */
RWL_MUST_CHECK rwl_status rwl_lance_transaction_read(rwl_store *store, rwl_op *op,
                                                     const rwl_lance_manifest *manifest, const char *root,
                                                     rwl_arena *arena, rwl_lance_transaction *out,
                                                     bool *found, rwl_error *err);

#endif
