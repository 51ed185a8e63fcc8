/* SPDX-License-Identifier: Apache-2.0 */
/* The first metadata of a table. */
#include "base/uuid.h"
#include "iceberg/metadata_internal.h"

enum { NO_PARTITION_ID = 999 };

/* Kept by the metadata itself, never as properties (Java, TableProperties.RESERVED_PROPERTIES). */
static const char *const RESERVED_PROPERTIES[] = {"format-version",      "uuid",
                                                  "snapshot-count",      "current-snapshot-summary",
                                                  "current-snapshot-id", "current-snapshot-timestamp-ms",
                                                  "current-schema",      "default-partition-spec",
                                                  "default-sort-order"};

/* Names by which metadata columns are asked for. */
static const char *const METADATA_COLUMNS[] = {
    RWL_COLUMN_ROW_ID, RWL_COLUMN_LAST_UPDATED, RWL_COLUMN_FILE, RWL_COLUMN_POS, "_deleted", "_partition",
    "_spec_id"};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* --- checks --- */

static rwl_status check_fields(const rwl_field *fields, int32_t count, int depth, rwl_error *err) {
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++) {
        const rwl_field *f = &fields[i];
        if (f->id < 1 || f->id >= RWL_FIELD_ID_RESERVED_MIN)
            return rwl_fail(err, RWL_USAGE, "column '%.100s' has the reserved field id %d", f->name,
                            (int)f->id);
        if (f->required && f->type.kind == RWL_TYPE_UNKNOWN)
            return rwl_fail(err, RWL_USAGE, "column '%.100s' is of type unknown and must not be required",
                            f->name);
        for (size_t k = 0; depth == 0 && k < LENGTH(METADATA_COLUMNS); k++) {
            if (strcmp(f->name, METADATA_COLUMNS[k]) == 0)
                return rwl_fail(err, RWL_USAGE, "the column name '%s' is reserved for a metadata column",
                                f->name);
        }
        RWL_TRY(check_fields(f->type.children, f->type.child_count, depth + 1, err));
    }
    return RWL_OK;
}

static rwl_status check_source(const rwl_schema *schema, const char *what, int32_t source_id,
                               const rwl_transform *t, rwl_error *err) {
    rwl_type result;
    const rwl_field *source = rwl_schema_by_id(schema, source_id);
    if (t->kind == RWL_TRANSFORM_UNKNOWN)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s: unknown transform '%.100s'", what, t->text);
    if (!source)
        return rwl_fail(err, RWL_USAGE, "%s: there is no column with field id %d", what, (int)source_id);
    if (rwl_type_is_nested(&source->type) || !rwl_transform_result(t, &source->type, &result))
        return rwl_fail(err, RWL_USAGE, "%s: '%.60s' cannot take column '%.60s'", what, t->text,
                        source->name);
    return RWL_OK;
}

static rwl_status check_options(const rwl_metadata_new *o, rwl_error *err) {
    if (o->format_version < 2 || o->format_version > 3)
        return rwl_fail(err, RWL_UNSUPPORTED, "tables of format version %d are not made (2 and 3 are)",
                        (int)o->format_version);
    RWL_TRY(check_fields(o->schema->fields, o->schema->field_count, 0, err));
    RWL_TRY(rwl_schema_check_version(o->schema, o->format_version, err));
    for (int32_t i = 0; o->spec && i < o->spec->field_count; i++)
        RWL_TRY(check_source(o->schema, "partition", o->spec->fields[i].source_id,
                             &o->spec->fields[i].transform, err));
    for (int32_t i = 0; o->order && i < o->order->field_count; i++)
        RWL_TRY(check_source(o->schema, "sort order", o->order->fields[i].source_id,
                             &o->order->fields[i].transform, err));
    for (int32_t i = 0; i < o->property_count; i++) {
        for (size_t k = 0; k < LENGTH(RESERVED_PROPERTIES); k++) {
            if (strcmp(o->property_keys[i], RESERVED_PROPERTIES[k]) == 0)
                return rwl_fail(err, RWL_USAGE, "property '%s' is reserved", o->property_keys[i]);
        }
    }
    return RWL_OK;
}

/* --- document --- */

/* A one-item array of what one of the to_json functions gave; takes `item`. */
static rwl_status put_list_of(rwl_json *json, const char *key, rwl_json *item, rwl_error *err) {
    rwl_json *array = rwl_json_new_array();
    rwl_status st = rwl_json_set(json, key, array, err);
    if (st == RWL_OK)
        return rwl_json_append(array, item, err);
    rwl_json_free(item);
    return st;
}

static rwl_status put_schema(rwl_json *json, const rwl_metadata_new *o, rwl_error *err) {
    rwl_schema schema = *o->schema;
    schema.schema_id = 0;
    rwl_json *item;
    RWL_TRY(rwl_json_set(json, "last-column-id", rwl_json_new_i64(rwl_schema_max_id(&schema)), err));
    RWL_TRY(rwl_json_set(json, "current-schema-id", rwl_json_new_i64(0), err));
    RWL_TRY(rwl_schema_to_json(&schema, &item, err));
    return put_list_of(json, "schemas", item, err);
}

