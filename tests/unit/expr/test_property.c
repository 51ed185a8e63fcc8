/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions on random rows: the bitmap equals what a naive three-valued evaluator of one row says,
 * and may/must on bounds never contradict the rows. The evaluator works on the generator's own tree and its
 * own numbers, not on the parser's. ROWLINE_SEED gives others.
 */
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- literals, with their values worked out by hand --- */

typedef struct number {
    const char *text;
    __int128 e4; /* times 10^4, for exact columns */
    bool is_integer;
    int special; /* 1: NaN, 2: beyond every finite number */
} number;

static const number NUMBERS[] = {
    {"0", 0, true, 0},
    {"-0.0", 0, false, 0},
    {"1", 10000, true, 0},
    {"-2", -20000, true, 0},
    {"1.5", 15000, false, 0},
    {"-1.5", -15000, false, 0},
    {"0.01", 100, false, 0},
    {"0.005", 50, false, 0},
    {"2147483647", (__int128)2147483647 * 10000, true, 0},
    {"2147483648", (__int128)2147483648 * 10000, true, 0},
    {"-2147483649", -(__int128)2147483649 * 10000, true, 0},
    {"9223372036854775807", (__int128)INT64_MAX * 10000, true, 0},
    {"9223372036854775808", ((__int128)INT64_MAX + 1) * 10000, true, 0},
    {"-9223372036854775809", ((__int128)INT64_MIN - 1) * 10000, true, 0},
    {"9007199254740993", (__int128)9007199254740993 * 10000, true, 0},
    {"16777217", (__int128)16777217 * 10000, true, 0},
    {"1e1", 100000, false, 0},
    {"9999999.99", (__int128)99999999900, false, 0},
    {"nan", 0, false, 1},
    {"1e400", 0, false, 2},
};
enum { NUMBER_COUNT = sizeof NUMBERS / sizeof NUMBERS[0] };

static const char *const STRINGS[] = {"", "a", "ab", "b", "it's", "\xc3\xa9"};
enum { STRING_COUNT = 6 };

/* Instants as nanoseconds; for date and timestamp columns alike. */
static const struct {
    const char *text;
    int64_t ns;
} INSTANTS[] = {{"date '1970-01-01'", 0},
                {"'1970-01-02'", INT64_C(86400000000000)},
                {"date '1969-12-31'", INT64_C(-86400000000000)},
                {"timestamp '1970-01-01T12:00:00'", INT64_C(43200000000000)},
                {"timestamp '1970-01-01T00:00:00.000001'", 1000},
                {"timestamp '1970-01-01T00:00:00.0000005'", 500},
                {"timestamp '1969-12-31T23:59:59.999999'", -1000}};
enum { INSTANT_COUNT = sizeof INSTANTS / sizeof INSTANTS[0] };

/* --- trees --- */

typedef enum {
    T_AND,
    T_OR,
    T_NOT,
    T_COMPARE,
    T_COLUMNS,
    T_IN,
    T_BETWEEN,
    T_IS_NULL,
    T_IS_NAN,
    T_TRUTH,
    T_CONST
} tree_kind;
static const char *const OPS[] = {"=", "<>", "<", "<=", ">", ">="};
enum { LIST_MAX = 12, TREE_MAX = 400 };

typedef struct tree {
    tree_kind kind;
    int column, column2, op, count;
    bool negated, mirrored;
    int literals[LIST_MAX]; /* index in the table of the column's kind; -1 null */
    const struct tree *a, *b;
} tree;

static tree pool[TREE_MAX];
static int pool_used;

static const int COLUMNS[] = {COL_I, COL_L, COL_F, COL_D, COL_DEC, COL_S, COL_B, COL_DT, COL_TS};

static int literal_count(int column) {
    switch (TABLE[column].type.kind) {
    case RWL_TYPE_STRING:
        return STRING_COUNT;
    case RWL_TYPE_BOOLEAN:
        return 2;
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIMESTAMP:
        return INSTANT_COUNT;
    default:
        return NUMBER_COUNT;
    }
}

