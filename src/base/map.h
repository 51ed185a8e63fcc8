/* SPDX-License-Identifier: Apache-2.0 */
/* Hash maps: from bytes to a pointer or number, and from int64 to the same. */
#ifndef RWL_BASE_MAP_H
#define RWL_BASE_MAP_H

#include "base/arena.h"
#include "base/buf.h"

typedef union rwl_map_value {
    void *ptr;
    int64_t i64;
} rwl_map_value;

typedef struct rwl_map_slot rwl_map_slot;

/* Keys are copied into the map's arena. Not thread-safe. Iteration is in insertion order. */
typedef struct rwl_map {
    const rwl_env *env;
    rwl_arena keys;
    rwl_map_slot *slots; /* in insertion order */
    uint32_t *index;     /* open addressing into slots */
    size_t len, slot_cap, index_cap;
    uint64_t seed; /* of the hash, drawn from the environment */
} rwl_map;

void rwl_map_init(rwl_map *map, const rwl_env *env);
void rwl_map_clear(rwl_map *map);
/* The value of `key`, or NULL. Valid until the next put. */
rwl_map_value *rwl_map_get(const rwl_map *map, rwl_span key);
/* The value of `key`, added as zero when absent; `*added` (may be NULL) tells. */
RWL_MUST_CHECK rwl_status rwl_map_put(rwl_map *map, rwl_span key, rwl_map_value **out, bool *added,
                                      rwl_error *err);
/* The i-th entry in insertion order, i < len. */
rwl_span rwl_map_key(const rwl_map *map, size_t i);
rwl_map_value *rwl_map_value_at(const rwl_map *map, size_t i);

static inline rwl_map_value *rwl_map_get_str(const rwl_map *map, const char *key) {
    return rwl_map_get(map, rwl_span_str(key));
}
static inline rwl_map_value *rwl_map_get_i64(const rwl_map *map, int64_t key) {
    return rwl_map_get(map, rwl_span_of(&key, sizeof key));
}

#endif
