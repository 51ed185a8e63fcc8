/* SPDX-License-Identifier: Apache-2.0 */
/* Reading fragments: deletes by range, projection, lineage, what is refused. */
#include "fragment_test.h"
#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/fragment_reader.h"
#include "iceberg/metrics.h"
#include "tree_test.h"

#include <inttypes.h>
#include <stdio.h>

/* Everything the reader gives, as "pos:id/version=value|value" lines; "-" for null lineage. */
static const char *read_all(const rwl_metadata *m, const rwl_fragment *f,
                            const rwl_fragment_read_options *options) {
    rwl_fragment_reader *r = NULL;
    rwl_rows rows;
    rwl_buf out;
    rwl_bitmap *deletes = NULL;
    rwl_driver driver = rwl_iceberg_driver(test_store(), m, NULL);
    rwl_buf_init(&out, test_env(), SIZE_MAX);
    if (!options->keep_deleted)
        ASSERT_OK(rwl_fragment_deletes(&driver, test_op(), f, &deletes, err));
    ASSERT_OK(rwl_fragment_reader_open(test_store(), test_op(), m, f, options, deletes, &r, err));
    ASSERT_OK(rwl_rows_init(&rows, test_env(), options->fields, options->field_count, err));
    for (;;) {
        ASSERT_OK(rwl_fragment_reader_next(r, &rows, err));
        if (rows.batch.length == 0)
            break;
        for (int64_t i = 0; i < rows.batch.length; i++) {
            int64_t pos, id, version;
            ck_assert(rwl_runs_get(&rows.positions, i, &pos));
            ASSERT_OK(rwl_buf_printf(&out, err, "%s%" PRId64, out.len > 0 ? " " : "", pos));
            if (options->lineage && rwl_runs_get(&rows.row_ids, i, &id)) {
                ck_assert(rwl_runs_get(&rows.versions, i, &version));
                ASSERT_OK(rwl_buf_printf(&out, err, ":%" PRId64 "/%" PRId64, id, version));
            }
            for (int32_t c = 0; c < options->field_count; c++) {
                rwl_value v = rwl_column_value(&rows.batch.columns[c], i);
                ASSERT_OK(rwl_buf_u8(&out, c == 0 ? '=' : '|', err));
                if (v.is_null)
                    ASSERT_OK(rwl_buf_str(&out, "null", err));
                else
                    ASSERT_OK(rwl_value_format(&options->fields[c].type, &v, &out, err));
            }
        }
    }
    rwl_rows_clear(&rows);
    rwl_fragment_reader_close(r);
    const char *text = rwl_arena_strndup(test_arena(), (const char *)out.data, out.len);
    rwl_buf_clear(&out);
    return text;
}

