/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder of Parquet's RLE / bit-packing hybrid (parquet-format, Encodings.md, "RLE = 3"), run by run.
 *
 *   hybrid := run*;  run := varint(count << 1) value          value in ceil(width / 8) bytes, little endian
 *                         | varint(groups << 1 | 1) packed    groups of 8 values, least significant bit first
 *
 * The unpacking kernels read whole words: RWL_RLE_SLACK bytes behind the input must be readable (any content).
 * A packed run cut short by the end of the input, as some writers leave it, holds as many values as its bytes do.
 */
#ifndef RWL_PARQUET_RLE_DECODE_H
#define RWL_PARQUET_RLE_DECODE_H

#include "base/buf.h"

enum { RWL_RLE_SLACK = 16 };

/* Copying the struct saves the position. */
typedef struct rwl_rle {
    const uint8_t *p, *end; /* what is left behind the current run */
    const uint8_t *packed;  /* the current packed run */
    uint64_t packed_pos;    /* values of it taken */
    uint64_t left;          /* values left in the current run */
    uint32_t value;         /* of a repeated run */
    int width;              /* bits a value, 0 to 32 */
    bool is_packed;
} rwl_rle;

/* A piece of a run: `count` times `value`, or `count` packed values from value `pos` of `packed` on. */
typedef struct rwl_rle_run {
    size_t count;
    bool is_packed;
    uint32_t value;
    const uint8_t *packed;
    uint64_t pos;
} rwl_rle_run;

/* `width` 0 means endless zeros, whatever the bytes are. */
void rwl_rle_init(rwl_rle *rle, rwl_span bytes, int width);
/* The next 1 to `max` values, of one run; CORRUPT when there are none. */
RWL_MUST_CHECK rwl_status rwl_rle_take(rwl_rle *rle, size_t max, rwl_rle_run *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_rle_skip(rwl_rle *rle, uint64_t count, rwl_error *err);
/* Exactly `count` values. */
RWL_MUST_CHECK rwl_status rwl_rle_read(rwl_rle *rle, uint32_t *out, size_t count, rwl_error *err);
/* `count` values of a width of 1 as bits of `words`, from bit 0 on, zeros behind them up to the end of word count / 64:
 * one more than are full. CORRUPT for a run of anything but 0 or 1. */
RWL_MUST_CHECK rwl_status rwl_rle_read_bits(rwl_rle *rle, uint64_t *words, size_t count, rwl_error *err);
/* How often the next value is repeated at least, 0 where it is a packed one; CORRUPT when there is none. */
RWL_MUST_CHECK rwl_status rwl_rle_peek(rwl_rle *rle, uint64_t *count, uint32_t *value, rwl_error *err);
/* The bytes of `count` values in the deprecated encoding BIT_PACKED (most significant bit first). */
static inline uint64_t rwl_rle_bit_packed_bytes(int width, uint64_t count) {
    return (count * (uint64_t)width + 7) / 8;
}
/* Makes such bytes readable as one packed run, which is written to `packed`: rwl_rle_bit_packed_bytes of room, and
 * RWL_RLE_SLACK behind. CORRUPT when `bytes` are fewer. */
RWL_MUST_CHECK rwl_status rwl_rle_init_bit_packed(rwl_rle *rle, rwl_span bytes, int width, uint64_t count,
                                                  uint8_t *packed, rwl_error *err);
/* Unpacks `count` values of `width` (1 to 32) bits from value `pos` of `packed` on. */
void rwl_rle_unpack(const uint8_t *packed, uint64_t pos, int width, uint32_t *out, size_t count);

#endif
