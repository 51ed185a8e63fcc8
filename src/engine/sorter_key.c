/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a sort order: the source columns through their transforms, then encoded. */
#include "engine/sorter_internal.h"

static rwl_status find_source(rwl_sorter_key *k, int32_t i, const rwl_field *fields, int32_t field_count,
                              rwl_type *type, rwl_error *err) {
    const rwl_sort_field *by = &k->order->fields[i];
    const rwl_field *source = rwl_field_path_find(fields, field_count, by->source_id, &k->sources[i]);
    if (source == NULL)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "sort order %d uses field %d, which is no column, nor a field of structs",
                        k->order->order_id, by->source_id);
    if (!rwl_transform_result(&by->transform, &source->type, type) || type->kind > RWL_TYPE_BINARY)
        return rwl_fail(err, RWL_UNSUPPORTED, "sorting by %s of column %s is not supported",
                        by->transform.text, source->name);
    k->by[i] = (rwl_sort_key){i, by->descending, by->nulls_first};
    rwl_column_init_flat(&k->nulls[i], type);
    return rwl_column_init(&k->transformed[i], k->env, type, err);
}

rwl_status rwl_sorter_key_init(rwl_sorter_key *k, rwl_arena *arena, const rwl_env *env,
                               const rwl_field *fields, int32_t field_count, const rwl_sort_order *order,
                               rwl_error *err) {
    size_t count = (size_t)order->field_count;
    k->env = env;
    k->order = order;
    k->sources = rwl_arena_array(arena, count, sizeof *k->sources);
    k->transformed = rwl_arena_array(arena, count, sizeof *k->transformed);
    k->nulls = rwl_arena_array(arena, count, sizeof *k->nulls);
    k->columns = rwl_arena_array(arena, count, sizeof *k->columns);
    k->by = rwl_arena_array(arena, count, sizeof *k->by);
    rwl_type *types = rwl_arena_array(arena, count, sizeof *types);
    if (k->sources == NULL || k->transformed == NULL || k->nulls == NULL || k->columns == NULL ||
        k->by == NULL || types == NULL)
        return rwl_no_memory(err, count * sizeof(rwl_column));
    for (int32_t i = 0; i < order->field_count; i++)
        RWL_TRY(find_source(k, i, fields, field_count, &types[i], err));
    k->is_short = rwl_sort_keys_are_short(types, count);
    return RWL_OK;
}

void rwl_sorter_key_clear(rwl_sorter_key *k) {
    for (int32_t i = 0; k->transformed != NULL && k->nulls != NULL && i < k->order->field_count; i++) {
        rwl_column_clear(&k->transformed[i], k->env);
        rwl_column_clear(&k->nulls[i], k->env);
    }
}

static rwl_status transform(rwl_sorter_key *k, const rwl_batch *batch, rwl_error *err) {
    for (int32_t i = 0; i < k->order->field_count; i++) {
        const rwl_transform *t = &k->order->fields[i].transform;
        const rwl_field_path *at = &k->sources[i];
        rwl_column source;
        RWL_TRY(rwl_column_view_field(&batch->columns[at->column], at->path, at->depth, &k->nulls[i], &source,
                                      k->env, err));
        if (t->kind == RWL_TRANSFORM_IDENTITY) {
            k->columns[i] = source;
        } else {
            RWL_TRY(rwl_transform_column(t, &source, &k->transformed[i], k->env, err));
            k->columns[i] = k->transformed[i];
        }
    }
    return RWL_OK;
}

rwl_status rwl_sorter_keys_make(rwl_sorter_key *k, const rwl_batch *batch, rwl_sorter_keys *keys,
                                rwl_error *err) {
    size_t rows = (size_t)batch->length, count = (size_t)k->order->field_count;
    RWL_TRY(transform(k, batch, err));
    rwl_batch columns = {k->env, batch->length, k->order->field_count, k->columns};
    RWL_TRY(rwl_vec_reserve(&keys->prefixes, k->env, rows, err));
    keys->view = (rwl_sort_keys){.prefixes = keys->prefixes.items};
    if (k->is_short)
        return rwl_sort_prefixes_encode(&columns, k->by, count, keys->prefixes.items, err);
    if (keys->bytes.env == NULL)
        rwl_buf_init(&keys->bytes, k->env, SIZE_MAX);
    rwl_buf_reset(&keys->bytes);
    RWL_TRY(rwl_vec_reserve(&keys->ends, k->env, rows, err));
    RWL_TRY(rwl_sort_keys_encode(&columns, k->by, count, &keys->bytes, keys->ends.items, err));
    rwl_sort_keys_prefixes(keys->bytes.data, keys->ends.items, batch->length, keys->prefixes.items);
    keys->view.bytes = keys->bytes.data;
    keys->view.ends = keys->ends.items;
    return RWL_OK;
}

void rwl_sorter_keys_clear(rwl_sorter_keys *keys, const rwl_env *env) {
    if (keys->bytes.env != NULL)
        rwl_buf_clear(&keys->bytes);
    rwl_vec_clear(&keys->ends, env);
    rwl_vec_clear(&keys->prefixes, env);
}

int64_t rwl_sorter_keys_bytes(const rwl_sorter_keys *keys) {
    return (int64_t)(keys->bytes.cap + keys->ends.cap * sizeof *keys->ends.items +
                     keys->prefixes.cap * sizeof *keys->prefixes.items);
}

int64_t rwl_sorter_key_estimate(const rwl_sorter_key *k, const rwl_batch *batch) {
    int64_t bytes = batch->length * (int64_t)sizeof(rwl_sort_prefix);
    if (k->is_short)
        return bytes;
    bytes += batch->length * (int64_t)sizeof(uint64_t);
    for (int32_t i = 0; i < k->order->field_count; i++) {
        const rwl_field_path *at = &k->sources[i];
        const rwl_column *source = &batch->columns[at->column];
        for (int32_t d = 0; d < at->depth; d++)
            source = &source->children[at->path[d]];
        /* a byte before a value, two behind bytes */
        bytes += rwl_type_is_bytes(&source->type) ? (int64_t)source->bytes_len + 3 * batch->length
                                                  : (1 + rwl_type_width(&source->type)) * batch->length;
    }
    return bytes;
}

rwl_status rwl_sorter_mark_set(rwl_sorter_mark *m, const rwl_env *env, const rwl_sorter_keys *keys,
                               int64_t row, rwl_error *err) {
    m->set = true;
    m->prefix = keys->view.prefixes[row];
    m->view = (rwl_sort_keys){.prefixes = &m->prefix};
    if (keys->view.ends == NULL)
        return RWL_OK;
    if (m->bytes.env == NULL)
        rwl_buf_init(&m->bytes, env, SIZE_MAX);
    rwl_buf_reset(&m->bytes);
    rwl_span key = rwl_sort_key_bytes(&keys->view, row);
    RWL_TRY(rwl_buf_append(&m->bytes, key.data, key.len, err));
    m->end = key.len;
    m->view.bytes = m->bytes.data;
    m->view.ends = &m->end;
    return RWL_OK;
}

void rwl_sorter_mark_clear(rwl_sorter_mark *m) {
    if (m->bytes.env != NULL)
        rwl_buf_clear(&m->bytes);
    memset(m, 0, sizeof *m);
}
