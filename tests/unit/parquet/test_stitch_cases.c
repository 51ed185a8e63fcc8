/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to the pages of parts: which are copied, recoded or encoded, and what the file then says of itself. */
#include "stitch_support.h"
#include "suites.h"

#include "parquet/bloom.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static rwl_field field(const char *name, int32_t id, bool required, rwl_type_kind kind) {
    rwl_field f = {.name = name, .id = id, .required = required, .type = rwl_type_of(kind)};
    return f;
}

enum { ROWS = 1000, PAGE_ROWS = 100, PAGES = ROWS / PAGE_ROWS };

/* Parts of one column each, of ROWS rows in pages of PAGE_ROWS. */
typedef struct part_of {
    bool required, page_v2, no_dictionary, without_index;
    rwl_codec_id codec;
    int distinct, offset, null_percent;
    rwl_type_kind kind; /* 0: LONG */
    rwl_range range;    /* count 0: all */
} part_of;

typedef struct stitch_case {
    const char *name;
    part_of parts[3];
    bool required; /* of the output */
    rwl_type_kind kind;
    rwl_codec_id codec;
    int64_t dictionary_bytes;
    int copied, recoded, encoded; /* pages */
    int groups;
} stitch_case;

#define ANY_VALUES .distinct = 20
#define SNAPPY     .codec = RWL_CODEC_SNAPPY

