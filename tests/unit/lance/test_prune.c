/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter on ids and places rules out: never a row that satisfies it, and of ordered segments nearly all others. */
#include "lance/driver.h"

#include "lance/plan.h"
#include "lance/prune.h"
#include "made.h"
#include "suites.h"

#include <stdio.h>

enum { ROWS = 4000 };

static made world;
static rwl_buf ids;
static int64_t expected[ROWS]; /* id of each row */
static rwl_lance_fragment fragment;

static void set_up(void) {
    made_open(&world, 0);
    rwl_buf_init(&ids, &world.env, SIZE_MAX);
}

static void tear_down(void) {
    rwl_buf_clear(&ids);
    made_close(&world);
}

/* Ids of a 1000 rows in each form, and the beginning of what they are. */
static void make_range(int64_t row, uint64_t first) {
    put_range(&ids, first, first + 1000);
    for (int64_t i = 0; i < 1000; i++)
        expected[row + i] = (int64_t)first + i;
}

/* Every third id of 1500 is a hole. */
static void make_holes(int64_t row, uint64_t first) {
    uint16_t holes[500];
    for (uint16_t i = 0; i < 500; i++)
        holes[i] = (uint16_t)(first + 3u * i + 1);
    put_holes(&ids, first, first + 1500, holes, 500);
    for (int64_t i = 0; i < 1000; i++)
        expected[row + i] = (int64_t)first + 3 * (i / 2) + 2 * (i % 2);
}

/* Every fifth of 5000. */
static void make_bitmap(int64_t row, uint64_t first) {
    uint8_t bits[625] = {0};
    for (size_t i = 0; i < 5000; i += 5)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
    put_bitmap(&ids, first, first + 5000, bits, sizeof bits);
    for (int64_t i = 0; i < 1000; i++)
        expected[row + i] = (int64_t)first + 5 * i;
}

/* Rising by 7, or the same falling. */
static void make_numbers(int64_t row, uint16_t first, bool is_sorted) {
    uint16_t values[1000];
    for (int i = 0; i < 1000; i++) {
        values[i] = (uint16_t)(first + 7 * (is_sorted ? i : 999 - i));
        expected[row + i] = values[i];
    }
    put_numbers(&ids, is_sorted, values, 1000);
}

static void make_fragment(rwl_lance_arm arm) {
    fragment = (rwl_lance_fragment){.id = 3, .physical_rows = ROWS};
    fragment.arms[RWL_LANCE_ROW_IDS] = arm;
    world.manifest.fragments = &fragment;
    world.manifest.fragment_count = 1;
}

/* Ids of the fragment's rows that the driver gives for a filter; returns the number of rows, which satisfy it or not. All that do must be
 * there: `matches` of them. */
static int64_t count_given(const char *where, int64_t matches) {
    int32_t column_count, field_count;
    rwl_field *all;
    const rwl_expr *parsed;
    const rwl_bound *bound;
    const rwl_metadata_column *columns = rwl_lance_metadata_columns(&column_count);
    ASSERT_OK(rwl_name_fields(NULL, 0, columns, column_count, &world.arena, &all, NULL, &field_count, err));
    ASSERT_OK(rwl_expr_parse(where, &world.arena, &parsed, err));
    ASSERT_OK(rwl_expr_bind(parsed, all, field_count, &world.arena, &bound, err));
    rwl_fragment_read_options options = {.lineage = RWL_LINEAGE_ROW_IDS,
                                         .filter = bound,
                                         .filter_fields = all,
                                         .filter_field_count = field_count,
                                         .batch_rows = 300};
    rwl_driver driver = rwl_lance_driver(world.store, &world.dataset);
    rwl_fragment given = {.fragment_id = 3, .row_count = ROWS};
    rwl_reader *reader;
    rwl_rows rows;
    int64_t count = 0, last = -1, satisfied = 0;
    ASSERT_OK(rwl_rows_init(&rows, &world.env, NULL, 0, err));
    ASSERT_OK(driver.vtable->read_open(&driver, &world.op, &given, &options, &reader, err));
    for (;;) {
        ASSERT_OK(driver.vtable->read_next(reader, &rows, err));
        if (rows.batch.length == 0)
            break;
        rwl_column id = {0}, pos = {0};
        rwl_type type = rwl_type_of(RWL_TYPE_LONG);
        rwl_column_init_flat(&id, &type);
        rwl_column_init_flat(&pos, &type);
        ASSERT_OK(rwl_runs_to_column(&rows.row_ids, &id, err));
        ASSERT_OK(rwl_runs_to_column(&rows.positions, &pos, err));
        const rwl_column *by_all[16] = {0};
        for (int32_t i = 0; i < field_count; i++)
            by_all[i] = all[i].id == RWL_FIELD_ID_ROW_ID ? &id : all[i].id == RWL_FIELD_ID_POS ? &pos : NULL;
        uint64_t bits[8];
        ck_assert_int_le(rows.batch.length, 300);
        ASSERT_OK(rwl_expr_eval(bound, by_all, rows.batch.length, &world.env, bits, err));
        for (int64_t i = 0; i < rows.batch.length; i++) {
            int64_t p = rwl_column_i64(&pos)[i];
            ck_assert_int_gt(p, last);
            ck_assert_int_eq(rwl_column_i64(&id)[i], expected[p]);
            satisfied += (int64_t)(bits[i / 64] >> (i % 64) & 1);
            last = p;
        }
        count += rows.batch.length;
        rwl_column_clear(&id, &world.env);
        rwl_column_clear(&pos, &world.env);
    }
    ck_assert_msg(satisfied == matches, "%s: %d", where, (int)satisfied);
    driver.vtable->read_close(reader);
    rwl_rows_clear(&rows);
    return count;
}

