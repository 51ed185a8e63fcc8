/* SPDX-License-Identifier: Apache-2.0 */
/* The columns a filter may name. */
#include "iceberg/filter_fields.h"

rwl_status rwl_filter_fields(const rwl_schema *schema, rwl_arena *arena, rwl_field **fields, int32_t *count,
                             rwl_error *err) {
    static const struct {
        const char *name;
        int32_t id;
        bool required;
        rwl_type_kind kind;
    } METADATA_COLUMNS[] = {
        {RWL_COLUMN_ROW_ID, RWL_FIELD_ID_ROW_ID, false, RWL_TYPE_LONG},
        {RWL_COLUMN_LAST_UPDATED, RWL_FIELD_ID_LAST_UPDATED, false, RWL_TYPE_LONG},
        {RWL_COLUMN_FILE, RWL_FIELD_ID_FILE, true, RWL_TYPE_STRING},
        {RWL_COLUMN_POS, RWL_FIELD_ID_POS, true, RWL_TYPE_LONG},
        {"_spec_id", RWL_FIELD_ID_SPEC_ID, true, RWL_TYPE_INT},
    };
    int32_t extra = (int32_t)(sizeof METADATA_COLUMNS / sizeof METADATA_COLUMNS[0]);
    rwl_field *out = rwl_arena_array(arena, (size_t)(schema->field_count + extra), sizeof *out);
    if (out == NULL)
        return rwl_no_memory(err, sizeof *out);
    for (int32_t i = 0; i < schema->field_count; i++)
        out[i] = schema->fields[i];
    for (int32_t i = 0; i < extra; i++) {
        rwl_field *f = &out[schema->field_count + i];
        f->name = METADATA_COLUMNS[i].name;
        f->id = METADATA_COLUMNS[i].id;
        f->required = METADATA_COLUMNS[i].required;
        f->type = rwl_type_of(METADATA_COLUMNS[i].kind);
    }
    *fields = out;
    *count = schema->field_count + extra;
    return RWL_OK;
}
