/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in temporary folders, changed by the engine and by hand, for the tests of engine/ and the conformance cases. */
#ifndef ENGINE_TEST_H
#define ENGINE_TEST_H

#include "engine/append.h"
#include "engine/create.h"
#include "engine/delete.h"
#include "engine/digest.h"
#include "engine/rewrite.h"
#include "engine/scan.h"
#include "engine/upgrade.h"
#include "expect.h"
#include "iceberg/manifest.h"

/* Calls with `err` in scope and shows its message on failure. */

/* --- the surroundings of a test: made by engine_setup, gone with engine_teardown --- */

void engine_setup(void);
void engine_teardown(void);
rwl_env *test_env(void); /* its clock, allocator and sleep may be replaced before the first use */
rwl_op *test_op(void);
rwl_arena *test_arena(void);
/* "folder/name" in the test's arena. */
const char *test_path(const char *name);
/* Writes a file of the folder, single quotes for double ones. */
const char *test_write(const char *name, const char *text);
/* A suite of one case with these tests and the surroundings above. */
Suite *test_suite(const char *name, const TTest *const *tests, size_t count);
#define TEST_SUITE(name, tests) test_suite(name, tests, sizeof(tests) / sizeof *(tests))

/* --- tables, named by their folder; "t@REF" works where a table is read --- */

void test_create(const char *name, int32_t version, const char *schema, const char *partition,
                 const char *sort);
void test_create_with(const char *name, const rwl_create_options *options);
/* A copy of a table of fixtures/golden-icebird whose newest version is `version` (0: all); false when there are none. */
bool test_golden(const char *table, int version);
rwl_table *test_open(const char *name);
void test_close(rwl_table *t);
/* Puts a store between the table and its files; closed with the table. */
void test_wrap_store(rwl_table *t, rwl_store *wrapper);

/* One append of JSON lines (single quotes for double ones). */
rwl_commit_outcome test_append(const char *name, const char *lines);
rwl_status try_append(rwl_table *t, rwl_op *op, const char *lines, rwl_commit_outcome *out, rwl_error *err);
rwl_commit_outcome test_delete(const char *name, const char *where);
/* One rewrite; `options` NULL: --rewrite-all. */
typedef struct test_rewritten {
    rwl_commit_outcome commit;
    rwl_rewrite_result rewrite;
} test_rewritten;
test_rewritten test_rewrite(const char *name, const rwl_rewrite_options *options);
rwl_status try_rewrite(const char *name, const rwl_rewrite_options *options, rwl_error *err);
rwl_upgrade_report test_upgrade(const char *name, bool assign);
/* A target size that makes a rewrite of everything give `files` files per group of `bytes` live bytes. */
int64_t test_target(int64_t bytes, int64_t files);
/* Bytes of the live data files. */
int64_t test_bytes(const char *name);

/* --- what is in a table --- */

/* Live rows in scan order, "1,a=0/1 2,b=1/1": the columns, then _row_id/_last_updated_sequence_number. */
const char *test_rows(const char *name);
/* Without lineage; `select` NULL for all columns. */
const char *test_values(const char *name, const char *select);
/* The words of a text in order: by numbers, then letters. */
const char *test_sorted(const char *words);
/* Files of the table's folder and below, sorted, one a line. */
const char *test_listing(const char *name);

typedef struct test_head {
    int32_t format_version;
    int64_t next_row_id, last_sequence_number, snapshot_id, parent_id, first_row_id, added_rows;
    const char *operation;
    const rwl_json *summary; /* until the next call */
    rwl_manifest *manifests;
    int32_t manifest_count;
    rwl_manifest_entry *entries; /* of all manifests, DELETED ones too */
    int32_t *manifest_of;
    int32_t entry_count;
    int32_t data_files, delete_files; /* live entries */
} test_head;
test_head test_read_head(const char *name);
/* The n-th live data file. */
const rwl_manifest_entry *test_live(const test_head *head, int32_t n);
int64_t test_bound(const rwl_data_file *file, int32_t field_id, bool upper);
/* A figure of the head's summary; -1 when absent. */
int64_t test_figure(const test_head *head, const char *key);

/* --- commits of other writers, put together by hand --- */

/* A data file that nobody reads. */
rwl_added_file test_fake_file(const char *path, int64_t size, int64_t rows, const rwl_value *partition);
/* Appends such files, or any change, through the commit loop. */
rwl_commit_outcome test_commit(const char *name, const rwl_change_set *change);
rwl_status try_commit(rwl_table *t, const rwl_change_set *change, rwl_commit_outcome *out, rwl_error *err);
void test_append_fakes(const char *name, const rwl_added_file *files, size_t count);

/* A manifest with these files ADDED, for the next snapshot. */
rwl_manifest test_manifest(rwl_table *t, int32_t content, const rwl_data_file *files, int32_t count);
/* A snapshot with exactly these manifests; null first_row_ids are left null when `added_rows` is 0. */
void test_put_snapshot(rwl_table *t, const rwl_manifest *manifests, int32_t count, const char *operation,
                       const char *engine, int64_t added_rows);
/* A position delete file of `count` pairs in the table's data folder, as a delete entry; scoped to its only path. */
rwl_data_file test_position_deletes(rwl_table *t, const char *name, const char *const *paths,
                                    const int64_t *positions, int32_t count);
/* Commits an equality delete file `file` of these values of field 1, a long. */
void test_delete_by_equality(const char *name, const char *file, const int64_t *ids, int32_t count);

/* --- memory --- */

/* Makes the environment count what is live; the greatest since then. */
void test_count_memory(void);
int64_t test_peak_memory(void);

#endif
