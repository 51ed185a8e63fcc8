/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers of any length, as their text says them. */
#ifndef RWL_EXPR_NUMBER_H
#define RWL_EXPR_NUMBER_H

#include "base/int128.h"

/* A number as its text says it: digits without leading zeros, times 10^exp10. No digits: zero. */
typedef struct rwl_number {
    bool negative;
    bool is_integer; /* written without point and exponent */
    rwl_span digits; /* the point among them is skipped */
    size_t count;    /* digits without the point */
    int64_t exp10;
} rwl_number;

/* Reads what the lexer takes for a number, with a minus in front or without. */
rwl_number rwl_number_read(rwl_span text);
int rwl_number_compare(const rwl_number *a, const rwl_number *b);
/* The largest integer that is not greater than n * 10^scale; `where` tells when 38 digits do not hold it. */
void rwl_number_floor(const rwl_number *n, int scale, rwl_i128 *floor, bool *exact, int *where);
/* Text as decimal units of 10^-scale, the last digit rounded half away from zero; false when it is no number
 * or has more than `precision` digits. */
bool rwl_number_round(rwl_span text, int precision, int scale, rwl_i128 *out);

#endif
