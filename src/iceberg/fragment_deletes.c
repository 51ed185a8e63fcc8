/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors, position delete files and equality delete files joined to one set of positions. */
#include "iceberg/fragment_deletes.h"

#include "iceberg/equality_deletes.h"
#include "iceberg/position_deletes.h"
#include "iceberg/vector_deletes.h"

static bool has_vector(const rwl_fragment *fragment) {
    for (int32_t i = 0; i < fragment->delete_count; i++)
        if (fragment->deletes[i].kind == RWL_DELETE_VECTOR)
            return true;
    return false;
}

/* What names positions: a vector has those of all position delete files, which then count no more. */
static rwl_status add_positions(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                                rwl_bitmap *into, rwl_error *err) {
    bool vector = has_vector(fragment);
    for (int32_t i = 0; i < fragment->delete_count; i++) {
        const rwl_delete_ref *ref = &fragment->deletes[i];
        if (ref->kind == RWL_DELETE_VECTOR)
            RWL_TRY(rwl_vector_deletes_read(driver->store, op, driver->deletes, ref, fragment->location, into,
                                            err));
        else if (ref->kind == RWL_DELETE_POSITIONS && !vector)
            RWL_TRY(rwl_position_deletes_read(driver->store, op, driver->deletes, ref, fragment->location,
                                              into, err));
    }
    return RWL_OK;
}

rwl_status rwl_fragment_deletes(const rwl_driver *driver, rwl_op *op, const rwl_fragment *fragment,
                                rwl_bitmap **out, rwl_error *err) {
    *out = NULL;
    if (fragment->delete_count == 0)
        return RWL_OK;
    rwl_bitmap *all = NULL;
    RWL_TRY(rwl_bitmap_new(op->env, &all, err));
    rwl_status st = add_positions(driver, op, fragment, all, err);
    if (st == RWL_OK)
        st = rwl_equality_deletes_add(driver, op, fragment, all, err);
    if (st != RWL_OK) {
        rwl_bitmap_free(all);
        return st;
    }
    *out = all;
    return RWL_OK;
}
