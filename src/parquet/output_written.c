/* SPDX-License-Identifier: Apache-2.0 */
/* What a written file holds, field by field: counts and bounds for a table's metadata. */
#include "parquet/output_internal.h"

static rwl_status copy_value(rwl_arena *arena, const rwl_value *from, rwl_value *to, rwl_error *err) {
    return rwl_value_copy(arena, from, to) ? RWL_OK : rwl_no_memory(err, sizeof *to);
}

rwl_status rwl_parquet_output_metrics(rwl_parquet_output *o, int32_t leaf,
                                      const rwl_parquet_column_metrics *metrics, rwl_error *err) {
    if (leaf < 0 || leaf >= o->schema->leaf_count)
        return rwl_fail(err, RWL_INTERNAL, "metrics of leaf %d of %d", (int)leaf, (int)o->schema->leaf_count);
    rwl_parquet_column_metrics *copy = rwl_arena_copy(&o->arena, metrics, sizeof *metrics);
    if (copy == NULL)
        return rwl_no_memory(err, sizeof *metrics);
    if (metrics->has_bounds) {
        RWL_TRY(copy_value(&o->arena, &metrics->lower, &copy->lower, err));
        RWL_TRY(copy_value(&o->arena, &metrics->upper, &copy->upper, err));
    }
    o->leaves[leaf].better = copy;
    return RWL_OK;
}

/* Bounds from the chunks' statistics: none when one side is not known. */
static rwl_status bounds_of_chunks(const rwl_parquet_output_leaf *l, rwl_arena *arena,
                                   rwl_parquet_column_metrics *m, rwl_error *err) {
    const rwl_parquet_stat_side *min = &l->stats.min, *max = &l->stats.max;
    rwl_value lower, upper;
    if (min->unknown || max->unknown || !min->bound.present || !max->bound.present ||
        !rwl_parquet_stat_value(l->stats.leaf, rwl_parquet_stat_span(&min->bound), &lower) ||
        !rwl_parquet_stat_value(l->stats.leaf, rwl_parquet_stat_span(&max->bound), &upper))
        return RWL_OK;
    m->has_bounds = true;
    m->is_exact = min->bound.exact && max->bound.exact;
    RWL_TRY(copy_value(arena, &lower, &m->lower, err));
    return copy_value(arena, &upper, &m->upper, err);
}

static rwl_status better_bounds(const rwl_parquet_column_metrics *better, rwl_arena *arena,
                                rwl_parquet_column_metrics *m, rwl_error *err) {
    m->nan_count = better->nan_count;
    if (better->null_count >= 0)
        m->null_count = better->null_count;
    m->has_bounds = better->has_bounds;
    m->is_exact = better->is_exact;
    if (!better->has_bounds)
        return RWL_OK;
    RWL_TRY(copy_value(arena, &better->lower, &m->lower, err));
    return copy_value(arena, &better->upper, &m->upper, err);
}

/* A field's metrics from its leaf; of a VARIANT counts are the metadata's, its value only adds bytes. */
static rwl_status fill_leaf(const rwl_parquet_output *o, int32_t leaf, rwl_arena *arena,
                            rwl_parquet_column_metrics *m, rwl_error *err) {
    const rwl_parquet_output_leaf *l = &o->leaves[leaf];
    const rwl_parquet_write_leaf *w = &o->schema->leaves[leaf];
    m->column_size += l->compressed;
    if (w->part == RWL_PARQUET_VARIANT_VALUE)
        return RWL_OK;
    m->field_id = w->field->id;
    m->is_repeated = w->max_repetition > 0;
    m->value_count = l->value_count;
    m->null_count = l->null_count;
    m->nan_count = l->nan_count;
    if (l->better != NULL)
        RWL_TRY(better_bounds(l->better, arena, m, err));
    else
        RWL_TRY(bounds_of_chunks(l, arena, m, err));
    if (!rwl_parquet_shape_is_float(&w->shape))
        m->nan_count = -1;
    if (!rwl_parquet_stat_ordered(w))
        m->has_bounds = m->is_exact = false;
    return RWL_OK;
}

static bool is_flat(const rwl_parquet_write_leaf *leaf) {
    return leaf->path_len == (leaf->part == RWL_PARQUET_WHOLE ? 1 : 2);
}

/* Where each leaf's metrics go: a flat field's at its own place, those of nested fields behind all fields. */
static rwl_status fill_columns(const rwl_parquet_output *o, rwl_parquet_written *out, rwl_error *err) {
    int32_t count = o->schema->field_count, next = count;
    for (int32_t i = 0; i < o->schema->leaf_count; i++)
        count += !is_flat(&o->schema->leaves[i]) && o->schema->leaves[i].part != RWL_PARQUET_VARIANT_VALUE;
    out->column_count = count;
    out->columns = rwl_arena_array(&out->arena, (size_t)count, sizeof *out->columns);
    if (out->columns == NULL)
        return rwl_no_memory(err, (size_t)count * sizeof *out->columns);
    for (int32_t i = 0; i < o->schema->field_count; i++) { /* what a field without a leaf of its own has */
        rwl_parquet_column_metrics *m = &out->columns[i];
        bool is_nested = rwl_type_is_nested(&o->schema->fields[i].type);
        m->field_id = is_nested ? -1 : o->schema->fields[i].id;
        m->value_count = o->rows;
        m->null_count = is_nested ? -1 : o->rows;
        m->nan_count = -1;
    }
    for (int32_t i = 0; i < o->schema->leaf_count; i++) {
        const rwl_parquet_write_leaf *leaf = &o->schema->leaves[i];
        bool is_second = leaf->part == RWL_PARQUET_VARIANT_VALUE;
        int32_t at = is_flat(leaf) ? leaf->top : is_second ? next - 1 : next++;
        RWL_TRY(fill_leaf(o, i, &out->arena, &out->columns[at], err));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_output_describe(const rwl_parquet_output *o, rwl_parquet_written *out,
                                       rwl_error *err) {
    out->row_count = o->rows;
    out->file_size = o->offset;
    out->page_count = o->page_count;
    out->split_count = (int32_t)o->groups.len;
    out->split_offsets = rwl_arena_array(&out->arena, o->groups.len, sizeof *out->split_offsets);
    if (out->split_offsets == NULL)
        return rwl_no_memory(err, o->groups.len * sizeof *out->split_offsets);
    for (size_t i = 0; i < o->groups.len; i++)
        out->split_offsets[i] = o->groups.items[i].offset;
    return fill_columns(o, out, err);
}
