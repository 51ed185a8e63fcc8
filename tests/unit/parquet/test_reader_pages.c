/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of every kind the reader knows, built by hand, and those it must refuse. */
#include "reader_support.h"
#include "suites.h"

#include "parquet/page.h"

#include <stdio.h>

#define BYTES(...)                                                                                           \
    { (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}) }
#define SPAN(...) ((rwl_span)BYTES(__VA_ARGS__))
#define LE32(v)   (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16), (uint8_t)((v) >> 24)
#define LE64(v)   LE32((uint64_t)(v)), LE32((uint64_t)(v) >> 32)
#define V1        RWL_PARQUET_DATA_PAGE
#define V2        RWL_PARQUET_DATA_PAGE_V2
#define DICT      RWL_PARQUET_DICTIONARY_PAGE

/* One column, one row group. */
static void open_one(bench *b, const column_spec *column, const page_spec *pages, int32_t page_count,
                     int64_t rows, rwl_buf *bytes, rwl_parquet_file **file) {
    column_spec c = *column;
    c.pages = pages;
    c.pages_in_group = &page_count;
    if (!c.name)
        c.name = "x";
    file_spec f = {.columns = &c, .column_count = 1, .group_rows = &rows, .group_count = 1};
    bench plain;
    memset(&plain, 0, sizeof plain);
    rwl_env_init_default(&plain.env);
    build_file(&plain, &f, bytes);
    bench_memory(b, rwl_buf_span(bytes));
    bytes->env = &b->env;
    ck_ok(b, rwl_parquet_open(b->store, &b->op, "memory", (int64_t)bytes->len, file, &b->err));
}

static void close_one(bench *b, rwl_buf *bytes, rwl_parquet_file *file) {
    rwl_parquet_close(file);
    rwl_buf_clear(bytes);
    bench_free(b);
}

/* The text of every row, nulls as "-", separated by blanks. */
static void show(const rwl_column *c, const rwl_env *env, char *out, size_t size) {
    size_t used = 0;
    for (int64_t i = 0; i < c->length; i++) {
        rwl_buf text;
        rwl_buf_init(&text, env, SIZE_MAX);
        rwl_value v = rwl_column_value(c, i);
        if (v.is_null)
            ck_assert_int_eq(rwl_buf_str(&text, "-", NULL), RWL_OK);
        else
            ck_assert_int_eq(rwl_value_format(&c->type, &v, &text, NULL), RWL_OK);
        ck_assert_int_eq(rwl_buf_terminate(&text, NULL), RWL_OK);
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", (char *)text.data);
        rwl_buf_clear(&text);
    }
}

typedef struct page_case {
    const char *name;
    column_spec column;
    page_spec pages[4];
    int32_t page_count;
    int64_t rows;
    const char *want;
} page_case;

#define INT_OPTIONAL                                                                                         \
    { .physical = RWL_PARQUET_INT32, .converted = -1, .optional = true }
#define INT_REQUIRED                                                                                         \
    { .physical = RWL_PARQUET_INT32, .converted = -1 }
#define TEXT_OPTIONAL                                                                                        \
    { .physical = RWL_PARQUET_BYTE_ARRAY, .converted = 0, .optional = true }
/* levels: packed 8 rows 1 0 1 1 0 0 0 1 is 0x8d */

