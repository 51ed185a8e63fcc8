/* SPDX-License-Identifier: Apache-2.0 */
/* Table handles: opening, describing. */
#include "api/api_internal.h"

#include <string.h>

static rwl_status new_handle(rowline_context *context, rowline_table **out, rwl_error *err) {
    rowline_table *t = rwl_calloc(&context->env, 1, sizeof *t);
    if (t == NULL)
        return rwl_no_memory(err, sizeof *t);
    rwl_status st = rwl_mutex_init(&t->filling, err);
    if (st != RWL_OK) {
        rwl_free(&context->env, t);
        return st;
    }
    t->context = context;
    rwl_arena_init(&t->arena, &context->env, 0);
    *out = t;
    return RWL_OK;
}

rowline_status rowline_table_open(rowline_context *context, const char *name,
                                  const rowline_open_options *options, rowline_table **out,
                                  rowline_error *err) {
    rowline_open_options o;
    RWL_TRY(rwl_api_options(&o, sizeof o, options, err));
    rowline_table *t;
    RWL_TRY(new_handle(context, &t, err));
    rwl_path_map *maps = rwl_calloc(&context->env, o.map_count + 1, sizeof *maps);
    rwl_status st = maps != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, o.map_count * sizeof *maps);
    if (st == RWL_OK) {
        for (size_t i = 0; i < o.map_count; i++)
            maps[i] = (rwl_path_map){o.maps[i].from, o.maps[i].to};
        rwl_table_options open = {.maps = maps,
                                  .map_count = o.map_count,
                                  .snapshot = o.snapshot,
                                  .ref = o.ref,
                                  .as_of = o.as_of,
                                  .for_change = o.for_change != 0};
        st = rwl_table_open(&context->op, name, &open, &t->table, err);
    }
    rwl_free(&context->env, maps);
    if (st != RWL_OK) {
        rowline_table_free(t);
        return st;
    }
    *out = t;
    return RWL_OK;
}

void rowline_table_free(rowline_table *t) {
    if (t == NULL)
        return;
    rwl_table_free(t->table);
    rwl_arena_clear(&t->arena);
    rwl_mutex_clear(&t->filling);
    rwl_free(&t->context->env, t);
}

/* Keeps a new JSON value and frees it; `made` is the status of making it. */
static rwl_status keep_made(rowline_table *t, rwl_json *json, rwl_status made, const char **out,
                            rwl_error *err) {
    rwl_status st = made == RWL_OK ? rwl_json_text_in(json, &t->arena, out, err) : made;
    rwl_json_free(json);
    return st;
}

static rwl_status set_age(rwl_json *object, const char *key, int64_t value, rwl_error *err) {
    return value >= 0 ? rwl_json_set(object, key, rwl_json_new_i64(value), err) : (rwl_status)RWL_OK;
}

static rwl_status add_ref(rwl_json *refs, const rwl_ref *ref, rwl_error *err) {
    char id[RWL_I128_TEXT_MAX];
    rwl_i128_format(ref->snapshot_id, 0, id);
    rwl_json *object = rwl_json_new_object();
    if (object == NULL)
        return rwl_no_memory(err, 64);
    rwl_status st = rwl_json_set(object, "snapshot_id", rwl_json_new_str(id), err);
    if (st == RWL_OK)
        st = rwl_json_set(object, "type", rwl_json_new_str(ref->is_tag ? "tag" : "branch"), err);
    if (st == RWL_OK)
        st = set_age(object, "min_snapshots_to_keep", ref->min_snapshots_to_keep, err);
    if (st == RWL_OK)
        st = set_age(object, "max_snapshot_age_ms", ref->max_snapshot_age_ms, err);
    if (st == RWL_OK)
        st = set_age(object, "max_ref_age_ms", ref->max_ref_age_ms, err);
    if (st != RWL_OK) {
        rwl_json_free(object);
        return st;
    }
    return rwl_json_set(refs, ref->name, object, err);
}

