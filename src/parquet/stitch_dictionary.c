/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of a chunk put together from parts that come with their own.
 *
 * The first part's page is kept as it came, its indexes too. A part with the same page shares it. Another one is
 * joined: its values are looked up in, and added to, the union, which keeps the first page's values in their places; its
 * indexes are mapped. That ends, for the rest of the chunk, with the part by which the union passes its limit or no longer
 * pays: the values of that part, and of those behind it, are decoded.
 */
#include "parquet/stitch_internal.h"

#include "parquet/encode.h"

void rwl_stitch_dictionary_init(rwl_stitch_work *w) {
    rwl_stitch_dictionary *d = &w->dictionary;
    rwl_buf_init(&d->body, w->env, SIZE_MAX);
    rwl_buf_init(&d->last, w->env, SIZE_MAX);
    rwl_buf_init(&d->plain, w->env, SIZE_MAX);
    rwl_parquet_dictbuild_init(&d->build, w->env, 0);
}

void rwl_stitch_dictionary_clear(rwl_stitch_work *w) {
    rwl_stitch_dictionary *d = &w->dictionary;
    rwl_buf_clear(&d->body);
    rwl_buf_clear(&d->last);
    rwl_buf_clear(&d->plain);
    rwl_parquet_dictbuild_clear(&d->build);
    rwl_parquet_dictionary_clear(&d->decoded, w->op);
    rwl_vec_clear(&d->map, w->env);
}

void rwl_stitch_dictionary_start(rwl_stitch_work *w) {
    rwl_stitch_dictionary *d = &w->dictionary;
    d->has_page = d->is_union = d->is_closed = d->is_used = false;
    d->values = d->plain_bytes = 0;
    d->last.len = 0;
    d->last_joined = false;
    rwl_buf_reset(&d->body);
}

void rwl_stitch_dictionary_segment(rwl_stitch_work *w) {
    rwl_stitch_dictionary *d = &w->dictionary;
    rwl_parquet_dictionary_clear(&d->decoded, w->op);
    d->is_there = d->is_joined = d->is_identity = d->is_decoded = false;
    d->stored = rwl_span_of(NULL, 0);
}

uint32_t rwl_stitch_dictionary_count(const rwl_stitch_work *w) {
    const rwl_stitch_dictionary *d = &w->dictionary;
    if (d->is_union)
        return d->build.count;
    return d->has_page ? (uint32_t)d->header.value_count : 0;
}

/* --- values of a dictionary page --- */

rwl_status rwl_stitch_convert_plain(rwl_stitch_work *w, rwl_span plain, int64_t count, rwl_buf *out,
                                    rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    rwl_parquet_values values;
    memset(&values, 0, sizeof values);
    if (w->layout.width == 0)
        return rwl_fail(err, RWL_INTERNAL, "values of this type do not convert");
    rwl_column_reset(&b->natural);
    RWL_TRY(rwl_column_reserve(&b->natural, w->env, count, 0, err));
    rwl_parquet_values_begin(&values, w->env, &w->layout, NULL, false);
    RWL_TRY(rwl_parquet_values_init(&values, RWL_PARQUET_PLAIN, plain, err));
    rwl_status st = rwl_parquet_values_fixed(&values, b->natural.values.data, (size_t)count, err);
    rwl_parquet_values_clear(&values);
    RWL_TRY(st);
    b->natural.length = count;
    const rwl_column *from = &b->natural;
    if (!rwl_type_equal(&from->type, &w->leaf->field->type)) {
        RWL_TRY(rwl_column_promote(from, &b->promoted, w->env, err));
        from = &b->promoted;
    }
    RWL_TRY(rwl_parquet_dense_load(&b->dense, from, &w->leaf->shape, 0, (size_t)count, 0, err));
    return rwl_parquet_dense_plain(&b->dense, &w->leaf->shape, out, err);
}

/* The PLAIN values of a dictionary page of the current segment, as the output stores them. */
static rwl_status plain_of(rwl_stitch_work *w, const rwl_parquet_page_header *header, rwl_span stored,
                           rwl_codec_id codec, bool converts, rwl_span *out, rwl_error *err) {
    RWL_TRY(rwl_stitch_inflate(w, codec, stored, (size_t)header->uncompressed_size, &w->plain, out, err));
    if (!converts || header->value_count == 0)
        return RWL_OK;
    size_t width = w->layout.stored_width > 0 ? w->layout.stored_width : 4;
    if ((size_t)header->value_count > out->len / width)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of %d values in %zu bytes", header->value_count,
                        out->len);
    rwl_buf_reset(&w->dictionary.plain);
    RWL_TRY(rwl_stitch_convert_plain(w, *out, header->value_count, &w->dictionary.plain, err));
    RWL_TRY(rwl_buf_reserve(&w->dictionary.plain, RWL_PARQUET_READ_SLACK, err));
    *out = rwl_buf_span(&w->dictionary.plain);
    return RWL_OK;
}

