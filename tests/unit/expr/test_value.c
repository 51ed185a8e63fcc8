/* SPDX-License-Identifier: Apache-2.0 */
/* Values: what each computes to, of which type, and what ends with a failure that names the place and the values. */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static rwl_env env;
static rwl_arena arena;
static rwl_batch batch;

/* Three rows: values, others, nulls. */
static const char *const ROWS[COL_COUNT][2] = {
    [COL_I] = {"7", "-2147483648"},
    [COL_L] = {"3000000000", "-9223372036854775808"},
    [COL_F] = {"0.5", "NaN"},
    [COL_D] = {"0.1", "-0.0"},
    [COL_DEC] = {"1.25", "-9999999.99"},
    [COL_S] = {"gr\xc3\xbc\xc3\x9f", ""},
    [COL_S2] = {"12", "x"},
    [COL_B] = {"true", "false"},
    [COL_DT] = {"2026-11-30", "1969-12-31"},
    [COL_TS] = {"2026-11-30T12:34:56.000001", "1969-12-31T23:59:59.999999"},
    [COL_TZ] = {"2026-11-30T12:34:56.000001+00:00", "1969-12-31T23:59:59.999999+00:00"},
    [COL_TN] = {"2026-11-30T12:34:56.000000001", "1969-12-31T23:59:59.999999999"},
    [COL_T] = {"12:34:56.000001", "00:00:00.000000"},
    [COL_U] = {"f79c3e09-677c-4bbd-a479-3f349cb785e7", "00000000-0000-0000-0000-000000000000"},
    [COL_BIN] = {"00ff", ""},
    [COL_FX] = {"00ff", "0000"},
    [COL_QUOTED] = {"1", "2"},
    [COL_ROW_ID] = {"10", "11"},
};

static void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    OK(rwl_batch_init(&batch, &env, TABLE, COL_T9, err));
    for (int c = 0; c < COL_T9; c++) {
        for (int i = 0; i < 3; i++) {
            rwl_value v = rwl_value_null(TABLE[c].type.kind);
            if (i < 2 && ROWS[c][i] != NULL)
                OK(rwl_value_parse(&TABLE[c].type, rwl_span_str(ROWS[c][i]), &arena, &v, err));
            OK(rwl_column_append(&batch.columns[c], &env, &v, 1, err));
        }
    }
    batch.length = 3;
}
static void teardown(void) {
    rwl_batch_clear(&batch);
    rwl_arena_clear(&arena);
}

/* Binds and evaluates; the values as one text, with bars between them, in `out`. */
static rwl_status eval_text(const char *sql, const rwl_type *target, rwl_buf *out, rwl_error *fault) {
    const rwl_expr *e;
    const rwl_bound_value *b;
    const rwl_column *columns[COL_COUNT] = {NULL};
    rwl_column result;
    for (int c = 0; c < COL_T9; c++)
        columns[c] = &batch.columns[c];
    OK(rwl_expr_parse_value(sql, &arena, &e, err));
    RWL_TRY(rwl_expr_bind_value(e, TABLE, COL_T9, target, &arena, &b, fault));
    OK(rwl_column_init(&result, &env, rwl_bound_value_type(b), err));
    rwl_status st = rwl_expr_eval_value(b, columns, 3, &env, &result, fault);
    rwl_buf_reset(out);
    OK(rwl_type_format(rwl_bound_value_type(b), out, err));
    for (int64_t i = 0; st == RWL_OK && i < 3; i++) {
        rwl_value v = rwl_column_value(&result, i);
        OK(rwl_buf_str(out, i == 0 ? ": " : " | ", err));
        OK(rwl_value_format(&result.type, &v, out, err));
    }
    OK(rwl_buf_terminate(out, err));
    rwl_column_clear(&result, &env);
    return st;
}