static rwl_status describe_refs(rowline_table *t, const char **out, rwl_error *err) {
    const rwl_metadata *m = t->table->metadata;
    rwl_json *refs = rwl_json_new_object();
    rwl_status st = refs != NULL ? (rwl_status)RWL_OK : rwl_no_memory(err, 64);
    for (int32_t i = 0; st == RWL_OK && i < m->ref_count; i++)
        st = add_ref(refs, &m->refs[i], err);
    return keep_made(t, refs, st, out, err);
}

/* Schema, spec and order as the metadata's own JSON has them, so that nothing unknown is lost. */
static const rwl_json *find_by_id(const rwl_json *list, const char *key, int64_t id) {
    for (size_t i = 0; i < rwl_json_len(list); i++)
        if (rwl_json_i64(rwl_json_get(rwl_json_at(list, i), key)) == id)
            return rwl_json_at(list, i);
    return NULL;
}

static rwl_status describe_layout(rowline_table *t, rwl_error *err) {
    const rwl_metadata *m = t->table->metadata;
    const rwl_json *schema =
        find_by_id(rwl_json_get(m->json, "schemas"), "schema-id", t->table->schema->schema_id);
    const rwl_json *spec = find_by_id(rwl_json_get(m->json, "partition-specs"), "spec-id", m->spec->spec_id);
    const rwl_json *order = find_by_id(rwl_json_get(m->json, "sort-orders"), "order-id", m->order->order_id);
    rowline_table_info *info = &t->info;
    rwl_json *made = NULL;
    rwl_status st;
    if (schema == NULL)
        schema = rwl_json_get(m->json, "schema");
    RWL_TRY(rwl_json_text_in(schema, &t->arena, &info->schema_json, err));
    st = spec == NULL ? rwl_partition_spec_to_json(m->spec, false, &made, err) : (rwl_status)RWL_OK;
    RWL_TRY(spec != NULL ? rwl_json_text_in(spec, &t->arena, &info->partition_spec_json, err)
                         : keep_made(t, made, st, &info->partition_spec_json, err));
    made = NULL;
    st = order == NULL ? rwl_sort_order_to_json(m->order, &made, err) : (rwl_status)RWL_OK;
    return order != NULL ? rwl_json_text_in(order, &t->arena, &info->sort_order_json, err)
                         : keep_made(t, made, st, &info->sort_order_json, err);
}

static rwl_status describe_iceberg(rowline_table *t, rwl_error *err) {
    const rwl_metadata *m = t->table->metadata;
    rowline_table_info *info = &t->info;
    info->format = "iceberg";
    info->format_version = m->format_version;
    info->stable_row_ids = m->format_version >= 3;
    info->next_row_id = m->format_version >= 3 ? m->next_row_id : -1;
    info->last_sequence_number = m->last_sequence_number;
    info->current_snapshot_id = m->current_snapshot_id;
    info->snapshot_id = t->table->snapshot != NULL ? t->table->snapshot->snapshot_id : -1;
    info->table_uuid = m->table_uuid;
    info->location = m->location;
    info->metadata_location = m->metadata_location;
    RWL_TRY(describe_layout(t, err));
    RWL_TRY(describe_refs(t, &info->refs_json, err));
    const rwl_json *properties = rwl_json_get(m->json, "properties");
    if (properties != NULL)
        return rwl_json_text_in(properties, &t->arena, &info->properties_json, err);
    info->properties_json = "{}";
    return RWL_OK;
}

static rwl_status describe_once(rowline_table *t, rwl_error *err) {
    if (t->described)
        return RWL_OK;
    RWL_TRY(t->table->lance != NULL ? rwl_api_describe_lance(t, err) : describe_iceberg(t, err));
    t->described = true;
    return RWL_OK;
}

rowline_status rowline_table_describe(rowline_table *t, rowline_table_info *info, rowline_error *err) {
    RWL_TRY(rwl_table_check_metadata(t->table, err));
    rwl_mutex_lock(&t->filling);
    rwl_status st = describe_once(t, err);
    rwl_mutex_unlock(&t->filling);
    if (st == RWL_OK)
        rwl_api_result(info, &t->info, sizeof t->info);
    return st;
}
