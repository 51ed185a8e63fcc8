/* SPDX-License-Identifier: Apache-2.0 */
/* A small Lance dataset of every kind of file, made by the tests, and Lance datasets opened through a store of the test's own. */
#ifndef RWL_TESTS_FAULT_LANCE_MADE_H
#define RWL_TESTS_FAULT_LANCE_MADE_H

#include "engine/table.h"
#include "rows.h"
#include "storage/test_store.h"

enum { LANCE_MADE_ROWS = 14 }; /* live ones */

/*
 * One version in an existing folder: fragment 0 of 10 rows, 3 of them deleted (.bin), its lineage spilled into a file of its own;
 * fragment 1 of 6 rows with lineage inline in segments of three forms, 2 of them deleted (.arrow); fragment 2 of 3 rows in
 * file version 2.0. Columns: an int32, a string with nulls, a list of int16.
 */
void lance_made(const rwl_env *env, const char *folder);
/* One fragment of 4 rows, without lineage: JSON, blobs (inline, in a pack, in a file), a struct in files of 2.2 and 2.0. */
void lance_made_parts(const rwl_env *env, const char *folder);
/* One fragment, without lineage, of a data file that is copied; its schema is the dataset's. */
void lance_made_of(const rwl_env *env, const char *data_file, const char *folder);

/* Opens a version (NULL: the newest) and reads all rows with their lineage; `options`: of a test store around the local one, NULL
 * for none. */
rwl_status lance_read(rwl_op *op, const char *folder, const char *version,
                      const rwl_test_store_options *options, outcome *o, rwl_error *err);

#endif