static const struct {
    const char *sql, *values;
} VALUES[] = {
    {"i", "int: 7 | -2147483648 | null"},
    {"5", "int: 5 | 5 | 5"},
    {"null", "unknown: null | null | null"},
    {"3000000000", "long: 3000000000 | 3000000000 | 3000000000"},
    {"1.50", "decimal(3, 2): 1.50 | 1.50 | 1.50"},
    {"1e2", "double: 100.0 | 100.0 | 100.0"},
    {"i + 3000000000", "long: 3000000007 | 852516352 | null"},
    {"i / 2", "int: 3 | -1073741824 | null"},
    {"i % 4", "int: 3 | 0 | null"},
    {"i % -1", "int: 0 | 0 | null"}, /* no overflow */
    {"l % -1", "long: 0 | 0 | null"},
    {"i * 1.5", "decimal(13, 1): 10.5 | -3221225472.0 | null"}, /* 10 + 2 + 1 digits */
    {"dec + dec", "decimal(10, 2): 2.50 | -19999999.98 | null"},
    {"dec - 0.125", "decimal(11, 3): 1.125 | -10000000.115 | null"}, /* 7 + 3 + 1 digits */
    {"dec * dec", "decimal(19, 4): 1.5625 | 99999999800000.0001 | null"},
    {"dec / 3",
     "decimal(13, 6): 0.416667 | -3333333.330000 | null"}, /* scale max(6, 2 + 1 + 1), 7 + 0 + 6 digits */
    {"dec % 1", "decimal(3, 2): 0.25 | -0.99 | null"},
    {"-dec", "decimal(9, 2): -1.25 | 9999999.99 | null"},
    {"-d", "double: -0.1 | 0.0 | null"},
    {"f * 0.1", "float: 0.05 | NaN | null"},
    {"f + d", "double: 0.6 | NaN | null"},
    {"1 / d", "double: 10.0 | -Infinity | null"},
    {"0 / d", "double: 0.0 | NaN | null"},
    {"d % 0", "double: NaN | NaN | null"},
    {"s || '-' || s2", "string: gr\xc3\xbc\xc3\x9f-12 | -x | null"},
    {"cast(i as string)", "string: 7 | -2147483648 | null"},
    {"cast(s2 || '' as string)", "string: 12 | x | null"},
    {"cast(i as long) * 2", "long: 14 | -4294967296 | null"},
    {"cast(i as float)", "float: 7.0 | -2147483600.0 | null"},
    {"cast(d as decimal(5, 3))", "decimal(5, 3): 0.100 | 0.000 | null"},
    {"cast(dec as int)", "int: 1 | -9999999 | null"},
    {"cast(dec as decimal(9, 1))", "decimal(9, 1): 1.3 | -10000000.0 | null"}, /* half away from zero */
    {"cast(dec as double)", "double: 1.25 | -9999999.99 | null"},
    {"cast(date as timestamp)", "timestamp: 2026-11-30T00:00:00.000000 | 1969-12-31T00:00:00.000000 | null"},
    {"cast(ts as date)", "date: 2026-11-30 | 1969-12-31 | null"},
    {"cast(tn as timestamp)", "timestamp: 2026-11-30T12:34:56.000000 | 1969-12-31T23:59:59.999999 | null"},
    {"cast(ts as timestamp_ns)",
     "timestamp_ns: 2026-11-30T12:34:56.000001000 | 1969-12-31T23:59:59.999999000 | null"},
    {"cast(u as string)",
     "string: f79c3e09-677c-4bbd-a479-3f349cb785e7 | 00000000-0000-0000-0000-000000000000 | null"},
    {"cast(cast(u as string) as uuid)",
     "uuid: f79c3e09-677c-4bbd-a479-3f349cb785e7 | 00000000-0000-0000-0000-000000000000 | null"},
    {"cast(fx as binary)", "binary: 00ff | 0000 | null"},
    {"cast(b as string)", "string: true | false | null"},
    {"cast('2026-11-30' as date)", "date: 2026-11-30 | 2026-11-30 | 2026-11-30"},
    {"i > 0", "boolean: true | false | null"},
    {"i > 0 or l is null", "boolean: true | false | true"}, /* unknown or true */
    {"not (i > 0 and b)", "boolean: false | true | null"},
    {"s like 'gr__'", "boolean: true | false | null"}, /* code points */
    {"s like 'gr____'", "boolean: false | false | null"},
    {"case when b then i end", "int: 7 | null | null"},
    {"case when b then i else 2.5 end", "decimal(11, 1): 7.0 | 2.5 | 2.5"},
    {"case when b then s when not b then s2 else 'null' end", "string: gr\xc3\xbc\xc3\x9f | x | null"},
    {"case when b then date else '2026-01-01' end", "date: 2026-11-30 | 2026-01-01 | 2026-01-01"},
    {"case when i < 0 then 0 else 100 / i end", "int: 14 | 0 | null"},
    {"case when i = -2147483648 then null else -i end", "int: -7 | null | null"}, /* only where it matters */
    {"coalesce(s, s2, 'none')", "string: gr\xc3\xbc\xc3\x9f |  | none"},
    {"coalesce(i, 0)", "int: 7 | -2147483648 | 0"},
    {"coalesce(i, l, 1.5)", "decimal(20, 1): 7.0 | -2147483648.0 | 1.5"},
    {"coalesce(b, false)", "boolean: true | false | false"},
    {"coalesce(null, null)", "unknown: null | null | null"},
    {"coalesce(i > 0, false)", "boolean: true | false | false"},
    {"i + null", "int: null | null | null"},
};

