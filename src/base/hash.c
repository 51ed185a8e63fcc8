/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes: XXH64 and XXH3 from libxxhash, the 8-byte XXH64 and murmur3 by their definitions. */
#include "base/hash.h"

#include <xxhash.h>

static uint32_t rotate_left32(uint32_t v, int bits) {
    return v << bits | v >> (32 - bits);
}

uint64_t rwl_hash_xxh64(rwl_span bytes, uint64_t seed) {
    return XXH64(bytes.len ? (const void *)bytes.data : "", bytes.len, seed);
}

rwl_u128 rwl_hash_xxh3_128(rwl_span bytes, uint64_t seed) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.len ? (const void *)bytes.data : "", bytes.len, seed);
    return (rwl_u128)hash.high64 << 64 | hash.low64;
}

static uint32_t mix_murmur(uint32_t k) {
    return rotate_left32(k * 0xcc9e2d51u, 15) * 0x1b873593u;
}

uint32_t rwl_hash_murmur3(rwl_span bytes, uint32_t seed) {
    uint32_t h = seed;
    size_t whole = bytes.len / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
        h = rotate_left32(h ^ mix_murmur(rwl_load_le32(bytes.data + i)), 13) * 5 + 0xe6546b64u;
    uint32_t tail = 0;
    for (size_t i = bytes.len; i > whole; i--)
        tail = tail << 8 | bytes.data[i - 1];
    h ^= mix_murmur(tail); /* a tail of none mixes to 0 */
    h ^= (uint32_t)bytes.len;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}