static const char *const TEN[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

static rwl_fragment_read_options read_options(const columns *c) {
    rwl_fragment_read_options options = {.fields = c->fields, .field_count = c->count, .lineage = true};
    return options;
}

/* --- deletes --- */

START_TEST(deleted_ranges_are_cut_out_and_ids_follow_positions) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, TEN, 10, 0);
    rwl_fragment_read_options options = read_options(&c);
    const int64_t deleted[] = {0, 1, 4, 6, 9};
    rwl_delete_ref dv = write_vector("a.puffin", f.location, deleted, 5);
    f.deletes = &dv;
    f.delete_count = 1;
    ck_assert_str_eq(read_all(m, &f, &options), "2:102/9=2 3:103/9=3 5:105/9=5 7:107/9=7 8:108/9=8");
    options.keep_deleted = true;
    ck_assert_str_eq(read_all(m, &f, &options), "0:100/9=0 1:101/9=1 2:102/9=2 3:103/9=3 4:104/9=4 5:105/9=5 "
                                                "6:106/9=6 7:107/9=7 8:108/9=8 9:109/9=9");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_file_whose_rows_are_all_deleted_gives_none) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, TEN, 3, 0);
    rwl_fragment_read_options options = read_options(&c);
    const int64_t deleted[] = {0, 1, 2, 7}; /* one beyond the file does no harm */
    rwl_delete_ref dv = write_vector("a.puffin", f.location, deleted, 4);
    f.deletes = &dv;
    f.delete_count = 1;
    ck_assert_str_eq(read_all(m, &f, &options), "");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(row_groups_pruned_away_do_not_shift_positions) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, TEN, 10, 1);
    rwl_parquet_file *file = NULL;
    ASSERT_OK(rwl_parquet_open(test_store(), test_op(), f.location, f.file_size, &file, err));
    ck_assert_int_ge(file->group_count, 2);
    int64_t second = file->groups[1].first_row;
    rwl_parquet_close(file);
    const rwl_expr *e;
    rwl_fragment_read_options options = read_options(&c);
    options.filter_fields = c.fields;
    options.filter_field_count = c.count;
    ASSERT_OK(rwl_expr_parse(rwl_arena_printf(test_arena(), "id = %" PRId64, second), test_arena(), &e, err));
    ASSERT_OK(rwl_expr_bind(e, c.fields, c.count, test_arena(), &options.filter, err));
    char want[64];
    snprintf(want, sizeof want, "%" PRId64 ":%" PRId64 "/9=%" PRId64, second, 100 + second, second);
    const char *got = read_all(m, &f, &options);
    ck_assert_msg(strncmp(got, want, strlen(want)) == 0, "%s", got);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(position_delete_files_count_for_the_files_they_name) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, TEN, 6, 0);
    const int32_t ids[] = {RWL_FIELD_ID_DELETE_PATH, RWL_FIELD_ID_DELETE_POS};
    columns d = columns_of("file_path string not null, pos long not null", ids);
    const char *rows[] = {rwl_arena_printf(test_arena(), "%s.other|0", f.location),
                          rwl_arena_printf(test_arena(), "%s|1", f.location),
                          rwl_arena_printf(test_arena(), "%s|2", f.location),
                          rwl_arena_printf(test_arena(), "%s|4", f.location),
                          rwl_arena_printf(test_arena(), "file:%s|5", f.location)};
    rwl_fragment deletes = write_file("d.parquet", &d, rows, 5, 0);
    rwl_delete_ref ref = {.kind = RWL_DELETE_POSITIONS,
                          .location = deletes.location,
                          .format = "parquet",
                          .file_size = deletes.file_size,
                          .offset = -1,
                          .row_count = 5};
    f.deletes = &ref;
    f.delete_count = 1;
    rwl_fragment_read_options options = read_options(&c);
    ck_assert_str_eq(read_all(m, &f, &options), "0:100/9=0 3:103/9=3 5:105/9=5");
    ref.row_count = 4;
    rwl_bitmap *set = NULL;
    rwl_driver driver = rwl_iceberg_driver(test_store(), m, NULL);
    ASSERT_FAILS(RWL_CORRUPT, "says 4 rows, the file has 5",
                 rwl_fragment_deletes(&driver, test_op(), &f, &set, err));
    rwl_metadata_free(m);
}
END_TEST

/* Where rows are left out only some are read, and the third one would be lost. */
START_TEST(deleted_rows_do_not_hide_that_an_avro_file_has_another_number) {
    static const int64_t deleted[][2] = {{0, 0}, {1, 2}};
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_schema c = tree_of("id int", "1");
    rwl_fragment f = tree_write("a.file", &c, "[[1], [2], [3]]", TREE_AVRO);
    for (int i = 0; i < 2; i++) {
        rwl_delete_ref dv =
            write_vector(i == 0 ? "a.puffin" : "b.puffin", f.location, deleted[i], (size_t)i + 1);
        f.deletes = &dv;
        f.delete_count = 1;
        for (f.row_count = 1; f.row_count <= 4; f.row_count++)
            if (f.row_count != 3)
                tree_fails(m, &f, &c, RWL_CORRUPT, "the file has");
    }
    rwl_metadata_free(m);
}
END_TEST

