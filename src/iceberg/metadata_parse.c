/* SPDX-License-Identifier: Apache-2.0 */
/* From a metadata document to its parsed view (specification, "Table Metadata Fields", "Snapshots", "Snapshot
 * References"). */
#include "iceberg/metadata_internal.h"
#include "lineage/assign.h"

#include <stdlib.h>
#include <strings.h>

enum { NEWEST_VERSION = 3, NO_PARTITION_ID = 999 };

/* --- arrays of things with ids --- */

static int compare_i64(const void *a, const void *b) {
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts `ids`; CORRUPT naming one that occurs twice. */
static rwl_status check_unique(int64_t *ids, size_t count, const char *what, rwl_error *err) {
    if (count > 1)
        qsort(ids, count, sizeof *ids, compare_i64);
    for (size_t i = 1; i < count; i++) {
        if (ids[i - 1] == ids[i])
            return rwl_fail(err, RWL_CORRUPT, "two %s have the id %lld", what, (long long)ids[i]);
    }
    return RWL_OK;
}

/* Room in the arena for what an array holds, and for the ids. `array` may be NULL. */
static rwl_status make_room(rwl_metadata *m, const rwl_json *array, size_t item_size, const char *what,
                            void **items, int64_t **ids, int32_t *count, rwl_error *err) {
    size_t len = array ? rwl_json_len(array) : 0;
    if (len > INT32_MAX / 2)
        return rwl_fail(err, RWL_UNSUPPORTED, "the table has %zu %s", len, what);
    *items = rwl_arena_array(&m->arena, len, item_size);
    *ids = rwl_arena_array(&m->arena, len, sizeof **ids);
    *count = (int32_t)len;
    return *items && *ids ? RWL_OK : rwl_no_memory(err, len * item_size);
}

static rwl_status fail_missing(const char *key, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "'%s' is missing", key);
}

static rwl_status fail_unresolved(const char *key, int64_t id, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "'%s' is %lld, which is not in the table", key, (long long)id);
}

/* --- header --- */

static rwl_status parse_version(rwl_metadata *m, rwl_error *err) {
    RWL_TRY(rwl_json_need_i32(m->json, "format-version", &m->format_version, err));
    if (m->format_version > NEWEST_VERSION)
        return rwl_fail(err, RWL_UNSUPPORTED, "table format version %d is not supported (1 to %d are)",
                        (int)m->format_version, NEWEST_VERSION);
    if (m->format_version < 1)
        return rwl_fail(err, RWL_CORRUPT, "'format-version' is %d", (int)m->format_version);
    if (rwl_json_get(m->json, "view-uuid"))
        return rwl_fail(err, RWL_UNSUPPORTED, "this is a view, not a table");
    return RWL_OK;
}

static rwl_status need_count(const rwl_json *json, const char *key, int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_json_need_i64(json, key, out, err));
    return *out >= 0 ? RWL_OK : rwl_fail(err, RWL_CORRUPT, "'%s' is %lld", key, (long long)*out);
}

static rwl_status parse_header(rwl_metadata *m, rwl_error *err) {
    RWL_TRY(parse_version(m, err));
    RWL_TRY(rwl_json_opt_str(m->json, "table-uuid", &m->table_uuid, err));
    if (!m->table_uuid && m->format_version > 1)
        return fail_missing("table-uuid", err);
    RWL_TRY(rwl_json_need_str(m->json, "location", &m->location, err));
    RWL_TRY(rwl_json_need_i64(m->json, "last-updated-ms", &m->last_updated_ms, err));
    RWL_TRY(rwl_json_need_i32(m->json, "last-column-id", &m->last_column_id, err));
    if (m->format_version > 1)
        RWL_TRY(need_count(m->json, "last-sequence-number", &m->last_sequence_number, err));
    if (m->format_version > 2)
        RWL_TRY(need_count(m->json, "next-row-id", &m->next_row_id, err));
    return RWL_OK;
}

/* --- schemas, specs, orders --- */

