/* SPDX-License-Identifier: Apache-2.0 */
/* Bitmaps, least significant bit first: copies at any offset, fills, counts. A word at a time. */
#ifndef RWL_COLUMN_BITS_H
#define RWL_COLUMN_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t rwl_bits_bytes(int64_t bits) {
    return ((size_t)bits + 7) / 8;
}

/* Copies `count` bits; other bits of dst stay. The ranges may not overlap. */
void rwl_bits_copy(uint8_t *dst, int64_t dst_off, const uint8_t *src, int64_t src_off, int64_t count);
/* Sets `count` bits to `value`; others stay. */
void rwl_bits_fill(uint8_t *bits, int64_t off, int64_t count, bool value);
/* How many of the `count` bits from `off` are 1. */
int64_t rwl_bits_count(const uint8_t *bits, int64_t off, int64_t count);

#endif
