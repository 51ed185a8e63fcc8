/* SPDX-License-Identifier: Apache-2.0 */
/* Data files of fixture datasets, read through rwl_lance_reader and compared with the cells their writer read. */
#ifndef RWL_TESTS_LANCEFILE_FIXTURE_SUPPORT_H
#define RWL_TESTS_LANCEFILE_FIXTURE_SUPPORT_H

#include "base/json.h"
#include "lancefile/reader.h"

enum { FIXTURE_FILES_MAX = 8, FIXTURE_FIELDS_MAX = 64 };

/* One fragment of the last version of a dataset, open. */
typedef struct fixture_fragment {
    int64_t id, rows;
    rwl_lancefile *files[FIXTURE_FILES_MAX];
    int file_count;
    rwl_lance_read_field fields[FIXTURE_FIELDS_MAX]; /* by top-level field */
} fixture_fragment;

typedef struct fixture {
    rwl_env env;
    rwl_op op;
    rwl_error err;
    rwl_arena arena;
    rwl_store *store;
    rwl_json *expected;
    const rwl_json *last;      /* the last version, which has rows */
    const rwl_json *fragments; /* of it */
    rwl_lance_schema schema;
    char dir[512];
} fixture;

/* False when there is no such dataset here. */
bool fixture_open(fixture *f, const char *name);
void fixture_close(fixture *f);
void fixture_open_fragment(fixture *f, size_t i, fixture_fragment *out);
void fixture_close_fragment(fixture_fragment *fragment);
/* Fails the test unless row `i` of the batch is the expected row, an array of cells by field. */
void fixture_check_row(const fixture *f, const rwl_batch *batch, int64_t i, const rwl_json *row,
                       const char *where);

#endif
