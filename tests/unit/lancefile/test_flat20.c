/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of fixed width of file version 2.0 that are not just side by side: packed, compressed, the same each time; texts of one
 * length, or as lists of bytes; maps. Small pages are made by hand; those of every width by packing bit after bit, as the formats say it.
 */
#include "array_text.h"
#include "field20_test.h"
#include "suites.h"

#include <stdio.h>

/* A zstd frame of one raw block (that its size ends a file of one segment is 0x20), and of one block of the same byte. */
#define ZSTD_RAW(n, ...) 0x28, 0xb5, 0x2f, 0xfd, 0x20, n, (n) << 3 | 1, 0, 0, __VA_ARGS__
#define ZSTD_RUN(n, x)   0x28, 0xb5, 0x2f, 0xfd, 0x20, n, ((n) << 3 | 3) & 0xff, (n) >> 5, 0, x

static const spec20_file FILES[] = {
    /* 5 2 7 0 1 as 101 010 111 000 001 from the lowest bit: 11 010 101, 0 001 000 1; then two of the next page */
    {"int32 in 3 bits each, 7 with nulls in 8",
     {FIELD("x", 0, -1, "int32")},
     1,
     {{{{5, "no_nulls(bitpacked3of32@0)", {BYTES(0xd5, 0x11)}, 1},
        /* 1 0 1: 0x05; 100 0 64: 1100100 0000000 1000000 is 0x64, 0x00, 0x10 */
        {3, "some_nulls(flat1@0, bitpacked7of32@1)", {BYTES(0x05), BYTES(0x64, 0x00, 0x10)}, 2}},
       2,
       {NULL, 0}}},
     1,
     8,
     {"5", "2", "7", "0", "1", "100", "null", "64"}},
    /* -7 7 -1 0 are 9 7 f 0 in four bits; of 12 bits: -2048 0x800, 2047 0x7ff, -2 0xffe */
    {"int16 with a sign in 4 bits, 12 bits, and all of them",
     {FIELD("x", 0, -1, "int16")},
     1,
     {{{{4, "no_nulls(bitpacked4of16s@0)", {BYTES(0x79, 0x0f)}, 1},
        {3, "bitpacked12of16s@0", {BYTES(0x00, 0xf8, 0x7f, 0xfe, 0x0f)}, 1},
        {2, "no_nulls(bitpacked16of16s@0)", {WORDS(int16_t, -32768, 32767)}, 1}},
       3,
       {NULL, 0}}},
     1,
     9,
     {"-7", "7", "-1", "0", "-2048", "2047", "-2", "-32768", "32767"}},
    {"without a sign the highest bit is a value's",
     {FIELD("x", 0, -1, "int8")},
     1,
     {{{{2, "bitpacked7of8@0", {BYTES(0xff, 0x3f)}, 1}, {2, "bitpacked8of8@0", {BYTES(0x80, 0x7f)}, 1}},
       2,
       {NULL, 0}}},
     1,
     4,
     {"127", "127", "-128", "127"}},
    /* 2^61 - 1 and 1, 61 bits each: the second from bit 61 on */
    {"uint64 in 61 bits, a value over nine bytes",
     {FIELD("x", 0, -1, "uint64")},
     1,
     {{{{3,
         "bitpacked61of64@0",
         {BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xfc, 0xff, 0xff, 0xff,
                0xff, 0xff, 0xff, 0x7f)},
         1}},
       1,
       {NULL, 0}}},
     1,
     3,
     {"2305843009213693951", "1", "2305843009213693951"}},
    /* rows of 2, 4 bits: 1 2, 3 4, 5 6 */
    {"vectors with null elements over packed values",
     {FIELD("x", 0, -1, "fixed_size_list:uint16:2")},
     1,
     {{{{3,
         "no_nulls(fsl2(some_nulls(flat1@0, bitpacked4of16@1)))",
         {BYTES(0x3d), BYTES(0x21, 0x43, 0x65)},
         2}},
       1,
       {NULL, 0}}},
     1,
     3,
     {"[1, null]", "[3, 4]", "[5, 6]"}},
    /* ends 2, null (2 + 4), 2, 3 in 3 bits: 010 110 010 011 is 10 110 010, 0110 */
    {"lists whose ends are packed",
     {FIELD("x", 0, -1, "list"), FIELD("item", 1, 0, "int32")},
     2,
     {{{{4, "list3/4(no_nulls(bitpacked3of64@0))", {BYTES(0xb2, 0x06)}, 1}}, 1, {NULL, 0}},
      {{{3, "no_nulls(bitpacked5of32@0)", {BYTES(0x41, 0x0c)}, 1}}, 1, {NULL, 0}}}, /* 1 2 3 */
     2,
     4,
     {"[1, 2]", "null", "[]", "[3]"}},
    /* ends 1, null (1 + 4), 3, 3 in 3 bits: 001 101 011 011 is 11 101 001, 0110; "abc" in 7 bits: 1100001 1100010 1100011 */
    {"texts whose ends and bytes are packed",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{4,
         "binary4(no_nulls(bitpacked3of64@0), no_nulls(bitpacked7of8@1))",
         {BYTES(0xe9, 0x06), BYTES(0x61, 0xf1, 0x18)},
         2},
        {1, "binary2(bitpacked1of64@0, bitpacked7of8@1)", {BYTES(0x01), BYTES(0x7a)}, 2}},
       2,
       {NULL, 0}}},
     1,
     5,
     {"\"a\"", "null", "\"bc\"", "\"\"", "\"z\""}},
    /* places 1 0 2 1 in 2 bits: 0x61; ends 1 3 in 2 bits: 0x0d */
    {"a dictionary of packed indices, ends and bytes",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{4,
         "dictionary2(no_nulls(bitpacked2of8@0), binary4(no_nulls(bitpacked2of64@1), "
         "no_nulls(bitpacked7of8@2)))",
         {BYTES(0x61), BYTES(0x0d), BYTES(0x61, 0xf1, 0x18)},
         3},
        {2, "dictionary1(constant:0000, fixed_binary2(flat8@0))", {TEXT("hi")}, 1}},
       2,
       {NULL, 0}}},
     1,
     6,
     {"\"a\"", "null", "\"bc\"", "\"a\"", "null", "null"}},
    {"int32 compressed: zstd with a length and without, LZ4",
     {FIELD("x", 0, -1, "int32")},
     1,
     {{{{3,
         "no_nulls(flat32+zstd@0)",
         {BYTES(12, 0, 0, 0, 0, 0, 0, 0, ZSTD_RAW(12, 1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0))},
         1},
        {4, "some_nulls(flat1@0, flat32+zstd@1)", {BYTES(0x0b), BYTES(ZSTD_RUN(16, 1))}, 2},
        {1, "no_nulls(flat32+lz4@0)", {BYTES(4, 0, 0, 0, 0x40, 9, 0, 0, 0)}, 1}},
       3,
       {NULL, 0}}},
     1,
     8,
     {"1", "-2", "3", "16843009", "16843009", "null", "16843009", "9"}},
    /* as pylance 0.14.1 writes them with LANCE_PAGE_COMPRESSION=zstd: the message says so, the buffer is not */
    {"booleans that are called compressed",
     {FIELD("x", 0, -1, "bool")},
     1,
     {{{{10, "some_nulls(flat1+zstd@0, flat1+zstd@1)", {BYTES(0xfe, 0x03), BYTES(0x55, 0x01)}, 2}},
       1,
       {NULL, 0}}},
     1,
     10,
     {"null", "false", "true", "false", "true", "false", "true", "false", "true", "false"}},
    /* ends 1 1 3 of 8 bytes each */
    {"texts whose ends and bytes are compressed, vectors of compressed values",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{3,
         "binary4(no_nulls(flat64+zstd@0), no_nulls(flat8+zstd@1))",
         {BYTES(ZSTD_RAW(24, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0)),
          BYTES(ZSTD_RAW(3, 'a', 'b', 'c'))},
         2},
        {2,
         "binary2(no_nulls(flat64+zstd@0), flat8@1)",
         {BYTES(ZSTD_RAW(16, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)), TEXT("d")},
         2}},
       2,
       {NULL, 0}}},
     1,
     5,
     {"\"a\"", "null", "\"bc\"", "\"\"", "\"d\""}},
    {"vectors of compressed values",
     {FIELD("x", 0, -1, "fixed_size_list:int8:3")},
     1,
     {{{{2,
         "some_nulls(flat1@0, fsl3(no_nulls(flat8+zstd@1)))",
         {BYTES(2), BYTES(ZSTD_RAW(6, 1, 2, 3, 4, 5, 6))},
         2}},
       1,
       {NULL, 0}}},
     1,
     2,
     {"null", "[4, 5, 6]"}},
    {"a compressed dictionary, of pages that have different ones",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{3,
         "dictionary2(no_nulls(flat8+zstd@0), binary4(no_nulls(flat64+zstd@1), no_nulls(flat8+zstd@2)))",
         {BYTES(ZSTD_RAW(3, 2, 0, 1)), BYTES(ZSTD_RAW(16, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0)),
          BYTES(ZSTD_RAW(3, 'a', 'b', 'c'))},
         3},
        {2,
         "dictionary1(no_nulls(flat8+zstd@0), binary2(no_nulls(flat64+zstd@1), flat8@2))",
         {BYTES(ZSTD_RAW(2, 1, 0)), BYTES(ZSTD_RAW(8, 1, 0, 0, 0, 0, 0, 0, 0)), TEXT("z")},
         3}},
       2,
       {NULL, 0}}},
     1,
     5,
     {"\"bc\"", "null", "\"a\"", "\"z\"", "null"}},
    {"a compressed dictionary of numbers",
     {FIELD("x", 0, -1, "dict:int16:uint16:false")},
     1,
     {{{{3,
         "dictionary2(bitpacked1of16@0, some_nulls(flat1@1, flat16+zstd@2))",
         {BYTES(0x02), BYTES(0x01), BYTES(ZSTD_RAW(4, 77, 0, 1, 1))},
         3}},
       1,
       {NULL, 0}}},
     1,
     3,
     {"77", "null", "77"}},
    {"texts of one length: as bytes, as values, packed, compressed",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{3, "some_nulls(flat1@0, fixed_binary2(no_nulls(flat8@1)))", {BYTES(0x05), TEXT("ab..cd")}, 2},
        {2, "no_nulls(fixed_binary2(no_nulls(flat16@0)))", {TEXT("efgh")}, 1},
        /* "abc" of 7 bits each, and "a" "b" "c" of one letter */
        {3, "fixed_binary1(bitpacked7of8@0)", {BYTES(0x61, 0xf1, 0x18)}, 1}},
       3,
       {NULL, 0}}},
     1,
     8,
     {"\"ab\"", "null", "\"cd\"", "\"ef\"", "\"gh\"", "\"a\"", "\"b\"", "\"c\""}},
    {"bytes of one length, compressed; of none",
     {FIELD("x", 0, -1, "large_binary")},
     1,
     {{{{2, "no_nulls(fixed_binary3(flat24+zstd@0))", {BYTES(ZSTD_RAW(6, 1, 2, 3, 4, 5, 6))}, 1},
        {2, "some_nulls(flat1@0, fixed_binary0(flat8@1))", {BYTES(0x02), {NULL, 0}}, 2}},
       2,
       {NULL, 0}}},
     1,
     4,
     {"\"010203\"", "\"040506\"", "null", "\"\""}},
    {"constant numbers, some null",
     {FIELD("x", 0, -1, "int32")},
     1,
     {{{{3, "no_nulls(constant:feffffff)", {{NULL, 0}}, 0},
        {3, "some_nulls(flat1@0, constant:07000000)", {BYTES(0x05)}, 1}},
       2,
       {NULL, 0}}},
     1,
     6,
     {"-2", "-2", "-2", "7", "null", "7"}},
    {"constant booleans",
     {FIELD("x", 0, -1, "bool")},
     1,
     {{{{9, "constant:01", {{NULL, 0}}, 0}, {1, "no_nulls(constant:00)", {{NULL, 0}}, 0}}, 2, {NULL, 0}}},
     1,
     10,
     {"true", "true", "true", "true", "true", "true", "true", "true", "true", "false"}},
    {"constant texts, empty ones, and ends",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{2, "some_nulls(flat1@0, constant:6869)", {BYTES(0x02)}, 1},
        {1, "constant:", {{NULL, 0}}, 0},
        {2, "binary1(constant:0100000000000000, flat8@0)", {{NULL, 0}}, 1}}, /* null: end 0 and 1 */
       3,
       {NULL, 0}}},
     1,
     5,
     {"null", "\"hi\"", "\"\"", "null", "null"}},
    {"constant elements of vectors",
     {FIELD("x", 0, -1, "fixed_size_list:float:2")},
     1,
     {{{{2, "no_nulls(fsl2(no_nulls(constant:0000003f)))", {{NULL, 0}}, 0}}, 1, {NULL, 0}}},
     1,
     2,
     {"[0.5, 0.5]", "[0.5, 0.5]"}},
    {"FastLanes blocks of one bit: value i of the first eight is bit 0 of byte 128 / 8 * i",
     {FIELD("x", 0, -1, "uint8")},
     1,
     /* words of 8 bits: 128 lanes; rows 0 to 7 of lane l are values l, l + 128, …, so that values 0, 1, 2 are bit 0 of bytes 0, 1, 2 */
     {{{{3, "no_nulls(non_neg1of8@0)", {{(const uint8_t[128]){1, 0, 1}, 128}}, 1}}, 1, {NULL, 0}}},
     1,
     3,
     {"1", "0", "1"}},
    {"texts as lists of bytes in the next column, as before binary pages: null, empty, two pages",
     {FIELD("x", 0, -1, "string")},
     1,
     /* "ab", null (2 + 4), "", "c" | "de" */
     {{{{4, "list3/4(no_nulls(flat64@0))", {ENDS(2, 6, 2, 3)}, 1},
        {1, "list2/3(no_nulls(bitpacked2of64@0))", {BYTES(2)}, 1}},
       2,
       {NULL, 0}},
      {{{3, "no_nulls(flat8@0)", {TEXT("abc")}, 1},
        {2, "no_nulls(flat8+zstd@0)", {BYTES(ZSTD_RAW(2, 'd', 'e'))}, 1}},
       2,
       {NULL, 0}}},
     2,
     5,
     {"\"ab\"", "null", "\"\"", "\"c\"", "\"de\""}},
    {"maps: null, empty, entries in columns of their own",
     {FIELD("x", 0, -1, "map"), FIELD("entries", 1, 0, "struct"), FIELD("key", 2, 1, "string"),
      FIELD("value", 3, 1, "int32")},
     4,
     /* {"a": 1, "b": null}, null (2 + 4), {}, {"c": 3} */
     {{{{4, "list3/4(no_nulls(flat64@0))", {ENDS(2, 6, 2, 3)}, 1}}, 1, {NULL, 0}},
      {{{3, "struct", {{NULL, 0}}, 0}}, 1, {NULL, 0}},
      {{{3, "binary4(no_nulls(flat64@0), flat8@1)", {ENDS(1, 2, 3), TEXT("abc")}, 2}}, 1, {NULL, 0}},
      {{{3, "some_nulls(flat1@0, flat32@1)", {BYTES(0x05), WORDS(int32_t, 1, 2, 3)}, 2}}, 1, {NULL, 0}}},
     4,
     4,
     {"[[\"a\", 1], [\"b\", null]]", "null", "[]", "[[\"c\", 3]]"}},
};
enum { FILE_COUNT = sizeof FILES / sizeof FILES[0] };

