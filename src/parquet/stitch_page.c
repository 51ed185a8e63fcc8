/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages kept whole: opened as far as something in them has to change, and put together again. Values are not decoded.
 *
 *   v1 body := [repetition levels] [definition levels] values      compressed as one; each kind of levels after its length
 *   v2 body := [repetition levels] [definition levels] values      only the values compressed
 */
#include "parquet/stitch_internal.h"

#include "parquet/encode.h"

enum { LENGTH = 4 };

/* --- opening --- */

rwl_status rwl_stitch_inflate(rwl_stitch_work *w, rwl_codec_id codec, rwl_span body, size_t len, rwl_buf *to,
                              rwl_span *out, rwl_error *err) {
    if (len == 0) { /* some writers leave no bytes at all, some an empty frame */
        *out = rwl_span_of(body.data != NULL ? body.data : (const uint8_t *)"", 0);
        return RWL_OK;
    }
    if (len > (size_t)RWL_PARQUET_PAGE_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "page of %zu bytes; the limit is %d", len,
                        RWL_PARQUET_PAGE_MAX);
    if (codec == RWL_CODEC_NONE) {
        if (body.len != len)
            return rwl_fail(err, RWL_CORRUPT, "an uncompressed page of another length than its header says");
        *out = body;
        return RWL_OK;
    }
    if (!rwl_parquet_page_may_expand(codec, body.len, len))
        return rwl_fail(err, RWL_CORRUPT, "a page that claims more bytes than it can hold");
    if ((int64_t)len > w->inflated) {
        RWL_TRY(rwl_op_reserve(w->op, (int64_t)len - w->inflated, "a page", err));
        w->inflated = (int64_t)len;
    }
    if (w->inflate[codec] == NULL)
        RWL_TRY(rwl_codec_new(w->env, codec, 0, &w->inflate[codec], err));
    rwl_buf_reset(to);
    RWL_TRY(rwl_buf_reserve(to, len + RWL_PARQUET_READ_SLACK, err));
    RWL_TRY(rwl_codec_decompress(w->inflate[codec], body, to->data, len, err));
    memset(to->data + len, 0, RWL_PARQUET_READ_SLACK);
    *out = rwl_span_of(to->data, len);
    return RWL_OK;
}

static int width_of(int max) {
    int width = 0;
    for (; max > 0; max >>= 1)
        width++;
    return width;
}

/* Cuts one kind of levels off the front of a v1 page. */
static rwl_status cut_levels(const rwl_stitch_page *p, int max, int32_t encoding, rwl_span *page,
                             rwl_span *levels, bool *packed, rwl_error *err) {
    *packed = false;
    *levels = rwl_span_of(NULL, 0);
    if (max == 0)
        return RWL_OK;
    size_t len, prefix = 0;
    if (encoding == RWL_PARQUET_BIT_PACKED) {
        len = (size_t)rwl_rle_bit_packed_bytes(width_of(max), (uint64_t)p->header.value_count);
        *packed = true;
    } else if (encoding == RWL_PARQUET_RLE) {
        if (page->len < LENGTH)
            return rwl_fail(err, RWL_CORRUPT, "a page without room for its levels");
        len = rwl_load_le32(page->data);
        prefix = LENGTH;
    } else {
        return rwl_fail(err, RWL_UNSUPPORTED, "levels in encoding %s are not supported",
                        rwl_parquet_encoding_name(encoding));
    }
    if (len > page->len - prefix)
        return rwl_fail(err, RWL_CORRUPT, "levels longer than their page");
    *levels = rwl_span_of(page->data + prefix, len);
    *page = rwl_span_of(page->data + prefix + len, page->len - prefix - len);
    return RWL_OK;
}

static rwl_status open_v1(rwl_stitch_work *w, rwl_stitch_page *p, rwl_error *err) {
    rwl_span plain;
    RWL_TRY(rwl_stitch_inflate(w, w->in_codec, p->body, (size_t)p->header.uncompressed_size, &w->plain,
                               &plain, err));
    RWL_TRY(cut_levels(p, w->from->max_repetition, p->header.repetition_encoding, &plain, &p->repetitions,
                       &p->packed_repetitions, err));
    RWL_TRY(cut_levels(p, w->from->max_definition, p->header.definition_encoding, &plain, &p->definitions,
                       &p->packed_definitions, err));
    p->values = plain;
    return RWL_OK;
}

