/* SPDX-License-Identifier: Apache-2.0 */
/* The environment (allocator, clock, random source, log, pool) and one operation in it. */
#ifndef RWL_BASE_ENV_H
#define RWL_BASE_ENV_H

#include "base/status.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rwl_log_level { RWL_LOG_DEBUG, RWL_LOG_INFO, RWL_LOG_WARN } rwl_log_level;

/*
 * What the library needs from outside, as functions, so that each can be faked in a test. Shared by
 * all threads: every function must be callable from any of them. Never changed after set-up.
 */
typedef struct rwl_env {
    void *ctx;
    /* realloc semantics: old NULL allocates, size 0 frees and returns NULL. */
    void *(*realloc)(void *ctx, void *old, size_t size);
    void *(*alloc_aligned)(void *ctx, size_t alignment, size_t size); /* freed by free_aligned */
    void (*free_aligned)(void *ctx, void *block);
    int64_t (*now_ms)(void *ctx); /* wall clock, ms since 1970 UTC */
    int64_t (*monotonic_ns)(void *ctx);
    void (*sleep_ms)(void *ctx, int64_t ms);
    bool (*random)(void *ctx, void *out, size_t len);              /* false when there is no entropy */
    void (*log)(void *ctx, rwl_log_level level, const char *line); /* may be NULL */
    struct rwl_pool *pool;                                         /* task pool; NULL runs tasks inline */
} rwl_env;

/* The process's environment: libc allocator, CLOCK_REALTIME, getrandom, no log, no pool. */
void rwl_env_init_default(rwl_env *env);

void *rwl_alloc(const rwl_env *env, size_t size) __attribute__((malloc)); /* NULL when none */
void *rwl_calloc(const rwl_env *env, size_t count, size_t size) __attribute__((malloc));
void *rwl_realloc(const rwl_env *env, void *old, size_t size);
void rwl_free(const rwl_env *env, void *block); /* NULL is fine */
char *rwl_strdup(const rwl_env *env, const char *text);
/* Fails with NO_MEMORY, naming the size. */
static inline rwl_status rwl_no_memory(rwl_error *err, size_t size) {
    return rwl_fail(err, RWL_NO_MEMORY, "no memory for %zu bytes", size);
}

void rwl_log(const rwl_env *env, rwl_log_level level, const char *fmt, ...) RWL_PRINTF(3, 4);

/* Progress of an operation, called from any thread, at most a few times a second. */
typedef struct rwl_progress {
    void *ctx;
    void (*update)(void *ctx, const char *phase, int64_t done, int64_t total);
} rwl_progress;

/*
 * One operation: budget, cancel flag, progress. Lives as long as the operation; shared by its tasks.
 */
typedef struct rwl_op {
    const rwl_env *env;
    int64_t memory_limit; /* bytes the operation may hold, 0 for no limit */
    atomic_llong memory_used;
    atomic_int cancelled;         /* set from a signal handler or another thread */
    rwl_progress progress;        /* update may be NULL */
    atomic_llong progress_due_ns; /* when progress may be told next */
} rwl_op;

void rwl_op_init(rwl_op *op, const rwl_env *env, int64_t memory_limit);
/* INTERRUPTED once the operation was cancelled. Called at least once a batch and a file. */
RWL_MUST_CHECK rwl_status rwl_op_check(rwl_op *op, rwl_error *err);
/* Takes `size` bytes from the budget; UNSUPPORTED naming `what` and the figure needed when over it. */
RWL_MUST_CHECK rwl_status rwl_op_reserve(rwl_op *op, int64_t size, const char *what, rwl_error *err);
void rwl_op_release(rwl_op *op, int64_t size);
/* Makes `bytes` what is charged instead of *charged, which then says so: by taking or giving back the difference. */
RWL_MUST_CHECK rwl_status rwl_op_charge(rwl_op *op, int64_t *charged, int64_t bytes, const char *what,
                                        rwl_error *err);
void rwl_op_progress(rwl_op *op, const char *phase, int64_t done, int64_t total);

#endif
