/* SPDX-License-Identifier: Apache-2.0 */
/* Row groups of a reader: which bytes hold the wanted rows, asked for ahead. */
#include "parquet/reader_internal.h"

void rwl_parquet_reader_close_fetch(rwl_parquet_reader *r, int slot, bool is_cancelled) {
    rwl_parquet_reader_fetch *f = &r->fetches[slot];
    r->stats.requests += f->fetch.requests;
    r->stats.bytes_read += f->fetch.bytes;
    rwl_parquet_fetch_clear(&f->fetch, is_cancelled);
    rwl_arena_reset(&f->arena);
    f->group = RWL_PARQUET_NO_GROUP;
}

/* --- wanted rows of a group --- */

static int64_t range_end(const rwl_range *range) {
    return range->start + range->count;
}

static int64_t group_end(const rwl_parquet_group *group) {
    return group->first_row + group->row_count;
}

/* The first of `count` ascending ranges that ends behind `row`. */
static size_t find_range(const rwl_range *ranges, size_t count, int64_t row) {
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (range_end(&ranges[middle]) <= row)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static bool is_whole(const rwl_parquet_reader *r, const rwl_parquet_group *group) {
    size_t i = find_range(r->ranges, r->range_count, group->first_row);
    return i < r->range_count && r->ranges[i].start <= group->first_row &&
           range_end(&r->ranges[i]) >= group_end(group);
}

/* --- extents --- */

typedef RWL_VEC(rwl_parquet_extent) extent_list;

/* The extents of the pages of `leaf` from offset `from` on that hold rows of `ranges` (physical). */
static rwl_status add_pages(const rwl_parquet_reader *r, const rwl_parquet_group *group, int32_t leaf,
                            const rwl_parquet_offset_index *index, const rwl_range *ranges, size_t count,
                            int64_t from, extent_list *out, rwl_error *err) {
    size_t at = 0;
    for (int32_t i = 0; i < index->page_count; i++) {
        const rwl_parquet_page_place *page = &index->pages[i];
        int64_t first = group->first_row + page->first_row;
        int64_t next =
            i + 1 < index->page_count ? group->first_row + index->pages[i + 1].first_row : group_end(group);
        while (at < count && range_end(&ranges[at]) <= first)
            at++;
        if (at == count)
            break;
        if (ranges[at].start >= next || page->off < from)
            continue;
        rwl_parquet_extent e = {page->off, page->off + page->len, leaf};
        RWL_TRY(rwl_vec_push(out, r->env, e, err));
    }
    return RWL_OK;
}

static int64_t chunk_start(const rwl_parquet_chunk *chunk) {
    return chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
}

/* What lies before the first data page: a dictionary, if anything. */
static rwl_status add_front(const rwl_parquet_reader *r, int32_t leaf, int64_t start, int64_t first_page,
                            extent_list *out, rwl_error *err) {
    rwl_parquet_extent e = {start, first_page, leaf};
    return first_page > start ? rwl_vec_push(out, r->env, e, err) : (rwl_status)RWL_OK;
}

static rwl_status add_leaf(const rwl_parquet_reader *r, const rwl_parquet_reader_fetch *f, int32_t leaf,
                           extent_list *out, rwl_error *err) {
    const rwl_parquet_group *group = &r->file->groups[f->group];
    const rwl_parquet_chunk *chunk = &group->chunks[r->leaves[leaf]];
    const rwl_parquet_offset_index *index = f->indexes[leaf];
    int64_t start = chunk_start(chunk);
    if (!index) {
        rwl_parquet_extent e = {start, start + chunk->compressed_size, leaf};
        return chunk->compressed_size > 0 ? rwl_vec_push(out, r->env, e, err) : (rwl_status)RWL_OK;
    }
    if (r->is_taking)
        return RWL_OK; /* page by page, as rows are taken */
    size_t first = find_range(r->ranges, r->range_count, group->first_row);
    RWL_TRY(add_front(r, leaf, start, index->pages[0].off, out, err));
    return add_pages(r, group, leaf, index, r->ranges + first, r->range_count - first, 0, out, err);
}

static rwl_status want_group(rwl_parquet_reader *r, rwl_parquet_reader_fetch *f, rwl_error *err) {
    extent_list extents = {0};
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < r->leaf_count && st == RWL_OK; i++)
        st = add_leaf(r, f, i, &extents, err);
    if (st == RWL_OK)
        st = rwl_parquet_fetch_want(&f->fetch, extents.items, extents.len, err);
    rwl_vec_clear(&extents, r->env);
    return st;
}

/* Offset indexes where not all rows of the group are wanted. A damaged one is as good as none. */
static rwl_status load_indexes(rwl_parquet_reader *r, rwl_parquet_reader_fetch *f, rwl_error *err) {
    f->indexes = rwl_arena_array(&f->arena, (size_t)r->leaf_count + 1, sizeof(rwl_parquet_offset_index *));
    if (!f->indexes)
        return rwl_no_memory(err, (size_t)r->leaf_count * sizeof(rwl_parquet_offset_index *));
    if (!r->is_taking && is_whole(r, &r->file->groups[f->group]))
        return RWL_OK;
    for (int32_t i = 0; i < r->leaf_count; i++) {
        rwl_error ignored = {0};
        rwl_status st = rwl_parquet_index_load_offsets(&r->source, f->group, r->leaves[i], &f->arena,
                                                       &f->indexes[i], &ignored);
        if (st == RWL_INTERRUPTED || st == RWL_NO_MEMORY || st == RWL_IO) {
            *err = ignored;
            return st;
        }
        if (st != RWL_OK || (f->indexes[i] && f->indexes[i]->page_count == 0))
            f->indexes[i] = NULL;
    }
    return RWL_OK;
}