START_TEST(rows_are_those_of_the_pages) {
    check_spec20_rows(&FILES[_i]);
}
END_TEST

START_TEST(damaged_files_are_an_error_or_rows) {
    check_spec20_damage(&FILES[_i], _i);
}
END_TEST

/* --- what cannot be: three rows each --- */

static const spec20_wrong WRONG[] = {
    {"string",
     "dictionary2000000000(flat8@0, fixed_binary0(flat8@1))",
     {BYTES(0, 1, 2), {NULL, 0}},
     2,
     RWL_UNSUPPORTED,
     "dictionary of 10000000000 bytes, limit 268435456"}, /* an offset and a byte for the rest each */
    {"int64",
     "dictionary2147483647(flat8@0, constant:0100000000000000)",
     {BYTES(0, 1, 2)},
     1,
     RWL_UNSUPPORTED,
     "limit 268435456"},
    {"string",
     "fixed_binary2147483647(constant:41)",
     {{NULL, 0}},
     0,
     RWL_UNSUPPORTED,
     "one value 2147483647 times"},
    {"int32", "bitpacked0of32@0", {BYTES(1, 2)}, 1, RWL_CORRUPT, "bit packing of values of 32 bits into 0"},
    {"int32", "bitpacked33of32@0", {TEXT("abcdefghijklmnop")}, 1, RWL_CORRUPT, "of 32 bits into 33"},
    {"int32", "bitpacked3of16@0", {BYTES(1, 2)}, 1, RWL_CORRUPT, "values of 16 bits where type int32 has 32"},
    {"int32", "bitpacked3of32@0", {BYTES(1)}, 1, RWL_CORRUPT, "3 values of 3 bits in a buffer of 1 bytes"},
    {"int32", "bitpacked3of32@1", {BYTES(1, 2)}, 1, RWL_CORRUPT, "buffer 1 of 1"},
    {"bool", "bitpacked1of1@0", {BYTES(1)}, 1, RWL_CORRUPT, "bit packing of values of 1 bits"},
    {"fixed_size_binary:3",
     "bitpacked3of24@0",
     {BYTES(1, 2)},
     1,
     RWL_CORRUPT,
     "of 24 bits, not 8, 16, 32 or 64"},
    {"int8",
     "some_nulls(bitpacked1of1@0, flat8@0)",
     {TEXT("abc")},
     1,
     RWL_UNSUPPORTED,
     "page encoding bitpacked"},
    {"int8", "some_nulls(constant:01, flat8@0)", {TEXT("abc")}, 1, RWL_UNSUPPORTED, "page encoding constant"},
    {"uint64", "non_neg0of64@0", {BYTES(1, 2)}, 1, RWL_CORRUPT, "bit packing of values of 64 bits into 0"},
    {"uint64", "non_neg65of64@0", {BYTES(1, 2)}, 1, RWL_CORRUPT, "bit packing of values of 64 bits into 65"},
    {"uint64",
     "non_neg1of64@0",
     {{(const uint8_t[127]){0}, 127}},
     1,
     RWL_CORRUPT,
     "1 values of 1024 bits in a buffer of 127 bytes"},
    {"int32",
     "flat32+zstd@0",
     {BYTES(ZSTD_RUN(11, 1))},
     1,
     RWL_CORRUPT,
     "page of 11 bytes once decompressed, 12"},
    {"int32", "flat32+zstd@0", {BYTES(ZSTD_RUN(16, 1))}, 1, RWL_CORRUPT, "page of more than 12 bytes"},
    {"int32", "flat32+zstd@0", {{NULL, 0}}, 1, RWL_CORRUPT, "page of 0 bytes once decompressed, 12 expected"},
    {"int32", "flat32+lz4@0", {BYTES(11, 0, 0, 0, 0x10, 1)}, 1, RWL_CORRUPT, ""},
    {"fixed_size_binary:65536", "flat524288+zstd@0", {BYTES(1, 2)}, 1, RWL_CORRUPT, "which 2 cannot give"},
    {"int16", "flat32+zstd@0", {BYTES(ZSTD_RUN(12, 1))}, 1, RWL_CORRUPT, "values of 32 bits where"},
    {"int32", "constant", {{NULL, 0}}, 0, RWL_CORRUPT, "constant of 0 bytes where type int32 has 32 bits"},
    {"int32", "constant:010203", {{NULL, 0}}, 0, RWL_CORRUPT, "constant of 3 bytes"},
    {"int32", "constant:0102030405", {{NULL, 0}}, 0, RWL_CORRUPT, "constant of 5 bytes"},
    {"fixed_size_list:int8:2", "constant:0102", {{NULL, 0}}, 0, RWL_UNSUPPORTED, "page encoding constant"},
    {"string",
     "fixed_binary2(flat8@0)",
     {TEXT("abcde")},
     1,
     RWL_CORRUPT,
     "6 values of 8 bits in a buffer of 5"},
    {"string",
     "fixed_binary2(flat16@0)",
     {TEXT("abcde")},
     1,
     RWL_CORRUPT,
     "3 values of 16 bits in a buffer of 5"},
    {"string", "fixed_binary2(flat24@0)", {TEXT("abcdefghi")}, 1, RWL_CORRUPT, "values of 24 bits"},
    {"string", "fixed_binary2(struct)", {TEXT("abcdef")}, 1, RWL_UNSUPPORTED, "page encoding struct"},
    {"string",
     "fixed_binary1(flat8@0)",
     {TEXT("a\xff"
           "c")},
     1,
     RWL_CORRUPT,
     "UTF-8"},
    {"int32",
     "fixed_binary4(flat8@0)",
     {TEXT("abcdefghijkl")},
     1,
     RWL_UNSUPPORTED,
     "page encoding fixed_size_binary"},
    {"string",
     "binary4(flat64@0, constant:61)",
     {ENDS(1, 2, 3)},
     1,
     RWL_UNSUPPORTED,
     "page encoding constant"},
    {"string", "binary4(constant:01, flat8@0)", {TEXT("abc")}, 1, RWL_CORRUPT, "constant of 1 bytes"},
    {"string",
     "binary4(bitpacked2of64@0, bitpacked0of8@1)",
     {BYTES(0x39), TEXT("a")},
     2,
     RWL_CORRUPT,
     "into 0"},
    {"string",
     "binary4(bitpacked2of64@0, bitpacked7of8@1)",
     {BYTES(0x39), TEXT("a")}, /* 1 2 3 of one byte */
     2,
     RWL_CORRUPT,
     "row 1 ends at 2, behind 1 and of 1"},
    {"string",
     "dictionary1(bitpacked2of12@0, fixed_binary1(flat8@1))",
     {BYTES(1), TEXT("a")},
     2,
     RWL_CORRUPT,
     "dictionary indices of 12 bits"},
    {"string",
     "dictionary1(bitpacked2of8@0, fixed_binary1(flat8@1))",
     {BYTES(0x24), TEXT("a")}, /* 0 1 2 */
     2,
     RWL_CORRUPT,
     "row 2: index 2 into a dictionary of 1 values"},
    {"string",
     "dictionary9(flat8@0, constant:61)",
     {TEXT("abc")},
     1,
     RWL_UNSUPPORTED,
     "page encoding constant"},
};