static const page_case good[] = {
    {"v1, plain, no levels",
     INT_REQUIRED,
     {{V1, RWL_PARQUET_PLAIN, 3, .values = BYTES(LE32(1), LE32(2), LE32(-3))}},
     1,
     3,
     "1 2 -3"},
    {"v1, packed levels",
     INT_OPTIONAL,
     {{V1, RWL_PARQUET_PLAIN, 8, .levels = BYTES(0x03, 0x8d),
       .values = BYTES(LE32(1), LE32(2), LE32(3), LE32(4)), .with_crc = true}},
     1,
     8,
     "1 - 2 3 - - - 4"},
    {"v1, level runs",
     INT_OPTIONAL,
     {{V1, RWL_PARQUET_PLAIN, 5, .levels = BYTES(0x04, 0x01, 0x06, 0x00), .values = BYTES(LE32(1), LE32(2))}},
     1,
     5,
     "1 2 - - -"},
    {"all null, no values at all",
     INT_OPTIONAL,
     {{V1, RWL_PARQUET_PLAIN, 5, .levels = BYTES(0x0a, 0x00)},
      {V1, RWL_PARQUET_PLAIN, 1, .levels = BYTES(0x02, 0x01), .values = BYTES(LE32(7))}},
     2,
     6,
     "- - - - - 7"},
    {"pages without rows between",
     INT_REQUIRED,
     {{V1, .value_count = 0},
      {V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1))},
      {V1, .value_count = 0},
      {V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(2))}},
     4,
     2,
     "1 2"},
    {"dictionary, then plain",
     TEXT_OPTIONAL,
     {{DICT, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(2), 'a', 'b', LE32(0))},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 8, .levels = BYTES(0x03, 0x8d),
       .values = BYTES(1, 0x03, 0x05)}, /* 1 0 1 0 */
      {V1, RWL_PARQUET_PLAIN, 3, .levels = BYTES(0x03, 0x05),
       .values = BYTES(LE32(1), 'c', LE32(3), 'd', 'e', 'f')}},
     3,
     11,
     " - ab  - - - ab c - def"},
    {"dictionary by its old name, run of indexes",
     INT_REQUIRED,
     {{DICT, RWL_PARQUET_PLAIN_DICTIONARY, 2, .values = BYTES(LE32(10), LE32(20))},
      {V1, RWL_PARQUET_PLAIN_DICTIONARY, 4, .values = BYTES(1, 0x06, 0x01, 0x03, 0x00)}},
     2,
     4,
     "20 20 20 10"},
    {"indexes of no bits",
     INT_REQUIRED,
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(10))},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 3, .values = BYTES(0)}},
     2,
     3,
     "10 10 10"},
    {"null page of a dictionary column",
     INT_OPTIONAL,
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(10))},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 2, .levels = BYTES(0x04, 0x00)},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 1, .levels = BYTES(0x02, 0x01), .values = BYTES(1, 0x02, 0x00)}},
     3,
     3,
     "- - 10"},
    {"v2, snappy",
     {.physical = RWL_PARQUET_INT64, .converted = -1, .optional = true, .codec = 1},
     {{V2, RWL_PARQUET_PLAIN, 8, 4, .levels = BYTES(0x03, 0x8d),
       .values = BYTES(LE64(1), LE64(2), LE64(3), LE64(INT64_MIN))}},
     1,
     8,
     "1 - 2 3 - - - -9223372036854775808"},
    {"v2, zstd, left uncompressed",
     {.physical = RWL_PARQUET_INT64, .converted = -1, .optional = true, .codec = 6},
     {{V2, RWL_PARQUET_PLAIN, 2, 1, .levels = BYTES(0x03, 0x02), .values = BYTES(LE64(5)), .plain_v2 = true,
       .with_crc = true}},
     1,
     2,
     "- 5"},
    {"v2, only nulls, no compressed bytes",
     {.physical = RWL_PARQUET_INT64, .converted = -1, .optional = true, .codec = 6},
     {{V2, RWL_PARQUET_PLAIN, 2, 2, .levels = BYTES(0x04, 0x00), .plain_v2 = true}},
     1,
     2,
     "- -"},
    {"v2, pages without levels among pages with nulls",
     INT_OPTIONAL,
     {{V2, RWL_PARQUET_PLAIN, 2, 0, .values = BYTES(LE32(5), LE32(6))},
      {V2, RWL_PARQUET_PLAIN, 2, 1, .levels = BYTES(0x03, 0x02), .values = BYTES(LE32(7))},
      {V2, RWL_PARQUET_PLAIN, 2, 0, .values = BYTES(LE32(8), LE32(9))}},
     3,
     6,
     "5 6 - 7 8 9"},
    {"v1, gzip",
     {.physical = RWL_PARQUET_INT32, .converted = -1, .codec = 2},
     {{V1, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(5), LE32(6)), .with_crc = true}},
     1,
     2,
     "5 6"},
    {"booleans, plain",
     {.physical = RWL_PARQUET_BOOLEAN, .converted = -1},
     {{V1, RWL_PARQUET_PLAIN, 10, .values = BYTES(0xa5, 0x02)}},
     1,
     10,
     "true false true false false true false true false true"},
    {"booleans, runs and nulls",
     {.physical = RWL_PARQUET_BOOLEAN, .converted = -1, .optional = true},
     {{V2, RWL_PARQUET_RLE, 8, 4, .levels = BYTES(0x03, 0x8d),
       .values = BYTES(LE32(4), 0x06, 0x01, 0x02, 0x00)}},
     1,
     8,
     "true - true true - - - false"},
    {"decimals as INT32",
     {.physical = RWL_PARQUET_INT32, .converted = 5, .scale = 2, .precision = 9},
     {{V1, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(-5), LE32(123))}},
     1,
     2,
     "-0.05 1.23"},
    {"decimals as INT64",
     {.physical = RWL_PARQUET_INT64, .converted = 5, .scale = 0, .precision = 18},
     {{V1, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE64(-5), LE64(123))}},
     1,
     2,
     "-5 123"},
    {"decimals of 3 bytes",
     {.physical = RWL_PARQUET_FIXED, .type_length = 3, .converted = 5, .scale = 1, .precision = 6},
     {{V1, RWL_PARQUET_PLAIN, 3, .values = BYTES(0xff, 0xff, 0xff, 0, 1, 0, 0x7f, 0xff, 0xff)}},
     1,
     3,
     "-0.1 25.6 838860.7"},
    {"decimals of 9 bytes",
     {.physical = RWL_PARQUET_FIXED, .type_length = 9, .converted = 5, .scale = 0, .precision = 20},
     {{V1, RWL_PARQUET_PLAIN, 2, .values = BYTES(0xff, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)}},
     1,
     2,
     "-18446744073709551616 18446744073709551616"},
    {"decimals of 17 bytes",
     {.physical = RWL_PARQUET_FIXED, .type_length = 17, .converted = 5, .scale = 0, .precision = 38},
     {{V1, RWL_PARQUET_PLAIN, 1,
       .values = BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                       0xff, 0xff, 0xfe)}},
     1,
     1,
     "-2"},
    {"decimals as bytes, by dictionary",
     {.physical = RWL_PARQUET_BYTE_ARRAY, .converted = 5, .scale = 2, .precision = 5},
     {{DICT, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(1), 0x80, LE32(2), 0x01, 0x00)},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 3, .values = BYTES(1, 0x03, 0x02)},
      {V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1), 9)}},
     3,
     4,
     "-1.28 2.56 -1.28 0.09"},
    {"unsigned 32 bits",
     {.physical = RWL_PARQUET_INT32, .converted = 13},
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0xfffffffe))}},
     1,
     1,
     "4294967294"},
    {"time in milliseconds",
     {.physical = RWL_PARQUET_INT32, .converted = 7},
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1001))}},
     1,
     1,
     "00:00:01.001000"},
    {"timestamps in milliseconds",
     {.physical = RWL_PARQUET_INT64, .converted = 9, .optional = true},
     {{V1, RWL_PARQUET_PLAIN, 3, .levels = BYTES(0x03, 0x05), .values = BYTES(LE64(-1), LE64(1001))}},
     1,
     3,
     "1969-12-31T23:59:59.999000+00:00 - 1970-01-01T00:00:01.001000+00:00"},
    /* Julian days: 0001-01-01 is 1721426 (proleptic Gregorian), 1970-01-01 2440588, 9999-12-31 5373484 */
    {"INT96",
     {.physical = RWL_PARQUET_INT96, .converted = -1},
     {{V1, RWL_PARQUET_PLAIN, 3,
       .values =
           BYTES(LE64(0), LE32(1721426), LE64(1999), LE32(2440588), LE64(86399999999999), LE32(5373484))}},
     1,
     3,
     "0001-01-01T00:00:00.000000+00:00 1970-01-01T00:00:00.000001+00:00 9999-12-31T23:59:59.999999+00:00"},
    {"fixed of 3 bytes with nulls",
     {.physical = RWL_PARQUET_FIXED, .type_length = 3, .converted = -1, .optional = true},
     {{V1, RWL_PARQUET_PLAIN, 3, .levels = BYTES(0x03, 0x05), .values = BYTES(1, 2, 3, 0xa, 0xb, 0xc)}},
     1,
     3,
     "010203 - 0a0b0c"},
};

