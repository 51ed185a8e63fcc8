/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One column of a file being written: takes rows, keeps the compressed pages of the current row group.
 *
 *   page body := [u32 length, definition levels (RLE, width 1)] values     levels only in optional columns
 *   values    := PLAIN | index width (u8), indexes (RLE / bit-packing hybrid)
 *
 * A chunk begins with a dictionary and falls back to PLAIN for its remaining pages as soon as the dictionary
 * is full, or a page with the entries it added would be as large as its plain values, unless new values grow
 * so much rarer within the page that they will all fit. Such a page is written PLAIN and its entries are
 * taken back. When it is the first page, the next chunks do not try again.
 */
#ifndef RWL_PARQUET_COLUMN_WRITER_H
#define RWL_PARQUET_COLUMN_WRITER_H

#include "column/batch.h"
#include "parquet/bounds.h"
#include "parquet/dense.h"
#include "parquet/dictionary_build.h"
#include "parquet/footer_write.h"

typedef struct rwl_parquet_page_limits {
    size_t page_bytes, page_rows, dictionary_bytes; /* dictionary_bytes 0: none */
} rwl_parquet_page_limits;

typedef struct rwl_parquet_column_writer {
    const rwl_env *env;
    const rwl_field *field; /* borrowed */
    rwl_parquet_shape shape;
    rwl_parquet_page_limits limits;
    rwl_codec *codec; /* borrowed; NULL: not compressed */
    rwl_parquet_dense dense;

    /* the page being filled */
    size_t rows, nulls;
    rwl_buf validity; /* a bit a row, only once a null came */
    rwl_buf page;     /* room for the levels, then PLAIN values */
    size_t headroom;
    rwl_buf indexes; /* u32, while the dictionary is in use */

    /* the chunk */
    bool in_dictionary;      /* the page being filled is dictionary-coded */
    bool dictionary_useless; /* found so in an earlier chunk */
    rwl_parquet_dictbuild dictionary;
    size_t page_plain_bytes; /* of the page's values while dictionary-coded */
    size_t page_body;        /* bytes and entries of the dictionary when the page began */
    uint32_t page_entries;
    size_t mark_values; /* values and entries at about the middle of the page; 0: not there yet */
    uint32_t mark_entries;
    rwl_buf pages, compressed;
    int64_t chunk_rows, chunk_nulls, uncompressed_size;
    int32_t plain_pages, dictionary_coded_pages;
    rwl_parquet_bounds chunk_bounds;

    /* the file */
    int64_t compressed_size, value_count, null_count, nan_count, page_count;
    rwl_parquet_bounds file_bounds;
    rwl_parquet_stat_bound stat_min, stat_max;
} rwl_parquet_column_writer;

/* UNSUPPORTED, naming the field, for a type that can't be written. `field` and `codec` must outlive the
 * writer. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_writer_init(rwl_parquet_column_writer *c, const rwl_env *env,
                                                         const rwl_field *field,
                                                         const rwl_parquet_page_limits *limits,
                                                         rwl_codec *codec, rwl_error *err);
void rwl_parquet_column_writer_clear(rwl_parquet_column_writer *c);
/* Takes rows [first, first + rows) of `column`. INTERNAL, naming the field: a null in a required field, or a
 * decimal wider than its precision. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_writer_add(rwl_parquet_column_writer *c,
                                                        const rwl_column *column, int64_t first, int64_t rows,
                                                        rwl_error *err);
/* Bytes the chunk would have if it ended now; what is not yet compressed counts by the ratio so far. */
int64_t rwl_parquet_column_writer_estimate(const rwl_parquet_column_writer *c);
/* Memory held by its buffers. */
int64_t rwl_parquet_column_writer_memory(const rwl_parquet_column_writer *c);
/* Ends the chunk: writes it at *offset, which moves on, and describes it in `chunk`; statistics go to
 * `arena`. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_writer_flush(rwl_parquet_column_writer *c, rwl_new_file *file,
                                                          int64_t *offset, rwl_arena *arena,
                                                          rwl_parquet_written_chunk *chunk, rwl_error *err);

#endif
