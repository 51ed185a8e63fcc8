/* SPDX-License-Identifier: Apache-2.0 */
/* Split block bloom filters: asking, adding, folding, and their form in a file. */
#include "parquet/bloom.h"

#include "base/hash.h"
#include "parquet/thrift_field.h"

#include <inttypes.h>
#include <math.h>

enum {
    WORDS = 8,         /* of 32 bits a block */
    HEADER_GUESS = 256 /* bytes that hold any sensible header */
};

/* BloomFilter.md, "salt": one odd constant a word. */
static const uint32_t SALT[WORDS] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                     0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

uint64_t rwl_parquet_bloom_hash(rwl_span plain) {
    return rwl_hash_xxh64(plain, 0);
}

static uint8_t *block_of(const rwl_parquet_bloom *b, uint64_t hash) {
    uint64_t index = ((hash >> 32) * b->block_count) >> 32;
    return b->blocks + index * RWL_PARQUET_BLOOM_BLOCK;
}

static uint32_t mask_of(uint64_t hash, int word) {
    return UINT32_C(1) << (((uint32_t)hash * SALT[word]) >> 27);
}

bool rwl_parquet_bloom_has(const rwl_parquet_bloom *b, uint64_t hash) {
    const uint8_t *block = block_of(b, hash);
    for (int i = 0; i < WORDS; i++)
        if (!(rwl_load_le32(block + 4 * i) & mask_of(hash, i)))
            return false;
    return true;
}

void rwl_parquet_bloom_add(rwl_parquet_bloom *b, uint64_t hash) {
    uint8_t *block = block_of(b, hash);
    for (int i = 0; i < WORDS; i++)
        rwl_store_le32(block + 4 * i, rwl_load_le32(block + 4 * i) | mask_of(hash, i));
}

/* BloomFilter.md, "Sizing": bits = -8 n / ln(1 - fpp^(1/8)). */
uint32_t rwl_parquet_bloom_blocks(uint64_t distinct, double fpp, size_t max_bytes) {
    if (!(fpp > 0 && fpp < 1))
        fpp = 0.01;
    if (max_bytes > RWL_PARQUET_BLOOM_MAX)
        max_bytes = RWL_PARQUET_BLOOM_MAX;
    double bits = -8.0 * (double)distinct / log(1 - pow(fpp, 1.0 / 8));
    uint32_t blocks = 1;
    while ((double)blocks * RWL_PARQUET_BLOOM_BLOCK * 8 < bits &&
           (size_t)blocks * 2 * RWL_PARQUET_BLOOM_BLOCK <= max_bytes)
        blocks *= 2;
    return blocks;
}

/* The index of a block is the top of the hash, so halving the filter drops the index's lowest bit. */
void rwl_parquet_bloom_fold(rwl_parquet_bloom *b, uint32_t block_count) {
    while (b->block_count > block_count && b->block_count % 2 == 0) {
        b->block_count /= 2;
        for (size_t i = 0; i < b->block_count; i++) {
            const uint8_t *pair = b->blocks + 2 * i * RWL_PARQUET_BLOOM_BLOCK;
            uint8_t *to = b->blocks + i * RWL_PARQUET_BLOOM_BLOCK;
            for (size_t j = 0; j < RWL_PARQUET_BLOOM_BLOCK; j++)
                to[j] = pair[j] | pair[RWL_PARQUET_BLOOM_BLOCK + j];
        }
    }
}

/* --- in a file --- */

/* A union whose only member is the empty struct 1: field `id` of the header. */
static rwl_status put_choice(rwl_buf *out, int16_t *last, int16_t id, rwl_error *err) {
    int16_t inner = 0;
    RWL_TRY(rwl_thrift_put_field(out, last, id, RWL_THRIFT_STRUCT, err));
    RWL_TRY(rwl_thrift_put_field(out, &inner, 1, RWL_THRIFT_STRUCT, err));
    RWL_TRY(rwl_thrift_put_stop(out, err));
    return rwl_thrift_put_stop(out, err);
}

rwl_status rwl_parquet_bloom_write(const rwl_parquet_bloom *b, rwl_buf *out, rwl_error *err) {
    int16_t last = 0;
    size_t len = (size_t)b->block_count * RWL_PARQUET_BLOOM_BLOCK;
    if (len == 0 || len > RWL_PARQUET_BLOOM_MAX)
        return rwl_fail(err, RWL_INTERNAL, "bloom filter of %zu bytes", len);
    RWL_TRY(rwl_thrift_put_field(out, &last, 1, RWL_THRIFT_I32, err));
    RWL_TRY(rwl_thrift_put_i32(out, (int32_t)len, err));
    for (int16_t id = 2; id <= 4; id++) /* algorithm, hash, compression */
        RWL_TRY(put_choice(out, &last, id, err));
    RWL_TRY(rwl_thrift_put_stop(out, err));
    return rwl_buf_append(out, b->blocks, len, err);
}

