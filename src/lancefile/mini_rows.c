/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of mini-block chunks: a chunk that is wanted whole is decoded where it belongs, another aside and copied from there. */
#include "lancefile/mini_internal.h"

/* --- decoding a chunk --- */

static rwl_status reserve_levels(rwl_lance_mini_page *p, rwl_lance_mini_levels *room, int64_t count,
                                 rwl_error *err) {
    int64_t need = (count + RWL_LANCE_PACK - 1) / RWL_LANCE_PACK * RWL_LANCE_PACK;
    if (need <= room->cap)
        return RWL_OK;
    uint16_t *items =
        rwl_realloc(p->base.op->env, room->items, (size_t)need * sizeof *items); /* 128 KiB at most */
    if (items == NULL)
        return rwl_no_memory(err, (size_t)need * sizeof *items);
    room->items = items;
    room->cap = need;
    return RWL_OK;
}

static rwl_status decode_levels(rwl_lance_mini_page *p, const rwl_lance_codec *codec, rwl_span in,
                                int64_t count, rwl_lance_mini_levels *room, rwl_error *err) {
    RWL_TRY(reserve_levels(p, room, count, err));
    return rwl_lance_block_fixed(p->base.general, p->base.op->env, codec, in, count, 16, room->items, err);
}

/* Entries that begin a row, and entries that are visible. */
static int64_t count_equal(const uint16_t *levels, int64_t count, int32_t level) {
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        n += levels[i] == level;
    return n;
}
static int64_t count_up_to(const uint16_t *levels, int64_t count, int32_t level) {
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        n += levels[i] <= level;
    return n;
}

/* Levels agree with what the tables tell of the chunk. */
static rwl_status check_chunk(const rwl_lance_mini_page *p, int32_t i, const rwl_lance_mini_parts *parts,
                              rwl_error *err) {
    const rwl_lance_mini_chunk *chunk = &p->table.chunks[i];
    int64_t entries = parts->level_count, visible = entries;
    if (p->base.layout->def != NULL && p->base.levels.max_visible < p->base.levels.level_count - 1)
        visible = count_up_to(p->def.items, entries, p->base.levels.max_visible);
    if (visible != parts->value_count)
        return rwl_fail(err, RWL_CORRUPT, "levels of %lld values, but %lld values", (long long)visible,
                        (long long)parts->value_count);
    if (!p->has_lists)
        return RWL_OK;
    int64_t starts = count_equal(p->rep.items, entries, p->base.levels.max_rep);
    bool is_continued = entries > 0 && p->rep.items[0] != p->base.levels.max_rep;
    if (starts != chunk[1].first_row - chunk->first_row || is_continued != chunk->is_continued)
        return rwl_fail(err, RWL_CORRUPT, "%lld rows begin%s, but by the repetition index %lld%s",
                        (long long)starts, is_continued ? " behind one that goes on" : "",
                        (long long)(chunk[1].first_row - chunk->first_row),
                        chunk->is_continued ? " behind one that goes on" : "");
    return RWL_OK;
}

/* Definition levels of the slots, when one is not 0 and it matters: variable-length nulls are empty, indices of nulls may be any. */
static rwl_status find_slot_def(rwl_lance_mini_page *p, const rwl_lance_mini_parts *parts,
                                const uint16_t **out, rwl_error *err) {
    *out = NULL;
    if (p->base.layout->def == NULL || (p->aside.width_bits > 0 && p->values.index_bits == 0))
        return RWL_OK;
    int64_t entries = parts->level_count;
    if (count_equal(p->def.items, entries, 0) == entries)
        return RWL_OK;
    *out = p->def.items;
    if (entries == parts->value_count)
        return RWL_OK;
    RWL_TRY(reserve_levels(p, &p->slot_def, entries, err));
    int64_t slot = 0;
    for (int64_t i = 0; i < entries; i++) {
        p->slot_def.items[slot] = p->def.items[i];
        slot += p->def.items[i] <= p->base.levels.max_visible;
    }
    *out = p->slot_def.items;
    return RWL_OK;
}

