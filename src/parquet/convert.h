/* SPDX-License-Identifier: Apache-2.0 */
/* PLAIN values made into the column layout of their natural type, many at a time. */
#ifndef RWL_PARQUET_CONVERT_H
#define RWL_PARQUET_CONVERT_H

#include "parquet/file.h"

/* Bytes behind any page or dictionary in memory that kernels may read (and ignore). */
enum { RWL_PARQUET_READ_SLACK = 64 };

typedef enum rwl_parquet_convert {
    RWL_PARQUET_TO_BITS,  /* BOOLEAN */
    RWL_PARQUET_TO_SAME,  /* fixed width, as stored */
    RWL_PARQUET_TO_BYTES, /* variable length, as stored */
    RWL_PARQUET_UINT32_TO_LONG,
    RWL_PARQUET_UINT64_TO_DECIMAL,
    RWL_PARQUET_MILLIS32, /* to micros */
    RWL_PARQUET_MILLIS64,
    RWL_PARQUET_FLOAT16_TO_FLOAT,
    RWL_PARQUET_INT96_TO_MICROS,
    RWL_PARQUET_INT32_TO_DECIMAL,
    RWL_PARQUET_INT64_TO_DECIMAL,
    RWL_PARQUET_FIXED_TO_DECIMAL,
    RWL_PARQUET_BYTES_TO_DECIMAL /* variable length to 16 bytes */
} rwl_parquet_convert;

/* How a leaf's values are converted, and the widths before (0: bits or variable) and after (0: bits or bytes). */
typedef struct rwl_parquet_layout {
    rwl_parquet_convert convert;
    size_t stored_width;
    size_t width;
    rwl_parquet_physical physical;
    bool is_text; /* UTF-8, which is checked */
} rwl_parquet_layout;

/* The layout of a supported leaf. */
rwl_parquet_layout rwl_parquet_layout_of(const rwl_parquet_leaf *leaf);
/* Values as they are stored, unchecked: bits, variable lengths, or the PLAIN bytes of the physical type. */
rwl_parquet_layout rwl_parquet_layout_physical(const rwl_parquet_leaf *leaf);
/* Converts `count` values of a fixed stored width. CORRUPT for values outside the type. `src` has
 * RWL_PARQUET_READ_SLACK readable bytes behind it. */
RWL_MUST_CHECK rwl_status rwl_parquet_convert_fixed(const rwl_parquet_layout *layout, const uint8_t *src,
                                                    uint8_t *dst, size_t count, rwl_error *err);
/* Converts one value whose bytes are known: of a fixed stored width, which they must have, or a decimal of any. */
RWL_MUST_CHECK rwl_status rwl_parquet_convert_one(const rwl_parquet_layout *layout, rwl_span value,
                                                  uint8_t *dst, rwl_error *err);
/* Converts length-prefixed decimals; *src moves behind them. */
RWL_MUST_CHECK rwl_status rwl_parquet_convert_byte_decimals(const uint8_t **src, const uint8_t *end,
                                                            uint8_t *dst, size_t count, rwl_error *err);

#endif
