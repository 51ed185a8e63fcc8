/* SPDX-License-Identifier: Apache-2.0 */
/* Figures and texts as people read them. */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

short_text text_grouped(int64_t value) {
    char digits[24];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int len = snprintf(digits, sizeof digits, "%" PRIu64, magnitude);
    short_text out;
    size_t n = 0;
    if (value < 0)
        out.s[n++] = '-';
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            out.s[n++] = ',';
        out.s[n++] = digits[i];
    }
    out.s[n] = '\0';
    return out;
}

short_text text_count(int64_t value, const char *noun) {
    short_text out;
    snprintf(out.s, sizeof out.s, "%.27s %.30s%s", text_grouped(value).s, noun, value == 1 ? "" : "s");
    return out;
}

/* The unit in which a size is told, as a power of 1024. */
static int choose_unit(int64_t bytes) {
    int unit = 0;
    for (double v = (double)bytes; v >= 1024 && unit < 5; v /= 1024)
        unit++;
    return unit;
}

static short_text size_in(int64_t bytes, int unit) {
    short_text out;
    double value = (double)bytes;
    for (int i = 0; i < unit; i++)
        value /= 1024;
    bool whole = unit == 0 || value >= 100 || (bytes & ((INT64_C(1) << (10 * unit)) - 1)) == 0;
    snprintf(out.s, sizeof out.s, "%.*f", whole ? 0 : 1, value);
    return out;
}

static const char *const UNITS[] = {"B", "KB", "MB", "GB", "TB", "PB"};

short_text text_bytes(int64_t bytes) {
    short_text out;
    int unit = choose_unit(bytes);
    snprintf(out.s, sizeof out.s, "%.40s %s", size_in(bytes, unit).s, UNITS[unit]);
    return out;
}

short_text text_bytes_change(int64_t before, int64_t after, bool utf8) {
    short_text out;
    int from = choose_unit(before), to = choose_unit(after);
    if (from == to)
        snprintf(out.s, sizeof out.s, "%.20s %s %.20s", size_in(before, from).s, text_arrow(utf8),
                 text_bytes(after).s);
    else
        snprintf(out.s, sizeof out.s, "%.20s %s %.20s", text_bytes(before).s, text_arrow(utf8),
                 text_bytes(after).s);
    return out;
}

short_text text_duration(int64_t ms) {
    short_text out;
    if (ms < 1000)
        snprintf(out.s, sizeof out.s, "%" PRId64 " ms", ms);
    else if (ms < 10000)
        snprintf(out.s, sizeof out.s, "%" PRId64 ".%" PRId64 " s", ms / 1000, ms % 1000 / 100);
    else if (ms < 120000)
        snprintf(out.s, sizeof out.s, "%" PRId64 " s", ms / 1000);
    else
        snprintf(out.s, sizeof out.s, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms % 60000 / 1000);
    return out;
}

short_text text_percent(int64_t part, int64_t whole) {
    short_text out;
    snprintf(out.s, sizeof out.s, "%.1f %%", whole > 0 ? 100.0 * (double)part / (double)whole : 0.0);
    return out;
}

short_text text_time(int64_t ms) {
    short_text out;
    int64_t seconds = ms / 1000 - (ms % 1000 < 0);
    time_t t = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&t, &parts) == NULL || strftime(out.s, sizeof out.s, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        snprintf(out.s, sizeof out.s, "%" PRId64 " ms", ms);
    return out;
}

size_t text_utf8_len(const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *)text;
    size_t n;
    uint32_t code;
    if (len == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] < 0xe0) {
        n = 2;
        code = s[0] & 0x1fu;
    } else if (s[0] >= 0xe0 && s[0] < 0xf0) {
        n = 3;
        code = s[0] & 0x0fu;
    } else if (s[0] >= 0xf0 && s[0] < 0xf5) {
        n = 4;
        code = s[0] & 0x07u;
    } else {
        return 0;
    }
    if (len < n)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    bool overlong = (n == 3 && code < 0x800) || (n == 4 && (code < 0x10000 || code > 0x10ffff));
    return overlong || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

/* Columns and bytes of the character at `text`. */
static int32_t char_width(const char *text, size_t len, bool utf8, size_t *bytes) {
    *bytes = text_utf8_len(text, len);
    if (*bytes <= 1) {
        *bytes = 1;
        return 1;
    }
    wchar_t wide;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    if (!utf8 || mbrtowc(&wide, text, *bytes, &state) != *bytes)
        return 1;
    int width = wcwidth(wide);
    return width < 0 ? 1 : width;
}

int32_t text_width(const char *text, bool utf8) {
    int64_t width = 0;
    size_t len = strlen(text), bytes;
    for (size_t i = 0; i < len; i += bytes)
        width += char_width(text + i, len - i, utf8, &bytes);
    return width < INT32_MAX / 4 ? (int32_t)width : INT32_MAX / 4;
}

/* U+0080 to U+009F are control characters too: some terminals obey them. */
static bool is_control(const char *text, size_t len) {
    unsigned char c = (unsigned char)text[0];
    return c < 0x20 || c == 0x7f || (c == 0xc2 && len > 1 && (unsigned char)text[1] < 0xa0);
}

char *text_printable(const char *text, size_t len) {
    size_t extra = 0;
    for (size_t i = 0; i < len; i++)
        extra += is_control(text + i, len - i) ? 7 : 0;
    char *copy = malloc(len + extra + 1 + TEXT_SLACK);
    if (copy == NULL)
        return NULL;
    char *to = copy;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (!is_control(text + i, len - i))
            *to++ = text[i];
        else if (c == '\n' || c == '\t' || c == '\r')
            to += sprintf(to, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
        else
            to += sprintf(to, "\\x%02x", c == 0xc2 ? (unsigned char)text[++i] : c);
    }
    *to = '\0';
    return copy;
}

static const char *cut_mark(bool utf8) {
    return utf8 ? "\xe2\x80\xa6" : "...";
}

void text_shorten(char *text, size_t room, int32_t width, bool tail, bool utf8) {
    const char *mark = cut_mark(utf8);
    int32_t left = text_width(text, utf8), mark_width = utf8 ? 1 : 3;
    if (left <= width || width < mark_width)
        return;
    size_t len = strlen(text), mark_len = strlen(mark), i = 0, bytes;
    if (tail) {
        while (left > width - mark_width) {
            left -= char_width(text + i, len - i, utf8, &bytes);
            i += bytes;
        }
        if (len - i + mark_len + 1 > room)
            return;
        memmove(text + mark_len, text + i, len - i + 1);
        memcpy(text, mark, mark_len);
        return;
    }
    for (int32_t used = 0; i < len; i += bytes) {
        used += char_width(text + i, len - i, utf8, &bytes);
        if (used > width - mark_width)
            break;
    }
    if (i + mark_len + 1 <= room)
        memcpy(text + i, mark, mark_len + 1);
}

const char *text_arrow(bool utf8) {
    return utf8 ? "\xe2\x86\x92" : "->";
}

const char *text_dot(bool utf8) {
    return utf8 ? " \xc2\xb7 " : ", ";
}

const char *text_more(bool utf8) {
    return cut_mark(utf8);
}
