/* SPDX-License-Identifier: Apache-2.0 */
/* Values by name; those nobody uses are a list from the longest unused to the newest. */
#include "iceberg/delete_cache.h"

#include "base/map.h"
#include "base/thread.h"

enum { EMPTY, LOADING, HELD, TOO_LARGE };

#define STANDARD_LIMIT (INT64_C(256) << 20)

struct rwl_delete_entry {
    int state;
    int64_t users;
    int64_t bytes;
    void *value;
    void (*free)(const rwl_env *env, void *value);
    rwl_delete_entry *older, *newer; /* among the unused */
};

struct rwl_delete_cache {
    const rwl_env *env;
    int64_t limit;
    uint64_t seed;
    rwl_mutex lock;   /* guards what follows */
    rwl_cond changed; /* an entry is no longer LOADING */
    rwl_arena arena;  /* entries */
    rwl_map by_name;
    rwl_delete_entry unused; /* ring: .newer is the longest unused */
    int64_t bytes;           /* of all that is held */
};

static void free_memory(rwl_delete_cache *cache) {
    rwl_map_clear(&cache->by_name);
    rwl_arena_clear(&cache->arena);
    rwl_free(cache->env, cache);
}

rwl_status rwl_delete_cache_new(const rwl_env *env, int64_t limit, rwl_delete_cache **out, rwl_error *err) {
    *out = NULL;
    rwl_delete_cache *cache = rwl_calloc(env, 1, sizeof *cache);
    if (cache == NULL)
        return rwl_no_memory(err, sizeof *cache);
    cache->env = env;
    cache->limit = limit > 0 ? limit : STANDARD_LIMIT;
    cache->unused.older = cache->unused.newer = &cache->unused;
    if (env->random == NULL || !env->random(env->ctx, &cache->seed, sizeof cache->seed))
        cache->seed = 0;
    rwl_arena_init(&cache->arena, env, 0);
    rwl_map_init(&cache->by_name, env);
    rwl_status st = rwl_mutex_init(&cache->lock, err);
    if (st == RWL_OK && (st = rwl_cond_init(&cache->changed, err)) != RWL_OK)
        rwl_mutex_clear(&cache->lock);
    if (st != RWL_OK) {
        free_memory(cache);
        return st;
    }
    *out = cache;
    return RWL_OK;
}

/* --- under the lock --- */

static void unlink_unused(rwl_delete_entry *e) {
    e->older->newer = e->newer;
    e->newer->older = e->older;
    e->older = e->newer = NULL;
}

static void link_unused(rwl_delete_cache *cache, rwl_delete_entry *e) {
    e->newer = &cache->unused;
    e->older = cache->unused.older;
    e->older->newer = e;
    cache->unused.older = e;
}

static void drop(rwl_delete_cache *cache, rwl_delete_entry *e) {
    unlink_unused(e);
    cache->bytes -= e->bytes;
    e->free(cache->env, e->value);
    e->value = NULL;
    e->state = EMPTY;
}

static void make_room(rwl_delete_cache *cache) {
    while (cache->bytes > cache->limit && cache->unused.newer != &cache->unused)
        drop(cache, cache->unused.newer);
}

static rwl_status find_entry(rwl_delete_cache *cache, rwl_span name, rwl_delete_entry **out, rwl_error *err) {
    rwl_map_value *value = rwl_map_get(&cache->by_name, name);
    if (value == NULL) {
        rwl_delete_entry *made = rwl_arena_alloc(&cache->arena, sizeof *made);
        if (made == NULL)
            return rwl_no_memory(err, sizeof *made);
        RWL_TRY(rwl_map_put(&cache->by_name, name, &value, NULL, err));
        value->ptr = made;
    }
    *out = value->ptr;
    return RWL_OK;
}

/* Until nobody loads the entry. */
static rwl_status await(rwl_delete_cache *cache, rwl_op *op, rwl_delete_entry *e, rwl_error *err) {
    while (e->state == LOADING) {
        RWL_TRY(rwl_op_check(op, err));
        rwl_cond_wait(&cache->changed, &cache->lock);
    }
    return rwl_op_check(op, err);
}

