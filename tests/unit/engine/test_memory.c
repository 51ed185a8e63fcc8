/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a rewrite: bounded by the batch when files are packed, by the budget when they are sorted. */
#include "engine_test.h"
#include "suites.h"

#include "base/pool.h"
#include "engine/budget.h"
#include "engine/sorter.h"

#include <stdio.h>

enum { TEXT_LEN = 120, ROW_LEN = 8 + TEXT_LEN };
#define BUDGET (INT64_C(48) << 20)

/* `rows` rows of a number and a text that does not pack, in files of 50,000; small row groups, so that one is not the peak. */
static void make_table(const char *name, int64_t rows) {
    static const char *const keys[] = {"write.parquet.row-group-size-bytes", "write.parquet.page-size-bytes",
                                       "write.parquet.dict-size-bytes", "write.parquet.compression-codec"};
    static const char *const values[] = {"1048576", "65536", "65536", "uncompressed"};
    rwl_create_options options = {.schema = "id long, s string",
                                  .format_version = 3,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 4};
    test_create_with(name, &options);
    rwl_table *t = test_open(name);
    rwl_data_files_options writing = {
        .metadata = t->metadata, .target_rows = 50000, .operation_id = "made-by-the-test"};
    rwl_data_files *files = NULL;
    rwl_data_writer *w = NULL;
    rwl_batch batch;
    ASSERT_OK(rwl_data_files_new(t->store, test_op(), &writing, &files, err));
    ASSERT_OK(rwl_data_writer_new(files, &w, err));
    ASSERT_OK(rwl_batch_init(&batch, test_env(), t->schema->fields, 2, err));
    uint64_t state = 88172645463325252;
    for (int64_t at = 0; at < rows; at += batch.length) {
        rwl_batch_reset(&batch);
        int64_t count = rows - at < 10000 ? rows - at : 10000;
        for (int64_t i = 0; i < count; i++) {
            uint8_t text[TEXT_LEN];
            for (size_t b = 0; b < TEXT_LEN; b++) {
                state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
                text[b] = (uint8_t)('0' + (state >> 58)); /* '0' to 'o' */
            }
            rwl_value id = {.kind = RWL_TYPE_LONG, .as.i64 = at + i};
            rwl_value s = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of(text, TEXT_LEN)};
            ASSERT_OK(rwl_column_append(&batch.columns[0], test_env(), &id, 1, err));
            ASSERT_OK(rwl_column_append(&batch.columns[1], test_env(), &s, 1, err));
        }
        batch.length = count;
        ASSERT_OK(rwl_data_writer_write(w, &batch, NULL, NULL, err));
    }
    ASSERT_OK(rwl_data_writer_finish(w, err));
    rwl_change_set change = {
        .operation = RWL_OPERATION_APPEND, .planned_snapshot_id = -1, .data_sequence_number = -1};
    change.added_files = rwl_data_files_list(files, &change.added_file_count);
    rwl_commit_outcome out;
    ASSERT_OK(try_commit(t, &change, &out, err));
    rwl_data_writer_free(w);
    rwl_data_files_release(files);
    rwl_data_files_free(files);
    rwl_batch_clear(&batch);
    test_close(t);
}

