/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoders of the delta encodings (parquet-format, Encodings.md, "DELTA_BINARY_PACKED = 5", "DELTA_LENGTH_BYTE_ARRAY
 * = 6", "DELTA_BYTE_ARRAY = 7") and of BYTE_STREAM_SPLIT (9).
 *
 *   DELTA_BINARY_PACKED     := block size 128, miniblocks 4, count (varints) first value (zigzag) block*
 *   block                   := least delta (zigzag) four bit widths (u8) miniblock*
 *   miniblock               := 32 deltas less the least, bit-packed, the last one filled up with zeros
 *   DELTA_LENGTH_BYTE_ARRAY := lengths (DELTA_BINARY_PACKED) all bytes
 *   DELTA_BYTE_ARRAY        := prefix lengths (DELTA_BINARY_PACKED) suffixes (DELTA_LENGTH_BYTE_ARRAY)
 *   BYTE_STREAM_SPLIT       := the first bytes of all values, the second bytes, …
 *
 * They take values in PLAIN, as pages are collected.
 */
#ifndef RWL_PARQUET_DELTA_ENCODE_H
#define RWL_PARQUET_DELTA_ENCODE_H

#include "base/buf.h"

/* Room that `count` values of 4 or 8 bytes take at most, the writing by whole words included. */
size_t rwl_parquet_delta_bound(size_t count, size_t width);
/* Encodes `count` integers of `width` 4 or 8 bytes, side by side, into `out`, which has room for the bound; returns the
 * bytes written. Deltas wrap around in the type's width. */
size_t rwl_parquet_delta_encode(const uint8_t *values, size_t count, size_t width, uint8_t *out);

/* Appends `count` byte arrays as DELTA_LENGTH_BYTE_ARRAY: `plain` holds each as u32 length and bytes. INTERNAL when it
 * holds another number of them. `scratch` is for lengths. */
RWL_MUST_CHECK rwl_status rwl_parquet_delta_length_encode(rwl_span plain, size_t count, rwl_buf *scratch,
                                                          rwl_buf *out, rwl_error *err);
/* The same as DELTA_BYTE_ARRAY. */
RWL_MUST_CHECK rwl_status rwl_parquet_delta_bytes_encode(rwl_span plain, size_t count, rwl_buf *scratch,
                                                         rwl_buf *out, rwl_error *err);
/* DELTA_BYTE_ARRAY of values of `width` bytes each (FIXED). */
RWL_MUST_CHECK rwl_status rwl_parquet_delta_fixed_encode(rwl_span plain, size_t width, rwl_buf *scratch,
                                                         rwl_buf *out, rwl_error *err);

/* Sorts the bytes of `count` values of `width` bytes into `width` streams at `out`, as many bytes as came. */
void rwl_parquet_split_encode(const uint8_t *values, size_t count, size_t width, uint8_t *out);

#endif
