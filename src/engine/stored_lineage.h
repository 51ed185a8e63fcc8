/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lineage columns of stitched rows: copied as pages where a file stores them whole, else made by inheritance.
 *
 *   the file's first_row_id | the stored column             | in the new file
 *   there                   | without nulls                 | its pages
 *   there                   | none                          | first_row_id + position; the data sequence number
 *   there                   | with nulls, or not trusted    | its values, inherited where null
 *   null (laws 5 and 8)     | whatever                      | null; the data sequence number
 */
#ifndef RWL_ENGINE_STORED_LINEAGE_H
#define RWL_ENGINE_STORED_LINEAGE_H

#include "engine/data_files.h"
#include "parquet/file.h"
#include "table/fragment.h"

/* One input file. Plain data. */
typedef struct rwl_lineage_source {
    const rwl_fragment *fragment;
    bool from_file[2]; /* the pages of _row_id, of the version column, can be copied */
    bool is_stored[2]; /* else there is a column to read */
} rwl_lineage_source;

/* Looks at what `file` stores. CORRUPT: a lineage column that is no long. */
RWL_MUST_CHECK rwl_status rwl_lineage_source_init(rwl_lineage_source *source, const rwl_fragment *fragment,
                                                  const rwl_parquet_file *file, rwl_row_id_encoding encoding,
                                                  rwl_error *err);

/* Makes values; holds what is being read. */
typedef struct rwl_lineage_maker rwl_lineage_maker;
RWL_MUST_CHECK rwl_status rwl_lineage_maker_new(rwl_store *store, rwl_op *op, rwl_lineage_maker **out,
                                                rwl_error *err);
void rwl_lineage_maker_free(rwl_lineage_maker *m); /* NULL is fine */
/* Sets `out` (LONG) to the ids (`which` 0) or versions (1) of rows [first, first + count) of a source; the rows of a
 * source come in order. */
RWL_MUST_CHECK rwl_status rwl_lineage_make(rwl_lineage_maker *m, const rwl_lineage_source *source,
                                           rwl_parquet_file *file, int which, int64_t first, int64_t count,
                                           rwl_column *out, rwl_error *err);

#endif
