/* SPDX-License-Identifier: Apache-2.0 */
/* The test cases of this folder. */
#ifndef TESTS_AVRO_CASES_H
#define TESTS_AVRO_CASES_H

#include <check.h>

TCase *schema_cases(void);
TCase *file_cases(void);
TCase *rows_cases(void);
TCase *fixture_cases(void);

#endif
