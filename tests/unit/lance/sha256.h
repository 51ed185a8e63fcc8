/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), by which the fixtures tell long lists. */
#ifndef RWL_TESTS_LANCE_SHA256_H
#define RWL_TESTS_LANCE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t length;
} sha256;

void sha256_init(sha256 *s);
void sha256_add(sha256 *s, const void *data, size_t len);
/* As 64 lower-case digits and a NUL. */
void sha256_finish(sha256 *s, char hex[65]);

#endif
