/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of Thrift structs that are of known types: CORRUPT when one is of another. */
#ifndef RWL_PARQUET_THRIFT_FIELD_H
#define RWL_PARQUET_THRIFT_FIELD_H

#include "base/arena.h"
#include "wire/thrift.h"

RWL_MUST_CHECK rwl_status rwl_parquet_field_type(const rwl_cursor *c, rwl_thrift_field field,
                                                 rwl_thrift_type want, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_field_i32(rwl_cursor *c, rwl_thrift_field field, int32_t *out,
                                                rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_field_i64(rwl_cursor *c, rwl_thrift_field field, int64_t *out,
                                                rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_field_bool(const rwl_cursor *c, rwl_thrift_field field, bool *out,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_field_binary(rwl_cursor *c, rwl_thrift_field field, rwl_span *out,
                                                   rwl_error *err);
/* A copy in `arena`, without NUL inside. */
RWL_MUST_CHECK rwl_status rwl_parquet_field_text(rwl_cursor *c, rwl_thrift_field field, rwl_arena *arena,
                                                 const char **out, rwl_error *err);
/* The list header of a list of `item`s, each of at least `item_min` bytes. */
RWL_MUST_CHECK rwl_status rwl_parquet_field_list(rwl_cursor *c, rwl_thrift_field field, rwl_thrift_type item,
                                                 size_t item_min, uint32_t *count, rwl_error *err);
/* Checks that the field is a struct, and reads it (rwl_thrift_struct). */
RWL_MUST_CHECK rwl_status rwl_parquet_field_struct(rwl_cursor *c, rwl_thrift_field field,
                                                   rwl_thrift_reader read, void *ctx, rwl_error *err);

/* Where the value of field `id` goes. Exactly one pointer is set; it says which type the field must have. */
typedef struct rwl_parquet_target {
    int16_t id;
    int32_t *i32;
    int64_t *i64;
    bool *flag;
    rwl_span *bytes; /* borrowed from the input */
} rwl_parquet_target;

/* Reads a struct of plain values into the targets of its fields; a target whose field is missing keeps what it had,
 * fields without a target are skipped. */
RWL_MUST_CHECK rwl_status rwl_parquet_fields_read(rwl_cursor *c, const rwl_parquet_target *targets,
                                                  size_t count, rwl_error *err);

#endif
