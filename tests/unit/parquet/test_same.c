/* SPDX-License-Identifier: Apache-2.0 */
/* Pages walked as they are stored, and when columns and pages of two files are read alike. */
#include "reader_support.h"
#include "suites.h"

#include "parquet/page_walk.h"
#include "parquet/same.h"

#define BYTES(...)                                                                                           \
    { (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}) }
#define LE32(v) (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16), (uint8_t)((v) >> 24)

enum { V1 = RWL_PARQUET_DATA_PAGE, DICT = RWL_PARQUET_DICTIONARY_PAGE };

typedef struct opened {
    bench b;
    rwl_buf bytes;
    rwl_parquet_file *file;
} opened;

static const page_spec pages[] = {
    {DICT, RWL_PARQUET_PLAIN, 2, .values = BYTES(LE32(7), LE32(9))},
    {V1, RWL_PARQUET_RLE_DICTIONARY, 3, .values = BYTES(1, 3, 2)},
    {V1, RWL_PARQUET_PLAIN, 1, .values = BYTES(LE32(5)), .with_crc = true},
};

static void open_with(opened *o, column_spec column) {
    const int32_t page_count = 3;
    const int64_t rows = 4;
    column.name = column.name != NULL ? column.name : "x";
    column.pages = pages;
    column.pages_in_group = &page_count;
    const file_spec spec = {.columns = &column, .column_count = 1, .group_rows = &rows, .group_count = 1};
    bench plain;
    memset(&plain, 0, sizeof plain);
    rwl_env_init_default(&plain.env);
    build_file(&plain, &spec, &o->bytes);
    bench_memory(&o->b, rwl_buf_span(&o->bytes));
    o->bytes.env = &o->b.env;
    ck_ok(&o->b,
          rwl_parquet_open(o->b.store, &o->b.op, "memory", (int64_t)o->bytes.len, &o->file, &o->b.err));
}

static void close_it(opened *o) {
    rwl_parquet_close(o->file);
    rwl_buf_clear(&o->bytes);
    bench_free(&o->b);
}

#define INT_COLUMN                                                                                           \
    { .physical = RWL_PARQUET_INT32, .converted = -1, .id = 1 }

START_TEST(walks_every_page_of_a_chunk) {
    opened o;
    rwl_file *handle;
    rwl_parquet_walk walk;
    bool found;
    open_with(&o, (column_spec)INT_COLUMN);
    ck_ok(&o.b, rwl_file_open(o.b.store, &o.b.op, "memory", &handle, &o.b.err));
    rwl_parquet_walk_init(&walk, &o.b.op);
    for (int pass = 0; pass < 2; pass++) { /* from the start again */
        rwl_parquet_walk_begin(&walk, handle, &o.file->groups[0].chunks[0]);
        for (int i = 0; i < 3; i++) {
            rwl_span body;
            ck_ok(&o.b, rwl_parquet_walk_next(&walk, &found, &o.b.err));
            ck_assert(found);
            ck_assert_int_eq(walk.header.type, pages[i].type);
            ck_assert_int_eq(walk.header.value_count, pages[i].value_count);
            ck_ok(&o.b, rwl_parquet_walk_body(&walk, &body, &o.b.err));
            ck_assert_uint_eq(body.len, pages[i].values.len);
            ck_assert_mem_eq(body.data, pages[i].values.data, body.len);
        }
        ck_ok(&o.b, rwl_parquet_walk_next(&walk, &found, &o.b.err));
        ck_assert(!found);
    }
    rwl_parquet_walk_clear(&walk);
    rwl_file_close(handle);
    close_it(&o);
}
END_TEST

/* What the chunk is said to be, against what is in it. */
static void expect_corrupt(int64_t more_values, int64_t more_bytes, const char *message) {
    opened o;
    rwl_file *handle;
    rwl_parquet_walk walk;
    bool found = true;
    open_with(&o, (column_spec)INT_COLUMN);
    rwl_parquet_chunk chunk = o.file->groups[0].chunks[0];
    chunk.value_count += more_values;
    chunk.compressed_size += more_bytes;
    ck_ok(&o.b, rwl_file_open(o.b.store, &o.b.op, "memory", &handle, &o.b.err));
    rwl_parquet_walk_init(&walk, &o.b.op);
    rwl_parquet_walk_begin(&walk, handle, &chunk);
    rwl_status st = RWL_OK;
    while (st == RWL_OK && found)
        st = rwl_parquet_walk_next(&walk, &found, &o.b.err);
    ck_assert_int_eq(st, RWL_CORRUPT);
    ck_assert_msg(strstr(o.b.err.message, message) != NULL, "%s", o.b.err.message);
    rwl_parquet_walk_clear(&walk);
    rwl_file_close(handle);
    close_it(&o);
}

START_TEST(chunks_that_are_not_what_they_are_said_to_be_are_corrupt) {
    expect_corrupt(1, 0, "chunk ends before its values do");
    expect_corrupt(-2, 0, "page of 3 values where 2 are left");
    expect_corrupt(0, -1, "passes the end of its chunk");
    expect_corrupt(0, -6, "page header at offset");
}
END_TEST

