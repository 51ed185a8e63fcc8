/* SPDX-License-Identifier: Apache-2.0 */
/* The test cases of storage/, and the directory each of them works in. */
#ifndef STORAGE_TESTS_H
#define STORAGE_TESTS_H

#include "storage/store.h"

#include <check.h>

TCase *paths_tests(void);
TCase *local_tests(void);
TCase *local_fault_tests(void);
TCase *stream_tests(void);
TCase *test_store_tests(void);

extern rwl_env env;
extern rwl_store *local; /* without maps */
extern char dir[64];     /* fresh, removed afterwards */

void make_dir(void);                  /* checked fixture: set-up */
void remove_dir(void);                /* and tear-down */
const char *in_dir(const char *name); /* dir/name, in one of a few static places */
int count_entries(const char *path);  /* -1 when there is no such directory */
void put(const char *location, const char *text);
void check_content(rwl_store *store, const char *location, const char *expected);

#endif
