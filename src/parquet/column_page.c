/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a chunk: finding, checking, passing and decompressing them, setting up levels and values. */
#include "parquet/column_internal.h"
#include "parquet/index.h"

enum {
    HEADER_FIRST = 256, /* bytes looked at for a header; more only when it is longer */
    HEADER_MAX = 1024 * 1024,
    LEVELS_PREFIX = 4
};

rwl_status rwl_parquet_column_start(rwl_parquet_column *c, rwl_parquet_feed *feed,
                                    const rwl_parquet_chunk *chunk, int64_t rows, rwl_error *err) {
    rwl_codec_id ignored;
    const char *name = c->leaf->field.name;
    if (chunk->encrypted)
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s is encrypted", name);
    if (!rwl_parquet_codec_of(chunk->codec, &ignored))
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: codec %s is not supported", name,
                        rwl_parquet_codec_name(chunk->codec));
    if (c->leaf->max_repetition == 0 ? chunk->value_count != rows : chunk->value_count < rows)
        return rwl_fail(err, RWL_CORRUPT, "column %s: %lld values in a row group of %lld rows", name,
                        (long long)chunk->value_count, (long long)rows);
    rwl_parquet_dictionary_clear(&c->dictionary, c->shared->op);
    c->feed = feed;
    c->codec = chunk->codec;
    c->entries_left = chunk->value_count;
    c->group_rows = rows;
    c->row = 0;
    c->seen_page = false;
    c->index = NULL;
    c->page_no = 0;
    c->page_left = 0;
    c->page_rows = -1;
    c->page_is_aligned = false;
    rwl_parquet_values_begin(&c->values, c->shared->op->env, &c->layout, &c->dictionary, c->carries);
    return RWL_OK;
}

void rwl_parquet_column_clear(rwl_parquet_column *c) {
    rwl_op *op = c->shared->op;
    rwl_parquet_dictionary_clear(&c->dictionary, op);
    rwl_parquet_values_clear(&c->values);
    rwl_free(op->env, c->scratch);
    rwl_free(op->env, c->packed);
    rwl_op_release(op, (int64_t)(c->scratch_cap + c->packed_cap));
    c->scratch = c->packed = NULL;
    c->scratch_cap = c->packed_cap = 0;
}

/* --- bytes of a page --- */

static const char *name_entries(const rwl_parquet_column *c) {
    return c->leaf->max_repetition > 0 ? "values" : "rows";
}

static rwl_status read_header(rwl_parquet_column *c, rwl_parquet_page_header *h, rwl_error *err) {
    for (int64_t want = HEADER_FIRST;; want *= 4) {
        rwl_span bytes;
        size_t len;
        rwl_error first = {0};
        RWL_TRY(rwl_parquet_feed_peek(c->feed, want, &bytes, err));
        if (bytes.len == 0)
            return rwl_fail(err, RWL_CORRUPT, "chunk ends %lld %s too early", (long long)c->entries_left,
                            name_entries(c));
        rwl_status st = rwl_parquet_page_parse(bytes, h, &len, &first);
        if (st == RWL_OK) {
            rwl_parquet_feed_advance(c->feed, (int64_t)len);
            return RWL_OK;
        }
        if ((int64_t)bytes.len < want || want >= HEADER_MAX)
            return rwl_fail(err, st, "page header at offset %lld: %s", (long long)c->feed->pos,
                            first.message);
    }
}

/* Room for `len` bytes and slack, contents not kept. */
static rwl_status reserve_bytes(rwl_op *op, uint8_t **bytes, size_t *held, size_t len, rwl_error *err) {
    size_t cap = len + RWL_PARQUET_READ_SLACK;
    if (cap <= *held)
        return RWL_OK;
    if (cap < *held + *held / 2)
        cap = *held + *held / 2;
    rwl_free(op->env, *bytes);
    rwl_op_release(op, (int64_t)*held);
    *bytes = NULL;
    *held = 0;
    RWL_TRY(rwl_op_reserve(op, (int64_t)cap, "a page", err));
    *bytes = rwl_alloc(op->env, cap);
    if (!*bytes) {
        rwl_op_release(op, (int64_t)cap);
        return rwl_no_memory(err, cap);
    }
    *held = cap;
    return RWL_OK;
}

