/* SPDX-License-Identifier: Apache-2.0 */
/* Writing files and reading them back; dictionaries, pages, row groups; what is refused. */
#include "suites.h"
#include "writer_support.h"

#include "parquet/column_writer.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes `all` in batches of random length. */
static rwl_parquet_written write_in_batches(const rwl_batch *all, const rwl_field *fields,
                                            const rwl_parquet_write_options *options, unsigned *seed) {
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    rwl_batch part;
    write_ok(rwl_batch_init(&part, &writer_env, fields, all->column_count, &writer_error));
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, all->column_count,
                                     options, &w, &writer_error));
    for (int64_t pos = 0; pos < all->length;) {
        rwl_range range = {pos, 1 + rand_r(seed) % 3000};
        if (range.count > all->length - pos)
            range.count = all->length - pos;
        rwl_batch_reset(&part);
        write_ok(rwl_batch_take_ranges(all, &range, 1, &part, &writer_error));
        write_ok(rwl_parquet_writer_write(w, &part, &writer_error));
        pos += range.count;
    }
    write_ok(rwl_parquet_writer_finish(w, &written, &writer_error));
    rwl_batch_clear(&part);
    return written;
}

static int64_t size_of_file(void) {
    rwl_stat st;
    write_ok(rwl_store_stat(writer_store, &writer_op, writer_path, &st, &writer_error));
    return st.size;
}

/* --- round trips --- */

typedef struct trip {
    int64_t rows;
    rwl_parquet_write_options options;
} trip;

/* Sizes around the borders of pages, dictionaries and row groups. */
static const trip trips[] = {
    {1, {.codec = RWL_CODEC_ZSTD}},
    {7, {.codec = RWL_CODEC_NONE, .page_rows = 8}},
    {8, {.codec = RWL_CODEC_NONE, .page_rows = 8}},
    {9, {.codec = RWL_CODEC_NONE, .page_rows = 8}},
    {4096, {.codec = RWL_CODEC_SNAPPY}},
    {4097, {.codec = RWL_CODEC_ZSTD, .page_rows = 4096}},
    {5000, {.codec = RWL_CODEC_GZIP, .page_bytes = 1000, .dictionary_bytes = 2000}},
    {5000, {.codec = RWL_CODEC_ZSTD, .page_bytes = 1, .page_rows = 100, .dictionary_bytes = -1}},
    {5000, {.codec = RWL_CODEC_ZSTD, .row_group_bytes = 20000}},
    {150, {.codec = RWL_CODEC_NONE, .row_group_bytes = 1}},
    {9000, {.codec = RWL_CODEC_NONE, .page_rows = 1000, .dictionary_bytes = 500, .row_group_bytes = 100000}},
    {12000, {.codec = RWL_CODEC_ZSTD, .page_rows = 3000}},
};
enum { TRIPS = sizeof trips / sizeof *trips, SEEDS = 3 };

