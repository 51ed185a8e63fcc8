/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reading operation wants of a table: which columns to give, which rows to keep. Made once, shared by all tasks.
 *
 * Everything that can be named (table/name_fields.h) stands in `all`. Work columns are those of them that are wanted: the
 * output columns, then those that only the filter needs. Each comes from the files, whole or as a field inside of a struct
 * column, or is a metadata column made from what is known of the fragment.
 */
#ifndef RWL_ENGINE_ROW_FILTER_H
#define RWL_ENGINE_ROW_FILTER_H

#include "expr/expr.h"
#include "iceberg/schema.h"
#include "table/driver.h"

typedef struct rwl_row_filter_options {
    const char *select;    /* "a, b.c, _file"; NULL for all columns of the schema, "" for none */
    const char *where;     /* NULL for all rows */
    bool lineage;          /* append the driver's lineage columns to the output */
    struct rwl_pool *pool; /* decodes the columns of a batch side by side; NULL: one after another */
} rwl_row_filter_options;

typedef struct rwl_row_filter {
    rwl_arena arena;
    const rwl_field *all;
    const rwl_field_place *places;
    int32_t all_count;
    rwl_field *fields; /* work columns, each once */
    int32_t *all_of;   /* of each: its index in `all` */
    int32_t *work_of;  /* of each of `all`: its index among the work columns, -1 */
    int32_t field_count, output_count;
    const rwl_expr *plan_filter; /* for the plan, which binds it itself; NULL for all rows */
    const rwl_bound *row_filter; /* bound to `all` */
    unsigned lineage;            /* RWL_LINEAGE_… among the work columns */
    struct rwl_pool *pool;       /* of the options */
} rwl_row_filter;

/* The driver's state and the schema must outlive the filter. USAGE for unknown columns and bad
 * filters, UNSUPPORTED for columns that have no order, by name. */
RWL_MUST_CHECK rwl_status rwl_row_filter_init(rwl_row_filter *filter, const rwl_env *env,
                                              const rwl_driver *driver, const rwl_schema *schema,
                                              const rwl_row_filter_options *options, rwl_error *err);
void rwl_row_filter_clear(rwl_row_filter *filter);

/* Parses the text of --where. */
RWL_MUST_CHECK rwl_status rwl_filter_parse(const char *where, rwl_arena *arena, const rwl_expr **out,
                                           rwl_error *err);

#endif
