/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of copied pages without looking into them, and what holds of parts put side by side. */
#include "parquet/stitch_internal.h"

#include "parquet/stat_merge.h"

enum { FULL_PERCENT = 80 }; /* a bloom filter with more of its bits set says too little */

/* --- page indexes --- */

/* The bytes of a range, when they are in memory. */
static bool in_memory(const rwl_stitch_source *source, rwl_parquet_range range, rwl_span *out) {
    if (source->bytes == NULL || range.len <= 0 || range.off < source->off ||
        range.off + range.len > source->off + source->len)
        return false;
    *out = rwl_span_of(source->bytes + (range.off - source->off), (size_t)range.len);
    return true;
}

static rwl_status read_offsets(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_source *source = w->seg->source;
    const rwl_parquet_file *file = source->part.file;
    rwl_span bytes;
    if (in_memory(source, w->in->offset_index, &bytes)) {
        w->offsets = rwl_arena_alloc(&w->arena, sizeof *w->offsets);
        if (w->offsets == NULL)
            return rwl_no_memory(err, sizeof *w->offsets);
        return rwl_parquet_offset_index_parse(bytes, rwl_stitch_group_of(w->seg), w->in, &w->arena,
                                              w->offsets, err);
    }
    RWL_TRY(rwl_stitch_source_open(source, w->store, w->op, err));
    return rwl_parquet_offset_index_read(source->handle, w->op, file, w->seg->group, w->map->leaf, &w->arena,
                                         &w->offsets, err);
}

static rwl_status read_bounds(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_source *source = w->seg->source;
    const rwl_parquet_file *file = source->part.file;
    rwl_span bytes;
    if (in_memory(source, w->in->column_index, &bytes)) {
        w->bounds = rwl_arena_alloc(&w->arena, sizeof *w->bounds);
        if (w->bounds == NULL)
            return rwl_no_memory(err, sizeof *w->bounds);
        return rwl_parquet_column_index_parse(bytes, w->from, &w->arena, w->bounds, err);
    }
    RWL_TRY(rwl_stitch_source_open(source, w->store, w->op, err));
    return rwl_parquet_column_index_read(source->handle, w->op, file, w->seg->group, w->map->leaf, &w->arena,
                                         &w->bounds, err);
}

/* A damaged index is as good as none. */
static rwl_status forgive(rwl_status st) {
    return st == RWL_CORRUPT || st == RWL_UNSUPPORTED ? RWL_OK : st;
}

rwl_status rwl_stitch_facts_start(rwl_stitch_work *w, rwl_error *err) {
    if (w->has_index)
        return RWL_OK;
    w->has_index = true;
    w->offsets = NULL;
    w->bounds = NULL;
    rwl_arena_reset(&w->arena);
    if (w->in->offset_index.len == 0)
        return RWL_OK;
    rwl_status st = read_offsets(w, err);
    if (st != RWL_OK)
        w->offsets = NULL;
    RWL_TRY(forgive(st));
    if (w->offsets == NULL || w->in->column_index.len == 0)
        return RWL_OK;
    st = read_bounds(w, err);
    if (st != RWL_OK || (w->bounds != NULL && w->bounds->page_count != w->offsets->page_count))
        w->bounds = NULL;
    return forgive(st);
}

/* A bound of a type stored otherwise here; order stays. *ok false when it says nothing. */
static rwl_status convert_bound(rwl_stitch_work *w, rwl_span from, rwl_buf *to, bool *ok, rwl_error *err) {
    *ok = w->layout.stored_width > 0 && from.len == w->layout.stored_width;
    if (!*ok)
        return RWL_OK;
    rwl_buf_reset(&w->remapped);
    RWL_TRY(rwl_buf_append(&w->remapped, from.data, from.len, err));
    RWL_TRY(rwl_buf_reserve(&w->remapped, RWL_PARQUET_READ_SLACK, err));
    memset(w->remapped.data + from.len, 0, RWL_PARQUET_READ_SLACK);
    rwl_status st = rwl_stitch_convert_plain(w, rwl_buf_span(&w->remapped), 1, to, err);
    *ok = st == RWL_OK;
    return forgive(st);
}

