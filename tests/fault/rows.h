/* SPDX-License-Identifier: Apache-2.0 */
/* What a scan of a damaged table gave, and files that tests damage. */
#ifndef RWL_TESTS_FAULT_ROWS_H
#define RWL_TESTS_FAULT_ROWS_H

#include "engine/scan.h"

/* The rows as a sum of hashes, so that their order does not matter. */
typedef struct outcome {
    rwl_status status;
    int64_t rows, next_row_id;
    uint64_t sum;
    rwl_error error;
} outcome;

/* Adds all rows of the scan. */
rwl_status read_rows(rwl_scan *scan, const rwl_env *env, outcome *o, rwl_error *err);

/* A whole file, to be freed; the test fails when that can't be. */
uint8_t *read_file(const char *path, size_t *len);
void write_file(const char *path, const uint8_t *bytes, size_t len);
double cpu_seconds(void); /* of this process */

#endif