/* Adds the values of `plain` to the union; *map is set to their indexes. */
static rwl_status add_values(rwl_stitch_work *w, rwl_span plain, size_t count, rwl_error *err) {
    enum { BLOCK = 1024 };
    rwl_stitch_dictionary *d = &w->dictionary;
    size_t width = w->leaf->shape.width;
    RWL_TRY(rwl_vec_reserve(&d->map, w->env, count + 1, err));
    d->map.len = count;
    if (width > 0) {
        if (count > plain.len / width)
            return rwl_fail(err, RWL_CORRUPT, "dictionary of %zu values in %zu bytes", count, plain.len);
        return rwl_parquet_dictbuild_add_fixed(&d->build, plain.data, count, d->map.items, err);
    }
    int32_t starts[BLOCK], ends[BLOCK];
    size_t at = 0;
    for (size_t done = 0; done < count;) {
        size_t n = 0;
        for (; n < BLOCK && done + n < count; n++) {
            size_t len = plain.len - at < 4 ? SIZE_MAX : rwl_load_le32(plain.data + at);
            if (len > plain.len - at - 4 || len == SIZE_MAX)
                return rwl_fail(err, RWL_CORRUPT, "dictionary ends after %zu of %zu values", done + n, count);
            starts[n] = (int32_t)(at + 4);
            ends[n] = (int32_t)(at + 4 + len);
            at += 4 + len;
        }
        RWL_TRY(rwl_parquet_dictbuild_add_bytes(&d->build, plain.data, starts, ends, n, d->map.items + done,
                                                err));
        done += n;
    }
    return RWL_OK;
}

/* --- joining --- */

rwl_status rwl_stitch_dictionary_need_union(rwl_stitch_work *w, bool *ok, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    *ok = d->is_union;
    if (d->is_union)
        return RWL_OK;
    rwl_parquet_dictbuild_clear(&d->build);
    rwl_parquet_dictbuild_init(&d->build, w->env, w->leaf->shape.width);
    if (d->has_page) {
        rwl_span plain;
        rwl_buf scratch; /* w->plain may hold an open page */
        rwl_buf_init(&scratch, w->env, SIZE_MAX);
        rwl_status st = rwl_stitch_inflate(w, w->codec, rwl_buf_span(&d->body),
                                           (size_t)d->header.uncompressed_size, &scratch, &plain, err);
        size_t count = (size_t)d->header.value_count;
        RWL_VEC(uint32_t) kept = {d->map.items, d->map.len, d->map.cap};
        memset(&d->map, 0, sizeof d->map);
        if (st == RWL_OK)
            st = add_values(w, plain, count, err);
        rwl_vec_clear(&d->map, w->env);
        d->map.items = kept.items;
        d->map.len = kept.len;
        d->map.cap = kept.cap;
        rwl_buf_clear(&scratch);
        RWL_TRY(st);
        if (d->build.count != count) { /* it holds a value twice: its indexes are not the union's */
            d->is_closed = true;
            return RWL_OK;
        }
    }
    *ok = d->is_union = true;
    return RWL_OK;
}

/* Values of the segment's chunk, and what they take in PLAIN. */
static void estimate(const rwl_stitch_work *w, size_t plain_len, int64_t *values, int64_t *plain) {
    const rwl_parquet_chunk *in = w->in;
    const rwl_parquet_group *group = rwl_stitch_group_of(w->seg);
    int64_t count = in->value_count - (in->stats.null_count > 0 ? in->stats.null_count : 0);
    if (group->row_count > 0)
        count = (int64_t)((double)count * (double)w->seg->rows / (double)group->row_count);
    int32_t entries = w->dictionary.stored_header.value_count;
    size_t average = w->leaf->shape.width > 0 ? w->leaf->shape.width
                     : entries > 0            ? plain_len / (size_t)entries
                                              : 4;
    *values = count > 0 ? count : 0;
    *plain = *values * (int64_t)average;
}

