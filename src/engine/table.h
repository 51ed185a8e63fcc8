/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An opened table state, in one of three kinds:
 *
 *   Iceberg           place, metadata version, snapshot, schema to read it with
 *   Lance             a dataset's version (engine/lance_table.h)
 *   a file by itself  engine/bare_file.h
 *
 * What only one kind has is NULL in the others; rwl_table_check_… refuse the kinds that an operation is not for.
 */
#ifndef RWL_ENGINE_TABLE_H
#define RWL_ENGINE_TABLE_H

#include "catalog/catalog.h"
#include "engine/bare_file.h"
#include "iceberg/delete_cache.h"
#include "iceberg/driver.h"
#include "lance/driver.h"

typedef struct rwl_table {
    const rwl_env *env;
    rwl_arena arena;
    rwl_store *store;         /* owned */
    rwl_bare_file *file;      /* owned; a data file by itself has only this, the store and the schema */
    rwl_lance_dataset *lance; /* owned; a Lance dataset has only this, the store, schema and branch */
    rwl_place place;
    int64_t version; /* number of the metadata file */
    rwl_metadata *metadata;
    rwl_delete_cache *deletes;    /* owned; delete files already read, NULL for a data file by itself */
    const rwl_snapshot *snapshot; /* NULL: an empty state */
    const rwl_schema *schema;     /* the snapshot's for ids, tags and times, the current one for branches */
    const char *branch;           /* the branch a change goes to; NULL when opened at an id, tag or time */
} rwl_table;

typedef struct rwl_table_options {
    const rwl_path_map *maps;
    size_t map_count;
    const char *snapshot; /* --snapshot ID, or NULL */
    const char *ref;      /* --ref NAME, or NULL */
    const char *as_of;    /* --as-of TIME, or NULL; with a branch, that branch at the time */
    bool for_change;      /* refuse what can't be changed */
} rwl_table_options;

/* Opens TABLE, TABLE@REF or TABLE@{TIME} (engine/name.h). The kind is found by looking: a regular file that begins as Parquet does is a
 * data file by itself, a directory with a _versions folder a Lance dataset. */
RWL_MUST_CHECK rwl_status rwl_table_open(rwl_op *op, const char *name, const rwl_table_options *options,
                                         rwl_table **out, rwl_error *err);
/* Opens a Parquet file by itself, by path or file: URL. */
RWL_MUST_CHECK rwl_status rwl_table_open_file(rwl_op *op, const char *location, rwl_table **out,
                                              rwl_error *err);
void rwl_table_free(rwl_table *table); /* NULL is fine */

/* Refuses a data file by itself where a table is needed (UNSUPPORTED). */
RWL_MUST_CHECK rwl_status rwl_table_check_metadata(const rwl_table *table, rwl_error *err);
/* Also refuses a Lance dataset: "changing Lance datasets is not supported". `what` is the words before "Lance". */
RWL_MUST_CHECK rwl_status rwl_table_check_iceberg(const rwl_table *table, const char *what, rwl_error *err);
/* Refuses a state or place that can't be changed, saying why (UNSUPPORTED). */
RWL_MUST_CHECK rwl_status rwl_table_check_change(const rwl_table *table, rwl_error *err);
/* The freshest metadata of the table's place and its version number. */
RWL_MUST_CHECK rwl_status rwl_table_load(const rwl_table *table, rwl_op *op, rwl_metadata **metadata,
                                         int64_t *version, rwl_error *err);
/* The table's format, state and store, for reading and changing. */
rwl_driver rwl_table_driver(const rwl_table *table);
/* A plan over the table's snapshot for `filter` (NULL: all), naming columns of the table's schema. */
RWL_MUST_CHECK rwl_status rwl_table_plan(const rwl_table *table, const rwl_driver *driver, rwl_op *op,
                                         const rwl_expr *filter, rwl_planner **out, rwl_error *err);
/* Sets `at` to the same table at another state: a snapshot id or version, a branch or tag. `table` must outlive it; to be cleared when
 * this succeeds. */
RWL_MUST_CHECK rwl_status rwl_table_at(const rwl_table *table, rwl_op *op, const char *state, rwl_table *at,
                                       rwl_error *err);
void rwl_table_at_clear(rwl_table *at);
/* The table's handle moved to freshest metadata, branch head selected again. */
RWL_MUST_CHECK rwl_status rwl_table_refresh(rwl_table *table, rwl_op *op, rwl_error *err);

#endif
