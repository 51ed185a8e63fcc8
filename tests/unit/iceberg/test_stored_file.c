/* SPDX-License-Identifier: Apache-2.0 */
/* Files of either format through one face: fields, leaves, ranges, taken rows. */
#include "iceberg/stored_file.h"
#include "tree_test.h"

static rwl_stored_file *open_file(const rwl_fragment *f) {
    rwl_stored_file *file = NULL;
    ASSERT_OK(
        rwl_stored_file_open(test_store(), test_op(), f->location, f->format, f->file_size, &file, err));
    return file;
}

static void put_batch(const rwl_batch *batch, int64_t pos, rwl_buf *out) {
    for (int64_t i = 0; i < batch->length; i++) {
        ASSERT_OK(rwl_buf_printf(out, err, "%s%lld", out->len > 0 ? " " : "", (long long)(pos + i)));
        for (int32_t c = 0; c < batch->column_count; c++) {
            ASSERT_OK(rwl_buf_u8(out, c == 0 ? '=' : '|', err));
            ASSERT_OK(rwl_column_format_json(&batch->columns[c], i, out, err));
        }
    }
}

static const char *text_of(rwl_buf *out) {
    char *text = rwl_arena_strndup(test_arena(), out->len > 0 ? (const char *)out->data : "", out->len);
    rwl_buf_clear(out);
    for (char *p = text; *p; p++)
        *p = *p == '"' ? '\'' : *p;
    return text;
}

static rwl_stored_reader *open_reader(rwl_stored_file *file, const rwl_stored_read_options *options,
                                      rwl_batch *batch) {
    rwl_stored_reader *r = NULL;
    int32_t count;
    ASSERT_OK(rwl_stored_reader_new(test_store(), test_op(), file, options, &r, err));
    const rwl_field *fields = rwl_stored_reader_fields(r, &count);
    ASSERT_OK(rwl_batch_init(batch, test_env(), fields, count, err));
    return r;
}

static const char *read_all(rwl_stored_file *file, const rwl_stored_read_options *options) {
    rwl_batch batch;
    rwl_buf out;
    int64_t pos;
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    rwl_stored_reader *r = open_reader(file, options, &batch);
    do {
        ASSERT_OK(rwl_stored_reader_next(r, &batch, &pos, err));
        put_batch(&batch, pos, &out);
    } while (batch.length > 0);
    rwl_batch_clear(&batch);
    rwl_stored_reader_free(r);
    return text_of(&out);
}

static rwl_fragment ten(tree_format format) {
    rwl_schema columns = tree_of("id int", NULL);
    return tree_write("ten.file", &columns, "[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]", format);
}

START_TEST(fields_have_ids_and_leaves) {
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_schema columns =
            tree_of("a int, s struct<b string, l list<long>>, m map<string, struct<c int, d int>>", NULL);
        rwl_fragment f = tree_write("a.file", &columns, "[]", (tree_format)i);
        rwl_stored_file *file = open_file(&f);
        ck_assert_int_eq(file->field_count, 3);
        ck_assert(!file->without_ids);
        ck_assert_int_eq(file->row_count, i == TREE_PARQUET ? 0 : -1);
        ck_assert_ptr_null(i == TREE_PARQUET ? (void *)file->avro : (void *)file->parquet);
        for (int32_t k = 0; k < 3; k++)
            ck_assert_msg(rwl_type_equal(&file->fields[k].type, &columns.fields[k].type), "field %d", (int)k);
        ck_assert_int_eq(rwl_field_leaf_count(&file->fields[0]), 1);
        ck_assert_int_eq(rwl_field_leaf_count(&file->fields[1]), 2);
        ck_assert_int_eq(rwl_field_leaf_count(&file->fields[2]), 3);
        rwl_stored_file_close(file);
        columns = tree_of("a int, s struct<b string>", "- - -");
        f = tree_write("b.file", &columns, "[]", (tree_format)i);
        file = open_file(&f);
        ck_assert(file->without_ids);
        rwl_stored_file_close(file);
        columns = tree_of("a int, s struct<b string>", "- - 1");
        f = tree_write("c.file", &columns, "[]", (tree_format)i);
        file = open_file(&f);
        ck_assert(!file->without_ids);
        rwl_stored_file_close(file);
    }
}
END_TEST

