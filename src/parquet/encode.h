/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoders of Parquet's RLE / bit-packing hybrid (parquet-format, Encodings.md, "RLE = 3") and of bit
 * strings.
 *
 *   hybrid := run*;  run := varint(count << 1) value          value in ceil(width / 8) bytes, little endian
 *                         | varint(groups << 1 | 1) packed    groups of 8 values, least significant bit first
 *
 * The encoders write through plain pointers: the caller has made room for the `_bound`. They fail never.
 */
#ifndef RWL_PARQUET_ENCODE_H
#define RWL_PARQUET_ENCODE_H

#include "base/buf.h"

/* Bytes of room past what the kernels below may write by whole words. */
enum { RWL_PARQUET_SLACK = 16 };

/* Writes ULEB128, at most 10 bytes; returns its end. */
static inline uint8_t *rwl_parquet_put_varint(uint8_t *out, uint64_t v) {
    for (; v >= 0x80; v >>= 7)
        *out++ = (uint8_t)(v | 0x80);
    *out++ = (uint8_t)v;
    return out;
}

/* Bits of an index below `count`: at least 1, so that every reader has a run value to read. */
int rwl_parquet_bit_width(uint32_t count);
size_t rwl_parquet_hybrid_bound(size_t count, int width);
/* Encodes `count` values below 2^width (width 1 to 32) into `out`; returns the bytes written. */
size_t rwl_parquet_hybrid_encode(const uint32_t *values, size_t count, int width, uint8_t *out);

size_t rwl_parquet_levels_bound(size_t count);
/* The hybrid of width 1 of `count` bits, least significant first, from `bits`, which has RWL_PARQUET_SLACK
 * readable bytes after them; bits past `count` in their last byte must be zero. Returns the bytes written. */
size_t rwl_parquet_levels_encode(const uint8_t *bits, size_t count, uint8_t *out);
/* The hybrid of `count` levels, a byte each, at most `max`; `wide` is scratch. Appended to `out`. */
RWL_MUST_CHECK rwl_status rwl_parquet_levels_append(const uint8_t *levels, size_t count, int max,
                                                    rwl_buf *wide, rwl_buf *out, rwl_error *err);
/* The same for `count` times one level, without a bitmap. */
size_t rwl_parquet_levels_constant(bool level, size_t count, uint8_t *out);

/* `count` (1 to 64) bits from bit `pos` on; touches only bytes that hold them. */
static inline uint64_t rwl_parquet_bits_load(const uint8_t *bits, size_t pos, size_t count) {
    const uint8_t *p = bits + (pos >> 3);
    size_t shift = pos & 7, need = (shift + count + 7) >> 3;
    uint64_t w = 0;
    if (need >= 8) {
        w = rwl_load_le64(p) >> shift;
        if (need > 8)
            w |= (uint64_t)p[8] << (64 - shift);
    } else {
        for (size_t i = 0; i < need; i++)
            w |= (uint64_t)p[i] << (8 * i);
        w >>= shift;
    }
    return count < 64 ? w & ((UINT64_C(1) << count) - 1) : w;
}
/* Writes 64 bits at bit `pos` of `bits`, keeping those before. */
static inline void rwl_parquet_bits_store(uint8_t *bits, size_t pos, uint64_t word) {
    uint8_t *p = bits + (pos >> 3);
    size_t shift = pos & 7;
    uint64_t low = shift == 0 ? word : (p[0] & ((1u << shift) - 1)) | word << shift;
    memcpy(p, &low, sizeof low); /* little endian, as the columns are */
    if (shift != 0)
        p[8] = (uint8_t)(word >> (64 - shift));
}
/* Copies bits; `to` has RWL_PARQUET_SLACK bytes of room after them. */
void rwl_parquet_bits_copy(uint8_t *to, size_t to_pos, const uint8_t *from, size_t from_pos, size_t count);
/* Sets `count` bits from `pos` on; room as above. */
void rwl_parquet_bits_fill(uint8_t *bits, size_t pos, size_t count);
size_t rwl_parquet_bits_count(const uint8_t *bits, size_t pos, size_t count);

#endif
