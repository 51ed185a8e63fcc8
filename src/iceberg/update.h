/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a change set and the freshest metadata to the next metadata: manifests, manifest list, snapshot. One
 * call is one attempt of a commit; it never swaps anything (catalog/) and can be asked for figures alone (dry
 * run).
 */
#ifndef RWL_ICEBERG_UPDATE_H
#define RWL_ICEBERG_UPDATE_H

#include "iceberg/manifest.h"
#include "table/change.h"

/* Manifests written by earlier attempts of one commit, reused while their sources are still in the list; and
 * the files to remove when the commit fails. */
typedef struct rwl_update rwl_update;

/* `change` is borrowed and must outlive the update. */
RWL_MUST_CHECK rwl_status rwl_update_new(rwl_store *store, rwl_op *op, const rwl_change_set *change,
                                         const rwl_attempt_options *options, rwl_update **out,
                                         rwl_error *err);
void rwl_update_free(rwl_update *u);

/* The table the change was made for: a first attempt that finds another uuid, or another format version than a
 * change with a planned snapshot was planned in, is a CONFLICT too. Without this the first attempt's count. */
RWL_MUST_CHECK rwl_status rwl_update_expect(rwl_update *u, const rwl_metadata *planned, rwl_error *err);

/*
 * One attempt on `base`: validates (every removed file is live; no new delete on a removed file or on a file
 * that gets a vector, no new vector, since planned_snapshot_id; format version and uuid unchanged) → CONFLICT
 * with `conflict` filled when it can never succeed; else writes manifests (new data first, carried data in
 * order, then deletes) and the list, assigns sequence number and row ids for this attempt, and gives the next
 * metadata.
 */
RWL_MUST_CHECK rwl_status rwl_update_apply(rwl_update *u, const rwl_metadata *base, int64_t now_ms,
                                           rwl_metadata **next, rwl_change_result *result,
                                           rwl_conflict *conflict, rwl_error *err);
/* Removes the manifest lists and manifests that the last attempt does not use (it won); with `all`, every one
 * written (the commit failed for good). Failures to remove are ignored: a file that stays is an orphan, not
 * an error. */
void rwl_update_discard(rwl_update *u, bool all);

/* An append without files on `branch`: gives ids to every data file of its head (specification, "Row Lineage
 * for Upgraded Tables"; law 8). Same as a change set of nothing. Null counts of old manifests are counted by
 * reading. */

#endif
