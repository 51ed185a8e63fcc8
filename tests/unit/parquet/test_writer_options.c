/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the writer: encodings, page versions, bloom filters, row groups, tasks. */
#include "suites.h"
#include "writer_support.h"

#include "base/pool.h"
#include "parquet/bloom.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_parquet_written write_all(const rwl_batch *all, const rwl_field *fields,
                                     const rwl_parquet_write_options *options) {
    rwl_parquet_writer *w;
    rwl_parquet_written written;
    write_ok(rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, all->column_count,
                                     options, &w, &writer_error));
    write_ok(rwl_parquet_writer_write(w, all, &writer_error));
    write_ok(rwl_parquet_writer_finish(w, &written, &writer_error));
    return written;
}

static void make_rows(rwl_batch *all, rwl_field fields[EVERY_TYPE], int64_t rows, int distinct) {
    unsigned seed = 4;
    column_style styles[EVERY_TYPE];
    every_type(fields, false);
    for (int i = 0; i < EVERY_TYPE; i++)
        styles[i] = (column_style){distinct, i % 3 == 0 ? 0 : 20, 2};
    write_ok(rwl_batch_init(all, &writer_env, fields, EVERY_TYPE, &writer_error));
    append_random(all, fields, styles, rows, &seed);
}

static rwl_parquet_file *open_file(void) {
    rwl_parquet_file *file;
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, -1, &file, &writer_error));
    return file;
}

/* --- encodings --- */

static const rwl_parquet_encoding encodings[] = {
    RWL_PARQUET_PLAIN,
    RWL_PARQUET_RLE,
    RWL_PARQUET_DELTA_BINARY_PACKED,
    RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY,
    RWL_PARQUET_DELTA_BYTE_ARRAY,
    RWL_PARQUET_BYTE_STREAM_SPLIT,
};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

