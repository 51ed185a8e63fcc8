/* SPDX-License-Identifier: Apache-2.0 */
/* Assignment, on the worked numbers of the reference (1.2.6, 1.2.7, matrix 1.7) and its numbered cases. */
#include "lineage/assign.h"

#include "lineage/inherit.h"
#include "lineage_test.h"

/* The files of the reference's assignment cases: rows of A, B and C. */
enum { A = 125, B = 100, C = 90 };

static rwl_assign_manifest fresh(int64_t added, int64_t existing) {
    rwl_assign_manifest m = {true, {false, 0}, {true, added}, {true, existing}, {false, 0}, -1};
    return m;
}

static rwl_assign_manifest kept(int64_t first_row_id, int64_t added, int64_t existing) {
    rwl_assign_manifest m = fresh(added, existing);
    m.first_row_id = rwl_some(first_row_id);
    return m;
}

/* A manifest the commit wrote itself, so that it knows which rows have no first_row_id. */
static rwl_assign_manifest filtered(int64_t existing, int64_t unassigned) {
    rwl_assign_manifest m = fresh(0, existing);
    m.unassigned_rows = rwl_some(unassigned);
    return m;
}

static rwl_assign_manifest deletes(void) {
    rwl_assign_manifest m = fresh(10, 0);
    m.is_data = false;
    return m;
}

/* Assigns from `first`, expects these first_row_ids in list order (NIL for null); returns the counter. */
static int64_t assign(rwl_assign_manifest *m, size_t count, int64_t first, const int64_t *expected) {
    int64_t next = -1;
    ASSERT_OK(rwl_assign_manifests(m, count, first, &next, err));
    for (size_t i = 0; i < count; i++) {
        int64_t got = m[i].first_row_id.present ? m[i].first_row_id.value : NIL;
        ck_assert_msg(got == expected[i], "manifest %zu has %lld", i, (long long)got);
    }
    return next;
}

/* The table's next-row-id after a snapshot that took [first, next). */
static int64_t table_after(int64_t next_row_id, int64_t first, int64_t next) {
    rwl_snapshot_ids ids = {rwl_some(first), rwl_some(next - first)};
    int64_t out = -1;
    ASSERT_OK(rwl_assign_next_row_id(next_row_id, &ids, &out, err));
    return out;
}

static rwl_assign_files open_manifest(int64_t first_row_id, bool committed) {
    rwl_assign_files walk;
    rwl_assign_files_init(&walk, first_row_id == NIL ? rwl_none() : rwl_some(first_row_id), committed);
    return walk;
}

static int64_t next_file(rwl_assign_files *walk, rwl_entry_status status, int64_t stored, int64_t rows) {
    rwl_opt_i64 out = rwl_none();
    ASSERT_OK(
        rwl_assign_files_next(walk, status, stored == NIL ? rwl_none() : rwl_some(stored), rows, &out, err));
    return out.present ? out.value : NIL;
}

START_TEST(spec_example_1_2_6_gives_1375) {
    rwl_assign_manifest m[] = {kept(925, 75, 0), fresh(100, 25), fresh(0, 100), fresh(125, 25)};
    int64_t want[] = {925, 1000, 1125, 1225};
    int64_t next = assign(m, 4, 1000, want);
    ck_assert_int_eq(next, 1375); /* 1000 + 125 + 100 + 150 */
    ck_assert_int_eq(m[0].taken, 0);
    ck_assert_int_eq(m[1].taken, 125);
    ck_assert_int_eq(table_after(1000, 1000, next), 1375);
    /* inside added1 */
    rwl_assign_files walk = open_manifest(1000, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, 800, 25), 800);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 50), 1000);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 50), 1050);
}
END_TEST

START_TEST(example_1_2_7_1_mixed_manifest) {
    rwl_assign_files walk = open_manifest(500, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 10), 500);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, 7, 20), 7);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_DELETED, NIL, 30), NIL);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, NIL, 40), 510);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 5), 550);
    ck_assert_int_eq(walk.unassigned_rows, 55);
    ck_assert_int_eq(walk.live_rows, 75);
    /* by the counts of its list entry the next manifest gets 575 */
    rwl_assign_manifest m[] = {fresh(15, 60), fresh(1, 0)};
    m[0].unassigned_rows = rwl_some(55);
    int64_t want[] = {500, 575};
    ck_assert_int_eq(assign(m, 2, 500, want), 576);
}
END_TEST

