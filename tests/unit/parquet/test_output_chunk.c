/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks made of finished pages: headers, counts, statistics and page indexes tell the truth about them. */
#include "output_support.h"
#include "suites.h"

#include "parquet/index_write.h"
#include "parquet/meta_write.h"

#include <math.h>

static rwl_arena arena;

static void setup(void) {
    writer_setup();
    rwl_arena_init(&arena, &writer_env, 0);
}

static void teardown(void) {
    rwl_arena_clear(&arena);
    writer_teardown();
}

static rwl_parquet_chunk_write *new_chunk(const rwl_field *field) {
    rwl_parquet_chunk_write *c;
    rwl_parquet_write_schema schema = make_schema(&arena, field, 1);
    write_ok(rwl_parquet_chunk_new(&writer_env, &schema.leaves[0], RWL_CODEC_ZSTD, &c, &writer_error));
    return c;
}

static rwl_parquet_chunk_write *chunk_of(rwl_type_kind kind) {
    rwl_field field = make_field("c", 1, false, kind);
    return new_chunk(&field);
}

/* ColumnChunk as it is written at offset 100. */
static const char *chunk_text(rwl_parquet_chunk_write *c) {
    rwl_parquet_chunk_place place = {.offset = 100};
    rwl_parquet_index_place index = {0};
    rwl_buf out;
    rwl_buf_init(&out, &writer_env, SIZE_MAX);
    rwl_parquet_chunk_settle(c);
    write_ok(rwl_parquet_meta_chunk(c, &place, &out, &writer_error));
    write_ok(rwl_parquet_meta_chunk_end(&index, &out, &writer_error));
    const char *text = thrift_text(&arena, rwl_buf_span(&out), NULL);
    rwl_buf_clear(&out);
    return text;
}

static const char *index_text(const rwl_parquet_chunk_write *c, bool columns) {
    rwl_buf out;
    rwl_buf_init(&out, &writer_env, SIZE_MAX);
    if (columns)
        write_ok(rwl_parquet_column_index_write(c, &out, &writer_error));
    else
        write_ok(rwl_parquet_offset_index_write(c, 1000, &out, &writer_error));
    const char *text = out.len > 0 ? thrift_text(&arena, rwl_buf_span(&out), NULL) : "none";
    rwl_buf_clear(&out);
    return text;
}

/* --- headers --- */

/* PageHeader: 1 type, 2 and 3 sizes, 4 crc, 5 data page (values, encoding, levels), 7 dictionary page, 8 version 2. */
START_TEST(page_headers_are_written_anew) {
    rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_STRING);
    page_of coded = {.rows = 4, .encoding = RWL_PARQUET_PLAIN_DICTIONARY, .unknown = true};
    write_ok(add_dictionary(c, &writer_error));
    write_ok(add_page(c, &coded, &writer_error));
    ck_assert_str_eq(thrift_text(&arena, rwl_buf_span(&c->dictionary), NULL),
                     "{1:2 2:11 3:11 7:{1:3 2:0 3:F}}");
    /* BIT_PACKED repetition levels where there are none */
    ck_assert_str_eq(thrift_text(&arena, rwl_buf_span(&c->pages), NULL),
                     "{1:0 2:16 3:11 4:77 5:{1:4 2:8 3:3 4:3}}");
    rwl_parquet_chunk_free(c);
    c = chunk_of(RWL_TYPE_STRING);
    page_of second = {
        .rows = 4, .nulls = 1, .encoding = RWL_PARQUET_DELTA_BYTE_ARRAY, .type = 3, .unknown = true};
    write_ok(add_page(c, &second, &writer_error));
    ck_assert_str_eq(thrift_text(&arena, rwl_buf_span(&c->pages), NULL),
                     "{1:3 2:16 3:11 4:77 8:{1:4 2:1 3:4 4:7 5:0 6:0 7:T}}");
    rwl_parquet_chunk_free(c);
}
END_TEST

