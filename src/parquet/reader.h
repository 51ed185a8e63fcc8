/* SPDX-License-Identifier: Apache-2.0 */
/* Reading columns of a Parquet file as batches, from any row position, in file order. */
#ifndef RWL_PARQUET_READER_H
#define RWL_PARQUET_READER_H

#include "column/batch.h"
#include "parquet/file.h"

typedef struct rwl_parquet_reader rwl_parquet_reader;

typedef struct rwl_parquet_read_options {
    const int32_t *leaves; /* indexes into file->leaves, in output order */
    int32_t leaf_count;    /* 0: batches of rows without columns */
    int64_t first_row;     /* physical position to start at */
    int64_t row_count;     /* how many, -1 for all to the end */
    const bool
        *skip_groups;   /* group_count flags: groups pruned away; NULL for none. Positions stay physical. */
    int64_t batch_rows; /* 0: RWL_BATCH_ROWS */
    size_t
        batch_bytes; /* 0: 64 MiB; a variable-length or FIXED column ends a batch before its bytes pass this */
    bool skip_page_crc;
} rwl_parquet_read_options;

/* Nested, unsupported and encrypted columns are refused by name (UNSUPPORTED) here. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_new(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                                                 const rwl_parquet_read_options *options,
                                                 rwl_parquet_reader **out, rwl_error *err);
void rwl_parquet_reader_free(rwl_parquet_reader *r); /* NULL is fine */
/* Sets `batch` (made with the leaves' fields) to the next rows and *first_pos to the physical position of its
 * first row; rows of a batch are contiguous and of one row group. length 0 at the end. Errors name row group and
 * column; after one the reader can only be freed. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_next(rwl_parquet_reader *r, rwl_batch *batch, int64_t *first_pos,
                                                  rwl_error *err);

typedef struct rwl_parquet_read_stats {
    int64_t groups_read, groups_skipped, pages_read, pages_skipped, bytes_read, requests;
} rwl_parquet_read_stats;
rwl_parquet_read_stats rwl_parquet_reader_stats(const rwl_parquet_reader *r);

#endif
