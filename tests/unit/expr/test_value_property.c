/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random conditions about computed values (arithmetic, CASE, COALESCE, CAST, ||, LIKE, IN, BETWEEN) on random rows: the
 * bitmap equals what an evaluator of one row says, which knows nothing of binding; a failure is one of a row; bounds never
 * contradict the rows. ROWLINE_SEED gives others.
 */
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- trees --- */

/* Kinds of values, numbers in the order in which the wider one wins. */
typedef enum { V_INT, V_LONG, V_DECIMAL, V_DOUBLE, V_TEXT } value_kind;

typedef enum {
    T_COLUMN,
    T_LITERAL,
    T_NULL,
    T_ARITHMETIC, /* op of "+-*" "/%", || for text */
    T_NEGATE,
    T_CASE, /* a: condition, b, c (or none) */
    T_COALESCE,
    T_CAST, /* of the narrower a */
    /* conditions */
    T_AND,
    T_OR,
    T_NOT,
    T_COMPARE,
    T_BETWEEN,
    T_IN, /* a in (literals…, b or none) */
    T_LIKE,
    T_IS_NULL,
    T_IS_NAN,
    T_TRUTH
} tree_kind;

enum { LIST_MAX = 4, POOL_MAX = 4000, TEXT_MAX = 64 };

typedef struct tree {
    tree_kind kind;
    value_kind value; /* of values */
    int op, literal, count;
    int literals[LIST_MAX];
    bool negated;
    char pattern[16];
    const struct tree *a, *b, *c;
} tree;

static tree pool[POOL_MAX];
static int pool_used;

/* Literals of each kind; binary fractions, so that doubles hold them. */
typedef struct literal {
    const char *text;
    int64_t units; /* of 10^-2 */
} literal;
static const literal LITERALS[V_TEXT][4] = {
    {{"0", 0}, {"1", 100}, {"-2", -200}, {"3", 300}},
    {{"3000000000", INT64_C(300000000000)},
     {"-2147483649", INT64_C(-214748364900)},
     {"5000000000", INT64_C(500000000000)},
     {"2147483648", INT64_C(214748364800)}},
    {{"1.5", 150}, {"-0.25", -25}, {"0.75", 75}, {"2.5", 250}},
    {{"1.5e0", 150}, {"25e-2", 25}, {"-5e-1", -50}, {"225e-2", 225}},
};
static const char *const TEXTS[] = {"", "a", "ab", "b", "aba", "\xc3\xa9", "a\xc3\xa9"};
enum { TEXT_COUNT = 7 };
static const char *const OPS[] = {"=", "<>", "<", "<=", ">", ">="};

static const tree *make_value(value_kind kind, int depth);
static const tree *make_condition(int depth);

static tree *new_tree(tree_kind kind, value_kind value) {
    tree *t = &pool[pool_used++];
    ck_assert_int_lt(pool_used, POOL_MAX);
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->value = value;
    return t;
}

/* A kind that joins with `kind` to give it: decimals and doubles are kept apart, where rounding would be the test's. */
static value_kind pick_narrower(value_kind kind) {
    if (kind == V_TEXT || kind == V_INT)
        return kind;
    if (kind == V_DOUBLE)
        return pick(2) ? V_DOUBLE : (value_kind)pick(2);
    return (value_kind)pick((int)kind + 1);
}

static const tree *make_leaf(value_kind kind) {
    tree *t = new_tree(pick(3) > 0 ? T_COLUMN : T_LITERAL, kind);
    t->literal = pick(kind == V_TEXT ? TEXT_COUNT : 4);
    t->op = pick(2); /* which text column */
    return t;
}

