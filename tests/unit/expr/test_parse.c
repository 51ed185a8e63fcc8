/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing: what is read, printed back, and refused with a place. */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static rwl_env env;
static rwl_arena arena;
static rwl_buf out;

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    rwl_buf_init(&out, &env, SIZE_MAX);
}
static void teardown(void) {
    rwl_arena_clear(&arena);
    rwl_buf_clear(&out);
}

static const char *format_of(const rwl_expr *e) {
    rwl_buf_reset(&out);
    OK(rwl_expr_format(e, &out, err));
    OK(rwl_buf_terminate(&out, err));
    return (const char *)out.data;
}

static const struct {
    const char *text, *printed;
} READ[] = {
    {"a=1", "a = 1"},
    {"a <> -1.5e-3 AND b != +2", "a <> -1.5e-3 and b <> 2"},
    {"1 < a", "1 < a"},
    {"a = 1 or b = 2 and not c = 3", "a = 1 or b = 2 and not c = 3"},
    {"(a = 1 or b = 2) and c = 3", "(a = 1 or b = 2) and c = 3"},
    {"not (a = 1 and b = 2)", "not (a = 1 and b = 2)"},
    {"not not a is null", "not not a is null"},
    {"a in (1, 2,3) or a not in ('x')", "a in (1, 2, 3) or a not in ('x')"},
    {"a between 1 and 2 and b", "(a >= 1 and a <= 2) and b"},
    {"a not between 1 and 2", "not (a >= 1 and a <= 2)"},
    {"a is null or b is not null or c is nan or d is not NaN",
     "a is null or b is not null or c is nan or d is not nan"},
    {"s = 'it''s'", "s = 'it''s'"},
    {"\"a \"\"b\"\"\" = ''", "\"a \"\"b\"\"\" = ''"},
    {"\"select\" = true", "\"select\" = true"},
    {"a.b.\"c d\" = null", "a.b.\"c d\" = null"},
    {"date = date '2026-11-30'", "date = date '2026-11-30'"},
    {"x = X'00fF'", "x = X'00ff'"},
    {"u = UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "u = uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"},
    {"t >= time '12:34:56.000001'", "t >= time '12:34:56.000001'"},
    {"t < timestamptz '2026-11-30T12:00:00+02:00'", "t < timestamptz '2026-11-30T12:00:00+02:00'"},
    {"((a)) = (1)", "a = 1"},
    {"\"$row_id\" = 5", "\"$row_id\" = 5"},
    {"true", "true"},
    {"s like 'a%' or s not like 'b_' escape '!'", "s like 'a%' or s not like 'b_' escape '!'"},
    {"s LIKE null", "s like null"},
    {"a+1=2", "a + 1 = 2"},
    {"a -1 > b - -1", "a - 1 > b - -1"},
    {"a + b * c - d / e % 2 = 1", "a + b * c - d / e % 2 = 1"},
    {"(a + b) * (c - d) = a - (b - c)", "(a + b) * (c - d) = a - (b - c)"},
    {"((a + b)) + c = a * (b * c)", "a + b + c = a * (b * c)"},
    {"-a = -(-1) and +b = - - 2", "-a = -(-1) and b = -(-2)"},
    {"-(a + 1) = 2", "-(a + 1) = 2"},
    {"a || 'x' || b = 'y'", "a || 'x' || b = 'y'"},
    {"a in (b, c + 1, 2)", "a in (b, c + 1, 2)"},
    {"a + 1 between b and 7", "a + 1 between b and 7"},
    {"a + 1 not between b and 7 and c", "a + 1 not between b and 7 and c"},
    {"CASE WHEN a = 1 or b THEN 2 WHEN c THEN d ELSE null END = 3",
     "case when a = 1 or b then 2 when c then d else null end = 3"},
    {"case when a then b = 1 or c end", "case when a then b = 1 or c end"},
    {"coalesce(a, b and c, 1) is null", "coalesce(a, b and c, 1) is null"},
    {"cast(a as INTEGER) = cast('1' as decimal(9,2))", "cast(a as int) = cast('1' as decimal(9, 2))"},
    {"cast(X'00' as fixed(1)) = cast(b as varchar)", "cast(X'00' as fixed(1)) = cast(b as string)"},
    {"a.escape = 1 and escape = 2", "a.escape = 1 and escape = 2"},
    {"a = .5 and b = 5.", "a = .5 and b = 5."},
    {"gr\xc3\xb6\xc3\x9f"
     "e = 1",
     "\"gr\xc3\xb6\xc3\x9f"
     "e\" = 1"},
};

START_TEST(reads_and_prints) {
    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++) {
        const rwl_expr *e;
        OK(rwl_expr_parse(READ[i].text, &arena, &e, err));
        ck_assert_str_eq(format_of(e), READ[i].printed);
        char *again = strdup(READ[i].printed);
        OK(rwl_expr_parse(again, &arena, &e, err));
        free(again); /* nothing of the text is kept */
        ck_assert_str_eq(format_of(e), READ[i].printed);
    }
}
END_TEST

