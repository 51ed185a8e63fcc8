/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BYTE_STREAM_SPLIT (parquet-format, Encodings.md): of `count` values of `width` bytes, first the first bytes of all,
 * then the second bytes, and so on.
 */
#ifndef RWL_PARQUET_SPLIT_DECODE_H
#define RWL_PARQUET_SPLIT_DECODE_H

#include <stddef.h>
#include <stdint.h>

/* Puts `count` values together; their first bytes are at `src`, the others each `stride` behind. */
void rwl_split_join(const uint8_t *src, size_t stride, size_t width, uint8_t *dst, size_t count);

#endif
