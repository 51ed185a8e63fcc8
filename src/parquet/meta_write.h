/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of FileMetaData being written (parquet.thrift). A row group's are encoded as soon as it ends; only what
 * is not known before the end of the file, the places of the page indexes, is put in when the footer is.
 */
#ifndef RWL_PARQUET_META_WRITE_H
#define RWL_PARQUET_META_WRITE_H

#include "parquet/chunk_internal.h"

/* Where a chunk lies. */
typedef struct rwl_parquet_chunk_place {
    int64_t offset;       /* of its first page */
    int64_t bloom_offset; /* 0 without a filter */
    int32_t bloom_len;
} rwl_parquet_chunk_place;

/* Where the two indexes of a chunk lie; len 0: there is none. */
typedef struct rwl_parquet_index_place {
    int64_t column_offset, offset_offset;
    int32_t column_len, offset_len;
} rwl_parquet_index_place;

typedef struct rwl_parquet_group_totals {
    int64_t rows, offset, compressed, uncompressed;
    const rwl_parquet_sorting *sorting;
    int32_t sorting_count;
    int64_t ordinal;
} rwl_parquet_group_totals;

/* Appends the fields of ColumnChunk up to and including its meta_data. */
RWL_MUST_CHECK rwl_status rwl_parquet_meta_chunk(const rwl_parquet_chunk_write *c,
                                                 const rwl_parquet_chunk_place *place, rwl_buf *out,
                                                 rwl_error *err);
/* Appends the rest of it. */
RWL_MUST_CHECK rwl_status rwl_parquet_meta_chunk_end(const rwl_parquet_index_place *place, rwl_buf *out,
                                                     rwl_error *err);
/* Begins a RowGroup with the header of its list of chunks. */
RWL_MUST_CHECK rwl_status rwl_parquet_meta_group(int32_t chunk_count, rwl_buf *out, rwl_error *err);
/* Appends the fields behind the chunks, to the end. */
RWL_MUST_CHECK rwl_status rwl_parquet_meta_group_end(const rwl_parquet_group_totals *totals, rwl_buf *out,
                                                     rwl_error *err);
/* Begins FileMetaData with version, schema, rows and the header of the list of row groups. */
RWL_MUST_CHECK rwl_status rwl_parquet_meta_file(const rwl_parquet_write_schema *schema, int64_t rows,
                                                size_t group_count, rwl_buf *out, rwl_error *err);
/* Appends the fields behind the row groups, to the end. */
RWL_MUST_CHECK rwl_status rwl_parquet_meta_file_end(const char *const *keys, const char *const *values,
                                                    int32_t kv_count, int32_t leaf_count, rwl_buf *out,
                                                    rwl_error *err);

#endif
