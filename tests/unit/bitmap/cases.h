/* SPDX-License-Identifier: Apache-2.0 */
/* The test cases of this folder. */
#ifndef TESTS_BITMAP_CASES_H
#define TESTS_BITMAP_CASES_H

#include <check.h>

TCase *bitmap_cases(void);
TCase *serialize_cases(void);

#endif
