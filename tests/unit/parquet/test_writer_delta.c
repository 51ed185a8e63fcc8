/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders of the delta encodings and BYTE_STREAM_SPLIT: the specification's examples, and back through the decoders. */
#include "suites.h"

#include "parquet/delta_decode.h"
#include "parquet/delta_encode.h"
#include "parquet/encode.h"
#include "parquet/split_decode.h"

#include <stdlib.h>

static rwl_env env;
static rwl_buf out, scratch, plain;
static rwl_error error;

#define ok(expr) ck_assert_msg((expr) == RWL_OK, "%s: %s", #expr, error.message)

static void set_up(void) {
    rwl_env_init_default(&env);
    rwl_buf_init(&out, &env, SIZE_MAX);
    rwl_buf_init(&scratch, &env, SIZE_MAX);
    rwl_buf_init(&plain, &env, SIZE_MAX);
}

static void tear_down(void) {
    rwl_buf_clear(&out);
    rwl_buf_clear(&scratch);
    rwl_buf_clear(&plain);
}

/* --- DELTA_BINARY_PACKED --- */

static size_t encode(const void *values, size_t count, size_t width) {
    rwl_buf_reset(&out);
    ok(rwl_buf_reserve(&out, rwl_parquet_delta_bound(count, width), &error));
    out.len = rwl_parquet_delta_encode(values, count, width, out.data);
    ck_assert_uint_le(out.len + RWL_PARQUET_SLACK, rwl_parquet_delta_bound(count, width));
    return out.len;
}

/* Encodings.md, "Example 1" and "Example 2", with blocks of 128 in 4 miniblocks. */
START_TEST(packs_the_examples_of_the_specification) {
    static const int64_t rising[] = {1, 2, 3, 4, 5}, falling[] = {7, 5, 3, 1, 2, 3, 4, 5};
    /* 128, 4, count 5, first 1 (zigzag 2); least delta 1 (zigzag 2); four widths of 0 */
    static const uint8_t rising_bytes[] = {0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0};
    /* count 8, first 7 (zigzag 14); least -2 (zigzag 3); 0 0 0 3 3 3 3 in two bits each: 11000000 00111111 */
    static const uint8_t falling_bytes[] = {0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0};
    ck_assert_uint_eq(encode(rising, 5, 8), sizeof rising_bytes);
    ck_assert_mem_eq(out.data, rising_bytes, sizeof rising_bytes);
    ck_assert_uint_eq(encode(falling, 8, 8), sizeof falling_bytes);
    ck_assert_mem_eq(out.data, falling_bytes, sizeof falling_bytes);
    static const int32_t one[] = {-1};
    ck_assert_uint_eq(encode(one, 1, 4), 5);
    ck_assert_mem_eq(out.data, "\x80\x01\x04\x01\x01", 5); /* -1 is 1 in zigzag; no block */
    ck_assert_uint_eq(encode(one, 0, 4), 5);
    ck_assert_mem_eq(out.data, "\x80\x01\x04\x00\x00", 5);
}
END_TEST

/* A delta that wraps is small: from the greatest to the least number is 1. */
START_TEST(wraps_around_in_the_width_of_the_type) {
    static const int32_t narrow[] = {INT32_MAX, INT32_MIN};
    static const int64_t wide[] = {INT64_MAX, INT64_MIN};
    encode(narrow, 2, 4);
    ck_assert_uint_eq(out.data[out.len - 5], 2); /* least delta 1 in zigzag, then four widths */
    ck_assert_uint_eq(out.len, 4 + 5 + 5);       /* first: 2^32 - 2 takes 5 bytes */
    encode(wide, 2, 8);
    ck_assert_uint_eq(out.data[out.len - 5], 2);
    ck_assert_uint_eq(out.len, 4 + 10 + 5);
}
END_TEST

static int64_t random_64(unsigned *seed) {
    uint64_t v = 0;
    for (int i = 0; i < 5; i++)
        v = v << 15 ^ (uint64_t)rand_r(seed);
    return (int64_t)v;
}

/* Values whose deltas need about `_i` bits. */
START_TEST(reads_back_deltas_of_every_width) {
    enum { MOST = 1000 };
    unsigned seed = (unsigned)_i + 1;
    int64_t values[MOST], back[MOST];
    int32_t narrow[MOST], narrow_back[MOST];
    rwl_delta d;
    for (int round = 0; round < 20; round++) {
        size_t count = (size_t)rand_r(&seed) % MOST;
        uint64_t last = (uint64_t)random_64(&seed), mask = _i == 64 ? UINT64_MAX : (UINT64_C(1) << _i) - 1;
        for (size_t i = 0; i < count; i++) {
            last += ((uint64_t)random_64(&seed) & mask) - mask / 2;
            values[i] = (int64_t)last;
            narrow[i] = (int32_t)(uint32_t)last;
        }
        encode(values, count, 8);
        ok(rwl_buf_reserve(&out, RWL_DELTA_SLACK, &error));
        ok(rwl_delta_init(&d, rwl_buf_span(&out), &error));
        ok(rwl_delta_read64(&d, (uint8_t *)back, count, &error));
        ck_assert_mem_eq(back, values, count * sizeof *values);
        encode(narrow, count, 4);
        ok(rwl_buf_reserve(&out, RWL_DELTA_SLACK, &error));
        ok(rwl_delta_init(&d, rwl_buf_span(&out), &error));
        ok(rwl_delta_read32(&d, (uint8_t *)narrow_back, count, &error));
        ck_assert_mem_eq(narrow_back, narrow, count * sizeof *narrow);
    }
}
END_TEST

