/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar arithmetic and the text forms of dates, times and timestamps (proleptic Gregorian). */
#ifndef RWL_BASE_TIME_H
#define RWL_BASE_TIME_H

#include "base/buf.h"

/* Days since 1970-01-01 of a civil date; months 1..12. */
int64_t rwl_days_from_civil(int64_t year, int month, int day);
void rwl_civil_from_days(int64_t days, int64_t *year, int *month, int *day);
/* Floor division and its non-negative remainder, divisor > 0. */
static inline int64_t rwl_floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}
static inline int64_t rwl_floor_mod(int64_t a, int64_t b) {
    return a % b + (a % b < 0 ? b : 0);
}

/* Text forms of CLI.md, "Values in JSON". Each writes a NUL and returns the length. Years outside
 * 0001..9999 have a sign and as many digits as they need. `digits` is 6 (micros) or 9 (nanos). */
#define RWL_TIME_TEXT_MAX 48
size_t rwl_date_format(int32_t days, char out[RWL_TIME_TEXT_MAX]);
size_t rwl_time_format(int64_t units, int digits, char out[RWL_TIME_TEXT_MAX]);
size_t rwl_timestamp_format(int64_t units, int digits, bool zone, char out[RWL_TIME_TEXT_MAX]);
/* An instant in milliseconds, for messages: the nearest that 64 bits of microseconds reach. */
const char *rwl_instant_format(int64_t ms, char out[RWL_TIME_TEXT_MAX]);

/* Inverse. Accept ISO 8601: 'T' or ' ' between date and time, 0 to `digits` fraction digits (more only
 * when they are zero). `zone` true requires Z or +hh:mm and converts to UTC; false refuses one.
 * False: not that form, or out of range of the type. */
bool rwl_date_parse(rwl_span text, int32_t *days);
bool rwl_time_parse(rwl_span text, int digits, int64_t *units);
bool rwl_timestamp_parse(rwl_span text, int digits, bool zone, int64_t *units);

#endif
