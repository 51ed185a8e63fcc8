/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the caller-owned error of every rowline function. */
#ifndef ROWLINE_STATUS_H
#define ROWLINE_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ROWLINE_API        __attribute__((visibility("default")))
#define ROWLINE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ROWLINE_API
#define ROWLINE_MUST_CHECK
#endif

/*
 * The one list of outcomes: X(NAME, exit code, error key, sentence).
 * CONFLICT means not committed, safe to retry. COMMIT_UNKNOWN means the commit may have happened:
 * nothing was deleted and nothing may be.
 */
#define ROWLINE_STATUS_LIST(X)                                                                               \
    X(OK, 0, "ok", "done")                                                                                   \
    X(USAGE, 2, "usage", "an argument is wrong")                                                             \
    X(IO, 3, "io", "reading or writing failed")                                                              \
    X(NOT_FOUND, 3, "not_found", "something named does not exist")                                           \
    X(NO_MEMORY, 3, "io", "memory could not be had")                                                         \
    X(CONFLICT, 4, "conflict", "another commit came first; nothing was committed")                           \
    X(UNSUPPORTED, 5, "unsupported", "refused: not possible exactly")                                        \
    X(EXISTS, 5, "unsupported", "the name is taken")                                                         \
    X(COMMIT_UNKNOWN, 6, "commit_unknown", "the commit may or may not have happened")                        \
    X(CORRUPT, 7, "corrupt", "input breaks its format")                                                      \
    X(LAW_BROKEN, 7, "law_broken", "a table breaks a law of lineage")                                        \
    X(INTERNAL, 8, "internal", "an internal check failed; nothing was committed")                            \
    X(INTERRUPTED, 130, "interrupted", "cancelled")

typedef enum rowline_status {
#define ROWLINE_STATUS_ENUM(name, exit_code, key, sentence) ROWLINE_##name,
    ROWLINE_STATUS_LIST(ROWLINE_STATUS_ENUM)
#undef ROWLINE_STATUS_ENUM
} rowline_status;

/*
 * What went wrong, owned by the caller; plain data, nothing to release. Zero-initialise before use.
 * A function that fails fills it once; callers in between only add the place in front.
 */
typedef struct rowline_error {
    rowline_status code;
    int32_t system_errno; /* errno of the failed system call, 0 when none */
    int32_t http_status;  /* HTTP status of the failed request, 0 when none */
    int64_t offset;       /* byte offset in the input, -1 when none */
    char message[512];    /* one line, lower case: what, where, which value */
    char path[1024];      /* the file it is about, "" when none */
} rowline_error;

/* The exit code of the command line for `code`. */
ROWLINE_API int
rowline_status_exit_code(rowline_status code);
/* The `error` key of JSON output for `code`; static storage. */
ROWLINE_API const char *
rowline_status_key(rowline_status code);
/* One sentence about `code`; static storage. */
ROWLINE_API const char *
rowline_status_sentence(rowline_status code);

#ifdef __cplusplus
}
#endif

#endif
