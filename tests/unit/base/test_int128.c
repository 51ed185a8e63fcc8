/* SPDX-License-Identifier: Apache-2.0 */
#include "base/int128.h"

#include "base_tests.h"

static const char nines38[] = "99999999999999999999999999999999999999";

START_TEST(decimals_are_read_exactly_and_written_back) {
    static const struct {
        const char *in;
        int scale;
        const char *out; /* NULL: refused */
    } cases[] = {
        {"0", 0, "0"},
        {"-0", 2, "0.00"},
        {"12.5", 2, "12.50"},
        {"-0.05", 2, "-0.05"},
        {"+7", 0, "7"},
        {".5", 1, "0.5"},
        {"5.", 1, "5.0"},
        {"1.234", 2, NULL},
        {"", 0, NULL},
        {"-", 0, NULL},
        {".", 2, NULL},
        {"1e3", 0, NULL},
        {"1.2.3", 4, NULL},
        {" 1", 0, NULL},
        {nines38, 0, nines38},
        {nines38, 1, NULL},
        {"100000000000000000000000000000000000000", 0, NULL},
        {"340282366920938463463374607431768211457", 0, NULL}, /* 2^128 + 1 */
        {"0.00000000000000000000000000000000000001", 38, "0.00000000000000000000000000000000000001"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_i128 value;
        char text[RWL_I128_TEXT_MAX];
        bool ok = rwl_i128_parse(rwl_span_str(cases[i].in), cases[i].scale, &value);
        ck_assert_msg(ok == (cases[i].out != NULL), "%s", cases[i].in);
        if (!ok)
            continue;
        size_t len = rwl_i128_format(value, cases[i].scale, text);
        ck_assert_str_eq(text, cases[i].out);
        ck_assert_uint_eq(len, strlen(text));
    }
}
END_TEST

START_TEST(extremes_have_their_text) {
    char text[RWL_I128_TEXT_MAX];
    rwl_i128 max = (rwl_i128)(~(rwl_u128)0 >> 1);
    rwl_i128_format(max, 0, text);
    ck_assert_str_eq(text, "170141183460469231731687303715884105727"); /* 2^127 - 1 */
    rwl_i128_format(-max - 1, 38, text);
    ck_assert_str_eq(text, "-1.70141183460469231731687303715884105728");
    rwl_i128 sum;
    ck_assert(!rwl_i128_add(max, 1, &sum));
    ck_assert(rwl_i128_add(max, -1, &sum));
}
END_TEST

START_TEST(big_endian_form_has_the_fewest_bytes) {
    static const struct {
        int64_t value;
        const char *bytes;
        size_t len;
    } cases[] = {{0, "\0", 1},
                 {1, "\1", 1},
                 {-1, "\xff", 1},
                 {127, "\x7f", 1},
                 {128, "\0\x80", 2},
                 {-128, "\x80", 1},
                 {-129, "\xff\x7f", 2},
                 {1420, "\x05\x8c", 2},
                 {255, "\0\xff", 2},
                 {-256, "\xff\0", 2},
                 {INT64_MIN, "\x80\0\0\0\0\0\0\0", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[16];
        rwl_i128 back;
        size_t len = rwl_i128_to_be(cases[i].value, bytes);
        ck_assert_uint_eq(len, cases[i].len);
        ck_assert_mem_eq(bytes, cases[i].bytes, len);
        ck_assert(rwl_i128_from_be(rwl_span_of(bytes, len), &back));
        ck_assert(back == cases[i].value);
    }
}
END_TEST

START_TEST(longer_than_128_bits_only_when_it_repeats_the_sign) {
    uint8_t bytes[18] = {0, 0, 0x7f, 1};
    rwl_i128 value;
    ck_assert(rwl_i128_from_be(rwl_span_of(bytes, 18), &value));
    bytes[2] = 0x80;
    ck_assert(!rwl_i128_from_be(rwl_span_of(bytes, 18), &value));
    bytes[0] = bytes[1] = 0xff;
    ck_assert(rwl_i128_from_be(rwl_span_of(bytes, 18), &value));
    ck_assert(value < 0);
    ck_assert(!rwl_i128_from_be(rwl_span_of(bytes, 0), &value));
}
END_TEST

START_TEST(precision_and_storage) {
    uint8_t bytes[17];
    ck_assert(rwl_i128_fits_digits(999, 3) && !rwl_i128_fits_digits(1000, 3) &&
              rwl_i128_fits_digits(-999, 3));
    ck_assert(rwl_i128_pow10(38) == (rwl_i128)100000000000000000 * 1000000000000000000 * 1000);
    rwl_i128_store(bytes + 1, -2);
    ck_assert_mem_eq(bytes + 1, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
    ck_assert(rwl_i128_load(bytes + 1) == -2);
    int64_t out;
    ck_assert(!rwl_i64_add(INT64_MAX, 1, &out) && !rwl_i64_mul(INT64_MAX, 2, &out) &&
              rwl_i64_add(1, 2, &out));
}
END_TEST

/* 2^255 - 1, -2^255, 10^76 - 1 and 10^76: computed with Python. */
START_TEST(integers_of_256_bits_have_their_text) {
    static const uint8_t NINES[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x95,
                                      0x71, 0xf1, 0xa5, 0x75, 0x77, 0x79, 0x29, 0x65, 0xe8, 0xab, 0xb4,
                                      0x64, 0x07, 0xb5, 0x15, 0x99, 0x11, 0xa7, 0xcc, 0x1b, 0x16};
    static const char DIGITS[] =
        "9999999999999999999999999999999999999999999999999999999999999999999999999999";
    char text[RWL_I256_TEXT_MAX];
    uint8_t value[32];
    memset(value, 0xff, sizeof value);
    ck_assert_uint_eq(rwl_i256_format(value, 0, text), 2);
    ck_assert_str_eq(text, "-1");
    rwl_i256_format(value, 3, text);
    ck_assert_str_eq(text, "-0.001");
    value[31] = 0x7f;
    rwl_i256_format(value, 0, text);
    ck_assert_str_eq(text, "57896044618658097711785492504343953926634992332820282019728792003956564819967");
    memset(value, 0, sizeof value);
    rwl_i256_format(value, 2, text);
    ck_assert_str_eq(text, "0.00");
    value[31] = 0x80;
    ck_assert_uint_eq(rwl_i256_format(value, 76, text), 79);
    ck_assert_str_eq(text, "-5.7896044618658097711785492504343953926634992332820282019728792003956564819968");
    rwl_i256_format(NINES, 0, text);
    ck_assert_str_eq(text, DIGITS);
    ck_assert(rwl_i256_fits_digits(NINES, 76) && !rwl_i256_fits_digits(NINES, 75));
    ck_assert(!rwl_i256_fits_digits(value, 76));
    memset(value, 0, sizeof value);
    ck_assert(rwl_i256_fits_digits(value, 39));
}
END_TEST

TCase *int128_tests(void) {
    TCase *tc = tcase_create("int128");
    tcase_add_test(tc, decimals_are_read_exactly_and_written_back);
    tcase_add_test(tc, extremes_have_their_text);
    tcase_add_test(tc, big_endian_form_has_the_fewest_bytes);
    tcase_add_test(tc, longer_than_128_bits_only_when_it_repeats_the_sign);
    tcase_add_test(tc, precision_and_storage);
    tcase_add_test(tc, integers_of_256_bits_have_their_text);
    return tc;
}
