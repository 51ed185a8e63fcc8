/* SPDX-License-Identifier: Apache-2.0 */
/* Carrying on write, and the chains of reads and writes of the reference's examples. */
#include "lineage/carry.h"

#include "lineage/inherit.h"
#include "lineage_test.h"

static rwl_carry carry;
static rwl_column id_column, version_column;

static void setup(void) {
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_carry_init(&carry, test_env());
    rwl_column_init_flat(&id_column, &type);
    rwl_column_init_flat(&version_column, &type);
}

static void teardown(void) {
    rwl_carry_clear(&carry);
    rwl_column_clear(&id_column, test_env());
    rwl_column_clear(&version_column, test_env());
}

/* Reads a whole file with the given stored columns and carries its rows. */
static void carry_file(rwl_inherit_file file, const rwl_inherit_stored *stored, int64_t rows,
                       rwl_carry_kind kind) {
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    ASSERT_OK(rwl_inherit_rows(&file, 0, rows, stored, 0, &ids, &versions, err));
    ASSERT_OK(rwl_carry_rows(&carry, kind, &ids, &versions, 0, rows, err));
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}

/* Makes the carried rows the stored columns of the next file. */
static rwl_inherit_stored write_file(void) {
    ASSERT_OK(rwl_carry_columns(&carry.ids, &carry.versions, &id_column, &version_column, err));
    rwl_carry_reset(&carry);
    rwl_inherit_stored stored = {&id_column, &version_column};
    return stored;
}

START_TEST(the_four_kinds_of_rows) {
    int64_t ids[] = {5, 6, NIL, 8}, versions[] = {1, 2, NIL, 3};
    rwl_runs id_runs = make_runs(1, ids, 4), version_runs = make_runs(0, versions, 4);
    ASSERT_OK(rwl_carry_rows(&carry, RWL_CARRY_UNCHANGED, &id_runs, &version_runs, 1, 3, err));
    ASSERT_OK(rwl_carry_rows(&carry, RWL_CARRY_MODIFIED, &id_runs, &version_runs, 0, 3, err));
    ASSERT_OK(rwl_carry_rows(&carry, RWL_CARRY_NEW, NULL, NULL, 0, 2, err));
    write_file();
    assert_column(&id_column, (int64_t[]){6, NIL, 8, 5, 6, NIL, NIL, NIL}, 8);
    assert_column(&version_column, (int64_t[]){2, NIL, 3, NIL, NIL, NIL, NIL, NIL}, 8);
    rwl_runs_clear(&id_runs);
    rwl_runs_clear(&version_runs);
}
END_TEST

START_TEST(example_1_2_7_4_update_chain) {
    rwl_inherit_file appended = {rwl_some(0), 1}, updated = {rwl_some(1), 4}, compacted = {rwl_some(2), 5};
    carry_file(appended, NULL, 1, RWL_CARRY_MODIFIED); /* the update at sequence number 4 */
    rwl_inherit_stored stored = write_file();
    assert_column(&id_column, (int64_t[]){0}, 1);
    assert_column(&version_column, (int64_t[]){NIL}, 1);
    carry_file(updated, &stored, 1, RWL_CARRY_UNCHANGED); /* compacted at 6, starting from 5 */
    stored = write_file();
    assert_column(&version_column, (int64_t[]){4}, 1);
    carry_file(compacted, &stored, 1, RWL_CARRY_UNCHANGED); /* reads (0, 4), not (0, 5) */
    write_file();
    assert_column(&id_column, (int64_t[]){0}, 1);
    assert_column(&version_column, (int64_t[]){4}, 1);
}
END_TEST

START_TEST(example_1_2_7_5_compaction_of_files_that_stored_nothing) {
    rwl_inherit_file first = {rwl_some(0), 1}, second = {rwl_some(3), 2};
    rwl_range left[] = {{0, 1}, {2, 1}}; /* a deletion vector holds position 1 */
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    ASSERT_OK(rwl_inherit_ranges(&first, 0, left, 2, NULL, &ids, &versions, err));
    ASSERT_OK(rwl_inherit_rows(&second, 0, 2, NULL, 0, &ids, &versions, err));
    ASSERT_OK(rwl_carry_columns(&ids, &versions, &id_column, &version_column, err));
    assert_column(&id_column, (int64_t[]){0, 2, 3, 4}, 4);
    assert_column(&version_column, (int64_t[]){1, 1, 2, 2}, 4);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}
