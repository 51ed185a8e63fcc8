/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of the conformance program. */
#ifndef CONFORMANCE_SUITES_H
#define CONFORMANCE_SUITES_H

#include <check.h>

Suite *suite_rewrite_cases(void);  /* BIRD-01 to 30 */
Suite *suite_iceberg_cases(void);  /* ICE-14 to X14 */
Suite *suite_manifest_cases(void); /* ICE-39 to 53 */
Suite *suite_lineage_cases(void);  /* BUG-001 to 014, ICE-60 to 67 */
Suite *suite_delete_cases(void);   /* BUG-055 to 131, 225 */
Suite *suite_read_cases(void);     /* BUG-126 to 181 */
Suite *suite_commit_cases(void);   /* BUG-207 to 216 */

#endif
