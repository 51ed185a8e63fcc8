/* SPDX-License-Identifier: Apache-2.0 */
/* May and must on bounds: that they prune where they can, and not where they may not. */
#include "suites.h"

#include <stdio.h>

static rwl_env env;
static rwl_arena arena;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
}
static void teardown(void) {
    rwl_arena_clear(&arena);
}

/* Facts of the column the row of the table is about. */
typedef struct one_column {
    int32_t column;
    rwl_column_facts facts;
    int64_t absent; /* an i value that may_contain denies, -1 none */
} one_column;

static bool lookup_one(void *ctx, int32_t column, rwl_column_facts *facts) {
    const one_column *one = ctx;
    *facts = one->facts;
    return column == one->column;
}

static bool deny_one(void *ctx, int32_t column, const rwl_value *v) {
    const one_column *one = ctx;
    return column != one->column || v->as.i32 != one->absent;
}

static const rwl_bound *bind_text(const char *text) {
    const rwl_expr *e;
    const rwl_bound *b;
    OK(rwl_expr_parse(text, &arena, &e, err));
    OK(rwl_expr_bind(e, TABLE, COL_COUNT, &arena, &b, err));
    return b;
}

static rwl_value value_of(int32_t column, const char *text) {
    rwl_value v = rwl_value_null(TABLE[column].type.kind);
    if (strcmp(text, "null") != 0)
        OK(rwl_value_parse(&TABLE[column].type, rwl_span_str(text), &arena, &v, err));
    return v;
}

