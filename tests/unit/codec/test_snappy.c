/* SPDX-License-Identifier: Apache-2.0 */
/* Snappy elements by hand: what they give is worked out byte by byte beside them (snappy/format_description.txt). */
#include "codec/snappy_decode.h"
#include "suites.h"

#include <stdlib.h>

enum { ROOM = 70000 };

typedef struct block {
    uint8_t in[2 * ROOM], out[ROOM];
    size_t in_len, out_len;
} block;

static uint64_t state;

static uint64_t next_random(void) { /* splitmix64 */
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static size_t below(size_t n) {
    return (size_t)(next_random() % n);
}

static void put(block *b, size_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        b->in[b->in_len++] = (uint8_t)(value >> (8 * i));
}

/* `bytes` 0: the length is in the tag. */
static void put_literal(block *b, size_t len, size_t bytes) {
    put(b, (bytes > 0 ? 59 + bytes : len - 1) << 2, 1);
    put(b, len - 1, bytes);
    for (size_t i = 0; i < len; i++) {
        uint8_t byte = (uint8_t)next_random();
        put(b, byte, 1);
        b->out[b->out_len++] = byte;
    }
}

static void put_copy(block *b, int kind, size_t len, size_t offset) {
    if (kind == 1) {
        put(b, 1 | (len - 4) << 2 | (offset >> 8) << 5, 1);
        put(b, offset, 1);
    } else {
        put(b, (size_t)kind | (len - 1) << 2, 1);
        put(b, offset, kind == 2 ? 2 : 4);
    }
    for (size_t i = 0; i < len; i++, b->out_len++)
        b->out[b->out_len] = b->out[b->out_len - offset];
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Of all kinds, offsets and lengths; near ones and short ones more often than others. */
static void put_any(block *b) {
    static const size_t literals[] = {8, 60, 300}, offsets[] = {8, 20, 100, ROOM};
    size_t kind = below(4), done = b->out_len;
    if (kind == 0 || done == 0) {
        size_t len = 1 + below(literals[below(3)]);
        put_literal(b, len, len > 60 ? 2 + below(3) : len > 256 ? 2 : below(2));
        return;
    }
    size_t offset = 1 + below(smaller(done, offsets[below(4)]));
    if (kind == 1 && offset < 2048)
        put_copy(b, 1, 4 + below(8), offset);
    else
        put_copy(b, kind == 3 || offset > UINT16_MAX ? 3 : 2, 1 + below(64), offset);
}

/* Through memory that ends where the bytes do, so that a byte too many is seen. */
static bool decode(const uint8_t *in, size_t in_len, uint8_t *out, size_t out_len) {
    uint8_t *exact_in = malloc(in_len ? in_len : 1), *exact_out = malloc(out_len ? out_len : 1);
    memcpy(exact_in, in, in_len);
    bool fits = rwl_snappy_decode(rwl_span_of(exact_in, in_len), exact_out, out_len);
    if (fits && out)
        memcpy(out, exact_out, out_len);
    free(exact_in);
    free(exact_out);
    return fits;
}

START_TEST(elements_of_all_kinds_give_their_bytes) {
    block *b = malloc(sizeof *b);
    uint8_t *got = malloc(ROOM);
    for (state = 1; state < 400; state++) {
        uint64_t seed = state;
        size_t count = 1 + below(seed % 4 == 0 ? 1000 : 40);
        b->in_len = b->out_len = 0;
        for (size_t i = 0; i < count && b->out_len < ROOM - 400; i++)
            put_any(b);
        ck_assert_msg(decode(b->in, b->in_len, got, b->out_len), "seed %d", (int)seed);
        ck_assert_msg(memcmp(got, b->out, b->out_len) == 0, "seed %d", (int)seed);
        ck_assert(!decode(b->in, b->in_len, NULL, b->out_len + 1));
        ck_assert(!decode(b->in, b->in_len, NULL, b->out_len - 1));
        ck_assert(!decode(b->in, b->in_len - 1, NULL, b->out_len));
        for (int i = 0; i < 8; i++) { /* anything, but within bounds */
            b->in[below(b->in_len)] ^= (uint8_t)(1u << below(8));
            (void)decode(b->in, b->in_len, NULL, b->out_len);
        }
        state = seed;
    }
    free(got);
    free(b);
}
END_TEST

START_TEST(literals_have_lengths_of_up_to_four_bytes) {
    for (size_t bytes = 1; bytes <= 4; bytes++) {
        block *b = calloc(1, sizeof *b);
        put_literal(b, bytes == 1 ? 256 : 65536, bytes == 1 ? 1 : bytes);
        ck_assert(decode(b->in, b->in_len, NULL, b->out_len));
        for (size_t cut = 1; cut <= bytes + 1; cut++)
            ck_assert(!decode(b->in, cut, NULL, b->out_len));
        free(b);
    }
}
END_TEST

START_TEST(copies_from_nowhere_are_refused) {
    static const uint8_t zero[] = {0x00, 'a', 0x01, 0x00}, /* literal of 1, copy of 4 at offset 0 */
        before[] = {0x00, 'a', 0x01, 0x02},                /* offset 2 after one byte */
        first[] = {0x01, 0x01},                            /* before any byte */
        far[] = {0x00, 'a', 0x0f, 0xff, 0xff, 0xff, 0xff}, /* offset 2^32 - 1 */
        cut[] = {0x00, 'a', 0x0e, 0x01};                   /* half an offset */
    ck_assert(!decode(zero, sizeof zero, NULL, 5));
    ck_assert(!decode(before, sizeof before, NULL, 5));
    ck_assert(!decode(first, sizeof first, NULL, 4));
    ck_assert(!decode(far, sizeof far, NULL, 5));
    ck_assert(!decode(cut, sizeof cut, NULL, 5));
}
END_TEST

START_TEST(lengths_are_those_of_32_bits) {
    size_t len;
    rwl_span rest;
    static const uint8_t most[] = {0xff, 0xff, 0xff, 0xff, 0x0f}, more[] = {0x80, 0x80, 0x80, 0x80, 0x10};
    ck_assert(rwl_snappy_read_length(rwl_span_of(most, 5), &len, &rest));
    ck_assert_uint_eq(len, UINT32_MAX);
    ck_assert_uint_eq(rest.len, 0);
    ck_assert(!rwl_snappy_read_length(rwl_span_of(more, 5), &len, &rest));
    ck_assert(!rwl_snappy_read_length(rwl_span_of(most, 4), &len, &rest));
    ck_assert(!rwl_snappy_read_length(rwl_span_of(most, 0), &len, &rest));
}
END_TEST

TCase *snappy_cases(void) {
    TCase *tc = tcase_create("snappy");
    tcase_add_test(tc, elements_of_all_kinds_give_their_bytes);
    tcase_add_test(tc, literals_have_lengths_of_up_to_four_bytes);
    tcase_add_test(tc, copies_from_nowhere_are_refused);
    tcase_add_test(tc, lengths_are_those_of_32_bits);
    return tc;
}
