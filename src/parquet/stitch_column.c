/* SPDX-License-Identifier: Apache-2.0 */
/* One leaf of one row group: the pages of its segments in order, each copied, recoded or taken apart into rows. */
#include "parquet/stitch_internal.h"

enum {
    HEADER_FIRST = 256, /* bytes looked at for a header; more only when it is longer */
    HEADER_MAX = 1024 * 1024,
    AHEAD_WHOLE = 4 * 1024 * 1024, /* read at once of a chunk all of which is kept */
    AHEAD_PARTS = 64 * 1024,
    SMALL_PART = 8 /* pages of fewer than one in so many of a full page's rows are joined */
};

/* --- life --- */

rwl_status rwl_stitch_work_init(rwl_stitch_work *w, rwl_op *op, rwl_store *store, rwl_error *err) {
    w->env = op->env;
    w->op = op;
    w->store = store;
    w->feed.store = store;
    w->feed.op = op;
    rwl_arena_init(&w->arena, w->env, 0);
    rwl_buf *const bufs[] = {&w->plain,    &w->body,   &w->stored,    &w->levels,   &w->wide,
                             &w->remapped, &w->packed, &w->min.bytes, &w->max.bytes};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rwl_buf_init(bufs[i], w->env, SIZE_MAX);
    rwl_stitch_dictionary_init(w);
    return rwl_stitch_build_init(w, err);
}

void rwl_stitch_work_clear(rwl_stitch_work *w) {
    if (w->env == NULL)
        return;
    rwl_buf *const bufs[] = {&w->plain,    &w->body,   &w->stored,    &w->levels,   &w->wide,
                             &w->remapped, &w->packed, &w->min.bytes, &w->max.bytes};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rwl_buf_clear(bufs[i]);
    for (size_t i = 0; i < RWL_CODEC_COUNT; i++)
        rwl_codec_free(w->inflate[i]);
    rwl_vec_clear(&w->definitions, w->env);
    rwl_vec_clear(&w->repetitions, w->env);
    rwl_vec_clear(&w->places, w->env);
    rwl_stitch_dictionary_clear(w);
    rwl_stitch_build_clear(w);
    if (w->has_out)
        rwl_parquet_page_out_clear(&w->out);
    rwl_parquet_values_clear(&w->values);
    rwl_stitch_feed_clear(&w->feed);
    rwl_arena_clear(&w->arena);
    rwl_op_release(w->op, w->inflated);
}

rwl_stitch_coding rwl_stitch_coding_of(const rwl_parquet_chunk *chunk) {
    const uint32_t coded = 1u << RWL_PARQUET_PLAIN_DICTIONARY | 1u << RWL_PARQUET_RLE_DICTIONARY;
    const uint32_t levels = 1u << RWL_PARQUET_RLE | 1u << RWL_PARQUET_BIT_PACKED;
    if (chunk->all_dictionary)
        return RWL_STITCH_CODED;
    if ((chunk->encodings & coded) == 0)
        return RWL_STITCH_PLAIN;
    return (chunk->encodings & ~(coded | levels)) == 0 ? RWL_STITCH_CODED : RWL_STITCH_MIXED;
}

/* --- pages of a chunk --- */

static int64_t start_of(const rwl_parquet_chunk *chunk) {
    return chunk->dictionary_offset > 0 ? chunk->dictionary_offset : chunk->data_offset;
}

static rwl_status read_header(rwl_stitch_work *w, int64_t off, size_t ahead, rwl_parquet_page_header *h,
                              size_t *len, rwl_error *err) {
    for (size_t want = HEADER_FIRST;; want *= 4) {
        rwl_span bytes;
        rwl_error first = {0};
        RWL_TRY(rwl_stitch_peek(&w->feed, off, want, ahead, &bytes, err));
        if (bytes.len == 0)
            return rwl_fail(err, RWL_CORRUPT, "chunk ends before its values do");
        rwl_status st = rwl_parquet_page_parse(bytes, h, len, &first);
        if (st == RWL_OK && h->compressed_size > w->feed.end - off - (int64_t)*len)
            return rwl_fail(err, RWL_CORRUPT, "page of %d bytes at offset %lld passes the end of its chunk",
                            h->compressed_size, (long long)off);
        if (st == RWL_OK)
            return RWL_OK;
        if (bytes.len < want || want >= HEADER_MAX)
            return rwl_fail(err, st, "page header at offset %lld: %s", (long long)off, first.message);
    }
}

