/* SPDX-License-Identifier: Apache-2.0 */
/* Random filters: SQL for the engine, three-valued truth for the shadow. */
#include "model.h"

#include <math.h>

typedef enum predicate_kind { P_COMPARE, P_BETWEEN, P_IN, P_NULL, P_NAN, P_NOT, P_AND, P_OR } predicate_kind;
typedef enum row_column { C_ROW_ID = -1, C_VERSION = -2, C_POS = -3 } row_column;

struct predicate {
    predicate_kind kind;
    int32_t column;   /* of the table, or a row_column */
    int32_t operator; /* COMPARE: index in OPERATORS */
    bool negated;     /* BETWEEN, IN, NULL, NAN: with NOT */
    rwl_value values[3];
    int32_t value_count;
    const predicate *left, *right;
    const char *text;
};

static const char *const OPERATORS[] = {"=", "<>", "<", "<=", ">", ">="};

static const char *check_text(const char *text) {
    EXPECT(text != NULL, "out of memory");
    return text;
}

const char *predicate_text(const predicate *p) {
    return p->text;
}

/* --- making --- */

static rwl_value make_row_number(const model *m, uint64_t *random, int32_t column) {
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    v.is_null = false;
    int64_t limit = column == C_ROW_ID ? m->next_row_id + 1 : column == C_VERSION ? m->sequence + 1 : 12;
    v.as.i64 = draw_below(random, limit);
    return v;
}

/* Infinities have no literal. */
static bool is_writable(const rwl_value *v) {
    return !v->is_null && !(v->kind == RWL_TYPE_FLOAT && isinf(v->as.f32)) &&
           !(v->kind == RWL_TYPE_DOUBLE && isinf(v->as.f64));
}

/* A value to compare with: most often one that a row has. */
static rwl_value make_operand(model *m, uint64_t *random, int32_t column) {
    if (column < 0)
        return make_row_number(m, random, column);
    const random_column *c = &m->columns[column];
    rwl_value v = rwl_value_null(c->field.type.kind);
    if (m->rows.len > 0 && draw_chance(random, 70))
        v = m->rows.items[draw_below(random, (int64_t)m->rows.len)].values[column];
    if (c->sequence && v.is_null) {
        v.is_null = false;
        v.as.i64 = draw_below(random, 200000) - 100000;
    }
    for (int tries = 0; !is_writable(&v) && tries < 50; tries++)
        v = make_value(&m->arena, random, c);
    if (!is_writable(&v)) { /* a column of infinities */
        v = rwl_value_null(c->field.type.kind);
        v.is_null = false;
    }
    return v;
}

static const char *operand_text(model *m, int32_t column, const rwl_value *v) {
    rwl_type number = rwl_type_of(RWL_TYPE_LONG);
    return value_literal(&m->arena, column < 0 ? &number : &m->columns[column].field.type, v);
}

static const char *column_text(model *m, int32_t column) {
    switch (column) {
    case C_ROW_ID:
        return "_row_id";
    case C_VERSION:
        return "_last_updated_sequence_number";
    case C_POS:
        return "_pos";
    default:
        return quote_name(&m->arena, m->columns[column].field.name);
    }
}

static bool is_float(const model *m, int32_t column) {
    return column >= 0 && (m->columns[column].field.type.kind == RWL_TYPE_FLOAT ||
                           m->columns[column].field.type.kind == RWL_TYPE_DOUBLE);
}

static void write_leaf(model *m, predicate *p) {
    rwl_arena *a = &m->arena;
    const char *name = column_text(m, p->column), *no = p->negated ? "not " : "";
    const char *v[3] = {NULL, NULL, NULL};
    for (int32_t i = 0; i < p->value_count; i++)
        v[i] = operand_text(m, p->column, &p->values[i]);
    if (p->kind == P_COMPARE)
        p->text = check_text(rwl_arena_printf(a, "%s %s %s", name, OPERATORS[p->operator], v[0]));
    else if (p->kind == P_BETWEEN)
        p->text = check_text(rwl_arena_printf(a, "%s %sbetween %s and %s", name, no, v[0], v[1]));
    else if (p->kind == P_IN)
        p->text = check_text(rwl_arena_printf(a, "%s %sin (%s, %s, %s)", name, no, v[0], v[1], v[2]));
    else
        p->text = check_text(rwl_arena_printf(a, "%s is %s%s", name, no, p->kind == P_NULL ? "null" : "nan"));
}

