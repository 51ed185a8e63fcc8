/* SPDX-License-Identifier: Apache-2.0 */
/* Files put together from chunks: what the footer says lies where it says, metrics are of the whole file. */
#include "output_support.h"
#include "suites.h"

#include "parquet/index.h"
#include "storage/test_store.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_arena arena;

static void setup(void) {
    writer_setup();
    rwl_arena_init(&arena, &writer_env, 0);
}

static void teardown(void) {
    rwl_arena_clear(&arena);
    writer_teardown();
}

/* An output with its chunks. */
typedef struct opened {
    rwl_parquet_write_schema schema;
    rwl_parquet_output *o;
    rwl_parquet_chunk_write **chunks;
} opened;

static opened open_file(const rwl_field *fields, int32_t count, const rwl_parquet_output_options *options) {
    static const rwl_parquet_output_options none;
    opened f = {.schema = make_schema(&arena, fields, count)};
    f.chunks = rwl_arena_array(&arena, (size_t)f.schema.leaf_count, sizeof *f.chunks);
    write_ok(rwl_parquet_output_open(writer_store, &writer_op, writer_path, &f.schema,
                                     options ? options : &none, &f.o, &writer_error));
    for (int32_t i = 0; i < f.schema.leaf_count; i++)
        write_ok(rwl_parquet_chunk_new(&writer_env, &f.schema.leaves[i], RWL_CODEC_NONE, &f.chunks[i],
                                       &writer_error));
    return f;
}

static void free_chunks(const opened *f) {
    for (int32_t i = 0; i < f->schema.leaf_count; i++)
        rwl_parquet_chunk_free(f->chunks[i]);
}

static rwl_parquet_written finish_file(opened *f) {
    rwl_parquet_written written;
    write_ok(rwl_parquet_output_finish(f->o, &written, &writer_error));
    free_chunks(f);
    return written;
}

static void write_group(opened *f, int64_t rows) {
    write_ok(rwl_parquet_output_group(f->o, f->chunks, rows, NULL, 0, &writer_error));
}

static const rwl_field two_fields[] = {
    {.name = "a", .id = 1, .required = true, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "b", .id = 2, .type = {.kind = RWL_TYPE_STRING}}};

static void fill_two(const opened *f) {
    page_of text = {.rows = 5,
                    .nulls = 2,
                    .min = "k",
                    .max = "m",
                    .min_len = 1,
                    .max_len = 1,
                    .encoding = 8,
                    .unencoded = 9};
    add_numbers(f->chunks[0], 3, 10, 12);
    add_numbers(f->chunks[0], 2, 13, 20);
    write_ok(add_page(f->chunks[1], &text, &writer_error));
    write_ok(add_dictionary(f->chunks[1], &writer_error));
}

/* The number behind the n-th `key` (from 0) in `text`. */
static int64_t number_at(const char *text, const char *key, int n) {
    for (int i = 0; i <= n; i++) {
        text = strstr(text, key);
        ck_assert_ptr_nonnull(text);
        text += strlen(key);
    }
    return strtoll(text, NULL, 10);
}

/* --- a whole file --- */

