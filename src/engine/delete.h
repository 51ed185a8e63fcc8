/* SPDX-License-Identifier: Apache-2.0 */
/* Deleting rows by deletion vectors. */
#ifndef RWL_ENGINE_DELETE_H
#define RWL_ENGINE_DELETE_H

#include "engine/change_common.h"

/*
 * Deletes the live rows that satisfy `where`. The vector of a file holds every position deleted so far; vectors and file-scoped
 * position deletes that it replaces go in the same snapshot, shared ones stay. A file whose last row goes is removed with
 * its deletes (ICE-28, ICE-110 to 112). Nothing matched: nothing is committed.
 */
RWL_MUST_CHECK rwl_status rwl_delete(const rwl_table *table, rwl_op *op, const char *where,
                                     const rwl_change_options *options, rwl_commit_outcome *out,
                                     rwl_error *err);

#endif
