/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of file version 2.0: pages made by hand and rows counted by hand, wrong pages, datasets of another implementation. */
#include "field20_test.h"
#include "fixture_support.h"
#include "suites.h"

#include "lancefile/field_internal.h"

#include <stdio.h>

/* --- rows as they have to be --- */

static const spec20_file FILES[] = {
    {"int32, pages of 3 and 2 rows",
     {FIELD("x", 0, -1, "int32")},
     1,
     {{{{3, "no_nulls(flat32@0)", {WORDS(int32_t, 1, -2, 3)}, 1},
        {2, "no_nulls(flat32@0)", {WORDS(int32_t, 4, 5)}, 1}},
       2,
       {NULL, 0}}},
     1,
     5,
     {"1", "-2", "3", "4", "5"}},
    {"int64 with nulls, and a page of nulls",
     {FIELD("x", 0, -1, "int64")},
     1,
     /* bits 1 0 1 1 0 1 1 1, 0 1: 0xed, 0x02 */
     {{{{10, "some_nulls(flat1@0, flat64@1)", {BYTES(0xed, 0x02), ENDS(0, 9, 2, 3, 9, 5, 6, 7, 9, 11)}, 2},
        {2, "all_nulls", {{NULL, 0}}, 0}},
       2,
       {NULL, 0}}},
     1,
     12,
     {"0", "null", "2", "3", "null", "5", "6", "7", "null", "11", "null", "null"}},
    {"uint64 and its own types: bits without nulls around",
     {FIELD("x", 0, -1, "uint64")},
     1,
     {{{{1, "flat64@0", {ENDS(UINT64_MAX)}, 1}}, 1, {NULL, 0}}},
     1,
     1,
     {"18446744073709551615"}},
    {"booleans, from the column's and the file's buffers",
     {FIELD("x", 0, -1, "bool")},
     1,
     {{{{11, "some_nulls(flat1@c0, flat1@0)", {BYTES(0x55, 0x07)}, 1}}, 1, BYTES(0xff, 0x02)}},
     1,
     11, /* values 1 0 1 0 1 0 1 0, 1 1 1; valid 1 × 8, 0 1 0 */
     {"true", "false", "true", "false", "true", "false", "true", "false", "null", "true", "null"}},
    {"fixed_size_binary of 3 bytes",
     {FIELD("x", 0, -1, "fixed_size_binary:3")},
     1,
     {{{{2, "some_nulls(flat1@0, flat24@1)", {BYTES(0x01), TEXT("abcdef")}, 2}}, 1, {NULL, 0}}},
     1,
     2,
     {"\"616263\"", "null"}},
    {"strings: null, empty, a null that has bytes; two pages",
     {FIELD("x", 0, -1, "string")},
     1,
     /* "a", null (end 1 + 8), "", "bcd", null with "xyz" (end 7 + 8) */
     {{{{5, "binary8(no_nulls(flat64@0), flat8@1)", {ENDS(1, 9, 1, 4, 15), TEXT("abcdxyz")}, 2},
        {2, "binary3(flat64@0, flat8@1)", {ENDS(2, 2), TEXT("\xc3\xa4")}, 2}},
       2,
       {NULL, 0}}},
     1,
     7,
     {"\"a\"", "null", "\"\"", "\"bcd\"", "null", "\"\xc3\xa4\"", "\"\""}},
    {"strings without any bytes",
     {FIELD("x", 0, -1, "large_string")},
     1,
     {{{{3, "binary1(no_nulls(flat64@0), flat8@1)", {ENDS(0, 1, 0), {NULL, 0}}, 2}}, 1, {NULL, 0}}},
     1,
     3,
     {"\"\"", "null", "\"\""}},
    {"a page of no strings, which counts no null",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{0, "binary0(no_nulls(flat64@0), flat8@1)", {{NULL, 0}, {NULL, 0}}, 2},
        {1, "binary2(no_nulls(flat64@0), flat8@1)", {ENDS(1), TEXT("a")}, 2}},
       2,
       {NULL, 0}}},
     1,
     1,
     {"\"a\""}},
    {"strings in a zstd frame of one raw block",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{2,
         "binary6(no_nulls(flat64@0), flat8+zstd@1)",
         {ENDS(3, 5), BYTES(5, 0, 0, 0, 0, 0, 0, 0, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0, 'h', 'e',
                            'l', 'l', 'o')},
         2},
        /* LZ4: five literals */
        {2,
         "binary6(no_nulls(flat64@0), flat8+lz4@1)",
         {ENDS(6, 5), BYTES(5, 0, 0, 0, 0x50, 'w', 'o', 'r', 'l', 'd')},
         2},
        {1, "binary2(no_nulls(flat64@0), flat8+none@1)", {ENDS(1), TEXT("!")}, 2}},
       3,
       {NULL, 0}}},
     1,
     5,
     {"\"hel\"", "\"lo\"", "null", "\"world\"", "\"!\""}},
    {"strings of fsst codes: an escape, a null that has codes, a zstd frame, raw texts",
     {FIELD("x", 0, -1, "string")},
     1,
     /* "ab" "cdefghij", null with "ab" (end 3 + 7), "", "z" escaped and "ab" */
     {{{{4,
         "fsst(binary7(no_nulls(flat64@0), flat8@1))",
         {ENDS(2, 10, 3, 6), BYTES(0, 1, 0, 255, 'z', 0)},
         2},
        {2,
         "fsst(no_nulls(binary4(flat64@0, flat8+zstd@1)))",
         {ENDS(1, 3), BYTES(3, 0, 0, 0, 0, 0, 0, 0, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 1, 1, 0)},
         2},
        {2, "fsst_raw(binary4(no_nulls(flat64@0), flat8@1))", {ENDS(3, 7), TEXT("raw")}, 2}},
       3,
       {NULL, 0}}},
     1,
     8,
     {"\"abcdefghij\"", "null", "\"\"", "\"zab\"", "\"cdefghij\"", "\"cdefghijab\"", "\"raw\"", "null"}},
    {"strings of a dictionary: 0 is null, and so is a null in it",
     {FIELD("x", 0, -1, "string")},
     1,
     {{{{5,
         "dictionary3(no_nulls(flat8@0), binary4(no_nulls(flat64@1), flat8@2))",
         {BYTES(1, 0, 2, 3, 1), ENDS(1, 5, 3), TEXT("abc")},
         3},
        {2,
         "dictionary1(no_nulls(flat16@0), binary2(no_nulls(flat64@1), flat8@2))",
         {WORDS(uint16_t, 1, 0), ENDS(1), TEXT("z")},
         3}},
       2,
       {NULL, 0}}},
     1,
     7,
     {"\"a\"", "null", "null", "\"bc\"", "\"a\"", "\"z\"", "null"}},
    {"a dictionary type: from 0, a null in it is the null",
     {FIELD("x", 0, -1, "dict:string:int32:false")},
     1,
     {{{{4,
         "dictionary3(no_nulls(flat32@0), binary4(no_nulls(flat64@1), flat8@2))",
         {WORDS(uint32_t, 1, 0, 2, 1), ENDS(1, 3, 7), TEXT("abc")},
         3}},
       1,
       {NULL, 0}}},
     1,
     4,
     {"\"bc\"", "\"a\"", "null", "\"bc\""}},
    {"a dictionary of numbers",
     {FIELD("x", 0, -1, "dict:int64:int8:false")},
     1,
     {{{{3,
         "dictionary2(no_nulls(flat8@0), some_nulls(flat1@1, flat64@2))",
         {BYTES(0, 1, 0), BYTES(0x01), ENDS(77, 0)},
         3}},
       1,
       {NULL, 0}}},
     1,
     3,
     {"77", "null", "77"}},
    {"vectors with null rows and null elements",
     {FIELD("x", 0, -1, "fixed_size_list:float:2")},
     1,
     /* rows 1 0 1 1: 0x0d; elements 1 1, 0 0, 0 1, 1 0: 0x63 */
     {{{{4,
         "some_nulls(flat1@0, fsl2(some_nulls(flat1@1, flat32@2)))",
         {BYTES(0x0d), BYTES(0x63), WORDS(float, 1, 2, 0, 0, 9, 3, 4, 9)},
         3},
        {1, "no_nulls(fsl2(all_nulls))", {{NULL, 0}}, 0}},
       2,
       {NULL, 0}}},
     1,
     5,
     {"[1.0, 2.0]", "null", "[null, 3.0]", "[4.0, null]", "[null, null]"}},
    {"vectors of vectors of booleans",
     {FIELD("x", 0, -1, "fixed_size_list:fixed_size_list:bool:3:2")},
     1,
     /* bits 1 1 0 0 0 1, 1 0 1 0 1 0, 0 0 0 0 1 1 */
     {{{{3, "no_nulls(fsl2(no_nulls(fsl3(no_nulls(flat1@0)))))", {BYTES(0x63, 0x05, 0x03)}, 1}},
       1,
       {NULL, 0}}},
     1,
     3,
     {"[[true, true, false], [false, false, true]]", "[[true, false, true], [false, true, false]]",
      "[[false, false, false], [false, true, true]]"}},
    {"lists: null, empty; items in pages of their own",
     {FIELD("x", 0, -1, "list"), FIELD("item", 1, 0, "int32")},
     2,
     /* [1, 2], null (2 + 4), [], [3] | [4, 5, 6, 7] */
     {{{{4, "list3/4(no_nulls(flat64@0))", {ENDS(2, 6, 2, 3)}, 1},
        {1, "list4/5(no_nulls(flat64@0))", {ENDS(4)}, 1}},
       2,
       {NULL, 0}},
      {{{5, "no_nulls(flat32@0)", {WORDS(int32_t, 1, 2, 3, 4, 5)}, 1},
        {2, "some_nulls(flat1@0, flat32@1)", {BYTES(0x02), WORDS(int32_t, 6, 7)}, 2}},
       2,
       {NULL, 0}}},
     2,
     5,
     {"[1, 2]", "null", "[]", "[3]", "[4, 5, null, 7]"}},
    {"lists of lists of strings; a null list that has items",
     {FIELD("x", 0, -1, "large_list"), FIELD("item", 1, 0, "list"), FIELD("item", 2, 1, "string")},
     3,
     /* [["a"], null], null with one item (3 + 5), [[]] */
     {{{{3, "list4/5(no_nulls(flat64@0))", {ENDS(2, 8, 4)}, 1}}, 1, {NULL, 0}},
      {{{4, "list3/4(no_nulls(flat64@0))", {ENDS(1, 5, 3, 3)}, 1}}, 1, {NULL, 0}},
      {{{3, "binary4(no_nulls(flat64@0), flat8@1)", {ENDS(1, 2, 3), TEXT("abc")}, 2}}, 1, {NULL, 0}}},
     3,
     3,
     {"[[\"a\"], null]", "null", "[[]]"}},
    {"lists of structs",
     {FIELD("x", 0, -1, "list.struct"), FIELD("item", 1, 0, "struct"), FIELD("a", 2, 1, "int32"),
      FIELD("b", 3, 1, "string")},
     4,
     {{{{2, "list2/3(no_nulls(flat64@0))", {ENDS(2, 2)}, 1}}, 1, {NULL, 0}},
      {{{2, "struct", {{NULL, 0}}, 0}}, 1, {NULL, 0}},
      {{{2, "no_nulls(flat32@0)", {WORDS(int32_t, 7, 8)}, 1}}, 1, {NULL, 0}},
      {{{2, "binary3(no_nulls(flat64@0), flat8@1)", {ENDS(1, 4), TEXT("z")}, 2}}, 1, {NULL, 0}}},
     4,
     2,
     {"[{\"a\": 7, \"b\": \"z\"}, {\"a\": 8, \"b\": null}]", "[]"}},
    {"a field of a struct that the file does not have",
     {FIELD("x", 0, -1, "struct"), FIELD("a", 1, 0, "int32"), FIELD("late", 2, 0, "string")},
     3,
     {{{{2, "struct", {{NULL, 0}}, 0}}, 1, {NULL, 0}},
      {{{2, "no_nulls(flat32@0)", {WORDS(int32_t, 7, 8)}, 1}}, 1, {NULL, 0}}},
     2,
     2,
     {"{\"a\": 7, \"late\": null}", "{\"a\": 8, \"late\": null}"}},
    {"a packed struct: 4, 6 and 1 bytes a row",
     {{.name = "x", .id = 0, .parent_id = -1, .logical_type = "struct", .nullable = true, .is_packed = true},
      FIELD("a", 1, 0, "int32"),
      FIELD("v", 2, 0, "fixed_size_list:int16:3"),
      FIELD("c", 3, 0, "uint8")},
     4,
     {{{{2,
         "packed@0(no_nulls(flat32@0), no_nulls(fsl3(no_nulls(flat16@0))), no_nulls(flat8@0))",
         {BYTES(1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 255, 5, 0, 0, 0, 6, 0, 7, 0, 8, 0, 9)},
         1}},
       1,
       {NULL, 0}}},
     1,
     2,
     {"{\"a\": 1, \"v\": [2, 3, 4], \"c\": 255}", "{\"a\": 5, \"v\": [6, 7, 8], \"c\": 9}"}},
    {"nulls of no type",
     {FIELD("x", 0, -1, "null")},
     1,
     {{{{3, "all_nulls", {{NULL, 0}}, 0}}, 1, {NULL, 0}}},
     1,
     3,
     {"null", "null", "null"}},
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

