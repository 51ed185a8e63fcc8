/* SPDX-License-Identifier: Apache-2.0 */
/* What lies between runs of deleted positions. */
#include "engine/rewrite_live.h"

rwl_status rwl_rewrite_live(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                            rwl_live_ranges *out, rwl_error *err) {
    rwl_bitmap *deletes = NULL;
    RWL_TRY(driver->vtable->read_deletes(driver, op, fragment, &deletes, err));
    rwl_status st = RWL_OK;
    out->len = 0;
    for (int64_t at = 0, start, count; st == RWL_OK && at < fragment->row_count; at = start + count) {
        bool found = deletes != NULL && rwl_bitmap_next_run(deletes, at, &start, &count);
        if (!found || start >= fragment->row_count) {
            start = fragment->row_count;
            count = 0;
        }
        if (start > at)
            st = rwl_vec_push(out, op->env, ((rwl_range){at, start - at}), err);
    }
    rwl_bitmap_free(deletes);
    return st;
}
