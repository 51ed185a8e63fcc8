/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column chunk being put together from finished pages, encoded here or copied from another file: counts them by
 * encoding, keeps their places and bounds for the page index, sums the chunk's statistics.
 *
 * At most one dictionary page, first; no dictionary-coded page after one that is not; one version of data pages.
 * Breaking these is INTERNAL.
 */
#ifndef RWL_PARQUET_CHUNK_WRITE_H
#define RWL_PARQUET_CHUNK_WRITE_H

#include "parquet/bloom.h"
#include "parquet/bounds.h"
#include "parquet/page.h"
#include "parquet/write_schema.h"

/* What is known of a data page beside its header. */
typedef struct rwl_parquet_page_facts {
    int64_t row_count;  /* rows that begin in it */
    int64_t null_count; /* level entries below the leaf's max_definition, -1 unknown */
    const rwl_parquet_stat_bound *min,
        *max;                /* NULL: unknown; not present: no value that is not null or NaN */
    int64_t unencoded_bytes; /* BYTE_ARRAY: lengths of its values; -1 unknown or another type */
    bool has_nan_count;      /* FLOAT, DOUBLE: nan_count is known */
    int64_t nan_count;
    const int64_t *definitions, *repetitions; /* histograms, max + 1 counts each; NULL unknown */
} rwl_parquet_page_facts;

typedef struct rwl_parquet_chunk_write rwl_parquet_chunk_write;

/* `leaf` must outlive it. `codec` only names the compression: pages come compressed. */
RWL_MUST_CHECK rwl_status rwl_parquet_chunk_new(const rwl_env *env, const rwl_parquet_write_leaf *leaf,
                                                rwl_codec_id codec, rwl_parquet_chunk_write **out,
                                                rwl_error *err);
void rwl_parquet_chunk_free(rwl_parquet_chunk_write *c); /* NULL is fine */
/* The dictionary page: `header->type` DICTIONARY_PAGE, once a chunk. It stands first in the chunk whenever it is given:
 * an encoder knows it only when its dictionary-coded pages are done, so it comes after them (or before), any time before
 * the group is written. Writes the header anew from its fields; has_crc says whether a CRC. */
RWL_MUST_CHECK rwl_status rwl_parquet_chunk_dictionary(rwl_parquet_chunk_write *c,
                                                       const rwl_parquet_page_header *header, rwl_span body,
                                                       rwl_error *err);
/* A data page in which at least one row begins, `body` as stored (header->compressed_size bytes). Bounds longer than
 * statistics keep are cut; those of a leaf without an order are not taken. After a failure it can only be freed. */
RWL_MUST_CHECK rwl_status rwl_parquet_chunk_page(rwl_parquet_chunk_write *c,
                                                 const rwl_parquet_page_header *header, rwl_span body,
                                                 const rwl_parquet_page_facts *facts, rwl_error *err);
/* Gives the chunk its bloom filter, which is taken (allocated from env). */
void rwl_parquet_chunk_take_bloom(rwl_parquet_chunk_write *c, rwl_parquet_bloom bloom);
/* Statistics known of the pages since the last call as a whole (copied chunks without a column index): stands for what
 * those pages did not know, merged into what they knew; inexact unless the flags say so. min or max without data, a
 * null_count of -1: unknown. */
RWL_MUST_CHECK rwl_status rwl_parquet_chunk_stats(rwl_parquet_chunk_write *c, const rwl_parquet_stats *stats,
                                                  rwl_error *err);
/* Hands the memory of a chunk whose pages are written (rwl_parquet_output_pages) to the next one to be filled. */
void rwl_parquet_chunk_pass_on(rwl_parquet_chunk_write *from, rwl_parquet_chunk_write *to);
int64_t rwl_parquet_chunk_bytes(const rwl_parquet_chunk_write *c);  /* headers and bodies so far */
int64_t rwl_parquet_chunk_memory(const rwl_parquet_chunk_write *c); /* held by its buffers */
int64_t rwl_parquet_chunk_rows(const rwl_parquet_chunk_write *c);
int32_t rwl_parquet_chunk_pages(const rwl_parquet_chunk_write *c);
bool rwl_parquet_chunk_left_dictionary(
    const rwl_parquet_chunk_write *c); /* a page that is not dictionary-coded came */

#endif
