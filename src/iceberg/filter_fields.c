/* SPDX-License-Identifier: Apache-2.0 */
/* The columns a filter may name. */
#include "iceberg/filter_fields.h"

#include "iceberg/manifest.h"
#include "iceberg/projection.h"

#include <stdlib.h>

/* _partition last: a data file by itself has none. */
static const rwl_metadata_column METADATA_COLUMNS[] = {
    {{.name = RWL_COLUMN_ROW_ID, .id = RWL_FIELD_ID_ROW_ID, .type.kind = RWL_TYPE_LONG}, true},
    {{.name = RWL_COLUMN_LAST_UPDATED, .id = RWL_FIELD_ID_LAST_UPDATED, .type.kind = RWL_TYPE_LONG}, true},
    {{.name = RWL_COLUMN_FILE, .id = RWL_FIELD_ID_FILE, .required = true, .type.kind = RWL_TYPE_STRING},
     false},
    {{.name = RWL_COLUMN_POS, .id = RWL_FIELD_ID_POS, .required = true, .type.kind = RWL_TYPE_LONG}, false},
    {{.name = "_spec_id", .id = RWL_FIELD_ID_SPEC_ID, .required = true, .type.kind = RWL_TYPE_INT}, false},
    {{.name = "_partition", .id = RWL_FIELD_ID_PARTITION, .required = true, .type.kind = RWL_TYPE_STRUCT},
     false},
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

rwl_status rwl_filter_metadata_columns(const rwl_metadata *metadata, rwl_arena *arena,
                                       const rwl_metadata_column **out, int32_t *count, rwl_error *err) {
    *out = METADATA_COLUMNS;
    *count = METADATA_COLUMN_COUNT - 1;
    if (metadata == NULL)
        return RWL_OK;
    rwl_metadata_column *columns = rwl_arena_array(arena, METADATA_COLUMN_COUNT, sizeof *columns);
    if (columns == NULL)
        return rwl_no_memory(err, sizeof METADATA_COLUMNS);
    memcpy(columns, METADATA_COLUMNS, sizeof METADATA_COLUMNS);
    *out = columns;
    return make_partition_type(metadata, arena, &columns[(*count)++].field.type, err);
}

rwl_status rwl_filter_fields(const rwl_metadata *metadata, const rwl_schema *schema, rwl_arena *arena,
                             rwl_field **fields, rwl_field_place **places, int32_t *count, rwl_error *err) {
    const rwl_metadata_column *columns;
    int32_t column_count;
    RWL_TRY(rwl_filter_metadata_columns(metadata, arena, &columns, &column_count, err));
    return rwl_name_fields(schema->fields, schema->field_count, columns, column_count, arena, fields, places,
                           count, err);
}
