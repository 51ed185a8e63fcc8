/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One leaf of one row group, page by page; a flat column decoded into an Arrow column.
 *
 * Data pages (parquet-format, README "Data Pages", and parquet.thrift):
 *   v1  repetition levels? definition levels? values, compressed together; levels := len(u32 LE) hybrid, or bits packed
 *       without a length (deprecated)
 *   v2  the same levels, never compressed, their lengths in the header; values, compressed or not. Begins a row
 * Levels are as wide as their maximum needs and left out where it is 0. A dictionary page can only come first. Values
 * that a level calls null are not stored. An entry is a pair of levels; in a flat column, a row.
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

struct rwl_parquet_offset_index;

/* Set by its owner before start, all else zero: shared, leaf, layout, carries. */
typedef struct rwl_parquet_column {
    rwl_parquet_shared *shared;
    const rwl_parquet_leaf *leaf;
    rwl_parquet_layout layout;
    bool carries; /* rwl_parquet_values_carry of the file's writer */
    /* the chunk */
    rwl_parquet_feed *feed;
    int32_t codec;
    int64_t entries_left; /* in pages not yet begun; -1 once pages were passed by the index alone */
    int64_t group_rows;
    int64_t row; /* rows begun before the next page; of repeated leaves the owner counts them */
    bool seen_page;
    rwl_parquet_dictionary dictionary;
    const struct rwl_parquet_offset_index *index; /* borrowed; NULL: none */
    int32_t page_no;                              /* data pages passed, as the index counts them */
    /* the page */
    int64_t page_left;    /* entries not yet decoded */
    int64_t page_rows;    /* -1 when not known without looking at the levels */
    bool page_is_aligned; /* it begins and ends with a row: v2, or in the offset index */
    bool has_levels;      /* else all are valid */
    bool has_repetition;
    rwl_rle levels, repetition;
    rwl_parquet_values values;
    uint8_t *scratch; /* decompressed page */
    size_t scratch_cap;
    uint8_t *packed; /* levels in BIT_PACKED made readable */
    size_t packed_cap;
    size_t last_bytes; /* of variable-length values, in the batch before */
} rwl_parquet_column;

/* Starts on a chunk of `rows` rows, without an index. UNSUPPORTED, naming the column, for encrypted ones and codecs we
 * do not have. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_start(rwl_parquet_column *c, rwl_parquet_feed *feed,
                                                   const rwl_parquet_chunk *chunk, int64_t rows,
                                                   rwl_error *err);
void rwl_parquet_column_clear(rwl_parquet_column *c);
/* --- of flat columns --- */

RWL_MUST_CHECK rwl_status rwl_parquet_column_skip(rwl_parquet_column *c, int64_t rows, rwl_error *err);
/* Appends up to `rows` rows to `out`: fewer, but at least one, only when its bytes reach the batch's limit. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_read(rwl_parquet_column *c, rwl_column *out, int64_t rows,
                                                  rwl_error *err);

#endif