static rwl_status parse_schema_list(rwl_metadata *m, const rwl_json *array, rwl_error *err) {
    rwl_schema *schemas;
    int64_t *ids;
    RWL_TRY(make_room(m, array, sizeof *schemas, "schemas", (void **)&schemas, &ids, &m->schema_count, err));
    m->schemas = schemas;
    for (int32_t i = 0; i < m->schema_count; i++) {
        RWL_TRY(
            rwl_schema_from_json(rwl_json_at(array, (size_t)i), NEWEST_VERSION, &m->arena, &schemas[i], err));
        ids[i] = schemas[i].schema_id;
    }
    return check_unique(ids, (size_t)m->schema_count, "schemas", err);
}

/* v1 without `schemas` has `schema`. */
static rwl_status parse_only_schema(rwl_metadata *m, rwl_error *err) {
    const rwl_json *json = rwl_json_get(m->json, "schema");
    if (m->format_version > 1)
        return fail_missing("schemas", err);
    if (!json)
        return fail_missing("schema", err);
    rwl_schema *schema = rwl_arena_alloc(&m->arena, sizeof *schema);
    if (!schema)
        return rwl_no_memory(err, sizeof *schema);
    RWL_TRY(rwl_schema_from_json(json, NEWEST_VERSION, &m->arena, schema, err));
    m->schema = m->schemas = schema;
    m->schema_count = 1;
    return RWL_OK;
}

static rwl_status parse_schemas(rwl_metadata *m, rwl_error *err) {
    rwl_json *array;
    int32_t current = 0;
    bool present;
    RWL_TRY(rwl_json_opt_array(m->json, "schemas", &array, err));
    if (!array)
        return parse_only_schema(m, err);
    RWL_TRY(parse_schema_list(m, array, err));
    RWL_TRY(rwl_json_opt_i32(m->json, "current-schema-id", &present, &current, err));
    const rwl_json *v1 = m->format_version == 1 ? rwl_json_get(m->json, "schema") : NULL;
    if (!present && !v1)
        return fail_missing("current-schema-id", err);
    if (!present)
        RWL_TRY(rwl_json_opt_i32(v1, "schema-id", NULL, &current, err));
    m->schema = rwl_metadata_schema(m, current);
    return m->schema ? RWL_OK : fail_unresolved("current-schema-id", current, err);
}

static rwl_status parse_spec_list(rwl_metadata *m, const rwl_json *array, rwl_error *err) {
    rwl_partition_spec *specs;
    int64_t *ids;
    RWL_TRY(
        make_room(m, array, sizeof *specs, "partition specs", (void **)&specs, &ids, &m->spec_count, err));
    m->specs = specs;
    for (int32_t i = 0; i < m->spec_count; i++) {
        const rwl_json *item = rwl_json_at(array, (size_t)i);
        if (rwl_json_kind_of(item) != RWL_JSON_OBJECT)
            return rwl_fail(err, RWL_CORRUPT, "partition-specs: no object at place %d", (int)i);
        RWL_TRY(rwl_partition_spec_from_json(item, &m->arena, &specs[i], err));
        ids[i] = specs[i].spec_id;
    }
    return check_unique(ids, (size_t)m->spec_count, "partition specs", err);
}

/* v1 without `partition-specs` has the fields of spec 0 in `partition-spec`. */
static rwl_status parse_only_spec(rwl_metadata *m, rwl_error *err) {
    rwl_json *fields;
    if (m->format_version > 1)
        return fail_missing("partition-specs", err);
    RWL_TRY(rwl_json_need_array(m->json, "partition-spec", &fields, err));
    rwl_partition_spec *spec = rwl_arena_alloc(&m->arena, sizeof *spec);
    if (!spec)
        return rwl_no_memory(err, sizeof *spec);
    RWL_TRY(rwl_partition_spec_from_json(fields, &m->arena, spec, err));
    m->specs = spec;
    m->spec_count = 1;
    return RWL_OK;
}

