/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the ids of a stretch, compiled a second time for processors that multiply eight numbers at once. */
#ifndef RWL_LINEAGE_WIDE_H
#define RWL_LINEAGE_WIDE_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define RWL_WIDE __attribute__((target("avx512f,avx512dq")))
static inline bool rwl_has_wide(void) {
    return __builtin_cpu_supports("avx512dq");
}
#else
#define RWL_WIDE
static inline bool rwl_has_wide(void) {
    return false;
}
#endif

/* The body of such a loop, inline in both. */
#define RWL_WIDE_BODY static inline __attribute__((always_inline))

#endif