START_TEST(example_1_2_7_2_retry_assigns_again) {
    int64_t first_try[] = {1000, 1050}, second_try[] = {1200, 1250};
    rwl_assign_manifest m[] = {fresh(50, 0), fresh(25, 0)};
    ck_assert_int_eq(assign(m, 2, 1000, first_try), 1075);
    rwl_assign_manifest again[] = {fresh(50, 0), fresh(25, 0)}; /* the same manifest files, as written */
    ck_assert_int_eq(assign(again, 2, 1200, second_try), 1275);
    ck_assert_int_eq(table_after(1200, 1200, 1275), 1275);
}
END_TEST

START_TEST(example_1_2_7_7_and_x13_null_counts_are_counted_by_reading) {
    rwl_assign_manifest m = fresh(0, 0);
    int64_t next = -1;
    m.added_rows = m.existing_rows = rwl_none();
    ASSERT_FAILS(RWL_INTERNAL, "not counted", rwl_assign_manifests(&m, 1, 40, &next, err));
    /* reading it: 12 live rows, 5 deleted ones */
    rwl_assign_files walk = open_manifest(NIL, true);
    next_file(&walk, RWL_ENTRY_EXISTING, NIL, 7);
    next_file(&walk, RWL_ENTRY_DELETED, NIL, 5);
    next_file(&walk, RWL_ENTRY_ADDED, NIL, 5);
    m.first_row_id = rwl_none();
    m.unassigned_rows = rwl_some(walk.unassigned_rows);
    int64_t want[] = {40};
    ck_assert_int_eq(assign(&m, 1, 40, want), 52);
    /* one count alone is no better than none */
    m = fresh(3, 0);
    m.existing_rows = rwl_none();
    ASSERT_FAILS(RWL_INTERNAL, "not counted", rwl_assign_manifests(&m, 1, 40, &next, err));
}
END_TEST

START_TEST(ice_01_single_file_append) {
    rwl_assign_manifest m[] = {fresh(A, 0)};
    int64_t want[] = {0};
    int64_t next = assign(m, 1, 0, want);
    ck_assert_int_eq(table_after(0, 0, next), 125);
    rwl_assign_files walk = open_manifest(0, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, A), 0);
}
END_TEST

START_TEST(ice_06_two_files_in_one_append) {
    rwl_assign_manifest m[] = {fresh(A + B, 0)};
    int64_t want[] = {0};
    ck_assert_int_eq(assign(m, 1, 0, want), 225);
    rwl_assign_files walk = open_manifest(0, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, A), 0);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, B), 125);
}
END_TEST

START_TEST(ice_07_appends_one_after_the_other) {
    rwl_assign_manifest m[] = {fresh(C, 0), kept(0, A + B, 0)};
    int64_t want[] = {225, 0};
    int64_t next = assign(m, 2, 225, want);
    ck_assert_int_eq(table_after(225, 225, next), 315);
}
END_TEST

START_TEST(ice_08_conflict_reassigns_for_the_second_attempt) {
    /* after ICE-01: B is staged on [125, 0] … */
    rwl_assign_manifest staged[] = {fresh(B, 0), kept(0, A, 0)};
    int64_t want_staged[] = {125, 0};
    ck_assert_int_eq(assign(staged, 2, 125, want_staged), 225);
    /* … C commits first … */
    rwl_assign_manifest other[] = {fresh(C, 0), kept(0, A, 0)};
    int64_t want_other[] = {125, 0};
    int64_t next_row_id = table_after(125, 125, assign(other, 2, 125, want_other));
    ck_assert_int_eq(next_row_id, 215);
    /* … so the staged numbers are refused as a conflict, and B is assigned again */
    rwl_snapshot_ids stale = {rwl_some(125), rwl_some(B)};
    int64_t out = -1;
    ASSERT_FAILS(RWL_CONFLICT, "125 < 215", rwl_assign_next_row_id(next_row_id, &stale, &out, err));
    rwl_assign_manifest again[] = {fresh(B, 0), other[0], other[1]};
    int64_t want[] = {215, 125, 0};
    ck_assert_int_eq(table_after(215, 215, assign(again, 3, 215, want)), 315);
}
END_TEST

