/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Least and greatest value of a column, gathered block by block in the order of its type. NaN never is a
 * bound; a zero bound is -0.0 below and +0.0 above (parquet.thrift, ColumnOrder TYPE_ORDER).
 */
#ifndef RWL_PARQUET_BOUNDS_H
#define RWL_PARQUET_BOUNDS_H

#include "base/int128.h"
#include "parquet/shape.h"

typedef struct rwl_parquet_bounds {
    rwl_parquet_order order;
    bool seen; /* a value that is no NaN */
    union {
        struct {
            int64_t low, high;
        } i; /* BOOLEAN (0, 1), INT32, INT64 */
        struct {
            double low, high;
        } f; /* FLOAT, DOUBLE */
        struct {
            rwl_i128 low, high;
        } d; /* DECIMAL */
    } as;
    rwl_buf low, high; /* FIXED, BYTES */
} rwl_parquet_bounds;

void rwl_parquet_bounds_init(rwl_parquet_bounds *b, const rwl_env *env, rwl_parquet_order order);
void rwl_parquet_bounds_clear(rwl_parquet_bounds *b);
void rwl_parquet_bounds_reset(rwl_parquet_bounds *b);

/* `count` values of `width` bytes side by side, for all orders but BOOLEAN and BYTES. */
RWL_MUST_CHECK rwl_status rwl_parquet_bounds_add_fixed(rwl_parquet_bounds *b, const uint8_t *values,
                                                       size_t count, size_t width, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_bounds_add_bytes(rwl_parquet_bounds *b, const uint8_t *bytes,
                                                       const int32_t *starts, const int32_t *ends,
                                                       size_t count, rwl_error *err);
void rwl_parquet_bounds_add_booleans(rwl_parquet_bounds *b, size_t true_count, size_t false_count);
RWL_MUST_CHECK rwl_status rwl_parquet_bounds_merge(rwl_parquet_bounds *into, const rwl_parquet_bounds *from,
                                                   rwl_error *err);

/* The bounds as values of `type`; bytes are borrowed. Only when `seen`. */
void rwl_parquet_bounds_values(const rwl_parquet_bounds *b, const rwl_type *type, rwl_value *lower,
                               rwl_value *upper);

/* A bound as Statistics holds it: PLAIN without a length. */
typedef struct rwl_parquet_stat_bound {
    bool present, exact;
    rwl_buf bytes;
} rwl_parquet_stat_bound;

enum { RWL_PARQUET_STAT_BYTES = 64 }; /* longer strings are cut to a prefix, longer FIXED left out */

/* Sets the two bounds of a chunk's statistics, replacing their bytes. `shape` and `is_text` (cut at code
 * points) are the column's. Not present when nothing was seen. */
RWL_MUST_CHECK rwl_status rwl_parquet_bounds_stats(const rwl_parquet_bounds *b,
                                                   const rwl_parquet_shape *shape, bool is_text,
                                                   rwl_parquet_stat_bound *min, rwl_parquet_stat_bound *max,
                                                   rwl_error *err);

/* How many of `count` floats or doubles (`width` 4 or 8) are NaN. */
size_t rwl_parquet_nan_count(const uint8_t *values, size_t count, size_t width);

#endif
