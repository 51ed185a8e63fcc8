/* SPDX-License-Identifier: Apache-2.0 */
/* How the pages of a column being written end: the dictionary and its end, the encoding, bounds. */
#include "parquet/column_encode.h"

#include "parquet/delta_encode.h"
#include "parquet/encode.h"

static const uint32_t *indexes_of(const rwl_parquet_column_writer *c) {
    return (const uint32_t *)(const void *)c->indexes.data;
}

size_t rwl_parquet_column_values_len(const rwl_parquet_column_writer *c) {
    return c->page.len > c->out.headroom ? c->page.len - c->out.headroom : 0;
}

static rwl_status open_values(const rwl_parquet_column_writer *c, rwl_buf *buf, size_t more, rwl_error *err) {
    if (buf->len < c->out.headroom)
        buf->len = 0;
    RWL_TRY(rwl_buf_reserve(buf, c->out.headroom + more + RWL_PARQUET_SLACK, err));
    if (buf->len < c->out.headroom)
        buf->len = c->out.headroom;
    return RWL_OK;
}

rwl_status rwl_parquet_column_open_page(rwl_parquet_column_writer *c, size_t more, rwl_error *err) {
    return open_values(c, &c->page, more, err);
}

/* --- bounds of a dictionary-coded page: those of the entries it uses --- */

static rwl_status add_entries(rwl_parquet_column_writer *c, const uint32_t *entries, size_t count,
                              rwl_error *err) {
    const rwl_parquet_dictbuild *d = &c->dictionary;
    rwl_buf *to = &c->encoded;
    rwl_buf_reset(to);
    if (d->width > 0) {
        RWL_TRY(rwl_parquet_dictbuild_gather(d, entries, count, to, err));
        return rwl_parquet_bounds_add_fixed(&c->page_bounds, to->data, count, d->width, err);
    }
    RWL_TRY(rwl_buf_reserve(to, 2 * count * sizeof(int32_t) + 1, err));
    int32_t *starts = (int32_t *)(void *)to->data, *ends = starts + count;
    for (size_t i = 0; i < count; i++) {
        starts[i] = d->starts[entries[i]];
        ends[i] = d->ends[entries[i]];
    }
    return rwl_parquet_bounds_add_bytes(&c->page_bounds, d->body.data, starts, ends, count, err);
}

/* With few entries each is looked at once. */
static rwl_status add_used_entries(rwl_parquet_column_writer *c, rwl_error *err) {
    size_t entries = c->dictionary.count, used = 0, room = (entries + 3) / 4 * 4;
    const uint32_t *indexes = indexes_of(c);
    rwl_buf_reset(&c->scratch);
    RWL_TRY(rwl_buf_reserve(&c->scratch, room + entries * sizeof(uint32_t) + 1, err));
    uint8_t *marks = c->scratch.data;
    uint32_t *list = (uint32_t *)(void *)(c->scratch.data + room);
    memset(marks, 0, entries);
    for (size_t i = 0; i < c->values; i++)
        marks[indexes[i]] = 1;
    for (size_t i = 0; i < entries; i++) {
        list[used] = (uint32_t)i;
        used += marks[i];
    }
    return add_entries(c, list, used, err);
}

static rwl_status add_dictionary_bounds(rwl_parquet_column_writer *c, rwl_error *err) {
    if (c->values == 0 || c->shape.order == RWL_PARQUET_ORDER_NONE)
        return RWL_OK;
    if (c->dictionary.count <= c->values / 2)
        return add_used_entries(c, err);
    return add_entries(c, indexes_of(c), c->values, err);
}

/* --- encodings without a dictionary --- */

