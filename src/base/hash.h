/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes: XXH64 (digest, bloom filters), XXH3 128 (row digests), murmur3 (bucket transform). */
#ifndef RWL_BASE_HASH_H
#define RWL_BASE_HASH_H

#include "base/buf.h"
#include "base/int128.h"

uint64_t rwl_hash_xxh64(rwl_span bytes, uint64_t seed);
/* XXH64 of the 8 little-endian bytes of `value` under `seed`: the digest's step, inline as it is taken twice a row. */
static inline uint64_t rwl_hash_xxh64_i64(int64_t value, uint64_t seed) {
    const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu, prime3 = 0x165667B19E3779F9u;
    const uint64_t prime4 = 0x85EBCA77C2B2AE63u, prime5 = 0x27D4EB2F165667C5u;
    uint64_t h = seed + prime5 + 8, word = (uint64_t)value * prime2;
    h ^= (word << 31 | word >> 33) * prime1;
    h = (h << 27 | h >> 37) * prime1 + prime4;
    h = (h ^ h >> 33) * prime2;
    h = (h ^ h >> 29) * prime3;
    return h ^ h >> 32;
}
rwl_u128 rwl_hash_xxh3_128(rwl_span bytes, uint64_t seed);
/* murmur3_x86_32, Iceberg specification appendix B. */
uint32_t rwl_hash_murmur3(rwl_span bytes, uint32_t seed);

#endif
