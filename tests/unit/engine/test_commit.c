/* SPDX-License-Identifier: Apache-2.0 */
/* The commit loop: two writers, replies that are lost, and what may be removed when it fails. */
#include "engine_test.h"
#include "suites.h"

#include "storage/test_store.h"

#include <stdio.h>
#include <stdlib.h>

static const char columns[] = "id long not null, name string";

/* Every read of the clock between load and swap may let others in: `meanwhile` runs at the first `times` of them. */
static void (*meanwhile)(void);
static int times;
static bool inside;
static int64_t (*real_now)(void *ctx);

static int64_t now_with_others(void *ctx) {
    if (!inside && times > 0) {
        inside = true; /* the others' own commits are not disturbed */
        times--;
        meanwhile();
        inside = false;
    }
    return real_now(ctx);
}

static void let_in(void (*others)(void), int count) {
    meanwhile = others;
    times = count;
    inside = false;
    if (test_env()->now_ms != now_with_others) {
        real_now = test_env()->now_ms;
        test_env()->now_ms = now_with_others;
    }
}

static int others_id = 100;

/* Waits, one a commit of the others; each is slept in parts. */
static int slept_count, slept_after;
static int64_t slept[16];

static void note_sleep(void *ctx, int64_t ms) {
    (void)ctx;
    ck_assert_int_le(ms, 50);
    if (slept_after != others_id && slept_count < 16)
        slept[slept_count++] = 0;
    slept_after = others_id;
    slept[slept_count - 1] += ms;
}

static void note_sleep_and_cancel(void *ctx, int64_t ms) {
    note_sleep(ctx, ms);
    atomic_store(&test_op()->cancelled, 1);
}

static void append_one(void) {
    test_append("t", rwl_arena_printf(test_arena(), "{'id':%d,'name':'o'}", others_id++));
}

START_TEST(an_append_that_loses_the_race_keeps_both) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    let_in(append_one, 1);
    rwl_commit_outcome out = test_append("t", "{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    ck_assert_int_eq(out.attempts, 2);
    ck_assert_int_eq(out.conflict_count, 1);
    ck_assert_int_eq(strncmp(out.conflicts[0].engine, "rowline", 7), 0);
    ck_assert_int_eq(out.conflicts[0].snapshot_id, out.result.parent_snapshot_id);
    /* ids and numbers are those of the attempt that won (law 4) */
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=2/3 3,c=3/3 100,o=1/2");
    ck_assert_int_eq(out.result.first_row_id, 2);
    ck_assert_int_eq(out.result.added_rows, 2);
    ck_assert_int_eq(out.result.next_row_id, 4);
    ck_assert_int_eq(test_read_head("t").next_row_id, 4);
}
END_TEST

/* The files a table's snapshots name: nothing else may lie in its folders. */
static void expect_no_orphans(int snapshots) {
    const char *listing = test_listing("t");
    int lists = 0;
    for (const char *p = listing; (p = strstr(p, "/snap-")) != NULL; p++)
        lists++;
    ck_assert_int_eq(lists, snapshots);
}

START_TEST(manifest_lists_of_lost_attempts_are_removed) {
    test_create("t", 3, columns, NULL, NULL);
    let_in(append_one, 3);
    rwl_commit_outcome out = test_append("t", "{'id':2,'name':'b'}");
    ck_assert_int_eq(out.attempts, 4);
    ck_assert_int_eq(out.conflict_count, 3);
    expect_no_orphans(4);
}
END_TEST

START_TEST(a_rewrite_that_loses_the_race_to_an_append_keeps_both) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    test_append("t", "{'id':2,'name':'b'}");
    let_in(append_one, 1);
    test_rewritten out = test_rewrite("t", NULL);
    ck_assert_int_eq(out.commit.attempts, 2);
    ck_assert_int_eq(out.commit.conflict_count, 1);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2 100,o=2/3");
    test_head head = test_read_head("t");
    ck_assert_int_eq(head.data_files, 2);
    ck_assert_int_eq(head.next_row_id, 3);
    ck_assert_int_eq(head.added_rows, 0);
}
END_TEST

