/* SPDX-License-Identifier: Apache-2.0 */
/* Binding: literals against column types, exactly; names; types that do not compare. */
#include "suites.h"

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

/* "never": selects nothing, whether false or unknown. Expected by the meaning of the comparison. */
static const struct {
    const char *text, *bound;
} BOUND[] = {
    {"i = 5", "i = 5"},
    {"5 > i", "i < 5"},
    {"i = 5.0", "i = 5"},
    {"i = 50e-1", "i = 5"},
    {"i = 1.5", "never"},
    {"i <> 1.5", "i is not null"},
    {"i < 1.5", "i <= 1"},
    {"i <= 1.5", "i <= 1"},
    {"i > 1.5", "i > 1"},
    {"i >= 1.5", "i > 1"},
    {"i < -1.5", "i <= -2"},
    {"not i < 1.5", "i > 1"},
    {"i < 3000000000", "i is not null"},
    {"i = 3000000000", "never"},
    {"i > -3000000000", "i is not null"},
    {"i < -3000000000", "never"},
    {"not i < -3000000000", "i is not null"},
    {"i <= 2147483647.5", "i <= 2147483647"},
    {"i < 1e1000000", "i is not null"},
    {"i > 1e-1000000", "i > 0"},
    {"i >= -1e-1000000", "i > -1"},
    {"i < nan", "i is not null"},
    {"i = nan", "never"},
    {"l = 9223372036854775807", "l = 9223372036854775807"},
    {"l < 9223372036854775808", "l is not null"},
    {"l >= -9223372036854775808", "l >= -9223372036854775808"},
    {"d = 1", "d = 1.0"},
    {"d = 0.1", "d = 0.1"},
    {"f = 0.1", "f = 0.1"},
    {"d = -0.0", "d = 0.0"},
    {"d = 9007199254740993", "never"}, /* 2^53 + 1 lies between two doubles */
    {"d < 9007199254740993", "d <= 9007199254740992.0"},
    {"d > -9007199254740993", "d > -9007199254740994.0"},
    {"f >= 16777217", "f > 16777216.0"},
    {"d < 1e400", "d <= 1.7976931348623157e308"},
    {"d > -1e400", "d > -Infinity"},
    {"f = 1e39", "never"},
    {"d = nan", "d is nan"},
    {"d >= nan", "d is nan"},
    {"d > nan", "never"},
    {"d <= nan", "d is not null"},
    {"d < nan", "(d is not nan and d is not null)"},
    {"not d = nan", "(d is not nan and d is not null)"},
    {"dec = 1.5", "dec = 1.50"},
    {"dec < 1.005", "dec <= 1.00"},
    {"dec > -0.001", "dec > -0.01"},
    {"dec < 10000000", "dec is not null"}, /* 7 digits before the point are the most */
    {"dec <= 9999999.99", "dec <= 9999999.99"},
    {"s = 'x'", "s = 'x'"},
    {"b", "b = true"},
    {"not b", "b = false"},
    {"b = false", "b = false"},
    {"date = date '2026-11-30'", "date = '2026-11-30'"},
    {"date < '2026-11-30'", "date < '2026-11-30'"},
    {"date < timestamp '2026-11-30T12:00:00'", "date <= '2026-11-30'"},
    {"date < timestamp '2026-11-30T00:00:00'", "date < '2026-11-30'"},
    {"ts >= date '2026-11-30'", "ts >= '2026-11-30T00:00:00.000000'"},
    {"ts >= '2026-11-30'", "ts >= '2026-11-30T00:00:00.000000'"},
    {"ts = timestamp '2026-11-30 12:00:00.0000005'", "never"},
    {"ts < timestamp '2026-11-30 12:00:00.0000005'", "ts <= '2026-11-30T12:00:00.000000'"},
    {"tn = timestamp '2026-11-30 12:00:00.000000005'", "tn = '2026-11-30T12:00:00.000000005'"},
    {"tn < timestamp '9999-01-01T00:00:00'", "tn is not null"}, /* nanoseconds end in 2262 */
    {"tz = timestamptz '2026-11-30T12:00:00+02:00'", "tz = '2026-11-30T10:00:00.000000+00:00'"},
    {"tz = '2026-11-30T12:00:00Z'", "tz = '2026-11-30T12:00:00.000000+00:00'"},
    {"t < time '12:00:00.0000015'", "t <= '12:00:00.000001'"},
    {"t9 < time '12:00:00.0000015'", "t9 < '12:00:00.000001500'"},
    {"wide is null", "wide is null"},
    {"dur = 5", "dur = 5"},
    {"dur < 1.5", "dur <= 1"},
    {"dur = l", "dur = l"},
    {"t9 = '12:00:00.000000001'", "t9 = '12:00:00.000000001'"},
    {"u = 'F79C3E09-677C-4BBD-A479-3F349CB785E7'", "u = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"},
    {"bin > X'00ff'", "bin > X'00ff'"},
    {"fx = X'00ffaa'", "fx = X'00ffaa'"},
    {"i = null", "never"},
    {"not i = null", "never"},
    {"no = 1", "never"},
    {"no is null", "true"},
    {"no is not null", "never"},
    {"i is null", "i is null"},
    {"not i is null", "i is not null"},
    {"d is not nan", "d is not nan"},
    {"i in (3, 1, 2.5, 3.0, 3000000000)", "i in (1, 3)"},
    {"i in (1, null)", "i in (1)"},
    {"i not in (1, null)", "never"},
    {"not (i in (1, 2))", "i not in (1, 2)"},
    {"i in (1.5)", "never"},
    {"i not in (1.5)", "i is not null"},
    {"d in (nan, -0.0, 0.0)", "d in (0.0, nan)"},
    {"not (i = 1 and (s = 'x' or l < 2))", "(i <> 1 or (s <> 'x' and l >= 2))"},
    {"i = l", "i = l"},
    {"not f < d", "f >= d"},
    {"s >= s2", "s >= s2"},
    {"\"a \"\"b\"\"\" = 1", "\"a \"\"b\"\"\" = 1"},
    {"i between 1 and 2.5", "(i >= 1 and i <= 2)"},
    {"i not between 1 and 2", "(i < 1 or i > 2)"},
    {"1 = 1", "true"},
    {"1.0 = 1", "true"},
    {"2 < 10", "true"},
    {"-2 < -10", "never"},
    {"0.00 = -0", "true"},
    {"'a' < 'b'", "true"},
    {"date '2026-01-01' = timestamp '2026-01-01T00:00:00'", "true"},
    {"nan > 1e999", "true"},
    {"null = null", "never"},
    {"not null", "never"},
    {"true", "true"},
    {"not true", "never"},
    {"null is null", "true"},
    {"1 in (1, null)", "true"},
    {"1 in (null, 1)", "true"},
    {"2 not in (1, null)", "never"},
    {"2 not in (1, 3)", "true"},
    {"null in (1)", "never"},
    {"_row_id < 10", "_row_id < 10"},
    /* like */
    {"s like 'a%'", "s like 'a%'"},
    {"s not like 'a%'", "s not like 'a%'"},
    {"not s not like 'a_' escape '!'", "s like 'a_' escape '!'"},
    {"s like 'abc'", "s = 'abc'"},
    {"s not like '10!%' escape '!'", "s <> '10%'"},
    {"s like null", "never"},
    {"'abc' like 'a%'", "true"},
    {"'abc' not like 'a%'", "never"},
    {"null like 'a%'", "never"},
    {"no not like 'a%'", "never"},
    /* constants are computed */
    {"i < 2 + 3 * 4", "i < 14"},
    {"l >= -(5) - 1", "l >= -6"},
    {"i = 7 / 2", "i = 3"},
    {"i = -7 / 2", "i = -3"}, /* towards zero */
    {"i = -7 % 3", "i = -1"}, /* the sign of the dividend */
    {"d = 1 / 8e0", "d = 0.125"},
    {"dec > 1.5 * 2", "dec > 3.00"},
    {"i in (1 + 1, cast('3' as int))", "i in (2, 3)"},
    {"ts > cast('2026-11-30' as timestamp)", "ts > '2026-11-30T00:00:00.000000'"},
    {"date = cast(timestamp '2026-11-30T12:00:00' as date)", "date = '2026-11-30'"},
    {"s = 'a' || 'b'", "s = 'ab'"},
    {"i = coalesce(null, 5)", "i = 5"},
    {"i = 1 + null", "never"},
    {"i + null is null", "true"},
    {"cast(2.5 as decimal(2, 0)) = 3", "true"}, /* half away from zero */
    {"cast(-2.5 as decimal(2, 0)) = -3", "true"},
    {"cast(2.99 as int) = 2", "true"},
    {"1.00 / 3 = 0.333333", "true"}, /* scale max(6, 2 + 1 + 1) */
    {"2.0 / 3 = 0.666667", "true"},
    /* casts that change nothing are seen through */
    {"cast(i as long) = 5", "i = 5"},
    {"cast(i as long) in (1, 2)", "i in (1, 2)"},
    {"cast(i as bigint) between 1 and 3000000000", "(i >= 1 and i is not null)"},
    {"cast(i as decimal(12, 2)) < 1.5", "i <= 1"},
    {"cast(i as double) <= 1.5", "i <= 1"},
    {"cast(i as double) = 1e10", "never"},
    {"cast(i as double) < nan", "i is not null"},
    {"cast(f as double) = 0.1", "never"},            /* no float is the double 0.1 */
    {"cast(f as double) < 0.1", "f <= 0.099999994"}, /* 0.1f is 0.100000001490116… */
    {"cast(f as double) = 0.5", "f = 0.5"},
    {"cast(f as double) = nan", "f is nan"},
    {"cast(date as timestamp) < timestamp '2026-11-30T12:00:00'", "date <= '2026-11-30'"},
    {"cast(date as timestamp) = '2026-11-30T00:00:00'", "date = '2026-11-30'"},
    {"cast(dec as decimal(12, 4)) < 1.005", "dec <= 1.00"},
    {"cast(s as string) like 'a%'", "s like 'a%'"},
    /* the day of a timestamp is a range of them */
    {"cast(ts as date) = date '2026-11-30'",
     "(ts >= '2026-11-30T00:00:00.000000' and ts < '2026-12-01T00:00:00.000000')"},
    {"not cast(tn as date) = '2026-11-30'",
     "(tn < '2026-11-30T00:00:00.000000000' or tn >= '2026-12-01T00:00:00.000000000')"},
    {"cast(ts as date) between '2026-11-01' and '2026-11-30'",
     "(ts >= '2026-11-01T00:00:00.000000' and ts < '2026-12-01T00:00:00.000000')"},
    {"cast(ts as date) < '2026-11-30'", "ts < '2026-11-30T00:00:00.000000'"},
    {"cast(ts as date) <= '2026-11-30'", "ts < '2026-12-01T00:00:00.000000'"},
    {"cast(ts as date) > '2026-11-30'", "ts >= '2026-12-01T00:00:00.000000'"},
    {"cast(ts as date) >= '2026-11-30'", "ts >= '2026-11-30T00:00:00.000000'"},
    {"cast(ts as date) >= timestamp '2026-11-30T12:00:00'", "ts >= '2026-12-01T00:00:00.000000'"},
    {"cast(ts as date) < timestamp '2026-11-30T12:00:00'", "ts < '2026-12-01T00:00:00.000000'"},
    {"cast(ts as date) = timestamp '2026-11-30T12:00:00'", "never"},
    {"cast(tn as date) > '2300-01-01'", "never"}, /* nanoseconds end in 2262 */
    {"cast(tn as date) <> '2300-01-01'", "(tn is not null or never)"},
    /* others are computed */
    {"cast(l as int) = 5", "cast(l as int) = 5"},
    {"cast(l as double) = 5", "cast(l as double) = 5.0"},
    {"cast(ts as date) in (date '2026-11-30')", "cast(ts as date) in ('2026-11-30')"},
    {"i % 8 = 4", "(i % 8) = 4"},
    {"i + 1 = 2.5", "never"},
    {"i + 1 < 2.5", "(i + 1) <= 2"},
    {"5 > i + l", "(cast(i as long) + l) < 5"},
    {"i + 5000000000 > 1", "(cast(i as long) + 5000000000) > 1"},
    {"i * 1.5 = 3", "(cast(i as decimal(10, 0)) * 1.5) = 3.0"},
    {"f * 0.1 > 1", "(f * 0.1) > 1.0"},
    {"f + d > 1", "(cast(f as double) + d) > 1.0"},
    {"dec + 1 = 2", "(dec + 1) = 2.00"},
    {"i = d", "cast(i as double) = d"},
    {"i = dec", "cast(i as decimal(10, 0)) = dec"},
    {"date < ts", "cast(date as timestamp) < ts"},
    {"-i > 3", "-(i) > 3"},
    {"s || 'x' = 'yx'", "(s || 'x') = 'yx'"},
    {"i + 1 between 2 and 3", "let it = (i + 1) in (it >= 2 and it <= 3)"},
    {"not i + 1 between 2 and 3", "let it = (i + 1) in (it < 2 or it > 3)"},
    {"i + 1 in (2, 3)", "(i + 1) in (2, 3)"},
    {"i + 1 in (2, l)", "let it = (i + 1) in (it = l or it in (2))"},
    {"i not in (2, l)", "(i <> l and i not in (2))"},
    {"1 in (i, l)", "(i = 1 or l = 1)"},
    {"d * 2 < nan", "let it = (d * 2.0) in (it is not nan and it is not null)"},
    {"i + 1 is null", "(i + 1) is null"},
    {"case when i = 1 then 2 else l end = 3", "case when i = 1 then 2 else l end = 3"},
    {"case when b then b end", "case when b = true then b end = true"},
    {"coalesce(b, i = 1)", "coalesce(b, truth(i = 1)) = true"},
    {"coalesce(i, 1.5) = 1", "coalesce(cast(i as decimal(11, 1)), 1.5) = 1.0"},
    {"coalesce(date, '2026-01-01') = '2026-01-01'", "coalesce(date, '2026-01-01') = '2026-01-01'"},
    /* constants that cannot be computed fail where a row needs them */
    {"i = 1 / 0", "i = (1 / 0)"},
    {"st is null", "st is null"},
    {"st is not null", "st is not null"},
};

