/* SPDX-License-Identifier: Apache-2.0 */
/* Law 2, checked on the ids of one snapshot. */
#include "lineage/laws.h"

#include "lineage/walk.h"

#include <inttypes.h>

rwl_status rwl_laws_check_below(const rwl_runs *ids, int64_t next_row_id, rwl_error *err) {
    rwl_walk walk;
    rwl_stretch s;
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