/* --- what cannot be --- */

static const spec20_wrong WRONG[] = {
    {"int32", "no_nulls(flat32@1)", {WORDS(int32_t, 1, 2, 3)}, 1, RWL_CORRUPT, "buffer 1 of 1"},
    {"int32", "no_nulls(flat32@c0)", {WORDS(int32_t, 1, 2, 3)}, 1, RWL_CORRUPT, "buffer 0 of 0"},
    {"int32", "no_nulls(flat32@f7)", {WORDS(int32_t, 1, 2, 3)}, 1, RWL_CORRUPT, "buffer 7 of 1"},
    {"int32",
     "no_nulls(flat32@0)",
     {WORDS(int32_t, 1, 2)},
     1,
     RWL_CORRUPT,
     "3 values of 32 bits in a buffer of 8 bytes"},
    {"int32",
     "no_nulls(flat64@0)",
     {ENDS(1, 2, 3)},
     1,
     RWL_CORRUPT,
     "values of 64 bits where type int32 has 32"},
    {"int32",
     "some_nulls(flat1@0, flat32@1)",
     {{NULL, 0}, WORDS(int32_t, 1, 2, 3)},
     2,
     RWL_CORRUPT,
     "3 values of 1 bits in a buffer of 0 bytes"},
    {"int32",
     "no_nulls(no_nulls(flat32@0))",
     {WORDS(int32_t, 1, 2, 3)},
     1,
     RWL_UNSUPPORTED,
     "page encoding nullable of a field of type int32"},
    {"int32",
     "no_nulls(flat32+snappy@0)",
     {WORDS(int32_t, 1, 2, 3)},
     1,
     RWL_UNSUPPORTED,
     "buffer compressed with 'snappy'"},
    {"int32", "kind77", {{NULL, 0}}, 0, RWL_UNSUPPORTED, "page encoding number 77"},
    {"int32", "struct", {{NULL, 0}}, 0, RWL_UNSUPPORTED, "page encoding struct of a field of type int32"},
    {"null", "flat8@0", {BYTES(1, 2, 3)}, 1, RWL_UNSUPPORTED, "page encoding flat of a field of type null"},
    {"fixed_size_list:int8:2",
     "no_nulls(fsl3(no_nulls(flat8@0)))",
     {TEXT("abcdefghi")},
     1,
     RWL_CORRUPT,
     "vectors of 3 values"},
    {"fixed_size_list:int8:2",
     "no_nulls(fsl2+validity(no_nulls(flat8@0)))",
     {TEXT("abcdef")},
     1,
     RWL_UNSUPPORTED,
     "page encoding fixed_size_list"},
    {"fixed_size_list:int8:2",
     "no_nulls(fsl2(no_nulls(flat8@0)))",
     {TEXT("abcde")},
     1,
     RWL_CORRUPT,
     "6 values of 8 bits in a buffer of 5 bytes"},
    {"string",
     "binary9(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 2, 9), TEXT("abcdefgh")},
     2,
     RWL_CORRUPT,
     "row 2 ends at 0, behind 2 and of 8"},
    {"string",
     "binary9(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 0, 2), TEXT("abcdefgh")},
     2,
     RWL_CORRUPT,
     "row 1 ends at 0, behind 1 and of 8"},
    {"string",
     "binary20(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 2, 9), TEXT("abcdefgh")},
     2,
     RWL_CORRUPT,
     "row 2 ends at 9, behind 2 and of 8"},
    {"string",
     "binary9(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 2, UINT64_MAX), TEXT("abcdefgh")},
     2,
     RWL_CORRUPT,
     "row 2 ends at 18446744073709551606"},
    {"string",
     "binary0(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 2, 3), TEXT("abc")},
     2,
     RWL_CORRUPT,
     "null adjustment of 0"},
    {"string",
     "binary4(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 2), TEXT("abc")},
     2,
     RWL_CORRUPT,
     "3 values of 64 bits in a buffer of 16 bytes"},
    {"string",
     "binary4(no_nulls(flat32@0), flat8@1)",
     {ENDS(1, 2, 3), TEXT("abc")},
     2,
     RWL_CORRUPT,
     "values of 32 bits where type string has 64"},
    {"string",
     "binary4(no_nulls(flat64@0), flat16@1)",
     {ENDS(1, 2, 3), TEXT("abc")},
     2,
     RWL_CORRUPT,
     "values of 16 bits where type string has 8"},
    {"string",
     "some_nulls(flat1@0, binary4(no_nulls(flat64@0), flat8@1))",
     {ENDS(1, 2, 3), TEXT("abc")},
     2,
     RWL_UNSUPPORTED,
     "page encoding nullable of a field of type string"},
    {"string",
     "binary4(no_nulls(flat64@0), flat8@1)",
     {ENDS(1, 2, 3), TEXT("a\xff\x63")},
     2,
     RWL_CORRUPT,
     "UTF-8"},
    {"string",
     "fsst(binary4(no_nulls(flat64@0), flat8@1))",
     {ENDS(1, 2, 3), BYTES(0, 2, 1)},
     2,
     RWL_CORRUPT,
     "row 1: fsst codes that stand for nothing"},
    {"string",
     "fsst(binary4(no_nulls(flat64@0), flat8@1))",
     {ENDS(1, 2, 3), BYTES(0, 1, 255)},
     2,
     RWL_CORRUPT,
     "row 2: fsst codes that stand for nothing"},
    {"string",
     "fsst_bare(binary4(no_nulls(flat64@0), flat8@1))",
     {ENDS(1, 2, 3), TEXT("abc")},
     2,
     RWL_CORRUPT,
     "fsst: a symbol table of 0 bytes"},
    {"string",
     "fsst(flat8@0)",
     {TEXT("abc")},
     1,
     RWL_UNSUPPORTED,
     "page encoding flat of a field of type string"},
    {"int32", "fsst(flat32@0)", {WORDS(int32_t, 1, 2, 3)}, 1, RWL_UNSUPPORTED, "page encoding fsst"},
    {"string",
     "binary4(no_nulls(flat64@0), flat8+lz4@1)",
     {ENDS(1, 2, 3), BYTES(2, 0, 0, 0, 0x20, 'a', 'b')},
     2,
     RWL_CORRUPT,
     "page of 2 bytes once decompressed, 3 expected"},
    {"string", "binary4(no_nulls(flat64@0), flat8+zstd@1)", {ENDS(1, 2, 3), TEXT("abc")}, 2, RWL_CORRUPT, ""},
    {"string",
     "binary4294967296(no_nulls(flat64@0), flat8+zstd@1)",
     {ENDS(1, 2, 3), TEXT("abc")},
     2,
     RWL_UNSUPPORTED,
     "compressed page of 4294967295 values of 8 bits"},
    {"string",
     "dictionary1(no_nulls(flat8@0), binary2(no_nulls(flat64@1), flat8@2))",
     {BYTES(0, 1, 2), ENDS(1), TEXT("a")},
     3,
     RWL_CORRUPT,
     "row 2: index 2 into a dictionary of 1 values"},
    {"dict:string:int8:false",
     "dictionary1(no_nulls(flat8@0), binary2(no_nulls(flat64@1), flat8@2))",
     {BYTES(0, 0, 1), ENDS(1), TEXT("a")},
     3,
     RWL_CORRUPT,
     "row 2: index 1 into a dictionary of 1 values"},
    {"string",
     "dictionary5(no_nulls(flat8@0), binary2(no_nulls(flat64@1), flat8@2))",
     {BYTES(0, 1, 1), ENDS(1), TEXT("a")},
     3,
     RWL_CORRUPT,
     "5 values of 64 bits in a buffer of 8 bytes"},
    {"string",
     "dictionary1(no_nulls(flat12@0), binary2(no_nulls(flat64@1), flat8@2))",
     {BYTES(0, 1, 1), ENDS(1), TEXT("a")},
     3,
     RWL_CORRUPT,
     "dictionary indices of 12 bits"},
    {"string",
     "dictionary1(no_nulls(flat8@0), dictionary1(flat8@0, flat8@0))",
     {BYTES(0, 1, 1)},
     1,
     RWL_UNSUPPORTED,
     "page encoding dictionary"},
    {"list", "list0/0(no_nulls(flat64@0))", {ENDS(0, 0, 0)}, 1, RWL_CORRUPT, "null adjustment of 0"},
};

