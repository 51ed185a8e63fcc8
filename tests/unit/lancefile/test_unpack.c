/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the kernels. Packed bits are made bit by bit from the definition of the layout at the top of unpack.h; all else is written out
 * by hand.
 */
#include "lancefile/unpack.h"
#include "suites.h"

#include <stdlib.h>

static rwl_env env;

static uint64_t state;

static uint64_t next_random(void) { /* splitmix64 */
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* --- bit packing --- */

/* Value i of 1024 of `bits` bits stands in row r of a lane, as bits r * width … of the lane's words, which are 1024 / bits words apart. */
static void pack(int bits, int width, const uint64_t *values, uint8_t *out) {
    static const int order[] = {0, 4, 2, 6, 1, 5, 3, 7};
    int lanes = 1024 / bits;
    memset(out, 0, (size_t)width * 128);
    for (int lane = 0; lane < lanes; lane++) {
        for (int r = 0; r < bits; r++) {
            uint64_t value = values[order[r / 8] * 16 + r % 8 * 128 + lane];
            for (int b = 0; b < width; b++) {
                int bit = r * width + b; /* of the lane */
                int word = bit / bits * lanes + lane, at = word * bits + bit % bits;
                if (value >> b & 1)
                    out[at / 8] = (uint8_t)(out[at / 8] | 1 << at % 8);
            }
        }
    }
}

static uint64_t value_at(int bits, const uint8_t *out, int i) {
    uint64_t value = 0;
    for (int b = 0; b < bits / 8; b++)
        value |= (uint64_t)out[i * (bits / 8) + b] << (8 * b);
    return value;
}

static const int word_bits[] = {8, 16, 32, 64};

static void fill_values(int width, uint64_t *values) {
    for (int i = 0; i < 1024; i++)
        values[i] = width == 0 ? 0 : next_random() >> (64 - width);
}

START_TEST(unpacks_every_width_of_every_word) {
    int bits = word_bits[_i];
    static uint64_t values[1024];
    static uint8_t in[8192 + 1], out[8192 + 1];
    state = (uint64_t)bits;
    for (int width = 0; width <= bits; width++) {
        fill_values(width, values);
        pack(bits, width, values, in + 1); /* no alignment is asked for */
        memset(out, 0xee, sizeof out);
        rwl_lance_unpack(bits, width, in + 1, out);
        for (int i = 0; i < 1024; i++)
            ck_assert_msg(value_at(bits, out, i) == values[i], "%d in %d: value %d", bits, width, i);
        ck_assert_uint_eq(out[bits * 128], 0xee);
    }
}
END_TEST

/* 1024 values of the lane's number: the eight first values of a block are the first row of lanes 0 … 7. */
START_TEST(first_row_holds_the_first_lanes) {
    uint8_t in[128], out[1024];
    memset(in, 0, sizeof in);
    in[3] = 1; /* width 1, words of 8 bits: bit 0 of word 3 is row 0 of lane 3 */
    in[5] = 2; /* bit 1 of word 5: row 1 of lane 5, value 128 + 5 */
    rwl_lance_unpack(8, 1, in, out);
    for (int i = 0; i < 1024; i++)
        ck_assert_uint_eq(out[i], i == 3 || i == 133);
}
END_TEST

START_TEST(blocks_end_in_a_raw_or_a_packed_tail) {
    int bits = word_bits[_i], word = bits / 8, width = 3;
    static uint64_t values[3][1024];
    static uint8_t in[3 * 8192], out[3 * 8192];
    for (int b = 0; b < 3; b++) {
        fill_values(width, values[b]);
        pack(bits, width, values[b], in + b * width * 128);
    }
    rwl_error err = {0};
    for (int count = 2048; count <= 3072; count += 512) {
        rwl_span packed = rwl_span_of(in, (size_t)((count + 1023) / 1024 * width * 128));
        ck_assert_msg(rwl_lance_unpack_blocks(bits, width, packed, count, out, &err) == RWL_OK, "%s",
                      err.message);
        for (int i = 0; i < count; i++)
            ck_assert_uint_eq(value_at(bits, out, i), values[i / 1024][i % 1024]);
        packed.len--;
        ck_assert_int_eq(rwl_lance_unpack_blocks(bits, width, packed, count, out, &err), RWL_CORRUPT);
    }
    for (int i = 0; i < 5 * word; i++) /* values 2048 … 2052, raw */
        in[2 * width * 128 + i] = (uint8_t)(i + 1);
    rwl_span raw = rwl_span_of(in, (size_t)(2 * width * 128 + 5 * word));
    ck_assert_int_eq(rwl_lance_unpack_blocks(bits, width, raw, 2053, out, &err), RWL_OK);
    ck_assert_mem_eq(out + 2048 * word, raw.data + 2 * width * 128, (size_t)(5 * word));
    ck_assert_int_eq(rwl_lance_unpack_blocks(bits, width, raw, 2052, out, &err), RWL_CORRUPT);
}
END_TEST

START_TEST(rejects_widths_that_are_none) {
    uint8_t out[8192];
    rwl_span in = rwl_span_of("", 0);
    static const int cases[][2] = {{8, 9}, {32, -1}, {64, 65}, {12, 3}, {128, 8}, {0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(rwl_lance_unpack_blocks(cases[i][0], cases[i][1], in, 0, out, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_unpack_blocks(32, 0, in, 1024, out, NULL), RWL_OK); /* zeros have no bytes */
    ck_assert_int_eq(rwl_lance_unpack_blocks(32, 0, in, -1, out, NULL), RWL_CORRUPT);
}
END_TEST

/* --- runs --- */

/* 1 of the first value, 259 of the second, 2 of the third: lengths of two bytes, then of four. */
START_TEST(run_lengths_are_of_one_two_or_four_bytes) {
    static const uint8_t values[] = {5, 6, 7}, lengths[] = {1, 0, 3, 1, 2, 0},
                         wide[] = {1, 0, 0, 0, 3, 1, 0, 0, 2, 0, 0, 0};
    uint8_t out[262];
    rwl_span v = rwl_span_of(values, 3), l = rwl_span_of(lengths, 6), w = rwl_span_of(wide, 12);
    for (int i = 0; i < 2; i++) {
        memset(out, 0, sizeof out);
        ck_assert_int_eq(rwl_lance_unpack_runs(1, v, i == 0 ? 2 : 4, i == 0 ? l : w, 262, out, NULL), RWL_OK);
        for (int k = 0; k < 262; k++)
            ck_assert_int_eq(out[k], k < 1 ? 5 : k < 260 ? 6 : 7);
    }
    ck_assert_int_eq(rwl_lance_unpack_runs(1, v, 2, l, 260, out, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_unpack_runs(1, v, 2, w, 262, out, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_unpack_runs(1, v, 3, l, 262, out, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_unpack_runs(1, v, 8, l, 262, out, NULL), RWL_CORRUPT);
}
END_TEST

START_TEST(runs_become_values) {
    static const int widths[] = {1, 2, 4, 8, 3, 16};
    int width = widths[_i];
    uint8_t values[3 * 16], out[300 * 16];
    for (int i = 0; i < 3 * width; i++)
        values[i] = (uint8_t)(7 * i + 1);
    static const uint8_t lengths[] = {1, 255, 44};
    rwl_span v = rwl_span_of(values, (size_t)(3 * width)), l = rwl_span_of(lengths, 3);
    memset(out, 0, sizeof out);
    ck_assert_int_eq(rwl_lance_unpack_runs(width, v, 1, l, 300, out, NULL), RWL_OK);
    for (int i = 0; i < 300; i++)
        ck_assert_mem_eq(out + i * width, values + (i < 1 ? 0 : i < 256 ? width : 2 * width), (size_t)width);
    ck_assert_int_eq(rwl_lance_unpack_runs(width, v, 1, l, 256, out, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_lance_unpack_runs(width, v, 1, l, 301, out, NULL), RWL_CORRUPT);
    l.len = 2;
    ck_assert_int_eq(rwl_lance_unpack_runs(width, v, 1, l, 257, out, NULL), RWL_CORRUPT);
}
END_TEST

/* Chunks of pylance 0.39: what passes the end stands at the beginning of the next chunk again. */
START_TEST(the_last_run_may_pass_the_end) {
    static const int widths[] = {1, 2, 4, 8, 3, 16};
    int width = widths[_i];
    uint8_t values[2 * 16], out[5 * 16 + 1];
    for (int i = 0; i < 2 * width; i++)
        values[i] = (uint8_t)(7 * i + 1);
    static const uint8_t lengths[] = {3, 4}, wide[] = {3, 0, 0, 0, 4, 0, 0, 0};
    rwl_span v = rwl_span_of(values, (size_t)(2 * width));
    for (int length_width = 1; length_width <= 4; length_width += 3) {
        rwl_span l = rwl_span_of(length_width == 1 ? lengths : wide, (size_t)length_width * 2);
        memset(out, 0xee, sizeof out);
        ck_assert_int_eq(rwl_lance_unpack_runs(width, v, length_width, l, 5, out, NULL), RWL_OK);
        for (int i = 0; i < 5; i++)
            ck_assert_mem_eq(out + i * width, values + (i < 3 ? 0 : width), (size_t)width);
        ck_assert_uint_eq(out[5 * width], 0xee);
        ck_assert_int_eq(rwl_lance_unpack_runs(width, v, length_width, l, 3, out, NULL), RWL_CORRUPT);
        ck_assert_int_eq(rwl_lance_unpack_runs(width, v, length_width, l, 8, out, NULL), RWL_CORRUPT);
    }
}
END_TEST

/* --- byte streams --- */

START_TEST(streams_are_put_together) {
    static const int widths[] = {1, 2, 4, 8, 3};
    int width = widths[_i];
    enum { COUNT = 37 };
    uint8_t in[COUNT * 8], out[COUNT * 8];
    for (int j = 0; j < width; j++)
        for (int i = 0; i < COUNT; i++)
            in[j * COUNT + i] = (uint8_t)(j * 30 + i);
    rwl_span s = rwl_span_of(in, (size_t)(COUNT * width));
    ck_assert_int_eq(rwl_lance_unsplit(width, s, COUNT, out, NULL), RWL_OK);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < width; j++)
            ck_assert_uint_eq(out[i * width + j], j * 30 + i);
    s.len--;
    ck_assert_int_eq(rwl_lance_unsplit(width, s, COUNT, out, NULL), RWL_CORRUPT);
}
END_TEST

/* --- FSST --- */

enum { SYMBOLS = 3, TABLE_LEN = 8 + SYMBOLS * 9 };

/* Codes 0 "an", 1 "banana b", 2 "s". */
static void make_table(uint8_t table[TABLE_LEN]) {
    static const char *const symbols[SYMBOLS] = {"an", "banana b", "s"};
    memset(table, 0, TABLE_LEN);
    rwl_store_le64(table, UINT64_C(0x46535354) << 32 | 1 << 24 | SYMBOLS);
    for (int i = 0; i < SYMBOLS; i++) {
        memcpy(table + 8 + i * 8, symbols[i], strlen(symbols[i]));
        table[8 + SYMBOLS * 8 + i] = (uint8_t)strlen(symbols[i]);
    }
}

static const struct fsst_case {
    const char *in;
    int len;
    const char *out; /* NULL: refused */
} fsst_cases[] = {
    {"", 0, ""},
    {"\1\0\0\2", 4, "banana banans"},
    {"\1\0\0\2\2", 5, "banana bananss"},
    {"\377z", 2, "z"},
    {"\0\377\0\0\2", 5, NULL}, /* the third byte as it is, a zero: compared below */
    {"\1\1\1\1\1\1\1\1", 8, "banana bbanana bbanana bbanana bbanana bbanana bbanana bbanana b"},
    {"\377\377\0\0\0\0", 6, "\377anananan"},
    {"\0\0\0\377", 4, NULL},
    {"\377", 1, NULL},
    {"\3", 1, NULL},
    {"\0\0\0\3\0", 5, NULL},
    {"\0\0\0\376", 4, NULL},
};

START_TEST(fsst_codes_become_symbols) {
    const struct fsst_case *c = &fsst_cases[_i];
    uint8_t bytes[TABLE_LEN], out[8 * 8 + RWL_LANCE_FSST_SLACK];
    make_table(bytes);
    rwl_lance_fsst table;
    ck_assert_int_eq(rwl_lance_fsst_parse(rwl_span_of(bytes, TABLE_LEN), &table, NULL), RWL_OK);
    int64_t len = rwl_lance_fsst_decode(&table, rwl_span_of(c->in, (size_t)c->len), out);
    if (_i == 4) {
        ck_assert_int_eq(len, 6);
        ck_assert_mem_eq(out, "an\0ans", 6);
    } else if (c->out == NULL) {
        ck_assert_int_eq(len, -1);
    } else {
        ck_assert_int_eq(len, (int64_t)strlen(c->out));
        ck_assert_mem_eq(out, c->out, (size_t)len);
    }
}
END_TEST

START_TEST(fsst_text_may_be_raw) {
    uint8_t header[8], out[16];
    rwl_store_le64(header,
                   UINT64_C(0x46535354) << 32 | 200); /* switch 0: the number of symbols says nothing */
    rwl_lance_fsst table;
    ck_assert_int_eq(rwl_lance_fsst_parse(rwl_span_of(header, 8), &table, NULL), RWL_OK);
    ck_assert_int_eq(rwl_lance_fsst_decode(&table, rwl_span_of("\377ab", 3), out), 3);
    ck_assert_mem_eq(out, "\377ab", 3);
    ck_assert_int_eq(rwl_lance_fsst_decode(&table, rwl_span_of(NULL, 0), out), 0);
}
END_TEST

START_TEST(rejects_fsst_tables_that_are_none) {
    uint8_t bytes[TABLE_LEN];
    rwl_lance_fsst table;
    make_table(bytes);
    for (size_t len = 0; len < TABLE_LEN; len++)
        ck_assert_int_eq(rwl_lance_fsst_parse(rwl_span_of(bytes, len), &table, NULL), RWL_CORRUPT);
    for (uint8_t length = 0; length < 20; length = (uint8_t)(length + 9)) { /* 0, 9, 18 */
        bytes[TABLE_LEN - 1] = length;
        ck_assert_int_eq(rwl_lance_fsst_parse(rwl_span_of(bytes, TABLE_LEN), &table, NULL), RWL_CORRUPT);
    }
    make_table(bytes);
    bytes[7] = 'f';
    ck_assert_int_eq(rwl_lance_fsst_parse(rwl_span_of(bytes, TABLE_LEN), &table, NULL), RWL_CORRUPT);
}
END_TEST

/* --- general compression --- */

static rwl_status decode(rwl_lance_scheme scheme, const void *in, size_t len, size_t max, rwl_buf *out) {
    rwl_lance_general general = {.op = NULL};
    rwl_buf_clear(out);
    rwl_buf_init(out, &env, max);
    rwl_status st = rwl_lance_general_decode(&general, &env, scheme, rwl_span_of(in, len), out, NULL);
    rwl_lance_general_clear(&general);
    return st;
}

/* A block of 5 literals (token 0x50), and one of a literal, then 19 copies of it (offset 1, 15 + 0 + 4), then 5 literals. */
START_TEST(lz4_has_a_length_of_four_bytes) {
    rwl_buf out;
    rwl_buf_init(&out, &env, 0);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, "\5\0\0\0\x50hello", 10, 100, &out), RWL_OK);
    ck_assert_uint_eq(out.len, 5);
    ck_assert_mem_eq(out.data, "hello", 5);
    static const char run[] = "\x19\0\0\0\x1f"
                              "a\1\0\0\x50"
                              "bcdef";
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, run, sizeof run - 1, 25, &out), RWL_OK);
    ck_assert_uint_eq(out.len, 25);
    ck_assert_mem_eq(out.data, "aaaaaaaaaaaaaaaaaaaabcdef", 25);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, run, sizeof run - 1, 24, &out), RWL_CORRUPT);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, "\6\0\0\0\x50hello", 10, 100, &out), RWL_CORRUPT);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, "\xff\xff\xff\xff\x50hello", 10, SIZE_MAX, &out),
                     RWL_CORRUPT); /* 6 bytes give 1530 at most */
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, "\0\0\0", 3, 100, &out), RWL_CORRUPT);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_LZ4, "", 0, 100, &out), RWL_OK);
    ck_assert_uint_eq(out.len, 0);
    rwl_buf_clear(&out);
}
END_TEST

