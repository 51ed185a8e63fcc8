/* SPDX-License-Identifier: Apache-2.0 */
/* The bloom filter of a chunk being written. */
#include "parquet/bloom_collect.h"

enum { FIRST_SLOTS = 1024, MOST_BYTES = 1 << 20 };
#define FPP 0.01

void rwl_parquet_bloom_collect_init(rwl_parquet_bloom_collect *b, const rwl_env *env, double fpp,
                                    int64_t distinct, int64_t max_bytes) {
    memset(b, 0, sizeof *b);
    b->env = env;
    b->fpp = fpp > 0 && fpp < 1 ? fpp : FPP;
    b->distinct = distinct;
    size_t most = max_bytes > 0 ? (size_t)max_bytes : MOST_BYTES;
    b->max_bytes = most < RWL_PARQUET_BLOOM_MAX ? most : RWL_PARQUET_BLOOM_MAX;
}

static void drop_hashes(rwl_parquet_bloom_collect *b) {
    rwl_free(b->env, b->hashes);
    b->hashes = NULL;
    b->slot_count = b->count = 0;
    b->has_zero = false;
}

void rwl_parquet_bloom_collect_clear(rwl_parquet_bloom_collect *b) {
    if (b->env == NULL)
        return;
    drop_hashes(b);
    rwl_free(b->env, b->filter.blocks);
    b->env = NULL;
}

int64_t rwl_parquet_bloom_collect_memory(const rwl_parquet_bloom_collect *b) {
    return (int64_t)(b->slot_count * sizeof *b->hashes +
                     (size_t)b->filter.block_count * RWL_PARQUET_BLOOM_BLOCK);
}

/* Makes the filter of `distinct` values from the hashes so far, which go. */
static rwl_status make_filter(rwl_parquet_bloom_collect *b, uint64_t distinct, rwl_error *err) {
    uint32_t blocks = rwl_parquet_bloom_blocks(distinct, b->fpp, b->max_bytes);
    b->filter.blocks = rwl_calloc(b->env, blocks, RWL_PARQUET_BLOOM_BLOCK);
    if (b->filter.blocks == NULL)
        return rwl_no_memory(err, (size_t)blocks * RWL_PARQUET_BLOOM_BLOCK);
    b->filter.block_count = blocks;
    for (size_t i = 0; i < b->slot_count; i++)
        if (b->hashes[i] != 0)
            rwl_parquet_bloom_add(&b->filter, b->hashes[i]);
    if (b->has_zero)
        rwl_parquet_bloom_add(&b->filter, 0);
    drop_hashes(b);
    return RWL_OK;
}

static void insert(uint64_t *hashes, size_t slot_count, uint64_t hash, size_t *count) {
    size_t mask = slot_count - 1, at = hash & mask;
    while (hashes[at] != 0 && hashes[at] != hash)
        at = (at + 1) & mask;
    *count += hashes[at] == 0;
    hashes[at] = hash;
}

static rwl_status grow(rwl_parquet_bloom_collect *b, rwl_error *err) {
    size_t want = b->slot_count > 0 ? 2 * b->slot_count : FIRST_SLOTS, count = 0;
    uint64_t *hashes = rwl_calloc(b->env, want, sizeof *hashes);
    if (hashes == NULL)
        return rwl_no_memory(err, want * sizeof *hashes);
    for (size_t i = 0; i < b->slot_count; i++)
        if (b->hashes[i] != 0)
            insert(hashes, want, b->hashes[i], &count);
    rwl_free(b->env, b->hashes);
    b->hashes = hashes;
    b->slot_count = want;
    return RWL_OK;
}

/* More slots, or the filter when what is there already asks for the largest one. */
static rwl_status make_room(rwl_parquet_bloom_collect *b, rwl_error *err) {
    if (b->distinct > 0)
        return make_filter(b, (uint64_t)b->distinct, err);
    if (b->count > 0) {
        uint32_t now = rwl_parquet_bloom_blocks(b->count, b->fpp, b->max_bytes);
        if (now == rwl_parquet_bloom_blocks(UINT32_MAX, b->fpp, b->max_bytes))
            return make_filter(b, b->count, err);
    }
    return grow(b, err);
}

static inline rwl_status add_hash(rwl_parquet_bloom_collect *b, uint64_t hash, rwl_error *err) {
    if (b->filter.blocks == NULL && b->count >= b->slot_count / 2)
        RWL_TRY(make_room(b, err));
    if (b->filter.blocks != NULL)
        rwl_parquet_bloom_add(&b->filter, hash);
    else if (hash == 0)
        b->has_zero = true;
    else
        insert(b->hashes, b->slot_count, hash, &b->count);
    return RWL_OK;
}

rwl_status rwl_parquet_bloom_collect_fixed(rwl_parquet_bloom_collect *b, const uint8_t *values, size_t count,
                                           size_t width, rwl_error *err) {
    for (size_t i = 0; i < count; i++)
        RWL_TRY(add_hash(b, rwl_parquet_bloom_hash(rwl_span_of(values + i * width, width)), err));
    return RWL_OK;
}

rwl_status rwl_parquet_bloom_collect_bytes(rwl_parquet_bloom_collect *b, const uint8_t *bytes,
                                           const int32_t *starts, const int32_t *ends, size_t count,
                                           rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        rwl_span v = rwl_span_of(bytes + starts[i], (size_t)(ends[i] - starts[i]));
        RWL_TRY(add_hash(b, rwl_parquet_bloom_hash(v), err));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_bloom_collect_end(rwl_parquet_bloom_collect *b, rwl_parquet_bloom *out,
                                         rwl_error *err) {
    if (b->filter.blocks == NULL && (b->count > 0 || b->has_zero))
        RWL_TRY(make_filter(b, b->count + b->has_zero, err));
    *out = b->filter;
    b->filter = (rwl_parquet_bloom){NULL, 0};
    drop_hashes(b);
    return RWL_OK;
}
