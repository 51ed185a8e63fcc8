/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to edit metadata: copy the document, change keys in place, parse again. What lists of history hold is never
 * changed, and most of a large document: it is shared with the base. */
#include "iceberg/metadata_internal.h"

/* The order in which Java writes a document. */
static const char *const KEY_ORDER[] = {"format-version",
                                        "table-uuid",
                                        "location",
                                        "last-sequence-number",
                                        "last-updated-ms",
                                        "last-column-id",
                                        "schema",
                                        "current-schema-id",
                                        "schemas",
                                        "partition-spec",
                                        "default-spec-id",
                                        "partition-specs",
                                        "last-partition-id",
                                        "default-sort-order-id",
                                        "sort-orders",
                                        "properties",
                                        "current-snapshot-id",
                                        "next-row-id",
                                        "encryption-keys",
                                        "refs",
                                        "snapshots",
                                        "statistics",
                                        "partition-statistics",
                                        "snapshot-log",
                                        "metadata-log"};
enum { KEY_COUNT = sizeof KEY_ORDER / sizeof KEY_ORDER[0] };

rwl_status rwl_metadata_need_container(rwl_json *json, const char *key, rwl_json_kind kind, rwl_json **out,
                                       rwl_error *err) {
    *out = rwl_json_get(json, key);
    if (rwl_json_kind_of(*out) == kind)
        return RWL_OK;
    RWL_TRY(
        rwl_json_set(json, key, kind == RWL_JSON_ARRAY ? rwl_json_new_array() : rwl_json_new_object(), err));
    *out = rwl_json_get(json, key);
    return RWL_OK;
}

static rwl_status move_keys(rwl_json *from, rwl_json *to, rwl_error *err) {
    for (size_t i = 0; i < KEY_COUNT; i++) {
        rwl_json *value = rwl_json_get(from, KEY_ORDER[i]);
        if (value)
            RWL_TRY(rwl_json_set(to, KEY_ORDER[i], rwl_json_ref(value), err));
    }
    const char *key;
    rwl_json *value;
    for (size_t pos = 0; rwl_json_next(from, &pos, &key, &value);) {
        if (!rwl_json_get(to, key))
            RWL_TRY(rwl_json_set(to, key, rwl_json_ref(value), err));
    }
    return RWL_OK;
}

rwl_status rwl_metadata_reorder(rwl_json **json, rwl_error *err) {
    rwl_json *ordered = rwl_json_new_object();
    if (!ordered)
        return rwl_no_memory(err, 1);
    rwl_status st = move_keys(*json, ordered, err);
    if (st != RWL_OK) {
        rwl_json_free(ordered);
        return st;
    }
    rwl_json_free(*json);
    *json = ordered;
    return RWL_OK;
}

rwl_status rwl_metadata_put_branch(rwl_json *json, const char *branch, int64_t snapshot_id, rwl_error *err) {
    rwl_json *refs, *ref;
    RWL_TRY(rwl_metadata_need_container(json, "refs", RWL_JSON_OBJECT, &refs, err));
    RWL_TRY(rwl_metadata_need_container(refs, branch, RWL_JSON_OBJECT, &ref, err));
    RWL_TRY(rwl_json_set(ref, "snapshot-id", rwl_json_new_i64(snapshot_id), err));
    return rwl_json_set(ref, "type", rwl_json_new_str("branch"), err);
}

static int64_t newest_entry(const rwl_json *log, int64_t at_least) {
    int64_t newest = at_least;
    size_t len = rwl_json_kind_of(log) == RWL_JSON_ARRAY ? rwl_json_len(log) : 0;
    for (size_t i = 0; i < len; i++) {
        int64_t time = rwl_json_i64(rwl_json_get(rwl_json_at(log, i), "timestamp-ms"));
        newest = time > newest ? time : newest;
    }
    return newest;
}

/* The base's file by the name the table itself has for it: where it was found may be a relative path, or a place
 * the table was moved to. */
