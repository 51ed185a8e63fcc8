/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompression of Snappy's raw blocks (snappy/format_description.txt):
 *
 *   varint length, then elements: a tag whose two low bits say what follows
 *     00  literal   length - 1 in the upper six bits; 60 to 63: in 1 to 4 bytes behind the tag; then the bytes
 *     01  copy      length - 4 in bits 2 to 4; offset of 11 bits, the upper three in bits 5 to 7, then one byte
 *     10  copy      length - 1 in the upper six bits; offset in two bytes
 *     11  copy      the same; offset in four bytes
 *   A copy repeats what lies `offset` bytes back in the output, and may run into what it writes. Little endian.
 */
#ifndef RWL_CODEC_SNAPPY_DECODE_H
#define RWL_CODEC_SNAPPY_DECODE_H

#include "base/buf.h"

/* The length a block says, and its elements; false when there is none. */
bool rwl_snappy_read_length(rwl_span in, size_t *len, rwl_span *elements);
/* Whether the elements give exactly `len` bytes; then they are at `out`. */
bool rwl_snappy_decode(rwl_span elements, uint8_t *out, size_t len);

#endif
