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

typedef struct rwl_walk {
    const rwl_runs *ids, *versions; /* borrowed; steps 1 and 0 */
    int64_t row, end;
    size_t id_run, version_run;             /* runs the row is in, while not dense */
    int64_t id_run_row, version_run_row;    /* rows at which these runs start */
} rwl_walk;

/* Over rows [first, first + count). `versions` may be NULL: then they read null. Equal lengths else. */
void rwl_walk_init(rwl_walk *walk, const rwl_runs *ids, const rwl_runs *versions, int64_t first, int64_t count);
/* The next stretch; false at the end. Stretches are as long as the runs allow. */
bool rwl_walk_next(rwl_walk *walk, rwl_stretch *out);

#endif
