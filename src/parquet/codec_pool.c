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

/* Levels worth a trial, the fastest first. On short numbers and on texts without repeats the lower ones of zstd, which
 * do not code literals or look for fewer matches, often give as much. */
static const int zstd_levels[] = {-3, -1, 1}, gzip_levels[] = {1};

static void free_codecs(rwl_parquet_codec_pool *pool, rwl_parquet_codecs *codecs) {
    for (int i = 0; i < codecs->effort_count; i++)
        rwl_codec_free(codecs->efforts[i]);
    rwl_free(pool->env, codecs);
}

static rwl_status add_level(rwl_parquet_codec_pool *pool, rwl_parquet_codecs *codecs, int level,
                            rwl_error *err) {
    RWL_TRY(rwl_codec_new(pool->env, pool->id, level, &codecs->efforts[codecs->effort_count], err));
    codecs->full = codecs->efforts[codecs->effort_count++];
    return RWL_OK;
}

static rwl_status add_levels(rwl_parquet_codec_pool *pool, rwl_parquet_codecs *codecs, rwl_error *err) {
    bool is_zstd = pool->id == RWL_CODEC_ZSTD;
    size_t count = is_zstd ? sizeof zstd_levels / sizeof *zstd_levels : pool->id == RWL_CODEC_GZIP ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        int level = is_zstd ? zstd_levels[i] : gzip_levels[i];
        if (pool->level == 0 || level < pool->level)
            RWL_TRY(add_level(pool, codecs, level, err));
    }
    return add_level(pool, codecs, pool->level, err);
}

static rwl_status make_codecs(rwl_parquet_codec_pool *pool, rwl_parquet_codecs **out, rwl_error *err) {
    rwl_parquet_codecs *codecs = rwl_calloc(pool->env, 1, sizeof *codecs);
    if (codecs == NULL)
        return rwl_no_memory(err, sizeof *codecs);
    rwl_status st = pool->id == RWL_CODEC_NONE ? RWL_OK : add_levels(pool, codecs, err);
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
