/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a chunk: finding, checking, decompressing them and setting up levels and values. */
#include "parquet/column_read.h"

#include "parquet/column_internal.h"

enum {
    HEADER_FIRST = 256, /* bytes looked at for a header; more only when it is longer */
    HEADER_MAX = 1024 * 1024,
    LEVELS_PREFIX = 4
};

rwl_status rwl_parquet_column_start(rwl_parquet_column *c, rwl_parquet_feed *feed,
                                    const rwl_parquet_chunk *chunk, int64_t rows, rwl_error *err) {
    rwl_codec_id ignored;
    if (!rwl_parquet_codec_of(chunk->codec, &ignored))
        return rwl_fail(err, RWL_UNSUPPORTED, "column %s: codec %s is not supported", c->leaf->field.name,
                        rwl_parquet_codec_name(chunk->codec));
    rwl_parquet_dictionary_clear(&c->dictionary, c->shared->op);
    c->feed = feed;
    c->codec = chunk->codec;
    c->rows_left = rows;
    c->seen_page = false;
    c->page_left = 0;
    rwl_parquet_values_begin(&c->values, c->shared->op->env, &c->layout, &c->dictionary, false);
    return RWL_OK;
}

void rwl_parquet_column_clear(rwl_parquet_column *c) {
    rwl_op *op = c->shared->op;
    rwl_parquet_dictionary_clear(&c->dictionary, op);
    rwl_parquet_values_clear(&c->values);
    rwl_free(op->env, c->scratch);
    rwl_op_release(op, (int64_t)c->scratch_cap);
    c->scratch = NULL;
    c->scratch_cap = 0;
}

/* --- bytes of a page --- */

