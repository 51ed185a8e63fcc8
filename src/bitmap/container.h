/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One roaring container: the values 0..65535 of a set that share their upper bits.
 *
 *   ARRAY  at most 4096 ascending u16 values
 *   WORDS  1024 words of 64 bits, more than 4096 values
 *   RUNS   at most 2047 ascending maximal runs: a gap of at least one value lies between neighbours
 *
 * The forms' limits hold between calls, so the portable form's rule (array up to 4096 values, else bitmap)
 * is always met. An empty container does not exist.
 */
#ifndef RWL_BITMAP_CONTAINER_H
#define RWL_BITMAP_CONTAINER_H

#include "base/buf.h"

#define RWL_CONTAINER_ARRAY_MAX  4096u
#define RWL_CONTAINER_RUNS_MAX   2047u /* 2 + 4 * 2047 bytes: the last size below a bitmap's 8192 */
#define RWL_CONTAINER_WORD_COUNT 1024u

typedef enum rwl_container_kind {
    RWL_CONTAINER_ARRAY,
    RWL_CONTAINER_WORDS,
    RWL_CONTAINER_RUNS
} rwl_container_kind;

typedef struct rwl_container_run {
    uint16_t first, last; /* inclusive */
} rwl_container_run;

typedef struct rwl_container {
    union {
        uint16_t *values;        /* ARRAY: len of them */
        uint64_t *words;         /* WORDS */
        rwl_container_run *runs; /* RUNS: len of them */
    } as;
    uint32_t len, cap;    /* items used and allocated */
    uint32_t cardinality; /* 1..65536 */
    uint16_t key;         /* bits 16..31 of the values */
    uint8_t kind;
} rwl_container;

/* Where containers' blocks come from, and how many bytes are out. */
typedef struct rwl_container_heap {
    const rwl_env *env;
    int64_t bytes;
} rwl_container_heap;

/* A new container holding first..last; the caller sets the key. */
RWL_MUST_CHECK rwl_status rwl_container_init_range(rwl_container_heap *heap, rwl_container *c, uint32_t first,
                                                   uint32_t last, rwl_error *err);
/* A new container with room for `len` items of its kind, none of them set yet. */
RWL_MUST_CHECK rwl_status rwl_container_init_kind(rwl_container_heap *heap, rwl_container *c,
                                                  rwl_container_kind kind, uint32_t len, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_container_copy(rwl_container_heap *heap, rwl_container *c,
                                             const rwl_container *from, rwl_error *err);
void rwl_container_clear(rwl_container_heap *heap, rwl_container *c);

RWL_MUST_CHECK rwl_status rwl_container_add(rwl_container_heap *heap, rwl_container *c, uint32_t value,
                                            bool *was_there, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_container_add_range(rwl_container_heap *heap, rwl_container *c, uint32_t first,
                                                  uint32_t last, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_container_union(rwl_container_heap *heap, rwl_container *c,
                                              const rwl_container *from, rwl_error *err);

bool rwl_container_contains(const rwl_container *c, uint32_t value);
/* How many values are below `limit` (0..65536). */
uint32_t rwl_container_rank(const rwl_container *c, uint32_t limit);
/* The first maximal run that ends at or after `from` (0..65535), cut at `from`; false when there is none. */
bool rwl_container_next_run(const rwl_container *c, uint32_t from, uint32_t *first, uint32_t *last);

/* Turns the container into its smallest form: runs where they take fewer bytes than the array or bitmap. */
RWL_MUST_CHECK rwl_status rwl_container_optimize(rwl_container_heap *heap, rwl_container *c, rwl_error *err);
/* Restores the limits of the forms after items were set from outside (more runs than the limit). */
RWL_MUST_CHECK rwl_status rwl_container_settle(rwl_container_heap *heap, rwl_container *c, rwl_error *err);

#endif
