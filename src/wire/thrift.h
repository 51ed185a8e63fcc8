/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thrift compact protocol, as much as Parquet needs.
 *
 *   struct := field* 0x00; field := (id delta << 4 | type) [zigzag id] value
 *   types: 1 true 2 false 3 i8 4 i16 5 i32 6 i64 7 double 8 binary 9 list 10 set 11 map 12 struct
 */
#ifndef RWL_WIRE_THRIFT_H
#define RWL_WIRE_THRIFT_H

#include "base/buf.h"

typedef enum rwl_thrift_type {
    RWL_THRIFT_STOP = 0,
    RWL_THRIFT_TRUE = 1,
    RWL_THRIFT_FALSE = 2,
    RWL_THRIFT_I8 = 3,
    RWL_THRIFT_I16 = 4,
    RWL_THRIFT_I32 = 5,
    RWL_THRIFT_I64 = 6,
    RWL_THRIFT_DOUBLE = 7,
    RWL_THRIFT_BINARY = 8,
    RWL_THRIFT_LIST = 9,
    RWL_THRIFT_SET = 10,
    RWL_THRIFT_MAP = 11,
    RWL_THRIFT_STRUCT = 12
} rwl_thrift_type;

/* --- reading: a cursor and the id of the last field of the open struct --- */

typedef struct rwl_thrift_field {
    rwl_thrift_type type;
    int16_t id;
} rwl_thrift_field;

/* The next field header of a struct whose previous field id is *last_id (0 at the start, updated here); type
 * STOP at the end. A bool field's value is its type. */
RWL_MUST_CHECK rwl_status rwl_thrift_next(rwl_cursor *c, int16_t *last_id, rwl_thrift_field *out,
                                          rwl_error *err);
/* Takes or skips the value of the field `f`; the cursor is left behind it. */
typedef rwl_status (*rwl_thrift_reader)(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err);
/* Reads a struct: `read` is called with each of its fields until the stop, which is taken too, or an error. */
RWL_MUST_CHECK rwl_status rwl_thrift_struct(rwl_cursor *c, rwl_thrift_reader read, void *ctx, rwl_error *err);
/* Reads a union whose value is not of interest: *which is the id of the field set (the last, should there be
 * more), as it was when there is none. */
RWL_MUST_CHECK rwl_status rwl_thrift_union(rwl_cursor *c, int16_t *which, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_i8(rwl_cursor *c, int8_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_i16(rwl_cursor *c, int16_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_i32(rwl_cursor *c, int32_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_i64(rwl_cursor *c, int64_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_binary(rwl_cursor *c, rwl_span *out, rwl_error *err);
/* List header; count is checked against the bytes left (each item takes at least one). */
RWL_MUST_CHECK rwl_status rwl_thrift_list(rwl_cursor *c, rwl_thrift_type *item, uint32_t *count,
                                          rwl_error *err);
/* Skips a value of this type, nested to a fixed depth. */
RWL_MUST_CHECK rwl_status rwl_thrift_skip(rwl_cursor *c, rwl_thrift_type type, rwl_error *err);

/* --- writing --- */

RWL_MUST_CHECK rwl_status rwl_thrift_put_field(rwl_buf *b, int16_t *last_id, int16_t id, rwl_thrift_type type,
                                               rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_put_stop(rwl_buf *b, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_put_i32(rwl_buf *b, int32_t v, rwl_error *err); /* i16 too */
RWL_MUST_CHECK rwl_status rwl_thrift_put_i64(rwl_buf *b, int64_t v, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_put_binary(rwl_buf *b, rwl_span v, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_thrift_put_list(rwl_buf *b, rwl_thrift_type item, uint32_t count,
                                              rwl_error *err);

#endif