static rwl_status open_v2(rwl_stitch_work *w, rwl_stitch_page *p, rwl_error *err) {
    const rwl_parquet_page_header *h = &p->header;
    size_t repetition = (size_t)h->repetition_len, definition = (size_t)h->definition_len;
    if (repetition + definition > p->body.len || repetition + definition > (size_t)h->uncompressed_size)
        return rwl_fail(err, RWL_CORRUPT, "levels longer than their page");
    p->repetitions = p->definitions = rwl_span_of(NULL, 0);
    if (w->from->max_repetition > 0)
        p->repetitions = rwl_span_of(p->body.data, repetition);
    if (w->from->max_definition > 0 && (definition > 0 || h->null_count > 0))
        p->definitions = rwl_span_of(p->body.data + repetition, definition);
    p->stored_values =
        rwl_span_of(p->body.data + repetition + definition, p->body.len - repetition - definition);
    return RWL_OK;
}

static rwl_status open_values_v2(rwl_stitch_work *w, rwl_stitch_page *p, rwl_error *err) {
    const rwl_parquet_page_header *h = &p->header;
    size_t len = (size_t)h->uncompressed_size - (size_t)h->repetition_len - (size_t)h->definition_len;
    rwl_codec_id codec = h->is_compressed ? w->in_codec : RWL_CODEC_NONE;
    return rwl_stitch_inflate(w, codec, p->stored_values, len, &w->plain, &p->values, err);
}

rwl_status rwl_stitch_page_open(rwl_stitch_work *w, rwl_stitch_page *p, bool with_values, rwl_error *err) {
    bool is_v2 = p->header.type == RWL_PARQUET_DATA_PAGE_V2;
    if (!p->is_open)
        RWL_TRY(is_v2 ? open_v2(w, p, err) : open_v1(w, p, err));
    p->is_open = true;
    return is_v2 && with_values && p->values.data == NULL ? open_values_v2(w, p, err) : RWL_OK;
}

/* --- levels --- */

static rwl_status read_levels(rwl_stitch_work *w, rwl_span bytes, bool packed, int max, uint8_t *out,
                              size_t count, rwl_error *err) {
    enum { BLOCK = 1024 };
    uint32_t block[BLOCK];
    rwl_rle rle;
    if (packed) {
        rwl_buf_reset(&w->packed);
        RWL_TRY(rwl_buf_reserve(&w->packed, bytes.len + RWL_RLE_SLACK, err));
        RWL_TRY(rwl_rle_init_bit_packed(&rle, bytes, width_of(max), count, w->packed.data, err));
    } else {
        rwl_rle_init(&rle, bytes, width_of(max));
    }
    for (size_t done = 0; done < count;) {
        uint64_t repeats;
        uint32_t value;
        RWL_TRY(rwl_rle_peek(&rle, &repeats, &value, err));
        size_t n = count - done;
        if (repeats > 0) {
            n = repeats < n ? (size_t)repeats : n;
            if (value > (uint32_t)max)
                return rwl_fail(err, RWL_CORRUPT, "a level above the greatest");
            memset(out + done, (int)value, n);
            RWL_TRY(rwl_rle_skip(&rle, n, err));
        } else {
            n = n < BLOCK ? n : BLOCK;
            RWL_TRY(rwl_rle_read(&rle, block, n, err));
            uint32_t above = 0;
            for (size_t i = 0; i < n; i++) {
                above |= block[i] > (uint32_t)max;
                out[done + i] = (uint8_t)block[i];
            }
            if (above)
                return rwl_fail(err, RWL_CORRUPT, "a level above the greatest");
        }
        done += n;
    }
    return RWL_OK;
}