START_TEST(what_the_footer_names_is_where_it_says) {
    static const char *const keys[] = {"k"}, *const values[] = {"v w"};
    rwl_parquet_output_options options = {.kv_keys = keys, .kv_values = values, .kv_count = 1};
    rwl_parquet_sorting sorting[] = {{1, true, false}, {0, false, true}};
    opened f = open_file(two_fields, 2, &options);
    fill_two(&f);
    int64_t first = rwl_parquet_chunk_bytes(f.chunks[0]), second = rwl_parquet_chunk_bytes(f.chunks[1]);
    write_ok(rwl_parquet_output_group(f.o, f.chunks, 5, sorting, 2, &writer_error));
    ck_assert_int_eq(rwl_parquet_chunk_rows(f.chunks[0]), 0); /* emptied */
    ck_assert_int_eq(rwl_parquet_output_rows(f.o), 5);
    int64_t estimate = rwl_parquet_output_size(f.o);
    rwl_parquet_written w = finish_file(&f);
    ck_assert_int_eq(w.split_count, 1);
    ck_assert_int_eq(w.split_offsets[0], 4);
    ck_assert_int_eq(w.page_count, 3);
    ck_assert_int_lt(llabs(estimate - w.file_size), 200);

    rwl_buf file = read_file(writer_path);
    ck_assert_uint_eq(file.len, (size_t)w.file_size);
    const char *text = footer_text(&arena, &file);
    /* bodies of data pages are 5 bytes longer uncompressed: three pages */
    const char *end = rwl_arena_printf(
        &arena,
        " 2:%lld 3:5 4:[{1:1 2:T 3:F} {1:0 2:F 3:T}] 5:4 6:%lld 7:0}] 5:[{1:'k' 2:'v w'}] "
        "6:'rowline version " ROWLINE_VERSION " (build " ROWLINE_VERSION ")' 7:[{1:{}} {1:{}}]}",
        (long long)(first + second + 15), (long long)(first + second));
    ck_assert_msg(strcmp(text + strlen(text) - strlen(end), end) == 0, "%s", text);
    ck_assert_int_eq(strncmp(text, "{1:1 2:[{4:'table' 5:2} ", 24), 0);

    /* the dictionary of b comes behind a's pages, its page behind that */
    int64_t dictionary = number_at(text, " 11:", 0), page = number_at(text, " 9:", 3);
    ck_assert_int_eq(dictionary, 4 + first);
    ck_assert_int_eq(strncmp(thrift_text(&arena, rwl_span_of(file.data + dictionary, 64), NULL), "{1:2 ", 5),
                     0);
    ck_assert_int_eq(strncmp(thrift_text(&arena, rwl_span_of(file.data + page, 64), NULL), "{1:0 ", 5), 0);

    /* ColumnChunk 4, 5: offset index; 6, 7: column index. Those of columns come first, side by side */
    int64_t columns[2], lens[2], offsets[2], offset_lens[2];
    for (int i = 0; i < 2; i++) {
        const char *chunk = text;
        for (int k = 0; k <= i; k++)
            chunk = strstr(chunk, "{2:0 3:{") + 1;
        const char *meta_end = strstr(chunk, "}]} 4:");
        if (i == 1)
            meta_end = strstr(chunk, "16:{1:9}} 4:") + 5;
        ck_assert_ptr_nonnull(meta_end);
        ck_assert_int_eq(sscanf(strstr(meta_end, "} 4:"), "} 4:%ld 5:%ld 6:%ld 7:%ld", &offsets[i],
                                &offset_lens[i], &columns[i], &lens[i]),
                         4);
    }
    ck_assert_int_eq(columns[0], 4 + first + second);
    ck_assert_int_eq(columns[1], columns[0] + lens[0]);
    ck_assert_int_eq(offsets[0], columns[1] + lens[1]);
    ck_assert_int_eq(offsets[1], offsets[0] + offset_lens[0]);
    size_t len;
    ck_assert_str_eq(thrift_text(&arena, rwl_span_of(file.data + columns[1], (size_t)lens[1]), &len),
                     "{1:[F] 2:['k'] 3:['m'] 4:1 5:[2]}");
    ck_assert_int_eq((int64_t)len, lens[1]);
    text = thrift_text(&arena, rwl_span_of(file.data + offsets[0], (size_t)offset_lens[0]), &len);
    ck_assert_int_eq((int64_t)len, offset_lens[0]);
    ck_assert_int_eq(number_at(text, "{1:", 1), 4);
    ck_assert_int_eq(number_at(text, "{1:", 2),
                     4 + number_at(text, " 2:", 0)); /* the next page behind the first */
    ck_assert_int_eq(number_at(text, " 3:", 1), 3);
    rwl_buf_clear(&file);
    rwl_parquet_written_clear(&w);
}
END_TEST