static int pick_literal(int column) {
    return pick(20) == 0 ? -1 : pick(literal_count(column));
}

static const tree *make_tree(int depth) {
    tree *t = &pool[pool_used++];
    memset(t, 0, sizeof *t);
    t->kind = depth > 0 && pick(3) > 0 ? (tree_kind)pick(3) : (tree_kind)(T_COMPARE + pick(8));
    if (t->kind <= T_NOT) {
        t->a = make_tree(depth - 1);
        t->b = t->kind == T_NOT ? NULL : make_tree(depth - 1);
        return t;
    }
    t->column = COLUMNS[pick(9)];
    t->op = pick(6);
    t->negated = pick(2);
    t->mirrored = pick(2);
    if (t->kind == T_COLUMNS) {
        static const int PAIRS[][2] = {{COL_I, COL_L},  {COL_L, COL_I}, {COL_F, COL_D}, {COL_D, COL_F},
                                       {COL_S, COL_S2}, {COL_D, COL_D}, {COL_I, COL_I}};
        int p = pick(7);
        t->column = PAIRS[p][0];
        t->column2 = PAIRS[p][1];
    }
    if (t->kind == T_IS_NAN)
        t->column = pick(2) ? COL_F : COL_D;
    if (t->kind == T_TRUTH)
        t->column = COL_B;
    t->count = t->kind == T_IN ? 1 + pick(LIST_MAX) : 2;
    for (int i = 0; i < t->count; i++)
        t->literals[i] = pick_literal(t->column);
    return t;
}

/* --- as text --- */

static void put(rwl_buf *out, const char *text) {
    OK(rwl_buf_str(out, text, err));
}

static void put_literal(rwl_buf *out, int column, int literal) {
    if (literal < 0) {
        put(out, "null");
        return;
    }
    switch (TABLE[column].type.kind) {
    case RWL_TYPE_STRING:
        put(out, "'");
        for (const char *p = STRINGS[literal]; *p != '\0'; p++) {
            OK(rwl_buf_u8(out, (uint8_t)*p, err));
            if (*p == '\'')
                put(out, "'");
        }
        put(out, "'");
        break;
    case RWL_TYPE_BOOLEAN:
        put(out, literal ? "true" : "false");
        break;
    case RWL_TYPE_DATE:
    case RWL_TYPE_TIMESTAMP:
        put(out, INSTANTS[literal].text);
        break;
    default:
        put(out, NUMBERS[literal].text);
        break;
    }
}

static void put_tree(rwl_buf *out, const tree *t) {
    const char *name = TABLE[t->column].name;
    switch (t->kind) {
    case T_AND:
    case T_OR:
        put(out, "(");
        put_tree(out, t->a);
        put(out, t->kind == T_AND ? " AND " : " or ");
        put_tree(out, t->b);
        put(out, ")");
        return;
    case T_NOT:
        put(out, "not (");
        put_tree(out, t->a);
        put(out, ")");
        return;
    case T_COMPARE:
        if (t->mirrored)
            put_literal(out, t->column, t->literals[0]);
        else
            put(out, name);
        put(out, OPS[t->op]);
        if (t->mirrored)
            put(out, name);
        else
            put_literal(out, t->column, t->literals[0]);
        return;
    case T_COLUMNS:
        put(out, name);
        put(out, OPS[t->op]);
        put(out, TABLE[t->column2].name);
        return;
    case T_IN:
        put(out, name);
        put(out, t->negated ? " not in (" : " in (");
        for (int i = 0; i < t->count; i++) {
            put(out, i > 0 ? "," : "");
            put_literal(out, t->column, t->literals[i]);
        }
        put(out, ")");
        return;
    case T_BETWEEN:
        put(out, name);
        put(out, t->negated ? " not between " : " between ");
        put_literal(out, t->column, t->literals[0]);
        put(out, " and ");
        put_literal(out, t->column, t->literals[1]);
        return;
    case T_IS_NULL:
    case T_IS_NAN:
        put(out, name);
        put(out, t->negated ? " is not " : " is ");
        put(out, t->kind == T_IS_NULL ? "null" : "nan");
        return;
    case T_TRUTH:
        put(out, name);
        return;
    default:
        put(out, t->literals[0] < 0 ? "null" : t->negated ? "true" : "false");
        return;
    }
}

