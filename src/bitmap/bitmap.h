/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of 64-bit non-negative numbers (row positions, row ids) as roaring bitmaps.
 *
 * Portable 32-bit form (RoaringFormatSpec): cookie 0x303A or 0x303B, descriptors, offsets, containers of
 * sorted u16 arrays (up to 4096), 8192-byte bitmaps, or runs. 64-bit form: u64 count, then (u32 key, 32-bit
 * bitmap) with keys ascending. Keys 0..2147483646; an absent key may be written as an empty bitmap.
 */
#ifndef RWL_BITMAP_BITMAP_H
#define RWL_BITMAP_BITMAP_H

#include "base/buf.h"

#define RWL_BITMAP_MAX INT64_C(9223372030412324864) /* 0x7FFFFFFE80000000, Iceberg's greatest position */

typedef struct rwl_bitmap rwl_bitmap;

RWL_MUST_CHECK rwl_status rwl_bitmap_new(const rwl_env *env, rwl_bitmap **out, rwl_error *err);
void rwl_bitmap_free(rwl_bitmap *bitmap); /* NULL is fine */
/* Adds one value or [start, start + count). UNSUPPORTED when negative or above RWL_BITMAP_MAX. */
RWL_MUST_CHECK rwl_status rwl_bitmap_add(rwl_bitmap *b, int64_t value, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_bitmap_add_range(rwl_bitmap *b, int64_t start, int64_t count, rwl_error *err);
/* Adds a value and tells whether it was there already: for finding duplicates. */
RWL_MUST_CHECK rwl_status rwl_bitmap_add_checked(rwl_bitmap *b, int64_t value, bool *was_there,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_bitmap_union(rwl_bitmap *into, const rwl_bitmap *from, rwl_error *err);
bool rwl_bitmap_contains(const rwl_bitmap *b, int64_t value);
int64_t rwl_bitmap_count(const rwl_bitmap *b);
/* How many values are in [start, start + count). */
int64_t rwl_bitmap_count_range(const rwl_bitmap *b, int64_t start, int64_t count);
int64_t rwl_bitmap_memory(const rwl_bitmap *b); /* bytes held */

/* The first maximal run of values at or after `from`; false when there is none. To walk deletes by range:
 * from = *start + *count. */
bool rwl_bitmap_next_run(const rwl_bitmap *b, int64_t from, int64_t *start, int64_t *count);

/* The same for a walk of many steps upwards, which goes on where it was instead of searching. Start with
 * {.bitmap = b}; any `from` is right, and the set must not change meanwhile. */
typedef struct rwl_bitmap_walk {
    const rwl_bitmap *bitmap;
    const struct rwl_container *container; /* that the last run ended in, or NULL */
    int64_t base;                          /* of its values */
    uint32_t index;                        /* of an array: its first value behind that run */
} rwl_bitmap_walk;
bool rwl_bitmap_walk_run(rwl_bitmap_walk *walk, int64_t from, int64_t *start, int64_t *count);

/* Chooses for each container the smallest of array, bitmap and run form. */
RWL_MUST_CHECK rwl_status rwl_bitmap_optimize(rwl_bitmap *b, rwl_error *err);
/* Appends the portable 64-bit form; keys from 0 to the greatest are all written (as Java does). */
RWL_MUST_CHECK rwl_status rwl_bitmap_serialize(const rwl_bitmap *b, rwl_buf *out, rwl_error *err);
/* Parses and validates (order, cardinality, container forms, limits); all of `bytes` must be used. */
RWL_MUST_CHECK rwl_status rwl_bitmap_deserialize(const rwl_env *env, rwl_span bytes, rwl_bitmap **out,
                                                 rwl_error *err);

#endif
