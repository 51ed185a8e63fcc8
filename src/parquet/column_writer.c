/* SPDX-License-Identifier: Apache-2.0 */
/* One column of a file being written: slices of rows into pages, pages into a chunk. */
#include "parquet/column_writer.h"

#include "parquet/encode.h"
#include "parquet/page.h"

enum {
    SLICE_ROWS = 4096,      /* rows taken at once: their values stay in the first-level caches */
    EARLY_VALUES = 4096,    /* after so many values, all but all distinct, a dictionary is given up */
    DICTIONARY_RESERVE = 32 /* a dictionary is full when less than 1/32 of its limit is free */
};

rwl_status rwl_parquet_column_writer_init(rwl_parquet_column_writer *c, const rwl_env *env,
                                          const rwl_field *field, const rwl_parquet_page_limits *limits,
                                          rwl_codec *codec, rwl_error *err) {
    memset(c, 0, sizeof *c);
    c->env = env;
    c->field = field;
    c->limits = *limits;
    c->codec = codec;
    rwl_parquet_dense_init(&c->dense, env);
    rwl_buf_init(&c->validity, env, SIZE_MAX);
    rwl_buf_init(&c->page, env, SIZE_MAX);
    rwl_buf_init(&c->indexes, env, SIZE_MAX);
    rwl_buf_init(&c->pages, env, SIZE_MAX);
    rwl_buf_init(&c->compressed, env, SIZE_MAX);
    rwl_buf_init(&c->stat_min.bytes, env, SIZE_MAX);
    rwl_buf_init(&c->stat_max.bytes, env, SIZE_MAX);
    RWL_TRY(rwl_parquet_shape_of(field, &c->shape, err));
    rwl_parquet_bounds_init(&c->chunk_bounds, env, c->shape.order);
    rwl_parquet_bounds_init(&c->file_bounds, env, c->shape.order);
    rwl_parquet_dictbuild_init(&c->dictionary, env, c->shape.width);
    c->headroom = field->required ? 0 : 4 + rwl_parquet_levels_bound(limits->page_rows);
    c->in_dictionary = limits->dictionary_bytes > 0 && c->shape.physical != RWL_PARQUET_BOOLEAN;
    c->dictionary_useless = !c->in_dictionary;
    return RWL_OK;
}

void rwl_parquet_column_writer_clear(rwl_parquet_column_writer *c) {
    if (c->env == NULL)
        return;
    rwl_parquet_dense_clear(&c->dense);
    rwl_buf_clear(&c->validity);
    rwl_buf_clear(&c->page);
    rwl_buf_clear(&c->indexes);
    rwl_buf_clear(&c->pages);
    rwl_buf_clear(&c->compressed);
    rwl_buf_clear(&c->stat_min.bytes);
    rwl_buf_clear(&c->stat_max.bytes);
    rwl_parquet_bounds_clear(&c->chunk_bounds);
    rwl_parquet_bounds_clear(&c->file_bounds);
    rwl_parquet_dictbuild_clear(&c->dictionary);
    c->env = NULL;
}

static size_t value_count(const rwl_parquet_column_writer *c) {
    return c->rows - c->nulls;
}
static const uint32_t *indexes_of(const rwl_parquet_column_writer *c) {
    return (const uint32_t *)(const void *)c->indexes.data;
}
/* PLAIN bytes in the page so far. */
static size_t page_values_len(const rwl_parquet_column_writer *c) {
    return c->page.len > c->headroom ? c->page.len - c->headroom : 0;
}

/* --- pages --- */

static rwl_status fail_page(const rwl_parquet_column_writer *c, size_t len, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "column %s: a page of %zu bytes can't be written, the limit is %d",
                    c->field->name, len, RWL_PARQUET_PAGE_MAX);
}

