/* SPDX-License-Identifier: Apache-2.0 */
/* Bitmaps: copies at any offset, fills, counts. */
#include "column/bits.h"

#include <string.h>

/* Replaces the bits of *p under `mask`. */
static void set_masked(uint8_t *p, uint8_t value, uint8_t mask) {
    *p = (uint8_t)((*p & (uint8_t)~mask) | (value & mask));
}

/* `count` <= 8 bits from bit `off`, touching only the bytes that hold them. */
static uint8_t load_bits(const uint8_t *src, int64_t off, int count) {
    const uint8_t *p = src + (off >> 3);
    int shift = (int)(off & 7);
    unsigned value = (unsigned)p[0] >> shift;
    if (shift + count > 8)
        value |= (unsigned)p[1] << (8 - shift);
    return (uint8_t)value;
}

static uint64_t load_word(const uint8_t *p, int shift) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    if (shift == 0)
        return word;
    return word >> shift | (uint64_t)p[8] << (64 - shift);
}

void rwl_bits_copy(uint8_t *dst, int64_t dst_off, const uint8_t *src, int64_t src_off, int64_t count) {
    int head = (int)(-dst_off & 7); /* bits up to dst's next byte */
    if (head > count)
        head = (int)count;
    if (head > 0) {
        int at = (int)(dst_off & 7);
        uint8_t mask = (uint8_t)(((1u << head) - 1) << at);
        set_masked(dst + (dst_off >> 3), (uint8_t)(load_bits(src, src_off, head) << at), mask);
        dst_off += head;
        src_off += head;
        count -= head;
    }
    uint8_t *to = dst + (dst_off >> 3);
    if ((src_off & 7) == 0) {
        memcpy(to, src + (src_off >> 3), (size_t)(count >> 3));
        to += count >> 3;
        src_off += count & ~INT64_C(7);
        count &= 7;
    }
    for (; count >= 64; count -= 64, src_off += 64, to += 8) {
        uint64_t word = load_word(src + (src_off >> 3), (int)(src_off & 7));
        memcpy(to, &word, sizeof word);
    }
    for (; count >= 8; count -= 8, src_off += 8)
        *to++ = load_bits(src, src_off, 8);
    if (count > 0)
        set_masked(to, load_bits(src, src_off, (int)count), (uint8_t)((1u << count) - 1));
}

void rwl_bits_fill(uint8_t *bits, int64_t off, int64_t count, bool value) {
    uint8_t byte = value ? 0xFF : 0;
    int head = (int)(-off & 7);
    if (head > count)
        head = (int)count;
    if (head > 0) {
        set_masked(bits + (off >> 3), byte, (uint8_t)(((1u << head) - 1) << (off & 7)));
        off += head;
        count -= head;
    }
    if (count >= 8)
        memset(bits + (off >> 3), byte, (size_t)(count >> 3));
    if ((count & 7) > 0)
        set_masked(bits + ((off + count) >> 3), byte, (uint8_t)((1u << (count & 7)) - 1));
}

int64_t rwl_bits_count(const uint8_t *bits, int64_t off, int64_t count) {
    int64_t total = 0;
    int head = (int)(-off & 7);
    if (head > count)
        head = (int)count;
    if (head > 0) {
        total += __builtin_popcount(load_bits(bits, off, head) & ((1u << head) - 1));
        off += head;
        count -= head;
    }
    const uint8_t *p = bits + (off >> 3);
    for (; count >= 64; count -= 64, p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        total += __builtin_popcountll(word);
    }
    for (; count >= 8; count -= 8)
        total += __builtin_popcount(*p++);
    if (count > 0)
        total += __builtin_popcount(*p & ((1u << count) - 1));
    return total;
}