/* `out` NULL where nothing is known. */
static rwl_status set_bound(rwl_stitch_work *w, rwl_span from, bool exact, rwl_parquet_stat_bound *to,
                            const rwl_parquet_stat_bound **out, rwl_error *err) {
    bool ok = true;
    *out = NULL;
    if (from.data == NULL)
        return RWL_OK;
    to->present = true;
    to->exact = exact;
    to->bytes.env = w->env;
    rwl_buf_reset(&to->bytes);
    if (w->map->converts)
        RWL_TRY(convert_bound(w, from, &to->bytes, &ok, err));
    else
        RWL_TRY(rwl_buf_append(&to->bytes, from.data, from.len, err));
    *out = ok ? to : NULL;
    return RWL_OK;
}

static rwl_status set_bounds(rwl_stitch_work *w, const rwl_parquet_stats *stats, bool exact_min,
                             bool exact_max, rwl_parquet_page_facts *facts, rwl_error *err) {
    RWL_TRY(set_bound(w, stats->min, exact_min, &w->min, &facts->min, err));
    return set_bound(w, stats->max, exact_max, &w->max, &facts->max, err);
}

rwl_status rwl_stitch_facts_page(rwl_stitch_work *w, const rwl_parquet_page_header *header, int32_t ordinal,
                                 int64_t off, rwl_parquet_page_facts *facts, rwl_error *err) {
    const rwl_parquet_stats *stats = NULL;
    bool is_only = header->value_count == w->in->value_count, exact_min = false, exact_max = false;
    *facts = (rwl_parquet_page_facts){.null_count = -1, .unencoded_bytes = -1};
    if (is_only) {
        stats = &w->in->stats;
        exact_min = stats->min_is_exact;
        exact_max = stats->max_is_exact;
        facts->unencoded_bytes = w->in->unencoded_bytes;
    } else {
        RWL_TRY(rwl_stitch_facts_start(w, err));
        bool known =
            w->offsets != NULL && ordinal < w->offsets->page_count && w->offsets->pages[ordinal].off == off;
        if (known && w->offsets->unencoded_bytes != NULL)
            facts->unencoded_bytes = w->offsets->unencoded_bytes[ordinal];
        if (known && w->bounds != NULL) {
            stats = &w->bounds->pages[ordinal];
            /* bounds of numbers are not cut */
            exact_min = exact_max = w->leaf->shape.physical != RWL_PARQUET_BYTE_ARRAY &&
                                    w->leaf->shape.physical != RWL_PARQUET_FIXED;
            if (w->bounds->null_pages[ordinal])
                facts->null_count = header->value_count;
        }
    }
    if (w->from->max_definition == 0 || (w->is_flat && w->in->stats.null_count == 0))
        facts->null_count = 0;
    else if (stats != NULL && w->is_flat && stats->null_count >= 0 &&
             stats->null_count <= header->value_count)
        facts->null_count = stats->null_count;
    if (header->type == RWL_PARQUET_DATA_PAGE_V2)
        facts->null_count = header->null_count;
    if (stats != NULL)
        RWL_TRY(set_bounds(w, stats, exact_min, exact_max, facts, err));
    bool is_null = facts->null_count == header->value_count;
    w->lacks_min |= facts->min == NULL && !is_null;
    w->lacks_max |= facts->max == NULL && !is_null;
    return RWL_OK;
}

static rwl_span bound_span(const rwl_parquet_stat_bound *bound) {
    return bound != NULL ? rwl_buf_span(&bound->bytes) : rwl_span_of(NULL, 0);
}

/* Bounds of a chunk kept in part are those of its pages, where these have some. */
rwl_status rwl_stitch_facts_chunk(rwl_stitch_work *w, rwl_error *err) {
    rwl_parquet_stats stats = w->in->stats;
    bool is_whole = w->seg->is_whole;
    rwl_parquet_page_facts facts;
    if (!is_whole)
        stats.min_is_exact = stats.max_is_exact = false;
    if (!w->is_flat || (!is_whole && stats.null_count != 0)) /* no nulls in all, none in part */
        stats.null_count = -1;
    else if (stats.null_count >= 0) /* some are in pages that know them */
        stats.null_count = stats.null_count >= w->nulls_before ? stats.null_count - w->nulls_before : -1;
    RWL_TRY(set_bounds(w, &stats, stats.min_is_exact, stats.max_is_exact, &facts, err));
    stats.min = is_whole || w->lacks_min ? bound_span(facts.min) : rwl_span_of(NULL, 0);
    stats.max = is_whole || w->lacks_max ? bound_span(facts.max) : rwl_span_of(NULL, 0);
    return rwl_parquet_chunk_stats(w->chunk, &stats, err);
}

