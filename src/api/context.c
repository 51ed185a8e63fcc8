/* SPDX-License-Identifier: Apache-2.0 */
/* The context: environment, pool, budget. */
#include "api/api_internal.h"

#include "base/pool.h"
#include "base/thread.h"

#include <stdlib.h>

enum { MEMORY_DEFAULT = 1 << 30 };

const char *rowline_version(void) {
    return ROWLINE_VERSION;
}

const char *rowline_capabilities(void) {
    return "iceberg v1 v2 v3 (write v2 v3), lance (read); "
           "data files parquet avro, lance 2.0 2.1 2.2 (write parquet); "
           "codecs none snappy gzip zstd lz4_raw brotli (read lz4)";
}

rwl_status rwl_api_options(void *out, size_t out_size, const void *given, rwl_error *err) {
    memset(out, 0, out_size);
    if (given == NULL)
        return RWL_OK;
    size_t size;
    memcpy(&size, given, sizeof size); /* struct_size comes first in every options struct */
    if (size < sizeof size || size > 4096)
        return rwl_fail(err, RWL_USAGE, "struct_size %zu of the options is not set", size);
    memcpy(out, given, size < out_size ? size : out_size);
    return RWL_OK;
}

void rwl_api_result(void *given, const void *ours, size_t our_size) {
    if (given == NULL)
        return;
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size <= sizeof size)
        return; /* struct_size was not set: there is no room that is known of */
    memcpy((char *)given + sizeof size, (const char *)ours + sizeof size,
           (size < our_size ? size : our_size) - sizeof size);
}

static void pass_log(void *ctx, rwl_log_level level, const char *line) {
    rowline_context *c = ctx;
    c->options.log(c->options.callback_context, (int32_t)level, line);
}

static void pass_progress(void *ctx, const char *phase, int64_t done, int64_t total) {
    rowline_context *c = ctx;
    c->options.progress(c->options.callback_context, phase, done, total);
}

rowline_status rowline_context_new(const rowline_context_options *options, rowline_context **out,
                                   rowline_error *err) {
    rowline_context_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    if (o.threads < 0 || o.memory_bytes < 0)
        return rwl_fail(err, RWL_USAGE, "threads and memory are not negative");
    rowline_context *c = calloc(1, sizeof *c);
    if (c == NULL)
        return rwl_no_memory(err, sizeof *c);
    c->options = o;
    rwl_env_init_default(&c->env);
    if (o.log != NULL) {
        c->env.ctx = c;
        c->env.log = pass_log;
    }
    int threads = o.threads > 0 ? o.threads : rwl_thread_cpu_count();
    rwl_status st = rwl_pool_new(&c->env, threads, &c->env.pool, err);
    if (st != RWL_OK) {
        free(c);
        return st;
    }
    rwl_op_init(&c->op, &c->env, o.memory_bytes > 0 ? o.memory_bytes : MEMORY_DEFAULT);
    if (o.progress != NULL)
        c->op.progress = (rwl_progress){c, pass_progress};
    *out = c;
    return RWL_OK;
}

void rowline_context_free(rowline_context *c) {
    if (c == NULL)
        return;
    rwl_pool_free(c->env.pool);
    free(c);
}

void rowline_context_cancel(rowline_context *c) {
    atomic_store(&c->op.cancelled, 1);
}

int64_t rwl_api_now_ms(const rowline_context *c) {
    return c->env.monotonic_ns(c->env.ctx) / 1000000;
}
