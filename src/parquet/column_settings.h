/* SPDX-License-Identifier: Apache-2.0 */
/* What the options of a file mean for one of its leaves. */
#ifndef RWL_PARQUET_COLUMN_SETTINGS_H
#define RWL_PARQUET_COLUMN_SETTINGS_H

#include "parquet/write_schema.h"
#include "parquet/writer.h"

typedef struct rwl_parquet_column_settings {
    size_t page_bytes, page_rows;
    size_t dictionary_bytes; /* 0: none */
    bool keep_dictionary;    /* as long as it is not full, whether or not it pays */
    rwl_parquet_preference prefer;
    bool force_encoding;
    rwl_parquet_encoding encoding;
    bool page_v2, with_crc, without_stats;
    bool bloom;
    double bloom_fpp;
    int64_t bloom_distinct, bloom_max_bytes;
} rwl_parquet_column_settings;

/*
 * The lineage columns have rules of their own: `_last_updated_sequence_number` always has a dictionary, `_row_id` is
 * PLAIN without one unless its column options say otherwise. UNSUPPORTED, naming the column, for an encoding that its
 * type does not have.
 */
RWL_MUST_CHECK rwl_status rwl_parquet_column_settings_of(const rwl_parquet_write_options *options,
                                                         const rwl_parquet_write_leaf *leaf,
                                                         rwl_parquet_column_settings *out, rwl_error *err);

#endif
