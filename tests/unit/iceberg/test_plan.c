/* SPDX-License-Identifier: Apache-2.0 */
/* Which deletes apply to which file, and what a filter prunes. */
#include "iceberg/delete_index.h"
#include "iceberg/plan.h"
#include "table_test.h"

#include <inttypes.h>
#include <stdio.h>

/* --- the delete index --- */

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

/* --- pruning --- */

/* Three files of a table partitioned by p, each with metrics of id; one manifest a partition. */
static rwl_metadata *pruning_table(void) {
    rwl_metadata *m = test_table(3, "id int, p string, late int", "p");
    static const struct {
        const char *path, *p, *low, *high;
    } FILES[] = {{"a", "eu", "0", "9"}, {"b", "us", "10", "19"}, {"c", NULL, "20", "29"}};
    rwl_type number = rwl_type_of(RWL_TYPE_INT), text = rwl_type_of(RWL_TYPE_STRING);
    for (int i = 0; i < 3; i++) {
        rwl_added_file f;
        memset(&f, 0, sizeof f);
        rwl_value p = test_value(&text, FILES[i].p == NULL ? "null" : FILES[i].p);
        rwl_column_metrics metrics = {.field_id = 1, .value_count = 10, .nan_count = -1, .with_counts = true};
        rwl_value bounds[2] = {test_value(&number, FILES[i].low), test_value(&number, FILES[i].high)};
        rwl_buf bytes;
        rwl_buf_init(&bytes, test_env(), SIZE_MAX);
        ASSERT_OK(rwl_value_encode(&bounds[0], &bytes, err));
        ASSERT_OK(rwl_value_encode(&bounds[1], &bytes, err));
        metrics.lower = rwl_span_of(bytes.data, 4);
        metrics.upper = rwl_span_of(bytes.data + 4, 4);
        f.location = FILES[i].path;
        f.format = "PARQUET";
        f.file_size = 100;
        f.row_count = 10;
        f.spec_id = m->spec->spec_id;
        f.partition = &p;
        f.partition_count = 1;
        f.metrics = &metrics;
        f.metrics_count = 1;
        rwl_change_set change = {.operation = RWL_OPERATION_APPEND,
                                 .planned_snapshot_id = -1,
                                 .data_sequence_number = -1,
                                 .added_files = &f,
                                 .added_file_count = 1};
        rwl_attempt_options options = {
            .branch = "main", .commit_id = rwl_arena_printf(test_arena(), "c%d", i), .snapshot_id = 1 + i};
        rwl_update *u = NULL;
        rwl_metadata *next = NULL;
        rwl_change_result result;
        rwl_conflict conflict;
        ASSERT_OK(rwl_update_new(test_store(), test_op(), &change, &options, &u, err));
        ASSERT_OK(rwl_update_apply(u, m, 1, &next, &result, &conflict, err));
        rwl_update_free(u);
        rwl_buf_clear(&bytes);
        rwl_metadata_free(m);
        m = next;
    }
    return m;
}

/* "c a!": files in list order (newest first), those whose rows must all match with "!". */
static const struct {
    const char *filter, *files;
    int64_t manifests_skipped, files_skipped;
} PRUNING[] = {
    {"id >= 0", "c! b! a!", 0, 0},
    {"id > 5", "c! b! a", 0, 0},
    {"id = 12", "b", 0, 2},
    {"id in (3, 25)", "c a", 0, 1},
    {"id between 10 and 19", "b!", 0, 2},
    {"p = 'eu'", "a!", 1, 1}, /* absent bounds of c's manifest prove nothing */
    {"p is null", "c!", 2, 0},
    {"p is not null", "b! a!", 0, 1},
    {"p <> 'eu'", "b!", 1, 1},
    {"not (p = 'us') and id < 100", "a!", 1, 1},
    {"late = 1", "c b a", 0, 0}, /* nothing is known of it */
    {"_file = 'b'", "b!", 0, 2},
    {"_pos < 10", "c! b! a!", 0, 0},
    {"_pos >= 10", "", 0, 3},
    {"_spec_id = 0", "c! b! a!", 0, 0},
    {"_row_id = 3", "c b a", 0, 0}, /* inherited ids are in no metrics */
};

