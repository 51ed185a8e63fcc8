/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder's test program. */
#ifndef RWL_TESTS_LANCEFILE_SUITES_H
#define RWL_TESTS_LANCEFILE_SUITES_H

#include <check.h>

#endif