START_TEST(computes_values_of_every_kind) {
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        rwl_error fault = {0};
        rwl_status st = eval_text(VALUES[i].sql, NULL, &out, &fault);
        ck_assert_msg(st == RWL_OK, "%s: %s", VALUES[i].sql, fault.message);
        ck_assert_msg(strcmp((char *)out.data, VALUES[i].values) == 0, "%s is %s, expected %s", VALUES[i].sql,
                      (char *)out.data, VALUES[i].values);
    }
    rwl_buf_clear(&out);
}
END_TEST

static const struct {
    const char *sql, *says;
} FAILURES[] = {
    {"i - 1", "expression, at 3: -2147483648 - 1 does not fit type int (row 1 of the batch)"},
    {"i + l",
     "expression, at 3: -2147483648 + -9223372036854775808 does not fit type long (row 1 of the batch)"},
    {"-i", "at 1: -2147483648 times -1 does not fit type int"},
    {"i / -1", "at 3: -2147483648 / -1 does not fit type int"},
    {"l / (i - i)", "at 3: 3000000000 / 0 is a division by zero (row 0 of the batch)"},
    {"i % 0", "at 3: 7 % 0 is a division by zero"},
    {"dec / 0.00", "at 5: 1.25 / 0 is a division by zero"},
    {"1 / 0", "at 3: 1 / 0 is a division by zero"},
    {"cast(l as int)", "at 1: '3000000000' does not fit type int (row 0 of the batch)"},
    {"cast(dec as decimal(4, 2))", "'-9999999.99' does not fit type decimal(4, 2) (row 1"},
    {"cast(f as int)", "'NaN' does not fit type int (row 1"},
    {"cast(s2 as int)", "'x' does not fit type int (row 1"},
    {"cast(bin as fixed(2))", "'' does not fit type fixed[2] (row 1"},
    {"cast(1e300 as float)", "'1e300' does not fit type float (row 0"},
    {"cast('1.5' as int)", "'1.5' does not fit type int"},
    {"case when b is null then 1 else 2 * i end", "2 * -2147483648 does not fit type int (row 1"},
    {"cast(99999999999999999999999999999999999999 as decimal(38, 0)) * 2",
     "does not fit type decimal(38, 0)"},
};

START_TEST(ends_with_the_place_and_the_values) {
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof FAILURES / sizeof FAILURES[0]; i++) {
        rwl_error fault = {0};
        rwl_status st = eval_text(FAILURES[i].sql, NULL, &out, &fault);
        ck_assert_msg(st == RWL_USAGE, "%s: %d %s", FAILURES[i].sql, (int)st, (char *)out.data);
        ck_assert_msg(strstr(fault.message, FAILURES[i].says) != NULL, "%s: %s", FAILURES[i].sql,
                      fault.message);
    }
    rwl_buf_clear(&out);
}
END_TEST

