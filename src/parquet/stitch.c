/* SPDX-License-Identifier: Apache-2.0 */
/* Stitching: parts to segments, segments to row groups, each row group leaf by leaf. */
#include "parquet/stitch_internal.h"

#include "parquet/column_writer.h"

enum {
    DEFAULT_GROUP_BYTES = 128 << 20,
    DEFAULT_PAGE_BYTES = 1 << 20,
    DEFAULT_PAGE_ROWS = 20000,
    DEFAULT_DICTIONARY_BYTES = 2 << 20,
    MADE_BYTES = 2 /* a row of a made column takes about so many */
};

#define BYTES_MAX (INT64_C(1) << 50) /* no estimate is greater, whatever a footer says */

struct rwl_parquet_stitch {
    const rwl_env *env;
    rwl_op *op;
    rwl_store *store;
    rwl_arena arena;
    rwl_parquet_stitch_options options; /* pointers that are kept point into `arena` */
    rwl_parquet_write_schema schema;
    bool *is_made;      /* one a field */
    int64_t *made_rows; /* likewise */
    rwl_parquet_output *output;
    rwl_parquet_codec_pool *pool;
    rwl_parquet_chunk_write **chunks;  /* one a leaf */
    rwl_parquet_column_writer *makers; /* one a leaf; of made fields only */
    rwl_column made;                   /* values being made */
    rwl_stitch_work work;
    int64_t group_bytes, group_rows;

    rwl_stitch_held held;
    RWL_VEC(rwl_stitch_segment) pending; /* of the next row group */
    int64_t pending_rows, pending_bytes;
    bool *left;                /* one a leaf: a pending segment has pages without dictionary */
    RWL_VEC(rwl_range) ranges; /* rows kept of one input row group */

    rwl_parquet_stitch_stats stats;
    rwl_status failed;
    rwl_error failure;
};

/* --- opening --- */

static rwl_status mark_made(const rwl_parquet_stitch_options *o, int32_t field_count, bool *is_made,
                            rwl_error *err) {
    for (int32_t i = 0; i < o->made_count; i++) {
        if (o->made[i] < 0 || o->made[i] >= field_count)
            return rwl_fail(err, RWL_INTERNAL, "made column %d of %d", (int)o->made[i], (int)field_count);
        is_made[o->made[i]] = true;
    }
    return RWL_OK;
}

/* Whether a leaf has a filter in each row group, or there is no use for one: all values are in the dictionary. */
static bool has_filter(const rwl_parquet_file *file, const rwl_stitch_map *map) {
    for (int32_t g = 0; map->leaf >= 0 && g < file->group_count; g++) {
        const rwl_parquet_chunk *chunk = &file->groups[g].chunks[map->leaf];
        bool needs = file->groups[g].row_count > 0 && !chunk->all_dictionary;
        if (needs && (map->converts || chunk->bloom.off == 0))
            return false;
    }
    return true;
}

static bool has_filters(const rwl_parquet_file *file, const rwl_parquet_write_schema *schema,
                        const rwl_parquet_stitch_options *options, const bool *is_made,
                        const rwl_stitch_map *maps, rwl_arena *arena, const char **why) {
    for (int32_t i = 0; i < schema->leaf_count; i++) {
        const rwl_parquet_write_leaf *leaf = &schema->leaves[i];
        rwl_parquet_column_settings settings;
        if (is_made[leaf->top] ||
            rwl_parquet_column_settings_of(&options->write, leaf, &settings, NULL) != RWL_OK ||
            !settings.bloom || has_filter(file, &maps[i]))
            continue;
        const char *text = rwl_arena_printf(arena, "column %s has no bloom filter in the file", leaf->dotted);
        *why = text != NULL ? text : "no memory";
        return false;
    }
    return true;
}

