/* SPDX-License-Identifier: Apache-2.0 */
/* The RLE / bit-packing decoder against bytes of the specification and an unpacker of one bit at a time. */
#include "suites.h"

#include "parquet/rle_decode.h"

enum { SLACK = 32 };

static const struct {
    const char *name;
    int width;
    uint8_t bytes[16];
    size_t len;
    size_t count;
    uint32_t want[24];
} good[] = {
    /* Encodings.md: 0 to 7 in 3 bits are 10001000 11000110 11111010 */
    {"the specification's packed example", 3, {0x03, 0x88, 0xc6, 0xfa}, 4, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"a run of five sevens", 3, {0x0a, 0x07}, 2, 5, {7, 7, 7, 7, 7}},
    {"a run of a two byte value", 9, {0x06, 0x01, 0x01}, 3, 3, {257, 257, 257}},
    {"run, packed, run",
     1,
     {0x04, 0x01, 0x03, 0xa5, 0x04, 0x00},
     6,
     12,
     {1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0}},
    {"empty runs between", 1, {0x00, 0x00, 0x01, 0x04, 0x01}, 5, 2, {1, 1}},
    {"a packed run cut after five of eight values", 3, {0x03, 0x88, 0xc6}, 3, 5, {0, 1, 2, 3, 4}},
    {"width 0 is all zeros", 0, {0}, 0, 4, {0, 0, 0, 0}},
    {"width 32", 32, {0x02, 0xff, 0xff, 0xff, 0xff}, 5, 1, {UINT32_MAX}},
};

START_TEST(decodes_runs_and_packed_groups) {
    uint8_t bytes[16 + SLACK] = {0};
    memcpy(bytes, good[_i].bytes, good[_i].len);
    rwl_rle rle;
    uint32_t got[24];
    rwl_error err = {0};
    /* in one go, then in pieces of one */
    rwl_rle_init(&rle, rwl_span_of(bytes, good[_i].len), good[_i].width);
    ck_assert_msg(rwl_rle_read(&rle, got, good[_i].count, &err) == RWL_OK, "%s: %s", good[_i].name,
                  err.message);
    for (size_t i = 0; i < good[_i].count; i++)
        ck_assert_msg(got[i] == good[_i].want[i], "%s: value %zu is %u", good[_i].name, i, got[i]);
    rwl_rle_init(&rle, rwl_span_of(bytes, good[_i].len), good[_i].width);
    for (size_t i = 0; i < good[_i].count; i++) {
        ck_assert_int_eq(rwl_rle_read(&rle, got, 1, &err), RWL_OK);
        ck_assert_uint_eq(got[0], good[_i].want[i]);
    }
    if (good[_i].width > 0)
        ck_assert_int_eq(rwl_rle_read(&rle, got, 8, &err), RWL_CORRUPT);
}
END_TEST

static const struct {
    const char *name;
    int width;
    uint8_t bytes[8];
    size_t len;
} bad[] = {
    {"nothing", 1, {0}, 0},
    {"a header without its value", 1, {0x04}, 1},
    {"a value cut short", 9, {0x04, 0x01}, 2},
    {"a packed run without bytes", 5, {0x03}, 1},
    {"a header of too many bytes", 1, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 6},
    {"a header cut short", 1, {0x80}, 1},
};

START_TEST(refuses_damaged_runs) {
    uint8_t bytes[8 + SLACK] = {0};
    memcpy(bytes, bad[_i].bytes, bad[_i].len);
    rwl_rle rle;
    rwl_error err = {0};
    uint32_t got[8];
    rwl_rle_init(&rle, rwl_span_of(bytes, bad[_i].len), bad[_i].width);
    ck_assert_msg(rwl_rle_read(&rle, got, 1, &err) == RWL_CORRUPT, "%s", bad[_i].name);
}
END_TEST

/* Each width, each start within a group, against one bit at a time. */
START_TEST(unpacks_every_width_from_every_start) {
    enum { COUNT = 200 };
    int width = _i;
    uint8_t bytes[COUNT * 32 / 8 + SLACK] = {0};
    uint64_t state = 88172645463325252u + (uint64_t)width;
    for (size_t i = 0; i < COUNT * (size_t)width / 8; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (uint8_t)state;
    }
    for (size_t start = 0; start < 9; start++) {
        uint32_t got[COUNT];
        rwl_rle_unpack(bytes, start, width, got, COUNT - start);
        for (size_t i = 0; i < COUNT - start; i++) {
            uint32_t want = 0;
            for (int b = 0; b < width; b++) {
                size_t bit = (start + i) * (size_t)width + (size_t)b;
                want |= (uint32_t)(bytes[bit / 8] >> (bit % 8) & 1) << b;
            }
            ck_assert_msg(got[i] == want, "width %d start %zu value %zu: %u, not %u", width, start, i, got[i],
                          want);
        }
    }
}
END_TEST

START_TEST(skips_across_runs) {
    /* 8 packed (0..7), 5 sevens, 8 packed */
    uint8_t bytes[10 + SLACK] = {0x03, 0x88, 0xc6, 0xfa, 0x0a, 0x07, 0x03, 0x88, 0xc6, 0xfa};
    for (uint32_t n = 0; n < 21; n++) {
        rwl_rle rle;
        uint32_t got;
        rwl_rle_init(&rle, rwl_span_of(bytes, 10), 3);
        ck_assert_int_eq(rwl_rle_skip(&rle, n, NULL), RWL_OK);
        ck_assert_int_eq(rwl_rle_read(&rle, &got, 1, NULL), RWL_OK);
        ck_assert_uint_eq(got, n < 8 ? n : n < 13 ? 7 : n - 13);
    }
}
END_TEST

Suite *reader_rle_suite(void) {
    Suite *s = suite_create("reader_rle");
    TCase *t = tcase_create("hybrid");
    tcase_add_loop_test(t, decodes_runs_and_packed_groups, 0, (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(t, refuses_damaged_runs, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_loop_test(t, unpacks_every_width_from_every_start, 1, 33);
    tcase_add_test(t, skips_across_runs);
    suite_add_tcase(s, t);
    return s;
}