START_TEST(reads_pages) {
    const page_case *k = &good[_i];
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    open_one(&b, &k->column, k->pages, k->page_count, k->rows, &bytes, &file);
    for (int64_t batch_rows = 1; batch_rows < 20; batch_rows += 3) {
        rwl_column c;
        char got[1024] = "";
        ck_ok(&b, read_leaf(&b, file, 0, batch_rows, &c));
        show(&c, &b.env, got, sizeof got);
        ck_assert_msg(strcmp(got, k->want) == 0, "%s: \"%s\"", k->name, got);
        /* slots of nulls hold zeros */
        int32_t width = rwl_type_width(&c.type);
        for (int64_t i = 0; width > 0 && i < c.length; i++)
            for (int32_t j = 0; rwl_column_is_null(&c, i) && j < width; j++)
                ck_assert_uint_eq(c.values.data[i * width + j], 0);
        rwl_column_clear(&c, &b.env);
    }
    close_one(&b, &bytes, file);
}
END_TEST

/* From every row on, the rest is read. */
START_TEST(reads_from_every_row_on) {
    const page_case *k = &good[_i];
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    open_one(&b, &k->column, k->pages, k->page_count, k->rows, &bytes, &file);
    rwl_column all;
    ck_ok(&b, read_leaf(&b, file, 0, 0, &all));
    for (int64_t first = 0; first <= k->rows; first++)
        for (int64_t count = -1; count <= k->rows; count++) {
            int32_t leaf = 0;
            rwl_parquet_read_options o = {
                .nodes = &leaf, .node_count = 1, .first_row = first, .row_count = count, .batch_rows = 2};
            rwl_batch got;
            ck_ok(&b, read_rows(&b, file, &o, &got, NULL));
            int64_t want = count < 0 || count > k->rows - first ? k->rows - first : count;
            ck_assert_int_eq(got.columns[0].length, want);
            for (int64_t i = 0; i < want; i++) {
                rwl_value x = rwl_column_value(&got.columns[0], i), y = rwl_column_value(&all, first + i);
                ck_assert_msg(rwl_value_equal(&x, &y), "%s: from %lld: row %lld", k->name, (long long)first,
                              (long long)i);
            }
            rwl_batch_clear(&got);
        }
    rwl_column_clear(&all, &b.env);
    close_one(&b, &bytes, file);
}
END_TEST

