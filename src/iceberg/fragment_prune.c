/* SPDX-License-Identifier: Apache-2.0 */
/* Where the fields of a filter come from: a leaf of the file, the rows' positions, or what is known of the file. */
#include "iceberg/fragment_prune.h"

#include "iceberg/filter_fields.h"

/* --- columns of the file --- */

/* The leaf of the field with this id at or below `field`, inside of structs alone; *count of such fields. The nodes are
 * parallel. */
static void find_leaf(const rwl_field *field, const rwl_parquet_node *node, int32_t id, int depth,
                      int32_t *leaf, int32_t *count) {
    if (field->id == id) {
        bool is_flat = node->leaf_count == 1 && node->child_count == 0 && node->variant == NULL;
        *leaf = is_flat ? node->first_leaf : -1;
        ++*count;
    }
    if (field->type.kind != RWL_TYPE_STRUCT || depth > RWL_TYPE_DEPTH_MAX)
        return;
    for (int32_t i = 0; i < field->type.child_count && i < node->child_count; i++)
        find_leaf(&field->type.children[i], &node->children[i], id, depth + 1, leaf, count);
}

/* Of an id that stands twice in the file nothing is known: which of them is read depends on where it is looked for. */
static int32_t leaf_of(const rwl_projection *p, int32_t id) {
    const rwl_parquet_file *file = p->file->parquet;
    int32_t leaf = -1, count = 0;
    for (int32_t i = 0; i < p->field_count && i < file->node_count; i++)
        find_leaf(&p->fields[i], &file->nodes[i], id, 0, &leaf, &count);
    return count == 1 ? leaf : -1;
}

/* A column that the file does not have is the same in every row; inside of a struct it depends on whether that is null. */
static rwl_status absent_source(const rwl_projection *p, const rwl_field *field, rwl_parquet_source *out,
                                rwl_error *err) {
    if (strchr(field->name, '.') != NULL)
        return RWL_OK;
    rwl_recipe recipe;
    RWL_TRY(rwl_projection_resolve(p, field, NULL, &recipe, err));
    if (recipe.kind == RWL_RECIPE_CONSTANT && recipe.child_count == 0)
        *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_CONSTANT, .constant = recipe.constant};
    return RWL_OK;
}

static rwl_status stored_source(const rwl_projection *p, const rwl_field *field, rwl_parquet_source *out,
                                rwl_error *err) {
    if (rwl_projection_find(p, field->id) < 0)
        RWL_TRY(absent_source(p, field, out, err));
    int32_t leaf = field->id >= 0 ? leaf_of(p, field->id) : -1;
    if (leaf >= 0)
        *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_LEAF, .leaf = leaf};
    return RWL_OK;
}

/* --- metadata columns --- */

static rwl_value number(int64_t v) {
    return (rwl_value){.kind = RWL_TYPE_LONG, .as.i64 = v};
}

/* A stored column's nulls are inherited, so its bounds hold only where there are none; the file's null first_row_id hides
 * it (lineage/inherit.h). */
static rwl_status lineage_source(const rwl_projection *p, int32_t id, rwl_parquet_source *out,
                                 rwl_error *err) {
    const rwl_lineage_base *base = &p->fragment->lineage;
    int32_t column;
    RWL_TRY(rwl_projection_find_lineage(p, id, &column, err));
    if (!base->has_first_row_id)
        *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_CONSTANT,
                                    .constant = rwl_value_null(RWL_TYPE_LONG)};
    else if (column >= 0)
        *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_LEAF,
                                    .leaf = p->file->parquet->nodes[column].first_leaf,
                                    .nulls_differ = true};
    else if (id == RWL_FIELD_ID_ROW_ID)
        *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_POSITION, .first = base->first_row_id};
    else
        *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_CONSTANT,
                                    .constant = number(base->sequence_number)};
    return RWL_OK;
}

static rwl_status metadata_source(const rwl_projection *p, const rwl_field *field, rwl_parquet_source *out,
                                  rwl_error *err) {
    const rwl_fragment *f = p->fragment;
    rwl_value v = {.kind = field->type.kind};
    switch (field->id) {
    case RWL_FIELD_ID_ROW_ID:
    case RWL_FIELD_ID_LAST_UPDATED:
        return lineage_source(p, field->id, out, err);
    case RWL_FIELD_ID_POS:
        out->kind = RWL_PARQUET_SOURCE_POSITION;
        return RWL_OK;
    case RWL_FIELD_ID_FILE:
        v.as.bytes = rwl_span_str(f->location);
        break;
    case RWL_FIELD_ID_SPEC_ID:
        v.as.i32 = f->spec_id;
        break;
    default:
        if (!rwl_field_is_partition(field) ||
            !rwl_filter_partition_value(p->metadata, f->spec_id, f->partition, f->partition_count,
                                        rwl_field_partition_id(field), &field->type, &v))
            return RWL_OK;
    }
    *out = (rwl_parquet_source){.kind = RWL_PARQUET_SOURCE_CONSTANT, .constant = v};
    return RWL_OK;
}

/* --- putting it together --- */

rwl_status rwl_fragment_prune(rwl_store *store, rwl_op *op, const rwl_projection *projection,
                              const rwl_fragment_read_options *options, rwl_parquet_selection *out,
                              rwl_error *err) {
    size_t count = (size_t)options->filter_field_count;
    rwl_parquet_source *sources = rwl_arena_array(projection->arena, count, sizeof *sources);
    if (sources == NULL)
        return rwl_no_memory(err, count * sizeof *sources);
    int32_t used_count;
    const int32_t *used = rwl_bound_columns(options->filter, &used_count);
    for (int32_t i = 0; i < used_count; i++) {
        const rwl_field *field = &options->filter_fields[used[i]];
        if (rwl_field_is_stored(field))
            RWL_TRY(stored_source(projection, field, &sources[used[i]], err));
        else
            RWL_TRY(metadata_source(projection, field, &sources[used[i]], err));
    }
    rwl_parquet_prune_request request = {.filter = options->filter,
                                         .fields = options->filter_fields,
                                         .field_count = options->filter_field_count,
                                         .sources = sources,
                                         .skip_page_crc = options->skip_page_crc};
    return rwl_parquet_prune(store, op, projection->file->parquet, &request, out, err);
}
