/* SPDX-License-Identifier: Apache-2.0 */
/* Nested columns: kernels against rows as text, hashes, promotion, checks. */
#include "nested.h"

static rwl_env env;
static void setup(void) {
    rwl_env_init_default(&env);
}

enum { N = 400 };

static void make_random(rwl_column *c, const rwl_type *type, int rows, int null_every, uint64_t seed) {
    OK(rwl_column_init(c, &env, type, err));
    for (int i = 0; i < rows; i++)
        append_random(c, &env, null_every, &seed);
}

static void expect_texts(const rwl_column *c, char **want, const int32_t *rows, int64_t count, int64_t from) {
    char **have = texts_of(c, &env);
    ck_assert_int_eq(c->length, from + count);
    for (int64_t i = 0; i < count; i++)
        ck_assert_str_eq(have[from + i], want[rows[i]]);
    free_texts(have, c->length);
}

/* {"a": 1, "b": null} and so on, written by hand from CLI.md's rules. */
START_TEST(rows_print_as_json) {
    rwl_column s, m;
    OK(rwl_column_init(&s, &env, &NESTED[0].type, err));
    OK(rwl_column_init(&m, &env, &NESTED[2].type, err));
    rwl_value one = {.kind = RWL_TYPE_INT, .as.i32 = 1};
    rwl_value text = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_str("x\"y")};
    rwl_value half = {.kind = RWL_TYPE_DOUBLE, .as.f64 = 0.5};
    rwl_value null = rwl_value_null(RWL_TYPE_STRING);
    rwl_value no_double = rwl_value_null(RWL_TYPE_DOUBLE);
    OK(rwl_column_append(&s.children[0], &env, &one, 2, err));
    OK(rwl_column_append(&s.children[1], &env, &null, 1, err));
    OK(rwl_column_append(&s.children[1], &env, &text, 1, err));
    append_present(&s, &env, 0);
    append_present(&s, &env, 0);
    OK(rwl_column_append(&m.children[0], &env, &text, 2, err));
    OK(rwl_column_append(&m.children[1], &env, &half, 1, err));
    OK(rwl_column_append(&m.children[1], &env, &no_double, 1, err));
    append_present(&m, &env, 2);
    append_present(&m, &env, 0);
    char **texts = texts_of(&s, &env);
    ck_assert_str_eq(texts[0], "{\"a\": 1, \"b\": null}");
    ck_assert_str_eq(texts[1], "{\"a\": 1, \"b\": \"x\\\"y\"}");
    free_texts(texts, 2);
    texts = texts_of(&m, &env);
    ck_assert_str_eq(texts[0], "[[\"x\\\"y\", 0.5], [\"x\\\"y\", null]]");
    ck_assert_str_eq(texts[1], "[]");
    free_texts(texts, 2);
    rwl_column_clear(&s, &env);
    rwl_column_clear(&m, &env);
}
END_TEST

START_TEST(takes_give_the_rows_they_name) {
    const rwl_type *type = &NESTED[_i].type;
    for (int null_every = 0; null_every <= 4; null_every += 4) {
        uint64_t seed = 40 + (uint64_t)_i;
        rwl_column in, out;
        make_random(&in, type, N, null_every, seed);
        OK(rwl_column_init(&out, &env, type, err));
        char **texts = texts_of(&in, &env);
        int64_t before = 0;
        for (int round = 0; round < 12; round++) {
            int32_t rows[N];
            int32_t count = 0;
            rwl_range ranges[N];
            size_t range_count = 0;
            for (int32_t at = 0; at < N;) { /* ranges long and short, some adjacent, some empty */
                int32_t take = (int32_t)(next_random(&seed) % (round % 3 == 0 ? 3 : 60));
                take = take > N - at ? N - at : take;
                ranges[range_count++] = (rwl_range){at, take};
                for (int32_t k = 0; k < take; k++)
                    rows[count++] = at + k;
                at += take + 1 + (int32_t)(next_random(&seed) % 3) - 1;
            }
            if (round % 2 == 0) {
                OK(rwl_column_take_ranges(&in, ranges, range_count, &out, &env, err));
            } else {
                count = N;
                for (int32_t i = 0; i < N; i++)
                    rows[i] = (int32_t)(next_random(&seed) % N);
                OK(rwl_column_take(&in, rows, count, &out, &env, err));
            }
            expect_texts(&out, texts, rows, count, before);
            before = round % 4 == 3 ? 0 : out.length; /* appended to, then reset */
            if (before == 0)
                rwl_column_reset(&out);
        }
        OK(rwl_column_check_values(&in, err));
        free_texts(texts, N);
        rwl_column_clear(&in, &env);
        rwl_column_clear(&out, &env);
    }
}
END_TEST