START_TEST(reads_back_what_was_written) {
    const trip *t = &trips[_i % TRIPS];
    unsigned seed = (unsigned)_i + 1;
    rwl_field fields[2 * EVERY_TYPE];
    column_style styles[2 * EVERY_TYPE];
    static const int distinct[] = {1, 2, 20, 300, 1 << 30}, nulls[] = {0, 1, 50, 100},
                     runs[] = {1, 1, 10, 400};
    every_type(fields, true);
    every_type(fields + EVERY_TYPE, false);
    for (int i = 0; i < 2 * EVERY_TYPE; i++) {
        fields[i].id = i + 1;
        styles[i] =
            (column_style){distinct[rand_r(&seed) % 5], nulls[rand_r(&seed) % 4], runs[rand_r(&seed) % 4]};
    }
    rwl_batch all;
    write_ok(rwl_batch_init(&all, &writer_env, fields, 2 * EVERY_TYPE, &writer_error));
    append_random(&all, fields, styles, t->rows, &seed);
    rwl_parquet_written written = write_in_batches(&all, fields, &t->options, &seed);
    check_metrics(&written, &all);
    ck_assert_int_eq(written.file_size, size_of_file());
    check_read_back(writer_path, &all, fields, 1 + rand_r(&seed) % 2500);
    check_statistics(writer_path, &all);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* --- one column of longs --- */

typedef int64_t (*long_at)(int64_t row);
static int64_t constant(int64_t row) {
    return row < 0 ? 0 : 42;
}
static int64_t unique(int64_t row) {
    return row * 3;
}
static int64_t ten_values(int64_t row) {
    return row * row % 10;
}
static int64_t mostly_new(int64_t row) {
    return row % 10 == 9 ? row - 1 : row;
}
static int64_t of_60000(int64_t row) {
    return (int64_t)(((uint64_t)row * UINT64_C(0x9E3779B97F4A7C15) ^
                      (uint64_t)row * UINT64_C(0xD1B54A32D192ED03)) >>
                     20) %
           60000;
}
static int64_t ten_then_unique(int64_t row) {
    return row < 60000 ? row % 10 : row;
}
static int64_t scattered(int64_t row) {
    return (int64_t)((uint64_t)row * UINT64_C(0x9E3779B97F4A7C15));
}

static rwl_parquet_written write_longs(long_at value, int64_t rows, const rwl_parquet_write_options *options,
                                       rwl_batch *all, rwl_field *field) {
    unsigned seed = 5;
    memset(field, 0, sizeof *field);
    field->name = "id";
    field->id = 1;
    field->type = rwl_type_of(RWL_TYPE_LONG);
    write_ok(rwl_batch_init(all, &writer_env, field, 1, &writer_error));
    rwl_column *c = &all->columns[0];
    write_ok(rwl_column_reserve(c, &writer_env, rows, 0, &writer_error));
    for (int64_t i = 0; i < rows; i++) {
        int64_t v = value(i);
        memcpy(c->values.data + i * 8, &v, 8);
    }
    c->length = all->length = rows;
    return write_in_batches(all, field, options, &seed);
}

typedef struct coding {
    const char *name;
    long_at value;
    bool has_dictionary;
    int64_t most_bytes; /* of the uncompressed file */
} coding;

/* 100000 rows, 5 pages of 20000; bytes by arithmetic, and 800 for headers, page index and footer. */
static const coding codings[] = {
    {"constant", constant, true, 800},                                /* a run a page */
    {"unique", unique, false, 800000 + 800},                          /* 8 bytes each */
    {"ten values", ten_values, true, 50000 + 800},                    /* 4 bits each */
    {"nine of ten new", mostly_new, false, 800000 + 800},             /* a dictionary would never pay */
    {"drawn of 60000", of_60000, true, 60000 * 8 + 100000 * 2 + 800}, /* pays only from the third page on */
    {"ten, then unique", ten_then_unique, true, 30000 + 40000 * 8 + 800}, /* 4 bits, then plain */
};

START_TEST(dictionary_where_it_pays) {
    const coding *c = &codings[_i];
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    rwl_batch all;
    rwl_field field;
    rwl_parquet_file *file;
    rwl_parquet_written written = write_longs(c->value, 100000, &options, &all, &field);
    ck_assert_msg(written.file_size <= c->most_bytes, "%s: %lld bytes", c->name,
                  (long long)written.file_size);
    write_ok(
        rwl_parquet_open(writer_store, &writer_op, writer_path, written.file_size, &file, &writer_error));
    const rwl_parquet_chunk *chunk = &file->groups[0].chunks[0];
    ck_assert_msg((chunk->dictionary_offset > 0) == c->has_dictionary, "%s", c->name);
    ck_assert_int_eq(chunk->compressed_size, written.columns[0].column_size);
    ck_assert_int_eq(written.page_count, 5);
    rwl_parquet_close(file);
    check_read_back(writer_path, &all, &field, 0);
    check_metrics(&written, &all);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

START_TEST(row_groups_are_cut_by_size) {
    enum { GROUP = 200000, ROWS = 150000 };
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE, .row_group_bytes = GROUP};
    rwl_batch all;
    rwl_field field;
    rwl_parquet_file *file;
    rwl_parquet_written written = write_longs(scattered, ROWS, &options, &all, &field);
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    ck_assert_int_eq(file->group_count, written.split_count);
    ck_assert_int_ge(file->group_count, ROWS * 8 / (GROUP * 5 / 4));
    for (int32_t g = 0; g < file->group_count; g++) {
        const rwl_parquet_group *group = &file->groups[g];
        ck_assert_int_eq(group->file_offset, written.split_offsets[g]);
        ck_assert_int_le(group->chunks[0].compressed_size, GROUP * 5 / 4);
        if (g + 1 < file->group_count)
            ck_assert_int_ge(group->chunks[0].compressed_size, GROUP);
    }
    rwl_parquet_close(file);
    check_read_back(writer_path, &all, &field, 0);
    check_statistics(writer_path, &all);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

START_TEST(estimated_size_is_near_the_real_one) {
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    rwl_batch all;
    rwl_field field;
    rwl_parquet_writer *w;
    rwl_parquet_written written = write_longs(scattered, 50000, &options, &all, &field);
    rwl_parquet_written_clear(&written);
    write_ok(rwl_store_remove(writer_store, &writer_op, writer_path, &writer_error));
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, &field, 1, &options, &w,
                                     &writer_error));
    write_ok(rwl_parquet_writer_write(w, &all, &writer_error));
    int64_t estimate = rwl_parquet_writer_size(w);
    write_ok(rwl_parquet_writer_finish(w, &written, &writer_error));
    ck_assert_int_le(llabs(estimate - written.file_size), written.file_size / 20);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* --- footer --- */

START_TEST(footer_names_writer_and_key_values) {
    static const char *const keys[] = {"iceberg.schema", "empty"}, *const values[] = {"{\"type\":\"struct\"}",
                                                                                      ""};
    rwl_parquet_write_options options = {
        .codec = RWL_CODEC_ZSTD, .kv_keys = keys, .kv_values = values, .kv_count = 2};
    rwl_batch all;
    rwl_field field;
    rwl_parquet_file *file;
    rwl_parquet_written written = write_longs(unique, 0, &options, &all, &field);
    ck_assert_int_eq(written.split_count, 0);
    ck_assert(!written.columns[0].has_bounds);
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    ck_assert_int_eq(file->row_count, 0);
    ck_assert_int_eq(strncmp(file->created_by, "rowline version ", 16), 0);
    ck_assert_int_eq(file->kv_count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(file->kv_keys[i], keys[i]);
        ck_assert_str_eq(file->kv_values[i], values[i]);
    }
    rwl_parquet_close(file);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

START_TEST(unknown_columns_are_not_stored) {
    rwl_field fields[2] = {{.name = "nothing", .id = 1, .type = {.kind = RWL_TYPE_UNKNOWN}},
                           {.name = "b", .id = 2, .type = {.kind = RWL_TYPE_INT}}};
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    rwl_parquet_file *file;
    rwl_batch batch;
    rwl_value nothing = rwl_value_null(RWL_TYPE_UNKNOWN), five = {.kind = RWL_TYPE_INT, .as = {.i32 = 5}};
    write_ok(rwl_batch_init(&batch, &writer_env, fields, 2, &writer_error));
    write_ok(rwl_column_append(&batch.columns[0], &writer_env, &nothing, 3, &writer_error));
    write_ok(rwl_column_append(&batch.columns[1], &writer_env, &five, 3, &writer_error));
    batch.length = 3;
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, 2, &options, &w,
                                     &writer_error));
    write_ok(rwl_parquet_writer_write(w, &batch, &writer_error));
    write_ok(rwl_parquet_writer_finish(w, &written, &writer_error));
    ck_assert_int_eq(written.columns[0].column_size, 0);
    ck_assert_int_eq(written.columns[0].null_count, 3);
    ck_assert_int_eq(written.columns[1].lower.as.i32, 5);
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    ck_assert_int_eq(file->leaf_count, 1);
    ck_assert_int_eq(file->leaves[0].field.id, 2);
    rwl_parquet_close(file);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&batch);
}
END_TEST

