/* SPDX-License-Identifier: Apache-2.0 */
/* The surroundings of whole-engine tests: a folder, an environment without chance, rows from memory. */
#ifndef RWL_TESTS_WORLD_H
#define RWL_TESTS_WORLD_H

#include "base/pool.h"
#include "engine/input.h"

#include <stdatomic.h>

/* splitmix64: the whole state is one number. */
static inline uint64_t draw_u64(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
/* 0 .. below - 1 */
static inline int64_t draw_below(uint64_t *state, int64_t below) {
    return (int64_t)(draw_u64(state) % (uint64_t)below);
}
/* True `percent` times in a hundred. */
static inline bool draw_chance(uint64_t *state, int percent) {
    return draw_below(state, 100) < percent;
}

/* A number from the environment, such as ROWLINE_SEED; `standard` when it is not there. */
uint64_t number_from(const char *name, uint64_t standard);

enum { DIARY_MAX = 8192 };

/* What a random test did, for a failure: the newest of it. */
typedef struct diary {
    char text[DIARY_MAX];
    size_t len;
} diary;
void diary_note(diary *d, const char *fmt, ...) RWL_PRINTF(2, 3);

/*
 * An environment in which everything follows from the seed: random bytes, a clock that moves one millisecond a look,
 * sleep that takes no time. Allocations are counted and the n-th can fail.
 */
typedef struct world {
    rwl_env env;
    rwl_op op;
    char folder[128];
    atomic_ullong random;
    atomic_llong now_ms;
    atomic_llong allocations; /* since the last world_fail_allocation */
    atomic_llong fail_at;     /* the allocation that fails; 0: none */
    atomic_llong failed;      /* allocations that failed */
    atomic_llong live_blocks;
    void *(*libc_realloc)(void *ctx, void *old, size_t size);
    void *(*libc_alloc_aligned)(void *ctx, size_t alignment, size_t size);
    void (*libc_free_aligned)(void *ctx, void *block);
} world;

/* A new folder in scratch_place(). False when none can be made. */
bool world_open(world *w, uint64_t seed);
/* Removes the folder and what is in it; `keep` leaves it. */
void world_close(world *w, bool keep);
/* Starts an operation anew. */
void world_new_op(world *w);
/* Counts allocations from here; the n-th fails, 0: none. */
void world_fail_allocation(world *w, int64_t n);

/* Removes everything in a directory, and the directory. */
void world_remove_tree(const char *path);
/* Copies a tree of directories and files. */
bool world_copy_tree(const char *from, const char *to);
/* All files below `path`, "relative/name\n" sorted by name, appended. */
bool world_list_files(const char *path, rwl_buf *out);

/* An input that gives this one batch (borrowed). */
typedef struct batch_input {
    rwl_input base;
    const rwl_batch *rows;
    int64_t at, step; /* `step` rows at a time */
} batch_input;
void batch_input_init(batch_input *input, const rwl_batch *rows, int64_t step);

#endif