typedef struct column_case {
    const char *what;
    column_spec column;
    bool same;
} column_case;

/* Against an int with id 1, required. */
static const column_case columns[] = {
    {"the same", INT_COLUMN, true},
    {"another name, the same id",
     {.name = "y", .physical = RWL_PARQUET_INT32, .converted = -1, .id = 1},
     true},
    {"another id", {.physical = RWL_PARQUET_INT32, .converted = -1, .id = 2}, false},
    {"optional", {.physical = RWL_PARQUET_INT32, .converted = -1, .id = 1, .optional = true}, false},
    {"another physical type", {.physical = RWL_PARQUET_FLOAT, .converted = -1, .id = 1}, false},
    {"DATE", {.physical = RWL_PARQUET_INT32, .converted = 6, .id = 1}, false},
    {"TIME_MILLIS", {.physical = RWL_PARQUET_INT32, .converted = 7, .id = 1}, false},
    {"INT_8", {.physical = RWL_PARQUET_INT32, .converted = 15, .id = 1}, false},
    {"UINT_32", {.physical = RWL_PARQUET_INT32, .converted = 13, .id = 1}, false},
    {"DECIMAL(5, 2)",
     {.physical = RWL_PARQUET_INT32, .converted = 5, .precision = 5, .scale = 2, .id = 1},
     false},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

START_TEST(columns_are_the_same_when_they_are_read_alike) {
    opened a, b;
    open_with(&a, (column_spec)INT_COLUMN);
    open_with(&b, columns[_i].column);
    ck_assert_msg(rwl_parquet_same_node(a.file, &a.file->nodes[0], b.file, &b.file->nodes[0]) ==
                      columns[_i].same,
                  "%s", columns[_i].what);
    close_it(&b);
    close_it(&a);
}
END_TEST

START_TEST(headers_are_the_same_when_equal_bodies_are_equal_entries) {
    rwl_parquet_leaf leaf = {.max_definition = 1, .max_repetition = 1};
    const rwl_parquet_page_header v1 = {.type = V1,
                                        .uncompressed_size = 9,
                                        .compressed_size = 8,
                                        .value_count = 5,
                                        .encoding = RWL_PARQUET_RLE_DICTIONARY,
                                        .definition_encoding = RWL_PARQUET_RLE,
                                        .repetition_encoding = RWL_PARQUET_RLE,
                                        .null_count = -1,
                                        .row_count = -1,
                                        .is_compressed = true};
    rwl_parquet_page_header h = v1, v2 = v1;
    h.encoding = RWL_PARQUET_PLAIN_DICTIONARY; /* an older name */
    h.has_crc = true;
    ck_assert(rwl_parquet_same_page(&leaf, &v1, &h));
#define DIFFERS(base, field, value)                                                                          \
    do {                                                                                                     \
        h = (base);                                                                                          \
        h.field = (value);                                                                                   \
        ck_assert_msg(!rwl_parquet_same_page(&leaf, &(base), &h), "%s", #field);                             \
    } while (0)
    DIFFERS(v1, type, RWL_PARQUET_DATA_PAGE_V2);
    DIFFERS(v1, uncompressed_size, 10);
    DIFFERS(v1, compressed_size, 9);
    DIFFERS(v1, value_count, 4);
    DIFFERS(v1, encoding, RWL_PARQUET_PLAIN);
    DIFFERS(v1, definition_encoding, RWL_PARQUET_BIT_PACKED);
    DIFFERS(v1, repetition_encoding, RWL_PARQUET_BIT_PACKED);
    v2.type = RWL_PARQUET_DATA_PAGE_V2;
    v2.null_count = v2.row_count = v2.definition_len = v2.repetition_len = 2;
    ck_assert(rwl_parquet_same_page(&leaf, &v2, &v2));
    DIFFERS(v2, null_count, 1);
    DIFFERS(v2, row_count, 3);
    DIFFERS(v2, definition_len, 3);
    DIFFERS(v2, repetition_len, 1);
    DIFFERS(v2, is_compressed, false);
#undef DIFFERS
    leaf = (rwl_parquet_leaf){0}; /* no levels: what they would be is no matter */
    h = v1;
    h.definition_encoding = h.repetition_encoding = RWL_PARQUET_BIT_PACKED;
    ck_assert(rwl_parquet_same_page(&leaf, &v1, &h));
}
END_TEST

Suite *same_suite(void) {
    Suite *s = suite_create("same");
    TCase *tc = tcase_create("same");
    tcase_add_test(tc, walks_every_page_of_a_chunk);
    tcase_add_test(tc, chunks_that_are_not_what_they_are_said_to_be_are_corrupt);
    tcase_add_loop_test(tc, columns_are_the_same_when_they_are_read_alike, 0, COLUMN_COUNT);
    tcase_add_test(tc, headers_are_the_same_when_equal_bodies_are_equal_entries);
    suite_add_tcase(s, tc);
    return s;
}