/* Each column that can have the encoding gets it, in both versions of pages. */
START_TEST(forced_encodings_are_used_and_read_back) {
    rwl_parquet_encoding encoding = encodings[_i / 2];
    rwl_field fields[EVERY_TYPE];
    rwl_parquet_column_options columns[EVERY_TYPE];
    rwl_parquet_write_options options = {
        .codec = RWL_CODEC_ZSTD, .page_v2 = _i % 2 == 1, .page_rows = 700, .columns = columns};
    rwl_batch all;
    make_rows(&all, fields, 3000, 100);
    for (int i = 0; i < EVERY_TYPE; i++) {
        rwl_parquet_write_options one = {.columns = &columns[options.column_count], .column_count = 1};
        rwl_parquet_writer *w;
        columns[options.column_count] = (rwl_parquet_column_options){
            .path = fields[i].name, .force_encoding = true, .encoding = encoding};
        rwl_status st = rwl_parquet_writer_open(writer_store, &writer_op, writer_path, fields, EVERY_TYPE,
                                                &one, &w, &writer_error);
        rwl_parquet_writer_abort(w);
        ck_assert_msg(st == RWL_OK || st == RWL_UNSUPPORTED, "%s", writer_error.message);
        options.column_count += st == RWL_OK;
        if (st == RWL_UNSUPPORTED)
            ck_assert_ptr_nonnull(strstr(writer_error.message, fields[i].name));
    }
    ck_assert_int_gt(options.column_count, 0);
    rwl_parquet_written written = write_all(&all, fields, &options);
    check_read_back(writer_path, &all, fields, 0);
    check_metrics(&written, &all);
    check_statistics(writer_path, &all);
    rwl_parquet_file *file = open_file();
    for (int32_t k = 0; k < options.column_count; k++)
        for (int32_t i = 0; i < EVERY_TYPE; i++)
            if (strcmp(fields[i].name, columns[k].path) == 0)
                ck_assert(file->groups[0].chunks[i].encodings & 1u << encoding);
    rwl_parquet_close(file);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* Longs one after another are all but free as deltas, scattered ones are not. */
START_TEST(delta_is_taken_where_it_is_smaller) {
    enum { ROWS = 10000 };
    rwl_field fields[2] = {{.name = "sequence", .id = 1, .type = {.kind = RWL_TYPE_LONG}},
                           {.name = "scattered", .id = 2, .type = {.kind = RWL_TYPE_LONG}}};
    rwl_parquet_write_options options = {
        .codec = RWL_CODEC_NONE, .dictionary_bytes = -1, .prefer = RWL_PARQUET_PREFER_DELTA};
    rwl_batch all;
    write_ok(rwl_batch_init(&all, &writer_env, fields, 2, &writer_error));
    for (int64_t i = 0; i < ROWS; i++)
        for (int k = 0; k < 2; k++) {
            rwl_value v = {
                .kind = RWL_TYPE_LONG,
                .as = {.i64 = k == 0 ? i : (int64_t)((uint64_t)(i * i) * UINT64_C(0x9E3779B97F4A7C15))}};
            write_ok(rwl_column_append(&all.columns[k], &writer_env, &v, 1, &writer_error));
        }
    all.length = ROWS;
    rwl_parquet_written written = write_all(&all, fields, &options);
    rwl_parquet_file *file = open_file();
    const rwl_parquet_chunk *chunks = file->groups[0].chunks;
    ck_assert(chunks[0].encodings & 1u << RWL_PARQUET_DELTA_BINARY_PACKED);
    ck_assert(!(chunks[0].encodings & 1u << RWL_PARQUET_PLAIN));
    ck_assert_int_le(written.columns[0].column_size, ROWS / 128 * 8 + 200); /* six bytes a block */
    ck_assert(!(chunks[1].encodings & 1u << RWL_PARQUET_DELTA_BINARY_PACKED));
    rwl_parquet_close(file);
    check_read_back(writer_path, &all, fields, 0);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* The version column has a dictionary even of values that are all new, the id column none even of equal ones. */
START_TEST(lineage_columns_have_their_own_rules) {
    enum { ROWS = 10000 };
    rwl_field fields[2] = {
        {.name = RWL_COLUMN_ROW_ID, .id = RWL_FIELD_ID_ROW_ID, .type = {.kind = RWL_TYPE_LONG}},
        {.name = RWL_COLUMN_LAST_UPDATED, .id = RWL_FIELD_ID_LAST_UPDATED, .type = {.kind = RWL_TYPE_LONG}}};
    rwl_parquet_column_options delta = {
        .path = RWL_COLUMN_ROW_ID, .force_encoding = true, .encoding = RWL_PARQUET_DELTA_BINARY_PACKED};
    rwl_parquet_write_options options = {.codec = RWL_CODEC_NONE, .prefer = RWL_PARQUET_PREFER_DELTA};
    rwl_batch all;
    write_ok(rwl_batch_init(&all, &writer_env, fields, 2, &writer_error));
    for (int64_t i = 0; i < ROWS; i++) {
        rwl_value same = {.kind = RWL_TYPE_LONG, .as = {.i64 = 7}},
                  other = {.kind = RWL_TYPE_LONG, .as = {.i64 = i}};
        write_ok(rwl_column_append(&all.columns[0], &writer_env, &same, 1, &writer_error));
        write_ok(rwl_column_append(&all.columns[1], &writer_env, &other, 1, &writer_error));
    }
    all.length = ROWS;
    for (int round = 0; round < 2; round++) {
        options.columns = &delta;
        options.column_count = round;
        rwl_parquet_written written = write_all(&all, fields, &options);
        rwl_parquet_file *file = open_file();
        const rwl_parquet_chunk *chunks = file->groups[0].chunks;
        ck_assert(chunks[0].encodings & 1u << (round ? RWL_PARQUET_DELTA_BINARY_PACKED : RWL_PARQUET_PLAIN));
        ck_assert_int_eq(chunks[0].dictionary_offset, 0);
        ck_assert(chunks[1].all_dictionary);
        rwl_parquet_close(file);
        check_read_back(writer_path, &all, fields, 0);
        rwl_parquet_written_clear(&written);
        write_ok(rwl_store_remove(writer_store, &writer_op, writer_path, &writer_error));
    }
    rwl_batch_clear(&all);
}
END_TEST

/* --- bloom filters --- */

/* Every value is in the filter, and of 1000 others at most 5 % (asked for: 1 %). */
START_TEST(bloom_filters_hold_every_value) {
    enum { ROWS = 5000 };
    rwl_field field = {.name = "n", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    rwl_parquet_column_options column = {.path = "n", .bloom = true, .bloom_distinct = _i == 2 ? ROWS : 0};
    rwl_parquet_write_options options = {
        .codec = RWL_CODEC_ZSTD, .dictionary_bytes = _i == 0 ? 0 : -1, .columns = &column, .column_count = 1};
    int64_t step = _i == 0 ? 50 : 1; /* in a dictionary, or not */
    rwl_batch all;
    rwl_arena arena;
    rwl_file *handle;
    rwl_parquet_bloom *bloom;
    write_ok(rwl_batch_init(&all, &writer_env, &field, 1, &writer_error));
    for (int64_t i = 0; i < ROWS; i++) {
        rwl_value v = {.kind = RWL_TYPE_LONG, .as = {.i64 = i / step}};
        write_ok(rwl_column_append(&all.columns[0], &writer_env, &v, 1, &writer_error));
    }
    all.length = ROWS;
    rwl_parquet_written written = write_all(&all, &field, &options);
    rwl_parquet_file *file = open_file();
    rwl_arena_init(&arena, &writer_env, 0);
    write_ok(rwl_file_open(writer_store, &writer_op, writer_path, &handle, &writer_error));
    write_ok(rwl_parquet_bloom_read(handle, &writer_op, file, 0, 0, &arena, &bloom, &writer_error));
    ck_assert_ptr_nonnull(bloom);
    int wrong = 0;
    for (int64_t v = 0; v < ROWS / step; v++)
        ck_assert(rwl_parquet_bloom_has(bloom, rwl_parquet_bloom_hash(rwl_span_of(&v, sizeof v))));
    for (int64_t v = ROWS; v < ROWS + 1000; v++)
        wrong += rwl_parquet_bloom_has(bloom, rwl_parquet_bloom_hash(rwl_span_of(&v, sizeof v)));
    ck_assert_int_le(wrong, 50);
    rwl_file_close(handle);
    rwl_arena_clear(&arena);
    rwl_parquet_close(file);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* --- row groups --- */

START_TEST(row_groups_are_cut_by_rows) {
    rwl_field fields[EVERY_TYPE];
    rwl_parquet_write_options options = {.codec = RWL_CODEC_SNAPPY, .row_group_rows = 700};
    rwl_batch all;
    make_rows(&all, fields, 2000, 10);
    rwl_parquet_written written = write_all(&all, fields, &options);
    rwl_parquet_file *file = open_file();
    ck_assert_int_eq(file->group_count, 3);
    ck_assert_int_eq(file->groups[0].row_count, 700);
    ck_assert_int_eq(file->groups[1].row_count, 700);
    ck_assert_int_eq(file->groups[2].row_count, 600);
    rwl_parquet_close(file);
    check_read_back(writer_path, &all, fields, 0);
    rwl_parquet_written_clear(&written);
    rwl_batch_clear(&all);
}
END_TEST

/* --- tasks --- */

static char *read_file(long *len) {
    FILE *f = fopen(writer_path, "rb");
    ck_assert_ptr_nonnull(f);
    fseek(f, 0, SEEK_END);
    *len = ftell(f);
    rewind(f);
    char *bytes = malloc((size_t)*len);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)*len, f), (size_t)*len);
    fclose(f);
    return bytes;
}

START_TEST(bytes_do_not_depend_on_the_number_of_threads) {
    static const int threads[] = {0, 1, 2, 5};
    rwl_field fields[EVERY_TYPE];
    rwl_parquet_write_options options = {.codec = RWL_CODEC_ZSTD,
                                         .row_group_bytes = 300000,
                                         .page_rows = 2000,
                                         .prefer = RWL_PARQUET_PREFER_DELTA};
    rwl_batch all;
    char *first = NULL;
    long first_len = 0;
    make_rows(&all, fields, 20000, 1 << 30);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        rwl_pool *pool = NULL;
        long len;
        if (threads[i] > 0)
            write_ok(rwl_pool_new(&writer_env, threads[i], &pool, &writer_error));
        options.pool = pool;
        rwl_parquet_written written = write_all(&all, fields, &options);
        rwl_parquet_written_clear(&written);
        char *bytes = read_file(&len);
        if (i == 0) {
            first = bytes;
            first_len = len;
        } else {
            ck_assert_int_eq(len, first_len);
            ck_assert_msg(memcmp(bytes, first, (size_t)len) == 0, "%d threads", threads[i]);
            free(bytes);
        }
        write_ok(rwl_store_remove(writer_store, &writer_op, writer_path, &writer_error));
        rwl_pool_free(pool);
    }
    free(first);
    rwl_batch_clear(&all);
}
END_TEST

Suite *writer_options_suite(void) {
    Suite *suite = suite_create("parquet writer: options");
    TCase *tc = tcase_create("options");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, writer_setup, writer_teardown);
    tcase_add_loop_test(tc, forced_encodings_are_used_and_read_back, 0, 2 * ENCODINGS);
    tcase_add_test(tc, delta_is_taken_where_it_is_smaller);
    tcase_add_test(tc, lineage_columns_have_their_own_rules);
    tcase_add_loop_test(tc, bloom_filters_hold_every_value, 0, 3);
    tcase_add_test(tc, row_groups_are_cut_by_rows);
    tcase_add_test(tc, bytes_do_not_depend_on_the_number_of_threads);
    suite_add_tcase(suite, tc);
    return suite;
}
