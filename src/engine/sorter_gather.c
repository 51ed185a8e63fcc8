/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of many blocks put together, a column at a time. Each block's rows are taken in its order, so that every source is
 * read from front to back. Nested columns are joined first, then taken by row numbers.
 */
#include "engine/sorter_internal.h"

#include "column/bits.h"

void rwl_sorter_gather_clear(rwl_sorter_gather *g) {
    rwl_vec_clear(&g->places, g->env);
    rwl_vec_clear(&g->sources, g->env);
    rwl_vec_clear(&g->rows, g->env);
}

#define GATHER(type)                                                                                         \
    do {                                                                                                     \
        type *to = (type *)(void *)out->values.data + out->length;                                           \
        for (size_t i = 0; i < count; i++)                                                                   \
            to[i] = ((const type *)(const void *)sources[places[i].slot].values)[places[i].row];             \
    } while (0)

static void gather_fixed(const rwl_sorter_gather *g, rwl_column *out) {
    const rwl_sorter_place *places = g->places.items;
    const rwl_sorter_source *sources = g->sources.items;
    size_t count = g->places.len, width = (size_t)rwl_type_width(&out->type);
    if (width == sizeof(uint64_t)) {
        GATHER(uint64_t);
    } else if (width == sizeof(uint32_t)) {
        GATHER(uint32_t);
    } else if (width > 0) {
        uint8_t *to = out->values.data + (size_t)out->length * width;
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * width, sources[places[i].slot].values + (size_t)places[i].row * width, width);
    }
}

static void gather_bits(const rwl_sorter_gather *g, rwl_column *out) {
    rwl_bits_fill(out->values.data, out->length, (int64_t)g->places.len, false);
    for (size_t i = 0; i < g->places.len; i++)
        if (rwl_bit_get(g->sources.items[g->places.items[i].slot].values, g->places.items[i].row))
            rwl_bit_set(out->values.data, out->length + (int64_t)i);
}

static int64_t bytes_of_places(const rwl_sorter_gather *g) {
    int64_t bytes = 0;
    for (size_t i = 0; i < g->places.len; i++) {
        const int32_t *o = g->sources.items[g->places.items[i].slot].offsets + g->places.items[i].row;
        bytes += o[1] - o[0];
    }
    return bytes;
}

static void gather_bytes(const rwl_sorter_gather *g, rwl_column *out) {
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    size_t end = out->bytes_len;
    if (out->length == 0)
        offsets[0] = 0;
    for (size_t i = 0; i < g->places.len; i++) {
        const rwl_sorter_source *from = &g->sources.items[g->places.items[i].slot];
        const int32_t *o = from->offsets + g->places.items[i].row;
        size_t len = (size_t)(o[1] - o[0]);
        if (len > 0)
            memcpy(out->values.data + end, from->values + o[0], len);
        end += len;
        offsets[i + 1] = (int32_t)end;
    }
    out->bytes_len = end;
}

static rwl_status gather_validity(const rwl_sorter_gather *g, rwl_column *out, rwl_error *err) {
    bool any = out->null_count > 0;
    for (size_t i = 0; i < g->sources.len && !any; i++)
        any = g->sources.items[i].validity != NULL;
    if (!any)
        return RWL_OK;
    int64_t count = (int64_t)g->places.len, nulls = 0;
    RWL_TRY(rwl_column_need_validity(out, g->env, out->length + count, err));
    rwl_bits_fill(out->validity.data, out->length, count, true);
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *validity = g->sources.items[g->places.items[i].slot].validity;
        if (validity != NULL && !rwl_bit_get(validity, g->places.items[i].row)) {
            rwl_bit_clear(out->validity.data, out->length + i);
            nulls++;
        }
    }
    out->null_count += nulls;
    return RWL_OK;
}

