/* SPDX-License-Identifier: Apache-2.0 */
/* Making a table: one metadata file, no snapshot. */
#ifndef RWL_ENGINE_CREATE_H
#define RWL_ENGINE_CREATE_H

#include "storage/store.h"

typedef struct rwl_create_options {
    const char *schema;           /* text form, or NULL with `like` */
    const char *like;             /* a Parquet file whose columns to take */
    const char *partition, *sort; /* text forms or NULL */
    int32_t format_version;       /* 2 or 3 */
    const char *const *property_keys, *const *property_values;
    int32_t property_count;
    bool dry_run;
} rwl_create_options;

/* EXISTS when there is a table. A relative directory is made absolute (links kept); URLs are recorded as given. */
RWL_MUST_CHECK rwl_status rwl_create_table(rwl_op *op, const char *directory,
                                           const rwl_create_options *options, rwl_error *err);

/* The same in a store of the caller's. */
RWL_MUST_CHECK rwl_status rwl_create_table_in(rwl_op *op, rwl_store *store, const char *directory,
                                              const rwl_create_options *options, rwl_error *err);

#endif
