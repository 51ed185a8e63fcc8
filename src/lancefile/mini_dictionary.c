/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries of mini-block pages: read once, then values are gathered by their indices. */
#include "lancefile/mini_internal.h"

/* --- the dictionary --- */

static rwl_status read_fixed_items(rwl_lance_mini_values *v, const rwl_lance_leaf *leaf, rwl_span block,
                                   int64_t count, rwl_error *err) {
    int64_t bits = leaf->width_bits;
    if (bits % 8 != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "dictionary of values of %lld bits", (long long)bits);
    int64_t rounded = (count + RWL_LANCE_PACK - 1) / RWL_LANCE_PACK * RWL_LANCE_PACK;
    int64_t bytes = rounded * (bits / 8);
    if (bytes > RWL_LANCE_DICTIONARY_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "dictionary of %lld bytes, limit %d", (long long)bytes,
                        RWL_LANCE_DICTIONARY_MAX);
    RWL_TRY(rwl_op_reserve(v->op, bytes, "a page's dictionary", err));
    v->charged += bytes;
    RWL_TRY(rwl_buf_reserve(&v->items, (size_t)bytes, err));
    RWL_TRY(rwl_lance_block_fixed(v->general, v->op->env, v->layout->dictionary, block, count, bits,
                                  v->items.data, err));
    v->items.len = (size_t)(count * (bits / 8));
    return RWL_OK;
}

/* What nulls are. */
static rwl_status add_empty_text(rwl_lance_mini_values *v, rwl_error *err) {
    rwl_column *c = &v->texts;
    RWL_TRY(rwl_column_reserve(c, v->op->env, c->length + 1, c->bytes_len, err));
    ((int32_t *)(void *)c->offsets.data)[++c->length] = (int32_t)c->bytes_len;
    return RWL_OK;
}

rwl_status rwl_lance_mini_read_dictionary(rwl_lance_mini_values *v, const rwl_lance_leaf *leaf,
                                          rwl_span block, rwl_error *err) {
    int64_t count = v->layout->dictionary_items;
    if (count < 0 || count >= INT32_MAX)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of %lld values", (long long)count);
    if (leaf->width_bits > 0)
        return read_fixed_items(v, leaf, block, count, err);
    if (leaf->node->form != RWL_LANCE_BYTES)
        return rwl_fail(err, RWL_CORRUPT, "a dictionary of a field that has no values");
    RWL_TRY(
        rwl_lance_block_bytes(v->general, v->op->env, v->layout->dictionary, block, count, &v->texts, err));
    if (v->texts.length != count)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of %lld values, they are to be %lld",
                        (long long)v->texts.length, (long long)count);
    RWL_TRY(add_empty_text(v, err));
    int64_t bytes = (int64_t)(v->texts.values.cap + v->texts.offsets.cap);
    RWL_TRY(rwl_op_reserve(v->op, bytes, "a page's dictionary", err));
    v->charged += bytes;
    return RWL_OK;
}

/* --- indices --- */

/* Widens the indices, which lie in `in`, to u32; an index that is no item's becomes UINT32_MAX. */
static void widen_indices(const uint8_t *in, int64_t bits, int64_t count, uint32_t *out) {
    for (int64_t i = 0; bits == 8 && i < count; i++)
        out[i] = in[i];
    for (int64_t i = 0; bits == 16 && i < count; i++)
        out[i] = rwl_load_le16(in + i * 2);
    for (int64_t i = 0; bits == 64 && i < count; i++) {
        uint64_t index = rwl_load_le64(in + i * 8);
        out[i] = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
    }
}

/* CORRUPT for an index beyond the items. Of nulls any is right and becomes `null_item`. */
static rwl_status check_indices(uint32_t *indices, int64_t count, int64_t items, const uint16_t *slot_def,
                                uint32_t null_item, rwl_error *err) {
    uint32_t max = 0;
    for (int64_t i = 0; slot_def == NULL && i < count; i++)
        max = indices[i] > max ? indices[i] : max;
    if (slot_def == NULL && max < items)
        return RWL_OK;
    for (int64_t i = 0; i < count; i++) {
        if (slot_def != NULL && slot_def[i] > 0)
            indices[i] = null_item;
        else if (indices[i] >= items)
            return rwl_fail(err, RWL_CORRUPT, "dictionary index %u of value %lld, there are %lld items",
                            indices[i], (long long)i, (long long)items);
    }
    return RWL_OK;
}

