/* SPDX-License-Identifier: Apache-2.0 */
/* Writing rows as data files of a table: split by partition, rolled by size or rows, sorted by the caller. */
#ifndef RWL_ENGINE_DATA_WRITER_H
#define RWL_ENGINE_DATA_WRITER_H

#include "column/runs.h"
#include "engine/data_files.h"

typedef struct rwl_data_writer rwl_data_writer;

/* `files` gets the files that are closed and must outlive the writer. UNSUPPORTED for a default spec with an unknown
 * transform. */
RWL_MUST_CHECK rwl_status rwl_data_writer_new(rwl_data_files *files, rwl_data_writer **out, rwl_error *err);
/* Removes the files that are still open. NULL is fine. */
void rwl_data_writer_free(rwl_data_writer *w);
/* Rows whose columns are the current schema's fields in order; `ids` and `versions` when lineage is stored. */
RWL_MUST_CHECK rwl_status rwl_data_writer_write(rwl_data_writer *w, const rwl_batch *batch,
                                                const rwl_runs *ids, const rwl_runs *versions,
                                                rwl_error *err);
/* Closes the open files; the next row starts new ones. */
RWL_MUST_CHECK rwl_status rwl_data_writer_finish(rwl_data_writer *w, rwl_error *err);

#endif
