/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of every status and the functions that fill an error. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* defined here, not called */
#undef rwl_fail
#undef rwl_fail_at
#undef rwl_fail_errno

typedef struct status_row {
    int exit_code;
    const char *key, *sentence;
} status_row;

static const status_row status_rows[] = {
#define STATUS_ROW(name, exit_code, key, sentence) [ROWLINE_##name] = {exit_code, key, sentence},
    ROWLINE_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static const status_row *find_row(rowline_status code) {
    size_t i = (size_t)code;
    return &status_rows[i < sizeof status_rows / sizeof *status_rows ? i : (size_t)ROWLINE_INTERNAL];
}

int rowline_status_exit_code(rowline_status code) {
    return find_row(code)->exit_code;
}

const char *rowline_status_key(rowline_status code) {
    return find_row(code)->key;
}

const char *rowline_status_sentence(rowline_status code) {
    return find_row(code)->sentence;
}

/* Keeps a message one line of whole UTF-8 characters: values quoted in it come from hostile input. */
static void tidy_message(char *message, size_t cap) {
    size_t len = strlen(message);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)message[i];
        if (c < 0x20 || c == 0x7f)
            message[i] = c == '\n' || c == '\t' ? ' ' : '?';
    }
    if (len + 1 < cap)
        return;
    size_t start = len; /* of the last character, which may have been cut */
    while (start > 0 && len - start < 4 && ((unsigned char)message[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && (unsigned char)message[start - 1] >= 0xc0) {
        unsigned char lead = (unsigned char)message[start - 1];
        size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        if (len - (start - 1) < need)
            message[start - 1] = '\0';
    }
}

/* Appends ": text", cut where the message is full. */
static void append_text(char *message, size_t cap, const char *text) {
    size_t len = strlen(message);
    const char *const parts[] = {": ", text};
    for (size_t i = 0; i < 2; i++) {
        size_t more = strlen(parts[i]);
        if (more > cap - 1 - len)
            more = cap - 1 - len;
        memcpy(message + len, parts[i], more);
        len += more;
    }
    message[len] = '\0';
}

/* Sets everything but the offset and errno, which the caller knows. */
static void fill_error(rwl_error *err, rwl_status code, const char *fmt, va_list args) RWL_PRINTF(3, 0);
static void fill_error(rwl_error *err, rwl_status code, const char *fmt, va_list args) {
    char message[sizeof err->message]; /* arguments may point into err */
    vsnprintf(message, sizeof message, fmt, args);
    tidy_message(message, sizeof message);
    memcpy(err->message, message, sizeof message);
    err->code = code;
    err->system_errno = 0;
    err->http_status = 0;
    err->offset = -1;
    err->path[0] = '\0';
}

/* A failure that calls itself a success is a defect of the caller. */
static rwl_status check_code(rwl_status code) {
    return code == RWL_OK ? RWL_INTERNAL : code;
}

rwl_status rwl_fail(rwl_error *err, rwl_status code, const char *fmt, ...) {
    code = check_code(code);
    if (err) {
        va_list args;
        va_start(args, fmt);
        fill_error(err, code, fmt, args);
        va_end(args);
    }
    return code;
}

rwl_status rwl_fail_at(rwl_error *err, rwl_status code, int64_t offset, const char *fmt, ...) {
    code = check_code(code);
    if (err) {
        va_list args;
        va_start(args, fmt);
        fill_error(err, code, fmt, args);
        va_end(args);
        err->offset = offset;
    }
    return code;
}

static rwl_status status_of_errno(int system_errno) {
    switch (system_errno) {
    case ENOENT:
        return RWL_NOT_FOUND;
    case ENOMEM:
        return RWL_NO_MEMORY;
    default:
        return RWL_IO;
    }
}

rwl_status rwl_fail_errno(rwl_error *err, int system_errno, const char *fmt, ...) {
    rwl_status code = status_of_errno(system_errno);
    if (!err)
        return code;
    va_list args;
    va_start(args, fmt);
    fill_error(err, code, fmt, args);
    va_end(args);
    char reason[128];
    const char *text = strerror_r(system_errno, reason, sizeof reason);
    append_text(err->message, sizeof err->message, text);
    err->system_errno = system_errno;
    return code;
}

static bool begins_character(char c) {
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Leaves out the middle of a text that does not fit: its end is the reason, its beginning the file. */
static void shorten_text(char *text, size_t cap) {
    static const char gap[] = "...";
    size_t len = strlen(text), head = cap / 4;
    if (len < cap)
        return;
    while (head > 0 && !begins_character(text[head]))
        head--;
    size_t tail = len - (cap - 1 - head - (sizeof gap - 1));
    while (tail < len && !begins_character(text[tail]))
        tail++;
    memcpy(text + head, gap, sizeof gap - 1);
    memmove(text + head + sizeof gap - 1, text + tail, len - tail + 1);
}

rwl_status rwl_error_in(rwl_error *err, rwl_status code, const char *fmt, ...) {
    if (!err)
        return code;
    char message[2 * sizeof err->message + 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof err->message, fmt, args);
    va_end(args);
    tidy_message(message, sizeof err->message);
    append_text(message, sizeof message, err->message);
    shorten_text(message, sizeof err->message);
    memcpy(err->message, message, strlen(message) + 1);
    return code;
}

rwl_status rwl_error_path(rwl_error *err, rwl_status code, const char *path) {
    if (err && err->path[0] == '\0')
        snprintf(err->path, sizeof err->path, "%s", path);
    return code;
}
