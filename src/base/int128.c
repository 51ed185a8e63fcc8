/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit integers as text, as bytes and within decimal precision. */
#include "base/int128.h"

enum { MAX_DIGITS = 38 };

static rwl_u128 magnitude(rwl_i128 value) {
    return value < 0 ? -(rwl_u128)value : (rwl_u128)value;
}

size_t rwl_i128_format(rwl_i128 value, int scale, char out[RWL_I128_TEXT_MAX]) {
    char reversed[RWL_I128_TEXT_MAX];
    size_t count = 0;
    rwl_u128 rest = magnitude(value);
    for (int digit = 0; rest != 0 || digit <= scale; digit++) {
        if (scale > 0 && digit == scale)
            reversed[count++] = '.';
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    size_t len = 0;
    if (value < 0)
        out[len++] = '-';
    while (count > 0)
        out[len++] = reversed[--count];
    out[len] = '\0';
    return len;
}

bool rwl_i128_parse(rwl_span text, int scale, rwl_i128 *out) {
    size_t i = 0;
    bool negative = text.len > 0 && text.data[0] == '-';
    if (negative || (text.len > 0 && text.data[0] == '+'))
        i++;
    const rwl_u128 room = (rwl_u128)rwl_i128_pow10(MAX_DIGITS - 1); /* below it one more digit fits */
    rwl_u128 value = 0;
    int fraction = -1; /* digits after the point; -1 before it */
    bool any = false;
    for (; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c == '.' && fraction < 0) {
            fraction = 0;
            continue;
        }
        if (c < '0' || c > '9' || (fraction >= 0 && ++fraction > scale))
            return false;
        any = true;
        if (value >= room)
            return false;
        value = value * 10 + (uint8_t)(c - '0');
    }
    for (int digits = fraction < 0 ? 0 : fraction; digits < scale; digits++) {
        if (value >= room)
            return false;
        value *= 10;
    }
    if (!any)
        return false;
    *out = negative ? -(rwl_i128)value : (rwl_i128)value;
    return true;
}

size_t rwl_i128_to_be(rwl_i128 value, uint8_t out[16]) {
    uint8_t all[16];
    for (int i = 0; i < 16; i++)
        all[i] = (uint8_t)((rwl_u128)value >> (8 * (15 - i)));
    uint8_t fill = value < 0 ? 0xff : 0;
    size_t start = 0; /* a leading byte goes when it only repeats the sign of the next */
    while (start < 15 && all[start] == fill && ((all[start + 1] ^ fill) & 0x80) == 0)
        start++;
    memcpy(out, all + start, 16 - start);
    return 16 - start;
}

bool rwl_i128_from_be(rwl_span bytes, rwl_i128 *out) {
    if (bytes.len == 0)
        return false;
    uint8_t fill = bytes.data[0] & 0x80 ? 0xff : 0;
    size_t start = 0;
    while (bytes.len - start > 16) {
        if (bytes.data[start++] != fill)
            return false;
    }
    if (start > 0 && ((bytes.data[start] ^ fill) & 0x80))
        return false;
    rwl_u128 value = fill ? ~(rwl_u128)0 : 0;
    for (size_t i = start; i < bytes.len; i++)
        value = value << 8 | bytes.data[i];
    *out = (rwl_i128)value;
    return true;
}

rwl_i128 rwl_i128_load(const uint8_t *p) {
    return (rwl_i128)((rwl_u128)rwl_load_le64(p + 8) << 64 | rwl_load_le64(p));
}

void rwl_i128_store(uint8_t *p, rwl_i128 value) {
    rwl_store_le64(p, (uint64_t)(rwl_u128)value);
    rwl_store_le64(p + 8, (uint64_t)((rwl_u128)value >> 64));
}

rwl_i128 rwl_i128_pow10(int exponent) {
    rwl_i128 value = 1;
    for (int i = 0; i < exponent && i < MAX_DIGITS; i++)
        value *= 10;
    return value;
}

bool rwl_i128_fits_digits(rwl_i128 value, int precision) {
    if (precision > MAX_DIGITS)
        precision = MAX_DIGITS;
    return precision > 0 && magnitude(value) < (rwl_u128)rwl_i128_pow10(precision);
}

bool rwl_i128_add(rwl_i128 a, rwl_i128 b, rwl_i128 *out) {
    return !__builtin_add_overflow(a, b, out);
}

/* --- 256 bits --- */

enum { MAX_SCALE_256 = 76 };

typedef struct magnitude256 {
    uint32_t words[8]; /* least first */
} magnitude256;

/* The magnitude; true when the value is negative. */
static bool load_256(const uint8_t *value, magnitude256 *out) {
    bool negative = (value[31] & 0x80) != 0;
    uint64_t carry = negative;
    for (int i = 0; i < 8; i++) {
        uint32_t word = rwl_load_le32(value + 4 * i);
        carry += negative ? ~word : word;
        out->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return negative;
}

/* Divides by ten, returns the rest. */
static unsigned divide_by_ten(magnitude256 *m) {
    uint64_t rest = 0;
    for (int i = 7; i >= 0; i--) {
        rest = rest << 32 | m->words[i];
        m->words[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return (unsigned)rest;
}

static bool is_zero(const magnitude256 *m) {
    uint32_t any = 0;
    for (int i = 0; i < 8; i++)
        any |= m->words[i];
    return any == 0;
}

size_t rwl_i256_format(const uint8_t value[32], int scale, char out[RWL_I256_TEXT_MAX]) {
    char reversed[RWL_I256_TEXT_MAX];
    magnitude256 rest;
    size_t count = 0;
    size_t len = 0;
    if (scale > MAX_SCALE_256)
        scale = MAX_SCALE_256;
    if (load_256(value, &rest))
        out[len++] = '-';
    for (int digit = 0; digit <= scale || !is_zero(&rest); digit++) {
        if (scale > 0 && digit == scale)
            reversed[count++] = '.';
        reversed[count++] = (char)('0' + divide_by_ten(&rest));
    }
    while (count > 0)
        out[len++] = reversed[--count];
    out[len] = '\0';
    return len;
}

bool rwl_i256_fits_digits(const uint8_t value[32], int precision) {
    magnitude256 rest;
    (void)load_256(value, &rest);
    for (int i = 0; i < precision && !is_zero(&rest); i++)
        (void)divide_by_ten(&rest);
    return is_zero(&rest);
}
