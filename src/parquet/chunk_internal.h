/* SPDX-License-Identifier: Apache-2.0 */
/* What a chunk being put together holds, for those who write it: output.c, meta_write.c, index_write.c. */
#ifndef RWL_PARQUET_CHUNK_INTERNAL_H
#define RWL_PARQUET_CHUNK_INTERNAL_H

#include "base/vec.h"
#include "parquet/chunk_write.h"
#include "parquet/stat_merge.h"

enum { RWL_PARQUET_ENCODINGS = RWL_PARQUET_BYTE_STREAM_SPLIT + 1 };

/* A data page of the chunk. */
typedef struct rwl_parquet_chunk_entry {
    int64_t off;                               /* of its header in the data pages */
    int64_t first_row;                         /* in the row group */
    int64_t null_count, unencoded_bytes;       /* -1 unknown */
    int64_t nan_count;                         /* -1 unknown or no float */
    size_t min_off, max_off, min_len, max_len; /* in `bounds` */
    int32_t len;                               /* header and body */
    bool is_null;                              /* nothing but nulls */
    bool has_bounds;                           /* both */
} rwl_parquet_chunk_entry;

/* Statistics of copied chunks may be known of many pages at once only: `open_` fields hold what is not settled yet. */
struct rwl_parquet_chunk_write {
    const rwl_env *env;
    const rwl_parquet_write_leaf *leaf;
    rwl_codec_id codec;

    rwl_buf dictionary; /* its page with header, empty without */
    int64_t dictionary_len;
    int64_t written_off; /* where its pages are in the file, when they are not held any more; 0: they are */
    /* Headers and bodies of the data pages lie in the first `block_count` blocks, then in `pages`: nothing is moved as
     * they grow. Further blocks are spare ones of row groups before. */
    RWL_VEC(rwl_buf) blocks;
    size_t block_count;
    int64_t blocks_len; /* bytes in them */
    rwl_buf pages;
    int64_t uncompressed; /* both, with the bodies uncompressed */
    int64_t value_count, rows;
    int32_t page_type; /* of the data pages; -1 before the first */
    int32_t page_counts[RWL_PARQUET_ENCODINGS];
    uint32_t level_encodings; /* bits by rwl_parquet_encoding */
    bool left_dictionary;

    RWL_VEC(rwl_parquet_chunk_entry) entries;
    rwl_buf bounds;
    RWL_VEC(int64_t) histograms; /* of each page: repetition counts, then definition counts */
    bool without_histograms;     /* a page did not know them */

    rwl_parquet_stat_sum stats;
    bool open_unknown[2]; /* pages since the last chunk_stats without a known min, max */
    int64_t nulls;        /* of pages before the last chunk_stats */
    bool nulls_unknown;
    int64_t open_nulls; /* of pages since */
    bool open_nulls_unknown;
    int64_t unencoded_bytes; /* -1 once unknown */
    int64_t nan_count;       /* the same; of a leaf that is no float it says nothing */

    rwl_parquet_bloom bloom; /* blocks NULL: none */
};

/* Counts of a page in `histograms`: repetition levels, definition levels; 0 for a level that is always 0. */
static inline size_t rwl_parquet_chunk_repetitions(const rwl_parquet_chunk_write *c) {
    return c->leaf->max_repetition > 0 ? (size_t)c->leaf->max_repetition + 1 : 0;
}
static inline size_t rwl_parquet_chunk_definitions(const rwl_parquet_chunk_write *c) {
    return c->leaf->max_definition > 1 ? (size_t)c->leaf->max_definition + 1
                                       : 0; /* of 1: the null count says it */
}
static inline bool rwl_parquet_chunk_has_histograms(const rwl_parquet_chunk_write *c) {
    return !c->without_histograms && rwl_parquet_chunk_repetitions(c) + rwl_parquet_chunk_definitions(c) > 0;
}
/* Nulls of the chunk, -1 unknown. */
int64_t rwl_parquet_chunk_nulls(const rwl_parquet_chunk_write *c);
/* What remains unknown after the last chunk_stats becomes unknown in `stats`: no page comes after it. */
void rwl_parquet_chunk_settle(rwl_parquet_chunk_write *c);
/* Empties it for the next row group, keeping its buffers. */
void rwl_parquet_chunk_reset(rwl_parquet_chunk_write *c);

#endif