/* Compresses `body` and appends header and body to `pages`. */
static rwl_status append_page(rwl_parquet_column_writer *c, rwl_span body, bool is_dictionary, size_t count,
                              rwl_parquet_encoding encoding, rwl_error *err) {
    rwl_span stored = body;
    if (body.len > (size_t)RWL_PARQUET_PAGE_MAX)
        return fail_page(c, body.len, err);
    if (c->codec != NULL) {
        rwl_buf_reset(&c->compressed);
        RWL_TRY(rwl_codec_compress(c->codec, body, &c->compressed, err));
        stored = rwl_buf_span(&c->compressed);
    }
    if (stored.len > INT32_MAX)
        return fail_page(c, stored.len, err);
    rwl_parquet_written_page header = {
        .is_dictionary = is_dictionary,
        .uncompressed_size = (int32_t)body.len,
        .compressed_size = (int32_t)stored.len,
        .crc = rwl_crc32(0, stored),
        .value_count = (int32_t)count,
        .encoding = encoding,
    };
    size_t before = c->pages.len;
    RWL_TRY(rwl_parquet_page_header_write(&header, &c->pages, err));
    c->uncompressed_size += (int64_t)(c->pages.len - before + body.len);
    return rwl_buf_append(&c->pages, stored.data, stored.len, err);
}

/* Puts the levels right before the values; returns where the body starts. */
static size_t put_levels(rwl_parquet_column_writer *c) {
    if (c->headroom == 0)
        return 0;
    uint8_t *levels = c->compressed.data; /* has room for them */
    size_t len = c->nulls == 0         ? rwl_parquet_levels_constant(true, c->rows, levels)
                 : c->nulls == c->rows ? rwl_parquet_levels_constant(false, c->rows, levels)
                                       : rwl_parquet_levels_encode(c->validity.data, c->rows, levels);
    uint8_t *at = c->page.data + c->headroom - len;
    memcpy(at, levels, len);
    rwl_store_le32(at - 4, (uint32_t)len);
    return c->headroom - len - 4;
}

static rwl_status write_page(rwl_parquet_column_writer *c, rwl_parquet_encoding encoding, rwl_error *err) {
    rwl_buf_reset(&c->compressed);
    RWL_TRY(rwl_buf_reserve(&c->compressed, c->headroom + 1, err));
    size_t start = put_levels(c);
    rwl_span body = rwl_span_of(c->page.data + start, c->page.len - start);
    RWL_TRY(append_page(c, body, false, c->rows, encoding, err));
    c->chunk_rows += (int64_t)c->rows;
    c->chunk_nulls += (int64_t)c->nulls;
    c->rows = c->nulls = 0;
    c->page.len = 0;
    return RWL_OK;
}

/* Room for `more` bytes of values in the page, which begin after the headroom. */
static rwl_status open_page(rwl_parquet_column_writer *c, size_t more, rwl_error *err) {
    RWL_TRY(rwl_buf_reserve(&c->page, c->headroom + more + RWL_PARQUET_SLACK, err));
    if (c->page.len < c->headroom)
        c->page.len = c->headroom;
    return RWL_OK;
}

static rwl_status write_plain_page(rwl_parquet_column_writer *c, rwl_error *err) {
    RWL_TRY(open_page(c, 0, err)); /* a page of nulls has had no value yet */
    RWL_TRY(write_page(c, RWL_PARQUET_PLAIN, err));
    c->plain_pages++;
    return RWL_OK;
}

/* Replaces the page's values by its indexes, encoded; returns their length through `len`. */
static rwl_status encode_indexes(rwl_parquet_column_writer *c, size_t *len, rwl_error *err) {
    int width = rwl_parquet_bit_width(c->dictionary.count);
    size_t count = value_count(c);
    c->page.len = 0;
    RWL_TRY(open_page(c, 1 + rwl_parquet_hybrid_bound(count, width), err));
    uint8_t *at = c->page.data + c->page.len;
    *at = (uint8_t)width;
    *len = 1 + rwl_parquet_hybrid_encode(indexes_of(c), count, width, at + 1);
    c->page.len += *len;
    return RWL_OK;
}

/* --- the dictionary and its end --- */

