/* SPDX-License-Identifier: Apache-2.0 */
/* The context every call works in: threads, memory budget, log, progress, cancellation. */
#ifndef ROWLINE_CONTEXT_H
#define ROWLINE_CONTEXT_H

#include <rowline/status.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rowline_context rowline_context;

typedef struct rowline_context_options {
    size_t struct_size;     /* sizeof of this struct, as the caller was compiled */
    int32_t threads;        /* 0: one a CPU */
    int64_t memory_bytes;   /* budget of one operation; 0: 1 GB */
    void *callback_context; /* handed to both callbacks */
    /* A warning or note, one line; may be NULL. Level 0 debug, 1 info, 2 warning. Called from any thread. */
    void (*log)(void *callback_context, int32_t level, const char *line);
    /* Progress of a long operation; may be NULL. Called from any thread. `total` 0 when unknown. */
    void (*progress)(void *callback_context, const char *phase, int64_t done, int64_t total);
} rowline_context_options;

/* Makes a context; `options` NULL for the defaults. One context may be used by many threads. */
ROWLINE_API ROWLINE_MUST_CHECK rowline_status
rowline_context_new(const rowline_context_options *options, rowline_context **out, rowline_error *err);
/* Frees it; every table and stream made with it must be gone. NULL is fine. */
ROWLINE_API void
rowline_context_free(rowline_context *context);
/* Makes operations in progress end with ROWLINE_INTERRUPTED within 100 ms, their new files removed. Safe in a signal
 * handler. */
ROWLINE_API void
rowline_context_cancel(rowline_context *context);

/* "0.1.0" */
ROWLINE_API const char *
rowline_version(void);
/* What is read and written, one line: "iceberg v1 v2 v3 (write v2 v3), lance (read); data files …; codecs …". */
ROWLINE_API const char *
rowline_capabilities(void);

#ifdef __cplusplus
}
#endif

#endif