/* A frame: magic, descriptor 0x20 (single segment, one byte of size), size 5, a last raw block of 5 (header 0x29 0 0). */
START_TEST(zstd_has_a_length_of_eight_bytes_or_none) {
    static const char with[] = "\5\0\0\0\0\0\0\0\x28\xb5\x2f\xfd\x20\5\x29\0\0hello";
    enum { WITH = sizeof with - 1 };
    rwl_buf out;
    rwl_buf_init(&out, &env, 0);
    for (size_t from = 0; from <= 8; from += 8) {
        ck_assert_int_eq(decode(RWL_LANCE_SCHEME_ZSTD, with + from, WITH - from, 5, &out), RWL_OK);
        ck_assert_uint_eq(out.len, 5);
        ck_assert_mem_eq(out.data, "hello", 5);
        ck_assert_int_ne(decode(RWL_LANCE_SCHEME_ZSTD, with + from, WITH - from, 4, &out), RWL_OK);
        ck_assert_int_eq(decode(RWL_LANCE_SCHEME_ZSTD, with + from, WITH - from - 1, 5, &out), RWL_CORRUPT);
    }
    static const char lying[] = "\0\0\0\0\1\0\0\0\x28\xb5\x2f\xfd\x20\5\x29\0\0hello"; /* 4 GiB */
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_ZSTD, lying, WITH, SIZE_MAX, &out), RWL_CORRUPT);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_ZSTD, with, 7, 5, &out), RWL_CORRUPT);
    ck_assert_int_eq(decode(RWL_LANCE_SCHEME_NONE, "as is", 5, 5, &out), RWL_OK);
    ck_assert_mem_eq(out.data, "as is", 5);
    rwl_buf_clear(&out);
}
END_TEST

