/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers of any length: order, floor, rounding. */
#include "expr/number.h"

enum { EXPONENT_MAX = 100000000 };

static int64_t read_exponent(rwl_span text, size_t at) {
    bool negative = at < text.len && text.data[at] == '-';
    if (at < text.len && (text.data[at] == '-' || text.data[at] == '+'))
        at++;
    int64_t value = 0;
    for (; at < text.len; at++)
        value = value > EXPONENT_MAX ? value : value * 10 + (text.data[at] - '0');
    return negative ? -value : value;
}

rwl_number rwl_number_read(rwl_span text) {
    rwl_number n = {.is_integer = true};
    size_t i = 0;
    n.negative = text.len > 0 && text.data[0] == '-';
    i += n.negative;
    size_t first = SIZE_MAX; /* first digit that is no zero */
    size_t end = i;
    bool point = false;
    for (; i < text.len && text.data[i] != 'e' && text.data[i] != 'E'; i++) {
        end = i + 1;
        if (text.data[i] == '.') {
            point = true;
            n.is_integer = false;
            continue;
        }
        n.exp10 -= point;
        if (first == SIZE_MAX && text.data[i] != '0')
            first = i;
        n.count += first != SIZE_MAX;
    }
    if (i < text.len) {
        n.is_integer = false;
        n.exp10 += read_exponent(text, i + 1);
    }
    if (first != SIZE_MAX)
        n.digits = rwl_span_of(text.data + first, end - first);
    return n;
}

/* Steps through digits, leaving the point out; past the end zeros. */
typedef struct digit_reader {
    rwl_span digits;
    size_t at;
} digit_reader;

static int next_digit(digit_reader *r) {
    if (r->at < r->digits.len && r->digits.data[r->at] == '.')
        r->at++;
    return r->at < r->digits.len ? r->digits.data[r->at++] - '0' : 0;
}

static int compare_magnitudes(const rwl_number *a, const rwl_number *b) {
    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    int64_t a_top = (int64_t)a->count + a->exp10;
    int64_t b_top = (int64_t)b->count + b->exp10;
    if (a_top != b_top)
        return a_top < b_top ? -1 : 1;
    digit_reader x = {a->digits, 0};
    digit_reader y = {b->digits, 0};
    size_t n = a->count > b->count ? a->count : b->count;
    for (size_t i = 0; i < n; i++) {
        int order = next_digit(&x) - next_digit(&y);
        if (order != 0)
            return order < 0 ? -1 : 1;
    }
    return 0;
}

int rwl_number_compare(const rwl_number *a, const rwl_number *b) {
    bool a_below = a->negative && a->count > 0;
    bool b_below = b->negative && b->count > 0;
    if (a_below != b_below)
        return a_below ? -1 : 1;
    int order = compare_magnitudes(a, b);
    return a_below ? -order : order;
}

void rwl_number_floor(const rwl_number *n, int scale, rwl_i128 *floor, bool *exact, int *where) {
    *floor = 0;
    *exact = true;
    *where = 0;
    if (n->count == 0)
        return;
    int64_t whole = (int64_t)n->count + n->exp10 + scale; /* digits before the point */
    if (whole > 38) {
        *where = n->negative ? -1 : 1;
        return;
    }
    rwl_i128 value = 0;
    digit_reader r = {n->digits, 0};
    int64_t taken = 0;
    for (; taken < whole; taken++)
        value = value * 10 + next_digit(&r);
    for (int64_t left = whole < 0 ? 0 : whole; *exact && left < (int64_t)n->count; left++)
        *exact = next_digit(&r) == 0;
    *floor = n->negative ? -value - !*exact : value;
}

/* Whether the text is what rwl_number_read takes: a sign, digits with at most one point, an exponent. */
static bool is_number_text(rwl_span text) {
    size_t i = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    size_t digits = 0, points = 0;
    for (; i < text.len && (text.data[i] == '.' || (text.data[i] >= '0' && text.data[i] <= '9')); i++) {
        points += text.data[i] == '.';
        digits += text.data[i] != '.';
    }
    if (digits == 0 || points > 1)
        return false;
    if (i == text.len)
        return true;
    if (text.data[i] != 'e' && text.data[i] != 'E')
        return false;
    i++;
    i += i < text.len && (text.data[i] == '-' || text.data[i] == '+');
    size_t start = i;
    while (i < text.len && text.data[i] >= '0' && text.data[i] <= '9')
        i++;
    return i == text.len && i > start;
}

bool rwl_number_round(rwl_span text, int precision, int scale, rwl_i128 *out) {
    if (!is_number_text(text))
        return false;
    if (text.data[0] == '+')
        text = rwl_span_of(text.data + 1, text.len - 1);
    rwl_number n = rwl_number_read(text);
    bool negative = n.negative;
    bool exact;
    int where;
    rwl_i128 units;
    n.negative = false;
    rwl_number_floor(&n, scale, &units, &exact, &where);
    if (where != 0)
        return false;
    if (!exact) { /* the next digit decides */
        int64_t whole = (int64_t)n.count + n.exp10 + scale;
        digit_reader r = {n.digits, 0};
        int digit = 0;
        for (int64_t i = 0; i <= whole; i++)
            digit = next_digit(&r);
        units += whole >= 0 && digit >= 5;
    }
    *out = negative ? -units : units;
    return rwl_i128_fits_digits(units, precision);
}
