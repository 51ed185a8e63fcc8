/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of integers of every length against a search from one end to the other. ROWLINE_SEED gives others. */
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 222, LIST_MAX = 9000 }; /* whole words and a part of one */

/* Where values come from: next to each other, spread over all bits, all but the topmost bits alike. */
typedef enum spread { NEAR, ANYWHERE, HIGH, SPREADS } spread;

static int64_t pick_value(spread how, bool is_narrow) {
    uint64_t any = next_random();
    if (how == NEAR)
        return (int64_t)(any % 30000) - 15000;
    if (is_narrow)
        return how == HIGH ? (int32_t)(uint32_t)(any & 0xFFF00000) : (int32_t)(uint32_t)any;
    return (int64_t)(how == HIGH ? any & UINT64_C(0xFFFF000000000000) : any);
}

static void fill_column(rwl_column *c, const int64_t *list, size_t count, spread how, bool with_nulls) {
    bool is_narrow = c->type.kind == RWL_TYPE_INT;
    rwl_column_reset(c);
    for (int i = 0; i < ROWS; i++) {
        rwl_value v = rwl_value_null(c->type.kind);
        int64_t x = pick(2) == 0 ? list[pick((int)count)] : pick_value(how, is_narrow);
        v.is_null = with_nulls && pick(5) == 0;
        if (is_narrow)
            v.as.i32 = (int32_t)x;
        else
            v.as.i64 = x;
        OK(rwl_column_append(c, &env, &v, 1, err));
    }
}

static bool is_listed(const int64_t *list, size_t count, int64_t x) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == x)
            return true;
    return false;
}

/* "l not in (7, 9223372036854775808, 7)": literals that no value equals change nothing. */
static const rwl_bound *bind_list(const char *name, bool negated, const int64_t *list, size_t count) {
    rwl_buf text;
    const rwl_expr *expr;
    const rwl_bound *bound;
    rwl_buf_init(&text, &env, 1 << 20);
    OK(rwl_buf_printf(&text, err, "%s %sin (9223372036854775808", name, negated ? "not " : ""));
    for (size_t i = 0; i < count; i++)
        OK(rwl_buf_printf(&text, err, ", %" PRId64, list[i]));
    OK(rwl_buf_str(&text, ")", err));
    OK(rwl_buf_append(&text, "", 1, err));
    OK(rwl_expr_parse((const char *)text.data, &arena, &expr, err));
    OK(rwl_expr_bind(expr, TABLE, COL_COUNT, &arena, &bound, err));
    rwl_buf_clear(&text);
    return bound;
}

static void check_list(int at, const int64_t *list, size_t count, rwl_column *c, bool negated) {
    const rwl_column *columns[COL_COUNT] = {NULL};
    uint64_t bits[ROWS / 64 + 1];
    const rwl_bound *bound = bind_list(TABLE[at].name, negated, list, count);
    columns[at] = c;
    OK(rwl_expr_eval(bound, columns, ROWS, &env, bits, err));
    for (int i = 0; i < ROWS; i++) {
        rwl_value v = rwl_column_value(c, i);
        int64_t x = at == COL_I ? v.as.i32 : v.as.i64;
        bool wanted = !v.is_null && is_listed(list, count, x) != negated;
        ck_assert_msg((bits[i / 64] >> (i % 64) & 1) == wanted, "row %d, %" PRId64 " of %zu values", i, x,
                      count);
    }
    ck_assert_uint_eq(bits[ROWS / 64] >> (ROWS % 64), 0);
}

START_TEST(integers_are_found_in_lists_of_any_length) {
    static const size_t counts[] = {1, 2, 3, 4, 8, 9, 60, 600, LIST_MAX};
    int64_t *list = malloc(LIST_MAX * sizeof *list);
    uint64_t start = seed;
    printf("seed %" PRIu64 "\n", start);
    ck_assert_ptr_nonnull(list);
    for (int round = 0; round < 2 * SPREADS; round++) {
        int at = round % 2 == 0 ? COL_I : COL_L;
        spread how = (spread)(round / 2);
        rwl_column c;
        rwl_column_init_flat(&c, &TABLE[at].type);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            for (size_t i = 0; i < counts[k]; i++)
                list[i] = i > 0 && pick(4) == 0 ? list[i - 1] : pick_value(how, at == COL_I);
            fill_column(&c, list, counts[k], how, k % 2 == 0);
            check_list(at, list, counts[k], &c, false);
            check_list(at, list, counts[k], &c, true);
        }
        rwl_column_clear(&c, &env);
    }
    free(list);
}
END_TEST

TCase *in_cases(void) {
    TCase *cases = tcase_create("in");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, integers_are_found_in_lists_of_any_length);
    return cases;
}