START_TEST(batches_count_the_bytes_of_children) {
    rwl_batch b;
    uint64_t seed = 1;
    OK(rwl_batch_init(&b, &env, NESTED, NESTED_COUNT, err));
    ck_assert_int_eq(rwl_batch_bytes(&b), 0);
    append_random(&b.columns[1], &env, 0, &seed);
    append_random(&b.columns[1], &env, 0, &seed);
    const rwl_column *list = &b.columns[1];
    ck_assert_int_gt(list->children[0].length, 0);
    ck_assert_int_eq(rwl_batch_bytes(&b), (int64_t)(list->offsets.cap + list->children[0].values.cap));
    rwl_batch_reset(&b);
    ck_assert_int_eq(list->children[0].length, 0);
    rwl_batch_clear(&b);
}
END_TEST

/* --- hashes --- */

START_TEST(row_hashes_do_not_depend_on_where_rows_lie) {
    const rwl_type *type = &NESTED[_i].type;
    rwl_column all, part;
    make_random(&all, type, N, 5, 90 + (uint64_t)_i);
    static rwl_u128 whole[N], pieces[N];
    memset(whole, 0, sizeof whole);
    memset(pieces, 0, sizeof pieces);
    rwl_column_hash_rows(&all, whole);
    rwl_range cuts[] = {{0, 1}, {1, 130}, {131, 129}, {260, N - 260}};
    for (int i = 0; i < 4; i++) {
        OK(rwl_column_init(&part, &env, type, err));
        OK(rwl_column_take_ranges(&all, &cuts[i], 1, &part, &env, err));
        rwl_column_hash_rows(&part, pieces + cuts[i].start);
        rwl_column_clear(&part, &env);
    }
    ck_assert_mem_eq(whole, pieces, sizeof whole);
    char **texts = texts_of(&all, &env);
    bool has_nan = type->kind == RWL_TYPE_MAP; /* texts of all NaN are the same, and -0.0 is not 0.0 */
    for (int i = 0; i < N && !has_nan; i++)
        for (int k = 0; k < i; k++)
            ck_assert_int_eq(whole[i] == whole[k], strcmp(texts[i], texts[k]) == 0);
    free_texts(texts, N);
    rwl_column_clear(&all, &env);
}
END_TEST

/* What lies under a null row of a struct, or of a list that keeps elements under it, does not count. */
START_TEST(row_hashes_ignore_what_nulls_hide) {
    rwl_column a, b;
    rwl_u128 x[3] = {0}, y[3] = {0};
    make_random(&a, &NESTED[0].type, 3, 0, 7);
    make_random(&b, &NESTED[0].type, 3, 0, 7);
    for (int i = 0; i < 2; i++) {
        rwl_column *c = i == 0 ? &a : &b;
        OK(rwl_column_need_validity(c, &env, 3, err));
        rwl_bit_clear(c->validity.data, 1);
        c->null_count = 1;
    }
    ((int32_t *)(void *)b.children[0].values.data)[1] ^= 77;
    rwl_column_hash_rows(&a, x);
    rwl_column_hash_rows(&b, y);
    ck_assert_mem_eq(x, y, sizeof x);
    ck_assert(x[0] != x[1]);
    rwl_column_clear(&a, &env);
    rwl_column_clear(&b, &env);
}
END_TEST

/* null, [], [null], [[…]] cut in different places. */
START_TEST(row_hashes_count_null_empty_and_length) {
    rwl_column c;
    const rwl_type list_of_lists = {
        .kind = RWL_TYPE_LIST, .children = &NESTED[1], .child_count = 1}; /* list<list<long>> */
    OK(rwl_column_init(&c, &env, &list_of_lists, err));
    rwl_column *inner = &c.children[0];
    rwl_value null = rwl_value_null(RWL_TYPE_LIST), number = {.kind = RWL_TYPE_LONG, .as.i64 = 4};
    OK(rwl_column_append(&c, &env, &null, 1, err)); /* null */
    append_present(&c, &env, 0);                    /* [] */
    OK(rwl_column_append(inner, &env, &null, 1, err));
    append_present(&c, &env, 1); /* [null] */
    append_present(inner, &env, 0);
    append_present(&c, &env, 1); /* [[]] */
    OK(rwl_column_append(&inner->children[0], &env, &number, 6, err));
    append_present(inner, &env, 2);
    append_present(&c, &env, 1); /* [[4, 4]] */
    append_present(inner, &env, 1);
    append_present(inner, &env, 1);
    append_present(&c, &env, 2); /* [[4], [4]] */
    append_present(inner, &env, 2);
    append_present(inner, &env, 0);
    append_present(&c, &env, 2); /* [[4, 4], []] */
    rwl_u128 h[7] = {0};
    ck_assert_int_eq(c.length, 7);
    rwl_column_hash_rows(&c, h);
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < i; k++)
            ck_assert_msg(h[i] != h[k], "rows %d and %d", k, i);
    rwl_column_clear(&c, &env);
}
END_TEST

