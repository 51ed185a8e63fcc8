/* SPDX-License-Identifier: Apache-2.0 */
/* DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY against the specification's examples. */
#include "suites.h"
#include "values_support.h"

/* --- DELTA_BINARY_PACKED --- */

/* Encodings.md, example 1: 1, 2, 3, 4, 5 are a first value of 1, a smallest delta of 1 and deltas of no bits. */
static const uint8_t example_1[] = {0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 0, 0, 0, 0};
/* Example 2: 7, 5, 3, 1, 2, 3, 4, 5: deltas -2 -2 -2 1 1 1 1, less the smallest 0 0 0 3 3 3 3 in two bits. */
static const uint8_t example_2[] = {0x80, 0x01, 0x04, 0x08, 0x0e, 0x03, 2, 0, 0,
                                    0,    0xc0, 0x3f, 0,    0,    0,    0, 0, 0};

START_TEST(reads_the_specifications_deltas) {
    static const int64_t want_1[] = {1, 2, 3, 4, 5}, want_2[] = {7, 5, 3, 1, 2, 3, 4, 5};
    page p;
    int64_t got[8];
    page_init(&p, layout_for(RWL_PARQUET_INT64, RWL_TYPE_LONG, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, example_1, sizeof example_1), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 5, &p.err), RWL_OK);
    ck_assert_mem_eq(got, want_1, sizeof want_1);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 1, &p.err), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, example_2, sizeof example_2), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 8, &p.err), RWL_OK);
    ck_assert_mem_eq(got, want_2, sizeof want_2);
    page_free(&p);
}
END_TEST

/* The last part without its padding: what is there is read. */
START_TEST(reads_a_last_miniblock_cut_after_its_values) {
    page p;
    int64_t got[8];
    page_init(&p, layout_for(RWL_PARQUET_INT64, RWL_TYPE_LONG, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, example_2, sizeof example_2 - 6), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 8, &p.err), RWL_OK);
    ck_assert_int_eq(got[7], 5);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, example_2, sizeof example_2 - 7), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 8, &p.err), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* Values whose deltas fill `width` bits, read in pieces of every kind of border, skipped and read. */
START_TEST(reads_every_width_in_pieces) {
    enum { COUNT = 700 };
    int width = _i;
    static bytes b;
    int64_t values[COUNT];
    uint64_t state = 88172645463325252u + (uint64_t)width;
    uint64_t mask = width == 0 ? 0 : width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    values[0] = INT64_MAX - 3; /* and sums wrap around */
    for (size_t i = 1; i < COUNT; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        values[i] = (int64_t)((uint64_t)values[i - 1] + (state & mask) / (i % 128 == 1 ? 1 : 2) + 5);
        if (width == 64)
            values[i] = (int64_t)state;
    }
    b.len = b.bit = 0;
    put_delta(&b, values, COUNT, width);
    for (int is_int = 0; is_int < 2; is_int++) {
        page p;
        page_init(&p,
                  is_int ? layout_for(RWL_PARQUET_INT32, RWL_TYPE_INT, 0)
                         : layout_for(RWL_PARQUET_INT64, RWL_TYPE_LONG, 0),
                  false);
        for (size_t step = 1; step <= COUNT; step += step < 40 ? 1 : 131) {
            uint8_t got[COUNT * 8];
            ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, b.data, b.len), RWL_OK);
            for (size_t at = 0; at < COUNT; at += step) {
                size_t n = COUNT - at < step ? COUNT - at : step;
                if (at / step % 3 == 2) {
                    ck_assert_int_eq(rwl_parquet_values_skip(&p.values, (int64_t)n, &p.err), RWL_OK);
                    continue;
                }
                ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, got, n, &p.err), RWL_OK);
                for (size_t i = 0; i < n; i++) {
                    uint64_t want = is_int ? (uint32_t)values[at + i] : (uint64_t)values[at + i];
                    uint64_t v = is_int ? rwl_load_le32(got + i * 4) : rwl_load_le64(got + i * 8);
                    ck_assert_msg(v == want, "width %d step %zu value %zu", width, step, at + i);
                }
            }
        }
        page_free(&p);
    }
}
END_TEST

