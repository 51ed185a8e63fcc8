/* SPDX-License-Identifier: Apache-2.0 */
/* What a written file says about itself: page headers and the footer (parquet.thrift, PageHeader,
 * FileMetaData). */
#ifndef RWL_PARQUET_FOOTER_WRITE_H
#define RWL_PARQUET_FOOTER_WRITE_H

#include "parquet/shape.h"

typedef struct rwl_parquet_written_page {
    bool is_dictionary;
    int32_t uncompressed_size, compressed_size; /* of the body */
    uint32_t crc;                               /* of the compressed body */
    int32_t value_count;                        /* rows of a data page, entries of a dictionary page */
    rwl_parquet_encoding encoding;
} rwl_parquet_written_page;
/* Appends a page header (data page version 1). */
RWL_MUST_CHECK rwl_status rwl_parquet_page_header_write(const rwl_parquet_written_page *h, rwl_buf *out,
                                                        rwl_error *err);

/* A column chunk that was written. */
typedef struct rwl_parquet_written_chunk {
    int64_t value_count, null_count;
    int64_t data_offset, dictionary_offset;     /* 0: no dictionary page */
    int64_t compressed_size, uncompressed_size; /* with page headers */
    int32_t plain_pages, dictionary_coded_pages;
    bool has_min, has_max, min_exact, max_exact;
    rwl_span min, max;
} rwl_parquet_written_chunk;

typedef struct rwl_parquet_written_group {
    int64_t row_count, file_offset;
    const rwl_parquet_written_chunk *chunks; /* one a column */
} rwl_parquet_written_group;

typedef struct rwl_parquet_footer {
    const rwl_field *const *fields; /* the stored columns */
    const rwl_parquet_shape *shapes;
    int32_t column_count;
    rwl_codec_id codec;
    const rwl_parquet_written_group *groups;
    size_t group_count;
    const char *const *kv_keys, *const *kv_values;
    int32_t kv_count;
} rwl_parquet_footer;
/* Appends FileMetaData, without the length and magic after it. */
RWL_MUST_CHECK rwl_status rwl_parquet_footer_write(const rwl_parquet_footer *f, rwl_buf *out, rwl_error *err);

#endif
