/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of delete files: what is loaded when, and what is dropped. */
#include "base/pool.h"
#include "base/thread.h"
#include "iceberg/delete_cache.h"
#include "table_test.h"

#include <stdio.h>

/* Counts loads; a value is a block that holds its own name. */
typedef struct counter {
    rwl_mutex lock;
    int loads, frees;
    int64_t size;     /* of each value */
    int failures;     /* loads that fail first */
    rwl_status fails; /* with this */
} counter;

static counter counts;

static void begin(int64_t size) {
    memset(&counts, 0, sizeof counts);
    ASSERT_OK(rwl_mutex_init(&counts.lock, err));
    counts.size = size;
}

static rwl_status load(void *ctx, int64_t most, void **value, int64_t *bytes, rwl_error *err) {
    rwl_mutex_lock(&counts.lock);
    counts.loads++;
    bool fail = counts.failures > 0 && counts.failures-- > 0;
    rwl_mutex_unlock(&counts.lock);
    if (fail)
        return rwl_fail(err, counts.fails, "no luck");
    *bytes = counts.size;
    if (counts.size > most)
        return RWL_OK;
    *value = rwl_strdup(test_env(), ctx);
    return *value != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, 1);
}

static void unload(const rwl_env *env, void *value) {
    rwl_mutex_lock(&counts.lock);
    counts.frees++;
    rwl_mutex_unlock(&counts.lock);
    rwl_free(env, value);
}

static rwl_status use(rwl_delete_cache *cache, const char *name, rwl_delete_use *out, rwl_error *err) {
    char copy[32];
    snprintf(copy, sizeof copy, "%s", name);
    rwl_delete_loader loader = {load, unload, copy};
    return rwl_delete_cache_use(cache, test_op(), rwl_span_str(name), &loader, out, err);
}

/* Uses and releases; the value must be the name's. */
static void touch(rwl_delete_cache *cache, const char *name) {
    rwl_delete_use u;
    ASSERT_OK(use(cache, name, &u, err));
    ck_assert_str_eq(u.value, name);
    rwl_delete_cache_release(cache, test_op(), &u);
}

START_TEST(a_value_is_loaded_once) {
    rwl_delete_cache *cache = NULL;
    begin(10);
    ASSERT_OK(rwl_delete_cache_new(test_env(), 100, &cache, err));
    for (int i = 0; i < 3; i++)
        touch(cache, "a");
    touch(cache, "b");
    ck_assert_int_eq(counts.loads, 2);
    ck_assert_int_eq(counts.frees, 0);
    rwl_delete_cache_free(cache);
    ck_assert_int_eq(counts.frees, 2);
}
END_TEST

START_TEST(without_a_cache_each_use_loads) {
    begin(10);
    touch(NULL, "a");
    touch(NULL, "a");
    ck_assert_int_eq(counts.loads, 2);
    ck_assert_int_eq(counts.frees, 2);
}
END_TEST

START_TEST(the_longest_unused_goes_first) {
    rwl_delete_cache *cache = NULL;
    begin(25); /* four fit */
    ASSERT_OK(rwl_delete_cache_new(test_env(), 100, &cache, err));
    touch(cache, "a");
    touch(cache, "b");
    touch(cache, "c");
    touch(cache, "d");
    touch(cache, "a");
    touch(cache, "e"); /* b goes */
    ck_assert_int_eq(counts.loads, 5);
    ck_assert_int_eq(counts.frees, 1);
    touch(cache, "a");
    touch(cache, "c");
    touch(cache, "d");
    ck_assert_int_eq(counts.loads, 5);
    touch(cache, "b");
    ck_assert_int_eq(counts.loads, 6);
    rwl_delete_cache_free(cache);
}
END_TEST

START_TEST(what_is_in_use_stays) {
    rwl_delete_cache *cache = NULL;
    rwl_delete_use held[5];
    const char *names[] = {"a", "b", "c", "d", "e"};
    begin(25);
    ASSERT_OK(rwl_delete_cache_new(test_env(), 100, &cache, err));
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(rwl_delete_cache_is_full(cache), i >= 4);
        ASSERT_OK(use(cache, names[i], &held[i], err));
    }
    ck_assert_int_eq(counts.frees, 0);
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(held[i].value, names[i]);
    for (int i = 0; i < 5; i++)
        rwl_delete_cache_release(cache, test_op(), &held[i]);
    ck_assert_int_eq(counts.frees, 1); /* back within the limit */
    ck_assert(!rwl_delete_cache_is_full(cache));
    rwl_delete_cache_free(cache);
}
END_TEST

