/* SPDX-License-Identifier: Apache-2.0 */
/* The counter's way from the table to snapshots, manifests and files. */
#include "lineage/assign.h"

#include "base/int128.h"

#include <inttypes.h>

static rwl_status check_not_negative(rwl_opt_i64 n, const char *what, rwl_error *err) {
    if (n.present && n.value < 0)
        return rwl_fail(err, RWL_CORRUPT, "%s is negative: %" PRId64, what, n.value);
    return RWL_OK;
}

static rwl_status check_manifest(const rwl_assign_manifest *m, rwl_error *err) {
    RWL_TRY(check_not_negative(m->first_row_id, "first_row_id", err));
    RWL_TRY(check_not_negative(m->added_rows, "added_rows_count", err));
    RWL_TRY(check_not_negative(m->existing_rows, "existing_rows_count", err));
    return check_not_negative(m->unassigned_rows, "number of rows without first_row_id", err);
}

/* How many ids a data manifest without first_row_id takes: law 8. */
static rwl_status count_taken(const rwl_assign_manifest *m, int64_t *out, rwl_error *err) {
    rwl_opt_i64 need = m->unassigned_rows;
    if (need.present && need.value == 0) {
        *out = 0;
        return RWL_OK;
    }
    if (!m->added_rows.present || !m->existing_rows.present) {
        if (!need.present)
            return rwl_fail(err, RWL_INTERNAL, "row counts are null and were not counted by reading");
        *out = need.value;
        return RWL_OK;
    }
    if (!rwl_i64_add(m->added_rows.value, m->existing_rows.value, out))
        return rwl_fail(err, RWL_CORRUPT,
                        "added_rows_count %" PRId64 " + existing_rows_count %" PRId64 " passes 2^63 - 1",
                        m->added_rows.value, m->existing_rows.value);
    if (need.present && *out < need.value)
        return rwl_fail(err, RWL_CORRUPT,
                        "manifest list counts %" PRId64 " live rows, its files have %" PRId64
                        " without first_row_id",
                        *out, need.value);
    return RWL_OK;
}

rwl_status rwl_assign_manifests(rwl_assign_manifest *manifests, size_t count, int64_t first_row_id,
                                int64_t *next, rwl_error *err) {
    if (first_row_id < 0)
        return rwl_fail(err, RWL_CORRUPT, "first-row-id is negative: %" PRId64, first_row_id);
    int64_t counter = first_row_id;
    for (size_t i = 0; i < count; i++) {
        rwl_assign_manifest *m = &manifests[i];
        m->taken = 0;
        if (!m->is_data) {
            m->first_row_id = rwl_none();
            continue;
        }
        rwl_status st = check_manifest(m, err);
        if (st == RWL_OK && !m->first_row_id.present) {
            st = count_taken(m, &m->taken, err);
            m->first_row_id = rwl_some(counter);
        }
        if (st != RWL_OK)
            return rwl_error_in(err, st, "manifest %zu of the list", i);
        int64_t end;
        if (!rwl_i64_add(counter, m->taken, &end))
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "law 2: row ids are used up: %" PRId64 " + %" PRId64 " rows passes 2^63 - 1",
                            counter, m->taken);
        counter = end;
    }
    *next = counter;
    return RWL_OK;
}

void rwl_assign_files_init(rwl_assign_files *walk, rwl_opt_i64 manifest_first_row_id, bool committed) {
    memset(walk, 0, sizeof *walk);
    walk->next = manifest_first_row_id;
    walk->committed = committed;
}

/* Counts the rows of a live entry; `assigned` tells whether it has a first_row_id of its own. */
static rwl_status count_live(rwl_assign_files *walk, bool assigned, int64_t record_count, rwl_error *err) {
    if (!rwl_i64_add(walk->live_rows, record_count, &walk->live_rows))
        return rwl_fail(err, RWL_CORRUPT, "live rows of a manifest pass 2^63 - 1");
    if (!assigned)
        walk->unassigned_rows += record_count; /* at most live_rows */
    return RWL_OK;
}

static rwl_status check_range(int64_t first_row_id, int64_t record_count, int64_t *end, rwl_error *err) {
    if (!rwl_i64_add(first_row_id, record_count, end))
        return rwl_fail(err, RWL_CORRUPT,
                        "first_row_id %" PRId64 " + record_count %" PRId64 " passes 2^63 - 1", first_row_id,
                        record_count);
    return RWL_OK;
}

rwl_status rwl_assign_files_next(rwl_assign_files *walk, rwl_entry_status status, rwl_opt_i64 stored,
                                 int64_t record_count, rwl_opt_i64 *out, rwl_error *err) {
    RWL_TRY(check_not_negative(stored, "first_row_id", err));
    RWL_TRY(check_not_negative(walk->next, "first_row_id of the manifest", err));
    RWL_TRY(check_not_negative(rwl_some(record_count), "record_count", err));
    bool live = status != RWL_ENTRY_DELETED;
    if (live)
        RWL_TRY(count_live(walk, stored.present, record_count, err));

    *out = stored;
    int64_t end;
    if (!walk->next.present) {
        if (walk->committed)
            *out = rwl_none(); /* law 5: a snapshot older than the upgrade */
    } else if (stored.present) {
        RWL_TRY(check_range(stored.value, record_count, &end, err));
    } else if (live) {
        RWL_TRY(check_range(walk->next.value, record_count, &end, err));
        *out = walk->next;
        walk->next.value = end;
    }
    return RWL_OK;
}

rwl_status rwl_snapshot_ids_check(rwl_snapshot_ids *ids, rwl_error *err) {
    RWL_TRY(check_not_negative(ids->first_row_id, "first-row-id of a snapshot", err));
    if (!ids->first_row_id.present) {
        ids->added_rows = rwl_none();
        return RWL_OK;
    }
    if (!ids->added_rows.present)
        return rwl_fail(err, RWL_CORRUPT, "added-rows is null in a snapshot with first-row-id %" PRId64,
                        ids->first_row_id.value);
    return check_not_negative(ids->added_rows, "added-rows of a snapshot", err);
}

rwl_status rwl_assign_next_row_id(int64_t next_row_id, const rwl_snapshot_ids *ids, int64_t *out,
                                  rwl_error *err) {
    if (!ids->first_row_id.present || !ids->added_rows.present)
        return rwl_fail(err, RWL_INTERNAL, "cannot add a snapshot: its %s is null",
                        ids->first_row_id.present ? "added-rows" : "first-row-id");
    int64_t first = ids->first_row_id.value;
    if (first < next_row_id)
        return rwl_fail(err, RWL_CONFLICT,
                        "cannot add a snapshot: first-row-id is behind next-row-id: %" PRId64 " < %" PRId64,
                        first, next_row_id);
    if (ids->added_rows.value < 0)
        return rwl_fail(err, RWL_INTERNAL, "cannot add a snapshot: added-rows is negative: %" PRId64,
                        ids->added_rows.value);
    if (!rwl_i64_add(first, ids->added_rows.value, out))
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "law 2: row ids are used up: first-row-id %" PRId64 " + added-rows %" PRId64
                        " passes 2^63 - 1",
                        first, ids->added_rows.value);
    return RWL_OK; /* first >= next_row_id, so this is the maximum of both */
}
