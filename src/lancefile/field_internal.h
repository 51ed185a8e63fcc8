/* SPDX-License-Identifier: Apache-2.0 */
/* How one field of a batch is read, by file version. */
#ifndef RWL_LANCEFILE_FIELD_INTERNAL_H
#define RWL_LANCEFILE_FIELD_INTERNAL_H

#include "lancefile/charge.h"
#include "lancefile/reader.h"

typedef struct rwl_lance_field_reader rwl_lance_field_reader;

typedef struct rwl_lance_field_vtable {
    /* Asks for the bytes of these rows; returns when they are on their way. */
    rwl_status (*want)(rwl_lance_field_reader *field, const rwl_range *rows, size_t count, rwl_error *err);
    /* Sets `out` (of the node's type) to the rows that were wanted last: all of them or, where they would pass `bytes_max` (a single row
     * may), the first out->length. */
    rwl_status (*read)(rwl_lance_field_reader *field, size_t bytes_max, rwl_column *out, rwl_error *err);
    void (*close)(rwl_lance_field_reader *field);
    /* How many of the first of these rows are at most about `bytes_max` once decoded; at least 1. */
    rwl_status (*fit)(rwl_lance_field_reader *field, const rwl_range *rows, size_t count, size_t bytes_max,
                      int64_t *out, rwl_error *err);
} rwl_lance_field_vtable;

struct rwl_lance_field_reader {
    const rwl_lance_field_vtable *vtable;
    rwl_lance_read_stats stats;
    rwl_lance_charge charge; /* of the field's batches */
};

/* `row_count`: rows that the field's columns have to have. Sources of one field are all of 2.0, or none is, or it is a struct that is
 * split. */
RWL_MUST_CHECK rwl_status rwl_lance_field21_open(rwl_op *op, const rwl_lance_read_field *field,
                                                 int64_t row_count, rwl_lance_field_reader **out,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_field20_open(rwl_op *op, const rwl_lance_read_field *field,
                                                 int64_t row_count, rwl_lance_field_reader **out,
                                                 rwl_error *err);
/* Of a struct, or lists of it, in several files. UNSUPPORTED when anything else is in those of 2.0 and of later versions. */
RWL_MUST_CHECK rwl_status rwl_lance_field_split_open(rwl_op *op, const rwl_lance_read_field *field,
                                                     int64_t row_count, rwl_lance_field_reader **out,
                                                     rwl_error *err);

/* --- values, of both versions (convert.c) --- */

/* Appends `count` stored values of a FIXED node, side by side (single bits least significant first, from bit 0), to `out`, which is of
 * the node's type; slots whose bit in `validity` (NULL: all valid) is 0 become null and zero. CORRUPT naming the value that does not
 * convert, UNSUPPORTED when it is a time that what it is read as can't hold. */
RWL_MUST_CHECK rwl_status rwl_lance_convert_fixed(const rwl_env *env, const rwl_lance_node *node,
                                                  const uint8_t *stored, int64_t count,
                                                  const uint8_t *validity, rwl_column *out, rwl_error *err);
/* Appends `count` bits (NULL: all valid) at out->length, before that grows. */
RWL_MUST_CHECK rwl_status rwl_lance_append_validity(const rwl_env *env, rwl_column *out,
                                                    const uint8_t *validity, int64_t count, rwl_error *err);
/* Appends `count` nulls. */
RWL_MUST_CHECK rwl_status rwl_lance_append_nulls(const rwl_env *env, rwl_column *out, int64_t count,
                                                 rwl_error *err);
/* *out is bits [from, from + count) beginning a byte: where they lie, or moved to `room` where they do not. */
RWL_MUST_CHECK rwl_status rwl_lance_align_bits(rwl_buf *room, const uint8_t *bits, int64_t from,
                                               int64_t count, const uint8_t **out, rwl_error *err);
/* Puts `count` fields of `width` bytes, one every `stride` bytes of `in`, side by side. */
void rwl_lance_gather_fields(const uint8_t *restrict in, size_t stride, size_t width, int64_t count,
                             uint8_t *restrict out);
/* Zeroes the values of `width` bytes whose bit is 0. */
void rwl_lance_zero_nulls(uint8_t *values, size_t width, const uint8_t *validity, int64_t count);
/* CORRUPT naming the row unless the strings are UTF-8. */
RWL_MUST_CHECK rwl_status rwl_lance_check_text(const rwl_column *column, rwl_error *err);
/* What is still to be done with the bytes of a BYTES node: texts are checked, JSONB is turned into text. */
RWL_MUST_CHECK rwl_status rwl_lance_finish_bytes(const rwl_env *env, const rwl_lance_node *node,
                                                 rwl_column *column, rwl_error *err);

/* --- ends of batches (cut.c) --- */

/* The most first rows whose values are at most `bytes_max`, but at least one when there are any. */
int64_t rwl_lance_rows_within(const rwl_column *column, size_t bytes_max);
/* Leaves only the first `rows`. */
RWL_MUST_CHECK rwl_status rwl_lance_cut_column(const rwl_env *env, rwl_column *column, int64_t rows,
                                               rwl_error *err);
/* The first `rows` rows of `ranges`, in place; returns how many ranges are left. */
size_t rwl_lance_cut_ranges(rwl_range *ranges, size_t count, int64_t rows);
int64_t rwl_lance_count_rows(const rwl_range *ranges, size_t count);

#endif