static const stitch_case cases[] = {
    {"a file that fits is copied",
     {{ANY_VALUES, SNAPPY, .required = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES,
     0,
     0,
     1},
    {"equal dictionaries are shared", /* the same values in the same order */
     {{.distinct = 1, SNAPPY, .required = true}, {.distinct = 1, SNAPPY, .required = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     2 * PAGES,
     0,
     0,
     1},
    {"different ones are joined",
     {{ANY_VALUES, SNAPPY, .required = true}, {ANY_VALUES, SNAPPY, .required = true, .offset = 100}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES,
     PAGES,
     0,
     1},
    {"a union past its limit is given up", /* 20 and 20 values of 8 bytes */
     {{ANY_VALUES, SNAPPY, .required = true}, {ANY_VALUES, SNAPPY, .required = true, .offset = 100}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     200,
     PAGES,
     0,
     PAGES,
     1},
    {"after it nothing is dictionary-coded",
     {{ANY_VALUES, SNAPPY, .required = true},
      {ANY_VALUES, SNAPPY, .required = true, .offset = 100},
      {ANY_VALUES, SNAPPY, .required = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     200,
     PAGES,
     0,
     2 * PAGES,
     1},
    {"another codec means compression anew",
     {{ANY_VALUES, SNAPPY, .required = true}},
     true,
     0,
     RWL_CODEC_ZSTD,
     0,
     0,
     PAGES,
     0,
     1},
    {"levels are put in front",
     {{ANY_VALUES, SNAPPY, .required = true}},
     false,
     0,
     RWL_CODEC_SNAPPY,
     0,
     0,
     PAGES,
     0,
     1},
    {"in version 2 too",
     {{ANY_VALUES, SNAPPY, .required = true, .page_v2 = true}},
     false,
     0,
     RWL_CODEC_SNAPPY,
     0,
     0,
     PAGES,
     0,
     1},
    {"levels that say nothing are dropped",
     {{ANY_VALUES, SNAPPY}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     0,
     PAGES,
     0,
     1},
    {"the first page decides the version",
     {{.distinct = 1, SNAPPY, .required = true}, {.distinct = 1, SNAPPY, .required = true, .page_v2 = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES,
     PAGES,
     0,
     1},
    {"version 1 becomes version 2",
     {{.distinct = 1, SNAPPY, .null_percent = 30, .page_v2 = true},
      {.distinct = 1, SNAPPY, .null_percent = 30}},
     false,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES,
     PAGES,
     0,
     1},
    {"only pages that are cut are encoded", /* rows 150 to 849: half of pages 1 and 8 */
     {{ANY_VALUES, SNAPPY, .required = true, .no_dictionary = true, .range = {150, 700}}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES - 4,
     0,
     2,
     1},
    {"cut pages of indexes stay so",
     {{ANY_VALUES, SNAPPY, .required = true, .range = {150, 700}}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES - 4,
     2,
     0,
     1},
    {"a wider type is encoded",
     {{ANY_VALUES, SNAPPY, .required = true, .kind = RWL_TYPE_INT, .no_dictionary = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     0,
     0,
     PAGES,
     1},
    {"but its indexes are not",
     {{ANY_VALUES, SNAPPY, .required = true, .kind = RWL_TYPE_INT}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     PAGES,
     0,
     0,
     1},
    {"plain values join the dictionary of the others",
     {{ANY_VALUES, SNAPPY, .required = true, .no_dictionary = true}, {ANY_VALUES, SNAPPY, .required = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     0,
     PAGES,
     PAGES,
     1},
    {"plain values behind it do not", /* nothing coded follows */
     {{ANY_VALUES, SNAPPY, .required = true}, {ANY_VALUES, SNAPPY, .required = true, .no_dictionary = true}},
     true,
     0,
     RWL_CODEC_SNAPPY,
     0,
     2 * PAGES,
     0,
     0,
     1},
    {"strings",
     {{ANY_VALUES, SNAPPY, .kind = RWL_TYPE_STRING, .null_percent = 10},
      {ANY_VALUES, SNAPPY, .kind = RWL_TYPE_STRING, .offset = 10}},
     false,
     RWL_TYPE_STRING,
     RWL_CODEC_SNAPPY,
     0,
     PAGES,
     PAGES,
     0,
     1},
};

static void run_case(const stitch_case *c) {
    rwl_parquet_stitch_part parts[3] = {0};
    rwl_range ranges[3];
    int count = 0;
    for (; count < 3 && c->parts[count].distinct > 0; count++) {
        const part_of *p = &c->parts[count];
        rwl_type_kind kind = p->kind != 0 ? p->kind : RWL_TYPE_LONG;
        rwl_field f = field("x", 1, p->required, kind);
        rwl_parquet_write_options o = {.codec = p->codec,
                                       .page_rows = PAGE_ROWS,
                                       .page_v2 = p->page_v2,
                                       .dictionary_bytes = p->no_dictionary ? -1 : 0,
                                       .without_index = p->without_index};
        value_style style = {p->distinct, p->null_percent, p->offset};
        stitch_write(stitch_path(count), &f, 1, &o, &style, ROWS, (unsigned)count + 7);
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(count), -1, &parts[count].file,
                                   &stitch_error));
        ranges[count] = p->range.count > 0 ? p->range : (rwl_range){0, ROWS};
        parts[count].ranges = &ranges[count];
        parts[count].range_count = 1;
    }
    rwl_field target = field("x", 1, c->required, c->kind != 0 ? c->kind : RWL_TYPE_LONG);
    stitch_job job = {.fields = &target, .field_count = 1, .parts = parts, .part_count = count};
    job.options.write = (rwl_parquet_write_options){
        .codec = c->codec, .page_rows = PAGE_ROWS, .dictionary_bytes = c->dictionary_bytes};
    stitch_run(&job, stitch_path(9), c->name);
    stitch_check(job.stats.pages_copied == c->copied && job.stats.pages_recoded == c->recoded &&
                     job.stats.pages_encoded == c->encoded && job.written.split_count == c->groups,
                 "%s: %lld copied, %lld recoded, %lld encoded in %d groups", c->name,
                 (long long)job.stats.pages_copied, (long long)job.stats.pages_recoded,
                 (long long)job.stats.pages_encoded, job.written.split_count);
    rwl_parquet_written_clear(&job.written);
    unlink(stitch_path(9));
    for (int i = 0; i < count; i++) {
        rwl_parquet_close(parts[i].file);
        unlink(stitch_path(i));
    }
}

START_TEST(pages_change_as_little_as_they_must) {
    run_case(&cases[_i]);
}
END_TEST

START_TEST(a_null_in_a_required_column_is_corrupt) {
    rwl_field optional = field("x", 1, false, RWL_TYPE_LONG), required = field("x", 1, true, RWL_TYPE_LONG);
    rwl_parquet_write_options o = {.codec = RWL_CODEC_NONE};
    value_style style = {5, 50, 0};
    stitch_write(stitch_path(0), &optional, 1, &o, &style, 100, 1);
    rwl_parquet_file *file;
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &file, &stitch_error));
    rwl_range all = {0, 100};
    rwl_parquet_stitch_part part = {.file = file, .ranges = &all, .range_count = 1};
    rwl_parquet_stitch_options options = {.write = o};
    rwl_parquet_stitch *s;
    rwl_parquet_written written;
    stitch_ok(rwl_parquet_stitch_open(stitch_store, &stitch_op, stitch_path(9), &required, 1, &options, &s,
                                      &stitch_error));
    stitch_ok(rwl_parquet_stitch_add(s, &part, &stitch_error));
    ck_assert_int_eq(rwl_parquet_stitch_finish(s, &written, NULL, &stitch_error), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(stitch_error.message, "a null in a required column"));
    ck_assert_int_ne(access(stitch_path(9), F_OK), 0);
    rwl_parquet_close(file);
}
END_TEST

START_TEST(what_does_not_fit_is_named) {
    rwl_field have = field("x", 1, false, RWL_TYPE_LONG);
    rwl_parquet_write_options o = {.codec = RWL_CODEC_NONE};
    value_style style = {5, 0, 0};
    stitch_write(stitch_path(0), &have, 1, &o, &style, 10, 1);
    rwl_parquet_file *file;
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &file, &stitch_error));
    rwl_value one = {.kind = RWL_TYPE_LONG, .as.i64 = 1};
    struct {
        rwl_field field;
        const char *why; /* NULL: fits */
    } wants[] = {{field("x", 1, false, RWL_TYPE_LONG), NULL},
                 {field("renamed", 1, false, RWL_TYPE_LONG), NULL},
                 {field("x", 1, false, RWL_TYPE_INT), "another type"},
                 {field("x", 1, false, RWL_TYPE_STRING), "another type"},
                 {field("y", 2, false, RWL_TYPE_STRING), NULL},
                 {field("y", 2, true, RWL_TYPE_STRING), "required"},
                 {field("y", 2, false, RWL_TYPE_LONG), "default"}};
    wants[6].field.initial_default = &one;
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        rwl_arena arena;
        const char *why = NULL;
        rwl_parquet_stitch_options options = {.write = o};
        rwl_arena_init(&arena, &stitch_env, 0);
        bool fits = rwl_parquet_stitch_fits(file, &wants[i].field, 1, &options, &arena, &why);
        stitch_check(fits == (wants[i].why == NULL), "want %zu: %s", i, why != NULL ? why : "fits");
        stitch_check(fits || strstr(why, wants[i].why) != NULL, "want %zu: %s", i, why);
        rwl_arena_clear(&arena);
    }
    rwl_parquet_close(file);
}
END_TEST

/* Sorted files stay so when one ends before the next begins. */
START_TEST(sorting_columns_hold_across_borders_or_go) {
    rwl_field f = field("x", 1, true, RWL_TYPE_LONG);
    rwl_parquet_sorting by = {.leaf = 0};
    rwl_parquet_write_options o = {.codec = RWL_CODEC_NONE, .sorting = &by, .sorting_count = 1};
    rwl_parquet_file *files[2];
    for (int i = 0; i < 2; i++) { /* all of one value: 100 * i */
        value_style style = {1, 0, 100 * i};
        stitch_write(stitch_path(i), &f, 1, &o, &style, 100, 1);
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(i), -1, &files[i], &stitch_error));
        ck_assert_int_eq(files[i]->groups[0].sorting_count, 1);
    }
    for (int turned = 0; turned < 2; turned++) {
        rwl_range all = {0, 100};
        rwl_parquet_stitch_part parts[2] = {{.file = files[turned], .ranges = &all, .range_count = 1},
                                            {.file = files[!turned], .ranges = &all, .range_count = 1}};
        stitch_job job = {.fields = &f, .field_count = 1, .parts = parts, .part_count = 2};
        rwl_parquet_file *out;
        stitch_run(&job, stitch_path(9), "sorted");
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(9), -1, &out, &stitch_error));
        ck_assert_int_eq(out->groups[0].sorting_count, !turned);
        rwl_parquet_close(out);
        rwl_parquet_written_clear(&job.written);
        unlink(stitch_path(9));
    }
    rwl_parquet_close(files[0]);
    rwl_parquet_close(files[1]);
}
END_TEST

START_TEST(bloom_filters_of_all_parts_are_one) {
    rwl_field f = field("x", 1, true, RWL_TYPE_LONG);
    rwl_parquet_column_options with_bloom = {.path = "x", .bloom = true, .bloom_distinct = 64};
    rwl_parquet_file *files[2];
    rwl_range all = {0, 100};
    rwl_parquet_stitch_part parts[2];
    for (int i = 0; i < 2; i++) {
        rwl_parquet_write_options o = {.codec = RWL_CODEC_NONE, .columns = &with_bloom, .column_count = 1};
        value_style style = {10, 0, 100 * i};
        with_bloom.bloom_distinct = i == 0 ? 64 : 256; /* of different sizes */
        stitch_write(stitch_path(i), &f, 1, &o, &style, 100, 1);
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(i), -1, &files[i], &stitch_error));
        parts[i] = (rwl_parquet_stitch_part){.file = files[i], .ranges = &all, .range_count = 1};
    }
    stitch_job job = {.fields = &f, .field_count = 1, .parts = parts, .part_count = 2};
    stitch_run(&job, stitch_path(9), "bloom");
    rwl_parquet_file *out;
    rwl_file *handle;
    rwl_arena arena;
    rwl_parquet_bloom *bloom;
    rwl_arena_init(&arena, &stitch_env, 0);
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(9), -1, &out, &stitch_error));
    stitch_ok(rwl_file_open(stitch_store, &stitch_op, stitch_path(9), &handle, &stitch_error));
    stitch_ok(rwl_parquet_bloom_read(handle, &stitch_op, out, 0, 0, &arena, &bloom, &stitch_error));
    ck_assert_ptr_nonnull(bloom);
    int others = 0;
    for (int k = 0; k < 300; k++) { /* values are 1000 k - 5000, k from 0 to 9 and from 100 to 109 */
        uint8_t plain[8];
        rwl_store_le64(plain, (uint64_t)((int64_t)k * 1000 - 5000));
        bool has = rwl_parquet_bloom_has(bloom, rwl_parquet_bloom_hash(rwl_span_of(plain, 8)));
        if (k < 10 || (k >= 100 && k < 110))
            stitch_check(has, "value %d is not in the filter", k);
        else
            others += has;
    }
    ck_assert_int_lt(others, 28); /* a tenth of the 280 that are not there */
    rwl_file_close(handle);
    rwl_arena_clear(&arena);
    rwl_parquet_close(out);
    rwl_parquet_written_clear(&job.written);
    rwl_parquet_close(files[0]);
    rwl_parquet_close(files[1]);
}
END_TEST

/* The chunk's bounds are those of the values kept: from the pages where a chunk is kept in part, widened with its type. */
START_TEST(bounds_are_those_of_the_rows_kept) {
    static const struct {
        rwl_type_kind from, to;
        rwl_range range;
    } wants[] = {
        {RWL_TYPE_LONG, RWL_TYPE_LONG, {100, 200}},     {RWL_TYPE_INT, RWL_TYPE_LONG, {0, ROWS}},
        {RWL_TYPE_INT, RWL_TYPE_LONG, {300, 100}},      {RWL_TYPE_FLOAT, RWL_TYPE_DOUBLE, {0, ROWS}},
        {RWL_TYPE_DATE, RWL_TYPE_TIMESTAMP, {0, ROWS}}, {RWL_TYPE_DOUBLE, RWL_TYPE_DOUBLE, {500, 250}}};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        rwl_field have = field("x", 1, false, wants[i].from), want = field("x", 1, false, wants[i].to);
        rwl_parquet_write_options o = {.codec = RWL_CODEC_SNAPPY, .page_rows = PAGE_ROWS};
        value_style style = {150, 10, 5}; /* no zero, whose bound has a sign */
        rwl_parquet_file *in, *out;
        stitch_write(stitch_path(0), &have, 1, &o, &style, ROWS, 11);
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &in, &stitch_error));
        rwl_parquet_stitch_part part = {.file = in, .ranges = &wants[i].range, .range_count = 1};
        rwl_parquet_stitch_options options = {.write = o};
        rwl_parquet_stitch *s;
        rwl_parquet_written written;
        stitch_ok(rwl_parquet_stitch_open(stitch_store, &stitch_op, stitch_path(9), &want, 1, &options, &s,
                                          &stitch_error));
        stitch_ok(rwl_parquet_stitch_add(s, &part, &stitch_error));
        stitch_ok(rwl_parquet_stitch_finish(s, &written, NULL, &stitch_error));
        stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(9), -1, &out, &stitch_error));
        const rwl_parquet_stats *stats = &out->groups[0].chunks[0].stats;
        stitch_check(stitch_is_bound(out, stats->min, false), "case %zu: the least value", i);
        stitch_check(stitch_is_bound(out, stats->max, true), "case %zu: the greatest value", i);
        rwl_parquet_written_clear(&written);
        stitch_check_rules(stitch_path(9));
        rwl_parquet_close(in);
        rwl_parquet_close(out);
        unlink(stitch_path(0));
        unlink(stitch_path(9));
    }
}
END_TEST

