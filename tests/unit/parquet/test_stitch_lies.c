/* SPDX-License-Identifier: Apache-2.0 */
/* Stitching files whose pages, headers or indexes say what is not so: the right rows or an error, never others. */
#include "stitch_support.h"
#include "suites.h"

#include "parquet/output.h"

#include <stdlib.h>
#include <unistd.h>

/* A data page made by hand, PLAIN unless told otherwise. */
typedef struct hand_page {
    const void *body;
    size_t len;
    int32_t values, rows; /* as header and index say */
    int32_t encoding;
} hand_page;

/* Writes a file of one column without compression, of these pages. */
static void write_pages(const char *path, const rwl_field *field, const hand_page *pages, size_t count,
                        bool with_crc) {
    rwl_arena arena;
    rwl_arena_init(&arena, &stitch_env, 0);
    rwl_parquet_write_schema schema;
    rwl_parquet_output_options options = {0};
    rwl_parquet_output *output;
    rwl_parquet_chunk_write *chunk;
    rwl_parquet_written written;
    int64_t rows = 0;
    stitch_ok(rwl_parquet_write_schema_make(field, 1, &arena, &schema, &stitch_error));
    stitch_ok(rwl_parquet_chunk_new(&stitch_env, &schema.leaves[0], RWL_CODEC_NONE, &chunk, &stitch_error));
    for (size_t i = 0; i < count; i++) {
        rwl_span body = rwl_span_of(pages[i].body, pages[i].len);
        rwl_parquet_page_header h = {.type = RWL_PARQUET_DATA_PAGE,
                                     .compressed_size = (int32_t)body.len,
                                     .uncompressed_size = (int32_t)body.len,
                                     .value_count = pages[i].values,
                                     .encoding = pages[i].encoding,
                                     .definition_encoding = RWL_PARQUET_RLE,
                                     .repetition_encoding = RWL_PARQUET_RLE,
                                     .has_crc = with_crc,
                                     .crc = rwl_crc32(0, body)};
        rwl_parquet_page_facts facts = {.row_count = pages[i].rows, .null_count = -1, .unencoded_bytes = -1};
        stitch_ok(rwl_parquet_chunk_page(chunk, &h, body, &facts, &stitch_error));
        rows += pages[i].rows;
    }
    stitch_ok(
        rwl_parquet_output_open(stitch_store, &stitch_op, path, &schema, &options, &output, &stitch_error));
    stitch_ok(rwl_parquet_output_group(output, &chunk, rows, NULL, 0, &stitch_error));
    stitch_ok(rwl_parquet_output_finish(output, &written, &stitch_error));
    rwl_parquet_written_clear(&written);
    rwl_parquet_chunk_free(chunk);
    rwl_arena_clear(&arena);
}

/* Replaces the last occurrence of `from` in the file. */
static void patch_file(const char *path, const char *from, size_t len, const char *to) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, &stitch_env, SIZE_MAX);
    stitch_ok(rwl_store_read_all(stitch_store, &stitch_op, path, &bytes, &stitch_error));
    size_t at = bytes.len - len;
    while (at > 0 && memcmp(bytes.data + at, from, len) != 0)
        at--;
    ck_assert_uint_gt(at, 0);
    memcpy(bytes.data + at, to, len);
    unlink(path);
    stitch_ok(rwl_store_put(stitch_store, &stitch_op, path, rwl_buf_span(&bytes), &stitch_error));
    rwl_buf_clear(&bytes);
}

static rwl_status stitch_one(const rwl_field *field, const rwl_range *ranges, size_t count) {
    rwl_parquet_file *file;
    rwl_parquet_stitch *s;
    rwl_parquet_written written = {0};
    rwl_parquet_stitch_options options = {0};
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &file, &stitch_error));
    rwl_parquet_stitch_part part = {.file = file, .ranges = ranges, .range_count = count};
    stitch_ok(rwl_parquet_stitch_open(stitch_store, &stitch_op, stitch_path(9), field, 1, &options, &s,
                                      &stitch_error));
    rwl_status added = rwl_parquet_stitch_add(s, &part, &stitch_error);
    rwl_status st = rwl_parquet_stitch_finish(s, &written, NULL, &stitch_error);
    ck_assert(added == RWL_OK || added == st);
    rwl_parquet_written_clear(&written);
    rwl_parquet_close(file);
    return st;
}

