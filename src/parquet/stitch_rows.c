/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows put into the page being made: those of pages cut by the border of a range, and of values that are stored otherwise
 * here. Rows of neighbouring pages share a page. Values stay indexes where the page is dictionary-coded and the chunk
 * still is, else they become PLAIN.
 */
#include "parquet/stitch_internal.h"

#include "parquet/encode.h"

/* --- values --- */

static rwl_status add_coded(rwl_stitch_work *w, const uint8_t *bytes, const int32_t *ends, size_t count,
                            rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    rwl_parquet_dictbuild *d = &w->dictionary.build;
    RWL_TRY(rwl_vec_reserve(&b->indexes, w->env, count, err));
    uint32_t *to = b->indexes.items + b->indexes.len;
    if (d->width > 0)
        RWL_TRY(rwl_parquet_dictbuild_add_fixed(d, bytes, count, to, err));
    else
        RWL_TRY(rwl_parquet_dictbuild_add_bytes(d, bytes, ends, ends + 1, count, to, err));
    b->indexes.len += count;
    w->dictionary.is_closed |= d->body.len > w->dictionary_bytes;
    return RWL_OK;
}

/* Fixed width, as stored: straight behind the others. */
static rwl_status move_fixed(rwl_stitch_work *w, size_t count, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    size_t width = w->leaf->shape.width, len = count * width;
    rwl_buf *to = b->is_coded ? &b->piece : &b->values;
    if (b->is_coded)
        rwl_buf_reset(to);
    RWL_TRY(rwl_buf_reserve(to, len + RWL_PARQUET_READ_SLACK, err));
    uint8_t *at = to->data + to->len;
    RWL_TRY(rwl_parquet_values_fixed(&w->values, at, count, err));
    if (b->is_coded)
        return add_coded(w, at, NULL, count, err);
    to->len += len;
    return rwl_parquet_bounds_add_fixed(&b->bounds, at, count, width, err);
}

static rwl_status move_bits(rwl_stitch_work *w, size_t count, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    size_t bytes = (b->bit_count + count + 7) / 8, start = w->out.headroom;
    size_t have = b->values.len - start;
    RWL_TRY(rwl_buf_reserve(&b->values, bytes - have + RWL_PARQUET_READ_SLACK, err));
    memset(b->values.data + b->values.len, 0, bytes - have + RWL_PARQUET_SLACK);
    b->values.len = start + bytes;
    uint8_t *bits = b->values.data + start;
    RWL_TRY(rwl_parquet_values_bits(&w->values, bits, (int64_t)b->bit_count, count, err));
    size_t set = rwl_parquet_bits_count(bits, b->bit_count, count);
    b->bit_count += count;
    if (b->bit_count % 8 != 0) /* what lies behind is not of the page */
        bits[bytes - 1] = (uint8_t)(bits[bytes - 1] & ((1u << b->bit_count % 8) - 1));
    rwl_parquet_bounds_add_booleans(&b->bounds, set, count - set);
    return RWL_OK;
}

static rwl_status put_bytes(rwl_stitch_work *w, const uint8_t *bytes, const int32_t *ends, size_t count,
                            rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    size_t len = (size_t)(ends[count] - ends[0]);
    if (b->is_coded && w->dictionary.build.body.len + len + 4 * count > INT32_MAX / 2)
        return rwl_fail(err, RWL_UNSUPPORTED, "a dictionary too large");
    if (b->is_coded)
        return add_coded(w, bytes, ends, count, err);
    b->unencoded_bytes += (int64_t)len;
    RWL_TRY(rwl_buf_reserve(&b->values, len + 4 * count, err));
    uint8_t *to = b->values.data + b->values.len;
    for (size_t i = 0; i < count; i++) {
        size_t n = (size_t)(ends[i + 1] - ends[i]);
        rwl_store_le32(to, (uint32_t)n);
        if (n > 0)
            memcpy(to + 4, bytes + ends[i], n);
        to += 4 + n;
    }
    b->values.len += len + 4 * count;
    return rwl_parquet_bounds_add_bytes(&b->bounds, bytes, ends, ends + 1, count, err);
}

