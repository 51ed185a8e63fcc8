/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest decimal text of floats and doubles, whatever the locale. */
#include "base/int128.h"
#include "column/float_internal.h"
#include "column/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const double rwl_pow10_doubles[RWL_POW10_EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const uint64_t rwl_pow10_whole[RWL_POW10_WHOLE + 1] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

/*
 * A number as decimal digits d1 d2 … dn and the power of ten of d1: d1.d2… * 10^exp10. 17 digits tell
 * any double apart.
 */
typedef struct decimal_digits {
    char digits[24];
    int count;
    int exp10;
} decimal_digits;

static void strip_zeros(decimal_digits *d) {
    while (d->count > 1 && d->digits[d->count - 1] == '0')
        d->count--;
}

/* The digits of `whole` * 10^-decimals, whole > 0. */
static void split_whole(uint64_t whole, int decimals, decimal_digits *d) {
    char reversed[24];
    int n = 0;
    for (; whole > 0; whole /= 10)
        reversed[n++] = (char)('0' + whole % 10);
    for (int i = 0; i < n; i++)
        d->digits[i] = reversed[n - 1 - i];
    d->count = n;
    d->exp10 = n - 1 - decimals;
    strip_zeros(d);
}

/* Digits out of "d.ddde±x"; the point may be any bytes (locale). */
static void split_printed(const char *text, decimal_digits *d) {
    d->count = 0;
    const char *p = text;
    for (; *p != '\0' && *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9' && d->count < 20)
            d->digits[d->count++] = *p;
    }
    d->exp10 = *p == 'e' ? (int)strtol(p + 1, NULL, 10) : 0;
    strip_zeros(d);
}

/*
 * Short decimals without printf: w / 10^k with w < 10^15 and k <= 22 is one exact operand over another,
 * so that the division rounds as reading the text does. Decimals of up to 15 digits are apart by more
 * than a double's spacing, so the first that reads back is the only one of its length.
 */
static bool short_double(double v, int most_decimals, decimal_digits *d) {
    if (v >= 1e15 || v < 1e-7)
        return false;
    for (int k = 0; k <= most_decimals; k++) {
        double w = nearbyint(v * rwl_pow10_doubles[k]);
        if (w >= 1e15)
            return false;
        if (w > 0 && w / rwl_pow10_doubles[k] == v) {
            split_whole((uint64_t)w, k, d);
            return true;
        }
    }
    return false;
}

/* As above for floats: up to 6 digits, and 10^10 is the largest power a float holds exactly. */
static bool short_float(float v, decimal_digits *d) {
    if (v >= 1e6F || v < 1e-4F)
        return false;
    for (int k = 0; k <= 10; k++) {
        double w = nearbyint((double)v * rwl_pow10_doubles[k]);
        if (w >= 1e6)
            return false;
        if (w > 0 && (float)w / (float)rwl_pow10_doubles[k] == v) {
            split_whole((uint64_t)w, k, d);
            return true;
        }
    }
    return false;
}

static rwl_u128 whole_pow10(int k) {
    return k <= RWL_POW10_WHOLE
               ? (rwl_u128)rwl_pow10_whole[k]
               : (rwl_u128)rwl_pow10_whole[RWL_POW10_WHOLE] * rwl_pow10_whole[k - RWL_POW10_WHOLE];
}

/* Of the multiples of `step` in [lo, hi], of which there is one, that nearest to x / 2^shift; of two the even one. */
static uint64_t nearest_multiple(rwl_u128 x, int shift, uint64_t step, uint64_t lo, uint64_t hi) {
    uint64_t down = (uint64_t)(x >> shift) / step * step, up = down + step;
    rwl_u128 below = x - ((rwl_u128)down << shift), above = ((rwl_u128)step << shift) - below;
    bool takes_down = below < above || (below == above && down / step % 2 == 0);
    return (takes_down || up > hi) && down >= lo ? down : up;
}

/*
 * Shortest digits by whole numbers: v = m / 2^s exactly, of `bits` bits, and reads back from all between the halves of the way to its
 * neighbours (these included when m is even: ties go there). Times 4 * 10^k * 2^s all three are whole, and k makes of them numbers of
 * `digits` digits or one more, which tell v apart. The largest power of ten with a multiple in between leaves the fewest digits.
 * Needs 4 * m * 10^k < 2^127.
 */
static bool exact_shortest(uint64_t m, int s, int bits, int digits, decimal_digits *d) {
    int exponent = bits - 1 - s;                  /* 2^exponent <= v */
    int k = digits - 1 - (exponent * 1233 >> 12); /* log10(2) a bit less: k may be one more than needed */
    if (exponent < -16 || s < 1 || k < 0 || k > 21)
        return false;
    rwl_u128 power = whole_pow10(k), x = power * m * 4;
    bool closer_below = m == UINT64_C(1) << (bits - 1);
    rwl_u128 low = x - (closer_below ? power : 2 * power), high = x + 2 * power;
    int shift = s + 2;
    rwl_u128 mask = ((rwl_u128)1 << shift) - 1;
    bool takes_ends = m % 2 == 0;
    uint64_t lo = (uint64_t)(low >> shift) + ((low & mask) != 0 || !takes_ends);
    uint64_t hi = (uint64_t)(high >> shift) - ((high & mask) == 0 && !takes_ends);
    if (lo > hi)
        return false;
    uint64_t step = 1;
    while (step <= hi / 10 && hi / (step * 10) * (step * 10) >= lo)
        step *= 10;
    split_whole(nearest_multiple(x, shift, step, lo, hi), k, d);
    return true;
}

