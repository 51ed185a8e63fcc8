/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a long IN list by their hashes: a table of places in the sorted list, probed in a row. */
#include "expr/in_set.h"

enum { PROBES_MAX = 64 };    /* a list that was made to collide is searched instead */
enum { SHORT_INT_LIST = 2 }; /* a pass over integers takes a third of a probe of each */
/* Bits of a filter: many a value as long as the first-level cache has room for them, some always. */
enum { FILTER_BITS_LEAST = 10, FILTER_BITS_EASY = 17, FILTER_MANY = 256, FILTER_SOME = 16 };

static uint64_t hash_value(const rwl_bound_node *n, size_t i) {
    if (n->ints != NULL)
        return rwl_in_set_hash_int(n->ints[i]);
    return n->type->kind == RWL_TYPE_DECIMAL ? rwl_in_set_hash_i128(n->values[i].as.i128)
                                             : rwl_hash_xxh64(n->values[i].as.bytes, 0);
}

static bool fill_table(const rwl_bound_node *n, uint32_t *table, size_t mask) {
    for (size_t i = 0; i < n->value_count; i++) {
        size_t at = (size_t)hash_value(n, i) & mask;
        int probes = 0;
        for (; table[at] != 0; at = (at + 1) & mask) {
            if (++probes > PROBES_MAX)
                return false;
        }
        table[at] = (uint32_t)i + 1;
    }
    return true;
}

static bool wants_more_bits(size_t count, int bits) {
    size_t size = (size_t)1 << bits;
    return size < count * (bits < FILTER_BITS_EASY ? FILTER_MANY : FILTER_SOME);
}

static rwl_status make_filter(rwl_bound_node *n, rwl_arena *arena, rwl_error *err) {
    int bits = FILTER_BITS_LEAST;
    while (wants_more_bits(n->value_count, bits))
        bits++;
    size_t words = ((size_t)1 << bits) / 64;
    uint64_t *filter = rwl_arena_array(arena, words, sizeof *filter);
    if (filter == NULL)
        return rwl_no_memory(err, words * sizeof *filter);
    for (size_t i = 0; i < n->value_count; i++) {
        uint64_t bit = (uint64_t)n->ints[i] * RWL_IN_SET_FACTOR >> (64 - bits);
        filter[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    n->filter = filter;
    n->filter_shift = 64 - bits;
    return RWL_OK;
}

rwl_status rwl_in_set_build(rwl_bound_node *n, rwl_arena *arena, rwl_error *err) {
    size_t size = 64;
    rwl_type_kind kind = n->type->kind;
    if (n->value_count <= (n->ints != NULL ? SHORT_INT_LIST : RWL_IN_SHORT_LIST) ||
        n->value_count > UINT32_MAX / 4 || rwl_kind_has_nan(kind) || kind == RWL_TYPE_BOOLEAN)
        return RWL_OK;
    while (size < 2 * n->value_count)
        size *= 2;
    uint32_t *table = rwl_arena_array(arena, size, sizeof *table);
    if (table == NULL)
        return rwl_no_memory(err, size * sizeof *table);
    if (!fill_table(n, table, size - 1))
        return RWL_OK;
    n->table = table;
    n->table_mask = size - 1;
    return n->ints != NULL ? make_filter(n, arena, err) : (rwl_status)RWL_OK;
}
