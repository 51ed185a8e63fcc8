/* SPDX-License-Identifier: Apache-2.0 */
/* Floats and doubles from decimal text, the nearest each time, whatever the locale. */
#include "base/int128.h"
#include "column/float_internal.h"
#include "column/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    return i == text.len && *exp10 >= -RWL_POW10_WHOLE && *exp10 <= RWL_POW10_WHOLE;
}

static int bit_length(rwl_u128 v) {
    uint64_t high = (uint64_t)(v >> 64);
    return high != 0 ? 128 - __builtin_clzll(high) : v != 0 ? 64 - __builtin_clzll((uint64_t)v) : 0;
}

/* w / 10^k as the nearest number of `bits` bits, ties to even: the quotient has more bits than that, the remainder decides ties. */
static double divide_exactly(uint64_t w, int k, int bits) {
    int shift = 64 + __builtin_clzll(w);
    rwl_u128 x = (rwl_u128)w << shift, q = x / rwl_pow10_whole[k];
    bool rest = q * rwl_pow10_whole[k] != x;
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
            v = (double)((rwl_u128)w * rwl_pow10_whole[exp10]);
        else if (w < UINT64_C(1) << 53) /* one exact operand over another */
            v = (double)w / rwl_pow10_doubles[-exp10];
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
            v = (float)((rwl_u128)w * rwl_pow10_whole[exp10]);
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
