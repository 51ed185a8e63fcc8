/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of rows in Arrow layout.
 *
 * A column has up to three buffers, all 64-byte aligned with capacity a multiple of 64:
 *   validity  one bit a row, least significant first, 1 = valid; meaningful only while null_count > 0
 *   values    fixed-width values side by side (little endian), or bits (BOOLEAN), or all bytes of a
 *             variable-length column; slots of null rows hold zero bytes
 *   offsets   length + 1 int32, for STRING, BINARY, VARIANT, GEOMETRY, GEOGRAPHY (bytes), LIST and MAP (elements)
 * DECIMAL is 16-byte little-endian two's complement (Arrow decimal128), UUID 16 bytes. VARIANT is the bytes of its
 * metadata followed by those of its value (the metadata says how long it is). GEOMETRY and GEOGRAPHY are WKB.
 *
 * Nested columns have children: STRUCT one a field, each of the struct's length; LIST one, MAP two (keys, values),
 * each of offsets[length] elements. Children of null rows: a slot in a struct, no element in a list or map.
 *
 * Buffers grow and are kept by reset, so that a loop over batches does not allocate.
 */
#ifndef RWL_COLUMN_BATCH_H
#define RWL_COLUMN_BATCH_H

#include "column/value.h"

enum { RWL_BATCH_ROWS = 65536 };                 /* rows of a full batch */
#define RWL_COLUMN_BYTES_MAX ((size_t)INT32_MAX) /* bytes of a variable-length or FIXED column in one batch */

typedef struct rwl_buffer {
    uint8_t *data; /* 64-byte aligned; NULL while cap is 0 */
    size_t cap;
} rwl_buffer;

typedef struct rwl_column {
    rwl_type type;
    int64_t length;
    int64_t null_count;
    rwl_buffer validity, values, offsets;
    size_t bytes_len;            /* bytes used in values, for variable-length columns */
    struct rwl_column *children; /* owned; type.child_count of them, NULL for flat types */
} rwl_column;

typedef struct rwl_batch {
    const rwl_env *env;
    int64_t length;
    int32_t column_count;
    rwl_column *columns; /* column_count of them, owned */
} rwl_batch;

/* Each field gives a column. The fields are not kept, except for what type.parameters and type.children point to. */
RWL_MUST_CHECK rwl_status rwl_batch_init(rwl_batch *batch, const rwl_env *env, const rwl_field *fields,
                                         int32_t count, rwl_error *err);
void rwl_batch_clear(rwl_batch *batch);
void rwl_batch_reset(rwl_batch *batch);          /* no rows, keeps the buffers */
int64_t rwl_batch_bytes(const rwl_batch *batch); /* memory held by the buffers */

/* A column of `type`, children made too; what the type points to must outlive it. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_column_init(rwl_column *column, const rwl_env *env, const rwl_type *type,
                                          rwl_error *err);
/* The same of a type without children, which cannot fail. */
void rwl_column_init_flat(rwl_column *column, const rwl_type *type);
/* Releases buffers and children; a flat column may be filled again, a nested one is to be made again first. */
void rwl_column_clear(rwl_column *column, const rwl_env *env);
void rwl_column_reset(rwl_column *column); /* no rows, also in the children; keeps the buffers */

/* --- writing into a column: reserve, write through the pointers, then set length --- */

/* Capacity for `rows` rows (and `bytes` of variable-length content) in all, contents kept; UNSUPPORTED
 * when a variable-length or FIXED column would pass RWL_COLUMN_BYTES_MAX. Children are reserved by themselves. */
RWL_MUST_CHECK rwl_status rwl_column_reserve(rwl_column *column, const rwl_env *env, int64_t rows,
                                             size_t bytes, rwl_error *err);
/* Makes the validity bitmap real: all `length` rows valid so far. For writers that meet a first null. */
RWL_MUST_CHECK rwl_status rwl_column_need_validity(rwl_column *column, const rwl_env *env, int64_t rows,
                                                   rwl_error *err);
/* Appends one value (null allowed), `count` times: constants at the speed of memset, single values for
 * builders, not for inner loops. Of a nested type only null. */
RWL_MUST_CHECK rwl_status rwl_column_append(rwl_column *column, const rwl_env *env, const rwl_value *v,
                                            int64_t count, rwl_error *err);

/* Exchanges two columns, buffers and all. */
static inline void rwl_column_swap(rwl_column *a, rwl_column *b) {
    rwl_column t = *a;
    *a = *b;
    *b = t;
}

/* --- reading --- */