START_TEST(pages_that_readers_can_not_take_are_refused) {
    const page_of plain = {.rows = 1, .unknown = true}, coded = {.rows = 1, .encoding = 8, .unknown = true},
                  second = {.rows = 1, .type = 3, .unknown = true}, no_row = {.values = 2, .unknown = true},
                  encoding = {.rows = 1, .encoding = 10, .unknown = true},
                  dictionary = {.rows = 1, .type = 2, .unknown = true};
    const struct {
        const page_of *pages[2];
        const char *why;
    } cases[] = {{{&plain, &coded}, "dictionary-coded page after"},
                 {{&plain, &second}, "both versions"},
                 {{&second, &plain}, "both versions"},
                 {{&plain, &no_row}, "no row begins"},
                 {{&plain, &encoding}, "unknown encoding"},
                 {{&plain, &dictionary}, "another type"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_LONG);
        write_ok(add_dictionary(c, &writer_error));
        write_ok(add_page(c, cases[i].pages[0], &writer_error));
        ck_assert_int_eq(add_page(c, cases[i].pages[1], &writer_error), RWL_INTERNAL);
        ck_assert_msg(strstr(writer_error.message, cases[i].why) != NULL, "%s", writer_error.message);
        ck_assert_int_eq(add_dictionary(c, &writer_error), RWL_INTERNAL);
        rwl_parquet_chunk_free(c);
    }
}
END_TEST

/* ColumnMetaData: 1 type, 2 encodings, 3 path, 4 codec, 5 values, 6 and 7 sizes, 9 data page, 11 dictionary page, 12
 * statistics, 13 encoding_stats (page type, encoding, count), 16 size statistics. */
START_TEST(encodings_are_counted_from_the_pages) {
    rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_STRING);
    page_of page = {.rows = 4, .encoding = RWL_PARQUET_PLAIN_DICTIONARY, .unknown = true, .nulls = -1};
    write_ok(add_page(c, &page, &writer_error));
    write_ok(add_page(c, &page, &writer_error));
    page.encoding = RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY;
    write_ok(add_page(c, &page, &writer_error));
    ck_assert(rwl_parquet_chunk_left_dictionary(c));
    write_ok(add_dictionary(c, &writer_error)); /* known last, stands first */
    size_t dictionary = c->dictionary.len, pages = c->pages.len;
    /* uncompressed: the bodies of the three data pages are 5 bytes longer */
    const char *want =
        rwl_arena_printf(&arena,
                         "{2:0 3:{1:6 2:[0 3 6 8] 3:['c'] 4:6 5:12 6:%zu 7:%zu 9:%zu 11:100 12:{} "
                         "13:[{1:2 2:0 3:1} {1:0 2:6 3:1} {1:0 2:8 3:2}]}}",
                         dictionary + pages + 15, dictionary + pages, dictionary + 100);
    ck_assert_str_eq(chunk_text(c), want);
    ck_assert_int_eq(rwl_parquet_chunk_bytes(c), (int64_t)(dictionary + pages));
    ck_assert_int_eq(rwl_parquet_chunk_rows(c), 12);
    ck_assert_int_eq(rwl_parquet_chunk_pages(c), 3);
    rwl_parquet_chunk_free(c);
}
END_TEST

/* --- statistics --- */

typedef struct stat_case {
    rwl_type type;
    size_t len;            /* of each bound; 0: text */
    const char *bounds[6]; /* min and max of up to three pages */
    const char *stats;     /* Statistics: 3 null count, 5 max, 6 min, 7 and 8 whether exact */
} stat_case;

