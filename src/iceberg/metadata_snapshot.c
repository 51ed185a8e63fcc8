/* SPDX-License-Identifier: Apache-2.0 */
/* The next metadata: one more snapshot at the head of a branch. */
#include "iceberg/metadata_internal.h"
#include "lineage/assign.h"

static rwl_opt_i64 number_or_none(int64_t value) {
    return value < 0 ? rwl_none() : rwl_some(value);
}

/* Where the commit stands against the table as it is now. */
static rwl_status check_place(const rwl_metadata *base, const rwl_snapshot_new *s, const char *branch,
                              rwl_error *err) {
    if (base->format_version < 2)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "the table has format version 1, which is not written: upgrade it first");
    if (s->snapshot_id < 0 || s->sequence_number < 0 || !s->manifest_list)
        return rwl_fail(err, RWL_INTERNAL, "snapshot %lld is incomplete", (long long)s->snapshot_id);
    if (rwl_metadata_snapshot(base, s->snapshot_id))
        return rwl_fail(err, RWL_EXISTS, "the table has a snapshot %lld already", (long long)s->snapshot_id);
    if (s->parent_id != -1 && !rwl_metadata_snapshot(base, s->parent_id))
        return rwl_fail(err, RWL_CONFLICT, "parent snapshot %lld is no longer in the table",
                        (long long)s->parent_id);
    const rwl_ref *ref = rwl_metadata_ref(base, branch);
    if (ref && ref->is_tag)
        return rwl_fail(err, RWL_USAGE, "'%.100s' is a tag; commits go to branches", branch);
    if (ref && ref->snapshot_id != s->parent_id)
        return rwl_fail(err, RWL_CONFLICT, "branch '%.100s' is at snapshot %lld, not at %lld", branch,
                        (long long)ref->snapshot_id, (long long)s->parent_id);
    if (s->sequence_number <= base->last_sequence_number)
        return rwl_fail(err, RWL_CONFLICT,
                        "sequence number %lld is not above the table's last-sequence-number %lld",
                        (long long)s->sequence_number, (long long)base->last_sequence_number);
    return RWL_OK;
}

/* Law 2 for what is there already: a counter that fell behind would hand out ids a second time. */
static rwl_status check_counter(const rwl_metadata *base, rwl_error *err) {
    for (int32_t i = 0; i < base->snapshot_count; i++) {
        const rwl_snapshot *s = &base->snapshots[i];
        if (s->has_first_row_id && s->first_row_id + s->added_rows > base->next_row_id)
            return rwl_fail(
                err, RWL_LAW_BROKEN,
                "law 2: snapshot %lld has row ids up to %lld, next-row-id is %lld: a commit would give "
                "them out again",
                (long long)s->snapshot_id, (long long)(s->first_row_id + s->added_rows - 1),
                (long long)base->next_row_id);
    }
    return RWL_OK;
}

static rwl_status check_snapshot(const rwl_metadata *base, const rwl_snapshot_new *s, const char *branch,
                                 int64_t *next_row_id, rwl_error *err) {
    RWL_TRY(check_place(base, s, branch, err));
    if (!rwl_json_str(rwl_json_get(s->summary, "operation")))
        return rwl_fail(err, RWL_INTERNAL, "the summary of snapshot %lld has no operation",
                        (long long)s->snapshot_id);
    if (base->format_version < 3)
        return RWL_OK;
    RWL_TRY(check_counter(base, err));
    rwl_snapshot_ids ids = {number_or_none(s->first_row_id), number_or_none(s->added_rows)};
    rwl_status st = rwl_assign_next_row_id(base->next_row_id, &ids, next_row_id, err);
    return st == RWL_OK ? RWL_OK : rwl_error_in(err, st, "snapshot %lld", (long long)s->snapshot_id);
}

