/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways ids come to rows that were born without: both are an append of nothing. */
#include "engine/upgrade.h"

#include "iceberg/manifest.h"

/* What the manifest list of a head tells about ids and deletes. */
typedef struct head_facts {
    int32_t data_manifests, numbered_manifests;
    int64_t equality_deletes, position_deletes;
} head_facts;

static rwl_status count_deletes(const rwl_table *t, rwl_op *op, const rwl_metadata *m,
                                const rwl_manifest *manifest, head_facts *facts, rwl_error *err) {
    rwl_manifest_reader *reader = NULL;
    rwl_status st = rwl_manifest_reader_open(t->store, op, m, manifest, &reader, err);
    while (st == RWL_OK) {
        const rwl_manifest_entry *entry;
        st = rwl_manifest_reader_next(reader, &entry, err);
        if (st != RWL_OK || entry == NULL)
            break;
        if (entry->status == RWL_STATUS_DELETED)
            continue;
        if (entry->file.content == RWL_CONTENT_EQUALITY_DELETES)
            facts->equality_deletes++;
        else
            facts->position_deletes++;
    }
    rwl_manifest_reader_close(reader);
    return st;
}

static rwl_status read_head(const rwl_table *t, rwl_op *op, const rwl_snapshot *snapshot, bool with_deletes,
                            head_facts *facts, rwl_error *err) {
    memset(facts, 0, sizeof *facts);
    if (snapshot == NULL)
        return RWL_OK;
    rwl_manifest_list list;
    memset(&list, 0, sizeof list);
    RWL_TRY(rwl_manifest_list_read(t->store, op, snapshot, &list, err));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; st == RWL_OK && i < list.count; i++) {
        const rwl_manifest *m = &list.items[i];
        if (m->content == RWL_CONTENT_DATA) {
            facts->data_manifests++;
            facts->numbered_manifests += m->has_first_row_id;
        } else if (with_deletes) {
            st = count_deletes(t, op, t->metadata, m, facts, err);
        }
    }
    rwl_manifest_list_clear(&list);
    return st;
}

rwl_status rwl_head_is_unassigned(const rwl_table *t, rwl_op *op, bool *out, rwl_error *err) {
    *out = false;
    if (t->metadata->format_version < 3 || t->snapshot == NULL)
        return RWL_OK;
    head_facts facts;
    RWL_TRY(read_head(t, op, t->snapshot, false, &facts, err));
    *out = facts.data_manifests > 0 && facts.numbered_manifests == 0;
    return RWL_OK;
}

/* An append of nothing. */
static rwl_change_set empty_append(const rwl_change_options *options) {
    rwl_change_set change = {
        .operation = RWL_OPERATION_APPEND, .planned_snapshot_id = -1, .data_sequence_number = -1};
    change.summary_keys = options->summary_keys;
    change.summary_values = options->summary_values;
    change.summary_count = options->summary_count;
    return change;
}

rwl_status rwl_assign_head(const rwl_table *t, rwl_op *op, const rwl_change_options *options,
                           rwl_commit_outcome *out, rwl_error *err) {
    rwl_change_set change = empty_append(options);
    rwl_commit_request request = {.change = &change, .branch = t->branch, .dry_run = options->dry_run};
    return rwl_commit(t, op, &request, out, err);
}

/* --- the report --- */

/* Branches other than main whose head has no ids: their own first commit will give them. */
static rwl_status list_branches(const rwl_table *t, rwl_op *op, rwl_arena *arena, const char **out,
                                rwl_error *err) {
    rwl_json *names = rwl_json_new_array();
    rwl_status st = names != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, 64);
    for (int32_t i = 0; st == RWL_OK && i < t->metadata->ref_count; i++) {
        const rwl_ref *ref = &t->metadata->refs[i];
        if (ref->is_tag || strcmp(ref->name, "main") == 0)
            continue;
        head_facts facts;
        st = read_head(t, op, rwl_metadata_snapshot(t->metadata, ref->snapshot_id), false, &facts, err);
        if (st == RWL_OK && facts.data_manifests > 0 && facts.numbered_manifests == 0)
            st = rwl_json_append(names, rwl_json_new_str(ref->name), err);
    }
    if (st == RWL_OK)
        st = rwl_json_text_in(names, arena, out, err);
    rwl_json_free(names);
    return st;
}