/* The page's values in `encoding`, to `encoded` behind the headroom. */
static rwl_status encode_values(rwl_parquet_column_writer *c, rwl_parquet_encoding encoding, rwl_error *err) {
    rwl_buf *to = &c->encoded;
    rwl_span plain = rwl_span_of(c->page.data + c->out.headroom, rwl_parquet_column_values_len(c));
    rwl_buf_reset(to);
    switch (encoding) {
    case RWL_PARQUET_DELTA_BINARY_PACKED:
        RWL_TRY(open_values(c, to, rwl_parquet_delta_bound(c->values, c->shape.width), err));
        to->len += rwl_parquet_delta_encode(plain.data, c->values, c->shape.width, to->data + to->len);
        return RWL_OK;
    case RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        RWL_TRY(open_values(c, to, 0, err));
        return rwl_parquet_delta_length_encode(plain, c->values, &c->scratch, to, err);
    case RWL_PARQUET_DELTA_BYTE_ARRAY:
        RWL_TRY(open_values(c, to, 0, err));
        if (c->shape.width > 0)
            return rwl_parquet_delta_fixed_encode(plain, c->shape.width, &c->scratch, to, err);
        return rwl_parquet_delta_bytes_encode(plain, c->values, &c->scratch, to, err);
    case RWL_PARQUET_BYTE_STREAM_SPLIT:
        RWL_TRY(open_values(c, to, plain.len, err));
        rwl_parquet_split_encode(plain.data, c->values, c->shape.width, to->data + to->len);
        to->len += plain.len;
        return RWL_OK;
    case RWL_PARQUET_RLE: {
        RWL_TRY(open_values(c, to, 4 + rwl_parquet_levels_bound(c->values), err));
        uint8_t *at = to->data + to->len;
        size_t len = rwl_parquet_levels_encode(plain.data, c->values, at + 4);
        rwl_store_le32(at, (uint32_t)len);
        to->len += 4 + len;
        return RWL_OK;
    }
    default:
        return rwl_fail(err, RWL_INTERNAL, "column %s: values of encoding %d", c->leaf->dotted,
                        (int)encoding);
    }
}

/* What the preference offers for the type, the first where nothing is gained by another; returns how many. */
static int candidates_of(const rwl_parquet_column_writer *c, rwl_parquet_encoding out[2]) {
    rwl_parquet_physical physical = c->shape.physical;
    bool is_float = physical == RWL_PARQUET_FLOAT || physical == RWL_PARQUET_DOUBLE;
    bool is_integer = physical == RWL_PARQUET_INT32 || physical == RWL_PARQUET_INT64;
    out[0] = RWL_PARQUET_PLAIN;
    if (c->settings.prefer == RWL_PARQUET_PREFER_PLAIN)
        return 1;
    if (is_float ||
        (c->settings.prefer == RWL_PARQUET_PREFER_SPLIT && (is_integer || physical == RWL_PARQUET_FIXED))) {
        out[0] = RWL_PARQUET_BYTE_STREAM_SPLIT;
        return 1;
    }
    if (c->settings.prefer == RWL_PARQUET_PREFER_SPLIT || physical == RWL_PARQUET_FIXED)
        return 1;
    out[1] = RWL_PARQUET_DELTA_BINARY_PACKED;
    if (physical == RWL_PARQUET_BOOLEAN)
        out[1] = RWL_PARQUET_RLE;
    if (physical == RWL_PARQUET_BYTE_ARRAY) {
        out[0] = RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY;
        out[1] = RWL_PARQUET_DELTA_BYTE_ARRAY;
    }
    return 2;
}

/* The size of the page's values in `encoding`, compressed. */
static rwl_status try_encoding(rwl_parquet_column_writer *c, rwl_parquet_encoding encoding, size_t *len,
                               rwl_error *err) {
    rwl_buf *from = &c->page;
    if (encoding != RWL_PARQUET_PLAIN) {
        RWL_TRY(encode_values(c, encoding, err));
        from = &c->encoded;
    }
    rwl_span values = rwl_span_of(from->data + c->out.headroom, from->len - c->out.headroom);
    return rwl_parquet_page_out_try(&c->out, values, len, err);
}

static rwl_status choose_encoding(rwl_parquet_column_writer *c, rwl_error *err) {
    rwl_parquet_encoding candidates[2];
    size_t len[2] = {0, 0};
    int count = candidates_of(c, candidates);
    c->encoding = candidates[0];
    if (count == 1) {
        c->has_encoding = true;
        return RWL_OK;
    }
    if (c->values == 0)
        return RWL_OK; /* nulls say nothing: the next page is asked */
    for (int i = 0; i < count; i++)
        RWL_TRY(try_encoding(c, candidates[i], &len[i], err));
    c->encoding = len[1] < len[0] ? candidates[1] : candidates[0];
    c->has_encoding = true;
    return RWL_OK;
}