/* Of normal numbers; others are left to printf. */
static bool exact_double(double v, decimal_digits *d) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int exponent = (int)(bits >> 52);
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    return exponent > 0 && exact_shortest(m, 1075 - exponent, 53, 17, d);
}

static bool exact_float(float v, decimal_digits *d) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    int exponent = (int)(bits >> 23);
    uint64_t m = (bits & ((UINT32_C(1) << 23) - 1)) | UINT32_C(1) << 23;
    return exponent > 0 && exact_shortest(m, 150 - exponent, 24, 9, d);
}

/*
 * Above a power of two the numbers lie twice as far apart as below, so the nearest decimal of n digits may
 * miss while the next one up still reads back: adds one to the last digit, where that needs no carry.
 */
static bool bump_last_digit(char *text) {
    char *e = strchr(text, 'e');
    if (e == NULL || e == text || e[-1] < '0' || e[-1] > '8')
        return false;
    e[-1]++;
    return true;
}

/* Subnormals carry fewer digits than the type guarantees, so they start at one. */
static void shortest_double(double v, decimal_digits *d) {
    /* two or three decimals are so common that they come first */
    if (short_double(v, 3, d) || exact_double(v, d) || short_double(v, 22, d))
        return;
    char text[64];
    int exponent;
    bool power_of_two = frexp(v, &exponent) == 0.5;
    for (int digits = v < 2.2250738585072014e-308 ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, v);
        if (digits == 17 || strtod(text, NULL) == v)
            break;
        if (power_of_two && bump_last_digit(text) && strtod(text, NULL) == v)
            break;
    }
    split_printed(text, d);
}

static void shortest_float(float v, decimal_digits *d) {
    if (short_float(v, d) || exact_float(v, d))
        return;
    char text[64];
    int exponent;
    bool power_of_two = frexpf(v, &exponent) == 0.5F;
    for (int digits = v < 1.17549435e-38F ? 1 : 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, (double)v);
        if (digits == 9 || strtof(text, NULL) == v)
            break;
        if (power_of_two && bump_last_digit(text) && strtof(text, NULL) == v)
            break;
    }
    split_printed(text, d);
}

/* Positional for 1e-4 <= v < 1e16, else with an exponent. */
static size_t write_digits(bool negative, const decimal_digits *d, char *out) {
    char *p = out;
    if (negative)
        *p++ = '-';
    if (d->exp10 < -4 || d->exp10 >= 16) {
        *p++ = d->digits[0];
        if (d->count > 1) {
            *p++ = '.';
            memcpy(p, d->digits + 1, (size_t)d->count - 1);
            p += d->count - 1;
        }
        return (size_t)(p - out) + (size_t)snprintf(p, 8, "e%d", d->exp10);
    }
    int point = d->exp10 + 1; /* digits before the point */
    if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = point; i < 0; i++)
            *p++ = '0';
        memcpy(p, d->digits, (size_t)d->count);
        p += d->count;
    } else {
        for (int i = 0; i < point; i++)
            *p++ = i < d->count ? d->digits[i] : '0';
        *p++ = '.';
        if (d->count <= point)
            *p++ = '0';
        for (int i = point; i < d->count; i++)
            *p++ = d->digits[i];
    }
    *p = '\0';
    return (size_t)(p - out);
}

static size_t write_word(const char *word, char *out) {
    size_t len = strlen(word);
    memcpy(out, word, len + 1);
    return len;
}

/* NaN, infinities and zeros; 0 when `v` is none of them. */
static size_t write_special(double v, char *out) {
    bool negative = __builtin_signbit(v) != 0;
    if (isnan(v))
        return write_word("NaN", out);
    if (isinf(v))
        return write_word(negative ? "-Infinity" : "Infinity", out);
    if (v == 0)
        return write_word(negative ? "-0.0" : "0.0", out);
    return 0;
}

size_t rwl_double_format(double v, char out[40]) {
    size_t len = write_special(v, out);
    if (len > 0)
        return len;
    decimal_digits d = {.count = 0};
    shortest_double(fabs(v), &d);
    return write_digits(v < 0, &d, out);
}

size_t rwl_float_format(float v, char out[40]) {
    size_t len = write_special((double)v, out);
    if (len > 0)
        return len;
    decimal_digits d = {.count = 0};
    shortest_float(fabsf(v), &d);
    return write_digits(v < 0, &d, out);
}