START_TEST(our_own_reader_takes_the_page_index) {
    static const char *const key = "k";
    rwl_parquet_output_options options = {.kv_keys = &key, .kv_values = &key, .kv_count = 1};
    opened f = open_file(two_fields, 2, &options);
    for (int g = 0; g < 2; g++) {
        fill_two(&f);
        write_group(&f, 5);
    }
    rwl_parquet_written w = finish_file(&f);
    rwl_parquet_file *file;
    rwl_file *handle;
    rwl_parquet_offset_index *offsets;
    rwl_parquet_column_index *columns;
    write_ok(rwl_parquet_open(writer_store, &writer_op, writer_path, w.file_size, &file, &writer_error));
    write_ok(rwl_file_open(writer_store, &writer_op, writer_path, &handle, &writer_error));
    write_ok(rwl_parquet_offset_index_read(handle, &writer_op, file, 1, 0, &arena, &offsets, &writer_error));
    write_ok(rwl_parquet_column_index_read(handle, &writer_op, file, 1, 0, &arena, &columns, &writer_error));
    ck_assert_int_eq(offsets->page_count, 2);
    ck_assert_int_eq(offsets->pages[0].off, w.split_offsets[1]);
    ck_assert_int_eq(offsets->pages[1].off, w.split_offsets[1] + offsets->pages[0].len);
    ck_assert_int_eq(offsets->pages[1].first_row, 3);
    ck_assert_int_eq(columns->page_count, 2);
    ck_assert_int_eq((int64_t)rwl_load_le64(columns->pages[1].max.data), 20);
    write_ok(rwl_parquet_offset_index_read(handle, &writer_op, file, 0, 1, &arena, &offsets, &writer_error));
    write_ok(rwl_parquet_column_index_read(handle, &writer_op, file, 0, 1, &arena, &columns, &writer_error));
    ck_assert_int_eq(offsets->unencoded_bytes[0], 9);
    ck_assert_int_eq(columns->pages[0].null_count, 2);
    ck_assert(rwl_span_equal(columns->pages[0].min, rwl_span_str("k")));
    ck_assert_int_eq(file->groups[0].chunks[1].stats.null_count, 2);
    ck_assert(file->groups[0].chunks[1].all_dictionary && !file->groups[0].chunks[0].all_dictionary);
    ck_assert_int_eq(file->groups[0].chunks[1].unencoded_bytes, 9);
    rwl_file_close(handle);
    rwl_parquet_close(file);
    rwl_parquet_written_clear(&w);
}
END_TEST

START_TEST(without_index_none_is_written) {
    rwl_parquet_output_options options = {.without_index = true};
    opened f = open_file(two_fields, 2, &options);
    fill_two(&f);
    int64_t pages = rwl_parquet_chunk_bytes(f.chunks[0]) + rwl_parquet_chunk_bytes(f.chunks[1]);
    write_group(&f, 5);
    rwl_parquet_written w = finish_file(&f);
    rwl_buf file = read_file(writer_path);
    size_t footer = rwl_load_le32(file.data + file.len - 8);
    ck_assert_uint_eq(file.len, 4 + (size_t)pages + footer + 8);
    rwl_buf_clear(&file);
    rwl_parquet_written_clear(&w);
}
END_TEST

START_TEST(bloom_filters_stand_behind_their_row_group) {
    opened f = open_file(two_fields, 2, NULL);
    int64_t starts[2];
    for (int g = 0; g < 2; g++) {
        rwl_parquet_bloom bloom = {rwl_calloc(&writer_env, 2, RWL_PARQUET_BLOOM_BLOCK), 2};
        rwl_parquet_bloom_add(&bloom, 12345);
        fill_two(&f);
        rwl_parquet_chunk_take_bloom(f.chunks[1], bloom);
        starts[g] = rwl_parquet_chunk_bytes(f.chunks[0]) + rwl_parquet_chunk_bytes(f.chunks[1]);
        write_group(&f, 5);
    }
    rwl_parquet_written w = finish_file(&f);
    rwl_buf file = read_file(writer_path);
    const char *text = footer_text(&arena, &file);
    int64_t at = 4;
    for (int g = 0; g < 2; g++) { /* ColumnMetaData 14: offset, 15: length */
        rwl_parquet_bloom read;
        int64_t len = number_at(text, " 15:", g);
        ck_assert_int_eq(w.split_offsets[g], at);
        at += starts[g];
        ck_assert_int_eq(number_at(text, " 14:", g), at);
        write_ok(
            rwl_parquet_bloom_parse(rwl_span_of(file.data + at, (size_t)len), &arena, &read, &writer_error));
        ck_assert_uint_eq(read.block_count, 2);
        ck_assert(rwl_parquet_bloom_has(&read, 12345));
        at += len;
    }
    rwl_buf_clear(&file);
    rwl_parquet_written_clear(&w);
}
END_TEST

