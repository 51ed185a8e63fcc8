/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row content hashes: 128 bits a row, each column's value mixed into what the columns before it left.
 *
 * A step takes 64 bits of value and a tag that says type kind and null-ness. Both halves of the state see
 * the value through different odd multipliers; two 64 x 64 -> 128 bit products are folded and exchanged, so
 * that every input bit reaches all 128 bits of the state. Values wider than 64 bits take two steps,
 * bytes one step for each half of their XXH3-128. A struct mixes its tag, then each field; a list or map its
 * length, then each element's own hash (from zero; of a map the key's, with the value mixed in) in two steps.
 * Elements are hashed a chunk at a time, whatever rows they belong to; what lies under nulls does not count.
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

/* `step` for row i, its hash in hashes[k]. */
#define HASH_ROWS(step)                                                                                      \
    do {                                                                                                     \
        if (c->null_count == 0) {                                                                            \
            for (int64_t k = 0, i = first; k < n; k++, i++)                                                  \
                hashes[k] = (step);                                                                          \
        } else {                                                                                             \
            for (int64_t k = 0, i = first; k < n; k++, i++)                                                  \
                hashes[k] = rwl_bit_get(valid, i) ? (step) : mix_null(hashes[k], tag);                       \
        }                                                                                                    \
    } while (0)

static rwl_u128 mix_bytes(rwl_u128 state, rwl_span bytes, uint64_t tag) {
    rwl_u128 h = rwl_hash_xxh3_128(bytes, 0);
    return mix(mix(state, (uint64_t)h, tag), (uint64_t)(h >> 64), tag);
}

static inline rwl_u128 mix_wide(rwl_u128 state, const uint8_t *p, uint64_t tag) {
    return mix(mix(state, rwl_load_le64(p), tag), rwl_load_le64(p + 8), tag);
}

static void hash_rows(const rwl_column *c, int64_t first, int64_t n, rwl_u128 *hashes);

enum { CHUNK = 128 }; /* rows or elements hashed at a time: 2 KiB of stack a level of nesting */

static void hash_structs(const rwl_column *c, int64_t first, int64_t n, rwl_u128 *hashes) {
    uint64_t tag = kind_tag(c->type.kind);
    rwl_u128 before[CHUNK];
    for (int64_t at = 0; at < n; at += CHUNK) {
        int64_t count = n - at < CHUNK ? n - at : CHUNK;
        for (int64_t k = 0; k < count; k++) {
            before[k] = hashes[at + k];
            hashes[at + k] = mix(hashes[at + k], 0, tag);
        }
        for (int32_t i = 0; i < c->type.child_count; i++)
            hash_rows(&c->children[i], first + at, count, hashes + at);
        for (int64_t k = 0; c->null_count > 0 && k < count; k++) {
            if (!rwl_bit_get(c->validity.data, first + at + k))
                hashes[at + k] = mix_null(before[k], tag);
        }
    }
}

/* Hashes of elements `at` and on, as many as a chunk holds. */
typedef struct element_hashes {
    const rwl_column *of;
    int64_t at, count;
    rwl_u128 items[CHUNK];
} element_hashes;

static void fill_elements(element_hashes *e, int64_t at, int64_t end) {
    e->at = at;
    e->count = end - at < CHUNK ? end - at : CHUNK;
    memset(e->items, 0, (size_t)e->count * sizeof *e->items);
    for (int32_t i = 0; i < e->of->type.child_count; i++)
        hash_rows(&e->of->children[i], at, e->count, e->items);
}

static void hash_lists(const rwl_column *c, int64_t first, int64_t n, rwl_u128 *hashes) {
    uint64_t tag = kind_tag(c->type.kind);
    element_hashes e = {.of = c};
    if (n == 0)
        return;
    const int32_t *offsets = rwl_column_offsets(c) + first;
    for (int64_t k = 0; k < n; k++) {
        if (rwl_column_is_null(c, first + k)) {
            hashes[k] = mix_null(hashes[k], tag);
            continue;
        }
        rwl_u128 state = mix(hashes[k], (uint64_t)(offsets[k + 1] - offsets[k]), tag);
        for (int64_t i = offsets[k]; i < offsets[k + 1]; i++) {
            if (i < e.at || i >= e.at + e.count)
                fill_elements(&e, i, offsets[n]);
            rwl_u128 h = e.items[i - e.at];
            state = mix(mix(state, (uint64_t)h, tag), (uint64_t)(h >> 64), tag);
        }
        hashes[k] = state;
    }
}

/* Rows first .. first + n - 1 into hashes[0] .. hashes[n - 1]. */
static void hash_rows(const rwl_column *c, int64_t first, int64_t n, rwl_u128 *hashes) {
    const uint8_t *valid = c->validity.data;
    const uint8_t *values = c->values.data;
    uint64_t tag = kind_tag(c->type.kind);
    size_t width = (size_t)rwl_type_width(&c->type);
    if (c->type.kind == RWL_TYPE_UNKNOWN) {
        for (int64_t i = 0; i < n; i++)
            hashes[i] = mix_null(hashes[i], tag);
    } else if (c->type.kind == RWL_TYPE_STRUCT) {
        hash_structs(c, first, n, hashes);
    } else if (rwl_type_is_nested(&c->type)) {
        hash_lists(c, first, n, hashes);
    } else if (c->type.kind == RWL_TYPE_BOOLEAN) {
        HASH_ROWS(mix(hashes[k], rwl_bit_get(values, i), tag));
    } else if (rwl_type_is_bytes(&c->type)) {
        HASH_ROWS(mix_bytes(hashes[k], rwl_column_bytes(c, i), tag));
    } else if (width == 4 && c->type.kind != RWL_TYPE_FIXED) {
        const uint32_t *words = (const uint32_t *)(const void *)values;
        HASH_ROWS(mix(hashes[k], words[i], tag));
    } else if (width == 8 && c->type.kind != RWL_TYPE_FIXED) {
        const uint64_t *words = (const uint64_t *)(const void *)values;
        HASH_ROWS(mix(hashes[k], words[i], tag));
    } else if (width == 16) {
        HASH_ROWS(mix_wide(hashes[k], values + i * 16, tag));
    } else {
        HASH_ROWS(mix_bytes(hashes[k], rwl_span_of(values + (size_t)i * width, width), tag));
    }
}

void rwl_column_hash_rows(const rwl_column *c, rwl_u128 *hashes) {
    hash_rows(c, 0, c->length, hashes);
}