START_TEST(wrong_pages_are_named) {
    check_spec20_wrong(&WRONG[_i]);
}
END_TEST

/* Columns that do not fit together; items and structs of another number than what is above. */
START_TEST(columns_that_do_not_fit_together_are_named) {
    static const struct {
        const char *type, *encoding, *below;
        uint64_t rows_below;
        const char *says;
    } CASES[] = {
        {"list", "list3/4(no_nulls(flat64@0))", "no_nulls(flat8@0)", 2,
         "column 1: 2 rows where there have to be 3"},
        {"list", "list2/4(no_nulls(flat64@0))", "no_nulls(flat8@0)", 2, "row 1 ends at 3, behind 1 and of 2"},
        {"list", "all_nulls", "no_nulls(flat8@0)", 1, "column 1: 1 rows where there have to be 0"},
        {"struct", "struct", "no_nulls(flat8@0)", 3, "column 1: 3 rows where there have to be 2"},
        {"struct", "all_nulls", "no_nulls(flat8@0)", 2, NULL},
        {"struct", "no_nulls(flat8@0)", "no_nulls(flat8@0)", 2, NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        spec20_file spec = {
            .what = CASES[i].encoding,
            .defs = {FIELD("x", 0, -1, CASES[i].type), FIELD("y", 1, 0, "int8")},
            .def_count = 2,
            .columns = {{{{2, CASES[i].encoding, {ENDS(1, 3)}, 1}}, 1, {NULL, 0}},
                        {{{CASES[i].rows_below, CASES[i].below, {TEXT("abc")}, 1}}, 1, {NULL, 0}}},
            .column_count = 2,
            .rows = 2};
        rwl_error err;
        rwl_status st = spec20_try(&spec, &err);
        ck_assert_int_eq(st, CASES[i].says != NULL ? RWL_CORRUPT : RWL_UNSUPPORTED);
        ck_assert_msg(strstr(err.message, CASES[i].says != NULL ? CASES[i].says : "page encoding") != NULL,
                      "%s", err.message);
    }
}
END_TEST

/* --- ends of batches --- */

/* Texts of 10, 10, 1000, 10 and 0 bytes, and 4 bytes a row beside them. */
START_TEST(a_field_ends_before_it_passes_the_bytes) {
    static const uint8_t CONTENT[1030];
    static const struct {
        int64_t from;
        size_t bytes_max;
        int64_t length; /* of what is read */
    } STEPS[] = {{0, 28, 2},  {0, 27, 1}, {0, 1027, 2}, {0, 1028 + 4, 3}, {2, 100, 1},
                 {3, 100, 2}, {0, 0, 1},  {2, 0, 1},    {0, SIZE_MAX, 5}, {4, 3, 1}};
    spec20_file spec = {.what = "texts",
                        .defs = {FIELD("x", 0, -1, "string")},
                        .def_count = 1,
                        .columns = {{{{5,
                                       "binary1031(no_nulls(flat64@0), flat8@1)",
                                       {ENDS(10, 20, 1020, 1030, 1030), {CONTENT, sizeof CONTENT}},
                                       2}},
                                     1,
                                     {NULL, 0}}},
                        .column_count = 1,
                        .rows = 5};
    spec20_opened o;
    rwl_lance_field_reader *reader;
    rwl_column out;
    spec20_begin(&o, &spec);
    ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
    int64_t held = memory_file_held(&o.f);
    rwl_lance_read_field field = {&o.node, o.sources};
    ck_assert_int_eq(rwl_lance_field20_open(&o.f.op, &field, 5, &reader, &o.f.err), RWL_OK);
    rwl_column_init_flat(&out, &o.node.field.type);
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        rwl_range rows = {STEPS[i].from, 5 - STEPS[i].from};
        ck_assert_int_eq(reader->vtable->want(reader, &rows, 1, &o.f.err), RWL_OK);
        ck_assert_int_eq(reader->vtable->read(reader, STEPS[i].bytes_max, &out, &o.f.err), RWL_OK);
        ck_assert_msg(out.length == STEPS[i].length, "step %zu: %lld rows", i, (long long)out.length);
    }
    ck_assert_int_gt(reader->stats.requests, 0);
    reader->vtable->close(reader);
    rwl_column_clear(&out, &o.f.env);
    ck_assert_int_eq(o.f.op.memory_used, held);
    spec20_end(&o);
}
END_TEST

