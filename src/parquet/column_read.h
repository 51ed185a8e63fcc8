/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One projected column of one row group, page by page, decoded into an Arrow column.
 *
 * Pages of a flat column (parquet-format, README "Data Pages", and parquet.thrift):
 *   v1  levels? values, compressed together; levels := len(u32 LE) hybrid of width 1, for optional columns
 *   v2  levels (never compressed, length in the header) then values, compressed or not
 * A dictionary page can only come first. Values a level calls null are not stored.
 */
#ifndef RWL_PARQUET_COLUMN_READ_H
#define RWL_PARQUET_COLUMN_READ_H

#include "parquet/fetch.h"
#include "parquet/page.h"
#include "parquet/values.h"

/* What all columns of a reader share. */
typedef struct rwl_parquet_shared {
    rwl_op *op;
    rwl_codec *codecs[RWL_CODEC_COUNT]; /* by rwl_codec_id, made when first needed */
    bool skip_page_crc;
    size_t batch_bytes; /* a variable-length column ends a batch before it passes this */
    int64_t pages_read, pages_skipped;
} rwl_parquet_shared;

typedef struct rwl_parquet_column {
    rwl_parquet_shared *shared;
    const rwl_parquet_leaf *leaf;
    rwl_parquet_layout layout;
    /* the chunk */
    rwl_parquet_feed *feed;
    int32_t codec;
    int64_t rows_left; /* of the chunk, in pages not yet begun */
    bool seen_page;
    rwl_parquet_dictionary dictionary;
    /* the page */
    int64_t page_left; /* rows not yet decoded */
    bool has_levels;   /* else all are valid */
    rwl_rle levels;
    rwl_parquet_values values;
    uint8_t *scratch; /* decompressed page */
    size_t scratch_cap;
} rwl_parquet_column;

/* Starts on a chunk of `rows` rows. UNSUPPORTED, naming column and codec, for codecs we do not have. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_start(rwl_parquet_column *c, rwl_parquet_feed *feed,
                                                   const rwl_parquet_chunk *chunk, int64_t rows,
                                                   rwl_error *err);
void rwl_parquet_column_clear(rwl_parquet_column *c);
RWL_MUST_CHECK rwl_status rwl_parquet_column_skip(rwl_parquet_column *c, int64_t rows, rwl_error *err);
/* Appends up to `rows` rows to `out`: fewer, but at least one, only when its bytes reach the batch's limit. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_read(rwl_parquet_column *c, rwl_column *out, int64_t rows,
                                                  rwl_error *err);

#endif
