/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Parquet file by itself as a table state: one fragment without deletes and lineage, its columns by position. Field
 * ids are those of this state (1, 2, …), not the file's.
 */
#ifndef RWL_ENGINE_BARE_FILE_H
#define RWL_ENGINE_BARE_FILE_H

#include "iceberg/schema.h"
#include "parquet/file.h"
#include "table/driver.h"

typedef struct rwl_bare_file rwl_bare_file;

/* Whether `location` is a regular file that begins with Parquet's magic (an encrypted footer's too). */
RWL_MUST_CHECK rwl_status rwl_bare_file_is(rwl_store *store, rwl_op *op, const char *location, bool *is_file,
                                           rwl_error *err);
/* Opens the file at `location`. */
RWL_MUST_CHECK rwl_status rwl_bare_file_open(rwl_store *store, rwl_op *op, const char *location,
                                             rwl_bare_file **out, rwl_error *err);
void rwl_bare_file_free(rwl_bare_file *file);                       /* NULL is fine */
rwl_parquet_file *rwl_bare_file_parquet(const rwl_bare_file *file); /* borrowed */
const rwl_schema *rwl_bare_file_schema(const rwl_bare_file *file);
/* Reads it; changes are no part of this driver. */
rwl_driver rwl_bare_file_driver(const rwl_bare_file *file, rwl_store *store);

#endif
