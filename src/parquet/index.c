/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing offset and column indexes, and reading their bytes a stretch at a time. */
#include "parquet/index.h"

#include "parquet/footer.h"
#include "parquet/thrift_field.h"

#include <inttypes.h>

enum {
    PLACE_BYTES_MIN = 7, /* three fields and the stop */
    WINDOW = 256 * 1024, /* bytes read at once where indexes do not come with the footer */
    INDEX_BYTES_MAX = 1 << 26
};

/* --- offset index --- */

typedef struct places_parse {
    rwl_arena *arena;
    rwl_parquet_offset_index *out;
    uint32_t size_count;
} places_parse;

static rwl_status read_place(rwl_cursor *c, rwl_parquet_page_place *out, rwl_error *err) {
    *out = (rwl_parquet_page_place){-1, -1, -1};
    const rwl_parquet_target targets[] = {
        {1, .i64 = &out->off}, {2, .i32 = &out->len}, {3, .i64 = &out->first_row}};
    return rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err);
}

static rwl_status read_places(rwl_cursor *c, rwl_thrift_field f, rwl_arena *arena,
                              rwl_parquet_offset_index *out, rwl_error *err) {
    uint32_t count;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, PLACE_BYTES_MIN, &count, err));
    out->pages = rwl_arena_array(arena, count, sizeof *out->pages);
    if (!out->pages)
        return rwl_no_memory(err, count * sizeof *out->pages);
    for (uint32_t i = 0; i < count; i++)
        RWL_TRY(read_place(c, &out->pages[i], err));
    out->page_count = (int32_t)count;
    return RWL_OK;
}

static rwl_status read_i64_list(rwl_cursor *c, rwl_thrift_field f, rwl_arena *arena, int64_t **out,
                                uint32_t *count, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_I64, 1, count, err));
    *out = rwl_arena_array(arena, *count, sizeof **out);
    if (!*out)
        return rwl_no_memory(err, *count * sizeof **out);
    for (uint32_t i = 0; i < *count; i++)
        RWL_TRY(rwl_thrift_i64(c, &(*out)[i], err));
    return RWL_OK;
}

static rwl_status read_places_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    places_parse *p = ctx;
    switch (f.id) {
    case 1:
        return read_places(c, f, p->arena, p->out, err);
    case 2:
        return read_i64_list(c, f, p->arena, &p->out->unencoded_bytes, &p->size_count, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

/* Rule 1 of the header. */
static rwl_status check_places(const rwl_parquet_offset_index *index, const rwl_parquet_group *group,
                               const rwl_parquet_chunk *chunk, rwl_error *err) {
    int64_t off = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
    int64_t end = off + chunk->compressed_size, row = -1;
    for (int32_t i = 0; i < index->page_count; i++) {
        const rwl_parquet_page_place *p = &index->pages[i];
        if (p->len <= 0 || p->off < off || p->len > end - p->off)
            return rwl_fail(err, RWL_CORRUPT,
                            "page %" PRId32 " of %" PRId32 " bytes at %" PRId64
                            " where the chunk has %" PRId64 " to %" PRId64,
                            i, p->len, p->off, off, end);
        if (p->first_row <= row || p->first_row >= group->row_count || (i == 0 && p->first_row != 0))
            return rwl_fail(err, RWL_CORRUPT,
                            "page %" PRId32 " begins at row %" PRId64 " of %" PRId64 " behind row %" PRId64,
                            i, p->first_row, group->row_count, row);
        off = p->off + p->len;
        row = p->first_row;
    }
    if (index->page_count == 0 && group->row_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "no pages for %" PRId64 " rows", group->row_count);
    return RWL_OK;
}

rwl_status rwl_parquet_offset_index_parse(rwl_span bytes, const rwl_parquet_group *group,
                                          const rwl_parquet_chunk *chunk, rwl_arena *arena,
                                          rwl_parquet_offset_index *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    places_parse p = {.arena = arena, .out = out};
    memset(out, 0, sizeof *out);
    RWL_TRY(rwl_thrift_struct(&c, read_places_field, &p, err));
    if (p.size_count != (uint32_t)out->page_count)
        out->unencoded_bytes = NULL;
    return check_places(out, group, chunk, err);
}

/* --- column index --- */

typedef struct bounds_lists {
    rwl_arena *arena;
    bool *null_pages;
    rwl_span *mins, *maxs;
    int64_t *nulls, *nans;
    uint32_t page_count, min_count, max_count, null_count, nan_count;
} bounds_lists;

/* Booleans of a list are bytes: 1 true, 2 (or, by some writers, 0) false. */
static rwl_status read_bools(rwl_cursor *c, rwl_thrift_field f, rwl_arena *arena, bool **out, uint32_t *count,
                             rwl_error *err) {
    rwl_thrift_type item;
    RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_LIST, err));
    RWL_TRY(rwl_thrift_list(c, &item, count, err));
    if (*count > 0 && item != RWL_THRIFT_TRUE && item != RWL_THRIFT_FALSE)
        return rwl_fail(err, RWL_CORRUPT, "list of thrift type %d instead of booleans", (int)item);
    *out = rwl_arena_array(arena, *count, sizeof **out);
    if (!*out)
        return rwl_no_memory(err, *count);
    for (uint32_t i = 0; i < *count; i++) {
        uint8_t byte;
        RWL_TRY(rwl_cursor_u8(c, &byte, err));
        (*out)[i] = byte == 1;
    }
    return RWL_OK;
}