static const struct {
    const char *sql;
    int column; /* whose type is the target */
    const char *values, *says;
} TARGETS[] = {
    {"i", COL_L, "long: 7 | -2147483648 | null", NULL},
    {"5", COL_DEC, "decimal(9, 2): 5.00 | 5.00 | 5.00", NULL},
    {"2.0 + 1", COL_I, "int: 3 | 3 | 3", NULL},
    {"2.5", COL_I, NULL, "type int does not hold"},
    {"2.5 + 1", COL_I, NULL, "type int does not hold"},
    {"1e1", COL_L, "long: 10 | 10 | 10", NULL},
    {"0.1", COL_F, "float: 0.1 | 0.1 | 0.1", NULL},
    {"null", COL_S, "string: null | null | null", NULL},
    {"'2026-11-30'", COL_TS,
     "timestamp: 2026-11-30T00:00:00.000000 | 2026-11-30T00:00:00.000000 | 2026-11-30T00:00:00.000000", NULL},
    {"l", COL_I, NULL, "'3000000000' does not fit type int"},
    {"i * 10", COL_L, NULL, "does not fit type int"},
    {"dec", COL_I, NULL, "no cast: decimal(9, 2) and int"},
    {"d", COL_DEC, NULL, "no cast: double and decimal(9, 2)"},
    {"i", COL_D, "double: 7.0 | -2147483648.0 | null", NULL},
    {"dec", COL_D, "double: 1.25 | -9999999.99 | null", NULL},
    {"date", COL_TS, "timestamp: 2026-11-30T00:00:00.000000 | 1969-12-31T00:00:00.000000 | null", NULL},
    {"ts", COL_TZ, NULL, "no cast: timestamp and timestamptz"},
    {"i", COL_S, NULL, "no cast: int and string"},
    {"X'000001'", COL_FX, NULL, "does not hold"},
    {"no", COL_I, "int: null | null | null", NULL},
    {"i > 5 and b", COL_B, "boolean: true | false | null", NULL},
};

START_TEST(fits_values_to_the_column_they_are_for) {
    rwl_buf out;
    rwl_buf_init(&out, &env, SIZE_MAX);
    for (size_t i = 0; i < sizeof TARGETS / sizeof TARGETS[0]; i++) {
        rwl_error fault = {0};
        rwl_status st = eval_text(TARGETS[i].sql, &TABLE[TARGETS[i].column].type, &out, &fault);
        if (TARGETS[i].says != NULL) {
            ck_assert_msg(st == RWL_USAGE, "%s: %d %s", TARGETS[i].sql, (int)st, fault.message);
            ck_assert_msg(strstr(fault.message, TARGETS[i].says) != NULL, "%s: %s", TARGETS[i].sql,
                          fault.message);
            continue;
        }
        ck_assert_msg(st == RWL_OK, "%s: %s", TARGETS[i].sql, fault.message);
        ck_assert_msg(strcmp((char *)out.data, TARGETS[i].values) == 0, "%s is %s, expected %s",
                      TARGETS[i].sql, (char *)out.data, TARGETS[i].values);
    }
    rwl_buf_clear(&out);
}
END_TEST