typedef struct header_parse {
    int32_t len;
    unsigned seen; /* choices, a bit each */
} header_parse;

/* Reads the union of a choice: UNSUPPORTED unless it is member 1. */
static rwl_status read_choice(rwl_cursor *c, rwl_thrift_field f, const char *what, rwl_error *err) {
    int16_t chosen = 0;
    RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
    RWL_TRY(rwl_thrift_union(c, &chosen, err));
    if (chosen != 1)
        return rwl_fail(err, RWL_UNSUPPORTED, "bloom filter with %s %d", what, chosen);
    return RWL_OK;
}

static rwl_status read_header_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    static const char *const whats[] = {"algorithm", "hash", "compression"};
    header_parse *p = ctx;
    switch (f.id) {
    case 1:
        return rwl_parquet_field_i32(c, f, &p->len, err);
    case 2:
    case 3:
    case 4:
        p->seen |= 1u << f.id;
        return read_choice(c, f, whats[f.id - 2], err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

/* Leaves the cursor behind the header. */
static rwl_status read_header(rwl_cursor *c, uint32_t *block_count, rwl_error *err) {
    header_parse p = {.len = -1};
    RWL_TRY(rwl_thrift_struct(c, read_header_field, &p, err));
    if (p.seen != (1u << 2 | 1u << 3 | 1u << 4))
        return rwl_fail(err, RWL_CORRUPT, "bloom filter header without algorithm, hash or compression");
    if (p.len <= 0 || p.len % RWL_PARQUET_BLOOM_BLOCK != 0)
        return rwl_fail(err, RWL_CORRUPT, "bloom filter of %" PRId32 " bytes", p.len);
    if ((size_t)p.len > RWL_PARQUET_BLOOM_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "bloom filter of %" PRId32 " bytes; the limit is %zu", p.len,
                        RWL_PARQUET_BLOOM_MAX);
    *block_count = (uint32_t)p.len / RWL_PARQUET_BLOOM_BLOCK;
    return RWL_OK;
}

rwl_status rwl_parquet_bloom_parse(rwl_span bytes, rwl_arena *arena, rwl_parquet_bloom *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    rwl_span blocks;
    RWL_TRY(read_header(&c, &out->block_count, err));
    RWL_TRY(rwl_cursor_bytes(&c, (size_t)out->block_count * RWL_PARQUET_BLOOM_BLOCK, &blocks, err));
    out->blocks = rwl_arena_copy(arena, blocks.data, blocks.len);
    return out->blocks ? (rwl_status)RWL_OK : rwl_no_memory(err, blocks.len);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The header first, then exactly its blocks: the length in the footer is often missing and never needed. */
static rwl_status read_filter(rwl_file *handle, rwl_op *op, int64_t off, int64_t left, rwl_arena *arena,
                              rwl_parquet_bloom *out, rwl_error *err) {
    size_t have = (size_t)least(left, HEADER_GUESS);
    uint8_t header[HEADER_GUESS];
    RWL_TRY(rwl_file_read(handle, op, off, have, header, err));
    rwl_cursor c = rwl_cursor_of(rwl_span_of(header, have));
    RWL_TRY(read_header(&c, &out->block_count, err));
    size_t len = (size_t)out->block_count * RWL_PARQUET_BLOOM_BLOCK;
    if ((int64_t)len > left - (int64_t)c.pos)
        return rwl_fail(err, RWL_CORRUPT, "bloom filter of %zu bytes where %" PRId64 " are left", len,
                        left - (int64_t)c.pos);
    out->blocks = rwl_arena_alloc(arena, len);
    if (!out->blocks)
        return rwl_no_memory(err, len);
    size_t got = have - c.pos < len ? have - c.pos : len;
    memcpy(out->blocks, header + c.pos, got);
    return got == len ? (rwl_status)RWL_OK
                      : rwl_file_read(handle, op, off + (int64_t)have, len - got, out->blocks + got, err);
}

rwl_status rwl_parquet_bloom_read(rwl_file *handle, rwl_op *op, const rwl_parquet_file *file, int32_t group,
                                  int32_t leaf, rwl_arena *arena, rwl_parquet_bloom **out, rwl_error *err) {
    rwl_parquet_range at = file->groups[group].chunks[leaf].bloom;
    *out = NULL;
    if (at.off <= 0 || at.off >= file->size)
        return RWL_OK;
    rwl_parquet_bloom *b = rwl_arena_alloc(arena, sizeof *b);
    if (!b)
        return rwl_no_memory(err, sizeof *b);
    rwl_status st = read_filter(handle, op, at.off, file->size - at.off, arena, b, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "bloom filter of column %s", file->leaves[leaf].field.name);
    *out = b;
    return RWL_OK;
}