static rwl_status read_binaries(rwl_cursor *c, rwl_thrift_field f, rwl_arena *arena, rwl_span **out,
                                uint32_t *count, rwl_error *err) {
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_BINARY, 1, count, err));
    *out = rwl_arena_array(arena, *count, sizeof **out);
    if (!*out)
        return rwl_no_memory(err, *count * sizeof **out);
    for (uint32_t i = 0; i < *count; i++) {
        rwl_span bytes;
        RWL_TRY(rwl_thrift_binary(c, &bytes, err));
        (*out)[i].data = rwl_arena_copy(arena, bytes.data, bytes.len);
        (*out)[i].len = bytes.len;
        if (!(*out)[i].data)
            return rwl_no_memory(err, bytes.len);
    }
    return RWL_OK;
}

static rwl_status read_bounds_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    bounds_lists *l = ctx;
    switch (f.id) {
    case 1:
        return read_bools(c, f, l->arena, &l->null_pages, &l->page_count, err);
    case 2:
        return read_binaries(c, f, l->arena, &l->mins, &l->min_count, err);
    case 3:
        return read_binaries(c, f, l->arena, &l->maxs, &l->max_count, err);
    case 5:
        return read_i64_list(c, f, l->arena, &l->nulls, &l->null_count, err);
    case 8:
        return read_i64_list(c, f, l->arena, &l->nans, &l->nan_count, err);
    default: /* the boundary order is not trusted, level histograms are not needed */
        return rwl_thrift_skip(c, f.type, err);
    }
}

/* What the lists say of page `i`, as far as it can be trusted. */
static rwl_parquet_stats page_stats(const bounds_lists *l, const rwl_parquet_leaf *leaf, uint32_t i) {
    rwl_parquet_stats s = {.null_count = -1, .nan_count = -1};
    if (l->null_count == l->page_count && l->nulls[i] >= 0)
        s.null_count = l->nulls[i];
    if (l->nan_count == l->page_count && l->nans[i] >= 0)
        s.nan_count = l->nans[i];
    if (!l->null_pages[i]) {
        s.min = l->mins[i];
        s.max = l->maxs[i];
        rwl_parquet_stats_settle(leaf, &s);
    }
    return s;
}

rwl_status rwl_parquet_column_index_parse(rwl_span bytes, const rwl_parquet_leaf *leaf, rwl_arena *arena,
                                          rwl_parquet_column_index *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    bounds_lists l = {.arena = arena};
    memset(out, 0, sizeof *out);
    RWL_TRY(rwl_thrift_struct(&c, read_bounds_field, &l, err));
    if (l.min_count != l.page_count || l.max_count != l.page_count || !l.null_pages)
        return rwl_fail(err, RWL_CORRUPT, "%u pages with %u lower and %u upper bounds", l.page_count,
                        l.min_count, l.max_count);
    out->pages = rwl_arena_array(arena, l.page_count, sizeof *out->pages);
    if (!out->pages)
        return rwl_no_memory(err, l.page_count * sizeof *out->pages);
    for (uint32_t i = 0; i < l.page_count; i++)
        out->pages[i] = page_stats(&l, leaf, i);
    out->null_pages = l.null_pages;
    out->page_count = (int32_t)l.page_count;
    return RWL_OK;
}

/* --- bytes --- */

void rwl_parquet_index_source_init(rwl_parquet_index_source *s, rwl_file *handle, rwl_op *op,
                                   const rwl_parquet_file *file) {
    *s = (rwl_parquet_index_source){.handle = handle, .op = op, .file = file};
}

void rwl_parquet_index_source_clear(rwl_parquet_index_source *s) {
    if (!s->op)
        return;
    rwl_free(s->op->env, s->window);
    rwl_op_release(s->op, (int64_t)s->window_len);
    s->window = NULL;
    s->window_len = 0;
}

