/* SPDX-License-Identifier: Apache-2.0 */
/* BYTE_STREAM_SPLIT: bytes of widths 4 and 8 are joined 16 values at a time where there is SSE2. */
#include "parquet/split_decode.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STEP = 16, CACHED = 64 };

#ifdef __SSE2__
static __m128i load(const uint8_t *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static void store(uint8_t *p, __m128i v) {
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

/* 16 values of 4 bytes each: pairs of bytes, then pairs of pairs. */
static size_t join_4(const uint8_t *src, size_t stride, uint8_t *dst, size_t count) {
    size_t done = 0;
    for (; count - done >= STEP; done += STEP, src += STEP, dst += STEP * 4) {
        __m128i a = load(src), b = load(src + stride), c = load(src + 2 * stride), d = load(src + 3 * stride);
        __m128i ab_low = _mm_unpacklo_epi8(a, b), ab_high = _mm_unpackhi_epi8(a, b);
        __m128i cd_low = _mm_unpacklo_epi8(c, d), cd_high = _mm_unpackhi_epi8(c, d);
        store(dst, _mm_unpacklo_epi16(ab_low, cd_low));
        store(dst + 16, _mm_unpackhi_epi16(ab_low, cd_low));
        store(dst + 32, _mm_unpacklo_epi16(ab_high, cd_high));
        store(dst + 48, _mm_unpackhi_epi16(ab_high, cd_high));
    }
    return done;
}

/* Eight values of 8 bytes from the words of their low and of their high halves. */
static void join_words(__m128i ab, __m128i cd, __m128i ef, __m128i gh, uint8_t *dst) {
    __m128i low = _mm_unpacklo_epi16(ab, cd), low_next = _mm_unpackhi_epi16(ab, cd);
    __m128i high = _mm_unpacklo_epi16(ef, gh), high_next = _mm_unpackhi_epi16(ef, gh);
    store(dst, _mm_unpacklo_epi32(low, high));
    store(dst + 16, _mm_unpackhi_epi32(low, high));
    store(dst + 32, _mm_unpacklo_epi32(low_next, high_next));
    store(dst + 48, _mm_unpackhi_epi32(low_next, high_next));
}

static size_t join_8(const uint8_t *src, size_t stride, uint8_t *dst, size_t count) {
    size_t done = 0;
    for (; count - done >= STEP; done += STEP, src += STEP, dst += STEP * 8) {
        __m128i s[8];
        for (size_t k = 0; k < 8; k++)
            s[k] = load(src + k * stride);
        join_words(_mm_unpacklo_epi8(s[0], s[1]), _mm_unpacklo_epi8(s[2], s[3]),
                   _mm_unpacklo_epi8(s[4], s[5]), _mm_unpacklo_epi8(s[6], s[7]), dst);
        join_words(_mm_unpackhi_epi8(s[0], s[1]), _mm_unpackhi_epi8(s[2], s[3]),
                   _mm_unpackhi_epi8(s[4], s[5]), _mm_unpackhi_epi8(s[6], s[7]), dst + 64);
    }
    return done;
}
#else
static size_t join_4(const uint8_t *src, size_t stride, uint8_t *dst, size_t count) {
    return (void)src, (void)stride, (void)dst, (void)count, 0;
}
static size_t join_8(const uint8_t *src, size_t stride, uint8_t *dst, size_t count) {
    return (void)src, (void)stride, (void)dst, (void)count, 0;
}
#endif

/* Few values at once, so that the lines they are scattered to stay in the cache. */
static void join_any(const uint8_t *src, size_t stride, size_t width, uint8_t *dst, size_t count) {
    for (size_t done = 0; done < count; done += CACHED) {
        size_t n = count - done < CACHED ? count - done : CACHED;
        for (size_t k = 0; k < width; k++)
            for (size_t i = 0; i < n; i++)
                dst[(done + i) * width + k] = src[k * stride + done + i];
    }
}

void rwl_split_join(const uint8_t *src, size_t stride, size_t width, uint8_t *dst, size_t count) {
    size_t done = width == 4   ? join_4(src, stride, dst, count)
                  : width == 8 ? join_8(src, stride, dst, count)
                               : 0;
    join_any(src + done, stride, width, dst + done * width, count - done);
}