/* --- lineage --- */

START_TEST(stored_lineage_wins_and_nulls_inherit) {
    /* reference 1.2.7, 3: first_row_id 550, sequence number 9 */
    rwl_metadata *m = test_table(3, "id int", NULL);
    const int32_t ids[] = {1, RWL_FIELD_ID_ROW_ID, RWL_FIELD_ID_LAST_UPDATED};
    columns stored = columns_of("id int, _row_id long, _last_updated_sequence_number long", ids);
    const char *rows[] = {"0|null|null", "1|7|null", "2|7|2", "3|null|null", "4|7|null", "5|null|2"};
    rwl_fragment f = write_file("a.parquet", &stored, rows, 6, 0);
    f.lineage.first_row_id = 550;
    columns c = columns_of("id int", NULL);
    rwl_fragment_read_options options = read_options(&c);
    ck_assert_str_eq(read_all(m, &f, &options), "0:550/9=0 1:7/9=1 2:7/2=2 3:553/9=3 4:7/9=4 5:555/2=5");
    const int64_t deleted[] = {1, 2};
    rwl_delete_ref dv = write_vector("a.puffin", f.location, deleted, 2);
    f.deletes = &dv;
    f.delete_count = 1;
    ck_assert_str_eq(read_all(m, &f, &options), "0:550/9=0 3:553/9=3 4:7/9=4 5:555/2=5");
    f.lineage.has_first_row_id = false; /* law 5 */
    ck_assert_str_eq(read_all(m, &f, &options), "0=0 3=3 4=4 5=5");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(lineage_columns_are_known_by_id_alone) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    const int32_t ids[] = {1, 50};
    columns stored = columns_of("id int, _row_id long", ids);
    const char *rows[] = {"0|7", "1|8"};
    rwl_fragment f = write_file("a.parquet", &stored, rows, 2, 0);
    columns c = columns_of("id int", NULL);
    rwl_fragment_read_options options = read_options(&c);
    ck_assert_str_eq(read_all(m, &f, &options), "0:100/9=0 1:101/9=1");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(two_columns_of_row_ids_are_corrupt) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    const int32_t ids[] = {1, RWL_FIELD_ID_ROW_ID, RWL_FIELD_ID_ROW_ID};
    columns stored = columns_of("id int, a long, b long", ids);
    const char *rows[] = {"0|7|9"};
    rwl_fragment f = write_file("a.parquet", &stored, rows, 1, 0);
    columns c = columns_of("id int", NULL);
    rwl_fragment_read_options options = read_options(&c);
    rwl_fragment_reader *r = NULL;
    ASSERT_FAILS(RWL_CORRUPT, "is twice in the file",
                 rwl_fragment_reader_open(test_store(), test_op(), m, &f, &options, NULL, &r, err));
    options.lineage = false;
    ck_assert_str_eq(read_all(m, &f, &options), "0=0");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(rows_without_columns_still_have_lineage) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, TEN, 3, 0);
    rwl_fragment_read_options options = {.lineage = true};
    ck_assert_str_eq(read_all(m, &f, &options), "0:100/9 1:101/9 2:102/9");
    rwl_metadata_free(m);
}
END_TEST

/* --- projection --- */

