/* SPDX-License-Identifier: Apache-2.0 */
/* BYTE_STREAM_SPLIT, indexes, booleans, levels, spreading over nulls, and conversions. */
#include "suites.h"
#include "values_support.h"

#include "parquet/spread.h"

/* Encodings.md: the values AABBCCDD, 00112233, A3B4C5D6 (their bytes in order). */
START_TEST(joins_the_specifications_streams) {
    static const uint8_t split[] = {0xaa, 0x00, 0xa3, 0xbb, 0x11, 0xb4, 0xcc, 0x22, 0xc5, 0xdd, 0x33, 0xd6};
    static const uint8_t want[] = {0xaa, 0xbb, 0xcc, 0xdd, 0x00, 0x11, 0x22, 0x33, 0xa3, 0xb4, 0xc5, 0xd6};
    uint8_t got[12];
    page p;
    page_init(&p, layout_for(RWL_PARQUET_FLOAT, RWL_TYPE_FLOAT, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_BYTE_STREAM_SPLIT, split, sizeof split), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, got, 3, &p.err), RWL_OK);
    ck_assert_mem_eq(got, want, sizeof want);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, got, 1, &p.err), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_BYTE_STREAM_SPLIT, split, 11), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_BYTE_STREAM_SPLIT, split, sizeof split), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_skip(&p.values, 4, &p.err), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* Byte k of value i is i * 7 + k * 31; every width, from every start, with and without whole steps of 16. */
START_TEST(joins_streams_of_every_width) {
    enum { COUNT = 61 };
    static const rwl_parquet_physical of[] = {[4] = RWL_PARQUET_INT32, [8] = RWL_PARQUET_DOUBLE};
    size_t width = (size_t)_i;
    uint8_t split[COUNT * 24], got[COUNT * 24];
    page p;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < width; k++)
            split[k * COUNT + i] = (uint8_t)(i * 7 + k * 31);
    bool typed = width == 4 || width == 8;
    page_init(&p,
              typed ? layout_for(of[width], width == 4 ? RWL_TYPE_INT : RWL_TYPE_DOUBLE, 0)
                    : layout_for(RWL_PARQUET_FIXED, RWL_TYPE_FIXED, (int32_t)width),
              false);
    for (size_t start = 0; start < 20; start++) {
        ck_assert_int_eq(page_open(&p, RWL_PARQUET_BYTE_STREAM_SPLIT, split, COUNT * width), RWL_OK);
        ck_assert_int_eq(rwl_parquet_values_skip(&p.values, (int64_t)start, &p.err), RWL_OK);
        ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, got, COUNT - start, &p.err), RWL_OK);
        for (size_t i = start; i < COUNT; i++)
            for (size_t k = 0; k < width; k++)
                ck_assert_uint_eq(got[(i - start) * width + k], (uint8_t)(i * 7 + k * 31));
    }
    page_free(&p);
}
END_TEST

/* decimal(5,2) in three bytes: 1.00 is 00 00 64, -1.00 is ff ff 9c. */
START_TEST(joins_and_converts_decimals) {
    static const uint8_t split[] = {0x00, 0xff, 0x00, 0xff, 0x64, 0x9c};
    int64_t got[4];
    page p;
    page_init(&p, layout_for(RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL, 3), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_BYTE_STREAM_SPLIT, split, sizeof split), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_OK);
    ck_assert(got[0] == 100 && got[1] == 0 && got[2] == -100 && got[3] == -1);
    page_free(&p);
}
END_TEST

/* BUG-168: 99999999999999999999.0000000001 of decimal(38,10), unscaled 10^30 - 10^10 + 1, and its negative: 16 bytes, the
 * fewest for 38 digits, and 13, the fewest for its own 30. */
