/* SPDX-License-Identifier: Apache-2.0 */
/* Building a dictionary: typed loops over an open-addressing table, a block of values at a time. */
#include "parquet/dictionary_build.h"

enum { BLOCK = 64, FIRST_SLOTS = 256 }; /* few at first: a file may have ten thousand columns */

#define INLINE static inline __attribute__((always_inline))

__extension__ typedef unsigned __int128 wide;

void rwl_parquet_dictbuild_init(rwl_parquet_dictbuild *d, const rwl_env *env, size_t width) {
    memset(d, 0, sizeof *d);
    d->env = env;
    d->width = width;
    rwl_buf_init(&d->body, env, INT32_MAX);
    if (!env->random(env->ctx, &d->multiplier, sizeof d->multiplier))
        d->multiplier = UINT64_C(0x9E3779B97F4A7C15); /* spreads as well, only foreseeably */
    d->multiplier |= 1;
}

void rwl_parquet_dictbuild_clear(rwl_parquet_dictbuild *d) {
    if (d->env == NULL)
        return;
    rwl_buf_clear(&d->body);
    rwl_free(d->env, d->starts);
    rwl_free(d->env, d->ends);
    rwl_free(d->env, d->slots);
    memset(d, 0, sizeof *d);
}

static size_t slot_size(const rwl_parquet_dictbuild *d) {
    return d->width > 0 ? sizeof(uint32_t) : sizeof(uint64_t);
}

void rwl_parquet_dictbuild_reset(rwl_parquet_dictbuild *d) {
    d->count = 0;
    rwl_buf_reset(&d->body);
    if (d->slots != NULL)
        memset(d->slots, 0, d->slot_count * slot_size(d));
}

void rwl_parquet_dictbuild_drop_slots(rwl_parquet_dictbuild *d) {
    rwl_free(d->env, d->slots);
    d->slots = NULL;
    d->slot_count = 0;
}

void rwl_parquet_dictbuild_truncate(rwl_parquet_dictbuild *d, uint32_t count, size_t body_len) {
    d->count = count;
    d->body.len = body_len;
}

int64_t rwl_parquet_dictbuild_memory(const rwl_parquet_dictbuild *d) {
    return (int64_t)(d->body.cap + d->slot_count * slot_size(d) + d->entry_cap * 2 * sizeof(int32_t));
}

/* --- hashing: a 128-bit product of what the value holds, folded --- */