/* --- dictionaries over row groups --- */

START_TEST(huge_values_never_enter_the_dictionary) {
    enum { HUGE_LEN = 300000 };
    rwl_field field = {.name = "s", .id = 1, .type = {.kind = RWL_TYPE_STRING}};
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE, .dictionary_bytes = 100000};
    rwl_batch all;
    unsigned seed = 1;
    char *text = malloc(HUGE_LEN);
    memset(text, 'h', HUGE_LEN);
    write_ok(rwl_batch_init(&all, &writer_env, &field, 1, &writer_error));
    rwl_value small = {.kind = RWL_TYPE_STRING, .as = {.bytes = rwl_span_str("small")}};
    rwl_value huge = {.kind = RWL_TYPE_STRING, .as = {.bytes = rwl_span_of(text, HUGE_LEN)}};
    write_ok(rwl_column_append(&all.columns[0], &writer_env, &small, 5000, &writer_error));
    write_ok(rwl_column_append(&all.columns[0], &writer_env, &huge, 3, &writer_error));
    write_ok(rwl_column_append(&all.columns[0], &writer_env, &small, 5000, &writer_error));
    all.length = 10003;
    rwl_parquet_written written = write_in_batches(&all, &field, &options, &seed);
    ck_assert_int_le(written.file_size, 3 * HUGE_LEN + 5000 * 9 + 2000); /* a run, three huge, 5000 plain */
    check_read_back(writer_path, &all, &field, 0);
    check_metrics(&written, &all);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
    free(text);
}
END_TEST