END_TEST

START_TEST(x3_rows_without_lineage_are_carried_as_null) {
    rwl_inherit_file old = {rwl_none(), 1}, numbered = {rwl_some(40), 2};
    carry_file(old, NULL, 2, RWL_CARRY_UNCHANGED);
    carry_file(numbered, NULL, 1, RWL_CARRY_UNCHANGED);
    write_file();
    assert_column(&id_column, (int64_t[]){NIL, NIL, 40}, 3);
    assert_column(&version_column, (int64_t[]){NIL, NIL, 2}, 3);
}
END_TEST

/* Read from a new file numbered from 100 whose data sequence number is 9: ids 100, 101, and still version 4. */
START_TEST(rows_without_lineage_keep_the_number_of_their_commit) {
    rwl_runs ids = make_runs(1, (int64_t[]){NIL, NIL}, 2), versions = make_runs(0, (int64_t[]){NIL, NIL}, 2);
    ASSERT_OK(rwl_carry_unnumbered(4, 2, &ids, &versions, err));
    ASSERT_OK(rwl_carry_columns(&ids, &versions, &id_column, &version_column, err));
    assert_column(&id_column, (int64_t[]){NIL, NIL}, 2);
    assert_column(&version_column, (int64_t[]){4, 4}, 2);
    rwl_inherit_file moved = {rwl_some(100), 9};
    rwl_inherit_stored stored = {&id_column, &version_column};
    rwl_runs_reset(&ids);
    rwl_runs_reset(&versions);
    ASSERT_OK(rwl_inherit_rows(&moved, 0, 2, &stored, 0, &ids, &versions, err));
    int64_t got;
    for (int64_t i = 0; i < 2; i++) {
        ck_assert(rwl_runs_get(&ids, i, &got));
        ck_assert_int_eq(got, 100 + i);
        ck_assert(rwl_runs_get(&versions, i, &got));
        ck_assert_int_eq(got, 4);
    }
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}
END_TEST

START_TEST(half_a_lineage_is_refused) {
    int64_t ids[] = {5, NIL}, versions[] = {1, 1};
    rwl_runs id_runs = make_runs(1, ids, 2), version_runs = make_runs(0, versions, 2);
    ASSERT_FAILS(RWL_INTERNAL, "row 1 of a batch has a version and no id",
                 rwl_carry_rows(&carry, RWL_CARRY_UNCHANGED, &id_runs, &version_runs, 0, 2, err));
    ASSERT_FAILS(RWL_INTERNAL, "not in a batch",
                 rwl_carry_rows(&carry, RWL_CARRY_UNCHANGED, &id_runs, &version_runs, 1, 2, err));
    ASSERT_OK(rwl_carry_rows(&carry, RWL_CARRY_UNCHANGED, &id_runs, &version_runs, 0, 1, err));
    ASSERT_FAILS(RWL_INTERNAL, "1 ids for 2 versions",
                 rwl_carry_columns(&carry.ids, &version_runs, &id_column, &version_column, err));
    rwl_runs_clear(&id_runs);
    rwl_runs_clear(&version_runs);
}
END_TEST

Suite *carry_suite(void) {
    Suite *suite = suite_create("carry");
    TCase *t = tcase_create("carry");
    suite_add_tcase(suite, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_four_kinds_of_rows);
    tcase_add_test(t, example_1_2_7_4_update_chain);
    tcase_add_test(t, example_1_2_7_5_compaction_of_files_that_stored_nothing);
    tcase_add_test(t, x3_rows_without_lineage_are_carried_as_null);
    tcase_add_test(t, rows_without_lineage_keep_the_number_of_their_commit);
    tcase_add_test(t, half_a_lineage_is_refused);
    return suite;
}