typedef struct bad_case {
    const char *name;
    column_spec column;
    page_spec pages[3];
    int32_t page_count;
    int64_t rows;
    rwl_status want;
    const char *message; /* part of it */
} bad_case;

#define NAMED(...)                                                                                           \
    { .name = "price", .converted = -1, __VA_ARGS__ }

static const bad_case bad[] = {
    {"delta",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_DELTA_BINARY_PACKED, 1, .values = BYTES(0, 0, 0)}},
     1,
     1,
     RWL_CORRUPT,
     "column price: input ends"},
    {"byte stream split",
     NAMED(.physical = RWL_PARQUET_BYTE_ARRAY),
     {{V1, RWL_PARQUET_BYTE_STREAM_SPLIT, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_UNSUPPORTED,
     "column price: encoding BYTE_STREAM_SPLIT is not supported"},
    {"unknown encoding",
     NAMED(.physical = RWL_PARQUET_FLOAT),
     {{V1, 42, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_UNSUPPORTED,
     "column price"},
    {"run-length integers",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_RLE, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_UNSUPPORTED,
     "encoding RLE is not"},
    {"levels in another encoding",
     NAMED(.physical = RWL_PARQUET_INT32, .optional = true),
     {{V1, RWL_PARQUET_PLAIN, 1, .levels = BYTES(1), .values = BYTES(LE32(0)),
       .level_encoding = RWL_PARQUET_DELTA_BINARY_PACKED}},
     1,
     1,
     RWL_UNSUPPORTED,
     "levels in encoding DELTA_BINARY_PACKED"},
    {"bit-packed levels that are too short",
     NAMED(.physical = RWL_PARQUET_INT32, .optional = true),
     {{V1, RWL_PARQUET_PLAIN, 64, .levels = BYTES(1), .level_encoding = RWL_PARQUET_BIT_PACKED}},
     1,
     64,
     RWL_CORRUPT,
     "levels of 8 bytes in a page of 5"},
    {"lzo",
     NAMED(.physical = RWL_PARQUET_INT32, .lie_codec = 3),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_UNSUPPORTED,
     "column price: codec LZO is not supported"},
    {"broken lz4",
     NAMED(.physical = RWL_PARQUET_INT32, .lie_codec = 5),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_CORRUPT,
     "column price: lz4 data"},
    {"broken brotli",
     NAMED(.physical = RWL_PARQUET_INT32, .lie_codec = 4),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_CORRUPT,
     "column price: brotli data"},
    {"wrong checksum",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0)), .wrong_crc = true}},
     1,
     1,
     RWL_CORRUPT,
     "row group 0: column price: page at offset"},
    {"too few values",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(0))}},
     1,
     2,
     RWL_CORRUPT,
     "ends before"},
    {"no values",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, .value_count = 2}},
     1,
     2,
     RWL_CORRUPT,
     "ends before"},
    {"too few rows",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0))}},
     1,
     3,
     RWL_CORRUPT,
     "chunk ends 2 rows too early"},
    {"too many rows",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(0), LE32(1))}},
     1,
     1,
     RWL_CORRUPT,
     "page of 2 rows where 1 are left"},
    {"string past the page",
     NAMED(.physical = RWL_PARQUET_BYTE_ARRAY),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(2), 'a')}},
     1,
     1,
     RWL_CORRUPT,
     "ends before"},
    {"string of 4 GiB",
     NAMED(.physical = RWL_PARQUET_BYTE_ARRAY),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0xffffffff), 'a')}},
     1,
     1,
     RWL_CORRUPT,
     "ends before"},
    {"index without dictionary",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_RLE_DICTIONARY, 1, .values = BYTES(1, 2, 0)}},
     1,
     1,
     RWL_CORRUPT,
     "without a dictionary"},
    {"index past the dictionary, packed",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1))},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 2, .values = BYTES(1, 3, 2)}},
     2,
     2,
     RWL_CORRUPT,
     "index 1 of a dictionary of 1"},
    {"index past the dictionary, run",
     NAMED(.physical = RWL_PARQUET_BYTE_ARRAY),
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1), 'a')},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 2, .values = BYTES(32, 4, LE32(0x80000000))}},
     2,
     2,
     RWL_CORRUPT,
     "index 2147483648 of a dictionary of 1"},
    {"empty dictionary",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{DICT, .value_count = 0}, {V1, RWL_PARQUET_RLE_DICTIONARY, 1, .values = BYTES(0)}},
     2,
     1,
     RWL_CORRUPT,
     "dictionary of 0"},
    {"index width 33",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1))},
      {V1, RWL_PARQUET_RLE_DICTIONARY, 1, .values = BYTES(33, 2, 0)}},
     2,
     1,
     RWL_CORRUPT,
     "33"},
    {"dictionary longer than its page",
     NAMED(.physical = RWL_PARQUET_INT64),
     {{DICT, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE64(1))}},
     1,
     1,
     RWL_CORRUPT,
     "dictionary of 2 values in 8 bytes"},
    {"dictionary string past its page",
     NAMED(.physical = RWL_PARQUET_BYTE_ARRAY),
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(9), 'a')}},
     1,
     1,
     RWL_CORRUPT,
     "value of 9 bytes"},
    {"two dictionaries",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1))},
      {DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1))}},
     2,
     1,
     RWL_CORRUPT,
     "behind other pages"},
    {"dictionary of booleans",
     NAMED(.physical = RWL_PARQUET_BOOLEAN),
     {{DICT, RWL_PARQUET_PLAIN, 1, .values = BYTES(1)}},
     1,
     1,
     RWL_CORRUPT,
     "dictionary of booleans"},
    {"level 2",
     NAMED(.physical = RWL_PARQUET_INT32, .optional = true),
     {{V1, RWL_PARQUET_PLAIN, 2, .levels = BYTES(0x04, 2), .values = BYTES(LE32(1))}},
     1,
     2,
     RWL_CORRUPT,
     "level 2"},
    {"levels too short",
     NAMED(.physical = RWL_PARQUET_INT32, .optional = true),
     {{V1, RWL_PARQUET_PLAIN, 9, .levels = BYTES(0x03, 0), .values = BYTES(LE32(1))}},
     1,
     9,
     RWL_CORRUPT,
     "ends too early"},
    {"levels longer than the page",
     NAMED(.physical = RWL_PARQUET_INT32, .optional = true),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(100))}},
     1,
     1,
     RWL_CORRUPT,
     "levels of 100 bytes in a page of 4"},
    {"page that claims a gigabyte",
     NAMED(.physical = RWL_PARQUET_INT32, .codec = 1),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1)), .lie_uncompressed = 1 << 30}},
     1,
     1,
     RWL_CORRUPT,
     "can't hold"},
    {"page longer than it says",
     NAMED(.physical = RWL_PARQUET_INT32, .codec = 6),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1), LE32(2)), .lie_uncompressed = 4}},
     1,
     1,
     RWL_CORRUPT,
     "column price"},
    {"uncompressed page of another size",
     NAMED(.physical = RWL_PARQUET_INT32),
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(1), LE32(2)), .lie_uncompressed = 4}},
     1,
     1,
     RWL_CORRUPT,
     "page of 4 bytes holds 8"},
    {"timestamp past the end of time",
     {.name = "at", .physical = RWL_PARQUET_INT64, .converted = 9},
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE64(INT64_MAX / 1000 + 1))}},
     1,
     1,
     RWL_CORRUPT,
     "too large for microseconds"},
    {"page without a byte",
     {.name = "x", .physical = RWL_PARQUET_INT32, .converted = -1},
     {{V2, RWL_PARQUET_PLAIN, .value_count = 2}},
     1,
     2,
     RWL_CORRUPT,
     "page ends before its values do"},
    {"decimal of no bytes",
     {.name = "d", .physical = RWL_PARQUET_BYTE_ARRAY, .converted = 5, .precision = 5},
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0))}},
     1,
     1,
     RWL_CORRUPT,
     "decimal of 0 bytes"},
    {"interval",
     {.name = "i", .physical = RWL_PARQUET_FIXED, .type_length = 12, .converted = 21},
     {{V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(0), LE32(0), LE32(0))}},
     1,
     1,
     RWL_UNSUPPORTED,
     "column i: type INTERVAL is not supported"},
};