static rwl_status move_bytes(rwl_stitch_work *w, size_t count, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    int32_t ends[RWL_PARQUET_BLOCK + 1];
    while (count > 0) {
        size_t n = count < RWL_PARQUET_BLOCK ? count : RWL_PARQUET_BLOCK, done;
        rwl_column_reset(&b->bytes);
        b->bytes.bytes_len = 0;
        RWL_TRY(rwl_column_reserve(&b->bytes, w->env, (int64_t)n, 1, err));
        RWL_TRY(rwl_parquet_values_bytes(&w->values, &b->bytes, RWL_COLUMN_BYTES_MAX - RWL_PARQUET_READ_SLACK,
                                         n, ends, &done, err));
        if (done == 0)
            return rwl_fail(err, RWL_UNSUPPORTED, "a value too long");
        RWL_TRY(put_bytes(w, b->bytes.values.data, ends, done, err));
        count -= done;
    }
    return RWL_OK;
}

/* Values stored otherwise: decoded as what they are, widened, encoded. */
static rwl_status convert_block(rwl_stitch_work *w, size_t count, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    rwl_column *natural = &b->natural;
    rwl_column_reset(natural);
    RWL_TRY(rwl_column_reserve(natural, w->env, (int64_t)count, 0, err));
    if (w->layout.width == 0)
        return rwl_fail(err, RWL_INTERNAL, "values of this type do not convert");
    RWL_TRY(rwl_parquet_values_fixed(&w->values, natural->values.data, count, err));
    natural->length = (int64_t)count;
    const rwl_column *from = natural;
    if (!rwl_type_equal(&natural->type, &w->leaf->field->type)) {
        RWL_TRY(rwl_column_promote(natural, &b->promoted, w->env, err));
        from = &b->promoted;
    }
    RWL_TRY(rwl_parquet_dense_load(&b->dense, from, &w->leaf->shape, 0, count, 0, err));
    if (b->is_coded)
        return add_coded(w, b->dense.values, NULL, count, err);
    RWL_TRY(rwl_parquet_dense_plain(&b->dense, &w->leaf->shape, &b->values, err));
    return rwl_parquet_bounds_add_fixed(&b->bounds, b->dense.values, count, w->leaf->shape.width, err);
}

static rwl_status move_converted(rwl_stitch_work *w, size_t count, rwl_error *err) {
    enum { BLOCK = 8192 };
    for (size_t done = 0; done < count; done += BLOCK)
        RWL_TRY(convert_block(w, count - done < BLOCK ? count - done : BLOCK, err));
    return RWL_OK;
}

/* --- rows --- */

/* How the values of a page come: indexes to map, or values to decode, which are looked up or stored in PLAIN. */
typedef struct reading {
    bool by_index, coded;
    rwl_rle rle;
} reading;

static rwl_status append_values(rwl_stitch_work *w, reading *r, size_t count, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    if (count == 0)
        return RWL_OK;
    if (r->by_index) {
        RWL_TRY(rwl_vec_reserve(&b->indexes, w->env, count, err));
        uint32_t *to = b->indexes.items + b->indexes.len;
        RWL_TRY(rwl_rle_read(&r->rle, to, count, err));
        RWL_TRY(rwl_stitch_dictionary_remap(w, to, count, err));
        b->indexes.len += count;
        return RWL_OK;
    }
    b->decoded = true;
    if (w->map->converts)
        return move_converted(w, count, err);
    if (w->layout.convert == RWL_PARQUET_TO_BITS)
        return move_bits(w, count, err);
    return w->layout.convert == RWL_PARQUET_TO_BYTES ? move_bytes(w, count, err) : move_fixed(w, count, err);
}

static rwl_status skip_values(rwl_stitch_work *w, reading *r, size_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    return r->by_index ? rwl_rle_skip(&r->rle, count, err)
                       : rwl_parquet_values_skip(&w->values, (int64_t)count, err);
}