static rwl_status read_body(rwl_stitch_work *w, int64_t off, size_t ahead, const rwl_parquet_page_header *h,
                            rwl_span *body, rwl_error *err) {
    RWL_TRY(rwl_stitch_peek(&w->feed, off, (size_t)h->compressed_size, ahead, body, err));
    if (h->has_crc && rwl_crc32(0, *body) != h->crc)
        return rwl_fail(err, RWL_CORRUPT, "page at offset %lld: wrong checksum", (long long)off);
    return RWL_OK;
}

static bool is_data(const rwl_parquet_page_header *h) {
    return h->type == RWL_PARQUET_DATA_PAGE || h->type == RWL_PARQUET_DATA_PAGE_V2;
}

static bool is_coded(const rwl_parquet_page_header *h) {
    return h->encoding == RWL_PARQUET_PLAIN_DICTIONARY || h->encoding == RWL_PARQUET_RLE_DICTIONARY;
}

/* --- row borders of repeated columns --- */

/* Rows of the page, from its repetition levels. */
static rwl_status look_into(rwl_stitch_work *w, const rwl_parquet_page_header *h, int64_t off, size_t ahead,
                            rwl_stitch_place *place, rwl_error *err) {
    rwl_stitch_page p = {.header = *h};
    RWL_TRY(read_body(w, off, ahead, h, &p.body, err));
    RWL_TRY(rwl_stitch_page_open(w, &p, false, err));
    RWL_TRY(rwl_stitch_page_levels(w, &p, err));
    place->begins = w->repetitions.items[0] == 0;
    place->rows = 0;
    for (size_t i = 0; i < w->repetitions.len; i++)
        place->rows += w->repetitions.items[i] == 0;
    return RWL_OK;
}

/* One pass over the headers; rows from `how`. */
typedef enum row_source { FROM_INDEX, FROM_V2, FROM_LEVELS } row_source;

static bool place_by_index(const rwl_stitch_work *w, int64_t off, int64_t rows, rwl_stitch_place *place) {
    const rwl_parquet_offset_index *index = w->offsets;
    size_t at = w->places.len, count = (size_t)index->page_count;
    if (at >= count || index->pages[at].off != off || index->pages[at].first_row != rows)
        return false;
    int64_t end = at + 1 == count ? rwl_stitch_group_of(w->seg)->row_count : index->pages[at + 1].first_row;
    place->rows = end - rows;
    return true;
}

/* Where the rows of the next page are, whose header is at `off` and body at `body_off`; `rows` began before it. */
static rwl_status find_place(rwl_stitch_work *w, row_source how, const rwl_parquet_page_header *h,
                             int64_t off, int64_t body_off, int64_t rows, rwl_stitch_place *place,
                             bool *holds, rwl_error *err) {
    *place = (rwl_stitch_place){.first_row = rows, .begins = true};
    if (how == FROM_LEVELS) {
        RWL_TRY(look_into(w, h, body_off, AHEAD_WHOLE, place, err));
        if (rows == 0 && !place->begins)
            return rwl_fail(err, RWL_CORRUPT, "chunk begins in the middle of a row");
        place->first_row = rows - (place->begins ? 0 : 1);
        return RWL_OK;
    }
    place->rows = h->row_count;
    *holds = how == FROM_V2 ? h->type == RWL_PARQUET_DATA_PAGE_V2 : place_by_index(w, off, rows, place);
    *holds = *holds && place->rows > 0 && place->rows <= h->value_count;
    return RWL_OK;
}