/* --- gathering --- */

static void gather_fixed(const uint8_t *items, size_t width, const uint32_t *indices, int64_t count,
                         uint8_t *out) {
    switch (width) {
    case 1:
        for (int64_t i = 0; i < count; i++)
            out[i] = items[indices[i]];
        break;
    case 2:
        for (int64_t i = 0; i < count; i++)
            memcpy(out + i * 2, items + (size_t)indices[i] * 2, 2);
        break;
    case 4:
        for (int64_t i = 0; i < count; i++)
            memcpy(out + i * 4, items + (size_t)indices[i] * 4, 4);
        break;
    case 8:
        for (int64_t i = 0; i < count; i++)
            memcpy(out + i * 8, items + (size_t)indices[i] * 8, 8);
        break;
    default:
        for (size_t i = 0; i < (size_t)count; i++)
            memcpy(out + i * width, items + (size_t)indices[i] * width, width);
    }
}

rwl_status rwl_lance_mini_gather(const rwl_lance_mini_values *v, int64_t first, int64_t count,
                                 rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_column *c = &leaf->values;
    const uint32_t *indices = v->indices + first;
    const int32_t *from = rwl_column_offsets(&v->texts);
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++)
        total += from[indices[i] + 1] - from[indices[i]];
    RWL_TRY(rwl_lance_leaf_check_bytes(leaf, (size_t)total, err));
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, count, (size_t)total, err));
    int32_t *offsets = (int32_t *)(void *)c->offsets.data + c->length;
    size_t at = c->bytes_len;
    offsets[0] = (int32_t)at;
    for (int64_t i = 0; i < count; i++) {
        int32_t start = from[indices[i]];
        size_t len = (size_t)(from[indices[i] + 1] - start);
        if (len > 0)
            memcpy(c->values.data + at, v->texts.values.data + start, len);
        at += len;
        offsets[i + 1] = (int32_t)at;
    }
    c->bytes_len = at;
    c->length += count;
    leaf->slots += count;
    return RWL_OK;
}

rwl_status rwl_lance_mini_decode_indices(rwl_lance_mini_values *v, const rwl_lance_mini_coded *coded,
                                         const uint16_t *slot_def, rwl_lance_leaf *leaf, rwl_error *err) {
    int64_t count = coded->count;
    uint32_t *indices = (uint32_t *)(void *)v->room.data;
    if (coded->bits != 32) {
        size_t len = (size_t)(count * (coded->bits / 8));
        size_t at = (len + 7) & ~(size_t)7;
        v->room.len = at;
        RWL_TRY(rwl_buf_reserve(&v->room, (size_t)count * 4, err));
        indices = (uint32_t *)(void *)(v->room.data + at);
        widen_indices(v->room.data, coded->bits, count, indices);
    }
    int64_t items = v->layout->dictionary_items;
    bool are_texts = leaf->width_bits == 0;
    RWL_TRY(check_indices(indices, count, items, slot_def, are_texts ? (uint32_t)items : 0, err));
    v->indices = indices;
    if (are_texts)
        return v->keeps_indices ? (rwl_status)RWL_OK : rwl_lance_mini_gather(v, 0, count, leaf, err);
    if (items == 0) /* nothing but nulls */
        return rwl_lance_leaf_add_same(leaf, rwl_span_of(NULL, 0), count, err);
    uint8_t *out = NULL;
    RWL_TRY(rwl_lance_leaf_reserve(leaf, count, &out, err));
    gather_fixed(v->items.data, (size_t)leaf->width_bits / 8, indices, count, out);
    leaf->slots += count;
    return rwl_lance_mini_add_validity(coded, count, leaf, err);
}
