/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of catalog/ share: a temporary directory, a local store, files by name. */
#ifndef CATALOG_TEST_H
#define CATALOG_TEST_H

#include "catalog/catalog.h"
#include "expect.h"

Suite *names_suite(void);
Suite *place_suite(void);
Suite *swap_suite(void);

/* Set up by `setup` for each test; `table` is the path of a table that is not there yet. */
typedef struct fixture {
    rwl_env env;
    rwl_op op;
    rwl_arena arena;
    rwl_store *store;
    char root[64], table[96];
    char log[4096]; /* lines logged */
} fixture;
extern fixture fx;
void setup(void);
void teardown(void);

/* A path under the table's directory; static storage, overwritten by the next call but three. */
const char *under_table(const char *name);
/* Writes TABLE/NAME, its folders made. */
void write_file(const char *name, const char *content);
/* TABLE/NAME as text, "" when it is not there; static storage. */
const char *read_file(const char *name);
bool file_exists(const char *name);
/* Files in TABLE/metadata whose names start with `prefix`. */
int count_files(const char *prefix);
/* Commits `text` as version `number` of the table. */
rwl_status swap_text(const rwl_place *place, int64_t number, const char *text, bool gzip, rwl_error *err);
/* Loads the newest version; fails the test unless it is `number` with `text`. */
void assert_newest(const rwl_place *place, int64_t number, const char *text);
rwl_place find_place(const char *name);

#endif
