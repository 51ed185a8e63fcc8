/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs: a page of (u64 position, u64 size) pairs, laid out as any other page; the bytes lie there in the file.
 *
 *   size > 0                  valid
 *   size 0, position 0        valid and empty
 *   size 0, position other    not valid: definition level << 16 | repetition level
 *
 * The repetition level of valid blobs is not kept, so lists of blobs cannot be put together again, nor does Lance itself.
 */
#include "lancefile/page.h"

enum { PAIR_LEN = 16, BATCH = 1024 };
#define WANTED_MAX (INT64_C(1) << 30) /* bytes of blobs in memory at once */

typedef struct blob_page {
    rwl_lance_page_reader base;
    rwl_lance_page_reader *pairs_page;
    rwl_lance_fetch fetch; /* of pairs_page */
    rwl_lance_leaf pairs;
    rwl_lance_node node, halves[2];
    RWL_VEC(rwl_range) loaded; /* rows of `pairs` */
} blob_page;

typedef struct pair {
    uint64_t position, size;
} pair;

static pair load_pair(const blob_page *page, int64_t i) {
    const uint8_t *at = page->pairs.values.values.data + i * PAIR_LEN;
    return (pair){rwl_load_le64(at), rwl_load_le64(at + 8)};
}

static int64_t count_rows(const rwl_range *rows, size_t count) {
    int64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += rows[i].count;
    return total;
}

/* --- pairs --- */

/* Whether the rows are the first of those loaded. */
static bool are_loaded(const blob_page *page, const rwl_range *rows, size_t count) {
    const rwl_range *have = page->loaded.items;
    if (count > page->loaded.len)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        if (have[i].start != rows[i].start ||
            (is_last ? have[i].count < rows[i].count : have[i].count != rows[i].count))
            return false;
    }
    return true;
}

static rwl_status load_pairs(blob_page *page, const rwl_range *rows, size_t count, rwl_error *err) {
    if (are_loaded(page, rows, count))
        return RWL_OK;
    page->loaded.len = 0;
    rwl_lance_fetch_reset(&page->fetch);
    rwl_lance_leaf_reset(&page->pairs);
    size_t number = 0;
    const rwl_lance_page_vtable *vtable = page->pairs_page->vtable;
    RWL_TRY(vtable->want(page->pairs_page, rows, count, &number, err));
    RWL_TRY(rwl_lance_fetch_submit(&page->fetch, err));
    RWL_TRY(vtable->read(page->pairs_page, rows, count, number, &page->pairs, err));
    int64_t total = count_rows(rows, count);
    if (page->pairs.slots != total || page->pairs.def.count > 0)
        return rwl_fail(err, RWL_CORRUPT, "blobs: %lld places of %lld rows, %s null",
                        (long long)page->pairs.slots, (long long)total,
                        page->pairs.def.count > 0 ? "some" : "none");
    RWL_TRY(rwl_vec_reserve(&page->loaded, page->base.op->env, count, err));
    for (size_t i = 0; i < count; i++)
        page->loaded.items[page->loaded.len++] = rows[i];
    return RWL_OK;
}

static rwl_status fit_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count,
                            int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    blob_page *page = (blob_page *)base;
    RWL_TRY(load_pairs(page, rows, count, err));
    int64_t total = count_rows(rows, count), i = 0;
    uint64_t room = bytes_max > 0 ? (uint64_t)bytes_max : 0;
    for (; i < total; i++) {
        uint64_t size = load_pair(page, i).size;
        if (size > room)
            break;
        room -= size;
    }
    *fitting = i == 0 && total > 0 ? 1 : i;
    return RWL_OK;
}

/* --- bytes --- */

static rwl_status check_size(const blob_page *page, int64_t rows, rwl_error *err) {
    uint64_t total = 0;
    for (int64_t i = 0; i < rows; i++) {
        pair p = load_pair(page, i);
        if (p.size > INT64_MAX || p.position > INT64_MAX)
            return rwl_fail(err, RWL_CORRUPT, "blob %lld: %llu bytes at %llu", (long long)i,
                            (unsigned long long)p.size, (unsigned long long)p.position);
        if (__builtin_add_overflow(total, p.size, &total))
            return rwl_fail(err, RWL_CORRUPT, "blobs: sizes of %lld rows overflow", (long long)rows);
    }
    if (total > (uint64_t)WANTED_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%llu bytes of blobs in %lld rows at once, limit %lld",
                        (unsigned long long)total, (long long)rows, (long long)WANTED_MAX);
    return RWL_OK;
}

static rwl_status want_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t *number,
                             rwl_error *err) {
    blob_page *page = (blob_page *)base;
    RWL_TRY(load_pairs(page, rows, count, err));
    int64_t total = count_rows(rows, count);
    RWL_TRY(check_size(page, total, err));
    bool is_first = true;
    *number = 0;
    for (int64_t i = 0; i < total; i++) {
        pair p = load_pair(page, i);
        size_t piece;
        if (p.size == 0)
            continue;
        RWL_TRY(rwl_lance_fetch_want(base->fetch, (int64_t)p.position, (int64_t)p.size, &piece, err));
        if (is_first)
            *number = piece;
        is_first = false;
    }
    return RWL_OK;
}