/* Whether a dictionary of `bytes` pays for so many values, with the indexes they need. */
static bool pays(uint32_t entries, size_t bytes, int64_t values, int64_t plain) {
    return (int64_t)bytes + values * rwl_parquet_bit_width(entries) / 8 < plain;
}

static rwl_status join_union(rwl_stitch_work *w, rwl_span plain, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    bool ok;
    int64_t values, bytes;
    size_t count = (size_t)d->stored_header.value_count;
    estimate(w, plain.len, &values, &bytes);
    RWL_TRY(rwl_stitch_dictionary_need_union(w, &ok, err));
    if (!ok)
        return RWL_OK;
    uint32_t before = d->build.count;
    size_t body_before = d->build.body.len;
    if (body_before + plain.len > INT32_MAX / 2) {
        d->is_closed = true;
        return RWL_OK;
    }
    RWL_TRY(add_values(w, plain, count, err));
    bool grew = d->build.count > before;
    if (grew && (d->build.body.len > w->dictionary_bytes ||
                 !pays(d->build.count, d->build.body.len, d->values + values, d->plain_bytes + bytes))) {
        rwl_parquet_dictbuild_truncate(&d->build, before, body_before);
        d->is_closed = true;
        return RWL_OK;
    }
    d->is_joined = d->is_identity = true;
    for (size_t i = 0; i < count && d->is_identity; i++)
        d->is_identity = d->map.items[i] == (uint32_t)i;
    d->values += values;
    d->plain_bytes += bytes;
    return RWL_OK;
}

/* The first page of the chunk: kept as it is where codec and type allow. */
static rwl_status take_first(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    rwl_span plain = rwl_span_of(NULL, (size_t)d->stored_header.uncompressed_size);
    bool as_it_is = w->in_codec == w->codec && !w->map->converts;
    d->header = d->stored_header;
    rwl_buf_reset(&d->body);
    if (as_it_is) {
        RWL_TRY(rwl_buf_append(&d->body, d->stored.data, d->stored.len, err));
    } else {
        RWL_TRY(plain_of(w, &d->stored_header, d->stored, w->in_codec, w->map->converts, &plain, err));
        if (w->codecs->full != NULL)
            RWL_TRY(rwl_codec_compress(w->codecs->full, plain, &d->body, err));
        else
            RWL_TRY(rwl_buf_append(&d->body, plain.data, plain.len, err));
        d->header.uncompressed_size = (int32_t)plain.len;
        d->header.has_crc = false;
    }
    RWL_TRY(rwl_buf_reserve(&d->body, RWL_PARQUET_READ_SLACK, err));
    estimate(w, plain.len, &d->values, &d->plain_bytes);
    d->has_page = d->is_joined = d->is_identity = true;
    return RWL_OK;
}

/* Whether the page is the last segment's, byte for byte: then so is what was made of it. */
static bool is_last(const rwl_stitch_work *w) {
    const rwl_stitch_dictionary *d = &w->dictionary;
    return d->last_joined && !w->map->converts && d->last_codec == d->stored_codec &&
           d->last_header.value_count == d->stored_header.value_count &&
           d->last_header.uncompressed_size == d->stored_header.uncompressed_size &&
           rwl_span_equal(rwl_buf_span(&d->last), d->stored);
}

static rwl_status join(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    if (is_last(w)) {
        int64_t values, bytes;
        estimate(w, (size_t)d->stored_header.uncompressed_size, &values, &bytes);
        d->values += values;
        d->plain_bytes += bytes;
        d->is_joined = true;
        d->is_identity = d->last_identity;
        return RWL_OK;
    }
    d->last_joined = false;
    if (!d->has_page && !d->is_union) {
        RWL_TRY(take_first(w, err));
    } else if (!d->is_closed) {
        rwl_span plain;
        RWL_TRY(plain_of(w, &d->stored_header, d->stored, w->in_codec, w->map->converts, &plain, err));
        RWL_TRY(join_union(w, plain, err));
    }
    if (d->is_joined && !w->map->converts) {
        rwl_buf_reset(&d->last);
        RWL_TRY(rwl_buf_append(&d->last, d->stored.data, d->stored.len, err));
        d->last_codec = d->stored_codec;
        d->last_header = d->stored_header;
        d->last_identity = d->is_identity;
        d->last_joined = true;
    }
    return RWL_OK;
}

