/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows of a mini-block page: opens its tables, asks for the chunks that hold the rows, reads one after another. */
#include "lancefile/mini_internal.h"

enum { SCAN_BYTES = 1024 * 1024 }; /* read at once to find rows without an index */

static rwl_lance_mini_page *of_reader(rwl_lance_page_reader *page) {
    return (rwl_lance_mini_page *)(void *)page;
}

/* --- the interface --- */

static int64_t file_offset(const rwl_lance_mini_page *p, int32_t chunk) {
    return p->base.page->buffers[1].offset + p->table.chunks[chunk].offset;
}

static rwl_status want_rows(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, size_t *number,
                            rwl_error *err) {
    rwl_lance_mini_page *p = of_reader(page);
    *number = page->fetch->pieces.len;
    RWL_TRY(rwl_lance_page_check_rows(page, rows, count, err));
    int32_t first = 0, last = 0;
    for (rwl_lance_mini_rows left = {rows, count, 0};
         rwl_lance_mini_next_run(&p->table, &left, &first, &last);) {
        if (p->is_aside && first == p->chunk)
            first++; /* `read` sees by the piece's offset that it is left out */
        if (first > last)
            continue;
        size_t piece = 0;
        RWL_TRY(rwl_lance_fetch_want(page->fetch, file_offset(p, first),
                                     p->table.chunks[last + 1].offset - p->table.chunks[first].offset, &piece,
                                     err));
    }
    return RWL_OK;
}

/* Fetches chunks by a fetch of its own, to be cleared also after a failure. */
static rwl_status fetch_chunks(const rwl_lance_mini_page *p, rwl_lance_fetch *own, int32_t first,
                               int32_t last, rwl_span *bytes, rwl_error *err) {
    size_t piece = 0;
    rwl_lance_fetch_init(own, p->base.file, p->base.op);
    RWL_TRY(rwl_lance_fetch_want(own, file_offset(p, first),
                                 p->table.chunks[last + 1].offset - p->table.chunks[first].offset, &piece,
                                 err));
    RWL_TRY(rwl_lance_fetch_submit(own, err));
    return rwl_lance_fetch_get(own, piece, bytes, err);
}

/* Reads a chunk that `want` left out because it lay aside, but which a step in between replaced. */
static rwl_status read_again(rwl_lance_mini_page *p, int32_t chunk, rwl_lance_mini_rows *rows,
                             rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_lance_fetch own;
    rwl_span bytes = {0};
    rwl_status st = fetch_chunks(p, &own, chunk, chunk, &bytes, err);
    if (st == RWL_OK)
        st = rwl_lance_mini_read_chunk(p, chunk, bytes, rows, leaf, err);
    rwl_lance_fetch_clear(&own);
    return st;
}

/* Rows of chunks [first, last], whose bytes are piece number *piece. */
static rwl_status read_run(rwl_lance_mini_page *p, int32_t first, int32_t last, size_t *piece,
                           rwl_lance_mini_rows *rows, rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_fetch *fetch = p->base.fetch;
    if (*piece >= fetch->pieces.len || fetch->pieces.items[*piece].offset != file_offset(p, first)) {
        rwl_status st = p->is_aside && p->chunk == first
                            ? rwl_lance_mini_read_chunk(p, first, rwl_span_of(NULL, 0), rows, leaf, err)
                            : read_again(p, first, rows, leaf, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "chunk %d", first);
        first++;
    }
    if (first > last)
        return RWL_OK;
    rwl_span bytes = {0};
    RWL_TRY(rwl_lance_fetch_get(p->base.fetch, (*piece)++, &bytes, err));
    int64_t base = p->table.chunks[first].offset;
    if ((int64_t)bytes.len != p->table.chunks[last + 1].offset - base)
        return rwl_fail(err, RWL_INTERNAL, "chunks %d to %d: other bytes than were asked for", first, last);
    for (int32_t i = first; i <= last; i++) {
        const rwl_lance_mini_chunk *chunk = &p->table.chunks[i];
        rwl_span one =
            rwl_span_of(bytes.data + (chunk->offset - base), (size_t)(chunk[1].offset - chunk->offset));
        rwl_status st = rwl_lance_mini_read_chunk(p, i, one, rows, leaf, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "chunk %d", i);
    }
    return RWL_OK;
}

