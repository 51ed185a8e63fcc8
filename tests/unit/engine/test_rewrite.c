/* SPDX-License-Identifier: Apache-2.0 */
/* Law 8, convergence, what is skipped, dry runs and refusals of a rewrite. */
#include "engine_test.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static const char columns[] = "id long not null, name string";

static void appends(const char *name, int count, int rows) {
    for (int a = 0, id = 0; a < count; a++) {
        const char *lines = "";
        for (int r = 0; r < rows; r++, id++)
            lines = rwl_arena_printf(test_arena(), "%s{'id':%d,'name':'n%d'}\n", lines, id, id % 3);
        test_append(name, lines);
    }
}

START_TEST(a_rewrite_takes_no_id_space) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 5, 4);
    const char *rows = test_sorted(test_rows("t"));
    for (int i = 0; i < 3; i++) {
        rwl_rewrite_options o = {.rewrite_all = true, .sort = i == 1 ? "name, id desc" : NULL};
        test_rewritten out = test_rewrite("t", &o);
        ck_assert_int_eq(out.commit.result.added_rows, 0);
        ck_assert_int_eq(out.commit.result.next_row_id, 20);
        ck_assert_int_eq(out.rewrite.rows_in, 20);
        ck_assert_int_eq(out.rewrite.rows_out, 20);
        ck_assert_int_eq(out.rewrite.rows_without_lineage, 0);
        ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    }
}
END_TEST

/* The last ids there are: nothing is left to tell what is inherited from what is stored, the rows still move. */
START_TEST(rows_with_the_last_ids_are_rewritten) {
    test_create("t", 3, columns, NULL, NULL);
    /* 2^63 - 1 - 8: two appends of four rows take all that is left */
    const char *edit = rwl_arena_printf(
        test_arena(), "sed -i 's/\"next-row-id\": 0/\"next-row-id\": 9223372036854775799/' %s",
        test_path("t/metadata/v1.metadata.json"));
    ck_assert_int_eq(system(edit), 0);
    appends("t", 2, 4);
    const char *rows = test_sorted(test_rows("t"));
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_eq(out.commit.result.next_row_id, INT64_MAX);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
}
END_TEST

START_TEST(the_digest_is_the_same_before_and_after) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 3, 4);
    test_delete("t", "id = 5");
    rwl_table *t = test_open("t");
    rwl_digest wanted;
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &wanted, err));
    test_close(t);
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert(rwl_digest_equal(&out.rewrite.before, &wanted));
    ck_assert(rwl_digest_equal(&out.rewrite.after, &wanted));
    t = test_open("t");
    rwl_digest now;
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &now, err));
    test_close(t);
    ck_assert(rwl_digest_equal(&now, &wanted));
}
END_TEST

static void expect_no_second_snapshot(const rwl_rewrite_options *o) {
    test_rewritten first = test_rewrite("t", o);
    ck_assert_int_ge(first.commit.result.snapshot_id, 0);
    const char *before = test_listing("t");
    test_rewritten second = test_rewrite("t", o);
    ck_assert_int_eq(second.commit.result.snapshot_id, -1);
    ck_assert_int_eq(second.rewrite.groups, 0);
    ck_assert_str_eq(test_listing("t"), before);
}

START_TEST(a_second_run_makes_no_snapshot) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 6, 2);
    rwl_rewrite_options o = {0};
    expect_no_second_snapshot(&o);
}
END_TEST

START_TEST(a_second_run_makes_no_snapshot_of_several_files) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 8, 50);
    rwl_rewrite_options o = {.target_bytes = test_target(test_bytes("t"), 3)};
    expect_no_second_snapshot(&o);
}
END_TEST

START_TEST(a_second_run_makes_no_snapshot_after_deletes) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 2, 10);
    test_delete("t", "id < 5");
    rwl_rewrite_options o = {0};
    expect_no_second_snapshot(&o);
}
END_TEST

