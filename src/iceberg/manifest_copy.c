/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copies of data files out of a reader's entry. */
#include "iceberg/manifest.h"

static rwl_status copy_text(rwl_arena *arena, const char *from, const char **to, rwl_error *err) {
    *to = NULL;
    if (from == NULL)
        return RWL_OK;
    *to = rwl_arena_strdup(arena, from);
    return *to == NULL ? rwl_no_memory(err, strlen(from) + 1) : RWL_OK;
}

/* A copy of plain items; NULL stays NULL. */
static rwl_status copy_items(rwl_arena *arena, const void *from, int32_t count, size_t size, const void **to,
                             rwl_error *err) {
    *to = NULL;
    if (from == NULL)
        return RWL_OK;
    *to = rwl_arena_copy(arena, from, (size_t)count * size);
    return *to == NULL ? rwl_no_memory(err, (size_t)count * size) : RWL_OK;
}

static rwl_status copy_span(rwl_arena *arena, rwl_span from, rwl_span *to, rwl_error *err) {
    *to = from;
    if (from.data == NULL)
        return RWL_OK;
    to->data = rwl_arena_copy(arena, from.data, from.len);
    return to->data == NULL ? rwl_no_memory(err, from.len) : RWL_OK;
}

static rwl_status copy_bounds(rwl_arena *arena, const rwl_metric_bound *from, int32_t count,
                              const rwl_metric_bound **to, rwl_error *err) {
    *to = NULL;
    if (from == NULL)
        return RWL_OK;
    rwl_metric_bound *items = rwl_arena_array(arena, (size_t)count, sizeof *items);
    if (items == NULL)
        return rwl_no_memory(err, sizeof *items);
    for (int32_t i = 0; i < count; i++) {
        items[i].field_id = from[i].field_id;
        RWL_TRY(copy_span(arena, from[i].value, &items[i].value, err));
    }
    *to = items;
    return RWL_OK;
}

static rwl_status copy_counts(rwl_arena *arena, const rwl_metric_count *from, int32_t count,
                              const rwl_metric_count **to, rwl_error *err) {
    const void *copied;
    RWL_TRY(copy_items(arena, from, count, sizeof *from, &copied, err));
    *to = copied;
    return RWL_OK;
}

static rwl_status copy_metrics(rwl_arena *arena, const rwl_data_file *from, rwl_data_file *to,
                               rwl_error *err) {
    RWL_TRY(copy_counts(arena, from->column_sizes, from->column_size_count, &to->column_sizes, err));
    RWL_TRY(copy_counts(arena, from->value_counts, from->value_count_count, &to->value_counts, err));
    RWL_TRY(copy_counts(arena, from->null_counts, from->null_count_count, &to->null_counts, err));
    RWL_TRY(copy_counts(arena, from->nan_counts, from->nan_count_count, &to->nan_counts, err));
    RWL_TRY(copy_bounds(arena, from->lower_bounds, from->lower_count, &to->lower_bounds, err));
    return copy_bounds(arena, from->upper_bounds, from->upper_count, &to->upper_bounds, err);
}

static void drop_metrics(rwl_data_file *f) {
    f->column_sizes = f->value_counts = f->null_counts = f->nan_counts = NULL;
    f->column_size_count = f->value_count_count = f->null_count_count = f->nan_count_count = 0;
    f->lower_bounds = f->upper_bounds = NULL;
    f->lower_count = f->upper_count = 0;
}

rwl_status rwl_data_file_copy(rwl_arena *arena, const rwl_data_file *from, bool with_metrics,
                              rwl_data_file *to, rwl_error *err) {
    *to = *from;
    RWL_TRY(copy_text(arena, from->file_path, &to->file_path, err));
    RWL_TRY(copy_text(arena, from->file_format, &to->file_format, err));
    RWL_TRY(copy_text(arena, from->referenced_data_file, &to->referenced_data_file, err));
    rwl_value *values = rwl_arena_array(arena, (size_t)from->partition_count, sizeof *values);
    if (values == NULL)
        return rwl_no_memory(err, sizeof *values);
    for (int32_t i = 0; i < from->partition_count; i++)
        if (!rwl_value_copy(arena, &from->partition[i], &values[i]))
            return rwl_no_memory(err, sizeof *values);
    to->partition = values;
    RWL_TRY(copy_span(arena, from->key_metadata, &to->key_metadata, err));
    const void *copied;
    RWL_TRY(
        copy_items(arena, from->split_offsets, from->split_count, sizeof *from->split_offsets, &copied, err));
    to->split_offsets = copied;
    RWL_TRY(copy_items(arena, from->equality_ids, from->equality_count, sizeof *from->equality_ids, &copied,
                       err));
    to->equality_ids = copied;
    if (with_metrics)
        return copy_metrics(arena, from, to, err);
    drop_metrics(to);
    return RWL_OK;
}