static const tree *make_value(value_kind kind, int depth) {
    if (depth <= 0 || pick(4) == 0)
        return make_leaf(kind);
    switch (pick(5)) {
    case 0: {
        tree *t = new_tree(T_CASE, kind);
        t->a = make_condition(depth - 1);
        t->b = make_value(kind, depth - 1);
        t->c = pick(3) == 0 ? NULL : make_value(pick_narrower(kind), depth - 1);
        return t;
    }
    case 1: {
        tree *t = new_tree(T_COALESCE, kind);
        t->a = make_value(kind, depth - 1);
        t->b = make_value(pick_narrower(kind), depth - 1);
        return t;
    }
    case 2:
        if (kind == V_LONG || kind == V_DOUBLE) {
            tree *t = new_tree(T_CAST, kind);
            t->a = make_value((value_kind)pick(kind == V_LONG ? 1 : 2), depth - 1);
            return t;
        }
        if (kind != V_TEXT) {
            tree *t = new_tree(T_NEGATE, kind);
            t->a = make_value(kind, depth - 1);
            return t;
        } /* fall through */
    default: {
        tree *t = new_tree(T_ARITHMETIC, kind);
        t->op = kind == V_TEXT ? 5 : pick(kind == V_DECIMAL ? 3 : 5);
        bool first = pick(2);
        t->a = make_value(first ? kind : pick_narrower(kind), depth - 1);
        t->b = make_value(first ? pick_narrower(kind) : kind, depth - 1);
        if (first && pick(10) == 0)
            t->b = new_tree(T_NULL, kind);
        return t;
    }
    }
}

/* Of two kinds that compare without rounding. */
static value_kind pick_comparable(value_kind kind) {
    if (kind == V_TEXT)
        return V_TEXT;
    value_kind other = (value_kind)pick(4);
    return (other == V_DOUBLE && kind == V_DECIMAL) || (other == V_DECIMAL && kind == V_DOUBLE) ? kind
                                                                                                : other;
}

static void make_pattern(char *out) {
    static const char *const PIECES[] = {"a", "b", "%", "_", "\xc3\xa9", "%"};
    int count = pick(5);
    *out = '\0';
    for (int i = 0; i < count; i++)
        strcat(out, PIECES[pick(6)]);
}

static const tree *make_condition(int depth) {
    tree *t = new_tree(
        depth > 0 && pick(3) == 0 ? (tree_kind)(T_AND + pick(3)) : (tree_kind)(T_COMPARE + pick(7)), V_INT);
    value_kind kind = (value_kind)pick(5);
    t->negated = pick(2);
    switch (t->kind) {
    case T_AND:
    case T_OR:
        t->b = make_condition(depth - 1); /* fall through */
    case T_NOT:
        t->a = make_condition(depth - 1);
        break;
    case T_COMPARE:
        t->op = pick(6);
        t->a = make_value(kind, depth);
        t->b = make_value(pick_comparable(kind), depth - 1);
        break;
    case T_BETWEEN:
        t->a = make_value(kind, depth);
        t->b = make_value(pick_comparable(kind), depth - 1);
        t->c = make_value(kind, depth - 2);
        break;
    case T_IN:
        kind = kind == V_TEXT ? V_LONG : kind;
        t->value = kind; /* of the literals */
        t->a = make_value(kind, depth);
        t->count = 1 + pick(LIST_MAX);
        for (int i = 0; i < t->count; i++)
            t->literals[i] = pick(12) == 0 ? -1 : pick(4);
        t->b = pick(3) == 0 ? make_value(pick_comparable(kind), depth - 1) : NULL;
        break;
    case T_LIKE:
        t->a = make_value(V_TEXT, depth);
        make_pattern(t->pattern);
        break;
    case T_IS_NULL:
        t->a = make_value(kind, depth);
        break;
    case T_IS_NAN:
        t->a = make_value(V_DOUBLE, depth);
        break;
    default:
        break;
    }
    return t;
}

/* --- as text --- */

static void put(rwl_buf *out, const char *text) {
    OK(rwl_buf_str(out, text, err));
}

static const char *column_of(const tree *t) {
    static const int COLUMNS[] = {COL_I, COL_L, COL_DEC, COL_D, COL_S};
    return TABLE[t->value == V_TEXT && t->op ? COL_S2 : COLUMNS[t->value]].name;
}

static void put_tree(rwl_buf *out, const tree *t);

static void put_two(rwl_buf *out, const tree *a, const char *between, const tree *b, const char *end) {
    put_tree(out, a);
    put(out, between);
    if (b != NULL)
        put_tree(out, b);
    put(out, end);
}

static void put_quoted(rwl_buf *out, const char *text) {
    put(out, "'");
    put(out, text);
    put(out, "'");
}