#define TEXT_64  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define NINES_63 "000000000000000000000000000000000000000000000000000000000000000"
#define FF_16    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static void check_stats(const stat_case *k) {
    rwl_field field = {.name = "c", .id = 1, .type = k->type};
    rwl_parquet_chunk_write *c = new_chunk(&field);
    for (int i = 0; i < 6 && k->bounds[i] != NULL; i += 2) {
        size_t min_len = k->len > 0 ? k->len : strlen(k->bounds[i]),
               max_len = k->len > 0 ? k->len : strlen(k->bounds[i + 1]);
        page_of page = {
            .rows = 1, .min = k->bounds[i], .max = k->bounds[i + 1], .min_len = min_len, .max_len = max_len};
        write_ok(add_page(c, &page, &writer_error));
    }
    const char *text = chunk_text(c), *want = rwl_arena_printf(&arena, " 12:%s ", k->stats);
    ck_assert_msg(strstr(text, want) != NULL, "%s in %s", want, text);
    rwl_parquet_chunk_free(c);
}

START_TEST(bounds_are_merged_in_the_order_of_the_type) {
    static const stat_case cases[] = {
        {{.kind = RWL_TYPE_INT},
         4,
         {"\1\0\0\0", "\2\0\0\0", "\xff\xff\xff\xff", "\0\1\0\0"},
         "{3:0 5:x00010000 6:xffffffff 7:T 8:T}"},
        {{.kind = RWL_TYPE_LONG},
         8,
         {"\0\0\0\0\0\0\0\x80", "\0\0\0\0\0\0\0\0", "\5\0\0\0\0\0\0\0", "\5\0\0\0\0\0\0\0"},
         "{3:0 5:x0500000000000000 6:x0000000000000080 7:T 8:T}"},
        {{.kind = RWL_TYPE_BOOLEAN}, 1, {"\1", "\1", "\0", "\0"}, "{3:0 5:x01 6:x00 7:T 8:T}"},
        /* -1.5, +0.0 in one page; -0.0, -0.0 in the other: a greatest zero is +0.0 */
        {{.kind = RWL_TYPE_FLOAT},
         4,
         {"\0\0\xc0\xbf", "\0\0\0\x80", "\0\0\0\x80", "\0\0\0\x80"},
         "{3:0 5:x00000000 6:x0000c0bf 7:T 8:T}"},
        /* a least +0.0 is -0.0 */
        {{.kind = RWL_TYPE_DOUBLE},
         8,
         {"\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0"},
         "{3:0 5:x0000000000000000 6:x0000000000000080 7:T 8:T}"},
        /* a NaN bound says nothing */
        {{.kind = RWL_TYPE_DOUBLE},
         8,
         {"\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\xf8\x7f"},
         "{3:0 6:x0000000000000080 8:T}"},
        {{.kind = RWL_TYPE_STRING},
         0,
         {"b", "c", "", "ab", "b", "c\xc3\xa9"},
         "{3:0 5:x63c3a9 6:'' 7:T 8:T}"},
        {{.kind = RWL_TYPE_UUID},
         16,
         {"\x7f_______________", FF_16, "\x80_______________", "\x80_______________"},
         "{3:0 5:xffffffffffffffffffffffffffffffff 6:x7f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f 7:T 8:T}"},
        {{.kind = RWL_TYPE_GEOMETRY}, 0, {"a", "b"}, "{3:0}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_stats(&cases[i]);
}
END_TEST

/* decimal(38,0) of 16 bytes: -1, 0, 5 in three pages; as unsigned bytes -1 would be the greatest. */
START_TEST(bug_151_decimals_are_signed) {
    static const char minus_one[] = FF_16, zero[16] = {0}, five[16] = {[15] = 5};
    static const stat_case k = {
        {.kind = RWL_TYPE_DECIMAL, .precision = 38},
        16,
        {minus_one, minus_one, zero, zero, five, five},
        "{3:0 5:x00000000000000000000000000000005 6:xffffffffffffffffffffffffffffffff 7:T 8:T}"};
    check_stats(&k);
}
END_TEST

/* 64 bytes stay; 65 are cut at a character's border, the greatest with its last character raised. */
START_TEST(bug_140_141_long_strings_are_cut_and_raised) {
    static const stat_case cases[] = {
        {{.kind = RWL_TYPE_STRING}, 0, {TEXT_64, TEXT_64}, "{3:0 5:'" TEXT_64 "' 6:'" TEXT_64 "' 7:T 8:T}"},
        {{.kind = RWL_TYPE_STRING},
         0,
         {NINES_63 "ab", NINES_63 "ab"},
         "{3:0 5:'" NINES_63 "b' 6:'" NINES_63 "a' 7:F 8:F}"},
        {{.kind = RWL_TYPE_STRING},
         0,
         {NINES_63 "\xe2\x82\xac", NINES_63 "\xe2\x82\xac"}, /* the euro sign */
         "{3:0 5:'00000000000000000000000000000000000000000000000000000000000000"
         "1' 6:'" NINES_63 "' 7:F 8:F}"},
        /* nothing is greater than 65 bytes of 0xFF: no upper bound */
        {{.kind = RWL_TYPE_BINARY}, 0, {"a", FF_16 FF_16 FF_16 FF_16 "\xff", "b", "b"}, "{3:0 6:'a' 8:T}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_stats(&cases[i]);
}
END_TEST

START_TEST(one_unknown_page_makes_the_chunk_unknown) {
    rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_LONG);
    add_numbers(c, 3, 1, 2);
    page_of unknown = {.rows = 2, .nulls = -1, .unknown = true};
    write_ok(add_page(c, &unknown, &writer_error));
    add_numbers(c, 3, 5, 6);
    ck_assert_ptr_nonnull(strstr(chunk_text(c), " 12:{} "));
    ck_assert_str_eq(index_text(c, true), "none");
    rwl_parquet_chunk_free(c);
}
END_TEST

/* Two copied parts with statistics of their own around a page that knows itself. */
START_TEST(statistics_of_whole_parts_stand_for_their_pages) {
    static const uint8_t one[8] = {1}, four[8] = {4}, nine[8] = {9};
    rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_LONG);
    page_of unknown = {.rows = 5, .nulls = -1, .unknown = true};
    rwl_parquet_stats part = {.null_count = 2,
                              .min = rwl_span_of(four, 8),
                              .max = rwl_span_of(nine, 8),
                              .min_is_exact = true,
                              .max_is_exact = false};
    write_ok(add_page(c, &unknown, &writer_error));
    write_ok(add_page(c, &unknown, &writer_error));
    write_ok(rwl_parquet_chunk_stats(c, &part, &writer_error));
    add_numbers(c, 3, 4, 7);
    ck_assert_ptr_nonnull(
        strstr(chunk_text(c), " 12:{3:2 5:x0900000000000000 6:x0400000000000000 7:F 8:T} "));
    write_ok(add_page(c, &unknown, &writer_error));
    part = (rwl_parquet_stats){
        .null_count = 1, .min = rwl_span_of(one, 8), .max = rwl_span_of(nine, 8), .max_is_exact = true};
    write_ok(rwl_parquet_chunk_stats(c, &part, &writer_error));
    /* 9 is exact once one of them has it; 1 is not */
    ck_assert_ptr_nonnull(
        strstr(chunk_text(c), " 12:{3:3 5:x0900000000000000 6:x0100000000000000 7:T 8:F} "));
    write_ok(add_page(c, &unknown, &writer_error));
    part = (rwl_parquet_stats){.null_count = -1, .min = rwl_span_of(one, 8)};
    write_ok(rwl_parquet_chunk_stats(c, &part, &writer_error));
    ck_assert_ptr_nonnull(strstr(chunk_text(c), " 12:{6:x0100000000000000 8:F} "));
    rwl_parquet_chunk_free(c);
}
END_TEST

/* --- page index --- */

/* ColumnIndex: 1 null pages, 2 min, 3 max, 4 order (0 none, 1 ascending, 2 descending), 5 null counts. */
START_TEST(the_column_index_says_how_pages_are_ordered) {
    static const struct {
        int64_t bounds[6];
        int order;
    } cases[] = {
        {{1, 2, 2, 2, 2, 9}, 1}, {{7, 9, 7, 8, 1, 8}, 2}, {{1, 9, 2, 8, 3, 7}, 0}, /* one inside the other */
        {{1, 2, 5, 6, 3, 4}, 0}, {{4, 4, 4, 4, 4, 4}, 1}, {{-5, -4, -1, 0, 2, 3}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_LONG);
        for (int p = 0; p < 3; p++) {
            page_of nulls = {.rows = 2, .nulls = 2};
            add_numbers(c, 2, cases[i].bounds[2 * p], cases[i].bounds[2 * p + 1]);
            write_ok(add_page(c, &nulls, &writer_error)); /* null pages do not disturb the order */
        }
        const char *want = rwl_arena_printf(&arena, "] 4:%d 5:[0 2 0 2 0 2]}", cases[i].order),
                   *text = index_text(c, true);
        ck_assert_msg(strstr(text, want) != NULL, "%s in %s", want, text);
        ck_assert_int_eq(strncmp(text, "{1:[F T F T F T] 2:[", 20), 0);
        rwl_parquet_chunk_free(c);
    }
}
END_TEST

START_TEST(a_page_of_nan_alone_leaves_the_column_index_out) {
    static const uint8_t two[8] = {[7] = 0x40};
    rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_DOUBLE);
    page_of some = {.rows = 2, .min = two, .max = two, .min_len = 8, .max_len = 8}, nan = {.rows = 2};
    write_ok(add_page(c, &some, &writer_error));
    write_ok(add_page(c, &nan, &writer_error));
    ck_assert_str_eq(index_text(c, true), "none");
    ck_assert_ptr_nonnull(
        strstr(chunk_text(c), " 12:{3:0 5:x0000000000000040 6:x0000000000000040 7:T 8:T} "));
    rwl_parquet_chunk_free(c);
}
END_TEST

/* Statistics 9, ColumnIndex 8: "must be set for floating point types, even if it is zero" (parquet.thrift). */
START_TEST(nan_counts_are_there_when_all_pages_know_them) {
    static const uint8_t two[8] = {[7] = 0x40};
    static const int64_t none = 0, three = 3;
    page_of pages[3] = {{.rows = 5, .min = two, .max = two, .min_len = 8, .max_len = 8, .nans = &three},
                        {.rows = 2, .nulls = 2}, /* nothing but nulls: no NaN */
                        {.rows = 4, .min = two, .max = two, .min_len = 8, .max_len = 8, .nans = &none}};
    for (int known = 1; known >= 0; known--) {
        rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_DOUBLE);
        for (int i = 0; i < 3; i++)
            write_ok(add_page(c, &pages[i], &writer_error));
        ck_assert_int_eq(strstr(chunk_text(c), " 8:T 9:3} ") != NULL, known);
        ck_assert_int_eq(strstr(index_text(c, true), " 8:[3 0 0]}") != NULL, known);
        rwl_parquet_chunk_free(c);
        pages[2].nans = NULL;
    }
}
END_TEST