/* --- order --- */

static int32_t leaf_of(const rwl_stitch_segment *seg, const rwl_parquet_write_schema *schema, int32_t leaf) {
    for (int32_t i = 0; i < schema->leaf_count; i++)
        if (seg->source->maps[i].leaf == leaf && !seg->source->maps[i].converts)
            return i;
    return -1;
}

/* Whether segments in a row are ordered by the column, as bounds tell; *strict when no value is on both sides. */
static bool follows(const rwl_parquet_write_leaf *leaf, int32_t index, const rwl_stitch_segment *a,
                    const rwl_stitch_segment *b, bool descending, bool *strict) {
    const rwl_parquet_stats *first = &rwl_stitch_group_of(a)->chunks[a->source->maps[index].leaf].stats;
    const rwl_parquet_stats *second = &rwl_stitch_group_of(b)->chunks[b->source->maps[index].leaf].stats;
    const rwl_parquet_stats *low = descending ? second : first, *high = descending ? first : second;
    bool is_float =
        leaf->shape.order == RWL_PARQUET_ORDER_FLOAT || leaf->shape.order == RWL_PARQUET_ORDER_DOUBLE;
    size_t width = leaf->shape.width;
    *strict = true;
    if (a->source == b->source && a->group == b->group) /* rows of one row group */
        return true;
    if (is_float || first->null_count != 0 || second->null_count != 0 || low->max.data == NULL ||
        high->min.data == NULL || !rwl_parquet_stat_ordered(leaf))
        return false;
    if (width > 0 && (low->max.len != width || high->min.len != width))
        return false;
    int order = rwl_parquet_stat_compare(leaf, low->max, high->min);
    *strict = order < 0;
    return order <= 0;
}

static bool same_sorting(const rwl_stitch_segment *seg, const rwl_parquet_write_schema *schema,
                         const rwl_parquet_sorting *want, int32_t k) {
    const rwl_parquet_group *group = rwl_stitch_group_of(seg);
    if (k >= group->sorting_count)
        return false;
    const rwl_parquet_sorting *have = &group->sorting[k];
    return leaf_of(seg, schema, have->leaf) == want->leaf && have->descending == want->descending &&
           have->nulls_first == want->nulls_first;
}

int32_t rwl_stitch_sorting(const rwl_parquet_write_schema *schema, const rwl_stitch_segment *segs,
                           size_t count, rwl_parquet_sorting *out, int32_t max) {
    const rwl_parquet_group *group = rwl_stitch_group_of(&segs[0]);
    bool strict = true; /* no value of the first column is on both sides of a border */
    int32_t kept = 0;
    for (int32_t k = 0; k < group->sorting_count && kept < max && strict; k++) {
        rwl_parquet_sorting sorting = group->sorting[k];
        sorting.leaf = leaf_of(&segs[0], schema, sorting.leaf);
        bool holds = sorting.leaf >= 0;
        for (size_t i = 1; holds && i < count; i++) {
            bool apart = true;
            holds = same_sorting(&segs[i], schema, &sorting, k) &&
                    (k > 0 || follows(&schema->leaves[sorting.leaf], sorting.leaf, &segs[i - 1], &segs[i],
                                      sorting.descending, &apart));
            strict = strict && apart;
        }
        if (!holds)
            break;
        out[kept++] =
            sorting; /* where values are equal across a border, those behind need not be in order there */
    }
    return kept;
}

/* --- bloom filters --- */

