/* SPDX-License-Identifier: Apache-2.0 */
/* The columns a filter or a selection may name. */
#include "table/name_fields.h"

#include <string.h>

static bool has_name(const rwl_field *fields, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

const char *rwl_name_fields_hidden(const rwl_field *schema, int32_t schema_count,
                                   const rwl_metadata_column *columns, int32_t column_count, int32_t *at) {
    while (*at < column_count) {
        const char *name = columns[(*at)++].field.name;
        if (has_name(schema, schema_count, name))
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

rwl_status rwl_name_fields(const rwl_field *schema, int32_t schema_count, const rwl_metadata_column *columns,
                           int32_t column_count, rwl_arena *arena, rwl_field **fields,
                           rwl_field_place **places, int32_t *count, rwl_error *err) {
    int64_t room = (int64_t)schema_count + column_count;
    for (int32_t i = 0; i < schema_count; i++)
        room += count_below(&schema[i].type, 0);
    for (int32_t i = 0; i < column_count; i++)
        room += count_below(&columns[i].field.type, 0);
    if (room > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "the schema has more fields than can be named");
    rwl_field *out = rwl_arena_array(arena, (size_t)room, sizeof *out);
    rwl_field_place *where = rwl_arena_array(arena, (size_t)room, sizeof *where);
    if (out == NULL || where == NULL)
        return rwl_no_memory(err, (size_t)room * sizeof *out);
    *count = 0;
    for (int32_t i = 0; i < schema_count; i++)
        out[(*count)++] = schema[i];
    for (int32_t i = 0; i < column_count; i++)
        if (!has_name(schema, schema_count, columns[i].field.name))
            out[(*count)++] = columns[i].field;
    for (int32_t i = 0; i < *count; i++)
        where[i] = (rwl_field_place){-1, i};
    RWL_TRY(add_nested(arena, out, where, count, (int32_t)room, err));
    *fields = out;
    if (places != NULL)
        *places = where;
    return RWL_OK;
}
