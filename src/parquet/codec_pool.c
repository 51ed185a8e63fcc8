/* SPDX-License-Identifier: Apache-2.0 */
/* Compression contexts lent to tasks. */
#include "parquet/codec_pool.h"

#include "base/thread.h"

struct rwl_parquet_codec_pool {
    const rwl_env *env;
    rwl_mutex mutex;
    rwl_codec_id id;
    int level;
    rwl_parquet_codecs *unused;
};

/* The level tried beside the one asked for; 0 when that is no faster. */
static int fast_level(rwl_codec_id id, int level) {
    if (id == RWL_CODEC_ZSTD)
        return level == 0 || level > 1 ? 1 : 0;
    if (id == RWL_CODEC_GZIP)
        return level == 0 || level > 1 ? 1 : 0;
    return 0;
}

static void free_codecs(rwl_parquet_codec_pool *pool, rwl_parquet_codecs *codecs) {
    rwl_codec_free(codecs->full);
    rwl_codec_free(codecs->fast);
    rwl_free(pool->env, codecs);
}

static rwl_status make_codecs(rwl_parquet_codec_pool *pool, rwl_parquet_codecs **out, rwl_error *err) {
    int fast = fast_level(pool->id, pool->level);
    rwl_parquet_codecs *codecs = rwl_calloc(pool->env, 1, sizeof *codecs);
    if (codecs == NULL)
        return rwl_no_memory(err, sizeof *codecs);
    rwl_status st = RWL_OK;
    if (pool->id != RWL_CODEC_NONE)
        st = rwl_codec_new(pool->env, pool->id, pool->level, &codecs->full, err);
    if (st == RWL_OK && fast != 0)
        st = rwl_codec_new(pool->env, pool->id, fast, &codecs->fast, err);
    if (st != RWL_OK) {
        free_codecs(pool, codecs);
        return st;
    }
    *out = codecs;
    return RWL_OK;
}

rwl_status rwl_parquet_codec_pool_new(const rwl_env *env, rwl_codec_id id, int level,
                                      rwl_parquet_codec_pool **out, rwl_error *err) {
    *out = NULL;
    rwl_parquet_codec_pool *pool = rwl_calloc(env, 1, sizeof *pool);
    if (pool == NULL)
        return rwl_no_memory(err, sizeof *pool);
    pool->env = env;
    pool->id = id;
    pool->level = level;
    rwl_status st = rwl_mutex_init(&pool->mutex, err);
    if (st != RWL_OK) {
        rwl_free(env, pool);
        return st;
    }
    st = make_codecs(pool, &pool->unused, err); /* a level that is not there is told at once */
    if (st != RWL_OK) {
        rwl_parquet_codec_pool_free(pool);
        return st;
    }
    *out = pool;
    return RWL_OK;
}

void rwl_parquet_codec_pool_free(rwl_parquet_codec_pool *pool) {
    if (pool == NULL)
        return;
    while (pool->unused != NULL) {
        rwl_parquet_codecs *codecs = pool->unused;
        pool->unused = codecs->next;
        free_codecs(pool, codecs);
    }
    rwl_mutex_clear(&pool->mutex);
    rwl_free(pool->env, pool);
}

rwl_status rwl_parquet_codec_pool_take(rwl_parquet_codec_pool *pool, rwl_parquet_codecs **out,
                                       rwl_error *err) {
    rwl_mutex_lock(&pool->mutex);
    rwl_parquet_codecs *codecs = pool->unused;
    if (codecs != NULL)
        pool->unused = codecs->next;
    rwl_mutex_unlock(&pool->mutex);
    *out = codecs;
    return codecs != NULL ? RWL_OK : make_codecs(pool, out, err);
}

void rwl_parquet_codec_pool_give(rwl_parquet_codec_pool *pool, rwl_parquet_codecs *codecs) {
    if (codecs == NULL)
        return;
    rwl_mutex_lock(&pool->mutex);
    codecs->next = pool->unused;
    pool->unused = codecs;
    rwl_mutex_unlock(&pool->mutex);
}