START_TEST(refuses_bad_pages) {
    const bad_case *k = &bad[_i];
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    rwl_column c;
    open_one(&b, &k->column, k->pages, k->page_count, k->rows, &bytes, &file);
    rwl_status st = read_leaf(&b, file, 0, 0, &c);
    ck_assert_msg(st == k->want && strstr(b.err.message, k->message), "%s: status %d: %s", k->name, st,
                  b.err.message);
    ck_assert_str_eq(b.err.path, "memory");
    rwl_column_clear(&c, &b.env);
    close_one(&b, &bytes, file);
}
END_TEST

/* A few bytes of nulls must not become a batch of gigabytes. */
START_TEST(long_fixed_values_make_short_batches) {
    column_spec column = {
        .physical = RWL_PARQUET_FIXED, .type_length = 100000, .converted = -1, .optional = true};
    /* a run of 50000 levels 0: varint(100000) = a0 8d 06 */
    page_spec page = {V1, RWL_PARQUET_PLAIN, 50000, .levels = BYTES(0xa0, 0x8d, 0x06, 0x00)};
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    open_one(&b, &column, &page, 1, 50000, &bytes, &file);
    int32_t leaf = 0;
    rwl_parquet_read_options o = {.nodes = &leaf, .node_count = 1, .row_count = -1, .batch_bytes = 1000000};
    rwl_parquet_reader *r;
    rwl_batch batch;
    int64_t pos;
    ck_ok(&b, rwl_batch_init(&batch, &b.env, &file->leaves[0].field, 1, &b.err));
    ck_ok(&b, rwl_parquet_reader_new(b.store, &b.op, file, &o, &r, &b.err));
    for (int64_t rows = 0; rows < 50; rows += 10) { /* 10^6 / 10^5 */
        ck_ok(&b, rwl_parquet_reader_next(r, &batch, &pos, &b.err));
        ck_assert_int_eq(pos, rows);
        ck_assert_int_eq(batch.length, 10);
        ck_assert_int_eq(batch.columns[0].null_count, 10);
    }
    rwl_parquet_reader_free(r);
    o.batch_bytes = 99999; /* not even one */
    ck_ok(&b, rwl_parquet_reader_new(b.store, &b.op, file, &o, &r, &b.err));
    ck_ok(&b, rwl_parquet_reader_next(r, &batch, &pos, &b.err));
    ck_assert_int_eq(batch.length, 1);
    rwl_parquet_reader_free(r);
    rwl_batch_clear(&batch);
    close_one(&b, &bytes, file);
}
END_TEST

