/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The non-null values of a page, side by side, in any encoding. Levels are not seen here; a caller asks for as many
 * values as its levels say are there.
 */
#ifndef RWL_PARQUET_VALUES_H
#define RWL_PARQUET_VALUES_H

#include "column/batch.h"
#include "parquet/convert.h"
#include "parquet/delta_decode.h"
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
    RWL_PARQUET_VALUES_INDEX,   /* into the dictionary */
    RWL_PARQUET_VALUES_RUNS,    /* BOOLEAN as RLE */
    RWL_PARQUET_VALUES_DELTA,   /* INT32, INT64 as DELTA_BINARY_PACKED */
    RWL_PARQUET_VALUES_LENGTHS, /* DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes */
    RWL_PARQUET_VALUES_PREFIXES, /* DELTA_BYTE_ARRAY: the lengths shared with the value before, lengths, bytes */
    RWL_PARQUET_VALUES_SPLIT     /* BYTE_STREAM_SPLIT: the first bytes of all values, the second bytes, … */
} rwl_parquet_values_kind;

/* The values of a chunk, page by page. Zeroed before begin. Not to be copied: DELTA_BYTE_ARRAY holds a value. */
typedef struct rwl_parquet_values {
    rwl_parquet_values_kind kind;
    const rwl_env *env;
    const rwl_parquet_layout *layout;
    const rwl_parquet_dictionary *dictionary;
    const uint8_t *p,
        *end;           /* PLAIN, LENGTHS, PREFIXES: bytes not yet taken; SPLIT: the first stream, its end */
    int64_t bit;        /* PLAIN BOOLEAN: next bit from p on; SPLIT: next value */
    rwl_rle rle;        /* INDEX, RUNS */
    rwl_delta delta;    /* DELTA: values; LENGTHS, PREFIXES: lengths */
    rwl_delta prefixes; /* PREFIXES */
    bool carries_previous;
    uint8_t *previous; /* PREFIXES: the last value taken */
    size_t previous_len, previous_cap;
} rwl_parquet_values;

/* Whether pages of such values may come in this encoding, as the specification has it; dictionary ones too. */
bool rwl_parquet_values_supported(const rwl_parquet_layout *layout, int32_t encoding);
/* Whether files of this writer have pages in DELTA_BYTE_ARRAY whose first value continues the last one of the page
 * before (PARQUET-246: parquet-mr before 1.8). Their pages must all be opened and passed by values_skip, in order. */
bool rwl_parquet_values_carry(const char *created_by);

/* Begins a chunk. What the pointers point to must outlive it. */
void rwl_parquet_values_begin(rwl_parquet_values *v, const rwl_env *env, const rwl_parquet_layout *layout,
                              const rwl_parquet_dictionary *dictionary, bool carries_previous);
void rwl_parquet_values_clear(rwl_parquet_values *v); /* also of a zeroed one */
/* The next page: values of `encoding`, which is supported for the layout (the caller checks and names the column).
 * RWL_PARQUET_READ_SLACK bytes behind `bytes` are readable. */
RWL_MUST_CHECK rwl_status rwl_parquet_values_init(rwl_parquet_values *v, int32_t encoding, rwl_span bytes,
                                                  rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_values_skip(rwl_parquet_values *v, int64_t count, rwl_error *err);
/* The next `count` values where they lie, passed, if they do so as they are wanted (RWL_PARQUET_READ_SLACK bytes behind
 * are readable); else NULL, and values_fixed has them. */
const uint8_t *rwl_parquet_values_borrow(rwl_parquet_values *v, size_t count);
/* `count` values of layout->width bytes each. */
RWL_MUST_CHECK rwl_status rwl_parquet_values_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count,
                                                   rwl_error *err);
/* `count` bits into `dst` from bit `dst_off` on. */
RWL_MUST_CHECK rwl_status rwl_parquet_values_bits(rwl_parquet_values *v, uint8_t *dst, int64_t dst_off,
                                                  size_t count, rwl_error *err);
/*
 * The bytes of up to `count`, at most RWL_PARQUET_BLOCK, variable-length values, appended to `out`, whose bytes_len
 * moves; ends[i + 1] is where value i ends in them, ends[0] where they began. It stops before the value with which
 * they would pass `limit` bytes in all (limit <= RWL_COLUMN_BYTES_MAX - RWL_PARQUET_READ_SLACK): *done is how many
 * values it took, which may be none. CORRUPT for text that is not UTF-8.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_values_bytes(rwl_parquet_values *v, rwl_column *out, size_t limit,
                                                   size_t count, int32_t *ends, size_t *done, rwl_error *err);

#endif
