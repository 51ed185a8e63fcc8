/* SPDX-License-Identifier: Apache-2.0 */
/* The portable form: Java's bytes, round trips, and input that must be refused. */
#include "bitmap/bitmap.h"
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_env env;
static rwl_error err;

static void setup(void) {
    rwl_env_init_default(&env);
}

static rwl_bitmap *new_bitmap(void) {
    rwl_bitmap *b;
    ck_assert_int_eq(rwl_bitmap_new(&env, &b, &err), RWL_OK);
    return b;
}

static void add(rwl_bitmap *b, int64_t value) {
    if (rwl_bitmap_add(b, value, &err) != RWL_OK) /* an assertion that holds costs a message */
        ck_abort_msg("%s", err.message);
}

static void add_range(rwl_bitmap *b, int64_t start, int64_t end) {
    if (rwl_bitmap_add_range(b, start, end - start, &err) != RWL_OK)
        ck_abort_msg("%s", err.message);
}

/* Bytes of hexadecimal text with spaces; `*N` after a byte repeats it N times. */
static size_t from_hex(const char *hex, uint8_t *out) {
    size_t len = 0;
    for (const char *p = hex; *p != '\0';) {
        if (*p == ' ') {
            p++;
        } else if (*p == '*') {
            long times = strtol(p + 1, (char **)&p, 10);
            for (long i = 1; i < times; i++, len++)
                out[len] = out[len - 1];
        } else {
            char two[3] = {p[0], p[1], '\0'};
            out[len++] = (uint8_t)strtoul(two, NULL, 16);
            p += 2;
        }
    }
    return len;
}

static void check_bytes(rwl_bitmap *b, const char *hex) {
    static uint8_t want[100000];
    size_t len = from_hex(hex, want);
    rwl_buf got;
    rwl_buf_init(&got, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_bitmap_optimize(b, &err), RWL_OK);
    ck_assert_int_eq(rwl_bitmap_serialize(b, &got, &err), RWL_OK);
    ck_assert_uint_eq(got.len, len);
    for (size_t i = 0; i < len; i++)
        if (got.data[i] != want[i])
            ck_abort_msg("byte %zu is %02x, expected %02x", i, got.data[i], want[i]);
    rwl_buf_clear(&got);
}