/* --- on one row --- */

typedef enum { NO, YES, UNKNOWN } truth;

static truth truth_of(bool b) {
    return b ? YES : NO;
}
static truth invert(truth t) {
    return t == UNKNOWN ? UNKNOWN : t == YES ? NO : YES;
}

static bool holds(int op, int order) {
    const bool results[] = {order == 0, order != 0, order<0, order <= 0, order> 0, order >= 0};
    return results[op];
}

static int order_ld(long double a, long double b) {
    if (isnan(a) || isnan(b))
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return (a > b) - (a < b);
}
static int order_i128(__int128 a, __int128 b) {
    return (a > b) - (a < b);
}

/* Order of a row's value, not null, against a literal, not null. */
static int order_literal(const rwl_value *v, int literal) {
    const number *n = &NUMBERS[literal < NUMBER_COUNT ? literal : 0];
    switch (v->kind) {
    case RWL_TYPE_BOOLEAN:
        return (int)v->as.b - literal;
    case RWL_TYPE_STRING:
        return rwl_span_compare(v->as.bytes, rwl_span_str(STRINGS[literal]));
    case RWL_TYPE_DATE:
        return order_i128((__int128)v->as.i32 * INT64_C(86400000000000), INSTANTS[literal].ns);
    case RWL_TYPE_TIMESTAMP:
        return order_i128((__int128)v->as.i64 * 1000, INSTANTS[literal].ns);
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE: {
        long double x = v->kind == RWL_TYPE_FLOAT ? (long double)v->as.f32 : (long double)v->as.f64;
        if (n->special == 1)
            return isnan(x) ? 0 : -1;
        if (n->special == 2)
            return isnan(x) || (isinf(x) && x > 0) ? 1 : -1;
        long double y = n->is_integer ? (long double)(n->e4 / 10000) /* 64 bits of mantissa hold them */
                        : v->kind == RWL_TYPE_FLOAT ? (long double)strtof(n->text, NULL)
                                                    : (long double)strtod(n->text, NULL);
        return order_ld(x, y);
    }
    default: {
        __int128 x = v->kind == RWL_TYPE_INT    ? (__int128)v->as.i32 * 10000
                     : v->kind == RWL_TYPE_LONG ? (__int128)v->as.i64 * 10000
                                                : (__int128)v->as.i128 * 100;
        return n->special != 0 ? -1 : order_i128(x, n->e4);
    }
    }
}

static truth compare_literal(const rwl_value *v, int op, int literal) {
    return v->is_null || literal < 0 ? UNKNOWN : truth_of(holds(op, order_literal(v, literal)));
}

static int order_columns(const rwl_value *a, const rwl_value *b) {
    if (a->kind == RWL_TYPE_STRING)
        return rwl_span_compare(a->as.bytes, b->as.bytes);
    if (a->kind == RWL_TYPE_INT || a->kind == RWL_TYPE_LONG)
        return order_i128(a->kind == RWL_TYPE_INT ? a->as.i32 : a->as.i64,
                          b->kind == RWL_TYPE_INT ? b->as.i32 : b->as.i64);
    return order_ld(a->kind == RWL_TYPE_FLOAT ? (long double)a->as.f32 : (long double)a->as.f64,
                    b->kind == RWL_TYPE_FLOAT ? (long double)b->as.f32 : (long double)b->as.f64);
}

static bool is_nan(const rwl_value *v) {
    return !v->is_null &&
           (v->kind == RWL_TYPE_FLOAT ? isnan(v->as.f32) : v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64));
}

