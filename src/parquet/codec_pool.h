/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression contexts of a file being written, lent to the tasks that encode its columns: as many as tasks run at once,
 * however many columns there are.
 */
#ifndef RWL_PARQUET_CODEC_POOL_H
#define RWL_PARQUET_CODEC_POOL_H

#include "codec/codec.h"

typedef struct rwl_parquet_codec_pool rwl_parquet_codec_pool;

enum { RWL_PARQUET_EFFORTS = 4 };

/* One set of contexts. */
typedef struct rwl_parquet_codecs {
    rwl_codec *full;                         /* at the level asked for; NULL: pages are not compressed */
    rwl_codec *efforts[RWL_PARQUET_EFFORTS]; /* levels below it, the fastest first, and `full` */
    int effort_count;                        /* 1 where the codec has no levels */
    struct rwl_parquet_codecs *next;
} rwl_parquet_codecs;

/* `level` 0 is the codec's default. USAGE for a level the codec does not have. */
RWL_MUST_CHECK rwl_status rwl_parquet_codec_pool_new(const rwl_env *env, rwl_codec_id id, int level,
                                                     rwl_parquet_codec_pool **out, rwl_error *err);
void rwl_parquet_codec_pool_free(rwl_parquet_codec_pool *pool); /* NULL is fine; all must be given back */
/* From any thread; to be given back. */
RWL_MUST_CHECK rwl_status rwl_parquet_codec_pool_take(rwl_parquet_codec_pool *pool, rwl_parquet_codecs **out,
                                                      rwl_error *err);
void rwl_parquet_codec_pool_give(rwl_parquet_codec_pool *pool, rwl_parquet_codecs *codecs);

#endif
