/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit integers: decimals, exact sums. */
#ifndef RWL_BASE_INT128_H
#define RWL_BASE_INT128_H

#include "base/buf.h"

__extension__ typedef __int128 rwl_i128;
__extension__ typedef unsigned __int128 rwl_u128;

/* Digits with sign, "." before the last `scale` of them (scale 0: none): needs up to 48 bytes. */
#define RWL_I128_TEXT_MAX 48
size_t rwl_i128_format(rwl_i128 value, int scale, char out[RWL_I128_TEXT_MAX]);
/* Parses a decimal number exactly into units of 10^-scale; false when it does not fit 38 digits or
 * has more fraction digits than scale. */
bool rwl_i128_parse(rwl_span text, int scale, rwl_i128 *out);
/* Two's complement, big endian, fewest bytes (at least 1); returns the length, at most 16. */
size_t rwl_i128_to_be(rwl_i128 value, uint8_t out[16]);
/* Sign-extends big-endian bytes, 0 < len; false when the value needs more than 128 bits. */
bool rwl_i128_from_be(rwl_span bytes, rwl_i128 *out);
rwl_i128 rwl_i128_load(const uint8_t *p); /* 16 little-endian bytes, any alignment */
void rwl_i128_store(uint8_t *p, rwl_i128 value);
rwl_i128 rwl_i128_pow10(int exponent); /* 0..38 */
bool rwl_i128_fits_digits(rwl_i128 value, int precision);
/* Checked sum; false on overflow. */
bool rwl_i128_add(rwl_i128 a, rwl_i128 b, rwl_i128 *out);

/* 256-bit integers of 32 little-endian bytes, two's complement: as text like the above, up to 81 bytes with a scale of up to 76. */
#define RWL_I256_TEXT_MAX 96
size_t rwl_i256_format(const uint8_t value[32], int scale, char out[RWL_I256_TEXT_MAX]);
bool rwl_i256_fits_digits(const uint8_t value[32], int precision);

/* Checked int64 sum and product; false on overflow. */
static inline bool rwl_i64_add(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline bool rwl_i64_mul(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

#endif
