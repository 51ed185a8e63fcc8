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
#include "lancefile/blob_internal.h"
#include "lancefile/field_internal.h"

enum { PAIR_LEN = 16, BATCH = 1024 };

typedef struct blob_page {
    rwl_lance_page_reader base;
    rwl_lance_places places;
    rwl_lance_node node, halves[2];
} blob_page;

typedef struct pair {
    uint64_t position, size;
} pair;

static pair load_pair(const blob_page *page, int64_t i) {
    const uint8_t *at = page->places.leaf.values.values.data + i * PAIR_LEN;
    return (pair){rwl_load_le64(at), rwl_load_le64(at + 8)};
}

/* --- pairs --- */

static rwl_status load_pairs(blob_page *page, const rwl_range *rows, size_t count, rwl_error *err) {
    bool is_new;
    RWL_TRY(rwl_lance_places_load(&page->places, rows, count, &is_new, err));
    const rwl_lance_leaf *leaf = &page->places.leaf;
    if (leaf->slots != leaf->rows || leaf->def.count > 0)
        return rwl_fail(err, RWL_CORRUPT, "blobs: %lld places of %lld rows, %s null", (long long)leaf->slots,
                        (long long)leaf->rows, leaf->def.count > 0 ? "some" : "none");
    return RWL_OK;
}

static rwl_status measure_blobs(rwl_lance_page_reader *base, const rwl_range *ranges, size_t count,
                                int64_t rows, int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    blob_page *page = (blob_page *)base;
    RWL_TRY(load_pairs(page, ranges, count, err));
    uint64_t room = bytes_max > 0 ? (uint64_t)bytes_max : 0;
    for (*fitting = 0; *fitting < rows; ++*fitting) {
        uint64_t size = load_pair(page, *fitting).size;
        if (size > room)
            break;
        room -= size;
    }
    return RWL_OK;
}

static rwl_status fit_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count,
                            int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    blob_page *page = (blob_page *)base;
    return rwl_lance_places_fit(&page->places, base, measure_blobs, rows, count, bytes_max, fitting, err);
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
    if (total > (uint64_t)RWL_LANCE_BLOB_WANTED_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%llu bytes of blobs in %lld rows at once, limit %lld",
                        (unsigned long long)total, (long long)rows, (long long)RWL_LANCE_BLOB_WANTED_MAX);
    return RWL_OK;
}

static rwl_status want_blobs(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t *number,
                             rwl_error *err) {
    blob_page *page = (blob_page *)base;
    RWL_TRY(load_pairs(page, rows, count, err));
    int64_t total = rwl_lance_count_rows(rows, count);
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
    int64_t total = rwl_lance_count_rows(rows, count);
    if (!rwl_lance_places_are_loaded(&page->places, rows, count))
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
    rwl_lance_places_clear(&page->places);
    rwl_free(base->op->env, page);
}

static const rwl_lance_page_vtable blob_vtable = {
    .want = want_blobs, .read = read_blobs, .close = close_blobs, .fit = fit_blobs};

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
    make_nodes(page);
    rwl_status st = rwl_lance_places_open(&page->places, request, request->layout->inner, &page->node, err);
    if (st != RWL_OK) {
        close_blobs(&page->base);
        return st;
    }
    *out = &page->base;
    return RWL_OK;
}