START_TEST(ice_14_first_commit_after_an_upgrade_assigns_all) {
    /* [added C], [existing A, deleted B], no ids; then an empty append */
    rwl_assign_manifest m[] = {fresh(C, 0), fresh(0, A)};
    int64_t want[] = {0, 90};
    ck_assert_int_eq(table_after(0, 0, assign(m, 2, 0, want)), 215);
    rwl_assign_files walk = open_manifest(90, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, NIL, A), 90);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_DELETED, NIL, B), NIL);
}
END_TEST

START_TEST(ice_22_numbers_of_a_snapshot) {
    static const struct {
        int64_t first, added;
        const char *message; /* NULL: valid */
        int64_t want_first, want_added;
    } cases[] = {
        {NIL, NIL, NULL, NIL, NIL},
        {NIL, 10, NULL, NIL, NIL}, /* added-rows without first-row-id is dropped */
        {0, 0, NULL, 0, 0},
        {10, NIL, "added-rows is null in a snapshot with first-row-id 10", 0, 0},
        {0, -1, "added-rows of a snapshot is negative: -1", 0, 0},
        {-1, 1, "first-row-id of a snapshot is negative: -1", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rwl_snapshot_ids ids = {cases[i].first == NIL ? rwl_none() : rwl_some(cases[i].first),
                                cases[i].added == NIL ? rwl_none() : rwl_some(cases[i].added)};
        if (cases[i].message != NULL) {
            ASSERT_FAILS(RWL_CORRUPT, cases[i].message, rwl_snapshot_ids_check(&ids, err));
            continue;
        }
        ASSERT_OK(rwl_snapshot_ids_check(&ids, err));
        ck_assert_int_eq(ids.first_row_id.present ? ids.first_row_id.value : NIL, cases[i].want_first);
        ck_assert_int_eq(ids.added_rows.present ? ids.added_rows.value : NIL, cases[i].want_added);
    }
}
END_TEST

START_TEST(ice_23_next_row_id_moves_by_added_rows) {
    ck_assert_int_eq(table_after(0, 0, 30), 30);
    ck_assert_int_eq(table_after(30, 30, 60), 60);
}
END_TEST

START_TEST(ice_24_snapshots_that_cannot_be_added) {
    int64_t out = -1;
    rwl_snapshot_ids none = {rwl_none(), rwl_none()}, behind = {rwl_some(29), rwl_some(10)};
    ASSERT_FAILS(RWL_INTERNAL, "cannot add a snapshot: its first-row-id is null",
                 rwl_assign_next_row_id(30, &none, &out, err));
    ASSERT_FAILS(RWL_CONFLICT, "cannot add a snapshot: first-row-id is behind next-row-id: 29 < 30",
                 rwl_assign_next_row_id(30, &behind, &out, err));
    rwl_snapshot_ids half = {rwl_some(30), rwl_none()};
    ASSERT_FAILS(RWL_INTERNAL, "added-rows is null", rwl_assign_next_row_id(30, &half, &out, err));
    ck_assert_int_eq(out, -1);
}
END_TEST

START_TEST(ice_25_fast_appends) {
    rwl_assign_manifest first[] = {fresh(30, 0)}, second[] = {fresh(17 + 11, 0), kept(0, 30, 0)};
    int64_t want_first[] = {0}, want_second[] = {30, 0};
    ck_assert_int_eq(table_after(0, 0, assign(first, 1, 0, want_first)), 30);
    ck_assert_int_eq(table_after(30, 30, assign(second, 2, 30, want_second)), 58);
}
END_TEST

START_TEST(ice_28_deleting_a_file_takes_no_ids) {
    rwl_assign_manifest m[] = {filtered(0, 0)}; /* DELETED entries only */
    int64_t want[] = {30};
    ck_assert_int_eq(table_after(30, 30, assign(m, 1, 30, want)), 30);
}
END_TEST

START_TEST(ice_29_a_deletion_vector_takes_no_ids) {
    rwl_assign_manifest m[] = {kept(0, 30, 0), deletes()};
    int64_t want[] = {0, NIL};
    ck_assert_int_eq(table_after(30, 30, assign(m, 2, 30, want)), 30);
}
END_TEST

START_TEST(ice_31_a_pinned_rewrite_takes_no_ids_an_unpinned_one_takes_its_rows) {
    /* two files of 30 rows become one; the old manifest holds DELETED entries only */
    rwl_assign_manifest pinned[] = {kept(0, 60, 0), filtered(0, 0)};
    int64_t want_pinned[] = {0, 60};
    ck_assert_int_eq(table_after(60, 60, assign(pinned, 2, 60, want_pinned)), 60);
    rwl_assign_manifest unpinned[] = {fresh(60, 0), filtered(0, 0)};
    int64_t want_unpinned[] = {60, 120};
    ck_assert_int_eq(table_after(60, 60, assign(unpinned, 2, 60, want_unpinned)), 120);
}
END_TEST

START_TEST(ice_36_a_preset_first_row_id_stays) {
    rwl_assign_manifest m[] = {kept(100, 5292, 857273)};
    int64_t want[] = {100};
    ck_assert_int_eq(assign(m, 1, 130, want), 130);
}
END_TEST

START_TEST(ice_37_a_null_first_row_id_takes_added_and_existing_rows) {
    rwl_assign_manifest m[] = {fresh(5292, 857273)};
    int64_t want[] = {130};
    ck_assert_int_eq(assign(m, 1, 130, want), 862695);
}
END_TEST

START_TEST(ice_38_preset_between_nulls) {
    rwl_assign_manifest m[] = {fresh(5292, 857273), kept(100, 5292, 857273), fresh(5292, 857273)};
    int64_t want[] = {130, 100, 862695};
    ck_assert_int_eq(assign(m, 3, 130, want), 1725260); /* 130 + 2 * 862565 */
}
END_TEST

START_TEST(ice_42_43_44_files_of_a_v3_manifest) {
    rwl_assign_files unread = open_manifest(100, false), listed = open_manifest(100, true);
    ck_assert_int_eq(next_file(&unread, RWL_ENTRY_ADDED, NIL, 1587), 100);
    ck_assert_int_eq(next_file(&listed, RWL_ENTRY_ADDED, NIL, 1587), 100);
    ck_assert_int_eq(next_file(&listed, RWL_ENTRY_ADDED, NIL, 1587), 1687);
}
END_TEST

START_TEST(ice_45_v1_manifest_in_a_v3_list) {
    rwl_assign_manifest m[] = {fresh(1587, 0)};
    int64_t want[] = {100};
    ck_assert_int_eq(assign(m, 1, 100, want), 1687);
    rwl_assign_files walk = open_manifest(100, true);
    rwl_inherit_file file = {rwl_some(next_file(&walk, RWL_ENTRY_ADDED, NIL, 1587)), 0}; /* v1: sequence 0 */
    rwl_runs ids, versions;
    rwl_runs_init(&ids, test_env(), 1);
    rwl_runs_init(&versions, test_env(), 0);
    ASSERT_OK(rwl_inherit_rows(&file, 1586, 1, NULL, 0, &ids, &versions, err));
    assert_runs(&ids, (int64_t[]){1686}, 1);
    assert_runs(&versions, (int64_t[]){0}, 1);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
}
END_TEST

START_TEST(ice_49_committed_manifest_without_first_row_id_hides_explicit_ones) {
    rwl_assign_files walk = open_manifest(NIL, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, 42, 10), NIL);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_DELETED, 42, 10), NIL);
}
END_TEST

