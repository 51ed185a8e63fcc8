/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One leaf of a file being written: takes rows of its top-level column, gives the pages of the current row group to its
 * chunk.
 *
 *   page values := PLAIN, one of the encodings of delta_encode.h, RLE of booleans (after its u32 length)
 *                | index width (u8), indexes (RLE / bit-packing hybrid)
 *
 * A chunk begins with a dictionary and falls back for its remaining pages as soon as the dictionary is full, or a page
 * with the entries it added would be as large as its plain values, unless new values grow so much rarer within the page
 * that they will all fit. Such a page is written without the dictionary and its entries are taken back. When it is the
 * first page with values, the next chunks do not try again; pages of nulls before it have an empty dictionary.
 *
 * Where the options prefer more than PLAIN and there is a choice, the first page of a chunk behind the dictionary is
 * encoded and compressed in each way, and the smallest is that of the chunk.
 *
 * A page begins at a row and has whole rows.
 */
#ifndef RWL_PARQUET_COLUMN_WRITER_H
#define RWL_PARQUET_COLUMN_WRITER_H

#include "parquet/bloom_collect.h"
#include "parquet/bounds.h"
#include "parquet/column_settings.h"
#include "parquet/dense.h"
#include "parquet/dictionary_build.h"
#include "parquet/page_out.h"
#include "parquet/shred.h"

typedef struct rwl_parquet_column_writer {
    const rwl_env *env;
    const rwl_parquet_write_leaf *leaf; /* borrowed */
    rwl_parquet_column_settings settings;
    rwl_parquet_shape shape;
    rwl_parquet_page_out out;
    bool is_flat; /* the top-level field is the leaf: rows are values or null */
    rwl_parquet_shred shred;
    rwl_buf costs; /* u64, rows of `shred` + 1: plain bytes and entries before each row */
    rwl_parquet_dense dense;

    /* the page being filled */
    size_t rows, entries, values;
    rwl_buf validity;                 /* flat: a bit a row, only once a null came */
    rwl_buf definitions, repetitions; /* nested: a byte an entry */
    rwl_buf page;                     /* headroom, then PLAIN values */
    rwl_buf encoded, scratch;         /* the same in another encoding */
    rwl_buf indexes;                  /* u32, while the dictionary is in use */
    int64_t value_bytes;              /* BYTE_ARRAY: lengths of the values */
    int64_t page_nan_count;
    rwl_parquet_bounds page_bounds;

    /* the chunk */
    bool in_dictionary;      /* the page being filled is dictionary-coded */
    bool dictionary_useless; /* found so in an earlier chunk */
    bool has_encoding;       /* `encoding` is chosen */
    rwl_parquet_encoding encoding;
    rwl_parquet_dictbuild dictionary;
    size_t page_plain_bytes; /* of the page's values while dictionary-coded */
    size_t page_body;        /* bytes and entries of the dictionary when the page began */
    uint32_t page_entries;
    size_t mark_values; /* values and entries at about the middle of the page; 0: not there yet */
    uint32_t mark_entries;
    int32_t dictionary_coded_pages;
    rwl_parquet_bloom_collect bloom;

    /* the file */
    int64_t entry_count, null_count, nan_count;
    rwl_parquet_bounds file_bounds;
    rwl_parquet_stat_bound stat_min, stat_max;
} rwl_parquet_column_writer;

/* For leaf `leaf` of the schema; schema and chunk must outlive the writer. To be cleared also after a failure. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_writer_init(rwl_parquet_column_writer *c, const rwl_env *env,
                                                         const rwl_parquet_write_schema *schema, int32_t leaf,
                                                         const rwl_parquet_column_settings *settings,
                                                         rwl_parquet_chunk_write *chunk, rwl_error *err);
void rwl_parquet_column_writer_clear(rwl_parquet_column_writer *c);
/* Contexts to compress with, from now on; to be set before rows are added and before a flush. */
void rwl_parquet_column_writer_lend(rwl_parquet_column_writer *c, rwl_parquet_codecs *codecs);
/* Takes rows [first, first + rows) of the top-level column. INTERNAL, naming the field: a null in a required field, or
 * a decimal wider than its precision. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_writer_add(rwl_parquet_column_writer *c,
                                                        const rwl_column *column, int64_t first, int64_t rows,
                                                        rwl_error *err);
/* Bytes the chunk would have if it ended now; what is not yet compressed counts by the ratio so far. */
int64_t rwl_parquet_column_writer_estimate(const rwl_parquet_column_writer *c);
/* Memory held by its buffers, the chunk's not counted. */
int64_t rwl_parquet_column_writer_memory(const rwl_parquet_column_writer *c);
/* Ends the chunk: all its pages, and its bloom filter, are in the rwl_parquet_chunk_write now. The next rows begin
 * another chunk in the same one, which is to be emptied until then. */
RWL_MUST_CHECK rwl_status rwl_parquet_column_writer_flush(rwl_parquet_column_writer *c, rwl_error *err);
/* What the file's metrics say of the leaf; bytes of the bounds are borrowed. */
void rwl_parquet_column_writer_metrics(const rwl_parquet_column_writer *c, rwl_parquet_column_metrics *out);

#endif
