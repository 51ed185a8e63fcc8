/* SPDX-License-Identifier: Apache-2.0 */
/* Telling people who named no table what they may have meant. */
#ifndef RWL_ENGINE_NO_TABLE_H
#define RWL_ENGINE_NO_TABLE_H

#include "base/arena.h"
#include "storage/store.h"

/*
 * Adds to `err`, in which opening `table` has just failed with NOT_FOUND, what there is instead: the table in front of an '@' that a
 * slash follows, the Lance dataset around a folder, the datasets in it. Leaves `err` alone when there is nothing of the kind. Always
 * NOT_FOUND.
 */
rwl_status rwl_no_table_hint(rwl_store *store, rwl_op *op, const char *table, rwl_arena *arena,
                             rwl_error *err);

#endif
