/* SPDX-License-Identifier: Apache-2.0 */
/* The test cases of each module of base/, and what they share. */
#ifndef BASE_TESTS_H
#define BASE_TESTS_H

#include "base/env.h"

#include <check.h>

TCase *status_tests(void);
TCase *env_tests(void);
TCase *arena_tests(void);
TCase *buf_tests(void);
TCase *collection_tests(void);
TCase *int128_tests(void);
TCase *time_tests(void);
TCase *uuid_tests(void);
TCase *hash_tests(void);
TCase *pool_tests(void);
TCase *json_tests(void);

/* An environment whose allocator fails from the n-th call on and counts blocks. */
typedef struct failing_env {
    rwl_env env;
    int64_t calls, fail_at; /* fail_at 0: never */
    int64_t blocks;         /* allocated and not freed */
} failing_env;
void failing_env_init(failing_env *f, int64_t fail_at);

#endif
