/* SPDX-License-Identifier: Apache-2.0 */
/* The columns a filter may name. */
#include "iceberg/filter_fields.h"

#include "iceberg/manifest.h"
#include "iceberg/projection.h"

#include <stdlib.h>

typedef struct metadata_column {
    const char *name;
    int32_t id;
    bool required;
    rwl_type_kind kind;
} metadata_column;

static const metadata_column METADATA_COLUMNS[] = {
    {RWL_COLUMN_ROW_ID, RWL_FIELD_ID_ROW_ID, false, RWL_TYPE_LONG},
    {RWL_COLUMN_LAST_UPDATED, RWL_FIELD_ID_LAST_UPDATED, false, RWL_TYPE_LONG},
    {RWL_COLUMN_FILE, RWL_FIELD_ID_FILE, true, RWL_TYPE_STRING},
    {RWL_COLUMN_POS, RWL_FIELD_ID_POS, true, RWL_TYPE_LONG},
    {"_spec_id", RWL_FIELD_ID_SPEC_ID, true, RWL_TYPE_INT},
    {"_partition", RWL_FIELD_ID_PARTITION, true, RWL_TYPE_STRUCT},
};
enum { METADATA_COLUMN_COUNT = sizeof METADATA_COLUMNS / sizeof METADATA_COLUMNS[0] };

/* --- the type of _partition --- */

/* A partition field as one of the specs has it. */
typedef struct spec_field {
    rwl_field field;
    int32_t spec_id;
    bool tells_type; /* what was dropped in a v1 table lives on with a void transform, of its source's type */
} spec_field;

/* By id, the newest spec first. */
static int compare_fields(const void *a, const void *b) {
    const spec_field *x = a, *y = b;
    int order = (x->field.id > y->field.id) - (x->field.id < y->field.id);
    return order != 0 ? order : (x->spec_id < y->spec_id) - (x->spec_id > y->spec_id);
}

static rwl_status list_spec(const rwl_metadata *m, const rwl_partition_spec *spec, rwl_arena *arena,
                            spec_field *out, rwl_error *err) {
    rwl_type *types = rwl_arena_array(arena, (size_t)spec->field_count, sizeof *types);
    if (types == NULL)
        return rwl_no_memory(err, (size_t)spec->field_count * sizeof *types);
    RWL_TRY(rwl_manifest_partition_types(m, spec, types, err));
    for (int32_t i = 0; i < spec->field_count; i++) {
        const rwl_partition_field *f = &spec->fields[i];
        out[i] = (spec_field){.field = {.name = f->name, .id = f->field_id, .type = types[i]},
                              .spec_id = spec->spec_id,
                              .tells_type = f->transform.kind != RWL_TRANSFORM_VOID};
    }
    return RWL_OK;
}

/* All fields of all specs by ascending id; the newest spec names them, the newest that tells a type gives it. */
static rwl_status make_partition_type(const rwl_metadata *m, rwl_arena *arena, rwl_type *out,
                                      rwl_error *err) {
    size_t room = 0, listed = 0;
    for (int32_t i = 0; i < m->spec_count; i++)
        room += (size_t)m->specs[i].field_count;
    spec_field *all = rwl_arena_array(arena, room, sizeof *all);
    rwl_field *fields = rwl_arena_array(arena, room, sizeof *fields);
    if (fields == NULL || all == NULL)
        return rwl_no_memory(err, room * sizeof *all);
    for (int32_t i = 0; i < m->spec_count; i++) {
        RWL_TRY(list_spec(m, &m->specs[i], arena, all + listed, err));
        listed += (size_t)m->specs[i].field_count;
    }
    if (room > 1)
        qsort(all, room, sizeof *all, compare_fields);
    int32_t count = 0;
    bool typed = false;
    for (size_t i = 0; i < room; i++) {
        bool is_new = i == 0 || all[i].field.id != all[i - 1].field.id;
        if (is_new)
            fields[count++] = all[i].field;
        else if (!typed && all[i].tells_type)
            fields[count - 1].type = all[i].field.type;
        typed = all[i].tells_type || (typed && !is_new);
    }
    *out = rwl_type_of(RWL_TYPE_STRUCT);
    out->children = fields;
    out->child_count = count;
    return RWL_OK;
}