rwl_status rwl_stitch_page_levels(rwl_stitch_work *w, const rwl_stitch_page *p, rwl_error *err) {
    size_t count = (size_t)p->header.value_count;
    w->definitions.len = w->repetitions.len = 0;
    if (w->from->max_definition > 0) {
        RWL_TRY(rwl_vec_reserve(&w->definitions, w->env, count, err));
        if (p->definitions.data == NULL)
            memset(w->definitions.items, w->from->max_definition, count);
        else
            RWL_TRY(read_levels(w, p->definitions, p->packed_definitions, w->from->max_definition,
                                w->definitions.items, count, err));
        w->definitions.len = count;
    } else if (w->map->levels == RWL_STITCH_MAP) {
        RWL_TRY(rwl_vec_reserve(&w->definitions, w->env, count, err));
        memset(w->definitions.items, 0, count);
        w->definitions.len = count;
    }
    if (w->from->max_repetition > 0) {
        RWL_TRY(rwl_vec_reserve(&w->repetitions, w->env, count, err));
        RWL_TRY(read_levels(w, p->repetitions, p->packed_repetitions, w->from->max_repetition,
                            w->repetitions.items, count, err));
        w->repetitions.len = count;
    }
    return RWL_OK;
}

size_t rwl_stitch_count_values(const rwl_stitch_work *w, size_t first, size_t count) {
    if (w->from->max_definition == 0)
        return count;
    const uint8_t *levels = w->definitions.items + first;
    uint8_t max = (uint8_t)w->from->max_definition;
    size_t values = 0;
    for (size_t i = 0; i < count; i++)
        values += levels[i] == max;
    return values;
}

/* --- what has to change --- */

static bool changes_levels(const rwl_stitch_work *w, const rwl_stitch_page *p) {
    const rwl_parquet_page_header *h = &p->header;
    if (w->map->levels != RWL_STITCH_SAME)
        return true;
    if (h->type == RWL_PARQUET_DATA_PAGE_V2) /* some leave them out where all values are present */
        return w->from->max_definition > 0 && h->definition_len == 0;
    return (w->from->max_definition > 0 && h->definition_encoding != RWL_PARQUET_RLE) ||
           (w->from->max_repetition > 0 && h->repetition_encoding != RWL_PARQUET_RLE);
}

static bool changes_indexes(const rwl_stitch_work *w, const rwl_stitch_page *p) {
    return p->is_coded && !w->dictionary.is_identity;
}

bool rwl_stitch_page_fits(const rwl_stitch_work *w, const rwl_stitch_page *p) {
    return p->header.type == w->page_type && w->in_codec == w->codec && !changes_levels(w, p) &&
           !changes_indexes(w, p);
}

/* --- putting together --- */

/* Appends levels as an RLE hybrid. */
static rwl_status put_definitions(rwl_stitch_work *w, const rwl_stitch_page *p, rwl_buf *out,
                                  rwl_error *err) {
    size_t count = (size_t)p->header.value_count;
    int max = w->leaf->max_definition;
    if (w->map->levels == RWL_STITCH_SAME && !p->packed_definitions && p->definitions.data != NULL)
        return rwl_buf_append(out, p->definitions.data, p->definitions.len, err);
    if (w->map->levels == RWL_STITCH_ADD) {
        RWL_TRY(rwl_buf_reserve(out, rwl_parquet_levels_bound(count), err));
        out->len += rwl_parquet_levels_constant(true, count, out->data + out->len);
        return RWL_OK;
    }
    uint8_t *levels = w->definitions.items;
    if (w->map->levels == RWL_STITCH_MAP)
        for (size_t i = 0; i < count; i++) {
            levels[i] = w->map->definitions[levels[i]];
            if (levels[i] == RWL_STITCH_NO_LEVEL)
                return rwl_fail(err, RWL_CORRUPT, "a null in a required column");
        }
    return rwl_parquet_levels_append(levels, count, max, &w->wide, out, err);
}

