/* SPDX-License-Identifier: Apache-2.0 */
/* Open-addressing tables, of numbers or of places in a buffer of key bytes; never more than two thirds full. */
#include "iceberg/key_set.h"

#include "base/hash.h"

#include <inttypes.h>

enum { FIRST_CAP = 16 };

/* INT64_MIN marks a free slot of numbers; as a key it is a flag of its own. */
#define FREE_NUMBER INT64_MIN

/* end 0: free; no key is empty. */
typedef struct key_slot {
    uint64_t hash;
    uint64_t start, end; /* in `bytes` */
} key_slot;

struct rwl_key_set {
    const rwl_env *env;
    bool as_numbers;
    int64_t most;
    size_t cap, count; /* of slots; cap a power of two, or 0 */
    bool has_null, has_free_number;
    int64_t least, greatest; /* of the numbers; least > greatest: none */
    int64_t *numbers;
    key_slot *slots;
    rwl_buf bytes;
};

rwl_status rwl_key_set_new(const rwl_env *env, bool as_numbers, int64_t most, rwl_key_set **out,
                           rwl_error *err) {
    rwl_key_set *set = rwl_calloc(env, 1, sizeof *set);
    *out = set;
    if (set == NULL)
        return rwl_no_memory(err, sizeof *set);
    set->env = env;
    set->as_numbers = as_numbers;
    set->most = most;
    set->least = INT64_MAX;
    set->greatest = INT64_MIN;
    rwl_buf_init(&set->bytes, env, SIZE_MAX);
    return RWL_OK;
}

void rwl_key_set_free(const rwl_env *env, void *value) {
    rwl_key_set *set = value;
    if (set == NULL)
        return;
    rwl_free(env, set->numbers);
    rwl_free(env, set->slots);
    rwl_buf_clear(&set->bytes);
    rwl_free(env, set);
}

static size_t slot_size(const rwl_key_set *set) {
    return set->as_numbers ? sizeof *set->numbers : sizeof *set->slots;
}

int64_t rwl_key_set_memory(const rwl_key_set *set) {
    return (int64_t)(sizeof *set + set->cap * slot_size(set) + set->bytes.cap);
}

/* --- slots --- */

static size_t find_number(const int64_t *numbers, size_t cap, uint64_t hash, int64_t number) {
    size_t mask = cap - 1, at = (size_t)hash & mask;
    while (numbers[at] != number && numbers[at] != FREE_NUMBER)
        at = (at + 1) & mask;
    return at;
}

static rwl_span slot_key(const rwl_key_set *set, const key_slot *slot) {
    return rwl_span_of(set->bytes.data + slot->start, (size_t)(slot->end - slot->start));
}

static size_t find_key(const rwl_key_set *set, uint64_t hash, rwl_span key) {
    size_t mask = set->cap - 1, at = (size_t)hash & mask;
    while (set->slots[at].end != 0 &&
           (set->slots[at].hash != hash || !rwl_span_equal(slot_key(set, &set->slots[at]), key)))
        at = (at + 1) & mask;
    return at;
}

/* --- growing --- */

static rwl_status grow_slots(rwl_key_set *set, size_t cap, rwl_error *err) {
    key_slot *slots = rwl_calloc(set->env, cap, sizeof *slots);
    if (slots == NULL)
        return rwl_no_memory(err, cap * sizeof *slots);
    for (size_t i = 0; i < set->cap; i++) {
        if (set->slots[i].end == 0)
            continue;
        size_t at = (size_t)set->slots[i].hash & (cap - 1);
        while (slots[at].end != 0)
            at = (at + 1) & (cap - 1);
        slots[at] = set->slots[i];
    }
    rwl_free(set->env, set->slots);
    set->slots = slots;
    set->cap = cap;
    return RWL_OK;
}

static rwl_status grow_numbers(rwl_key_set *set, size_t cap, uint64_t seed, rwl_error *err) {
    if (cap > SIZE_MAX / sizeof *set->numbers)
        return rwl_no_memory(err, SIZE_MAX);
    int64_t *numbers = rwl_alloc(set->env, cap * sizeof *numbers);
    if (numbers == NULL)
        return rwl_no_memory(err, cap * sizeof *numbers);
    for (size_t i = 0; i < cap; i++)
        numbers[i] = FREE_NUMBER;
    for (size_t i = 0; i < set->cap; i++)
        if (set->numbers[i] != FREE_NUMBER) {
            uint64_t hash = rwl_hash_xxh64_i64(set->numbers[i], seed);
            numbers[find_number(numbers, cap, hash, set->numbers[i])] = set->numbers[i];
        }
    rwl_free(set->env, set->numbers);
    set->numbers = numbers;
    set->cap = cap;
    return RWL_OK;
}

