/* SPDX-License-Identifier: Apache-2.0 */
/* What the modules of table metadata share: building the view of a document, and the one way to edit. */
#ifndef RWL_ICEBERG_METADATA_INTERNAL_H
#define RWL_ICEBERG_METADATA_INTERNAL_H

#include "iceberg/metadata.h"

/* A metadata object over `document`, which it takes whatever the result. */
RWL_MUST_CHECK rwl_status rwl_metadata_build(const rwl_env *env, rwl_json *document,
                                             const char *metadata_location, rwl_metadata **out,
                                             rwl_error *err);
/* The order that id 0 stands for. */
extern const rwl_sort_order rwl_sort_order_unsorted;

/*
 * An edit: a deep copy of the base's document, changed in place, parsed again at the end. Fields that nobody
 * touches stay, known or not.
 */
typedef struct rwl_metadata_edit {
    const rwl_metadata *base;
    rwl_json *json;
    int64_t timestamp_ms; /* of the new version */
} rwl_metadata_edit;

/* Copies, sets last-updated-ms (never before the base's or the newest log entry) and logs the base's file. */
RWL_MUST_CHECK rwl_status rwl_metadata_edit_begin(rwl_metadata_edit *edit, const rwl_metadata *base,
                                                  int64_t timestamp_ms, rwl_error *err);
/* Parses the changed copy when `status` is OK; frees the edit and returns the first failure. */
RWL_MUST_CHECK rwl_status rwl_metadata_edit_finish(rwl_metadata_edit *edit, rwl_status status,
                                                   rwl_metadata **out, rwl_error *err);
/* The array or object at `key`, made empty when absent or null; *out is borrowed. */
RWL_MUST_CHECK rwl_status rwl_metadata_need_container(rwl_json *json, const char *key, rwl_json_kind kind,
                                                      rwl_json **out, rwl_error *err);
/* The keys in the order Java writes them, others behind. Replaces *json. */
RWL_MUST_CHECK rwl_status rwl_metadata_reorder(rwl_json **json, rwl_error *err);
/* Points refs.<branch> at a snapshot, keeping its other fields. */
RWL_MUST_CHECK rwl_status rwl_metadata_put_branch(rwl_json *json, const char *branch, int64_t snapshot_id,
                                                  rwl_error *err);

#endif