Suite *lancefile_unpack_suite(void) {
    Suite *suite = suite_create("lancefile_unpack");
    TCase *tc = tcase_create("all");
    rwl_env_init_default(&env);
    tcase_add_loop_test(tc, unpacks_every_width_of_every_word, 0, 4);
    tcase_add_test(tc, first_row_holds_the_first_lanes);
    tcase_add_loop_test(tc, blocks_end_in_a_raw_or_a_packed_tail, 0, 4);
    tcase_add_test(tc, rejects_widths_that_are_none);
    tcase_add_test(tc, run_lengths_are_of_one_two_or_four_bytes);
    tcase_add_loop_test(tc, runs_become_values, 0, 6);
    tcase_add_loop_test(tc, the_last_run_may_pass_the_end, 0, 6);
    tcase_add_loop_test(tc, streams_are_put_together, 0, 5);
    tcase_add_loop_test(tc, fsst_codes_become_symbols, 0, sizeof fsst_cases / sizeof *fsst_cases);
    tcase_add_test(tc, fsst_text_may_be_raw);
    tcase_add_test(tc, rejects_fsst_tables_that_are_none);
    tcase_add_test(tc, lz4_has_a_length_of_four_bytes);
    tcase_add_test(tc, zstd_has_a_length_of_eight_bytes_or_none);
    suite_add_tcase(suite, tc);
    return suite;
}
