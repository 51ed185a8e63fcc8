/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row content hashes: 128 bits a row, each column's value mixed into what the columns before it left.
 *
 * A step takes 64 bits of value and a tag that says type kind and null-ness. Both halves of the state see
 * the value through different odd multipliers; two 64 x 64 -> 128 bit products are folded and exchanged, so
 * that every input bit reaches all 128 bits of the state. Values wider than 64 bits take two steps,
 * bytes one step for each half of their XXH3-128.
 */
#include "base/hash.h"
#include "column/batch.h"

static const uint64_t K0 = UINT64_C(0x9E3779B97F4A7C15);
static const uint64_t K1 = UINT64_C(0xD6E8FEB86659FD93);
static const uint64_t K2 = UINT64_C(0xA0761D6478BD642F);
static const uint64_t K3 = UINT64_C(0xE7037ED1A0B428DB);
static const uint64_t NULL_VALUE = UINT64_C(0x5BF03635F0A31CE1);

static inline uint64_t rotate(uint64_t v, int n) {
    return v << n | v >> (64 - n);
}

static inline rwl_u128 mix(rwl_u128 state, uint64_t value, uint64_t tag) {
    uint64_t low = (uint64_t)state;
    uint64_t high = (uint64_t)(state >> 64);
    uint64_t v = (value ^ tag) * K1; /* odd: no two values collide here */
    v ^= v >> 32;
    rwl_u128 p = (rwl_u128)(low ^ v ^ K0) * K2;
    rwl_u128 q = (rwl_u128)(high + rotate(v, 29) + tag) * K3;
    /* low bits of a product depend on low bits of its factors only, high bits on all: fold them */
    uint64_t a = (uint64_t)p ^ (uint64_t)(p >> 64);
    uint64_t b = (uint64_t)q ^ (uint64_t)(q >> 64);
    a += rotate(b, 32);
    a = (a ^ a >> 29) * K1;
    b = (b ^ rotate(a, 23)) * K2;
    a ^= b >> 32;
    return (rwl_u128)b << 64 | a;
}

/* The tag of values and of nulls of a type kind, apart in many bits. */
static uint64_t kind_tag(rwl_type_kind kind) {
    return ((uint64_t)kind + 1) * UINT64_C(0xC2B2AE3D27D4EB4F);
}

static inline rwl_u128 mix_null(rwl_u128 state, uint64_t tag) {
    return mix(state, NULL_VALUE, rotate(tag, 23));
}

#define HASH_ROWS(n, nulls, bits, tag, hashes, step)                                                         \
    do {                                                                                                     \
        if (!(nulls)) {                                                                                      \
            for (int64_t i = 0; i < (n); i++)                                                                \
                (hashes)[i] = (step);                                                                        \
        } else {                                                                                             \
            for (int64_t i = 0; i < (n); i++)                                                                \
                (hashes)[i] = rwl_bit_get((bits), i) ? (step) : mix_null((hashes)[i], (tag));                \
        }                                                                                                    \
    } while (0)

static rwl_u128 mix_bytes(rwl_u128 state, rwl_span bytes, uint64_t tag) {
    rwl_u128 h = rwl_hash_xxh3_128(bytes, 0);
    return mix(mix(state, (uint64_t)h, tag), (uint64_t)(h >> 64), tag);
}

static inline rwl_u128 mix_wide(rwl_u128 state, const uint8_t *p, uint64_t tag) {
    return mix(mix(state, rwl_load_le64(p), tag), rwl_load_le64(p + 8), tag);
}

void rwl_column_hash_rows(const rwl_column *c, rwl_u128 *hashes) {
    int64_t n = c->length;
    bool nulls = c->null_count > 0;
    const uint8_t *valid = c->validity.data;
    const uint8_t *values = c->values.data;
    uint64_t tag = kind_tag(c->type.kind);
    size_t width = (size_t)rwl_type_width(&c->type);
    if (c->type.kind == RWL_TYPE_UNKNOWN) {
        for (int64_t i = 0; i < n; i++)
            hashes[i] = mix_null(hashes[i], tag);
    } else if (c->type.kind == RWL_TYPE_BOOLEAN) {
        HASH_ROWS(n, nulls, valid, tag, hashes, mix(hashes[i], rwl_bit_get(values, i), tag));
    } else if (rwl_type_is_bytes(&c->type)) {
        HASH_ROWS(n, nulls, valid, tag, hashes, mix_bytes(hashes[i], rwl_column_bytes(c, i), tag));
    } else if (width == 4 && c->type.kind != RWL_TYPE_FIXED) {
        const uint32_t *words = (const uint32_t *)(const void *)values;
        HASH_ROWS(n, nulls, valid, tag, hashes, mix(hashes[i], words[i], tag));
    } else if (width == 8 && c->type.kind != RWL_TYPE_FIXED) {
        const uint64_t *words = (const uint64_t *)(const void *)values;
        HASH_ROWS(n, nulls, valid, tag, hashes, mix(hashes[i], words[i], tag));
    } else if (width == 16) {
        HASH_ROWS(n, nulls, valid, tag, hashes, mix_wide(hashes[i], values + i * 16, tag));
    } else {
        HASH_ROWS(n, nulls, valid, tag, hashes,
                  mix_bytes(hashes[i], rwl_span_of(values + (size_t)i * width, width), tag));
    }
}
