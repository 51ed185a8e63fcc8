/* SPDX-License-Identifier: Apache-2.0 */
/* Handles as strangers use them: tasks planned in one context and read in another, one table read by several threads. */
#include "suites.h"

#include <rowline/rowline.h>

#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rowline_context *context, *worker; /* of two processes, so to say */
static rowline_error error;
static char dir[64], table[96], lines[96];

#define ok(expr) ck_assert_msg((expr) == ROWLINE_OK, "%s: %s", #expr, error.message)
#define fails(want_code, part, expr)                                                                         \
    do {                                                                                                     \
        ck_assert_int_eq((expr), want_code);                                                                 \
        ck_assert_msg(strstr(error.message, part) != NULL, "%s", error.message);                             \
    } while (0)

static void append(const char *text) {
    FILE *file = fopen(lines, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    rowline_table *t = NULL;
    rowline_commit commit = {.struct_size = sizeof commit};
    const char *paths[1] = {lines};
    ok(rowline_table_open(context, table, NULL, &t, &error));
    ok(rowline_append_files(t, paths, 1, NULL, NULL, &commit, &error));
    rowline_table_free(t);
}

/* Ids 0 to 3 in two files. */
static void setup(void) {
    memset(&error, 0, sizeof error);
    strcpy(dir, "/tmp/rowline-api-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(table, sizeof table, "%s/t", dir);
    snprintf(lines, sizeof lines, "%s/in.jsonl", dir);
    ok(rowline_context_new(NULL, &context, &error));
    ok(rowline_context_new(NULL, &worker, &error));
    rowline_create_options create = {.struct_size = sizeof create, .schema = "n long"};
    rowline_commit commit = {.struct_size = sizeof commit};
    ok(rowline_table_create(context, table, &create, &commit, &error));
    append("{\"n\": 10}\n{\"n\": 11}\n{\"n\": 12}\n");
    append("{\"n\": 20}\n");
}

static int remove_entry(const char *name, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)kind;
    (void)at;
    return remove(name);
}

static void teardown(void) {
    rowline_context_free(context);
    rowline_context_free(worker);
    ck_assert_int_eq(nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Adds "n:id/version " for each row of a stream of the columns n, _row_id, _last_updated_sequence_number. */
static void print_rows(struct ArrowArrayStream *rows, char *out) {
    struct ArrowArray batch;
    while (rows->get_next(rows, &batch) == 0 && batch.release != NULL) {
        const int64_t *cells[3];
        for (int i = 0; i < 3; i++)
            cells[i] = batch.children[i]->buffers[1];
        for (int64_t row = 0; row < batch.length; row++)
            sprintf(out + strlen(out), "%d:%d/%d ", (int)cells[0][row], (int)cells[1][row],
                    (int)cells[2][row]);
        batch.release(&batch);
    }
    rowline_stream_error(rows, &error);
    ck_assert_msg(error.code == ROWLINE_OK, "%s", error.message);
    rows->release(rows);
}

START_TEST(tasks_are_read_in_another_context) {
    rowline_scan_options options = {
        .struct_size = sizeof options, .limit = -1, .lineage = 1, .where = "n <> 11"};
    rowline_table *t = NULL, *theirs = NULL;
    rowline_plan *plan = NULL;
    char text[256] = "";
    int tasks = 0;
    ok(rowline_table_open(context, table, NULL, &t, &error));
    ok(rowline_plan_open(t, &options, 1, &plan, &error));
    append("{\"n\": 30}\n"); /* comes too late for the plan */
    ok(rowline_table_open(worker, table, NULL, &theirs, &error));
    for (;; tasks++) {
        const char *task;
        size_t length;
        struct ArrowArrayStream rows;
        ok(rowline_plan_next(plan, &task, &length, &error));
        if (task == NULL)
            break;
        ck_assert_uint_eq(strlen(task), length);
        ok(rowline_scan_task(theirs, task, length, &rows, &error));
        print_rows(&rows, text);
    }
    ck_assert_str_eq(text, "20:3/2 10:0/1 12:2/1 ");
    ck_assert_int_eq(tasks, 4); /* one a physical row, as small as asked for */
    rowline_plan_free(plan);
    rowline_table_free(t);
    rowline_table_free(theirs);
}
END_TEST

START_TEST(what_tasks_cannot_keep_is_refused) {
    rowline_table *t = NULL;
    rowline_plan *plan = NULL;
    struct ArrowArrayStream rows;
    ok(rowline_table_open(context, table, NULL, &t, &error));
    rowline_scan_options options = {.struct_size = sizeof options, .limit = 5};
    fails(ROWLINE_USAGE, "limit", rowline_plan_open(t, &options, 0, &plan, &error));
    options = (rowline_scan_options){.struct_size = sizeof options, .limit = -1, .order_by_row_id = 1};
    fails(ROWLINE_USAGE, "order", rowline_plan_open(t, &options, 0, &plan, &error));
    options = (rowline_scan_options){.struct_size = sizeof options, .limit = -1, .where = "m = 1"};
    fails(ROWLINE_USAGE, "no column 'm'", rowline_plan_open(t, &options, 0, &plan, &error));
    fails(ROWLINE_CORRUPT, "scan task", rowline_scan_task(t, "{}", 2, &rows, &error));
    fails(ROWLINE_CORRUPT, "scan task", rowline_scan_task(t, "", 0, &rows, &error));
    rowline_plan_free(NULL);
    rowline_table_free(t);
}
END_TEST

START_TEST(only_scans_have_statistics) {
    rowline_table *t = NULL;
    struct ArrowArrayStream rows;
    rowline_scan_stats stats = {.struct_size = sizeof stats};
    ok(rowline_table_open(context, table, NULL, &t, &error));
    ok(rowline_scan(t, NULL, &rows, &error));
    ok(rowline_scan_get_stats(&rows, &stats, &error));
    rows.release(&rows);
    ok(rowline_refs(t, &rows, &error));
    fails(ROWLINE_USAGE, "no scan", rowline_scan_get_stats(&rows, &stats, &error));
    rows.release(&rows);
    rowline_table_free(t);
}
END_TEST

/* What one of several threads sees of a handle. */
static void *read_handle(void *arg) {
    rowline_table *t = arg;
    rowline_error err = {0};
    rowline_table_info info = {.struct_size = sizeof info};
    rowline_table_figures figures = {.struct_size = sizeof figures};
    int64_t count = 0;
    bool right = rowline_table_describe(t, &info, &err) == ROWLINE_OK && info.next_row_id == 4 &&
                 rowline_table_status(t, &figures, &err) == ROWLINE_OK && figures.rows == 4 &&
                 rowline_count(t, "n > 10", &count, &err) == ROWLINE_OK && count == 3;
    return right ? arg : NULL;
}

START_TEST(reading_calls_on_one_handle_run_side_by_side) {
    rowline_table *t = NULL;
    pthread_t threads[4];
    ok(rowline_table_open(context, table, NULL, &t, &error));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_handle, t), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &result), 0);
        ck_assert_ptr_eq(result, t);
    }
    rowline_table_free(t);
}
END_TEST

Suite *task_suite(void) {
    Suite *suite = suite_create("api task");
    TCase *tc = tcase_create("tasks");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, tasks_are_read_in_another_context);
    tcase_add_test(tc, what_tasks_cannot_keep_is_refused);
    tcase_add_test(tc, only_scans_have_statistics);
    tcase_add_test(tc, reading_calls_on_one_handle_run_side_by_side);
    suite_add_tcase(suite, tc);
    return suite;
}
