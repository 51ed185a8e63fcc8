/* SPDX-License-Identifier: Apache-2.0 */
/* Full-zip pages: how a page is opened, and where its rows are. */
#include "lancefile/zip_internal.h"

enum { INDEX_WHOLE_MAX = 1024 * 1024 }; /* a repetition index up to this is read as a whole */

static rwl_lance_zip_page *zip_of(rwl_lance_page_reader *base) {
    return (rwl_lance_zip_page *)base;
}

/* --- the repetition index --- */

static rwl_status load_index(rwl_lance_zip_page *page, const rwl_range *rows, size_t count, rwl_error *err) {
    if (page->is_index_loaded)
        return RWL_OK;
    rwl_lance_fetch_reset(&page->index_fetch);
    const rwl_lance_extent *index = &page->base.page->buffers[1];
    int64_t width = (int64_t)page->index_width;
    for (size_t i = 0; i < count; i++) {
        size_t number;
        RWL_TRY(rwl_lance_fetch_want(&page->index_fetch, index->offset + rows[i].start * width,
                                     (rows[i].count + 1) * width, &number, err));
    }
    return rwl_lance_fetch_submit(&page->index_fetch, err);
}

/* The count + 1 numbers of range i of those loaded. */
static rwl_status index_of(rwl_lance_zip_page *page, const rwl_range *rows, size_t i, rwl_span *out,
                           rwl_error *err) {
    size_t width = page->index_width;
    RWL_TRY(rwl_lance_fetch_get(&page->index_fetch, page->is_index_loaded ? 0 : i, out, err));
    if (page->is_index_loaded)
        *out = rwl_span_of(out->data + (size_t)rows[i].start * width, ((size_t)rows[i].count + 1) * width);
    return RWL_OK;
}

static uint64_t load_place(const rwl_lance_zip_page *page, rwl_span index, int64_t i) {
    const uint8_t *at = index.data + (size_t)i * page->index_width;
    switch (page->index_width) {
    case 1:
        return *at;
    case 2:
        return rwl_load_le16(at);
    case 4:
        return rwl_load_le32(at);
    default:
        return rwl_load_le64(at);
    }
}

/* --- where rows are --- */

static rwl_status check_rows(const rwl_lance_zip_page *page, const rwl_range *rows, size_t count,
                             rwl_error *err) {
    int64_t total = page->base.page->row_count;
    for (size_t i = 0; i < count; i++)
        if (rows[i].start < 0 || rows[i].count <= 0 || rows[i].count > total ||
            rows[i].start > total - rows[i].count)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld and %lld more of a page of %lld",
                            (long long)rows[i].start, (long long)rows[i].count, (long long)total);
    return RWL_OK;
}

/* The bytes of a range of rows within the page's data. */
static rwl_status place_rows(rwl_lance_zip_page *page, const rwl_range *rows, size_t i, rwl_lance_extent *out,
                             rwl_error *err) {
    int64_t stride = (int64_t)page->entry_len;
    if (!page->has_index) {
        *out = (rwl_lance_extent){rows[i].start * stride, rows[i].count * stride};
        return RWL_OK;
    }
    rwl_span index;
    RWL_TRY(index_of(page, rows, i, &index, err));
    uint64_t from = load_place(page, index, 0), to = load_place(page, index, rows[i].count);
    if (from >= to || to > (uint64_t)page->data.length)
        return rwl_fail(err, RWL_CORRUPT,
                        "repetition index: rows %lld and %lld more at bytes %llu to %llu of %lld",
                        (long long)rows[i].start, (long long)rows[i].count, (unsigned long long)from,
                        (unsigned long long)to, (long long)page->data.length);
    *out = (rwl_lance_extent){(int64_t)from, (int64_t)(to - from)};
    return RWL_OK;
}

static rwl_status want_rows(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t *number,
                            rwl_error *err) {
    rwl_lance_zip_page *page = zip_of(base);
    RWL_TRY(check_rows(page, rows, count, err));
    if (page->has_index)
        RWL_TRY(load_index(page, rows, count, err));
    for (size_t i = 0; i < count; i++) {
        rwl_lance_extent place;
        size_t piece;
        RWL_TRY(place_rows(page, rows, i, &place, err));
        RWL_TRY(
            rwl_lance_fetch_want(base->fetch, page->data.offset + place.offset, place.length, &piece, err));
        if (i == 0)
            *number = piece;
    }
    return RWL_OK;
}