START_TEST(converts_literals_exactly) {
    for (size_t i = 0; i < sizeof BOUND / sizeof BOUND[0]; i++) {
        const rwl_expr *e;
        const rwl_bound *b;
        OK(rwl_expr_parse(BOUND[i].text, &arena, &e, err));
        OK(rwl_expr_bind(e, TABLE, COL_COUNT, &arena, &b, err));
        rwl_buf_reset(&out);
        OK(rwl_bound_format(b, &out, err));
        OK(rwl_buf_terminate(&out, err));
        ck_assert_msg(strcmp((char *)out.data, BOUND[i].bound) == 0, "%s is %s, expected %s", BOUND[i].text,
                      (char *)out.data, BOUND[i].bound);
    }
}
END_TEST

static const struct {
    const char *text;
    rwl_status code;
    const char *says, *and_says;
} REFUSED[] = {
    {"x = 1", RWL_USAGE, "no column 'x'; the columns are i, l, f", "_row_id"},
    {"I = 1", RWL_USAGE, "no column 'I'", "did you mean i?"},
    {"\"$row_id\" = 1", RWL_USAGE, "no column '$row_id'", "did you mean _row_id?"},
    {"i = 'x'", RWL_USAGE, "column 'i': type int", "a string"},
    {"s = 1", RWL_USAGE, "column 's': type string", "a number"},
    {"b = 1", RWL_USAGE, "type boolean", "a number"},
    {"i = true", RWL_USAGE, "type int", "a boolean"},
    {"dec = date '2026-01-01'", RWL_USAGE, "type decimal(9, 2)", "a date"},
    {"ts = timestamptz '2026-01-01T00:00:00Z'", RWL_USAGE, "type timestamp", "a timestamptz"},
    {"t = t9", RWL_USAGE, "time", "time(ns)"},
    {"tz = timestamp '2026-01-01T00:00:00'", RWL_USAGE, "type timestamptz", "a timestamp"},
    {"date = 'soon'", RWL_USAGE, "column 'date': 'soon' is not a value of type date", ""},
    {"tz = '2026-01-01T00:00:00'", RWL_USAGE, "is not a value of type timestamptz", ""},
    {"bin = '00'", RWL_USAGE, "type binary", "X'00ff'"},
    {"s = X'00'", RWL_USAGE, "type string", "a binary literal"},
    {"u = X'00'", RWL_USAGE, "type uuid", "a binary literal"},
    {"s = nan", RWL_USAGE, "type string", "nan"},
    {"t = date '2026-01-01'", RWL_USAGE, "type time", "a date"},
    {"i in (1, 'x')", RWL_USAGE, "column 'i': type int", "a string"},
    {"i = s", RWL_USAGE, "columns 'i' and 's'", "int and string"},
    {"1 = 'x'", RWL_USAGE, "a number does not compare with a string", ""},
    {"i", RWL_USAGE, "column 'i' is not boolean", ""},
    {"1", RWL_USAGE, "a number is not a condition", ""},
    {"i is nan", RWL_USAGE, "column 'i': only float and double", ""},
    {"st.x = 1", RWL_USAGE, "no column 'st.x'; the columns are", ""}, /* not flattened here */
    {"st = 1", RWL_UNSUPPORTED, "column 'st'", "nested"},
    {"st is nan", RWL_UNSUPPORTED, "name its fields with dots", ""},
    {"i like '1%'", RWL_USAGE, "column 'i': like takes a string, not type int", ""},
    {"1 like '1%'", RWL_USAGE, "like takes a string, not a number", ""},
    {"s like 'a!' escape '!'", RWL_USAGE, "stands before %", ""},
    {"s like 'a' escape 'ab'", RWL_USAGE, "escape takes one character", ""},
    {"s like 'a' escape ''", RWL_USAGE, "escape takes one character", ""},
    {"wide = 1", RWL_UNSUPPORTED, "column 'wide': decimals of more than 38 digits", ""},
    {"wide in (1, 2)", RWL_UNSUPPORTED, "decimals of more than 38 digits are not compared", ""},
    {"wide = X'00'", RWL_UNSUPPORTED, "decimals of more than 38 digits are not compared", ""},
    {"wide between 1 and 2", RWL_UNSUPPORTED, "decimals of more than 38 digits are not compared", ""},
    {"wide = wide", RWL_UNSUPPORTED, "decimals of more than 38 digits are not compared", ""},
    {"wide = dec", RWL_UNSUPPORTED, "decimals of more than 38 digits are not compared", ""},
    {"cast(wide as double) = 1", RWL_USAGE, "no cast between decimal(76, 4) and double", ""},
    {"wide + 1 = 2", RWL_USAGE, "+ does not take type decimal(76, 4)", ""},
    {"s + 1 = 2", RWL_USAGE, "+ does not take type string", ""},
    {"date + 1 = 2", RWL_USAGE, "+ does not take type date", ""},
    {"i || 'x' = 'y'", RWL_USAGE, "|| does not take type int", ""},
    {"-s = 'x'", RWL_USAGE, "- does not take type string", ""},
    {"i + 1 = s", RWL_USAGE, "types int and string do not compare", ""},
    {"i + 1 = 'x'", RWL_USAGE, "expression at 3: type int", "a string"},
    {"i + 1 is nan", RWL_USAGE, "expression at 3: only float and double can be nan", ""},
    {"i + 1", RWL_USAGE, "is not boolean", ""},
    {"case when i then 1 end = 1", RWL_USAGE, "column 'i' is not boolean", ""},
    {"coalesce(i, s) = 1", RWL_USAGE, "no type holds both int and string", ""},
    {"coalesce(i, 'x') = 1", RWL_USAGE, "type int does not compare with a string", ""},
    {"cast(date as int) = 1", RWL_USAGE, "there is no cast between date and int", ""},
    {"cast(ts as timestamptz) = tz", RWL_USAGE, "no cast between timestamp and timestamptz", ""},
    {"ts = tz", RWL_USAGE, "timestamp and timestamptz do not compare", ""},
    {"dec * cast(i as decimal(38, 37)) = 1", RWL_USAGE, "39 digits behind the point", ""},
};

