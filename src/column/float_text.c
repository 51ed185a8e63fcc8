/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest decimal text of floats and doubles, and reading it back, whatever the locale. */
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
static bool short_double(double v, decimal_digits *d) {
    if (v >= 1e15 || v < 1e-7)
        return false;
    for (int k = 0; k <= 22; k++) {
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
    if (short_double(v, d))
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
    if (short_float(v, d))
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
    if (parse_word(text, out))
        return true;
    number_text n;
    if (!scan_number(text, &n))
        return false;
    *out = strtod(n.text, NULL);
    return true;
}

bool rwl_float_parse(rwl_span text, float *out) {
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
