/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the manifest entry of a written file tells the truth about its rows: the partition tuple that planning prunes
 * by, and the null counts. A wrong one would lose rows to readers without a word.
 */
#ifndef RWL_ENGINE_ENTRY_CHECK_H
#define RWL_ENGINE_ENTRY_CHECK_H

#include "iceberg/metadata.h"
#include "table/change.h"

typedef struct rwl_entry_check rwl_entry_check;

/* For rows with the columns of `schema`, the sources of `spec` among them; both must outlive it. */
RWL_MUST_CHECK rwl_status rwl_entry_check_new(const rwl_env *env, const rwl_schema *schema,
                                              const rwl_partition_spec *spec, rwl_entry_check **out,
                                              rwl_error *err);
void rwl_entry_check_free(rwl_entry_check *check); /* NULL is fine */
/* The rows to come are those of this file. */
void rwl_entry_check_begin(rwl_entry_check *check, const rwl_added_file *file);
/* Rows read back, columns as in the schema. INTERNAL when one is of another partition than the entry says. */
RWL_MUST_CHECK rwl_status rwl_entry_check_rows(rwl_entry_check *check, const rwl_batch *batch,
                                               rwl_error *err);
/* Whether a file has as many rows, and a column as many nulls, as its entry says. INTERNAL, naming the column. */
RWL_MUST_CHECK rwl_status rwl_entry_check_counts(const rwl_added_file *file, const rwl_field *field,
                                                 int64_t rows, int64_t nulls, rwl_error *err);
/* All rows were given. INTERNAL, naming the column, when its counts are not the entry's. */
RWL_MUST_CHECK rwl_status rwl_entry_check_end(const rwl_entry_check *check, rwl_error *err);

#endif