/* --- blobs --- */

/* Three blobs: "hello" and "" in the column's buffer, and null, which is a position without a size. */
START_TEST(blobs_lie_where_their_page_says) {
    static const uint64_t PLACES[][2] = {{0, 5}, {0, 0}, {1, 0}};
    spec20_file spec = {.what = "blobs",
                        .defs = {{.name = "x",
                                  .parent_id = -1,
                                  .logical_type = "large_binary",
                                  .nullable = true,
                                  .is_blob = true}},
                        .def_count = 1,
                        .columns = {{{{3,
                                       "packed@0(no_nulls(flat64@0), no_nulls(flat64@0))",
                                       {rwl_span_of(PLACES, sizeof PLACES)},
                                       1}},
                                     1,
                                     TEXT("hello")}},
                        .column_count = 1,
                        .rows = 3}; /* the column's buffer is the first of the file */
    spec20_opened o;
    rwl_buf text;
    rwl_range all = {0, 3};
    int batches;
    spec20_begin(&o, &spec);
    rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
    ck_assert_int_eq(spec20_open(&o, &spec), RWL_OK);
    rwl_status st = spec20_read(&o, 3, &all, 1, 0, &text, &batches);
    ck_assert_msg(st == RWL_OK, "%s", o.f.err.message);
    ck_assert(rwl_span_equal(rwl_buf_span(&text), rwl_span_str("\"68656c6c6f\"\n\"\"\nnull\n")));
    rwl_buf_clear(&text);
    spec20_end(&o);
}
END_TEST

