/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of one column leaving the encoder: levels put in front of the values, compressed, given to the chunk.
 *
 *   v1 body := [u32 length, repetition levels] [u32 length, definition levels] values        compressed as one
 *   v2 body := [repetition levels] [definition levels] values                                only the values compressed
 *
 * Levels are RLE hybrids of the width of the leaf's greatest level; there are none where that is 0.
 *
 * Effort follows gain: every 64th page is compressed at the level asked for and at some faster ones, and stored at its
 * smallest. The fastest that is at most 1 % larger than that compresses the pages up to the next trial. Pages of
 * indexes and of values are tried apart.
 */
#ifndef RWL_PARQUET_PAGE_OUT_H
#define RWL_PARQUET_PAGE_OUT_H

#include "parquet/chunk_write.h"
#include "parquet/codec_pool.h"

typedef struct rwl_parquet_page_levels {
    size_t entries, rows, nulls; /* nulls: entries below the greatest definition level */
    const uint8_t *validity;     /* flat: a bit an entry, with RWL_PARQUET_SLACK readable bytes behind;
                                               * not looked at without nulls */
    const uint8_t *definitions, *repetitions; /* else: a byte an entry */
} rwl_parquet_page_levels;

typedef struct rwl_parquet_page_out {
    const rwl_env *env;
    const rwl_parquet_write_leaf *leaf;
    rwl_parquet_chunk_write *chunk;
    rwl_parquet_codecs *codecs; /* lent by the task that runs; set before pages are written */
    bool is_flat, v2, with_crc;
    size_t headroom; /* bytes left free before the values, where levels will go */
    rwl_buf levels, wide, body, stored, trial;
    int64_t *definition_counts, *repetition_counts; /* NULL for flat leaves */
    int64_t body_bytes, stored_bytes;               /* of all pages so far */
    struct {
        int level;     /* index in the codecs' efforts */
        int countdown; /* pages to the next trial */
    } effort[2];       /* of values, of indexes */
} rwl_parquet_page_out;

/* `leaf` and `chunk` are borrowed; pages have at most `page_rows` rows. `is_flat`: the leaf's levels are at most 1, and
 * come as validity bits. To be cleared also after a
 * failure. */
RWL_MUST_CHECK rwl_status rwl_parquet_page_out_init(rwl_parquet_page_out *p, const rwl_env *env,
                                                    const rwl_parquet_write_leaf *leaf,
                                                    rwl_parquet_chunk_write *chunk, bool is_flat,
                                                    size_t page_rows, bool v2, bool with_crc, rwl_error *err);
void rwl_parquet_page_out_clear(rwl_parquet_page_out *p);
/* Writes a data page whose values are `values` from its headroom on. The bytes before are overwritten. Of `facts` the
 * caller has set the bounds, unencoded_bytes and nan_count. UNSUPPORTED, naming the column, for a page too large. */
RWL_MUST_CHECK rwl_status rwl_parquet_page_out_data(rwl_parquet_page_out *p,
                                                    const rwl_parquet_page_levels *levels, rwl_buf *values,
                                                    rwl_parquet_encoding encoding,
                                                    rwl_parquet_page_facts *facts, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_page_out_dictionary(rwl_parquet_page_out *p, rwl_span body,
                                                          uint32_t count, rwl_error *err);
/* Compressed size of `values`, to compare encodings. */
RWL_MUST_CHECK rwl_status rwl_parquet_page_out_try(rwl_parquet_page_out *p, rwl_span values, size_t *len,
                                                   rwl_error *err);
int64_t rwl_parquet_page_out_memory(const rwl_parquet_page_out *p);

#endif
