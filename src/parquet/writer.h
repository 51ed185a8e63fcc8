/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a Parquet file from batches: dictionary with fallback, pages, statistics, row groups by size. */
#ifndef RWL_PARQUET_WRITER_H
#define RWL_PARQUET_WRITER_H

#include "column/batch.h"
#include "parquet/file.h"

typedef struct rwl_parquet_writer rwl_parquet_writer;

/* How values of a column are stored once its dictionary is given up (or never used). */
typedef enum rwl_parquet_preference {
    RWL_PARQUET_PREFER_PLAIN,
    RWL_PARQUET_PREFER_DELTA, /* DELTA_BINARY_PACKED for integers where it is smaller, DELTA_LENGTH_BYTE_ARRAY or
                               * DELTA_BYTE_ARRAY for byte arrays, whichever is smaller, BYTE_STREAM_SPLIT for floats */
    RWL_PARQUET_PREFER_SPLIT /* BYTE_STREAM_SPLIT for all types it allows */
} rwl_parquet_preference;

/* Options of one column, by the dotted path of its leaf ("a", "list.list.element", "m.key_value.value"). */
typedef struct rwl_parquet_column_options {
    const char *path;
    bool bloom;
    double bloom_fpp;       /* 0: 0.01 */
    int64_t bloom_distinct; /* 0: sized by what comes, up to the limit */
    int dictionary;         /* 0: by the file's options, 1: yes, -1: none */
    bool without_stats;     /* no bounds in the file's statistics and page index */
    bool force_encoding;
    rwl_parquet_encoding
        encoding; /* when forced: PLAIN, DELTA_…, BYTE_STREAM_SPLIT (RLE for booleans); no dictionary */
} rwl_parquet_column_options;

typedef struct rwl_parquet_write_options {
    rwl_codec_id codec;                            /* all but DEFLATE and LZ4_HADOOP */
    int level;                                     /* 0: the codec's default */
    int64_t row_group_bytes;                       /* 0: 128 MB */
    int64_t row_group_rows;                        /* 0: no limit */
    int64_t page_bytes;                            /* 0: 1 MB */
    int64_t page_rows;                             /* 0: 20000 */
    int64_t dictionary_bytes;                      /* 0: 2 MB; -1: no dictionaries */
    const char *const *kv_keys, *const *kv_values; /* file metadata, e.g. iceberg.schema */
    int32_t kv_count;
    rwl_parquet_preference prefer;
    bool page_v2;
    bool without_crc, without_index;
    int64_t bloom_max_bytes; /* of one filter; 0: 1 MB */
    const rwl_parquet_column_options *columns;
    int32_t column_count;
    const rwl_parquet_sorting *sorting; /* the rows come so sorted: leaf is an index of the written leaves */
    int32_t sorting_count;
    struct rwl_pool
        *pool; /* encodes columns side by side; NULL: one after another. The bytes are the same. */
} rwl_parquet_write_options;

/* What a leaf column of a finished file holds: the raw material of Iceberg's metrics. */
typedef struct rwl_parquet_column_metrics {
    int64_t column_size;             /* compressed bytes with headers, all row groups */
    int32_t field_id;                /* of the primitive field; -1 without */
    bool is_repeated;                /* inside a list or map: Iceberg keeps no bounds of it */
    int64_t value_count, null_count; /* null_count -1 unknown */
    int64_t nan_count;               /* -1 for types without NaN, or unknown */
    bool has_bounds;                 /* a non-null, non-NaN value was seen */
    bool is_exact;                   /* else the bounds may be wider than the values, or cut */
    rwl_value lower, upper;          /* bytes owned by the metrics. Zero: lower -0.0, upper +0.0 */
} rwl_parquet_column_metrics;

typedef struct rwl_parquet_written {
    rwl_arena arena;
    int64_t row_count, file_size;
    int64_t page_count; /* data pages, all columns */
    rwl_parquet_column_metrics
        *columns; /* flat fields: one a field, in order; then one a leaf of nested fields */
    int32_t column_count;
    int64_t *split_offsets; /* one a row group */
    int32_t split_count;
} rwl_parquet_written;
void rwl_parquet_written_clear(rwl_parquet_written *written);

/* Fields with ids, nested too; `required` decides the repetition. Copies what it needs. UNKNOWN-typed fields are not
 * stored (their columns in batches are ignored). */
RWL_MUST_CHECK rwl_status rwl_parquet_writer_open(rwl_store *store, rwl_op *op, const char *location,
                                                  const rwl_field *fields, int32_t field_count,
                                                  const rwl_parquet_write_options *options,
                                                  rwl_parquet_writer **out, rwl_error *err);
/* Appends the rows of `batch`, whose columns are the fields in order. A null in a required field is
 * INTERNAL naming it. */
RWL_MUST_CHECK rwl_status rwl_parquet_writer_write(rwl_parquet_writer *w, const rwl_batch *batch,
                                                   rwl_error *err);
/* Size the file would have if finished now: flushed bytes plus an estimate of the buffered ones. */
int64_t rwl_parquet_writer_size(const rwl_parquet_writer *w);
/* Memory held for rows that are not in the file yet. */
int64_t rwl_parquet_writer_memory(const rwl_parquet_writer *w);
/* Writes the footer, makes the file visible, fills `written`; frees the writer whatever the result. */
RWL_MUST_CHECK rwl_status rwl_parquet_writer_finish(rwl_parquet_writer *w, rwl_parquet_written *written,
                                                    rwl_error *err);
void rwl_parquet_writer_abort(rwl_parquet_writer *w); /* NULL is fine */

#endif
