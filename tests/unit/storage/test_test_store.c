/* SPDX-License-Identifier: Apache-2.0 */
/* The test store does what it promises: others believe what it counts and how it fails. */
#include "storage/test_store.h"

#include "storage_tests.h"

#include <unistd.h>

static rwl_store *store;

static void make_store(void) {
    rwl_store *inner;
    rwl_test_store_options none = {0};
    make_dir();
    ck_assert_int_eq(rwl_store_local_new(&env, NULL, 0, &inner, NULL), RWL_OK);
    ck_assert_int_eq(rwl_test_store_new(&env, inner, &none, &store, NULL), RWL_OK);
    put(in_dir("x"), "0123456789");
}

static void remove_store(void) {
    rwl_test_store_stats stats = rwl_test_store_stats_of(store);
    ck_assert_int_eq(stats.open_files, 0);
    ck_assert_int_eq(stats.open_new_files, 0);
    rwl_store_free(store);
    remove_dir();
}

enum { READS = 5 };

static void read_all_ranges(bool expect_poison) {
    rwl_file *file;
    uint8_t dst[READS][2];
    rwl_range_read reads[READS], *pointers[READS];
    memset(dst, 0, sizeof dst);
    ck_assert_int_eq(rwl_file_open(store, NULL, in_dir("x"), &file, NULL), RWL_OK);
    for (int i = 0; i < READS; i++) {
        reads[i] = (rwl_range_read){.offset = 2 * i, .len = 2, .dst = dst[i]};
        pointers[i] = &reads[i];
    }
    ck_assert_int_eq(rwl_file_submit(file, NULL, pointers, READS, NULL), RWL_OK);
    if (expect_poison)
        ck_assert_mem_eq(dst[4], "\xa5\xa5", 2);
    for (int i = READS - 1; i >= 0; i--) {
        ck_assert_int_eq(rwl_file_wait(file, NULL, &reads[i], NULL), RWL_OK);
        ck_assert_int_eq(rwl_file_wait(file, NULL, &reads[i], NULL), RWL_OK);
        ck_assert_int_eq(dst[i][0], '0' + 2 * i);
        ck_assert_int_eq(dst[i][1], '1' + 2 * i);
    }
    rwl_file_close(file);
}

START_TEST(reads_wait_are_split_and_reordered_and_counted) {
    read_all_ranges(true);
    for (uint64_t seed = 0; seed < 20; seed++) {
        rwl_test_store_options o = {.seed = seed, .reorder = true, .split = 1};
        rwl_test_store_set(store, &o);
        read_all_ranges(true);
        rwl_test_store_stats stats = rwl_test_store_stats_of(store);
        ck_assert_int_eq(stats.calls[RWL_TEST_READ], READS);
        ck_assert_int_eq(stats.calls[RWL_TEST_OPEN], 1);
        ck_assert_int_eq(stats.submits, 1);
        ck_assert_int_eq(stats.bytes_read, 2 * READS);
        ck_assert_int_eq(stats.failures, 0);
    }
}
END_TEST

START_TEST(files_end_early) {
    rwl_test_store_options o = {.end_at = 6, .only = "/x"};
    rwl_buf buf;
    rwl_file *file;
    uint8_t dst[4];
    rwl_error err = {0};
    rwl_test_store_set(store, &o);
    rwl_buf_init(&buf, &env, SIZE_MAX);
    check_content(store, in_dir("x"), "012345");
    ck_assert_int_eq(rwl_file_open(store, NULL, in_dir("x"), &file, NULL), RWL_OK);
    ck_assert_int_eq(rwl_file_read(file, NULL, 4, 3, dst, &err), RWL_CORRUPT);
    ck_assert_ptr_nonnull(strstr(err.message, "file ends at byte 6"));
    rwl_file_close(file);
    rwl_buf_clear(&buf);
}
END_TEST

static int64_t slept;

static void count_sleep(void *ctx, int64_t ms) {
    (void)ctx;
    slept += ms;
}

START_TEST(delays_go_through_the_environment) {
    rwl_test_store_options o = {.delay_ms = 50};
    env.sleep_ms = count_sleep;
    rwl_test_store_set(store, &o);
    slept = 0;
    check_content(store, in_dir("x"), "0123456789");
    ck_assert_int_eq(slept, 50);
}
END_TEST

static rwl_status ignore(void *ctx, const char *name, const rwl_stat *st, rwl_error *err) {
    (void)ctx;
    (void)name;
    (void)st;
    (void)err;
    return RWL_OK;
}

