/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of FileMetaData being written. */
#include "parquet/meta_write.h"

#include "parquet/thrift_put.h"

/* The last fields written before the places of the indexes, the row group's totals, the key values. */
enum { CHUNK_META = 3, GROUP_COLUMNS = 1, FILE_GROUPS = 4 };

/* --- chunks --- */

static int32_t codec_number(rwl_codec_id codec) {
    switch (codec) {
    case RWL_CODEC_SNAPPY:
        return 1;
    case RWL_CODEC_GZIP:
        return 2;
    case RWL_CODEC_BROTLI:
        return 4;
    case RWL_CODEC_ZSTD:
        return 6;
    case RWL_CODEC_LZ4_RAW:
        return 7;
    default:
        return 0;
    }
}

/* Bits of all encodings in the chunk: of values, of the dictionary page, of levels. */
static uint32_t encodings_of(const rwl_parquet_chunk_write *c) {
    uint32_t bits = c->level_encodings | (c->dictionary_len > 0 ? 1u << RWL_PARQUET_PLAIN : 0);
    for (int i = 0; i < RWL_PARQUET_ENCODINGS; i++)
        bits |= c->page_counts[i] > 0 ? 1u << i : 0;
    return bits;
}

static rwl_status put_encodings(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c) {
    uint32_t bits = encodings_of(c);
    RWL_TRY(rwl_put_list(w, 2, RWL_THRIFT_I32, (size_t)__builtin_popcount(bits)));
    for (int i = 0; i < RWL_PARQUET_ENCODINGS; i++)
        if (bits >> i & 1)
            RWL_TRY(rwl_thrift_put_i32(w->out, i, w->err));
    return RWL_OK;
}

static rwl_status put_path(rwl_thrift_writing *w, const rwl_parquet_write_leaf *leaf) {
    RWL_TRY(rwl_put_list(w, 3, RWL_THRIFT_BINARY, (size_t)leaf->path_len));
    for (int32_t i = 0; i < leaf->path_len; i++)
        RWL_TRY(rwl_thrift_put_binary(w->out, rwl_span_str(leaf->path[i]), w->err));
    return RWL_OK;
}

static rwl_status put_statistics(rwl_thrift_writing *meta, const rwl_parquet_chunk_write *c) {
    const rwl_parquet_stat_side *min = &c->stats.min, *max = &c->stats.max;
    bool has_min = !min->unknown && min->bound.present, has_max = !max->unknown && max->bound.present;
    int64_t nulls = rwl_parquet_chunk_nulls(c);
    rwl_thrift_writing w;
    RWL_TRY(rwl_put_begin(meta, 12, &w));
    if (nulls >= 0)
        RWL_TRY(rwl_put_i64(&w, 3, nulls));
    if (has_max)
        RWL_TRY(rwl_put_bytes(&w, 5, rwl_parquet_stat_span(&max->bound)));
    if (has_min)
        RWL_TRY(rwl_put_bytes(&w, 6, rwl_parquet_stat_span(&min->bound)));
    if (has_max)
        RWL_TRY(rwl_put_bool(&w, 7, max->bound.exact));
    if (has_min)
        RWL_TRY(rwl_put_bool(&w, 8, min->bound.exact));
    /* "must be set for floating point types, even if it is zero": without it NaN may be anywhere */
    if (rwl_parquet_shape_is_float(&c->leaf->shape) && c->nan_count >= 0)
        RWL_TRY(rwl_put_i64(&w, 9, c->nan_count));
    return rwl_put_end(&w);
}

static rwl_status put_page_count(const rwl_thrift_writing *list, int32_t page_type, int32_t encoding,
                                 int32_t count) {
    rwl_thrift_writing w = rwl_put_item(list);
    RWL_TRY(rwl_put_i32(&w, 1, page_type));
    RWL_TRY(rwl_put_i32(&w, 2, encoding));
    RWL_TRY(rwl_put_i32(&w, 3, count));
    return rwl_put_end(&w);
}

/* How many pages of which kind and encoding: tells readers whether a whole chunk is dictionary-coded. */
static rwl_status put_encoding_stats(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c) {
    size_t count = c->dictionary_len > 0;
    for (int i = 0; i < RWL_PARQUET_ENCODINGS; i++)
        count += c->page_counts[i] > 0;
    RWL_TRY(rwl_put_list(w, 13, RWL_THRIFT_STRUCT, count));
    if (c->dictionary_len > 0)
        RWL_TRY(put_page_count(w, RWL_PARQUET_DICTIONARY_PAGE, RWL_PARQUET_PLAIN, 1));
    for (int i = 0; i < RWL_PARQUET_ENCODINGS; i++)
        if (c->page_counts[i] > 0)
            RWL_TRY(put_page_count(w, c->page_type, i, c->page_counts[i]));
    return RWL_OK;
}