/* RowGroup.ordinal is an i16: "row groups beyond 32767 have none". */
START_TEST(ordinals_end_at_32767) {
    enum { GROUPS = 32770 };
    rwl_parquet_output_options options = {.without_index = true};
    opened f = open_file(two_fields, 1, &options);
    for (int i = 0; i < GROUPS; i++) {
        add_numbers(f.chunks[0], 1, i, i);
        write_group(&f, 1);
    }
    rwl_parquet_written w = finish_file(&f);
    ck_assert_int_eq(w.split_count, GROUPS);
    ck_assert_int_eq(w.columns[0].upper.as.i64, GROUPS - 1);
    rwl_buf file = read_file(writer_path);
    const char *text = footer_text(&arena, &file);
    ck_assert_ptr_nonnull(strstr(text, " 7:32767} {1:"));
    ck_assert_ptr_null(strstr(text, " 7:32768}"));
    rwl_buf_clear(&file);
    rwl_parquet_written_clear(&w);
}
END_TEST

START_TEST(no_rows_make_a_file_without_row_groups) {
    opened f = open_file(two_fields, 2, NULL);
    write_group(&f, 0);
    rwl_parquet_written w = finish_file(&f);
    ck_assert_int_eq(w.split_count, 0);
    ck_assert_int_eq(w.row_count, 0);
    ck_assert(!w.columns[0].has_bounds);
    rwl_buf file = read_file(writer_path);
    ck_assert_ptr_nonnull(strstr(footer_text(&arena, &file), " 3:0 4:[] 6:"));
    rwl_buf_clear(&file);
    rwl_parquet_written_clear(&w);
}
END_TEST

START_TEST(ten_thousand_columns_cost_their_bytes) {
    enum { COLUMNS = 10000, GROUPS = 3 };
    rwl_field *fields = rwl_arena_array(&arena, COLUMNS, sizeof *fields);
    for (int32_t i = 0; i < COLUMNS; i++)
        fields[i] = make_field(rwl_arena_printf(&arena, "column_%d", i), i + 1, true, RWL_TYPE_LONG);
    opened f = open_file(fields, COLUMNS, NULL);
    for (int g = 0; g < GROUPS; g++) {
        for (int32_t i = 0; i < COLUMNS; i++)
            add_numbers(f.chunks[i], 2, i, i + g);
        write_group(&f, 2);
    }
    int64_t estimate = rwl_parquet_output_size(f.o);
    rwl_parquet_written w = finish_file(&f);
    ck_assert_int_eq(w.columns[77].upper.as.i64, 79);
    ck_assert_int_lt(llabs(estimate - w.file_size), w.file_size / 20);
    rwl_parquet_written_clear(&w);
}
END_TEST

/* --- metrics --- */

START_TEST(bug_142_bounds_are_of_all_row_groups) {
    static const int64_t bounds[2][2][2] = {{{1, 10}, {11, 20}}, {{11, 20}, {1, 10}}};
    for (int k = 0; k < 2; k++) {
        opened f = open_file(two_fields, 1, NULL);
        for (int g = 0; g < 2; g++) {
            add_numbers(f.chunks[0], 10, bounds[k][g][0], bounds[k][g][1]);
            write_group(&f, 10);
        }
        rwl_parquet_written w = finish_file(&f);
        ck_assert(w.columns[0].has_bounds && w.columns[0].is_exact);
        ck_assert_int_eq(w.columns[0].lower.as.i64, 1);
        ck_assert_int_eq(w.columns[0].upper.as.i64, 20);
        ck_assert_int_eq(w.columns[0].value_count, 20);
        ck_assert_int_eq(w.columns[0].null_count, 0);
        rwl_parquet_written_clear(&w);
        write_ok(rwl_store_remove(writer_store, &writer_op, writer_path, &writer_error));
    }
}
END_TEST

