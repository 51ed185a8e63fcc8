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
    RWL_EXPR_BETWEEN, /* items: operand, low, high; of a column or a literal two comparisons stand for it */
    RWL_EXPR_IN,      /* items: the operand, then operands */
    RWL_EXPR_LIKE,    /* items: the operand, a string or null, and the escape character as a string */
    RWL_EXPR_IS_NULL, /* items: the operand */
    RWL_EXPR_IS_NAN,  /* items: the operand */
    /* operands */
    RWL_EXPR_COLUMN,
    RWL_EXPR_LITERAL,
    RWL_EXPR_ARITHMETIC, /* items: left, right */
    RWL_EXPR_NEGATE,     /* items: one */
    RWL_EXPR_CASE, /* items: condition, result, condition, result…, and the result of else if there is one */
    RWL_EXPR_COALESCE, /* items: one or more */
    RWL_EXPR_CAST      /* items: one */
} rwl_expr_kind;

typedef enum rwl_arithmetic {
    RWL_ARITHMETIC_ADD,
    RWL_ARITHMETIC_SUBTRACT,
    RWL_ARITHMETIC_MULTIPLY,
    RWL_ARITHMETIC_DIVIDE,
    RWL_ARITHMETIC_REMAINDER,
    RWL_ARITHMETIC_CONCAT
} rwl_arithmetic;

struct rwl_expr {
    rwl_expr_kind kind;
    rwl_relation op;           /* COMPARE */
    rwl_arithmetic arithmetic; /* ARITHMETIC */
    bool negated;              /* BETWEEN, IN, LIKE, IS_NULL, IS_NAN */
    int depth;                 /* levels of items below */
    size_t at;                 /* byte in the text */
    rwl_type type;             /* CAST: to what */
    const rwl_expr *const *items;
    size_t item_count;
    const char *const *parts; /* COLUMN: the name, dots between its parts */
    size_t part_count;
    rwl_literal literal;
};

static inline bool rwl_expr_is_operand(const rwl_expr *e) {
    return e->kind >= RWL_EXPR_COLUMN;
}
const char *rwl_arithmetic_text(rwl_arithmetic op);
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
/* The type a literal has by itself: integers the narrowest of int, long and decimal, digits with a point
 * decimal, with an exponent (or too many digits) double; null: unknown; binary by its length. */
rwl_type rwl_literal_type(const rwl_literal *literal);
/* The literal as a value of `type`, floats the nearest; `fits` is false when no value equals it. USAGE as above. */
rwl_status rwl_literal_value(const rwl_literal *literal, const rwl_type *type, rwl_arena *arena,
                             rwl_value *out, bool *fits, rwl_error *err);
/* The literal that stands for a value; false for those that have none (infinities, nested types). */
bool rwl_literal_of_value(const rwl_type *type, const rwl_value *v, rwl_arena *arena, rwl_literal *out);
/* "a number", "a date", …; static. */
const char *rwl_literal_kind_name(rwl_literal_kind kind);
rwl_status rwl_literal_format(const rwl_literal *literal, rwl_buf *out, rwl_error *err);

/* --- patterns (expr/like.c) --- */

/* A LIKE pattern, escapes resolved: pieces of text between wildcards. */
typedef struct rwl_pattern {
    rwl_span source;     /* as written, for printing */
    rwl_span escape;     /* empty for none */
    rwl_span prefix;     /* bytes before the first wildcard */
    const uint16_t *ops; /* a byte, or a wildcard above 255 */
    size_t op_count;
    bool has_wildcard;
    bool is_prefix; /* the pattern is `prefix` and one % */
} rwl_pattern;

/* USAGE, without a place, for an escape that is no single character or stands before no wildcard. */
rwl_status rwl_pattern_compile(rwl_span source, rwl_span escape, rwl_arena *arena, rwl_pattern *out,
                               rwl_error *err);
/* _ takes a code point (a byte where the text is no UTF-8). Time is at most text times pattern. */
bool rwl_pattern_matches(const rwl_pattern *pattern, rwl_span text);

/* --- bound values --- */