static truth both(truth a, truth b) {
    return a == NO || b == NO ? NO : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : YES;
}

static truth eval_row(const tree *t, const rwl_batch *batch, int64_t row) {
    rwl_value v = rwl_column_value(&batch->columns[t->column], row);
    truth result = NO;
    switch (t->kind) {
    case T_AND:
        return both(eval_row(t->a, batch, row), eval_row(t->b, batch, row));
    case T_OR:
        return invert(both(invert(eval_row(t->a, batch, row)), invert(eval_row(t->b, batch, row))));
    case T_NOT:
        return invert(eval_row(t->a, batch, row));
    case T_COMPARE: {
        static const int MIRRORED[] = {0, 1, 4, 5, 2, 3};
        return compare_literal(&v, t->mirrored ? MIRRORED[t->op] : t->op, t->literals[0]);
    }
    case T_COLUMNS: {
        rwl_value w = rwl_column_value(&batch->columns[t->column2], row);
        return v.is_null || w.is_null ? UNKNOWN : truth_of(holds(t->op, order_columns(&v, &w)));
    }
    case T_IN:
        for (int i = 0; i < t->count; i++) {
            truth one = compare_literal(&v, 0, t->literals[i]);
            result = invert(both(invert(result), invert(one)));
        }
        return t->negated ? invert(result) : result;
    case T_BETWEEN:
        result = both(compare_literal(&v, 5, t->literals[0]), compare_literal(&v, 3, t->literals[1]));
        return t->negated ? invert(result) : result;
    case T_IS_NULL:
        return truth_of(v.is_null != t->negated);
    case T_IS_NAN:
        return truth_of(is_nan(&v) != t->negated);
    case T_TRUTH:
        return v.is_null ? UNKNOWN : truth_of(v.as.b);
    default:
        return t->literals[0] < 0 ? UNKNOWN : truth_of(t->negated);
    }
}

/* --- rows --- */

static rwl_value make_value(int column, int null_every) {
    static const double DOUBLES[] = {
        0.0, -0.0, 1.5, -1.5, 1.0, -2.0, 16777216.0, 9007199254740992.0, 0.01, 1.7976931348623157e308};
    rwl_value v = rwl_value_null(TABLE[column].type.kind);
    if (null_every > 0 && pick(null_every) == 0)
        return v;
    v.is_null = false;
    switch (v.kind) {
    case RWL_TYPE_INT:
        v.as.i32 = pick(8) == 0 ? (pick(2) ? INT32_MAX : INT32_MIN) : pick(6) - 3;
        break;
    case RWL_TYPE_LONG:
        v.as.i64 = pick(8) == 0 ? (pick(2) ? INT64_MAX : INT64_MIN) : pick(6) == 0 ? 2147483648 : pick(6) - 3;
        break;
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE: {
        double d = pick(6) == 0    ? (double)NAN
                   : pick(12) == 0 ? (pick(2) ? (double)INFINITY : -(double)INFINITY)
                                   : DOUBLES[pick(10)];
        if (v.kind == RWL_TYPE_FLOAT)
            v.as.f32 = (float)d;
        else
            v.as.f64 = d;
        break;
    }
    case RWL_TYPE_DECIMAL: {
        static const int UNITS[] = {0, 1, -1, 100, 150, -150, -200, 999999999};
        v.as.i128 = UNITS[pick(8)];
        break;
    }
    case RWL_TYPE_STRING:
        v.as.bytes = rwl_span_str(STRINGS[pick(STRING_COUNT)]);
        break;
    case RWL_TYPE_BOOLEAN:
        v.as.b = pick(2);
        break;
    case RWL_TYPE_DATE:
        v.as.i32 = pick(4) - 2;
        break;
    default: {
        static const int64_t MICROS[] = {0, 1, -1, 86400000000, -86400000000, 43200000000};
        v.as.i64 = MICROS[pick(6)];
        break;
    }
    }
    return v;
}

/* Fields of the table that batches can have: all before the quoted and the nested one. */
enum { FIELD_COUNT = COL_TS + 1 };

