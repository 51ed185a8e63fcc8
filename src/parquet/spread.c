/* SPDX-License-Identifier: Apache-2.0 */
/* Spreading: AVX-512 expands 8 or 16 values at once, BMI2 deposits 64 bits; else a loop without branches a row. */
#include "parquet/spread.h"

#include "base/int128.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define WORD_ROWS ((size_t)64)

static inline uint64_t low_bits(size_t count) {
    return count < WORD_ROWS ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* Full and empty words are copied and cleared whole; in others each row takes the next value, or zero. */
#define SPREAD(name, type)                                                                                   \
    static void spread_##name(const uint64_t *bits, size_t rows, const uint8_t *src, uint8_t *dst) {         \
        for (size_t row = 0; row < rows; row += WORD_ROWS, dst += WORD_ROWS * sizeof(type)) {                \
            size_t n = rows - row < WORD_ROWS ? rows - row : WORD_ROWS;                                      \
            uint64_t word = bits[row / WORD_ROWS] & low_bits(n);                                             \
            if (word == low_bits(n)) {                                                                       \
                memcpy(dst, src, n * sizeof(type));                                                          \
                src += n * sizeof(type);                                                                     \
                continue;                                                                                    \
            }                                                                                                \
            if (word == 0) {                                                                                 \
                memset(dst, 0, n * sizeof(type));                                                            \
                continue;                                                                                    \
            }                                                                                                \
            for (size_t i = 0; i < n; i++) {                                                                 \
                type v, bit = (type)(word >> i & 1);                                                         \
                memcpy(&v, src, sizeof v);                                                                   \
                v &= (type)(0 - bit);                                                                        \
                memcpy(dst + i * sizeof v, &v, sizeof v);                                                    \
                src += (size_t)bit * sizeof v;                                                               \
            }                                                                                                \
        }                                                                                                    \
    }
SPREAD(4, uint32_t)
SPREAD(8, uint64_t)
SPREAD(16, rwl_u128)

static void spread_bits(const uint64_t *bits, size_t rows, const uint8_t *src, uint64_t *dst) {
    size_t at = 0;
    for (size_t row = 0; row < rows; row += WORD_ROWS) {
        size_t n = rows - row < WORD_ROWS ? rows - row : WORD_ROWS;
        uint64_t word = bits[row / WORD_ROWS] & low_bits(n), out = 0;
        for (; word; word &= word - 1, at++) {
            uint64_t value = (uint64_t)src[at >> 3] >> (at & 7) & 1u;
            out |= (word & (0 - word)) & (0 - value);
        }
        dst[row / WORD_ROWS] = out;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx512f,popcnt"))) static void spread_4_avx512(const uint64_t *bits, size_t rows,
                                                                      const uint8_t *src, uint8_t *dst) {
    for (size_t row = 0; row < rows; row += 16, dst += 64) {
        unsigned mask = (unsigned)(bits[row / WORD_ROWS] >> (row % WORD_ROWS)) & 0xffffu;
        __m512i v = _mm512_maskz_expand_epi32((__mmask16)mask, _mm512_loadu_si512(src));
        if (rows - row >= 16)
            _mm512_storeu_si512(dst, v);
        else
            _mm512_mask_storeu_epi32(dst, (__mmask16)low_bits(rows - row), v);
        src += (size_t)__builtin_popcount(mask) * 4;
    }
}

__attribute__((target("avx512f,popcnt"))) static void spread_8_avx512(const uint64_t *bits, size_t rows,
                                                                      const uint8_t *src, uint8_t *dst) {
    for (size_t row = 0; row < rows; row += 8, dst += 64) {
        unsigned mask = (unsigned)(bits[row / WORD_ROWS] >> (row % WORD_ROWS)) & 0xffu;
        __m512i v = _mm512_maskz_expand_epi64((__mmask8)mask, _mm512_loadu_si512(src));
        if (rows - row >= 8)
            _mm512_storeu_si512(dst, v);
        else
            _mm512_mask_storeu_epi64(dst, (__mmask8)low_bits(rows - row), v);
        src += (size_t)__builtin_popcount(mask) * 8;
    }
}

__attribute__((target("bmi2,popcnt"))) static void spread_bits_bmi2(const uint64_t *bits, size_t rows,
                                                                    const uint8_t *src, uint64_t *dst) {
    size_t at = 0;
    for (size_t row = 0; row < rows; row += WORD_ROWS) {
        uint64_t word = bits[row / WORD_ROWS] & low_bits(rows - row), next;
        memcpy(&next, src + (at >> 3), sizeof next);
        next >>= at & 7;
        next |= (uint64_t)src[(at >> 3) + 8] << 1 << (63 - (at & 7));
        dst[row / WORD_ROWS] = _pdep_u64(next, word);
        at += (size_t)__builtin_popcountll(word);
    }
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}

static bool has_bmi2(void) {
    return __builtin_cpu_supports("bmi2");
}
#else
#define spread_4_avx512  spread_4
#define spread_8_avx512  spread_8
#define spread_bits_bmi2 spread_bits
static bool has_avx512(void) {
    return false;
}
static bool has_bmi2(void) {
    return false;
}
#endif

void rwl_spread(const uint64_t *bits, size_t rows, size_t width, const uint8_t *src, uint8_t *dst) {
    if (width == 4)
        (has_avx512() ? spread_4_avx512 : spread_4)(bits, rows, src, dst);
    else if (width == 8)
        (has_avx512() ? spread_8_avx512 : spread_8)(bits, rows, src, dst);
    else
        spread_16(bits, rows, src, dst);
}

void rwl_spread_bits(const uint64_t *bits, size_t rows, const uint8_t *src, uint64_t *dst) {
    (has_bmi2() ? spread_bits_bmi2 : spread_bits)(bits, rows, src, dst);
}
