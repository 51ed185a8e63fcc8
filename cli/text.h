/* SPDX-License-Identifier: Apache-2.0 */
/* Figures and texts as people read them. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A short text by value, so that figures can be formatted inside a call. */
typedef struct short_text {
    char s[64];
} short_text;

short_text text_grouped(int64_t value);                 /* 1,204,118 */
short_text text_count(int64_t value, const char *noun); /* "1 file", "1,906 files" */
short_text text_bytes(int64_t bytes);                   /* 512 B, 1.3 GB, 412 MB: powers of 1024 */
/* "7.2 -> 6.9 GB": the unit once when both have the same. */
short_text text_bytes_change(int64_t before, int64_t after, bool utf8);
short_text text_duration(int64_t ms);                 /* 350 ms, 1.2 s, 38 s, 2 min 5 s */
short_text text_percent(int64_t part, int64_t whole); /* 38.0 % */
short_text text_time(int64_t ms);                     /* 2026-11-30 06:31:02, UTC */

/* Bytes of the UTF-8 character at `text`, 0 when it is none. */
size_t text_utf8_len(const char *text, size_t len);
/* Columns that `text` takes on a terminal. */
int32_t text_width(const char *text, bool utf8);
enum { TEXT_SLACK = 4 }; /* bytes behind a printable text's NUL, where the mark of a cut may need them */
/* A copy that cannot move a terminal's cursor: control characters as \n, \t or \x1b. NULL when there is no
 * memory. */
char *text_printable(const char *text, size_t len);
/* Shortens in place to `width` columns, the cut marked, at the end or (`tail`) at the front. `room` is the
 * buffer's size. */
void text_shorten(char *text, size_t room, int32_t width, bool tail, bool utf8);

/* Symbols of the screens, in ASCII where the locale has no others. */
const char *text_arrow(bool utf8);
const char *text_dot(bool utf8); /* between figures of a line, with its spaces */
const char *text_more(bool utf8);

#endif
