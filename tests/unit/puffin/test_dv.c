/* SPDX-License-Identifier: Apache-2.0 */
/* The deletion-vector-v1 blob: the golden bytes of the reference, and blobs that must be refused. */
#include "cases.h"
#include "codec/codec.h"
#include "puffin/puffin.h"

#include <stdio.h>

static rwl_env env;
static rwl_error err;
static rwl_buf want, got;
static rwl_bitmap *bitmap;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_buf_init(&want, &env, SIZE_MAX);
    rwl_buf_init(&got, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_bitmap_new(&env, &bitmap, &err), RWL_OK);
}

static void teardown(void) {
    rwl_buf_clear(&want);
    rwl_buf_clear(&got);
    rwl_bitmap_free(bitmap);
}

static void add(int64_t value) {
    ck_assert_int_eq(rwl_bitmap_add(bitmap, value, &err), RWL_OK);
}

static void add_range(int64_t start, int64_t end) {
    ck_assert_int_eq(rwl_bitmap_add_range(bitmap, start, end - start, &err), RWL_OK);
}

/* `bitmap` encodes to `want`, and `want` decodes to `bitmap`. */
static void check_both_ways(void) {
    rwl_bitmap *decoded;
    ck_assert_int_eq(rwl_dv_encode(bitmap, &got, &err), RWL_OK);
    ck_assert_uint_eq(got.len, want.len);
    ck_assert_mem_eq(got.data, want.data, want.len);
    ck_assert_msg(rwl_dv_decode(&env, rwl_buf_span(&want), rwl_bitmap_count(bitmap), &decoded, &err) ==
                      RWL_OK,
                  "%s", err.message);
    int64_t s1, c1, s2, c2, from = 0;
    while (rwl_bitmap_next_run(bitmap, from, &s1, &c1)) {
        ck_assert(rwl_bitmap_next_run(decoded, from, &s2, &c2));
        ck_assert_int_eq(s1, s2);
        ck_assert_int_eq(c1, c2);
        from = s1 + c1;
    }
    ck_assert(!rwl_bitmap_next_run(decoded, from, &s2, &c2));
    rwl_bitmap_free(decoded);
}

START_TEST(ice_103_empty_dv) {
    append_hex(&want, "0000000c d1d33964 0000000000000000 bf18480c");
    check_both_ways();
}
END_TEST

static void make_104(void) {
    append_hex(
        &want,
        "0000002a d1d33964 0100000000000000 00000000 3a300000 01000000 0000 0400 10000000 0100 0300 0500 "
        "0700 0900 b3fb20be");
    for (int64_t v = 1; v <= 9; v += 2)
        add(v);
}

START_TEST(ice_104_small_alternating_values) {
    make_104();
    check_both_ways();
}
END_TEST

static void make_105(void) {
    append_hex(&want,
               "00000030 d1d33964 0100000000000000 00000000 3a300000 02000000 0000 0100 0080 0100 18000000 "
               "1c000000 6400 6500 6300 6400 15eb1c7c");
    add(100);
    add(101);
    add(2147483747);
    add(2147483748);
}

START_TEST(ice_105_small_and_large_values) {
    make_105();
    check_both_ways();
}
END_TEST

static void make_106(void) {
    append_hex(
        &want,
        "00000056d1d339640200000000000000000000003b30020006000001000100e6030200fdff0500070001000100e60301"
        "000100fdff010000003b30020006000001000100e9010200fdff0a00140001000a00e90101000100fdffc89be397");
    const int64_t key1 = INT64_C(1) << 32, c1 = 65536, c2 = 131072;
    add(5);
    add(7);
    add_range(c1 + 1, c1 + 1000);
    add_range(c2 + 1, c2 + 65535);
    add(key1 + 10);
    add(key1 + 20);
    add_range(key1 + c1 + 10, key1 + c1 + 500);
    add_range(key1 + c2 + 1, key1 + c2 + 65535);
}

START_TEST(ice_106_all_container_kinds) {
    make_106();
    check_both_ways();
}
END_TEST

/* The same three from the files that Java wrote. */
START_TEST(ice_104_to_106_equal_the_files_of_java) {
    static void (*const make[])(void) = {make_104, make_105, make_106};
    static const char *const names[] = {"small-alternating-values", "small-and-large-values",
                                        "all-container-types"};
    char name[200];
    snprintf(name, sizeof name,
             "apache+iceberg/core/src/test/resources/org/apache/iceberg/deletes/%s-position-index.bin",
             names[_i]);
    make[_i]();
    rwl_buf_reset(&want);
    if (append_fixture(&want, name))
        check_both_ways();
}
END_TEST

