/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Law 1 within a memory ceiling: are these row ids distinct?
 *
 * The ids go into a roaring set. When that would pass its ceiling (a quarter of an operation's budget) the
 * set is dropped, and the caller reads the ids again one window [lo, hi) at a time, with rwl_distinct_window
 * ids each, which always fit:
 *
 *     rwl_distinct_init(&d, env, 0, INT64_MAX, ceiling);      add all ids
 *     if (d.too_large)
 *         for (lo = 0; lo < next_row_id; lo = hi)             hi = lo + rwl_distinct_window(ceiling)
 *             rwl_distinct_reset(&d, lo, hi);                 add all ids again
 *
 * and after each pass rwl_distinct_check.
 */
#ifndef RWL_LINEAGE_DISTINCT_H
#define RWL_LINEAGE_DISTINCT_H

#include "bitmap/bitmap.h"
#include "lineage/laws.h"

enum {
    RWL_DISTINCT_SHOWN = 8,              /* duplicates kept for the error message */
    RWL_DISTINCT_CEILING_MIN = 64 * 1024 /* bytes: room for one window of the least size */
};

typedef struct rwl_distinct {
    const rwl_env *env;
    int64_t lo, hi;          /* ids outside are not looked at */
    int64_t ceiling;         /* bytes the set may hold */
    bool too_large;          /* the set passed the ceiling, or the ids what a set can number: use windows */
    rwl_bitmap *seen;        /* of id - lo; NULL before the first id */
    int64_t duplicate_count; /* rows whose id was there before */
    int64_t duplicates[RWL_DISTINCT_SHOWN]; /* the first of them, each id once */
    int32_t shown;
} rwl_distinct;

/* 0 <= lo <= hi; `ceiling` in bytes, at least RWL_DISTINCT_CEILING_MIN (else that is taken). */
void rwl_distinct_init(rwl_distinct *d, const rwl_env *env, int64_t lo, int64_t hi, int64_t ceiling);
/* Starts over with another window; duplicates found so far stay. */
void rwl_distinct_reset(rwl_distinct *d, int64_t lo, int64_t hi);
void rwl_distinct_clear(rwl_distinct *d);

/* Adds ids; nulls and ids outside the window do not count. Does nothing once too_large. */
RWL_MUST_CHECK rwl_status rwl_distinct_add(rwl_distinct *d, const rwl_runs *ids, rwl_error *err);

/* How many consecutive ids a set of `ceiling` bytes holds whatever they are; at least 65536. */
int64_t rwl_distinct_window(int64_t ceiling);

/* LAW_BROKEN "law 1: …" naming the first duplicates, OK when there are none. */
RWL_MUST_CHECK rwl_status rwl_distinct_check(const rwl_distinct *d, rwl_error *err);

#endif