/* Order 1 of the table: the single output carries its id. */
START_TEST(a_second_sorted_run_makes_no_snapshot) {
    test_create("t", 3, columns, NULL, "id asc nulls last");
    appends("t", 6, 2);
    rwl_rewrite_options o = {.sort = "id asc nulls last"};
    expect_no_second_snapshot(&o);
}
END_TEST

START_TEST(a_second_partitioned_run_makes_no_snapshot) {
    test_create("t", 3, columns, "name", NULL);
    appends("t", 6, 6);
    rwl_rewrite_options o = {0};
    expect_no_second_snapshot(&o);
}
END_TEST

START_TEST(skipped_files_are_counted_by_reason) {
    test_create("t", 3, columns, "name", NULL);
    appends("t", 2, 3); /* two files in each of three partitions */
    test_append("t", "{'id':100,'name':'n0'}\n{'id':101,'name':'n0'}");
    rwl_rewrite_options o = {.min_input_files = 3};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.groups, 1);
    ck_assert_int_eq(out.rewrite.skipped_too_few_files, 4);
    o = (rwl_rewrite_options){.where = "name = 'n1'", .min_input_files = 2};
    out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.groups, 1);
    ck_assert_int_eq(out.rewrite.input_files, 2);
    ck_assert_int_eq(out.rewrite.skipped_filtered, 3); /* n0's one file, n2's two */
}
END_TEST

START_TEST(a_filter_chooses_files_and_rewrites_them_whole) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 4, 5); /* ids 0-4, 5-9, 10-14, 15-19 */
    const char *rows = test_sorted(test_rows("t"));
    rwl_rewrite_options o = {.rewrite_all = true, .where = "id = 7 or id = 12"};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.input_files, 2);
    ck_assert_int_eq(out.rewrite.rows_in, 10);
    ck_assert_int_eq(out.rewrite.skipped_filtered, 2);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    ck_assert_int_eq(test_read_head("t").data_files, 3);
}
END_TEST

/* The head of an upgraded table gets its ids in an append of its own, then the rewrite is planned. */
START_TEST(a_head_without_ids_gets_them_first) {
    test_create("t", 2, columns, NULL, NULL);
    appends("t", 3, 2);
    test_upgrade("t", false);
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_eq(out.rewrite.assigned_rows, 6);
    ck_assert_int_eq(out.commit.result.parent_snapshot_id, out.rewrite.assigned_snapshot_id);
    ck_assert_int_eq(out.commit.result.added_rows, 0);
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.next_row_id, 6);
    ck_assert_int_eq(head.last_sequence_number, 5); /* 3 appends, the assignment, the rewrite */
    /* newest manifest first: its rows get 0 and 1 and keep the number of their commit */
    ck_assert_str_eq(test_sorted(test_rows("t")), "0,n0=4/1 1,n1=5/1 2,n2=2/2 3,n0=3/2 4,n1=0/3 5,n2=1/3");
}
END_TEST

START_TEST(a_dry_run_of_a_head_without_ids_changes_nothing) {
    test_create("t", 2, columns, NULL, NULL);
    appends("t", 2, 2);
    test_upgrade("t", false);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true, .change.dry_run = true};
    test_rewritten out = test_rewrite("t", &o);
    ck_assert_int_eq(out.rewrite.assigned_rows, 4);
    ck_assert_int_eq(out.commit.result.snapshot_id, -1);
    ck_assert_int_eq(out.rewrite.groups, 1);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(a_dry_run_tells_the_figures_and_changes_nothing) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 5, 4);
    test_delete("t", "id = 1 or id = 6");
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true, .change.dry_run = true};
    test_rewritten dry = test_rewrite("t", &o);
    ck_assert_str_eq(test_listing("t"), before);
    test_rewritten real = test_rewrite("t", NULL);
    ck_assert_int_eq(dry.commit.result.snapshot_id, -1);
    ck_assert_int_eq(dry.commit.result.added_data_files, real.commit.result.added_data_files);
    ck_assert_int_eq(dry.commit.result.removed_data_files, real.commit.result.removed_data_files);
    ck_assert_int_eq(dry.commit.result.removed_delete_files, real.commit.result.removed_delete_files);
    ck_assert_int_eq(dry.commit.result.added_records, real.commit.result.added_records);
    ck_assert_int_eq(dry.commit.result.removed_records, real.commit.result.removed_records);
    ck_assert_int_eq(dry.rewrite.rows_in, real.rewrite.rows_in);
    ck_assert_int_eq(dry.rewrite.rows_out, real.rewrite.rows_out);
    ck_assert_int_eq(dry.rewrite.input_bytes, real.rewrite.input_bytes);
    ck_assert_int_eq(dry.rewrite.next_row_id_before, 20);
}
END_TEST

