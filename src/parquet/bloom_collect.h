/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bloom filter of a chunk being written: distinct hashes are kept until the chunk ends, so that the filter gets the
 * size they need. Once they need the largest filter allowed, or the caller has named their number, the filter is there
 * and takes them at once: memory stays below some twenty bytes a value of the largest filter.
 */
#ifndef RWL_PARQUET_BLOOM_COLLECT_H
#define RWL_PARQUET_BLOOM_COLLECT_H

#include "parquet/bloom.h"

typedef struct rwl_parquet_bloom_collect {
    const rwl_env *env;
    double fpp;
    size_t max_bytes;
    int64_t distinct; /* the caller's, 0: not known */
    uint64_t *hashes; /* open addressing; 0 is an empty slot, the hash 0 is counted apart */
    size_t slot_count, count;
    bool has_zero;
    rwl_parquet_bloom filter; /* blocks NULL until it is there */
} rwl_parquet_bloom_collect;

/* fpp 0: 0.01; distinct 0: not known; max_bytes 0: 1 MB. */
void rwl_parquet_bloom_collect_init(rwl_parquet_bloom_collect *b, const rwl_env *env, double fpp,
                                    int64_t distinct, int64_t max_bytes);
void rwl_parquet_bloom_collect_clear(rwl_parquet_bloom_collect *b);
/* `count` values of `width` bytes side by side. */
RWL_MUST_CHECK rwl_status rwl_parquet_bloom_collect_fixed(rwl_parquet_bloom_collect *b, const uint8_t *values,
                                                          size_t count, size_t width, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_bloom_collect_bytes(rwl_parquet_bloom_collect *b, const uint8_t *bytes,
                                                          const int32_t *starts, const int32_t *ends,
                                                          size_t count, rwl_error *err);
/* The filter of what came, which the caller owns, and an empty start; blocks NULL when nothing came. */
RWL_MUST_CHECK rwl_status rwl_parquet_bloom_collect_end(rwl_parquet_bloom_collect *b, rwl_parquet_bloom *out,
                                                        rwl_error *err);
int64_t rwl_parquet_bloom_collect_memory(const rwl_parquet_bloom_collect *b);

#endif