static int32_t max_spec_id(const rwl_metadata *m) {
    int32_t max = 0;
    for (int32_t i = 0; i < m->spec_count; i++)
        max = m->specs[i].spec_id > max ? m->specs[i].spec_id : max;
    return max;
}

static int32_t max_partition_id(const rwl_metadata *m) {
    int32_t max = NO_PARTITION_ID;
    for (int32_t i = 0; i < m->spec_count; i++) {
        for (int32_t k = 0; k < m->specs[i].field_count; k++)
            max = m->specs[i].fields[k].field_id > max ? m->specs[i].fields[k].field_id : max;
    }
    return max;
}

static rwl_status parse_specs(rwl_metadata *m, rwl_error *err) {
    rwl_json *array;
    bool present;
    RWL_TRY(rwl_json_opt_array(m->json, "partition-specs", &array, err));
    RWL_TRY(array ? parse_spec_list(m, array, err) : parse_only_spec(m, err));
    int32_t spec_id = max_spec_id(m); /* v1 may leave it open */
    RWL_TRY(rwl_json_opt_i32(m->json, "default-spec-id", &present, &spec_id, err));
    if (!present && m->format_version > 1)
        return fail_missing("default-spec-id", err);
    m->last_partition_id = max_partition_id(m);
    RWL_TRY(rwl_json_opt_i32(m->json, "last-partition-id", &present, &m->last_partition_id, err));
    if (!present && m->format_version > 1)
        return fail_missing("last-partition-id", err);
    m->spec = rwl_metadata_spec(m, spec_id);
    return m->spec ? RWL_OK : fail_unresolved("default-spec-id", spec_id, err);
}

static rwl_status parse_orders(rwl_metadata *m, rwl_error *err) {
    rwl_json *array;
    rwl_sort_order *orders;
    int64_t *ids;
    RWL_TRY(rwl_json_opt_array(m->json, "sort-orders", &array, err));
    if (!array && m->format_version > 1)
        return fail_missing("sort-orders", err);
    RWL_TRY(make_room(m, array, sizeof *orders, "sort orders", (void **)&orders, &ids, &m->order_count, err));
    m->orders = orders;
    for (int32_t i = 0; i < m->order_count; i++) {
        RWL_TRY(rwl_sort_order_from_json(rwl_json_at(array, (size_t)i), &m->arena, &orders[i], err));
        ids[i] = orders[i].order_id;
    }
    RWL_TRY(check_unique(ids, (size_t)m->order_count, "sort orders", err));
    int32_t order_id = 0;
    bool present;
    RWL_TRY(rwl_json_opt_i32(m->json, "default-sort-order-id", &present, &order_id, err));
    if (!present && m->format_version > 1)
        return fail_missing("default-sort-order-id", err);
    m->order = rwl_metadata_order(m, order_id);
    return m->order ? RWL_OK : fail_unresolved("default-sort-order-id", order_id, err);
}

/* --- snapshots --- */

static rwl_status parse_summary(const rwl_json *json, rwl_snapshot *out, rwl_error *err) {
    const rwl_json *summary = rwl_json_get(json, "summary");
    if (rwl_json_kind_of(summary) == RWL_JSON_NULL)
        return RWL_OK;
    if (rwl_json_kind_of(summary) != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "'summary' is no object");
    out->summary = summary;
    return rwl_json_opt_str(summary, "operation", &out->operation, err);
}

/* `manifest-list`, or the inline list of v1. */
static rwl_status parse_manifest_list(const rwl_json *json, rwl_snapshot *out, rwl_error *err) {
    rwl_json *manifests;
    RWL_TRY(rwl_json_opt_str(json, "manifest-list", &out->manifest_list, err));
    if (out->manifest_list)
        return RWL_OK;
    RWL_TRY(rwl_json_opt_array(json, "manifests", &manifests, err));
    if (!manifests)
        return fail_missing("manifest-list", err);
    for (size_t i = 0; i < rwl_json_len(manifests); i++)
        if (!rwl_json_str(rwl_json_at(manifests, i)))
            return rwl_fail(err, RWL_CORRUPT, "manifests: no path at place %zu", i);
    out->manifests = manifests;
    return RWL_OK;
}