/* optional list<int>: 100 nulls, [1], 100 nulls, [2, 3], cut into pages whose rows are not their values. */
START_TEST(bug_240_pages_begin_at_their_rows) {
    rwl_field element = make_field("element", 2, false, RWL_TYPE_INT),
              list = make_field("l", 1, false, RWL_TYPE_LIST);
    list.type.children = &element;
    list.type.child_count = 1;
    rwl_parquet_chunk_write *c = new_chunk(&list);
    static const int64_t first_d[] = {100, 0, 0, 1}, second_d[] = {100, 0, 0, 2}, first_r[] = {101, 0},
                         second_r[] = {101, 1};
    page_of first = {.rows = 101,
                     .nulls = 100,
                     .min = "\1\0\0\0",
                     .max = "\1\0\0\0",
                     .min_len = 4,
                     .max_len = 4,
                     .definitions = first_d,
                     .repetitions = first_r},
            second = {.rows = 101,
                      .values = 102,
                      .nulls = 100,
                      .min = "\2\0\0\0",
                      .max = "\3\0\0\0",
                      .min_len = 4,
                      .max_len = 4,
                      .definitions = second_d,
                      .repetitions = second_r};
    write_ok(add_page(c, &first, &writer_error));
    int64_t len = rwl_parquet_chunk_bytes(c);
    write_ok(add_page(c, &second, &writer_error));
    /* OffsetIndex: 1 [1 offset, 2 size with header, 3 first row] */
    const char *want =
        rwl_arena_printf(&arena, "{1:[{1:1000 2:%lld 3:0} {1:%lld 2:%lld 3:101}]}", (long long)len,
                         (long long)(1000 + len), (long long)(rwl_parquet_chunk_bytes(c) - len));
    ck_assert_str_eq(index_text(c, false), want);
    /* 6 and 7: the histograms of all pages, one after another */
    ck_assert_str_eq(index_text(c, true),
                     "{1:[F F] 2:[x01000000 x02000000] 3:[x01000000 x03000000] 4:1 5:[100 100] "
                     "6:[101 0 101 1] 7:[100 0 0 1 100 0 0 2]}");
    /* size statistics: 2 repetition histogram, 3 definition histogram; 203 level entries */
    ck_assert_ptr_nonnull(strstr(chunk_text(c), " 16:{2:[202 1] 3:[200 0 0 3]}"));
    ck_assert_ptr_nonnull(strstr(chunk_text(c), " 5:203 "));
    ck_assert_ptr_nonnull(strstr(chunk_text(c), " 12:{3:200 5:x03000000 6:x01000000 7:T 8:T} "));
    rwl_parquet_chunk_free(c);
}
END_TEST