typedef enum rwl_value_kind {
    RWL_VALUE_COLUMN,
    RWL_VALUE_CONSTANT,
    RWL_VALUE_SLOT,       /* what the LET around it has computed */
    RWL_VALUE_ARITHMETIC, /* two items: ints and floats of the result's type, decimals of any, strings */
    RWL_VALUE_NEGATE,
    RWL_VALUE_CHOICE,   /* the first item whose condition is true; a last item without condition is else */
    RWL_VALUE_COALESCE, /* the first item that is not null */
    RWL_VALUE_CAST,
    RWL_VALUE_CONDITION /* true where conditions[0] selects, false where conditions[1] does, else null */
} rwl_value_kind;

typedef struct rwl_bound_node rwl_bound_node;
typedef struct rwl_value_node rwl_value_node;
struct rwl_value_node {
    rwl_value_kind kind;
    rwl_arithmetic op;
    rwl_type type; /* of the result */
    size_t at;     /* in the text, for errors */
    int32_t column;
    rwl_value constant;
    const rwl_value_node *const *items;
    size_t item_count;
    const rwl_bound_node *const *conditions;
    size_t condition_count;
};

struct rwl_bound_value {
    const rwl_field *fields;
    int32_t field_count;
    const rwl_value_node *root;
    const int32_t *columns;
    int32_t column_count;
};

/* --- bound conditions: negations only at the leaves --- */

typedef enum rwl_bound_kind {
    RWL_BOUND_TRUE,
    RWL_BOUND_NEVER, /* false or unknown, whatever the row: nothing is selected */
    RWL_BOUND_AND,
    RWL_BOUND_OR,
    RWL_BOUND_LET,     /* items: one, in which `slot` stands for `operand` */
    RWL_BOUND_IS_NULL, /* negated: is not null */
    RWL_BOUND_IS_NAN,  /* negated: is not nan, null too */
    RWL_BOUND_COMPARE, /* subject op value; the value is neither null nor NaN, zeros are positive */
    RWL_BOUND_PAIR,    /* subject op the other one (column2 or operand2), of one kind or int and long, or
                        * float and double; decimals of any scale */
    RWL_BOUND_LIKE,
    RWL_BOUND_IN /* values sorted, distinct, as for COMPARE; `with_nan`: NaN is in the list */
} rwl_bound_kind;

/* The subject of a leaf is a column, or an operand to be computed; of the latter nothing is known beforehand. */
struct rwl_bound_node {
    rwl_bound_kind kind;
    rwl_relation op;
    bool negated;                                    /* IS_NULL, IS_NAN, LIKE, IN */
    bool with_nan;                                   /* IN */
    int32_t column, column2;                         /* -1 where there is an operand */
    const rwl_value_node *operand, *operand2, *slot; /* NULL where there is a column */
    const rwl_type *type;                            /* of the subject */
    rwl_value value;
    const rwl_pattern *pattern;
    const rwl_value *values; /* IN */
    const int64_t *ints;     /* IN: the same when the type is held as 32 or 64 bit integers, else NULL */
    size_t value_count;
    const uint32_t *table; /* IN: by hash, 1 + the place in `values`, 0 for none; NULL where there is none */
    size_t table_mask;
    const uint64_t *filter; /* IN, integers that have a table: bits by hash, 0 where no value is */
    int filter_shift;
    const rwl_bound_node *const *items; /* AND, OR, LET */
    size_t item_count;
};

struct rwl_bound {
    const rwl_field *fields;
    int32_t field_count;
    const rwl_bound_node *root;
    int32_t *columns;
    int32_t column_count;
    bool can_fail;
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
static inline bool rwl_kind_is_number(rwl_type_kind kind) {
    return kind >= RWL_TYPE_INT && kind <= RWL_TYPE_DECIMAL;
}
/* Kinds held as int32 or int64 in a column. */
static inline bool rwl_kind_is_int(rwl_type_kind kind) {
    return kind == RWL_TYPE_INT || kind == RWL_TYPE_LONG ||
           (kind >= RWL_TYPE_DATE && kind <= RWL_TYPE_TIMESTAMPTZ_NS);
}

#endif
