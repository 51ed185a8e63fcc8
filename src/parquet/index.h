/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page index of a chunk: where its data pages are and what their values lie between (parquet-format, PageIndex.md).
 *
 * What holds after parsing, or the index is refused as CORRUPT:
 *   1  offsets ascend and lie inside the chunk, sizes are positive, first_row ascends strictly from 0 below the
 *      group's row count
 *   2  both indexes have as many pages
 */
#ifndef RWL_PARQUET_INDEX_H
#define RWL_PARQUET_INDEX_H

#include "parquet/file.h"

typedef struct rwl_parquet_page_place {
    int64_t off;       /* of the page header */
    int32_t len;       /* header and body */
    int64_t first_row; /* in the row group */
} rwl_parquet_page_place;

typedef struct rwl_parquet_offset_index {
    rwl_parquet_page_place *pages;
    int32_t page_count;
    int64_t *unencoded_bytes; /* NULL when absent */
} rwl_parquet_offset_index;

typedef struct rwl_parquet_column_index {
    int32_t page_count;
    const bool *null_pages;
    rwl_parquet_stats
        *pages; /* settled: what can't be trusted is absent. Bounds here may be cut (never exact) */
} rwl_parquet_column_index;

/* Reads and parses; `arena` holds the result. Absent ones give *out NULL. */
RWL_MUST_CHECK rwl_status rwl_parquet_offset_index_read(rwl_file *handle, rwl_op *op,
                                                        const rwl_parquet_file *file, int32_t group,
                                                        int32_t leaf, rwl_arena *arena,
                                                        rwl_parquet_offset_index **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_column_index_read(rwl_file *handle, rwl_op *op,
                                                        const rwl_parquet_file *file, int32_t group,
                                                        int32_t leaf, rwl_arena *arena,
                                                        rwl_parquet_column_index **out, rwl_error *err);
/*
 * Index bytes of one file, read as few times as possible: what came with the footer is used as it is, of the rest a
 * stretch is read at once, since writers put the indexes of all columns side by side.
 */
typedef struct rwl_parquet_index_source {
    rwl_file *handle;
    rwl_op *op;
    const rwl_parquet_file *file;
    uint8_t *window;
    int64_t window_off;
    size_t window_len;
    int64_t requests, bytes; /* read so far */
} rwl_parquet_index_source;

void rwl_parquet_index_source_init(rwl_parquet_index_source *s, rwl_file *handle, rwl_op *op,
                                   const rwl_parquet_file *file);
void rwl_parquet_index_source_clear(rwl_parquet_index_source *s);
/* The same as the reads above through such a source. */
RWL_MUST_CHECK rwl_status rwl_parquet_index_load_offsets(rwl_parquet_index_source *s, int32_t group,
                                                         int32_t leaf, rwl_arena *arena,
                                                         rwl_parquet_offset_index **out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_index_load_bounds(rwl_parquet_index_source *s, int32_t group,
                                                        int32_t leaf, rwl_arena *arena,
                                                        rwl_parquet_column_index **out, rwl_error *err);
/* The parsers alone. */
RWL_MUST_CHECK rwl_status rwl_parquet_offset_index_parse(rwl_span bytes, const rwl_parquet_group *group,
                                                         const rwl_parquet_chunk *chunk, rwl_arena *arena,
                                                         rwl_parquet_offset_index *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_parquet_column_index_parse(rwl_span bytes, const rwl_parquet_leaf *leaf,
                                                         rwl_arena *arena, rwl_parquet_column_index *out,
                                                         rwl_error *err);

#endif