static rwl_status walk_places(rwl_stitch_work *w, row_source how, bool *holds, rwl_error *err) {
    const rwl_parquet_group *group = rwl_stitch_group_of(w->seg);
    int64_t off = start_of(w->in), left = w->in->value_count, rows = 0;
    size_t ahead = how == FROM_LEVELS ? AHEAD_WHOLE : 0;
    *holds = true;
    w->places.len = 0;
    while (left > 0 && *holds) {
        rwl_parquet_page_header h;
        size_t len;
        RWL_TRY(read_header(w, off, ahead, &h, &len, err));
        if (is_data(&h) && h.value_count > 0) {
            rwl_stitch_place place;
            if (h.value_count > left)
                return rwl_fail(err, RWL_CORRUPT, "page of %d values where %lld are left", h.value_count,
                                (long long)left);
            left -= h.value_count;
            RWL_TRY(find_place(w, how, &h, off, off + (int64_t)len, rows, &place, holds, err));
            rows += place.rows;
            RWL_TRY(rwl_vec_push(&w->places, w->env, place, err));
        }
        off += (int64_t)len + h.compressed_size;
    }
    if (*holds && rows != group->row_count) {
        *holds = false;
        if (how == FROM_LEVELS)
            return rwl_fail(err, RWL_CORRUPT, "chunk of %lld rows in a row group of %lld", (long long)rows,
                            (long long)group->row_count);
    }
    return RWL_OK;
}

/* An index, which no checksum covers, does where all rows are kept: a wrong one can't mix up rows then. */
static rwl_status find_places(rwl_stitch_work *w, rwl_error *err) {
    bool holds = false;
    if (w->seg->is_whole)
        RWL_TRY(rwl_stitch_facts_start(w, err));
    if (w->offsets != NULL)
        RWL_TRY(walk_places(w, FROM_INDEX, &holds, err));
    if (!holds)
        RWL_TRY(walk_places(w, FROM_V2, &holds, err));
    return holds ? RWL_OK : walk_places(w, FROM_LEVELS, &holds, err);
}

/* --- pages in --- */

/* Rows of [first, first + rows) that are kept. */
static int64_t count_kept(rwl_stitch_work *w, int64_t first, int64_t rows) {
    const rwl_range *ranges = w->seg->ranges;
    int64_t end = first + rows, kept = 0;
    while (w->range < w->seg->range_count && ranges[w->range].start + ranges[w->range].count <= first)
        w->range++;
    for (size_t i = w->range; i < w->seg->range_count && ranges[i].start < end; i++) {
        int64_t from = ranges[i].start > first ? ranges[i].start : first;
        int64_t to = ranges[i].start + ranges[i].count;
        kept += (to < end ? to : end) - from;
    }
    return kept;
}

/* Whether the page, all rows of which are kept, goes to the chunk without its values being decoded. */
static bool goes_direct(const rwl_stitch_work *w, const rwl_stitch_page *p, bool is_alone) {
    const rwl_stitch_build *b = &w->build;
    bool holds_values = b->entries > b->nulls && !b->is_coded;
    if (!is_alone && (size_t)p->header.value_count < w->page_rows / SMALL_PART)
        return false;
    if (p->is_coded)
        return w->dictionary.is_joined && !holds_values && !rwl_parquet_chunk_left_dictionary(w->chunk);
    if (w->map->converts)
        return false;
    return rwl_parquet_chunk_left_dictionary(w->chunk) || holds_values || !rwl_stitch_wants_adding(w);
}

/* Pages held go first; what was known of them stays. */
static rwl_status begin_direct(rwl_stitch_work *w, rwl_error *err) {
    RWL_TRY(rwl_stitch_build_flush(w, err));
    if (w->is_direct)
        return RWL_OK;
    w->is_direct = true;
    rwl_parquet_stats nothing = {.null_count = -1};
    return rwl_parquet_chunk_stats(w->chunk, &nothing, err);
}

/* A page at hand: its place in the chunk. */
typedef struct position {
    int64_t off; /* of the header */
    size_t header_len, ahead;
    int32_t ordinal;
    int64_t first_row, rows; /* rows it has a part of */
    int64_t begun;           /* rows that begin in it */
    bool is_closed;          /* it begins and ends where rows do */
    bool is_alone;           /* the only segment */
} position;

