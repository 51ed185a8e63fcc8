/* SPDX-License-Identifier: Apache-2.0 */
/* Dates, times and timestamps: calendar arithmetic and text. */
#include "base/time.h"

#include "base/int128.h"

#include <string.h>

enum { DAY_SECONDS = 86400, MAX_YEAR_DIGITS = 9 };

/* Both work in years that begin on 1 March, so that the leap day is a year's last, and in eras of 400
 * years (146097 days); 719468 days lie between 0000-03-01 and 1970-01-01. */
int64_t rwl_days_from_civil(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = rwl_floor_div(year, 400);
    int64_t year_of_era = rwl_floor_mod(year, 400);
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

void rwl_civil_from_days(int64_t days, int64_t *year, int *month, int *day) {
    /* the offset is added after the division: days may lie at the end of int64 */
    int64_t era = rwl_floor_div(days, 146097) + 4;
    int64_t day_of_era = rwl_floor_mod(days, 146097) + (719468 - 4 * 146097);
    era += day_of_era / 146097;
    day_of_era %= 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int shifted = (int)((5 * day_of_year + 2) / 153);
    *day = (int)(day_of_year - (153 * shifted + 2) / 5 + 1);
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static int64_t units_per_second(int digits) {
    return digits == 9 ? 1000000000 : 1000000;
}

/* `value`, which is not negative, with at least `width` digits. */
static size_t put_number(char *out, size_t at, int64_t value, int width) {
    char reversed[24];
    int n = 0;
    for (; value > 0 || n < width; value /= 10)
        reversed[n++] = (char)('0' + value % 10);
    while (n > 0)
        out[at++] = reversed[--n];
    return at;
}

static size_t put_char(char *out, size_t at, char c) {
    out[at] = c;
    return at + 1;
}

static size_t put_date(char *out, int64_t days) {
    int64_t year;
    int month, day;
    rwl_civil_from_days(days, &year, &month, &day);
    size_t at = 0;
    if (year < 1 || year > 9999) {
        at = put_char(out, at, year < 0 ? '-' : '+');
        year = year < 0 ? -year : year;
    }
    at = put_char(out, put_number(out, at, year, 4), '-');
    at = put_char(out, put_number(out, at, month, 2), '-');
    return put_number(out, at, day, 2);
}

static size_t put_clock(char *out, size_t at, int64_t seconds) {
    at = put_char(out, put_number(out, at, seconds / 3600, 2), ':');
    at = put_char(out, put_number(out, at, seconds / 60 % 60, 2), ':');
    return put_number(out, at, seconds % 60, 2);
}

static size_t put_fraction(char *out, size_t at, int64_t fraction, int digits) {
    return put_number(out, put_char(out, at, '.'), fraction, digits == 9 ? 9 : 6);
}

/* A NUL behind the text. */
static size_t end_text(char *out, size_t at) {
    out[at] = '\0';
    return at;
}

size_t rwl_date_format(int32_t days, char out[RWL_TIME_TEXT_MAX]) {
    return end_text(out, put_date(out, days));
}

size_t rwl_time_format(int64_t units, int digits, char out[RWL_TIME_TEXT_MAX]) {
    size_t at = 0;
    int64_t per_second = units_per_second(digits);
    int64_t seconds = units / per_second, fraction = units % per_second;
    if (units < 0) { /* no time of day; shown as it is */
        out[at++] = '-';
        seconds = -seconds;
        fraction = -fraction;
    }
    at = put_clock(out, at, seconds);
    return end_text(out, put_fraction(out, at, fraction, digits));
}

size_t rwl_timestamp_format(int64_t units, int digits, bool zone, char out[RWL_TIME_TEXT_MAX]) {
    int64_t per_second = units_per_second(digits);
    int64_t seconds = rwl_floor_div(units, per_second);
    size_t at = put_date(out, rwl_floor_div(seconds, DAY_SECONDS));
    out[at++] = 'T';
    at = put_clock(out, at, rwl_floor_mod(seconds, DAY_SECONDS));
    at = put_fraction(out, at, rwl_floor_mod(units, per_second), digits);
    if (zone) {
        memcpy(out + at, "+00:00", 6);
        at += 6;
    }
    return end_text(out, at);
}

const char *rwl_instant_format(int64_t ms, char out[RWL_TIME_TEXT_MAX]) {
    const int64_t most = INT64_MAX / 1000;
    ms = ms > most ? most : ms < -most ? -most : ms;
    rwl_timestamp_format(ms * 1000, 6, true, out);
    return out;
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* Takes `c` when it is next. */
static bool take(rwl_span *text, char c) {
    if (text->len == 0 || text->data[0] != (uint8_t)c)
        return false;
    *text = rwl_span_of(text->data + 1, text->len - 1);
    return true;
}

/* Takes between `least` and `most` digits. */
static bool take_number(rwl_span *text, size_t least, size_t most, int64_t *out) {
    size_t count = 0;
    int64_t value = 0;
    while (count < text->len && is_digit(text->data[count])) {
        if (count == most)
            return false;
        value = value * 10 + (text->data[count++] - '0');
    }
    if (count < least)
        return false;
    *text = rwl_span_of(text->data + count, text->len - count);
    *out = value;
    return true;
}

/* Takes two digits that make a number of at most `most`; further digits belong to what comes next. */
static bool take_pair(rwl_span *text, int most, int64_t *out) {
    if (text->len < 2 || !is_digit(text->data[0]) || !is_digit(text->data[1]))
        return false;
    *out = (text->data[0] - '0') * 10 + (text->data[1] - '0');
    *text = rwl_span_of(text->data + 2, text->len - 2);
    return *out <= most;
}

static int month_days(int64_t year, int64_t month) {
    if (month == 2)
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static bool take_date(rwl_span *text, int64_t *days) {
    bool negative = take(text, '-');
    bool sign = negative || take(text, '+');
    int64_t year, month, day;
    if (!take_number(text, 4, sign ? MAX_YEAR_DIGITS : 4, &year) || !take(text, '-') ||
        !take_pair(text, 12, &month) || !take(text, '-') || !take_pair(text, 31, &day))
        return false;
    if (negative)
        year = -year;
    if (month < 1 || day < 1 || day > month_days(year, month))
        return false;
    *days = rwl_days_from_civil(year, (int)month, (int)day);
    return true;
}

/* Takes the digits after the point; those beyond `digits` must be zero. */
static bool take_fraction(rwl_span *text, int digits, int64_t *out) {
    int count = 0;
    int64_t value = 0;
    while (text->len > 0 && is_digit(text->data[0])) {
        int digit = text->data[0] - '0';
        if (count < digits)
            value = value * 10 + digit;
        else if (digit != 0)
            return false;
        *text = rwl_span_of(text->data + 1, text->len - 1);
        count += count < digits || count == 0;
    }
    if (count == 0)
        return false;
    for (; count < digits; count++)
        value *= 10;
    *out = value;
    return true;
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fraction as units since midnight. */
static bool take_clock(rwl_span *text, int digits, int64_t *units) {
    int64_t hour, minute, second = 0, fraction = 0;
    if (!take_pair(text, 23, &hour) || !take(text, ':') || !take_pair(text, 59, &minute))
        return false;
    if (take(text, ':')) {
        if (!take_pair(text, 59, &second))
            return false;
        if (take(text, '.') && !take_fraction(text, digits == 9 ? 9 : 6, &fraction))
            return false;
    }
    *units = (hour * 3600 + minute * 60 + second) * units_per_second(digits) + fraction;
    return true;
}

/* Z or +hh:mm as seconds east of UTC. */
static bool take_zone(rwl_span *text, int64_t *seconds) {
    *seconds = 0;
    if (take(text, 'Z'))
        return true;
    bool west = take(text, '-');
    int64_t hour, minute;
    if (!(west || take(text, '+')) || !take_pair(text, 18, &hour) || !take(text, ':') ||
        !take_pair(text, 59, &minute))
        return false;
    *seconds = (hour * 3600 + minute * 60) * (west ? -1 : 1);
    return true;
}

bool rwl_date_parse(rwl_span text, int32_t *days) {
    int64_t value;
    if (!take_date(&text, &value) || text.len > 0 || value < INT32_MIN || value > INT32_MAX)
        return false;
    *days = (int32_t)value;
    return true;
}

bool rwl_time_parse(rwl_span text, int digits, int64_t *units) {
    int64_t value;
    if (!take_clock(&text, digits, &value) || text.len > 0)
        return false;
    *units = value;
    return true;
}

bool rwl_timestamp_parse(rwl_span text, int digits, bool zone, int64_t *units) {
    int64_t days, clock, east = 0;
    if (!take_date(&text, &days) || !(take(&text, 'T') || take(&text, ' ')) ||
        !take_clock(&text, digits, &clock) || (zone && !take_zone(&text, &east)) || text.len > 0)
        return false;
    rwl_i128 value = ((rwl_i128)days * DAY_SECONDS - east) * units_per_second(digits) + clock;
    if (value < INT64_MIN || value > INT64_MAX)
        return false;
    *units = (int64_t)value;
    return true;
}
