/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of data files that another implementation has written, against what it reads from them. */
#include "fixture_support.h"
#include "suites.h"

#include <stdio.h>

static const char *const DATASETS[] = {
    "types_compressed_2_2", "types_floats_2_0",
    "types_floats_2_2",     "types_integers_2_0",
    "types_integers_2_2",   "types_long_texts_2_2",
    "types_many_rows_2_0",  "types_many_rows_2_1",
    "types_many_rows_2_2",  "types_map",
    "types_nested_2_0",     "types_nested_2_1",
    "types_nested_2_2",     "types_special_2_0",
    "types_special_2_1",    "types_special_2_2",
    "types_temporals_2_0",  "types_temporals_2_2",
    "types_texts_2_0",      "types_texts_2_2",
    "types_vectors_2_0",    "types_vectors_2_2",
};
enum { DATASET_COUNT = sizeof DATASETS / sizeof *DATASETS, RANGES_MAX = 2048 };

/* Every `step` rows the first `count` of them. */
typedef struct pattern {
    int64_t first, step, count;
    size_t batch_bytes;
} pattern;

static const pattern PATTERNS[] = {{0, 1 << 20, 1 << 20, 0},   {0, 7, 3, 0},  {5, 11, 1, 0},
                                   {0, 1 << 20, 1 << 20, 200}, {3, 5, 2, 64}, {0, 1 << 20, 1, 0}};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof *PATTERNS };

static size_t make_ranges(const pattern *p, int64_t rows, rwl_range *out) {
    size_t n = 0;
    for (int64_t at = p->first; at < rows && n < RANGES_MAX; at += p->step)
        out[n++] = (rwl_range){at, at + p->count <= rows ? p->count : rows - at};
    return n;
}

/* The expected row at a position of a fragment, by its address; NULL when it was deleted. Rows are in the order of ids, and those of one
 * fragment ascend. */
static const rwl_json *row_at(const fixture *f, int64_t fragment, int64_t position) {
    const rwl_json *rows = rwl_json_get(f->last, "rows"), *columns = rwl_json_get(f->last, "columns");
    size_t address = 0;
    while (strcmp(rwl_json_str(rwl_json_at(columns, address)), "_rowaddr") != 0)
        address++;
    for (size_t i = 0; i < rwl_json_len(rows); i++) {
        const rwl_json *row = rwl_json_at(rows, i);
        if (rwl_json_i64(rwl_json_at(row, address)) == (fragment << 32 | position))
            return row;
    }
    return NULL;
}

static void check_batch(const fixture *f, const fixture_fragment *fragment, const rwl_range *ranges,
                        size_t count, const rwl_batch *batch, const char *where) {
    int64_t at = 0;
    for (size_t i = 0; i < count && at < batch->length; i++)
        for (int64_t k = 0; k < ranges[i].count && at < batch->length; k++, at++) {
            const rwl_json *row = row_at(f, fragment->id, ranges[i].start + k);
            if (row != NULL)
                fixture_check_row(f, batch, at, row, where);
        }
    ck_assert_int_eq(at, batch->length);
}

/* Takes the first `rows` rows off. */
static size_t drop_rows(rwl_range *ranges, size_t count, int64_t rows) {
    size_t i = 0;
    for (; i < count && rows >= ranges[i].count; i++)
        rows -= ranges[i].count;
    if (i < count) {
        ranges[i].start += rows;
        ranges[i].count -= rows;
    }
    memmove(ranges, ranges + i, (count - i) * sizeof *ranges);
    return count - i;
}

static void check_pattern(fixture *f, const fixture_fragment *fragment, const pattern *p, rwl_range *ranges,
                          const char *where) {
    rwl_lance_read_options options = {.fields = fragment->fields,
                                      .field_count = f->schema.count,
                                      .row_count = fragment->rows,
                                      .batch_bytes = p->batch_bytes};
    rwl_lance_reader *reader;
    rwl_batch batch;
    rwl_status st = rwl_lance_reader_new(&f->op, &options, &reader, &f->err);
    ck_assert_msg(st == RWL_OK, "%s: %s", where, f->err.message);
    ck_assert_int_eq(rwl_batch_init(&batch, &f->env, f->schema.fields, f->schema.count, &f->err), RWL_OK);
    size_t count = make_ranges(p, fragment->rows, ranges);
    while (count > 0) {
        st = rwl_lance_reader_read(reader, ranges, count, &batch, &f->err);
        ck_assert_msg(st == RWL_OK, "%s: %s", where, f->err.message);
        ck_assert_int_gt(batch.length, 0);
        check_batch(f, fragment, ranges, count, &batch, where);
        count = drop_rows(ranges, count, batch.length);
    }
    rwl_batch_clear(&batch);
    rwl_lance_reader_free(reader);
}

START_TEST(reads_every_cell_as_its_writer_does) {
    const char *name = DATASETS[_i];
    fixture f;
    if (!fixture_open(&f, name))
        return;
    rwl_range *ranges = rwl_alloc(&f.env, RANGES_MAX * sizeof *ranges);
    for (size_t i = 0; i < rwl_json_len(f.fragments); i++) {
        fixture_fragment fragment;
        fixture_open_fragment(&f, i, &fragment);
        for (int p = 0; p < PATTERN_COUNT; p++) {
            char where[128];
            snprintf(where, sizeof where, "%s, fragment %zu, pattern %d", name, i, p);
            check_pattern(&f, &fragment, &PATTERNS[p], ranges, where);
        }
        fixture_close_fragment(&fragment);
    }
    rwl_free(&f.env, ranges);
    fixture_close(&f);
}
END_TEST

START_TEST(refuses_columns_of_another_number_of_rows) {
    fixture f;
    if (!fixture_open(&f, "types_many_rows_2_1"))
        return;
    fixture_fragment fragment;
    fixture_open_fragment(&f, 0, &fragment);
    rwl_lance_read_options options = {
        .fields = fragment.fields, .field_count = 1, .row_count = fragment.rows + 1};
    rwl_lance_reader *reader;
    ck_assert_int_eq(rwl_lance_reader_new(&f.op, &options, &reader, &f.err), RWL_CORRUPT);
    ck_assert_str_eq(f.err.message, "field seq: column 0 has 1100 rows, the fragment 1101");
    ck_assert_ptr_null(reader);
    fixture_close_fragment(&fragment);
    fixture_close(&f);
}
END_TEST

Suite *lancefile_reader_suite(void) {
    Suite *s = suite_create("lancefile_reader");
    TCase *tc = tcase_create("reader");
    tcase_add_loop_test(tc, reads_every_cell_as_its_writer_does, 0, DATASET_COUNT);
    tcase_add_test(tc, refuses_columns_of_another_number_of_rows);
    suite_add_tcase(s, tc);
    return s;
}
