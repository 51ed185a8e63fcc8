/* SPDX-License-Identifier: Apache-2.0 */
/* Values side by side put to the rows that have one; by vector instructions where the processor has them. */
#ifndef RWL_PARQUET_SPREAD_H
#define RWL_PARQUET_SPREAD_H

#include <stddef.h>
#include <stdint.h>

enum { RWL_SPREAD_SLACK = 64 }; /* readable bytes (any content) behind the values */

/* Row i of `rows` gets the next value of `width` (4, 8 or 16) bytes where bit i of `bits` is set, else zeros. */
void rwl_spread(const uint64_t *bits, size_t rows, size_t width, const uint8_t *src, uint8_t *dst);
/* The same for values that are bits: `dst` gets whole words, zeros behind the last row. */
void rwl_spread_bits(const uint64_t *bits, size_t rows, const uint8_t *src, uint64_t *dst);

#endif