/* The set of rows as a string of 0 and 1. */
static const struct {
    const char *sql, *rows;
} SELECTED[] = {
    {"i + 1 = 8 or i < 0", "110"},
    {"i < 0 or i + 1 = 8", "110"},
    {"i > 0 and i * 300000000 > 0", "100"}, /* the product of the second row would not fit */
    {"i is null or i > 0 and -i = -7", "101"},
    {"l > d", "100"},
    {"l > dec", "100"},
    {"dec < i", "100"},
    {"cast(dec as decimal(38, 30)) < i", "100"},
    {"date <= ts", "110"},
    {"cast(ts as date) = date", "110"},
    {"cast(ts as date) = '1969-12-31'", "010"},
    {"cast(tn as date) between '1969-12-31' and '2026-11-29'", "010"},
    {"cast(tn as date) in ('1969-12-31', '1970-01-01')", "010"},
    {"tn between '1969-12-31T23:59:59.999999999' and '1970-01-01'", "010"},
    {"tn in ('2026-11-30T12:34:56.000000001', '2026-11-30T12:34:56.000000002')", "100"},
    {"u = uuid 'F79C3E09-677C-4BBD-A479-3F349CB785E7'", "100"},
    {"bin > X'00fe'", "100"},
    {"fx in (X'00ff', X'00')", "100"},
    {"f = nan", "010"},
    {"f + 1 = nan", "010"},
    {"f > 1e30", "010"},
    {"d = 0", "010"},
    {"-d = -0.0", "010"},
    {"d * 10 between 1 and 1", "100"},
    {"i in (l, 7)", "100"},
    {"i + 0 in (l, 7)", "100"},
    {"i not in (l, 8)", "110"},
    {"i not in (l, null)", "000"},
    {"b", "100"},
    {"not b", "010"},
    {"case when b then true else i is null end", "101"},
    {"coalesce(b, i is null)", "101"},
    {"s like '%\xc3\x9f'", "100"},
    {"s not like '%\xc3\x9f'", "010"},
    {"s || s2 like '%_2'", "100"},
    {"st is null", "111"},
    {"no is null", "111"},
};

START_TEST(selects_by_computed_values) {
    for (size_t i = 0; i < sizeof SELECTED / sizeof SELECTED[0]; i++) {
        const rwl_expr *e;
        const rwl_bound *b;
        uint64_t bits[1];
        char rows[4] = "000";
        rwl_error fault = {0};
        OK(rwl_expr_parse(SELECTED[i].sql, &arena, &e, err));
        rwl_status st = rwl_expr_bind(e, TABLE, COL_T9, &arena, &b, &fault);
        if (st == RWL_OK)
            st = rwl_expr_eval_batch(b, &batch, bits, &fault);
        ck_assert_msg(st == RWL_OK, "%s: %s", SELECTED[i].sql, fault.message);
        for (int k = 0; k < 3; k++)
            rows[k] = (char)('0' + (bits[0] >> k & 1));
        ck_assert_msg(strcmp(rows, SELECTED[i].rows) == 0, "%s selects %s, expected %s", SELECTED[i].sql,
                      rows, SELECTED[i].rows);
    }
}
END_TEST

START_TEST(copies_nested_columns_and_lists_what_it_needs) {
    const rwl_expr *e;
    const rwl_bound_value *b;
    rwl_column out;
    const rwl_column *columns[COL_COUNT] = {NULL};
    int32_t count;
    OK(rwl_expr_parse_value("st", &arena, &e, err));
    OK(rwl_expr_bind_value(e, TABLE, COL_T9, &TABLE[COL_NESTED].type, &arena, &b, err));
    ck_assert_int_eq(rwl_bound_value_columns(b, &count)[0], COL_NESTED);
    ck_assert_int_eq(count, 1);
    columns[COL_NESTED] = &batch.columns[COL_NESTED];
    OK(rwl_column_init(&out, &env, rwl_bound_value_type(b), err));
    OK(rwl_expr_eval_value(b, columns, 3, &env, &out, err));
    ck_assert_int_eq(out.length, 3);
    ck_assert_int_eq(out.null_count, 3);
    columns[COL_NESTED] = NULL;
    rwl_error fault = {0};
    ck_assert_int_eq(rwl_expr_eval_value(b, columns, 3, &env, &out, &fault), RWL_INTERNAL);
    rwl_column_clear(&out, &env);
    OK(rwl_expr_parse_value("case when l > 1 then i + l else coalesce(i, 5) end", &arena, &e, err));
    OK(rwl_expr_bind_value(e, TABLE, COL_T9, NULL, &arena, &b, err));
    const int32_t *used = rwl_bound_value_columns(b, &count);
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(used[0], COL_I);
    ck_assert_int_eq(used[1], COL_L);
}
END_TEST