static inline bool rwl_bit_get(const uint8_t *bits, int64_t i) {
    return (bits[i >> 3] >> (i & 7)) & 1;
}
static inline void rwl_bit_set(uint8_t *bits, int64_t i) {
    bits[i >> 3] = (uint8_t)(bits[i >> 3] | (1u << (i & 7)));
}
static inline void rwl_bit_clear(uint8_t *bits, int64_t i) {
    bits[i >> 3] = (uint8_t)(bits[i >> 3] & ~(1u << (i & 7)));
}
static inline bool rwl_column_is_null(const rwl_column *c, int64_t i) {
    return c->null_count > 0 && !rwl_bit_get(c->validity.data, i);
}
/* Typed views of the 64-byte aligned buffers. */
static inline const int32_t *rwl_column_i32(const rwl_column *c) {
    return (const int32_t *)(const void *)c->values.data;
}
static inline const int64_t *rwl_column_i64(const rwl_column *c) {
    return (const int64_t *)(const void *)c->values.data;
}
static inline const float *rwl_column_f32(const rwl_column *c) {
    return (const float *)(const void *)c->values.data;
}
static inline const double *rwl_column_f64(const rwl_column *c) {
    return (const double *)(const void *)c->values.data;
}
static inline const int32_t *rwl_column_offsets(const rwl_column *c) {
    return (const int32_t *)(const void *)c->offsets.data;
}
/* Row i of a flat column as a value that borrows from it. */
rwl_value rwl_column_value(const rwl_column *c, int64_t i);
/* Appends row i as one JSON value: CLI.md "Values in JSON", nested types and variants too. */
RWL_MUST_CHECK rwl_status rwl_column_format_json(const rwl_column *c, int64_t i, rwl_buf *out,
                                                 rwl_error *err);
static inline rwl_span rwl_column_bytes(const rwl_column *c, int64_t i) {
    const int32_t *o = rwl_column_offsets(c);
    /* without any bytes there may be no buffer to point into */
    const uint8_t *data = c->values.data ? c->values.data + o[i] : NULL;
    return rwl_span_of(data, (size_t)(o[i + 1] - o[i]));
}

/* --- kernels (column/kernels.c): all append to `out`, whose type must equal the input's --- */

typedef struct rwl_range {
    int64_t start, count; /* rows start .. start + count - 1 */
} rwl_range;

/* Rows of `in` at ascending, disjoint ranges. */
RWL_MUST_CHECK rwl_status rwl_column_take_ranges(const rwl_column *in, const rwl_range *ranges, size_t count,
                                                 rwl_column *out, const rwl_env *env, rwl_error *err);
/* Rows of `in` at the given indexes, any order, repeats allowed. */
RWL_MUST_CHECK rwl_status rwl_column_take(const rwl_column *in, const int32_t *rows, int64_t count,
                                          rwl_column *out, const rwl_env *env, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_batch_take_ranges(const rwl_batch *in, const rwl_range *ranges, size_t count,
                                                rwl_batch *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_batch_take(const rwl_batch *in, const int32_t *rows, int64_t count,
                                         rwl_batch *out, rwl_error *err);
/* The set bits of `bits` as ranges, into `ranges` (room for (length + 1) / 2); returns their number. */
size_t rwl_ranges_from_bits(const uint8_t *bits, int64_t length, rwl_range *ranges);
/* Converts a column to a promoted type: INT to LONG, FLOAT to DOUBLE, DECIMAL to wider, DATE to
 * TIMESTAMP(_NS) (CORRUPT on overflow), times to the other unit where exact (to microseconds: else UNSUPPORTED; to
 * nanoseconds: CORRUPT on overflow), BINARY to STRING (CORRUPT where it is not UTF-8), UNKNOWN to anything, anything equal to
 * itself. UNSUPPORTED otherwise. Replaces `out`. */
RWL_MUST_CHECK rwl_status rwl_column_promote(const rwl_column *in, rwl_column *out, const rwl_env *env,
                                             rwl_error *err);
/* Whether all values belong to the type, for columns from outside: decimals within their precision, times within a
 * day, strings UTF-8. CORRUPT naming the first row that does not. */
RWL_MUST_CHECK rwl_status rwl_column_check_values(const rwl_column *c, rwl_error *err);
/* Mixes each row's value into hashes[i] (128-bit, order of columns matters): row content hash. Null, the
 * type kind and the exact bits count; NaN payloads and -0.0 differ. */
void rwl_column_hash_rows(const rwl_column *c, rwl_u128 *hashes);

#endif
