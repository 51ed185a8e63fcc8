/* SPDX-License-Identifier: Apache-2.0 */
/* Writing rows as data files of a table: split by partition, rolled by size or rows, sorted by the caller. */
#ifndef RWL_ENGINE_DATA_WRITER_H
#define RWL_ENGINE_DATA_WRITER_H

#include "column/runs.h"
#include "iceberg/metadata.h"
#include "parquet/writer.h"
#include "table/change.h"

typedef struct rwl_data_writer rwl_data_writer;

typedef struct rwl_data_writer_options {
    const rwl_metadata *metadata; /* its current schema and default spec are written */
    bool lineage;                 /* store both lineage columns */
    int32_t sort_order_id;        /* of the files, 0 for none */
    int64_t target_bytes;     /* a file is closed once it has this size; 0: write.target-file-size-bytes */
    int64_t target_rows;      /* a file is closed at exactly this many rows; 0: no limit */
    int32_t sequence;         /* number in file names, one a writer of the operation */
    const char *operation_id; /* uuid text in file names */
} rwl_data_writer_options;

/* UNSUPPORTED for a default spec with an unknown transform, nested columns, another file format by property. */
RWL_MUST_CHECK rwl_status rwl_data_writer_new(rwl_store *store, rwl_op *op,
                                              const rwl_data_writer_options *options, rwl_data_writer **out,
                                              rwl_error *err);
/* Closes without keeping anything: every file written is removed. NULL is fine. */
void rwl_data_writer_free(rwl_data_writer *w);
/* Rows whose columns are the current schema's fields in order; `ids` and `versions` when lineage is stored. */
RWL_MUST_CHECK rwl_status rwl_data_writer_write(rwl_data_writer *w, const rwl_batch *batch,
                                                const rwl_runs *ids, const rwl_runs *versions,
                                                rwl_error *err);
/* Closes the open files: what was written is in `files`, the next row starts new ones. */
RWL_MUST_CHECK rwl_status rwl_data_writer_finish(rwl_data_writer *w, rwl_error *err);

/* The files written so far, in the order they were closed; owned by the writer, which must outlive the commit. */
const rwl_added_file *rwl_data_writer_files(const rwl_data_writer *w, size_t *count);
/* Data pages in these files, all columns. */
int64_t rwl_data_writer_pages(const rwl_data_writer *w);
/* Gives up responsibility for the files: they are not removed by free. */
void rwl_data_writer_release(rwl_data_writer *w);

#endif
