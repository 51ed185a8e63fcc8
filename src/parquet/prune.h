/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a file may satisfy a filter, as far as the file's own metadata tell: row groups by statistics, bloom
 * filters and dictionaries, pages by the column index. What can't be trusted is ignored: more rows are read, never fewer.
 */
#ifndef RWL_PARQUET_PRUNE_H
#define RWL_PARQUET_PRUNE_H

#include "expr/expr.h"
#include "parquet/file.h"

/* What is known of where a field of the filter comes from. */
typedef enum rwl_parquet_source_kind {
    RWL_PARQUET_SOURCE_UNKNOWN,  /* the file does not tell */
    RWL_PARQUET_SOURCE_LEAF,     /* a leaf that has one value a row, null where a struct above it is */
    RWL_PARQUET_SOURCE_CONSTANT, /* the same value in every row */
    RWL_PARQUET_SOURCE_POSITION  /* a LONG that counts the rows */
} rwl_parquet_source_kind;

typedef struct rwl_parquet_source {
    rwl_parquet_source_kind kind;
    int32_t leaf;       /* LEAF: index in file->leaves; one below a list or a map tells nothing */
    bool nulls_differ;  /* LEAF: its nulls are read as something else, so it tells only where it has none */
    rwl_value constant; /* CONSTANT */
    int64_t first;      /* POSITION: of the file's row 0 */
} rwl_parquet_source;

typedef struct rwl_parquet_prune_request {
    const rwl_bound *filter;
    const rwl_field *fields; /* those the filter is bound to */
    int32_t field_count;
    const rwl_parquet_source *sources; /* one a field; those that the filter does not use are not looked at */
    bool skip_indexes;                 /* statistics of the footer alone */
    bool skip_page_crc;                /* of dictionary pages */
} rwl_parquet_prune_request;

typedef struct rwl_parquet_selection {
    rwl_range *ranges; /* physical rows, ascending, disjoint, not touching */
    size_t count;
    int64_t row_count; /* in all */
    int64_t groups_skipped, pages_skipped, bytes_read, requests;
} rwl_parquet_selection;

/* Fills `out`, allocated from op->env. A damaged index is ignored. */
RWL_MUST_CHECK rwl_status rwl_parquet_prune(rwl_store *store, rwl_op *op, rwl_parquet_file *file,
                                            const rwl_parquet_prune_request *request,
                                            rwl_parquet_selection *out, rwl_error *err);
/* Leaves only those of the selected rows that lie in `rows`. */
void rwl_parquet_selection_cut(rwl_parquet_selection *s, rwl_range rows);
void rwl_parquet_selection_clear(rwl_parquet_selection *s, const rwl_env *env);

#endif
