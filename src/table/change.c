/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations, as snapshot summaries have them. */
#include "table/change.h"

const char *rwl_operation_name(rwl_operation operation) {
    switch (operation) {
    case RWL_OPERATION_APPEND:
        return "append";
    case RWL_OPERATION_DELETE:
        return "delete";
    case RWL_OPERATION_OVERWRITE:
        return "overwrite";
    case RWL_OPERATION_REPLACE:
        return "replace";
    }
    return "overwrite";
}

void rwl_removals_clear(rwl_removals *removals, const rwl_env *env) {
    rwl_vec_clear(&removals->files, env);
    rwl_vec_clear(&removals->deletes, env);
}

rwl_status rwl_removals_add_deletes(rwl_removals *removals, const rwl_env *env, const rwl_fragment *f,
                                    rwl_error *err) {
    for (int32_t i = 0; i < f->delete_count; i++) {
        const rwl_delete_ref *d = &f->deletes[i];
        if (!d->file_scoped)
            continue;
        rwl_removed_delete gone = {.kind = d->kind,
                                   .location = d->location,
                                   .offset = d->kind == RWL_DELETE_VECTOR ? d->offset : -1,
                                   .data_file = f->location};
        RWL_TRY(rwl_vec_push(&removals->deletes, env, gone, err));
    }
    return RWL_OK;
}

rwl_status rwl_removals_add_file(rwl_removals *removals, const rwl_env *env, const rwl_fragment *f,
                                 rwl_error *err) {
    rwl_removed_file file = {f->location, f->spec_id, f->row_count, f->file_size};
    RWL_TRY(rwl_vec_push(&removals->files, env, file, err));
    return rwl_removals_add_deletes(removals, env, f, err);
}
