/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders of the hybrid and of levels, and the dictionary builder. */
#include "suites.h"

#include "parquet/dictionary_build.h"
#include "parquet/encode.h"

#include <stdlib.h>

typedef struct hybrid_case {
    const char *name;
    int width;
    size_t count;
    uint32_t (*value)(size_t i);
    size_t len;
    uint8_t expected[24];
} hybrid_case;

static uint32_t counting(size_t i) {
    return (uint32_t)i % 8;
}
static uint32_t always_4(size_t i) {
    return i < SIZE_MAX ? 4 : 0;
}
static uint32_t always_300(size_t i) {
    return i < SIZE_MAX ? 300 : 0;
}
static uint32_t alternating(size_t i) {
    return (i + 1) % 2;
}
static uint32_t counting_then_7(size_t i) {
    return i < 8 ? (uint32_t)i : 7;
}

/* Headers are varints of count << 1 for runs, groups << 1 | 1 for packed values (Encodings.md). */
static const hybrid_case hybrid_cases[] = {
    /* the specification's example: 0 to 7 of width 3 are 10001000 11000110 11111010 */
    {"example of Encodings.md", 3, 8, counting, 4, {0x03, 0x88, 0xC6, 0xFA}},
    {"two groups", 3, 16, counting, 7, {0x05, 0x88, 0xC6, 0xFA, 0x88, 0xC6, 0xFA}},
    {"run of 100", 3, 100, always_4, 3, {0xC8, 0x01, 0x04}},             /* 100 << 1 = 200 = 0x48 + 0x80, 1 */
    {"run of two value bytes", 9, 8, always_300, 3, {0x10, 0x2C, 0x01}}, /* 300 = 0x012C */
    {"one value", 3, 1, always_4, 2, {0x02, 0x04}},
    {"three bits", 1, 3, alternating, 2, {0x03, 0x05}}, /* 1, 0, 1 and five zeros */
    {"packed, then run", 3, 72, counting_then_7, 7, {0x03, 0x88, 0xC6, 0xFA, 0x80, 0x01, 0x07}}, /* 64 << 1 */
    {"nothing", 5, 0, counting, 0, {0}},
};

START_TEST(encodes_hybrid_as_specified) {
    const hybrid_case *c = &hybrid_cases[_i];
    uint32_t values[128];
    uint8_t out[512];
    for (size_t i = 0; i < c->count; i++)
        values[i] = c->value(i);
    ck_assert_uint_le(rwl_parquet_hybrid_bound(c->count, c->width), sizeof out);
    size_t len = rwl_parquet_hybrid_encode(values, c->count, c->width, out);
    ck_assert_msg(len == c->len, "%s: %zu bytes", c->name, len);
    ck_assert_msg(memcmp(out, c->expected, len) == 0, "%s", c->name);
}
END_TEST

/* A decoder as slow and plain as the specification's text. */
static size_t decode_naive(const uint8_t *in, size_t len, int width, uint32_t *out) {
    size_t pos = 0, n = 0;
    while (pos < len) {
        uint64_t header = 0;
        for (int shift = 0;; shift += 7) {
            header |= (uint64_t)(in[pos] & 0x7F) << shift;
            if ((in[pos++] & 0x80) == 0)
                break;
        }
        if ((header & 1) == 0) {
            uint32_t value = 0;
            for (int i = 0; i < (width + 7) / 8; i++)
                value |= (uint32_t)in[pos++] << (8 * i);
            for (uint64_t i = 0; i < header >> 1; i++)
                out[n++] = value;
            continue;
        }
        for (uint64_t i = 0; i < (header >> 1) * 8; i++) {
            uint32_t value = 0;
            for (int b = 0; b < width; b++) {
                uint64_t bit = i * (uint64_t)width + (uint64_t)b;
                value |= (uint32_t)((in[pos + bit / 8] >> (bit % 8)) & 1) << b;
            }
            out[n++] = value;
        }
        pos += (header >> 1) * (uint64_t)width;
    }
    return n;
}

/* Stretches of random values and of repeated ones, both of random length. */
static void fill_random(uint32_t *values, size_t count, int width, unsigned *seed) {
    uint32_t mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
    size_t i = 0;
    while (i < count) {
        size_t n = 1 + (size_t)rand_r(seed) % 70;
        bool repeat = rand_r(seed) % 2 == 0;
        uint32_t value = (uint32_t)rand_r(seed) * 2654435761u & mask;
        for (size_t k = 0; k < n && i < count; k++, i++)
            values[i] = repeat ? value : (uint32_t)rand_r(seed) * 2654435761u & mask;
    }
}

