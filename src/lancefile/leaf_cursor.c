/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of one leaf column: pages found, opened, asked and read; layouts are parsed and checked once a page. */
#include "lancefile/leaf_cursor.h"

enum {
    PAGES_MAX = 256,            /* of one step */
    ENCODING_MAX = 1024 * 1024, /* what the arena of a layout may hold, plus twice the message */
    VALUE_GROWTH = 4 /* bytes of a value for one of a compressed one, as long as nothing is known */
};

struct rwl_lance_cursor_page {
    int32_t number;
    rwl_arena arena;
    rwl_lance_layout layout;
    double row_bytes;              /* estimated, decoded */
    rwl_lance_page_reader *reader; /* NULL until it is wanted */
    size_t first, count;           /* of the step's ranges; count 0: not of this step */
    size_t piece;
};

static rwl_status place_error(const rwl_lance_leaf_cursor *c, int32_t page, rwl_status st, rwl_error *err) {
    st = rwl_error_in(err, st, "column %d, page %d", c->source.column, page);
    return rwl_error_path(err, st, c->source.file->location);
}

rwl_status rwl_lance_cursor_open(rwl_lance_leaf_cursor *c, rwl_op *op, const rwl_lance_node *node,
                                 rwl_lance_source source, int64_t row_count, rwl_error *err) {
    memset(c, 0, sizeof *c);
    c->op = c->general.op = op;
    c->node = node;
    c->source = source;
    c->growth = 1;
    rwl_lance_fetch_init(&c->fetch, source.file, op);
    RWL_TRY(rwl_lance_leaf_init(&c->leaf, op->env, node, err));
    if (source.file->version == RWL_LANCEFILE_2_2 && node->has_vectors)
        rwl_lance_leaf_use_rows(&c->leaf);
    RWL_TRY(rwl_lancefile_column(source.file, op, source.column, &c->column, err));
    int64_t entries = rwl_lance_leaf_entries(&c->leaf, row_count);
    if (c->column->row_count == entries)
        return RWL_OK;
    rwl_status st = rwl_fail(err, RWL_CORRUPT, "column %d has %lld rows, the fragment %lld", source.column,
                             (long long)c->column->row_count, (long long)entries);
    return rwl_error_path(err, st, source.file->location);
}

static void free_page(const rwl_lance_leaf_cursor *c, rwl_lance_cursor_page *page) {
    rwl_lance_page_close(page->reader);
    rwl_arena_clear(&page->arena);
    rwl_free(c->op->env, page);
}

void rwl_lance_cursor_clear(rwl_lance_leaf_cursor *c) {
    if (c->op == NULL)
        return;
    for (size_t i = 0; i < c->pages.len; i++)
        free_page(c, c->pages.items[i]);
    rwl_vec_clear(&c->pages, c->op->env);
    rwl_vec_clear(&c->ranges, c->op->env);
    rwl_lance_fetch_clear(&c->fetch);
    rwl_lance_general_clear(&c->general);
    rwl_lance_leaf_clear(&c->leaf);
    c->op = NULL;
}

/* --- what a page's rows will be worth --- */

static bool is_general(const rwl_lance_codec *codec) {
    for (int depth = 0; codec != NULL && depth < RWL_LANCE_CODEC_DEPTH_MAX; depth++, codec = codec->values)
        if (codec->kind == RWL_LANCE_CODEC_GENERAL || codec->kind == RWL_LANCE_CODEC_FSST)
            return true;
    return false;
}

static double stored_bytes(const rwl_lance_page *page) {
    double total = 0;
    for (int32_t i = 0; i < page->buffer_count; i++)
        total += (double)page->buffers[i].length;
    return total;
}