START_TEST(nulls_first_do_not_lose_the_dictionary) {
    rwl_field field = {.name = "s", .id = 1, .type = {.kind = RWL_TYPE_STRING}};
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE, .page_rows = 1000};
    rwl_batch all;
    unsigned seed = 1;
    write_ok(rwl_batch_init(&all, &writer_env, &field, 1, &writer_error));
    rwl_value null = rwl_value_null(RWL_TYPE_STRING);
    rwl_value word = {.kind = RWL_TYPE_STRING,
                      .as = {.bytes = rwl_span_str("a word of thirty bytes or so..")}};
    write_ok(rwl_column_append(&all.columns[0], &writer_env, &null, 2500, &writer_error));
    write_ok(rwl_column_append(&all.columns[0], &writer_env, &word, 20000, &writer_error));
    all.length = 22500;
    rwl_parquet_written written = write_in_batches(&all, &field, &options, &seed);
    /* pages of one or two runs; in the page index two bounds of 30 bytes and a place each */
    ck_assert_int_le(written.file_size, 23 * (60 + 60 + 10) + 600);
    check_read_back(writer_path, &all, &field, 0);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* --- refusals --- */

static rwl_status write_one(const rwl_field *field, const rwl_value *value) {
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    rwl_batch batch;
    write_ok(rwl_batch_init(&batch, &writer_env, field, 1, &writer_error));
    write_ok(rwl_column_append(&batch.columns[0], &writer_env, value, 1, &writer_error));
    batch.length = 1;
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, field, 1, &options, &w,
                                     &writer_error));
    rwl_status st = rwl_parquet_writer_write(w, &batch, &writer_error);
    rwl_error again = {0};
    ck_assert_int_eq(rwl_parquet_writer_write(w, &batch, &again), st); /* failed once, fails for good */
    ck_assert_int_eq(rwl_parquet_writer_finish(w, &written, &again), st);
    ck_assert_int_eq(writer_dir_entries(), 0);
    rwl_batch_clear(&batch);
    return st;
}

