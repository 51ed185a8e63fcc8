/* SPDX-License-Identifier: Apache-2.0 */
/* Which partition each row of a batch belongs to, partitions numbered as they appear. */
#ifndef RWL_ENGINE_PARTITIONER_H
#define RWL_ENGINE_PARTITIONER_H

#include "iceberg/partition.h"

typedef struct rwl_partitioner rwl_partitioner;

/* Rows of one partition in the batch that was split: order[first] … order[first + count - 1]. */
typedef struct rwl_partition_rows {
    int32_t partition;
    int32_t first, count;
} rwl_partition_rows;

/* `schema` and `spec` must outlive it. UNSUPPORTED, naming the field: an unknown transform, a source that is neither a column
 * nor a field of structs. */
RWL_MUST_CHECK rwl_status rwl_partitioner_new(const rwl_env *env, const rwl_schema *schema,
                                              const rwl_partition_spec *spec, rwl_partitioner **out,
                                              rwl_error *err);
void rwl_partitioner_free(rwl_partitioner *p); /* NULL is fine */
/*
 * Sorts the rows of `batch` (columns as in the schema) by partition: `groups` in order of first appearance, each group's rows in batch
 * order. Both arrays are valid until the next call. Without partition fields there is one group.
 */
RWL_MUST_CHECK rwl_status rwl_partitioner_split(rwl_partitioner *p, const rwl_batch *batch,
                                                const rwl_partition_rows **groups, size_t *group_count,
                                                const int32_t **order, rwl_error *err);
/* The tuple of a partition; it lives as long as the partitioner. */
const rwl_value *rwl_partitioner_values(const rwl_partitioner *p, int32_t partition);

#endif