START_TEST(bug_168_decimals_beyond_18_digits_are_exact) {
    static const uint8_t wide[2][16] = {
        {0x00, 0x00, 0x00, 0x0c, 0x9f, 0x2c, 0x9c, 0xd0, 0x46, 0x74, 0xed, 0xe7, 0xeb, 0xf4, 0x1c, 0x01},
        {0xff, 0xff, 0xff, 0xf3, 0x60, 0xd3, 0x63, 0x2f, 0xb9, 0x8b, 0x12, 0x18, 0x14, 0x0b, 0xe3, 0xff}};
    static const uint8_t narrow[2][13] = {
        {0x0c, 0x9f, 0x2c, 0x9c, 0xd0, 0x46, 0x74, 0xed, 0xe7, 0xeb, 0xf4, 0x1c, 0x01},
        {0xf3, 0x60, 0xd3, 0x63, 0x2f, 0xb9, 0x8b, 0x12, 0x18, 0x14, 0x0b, 0xe3, 0xff}};
    rwl_i128 e10 = INT64_C(10000000000), want = e10 * e10 * e10 - e10 + 1;
    for (int i = 0; i < 2; i++) {
        uint8_t src[16 + RWL_PARQUET_READ_SLACK] = {0};
        rwl_i128 got;
        rwl_parquet_layout layout = layout_for(RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL, 16);
        memcpy(src, wide[i], sizeof wide[i]);
        ck_assert_int_eq(rwl_parquet_convert_fixed(&layout, src, (uint8_t *)&got, 1, NULL), RWL_OK);
        ck_assert(got == (i == 0 ? want : -want));
        layout = layout_for(RWL_PARQUET_FIXED, RWL_TYPE_DECIMAL, 13);
        memcpy(src, narrow[i], sizeof narrow[i]);
        ck_assert_int_eq(rwl_parquet_convert_fixed(&layout, src, (uint8_t *)&got, 1, NULL), RWL_OK);
        ck_assert(got == (i == 0 ? want : -want));
    }
}
END_TEST

START_TEST(supports_what_the_specification_allows) {
    static const char table[][10] = {
        /* BOOLEAN INT32 INT64 INT96 FLOAT DOUBLE BYTE_ARRAY FIXED */
        [RWL_PARQUET_PLAIN] = "yyyyyyyy",
        [1] = "........",
        [RWL_PARQUET_PLAIN_DICTIONARY] = ".yyyyyyy",
        [RWL_PARQUET_RLE] = "y.......",
        [RWL_PARQUET_BIT_PACKED] = "........",
        [RWL_PARQUET_DELTA_BINARY_PACKED] = ".yy.....",
        [RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY] = "......y.",
        [RWL_PARQUET_DELTA_BYTE_ARRAY] = "......yy",
        [RWL_PARQUET_RLE_DICTIONARY] = ".yyyyyyy",
        [RWL_PARQUET_BYTE_STREAM_SPLIT] = ".yy.yy.y",
    };
    for (int32_t encoding = -1; encoding < 12; encoding++) {
        for (int type = RWL_PARQUET_BOOLEAN; type <= RWL_PARQUET_FIXED; type++) {
            rwl_parquet_layout layout = layout_for((rwl_parquet_physical)type, RWL_TYPE_BINARY, 4);
            bool want = encoding >= 0 && encoding < 10 && table[encoding][type] == 'y';
            ck_assert_msg(rwl_parquet_values_supported(&layout, encoding) == want, "%d %d", encoding, type);
        }
    }
}
END_TEST

/* --- indexes --- */

/* INT96 and fixed values in a dictionary; indexes 1, 0 in one bit: a packed run of 8 with bits 01. */
START_TEST(reads_dictionaries_of_wide_values) {
    static const uint8_t plain[24] = {0,    0, 0, 0, 0, 0, 0, 0, 0x8c, 0x3d, 0x25, 0,
                                      0xe8, 3, 0, 0, 0, 0, 0, 0, 0x8d, 0x3d, 0x25};
    static const uint8_t indexes[] = {1, 0x03, 0x01};
    int64_t micros[2];
    uint8_t fixed[24];
    page p;
    /* Julian day 2440588 is 1970-01-01; 1000 ns of the day after are 86400000001 microseconds */
    page_init(&p, layout_for(RWL_PARQUET_INT96, RWL_TYPE_TIMESTAMPTZ, 0), false);
    ck_assert_int_eq(page_dictionary(&p, plain, sizeof plain, 2), RWL_OK);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_PLAIN_DICTIONARY, indexes, sizeof indexes), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)micros, 2, &p.err), RWL_OK);
    ck_assert(micros[0] == INT64_C(86400000001) && micros[1] == 0);
    page_free(&p);
    page_init(&p, layout_for(RWL_PARQUET_FIXED, RWL_TYPE_FIXED, 12), false);
    ck_assert_int_eq(page_dictionary(&p, plain, sizeof plain, 2), RWL_OK);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE_DICTIONARY, indexes, sizeof indexes), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, fixed, 2, &p.err), RWL_OK);
    ck_assert_mem_eq(fixed, plain + 12, 12);
    ck_assert_mem_eq(fixed + 12, plain, 12);
    page_free(&p);
}
END_TEST