static void put_value(rwl_buf *out, const tree *t) {
    static const char *const SIGNS[] = {" + ", " - ", " * ", " / ", " % ", " || "};
    switch (t->kind) {
    case T_COLUMN:
        put(out, column_of(t));
        return;
    case T_LITERAL:
        if (t->value == V_TEXT)
            put_quoted(out, TEXTS[t->literal]);
        else
            put(out, LITERALS[t->value][t->literal].text);
        return;
    case T_NULL:
        put(out, "null");
        return;
    case T_NEGATE:
        put(out, "-(");
        put_two(out, t->a, ")", NULL, "");
        return;
    case T_CASE:
        put(out, "case when ");
        put_two(out, t->a, " then ", t->b, t->c != NULL ? " else " : "");
        if (t->c != NULL)
            put_tree(out, t->c);
        put(out, " end");
        return;
    case T_COALESCE:
        put(out, "coalesce(");
        put_two(out, t->a, ", ", t->b, ")");
        return;
    case T_CAST:
        put(out, "cast(");
        put_two(out, t->a, t->value == V_LONG ? " as long)" : " as double)", NULL, "");
        return;
    default:
        put(out, "(");
        put_two(out, t->a, SIGNS[t->op], t->b, ")");
        return;
    }
}

static void put_in(rwl_buf *out, const tree *t) {
    put_tree(out, t->a);
    put(out, t->negated ? " not in (" : " in (");
    for (int i = 0; i < t->count; i++) {
        put(out, i > 0 ? ", " : "");
        put(out, t->literals[i] < 0 ? "null" : LITERALS[t->value][t->literals[i]].text);
    }
    if (t->b != NULL) {
        put(out, ", ");
        put_tree(out, t->b);
    }
    put(out, ")");
}

static void put_tree(rwl_buf *out, const tree *t) {
    switch (t->kind) {
    case T_AND:
    case T_OR:
        put(out, "(");
        put_two(out, t->a, t->kind == T_AND ? " and " : " or ", t->b, ")");
        return;
    case T_NOT:
        put(out, "not (");
        put_two(out, t->a, ")", NULL, "");
        return;
    case T_COMPARE:
        put_two(out, t->a, OPS[t->op], t->b, "");
        return;
    case T_BETWEEN:
        put_two(out, t->a, t->negated ? " not between " : " between ", t->b, " and ");
        put_tree(out, t->c);
        return;
    case T_IN:
        put_in(out, t);
        return;
    case T_LIKE:
        put_two(out, t->a, t->negated ? " not like " : " like ", NULL, "");
        put_quoted(out, t->pattern);
        return;
    case T_IS_NULL:
    case T_IS_NAN:
        put_two(out, t->a, t->negated ? " is not " : " is ", NULL, t->kind == T_IS_NULL ? "null" : "nan");
        return;
    case T_TRUTH:
        put(out, "b");
        return;
    default:
        put_value(out, t);
        return;
    }
}

/* --- one row --- */

typedef struct value {
    value_kind kind;
    bool null;
    __int128 units; /* of 10^-scale */
    int scale;
    double d;
    char text[TEXT_MAX * 4];
} value;

static const rwl_batch *the_batch;
static int64_t the_row;
static bool failed; /* a value of the row could not be computed */

static const __int128 TEN_38 = (__int128)INT64_C(10000000000000000) * INT64_C(10000000000000000) * 1000000;

/* The value as one of a wider kind. */
static void widen(value *v, value_kind kind) {
    if (kind == V_DOUBLE && v->kind < V_DECIMAL)
        v->d = (double)(int64_t)v->units;
    v->kind = kind;
}

static value_kind wider(value_kind a, value_kind b) {
    return a > b ? a : b;
}

/* Both with one scale; false when 128 bits do not hold that. */
static bool same_scale(value *a, value *b) {
    bool ok = true;
    for (; a->scale < b->scale; a->scale++)
        ok = ok && !__builtin_mul_overflow(a->units, (__int128)10, &a->units);
    for (; b->scale < a->scale; b->scale++)
        ok = ok && !__builtin_mul_overflow(b->units, (__int128)10, &b->units);
    return ok;
}

