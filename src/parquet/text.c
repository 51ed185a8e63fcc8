/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 checks: all values of a block at once, many bytes at once while they are ASCII. */
#include "parquet/text.h"

#include "column/value.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

typedef uint64_t vector __attribute__((vector_size(16)));

/* All whole steps of 64 bytes or-ed together: kept in four vectors, which the compiler would not find by itself. */
static uint64_t or_steps(const uint8_t **p, size_t *len) {
    vector a = {0, 0}, b = a, c = a, d = a;
    for (; *len >= 4 * sizeof a; *len -= 4 * sizeof a, *p += 4 * sizeof a) {
        vector v[4];
        memcpy(v, *p, sizeof v);
        a |= v[0];
        b |= v[1];
        c |= v[2];
        d |= v[3];
    }
    a |= b | c | d;
    return a[0] | a[1];
}

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