START_TEST(only_wanted_leaves_are_read) {
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_schema columns = tree_of("a int, s struct<b string, t struct<c int, d int>>", NULL);
        rwl_fragment f = tree_write("a.file", &columns, "[[1, {'b': 'x', 't': {'c': 2, 'd': 3}}], [2, null]]",
                                    (tree_format)i);
        rwl_stored_file *file = open_file(&f);
        const int32_t order[] = {1, 0};
        const bool wanted[] = {true, false, false, true};
        rwl_stored_read_options options = {.columns = order, .column_count = 2, .wanted = wanted};
        ck_assert_str_eq(read_all(file, &options), "0={'t': {'d': 3}}|1 1=null|2");
        options.wanted = NULL;
        ck_assert_str_eq(read_all(file, &options), "0={'b': 'x', 't': {'c': 2, 'd': 3}}|1 1=null|2");
        options.column_count = 0;
        ck_assert_str_eq(read_all(file, &options), "0 1");
        rwl_stored_file_close(file);
    }
}
END_TEST

START_TEST(ranges_and_batches_keep_positions) {
    const rwl_range ranges[] = {{0, 1}, {3, 2}, {8, 1}}, none[1] = {{0, 0}};
    const int32_t column = 0;
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = ten((tree_format)i);
        rwl_stored_file *file = open_file(&f);
        rwl_stored_read_options options = {
            .columns = &column, .column_count = 1, .ranges = ranges, .range_count = 3};
        ck_assert_str_eq(read_all(file, &options), "0=0 3=3 4=4 8=8");
        options.batch_rows = 1;
        ck_assert_str_eq(read_all(file, &options), "0=0 3=3 4=4 8=8");
        options.ranges = none;
        options.range_count = 0;
        ck_assert_str_eq(read_all(file, &options), "");
        options.ranges = NULL;
        options.batch_rows = 3;
        ck_assert_str_eq(read_all(file, &options), "0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9");
        rwl_stored_file_close(file);
    }
}
END_TEST

/* Rows of row groups of their own in Parquet, of any place in Avro. */
START_TEST(rows_are_taken_by_position) {
    const int32_t column = 0;
    for (int i = 0; i < TREE_FORMATS; i++) {
        rwl_fragment f = ten((tree_format)i);
        rwl_stored_file *file = open_file(&f);
        rwl_stored_read_options options = {.columns = &column, .column_count = 1, .batch_rows = 4};
        rwl_batch batch;
        rwl_buf out;
        rwl_buf_init(&out, test_env(), SIZE_MAX);
        rwl_stored_reader *r = open_reader(file, &options, &batch);
        const rwl_range one = {1, 1}, few[] = {{2, 1}, {4, 3}, {9, 1}};
        ASSERT_OK(rwl_stored_reader_take(r, &one, 1, &batch, err));
        put_batch(&batch, 0, &out);
        if (i == TREE_AVRO) {
            ASSERT_OK(rwl_stored_reader_take(r, few, 3, &batch, err));
            put_batch(&batch, 0, &out);
        }
        ck_assert_str_eq(text_of(&out), i == TREE_AVRO ? "0=1 0=2 1=4 2=5 3=6 4=9" : "0=1");
        ck_assert_int_gt(rwl_stored_reader_stats(r).bytes_read, 0);
        const rwl_range beyond = {20, 1};
        if (i == TREE_AVRO) {
            rwl_error error = {0};
            ck_assert_int_ne((int)rwl_stored_reader_take(r, &beyond, 1, &batch, &error), (int)RWL_OK);
        }
        rwl_batch_clear(&batch);
        rwl_stored_reader_free(r);
        rwl_stored_file_close(file);
    }
}
END_TEST

START_TEST(formats_are_known_in_either_case_and_others_named) {
    rwl_stored_file *file = NULL;
    rwl_fragment f = ten(TREE_PARQUET);
    f.format = "pArQuEt";
    rwl_stored_file_close(open_file(&f));
    ASSERT_FAILS(RWL_UNSUPPORTED, "format ORC, which can't be read yet",
                 rwl_stored_file_open(test_store(), test_op(), f.location, "ORC", -1, &file, err));
    ASSERT_FAILS(RWL_CORRUPT, "format csv, which is none",
                 rwl_stored_file_open(test_store(), test_op(), f.location, "csv", -1, &file, err));
    ASSERT_FAILS(RWL_CORRUPT, "ten.file",
                 rwl_stored_file_open(test_store(), test_op(), f.location, "avro", -1, &file, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "none",
                 rwl_stored_file_open(test_store(), test_op(), test_path("none"), "avro", -1, &file, err));
    ck_assert_ptr_null(file);
}
END_TEST

Suite *suite_stored_file(void) {
    Suite *s = suite_create("stored_file");
    TCase *t = tcase_create("stored_file");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, fields_have_ids_and_leaves);
    tcase_add_test(t, only_wanted_leaves_are_read);
    tcase_add_test(t, ranges_and_batches_keep_positions);
    tcase_add_test(t, rows_are_taken_by_position);
    tcase_add_test(t, formats_are_known_in_either_case_and_others_named);
    suite_add_tcase(s, t);
    return s;
}
