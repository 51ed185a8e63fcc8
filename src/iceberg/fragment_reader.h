/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the live rows of a fragment under a table schema: columns by field id, promotion,
 * partition constants for absent identity columns, initial defaults, deleted positions skipped by range,
 * lineage attached.
 */
#ifndef RWL_ICEBERG_FRAGMENT_READER_H
#define RWL_ICEBERG_FRAGMENT_READER_H

#include "bitmap/bitmap.h"
#include "iceberg/metadata.h"
#include "parquet/reader.h"
#include "table/fragment.h"
#include "table/rows.h"

typedef struct rwl_fragment_reader rwl_fragment_reader;

/* Opens the data file (ORC: UNSUPPORTED by name; a record count other than the entry's: CORRUPT). Positions in `deletes`
 * (taken, also on failure; NULL: none) are left out. */
RWL_MUST_CHECK rwl_status rwl_fragment_reader_open(rwl_store *store, rwl_op *op, const rwl_metadata *metadata,
                                                   const rwl_fragment *fragment,
                                                   const rwl_fragment_read_options *options,
                                                   rwl_bitmap *deletes, rwl_fragment_reader **out,
                                                   rwl_error *err);
void rwl_fragment_reader_close(rwl_fragment_reader *r); /* NULL is fine */
/* What the reader did so far. */
rwl_parquet_read_stats rwl_fragment_reader_stats(const rwl_fragment_reader *r);
/* The next live rows; rows->batch.length 0 at the end. */
RWL_MUST_CHECK rwl_status rwl_fragment_reader_next(rwl_fragment_reader *r, rwl_rows *rows, rwl_error *err);
/* The late columns of rows at these physical positions, deleted or not: see rwl_driver_vtable.read_take. */
RWL_MUST_CHECK rwl_status rwl_fragment_reader_take(rwl_fragment_reader *r, const rwl_range *ranges,
                                                   size_t count, rwl_batch *batch, rwl_error *err);

#endif