/* --- promotion and checks --- */

START_TEST(promotion_goes_child_by_child) {
    const rwl_field number = {.name = "element", .type = {.kind = RWL_TYPE_INT}};
    const rwl_field wide_number = {.name = "element", .type = {.kind = RWL_TYPE_LONG}};
    const rwl_field from[] = {
        {.name = "a", .type = {.kind = RWL_TYPE_INT}},
        {.name = "b", .type = {.kind = RWL_TYPE_LIST, .children = &number, .child_count = 1}},
        {.name = "c", .type = {.kind = RWL_TYPE_STRING}},
        {.name = "d", .type = {.kind = RWL_TYPE_UNKNOWN}}};
    const rwl_field to[] = {
        {.name = "a", .type = {.kind = RWL_TYPE_LONG}},
        {.name = "b", .type = {.kind = RWL_TYPE_LIST, .children = &wide_number, .child_count = 1}},
        {.name = "c", .type = {.kind = RWL_TYPE_STRING}},
        {.name = "d", .type = {.kind = RWL_TYPE_DATE}}};
    const rwl_type narrow = {.kind = RWL_TYPE_STRUCT, .children = from, .child_count = 4};
    rwl_type wide = {.kind = RWL_TYPE_STRUCT, .children = to, .child_count = 4};
    rwl_column in, out;
    make_random(&in, &narrow, N, 4, 11);
    OK(rwl_column_init(&out, &env, &wide, err));
    char **texts = texts_of(&in, &env);
    for (int round = 0; round < 2; round++) {
        OK(rwl_column_promote(&in, &out, &env, err));
        char **have = texts_of(&out, &env);
        for (int i = 0; i < N; i++)
            ck_assert_str_eq(have[i], texts[i]);
        ck_assert_int_eq(out.children[1].children[0].type.kind, RWL_TYPE_LONG);
        free_texts(have, N);
    }
    rwl_column_clear(&out, &env);
    rwl_error fault = {0};
    wide.child_count = 3;
    OK(rwl_column_init(&out, &env, &wide, err));
    ck_assert_int_eq(rwl_column_promote(&in, &out, &env, &fault), RWL_UNSUPPORTED);
    rwl_column_clear(&out, &env);
    OK(rwl_column_init(&out, &env, &NESTED[1].type, err));
    ck_assert_int_eq(rwl_column_promote(&in, &out, &env, &fault), RWL_UNSUPPORTED);
    rwl_column_clear(&out, &env);
    free_texts(texts, N);
    rwl_column_clear(&in, &env);
}
END_TEST

START_TEST(values_of_children_are_checked_by_name) {
    rwl_column c;
    rwl_error fault = {0};
    make_random(&c, &NESTED[0].type, 2, 0, 5);
    rwl_value bad = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of("\xff", 1)};
    rwl_value one = {.kind = RWL_TYPE_INT, .as.i32 = 1};
    OK(rwl_column_check_values(&c, err));
    OK(rwl_column_append(&c.children[0], &env, &one, 1, err));
    OK(rwl_column_append(&c.children[1], &env, &bad, 1, err));
    append_present(&c, &env, 0);
    ck_assert_int_eq(rwl_column_check_values(&c, &fault), RWL_CORRUPT);
    ck_assert_str_eq(fault.message, "b: row 2: a string is not UTF-8");
    rwl_column_clear(&c, &env);
}
END_TEST

TCase *nested_cases(void) {
    TCase *tc = tcase_create("nested");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, rows_print_as_json);
    tcase_add_loop_test(tc, takes_give_the_rows_they_name, 0, NESTED_COUNT);
    tcase_add_test(tc, batches_count_the_bytes_of_children);
    tcase_add_loop_test(tc, row_hashes_do_not_depend_on_where_rows_lie, 0, NESTED_COUNT);
    tcase_add_test(tc, row_hashes_ignore_what_nulls_hide);
    tcase_add_test(tc, row_hashes_count_null_empty_and_length);
    tcase_add_test(tc, promotion_goes_child_by_child);
    tcase_add_test(tc, values_of_children_are_checked_by_name);
    return tc;
}
