/* SPDX-License-Identifier: Apache-2.0 */
/* Containers: searching, counting and walking by runs. */
#include "bitmap/container_internal.h"

uint32_t rwl_values_lower_bound(const uint16_t *values, uint32_t len, uint32_t value) {
    uint32_t low = 0, high = len;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (values[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t rwl_runs_lower_bound(const rwl_container_run *runs, uint32_t len, uint32_t value) {
    if (len == 0 || runs[len - 1].last < value)
        return len; /* appending is the common case */
    uint32_t low = 0, high = len;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (runs[mid].last < value)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t rwl_words_fill(uint64_t *words, uint32_t first, uint32_t last) {
    uint32_t added = 0;
    for (uint32_t i = first >> 6; i <= last >> 6; i++) {
        uint64_t mask = ~UINT64_C(0);
        if (i == first >> 6)
            mask &= ~UINT64_C(0) << (first & 63);
        if (i == last >> 6)
            mask &= ~UINT64_C(0) >> (63 - (last & 63));
        added += (uint32_t)__builtin_popcountll(mask & ~words[i]);
        words[i] |= mask;
    }
    return added;
}

bool rwl_container_contains(const rwl_container *c, uint32_t value) {
    uint32_t i;
    switch (c->kind) {
    case RWL_CONTAINER_ARRAY:
        i = rwl_values_lower_bound(c->as.values, c->len, value);
        return i < c->len && c->as.values[i] == value;
    case RWL_CONTAINER_WORDS:
        return (c->as.words[value >> 6] >> (value & 63) & 1) != 0;
    default:
        i = rwl_runs_lower_bound(c->as.runs, c->len, value);
        return i < c->len && c->as.runs[i].first <= value;
    }
}

static uint32_t rank_words(const uint64_t *words, uint32_t limit) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < limit >> 6; i++)
        rank += (uint32_t)__builtin_popcountll(words[i]);
    if ((limit & 63) != 0)
        rank += (uint32_t)__builtin_popcountll(words[limit >> 6] & ((UINT64_C(1) << (limit & 63)) - 1));
    return rank;
}

uint32_t rwl_container_rank(const rwl_container *c, uint32_t limit) {
    if (limit >= 65536)
        return c->cardinality;
    if (c->kind == RWL_CONTAINER_ARRAY)
        return rwl_values_lower_bound(c->as.values, c->len, limit);
    if (c->kind == RWL_CONTAINER_WORDS)
        return rank_words(c->as.words, limit);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < c->len && c->as.runs[i].first < limit; i++) {
        uint32_t end = (uint32_t)c->as.runs[i].last + 1;
        rank += (end < limit ? end : limit) - c->as.runs[i].first;
    }
    return rank;
}

/* The first bit at or after `from` that is set (flip 0) or clear (flip all ones); 65536 when none is. */
static uint32_t find_bit(const uint64_t *words, uint32_t from, uint64_t flip) {
    if (from > 65535)
        return 65536;
    uint32_t i = from >> 6;
    uint64_t w = (words[i] ^ flip) & (~UINT64_C(0) << (from & 63));
    while (w == 0) {
        if (++i == RWL_CONTAINER_WORD_COUNT)
            return 65536;
        w = words[i] ^ flip;
    }
    return i * 64 + (uint32_t)__builtin_ctzll(w);
}

static bool next_array_run(const rwl_container *c, uint32_t from, uint32_t *first, uint32_t *last) {
    uint32_t i = rwl_values_lower_bound(c->as.values, c->len, from);
    if (i == c->len)
        return false;
    *first = c->as.values[i];
    while (i + 1 < c->len && c->as.values[i + 1] == c->as.values[i] + 1)
        i++;
    *last = c->as.values[i];
    return true;
}

bool rwl_container_next_run(const rwl_container *c, uint32_t from, uint32_t *first, uint32_t *last) {
    if (c->kind == RWL_CONTAINER_ARRAY)
        return next_array_run(c, from, first, last);
    if (c->kind == RWL_CONTAINER_WORDS) {
        *first = find_bit(c->as.words, from, 0);
        if (*first == 65536)
            return false;
        *last = find_bit(c->as.words, *first, ~UINT64_C(0)) - 1;
        return true;
    }
    uint32_t i = rwl_runs_lower_bound(c->as.runs, c->len, from);
    if (i == c->len)
        return false;
    *first = c->as.runs[i].first > from ? c->as.runs[i].first : from;
    *last = c->as.runs[i].last;
    return true;
}
