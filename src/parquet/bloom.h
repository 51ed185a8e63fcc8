/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Split block bloom filters (parquet-format, BloomFilter.md): blocks of 32 bytes, eight words of which each value sets
 * one bit; XXH64 with seed 0 of the value's PLAIN bytes (without a length). Block of a hash: (hash >> 32) * blocks >> 32.
 */
#ifndef RWL_PARQUET_BLOOM_H
#define RWL_PARQUET_BLOOM_H

#include "parquet/file.h"

enum { RWL_PARQUET_BLOOM_BLOCK = 32 };
#define RWL_PARQUET_BLOOM_MAX ((size_t)128 << 20)

typedef struct rwl_parquet_bloom {
    uint8_t *blocks; /* block_count * 32 bytes */
    uint32_t block_count;
} rwl_parquet_bloom;

uint64_t rwl_parquet_bloom_hash(rwl_span plain);
bool rwl_parquet_bloom_has(const rwl_parquet_bloom *b, uint64_t hash);
void rwl_parquet_bloom_add(rwl_parquet_bloom *b, uint64_t hash);
/* Blocks (a power of two) for `distinct` values at the false positive rate `fpp`, at most `max_bytes`. */
uint32_t rwl_parquet_bloom_blocks(uint64_t distinct, double fpp, size_t max_bytes);
/* Halves the filter until it has `block_count` blocks (both powers of two), or-ing what falls together. */
void rwl_parquet_bloom_fold(rwl_parquet_bloom *b, uint32_t block_count);
/* Header and blocks, appended. */
RWL_MUST_CHECK rwl_status rwl_parquet_bloom_write(const rwl_parquet_bloom *b, rwl_buf *out, rwl_error *err);
/* Parses header and blocks; the blocks are copied to `arena`. UNSUPPORTED for another algorithm, hash or compression. */
RWL_MUST_CHECK rwl_status rwl_parquet_bloom_parse(rwl_span bytes, rwl_arena *arena, rwl_parquet_bloom *out,
                                                  rwl_error *err);
/* Reads the filter of a chunk; *out NULL when it has none. */
RWL_MUST_CHECK rwl_status rwl_parquet_bloom_read(rwl_file *handle, rwl_op *op, const rwl_parquet_file *file,
                                                 int32_t group, int32_t leaf, rwl_arena *arena,
                                                 rwl_parquet_bloom **out, rwl_error *err);

#endif
