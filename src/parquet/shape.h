/* SPDX-License-Identifier: Apache-2.0 */
/* How a field is stored as a Parquet column (Iceberg specification, appendix A, Parquet). */
#ifndef RWL_PARQUET_SHAPE_H
#define RWL_PARQUET_SHAPE_H

#include "parquet/file.h"

/* By what order, and in which representation, bounds are kept. */
typedef enum rwl_parquet_order {
    RWL_PARQUET_ORDER_BOOLEAN,
    RWL_PARQUET_ORDER_INT32,
    RWL_PARQUET_ORDER_INT64,
    RWL_PARQUET_ORDER_FLOAT,
    RWL_PARQUET_ORDER_DOUBLE,
    RWL_PARQUET_ORDER_DECIMAL, /* FIXED, big endian, signed */
    RWL_PARQUET_ORDER_FIXED,   /* FIXED, unsigned bytes */
    RWL_PARQUET_ORDER_BYTES,   /* BYTE_ARRAY, unsigned bytes, shorter first */
    RWL_PARQUET_ORDER_NONE     /* VARIANT, GEOMETRY, GEOGRAPHY: their bytes have no bounds */
} rwl_parquet_order;

typedef struct rwl_parquet_shape {
    rwl_parquet_physical physical;
    int32_t type_length; /* FIXED, else 0 */
    size_t width;        /* bytes of a value in PLAIN; 0 for BOOLEAN and BYTE_ARRAY */
    rwl_parquet_order order;
} rwl_parquet_shape;

/* Whether there are NaN among its values. */
static inline bool rwl_parquet_shape_is_float(const rwl_parquet_shape *shape) {
    return shape->order == RWL_PARQUET_ORDER_FLOAT || shape->order == RWL_PARQUET_ORDER_DOUBLE;
}
/* Fewest bytes that hold every decimal of this precision (1 to 38) in two's complement. */
int32_t rwl_parquet_decimal_bytes(int32_t precision);
/* UNSUPPORTED, naming the field, for types that can't be written as one leaf (nested ones), or not at all. A variant's is
 * that of each of its two leaves. */
RWL_MUST_CHECK rwl_status rwl_parquet_shape_of(const rwl_field *field, rwl_parquet_shape *out,
                                               rwl_error *err);

#endif