/* --- a struct cut down --- */

START_TEST(a_packed_struct_gives_the_fields_that_are_asked_for) {
    const spec20_file *spec = NULL;
    for (size_t i = 0; i < FILE_COUNT; i++)
        if (strncmp(FILES[i].what, "a packed struct", 15) == 0)
            spec = &FILES[i];
    ck_assert_ptr_nonnull(spec);
    spec20_opened o;
    rwl_buf text;
    rwl_range all = {0, 2};
    int batches;
    spec20_begin(&o, spec);
    rwl_buf_init(&text, o.bytes.env, SIZE_MAX);
    ck_assert_int_eq(spec20_open(&o, spec), RWL_OK);
    rwl_type type = o.schema.nodes[0].field.type;
    rwl_field last = type.children[2];
    type.children = &last;
    type.child_count = 1;
    ck_assert_int_eq(rwl_lance_node_cut(&o.schema.nodes[0], &type, &o.arena, &o.node, &o.f.err), RWL_OK);
    rwl_status st = spec20_read(&o, 2, &all, 1, 0, &text, &batches);
    ck_assert_msg(st == RWL_OK, "%s", o.f.err.message);
    ck_assert(rwl_span_equal(rwl_buf_span(&text), rwl_span_str("{\"c\": 255}\n{\"c\": 9}\n")));
    rwl_buf_clear(&text);
    spec20_end(&o);
}
END_TEST