/* `narrow`: each column one value, as in files that match as a whole. */
static void make_batch(rwl_batch *batch, int rows, bool narrow) {
    int null_every = pick(3) * 4;
    OK(rwl_batch_init(batch, &env, TABLE, FIELD_COUNT, err));
    for (int c = 0; c < FIELD_COUNT; c++) {
        rwl_value v = make_value(c, null_every);
        for (int i = 0; i < rows; i++) {
            if (!narrow)
                v = make_value(c, null_every);
            OK(rwl_column_append(&batch->columns[c], &env, &v, 1, err));
        }
    }
    batch->length = rows;
}

/* --- facts of the rows, some withheld --- */

static rwl_column_facts facts_of[FIELD_COUNT];

static bool lookup_fact(void *ctx, int32_t column, rwl_column_facts *out) {
    (void)ctx;
    *out = facts_of[column];
    return true;
}

static void gather_facts(const rwl_batch *batch) {
    for (int c = 0; c < FIELD_COUNT; c++) {
        rwl_column_facts *f = &facts_of[c];
        memset(f, 0, sizeof *f);
        f->value_count = batch->length;
        for (int64_t i = 0; i < batch->length; i++) {
            rwl_value v = rwl_column_value(&batch->columns[c], i);
            f->null_count += v.is_null;
            f->nan_count += is_nan(&v);
            if (v.is_null || is_nan(&v))
                continue;
            if (!f->has_lower || rwl_value_compare(&v, &f->lower) < 0)
                f->lower = v;
            if (!f->has_upper || rwl_value_compare(&v, &f->upper) > 0)
                f->upper = v;
            f->has_lower = f->has_upper = true;
        }
        if (pick(4) == 0)
            f->null_count = -1;
        if (pick(4) == 0)
            f->nan_count = -1;
        if (pick(4) == 0)
            f->value_count = -1;
        if (pick(4) == 0)
            f->has_lower = false;
        if (pick(4) == 0)
            f->has_upper = false;
        if (f->has_lower && pick(3) == 0 && TABLE[c].type.kind == RWL_TYPE_STRING &&
            f->lower.as.bytes.len > 0)
            f->lower.as.bytes.len--; /* truncated: still a lower bound */
    }
}

static int may_count, must_count; /* that the test says something at all */

static void check_facts(const rwl_bound *b, int64_t selected, int64_t rows, const char *text,
                        uint64_t start) {
    rwl_facts facts = {NULL, lookup_fact, NULL};
    bool may = rwl_expr_may_match(b, &facts);
    bool must = rwl_expr_must_match(b, &facts);
    ck_assert_msg(may || selected == 0, "seed %llu: %s: %lld rows but may not match",
                  (unsigned long long)start, text, (long long)selected);
    ck_assert_msg(!must || selected == rows, "seed %llu: %s: %lld of %lld rows but must match",
                  (unsigned long long)start, text, (long long)selected, (long long)rows);
    may_count += !may;
    must_count += must && rows > 0;
}

