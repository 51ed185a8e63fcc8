/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a Lance data file as rows: layout, encoding, rows, place, buffers. */
#include "engine/about.h"
#include "engine/inspect_lance.h"

#include <inttypes.h>

enum { ROWS_A_BATCH = 4096 };

static const rwl_field PAGE_FIELDS[] = {
    RWL_ABOUT_FIELD("column", RWL_TYPE_STRING),         RWL_ABOUT_FIELD("page", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("kind", RWL_TYPE_STRING),           RWL_ABOUT_FIELD("encoding", RWL_TYPE_STRING),
    RWL_ABOUT_FIELD("offset", RWL_TYPE_LONG),           RWL_ABOUT_FIELD("buffers", RWL_TYPE_INT),
    RWL_ABOUT_FIELD("compressed_bytes", RWL_TYPE_LONG), RWL_ABOUT_FIELD("values", RWL_TYPE_LONG),
    RWL_ABOUT_FIELD("first_row", RWL_TYPE_LONG),        RWL_ABOUT_FIELD("rows", RWL_TYPE_LONG),
};
enum { PAGE_FIELD_COUNT = sizeof PAGE_FIELDS / sizeof *PAGE_FIELDS };

typedef struct page_source {
    rwl_inspect *in;
    int32_t index;                  /* of the open column, or where to look for the next */
    const rwl_lance_column *column; /* NULL: none is open */
    int32_t page;                   /* the next of the open column */
    rwl_buf path, encoding;
    rwl_arena arena; /* of one page */
} page_source;

/* Opens the next wanted column; none is left when in->lance->column_count is reached. */
static rwl_status open_column(page_source *s, rwl_error *err) {
    rwl_inspect *in = s->in;
    for (; s->index < in->lance->column_count; s->index++) {
        const rwl_lance_field_def *def;
        rwl_buf_reset(&s->path);
        RWL_TRY(rwl_inspect_lance_path(in, s->index, &s->path, &def, err));
        if (!rwl_inspect_lance_wants(in, (const char *)s->path.data))
            continue;
        s->page = 0;
        return rwl_lancefile_column(in->lance, in->op, s->index, &s->column, err);
    }
    return RWL_OK;
}

static rwl_status add_page(page_source *s, rwl_batch *batch, rwl_error *err) {
    const rwl_lance_page *page = &s->column->pages[s->page];
    rwl_inspect_layout layout;
    int64_t bytes = 0;
    for (int32_t i = 0; i < page->buffer_count; i++)
        if (__builtin_add_overflow(bytes, page->buffers[i].length, &bytes))
            return rwl_fail(err, RWL_CORRUPT, "the buffers have more than 2^63 - 1 bytes");
    rwl_arena_reset(&s->arena);
    rwl_buf_reset(&s->encoding);
    RWL_TRY(rwl_inspect_lance_layout(s->in, page, &s->arena, &s->encoding, &layout, err));
    rwl_about_row row = {.batch = batch, .err = err};
    rwl_about_text(&row, rwl_span_str((const char *)s->path.data));
    rwl_about_i32(&row, true, s->page);
    rwl_about_text(&row, rwl_span_str(layout.kind));
    rwl_about_text(&row, rwl_buf_span(&s->encoding));
    rwl_about_i64(&row, page->buffer_count > 0, page->buffer_count > 0 ? page->buffers[0].offset : 0);
    rwl_about_i32(&row, true, page->buffer_count);
    rwl_about_i64(&row, true, bytes);
    rwl_about_i64(&row, layout.values >= 0, layout.values);
    rwl_about_i64(&row, true, page->first_row);
    rwl_about_i64(&row, true, page->row_count);
    return rwl_about_end(&row);
}

static rwl_status next_page(page_source *s, rwl_batch *batch, rwl_error *err) {
    RWL_TRY(rwl_op_check(s->in->op, err));
    if (s->column == NULL) {
        RWL_TRY(open_column(s, err));
        if (s->column == NULL)
            return RWL_OK;
    }
    if (s->page < s->column->page_count) {
        rwl_status st = add_page(s, batch, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "column %" PRId32 ", page %" PRId32, s->index, s->page);
        s->page++;
        return RWL_OK;
    }
    s->column = NULL;
    s->index++;
    return RWL_OK;
}

static rwl_status next_pages(void *ctx, rwl_batch *batch, rwl_error *err) {
    page_source *s = ctx;
    while (batch->length < ROWS_A_BATCH && s->index < s->in->lance->column_count) {
        rwl_status st = next_page(s, batch, err);
        if (st == RWL_OK)
            continue;
        if (err == NULL || strstr(err->message, s->in->location) == NULL)
            st = rwl_error_in(err, st, "%s", s->in->location);
        return rwl_error_path(err, st, s->in->location);
    }
    return RWL_OK;
}

static void free_pages(void *ctx) {
    page_source *s = ctx;
    rwl_buf_clear(&s->path);
    rwl_buf_clear(&s->encoding);
    rwl_arena_clear(&s->arena);
    rwl_free(s->in->env, s);
}

rwl_status rwl_inspect_lance_pages(rwl_inspect *in, struct ArrowArrayStream *out, rwl_error *err) {
    page_source *s = rwl_calloc(in->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->in = in;
    rwl_buf_init(&s->path, in->env, SIZE_MAX);
    rwl_buf_init(&s->encoding, in->env, SIZE_MAX);
    rwl_arena_init(&s->arena, in->env, 0);
    rwl_arrow_source source = {s, next_pages, free_pages};
    return rwl_arrow_stream_from(in->env, PAGE_FIELDS, PAGE_FIELD_COUNT, source, out, err);
}
