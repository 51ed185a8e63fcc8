/* SPDX-License-Identifier: Apache-2.0 */
/* How a set is laid out: chunks by the upper 32 bits, containers by the next 16. */
#ifndef RWL_BITMAP_BITMAP_INTERNAL_H
#define RWL_BITMAP_BITMAP_INTERNAL_H

#include "bitmap/bitmap.h"
#include "bitmap/container.h"

#define RWL_BITMAP_KEY_MAX 2147483646u /* upper 32 bits of RWL_BITMAP_MAX */

/* The values that share their upper 32 bits; never empty between calls. */
typedef struct rwl_bitmap_chunk {
    rwl_container *items; /* by ascending key */
    uint32_t len, cap;
    uint32_t key;
} rwl_bitmap_chunk;

struct rwl_bitmap {
    rwl_container_heap heap;
    rwl_bitmap_chunk *chunks; /* by ascending key */
    size_t len, cap;
    int64_t count;
    size_t hint_chunk; /* where the last value was added */
    uint32_t hint_item;
};

/* Puts an empty chunk at index `at`, where its key belongs; it must get a container or be dropped again. */
RWL_MUST_CHECK rwl_status rwl_bitmap_insert_chunk(rwl_bitmap *b, size_t at, uint32_t key,
                                                  rwl_bitmap_chunk **out, rwl_error *err);
/* Moves `c` into the chunk at index `at`; on failure `c` is cleared. */
RWL_MUST_CHECK rwl_status rwl_bitmap_insert_container(rwl_bitmap *b, rwl_bitmap_chunk *chunk, uint32_t at,
                                                      rwl_container *c, rwl_error *err);

#endif
