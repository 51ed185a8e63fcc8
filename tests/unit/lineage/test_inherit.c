/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance on read: the table of the specification, cell by cell, and its worked numbers. */
#include "lineage/inherit.h"

#include "lineage_test.h"

static rwl_runs ids, versions;

static void setup(void) {
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
}

static void teardown(void) {
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}

static rwl_inherit_file file_of(int64_t first_row_id, int64_t sequence_number) {
    rwl_inherit_file file = {first_row_id == NIL ? rwl_none() : rwl_some(first_row_id), sequence_number};
    return file;
}

/* Reads `count` rows from `pos` whose stored cells are these arrays (NULL: no such column). */
static void inherit(rwl_inherit_file file, int64_t pos, int64_t count, const int64_t *stored_ids,
                    const int64_t *stored_versions) {
    rwl_column id_column = {0}, version_column = {0};
    rwl_inherit_stored stored = {NULL, NULL};
    if (stored_ids != NULL) {
        id_column = make_column(stored_ids, count);
        stored.ids = &id_column;
    }
    if (stored_versions != NULL) {
        version_column = make_column(stored_versions, count);
        stored.versions = &version_column;
    }
    ASSERT_OK(rwl_inherit_rows(&file, pos, count, &stored, 0, &ids, &versions, err));
    if (stored_ids != NULL)
        rwl_column_clear(&id_column, test_env());
    if (stored_versions != NULL)
        rwl_column_clear(&version_column, test_env());
}

#define ASSERT_LINEAGE(want_ids, want_versions)                                                              \
    do {                                                                                                     \
        assert_runs(&ids, want_ids, COUNT_OF(want_ids));                                                     \
        assert_runs(&versions, want_versions, COUNT_OF(want_versions));                                      \
    } while (0)

START_TEST(nothing_stored_is_one_run) {
    inherit(file_of(550, 9), 0, 65536, NULL, NULL);
    ck_assert(!ids.dense && !versions.dense);
    ck_assert_uint_eq(ids.run_count, 1);
    ck_assert_uint_eq(versions.run_count, 1);
    int64_t id = 0, version = 0;
    ck_assert(rwl_runs_get(&ids, 65535, &id) && rwl_runs_get(&versions, 65535, &version));
    ck_assert_int_eq(id, 550 + 65535);
    ck_assert_int_eq(version, 9);
}
END_TEST

START_TEST(example_1_2_7_3_row_read) {
    /* positions 3, 4, 4, 5 of the example, one call each */
    inherit(file_of(550, 9), 3, 1, (int64_t[]){NIL}, (int64_t[]){NIL});
    inherit(file_of(550, 9), 4, 1, (int64_t[]){7}, (int64_t[]){NIL});
    inherit(file_of(550, 9), 4, 1, (int64_t[]){7}, (int64_t[]){2});
    inherit(file_of(550, 9), 5, 1, (int64_t[]){NIL}, (int64_t[]){2});
    int64_t want_ids[] = {553, 7, 7, 555}, want_versions[] = {9, 9, 2, 2};
    ASSERT_LINEAGE(want_ids, want_versions);
}
END_TEST

START_TEST(example_1_2_7_6_positions_count_from_the_start_of_the_file) {
    inherit(file_of(100, 1), 4, 6, NULL, NULL); /* the second of two row groups, 4 and 6 rows */
    int64_t want_ids[] = {104, 105, 106, 107, 108, 109}, want_versions[] = {1, 1, 1, 1, 1, 1};
    ASSERT_LINEAGE(want_ids, want_versions);
}
END_TEST

START_TEST(null_first_row_id_hides_what_is_stored) {
    inherit(file_of(NIL, 5), 0, 3, (int64_t[]){1, 2, NIL}, (int64_t[]){7, NIL, 8});
    int64_t want[] = {NIL, NIL, NIL};
    ASSERT_LINEAGE(want, want);
}
END_TEST

START_TEST(ice_19_the_inherited_version_is_the_data_sequence_number) {
    /* a v2 compaction kept data sequence number 1, its own (file) sequence number was 2 */
    inherit(file_of(0, 1), 0, 2, NULL, NULL);
    int64_t want_ids[] = {0, 1}, want_versions[] = {1, 1};
    ASSERT_LINEAGE(want_ids, want_versions);
}
END_TEST