/* The uncompressed form of `body`, in the scratch or where it is. */
static rwl_status decompress(rwl_parquet_column *c, rwl_span body, size_t len, rwl_span *out,
                             rwl_error *err) {
    rwl_codec_id id = RWL_CODEC_NONE;
    (void)rwl_parquet_codec_of(c->codec, &id);
    if (len == 0) { /* some writers leave no bytes at all, some an empty frame */
        *out = rwl_span_of(body.data, 0);
        return RWL_OK;
    }
    if (len > (size_t)RWL_PARQUET_PAGE_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "page of %zu bytes; the limit is %d", len,
                        RWL_PARQUET_PAGE_MAX);
    if (id == RWL_CODEC_NONE) {
        if (body.len != len)
            return rwl_fail(err, RWL_CORRUPT, "uncompressed page of %zu bytes holds %zu", len, body.len);
        *out = body;
        return RWL_OK;
    }
    if (!rwl_parquet_page_may_expand(id, body.len, len))
        return rwl_fail(err, RWL_CORRUPT, "%zu bytes can't hold a page of %zu", body.len, len);
    rwl_codec **codec = &c->shared->codecs[id];
    if (!*codec)
        RWL_TRY(rwl_codec_new(c->shared->op->env, id, 0, codec, err));
    RWL_TRY(reserve_bytes(c->shared->op, &c->scratch, &c->scratch_cap, len, err));
    RWL_TRY(rwl_codec_decompress(*codec, body, c->scratch, len, err));
    memset(c->scratch + len, 0, RWL_PARQUET_READ_SLACK);
    *out = rwl_span_of(c->scratch, len);
    return RWL_OK;
}

static rwl_status read_body(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_span *body,
                            rwl_error *err) {
    RWL_TRY(rwl_parquet_feed_peek(c->feed, h->compressed_size, body, err));
    if (body->len < (size_t)h->compressed_size)
        return rwl_fail(err, RWL_CORRUPT, "page of %d bytes at offset %lld passes the end of its chunk",
                        h->compressed_size, (long long)c->feed->pos);
    if (h->has_crc && !c->shared->skip_page_crc && rwl_crc32(0, *body) != h->crc)
        return rwl_fail(err, RWL_CORRUPT, "page at offset %lld: wrong checksum", (long long)c->feed->pos);
    return RWL_OK;
}

/* --- dictionary pages --- */

static rwl_status read_dictionary(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_error *err) {
    rwl_span body, plain;
    if (c->seen_page)
        return rwl_fail(err, RWL_CORRUPT, "dictionary page behind other pages");
    if (h->encoding != RWL_PARQUET_PLAIN && h->encoding != RWL_PARQUET_PLAIN_DICTIONARY)
        return rwl_fail(err, RWL_UNSUPPORTED, "dictionary encoding %s is not supported",
                        rwl_parquet_encoding_name(h->encoding));
    RWL_TRY(read_body(c, h, &body, err));
    RWL_TRY(decompress(c, body, (size_t)h->uncompressed_size, &plain, err));
    return rwl_parquet_dictionary_build(&c->dictionary, c->shared->op, &c->layout, plain, h->value_count,
                                        err);
}

/* --- data pages --- */

