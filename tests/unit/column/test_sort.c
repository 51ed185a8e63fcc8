/* SPDX-License-Identifier: Apache-2.0 */
/* Sort keys: memcmp order equals the order of values, and the sort is stable. */
#include "suites.h"

#include "column/sort.h"

static rwl_env env;
static void setup(void) {
    rwl_env_init_default(&env);
}

static int compare_rows(const rwl_batch *b, const rwl_sort_key *by, size_t count, int64_t i, int64_t k) {
    for (size_t n = 0; n < count; n++) {
        rwl_value x = rwl_column_value(&b->columns[by[n].column], i);
        rwl_value y = rwl_column_value(&b->columns[by[n].column], k);
        int order = 0;
        if (x.is_null || y.is_null) {
            order = (int)y.is_null - (int)x.is_null; /* nulls first */
            order = by[n].nulls_first ? order : -order;
        } else {
            order = rwl_value_compare(&x, &y);
            order = by[n].descending ? -order : order;
        }
        if (order != 0)
            return order;
    }
    return 0;
}

/* Two columns of the type of this loop and of another one, all directions. */
START_TEST(keys_order_as_values_do) {
    uint64_t seed = 31 + (uint64_t)_i;
    enum { N = 200 };
    rwl_field fields[2] = {{.name = "a", .id = 1}, {.name = "b", .id = 2}};
    fields[0].type = ALL_TYPES[_i];
    fields[1].type = ALL_TYPES[(_i + 3) % ALL_TYPE_COUNT];
    rwl_batch b;
    OK(rwl_batch_init(&b, &env, fields, 2, err));
    uint8_t room[32];
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 2; c++) {
            rwl_value v = random_value(&fields[c].type, &seed, 5, room);
            OK(rwl_column_append(&b.columns[c], &env, &v, 1, err));
        }
    }
    b.length = N;
    rwl_buf keys;
    rwl_buf_init(&keys, &env, SIZE_MAX);
    uint64_t ends[N];
    rwl_sort_prefix prefixes[N];
    int32_t order[N];
    for (int flags = 0; flags < 16; flags++) {
        rwl_sort_key by[2] = {{0, flags & 1, flags & 2}, {1, flags & 4, flags & 8}};
        rwl_buf_reset(&keys);
        OK(rwl_sort_keys_encode(&b, by, 2, &keys, ends, err));
        ck_assert_uint_eq(ends[N - 1], keys.len);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < N; k++) {
                uint64_t si = i == 0 ? 0 : ends[i - 1];
                uint64_t sk = k == 0 ? 0 : ends[k - 1];
                int got = rwl_span_compare(rwl_span_of(keys.data + si, ends[i] - si),
                                           rwl_span_of(keys.data + sk, ends[k] - sk));
                if (got != compare_rows(&b, by, 2, i, k)) /* an assertion a pair takes ten seconds */
                    ck_abort_msg("rows %d and %d compare as %d", i, k, got);
            }
        }
        rwl_sort_keys_prefixes(keys.data, ends, N, prefixes);
        rwl_sort_keys all = {keys.data, ends, prefixes};
        OK(rwl_sort_keys_order(&env, &all, N, order, err));
        for (int i = 1; i < N; i++) {
            int c = compare_rows(&b, by, 2, order[i - 1], order[i]);
            ck_assert(c < 0 || (c == 0 && order[i - 1] < order[i]));
        }
    }
    rwl_buf_clear(&keys);
    rwl_batch_clear(&b);
}
END_TEST

START_TEST(appends_keys_of_several_batches) {
    rwl_field f = {.name = "a", .id = 1, .type = {.kind = RWL_TYPE_LONG}};
    rwl_batch b;
    OK(rwl_batch_init(&b, &env, &f, 1, err));
    rwl_buf keys;
    rwl_buf_init(&keys, &env, SIZE_MAX);
    uint64_t ends[4];
    rwl_sort_key by = {0, false, true};
    for (int64_t n = 0; n < 2; n++) {
        rwl_batch_reset(&b);
        for (int64_t i = 0; i < 2; i++) {
            rwl_value v = rwl_value_null(RWL_TYPE_LONG);
            v.is_null = false;
            v.as.i64 = 10 - 2 * i - n; /* 10 8 | 9 7 */
            OK(rwl_column_append(&b.columns[0], &env, &v, 1, err));
        }
        b.length = 2;
        OK(rwl_sort_keys_encode(&b, &by, 1, &keys, ends + 2 * n, err));
    }
    int32_t order[4];
    rwl_sort_prefix prefixes[4];
    rwl_sort_keys_prefixes(keys.data, ends, 4, prefixes);
    rwl_sort_keys all = {keys.data, ends, prefixes};
    OK(rwl_sort_keys_order(&env, &all, 4, order, err));
    const int32_t expect[] = {3, 1, 2, 0};
    ck_assert_mem_eq(order, expect, sizeof order);
    rwl_buf_clear(&keys);
    rwl_batch_clear(&b);
}
END_TEST