/* --- byte arrays --- */

static void put_plain(const char *const *texts, size_t count) {
    rwl_buf_reset(&plain);
    for (size_t i = 0; i < count; i++) {
        ok(rwl_buf_le32(&plain, (uint32_t)strlen(texts[i]), &error));
        ok(rwl_buf_str(&plain, texts[i], &error));
    }
    rwl_buf_reset(&out);
}

static void check_bytes(const uint8_t *packed, size_t packed_len, const char *text) {
    ck_assert_uint_eq(out.len, packed_len + strlen(text));
    ck_assert_mem_eq(out.data, packed, packed_len);
    ck_assert_mem_eq(out.data + packed_len, text, strlen(text));
}

START_TEST(lengths_come_before_all_bytes) {
    static const char *const texts[] = {"Hello", "World", "Foobar", "ABCDEF"};
    /* lengths 5 5 6 6: first 5 (zigzag 10); deltas 0 1 0, least 0, one bit each: 010 */
    static const uint8_t packed[] = {0x80, 1, 4, 4, 10, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    put_plain(texts, 4);
    ok(rwl_parquet_delta_length_encode(rwl_buf_span(&plain), 4, &scratch, &out, &error));
    check_bytes(packed, sizeof packed, "HelloWorldFoobarABCDEF");
    ck_assert_int_eq(rwl_parquet_delta_length_encode(rwl_buf_span(&plain), 3, &scratch, &out, &error),
                     RWL_INTERNAL);
    ck_assert_int_eq(rwl_parquet_delta_length_encode(rwl_buf_span(&plain), 5, &scratch, &out, &error),
                     RWL_INTERNAL);
}
END_TEST

START_TEST(prefixes_are_shared_with_the_value_before) {
    static const char *const texts[] = {"axis", "axle", "babble", "babyhood"};
    static const uint8_t packed[] = {
        /* prefixes 0 2 0 3: deltas 2 -2 3, least -2 (zigzag 3); 4 0 5 in three bits: 1 0100 0100, of 12 bytes */
        0x80, 1, 4, 4, 0, 3, 3, 0, 0, 0, 0x44, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        /* suffixes 4 2 6 5: first 4 (zigzag 8); deltas -2 4 -1, least -2; 0 6 1: 0111 0000 */
        0x80, 1, 4, 4, 8, 3, 3, 0, 0, 0, 0x70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    put_plain(texts, 4);
    ok(rwl_parquet_delta_bytes_encode(rwl_buf_span(&plain), 4, &scratch, &out, &error));
    check_bytes(packed, sizeof packed, "axislebabbleyhood");
}
END_TEST

START_TEST(fixed_values_share_prefixes_too) {
    /* prefixes 0 2: first 0; delta 2 is the least (zigzag 4). Suffixes 4 2: first 4 (zigzag 8); delta -2 (zigzag 3) */
    static const uint8_t packed[] = {0x80, 1, 4, 2, 0, 4, 0, 0, 0, 0, 0x80, 1, 4, 2, 8, 3, 0, 0, 0, 0};
    rwl_buf_reset(&out);
    ok(rwl_parquet_delta_fixed_encode(rwl_span_str("axisaxle"), 4, &scratch, &out, &error));
    check_bytes(packed, sizeof packed, "axisle");
}
END_TEST

/* --- BYTE_STREAM_SPLIT --- */

START_TEST(splits_the_example_of_the_specification) {
    static const uint8_t values[] = {0xAA, 0xBB, 0xCC, 0xDD, 0x00, 0x11, 0x22, 0x33, 0xA3, 0xB4, 0xC5, 0xD6};
    static const uint8_t expected[] = {0xAA, 0x00, 0xA3, 0xBB, 0x11, 0xB4,
                                       0xCC, 0x22, 0xC5, 0xDD, 0x33, 0xD6};
    uint8_t split[sizeof values];
    rwl_parquet_split_encode(values, 3, 4, split);
    ck_assert_mem_eq(split, expected, sizeof expected);
}
END_TEST

START_TEST(split_values_are_joined_again) {
    enum { COUNT = 77 };
    static const size_t widths[] = {1, 2, 4, 8, 16, 7};
    size_t width = widths[_i];
    unsigned seed = (unsigned)width;
    uint8_t values[COUNT * 16] = {0}, split[COUNT * 16], back[COUNT * 16];
    for (size_t i = 0; i < COUNT * width; i++)
        values[i] = (uint8_t)rand_r(&seed);
    rwl_parquet_split_encode(values, COUNT, width, split);
    for (size_t i = 0; i < COUNT * width; i++)
        ck_assert_uint_eq(split[i % width * COUNT + i / width], values[i]);
    rwl_split_join(split, COUNT, width, back, COUNT);
    ck_assert_mem_eq(back, values, COUNT * width);
}
END_TEST

Suite *writer_delta_suite(void) {
    Suite *suite = suite_create("parquet writer: delta encodings");
    TCase *tc = tcase_create("delta");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, packs_the_examples_of_the_specification);
    tcase_add_test(tc, wraps_around_in_the_width_of_the_type);
    tcase_add_loop_test(tc, reads_back_deltas_of_every_width, 0, 65);
    tcase_add_test(tc, lengths_come_before_all_bytes);
    tcase_add_test(tc, prefixes_are_shared_with_the_value_before);
    tcase_add_test(tc, fixed_values_share_prefixes_too);
    tcase_add_test(tc, splits_the_example_of_the_specification);
    tcase_add_loop_test(tc, split_values_are_joined_again, 0, 6);
    suite_add_tcase(suite, tc);
    return suite;
}
