/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of rows, and sets of them: what an equality delete file says.
 *
 * A key is the values of one or more columns. Two keys are equal when all their values are: null equals null, NaN equals
 * every NaN, -0.0 differs from 0.0 (the specification leaves the last two open; so does Java compare).
 *
 * One column of whole numbers, dates or times is kept as numbers; all else as the bytes of its sort key (column/sort.c), which
 * are equal for equal keys alone.
 */
#ifndef RWL_ICEBERG_KEY_SET_H
#define RWL_ICEBERG_KEY_SET_H

#include "column/batch.h"

/* The keys of the rows of a batch. */
typedef struct rwl_row_keys {
    const rwl_env *env;
    uint64_t seed;
    bool as_numbers;
    int64_t length;
    uint64_t *hashes;
    int64_t *numbers;       /* as_numbers; a null's is 0 */
    const uint8_t *invalid; /* as_numbers: a byte a row, not 0 for null; NULL: no nulls */
    uint8_t *invalid_bytes;
    uint64_t *ends; /* else: of each key in `bytes` */
    rwl_buf bytes;
    int64_t cap;
} rwl_row_keys;

/* `as_numbers` as rwl_keys_are_numbers says of the columns. Keys of the same `seed` have the same hashes. */
void rwl_row_keys_init(rwl_row_keys *keys, const rwl_env *env, bool as_numbers, uint64_t seed);
void rwl_row_keys_clear(rwl_row_keys *keys);
bool rwl_keys_are_numbers(const rwl_type *types, size_t count);
/* Sets the keys to those of `count` columns of equal length. UNSUPPORTED: a type that has no order. */
RWL_MUST_CHECK rwl_status rwl_row_keys_set(rwl_row_keys *keys, const rwl_column *columns, int32_t count,
                                           int64_t length, rwl_error *err);

typedef struct rwl_key_set rwl_key_set;

/* A set for keys of one kind that holds at most `most` bytes. */
RWL_MUST_CHECK rwl_status rwl_key_set_new(const rwl_env *env, bool as_numbers, int64_t most,
                                          rwl_key_set **out, rwl_error *err);
void rwl_key_set_free(const rwl_env *env, void *set); /* an rwl_key_set; NULL is fine */
int64_t rwl_key_set_memory(const rwl_key_set *set);   /* bytes held */
/* Adds the keys whose hash falls into part `part` of `parts`. *full: not all, for want of room. UNSUPPORTED: there is no room for
 * a single one. */
RWL_MUST_CHECK rwl_status rwl_key_set_add(rwl_key_set *set, const rwl_row_keys *keys, uint32_t part,
                                          uint32_t parts, bool *full, rwl_error *err);
int64_t rwl_key_set_count(const rwl_key_set *set); /* of keys */

/* Looks for the keys of `count` rows, sets hits[row] to 1 for those that are in the set, and keeps the others in `rows`;
 * returns their number. */
size_t rwl_key_set_probe(const rwl_key_set *set, const rwl_row_keys *keys, int32_t *rows, size_t count,
                         uint8_t *hits);

/* What is in none of several sets, told at once and without looking into them: a Bloom filter of two bits a key. */
typedef struct rwl_key_filter {
    uint64_t *words; /* NULL: every key may be there */
    uint64_t mask;
    bool null, free_number; /* what sets know by flags is not left out */
} rwl_key_filter;

RWL_MUST_CHECK rwl_status rwl_key_filter_init(rwl_key_filter *filter, const rwl_env *env,
                                              const rwl_key_set *const *sets, size_t count, uint64_t seed,
                                              rwl_error *err);
void rwl_key_filter_clear(rwl_key_filter *filter, const rwl_env *env);
/* Sets `rows` (room for all) to the rows whose keys may be in a set; returns their number. */
size_t rwl_key_filter_apply(const rwl_key_filter *filter, const rwl_row_keys *keys, int32_t *rows);

#endif