START_TEST(columns_are_found_by_id_promoted_reordered_and_defaulted) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns old = columns_of("a int, b float, gone string, n decimal(4,2)", NULL);
    const char *rows[] = {"1|1.5|x|12.34", "null|null|y|null", "-3|2.5|z|-0.01"};
    rwl_fragment f = write_file("a.parquet", &old, rows, 3, 0);
    const int32_t ids[] = {2, 9, 1, 4, 10, 1};
    columns c = columns_of("beta double, c string, a long, n decimal(9,2), d date, again long", ids);
    rwl_type text = rwl_type_of(RWL_TYPE_STRING);
    rwl_value dflt = test_value(&text, "dflt");
    c.fields[1].initial_default = &dflt;
    rwl_fragment_read_options options = read_options(&c);
    options.lineage = false;
    ck_assert_str_eq(read_all(m, &f, &options),
                     "0=1.5|dflt|1|12.34|null|1 1=null|dflt|null|null|null|null 2=2.5|dflt|-3|-0.01|null|-3");
    const int64_t deleted[] = {1};
    rwl_delete_ref dv = write_vector("a.puffin", f.location, deleted, 1);
    f.deletes = &dv;
    f.delete_count = 1;
    ck_assert_str_eq(read_all(m, &f, &options), "0=1.5|dflt|1|12.34|null|1 2=2.5|dflt|-3|-0.01|null|-3");
    rwl_metadata_free(m);
}
END_TEST

static void assert_open_fails(const rwl_metadata *m, const rwl_fragment *f, const columns *c, rwl_status code,
                              const char *part) {
    rwl_fragment_read_options options = read_options(c);
    rwl_fragment_reader *r = NULL;
    ASSERT_FAILS(code, part,
                 rwl_fragment_reader_open(test_store(), test_op(), m, f, &options, NULL, &r, err));
    ck_assert_ptr_null(r);
}

static void assert_read_fails(const rwl_metadata *m, const rwl_fragment *f, const columns *c, rwl_status code,
                              const char *part) {
    rwl_fragment_read_options options = read_options(c);
    rwl_fragment_reader *r = NULL;
    rwl_rows rows;
    ASSERT_OK(rwl_fragment_reader_open(test_store(), test_op(), m, f, &options, NULL, &r, err));
    ASSERT_OK(rwl_rows_init(&rows, test_env(), c->fields, c->count, err));
    ASSERT_FAILS(code, part, rwl_fragment_reader_next(r, &rows, err));
    rwl_rows_clear(&rows);
    rwl_fragment_reader_close(r);
}

/* BUG-168 through a file: in a dictionary, the values come twice. */
START_TEST(bug_168_decimals_beyond_18_digits_are_exact) {
    rwl_metadata *m = test_table(3, "d decimal(38,10)", NULL);
    columns c = columns_of("d decimal(38,10)", NULL);
    const char *rows[] = {"99999999999999999999.0000000001", "-99999999999999999999.0000000001",
                          "99999999999999999999.0000000001", "-99999999999999999999.0000000001"};
    rwl_fragment f = write_file("a.parquet", &c, rows, 4, 0);
    rwl_fragment_read_options options = read_options(&c);
    options.lineage = false;
    ck_assert_str_eq(read_all(m, &f, &options),
                     "0=99999999999999999999.0000000001 1=-99999999999999999999.0000000001 "
                     "2=99999999999999999999.0000000001 3=-99999999999999999999.0000000001");
    rwl_metadata_free(m);
}
END_TEST

/* BUG-241: nanoseconds under a column of microseconds are scaled by the file's unit, or refused where that isn't exact; and
 * the other way round. */