static rwl_status add_dictionary_bounds(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dictbuild *d = &c->dictionary;
    if (d->width > 0)
        return rwl_parquet_bounds_add_fixed(&c->chunk_bounds, d->body.data, d->count, d->width, err);
    return rwl_parquet_bounds_add_bytes(&c->chunk_bounds, d->body.data, d->starts, d->ends, d->count, err);
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
    size_t values = value_count(c);
    if (c->mark_values == 0 || c->mark_values == values)
        return false;
    double added = c->dictionary.count - c->page_entries, first = c->mark_entries - c->page_entries;
    double first_rate = first / (double)c->mark_values;
    double second_rate = (added - first) / (double)(values - c->mark_values);
    if (second_rate >= first_rate)
        return false;
    double all = (double)values / 2 * first_rate / (first_rate - second_rate);
    double entry_bytes = (double)(c->dictionary.body.len - c->page_body) / added;
    if (all * entry_bytes > 0.75 * (double)c->limits.dictionary_bytes)
        return false;
    return (size_t)rwl_parquet_bit_width((uint32_t)all) * values / 8 <= c->page_plain_bytes / 2;
}

/* Nothing further goes to the dictionary; its entries are values of this chunk. */
static rwl_status end_dictionary(rwl_parquet_column_writer *c, rwl_error *err) {
    RWL_TRY(add_dictionary_bounds(c, err));
    rwl_parquet_dictbuild_drop_slots(&c->dictionary);
    c->in_dictionary = false;
    return RWL_OK;
}

/* Turns the page, whose entries did not pay and so are few bytes, into an open PLAIN page, and takes those
 * entries back. */
static rwl_status leave_dictionary(rwl_parquet_column_writer *c, rwl_error *err) {
    c->page.len = 0;
    RWL_TRY(open_page(c, 0, err));
    RWL_TRY(rwl_parquet_dictbuild_gather(&c->dictionary, indexes_of(c), value_count(c), &c->page, err));
    RWL_TRY(end_dictionary(c, err));
    if (c->dictionary_coded_pages > 0) {
        rwl_parquet_dictbuild_truncate(&c->dictionary, c->page_entries, c->page_body);
    } else {
        c->dictionary_useless = true;
        rwl_parquet_dictbuild_clear(&c->dictionary);
    }
    rwl_buf_clear(&c->indexes);
    return RWL_OK;
}

/* Writes the page through the dictionary, or leaves it open as a PLAIN page when that is smaller. */
static rwl_status write_indexes(rwl_parquet_column_writer *c, rwl_error *err) {
    size_t len;
    if (c->dictionary.count == 0)
        return write_plain_page(c, err); /* nulls alone say nothing about a dictionary */
    RWL_TRY(encode_indexes(c, &len, err));
    if (value_count(c) > 0 && !dictionary_pays(c, len) && !dictionary_will_pay(c))
        return leave_dictionary(c, err);
    RWL_TRY(write_page(c, RWL_PARQUET_RLE_DICTIONARY, err));
    c->dictionary_coded_pages++;
    c->page_plain_bytes = 0;
    c->page_body = c->dictionary.body.len;
    c->page_entries = c->dictionary.count;
    c->mark_values = 0;
    rwl_buf_reset(&c->indexes);
    return RWL_OK;
}

static rwl_status close_dictionary(rwl_parquet_column_writer *c, rwl_error *err) {
    if (c->rows > 0)
        RWL_TRY(write_indexes(c, err));
    return c->in_dictionary ? end_dictionary(c, err) : RWL_OK;
}

static size_t dictionary_room(const rwl_parquet_column_writer *c) {
    size_t used = c->dictionary.body.len, limit = c->limits.dictionary_bytes;
    return used < limit ? limit - used : 0;
}

/* True when the dictionary should end: full, or nearly every value of the page a new one. */
static bool dictionary_over(const rwl_parquet_column_writer *c) {
    if (dictionary_room(c) < c->limits.dictionary_bytes / DICTIONARY_RESERVE + 1)
        return true;
    size_t values = c->indexes.len / sizeof(uint32_t), added = c->dictionary.count - c->page_entries;
    return values >= EARLY_VALUES && added > values - values / 128;
}

static rwl_status flush_page(rwl_parquet_column_writer *c, rwl_error *err) {
    if (c->rows == 0)
        return RWL_OK;
    if (c->in_dictionary)
        RWL_TRY(write_indexes(c, err));
    return c->rows > 0 ? write_plain_page(c, err) : RWL_OK;
}

/* --- rows --- */

