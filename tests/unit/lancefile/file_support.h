/* SPDX-License-Identifier: Apache-2.0 */
/* Lance data files from bytes in memory, for tests of what opens them. */
#ifndef RWL_TESTS_LANCEFILE_FILE_SUPPORT_H
#define RWL_TESTS_LANCEFILE_FILE_SUPPORT_H

#include "lance_build.h"
#include "lancefile/file.h"

#include <check.h>

typedef struct memory_file {
    rwl_env env;
    rwl_op op;
    rwl_error err;
    rwl_store *store;
    rwl_lancefile *file; /* NULL when it did not open */
} memory_file;

/* The bytes are borrowed until memory_file_clear. */
rwl_status memory_file_open(memory_file *f, rwl_span bytes);
/* Closes the file; fails the test when anything stays charged. */
void memory_file_clear(memory_file *f);
/* What the open file has charged once it knows its columns, or those that can be read: what reading it is to leave. */
int64_t memory_file_held(memory_file *f);
/* Fails the test unless the last status was this one and its message holds the text. */
void expect_failure(rwl_status status, rwl_status expected, const rwl_error *err, const char *text);

#endif
