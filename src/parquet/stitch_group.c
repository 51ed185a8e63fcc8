/* SPDX-License-Identifier: Apache-2.0 */
/* One row group: the bytes of its segments read, then its leaves, one after the other. */
#include "parquet/stitch_internal.h"

enum {
    MADE_BYTES = 2,      /* a row of a made column takes about so many */
    EXPANSION_MAX = 1000 /* what is believed of an uncompressed size, by which row groups are cut */
};

/* --- sources and segments --- */

/* Whether the values of a field are made for rows of the source, rather than copied. */
bool rwl_stitch_makes(const rwl_parquet_stitch *s, const rwl_stitch_source *source, int32_t field) {
    if (!s->is_made[field] || source->part.from_file == NULL)
        return s->is_made[field];
    for (int32_t i = 0; i < s->options.made_count; i++)
        if (s->options.made[i] == field && source->part.from_file[i])
            return false;
    return true;
}

void rwl_stitch_source_free(rwl_parquet_stitch *s, rwl_stitch_source *source) {
    rwl_stitch_source_unload(source, s->op);
    rwl_parquet_close(source->part.file);
    rwl_arena_clear(&source->arena);
    rwl_free(s->env, source);
}

void rwl_stitch_source_drop(rwl_parquet_stitch *s, rwl_stitch_source *source) {
    if (--source->users == 0)
        rwl_stitch_source_free(s, source);
}

void rwl_stitch_pending_drop(rwl_parquet_stitch *s) {
    for (size_t i = 0; i < s->pending.len; i++) {
        rwl_stitch_segment *seg = &s->pending.items[i];
        rwl_free(s->env, seg->ranges);
        rwl_stitch_source_drop(s, seg->source);
    }
    s->pending.len = 0;
    s->pending_rows = s->pending_bytes = 0;
    memset(s->left, 0, (size_t)s->schema.leaf_count * sizeof *s->left);
}

/* --- one row group --- */

bool rwl_stitch_uses(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t leaf,
                     const rwl_parquet_chunk **chunk) {
    if (rwl_stitch_makes(s, seg->source, s->schema.leaves[leaf].top) || seg->source->maps[leaf].leaf < 0)
        return false;
    *chunk = &rwl_stitch_group_of(seg)->chunks[seg->source->maps[leaf].leaf];
    return true;
}

/* What the rows of a segment take in the output, estimated. */
double rwl_stitch_leaf_bytes(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t leaf) {
    const rwl_parquet_chunk *chunk;
    if (!rwl_stitch_uses(s, seg, leaf, &chunk))
        return (double)seg->rows * MADE_BYTES;
    double bytes = (double)chunk->compressed_size, most = bytes * EXPANSION_MAX;
    if (s->options.write.codec == RWL_CODEC_NONE)
        bytes = (double)chunk->uncompressed_size < most ? (double)chunk->uncompressed_size : most;
    return bytes * (double)seg->rows / (double)rwl_stitch_group_of(seg)->row_count;
}

static int64_t pending_leaf_bytes(const rwl_parquet_stitch *s, int32_t leaf) {
    double bytes = 0;
    for (size_t i = 0; i < s->pending.len; i++)
        bytes += rwl_stitch_leaf_bytes(s, &s->pending.items[i], leaf);
    return bytes < RWL_STITCH_BYTES_MAX ? (int64_t)bytes : RWL_STITCH_BYTES_MAX;
}

static void widen(rwl_parquet_range range, int64_t *from, int64_t *to) {
    if (range.len <= 0)
        return;
    *from = range.off < *from ? range.off : *from;
    *to = range.off + range.len > *to ? range.off + range.len : *to;
}

/* Where the bytes of the needed chunks of segments lie, with their indexes and filters or without. */
static void find_bytes(const rwl_parquet_stitch *s, const rwl_stitch_segment *segs, size_t count,
                       bool indexes, int64_t *from, int64_t *to) {
    *from = INT64_MAX;
    *to = 0;
    for (size_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < s->schema.leaf_count; k++) {
            if (rwl_stitch_makes(s, segs[i].source, s->schema.leaves[k].top) ||
                segs[i].source->maps[k].leaf < 0)
                continue;
            const rwl_parquet_chunk *c = &rwl_stitch_group_of(&segs[i])->chunks[segs[i].source->maps[k].leaf];
            int64_t start = c->dictionary_offset > 0 ? c->dictionary_offset : c->data_offset;
            widen((rwl_parquet_range){start, c->compressed_size}, from, to);
            if (!indexes)
                continue;
            widen(c->column_index, from, to);
            widen(c->offset_index, from, to);
            widen(c->bloom, from, to);
        }
    }
}

/* Small files are read whole, each once. */
static rwl_status load_sources(rwl_parquet_stitch *s, rwl_error *err) {
    for (size_t i = 0; i < s->pending.len;) {
        const rwl_stitch_segment *segs = s->pending.items + i;
        rwl_stitch_source *source = segs[0].source;
        size_t count = 1;
        while (i + count < s->pending.len && segs[count].source == source)
            count++;
        bool loaded = false;
        for (int indexes = 1; indexes >= 0 && !loaded; indexes--) {
            int64_t from, to;
            find_bytes(s, segs, count, indexes, &from, &to);
            if (from < to)
                RWL_TRY(rwl_stitch_source_load(source, s->store, s->op, from, to, err));
            loaded = source->bytes != NULL;
        }
        if (source->owned != NULL)
            s->stats.bytes_read += source->len;
        i += count;
    }
    return RWL_OK;
}