/* One call of each kind, the first failure is the answer. */
static rwl_status call_everything(rwl_error *err) {
    rwl_stat st;
    rwl_buf buf;
    rwl_buf_init(&buf, &env, SIZE_MAX);
    rwl_status status = rwl_store_read_all(store, NULL, in_dir("x"), &buf, err); /* open, read */
    rwl_buf_clear(&buf);
    RWL_TRY(status);
    RWL_TRY(rwl_store_stat(store, NULL, in_dir("x"), &st, err));
    RWL_TRY(rwl_store_list(store, NULL, dir, ignore, NULL, err));
    RWL_TRY(rwl_store_put(store, NULL, in_dir("new"), rwl_span_str("abc"), err)); /* create, write, finish */
    RWL_TRY(rwl_store_replace(store, NULL, in_dir("hint"), rwl_span_str("1"), err));
    return rwl_store_remove(store, NULL, in_dir("x"), err);
}

START_TEST(the_nth_call_fails_before_or_after_it_was_carried_out) {
    static const rwl_test_call order[] = {RWL_TEST_OPEN,   RWL_TEST_READ,    RWL_TEST_STAT,
                                          RWL_TEST_LIST,   RWL_TEST_CREATE,  RWL_TEST_WRITE,
                                          RWL_TEST_FINISH, RWL_TEST_REPLACE, RWL_TEST_REMOVE};
    bool after = _i % 2;
    int n = _i / 2;
    rwl_error err = {0};
    rwl_test_store_options o = {.fail_at = n + 1, .fail_call = RWL_TEST_ANY, .fail_after = after};
    rwl_test_store_set(store, &o);
    rwl_status st = call_everything(&err);
    bool commits = order[n] == RWL_TEST_FINISH || order[n] == RWL_TEST_REPLACE;
    ck_assert_int_eq(st, after && commits ? RWL_COMMIT_UNKNOWN : RWL_IO);
    ck_assert_ptr_nonnull(strstr(err.message, rwl_test_call_name(order[n])));
    ck_assert_int_eq(access(in_dir("new"), F_OK) == 0, n > 6 || (n == 6 && after));
    ck_assert_int_eq(access(in_dir("hint"), F_OK) == 0, n > 7 || (n == 7 && after));
    ck_assert_int_eq(access(in_dir("x"), F_OK) == 0, !(n == 8 && after));
    ck_assert_int_eq(rwl_test_store_stats_of(store).failures, 1);
}
END_TEST

START_TEST(failures_can_be_chosen_by_kind_name_and_status_and_last) {
    rwl_stat st;
    rwl_error err = {0};
    rwl_test_store_options o = {.fail_at = 2,
                                .fail_call = RWL_TEST_STAT,
                                .only = "/x",
                                .fail_rest = true,
                                .fail_status = RWL_CONFLICT};
    rwl_test_store_set(store, &o);
    ck_assert_int_eq(rwl_store_stat(store, NULL, dir, &st, &err), RWL_OK);
    ck_assert_int_eq(rwl_store_stat(store, NULL, in_dir("x"), &st, &err), RWL_OK);
    ck_assert_int_eq(rwl_store_stat(store, NULL, in_dir("x"), &st, &err), RWL_CONFLICT);
    ck_assert_int_eq(rwl_store_stat(store, NULL, in_dir("x"), &st, &err), RWL_CONFLICT);
    ck_assert_int_eq(rwl_store_stat(store, NULL, dir, &st, &err), RWL_OK);
    ck_assert_int_eq(rwl_test_store_stats_of(store).calls[RWL_TEST_STAT], 5);
}
END_TEST

START_TEST(paths_are_found_through_the_wrapper) {
    rwl_path_map map = {"/from", "/to"};
    rwl_store *inner, *outer;
    rwl_test_store_options none = {0};
    rwl_buf buf;
    bool mapped;
    rwl_buf_init(&buf, &env, SIZE_MAX);
    ck_assert_int_eq(rwl_store_local_new(&env, &map, 1, &inner, NULL), RWL_OK);
    ck_assert_int_eq(rwl_test_store_new(&env, inner, &none, &outer, NULL), RWL_OK);
    ck_assert_int_eq(rwl_store_local_path(outer, "/from/a", &buf, &mapped, NULL), RWL_OK);
    ck_assert_str_eq((char *)buf.data, "/to/a");
    ck_assert(mapped);
    rwl_buf_clear(&buf);
    rwl_store_free(outer);
}
END_TEST

TCase *test_store_tests(void) {
    TCase *tc = tcase_create("test store");
    tcase_add_checked_fixture(tc, make_store, remove_store);
    tcase_add_test(tc, reads_wait_are_split_and_reordered_and_counted);
    tcase_add_test(tc, files_end_early);
    tcase_add_test(tc, delays_go_through_the_environment);
    tcase_add_loop_test(tc, the_nth_call_fails_before_or_after_it_was_carried_out, 0, 18);
    tcase_add_test(tc, failures_can_be_chosen_by_kind_name_and_status_and_last);
    tcase_add_test(tc, paths_are_found_through_the_wrapper);
    return tc;
}
