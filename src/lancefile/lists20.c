/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of file version 2.0: ends of their items, which lie in the column below, numbered over the pages of this one. */
#include "lancefile/field20_internal.h"

rwl_status rwl_lance_lists20_open(rwl_lance_column20 *c, int64_t *total, rwl_error *err) {
    int64_t *firsts = rwl_arena_array(&c->field->arena, (size_t)c->column->page_count, sizeof *firsts);
    if (firsts == NULL)
        return rwl_no_memory(err, (size_t)c->column->page_count * sizeof *firsts);
    *total = 0;
    for (int32_t i = 0; i < c->column->page_count; i++) {
        const rwl_lance_page20 *page;
        RWL_TRY(rwl_lance_column20_page(c, i, &page, err));
        if (c->node->form == RWL_LANCE_BYTES && page->form != RWL_LANCE_PAGE20_LISTS)
            return rwl_lance_column20_fail(
                c, i, rwl_fail(err, RWL_UNSUPPORTED, "texts that are no lists of bytes beside others"), err);
        firsts[i] = *total;
        if (!rwl_i64_add(*total, page->items, total))
            return rwl_lance_column20_fail(c, i, rwl_fail(err, RWL_CORRUPT, "more items than can be"), err);
    }
    c->first_items = firsts;
    return RWL_OK;
}

rwl_status rwl_lance_lists20_aim(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    if (c->first_items == NULL) /* the column's first page has texts of another kind */
        return rwl_fail(err, RWL_UNSUPPORTED, "texts that are lists of bytes beside others");
    return rwl_lance_ends20_aim(c, part, err);
}

/* Adds items behind those that are there; one range where they lie together. */
static rwl_status add_items(rwl_lance_column20 *c, int64_t first, int64_t count, rwl_error *err) {
    rwl_range *last = c->items.len > 0 ? &c->items.items[c->items.len - 1] : NULL;
    if (count == 0)
        return RWL_OK;
    if (last != NULL && last->start + last->count == first) {
        last->count += count;
        return RWL_OK;
    }
    rwl_range range = {first, count};
    return rwl_vec_push(&c->items, c->field->env, range, err);
}

rwl_status rwl_lance_lists20_measure(rwl_lance_column20 *c, rwl_lance_part20 *part, rwl_error *err) {
    rwl_lance_ends20 ends;
    uint64_t from, to;
    bool is_null;
    int64_t base = c->first_items[part->index];
    RWL_TRY(rwl_lance_ends20_open(c, part, (uint64_t)part->page->items, &ends, err));
    for (int64_t i = 0; i < part->count; i++) {
        if (!rwl_lance_ends20_next(&ends, i, &from, &to, &is_null))
            return rwl_lance_ends20_fail(&ends, part->first + i, from, to, err);
        if (!is_null)
            RWL_TRY(add_items(c, base + (int64_t)from, (int64_t)(to - from), err));
    }
    (void)rwl_lance_field20_count(c->field, 4 * part->count);
    return RWL_OK;
}

rwl_status rwl_lance_lists20_append(rwl_lance_column20 *c, const rwl_lance_part20 *part, rwl_column *out,
                                    rwl_error *err) {
    rwl_lance_ends20 ends;
    rwl_lance_field20 *f = c->field;
    int64_t nulls = 0;
    RWL_TRY(rwl_lance_ends20_open(c, part, (uint64_t)part->page->items, &ends, err));
    RWL_TRY(rwl_column_reserve(out, f->env, out->length + part->count, 0, err));
    rwl_buf_reset(&f->validity);
    RWL_TRY(rwl_buf_reserve(&f->validity, (size_t)part->count / 8 + 1, err));
    memset(f->validity.data, 0, (size_t)part->count / 8 + 1);
    int32_t *offsets = (int32_t *)(void *)out->offsets.data + out->length;
    if (out->length == 0)
        offsets[0] = 0;
    for (int64_t i = 0; i < part->count; i++) {
        uint64_t from, to;
        bool is_null;
        (void)rwl_lance_ends20_next(&ends, i, &from, &to, &is_null); /* measured */
        uint64_t items = is_null ? 0 : to - from;
        if (items > (uint64_t)(INT32_MAX - 1 - offsets[i]))
            return rwl_fail(err, RWL_UNSUPPORTED, "more than %d elements in one batch", INT32_MAX - 1);
        offsets[i + 1] = offsets[i] + (int32_t)items;
        nulls += is_null;
        f->validity.data[i / 8] |= (uint8_t)(!is_null << (i & 7));
    }
    RWL_TRY(rwl_lance_append_validity(f->env, out, nulls > 0 ? f->validity.data : NULL, part->count, err));
    out->length += part->count;
    return RWL_OK;
}