/* The definition level of row i; its bytes, from the next piece. */
static rwl_status read_blob(blob_page *page, int64_t i, size_t *number, uint16_t *def, rwl_span *bytes,
                            rwl_error *err) {
    pair p = load_pair(page, i);
    *bytes = rwl_span_of("", 0);
    *def = 0;
    if (p.size > 0)
        return rwl_lance_fetch_get(page->base.fetch, (*number)++, bytes, err);
    if (p.position >> 32 != 0)
        return rwl_fail(err, RWL_CORRUPT, "blob %lld: levels 0x%llx", (long long)i,
                        (unsigned long long)p.position);
    if ((p.position & 0xffff) != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "blobs in lists");
    *def = (uint16_t)(p.position >> 16);
    if (*def > page->base.levels.max_visible)
        return rwl_fail(err, RWL_CORRUPT, "blob %lld: definition level %u of %d", (long long)i, *def,
                        page->base.levels.max_visible);
    return RWL_OK;
}

static rwl_status read_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t number,
                             rwl_lance_leaf *leaf, rwl_error *err) {
    blob_page *page = (blob_page *)base;
    int64_t total = count_rows(rows, count);
    if (!are_loaded(page, rows, count))
        return rwl_fail(err, RWL_INTERNAL, "blobs of rows that were not wanted");
    uint16_t def[BATCH];
    for (int64_t i = 0; i < total;) {
        int64_t batch = total - i < BATCH ? total - i : BATCH;
        for (int64_t k = 0; k < batch; k++, i++) {
            rwl_span bytes;
            RWL_TRY(read_blob(page, i, &number, &def[k], &bytes, err));
            RWL_TRY(rwl_lance_leaf_add_same(leaf, bytes, 1, err));
        }
        RWL_TRY(rwl_lance_leaf_add_entries(leaf, &base->levels, NULL, def, batch, batch, err));
    }
    return RWL_OK;
}

static void close_blobs(rwl_lance_page_reader *base) {
    blob_page *page = (blob_page *)base;
    rwl_lance_page_close(page->pairs_page);
    rwl_lance_fetch_clear(&page->fetch);
    rwl_lance_leaf_clear(&page->pairs);
    rwl_vec_clear(&page->loaded, base->op->env);
    rwl_free(base->op->env, page);
}

static const rwl_lance_page_vtable blob_vtable = {want_blobs, read_blobs, close_blobs, fit_blobs};

/* --- opening --- */

static void make_nodes(blob_page *page) {
    for (int i = 0; i < 2; i++)
        page->halves[i] = (rwl_lance_node){.form = RWL_LANCE_FIXED,
                                           .bits = 64,
                                           .offset = 64 * i,
                                           .logical_type = "uint64",
                                           .parent = &page->node};
    page->node = (rwl_lance_node){.form = RWL_LANCE_PACKED,
                                  .bits = 8 * PAIR_LEN,
                                  .logical_type = "struct",
                                  .node_count = 3,
                                  .children = page->halves,
                                  .child_count = 2};
}

static rwl_status open_pairs(blob_page *page, const rwl_lance_page_request *request, rwl_error *err) {
    const rwl_lance_layout *inner = request->layout->inner;
    make_nodes(page);
    RWL_TRY(rwl_lance_leaf_init(&page->pairs, request->op->env, &page->node, err));
    if (inner->kind == RWL_LANCE_LAYOUT_BLOB)
        return rwl_fail(err, RWL_CORRUPT, "blobs: their places are blobs themselves");
    rwl_status st = rwl_lance_leaf_check_layers(&page->pairs, inner, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "places of blobs");
    rwl_lance_page_request places = *request;
    places.layout = inner;
    places.leaf = &page->pairs;
    places.fetch = &page->fetch;
    return rwl_lance_page_open(&places, &page->pairs_page, err);
}

rwl_status rwl_lance_blob_open(const rwl_lance_page_request *request, rwl_lance_page_reader **out,
                               rwl_error *err) {
    *out = NULL;
    if (request->leaf->node->form != RWL_LANCE_BYTES)
        return rwl_fail(err, RWL_CORRUPT, "blobs in a field of type %s", request->leaf->node->logical_type);
    if (request->leaf->list_count > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "blobs in lists");
    blob_page *page = rwl_calloc(request->op->env, 1, sizeof *page);
    if (page == NULL)
        return rwl_no_memory(err, sizeof *page);
    rwl_lance_page_init(&page->base, &blob_vtable, request);
    rwl_lance_fetch_init(&page->fetch, request->file, request->op);
    rwl_status st = open_pairs(page, request, err);
    if (st != RWL_OK) {
        close_blobs(&page->base);
        return st;
    }
    *out = &page->base;
    return RWL_OK;
}
