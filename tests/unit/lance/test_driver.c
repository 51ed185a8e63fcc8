/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments through the driver: plans and their pruning, columns of several files, deleted rows, late columns. */
#include "lance/driver.h"

#include "made.h"
#include "suites.h"

#include <stdio.h>

static made world;
static rwl_driver driver;

/* Field ids and names of the schema: int64 all. 4 must not be null. */
static const rwl_lance_field_def defs[] = {
    {.name = "a", .id = 0, .parent_id = -1, .logical_type = "int64", .nullable = true},
    {.name = "b", .id = 1, .parent_id = -1, .logical_type = "int64", .nullable = true},
    {.name = "young", .id = 3, .parent_id = -1, .logical_type = "int64", .nullable = true},
    {.name = "must", .id = 4, .parent_id = -1, .logical_type = "int64", .nullable = false},
};
static const rwl_field *fields; /* of the schema */

static const uint64_t values_a[8] = {10, 11, 12, 13, 14, 15, 16, 17};
static const uint64_t values_b[8] = {20, 21, 22, 23, 24, 25, 26, 27};
static const uint64_t ids[8] = {107, 106, 105, 104, 103, 102, 101, 100};
static const int32_t columns_0[] = {0, 1, 2};

/* Fragment 5 of 8 rows: a and a tombstone in one file, b and spilled ids in another; versions inline. */
static const int32_t fields_0[] = {0, -2}, fields_1[] = {1, -3};
static rwl_lance_data_file files[2];
static rwl_lance_fragment fragments[3];
static rwl_buf created, updated;

static void set_up(void) {
    static const char *const types[] = {"int64", "uint64"}, *const spilled[] = {"uint64", "_rowid:uint64"};
    const uint64_t *first[] = {values_a, values_b}, *second[] = {values_b, ids};
    made_open(&world, 0);
    ASSERT_OK(rwl_lance_schema_build(defs, 4, &world.arena, &world.manifest.schema, err));
    fields = world.manifest.schema.fields;
    made_file(&world, "0.lance", types, first, 2, 8);
    made_file(&world, "1.lance", spilled, second, 2, 8);
    files[0] = made_data_file("0.lance", fields_0, columns_0, 2);
    files[1] = made_data_file("1.lance", fields_1, columns_0, 2);
    rwl_buf_init(&created, &world.env, SIZE_MAX);
    rwl_buf_init(&updated, &world.env, SIZE_MAX);
    put_run(&created, 0, 3, 1);
    put_run(&created, 3, 5, 2);
    put_run(&updated, 0, 8, 4);
    rwl_lance_fragment f = {.id = 5, .files = files, .file_count = 2, .physical_rows = 8};
    f.arms[RWL_LANCE_ROW_IDS] = made_kind(RWL_LANCE_ARM_COLUMN);
    f.arms[RWL_LANCE_CREATED_AT] = made_arm(&created);
    f.arms[RWL_LANCE_LAST_UPDATED] = made_arm(&updated);
    fragments[0] = f;
    world.manifest.fragments = fragments;
    world.manifest.fragment_count = 1;
    driver = rwl_lance_driver(world.store, &world.dataset);
}

static void tear_down(void) {
    rwl_buf_clear(&created);
    rwl_buf_clear(&updated);
    made_close(&world);
}

/* --- reading --- */

static const int64_t *longs(const rwl_rows *rows, int32_t column) {
    return rwl_column_i64(&rows->batch.columns[column]);
}

static void delete_rows(const char *name, const uint16_t *positions, uint16_t count) {
    uint8_t raw[64] = {0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, (uint8_t)(count - 1), 0, 16};
    for (uint16_t i = 0; i < count; i++)
        raw[16 + 2 * i] = (uint8_t)positions[i];
    FILE *f = fopen(made_path(&world, name), "wb");
    ck_assert(f != NULL);
    fwrite(raw, 1, 16 + 2 * (size_t)count, f);
    fclose(f);
    fragments[0].deletion = (rwl_lance_deletion_file){.is_present = true,
                                                      .is_bitmap = true,
                                                      .read_version = 1,
                                                      .id = 9,
                                                      .deleted_rows = count,
                                                      .base_id = -1};
}

