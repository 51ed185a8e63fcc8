/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 checks: all values of a block at once, many bytes at once while they are ASCII. */
#include "parquet/text.h"

#include "column/value.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define HIGH_BITS UINT64_C(0x8080808080808080)

#ifdef __SSE2__
static __m128i load(const uint8_t *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* All whole steps of 64 bytes or-ed together: the bits above ASCII of each byte. */
static uint64_t or_steps(const uint8_t **p, size_t *len) {
    __m128i a = _mm_setzero_si128(), b = a, c = a, d = a;
    for (; *len >= 64; *len -= 64, *p += 64) {
        a = _mm_or_si128(a, load(*p));
        b = _mm_or_si128(b, load(*p + 16));
        c = _mm_or_si128(c, load(*p + 32));
        d = _mm_or_si128(d, load(*p + 48));
    }
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) ? HIGH_BITS : 0;
}
#else
static uint64_t or_steps(const uint8_t **p, size_t *len) {
    return (void)p, (void)len, 0;
}
#endif

static bool is_ascii(const uint8_t *p, size_t len) {
    uint64_t any = or_steps(&p, &len), word;
    for (; len >= sizeof word; len -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        any |= word;
    }
    for (; len > 0; len--)
        any |= *p++;
    return (any & HIGH_BITS) == 0;
}

static rwl_status fail_text(rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "a text is not UTF-8");
}

rwl_status rwl_parquet_text_check_one(rwl_span text, rwl_error *err) {
    return is_ascii(text.data, text.len) || rwl_utf8_valid(text) ? RWL_OK : fail_text(err);
}

/* Valid together, and none begins inside a character: then each is valid. */
rwl_status rwl_parquet_text_check(const uint8_t *bytes, const int32_t *ends, size_t count, rwl_error *err) {
    if (count == 0 || ends[count] == ends[0])
        return RWL_OK;
    rwl_span all = rwl_span_of(bytes + ends[0], (size_t)(ends[count] - ends[0]));
    if (is_ascii(all.data, all.len))
        return RWL_OK;
    if (!rwl_utf8_valid(all))
        return fail_text(err);
    for (size_t i = 0; i < count; i++) {
        if (ends[i] < ends[i + 1] && (bytes[ends[i]] & 0xc0) == 0x80)
            return fail_text(err);
    }
    return RWL_OK;
}
