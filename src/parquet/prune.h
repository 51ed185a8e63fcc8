/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a file may satisfy a filter, as far as the file's own metadata tell: row groups by statistics, bloom
 * filters and dictionaries, pages by the column index. What can't be trusted is ignored: more rows are read, never fewer.
 */
#ifndef RWL_PARQUET_PRUNE_H
#define RWL_PARQUET_PRUNE_H

#include "expr/expr.h"
#include "parquet/file.h"

typedef struct rwl_parquet_prune_request {
    const rwl_bound *filter;
    const rwl_field *fields; /* those the filter is bound to */
    int32_t field_count;
    const int32_t
        *nodes; /* of each: index in file->nodes of the flat column that gives it, -1: not told by the file */
    const rwl_value *constants; /* of fields with node -2: the value of every row; NULL without such */
    bool skip_indexes;          /* statistics of the footer alone */
    bool skip_page_crc;         /* of dictionary pages */
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
void rwl_parquet_selection_clear(rwl_parquet_selection *s, const rwl_env *env);

#endif
