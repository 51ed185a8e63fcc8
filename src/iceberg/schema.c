/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: look-up by name and id, checks of ids, names and versions, promotion. */
#include "iceberg/schema.h"

#include <stdlib.h>

static const rwl_field *find_named(const rwl_schema *schema, const char *name) {
    int32_t low = 0;
    int32_t high = schema->field_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = strcmp(schema->by_name[middle]->name, name);
        if (order == 0)
            return schema->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const rwl_field *rwl_schema_by_name(const rwl_schema *schema, const char *name) {
    if (schema->by_name)
        return find_named(schema, name);
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (strcmp(schema->fields[i].name, name) == 0)
            return &schema->fields[i];
    }
    return NULL;
}

/* --- walks over fields at any depth; nesting is limited where types are made --- */

static const rwl_field *find_id(const rwl_field *fields, int32_t count, int32_t id, int depth) {
    if (depth > RWL_TYPE_DEPTH_MAX)
        return NULL;
    for (int32_t i = 0; i < count; i++) {
        if (fields[i].id == id)
            return &fields[i];
        const rwl_type *t = &fields[i].type;
        const rwl_field *found = find_id(t->children, t->child_count, id, depth + 1);
        if (found)
            return found;
    }
    return NULL;
}

static const rwl_field *find_indexed(const rwl_schema *schema, int32_t id) {
    int32_t low = 0;
    int32_t high = schema->by_id_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (schema->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < schema->by_id_count && schema->by_id[low]->id == id ? schema->by_id[low] : NULL;
}

const rwl_field *rwl_schema_by_id(const rwl_schema *schema, int32_t id) {
    return schema->by_id ? find_indexed(schema, id) : find_id(schema->fields, schema->field_count, id, 0);
}

static int32_t max_id(const rwl_field *fields, int32_t count, int32_t least, int depth) {
    int32_t max = least;
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++) {
        if (fields[i].id > max)
            max = fields[i].id;
        max = max_id(fields[i].type.children, fields[i].type.child_count, max, depth + 1);
    }
    return max;
}

int32_t rwl_schema_max_id(const rwl_schema *schema) {
    return max_id(schema->fields, schema->field_count, 0, 0);
}

/* --- index --- */

static size_t count_fields(const rwl_field *fields, int32_t count, int depth) {
    size_t total = 0;
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++)
        total += 1 + count_fields(fields[i].type.children, fields[i].type.child_count, depth + 1);
    return total;
}

static size_t list_fields(const rwl_field *fields, int32_t count, const rwl_field **out, int depth) {
    size_t len = 0;
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++) {
        out[len++] = &fields[i];
        len += list_fields(fields[i].type.children, fields[i].type.child_count, out + len, depth + 1);
    }
    return len;
}

