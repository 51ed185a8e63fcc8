/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest decimal text of floats and doubles, and reading it back, whatever the locale. */
#include "base/int128.h"
#include "column/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

static const double POW10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/*
 * Short decimals without printf: w / 10^k with w < 10^15 and k <= 22 is one exact operand over another,
 * so that the division rounds as reading the text does. Decimals of up to 15 digits are apart by more
 * than a double's spacing, so the first that reads back is the only one of its length.
 */
static bool short_double(double v, int most_decimals, decimal_digits *d) {
    if (v >= 1e15 || v < 1e-7)
        return false;
    for (int k = 0; k <= most_decimals; k++) {
        double w = nearbyint(v * POW10[k]);
        if (w >= 1e15)
            return false;
        if (w > 0 && w / POW10[k] == v) {
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
        double w = nearbyint((double)v * POW10[k]);
        if (w >= 1e6)
            return false;
        if (w > 0 && (float)w / (float)POW10[k] == v) {
            split_whole((uint64_t)w, k, d);
            return true;
        }
    }
    return false;
}

/* 10^0 to 10^19: what a 64-bit number holds. */
static const uint64_t WHOLE_POW10[] = {
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
enum { WHOLE_POW10_MAX = 19 };

static rwl_u128 whole_pow10(int k) {
    return k <= WHOLE_POW10_MAX ? (rwl_u128)WHOLE_POW10[k]
                                : (rwl_u128)WHOLE_POW10[WHOLE_POW10_MAX] * WHOLE_POW10[k - WHOLE_POW10_MAX];
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

/*
 * A number for strtod: digits only and an exponent, so that the locale's point does not matter. More than
 * 800 significant digits cannot change the nearest double beyond "something follows", which one more
 * digit says.
 */
enum { DIGITS_MAX = 800 };

typedef struct number_text {
    char text[DIGITS_MAX + 40];
    size_t len;
    int64_t exp10; /* of the digits taken as an integer */
    bool dropped;  /* non-zero digits did not fit */
} number_text;

static void take_digit(number_text *n, char c, bool fraction) {
    bool leading_zero = c == '0' && (n->len == 0 || (n->len == 1 && n->text[0] == '-'));
    if (!leading_zero && n->len < DIGITS_MAX) {
        n->text[n->len++] = c;
        n->exp10 -= fraction;
    } else if (leading_zero) {
        n->exp10 -= fraction;
    } else {
        n->dropped |= c != '0';
        n->exp10 += !fraction;
    }
}

static bool parse_exponent(rwl_span text, size_t *pos, int64_t *out) {
    size_t i = *pos + 1;
    bool negative = false;
    if (i < text.len && (text.data[i] == '+' || text.data[i] == '-'))
        negative = text.data[i++] == '-';
    size_t first = i;
    int64_t value = 0;
    for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        if (value < 1000000)
            value = value * 10 + (text.data[i] - '0');
    }
    *pos = i;
    *out = negative ? -value : value;
    return i > first;
}

static bool scan_number(rwl_span text, number_text *n) {
    n->len = 0;
    n->exp10 = 0;
    n->dropped = false;
    size_t i = 0;
    bool point = false;
    size_t digits = 0;
    if (i < text.len && (text.data[i] == '-' || text.data[i] == '+')) {
        if (text.data[i] == '-')
            n->text[n->len++] = '-';
        i++;
    }
    size_t sign_len = n->len;
    for (; i < text.len; i++) {
        char c = (char)text.data[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            digits++;
            take_digit(n, c, point);
        } else {
            break;
        }
    }
    int64_t exponent = 0;
    if (digits > 0 && i < text.len && (text.data[i] == 'e' || text.data[i] == 'E') &&
        !parse_exponent(text, &i, &exponent))
        return false;
    if (digits == 0 || i != text.len)
        return false;
    if (n->len == sign_len)
        n->text[n->len++] = '0';
    if (n->dropped) {
        n->text[n->len++] = '1';
        n->exp10--;
    }
    n->exp10 += exponent;
    if (n->exp10 > 10000000 || n->exp10 < -10000000)
        n->exp10 = n->exp10 > 0 ? 10000000 : -10000000;
    snprintf(n->text + n->len, 24, "e%d", (int)n->exp10);
    return true;
}

/* --- short numbers, exactly and without strtod --- */

/* [-]digits[.digits][e[-]digits] of at most 19 digits as w * 10^exp10; false for any other text. */
static bool scan_short(rwl_span text, bool *negative, uint64_t *w, int *exp10) {
    size_t i = 0, digits = 0;
    int64_t exponent = 0;
    bool point = false;
    *negative = text.len > 0 && text.data[0] == '-';
    *w = 0;
    *exp10 = 0;
    for (i = *negative; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c >= '0' && c <= '9' && digits < 19) {
            digits++;
            *w = *w * 10 + (uint64_t)(c - '0');
            *exp10 -= point;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (digits == 0)
        return false;
    if (i < text.len && (text.data[i] == 'e' || text.data[i] == 'E') && !parse_exponent(text, &i, &exponent))
        return false;
    if (exponent < -100 || exponent > 100)
        return false;
    *exp10 += (int)exponent;
    return i == text.len && *exp10 >= -WHOLE_POW10_MAX && *exp10 <= WHOLE_POW10_MAX;
}

static int bit_length(rwl_u128 v) {
    uint64_t high = (uint64_t)(v >> 64);
    return high != 0 ? 128 - __builtin_clzll(high) : v != 0 ? 64 - __builtin_clzll((uint64_t)v) : 0;
}

/* w / 10^k as the nearest number of `bits` bits, ties to even: the quotient has more bits than that, the remainder decides ties. */
static double divide_exactly(uint64_t w, int k, int bits) {
    int shift = 64 + __builtin_clzll(w);
    rwl_u128 x = (rwl_u128)w << shift, q = x / WHOLE_POW10[k];
    bool rest = q * WHOLE_POW10[k] != x;
    int drop = bit_length(q) - bits;
    rwl_u128 kept = q >> drop, tail = q & (((rwl_u128)1 << drop) - 1), half = (rwl_u128)1 << (drop - 1);
    bool up = tail > half || (tail == half && (rest || (kept & 1) != 0));
    return ldexp((double)(uint64_t)kept + (double)up, drop - shift);
}

static bool equal_word(rwl_span text, const char *word) {
    size_t len = strlen(word);
    if (text.len != len)
        return false;
    for (size_t i = 0; i < len; i++) {
        if ((text.data[i] | 0x20) != word[i])
            return false;
    }
    return true;
}

static bool parse_word(rwl_span text, double *out) {
    bool negative = text.len > 0 && text.data[0] == '-';
    if (equal_word(text, "nan")) {
        *out = __builtin_nan("");
        return true;
    }
    if (negative)
        text = rwl_span_of(text.data + 1, text.len - 1);
    if (!equal_word(text, "infinity") && !equal_word(text, "inf"))
        return false;
    *out = negative ? -__builtin_inf() : __builtin_inf();
    return true;
}

bool rwl_double_parse(rwl_span text, double *out) {
    bool negative;
    uint64_t w;
    int exp10;
    if (scan_short(text, &negative, &w, &exp10)) {
        double v = 0;
        if (exp10 >= 0)
            v = (double)((rwl_u128)w * WHOLE_POW10[exp10]);
        else if (w < UINT64_C(1) << 53) /* one exact operand over another */
            v = (double)w / POW10[-exp10];
        else
            v = divide_exactly(w, -exp10, 53);
        *out = negative ? -v : v;
        return true;
    }
    if (parse_word(text, out))
        return true;
    number_text n;
    if (!scan_number(text, &n))
        return false;
    *out = strtod(n.text, NULL);
    return true;
}

bool rwl_float_parse(rwl_span text, float *out) {
    bool negative;
    uint64_t w;
    int exp10;
    if (scan_short(text, &negative, &w, &exp10)) {
        float v = 0;
        if (exp10 >= 0)
            v = (float)((rwl_u128)w * WHOLE_POW10[exp10]);
        else if (w > 0)
            v = (float)divide_exactly(w, -exp10, 24);
        *out = negative ? -v : v;
        return true;
    }
    double d;
    if (parse_word(text, &d)) {
        *out = (float)d;
        return true;
    }
    number_text n;
    if (!scan_number(text, &n))
        return false;
    *out = strtof(n.text, NULL);
    return true;
}
