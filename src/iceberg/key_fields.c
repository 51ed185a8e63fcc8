/* SPDX-License-Identifier: Apache-2.0 */
/* Paths from top-level columns to keys, in schemas and in batches. */
#include "iceberg/key_fields.h"

#include <inttypes.h>

/* --- in schemas --- */

/* The current schema, else the one of the highest id that has the field. */
static const rwl_schema *find_schema(const rwl_metadata *m, int32_t id) {
    const rwl_schema *newest = NULL;
    if (rwl_schema_by_id(m->schema, id) != NULL)
        return m->schema;
    for (int32_t i = 0; i < m->schema_count; i++)
        if (rwl_schema_by_id(&m->schemas[i], id) != NULL &&
            (newest == NULL || m->schemas[i].schema_id > newest->schema_id))
            newest = &m->schemas[i];
    return newest;
}

typedef struct key_path {
    const rwl_field *fields[RWL_TYPE_DEPTH_MAX]; /* from the top-level column to the key */
    int32_t length;
} key_path;

/* Whether `id` is `field` or below it, by structs alone. */
static bool find_path(const rwl_field *field, int32_t id, key_path *path) {
    if (path->length == RWL_TYPE_DEPTH_MAX)
        return false;
    path->fields[path->length++] = field;
    if (field->id == id)
        return true;
    for (int32_t i = 0; field->type.kind == RWL_TYPE_STRUCT && i < field->type.child_count; i++)
        if (find_path(&field->type.children[i], id, path))
            return true;
    path->length--;
    return false;
}

/* The path as one field, structs with a single child each. */
static rwl_status make_chain(const key_path *path, bool must_exist, rwl_arena *arena, rwl_field *out,
                             rwl_error *err) {
    const rwl_field *child = NULL;
    for (int32_t i = path->length - 1; i >= 0; i--) {
        rwl_field *field = i == 0 ? out : rwl_arena_alloc(arena, sizeof *field);
        if (field == NULL)
            return rwl_no_memory(err, sizeof *field);
        *field = *path->fields[i];
        field->required = must_exist;
        if (must_exist)
            field->initial_default = NULL;
        if (child != NULL) {
            field->type.children = child;
            field->type.child_count = 1;
        }
        child = field;
    }
    return RWL_OK;
}

static rwl_status find_key(const rwl_metadata *m, int32_t id, key_path *path, rwl_error *err) {
    const rwl_schema *schema = find_schema(m, id);
    path->length = 0;
    if (schema == NULL)
        return rwl_fail(err, RWL_CORRUPT, "no schema of the table has the equality field id %" PRId32, id);
    for (int32_t i = 0; i < schema->field_count && path->length == 0; i++)
        (void)find_path(&schema->fields[i], id, path);
    if (path->length == 0)
        return rwl_fail(err, RWL_CORRUPT, "equality field id %" PRId32 " is inside a list or a map", id);
    const rwl_field *key = path->fields[path->length - 1];
    if (rwl_type_is_nested(&key->type))
        return rwl_fail(err, RWL_CORRUPT, "equality field %s (id %" PRId32 ") is a struct, list or map",
                        key->name, id);
    if (key->type.kind > RWL_TYPE_BINARY) {
        char type[64];
        rwl_type_name(&key->type, type, sizeof type);
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "equality field %s (id %" PRId32 ") is of type %s, which can't be compared",
                        key->name, id, type);
    }
    return RWL_OK;
}

rwl_status rwl_key_fields_find(const rwl_metadata *metadata, const int32_t *ids, int32_t count,
                               rwl_arena *arena, rwl_key_fields *out, rwl_error *err) {
    rwl_field *in_data = rwl_arena_array(arena, (size_t)count, sizeof *in_data);
    rwl_field *in_deletes = rwl_arena_array(arena, (size_t)count, sizeof *in_deletes);
    rwl_type *types = rwl_arena_array(arena, (size_t)count, sizeof *types);
    if (in_data == NULL || in_deletes == NULL || types == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *in_data);
    for (int32_t i = 0; i < count; i++) {
        key_path path;
        RWL_TRY(find_key(metadata, ids[i], &path, err));
        types[i] = path.fields[path.length - 1]->type;
        RWL_TRY(make_chain(&path, false, arena, &in_data[i], err));
        RWL_TRY(make_chain(&path, true, arena, &in_deletes[i], err));
    }
    *out = (rwl_key_fields){in_data, in_deletes, types, count};
    return RWL_OK;
}

/* --- in batches --- */

rwl_status rwl_key_columns_init(rwl_key_columns *keys, const rwl_env *env, int32_t count, rwl_error *err) {
    keys->env = env;
    keys->count = count;
    keys->columns = rwl_calloc(env, (size_t)count, sizeof *keys->columns);
    keys->validity = rwl_calloc(env, (size_t)count, sizeof *keys->validity);
    if (keys->columns != NULL && keys->validity != NULL)
        return RWL_OK;
    rwl_key_columns_clear(keys);
    return rwl_no_memory(err, (size_t)count * sizeof *keys->columns);
}

void rwl_key_columns_clear(rwl_key_columns *keys) {
    for (int32_t i = 0; keys->validity != NULL && i < keys->count; i++)
        rwl_free(keys->env, keys->validity[i].data);
    rwl_free(keys->env, keys->validity);
    rwl_free(keys->env, keys->columns);
    keys->validity = NULL;
    keys->columns = NULL;
}

static rwl_status reserve_bits(const rwl_env *env, rwl_buffer *bits, size_t size, rwl_error *err) {
    if (size <= bits->cap)
        return RWL_OK;
    uint8_t *grown = rwl_realloc(env, bits->data, size);
    if (grown == NULL)
        return rwl_no_memory(err, size);
    *bits = (rwl_buffer){grown, size};
    return RWL_OK;
}

/* A row is null in the result when it is null in either. */
static void merge_nulls(const rwl_column *c, uint8_t *bits) {
    for (int64_t i = 0; c->null_count > 0 && i < (c->length + 7) / 8; i++)
        bits[i] &= c->validity.data[i];
}

static int64_t count_nulls(const uint8_t *bits, int64_t length) {
    int64_t nulls = 0;
    for (int64_t i = 0; i < length; i++)
        nulls += !rwl_bit_get(bits, i);
    return nulls;
}

/* The key at the end of single children; null where any struct on the way is. */
static rwl_status set_column(const rwl_env *env, const rwl_column *top, rwl_column *out, rwl_buffer *bits,
                             rwl_error *err) {
    const rwl_column *leaf = top;
    bool merge = false;
    for (; leaf->type.kind == RWL_TYPE_STRUCT; leaf = &leaf->children[0])
        merge |= leaf->null_count > 0;
    *out = *leaf;
    if (!merge)
        return RWL_OK;
    size_t size = (size_t)(top->length + 7) / 8;
    RWL_TRY(reserve_bits(env, bits, size, err));
    memset(bits->data, 0xFF, size);
    for (const rwl_column *c = top; c != leaf; c = &c->children[0])
        merge_nulls(c, bits->data);
    merge_nulls(leaf, bits->data);
    out->validity = *bits;
    out->null_count = count_nulls(bits->data, top->length);
    return RWL_OK;
}

rwl_status rwl_key_columns_set(rwl_key_columns *keys, const rwl_batch *batch, rwl_error *err) {
    for (int32_t i = 0; i < keys->count; i++)
        RWL_TRY(set_column(keys->env, &batch->columns[i], &keys->columns[i], &keys->validity[i], err));
    return RWL_OK;
}
