/* SPDX-License-Identifier: Apache-2.0 */
/* One value of a primitive type: literals, bounds, partition tuples, defaults. */
#ifndef RWL_COLUMN_VALUE_H
#define RWL_COLUMN_VALUE_H

#include "base/int128.h"
#include "column/type.h"

/* Bytes are borrowed; whoever made the value says from where. */
typedef struct rwl_value {
    rwl_type_kind kind;
    bool is_null;
    union {
        bool b;
        int32_t i32; /* INT, DATE */
        int64_t i64; /* LONG, TIME, TIMESTAMP… */
        float f32;
        double f64;
        rwl_i128 i128; /* DECIMAL, unscaled */
        rwl_span
            bytes; /* STRING, UUID, FIXED, BINARY; VARIANT, GEOMETRY and GEOGRAPHY as a column has them */
    } as;
} rwl_value;

static inline rwl_value rwl_value_null(rwl_type_kind kind) {
    rwl_value v;
    memset(&v, 0, sizeof v);
    v.kind = kind;
    v.is_null = true;
    return v;
}
/*
 * Total order inside one kind: numbers by value, -0.0 < +0.0, NaN above every number (all NaN equal),
 * false < true, bytes unsigned. Nulls first. -1, 0, 1.
 */
int rwl_value_compare(const rwl_value *a, const rwl_value *b);
/* Equal as partition values: one canonical NaN, -0.0 and +0.0 differ, null equals null. */
bool rwl_value_equal(const rwl_value *a, const rwl_value *b);
bool rwl_value_copy(rwl_arena *arena, const rwl_value *from, rwl_value *to); /* copies bytes */

/* Iceberg's binary single-value form (specification, appendix D), used by bounds and summaries.
 * `decode` borrows from `bytes` and accepts the shorter form of a promoted type: 4 bytes for LONG and
 * DOUBLE, 4 for TIMESTAMP(_NS) from DATE. */
RWL_MUST_CHECK rwl_status rwl_value_encode(const rwl_value *v, rwl_buf *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_value_decode(const rwl_type *type, rwl_span bytes, rwl_value *out,
                                           rwl_error *err);

/* Text as CLI.md's "Values in JSON" has it, without quotes for strings ("NaN", "2026-11-30", hex…). */
RWL_MUST_CHECK rwl_status rwl_value_format(const rwl_type *type, const rwl_value *v, rwl_buf *out,
                                           rwl_error *err);
/* The same as one JSON value (quotes and escapes where JSON needs them, `null`). */
RWL_MUST_CHECK rwl_status rwl_value_format_json(const rwl_type *type, const rwl_value *v, rwl_buf *out,
                                                rwl_error *err);
/* Inverse of rwl_value_format for `type`; bytes go to `arena`. USAGE when the text is no such value. */
RWL_MUST_CHECK rwl_status rwl_value_parse(const rwl_type *type, rwl_span text, rwl_arena *arena,
                                          rwl_value *out, rwl_error *err);
/* Decimal digits, with a sign below 0; no NUL. Returns how many bytes there are. */
size_t rwl_i64_format(int64_t v, char out[24]);
/* Shortest decimal that reads back as the same float/double, always with '.' or exponent. */
size_t rwl_float_format(float v, char out[40]);
size_t rwl_double_format(double v, char out[40]);
/* Reads a decimal number ("-1.5e3", "NaN", "Infinity", case of the words ignored) as the nearest value,
 * whatever the locale; false when the text is none. Numbers beyond the range give infinities. */
bool rwl_float_parse(rwl_span text, float *out);
bool rwl_double_parse(rwl_span text, double *out);
/* Whether `bytes` are well-formed UTF-8 (Unicode 15, table 3-7: no surrogates, no overlong forms). */
bool rwl_utf8_valid(rwl_span bytes);
/* Appends `text` as a JSON string with quotes; each ill-formed byte becomes U+FFFD. */
RWL_MUST_CHECK rwl_status rwl_json_quote(rwl_span text, rwl_buf *out, rwl_error *err);

#endif