static rwl_status read_levels(rwl_lance_mini_page *p, const rwl_lance_mini_parts *parts, rwl_error *err) {
    const rwl_lance_layout *layout = p->base.layout;
    if (p->has_lists)
        RWL_TRY(decode_levels(p, layout->rep, parts->rep, parts->level_count, &p->rep, err));
    if (layout->def != NULL)
        RWL_TRY(decode_levels(p, layout->def, parts->def, parts->level_count, &p->def, err));
    return RWL_OK;
}

static rwl_status split_chunk(const rwl_lance_mini_page *p, int32_t i, rwl_span bytes,
                              rwl_lance_mini_parts *parts, rwl_error *err) {
    const rwl_lance_mini_chunk *chunk = &p->table.chunks[i];
    RWL_TRY(rwl_lance_mini_split(p->base.layout, bytes, chunk[1].first_slot - chunk->first_slot, parts, err));
    if (!p->has_lists && p->base.layout->def == NULL && parts->level_count == 0)
        parts->level_count = (int32_t)parts->value_count; /* none are written where all are 0 */
    return RWL_OK;
}

/* Decodes chunk `i` behind what `leaf` has: levels, then values. */
static rwl_status decode_chunk(rwl_lance_mini_page *p, int32_t i, rwl_span bytes, rwl_lance_leaf *leaf,
                               rwl_error *err) {
    rwl_lance_mini_parts parts;
    const uint16_t *slot_def = NULL;
    p->chunk = -1;
    p->is_aside = false;
    RWL_TRY(split_chunk(p, i, bytes, &parts, err));
    RWL_TRY(read_levels(p, &parts, err));
    RWL_TRY(check_chunk(p, i, &parts, err));
    RWL_TRY(find_slot_def(p, &parts, &slot_def, err));
    p->values.keeps_indices = leaf == &p->aside;
    RWL_TRY(rwl_lance_mini_decode(&p->values, &parts, slot_def, leaf, err));
    p->chunk = i;
    p->level_count = parts.level_count;
    p->row = p->table.chunks[i].first_row - p->table.chunks[i].is_continued;
    p->entry = p->slot = 0;
    return RWL_OK;
}

rwl_status rwl_lance_mini_count_rows(rwl_lance_mini_page *p, int32_t i, rwl_span bytes, int64_t *starts,
                                     bool *is_continued, rwl_error *err) {
    rwl_lance_mini_parts parts;
    p->chunk = -1;
    RWL_TRY(split_chunk(p, i, bytes, &parts, err));
    RWL_TRY(decode_levels(p, p->base.layout->rep, parts.rep, parts.level_count, &p->rep, err));
    *starts = count_equal(p->rep.items, parts.level_count, p->base.levels.max_rep);
    *is_continued = parts.level_count > 0 && p->rep.items[0] != p->base.levels.max_rep;
    return RWL_OK;
}

/* --- rows of a chunk --- */

/* Goes on to where a row of the chunk begins, or to its end. */
static void seek_row(rwl_lance_mini_page *p, int64_t row) {
    const rwl_lance_mini_chunk *chunk = &p->table.chunks[p->chunk];
    int64_t begin = chunk->first_row - chunk->is_continued;
    if (!p->has_lists) {
        p->row = row;
        p->entry = p->slot = row - begin;
        return;
    }
    if (row < p->row) {
        p->row = begin;
        p->entry = p->slot = 0;
    }
    const uint16_t *rep = p->rep.items;
    const uint16_t *def = p->base.layout->def != NULL ? p->def.items : NULL;
    int64_t entry = p->entry;
    for (; p->row < row && entry < p->level_count; p->row++) {
        do {
            p->slot += def == NULL || def[entry] <= p->base.levels.max_visible;
            entry++;
        } while (entry < p->level_count && rep[entry] != p->base.levels.max_rep);
    }
    p->entry = entry;
}

