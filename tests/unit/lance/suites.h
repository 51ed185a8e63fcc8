/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder's test program. */
#ifndef RWL_TESTS_LANCE_SUITES_H
#define RWL_TESTS_LANCE_SUITES_H

#include <check.h>

Suite *dataset_suite(void);
Suite *deletions_suite(void);
Suite *driver_suite(void);
Suite *facts_suite(void);
Suite *fixtures_suite(void);
Suite *flags_suite(void);
Suite *lineage_suite(void);
Suite *manifest_suite(void);
Suite *plain_suite(void);
Suite *prune_suite(void);
Suite *sequence_suite(void);
Suite *transaction_suite(void);

#endif