START_TEST(ice_50_uncommitted_manifest_keeps_explicit_ones) {
    rwl_assign_files walk = open_manifest(NIL, false);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, 42, 10), 42);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 10), NIL);
    ck_assert_int_eq(walk.unassigned_rows, 10);
}
END_TEST

START_TEST(x5_existing_null_between_explicit_ones) {
    rwl_assign_files walk = open_manifest(1000, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, 10, 5), 10);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, NIL, 7), 1000);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, 20, 5), 20);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_EXISTING, NIL, 1), 1007);
}
END_TEST

START_TEST(x6_deleted_null_takes_no_ids) {
    rwl_assign_files walk = open_manifest(1000, true);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_DELETED, NIL, 30), NIL);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 5), 1000);
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_DELETED, 77, 30), 77); /* an explicit one is kept */
    ck_assert_int_eq(next_file(&walk, RWL_ENTRY_ADDED, NIL, 5), 1005);
    ck_assert_int_eq(walk.live_rows, 10);
}
END_TEST

START_TEST(x7_first_row_id_beyond_next_row_id_is_accepted) {
    ck_assert_int_eq(table_after(30, 50, 60), 60); /* not 30 + 10 */
    ck_assert_int_eq(table_after(30, 50, 50), 50);
}
END_TEST

