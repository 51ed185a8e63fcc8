/* SPDX-License-Identifier: Apache-2.0 */
/* Between the halves of the reader: rows and batches (reader.c), row groups and what is asked of the store for them
 * (reader_group.c). */
#ifndef RWL_PARQUET_READER_INTERNAL_H
#define RWL_PARQUET_READER_INTERNAL_H

#include "base/pool.h"
#include "parquet/index.h"
#include "parquet/reader.h"
#include "parquet/tree_read.h"

enum { RWL_PARQUET_FETCHES = 2, RWL_PARQUET_NO_GROUP = -1 };

/* A projected column. */
typedef struct rwl_parquet_reader_column {
    rwl_parquet_tree *tree;
    int32_t first_leaf, leaf_count; /* its leaves among the reader's */
    int64_t at;                     /* physical position where the tree stands, surplus read */
    rwl_column surplus;             /* rows that a shorter column kept out of the last batch */
    rwl_status status;              /* of the last read */
    rwl_error error;
} rwl_parquet_reader_column;

/* A row group asked for: its chunks' bytes and where their pages are. */
typedef struct rwl_parquet_reader_fetch {
    rwl_parquet_fetch fetch;
    int32_t group; /* RWL_PARQUET_NO_GROUP: nothing */
    rwl_arena arena;
    rwl_parquet_offset_index **indexes; /* one a leaf of the reader, NULL: none, or not needed */
} rwl_parquet_reader_fetch;

struct rwl_parquet_reader {
    rwl_parquet_file *file;
    rwl_file *handle;
    rwl_op *op;
    const rwl_env *env;
    struct rwl_pool *pool;
    rwl_parquet_shared
        *lanes; /* column i belongs to lane i % lane_count; a lane is decoded by one thread at a time */
    int32_t lane_count;
    rwl_parquet_reader_column *columns;
    rwl_field *fields;
    int32_t column_count;
    int32_t *leaves; /* of all columns */
    int32_t leaf_count;
    rwl_range *ranges; /* rows to give: physical, ascending, disjoint, none empty */
    size_t range_count, range_at;
    int64_t first, pos, end; /* first row asked for, next one to give, behind the last one */
    int64_t batch_rows;
    int64_t window;
    int32_t group;      /* where pos is */
    int32_t seen_group; /* the last one with rows to give */
    bool is_open;       /* the group's columns are started */
    bool is_taking;     /* by take: pages are asked for as they are needed */
    bool is_broken;     /* after a failure */
    rwl_parquet_reader_fetch fetches[RWL_PARQUET_FETCHES]; /* the open group's and the next one's */
    int now;
    int64_t *wanted_to; /* when taking: how far each leaf's chunk was asked for, as file offset */
    rwl_parquet_spares spares;
    rwl_parquet_index_source source;
    rwl_parquet_read_stats stats; /* of what is closed */
};

/* Opens the group where pos is and asks for the next one. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_open_group(rwl_parquet_reader *r, rwl_error *err);
/* Asks for the pages of these rows of the open group, for columns with an offset index. */
RWL_MUST_CHECK rwl_status rwl_parquet_reader_want(rwl_parquet_reader *r, const rwl_range *ranges,
                                                  size_t count, rwl_error *err);
void rwl_parquet_reader_close_fetch(rwl_parquet_reader *r, int slot, bool is_cancelled);

#endif