START_TEST(filters_prune_manifests_and_files) {
    rwl_metadata *m = pruning_table();
    const rwl_expr *filter = NULL;
    ASSERT_OK(rwl_expr_parse(PRUNING[_i].filter, test_arena(), &filter, err));
    rwl_plan_options options = {.snapshot = rwl_metadata_snapshot(m, m->current_snapshot_id),
                                .filter = filter};
    rwl_plan *plan = NULL;
    ASSERT_OK(rwl_plan_open(test_store(), test_op(), m, &options, &plan, err));
    char text[64] = "";
    for (;;) {
        const rwl_fragment *f;
        ASSERT_OK(rwl_plan_next(plan, &f, err));
        if (f == NULL)
            break;
        char one[16];
        snprintf(one, sizeof one, "%s%s%s", *text != 0 ? " " : "", f->location, f->must_match ? "!" : "");
        strncat(text, one, sizeof text - strlen(text) - 1);
    }
    ck_assert_msg(strcmp(text, PRUNING[_i].files) == 0, "%s: '%s', not '%s'", PRUNING[_i].filter, text,
                  PRUNING[_i].files);
    rwl_plan_stats stats = rwl_plan_get_stats(plan);
    ck_assert_msg(stats.manifests_skipped == PRUNING[_i].manifests_skipped,
                  "%s: %" PRId64 " manifests skipped", PRUNING[_i].filter, stats.manifests_skipped);
    ck_assert_msg(stats.files_skipped == PRUNING[_i].files_skipped, "%s: %" PRId64 " files skipped",
                  PRUNING[_i].filter, stats.files_skipped);
    rwl_plan_close(plan);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_plan_without_snapshot_is_empty) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    rwl_plan_options options = {0};
    rwl_plan *plan = NULL;
    const rwl_fragment *f;
    ASSERT_OK(rwl_plan_open(test_store(), test_op(), m, &options, &plan, err));
    ASSERT_OK(rwl_plan_next(plan, &f, err));
    ck_assert_ptr_null(f);
    rwl_plan_close(plan);
    rwl_metadata_free(m);
}
END_TEST

START_TEST(a_filter_on_an_unknown_column_is_a_usage_error) {
    rwl_metadata *m = test_table(3, "id int", NULL);
    const rwl_expr *filter = NULL;
    ASSERT_OK(rwl_expr_parse("nope = 1", test_arena(), &filter, err));
    rwl_plan_options options = {.filter = filter};
    rwl_plan *plan = NULL;
    ASSERT_FAILS(RWL_USAGE, "nope", rwl_plan_open(test_store(), test_op(), m, &options, &plan, err));
    ck_assert_ptr_null(plan);
    rwl_metadata_free(m);
}
END_TEST

Suite *suite_plan(void) {
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("plan");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, sequence_numbers_decide);
    tcase_add_test(t, a_vector_hides_position_deletes_but_not_equality_deletes);
    tcase_add_test(t, partitions_must_be_equal_with_canonical_nan_and_nulls);
    tcase_add_test(t, equal_path_bounds_scope_a_position_delete_to_one_file);
    tcase_add_test(t, vectors_that_break_the_rules_are_corrupt);
    tcase_add_test(t, equality_deletes_of_an_unpartitioned_spec_apply_everywhere);
    tcase_add_loop_test(t, filters_prune_manifests_and_files, 0, sizeof PRUNING / sizeof PRUNING[0]);
    tcase_add_test(t, a_plan_without_snapshot_is_empty);
    tcase_add_test(t, a_filter_on_an_unknown_column_is_a_usage_error);
    suite_add_tcase(s, t);
    return s;
}
