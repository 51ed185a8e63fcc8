/* SPDX-License-Identifier: Apache-2.0 */
/* Which deletes apply to which file. */
#include "iceberg/delete_index.h"
#include "table_test.h"

#include <inttypes.h>
#include <stdio.h>

static rwl_manifest_entry data_entry(const char *path, int64_t sequence, const rwl_value *partition,
                                     int32_t count, int32_t spec_id) {
    rwl_manifest_entry e;
    memset(&e, 0, sizeof e);
    e.status = RWL_STATUS_ADDED;
    e.sequence_number = sequence;
    e.file = test_data_file(path, 100, partition, count);
    e.file.spec_id = spec_id;
    return e;
}

static rwl_manifest_entry delete_entry(int32_t content, const char *path, int64_t sequence,
                                       const char *data_file, const rwl_value *partition, int32_t count,
                                       int32_t spec_id) {
    rwl_manifest_entry e = data_entry(path, sequence, partition, count, spec_id);
    e.file.content = content;
    e.file.record_count = 3;
    e.file.referenced_data_file = data_file;
    if (content == RWL_CONTENT_EQUALITY_DELETES) {
        static const int32_t ids[] = {1};
        e.file.equality_ids = ids;
        e.file.equality_count = 1;
    }
    return e;
}

static rwl_manifest_entry vector_entry(const char *path, int64_t sequence, const char *data_file,
                                       const rwl_value *partition, int32_t count, int32_t spec_id) {
    rwl_manifest_entry e =
        delete_entry(RWL_CONTENT_POSITION_DELETES, path, sequence, data_file, partition, count, spec_id);
    e.file.file_format = "puffin";
    e.file.content_offset = 4;
    e.file.content_size = 40;
    return e;
}

/* Paths of the deletes that apply, by number. */
static void assert_deletes(rwl_delete_index *index, const rwl_manifest_entry *e, const char *want) {
    const rwl_delete_ref *refs;
    int32_t count;
    char text[256] = "";
    ASSERT_OK(rwl_delete_index_find(index, e, &refs, &count, err));
    for (int32_t i = 0; i < count; i++) {
        strncat(text, i > 0 ? " " : "", sizeof text - strlen(text) - 1);
        strncat(text, refs[i].location, sizeof text - strlen(text) - 1);
    }
    ck_assert_str_eq(text, want);
}

static rwl_delete_index *index_of(const rwl_metadata *m, const rwl_manifest_entry *entries, size_t count) {
    rwl_delete_index *index = NULL;
    ASSERT_OK(rwl_delete_index_new(test_env(), m, &index, err));
    for (size_t i = 0; i < count; i++)
        ASSERT_OK(rwl_delete_index_add(index, &entries[i], err));
    ASSERT_OK(rwl_delete_index_finish(index, err));
    return index;
}

