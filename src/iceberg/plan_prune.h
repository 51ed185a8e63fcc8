/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What manifests and data files tell about the columns of a filter, as facts for expr/: partition summaries and values
 * through every transform of the manifest's own spec, counts and bounds, and what is constant in a file.
 *
 *   1  A file is left out by its partition alone, or by all that is known of it. What is said of a manifest's partitions
 *      holds for each of its files, so a file whose partition a delete manifest cannot concern is never kept.
 *   2  Counts are believed where value_count is the file's record_count, those of top-level columns also without one;
 *      negative ones are unknown.
 *   3  Bounds are not believed when one is NaN or lies above the other, and an upper one that is no text is none. Those of
 *      uuids never are: Java compared them as signed numbers where it merged those of row groups (which are unsigned), and
 *      others were wrong otherwise; nothing in what comes out shows it. Those of floats are where NaN is counted: Java's
 *      bounds of files that were added as they were leave out the row groups that have a NaN.
 *   4  A row's _row_id is stored, or inherited from first_row_id by its position; its _last_updated_sequence_number is
 *      stored, or the file's. They are known within bounds only where the metrics have both bounds of what is stored, or
 *      count no stored value: a writer may leave out metrics of columns that are there.
 */
#ifndef RWL_ICEBERG_PLAN_PRUNE_H
#define RWL_ICEBERG_PLAN_PRUNE_H

#include "expr/expr.h"
#include "iceberg/manifest.h"

/* Used by one thread at a time: `subject` members are the current question's. */
typedef struct rwl_plan_pruner {
    const rwl_metadata *metadata;
    const rwl_bound *filter; /* NULL: nothing is pruned */
    const rwl_field *fields; /* rwl_filter_fields */
    int32_t field_count;
    rwl_arena scratch; /* bounds made up for a question */
    const rwl_manifest *manifest;
    const rwl_manifest_entry *entry;
    const rwl_partition_spec *spec; /* NULL when the table does not have it */
    bool by_tuple;                  /* its partitions say something of the filter's columns */
} rwl_plan_pruner;

/* A pruner of its own for another thread; nothing else of `from` is shared but what is never changed. */
void rwl_plan_pruner_init(rwl_plan_pruner *p, const rwl_plan_pruner *from, const rwl_env *env);
void rwl_plan_pruner_clear(rwl_plan_pruner *p);

/* The columns whose metrics the questions about files ask for, in `arena`; wanted->counts false when there are none. */
RWL_MUST_CHECK rwl_status rwl_plan_pruner_wanted(const rwl_plan_pruner *p, rwl_arena *arena,
                                                 rwl_manifest_wanted *wanted, rwl_error *err);

/* False when surely no row of the data manifest is selected; of a delete manifest, when no data file it applies to has
 * such a row. */
bool rwl_plan_may_match_manifest(rwl_plan_pruner *p, const rwl_manifest *manifest);
/* False when surely no row of the file is selected. */
bool rwl_plan_may_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry);
/* True when surely every row of the file is selected. */
bool rwl_plan_must_match_file(rwl_plan_pruner *p, const rwl_manifest_entry *entry);

#endif
