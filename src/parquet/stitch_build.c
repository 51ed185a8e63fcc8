/* SPDX-License-Identifier: Apache-2.0 */
/* The page being made of rows: its levels, its indexes or PLAIN values, and how it is written. */
#include "parquet/stitch_internal.h"

#include "column/bits.h"
#include "parquet/encode.h"
#include "parquet/stat_merge.h"

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
rwl_status rwl_stitch_build_need_out(rwl_stitch_work *w, rwl_error *err) {
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
rwl_status rwl_stitch_build_bounds(rwl_stitch_work *w, rwl_error *err) {
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
    RWL_TRY(rwl_stitch_build_need_out(w, err));
    /* a page of nothing but nulls is of either encoding */
    bool coded = b->is_coded || (b->nulls == b->entries && w->expects_dictionary &&
                                 !rwl_parquet_chunk_left_dictionary(w->chunk));
    if (coded) {
        w->dictionary.is_used = true;
        b->values.len = w->out.headroom;
        RWL_TRY(rwl_stitch_build_bounds(w, err));
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

rwl_status rwl_stitch_build_flush_full(rwl_stitch_work *w, rwl_error *err) {
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
rwl_status rwl_stitch_build_levels(rwl_stitch_work *w, size_t first, size_t count, size_t present,
                                   size_t rows, rwl_error *err) {
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

/* Rows after which the page is looked at again: as many as fill it, by what values take. */
size_t rwl_stitch_build_rows_at_once(const rwl_stitch_work *w, bool coded) {
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

/* --- nulls --- */

rwl_status rwl_stitch_build_nulls(rwl_stitch_work *w, int64_t rows, rwl_error *err) {
    rwl_stitch_build *b = &w->build;
    RWL_TRY(rwl_stitch_build_need_out(w, err));
    RWL_TRY(
        rwl_stitch_build_flush_full(w, err)); /* rows of repeated columns wait for the next one to begin */
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
        RWL_TRY(rwl_stitch_build_flush_full(w, err));
    }
    return RWL_OK;
}
