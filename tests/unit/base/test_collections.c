/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "base/vec.h"

#include "base_tests.h"

#include <stdio.h>

START_TEST(vector_grows_and_keeps_items_when_it_cannot) {
    failing_env f;
    RWL_VEC(int64_t) vec = {0};
    failing_env_init(&f, 3); /* blocks of 8 and 12 items, then none */
    rwl_status st = RWL_OK;
    int64_t pushed = 0;
    while ((st = rwl_vec_push(&vec, &f.env, pushed, NULL)) == RWL_OK)
        pushed++;
    ck_assert_int_eq(st, RWL_NO_MEMORY);
    ck_assert_int_eq(pushed, 12);
    for (int64_t i = 0; i < pushed; i++)
        ck_assert_int_eq(vec.items[i], i);
    ck_assert_int_eq(rwl_vec_reserve(&vec, &f.env, SIZE_MAX, NULL), RWL_NO_MEMORY);
    ck_assert_int_eq(rwl_vec_reserve(&vec, &f.env, SIZE_MAX / 4, NULL), RWL_NO_MEMORY);
    rwl_vec_clear(&vec, &f.env);
    ck_assert_int_eq(f.blocks, 0);
}
END_TEST

START_TEST(map_finds_what_was_put_in_insertion_order) {
    rwl_env env;
    rwl_map map;
    rwl_env_init_default(&env);
    rwl_map_init(&map, &env);
    ck_assert_ptr_null(rwl_map_get_str(&map, "none"));
    for (int64_t i = 0; i < 5000; i++) {
        char key[32];
        bool added = false;
        rwl_map_value *value;
        snprintf(key, sizeof key, "key%lld", (long long)(i * 7919 % 5000));
        ck_assert_int_eq(rwl_map_put(&map, rwl_span_str(key), &value, &added, NULL), RWL_OK);
        ck_assert(added);
        ck_assert_int_eq(value->i64, 0);
        value->i64 = i;
    }
    ck_assert_uint_eq(map.len, 5000);
    for (int64_t i = 0; i < 5000; i++) {
        char key[32];
        snprintf(key, sizeof key, "key%lld", (long long)(i * 7919 % 5000));
        ck_assert_int_eq(rwl_map_get_str(&map, key)->i64, i);
        ck_assert(rwl_span_equal(rwl_map_key(&map, (size_t)i), rwl_span_str(key)));
        ck_assert_int_eq(rwl_map_value_at(&map, (size_t)i)->i64, i);
    }
    bool added = true;
    rwl_map_value *value;
    ck_assert_int_eq(rwl_map_put(&map, rwl_span_str("key0"), &value, &added, NULL), RWL_OK);
    ck_assert(!added);
    ck_assert_ptr_null(rwl_map_get_str(&map, "key5000"));
    rwl_map_clear(&map);
}
END_TEST

START_TEST(map_keys_may_be_numbers_and_empty) {
    rwl_env env;
    rwl_map map;
    rwl_map_value *value;
    int64_t key = -5;
    rwl_env_init_default(&env);
    rwl_map_init(&map, &env);
    ck_assert_int_eq(rwl_map_put(&map, rwl_span_of(&key, sizeof key), &value, NULL, NULL), RWL_OK);
    value->i64 = 50;
    ck_assert_int_eq(rwl_map_put(&map, rwl_span_of(NULL, 0), &value, NULL, NULL), RWL_OK);
    value->i64 = 60;
    ck_assert_int_eq(rwl_map_get_i64(&map, -5)->i64, 50);
    ck_assert_int_eq(rwl_map_get_str(&map, "")->i64, 60);
    ck_assert_ptr_null(rwl_map_get_i64(&map, 5));
    rwl_map_clear(&map);
}
END_TEST

START_TEST(map_survives_each_failed_allocation) {
    for (int64_t fail_at = 1; fail_at < 12; fail_at++) {
        failing_env f;
        rwl_map map;
        failing_env_init(&f, fail_at);
        rwl_map_init(&map, &f.env);
        int64_t done = 0;
        rwl_map_value *value;
        while (done < 100 && rwl_map_put(&map, rwl_span_of(&done, sizeof done), &value, NULL, NULL) == RWL_OK)
            value->i64 = done++;
        ck_assert_uint_eq(map.len, (size_t)done);
        for (int64_t i = 0; i < done; i++)
            ck_assert_int_eq(rwl_map_get_i64(&map, i)->i64, i);
        rwl_map_clear(&map);
        ck_assert_int_eq(f.blocks, 0);
    }
}
END_TEST

TCase *collection_tests(void) {
    TCase *tc = tcase_create("vec and map");
    tcase_add_test(tc, vector_grows_and_keeps_items_when_it_cannot);
    tcase_add_test(tc, map_finds_what_was_put_in_insertion_order);
    tcase_add_test(tc, map_keys_may_be_numbers_and_empty);
    tcase_add_test(tc, map_survives_each_failed_allocation);
    return tc;
}