START_TEST(ice_60_mixed_stored_values) {
    inherit(file_of(2000, 34), 0, 5, (int64_t[]){NIL, NIL, 1000, 1001, NIL},
            (int64_t[]){NIL, NIL, 33, NIL, NIL});
    int64_t want_ids[] = {2000, 2001, 1000, 1001, 2004}, want_versions[] = {34, 34, 33, 34, 34};
    ASSERT_LINEAGE(want_ids, want_versions);
}
END_TEST

START_TEST(only_one_of_the_columns_is_stored) {
    inherit(file_of(10, 5), 0, 2, (int64_t[]){3, 4}, NULL);
    inherit(file_of(10, 5), 2, 2, NULL, (int64_t[]){1, 2});
    int64_t want_ids[] = {3, 4, 12, 13}, want_versions[] = {5, 5, 1, 2};
    ASSERT_LINEAGE(want_ids, want_versions);
}
END_TEST

START_TEST(x2_compaction_output_compacted_again_keeps_stored_values) {
    /* the first rewrite stored 0..3, its file got 60; the second stored the same, its file got 120 */
    int64_t stored_ids[] = {0, 2, 3, 4}, stored_versions[] = {1, 1, 2, 2};
    inherit(file_of(60, 2), 0, 4, stored_ids, stored_versions);
    ASSERT_LINEAGE(stored_ids, stored_versions);
    teardown();
    setup();
    inherit(file_of(120, 3), 0, 4, stored_ids, stored_versions);
    ASSERT_LINEAGE(stored_ids, stored_versions);
}
END_TEST

START_TEST(x3_files_without_first_row_id_beside_others) {
    inherit(file_of(NIL, 1), 0, 2, NULL, NULL);
    inherit(file_of(10, 2), 0, 2, NULL, NULL);
    int64_t want_ids[] = {NIL, NIL, 10, 11}, want_versions[] = {NIL, NIL, 2, 2};
    ASSERT_LINEAGE(want_ids, want_versions);
}
END_TEST

START_TEST(deleted_rows_shift_no_id) {
    /* a batch of 8 rows at position 100; 2, 3 and 6 are deleted */
    int64_t stored_ids[] = {NIL, 7, 8, 9, NIL, 5, 6, NIL};
    rwl_column column = make_column(stored_ids, 8);
    rwl_inherit_stored stored = {&column, NULL};
    rwl_range keep[] = {{0, 2}, {4, 2}, {7, 1}};
    rwl_inherit_file file = file_of(1000, 4);
    ASSERT_OK(rwl_inherit_ranges(&file, 100, keep, 3, &stored, &ids, &versions, err));
    int64_t want_ids[] = {1100, 7, 1104, 5, 1107}, want_versions[] = {4, 4, 4, 4, 4};
    ASSERT_LINEAGE(want_ids, want_versions);
    rwl_column_clear(&column, test_env());
}
END_TEST

START_TEST(stored_runs_stay_runs_and_disorder_turns_dense) {
    enum { ROWS = 4096 };
    int64_t orderly[ROWS], disorderly[ROWS], constant[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        orderly[i] = i < 1000 ? 5000 + i : i;
        disorderly[i] = (i * 7919) % ROWS;
        constant[i] = 3;
    }
    inherit(file_of(0, 9), 0, ROWS, orderly, constant);
    ck_assert(!ids.dense);
    ck_assert_uint_eq(ids.run_count, 2);
    ck_assert_uint_eq(versions.run_count, 1);
    assert_runs(&ids, orderly, ROWS);
    teardown();
    setup();
    inherit(file_of(0, 9), 0, ROWS, disorderly, disorderly);
    ck_assert(ids.dense);
    assert_runs(&ids, disorderly, ROWS);
    assert_runs(&versions, disorderly, ROWS);
}
END_TEST

