/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder's test program. */
#ifndef RWL_TESTS_LANCE_SUITES_H
#define RWL_TESTS_LANCE_SUITES_H

#include <check.h>

Suite *dataset_suite(void);
Suite *facts_suite(void);
Suite *flags_suite(void);
Suite *manifest_suite(void);
Suite *transaction_suite(void);

#endif