static rwl_status parse_row_ids(const rwl_json *json, rwl_snapshot *out, rwl_error *err) {
    rwl_snapshot_ids ids;
    memset(&ids, 0, sizeof ids);
    RWL_TRY(rwl_json_opt_i64(json, "first-row-id", &ids.first_row_id.present, &ids.first_row_id.value, err));
    RWL_TRY(rwl_json_opt_i64(json, "added-rows", &ids.added_rows.present, &ids.added_rows.value, err));
    RWL_TRY(rwl_snapshot_ids_check(&ids, err));
    int64_t end;
    if (ids.first_row_id.present && !rwl_i64_add(ids.first_row_id.value, ids.added_rows.value, &end))
        return rwl_fail(err, RWL_CORRUPT, "'first-row-id' + 'added-rows' passes 2^63 - 1");
    out->has_first_row_id = ids.first_row_id.present;
    out->first_row_id = ids.first_row_id.present ? ids.first_row_id.value : 0;
    out->added_rows = ids.first_row_id.present ? ids.added_rows.value : 0;
    return RWL_OK;
}

static rwl_status parse_snapshot_body(const rwl_metadata *m, const rwl_json *json, rwl_snapshot *out,
                                      rwl_error *err) {
    out->parent_id = -1;
    out->schema_id = -1;
    RWL_TRY(rwl_json_opt_i64(json, "parent-snapshot-id", NULL, &out->parent_id, err));
    RWL_TRY(rwl_json_need_i64(json, "timestamp-ms", &out->timestamp_ms, err));
    RWL_TRY(rwl_json_opt_i32(json, "schema-id", NULL, &out->schema_id, err));
    if (m->format_version > 1)
        RWL_TRY(rwl_json_opt_i64(json, "sequence-number", NULL, &out->sequence_number, err));
    if (out->sequence_number < 0 || out->sequence_number > m->last_sequence_number)
        return rwl_fail(err, RWL_CORRUPT,
                        "'sequence-number' is %lld, 'last-sequence-number' of the table %lld",
                        (long long)out->sequence_number, (long long)m->last_sequence_number);
    RWL_TRY(parse_manifest_list(json, out, err));
    RWL_TRY(parse_row_ids(json, out, err));
    return parse_summary(json, out, err);
}

static int compare_snapshots(const void *a, const void *b) {
    const rwl_snapshot *const *x = a;
    const rwl_snapshot *const *y = b;
    return ((*x)->snapshot_id > (*y)->snapshot_id) - ((*x)->snapshot_id < (*y)->snapshot_id);
}

static rwl_status index_snapshots(rwl_metadata *m, rwl_error *err) {
    size_t count = (size_t)m->snapshot_count;
    const rwl_snapshot **index = rwl_arena_array(&m->arena, count, sizeof(const rwl_snapshot *));
    if (!index)
        return rwl_no_memory(err, count * sizeof(const rwl_snapshot *));
    for (size_t i = 0; i < count; i++)
        index[i] = &m->snapshots[i];
    if (count > 1)
        qsort(index, count, sizeof(const rwl_snapshot *), compare_snapshots);
    m->snapshots_by_id = index;
    return RWL_OK;
}

