/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter prunes. */
#include "iceberg/plan.h"
#include "table_test.h"

#include <inttypes.h>
#include <stdio.h>

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
    tcase_add_loop_test(t, filters_prune_manifests_and_files, 0, sizeof PRUNING / sizeof PRUNING[0]);
    tcase_add_test(t, a_plan_without_snapshot_is_empty);
    tcase_add_test(t, a_filter_on_an_unknown_column_is_a_usage_error);
    suite_add_tcase(s, t);
    return s;
}