START_TEST(x8_ids_near_2_63_are_refused) {
    int64_t next = -1;
    rwl_assign_manifest fits[] = {fresh(10, 0)}, one_more[] = {fresh(11, 0)};
    ASSERT_OK(rwl_assign_manifests(fits, 1, INT64_MAX - 10, &next, err));
    ck_assert_int_eq(next, INT64_MAX);
    ASSERT_FAILS(RWL_UNSUPPORTED, "used up: 9223372036854775797 + 11 rows",
                 rwl_assign_manifests(one_more, 1, INT64_MAX - 10, &next, err));
    rwl_snapshot_ids ids = {rwl_some(INT64_MAX - 10), rwl_some(11)};
    ASSERT_FAILS(RWL_UNSUPPORTED, "used up", rwl_assign_next_row_id(0, &ids, &next, err));
    rwl_assign_files walk = open_manifest(INT64_MAX - 10, true);
    rwl_opt_i64 out;
    ASSERT_FAILS(RWL_CORRUPT, "passes 2^63",
                 rwl_assign_files_next(&walk, RWL_ENTRY_ADDED, rwl_none(), 11, &out, err));
    walk = open_manifest(0, true);
    ASSERT_FAILS(RWL_CORRUPT, "passes 2^63",
                 rwl_assign_files_next(&walk, RWL_ENTRY_EXISTING, rwl_some(INT64_MAX), 1, &out, err));
}
END_TEST

START_TEST(matrix_filtered_manifest_takes_no_ids) {
    /* {A, B} less A, and C added: ICE-10 with law 8, so B's rows are not burnt: 225 + 90 */
    rwl_assign_manifest m[] = {fresh(C, 0), filtered(B, 0)};
    int64_t want[] = {225, 315};
    ck_assert_int_eq(table_after(225, 225, assign(m, 2, 225, want)), 315);
}
END_TEST

START_TEST(matrix_branches_share_the_counter) {
    /* ICE-03: B on a branch, then C on main, each list with its own manifests */
    rwl_assign_manifest branch[] = {fresh(B, 0), kept(0, A, 0)}, main_list[] = {fresh(C, 0), kept(0, A, 0)};
    int64_t want_branch[] = {125, 0}, want_main[] = {225, 0};
    int64_t next_row_id = table_after(125, 125, assign(branch, 2, 125, want_branch));
    ck_assert_int_eq(next_row_id, 225);
    ck_assert_int_eq(table_after(225, 225, assign(main_list, 2, next_row_id, want_main)), 315);
}
END_TEST

START_TEST(delete_manifest_is_written_without_first_row_id) {
    rwl_assign_manifest m[] = {deletes()};
    m[0].first_row_id = rwl_some(9);
    int64_t want[] = {NIL};
    ck_assert_int_eq(assign(m, 1, 5, want), 5);
}
END_TEST