static const struct {
    const char *text;
    int32_t column;
    int64_t rows, nulls, nans;
    const char *lower, *upper, *constant; /* NULL: none */
    bool may, must;
} CASES[] = {
    /* a full int column 10..20 */
    {"i = 9", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i = 10", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i = 20", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i = 21", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i <> 15", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i <> 21", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"i < 10", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i <= 10", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i <= 20", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"i < 20", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i < 21", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"i > 20", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i >= 10", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"i > 9.5", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"not i >= 10", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i in (1, 9, 21)", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i in (1, 12)", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i not in (1, 21)", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"i not in (1, 12)", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i between 5 and 25", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    {"i < 5 or i > 25", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i >= 10 and s = 'x'", COL_I, 5, 0, -1, "10", "20", NULL, true, false},
    {"i < 10 and s = 'x'", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i >= 10 or s = 'x'", COL_I, 5, 0, -1, "10", "20", NULL, true, true},
    /* the same with a null, and with unknown nulls */
    {"i >= 10", COL_I, 5, 1, -1, "10", "20", NULL, true, false},
    {"i >= 10", COL_I, 5, -1, -1, "10", "20", NULL, true, false},
    {"i is null", COL_I, 5, 1, -1, "10", "20", NULL, true, false},
    {"i is null", COL_I, 5, 0, -1, "10", "20", NULL, false, false},
    {"i is null", COL_I, 5, 5, -1, NULL, NULL, NULL, true, true},
    {"i is not null", COL_I, 5, 5, -1, NULL, NULL, NULL, false, false},
    {"i is not null", COL_I, 5, 0, -1, NULL, NULL, NULL, true, true},
    {"i is null", COL_I, -1, -1, -1, NULL, NULL, NULL, true, false},
    {"i = 1", COL_I, 5, 5, -1, NULL, NULL, NULL, false, false},
    {"i <> 1", COL_I, 5, 5, -1, NULL, NULL, NULL, false, false},
    {"i < 3000000000", COL_I, 5, 5, -1, NULL, NULL, NULL, false, false},
    {"i < 3000000000", COL_I, 5, 0, -1, NULL, NULL, NULL, true, true},
    /* nothing known */
    {"i = 1", COL_I, -1, -1, -1, NULL, NULL, NULL, true, false},
    {"not i = 1", COL_I, -1, -1, -1, NULL, NULL, NULL, true, false},
    /* one bound only */
    {"i < 10", COL_I, 5, 0, -1, "10", NULL, NULL, false, false},
    {"i > 100", COL_I, 5, 0, -1, "10", NULL, NULL, true, false},
    {"i >= 10", COL_I, 5, 0, -1, "10", NULL, NULL, true, true},
    /* one value; bounds that may be truncated still say so when equal */
    {"i = 7", COL_I, 5, 0, -1, "7", "7", NULL, true, true},
    {"i <> 7", COL_I, 5, 0, -1, "7", "7", NULL, false, false},
    {"i in (7, 8)", COL_I, 5, 0, -1, "7", "7", NULL, true, true},
    {"i not in (7, 8)", COL_I, 5, 0, -1, "7", "7", NULL, false, false},
    /* truncated strings: bounds are inequalities */
    {"s = 'abcd'", COL_S, 5, 0, -1, "abc", "abd", NULL, true, false},
    {"s > 'abe'", COL_S, 5, 0, -1, "abc", "abd", NULL, false, false},
    {"s >= 'abc'", COL_S, 5, 0, -1, "abc", "abd", NULL, true, true},
    /* NaN is above every number and outside the bounds */
    {"d > 100", COL_D, 5, 0, 0, "1", "2", NULL, false, false},
    {"d > 100", COL_D, 5, 0, 1, "1", "2", NULL, true, false},
    {"d > 100", COL_D, 5, 0, -1, "1", "2", NULL, true, false},
    {"d >= 1", COL_D, 5, 0, 1, "1", "2", NULL, true, true},
    {"d <= 2", COL_D, 5, 0, 1, "1", "2", NULL, true, false},
    {"d <= 2", COL_D, 5, 0, 0, "1", "2", NULL, true, true},
    {"d < 1", COL_D, 5, 0, 1, "1", "2", NULL, false, false},
    {"not d < 1", COL_D, 5, 0, 1, "1", "2", NULL, true, true},
    {"d <> 1", COL_D, 5, 0, 1, "1", "1", NULL, true, false},
    {"d <> 1", COL_D, 5, 0, 0, "1", "1", NULL, false, false},
    {"d is nan", COL_D, 5, 0, 0, "1", "2", NULL, false, false},
    {"d is nan", COL_D, 5, 0, 5, NULL, NULL, NULL, true, true},
    {"d is not nan", COL_D, 5, 0, 5, NULL, NULL, NULL, false, false},
    {"d is not nan", COL_D, 5, 2, 0, "1", "2", NULL, true, true},
    {"d is nan", COL_D, 5, 5, -1, NULL, NULL, NULL, false, false},
    {"d = 1", COL_D, 5, 2, 3, NULL, NULL, NULL, false, false},
    {"d in (nan, 7)", COL_D, 5, 0, 1, "1", "2", NULL, true, false},
    {"d in (7)", COL_D, 5, 0, 1, "1", "2", NULL, false, false},
    {"d not in (1, 2)", COL_D, 5, 0, 1, "1", "1", NULL, true, false},
    {"d not in (1, nan)", COL_D, 5, 0, 1, "1", "1", NULL, false, false},
    {"d = 0.0", COL_D, 5, 0, 0, "-0.0", "-0.0", NULL, true, true},
    {"d < 0", COL_D, 5, 0, 0, "-0.0", "5", NULL, false, false},
    {"d = 1", COL_D, 5, 0, 0, "NaN", "NaN", NULL, true, false}, /* a writer that put NaN in bounds */
    {"d = 1", COL_D, 5, 0, 0, "5", "NaN", NULL, true, false},   /* and compared the other one with it */
    {"d = 1", COL_D, 5, 0, 0, "NaN", "0", NULL, true, false},
    /* constants */
    {"i = 3", COL_I, -1, -1, -1, NULL, NULL, "3", true, true},
    {"i = 4", COL_I, -1, -1, -1, NULL, NULL, "3", false, false},
    {"i = 3", COL_I, -1, -1, -1, NULL, NULL, "null", false, false},
    {"i is null", COL_I, -1, -1, -1, NULL, NULL, "null", true, true},
    {"d is nan", COL_D, -1, -1, -1, NULL, NULL, "NaN", true, true},
    {"d > 5", COL_D, -1, -1, -1, NULL, NULL, "NaN", true, true},
    {"b", COL_B, -1, -1, -1, NULL, NULL, "true", true, true},
    {"not b", COL_B, -1, -1, -1, NULL, NULL, "true", false, false},
    /* counts that contradict each other say nothing */
    {"i = 15", COL_I, 5, 6, -1, "10", "20", NULL, true, false},
    {"d is nan", COL_D, 5, 3, 4, NULL, NULL, NULL, true, false},
    /* no rows */
    {"i = 15", COL_I, 0, 0, -1, NULL, NULL, NULL, false, true},
    {"true", COL_I, 5, 0, -1, NULL, NULL, NULL, true, true},
    {"i = null", COL_I, 5, 0, -1, NULL, NULL, NULL, false, false},
    /* LIKE: the prefix is a range, bounds may be cut short on both sides */
    {"s like 'abc%'", COL_S, 5, 0, -1, "abd", "b", NULL, false, false},
    {"s like 'abc%'", COL_S, 5, 0, -1, "a", "abb", NULL, false, false},
    {"s like 'abc%'", COL_S, 5, 0, -1, "a", "ab", NULL, false, false}, /* every text is at most "ab" */
    {"s like 'abc%'", COL_S, 5, 0, -1, "ab", "abd", NULL, true, false},
    {"s like 'abc%'", COL_S, 5, 0, -1, "abcd", "abd", NULL, true, false},
    {"s like 'abc%'", COL_S, 5, 0, -1, "abcd", "abce", NULL, true, true},
    {"s like 'abc%'", COL_S, 5, 1, -1, "abcd", "abce", NULL, true, false},
    {"s like 'abc%'", COL_S, 5, -1, -1, "abcd", "abce", NULL, true, false},
    {"s like 'abc%'", COL_S, 5, 0, -1, NULL, "abce", NULL, true, false},
    {"s like 'abc_'", COL_S, 5, 0, -1, "abcd", "abce", NULL, true, false},
    {"s like 'abc_'", COL_S, 5, 0, -1, "abd", "b", NULL, false, false},
    {"s like '%x'", COL_S, 5, 0, -1, "a", "b", NULL, true, false},
    {"s like '%'", COL_S, 5, 0, -1, "a", "b", NULL, true, true},
    {"s like '%'", COL_S, 5, 1, -1, "a", "b", NULL, true, false},
    {"s like 'a_c'", COL_S, 5, 0, -1, "abc", "abc", NULL, true, true},
    {"s not like 'a_c'", COL_S, 5, 0, -1, "abc", "abc", NULL, false, false},
    {"s not like 'abc%'", COL_S, 5, 0, -1, "abcd", "abce", NULL, false, false},
    {"s not like 'abc%'", COL_S, 5, 1, -1, "abcd", "abce", NULL, false, false}, /* BUG-143: null is unknown */
    {"s not like 'abc%'", COL_S, 5, 0, -1, "abc", "abd", NULL, true, false},
    {"s not like 'abc%'", COL_S, 5, 0, -1, "abd", "b", NULL, true, true},
    {"s not like 'abc%'", COL_S, 5, 1, -1, "abd", "b", NULL, true, false},
    {"s not like 'a%'", COL_S, 1, 1, -1, NULL, NULL, NULL, false, false},
    {"s like 'abc'", COL_S, 5, 0, -1, "abd", "b", NULL, false, false},
    /* BUG-139: of f(x) the bounds of x say nothing, not even of one that grows with x */
    {"i % 8 = 4", COL_I, 5, 0, -1, "0", "49", NULL, true, false},
    {"i % 8 = 4", COL_I, 5, 0, -1, "0", "0", NULL, true, false},
    {"i + 1 > 100", COL_I, 5, 0, -1, "0", "49", NULL, true, false},
    {"cast(i as string) = 'x'", COL_I, 5, 0, -1, "0", "49", NULL, true, false},
    {"i + 1 in (1, 2) and i > 50", COL_I, 5, 0, -1, "0", "49", NULL, false, false},
    /* but a cast that cannot change meaning is seen through */
    {"cast(i as long) > 49", COL_I, 5, 0, -1, "0", "49", NULL, false, false},
    {"cast(i as decimal(20, 2)) <= 49.99", COL_I, 5, 0, -1, "0", "49", NULL, true, true},
    {"cast(i as double) in (-1, 50.5)", COL_I, 5, 0, -1, "0", "49", NULL, false, false},
    {"cast(date as timestamp) < timestamp '2026-11-30T12:00:00'", COL_DT, 5, 0, -1, "2026-11-01",
     "2026-11-30", NULL, true, true},
    /* BUG-145: what is not known is never "every row" */
    {"i <> 5", COL_I, 2, 1, -1, "5", "5", NULL, false, false},
    {"i <> 5", COL_I, -1, -1, -1, NULL, NULL, NULL, true, false},
    {"i = 5", COL_I, -1, 1, -1, "5", "5", NULL, true, false},
    {"i is null", COL_I, -1, 1, -1, NULL, NULL, NULL, true, false},
    {"i is null", COL_I, 0, 0, -1, NULL, NULL, NULL, false, true},
    {"d <= 5", COL_D, 5, 0, -1, "5", "5", NULL, true, false}, /* NaN may be there */
    {"d is not null", COL_D, -1, -1, 3, NULL, NULL, NULL, true, false},
    /* BUG-147: x = 3, NaN, 3 */
    {"d <> 3", COL_D, 3, 0, 1, "3", "3", NULL, true, false},
    {"not d < 10", COL_D, 3, 0, 1, "3", "3", NULL, true, false},
    {"d is nan", COL_D, 3, 0, 1, "3", "3", NULL, true, false},
    {"d > 5", COL_D, 3, 0, 1, "3", "3", NULL, true, false},
    /* BUG-150: bytes, not UTF-16: U+FF5E (EF…) is below U+1F600 (F0…) */
    {"s >= '\xf0\x9f\x98\x80'", COL_S, 2, 0, -1, "\xef\xbd\x9e", "\xf0\x9f\x98\x80", NULL, true, false},
    {"s > '\xf0\x9f\x98\x80'", COL_S, 2, 0, -1, "\xef\xbd\x9e", "\xf0\x9f\x98\x80", NULL, false, false},
    /* BUG-154: nanoseconds */
    {"tn > '1969-12-31T23:59:59.999999998'", COL_TN, 2, 0, -1, "1969-12-31T23:59:59.999999999",
     "2024-01-01T00:00:00.000000001", NULL, true, true},
    {"tn < '1969-12-31T23:59:59.999999999'", COL_TN, 2, 0, -1, "1969-12-31T23:59:59.999999999",
     "2024-01-01T00:00:00.000000001", NULL, false, false},
    {"tn = '2024-01-01T00:00:00.000000002'", COL_TN, 2, 0, -1, "2024-01-01T00:00:00.000000001",
     "2024-01-01T00:00:00.000000001", NULL, false, false},
    /* columns against each other: only one of the two is known here */
    {"i = l", COL_I, 5, 5, -1, NULL, NULL, NULL, false, false},
    {"s < s2", COL_S, 5, 0, -1, "a", "b", NULL, true, false},
};

START_TEST(prunes_where_the_bounds_allow) {
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        one_column one = {.column = CASES[i].column, .absent = -1};
        one.facts.value_count = CASES[i].rows;
        one.facts.null_count = CASES[i].nulls;
        one.facts.nan_count = CASES[i].nans;
        if (CASES[i].lower != NULL) {
            one.facts.has_lower = true;
            one.facts.lower = value_of(one.column, CASES[i].lower);
        }
        if (CASES[i].upper != NULL) {
            one.facts.has_upper = true;
            one.facts.upper = value_of(one.column, CASES[i].upper);
        }
        if (CASES[i].constant != NULL) {
            one.facts.is_constant = true;
            one.facts.constant = value_of(one.column, CASES[i].constant);
        }
        rwl_facts facts = {&one, lookup_one, NULL};
        const rwl_bound *b = bind_text(CASES[i].text);
        ck_assert_msg(rwl_expr_may_match(b, &facts) == CASES[i].may, "case %zu: %s: may", i, CASES[i].text);
        ck_assert_msg(rwl_expr_must_match(b, &facts) == CASES[i].must, "case %zu: %s: must", i,
                      CASES[i].text);
    }
}
END_TEST