static rwl_status take_data(rwl_stitch_work *w, const rwl_parquet_page_header *h, const position *at,
                            rwl_error *err) {
    int64_t kept = count_kept(w, at->first_row, at->rows);
    bool carries = w->seg->source->carries && h->encoding == RWL_PARQUET_DELTA_BYTE_ARRAY;
    if (kept == 0 && !carries)
        return RWL_OK;
    rwl_stitch_page p = {.header = *h, .is_coded = is_coded(h)};
    if (w->from->max_repetition > 0)
        p.place = &w->places.items[at->ordinal];
    RWL_TRY(read_body(w, at->off + (int64_t)at->header_len, at->ahead, h, &p.body, err));
    if (!rwl_parquet_values_supported(&w->layout, h->encoding))
        return rwl_fail(err, RWL_UNSUPPORTED, "encoding %s is not supported",
                        rwl_parquet_encoding_name(h->encoding));
    if (p.is_coded && !w->dictionary.is_there && h->value_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "indexes without a dictionary page");
    if (kept == at->rows && at->is_closed && !carries && goes_direct(w, &p, at->is_alone)) {
        rwl_parquet_page_facts facts;
        RWL_TRY(begin_direct(w, err));
        RWL_TRY(rwl_stitch_facts_page(w, h, at->ordinal, at->off, &facts, err));
        return rwl_stitch_page_copy(w, &p, at->begun, &facts, err);
    }
    return rwl_stitch_build_page(w, &p, at->first_row, err);
}

static void set_rows(const rwl_stitch_work *w, const rwl_parquet_page_header *h, int64_t row, position *at) {
    at->first_row = row;
    at->rows = at->begun = h->value_count;
    at->is_closed = true;
    if (w->from->max_repetition == 0)
        return;
    const rwl_stitch_place *place = &w->places.items[at->ordinal];
    bool is_last = (size_t)at->ordinal + 1 == w->places.len;
    at->first_row = place->first_row;
    at->begun = place->rows;
    at->rows = place->rows + (place->begins ? 0 : 1);
    at->is_closed = place->begins && (is_last || place[1].begins);
}

/* Headers told where rows are: the pages not needed have to agree, or the index. Of repeated columns they were read. */
static rwl_status check_rest(rwl_stitch_work *w, int64_t off, int64_t left, int64_t row, int32_t ordinal,
                             rwl_error *err) {
    if (w->from->max_repetition > 0)
        return RWL_OK;
    RWL_TRY(rwl_stitch_facts_start(w, err));
    if (w->offsets != NULL && ordinal < w->offsets->page_count && w->offsets->pages[ordinal].off == off &&
        w->offsets->pages[ordinal].first_row == row)
        return RWL_OK;
    while (left > 0) {
        rwl_parquet_page_header h;
        size_t len;
        RWL_TRY(read_header(w, off, 0, &h, &len, err));
        if (is_data(&h) && h.value_count > left)
            return rwl_fail(err, RWL_CORRUPT, "page of %d values where %lld are left", h.value_count,
                            (long long)left);
        left -= is_data(&h) ? h.value_count : 0;
        off += (int64_t)len + h.compressed_size;
    }
    return RWL_OK;
}

static rwl_status take_pages(rwl_stitch_work *w, bool is_alone, rwl_error *err) {
    int64_t off = start_of(w->in), left = w->in->value_count, row = 0;
    position at = {.ahead = w->seg->is_whole ? AHEAD_WHOLE : AHEAD_PARTS, .is_alone = is_alone};
    while (left > 0 && w->range < w->seg->range_count) {
        rwl_parquet_page_header h;
        at.off = off;
        RWL_TRY(read_header(w, off, at.ahead, &h, &at.header_len, err));
        if (h.type == RWL_PARQUET_DICTIONARY_PAGE) {
            rwl_span body;
            int64_t body_off = off + (int64_t)at.header_len;
            RWL_TRY(read_body(w, body_off, at.ahead, &h, &body, err));
            RWL_TRY(rwl_stitch_dictionary_page(w, &h, body, body_off, err));
        } else if (is_data(&h) && h.value_count > 0) {
            if (h.value_count > left)
                return rwl_fail(err, RWL_CORRUPT, "page of %d values where %lld are left", h.value_count,
                                (long long)left);
            if (w->page_type < 0)
                w->page_type = h.type;
            left -= h.value_count;
            set_rows(w, &h, row, &at);
            RWL_TRY(take_data(w, &h, &at, err));
            row = at.first_row + at.rows;
            at.ordinal++;
            (void)count_kept(w, row, 0); /* the ranges that end here are done */
        }
        off += (int64_t)at.header_len + h.compressed_size;
    }
    return left > 0 ? check_rest(w, off, left, row, at.ordinal, err) : RWL_OK;
}

/* --- segments --- */