bool rwl_parquet_stitch_fits(const rwl_parquet_file *file, const rwl_field *fields, int32_t count,
                             const rwl_parquet_stitch_options *options, rwl_arena *arena, const char **why) {
    rwl_parquet_write_schema schema;
    rwl_error err = {0};
    bool *is_made = rwl_arena_array(arena, (size_t)count + 1, sizeof *is_made);
    if (is_made == NULL || rwl_parquet_write_schema_make(fields, count, arena, &schema, &err) != RWL_OK ||
        mark_made(options, count, is_made, &err) != RWL_OK) {
        const char *text = rwl_arena_strdup(arena, err.message);
        *why = text != NULL ? text : "no memory";
        return false;
    }
    rwl_stitch_map *maps = rwl_arena_array(arena, (size_t)schema.leaf_count + 1, sizeof *maps);
    *why = "no memory";
    return maps != NULL && rwl_stitch_map_file(file, &schema, is_made, arena, maps, why) &&
           (!options->keeps_filters || has_filters(file, &schema, options, is_made, maps, arena, why));
}

static void set_limits(rwl_parquet_stitch *s) {
    const rwl_parquet_write_options *o = &s->options.write;
    rwl_stitch_work *w = &s->work;
    s->group_bytes = o->row_group_bytes > 0 ? o->row_group_bytes : DEFAULT_GROUP_BYTES;
    s->group_rows = o->row_group_rows > 0 ? o->row_group_rows : INT64_MAX;
    w->page_bytes = o->page_bytes > 0 ? (size_t)o->page_bytes : DEFAULT_PAGE_BYTES;
    w->page_rows = o->page_rows > 0 ? (size_t)o->page_rows : DEFAULT_PAGE_ROWS;
    w->dictionary_bytes = o->dictionary_bytes > 0    ? (size_t)o->dictionary_bytes
                          : o->dictionary_bytes == 0 ? DEFAULT_DICTIONARY_BYTES
                                                     : 0;
    w->with_crc = !o->without_crc;
    w->page_v2 = o->page_v2;
    w->codec = o->codec;
    w->stats = &s->stats;
}

static rwl_status make_chunks(rwl_parquet_stitch *s, rwl_error *err) {
    size_t count = (size_t)s->schema.leaf_count + 1;
    s->chunks = rwl_calloc(s->env, count, sizeof *s->chunks);
    s->makers = rwl_calloc(s->env, count, sizeof *s->makers);
    s->left = rwl_arena_array(&s->arena, count, sizeof *s->left);
    if (s->chunks == NULL || s->makers == NULL || s->left == NULL)
        return rwl_no_memory(err, count * sizeof *s->makers);
    for (int32_t i = 0; i < s->schema.leaf_count; i++) {
        rwl_parquet_column_settings settings;
        const rwl_parquet_write_leaf *leaf = &s->schema.leaves[i];
        RWL_TRY(rwl_parquet_chunk_new(s->env, leaf, s->options.write.codec, &s->chunks[i], err));
        if (!s->is_made[leaf->top])
            continue;
        RWL_TRY(rwl_parquet_column_settings_of(&s->options.write, leaf, &settings, err));
        RWL_TRY(rwl_parquet_column_writer_init(&s->makers[i], s->env, &s->schema, i, &settings, s->chunks[i],
                                               err));
        rwl_parquet_column_writer_lend(&s->makers[i], s->work.codecs);
    }
    return RWL_OK;
}

static rwl_status copy_options(rwl_parquet_stitch *s, const rwl_parquet_stitch_options *options,
                               int32_t field_count, rwl_error *err) {
    s->options = *options;
    size_t made = (size_t)options->made_count * sizeof *options->made;
    size_t sorting = (size_t)options->write.sorting_count * sizeof *options->write.sorting;
    s->options.made = rwl_arena_copy(&s->arena, options->made, made);
    s->options.write.sorting = rwl_arena_copy(&s->arena, options->write.sorting, sorting);
    s->is_made = rwl_arena_array(&s->arena, (size_t)field_count + 1, sizeof *s->is_made);
    s->made_rows = rwl_arena_array(&s->arena, (size_t)field_count + 1, sizeof *s->made_rows);
    if (s->options.made == NULL || s->options.write.sorting == NULL || s->is_made == NULL ||
        s->made_rows == NULL)
        return rwl_no_memory(err, made + sorting);
    return mark_made(&s->options, field_count, s->is_made, err);
}