static bool is_power_of_two(uint32_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

static rwl_status read_bloom(rwl_stitch_work *w, const rwl_stitch_segment *seg, int32_t leaf,
                             rwl_parquet_bloom **out, rwl_error *err) {
    rwl_span bytes;
    *out = NULL;
    if (in_memory(seg->source, rwl_stitch_group_of(seg)->chunks[leaf].bloom, &bytes)) {
        rwl_parquet_bloom *bloom = rwl_arena_alloc(&w->arena, sizeof *bloom);
        if (bloom == NULL)
            return rwl_no_memory(err, sizeof *bloom);
        RWL_TRY(rwl_parquet_bloom_parse(bytes, &w->arena, bloom, err));
        *out = bloom;
        return RWL_OK;
    }
    RWL_TRY(rwl_stitch_source_open(seg->source, w->store, w->op, err));
    return rwl_parquet_bloom_read(seg->source->handle, w->op, seg->source->part.file, seg->group, leaf,
                                  &w->arena, out, err);
}

static bool has_blooms(const rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count) {
    bool some = false;
    for (size_t i = 0; i < count; i++) {
        const rwl_stitch_map *map = &segs[i].source->maps[w->leaf_index];
        if (map->leaf < 0)
            continue;
        const rwl_parquet_chunk *chunk = &rwl_stitch_group_of(&segs[i])->chunks[map->leaf];
        if (map->converts || chunk->bloom.off == 0)
            return false;
        some = true;
    }
    return some;
}

static bool says_too_little(const rwl_parquet_bloom *b) {
    size_t len = (size_t)b->block_count * RWL_PARQUET_BLOOM_BLOCK, set = 0;
    for (size_t i = 0; i < len; i++)
        set += (size_t)__builtin_popcount(b->blocks[i]);
    return set > len * 8 / 100 * FULL_PERCENT;
}

/* Or-s `from` into `to`, both folded to the smaller of their sizes. */
static void merge_bloom(rwl_parquet_bloom *to, rwl_parquet_bloom *from) {
    if (from->block_count > to->block_count)
        rwl_parquet_bloom_fold(from, to->block_count);
    else if (to->block_count > from->block_count)
        rwl_parquet_bloom_fold(to, from->block_count);
    size_t len = (size_t)to->block_count * RWL_PARQUET_BLOOM_BLOCK;
    for (size_t i = 0; i < len; i++)
        to->blocks[i] |= from->blocks[i];
}

/* The filter of all segments, its blocks allocated from env; none when one can't be read. */
static rwl_status merge_blooms(rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count,
                               rwl_parquet_bloom *sum, rwl_error *err) {
    for (size_t i = 0; i < count; i++) {
        int32_t leaf = segs[i].source->maps[w->leaf_index].leaf;
        rwl_parquet_bloom *bloom;
        if (leaf < 0)
            continue;
        rwl_arena_reset(&w->arena);
        rwl_status st = read_bloom(w, &segs[i], leaf, &bloom, err);
        rwl_stitch_source_rest(segs[i].source);
        if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED || (st == RWL_OK && bloom == NULL))
            return RWL_CORRUPT;
        RWL_TRY(st);
        if (!is_power_of_two(bloom->block_count))
            return RWL_CORRUPT;
        if (sum->blocks != NULL) {
            merge_bloom(sum, bloom);
            continue;
        }
        size_t len = (size_t)bloom->block_count * RWL_PARQUET_BLOOM_BLOCK;
        sum->blocks = rwl_alloc(w->env, len);
        if (sum->blocks == NULL)
            return rwl_no_memory(err, len);
        memcpy(sum->blocks, bloom->blocks, len);
        sum->block_count = bloom->block_count;
    }
    return RWL_OK;
}

rwl_status rwl_stitch_bloom(rwl_stitch_work *w, const rwl_stitch_segment *segs, size_t count,
                            rwl_error *err) {
    rwl_parquet_bloom sum = {NULL, 0};
    if (!has_blooms(w, segs, count))
        return RWL_OK;
    rwl_status st = merge_blooms(w, segs, count, &sum, err);
    if (st == RWL_OK && !says_too_little(&sum)) {
        rwl_parquet_chunk_take_bloom(w->chunk, sum);
        return RWL_OK;
    }
    rwl_free(w->env, sum.blocks);
    return st == RWL_CORRUPT ? RWL_OK : st;
}