static bool compute_exact(int op, value *a, value *b) {
    bool ok = op == 2 || same_scale(a, b);
    switch (op) {
    case 0:
        return ok && !__builtin_add_overflow(a->units, b->units, &a->units);
    case 1:
        return ok && !__builtin_sub_overflow(a->units, b->units, &a->units);
    case 2:
        a->scale += b->scale;
        return !__builtin_mul_overflow(a->units, b->units, &a->units);
    default:
        if (b->units == 0)
            return false;
        a->units = op == 3 ? a->units / b->units : a->units % b->units;
        return true;
    }
}

static bool fits(const value *v) {
    return v->kind == V_INT    ? v->units >= INT32_MIN && v->units <= INT32_MAX
           : v->kind == V_LONG ? v->units >= INT64_MIN && v->units <= INT64_MAX
                               : v->units < TEN_38 && v->units > -TEN_38;
}

static value eval_value(const tree *t);
static bool selects(const tree *t, bool negate);

static value eval_arithmetic(const tree *t) {
    value a = eval_value(t->a);
    value b = eval_value(t->b);
    value_kind kind = wider(a.kind, b.kind);
    widen(&a, kind);
    widen(&b, kind);
    if (a.null || b.null) {
        a.null = true;
        return a;
    }
    if (kind == V_TEXT) {
        strcat(a.text, b.text);
    } else if (kind == V_DOUBLE) {
        volatile double x = a.d, y = b.d; /* by zero too, as the processor does it */
        a.d = t->op == 0 ? x + y : t->op == 1 ? x - y : t->op == 2 ? x * y : t->op == 3 ? 0 : fmod(x, y);
        if (t->op == 3)
            a.d = y != 0               ? x / y
                  : x == 0 || isnan(x) ? (double)NAN
                                       : copysign((double)INFINITY, x) * copysign(1.0, y);
    } else if (!compute_exact(t->op, &a, &b) || !fits(&a)) {
        failed = true;
        a.null = true;
    }
    return a;
}

static value eval_column(const tree *t) {
    static const int COLUMNS[] = {COL_I, COL_L, COL_DEC, COL_D, COL_S};
    rwl_value v = rwl_column_value(
        &the_batch->columns[t->value == V_TEXT && t->op ? COL_S2 : COLUMNS[t->value]], the_row);
    value out = {.kind = t->value, .null = v.is_null};
    if (v.is_null)
        return out;
    switch (t->value) {
    case V_INT:
        out.units = v.as.i32;
        break;
    case V_LONG:
        out.units = v.as.i64;
        break;
    case V_DECIMAL:
        out.units = v.as.i128;
        out.scale = 2;
        break;
    case V_DOUBLE:
        out.d = v.as.f64;
        break;
    default:
        if (v.as.bytes.len > 0)
            memcpy(out.text, v.as.bytes.data, v.as.bytes.len);
        break;
    }
    return out;
}

static value eval_literal(value_kind kind, int index) {
    value out = {.kind = kind, .null = index < 0};
    if (kind == V_TEXT) {
        strcpy(out.text, TEXTS[index]);
    } else if (index >= 0) {
        out.units = LITERALS[kind][index].units;
        out.d = (double)out.units / 100;
        out.scale = 2;
        if (kind < V_DECIMAL) {
            out.units /= 100;
            out.scale = 0;
        }
    }
    return out;
}

static value eval_value(const tree *t) {
    value v = {.kind = t->value, .null = true};
    switch (t->kind) {
    case T_COLUMN:
        return eval_column(t);
    case T_LITERAL:
        return eval_literal(t->value, t->literal);
    case T_NULL:
        return v;
    case T_NEGATE:
        v = eval_value(t->a);
        v.units = -v.units;
        v.d = -v.d;
        if (!v.null && t->value < V_DECIMAL && !fits(&v))
            failed = v.null = true;
        return v;
    case T_CASE:
        if (selects(t->a, false))
            v = eval_value(t->b);
        else if (t->c != NULL)
            v = eval_value(t->c);
        break;
    case T_COALESCE:
        v = eval_value(t->a);
        if (v.null)
            v = eval_value(t->b);
        break;
    case T_CAST:
        v = eval_value(t->a);
        break;
    default:
        return eval_arithmetic(t);
    }
    widen(&v, t->value);
    return v;
}