static rwl_status make_rows(rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t field, int32_t leaf,
                            int64_t first, int64_t count, rwl_error *err) {
    const rwl_parquet_stitch_options *o = &s->options;
    rwl_column_reset(&s->made);
    RWL_TRY(o->make(o->make_ctx, &seg->source->part, field, first, count, &s->made, err));
    if (s->made.length != count)
        return rwl_fail(err, RWL_INTERNAL, "column %s: %lld values made for %lld rows",
                        s->schema.fields[field].name, (long long)s->made.length, (long long)count);
    for (; leaf < s->schema.leaf_count && s->schema.leaves[leaf].top == field; leaf++)
        RWL_TRY(rwl_parquet_column_writer_add(&s->makers[leaf], &s->made, 0, count, err));
    return RWL_OK;
}

/* All leaves of a made field, the first of which is `leaf`. */
static rwl_status make_field(rwl_parquet_stitch *s, int32_t leaf, rwl_error *err) {
    int32_t field = s->schema.leaves[leaf].top;
    rwl_column_clear(&s->made, s->env);
    RWL_TRY(rwl_column_init(&s->made, s->env, &s->schema.fields[field].type, err));
    for (size_t i = 0; i < s->pending.len; i++) {
        const rwl_stitch_segment *seg = &s->pending.items[i];
        int64_t base = rwl_stitch_group_of(seg)->first_row;
        RWL_TRY(rwl_op_check(s->op, err));
        for (size_t k = 0; k < seg->range_count; k++)
            for (int64_t done = 0; done < seg->ranges[k].count; done += RWL_BATCH_ROWS) {
                int64_t left = seg->ranges[k].count - done;
                RWL_TRY(make_rows(s, seg, field, leaf, base + seg->ranges[k].start + done,
                                  left < RWL_BATCH_ROWS ? left : RWL_BATCH_ROWS, err));
            }
    }
    for (; leaf < s->schema.leaf_count && s->schema.leaves[leaf].top == field; leaf++) {
        RWL_TRY(rwl_parquet_column_writer_flush(&s->makers[leaf], err));
        s->stats.pages_encoded += rwl_parquet_chunk_pages(s->chunks[leaf]);
    }
    s->made_rows[field] += s->pending_rows;
    return RWL_OK;
}

/* One chunk is copied or made, not both. */
static bool makes_here(const rwl_parquet_stitch *s, int32_t field) {
    bool made = false;
    for (size_t i = 0; s->is_made[field] && !made && i < s->pending.len; i++)
        made = rwl_stitch_makes(s, s->pending.items[i].source, field);
    return made;
}

/* One leaf, or all of a made field, the first of which it is. */
static rwl_status fill_chunk(rwl_parquet_stitch *s, int32_t i, rwl_error *err) {
    const rwl_parquet_write_leaf *leaf = &s->schema.leaves[i];
    if (!makes_here(s, leaf->top))
        return rwl_stitch_column(&s->work, leaf, i, s->chunks[i], s->pending.items, s->pending.len, err);
    bool is_first = i == 0 || s->schema.leaves[i - 1].top != leaf->top;
    return is_first ? make_field(s, i, err) : RWL_OK;
}

/* Chunks are written as they are filled: one is held at a time. */
static rwl_status fill_chunks(rwl_parquet_stitch *s, rwl_error *err) {
    int32_t count = s->schema.leaf_count;
    s->work.page_type = -1;
    for (int32_t i = 0; i < count; i++) {
        int64_t held = pending_leaf_bytes(s, i);
        RWL_TRY(rwl_op_reserve(s->op, held, "a column being put together", err));
        rwl_status st = fill_chunk(s, i, err);
        if (st == RWL_OK)
            st = rwl_parquet_output_pages(s->output, s->chunks[i], err);
        rwl_op_release(s->op, held);
        RWL_TRY(st);
        if (i + 1 < count)
            rwl_parquet_chunk_pass_on(s->chunks[i], s->chunks[i + 1]);
    }
    s->stats.bytes_read += s->work.feed.bytes_read;
    s->work.feed.bytes_read = 0;
    return RWL_OK;
}

static rwl_status write_group(rwl_parquet_stitch *s, rwl_error *err) {
    enum { SORTING_MAX = 16 };
    rwl_parquet_sorting kept[SORTING_MAX];
    const rwl_parquet_sorting *sorting = s->options.write.sorting;
    int32_t sorting_count = s->options.write.sorting_count;
    RWL_TRY(load_sources(s, err));
    RWL_TRY(fill_chunks(s, err));
    if (sorting_count == 0) {
        sorting = kept;
        sorting_count = rwl_stitch_sorting(&s->schema, s->pending.items, s->pending.len, kept, SORTING_MAX);
    }
    RWL_TRY(rwl_parquet_output_group(s->output, s->chunks, s->pending_rows, sorting, sorting_count, err));
    if (s->schema.leaf_count > 0)
        rwl_parquet_chunk_pass_on(s->chunks[s->schema.leaf_count - 1], s->chunks[0]);
    return RWL_OK;
}

rwl_status rwl_stitch_pending_flush(rwl_parquet_stitch *s, rwl_error *err) {
    if (s->pending.len == 0)
        return RWL_OK;
    rwl_status st = write_group(s, err);
    rwl_stitch_pending_drop(s);
    return st;
}
