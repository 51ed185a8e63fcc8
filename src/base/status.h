/* SPDX-License-Identifier: Apache-2.0 */
/* Internal names of status and error, and the few functions that fill an error. */
#ifndef RWL_BASE_STATUS_H
#define RWL_BASE_STATUS_H

#include <rowline/status.h>

typedef enum rowline_status rwl_status;
typedef struct rowline_error rwl_error;

/* The names of ROWLINE_STATUS_LIST; macros, so that they keep the type of the public ones. */
#define RWL_OK             ROWLINE_OK
#define RWL_USAGE          ROWLINE_USAGE
#define RWL_IO             ROWLINE_IO
#define RWL_NOT_FOUND      ROWLINE_NOT_FOUND
#define RWL_NO_MEMORY      ROWLINE_NO_MEMORY
#define RWL_CONFLICT       ROWLINE_CONFLICT
#define RWL_UNSUPPORTED    ROWLINE_UNSUPPORTED
#define RWL_EXISTS         ROWLINE_EXISTS
#define RWL_COMMIT_UNKNOWN ROWLINE_COMMIT_UNKNOWN
#define RWL_CORRUPT        ROWLINE_CORRUPT
#define RWL_LAW_BROKEN     ROWLINE_LAW_BROKEN
#define RWL_INTERNAL       ROWLINE_INTERNAL
#define RWL_INTERRUPTED    ROWLINE_INTERRUPTED

#define RWL_MUST_CHECK                   ROWLINE_MUST_CHECK
#define RWL_PRINTF(fmt_index, arg_index) __attribute__((format(printf, fmt_index, arg_index)))

/* Returns a failure to the caller at once; for places that hold nothing. */
#define RWL_TRY(expr)                                                                                        \
    do {                                                                                                     \
        rwl_status rwl_try_status_ = (expr);                                                                 \
        if (rwl_try_status_ != RWL_OK)                                                                       \
            return rwl_try_status_;                                                                          \
    } while (0)

/* Goes to `label` on failure, leaving the code in `st`; for places that hold something. */
#define RWL_GOTO(st, expr, label)                                                                            \
    do {                                                                                                     \
        (st) = (expr);                                                                                       \
        if ((st) != RWL_OK)                                                                                  \
            goto label;                                                                                      \
    } while (0)

/* Sets code and message (offset -1, no path), returns `code`. `err` may be NULL. */
rwl_status rwl_fail(rwl_error *err, rwl_status code, const char *fmt, ...) RWL_PRINTF(3, 4);

/* As rwl_fail, and keeps the byte offset where the input is wrong. */
rwl_status rwl_fail_at(rwl_error *err, rwl_status code, int64_t offset, const char *fmt, ...)
    RWL_PRINTF(4, 5);

/* As rwl_fail for a failed system call: appends ": <strerror>", keeps errno; ENOENT gives NOT_FOUND,
 * ENOMEM NO_MEMORY, all else IO. */
rwl_status rwl_fail_errno(rwl_error *err, int system_errno, const char *fmt, ...) RWL_PRINTF(3, 4);

/*
 * Tells the compiler that a failure is never RWL_OK, so that it does not warn of results "maybe
 * uninitialized" after a read that failed and was returned. A code of RWL_OK becomes INTERNAL in the
 * functions themselves.
 */
static inline rwl_status rwl_failed_(rwl_status code) {
    if (code == RWL_OK)
        __builtin_unreachable();
    return code;
}
#define rwl_fail(...)       rwl_failed_(rwl_fail(__VA_ARGS__))
#define rwl_fail_at(...)    rwl_failed_(rwl_fail_at(__VA_ARGS__))
#define rwl_fail_errno(...) rwl_failed_(rwl_fail_errno(__VA_ARGS__))

/* Puts "place: " in front of the message that is there; returns `code` unchanged. */
rwl_status rwl_error_in(rwl_error *err, rwl_status code, const char *fmt, ...) RWL_PRINTF(3, 4);

/* Names the file the error is about, unless one is named already; returns `code` unchanged. */
rwl_status rwl_error_path(rwl_error *err, rwl_status code, const char *path);

#endif
