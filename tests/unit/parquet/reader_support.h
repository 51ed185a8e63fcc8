/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the reader's tests: stores, reading whole columns, Parquet files built page by page. */
#ifndef RWL_TESTS_PARQUET_READER_SUPPORT_H
#define RWL_TESTS_PARQUET_READER_SUPPORT_H

#include "parquet/reader.h"
#include "wire/thrift.h"

#include <check.h>

/* What a test needs: an environment, an operation, a store. */
typedef struct bench {
    rwl_env env;
    rwl_op op;
    rwl_store *store;
    rwl_error err;
} bench;

void bench_local(bench *b);                 /* the local file system */
void bench_memory(bench *b, rwl_span file); /* one file in memory */
void bench_free(bench *b);                  /* and checks that the budget is all given back */

/* ck_assert with the error's message. */
#define ck_ok(b, expr)                                                                                       \
    do {                                                                                                     \
        rwl_status ok_status_ = (expr);                                                                      \
        ck_assert_msg(ok_status_ == RWL_OK, "%s: status %d: %s", #expr, ok_status_, (b)->err.message);       \
    } while (0)

/* Reads rows of `leaves` with these options into one batch, appended; the positions are checked to be
 * contiguous from options->first_row when no groups are skipped. */
rwl_status read_rows(bench *b, rwl_parquet_file *file, const rwl_parquet_read_options *options,
                     rwl_batch *all, rwl_parquet_read_stats *stats);
/* All rows of one leaf. */
rwl_status read_leaf(bench *b, rwl_parquet_file *file, int32_t leaf, int64_t batch_rows, rwl_column *out);

/* --- building files --- */

typedef struct page_spec {
    int32_t type; /* of parquet/page.h */
    int32_t encoding;
    int32_t value_count;
    int32_t null_count;     /* v2 */
    rwl_span levels;        /* the hybrid bytes; data NULL: none */
    rwl_span values;        /* PLAIN bytes, or index width and hybrid */
    int32_t level_encoding; /* v1; 0 means RLE */
    bool with_crc, wrong_crc;
    int32_t lie_uncompressed; /* 0: the truth */
    bool plain_v2;            /* v2: is_compressed false */
} page_spec;

typedef struct column_spec {
    const char *name;
    int32_t id; /* field id, -1: none */
    rwl_parquet_physical physical;
    int32_t type_length;
    int32_t converted; /* -1: none */
    int32_t scale, precision;
    bool optional;
    int32_t codec;          /* parquet.thrift's; the builder compresses */
    const page_spec *pages; /* of all groups, one after the other */
    const int32_t *pages_in_group;
    int32_t lie_codec; /* > 0: what the footer says instead */
} column_spec;

typedef struct file_spec {
    const column_spec *columns;
    int32_t column_count;
    const int64_t *group_rows;
    int32_t group_count;
    bool no_dictionary_offset; /* leave dictionary_page_offset out */
    int64_t lie_rows;          /* added to num_rows of the file */
    int64_t lie_values;        /* added to num_values of each chunk */
    int64_t lie_offset;        /* added to the data page offset of each chunk */
} file_spec;

/* The bytes of the file; cleared by the caller. */
void build_file(bench *b, const file_spec *spec, rwl_buf *out);

#endif