/* Loads an entry with the lock given back meanwhile. */
static rwl_status fill(rwl_delete_cache *cache, rwl_delete_entry *e, const rwl_delete_loader *loader,
                       rwl_error *err) {
    void *value = NULL;
    int64_t bytes = 0;
    e->state = LOADING;
    rwl_mutex_unlock(&cache->lock);
    rwl_status st = loader->load(loader->ctx, rwl_delete_cache_most(cache), &value, &bytes, err);
    rwl_mutex_lock(&cache->lock);
    e->state = st != RWL_OK ? EMPTY : value != NULL ? HELD : TOO_LARGE;
    e->value = value;
    e->bytes = bytes;
    e->free = loader->free;
    if (e->state == HELD) {
        cache->bytes += bytes;
        link_unused(cache, e);
    }
    rwl_cond_broadcast(&cache->changed);
    return st;
}

static rwl_status use_entry(rwl_delete_cache *cache, rwl_op *op, rwl_span name,
                            const rwl_delete_loader *loader, rwl_delete_use *out, rwl_error *err) {
    rwl_delete_entry *e;
    RWL_TRY(find_entry(cache, name, &e, err));
    RWL_TRY(await(cache, op, e, err));
    if (e->state == EMPTY)
        RWL_TRY(fill(cache, e, loader, err));
    *out = (rwl_delete_use){.value = e->value, .bytes = e->bytes};
    if (e->state == TOO_LARGE)
        return RWL_OK;
    if (e->users++ == 0)
        unlink_unused(e);
    out->entry = e;
    make_room(cache);
    return RWL_OK;
}

/* --- using --- */

static rwl_status load_alone(const rwl_delete_loader *loader, rwl_delete_use *out, rwl_error *err) {
    *out = (rwl_delete_use){.free = loader->free};
    RWL_TRY(loader->load(loader->ctx, rwl_delete_cache_most(NULL), &out->own, &out->bytes, err));
    out->value = out->own;
    return RWL_OK;
}

rwl_status rwl_delete_cache_use(rwl_delete_cache *cache, rwl_op *op, rwl_span name,
                                const rwl_delete_loader *loader, rwl_delete_use *out, rwl_error *err) {
    if (cache == NULL)
        return load_alone(loader, out, err);
    *out = (rwl_delete_use){0};
    rwl_mutex_lock(&cache->lock);
    rwl_status st = use_entry(cache, op, name, loader, out, err);
    rwl_mutex_unlock(&cache->lock);
    return st;
}

void rwl_delete_cache_release(rwl_delete_cache *cache, rwl_op *op, rwl_delete_use *use) {
    if (use->own != NULL)
        use->free(op->env, use->own);
    if (use->entry != NULL) {
        rwl_mutex_lock(&cache->lock);
        if (--use->entry->users == 0)
            link_unused(cache, use->entry);
        make_room(cache);
        rwl_mutex_unlock(&cache->lock);
    }
    *use = (rwl_delete_use){0};
}

bool rwl_delete_cache_is_full(rwl_delete_cache *cache) {
    rwl_mutex_lock(&cache->lock);
    bool full = cache->bytes >= cache->limit && cache->unused.newer == &cache->unused;
    rwl_mutex_unlock(&cache->lock);
    return full;
}

int64_t rwl_delete_cache_limit(const rwl_delete_cache *cache) {
    return cache != NULL ? cache->limit : STANDARD_LIMIT;
}

int64_t rwl_delete_cache_most(const rwl_delete_cache *cache) {
    return rwl_delete_cache_limit(cache) / 4;
}

uint64_t rwl_delete_cache_seed(const rwl_delete_cache *cache) {
    return cache != NULL ? cache->seed : 0;
}

void rwl_delete_cache_free(rwl_delete_cache *cache) {
    if (cache == NULL)
        return;
    while (cache->unused.newer != &cache->unused)
        drop(cache, cache->unused.newer);
    rwl_cond_clear(&cache->changed);
    rwl_mutex_clear(&cache->lock);
    free_memory(cache);
}