bool rwl_filter_partition_value(const rwl_metadata *metadata, int32_t spec_id, const rwl_value *partition,
                                int32_t partition_count, int32_t partition_id, const rwl_type *type,
                                rwl_value *out) {
    const rwl_partition_spec *spec = rwl_metadata_spec(metadata, spec_id);
    *out = rwl_value_null(type->kind);
    for (int32_t i = 0; spec != NULL && i < spec->field_count && i < partition_count; i++)
        if (spec->fields[i].field_id == partition_id && !partition[i].is_null)
            return rwl_value_convert(&partition[i], type, out);
    return true;
}

/* --- the list --- */

static bool has_name(const rwl_schema *schema, const char *name) {
    for (int32_t i = 0; i < schema->field_count; i++)
        if (strcmp(schema->fields[i].name, name) == 0)
            return true;
    return false;
}

const char *rwl_filter_fields_hidden(const rwl_schema *schema, int32_t *at) {
    while (*at < METADATA_COLUMN_COUNT) {
        const char *name = METADATA_COLUMNS[(*at)++].name;
        if (has_name(schema, name))
            return name;
    }
    return NULL;
}

/* Fields of structs below `type`; deeper ones than any schema has are left out. */
static int64_t count_below(const rwl_type *type, int depth) {
    if (type->kind != RWL_TYPE_STRUCT || depth >= RWL_TYPE_DEPTH_MAX)
        return 0;
    int64_t count = type->child_count;
    for (int32_t i = 0; i < type->child_count; i++)
        count += count_below(&type->children[i].type, depth + 1);
    return count;
}

static rwl_status add_top(const rwl_metadata *metadata, const rwl_schema *schema, rwl_arena *arena,
                          rwl_field *out, int32_t *count, rwl_error *err) {
    for (int32_t i = 0; i < schema->field_count; i++)
        out[(*count)++] = schema->fields[i];
    for (int32_t i = 0; i < METADATA_COLUMN_COUNT; i++) {
        const metadata_column *c = &METADATA_COLUMNS[i];
        rwl_field f = {.name = c->name, .id = c->id, .required = c->required, .type = rwl_type_of(c->kind)};
        if (has_name(schema, c->name) || (c->kind == RWL_TYPE_STRUCT && metadata == NULL))
            continue;
        if (c->kind == RWL_TYPE_STRUCT)
            RWL_TRY(make_partition_type(metadata, arena, &f.type, err));
        out[(*count)++] = f;
    }
    return RWL_OK;
}

/* Appends the fields of each struct in the list, those appended before included. */
static rwl_status add_nested(rwl_arena *arena, rwl_field *fields, rwl_field_place *places, int32_t *count,
                             int32_t room, rwl_error *err) {
    for (int32_t i = 0; i < *count; i++) {
        const rwl_field parent = fields[i];
        for (int32_t k = 0; parent.type.kind == RWL_TYPE_STRUCT && k < parent.type.child_count; k++) {
            if (*count == room)
                return RWL_OK; /* too deep */
            rwl_field *f = &fields[*count];
            *f = parent.type.children[k];
            f->name = rwl_arena_printf(arena, "%s.%s", parent.name, f->name);
            if (f->name == NULL)
                return rwl_no_memory(err, strlen(parent.name));
            f->required = f->required && parent.required;
            if (parent.id == RWL_FIELD_ID_PARTITION)
                f->id += INT32_MIN;
            places[(*count)++] = (rwl_field_place){i, k};
        }
    }
    return RWL_OK;
}

rwl_status rwl_filter_fields(const rwl_metadata *metadata, const rwl_schema *schema, rwl_arena *arena,
                             rwl_field **fields, rwl_field_place **places, int32_t *count, rwl_error *err) {
    int64_t room = schema->field_count + METADATA_COLUMN_COUNT;
    for (int32_t i = 0; i < schema->field_count; i++)
        room += count_below(&schema->fields[i].type, 0);
    for (int32_t i = 0; metadata != NULL && i < metadata->spec_count; i++)
        room += metadata->specs[i].field_count;
    if (room > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "the schema has more fields than can be named");
    rwl_field *out = rwl_arena_array(arena, (size_t)room, sizeof *out);
    rwl_field_place *where = rwl_arena_array(arena, (size_t)room, sizeof *where);
    if (out == NULL || where == NULL)
        return rwl_no_memory(err, (size_t)room * sizeof *out);
    *count = 0;
    RWL_TRY(add_top(metadata, schema, arena, out, count, err));
    for (int32_t i = 0; i < *count; i++)
        where[i] = (rwl_field_place){-1, i};
    RWL_TRY(add_nested(arena, out, where, count, (int32_t)room, err));
    *fields = out;
    if (places != NULL)
        *places = where;
    return RWL_OK;
}