static rwl_status put_repetitions(rwl_stitch_work *w, const rwl_stitch_page *p, rwl_buf *out,
                                  rwl_error *err) {
    if (!p->packed_repetitions)
        return rwl_buf_append(out, p->repetitions.data, p->repetitions.len, err);
    return rwl_parquet_levels_append(w->repetitions.items, (size_t)p->header.value_count,
                                     w->leaf->max_repetition, &w->wide, out, err);
}

/* Both kinds of levels as the output has them, in w->levels, with their lengths in pages of version 1. */
static rwl_status put_levels(rwl_stitch_work *w, const rwl_stitch_page *p, rwl_parquet_page_header *h,
                             rwl_error *err) {
    size_t prefix = w->page_type == RWL_PARQUET_DATA_PAGE ? LENGTH : 0, lens[2] = {0, 0};
    int maxes[2] = {w->leaf->max_repetition, w->leaf->max_definition};
    rwl_buf *out = &w->levels;
    rwl_buf_reset(out);
    for (int kind = 0; kind < 2; kind++) {
        if (maxes[kind] == 0)
            continue;
        if (prefix > 0)
            RWL_TRY(rwl_buf_le32(out, 0, err));
        size_t start = out->len;
        RWL_TRY(kind == 0 ? put_repetitions(w, p, out, err) : put_definitions(w, p, out, err));
        lens[kind] = out->len - start;
        if (prefix > 0)
            rwl_store_le32(out->data + start - LENGTH, (uint32_t)lens[kind]);
    }
    h->repetition_len = (int32_t)lens[0];
    h->definition_len = (int32_t)lens[1];
    return RWL_OK;
}

/* The page's indexes in the chunk's dictionary. */
static rwl_status remap(rwl_stitch_work *w, const rwl_stitch_page *p, size_t count, rwl_span *out,
                        rwl_error *err) {
    rwl_buf *to = &w->remapped;
    int width = rwl_parquet_bit_width(rwl_stitch_dictionary_count(w));
    RWL_TRY(rwl_vec_reserve(&w->build.mapped, w->env, count + 1, err));
    uint32_t *indexes = w->build.mapped.items;
    if (count > 0) {
        if (p->values.len == 0 || p->values.data[0] > 32)
            return rwl_fail(err, RWL_CORRUPT, "a page of indexes without their width");
        rwl_rle rle;
        rwl_rle_init(&rle, rwl_span_of(p->values.data + 1, p->values.len - 1), p->values.data[0]);
        RWL_TRY(rwl_rle_read(&rle, indexes, count, err));
        RWL_TRY(rwl_stitch_dictionary_remap(w, indexes, count, err));
    }
    rwl_buf_reset(to);
    RWL_TRY(rwl_buf_reserve(to, 1 + rwl_parquet_hybrid_bound(count, width), err));
    to->data[0] = (uint8_t)width;
    to->len = 1 + (count > 0 ? rwl_parquet_hybrid_encode(indexes, count, width, to->data + 1) : 0);
    *out = rwl_buf_span(to);
    return RWL_OK;
}

static rwl_status compress(rwl_stitch_work *w, rwl_span plain, rwl_buf *out, rwl_error *err) {
    if (w->codecs->full == NULL)
        return rwl_buf_append(out, plain.data, plain.len, err);
    return rwl_codec_compress(w->codecs->full, plain, out, err);
}

static rwl_status store_v1(rwl_stitch_work *w, rwl_span values, rwl_parquet_page_header *h, rwl_error *err) {
    rwl_buf_reset(&w->body);
    RWL_TRY(rwl_buf_append(&w->body, w->levels.data, w->levels.len, err));
    RWL_TRY(rwl_buf_append(&w->body, values.data, values.len, err));
    h->uncompressed_size = (int32_t)w->body.len;
    h->is_compressed = true;
    rwl_buf_reset(&w->stored);
    return compress(w, rwl_buf_span(&w->body), &w->stored, err);
}