static const struct {
    const char *text;
    rwl_status code;
    int64_t offset;
    const char *says;
} REFUSED[] = {
    {"", RWL_USAGE, 0, "expected a column or a literal"},
    {"a =", RWL_USAGE, 3, "expected a column or a literal"},
    {"a = 1 b", RWL_USAGE, 6, "found b"},
    {"a = 1 and", RWL_USAGE, 9, "at its end"},
    {"(a = 1", RWL_USAGE, 6, ")"},
    {"a = 1)", RWL_USAGE, 5, "found )"},
    {"a == 1", RWL_USAGE, 2, "equality is written ="},
    {"a < b < c", RWL_USAGE, 6, "found <"},
    {"(a = 1) = true", RWL_USAGE, 0, "a condition cannot be compared"},
    {"a = (b = 1)", RWL_USAGE, 4, "found a condition"},
    {"a in ()", RWL_USAGE, 6, "expected a column or a literal"},
    {"a in (1", RWL_USAGE, 7, "a comma or )"},
    {"a in 1", RWL_USAGE, 5, "( behind in"},
    {"a between 1 or 2", RWL_USAGE, 12, "and between"},
    {"a is 1", RWL_USAGE, 5, "null, nan or not"},
    {"a not = 1", RWL_USAGE, 6, "in, between or like"},
    {"s = 'x", RWL_USAGE, 4, "closing '"},
    {"\"a = 1", RWL_USAGE, 0, "closing \""},
    {"`a` = 1", RWL_USAGE, 0, "quoted with \""},
    {"a = 1x", RWL_USAGE, 5, "letters behind a number"},
    {"a = 1e", RWL_USAGE, 5, "exponent"},
    {"a = X'0'", RWL_USAGE, 4, "odd number"},
    {"a = X'0g'", RWL_USAGE, 4, "hexadecimal"},
    {"a = date '2026-13-01'", RWL_USAGE, 9, "a date such as"},
    {"a = timestamp '2026-11-30T00:00:00Z'", RWL_USAGE, 14, "without zone"},
    {"a = timestamptz '2026-11-30T00:00:00'", RWL_USAGE, 16, "with zone"},
    {"a = uuid 'x'", RWL_USAGE, 9, "a uuid"},
    {"a ; b", RWL_USAGE, 2, "no meaning"},
    {"a. = 1", RWL_USAGE, 3, "a field name behind the dot"},
    {"s ilike 'a%'", RWL_UNSUPPORTED, 2, "ilike"},
    {"s not rlike 'a%'", RWL_UNSUPPORTED, 6, "rlike"},
    {"s like t", RWL_USAGE, 7, "a pattern in quotes"},
    {"s like 'a' escape x", RWL_USAGE, 18, "a character in quotes"},
    {"a + (b = 1) = 2", RWL_USAGE, 4, "found a condition"},
    {"(b = 1) + a = 2", RWL_USAGE, 0, "found a condition"},
    {"-(b = 1) = 2", RWL_USAGE, 1, "found a condition"},
    {"a * = 2", RWL_USAGE, 4, "a column or a literal"},
    {"a | b = 2", RWL_USAGE, 2, "||"},
    {"case a when 1 then b end", RWL_UNSUPPORTED, 5, "case with an operand"},
    {"case when a b end", RWL_USAGE, 12, "then"},
    {"case when a then b", RWL_USAGE, 18, "when, else or end"},
    {"cast(a int) = 1", RWL_USAGE, 7, "as and a type"},
    {"cast(a as struct) = 1", RWL_USAGE, 10, "a primitive type"},
    {"cast(a as decimal) = 1", RWL_USAGE, 17, "(precision, scale)"},
    {"cast(a as decimal(39)) = 1", RWL_USAGE, 18, "that the type allows"},
    {"cast(a as decimal(5, 6)) = 1", RWL_USAGE, 21, "that the type allows"},
    {"cast(a as fixed(0)) = 1", RWL_USAGE, 17, "above 0"},
    {"coalesce() = 1", RWL_USAGE, 9, "a column or a literal"},
    {"coalesce a", RWL_USAGE, 9, "( behind coalesce"},
    {"lower(a) = 'x'", RWL_UNSUPPORTED, 0, "the function lower"},
    {"a is distinct from b", RWL_UNSUPPORTED, 5, "is distinct from"},
    {"a = '\xff'", RWL_USAGE, -1, "UTF-8"},
};

