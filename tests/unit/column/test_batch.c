/* SPDX-License-Identifier: Apache-2.0 */
/* Columns and batches: growth, appends, bit copies. */
#include "column/bits.h"
#include "suites.h"

static rwl_env env;
static void setup(void) {
    rwl_env_init_default(&env);
}

/* Appends random values and reads each back. */
START_TEST(appended_values_read_back) {
    const rwl_type *type = &ALL_TYPES[_i];
    uint64_t seed = 7 + (uint64_t)_i;
    enum { N = 700 };
    static rwl_value values[N];
    static uint8_t rooms[N][32];
    rwl_column c;
    rwl_column_init_flat(&c, type);
    for (int round = 0; round < 2; round++) { /* the second in reused buffers */
        for (int i = 0; i < N;) {
            values[i] = random_value(type, &seed, round == 0 ? 0 : 5, rooms[i]);
            int64_t count = 1 + (int64_t)(next_random(&seed) % 3);
            count = count > N - i ? N - i : count;
            OK(rwl_column_append(&c, &env, &values[i], count, err));
            for (int64_t k = 1; k < count; k++)
                values[i + k] = values[i];
            i += (int)count;
        }
        ck_assert_int_eq(c.length, N);
        int64_t nulls = 0;
        for (int i = 0; i < N; i++) {
            rwl_value v = rwl_column_value(&c, i);
            nulls += v.is_null;
            ck_assert_msg(rwl_value_equal(&v, &values[i]), "row %d", i);
        }
        ck_assert_int_eq(nulls, c.null_count);
        rwl_column_reset(&c);
    }
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(buffers_are_aligned_and_null_slots_are_zero) {
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_column c;
    rwl_column_init_flat(&c, &type);
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    v.is_null = false;
    v.as.i64 = -1;
    OK(rwl_column_append(&c, &env, &v, 100, err));
    rwl_column_reset(&c);
    v.is_null = true;
    OK(rwl_column_append(&c, &env, &v, 100, err));
    ck_assert_uint_eq((uintptr_t)c.values.data % 64, 0);
    ck_assert_uint_eq((uintptr_t)c.validity.data % 64, 0);
    ck_assert_uint_eq(c.values.cap % 64, 0);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(rwl_column_i64(&c)[i], 0);
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(refuses_more_bytes_than_offsets_can_hold) {
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    rwl_column c;
    rwl_column_init_flat(&c, &type);
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_column_reserve(&c, &env, 1, RWL_COLUMN_BYTES_MAX + 1, &fault), RWL_UNSUPPORTED);
    rwl_value v = rwl_value_null(RWL_TYPE_BINARY);
    v.is_null = false;
    static const uint8_t big[65536];
    v.as.bytes = rwl_span_of(big, sizeof big);
    ck_assert_int_eq(rwl_column_append(&c, &env, &v, 32768, &fault), RWL_UNSUPPORTED); /* 2^31 */
    ck_assert_int_eq(c.length, 0);
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(refuses_more_bytes_of_fixed_values_than_a_batch_may_have) {
    rwl_type type = rwl_type_of(RWL_TYPE_FIXED);
    type.length = 999999999; /* the longest a schema can name */
    rwl_column c;
    rwl_column_init_flat(&c, &type);
    rwl_error fault = {0};
    rwl_value null = rwl_value_null(RWL_TYPE_FIXED);
    ck_assert_int_eq(rwl_column_reserve(&c, &env, 3, 0, &fault), RWL_UNSUPPORTED); /* above 2^31 */
    ck_assert_ptr_nonnull(strstr(fault.message, "3 values of 999999999 bytes"));
    ck_assert_int_eq(rwl_column_append(&c, &env, &null, 65536, &fault), RWL_UNSUPPORTED);
    ck_assert_int_eq(c.length, 0);
    ck_assert_ptr_null(c.values.data);
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(refuses_a_value_of_another_kind) {
    rwl_type type = rwl_type_of(RWL_TYPE_INT);
    rwl_column c;
    rwl_column_init_flat(&c, &type);
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    v.is_null = false;
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_column_append(&c, &env, &v, 1, &fault), RWL_INTERNAL);
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(refuses_types_nested_too_deep) {
    static rwl_field chain[RWL_TYPE_DEPTH_MAX + 1];
    chain[0] = (rwl_field){.name = "x", .type = {.kind = RWL_TYPE_INT}};
    for (int i = 1; i <= RWL_TYPE_DEPTH_MAX; i++)
        chain[i] = (rwl_field){.name = "x",
                               .type = {.kind = i % 2 ? RWL_TYPE_LIST : RWL_TYPE_STRUCT,
                                        .children = &chain[i - 1],
                                        .child_count = 1}};
    rwl_batch b;
    rwl_error fault = {0};
    OK(rwl_batch_init(&b, &env, &chain[RWL_TYPE_DEPTH_MAX], 1, err));
    rwl_batch_clear(&b);
    rwl_field more = {
        .name = "x",
        .type = {.kind = RWL_TYPE_LIST, .children = &chain[RWL_TYPE_DEPTH_MAX], .child_count = 1}};
    ck_assert_int_eq(rwl_batch_init(&b, &env, &more, 1, &fault), RWL_UNSUPPORTED);
    rwl_batch_clear(&b);
    more.type.child_count = 0; /* a list of nothing */
    ck_assert_int_eq(rwl_batch_init(&b, &env, &more, 1, &fault), RWL_INTERNAL);
    rwl_batch_clear(&b);
}
END_TEST

START_TEST(validity_made_real_marks_earlier_rows_valid) {
    rwl_type type = rwl_type_of(RWL_TYPE_INT);
    rwl_column c;
    rwl_column_init_flat(&c, &type);
    rwl_value v = rwl_value_null(RWL_TYPE_INT);
    v.is_null = false;
    OK(rwl_column_append(&c, &env, &v, 13, err));
    OK(rwl_column_need_validity(&c, &env, 100, err));
    for (int i = 0; i < 13; i++)
        ck_assert(rwl_bit_get(c.validity.data, i));
    ck_assert_uint_ge(c.validity.cap, 13);
    rwl_column_clear(&c, &env);
}
END_TEST

START_TEST(copies_fills_and_counts_bits_at_any_offset) {
    uint64_t seed = 3;
    uint8_t src[64];
    for (int round = 0; round < 3000; round++) {
        for (int i = 0; i < 64; i++)
            src[i] = (uint8_t)next_random(&seed);
        uint8_t dst[64];
        uint8_t expect[64];
        memset(dst, round & 1 ? 0xFF : 0, sizeof dst);
        memcpy(expect, dst, sizeof dst);
        int64_t from = (int64_t)(next_random(&seed) % 200);
        int64_t to = (int64_t)(next_random(&seed) % 200);
        int64_t n = (int64_t)(next_random(&seed) % 300);
        int64_t ones = 0;
        for (int64_t i = 0; i < n; i++) {
            bool bit = rwl_bit_get(src, from + i);
            ones += bit;
            if (bit)
                rwl_bit_set(expect, to + i);
            else
                rwl_bit_clear(expect, to + i);
        }
        rwl_bits_copy(dst, to, src, from, n);
        ck_assert_mem_eq(dst, expect, sizeof dst);
        ck_assert_int_eq(rwl_bits_count(src, from, n), ones);
        rwl_bits_fill(dst, to, n, round & 2);
        ck_assert_int_eq(rwl_bits_count(dst, to, n), round & 2 ? n : 0);
        rwl_bits_copy(dst, to, expect, to, n);
        ck_assert_mem_eq(dst, expect, sizeof dst);
    }
}
END_TEST

TCase *batch_cases(void) {
    TCase *tc = tcase_create("batch");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, appended_values_read_back, 0, ALL_TYPE_COUNT);
    tcase_add_test(tc, buffers_are_aligned_and_null_slots_are_zero);
    tcase_add_test(tc, refuses_more_bytes_than_offsets_can_hold);
    tcase_add_test(tc, refuses_more_bytes_of_fixed_values_than_a_batch_may_have);
    tcase_add_test(tc, refuses_a_value_of_another_kind);
    tcase_add_test(tc, refuses_types_nested_too_deep);
    tcase_add_test(tc, validity_made_real_marks_earlier_rows_valid);
    tcase_add_test(tc, copies_fills_and_counts_bits_at_any_offset);
    return tc;
}