static int compare_ids(const void *a, const void *b) {
    const rwl_field *const *x = a;
    const rwl_field *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static int compare_names(const void *a, const void *b) {
    const rwl_field *const *x = a;
    const rwl_field *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Names of one struct must differ; `room` has space for them, and holds the fields by name then. */
static rwl_status check_names(const rwl_field *fields, int32_t count, const rwl_field **room,
                              rwl_error *err) {
    for (int32_t i = 0; i < count; i++)
        room[i] = &fields[i];
    if (count > 1)
        qsort(room, (size_t)count, sizeof(const rwl_field *), compare_names);
    for (int32_t i = 1; i < count; i++) {
        if (strcmp(room[i - 1]->name, room[i]->name) == 0)
            return rwl_fail(err, RWL_CORRUPT, "two fields are called '%.100s': %d and %d", room[i]->name,
                            (int)room[i - 1]->id, (int)room[i]->id);
    }
    return RWL_OK;
}

static rwl_status check_nested_names(const rwl_schema *schema, const rwl_env *env, rwl_error *err) {
    rwl_status st = RWL_OK;
    size_t size = ((size_t)schema->by_id_count + 1) * sizeof(const rwl_field *);
    const rwl_field **room = rwl_alloc(env, size);
    if (!room)
        return rwl_no_memory(err, size);
    for (int32_t i = 0; i < schema->by_id_count && st == RWL_OK; i++) {
        const rwl_type *t = &schema->by_id[i]->type;
        if (t->kind == RWL_TYPE_STRUCT)
            st = check_names(t->children, t->child_count, room, err);
    }
    rwl_free(env, room);
    return st;
}

rwl_status rwl_schema_index(rwl_schema *schema, rwl_arena *arena, rwl_error *err) {
    size_t count = count_fields(schema->fields, schema->field_count, 0);
    if (count > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "the schema has %zu fields", count);
    const rwl_field **items = rwl_arena_array(arena, count, sizeof(const rwl_field *));
    if (!items)
        return rwl_no_memory(err, count * sizeof(const rwl_field *));
    list_fields(schema->fields, schema->field_count, items, 0);
    if (count > 1)
        qsort(items, count, sizeof(const rwl_field *), compare_ids);
    for (size_t i = 1; i < count; i++) {
        if (items[i - 1]->id == items[i]->id)
            return rwl_fail(err, RWL_CORRUPT, "two fields have the id %d: '%.80s' and '%.80s'",
                            (int)items[i]->id, items[i - 1]->name, items[i]->name);
    }
    const rwl_field **named = rwl_arena_array(arena, (size_t)schema->field_count, sizeof(const rwl_field *));
    if (!named)
        return rwl_no_memory(err, count * sizeof(const rwl_field *));
    schema->by_id = items;
    schema->by_id_count = (int32_t)count;
    RWL_TRY(check_names(schema->fields, schema->field_count, named, err));
    schema->by_name = named;
    return check_nested_names(schema, arena->env, err);
}

/* --- versions and promotion --- */

static bool needs_v3(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_UNKNOWN:
    case RWL_TYPE_TIMESTAMP_NS:
    case RWL_TYPE_TIMESTAMPTZ_NS:
    case RWL_TYPE_VARIANT:
    case RWL_TYPE_GEOMETRY:
    case RWL_TYPE_GEOGRAPHY:
        return true;
    default:
        return false;
    }
}

static rwl_status check_version(const rwl_field *fields, int32_t count, int32_t version, int depth,
                                rwl_error *err) {
    for (int32_t i = 0; i < count && depth <= RWL_TYPE_DEPTH_MAX; i++) {
        const rwl_field *f = &fields[i];
        if (needs_v3(f->type.kind))
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "the type of column '%.100s' (field %d) needs format version 3, the table has %d",
                            f->name, (int)f->id, (int)version);
        if (f->initial_default)
            return rwl_fail(
                err, RWL_UNSUPPORTED,
                "the initial default of column '%.100s' (field %d) needs format version 3, the table has %d",
                f->name, (int)f->id, (int)version);
        RWL_TRY(check_version(f->type.children, f->type.child_count, version, depth + 1, err));
    }
    return RWL_OK;
}

rwl_status rwl_schema_check_version(const rwl_schema *schema, int32_t format_version, rwl_error *err) {
    return format_version >= 3 ? RWL_OK
                               : check_version(schema->fields, schema->field_count, format_version, 0, err);
}

bool rwl_type_promotes(const rwl_type *from, const rwl_type *to) {
    if (from->kind == to->kind && from->kind == RWL_TYPE_DECIMAL)
        return from->scale == to->scale && from->precision <= to->precision;
    if (from->kind == to->kind)
        return rwl_type_equal(from, to) || rwl_type_is_time_ns(from); /* refused where it isn't exact */
    switch (from->kind) {
    case RWL_TYPE_UNKNOWN:
        return true;
    case RWL_TYPE_INT:
        return to->kind == RWL_TYPE_LONG;
    case RWL_TYPE_FLOAT:
        return to->kind == RWL_TYPE_DOUBLE;
    case RWL_TYPE_DATE:
        return to->kind == RWL_TYPE_TIMESTAMP || to->kind == RWL_TYPE_TIMESTAMP_NS;
    default:
        return false;
    }
}
