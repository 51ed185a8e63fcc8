/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites as strangers ask for them: limits, several commits, Spark's option names, and what a lost commit says. */
#include "suites.h"

#include <rowline/rowline.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rowline_context *context;
static rowline_error error;
static char dir[64], name[96], lines[96];

#define ok(expr) ck_assert_msg((expr) == ROWLINE_OK, "%s: %s", #expr, error.message)
#define fails(want_code, part, expr)                                                                         \
    do {                                                                                                     \
        ck_assert_int_eq((expr), want_code);                                                                 \
        ck_assert_msg(strstr(error.message, part) != NULL, "%s", error.message);                             \
    } while (0)

static rowline_table *open_table(void) {
    rowline_open_options options = {.struct_size = sizeof options, .for_change = 1};
    rowline_table *t = NULL;
    ok(rowline_table_open(context, name, &options, &t, &error));
    return t;
}

static void append(int n) {
    FILE *file = fopen(lines, "w");
    ck_assert_ptr_nonnull(file);
    for (int p = 0; p < 3; p++)
        ck_assert_int_gt(fprintf(file, "{\"n\": %d, \"p\": \"p%d\"}\n", n * 3 + p, p), 0);
    ck_assert_int_eq(fclose(file), 0);
    rowline_table *t = open_table();
    rowline_commit commit = {.struct_size = sizeof commit};
    const char *paths[1] = {lines};
    ok(rowline_append_files(t, paths, 1, NULL, NULL, &commit, &error));
    rowline_table_free(t);
}

/* Rows 0 to 5, two files in each of three partitions. */
static void setup(void) {
    memset(&error, 0, sizeof error);
    strcpy(dir, "/tmp/rowline-api-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(name, sizeof name, "%s/t", dir);
    snprintf(lines, sizeof lines, "%s/in.jsonl", dir);
    ok(rowline_context_new(NULL, &context, &error));
    rowline_create_options create = {
        .struct_size = sizeof create, .schema = "n long, p string", .partition = "p"};
    rowline_commit commit = {.struct_size = sizeof commit};
    ok(rowline_table_create(context, name, &create, &commit, &error));
    append(0);
    append(1);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void teardown(void) {
    rowline_context_free(context);
    ck_assert_int_eq(nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static rowline_commit commit;
static rowline_rewrite result;

static rowline_status rewrite(rowline_rewrite_options options,
                              int32_t (*each)(void *ctx, const rowline_rewrite_group *group)) {
    rowline_table *t = open_table();
    options.struct_size = sizeof options;
    commit = (rowline_commit){.struct_size = sizeof commit};
    result = (rowline_rewrite){.struct_size = sizeof result};
    rowline_status st = rowline_table_rewrite(t, &options, each, NULL, &commit, &result, &error);
    rowline_table_free(t);
    return st;
}

START_TEST(groups_are_committed_as_they_finish) {
    ok(rewrite((rowline_rewrite_options){.rewrite_all = 1, .max_commits = 3}, NULL));
    ck_assert_int_eq(result.commits, 3);
    ck_assert_int_eq(result.groups, 3);
    ck_assert_int_eq(result.complete, 1);
    ck_assert_int_eq(commit.added_data_files, 3);
    ck_assert_int_eq(commit.removed_data_files, 6);
    ck_assert_str_eq(result.digest_before.lineage_checksum, result.digest_after.lineage_checksum);
}
END_TEST

/* Another writer deletes a row of the second group once the first is told. */
static int32_t delete_from_p1(void *ctx, const rowline_rewrite_group *group) {
    (void)ctx;
    if (group->group != 1)
        return 0;
    rowline_table *t = open_table();
    rowline_commit other = {.struct_size = sizeof other};
    ok(rowline_delete(t, "n = 1", NULL, &other, &error));
    rowline_table_free(t);
    return 0;
}

START_TEST(a_lost_commit_names_its_groups) {
    ok(rewrite((rowline_rewrite_options){.rewrite_all = 1, .max_commits = 3}, delete_from_p1));
    ck_assert_int_eq(result.commits, 2);
    ck_assert_int_eq(result.failed_commits, 1);
    ck_assert_int_eq(result.planned_groups, 3);
    ck_assert_int_eq(result.groups, 2);
    ck_assert_int_eq(result.complete, 0);
    ck_assert_ptr_nonnull(strstr(commit.conflicts_json, "\"groups\": [2]"));
    ok(rewrite((rowline_rewrite_options){.rewrite_all = 1}, NULL)); /* the next run goes on */
    ck_assert_int_eq(result.rows_out, 5);
    ck_assert_str_eq(commit.conflicts_json, "[]");
}
END_TEST

START_TEST(options_have_the_names_that_spark_gives_them) {
    const rowline_property two[] = {{"max-files-to-rewrite", "2"}, {"min-input-files", "2"}};
    ok(rewrite((rowline_rewrite_options){.options = two, .option_count = 2}, NULL));
    ck_assert_int_eq(commit.removed_data_files, 2);
    ck_assert_int_eq(result.complete, 0);
    const rowline_property unknown[] = {{"speed", "high"}};
    fails(ROWLINE_USAGE, "[speed]",
          rewrite((rowline_rewrite_options){.options = unknown, .option_count = 1}, NULL));
    fails(ROWLINE_USAGE, "none is given", rewrite((rowline_rewrite_options){.option_count = 1}, NULL));
    fails(ROWLINE_USAGE, "negative", rewrite((rowline_rewrite_options){.deadline_ms = -1}, NULL));
    fails(ROWLINE_USAGE, "negative", rewrite((rowline_rewrite_options){.max_bytes = -1}, NULL));
}
END_TEST

Suite *rewrite_suite(void) {
    Suite *suite = suite_create("api rewrite");
    TCase *tests = tcase_create("rewrite");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, groups_are_committed_as_they_finish);
    tcase_add_test(tests, a_lost_commit_names_its_groups);
    tcase_add_test(tests, options_have_the_names_that_spark_gives_them);
    suite_add_tcase(suite, tests);
    return suite;
}