/* --- pages --- */

static const rwl_parquet_stat_bound *known_bound(const rwl_parquet_column_writer *c,
                                                 const rwl_parquet_stat_bound *bound) {
    return c->page_bounds.seen && !bound->present ? NULL : bound; /* no upper bound of that length */
}

static rwl_status write_page(rwl_parquet_column_writer *c, rwl_buf *values, rwl_parquet_encoding encoding,
                             rwl_error *err) {
    bool is_text = c->leaf->field->type.kind == RWL_TYPE_STRING;
    rwl_parquet_page_facts facts = {
        .unencoded_bytes = c->shape.physical == RWL_PARQUET_BYTE_ARRAY ? c->value_bytes : -1,
        .has_nan_count = true,
        .nan_count = c->page_nan_count,
    };
    rwl_parquet_page_levels levels = {
        .entries = c->entries,
        .rows = c->rows,
        .nulls = c->entries - c->values,
        .validity = c->validity.data,
        .definitions = c->definitions.data,
        .repetitions = c->repetitions.data,
    };
    if (c->shape.order != RWL_PARQUET_ORDER_NONE) {
        RWL_TRY(
            rwl_parquet_bounds_stats(&c->page_bounds, &c->shape, is_text, &c->stat_min, &c->stat_max, err));
        facts.min = c->settings.without_stats ? NULL : known_bound(c, &c->stat_min);
        facts.max = c->settings.without_stats ? NULL : known_bound(c, &c->stat_max);
        RWL_TRY(rwl_parquet_bounds_merge(&c->file_bounds, &c->page_bounds, err));
    }
    RWL_TRY(rwl_parquet_page_out_data(&c->out, &levels, values, encoding, &facts, err));
    rwl_parquet_bounds_reset(&c->page_bounds);
    c->entry_count += (int64_t)c->entries;
    c->null_count += (int64_t)(c->entries - c->values);
    c->nan_count += c->page_nan_count;
    c->rows = c->entries = c->values = 0;
    c->value_bytes = c->page_nan_count = 0;
    c->page.len = 0;
    return RWL_OK;
}

static rwl_status write_plain_page(rwl_parquet_column_writer *c, rwl_error *err) {
    RWL_TRY(rwl_parquet_column_open_page(c, 0, err)); /* a page of nulls has had no value yet */
    if (!c->has_encoding)
        RWL_TRY(choose_encoding(c, err));
    if (c->encoding == RWL_PARQUET_PLAIN)
        return write_page(c, &c->page, RWL_PARQUET_PLAIN, err);
    RWL_TRY(encode_values(c, c->encoding, err));
    return write_page(c, &c->encoded, c->encoding, err);
}

/* --- the dictionary and its end --- */

/* The page's indexes, encoded, to `page`. */
static rwl_status encode_indexes(rwl_parquet_column_writer *c, size_t *len, rwl_error *err) {
    int width = rwl_parquet_bit_width(c->dictionary.count);
    c->page.len = 0;
    RWL_TRY(rwl_parquet_column_open_page(c, 1 + rwl_parquet_hybrid_bound(c->values, width), err));
    uint8_t *at = c->page.data + c->page.len;
    *at = (uint8_t)width;
    *len = 1 + rwl_parquet_hybrid_encode(indexes_of(c), c->values, width, at + 1);
    c->page.len += *len;
    return RWL_OK;
}

/* Whether the page is smaller with the dictionary, counting the entries it added: by a sixteenth at least,
 * since reading through a dictionary has its price. */
static bool dictionary_pays(const rwl_parquet_column_writer *c, size_t index_bytes) {
    size_t added = c->dictionary.body.len - c->page_body;
    return added + index_bytes < c->page_plain_bytes - c->page_plain_bytes / 16;
}

/*
 * Whether a page that did not pay is the beginning of one that will: new values grow rarer so fast that all
 * of them will fit the dictionary, with indexes of at most half the plain size. Where each new value is one
 * of N, drawn evenly, the share of new ones falls by exp(-values / N); the two parts of the page give that N,
 * rather too large.
 */
