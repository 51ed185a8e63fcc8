/* SPDX-License-Identifier: Apache-2.0 */
/* Conservation: what a rewrite may do to rows, and each thing it may not. */
#include "lineage/conserve.h"

#include "lineage_test.h"

enum { ROWS = 6 };

typedef struct rows {
    int64_t ids[ROWS], versions[ROWS];
    rwl_u128 values[ROWS];
    int64_t count;
} rows;

static const rows input = {{4, 5, 6, 90, NIL, NIL}, {1, 1, 2, 2, NIL, NIL}, {11, 22, 33, 44, 55, 66}, ROWS};

static rwl_conserve sum(const rows *r, bool values) {
    rwl_conserve side;
    memset(&side, 0, sizeof side);
    rwl_runs ids = make_runs(1, r->ids, r->count), versions = make_runs(0, r->versions, r->count);
    rwl_conserve_add(&side, &ids, &versions, values ? r->values : NULL);
    rwl_runs_clear(&ids);
    rwl_runs_clear(&versions);
    return side;
}

static void assert_differs(const rows *output, bool values, const char *message) {
    rwl_conserve a = sum(&input, values), b = sum(output, values);
    ASSERT_FAILS(RWL_INTERNAL, message, rwl_conserve_compare(&a, &b, err));
}

START_TEST(order_and_cutting_do_not_matter) {
    rows head = {{90, 6, NIL}, {2, 2, NIL}, {44, 33, 66}, 3},
         tail = {{NIL, 5, 4}, {NIL, 1, 1}, {55, 22, 11}, 3};
    rwl_conserve a = sum(&input, true), b = sum(&head, true), c = sum(&tail, true);
    rwl_conserve_merge(&b, &c);
    ASSERT_OK(rwl_conserve_compare(&a, &b, err));
    ck_assert_int_eq(b.rows, ROWS);
    ck_assert_int_eq(b.rows_without_lineage, 2);
    a = sum(&input, false), b = sum(&head, false), c = sum(&tail, false);
    rwl_conserve_merge(&b, &c);
    ASSERT_OK(rwl_conserve_compare(&a, &b, err));
}
END_TEST

static void add_rows(rwl_conserve *side, const int64_t *ids, const int64_t *versions, int64_t count) {
    rwl_runs id_runs = make_runs(1, ids, count), version_runs = make_runs(0, versions, count);
    rwl_conserve_add(side, &id_runs, &version_runs, NULL);
    rwl_runs_clear(&id_runs);
    rwl_runs_clear(&version_runs);
}

/* Long stretches are hashed eight rows at once where the processor can. */
START_TEST(stretches_of_any_length_sum_like_their_rows) {
    int64_t ids[131], versions[131];
    for (int64_t count = 1; count <= COUNT_OF(ids); count++) {
        rwl_conserve parts, whole;
        memset(&parts, 0, sizeof parts);
        memset(&whole, 0, sizeof whole);
        for (int64_t i = 0; i < count; i++) {
            ids[i] = count % 5 == 0 ? NIL : (INT64_C(1) << 40) - 60 + i;
            versions[i] = count % 5 == 0 || count % 7 == 0 ? NIL : count;
            add_rows(&parts, &ids[i], &versions[i], 1);
        }
        add_rows(&whole, ids, versions, count);
        ASSERT_OK(rwl_conserve_compare(&parts, &whole, err));
        ck_assert(whole.row_sum == whole.lineage_sum && whole.row_sum == parts.row_sum);
    }
}
END_TEST

START_TEST(a_dropped_and_a_doubled_row_are_found) {
    rows output = input;
    output.count--;
    assert_differs(&output, true, "6 rows went in, 5 came out");
    output = input; /* one dropped, another doubled: the counts agree */
    output.ids[0] = output.ids[1], output.versions[0] = output.versions[1],
    output.values[0] = output.values[1];
    assert_differs(&output, true, "rows were replaced by others");
    assert_differs(&output, false, "row ids or versions changed");
}
END_TEST

START_TEST(swapped_ids_are_found) {
    rows output = input;
    output.ids[0] = 5, output.ids[1] = 4; /* same version, so only the pairing with values tells */
    assert_differs(&output, true, "moved to other rows");
    rwl_conserve a = sum(&input, false), b = sum(&output, false);
    ASSERT_OK(rwl_conserve_compare(&a, &b, err)); /* lineage alone cannot see it */
    output = input;
    output.ids[1] = 6, output.ids[2] = 5; /* other versions: lineage alone sees it */
    assert_differs(&output, false, "row ids or versions changed");
}
END_TEST

START_TEST(a_changed_version_is_found) {
    rows output = input;
    output.versions[3] = 3;
    assert_differs(&output, true, "row ids or versions changed");
}
END_TEST

START_TEST(a_changed_value_is_found) {
    rows output = input;
    output.values[5] ^= (rwl_u128)1 << 127;
    assert_differs(&output, true, "values of rows changed");
}
END_TEST

START_TEST(null_lineage_is_no_number) {
    rows output = input;
    output.ids[4] = 0, output.versions[4] = 0;
    assert_differs(&output, true, "2 rows without lineage went in, 1 came out");
    /* (0, null) and (0, 0) differ too */
    rows a = {{0}, {0}, {7}, 1}, b = {{0}, {NIL}, {7}, 1};
    rwl_conserve sa = sum(&a, true), sb = sum(&b, true);
    ASSERT_FAILS(RWL_INTERNAL, "row ids or versions changed", rwl_conserve_compare(&sa, &sb, err));
}
END_TEST

START_TEST(hashes_of_neighbours_do_not_cancel) {
    /* (id, version) pairs with equal sums: {(1,2),(2,1)} against {(1,1),(2,2)}, and shifted ones */
    rows a = {{1, 2}, {2, 1}, {0, 0}, 2}, b = {{1, 2}, {1, 2}, {0, 0}, 2}, c = {{0, 3}, {2, 1}, {0, 0}, 2};
    rwl_conserve sa = sum(&a, false), sb = sum(&b, false), sc = sum(&c, false);
    ck_assert(sa.lineage_sum != sb.lineage_sum);
    ck_assert(sa.lineage_sum != sc.lineage_sum);
    ck_assert((uint64_t)sa.lineage_sum != (uint64_t)sb.lineage_sum); /* both halves tell */
    ck_assert(sa.lineage_sum >> 64 != sb.lineage_sum >> 64);
}
END_TEST

Suite *conserve_suite(void) {
    Suite *suite = suite_create("conserve");
    TCase *t = tcase_create("conserve");
    suite_add_tcase(suite, t);
    tcase_add_test(t, order_and_cutting_do_not_matter);
    tcase_add_test(t, stretches_of_any_length_sum_like_their_rows);
    tcase_add_test(t, a_dropped_and_a_doubled_row_are_found);
    tcase_add_test(t, swapped_ids_are_found);
    tcase_add_test(t, a_changed_version_is_found);
    tcase_add_test(t, a_changed_value_is_found);
    tcase_add_test(t, null_lineage_is_no_number);
    tcase_add_test(t, hashes_of_neighbours_do_not_cancel);
    return suite;
}