static rwl_status put_spec(rwl_json *json, const rwl_metadata_new *o, rwl_error *err) {
    rwl_partition_spec spec = {0, NULL, 0};
    if (o->spec)
        spec = *o->spec;
    spec.spec_id = 0;
    int32_t last = NO_PARTITION_ID;
    for (int32_t i = 0; i < spec.field_count; i++)
        last = spec.fields[i].field_id > last ? spec.fields[i].field_id : last;
    rwl_json *item;
    RWL_TRY(rwl_json_set(json, "default-spec-id", rwl_json_new_i64(0), err));
    RWL_TRY(rwl_partition_spec_to_json(&spec, false, &item, err));
    RWL_TRY(put_list_of(json, "partition-specs", item, err));
    return rwl_json_set(json, "last-partition-id", rwl_json_new_i64(last), err);
}

/* Order 0 is listed whatever the default: files refer to it, and Spark's rewrites of another order fail without it. */
static rwl_status put_order(rwl_json *json, const rwl_metadata_new *o, rwl_error *err) {
    const rwl_sort_order *order = o->order && o->order->field_count > 0 ? o->order : &rwl_sort_order_unsorted;
    rwl_json *item;
    RWL_TRY(rwl_json_set(json, "default-sort-order-id", rwl_json_new_i64(order->order_id), err));
    RWL_TRY(rwl_sort_order_to_json(&rwl_sort_order_unsorted, &item, err));
    RWL_TRY(put_list_of(json, "sort-orders", item, err));
    if (order->order_id == rwl_sort_order_unsorted.order_id)
        return RWL_OK;
    RWL_TRY(rwl_sort_order_to_json(order, &item, err));
    return rwl_json_append(rwl_json_get(json, "sort-orders"), item, err);
}

static rwl_status put_properties(rwl_json *json, const rwl_metadata_new *o, rwl_error *err) {
    rwl_json *properties = rwl_json_new_object();
    RWL_TRY(rwl_json_set(json, "properties", properties, err));
    RWL_TRY(rwl_json_set(properties, "write.parquet.compression-codec", rwl_json_new_str("zstd"), err));
    for (int32_t i = 0; i < o->property_count; i++)
        RWL_TRY(rwl_json_set(properties, o->property_keys[i], rwl_json_new_str(o->property_values[i]), err));
    return RWL_OK;
}

/* The location without slashes at its end, as Java keeps it. */
static rwl_status put_identity(const rwl_env *env, rwl_json *json, const char *location, rwl_error *err) {
    rwl_uuid uuid;
    char text[RWL_UUID_TEXT_LEN + 1];
    RWL_TRY(rwl_uuid_new(env, &uuid, err));
    rwl_uuid_format(uuid.bytes, text);
    RWL_TRY(rwl_json_set(json, "table-uuid", rwl_json_new_str(text), err));
    size_t len = strlen(location);
    while (len > 1 && location[len - 1] == '/')
        len--;
    return rwl_json_set(json, "location", rwl_json_new_strn(location, len), err);
}

static rwl_status fill_document(const rwl_env *env, const rwl_metadata_new *o, rwl_json *json,
                                rwl_error *err) {
    static const char *const lists[] = {"snapshots", "statistics", "partition-statistics", "snapshot-log",
                                        "metadata-log"};
    bool v3 = o->format_version >= 3;
    RWL_TRY(rwl_json_set(json, "format-version", rwl_json_new_i64(o->format_version), err));
    RWL_TRY(put_identity(env, json, o->location, err));
    RWL_TRY(rwl_json_set(json, "last-sequence-number", rwl_json_new_i64(0), err));
    RWL_TRY(rwl_json_set(json, "last-updated-ms", rwl_json_new_i64(env->now_ms(env->ctx)), err));
    RWL_TRY(put_schema(json, o, err));
    RWL_TRY(put_spec(json, o, err));
    RWL_TRY(put_order(json, o, err));
    RWL_TRY(put_properties(json, o, err));
    RWL_TRY(rwl_json_set(json, "current-snapshot-id", v3 ? rwl_json_new_null() : rwl_json_new_i64(-1), err));
    if (v3)
        RWL_TRY(rwl_json_set(json, "next-row-id", rwl_json_new_i64(0), err));
    RWL_TRY(rwl_json_set(json, "refs", rwl_json_new_object(), err));
    for (size_t i = 0; i < LENGTH(lists); i++)
        RWL_TRY(rwl_json_set(json, lists[i], rwl_json_new_array(), err));
    return RWL_OK;
}

rwl_status rwl_metadata_create(const rwl_env *env, const rwl_metadata_new *options, rwl_metadata **out,
                               rwl_error *err) {
    *out = NULL;
    RWL_TRY(check_options(options, err));
    rwl_json *json = rwl_json_new_object();
    if (!json)
        return rwl_no_memory(err, sizeof **out);
    rwl_status st = fill_document(env, options, json, err);
    if (st == RWL_OK)
        return rwl_metadata_build(env, json, NULL, out, err);
    rwl_json_free(json);
    return st;
}