static const predicate *make_leaf(model *m, uint64_t *random) {
    predicate *p = rwl_arena_alloc(&m->arena, sizeof *p);
    EXPECT(p != NULL, "out of memory");
    p->column = draw_chance(random, 20) ? (int32_t)(-1 - draw_below(random, 3))
                                        : (int32_t)draw_below(random, m->column_count);
    bool unknown = p->column >= 0 && m->columns[p->column].field.type.kind == RWL_TYPE_UNKNOWN;
    int64_t drawn = draw_below(random, 10);
    p->kind = unknown ? P_NULL : drawn < 5 ? P_COMPARE : drawn < 7 ? P_BETWEEN : drawn < 8 ? P_IN : P_NULL;
    if (p->kind == P_NULL && is_float(m, p->column) && draw_chance(random, 60))
        p->kind = P_NAN;
    p->operator=(int32_t) draw_below(random, 6);
    p->negated = p->kind != P_COMPARE && draw_chance(random, 40);
    p->value_count = p->kind == P_COMPARE ? 1 : p->kind == P_BETWEEN ? 2 : p->kind == P_IN ? 3 : 0;
    for (int32_t i = 0; i < p->value_count; i++)
        p->values[i] = make_operand(m, random, p->column);
    write_leaf(m, p);
    return p;
}

const predicate *make_predicate(model *m, uint64_t *random, int depth) {
    if (depth == 0 || draw_chance(random, 60))
        return make_leaf(m, random);
    predicate *p = rwl_arena_alloc(&m->arena, sizeof *p);
    EXPECT(p != NULL, "out of memory");
    p->kind = (predicate_kind)(P_NOT + draw_below(random, 3));
    p->left = make_predicate(m, random, depth - 1);
    if (p->kind == P_NOT) {
        p->text = check_text(rwl_arena_printf(&m->arena, "not (%s)", p->left->text));
        return p;
    }
    p->right = make_predicate(m, random, depth - 1);
    p->text = check_text(rwl_arena_printf(&m->arena, "(%s) %s (%s)", p->left->text,
                                          p->kind == P_AND ? "and" : "or", p->right->text));
    return p;
}

/* --- evaluating --- */

static rwl_value row_value(const model_row *row, int32_t column) {
    if (column >= 0)
        return row->values[column];
    rwl_value v = rwl_value_null(RWL_TYPE_LONG);
    v.is_null = column != C_POS && !row->has_id;
    v.as.i64 = column == C_ROW_ID ? row->id : column == C_VERSION ? row->version : row->pos;
    return v;
}

static int compare(int32_t operator, int order) {
    switch (operator) {
    case 0:
        return order == 0;
    case 1:
        return order != 0;
    case 2:
        return order < 0;
    case 3:
        return order <= 0;
    case 4:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool is_nan(const rwl_value *v) {
    return !v->is_null && ((v->kind == RWL_TYPE_FLOAT && isnan(v->as.f32)) ||
                           (v->kind == RWL_TYPE_DOUBLE && isnan(v->as.f64)));
}

static int eval_leaf(const predicate *p, const model_row *row) {
    rwl_value v = row_value(row, p->column);
    if (p->kind == P_NULL)
        return v.is_null != p->negated;
    if (p->kind == P_NAN)
        return is_nan(&v) != p->negated;
    if (v.is_null)
        return -1;
    if (p->kind == P_COMPARE)
        return compare(p->operator, values_order(&v, &p->values[0]));
    bool found = false;
    if (p->kind == P_BETWEEN)
        found = values_order(&v, &p->values[0]) >= 0 && values_order(&v, &p->values[1]) <= 0;
    for (int32_t i = 0; p->kind == P_IN && i < p->value_count; i++)
        found = found || values_order(&v, &p->values[i]) == 0;
    return found != p->negated;
}

int predicate_eval(const predicate *p, const model *m, const model_row *row) {
    if (p->kind < P_NOT)
        return eval_leaf(p, row);
    int left = predicate_eval(p->left, m, row);
    if (p->kind == P_NOT)
        return left < 0 ? -1 : !left;
    int right = predicate_eval(p->right, m, row), decided = p->kind == P_OR;
    if (left == decided || right == decided)
        return decided;
    return left < 0 || right < 0 ? -1 : !decided;
}

int64_t model_count(const model *m, const predicate *p) {
    int64_t count = 0;
    for (size_t i = 0; i < m->rows.len; i++)
        count += m->rows.items[i].live && predicate_eval(p, m, &m->rows.items[i]) == 1;
    return count;
}