/* Copies slots that lie aside. */
static rwl_status copy_slots(const rwl_lance_mini_page *p, int64_t from, int64_t count, rwl_lance_leaf *leaf,
                             rwl_error *err) {
    const rwl_lance_leaf *aside = &p->aside;
    if (leaf->width_bits == 0 && p->values.index_bits > 0)
        return rwl_lance_mini_gather(&p->values, from, count, leaf, err);
    if (leaf->width_bits == 0)
        return leaf->node->form == RWL_LANCE_BYTES
                   ? rwl_lance_leaf_add_bytes(leaf, &aside->values, from, count, err)
                   : rwl_lance_leaf_add_same(leaf, rwl_span_of(NULL, 0), count, err);
    RWL_TRY(rwl_lance_leaf_add_fixed(leaf, aside->values.values.data, from, count, err));
    int64_t items;
    for (int level = 0; (items = rwl_lance_leaf_items(leaf, level)) > 0; level++) {
        const uint8_t *bits = rwl_lance_leaf_item_validity(aside, level);
        if (bits != NULL)
            RWL_TRY(rwl_lance_leaf_add_item_validity(leaf, level, bits, from * items, count, err));
    }
    return RWL_OK;
}

static rwl_status add_entries(rwl_lance_mini_page *p, int64_t from, int64_t count, int64_t rows,
                              rwl_lance_leaf *leaf, rwl_error *err) {
    return rwl_lance_leaf_add_entries(leaf, &p->base.levels, p->has_lists ? p->rep.items + from : NULL,
                                      p->base.layout->def != NULL ? p->def.items + from : NULL, count, rows,
                                      err);
}

/* Appends rows [start, end) as far as the chunk, which lies aside, has them. */
static rwl_status copy_rows(rwl_lance_mini_page *p, int64_t start, int64_t end, rwl_lance_leaf *leaf,
                            rwl_error *err) {
    const rwl_lance_mini_chunk *chunk = &p->table.chunks[p->chunk];
    seek_row(p, start);
    int64_t entry = p->entry, slot = p->slot;
    seek_row(p, end);
    RWL_TRY(copy_slots(p, slot, p->slot - slot, leaf, err));
    int64_t first = start > chunk->first_row ? start : chunk->first_row; /* that begins in this chunk */
    return add_entries(p, entry, p->entry - entry, end - first, leaf, err);
}

rwl_status rwl_lance_mini_read_chunk(rwl_lance_mini_page *p, int32_t i, rwl_span bytes,
                                     rwl_lance_mini_rows *rows, rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_mini_chunk *chunk = &p->table.chunks[i];
    int64_t begin = chunk->first_row - chunk->is_continued, end = chunk[1].first_row;
    bool is_ready = p->chunk == i && p->is_aside;
    const rwl_range *range = &rows->ranges[rows->at];
    if (!is_ready && range->count > 0 && range->start <= begin && range->start + range->count >= end) {
        RWL_TRY(decode_chunk(p, i, bytes, leaf, err));
        RWL_TRY(add_entries(p, 0, p->level_count, end - chunk->first_row, leaf, err));
    } else if (!is_ready) {
        rwl_lance_leaf_reset(&p->aside);
        RWL_TRY(decode_chunk(p, i, bytes, &p->aside, err));
        p->is_aside = is_ready = true;
    }
    for (; rows->at < rows->count; rows->at++) {
        int64_t start = rows->ranges[rows->at].start, stop = start + rows->ranges[rows->at].count;
        if (start >= end)
            return RWL_OK;
        int64_t from = start > begin ? start : begin, to = stop < end ? stop : end;
        if (is_ready && from < to)
            RWL_TRY(copy_rows(p, from, to, leaf, err));
        if (stop > end || (stop == end && chunk[1].is_continued)) /* the next chunk has more of it */
            return RWL_OK;
    }
    return RWL_OK;
}
