/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of the tests of src/api. */
#ifndef RWL_TESTS_API_SUITES_H
#define RWL_TESTS_API_SUITES_H

#include <check.h>

Suite *output_suite(void);
Suite *parquet_suite(void);
Suite *rewrite_suite(void);
Suite *task_suite(void);

#endif
