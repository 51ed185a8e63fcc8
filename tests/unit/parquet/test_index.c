/* SPDX-License-Identifier: Apache-2.0 */
/* Page indexes: written out byte by byte, damaged in each way, and those of parquet-testing. */
#include "reader_support.h"
#include "suites.h"

#include "parquet/index.h"

#include <stdio.h>

static bench b;
static rwl_arena arena;

static void set_up(void) {
    bench_local(&b);
    rwl_arena_init(&arena, &b.env, 0);
}

static void tear_down(void) {
    rwl_arena_clear(&arena);
    bench_free(&b);
}

/* --- offset indexes --- */

enum { START = 100, SIZE = 60, ROWS = 30 }; /* the chunk's bytes 100 to 159, 30 rows */

typedef struct places_case {
    const char *name;
    uint8_t bytes[64];
    size_t len;
    rwl_status want;
    const char *message;
} places_case;

/* 1: list of { 1: i64 offset, 2: i32 size, 3: i64 first row }, numbers in zigzag: 100 is c8 01, 120 f0 01, 20 28 */
#define PLACE(off1, off2, len, row) 0x16, off1, off2, 0x15, len, 0x16, row, 0

static const places_case places[] = {
    {"two pages", {0x19, 0x2c, PLACE(0xc8, 0x01, 40, 0), PLACE(0xf0, 0x01, 80, 20), 0}, 19, RWL_OK, NULL},
    {"one page", {0x19, 0x1c, PLACE(0xc8, 0x01, 120, 0), 0}, 11, RWL_OK, NULL},
    {"no page", {0x19, 0x0c, 0}, 3, RWL_CORRUPT, "no pages"},
    {"before the chunk", {0x19, 0x1c, PLACE(0xc6, 0x01, 40, 0), 0}, 11, RWL_CORRUPT, "where the chunk"},
    {"behind the chunk", {0x19, 0x1c, PLACE(0xc8, 0x01, 122, 0), 0}, 11, RWL_CORRUPT, "where the chunk"},
    {"over each other",
     {0x19, 0x2c, PLACE(0xc8, 0x01, 42, 0), PLACE(0xf0, 0x01, 80, 20), 0},
     19,
     RWL_CORRUPT,
     "where the chunk"},
    {"an empty page", {0x19, 0x1c, PLACE(0xc8, 0x01, 0, 0), 0}, 11, RWL_CORRUPT, "where the chunk"},
    {"not from row 0", {0x19, 0x1c, PLACE(0xc8, 0x01, 40, 2), 0}, 11, RWL_CORRUPT, "begins at row 1"},
    {"rows that stand",
     {0x19, 0x2c, PLACE(0xc8, 0x01, 40, 0), PLACE(0xf0, 0x01, 80, 0), 0},
     19,
     RWL_CORRUPT,
     "begins at row 0"},
    {"rows behind the group",
     {0x19, 0x2c, PLACE(0xc8, 0x01, 40, 0), PLACE(0xf0, 0x01, 80, 60), 0},
     19,
     RWL_CORRUPT,
     "begins at row 30"},
    {"without rows", {0x19, 0x1c, 0x16, 0xc8, 0x01, 0x15, 40, 0, 0}, 9, RWL_CORRUPT, "begins at row -1"},
    {"ends early", {0x19, 0x2c, PLACE(0xc8, 0x01, 40, 0), 0}, 11, RWL_CORRUPT, ""},
    {"more pages than bytes", {0x19, 0xfc, 0xff, 0xff, 0x03, 0}, 6, RWL_CORRUPT, "list of"},
    {"another list", {0x19, 0x26, 2, 2, 0}, 5, RWL_CORRUPT, "list of thrift type"},
};

START_TEST(offset_indexes_hold_together_or_are_refused) {
    const places_case *k = &places[_i];
    rwl_parquet_chunk chunk = {.data_offset = START, .compressed_size = SIZE};
    rwl_parquet_group group = {.row_count = ROWS};
    rwl_parquet_offset_index index;
    rwl_status st =
        rwl_parquet_offset_index_parse(rwl_span_of(k->bytes, k->len), &group, &chunk, &arena, &index, &b.err);
    ck_assert_msg(st == k->want, "%s: status %d: %s", k->name, st, b.err.message);
    if (st != RWL_OK) {
        ck_assert_msg(strstr(b.err.message, k->message) != NULL, "%s: %s", k->name, b.err.message);
        return;
    }
    ck_assert_int_eq(index.pages[0].off, START);
    ck_assert_int_eq(index.pages[0].first_row, 0);
    if (index.page_count == 2) {
        ck_assert_int_eq(index.pages[1].off, 120);
        ck_assert_int_eq(index.pages[1].len, 40);
        ck_assert_int_eq(index.pages[1].first_row, 10);
    }
}
END_TEST