static rwl_status read_rows(rwl_lance_page_reader *page, const rwl_range *rows, size_t count, size_t number,
                            rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_lance_mini_page *p = of_reader(page);
    RWL_TRY(rwl_lance_page_check_rows(page, rows, count, err));
    int32_t first = 0, last = 0;
    rwl_lance_mini_rows left = {rows, count, 0}, unread = left;
    while (rwl_lance_mini_next_run(&p->table, &left, &first, &last))
        RWL_TRY(read_run(p, first, last, &number, &unread, leaf, err));
    return RWL_OK;
}

static void close_page(rwl_lance_page_reader *page) {
    rwl_lance_mini_page *p = of_reader(page);
    const rwl_env *env = page->op->env;
    rwl_lance_mini_table_clear(&p->table, page->op);
    rwl_lance_mini_values_clear(&p->values);
    rwl_lance_leaf_clear(&p->aside);
    rwl_free(env, p->rep.items);
    rwl_free(env, p->def.items);
    rwl_free(env, p->slot_def.items);
    rwl_free(env, p);
}

/* --- opening --- */

/* Chunks [first, last], which `bytes` begins with; *row of the page begin before. */
static rwl_status scan_chunks(rwl_lance_mini_page *p, int32_t first, int32_t last, rwl_span bytes,
                              int64_t *row, rwl_error *err) {
    for (int32_t i = first; i <= last; i++) {
        rwl_lance_mini_chunk *chunk = &p->table.chunks[i];
        rwl_span one = rwl_span_of(bytes.data + (chunk->offset - p->table.chunks[first].offset),
                                   (size_t)(chunk[1].offset - chunk->offset));
        int64_t starts = 0;
        rwl_status st = rwl_lance_mini_count_rows(p, i, one, &starts, &chunk->is_continued, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "chunk %d", i);
        if (chunk->is_continued && *row == 0)
            return rwl_fail(err, RWL_CORRUPT, "chunk %d goes on with a row before the first", i);
        chunk->first_row = *row;
        *row += starts;
    }
    return RWL_OK;
}

/* Rows by the repetition levels themselves, a part of the page after another. */
static rwl_status scan_rows(rwl_lance_mini_page *p, rwl_error *err) {
    const rwl_lance_mini_chunk *chunks = p->table.chunks;
    int64_t row = 0;
    for (int32_t first = 0, last; first < p->table.count; first = last + 1) {
        for (last = first;
             last + 1 < p->table.count && chunks[last + 2].offset - chunks[first].offset <= SCAN_BYTES;)
            last++;
        rwl_lance_fetch own;
        rwl_span bytes = {0};
        rwl_status st = fetch_chunks(p, &own, first, last, &bytes, err);
        if (st == RWL_OK)
            st = scan_chunks(p, first, last, bytes, &row, err);
        rwl_lance_fetch_clear(&own);
        RWL_TRY(st);
    }
    p->table.chunks[p->table.count].first_row = row;
    if (row != p->base.page->row_count)
        return rwl_fail(err, RWL_CORRUPT, "repetition levels of %lld rows, the page has %lld", (long long)row,
                        (long long)p->base.page->row_count);
    return RWL_OK;
}