static int order_values(value a, value b) {
    value_kind kind = wider(a.kind, b.kind);
    widen(&a, kind);
    widen(&b, kind);
    if (kind == V_TEXT)
        return rwl_span_compare(rwl_span_str(a.text), rwl_span_str(b.text));
    if (kind == V_DOUBLE) {
        if (isnan(a.d) || isnan(b.d))
            return (isnan(a.d) ? 1 : 0) - (isnan(b.d) ? 1 : 0);
        return (a.d > b.d) - (a.d < b.d);
    }
    bool is_a_large = a.units > TEN_38 / 1000000000 || a.units < -TEN_38 / 1000000000;
    bool is_b_large = b.units > TEN_38 / 1000000000 || b.units < -TEN_38 / 1000000000;
    if (!is_a_large && !is_b_large) {
        (void)same_scale(&a, &b);
        return (a.units > b.units) - (a.units < b.units);
    }
    /* whole parts first; what is left of large numbers is small */
    __int128 power[2] = {1, 1};
    for (int i = 0; i < a.scale; i++)
        power[0] *= 10;
    for (int i = 0; i < b.scale; i++)
        power[1] *= 10;
    __int128 x = a.units / power[0], y = b.units / power[1];
    if (x != y)
        return x > y ? 1 : -1;
    a.units %= power[0];
    b.units %= power[1];
    (void)same_scale(&a, &b);
    return (a.units > b.units) - (a.units < b.units);
}

static bool holds(int op, int order) {
    const bool results[] = {order == 0, order != 0, order<0, order <= 0, order> 0, order >= 0};
    return results[op];
}

static bool compare(const value *a, int op, const value *b, bool negate) {
    return !a->null && !b->null && holds(op, order_values(*a, *b)) != negate;
}

/* The textbook's matcher, on code points. */
static bool is_like(const char *text, const char *pattern) {
    size_t len = (unsigned char)*text == 0xC3 ? 2 : 1;
    if (*pattern == '\0')
        return *text == '\0';
    if (*pattern == '%')
        return is_like(text, pattern + 1) || (*text != '\0' && is_like(text + len, pattern));
    if (*text == '\0')
        return false;
    if (*pattern == '_')
        return is_like(text + len, pattern + 1);
    return *text == *pattern && is_like(text + 1, pattern + 1);
}

/* Every one, or one of them, from left to right; literals are asked last. */
static bool selects_in(const tree *t, bool negated) {
    value a = eval_value(t->a);
    bool selected = negated;
    if (t->b != NULL) {
        value b = eval_value(t->b);
        selected = compare(&a, 0, &b, negated);
    }
    for (int i = 0; i < t->count && selected == negated; i++) {
        value b = eval_literal(t->value, t->literals[i]);
        selected = compare(&a, 0, &b, negated);
    }
    return selected;
}

static bool selects_between(const tree *t, bool negated) {
    value a = eval_value(t->a);
    value low = eval_value(t->b);
    bool from = compare(&a, 5, &low, negated);
    if (from == negated)
        return from;
    value high = eval_value(t->c);
    return compare(&a, 3, &high, negated);
}

/* Whether the row is selected by the condition, or by its negation. */
static bool selects(const tree *t, bool negate) {
    value a;
    value b;
    switch (t->kind) {
    case T_AND:
    case T_OR: {
        bool all = (t->kind == T_AND) != negate;
        bool first = selects(t->a, negate);
        return first != all ? first : selects(t->b, negate);
    }
    case T_NOT:
        return selects(t->a, !negate);
    case T_COMPARE:
        a = eval_value(t->a);
        b = eval_value(t->b);
        return compare(&a, t->op, &b, negate);
    case T_BETWEEN:
        return selects_between(t, t->negated != negate);
    case T_IN:
        return selects_in(t, t->negated != negate);
    case T_LIKE:
        a = eval_value(t->a);
        return !a.null && is_like(a.text, t->pattern) != (t->negated != negate);
    case T_IS_NULL:
        a = eval_value(t->a);
        return a.null != (t->negated != negate);
    case T_IS_NAN:
        a = eval_value(t->a);
        return (!a.null && isnan(a.d)) != (t->negated != negate);
    default: {
        rwl_value v = rwl_column_value(&the_batch->columns[COL_B], the_row);
        return !v.is_null && v.as.b != negate;
    }
    }
}