static rwl_status parse_snapshots(rwl_metadata *m, rwl_error *err) {
    rwl_json *array;
    rwl_snapshot *snapshots;
    int64_t *ids;
    RWL_TRY(rwl_json_opt_array(m->json, "snapshots", &array, err));
    RWL_TRY(make_room(m, array, sizeof *snapshots, "snapshots", (void **)&snapshots, &ids, &m->snapshot_count,
                      err));
    m->snapshots = snapshots;
    for (int32_t i = 0; i < m->snapshot_count; i++) {
        const rwl_json *json = rwl_json_at(array, (size_t)i);
        rwl_status st = rwl_json_need_i64(json, "snapshot-id", &snapshots[i].snapshot_id, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "snapshot at place %d", (int)i);
        if (snapshots[i].snapshot_id == -1)
            return rwl_fail(err, RWL_CORRUPT,
                            "snapshot at place %d: 'snapshot-id' is -1, which stands for none", (int)i);
        st = parse_snapshot_body(m, json, &snapshots[i], err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "snapshot %lld", (long long)snapshots[i].snapshot_id);
        ids[i] = snapshots[i].snapshot_id;
    }
    RWL_TRY(check_unique(ids, (size_t)m->snapshot_count, "snapshots", err));
    RWL_TRY(index_snapshots(m, err));
    m->current_snapshot_id = -1; /* absent and null say the same */
    RWL_TRY(rwl_json_opt_i64(m->json, "current-snapshot-id", NULL, &m->current_snapshot_id, err));
    bool resolved = m->current_snapshot_id == -1 || rwl_metadata_snapshot(m, m->current_snapshot_id);
    return resolved ? RWL_OK : fail_unresolved("current-snapshot-id", m->current_snapshot_id, err);
}

/* --- refs --- */

/* A retention setting: -1 when absent, else positive. */
static rwl_status parse_retention(const rwl_json *json, const char *key, int64_t *out, rwl_error *err) {
    bool present;
    *out = -1;
    RWL_TRY(rwl_json_opt_i64(json, key, &present, out, err));
    return present && *out < 1 ? rwl_fail(err, RWL_CORRUPT, "'%s' is %lld", key, (long long)*out) : RWL_OK;
}

static rwl_status parse_ref(const rwl_metadata *m, const rwl_json *json, rwl_ref *out, rwl_error *err) {
    const char *type;
    RWL_TRY(rwl_json_need_i64(json, "snapshot-id", &out->snapshot_id, err));
    if (!rwl_metadata_snapshot(m, out->snapshot_id))
        return fail_unresolved("snapshot-id", out->snapshot_id, err);
    RWL_TRY(rwl_json_need_str(json, "type", &type, err));
    out->is_tag = strcasecmp(type, "tag") == 0;
    if (!out->is_tag && strcasecmp(type, "branch") != 0)
        return rwl_fail(err, RWL_CORRUPT, "'type' is '%.60s'", type);
    RWL_TRY(parse_retention(json, "min-snapshots-to-keep", &out->min_snapshots_to_keep, err));
    RWL_TRY(parse_retention(json, "max-snapshot-age-ms", &out->max_snapshot_age_ms, err));
    return parse_retention(json, "max-ref-age-ms", &out->max_ref_age_ms, err);
}

static rwl_status check_main(rwl_metadata *m, rwl_ref *refs, rwl_error *err) {
    const rwl_ref *main = rwl_metadata_ref(m, "main");
    if (!main && m->current_snapshot_id != -1)
        refs[m->ref_count++] = (rwl_ref){"main", false, m->current_snapshot_id, -1, -1, -1};
    if (!main)
        return RWL_OK;
    if (main->is_tag)
        return rwl_fail(err, RWL_CORRUPT, "ref 'main' is a tag");
    if (main->snapshot_id != m->current_snapshot_id)
        return rwl_fail(err, RWL_CORRUPT, "'current-snapshot-id' is %lld, ref 'main' is at %lld",
                        (long long)m->current_snapshot_id, (long long)main->snapshot_id);
    return RWL_OK;
}

