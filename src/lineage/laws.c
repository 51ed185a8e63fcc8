/* SPDX-License-Identifier: Apache-2.0 */
/* Law 2, checked on the ids of one snapshot. */
#include "lineage/laws.h"

#include "lineage/walk.h"

#include <inttypes.h>

/* Of numbers without nulls, which may be any: whether all are in [0, next), in one pass without a branch. */
static bool are_below(const rwl_runs *ids, int64_t next) {
    const int64_t *values = rwl_column_i64(&ids->column);
    uint64_t signs = 0;
    for (int64_t i = 0; i < ids->length; i++)
        signs |= (uint64_t)values[i] | ((uint64_t)next - 1 - (uint64_t)values[i]);
    return signs >> 63 == 0;
}

rwl_status rwl_laws_check_below(const rwl_runs *ids, int64_t next_row_id, rwl_error *err) {
    rwl_walk walk;
    rwl_stretch s;
    if (ids->dense && ids->column.null_count == 0 && next_row_id >= 0 && are_below(ids, next_row_id))
        return RWL_OK;
    rwl_walk_init(&walk, ids, NULL, 0, ids->length);
    while (rwl_walk_next(&walk, &s)) {
        if (!s.id.present)
            continue;
        if (s.id.value < 0)
            return rwl_fail(err, RWL_LAW_BROKEN, "law 2: row id %" PRId64 " is negative", s.id.value);
        if (s.id.value >= next_row_id || s.count > next_row_id - s.id.value) {
            int64_t first = s.id.value > next_row_id ? s.id.value : next_row_id;
            return rwl_fail(err, RWL_LAW_BROKEN,
                            "law 2: row id %" PRId64 " is not below next-row-id %" PRId64, first,
                            next_row_id);
        }
    }
    return RWL_OK;
}
