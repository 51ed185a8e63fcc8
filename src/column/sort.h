/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sort keys as bytes in memcmp order, and the order of rows by them.
 *
 * A row's key is, for each sort column: one byte for null (0 or 2) or a value (1), independent of the
 * direction; then, unless null, the value, all its bytes inverted when descending:
 *   integers    big endian, sign bit flipped         floats  big endian; negative: all bits flipped, else
 *   decimal     16 bytes, the same                           the sign bit; NaN all ones
 *   boolean     one byte                             uuid, fixed  as they are
 *   bytes       0x00 written as 0x00 0xFF, then 0x00 0x00
 * No key is a prefix of another, so that the columns do not run into each other.
 *
 * Rows are compared by the first 16 bytes of their keys, as two numbers. Where all columns have a fixed width and come
 * to no more than that (null takes its column's width then), these are the keys, and there are no bytes.
 */
#ifndef RWL_COLUMN_SORT_H
#define RWL_COLUMN_SORT_H

#include "column/batch.h"

typedef struct rwl_sort_key {
    int32_t column; /* index in the batch */
    bool descending;
    bool nulls_first;
} rwl_sort_key;

/* The first 16 bytes of a key, big endian; zeros behind a shorter one. */
typedef struct rwl_sort_prefix {
    uint64_t high, low;
} rwl_sort_prefix;

/* No key's prefix is as large. */
#define RWL_SORT_PREFIX_END ((rwl_sort_prefix){UINT64_MAX, UINT64_MAX})

/* Keys of some rows. `ends` and the bytes are of keys that prefixes do not hold; else `ends` is NULL. */
typedef struct rwl_sort_keys {
    const uint8_t *bytes;
    const uint64_t *ends; /* of each row's key in `bytes` */
    const rwl_sort_prefix *prefixes;
} rwl_sort_keys;

/* Whether prefixes are the whole keys of columns of these types. */
bool rwl_sort_keys_are_short(const rwl_type *types, size_t count);
/* Fills `prefixes` (batch->length of them) of short keys. */
RWL_MUST_CHECK rwl_status rwl_sort_prefixes_encode(const rwl_batch *batch, const rwl_sort_key *by,
                                                   size_t count, rwl_sort_prefix *prefixes, rwl_error *err);
/*
 * Encodes each row's key as bytes whose memcmp order is the sort order: Iceberg's orders (NaN above
 * +inf, -0.0 before +0.0, bytes unsigned, direction and null order independent).
 * Appends keys to `keys` and the end offset of each row to `ends` (room for batch->length). UNSUPPORTED for types
 * without an order.
 */
RWL_MUST_CHECK rwl_status rwl_sort_keys_encode(const rwl_batch *batch, const rwl_sort_key *by, size_t count,
                                               rwl_buf *keys, uint64_t *ends, rwl_error *err);
/* Fills `prefixes` of keys as rwl_sort_keys_encode made them. */
void rwl_sort_keys_prefixes(const uint8_t *keys, const uint64_t *ends, int64_t count,
                            rwl_sort_prefix *prefixes);

static inline rwl_span rwl_sort_key_bytes(const rwl_sort_keys *keys, int64_t row) {
    uint64_t start = row == 0 ? 0 : keys->ends[row - 1];
    return rwl_span_of(keys->bytes + start, (size_t)(keys->ends[row] - start));
}
/* What is behind equal prefixes: <0, 0, >0. */
int rwl_sort_keys_compare_rest(const rwl_sort_keys *a, int64_t a_row, const rwl_sort_keys *b, int64_t b_row);
static inline int rwl_sort_keys_compare(const rwl_sort_keys *a, int64_t a_row, const rwl_sort_keys *b,
                                        int64_t b_row) {
    const rwl_sort_prefix *x = &a->prefixes[a_row], *y = &b->prefixes[b_row];
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return a->ends == NULL ? 0 : rwl_sort_keys_compare_rest(a, a_row, b, b_row);
}

/* Bytes of scratch a row that ordering takes. */
enum { RWL_SORT_ROW_BYTES = 48 };
/* Stable order of `count` keys: fills `order` with 0..count-1 sorted. `count` is below 2^31. */
RWL_MUST_CHECK rwl_status rwl_sort_keys_order(const rwl_env *env, const rwl_sort_keys *keys, int64_t count,
                                              int32_t *order, rwl_error *err);

#endif