START_TEST(commits_between_plan_and_commit_are_named_and_ids_counted_from_the_last) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    rwl_table *planned = test_open("t");
    int64_t others[] = {test_append("t", "{'id':2,'name':'b'}").result.snapshot_id,
                        test_append("t", "{'id':3,'name':'c'}").result.snapshot_id};
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    rwl_error err = {0};
    rwl_status st = rwl_rewrite(planned, test_op(), &o, &out.commit, &out.rewrite, &err);
    test_close(planned);
    ck_assert_msg(st == RWL_OK, "%s", err.message);
    ck_assert_int_eq(out.commit.attempts, 2);
    ck_assert_int_eq(out.commit.conflict_count, 2);
    ck_assert_int_eq(out.commit.conflicts[0].snapshot_id, others[1]);
    ck_assert_int_eq(out.commit.conflicts[1].snapshot_id, others[0]);
    /* 3 rows have ids: the rewrite of the first used up none */
    ck_assert_int_eq(out.rewrite.next_row_id_before, 3);
    ck_assert_int_eq(out.commit.result.next_row_id, 3);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2 3,c=2/3");
}
END_TEST

static void delete_one(void) {
    test_delete("t", "id = 1");
}

START_TEST(a_rewrite_that_loses_its_input_to_a_delete_fails_and_cleans_up) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    test_append("t", "{'id':3,'name':'c'}");
    rwl_table *t = test_open("t");
    let_in(delete_one, 1);
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    rwl_error err = {0};
    rwl_status st = rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, &err);
    test_close(t);
    ck_assert_msg(st == RWL_CONFLICT, "%d: %s", (int)st, err.message);
    test_head head = test_read_head("t");
    ck_assert_str_eq(head.operation, "delete");
    ck_assert_ptr_nonnull(
        strstr(err.message, rwl_arena_printf(test_arena(), "%lld", (long long)head.snapshot_id)));
    ck_assert_ptr_nonnull(strstr(err.message, "rowline"));
    ck_assert_ptr_nonnull(strstr(err.message, ".parquet"));
    ck_assert_int_ge(out.commit.conflict_count, 1);
    const rwl_conflict *last = &out.commit.conflicts[out.commit.conflict_count - 1];
    ck_assert_int_eq(last->snapshot_id, head.snapshot_id);
    ck_assert_str_eq(test_sorted(test_rows("t")), "2,b=1/1 3,c=2/2");
    expect_no_orphans(3);
    const char *listing = test_listing("t");
    int files = 0;
    for (const char *p = listing; (p = strstr(p, ".parquet")) != NULL; p++)
        files++;
    ck_assert_int_eq(files, 2); /* only the inputs */
    ck_assert_ptr_nonnull(strstr(listing, ".puffin"));
}
END_TEST

static void rewrite_now(void) {
    test_rewrite("t", NULL);
}

START_TEST(a_delete_that_loses_its_file_to_a_rewrite_fails_and_cleans_up) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    rwl_table *t = test_open("t");
    let_in(rewrite_now, 1);
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_CONFLICT, "rowline", rwl_delete(t, test_op(), "id = 1", &options, &out, err));
    test_close(t);
    ck_assert_ptr_null(strstr(test_listing("t"), ".puffin"));
    ck_assert_str_eq(test_rows("t"), "1,a=0/1 2,b=1/1");
    expect_no_orphans(2);
}
END_TEST

START_TEST(of_two_rewrites_of_the_same_files_one_fails) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    test_append("t", "{'id':2,'name':'b'}");
    rwl_table *t = test_open("t");
    let_in(rewrite_now, 1);
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_FAILS(RWL_CONFLICT, ".parquet", rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, err));
    test_close(t);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2");
    expect_no_orphans(3);
    const char *listing = test_listing("t");
    int files = 0;
    for (const char *p = listing; (p = strstr(p, ".parquet")) != NULL; p++)
        files++;
    ck_assert_int_eq(files, 3); /* two inputs and the winner's output */
}
END_TEST

static void delete_two(void) {
    test_delete("t", "id = 2");
}

START_TEST(two_vectors_for_one_file_conflict) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}\n{'id':3,'name':'c'}");
    rwl_table *t = test_open("t");
    let_in(delete_two, 1);
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_CONFLICT, ".parquet", rwl_delete(t, test_op(), "id = 1", &options, &out, err));
    test_close(t);
    ck_assert_str_eq(test_rows("t"), "1,a=0/1 3,c=2/1");
}
END_TEST

