/* SPDX-License-Identifier: Apache-2.0 */
/* Reading columns of a Parquet file as batches, from any row position, in file order. */
#ifndef RWL_PARQUET_READER_H
#define RWL_PARQUET_READER_H

#include "column/batch.h"
#include "parquet/file.h"

typedef struct rwl_parquet_reader rwl_parquet_reader;

typedef struct rwl_parquet_read_options {
    const int32_t *nodes; /* top-level fields, indexes in file->nodes, in output order */
    int32_t node_count;   /* 0: batches of rows without columns */
    const bool *wanted;   /* a flag a leaf of the file: those of nested fields to read; NULL: all */
    int64_t first_row;    /* physical position to start at */
    int64_t row_count;    /* how many, -1 for all to the end */
    /* Only rows in these ranges (physical, ascending, disjoint), NULL: all. Pages without such rows are not read where
     * the file has an offset index. */
    const rwl_range *ranges;
    size_t range_count;
    int64_t batch_rows; /* 0: RWL_BATCH_ROWS */
    size_t batch_bytes; /* 0: 64 MiB; a column ends a batch before its bytes pass this, a single row may */
    bool skip_page_crc;
    struct rwl_pool *pool; /* decodes the columns of a batch side by side; NULL: one after another */
} rwl_parquet_read_options;

/* Columns without Iceberg type and encrypted ones are refused by name (UNSUPPORTED) here. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_new(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                                                 const rwl_parquet_read_options *options,
                                                 rwl_parquet_reader **out, rwl_error *err);
void rwl_parquet_reader_free(rwl_parquet_reader *r); /* NULL is fine */
/* The fields of its batches: the nodes' fields, cut down to the wanted leaves. Owned by the reader. */
const rwl_field *rwl_parquet_reader_fields(const rwl_parquet_reader *r, int32_t *count);
/* Sets `batch` (made with these fields) to the next rows and *first_pos to the physical position of its first row;
 * rows of a batch are contiguous and of one row group. length 0 at the end. Errors name row group and column; after
 * one the reader can only be freed. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_next(rwl_parquet_reader *r, rwl_batch *batch, int64_t *first_pos,
                                                  rwl_error *err);
/* Sets `batch` to rows of `ranges` (physical, ascending, disjoint, at or behind where the reader stands, all of one
 * row group): all of them or, where a column's bytes reach the batch's limit, the first batch->length. What lies
 * between is skipped, by pages where the file has an offset index. Not to be mixed with next. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_take(rwl_parquet_reader *r, const rwl_range *ranges,
                                                  size_t count, rwl_batch *batch, rwl_error *err);

typedef struct rwl_parquet_read_stats {
    int64_t groups_read, groups_skipped, pages_read, pages_skipped, bytes_read, requests;
} rwl_parquet_read_stats;
rwl_parquet_read_stats rwl_parquet_reader_stats(const rwl_parquet_reader *r);

#endif
