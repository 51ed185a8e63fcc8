/* SPDX-License-Identifier: Apache-2.0 */
/* Table metadata: life, look-up by id, properties, history. */
#include "iceberg/metadata_internal.h"

#include <stdio.h>

const rwl_sort_order rwl_sort_order_unsorted = {0, NULL, 0};

rwl_status rwl_metadata_parse(const rwl_env *env, rwl_span text, const char *metadata_location,
                              rwl_metadata **out, rwl_error *err) {
    *out = NULL;
    rwl_json *document;
    rwl_status st = rwl_json_parse(text, &document, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "table metadata");
    return rwl_metadata_build(env, document, metadata_location, out, err);
}

rwl_status rwl_metadata_read(rwl_op *op, rwl_span text, const char *metadata_location, rwl_metadata **out,
                             rwl_error *err) {
    int64_t cost = rwl_json_cost(text);
    *out = NULL;
    RWL_TRY(rwl_op_reserve(op, cost, "table metadata", err));
    rwl_status st = rwl_metadata_parse(op->env, text, metadata_location, out, err);
    if (st == RWL_OK) {
        (*out)->op = op;
        (*out)->charged = cost;
    } else {
        rwl_op_release(op, cost);
    }
    return st;
}

void rwl_metadata_free(rwl_metadata *m) {
    if (!m)
        return;
    const rwl_env *env = m->env;
    rwl_json_free(m->json);
    rwl_arena_clear(&m->arena);
    if (m->op)
        rwl_op_release(m->op, m->charged);
    rwl_free(env, m);
}

rwl_status rwl_metadata_dump(const rwl_metadata *m, rwl_buf *out, rwl_error *err) {
    return rwl_json_dump(m->json, 2, out, err);
}

const rwl_schema *rwl_metadata_schema(const rwl_metadata *m, int32_t schema_id) {
    for (int32_t i = 0; i < m->schema_count; i++) {
        if (m->schemas[i].schema_id == schema_id)
            return &m->schemas[i];
    }
    return NULL;
}

const rwl_partition_spec *rwl_metadata_spec(const rwl_metadata *m, int32_t spec_id) {
    for (int32_t i = 0; i < m->spec_count; i++) {
        if (m->specs[i].spec_id == spec_id)
            return &m->specs[i];
    }
    return NULL;
}

const rwl_sort_order *rwl_metadata_order(const rwl_metadata *m, int32_t order_id) {
    for (int32_t i = 0; i < m->order_count; i++) {
        if (m->orders[i].order_id == order_id)
            return &m->orders[i];
    }
    return order_id == 0 ? &rwl_sort_order_unsorted : NULL;
}

const rwl_snapshot *rwl_metadata_snapshot(const rwl_metadata *m, int64_t snapshot_id) {
    int32_t low = 0;
    int32_t high = m->snapshot_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->snapshots_by_id[middle]->snapshot_id < snapshot_id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < m->snapshot_count && m->snapshots_by_id[low]->snapshot_id == snapshot_id;
    return found ? m->snapshots_by_id[low] : NULL;
}

const rwl_ref *rwl_metadata_ref(const rwl_metadata *m, const char *name) {
    for (int32_t i = 0; i < m->ref_count; i++) {
        if (strcmp(m->refs[i].name, name) == 0)
            return &m->refs[i];
    }
    return NULL;
}

const char *rwl_property(const rwl_json *properties, const char *key, const char *fallback) {
    const char *value = rwl_json_str(rwl_json_get(properties, key));
    return value ? value : fallback;
}

rwl_status rwl_property_i64(const rwl_json *properties, const char *key, int64_t fallback, int64_t *out,
                            rwl_error *err) {
    *out = fallback;
    const char *text = rwl_property(properties, key, NULL);
    if (!text)
        return RWL_OK;
    rwl_type type = rwl_type_of(RWL_TYPE_LONG);
    rwl_value value;
    if (rwl_value_parse(&type, rwl_span_str(text), NULL, &value, NULL) !=
        RWL_OK) /* a number needs no arena */
        return rwl_fail(err, RWL_CORRUPT, "table property '%.100s' is '%.100s', not a 64-bit number", key,
                        text);
    *out = value.as.i64;
    return RWL_OK;
}

const char *rwl_metadata_property(const rwl_metadata *m, const char *key, const char *fallback) {
    return rwl_property(rwl_json_get(m->json, "properties"), key, fallback);
}

const char *rwl_metadata_folder(const rwl_metadata *m, const char *property, const char *name,
                                rwl_arena *arena) {
    const char *given = rwl_metadata_property(m, property, NULL), *path = given != NULL ? given : m->location;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    return given != NULL ? rwl_arena_strndup(arena, path, len)
                         : rwl_arena_printf(arena, "%.*s/%s", (int)len, path, name);
}

rwl_status rwl_metadata_property_i64(const rwl_metadata *m, const char *key, int64_t fallback, int64_t *out,
                                     rwl_error *err) {
    return rwl_property_i64(rwl_json_get(m->json, "properties"), key, fallback, out, err);
}

const rwl_schema *rwl_metadata_snapshot_schema(const rwl_metadata *m, const rwl_snapshot *s) {
    const rwl_schema *schema = s->schema_id >= 0 ? rwl_metadata_schema(m, s->schema_id) : NULL;
    return schema ? schema : m->schema;
}

bool rwl_metadata_is_ancestor(const rwl_metadata *m, int64_t ancestor, int64_t snapshot_id) {
    int64_t id = snapshot_id;
    /* a chain without a cycle has no more links than there are snapshots */
    for (int32_t steps = 0; steps <= m->snapshot_count && id != -1; steps++) {
        if (id == ancestor)
            return true;
        const rwl_snapshot *s = rwl_metadata_snapshot(m, id);
        id = s ? s->parent_id : -1;
    }
    return false;
}

void rwl_snapshot_engine(const rwl_snapshot *s, char *out, size_t size) {
    const char *name = rwl_json_str(rwl_json_get(s->summary, "engine-name"));
    const char *version = rwl_json_str(rwl_json_get(s->summary, "engine-version"));
    snprintf(out, size, "%s%s%s", name ? name : "unsigned", name && version ? " " : "",
             name && version ? version : "");
}
