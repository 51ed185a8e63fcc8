/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a fragment that a filter on row ids or places rules out before anything of them is read.
 *
 * A segment of ids is parted again and again, and what lies outside of the filter's ids is dropped: of ranges, with or without holes,
 * bitmaps and sorted arrays a lookup sees O(log) of the values for each id it looks for. Arrays, segments that are short, and
 * spilled ids are passed value by value, by whoever evaluates the filter.
 */
#ifndef RWL_LANCE_PRUNE_H
#define RWL_LANCE_PRUNE_H

#include "base/vec.h"
#include "lance/lineage.h"

typedef RWL_VEC(rwl_range) rwl_lance_ranges;

typedef struct rwl_lance_prune {
    const rwl_bound *filter; /* NULL: nothing is ruled out */
    const rwl_field *fields; /* that its columns are numbered by */
    const rwl_lance_fragment *fragment;
    rwl_lance_lineage *lineage; /* that gives the ids; NULL: they are not known, or addresses */
    bool by_address;            /* ids are addresses */
    rwl_segment_slice slice;    /* asked about */
    int64_t row;                /* the first one of it */
} rwl_lance_prune;

/* `lineage` is read along with what is asked here, and may be NULL where the filter does not name ids. Both are borrowed. */
rwl_lance_prune rwl_lance_prune_by(const rwl_fragment_read_options *options,
                                   const rwl_lance_fragment *fragment, rwl_lance_lineage *lineage);
/* Appends rows from `row` on that may satisfy the filter, as ranges: some `most` of them, up to `end`. *stop: the first row that is
 * not decided; when nothing was appended it is where to ask again. */
RWL_MUST_CHECK rwl_status rwl_lance_prune_next(rwl_lance_prune *prune, const rwl_env *env, int64_t row,
                                               int64_t end, int64_t most, rwl_lance_ranges *out,
                                               int64_t *stop, rwl_error *err);

#endif