START_TEST(refuses_null_in_required_column) {
    rwl_field field = {.name = "must", .id = 1, .required = true, .type = {.kind = RWL_TYPE_LONG}};
    rwl_value null = rwl_value_null(RWL_TYPE_LONG);
    ck_assert_int_eq(write_one(&field, &null), RWL_INTERNAL);
    ck_assert_ptr_nonnull(strstr(writer_error.message, "must"));
}
END_TEST

START_TEST(refuses_decimal_wider_than_its_precision) {
    static const int32_t precisions[] = {9, 18, 20};
    for (int i = 0; i < 3; i++) {
        rwl_field field = {
            .name = "d", .id = 1, .type = {.kind = RWL_TYPE_DECIMAL, .precision = precisions[i]}};
        rwl_value v = {.kind = RWL_TYPE_DECIMAL, .as = {.i128 = rwl_i128_pow10(30)}};
        ck_assert_int_eq(write_one(&field, &v), RWL_INTERNAL);
        ck_assert_ptr_nonnull(strstr(writer_error.message, "column d"));
    }
}
END_TEST

START_TEST(refuses_types_without_a_form_by_name) {
    rwl_field nothing = {.name = "element", .id = 2, .type = {.kind = RWL_TYPE_UNKNOWN}};
    rwl_field fields[] = {
        {.name = "nulls", .id = 1, .type = {.kind = RWL_TYPE_LIST, .children = &nothing, .child_count = 1}},
        {.name = "hollow",
         .id = 1,
         .type = {.kind = RWL_TYPE_STRUCT, .children = &nothing, .child_count = 1}},
        {.name = "wide", .id = 1, .type = {.kind = RWL_TYPE_DECIMAL, .precision = 39}},
        {.name = "empty", .id = 1, .type = {.kind = RWL_TYPE_FIXED, .length = 0}},
    };
    rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        rwl_parquet_writer *w;
        rwl_status st = rwl_parquet_writer_open(writer_store, &writer_op, writer_path, &fields[i], 1,
                                                &options, &w, &writer_error);
        ck_assert_int_eq(st, RWL_UNSUPPORTED);
        ck_assert_ptr_null(w);
        ck_assert_ptr_nonnull(strstr(writer_error.message, fields[i].name));
        ck_assert_int_eq(writer_dir_entries(), 0);
    }
}
END_TEST

START_TEST(cancelled_writing_leaves_nothing) {
    rwl_field field = {.name = "id", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE};
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, &field, 1, &options, &w,
                                     &writer_error));
    atomic_store(&writer_op.cancelled, 1);
    ck_assert_int_eq(rwl_parquet_writer_finish(w, &written, &writer_error), RWL_INTERRUPTED);
    ck_assert_int_eq(writer_dir_entries(), 0);
}
END_TEST

Suite *writer_suite(void) {
    Suite *suite = suite_create("parquet writer");
    TCase *tc = tcase_create("files");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, writer_setup, writer_teardown);
    tcase_add_loop_test(tc, reads_back_what_was_written, 0, TRIPS * SEEDS);
    tcase_add_loop_test(tc, dictionary_where_it_pays, 0, sizeof codings / sizeof *codings);
    tcase_add_test(tc, row_groups_are_cut_by_size);
    tcase_add_test(tc, estimated_size_is_near_the_real_one);
    tcase_add_test(tc, footer_names_writer_and_key_values);
    tcase_add_test(tc, unknown_columns_are_not_stored);
    tcase_add_test(tc, huge_values_never_enter_the_dictionary);
    tcase_add_test(tc, nulls_first_do_not_lose_the_dictionary);
    tcase_add_test(tc, refuses_null_in_required_column);
    tcase_add_test(tc, refuses_decimal_wider_than_its_precision);
    tcase_add_test(tc, refuses_types_without_a_form_by_name);
    tcase_add_test(tc, cancelled_writing_leaves_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
