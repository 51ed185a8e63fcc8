/* SPDX-License-Identifier: Apache-2.0 */
/* Position delete files: of one data file or many, sorted or not, from the cache or by themselves. */
#include "fragment_test.h"
#include "iceberg/driver.h"
#include "iceberg/fragment_deletes.h"
#include "iceberg/fragment_reader.h"
#include "iceberg/position_deletes.h"
#include "tree_test.h"

#include <stdio.h>

static const char *const TEN[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

static rwl_fragment ten_rows(const char *name) {
    columns c = columns_of("id int", NULL);
    return write_file(name, &c, TEN, 10, 0);
}

static const char *row_of(const rwl_fragment *f, int pos) {
    return rwl_arena_printf(test_arena(), "%s|%d", f->location, pos);
}

START_TEST(bug_070_one_file_of_deletes_for_several_data_files) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f1 = ten_rows("f1.parquet"), f2 = ten_rows("f2.parquet");
    const char *evens[10], *threes[7];
    for (int i = 0; i < 5; i++) {
        evens[i] = row_of(&f1, 2 * i);
        evens[5 + i] = row_of(&f2, 2 * i);
    }
    for (int i = 0; i < 4; i++)
        threes[i] = row_of(&f1, 3 * i); /* 0 3 6 9 */
    for (int i = 0; i < 3; i++)
        threes[4 + i] = row_of(&f2, 2 + 3 * i); /* of 12 15 18: 2 5 8 */
    rwl_delete_ref refs[] = {write_positions("evens.parquet", evens, 10),
                             write_positions("threes.parquet", threes, 7)};
    f1.deletes = f2.deletes = refs;
    f1.delete_count = f2.delete_count = 2;
    assert_live(m, &f1, "1 5 7");
    assert_live(m, &f2, "1 3 7 9"); /* 11 13 17 19 */
    rwl_metadata_free(m);
}
END_TEST

START_TEST(rows_in_any_order_and_twice_are_all_taken) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f = ten_rows("a.parquet"), g = ten_rows("b.parquet");
    const char *rows[] = {row_of(&f, 7), row_of(&g, 1), row_of(&f, 2), row_of(&f, 2),
                          row_of(&g, 0), row_of(&f, 1), row_of(&f, 8)};
    rwl_delete_ref ref = write_positions("d.parquet", rows, 7);
    f.deletes = g.deletes = &ref;
    f.delete_count = g.delete_count = 1;
    assert_live(m, &f, "0 3 4 5 6 9");
    assert_live(m, &g, "2 3 4 5 6 7 8 9");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_file_too_large_for_the_cache_is_read_for_its_rows) {
    enum { FILES = 40, ROWS = FILES * 3 };
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f = ten_rows("a.parquet");
    const char *rows[ROWS];
    for (int i = 0; i < ROWS; i++) /* sorted by path, then position: row groups can be left out */
        rows[i] = i / 3 == 20
                      ? row_of(&f, i % 3 * 2)
                      : rwl_arena_printf(test_arena(), "%s%02d|%d", i / 3 < 20 ? "" : "~", i / 3, i % 3);
    const int32_t ids[] = {RWL_FIELD_ID_DELETE_PATH, RWL_FIELD_ID_DELETE_POS};
    columns c = columns_of("file_path string not null, pos long not null", ids);
    rwl_fragment d = write_file("d.parquet", &c, rows, ROWS, 64);
    rwl_delete_ref ref = {.kind = RWL_DELETE_POSITIONS,
                          .location = d.location,
                          .format = "parquet",
                          .file_size = d.file_size,
                          .row_count = ROWS};
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "1 3 5 6 7 8 9"); /* at 4096 bytes 40 sets are too large */
    rwl_metadata_free(m);
}
END_TEST