static rwl_status read_window(rwl_parquet_index_source *s, rwl_parquet_range range, rwl_error *err) {
    int64_t len = range.len > WINDOW ? range.len : WINDOW;
    if (len > s->file->size - range.off)
        len = s->file->size - range.off;
    rwl_parquet_index_source_clear(s);
    RWL_TRY(rwl_op_reserve(s->op, len, "page indexes", err));
    s->window_len = (size_t)len;
    s->window_off = range.off;
    s->window = rwl_alloc(s->op->env, (size_t)len);
    if (!s->window)
        return rwl_no_memory(err, (size_t)len);
    s->requests++;
    s->bytes += len;
    return rwl_file_read(s->handle, s->op, range.off, (size_t)len, s->window, err);
}

static bool is_inside(rwl_parquet_range range, int64_t off, size_t len) {
    return range.off >= off && range.len <= (int64_t)len && range.off - off <= (int64_t)len - range.len;
}

/* The bytes of a range of the file; valid until the next one is loaded. */
static rwl_status load(rwl_parquet_index_source *s, rwl_parquet_range range, rwl_span *out, rwl_error *err) {
    const rwl_parquet_file *file = s->file;
    if (range.off < 0 || range.len > INDEX_BYTES_MAX || range.len > file->size - range.off)
        return rwl_fail(err, RWL_CORRUPT, "%" PRId64 " bytes at %" PRId64 " of a file of %" PRId64, range.len,
                        range.off, file->size);
    if (is_inside(range, file->tail_off, file->tail.len)) {
        *out = rwl_span_of(file->tail.data + (range.off - file->tail_off), (size_t)range.len);
        return RWL_OK;
    }
    if (!s->window || !is_inside(range, s->window_off, s->window_len)) {
        rwl_status st = read_window(s, range, err);
        if (st != RWL_OK) {
            rwl_parquet_index_source_clear(s);
            return st;
        }
    }
    *out = rwl_span_of(s->window + (range.off - s->window_off), (size_t)range.len);
    return RWL_OK;
}

static rwl_status in_index(rwl_status st, const char *kind, const rwl_parquet_leaf *leaf, rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s index of column %s", kind, leaf->field.name);
}

rwl_status rwl_parquet_index_load_offsets(rwl_parquet_index_source *s, int32_t group, int32_t leaf,
                                          rwl_arena *arena, rwl_parquet_offset_index **out, rwl_error *err) {
    const rwl_parquet_group *g = &s->file->groups[group];
    const rwl_parquet_chunk *chunk = &g->chunks[leaf];
    rwl_span bytes;
    *out = NULL;
    if (chunk->offset_index.len <= 0)
        return RWL_OK;
    rwl_parquet_offset_index *index = rwl_arena_alloc(arena, sizeof *index);
    if (!index)
        return rwl_no_memory(err, sizeof *index);
    rwl_status st = load(s, chunk->offset_index, &bytes, err);
    if (st == RWL_OK)
        st = rwl_parquet_offset_index_parse(bytes, g, chunk, arena, index, err);
    if (st == RWL_OK)
        *out = index;
    return in_index(st, "offset", &s->file->leaves[leaf], err);
}

rwl_status rwl_parquet_index_load_bounds(rwl_parquet_index_source *s, int32_t group, int32_t leaf,
                                         rwl_arena *arena, rwl_parquet_column_index **out, rwl_error *err) {
    const rwl_parquet_chunk *chunk = &s->file->groups[group].chunks[leaf];
    rwl_span bytes;
    *out = NULL;
    if (chunk->column_index.len <= 0)
        return RWL_OK;
    rwl_parquet_column_index *index = rwl_arena_alloc(arena, sizeof *index);
    if (!index)
        return rwl_no_memory(err, sizeof *index);
    rwl_status st = load(s, chunk->column_index, &bytes, err);
    if (st == RWL_OK)
        st = rwl_parquet_column_index_parse(bytes, &s->file->leaves[leaf], arena, index, err);
    if (st == RWL_OK)
        *out = index;
    return in_index(st, "column", &s->file->leaves[leaf], err);
}

rwl_status rwl_parquet_offset_index_read(rwl_file *handle, rwl_op *op, const rwl_parquet_file *file,
                                         int32_t group, int32_t leaf, rwl_arena *arena,
                                         rwl_parquet_offset_index **out, rwl_error *err) {
    rwl_parquet_index_source s;
    rwl_parquet_index_source_init(&s, handle, op, file);
    rwl_status st = rwl_parquet_index_load_offsets(&s, group, leaf, arena, out, err);
    rwl_parquet_index_source_clear(&s);
    return st;
}

rwl_status rwl_parquet_column_index_read(rwl_file *handle, rwl_op *op, const rwl_parquet_file *file,
                                         int32_t group, int32_t leaf, rwl_arena *arena,
                                         rwl_parquet_column_index **out, rwl_error *err) {
    rwl_parquet_index_source s;
    rwl_parquet_index_source_init(&s, handle, op, file);
    rwl_status st = rwl_parquet_index_load_bounds(&s, group, leaf, arena, out, err);
    rwl_parquet_index_source_clear(&s);
    return st;
}
