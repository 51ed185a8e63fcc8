/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The footer's Thrift structures made into leaves, row groups and chunks.
 *
 * What holds after parsing, or the footer is refused as CORRUPT:
 *   1  the schema is one tree whose leaves number the chunks of every row group
 *   2  a chunk's physical type is its leaf's
 *   3  no count, size or offset is negative; the row counts of the groups add up to the file's
 *   4  the bytes of every chunk of a group with rows lie between the first magic and the footer
 *   5  a flat column has as many values as its row group has rows
 */
#ifndef RWL_PARQUET_FOOTER_H
#define RWL_PARQUET_FOOTER_H

#include "parquet/file.h"
#include "wire/thrift.h"

/* Parses FileMetaData into `file`. Statistics borrow from `footer`; all else is in `arena`. `data_end` is the
 * offset where the column chunks must have ended. */
RWL_MUST_CHECK rwl_status rwl_parquet_footer_parse(rwl_span footer, int64_t data_end, rwl_arena *arena,
                                                   rwl_parquet_file *file, rwl_error *err);
/* Parses the schema list (the cursor stands on its list header) into `file->leaves`. */
RWL_MUST_CHECK rwl_status rwl_parquet_schema_parse(rwl_cursor *c, rwl_arena *arena, rwl_parquet_file *file,
                                                   rwl_error *err);
/* Parses a Statistics struct. */
RWL_MUST_CHECK rwl_status rwl_parquet_stats_parse(rwl_cursor *c, rwl_parquet_stats *out, rwl_error *err);
/* Removes bounds that can't be trusted: of an order that is not known, NaN, lower above upper; the deprecated pair where
 * its signed order was not the type's, unless both are the same. Widens zeros. */
void rwl_parquet_stats_settle(const rwl_parquet_leaf *leaf, rwl_parquet_stats *stats);
/* Whether the deprecated bounds of byte arrays by this writer can be anything (PARQUET-251: parquet-mr before 1.8.0,
 * and those who do not say who they are). */
bool rwl_parquet_stats_corrupt(const char *created_by);

/* --- reading typed Thrift fields --- */

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
