/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lineage/ share: suites, sequences and columns written as literals. */
#ifndef LINEAGE_TEST_H
#define LINEAGE_TEST_H

#include "column/runs.h"
#include "expect.h"

#define NIL INT64_MIN /* a null in a literal */

Suite *assign_suite(void);
Suite *inherit_suite(void);
Suite *carry_suite(void);
Suite *pin_suite(void);
Suite *distinct_suite(void);
Suite *conserve_suite(void);
Suite *digest_suite(void);
Suite *laws_suite(void);
Suite *segment_suite(void);
Suite *walk_suite(void);

/* The environment of the running test. */
const rwl_env *test_env(void);
/* A sequence of `count` values, NIL for null; cleared by the caller. */
rwl_runs make_runs(int32_t step, const int64_t *values, int64_t count);
/* A LONG column of the same. */
rwl_column make_column(const int64_t *values, int64_t count);
/* Fails the test unless `r` is exactly these values. */
void assert_runs(const rwl_runs *r, const int64_t *values, int64_t count);
void assert_column(const rwl_column *c, const int64_t *values, int64_t count);
/* A reproducible random number below `bound`. */
uint64_t random_below(uint64_t *state, uint64_t bound);

#define COUNT_OF(array) ((int64_t)(sizeof(array) / sizeof *(array)))

#endif