static void delete_other_file(void) {
    test_delete("t", "id = 4");
}

START_TEST(vectors_for_different_files_are_both_kept) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    test_append("t", "{'id':3,'name':'c'}\n{'id':4,'name':'d'}");
    let_in(delete_other_file, 1);
    rwl_commit_outcome out = test_delete("t", "id = 1");
    ck_assert_int_eq(out.attempts, 2);
    ck_assert_str_eq(test_sorted(test_rows("t")), "2,b=1/1 3,c=2/2");
    ck_assert_int_eq(test_read_head("t").delete_files, 2);
}
END_TEST

static void upgrade_now(void) {
    test_upgrade("t", true);
}

START_TEST(an_upgrade_meanwhile_is_a_conflict_and_nothing_stays) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    rwl_table *t = test_open("t");
    let_in(upgrade_now, 1);
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_CONFLICT, "upgraded", try_append(t, test_op(), "{'id':2}", &out, err));
    test_close(t);
    ck_assert_str_eq(test_rows("t"), "1,a=0/1");
    expect_no_orphans(2);
}
END_TEST

START_TEST(retries_back_off_and_end) {
    static const char *const keys[] = {"commit.retry.num-retries", "commit.retry.min-wait-ms",
                                       "commit.retry.max-wait-ms"};
    static const char *const values[] = {"5", "100", "1000"};
    rwl_create_options options = {.schema = columns,
                                  .format_version = 3,
                                  .property_keys = keys,
                                  .property_values = values,
                                  .property_count = 3};
    test_create_with("t", &options);
    test_append("t", "{'id':1,'name':'a'}");
    const char *before = test_sorted(test_rows("t"));
    test_env()->sleep_ms = note_sleep;
    slept_count = 0;
    rwl_table *t = test_open("t");
    let_in(append_one, 100);
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_CONFLICT, "gave up after 6 attempts", try_append(t, test_op(), "{'id':2}", &out, err));
    times = 0;
    test_close(t);
    ck_assert_int_eq(out.attempts, 6);
    ck_assert_int_eq(slept_count, 5);
    static const int64_t wanted[] = {100, 200, 400, 800,
                                     1000}; /* doubling, at most 1000, a tenth of chance */
    for (int i = 0; i < 5; i++)
        ck_assert_msg(slept[i] >= wanted[i] && slept[i] <= wanted[i] * 11 / 10, "wait %d is %lld", i,
                      (long long)slept[i]);
    ck_assert_int_eq(strncmp(test_sorted(test_rows("t")), before, strlen(before)), 0);
    ck_assert_ptr_null(strstr(test_rows("t"), "2,null"));
    expect_no_orphans(7); /* ours is not among them */
}
END_TEST

START_TEST(a_wait_ends_when_the_operation_is_cancelled) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    test_env()->sleep_ms = note_sleep_and_cancel;
    rwl_table *t = test_open("t");
    let_in(append_one, 1);
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_INTERRUPTED, "", try_append(t, test_op(), "{'id':2}", &out, err));
    atomic_store(&test_op()->cancelled, 0);
    test_close(t);
    ck_assert_int_eq(slept_count, 1);
    ck_assert_int_eq(slept[0], 50);
    expect_no_orphans(2);
}
END_TEST

/* --- replies that are lost --- */

/* A table whose store fails as `options` say. */
static rwl_table *open_failing(const rwl_test_store_options *options) {
    rwl_table *t = test_open("t");
    rwl_store *wrapper = NULL;
    ASSERT_OK(rwl_test_store_new(test_env(), t->store, options, &wrapper, err));
    test_wrap_store(t, wrapper);
    return t;
}

START_TEST(a_lost_reply_is_settled_by_reading_back) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    const rwl_test_store_options options = {
        .fail_call = RWL_TEST_FINISH, .fail_at = 1, .only = "/v3.metadata.json", .fail_after = true};
    rwl_table *t = open_failing(&options);
    rwl_commit_outcome out;
    ASSERT_OK(try_append(t, test_op(), "{'id':2,'name':'b'}", &out, err));
    test_close(t);
    ck_assert_int_eq(out.attempts, 1);
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2");
}
END_TEST

