/* SPDX-License-Identifier: Apache-2.0 */
/* Data and delete files written for a test, and which rows of them are live. */
#ifndef ICEBERG_FRAGMENT_TEST_H
#define ICEBERG_FRAGMENT_TEST_H

#include "iceberg/delete_cache.h"
#include "table/fragment.h"
#include "table_test.h"

enum { COLUMNS = 8 };

/* Fields by text with ids of their own: "id int, s string" and {1, 2}. */
typedef struct columns {
    rwl_field fields[COLUMNS];
    int32_t count;
} columns;

columns columns_of(const char *text, const int32_t *ids);

/* Writes a Parquet file whose rows are "1|a" texts, one a row, ids from 1 on without `ids`; returns its fragment. A struct's
 * fields are separated by commas: "1,x|a"; none of them null. The path has a number of its own before the name. */
rwl_fragment write_file(const char *name, const columns *c, const char *const *rows, int64_t count,
                        int64_t row_group_bytes);
rwl_delete_ref write_vector(const char *name, const char *data_file, const int64_t *positions, size_t count);
/* Equality deletes of these keys; the file is written with `c`. Ids ascending. */
rwl_delete_ref write_equality(const char *name, const columns *c, const char *const *rows, int64_t count,
                              const int32_t *ids, int32_t id_count);
/* A file of "path|pos" rows. */
rwl_delete_ref write_positions(const char *name, const char *const *rows, int64_t count);

/* The fragment's live positions "0 2 3", read with `cache`. */
const char *live_rows(const rwl_metadata *m, const rwl_fragment *f, rwl_delete_cache *cache);
/* The same without a cache, with a cache, twice, and with one so small that sets are read in parts. */
void assert_live(const rwl_metadata *m, const rwl_fragment *f, const char *want);
/* Reading the fragment's deletes fails. */
void assert_deletes_fail(const rwl_metadata *m, const rwl_fragment *f, rwl_status code, const char *part);

#endif