/* Room for one more key, with `key_len` bytes of its own; *full when that would be too much, a failure for the first. */
static rwl_status make_room(rwl_key_set *set, uint64_t seed, size_t key_len, bool *full, rwl_error *err) {
    size_t cap = set->cap;
    if (set->count + 1 > cap / 3 * 2)
        cap = cap == 0 ? FIRST_CAP : cap * 2;
    size_t bytes = set->bytes.len + key_len > set->bytes.cap ? set->bytes.cap * 2 + key_len : set->bytes.cap;
    *full = (int64_t)(sizeof *set + cap * slot_size(set) + bytes) > set->most;
    if (*full && set->count == 0)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "a key of %zu bytes is more than the %" PRId64 " bytes for deletes hold", key_len,
                        set->most);
    if (*full)
        return RWL_OK;
    if (cap > set->cap)
        RWL_TRY(set->as_numbers ? grow_numbers(set, cap, seed, err) : grow_slots(set, cap, err));
    return rwl_buf_reserve(&set->bytes, key_len, err);
}

/* --- adding --- */

static bool is_in_part(uint64_t hash, uint32_t part, uint32_t parts) {
    return parts == 1 || (uint32_t)(hash >> 32) % parts == part; /* the low bits choose the slot */
}

static rwl_status add_number(rwl_key_set *set, uint64_t seed, uint64_t hash, int64_t number, bool *full,
                             rwl_error *err) {
    if (number == FREE_NUMBER) {
        set->has_free_number = true;
        return RWL_OK;
    }
    RWL_TRY(make_room(set, seed, 0, full, err));
    if (*full)
        return RWL_OK;
    size_t at = find_number(set->numbers, set->cap, hash, number);
    if (set->numbers[at] == number)
        return RWL_OK;
    set->numbers[at] = number;
    set->count++;
    set->least = number < set->least ? number : set->least;
    set->greatest = number > set->greatest ? number : set->greatest;
    return RWL_OK;
}

static rwl_status add_key(rwl_key_set *set, uint64_t hash, rwl_span key, bool *full, rwl_error *err) {
    if (set->cap > 0 && set->slots[find_key(set, hash, key)].end != 0)
        return RWL_OK;
    RWL_TRY(make_room(set, 0, key.len, full, err));
    if (*full)
        return RWL_OK;
    key_slot *slot = &set->slots[find_key(set, hash, key)];
    uint64_t start = set->bytes.len;
    RWL_TRY(rwl_buf_append(&set->bytes, key.data, key.len, err));
    *slot = (key_slot){hash, start, set->bytes.len};
    set->count++;
    return RWL_OK;
}

static rwl_span key_at(const rwl_row_keys *keys, int64_t i) {
    uint64_t start = i == 0 ? 0 : keys->ends[i - 1];
    return rwl_span_of(keys->bytes.data + start, (size_t)(keys->ends[i] - start));
}

rwl_status rwl_key_set_add(rwl_key_set *set, const rwl_row_keys *keys, uint32_t part, uint32_t parts,
                           bool *full, rwl_error *err) {
    *full = false;
    for (int64_t i = 0; i < keys->length && !*full; i++) {
        if (set->as_numbers && keys->invalid != NULL && keys->invalid[i])
            set->has_null = true;
        else if (!is_in_part(keys->hashes[i], part, parts))
            continue;
        else if (set->as_numbers)
            RWL_TRY(add_number(set, keys->seed, keys->hashes[i], keys->numbers[i], full, err));
        else
            RWL_TRY(add_key(set, keys->hashes[i], key_at(keys, i), full, err));
    }
    return RWL_OK;
}

/* --- probing --- */

/* A number outside the set's own range is not looked for, so that FREE_NUMBER finds no free slot either. */
static void probe_numbers(const rwl_key_set *set, const rwl_row_keys *keys, uint8_t *hits) {
    uint64_t span = (uint64_t)set->greatest - (uint64_t)set->least;
    for (int64_t i = 0; i < keys->length; i++) {
        int64_t number = keys->numbers[i];
        if ((uint64_t)number - (uint64_t)set->least > span || (keys->invalid != NULL && keys->invalid[i]))
            continue;
        hits[i] |= set->numbers[find_number(set->numbers, set->cap, keys->hashes[i], number)] == number;
    }
}

static void probe_flags(const rwl_key_set *set, const rwl_row_keys *keys, uint8_t *hits) {
    for (int64_t i = 0; i < keys->length; i++) {
        bool is_null = keys->invalid != NULL && keys->invalid[i];
        hits[i] |= is_null ? set->has_null : set->has_free_number && keys->numbers[i] == FREE_NUMBER;
    }
}

static void probe_keys(const rwl_key_set *set, const rwl_row_keys *keys, uint8_t *hits) {
    for (int64_t i = 0; i < keys->length; i++)
        hits[i] |= set->slots[find_key(set, keys->hashes[i], key_at(keys, i))].end != 0;
}

void rwl_key_set_probe(const rwl_key_set *set, const rwl_row_keys *keys, uint8_t *hits) {
    if (set->has_null || set->has_free_number)
        probe_flags(set, keys, hits);
    if (set->count == 0)
        return;
    if (set->as_numbers)
        probe_numbers(set, keys, hits);
    else
        probe_keys(set, keys, hits);
}
