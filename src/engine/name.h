/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's names of tables: TABLE, TABLE@REF and TABLE@{TIME} (CLI.md, "Naming a table"). */
#ifndef RWL_ENGINE_NAME_H
#define RWL_ENGINE_NAME_H

#include "base/arena.h"
#include "storage/store.h"

typedef struct rwl_name {
    const char *table; /* directory, URL or metadata file */
    const char *state; /* what follows the '@', NULL when none */
    const char *time;  /* between the braces of "@{…}", NULL when none */
} rwl_name;

/*
 * An existing path wins; else "@{TIME}" is cut from the end, and REF starts at the last '@' after the last '/' of the rest
 * (so TABLE@BRANCH@{TIME} is a branch at a time). UNSUPPORTED for what is not here yet: catalog names, other schemes, bare data
 * files other than Parquet.
 */
RWL_MUST_CHECK rwl_status rwl_name_parse(rwl_store *store, rwl_op *op, const char *text, rwl_arena *arena,
                                         rwl_name *out, rwl_error *err);

#endif