/* --- datasets of another implementation --- */

/* Files are found by their size: datasets with two of one size are left to the tests of lance/. */
static const char *const DATASETS[] = {"life_stable_2_0", "spill_compaction_2_0"};
enum { DATASET_COUNT = sizeof DATASETS / sizeof DATASETS[0] };

/* The place of a column among the expected ones. */
static size_t place_of(const rwl_json *columns, const char *name) {
    size_t i = 0;
    while (i < rwl_json_len(columns) && strcmp(rwl_json_str(rwl_json_at(columns, i)), name) != 0)
        i++;
    ck_assert_uint_lt(i, rwl_json_len(columns));
    return i;
}

typedef struct spilled {
    rwl_lance_node nodes[3];
    rwl_lance_source sources[3];
    rwl_lance_read_field fields[3];
    rwl_field columns[3];
    size_t places[3]; /* among the expected columns */
    int32_t count;
} spilled;

/* Lineage columns of a fragment's files: hidden fields -3, -4, -5. */
static void find_spilled(const fixture *f, const fixture_fragment *fragment, const rwl_json *facts,
                         spilled *out) {
    static const char *const NAMES[] = {"_rowid", "_row_created_at_version", "_row_last_updated_at_version"};
    const rwl_json *files = rwl_json_get(facts, "files"), *columns = rwl_json_get(f->last, "columns");
    out->count = 0;
    for (size_t k = 0; k < rwl_json_len(files); k++) {
        const rwl_json *file = rwl_json_at(files, k), *ids = rwl_json_get(file, "fields");
        const rwl_json *indices = rwl_json_get(file, "column_indices");
        for (size_t i = 0; i < rwl_json_len(ids); i++) {
            int64_t id = rwl_json_i64(rwl_json_at(ids, i));
            if (id > -3 || id < -5)
                continue;
            int32_t n = out->count++;
            out->nodes[n] = rwl_lance_node_of_lineage(NAMES[-3 - id]);
            out->sources[n] = (rwl_lance_source){
                fragment->files[k], (int32_t)(indices ? rwl_json_i64(rwl_json_at(indices, i)) : (int64_t)i)};
            out->fields[n] = (rwl_lance_read_field){&out->nodes[n], &out->sources[n]};
            out->columns[n] = out->nodes[n].field;
            out->places[n] = place_of(columns, NAMES[-3 - id]);
        }
    }
}

