/* SPDX-License-Identifier: Apache-2.0 */
/* The test cases of this folder, and what they share. */
#ifndef TESTS_PUFFIN_CASES_H
#define TESTS_PUFFIN_CASES_H

#include "base/buf.h"

#include <check.h>

TCase *dv_cases(void);
TCase *file_cases(void);

/* Bytes of hexadecimal text with spaces, appended to `out`. */
void append_hex(rwl_buf *out, const char *hex);
/* A file of the fixtures appended to `out`; false, saying so, when it is not there. */
bool append_fixture(rwl_buf *out, const char *name);

#endif
