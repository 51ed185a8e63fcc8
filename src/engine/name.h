/* SPDX-License-Identifier: Apache-2.0 */
/* The command line's names of tables: TABLE and TABLE@REF (CLI.md, "Naming a table"). */
#ifndef RWL_ENGINE_NAME_H
#define RWL_ENGINE_NAME_H

#include "base/arena.h"
#include "storage/store.h"

typedef struct rwl_name {
    const char *table; /* directory, URL or metadata file */
    const char *state; /* what follows the '@', NULL when none */
} rwl_name;

/*
 * An existing path wins; else REF starts at the last '@' after the last '/'. UNSUPPORTED for what is not here yet:
 * catalog names, times, other schemes, bare data files other than Parquet.
 */
RWL_MUST_CHECK rwl_status rwl_name_parse(rwl_store *store, rwl_op *op, const char *text, rwl_arena *arena,
                                         rwl_name *out, rwl_error *err);

#endif
