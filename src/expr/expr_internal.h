/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of parsed and of bound expressions. */
#ifndef RWL_EXPR_INTERNAL_H
#define RWL_EXPR_INTERNAL_H

#include "expr/expr.h"

typedef enum rwl_relation {
    RWL_RELATION_EQ,
    RWL_RELATION_NE,
    RWL_RELATION_LT,
    RWL_RELATION_LE,
    RWL_RELATION_GT,
    RWL_RELATION_GE
} rwl_relation;

/* --- parsed --- */

typedef enum rwl_literal_kind {
    RWL_LITERAL_NULL,
    RWL_LITERAL_BOOL,
    RWL_LITERAL_NUMBER, /* text: sign, digits, point, exponent */
    RWL_LITERAL_NAN,
    RWL_LITERAL_STRING, /* text: the characters */
    RWL_LITERAL_BYTES,  /* text: the bytes */
    RWL_LITERAL_UUID,   /* text: 16 bytes */
    RWL_LITERAL_DATE,   /* units: days */
    RWL_LITERAL_TIME,   /* units: nanoseconds of the day */
    RWL_LITERAL_TIMESTAMP,
    RWL_LITERAL_TIMESTAMPTZ /* units: nanoseconds since 1970, wider than 64 bits */
} rwl_literal_kind;

typedef struct rwl_literal {
    rwl_literal_kind kind;
    bool b;
    rwl_span text;   /* as above */
    rwl_span source; /* of typed literals: the text between the quotes, for printing */
    rwl_i128 units;
} rwl_literal;

typedef enum rwl_expr_kind {
    RWL_EXPR_AND,     /* items: two or more */
    RWL_EXPR_OR,      /* items: two or more */
    RWL_EXPR_NOT,     /* items: one */
    RWL_EXPR_COMPARE, /* items: left, right, both operands */
    RWL_EXPR_IN,      /* items: the operand, then literals */
    RWL_EXPR_IS_NULL, /* items: the operand */
    RWL_EXPR_IS_NAN,  /* items: the operand */
    RWL_EXPR_COLUMN,
    RWL_EXPR_LITERAL
} rwl_expr_kind;

struct rwl_expr {
    rwl_expr_kind kind;
    rwl_relation op; /* COMPARE */
    bool negated;    /* IN, IS_NULL, IS_NAN */
    size_t at;       /* byte in the text */
    const rwl_expr *const *items;
    size_t item_count;
    const char *const *parts; /* COLUMN: the name, dots between its parts */
    size_t part_count;
    rwl_literal literal;
};

static inline bool rwl_expr_is_operand(const rwl_expr *e) {
    return e->kind == RWL_EXPR_COLUMN || e->kind == RWL_EXPR_LITERAL;
}
const char *rwl_relation_text(rwl_relation op);
static inline rwl_relation rwl_relation_negate(rwl_relation op) {
    static const rwl_relation NEGATED[] = {RWL_RELATION_NE, RWL_RELATION_EQ, RWL_RELATION_GE,
                                           RWL_RELATION_GT, RWL_RELATION_LE, RWL_RELATION_LT};
    return NEGATED[op];
}
/* The operator with its sides exchanged. */
static inline rwl_relation rwl_relation_mirror(rwl_relation op) {
    static const rwl_relation MIRRORED[] = {RWL_RELATION_EQ, RWL_RELATION_NE, RWL_RELATION_GT,
                                            RWL_RELATION_GE, RWL_RELATION_LT, RWL_RELATION_LE};
    return MIRRORED[op];
}
/* Whether `order` (-1, 0, 1 of left against right) satisfies the operator. */
static inline bool rwl_relation_holds(rwl_relation op, int order) {
    switch (op) {
    case RWL_RELATION_EQ:
        return order == 0;
    case RWL_RELATION_NE:
        return order != 0;
    case RWL_RELATION_LT:
        return order < 0;
    case RWL_RELATION_LE:
        return order <= 0;
    case RWL_RELATION_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}
/* Whether `word`, in any case, may stand for a name only in quotes. */
bool rwl_expr_is_reserved(rwl_span word);

/* --- literals (expr/literal.c) --- */

/* A literal against the values of a type: below or above them all, or at `floor`, the largest value that is
 * not greater than it, `exact` when equal. */
typedef struct rwl_place {
    enum { RWL_PLACE_BELOW, RWL_PLACE_AT, RWL_PLACE_ABOVE } where;
    bool exact;
    rwl_value floor; /* bytes borrow from the literal or live in the arena */
} rwl_place;

/* Places a literal that is not null. USAGE, without column name, when it does not compare with the type. */
rwl_status rwl_literal_place(const rwl_literal *literal, const rwl_type *type, rwl_arena *arena,
                             rwl_place *out, rwl_error *err);
/* Order of two literals that are not null; false when they do not compare. */
bool rwl_literal_compare(const rwl_literal *a, const rwl_literal *b, int *order);
/* "a number", "a date", …; static. */
const char *rwl_literal_kind_name(rwl_literal_kind kind);
rwl_status rwl_literal_format(const rwl_literal *literal, rwl_buf *out, rwl_error *err);

/* --- bound: negations only at the leaves --- */

typedef enum rwl_bound_kind {
    RWL_BOUND_TRUE,
    RWL_BOUND_NEVER, /* false or unknown, whatever the row: nothing is selected */
    RWL_BOUND_AND,
    RWL_BOUND_OR,
    RWL_BOUND_IS_NULL, /* negated: is not null */
    RWL_BOUND_IS_NAN,  /* negated: is not nan, null too */
    RWL_BOUND_COMPARE, /* column op value; the value is neither null nor NaN, zeros are positive */
    RWL_BOUND_COLUMNS, /* column op column2 */
    RWL_BOUND_IN       /* values sorted, distinct, as for COMPARE; `with_nan`: NaN is in the list */
} rwl_bound_kind;

typedef struct rwl_bound_node rwl_bound_node;
struct rwl_bound_node {
    rwl_bound_kind kind;
    rwl_relation op;
    bool negated;  /* IS_NULL, IS_NAN, IN */
    bool with_nan; /* IN */
    int32_t column, column2;
    const rwl_type *type; /* of `column` */
    rwl_value value;
    const rwl_value *values; /* IN */
    const int64_t *ints;     /* IN: the same when the type is held as 32 or 64 bit integers, else NULL */
    size_t value_count;
    const rwl_bound_node *const *items; /* AND, OR */
    size_t item_count;
};

struct rwl_bound {
    const rwl_field *fields;
    int32_t field_count;
    const rwl_bound_node *root;
    int32_t *columns;
    int32_t column_count;
};

/* Order of two values of one kind as comparisons see them: -0.0 = 0.0, NaN on top. */
int rwl_expr_order(const rwl_value *a, const rwl_value *b);
/* Order of the value of NaN-free kind `kind`s: whether the kind has NaN. */
static inline bool rwl_kind_has_nan(rwl_type_kind kind) {
    return kind == RWL_TYPE_FLOAT || kind == RWL_TYPE_DOUBLE;
}
static inline bool rwl_value_is_nan(const rwl_value *v) {
    if (v->is_null)
        return false;
    if (v->kind == RWL_TYPE_FLOAT)
        return v->as.f32 != v->as.f32;
    return v->kind == RWL_TYPE_DOUBLE && v->as.f64 != v->as.f64;
}
/* Kinds held as int32 or int64 in a column. */
static inline bool rwl_kind_is_int(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG ||
           (kind >= RWL_TYPE_DATE && kind <= RWL_TYPE_TIMESTAMPTZ_NS);
}

#endif
