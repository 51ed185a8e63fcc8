/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests with random expressions share: their surroundings and their numbers. ROWLINE_SEED gives others. */
#ifndef RWL_TEST_EXPR_RANDOM_H
#define RWL_TEST_EXPR_RANDOM_H

#include "suites.h"

extern rwl_env env;
extern rwl_arena arena;
extern uint64_t seed; /* of the numbers to come */

uint64_t next_random(void);
int pick(int n); /* 0 to n - 1 */

void setup(void);
void teardown(void);

#endif