static rwl_status check_encoding(const rwl_parquet_column *c, const rwl_parquet_page_header *h,
                                 rwl_error *err) {
    if (!rwl_parquet_values_supported(&c->layout, h->encoding))
        return rwl_fail(err, RWL_UNSUPPORTED, "encoding %s is not supported",
                        rwl_parquet_encoding_name(h->encoding));
    bool by_index = h->encoding == RWL_PARQUET_PLAIN_DICTIONARY || h->encoding == RWL_PARQUET_RLE_DICTIONARY;
    if (by_index && !c->dictionary.values && h->value_count > 0)
        return rwl_fail(err, RWL_CORRUPT, "indexes without a dictionary page");
    return RWL_OK;
}

/* The levels at the front of a v1 page, up to `max`, as a decoder; *page moves behind them. `slot` says which part of the
 * room for packed levels is theirs. */
static rwl_status take_levels_v1(rwl_parquet_column *c, const rwl_parquet_page_header *h, int32_t encoding,
                                 int max, size_t slot, rwl_span *page, rwl_rle *out, rwl_error *err) {
    int width = rwl_parquet_levels_width(max);
    size_t prefix = 0, len;
    if (encoding == RWL_PARQUET_BIT_PACKED) {
        len = (size_t)rwl_rle_bit_packed_bytes(width, (uint64_t)h->value_count);
    } else if (encoding == RWL_PARQUET_RLE) {
        prefix = LEVELS_PREFIX;
        if (page->len < prefix)
            return rwl_fail(err, RWL_CORRUPT, "page of %zu bytes without levels", page->len);
        len = rwl_load_le32(page->data);
    } else {
        return rwl_fail(err, RWL_UNSUPPORTED, "levels in encoding %s are not supported",
                        rwl_parquet_encoding_name(encoding));
    }
    if (len > page->len - prefix)
        return rwl_fail(err, RWL_CORRUPT, "levels of %zu bytes in a page of %zu", len, page->len);
    rwl_span levels = rwl_span_of(page->data + prefix, len);
    *page = rwl_span_of(page->data + prefix + len, page->len - prefix - len);
    if (prefix > 0) {
        rwl_rle_init(out, levels, width);
        return RWL_OK;
    }
    return rwl_rle_init_bit_packed(out, levels, width, (uint64_t)h->value_count, c->packed + slot, err);
}

/* Room for both kinds of packed levels, each with slack; no more than the page has, or it is refused when taken. */
static rwl_status reserve_packed(rwl_parquet_column *c, const rwl_parquet_page_header *h, size_t page_len,
                                 size_t *second, rwl_error *err) {
    *second = 0;
    if ((!c->has_repetition || h->repetition_encoding != RWL_PARQUET_BIT_PACKED) &&
        (!c->has_levels || h->definition_encoding != RWL_PARQUET_BIT_PACKED))
        return RWL_OK;
    *second = page_len + RWL_RLE_SLACK;
    return reserve_bytes(c->shared->op, &c->packed, &c->packed_cap, 2 * *second, err);
}

static rwl_status open_v1(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_span body,
                          rwl_span *values, rwl_error *err) {
    size_t second;
    RWL_TRY(decompress(c, body, (size_t)h->uncompressed_size, values, err));
    RWL_TRY(reserve_packed(c, h, values->len, &second, err));
    if (c->has_repetition)
        RWL_TRY(take_levels_v1(c, h, h->repetition_encoding, c->leaf->max_repetition, 0, values,
                               &c->repetition, err));
    if (c->has_levels)
        RWL_TRY(take_levels_v1(c, h, h->definition_encoding, c->leaf->max_definition, second, values,
                               &c->levels, err));
    return RWL_OK;
}