START_TEST(wrong_pages_are_named) {
    check_spec20_wrong(&WRONG[_i]);
}
END_TEST

START_TEST(a_map_with_a_null_key_is_corrupt) {
    spec20_file spec = {.what = "map",
                        .defs = {FIELD("x", 0, -1, "map"), FIELD("entries", 1, 0, "struct"),
                                 FIELD("key", 2, 1, "int8"), FIELD("value", 3, 1, "int8")},
                        .def_count = 4,
                        .columns = {{{{1, "list1/2(flat64@0)", {ENDS(1)}, 1}}, 1, {NULL, 0}},
                                    {{{1, "struct", {{NULL, 0}}, 0}}, 1, {NULL, 0}},
                                    {{{1, "all_nulls", {{NULL, 0}}, 0}}, 1, {NULL, 0}},
                                    {{{1, "flat8@0", {BYTES(1)}, 1}}, 1, {NULL, 0}}},
                        .column_count = 4,
                        .rows = 1};
    for (int columns = 1; columns <= 4;
         columns += 3) { /* entries that the file does not have are nulls, too */
        rwl_error err;
        spec.column_count = columns;
        ck_assert_int_eq(spec20_try(&spec, &err), RWL_CORRUPT);
        ck_assert_msg(strstr(err.message, "column 0: a map with a null key") != NULL, "%s", err.message);
    }
}
END_TEST

