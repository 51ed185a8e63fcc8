/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filter expressions: SQL text to a tree, names and literals bound to columns, evaluated on rows and on
 * bounds.
 *
 *   expr       := and-expr { OR and-expr }          and-expr := not-expr { AND not-expr }
 *   not-expr   := NOT not-expr | predicate
 *   predicate  := operand [ ( = | <> | != | < | <= | > | >= ) operand
 *                         | [NOT] IN ( literal, … ) | [NOT] BETWEEN operand AND operand
 *                         | IS [NOT] NULL | IS [NOT] NAN ]
 *   operand    := name { . name } | literal | ( expr )
 *   literal    := [+|-] number | 'text' | X'hex' | TRUE | FALSE | NULL | NAN
 *               | (DATE | TIME | TIMESTAMP | TIMESTAMPTZ | UUID) 'text'
 *   name       := letters, digits, _ and $, not starting with a digit | "any text" ("" for a quote)
 *
 * Keywords in either case; names exactly as they are. LIKE, arithmetic, CASE, CAST, functions and nested
 * fields are UNSUPPORTED, by name.
 *
 * Meaning:
 *  1. Three-valued logic: a comparison with null is unknown; a row is selected where the whole is true.
 *  2. IS NULL and IS NAN are true or false: null IS NAN is false, null IS NOT NAN is true.
 *  3. NaN equals NaN and is above every number, of any type. -0.0 = 0.0 (sort orders tell them apart).
 *  4. A literal takes the column's type. A number that the column cannot hold exactly compares as the number
 * it is: for an int column i = 1.5 is false, i < 1.5 is i <= 1, i < 3000000000 is true where i is not null.
 * For float columns a literal with point or exponent is the nearest float, as if written in a file, an
 * integer is itself.
 *  5. Text compared with dates, times, timestamps and uuids is read as one. Dates compare with timestamps as
 *     midnight. Time zones: a timestamp never compares with a timestamptz.
 *  6. Strings and binary compare by unsigned bytes.
 */
#ifndef RWL_EXPR_EXPR_H
#define RWL_EXPR_EXPR_H

#include "column/batch.h"

enum { RWL_EXPR_DEPTH_MAX = 100 };           /* nested parentheses and NOTs */
#define RWL_EXPR_TEXT_MAX ((size_t)16 << 20) /* bytes of an expression */

typedef struct rwl_expr rwl_expr;   /* a parsed expression, in the arena it was parsed into */
typedef struct rwl_bound rwl_bound; /* the same bound to columns, in the arena it was bound into */

/* Parses `text`, of which nothing is kept. USAGE (err->offset: where) or UNSUPPORTED naming the construct. */
RWL_MUST_CHECK rwl_status rwl_expr_parse(const char *text, rwl_arena *arena, const rwl_expr **out,
                                         rwl_error *err);
/* Appends the expression as SQL that parses to the same tree, BETWEEN spelled out (which may take it past the
 * depth limit). */
RWL_MUST_CHECK rwl_status rwl_expr_format(const rwl_expr *expr, rwl_buf *out, rwl_error *err);

/*
 * Resolves names among `fields` (metadata columns are fields like others) and converts literals. Column
 * numbers are indexes into `fields`, which must outlive the result. USAGE for unknown names (the known ones
 * are listed) and for types that do not compare, both named; UNSUPPORTED for nested fields and types without
 * an order.
 */
RWL_MUST_CHECK rwl_status rwl_expr_bind(const rwl_expr *expr, const rwl_field *fields, int32_t count,
                                        rwl_arena *arena, const rwl_bound **out, rwl_error *err);
/* The column numbers that evaluation needs, ascending; borrowed from the bound expression. */
const int32_t *rwl_bound_columns(const rwl_bound *bound, int32_t *count);
/* Appends the bound form (negations pushed to the leaves, literals converted), for messages and tests. */
RWL_MUST_CHECK rwl_status rwl_bound_format(const rwl_bound *bound, rwl_buf *out, rwl_error *err);

/* --- on rows --- */

/* Bytes that a result bitmap of `length` rows takes: whole 64-bit words. */
static inline size_t rwl_expr_bits_size(int64_t length) {
    return ((size_t)length + 63) / 64 * 8;
}
/*
 * Sets bit i of `bits` (8-byte aligned, rwl_expr_bits_size bytes, all written) where row i is selected; bits
 * from `length` on are 0. columns[n] is the column of fields[n]; those not in rwl_bound_columns may be NULL.
 * Scratch comes from `env`.
 */
RWL_MUST_CHECK rwl_status rwl_expr_eval(const rwl_bound *bound, const rwl_column *const *columns,
                                        int64_t length, const rwl_env *env, uint64_t *bits, rwl_error *err);
/* The same for a batch that has a column for each field. */
RWL_MUST_CHECK rwl_status rwl_expr_eval_batch(const rwl_bound *bound, const rwl_batch *batch, uint64_t *bits,
                                              rwl_error *err);
/* The set bits of such a bitmap as ranges, room for (length + 1) / 2; returns their number. */
static inline size_t rwl_expr_ranges(const uint64_t *bits, int64_t length, rwl_range *ranges) {
    return rwl_ranges_from_bits((const uint8_t *)(const void *)bits, length, ranges);
}

/* --- on bounds --- */

/*
 * What is known of a column in a file, row group or page. Bounds are of the column's type, inclusive, cover
 * all values but null and NaN, and may be truncated: they hold as inequalities, not as values that occur.
 * Give none for a column whose nulls read as something else (inherited lineage, defaults) unless null_count
 * is 0.
 */
typedef struct rwl_column_facts {
    int64_t value_count; /* rows, nulls and NaN too; -1 unknown */
    int64_t null_count;  /* -1 unknown */
    int64_t nan_count;   /* -1 unknown; of no meaning for types without NaN */
    bool has_lower, has_upper;
    rwl_value lower, upper;
    bool is_constant; /* every row has the value `constant`, null or NaN too; the rest is ignored */
    rwl_value constant;
} rwl_column_facts;

typedef struct rwl_facts {
    void *ctx;
    /* Facts of column `column`; false when nothing is known. `out` arrives with everything unknown. */
    bool (*lookup)(void *ctx, int32_t column, rwl_column_facts *out);
    /* Optional: false when no row can equal `v` (bloom filters, bucket partitions). Not asked about zeros of
     * float types and NaN. */
    bool (*may_contain)(void *ctx, int32_t column, const rwl_value *v);
} rwl_facts;

/* False only when surely no row is selected. */
bool rwl_expr_may_match(const rwl_bound *bound, const rwl_facts *facts);
/* True only when surely every row is selected. */
bool rwl_expr_must_match(const rwl_bound *bound, const rwl_facts *facts);

#endif