START_TEST(hybrid_reads_back_at_every_width) {
    enum { MOST = 1000 };
    int width = _i;
    unsigned seed = (unsigned)width;
    uint32_t values[MOST], back[MOST + 8];
    for (int round = 0; round < 50; round++) {
        size_t count = (size_t)rand_r(&seed) % MOST;
        fill_random(values, count, width, &seed);
        size_t bound = rwl_parquet_hybrid_bound(count, width);
        uint8_t *out = malloc(bound);
        size_t len = rwl_parquet_hybrid_encode(values, count, width, out);
        ck_assert_uint_le(len + RWL_PARQUET_SLACK, bound);
        size_t n = decode_naive(out, len, width, back);
        free(out);
        ck_assert_msg(n >= count && n < count + 8, "width %d: %zu of %zu values", width, n, count);
        ck_assert_msg(memcmp(values, back, count * sizeof *values) == 0, "width %d, round %d", width, round);
    }
}
END_TEST

START_TEST(bit_width_holds_the_greatest_index) {
    static const struct {
        uint32_t count;
        int width;
    } cases[] = {{0, 1}, {1, 1},   {2, 1},   {3, 2},      {4, 2},
                 {5, 3}, {256, 8}, {257, 9}, {65536, 16}, {UINT32_MAX, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(rwl_parquet_bit_width(cases[i].count), cases[i].width);
}
END_TEST

START_TEST(encodes_levels_as_runs_and_bits) {
    uint8_t bits[64 + RWL_PARQUET_SLACK] = {0}, out[128];
    bits[0] = 0x0F;
    ck_assert_uint_eq(rwl_parquet_levels_encode(bits, 8, out), 2);
    ck_assert_mem_eq(out, "\x03\x0F", 2); /* one group */
    memset(bits, 0xFF, 16);
    ck_assert_uint_eq(rwl_parquet_levels_encode(bits, 128, out), 3);
    ck_assert_mem_eq(out, "\x80\x02\x01", 3); /* 128 << 1 = 256 */
    memset(bits, 0, sizeof bits);
    memset(bits, 0xAA, 8);
    ck_assert_uint_eq(rwl_parquet_levels_encode(bits, 256, out), 9 + 3);
    ck_assert_mem_eq(out, "\x11\xAA\xAA\xAA\xAA\xAA\xAA\xAA\xAA\x80\x03\x00",
                     12); /* 8 groups; 192 << 1 = 384 */
    ck_assert_uint_eq(rwl_parquet_levels_constant(false, 5, out), 2);
    ck_assert_mem_eq(out, "\x0A\x00", 2);
}
END_TEST

START_TEST(levels_read_back_and_stay_below_their_bound) {
    enum { MOST = 3000 };
    unsigned seed = 7;
    static uint8_t bits[MOST / 8 + 1 + RWL_PARQUET_SLACK], out[MOST];
    static uint32_t values[MOST], back[MOST + 64];
    for (int round = 0; round < 200; round++) {
        size_t count = (size_t)rand_r(&seed) % MOST;
        memset(bits, 0, sizeof bits);
        for (size_t i = 0; i < count;) {
            size_t n = 1 + (size_t)rand_r(&seed) % (round % 2 ? 400 : 3);
            uint32_t level = (uint32_t)rand_r(&seed) % 2;
            for (; n > 0 && i < count; n--, i++) {
                values[i] = level;
                bits[i / 8] = (uint8_t)(bits[i / 8] | level << (i % 8));
            }
        }
        size_t len = rwl_parquet_levels_encode(bits, count, out);
        ck_assert_uint_le(len, rwl_parquet_levels_bound(count));
        size_t n = decode_naive(out, len, 1, back);
        ck_assert_uint_ge(n, count);
        ck_assert_mem_eq(values, back, count * sizeof *values);
    }
}
END_TEST

START_TEST(bits_are_copied_at_any_offset) {
    unsigned seed = 3;
    uint8_t from[64], to[64 + RWL_PARQUET_SLACK];
    for (int round = 0; round < 2000; round++) {
        size_t from_pos = (size_t)rand_r(&seed) % 100, to_pos = (size_t)rand_r(&seed) % 100;
        size_t count = (size_t)rand_r(&seed) % 300, ones = 0;
        for (size_t i = 0; i < sizeof from; i++) {
            from[i] = (uint8_t)rand_r(&seed);
            to[i] = (uint8_t)rand_r(&seed);
        }
        uint8_t before[64];
        memcpy(before, to, sizeof before);
        rwl_parquet_bits_copy(to, to_pos, from, from_pos, count);
        for (size_t i = 0; i < count; i++) {
            unsigned bit = (from[(from_pos + i) / 8] >> ((from_pos + i) % 8)) & 1;
            ones += bit;
            if (((to[(to_pos + i) / 8] >> ((to_pos + i) % 8)) & 1u) != bit)
                ck_abort_msg("bit %zu of %zu from %zu to %zu", i, count, from_pos, to_pos);
        }
        for (size_t i = 0; i < to_pos; i++)
            if (((to[i / 8] ^ before[i / 8]) >> (i % 8) & 1) != 0)
                ck_abort_msg("bit %zu before %zu changed", i, to_pos);
        ck_assert_uint_eq(rwl_parquet_bits_count(from, from_pos, count), ones);
    }
}
END_TEST

/* --- dictionary --- */

START_TEST(dictionary_numbers_fixed_values_by_first_occurrence) {
    static const size_t widths[] = {4, 8, 16, 5, 1, 30};
    enum { COUNT = 6000 };
    size_t width = widths[_i];
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_parquet_dictbuild d;
    rwl_parquet_dictbuild_init(&d, &env, width);
    unsigned seed = (unsigned)width;
    uint8_t *values = calloc(COUNT, width);
    uint32_t *indexes = calloc(COUNT, sizeof *indexes);
    for (size_t i = 0; i < COUNT; i++) { /* runs of 1 to 200 of 800 values that differ in the last bytes */
        uint32_t v = i > 0 && rand_r(&seed) % 3 > 0 ? UINT32_MAX : (uint32_t)rand_r(&seed) % 800;
        if (v == UINT32_MAX)
            memcpy(values + i * width, values + (i - 1) * width, width);
        else
            memcpy(values + (i + 1) * width - (width < 4 ? 1 : 4), &v, width < 4 ? 1 : 4);
    }
    for (size_t i = 0; i < COUNT; i += 1500)
        ck_assert_int_eq(rwl_parquet_dictbuild_add_fixed(&d, values + i * width, 1500, indexes + i, NULL),
                         RWL_OK);
    uint32_t next = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (indexes[i] > next || memcmp(d.body.data + indexes[i] * width, values + i * width, width) != 0)
            ck_abort_msg("value %zu has index %u", i, indexes[i]);
        next += indexes[i] == next;
    }
    ck_assert_uint_eq(d.count, next);
    for (uint32_t i = 1; i < d.count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (memcmp(d.body.data + i * width, d.body.data + k * width, width) == 0)
                ck_abort_msg("entries %u and %u are equal", k, i);
    rwl_buf plain;
    rwl_buf_init(&plain, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_parquet_dictbuild_gather(&d, indexes, COUNT, &plain, NULL), RWL_OK);
    ck_assert_uint_eq(plain.len, COUNT * width);
    ck_assert_mem_eq(plain.data, values, plain.len);
    rwl_buf_clear(&plain);
    rwl_parquet_dictbuild_clear(&d);
    free(values);
    free(indexes);
}
END_TEST

START_TEST(dictionary_holds_byte_arrays_of_every_length) {
    enum { COUNT = 5000 };
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_parquet_dictbuild d;
    rwl_parquet_dictbuild_init(&d, &env, 0);
    unsigned seed = 11;
    uint8_t *bytes = malloc(COUNT * 40 + 16);
    int32_t starts[COUNT], ends[COUNT];
    uint32_t indexes[COUNT];
    int32_t at = 0;
    for (size_t i = 0; i < COUNT; i++) { /* lengths 0 to 39, the last byte one of 20, runs of equal values */
        int32_t len = i > 0 && rand_r(&seed) % 2 ? ends[i - 1] - starts[i - 1] : rand_r(&seed) % 40;
        starts[i] = at;
        memset(bytes + at, 'x', (size_t)len);
        if (len > 0)
            bytes[at + len - 1] = (uint8_t)('a' + (i > 0 && rand_r(&seed) % 2 ? 0 : rand_r(&seed) % 20));
        ends[i] = at += len;
    }
    ck_assert_int_eq(rwl_parquet_dictbuild_add_bytes(&d, bytes, starts, ends, COUNT, indexes, NULL), RWL_OK);
    uint32_t next = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t k = indexes[i];
        ck_assert_uint_le(k, next);
        next += k == next;
        ck_assert_int_eq(d.ends[k] - d.starts[k], ends[i] - starts[i]);
        ck_assert_int_eq(memcmp(d.body.data + d.starts[k], bytes + starts[i], (size_t)(ends[i] - starts[i])),
                         0);
        ck_assert_uint_eq(rwl_load_le32(d.body.data + d.starts[k] - 4), (uint32_t)(ends[i] - starts[i]));
    }
    ck_assert_uint_eq(d.count, next);
    ck_assert_uint_le(next, 1 + 39 * 20); /* no value twice: there are no more */
    rwl_parquet_dictbuild_clear(&d);
    free(bytes);
}
END_TEST

Suite *writer_encode_suite(void) {
    Suite *suite = suite_create("parquet writer: encodings");
    TCase *tc = tcase_create("encodings");
    tcase_add_loop_test(tc, encodes_hybrid_as_specified, 0, sizeof hybrid_cases / sizeof *hybrid_cases);
    tcase_add_loop_test(tc, hybrid_reads_back_at_every_width, 1, 33);
    tcase_add_test(tc, bit_width_holds_the_greatest_index);
    tcase_add_test(tc, encodes_levels_as_runs_and_bits);
    tcase_add_test(tc, levels_read_back_and_stay_below_their_bound);
    tcase_add_test(tc, bits_are_copied_at_any_offset);
    tcase_add_loop_test(tc, dictionary_numbers_fixed_values_by_first_occurrence, 0, 6);
    tcase_add_test(tc, dictionary_holds_byte_arrays_of_every_length);
    suite_add_tcase(suite, tc);
    return suite;
}
