/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered writing to a file descriptor. */
#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void out_init(output *o, int fd) {
    o->fd = fd;
    o->failed = 0;
    o->len = 0;
}

void out_flush(output *o) {
    size_t done = 0;
    while (done < o->len && o->failed == 0) {
        ssize_t n = write(o->fd, o->buffer + done, o->len - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            o->failed = errno;
    }
    o->len = 0;
}

void out_bytes(output *o, const char *data, size_t len) {
    while (len > 0) {
        if (o->len == OUT_BUFFER)
            out_flush(o);
        size_t n = OUT_BUFFER - o->len < len ? OUT_BUFFER - o->len : len;
        memcpy(o->buffer + o->len, data, n);
        o->len += n;
        data += n;
        len -= n;
    }
}

void out_str(output *o, const char *text) {
    out_bytes(o, text, strlen(text));
}

void out_char(output *o, char c) {
    out_bytes(o, &c, 1);
}

void out_spaces(output *o, int32_t count) {
    for (; count > 0; count--)
        out_char(o, ' ');
}

void out_printf(output *o, const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        out_bytes(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
