/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder of DELTA_BINARY_PACKED (parquet-format, Encodings.md, "Delta Encoding").
 *
 *   stream := block_size miniblocks value_count first(zigzag) block*            varints
 *   block  := min_delta(zigzag) width(u8)[miniblocks] miniblock*                widths of unused miniblocks count for nothing
 *   miniblock := block_size / miniblocks deltas less min_delta, packed in `width` bits, least significant first
 *
 * block_size is a multiple of 128, a miniblock a multiple of 32 values. Sums wrap around. The last miniblock that
 * has values is whole; one cut short by the end of the input, as some writers leave it, is read as far as it goes.
 * The unpacking kernels read whole words: RWL_DELTA_SLACK bytes behind the input must be readable (any content).
 */
#ifndef RWL_PARQUET_DELTA_DECODE_H
#define RWL_PARQUET_DELTA_DECODE_H

#include "base/buf.h"

enum { RWL_DELTA_SLACK = 16, RWL_DELTA_VALUES = 32 };

/* Copying the struct saves the position. */
typedef struct rwl_delta {
    const uint8_t *p, *end; /* behind the current miniblock */
    uint64_t left;          /* values not yet taken */
    uint64_t value;         /* the last one taken, or the first */
    bool at_first;          /* the first value is next */
    uint32_t miniblocks, miniblock_values;
    /* the current block */
    uint64_t min_delta;
    const uint8_t *widths; /* of its miniblocks not yet begun */
    uint32_t minis_left;
    /* the current miniblock */
    const uint8_t *packed;
    uint32_t pos, mini_left; /* deltas of it taken, and not yet taken */
    int width;
} rwl_delta;

/* Reads the header. */
RWL_MUST_CHECK rwl_status rwl_delta_init(rwl_delta *d, rwl_span bytes, rwl_error *err);
/* What lies behind the stream; passes its blocks by their headers only. */
RWL_MUST_CHECK rwl_status rwl_delta_find_end(const rwl_delta *d, rwl_span *rest, rwl_error *err);
/* Exactly `count` values; CORRUPT when there are fewer. */
RWL_MUST_CHECK rwl_status rwl_delta_read64(rwl_delta *d, uint8_t *dst, size_t count, rwl_error *err);
/* The low 32 bits of `count` values. */
RWL_MUST_CHECK rwl_status rwl_delta_read32(rwl_delta *d, uint8_t *dst, size_t count, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_delta_skip(rwl_delta *d, uint64_t count, rwl_error *err);

#endif
