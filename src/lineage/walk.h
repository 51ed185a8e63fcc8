/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over ids and versions side by side, in stretches in which both go on regularly. */
#ifndef RWL_LINEAGE_WALK_H
#define RWL_LINEAGE_WALK_H

#include "lineage/laws.h"

/* Consecutive rows with ids id, id + 1, … (or all null) and one version (or all null). */
typedef struct rwl_stretch {
    int64_t row, count;
    rwl_opt_i64 id, version;
} rwl_stretch;

/* The regular piece of one sequence that the walk is in: rows [from, to), starting with `value`. */
typedef struct rwl_walk_side {
    const rwl_runs *runs; /* borrowed; NULL reads null */
    size_t next_run;      /* the run after this piece, while not dense */
    int64_t from, to;
    rwl_opt_i64 value;
} rwl_walk_side;

typedef struct rwl_walk {
    rwl_walk_side ids, versions; /* steps 1 and 0 */
    int64_t row, end;
} rwl_walk;

/* Over rows [first, first + count) of both. `versions` may be NULL: it then reads null. */
void rwl_walk_init(rwl_walk *walk, const rwl_runs *ids, const rwl_runs *versions, int64_t first,
                   int64_t count);
/* The next stretch; false at the end. A stretch is as long as the runs allow. */
bool rwl_walk_next(rwl_walk *walk, rwl_stretch *out);

#endif
