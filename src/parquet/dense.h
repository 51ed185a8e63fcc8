/* SPDX-License-Identifier: Apache-2.0 */
/* The non-null values of a slice of a column, side by side in the form Parquet stores: what encoders work on.
 */
#ifndef RWL_PARQUET_DENSE_H
#define RWL_PARQUET_DENSE_H

#include "column/batch.h"
#include "parquet/write_schema.h"

/* Values of a slice. They borrow from the column where nothing has to be moved or converted. */
typedef struct rwl_parquet_dense {
    const rwl_env *env;
    size_t count;
    const uint8_t *values; /* fixed width: side by side; byte arrays: what starts and ends index; bits */
    size_t bit_pos;        /* BOOLEAN: first bit in values */
    const int32_t *starts, *ends; /* byte arrays */
    size_t byte_count;            /* byte arrays: sum of the lengths */
    size_t readable;              /* byte arrays: bytes that may be read at values, at least what is used */
    rwl_buf scratch, second, parts;
} rwl_parquet_dense;

void rwl_parquet_dense_init(rwl_parquet_dense *d, const rwl_env *env);
void rwl_parquet_dense_clear(rwl_parquet_dense *d);
/* Sets `d` to rows [first, first + rows) of `column`, of which `nulls` are null. INTERNAL when a decimal does
 * not fit its precision's bytes. Valid until the next call and while the column is. */
RWL_MUST_CHECK rwl_status rwl_parquet_dense_load(rwl_parquet_dense *d, const rwl_column *column,
                                                 const rwl_parquet_shape *shape, size_t first, size_t rows,
                                                 size_t nulls, rwl_error *err);
/* Sets `d` to the values at `indexes` (ascending) of `column`; `is_run`: they are all those between the first and the
 * last. Else as above. */
RWL_MUST_CHECK rwl_status rwl_parquet_dense_gather(rwl_parquet_dense *d, const rwl_column *column,
                                                   const rwl_parquet_shape *shape, const int32_t *indexes,
                                                   size_t count, bool is_run, rwl_error *err);
/* Narrows loaded variants to their metadata or their values. CORRUPT when the bytes of one are no variant. */
RWL_MUST_CHECK rwl_status rwl_parquet_dense_variant(rwl_parquet_dense *d, rwl_parquet_part part,
                                                    rwl_error *err);
/* Appends the PLAIN form of the values; not for BOOLEAN. */
RWL_MUST_CHECK rwl_status rwl_parquet_dense_plain(const rwl_parquet_dense *d, const rwl_parquet_shape *shape,
                                                  rwl_buf *out, rwl_error *err);

#endif