/* Ten thousand literals of each kind, given in no order, against the rows they hold. */
START_TEST(long_lists_are_parsed_bound_and_searched) {
    enum { COUNT = 10000 };
    static const struct {
        const char *name, *before, *behind; /* the digits of a number */
        int width;
        const char *rows;
    } LISTS[] = {
        {"i", "", "", 1, "100"},
        {"l", "300000", "", 4, "100"},
        {"s2", "'", "'", 1, "100"},
        {"dec", "", ".25", 1, "100"},
        {"u", "uuid 'f79c3e09-677c-4bbd-a479-3f349cb7", "'", 4, "000"},
        {"i + 5", "", "", 1, "100"},
    };
    char *text = malloc((size_t)COUNT * 64);
    ck_assert_ptr_nonnull(text);
    for (size_t k = 0; k < sizeof LISTS / sizeof LISTS[0]; k++) {
        const rwl_expr *e;
        const rwl_bound *b;
        uint64_t bits[1];
        size_t at = (size_t)sprintf(text, "%s in (", LISTS[k].name);
        for (int i = 0; i < COUNT; i++) {
            int v = (i * 7919) % COUNT;
            at += (size_t)sprintf(text + at, "%s%s%0*d%s", i > 0 ? "," : "", LISTS[k].before, LISTS[k].width,
                                  v, LISTS[k].behind);
        }
        sprintf(text + at, ")");
        OK(rwl_expr_parse(text, &arena, &e, err));
        OK(rwl_expr_bind(e, TABLE, COL_T9, &arena, &b, err));
        OK(rwl_expr_eval_batch(b, &batch, bits, err));
        for (int r = 0; r < 3; r++)
            ck_assert_msg((bits[0] >> r & 1) == (uint64_t)(LISTS[k].rows[r] - '0'), "%s row %d",
                          LISTS[k].name, r);
    }
    free(text);
}
END_TEST

/* Patterns that make naive matchers try every way to share out the text. */
START_TEST(matches_hostile_patterns_without_trying_every_way) {
    enum { LEN = 20000 };
    static char sql[2 * LEN];
    const rwl_expr *e;
    const rwl_bound *b;
    uint64_t bits[1];
    static uint8_t text[LEN];
    rwl_batch one;
    rwl_value v = {.kind = RWL_TYPE_STRING, .as.bytes = rwl_span_of(text, LEN)};
    memset(text, 'a', LEN);
    OK(rwl_batch_init(&one, &env, &TABLE[COL_S], 1, err));
    OK(rwl_column_append(&one.columns[0], &env, &v, 1, err));
    one.length = 1;
    size_t at = (size_t)sprintf(sql, "s like '");
    for (int i = 0; i < 1000; i++)
        at += (size_t)sprintf(sql + at, "%%a");
    sprintf(sql + at, "%%b'");
    OK(rwl_expr_parse(sql, &arena, &e, err));
    OK(rwl_expr_bind(e, &TABLE[COL_S], 1, &arena, &b, err));
    clock_t start = clock();
    OK(rwl_expr_eval_batch(b, &one, bits, err));
    ck_assert_uint_eq(bits[0], 0);
    ck_assert_msg((double)(clock() - start) / CLOCKS_PER_SEC < 2, "too slow");
    rwl_batch_clear(&one);
}
END_TEST

/* Conditions as values double what is bound at each level; nothing else does. */
START_TEST(nesting_costs_no_more_than_its_length) {
    static char sql[8192];
    static const char *const SHAPES[][2] = {
        {"coalesce((", ") between 1 and 2, b)"},
        {"case when (", ") + 0 between 1 and 2 then 1 end"},
        {"case when (", ") * 2e0 < nan then 1e0 end"},
        {"case when (", ") + 0 not in (1, i, 3) then 1 end"},
    };
    for (size_t k = 0; k < sizeof SHAPES / sizeof SHAPES[0]; k++) {
        const rwl_expr *e;
        const rwl_bound *b;
        uint64_t bits[1];
        rwl_error fault = {0};
        enum { LEVELS = 24 };
        size_t at = 0;
        for (int i = 0; i < LEVELS; i++)
            at += (size_t)sprintf(sql + at, "%s", SHAPES[k][0]);
        at += (size_t)sprintf(sql + at, "%s", k == 2 ? "d" : "i");
        for (int i = 0; i < LEVELS; i++)
            at += (size_t)sprintf(sql + at, "%s", SHAPES[k][1]);
        sprintf(sql + at, " is null");
        OK(rwl_expr_parse(sql, &arena, &e, err));
        rwl_status st = rwl_expr_bind(e, TABLE, COL_T9, &arena, &b, &fault);
        if (k == 0) {
            ck_assert_msg(st == RWL_USAGE && strstr(fault.message, "nested deeper than 4") != NULL, "%s",
                          fault.message);
            continue;
        }
        ck_assert_msg(st == RWL_OK, "%s", fault.message);
        OK(rwl_expr_eval_batch(b, &batch, bits, err));
    }
}
END_TEST