static bool dictionary_will_pay(const rwl_parquet_column_writer *c) {
    size_t values = c->values;
    if (c->mark_values == 0 || c->mark_values == values)
        return false;
    double added = c->dictionary.count - c->page_entries, first = c->mark_entries - c->page_entries;
    double first_rate = first / (double)c->mark_values;
    double second_rate = (added - first) / (double)(values - c->mark_values);
    if (second_rate >= first_rate)
        return false;
    double all = (double)values / 2 * first_rate / (first_rate - second_rate);
    double entry_bytes = (double)(c->dictionary.body.len - c->page_body) / added;
    if (all * entry_bytes > 0.75 * (double)c->settings.dictionary_bytes)
        return false;
    return (size_t)rwl_parquet_bit_width((uint32_t)all) * values / 8 <= c->page_plain_bytes / 2;
}

/* Its entries are values of this chunk. */
static rwl_status collect_entries(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dictbuild *d = &c->dictionary;
    if (!c->settings.bloom)
        return RWL_OK;
    if (d->width > 0)
        return rwl_parquet_bloom_collect_fixed(&c->bloom, d->body.data, d->count, d->width, err);
    return rwl_parquet_bloom_collect_bytes(&c->bloom, d->body.data, d->starts, d->ends, d->count, err);
}

static rwl_status end_dictionary(rwl_parquet_column_writer *c, rwl_error *err) {
    RWL_TRY(collect_entries(c, err));
    rwl_parquet_dictbuild_drop_slots(&c->dictionary);
    c->in_dictionary = false;
    return RWL_OK;
}

/* Turns the page, whose entries did not pay and so are few bytes, into an open PLAIN page, and takes those
 * entries back. */
static rwl_status leave_dictionary(rwl_parquet_column_writer *c, rwl_error *err) {
    c->page.len = 0;
    RWL_TRY(rwl_parquet_column_open_page(c, 0, err));
    RWL_TRY(rwl_parquet_dictbuild_gather(&c->dictionary, indexes_of(c), c->values, &c->page, err));
    RWL_TRY(end_dictionary(c, err));
    if (c->page_entries > 0) {
        rwl_parquet_dictbuild_truncate(&c->dictionary, c->page_entries, c->page_body);
    } else {
        c->dictionary_useless = true;
        rwl_parquet_dictbuild_clear(&c->dictionary);
    }
    rwl_buf_clear(&c->indexes);
    return RWL_OK;
}

/* Writes the page through the dictionary, or leaves it open as a PLAIN page when that is smaller. Nulls alone say
 * nothing about a dictionary: such a page is dictionary-coded, as no other may come before one that is. */
static rwl_status write_indexes(rwl_parquet_column_writer *c, rwl_error *err) {
    size_t len;
    RWL_TRY(add_dictionary_bounds(c, err));
    RWL_TRY(encode_indexes(c, &len, err));
    if (c->values > 0 && !c->settings.keep_dictionary && !dictionary_pays(c, len) && !dictionary_will_pay(c))
        return leave_dictionary(c, err);
    RWL_TRY(write_page(c, &c->page, RWL_PARQUET_RLE_DICTIONARY, err));
    c->dictionary_coded_pages++;
    c->page_plain_bytes = 0;
    c->page_body = c->dictionary.body.len;
    c->page_entries = c->dictionary.count;
    c->mark_values = 0;
    rwl_buf_reset(&c->indexes);
    return RWL_OK;
}

rwl_status rwl_parquet_column_close_dictionary(rwl_parquet_column_writer *c, rwl_error *err) {
    if (c->rows > 0)
        RWL_TRY(write_indexes(c, err));
    return c->in_dictionary ? end_dictionary(c, err) : RWL_OK;
}

rwl_status rwl_parquet_column_end_page(rwl_parquet_column_writer *c, rwl_error *err) {
    if (c->rows == 0)
        return RWL_OK;
    if (c->in_dictionary)
        RWL_TRY(write_indexes(c, err));
    return c->rows > 0 ? write_plain_page(c, err) : RWL_OK;
}