static rwl_status store_v2(rwl_stitch_work *w, const rwl_stitch_page *p, rwl_span values, bool as_stored,
                           rwl_parquet_page_header *h, rwl_error *err) {
    size_t values_len = values.len;
    rwl_buf_reset(&w->stored);
    RWL_TRY(rwl_buf_append(&w->stored, w->levels.data, w->levels.len, err));
    if (as_stored) {
        values_len = (size_t)p->header.uncompressed_size - (size_t)p->header.definition_len -
                     (size_t)p->header.repetition_len;
        RWL_TRY(rwl_buf_append(&w->stored, p->stored_values.data, p->stored_values.len, err));
    } else {
        h->is_compressed = w->codecs->full != NULL && values.len > 0;
        if (h->is_compressed)
            RWL_TRY(rwl_codec_compress(w->codecs->full, values, &w->stored, err));
        if (h->is_compressed && w->stored.len - w->levels.len >= values.len) {
            h->is_compressed = false;
            w->stored.len = w->levels.len;
        }
        if (!h->is_compressed)
            RWL_TRY(rwl_buf_append(&w->stored, values.data, values.len, err));
    }
    h->uncompressed_size = (int32_t)(w->levels.len + values_len);
    return RWL_OK;
}

static rwl_status recode(rwl_stitch_work *w, rwl_stitch_page *p, rwl_parquet_page_header *h,
                         rwl_parquet_page_facts *facts, rwl_error *err) {
    bool was_v2 = p->header.type == RWL_PARQUET_DATA_PAGE_V2,
         to_v2 = w->page_type == RWL_PARQUET_DATA_PAGE_V2;
    bool as_stored =
        was_v2 && to_v2 && !changes_indexes(w, p) && (w->in_codec == w->codec || !h->is_compressed);
    RWL_TRY(rwl_stitch_page_open(w, p, !as_stored, err));
    size_t count = (size_t)h->value_count, present = count;
    if (w->map->levels == RWL_STITCH_MAP ||
        (w->map->levels != RWL_STITCH_ADD && w->from->max_definition > 0)) {
        RWL_TRY(rwl_stitch_page_levels(w, p, err));
        present = rwl_stitch_count_values(w, 0, count);
    } else if (p->packed_repetitions) {
        RWL_TRY(rwl_stitch_page_levels(w, p, err));
    }
    if (w->leaf->max_definition == 0 && present < count)
        return rwl_fail(err, RWL_CORRUPT, "a null in a required column");
    rwl_span values = p->values;
    if (changes_indexes(w, p))
        RWL_TRY(remap(w, p, present, &values, err));
    h->type = w->page_type;
    h->definition_encoding = h->repetition_encoding = RWL_PARQUET_RLE;
    facts->null_count = (int64_t)(count - present);
    h->null_count = (int32_t)facts->null_count;
    RWL_TRY(put_levels(w, p, h, err));
    if (w->levels.len + (as_stored ? 0 : values.len) > (size_t)RWL_PARQUET_PAGE_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a page too large");
    RWL_TRY(to_v2 ? store_v2(w, p, values, as_stored, h, err) : store_v1(w, values, h, err));
    if (w->stored.len > INT32_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a page too large");
    h->compressed_size = (int32_t)w->stored.len;
    h->has_crc = false;
    return RWL_OK;
}

rwl_status rwl_stitch_page_copy(rwl_stitch_work *w, rwl_stitch_page *p, int64_t rows,
                                rwl_parquet_page_facts *facts, rwl_error *err) {
    rwl_parquet_page_header h = p->header;
    rwl_span body = p->body;
    facts->row_count = rows;
    h.row_count = (int32_t)rows;
    if (rwl_stitch_page_fits(w, p)) {
        w->stats->pages_copied++;
        w->stats->bytes_copied += (int64_t)body.len;
    } else {
        RWL_TRY(recode(w, p, &h, facts, err));
        body = rwl_buf_span(&w->stored);
        w->stats->pages_recoded++;
    }
    w->dictionary.is_used |= p->is_coded;
    if (!w->with_crc) {
        h.has_crc = false;
    } else if (!h.has_crc) {
        h.has_crc = true;
        h.crc = rwl_crc32(0, body);
    }
    return rwl_parquet_chunk_page(w->chunk, &h, body, facts, err);
}