/* --- allocations that fail --- */

typedef struct failing {
    rwl_env env; /* what it stands before */
    int64_t calls, fail_at, live;
} failing;

static void *failing_realloc(void *ctx, void *old, size_t size) {
    failing *f = ctx;
    if (size > 0 && ++f->calls == f->fail_at)
        return NULL;
    f->live += (old == NULL && size > 0) - (old != NULL && size == 0);
    return f->env.realloc(f->env.ctx, old, size);
}

static void *failing_aligned(void *ctx, size_t alignment, size_t size) {
    failing *f = ctx;
    if (++f->calls == f->fail_at)
        return NULL;
    f->live++;
    return f->env.alloc_aligned(f->env.ctx, alignment, size);
}

static void failing_free(void *ctx, void *p) {
    failing *f = ctx;
    f->live -= p != NULL;
    f->env.free_aligned(f->env.ctx, p);
}

START_TEST(ends_with_no_memory_at_each_allocation_and_leaks_none) {
    static const char *const SQL[] = {
        "case when s like 'gr%' then s || s2 else coalesce(s2, 'x') end in ('a', s, '12')",
        "i + 0 between 1 and l * 1 and not (coalesce(b, i = 1) and cast(dec as string) = '1.25')",
        "cast(s2 || '' as string) in ('1','2','3','4','5','6','7','8','9','12') or i * 1.5 < d or f < d",
    };
    const rwl_column *columns[COL_COUNT] = {NULL};
    for (int c = 0; c < COL_T9; c++)
        columns[c] = &batch.columns[c];
    for (size_t k = 0; k < sizeof SQL / sizeof SQL[0]; k++) {
        rwl_status st = RWL_NO_MEMORY;
        for (int64_t fail_at = 1; st != RWL_OK; fail_at++) {
            failing f = {.env = env, .fail_at = fail_at};
            rwl_env small = env;
            rwl_arena own;
            const rwl_expr *e;
            const rwl_bound *b;
            uint64_t bits[1];
            rwl_error fault = {0};
            small.ctx = &f;
            small.realloc = failing_realloc;
            small.alloc_aligned = failing_aligned;
            small.free_aligned = failing_free;
            rwl_arena_init(&own, &small, 0);
            st = rwl_expr_parse(SQL[k], &own, &e, &fault);
            if (st == RWL_OK)
                st = rwl_expr_bind(e, TABLE, COL_T9, &own, &b, &fault);
            if (st == RWL_OK)
                st = rwl_expr_eval(b, columns, 3, &small, bits, &fault);
            rwl_arena_clear(&own);
            ck_assert_msg(st == RWL_OK || st == RWL_NO_MEMORY, "%s: %s", SQL[k], fault.message);
            ck_assert_int_eq(f.live, 0);
        }
    }
}
END_TEST

TCase *value_cases(void) {
    TCase *tc = tcase_create("value");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, computes_values_of_every_kind);
    tcase_add_test(tc, ends_with_the_place_and_the_values);
    tcase_add_test(tc, fits_values_to_the_column_they_are_for);
    tcase_add_test(tc, selects_by_computed_values);
    tcase_add_test(tc, copies_nested_columns_and_lists_what_it_needs);
    tcase_add_test(tc, long_lists_are_parsed_bound_and_searched);
    tcase_add_test(tc, matches_hostile_patterns_without_trying_every_way);
    tcase_add_test(tc, ends_with_no_memory_at_each_allocation_and_leaks_none);
    tcase_add_test(tc, nesting_costs_no_more_than_its_length);
    return tc;
}
