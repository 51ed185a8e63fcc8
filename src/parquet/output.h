/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Parquet file being written chunk by chunk. The encoder (writer.h) and the stitcher (stitch.h) both end in it.
 *
 *   file := "PAR1" (pages of a row group, its bloom filters)* column indexes, offset indexes, footer
 *
 * After a failure nothing more can be written: all calls fail with the first one's code, finish and abort remove the file.
 */
#ifndef RWL_PARQUET_OUTPUT_H
#define RWL_PARQUET_OUTPUT_H

#include "parquet/chunk_write.h"
#include "parquet/writer.h"

typedef struct rwl_parquet_output rwl_parquet_output;

typedef struct rwl_parquet_output_options {
    const char *const *kv_keys, *const *kv_values;
    int32_t kv_count;
    bool without_index; /* no page index */
} rwl_parquet_output_options;

/* The arena of `schema` must outlive it; options are copied. */
RWL_MUST_CHECK rwl_status rwl_parquet_output_open(rwl_store *store, rwl_op *op, const char *location,
                                                  const rwl_parquet_write_schema *schema,
                                                  const rwl_parquet_output_options *options,
                                                  rwl_parquet_output **out, rwl_error *err);
/* Adds a row group of `rows` rows: a chunk for each leaf of the schema, in order, each of that many rows; their pages
 * are written and the chunks emptied for the next group. `sorting` names leaves of the schema, NULL for none. */
RWL_MUST_CHECK rwl_status rwl_parquet_output_group(rwl_parquet_output *o,
                                                   rwl_parquet_chunk_write *const *chunks, int64_t rows,
                                                   const rwl_parquet_sorting *sorting, int32_t sorting_count,
                                                   rwl_error *err);
/* Writes the pages of a full chunk ahead of its row group, so that they need not be held until that is complete. The
 * chunks of one group in the order of leaves; all of them, or none. */
RWL_MUST_CHECK rwl_status rwl_parquet_output_pages(rwl_parquet_output *o, rwl_parquet_chunk_write *chunk,
                                                   rwl_error *err);
int64_t rwl_parquet_output_size(
    const rwl_parquet_output *o); /* bytes written, footer and indexes to come estimated */
int64_t rwl_parquet_output_rows(const rwl_parquet_output *o);
/* What the caller knows better of a leaf than its pages tell (exact bounds, NaN counts); bytes are copied. Without it
 * bounds come from the chunks' statistics and NaN counts are unknown (-1). */
RWL_MUST_CHECK rwl_status rwl_parquet_output_metrics(rwl_parquet_output *o, int32_t leaf,
                                                     const rwl_parquet_column_metrics *metrics,
                                                     rwl_error *err);
/* Writes the footer, makes the file visible, fills `written`; frees the output whatever the result. */
RWL_MUST_CHECK rwl_status rwl_parquet_output_finish(rwl_parquet_output *o, rwl_parquet_written *written,
                                                    rwl_error *err);
void rwl_parquet_output_abort(rwl_parquet_output *o); /* NULL is fine */

#endif