/* The sum over all pages of their histograms' `count` entries from `first` on. */
static rwl_status put_histogram(rwl_thrift_writing *w, const rwl_parquet_chunk_write *c, int16_t id,
                                size_t first, size_t count) {
    size_t step = rwl_parquet_chunk_repetitions(c) + rwl_parquet_chunk_definitions(c);
    if (count == 0)
        return RWL_OK;
    RWL_TRY(rwl_put_list(w, id, RWL_THRIFT_I64, count));
    for (size_t k = 0; k < count; k++) {
        int64_t sum = 0;
        for (size_t at = first + k; at < c->histograms.len; at += step)
            sum += c->histograms.items[at];
        RWL_TRY(rwl_thrift_put_i64(w->out, sum, w->err));
    }
    return RWL_OK;
}

static rwl_status put_sizes(rwl_thrift_writing *meta, const rwl_parquet_chunk_write *c) {
    bool has_bytes = c->leaf->shape.physical == RWL_PARQUET_BYTE_ARRAY && c->unencoded_bytes >= 0;
    bool has_histograms = rwl_parquet_chunk_has_histograms(c);
    size_t repetitions = rwl_parquet_chunk_repetitions(c);
    rwl_thrift_writing w;
    if (!has_bytes && !has_histograms)
        return RWL_OK;
    RWL_TRY(rwl_put_begin(meta, 16, &w));
    if (has_bytes)
        RWL_TRY(rwl_put_i64(&w, 1, c->unencoded_bytes));
    if (has_histograms) {
        RWL_TRY(put_histogram(&w, c, 2, 0, repetitions));
        RWL_TRY(put_histogram(&w, c, 3, repetitions, rwl_parquet_chunk_definitions(c)));
    }
    return rwl_put_end(&w);
}

static rwl_status put_meta(rwl_thrift_writing *meta, const rwl_parquet_chunk_write *c,
                           const rwl_parquet_chunk_place *place) {
    RWL_TRY(rwl_put_i32(meta, 1, (int32_t)c->leaf->shape.physical));
    RWL_TRY(put_encodings(meta, c));
    RWL_TRY(put_path(meta, c->leaf));
    RWL_TRY(rwl_put_i32(meta, 4, codec_number(c->codec)));
    RWL_TRY(rwl_put_i64(meta, 5, c->value_count));
    RWL_TRY(rwl_put_i64(meta, 6, c->uncompressed));
    RWL_TRY(rwl_put_i64(meta, 7, rwl_parquet_chunk_bytes(c)));
    RWL_TRY(rwl_put_i64(meta, 9, place->offset + c->dictionary_len));
    if (c->dictionary_len > 0)
        RWL_TRY(rwl_put_i64(meta, 11, place->offset));
    RWL_TRY(put_statistics(meta, c));
    RWL_TRY(put_encoding_stats(meta, c));
    if (place->bloom_offset > 0) {
        RWL_TRY(rwl_put_i64(meta, 14, place->bloom_offset));
        RWL_TRY(rwl_put_i32(meta, 15, place->bloom_len));
    }
    return put_sizes(meta, c);
}

rwl_status rwl_parquet_meta_chunk(const rwl_parquet_chunk_write *c, const rwl_parquet_chunk_place *place,
                                  rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, 0, err}, meta;
    RWL_TRY(rwl_put_i64(&w, 2, 0)); /* file_offset: "should be 0 if no ColumnMetaData outside the footer" */
    RWL_TRY(rwl_put_begin(&w, CHUNK_META, &meta));
    RWL_TRY(put_meta(&meta, c, place));
    return rwl_put_end(&meta);
}

rwl_status rwl_parquet_meta_chunk_end(const rwl_parquet_index_place *place, rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, CHUNK_META, err};
    if (place->offset_len > 0) {
        RWL_TRY(rwl_put_i64(&w, 4, place->offset_offset));
        RWL_TRY(rwl_put_i32(&w, 5, place->offset_len));
    }
    if (place->column_len > 0) {
        RWL_TRY(rwl_put_i64(&w, 6, place->column_offset));
        RWL_TRY(rwl_put_i32(&w, 7, place->column_len));
    }
    return rwl_put_end(&w);
}

/* --- row groups --- */

rwl_status rwl_parquet_meta_group(int32_t chunk_count, rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, 0, err};
    return rwl_put_list(&w, GROUP_COLUMNS, RWL_THRIFT_STRUCT, (size_t)chunk_count);
}