/* Asks for the wanted bytes of group `g`. */
static rwl_status start_fetch(rwl_parquet_reader *r, int slot, int32_t g, rwl_error *err) {
    rwl_parquet_reader_fetch *f = &r->fetches[slot];
    rwl_parquet_reader_close_fetch(r, slot, false);
    f->group = g;
    rwl_status st = load_indexes(r, f, err);
    if (st == RWL_OK)
        st = rwl_parquet_fetch_open(&f->fetch, r->handle, r->op, &r->spares, r->window, &r->file->groups[g],
                                    r->leaves, r->leaf_count, err);
    if (st == RWL_OK)
        st = want_group(r, f, err);
    if (st != RWL_OK)
        rwl_parquet_reader_close_fetch(r, slot, false);
    return st;
}

/* --- opening --- */

/* Asks for the first ranges of the next group with wanted rows. What goes wrong comes up again when its turn comes. */
static void read_ahead(rwl_parquet_reader *r) {
    const rwl_parquet_file *file = r->file;
    int32_t g = r->group + 1;
    for (; g < file->group_count; g++) {
        size_t i = find_range(r->ranges, r->range_count, file->groups[g].first_row);
        if (i == r->range_count)
            return;
        if (file->groups[g].row_count > 0 && r->ranges[i].start < group_end(&file->groups[g]))
            break;
    }
    rwl_error ignored = {0};
    if (g < file->group_count && start_fetch(r, 1 - r->now, g, &ignored) != RWL_OK)
        r->fetches[1 - r->now].group = RWL_PARQUET_NO_GROUP;
}

static rwl_status start_column(rwl_parquet_reader *r, rwl_parquet_reader_column *c, rwl_parquet_feed **feeds,
                               rwl_error *err) {
    rwl_parquet_reader_fetch *f = &r->fetches[r->now];
    for (int32_t i = 0; i < c->leaf_count; i++)
        feeds[i] = &f->fetch.feeds[c->first_leaf + i];
    RWL_TRY(rwl_parquet_tree_start(c->tree, feeds, &r->file->groups[r->group], err));
    for (int32_t i = 0; i < c->leaf_count; i++)
        rwl_parquet_tree_index(c->tree, i, f->indexes[c->first_leaf + i]);
    c->at = r->file->groups[r->group].first_row;
    return RWL_OK;
}

rwl_status rwl_parquet_reader_open_group(rwl_parquet_reader *r, rwl_error *err) {
    rwl_parquet_reader_close_fetch(r, r->now, false);
    r->now = 1 - r->now;
    if (r->fetches[r->now].group != r->group)
        RWL_TRY(start_fetch(r, r->now, r->group, err));
    if (!r->is_taking)
        read_ahead(r);
    for (int32_t i = 0; i < r->leaf_count; i++)
        r->wanted_to[i] = 0;
    rwl_parquet_feed **feeds = rwl_calloc(r->env, (size_t)r->leaf_count + 1, sizeof(rwl_parquet_feed *));
    if (!feeds)
        return rwl_no_memory(err, (size_t)r->leaf_count * sizeof(rwl_parquet_feed *));
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < r->column_count && st == RWL_OK; i++)
        st = start_column(r, &r->columns[i], feeds, err);
    rwl_free(r->env, feeds);
    r->is_open = st == RWL_OK;
    r->stats.groups_read += st == RWL_OK;
    return st;
}

/* --- taking --- */

static rwl_status want_leaf(rwl_parquet_reader *r, int32_t leaf, const rwl_range *ranges, size_t count,
                            extent_list *out, rwl_error *err) {
    const rwl_parquet_reader_fetch *f = &r->fetches[r->now];
    const rwl_parquet_group *group = &r->file->groups[r->group];
    const rwl_parquet_offset_index *index = f->indexes[leaf];
    if (!index)
        return RWL_OK;
    if (r->wanted_to[leaf] == 0) {
        r->wanted_to[leaf] = index->pages[0].off;
        RWL_TRY(
            add_front(r, leaf, chunk_start(&group->chunks[r->leaves[leaf]]), index->pages[0].off, out, err));
    }
    RWL_TRY(add_pages(r, group, leaf, index, ranges, count, r->wanted_to[leaf], out, err));
    if (out->len > 0 && out->items[out->len - 1].feed == leaf &&
        out->items[out->len - 1].end > r->wanted_to[leaf])
        r->wanted_to[leaf] = out->items[out->len - 1].end;
    return RWL_OK;
}

rwl_status rwl_parquet_reader_want(rwl_parquet_reader *r, const rwl_range *ranges, size_t count,
                                   rwl_error *err) {
    extent_list extents = {0};
    rwl_status st = RWL_OK;
    for (int32_t i = 0; i < r->leaf_count && st == RWL_OK; i++)
        st = want_leaf(r, i, ranges, count, &extents, err);
    if (st == RWL_OK)
        st = rwl_parquet_fetch_want(&r->fetches[r->now].fetch, extents.items, extents.len, err);
    rwl_vec_clear(&extents, r->env);
    return st;
}