START_TEST(version_1_is_refused_naming_the_upgrade) {
    test_create("t", 2, columns, NULL, NULL);
    rwl_table *t = test_open("t");
    t->metadata->format_version = 1;
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_FAILS(RWL_UNSUPPORTED, "upgrade", rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, err));
    test_close(t);
}
END_TEST

typedef struct seen {
    int groups;
    int stop_at;
    const char *names;
} seen;

static int32_t see_group(void *ctx, const rwl_metadata *metadata, const rwl_rewrite_group *group) {
    seen *s = ctx;
    ck_assert_ptr_nonnull(metadata);
    s->groups++;
    ck_assert_int_eq(group->number, s->groups);
    return s->groups == s->stop_at;
}

START_TEST(groups_are_told_and_may_stop_the_rewrite) {
    test_create("t", 3, columns, "name", NULL);
    appends("t", 2, 3);
    const char *before = test_listing("t");
    seen s = {.stop_at = 2};
    rwl_rewrite_options o = {.rewrite_all = true, .each_group = see_group, .each_group_ctx = &s};
    ASSERT_FAILS(RWL_INTERRUPTED, "", try_rewrite("t", &o, err));
    ck_assert_int_eq(s.groups, 2);
    ck_assert_str_eq(test_listing("t"), before);
    s = (seen){0};
    test_rewrite("t", &o);
    ck_assert_int_eq(s.groups, 3);
}
END_TEST

START_TEST(a_data_file_that_is_gone_is_named_and_nothing_stays) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 3, 2);
    test_head head = test_read_head("t");
    ck_assert_int_eq(remove(test_live(&head, 1)->file.file_path), 0);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true};
    ASSERT_FAILS(RWL_NOT_FOUND, ".parquet", try_rewrite("t", &o, err));
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

static void cancel_now(void *ctx, rwl_rows *rows) {
    (void)ctx, (void)rows;
    atomic_store(&test_op()->cancelled, 1);
}

START_TEST(a_cancelled_rewrite_removes_its_files) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 3, 2);
    const char *before = test_listing("t");
    rwl_rewrite_options o = {.rewrite_all = true, .tamper = cancel_now};
    ASSERT_FAILS(RWL_INTERRUPTED, "", try_rewrite("t", &o, err));
    atomic_store(&test_op()->cancelled, 0);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

static int cancel_after; /* batches */

static void cancel_later(void *ctx, rwl_rows *rows) {
    (void)ctx, (void)rows;
    if (--cancel_after == 0)
        atomic_store(&test_op()->cancelled, 1);
}