START_TEST(ice_103_empty_vector) {
    rwl_bitmap *b = new_bitmap();
    check_bytes(b, "0000000000000000");
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(ice_104_small_alternating_values) {
    rwl_bitmap *b = new_bitmap();
    for (int64_t v = 1; v <= 9; v += 2)
        add(b, v);
    check_bytes(b, "0100000000000000 00000000 3a300000 01000000 0000 0400 10000000 0100 0300 0500 0700 0900");
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(ice_105_small_and_large_values) {
    rwl_bitmap *b = new_bitmap();
    int64_t values[] = {2147483748, 100, 2147483747, 101};
    for (int i = 0; i < 4; i++)
        add(b, values[i]);
    check_bytes(b, "0100000000000000 00000000 3a300000 02000000 0000 0100 0080 0100 18000000 1c000000"
                   "6400 6500 6300 6400");
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(ice_106_all_container_kinds) {
    rwl_bitmap *b = new_bitmap();
    const int64_t key1 = INT64_C(1) << 32, c1 = 65536, c2 = 131072;
    const int64_t singles[] = {5, 7, key1 + 10, key1 + 20};
    for (int i = 0; i < 4; i++)
        add(b, singles[i]);
    add_range(b, c1 + 1, c1 + 1000);
    for (int64_t v = c2 + 1; v < c2 + 65535; v++) /* one by one: through array and bitmap to a run */
        add(b, v);
    add_range(b, key1 + c1 + 10, key1 + c1 + 500);
    add_range(b, key1 + c2 + 1, key1 + c2 + 65535);
    check_bytes(b, "0200000000000000 00000000 3b300200 06 0000 0100 0100 e603 0200 fdff 0500 0700"
                   "0100 0100 e603 0100 0100 fdff 01000000 3b300200 06 0000 0100 0100 e901 0200 fdff"
                   "0a00 1400 0100 0a00 e901 0100 0100 fdff");
    rwl_bitmap_free(b);
}
END_TEST

/* Offsets stand from four containers on. Four containers of one full run each: 4 + 1 + 16 + 16 = 37 bytes of
 * header, then 6 bytes each. */
START_TEST(writes_offsets_from_four_containers_with_runs) {
    rwl_bitmap *b = new_bitmap();
    add_range(b, 0, 4 * 65536);
    check_bytes(
        b, "0100000000000000 00000000 3b300300 0f 0000ffff 0100ffff 0200ffff 0300ffff"
           "25000000 2b000000 31000000 37000000 0100 0000ffff 0100 0000ffff 0100 0000ffff 0100 0000ffff");
    rwl_bitmap_free(b);
}
END_TEST

/* An absent key is written as an empty bitmap, as Java does. */
START_TEST(writes_absent_keys_as_empty_bitmaps) {
    rwl_bitmap *b = new_bitmap();
    add(b, INT64_C(2) << 32);
    check_bytes(b, "0300000000000000 00000000 3a300000 00000000 01000000 3a300000 00000000"
                   "02000000 3a300000 01000000 0000 0000 10000000 0000");
    rwl_bitmap_free(b);
}
END_TEST

/* Run form only where smaller: n values in one run take 6 bytes, as an array 2 n. */
START_TEST(chooses_run_form_only_where_it_is_smaller) {
    rwl_bitmap *b = new_bitmap();
    add_range(b, 10, 13);
    check_bytes(b, "0100000000000000 00000000 3a300000 01000000 0000 0200 10000000 0a00 0b00 0c00");
    add_range(b, 13, 14);
    check_bytes(b, "0100000000000000 00000000 3b300000 01 0000 0300 0100 0a00 0300");
    rwl_bitmap_free(b);
}
END_TEST

/* Every second value below 10000: 5000 values in 5000 runs, so a bitmap of 625 bytes 0x55 and zeros. */
START_TEST(writes_dense_containers_as_bitmaps) {
    rwl_bitmap *b = new_bitmap();
    for (int64_t v = 0; v < 10000; v += 2)
        add(b, v);
    check_bytes(b, "0100000000000000 00000000 3a300000 01000000 0000 8713 10000000 55*1250 00*6942");
    rwl_bitmap_free(b);
}
END_TEST

START_TEST(refuses_to_write_more_than_two_gib) {
    rwl_bitmap *b = new_bitmap();
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    add(b, RWL_BITMAP_MAX);
    ck_assert_int_eq(rwl_bitmap_serialize(b, &out, &err), RWL_UNSUPPORTED);
    ck_assert_uint_eq(out.len, 0);
    rwl_buf_clear(&out);
    rwl_bitmap_free(b);
}
END_TEST

static void check_round_trip(const rwl_bitmap *b) {
    rwl_buf bytes, again;
    rwl_bitmap *copy;
    rwl_buf_init(&bytes, &env, SIZE_MAX);
    rwl_buf_init(&again, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_bitmap_serialize(b, &bytes, &err), RWL_OK);
    ck_assert_msg(rwl_bitmap_deserialize(&env, rwl_buf_span(&bytes), &copy, &err) == RWL_OK, "%s",
                  err.message);
    ck_assert_int_eq(rwl_bitmap_count(copy), rwl_bitmap_count(b));
    int64_t s1, c1, s2, c2, from = 0;
    while (rwl_bitmap_next_run(b, from, &s1, &c1)) {
        if (!rwl_bitmap_next_run(copy, from, &s2, &c2) || s1 != s2 || c1 != c2)
            ck_abort_msg("the run at %lld came back otherwise", (long long)s1);
        from = s1 + c1;
    }
    ck_assert(!rwl_bitmap_next_run(copy, from, &s2, &c2));
    ck_assert_int_eq(rwl_bitmap_serialize(copy, &again, &err), RWL_OK);
    ck_assert(rwl_span_equal(rwl_buf_span(&bytes), rwl_buf_span(&again)));
    rwl_bitmap_free(copy);
    rwl_buf_clear(&bytes);
    rwl_buf_clear(&again);
}

START_TEST(random_sets_come_back) {
    unsigned seed = 7u + (unsigned)_i;
    rwl_bitmap *b = new_bitmap();
    for (int n = 0; n < 3000; n++) {
        int64_t at = (int64_t)(rand_r(&seed) % 3) << 32 | (int64_t)(rand_r(&seed) % 500000);
        add_range(b, at, at + 1 + (n % 97 == 0 ? rand_r(&seed) % 30000 : 0));
    }
    check_round_trip(b);
    ck_assert_int_eq(rwl_bitmap_optimize(b, &err), RWL_OK);
    check_round_trip(b);
    rwl_bitmap_free(b);
}
END_TEST

/* --- input that must be read --- */

typedef struct good_case {
    const char *what, *hex;
    int64_t count, first;
} good_case;

#define ONE "0100000000000000 00000000 " /* one bitmap, key 0 */

static const good_case good[] = {
    {"sparse keys", "0100000000000000 05000000 3a300000 01000000 0000 0000 10000000 0700", 1,
     (INT64_C(5) << 32) + 7},
    {"dense keys",
     "0200000000000000 00000000 3a300000 00000000 01000000 3a300000 01000000 0000 0000 10000000 0700", 1,
     (INT64_C(1) << 32) + 7},
    {"greatest key", "0100000000000000 feffff7f 3a300000 01000000 0000 0000 10000000 0700", 1,
     (INT64_C(2147483646) << 32) + 7},
    {"adjacent runs", ONE "3b300000 01 0000 0500 0200 0100 0200 0400 0200", 6, 1},
    {"run flag bitset, no flag set", ONE "3b300000 00 0000 0100 0100 0200", 2, 1},
    {"offsets are not used", ONE "3a300000 01000000 0000 0000 ffffffff 0700", 1, 7},
    {"full container", ONE "3b300000 01 0000 ffff 0100 0000 ffff", 65536, 0},
    {"4097 values as a bitmap", ONE "3a300000 01000000 0000 0010 10000000 ff*8192", 4097, -1},
};

START_TEST(reads_valid_forms) {
    static uint8_t bytes[100000];
    size_t len = from_hex(good[_i].hex, bytes);
    rwl_bitmap *b;
    int64_t start, count;
    if (good[_i].first < 0) { /* 4097 bits: 512 bytes of ones and one bit */
        memset(bytes + len - 8192, 0, 8192);
        memset(bytes + len - 8192, 0xff, 512);
        bytes[len - 1] = 0x80;
    }
    ck_assert_msg(rwl_bitmap_deserialize(&env, rwl_span_of(bytes, len), &b, &err) == RWL_OK, "%s: %s",
                  good[_i].what, err.message);
    ck_assert_int_eq(rwl_bitmap_count(b), good[_i].count);
    ck_assert(rwl_bitmap_next_run(b, 0, &start, &count));
    ck_assert_int_eq(start, good[_i].first < 0 ? 0 : good[_i].first);
    if (start < INT64_C(1) << 40) /* above, writing every key takes more than 2 GiB */
        check_round_trip(b);
    rwl_bitmap_free(b);
}
END_TEST

/* --- input that must be refused --- */

typedef struct bad_case {
    const char *hex, *message; /* the message begins so; NULL: any */
} bad_case;

static const bad_case bad[] = {
    {"", NULL},
    {"01000000000000", NULL},
    {"0100000000000000", "bitmap count 1 is more than 0 bytes can hold"},
    {"ffffffffffffffff 00000000 3a300000 00000000", "bitmap count 18446744073709551615"},
    {"0000000000000000 00", "1 bytes after the end"},
    {ONE "3a300000 00000000 ff", "1 bytes after the end"},
    {"0100000000000000 ffffff7f 3a300000 00000000", "bitmap key 2147483647 is above 2147483646"},
    {"0100000000000000 ffffffff 3a300000 00000000", "bitmap key 4294967295 is above"},
    {"0200000000000000 01000000 3a300000 00000000 00000000 3a300000 00000000", "bitmap key 0 follows 1"},
    {"0200000000000000 01000000 3a300000 00000000 01000000 3a300000 00000000", "bitmap key 1 follows 1"},
    {ONE "39300000 00000000", "bitmap cookie is 0x00003039"},
    {ONE "3a300100 00000000", "bitmap cookie is 0x0001303a"},
    {ONE "3a300000 01000100 00*24", "bitmap has 65537 containers"},
    {ONE "3a300000 ffffffff 00*24", "bitmap has 4294967295 containers"},
    {ONE "3a300000 00000100 00*24", NULL},
    {ONE "3a300000 01000000 0000", NULL},
    {ONE "3a300000 01000000 0000 0000 1000", NULL},
    {ONE "3a300000 01000000 0000 0100 10000000 0700", NULL},
    {ONE "3a300000 01000000 0000 0100 10000000 0700 0700", "bitmap array has 7 after 7"},
    {ONE "3a300000 01000000 0000 0100 10000000 0700 0600", "bitmap array has 6 after 7"},
    {ONE "3a300000 02000000 0100 0000 0000 0000 18000000 1a000000 0700 0700",
     "bitmap container key 0 follows 1"},
    {ONE "3a300000 02000000 0100 0000 0100 0000 18000000 1a000000 0700 0700",
     "bitmap container key 1 follows 1"},
    {ONE "3a300000 01000000 0000 0010 10000000 ff*512 00*7680",
     "bitmap container has 4096 values, its descriptor says 4097"},
    {ONE "3a300000 01000000 0000 0010 10000000 ff*8191", NULL},
    {ONE "3b300000 01 0000 0000 0000", "bitmap runs hold 0 values, the descriptor says 1"},
    {ONE "3b300000 01 0000 0000 0100", NULL},
    {ONE "3b300000 01 0000 0200 0100 0100 0300", "bitmap runs hold 4 values, the descriptor says 3"},
    {ONE "3b300000 01 0000 0200 0100 feff 0200", "bitmap run of 3 values from 65534 on passes 65535"},
    {ONE "3b300000 01 0000 0300 0200 0100 0100 0200 0100",
     "bitmap run begins at 2, the run before ends at 2"},
    {ONE "3b300000 01 0000 0300 0200 0500 0100 0100 0100",
     "bitmap run begins at 1, the run before ends at 6"},
    {ONE "3b30ffff 01", NULL},
};

START_TEST(refuses_corrupt_bytes) {
    static uint8_t bytes[100000];
    size_t len = from_hex(bad[_i].hex, bytes);
    uint8_t *exact = malloc(len > 0 ? len : 1); /* so that a sanitizer sees each byte read beyond */
    memcpy(exact, bytes, len);
    rwl_bitmap *b;
    ck_assert_int_eq(rwl_bitmap_deserialize(&env, rwl_span_of(exact, len), &b, &err), RWL_CORRUPT);
    ck_assert_ptr_null(b);
    if (bad[_i].message != NULL)
        ck_assert_msg(strncmp(err.message, bad[_i].message, strlen(bad[_i].message)) == 0, "%s", err.message);
    free(exact);
}
END_TEST

START_TEST(refuses_every_truncation) {
    static uint8_t bytes[200];
    size_t len = from_hex("0200000000000000 00000000 3b300200 06 0000 0100 0100 e603 0200 fdff 0500 0700"
                          "0100 0100 e603 0100 0100 fdff 01000000 3b300200 06 0000 0100 0100 e901 0200 fdff"
                          "0a00 1400 0100 0a00 e901 0100 0100 fdff",
                          bytes);
    rwl_bitmap *b;
    for (size_t n = 0; n < len; n++)
        ck_assert_int_eq(rwl_bitmap_deserialize(&env, rwl_span_of(bytes, n), &b, &err), RWL_CORRUPT);
}
END_TEST

/* --- files of other implementations --- */

static size_t read_fixture(const char *name, uint8_t *out, size_t max) {
    char path[1024];
    snprintf(path, sizeof path, "%s/apache+iceberg/core/src/test/resources/org/apache/iceberg/deletes/%s",
             FIXTURES_DIR, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("skipped: %s is not here\n", path);
        return 0;
    }
    size_t len = fread(out, 1, max, f);
    fclose(f);
    return len;
}

START_TEST(reads_bitmaps_of_java) {
    static uint8_t bytes[2000];
    const struct {
        const char *name;
        int64_t keys;
    } files[] = {{"64mapempty.bin", 0}, {"64map32bitvals.bin", 1}, {"64mapspreadvals.bin", 10}};
    size_t len = read_fixture(files[_i].name, bytes, sizeof bytes);
    rwl_bitmap *b;
    if (len == 0)
        return;
    ck_assert_msg(rwl_bitmap_deserialize(&env, rwl_span_of(bytes, len), &b, &err) == RWL_OK, "%s",
                  err.message);
    ck_assert_int_eq(rwl_bitmap_count(b), 10 * files[_i].keys); /* 0..9 or 1..10 under each key */
    check_round_trip(b);
    rwl_bitmap_free(b);
}
END_TEST

/* This file went through a text decoder: it is full of U+FFFD. */
START_TEST(refuses_the_mangled_bitmap_of_java) {
    static uint8_t bytes[2000];
    size_t len = read_fixture("64maphighvals.bin", bytes, sizeof bytes);
    rwl_bitmap *b;
    if (len > 0)
        ck_assert_int_eq(rwl_bitmap_deserialize(&env, rwl_span_of(bytes, len), &b, &err), RWL_CORRUPT);
}
END_TEST

TCase *serialize_cases(void) {
    TCase *cases = tcase_create("serialize");
    tcase_add_checked_fixture(cases, setup, NULL);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, ice_103_empty_vector);
    tcase_add_test(cases, ice_104_small_alternating_values);
    tcase_add_test(cases, ice_105_small_and_large_values);
    tcase_add_test(cases, ice_106_all_container_kinds);
    tcase_add_test(cases, writes_offsets_from_four_containers_with_runs);
    tcase_add_test(cases, writes_absent_keys_as_empty_bitmaps);
    tcase_add_test(cases, chooses_run_form_only_where_it_is_smaller);
    tcase_add_test(cases, writes_dense_containers_as_bitmaps);
    tcase_add_test(cases, refuses_to_write_more_than_two_gib);
    tcase_add_loop_test(cases, random_sets_come_back, 0, 6);
    tcase_add_loop_test(cases, reads_valid_forms, 0, (int)(sizeof good / sizeof *good));
    tcase_add_loop_test(cases, refuses_corrupt_bytes, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(cases, refuses_every_truncation);
    tcase_add_loop_test(cases, reads_bitmaps_of_java, 0, 3);
    tcase_add_test(cases, refuses_the_mangled_bitmap_of_java);
    return cases;
}
