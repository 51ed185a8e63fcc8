/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lance datasets as tables: which directory is one, and which version the command line means (CLI.md, "Naming a table").
 *
 *   TABLE, TABLE@main         the newest version of main           TABLE@7, --snapshot 7     version 7 of main
 *   TABLE@dev, --ref dev      the newest of a branch, a tag's      --ref dev --snapshot 7    version 7 of branch dev
 *   …@{TIME}, --as-of TIME    the newest at or before it, of main or the branch
 */
#ifndef RWL_ENGINE_LANCE_TABLE_H
#define RWL_ENGINE_LANCE_TABLE_H

#include "engine/name.h"
#include "engine/table.h"

/* Whether a location holds a dataset. UNSUPPORTED when it holds an Iceberg table as well. */
RWL_MUST_CHECK rwl_status rwl_lance_table_is(rwl_store *store, rwl_op *op, const char *location,
                                             rwl_arena *arena, bool *is, rwl_error *err);
/* Opens the version that the name and the options say: lance, schema and branch of `table`, whose store is there. */
RWL_MUST_CHECK rwl_status rwl_lance_table_open(rwl_table *table, rwl_op *op, const rwl_name *name,
                                               const rwl_table_options *options, rwl_error *err);
/* The same of `at`, a copy of `table` with an arena of its own. Numbers are versions of the branch `table` is on. */
RWL_MUST_CHECK rwl_status rwl_lance_table_at(const rwl_table *table, rwl_op *op, const char *state,
                                             rwl_table *at, rwl_error *err);

#endif
