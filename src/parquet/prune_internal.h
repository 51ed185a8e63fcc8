/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of pruning: row groups and pages (prune.c), what is known of a column (prune_facts.c), the values
 * of a dictionary (prune_dictionary.c). */
#ifndef RWL_PARQUET_PRUNE_INTERNAL_H
#define RWL_PARQUET_PRUNE_INTERNAL_H

#include "parquet/bloom.h"
#include "parquet/index.h"
#include "parquet/prune.h"

/* A column of the filter in the row group being judged. */
typedef struct rwl_prune_column {
    int32_t field; /* index in request->fields */
    int32_t leaf;  /* index in file->leaves; -1: not told by the file's columns */
    rwl_parquet_source source;
    rwl_parquet_bloom *bloom;
    bool asked_bloom;
    /* its values, of the field's type, when all data pages are dictionary-coded */
    bool has_dictionary;
    rwl_column dictionary;
    int32_t questions;       /* asked of it so far */
    const rwl_value *sorted; /* its values in order, once it was asked often */
    /* its pages, when both indexes are there and agree */
    rwl_parquet_offset_index *places;
    rwl_parquet_column_index *bounds;
    int32_t page;
    bool keeps_page; /* rows of the page were kept */
} rwl_prune_column;

typedef struct rwl_prune {
    rwl_store *store;
    rwl_op *op;
    rwl_parquet_file *file;
    const rwl_parquet_prune_request *request;
    rwl_prune_column *columns; /* those of the filter */
    int32_t column_count;
    int32_t *column_of; /* of each field: its index among `columns`, -1 */
    int32_t group;
    bool by_pages;      /* facts are those of each column's current page, where it has some */
    rwl_range rows;     /* of the group: those the question is about */
    bool has_positions; /* a column counts rows, so that any part of a group has facts of its own */
    rwl_file *handle;   /* NULL until needed */
    rwl_parquet_index_source source;
    rwl_arena arena;   /* of the group */
    rwl_status status; /* of what a question needed to read */
    rwl_error error;
    int64_t requests, bytes_read;
} rwl_prune;

/* Whether nulls of the column in this row group hide what its leaf tells. */
bool rwl_prune_is_hidden(const rwl_prune *p, const rwl_prune_column *c);
/* A value of the leaf as one of the field; false where that is not known to keep the order. */
bool rwl_prune_to_field(const rwl_type *from, const rwl_type *to, const rwl_value *v, rwl_value *out);
/* The PLAIN bytes that a value of the field has in the leaf, in `room` or borrowed. */
typedef enum rwl_prune_stored { RWL_PRUNE_STORED, RWL_PRUNE_NEVER, RWL_PRUNE_UNKNOWN } rwl_prune_stored;
rwl_prune_stored rwl_prune_store_value(const rwl_parquet_leaf *leaf, const rwl_value *v, uint8_t room[16],
                                       rwl_span *out);
/* The questions a filter asks, of the current row group or pages. `ctx` is the rwl_prune. */
bool rwl_prune_lookup(void *ctx, int32_t field, rwl_column_facts *out);
bool rwl_prune_may_contain(void *ctx, int32_t field, const rwl_value *v);
/* Keeps a failure to read for later, unless it is a damaged index; true when it was no failure. */
bool rwl_prune_note(rwl_prune *p, rwl_status st, const rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_prune_open_file(rwl_prune *p, rwl_error *err);

/* Reads the dictionary of the column's chunk where that is cheap and says something; has_dictionary then. */
RWL_MUST_CHECK rwl_status rwl_prune_load_dictionary(rwl_prune *p, rwl_prune_column *c, rwl_error *err);
/* Whether a filter of this column alone selects one of its dictionary's values, or null where it may have some. */
RWL_MUST_CHECK rwl_status rwl_prune_try_dictionary(rwl_prune *p, rwl_prune_column *c, bool *may,
                                                   rwl_error *err);

#endif