/* The page so far as values: a row must go on in it that can't be coded. */
static rwl_status unfold(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    if (!w->dictionary.is_union)
        return rwl_fail(err, RWL_UNSUPPORTED, "a row goes on in a page of another encoding");
    RWL_TRY(rwl_stitch_build_bounds(w, err));
    RWL_TRY(rwl_parquet_dictbuild_gather(&w->dictionary.build, b->indexes.items, b->indexes.len, &b->values,
                                         err));
    b->indexes.len = 0;
    b->is_coded = false;
    return RWL_OK;
}

/* The page at hand takes values in another form than those before. */
static rwl_status change_form(rwl_stitch_work *w, bool coded, bool goes_on, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    bool has_values = b->nulls < b->entries;
    if (!has_values || b->is_coded == coded) {
        b->is_coded = coded;
        return RWL_OK;
    }
    if (goes_on)
        return unfold(w, err); /* from coded: no page becomes coded while values are held */
    RWL_TRY(rwl_stitch_build_flush(w, err));
    b->is_coded = coded;
    return RWL_OK;
}

/* Entries [first, first + count), all kept; `rows` begin in them. */
static rwl_status keep(rwl_stitch_work *w, reading *r, size_t first, size_t count, size_t rows,
                       rwl_error *err) {
    bool is_single = w->from->max_repetition == 0; /* a row has one entry */
    while (count > 0) {
        rwl_stitch_build *b = &w->build;
        bool goes_on = w->from->max_repetition > 0 && w->repetitions.items[first] != 0;
        RWL_TRY(change_form(w, r->coded, goes_on, err));
        size_t n = count, begun = rows;
        if (is_single) {
            size_t room = w->page_rows - b->rows, most = rwl_stitch_build_rows_at_once(w, r->coded);
            most = most < room ? most : room;
            n = begun = n < most ? n : most;
        }
        size_t present = rwl_stitch_count_values(w, first, n);
        RWL_TRY(append_values(w, r, present, err));
        RWL_TRY(rwl_stitch_build_levels(w, first, n, present, begun, err));
        first += n;
        count -= n;
        rows -= begun;
        if (is_single)
            RWL_TRY(rwl_stitch_build_flush_full(w, err));
    }
    return RWL_OK;
}

static rwl_status pass(rwl_stitch_work *w, reading *r, size_t first, size_t count, rwl_error *err) {
    return skip_values(w, r, rwl_stitch_count_values(w, first, count), err);
}

/* Every row has one entry. */
static rwl_status take_flat(rwl_stitch_work *w, reading *r, size_t entries, int64_t first_row,
                            rwl_error *err) {
    size_t at = 0;
    for (size_t i = w->range; i < w->seg->range_count && at < entries; i++) {
        const rwl_range *range = &w->seg->ranges[i];
        int64_t end = range->start + range->count - first_row;
        if (end <= (int64_t)at)
            continue;
        int64_t start = range->start - first_row > (int64_t)at ? range->start - first_row : (int64_t)at;
        if (start >= (int64_t)entries)
            break;
        size_t stop = end < (int64_t)entries ? (size_t)end : entries;
        RWL_TRY(pass(w, r, at, (size_t)start - at, err));
        RWL_TRY(keep(w, r, (size_t)start, stop - (size_t)start, stop - (size_t)start, err));
        at = stop;
    }
    /* the next page's first value may be told by this one's last */
    return w->seg->source->carries ? pass(w, r, at, entries - at, err) : RWL_OK;
}

/* Runs of entries whose rows are kept, or are not. `row` is the row of the first entry, which may not begin there. */
static rwl_status take_repeated(rwl_stitch_work *w, reading *r, size_t entries, int64_t row, rwl_error *err) {
    const uint8_t *levels = w->repetitions.items;
    const rwl_range *range = w->seg->ranges + w->range, *last_range = w->seg->ranges + w->seg->range_count;
    for (size_t at = 0; at < entries;) {
        while (range < last_range && range->start + range->count <= row)
            range++;
        bool kept = range < last_range && range->start <= row;
        int64_t border = range == last_range ? INT64_MAX : kept ? range->start + range->count : range->start;
        if (kept && levels[at] == 0)
            RWL_TRY(rwl_stitch_build_flush_full(w, err));
        size_t end = at + 1, rows = levels[at] == 0, most = rwl_stitch_build_rows_at_once(w, r->coded);
        most = most < w->page_rows - w->build.rows ? most : w->page_rows - w->build.rows;
        for (; end < entries; end++) {
            if (levels[end] != 0)
                continue;
            if (row + 1 == border || (kept && rows >= most))
                break;
            row++;
            rows++;
        }
        RWL_TRY(kept ? keep(w, r, at, end - at, rows, err) : pass(w, r, at, end - at, err));
        at = end;
        row++;
    }
    return RWL_OK;
}