START_TEST(byte_counts_of_another_length_are_left_out) {
    /* 2: list of i64 */
    static const uint8_t one[] = {0x19, 0x1c, PLACE(0xc8, 0x01, 40, 0), 0x19, 0x16, 14, 0},
                         two[] = {0x19, 0x1c, PLACE(0xc8, 0x01, 40, 0), 0x19, 0x26, 14, 16, 0};
    rwl_parquet_chunk chunk = {.data_offset = START, .compressed_size = SIZE};
    rwl_parquet_group group = {.row_count = ROWS};
    rwl_parquet_offset_index index;
    ck_ok(&b, rwl_parquet_offset_index_parse(rwl_span_of(one, sizeof one), &group, &chunk, &arena, &index,
                                             &b.err));
    ck_assert_int_eq(index.unencoded_bytes[0], 7);
    ck_ok(&b, rwl_parquet_offset_index_parse(rwl_span_of(two, sizeof two), &group, &chunk, &arena, &index,
                                             &b.err));
    ck_assert_ptr_null(index.unencoded_bytes);
}
END_TEST

/* --- column indexes --- */

static rwl_parquet_leaf leaf_of(rwl_parquet_physical physical, rwl_type_kind kind) {
    rwl_parquet_leaf leaf = {.physical = physical, .order = RWL_PARQUET_BOUNDS_TYPED};
    leaf.field = (rwl_field){.name = "c", .id = -1, .type = rwl_type_of(kind)};
    return leaf;
}

START_TEST(column_indexes_give_what_pages_lie_between) {
    /* null_pages [false, true, false], min ["a", "", "m"], max ["c", "", "z"], order 1, null_counts [1, 5, 0] */
    static const uint8_t bytes[] = {0x19, 0x32, 2, 1, 2,   0x19, 0x38, 1,    'a',  0, 1,  'm', 0x19, 0x38,
                                    1,    'c',  0, 1, 'z', 0x15, 2,    0x19, 0x36, 2, 10, 0,   0};
    rwl_parquet_leaf leaf = leaf_of(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING);
    rwl_parquet_column_index index;
    ck_ok(&b,
          rwl_parquet_column_index_parse(rwl_span_of(bytes, sizeof bytes), &leaf, &arena, &index, &b.err));
    ck_assert_int_eq(index.page_count, 3);
    ck_assert(!index.null_pages[0] && index.null_pages[1] && !index.null_pages[2]);
    ck_assert(index.pages[0].min.data[0] == 'a' && index.pages[0].max.data[0] == 'c');
    ck_assert(index.pages[1].min.data == NULL && index.pages[1].max.data == NULL);
    ck_assert(index.pages[2].min.data[0] == 'm' && index.pages[2].max.data[0] == 'z');
    ck_assert_int_eq(index.pages[0].null_count, 1);
    ck_assert_int_eq(index.pages[1].null_count, 5);
    ck_assert_int_eq(index.pages[2].null_count, 0);
    ck_assert_int_eq(index.pages[2].nan_count, -1);
    leaf.order = RWL_PARQUET_BOUNDS_OTHER;
    ck_ok(&b,
          rwl_parquet_column_index_parse(rwl_span_of(bytes, sizeof bytes), &leaf, &arena, &index, &b.err));
    ck_assert(index.pages[0].min.data == NULL && index.pages[0].null_count == 1);
}
END_TEST

