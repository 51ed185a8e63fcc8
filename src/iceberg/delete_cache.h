/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Position and equality delete files that were read, shared by all tasks of a table's operations, in bounded memory.
 *
 * A position delete file is kept as one bitmap a data file it names; an equality delete file as a set of keys; of a
 * Puffin file the footer. What is not in use is dropped, the longest unused first, once the whole passes its limit. A value
 * larger than a quarter of the limit is not kept: of a position delete file the rows that are wanted are then read each
 * time, a set of keys is read in parts, by the hash of the key, once a part for each fragment that needs it.
 *
 * Memory is bounded by the cache's own limit, not by the budgets of the operations that use it: its owner takes the limit
 * out of a budget once. Values in use are never dropped, so each task may hold one quarter of the limit above it. The names of
 * what was dropped stay.
 */
#ifndef RWL_ICEBERG_DELETE_CACHE_H
#define RWL_ICEBERG_DELETE_CACHE_H

#include "base/buf.h"

typedef struct rwl_delete_cache rwl_delete_cache;

/* `limit`: bytes it may hold, 0: 256 MB. */
RWL_MUST_CHECK rwl_status rwl_delete_cache_new(const rwl_env *env, int64_t limit, rwl_delete_cache **out,
                                               rwl_error *err);
void rwl_delete_cache_free(rwl_delete_cache *cache); /* NULL is fine; nothing may be in use */

/* --- for the readers of delete files; any of these from any thread --- */

/* How a value is made and freed. */
typedef struct rwl_delete_loader {
    /* Makes *value and tells the bytes it holds. One that would hold more than `most`: *value NULL, *bytes an estimate.
     * Must not run tasks of the pool: others wait for it. */
    rwl_status (*load)(void *ctx, int64_t most, void **value, int64_t *bytes, rwl_error *err);
    void (*free)(const rwl_env *env, void *value);
    void *ctx;
} rwl_delete_loader;

typedef struct rwl_delete_entry rwl_delete_entry;

/* A value in use, until it is released. */
typedef struct rwl_delete_use {
    const void *value; /* NULL: too large to be held */
    int64_t bytes;     /* of the value, held or not */
    rwl_delete_entry *entry;
    void *own; /* the value, where there is no cache */
    void (*free)(const rwl_env *env, void *value);
} rwl_delete_use;

/* The value called `name`, loaded unless it is there; a task that asks while another loads it waits. `cache` NULL: loaded for
 * this caller alone. Not to be called by who is loading. */
RWL_MUST_CHECK rwl_status rwl_delete_cache_use(rwl_delete_cache *cache, rwl_op *op, rwl_span name,
                                               const rwl_delete_loader *loader, rwl_delete_use *out,
                                               rwl_error *err);
void rwl_delete_cache_release(rwl_delete_cache *cache, rwl_op *op, rwl_delete_use *use);
/* Whether values in use fill the limit: who holds one should release it before using another. */
bool rwl_delete_cache_is_full(rwl_delete_cache *cache);
/* The most that one value may hold, and the limit; `cache` NULL: those of a cache of the standard size. */
int64_t rwl_delete_cache_most(const rwl_delete_cache *cache);
int64_t rwl_delete_cache_limit(const rwl_delete_cache *cache);
/* For hashes of keys, so that nobody can choose keys that collide; 0 for NULL. */
uint64_t rwl_delete_cache_seed(const rwl_delete_cache *cache);

#endif