static rwl_status parse_refs(rwl_metadata *m, rwl_error *err) {
    const rwl_json *json = rwl_json_get(m->json, "refs");
    rwl_json_kind kind = rwl_json_kind_of(json);
    if (kind != RWL_JSON_NULL && kind != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "'refs' is no object");
    size_t len = kind == RWL_JSON_OBJECT ? rwl_json_len(json) : 0;
    if (len > INT32_MAX / 2)
        return rwl_fail(err, RWL_UNSUPPORTED, "the table has %zu refs", len);
    rwl_ref *refs = rwl_arena_array(&m->arena, len + 1, sizeof *refs); /* one for an implied main */
    if (!refs)
        return rwl_no_memory(err, (len + 1) * sizeof *refs);
    m->refs = refs;
    const char *name;
    rwl_json *item;
    for (size_t pos = 0; len > 0 && rwl_json_next(json, &pos, &name, &item);) {
        rwl_ref *ref = &refs[m->ref_count++];
        ref->name = name;
        rwl_status st = parse_ref(m, item, ref, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "ref '%.60s'", name);
    }
    return check_main(m, refs, err);
}

/* --- the rest: checked here so that edits and look-ups may rely on its form --- */

static rwl_status check_log(const rwl_metadata *m, const char *key, rwl_error *err) {
    bool of_files = strcmp(key, "metadata-log") == 0;
    rwl_json *array;
    RWL_TRY(rwl_json_opt_array(m->json, key, &array, err));
    size_t len = array ? rwl_json_len(array) : 0;
    for (size_t i = 0; i < len; i++) {
        const rwl_json *entry = rwl_json_at(array, i);
        int64_t number;
        const char *file;
        rwl_status st = rwl_json_need_i64(entry, "timestamp-ms", &number, err);
        if (st == RWL_OK)
            st = of_files ? rwl_json_need_str(entry, "metadata-file", &file, err)
                          : rwl_json_need_i64(entry, "snapshot-id", &number, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s at place %zu", key, i);
    }
    return RWL_OK;
}

static rwl_status check_properties(const rwl_metadata *m, rwl_error *err) {
    const rwl_json *json = rwl_json_get(m->json, "properties");
    if (rwl_json_kind_of(json) == RWL_JSON_NULL)
        return RWL_OK;
    if (rwl_json_kind_of(json) != RWL_JSON_OBJECT)
        return rwl_fail(err, RWL_CORRUPT, "'properties' is no object");
    const char *key;
    rwl_json *value;
    for (size_t pos = 0; rwl_json_next(json, &pos, &key, &value);) {
        if (!rwl_json_str(value) && rwl_json_kind_of(value) != RWL_JSON_NULL)
            return rwl_fail(err, RWL_CORRUPT, "property '%.100s' is no string", key);
    }
    return RWL_OK;
}

static rwl_status parse_all(rwl_metadata *m, rwl_error *err) {
    RWL_TRY(parse_header(m, err));
    RWL_TRY(parse_schemas(m, err));
    RWL_TRY(parse_specs(m, err));
    RWL_TRY(parse_orders(m, err));
    RWL_TRY(check_properties(m, err));
    RWL_TRY(parse_snapshots(m, err));
    RWL_TRY(parse_refs(m, err));
    RWL_TRY(check_log(m, "snapshot-log", err));
    return check_log(m, "metadata-log", err);
}

rwl_status rwl_metadata_build(const rwl_env *env, rwl_json *document, const char *metadata_location,
                              rwl_metadata **out, rwl_error *err) {
    *out = NULL;
    rwl_metadata *m = rwl_calloc(env, 1, sizeof *m);
    if (!m) {
        rwl_json_free(document);
        return rwl_no_memory(err, sizeof *m);
    }
    m->env = env;
    m->json = document;
    rwl_arena_init(&m->arena, env, 0);
    rwl_status st = RWL_OK;
    if (metadata_location) {
        m->metadata_location = rwl_arena_strdup(&m->arena, metadata_location);
        if (!m->metadata_location)
            st = rwl_no_memory(err, strlen(metadata_location) + 1);
    }
    if (st == RWL_OK)
        st = parse_all(m, err);
    if (st == RWL_OK) {
        *out = m;
        return RWL_OK;
    }
    rwl_metadata_free(m);
    return rwl_error_in(err, st, "table metadata");
}