static rwl_status put_base_file(const rwl_metadata *base, rwl_json *entry, rwl_error *err) {
    const char *slash = strrchr(base->metadata_location, '/'), *location = base->location;
    size_t len = strlen(location);
    while (len > 1 && location[len - 1] == '/')
        len--;
    rwl_buf name;
    rwl_buf_init(&name, base->env, SIZE_MAX);
    rwl_status st = rwl_buf_append(&name, location, len, err);
    if (st == RWL_OK)
        st = rwl_buf_printf(&name, err, "/metadata/%s", slash ? slash + 1 : base->metadata_location);
    if (st == RWL_OK)
        st = rwl_json_set(entry, "metadata-file", rwl_json_new_strn((const char *)name.data, name.len), err);
    rwl_buf_clear(&name);
    return st;
}

/* Puts the base's file behind the others and drops the oldest beyond the table's limit. */
static rwl_status log_base(rwl_metadata_edit *edit, rwl_error *err) {
    const rwl_metadata *base = edit->base;
    rwl_json *log;
    int64_t max;
    RWL_TRY(rwl_metadata_need_container(edit->json, "metadata-log", RWL_JSON_ARRAY, &log, err));
    if (!base->metadata_location)
        return RWL_OK; /* the second edit of one commit: the first has logged the file */
    RWL_TRY(rwl_metadata_property_i64(base, "write.metadata.previous-versions-max", 100, &max, err));
    rwl_json *entry = rwl_json_new_object();
    RWL_TRY(rwl_json_append(log, entry, err));
    RWL_TRY(rwl_json_set(entry, "timestamp-ms", rwl_json_new_i64(base->last_updated_ms), err));
    RWL_TRY(put_base_file(base, entry, err));
    while (rwl_json_len(log) > (uint64_t)(max < 1 ? 1 : max))
        rwl_json_remove_at(log, 0);
    return RWL_OK;
}

static rwl_json *share_items(rwl_json *list) {
    rwl_json *out = rwl_json_new_array();
    for (size_t i = 0; out != NULL && i < rwl_json_len(list); i++) {
        if (rwl_json_append(out, rwl_json_ref(rwl_json_at(list, i)), NULL) == RWL_OK)
            continue;
        rwl_json_free(out);
        out = NULL;
    }
    return out;
}

static bool is_history(const char *key, const rwl_json *value) {
    bool is_list = rwl_json_kind_of(value) == RWL_JSON_ARRAY;
    return is_list && (strcmp(key, "snapshots") == 0 || strcmp(key, "snapshot-log") == 0 ||
                       strcmp(key, "metadata-log") == 0);
}

/* NULL when out of memory. */
static rwl_json *copy_document(const rwl_json *from) {
    rwl_json *out = rwl_json_new_object(), *value;
    const char *key;
    for (size_t pos = 0; out != NULL && rwl_json_next(from, &pos, &key, &value);) {
        rwl_json *copy = is_history(key, value) ? share_items(value) : rwl_json_copy(value);
        if (rwl_json_set(out, key, copy, NULL) == RWL_OK)
            continue;
        rwl_json_free(out);
        out = NULL;
    }
    return out;
}

rwl_status rwl_metadata_edit_begin(rwl_metadata_edit *edit, const rwl_metadata *base, int64_t timestamp_ms,
                                   rwl_error *err) {
    int64_t time = timestamp_ms > base->last_updated_ms ? timestamp_ms : base->last_updated_ms;
    time = newest_entry(rwl_json_get(base->json, "snapshot-log"), time);
    time = newest_entry(rwl_json_get(base->json, "metadata-log"), time);
    *edit = (rwl_metadata_edit){base, copy_document(base->json), time};
    if (!edit->json)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for a copy of the table metadata");
    rwl_status st = rwl_json_set(edit->json, "last-updated-ms", rwl_json_new_i64(time), err);
    if (st == RWL_OK)
        st = log_base(edit, err);
    if (st != RWL_OK) {
        rwl_json_free(edit->json);
        edit->json = NULL;
    }
    return st;
}

rwl_status rwl_metadata_edit_finish(rwl_metadata_edit *edit, rwl_status status, rwl_metadata **out,
                                    rwl_error *err) {
    rwl_json *json = edit->json;
    edit->json = NULL;
    if (status == RWL_OK)
        return rwl_metadata_build(edit->base->env, json, NULL, out, err);
    rwl_json_free(json);
    return status;
}