/* --- rows --- */

enum { FIELD_COUNT = COL_B + 1 };

static rwl_value make_cell(int column, int null_every, int extreme_every) {
    static const double DOUBLES[] = {0.0, -0.0, 1.5, -1.5, 0.25, 3.0, 1e300, (double)NAN, (double)INFINITY};
    rwl_value v = rwl_value_null(TABLE[column].type.kind);
    if (null_every > 0 && pick(null_every) == 0)
        return v;
    bool extreme = extreme_every > 0 && pick(extreme_every) == 0;
    v.is_null = false;
    switch (v.kind) {
    case RWL_TYPE_INT:
        v.as.i32 = extreme ? (pick(2) ? INT32_MAX : INT32_MIN) : pick(7) - 3;
        break;
    case RWL_TYPE_LONG:
        v.as.i64 = extreme ? (pick(2) ? INT64_MAX : INT64_MIN) : pick(2) ? pick(7) - 3 : INT64_C(3000000000);
        break;
    case RWL_TYPE_FLOAT:
        v.as.f32 = 1;
        break;
    case RWL_TYPE_DOUBLE:
        v.as.f64 = DOUBLES[pick(9)];
        break;
    case RWL_TYPE_DECIMAL:
        v.as.i128 = extreme ? 999999999 : pick(7) * 25 - 75;
        break;
    case RWL_TYPE_BOOLEAN:
        v.as.b = pick(2);
        break;
    default:
        v.as.bytes = rwl_span_str(TEXTS[pick(TEXT_COUNT)]);
        break;
    }
    return v;
}

static void make_batch(rwl_batch *batch, int rows) {
    int null_every = pick(3) * 4, extreme_every = pick(3) * 30;
    bool narrow = pick(3) == 0; /* each column one value, as in files that match as a whole */
    OK(rwl_batch_init(batch, &env, TABLE, FIELD_COUNT, err));
    for (int c = 0; c < FIELD_COUNT; c++) {
        rwl_value v = make_cell(c, null_every, extreme_every);
        for (int i = 0; i < rows; i++) {
            v = narrow ? v : make_cell(c, null_every, extreme_every);
            OK(rwl_column_append(&batch->columns[c], &env, &v, 1, err));
        }
    }
    batch->length = rows;
}

static rwl_column_facts facts_of[FIELD_COUNT];
static char cut[FIELD_COUNT][8];

static bool lookup_fact(void *ctx, int32_t column, rwl_column_facts *out) {
    (void)ctx;
    *out = facts_of[column];
    return true;
}

/* Text bounds cut short: the lower one by its end, the upper one too, its new end made larger. */
static void widen_texts(rwl_column_facts *f, char room[8]) {
    if (f->has_lower && f->lower.as.bytes.len > 1 && pick(3) == 0)
        f->lower.as.bytes.len--;
    if (f->has_upper && f->upper.as.bytes.len > 1 && pick(3) == 0) {
        memcpy(room, f->upper.as.bytes.data, 1);
        room[0]++;
        f->upper.as.bytes = rwl_span_of(room, 1);
    }
}

static void gather_facts(const rwl_batch *batch) {
    for (int c = 0; c < FIELD_COUNT; c++) {
        rwl_column_facts *f = &facts_of[c];
        memset(f, 0, sizeof *f);
        f->value_count = batch->length;
        for (int64_t i = 0; i < batch->length; i++) {
            rwl_value v = rwl_column_value(&batch->columns[c], i);
            bool nan = !v.is_null && v.kind == RWL_TYPE_DOUBLE && isnan(v.as.f64);
            f->null_count += v.is_null;
            f->nan_count += nan;
            if (v.is_null || nan)
                continue;
            if (!f->has_lower || rwl_value_compare(&v, &f->lower) < 0)
                f->lower = v;
            if (!f->has_upper || rwl_value_compare(&v, &f->upper) > 0)
                f->upper = v;
            f->has_lower = f->has_upper = true;
        }
        int64_t *counts[] = {&f->null_count, &f->nan_count, &f->value_count};
        for (int i = 0; i < 3; i++)
            *counts[i] = pick(4) == 0 ? -1 : *counts[i];
        f->has_lower = f->has_lower && pick(4) > 0;
        f->has_upper = f->has_upper && pick(4) > 0;
        if (TABLE[c].type.kind == RWL_TYPE_STRING)
            widen_texts(f, cut[c]);
    }
}

