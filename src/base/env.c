/* SPDX-License-Identifier: Apache-2.0 */
/* The process's environment, memory through an environment, and the accounts of one operation. */
#include "base/env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { PROGRESS_INTERVAL_MS = 200, LOG_LINE_MAX = 1024 };

static void *default_realloc(void *ctx, void *old, size_t size) {
    (void)ctx;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

static void *default_alloc_aligned(void *ctx, size_t alignment, size_t size) {
    (void)ctx;
    void *block = NULL;
    return posix_memalign(&block, alignment, size ? size : 1) == 0 ? block : NULL;
}

static void default_free_aligned(void *ctx, void *block) {
    (void)ctx;
    free(block);
}

static int64_t default_now_ms(void *ctx) {
    (void)ctx;
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int64_t default_monotonic_ns(void *ctx) {
    (void)ctx;
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void default_sleep_ms(void *ctx, int64_t ms) {
    (void)ctx;
    struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (ms > 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

static bool default_random(void *ctx, void *out, size_t len) {
    (void)ctx;
    unsigned char *p = out;
    while (len > 0) {
        ssize_t got = getrandom(p, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        len -= (size_t)got;
    }
    return true;
}

void rwl_env_init_default(rwl_env *env) {
    *env = (rwl_env){
        .realloc = default_realloc,
        .alloc_aligned = default_alloc_aligned,
        .free_aligned = default_free_aligned,
        .now_ms = default_now_ms,
        .monotonic_ns = default_monotonic_ns,
        .sleep_ms = default_sleep_ms,
        .random = default_random,
    };
}

void *rwl_alloc(const rwl_env *env, size_t size) {
    return env->realloc(env->ctx, NULL, size ? size : 1);
}

void *rwl_calloc(const rwl_env *env, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    void *block = rwl_alloc(env, total);
    if (block)
        memset(block, 0, total);
    return block;
}

void *rwl_realloc(const rwl_env *env, void *old, size_t size) {
    return env->realloc(env->ctx, old, size ? size : 1);
}

void rwl_free(const rwl_env *env, void *block) {
    if (block)
        env->realloc(env->ctx, block, 0);
}

char *rwl_strdup(const rwl_env *env, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = rwl_alloc(env, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void rwl_log(const rwl_env *env, rwl_log_level level, const char *fmt, ...) {
    if (!env->log)
        return;
    char line[LOG_LINE_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    env->log(env->ctx, level, line);
}

void rwl_op_init(rwl_op *op, const rwl_env *env, int64_t memory_limit) {
    op->env = env;
    op->memory_limit = memory_limit;
    atomic_init(&op->memory_used, 0);
    atomic_init(&op->cancelled, 0);
    atomic_init(&op->progress_due_ns, 0);
    op->progress = (rwl_progress){NULL, NULL};
}

rwl_status rwl_op_check(rwl_op *op, rwl_error *err) {
    if (op && atomic_load_explicit(&op->cancelled, memory_order_relaxed))
        return rwl_fail(err, RWL_INTERRUPTED, "interrupted");
    return RWL_OK;
}

rwl_status rwl_op_reserve(rwl_op *op, int64_t size, const char *what, rwl_error *err) {
    if (size < 0)
        return rwl_fail(err, RWL_INTERNAL, "%s: a negative size of %lld bytes", what, (long long)size);
    long long used = atomic_load(&op->memory_used);
    long long sum;
    do {
        bool fits = !__builtin_add_overflow(used, (long long)size, &sum);
        if (!fits || (op->memory_limit > 0 && sum > op->memory_limit))
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "%s needs %lld bytes beside %lld in use, more than the memory limit of %lld",
                            what, (long long)size, used, (long long)op->memory_limit);
    } while (!atomic_compare_exchange_weak(&op->memory_used, &used, sum));
    return RWL_OK;
}

void rwl_op_release(rwl_op *op, int64_t size) {
    atomic_fetch_sub(&op->memory_used, size);
}

rwl_status rwl_op_charge(rwl_op *op, int64_t *charged, int64_t bytes, const char *what, rwl_error *err) {
    if (bytes > *charged)
        RWL_TRY(rwl_op_reserve(op, bytes - *charged, what, err));
    else
        rwl_op_release(op, *charged - bytes);
    *charged = bytes;
    return RWL_OK;
}

void rwl_op_progress(rwl_op *op, const char *phase, int64_t done, int64_t total) {
    if (!op->progress.update)
        return;
    long long now = op->env->monotonic_ns(op->env->ctx);
    long long due = atomic_load(&op->progress_due_ns);
    /* The end of a phase is always told; all else only when it is time, by the one thread that gets there. */
    if (done != total) {
        long long next = now + (long long)PROGRESS_INTERVAL_MS * 1000000;
        if (now < due || !atomic_compare_exchange_strong(&op->progress_due_ns, &due, next))
            return;
    }
    op->progress.update(op->progress.ctx, phase, done, total);
}
