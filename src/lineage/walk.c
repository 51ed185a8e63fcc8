/* SPDX-License-Identifier: Apache-2.0 */
/* Two sequences side by side, as stretches: the one loop all of lineage/ reads rows through. */
#include "lineage/walk.h"

void rwl_walk_init(rwl_walk *walk, const rwl_runs *ids, const rwl_runs *versions, int64_t first,
                   int64_t count) {
    memset(walk, 0, sizeof *walk);
    walk->ids.runs = ids;
    walk->versions.runs = versions;
    walk->row = first;
    walk->end = first + count;
}

/* Where a dense sequence stops going on regularly after `row`; null rows and values never mix. */
static int64_t find_dense_end(const rwl_column *column, int64_t row, int64_t end, int32_t step) {
    const int64_t *values = rwl_column_i64(column);
    bool nulls = column->null_count > 0;
    bool is_null = nulls && rwl_column_is_null(column, row);
    int64_t i = row + 1;
    for (; i < end; i++) {
        if (nulls && rwl_column_is_null(column, i) != is_null)
            break;
        if (!is_null && (uint64_t)values[i] != (uint64_t)values[i - 1] + (uint64_t)step)
            break;
    }
    return i;
}

static void enter_dense(rwl_walk_side *side, int64_t row, int64_t end) {
    const rwl_column *column = &side->runs->column;
    side->from = row;
    side->to = find_dense_end(column, row, end, side->runs->step);
    side->value = rwl_column_is_null(column, row) ? rwl_none() : rwl_some(rwl_column_i64(column)[row]);
}

static void enter_run(rwl_walk_side *side, int64_t row) {
    while (side->to <= row && side->next_run < side->runs->run_count) {
        const rwl_run *run = &side->runs->runs[side->next_run++];
        side->from = side->to;
        side->to += run->count;
        side->value = run->is_null ? rwl_none() : rwl_some(run->start);
    }
}

/* Makes the side's piece the one that `row` is in. */
static void enter(rwl_walk_side *side, int64_t row, int64_t end) {
    if (side->runs == NULL)
        side->to = end;
    else if (side->runs->dense)
        enter_dense(side, row, end);
    else
        enter_run(side, row);
}

static rwl_opt_i64 value_at(const rwl_walk_side *side, int64_t row) {
    if (!side->value.present)
        return rwl_none();
    return rwl_some(side->value.value + (side->runs->step == 0 ? 0 : row - side->from));
}

bool rwl_walk_next(rwl_walk *walk, rwl_stretch *out) {
    int64_t row = walk->row;
    if (row >= walk->end)
        return false;
    if (walk->ids.to <= row)
        enter(&walk->ids, row, walk->end);
    if (walk->versions.to <= row)
        enter(&walk->versions, row, walk->end);
    int64_t to = walk->ids.to < walk->versions.to ? walk->ids.to : walk->versions.to;
    if (to > walk->end)
        to = walk->end;
    if (to <= row) /* one sequence is shorter than the rows asked for */
        return false;
    out->row = row;
    out->count = to - row;
    out->id = value_at(&walk->ids, row);
    out->version = value_at(&walk->versions, row);
    walk->row = to;
    return true;
}