START_TEST(refuses_names_and_types_by_name) {
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        const rwl_expr *e;
        const rwl_bound *b;
        rwl_error fault = {0};
        OK(rwl_expr_parse(REFUSED[i].text, &arena, &e, err));
        rwl_status st = rwl_expr_bind(e, TABLE, COL_COUNT, &arena, &b, &fault);
        ck_assert_msg(st == REFUSED[i].code, "%s: %d %s", REFUSED[i].text, (int)st, fault.message);
        ck_assert_msg(strstr(fault.message, REFUSED[i].says) != NULL, "%s: %s", REFUSED[i].text,
                      fault.message);
        ck_assert_msg(strstr(fault.message, REFUSED[i].and_says) != NULL, "%s: %s", REFUSED[i].text,
                      fault.message);
    }
}
END_TEST

START_TEST(lists_the_columns_it_needs) {
    const rwl_expr *e;
    const rwl_bound *b;
    OK(rwl_expr_parse("_row_id > 5 and (s = s2 or not i is null) and i = 1", &arena, &e, err));
    OK(rwl_expr_bind(e, TABLE, COL_COUNT, &arena, &b, err));
    int32_t count;
    const int32_t *columns = rwl_bound_columns(b, &count);
    const int32_t expect[] = {COL_I, COL_S, COL_S2, COL_ROW_ID};
    ck_assert_int_eq(count, 4);
    ck_assert_mem_eq(columns, expect, sizeof expect);
}
END_TEST