START_TEST(refuses_damaged_indexes) {
    static const uint8_t plain[8] = {1, 0, 0, 0, 2, 0, 0, 0}, wide[] = {33, 0x03, 0x01},
                         past[] = {2, 0x04, 0x02}, none[] = {0, 0};
    int32_t got[2];
    page p;
    page_init(&p, layout_for(RWL_PARQUET_INT32, RWL_TYPE_INT, 0), false);
    ck_assert_int_eq(page_dictionary(&p, plain, 7, 2), RWL_CORRUPT);
    ck_assert_int_eq(page_dictionary(&p, plain, 8, 2), RWL_OK);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE_DICTIONARY, wide, sizeof wide), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE_DICTIONARY, past, sizeof past), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_CORRUPT);
    /* a width and nothing behind it: a page of nulls; of width 0: endless zeros */
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE_DICTIONARY, past, 1), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 0, &p.err), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 1, &p.err), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE_DICTIONARY, none, 1), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_fixed(&p.values, (uint8_t *)got, 2, &p.err), RWL_OK);
    ck_assert(got[0] == 1 && got[1] == 1);
    page_free(&p);
    page_init(&p, layout_for(RWL_PARQUET_BOOLEAN, RWL_TYPE_BOOLEAN, 0), false);
    ck_assert_int_eq(page_dictionary(&p, plain, 1, 2), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* --- booleans and levels --- */

/* RLE of booleans has its length in front: four ones, then a packed run of 10100101. */
START_TEST(reads_booleans_as_runs) {
    static const uint8_t runs[] = {4, 0, 0, 0, 0x08, 0x01, 0x03, 0xa5};
    uint8_t got[2] = {0};
    page p;
    page_init(&p, layout_for(RWL_PARQUET_BOOLEAN, RWL_TYPE_BOOLEAN, 0), false);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE, runs, sizeof runs), RWL_OK);
    ck_assert_int_eq(rwl_parquet_values_bits(&p.values, got, 0, 12, &p.err), RWL_OK);
    ck_assert_uint_eq(got[0], 0x5f);
    ck_assert_uint_eq(got[1], 0x0a);
    ck_assert_int_eq(rwl_parquet_values_bits(&p.values, got, 0, 1, &p.err), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE, runs, 7), RWL_CORRUPT);
    ck_assert_int_eq(page_open(&p, RWL_PARQUET_RLE, runs, 3), RWL_CORRUPT);
    page_free(&p);
}
END_TEST

