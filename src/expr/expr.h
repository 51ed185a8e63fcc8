/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: SQL text to a tree, names and literals bound to columns; conditions evaluated on rows and on
 * bounds, values on rows.
 *
 *   condition  := and-cond { OR and-cond }            and-cond := not-cond { AND not-cond }
 *   not-cond   := NOT not-cond | predicate
 *   predicate  := operand [ ( = | <> | != | < | <= | > | >= ) operand
 *                         | [NOT] IN ( operand, … ) | [NOT] BETWEEN operand AND operand
 *                         | [NOT] LIKE 'pattern' [ESCAPE 'character']
 *                         | IS [NOT] NULL | IS [NOT] NAN ] | ( condition )
 *   operand    := term { ( + | - | '||' ) term }      term := factor { ( * | / | % ) factor }
 *   factor     := [ + | - ] factor | name { . name } | literal | ( operand )
 *               | CASE { WHEN condition THEN value } [ELSE value] END
 *               | COALESCE ( value, … ) | CAST ( value AS type )
 *   value      := condition, of which an operand is one
 *   literal    := [+|-] number | 'text' | X'hex' | TRUE | FALSE | NULL | NAN
 *               | (DATE | TIME | TIMESTAMP | TIMESTAMPTZ | UUID) 'text'
 *   type       := the names of Iceberg; decimal(p, s), fixed(n), and SQL's integer, bigint, real, varchar…
 *   name       := letters, digits, _ and $, not starting with a digit | "any text" ("" for a quote)
 *
 * Keywords in either case; names exactly as they are. Functions, subqueries, CASE with an operand, ILIKE and IS
 * DISTINCT FROM are UNSUPPORTED, by name.
 *
 * Meaning:
 *  1. Three-valued logic: a comparison with null is unknown; a row is selected where the whole is true.
 *  2. IS NULL and IS NAN are true or false: null IS NAN is false, null IS NOT NAN is true.
 *  3. NaN equals NaN and is above every number, of any type. -0.0 = 0.0 (sort orders tell them apart).
 *  4. A literal takes the type of what it is compared with. A number that the type cannot hold exactly compares as
 *     the number it is: for an int column i = 1.5 is false, i < 1.5 is i <= 1, i < 3000000000 is true where i is not
 *     null. For float types a literal with point or exponent is the nearest float, as if written in a file, an
 *     integer is itself. Expressions of literals alone are computed first and then are literals.
 *  5. Text compared with dates, times, timestamps and uuids is read as one. Dates compare with timestamps as
 *     midnight. Time zones: a timestamp never compares with a timestamptz.
 *  6. Strings and binary compare by unsigned bytes. LIKE is about strings: % any characters, _ one code point; no
 *     escape character unless one is given, which stands before %, _ or itself only.
 *  7. Of two operands that are no literals, ints, longs and decimals compare exactly, and with a float type as the
 *     nearest doubles; so do float and double.
 *  8. Arithmetic. Of int and long: the wider one, checked; / truncates towards zero, % has the sign of the dividend.
 *     Of decimals (and integers as decimals of 10 and 19 digits): + - % have the larger scale, * the sum of both,
 *     exactly, up to 38 digits (a scale above that is USAGE); / has scale max(6, s1 + p2 + 1), as far as 38 digits
 *     leave room for it, rounded half away from zero. With float types: IEEE 754, of doubles unless both are floats.
 *     A number takes the type of the other operand where that can hold it. By itself an integer is an int, else a
 *     long, else a decimal; digits with a point are a decimal, with an exponent a double.
 *     Overflow, division of integers and decimals by zero, and a CAST of a value that does not fit end the
 *     evaluation: USAGE with the values. Only rows count that the value matters for: AND, OR, CASE and COALESCE go
 *     from left to right and do not compute what an earlier part has decided.
 *  9. CAST: numbers to integers drop the fraction, to decimals round half away from zero; a value outside the type's
 *     range never wraps. Text is read as the type's text; everything but binary becomes text (CLI.md, "Values in
 *     JSON"). Timestamps become dates by their day; zones are neither added nor taken.
 * 10. CASE and COALESCE have the common type of their results, text and numbers counting as in 4.
 *
 * Names: fields of structs follow the top-level fields, flattened, under the path of their names with dots. A name of
 * one part means the first field called that (so a table's own column `_row_id` goes before the metadata column), one of
 * several parts the nested field, and without one a field whose name has the dots; two nested fields with one path
 * are ambiguous. Fields of nested types, variants and geometries can only be tested for null.
 *
 * Bounds say something about leaves that are about a column: compared with literals, or with another column; IN, LIKE with a
 * prefix, IS NULL, IS NAN. A cast that cannot change meaning (int to long, to a wider decimal, to double; float to
 * double; date to timestamp; and timestamp to date where it is compared with a literal) is looked
 * through; of other expressions nothing is known but their rows.
 */
#ifndef RWL_EXPR_EXPR_H
#define RWL_EXPR_EXPR_H

#include "column/batch.h"

enum { RWL_EXPR_DEPTH_MAX = 100 };           /* nested parentheses, NOTs, signs, CASEs, CASTs and COALESCEs */
enum { RWL_EXPR_CHAIN_MAX = 250 };           /* levels of a tree below an arithmetic operator */
#define RWL_EXPR_TEXT_MAX ((size_t)16 << 20) /* bytes of an expression */

typedef struct rwl_expr rwl_expr;   /* a parsed expression, in the arena it was parsed into */
typedef struct rwl_bound rwl_bound; /* a condition bound to columns, in the arena it was bound into */
typedef struct rwl_bound_value rwl_bound_value; /* a value, likewise */

/* Parses a condition. Nothing of `text` is kept. USAGE (err->offset: where) or UNSUPPORTED naming the construct. */
RWL_MUST_CHECK rwl_status rwl_expr_parse(const char *text, rwl_arena *arena, const rwl_expr **out,
                                         rwl_error *err);
/* Parses a value, which may be a condition too. */
RWL_MUST_CHECK rwl_status rwl_expr_parse_value(const char *text, rwl_arena *arena, const rwl_expr **out,
                                               rwl_error *err);
/* Appends the expression as SQL that parses to the same tree, BETWEEN of a column spelled out (which may take it past
 * the depth limit). */
RWL_MUST_CHECK rwl_status rwl_expr_format(const rwl_expr *expr, rwl_buf *out, rwl_error *err);

/*
 * Resolves names among `fields` (metadata columns are fields like others) and converts literals. Column
 * numbers are indexes into `fields`, which must outlive the result. USAGE for unknown names (the known ones
 * are listed), ambiguous ones, and for types that do not compare, both named; UNSUPPORTED for types without
 * an order.
 */
RWL_MUST_CHECK rwl_status rwl_expr_bind(const rwl_expr *expr, const rwl_field *fields, int32_t count,
                                        rwl_arena *arena, const rwl_bound **out, rwl_error *err);
/* The column numbers that evaluation needs, ascending; borrowed from the bound expression. */
const int32_t *rwl_bound_columns(const rwl_bound *bound, int32_t *count);
/* Whether evaluation can end with USAGE because of the values of a row (meaning 8). Whoever evaluates rows that may not
 * exist, such as the entries of a dictionary, has to take that for "may be". */
bool rwl_bound_can_fail(const rwl_bound *bound);
/* Appends the bound form (negations pushed to the leaves, literals converted), for messages and tests. */
RWL_MUST_CHECK rwl_status rwl_bound_format(const rwl_bound *bound, rwl_buf *out, rwl_error *err);

/*
 * The same for a value. `target`: the type it is for, or NULL for its own. Literals are read as the target's (one that
 * does not fit is USAGE); a value is converted where only the number of digits or bits differs (checked, row by row),
 * an integer or decimal to a float type, and where promotion allows it; other pairs are USAGE.
 */
RWL_MUST_CHECK rwl_status rwl_expr_bind_value(const rwl_expr *expr, const rwl_field *fields, int32_t count,
                                              const rwl_type *target, rwl_arena *arena,
                                              const rwl_bound_value **out, rwl_error *err);
const rwl_type *rwl_bound_value_type(const rwl_bound_value *bound);
/* As rwl_bound_columns. */
const int32_t *rwl_bound_value_columns(const rwl_bound_value *bound, int32_t *count);

/* --- on rows --- */

/* Bytes that a result bitmap of `length` rows takes: whole 64-bit words. */
static inline size_t rwl_expr_bits_size(int64_t length) {
    return ((size_t)length + 63) / 64 * 8;
}
/*
 * Sets bit i of `bits` (8-byte aligned, rwl_expr_bits_size bytes, all written) where row i is selected; bits
 * from `length` on are 0. columns[n] is the column of fields[n]; those not in rwl_bound_columns may be NULL.
 * Scratch comes from `env`. USAGE when the value of a row cannot be computed.
 */
RWL_MUST_CHECK rwl_status rwl_expr_eval(const rwl_bound *bound, const rwl_column *const *columns,
                                        int64_t length, const rwl_env *env, uint64_t *bits, rwl_error *err);
/* The same for a batch that has a column for each field. */
RWL_MUST_CHECK rwl_status rwl_expr_eval_batch(const rwl_bound *bound, const rwl_batch *batch, uint64_t *bits,
                                              rwl_error *err);
/* Replaces `out`, a column of rwl_bound_value_type, by the value of each row. */
RWL_MUST_CHECK rwl_status rwl_expr_eval_value(const rwl_bound_value *bound, const rwl_column *const *columns,
                                              int64_t length, const rwl_env *env, rwl_column *out,
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