START_TEST(bug_241_nanoseconds_are_not_taken_for_microseconds) {
    rwl_metadata *m = test_table(3, "t timestamptz_ns", NULL);
    columns nanos = columns_of("t timestamptz_ns", NULL), micros = columns_of("t timestamptz", NULL);
    const char *rows[] = {"2025-07-24T00:00:00.006136000Z", "null"}; /* 1753315200006136000 */
    const char *finer[] = {"2025-07-24T00:00:00.006136789Z"};
    const char *coarse[] = {"2025-07-24T00:00:00.006136Z", "null"};
    rwl_fragment f = write_file("a.parquet", &nanos, rows, 2, 0);
    rwl_fragment_read_options options = read_options(&nanos);
    options.lineage = false;
    ck_assert_str_eq(read_all(m, &f, &options), "0=2025-07-24T00:00:00.006136000+00:00 1=null");
    options.fields = micros.fields;
    ck_assert_str_eq(read_all(m, &f, &options), "0=2025-07-24T00:00:00.006136+00:00 1=null");
    f = write_file("b.parquet", &nanos, finer, 1, 0);
    assert_read_fails(m, &f, &micros, RWL_UNSUPPORTED, "no whole number of microseconds");
    f = write_file("c.parquet", &micros, coarse, 2, 0);
    options.fields = nanos.fields;
    ck_assert_str_eq(read_all(m, &f, &options), "0=2025-07-24T00:00:00.006136000+00:00 1=null");
    columns zoneless = columns_of("t timestamp", NULL);
    assert_open_fails(m, &f, &zoneless, RWL_CORRUPT,
                      "timestamptz in the file, which can't be read as timestamp");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(identity_partition_values_stand_in_for_absent_columns) {
    rwl_metadata *m = test_table(3, "id int, p string, q int", "p, bucket(4, q)");
    columns file = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &file, TEN, 2, 0);
    rwl_type text = rwl_type_of(RWL_TYPE_STRING);
    rwl_value partition[2] = {test_value(&text, "eu"), rwl_value_null(RWL_TYPE_INT)};
    f.spec_id = m->spec->spec_id;
    f.partition = partition;
    f.partition_count = 2;
    columns c = columns_of("id int, p string, q int", NULL);
    rwl_fragment_read_options options = read_options(&c);
    options.lineage = false;
    ck_assert_str_eq(read_all(m, &f, &options), "0=0|eu|null 1=1|eu|null"); /* a bucket is no value of q */
    rwl_metadata_free(m);
}
END_TEST

START_TEST(what_does_not_fit_is_refused_by_name) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    columns file = columns_of("id long, s string", NULL);
    const char *rows[] = {"1|a", "2|b"};
    rwl_fragment f = write_file("a.parquet", &file, rows, 2, 0), bad;
    columns good = columns_of("id long", NULL);
    bad = f;
    bad.row_count = 3;
    assert_open_fails(m, &bad, &good, RWL_CORRUPT, "says 3 rows, the file has 2");
    bad = f;
    bad.file_size++; /* a wrong size alone is only warned of; beside it the count must still be right */
    bad.row_count = 1;
    assert_open_fails(m, &bad, &good, RWL_CORRUPT, "says 1 rows, the file has 2");
    bad = f;
    bad.format = "ORC";
    assert_open_fails(m, &bad, &good, RWL_UNSUPPORTED, "format ORC");
    bad = f;
    bad.location = test_path("none.parquet");
    assert_open_fails(m, &bad, &good, RWL_NOT_FOUND, "none.parquet");
    columns narrow = columns_of("id int", NULL);
    assert_open_fails(m, &f, &narrow, RWL_CORRUPT,
                      "column id is long in the file, which can't be read as int");
    columns nested = columns_of("l list<int>", NULL);
    assert_open_fails(m, &f, &nested, RWL_CORRUPT,
                      "column l is long in the file, which can't be read as list<int>");
    const int32_t ids[] = {77};
    columns required = columns_of("r int not null", ids);
    assert_open_fails(m, &f, &required, RWL_CORRUPT, "required column r (id 77) is missing");
    rwl_metadata_free(m);
}
END_TEST

/* --- metrics of a written file --- */

static rwl_column_metrics find_metrics(const rwl_column_metrics *items, int32_t count, int32_t id) {
    for (int32_t i = 0; i < count; i++)
        if (items[i].field_id == id)
            return items[i];
    ck_abort_msg("no metrics of %d", (int)id);
}

static void assert_span(rwl_span got, const char *want, size_t len) {
    ck_assert_msg(rwl_span_equal(got, rwl_span_of(want, len)), "%.*s", (int)got.len, (const char *)got.data);
}

