/* SPDX-License-Identifier: Apache-2.0 */
/* Partition specs, transforms and sort orders. */
#ifndef RWL_ICEBERG_PARTITION_H
#define RWL_ICEBERG_PARTITION_H

#include "column/batch.h"
#include "iceberg/schema.h"

typedef enum rwl_transform_kind {
    RWL_TRANSFORM_IDENTITY,
    RWL_TRANSFORM_BUCKET,
    RWL_TRANSFORM_TRUNCATE,
    RWL_TRANSFORM_YEAR,
    RWL_TRANSFORM_MONTH,
    RWL_TRANSFORM_DAY,
    RWL_TRANSFORM_HOUR,
    RWL_TRANSFORM_VOID,
    RWL_TRANSFORM_UNKNOWN
} rwl_transform_kind;

typedef struct rwl_transform {
    rwl_transform_kind kind;
    int32_t param;    /* bucket count or truncate width */
    const char *text; /* as written in the metadata */
} rwl_transform;

typedef struct rwl_partition_field {
    int32_t source_id; /* first of source-ids when there are several (then the transform is UNKNOWN) */
    int32_t field_id;  /* >= 1000 */
    const char *name;
    rwl_transform transform;
} rwl_partition_field;

typedef struct rwl_partition_spec {
    int32_t spec_id;
    const rwl_partition_field *fields;
    int32_t field_count;
} rwl_partition_spec;

typedef struct rwl_sort_field {
    int32_t source_id;
    rwl_transform transform;
    bool descending, nulls_first;
} rwl_sort_field;

typedef struct rwl_sort_order {
    int32_t order_id; /* 0: unsorted */
    const rwl_sort_field *fields;
    int32_t field_count;
} rwl_sort_order;

RWL_MUST_CHECK rwl_status rwl_transform_parse(const char *text, rwl_arena *arena, rwl_transform *out,
                                              rwl_error *err);
/* The type of the transform's result; DAY gives DATE, other times INT. False when it can't take `source`. */
bool rwl_transform_result(const rwl_transform *t, const rwl_type *source, rwl_type *out);
/* Murmur3 of a value as the bucket transform takes it (specification, appendix B; BOOLEAN, FLOAT and DOUBLE too).
 * False when the type has no hash or the value is null. */
bool rwl_transform_hash(const rwl_value *in, int32_t *out);
/* Applies to one value; truncated bytes are borrowed from `in`. UNSUPPORTED for an unknown transform and for times whose
 * hour no int holds; INTERNAL when the transform cannot take the type. */
RWL_MUST_CHECK rwl_status rwl_transform_apply(const rwl_transform *t, const rwl_value *in, rwl_value *out,
                                              rwl_error *err);
/* Applies to a column, replacing `out`; no call per value for fixed-width types. */
RWL_MUST_CHECK rwl_status rwl_transform_column(const rwl_transform *t, const rwl_column *in, rwl_column *out,
                                               const rwl_env *env, rwl_error *err);
/* A partition value as people and paths see it (specification, human-readable form): 2017-11-16, 2017-11, null… */
RWL_MUST_CHECK rwl_status rwl_transform_format(const rwl_transform *t, const rwl_type *result,
                                               const rwl_value *v, rwl_buf *out, rwl_error *err);

/* `fields` arrays without field-id (v1) get 1000, 1001, …; a bare array gives spec_id 0. */
RWL_MUST_CHECK rwl_status rwl_partition_spec_from_json(const rwl_json *json, rwl_arena *arena,
                                                       rwl_partition_spec *out, rwl_error *err);
/* `fields_only` gives the bare array, as manifests and v1 metadata have it. */
RWL_MUST_CHECK rwl_status rwl_partition_spec_to_json(const rwl_partition_spec *spec, bool fields_only,
                                                     rwl_json **out, rwl_error *err);
/* Parses `day(ts), bucket(16, id), truncate(4, s), c`; default names as CLI.md says; ids from 1000. USAGE. */
RWL_MUST_CHECK rwl_status rwl_partition_spec_from_text(const char *text, const rwl_schema *schema,
                                                       rwl_arena *arena, rwl_partition_spec *out,
                                                       rwl_error *err);
/* The type of each partition field under `schema`; sources that were dropped give UNKNOWN. `types` has room for
 * field_count. */
RWL_MUST_CHECK rwl_status rwl_partition_types(const rwl_partition_spec *spec, const rwl_schema *schema,
                                              rwl_type *types, rwl_error *err);
/* UNSUPPORTED naming the transform when the spec has one that is unknown: nothing may be written with it. */
RWL_MUST_CHECK rwl_status rwl_partition_spec_check_writable(const rwl_partition_spec *spec, rwl_error *err);
/* "ts_day=2026-11-30/id_bucket=3", URL-encoded; "" when unpartitioned. For data file folders. */
RWL_MUST_CHECK rwl_status rwl_partition_path(const rwl_partition_spec *spec, const rwl_type *types,
                                             const rwl_value *values, rwl_buf *out, rwl_error *err);

RWL_MUST_CHECK rwl_status rwl_sort_order_from_json(const rwl_json *json, rwl_arena *arena,
                                                   rwl_sort_order *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_sort_order_to_json(const rwl_sort_order *order, rwl_json **out, rwl_error *err);
/* Parses `a, b desc nulls last, bucket(4, c)`: default asc nulls first, desc nulls last. USAGE. */
RWL_MUST_CHECK rwl_status rwl_sort_order_from_text(const char *text, const rwl_schema *schema,
                                                   rwl_arena *arena, rwl_sort_order *out, rwl_error *err);
bool rwl_sort_order_equal(const rwl_sort_order *a, const rwl_sort_order *b); /* ids aside */

#endif