/* u: unknown, l: list<double>, s: string, v: variant; in a file of 4 rows. */
START_TEST(metrics_are_given_field_by_field_then_for_nested_leaves) {
    rwl_field element = make_field("element", 12, false, RWL_TYPE_DOUBLE);
    rwl_field fields[] = {
        make_field("u", 1, false, RWL_TYPE_UNKNOWN), make_field("l", 2, false, RWL_TYPE_LIST),
        make_field("s", 3, false, RWL_TYPE_STRING), make_field("v", 4, false, RWL_TYPE_VARIANT)};
    fields[1].type.children = &element;
    fields[1].type.child_count = 1;
    opened f = open_file(fields, 4, NULL);
    page_of doubles = {.rows = 4,
                       .values = 9,
                       .nulls = 3,
                       .min = "\0\0\0\0\0\0\0\0",
                       .max = "\0\0\0\0\0\0\0\x40",
                       .min_len = 8,
                       .max_len = 8},
            text =
                {.rows = 4, .nulls = 1, .min = "a", .max = "z", .min_len = 1, .max_len = 1, .inexact = true},
            bytes = {.rows = 4, .nulls = 1, .min = "a", .max = "z", .min_len = 1, .max_len = 1};
    write_ok(add_page(f.chunks[0], &doubles, &writer_error));
    write_ok(add_page(f.chunks[1], &text, &writer_error));
    write_ok(add_page(f.chunks[2], &bytes, &writer_error));
    write_ok(add_page(f.chunks[3], &bytes, &writer_error));
    int64_t sizes[4];
    for (int i = 0; i < 4; i++)
        sizes[i] = rwl_parquet_chunk_bytes(f.chunks[i]);
    write_group(&f, 4);
    rwl_parquet_written w = finish_file(&f);
    ck_assert_int_eq(w.column_count, 5);
    ck_assert_int_eq(w.columns[0].null_count, 4); /* not stored */
    ck_assert_int_eq(w.columns[0].column_size, 0);
    ck_assert_int_eq(w.columns[1].field_id, -1); /* nested: see its leaf */
    ck_assert_int_eq(w.columns[2].field_id, 3);
    ck_assert_int_eq(w.columns[2].null_count, 1);
    ck_assert(w.columns[2].has_bounds && !w.columns[2].is_exact && !w.columns[2].is_repeated);
    ck_assert(rwl_span_equal(w.columns[2].upper.as.bytes, rwl_span_str("z")));
    ck_assert_int_eq(w.columns[3].field_id, 4);
    ck_assert_int_eq(w.columns[3].column_size, sizes[2] + sizes[3]);
    ck_assert_int_eq(w.columns[3].value_count, 4);
    ck_assert(!w.columns[3].has_bounds);
    ck_assert_int_eq(w.columns[4].field_id, 12);
    ck_assert(w.columns[4].is_repeated && w.columns[4].has_bounds);
    ck_assert_int_eq(w.columns[4].value_count, 9);
    ck_assert_int_eq(w.columns[4].nan_count, -1);
    ck_assert(__builtin_signbit(w.columns[4].lower.as.f64)); /* -0.0 */
    ck_assert_double_eq(w.columns[4].upper.as.f64, 2);
    rwl_parquet_written_clear(&w);
}
END_TEST

START_TEST(better_metrics_take_the_place_of_statistics) {
    opened f = open_file(two_fields, 2, NULL);
    fill_two(&f);
    char text[] = "lower";
    rwl_parquet_column_metrics better = {
        .nan_count = 5, .null_count = -1, .has_bounds = true, .is_exact = true};
    better.lower = (rwl_value){.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of(text, 5)};
    better.upper = (rwl_value){.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("upper")};
    write_ok(rwl_parquet_output_metrics(f.o, 1, &better, &writer_error));
    memset(text, 'x', 5); /* copied */
    ck_assert_int_eq(rwl_parquet_output_metrics(f.o, 2, &better, &writer_error), RWL_INTERNAL);
    write_group(&f, 5);
    rwl_parquet_written w = finish_file(&f);
    ck_assert(rwl_span_equal(w.columns[1].lower.as.bytes, rwl_span_str("lower")));
    ck_assert(w.columns[1].is_exact);
    ck_assert_int_eq(w.columns[1].null_count, 2); /* -1 does not know better */
    ck_assert_int_eq(w.columns[1].nan_count, -1); /* no NaN in strings */
    rwl_parquet_written_clear(&w);
}
END_TEST