/* Bytes of all texts of a page, offsets not counted. */
static double text_bytes(const rwl_lance_leaf_cursor *c, const rwl_lance_page *page,
                         const rwl_lance_layout *layout) {
    if (layout->kind == RWL_LANCE_LAYOUT_BLOB) /* they lie anywhere in the file */
        return (double)c->source.file->size / (double)c->column->row_count * (double)page->row_count;
    if (layout->kind == RWL_LANCE_LAYOUT_CONSTANT) {
        double value = (double)layout->value.len;
        if (page->buffer_count % 2 == 1)
            value = (double)page->buffers[0].length;
        double entries = (double)page->row_count;
        double levels = (double)layout->def_values;
        return value * (levels > entries ? levels : entries);
    }
    if (layout->dictionary != NULL && layout->dictionary_items > 0 && page->buffer_count > 2) {
        double item = (double)page->buffers[2].length / (double)layout->dictionary_items;
        return item * (is_general(layout->dictionary) ? VALUE_GROWTH : 1) * (double)layout->item_count;
    }
    return stored_bytes(page) * (is_general(layout->values) ? VALUE_GROWTH : 1);
}

static double estimate_row(const rwl_lance_leaf_cursor *c, const rwl_lance_page *page,
                           const rwl_lance_layout *layout) {
    double rows = page->row_count > 0 ? (double)page->row_count : 1;
    double slots = rows;
    if (c->leaf.list_count > 0 && layout->item_count > page->row_count)
        slots = (double)layout->item_count;
    if (c->leaf.list_count > 0 && layout->kind == RWL_LANCE_LAYOUT_CONSTANT) {
        double levels = layout->rep_values > 0 ? (double)layout->rep_values : stored_bytes(page) / 2;
        slots = levels > slots ? levels : slots;
    }
    double bytes = slots * (double)c->leaf.width_bits / 8;
    if (rwl_lance_leaf_is_bytes(&c->leaf))
        bytes = text_bytes(c, page, layout) + 4 * slots;
    return bytes / rows;
}

/* --- pages --- */

static rwl_status load_page(rwl_lance_leaf_cursor *c, int32_t number, rwl_lance_cursor_page **out,
                            rwl_error *err) {
    const rwl_lance_page *stored = &c->column->pages[number];
    rwl_lance_cursor_page *page = rwl_calloc(c->op->env, 1, sizeof *page);
    *out = page;
    if (page == NULL)
        return rwl_no_memory(err, sizeof *page);
    page->number = number;
    rwl_arena_init(&page->arena, c->op->env, ENCODING_MAX + 2 * stored->encoding.len);
    rwl_arena_charge(&page->arena, c->op);
    rwl_status st = rwl_lance_layout_parse(stored->encoding, &page->arena, &page->layout, err);
    st = rwl_arena_refused(&page->arena, st, "an encoding of a page", err);
    if (st == RWL_OK)
        st = rwl_lance_leaf_check_layers(&c->leaf, &page->layout, err);
    if (st != RWL_OK) {
        free_page(c, page);
        return place_error(c, number, st, err);
    }
    page->row_bytes = estimate_row(c, stored, &page->layout);
    return RWL_OK;
}

/* The page with this number, loaded when it is not. */
static rwl_status get_page(rwl_lance_leaf_cursor *c, int32_t number, rwl_lance_cursor_page **out,
                           rwl_error *err) {
    size_t at = c->pages.len;
    while (at > 0 && c->pages.items[at - 1]->number >= number)
        at--;
    if (at < c->pages.len && c->pages.items[at]->number == number) {
        *out = c->pages.items[at];
        return RWL_OK;
    }
    RWL_TRY(rwl_vec_reserve(&c->pages, c->op->env, 1, err));
    RWL_TRY(load_page(c, number, out, err));
    memmove(c->pages.items + at + 1, c->pages.items + at, (c->pages.len - at) * sizeof *c->pages.items);
    c->pages.items[at] = *out;
    c->pages.len++;
    return RWL_OK;
}

/* Rows of one page, out of a walk over those of a step. */
typedef struct piece {
    rwl_lance_cursor_page *page;
    rwl_range rows; /* within it */
} piece;

typedef struct walk {
    rwl_lance_leaf_cursor *c;
    const rwl_range *ranges;
    size_t count, at;
    int64_t done; /* rows of ranges[at] */
    int32_t page; /* where the last piece lay, -1 before */
} walk;

static walk walk_of(rwl_lance_leaf_cursor *c, const rwl_range *ranges, size_t count) {
    walk w = {c, ranges, count, 0, 0, -1};
    return w;
}