static int pruned_count, whole_count, failure_count; /* that the test says something at all */

/* The library's answer against the evaluator's, row by row. */
static void check_rows(const tree *t, const rwl_bound *b, const rwl_batch *batch, const char *sql,
                       uint64_t start) {
    uint64_t bits[4];
    rwl_error fault = {0};
    rwl_status st = rwl_expr_eval_batch(b, batch, bits, &fault);
    bool any_failed = false;
    int64_t selected = 0;
    for (int64_t i = 0; i < batch->length; i++) {
        the_row = i;
        failed = false;
        bool expect = selects(t, false);
        any_failed = any_failed || failed;
        bool got = st == RWL_OK && (bits[i / 64] >> (i % 64) & 1) != 0;
        ck_assert_msg(st != RWL_OK || failed || got == expect,
                      "ROWLINE_SEED=%llu: %s: row %lld is %d, expected %d", (unsigned long long)start, sql,
                      (long long)i, got, expect);
        selected += got;
    }
    if (st != RWL_OK) {
        ck_assert_msg(st == RWL_USAGE && any_failed && rwl_bound_can_fail(b), "ROWLINE_SEED=%llu: %s: %s",
                      (unsigned long long)start, sql, fault.message);
        failure_count++;
        return;
    }
    rwl_facts facts = {NULL, lookup_fact, NULL};
    bool may = rwl_expr_may_match(b, &facts);
    bool must = rwl_expr_must_match(b, &facts);
    ck_assert_msg(may || selected == 0, "ROWLINE_SEED=%llu: %s: %lld rows but may not match",
                  (unsigned long long)start, sql, (long long)selected);
    ck_assert_msg(!must || selected == batch->length,
                  "ROWLINE_SEED=%llu: %s: %lld of %lld rows but must match", (unsigned long long)start, sql,
                  (long long)selected, (long long)batch->length);
    pruned_count += !may;
    whole_count += must && batch->length > 0;
}

START_TEST(computed_values_agree_with_an_evaluator_of_one_row) {
    rwl_buf text;
    rwl_buf again;
    rwl_buf_init(&text, &env, SIZE_MAX);
    rwl_buf_init(&again, &env, SIZE_MAX);
    pruned_count = whole_count = failure_count = 0;
    for (int round = 0; round < 1500; round++) {
        static const int SIZES[] = {0, 1, 7, 63, 64, 65, 130};
        uint64_t start = seed;
        rwl_batch batch;
        make_batch(&batch, SIZES[pick(7)]);
        the_batch = &batch;
        for (int k = 0; k < 8; k++) {
            gather_facts(&batch);
            pool_used = 0;
            const tree *t = make_condition(pick(4));
            const rwl_expr *e;
            const rwl_bound *b;
            rwl_buf_reset(&text);
            put_tree(&text, t);
            OK(rwl_buf_terminate(&text, err));
            const char *sql = (const char *)text.data;
            OK(rwl_expr_parse(sql, &arena, &e, err));
            if (k == 0) { /* printing and reading changes nothing */
                rwl_buf_reset(&again);
                OK(rwl_expr_format(e, &again, err));
                OK(rwl_buf_terminate(&again, err));
                OK(rwl_expr_parse((const char *)again.data, &arena, &e, err));
            }
            OK(rwl_expr_bind(e, TABLE, FIELD_COUNT, &arena, &b, err));
            check_rows(t, b, &batch, sql, start);
            rwl_arena_reset(&arena);
        }
        rwl_batch_clear(&batch);
    }
    ck_assert_int_gt(pruned_count, 100);
    ck_assert_int_gt(whole_count, 100);
    ck_assert_int_gt(failure_count, 100);
    rwl_buf_clear(&text);
    rwl_buf_clear(&again);
}
END_TEST

TCase *value_property_cases(void) {
    TCase *tc = tcase_create("value_property");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, computed_values_agree_with_an_evaluator_of_one_row);
    return tc;
}