START_TEST(sizes_of_byte_arrays_are_summed_when_all_are_known) {
    rwl_parquet_chunk_write *c = chunk_of(RWL_TYPE_BINARY);
    page_of page = {.rows = 2, .min = "a", .max = "b", .min_len = 1, .max_len = 1, .unencoded = 40};
    write_ok(add_page(c, &page, &writer_error));
    page.unencoded = 2;
    write_ok(add_page(c, &page, &writer_error));
    ck_assert_ptr_nonnull(strstr(chunk_text(c), " 16:{1:42}"));
    ck_assert_ptr_nonnull(strstr(index_text(c, false), "] 2:[40 2]}"));
    page.unencoded = 0;
    write_ok(add_page(c, &page, &writer_error));
    ck_assert_ptr_null(strstr(chunk_text(c), " 16:"));
    ck_assert_ptr_null(strstr(index_text(c, false), "] 2:["));
    rwl_parquet_chunk_free(c);
}
END_TEST

Suite *output_chunk_suite(void) {
    Suite *suite = suite_create("parquet output: chunks");
    TCase *tc = tcase_create("chunks");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, page_headers_are_written_anew);
    tcase_add_test(tc, pages_that_readers_can_not_take_are_refused);
    tcase_add_test(tc, encodings_are_counted_from_the_pages);
    tcase_add_test(tc, bounds_are_merged_in_the_order_of_the_type);
    tcase_add_test(tc, bug_151_decimals_are_signed);
    tcase_add_test(tc, bug_140_141_long_strings_are_cut_and_raised);
    tcase_add_test(tc, one_unknown_page_makes_the_chunk_unknown);
    tcase_add_test(tc, statistics_of_whole_parts_stand_for_their_pages);
    tcase_add_test(tc, the_column_index_says_how_pages_are_ordered);
    tcase_add_test(tc, a_page_of_nan_alone_leaves_the_column_index_out);
    tcase_add_test(tc, nan_counts_are_there_when_all_pages_know_them);
    tcase_add_test(tc, bug_240_pages_begin_at_their_rows);
    tcase_add_test(tc, sizes_of_byte_arrays_are_summed_when_all_are_known);
    suite_add_tcase(suite, tc);
    return suite;
}