START_TEST(agrees_with_a_naive_evaluator_and_its_bounds) {
    rwl_buf text;
    rwl_buf again;
    rwl_buf_init(&text, &env, SIZE_MAX);
    rwl_buf_init(&again, &env, SIZE_MAX);
    may_count = must_count = 0;
    for (int round = 0; round < 1500; round++) {
        uint64_t start = seed;
        rwl_batch batch;
        static const int SIZES[] = {0, 1, 63, 64, 65, 130, 200};
        int rows = SIZES[pick(7)];
        make_batch(&batch, rows, pick(3) == 0);
        gather_facts(&batch);
        for (int k = 0; k < 6; k++) {
            pool_used = 0;
            const tree *t = make_tree(pick(5));
            rwl_buf_reset(&text);
            put_tree(&text, t);
            OK(rwl_buf_terminate(&text, err));
            const char *sql = (const char *)text.data;
            const rwl_expr *e;
            const rwl_bound *b;
            OK(rwl_expr_parse(sql, &arena, &e, err));
            if (k == 0) { /* printing and reading changes nothing */
                rwl_buf_reset(&again);
                OK(rwl_expr_format(e, &again, err));
                OK(rwl_buf_terminate(&again, err));
                OK(rwl_expr_parse((const char *)again.data, &arena, &e, err));
            }
            OK(rwl_expr_bind(e, TABLE, FIELD_COUNT, &arena, &b, err));
            uint64_t bits[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
            OK(rwl_expr_eval_batch(b, &batch, bits, err));
            int64_t selected = 0;
            for (int64_t i = 0; i < rows; i++) {
                bool expect = eval_row(t, &batch, i) == YES;
                bool got = bits[i / 64] >> (i % 64) & 1;
                ck_assert_msg(got == expect, "seed %llu: %s: row %lld is %d, expected %d",
                              (unsigned long long)start, sql, (long long)i, got, expect);
                selected += got;
            }
            if (rows % 64 != 0)
                ck_assert_uint_eq(bits[rows / 64] >> (rows % 64), 0);
            check_facts(b, selected, rows, sql, start);
            rwl_arena_reset(&arena);
        }
        rwl_batch_clear(&batch);
    }
    ck_assert_int_gt(may_count, 100);
    ck_assert_int_gt(must_count, 100);
    rwl_buf_clear(&text);
    rwl_buf_clear(&again);
}
END_TEST

START_TEST(long_lists_of_every_type_agree_with_equality) {
    /* more values than short lists have, against a chain of or */
    static const char *const LISTS[][2] = {
        {"f", "1,2,3,4,5,6,7,8,nan,16777217,0"},
        {"dec", "1,2,3,4,5,6,7,8,9,1.5,0.01,0.001"},
        {"s", "'a','b','c','d','e','f','g','h','i','ab',''"},
        {"ts", "'1970-01-01','1970-01-02','1970-01-03','1970-01-04','1970-01-05','1970-01-06','1970-01-07',"
               "'1970-01-08','1970-01-09'"},
        {"i", "0,1,2,3,4,5,6,7,8,-1,2147483647,1.5"},
    };
    rwl_batch batch;
    size_t found = 0;
    make_batch(&batch, 200, false);
    for (size_t k = 0; k < sizeof LISTS / sizeof LISTS[0]; k++) {
        char in[400];
        char chain[1200];
        char list[300];
        size_t at = 0;
        snprintf(in, sizeof in, "%s in (%s)", LISTS[k][0], LISTS[k][1]);
        snprintf(list, sizeof list, "%s", LISTS[k][1]);
        char *save = NULL;
        for (char *one = strtok_r(list, ",", &save); one != NULL; one = strtok_r(NULL, ",", &save))
            at += (size_t)snprintf(chain + at, sizeof chain - at, "%s%s = %s", at > 0 ? " or " : "",
                                   LISTS[k][0], one);
        uint64_t bits[2][4];
        const char *texts[2] = {in, chain};
        for (int i = 0; i < 2; i++) {
            const rwl_expr *e;
            const rwl_bound *b;
            OK(rwl_expr_parse(texts[i], &arena, &e, err));
            OK(rwl_expr_bind(e, TABLE, FIELD_COUNT, &arena, &b, err));
            OK(rwl_expr_eval_batch(b, &batch, bits[i], err));
        }
        ck_assert_msg(memcmp(bits[0], bits[1], sizeof bits[0]) == 0, "%s", in);
        rwl_range ranges[101];
        found += rwl_expr_ranges(bits[0], 200, ranges);
    }
    ck_assert_uint_gt(found, 0);
    rwl_batch_clear(&batch);
}
END_TEST

TCase *property_cases(void) {
    TCase *tc = tcase_create("property");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, agrees_with_a_naive_evaluator_and_its_bounds);
    tcase_add_test(tc, long_lists_of_every_type_agree_with_equality);
    return tc;
}
