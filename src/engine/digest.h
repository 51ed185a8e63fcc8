/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and digests of a table state: every live row is looked at, fragments in parallel. */
#ifndef RWL_ENGINE_DIGEST_H
#define RWL_ENGINE_DIGEST_H

#include "engine/table.h"
#include "lineage/digest.h"

/* The digest over the live rows that satisfy `where` (NULL: all). */
RWL_MUST_CHECK rwl_status rwl_table_digest(const rwl_table *table, rwl_op *op, const char *where,
                                           rwl_digest *out, rwl_error *err);
/* How many live rows satisfy `where`; without one the files' counts and deletes are enough. */
RWL_MUST_CHECK rwl_status rwl_table_count(const rwl_table *table, rwl_op *op, const char *where, int64_t *out,
                                          rwl_error *err);

#endif