/* Reads fragment 5 whole; positions, a, ids, created must be these. */
static void assert_read(rwl_fragment_read_options options, const int64_t *positions, int64_t count) {
    rwl_fragment fragment = {.fragment_id = 5, .row_count = 8};
    rwl_reader *reader;
    rwl_rows rows;
    int64_t at = 0;
    ASSERT_OK(rwl_rows_init(&rows, &world.env, options.fields, options.field_count, err));
    ASSERT_OK(driver.vtable->read_open(&driver, &world.op, &fragment, &options, &reader, err));
    for (;;) {
        ASSERT_OK(driver.vtable->read_next(reader, &rows, err));
        if (rows.batch.length == 0)
            break;
        ck_assert_int_eq(rows.positions.length, rows.batch.length);
        ck_assert(options.batch_rows == 0 || rows.batch.length <= options.batch_rows);
        for (int64_t i = 0; i < rows.batch.length; i++, at++) {
            int64_t pos, id, version;
            ck_assert_int_lt(at, count);
            ck_assert(rwl_runs_get(&rows.positions, i, &pos));
            ck_assert_int_eq(pos, positions[at]);
            for (int32_t c = 0; c < options.field_count; c++)
                ck_assert_int_eq(longs(&rows, c)[i], (options.fields[c].id == 0 ? 10 : 20) + pos);
            if (options.lineage & RWL_LINEAGE_ROW_IDS)
                ck_assert(rwl_runs_get(&rows.row_ids, i, &id) && id == 107 - pos);
            if (options.lineage & RWL_LINEAGE_CREATED)
                ck_assert(rwl_runs_get(&rows.created, i, &version) && version == (pos < 3 ? 1 : 2));
            if (options.lineage & RWL_LINEAGE_VERSIONS)
                ck_assert(rwl_runs_get(&rows.versions, i, &version) && version == 4);
        }
    }
    ck_assert_int_eq(at, count);
    driver.vtable->read_close(reader);
    rwl_rows_clear(&rows);
}

START_TEST(rows_of_several_files_with_lineage) {
    static const int64_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int32_t columns = 0; columns <= 2; columns++)
        for (unsigned lineage = 0; lineage <= RWL_LINEAGE_ALL; lineage++)
            for (int64_t batch = 0; batch <= 8; batch += 3)
                assert_read(
                    (rwl_fragment_read_options){
                        .fields = fields, .field_count = columns, .lineage = lineage, .batch_rows = batch},
                    all, 8);
}
END_TEST

START_TEST(deleted_rows_and_ranges) {
    static const uint16_t gone[] = {0, 3, 4, 7};
    static const int64_t live[] = {1, 2, 5, 6}, all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    delete_rows("_deletions/5-1-9.bin", gone, 4);
    for (int64_t batch = 0; batch <= 3; batch++) {
        rwl_fragment_read_options options = {
            .fields = fields, .field_count = 2, .lineage = RWL_LINEAGE_ALL, .batch_rows = batch};
        assert_read(options, live, 4);
        options.keep_deleted = true;
        assert_read(options, all, 8);
        options.rows = (rwl_range){2, 3};
        assert_read(options, all + 2, 3);
        options.keep_deleted = false;
        assert_read(options, live + 1, 1);
        options.rows = (rwl_range){3, 2};
        assert_read(options, live, 0);
        options.rows = (rwl_range){5, 100};
        assert_read(options, live + 2, 2);
    }
    rwl_fragment fragment = {.fragment_id = 5};
    rwl_bitmap *deletes;
    ASSERT_OK(driver.vtable->read_deletes(&driver, &world.op, &fragment, &deletes, err));
    ck_assert_int_eq(rwl_bitmap_count(deletes), 4);
    rwl_bitmap_free(deletes);
}
END_TEST

static rwl_status read_to_end(rwl_fragment_read_options options, rwl_error *error) {
    rwl_fragment fragment = {.fragment_id = 5, .row_count = 8};
    rwl_reader *reader;
    rwl_rows rows;
    ASSERT_OK(rwl_rows_init(&rows, &world.env, NULL, 0, err));
    ASSERT_OK(driver.vtable->read_open(&driver, &world.op, &fragment, &options, &reader, err));
    rwl_status st;
    do
        st = driver.vtable->read_next(reader, &rows, error);
    while (st == RWL_OK && rows.batch.length > 0);
    driver.vtable->read_close(reader);
    rwl_rows_clear(&rows);
    return st;
}