START_TEST(a_swap_that_failed_before_it_happened_removes_everything) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    const char *before = test_listing("t");
    const rwl_test_store_options options = {
        .fail_call = RWL_TEST_FINISH, .fail_at = 1, .only = "/v3.metadata.json"};
    rwl_table *t = open_failing(&options);
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_IO, "", try_append(t, test_op(), "{'id':2,'name':'b'}", &out, err));
    test_close(t);
    ck_assert_str_eq(test_listing("t"), before);
}
END_TEST

/* The reply is lost and the new version cannot be read: nobody knows, so nothing is removed. */
static rwl_table *open_blind(void) {
    static const rwl_test_store_options lost = {
        .fail_call = RWL_TEST_FINISH, .fail_at = 1, .only = "/v3.metadata.json", .fail_after = true};
    static const rwl_test_store_options blind = {
        .fail_call = RWL_TEST_OPEN, .fail_at = 1, .only = "/v3.metadata.json", .fail_rest = true};
    rwl_table *t = open_failing(&lost);
    rwl_store *wrapper = NULL;
    ASSERT_OK(rwl_test_store_new(test_env(), t->store, &blind, &wrapper, err));
    test_wrap_store(t, wrapper);
    return t;
}

START_TEST(of_an_unknown_append_nothing_is_removed) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    rwl_table *t = open_blind();
    rwl_commit_outcome out;
    rwl_error err = {0};
    rwl_status st = try_append(t, test_op(), "{'id':2,'name':'b'}", &out, &err);
    test_close(t);
    ck_assert_msg(st == RWL_COMMIT_UNKNOWN, "%d: %s", (int)st, err.message);
    ck_assert_ptr_nonnull(strstr(err.message, out.commit_id));
    ck_assert_str_eq(test_sorted(test_rows("t")), "1,a=0/1 2,b=1/2"); /* it had happened */
}
END_TEST

START_TEST(of_an_unknown_delete_nothing_is_removed) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    rwl_table *t = open_blind();
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    ASSERT_FAILS(RWL_COMMIT_UNKNOWN, "rowline.commit-id",
                 rwl_delete(t, test_op(), "id = 1", &options, &out, err));
    test_close(t);
    ck_assert_str_eq(test_rows("t"), "2,b=1/1");
}
END_TEST

START_TEST(of_an_unknown_rewrite_nothing_is_removed) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    rwl_table *t = open_blind();
    rwl_rewrite_options o = {.rewrite_all = true};
    test_rewritten out;
    ASSERT_FAILS(RWL_COMMIT_UNKNOWN, "may have happened",
                 rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, err));
    test_close(t);
    ck_assert_str_eq(test_rows("t"), "1,a=0/1 2,b=1/1");
    ck_assert_str_eq(test_read_head("t").operation, "replace");
}
END_TEST

/* An upgrade with its append is one swap, so one unknown. */
START_TEST(an_unknown_upgrade_is_told) {
    test_create("t", 2, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}");
    rwl_table *t = open_blind();
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_upgrade_report report;
    ASSERT_FAILS(RWL_COMMIT_UNKNOWN, "may have happened",
                 rwl_upgrade_table(t, test_op(), 3, true, &options, test_arena(), &out, &report, err));
    test_close(t);
    ck_assert_int_eq(test_read_head("t").format_version, 3);
    ck_assert_str_eq(test_rows("t"), "1,a=0/1");
}
END_TEST

START_TEST(an_upgrade_without_snapshot_tells_the_head) {
    test_create("t", 2, columns, NULL, NULL);
    int64_t head = test_append("t", "{'id':1,'name':'a'}").result.snapshot_id;
    rwl_table *t = test_open("t");
    rwl_change_options options = {0};
    rwl_commit_outcome out;
    rwl_upgrade_report report;
    ASSERT_OK(rwl_upgrade_table(t, test_op(), 3, false, &options, test_arena(), &out, &report, err));
    test_close(t);
    ck_assert_int_eq(out.result.snapshot_id, -1);
    ck_assert_int_eq(out.result.parent_snapshot_id, head);
    ck_assert_int_eq(out.result.sequence_number, 1);
    ck_assert_int_eq(out.result.first_row_id, -1);
    ck_assert_int_eq(out.result.added_rows, 0);
    ck_assert_int_eq(out.result.next_row_id, 0);
}
END_TEST