/* Stitches the ranges of the file and compares them with what the reader gives. */
static void check_ranges(const rwl_field *field, const rwl_range *ranges, size_t count, const char *what) {
    rwl_parquet_file *file;
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &file, &stitch_error));
    rwl_parquet_stitch_part part = {.file = file, .ranges = ranges, .range_count = count};
    stitch_job job = {.fields = field, .field_count = 1, .parts = &part, .part_count = 1};
    stitch_run(&job, stitch_path(9), what);
    rwl_parquet_written_clear(&job.written);
    rwl_parquet_close(file);
    unlink(stitch_path(9));
}

/* --- PARQUET-246: the first value of a page of parquet-mr before 1.8 goes on from the page before --- */

/* Of two values: prefixes, lengths of what follows them, the bytes. Deltas: blocks of 128 values in 4 miniblocks, two
 * values, the first in zigzag, the least delta, widths of 0. */
#define DELTAS(first, delta) 0x80, 0x01, 0x04, 0x02, 2 * (first), (delta), 0, 0, 0, 0

static const uint8_t page_1[] = {DELTAS(0, 8), DELTAS(5, 7), 'a', 'a', 'a', 'a', '1', '2'};
static const uint8_t page_2[] = {DELTAS(4, 0), DELTAS(1, 0), '3', '4'}; /* "aaaa3" "aaaa4" */
static const uint8_t page_3[] = {DELTAS(4, 3), DELTAS(1, 0), '5', 'b'}; /* "aaaa5" "aab": two less */

START_TEST(prefixes_of_old_writers_go_on_over_rows_left_out) {
    static const hand_page pages[] = {
        {page_1, sizeof page_1, 2, 2, RWL_PARQUET_DELTA_BYTE_ARRAY},
        {page_2, sizeof page_2, 2, 2, RWL_PARQUET_DELTA_BYTE_ARRAY},
        {page_3, sizeof page_3, 2, 2, RWL_PARQUET_DELTA_BYTE_ARRAY},
    };
    static const rwl_range ranges[][2] = {{{0, 6}},         {{0, 1}, {4, 2}}, {{4, 2}},        {{5, 1}},
                                          {{0, 1}, {3, 1}}, {{2, 2}},         {{1, 1}, {5, 1}}};
    static const size_t counts[] = {1, 2, 1, 1, 2, 1, 2};
    rwl_field f = {.name = "s", .id = 1, .required = true, .type = rwl_type_of(RWL_TYPE_STRING)};
    write_pages(stitch_path(0), &f, pages, 3, true);
    patch_file(stitch_path(0), "rowline version", 10, "parquet-mr");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_ranges(&f, ranges[i], counts[i], "carried prefixes");
}
END_TEST

/* --- rows that are elsewhere --- */

#define LE64(n) (n), 0, 0, 0, 0, 0, 0, 0

/* Lists of one element, but the first row's has two: repetition levels 0 1 0 0 0 by bits, definition levels 2 as a run. */
static const uint8_t lists_1[] = {2, 0,  0, 0,       3,       2,       2,       0,      0,
                                  0, 10, 2, LE64(1), LE64(2), LE64(3), LE64(4), LE64(5)};
static const uint8_t lists_2[] = {2, 0,  0, 0,       12,      0,       2,       0,        0,
                                  0, 12, 2, LE64(6), LE64(7), LE64(8), LE64(9), LE64(10), LE64(11)};
/* The same entries, the second of which begins no row either: the chunk begins in the middle of one. */
static const uint8_t lists_x[] = {2, 0,  0, 0,       3,       1,       2,       0,      0,
                                  0, 10, 2, LE64(1), LE64(2), LE64(3), LE64(4), LE64(5)};

static rwl_field list_field(rwl_field *element) {
    *element = (rwl_field){.name = "element", .id = 2, .required = true, .type = rwl_type_of(RWL_TYPE_LONG)};
    rwl_field f = {.name = "l", .id = 1, .type = rwl_type_of(RWL_TYPE_LIST)};
    f.type.children = element;
    f.type.child_count = 1;
    return f;
}