/* The writer object of this name and version, added when new. */
static rwl_status count_writer(rwl_json *writers, const char *name, const char *version, rwl_error *err) {
    for (size_t i = 0; i < rwl_json_len(writers); i++) {
        rwl_json *w = rwl_json_at(writers, i);
        if (strcmp(rwl_json_str(rwl_json_get(w, "name")), name) == 0 &&
            strcmp(rwl_json_str(rwl_json_get(w, "version")), version) == 0)
            return rwl_json_set(w, "snapshots",
                                rwl_json_new_i64(rwl_json_i64(rwl_json_get(w, "snapshots")) + 1), err);
    }
    rwl_json *w = rwl_json_new_object();
    rwl_status st = w != NULL ? rwl_json_set(w, "name", rwl_json_new_str(name), err) : rwl_no_memory(err, 64);
    if (st == RWL_OK)
        st = rwl_json_set(w, "version", rwl_json_new_str(version), err);
    if (st == RWL_OK)
        st = rwl_json_set(w, "snapshots", rwl_json_new_i64(1), err);
    if (st != RWL_OK) {
        rwl_json_free(w);
        return st;
    }
    return rwl_json_append(writers, w, err);
}

static rwl_status list_writers(const rwl_table *t, rwl_arena *arena, const char **out, rwl_error *err) {
    rwl_json *writers = rwl_json_new_array();
    rwl_status st = writers != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, 64);
    for (int32_t i = 0; st == RWL_OK && i < t->metadata->snapshot_count; i++) {
        const rwl_json *summary = t->metadata->snapshots[i].summary;
        const char *name = rwl_json_str(rwl_json_get(summary, "engine-name"));
        const char *version = rwl_json_str(rwl_json_get(summary, "engine-version"));
        st = count_writer(writers, name != NULL ? name : "unsigned", version != NULL ? version : "", err);
    }
    if (st == RWL_OK)
        st = rwl_json_text_in(writers, arena, out, err);
    rwl_json_free(writers);
    return st;
}

static rwl_status make_report(const rwl_table *t, rwl_op *op, int32_t to, rwl_arena *arena,
                              rwl_upgrade_report *report, rwl_error *err) {
    memset(report, 0, sizeof *report);
    report->from_version = t->metadata->format_version;
    report->to_version = to;
    head_facts facts;
    RWL_TRY(read_head(t, op, t->snapshot, true, &facts, err));
    report->live_equality_deletes = facts.equality_deletes;
    report->live_position_deletes = facts.position_deletes;
    RWL_TRY(list_branches(t, op, arena, &report->branches_without_ids, err));
    return list_writers(t, arena, &report->writers, err);
}

rwl_status rwl_upgrade_table(const rwl_table *t, rwl_op *op, int32_t to, bool assign,
                             const rwl_change_options *options, rwl_arena *arena, rwl_commit_outcome *out,
                             rwl_upgrade_report *report, rwl_error *err) {
    int32_t from = t->metadata->format_version;
    if (to < from || to < 2 || to > 3)
        return rwl_fail(err, to > 3 ? RWL_UNSUPPORTED : RWL_USAGE,
                        "can't bring a version %d table to version %d", from, to);
    RWL_TRY(make_report(t, op, to, arena, report, err));
    bool unassigned = to >= 3 && assign && t->snapshot != NULL;
    if (unassigned && from >= 3)
        RWL_TRY(rwl_head_is_unassigned(t, op, &unassigned, err));
    if (!unassigned && from == to) {
        rwl_change_nothing(t, out);
        return RWL_OK;
    }
    rwl_change_set change = empty_append(options);
    rwl_commit_request request = {.change = &change,
                                  .branch = "main",
                                  .upgrade_to = to,
                                  .metadata_only = !unassigned,
                                  .dry_run = options->dry_run};
    RWL_TRY(rwl_commit(t, op, &request, out, err));
    report->assigned_rows = unassigned ? out->result.added_rows : 0;
    return RWL_OK;
}
