/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages made of rows: those of pages cut by the border of a range, of parts without the column, of values that are
 * stored otherwise here. Rows of neighbouring pages share a page. Values stay indexes where the page is dictionary-coded
 * and the chunk still is, else they become PLAIN.
 */
#include "parquet/stitch_internal.h"

#include "column/bits.h"
#include "parquet/encode.h"
#include "parquet/stat_merge.h"

static rwl_status in_column(const rwl_stitch_work *w, rwl_status st, rwl_error *err) {
    return st == RWL_OK ? st : rwl_error_in(err, st, "column %s", w->leaf->dotted);
}

/* --- life --- */

rwl_status rwl_stitch_build_init(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    rwl_buf *const bufs[] = {&b->validity, &b->definitions, &b->repetitions, &b->values, &b->piece};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rwl_buf_init(bufs[i], w->env, SIZE_MAX);
    rwl_type binary = rwl_type_of(RWL_TYPE_BINARY);
    rwl_column_init_flat(&b->bytes, &binary);
    rwl_column_init_flat(&b->natural, &binary);
    rwl_column_init_flat(&b->promoted, &binary);
    rwl_parquet_dense_init(&b->dense, w->env);
    rwl_parquet_bounds_init(&b->bounds, w->env, RWL_PARQUET_ORDER_INT64);
    (void)err;
    return RWL_OK;
}

void rwl_stitch_build_clear(rwl_stitch_work *w) {
    rwl_stitch_build *b = &w->build;
    rwl_buf *const bufs[] = {&b->validity, &b->definitions, &b->repetitions, &b->values, &b->piece};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rwl_buf_clear(bufs[i]);
    rwl_vec_clear(&b->indexes, w->env);
    rwl_vec_clear(&b->ends, w->env);
    rwl_vec_clear(&b->mapped, w->env);
    rwl_column_clear(&b->bytes, w->env);
    rwl_column_clear(&b->natural, w->env);
    rwl_column_clear(&b->promoted, w->env);
    rwl_parquet_dense_clear(&b->dense);
    rwl_parquet_bounds_clear(&b->bounds);
}

static void empty(rwl_stitch_work *w) {
    rwl_stitch_build *b = &w->build;
    b->entries = b->rows = b->nulls = b->bit_count = 0;
    rwl_buf_reset(&b->validity);
    rwl_buf_reset(&b->definitions);
    rwl_buf_reset(&b->repetitions);
    b->values.len = w->has_out ? w->out.headroom : 0;
    b->indexes.len = 0;
    rwl_parquet_bounds_reset(&b->bounds);
    b->is_coded = b->decoded = false;
    b->has_bounds = true;
    b->unencoded_bytes = 0;
}

rwl_status rwl_stitch_build_start(rwl_stitch_work *w, rwl_error *err) {
    rwl_parquet_bounds_clear(&w->build.bounds);
    rwl_parquet_bounds_init(&w->build.bounds, w->env, w->leaf->shape.order);
    if (w->has_out)
        rwl_parquet_page_out_clear(&w->out);
    w->has_out = false;
    empty(w);
    (void)err;
    return RWL_OK;
}

/* The way out, made when the first page of the leaf is. */
static rwl_status need_out(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    if (w->has_out)
        return RWL_OK;
    if (w->page_type < 0)
        w->page_type = w->page_v2 ? RWL_PARQUET_DATA_PAGE_V2 : RWL_PARQUET_DATA_PAGE;
    w->has_out = true;
    RWL_TRY(rwl_parquet_page_out_init(&w->out, w->env, w->leaf, w->chunk, w->is_flat, w->page_rows,
                                      w->page_type == RWL_PARQUET_DATA_PAGE_V2, w->with_crc, err));
    w->out.codecs = w->codecs;
    RWL_TRY(rwl_buf_reserve(&b->values, w->out.headroom + RWL_PARQUET_SLACK, err));
    b->values.len = w->out.headroom;
    return RWL_OK;
}

void rwl_stitch_build_segment(rwl_stitch_work *w) {
    rwl_stitch_build *b = &w->build;
    w->layout = w->map->converts ? rwl_parquet_layout_of(w->from) : rwl_parquet_layout_physical(w->from);
    rwl_parquet_values_begin(&w->values, w->env, &w->layout, &w->dictionary.decoded, w->seg->source->carries);
    if (w->map->converts) {
        rwl_column_clear(&b->natural, w->env);
        rwl_column_clear(&b->promoted, w->env);
        rwl_column_init_flat(&b->natural, &w->from->field.type);
        rwl_column_init_flat(&b->promoted, &w->leaf->field->type);
    }
}

/* --- pages out --- */

static rwl_status encode_indexes(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    int width = rwl_parquet_bit_width(rwl_stitch_dictionary_count(w));
    size_t count = b->indexes.len;
    RWL_TRY(rwl_buf_reserve(&b->values, 1 + rwl_parquet_hybrid_bound(count, width), err));
    uint8_t *to = b->values.data + b->values.len;
    to[0] = (uint8_t)width;
    b->values.len += 1 + (count > 0 ? rwl_parquet_hybrid_encode(b->indexes.items, count, width, to + 1) : 0);
    return RWL_OK;
}