START_TEST(columns_are_found_by_id_whatever_they_are_called) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f = ten_rows("a.parquet");
    const int32_t ids[] = {1, RWL_FIELD_ID_DELETE_POS, RWL_FIELD_ID_DELETE_PATH};
    columns c = columns_of("file_path string, b long, a string", ids);
    const char *rows[] = {rwl_arena_printf(test_arena(), "other|4|%s", f.location)};
    rwl_fragment d = write_file("d.parquet", &c, rows, 1, 0);
    rwl_delete_ref ref = {.kind = RWL_DELETE_POSITIONS,
                          .location = d.location,
                          .format = "PARQUET",
                          .file_size = d.file_size,
                          .row_count = 1};
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "0 1 2 3 5 6 7 8 9");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(files_of_avro_are_read_alike) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f = ten_rows("a.parquet");
    const char *rows = rwl_arena_printf(test_arena(), "[['%s',7],['other',1],['%s',2],['%s',3]]", f.location,
                                        f.location, f.location);
    const char *const ids[] = {"2147483546 2147483545", "- -"};
    for (int i = 0; i < 2; i++) {
        rwl_schema stored = tree_of("file_path string not null, pos long not null", ids[i]);
        rwl_fragment d = tree_write(i == 0 ? "ids.avro" : "names.avro", &stored, rows, TREE_AVRO);
        rwl_delete_ref ref = {.kind = RWL_DELETE_POSITIONS,
                              .location = d.location,
                              .format = "avro",
                              .file_size = d.file_size,
                              .row_count = 4};
        f.deletes = &ref;
        f.delete_count = 1;
        assert_live(m, &f, "0 1 4 5 6 8 9");
        ref.row_count = 5; /* known at the end alone */
        assert_deletes_fail(m, &f, RWL_CORRUPT, "the manifest says 5 rows, the file has 4");
    }
    rwl_metadata_free(m);
}
END_TEST

START_TEST(columns_without_ids_are_found_by_name) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f = ten_rows("a.parquet");
    const int32_t ids[] = {-1, -1, -1};
    columns c = columns_of("row string, pos long, file_path string", ids);
    const char *rows[] = {rwl_arena_printf(test_arena(), "x|4|%s", f.location)};
    rwl_fragment d = write_file("d.parquet", &c, rows, 1, 0);
    rwl_delete_ref ref = {.kind = RWL_DELETE_POSITIONS,
                          .location = d.location,
                          .format = "PARQUET",
                          .file_size = d.file_size,
                          .row_count = 1};
    f.deletes = &ref;
    f.delete_count = 1;
    assert_live(m, &f, "0 1 2 3 5 6 7 8 9");
    rwl_metadata_free(m);
}
END_TEST

START_TEST(what_is_no_position_delete_is_refused) {
    static const struct {
        const char *columns, *row; /* f: the data file */
        rwl_status code;
        const char *part;
    } cases[] = {
        {"file_path string, pos long", "null|1", RWL_CORRUPT, "a file_path or pos is null"},
        {"file_path string, pos long", "f|null", RWL_CORRUPT, "a file_path or pos is null"},
        {"file_path string, pos int", "f|1", RWL_CORRUPT, "column pos is int"},
        {"file_path long, pos long", "1|1", RWL_CORRUPT, "column file_path is long"},
        {"file_path string, other long", "f|1", RWL_CORRUPT, "no column pos (id 2147483545)"},
    };
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_fragment f = ten_rows("a.parquet");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int32_t ids[] = {-1, -1};
        columns c = columns_of(cases[i].columns, ids);
        char name[32];
        snprintf(name, sizeof name, "d%d.parquet", (int)i);
        const char *row = cases[i].row[0] == 'f'
                              ? rwl_arena_printf(test_arena(), "%s%s", f.location, cases[i].row + 1)
                              : cases[i].row;
        rwl_fragment d = write_file(name, &c, &row, 1, 0);
        rwl_delete_ref ref = {.kind = RWL_DELETE_POSITIONS,
                              .location = d.location,
                              .format = "PARQUET",
                              .file_size = d.file_size,
                              .row_count = 1};
        f.deletes = &ref;
        f.delete_count = 1;
        assert_deletes_fail(m, &f, cases[i].code, cases[i].part);
        assert_deletes_fail(m, &f, cases[i].code, name); /* and the file is named */
    }
    const char *rows[] = {row_of(&f, -1)};
    rwl_delete_ref ref = write_positions("negative.parquet", rows, 1);
    f.deletes = &ref;
    assert_deletes_fail(m, &f, RWL_CORRUPT, "pos -1 is negative");
    ref = write_positions("d.parquet", (const char *[]){row_of(&f, 1)}, 1);
    ref.row_count = 2;
    assert_deletes_fail(m, &f, RWL_CORRUPT, "the manifest says 2 rows, the file has 1");
    ref.format = "ORC";
    assert_deletes_fail(m, &f, RWL_UNSUPPORTED, "ORC");
    rwl_metadata_free(m);
}
END_TEST

