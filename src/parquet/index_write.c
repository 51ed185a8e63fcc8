/* SPDX-License-Identifier: Apache-2.0 */
/* The page index of a chunk being written. */
#include "parquet/index_write.h"

#include "parquet/thrift_put.h"

static rwl_status put_place(const rwl_thrift_writing *list, const rwl_parquet_chunk_entry *e,
                            int64_t offset) {
    rwl_thrift_writing w = rwl_put_item(list);
    RWL_TRY(rwl_put_i64(&w, 1, offset + e->off));
    RWL_TRY(rwl_put_i32(&w, 2, e->len));
    RWL_TRY(rwl_put_i64(&w, 3, e->first_row));
    return rwl_put_end(&w);
}

rwl_status rwl_parquet_offset_index_write(const rwl_parquet_chunk_write *c, int64_t offset, rwl_buf *out,
                                          rwl_error *err) {
    rwl_thrift_writing w = {out, 0, err};
    RWL_TRY(rwl_put_list(&w, 1, RWL_THRIFT_STRUCT, c->entries.len));
    for (size_t i = 0; i < c->entries.len; i++)
        RWL_TRY(put_place(&w, &c->entries.items[i], offset));
    if (c->unencoded_bytes >= 0 && c->leaf->shape.physical == RWL_PARQUET_BYTE_ARRAY) {
        RWL_TRY(rwl_put_list(&w, 2, RWL_THRIFT_I64, c->entries.len));
        for (size_t i = 0; i < c->entries.len; i++)
            RWL_TRY(rwl_thrift_put_i64(out, c->entries.items[i].unencoded_bytes, err));
    }
    return rwl_put_end(&w);
}

/* --- column index --- */

static rwl_span bound_of(const rwl_parquet_chunk_write *c, const rwl_parquet_chunk_entry *e, bool is_max) {
    if (e->is_null)
        return rwl_span_str("");
    return is_max ? rwl_span_of(c->bounds.data + e->max_off, e->max_len)
                  : rwl_span_of(c->bounds.data + e->min_off, e->min_len);
}

static bool has_column_index(const rwl_parquet_chunk_write *c) {
    if (!rwl_parquet_stat_ordered(c->leaf))
        return false;
    for (size_t i = 0; i < c->entries.len; i++)
        if (!c->entries.items[i].is_null && !c->entries.items[i].has_bounds)
            return false;
    return true;
}

/* BoundaryOrder of the pages that are not null: least and greatest both ascending, both descending, or neither. */
static int32_t boundary_order(const rwl_parquet_chunk_write *c) {
    enum { UNORDERED = 0, ASCENDING = 1, DESCENDING = 2 };
    bool ascending = true, descending = true;
    const rwl_parquet_chunk_entry *before = NULL;
    for (size_t i = 0; i < c->entries.len; i++) {
        const rwl_parquet_chunk_entry *e = &c->entries.items[i];
        if (e->is_null)
            continue;
        for (int side = 0; before != NULL && side < 2; side++) {
            int order = rwl_parquet_stat_compare(c->leaf, bound_of(c, before, side), bound_of(c, e, side));
            ascending &= order <= 0;
            descending &= order >= 0;
        }
        before = e;
    }
    return ascending ? ASCENDING : descending ? DESCENDING : UNORDERED;
}

static rwl_status put_null_pages(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c) {
    RWL_TRY(rwl_put_list(w, 1, RWL_THRIFT_TRUE, c->entries.len));
    for (size_t i = 0; i < c->entries.len; i++)
        RWL_TRY(rwl_buf_u8(w->out, c->entries.items[i].is_null ? RWL_THRIFT_TRUE : RWL_THRIFT_FALSE, w->err));
    return RWL_OK;
}

static rwl_status put_bounds(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c, bool is_max) {
    RWL_TRY(rwl_put_list(w, is_max ? 3 : 2, RWL_THRIFT_BINARY, c->entries.len));
    for (size_t i = 0; i < c->entries.len; i++)
        RWL_TRY(rwl_thrift_put_binary(w->out, bound_of(c, &c->entries.items[i], is_max), w->err));
    return RWL_OK;
}

static rwl_status put_null_counts(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c) {
    for (size_t i = 0; i < c->entries.len; i++)
        if (c->entries.items[i].null_count < 0)
            return RWL_OK;
    RWL_TRY(rwl_put_list(w, 5, RWL_THRIFT_I64, c->entries.len));
    for (size_t i = 0; i < c->entries.len; i++)
        RWL_TRY(rwl_thrift_put_i64(w->out, c->entries.items[i].null_count, w->err));
    return RWL_OK;
}

static rwl_status put_nan_counts(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c) {
    if (!rwl_parquet_shape_is_float(&c->leaf->shape) || c->nan_count < 0)
        return RWL_OK;
    RWL_TRY(rwl_put_list(w, 8, RWL_THRIFT_I64, c->entries.len));
    for (size_t i = 0; i < c->entries.len; i++)
        RWL_TRY(rwl_thrift_put_i64(w->out, c->entries.items[i].nan_count, w->err));
    return RWL_OK;
}

/* One level's histograms of all pages, one after another. */
static rwl_status put_histograms(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c, int16_t id,
                                 size_t first, size_t count) {
    size_t step = rwl_parquet_chunk_repetitions(c) + rwl_parquet_chunk_definitions(c);
    if (count == 0)
        return RWL_OK;
    RWL_TRY(rwl_put_list(w, id, RWL_THRIFT_I64, c->entries.len * count));
    for (size_t i = 0; i < c->entries.len; i++)
        for (size_t k = 0; k < count; k++)
            RWL_TRY(rwl_thrift_put_i64(w->out, c->histograms.items[i * step + first + k], w->err));
    return RWL_OK;
}

rwl_status rwl_parquet_column_index_write(const rwl_parquet_chunk_write *c, rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, 0, err};
    size_t repetitions = rwl_parquet_chunk_repetitions(c);
    if (!has_column_index(c))
        return RWL_OK;
    RWL_TRY(put_null_pages(&w, c));
    RWL_TRY(put_bounds(&w, c, false));
    RWL_TRY(put_bounds(&w, c, true));
    RWL_TRY(rwl_put_i32(&w, 4, boundary_order(c)));
    RWL_TRY(put_null_counts(&w, c));
    if (rwl_parquet_chunk_has_histograms(c)) {
        RWL_TRY(put_histograms(&w, c, 6, 0, repetitions));
        RWL_TRY(put_histograms(&w, c, 7, repetitions, rwl_parquet_chunk_definitions(c)));
    }
    RWL_TRY(put_nan_counts(&w, c));
    return rwl_put_end(&w);
}