static rwl_status open_v2(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_span body,
                          rwl_span *values, rwl_error *err) {
    size_t before = (size_t)h->definition_len + (size_t)h->repetition_len;
    if (before > body.len || before > (size_t)h->uncompressed_size)
        return rwl_fail(err, RWL_CORRUPT, "levels of %zu bytes in a page of %d, %d uncompressed", before,
                        h->compressed_size, h->uncompressed_size);
    c->has_levels = c->has_levels && (h->definition_len > 0 || h->null_count > 0);
    c->has_repetition = c->has_repetition && h->repetition_len > 0;
    rwl_span repetition = rwl_span_of(body.data, (size_t)h->repetition_len);
    rwl_span definition = rwl_span_of(body.data + h->repetition_len, (size_t)h->definition_len);
    rwl_rle_init(&c->repetition, repetition, rwl_parquet_levels_width(c->leaf->max_repetition));
    rwl_rle_init(&c->levels, definition, rwl_parquet_levels_width(c->leaf->max_definition));
    *values = rwl_span_of(body.data + before, body.len - before);
    if (!h->is_compressed)
        return RWL_OK;
    return decompress(c, *values, (size_t)h->uncompressed_size - before, values, err);
}

static rwl_status open_data_page(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_error *err) {
    rwl_span body, values;
    RWL_TRY(check_encoding(c, h, err));
    RWL_TRY(read_body(c, h, &body, err));
    c->has_levels = c->leaf->max_definition > 0;
    c->has_repetition = c->leaf->max_repetition > 0;
    if (h->type == RWL_PARQUET_DATA_PAGE)
        RWL_TRY(open_v1(c, h, body, &values, err));
    else
        RWL_TRY(open_v2(c, h, body, &values, err));
    c->shared->pages_read++;
    c->page_left = h->value_count;
    return rwl_parquet_values_init(&c->values, h->encoding, values, err);
}

/* --- where pages are --- */

bool rwl_parquet_column_more(const rwl_parquet_column *c) {
    return c->index ? c->page_no < c->index->page_count : c->entries_left > 0;
}

int64_t rwl_parquet_column_next_row(const rwl_parquet_column *c) {
    return c->page_no < c->index->page_count ? c->index->pages[c->page_no].first_row : c->group_rows;
}

/* Passes pages that end before `skip` rows do by what the index says, without their headers. */
static rwl_status jump(rwl_parquet_column *c, int64_t skip, int64_t *skipped, rwl_error *err) {
    const rwl_parquet_offset_index *index = c->index;
    int32_t low = c->page_no, high = index->page_count;
    int64_t row = c->row + skip;
    while (low < high) { /* the first page behind the row */
        int32_t mid = low + (high - low) / 2;
        if (index->pages[mid].first_row <= row)
            low = mid + 1;
        else
            high = mid;
    }
    int32_t target = row >= c->group_rows ? index->page_count : low - 1;
    if (target <= c->page_no)
        return RWL_OK;
    int64_t off = target < index->page_count ? index->pages[target].off : c->feed->end;
    if (off < c->feed->pos || off > c->feed->end)
        return rwl_fail(err, RWL_CORRUPT, "offset index: page %d at offset %lld", target, (long long)off);
    rwl_parquet_feed_advance(c->feed, off - c->feed->pos);
    c->shared->pages_skipped += target - c->page_no;
    c->page_is_aligned = true;
    c->page_no = target;
    *skipped = rwl_parquet_column_next_row(c) - c->row;
    c->row += *skipped;
    c->entries_left = c->leaf->max_repetition > 0 ? -1 : c->entries_left - *skipped;
    return RWL_OK;
}

/* The page must be where the index has it. */
static rwl_status check_place(const rwl_parquet_column *c, int64_t off, int64_t rows, rwl_error *err) {
    if (c->page_no >= c->index->page_count)
        return rwl_fail(err, RWL_CORRUPT, "more pages than the offset index has");
    const rwl_parquet_page_place *place = &c->index->pages[c->page_no];
    int64_t end = c->page_no + 1 < c->index->page_count ? place[1].first_row : c->group_rows;
    if (place->off != off || place->first_row != c->row)
        return rwl_fail(err, RWL_CORRUPT,
                        "page %d is at offset %lld and row %lld; offset index: %lld and %lld", c->page_no,
                        (long long)off, (long long)c->row, (long long)place->off,
                        (long long)place->first_row);
    if (rows >= 0 && rows != end - place->first_row)
        return rwl_fail(err, RWL_CORRUPT, "page %d has %lld rows; offset index: %lld", c->page_no,
                        (long long)rows, (long long)(end - place->first_row));
    return RWL_OK;
}

