/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a Parquet file as rows: kind, encoding, place, sizes, values, rows. */
#include "engine/inspect_pages.h"

#include "engine/about.h"
#include "engine/inspect_lance.h"
#include "parquet/index.h"

#include <inttypes.h>

enum {
    WINDOW_SMALL = 16 * 1024,
    HEADER_MAX = 16 * 1024 * 1024, /* headers hold statistics: two values of the column */
    ROWS_A_BATCH = 4096
};

/* --- the walk --- */

void rwl_page_walk_init(rwl_page_walk *w, rwl_op *op, rwl_file *file) {
    memset(w, 0, sizeof *w);
    w->env = op->env;
    w->op = op;
    w->file = file;
}

void rwl_page_walk_clear(rwl_page_walk *w) {
    rwl_free(w->env, w->window);
    w->window = NULL;
}

void rwl_page_walk_start(rwl_page_walk *w, const rwl_parquet_chunk *chunk) {
    w->off = chunk->dictionary_offset > 0 ? chunk->dictionary_offset : chunk->data_offset;
    w->end = w->off + chunk->compressed_size;
    w->values_left = chunk->value_count;
    w->window_len = 0;
}

/* What the window holds from w->off on. */
static rwl_span in_window(const rwl_page_walk *w) {
    int64_t skip = w->off - w->window_off;
    if (skip < 0 || skip >= (int64_t)w->window_len)
        return rwl_span_of(NULL, 0);
    return rwl_span_of(w->window + skip, w->window_len - (size_t)skip);
}

/* Reads `len` bytes from w->off on, or all that the chunk still has. */
static rwl_status fill(rwl_page_walk *w, size_t len, rwl_span *out, rwl_error *err) {
    int64_t left = w->end - w->off;
    size_t want = left < (int64_t)len ? (size_t)left : len;
    if (want > w->window_cap) {
        uint8_t *grown = rwl_realloc(w->env, w->window, want);
        if (grown == NULL)
            return rwl_no_memory(err, want);
        w->window = grown;
        w->window_cap = want;
    }
    w->window_len = 0;
    RWL_TRY(rwl_file_read(w->file, w->op, w->off, want, w->window, err));
    w->window_off = w->off;
    w->window_len = want;
    *out = rwl_span_of(w->window, want);
    return RWL_OK;
}

/* Small pages share a window; a header may be longer than the first guess, then the window grows while the chunk has more. */
static rwl_status read_header(rwl_page_walk *w, rwl_parquet_page_header *header, size_t *len,
                              rwl_error *err) {
    rwl_error ignored = {0}; /* of guesses that were too short */
    rwl_span bytes = in_window(w);
    if (bytes.len > 0 && rwl_parquet_page_parse(bytes, header, len, &ignored) == RWL_OK)
        return RWL_OK;
    for (size_t room = WINDOW_SMALL;; room *= 8) {
        RWL_TRY(fill(w, room, &bytes, err));
        bool last = room >= HEADER_MAX || (int64_t)bytes.len >= w->end - w->off;
        rwl_status st = rwl_parquet_page_parse(bytes, header, len, last ? err : &ignored);
        if (st == RWL_OK || last)
            return st;
    }
}

rwl_status rwl_page_walk_next(rwl_page_walk *w, rwl_parquet_page_header *header, int64_t *off, bool *more,
                              rwl_error *err) {
    size_t len;
    *more = false;
    if (w->off >= w->end || w->values_left <= 0)
        return RWL_OK;
    RWL_TRY(rwl_op_check(w->op, err));
    rwl_status st = read_header(w, header, &len, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "page header at byte %" PRId64, w->off);
    if ((int64_t)header->compressed_size > w->end - w->off - (int64_t)len)
        return rwl_fail_at(err, RWL_CORRUPT, w->off,
                           "page at byte %" PRId64 ": a body of %" PRId32
                           " bytes passes the end of its chunk at byte %" PRId64,
                           w->off, header->compressed_size, w->end);
    *off = w->off;
    *more = true;
    w->off += (int64_t)len + header->compressed_size;
    if (header->type == RWL_PARQUET_DATA_PAGE || header->type == RWL_PARQUET_DATA_PAGE_V2)
        w->values_left -= header->value_count;
    return RWL_OK;
}

/* --- the stream --- */