/* Encodings.md, BIT_PACKED: 0 to 7 in three bits, most significant first, are 00000101 00111001 01110111. */
START_TEST(reads_bit_packed_levels) {
    static const uint8_t packed[] = {0x05, 0x39, 0x77};
    uint8_t room[3 + RWL_RLE_SLACK];
    uint32_t got[8];
    rwl_rle rle;
    ck_assert_uint_eq(rwl_rle_bit_packed_bytes(3, 8), 3);
    ck_assert_uint_eq(rwl_rle_bit_packed_bytes(3, 5), 2);
    ck_assert_int_eq(rwl_rle_init_bit_packed(&rle, rwl_span_of(packed, 3), 3, 8, room, NULL), RWL_OK);
    ck_assert_int_eq(rwl_rle_read(&rle, got, 8, NULL), RWL_OK);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_uint_eq(got[i], i);
    ck_assert_int_eq(rwl_rle_read(&rle, got, 1, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_rle_init_bit_packed(&rle, rwl_span_of(packed, 2), 3, 8, room, NULL), RWL_CORRUPT);
    ck_assert_int_eq(rwl_rle_init_bit_packed(&rle, rwl_span_of(packed, 0), 0, 8, room, NULL), RWL_OK);
    ck_assert_int_eq(rwl_rle_read(&rle, got, 8, NULL), RWL_OK);
    ck_assert_uint_eq(got[7], 0);
}
END_TEST

/* Runs of both kinds and all lengths, as words, against the same read value by value. */
START_TEST(reads_levels_as_words) {
    static bytes b;
    uint64_t state = 1234567u + (uint64_t)_i;
    size_t count = 0;
    b.len = b.bit = 0;
    while (count < 3000) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t n = (size_t)(state >> 40) % (_i % 2 ? 9 : 300);
        if (state >> 63) {
            put_varint(&b, (n << 1) | 1);
            for (size_t i = 0; i < n; i++)
                b.data[b.len++] = (uint8_t)((state >> 8) * (i + 3) >> 5);
            count += n * 8;
        } else {
            put_varint(&b, n << 1);
            b.data[b.len++] = (uint8_t)(state >> 62 & 1);
            count += n;
        }
    }
    static uint32_t want[1 << 16];
    uint64_t got[1000];
    rwl_rle rle;
    memset(b.data + b.len, 0xff, RWL_RLE_SLACK);
    rwl_rle_init(&rle, rwl_span_of(b.data, b.len), 1);
    ck_assert_int_eq(rwl_rle_read(&rle, want, count, NULL), RWL_OK);
    for (size_t step = 1; step < 1500; step = step * 2 + 1) {
        rwl_rle_init(&rle, rwl_span_of(b.data, b.len), 1);
        for (size_t at = 0; at < count; at += step) {
            size_t n = count - at < step ? count - at : step;
            ck_assert_int_eq(rwl_rle_read_bits(&rle, got, n, NULL), RWL_OK);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg((got[i / 64] >> (i % 64) & 1) == want[at + i], "step %zu level %zu", step,
                              at + i);
            ck_assert(n % 64 == 0 || got[n / 64] >> (n % 64) == 0);
        }
        ck_assert_int_eq(rwl_rle_read_bits(&rle, got, 1, NULL), RWL_CORRUPT);
    }
}
END_TEST

START_TEST(refuses_levels_above_one) {
    static const uint8_t two[4 + RWL_RLE_SLACK] = {0x04, 0x01, 0x04, 0x02};
    uint64_t got[2];
    rwl_rle rle;
    rwl_rle_init(&rle, rwl_span_of(two, 4), 1);
    ck_assert_int_eq(rwl_rle_read_bits(&rle, got, 4, NULL), RWL_CORRUPT);
}
END_TEST

/* --- spreading --- */

START_TEST(spreads_values_over_nulls) {
    enum { ROWS = 200 };
    static const size_t widths[] = {4, 8, 16};
    uint64_t bits[ROWS / 64 + 1], state = 42;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bits[i] = _i == 0 ? UINT64_MAX : _i == 1 ? 0 : state | (_i == 2 ? state << 1 | state >> 1 : 0);
    }
    uint8_t src[ROWS * 16 + RWL_SPREAD_SLACK], dst[ROWS * 16 + 1];
    for (size_t i = 0; i < sizeof src; i++)
        src[i] = (uint8_t)(i * 37 + 1);
    for (size_t w = 0; w < 3; w++) {
        for (size_t rows = 0; rows <= ROWS; rows += 1 + rows / 7) {
            size_t width = widths[w], taken = 0;
            dst[rows * width] = 0x77; /* and nothing behind is written */
            rwl_spread(bits, rows, width, src, dst);
            for (size_t i = 0; i < rows; i++) {
                static const uint8_t zero[16];
                bool is_set = bits[i / 64] >> (i % 64) & 1;
                ck_assert_mem_eq(dst + i * width, is_set ? src + taken * width : zero, width);
                taken += is_set;
            }
            ck_assert_uint_eq(dst[rows * width], 0x77);
        }
    }
    uint64_t out[ROWS / 64 + 1];
    size_t taken = 0;
    rwl_spread_bits(bits, ROWS, src, out);
    for (size_t i = 0; i < ROWS; i++) {
        bool is_set = bits[i / 64] >> (i % 64) & 1;
        ck_assert_uint_eq(out[i / 64] >> (i % 64) & 1,
                          is_set ? (uint8_t)(src[taken / 8] >> (taken % 8)) & 1u : 0u);
        taken += is_set;
    }
}
END_TEST

