/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of the conformance program. */
#ifndef CONFORMANCE_SUITES_H
#define CONFORMANCE_SUITES_H

#include <check.h>

Suite *suite_rewrite_cases(void); /* BIRD-01 to 30 */
Suite *suite_iceberg_cases(void); /* ICE-14 to X14 */

#endif
