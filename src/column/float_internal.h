/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of ten, for decimal text of floats in both directions. */
#ifndef RWL_COLUMN_FLOAT_INTERNAL_H
#define RWL_COLUMN_FLOAT_INTERNAL_H

#include <stdint.h>

enum {
    RWL_POW10_EXACT = 22, /* the greatest that a double has exactly */
    RWL_POW10_WHOLE = 19  /* the greatest that fits into 64 bits */
};

extern const double rwl_pow10_doubles[RWL_POW10_EXACT + 1];
extern const uint64_t rwl_pow10_whole[RWL_POW10_WHOLE + 1];

#endif
