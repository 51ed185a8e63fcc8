/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes: XXH64 (digest, bloom filters), XXH3 128 (row digests), murmur3 (bucket transform). */
#ifndef RWL_BASE_HASH_H
#define RWL_BASE_HASH_H

#include "base/buf.h"
#include "base/int128.h"

uint64_t rwl_hash_xxh64(rwl_span bytes, uint64_t seed);
/* XXH64 of the 8 little-endian bytes of `value` under `seed`, inlined arithmetic: the digest's step. */
uint64_t rwl_hash_xxh64_i64(int64_t value, uint64_t seed);
rwl_u128 rwl_hash_xxh3_128(rwl_span bytes, uint64_t seed);
/* murmur3_x86_32, Iceberg specification appendix B. */
uint32_t rwl_hash_murmur3(rwl_span bytes, uint32_t seed);

#endif
