/* SPDX-License-Identifier: Apache-2.0 */
/* The page index of a chunk being written (parquet.thrift, OffsetIndex and ColumnIndex; PageIndex.md). */
#ifndef RWL_PARQUET_INDEX_WRITE_H
#define RWL_PARQUET_INDEX_WRITE_H

#include "parquet/chunk_internal.h"

/* Appends the offset index of a chunk whose data pages begin at `offset` of the file. */
RWL_MUST_CHECK rwl_status rwl_parquet_offset_index_write(const rwl_parquet_chunk_write *c, int64_t offset,
                                                         rwl_buf *out, rwl_error *err);
/* Appends the column index, or nothing where it can't be written truly: a page that is not null without both bounds. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_index_write(const rwl_parquet_chunk_write *c, rwl_buf *out,
                                                         rwl_error *err);

#endif