START_TEST(sequence_numbers_decide) {
    /* reference 3.4.5: positions apply to data of the same number, equality deletes only to older data */
    rwl_metadata *m = test_table(3, "id int", NULL);
    const rwl_manifest_entry deletes[] = {
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p5", 5, NULL, NULL, 0, 0),
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p3", 3, "a", NULL, 0, 0),
        delete_entry(RWL_CONTENT_EQUALITY_DELETES, "e5", 5, NULL, NULL, 0, 0),
    };
    rwl_delete_index *index = index_of(m, deletes, 3);
    rwl_manifest_entry a3 = data_entry("a", 3, NULL, 0, 0), a4 = data_entry("a", 4, NULL, 0, 0);
    rwl_manifest_entry b5 = data_entry("b", 5, NULL, 0, 0), b6 = data_entry("b", 6, NULL, 0, 0);
    assert_deletes(index, &a3, "p3 e5 p5");
    assert_deletes(index, &a4, "e5 p5");
    assert_deletes(index, &b5, "p5");
    assert_deletes(index, &b6, "");
    rwl_manifest_entry last = data_entry("b", INT64_MAX, NULL, 0, 0);
    assert_deletes(index, &last, ""); /* no number is above it */
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_vector_hides_position_deletes_but_not_equality_deletes) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    const rwl_manifest_entry deletes[] = {
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p", 5, NULL, NULL, 0, 0),
        vector_entry("v", 4, "a", NULL, 0, 0),
        delete_entry(RWL_CONTENT_EQUALITY_DELETES, "e", 5, NULL, NULL, 0, 0),
    };
    rwl_delete_index *index = index_of(m, deletes, 3);
    rwl_manifest_entry a = data_entry("a", 3, NULL, 0, 0), b = data_entry("b", 3, NULL, 0, 0);
    assert_deletes(index, &a, "v e");
    assert_deletes(index, &b, "e p");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(partitions_must_be_equal_with_canonical_nan_and_nulls) {
    rwl_metadata *m = test_table(3, "p double, q int", "p, q");
    int32_t spec = m->spec->spec_id;
    rwl_type type = rwl_type_of(RWL_TYPE_DOUBLE);
    rwl_value nan[2] = {test_value(&type, "NaN"), rwl_value_null(RWL_TYPE_INT)};
    rwl_value other_nan[2] = {nan[0], nan[1]};
    other_nan[0].as.f64 = -nan[0].as.f64;
    rwl_value one[2] = {test_value(&type, "1.0"), rwl_value_null(RWL_TYPE_INT)};
    const rwl_manifest_entry deletes[] = {
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p", 5, NULL, nan, 2, spec),
        delete_entry(RWL_CONTENT_EQUALITY_DELETES, "e", 5, NULL, nan, 2, spec),
    };
    rwl_delete_index *index = index_of(m, deletes, 2);
    rwl_manifest_entry same = data_entry("a", 3, other_nan, 2, spec),
                       differs = data_entry("b", 3, one, 2, spec);
    assert_deletes(index, &same, "e p");
    assert_deletes(index, &differs, "");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(equal_path_bounds_scope_a_position_delete_to_one_file) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_manifest_entry scoped = delete_entry(RWL_CONTENT_POSITION_DELETES, "p", 5, NULL, NULL, 0, 0);
    const rwl_metric_bound bound = {RWL_FIELD_ID_DELETE_PATH, rwl_span_str("a")};
    const rwl_metric_bound upper = {RWL_FIELD_ID_DELETE_PATH, rwl_span_str("c")};
    scoped.file.lower_bounds = scoped.file.upper_bounds = &bound;
    scoped.file.lower_count = scoped.file.upper_count = 1;
    rwl_manifest_entry ranged = delete_entry(RWL_CONTENT_POSITION_DELETES, "r", 6, NULL, NULL, 0, 0);
    ranged.file.lower_bounds = &bound;
    ranged.file.upper_bounds = &upper;
    ranged.file.lower_count = ranged.file.upper_count = 1;
    const rwl_manifest_entry deletes[] = {scoped, ranged};
    rwl_delete_index *index = index_of(m, deletes, 2);
    rwl_manifest_entry a = data_entry("a", 3, NULL, 0, 0), b = data_entry("b", 3, NULL, 0, 0);
    rwl_manifest_entry d = data_entry("d", 3, NULL, 0, 0);
    const rwl_delete_ref *refs;
    int32_t count;
    ASSERT_OK(rwl_delete_index_find(index, &a, &refs, &count, err));
    ck_assert_int_eq(count, 2);
    ck_assert(refs[0].file_scoped);
    ck_assert(!refs[1].file_scoped);
    assert_deletes(index, &b, "r");
    assert_deletes(index, &d, "");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(vectors_that_break_the_rules_are_corrupt) {
    rwl_metadata *m = test_table(3, "p int", "p");
    int32_t spec = m->spec->spec_id;
    rwl_value one = test_value(&(rwl_type){.kind = RWL_TYPE_INT}, "1"), two = one;
    two.as.i32 = 2;
    rwl_manifest_entry v = vector_entry("v", 5, "a", &one, 1, spec);
    rwl_delete_index *index = index_of(m, &v, 1);
    ASSERT_FAILS(RWL_CORRUPT, "two deletion vectors for data file a", rwl_delete_index_add(index, &v, err));
    const rwl_delete_ref *refs;
    int32_t count;
    rwl_manifest_entry newer = data_entry("a", 6, &one, 1, spec),
                       elsewhere = data_entry("a", 3, &two, 1, spec);
    ASSERT_FAILS(RWL_CORRUPT, "sequence number 5, below 6",
                 rwl_delete_index_find(index, &newer, &refs, &count, err));
    ASSERT_FAILS(RWL_CORRUPT, "another spec or partition",
                 rwl_delete_index_find(index, &elsewhere, &refs, &count, err));
    v.file.referenced_data_file = NULL;
    ASSERT_FAILS(RWL_CORRUPT, "lacks referenced_data_file", rwl_delete_index_add(index, &v, err));
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(equality_deletes_of_an_unpartitioned_spec_apply_everywhere) {
    /* spec 0 unpartitioned with the delete, spec 1 with the data */
    rwl_metadata *m = test_table(2, "p int", "p");
    rwl_value one = test_value(&(rwl_type){.kind = RWL_TYPE_INT}, "1");
    rwl_manifest_entry e = delete_entry(RWL_CONTENT_EQUALITY_DELETES, "e", 5, NULL, NULL, 0, 77);
    rwl_delete_index *index = index_of(m, &e, 1);
    rwl_manifest_entry a = data_entry("a", 4, &one, 1, m->spec->spec_id);
    assert_deletes(index, &a, "e");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

/* --- numbered cases --- */

/* The deletes of one file that apply to a data file of sequence number 5. */
static void assert_boundary(const rwl_metadata *m, int32_t content, int64_t sequence, bool applies) {
    rwl_manifest_entry d = delete_entry(content, "d", sequence, NULL, NULL, 0, 0);
    rwl_delete_index *index = index_of(m, &d, 1);
    rwl_manifest_entry data = data_entry("a", 5, NULL, 0, 0);
    assert_deletes(index, &data, applies ? "d" : "");
    rwl_delete_index_free(index);
}

/* Equal numbers: BUG-077, a key deleted and inserted by one commit stays. */
START_TEST(bug_074_and_077_positions_from_equal_numbers_equality_from_greater_ones) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    for (int64_t sequence = 4; sequence <= 6; sequence++) {
        assert_boundary(m, RWL_CONTENT_POSITION_DELETES, sequence, sequence >= 5);
        assert_boundary(m, RWL_CONTENT_EQUALITY_DELETES, sequence, sequence > 5);
    }
    rwl_metadata_free(m);
}
END_TEST

/* The compacted file keeps the number it was planned at, 1, though it was committed by 4. */
START_TEST(bug_075_equality_deletes_apply_by_the_data_sequence_number) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    rwl_manifest_entry d = delete_entry(RWL_CONTENT_EQUALITY_DELETES, "d", 2, NULL, NULL, 0, 0);
    rwl_delete_index *index = index_of(m, &d, 1);
    rwl_manifest_entry compacted = data_entry("a", 1, NULL, 0, 0), appended = data_entry("b", 3, NULL, 0, 0);
    compacted.file_sequence_number = 4;
    assert_deletes(index, &compacted, "d");
    assert_deletes(index, &appended, "");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_065_deletes_that_name_a_file_of_another_partition_are_corrupt) {
    rwl_metadata *m = test_table(3, "id int, p string", "bucket(4, id), p");
    const int32_t spec = m->spec->spec_id;
    rwl_type text = rwl_type_of(RWL_TYPE_STRING);
    rwl_value at[2][2] = {{{.kind = RWL_TYPE_INT, .as.i32 = 0}, test_value(&text, "x")},
                          {{.kind = RWL_TYPE_INT, .as.i32 = 1}, test_value(&text, "x")}};
    rwl_manifest_entry data = data_entry("f1", 3, at[0], 2, spec);
    const rwl_manifest_entry cases[] = {
        vector_entry("v.puffin", 4, "f1", at[1], 2, spec),
        vector_entry("v.puffin", 4, "f1", at[0], 2, spec + 7),
        vector_entry("v.puffin", 4, "f1", NULL, 0, spec + 7),
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p.parquet", 4, "f1", at[1], 2, spec),
    };
    for (int i = 0; i < 4; i++) {
        rwl_delete_index *index = index_of(m, &cases[i], 1);
        const rwl_delete_ref *refs;
        int32_t count;
        ASSERT_FAILS(RWL_CORRUPT, "than its data file f1 (spec 0, id_bucket=0/p=x)",
                     rwl_delete_index_find(index, &data, &refs, &count, err));
        ASSERT_FAILS(RWL_CORRUPT, cases[i].file.file_path,
                     rwl_delete_index_find(index, &data, &refs, &count, err));
        const char *const theirs[] = {"(spec 0, id_bucket=1/p=x)", "(spec 7, ?)", "(spec 7)",
                                      "(spec 0, id_bucket=1/p=x)"};
        ASSERT_FAILS(RWL_CORRUPT, theirs[i], rwl_delete_index_find(index, &data, &refs, &count, err));
        rwl_delete_index_free(index);
    }
    rwl_metadata_free(m);
}
END_TEST

/* BUG-053, 056, 062, 223: what other writers left must not be joined in silence. */
START_TEST(bug_053_056_062_223_a_second_live_vector_is_corrupt) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_manifest_entry first = vector_entry("a.puffin", 4, "f1", NULL, 0, 0);
    rwl_manifest_entry second = vector_entry("b.puffin", 5, "f1", NULL, 0, 0);
    rwl_delete_index *index = index_of(m, &first, 1);
    ASSERT_FAILS(RWL_CORRUPT, "two deletion vectors for data file f1",
                 rwl_delete_index_add(index, &second, err));
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_067_a_vector_hides_positions_of_its_file_alone) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    const rwl_manifest_entry deletes[] = {
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p", 5, NULL, NULL, 0, 0),
        delete_entry(RWL_CONTENT_POSITION_DELETES, "p1", 5, "f1", NULL, 0, 0),
        vector_entry("v", 4, "f1", NULL, 0, 0),
    };
    rwl_delete_index *index = index_of(m, deletes, 3);
    rwl_manifest_entry f1 = data_entry("f1", 3, NULL, 0, 0), f2 = data_entry("f2", 3, NULL, 0, 0);
    assert_deletes(index, &f1, "v");
    assert_deletes(index, &f2, "p");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_078_equality_deletes_stay_in_their_partition) {
    rwl_metadata *m = test_table(2, "part int, k int", "part");
    const int32_t spec = m->spec->spec_id;
    rwl_value zero = {.kind = RWL_TYPE_INT}, one = {.kind = RWL_TYPE_INT, .as.i32 = 1};
    rwl_manifest_entry in_zero = delete_entry(RWL_CONTENT_EQUALITY_DELETES, "d", 5, NULL, &zero, 1, spec);
    rwl_manifest_entry f0 = data_entry("f0", 4, &zero, 1, spec), f1 = data_entry("f1", 4, &one, 1, spec);
    rwl_delete_index *index = index_of(m, &in_zero, 1);
    assert_deletes(index, &f0, "d");
    assert_deletes(index, &f1, "");
    rwl_delete_index_free(index);
    rwl_manifest_entry global = delete_entry(RWL_CONTENT_EQUALITY_DELETES, "g", 5, NULL, NULL, 0, spec + 1);
    index = index_of(m, &global, 1);
    assert_deletes(index, &f0, "g");
    assert_deletes(index, &f1, "g");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(bug_135_equality_deletes_have_ids_ascending_and_distinct) {
    rwl_metadata *m = test_table(2, "id int", NULL);
    const int32_t ids[] = {7, 2, 7, 5};
    rwl_manifest_entry d = delete_entry(RWL_CONTENT_EQUALITY_DELETES, "d", 5, NULL, NULL, 0, 0);
    d.file.equality_ids = ids;
    d.file.equality_count = 4;
    rwl_delete_index *index = index_of(m, &d, 1);
    rwl_manifest_entry a = data_entry("a", 4, NULL, 0, 0);
    const rwl_delete_ref *refs;
    int32_t count;
    ASSERT_OK(rwl_delete_index_find(index, &a, &refs, &count, err));
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(refs[0].equality_count, 3);
    ck_assert_int_eq(refs[0].equality_ids[0], 2);
    ck_assert_int_eq(refs[0].equality_ids[1], 5);
    ck_assert_int_eq(refs[0].equality_ids[2], 7);
    d.file.equality_count = 0;
    ASSERT_FAILS(RWL_CORRUPT, "equality delete file d has no equality_ids",
                 rwl_delete_index_add(index, &d, err));
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

/* A position delete file of v2 over file1 and file2, then v3 and a vector on file2. */
START_TEST(ice_112_the_vector_hides_the_position_file_of_its_data_file_alone) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    const rwl_manifest_entry deletes[] = {
        delete_entry(RWL_CONTENT_POSITION_DELETES, "pos.parquet", 2, NULL, NULL, 0, 0),
        vector_entry("dv.puffin", 3, "file2", NULL, 0, 0),
    };
    rwl_delete_index *index = index_of(m, deletes, 2);
    rwl_manifest_entry one = data_entry("file1", 1, NULL, 0, 0), two = data_entry("file2", 1, NULL, 0, 0);
    assert_deletes(index, &one, "pos.parquet");
    assert_deletes(index, &two, "dv.puffin");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

/* One merged delete manifest: the vector ADDED by 3, the position file of the same data file EXISTING from 2. */
START_TEST(ice_122_planning_gives_only_the_vector) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_manifest_entry deletes[] = {
        vector_entry("dv.puffin", 3, "file", NULL, 0, 0),
        delete_entry(RWL_CONTENT_POSITION_DELETES, "pos.parquet", 2, "file", NULL, 0, 0),
    };
    deletes[1].status = RWL_STATUS_EXISTING;
    rwl_delete_index *index = index_of(m, deletes, 2);
    rwl_manifest_entry data = data_entry("file", 1, NULL, 0, 0);
    assert_deletes(index, &data, "dv.puffin");
    rwl_delete_index_free(index);
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_delete_index(void) {
    Suite *s = suite_create("delete_index");
    TCase *t = tcase_create("delete_index");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, sequence_numbers_decide);
    tcase_add_test(t, a_vector_hides_position_deletes_but_not_equality_deletes);
    tcase_add_test(t, partitions_must_be_equal_with_canonical_nan_and_nulls);
    tcase_add_test(t, equal_path_bounds_scope_a_position_delete_to_one_file);
    tcase_add_test(t, vectors_that_break_the_rules_are_corrupt);
    tcase_add_test(t, equality_deletes_of_an_unpartitioned_spec_apply_everywhere);
    tcase_add_test(t, bug_074_and_077_positions_from_equal_numbers_equality_from_greater_ones);
    tcase_add_test(t, bug_075_equality_deletes_apply_by_the_data_sequence_number);
    tcase_add_test(t, bug_065_deletes_that_name_a_file_of_another_partition_are_corrupt);
    tcase_add_test(t, bug_053_056_062_223_a_second_live_vector_is_corrupt);
    tcase_add_test(t, bug_067_a_vector_hides_positions_of_its_file_alone);
    tcase_add_test(t, bug_078_equality_deletes_stay_in_their_partition);
    tcase_add_test(t, bug_135_equality_deletes_have_ids_ascending_and_distinct);
    tcase_add_test(t, ice_112_the_vector_hides_the_position_file_of_its_data_file_alone);
    tcase_add_test(t, ice_122_planning_gives_only_the_vector);
    suite_add_tcase(s, t);
    return s;
}
