/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of this folder's modules. */
#ifndef RWL_TEST_CODEC_SUITES_H
#define RWL_TEST_CODEC_SUITES_H

#include <check.h>

TCase *snappy_cases(void);

#endif