static const struct {
    const char *name;
    uint8_t bytes[24];
    size_t len;
} bad_deltas[] = {
    {"a header cut short", {0x80, 0x01, 0x04}, 3},
    {"blocks of no values", {0x00, 0x04, 0x05, 0x02, 0x02, 0, 0, 0, 0}, 9},
    {"blocks of 100 values", {0x64, 0x01, 0x05, 0x02, 0x02, 0}, 6},
    {"blocks in no parts", {0x80, 0x01, 0x00, 0x05, 0x02, 0x02, 0}, 7},
    {"parts of 16 values", {0x80, 0x01, 0x08, 0x05, 0x02, 0x02, 0, 0, 0, 0, 0, 0, 0, 0}, 14},
    {"parts that do not fill a block", {0x80, 0x01, 0x03, 0x05, 0x02, 0x02, 0, 0, 0}, 9},
    {"blocks of 2^40 values", {0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x01, 0x05, 0x02, 0x02, 0}, 11},
    {"more parts than bytes", {0x80, 0x80, 0x80, 0x80, 0x02, 0x80, 0x80, 0x80, 0x10, 0x05, 0x02, 0x02}, 12},
    {"deltas of 65 bits", {0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 65, 0, 0, 0}, 10},
    {"fewer values than asked for", {0x80, 0x01, 0x04, 0x04, 0x02, 0x02, 0, 0, 0, 0}, 10},
    {"no block", {0x80, 0x01, 0x04, 0x05, 0x02}, 5},
    {"no widths", {0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 0, 0}, 8},
    {"no deltas", {0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 7, 0, 0, 0}, 10},
    {"a varint of 11 bytes",
     {0x80, 0x01, 0x04, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
     14},
};

START_TEST(refuses_damaged_deltas) {
    page p;
    int64_t got[5];
    page_init(&p, layout_for(RWL_PARQUET_INT64, RWL_TYPE_LONG, 0), false);
    rwl_status st = page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, bad_deltas[_i].bytes, bad_deltas[_i].len);
    if (st == RWL_OK)
        st = rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 5, &p.err);
    ck_assert_msg(st == RWL_CORRUPT, "%s", bad_deltas[_i].name);
    page_free(&p);
}
END_TEST

/* BUG-167: a page of nulls only has a stream of no values, then one with values follows. */
START_TEST(bug_167_a_page_of_no_values) {
    static const uint8_t none[] = {0x80, 0x01, 0x04, 0x00, 0x00};
    static const uint8_t none_twice[] = {0x80, 0x01, 0x04, 0x00, 0x00, 0x80, 0x01, 0x04, 0x00, 0x00};
    page p;
    int64_t got[5];
    char text[16];
    size_t done;
    page_init(&p, layout_for(RWL_PARQUET_INT64, RWL_TYPE_LONG, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, none, sizeof none), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 0, &p.err), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_skip(&p.values, 0, &p.err), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 1, &p.err), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, example_1, sizeof example_1), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 5, &p.err), RWL_OK);
    ck_assert_int_eq(got[4], 5);
    page_free(&p);
    page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, none, sizeof none), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 0, 100, text, &done), RWL_OK);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, none_twice, sizeof none_twice), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 0, 100, text, &done), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 1, 100, text, &done), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* 32-bit sums wrap in 32 bits, whatever the width of the deltas: 2147483647 + 1 = -2147483648. */
START_TEST(sums_wrap_around) {
    static bytes b;
    static const int64_t values[] = {INT32_MAX, INT32_MIN, INT32_MAX, -1};
    int32_t got[4];
    b.len = b.bit = 0;
    put_delta(&b, values, 4, 34);
    page p;
    page_init(&p, layout_for(RWL_PARQUET_INT32, RWL_TYPE_INT, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, b.data, b.len), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 4, &p.err), RWL_OK);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(got[i], values[i]);
    /* the smallest delta is 1, of 2^31 - 1 to -2^31: as an encoder of 32 bits leaves it */
    static const uint8_t wrapping[] = {0x80, 0x01, 0x04, 0x02, 0xfe, 0xff, 0xff,
                                       0xff, 0x0f, 0x02, 0,    0,    0,    0};
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BINARY_PACKED, wrapping, sizeof wrapping), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_OK);
    ck_assert_int_eq(got[1], INT32_MIN);
    page_free(&p);
}
END_TEST

/* --- lengths and prefixes --- */

static void put_lengths(bytes *b, const int64_t *lengths, size_t count) {
    put_delta(b, lengths, count, 8);
    b->bit = 0;
}