INLINE uint64_t load64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE uint32_t load32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE uint64_t fold(uint64_t a, uint64_t b) {
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

INLINE uint64_t hash_bytes(const uint8_t *p, size_t len, uint64_t key) {
    uint64_t h = key ^ len * UINT64_C(0xA0761D6478BD642F), a, b;
    size_t left = len;
    for (; left > 16; left -= 16, p += 16)
        h = fold(load64(p) ^ key, load64(p + 8) ^ h);
    if (left >= 8) {
        a = load64(p);
        b = load64(p + left - 8);
    } else if (left >= 4) {
        a = load32(p);
        b = load32(p + left - 4);
    } else {
        a = left > 0 ? (uint64_t)p[0] << 16 | (uint64_t)p[left >> 1] << 8 | p[left - 1] : 0;
        b = 0;
    }
    h = fold(a ^ UINT64_C(0xE7037ED1A0B428DB) ^ key, b ^ h);
    return h ^ h >> 32;
}

/* Its upper bits choose the slot. */
INLINE uint64_t hash_fixed(const uint8_t *p, size_t width, uint64_t key) {
    if (width == 4)
        return load32(p) * key;
    if (width == 8) {
        uint64_t v = load64(p);
        return (v ^ v >> 32) * key;
    }
    if (width == 16)
        return fold(load64(p) ^ key, load64(p + 8) ^ UINT64_C(0xE7037ED1A0B428DB)) * key;
    return hash_bytes(p, width, key) * key;
}

INLINE bool equal_bytes(const uint8_t *a, const uint8_t *b, size_t len) {
    if (len > 16)
        return memcmp(a, b, len) == 0;
    if (len >= 8)
        return ((load64(a) ^ load64(b)) | (load64(a + len - 8) ^ load64(b + len - 8))) == 0;
    if (len >= 4)
        return ((load32(a) ^ load32(b)) | (load32(a + len - 4) ^ load32(b + len - 4))) == 0;
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* --- growing --- */

static int slot_shift(const rwl_parquet_dictbuild *d) {
    return 64 - __builtin_ctzll(d->slot_count);
}

static void fill_slots(const rwl_parquet_dictbuild *d, void *slots, size_t slot_count) {
    size_t mask = slot_count - 1;
    int shift = 64 - __builtin_ctzll(slot_count);
    if (d->width > 0) {
        uint32_t *to = slots;
        for (uint32_t i = 0; i < d->count; i++) {
            size_t at = hash_fixed(d->body.data + i * d->width, d->width, d->multiplier) >> shift;
            while (to[at] != 0)
                at = (at + 1) & mask;
            to[at] = i + 1;
        }
        return;
    }
    const uint64_t *from = d->slots;
    uint64_t *to = slots;
    for (size_t i = 0; i < d->slot_count; i++) {
        if (from[i] == 0)
            continue;
        size_t at = from[i] >> shift;
        while (to[at] != 0)
            at = (at + 1) & mask;
        to[at] = from[i];
    }
}

static rwl_status grow_slots(rwl_parquet_dictbuild *d, rwl_error *err) {
    size_t want = d->slot_count > 0 ? d->slot_count : FIRST_SLOTS;
    while (want < 2 * ((size_t)d->count + BLOCK))
        want *= 2;
    if (want == d->slot_count)
        return RWL_OK;
    void *slots = rwl_calloc(d->env, want, slot_size(d));
    if (slots == NULL)
        return rwl_no_memory(err, want * slot_size(d));
    fill_slots(d, slots, want);
    rwl_free(d->env, d->slots);
    d->slots = slots;
    d->slot_count = want;
    return RWL_OK;
}

static rwl_status grow_entries(rwl_parquet_dictbuild *d, rwl_error *err) {
    size_t need = (size_t)d->count + BLOCK;
    if (need <= d->entry_cap)
        return RWL_OK;
    size_t cap = need * 2;
    int32_t *starts = rwl_realloc(d->env, d->starts, cap * sizeof *starts);
    if (starts == NULL)
        return rwl_no_memory(err, cap * sizeof *starts);
    d->starts = starts;
    int32_t *ends = rwl_realloc(d->env, d->ends, cap * sizeof *ends);
    if (ends == NULL)
        return rwl_no_memory(err, cap * sizeof *ends);
    d->ends = ends;
    d->entry_cap = cap;
    return RWL_OK;
}

/* --- fixed width --- */

INLINE void add_block_fixed(rwl_parquet_dictbuild *d, const uint8_t *v, size_t count, uint32_t *indexes,
                            size_t width) {
    uint32_t *slots = d->slots;
    const uint64_t key = d->multiplier;
    const size_t mask = d->slot_count - 1;
    const int shift = slot_shift(d);
    uint8_t *body = d->body.data;
    uint32_t entries = d->count;
    for (size_t i = 0; i < count; i++, v += width) {
        size_t at = hash_fixed(v, width, key) >> shift;
        uint32_t index;
        for (;;) {
            index = slots[at];
            if (index == 0) {
                memcpy(body + entries * width, v, width);
                slots[at] = index = ++entries;
                break;
            }
            const uint8_t *entry = body + (index - 1) * width;
            if (width == 4 ? load32(entry) == load32(v) : equal_bytes(entry, v, width))
                break;
            at = (at + 1) & mask;
        }
        indexes[i] = index - 1;
    }
    d->count = entries;
    d->body.len = entries * width;
}

/* True when all values of the block are the same as the one before its first. */
INLINE bool repeats_fixed(const uint8_t *v, size_t count, size_t width) {
    uint64_t difference = 0;
    if (width == 4) {
        for (size_t i = 0; i < count; i++)
            difference |= load32(v + i * 4) ^ load32(v - 4);
        return difference == 0;
    }
    if (width == 8) {
        for (size_t i = 0; i < count; i++)
            difference |= load64(v + i * 8) ^ load64(v - 8);
        return difference == 0;
    }
    return equal_bytes(v, v - width, width) && memcmp(v, v - width, count * width) == 0;
}

INLINE rwl_status add_fixed(rwl_parquet_dictbuild *d, const uint8_t *values, size_t count, uint32_t *indexes,
                            size_t width, rwl_error *err) {
    for (size_t i = 0; i < count; i += BLOCK) {
        const uint8_t *v = values + i * width;
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        if (i > 0 && repeats_fixed(v, n, width)) {
            for (size_t k = 0; k < n; k++)
                indexes[i + k] = indexes[i - 1];
            continue;
        }
        if (d->slot_count < 2 * ((size_t)d->count + BLOCK))
            RWL_TRY(grow_slots(d, err));
        RWL_TRY(rwl_buf_reserve(&d->body, BLOCK * width, err));
        add_block_fixed(d, v, n, indexes + i, width);
    }
    return RWL_OK;
}

rwl_status rwl_parquet_dictbuild_add_fixed(rwl_parquet_dictbuild *d, const uint8_t *values, size_t count,
                                           uint32_t *indexes, rwl_error *err) {
    switch (d->width) {
    case 4:
        return add_fixed(d, values, count, indexes, 4, err);
    case 8:
        return add_fixed(d, values, count, indexes, 8, err);
    case 16:
        return add_fixed(d, values, count, indexes, 16, err);
    default:
        return add_fixed(d, values, count, indexes, d->width, err);
    }
}

/* --- byte arrays --- */

static rwl_status append_entry(rwl_parquet_dictbuild *d, const uint8_t *p, size_t len, rwl_error *err) {
    RWL_TRY(rwl_buf_reserve(&d->body, len + 4, err));
    uint8_t *to = d->body.data + d->body.len;
    rwl_store_le32(to, (uint32_t)len);
    memcpy(to + 4, p, len);
    d->starts[d->count] = (int32_t)(d->body.len + 4);
    d->ends[d->count] = (int32_t)(d->body.len + 4 + len);
    d->body.len += len + 4;
    d->count++;
    return RWL_OK;
}

INLINE bool is_entry(const rwl_parquet_dictbuild *d, uint32_t index, const uint8_t *p, size_t len) {
    size_t start = (size_t)d->starts[index];
    return (size_t)d->ends[index] - start == len && equal_bytes(d->body.data + start, p, len);
}

/* The slot of the entry equal to p[0 .. len), or the empty one where it belongs. `tag`: hash in the upper
 * half. */
INLINE size_t find_slot(const rwl_parquet_dictbuild *d, const uint8_t *p, size_t len, uint64_t tag) {
    const uint64_t *slots = d->slots;
    size_t at = tag >> slot_shift(d), mask = d->slot_count - 1;
    for (uint64_t slot = slots[at]; slot != 0; slot = slots[at]) {
        if ((slot ^ tag) >> 32 == 0 && is_entry(d, (uint32_t)slot - 1, p, len))
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static rwl_status add_block_bytes(rwl_parquet_dictbuild *d, const uint8_t *bytes, const int32_t *starts,
                                  const int32_t *ends, size_t count, uint32_t *indexes, rwl_error *err) {
    uint64_t tags[BLOCK]; /* hashed first: no value waits for the search of the one before */
    for (size_t i = 0; i < count; i++)
        tags[i] = hash_bytes(bytes + starts[i], (size_t)(ends[i] - starts[i]), d->multiplier) << 32;
    rwl_parquet_dictbuild seen = *d; /* a copy the compiler can keep in registers */
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = bytes + starts[i];
        size_t len = (size_t)(ends[i] - starts[i]);
        size_t at = find_slot(&seen, p, len, tags[i]);
        uint64_t *slots = seen.slots;
        if (slots[at] == 0) {
            RWL_TRY(append_entry(d, p, len, err));
            slots[at] = tags[i] | d->count;
            seen = *d;
        }
        indexes[i] = (uint32_t)slots[at] - 1;
    }
    return RWL_OK;
}

/* How many of the values, from the first on, are the entry `index`. */
static size_t repeats_bytes(const rwl_parquet_dictbuild *d, const uint8_t *bytes, const int32_t *starts,
                            const int32_t *ends, size_t count, uint32_t index) {
    size_t i = 0;
    while (i < count && is_entry(d, index, bytes + starts[i], (size_t)(ends[i] - starts[i])))
        i++;
    return i;
}

rwl_status rwl_parquet_dictbuild_add_bytes(rwl_parquet_dictbuild *d, const uint8_t *bytes,
                                           const int32_t *starts, const int32_t *ends, size_t count,
                                           uint32_t *indexes, rwl_error *err) {
    size_t i = 0;
    while (i < count) {
        if (d->slot_count < 2 * ((size_t)d->count + BLOCK))
            RWL_TRY(grow_slots(d, err));
        RWL_TRY(grow_entries(d, err));
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        RWL_TRY(add_block_bytes(d, bytes, starts + i, ends + i, n, indexes + i, err));
        i += n;
        size_t run = repeats_bytes(d, bytes, starts + i, ends + i, count - i, indexes[i - 1]);
        for (size_t k = 0; k < run; k++)
            indexes[i + k] = indexes[i - 1];
        i += run;
    }
    return RWL_OK;
}

/* --- back to plain --- */

INLINE void gather(const uint8_t *body, const uint32_t *indexes, size_t count, uint8_t *out, size_t width) {
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * width, body + indexes[i] * width, width);
}

rwl_status rwl_parquet_dictbuild_gather(const rwl_parquet_dictbuild *d, const uint32_t *indexes, size_t count,
                                        rwl_buf *out, rwl_error *err) {
    if (d->width == 0) {
        for (size_t i = 0; i < count; i++) {
            size_t start = (size_t)d->starts[indexes[i]] - 4, end = (size_t)d->ends[indexes[i]];
            RWL_TRY(rwl_buf_append(out, d->body.data + start, end - start, err));
        }
        return RWL_OK;
    }
    RWL_TRY(rwl_buf_reserve(out, count * d->width, err));
    uint8_t *to = out->data + out->len;
    if (d->width == 8)
        gather(d->body.data, indexes, count, to, 8);
    else if (d->width == 4)
        gather(d->body.data, indexes, count, to, 4);
    else
        gather(d->body.data, indexes, count, to, d->width);
    out->len += count * d->width;
    return RWL_OK;
}
