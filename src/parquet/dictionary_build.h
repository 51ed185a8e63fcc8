/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a dictionary: distinct values by bits, in the order of their first occurrence, kept as the body of
 * the dictionary page (PLAIN), and the index of each value added.
 */
#ifndef RWL_PARQUET_DICTIONARY_BUILD_H
#define RWL_PARQUET_DICTIONARY_BUILD_H

#include "base/buf.h"

typedef struct rwl_parquet_dictbuild {
    const rwl_env *env;
    size_t width;           /* bytes of a value; 0 for byte arrays */
    uint32_t count;         /* entries */
    rwl_buf body;           /* the entries in PLAIN */
    int32_t *starts, *ends; /* byte arrays: where the bytes of each entry lie in body */
    size_t entry_cap;
    /* Open addressing. Fixed width: u32 index + 1, 0 empty. Byte arrays: u64, hash in the upper half. */
    void *slots;
    size_t slot_count;   /* a power of two, 0 before the first value */
    uint64_t multiplier; /* random and odd, so that no input can be made to collide */
} rwl_parquet_dictbuild;

void rwl_parquet_dictbuild_init(rwl_parquet_dictbuild *d, const rwl_env *env, size_t width);
void rwl_parquet_dictbuild_clear(rwl_parquet_dictbuild *d);
void rwl_parquet_dictbuild_reset(rwl_parquet_dictbuild *d);      /* no entries; keeps the memory */
void rwl_parquet_dictbuild_drop_slots(rwl_parquet_dictbuild *d); /* no more adding, entries stay */

/* Takes back the entries from `count` on; the body held `body_len` bytes before them. No more adding. */
void rwl_parquet_dictbuild_truncate(rwl_parquet_dictbuild *d, uint32_t count, size_t body_len);

/* Adds `count` values of `width` bytes side by side; sets the index of each. */
RWL_MUST_CHECK rwl_status rwl_parquet_dictbuild_add_fixed(rwl_parquet_dictbuild *d, const uint8_t *values,
                                                          size_t count, uint32_t *indexes, rwl_error *err);
/* Adds bytes[starts[i] .. ends[i]) for each i. The body must stay below 2 GiB: the caller limits what it
 * adds. */
RWL_MUST_CHECK rwl_status rwl_parquet_dictbuild_add_bytes(rwl_parquet_dictbuild *d, const uint8_t *bytes,
                                                          const int32_t *starts, const int32_t *ends,
                                                          size_t count, uint32_t *indexes, rwl_error *err);
/* Appends the PLAIN form of the entries at `indexes`. */
RWL_MUST_CHECK rwl_status rwl_parquet_dictbuild_gather(const rwl_parquet_dictbuild *d,
                                                       const uint32_t *indexes, size_t count, rwl_buf *out,
                                                       rwl_error *err);
int64_t rwl_parquet_dictbuild_memory(const rwl_parquet_dictbuild *d);

#endif