/* Encodings.md: "Hello", "World", "Foobar", "ABCDEF" */
static void put_hello(bytes *b) {
    static const int64_t lengths[] = {5, 5, 6, 6};
    b->len = b->bit = 0;
    put_lengths(b, lengths, 4);
    put_data(b, "HelloWorldFoobarABCDEF", 22);
}

START_TEST(reads_the_specifications_lengths) {
    static bytes b;
    page p;
    char text[64];
    size_t done;
    put_hello(&b);
    page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 4, 1000, text, &done), RWL_OK);
    ck_assert_str_eq(text, "Hello|World|Foobar|ABCDEF|");
    ck_assert_int_eq(page_strings(&p, 1, 1000, text, &done), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_skip(&p.values, 2, &p.err), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 2, 1000, text, &done), RWL_OK);
    ck_assert_str_eq(text, "Foobar|ABCDEF|");
    /* the last value lacks a byte */
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, b.data, b.len - 1), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 4, 1000, text, &done), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

START_TEST(refuses_a_negative_length) {
    static const int64_t lengths[] = {3, -1, 3};
    static bytes b;
    page p;
    char text[64];
    size_t done;
    b.len = b.bit = 0;
    put_lengths(&b, lengths, 3);
    put_data(&b, "abcdef", 6);
    page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 3, 1000, text, &done), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_skip(&p.values, 3, &p.err), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* Encodings.md: "axis", "axle", "babble", "babyhood" share 0, 2, 0 and 3 bytes with the one before. */
static void put_axis(bytes *b) {
    static const int64_t prefixes[] = {0, 2, 0, 3}, suffixes[] = {4, 2, 6, 5};
    b->len = b->bit = 0;
    put_lengths(b, prefixes, 4);
    put_lengths(b, suffixes, 4);
    put_data(b, "axislebabbleyhood", 17);
}

static const char axis_text[] = "axis|axle|babble|babyhood|";

START_TEST(reads_the_specifications_prefixes) {
    static bytes b;
    page p;
    char text[64];
    size_t done;
    put_axis(&b);
    page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 4, 1000, text, &done), RWL_OK);
    ck_assert_str_eq(text, axis_text);
    for (size_t cut = 1; cut < 4; cut++) { /* in two pieces, read and skipped */
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
        ck_assert_int_eq(page_strings(&p, cut, 1000, text, &done), RWL_OK);
        ck_assert_int_eq(page_strings(&p, 4 - cut, 1000, text, &done), RWL_OK);
        ck_assert_str_eq(text, axis_text + (cut == 1 ? 5 : cut == 2 ? 10 : 17));
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
        ck_assert_int_eq(rwl_parquet_values_skip(&p.values, (int64_t)cut, &p.err), RWL_OK);
        ck_assert_int_eq(page_strings(&p, 4 - cut, 1000, text, &done), RWL_OK);
        ck_assert_str_eq(text, axis_text + (cut == 1 ? 5 : cut == 2 ? 10 : 17));
    }
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len - 1), RWL_OK);
    ck_assert_int_eq(page_strings(&p, 4, 1000, text, &done), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

START_TEST(refuses_a_prefix_longer_than_the_value_before) {
    static const int64_t prefixes[] = {0, 5}, first[] = {1, 0}, suffixes[] = {4, 2};
    static bytes b;
    page p;
    char text[64];
    size_t done;
    page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), false);
    for (int i = 0; i < 2; i++) {
        b.len = b.bit = 0;
        put_lengths(&b, i ? first : prefixes, 2);
        put_lengths(&b, suffixes, 2);
        put_data(&b, "abcdef", 6);
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
        ck_assert_int_eq(page_strings(&p, 2, 1000, text, &done), RWL_CORRUPT);
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
        ck_assert_int_eq(rwl_parquet_values_skip(&p.values, 2, &p.err), RWL_CORRUPT);
    }
    page_free(&p);
}
END_TEST