/* All rows of a fragment at once. */
static void read_all(fixture *f, const rwl_lance_read_field *fields, const rwl_field *columns, int32_t count,
                     int64_t rows, rwl_batch *batch) {
    rwl_lance_read_options options = {.fields = fields, .field_count = count, .row_count = rows};
    rwl_lance_reader *reader;
    rwl_range all = {0, rows};
    rwl_status st = rwl_lance_reader_new(&f->op, &options, &reader, &f->err);
    ck_assert_msg(st == RWL_OK, "%s: %s", f->dir, f->err.message);
    ck_assert_int_eq(rwl_batch_init(batch, &f->env, columns, count, &f->err), RWL_OK);
    st = rwl_lance_reader_read(reader, &all, 1, batch, &f->err);
    ck_assert_msg(st == RWL_OK, "%s: %s", f->dir, f->err.message);
    ck_assert_int_eq(batch->length, rows);
    rwl_lance_reader_free(reader);
}

static int64_t check_fragment(fixture *f, const fixture_fragment *fragment, const rwl_json *facts) {
    const rwl_json *rows = rwl_json_get(f->last, "rows");
    size_t address = place_of(rwl_json_get(f->last, "columns"), "_rowaddr");
    rwl_batch batch, lineage;
    spilled s;
    int64_t checked = 0;
    find_spilled(f, fragment, facts, &s);
    read_all(f, fragment->fields, f->schema.fields, f->schema.count, fragment->rows, &batch);
    if (s.count > 0)
        read_all(f, s.fields, s.columns, s.count, fragment->rows, &lineage);
    for (size_t i = 0; i < rwl_json_len(rows); i++) {
        const rwl_json *row = rwl_json_at(rows, i);
        int64_t at = rwl_json_i64(rwl_json_at(row, address));
        if (at >> 32 != fragment->id)
            continue;
        at &= UINT32_MAX;
        fixture_check_row(f, &batch, at, row, f->dir);
        for (int32_t k = 0; k < s.count; k++, checked++)
            ck_assert_int_eq(rwl_column_i64(&lineage.columns[k])[at],
                             rwl_json_i64(rwl_json_at(row, s.places[k])));
    }
    rwl_batch_clear(&batch);
    if (s.count > 0)
        rwl_batch_clear(&lineage);
    return checked;
}