/* A table with nested fields, as iceberg/filter_fields.c lists them. */
static const rwl_field IN_AB[] = {{.name = "c", .id = 4, .type = {.kind = RWL_TYPE_INT}}};
static const rwl_field IN_A[] = {
    {.name = "b", .id = 3, .type = {.kind = RWL_TYPE_STRUCT, .children = IN_AB, .child_count = 1}},
    {.name = "b.c", .id = 5, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "x", .id = 6, .type = {.kind = RWL_TYPE_STRING}},
};
static const rwl_field FLATTENED[] = {
    {.name = "a", .id = 1, .type = {.kind = RWL_TYPE_STRUCT, .children = IN_A, .child_count = 3}},
    {.name = "a.x", .id = 2, .type = {.kind = RWL_TYPE_DOUBLE}},
    {.name = "_row_id", .id = 9, .type = {.kind = RWL_TYPE_STRING}}, /* BUG-181: the table's own */
    {.name = "_row_id", .id = RWL_FIELD_ID_ROW_ID, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "_file", .id = RWL_FIELD_ID_FILE, .type = {.kind = RWL_TYPE_STRING}},
    {.name = "a.b", .id = 3, .type = {.kind = RWL_TYPE_STRUCT, .children = IN_AB, .child_count = 1}},
    {.name = "a.b.c", .id = 4, .type = {.kind = RWL_TYPE_INT}},
    {.name = "a.b.c", .id = 5, .type = {.kind = RWL_TYPE_LONG}},
    {.name = "a.x", .id = 6, .type = {.kind = RWL_TYPE_STRING}},
};
enum { FLATTENED_COUNT = sizeof FLATTENED / sizeof FLATTENED[0] };