START_TEST(sorts_sizes_around_the_run_length_stably) {
    uint64_t seed = 77;
    static uint8_t keys[2000];
    static uint64_t ends[2000];
    static rwl_sort_prefix prefixes[2000];
    static int32_t order[2000];
    for (int n = 0; n < 2000; n = n < 70 ? n + 1 : n * 3) {
        for (int i = 0; i < n; i++) {
            keys[i] = (uint8_t)(next_random(&seed) % 7);
            ends[i] = (uint64_t)i + 1;
        }
        rwl_sort_keys_prefixes(keys, ends, n, prefixes);
        rwl_sort_keys all = {keys, ends, prefixes};
        OK(rwl_sort_keys_order(&env, &all, n, order, err));
        for (int i = 1; i < n; i++) {
            uint8_t a = keys[order[i - 1]];
            uint8_t b = keys[order[i]];
            ck_assert(a < b || (a == b && order[i - 1] < order[i]));
        }
    }
}
END_TEST

/* Two rows compare by their prefixes alone as their values do, whatever the columns, as long as they are short. */
START_TEST(short_keys_order_as_values_do) {
    uint64_t seed = 41 + (uint64_t)_i;
    enum { N = 100 };
    rwl_type types[2] = {ALL_TYPES[_i / ALL_TYPE_COUNT], ALL_TYPES[_i % ALL_TYPE_COUNT]};
    size_t count = rwl_sort_keys_are_short(types, 2) ? 2 : rwl_sort_keys_are_short(types, 1) ? 1 : 0;
    rwl_field fields[2] = {{.name = "a", .id = 1, .type = types[0]},
                           {.name = "b", .id = 2, .type = types[1]}};
    rwl_batch b;
    OK(rwl_batch_init(&b, &env, fields, 2, err));
    uint8_t room[32];
    for (int i = 0; i < 2 * N; i++) {
        rwl_value v = random_value(&fields[i % 2].type, &seed, i < N ? 5 : 1000, room);
        OK(rwl_column_append(&b.columns[i % 2], &env, &v, 1, err));
    }
    b.length = N;
    rwl_sort_prefix prefixes[N];
    rwl_sort_keys keys = {.prefixes = prefixes};
    for (int flags = 0; count > 0 && flags < 16; flags++) {
        rwl_sort_key by[2] = {{0, flags & 1, flags & 2}, {1, flags & 4, flags & 8}};
        OK(rwl_sort_prefixes_encode(&b, by, count, prefixes, err));
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                if (rwl_sort_keys_compare(&keys, i, &keys, k) != compare_rows(&b, by, count, i, k))
                    ck_abort_msg("rows %d and %d compare otherwise", i, k);
    }
    rwl_batch_clear(&b);
}
END_TEST

START_TEST(refuses_to_sort_by_geometry) {
    rwl_field f = {.name = "g", .id = 1, .type = {.kind = RWL_TYPE_GEOMETRY}};
    rwl_batch b;
    rwl_error fault = {0};
    OK(rwl_batch_init(&b, &env, &f, 1, err));
    rwl_buf keys;
    rwl_buf_init(&keys, &env, SIZE_MAX);
    uint64_t ends[1];
    rwl_sort_key by = {0, false, true};
    ck_assert_int_eq(rwl_sort_keys_encode(&b, &by, 1, &keys, ends, &fault), RWL_UNSUPPORTED);
    rwl_buf_clear(&keys);
    rwl_batch_clear(&b);
}
END_TEST

TCase *sort_cases(void) {
    TCase *tc = tcase_create("sort");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, keys_order_as_values_do, 0, ALL_TYPE_COUNT);
    tcase_add_loop_test(tc, short_keys_order_as_values_do, 0, ALL_TYPE_COUNT * ALL_TYPE_COUNT);
    tcase_add_test(tc, appends_keys_of_several_batches);
    tcase_add_test(tc, sorts_sizes_around_the_run_length_stably);
    tcase_add_test(tc, refuses_to_sort_by_geometry);
    return tc;
}