static rwl_status gather_flat(rwl_sorter_gather *g, const rwl_sorter_slot *slots, int32_t slot_count,
                              int32_t column, rwl_column *out, rwl_error *err) {
    g->sources.len = 0;
    RWL_TRY(rwl_vec_reserve(&g->sources, g->env, (size_t)slot_count, err));
    for (int32_t i = 0; i < slot_count; i++) {
        rwl_sorter_source *source = &g->sources.items[g->sources.len++];
        *source = (rwl_sorter_source){NULL, NULL, NULL};
        if (slots[i].taken == slots[i].first)
            continue;
        const rwl_column *c = &slots[i].batch.columns[column];
        *source = (rwl_sorter_source){c->values.data, rwl_column_offsets(c),
                                      c->null_count > 0 ? c->validity.data : NULL};
    }
    int64_t rows = out->length + (int64_t)g->places.len;
    size_t bytes = rwl_type_is_bytes(&out->type) ? out->bytes_len + (size_t)bytes_of_places(g) : 0;
    RWL_TRY(rwl_column_reserve(out, g->env, rows, bytes, err));
    if (out->type.kind == RWL_TYPE_BOOLEAN)
        gather_bits(g, out);
    else if (rwl_type_is_bytes(&out->type))
        gather_bytes(g, out);
    else
        gather_fixed(g, out);
    RWL_TRY(gather_validity(g, out, err));
    out->length = rows;
    return RWL_OK;
}

/* The rows of all slots one behind the other; `starts` says where a slot's row 0 would be. */
static rwl_status join(rwl_sorter_gather *g, const rwl_sorter_slot *slots, int32_t slot_count, int32_t column,
                       rwl_column *joined, int32_t *starts, rwl_error *err) {
    for (int32_t i = 0; i < slot_count; i++) {
        rwl_range rows = {slots[i].first, slots[i].taken - slots[i].first};
        starts[i] = (int32_t)joined->length - slots[i].first;
        if (rows.count > 0)
            RWL_TRY(rwl_column_take_ranges(&slots[i].batch.columns[column], &rows, 1, joined, g->env, err));
    }
    return RWL_OK;
}

static rwl_status take_joined(rwl_sorter_gather *g, const rwl_sorter_slot *slots, int32_t slot_count,
                              int32_t column, rwl_column *joined, int32_t *starts, rwl_column *out,
                              rwl_error *err) {
    RWL_TRY(join(g, slots, slot_count, column, joined, starts, err));
    g->rows.len = 0;
    RWL_TRY(rwl_vec_reserve(&g->rows, g->env, g->places.len, err));
    for (size_t i = 0; i < g->places.len; i++)
        g->rows.items[i] = starts[g->places.items[i].slot] + g->places.items[i].row;
    return rwl_column_take(joined, g->rows.items, (int64_t)g->places.len, out, g->env, err);
}

static rwl_status gather_nested(rwl_sorter_gather *g, const rwl_sorter_slot *slots, int32_t slot_count,
                                int32_t column, rwl_column *out, rwl_error *err) {
    int32_t *starts = rwl_alloc(g->env, (size_t)slot_count * sizeof *starts);
    if (starts == NULL)
        return rwl_no_memory(err, (size_t)slot_count * sizeof *starts);
    rwl_column joined;
    rwl_status st = rwl_column_init(&joined, g->env, &out->type, err);
    if (st == RWL_OK)
        st = take_joined(g, slots, slot_count, column, &joined, starts, out, err);
    rwl_column_clear(&joined, g->env);
    rwl_free(g->env, starts);
    return st;
}

/* All rows from one slot, which they follow each other in. */
static bool from_one_slot(const rwl_sorter_gather *g, const rwl_sorter_slot *slots, rwl_range *rows) {
    const rwl_sorter_place *first = &g->places.items[0];
    *rows = (rwl_range){first->row, (int64_t)g->places.len};
    const rwl_sorter_slot *slot = &slots[first->slot];
    return slot->taken - slot->first == rows->count;
}

rwl_status rwl_sorter_gather_rows(rwl_sorter_gather *g, const rwl_sorter_slot *slots, int32_t slot_count,
                                  rwl_batch *out, rwl_error *err) {
    if (g->places.len == 0)
        return RWL_OK;
    rwl_range rows;
    bool one = from_one_slot(g, slots, &rows);
    for (int32_t i = 0; i < out->column_count; i++) {
        rwl_column *to = &out->columns[i];
        if (one)
            RWL_TRY(rwl_column_take_ranges(&slots[g->places.items[0].slot].batch.columns[i], &rows, 1, to,
                                           g->env, err));
        else if (rwl_type_is_nested(&to->type))
            RWL_TRY(gather_nested(g, slots, slot_count, i, to, err));
        else
            RWL_TRY(gather_flat(g, slots, slot_count, i, to, err));
    }
    out->length += (int64_t)g->places.len;
    g->places.len = 0;
    return RWL_OK;
}