/* --- failures --- */

START_TEST(a_group_of_wrong_chunks_spoils_the_file) {
    opened f = open_file(two_fields, 2, NULL);
    rwl_parquet_written w;
    fill_two(&f);
    ck_assert_int_eq(rwl_parquet_output_group(f.o, f.chunks, 4, NULL, 0, &writer_error), RWL_INTERNAL);
    ck_assert_ptr_nonnull(strstr(writer_error.message, "column a: 5 rows in a row group of 4"));
    ck_assert_int_eq(rwl_parquet_output_group(f.o, f.chunks, 5, NULL, 0, &writer_error), RWL_INTERNAL);
    ck_assert_int_eq(rwl_parquet_output_finish(f.o, &w, &writer_error), RWL_INTERNAL);
    ck_assert_int_eq(writer_dir_entries(), 0);
    free_chunks(&f);
    f = open_file(two_fields, 2, NULL);
    page_of coded = {.rows = 5, .encoding = 8, .unknown = true};
    add_numbers(f.chunks[0], 5, 1, 2);
    write_ok(add_page(f.chunks[1], &coded, &writer_error));
    ck_assert_int_eq(rwl_parquet_output_group(f.o, f.chunks, 5, NULL, 0, &writer_error), RWL_INTERNAL);
    ck_assert_ptr_nonnull(strstr(writer_error.message, "without a dictionary"));
    rwl_parquet_output_abort(f.o);
    ck_assert_int_eq(writer_dir_entries(), 0);
    free_chunks(&f);
}
END_TEST

/* Two row groups of two columns with a filter through `store` and `env`. */
static rwl_status write_file(rwl_store *store, rwl_op *op, const rwl_parquet_write_schema *schema) {
    static const char *const keys[] = {"k"}, *const values[] = {"v"};
    rwl_parquet_output_options options = {.kv_keys = keys, .kv_values = values, .kv_count = 1};
    rwl_parquet_chunk_write *chunks[2] = {NULL, NULL};
    rwl_parquet_output *o = NULL;
    rwl_parquet_written w;
    page_of text = {.rows = 4, .min = "k", .max = "m", .min_len = 1, .max_len = 1},
            number = {.rows = 4, .min = "kkkkkkkk", .max = "mmmmmmmm", .min_len = 8, .max_len = 8};
    rwl_status st = rwl_parquet_output_open(store, op, writer_path, schema, &options, &o, &writer_error);
    for (int i = 0; i < 2 && st == RWL_OK; i++)
        st = rwl_parquet_chunk_new(op->env, &schema->leaves[i], RWL_CODEC_NONE, &chunks[i], &writer_error);
    for (int g = 0; g < 2 && st == RWL_OK; g++) {
        rwl_parquet_bloom bloom = {rwl_calloc(op->env, 1, RWL_PARQUET_BLOOM_BLOCK), 1};
        if (bloom.blocks == NULL)
            st = RWL_NO_MEMORY;
        rwl_parquet_chunk_take_bloom(chunks[0], bloom);
        for (int p = 0; p < 3 && st == RWL_OK; p++) {
            st = add_page(chunks[0], &number, &writer_error);
            if (st == RWL_OK)
                st = add_page(chunks[1], &text, &writer_error);
        }
        if (st == RWL_OK)
            st = rwl_parquet_output_group(o, chunks, 12, NULL, 0, &writer_error);
    }
    if (st == RWL_OK) {
        st = rwl_parquet_output_finish(o, &w, &writer_error);
        rwl_parquet_written_clear(&w);
    } else {
        rwl_parquet_output_abort(o);
    }
    rwl_parquet_chunk_free(chunks[0]);
    rwl_parquet_chunk_free(chunks[1]);
    return st;
}