/* Files of earlier groups are finished when a later one stops: they go too. */
START_TEST(a_rewrite_cancelled_late_removes_finished_files_too) {
    test_create("t", 3, columns, "name", NULL);
    appends("t", 2, 6);
    const char *before = test_listing("t");
    cancel_after = 6; /* the last of three groups of two files */
    rwl_rewrite_options o = {.rewrite_all = true, .tamper = cancel_later};
    ASSERT_FAILS(RWL_INTERRUPTED, "", try_rewrite("t", &o, err));
    atomic_store(&test_op()->cancelled, 0);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

START_TEST(sort_names_the_tables_order_only_when_it_is_equal) {
    test_create("t", 3, columns, NULL, "name, id desc");
    appends("t", 2, 3);
    rwl_rewrite_options o = {.rewrite_all = true, .sort = "name, id desc"};
    test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->file.sort_order_id, 1);
    o.sort = "name, id";
    test_rewrite("t", &o);
    head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->file.sort_order_id, 0);
    ck_assert_str_eq(test_values("t", "id"), "0 3 1 4 2 5");
    test_rewrite("t", NULL); /* plan order is no order */
    head = test_read_head("t");
    ck_assert_int_eq(test_live(&head, 0)->file.sort_order_id, 0);
}
END_TEST

START_TEST(snapshot_properties_are_kept) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 2, 3);
    static const char *const keys[] = {"why"}, *const values[] = {"night"};
    rwl_rewrite_options o = {.rewrite_all = true,
                             .change = {.summary_keys = keys, .summary_values = values, .summary_count = 1}};
    test_rewritten out = test_rewrite("t", &o);
    test_head head = test_read_head("t");
    ck_assert_str_eq(rwl_json_str(rwl_json_get(head.summary, "why")), "night");
    ck_assert_str_eq(rwl_json_str(rwl_json_get(head.summary, "engine-name")), "rowline");
    ck_assert_str_eq(rwl_json_str(rwl_json_get(head.summary, "rowline.commit-id")), out.commit.commit_id);
}
END_TEST

START_TEST(summary_totals_add_up) {
    test_create("t", 3, columns, NULL, NULL);
    appends("t", 3, 4);
    test_delete("t", "id = 0");
    int64_t bytes = test_bytes("t");
    test_rewritten out = test_rewrite("t", NULL);
    test_head head = test_read_head("t");
    static const struct {
        const char *key;
        int64_t value;
    } wanted[] = {{"added-data-files", 1},       {"deleted-data-files", 3},    {"added-records", 11},
                  {"deleted-records", 12},       {"total-data-files", 1},      {"total-records", 11},
                  {"total-delete-files", 0},     {"removed-dvs", 1},           {"removed-delete-files", 1},
                  {"total-position-deletes", 0}, {"total-equality-deletes", 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(test_figure(&head, wanted[i].key) == wanted[i].value, "%s is %lld, not %lld",
                      wanted[i].key, (long long)test_figure(&head, wanted[i].key),
                      (long long)wanted[i].value);
    ck_assert_int_eq(out.rewrite.input_bytes, bytes);
    ck_assert_int_eq(test_figure(&head, "total-files-size"), out.rewrite.output_bytes);
    ck_assert_int_eq(test_bytes("t"), out.rewrite.output_bytes);
}
END_TEST

Suite *suite_rewrite(void) {
    const TTest *const tests[] = {
        a_rewrite_takes_no_id_space,
        rows_with_the_last_ids_are_rewritten,
        the_digest_is_the_same_before_and_after,
        a_second_run_makes_no_snapshot,
        a_second_run_makes_no_snapshot_of_several_files,
        a_second_run_makes_no_snapshot_after_deletes,
        a_second_sorted_run_makes_no_snapshot,
        a_second_partitioned_run_makes_no_snapshot,
        skipped_files_are_counted_by_reason,
        a_filter_chooses_files_and_rewrites_them_whole,
        a_head_without_ids_gets_them_first,
        a_dry_run_of_a_head_without_ids_changes_nothing,
        a_dry_run_tells_the_figures_and_changes_nothing,
        version_1_is_refused_naming_the_upgrade,
        groups_are_told_and_may_stop_the_rewrite,
        a_data_file_that_is_gone_is_named_and_nothing_stays,
        a_cancelled_rewrite_removes_its_files,
        a_rewrite_cancelled_late_removes_finished_files_too,
        sort_names_the_tables_order_only_when_it_is_equal,
        snapshot_properties_are_kept,
        summary_totals_add_up,
    };
    return TEST_SUITE("rewrite", tests);
}
