/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pool.h"
#include "base/thread.h"

#include "base_tests.h"

#include <string.h>

typedef struct work {
    rwl_pool *pool;
    rwl_op *op;
    int depth, fan_out;
    atomic_llong *leaves;
} work;

static rwl_status run_tree(void *arg, rwl_error *err) {
    work *w = arg;
    if (w->depth == 0) {
        atomic_fetch_add(w->leaves, 1);
        return RWL_OK;
    }
    rwl_group *group;
    RWL_TRY(rwl_group_new(w->pool, w->op, &group, err));
    work below = *w;
    below.depth--;
    rwl_status st = RWL_OK;
    for (int i = 0; i < w->fan_out && st == RWL_OK; i++)
        st = rwl_group_submit(group, run_tree, &below, err);
    rwl_status waited = rwl_group_wait(group, err);
    rwl_group_free(group);
    return st == RWL_OK ? waited : st;
}

static const int thread_counts[] = {0, 1, 2, 5}; /* 0: no pool */

START_TEST(groups_nest_without_deadlock) {
    rwl_env env;
    rwl_op op;
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    int threads = thread_counts[_i];
    rwl_pool *pool = NULL;
    if (threads)
        ck_assert_int_eq(rwl_pool_new(&env, threads, &pool, NULL), RWL_OK);
    ck_assert_int_eq(rwl_pool_threads(pool), threads ? threads : 1);
    atomic_llong leaves = 0;
    work root = {pool, &op, 4, 6, &leaves};
    rwl_error err = {0};
    ck_assert_int_eq(run_tree(&root, &err), RWL_OK);
    ck_assert_int_eq((int)leaves, 6 * 6 * 6 * 6);
    rwl_pool_free(pool);
}
END_TEST

START_TEST(more_tasks_than_the_queue_holds_all_run) {
    rwl_env env;
    rwl_op op;
    rwl_pool *pool;
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_pool_new(&env, 3, &pool, NULL), RWL_OK);
    atomic_llong leaves = 0;
    work root = {pool, &op, 1, 20000, &leaves};
    ck_assert_int_eq(run_tree(&root, NULL), RWL_OK);
    ck_assert_int_eq((int)leaves, 20000);
    rwl_pool_free(pool);
}
END_TEST

static rwl_status fail_with_number(void *arg, rwl_error *err) {
    int number = *(int *)arg;
    return number ? rwl_fail(err, RWL_CORRUPT, "task %d", number) : RWL_OK;
}

START_TEST(the_earliest_failure_is_told_and_later_tasks_are_skipped) {
    rwl_env env;
    rwl_op op;
    rwl_group *group;
    rwl_pool *pool = NULL;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    if (thread_counts[_i])
        ck_assert_int_eq(rwl_pool_new(&env, thread_counts[_i], &pool, NULL), RWL_OK);
    ck_assert_int_eq(rwl_group_new(pool, &op, &group, &err), RWL_OK);
    int numbers[] = {0, 7, 0, 9};
    atomic_llong leaves = 0;
    work leaf = {pool, &op, 0, 0, &leaves};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(rwl_group_submit(group, fail_with_number, &numbers[i], &err), RWL_OK);
    ck_assert_int_eq(rwl_group_wait(group, &err), RWL_CORRUPT);
    ck_assert_int_eq(rwl_group_submit(group, run_tree, &leaf, &err), RWL_OK);
    ck_assert_int_eq(rwl_group_submit(group, fail_with_number, &numbers[3], &err), RWL_OK);
    memset(&err, 0, sizeof err);
    ck_assert_int_eq(rwl_group_wait(group, &err), RWL_CORRUPT);
    ck_assert_str_eq(err.message, "task 7");
    ck_assert_int_eq((int)leaves, 0);
    rwl_group_free(group);
    rwl_pool_free(pool);
}
END_TEST

START_TEST(cancelled_groups_skip_and_say_so) {
    rwl_env env;
    rwl_op op;
    rwl_group *group;
    rwl_pool *pool;
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_pool_new(&env, 2, &pool, NULL), RWL_OK);
    ck_assert_int_eq(rwl_group_new(pool, &op, &group, NULL), RWL_OK);
    op.cancelled = 1;
    atomic_llong leaves = 0;
    work leaf = {pool, &op, 0, 0, &leaves};
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(rwl_group_submit(group, run_tree, &leaf, NULL), RWL_OK);
    ck_assert_int_eq(rwl_group_wait(group, NULL), RWL_INTERRUPTED);
    ck_assert_int_eq((int)leaves, 0);
    rwl_group_free(group);
    rwl_pool_free(pool);
}
END_TEST

START_TEST(refuses_senseless_sizes_and_survives_failed_allocations) {
    failing_env f;
    rwl_pool *pool;
    rwl_group *group;
    failing_env_init(&f, 0);
    ck_assert_int_eq(rwl_pool_new(&f.env, 0, &pool, NULL), RWL_USAGE);
    ck_assert_int_eq(rwl_pool_new(&f.env, 100000, &pool, NULL), RWL_USAGE);
    ck_assert_int_eq(rwl_group_new(NULL, NULL, &group, NULL), RWL_INTERNAL);
    for (int64_t fail_at = 1; fail_at <= 3; fail_at++) {
        failing_env_init(&f, fail_at);
        ck_assert_int_eq(rwl_pool_new(&f.env, 2, &pool, NULL), RWL_NO_MEMORY);
        ck_assert_int_eq(f.blocks, 0);
    }
    rwl_pool_free(NULL);
    rwl_group_free(NULL);
    ck_assert_int_ge(rwl_thread_cpu_count(), 1);
}
END_TEST

TCase *pool_tests(void) {
    TCase *tc = tcase_create("pool");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, groups_nest_without_deadlock, 0, 4);
    tcase_add_test(tc, more_tasks_than_the_queue_holds_all_run);
    tcase_add_loop_test(tc, the_earliest_failure_is_told_and_later_tasks_are_skipped, 0, 4);
    tcase_add_test(tc, cancelled_groups_skip_and_say_so);
    tcase_add_test(tc, refuses_senseless_sizes_and_survives_failed_allocations);
    return tc;
}
