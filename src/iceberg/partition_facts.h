/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What partition values say of the column they were made of: transforms turned back (specification, "Partition
 * Transforms", "Scan Planning"). From values p between `lower` and `upper`:
 *
 *   identity     the column is between them
 *   truncate[W]  at least lower; at most upper + W - 1, or the last text that begins with upper
 *   year … hour  from the beginning of lower to the end of upper
 *   bucket[N]    nothing but which values can be there (rwl_partition_may_contain)
 *   void, unknown  nothing, not even of nulls
 *
 * and null comes from null alone. Old writers cut times before 1970 towards zero instead of down, so that a stored number
 * of 0 or less may be one too large: the range begins one earlier there, as Java's does.
 */
#ifndef RWL_ICEBERG_PARTITION_FACTS_H
#define RWL_ICEBERG_PARTITION_FACTS_H

#include "expr/expr.h"
#include "iceberg/metadata.h"

/* The partition values of one field, of a file (one value) or of a manifest. */
typedef struct rwl_partition_values {
    bool may_null;
    int8_t may_nan;            /* 1, 0, -1 unknown */
    bool has_lower, has_upper; /* of values that are neither null nor NaN */
    rwl_value lower, upper;    /* of the transform's result type */
    bool is_one;               /* a file's: null where may_null, else `lower`, which may be NaN */
} rwl_partition_values;

/* Of a file. `value` NaN or null too. */
rwl_partition_values rwl_partition_values_of(const rwl_value *value);

/* Adds what `values` of `field` say to facts of its source column, of type `source`. False when that is nothing. Bytes
 * of new bounds are those of `values`, or in `arena`. */
bool rwl_partition_narrow(const rwl_partition_field *field, const rwl_type *source,
                          const rwl_partition_values *values, rwl_arena *arena, rwl_column_facts *facts);
/* False when surely no row has the value `v`, by the hashes of a bucket field. */
bool rwl_partition_may_contain(const rwl_partition_field *field, const rwl_partition_values *values,
                               const rwl_value *v);

static inline bool rwl_facts_is_nan(const rwl_value *v) {
    return (v->kind == RWL_TYPE_FLOAT && v->as.f32 != v->as.f32) ||
           (v->kind == RWL_TYPE_DOUBLE && v->as.f64 != v->as.f64);
}
/* Makes the bounds of `facts` narrower. */
void rwl_facts_narrow_lower(rwl_column_facts *facts, const rwl_value *v);
void rwl_facts_narrow_upper(rwl_column_facts *facts, const rwl_value *v);

#endif