static rwl_status read_header(rwl_parquet_column *c, rwl_parquet_page_header *h, rwl_error *err) {
    for (int64_t want = HEADER_FIRST;; want *= 4) {
        rwl_span bytes;
        size_t len;
        rwl_error first = {0};
        RWL_TRY(rwl_parquet_feed_peek(c->feed, want, &bytes, err));
        if (bytes.len == 0)
            return rwl_fail(err, RWL_CORRUPT, "chunk ends %lld rows too early", (long long)c->rows_left);
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

/* A codec makes at most so much of `len` bytes: what claims more is refused before memory is asked for. */
static bool can_expand(rwl_codec_id codec, size_t len, size_t to) {
    static const size_t factors[] = {[RWL_CODEC_NONE] = 1,
                                     [RWL_CODEC_SNAPPY] = 32,
                                     [RWL_CODEC_GZIP] = 1040,
                                     [RWL_CODEC_DEFLATE] = 1040,
                                     [RWL_CODEC_ZSTD] = 48 * 1024,
                                     [RWL_CODEC_LZ4_RAW] = 255,
                                     [RWL_CODEC_LZ4_HADOOP] = 255,
                                     [RWL_CODEC_BROTLI] = 1024 * 1024};
    return to / factors[codec] <= len + 64;
}

static rwl_status reserve_scratch(rwl_parquet_column *c, size_t len, rwl_error *err) {
    rwl_op *op = c->shared->op;
    size_t cap = len + RWL_PARQUET_READ_SLACK;
    if (cap <= c->scratch_cap)
        return RWL_OK;
    if (cap < c->scratch_cap + c->scratch_cap / 2)
        cap = c->scratch_cap + c->scratch_cap / 2;
    rwl_free(op->env, c->scratch);
    rwl_op_release(op, (int64_t)c->scratch_cap);
    c->scratch = NULL;
    c->scratch_cap = 0;
    RWL_TRY(rwl_op_reserve(op, (int64_t)cap, "a page", err));
    c->scratch = rwl_alloc(op->env, cap);
    if (!c->scratch) {
        rwl_op_release(op, (int64_t)cap);
        return rwl_no_memory(err, cap);
    }
    c->scratch_cap = cap;
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
    if (!can_expand(id, body.len, len))
        return rwl_fail(err, RWL_CORRUPT, "%zu bytes can't hold a page of %zu", body.len, len);
    rwl_codec **codec = &c->shared->codecs[id];
    if (!*codec)
        RWL_TRY(rwl_codec_new(c->shared->op->env, id, 0, codec, err));
    RWL_TRY(reserve_scratch(c, len, err));
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

/* Cuts the levels of a v1 page off its front. */
static rwl_status take_levels_v1(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_span *page,
                                 rwl_error *err) {
    if (!c->has_levels)
        return RWL_OK;
    if (h->definition_encoding != RWL_PARQUET_RLE)
        return rwl_fail(err, RWL_UNSUPPORTED, "levels in encoding %s are not supported",
                        rwl_parquet_encoding_name(h->definition_encoding));
    if (page->len < LEVELS_PREFIX)
        return rwl_fail(err, RWL_CORRUPT, "page of %zu bytes without levels", page->len);
    size_t len = rwl_load_le32(page->data);
    if (len > page->len - LEVELS_PREFIX)
        return rwl_fail(err, RWL_CORRUPT, "levels of %zu bytes in a page of %zu", len, page->len);
    rwl_rle_init(&c->levels, rwl_span_of(page->data + LEVELS_PREFIX, len), 1);
    *page = rwl_span_of(page->data + LEVELS_PREFIX + len, page->len - LEVELS_PREFIX - len);
    return RWL_OK;
}

static rwl_status open_v1(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_span body,
                          rwl_span *values, rwl_error *err) {
    RWL_TRY(decompress(c, body, (size_t)h->uncompressed_size, values, err));
    return take_levels_v1(c, h, values, err);
}

static rwl_status open_v2(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_span body,
                          rwl_span *values, rwl_error *err) {
    size_t before = (size_t)h->definition_len + (size_t)h->repetition_len;
    if (before > body.len || before > (size_t)h->uncompressed_size)
        return rwl_fail(err, RWL_CORRUPT, "levels of %zu bytes in a page of %d, %d uncompressed", before,
                        h->compressed_size, h->uncompressed_size);
    c->has_levels = c->has_levels && (h->definition_len > 0 || h->null_count > 0);
    if (c->has_levels)
        rwl_rle_init(&c->levels, rwl_span_of(body.data + h->repetition_len, (size_t)h->definition_len), 1);
    *values = rwl_span_of(body.data + before, body.len - before);
    if (!h->is_compressed)
        return RWL_OK;
    return decompress(c, *values, (size_t)h->uncompressed_size - before, values, err);
}

static rwl_status open_data_page(rwl_parquet_column *c, const rwl_parquet_page_header *h, rwl_error *err) {
    rwl_span body, values;
    RWL_TRY(check_encoding(c, h, err));
    RWL_TRY(read_body(c, h, &body, err));
    c->has_levels = !c->leaf->field.required;
    if (h->type == RWL_PARQUET_DATA_PAGE)
        RWL_TRY(open_v1(c, h, body, &values, err));
    else
        RWL_TRY(open_v2(c, h, body, &values, err));
    c->shared->pages_read++;
    return rwl_parquet_values_init(&c->values, h->encoding, values, err);
}

/* The next page that has rows. Sets page_left; a page of no more than `skip` rows is passed without being
 * looked at, and *skipped says how many those were. */
static rwl_status open_page(rwl_parquet_column *c, int64_t skip, int64_t *skipped, rwl_error *err) {
    *skipped = 0;
    for (;;) {
        rwl_parquet_page_header h;
        RWL_TRY(read_header(c, &h, err));
        bool is_data = h.type == RWL_PARQUET_DATA_PAGE || h.type == RWL_PARQUET_DATA_PAGE_V2;
        if (h.type == RWL_PARQUET_DICTIONARY_PAGE) {
            RWL_TRY(read_dictionary(c, &h, err));
        } else if (is_data && h.value_count > c->rows_left) {
            return rwl_fail(err, RWL_CORRUPT, "page of %d rows where %lld are left", h.value_count,
                            (long long)c->rows_left);
        } else if (is_data && h.value_count > 0 && h.value_count > skip) {
            RWL_TRY(open_data_page(c, &h, err));
            c->page_left = h.value_count;
        } else if (is_data) {
            *skipped = h.value_count;
            c->shared->pages_skipped++;
        }
        if (h.compressed_size > c->feed->end - c->feed->pos)
            return rwl_fail(err, RWL_CORRUPT, "page of %d bytes passes the end of its chunk",
                            h.compressed_size);
        rwl_parquet_feed_advance(c->feed, h.compressed_size);
        c->seen_page = true;
        c->rows_left -= is_data ? h.value_count : 0;
        if (is_data && h.value_count > 0)
            return RWL_OK;
    }
}

/* --- skipping and reading rows --- */

/* How many of the next `rows` rows have values; their levels are passed. */
static rwl_status count_valid(rwl_parquet_column *c, int64_t rows, int64_t *valid, rwl_error *err) {
    *valid = rows;
    if (!c->has_levels)
        return RWL_OK;
    *valid = 0;
    while (rows > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(&c->levels, (size_t)rows, &run, err));
        *valid += rwl_parquet_levels_count(&run);
        rows -= (int64_t)run.count;
    }
    return RWL_OK;
}

static rwl_status skip_rows(rwl_parquet_column *c, int64_t rows, rwl_error *err) {
    while (rows > 0) {
        int64_t valid, skipped;
        if (c->page_left == 0) {
            RWL_TRY(open_page(c, rows, &skipped, err));
            rows -= skipped;
            continue;
        }
        int64_t n = rows < c->page_left ? rows : c->page_left;
        RWL_TRY(count_valid(c, n, &valid, err));
        RWL_TRY(rwl_parquet_values_skip(&c->values, valid, err));
        c->page_left -= n;
        rows -= n;
    }
    return RWL_OK;
}

static rwl_status in_column(const rwl_parquet_column *c, rwl_status st, rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "column %s", c->leaf->field.name);
}

rwl_status rwl_parquet_column_skip(rwl_parquet_column *c, int64_t rows, rwl_error *err) {
    return in_column(c, skip_rows(c, rows, err), err);
}

static rwl_status read_rows(rwl_parquet_column *c, rwl_column *out, int64_t rows, rwl_error *err) {
    const rwl_env *env = c->shared->op->env;
    RWL_TRY(rwl_column_reserve(out, env, out->length + rows, out->bytes_len, err));
    if (!c->leaf->field.required)
        RWL_TRY(rwl_column_need_validity(out, env, out->length + rows, err));
    if (c->layout.convert == RWL_PARQUET_TO_BYTES && out->length == 0)
        memset(out->offsets.data, 0, sizeof(int32_t));
    while (rows > 0) {
        int64_t ignored, before = out->length;
        bool is_full = false;
        if (c->page_left == 0)
            RWL_TRY(open_page(c, 0, &ignored, err));
        RWL_TRY(rwl_parquet_column_decode(c, out, rows < c->page_left ? rows : c->page_left, &is_full, err));
        int64_t done = out->length - before;
        c->page_left -= done;
        rows -= done;
        if (is_full)
            break;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_column_read(rwl_parquet_column *c, rwl_column *out, int64_t rows, rwl_error *err) {
    return in_column(c, read_rows(c, out, rows, err), err);
}