/* Row groups large enough stay what they are; small ones become one, cut where the limit says. */
START_TEST(row_groups_are_merged_and_cut) {
    rwl_field f = field("x", 1, true, RWL_TYPE_LONG);
    rwl_parquet_write_options o = {.codec = RWL_CODEC_NONE, .row_group_rows = 100, .page_rows = 50};
    value_style style = {5, 0, 0};
    stitch_write(stitch_path(0), &f, 1, &o, &style, 1000, 1);
    rwl_parquet_file *file;
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &file, &stitch_error));
    static const struct {
        int64_t rows, bytes;
        int groups;
    } limits[] = {{0, 0, 1}, {100, 0, 10}, {300, 0, 4}, {1000, 0, 1}, {0, 10, 20}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        rwl_range all = {0, 1000};
        rwl_parquet_stitch_part part = {.file = file, .ranges = &all, .range_count = 1};
        stitch_job job = {.fields = &f, .field_count = 1, .parts = &part, .part_count = 1};
        job.options.write.row_group_rows = limits[i].rows;
        job.options.write.row_group_bytes = limits[i].bytes;
        stitch_run(&job, stitch_path(9), "groups");
        if (limits[i].bytes == 0)
            stitch_check(job.written.split_count == limits[i].groups, "limit %zu: %d row groups", i,
                         job.written.split_count);
        else
            ck_assert_int_ge(job.written.split_count, 10);
        rwl_parquet_written_clear(&job.written);
        unlink(stitch_path(9));
    }
    rwl_parquet_close(file);
}
END_TEST

