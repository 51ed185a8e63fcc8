/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of columns that lie in one or several data files of a fragment, as batches.
 *
 * A field is read by a field reader: for files 2.1 and 2.2 (field21.c) each leaf column brings values and levels, which are put
 * together; for 2.0 (field20.c) every field has a column of its own, and lists say where their items lie.
 */
#ifndef RWL_LANCEFILE_READER_H
#define RWL_LANCEFILE_READER_H

#include "column/batch.h"
#include "lancefile/file.h"

/* Where the column of a node lies: file NULL when there is none (the field is younger than the file: null; or in 2.1 and later a struct
 * or list, which have none). */
typedef struct rwl_lance_source {
    rwl_lancefile *file;
    int32_t column;
} rwl_lance_source;

typedef struct rwl_lance_read_field {
    const rwl_lance_node *node;      /* may be cut down to some children */
    const rwl_lance_source *sources; /* by node->index, of the whole tree below the top-level field */
} rwl_lance_read_field;

typedef struct rwl_lance_reader rwl_lance_reader;

typedef struct rwl_lance_read_options {
    /* One a column of the batches; copied, what they point to is borrowed. */
    const rwl_lance_read_field *fields;
    int32_t field_count;
    int64_t row_count;  /* physical rows that every column has to have, else CORRUPT naming file and column */
    size_t batch_bytes; /* 0: 64 MiB; a column ends a batch before its bytes pass this, a single row may */
    struct rwl_pool *pool; /* decodes the columns side by side; NULL: one after another */
} rwl_lance_read_options;

/* UNSUPPORTED naming a column that can't be read. */
RWL_MUST_CHECK rwl_status rwl_lance_reader_new(rwl_op *op, const rwl_lance_read_options *options,
                                               rwl_lance_reader **out, rwl_error *err);
void rwl_lance_reader_free(rwl_lance_reader *r); /* NULL is fine */
/*
 * Sets `batch` (made with the nodes' fields) to the rows of `ranges` (physical, ascending, disjoint): all of them or, where they are
 * too many bytes, the first batch->length. Only pages, and in them chunks, that hold such rows are read. Any order of calls is
 * right; ascending is fast. Errors name file, column and page; after one the reader can only be freed.
 */
RWL_MUST_CHECK rwl_status rwl_lance_reader_read(rwl_lance_reader *r, const rwl_range *ranges, size_t count,
                                                rwl_batch *batch, rwl_error *err);

typedef struct rwl_lance_read_stats {
    int64_t pages_read, bytes_read, requests;
} rwl_lance_read_stats;
rwl_lance_read_stats rwl_lance_reader_stats(const rwl_lance_reader *r);

#endif