/* Keys in Java's order. The summary's reference goes to the document. */
static rwl_status put_snapshot(rwl_json *json, const rwl_snapshot_new *s, int64_t timestamp_ms, bool row_ids,
                               rwl_error *err) {
    rwl_json *snapshots;
    RWL_TRY(rwl_metadata_need_container(json, "snapshots", RWL_JSON_ARRAY, &snapshots, err));
    rwl_json *o = rwl_json_new_object();
    RWL_TRY(rwl_json_append(snapshots, o, err));
    RWL_TRY(rwl_json_set(o, "sequence-number", rwl_json_new_i64(s->sequence_number), err));
    RWL_TRY(rwl_json_set(o, "snapshot-id", rwl_json_new_i64(s->snapshot_id), err));
    if (s->parent_id != -1)
        RWL_TRY(rwl_json_set(o, "parent-snapshot-id", rwl_json_new_i64(s->parent_id), err));
    RWL_TRY(rwl_json_set(o, "timestamp-ms", rwl_json_new_i64(timestamp_ms), err));
    RWL_TRY(rwl_json_set(o, "summary", rwl_json_ref(s->summary), err));
    RWL_TRY(rwl_json_set(o, "manifest-list", rwl_json_new_str(s->manifest_list), err));
    if (s->schema_id >= 0)
        RWL_TRY(rwl_json_set(o, "schema-id", rwl_json_new_i64(s->schema_id), err));
    if (!row_ids)
        return RWL_OK;
    RWL_TRY(rwl_json_set(o, "first-row-id", rwl_json_new_i64(s->first_row_id), err));
    return rwl_json_set(o, "added-rows", rwl_json_new_i64(s->added_rows), err);
}

/* current-snapshot-id and the snapshot log follow main alone. */
static rwl_status move_main(rwl_json *json, int64_t snapshot_id, int64_t timestamp_ms, rwl_error *err) {
    rwl_json *log;
    RWL_TRY(rwl_json_set(json, "current-snapshot-id", rwl_json_new_i64(snapshot_id), err));
    RWL_TRY(rwl_metadata_need_container(json, "snapshot-log", RWL_JSON_ARRAY, &log, err));
    rwl_json *entry = rwl_json_new_object();
    RWL_TRY(rwl_json_append(log, entry, err));
    RWL_TRY(rwl_json_set(entry, "timestamp-ms", rwl_json_new_i64(timestamp_ms), err));
    return rwl_json_set(entry, "snapshot-id", rwl_json_new_i64(snapshot_id), err);
}

static rwl_status change_document(const rwl_metadata_edit *edit, const rwl_snapshot_new *s,
                                  const char *branch, int64_t next_row_id, rwl_error *err) {
    rwl_json *json = edit->json;
    const rwl_metadata *base = edit->base;
    bool row_ids = base->format_version >= 3;
    RWL_TRY(put_snapshot(json, s, edit->timestamp_ms, row_ids, err));
    RWL_TRY(rwl_json_set(json, "last-sequence-number", rwl_json_new_i64(s->sequence_number), err));
    if (row_ids)
        RWL_TRY(rwl_json_set(json, "next-row-id", rwl_json_new_i64(next_row_id), err));
    /* a document may leave main to current-snapshot-id as long as it has no refs */
    if (base->current_snapshot_id != -1)
        RWL_TRY(rwl_metadata_put_branch(json, "main", base->current_snapshot_id, err));
    RWL_TRY(rwl_metadata_put_branch(json, branch, s->snapshot_id, err));
    return strcmp(branch, "main") == 0 ? move_main(json, s->snapshot_id, edit->timestamp_ms, err) : RWL_OK;
}

rwl_status rwl_metadata_add_snapshot(const rwl_metadata *base, const rwl_snapshot_new *snapshot,
                                     const char *branch, rwl_metadata **out, rwl_error *err) {
    *out = NULL;
    int64_t next_row_id = 0;
    rwl_metadata_edit edit;
    rwl_status st = check_snapshot(base, snapshot, branch, &next_row_id, err);
    if (st == RWL_OK)
        st = rwl_metadata_edit_begin(&edit, base, snapshot->timestamp_ms, err);
    if (st == RWL_OK) {
        st = change_document(&edit, snapshot, branch, next_row_id, err);
        st = rwl_metadata_edit_finish(&edit, st, out, err);
    }
    rwl_json_free(snapshot->summary); /* the document holds a reference of its own */
    return st;
}