static int64_t peak_of_rewrite(const char *name, int64_t rows) {
    make_table(name, rows);
    test_count_memory();
    rwl_op op;
    rwl_op_init(&op, test_env(), BUDGET);
    rwl_table_options opening = {.for_change = true};
    rwl_table *t = NULL;
    ASSERT_OK(rwl_table_open(&op, test_path(name), &opening, &t, err));
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_OK(rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
    test_close(t);
    ck_assert_int_eq(out.rewrite.rows_out, rows);
    ck_assert_int_gt(out.rewrite.input_bytes, rows * ROW_LEN);
    ck_assert_int_eq(out.commit.result.next_row_id, rows);
    return test_peak_memory();
}

/* 12 and 55 MB of data, the second more than the budget; the set of ids is a run. */
START_TEST(packing_needs_no_more_memory_for_a_larger_table) {
    int64_t small = peak_of_rewrite("small", 100000), large = peak_of_rewrite("large", 450000);
    ck_assert_msg(small < BUDGET, "peak of the small table: %lld", (long long)small);
    ck_assert_msg(large < BUDGET, "peak of the large table: %lld", (long long)large);
    ck_assert_msg(large < small + small / 4, "it grew from %lld to %lld", (long long)small, (long long)large);
}
END_TEST

/* 55 MB of rows in a budget of 48. */
START_TEST(sorting_needs_no_more_memory_than_the_budget) {
    make_table("t", 450000);
    test_count_memory();
    rwl_op op;
    rwl_op_init(&op, test_env(), BUDGET);
    rwl_table_options opening = {.for_change = true};
    rwl_table *t = NULL;
    ASSERT_OK(rwl_table_open(&op, test_path("t"), &opening, &t, err));
    rwl_rewrite_options o = {.rewrite_all = true, .sort = "id desc", .change.dry_run = true};
    test_rewritten out;
    ASSERT_OK(rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
    ck_assert_int_gt(out.rewrite.sort_disk_bytes, 450000 * ROW_LEN);
    o.change.dry_run = false;
    ASSERT_OK(rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
    test_close(t);
    ck_assert_int_eq(out.rewrite.rows_out, 450000);
    ck_assert(rwl_digest_equal(&out.rewrite.before, &out.rewrite.after));
    ck_assert_msg(test_peak_memory() < BUDGET, "peak: %lld", (long long)test_peak_memory());
    ck_assert_int_eq(atomic_load(&op.memory_used), 0);
}
END_TEST

START_TEST(a_budget_too_small_for_sorting_is_refused_before_work_begins) {
    make_table("t", 1000);
    const char *before = test_listing("t");
    /* id, s and two of lineage; it is told to the megabyte */
    int64_t needed = rwl_budget_sort_least(rwl_sorter_least_memory(4), 4);
    for (int i = 0; i < 2; i++) {
        rwl_op op;
        rwl_op_init(&op, test_env(), i == 1 ? needed : needed - (1 << 20));
        rwl_table_options opening = {.for_change = true};
        rwl_table *t = NULL;
        ASSERT_OK(rwl_table_open(&op, test_path("t"), &opening, &t, err));
        rwl_rewrite_options o = {.rewrite_all = true, .sort = "id desc"};
        test_rewritten out;
        if (i == 1) {
            ASSERT_OK(rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
        } else {
            const char *figure =
                rwl_arena_printf(test_arena(), "needs %lld MB", (long long)(needed >> 20) + 1);
            ASSERT_FAILS(RWL_UNSUPPORTED, figure, rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
            ck_assert_str_eq(test_listing("t"), before);
        }
        test_close(t);
    }
}
END_TEST

START_TEST(a_budget_too_small_is_refused_before_work_begins) {
    make_table("t", 1000);
    const char *before = test_listing("t");
    rwl_op op;
    rwl_op_init(&op, test_env(), INT64_C(1) << 20);
    rwl_table_options opening = {.for_change = true};
    rwl_table *t = NULL;
    ASSERT_OK(rwl_table_open(&op, test_path("t"), &opening, &t, err));
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_FAILS(RWL_UNSUPPORTED, "too small", rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
    o.change.dry_run = true; /* tells what a run would do: refuse */
    ASSERT_FAILS(RWL_UNSUPPORTED, "too small", rwl_rewrite(t, &op, &o, &out.commit, &out.rewrite, err));
    test_close(t);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

/* 8 MB of rows and more of what sorting takes, in one sorted file. */
START_TEST(an_append_sorts_more_than_fits) {
    rwl_create_options options = {.schema = "id long, s string", .sort = "id", .format_version = 3};
    test_create_with("t", &options);
    rwl_op op;
    rwl_op_init(&op, test_env(), INT64_C(8) << 20);
    rwl_table_options opening = {.for_change = true};
    rwl_table *t = NULL;
    ASSERT_OK(rwl_table_open(&op, test_path("t"), &opening, &t, err));
    rwl_buf lines;
    rwl_buf_init(&lines, test_env(), SIZE_MAX);
    for (int i = 0; i < 100000; i++) {
        char line[80];
        int len = snprintf(line, sizeof line, "{'id':%d,'s':'some text of a row, number %d'}\n",
                           (i * 7919) % 100003, i);
        ASSERT_OK(rwl_buf_append(&lines, line, (size_t)len, err));
    }
    ASSERT_OK(rwl_buf_terminate(&lines, err));
    rwl_commit_outcome out;
    ASSERT_OK(try_append(t, &op, (const char *)lines.data, &out, err));
    rwl_buf_clear(&lines);
    test_close(t);
    ck_assert_int_eq(out.result.added_records, 100000);
    ck_assert_int_eq(atomic_load(&op.memory_used), 0);
}
END_TEST

START_TEST(groups_run_in_parallel_with_the_same_result) {
    test_create("t", 3, "id long, name string", "name", NULL);
    for (int a = 0; a < 3; a++) {
        const char *lines = "";
        for (int i = 0; i < 40; i++)
            lines = rwl_arena_printf(test_arena(), "%s{'id':%d,'name':'p%d'}\n", lines, a * 40 + i, i % 20);
        test_append("t", lines);
    }
    const char *rows = test_sorted(test_rows("t"));
    ASSERT_OK(rwl_pool_new(test_env(), 4, &test_env()->pool, err));
    test_rewritten out = test_rewrite("t", NULL);
    rwl_pool_free(test_env()->pool);
    test_env()->pool = NULL;
    ck_assert_int_eq(out.rewrite.groups, 20);
    ck_assert_str_eq(test_sorted(test_rows("t")), rows);
    ck_assert_int_eq(out.commit.result.added_rows, 0);
}
END_TEST

Suite *suite_memory(void) {
    const TTest *const tests[] = {
        packing_needs_no_more_memory_for_a_larger_table,
        sorting_needs_no_more_memory_than_the_budget,
        a_budget_too_small_for_sorting_is_refused_before_work_begins,
        a_budget_too_small_is_refused_before_work_begins,
        an_append_sorts_more_than_fits,
        groups_run_in_parallel_with_the_same_result,
    };
    return TEST_SUITE("memory", tests);
}