/* The next piece; page NULL at the end. */
static rwl_status next_piece(walk *w, piece *out, rwl_error *err) {
    const rwl_lance_column *column = w->c->column;
    out->page = NULL;
    while (w->at < w->count && w->done >= w->ranges[w->at].count) {
        w->at++;
        w->done = 0;
    }
    if (w->at >= w->count)
        return RWL_OK;
    int64_t row = w->ranges[w->at].start + w->done;
    if (row < 0 || w->ranges[w->at].count > column->row_count - w->ranges[w->at].start)
        return rwl_fail(err, RWL_INTERNAL, "rows from %lld on of a column of %lld", (long long)row,
                        (long long)column->row_count);
    const rwl_lance_page *stored = w->page >= 0 ? &column->pages[w->page] : NULL;
    if (stored == NULL || row < stored->first_row || row - stored->first_row >= stored->row_count)
        w->page = rwl_lance_column_page(column, row);
    stored = &column->pages[w->page];
    RWL_TRY(get_page(w->c, w->page, &out->page, err));
    int64_t left = w->ranges[w->at].count - w->done, in_page = stored->first_row + stored->row_count - row;
    out->rows.start = row - stored->first_row;
    out->rows.count = left < in_page ? left : in_page;
    w->done += out->rows.count;
    return RWL_OK;
}

static rwl_status open_page(rwl_lance_leaf_cursor *c, rwl_lance_cursor_page *page, rwl_error *err) {
    rwl_lance_page_request request = {
        .op = c->op,
        .file = c->source.file,
        .column = c->column,
        .page = &c->column->pages[page->number],
        .layout = &page->layout,
        .leaf = &c->leaf,
        .fetch = &c->fetch,
        .general = &c->general,
    };
    c->pages_read++;
    return rwl_lance_page_open(&request, &page->reader, err);
}

/* Values whose sizes differ much: what each is, the page can tell, and it is worth asking where they are large. */
static bool is_uneven(const rwl_lance_leaf_cursor *c, const piece *p, double bytes, double bytes_max) {
    rwl_lance_layout_kind kind = p->page->layout.kind;
    if (c->node->is_blob2) /* what the page has says nothing of the bytes */
        return true;
    return rwl_lance_leaf_is_bytes(&c->leaf) && bytes > bytes_max / 8 &&
           (kind == RWL_LANCE_LAYOUT_FULL_ZIP || kind == RWL_LANCE_LAYOUT_BLOB);
}

/* Bytes of a decoded value for one that is stored. */
static double value_growth(const rwl_lance_leaf_cursor *c, const piece *p) {
    if (c->node->is_blob2)
        return 1;
    return c->growth * (is_general(p->page->layout.values) ? VALUE_GROWTH : 1);
}

/* How many of the piece's rows fit into `left` bytes. */
static rwl_status fit_piece(rwl_lance_leaf_cursor *c, const piece *p, double each, double left,
                            double bytes_max, int64_t *out, rwl_error *err) {
    double bytes = each * (double)p->rows.count;
    *out = bytes <= left ? p->rows.count : left <= 0 ? 0 : (int64_t)(left / each);
    if (!is_uneven(c, p, bytes, bytes_max) || left < 1)
        return RWL_OK;
    rwl_status st = p->page->reader == NULL ? open_page(c, p->page, err) : RWL_OK;
    if (st == RWL_OK)
        st = rwl_lance_page_fit(p->page->reader, &p->rows, 1, (int64_t)(left / value_growth(c, p)), out, err);
    return st == RWL_OK ? RWL_OK : place_error(c, p->page->number, st, err);
}

rwl_status rwl_lance_cursor_fit(rwl_lance_leaf_cursor *c, const rwl_range *ranges, size_t count,
                                double bytes_max, int64_t *rows, double *bytes, rwl_error *err) {
    walk w = walk_of(c, ranges, count);
    int32_t last = -1, pages = 0;
    *rows = 0;
    *bytes = 0;
    for (;;) {
        piece p;
        RWL_TRY(next_piece(&w, &p, err));
        if (p.page == NULL)
            return RWL_OK;
        pages += p.page->number != last;
        last = p.page->number;
        if (pages > PAGES_MAX)
            return RWL_OK;
        double each = p.page->row_bytes * c->growth, left = bytes_max - *bytes;
        int64_t fits;
        RWL_TRY(fit_piece(c, &p, each, left, bytes_max, &fits, err));
        bool is_full = fits < p.rows.count;
        if (fits == 0 && *rows == 0)
            fits = 1;
        double more = each * (double)fits;
        *rows += fits;
        *bytes += more < left ? more : left;
        if (is_full)
            return RWL_OK;
    }
}