/* Eight columns of 160 KB each in one row group, with memory for half of them. */
START_TEST(a_row_group_is_never_held_whole) {
    enum { COLUMNS = 8, MANY = 20000 };
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    rwl_field fields[COLUMNS];
    rwl_parquet_write_options o = {.codec = RWL_CODEC_NONE, .dictionary_bytes = -1};
    value_style style = {100000, 0, 0};
    rwl_parquet_file *file;
    rwl_range all = {0, MANY};
    rwl_parquet_stitch_options options = {.write = o};
    rwl_parquet_stitch *s;
    rwl_parquet_written written;
    for (int i = 0; i < COLUMNS; i++)
        fields[i] = field(names[i], i + 1, true, RWL_TYPE_LONG);
    stitch_write(stitch_path(0), fields, COLUMNS, &o, &style, MANY, 3);
    stitch_ok(rwl_parquet_open(stitch_store, &stitch_op, stitch_path(0), -1, &file, &stitch_error));
    rwl_parquet_stitch_part part = {.file = file, .ranges = &all, .range_count = 1};
    stitch_op.memory_limit = COLUMNS * MANY * 8 / 2;
    stitch_ok(rwl_parquet_stitch_open(stitch_store, &stitch_op, stitch_path(9), fields, COLUMNS, &options, &s,
                                      &stitch_error));
    stitch_ok(rwl_parquet_stitch_add(s, &part, &stitch_error));
    stitch_ok(rwl_parquet_stitch_finish(s, &written, NULL, &stitch_error));
    stitch_op.memory_limit = 0;
    ck_assert_int_eq(written.row_count, MANY);
    ck_assert_int_eq(written.split_count, 1);
    stitch_check_rules(stitch_path(9));
    rwl_parquet_written_clear(&written);
    rwl_parquet_close(file);
}
END_TEST