/* Validity bits of the page; none are kept before its first null. */
static rwl_status add_validity(rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                               size_t rows, size_t nulls, rwl_error *err) {
    if (nulls == 0 && c->nulls == 0)
        return RWL_OK;
    c->validity.len = c->nulls == 0 ? 0 : (c->rows + 7) / 8;
    RWL_TRY(rwl_buf_reserve(&c->validity, (c->rows + rows) / 8 + 1 + 2 * RWL_PARQUET_SLACK, err));
    if (c->nulls == 0)
        rwl_parquet_bits_fill(c->validity.data, 0, c->rows);
    if (nulls > 0)
        rwl_parquet_bits_copy(c->validity.data, c->rows, column->validity.data, first, rows);
    else
        rwl_parquet_bits_fill(c->validity.data, c->rows, rows);
    return RWL_OK;
}

static rwl_status add_booleans(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dense *d = &c->dense;
    RWL_TRY(open_page(c, (value_count(c) + d->count) / 8 + 1 + RWL_PARQUET_SLACK, err));
    rwl_parquet_bits_copy(c->page.data + c->headroom, value_count(c), d->values, d->bit_pos, d->count);
    size_t true_count = rwl_parquet_bits_count(d->values, d->bit_pos, d->count);
    rwl_parquet_bounds_add_booleans(&c->chunk_bounds, true_count, d->count - true_count);
    c->page.len = c->headroom + (value_count(c) + d->count + 7) / 8;
    return RWL_OK;
}

static rwl_status add_plain(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dense *d = &c->dense;
    RWL_TRY(open_page(c, 0, err));
    RWL_TRY(rwl_parquet_dense_plain(d, &c->shape, &c->page, err));
    if (c->shape.width > 0)
        return rwl_parquet_bounds_add_fixed(&c->chunk_bounds, d->values, d->count, c->shape.width, err);
    return rwl_parquet_bounds_add_bytes(&c->chunk_bounds, d->values, d->starts, d->ends, d->count, err);
}

static rwl_status add_indexes(rwl_parquet_column_writer *c, rwl_error *err) {
    const rwl_parquet_dense *d = &c->dense;
    RWL_TRY(rwl_buf_reserve(&c->indexes, d->count * sizeof(uint32_t) + 1, err));
    uint32_t *at = (uint32_t *)(void *)(c->indexes.data + c->indexes.len);
    if (c->shape.width > 0)
        RWL_TRY(rwl_parquet_dictbuild_add_fixed(&c->dictionary, d->values, d->count, at, err));
    else
        RWL_TRY(rwl_parquet_dictbuild_add_bytes(&c->dictionary, d->values, d->starts, d->ends, d->count, at,
                                                err));
    c->indexes.len += d->count * sizeof(uint32_t);
    if (c->mark_values == 0 && c->indexes.len / sizeof(uint32_t) >= c->limits.page_rows / 2) {
        c->mark_values = c->indexes.len / sizeof(uint32_t);
        c->mark_entries = c->dictionary.count;
    }
    c->page_plain_bytes += c->shape.width > 0 ? d->count * c->shape.width : d->byte_count + 4 * d->count;
    return RWL_OK;
}

/* How many of the next rows (at most `rows`) have PLAIN values of `room` bytes in all, nulls counted as
 * values. */
