/* SPDX-License-Identifier: Apache-2.0 */
/* Surroundings and numbers of the tests with random expressions. */
#include "random.h"

#include <stdlib.h>

rwl_env env;
rwl_arena arena;
uint64_t seed;

uint64_t next_random(void) { /* splitmix64 */
    uint64_t z = (seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
int pick(int n) {
    return (int)(next_random() % (uint64_t)n);
}

void setup(void) {
    rwl_env_init_default(&env);
    rwl_arena_init(&arena, &env, 0);
    const char *given = getenv("ROWLINE_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : 20261130;
}
void teardown(void) {
    rwl_arena_clear(&arena);
}