START_TEST(refuses_with_a_place_and_a_reason) {
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        const rwl_expr *e;
        rwl_error fault = {0};
        rwl_status st = rwl_expr_parse(REFUSED[i].text, &arena, &e, &fault);
        ck_assert_msg(st == REFUSED[i].code, "%s: %d %s", REFUSED[i].text, (int)st, fault.message);
        ck_assert_msg(fault.offset == REFUSED[i].offset, "%s: %lld %s", REFUSED[i].text,
                      (long long)fault.offset, fault.message);
        ck_assert_msg(strstr(fault.message, REFUSED[i].says) != NULL, "%s: %s", REFUSED[i].text,
                      fault.message);
    }
}
END_TEST

START_TEST(limits_nesting_but_not_length) {
    enum { N = 20000 };
    static char text[N * 12];
    const rwl_expr *e;
    rwl_error fault = {0};
    memset(text, '(', N);
    text[N] = '\0';
    ck_assert_int_eq(rwl_expr_parse(text, &arena, &e, &fault), RWL_USAGE);
    ck_assert_ptr_nonnull(strstr(fault.message, "nested deeper than 100"));
    text[0] = '\0';
    for (int i = 0; i < N; i++)
        memcpy(text + 4 * i, "not ", 5);
    ck_assert_int_eq(rwl_expr_parse(text, &arena, &e, &fault), RWL_USAGE);
    size_t at = 0;
    for (int i = 0; i < N; i++)
        at += (size_t)sprintf(text + at, "%sa = 1", i > 0 ? " or " : "");
    OK(rwl_expr_parse(text, &arena, &e, err));
}
END_TEST

START_TEST(limits_chains_and_every_kind_of_nesting) {
    enum { N = 20000 };
    static char text[N * 12];
    static const char *const OPENINGS[] = {"(",         "not ",  "- ",     "-(",   "case when ",
                                           "coalesce(", "cast(", "a in (", "a + ("};
    const rwl_expr *e;
    for (size_t k = 0; k < sizeof OPENINGS / sizeof OPENINGS[0]; k++) {
        rwl_error fault = {0};
        size_t at = 0;
        for (int i = 0; i < N; i++)
            at += (size_t)sprintf(text + at, "%s", OPENINGS[k]);
        ck_assert_msg(rwl_expr_parse(text, &arena, &e, &fault) == RWL_USAGE, "%s", OPENINGS[k]);
        ck_assert_msg(strstr(fault.message, "nested deeper than 100") != NULL ||
                          strstr(fault.message, "expected") != NULL,
                      "%s: %s", OPENINGS[k], fault.message);
    }
    size_t at = (size_t)sprintf(text, "a");
    for (int i = 0; i < N; i++)
        at += (size_t)sprintf(text + at, " + a");
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_expr_parse(text, &arena, &e, &fault), RWL_USAGE);
    ck_assert_ptr_nonnull(strstr(fault.message, "more than 250 operators"));
}
END_TEST

START_TEST(respects_the_limit_of_its_arena) {
    rwl_arena small;
    rwl_arena_init(&small, &env, 200);
    const rwl_expr *e;
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_expr_parse("a = 1 or b = 2 or c = 3", &small, &e, &fault), RWL_NO_MEMORY);
    rwl_arena_clear(&small);
}
END_TEST

TCase *parse_cases(void) {
    TCase *tc = tcase_create("parse");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, reads_and_prints);
    tcase_add_test(tc, refuses_with_a_place_and_a_reason);
    tcase_add_test(tc, limits_nesting_but_not_length);
    tcase_add_test(tc, limits_chains_and_every_kind_of_nesting);
    tcase_add_test(tc, respects_the_limit_of_its_arena);
    return tc;
}