static rwl_status put_sorting(rwl_thrift_writing *w, const rwl_parquet_sorting *sorting, int32_t count) {
    if (count == 0)
        return RWL_OK;
    RWL_TRY(rwl_put_list(w, 4, RWL_THRIFT_STRUCT, (size_t)count));
    for (int32_t i = 0; i < count; i++) {
        rwl_thrift_writing item = rwl_put_item(w);
        RWL_TRY(rwl_put_i32(&item, 1, sorting[i].leaf));
        RWL_TRY(rwl_put_bool(&item, 2, sorting[i].descending));
        RWL_TRY(rwl_put_bool(&item, 3, sorting[i].nulls_first));
        RWL_TRY(rwl_put_end(&item));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_meta_group_end(const rwl_parquet_group_totals *t, rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, GROUP_COLUMNS, err};
    RWL_TRY(rwl_put_i64(&w, 2, t->uncompressed));
    RWL_TRY(rwl_put_i64(&w, 3, t->rows));
    RWL_TRY(put_sorting(&w, t->sorting, t->sorting_count));
    RWL_TRY(rwl_put_i64(&w, 5, t->offset));
    RWL_TRY(rwl_put_i64(&w, 6, t->compressed));
    if (t->ordinal <= INT16_MAX)
        RWL_TRY(rwl_put_i16(&w, 7, (int16_t)t->ordinal));
    return rwl_put_end(&w);
}

/* --- the file --- */

static rwl_status put_schema(rwl_thrift_writing *w, const rwl_parquet_write_schema *schema) {
    rwl_buf elements;
    uint32_t count;
    rwl_buf_init(&elements, w->out->env, INT32_MAX);
    rwl_status st = rwl_parquet_write_schema_put(schema, &elements, &count, w->err);
    if (st == RWL_OK)
        st = rwl_put_list(w, 2, RWL_THRIFT_STRUCT, count);
    if (st == RWL_OK)
        st = rwl_buf_append(w->out, elements.data, elements.len, w->err);
    rwl_buf_clear(&elements);
    return st;
}

rwl_status rwl_parquet_meta_file(const rwl_parquet_write_schema *schema, int64_t rows, size_t group_count,
                                 rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, 0, err};
    /* "for maximum compatibility with readers, writers should always populate 1 for version" (parquet.thrift): pages
     * and encodings say themselves what they are */
    RWL_TRY(rwl_put_i32(&w, 1, 1));
    RWL_TRY(put_schema(&w, schema));
    RWL_TRY(rwl_put_i64(&w, 3, rows));
    return rwl_put_list(&w, FILE_GROUPS, RWL_THRIFT_STRUCT, group_count);
}

static rwl_status put_key_values(rwl_thrift_writing *w, const char *const *keys, const char *const *values,
                                 int32_t count) {
    if (count == 0)
        return RWL_OK;
    RWL_TRY(rwl_put_list(w, 5, RWL_THRIFT_STRUCT, (size_t)count));
    for (int32_t i = 0; i < count; i++) {
        rwl_thrift_writing pair = rwl_put_item(w);
        RWL_TRY(rwl_put_text(&pair, 1, keys[i]));
        RWL_TRY(rwl_put_text(&pair, 2, values[i]));
        RWL_TRY(rwl_put_end(&pair));
    }
    return RWL_OK;
}

/* Every leaf has TYPE_ORDER, those without an order too: it is the only one there is, their bounds are left out. */
static rwl_status put_column_orders(rwl_thrift_writing *w, int32_t leaf_count) {
    RWL_TRY(rwl_put_list(w, 7, RWL_THRIFT_STRUCT, (size_t)leaf_count));
    for (int32_t i = 0; i < leaf_count; i++) {
        rwl_thrift_writing order = rwl_put_item(w);
        RWL_TRY(rwl_put_empty(&order, 1));
        RWL_TRY(rwl_put_end(&order));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_meta_file_end(const char *const *keys, const char *const *values, int32_t kv_count,
                                     int32_t leaf_count, rwl_buf *out, rwl_error *err) {
    rwl_thrift_writing w = {out, FILE_GROUPS, err};
    RWL_TRY(put_key_values(&w, keys, values, kv_count));
    /* "NAME version VERSION (build HASH)": parquet-mr before 1.10 trusts no statistics without the last part */
    RWL_TRY(rwl_put_text(&w, 6, "rowline version " ROWLINE_VERSION " (build " ROWLINE_VERSION ")"));
    RWL_TRY(put_column_orders(&w, leaf_count));
    return rwl_put_end(&w);
}