/* Rows of a filtered read keep their place in the file, so deletes hit the rows they name. */
START_TEST(bug_072_positions_are_physical_under_filters) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    columns c = columns_of("id int", NULL);
    rwl_fragment f = write_file("a.parquet", &c, TEN, 10, 1); /* many row groups */
    rwl_delete_ref ref = write_positions("d.parquet", (const char *[]){row_of(&f, 5), row_of(&f, 9)}, 2);
    f.deletes = &ref;
    f.delete_count = 1;
    const rwl_expr *e;
    rwl_fragment_read_options options = {
        .fields = c.fields, .field_count = 1, .filter_fields = c.fields, .filter_field_count = 1};
    ASSERT_OK(rwl_expr_parse("id >= 4", test_arena(), &e, err));
    ASSERT_OK(rwl_expr_bind(e, c.fields, c.count, test_arena(), &options.filter, err));
    rwl_driver driver = rwl_iceberg_driver(test_store(), m, NULL);
    rwl_reader *reader = NULL;
    rwl_rows rows;
    ASSERT_OK(driver.vtable->read_open(&driver, test_op(), &f, &options, &reader, err));
    ASSERT_OK(rwl_rows_init(&rows, test_env(), c.fields, 1, err));
    int64_t seen = 0;
    for (;;) {
        ASSERT_OK(driver.vtable->read_next(reader, &rows, err));
        if (rows.batch.length == 0)
            break;
        for (int64_t i = 0; i < rows.batch.length; i++) {
            int64_t pos;
            ck_assert(rwl_runs_get(&rows.positions, i, &pos));
            ck_assert_int_eq(rwl_column_i32(&rows.batch.columns[0])[i], pos); /* row i has id i */
            ck_assert(pos != 5 && pos != 9);
            seen += pos >= 4;
        }
    }
    ck_assert_int_eq(seen, 4); /* 4 6 7 8 */
    driver.vtable->read_close(reader);
    rwl_rows_clear(&rows);
    rwl_metadata_free(m);
}
END_TEST

typedef struct hunt {
    const char *wanted;
    int asked;
} hunt;

static bool is_wanted(void *ctx, rwl_span path) {
    hunt *h = ctx;
    h->asked++;
    return rwl_span_equal(path, rwl_span_str(h->wanted));
}

START_TEST(a_search_stops_at_the_path_it_finds) {
    const char *rows[] = {"a|1", "a|2", "b|0", "c|0"};
    rwl_delete_ref ref = write_positions("d.parquet", rows, 4);
    hunt h = {"b", 0};
    bool found;
    ASSERT_OK(rwl_position_deletes_search(test_store(), test_op(), &ref, is_wanted, &h, &found, err));
    ck_assert(found);
    ck_assert_int_eq(h.asked, 2); /* a once */
    h = (hunt){"x", 0};
    ASSERT_OK(rwl_position_deletes_search(test_store(), test_op(), &ref, is_wanted, &h, &found, err));
    ck_assert(!found);
    ck_assert_int_eq(h.asked, 3);
}
END_TEST

Suite *suite_position_deletes(void) {
    Suite *s = suite_create("position_deletes");
    TCase *t = tcase_create("position_deletes");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, bug_070_one_file_of_deletes_for_several_data_files);
    tcase_add_test(t, rows_in_any_order_and_twice_are_all_taken);
    tcase_add_test(t, a_file_too_large_for_the_cache_is_read_for_its_rows);
    tcase_add_test(t, columns_are_found_by_id_whatever_they_are_called);
    tcase_add_test(t, files_of_avro_are_read_alike);
    tcase_add_test(t, columns_without_ids_are_found_by_name);
    tcase_add_test(t, what_is_no_position_delete_is_refused);
    tcase_add_test(t, bug_072_positions_are_physical_under_filters);
    tcase_add_test(t, a_search_stops_at_the_path_it_finds);
    suite_add_tcase(s, t);
    return s;
}