START_TEST(no_rows_give_a_file_without_row_groups) {
    rwl_field f = field("x", 1, true, RWL_TYPE_LONG);
    stitch_job job = {.fields = &f, .field_count = 1};
    stitch_run(&job, stitch_path(9), "nothing");
    ck_assert_int_eq(job.written.split_count, 0);
    rwl_parquet_written_clear(&job.written);
}
END_TEST

Suite *stitch_cases_suite(void) {
    Suite *suite = suite_create("stitch_cases");
    TCase *tc = tcase_create("cases");
    tcase_add_checked_fixture(tc, stitch_setup, stitch_teardown);
    tcase_add_loop_test(tc, pages_change_as_little_as_they_must, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tc, a_null_in_a_required_column_is_corrupt);
    tcase_add_test(tc, what_does_not_fit_is_named);
    tcase_add_test(tc, sorting_columns_hold_across_borders_or_go);
    tcase_add_test(tc, bloom_filters_of_all_parts_are_one);
    tcase_add_test(tc, bounds_are_those_of_the_rows_kept);
    tcase_add_test(tc, row_groups_are_merged_and_cut);
    tcase_add_test(tc, a_row_group_is_never_held_whole);
    tcase_add_test(tc, no_rows_give_a_file_without_row_groups);
    suite_add_tcase(suite, tc);
    return suite;
}