/* Bounds of what the indexes stand for. */
static rwl_status bound_indexes(rwl_stitch_work *w, rwl_error *err) {
    enum { BLOCK = 1024 };
    rwl_stitch_build *b = &w->build;
    const rwl_parquet_dictbuild *d = &w->dictionary.build;
    int32_t starts[BLOCK], ends[BLOCK];
    if (!w->dictionary.is_union) {
        b->has_bounds = false;
        return RWL_OK;
    }
    for (size_t i = 0; i < b->indexes.len; i += BLOCK) {
        size_t n = b->indexes.len - i < BLOCK ? b->indexes.len - i : BLOCK;
        const uint32_t *indexes = b->indexes.items + i;
        if (d->width > 0) {
            rwl_buf_reset(&b->piece);
            RWL_TRY(rwl_parquet_dictbuild_gather(d, indexes, n, &b->piece, err));
            RWL_TRY(rwl_parquet_bounds_add_fixed(&b->bounds, b->piece.data, n, d->width, err));
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            starts[k] = d->starts[indexes[k]];
            ends[k] = d->ends[indexes[k]];
            b->unencoded_bytes += ends[k] - starts[k];
        }
        RWL_TRY(rwl_parquet_bounds_add_bytes(&b->bounds, d->body.data, starts, ends, n, err));
    }
    return RWL_OK;
}

static rwl_status write_page(rwl_stitch_work *w, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    rwl_parquet_page_facts facts = {.unencoded_bytes = -1};
    RWL_TRY(need_out(w, err));
    /* a page of nothing but nulls is of either encoding */
    bool coded = b->is_coded || (b->nulls == b->entries && w->expects_dictionary &&
                                 !rwl_parquet_chunk_left_dictionary(w->chunk));
    if (coded) {
        w->dictionary.is_used = true;
        b->values.len = w->out.headroom;
        RWL_TRY(bound_indexes(w, err));
        RWL_TRY(encode_indexes(w, err));
    }
    bool is_text = w->leaf->field->type.kind == RWL_TYPE_STRING;
    if (b->has_bounds && rwl_parquet_stat_ordered(w->leaf)) {
        RWL_TRY(rwl_parquet_bounds_stats(&b->bounds, &w->leaf->shape, is_text, &w->min, &w->max, err));
        facts.min = &w->min;
        facts.max = &w->max;
    }
    if (w->leaf->shape.physical == RWL_PARQUET_BYTE_ARRAY && b->has_bounds)
        facts.unencoded_bytes = b->unencoded_bytes;
    if (w->is_flat && b->nulls > 0)
        RWL_TRY(rwl_buf_reserve(&b->validity, RWL_PARQUET_SLACK, err));
    rwl_parquet_page_levels levels = {.entries = b->entries,
                                      .rows = b->rows,
                                      .nulls = b->nulls,
                                      .validity = w->is_flat && b->nulls > 0 ? b->validity.data : NULL,
                                      .definitions = w->is_flat ? NULL : b->definitions.data,
                                      .repetitions = w->is_flat ? NULL : b->repetitions.data};
    *(b->decoded || !coded ? &w->stats->pages_encoded : &w->stats->pages_recoded) += 1;
    return rwl_parquet_page_out_data(&w->out, &levels, &b->values,
                                     coded ? RWL_PARQUET_RLE_DICTIONARY : RWL_PARQUET_PLAIN, &facts, err);
}

rwl_status rwl_stitch_build_flush(rwl_stitch_work *w, rwl_error *err) {
    rwl_status st = w->build.entries > 0 ? write_page(w, err) : RWL_OK;
    empty(w);
    return st;
}

static size_t held_bytes(const rwl_stitch_work *w) {
    const rwl_stitch_build *b = &w->build;
    return b->values.len + b->indexes.len * 2 + (w->is_flat ? 0 : b->entries / 4);
}

static rwl_status flush_full(rwl_stitch_work *w, rwl_error *err) {
    bool is_full = w->build.rows >= w->page_rows || held_bytes(w) >= w->page_bytes;
    return is_full ? rwl_stitch_build_flush(w, err) : RWL_OK;
}

/* --- levels --- */

static rwl_status append_validity(rwl_stitch_work *w, const uint8_t *levels, uint8_t max, size_t count,
                                  rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    size_t bytes = (b->entries + count + 7) / 8;
    RWL_TRY(rwl_buf_reserve(&b->validity, bytes - b->validity.len + 2 * RWL_PARQUET_SLACK, err));
    memset(b->validity.data + b->validity.len, 0, bytes - b->validity.len + RWL_PARQUET_SLACK);
    b->validity.len = bytes;
    if (levels == NULL) {
        rwl_bits_fill(b->validity.data, (int64_t)b->entries, (int64_t)count, max > 0);
        return RWL_OK;
    }
    uint8_t *bits = b->validity.data;
    for (size_t i = 0, at = b->entries; i < count; i++, at++)
        bits[at >> 3] = (uint8_t)(bits[at >> 3] | (uint8_t)((levels[i] == max) << (at & 7)));
    return RWL_OK;
}