static rwl_status read_rows(rwl_lance_page_reader *base, const rwl_range *rows, size_t count, size_t number,
                            rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_lance_zip_page *page = zip_of(base);
    for (size_t i = 0; i < count; i++) {
        rwl_span bytes;
        RWL_TRY(rwl_lance_fetch_get(base->fetch, number + i, &bytes, err));
        rwl_status st = rwl_lance_zip_read_entries(page, bytes, rows[i].count, leaf, err);
        if (st != RWL_OK)
            return rwl_error_in(err, st, "rows from %lld of the page", (long long)rows[i].start);
    }
    return RWL_OK;
}

/* Rows of a range whose bytes are at most `room`: the last of which this is true, places being in order. */
static int64_t count_fitting(const rwl_lance_zip_page *page, rwl_span index, int64_t rows, uint64_t room) {
    uint64_t from = load_place(page, index, 0);
    int64_t low = 0, high = rows;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        uint64_t to = load_place(page, index, middle);
        if (to >= from && to - from <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* By stored bytes; compressed values become more. */
static rwl_status fit_rows(rwl_lance_page_reader *base, const rwl_range *rows, size_t count,
                           int64_t bytes_max, int64_t *fitting, rwl_error *err) {
    rwl_lance_zip_page *page = zip_of(base);
    uint64_t room = bytes_max > 0 ? (uint64_t)bytes_max : 0;
    *fitting = 0;
    RWL_TRY(check_rows(page, rows, count, err));
    if (page->has_index)
        RWL_TRY(load_index(page, rows, count, err));
    for (size_t i = 0; i < count; i++) {
        int64_t fits;
        rwl_lance_extent place = {0, 0};
        rwl_span index = {NULL, 0};
        RWL_TRY(place_rows(page, rows, i, &place, err));
        if (page->has_index) {
            RWL_TRY(index_of(page, rows, i, &index, err));
            fits = count_fitting(page, index, rows[i].count, room);
        } else {
            uint64_t most = room / page->entry_len;
            fits = most < (uint64_t)rows[i].count ? (int64_t)most : rows[i].count;
        }
        *fitting += fits;
        if (fits < rows[i].count)
            break;
        room -= (uint64_t)place.length;
    }
    if (*fitting == 0 && count > 0)
        *fitting = 1;
    return RWL_OK;
}

static void close_zip(rwl_lance_page_reader *base) {
    rwl_lance_zip_page *page = zip_of(base);
    rwl_lance_fetch_clear(&page->index_fetch);
    rwl_buf_clear(&page->scratch);
    rwl_free(base->op->env, page->fsst);
    rwl_free(base->op->env, page->same);
    rwl_lance_packed_format_free(page->packed);
    rwl_free(base->op->env, page);
}

static const rwl_lance_page_vtable zip_vtable = {
    .want = want_rows, .read = read_rows, .close = close_zip, .fit = fit_rows};

/* --- opening: fixed width --- */

/* Lists of fixed size from the outermost in; the codec of the innermost values. */
static rwl_status open_vector(rwl_lance_zip_page *page, const rwl_lance_leaf *leaf,
                              const rwl_lance_codec *codec, const rwl_lance_codec **values, rwl_error *err) {
    int64_t items = 1;
    int level = 0;
    for (; codec->kind == RWL_LANCE_CODEC_FIXED_SIZE_LIST; codec = codec->values, level++) {
        if (__builtin_mul_overflow(items, codec->items, &items) || level >= RWL_LANCE_VECTOR_DEPTH_MAX ||
            items != rwl_lance_leaf_items(leaf, level))
            return rwl_fail(
                err, RWL_CORRUPT, "fixed_size_list of %lld in all at level %d, the schema has %lld",
                (long long)items, level,
                (long long)(level < RWL_LANCE_VECTOR_DEPTH_MAX ? rwl_lance_leaf_items(leaf, level) : 0));
        page->validity_len[level] = codec->has_validity ? ((size_t)items + 7) / 8 : 0;
        page->validity_levels = level + 1;
    }
    *values = codec;
    return RWL_OK;
}

/* A value that all have: `codec`'s one for each of `items` elements, or zeros when that has no bytes (they are null). */
static rwl_status open_same(rwl_lance_zip_page *page, const rwl_lance_leaf *leaf, rwl_span value,
                            int64_t items, rwl_error *err) {
    size_t len = ((size_t)leaf->width_bits + 7) / 8;
    if (leaf->width_bits % 8 != 0 && items > 1 && value.len > 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "full-zip constant of vectors of %lld bits",
                        (long long)leaf->width_bits);
    if (value.len > 0 && (len % (size_t)items != 0 || len / (size_t)items != value.len))
        return rwl_fail(err, RWL_CORRUPT, "full-zip constant of %zu bytes for %lld elements of %lld bits",
                        value.len, (long long)items, (long long)leaf->width_bits);
    page->same = rwl_calloc(page->base.op->env, 1, len + 1);
    if (page->same == NULL)
        return rwl_no_memory(err, len + 1);
    page->is_null = value.len == 0;
    for (int64_t i = 0; value.len > 0 && i < items; i++)
        memcpy(page->same + (size_t)i * value.len, value.data, value.len);
    return RWL_OK;
}

static rwl_status open_values(rwl_lance_zip_page *page, const rwl_lance_leaf *leaf,
                              const rwl_lance_codec *codec, int64_t items, rwl_error *err) {
    int64_t bits;
    if (codec->kind == RWL_LANCE_CODEC_PACKED_STRUCT)
        codec = codec->values;
    if (codec->kind == RWL_LANCE_CODEC_CONSTANT && leaf->width_bits > 0)
        return open_same(page, leaf, codec->blob, items, err);
    if (codec->kind != RWL_LANCE_CODEC_FLAT || codec->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED, "full-zip values of fixed width encoded other than flat");
    if (__builtin_mul_overflow(items, codec->bits, &bits))
        return rwl_fail(err, RWL_CORRUPT, "%lld values of %lld bits", (long long)items,
                        (long long)codec->bits);
    if (leaf->width_bits == 1 && bits == 8)
        page->form = RWL_LANCE_ZIP_BOOLEAN;
    else if (leaf->width_bits != bits)
        return rwl_fail(err, RWL_CORRUPT, "values of %lld bits in a field of %lld bits", (long long)bits,
                        (long long)leaf->width_bits);
    if (bits % 8 != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "full-zip values of %lld bits", (long long)bits);
    page->value_len = (size_t)bits / 8;
    return RWL_OK;
}

static rwl_status open_fixed(rwl_lance_zip_page *page, const rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_layout *layout = page->base.layout;
    const rwl_lance_codec *codec;
    int64_t items = 1;
    page->form = RWL_LANCE_ZIP_FIXED;
    RWL_TRY(open_vector(page, leaf, layout->values, &codec, err));
    if (page->validity_levels > 0)
        items = rwl_lance_leaf_items(leaf, page->validity_levels - 1);
    RWL_TRY(open_values(page, leaf, codec, items, err));
    size_t len = page->value_len, stored = (size_t)layout->bits_per_value / 8;
    for (int i = 0; i < page->validity_levels; i++)
        len += page->validity_len[i];
    if (page->same != NULL && stored > len) /* bytes that are of no use */
        len = stored;
    if (layout->bits_per_value % 8 != 0 || stored != len)
        return rwl_fail(err, RWL_CORRUPT, "full-zip values of %lld bits whose parts have %zu bytes",
                        (long long)layout->bits_per_value, len);
    page->entry_len = page->control_len + len;
    if (page->entry_len == 0) /* written as vectors of nulls, and read as nulls by Lance 14 */
        return rwl_fail(err, RWL_UNSUPPORTED, "full-zip page of vectors of nulls that has no bytes");
    return RWL_OK;
}

/* --- opening: variable length --- */

static rwl_status open_fsst(rwl_lance_zip_page *page, rwl_span table, rwl_error *err) {
    page->fsst = rwl_alloc(page->base.op->env, sizeof *page->fsst);
    if (page->fsst == NULL)
        return rwl_no_memory(err, sizeof *page->fsst);
    return rwl_lance_fsst_parse(table, page->fsst, err);
}

static rwl_status open_variable(rwl_lance_zip_page *page, const rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_layout *layout = page->base.layout;
    const rwl_lance_codec *codec = layout->values;
    bool is_packed = codec->kind == RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT;
    if (layout->bits_per_offset != 32 && layout->bits_per_offset != 64)
        return rwl_fail(err, RWL_CORRUPT, "full-zip lengths of %lld bits",
                        (long long)layout->bits_per_offset);
    page->length_len = (size_t)layout->bits_per_offset / 8;
    if (!rwl_lance_leaf_is_bytes(leaf) || is_packed != (leaf->node->form == RWL_LANCE_PACKED))
        return rwl_fail(err, RWL_CORRUPT, "%s of variable length in a field of type %s",
                        is_packed ? "packed structs" : "values", leaf->node->logical_type);
    if (is_packed) {
        page->form = RWL_LANCE_ZIP_PACKED;
        return rwl_lance_packed_format_new(page->base.op, leaf->node, codec, &page->packed, err);
    }
    page->form = RWL_LANCE_ZIP_BYTES;
    if (codec->kind == RWL_LANCE_CODEC_FSST) {
        page->form = RWL_LANCE_ZIP_FSST;
        RWL_TRY(open_fsst(page, codec->blob, err));
        codec = codec->values;
    } else if (codec->kind == RWL_LANCE_CODEC_GENERAL) {
        page->form = RWL_LANCE_ZIP_GENERAL;
        page->scheme = codec->scheme;
        codec = codec->values;
    }
    if (codec->kind != RWL_LANCE_CODEC_VARIABLE || codec->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED,
                        "full-zip values of variable length encoded other than plain, fsst or compressed");
    return RWL_OK;
}

/* --- opening --- */

static rwl_status open_control(rwl_lance_zip_page *page, rwl_error *err) {
    int64_t rep = page->base.layout->bits_rep, def = page->base.layout->bits_def;
    if (rep < 0 || def < 0 || rep > 16 || def > 16)
        return rwl_fail(err, RWL_CORRUPT, "full-zip levels of %lld and %lld bits", (long long)rep,
                        (long long)def);
    int64_t bits = rep + def;
    page->control_len = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    if (rep == 0 && page->base.levels.max_rep > 0)
        return rwl_fail(err, RWL_CORRUPT, "full-zip lists without repetition levels");
    return RWL_OK;
}

static rwl_status open_index(rwl_lance_zip_page *page, rwl_error *err) {
    const rwl_lance_page *where = page->base.page;
    if (where->buffer_count < 2)
        return rwl_fail(err, RWL_CORRUPT, "full-zip page of %d buffers: no repetition index",
                        where->buffer_count);
    const rwl_lance_extent *index = &where->buffers[1];
    int64_t width = index->length / (where->row_count + 1);
    if ((width != 1 && width != 2 && width != 4 && width != 8) ||
        index->length != width * (where->row_count + 1))
        return rwl_fail(err, RWL_CORRUPT, "repetition index of %lld bytes for %lld rows",
                        (long long)index->length, (long long)where->row_count);
    page->has_index = true;
    page->index_width = (size_t)width;
    if (index->length > INDEX_WHOLE_MAX)
        return RWL_OK;
    rwl_range whole = {0, where->row_count};
    RWL_TRY(load_index(page, &whole, 1, err));
    page->is_index_loaded = true;
    return RWL_OK;
}

static rwl_status open_zip(rwl_lance_zip_page *page, const rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_layout *layout = page->base.layout;
    const rwl_lance_page *where = page->base.page;
    if (where->buffer_count < 1 || where->row_count < 0 || where->row_count == INT64_MAX)
        return rwl_fail(err, RWL_CORRUPT, "full-zip page of %d buffers, %lld rows", where->buffer_count,
                        (long long)where->row_count);
    page->data = where->buffers[0];
    RWL_TRY(open_control(page, err));
    bool is_variable = layout->bits_per_offset > 0;
    if (is_variable && layout->bits_per_value > 0)
        return rwl_fail(err, RWL_CORRUPT, "full-zip page of values of %lld bits and lengths of %lld",
                        (long long)layout->bits_per_value, (long long)layout->bits_per_offset);
    RWL_TRY(is_variable ? open_variable(page, leaf, err) : open_fixed(page, leaf, err));
    if (is_variable || layout->bits_rep > 0)
        return open_index(page, err);
    int64_t len;
    if (__builtin_mul_overflow((int64_t)page->entry_len, where->row_count, &len) || len != page->data.length)
        return rwl_fail(err, RWL_CORRUPT, "full-zip page of %lld bytes: %lld rows of %zu bytes",
                        (long long)page->data.length, (long long)where->row_count, page->entry_len);
    return RWL_OK;
}

rwl_status rwl_lance_zip_open(const rwl_lance_page_request *request, rwl_lance_page_reader **out,
                              rwl_error *err) {
    *out = NULL;
    rwl_lance_zip_page *page = rwl_calloc(request->op->env, 1, sizeof *page);
    if (page == NULL)
        return rwl_no_memory(err, sizeof *page);
    rwl_lance_page_init(&page->base, &zip_vtable, request);
    rwl_lance_fetch_init(&page->index_fetch, request->file, request->op);
    rwl_buf_init(&page->scratch, request->op->env, RWL_COLUMN_BYTES_MAX);
    rwl_status st = open_zip(page, request->leaf, err);
    if (st != RWL_OK) {
        close_zip(&page->base);
        return st;
    }
    *out = &page->base;
    return RWL_OK;
}