/* Slices of up to 8 values are not parted. */
START_TEST(ordered_segments_are_parted_to_what_is_looked_for) {
    make_range(0, 0);
    make_holes(1000, 2000);
    make_bitmap(2000, 10000);
    make_numbers(3000, 20000, true);
    make_fragment(made_arm(&ids));
    ck_assert_int_le(count_given("_rowid = 17", 1), 8);
    ck_assert_int_le(count_given("_rowid in (0, 999)", 2), 16);
    ck_assert_int_le(count_given("_rowid in (2000, 2001, 2002, 3498, 3499)", 3), 16);
    ck_assert_int_le(count_given("_rowid in (10000, 10001, 14995)", 2), 24);
    ck_assert_int_le(count_given("_rowid in (20000, 20001, 26993)", 2), 24);
    ck_assert_int_le(count_given("_rowid in (5, 2005, 10005, 20007)", 4), 32);
    ck_assert_int_eq(count_given("_rowid in (1500, 9000, 15000, 30000)", 0), 0);
    ck_assert_int_le(count_given("_rowid >= 990 and _rowid < 2010", 10 + 7), 33);
    ck_assert_int_eq(count_given("_rowid >= 0", ROWS), ROWS);
    ck_assert_int_le(count_given("_pos in (1, 1001, 3999)", 3), 24);
    ck_assert_int_le(count_given("_pos < 10 and _rowid > 5", 4), 16);
    ck_assert_int_eq(count_given("_pos < 10 and _rowid > 50000", 0), 0);
}
END_TEST

/* An array is read whole where one of its batches may be, and what lies around it is not. */
START_TEST(arrays_are_read_as_they_come) {
    make_range(0, 0);
    make_numbers(1000, 40000, false);
    make_range(2000, 5000);
    make_range(3000, 7000);
    make_fragment(made_arm(&ids));
    ck_assert_int_le(count_given("_rowid = 40007", 1), 1300);
    ck_assert_int_le(count_given("_rowid in (5, 5005)", 2), 1300 + 16);
}
END_TEST

START_TEST(short_segments_are_read_as_they_come) {
    for (int64_t i = 0; i < ROWS; i++) {
        expected[i] = (i * 7) % ROWS;
        put_range(&ids, (uint64_t)expected[i], (uint64_t)expected[i] + 1);
    }
    make_fragment(made_arm(&ids));
    ck_assert_int_eq(count_given("_rowid in (7, 14)", 2), ROWS);
}
END_TEST

START_TEST(addresses_are_parted_too) {
    for (int64_t i = 0; i < ROWS; i++)
        expected[i] = ((int64_t)3 << 32) + i;
    world.manifest.reader_flags = world.manifest.writer_flags = 0;
    make_fragment(made_kind(RWL_LANCE_ARM_ABSENT));
    ck_assert_int_le(count_given("_rowid in (12884901888, 12884905887, 1)", 2), 16); /* 3 * 2^32 */
    ck_assert_int_eq(count_given("_rowid < 100", 0), 0);
}
END_TEST

/* Deleted rows are left out, where all that are looked for are, too. */
START_TEST(deleted_rows_among_them) {
    make_range(0, 0);
    make_range(1000, 1000);
    make_range(2000, 2000);
    make_range(3000, 3000);
    make_fragment(made_arm(&ids));
    static const uint16_t gone[] = {9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19,  20,
                                    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 3000};
    const uint16_t count = (uint16_t)COUNT_OF(gone);
    const uint16_t head[] = {12346, 0, 1, 0, 0, (uint16_t)(count - 1),
                             16,    0}; /* little endian, as the positions */
    FILE *f = fopen(made_path(&world, "_deletions/3-1-9.bin"), "wb");
    ck_assert(f != NULL);
    fwrite(head, sizeof *head, sizeof head / sizeof *head, f);
    fwrite(gone, sizeof *gone, count, f);
    fclose(f);
    fragment.deletion = (rwl_lance_deletion_file){.is_present = true,
                                                  .is_bitmap = true,
                                                  .read_version = 1,
                                                  .id = 9,
                                                  .deleted_rows = count,
                                                  .base_id = -1};
    ck_assert_int_eq(count_given("_rowid in (17, 18)", 0), 0);
    ck_assert_int_le(count_given("_rowid in (17, 1017, 3000)", 1), 24);
    ck_assert_int_eq(count_given("_rowid >= 0", ROWS - count), ROWS - count);
}
END_TEST

Suite *prune_suite(void) {
    Suite *suite = suite_create("prune");
    TCase *tc = tcase_create("prune");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, ordered_segments_are_parted_to_what_is_looked_for);
    tcase_add_test(tc, arrays_are_read_as_they_come);
    tcase_add_test(tc, short_segments_are_read_as_they_come);
    tcase_add_test(tc, addresses_are_parted_too);
    tcase_add_test(tc, deleted_rows_among_them);
    suite_add_tcase(suite, tc);
    return suite;
}
