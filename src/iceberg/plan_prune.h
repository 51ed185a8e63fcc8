/* SPDX-License-Identifier: Apache-2.0 */
/* What manifests and data files tell about the columns of a filter, as facts for expr/. */
#ifndef RWL_ICEBERG_PLAN_PRUNE_H
#define RWL_ICEBERG_PLAN_PRUNE_H

#include "expr/expr.h"
#include "iceberg/manifest.h"

typedef struct rwl_plan_pruner {
    const rwl_metadata *metadata;
    const rwl_bound *filter; /* NULL: nothing is pruned */
    const rwl_field *fields; /* rwl_filter_fields */
    int32_t field_count;
    /* the subject of the current question */
    const rwl_manifest *manifest;
    const rwl_manifest_entry *entry;
    const rwl_partition_spec *spec; /* NULL when the table does not have it */
} rwl_plan_pruner;

/* False when surely no row of the manifest is selected: by the summaries of identity partition fields. */
bool rwl_plan_may_match_manifest(rwl_plan_pruner *p, const rwl_manifest *manifest);
/* False when surely no row of the file is selected: by identity partition values, metrics, and what is
 * constant. */
bool rwl_plan_may_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry);
/* True when surely every row of the file is selected. */
bool rwl_plan_must_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry);

#endif