/* Java takes properties like these in any case. */
START_TEST(gzip_is_gzip_in_any_case) {
    const char *key = "write.metadata.compression-codec", *value = "GZIP";
    rwl_create_options options = {.schema = columns,
                                  .format_version = 3,
                                  .property_keys = &key,
                                  .property_values = &value,
                                  .property_count = 1};
    test_create_with("t", &options);
    test_append("t", "{'id':1,'name':'a'}");
    ck_assert_ptr_nonnull(strstr(test_listing("t"), "v1.gz.metadata.json"));
    ck_assert_ptr_nonnull(strstr(test_listing("t"), "v2.gz.metadata.json"));
    ck_assert_str_eq(test_rows("t"), "1,a=0/1");
}
END_TEST

/* --- every storage call of every kind of commit, failing before or after it was done --- */

typedef struct change_kind {
    const char *name;
    rwl_status (*run)(rwl_table *t, rwl_error *err);
} change_kind;

static rwl_status run_append(rwl_table *t, rwl_error *err) {
    rwl_commit_outcome out;
    return try_append(t, test_op(), "{'id':9,'name':'z'}", &out, err);
}
static rwl_status run_delete(rwl_table *t, rwl_error *err) {
    rwl_commit_outcome out;
    rwl_change_options options = {0};
    return rwl_delete(t, test_op(), "id = 3", &options, &out, err);
}
static rwl_status run_rewrite(rwl_table *t, rwl_error *err) {
    test_rewritten out;
    rwl_rewrite_options o = {.rewrite_all = true};
    return rwl_rewrite(t, test_op(), &o, &out.commit, &out.rewrite, err);
}

static void make_table(void) {
    test_create("t", 3, columns, NULL, NULL);
    test_append("t", "{'id':1,'name':'a'}\n{'id':2,'name':'b'}");
    test_append("t", "{'id':3,'name':'c'}\n{'id':4,'name':'d'}");
    test_delete("t", "id = 2");
}

/* What the change makes of the table, told by the rows. */
static const char *state_of(void) {
    return rwl_arena_printf(test_arena(), "%s|%s|%lld", test_sorted(test_rows("t")),
                            test_read_head("t").operation, (long long)test_read_head("t").next_row_id);
}

/* Before or after, nothing between; files go with a failure that is sure. */
static void fail_every_call(const change_kind *kind, bool after) {
    make_table();
    const char *pristine = rwl_arena_printf(test_arena(), "%s.pristine", test_path("t"));
    const char *copy =
        rwl_arena_printf(test_arena(), "rm -rf %s; cp -a %s %s", pristine, test_path("t"), pristine);
    const char *restore =
        rwl_arena_printf(test_arena(), "rm -rf %s; cp -a %s %s", test_path("t"), pristine, test_path("t"));
    ck_assert_int_eq(system(copy), 0);
    const char *old_state = state_of(), *old_files = test_listing("t");
    rwl_table *t = test_open("t");
    ASSERT_OK(kind->run(t, err));
    test_close(t);
    const char *new_state = state_of();
    for (int64_t n = 1; n < 500; n++) {
        ck_assert_int_eq(system(restore), 0);
        const rwl_test_store_options options = {.fail_call = RWL_TEST_ANY, .fail_at = n, .fail_after = after};
        t = open_failing(&options);
        rwl_error err = {0};
        rwl_status st = kind->run(t, &err);
        int64_t failures = rwl_test_store_stats_of(t->store).failures;
        test_close(t);
        const char *state = state_of();
        bool is_old = strcmp(state, old_state) == 0, is_new = strcmp(state, new_state) == 0;
        ck_assert_msg(is_old || is_new, "%s, call %lld: neither before nor after: %s (%s)", kind->name,
                      (long long)n, state, err.message);
        if (st == RWL_OK)
            ck_assert_msg(is_new, "%s, call %lld: said done, is not", kind->name, (long long)n);
        else if (st != RWL_COMMIT_UNKNOWN)
            ck_assert_msg(is_old, "%s, call %lld: said failed (%s), is done", kind->name, (long long)n,
                          err.message);
        if (st != RWL_OK && st != RWL_COMMIT_UNKNOWN && !after)
            ck_assert_msg(strcmp(test_listing("t"), old_files) == 0, "%s, call %lld (%s) left files: %s",
                          kind->name, (long long)n, err.message, test_listing("t"));
        if (failures == 0)
            return; /* there were fewer calls than n */
    }
    ck_abort_msg("%s makes too many calls", kind->name);
}