START_TEST(texts_as_lists_of_bytes_have_to_be_whole) {
    static const struct {
        const char *first, *second, *bytes;
        int columns;
        rwl_status status;
        const char *says;
    } CASES[] = {
        {"list1/2(flat64@0)", "list1/2(flat64@0)", "no_nulls(flat8@0)", 2, RWL_CORRUPT,
         "column 1: 3 rows where there have to be 2"},
        {"list1/2(flat64@0)", "list2/3(flat64@0)", "no_nulls(flat8@0)", 1, RWL_CORRUPT, "column 1"},
        {"list1/2(flat64@0)", "list2/3(flat64@0)", "no_nulls(flat16@0)", 2, RWL_CORRUPT,
         "column 1, page 0: values of 16 bits"},
        {"list1/2(flat64@0)", "list2/3(flat64@0)", "some_nulls(flat1@0, flat8@0)", 2, RWL_CORRUPT,
         "a text with a null byte"},
        {"list1/2(flat64@0)", "binary2(flat64@0, flat8@0)", "flat8@0", 2, RWL_UNSUPPORTED,
         "texts that are no lists of bytes"},
        {"list1/2(flat64@0)", "all_nulls", "flat8@0", 2, RWL_UNSUPPORTED, "texts that are no lists of bytes"},
        {"all_nulls", "list2/3(flat64@0)", "flat8@0", 2, RWL_UNSUPPORTED, "lists of bytes beside others"},
        {"binary2(flat64@0, flat8@0)", "list2/3(flat64@0)", "flat8@0", 2, RWL_UNSUPPORTED,
         "lists of bytes beside"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        spec20_file spec = {
            .what = CASES[i].second,
            .defs = {FIELD("x", 0, -1, "string")},
            .def_count = 1,
            .columns = {{{{1, CASES[i].first, {ENDS(1)}, 1}, {1, CASES[i].second, {ENDS(1)}, 1}},
                         2,
                         {NULL, 0}},
                        {{{3, CASES[i].bytes, {BYTES(0x61, 0x61, 0x61)}, 1}}, 1, {NULL, 0}}},
            .column_count = CASES[i].columns,
            .rows = 2};
        rwl_error err;
        rwl_status st = spec20_try(&spec, &err);
        ck_assert_msg(st == CASES[i].status && strstr(err.message, CASES[i].says) != NULL, "case %zu: %d %s",
                      i, (int)st, err.message);
    }
}
END_TEST

/* --- every width, packed by the formats' own words --- */

enum { ROWS = 1024 + 1024 + 37, FIRST_PAGE = 1024 + 30 };

static const char *const TYPES[] = {"uint8", "uint16", "uint32", "uint64"};
static const char *const SIGNED[] = {"int8", "int16", "int32", "int64"};

/* Value i: its low `bits` bits are those of a product, so that all of them take part; 0 and all ones at the start of each page. */
static uint64_t value_at(int64_t i, int bits) {
    uint64_t mask = UINT64_MAX >> (64 - bits), value = ((uint64_t)i + 3) * UINT64_C(0x9e3779b97f4a7c15);
    if (i % FIRST_PAGE < 2)
        return i % FIRST_PAGE == 0 ? mask : 0;
    return value >> 7 & mask;
}

static void put_bit(uint8_t *out, size_t bit, uint64_t value) {
    out[bit / 8] |= (uint8_t)((value & 1) << bit % 8);
}

/* Bit b of value i is bit i * bits + b of the buffer. */
static size_t pack_bits(int64_t first, int64_t count, int bits, uint8_t *out) {
    for (int64_t i = 0; i < count; i++)
        for (int b = 0; b < bits; b++)
            put_bit(out, (size_t)(i * bits + b), value_at(first + i, bits) >> b);
    return (size_t)(count * bits + 7) / 8;
}

/* Blocks of 1024: row r of lane l is value ORDER[r / 8] * 16 + r % 8 * 128 + l, in bits r * bits … of the lane's stream, whose word k
 * is word (1024 / T) * k + l. Values behind the last are 0. */
static size_t pack_blocks(int64_t first, int64_t count, int bits, int word, uint8_t *out) {
    static const int ORDER[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    int64_t blocks = (count + 1023) / 1024;
    int lanes = 1024 / word;
    for (int64_t n = 0; n < blocks; n++, out += 128 * bits)
        for (int lane = 0; lane < lanes; lane++)
            for (int row = 0; row < word; row++) {
                int64_t i = n * 1024 + ORDER[row / 8] * 16 + row % 8 * 128 + lane;
                for (int b = 0; i < count && b < bits; b++) {
                    int at = row * bits + b;
                    put_bit(out, (size_t)((at / word * lanes + lane) * word + at % word),
                            value_at(first + i, bits) >> b);
                }
            }
    return (size_t)(blocks * 128 * bits);
}

typedef struct packing {
    int word, bits;
    bool is_blocks, is_signed;
} packing;

/* A file of two pages; buffers hold 64 bits a value at most. */
static void make_packed(const packing *p, spec20_file *spec, char encoding[64], uint8_t *buffers[2]) {
    const char *type = p->is_signed ? SIGNED[__builtin_ctz((unsigned)p->word) - 3]
                                    : TYPES[__builtin_ctz((unsigned)p->word) - 3];
    snprintf(encoding, 64, "no_nulls(%s%dof%d%s@0)", p->is_blocks ? "non_neg" : "bitpacked", p->bits, p->word,
             p->is_signed ? "s" : "");
    *spec = (spec20_file){.what = encoding,
                          .defs = {FIELD("x", 0, -1, type)},
                          .def_count = 1,
                          .columns = {{.page_count = 2}},
                          .column_count = 1,
                          .rows = ROWS};
    for (int i = 0; i < 2; i++) {
        int64_t first = i * FIRST_PAGE, count = i == 0 ? FIRST_PAGE : ROWS - FIRST_PAGE;
        memset(buffers[i], 0, 8 * 3 * 1024);
        size_t len = p->is_blocks ? pack_blocks(first, count, p->bits, p->word, buffers[i])
                                  : pack_bits(first, count, p->bits, buffers[i]);
        spec->columns[0].pages[i] = (spec20_page){(uint64_t)count, encoding, {{buffers[i], len}}, 1};
    }
}

/* As the type has it. */
static int64_t expected_at(const packing *p, int64_t i) {
    uint64_t value = value_at(i, p->bits), top = UINT64_C(1) << (p->bits - 1);
    if (p->is_signed && (value & top) != 0)
        value -= 2 * top; /* 2^64 is 0 */
    return (int64_t)value;
}

static int64_t read_at(const rwl_column *column, int64_t i) {
    switch (rwl_type_width(&column->type)) {
    case 4:
        return rwl_column_i32(column)[i];
    case 8:
        return rwl_column_i64(column)[i];
    default: { /* uint64: a decimal */
        int64_t low;
        memcpy(&low, column->values.data + 16 * i, sizeof low);
        return low;
    }
    }
}

/* Some single rows and some ranges, over blocks and pages. */
static const rwl_range WANTED[] = {{0, 3},    {7, 1},    {127, 2},  {500, 1},   {1023, 3},
                                   {1040, 1}, {1053, 2}, {1060, 9}, {2000, 79}, {2080, 5}};
static const rwl_range ALL[] = {{0, ROWS}};

static void check_packed(const packing *p, const rwl_range *ranges, size_t count, uint8_t *buffers[2]) {
    spec20_file spec;
    spec20_opened o;
    char encoding[64];
    rwl_lance_field_reader *reader;
    rwl_column out;
    make_packed(p, &spec, encoding, buffers);
    spec20_begin(&o, &spec);
    ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
    int64_t held = memory_file_held(&o.f);
    rwl_lance_read_field field = {&o.node, o.sources};
    ck_assert_int_eq(rwl_lance_field20_open(&o.f.op, &field, ROWS, &reader, &o.f.err), RWL_OK);
    rwl_column_init_flat(&out, &o.node.field.type);
    ck_assert_int_eq(reader->vtable->want(reader, ranges, count, &o.f.err), RWL_OK);
    rwl_status st = reader->vtable->read(reader, SIZE_MAX, &out, &o.f.err);
    ck_assert_msg(st == RWL_OK, "%s: %s", encoding, o.f.err.message);
    int64_t at = 0;
    for (size_t k = 0; k < count; k++)
        for (int64_t i = 0; i < ranges[k].count; i++, at++) {
            int64_t row = ranges[k].start + i;
            ck_assert_msg(read_at(&out, at) == expected_at(p, row), "%s: row %lld is %lld, not %lld",
                          encoding, (long long)row, (long long)read_at(&out, at),
                          (long long)expected_at(p, row));
        }
    ck_assert_int_eq(out.length, at);
    reader->vtable->close(reader);
    rwl_column_clear(&out, &o.f.env);
    ck_assert_int_eq(o.f.op.memory_used, held);
    spec20_end(&o);
}

/* Words of 8, 16, 32 and 64 bits by _i; every width there is. */
START_TEST(values_of_every_width_are_unpacked) {
    static uint8_t room[2][8 * 3 * 1024];
    uint8_t *buffers[2] = {room[0], room[1]};
    int word = 8 << _i;
    for (int bits = 1; bits <= word; bits++)
        for (int form = 0; form < 3; form++) {
            packing p = {word, bits, form == 2, form == 1};
            check_packed(&p, WANTED, sizeof WANTED / sizeof WANTED[0], buffers);
            if (bits % 7 == 1 || bits == word)
                check_packed(&p, ALL, 1, buffers);
        }
}
END_TEST

/* The second page's buffer a byte short, or empty. */
START_TEST(buffers_that_are_cut_off_are_named) {
    static uint8_t room[2][8 * 3 * 1024];
    uint8_t *buffers[2] = {room[0], room[1]};
    for (int bits = 1; bits <= 32; bits++)
        for (int k = 0; k < 4; k++) {
            packing p = {32, bits, k % 2 == 0, false};
            spec20_file spec;
            char encoding[64];
            rwl_error err;
            make_packed(&p, &spec, encoding, buffers);
            size_t *len = &spec.columns[0].pages[1].buffers[0].len;
            *len = k < 2 ? *len - 1 : 0;
            ck_assert_int_eq(spec20_try(&spec, &err), RWL_CORRUPT);
            ck_assert_msg(strstr(err.message, "column 0, page 1: ") != NULL, "%s", err.message);
        }
}
END_TEST

/* --- what is read, and held --- */

static int64_t bytes_read(spec20_opened *o, rwl_range rows) {
    rwl_lance_read_field field = {&o->node, o->sources};
    rwl_lance_field_reader *reader;
    rwl_column out;
    ck_assert_int_eq(rwl_lance_field20_open(&o->f.op, &field, ROWS, &reader, &o->f.err), RWL_OK);
    rwl_column_init_flat(&out, &o->node.field.type);
    ck_assert_int_eq(reader->vtable->want(reader, &rows, 1, &o->f.err), RWL_OK);
    ck_assert_int_eq(reader->vtable->read(reader, SIZE_MAX, &out, &o->f.err), RWL_OK);
    int64_t bytes = reader->stats.bytes_read;
    reader->vtable->close(reader);
    rwl_column_clear(&out, &o->f.env);
    return bytes;
}

/* 13 bits a value. Row 8 of a page begins its byte 13; row 1000 is in bits 13000 to 13012: bytes 1625, 1626. A block is 1664 bytes. */
START_TEST(a_row_is_read_with_the_bytes_that_hold_it) {
    static uint8_t room[2][8 * 3 * 1024];
    static const struct {
        bool is_blocks;
        rwl_range rows;
        int64_t bytes;
    } CASES[] = {{false, {0, 1}, 2},      {false, {1000, 1}, 2},  {false, {8, 8}, 13},
                 {false, {7, 2}, 4},      {true, {0, 1}, 1664},   {true, {1000, 24}, 1664},
                 {true, {1023, 2}, 3328}, {true, {1060, 1}, 1664}};
    uint8_t *buffers[2] = {room[0], room[1]};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        packing p = {16, 13, CASES[i].is_blocks, false};
        spec20_file spec;
        spec20_opened o;
        char encoding[64];
        make_packed(&p, &spec, encoding, buffers);
        spec20_begin(&o, &spec);
        ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
        int64_t bytes = bytes_read(&o, CASES[i].rows);
        ck_assert_msg(bytes == CASES[i].bytes, "case %zu: %lld bytes", i, (long long)bytes);
        spec20_end(&o);
    }
}
END_TEST

/* A page of 2^16 bytes in ten: charged as what it becomes, given back at the end. */
START_TEST(a_decompressed_page_is_charged) {
    /* one segment, size in two bytes from 256 on: 0x60; a block of one byte 65536 times */
    static const uint8_t RUN[] = {0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x00, 0xff, 0x03, 0x00, 0x08, 7};
    spec20_file spec = {
        .what = "run",
        .defs = {FIELD("x", 0, -1, "int64")},
        .def_count = 1,
        .columns = {{{{8192, "no_nulls(flat64+zstd@0)", {{RUN, sizeof RUN}}, 1}}, 1, {NULL, 0}}},
        .column_count = 1,
        .rows = 8192};
    for (int is_enough = 0; is_enough < 2; is_enough++) {
        spec20_opened o;
        rwl_buf text;
        rwl_range some = {5000, 1};
        int batches;
        spec20_begin(&o, &spec);
        rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
        ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
        int64_t held = memory_file_held(&o.f);
        o.f.op.memory_limit = is_enough ? 256 * 1024 : 65535;
        rwl_status st = spec20_read(&o, 8192, &some, 1, 0, &text, &batches);
        if (is_enough) {
            ck_assert_msg(st == RWL_OK, "%s", o.f.err.message);
            ck_assert(
                rwl_span_equal(rwl_buf_span(&text), rwl_span_str("506381209866536711\n"))); /* 0x0707… */
        } else {
            ck_assert_int_ne(st, RWL_OK);
            ck_assert_msg(strstr(o.f.err.message, "decompressing a page") != NULL, "%s", o.f.err.message);
        }
        ck_assert_int_eq(o.f.op.memory_used, held);
        rwl_buf_clear(&text);
        spec20_end(&o);
    }
}
END_TEST

/* Rows by the quintillion without a byte behind them: constants are read a few at a time, everything else is too short. */
START_TEST(numbers_of_rows_that_lie_are_no_memory) {
    static const struct {
        const char *encoding;
        rwl_status status;
    } CASES[] = {{"constant:0100000000000000", RWL_OK},
                 {"flat64+zstd@0", RWL_UNSUPPORTED},
                 {"bitpacked1of64@0", RWL_CORRUPT},
                 {"non_neg1of64@0", RWL_CORRUPT}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        for (int shift = 50; shift < 63; shift += 6) {
            int64_t rows = INT64_C(1) << shift;
            spec20_file spec = {
                .what = CASES[i].encoding,
                .defs = {FIELD("x", 0, -1, "int64")},
                .def_count = 1,
                .columns = {{{{(uint64_t)rows, CASES[i].encoding, {BYTES(1, 2, 3)}, 1}}, 1, {NULL, 0}}},
                .column_count = 1,
                .rows = rows};
            spec20_opened o;
            rwl_buf text;
            rwl_range last = {rows - 1, 1};
            int batches;
            spec20_begin(&o, &spec);
            rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
            ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
            rwl_status st = spec20_read(&o, rows, &last, 1, 0, &text, &batches);
            rwl_status expected = shift > 54 ? RWL_CORRUPT : CASES[i].status; /* bits beyond 2^60 */
            ck_assert_msg(st == expected, "%s, 2^%d: %d %s", CASES[i].encoding, shift, (int)st,
                          o.f.err.message);
            rwl_buf_clear(&text);
            spec20_end(&o);
        }
}
END_TEST

/* 600 vectors of 1024 int32 in 1 MiB: no batch has more than 256, also when the file has not a byte of them. */
START_TEST(null_elements_count_as_others) {
    spec20_file spec = {.what = "nulls",
                        .defs = {FIELD("x", 0, -1, "fixed_size_list:int32:1024")},
                        .def_count = 1,
                        .columns = {{{{600, "no_nulls(fsl1024(all_nulls))", {{NULL, 0}}, 0}}, 1, {NULL, 0}}},
                        .column_count = 1,
                        .rows = 600};
    spec20_opened o;
    rwl_buf text;
    rwl_range all = {0, 600};
    int batches = 0;
    spec20_begin(&o, &spec);
    rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
    ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
    rwl_status st = spec20_read(&o, 600, &all, 1, 1 << 20, &text, &batches);
    ck_assert_msg(st == RWL_OK, "%s", o.f.err.message);
    ck_assert_int_ge(batches, 3);
    rwl_buf_clear(&text);
    spec20_end(&o);
}
END_TEST

Suite *lancefile_flat20_suite(void) {
    Suite *s = suite_create("lancefile_flat20");
    TCase *tc = tcase_create("flat20");
    tcase_add_loop_test(tc, rows_are_those_of_the_pages, 0, FILE_COUNT);
    tcase_add_loop_test(tc, damaged_files_are_an_error_or_rows, 0, FILE_COUNT);
    tcase_add_loop_test(tc, wrong_pages_are_named, 0, sizeof WRONG / sizeof WRONG[0]);
    tcase_add_test(tc, a_map_with_a_null_key_is_corrupt);
    tcase_add_test(tc, texts_as_lists_of_bytes_have_to_be_whole);
    tcase_add_loop_test(tc, values_of_every_width_are_unpacked, 0, 4);
    tcase_add_test(tc, buffers_that_are_cut_off_are_named);
    tcase_add_test(tc, a_row_is_read_with_the_bytes_that_hold_it);
    tcase_add_test(tc, a_decompressed_page_is_charged);
    tcase_add_test(tc, numbers_of_rows_that_lie_are_no_memory);
    tcase_add_test(tc, null_elements_count_as_others);
    suite_add_tcase(s, tc);
    return s;
}