START_TEST(hostile_counts_are_corrupt) {
    int64_t next = -1;
    rwl_opt_i64 out;
    rwl_assign_manifest negative[] = {fresh(1, 0), fresh(-1, 0)}, huge[] = {fresh(INT64_MAX, 1)};
    rwl_assign_manifest low[] = {fresh(3, 0)}, bad[] = {kept(-7, 1, 0)};
    low[0].unassigned_rows = rwl_some(4);
    ASSERT_FAILS(RWL_CORRUPT, "manifest 1 of the list: added_rows_count is negative: -1",
                 rwl_assign_manifests(negative, 2, 0, &next, err));
    ASSERT_FAILS(RWL_CORRUPT, "passes 2^63", rwl_assign_manifests(huge, 1, 0, &next, err));
    ASSERT_FAILS(RWL_CORRUPT, "counts 3 live rows, its files have 4",
                 rwl_assign_manifests(low, 1, 0, &next, err));
    ASSERT_FAILS(RWL_CORRUPT, "first_row_id is negative: -7", rwl_assign_manifests(bad, 1, 0, &next, err));
    ASSERT_FAILS(RWL_CORRUPT, "first-row-id is negative", rwl_assign_manifests(low, 0, -1, &next, err));
    rwl_assign_files walk = open_manifest(0, true);
    ASSERT_FAILS(RWL_CORRUPT, "record_count is negative: -5",
                 rwl_assign_files_next(&walk, RWL_ENTRY_ADDED, rwl_none(), -5, &out, err));
    ASSERT_FAILS(RWL_CORRUPT, "first_row_id is negative: -5",
                 rwl_assign_files_next(&walk, RWL_ENTRY_EXISTING, rwl_some(-5), 5, &out, err));
    walk = open_manifest(NIL, false);
    ASSERT_OK(rwl_assign_files_next(&walk, RWL_ENTRY_ADDED, rwl_none(), INT64_MAX, &out, err));
    ASSERT_FAILS(RWL_CORRUPT, "live rows of a manifest",
                 rwl_assign_files_next(&walk, RWL_ENTRY_ADDED, rwl_none(), 1, &out, err));
}
END_TEST

Suite *assign_suite(void) {
    Suite *suite = suite_create("assign");
    TCase *t = tcase_create("assign");
    suite_add_tcase(suite, t);
    tcase_add_test(t, spec_example_1_2_6_gives_1375);
    tcase_add_test(t, example_1_2_7_1_mixed_manifest);
    tcase_add_test(t, example_1_2_7_2_retry_assigns_again);
    tcase_add_test(t, example_1_2_7_7_and_x13_null_counts_are_counted_by_reading);
    tcase_add_test(t, ice_01_single_file_append);
    tcase_add_test(t, ice_06_two_files_in_one_append);
    tcase_add_test(t, ice_07_appends_one_after_the_other);
    tcase_add_test(t, ice_08_conflict_reassigns_for_the_second_attempt);
    tcase_add_test(t, ice_14_first_commit_after_an_upgrade_assigns_all);
    tcase_add_test(t, ice_22_numbers_of_a_snapshot);
    tcase_add_test(t, ice_23_next_row_id_moves_by_added_rows);
    tcase_add_test(t, ice_24_snapshots_that_cannot_be_added);
    tcase_add_test(t, ice_25_fast_appends);
    tcase_add_test(t, ice_28_deleting_a_file_takes_no_ids);
    tcase_add_test(t, ice_29_a_deletion_vector_takes_no_ids);
    tcase_add_test(t, ice_31_a_pinned_rewrite_takes_no_ids_an_unpinned_one_takes_its_rows);
    tcase_add_test(t, ice_36_a_preset_first_row_id_stays);
    tcase_add_test(t, ice_37_a_null_first_row_id_takes_added_and_existing_rows);
    tcase_add_test(t, ice_38_preset_between_nulls);
    tcase_add_test(t, ice_42_43_44_files_of_a_v3_manifest);
    tcase_add_test(t, ice_45_v1_manifest_in_a_v3_list);
    tcase_add_test(t, ice_49_committed_manifest_without_first_row_id_hides_explicit_ones);
    tcase_add_test(t, ice_50_uncommitted_manifest_keeps_explicit_ones);
    tcase_add_test(t, x5_existing_null_between_explicit_ones);
    tcase_add_test(t, x6_deleted_null_takes_no_ids);
    tcase_add_test(t, x7_first_row_id_beyond_next_row_id_is_accepted);
    tcase_add_test(t, x8_ids_near_2_63_are_refused);
    tcase_add_test(t, matrix_filtered_manifest_takes_no_ids);
    tcase_add_test(t, matrix_branches_share_the_counter);
    tcase_add_test(t, delete_manifest_is_written_without_first_row_id);
    tcase_add_test(t, hostile_counts_are_corrupt);
    return suite;
}
