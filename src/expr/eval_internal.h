/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of evaluation on rows share. */
#ifndef RWL_EXPR_EVAL_INTERNAL_H
#define RWL_EXPR_EVAL_INTERNAL_H

#include "expr/expr_internal.h"

/* A value that LETs around this place have computed. */
typedef struct rwl_slot {
    const rwl_value_node *node;
    const rwl_column *column;
    const struct rwl_slot *next;
} rwl_slot;

typedef struct rwl_evaluation {
    const rwl_column *const *columns;
    int64_t length; /* of each column, above 0 */
    size_t words;   /* of a bitmap */
    const rwl_env *env;
    rwl_error *err;
    const rwl_slot *slots;
    bool can_fail; /* whether it matters which rows matter */
} rwl_evaluation;

/* A computed column, or one of the batch's. */
typedef struct rwl_operand {
    const rwl_column *column;
    rwl_column own;
} rwl_operand;

/* Rows that are wanted are set in `active`, NULL for all. What other rows come to is left open, and never fails. */
/* Writes `bits`: rows that the condition selects. */
rwl_status rwl_eval_condition(const rwl_evaluation *e, const rwl_bound_node *n, const uint64_t *active,
                              uint64_t *bits);
/* Computes a value; `out` is to be cleared, after a failure too. */
rwl_status rwl_eval_operand(const rwl_evaluation *e, const rwl_value_node *v, const uint64_t *active,
                            rwl_operand *out);
void rwl_operand_clear(rwl_operand *operand, const rwl_env *env);

/* These fill `out`, a new column of v's type (expr/arithmetic.c, expr/cast.c). */
rwl_status rwl_eval_arithmetic(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *a,
                               const rwl_column *b, const uint64_t *active, rwl_column *out);
rwl_status rwl_eval_negate(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *a,
                           const uint64_t *active, rwl_column *out);
rwl_status rwl_eval_cast(const rwl_evaluation *e, const rwl_value_node *v, const rwl_column *in,
                         const uint64_t *active, rwl_column *out);
/* Gives `out`, whose values are written, the nulls of a and b (which may be NULL), and zeros in their slots. */
rwl_status rwl_eval_give_nulls(const rwl_evaluation *e, const rwl_column *a, const rwl_column *b,
                               rwl_column *out);

/* A value without rows: of constants. NO_MEMORY, or USAGE when it cannot be computed. */
rwl_status rwl_value_eval_constant(const rwl_value_node *v, rwl_arena *arena, rwl_value *out, rwl_error *err);

/* Order of decimals of two scales, exactly. */
int rwl_decimal_order(rwl_i128 a, int a_scale, rwl_i128 b, int b_scale);

/* The bits of a column's bitmap for a word of rows, whatever its capacity. */
uint64_t rwl_eval_load_word(const uint8_t *bits, size_t word, int64_t length);

static inline bool rwl_eval_wants(const uint64_t *active, int64_t row) {
    return active == NULL || (active[row / 64] >> (row % 64) & 1) != 0;
}
static inline const rwl_i128 *rwl_column_i128(const rwl_column *c) {
    return (const rwl_i128 *)(const void *)c->values.data;
}

#endif
