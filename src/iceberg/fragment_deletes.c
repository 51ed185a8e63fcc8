/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and position delete files joined to one set of positions. */
#include "iceberg/fragment_deletes.h"

#include "iceberg/position_deletes.h"
#include "puffin/puffin.h"

static rwl_status add_deletes(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                              const rwl_delete_ref *ref, rwl_bitmap *into, rwl_error *err) {
    if (ref->kind == RWL_DELETE_EQUALITY)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "equality delete file %s applies to data file %s, which can't be read yet",
                        ref->location, fragment->location);
    if (ref->kind == RWL_DELETE_POSITIONS)
        return rwl_position_deletes_read(driver->store, op, ref, fragment->location, into, err);
    rwl_dv_ref dv = {ref->location, ref->offset, ref->length, ref->row_count, ref->file_size};
    rwl_bitmap *vector = NULL;
    RWL_TRY(rwl_dv_read(driver->store, op, &dv, &vector, err));
    rwl_status st = rwl_bitmap_union(into, vector, err);
    rwl_bitmap_free(vector);
    return st;
}

rwl_status rwl_fragment_deletes(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                                rwl_bitmap **out, rwl_error *err) {
    *out = NULL;
    if (fragment->delete_count == 0)
        return RWL_OK;
    rwl_bitmap *all = NULL;
    RWL_TRY(rwl_bitmap_new(op->env, &all, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < fragment->delete_count && st == RWL_OK; i++)
        st = add_deletes(driver, op, fragment, &fragment->deletes[i], all, err);
    if (st != RWL_OK) {
        rwl_bitmap_free(all);
        return st;
    }
    *out = all;
    return RWL_OK;
}