START_TEST(what_is_too_large_is_not_tried_again) {
    rwl_delete_cache *cache = NULL;
    begin(26); /* above a quarter of the limit */
    ASSERT_OK(rwl_delete_cache_new(test_env(), 100, &cache, err));
    for (int i = 0; i < 2; i++) {
        rwl_delete_use u;
        ASSERT_OK(use(cache, "a", &u, err));
        ck_assert_ptr_null(u.value);
        ck_assert_int_eq(u.bytes, 26);
        rwl_delete_cache_release(cache, test_op(), &u);
    }
    ck_assert_int_eq(counts.loads, 1);
    rwl_delete_cache_free(cache);
}
END_TEST

START_TEST(a_failed_load_is_tried_again) {
    rwl_delete_cache *cache = NULL;
    rwl_delete_use u;
    begin(10);
    counts.failures = 2;
    counts.fails = RWL_IO;
    ASSERT_OK(rwl_delete_cache_new(test_env(), 100, &cache, err));
    ASSERT_FAILS(RWL_IO, "no luck", use(cache, "a", &u, err));
    ASSERT_FAILS(RWL_IO, "no luck", use(cache, "a", &u, err));
    touch(cache, "a");
    ck_assert_int_eq(counts.loads, 3);
    rwl_delete_cache_free(cache);
}
END_TEST

START_TEST(a_cancelled_operation_waits_for_nothing) {
    rwl_delete_cache *cache = NULL;
    rwl_delete_use u;
    begin(10);
    ASSERT_OK(rwl_delete_cache_new(test_env(), 100, &cache, err));
    atomic_store(&test_op()->cancelled, 1);
    ASSERT_FAILS(RWL_INTERRUPTED, "", use(cache, "a", &u, err));
    ck_assert_int_eq(counts.loads, 0);
    rwl_delete_cache_free(cache);
}
END_TEST

/* --- many tasks --- */

static rwl_status touch_all(void *arg, rwl_error *err) {
    for (int i = 0; i < 50; i++) {
        char name[8];
        rwl_delete_use u;
        snprintf(name, sizeof name, "n%d", i % 10);
        RWL_TRY(use(arg, name, &u, err));
        bool same = strcmp(u.value, name) == 0;
        rwl_delete_cache_release(arg, test_op(), &u);
        if (!same)
            return rwl_fail(err, RWL_INTERNAL, "another's value");
    }
    return RWL_OK;
}

START_TEST(tasks_load_each_value_once) {
    const int64_t limits[] = {1000, 40}; /* all ten fit; four fit */
    for (int k = 0; k < 2; k++) {
        rwl_delete_cache *cache = NULL;
        rwl_pool *pool = NULL;
        rwl_group *group = NULL;
        begin(10);
        ASSERT_OK(rwl_delete_cache_new(test_env(), limits[k], &cache, err));
        ASSERT_OK(rwl_pool_new(test_env(), 4, &pool, err));
        ASSERT_OK(rwl_group_new(pool, test_op(), &group, err));
        for (int i = 0; i < 16; i++)
            ASSERT_OK(rwl_group_submit(group, touch_all, cache, err));
        ASSERT_OK(rwl_group_wait(group, err));
        rwl_group_free(group);
        rwl_pool_free(pool);
        if (k == 0)
            ck_assert_int_eq(counts.loads, 10);
        rwl_delete_cache_free(cache);
        ck_assert_int_eq(counts.loads, counts.frees);
    }
}
END_TEST

Suite *suite_delete_cache(void) {
    Suite *s = suite_create("delete_cache");
    TCase *t = tcase_create("delete_cache");
    tcase_add_checked_fixture(t, table_setup, table_teardown);
    tcase_add_test(t, a_value_is_loaded_once);
    tcase_add_test(t, without_a_cache_each_use_loads);
    tcase_add_test(t, the_longest_unused_goes_first);
    tcase_add_test(t, what_is_in_use_stays);
    tcase_add_test(t, what_is_too_large_is_not_tried_again);
    tcase_add_test(t, a_failed_load_is_tried_again);
    tcase_add_test(t, a_cancelled_operation_waits_for_nothing);
    tcase_add_test(t, tasks_load_each_value_once);
    suite_add_tcase(s, t);
    return s;
}
