/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables under test for updates. No data file is ever read, so names and row counts are enough: A = 125 rows,
 * B = 100, C = 90 in the cases from Java.
 */
#ifndef ICEBERG_UPDATE_TEST_H
#define ICEBERG_UPDATE_TEST_H

#include "table_test.h"

/* A table under test: its metadata, replaced by each commit. */
typedef struct table {
    rwl_metadata *metadata;
    int64_t next_snapshot;
    rwl_change_result result;
} table;

table new_table(int32_t version);
void free_table(table *t);
rwl_added_file added(const char *name, int64_t rows);
/* A file whose rows all store their lineage. */
rwl_added_file carried(const char *name, int64_t rows, int64_t min_id, int64_t max_id);
rwl_removed_file removed(const char *name);
rwl_added_vector vector(const char *data_file, const char *puffin, int64_t cardinality, int64_t sequence);
rwl_change_set change_of(rwl_operation operation, int64_t planned);
rwl_update *new_update(table *t, const rwl_change_set *change, const char *branch, bool dry_run);
void apply(table *t, rwl_update *u);
void commit_to(table *t, const rwl_change_set *change, const char *branch);
void commit(table *t, const rwl_change_set *change); /* to main, must succeed */
void append_to(table *t, const char *branch, size_t count, const rwl_added_file *files);
void append(table *t, const char *name, int64_t rows);
void append_two(table *t, const char *a, int64_t a_rows, const char *b, int64_t b_rows);
const rwl_snapshot *head(const table *t, const char *branch);
int64_t head_id(const table *t);
/* "225 125 -" : first_row_id of each data manifest of the branch in list order, "-" for null; delete
 * manifests "d". */
void assert_list(const table *t, const char *branch, const char *want);
/* "C:225:3 B:125:1": live files of the branch with first_row_id ("-" null) and data sequence number, in
 * order; a vector is "v(data file):4", another delete file "name:4". */
void assert_files(const table *t, const char *branch, const char *want);
void assert_snapshot(const table *t, int64_t first_row_id, int64_t added_rows, int64_t next_row_id);
void assert_summary(const table *t, const char *key, const char *want);
/* A rewrite of A and B, planned on the head, with its sequence number. */
rwl_change_set rewrite_two(const table *t, const rwl_added_file *out, size_t count, bool pin);
/* A delete by vector that must succeed; `old` NULL or the vector it replaces. */
void put_vector(table *t, const char *file, const char *puffin, int64_t cardinality, int64_t sequence,
                const rwl_removed_delete *old);
/* Another engine's commit to main: one delete manifest of these files in front of the head's list. */
void commit_foreign_deletes(table *t, const rwl_data_file *files, size_t count);
/* A position or equality delete file of an unpartitioned table; `data_file` NULL: it may name several. */
rwl_data_file delete_file(int32_t content, const char *path, const char *data_file, int64_t rows);

#endif