/* --- conversions --- */

/* BUG-162: microseconds from days since 1970 by the proleptic calendar, nanoseconds floored. */
START_TEST(bug_162_int96_of_all_years) {
    static const struct {
        int64_t nanos;
        int32_t day; /* since 1970 */
        int64_t want;
    } cases[] = {
        /* 3332-12-14 is day 497813; 11:33:10.965 */
        {INT64_C(41590965000000), 497813, INT64_C(497813) * 86400000000 + INT64_C(41590965000)},
        /* 9999-12-31 is day 2932896; 02:00 */
        {INT64_C(7200000000000), 2932896, INT64_C(2932896) * 86400000000 + INT64_C(7200000000)},
        {0, -719162, INT64_C(-719162) * 86400000000}, /* 0001-01-01 */
        {INT64_C(86399999999000), -1, -1},            /* 1969-12-31T23:59:59.999999 */
        {INT64_C(86399999999999), -1, -1},            /* finer is cut, downwards */
        {-1, 0, -1},                                  /* a negative time of day, too */
        {999, 0, 0},
        /* parquet-testing, int96_from_spark: year 290000 as Spark stores it, the count wrapped */
        {(int64_t)0xffffe26ec7b96000, (int32_t)0xf9b0aba8 - 2440588, INT64_C(9089380393200000000)},
    };
    rwl_parquet_layout layout = layout_for(RWL_PARQUET_INT96, RWL_TYPE_TIMESTAMPTZ, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t src[12 + RWL_PARQUET_READ_SLACK] = {0};
        int64_t got;
        rwl_store_le64(src, (uint64_t)cases[i].nanos);
        rwl_store_le32(src + 8, (uint32_t)(cases[i].day + 2440588));
        ck_assert_int_eq(rwl_parquet_convert_fixed(&layout, src, (uint8_t *)&got, 1, NULL), RWL_OK);
        ck_assert_int_eq(got, cases[i].want);
    }
}
END_TEST

/* IEEE 754: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
START_TEST(converts_float16) {
    static const struct {
        uint16_t half;
        float want;
    } cases[] = {{0x3c00, 1.0f},
                 {0xc000, -2.0f},
                 {0x7bff, 65504.0f},
                 {0x0400, 0x1p-14f},
                 {0x0001, 0x1p-24f},
                 {0x83ff, -0x1.ff8p-15f},
                 {0x0000, 0.0f},
                 {0x3555, 0x1.554p-2f},
                 {0x7c00, __builtin_inff()},
                 {0xfc00, -__builtin_inff()}};
    rwl_parquet_layout layout = layout_for(RWL_PARQUET_FIXED, RWL_TYPE_FLOAT, 2);
    ck_assert_uint_eq(layout.stored_width, 2);
    ck_assert_uint_eq(layout.width, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t src[2 + RWL_PARQUET_READ_SLACK] = {(uint8_t)cases[i].half, (uint8_t)(cases[i].half >> 8)};
        float got;
        ck_assert_int_eq(rwl_parquet_convert_fixed(&layout, src, (uint8_t *)&got, 1, NULL), RWL_OK);
        ck_assert_mem_eq(&got, &cases[i].want, 4);
    }
    uint8_t nan[2 + RWL_PARQUET_READ_SLACK] = {0x01, 0xfe}, zero[2 + RWL_PARQUET_READ_SLACK] = {0, 0x80};
    float got;
    ck_assert_int_eq(rwl_parquet_convert_fixed(&layout, nan, (uint8_t *)&got, 1, NULL), RWL_OK);
    ck_assert(got != got && __builtin_signbit(got)); /* and its payload: 0x201 << 13 */
    ck_assert_int_eq(rwl_parquet_convert_fixed(&layout, zero, (uint8_t *)&got, 1, NULL), RWL_OK);
    ck_assert(got == 0 && __builtin_signbit(got));
}
END_TEST