START_TEST(a_failed_storage_call_leaves_no_file) {
    static const rwl_test_call kinds[] = {RWL_TEST_CREATE, RWL_TEST_WRITE, RWL_TEST_FINISH};
    rwl_parquet_write_schema schema = make_schema(&arena, two_fields, 2);
    rwl_test_store_options options = {0};
    rwl_store *local, *store;
    write_ok(rwl_store_local_new(&writer_env, NULL, 0, &local, &writer_error));
    write_ok(rwl_test_store_new(&writer_env, local, &options, &store, &writer_error));
    write_ok(write_file(store, &writer_op, &schema));
    write_ok(rwl_store_remove(writer_store, &writer_op, writer_path, &writer_error));
    rwl_test_store_stats whole = rwl_test_store_stats_of(store);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int64_t n = 1; n <= whole.calls[kinds[k]]; n++) {
            options = (rwl_test_store_options){.fail_at = n, .fail_call = kinds[k]};
            rwl_test_store_set(store, &options);
            ck_assert_int_eq(write_file(store, &writer_op, &schema), RWL_IO);
            ck_assert_int_eq(rwl_test_store_stats_of(store).open_new_files, 0);
            ck_assert_int_eq(writer_dir_entries(), 0);
        }
    rwl_store_free(store);
}
END_TEST

static int64_t allocations_left; /* the one after them fails */
static int64_t blocks_held;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        blocks_held -= old != NULL;
        free(old);
        return NULL;
    }
    if (allocations_left-- <= 0)
        return NULL;
    void *block = realloc(old, size);
    blocks_held += old == NULL && block != NULL;
    return block;
}

START_TEST(a_failed_allocation_leaves_no_file_and_no_memory) {
    rwl_env env = writer_env;
    rwl_op op;
    rwl_store *store;
    rwl_parquet_write_schema schema = make_schema(&arena, two_fields, 2);
    env.realloc = failing_realloc;
    allocations_left = INT64_MAX;
    rwl_op_init(&op, &env, 0);
    write_ok(rwl_store_local_new(&env, NULL, 0, &store, &writer_error));
    int64_t before = blocks_held, n = 0;
    rwl_status st = RWL_NO_MEMORY;
    for (; st != RWL_OK; n++) {
        allocations_left = n;
        st = write_file(store, &op, &schema);
        ck_assert_msg(st == RWL_OK || st == RWL_NO_MEMORY, "allocation %lld: status %d: %s", (long long)n, st,
                      writer_error.message);
        ck_assert_int_eq(blocks_held, before);
        ck_assert_int_eq(writer_dir_entries(), st == RWL_OK);
    }
    ck_assert_int_gt(n, 20);
    rwl_store_free(store);
}
END_TEST

Suite *output_file_suite(void) {
    Suite *suite = suite_create("parquet output: files");
    TCase *tc = tcase_create("files");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_the_footer_names_is_where_it_says);
    tcase_add_test(tc, our_own_reader_takes_the_page_index);
    tcase_add_test(tc, without_index_none_is_written);
    tcase_add_test(tc, bloom_filters_stand_behind_their_row_group);
    tcase_add_test(tc, ordinals_end_at_32767);
    tcase_add_test(tc, no_rows_make_a_file_without_row_groups);
    tcase_add_test(tc, ten_thousand_columns_cost_their_bytes);
    tcase_add_test(tc, bug_142_bounds_are_of_all_row_groups);
    tcase_add_test(tc, metrics_are_given_field_by_field_then_for_nested_leaves);
    tcase_add_test(tc, better_metrics_take_the_place_of_statistics);
    tcase_add_test(tc, a_group_of_wrong_chunks_spoils_the_file);
    tcase_add_test(tc, a_failed_storage_call_leaves_no_file);
    tcase_add_test(tc, a_failed_allocation_leaves_no_file_and_no_memory);
    suite_add_tcase(suite, tc);
    return suite;
}