START_TEST(lineage_and_values_are_those_of_lance) {
    fixture f;
    int64_t checked = 0;
    if (!fixture_open(&f, DATASETS[_i]))
        return;
    for (size_t i = 0; i < rwl_json_len(f.fragments); i++) {
        fixture_fragment fragment;
        fixture_open_fragment(&f, i, &fragment);
        checked += check_fragment(&f, &fragment, rwl_json_at(f.fragments, i));
        fixture_close_fragment(&fragment);
    }
    ck_assert((strncmp(DATASETS[_i], "spill", 5) == 0) == (checked > 0));
    fixture_close(&f);
}
END_TEST

Suite *lancefile_field20_suite(void) {
    Suite *s = suite_create("lancefile_field20");
    TCase *tc = tcase_create("field20");
    tcase_add_loop_test(tc, rows_are_those_of_the_pages, 0, FILE_COUNT);
    tcase_add_loop_test(tc, damaged_files_are_an_error_or_rows, 0, FILE_COUNT);
    tcase_add_loop_test(tc, wrong_pages_are_named, 0, sizeof WRONG / sizeof WRONG[0]);
    tcase_add_test(tc, columns_that_do_not_fit_together_are_named);
    tcase_add_test(tc, a_field_ends_before_it_passes_the_bytes);
    tcase_add_test(tc, blobs_lie_where_their_page_says);
    tcase_add_test(tc, a_packed_struct_gives_the_fields_that_are_asked_for);
    tcase_add_loop_test(tc, lineage_and_values_are_those_of_lance, 0, DATASET_COUNT);
    suite_add_tcase(s, tc);
    return s;
}