static size_t rows_within(const rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                          size_t rows, size_t room) {
    if (c->shape.physical == RWL_PARQUET_BOOLEAN)
        return rows;
    if (c->shape.width > 0)
        return rows < room / c->shape.width ? rows : room / c->shape.width;
    const int32_t *offsets = rwl_column_offsets(column) + first;
    size_t low = 0, high = rows; /* `low` rows fit, more than `high` do not */
    if ((size_t)(offsets[rows] - offsets[0]) + 4 * rows <= room)
        return rows;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if ((size_t)(offsets[middle] - offsets[0]) + 4 * middle <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Chooses the next slice, ending the page or the dictionary when not one row more fits. */
static rwl_status next_slice(rwl_parquet_column_writer *c, const rwl_column *column, size_t first,
                             size_t left, size_t *rows, rwl_error *err) {
    if (left > SLICE_ROWS)
        left = SLICE_ROWS;
    if (c->in_dictionary) {
        size_t in_page = c->limits.page_rows - c->rows;
        *rows = rows_within(c, column, first, left < in_page ? left : in_page, dictionary_room(c));
        if (*rows > 0)
            return RWL_OK;
        RWL_TRY(close_dictionary(c, err));
    }
    size_t in_page = c->limits.page_rows - c->rows, used = page_values_len(c);
    size_t room = used < c->limits.page_bytes ? c->limits.page_bytes - used : 0;
    *rows = rows_within(c, column, first, left < in_page ? left : in_page, room);
    if (*rows == 0 && c->rows > 0) {
        RWL_TRY(flush_page(c, err));
        in_page = c->limits.page_rows;
        *rows = rows_within(c, column, first, left < in_page ? left : in_page, c->limits.page_bytes);
    }
    if (*rows == 0)
        *rows = 1;
    return RWL_OK;
}

static rwl_status add_slice(rwl_parquet_column_writer *c, const rwl_column *column, size_t first, size_t rows,
                            rwl_error *err) {
    size_t nulls = 0;
    if (column->null_count > 0)
        nulls = rows - rwl_parquet_bits_count(column->validity.data, first, rows);
    if (nulls > 0 && c->field->required)
        return rwl_fail(err, RWL_INTERNAL, "column %s is required but has a null to write", c->field->name);
    rwl_status st = rwl_parquet_dense_load(&c->dense, column, &c->shape, first, rows, nulls, err);
    if (st != RWL_OK)
        return rwl_error_in(err, st, "column %s", c->field->name);
    RWL_TRY(add_validity(c, column, first, rows, nulls, err));
    if (c->shape.order == RWL_PARQUET_ORDER_FLOAT || c->shape.order == RWL_PARQUET_ORDER_DOUBLE)
        c->nan_count += (int64_t)rwl_parquet_nan_count(c->dense.values, c->dense.count, c->shape.width);
    if (c->shape.physical == RWL_PARQUET_BOOLEAN)
        RWL_TRY(add_booleans(c, err));
    else if (c->in_dictionary)
        RWL_TRY(add_indexes(c, err));
    else
        RWL_TRY(add_plain(c, err));
    c->rows += rows;
    c->nulls += nulls;
    return RWL_OK;
}

rwl_status rwl_parquet_column_writer_add(rwl_parquet_column_writer *c, const rwl_column *column,
                                         int64_t first, int64_t rows, rwl_error *err) {
    size_t pos = (size_t)first, end = (size_t)(first + rows);
    while (pos < end) {
        size_t n;
        RWL_TRY(next_slice(c, column, pos, end - pos, &n, err));
        RWL_TRY(add_slice(c, column, pos, n, err));
        pos += n;
        if (c->in_dictionary && dictionary_over(c))
            RWL_TRY(close_dictionary(c, err));
        size_t used = c->in_dictionary ? c->indexes.len : page_values_len(c);
        if (c->rows >= c->limits.page_rows || used >= c->limits.page_bytes)
            RWL_TRY(flush_page(c, err));
    }
    c->value_count += rows;
    return RWL_OK;
}

/* --- chunks --- */

int64_t rwl_parquet_column_writer_estimate(const rwl_parquet_column_writer *c) {
    size_t open = page_values_len(c);
    if (c->in_dictionary)
        open = c->indexes.len / sizeof(uint32_t) * (size_t)rwl_parquet_bit_width(c->dictionary.count) / 8;
    if (c->in_dictionary || c->dictionary_coded_pages > 0)
        open += c->dictionary.body.len;
    open += c->nulls > 0 ? c->rows / 8 : 0;
    double ratio = c->uncompressed_size > 0 ? (double)c->pages.len / (double)c->uncompressed_size : 1.0;
    return (int64_t)c->pages.len + (int64_t)((double)open * ratio);
}

/* Writes the dictionary page, whose compressed form is built behind the data pages and cut off again. */
static rwl_status write_dictionary(rwl_parquet_column_writer *c, rwl_new_file *file, size_t *len,
                                   rwl_error *err) {
    size_t end = c->pages.len;
    RWL_TRY(
        append_page(c, rwl_buf_span(&c->dictionary.body), true, c->dictionary.count, RWL_PARQUET_PLAIN, err));
    *len = c->pages.len - end;
    RWL_TRY(rwl_new_file_write(file, c->pages.data + end, *len, err));
    c->pages.len = end;
    return RWL_OK;
}

static rwl_status keep_stat(const rwl_parquet_stat_bound *from, rwl_arena *arena, bool *present, bool *exact,
                            rwl_span *to, rwl_error *err) {
    *present = from->present;
    *exact = from->exact;
    if (!from->present)
        return RWL_OK;
    void *copy = rwl_arena_copy(arena, from->bytes.data, from->bytes.len);
    if (copy == NULL)
        return rwl_no_memory(err, from->bytes.len);
    *to = rwl_span_of(copy, from->bytes.len);
    return RWL_OK;
}

static rwl_status describe_chunk(rwl_parquet_column_writer *c, rwl_arena *arena,
                                 rwl_parquet_written_chunk *chunk, rwl_error *err) {
    bool is_text = c->field->type.kind == RWL_TYPE_STRING;
    chunk->value_count = c->chunk_rows;
    chunk->null_count = c->chunk_nulls;
    chunk->uncompressed_size = c->uncompressed_size;
    chunk->plain_pages = c->plain_pages;
    chunk->dictionary_coded_pages = c->dictionary_coded_pages;
    RWL_TRY(rwl_parquet_bounds_stats(&c->chunk_bounds, &c->shape, is_text, &c->stat_min, &c->stat_max, err));
    RWL_TRY(keep_stat(&c->stat_min, arena, &chunk->has_min, &chunk->min_exact, &chunk->min, err));
    return keep_stat(&c->stat_max, arena, &chunk->has_max, &chunk->max_exact, &chunk->max, err);
}

static rwl_status end_chunk(rwl_parquet_column_writer *c, rwl_error *err) {
    c->null_count += c->chunk_nulls;
    c->page_count += c->plain_pages + c->dictionary_coded_pages;
    RWL_TRY(rwl_parquet_bounds_merge(&c->file_bounds, &c->chunk_bounds, err));
    rwl_parquet_bounds_reset(&c->chunk_bounds);
    c->chunk_rows = c->chunk_nulls = c->uncompressed_size = 0;
    c->plain_pages = c->dictionary_coded_pages = 0;
    c->page_plain_bytes = c->page_body = c->page_entries = 0;
    c->mark_values = 0;
    rwl_buf_reset(&c->pages);
    if (!c->dictionary_useless) {
        rwl_parquet_dictbuild_reset(&c->dictionary);
        c->in_dictionary = true;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_column_writer_flush(rwl_parquet_column_writer *c, rwl_new_file *file, int64_t *offset,
                                           rwl_arena *arena, rwl_parquet_written_chunk *chunk,
                                           rwl_error *err) {
    size_t dictionary_len = 0;
    memset(chunk, 0, sizeof *chunk);
    RWL_TRY(flush_page(c, err));
    if (c->in_dictionary)
        RWL_TRY(close_dictionary(c, err));
    if (c->dictionary_coded_pages > 0) {
        RWL_TRY(write_dictionary(c, file, &dictionary_len, err));
        chunk->dictionary_offset = *offset;
    }
    RWL_TRY(rwl_new_file_write(file, c->pages.data, c->pages.len, err));
    chunk->data_offset = *offset + (int64_t)dictionary_len;
    chunk->compressed_size = (int64_t)(dictionary_len + c->pages.len);
    *offset += chunk->compressed_size;
    c->compressed_size += chunk->compressed_size;
    RWL_TRY(describe_chunk(c, arena, chunk, err));
    return end_chunk(c, err);
}

int64_t rwl_parquet_column_writer_memory(const rwl_parquet_column_writer *c) {
    size_t held = c->validity.cap + c->page.cap + c->indexes.cap + c->pages.cap + c->compressed.cap +
                  c->dense.scratch.cap + c->dense.second.cap;
    return (int64_t)held + rwl_parquet_dictbuild_memory(&c->dictionary);
}
