/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base_tests.h"

#include <string.h>

START_TEST(blocks_are_aligned_zeroed_and_apart) {
    failing_env f;
    rwl_arena arena;
    failing_env_init(&f, 0);
    rwl_arena_init(&arena, &f.env, 0);
    unsigned char *last = NULL;
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *p = rwl_arena_alloc(&arena, size);
        ck_assert_ptr_nonnull(p);
        ck_assert_ptr_ne(p, last);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            ck_assert_int_eq(p[i], 0);
        memset(p, 0xff, size);
        last = p;
    }
    rwl_arena_reset(&arena);
    ck_assert_uint_eq(arena.used, 0);
    ck_assert_int_eq(f.blocks, 1);
    unsigned char *again = rwl_arena_alloc(&arena, 100);
    ck_assert_int_eq(again[99], 0);
    rwl_arena_clear(&arena);
    ck_assert_int_eq(f.blocks, 0);
}
END_TEST

START_TEST(limit_and_products_are_checked) {
    rwl_env env;
    rwl_arena arena;
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 64);
    ck_assert_ptr_null(rwl_arena_alloc(&arena, 65));
    ck_assert_ptr_null(rwl_arena_alloc(&arena, SIZE_MAX));
    ck_assert_ptr_null(rwl_arena_array(&arena, SIZE_MAX / 2, 3));
    ck_assert_ptr_nonnull(rwl_arena_alloc(&arena, 64));
    ck_assert_ptr_null(rwl_arena_alloc(&arena, 1));
    rwl_arena_clear(&arena);
}
END_TEST

START_TEST(texts_are_copied_and_formatted) {
    rwl_env env;
    rwl_arena arena;
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    ck_assert_str_eq(rwl_arena_strdup(&arena, "abc"), "abc");
    ck_assert_str_eq(rwl_arena_strndup(&arena, "abc", 2), "ab");
    ck_assert_str_eq(rwl_arena_printf(&arena, "%s-%d", "x", 7), "x-7");
    ck_assert_mem_eq(rwl_arena_copy(&arena, "\1\2\3", 3), "\1\2\3", 3);
    ck_assert_ptr_nonnull(rwl_arena_copy(&arena, NULL, 0));
    rwl_arena_clear(&arena);
}
END_TEST

START_TEST(a_failed_allocation_leaves_the_arena_usable) {
    failing_env f;
    rwl_arena arena;
    failing_env_init(&f, 2);
    rwl_arena_init(&arena, &f.env, 0);
    ck_assert_ptr_nonnull(rwl_arena_alloc(&arena, 10));
    ck_assert_ptr_null(rwl_arena_alloc(&arena, 10000));
    ck_assert_ptr_nonnull(rwl_arena_alloc(&arena, 10));
    rwl_arena_clear(&arena);
    ck_assert_int_eq(f.blocks, 0);
}
END_TEST

/* A head of 32 bytes and 1,024 of room is the first block; 4,000 more are a block of their own. */
START_TEST(blocks_are_charged_and_what_the_budget_refuses_is_named) {
    rwl_env env;
    rwl_op op;
    rwl_arena arena;
    rwl_error err = {0};
    rwl_env_init_default(&env);
    rwl_op_init(&op, &env, 1056 + 4032);
    rwl_arena_init(&arena, &env, 0);
    rwl_arena_charge(&arena, &op);
    ck_assert_ptr_nonnull(rwl_arena_alloc(&arena, 10));
    ck_assert_int_eq(op.memory_used, 1056);
    ck_assert_ptr_null(rwl_arena_alloc(&arena, 4001));
    ck_assert_int_eq(rwl_arena_refused(&arena, RWL_NO_MEMORY, "a document", &err), RWL_UNSUPPORTED);
    ck_assert_str_eq(err.message,
                     "a document needs 4048 bytes beside 1056 in use, more than the memory limit of 5088");
    ck_assert_int_eq(rwl_arena_refused(&arena, RWL_CORRUPT, "a document", &err), RWL_CORRUPT);
    ck_assert_ptr_nonnull(rwl_arena_alloc(&arena, 4000));
    ck_assert_int_eq(op.memory_used, 5088);
    rwl_arena_reset(&arena);
    ck_assert_int_le(op.memory_used, 4032);
    ck_assert_int_eq(rwl_arena_refused(&arena, RWL_NO_MEMORY, "a document", &err), RWL_NO_MEMORY);
    ck_assert_ptr_null(rwl_arena_alloc(&arena, 8000));
    ck_assert_int_eq(rwl_arena_refused(&arena, RWL_NO_MEMORY, "a document", &err), RWL_UNSUPPORTED);
    rwl_arena_clear(&arena);
    ck_assert_int_eq(op.memory_used, 0);
    ck_assert_int_eq(rwl_arena_refused(&arena, RWL_NO_MEMORY, "a document", &err), RWL_NO_MEMORY);
}
END_TEST

TCase *arena_tests(void) {
    TCase *tc = tcase_create("arena");
    tcase_add_test(tc, blocks_are_aligned_zeroed_and_apart);
    tcase_add_test(tc, limit_and_products_are_checked);
    tcase_add_test(tc, texts_are_copied_and_formatted);
    tcase_add_test(tc, a_failed_allocation_leaves_the_arena_usable);
    tcase_add_test(tc, blocks_are_charged_and_what_the_budget_refuses_is_named);
    return tc;
}
