/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target is: one function, called by libFuzzer or by replay.c. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
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

/* For who looks why an input is refused: ROWLINE_SHOW. */
static inline void fuzz_show(const char *message) {
    if (getenv("ROWLINE_SHOW") != NULL)
        fprintf(stderr, "%s\n", message);
}

#endif