static const change_kind kinds[] = {{"append", run_append}, {"delete", run_delete}, {"rewrite", run_rewrite}};

START_TEST(every_call_that_fails_leaves_before_or_after) {
    fail_every_call(&kinds[_i], false);
}
END_TEST

START_TEST(every_reply_that_is_lost_leaves_before_or_after) {
    fail_every_call(&kinds[_i], true);
}
END_TEST

/* A file that only a later commit would name leaves no doubt about that commit, whether it became visible or not. */
START_TEST(a_lost_reply_for_any_other_file_is_a_failure_that_leaves_nothing) {
    static const char *const files[] = {".parquet", ".puffin", ".avro"};
    static const change_kind others[] = {
        {"append", run_append}, {"delete", run_delete}, {"rewrite", run_rewrite}};
    const change_kind *kind = &others[_i / 3];
    make_table();
    const char *before = test_listing("t");
    for (int64_t n = 1; n < 20; n++) {
        const rwl_test_store_options options = {
            .fail_call = RWL_TEST_FINISH, .fail_at = n, .only = files[_i % 3], .fail_after = true};
        rwl_table *t = open_failing(&options);
        rwl_error err = {0};
        rwl_status st = kind->run(t, &err);
        bool failed = rwl_test_store_stats_of(t->store).failures > 0;
        test_close(t);
        if (!failed) {
            ck_assert_msg(st == RWL_OK, "%s", err.message);
            return;
        }
        ck_assert_msg(st == RWL_IO && err.code == RWL_IO, "%s, %s %lld: status %d", kind->name, files[_i % 3],
                      (long long)n, (int)st);
        ck_assert_str_eq(test_listing("t"), before);
    }
    ck_abort_msg("%s writes too many files", kind->name);
}
END_TEST

Suite *suite_commit(void) {
    const TTest *const tests[] = {
        an_append_that_loses_the_race_keeps_both,
        manifest_lists_of_lost_attempts_are_removed,
        a_rewrite_that_loses_the_race_to_an_append_keeps_both,
        commits_between_plan_and_commit_are_named_and_ids_counted_from_the_last,
        a_rewrite_that_loses_its_input_to_a_delete_fails_and_cleans_up,
        a_delete_that_loses_its_file_to_a_rewrite_fails_and_cleans_up,
        of_two_rewrites_of_the_same_files_one_fails,
        two_vectors_for_one_file_conflict,
        vectors_for_different_files_are_both_kept,
        an_upgrade_meanwhile_is_a_conflict_and_nothing_stays,
        retries_back_off_and_end,
        a_wait_ends_when_the_operation_is_cancelled,
        a_lost_reply_is_settled_by_reading_back,
        a_swap_that_failed_before_it_happened_removes_everything,
        of_an_unknown_append_nothing_is_removed,
        of_an_unknown_delete_nothing_is_removed,
        of_an_unknown_rewrite_nothing_is_removed,
        an_unknown_upgrade_is_told,
        an_upgrade_without_snapshot_tells_the_head,
        gzip_is_gzip_in_any_case,
    };
    Suite *suite = TEST_SUITE("commit", tests);
    TCase *tc = tcase_create("every call");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, engine_setup, engine_teardown);
    tcase_add_loop_test(tc, every_call_that_fails_leaves_before_or_after, 0, 3);
    tcase_add_loop_test(tc, every_reply_that_is_lost_leaves_before_or_after, 0, 3);
    tcase_add_loop_test(tc, a_lost_reply_for_any_other_file_is_a_failure_that_leaves_nothing, 0, 9);
    suite_add_tcase(suite, tc);
    return suite;
}