/* Sequences are as long as the fragment, whose last rows are deleted. */
START_TEST(lineage_of_another_length_behind_the_last_live_row_is_corrupt) {
    static const uint16_t gone[] = {6, 7};
    static const int64_t live[] = {0, 1, 2, 3, 4, 5};
    const rwl_fragment_read_options options = {.lineage = RWL_LINEAGE_CREATED};
    delete_rows("_deletions/5-1-9.bin", gone, 2);
    assert_read(options, live, 6);
    for (int64_t rows = 6; rows <= 9; rows += 3) {
        rwl_buf other;
        rwl_buf_init(&other, &world.env, SIZE_MAX);
        put_run(&other, 0, (uint64_t)rows, 1);
        fragments[0].arms[RWL_LANCE_CREATED_AT] = made_arm(&other);
        ASSERT_FAILS(RWL_CORRUPT,
                     rows < 8 ? "created-at versions: there are 6 values, 2 more are missing"
                              : "created-at versions: there are more than 8 values",
                     read_to_end(options, err));
        rwl_buf_clear(&other);
    }
}
END_TEST

START_TEST(late_columns_are_taken_by_position) {
    static const rwl_range spots[] = {{1, 2}, {6, 1}}, wrong = {7, 2};
    static const int64_t taken[] = {21, 22, 26};
    rwl_fragment fragment = {.fragment_id = 5, .row_count = 8};
    rwl_fragment_read_options options = {
        .fields = fields, .field_count = 1, .late_fields = fields + 1, .late_field_count = 1};
    rwl_reader *reader;
    rwl_rows rows;
    rwl_batch late;
    ASSERT_OK(rwl_rows_init(&rows, &world.env, fields, 1, err));
    ASSERT_OK(rwl_batch_init(&late, &world.env, fields + 1, 1, err));
    ASSERT_OK(driver.vtable->read_open(&driver, &world.op, &fragment, &options, &reader, err));
    ASSERT_OK(driver.vtable->read_next(reader, &rows, err));
    ck_assert_int_eq(rows.batch.length, 8);
    ASSERT_OK(driver.vtable->read_take(reader, spots, 2, &late, err));
    ck_assert_int_eq(late.length, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(rwl_column_i64(&late.columns[0])[i], taken[i]);
    ASSERT_FAILS(RWL_INTERNAL, "rows 7 + 2", driver.vtable->read_take(reader, &wrong, 1, &late, err));
    ck_assert_int_gt(driver.vtable->read_stats(reader).bytes_read, 0);
    driver.vtable->read_close(reader);
    rwl_batch_clear(&late);
    rwl_rows_clear(&rows);
}
END_TEST

START_TEST(without_columns_no_data_file_is_opened) {
    static const int64_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    ck_assert_int_eq(remove(made_path(&world, "data/0.lance")), 0);
    ck_assert_int_eq(remove(made_path(&world, "data/1.lance")), 0);
    assert_read((rwl_fragment_read_options){.lineage = RWL_LINEAGE_CREATED | RWL_LINEAGE_VERSIONS}, all, 8);
}
END_TEST

/* --- fields --- */

static rwl_status open_fields(const rwl_field *from, int32_t count, rwl_error *err) {
    rwl_fragment fragment = {.fragment_id = 5, .row_count = 8};
    rwl_fragment_read_options options = {.fields = from, .field_count = count};
    rwl_reader *reader = NULL;
    RWL_TRY(driver.vtable->read_open(&driver, &world.op, &fragment, &options, &reader, err));
    rwl_rows rows;
    rwl_status st = rwl_rows_init(&rows, &world.env, from, count, err);
    if (st == RWL_OK)
        st = driver.vtable->read_next(reader, &rows, err);
    if (st == RWL_OK && from->id == 3)
        ck_assert_int_eq(rows.batch.columns[0].null_count, 8);
    rwl_rows_clear(&rows);
    driver.vtable->read_close(reader);
    return st;
}

START_TEST(a_field_in_no_file_reads_null_if_it_may) {
    ASSERT_OK(open_fields(fields + 2, 1, err));
    ASSERT_FAILS(RWL_CORRUPT, "fragment 5: field must (4) must not be null, and is in no file",
                 open_fields(fields + 3, 1, err));
}
END_TEST

START_TEST(a_field_of_values_at_column_minus_one_is_corrupt) {
    static const int32_t nowhere[] = {-1, 1};
    files[1].column_indices = nowhere;
    ASSERT_FAILS(RWL_CORRUPT, "fragment 5: field 1 is at column index -1 of 1.lance",
                 open_fields(fields + 1, 1, err));
    ASSERT_OK(open_fields(fields, 1, err)); /* others stay readable */
}
END_TEST

START_TEST(a_field_in_two_places_is_corrupt) {
    static const int32_t again[] = {1, 0};
    files[1].fields = again;
    ASSERT_FAILS(RWL_CORRUPT, "fragment 5: field 0 is in two places, in 0.lance and 1.lance",
                 open_fields(fields, 1, err));
    ASSERT_OK(open_fields(fields + 1, 1, err)); /* others stay readable */
}
END_TEST

START_TEST(lan_75_unknown_negative_ids_are_passed_over) {
    static const int32_t odd[] = {1, -9};
    files[1].fields = odd;
    ASSERT_OK(open_fields(fields, 2, err));
}
END_TEST

START_TEST(legacy_files_and_missing_indices_are_refused_by_name) {
    files[1].index_count = 0;
    ASSERT_FAILS(RWL_CORRUPT, "field 1 has no column index in 1.lance", open_fields(fields + 1, 1, err));
    files[1].major_version = 0;
    files[1].minor_version = 2;
    ASSERT_FAILS(RWL_UNSUPPORTED, "data file 1.lance: Lance file format version 1 (legacy)",
                 open_fields(fields + 1, 1, err));
    ASSERT_OK(open_fields(fields, 1, err));
}
END_TEST

START_TEST(a_file_of_other_rows_is_corrupt) {
    fragments[0].physical_rows = 9;
    ASSERT_FAILS(RWL_CORRUPT, "fragment 5: ", open_fields(fields, 1, err));
    ASSERT_FAILS(RWL_CORRUPT, "has 8 rows", open_fields(fields, 1, err));
}
END_TEST

START_TEST(a_fragment_that_is_not_there) {
    rwl_fragment fragment = {.fragment_id = 6};
    rwl_fragment_read_options options = {0};
    rwl_reader *reader = NULL;
    ASSERT_FAILS(RWL_NOT_FOUND, "has no fragment 6",
                 driver.vtable->read_open(&driver, &world.op, &fragment, &options, &reader, err));
}
END_TEST

/* --- plans --- */

/* The ids of the fragments that are left of 5, 6 and 7, as a number of digits. */
static int plan(const char *where) {
    rwl_plan_request request = {.snapshot_id = 1, .fields = fields, .field_count = 4};
    rwl_arena arena;
    const rwl_expr *filter = NULL;
    rwl_planner *planner;
    const rwl_fragment *f;
    int left = 0;
    rwl_arena_init(&arena, &world.env, 0);
    if (where != NULL)
        ASSERT_OK(rwl_expr_parse(where, &arena, &filter, err));
    request.filter = filter;
    ASSERT_OK(driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
    for (;;) {
        ASSERT_OK(driver.vtable->plan_next(planner, &f, err));
        if (f == NULL)
            break;
        left = left * 10 + (int)f->fragment_id;
        ck_assert_str_eq(f->format, "LANCE");
        ck_assert(!f->must_match);
    }
    rwl_plan_stats stats = driver.vtable->plan_stats(planner);
    ck_assert_int_eq(stats.files_read + stats.files_skipped, 3);
    driver.vtable->plan_close(planner);
    rwl_arena_clear(&arena);
    return left;
}

START_TEST(fragments_are_left_out_by_what_the_manifest_tells) {
    rwl_buf own_ids, own_created;
    rwl_buf_init(&own_ids, &world.env, SIZE_MAX);
    rwl_buf_init(&own_created, &world.env, SIZE_MAX);
    put_range(&own_ids, 50, 58);
    put_run(&own_created, 0, 8, 3);
    for (int i = 1; i < 3; i++) {
        fragments[i] = fragments[0];
        fragments[i].id = 5 + i;
    }
    fragments[1].arms[RWL_LANCE_ROW_IDS] = made_arm(&own_ids);
    fragments[2].arms[RWL_LANCE_CREATED_AT] = made_arm(&own_created);
    world.manifest.fragment_count = 3;
    static const struct {
        const char *where;
        int left;
    } cases[] = {
        {NULL, 567},
        {"a > 5", 567},
        {"_rowid = 104", 57}, /* of 6 the manifest tells 50..57 */
        {"_rowid in (57, 58)", 567},
        {"_rowid = 58", 57},
        {"_rowid < 50", 57},
        {"_row_created_at_version = 3", 7},
        {"_row_created_at_version <= 2", 56},
        {"_row_created_at_version > 1", 567},
        {"_row_last_updated_at_version > 4", 0},
        {"_row_last_updated_at_version = 4", 567},
        {"_fragment_id = 6", 6},
        {"_fragment_id != 6", 57},
        {"_rowaddr = 25769803777", 6}, /* 6 * 2^32 + 1 */
        {"_rowaddr >= 25769803784", 7},
        {"_pos > 7", 0},
        {"_pos = 7", 567},
        {"_file = 'x'", 0},
        {"_rowid = 104 or a = 1", 567},
        {"_rowid is null", 57},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int left = plan(cases[i].where);
        ck_assert_msg(left == cases[i].left, "%s leaves %d", cases[i].where, left);
    }
    world.manifest.reader_flags = 0; /* arms that should not be there: for the reader to tell */
    ck_assert_int_eq(plan("_rowid = 104"), 567);
    ck_assert_int_eq(plan("_row_created_at_version = 3"), 567);
    rwl_buf_clear(&own_ids);
    rwl_buf_clear(&own_created);
}
END_TEST

START_TEST(a_fragment_that_does_not_tell_its_rows_is_refused) {
    rwl_plan_request request = {.snapshot_id = 1, .fields = fields, .field_count = 4};
    rwl_planner *planner;
    const rwl_fragment *f;
    fragments[0].physical_rows = 0;
    ASSERT_OK(driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "fragment 5: the manifest does not tell its number of rows",
                 driver.vtable->plan_next(planner, &f, err));
    driver.vtable->plan_close(planner);
    fragments[0].file_count = 0; /* nothing is nothing */
    ASSERT_OK(driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
    ASSERT_OK(driver.vtable->plan_next(planner, &f, err));
    ck_assert_int_eq(f->row_count, 0);
    driver.vtable->plan_close(planner);
}
END_TEST

/* Such a column counts as one of nulls, and no fragment may match what is asked of it: the answer would be that there are no rows. */
START_TEST(filters_on_columns_that_are_not_read_are_refused) {
    static const rwl_lance_field_def odd[] = {
        {.name = "a", .id = 0, .parent_id = -1, .logical_type = "int64", .nullable = true},
        {.name = "s", .id = 1, .parent_id = -1, .logical_type = "struct", .nullable = true},
        {.name = "t", .id = 2, .parent_id = 1, .logical_type = "interval", .nullable = true},
        {.name = "u", .id = 3, .parent_id = -1, .logical_type = "interval", .nullable = true},
    };
    static const struct {
        const char *where, *refused; /* NULL: not refused */
    } cases[] = {
        {"u is not null", "field u: logical type 'interval' is not supported"},
        {"u = 'x'", "field u: logical type 'interval' is not supported"},
        {"a > 1 and u in ('x', 'y')", "field u: logical type 'interval' is not supported"},
        {"s.t = 'x'", "field s.t: logical type 'interval' is not supported"},
        {"a > 1", NULL},
    };
    rwl_arena arena;
    rwl_arena_init(&arena, &world.env, 0);
    ASSERT_OK(rwl_lance_schema_build(odd, 4, &world.arena, &world.manifest.schema, err));
    rwl_plan_request request = {.snapshot_id = 1, .fields = world.manifest.schema.fields, .field_count = 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_planner *planner = NULL;
        ASSERT_OK(rwl_expr_parse(cases[i].where, &arena, &request.filter, err));
        if (cases[i].refused != NULL)
            ASSERT_FAILS(RWL_UNSUPPORTED, cases[i].refused,
                         driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
        else
            ASSERT_OK(driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
        driver.vtable->plan_close(planner);
    }
    rwl_arena_clear(&arena);
}
END_TEST

START_TEST(plans_tell_files_and_deletes) {
    static const uint16_t gone[] = {0, 3};
    rwl_plan_request request = {.snapshot_id = 1, .fields = fields, .field_count = 4};
    rwl_planner *planner;
    const rwl_fragment *f;
    delete_rows("_deletions/5-1-9.bin", gone, 2);
    files[0].size = 77;
    ASSERT_OK(driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
    ASSERT_OK(driver.vtable->plan_next(planner, &f, err));
    ck_assert_str_eq(f->location, made_path(&world, "data/0.lance"));
    ck_assert_int_eq(f->file_size, 77);
    ck_assert_int_eq(f->row_count, 8);
    ck_assert_int_eq(f->delete_count, 1);
    ck_assert_str_eq(f->deletes[0].location, made_path(&world, "_deletions/5-1-9.bin"));
    ck_assert_int_eq(f->deletes[0].row_count, 2);
    driver.vtable->plan_close(planner);
    request.snapshot_id = -1;
    ASSERT_OK(driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
    ASSERT_OK(driver.vtable->plan_next(planner, &f, err));
    ck_assert_ptr_null(f);
    driver.vtable->plan_close(planner);
    request.snapshot_id = 2;
    ASSERT_FAILS(RWL_NOT_FOUND, "at version 1, not at 2",
                 driver.vtable->plan_open(&driver, &world.op, &request, &planner, err));
}
END_TEST

START_TEST(metadata_columns_begin_with_lineage) {
    static const char *const names[] = {"_rowid",
                                        "_row_created_at_version",
                                        "_row_last_updated_at_version",
                                        "_rowaddr",
                                        "_fragment_id",
                                        "_file",
                                        "_pos"};
    const rwl_metadata_column *columns;
    int32_t count;
    ASSERT_OK(driver.vtable->metadata_columns(&driver, &world.arena, &columns, &count, err));
    ck_assert_int_eq(count, 7);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_str_eq(columns[i].field.name, names[i]);
        ck_assert(columns[i].is_lineage == (i < 3));
    }
}
END_TEST

Suite *driver_suite(void) {
    Suite *suite = suite_create("driver");
    TCase *tc = tcase_create("driver");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, rows_of_several_files_with_lineage);
    tcase_add_test(tc, deleted_rows_and_ranges);
    tcase_add_test(tc, lineage_of_another_length_behind_the_last_live_row_is_corrupt);
    tcase_add_test(tc, late_columns_are_taken_by_position);
    tcase_add_test(tc, without_columns_no_data_file_is_opened);
    tcase_add_test(tc, a_field_in_no_file_reads_null_if_it_may);
    tcase_add_test(tc, a_field_of_values_at_column_minus_one_is_corrupt);
    tcase_add_test(tc, a_field_in_two_places_is_corrupt);
    tcase_add_test(tc, lan_75_unknown_negative_ids_are_passed_over);
    tcase_add_test(tc, legacy_files_and_missing_indices_are_refused_by_name);
    tcase_add_test(tc, a_file_of_other_rows_is_corrupt);
    tcase_add_test(tc, a_fragment_that_is_not_there);
    tcase_add_test(tc, fragments_are_left_out_by_what_the_manifest_tells);
    tcase_add_test(tc, a_fragment_that_does_not_tell_its_rows_is_refused);
    tcase_add_test(tc, filters_on_columns_that_are_not_read_are_refused);
    tcase_add_test(tc, plans_tell_files_and_deletes);
    tcase_add_test(tc, metadata_columns_begin_with_lineage);
    suite_add_tcase(suite, tc);
    return suite;
}
