/* SPDX-License-Identifier: Apache-2.0 */
/* What a moved, modified or new row writes into the two lineage columns. */
#include "lineage/carry.h"

#include "lineage/walk.h"

#include <inttypes.h>

void rwl_carry_init(rwl_carry *carry, const rwl_env *env) {
    rwl_runs_init(&carry->ids, env, 1);
    rwl_runs_init(&carry->versions, env, 0);
}

void rwl_carry_clear(rwl_carry *carry) {
    rwl_runs_clear(&carry->ids);
    rwl_runs_clear(&carry->versions);
}

void rwl_carry_reset(rwl_carry *carry) {
    rwl_runs_reset(&carry->ids);
    rwl_runs_reset(&carry->versions);
}

/* As read, a row has both numbers or neither. */
static rwl_status check_read_rows(const rwl_runs *ids, const rwl_runs *versions, int64_t first, int64_t count,
                                  rwl_error *err) {
    if (first < 0 || count < 0 || first > ids->length - count || first > versions->length - count)
        return rwl_fail(err, RWL_INTERNAL,
                        "rows %" PRId64 " + %" PRId64 " are not in a batch of %" PRId64 " ids, %" PRId64
                        " versions",
                        first, count, ids->length, versions->length);
    if (ids->null_count == 0 && versions->null_count == 0)
        return RWL_OK;
    rwl_walk walk;
    rwl_stretch s;
    rwl_walk_init(&walk, ids, versions, first, count);
    while (rwl_walk_next(&walk, &s))
        if (s.id.present != s.version.present)
            return rwl_fail(err, RWL_INTERNAL, "law 5: row %" PRId64 " of a batch has %s", s.row,
                            s.id.present ? "an id and no version" : "a version and no id");
    return RWL_OK;
}

rwl_status rwl_carry_rows(rwl_carry *carry, rwl_carry_kind kind, const rwl_runs *ids,
                          const rwl_runs *versions, int64_t first, int64_t count, rwl_error *err) {
    if (kind == RWL_CARRY_NEW) {
        RWL_TRY(rwl_runs_append_null(&carry->ids, count, err));
        return rwl_runs_append_null(&carry->versions, count, err);
    }
    RWL_TRY(check_read_rows(ids, versions, first, count, err));
    RWL_TRY(rwl_runs_append_slice(&carry->ids, ids, first, count, err));
    if (kind == RWL_CARRY_MODIFIED)
        return rwl_runs_append_null(&carry->versions, count, err);
    return rwl_runs_append_slice(&carry->versions, versions, first, count, err);
}

rwl_status rwl_carry_unnumbered(int64_t data_sequence_number, int64_t count, rwl_runs *ids,
                                rwl_runs *versions, rwl_error *err) {
    rwl_runs_reset(ids);
    rwl_runs_reset(versions);
    RWL_TRY(rwl_runs_append_null(ids, count, err));
    return rwl_runs_append(versions, data_sequence_number, count, err);
}

rwl_status rwl_carry_columns(const rwl_runs *ids, const rwl_runs *versions, rwl_column *id_column,
                             rwl_column *version_column, rwl_error *err) {
    if (ids->length != versions->length)
        return rwl_fail(err, RWL_INTERNAL, "%" PRId64 " ids for %" PRId64 " versions", ids->length,
                        versions->length);
    RWL_TRY(rwl_runs_to_column(ids, id_column, err));
    return rwl_runs_to_column(versions, version_column, err);
}