/* Whether values that are not dictionary-coded here become so: most of the column is. */
bool rwl_stitch_wants_adding(const rwl_stitch_work *w) {
    const rwl_stitch_dictionary *d = &w->dictionary;
    if (!w->expects_dictionary || d->is_closed || w->leaf->shape.physical == RWL_PARQUET_BOOLEAN)
        return false;
    return w->coded_values >= w->in->value_count;
}

static rwl_status choose(rwl_stitch_work *w, rwl_stitch_page *p, reading *r, rwl_error *err) {
    bool may = !rwl_parquet_chunk_left_dictionary(w->chunk) &&
               !(w->build.entries > w->build.nulls && !w->build.is_coded);
    *r = (reading){.by_index = p->is_coded && w->dictionary.is_joined && may};
    if (r->by_index) { /* the union tells bounds, and values where a row goes on in a page of another encoding */
        bool ok;
        RWL_TRY(rwl_stitch_dictionary_need_union(w, &ok, err));
        r->by_index = ok || w->from->max_repetition == 0;
    }
    r->coded = r->by_index;
    if (r->by_index) {
        if (p->values.len == 0) {
            rwl_rle_init(&r->rle, rwl_span_of(NULL, 0), 1);
            return RWL_OK;
        }
        if (p->values.data[0] > 32)
            return rwl_fail(err, RWL_CORRUPT, "dictionary indexes of %d bits", p->values.data[0]);
        rwl_rle_init(&r->rle, rwl_span_of(p->values.data + 1, p->values.len - 1), p->values.data[0]);
        return RWL_OK;
    }
    if (may && !p->is_coded && rwl_stitch_wants_adding(w))
        RWL_TRY(rwl_stitch_dictionary_need_union(w, &r->coded, err));
    if (p->is_coded)
        RWL_TRY(rwl_stitch_dictionary_decode(w, err));
    if (!rwl_parquet_values_supported(&w->layout, p->header.encoding))
        return rwl_fail(err, RWL_UNSUPPORTED, "encoding %s is not supported",
                        rwl_parquet_encoding_name(p->header.encoding));
    return rwl_parquet_values_init(&w->values, p->header.encoding, p->values, err);
}

/* Rows are where headers say: those of pages not opened are counted by them. */
static rwl_status check_place(const rwl_stitch_work *w, const rwl_stitch_place *place, rwl_error *err) {
    const uint8_t *levels = w->repetitions.items;
    int64_t rows = 0;
    for (size_t i = 0; i < w->repetitions.len; i++)
        rows += levels[i] == 0;
    if (rows != place->rows || (levels[0] == 0) != place->begins)
        return rwl_fail(err, RWL_CORRUPT, "a page of %lld rows that should have %lld", (long long)rows,
                        (long long)place->rows);
    return RWL_OK;
}

rwl_status rwl_stitch_build_page(rwl_stitch_work *w, rwl_stitch_page *p, int64_t first_row, rwl_error *err) {
    reading r;
    size_t entries = (size_t)p->header.value_count;
    RWL_TRY(rwl_stitch_build_need_out(w, err));
    RWL_TRY(rwl_stitch_page_open(w, p, true, err));
    RWL_TRY(rwl_stitch_page_levels(w, p, err));
    if (w->from->max_repetition > 0)
        RWL_TRY(check_place(w, p->place, err));
    RWL_TRY(choose(w, p, &r, err));
    return w->from->max_repetition > 0 ? take_repeated(w, &r, entries, first_row, err)
                                       : take_flat(w, &r, entries, first_row, err);
}
