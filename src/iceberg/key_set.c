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

int64_t rwl_key_set_count(const rwl_key_set *set) {
    return (int64_t)set->count + set->has_null + set->has_free_number;
}

static bool has_number(const rwl_key_set *set, const rwl_row_keys *keys, int64_t i) {
    int64_t number = keys->numbers[i];
    if (keys->invalid != NULL && keys->invalid[i])
        return set->has_null;
    if (number == FREE_NUMBER)
        return set->has_free_number;
    if (number < set->least || number > set->greatest) /* also of a set without numbers */
        return false;
    return set->numbers[find_number(set->numbers, set->cap, keys->hashes[i], number)] == number;
}

static bool has_key(const rwl_key_set *set, const rwl_row_keys *keys, int64_t i) {
    return set->count > 0 && set->slots[find_key(set, keys->hashes[i], key_at(keys, i))].end != 0;
}

/* Marks a row that is found, keeps one that is not. */
static inline size_t sort_out(int32_t *rows, size_t kept, int32_t row, bool found, uint8_t *hits) {
    hits[row] |= found;
    rows[kept] = row;
    return kept + !found;
}

size_t rwl_key_set_probe(const rwl_key_set *set, const rwl_row_keys *keys, int32_t *rows, size_t count,
                         uint8_t *hits) {
    size_t kept = 0;
    if (set->as_numbers)
        for (size_t i = 0; i < count; i++)
            kept = sort_out(rows, kept, rows[i], has_number(set, keys, rows[i]), hits);
    else
        for (size_t i = 0; i < count; i++)
            kept = sort_out(rows, kept, rows[i], has_key(set, keys, rows[i]), hits);
    return kept;
}

/* --- filters --- */

static uint64_t filter_bits(uint64_t hash) {
    return UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63);
}

static void filter_add(rwl_key_filter *filter, uint64_t hash) {
    filter->words[hash >> 12 & filter->mask] |= filter_bits(hash);
}

static void filter_add_set(rwl_key_filter *filter, const rwl_key_set *set, uint64_t seed) {
    filter->null |= set->has_null;
    filter->free_number |= set->has_free_number;
    for (size_t i = 0; i < set->cap; i++)
        if (set->as_numbers && set->numbers[i] != FREE_NUMBER)
            filter_add(filter, rwl_hash_xxh64_i64(set->numbers[i], seed));
        else if (!set->as_numbers && set->slots[i].end != 0)
            filter_add(filter, set->slots[i].hash);
}

rwl_status rwl_key_filter_init(rwl_key_filter *filter, const rwl_env *env, const rwl_key_set *const *sets,
                               size_t count, uint64_t seed, rwl_error *err) {
    enum { KEYS_A_WORD = 4 };
    size_t keys = 0, words = 1;
    memset(filter, 0, sizeof *filter);
    for (size_t i = 0; i < count; i++)
        keys += sets[i]->count;
    while (words < keys / KEYS_A_WORD + 1)
        words *= 2;
    filter->words = rwl_calloc(env, words, sizeof *filter->words);
    if (filter->words == NULL)
        return rwl_no_memory(err, words * sizeof *filter->words);
    filter->mask = words - 1;
    for (size_t i = 0; i < count; i++)
        filter_add_set(filter, sets[i], seed);
    return RWL_OK;
}

void rwl_key_filter_clear(rwl_key_filter *filter, const rwl_env *env) {
    rwl_free(env, filter->words);
    filter->words = NULL;
}

static bool is_flagged(const rwl_key_filter *filter, const rwl_row_keys *keys, int64_t i) {
    return (filter->null && keys->invalid != NULL && keys->invalid[i]) ||
           (filter->free_number && keys->numbers[i] == FREE_NUMBER);
}

size_t rwl_key_filter_apply(const rwl_key_filter *filter, const rwl_row_keys *keys, int32_t *rows) {
    size_t count = 0;
    bool flags = keys->as_numbers && (filter->null || filter->free_number);
    for (int64_t i = 0; i < keys->length; i++) {
        uint64_t hash = keys->hashes[i], bits = filter_bits(hash);
        bool may = filter->words == NULL || (filter->words[hash >> 12 & filter->mask] & bits) == bits;
        rows[count] = (int32_t)i;
        count += may || (flags && is_flagged(filter, keys, i));
    }
    return count;
}