/* Rows of a page by its header and the index; -1 when neither says it. */
static rwl_status find_rows(const rwl_parquet_column *c, const rwl_parquet_page_header *h, int64_t off,
                            int64_t *rows, rwl_error *err) {
    *rows = -1;
    if (c->leaf->max_repetition == 0)
        *rows = h->value_count;
    else if (h->type == RWL_PARQUET_DATA_PAGE_V2 && h->row_count > 0)
        *rows = h->row_count;
    if (*rows > h->value_count)
        return rwl_fail(err, RWL_CORRUPT, "page of %d values has %lld rows", h->value_count,
                        (long long)*rows);
    if (!c->index)
        return RWL_OK;
    RWL_TRY(check_place(c, off, *rows, err));
    int64_t first = c->index->pages[c->page_no].first_row;
    *rows =
        (c->page_no + 1 < c->index->page_count ? c->index->pages[c->page_no + 1].first_row : c->group_rows) -
        first;
    return RWL_OK;
}

/* A data page of at least one entry: opened, or passed when it has no more than `skip` rows. */
static rwl_status meet_data_page(rwl_parquet_column *c, const rwl_parquet_page_header *h, int64_t off,
                                 int64_t skip, int64_t *skipped, rwl_error *err) {
    if (c->entries_left >= 0 && h->value_count > c->entries_left)
        return rwl_fail(err, RWL_CORRUPT, "page of %d %s where %lld are left", h->value_count,
                        name_entries(c), (long long)c->entries_left);
    RWL_TRY(find_rows(c, h, off, &c->page_rows, err));
    c->page_is_aligned = c->index || h->type == RWL_PARQUET_DATA_PAGE_V2;
    bool is_chained = c->carries && h->encoding == RWL_PARQUET_DELTA_BYTE_ARRAY;
    if (c->page_rows >= 0 && c->page_rows <= skip && !is_chained) {
        *skipped = c->page_rows;
        c->shared->pages_skipped++;
        c->row += c->page_rows;
    } else {
        RWL_TRY(open_data_page(c, h, err));
        if (c->leaf->max_repetition == 0)
            c->row += h->value_count;
    }
    c->page_no++;
    if (c->entries_left >= 0)
        c->entries_left -= h->value_count;
    return RWL_OK;
}

rwl_status rwl_parquet_column_open(rwl_parquet_column *c, int64_t skip, int64_t *skipped, rwl_error *err) {
    *skipped = 0;
    for (;;) {
        bool is_at_data = c->index && c->page_no < c->index->page_count && !c->carries &&
                          (c->seen_page || c->feed->pos >= c->index->pages[0].off);
        if (is_at_data && skip > 0)
            RWL_TRY(jump(c, skip, skipped, err));
        if (*skipped > 0)
            return RWL_OK;
        rwl_parquet_page_header h;
        int64_t off = c->feed->pos;
        RWL_TRY(read_header(c, &h, err));
        bool is_data =
            (h.type == RWL_PARQUET_DATA_PAGE || h.type == RWL_PARQUET_DATA_PAGE_V2) && h.value_count > 0;
        if (h.type == RWL_PARQUET_DICTIONARY_PAGE)
            RWL_TRY(read_dictionary(c, &h, err));
        else if (is_data)
            RWL_TRY(meet_data_page(c, &h, off, skip, skipped, err));
        if (h.compressed_size > c->feed->end - c->feed->pos)
            return rwl_fail(err, RWL_CORRUPT, "page of %d bytes passes the end of its chunk",
                            h.compressed_size);
        rwl_parquet_feed_advance(c->feed, h.compressed_size);
        c->seen_page = true;
        if (is_data)
            return RWL_OK;
    }
}
