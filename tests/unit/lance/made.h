/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets made of structs and of data files in a folder of their own, for tests of what a manifest may say. */
#ifndef RWL_TESTS_LANCE_MADE_H
#define RWL_TESTS_LANCE_MADE_H

#include "expect.h"
#include "lance/dataset.h"
#include "lance_build.h"
#include "table/rows.h"

typedef struct made {
    rwl_env env;
    rwl_op op;
    char folder[128];
    rwl_store *store;
    rwl_arena arena;
    rwl_lance_manifest
        manifest; /* stable ids, of which any may have been given, spilled lineage, no fragments */
    rwl_lance_dataset dataset;
} made;

void made_open(made *m, int64_t memory_limit);
void made_close(made *m);
/* A new path below the folder. */
const char *made_path(made *m, const char *name);
/* A data file data/`file` of 2.1 with one page a column: types ("int64", or with a name "_rowid:uint64") and values of `count` rows
 * each; bits 64. */
void made_file(made *m, const char *file, const char *const *types, const uint64_t *const *values,
               int32_t columns, uint32_t count);
/* `count` fields, and column indices unless NULL. */
rwl_lance_data_file made_data_file(const char *path, const int32_t *fields, const int32_t *indices,
                                   int32_t count);
/* An inline arm of these bytes. */
rwl_lance_arm made_arm(const rwl_buf *bytes);
rwl_lance_arm made_kind(rwl_lance_arm_kind kind);

/* Segments of a row-id sequence, each appended. */
void put_range(rwl_buf *out, uint64_t start, uint64_t end);
void put_holes(rwl_buf *out, uint64_t start, uint64_t end, const uint16_t *holes, size_t count);
void put_bitmap(rwl_buf *out, uint64_t start, uint64_t end, const uint8_t *bits, size_t len);
void put_numbers(rwl_buf *out, bool is_sorted, const uint16_t *values, size_t count);
/* A run of versions with the span [start, start + rows). */
void put_run(rwl_buf *out, uint64_t start, uint64_t rows, uint64_t version);

void assert_values(const rwl_runs *r, const int64_t *values, int64_t count);

#define COUNT_OF(array) ((int64_t)(sizeof(array) / sizeof *(array)))

#endif
