/* SPDX-License-Identifier: Apache-2.0 */
/* Places of blobs, read before the bytes: rows of an ordinary page of packed structs. */
#include "lancefile/blob_internal.h"
#include "lancefile/field_internal.h"

enum { LOOK_LEAST = 1024, LOOK_MORE = 4 };

rwl_status rwl_lance_places_open(rwl_lance_places *places, const rwl_lance_page_request *request,
                                 const rwl_lance_layout *layout, const rwl_lance_node *node, rwl_error *err) {
    places->op = request->op;
    places->look = LOOK_LEAST;
    rwl_lance_fetch_init(&places->fetch, request->file, request->op);
    RWL_TRY(rwl_lance_leaf_init(&places->leaf, request->op->env, node, err));
    if (layout->kind == RWL_LANCE_LAYOUT_BLOB)
        return rwl_fail(err, RWL_CORRUPT, "blobs: their places are blobs themselves");
    rwl_status st = rwl_lance_leaf_check_layers(&places->leaf, layout, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "places of blobs");
    rwl_lance_page_request inner = *request;
    inner.layout = layout;
    inner.leaf = &places->leaf;
    inner.fetch = &places->fetch;
    return rwl_lance_page_open(&inner, &places->page, err);
}

void rwl_lance_places_clear(rwl_lance_places *places) {
    if (places->op == NULL)
        return;
    rwl_lance_page_close(places->page);
    rwl_lance_fetch_clear(&places->fetch);
    rwl_lance_leaf_clear(&places->leaf);
    rwl_vec_clear(&places->loaded, places->op->env);
}

bool rwl_lance_places_are_loaded(const rwl_lance_places *places, const rwl_range *rows, size_t count) {
    const rwl_range *have = places->loaded.items;
    if (count > places->loaded.len)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        if (have[i].start != rows[i].start ||
            (is_last ? have[i].count < rows[i].count : have[i].count != rows[i].count))
            return false;
    }
    return true;
}

rwl_status rwl_lance_places_load(rwl_lance_places *places, const rwl_range *rows, size_t count, bool *is_new,
                                 rwl_error *err) {
    *is_new = !rwl_lance_places_are_loaded(places, rows, count);
    if (!*is_new)
        return RWL_OK;
    places->loaded.len = 0;
    rwl_lance_fetch_reset(&places->fetch);
    rwl_lance_leaf_reset(&places->leaf);
    size_t number = 0;
    const rwl_lance_page_vtable *vtable = places->page->vtable;
    RWL_TRY(vtable->want(places->page, rows, count, &number, err));
    RWL_TRY(rwl_lance_fetch_submit(&places->fetch, err));
    RWL_TRY(vtable->read(places->page, rows, count, number, &places->leaf, err));
    int64_t total = rwl_lance_count_rows(rows, count);
    if (places->leaf.rows != total)
        return rwl_fail(err, RWL_CORRUPT, "blobs: places of %lld rows, not %lld",
                        (long long)places->leaf.rows, (long long)total);
    RWL_TRY(rwl_vec_reserve(&places->loaded, places->op->env, count, err));
    if (count > 0)
        memcpy(places->loaded.items, rows, count * sizeof *rows);
    places->loaded.len = count;
    return RWL_OK;
}

/* Looks at few rows first: of large blobs not many will fit, and those behind are looked at again by the next step. */
rwl_status rwl_lance_places_fit(rwl_lance_places *places, rwl_lance_page_reader *page,
                                rwl_lance_blob_measure *measure, const rwl_range *rows, size_t count,
                                int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    int64_t total = rwl_lance_count_rows(rows, count), looked = places->look;
    RWL_VEC(rwl_range) first = {0};
    rwl_status st = rwl_vec_reserve(&first, places->op->env, count, err);
    for (bool goes_on = st == RWL_OK; goes_on;) {
        if (looked > total)
            looked = total;
        if (count > 0)
            memcpy(first.items, rows, count * sizeof *rows);
        first.len = rwl_lance_cut_ranges(first.items, count, looked);
        st = measure(page, first.items, first.len, looked, bytes_max, fitting, err);
        goes_on = st == RWL_OK && *fitting == looked && looked < total;
        looked *= goes_on ? LOOK_MORE : 1;
    }
    rwl_vec_clear(&first, places->op->env);
    if (st != RWL_OK)
        return st;
    places->look = 2 * *fitting > LOOK_LEAST ? 2 * *fitting : LOOK_LEAST;
    if (*fitting == 0 && total > 0)
        *fitting = 1;
    return RWL_OK;
}
