/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a long IN list by their hashes. */
#ifndef RWL_EXPR_IN_SET_H
#define RWL_EXPR_IN_SET_H

#include "base/hash.h"
#include "expr/expr_internal.h"

enum {
    RWL_IN_SHORT_LIST = 8
}; /* up to so many values, where there is no table, are compared one after another */

/* Gives a long list of integers, decimals or bytes its table; other lists have none. */
RWL_MUST_CHECK rwl_status rwl_in_set_build(rwl_bound_node *n, rwl_arena *arena, rwl_error *err);

#define RWL_IN_SET_FACTOR UINT64_C(0x9E3779B97F4A7C15)
static inline uint64_t rwl_in_set_hash_int(int64_t v) {
    uint64_t h = (uint64_t)v * RWL_IN_SET_FACTOR;
    return h ^ h >> 32;
}
static inline uint64_t rwl_in_set_hash_i128(rwl_i128 v) {
    return rwl_in_set_hash_int((int64_t)v) ^ (uint64_t)(v >> 64) * UINT64_C(0xC2B2AE3D27D4EB4F);
}

/* False where an integer is surely not in the list, as are most values of most columns: without a branch, so that a loop over
 * rows does not wait for any of them. */
static inline uint64_t rwl_in_set_may_have(const uint64_t *filter, int shift, int64_t v) {
    uint64_t bit = (uint64_t)v * RWL_IN_SET_FACTOR >> shift;
    return filter[bit / 64] >> (bit % 64) & 1;
}

/* Whether the list, which has a table, holds a value. */
static inline uint8_t rwl_in_set_has_int(const rwl_bound_node *n, int64_t v) {
    size_t at = (size_t)rwl_in_set_hash_int(v) & n->table_mask;
    for (; n->table[at] != 0; at = (at + 1) & n->table_mask) {
        if (n->ints[n->table[at] - 1] == v)
            return 1;
    }
    return 0;
}
static inline uint8_t rwl_in_set_has_i128(const rwl_bound_node *n, rwl_i128 v) {
    size_t at = (size_t)rwl_in_set_hash_i128(v) & n->table_mask;
    for (; n->table[at] != 0; at = (at + 1) & n->table_mask) {
        if (n->values[n->table[at] - 1].as.i128 == v)
            return 1;
    }
    return 0;
}
static inline uint8_t rwl_in_set_has_bytes(const rwl_bound_node *n, rwl_span v) {
    size_t at = (size_t)rwl_hash_xxh64(v, 0) & n->table_mask;
    for (; n->table[at] != 0; at = (at + 1) & n->table_mask) {
        rwl_span known = n->values[n->table[at] - 1].as.bytes;
        if (known.len == v.len && (v.len == 0 || memcmp(known.data, v.data, v.len) == 0))
            return 1;
    }
    return 0;
}

#endif