static rwl_status open_stitch(rwl_parquet_stitch *s, const char *location, const rwl_field *fields,
                              int32_t field_count, const rwl_parquet_stitch_options *options,
                              rwl_error *err) {
    const rwl_parquet_write_options *o = &options->write;
    rwl_parquet_output_options output = {o->kv_keys, o->kv_values, o->kv_count, o->without_index};
    if (o->codec == RWL_CODEC_DEFLATE || o->codec == RWL_CODEC_LZ4_HADOOP)
        return rwl_fail(err, RWL_UNSUPPORTED, "parquet files are not written with codec %s",
                        rwl_codec_name(o->codec));
    RWL_TRY(rwl_stitch_work_init(&s->work, s->op, s->store, err));
    RWL_TRY(rwl_parquet_write_schema_make(fields, field_count, &s->arena, &s->schema, err));
    RWL_TRY(copy_options(s, options, field_count, err));
    set_limits(s);
    RWL_TRY(rwl_parquet_codec_pool_new(s->env, o->codec, o->level, &s->pool, err));
    RWL_TRY(rwl_parquet_codec_pool_take(s->pool, &s->work.codecs, err));
    RWL_TRY(make_chunks(s, err));
    RWL_TRY(rwl_parquet_output_open(s->store, s->op, location, &s->schema, &output, &s->output, err));
    s->options.write.kv_keys = s->options.write.kv_values = NULL; /* the output has copies */
    s->options.write.columns = NULL;
    return RWL_OK;
}

