/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of texts and lists of file version 2.0. */
#include "lancefile/field20_internal.h"

enum { END_LEN = 8 };

static rwl_lance_slice20 slice_of(const rwl_lance_part20 *part) {
    int64_t from = part->first > 0 ? part->first - 1 : 0;
    return (rwl_lance_slice20){&part->page->values, part->index, from, part->first + part->count - from};
}

rwl_status rwl_lance_ends20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_lance_slice20 slice = slice_of(part);
    return rwl_lance_flat20_is_read(slice.flat) ? rwl_lance_slice20_aim(c, &slice, &part->piece, err)
                                                : (rwl_status)RWL_OK;
}

rwl_status rwl_lance_ends20_open(rwl_lance_column20 *c, const rwl_lance_part20 *part, uint64_t max,
                                 rwl_lance_ends20 *out, rwl_error *err) {
    rwl_lance_slice20 slice = slice_of(part);
    rwl_lance_bits20 ends;
    uint64_t from;
    bool is_null;
    RWL_TRY(rwl_lance_slice20_get(c, &slice, part->piece, &c->field->aligned, &ends, err));
    *out = (rwl_lance_ends20){ends.data + (slice.first * 8 * END_LEN - ends.first) / 8,
                              part->page->null_adjustment, max, 0};
    if (part->first == 0)
        return RWL_OK;
    if (!rwl_lance_ends20_next(out, 0, &from, &out->at, &is_null))
        return rwl_lance_ends20_fail(out, part->first - 1, 0, out->at, err);
    out->ends += END_LEN;
    return RWL_OK;
}

rwl_status rwl_lance_ends20_fail(const rwl_lance_ends20 *e, int64_t row, uint64_t from, uint64_t to,
                                 rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "row %lld ends at %llu, behind %llu and of %llu", (long long)row,
                    (unsigned long long)to, (unsigned long long)from, (unsigned long long)e->max);
}