static rwl_status begin_segment(rwl_stitch_work *w, const rwl_stitch_segment *seg, const rwl_stitch_map *map,
                                rwl_error *err) {
    w->seg = seg;
    w->map = map;
    w->from = &seg->source->part.file->leaves[map->leaf];
    w->in = &rwl_stitch_group_of(seg)->chunks[map->leaf];
    if (w->in->encrypted)
        return rwl_fail(err, RWL_UNSUPPORTED, "it is encrypted");
    if (!rwl_parquet_codec_of(w->in->codec, &w->in_codec))
        return rwl_fail(err, RWL_UNSUPPORTED, "codec %s is not supported",
                        rwl_parquet_codec_name(w->in->codec));
    int64_t rows = rwl_stitch_group_of(seg)->row_count;
    if (w->from->max_repetition == 0 && w->in->value_count != rows)
        return rwl_fail(err, RWL_CORRUPT, "%lld values in a row group of %lld rows",
                        (long long)w->in->value_count, (long long)rows);
    w->is_direct = w->has_index = false;
    w->nulls_before = 0;
    w->lacks_min = w->lacks_max = false;
    w->range = 0;
    w->offsets = NULL;
    w->bounds = NULL;
    w->feed.source = seg->source;
    w->feed.end = start_of(w->in) + w->in->compressed_size;
    w->feed.len = 0;
    rwl_stitch_dictionary_segment(w);
    rwl_stitch_build_segment(w);
    return w->from->max_repetition > 0 ? find_places(w, err) : RWL_OK;
}

static rwl_status take_segment(rwl_stitch_work *w, const rwl_stitch_segment *seg, const rwl_stitch_map *map,
                               bool is_alone, rwl_error *err) {
    RWL_TRY(begin_segment(w, seg, map, err));
    if (rwl_stitch_coding_of(w->in) != RWL_STITCH_PLAIN)
        w->coded_values -= w->in->value_count;
    RWL_TRY(take_pages(w, is_alone, err));
    if (!w->is_direct)
        return RWL_OK;
    RWL_TRY(rwl_stitch_build_flush(w, err));
    return rwl_stitch_facts_chunk(w, err);
}

static void begin_leaf(rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count) {
    w->expects_dictionary = false;
    w->coded_values = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t leaf = segs[i].source->maps[w->leaf_index].leaf;
        if (leaf < 0)
            continue;
        const rwl_parquet_chunk *chunk = &rwl_stitch_group_of(&segs[i])->chunks[leaf];
        if (rwl_stitch_coding_of(chunk) != RWL_STITCH_PLAIN) {
            w->expects_dictionary = true;
            w->coded_values += chunk->value_count;
        }
    }
}

static rwl_status take_segments(rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count,
                                rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        const rwl_stitch_map *map = &segs[i].source->maps[w->leaf_index];
        RWL_TRY(rwl_op_check(w->op, err));
        if (map->leaf < 0) {
            RWL_TRY(rwl_stitch_build_nulls(w, segs[i].rows, err));
            continue;
        }
        rwl_status st = take_segment(w, &segs[i], map, count == 1, err);
        rwl_stitch_source_rest(segs[i].source);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "%s: row group %d: column %s", segs[i].source->part.file->location,
                                segs[i].group, w->leaf->dotted);
    }
    return RWL_OK;
}

static rwl_status finish_leaf(rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count,
                              rwl_error *err) {
    RWL_TRY(rwl_stitch_build_flush(w, err));
    RWL_TRY(rwl_stitch_dictionary_finish(w, err));
    return rwl_stitch_bloom(w, segs, count, err);
}

rwl_status rwl_stitch_column(rwl_stitch_work *w, const rwl_parquet_write_leaf *leaf, int32_t index,
                             rwl_parquet_chunk_write *chunk, const rwl_stitch_segment *segs, size_t count,
                             rwl_error *err) {
    w->leaf = leaf;
    w->leaf_index = index;
    w->chunk = chunk;
    w->is_flat = leaf->max_repetition == 0 && leaf->max_definition <= 1;
    begin_leaf(w, segs, count);
    rwl_stitch_dictionary_start(w);
    RWL_TRY(rwl_stitch_build_start(w, err));
    RWL_TRY(take_segments(w, segs, count, err));
    rwl_status st = finish_leaf(w, segs, count, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "column %s", leaf->dotted);
}
