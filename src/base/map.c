/* SPDX-License-Identifier: Apache-2.0 */
/* Hash maps: entries in insertion order, found through an open-addressing index of their numbers. */
#include "base/map.h"

#include "base/hash.h"

struct rwl_map_slot {
    const uint8_t *key;
    size_t key_len;
    uint64_t hash;
    rwl_map_value value;
};

enum { FIRST_INDEX = 16 };

void rwl_map_init(rwl_map *map, const rwl_env *env) {
    *map = (rwl_map){.env = env};
    rwl_arena_init(&map->keys, env, 0);
    /* Keys come from input: a seed nobody knows keeps them from being chosen to collide. */
    if (!env->random || !env->random(env->ctx, &map->seed, sizeof map->seed))
        map->seed = 0;
}

void rwl_map_clear(rwl_map *map) {
    rwl_arena_clear(&map->keys);
    rwl_free(map->env, map->slots);
    rwl_free(map->env, map->index);
    map->slots = NULL;
    map->index = NULL;
    map->len = map->slot_cap = map->index_cap = 0;
}

/* The place in the index where `key` is, or where it would go. An index entry is slot number + 1. */
static size_t find_place(const rwl_map *map, rwl_span key, uint64_t hash) {
    size_t mask = map->index_cap - 1;
    size_t place = (size_t)hash & mask;
    while (map->index[place]) {
        const rwl_map_slot *slot = &map->slots[map->index[place] - 1];
        if (slot->hash == hash && rwl_span_equal(rwl_span_of(slot->key, slot->key_len), key))
            break;
        place = (place + 1) & mask;
    }
    return place;
}

rwl_map_value *rwl_map_get(const rwl_map *map, rwl_span key) {
    if (map->len == 0)
        return NULL;
    size_t place = find_place(map, key, rwl_hash_xxh64(key, map->seed));
    return map->index[place] ? &map->slots[map->index[place] - 1].value : NULL;
}

/* Doubles the index when a further entry would fill it more than two thirds. */
static rwl_status grow_index(rwl_map *map, rwl_error *err) {
    if (map->len + 1 <= map->index_cap / 3 * 2)
        return RWL_OK;
    if (map->len >= UINT32_MAX / 2)
        return rwl_fail(err, RWL_UNSUPPORTED, "a map of more than %zu entries", map->len);
    size_t cap = map->index_cap ? map->index_cap * 2 : FIRST_INDEX;
    uint32_t *index = rwl_calloc(map->env, cap, sizeof *index);
    if (!index)
        return rwl_no_memory(err, cap * sizeof *index);
    for (size_t i = 0; i < map->len; i++) {
        size_t place = (size_t)map->slots[i].hash & (cap - 1);
        while (index[place])
            place = (place + 1) & (cap - 1);
        index[place] = (uint32_t)i + 1;
    }
    rwl_free(map->env, map->index);
    map->index = index;
    map->index_cap = cap;
    return RWL_OK;
}

static rwl_status grow_slots(rwl_map *map, rwl_error *err) {
    if (map->len < map->slot_cap)
        return RWL_OK;
    size_t cap = map->slot_cap ? map->slot_cap * 2 : 8;
    rwl_map_slot *slots = rwl_realloc(map->env, map->slots, cap * sizeof *slots);
    if (!slots)
        return rwl_no_memory(err, cap * sizeof *slots);
    map->slots = slots;
    map->slot_cap = cap;
    return RWL_OK;
}

rwl_status rwl_map_put(rwl_map *map, rwl_span key, rwl_map_value **out, bool *added, rwl_error *err) {
    RWL_TRY(grow_index(map, err));
    uint64_t hash = rwl_hash_xxh64(key, map->seed);
    size_t place = find_place(map, key, hash);
    bool is_new = map->index[place] == 0;
    if (is_new) {
        RWL_TRY(grow_slots(map, err));
        uint8_t *copy = rwl_arena_copy(&map->keys, key.data, key.len);
        if (!copy)
            return rwl_no_memory(err, key.len);
        map->slots[map->len] = (rwl_map_slot){.key = copy, .key_len = key.len, .hash = hash};
        map->index[place] = (uint32_t)++map->len;
    }
    if (added)
        *added = is_new;
    *out = &map->slots[map->index[place] - 1].value;
    return RWL_OK;
}

rwl_span rwl_map_key(const rwl_map *map, size_t i) {
    return rwl_span_of(map->slots[i].key, map->slots[i].key_len);
}

rwl_map_value *rwl_map_value_at(const rwl_map *map, size_t i) {
    return &map->slots[i].value;
}