rwl_status rwl_stitch_dictionary_page(rwl_stitch_work *w, const rwl_parquet_page_header *header,
                                      rwl_span body, int64_t off, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    if (d->is_there)
        return rwl_fail(err, RWL_CORRUPT, "a second dictionary page");
    if (header->encoding != RWL_PARQUET_PLAIN && header->encoding != RWL_PARQUET_PLAIN_DICTIONARY)
        return rwl_fail(err, RWL_UNSUPPORTED, "dictionary encoding %s is not supported",
                        rwl_parquet_encoding_name(header->encoding));
    if (w->leaf->shape.physical == RWL_PARQUET_BOOLEAN)
        return rwl_fail(err, RWL_CORRUPT, "dictionary of booleans");
    d->is_there = true;
    d->stored = body;
    d->stored_off = off;
    d->stored_header = *header;
    d->stored_codec = w->in->codec;
    return rwl_parquet_chunk_left_dictionary(w->chunk) ? RWL_OK : join(w, err);
}

rwl_status rwl_stitch_dictionary_remap(rwl_stitch_work *w, uint32_t *indexes, size_t count, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    uint32_t entries = (uint32_t)d->stored_header.value_count, above = 0;
    for (size_t i = 0; i < count; i++)
        above |= indexes[i] >= entries;
    if (above)
        return rwl_fail(err, RWL_CORRUPT, "an index past the dictionary of %u values", entries);
    if (d->is_identity)
        return RWL_OK;
    const uint32_t *map = d->map.items;
    for (size_t i = 0; i < count; i++)
        indexes[i] = map[indexes[i]];
    return RWL_OK;
}

rwl_status rwl_stitch_dictionary_decode(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    if (d->is_decoded)
        return RWL_OK;
    if (!d->is_there)
        return rwl_fail(err, RWL_CORRUPT, "indexes without a dictionary page");
    rwl_span plain, body;
    rwl_buf scratch; /* w->plain holds the open page, the window may have moved on */
    rwl_stitch_feed feed = {.source = w->feed.source, .store = w->store, .op = w->op, .end = w->feed.end};
    rwl_buf_init(&scratch, w->env, SIZE_MAX);
    rwl_status st =
        rwl_stitch_peek(&feed, d->stored_off, (size_t)d->stored_header.compressed_size, 0, &body, err);
    if (st == RWL_OK)
        st = rwl_stitch_inflate(w, w->in_codec, body, (size_t)d->stored_header.uncompressed_size, &scratch,
                                &plain, err);
    if (st == RWL_OK)
        st = rwl_parquet_dictionary_build(&d->decoded, w->op, &w->layout, plain, d->stored_header.value_count,
                                          err);
    d->is_decoded = st == RWL_OK;
    rwl_buf_clear(&scratch);
    rwl_stitch_feed_clear(&feed);
    return st;
}

/* --- the page --- */

static rwl_status give(rwl_stitch_work *w, rwl_parquet_page_header header, rwl_span body, rwl_error *err) {
    header.type = RWL_PARQUET_DICTIONARY_PAGE;
    header.encoding = RWL_PARQUET_PLAIN;
    header.compressed_size = (int32_t)body.len;
    if (!w->with_crc) {
        header.has_crc = false;
    } else if (!header.has_crc) {
        header.has_crc = true;
        header.crc = rwl_crc32(0, body);
    }
    return rwl_parquet_chunk_dictionary(w->chunk, &header, body, err);
}

rwl_status rwl_stitch_dictionary_finish(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_dictionary *d = &w->dictionary;
    if (!d->is_used)
        return RWL_OK;
    if (d->has_page && (!d->is_union || d->build.count == (uint32_t)d->header.value_count))
        return give(w, d->header, rwl_buf_span(&d->body), err);
    rwl_span plain = d->is_union ? rwl_buf_span(&d->build.body) : rwl_span_of("", 0);
    rwl_parquet_page_header header = {.value_count = d->is_union ? (int32_t)d->build.count : 0,
                                      .uncompressed_size = (int32_t)plain.len,
                                      .null_count = -1,
                                      .row_count = -1,
                                      .is_compressed = true};
    rwl_buf_reset(&w->stored);
    if (w->codecs->full != NULL)
        RWL_TRY(rwl_codec_compress(w->codecs->full, plain, &w->stored, err));
    else
        RWL_TRY(rwl_buf_append(&w->stored, plain.data, plain.len, err));
    return give(w, header, rwl_buf_span(&w->stored), err);
}
