/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target is: one function, called by libFuzzer or by replay.c. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/env.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A law that must hold for whatever input; breaking it is a finding. */
#define FUZZ_CHECK(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                    \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

static uint64_t fuzz_random_state;

static inline bool fuzz_random(void *ctx, void *out, size_t len) {
    uint8_t *bytes = (uint8_t *)out;
    (void)ctx;
    for (size_t i = 0; i < len; i++) {
        fuzz_random_state = fuzz_random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
        bytes[i] = (uint8_t)(fuzz_random_state >> 56);
    }
    return true;
}

/* Random numbers that begin anew: what an input does depends on nothing but the input. */
static inline void fuzz_fix_random(rwl_env *env) {
    fuzz_random_state = 0;
    env->random = fuzz_random;
}

/* For who looks why an input is refused: ROWLINE_SHOW. */
static inline void fuzz_show(const char *message) {
    if (getenv("ROWLINE_SHOW") != NULL)
        fprintf(stderr, "%s\n", message);
}

#endif
