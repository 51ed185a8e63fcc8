/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of this folder's test program. */
#ifndef RWL_TESTS_WIRE_SUITES_H
#define RWL_TESTS_WIRE_SUITES_H

#include <check.h>

Suite *proto_suite(void);
Suite *thrift_suite(void);

#endif