START_TEST(finds_nested_fields_by_their_path) {
    static const struct {
        const char *text;
        int32_t column;
        const char *says; /* of a refusal */
    } NAMED[] = {
        {"a.x = 'y'", 8, NULL},
        {"\"a.x\" = 1.5", 1, NULL},
        {"a is null", 0, NULL},
        {"a.b is not null", 5, NULL},
        {"_row_id = 'x'", 2, NULL},
        {"_file = 'x'", 4, NULL},
        {"a.b.c = 1", -1, "'a.b.c' is ambiguous"},
        {"\"a.b.c\" = 1", -1, "'a.b.c' is ambiguous"},
        {"a.\"b.c\" = 1", -1, "'a.b.c' is ambiguous"},
        {"a.b.d = 1", -1, "no column 'a.b.d'; the columns are a, a.x, _row_id"},
        {"A.X = 1", -1, "did you mean a.x?"},
        {"\"$file\" = 1", -1, "did you mean _file?"},
        {"\"$path\" = 1", -1, "did you mean _file?"},
        {"a = 1", -1, "name its fields with dots"},
    };
    for (size_t i = 0; i < sizeof NAMED / sizeof NAMED[0]; i++) {
        const rwl_expr *e;
        const rwl_bound *b;
        rwl_error fault = {0};
        int32_t count;
        OK(rwl_expr_parse(NAMED[i].text, &arena, &e, err));
        rwl_status st = rwl_expr_bind(e, FLATTENED, FLATTENED_COUNT, &arena, &b, &fault);
        if (NAMED[i].says != NULL) {
            ck_assert_msg(st != RWL_OK && strstr(fault.message, NAMED[i].says) != NULL, "%s: %s",
                          NAMED[i].text, fault.message);
            continue;
        }
        ck_assert_msg(st == RWL_OK, "%s: %s", NAMED[i].text, fault.message);
        ck_assert_int_eq(rwl_bound_columns(b, &count)[0], NAMED[i].column);
        ck_assert_int_eq(count, 1);
    }
}
END_TEST

START_TEST(refuses_columns_other_than_the_bound_ones) {
    const rwl_expr *e;
    const rwl_bound *b;
    OK(rwl_expr_parse("i = 1", &arena, &e, err));
    OK(rwl_expr_bind(e, TABLE, COL_COUNT, &arena, &b, err));
    rwl_column wrong;
    rwl_column_init_flat(&wrong, &TABLE[COL_L].type);
    const rwl_column *columns[COL_COUNT] = {NULL};
    uint64_t bits[1];
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_expr_eval(b, columns, 0, &env, bits, &fault), RWL_INTERNAL);
    columns[COL_I] = &wrong;
    ck_assert_int_eq(rwl_expr_eval(b, columns, 0, &env, bits, &fault), RWL_INTERNAL);
    ck_assert_ptr_nonnull(strstr(fault.message, "'i'"));
}
END_TEST

TCase *bind_cases(void) {
    TCase *tc = tcase_create("bind");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, converts_literals_exactly);
    tcase_add_test(tc, refuses_names_and_types_by_name);
    tcase_add_test(tc, lists_the_columns_it_needs);
    tcase_add_test(tc, finds_nested_fields_by_their_path);
    tcase_add_test(tc, refuses_columns_other_than_the_bound_ones);
    return tc;
}