static rwl_status set_up(rwl_lance_mini_page *p, const rwl_span *buffers, rwl_error *err) {
    const rwl_lance_layout *layout = p->base.layout;
    const rwl_lance_page *page = p->base.page;
    RWL_TRY(rwl_lance_mini_table_read(&p->table, p->base.op, layout, page->row_count, buffers[0],
                                      page->buffers[1].length, err));
    size_t next = 1;
    if (layout->dictionary != NULL)
        RWL_TRY(rwl_lance_mini_read_dictionary(&p->values, &p->aside, buffers[next++], err));
    if (p->has_lists && layout->repetition_index_depth > 0)
        return rwl_lance_mini_table_set_rows(&p->table, layout, page->row_count, buffers[next], err);
    if (p->has_lists)
        return scan_rows(p, err);
    if (layout->item_count != page->row_count)
        return rwl_fail(err, RWL_CORRUPT, "%lld values for %lld rows", (long long)layout->item_count,
                        (long long)page->row_count);
    return RWL_OK;
}

/* Fetches all buffers but the chunks. */
static rwl_status read_tables(rwl_lance_mini_page *p, rwl_error *err) {
    const rwl_lance_page *page = p->base.page;
    size_t numbers[3] = {0}, count = 0;
    rwl_span buffers[3] = {{0}, {0}, {0}};
    rwl_lance_fetch fetch;
    rwl_lance_fetch_init(&fetch, p->base.file, p->base.op);
    rwl_status st = RWL_OK;
    for (int32_t i = 0; st == RWL_OK && i < page->buffer_count; i++)
        if (i != 1)
            st = rwl_lance_fetch_want(&fetch, page->buffers[i].offset, page->buffers[i].length,
                                      &numbers[count++], err);
    if (st == RWL_OK)
        st = rwl_lance_fetch_submit(&fetch, err);
    for (size_t i = 0; st == RWL_OK && i < count; i++)
        st = rwl_lance_fetch_get(&fetch, numbers[i], &buffers[i], err);
    if (st == RWL_OK)
        st = set_up(p, buffers, err);
    rwl_lance_fetch_clear(&fetch);
    return st;
}

static rwl_status check_layout(const rwl_lance_mini_page *p, rwl_error *err) {
    const rwl_lance_layout *layout = p->base.layout;
    if (layout->repetition_index_depth < 0 || layout->repetition_index_depth > RWL_LANCE_LAYERS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "repetition index of depth %d", layout->repetition_index_depth);
    if (layout->repetition_index_depth > 0 && !p->has_lists)
        return rwl_fail(err, RWL_CORRUPT, "repetition index of a page without lists");
    if (p->has_lists && layout->rep == NULL)
        return rwl_fail(err, RWL_CORRUPT, "lists without repetition levels");
    int32_t want = 2 + (layout->dictionary != NULL) + (layout->repetition_index_depth > 0);
    if (p->base.page->buffer_count != want)
        return rwl_fail(err, RWL_CORRUPT, "mini-block page of %d buffers, there have to be %d",
                        p->base.page->buffer_count, want);
    return RWL_OK;
}

static rwl_status open_page(rwl_lance_mini_page *p, const rwl_lance_page_request *request, rwl_error *err) {
    p->has_lists = p->base.levels.max_rep > 0;
    RWL_TRY(check_layout(p, err));
    RWL_TRY(rwl_lance_leaf_init(&p->aside, request->op->env, request->leaf->node, err));
    if (rwl_lance_leaf_is_bytes(request->leaf))
        rwl_lance_leaf_use_rows(&p->aside);
    RWL_TRY(rwl_lance_mini_values_init(&p->values, request->op, request->general, p->base.layout, err));
    return read_tables(p, err);
}

rwl_status rwl_lance_mini_open(const rwl_lance_page_request *request, rwl_lance_page_reader **out,
                               rwl_error *err) {
    static const rwl_lance_page_vtable VTABLE = {.want = want_rows, .read = read_rows, .close = close_page};
    rwl_lance_mini_page *p = rwl_calloc(request->op->env, 1, sizeof *p);
    if (p == NULL)
        return rwl_no_memory(err, sizeof *p);
    rwl_lance_page_init(&p->base, &VTABLE, request);
    p->chunk = -1;
    rwl_status st = open_page(p, request, err);
    if (st != RWL_OK) {
        close_page(&p->base);
        return st;
    }
    *out = &p->base;
    return RWL_OK;
}
