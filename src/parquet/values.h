/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The non-null values of a page, side by side: plain, or indexes into the chunk's dictionary. Levels are not
 * seen here; a caller asks for as many values as its levels say are there.
 */
#ifndef RWL_PARQUET_VALUES_H
#define RWL_PARQUET_VALUES_H

#include "column/batch.h"
#include "parquet/convert.h"
#include "parquet/rle_decode.h"

/* Values decoded at once where they need a detour: indexes, lengths, spreading over nulls. */
enum { RWL_PARQUET_BLOCK = 1024 };

typedef struct rwl_parquet_entry {
    uint32_t off, len;
} rwl_parquet_entry;

/* A chunk's dictionary. Fixed widths: `values` holds converted values. Variable: entries point into `values`. */
typedef struct rwl_parquet_dictionary {
    uint32_t count;
    uint8_t *values;            /* with RWL_PARQUET_READ_SLACK behind */
    rwl_parquet_entry *entries; /* NULL for fixed widths */
    int64_t bytes;              /* memory held, of the operation's budget */
} rwl_parquet_dictionary;

/* Makes a dictionary of `count` values from the PLAIN bytes of its page, which it copies. */
RWL_MUST_CHECK rwl_status rwl_parquet_dictionary_build(rwl_parquet_dictionary *d, rwl_op *op,
                                                       const rwl_parquet_layout *layout, rwl_span plain,
                                                       int64_t count, rwl_error *err);
void rwl_parquet_dictionary_clear(rwl_parquet_dictionary *d, rwl_op *op);

typedef enum rwl_parquet_values_kind {
    RWL_PARQUET_VALUES_NONE, /* a page without values: all rows are null */
    RWL_PARQUET_VALUES_PLAIN,
    RWL_PARQUET_VALUES_INDEX, /* into the dictionary */
    RWL_PARQUET_VALUES_RUNS   /* BOOLEAN as RLE */
} rwl_parquet_values_kind;

/* Copying the struct saves the position. */
typedef struct rwl_parquet_values {
    rwl_parquet_values_kind kind;
    const rwl_parquet_layout *layout;
    const rwl_parquet_dictionary *dictionary;
    const uint8_t *p, *end; /* PLAIN */
    int64_t bit;            /* PLAIN BOOLEAN: next bit from p on */
    rwl_rle rle;            /* INDEX, RUNS */
} rwl_parquet_values;

/* Values of `encoding`, which is supported for the layout (the caller checks and names the column). */
RWL_MUST_CHECK rwl_status rwl_parquet_values_init(rwl_parquet_values *v, const rwl_parquet_layout *layout,
                                                  const rwl_parquet_dictionary *dictionary, int32_t encoding,
                                                  rwl_span bytes, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_values_skip(rwl_parquet_values *v, int64_t count, rwl_error *err);
/* `count` values of layout->width bytes each. */
RWL_MUST_CHECK rwl_status rwl_parquet_values_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count,
                                                   rwl_error *err);
/* `count` bits into `dst` from bit `dst_off` on. */
RWL_MUST_CHECK rwl_status rwl_parquet_values_bits(rwl_parquet_values *v, uint8_t *dst, int64_t dst_off,
                                                  size_t count, rwl_error *err);
/*
 * The bytes of up to RWL_PARQUET_BLOCK variable-length values, appended to `out`, whose bytes_len moves; ends[i + 1]
 * is where value i ends in them, ends[0] where they began. When they would pass `limit` bytes in all, nothing is
 * appended, *is_full is set, and `v` is at no defined position.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_values_bytes(rwl_parquet_values *v, const rwl_env *env, rwl_column *out,
                                                   size_t limit, size_t count, int32_t *ends, bool *is_full,
                                                   rwl_error *err);

#endif