START_TEST(random_stored_columns_equal_the_table_cell_by_cell) {
    enum { ROWS = 700, ROUNDS = 60 };
    uint64_t seed = 20261130;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t stored_ids[ROWS], stored_versions[ROWS], want_ids[ROWS], want_versions[ROWS];
        uint64_t nulls = random_below(&seed, 12), jumps = 1 + random_below(&seed, 40);
        int64_t id = 0, version = 1;
        for (int64_t i = 0; i < ROWS; i++) {
            if (random_below(&seed, jumps) == 0) {
                id = (int64_t)random_below(&seed, 100000);
                version = (int64_t)random_below(&seed, 9);
            }
            stored_ids[i] = random_below(&seed, 10) < nulls ? NIL : id++;
            stored_versions[i] = random_below(&seed, 20) < nulls ? NIL : version;
            want_ids[i] = stored_ids[i] == NIL ? 31000 + 17 + i : stored_ids[i];
            want_versions[i] = stored_versions[i] == NIL ? 88 : stored_versions[i];
        }
        inherit(file_of(31000, 88), 17, ROWS, stored_ids, stored_versions);
        ASSERT_LINEAGE(want_ids, want_versions);
        teardown();
        setup();
    }
}
END_TEST

START_TEST(hostile_values_are_corrupt) {
    int64_t negative[] = {4, -3};
    rwl_column column = make_column(negative, 2);
    rwl_inherit_stored bad_id = {&column, NULL}, bad_version = {NULL, &column};
    rwl_inherit_file file = file_of(0, 1), last = file_of(INT64_MAX - 5, 1);
    ASSERT_FAILS(RWL_CORRUPT, "stored _row_id is negative: -3",
                 rwl_inherit_rows(&file, 0, 2, &bad_id, 0, &ids, &versions, err));
    ASSERT_FAILS(RWL_CORRUPT, "stored _last_updated_sequence_number is negative: -3",
                 rwl_inherit_rows(&file, 0, 2, &bad_version, 0, &ids, &versions, err));
    ASSERT_FAILS(RWL_CORRUPT, "passes 2^63", rwl_inherit_rows(&last, 0, 6, NULL, 0, &ids, &versions, err));
    ASSERT_OK(rwl_inherit_rows(&last, 0, 5, NULL, 0, &ids, &versions, err));
    rwl_column_clear(&column, test_env());
}
END_TEST

START_TEST(a_stored_id_that_no_next_row_id_is_above_is_corrupt) {
    enum { ROWS = 700 };
    int64_t stored[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        stored[i] = (i * 7919) % ROWS; /* in disorder: the sequence is dense when the last one comes */
    stored[ROWS - 1] = INT64_MAX;
    for (int64_t first = 0; first < ROWS; first += ROWS - 1) {
        rwl_column column = make_column(stored + first, ROWS - first);
        rwl_inherit_stored bad_id = {&column, NULL}, version = {NULL, &column};
        rwl_inherit_file file = file_of(0, 1);
        ASSERT_FAILS(RWL_CORRUPT, "stored _row_id is 9223372036854775807",
                     rwl_inherit_rows(&file, 0, ROWS - first, &bad_id, 0, &ids, &versions, err));
        teardown();
        setup();
        ASSERT_OK(rwl_inherit_rows(&file, 0, ROWS - first, &version, 0, &ids, &versions, err));
        rwl_column_clear(&column, test_env());
        teardown();
        setup();
    }
}
END_TEST

Suite *inherit_suite(void) {
    Suite *suite = suite_create("inherit");
    TCase *t = tcase_create("inherit");
    suite_add_tcase(suite, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, nothing_stored_is_one_run);
    tcase_add_test(t, example_1_2_7_3_row_read);
    tcase_add_test(t, example_1_2_7_6_positions_count_from_the_start_of_the_file);
    tcase_add_test(t, null_first_row_id_hides_what_is_stored);
    tcase_add_test(t, ice_19_the_inherited_version_is_the_data_sequence_number);
    tcase_add_test(t, ice_60_mixed_stored_values);
    tcase_add_test(t, only_one_of_the_columns_is_stored);
    tcase_add_test(t, x2_compaction_output_compacted_again_keeps_stored_values);
    tcase_add_test(t, x3_files_without_first_row_id_beside_others);
    tcase_add_test(t, deleted_rows_shift_no_id);
    tcase_add_test(t, stored_runs_stay_runs_and_disorder_turns_dense);
    tcase_add_test(t, random_stored_columns_equal_the_table_cell_by_cell);
    tcase_add_test(t, hostile_values_are_corrupt);
    tcase_add_test(t, a_stored_id_that_no_next_row_id_is_above_is_corrupt);
    return suite;
}