/* PARQUET-246: the second page's first value shares two bytes with the first page's last, "babyhood". */
START_TEST(parquet_246_a_prefix_of_the_page_before) {
    static const int64_t prefixes[] = {4, 1}, suffixes[] = {1, 2};
    static bytes b;
    page p;
    char text[64];
    size_t done;
    for (int carries = 0; carries < 2; carries++) {
        page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), carries);
        put_axis(&b);
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
        ck_assert_int_eq(page_strings(&p, 3, 1000, text, &done), RWL_OK);
        ck_assert_int_eq(rwl_parquet_values_skip(&p.values, 1, &p.err), RWL_OK);
        b.len = b.bit = 0;
        put_lengths(&b, prefixes, 2);
        put_lengths(&b, suffixes, 2);
        put_data(&b, "!it", 3);
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
        ck_assert_int_eq(page_strings(&p, 2, 1000, text, &done), carries ? RWL_OK : RWL_CORRUPT);
        if (carries)
            ck_assert_str_eq(text, "baby!|bit|");
        page_free(&p);
    }
}
END_TEST

START_TEST(knows_the_writers_of_parquet_246) {
    static const struct {
        const char *created_by;
        bool carries;
    } cases[] = {
        {"parquet-mr version 1.7.0 (build abcd)", true},
        {"parquet-mr version 1.6.0rc3 (build d4d5a07)", true},
        {"parquet-mr version 0.9", true},
        {"parquet-mr", true},
        {"parquet-mr version 1.8.0 (build 0fda28a)", false},
        {"parquet-mr version 1.10.1", false},
        {"parquet-mr version 1.75.0", false},
        {"parquet-mr version 2.0", false},
        {"parquet-cpp version 1.5.1", false},
        {"impala version 1.2", false},
        {"", false},
        {NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(rwl_parquet_values_carry(cases[i].created_by) == cases[i].carries, "%s",
                      cases[i].created_by);
}
END_TEST

/* What does not fit is left, and comes with the next call. */
START_TEST(stops_before_the_limit) {
    static bytes b;
    static const uint8_t plain[] = "\4\0\0\0axis\4\0\0\0axle\6\0\0\0babble\10\0\0\0babyhood";
    static const uint8_t indexes[] = {2, 0x03, 0xe4, 0x00}; /* 0, 1, 2, 3 of two bits, LSB first: 11100100 */
    static const int32_t encodings[] = {RWL_PARQUET_PLAIN, RWL_PARQUET_DELTA_BYTE_ARRAY,
                                        RWL_PARQUET_RLE_DICTIONARY, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY};
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        page p;
        char text[64];
        size_t done;
        page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING, 0), false);
        rwl_status st = RWL_OK;
        if (encodings[i] == RWL_PARQUET_PLAIN) {
            st = page_open(&p, encodings[i], plain, sizeof plain - 1);
        } else if (encodings[i] == RWL_PARQUET_DELTA_BYTE_ARRAY) {
            put_axis(&b);
            st = page_open(&p, encodings[i], b.data, b.len);
        } else if (encodings[i] == RWL_PARQUET_RLE_DICTIONARY) {
            ck_assert_int_eq(page_dictionary(&p, plain, sizeof plain - 1, 4), RWL_OK);
            st = page_open(&p, encodings[i], indexes, sizeof indexes);
        } else {
            static const int64_t lengths[] = {4, 4, 6, 8};
            b.len = b.bit = 0;
            put_lengths(&b, lengths, 4);
            put_data(&b, "axisaxlebabblebabyhood", 22);
            st = page_open(&p, encodings[i], b.data, b.len);
        }
        ck_assert_int_eq(st, RWL_OK);
        ck_assert_int_eq(page_strings(&p, 4, 13, text, &done), RWL_OK);
        ck_assert_uint_eq(done, 2);
        ck_assert_str_eq(text, "axis|axle|");
        ck_assert_int_eq(page_strings(&p, 2, 13, text, &done), RWL_OK);
        ck_assert_uint_eq(done, 0);
        ck_assert_int_eq(page_strings(&p, 2, 14, text, &done), RWL_OK);
        ck_assert_uint_eq(done, 1);
        ck_assert_str_eq(text, "babble|");
        p.column.bytes_len = 0; /* a new batch */
        ck_assert_int_eq(page_strings(&p, 1, 8, text, &done), RWL_OK);
        ck_assert_str_eq(text, "babyhood|");
        page_free(&p);
    }
}
END_TEST

