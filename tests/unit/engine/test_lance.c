/* SPDX-License-Identifier: Apache-2.0 */
/* Lance datasets through the engine: states, refusals, two states compared. The figures are those of the fixtures' expected.json. */
#include "engine_test.h"
#include "suites.h"

#include "engine/about.h"
#include "engine/lance_figures.h"
#include "engine/lance_history.h"
#include "engine/lance_status.h"
#include "engine/lance_table.h"
#include "engine/task.h"
#include "world.h"

#include <stdio.h>
#include <sys/stat.h>

/* A dataset of the fixtures, "refs" or "refs@3"; NULL when there are none. */
static const char *fixture(const char *name) {
    static char path[512];
    struct stat st;
    const char *at = strchr(name, '@');
    int len = at != NULL ? (int)(at - name) : (int)strlen(name);
    snprintf(path, sizeof path, "%s/pylance/%.*s/t.lance", FIXTURES_DIR, len, name);
    if (stat(path, &st) != 0) {
        printf("skipped: no fixture %s\n", path);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/pylance/%.*s/t.lance%s", FIXTURES_DIR, len, name, at != NULL ? at : "");
    return path;
}

static rwl_status open_with(const char *name, const rwl_table_options *options, rwl_table **out,
                            rwl_error *err) {
    static const rwl_table_options none = {0};
    return rwl_table_open(test_op(), fixture(name), options != NULL ? options : &none, out, err);
}

static int64_t version_of(const char *name, const rwl_table_options *options) {
    rwl_table *t;
    ASSERT_OK(open_with(name, options, &t, err));
    int64_t version = t->lance->manifest->version;
    rwl_table_free(t);
    return version;
}

START_TEST(names_and_options_choose_the_version) {
    if (fixture("refs") == NULL)
        return;
    ck_assert_int_eq(version_of("refs", NULL), 3);
    ck_assert_int_eq(version_of("refs@main", NULL), 3);
    ck_assert_int_eq(version_of("refs@1", NULL), 1);
    ck_assert_int_eq(version_of("refs@v2.tag", NULL), 2);
    ck_assert_int_eq(version_of("refs@{2100-01-01T00:00:00Z}", NULL), 3);
    ck_assert_int_eq(version_of("refs", &(rwl_table_options){.snapshot = "2"}), 2);
    ck_assert_int_eq(version_of("refs", &(rwl_table_options){.ref = "first"}), 3);
    ck_assert_int_eq(version_of("refs", &(rwl_table_options){.ref = "dev/one", .snapshot = "2"}), 2);
    ck_assert_int_eq(version_of("refs", &(rwl_table_options){.as_of = "2100-01-01T00:00:00Z"}), 3);
}
END_TEST

START_TEST(a_state_that_is_none_is_told) {
    rwl_table *t;
    if (fixture("refs") == NULL)
        return;
    ASSERT_FAILS(RWL_NOT_FOUND, "9", open_with("refs@9", NULL, &t, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "gone", open_with("refs@gone", NULL, &t, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "",
                 open_with("refs", &(rwl_table_options){.as_of = "1999-01-01T00:00:00Z"}, &t, err));
    ASSERT_FAILS(RWL_NOT_FOUND, "",
                 open_with("refs", &(rwl_table_options){.as_of = "1969-01-01T00:00:00Z"}, &t, err));
    ASSERT_FAILS(RWL_USAGE, "no version",
                 open_with("refs", &(rwl_table_options){.snapshot = "two"}, &t, err));
    ASSERT_FAILS(RWL_USAGE, "name one state",
                 open_with("refs@2", &(rwl_table_options){.snapshot = "2"}, &t, err));
    ASSERT_FAILS(RWL_USAGE, "name one state",
                 open_with("refs", &(rwl_table_options){.snapshot = "2", .as_of = "1d"}, &t, err));
    ASSERT_FAILS(RWL_USAGE, "no zone",
                 open_with("refs", &(rwl_table_options){.as_of = "2026-01-01T00:00:00"}, &t, err));
}
END_TEST

START_TEST(a_branch_is_what_a_change_would_go_to) {
    rwl_table *t;
    if (fixture("refs") == NULL)
        return;
    ASSERT_OK(open_with("refs", NULL, &t, err));
    ck_assert_str_eq(t->branch, "main");
    ck_assert_int_eq(t->schema->schema_id, -1);
    ck_assert_int_eq(t->schema->field_count, 3);
    ck_assert_str_eq(t->schema->fields[2].name, "s");
    ck_assert_ptr_null(t->metadata);
    rwl_table_free(t);
    ASSERT_OK(open_with("refs@2", NULL, &t, err));
    ck_assert_ptr_null(t->branch);
    rwl_table_free(t);
}
END_TEST

START_TEST(changes_and_what_only_iceberg_has_are_refused) {
    rwl_table *t;
    rwl_tasks *tasks;
    if (fixture("refs") == NULL)
        return;
    ASSERT_FAILS(RWL_UNSUPPORTED, "changing Lance datasets is not supported",
                 open_with("refs", &(rwl_table_options){.for_change = true}, &t, err));
    ASSERT_OK(open_with("refs", NULL, &t, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "changing Lance datasets is not supported", rwl_table_check_change(t, err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "listing partitions of Lance datasets is not supported",
                 rwl_table_check_iceberg(t, "listing partitions of", err));
    ASSERT_FAILS(RWL_UNSUPPORTED, "planning tasks of Lance datasets is not supported",
                 rwl_tasks_open(t, test_op(), &(rwl_tasks_options){0}, &tasks, err));
    ASSERT_OK(rwl_table_check_metadata(t, err));
    rwl_table_free(t);
}
END_TEST

START_TEST(no_iceberg_table_is_made_in_a_dataset) {
    const char *folder = test_path("d");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(mkdir(test_path("d/_versions"), 0700), 0);
    rwl_create_options options = {.schema = "id long", .format_version = 3};
    ASSERT_FAILS(RWL_EXISTS, "a Lance dataset already", rwl_create_table(test_op(), folder, &options, err));
}
END_TEST

START_TEST(a_directory_of_both_formats_is_refused) {
    rwl_table *t;
    ck_assert_int_eq(mkdir(test_path("d"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("d/_versions"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("d/metadata"), 0700), 0);
    ASSERT_FAILS(RWL_UNSUPPORTED, "both _versions and metadata",
                 rwl_table_open(test_op(), test_path("d"), &(rwl_table_options){0}, &t, err));
}
END_TEST

START_TEST(two_states_are_compared_by_their_digests) {
    rwl_table *t, at;
    rwl_digest before, after;
    if (fixture("life_stable_2_2") == NULL)
        return;
    ASSERT_OK(open_with("life_stable_2_2", NULL, &t, err));
    ASSERT_OK(rwl_table_digest(t, test_op(), NULL, &after, err));
    ck_assert_int_eq(after.rows, 22);                      /* version 13 */
    ASSERT_OK(rwl_table_at(t, test_op(), "11", &at, err)); /* 12 and 13 are a compaction */
    ASSERT_OK(rwl_table_digest(&at, test_op(), NULL, &before, err));
    rwl_table_at_clear(&at);
    ck_assert(rwl_digest_equal(&before, &after));
    ASSERT_OK(rwl_table_at(t, test_op(), "10", &at, err)); /* 11 deletes */
    ASSERT_OK(rwl_table_digest(&at, test_op(), NULL, &before, err));
    rwl_table_at_clear(&at);
    ck_assert(!rwl_digest_equal(&before, &after));
    ASSERT_FAILS(RWL_NOT_FOUND, "", rwl_table_at(t, test_op(), "77", &at, err));
    rwl_table_free(t);
}
END_TEST

/* On a branch a number is a version of that branch. */
START_TEST(numbers_mean_versions_of_the_branch_that_is_open) {
    rwl_table *t, at;
    if (fixture("refs") == NULL)
        return;
    ASSERT_OK(open_with("refs", &(rwl_table_options){.ref = "dev/one"}, &t, err));
    ASSERT_OK(rwl_table_at(t, test_op(), "2", &at, err));
    ck_assert_str_eq(at.lance->branch, "dev/one");
    rwl_table_at_clear(&at);
    ASSERT_OK(rwl_table_at(t, test_op(), "v2.tag", &at, err));
    ck_assert_ptr_null(at.lance->branch);
    rwl_table_at_clear(&at);
    rwl_table_free(t);
}
END_TEST

START_TEST(history_goes_through_the_parent_of_a_branch) {
    rwl_table *t;
    rwl_lance_history h;
    if (fixture("refs") == NULL)
        return;
    ASSERT_OK(open_with("refs", &(rwl_table_options){.ref = "dev/one"}, &t, err));
    ASSERT_OK(rwl_lance_history_read(t, test_op(), false, &h, err));
    static const struct {
        int64_t version;
        const char *branch;
    } wanted[] = {{4, "dev/one"}, {3, "dev/one"}, {2, "dev/one"}, {2, "main"}, {1, "main"}};
    ck_assert_uint_eq(h.entries.len, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(h.entries.items[i].version, wanted[i].version);
        ck_assert_str_eq(rwl_lance_branch_name(h.entries.items[i].branch), wanted[i].branch);
        const rwl_lance_entry *before;
        ck_assert_int_eq(rwl_lance_history_before(&h, i, &before), i < 4 ? wanted[i + 1].version : 0);
        ck_assert_ptr_eq(before, i < 4 ? &h.entries.items[i + 1] : NULL);
    }
    rwl_lance_history_clear(&h);
    rwl_table_free(t);
}
END_TEST

START_TEST(the_first_version_of_a_branch_is_behind_the_one_it_began_at) {
    rwl_table *t;
    rwl_lance_history h;
    if (fixture("refs") == NULL)
        return;
    ASSERT_OK(open_with("refs", NULL, &t, err));
    ASSERT_OK(rwl_lance_history_read(t, test_op(), true, &h, err));
    const rwl_lance_entry *clone = NULL, *before = NULL;
    for (size_t i = 0; i < h.entries.len; i++) {
        if (h.entries.items[i].version == 2 && h.entries.items[i].branch != NULL) {
            clone = &h.entries.items[i];
            ck_assert_int_eq(rwl_lance_history_before(&h, i, &before), 2);
        }
    }
    ck_assert_ptr_nonnull(clone);
    ck_assert_ptr_nonnull(before);
    ck_assert_int_eq(before->version, 2);
    ck_assert_ptr_null(before->branch);
    rwl_lance_history_clear(&h);
    rwl_table_free(t);
}
END_TEST

START_TEST(figures_add_up_what_the_manifest_says) {
    rwl_table *t;
    rwl_lance_figures f;
    if (fixture("spill_budget_created_only") == NULL)
        return;
    ASSERT_OK(open_with("spill_budget_created_only", NULL, &t, err));
    ASSERT_OK(rwl_lance_figures_read(t, test_op(), 7, &f, err));
    ck_assert_int_eq(f.physical_rows, 81);
    ck_assert_int_eq(f.deleted_rows, 0);
    ck_assert_int_eq(f.bytes, 3389);
    ck_assert_int_eq(f.sequences[RWL_LANCE_ROW_IDS].inline_bytes, 66);
    ck_assert_int_eq(f.sequences[RWL_LANCE_LAST_UPDATED].inline_bytes, 68);
    ck_assert_int_eq(f.sequences[RWL_LANCE_CREATED_AT].spilled_fragments, 1);
    ck_assert_int_gt(f.sequences[RWL_LANCE_CREATED_AT].spilled_bytes, 0);
    ck_assert_int_lt(f.sequences[RWL_LANCE_CREATED_AT].spilled_bytes, 3389);
    ASSERT_OK(rwl_lance_figures_read(t, test_op(), RWL_LANCE_FIGURES_ROWS, &f, err));
    ck_assert_int_eq(f.sequences[RWL_LANCE_CREATED_AT].spilled_bytes, 0);
    ck_assert_int_eq(f.bytes, 0);
    ck_assert_int_eq(f.physical_rows, 81);
    rwl_table_free(t);
}
END_TEST

/* The manifest tells how many rows a deletion file names: counting needs no such file, reading does. */
START_TEST(rows_are_counted_without_reading_deletion_files) {
    char name[512];
    int64_t count;
    rwl_table *t;
    rwl_digest digest;
    if (fixture("deletion_files") == NULL)
        return;
    ck_assert(world_copy_tree(fixture("deletion_files"), test_path("t.lance")));
    world_remove_tree(test_path("t.lance/_deletions"));
    snprintf(name, sizeof name, "%s@2", test_path("t.lance"));
    ASSERT_OK(rwl_table_open(test_op(), name, &(rwl_table_options){0}, &t, err));
    ASSERT_OK(rwl_table_count(t, test_op(), NULL, &count, err));
    ck_assert_int_eq(count, 10994); /* of 11,000, as pylance counts */
    ASSERT_FAILS(RWL_NOT_FOUND, ".arrow", rwl_table_digest(t, test_op(), NULL, &digest, err));
    rwl_table_free(t);
}
END_TEST

START_TEST(ids_order_rows_and_unknown_names_get_a_hint) {
    rwl_table *t;
    rwl_scan *scan;
    if (fixture("life_stable_2_2") == NULL)
        return;
    ASSERT_OK(open_with("life_stable_2_2", NULL, &t, err));
    rwl_scan_options options = {.rows.select = "_rowid", .limit = -1, .order_by_row_id = true};
    ASSERT_OK(rwl_scan_open(t, test_op(), &options, &scan, err));
    int32_t count;
    const rwl_field *fields = rwl_scan_fields(scan, &count);
    rwl_batch batch;
    ASSERT_OK(rwl_batch_init(&batch, test_env(), fields, count, err));
    ASSERT_OK(rwl_scan_next(scan, &batch, err));
    ck_assert_int_eq(batch.length, 22);
    for (int64_t i = 1; i < batch.length; i++)
        ck_assert_int_lt(rwl_column_i64(&batch.columns[0])[i - 1], rwl_column_i64(&batch.columns[0])[i]);
    rwl_batch_clear(&batch);
    rwl_scan_close(scan);
    options.rows.select = "_row_id";
    ASSERT_FAILS(RWL_USAGE, "it is called _rowid in Lance datasets",
                 rwl_scan_open(t, test_op(), &options, &scan, err));
    rwl_table_free(t);
}
END_TEST

Suite *suite_lance(void) {
    const TTest *const tests[] = {names_and_options_choose_the_version,
                                  a_state_that_is_none_is_told,
                                  a_branch_is_what_a_change_would_go_to,
                                  changes_and_what_only_iceberg_has_are_refused,
                                  no_iceberg_table_is_made_in_a_dataset,
                                  a_directory_of_both_formats_is_refused,
                                  two_states_are_compared_by_their_digests,
                                  numbers_mean_versions_of_the_branch_that_is_open,
                                  history_goes_through_the_parent_of_a_branch,
                                  figures_add_up_what_the_manifest_says,
                                  the_first_version_of_a_branch_is_behind_the_one_it_began_at,
                                  rows_are_counted_without_reading_deletion_files,
                                  ids_order_rows_and_unknown_names_get_a_hint};
    return TEST_SUITE("lance", tests);
}