static const rwl_field PAGE_FIELDS[] = {
    RWL_ABOUT_FIELD("row_group", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("column", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("page", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("kind", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("encoding", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("offset", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("compressed_bytes", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("uncompressed_bytes", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("values", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("rows", RWL_TYPE_LONG),
};
enum { PAGE_FIELD_COUNT = sizeof PAGE_FIELDS / sizeof *PAGE_FIELDS };

typedef struct page_source {
    rwl_inspect *in;
    rwl_file *file;
    rwl_page_walk walk;
    int32_t group, leaf; /* of the open chunk, or where to look for the next */
    bool is_open;
    int32_t page; /* number of the next one in the chunk */
    rwl_arena arena;
    rwl_parquet_offset_index *index; /* of the open chunk, NULL without */
} page_source;

/* Moves to the next wanted chunk; false at the end. */
static bool find_chunk(page_source *s) {
    const rwl_inspect *in = s->in;
    for (; s->group < in->parquet->group_count; s->group++, s->leaf = 0) {
        if (in->row_group >= 0 && in->row_group != s->group)
            continue;
        for (; s->leaf < in->parquet->leaf_count; s->leaf++)
            if (rwl_inspect_wants(in, &in->parquet->leaves[s->leaf]))
                return true;
    }
    return false;
}

/* The offset index tells rows of pages that do not: only where levels repeat. A broken one tells nothing. */
static rwl_status open_chunk(page_source *s, rwl_error *err) {
    const rwl_parquet_file *file = s->in->parquet;
    const rwl_parquet_chunk *chunk = &file->groups[s->group].chunks[s->leaf];
    const rwl_parquet_leaf *leaf = &file->leaves[s->leaf];
    if (chunk->encrypted)
        return rwl_fail(err, RWL_UNSUPPORTED, "the column is encrypted");
    rwl_page_walk_start(&s->walk, chunk);
    s->page = 0;
    s->is_open = true;
    s->index = NULL;
    rwl_arena_reset(&s->arena);
    if (leaf->max_repetition == 0 || chunk->offset_index.len == 0)
        return RWL_OK;
    rwl_error broken = {0};
    rwl_status st = rwl_parquet_offset_index_read(s->file, s->in->op, file, s->group, s->leaf, &s->arena,
                                                  &s->index, &broken);
    if (st == RWL_OK)
        return RWL_OK;
    s->index = NULL;
    if (st == RWL_CORRUPT || st == RWL_UNSUPPORTED)
        return RWL_OK;
    if (err != NULL)
        *err = broken;
    return st;
}

/* Rows of a page, -1 when nothing says it. */
static int64_t count_rows(const page_source *s, const rwl_parquet_page_header *h, int64_t off) {
    const rwl_parquet_group *group = &s->in->parquet->groups[s->group];
    if (h->type != RWL_PARQUET_DATA_PAGE && h->type != RWL_PARQUET_DATA_PAGE_V2)
        return -1;
    if (s->in->parquet->leaves[s->leaf].max_repetition == 0)
        return h->value_count;
    if (h->value_count == group->chunks[s->leaf].value_count)
        return group->row_count; /* the chunk's only page */
    if (h->row_count > 0 || (h->row_count == 0 && h->value_count == 0))
        return h->row_count;
    for (int32_t i = 0; s->index != NULL && i < s->index->page_count; i++) {
        const rwl_parquet_page_place *p = &s->index->pages[i];
        if (p->off == off)
            return (i + 1 < s->index->page_count ? p[1].first_row : group->row_count) - p->first_row;
    }
    return -1;
}

static const char *kind_name(int32_t type) {
    static const char *const NAMES[] = {"data", "index", "dictionary", "data_v2"};
    return type >= 0 && type < 4 ? NAMES[type] : "unknown";
}

static rwl_status add_page(page_source *s, const rwl_parquet_page_header *h, int64_t off, rwl_batch *batch,
                           rwl_error *err) {
    bool has_values = h->type == RWL_PARQUET_DATA_PAGE || h->type == RWL_PARQUET_DATA_PAGE_V2 ||
                      h->type == RWL_PARQUET_DICTIONARY_PAGE;
    int64_t rows = count_rows(s, h, off);
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_i32(&row, true, s->group);
    rwl_about_text(&row, rwl_inspect_leaf_name(&s->in->parquet->leaves[s->leaf]));
    rwl_about_i32(&row, true, s->page++);
    rwl_about_text(&row, rwl_span_str(kind_name(h->type)));
    rwl_about_text(&row,
                   has_values ? rwl_span_str(rwl_parquet_encoding_name(h->encoding)) : rwl_span_of(NULL, 0));
    rwl_about_i64(&row, true, off);
    rwl_about_i64(&row, true, h->compressed_size);
    rwl_about_i64(&row, true, h->uncompressed_size);
    rwl_about_i64(&row, has_values, h->value_count);
    rwl_about_i64(&row, rows >= 0, rows);
    return rwl_about_end(&row);
}

static rwl_status next_page(page_source *s, rwl_batch *batch, rwl_error *err) {
    rwl_parquet_page_header header;
    int64_t off;
    bool more;
    if (!s->is_open)
        RWL_TRY(open_chunk(s, err));
    RWL_TRY(rwl_page_walk_next(&s->walk, &header, &off, &more, err));
    if (more)
        return add_page(s, &header, off, batch, err);
    s->is_open = false;
    s->leaf++;
    return RWL_OK;
}

static rwl_status next_pages(void *ctx, rwl_batch *batch, rwl_error *err) {
    page_source *s = ctx;
    while (batch->length < ROWS_A_BATCH && (s->is_open || find_chunk(s))) {
        rwl_status st = next_page(s, batch, err);
        if (st != RWL_OK) {
            st = rwl_error_in(err, st, "%s: row group %" PRId32 ", column %s", s->in->location, s->group,
                              s->in->parquet->leaves[s->leaf].field.name);
            return rwl_error_path(err, st, s->in->location);
        }
    }
    return RWL_OK;
}

static void free_pages(void *ctx) {
    page_source *s = ctx;
    rwl_page_walk_clear(&s->walk);
    rwl_arena_clear(&s->arena);
    rwl_file_close(s->file);
    rwl_free(s->in->env, s);
}

rwl_status rwl_inspect_pages(rwl_inspect *in, struct ArrowArrayStream *out, rwl_error *err) {
    if (in->what == RWL_INSPECT_LANCE_DATA)
        return rwl_inspect_lance_pages(in, out, err);
    if (in->what != RWL_INSPECT_PARQUET)
        return rwl_fail(err, RWL_USAGE, "pages are of Parquet and Lance data files, %s is %s", in->location,
                        rwl_inspect_kind(in));
    page_source *s = rwl_calloc(in->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->in = in;
    rwl_arena_init(&s->arena, in->env, 0);
    rwl_status st = rwl_file_open(in->store, in->op, in->location, &s->file, err);
    rwl_page_walk_init(&s->walk, in->op, s->file);
    if (st != RWL_OK) {
        free_pages(s);
        return st;
    }
    rwl_arrow_source source = {s, next_pages, free_pages};
    return rwl_arrow_stream_from(in->env, PAGE_FIELDS, PAGE_FIELD_COUNT, source, out, err);
}