static rwl_parquet_layout layout_int64(bool is_unsigned, bool millis, rwl_type_kind kind) {
    rwl_parquet_leaf leaf = {.physical = RWL_PARQUET_INT64, .is_unsigned = is_unsigned, .millis = millis};
    leaf.field.type = rwl_type_of(kind);
    return rwl_parquet_layout_of(&leaf);
}

static rwl_status convert_int64(rwl_parquet_layout layout, int64_t v, int64_t got[2]) {
    uint8_t src[8 + RWL_PARQUET_READ_SLACK] = {0};
    memcpy(src, &v, 8);
    return rwl_parquet_convert_fixed(&layout, src, (uint8_t *)got, 1, NULL);
}

START_TEST(converts_integers_of_other_units) {
    int64_t got[2];
    rwl_parquet_layout big = layout_int64(true, false, RWL_TYPE_DECIMAL);
    ck_assert_int_eq(convert_int64(big, -1, got), RWL_OK); /* 18446744073709551615 */
    ck_assert(got[0] == -1 && got[1] == 0);
    rwl_parquet_layout millis = layout_int64(false, true, RWL_TYPE_TIMESTAMP);
    ck_assert_int_eq(convert_int64(millis, -1, got), RWL_OK);
    ck_assert_int_eq(got[0], -1000);
    ck_assert_int_eq(convert_int64(millis, INT64_MAX / 1000 + 1, got), RWL_CORRUPT);
    rwl_parquet_layout wide = layout_for(RWL_PARQUET_INT32, RWL_TYPE_LONG, 0); /* INT(32, unsigned) */
    ck_assert_int_eq(convert_int64(wide, UINT32_MAX, got), RWL_OK);
    ck_assert_int_eq(got[0], UINT32_MAX);
}
END_TEST

/* As they are stored, for who copies them. */
START_TEST(knows_the_physical_layout) {
    rwl_parquet_leaf leaf = {.physical = RWL_PARQUET_INT96};
    rwl_parquet_layout l = rwl_parquet_layout_physical(&leaf);
    ck_assert(l.convert == RWL_PARQUET_TO_SAME && l.width == 12 && l.stored_width == 12);
    leaf = (rwl_parquet_leaf){.physical = RWL_PARQUET_BYTE_ARRAY};
    leaf.field.type = rwl_type_of(RWL_TYPE_STRING);
    l = rwl_parquet_layout_physical(&leaf);
    ck_assert(l.convert == RWL_PARQUET_TO_BYTES && l.width == 0 && !l.is_text);
}
END_TEST

Suite *values_fixed_suite(void) {
    Suite *s = suite_create("values_fixed");
    TCase *t = tcase_create("encodings");
    tcase_add_test(t, joins_the_specifications_streams);
    tcase_add_loop_test(t, joins_streams_of_every_width, 1, 24);
    tcase_add_test(t, joins_and_converts_decimals);
    tcase_add_test(t, bug_168_decimals_beyond_18_digits_are_exact);
    tcase_add_test(t, supports_what_the_specification_allows);
    tcase_add_test(t, reads_dictionaries_of_wide_values);
    tcase_add_test(t, refuses_damaged_indexes);
    tcase_add_test(t, reads_booleans_as_runs);
    tcase_add_test(t, reads_bit_packed_levels);
    tcase_add_loop_test(t, reads_levels_as_words, 0, 8);
    tcase_add_test(t, refuses_levels_above_one);
    tcase_add_loop_test(t, spreads_values_over_nulls, 0, 4);
    suite_add_tcase(s, t);
    t = tcase_create("conversions");
    tcase_add_test(t, bug_162_int96_of_all_years);
    tcase_add_test(t, converts_float16);
    tcase_add_test(t, converts_integers_of_other_units);
    tcase_add_test(t, knows_the_physical_layout);
    suite_add_tcase(s, t);
    return s;
}
