/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and small parts that every change shares. */
#include "engine/change_common.h"

#include "storage/dry.h"

rwl_status rwl_change_check_version(const rwl_metadata *m, int32_t least_version, const char *what,
                                    rwl_error *err) {
    if (m->format_version >= least_version)
        return RWL_OK;
    return rwl_fail(err, RWL_UNSUPPORTED,
                    "%s: %s a version %d table is not supported; run `rowline upgrade --to 3` first",
                    m->location, what, m->format_version);
}

rwl_status rwl_change_store(const rwl_table *table, const rwl_change_options *options, rwl_store **out,
                            rwl_error *err) {
    *out = table->store;
    return options->dry_run ? rwl_store_dry_new(table->store, out, err) : (rwl_status)RWL_OK;
}

void rwl_change_store_free(const rwl_table *table, rwl_store *store) {
    if (store != table->store)
        rwl_store_free(store);
}

rwl_status rwl_change_part(rwl_status st, rwl_error *err) {
    if (st != RWL_COMMIT_UNKNOWN)
        return st;
    if (err != NULL)
        err->code = RWL_IO;
    return RWL_IO;
}

void rwl_change_remove_part(rwl_store *store, rwl_op *op, const char *location) {
    rwl_status st = rwl_store_remove(store, op, location, NULL);
    if (st != RWL_OK && st != RWL_NOT_FOUND)
        rwl_log(op->env, RWL_LOG_WARN, "could not remove %s", location);
}

void rwl_change_nothing(const rwl_table *table, rwl_commit_outcome *out) {
    const rwl_metadata *m = table->metadata;
    memset(out, 0, sizeof *out);
    out->result.snapshot_id = -1;
    out->result.parent_snapshot_id = table->snapshot != NULL ? table->snapshot->snapshot_id : -1;
    out->result.sequence_number = m->last_sequence_number;
    out->result.first_row_id = -1;
    out->result.added_rows = m->format_version >= 3 ? 0 : -1;
    out->result.next_row_id = m->format_version >= 3 ? m->next_row_id : -1;
}
