/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reading operation wants of a table: which columns to give, which rows to keep. Made once, shared by all tasks.
 *
 * Work columns are the output columns, then those that only the filter needs; each comes from the files or is a metadata column
 * (_row_id, _last_updated_sequence_number, _file, _pos, _spec_id) made from what is known of the fragment.
 */
#ifndef RWL_ENGINE_ROW_FILTER_H
#define RWL_ENGINE_ROW_FILTER_H

#include "expr/expr.h"
#include "iceberg/schema.h"

typedef struct rwl_row_filter_options {
    const char *select;    /* "a, b, _file"; NULL for all columns of the schema, "" for none */
    const char *where;     /* NULL for all rows */
    bool lineage;          /* append _row_id and _last_updated_sequence_number to the output */
    struct rwl_pool *pool; /* decodes the columns of a batch side by side; NULL: one after another */
} rwl_row_filter_options;

typedef struct rwl_row_filter {
    rwl_arena arena;
    const rwl_schema *schema;
    rwl_field *fields; /* work columns, each once */
    int32_t field_count, output_count;
    const rwl_expr *plan_filter; /* for the plan, which binds it itself; NULL for all rows */
    const rwl_bound *row_filter; /* bound to the work columns */
    bool needs_lineage;          /* ids or versions are among the work columns */
    struct rwl_pool *pool;       /* of the options */
} rwl_row_filter;

/* USAGE for unknown columns and bad filters, UNSUPPORTED for nested ones, by name. */
RWL_MUST_CHECK rwl_status rwl_row_filter_init(rwl_row_filter *filter, const rwl_env *env,
                                              const rwl_schema *schema, const rwl_row_filter_options *options,
                                              rwl_error *err);
void rwl_row_filter_clear(rwl_row_filter *filter);

/* Whether a work column comes from the files. */
static inline bool rwl_row_filter_is_stored(const rwl_field *field) {
    return field->id < RWL_FIELD_ID_RESERVED_MIN;
}

/* Parses the text of --where. */
RWL_MUST_CHECK rwl_status rwl_filter_parse(const char *where, rwl_arena *arena, const rwl_expr **out,
                                           rwl_error *err);

#endif