rwl_status rwl_parquet_stitch_open(rwl_store *store, rwl_op *op, const char *location,
                                   const rwl_field *fields, int32_t field_count,
                                   const rwl_parquet_stitch_options *options, rwl_parquet_stitch **out,
                                   rwl_error *err) {
    *out = NULL;
    rwl_parquet_stitch *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->env = op->env;
    s->op = op;
    s->store = store;
    rwl_arena_init(&s->arena, s->env, 0);
    rwl_status st = open_stitch(s, location, fields, field_count, options, err);
    if (st != RWL_OK) {
        rwl_parquet_stitch_abort(s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

/* --- sources and segments --- */

/* Whether the values of a field are made for rows of the source, rather than copied. */
static bool makes(const rwl_parquet_stitch *s, const rwl_stitch_source *source, int32_t field) {
    if (!s->is_made[field] || source->part.from_file == NULL)
        return s->is_made[field];
    for (int32_t i = 0; i < s->options.made_count; i++)
        if (s->options.made[i] == field && source->part.from_file[i])
            return false;
    return true;
}

static void free_source(rwl_parquet_stitch *s, rwl_stitch_source *source) {
    rwl_stitch_source_unload(source, s->op);
    rwl_parquet_close(source->part.file);
    rwl_arena_clear(&source->arena);
    rwl_free(s->env, source);
}

static rwl_status new_source(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                             rwl_stitch_source **out, rwl_error *err) {
    const char *why = NULL;
    rwl_stitch_source *source = rwl_calloc(s->env, 1, sizeof *source);
    *out = NULL;
    if (source == NULL)
        return rwl_no_memory(err, sizeof *source);
    source->part = *part;
    source->part.file = rwl_parquet_ref(part->file);
    source->carries = rwl_parquet_values_carry(part->file->created_by);
    source->users = 1; /* add() itself */
    source->held = &s->held;
    rwl_arena_init(&source->arena, s->env, 0);
    source->maps = rwl_arena_array(&source->arena, (size_t)s->schema.leaf_count + 1, sizeof *source->maps);
    bool *is_made = rwl_arena_array(&source->arena, (size_t)s->schema.field_count + 1, sizeof *is_made);
    if (source->maps == NULL || is_made == NULL) {
        free_source(s, source);
        return rwl_no_memory(err, sizeof *source->maps);
    }
    for (int32_t i = 0; i < s->schema.field_count; i++)
        is_made[i] = makes(s, source, i);
    if (!rwl_stitch_map_file(part->file, &s->schema, is_made, &source->arena, source->maps, &why)) {
        rwl_status st = rwl_fail(err, RWL_UNSUPPORTED, "%s: %s", part->file->location, why);
        free_source(s, source);
        return st;
    }
    *out = source;
    return RWL_OK;
}

static void drop_source(rwl_parquet_stitch *s, rwl_stitch_source *source) {
    if (--source->users == 0)
        free_source(s, source);
}

static void drop_pending(rwl_parquet_stitch *s) {
    for (size_t i = 0; i < s->pending.len; i++) {
        rwl_stitch_segment *seg = &s->pending.items[i];
        rwl_free(s->env, seg->ranges);
        drop_source(s, seg->source);
    }
    s->pending.len = 0;
    s->pending_rows = s->pending_bytes = 0;
    memset(s->left, 0, (size_t)s->schema.leaf_count * sizeof *s->left);
}

/* --- one row group --- */

static bool uses(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t leaf,
                 const rwl_parquet_chunk **chunk) {
    if (makes(s, seg->source, s->schema.leaves[leaf].top) || seg->source->maps[leaf].leaf < 0)
        return false;
    *chunk = &rwl_stitch_group_of(seg)->chunks[seg->source->maps[leaf].leaf];
    return true;
}

/* What the rows of a segment take in the output, estimated. */
static double leaf_bytes(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg, int32_t leaf) {
    const rwl_parquet_chunk *chunk;
    if (!uses(s, seg, leaf, &chunk))
        return (double)seg->rows * MADE_BYTES;
    int64_t bytes =
        s->options.write.codec == RWL_CODEC_NONE ? chunk->uncompressed_size : chunk->compressed_size;
    return (double)bytes * (double)seg->rows / (double)rwl_stitch_group_of(seg)->row_count;
}

static int64_t pending_leaf_bytes(const rwl_parquet_stitch *s, int32_t leaf) {
    double bytes = 0;
    for (size_t i = 0; i < s->pending.len; i++)
        bytes += leaf_bytes(s, &s->pending.items[i], leaf);
    return bytes < BYTES_MAX ? (int64_t)bytes : BYTES_MAX;
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
            if (makes(s, segs[i].source, s->schema.leaves[k].top) || segs[i].source->maps[k].leaf < 0)
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
        made = makes(s, s->pending.items[i].source, field);
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

static rwl_status flush(rwl_parquet_stitch *s, rwl_error *err) {
    if (s->pending.len == 0)
        return RWL_OK;
    rwl_status st = write_group(s, err);
    drop_pending(s);
    return st;
}

/* --- planning --- */

static int64_t estimate_bytes(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    double bytes = 0;
    for (int32_t i = 0; i < s->schema.leaf_count; i++)
        bytes += leaf_bytes(s, seg, i);
    return bytes < BYTES_MAX ? (int64_t)bytes + 1 : BYTES_MAX;
}

/* Whether dictionary-coded pages of the segment would come behind others. */
static bool would_decode(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    const rwl_parquet_chunk *chunk;
    for (int32_t i = 0; i < s->schema.leaf_count; i++)
        if (s->left[i] && uses(s, seg, i, &chunk) && rwl_stitch_coding_of(chunk) != RWL_STITCH_PLAIN)
            return true;
    return false;
}

static void note_coding(rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    const rwl_parquet_chunk *chunk;
    for (int32_t i = 0; i < s->schema.leaf_count; i++)
        if (uses(s, seg, i, &chunk) && rwl_stitch_coding_of(chunk) != RWL_STITCH_CODED)
            s->left[i] = true;
}

/* Whether the pending row group ends before the segment. */
static bool ends_before(const rwl_parquet_stitch *s, const rwl_stitch_segment *seg) {
    if (s->pending.len == 0)
        return false;
    return s->pending_bytes + seg->bytes > s->group_bytes || s->pending_rows + seg->rows > s->group_rows ||
           (s->pending_bytes >= s->group_bytes / 2 && would_decode(s, seg));
}

static rwl_status push_segment(rwl_parquet_stitch *s, const rwl_stitch_segment *seg, rwl_error *err) {
    if (ends_before(s, seg))
        RWL_TRY(flush(s, err));
    rwl_stitch_segment copy = *seg;
    copy.ranges = rwl_alloc(s->env, seg->range_count * sizeof *seg->ranges);
    if (copy.ranges == NULL)
        return rwl_no_memory(err, seg->range_count * sizeof *seg->ranges);
    memcpy(copy.ranges, seg->ranges, seg->range_count * sizeof *seg->ranges);
    rwl_status st = rwl_vec_push(&s->pending, s->env, copy, err);
    if (st != RWL_OK) {
        rwl_free(s->env, copy.ranges);
        return st;
    }
    seg->source->users++;
    s->pending_rows += seg->rows;
    s->pending_bytes += seg->bytes;
    note_coding(s, seg);
    bool is_full =
        s->pending_bytes >= s->group_bytes - s->group_bytes / 8 || s->pending_rows >= s->group_rows;
    return is_full ? flush(s, err) : RWL_OK;
}

/* How many of `rows` rows, `bytes` in all, the next segment takes: all, unless limits cut them. */
static int64_t next_piece(rwl_parquet_stitch *s, int64_t rows, int64_t bytes) {
    int64_t room = s->group_rows - s->pending_rows, most = rows;
    if (rows > room) /* a row group not yet half full is filled, else the segment begins the next */
        most = s->pending_rows >= s->group_rows / 2 && rows <= s->group_rows ? rows
               : room > 0                                                    ? room
                                                                             : s->group_rows;
    if (bytes > 2 * s->group_bytes) {
        int64_t pieces = (bytes + s->group_bytes - 1) / s->group_bytes, even = (rows + pieces - 1) / pieces;
        most = even < most ? even : most;
    }
    return most < rows ? most : rows;
}

/* Cuts the rows kept of one input row group into segments. */
static rwl_status add_group(rwl_parquet_stitch *s, rwl_stitch_source *source, int32_t g, rwl_error *err) {
    const rwl_parquet_group *group = &source->part.file->groups[g];
    rwl_range *ranges = s->ranges.items, *end = ranges + s->ranges.len;
    rwl_stitch_segment seg = {.source = source, .group = g};
    int64_t left = 0;
    for (const rwl_range *r = ranges; r < end; r++)
        left += r->count;
    while (left > 0) {
        seg.rows = left;
        int64_t rows = next_piece(s, left, estimate_bytes(s, &seg)), got = 0;
        rwl_range *last = ranges;
        for (; got + last->count < rows; last++)
            got += last->count;
        rwl_range rest = {last->start + (rows - got), last->count - (rows - got)};
        last->count = rows - got;
        seg.ranges = ranges;
        seg.range_count = (size_t)(last - ranges) + 1;
        seg.rows = rows;
        seg.is_whole = rows == group->row_count;
        seg.bytes = estimate_bytes(s, &seg);
        RWL_TRY(push_segment(s, &seg, err));
        left -= rows;
        ranges = last + (rest.count == 0);
        if (rest.count > 0)
            *last = rest;
    }
    return RWL_OK;
}

/* Rows of the part that lie in the row group, from its range *at on. */
static rwl_status collect(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                          const rwl_parquet_group *group, size_t *at, rwl_error *err) {
    int64_t first = group->first_row, end = first + group->row_count;
    s->ranges.len = 0;
    for (size_t i = *at; i < part->range_count && part->ranges[i].start < end; i++) {
        const rwl_range *r = &part->ranges[i];
        int64_t from = r->start > first ? r->start : first, to = r->start + r->count;
        to = to < end ? to : end;
        if (to > from) {
            rwl_range *before = s->ranges.len > 0 ? &s->ranges.items[s->ranges.len - 1] : NULL;
            if (before != NULL && before->start + before->count == from - first)
                before->count += to - from;
            else
                RWL_TRY(rwl_vec_push(&s->ranges, s->env, ((rwl_range){from - first, to - from}), err));
        }
        if (r->start + r->count > end)
            break;
        *at = i + 1;
    }
    return RWL_OK;
}

static rwl_status check_ranges(const rwl_parquet_stitch_part *part, rwl_error *err) {
    int64_t at = 0;
    for (size_t i = 0; i < part->range_count; i++) {
        const rwl_range *r = &part->ranges[i];
        if (r->start < at || r->count < 0 || r->count > part->file->row_count ||
            r->start > part->file->row_count - r->count)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld + %lld of %s are out of order", (long long)r->start,
                            (long long)r->count, part->file->location);
        at = r->start + r->count;
    }
    return RWL_OK;
}

static rwl_status add_part(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part, rwl_error *err) {
    rwl_stitch_source *source;
    size_t at = 0;
    RWL_TRY(rwl_op_check(s->op, err));
    RWL_TRY(check_ranges(part, err));
    RWL_TRY(new_source(s, part, &source, err));
    rwl_status st = RWL_OK;
    for (int32_t g = 0; g < part->file->group_count && at < part->range_count && st == RWL_OK; g++) {
        if (part->file->groups[g].row_count == 0)
            continue;
        st = collect(s, part, &part->file->groups[g], &at, err);
        if (st == RWL_OK && s->ranges.len > 0)
            st = add_group(s, source, g, err);
    }
    drop_source(s, source);
    return st;
}

static rwl_status keep_failure(rwl_parquet_stitch *s, rwl_status st, const rwl_error *err) {
    if (st != RWL_OK) {
        s->failed = st;
        s->failure = *err;
    }
    return st;
}

static rwl_status fail_again(const rwl_parquet_stitch *s, rwl_error *err) {
    if (err != NULL)
        *err = s->failure;
    return s->failed;
}

rwl_status rwl_parquet_stitch_add(rwl_parquet_stitch *s, const rwl_parquet_stitch_part *part,
                                  rwl_error *err) {
    rwl_error first = {0};
    if (s->failed == RWL_OK)
        (void)keep_failure(s, add_part(s, part, &first), &first);
    return s->failed == RWL_OK ? RWL_OK : fail_again(s, err);
}

int64_t rwl_parquet_stitch_size(const rwl_parquet_stitch *s) {
    return rwl_parquet_output_size(s->output) + s->pending_bytes;
}

/* --- the end --- */

static rwl_status finish(rwl_parquet_stitch *s, rwl_parquet_written *written, rwl_error *err) {
    RWL_TRY(flush(s, err));
    for (int32_t i = 0; i < s->schema.leaf_count; i++) {
        rwl_parquet_column_metrics metrics;
        int32_t field = s->schema.leaves[i].top;
        if (!s->is_made[field] || s->made_rows[field] != rwl_parquet_output_rows(s->output))
            continue;
        rwl_parquet_column_writer_metrics(&s->makers[i], &metrics);
        RWL_TRY(rwl_parquet_output_metrics(s->output, i, &metrics, err));
    }
    rwl_parquet_output *output = s->output;
    s->output = NULL; /* freed whatever the result */
    return rwl_parquet_output_finish(output, written, err);
}

rwl_status rwl_parquet_stitch_finish(rwl_parquet_stitch *s, rwl_parquet_written *written,
                                     rwl_parquet_stitch_stats *stats, rwl_error *err) {
    memset(written, 0, sizeof *written);
    rwl_status st = s->failed == RWL_OK ? finish(s, written, err) : fail_again(s, err);
    if (stats != NULL)
        *stats = s->stats;
    if (st != RWL_OK)
        rwl_parquet_written_clear(written);
    rwl_parquet_stitch_abort(s);
    return st;
}

void rwl_parquet_stitch_abort(rwl_parquet_stitch *s) {
    if (s == NULL)
        return;
    if (s->left != NULL)
        drop_pending(s);
    rwl_vec_clear(&s->pending, s->env);
    rwl_vec_clear(&s->ranges, s->env);
    for (int32_t i = 0; i < s->schema.leaf_count; i++) {
        if (s->makers != NULL)
            rwl_parquet_column_writer_clear(&s->makers[i]);
        if (s->chunks != NULL)
            rwl_parquet_chunk_free(s->chunks[i]);
    }
    rwl_free(s->env, s->makers);
    rwl_free(s->env, s->chunks);
    rwl_column_clear(&s->made, s->env);
    rwl_stitch_work_clear(&s->work);
    if (s->pool != NULL)
        rwl_parquet_codec_pool_give(s->pool, s->work.codecs);
    rwl_parquet_codec_pool_free(s->pool);
    rwl_parquet_output_abort(s->output);
    rwl_arena_clear(&s->arena);
    rwl_free(s->env, s);
}
