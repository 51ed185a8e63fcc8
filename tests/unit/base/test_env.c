/* SPDX-License-Identifier: Apache-2.0 */
#include "base/env.h"

#include "base_tests.h"

#include <string.h>

START_TEST(budget_is_kept_and_the_need_is_named) {
    rwl_env env;
    rwl_op op;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 100);
    ck_assert_int_eq(rwl_op_reserve(&op, 60, "a batch", &err), RWL_OK);
    ck_assert_int_eq(rwl_op_reserve(&op, 41, "a page", &err), RWL_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "a page needs 41 bytes"));
    ck_assert_int_eq(rwl_op_reserve(&op, INT64_MAX, "much", &err), RWL_UNSUPPORTED);
    ck_assert_int_eq(rwl_op_reserve(&op, 40, "a page", &err), RWL_OK);
    rwl_op_release(&op, 100);
    ck_assert_int_eq((int)op.memory_used, 0);
    ck_assert_int_eq(rwl_op_reserve(&op, -1, "less", &err), RWL_INTERNAL);
}
END_TEST

START_TEST(cancelled_operations_say_so) {
    rwl_env env;
    rwl_op op;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 0);
    ck_assert_int_eq(rwl_op_check(&op, &err), RWL_OK);
    op.cancelled = 1;
    ck_assert_int_eq(rwl_op_check(&op, &err), RWL_INTERRUPTED);
}
END_TEST

static int64_t frozen_ns;
static int updates;

static int64_t read_frozen(void *ctx) {
    (void)ctx;
    return frozen_ns;
}

static void count_update(void *ctx, const char *phase, int64_t done, int64_t total) {
    (void)ctx;
    (void)phase;
    (void)done;
    (void)total;
    updates++;
}

START_TEST(progress_is_told_a_few_times_a_second_and_at_the_end) {
    rwl_env env;
    rwl_op op;
    rwl_env_init_default(&env);
    env.monotonic_ns = read_frozen;
    rwl_op_init(&op, &env, 0);
    rwl_op_progress(&op, "scan", 0, 10); /* nobody listens */
    op.progress.update = count_update;
    updates = 0;
    frozen_ns = 1000;
    for (int i = 0; i < 5; i++)
        rwl_op_progress(&op, "scan", i, 10);
    ck_assert_int_eq(updates, 1);
    frozen_ns += 1000000000;
    rwl_op_progress(&op, "scan", 6, 10);
    ck_assert_int_eq(updates, 2);
    rwl_op_progress(&op, "scan", 10, 10);
    ck_assert_int_eq(updates, 3);
}
END_TEST

static char logged[64];

static void keep_line(void *ctx, rwl_log_level level, const char *line) {
    (void)ctx;
    if (level == RWL_LOG_WARN)
        strncpy(logged, line, sizeof logged - 1);
}

START_TEST(log_lines_are_formatted_and_may_go_nowhere) {
    rwl_env env;
    rwl_env_init_default(&env);
    rwl_log(&env, RWL_LOG_WARN, "nobody %d", 1);
    env.log = keep_line;
    rwl_log(&env, RWL_LOG_WARN, "file %s", "a");
    ck_assert_str_eq(logged, "file a");
}
END_TEST

START_TEST(memory_calls_check_products_and_failures) {
    failing_env f;
    failing_env_init(&f, 3);
    void *block = rwl_alloc(&f.env, 0);
    ck_assert_ptr_nonnull(block);
    rwl_free(&f.env, block);
    rwl_free(&f.env, NULL);
    char *text = rwl_strdup(&f.env, "abc");
    ck_assert_str_eq(text, "abc");
    ck_assert_ptr_null(rwl_strdup(&f.env, "abc"));
    ck_assert_ptr_null(rwl_calloc(&f.env, SIZE_MAX, 2));
    rwl_free(&f.env, text);
    ck_assert_int_eq(f.blocks, 0);
    rwl_error err = {0};
    ck_assert_int_eq(rwl_no_memory(&err, 77), RWL_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.message, "77"));
}
END_TEST

TCase *env_tests(void) {
    TCase *tc = tcase_create("env");
    tcase_add_test(tc, budget_is_kept_and_the_need_is_named);
    tcase_add_test(tc, cancelled_operations_say_so);
    tcase_add_test(tc, progress_is_told_a_few_times_a_second_and_at_the_end);
    tcase_add_test(tc, log_lines_are_formatted_and_may_go_nowhere);
    tcase_add_test(tc, memory_calls_check_products_and_failures);
    return tc;
}
