/* SPDX-License-Identifier: Apache-2.0 */
/* An environment that counts the bytes held, for tests of one thread. */
#ifndef RWL_TESTS_COUNTED_H
#define RWL_TESTS_COUNTED_H

#include "base/env.h"

extern int64_t counted_live; /* bytes held now */
extern int64_t counted_peak; /* the most since it was last set */

/* The default environment with this allocator; counts start at 0. */
void counted_env_init(rwl_env *env);

#endif