START_TEST(asks_filters_about_equality_only) {
    one_column one = {.column = COL_I, .facts = {.value_count = 5, .nan_count = -1}, .absent = 7};
    rwl_facts facts = {&one, lookup_one, deny_one};
    static const struct {
        const char *text;
        bool may;
    } ASKED[] = {{"i = 7", false},          {"i = 8", true},  {"i in (7)", false},
                 {"i in (7, 8)", true},     {"i <> 7", true}, {"i not in (7)", true},
                 {"not i <> 7", false},     {"i >= 7", true}, {"i = 7 or i = 8", true},
                 {"i = 7 and i = 8", false}};
    for (size_t i = 0; i < sizeof ASKED / sizeof ASKED[0]; i++)
        ck_assert_msg(rwl_expr_may_match(bind_text(ASKED[i].text), &facts) == ASKED[i].may, "%s",
                      ASKED[i].text);
}
END_TEST

/* Ten thousand literals: only those within the bounds are asked about. */
static size_t asked;

static bool count_asked(void *ctx, int32_t column, const rwl_value *v) {
    (void)ctx;
    (void)column;
    (void)v;
    asked++;
    return false;
}

START_TEST(asks_filters_about_listed_values_within_bounds_only) {
    enum { COUNT = 10000 };
    static char text[COUNT * 12];
    size_t at = (size_t)snprintf(text, sizeof text, "i in (");
    for (int i = 0; i < COUNT; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%d", i > 0 ? ", " : "", (i * 7919) % COUNT * 10);
    snprintf(text + at, sizeof text - at, ")");
    one_column one = {.column = COL_I,
                      .facts = {.value_count = 5, .nan_count = -1, .has_lower = true, .has_upper = true},
                      .absent = -1};
    one.facts.lower = value_of(COL_I, "501");
    one.facts.upper = value_of(COL_I, "530");
    rwl_facts facts = {&one, lookup_one, count_asked};
    const rwl_bound *b = bind_text(text);
    asked = 0;
    ck_assert(!rwl_expr_may_match(b, &facts));
    ck_assert_uint_eq(asked, 3); /* 510, 520, 530 */
    one.facts.lower = value_of(COL_I, "501");
    one.facts.upper = value_of(COL_I, "509");
    ck_assert(!rwl_expr_may_match(b, &facts));
    ck_assert_uint_eq(asked, 3);
}
END_TEST

TCase *bounds_cases(void) {
    TCase *tc = tcase_create("bounds");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, prunes_where_the_bounds_allow);
    tcase_add_test(tc, asks_filters_about_equality_only);
    tcase_add_test(tc, asks_filters_about_listed_values_within_bounds_only);
    return tc;
}
