/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a filter as columns of a file, by field id, or as constants. */
#include "iceberg/fragment_prune.h"

/* Where one field comes from: the index of a flat column, -2 for a constant, -1 when the file does not tell. */
static rwl_status resolve_field(const rwl_projection *p, const rwl_field *field, int32_t *node,
                                rwl_value *constant, rwl_error *err) {
    rwl_recipe recipe;
    *node = -1;
    if (field->id >= RWL_FIELD_ID_RESERVED_MIN)
        return RWL_OK; /* lineage that is inherited, positions */
    if (rwl_projection_find(p, field->id) < 0 && strchr(field->name, '.') != NULL)
        return RWL_OK; /* inside of a struct */
    RWL_TRY(rwl_projection_resolve(p, field, NULL, &recipe, err));
    if (recipe.kind == RWL_RECIPE_CONSTANT) {
        *node = -2;
        *constant = recipe.constant;
    } else if (recipe.kind != RWL_RECIPE_REBUILT && p->fields[recipe.source].type.kind != RWL_TYPE_VARIANT) {
        *node = recipe.source;
    }
    return RWL_OK;
}

rwl_status rwl_fragment_prune(rwl_store *store, rwl_op *op, const rwl_projection *projection,
                              const rwl_fragment_read_options *options, rwl_parquet_selection *out,
                              rwl_error *err) {
    size_t count = (size_t)options->filter_field_count;
    int32_t *nodes = rwl_arena_array(projection->arena, count, sizeof *nodes), used_count;
    rwl_value *constants = rwl_arena_array(projection->arena, count, sizeof *constants);
    if (nodes == NULL || constants == NULL)
        return rwl_no_memory(err, count * sizeof *constants);
    for (size_t i = 0; i < count; i++)
        nodes[i] = -1;
    const int32_t *used = rwl_bound_columns(options->filter, &used_count);
    for (int32_t i = 0; i < used_count; i++)
        RWL_TRY(resolve_field(projection, &options->filter_fields[used[i]], &nodes[used[i]],
                              &constants[used[i]], err));
    rwl_parquet_prune_request request = {.filter = options->filter,
                                         .fields = options->filter_fields,
                                         .field_count = options->filter_field_count,
                                         .nodes = nodes,
                                         .constants = constants,
                                         .skip_page_crc = options->skip_page_crc};
    return rwl_parquet_prune(store, op, projection->file->parquet, &request, out, err);
}