/* {1, 2}: its CRC is 0x712fa6e8. */
#define ICE_107 "00000024 d1d33964 0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0100 0200 "

START_TEST(ice_107_correct_crc) {
    append_hex(&want, ICE_107 "712fa6e8");
    add(1);
    add(2);
    check_both_ways();
}
END_TEST

typedef struct bad_case {
    const char *hex, *message;
    int64_t cardinality;
} bad_case;

static const bad_case bad[] = {
    {ICE_107 "712fa6e9", "invalid CRC of deletion vector: 0x712fa6e8, expected 0x712fa6e9", 2},
    {ICE_107 "712fa6e8", "invalid cardinality of deletion vector: 2, expected 3", 3},
    {ICE_107 "712fa6e8", "invalid cardinality of deletion vector: 2, expected 0", 0},
    {"00000025 d1d33964 0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0100 0200 712fa6e8",
     "invalid length of deletion vector: 37, expected 36", 2},
    {"00000024 d1d33965 0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0100 0200 712fa6e8",
     "invalid magic of deletion vector: 0xd1d33965, expected 0xd1d33964", 2},
    {ICE_107 "712fa6e8 00", "invalid length of deletion vector: 36, expected 37", 2},
    {"", "deletion vector has 0 bytes, 20 to 2147483647 are possible", -1},
    {"0000000b d1d33964 00000000000000 bf18480c", "deletion vector has 19 bytes", -1},
    {"ffffffff d1d33964 0000000000000000 bf18480c",
     "invalid length of deletion vector: 4294967295, expected 12", -1},
};

START_TEST(ice_107_refuses_wrong_frames) {
    rwl_bitmap *decoded;
    append_hex(&got, bad[_i].hex);
    ck_assert_int_eq(rwl_dv_decode(&env, rwl_buf_span(&got), bad[_i].cardinality, &decoded, &err),
                     RWL_CORRUPT);
    ck_assert_ptr_null(decoded);
    ck_assert_msg(strncmp(err.message, bad[_i].message, strlen(bad[_i].message)) == 0, "%s", err.message);
}
END_TEST

/* Vectors that are wrong under a frame that is right. */
static const char *const bad_vectors[] = {
    "0100000000000000 ffffff7f 3a300000 00000000",                                   /* key 2147483647 */
    "0100000000000000 00000080 3a300000 00000000",                                   /* negative key */
    "0200000000000000 01000000 3a300000 00000000 00000000 3a300000 00000000",        /* keys descend */
    "0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0200 0100",      /* values descend */
    "0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0100 0200 0300", /* bytes left over */
    "0200000000000000 00000000 3a300000 00000000",                                   /* one bitmap missing */
};

START_TEST(ice_107_refuses_wrong_vectors) {
    rwl_bitmap *decoded;
    append_hex(&got, "00000000 d1d33964");
    append_hex(&got, bad_vectors[_i]);
    got.data[3] = (uint8_t)(got.len - 4);
    uint32_t crc = rwl_crc32(0, rwl_span_of(got.data + 4, got.len - 4));
    ck_assert_int_eq(rwl_buf_be32(&got, crc, &err), RWL_OK);
    ck_assert_int_eq(rwl_dv_decode(&env, rwl_buf_span(&got), -1, &decoded, &err), RWL_CORRUPT);
    ck_assert_msg(strncmp(err.message, "deletion vector: bitmap", 23) == 0 ||
                      strstr(err.message, "after the end") || strstr(err.message, "input ends"),
                  "%s", err.message);
}
END_TEST

TCase *dv_cases(void) {
    TCase *cases = tcase_create("dv");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, ice_103_empty_dv);
    tcase_add_test(cases, ice_104_small_alternating_values);
    tcase_add_test(cases, ice_105_small_and_large_values);
    tcase_add_test(cases, ice_106_all_container_kinds);
    tcase_add_loop_test(cases, ice_104_to_106_equal_the_files_of_java, 0, 3);
    tcase_add_test(cases, ice_107_correct_crc);
    tcase_add_loop_test(cases, ice_107_refuses_wrong_frames, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_loop_test(cases, ice_107_refuses_wrong_vectors, 0,
                        (int)(sizeof bad_vectors / sizeof *bad_vectors));
    return cases;
}