/* --- steps --- */

/* Cuts the ranges at the pages' ends, and notes with each page which are its own. */
static rwl_status cut_ranges(rwl_lance_leaf_cursor *c, const rwl_range *ranges, size_t count,
                             rwl_error *err) {
    walk w = walk_of(c, ranges, count);
    for (size_t i = 0; i < c->pages.len; i++)
        c->pages.items[i]->count = 0;
    c->ranges.len = 0;
    c->wanted = 0;
    c->estimate = 0;
    for (;;) {
        piece p;
        RWL_TRY(next_piece(&w, &p, err));
        if (p.page == NULL)
            return RWL_OK;
        if (p.page->count++ == 0)
            p.page->first = c->ranges.len;
        RWL_TRY(rwl_vec_push(&c->ranges, c->op->env, p.rows, err));
        c->wanted += p.rows.count;
        c->estimate += p.page->row_bytes * (double)p.rows.count;
    }
}

static void drop_pages(rwl_lance_leaf_cursor *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->pages.len; i++) {
        if (c->pages.items[i]->count > 0)
            c->pages.items[kept++] = c->pages.items[i];
        else
            free_page(c, c->pages.items[i]);
    }
    c->pages.len = kept;
}

rwl_status rwl_lance_cursor_want(rwl_lance_leaf_cursor *c, const rwl_range *ranges, size_t count,
                                 rwl_error *err) {
    rwl_lance_fetch_reset(&c->fetch);
    RWL_TRY(cut_ranges(c, ranges, count, err));
    drop_pages(c);
    for (size_t i = 0; i < c->pages.len; i++) {
        rwl_lance_cursor_page *page = c->pages.items[i];
        rwl_status st = page->reader == NULL ? open_page(c, page, err) : RWL_OK;
        if (st == RWL_OK)
            st = page->reader->vtable->want(page->reader, c->ranges.items + page->first, page->count,
                                            &page->piece, err);
        if (st != RWL_OK)
            return place_error(c, page->number, st, err);
    }
    rwl_status st = rwl_lance_fetch_submit(&c->fetch, err);
    return st == RWL_OK ? RWL_OK : rwl_error_path(err, st, c->source.file->location);
}

/* Keeps in mind how far from the estimate the step was. */
static void learn_growth(rwl_lance_leaf_cursor *c) {
    if (!rwl_lance_leaf_is_bytes(&c->leaf) || c->estimate <= 0)
        return;
    double bytes = (double)c->leaf.values.bytes_len + 4 * (double)c->leaf.slots;
    c->growth = bytes > c->estimate ? bytes / c->estimate : 1;
}

rwl_status rwl_lance_cursor_read(rwl_lance_leaf_cursor *c, rwl_error *err) {
    rwl_lance_leaf_reset(&c->leaf);
    int64_t before = 0;
    for (size_t i = 0; i < c->pages.len; i++) {
        rwl_lance_cursor_page *page = c->pages.items[i];
        const rwl_range *ranges = c->ranges.items + page->first;
        rwl_status st =
            page->reader->vtable->read(page->reader, ranges, page->count, page->piece, &c->leaf, err);
        int64_t rows = 0;
        for (size_t k = 0; k < page->count; k++)
            rows += ranges[k].count;
        if (st == RWL_OK && c->leaf.rows - before != rows)
            st = rwl_fail(err, RWL_CORRUPT, "%lld rows where %lld were asked for",
                          (long long)(c->leaf.rows - before), (long long)rows);
        if (st != RWL_OK)
            return place_error(c, page->number, st, err);
        before = c->leaf.rows;
    }
    learn_growth(c);
    return RWL_OK;
}

void rwl_lance_cursor_stats(const rwl_lance_leaf_cursor *c, rwl_lance_read_stats *add_to) {
    add_to->pages_read += c->pages_read;
    add_to->bytes_read += c->fetch.bytes_read;
    add_to->requests += c->fetch.requests;
}
