/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One projected top-level column of one row group, read by rows: a flat column page by page, a nested one from the
 * levels of its leaves (Dremel: a row begins where the repetition level is 0), a variant put together from its parts.
 */
#ifndef RWL_PARQUET_TREE_READ_H
#define RWL_PARQUET_TREE_READ_H

#include "parquet/column_read.h"

typedef struct rwl_parquet_tree rwl_parquet_tree;

/* A reader of file->nodes[node], of those leaves below it that `wanted` (a flag for each leaf of the file; NULL: all)
 * names. UNSUPPORTED, naming the column, for a wanted leaf without Iceberg type. `shared` must outlive it. */
RWL_MUST_CHECK rwl_status rwl_parquet_tree_new(rwl_parquet_shared *shared, const rwl_parquet_file *file,
                                               int32_t node, const bool *wanted, rwl_parquet_tree **out,
                                               rwl_error *err);
void rwl_parquet_tree_free(rwl_parquet_tree *t); /* NULL is fine */
/* The field of the column it gives: the node's, cut down to the wanted leaves. Owned by the tree. */
const rwl_field *rwl_parquet_tree_field(const rwl_parquet_tree *t);
/* The leaves it reads, as indexes in file->leaves, in the order feeds are given to start. */
const int32_t *rwl_parquet_tree_leaves(const rwl_parquet_tree *t, int32_t *count);
/* Starts on a row group; `feeds` has one a leaf, of its chunk from its first byte on. */
RWL_MUST_CHECK rwl_status rwl_parquet_tree_start(rwl_parquet_tree *t, rwl_parquet_feed *const *feeds,
                                                 const rwl_parquet_group *group, rwl_error *err);
/* The offset index of leaf `i` of the tree for this row group (borrowed): lets skip pass pages without reading their
 * headers. Positions are checked against the pages; CORRUPT when they differ. NULL: none. */
struct rwl_parquet_offset_index;
void rwl_parquet_tree_index(rwl_parquet_tree *t, int32_t i, const struct rwl_parquet_offset_index *index);
/* The pages, as the indexes count them, that were not come to yet. */
int64_t rwl_parquet_tree_pages_left(const rwl_parquet_tree *t);
RWL_MUST_CHECK rwl_status rwl_parquet_tree_skip(rwl_parquet_tree *t, int64_t rows, rwl_error *err);
/* Appends up to `rows` rows to `out`: fewer, but at least one, only when its bytes reach the batch's limit. */
RWL_MUST_CHECK rwl_status rwl_parquet_tree_read(rwl_parquet_tree *t, rwl_column *out, int64_t rows,
                                                rwl_error *err);

#endif