/* Appends the levels of entries [first, first + count) of the page, of which `present` have values. */
static rwl_status append_levels(rwl_stitch_work *w, size_t first, size_t count, size_t present, size_t rows,
                                rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    const uint8_t *levels = w->from->max_definition > 0 ? w->definitions.items + first : NULL;
    if (w->leaf->max_definition == 0 && present < count)
        return rwl_fail(err, RWL_CORRUPT, "a null in a required column");
    if (w->is_flat && w->leaf->max_definition > 0) {
        RWL_TRY(
            append_validity(w, levels, levels != NULL ? (uint8_t)w->from->max_definition : 1, count, err));
    } else if (!w->is_flat) {
        RWL_TRY(rwl_buf_reserve(&b->definitions, count + 1, err));
        RWL_TRY(rwl_buf_reserve(&b->repetitions, count + 1, err));
        uint8_t *to = b->definitions.data + b->definitions.len;
        for (size_t i = 0; i < count; i++)
            to[i] = levels == NULL ? 0 : levels[i];
        if (w->map->levels == RWL_STITCH_MAP)
            for (size_t i = 0; i < count; i++)
                to[i] = w->map->definitions[to[i]];
        for (size_t i = 0; i < count; i++)
            if (to[i] == RWL_STITCH_NO_LEVEL)
                return rwl_fail(err, RWL_CORRUPT, "a null in a required column");
        b->definitions.len += count;
        if (w->from->max_repetition > 0)
            memcpy(b->repetitions.data + b->repetitions.len, w->repetitions.items + first, count);
        else
            memset(b->repetitions.data + b->repetitions.len, 0, count);
        b->repetitions.len += count;
    }
    b->entries += count;
    b->nulls += count - present;
    if (!w->is_direct)
        w->nulls_before += (int64_t)(count - present);
    b->rows += rows;
    return RWL_OK;
}

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
    RWL_TRY(bound_indexes(w, err));
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

/* Rows after which the page is looked at again: as many as fill it, by what values take. */
static size_t rows_at_once(const rwl_stitch_work *w, bool coded) {
    enum { FIRST = 8 };
    const rwl_stitch_build *b = &w->build;
    size_t held = held_bytes(w) - w->out.headroom, each = w->leaf->shape.width;
    if (coded)
        return w->page_rows;
    if (!w->is_flat || each == 0) {
        if (b->rows == 0)
            return FIRST;
        each = held / b->rows;
    }
    return held < w->page_bytes ? (w->page_bytes - held) / (each + 1) + 1 : 1;
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
            size_t room = w->page_rows - b->rows, most = rows_at_once(w, r->coded);
            most = most < room ? most : room;
            n = begun = n < most ? n : most;
        }
        size_t present = rwl_stitch_count_values(w, first, n);
        RWL_TRY(append_values(w, r, present, err));
        RWL_TRY(append_levels(w, first, n, present, begun, err));
        first += n;
        count -= n;
        rows -= begun;
        if (is_single)
            RWL_TRY(flush_full(w, err));
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
            RWL_TRY(flush_full(w, err));
        size_t end = at + 1, rows = levels[at] == 0, most = rows_at_once(w, r->coded);
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

static rwl_status take_page(rwl_stitch_work *w, rwl_stitch_page *p, int64_t first_row, rwl_error *err) {
    reading r;
    size_t entries = (size_t)p->header.value_count;
    RWL_TRY(need_out(w, err));
    RWL_TRY(rwl_stitch_page_open(w, p, true, err));
    RWL_TRY(rwl_stitch_page_levels(w, p, err));
    if (w->from->max_repetition > 0)
        RWL_TRY(check_place(w, p->place, err));
    RWL_TRY(choose(w, p, &r, err));
    return w->from->max_repetition > 0 ? take_repeated(w, &r, entries, first_row, err)
                                       : take_flat(w, &r, entries, first_row, err);
}

rwl_status rwl_stitch_build_page(rwl_stitch_work *w, rwl_stitch_page *p, int64_t first_row, rwl_error *err) {
    return in_column(w, take_page(w, p, first_row, err), err);
}

rwl_status rwl_stitch_build_nulls(rwl_stitch_work *w, int64_t rows, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    RWL_TRY(need_out(w, err));
    RWL_TRY(flush_full(w, err)); /* rows of repeated columns wait for the next one to begin */
    while (rows > 0) {
        size_t n = w->page_rows - b->rows;
        n = (int64_t)n < rows ? n : (size_t)rows;
        if (w->is_flat) {
            RWL_TRY(append_validity(w, NULL, 0, n, err));
        } else {
            RWL_TRY(rwl_buf_reserve(&b->definitions, n, err));
            RWL_TRY(rwl_buf_reserve(&b->repetitions, n, err));
            memset(b->definitions.data + b->definitions.len, 0, n);
            memset(b->repetitions.data + b->repetitions.len, 0, n);
            b->definitions.len += n;
            b->repetitions.len += n;
        }
        b->entries += n;
        b->nulls += n;
        b->rows += n;
        rows -= (int64_t)n;
        RWL_TRY(flush_full(w, err));
    }
    return RWL_OK;
}
