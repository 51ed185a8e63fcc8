/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder of BYTE_STREAM_SPLIT: blocks of 8 values are transposed in registers. */
#include "parquet/delta_encode.h"

#define INLINE static inline __attribute__((always_inline))

/* Transposes 8 rows of 8 bytes, by exchanging ever smaller squares off the diagonal. */
INLINE void transpose_8(uint64_t r[8]) {
    for (int i = 0; i < 4; i++) {
        uint64_t t = (r[i] >> 32 ^ r[i + 4]) & UINT64_C(0x00000000FFFFFFFF);
        r[i] ^= t << 32;
        r[i + 4] ^= t;
    }
    for (int i = 0; i < 8; i += (i & 1) ? 3 : 1) {
        uint64_t t = (r[i] >> 16 ^ r[i + 2]) & UINT64_C(0x0000FFFF0000FFFF);
        r[i] ^= t << 16;
        r[i + 2] ^= t;
    }
    for (int i = 0; i < 8; i += 2) {
        uint64_t t = (r[i] >> 8 ^ r[i + 1]) & UINT64_C(0x00FF00FF00FF00FF);
        r[i] ^= t << 8;
        r[i + 1] ^= t;
    }
}

static void split_rest(const uint8_t *values, size_t first, size_t count, size_t width, uint8_t *out) {
    for (size_t k = 0; k < width; k++)
        for (size_t i = first; i < count; i++)
            out[k * count + i] = values[i * width + k];
}

static void split_8(const uint8_t *values, size_t count, uint8_t *out) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t r[8];
        memcpy(r, values + i * 8, sizeof r);
        transpose_8(r);
        for (size_t k = 0; k < 8; k++)
            memcpy(out + k * count + i, &r[k], 8);
    }
    split_rest(values, i, count, 8, out);
}

static void split_4(const uint8_t *values, size_t count, uint8_t *out) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t r[8] = {0};
        for (size_t k = 0; k < 8; k++)
            memcpy(&r[k], values + (i + k) * 4, 4);
        transpose_8(r);
        for (size_t k = 0; k < 4; k++)
            memcpy(out + k * count + i, &r[k], 8);
    }
    split_rest(values, i, count, 4, out);
}

void rwl_parquet_split_encode(const uint8_t *values, size_t count, size_t width, uint8_t *out) {
    if (width == 8)
        split_8(values, count, out);
    else if (width == 4)
        split_4(values, count, out);
    else
        split_rest(values, 0, count, width, out);
}