START_TEST(false_may_be_zero_and_null_counts_may_be_missing) {
    static const uint8_t bytes[] = {0x19, 0x21, 0, 1,   0x19, 0x28, 1, 'a', 0,
                                    0x19, 0x28, 1, 'c', 0,    0x15, 0, 0};
    rwl_parquet_leaf leaf = leaf_of(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING);
    rwl_parquet_column_index index;
    ck_ok(&b,
          rwl_parquet_column_index_parse(rwl_span_of(bytes, sizeof bytes), &leaf, &arena, &index, &b.err));
    ck_assert(!index.null_pages[0] && index.null_pages[1]);
    ck_assert_int_eq(index.pages[0].null_count, -1);
}
END_TEST

typedef struct bounds_case {
    const char *name;
    uint8_t bytes[32];
    size_t len;
} bounds_case;

static const bounds_case bad_bounds[] = {
    {"one lower bound for two pages",
     {0x19, 0x22, 2, 2, 0x19, 0x18, 1, 'a', 0x19, 0x28, 1, 'c', 1, 'd', 0},
     15},
    {"no upper bounds", {0x19, 0x12, 2, 0x19, 0x18, 1, 'a', 0}, 8},
    {"no null pages", {0x29, 0x18, 1, 'a', 0x19, 0x18, 1, 'c', 0}, 9},
    {"null pages that are numbers", {0x19, 0x16, 2, 0x19, 0x18, 1, 'a', 0x19, 0x18, 1, 'c', 0}, 12},
    {"a bound past the end", {0x19, 0x12, 2, 0x19, 0x18, 100, 'a'}, 7},
};

START_TEST(column_indexes_that_contradict_themselves_are_refused) {
    const bounds_case *k = &bad_bounds[_i];
    rwl_parquet_leaf leaf = leaf_of(RWL_PARQUET_BYTE_ARRAY, RWL_TYPE_STRING);
    rwl_parquet_column_index index;
    rwl_status st =
        rwl_parquet_column_index_parse(rwl_span_of(k->bytes, k->len), &leaf, &arena, &index, &b.err);
    ck_assert_msg(st == RWL_CORRUPT, "%s: status %d", k->name, st);
}
END_TEST

/* --- files of others --- */

START_TEST(reads_the_indexes_of_parquet_testing) {
    char path[512];
    snprintf(path, sizeof path, "%s/apache+parquet-testing/data/alltypes_tiny_pages.parquet", FIXTURES_DIR);
    rwl_parquet_file *file;
    if (rwl_parquet_open(b.store, &b.op, path, -1, &file, &b.err) != RWL_OK) {
        printf("skipped: no fixture %s\n", path);
        return;
    }
    rwl_file *handle;
    ck_ok(&b, rwl_file_open(b.store, &b.op, path, &handle, &b.err));
    for (int32_t i = 0; i < file->leaf_count; i++) {
        rwl_parquet_offset_index *pages;
        rwl_parquet_column_index *bounds;
        ck_ok(&b, rwl_parquet_offset_index_read(handle, &b.op, file, 0, i, &arena, &pages, &b.err));
        ck_ok(&b, rwl_parquet_column_index_read(handle, &b.op, file, 0, i, &arena, &bounds, &b.err));
        ck_assert_ptr_nonnull(pages);
        ck_assert_int_gt(pages->page_count, 10);
        if (bounds)
            ck_assert_int_eq(bounds->page_count, pages->page_count);
        /* the pages fill the chunk */
        const rwl_parquet_chunk *chunk = &file->groups[0].chunks[i];
        const rwl_parquet_page_place *last = &pages->pages[pages->page_count - 1];
        int64_t start = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
        ck_assert_int_eq(last->off + last->len, start + chunk->compressed_size);
    }
    rwl_file_close(handle);
    rwl_parquet_close(file);
}
END_TEST

Suite *index_suite(void) {
    Suite *s = suite_create("index");
    TCase *t = tcase_create("index");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, offset_indexes_hold_together_or_are_refused, 0,
                        (int)(sizeof places / sizeof places[0]));
    tcase_add_test(t, byte_counts_of_another_length_are_left_out);
    tcase_add_test(t, column_indexes_give_what_pages_lie_between);
    tcase_add_test(t, false_may_be_zero_and_null_counts_may_be_missing);
    tcase_add_loop_test(t, column_indexes_that_contradict_themselves_are_refused, 0,
                        (int)(sizeof bad_bounds / sizeof bad_bounds[0]));
    tcase_add_test(t, reads_the_indexes_of_parquet_testing);
    suite_add_tcase(s, t);
    return s;
}