START_TEST(an_index_that_misplaces_rows_changes_none) {
    static const hand_page pages[] = {{lists_1, sizeof lists_1, 5, 5, 0}, /* four rows */
                                      {lists_2, sizeof lists_2, 6, 5, 0}};
    static const rwl_range ranges[] = {{0, 5}, {5, 5}, {4, 1}, {0, 4}, {4, 6}, {0, 10}};
    rwl_field element, f = list_field(&element);
    write_pages(stitch_path(0), &f, pages, 2, true);
    for (size_t i = 0; i + 1 < sizeof ranges / sizeof *ranges; i++)
        check_ranges(&f, &ranges[i], 1, "misplaced rows");
}
END_TEST

START_TEST(a_chunk_that_begins_within_a_row_is_corrupt) {
    static const hand_page pages[] = {{lists_x, sizeof lists_x, 5, 4, 0}, {lists_2, sizeof lists_2, 6, 6, 0}};
    static const rwl_range range = {1, 8};
    rwl_field element, f = list_field(&element);
    write_pages(stitch_path(0), &f, pages, 2, true);
    ck_assert_int_eq(stitch_one(&f, &range, 1), RWL_CORRUPT);
}
END_TEST

static const uint8_t numbers[] = {LE64(1), LE64(2), LE64(3), LE64(4), LE64(5)};

/* Headers say that the rows of the second page begin one row later than they do. */
START_TEST(a_header_with_another_count_shifts_no_rows) {
    static const hand_page pages[] = {
        {numbers, 5 * 8, 5, 5, 0}, {numbers, 5 * 8, 5, 5, 0}, {numbers, 5 * 8, 5, 5, 0}};
    static const rwl_range range = {5, 5};
    rwl_field f = {.name = "n", .id = 1, .required = true, .type = rwl_type_of(RWL_TYPE_LONG)};
    write_pages(stitch_path(0), &f, pages, 3, true);
    ck_assert_int_eq(stitch_one(&f, &range, 1), RWL_OK);
    rwl_buf bytes;
    rwl_buf_init(&bytes, &stitch_env, SIZE_MAX);
    stitch_ok(rwl_store_read_all(stitch_store, &stitch_op, stitch_path(0), &bytes, &stitch_error));
    /* DataPageHeader{1: i32 5}: 15 is field 1, i32; 0a is 5 in zigzag, 08 is 4 */
    size_t at = 4;
    while (bytes.data[at] != 0x15 || bytes.data[at + 1] != 0x0a)
        at++;
    bytes.data[at + 1] = 0x08;
    unlink(stitch_path(0));
    stitch_ok(rwl_store_put(stitch_store, &stitch_op, stitch_path(0), rwl_buf_span(&bytes), &stitch_error));
    rwl_buf_clear(&bytes);
    unlink(stitch_path(9));
    ck_assert_int_eq(stitch_one(&f, &range, 1), RWL_CORRUPT);
}
END_TEST

START_TEST(a_damaged_page_is_not_copied) {
    static const hand_page page = {numbers, sizeof numbers, 5, 5, 0};
    static const rwl_range range = {0, 5};
    rwl_field f = {.name = "n", .id = 1, .required = true, .type = rwl_type_of(RWL_TYPE_LONG)};
    write_pages(stitch_path(0), &f, &page, 1, true);
    patch_file(stitch_path(0), (const char *)numbers, 32, (const char *)numbers + 8); /* five numbers on */
    ck_assert_int_eq(stitch_one(&f, &range, 1), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(stitch_error.message, "wrong checksum"));
}
END_TEST

Suite *stitch_lies_suite(void) {
    Suite *suite = suite_create("stitch_lies");
    TCase *tc = tcase_create("lies");
    tcase_add_checked_fixture(tc, stitch_setup, stitch_teardown);
    tcase_add_test(tc, prefixes_of_old_writers_go_on_over_rows_left_out);
    tcase_add_test(tc, an_index_that_misplaces_rows_changes_none);
    tcase_add_test(tc, a_chunk_that_begins_within_a_row_is_corrupt);
    tcase_add_test(tc, a_header_with_another_count_shifts_no_rows);
    tcase_add_test(tc, a_damaged_page_is_not_copied);
    suite_add_tcase(suite, tc);
    return suite;
}
