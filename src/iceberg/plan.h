/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan planning: snapshot → manifest list → manifests (pruned by partition summaries) → data files
 * (pruned by partition and bounds) as fragments with the deletes that apply to each (specification, "Scan
 * Planning").
 */
#ifndef RWL_ICEBERG_PLAN_H
#define RWL_ICEBERG_PLAN_H

#include "expr/expr.h"
#include "iceberg/manifest.h"
#include "table/driver.h"

typedef struct rwl_plan rwl_plan;

typedef struct rwl_plan_options {
    const rwl_snapshot *snapshot; /* NULL: an empty plan */
    const rwl_schema *schema;     /* whose columns the filter names; NULL: the table's current one */
    const rwl_expr *filter;       /* NULL for none; bound by the plan, to rwl_filter_fields */
} rwl_plan_options;

/* Reads the delete manifests first (their live entries stay in memory), then streams data manifests. */
RWL_MUST_CHECK rwl_status rwl_plan_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                        const rwl_plan_options *options, rwl_plan **out, rwl_error *err);
void rwl_plan_close(rwl_plan *plan); /* NULL is fine */
/* The next fragment in manifest-list order, then entry order; valid until the next call. *out NULL at the
 * end. A fragment to which an equality delete applies is returned with it listed: readers refuse it by name.
 */
RWL_MUST_CHECK rwl_status rwl_plan_next(rwl_plan *plan, const rwl_fragment **out, rwl_error *err);
rwl_plan_stats rwl_plan_get_stats(const rwl_plan *plan);

#endif
