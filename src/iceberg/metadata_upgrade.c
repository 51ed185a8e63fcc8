/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata in a later format version (specification, appendix E; section 1.3 of what v3 asks of old tables).
 */
#include "base/uuid.h"
#include "iceberg/metadata_internal.h"

static bool is_absent(const rwl_json *json, const char *key) {
    return rwl_json_kind_of(rwl_json_get(json, key)) == RWL_JSON_NULL;
}

/* A version 1 snapshot may list its manifests inline; later versions need the file. */
static rwl_status check_manifest_lists(const rwl_metadata *base, rwl_error *err) {
    for (int32_t i = 0; i < base->snapshot_count; i++) {
        if (!base->snapshots[i].manifest_list)
            return rwl_fail(
                err, RWL_UNSUPPORTED,
                "snapshot %lld has an inline 'manifests' list, which no later format version allows",
                (long long)base->snapshots[i].snapshot_id);
    }
    return RWL_OK;
}

static rwl_status add_uuid(const rwl_metadata *base, rwl_json *json, rwl_error *err) {
    if (base->table_uuid)
        return RWL_OK;
    rwl_uuid uuid;
    char text[RWL_UUID_TEXT_LEN + 1];
    RWL_TRY(rwl_uuid_new(base->env, &uuid, err));
    rwl_uuid_format(uuid.bytes, text);
    return rwl_json_set(json, "table-uuid", rwl_json_new_str(text), err);
}

/* `schema` becomes the only item of `schemas`, its document kept. */
static rwl_status upgrade_schemas(const rwl_metadata *base, rwl_json *json, rwl_error *err) {
    rwl_json *schemas;
    bool only = is_absent(json, "schemas");
    RWL_TRY(rwl_metadata_need_container(json, "schemas", RWL_JSON_ARRAY, &schemas, err));
    if (only)
        RWL_TRY(rwl_json_append(schemas, rwl_json_copy(rwl_json_get(json, "schema")), err));
    for (int32_t i = 0; i < base->schema_count; i++) {
        rwl_json *schema = rwl_json_at(schemas, (size_t)i);
        if (is_absent(schema, "schema-id"))
            RWL_TRY(rwl_json_set(schema, "schema-id", rwl_json_new_i64(base->schemas[i].schema_id), err));
    }
    RWL_TRY(rwl_json_set(json, "current-schema-id", rwl_json_new_i64(base->schema->schema_id), err));
    rwl_json_remove(json, "schema");
    return RWL_OK;
}

/* Field ids are optional in version 1 only. */
static rwl_status fill_field_ids(const rwl_partition_spec *spec, rwl_json *json, rwl_error *err) {
    for (int32_t k = 0; k < spec->field_count; k++) {
        rwl_json *field = rwl_json_at(rwl_json_get(json, "fields"), (size_t)k);
        if (is_absent(field, "field-id"))
            RWL_TRY(rwl_json_set(field, "field-id", rwl_json_new_i64(spec->fields[k].field_id), err));
    }
    return RWL_OK;
}

static rwl_status upgrade_specs(const rwl_metadata *base, rwl_json *json, rwl_error *err) {
    rwl_json *specs;
    bool only = is_absent(json, "partition-specs");
    RWL_TRY(rwl_metadata_need_container(json, "partition-specs", RWL_JSON_ARRAY, &specs, err));
    if (only) {
        rwl_json *spec = rwl_json_new_object();
        RWL_TRY(rwl_json_append(specs, spec, err));
        RWL_TRY(rwl_json_set(spec, "spec-id", rwl_json_new_i64(base->spec->spec_id), err));
        RWL_TRY(rwl_json_set(spec, "fields", rwl_json_copy(rwl_json_get(json, "partition-spec")), err));
    }
    for (int32_t i = 0; i < base->spec_count; i++)
        RWL_TRY(fill_field_ids(&base->specs[i], rwl_json_at(specs, (size_t)i), err));
    RWL_TRY(rwl_json_set(json, "default-spec-id", rwl_json_new_i64(base->spec->spec_id), err));
    RWL_TRY(rwl_json_set(json, "last-partition-id", rwl_json_new_i64(base->last_partition_id), err));
    rwl_json_remove(json, "partition-spec");
    return RWL_OK;
}

static rwl_status upgrade_orders(const rwl_metadata *base, rwl_json *json, rwl_error *err) {
    rwl_json *orders;
    bool absent = is_absent(json, "sort-orders");
    RWL_TRY(rwl_metadata_need_container(json, "sort-orders", RWL_JSON_ARRAY, &orders, err));
    if (absent) {
        rwl_json *unsorted;
        RWL_TRY(rwl_sort_order_to_json(&rwl_sort_order_unsorted, &unsorted, err));
        RWL_TRY(rwl_json_append(orders, unsorted, err));
    }
    return rwl_json_set(json, "default-sort-order-id", rwl_json_new_i64(base->order->order_id), err);
}

static rwl_status leave_v1(const rwl_metadata *base, rwl_json *json, rwl_error *err) {
    RWL_TRY(add_uuid(base, json, err));
    RWL_TRY(upgrade_schemas(base, json, err));
    RWL_TRY(upgrade_specs(base, json, err));
    RWL_TRY(upgrade_orders(base, json, err));
    RWL_TRY(rwl_json_set(json, "last-sequence-number", rwl_json_new_i64(0), err));
    return base->current_snapshot_id == -1
               ? RWL_OK
               : rwl_metadata_put_branch(json, "main", base->current_snapshot_id, err);
}

static rwl_status change_document(rwl_metadata_edit *edit, int32_t version, rwl_error *err) {
    const rwl_metadata *base = edit->base;
    RWL_TRY(rwl_json_set(edit->json, "format-version", rwl_json_new_i64(version), err));
    if (base->format_version == 1)
        RWL_TRY(leave_v1(base, edit->json, err));
    if (version >= 3) {
        RWL_TRY(rwl_json_set(edit->json, "next-row-id", rwl_json_new_i64(0), err));
        if (base->current_snapshot_id == -1)
            RWL_TRY(rwl_json_set(edit->json, "current-snapshot-id", rwl_json_new_null(), err));
    }
    return rwl_metadata_reorder(&edit->json, err);
}

rwl_status rwl_metadata_upgrade(const rwl_metadata *base, int32_t version, int64_t timestamp_ms,
                                rwl_metadata **out, rwl_error *err) {
    *out = NULL;
    if (version > 3)
        return rwl_fail(err, RWL_UNSUPPORTED, "table format version %d is not written (2 and 3 are)",
                        (int)version);
    if (version < base->format_version)
        return rwl_fail(err, RWL_USAGE, "the table has format version %d; a lower one (%d) cannot be had",
                        (int)base->format_version, (int)version);
    if (version == base->format_version) {
        rwl_json *copy = rwl_json_copy(base->json);
        return copy ? rwl_metadata_build(base->env, copy, base->metadata_location, out, err)
                    : rwl_fail(err, RWL_NO_MEMORY, "no memory for a copy of the table metadata");
    }
    RWL_TRY(check_manifest_lists(base, err));
    rwl_metadata_edit edit;
    RWL_TRY(rwl_metadata_edit_begin(&edit, base, timestamp_ms, err));
    rwl_status st = change_document(&edit, version, err);
    return rwl_metadata_edit_finish(&edit, st, out, err);
}