START_TEST(metrics_are_cut_as_the_modes_say) {
    rwl_schema schema = test_schema("a string, b binary, c int, d string, e string, f string");
    const char *keys[] = {"write.metadata.metrics.column.a", "write.metadata.metrics.column.b",
                          "write.metadata.metrics.column.c", "write.metadata.metrics.column.d",
                          "write.metadata.metrics.column.e"};
    const char *values[] = {"truncate(2)", "truncate(1)", "none", "counts", "full"};
    rwl_metadata_new options = {.location = test_folder(),
                                .format_version = 3,
                                .schema = &schema,
                                .property_keys = keys,
                                .property_values = values,
                                .property_count = 5};
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_create(test_env(), &options, &m, err));
    rwl_field fields[7];
    memcpy(fields, schema.fields, 6 * sizeof *fields);
    fields[6] = schema.fields[2];
    fields[6].id = RWL_FIELD_ID_ROW_ID;
    fields[6].type = rwl_type_of(RWL_TYPE_LONG);
    rwl_parquet_column_metrics raw[7];
    memset(raw, 0, sizeof raw);
    const char *low[] = {"\xc3\xa9\xc3\xa9x",           "\x01\x02",        "", "d",
                         "a very long text that stays", "exactly16 points"};
    const char *high[] = {"x\xed\x9f\xbfz",      "\xff\x01", "", "d", "z very long text that stays",
                          "zzzzzzzzzzzzzzzzzzzz"};
    for (int i = 0; i < 7; i++) {
        raw[i].column_size = 50;
        raw[i].value_count = 10;
        raw[i].null_count = 1;
        raw[i].nan_count = -1;
        raw[i].has_bounds = true;
        raw[i].lower = raw[i].upper = rwl_value_null(fields[i].type.kind);
        raw[i].lower.is_null = raw[i].upper.is_null = false;
        if (i < 6 && i != 2) {
            raw[i].lower.as.bytes = rwl_span_str(low[i]);
            raw[i].upper.as.bytes = rwl_span_str(high[i]);
        }
    }
    raw[6].lower.as.i64 = 5;
    raw[6].upper.as.i64 = 6;
    rwl_parquet_written written = {.columns = raw, .column_count = 7};
    rwl_metrics_config *config = NULL;
    ASSERT_OK(rwl_metrics_config_new(m, test_arena(), &config, err));
    rwl_column_metrics *out = NULL;
    int32_t count = 0;
    ASSERT_OK(rwl_metrics_from_parquet(config, fields, 7, &written, test_arena(), &out, &count, err));
    ck_assert_int_eq(count, 7);
    rwl_column_metrics a = find_metrics(out, count, 1), b = find_metrics(out, count, 2);
    assert_span(a.lower, "\xc3\xa9\xc3\xa9", 4);
    assert_span(a.upper, "x\xee\x80\x80", 4); /* U+D7FF is followed by U+E000 */
    assert_span(b.lower, "\x01", 1);
    ck_assert_ptr_null(b.upper.data); /* FF has no successor of one byte */
    ck_assert(!find_metrics(out, count, 3).with_counts);
    ck_assert_ptr_null(find_metrics(out, count, 3).lower.data);
    ck_assert(find_metrics(out, count, 4).with_counts);
    ck_assert_int_eq(find_metrics(out, count, 4).value_count, 10);
    ck_assert_ptr_null(find_metrics(out, count, 4).lower.data);
    assert_span(find_metrics(out, count, 5).upper, high[4], strlen(high[4]));
    assert_span(find_metrics(out, count, 6).lower, low[5], 16);
    assert_span(find_metrics(out, count, 6).upper, "zzzzzzzzzzzzzzz{", 16);
    assert_span(find_metrics(out, count, RWL_FIELD_ID_ROW_ID).lower, "\5\0\0\0\0\0\0\0", 8);
    rwl_metadata_free(m);
}
END_TEST

