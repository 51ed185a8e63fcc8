/* SPDX-License-Identifier: Apache-2.0 */
/* Column metrics of new files: which columns keep counts and bounds, and how bounds are cut. */
#ifndef RWL_ICEBERG_METRICS_H
#define RWL_ICEBERG_METRICS_H

#include "iceberg/metadata.h"
#include "parquet/writer.h"
#include "table/change.h"

/*
 * The modes of a table's columns (write.metadata.metrics.*): none, counts, truncate(N), full; a sort column
 * has at least truncate(16); the table default is truncate(16) for the first 100 columns. The lineage columns
 * are always exact.
 */
typedef struct rwl_metrics_config rwl_metrics_config;

RWL_MUST_CHECK rwl_status rwl_metrics_config_new(const rwl_metadata *metadata, rwl_arena *arena,
                                                 rwl_metrics_config **out, rwl_error *err);
/* Metrics of a finished file whose columns are `fields`, in `arena`. */
RWL_MUST_CHECK rwl_status rwl_metrics_from_parquet(const rwl_metrics_config *config, const rwl_field *fields,
                                                   int32_t field_count, const rwl_parquet_written *written,
                                                   rwl_arena *arena, rwl_column_metrics **out,
                                                   int32_t *out_count, rwl_error *err);

#endif
