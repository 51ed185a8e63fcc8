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

#endif
