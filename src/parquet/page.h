/* SPDX-License-Identifier: Apache-2.0 */
/* Page headers, as their Thrift structs have them. */
#ifndef RWL_PARQUET_PAGE_H
#define RWL_PARQUET_PAGE_H

#include "parquet/file.h"

/* The longest uncompressed page that is read, or written: what cannot be read back is not written. */
#define RWL_PARQUET_PAGE_MAX (INT32_MAX - 64 * 1024)

typedef enum rwl_parquet_page_type {
    RWL_PARQUET_DATA_PAGE = 0,
    RWL_PARQUET_INDEX_PAGE = 1,
    RWL_PARQUET_DICTIONARY_PAGE = 2,
    RWL_PARQUET_DATA_PAGE_V2 = 3
} rwl_parquet_page_type;

typedef struct rwl_parquet_page_header {
    int32_t type;              /* rwl_parquet_page_type; others may come: their pages are skipped */
    int32_t uncompressed_size; /* of the body, not negative; levels of v2 counted in both sizes */
    int32_t compressed_size;
    bool has_crc;
    uint32_t crc;
    int32_t value_count;                    /* not negative */
    int32_t encoding;                       /* of the values */
    int32_t definition_encoding;            /* v1 */
    int32_t repetition_encoding;            /* v1 */
    int32_t null_count;                     /* v2, -1 else */
    int32_t row_count;                      /* v2 num_rows, -1 else; some writers put 0 for flat columns */
    int32_t definition_len, repetition_len; /* v2: bytes of levels before the values */
    bool is_compressed;                     /* v2: whether the values are; true for all others */
} rwl_parquet_page_header;

/* Parses the header at the start of `bytes`; *len is its length. CORRUPT when bytes end inside it, too. */
RWL_MUST_CHECK rwl_status rwl_parquet_page_parse(rwl_span bytes, rwl_parquet_page_header *out, size_t *len,
                                                 rwl_error *err);
/* "DELTA_BINARY_PACKED"; "of an unknown number". */
const char *rwl_parquet_encoding_name(int32_t encoding);
/* "karney", of parquet.thrift's EdgeInterpolationAlgorithm; NULL for a number that is none. */
const char *rwl_parquet_edges_name(int64_t algorithm);
/* "LZ4"; "of an unknown number". */
const char *rwl_parquet_codec_name(int32_t codec);
/* The codec of a chunk; false for those we do not have. */
bool rwl_parquet_codec_of(int32_t codec, rwl_codec_id *out);
/* Whether the codec can make `to` bytes of `len`: a page that claims more is refused before memory is asked for. */
bool rwl_parquet_page_may_expand(rwl_codec_id codec, size_t len, size_t to);

#endif