/* Whatever is cut off or changed, there is an answer. */
START_TEST(survives_every_changed_byte) {
    const page_case *k = &good[_i];
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
    open_one(&b, &k->column, k->pages, k->page_count, k->rows, &bytes, &file);
    rwl_parquet_close(file);
    for (size_t i = 0; i < bytes.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.data[i] ^= (uint8_t)(1 << bit);
            if (rwl_parquet_open(b.store, &b.op, "memory", -1, &file, &b.err) == RWL_OK) {
                for (int32_t leaf = 0; leaf < file->leaf_count; leaf++) {
                    rwl_column c;
                    if (file->row_count < 1000) /* else there are that many nulls: fine, but slow */
                        (void)!read_leaf(&b, file, leaf, 0, &c), rwl_column_clear(&c, &b.env);
                }
                rwl_parquet_close(file);
            }
            bytes.data[i] ^= (uint8_t)(1 << bit);
        }
    close_one(&b, &bytes, NULL);
}
END_TEST

Suite *reader_pages_suite(void) {
    Suite *s = suite_create("reader_pages");
    TCase *t = tcase_create("pages");
    tcase_set_timeout(t, 60);
    int n = (int)(sizeof good / sizeof good[0]);
    tcase_add_loop_test(t, reads_pages, 0, n);
    tcase_add_loop_test(t, reads_from_every_row_on, 0, n);
    tcase_add_loop_test(t, refuses_bad_pages, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, long_fixed_values_make_short_batches);
    tcase_add_loop_test(t, survives_every_changed_byte, 0, n);
    suite_add_tcase(s, t);
    return s;
}
