/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include "base_tests.h"

START_TEST(murmur3_gives_the_values_of_the_iceberg_specification) {
    /* appendix B, "32-bit hash requirements"; a long hashes as its 8 little-endian bytes */
    static const struct {
        const char *bytes;
        size_t len;
        int32_t hash;
    } cases[] = {{"\x22\0\0\0\0\0\0\0", 8, 2017239379},
                 {"iceberg", 7, 1210000089},
                 {"\x00\x01\x02\x03", 4, -188683207},
                 {"\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7", 16, 1488055340},
                 {"\x05\x8c", 2, -500754589},
                 {"", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq((int32_t)rwl_hash_murmur3(rwl_span_of(cases[i].bytes, cases[i].len), 0),
                         cases[i].hash);
}
END_TEST

START_TEST(xxh64_gives_the_values_of_its_specification) {
    /* the sanity checks of the xxHash reference */
    ck_assert_uint_eq(rwl_hash_xxh64(rwl_span_of(NULL, 0), 0), 0xEF46DB3751D8E999);
    ck_assert_uint_eq(rwl_hash_xxh64(rwl_span_str("abc"), 0), 0x44BC2CF5AD770999);
    rwl_u128 h = rwl_hash_xxh3_128(rwl_span_of(NULL, 0), 0);
    ck_assert_uint_eq((uint64_t)(h >> 64), 0x99AA06D3014798D8);
    ck_assert_uint_eq((uint64_t)h, 0x6001C324468D497F);
}
END_TEST

START_TEST(the_step_for_a_number_equals_libxxhash) {
    const int64_t values[] = {0, 1, -1, 42, INT64_MAX, INT64_MIN, 1234567890123};
    const uint64_t seeds[] = {0, 1, UINT64_MAX, 0x9E3779B97F4A7C15};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
            uint8_t bytes[8];
            rwl_store_le64(bytes, (uint64_t)values[i]);
            ck_assert_uint_eq(rwl_hash_xxh64_i64(values[i], seeds[k]),
                              rwl_hash_xxh64(rwl_span_of(bytes, 8), seeds[k]));
        }
    }
}
END_TEST

TCase *hash_tests(void) {
    TCase *tc = tcase_create("hash");
    tcase_add_test(tc, murmur3_gives_the_values_of_the_iceberg_specification);
    tcase_add_test(tc, xxh64_gives_the_values_of_its_specification);
    tcase_add_test(tc, the_step_for_a_number_equals_libxxhash);
    return tc;
}
