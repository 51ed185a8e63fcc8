/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 checks: all values of a block at once, word by word while they are ASCII. */
#include "parquet/text.h"

#include "column/value.h"

enum { WORDS = 4, WORD = 8 };
#define HIGH_BITS UINT64_C(0x8080808080808080)

static bool is_ascii(const uint8_t *p, size_t len) {
    uint64_t any = 0;
    for (; len >= WORDS * WORD; len -= WORDS * WORD, p += WORDS * WORD) {
        uint64_t w[WORDS];
        memcpy(w, p, sizeof w);
        any |= w[0] | w[1] | w[2] | w[3];
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