/* s.x by its own mode, its other leaf by the default; no bounds of what is in a list. */
START_TEST(nested_leaves_have_metrics_and_repeated_ones_no_bounds) {
    rwl_schema schema = test_schema("i int, s struct<x: string, y: string>, l list<int>");
    const char *keys[] = {"write.metadata.metrics.column.s.x"}, *values[] = {"truncate(1)"};
    rwl_metadata_new options = {.location = test_folder(),
                                .format_version = 3,
                                .schema = &schema,
                                .property_keys = keys,
                                .property_values = values,
                                .property_count = 1};
    rwl_metadata *m = NULL;
    ASSERT_OK(rwl_metadata_create(test_env(), &options, &m, err));
    const rwl_field *s = &schema.fields[1], *l = &schema.fields[2];
    const int32_t ids[] = {schema.fields[0].id,   -1, -1, s->type.children[0].id, s->type.children[1].id,
                           l->type.children[0].id};
    rwl_parquet_column_metrics raw[6];
    memset(raw, 0, sizeof raw);
    for (int i = 0; i < 6; i++) {
        raw[i].field_id = ids[i];
        raw[i].value_count = 10 + i;
        raw[i].has_bounds = i != 1 && i != 2;
        raw[i].is_repeated = i == 5;
        raw[i].lower = rwl_value_null(i == 3 || i == 4 ? RWL_TYPE_STRING : RWL_TYPE_INT);
        raw[i].lower.is_null = false;
        if (i == 3 || i == 4)
            raw[i].lower.as.bytes = rwl_span_str("text");
        raw[i].upper = raw[i].lower;
    }
    rwl_parquet_written written = {.columns = raw, .column_count = 6};
    rwl_metrics_config *config = NULL;
    ASSERT_OK(rwl_metrics_config_new(m, test_arena(), &config, err));
    rwl_column_metrics *out = NULL;
    int32_t count = 0;
    ASSERT_OK(rwl_metrics_from_parquet(config, schema.fields, 3, &written, test_arena(), &out, &count, err));
    ck_assert_int_eq(count, 4); /* i, s.x, s.y, l.element: neither s nor l */
    assert_span(find_metrics(out, count, ids[3]).lower, "t", 1);
    assert_span(find_metrics(out, count, ids[3]).upper, "u", 1);
    assert_span(find_metrics(out, count, ids[4]).lower, "text", 4);
    ck_assert_int_eq(find_metrics(out, count, ids[5]).value_count, 15);
    ck_assert_ptr_null(find_metrics(out, count, ids[5]).lower.data);
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_fragment_reader(void) {
    Suite *s = suite_create("fragment_reader");
    TCase *t = tcase_create("fragment_reader");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, deleted_ranges_are_cut_out_and_ids_follow_positions);
    tcase_add_test(t, a_file_whose_rows_are_all_deleted_gives_none);
    tcase_add_test(t, row_groups_pruned_away_do_not_shift_positions);
    tcase_add_test(t, position_delete_files_count_for_the_files_they_name);
    tcase_add_test(t, deleted_rows_do_not_hide_that_an_avro_file_has_another_number);
    tcase_add_test(t, stored_lineage_wins_and_nulls_inherit);
    tcase_add_test(t, lineage_columns_are_known_by_id_alone);
    tcase_add_test(t, two_columns_of_row_ids_are_corrupt);
    tcase_add_test(t, rows_without_columns_still_have_lineage);
    tcase_add_test(t, columns_are_found_by_id_promoted_reordered_and_defaulted);
    tcase_add_test(t, identity_partition_values_stand_in_for_absent_columns);
    tcase_add_test(t, bug_168_decimals_beyond_18_digits_are_exact);
    tcase_add_test(t, bug_241_nanoseconds_are_not_taken_for_microseconds);
    tcase_add_test(t, what_does_not_fit_is_refused_by_name);
    tcase_add_test(t, metrics_are_cut_as_the_modes_say);
    tcase_add_test(t, nested_leaves_have_metrics_and_repeated_ones_no_bounds);
    suite_add_tcase(s, t);
    return s;
}