/* A decimal(9,2) of -1.00 is ff 9c, of 2.56 is 01 00; in lengths of their own, or three bytes each. */
START_TEST(reads_decimals_in_delta_encodings) {
    static const int64_t lengths[] = {2, 3}, prefixes[] = {0, 2}, suffixes[] = {3, 1}, short_one[] = {2, 1};
    static bytes b;
    page p;
    int64_t got[4];
    page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_DECIMAL, 0), false);
    b.len = b.bit = 0;
    put_lengths(&b, lengths, 2);
    put_data(&b, "\xff\x9c\x00\x01\x00", 5);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_OK);
    ck_assert(got[0] == -100 && got[1] == -1 && got[2] == 256 && got[3] == 0);
    page_free(&p);
    page_init(&p, layout_for(RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL, 3), false);
    b.len = b.bit = 0;
    put_lengths(&b, prefixes, 2);
    put_lengths(&b, suffixes, 2);
    put_data(&b, "\xff\xff\x9c\xfe", 4);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_OK);
    ck_assert(got[0] == -100 && got[1] == -1 && got[2] == -2 && got[3] == -1);
    b.len = b.bit = 0; /* the first value has two bytes, not three */
    put_lengths(&b, prefixes, 2);
    put_lengths(&b, short_one, 2);
    put_data(&b, "\xff\x9c\xfe", 3);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_DELTA_BYTE_ARRAY, b.data, b.len), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* Each value by itself: two halves of a character, one in each value, are none. */
START_TEST(refuses_text_that_is_not_utf_8) {
    static const struct {
        const char *name;
        uint8_t plain[48];
        size_t len;
        rwl_status want;
    } cases[] = {
        {"two-byte characters", "\4\0\0\0\xc3\xa4\xc3\xb6\0\0\0\0\1\0\0\0a", 17, RWL_OK},
        {"a lone byte", "\1\0\0\0\xff\0\0\0\0\1\0\0\0a", 14, RWL_CORRUPT},
        {"a character across values", "\2\0\0\0a\xc3\0\0\0\0\2\0\0\0\xa4z", 16, RWL_CORRUPT},
        {"a character cut at the end", "\1\0\0\0a\1\0\0\0b\2\0\0\0z\xc3", 16, RWL_CORRUPT},
        {"a surrogate", "\3\0\0\0\xed\xa0\x80\0\0\0\0\0\0\0\0", 15, RWL_CORRUPT},
        {"an overlong slash", "\2\0\0\0\xc0\xaf\0\0\0\0\0\0\0\0", 14, RWL_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int is_text = 0; is_text < 2; is_text++) {
            page p;
            char text[64];
            size_t done;
            rwl_status want = is_text ? cases[i].want : RWL_OK;
            page_init(&p, layout_for(RWL_PARQUET_BYTE_ARRAY, is_text ? RWL_TYPE_STRING : RWL_TYPE_BINARY, 0),
                      false);
            ck_assert_int_eq(page_open(&p, RWL_PARQUET_PLAIN, cases[i].plain, cases[i].len), RWL_OK);
            ck_assert_msg(page_strings(&p, 3, 1000, text, &done) == want, "%s", cases[i].name);
            ck_assert_msg(page_dictionary(&p, cases[i].plain, cases[i].len, 3) == want, "%s", cases[i].name);
            page_free(&p);
        }
    }
}
END_TEST

Suite *values_delta_suite(void) {
    Suite *s = suite_create("values_delta");
    TCase *t = tcase_create("binary packed");
    tcase_add_test(t, reads_the_specifications_deltas);
    tcase_add_test(t, reads_a_last_miniblock_cut_after_its_values);
    tcase_add_loop_test(t, reads_every_width_in_pieces, 0, 65);
    tcase_add_loop_test(t, refuses_damaged_deltas, 0, (int)(sizeof bad_deltas / sizeof bad_deltas[0]));
    tcase_add_test(t, bug_167_a_page_of_no_values);
    tcase_add_test(t, sums_wrap_around);
    suite_add_tcase(s, t);
    t = tcase_create("bytes");
    tcase_add_test(t, reads_the_specifications_lengths);
    tcase_add_test(t, refuses_a_negative_length);
    tcase_add_test(t, reads_the_specifications_prefixes);
    tcase_add_test(t, refuses_a_prefix_longer_than_the_value_before);
    tcase_add_test(t, parquet_246_a_prefix_of_the_page_before);
    tcase_add_test(t, knows_the_writers_of_parquet_246);
    tcase_add_test(t, stops_before_the_limit);
    tcase_add_test(t, reads_decimals_in_delta_encodings);
    tcase_add_test(t, refuses_text_that_is_not_utf_8);
    suite_add_tcase(s, t);
    return s;
}
