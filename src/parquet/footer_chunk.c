/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks of a footer (parquet.thrift: ColumnChunk, ColumnMetaData), checked. */
#include "parquet/footer_internal.h"
#include "parquet/page.h"
#include "parquet/thrift_field.h"

/* A chunk on its way. */
typedef struct reading {
    const rwl_parquet_leaf *leaf;
    rwl_parquet_chunk *chunk;
    int32_t physical;
    int64_t dictionary;
    bool has_meta;
} reading;

/* The encodings listed, as bits. */
static rwl_status read_encodings(rwl_cursor *c, rwl_thrift_field f, uint32_t *out, rwl_error *err) {
    uint32_t count;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_I32, 1, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        int32_t encoding;
        RWL_TRY(rwl_thrift_i32(c, &encoding, err));
        if (encoding >= 0 && encoding < 32)
            *out |= UINT32_C(1) << encoding;
    }
    return RWL_OK;
}

/* Whether the page counts name data pages, all of them dictionary-coded. */
static rwl_status read_page_counts(rwl_cursor *c, rwl_thrift_field f, bool *all_dictionary, rwl_error *err) {
    uint32_t count;
    bool is_some = false, is_other = false;
    RWL_TRY(rwl_parquet_field_list(c, f, RWL_THRIFT_STRUCT, 1, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        int32_t type = -1, encoding = -1, pages = -1;
        const rwl_parquet_target targets[] = {{1, .i32 = &type}, {2, .i32 = &encoding}, {3, .i32 = &pages}};
        RWL_TRY(rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err));
        bool is_data = type != RWL_PARQUET_DICTIONARY_PAGE && type != RWL_PARQUET_INDEX_PAGE && pages != 0;
        bool by_index = encoding == RWL_PARQUET_PLAIN_DICTIONARY || encoding == RWL_PARQUET_RLE_DICTIONARY;
        is_some = is_some || is_data;
        is_other = is_other || (is_data && !by_index);
    }
    *all_dictionary = is_some && !is_other;
    return RWL_OK;
}

static rwl_status read_sizes(rwl_cursor *c, rwl_thrift_field f, rwl_parquet_chunk *chunk, rwl_error *err) {
    const rwl_parquet_target target = {1, .i64 = &chunk->unencoded_bytes};
    RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
    RWL_TRY(rwl_parquet_fields_read(c, &target, 1, err));
    if (chunk->unencoded_bytes < 0)
        chunk->unencoded_bytes = -1;
    return RWL_OK;
}

static rwl_status read_i32_as_i64(rwl_cursor *c, rwl_thrift_field f, int64_t *out, rwl_error *err) {
    int32_t v;
    RWL_TRY(rwl_parquet_field_i32(c, f, &v, err));
    *out = v;
    return RWL_OK;
}

/* What helps to read a chunk, but is not needed for it. */
static rwl_status read_chunk_help(rwl_cursor *c, rwl_thrift_field f, rwl_parquet_chunk *chunk,
                                  rwl_error *err) {
    switch (f.id) {
    case 2:
        return read_encodings(c, f, &chunk->encodings, err);
    case 12:
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
        return rwl_parquet_stats_parse(c, &chunk->stats, err);
    case 13:
        return read_page_counts(c, f, &chunk->all_dictionary, err);
    case 14:
        return rwl_parquet_field_i64(c, f, &chunk->bloom.off, err);
    case 15: /* a branch of parquet-mr once had something else there */
        return f.type == RWL_THRIFT_I32 ? read_i32_as_i64(c, f, &chunk->bloom.len, err)
                                        : rwl_thrift_skip(c, f.type, err);
    case 16:
        return read_sizes(c, f, chunk, err);
    default: /* boxes of geometries too */
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status read_meta_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    reading *p = ctx;
    switch (f.id) {
    case 1:
        return rwl_parquet_field_i32(c, f, &p->physical, err);
    case 4:
        return rwl_parquet_field_i32(c, f, &p->chunk->codec, err);
    case 5:
        return rwl_parquet_field_i64(c, f, &p->chunk->value_count, err);
    case 6:
        return rwl_parquet_field_i64(c, f, &p->chunk->uncompressed_size, err);
    case 7:
        return rwl_parquet_field_i64(c, f, &p->chunk->compressed_size, err);
    case 9:
        return rwl_parquet_field_i64(c, f, &p->chunk->data_offset, err);
    case 11:
        return rwl_parquet_field_i64(c, f, &p->dictionary, err);
    default:
        return read_chunk_help(c, f, p->chunk, err);
    }
}

static rwl_status read_chunk_meta(reading *p, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    rwl_parquet_chunk *chunk = p->chunk;
    p->has_meta = true;
    p->physical = -1;
    p->dictionary = 0;
    RWL_TRY(rwl_parquet_field_struct(c, f, read_meta_field, p, err));
    if (p->physical != (int32_t)p->leaf->physical)
        return rwl_fail(err, RWL_CORRUPT, "physical type %d in the chunk, %d in the schema", p->physical,
                        (int)p->leaf->physical);
    /* Writers have left zero, or the offset of the data, where there is no dictionary. */
    bool has_dictionary = p->dictionary >= RWL_PARQUET_FIRST_DATA && p->dictionary < chunk->data_offset;
    chunk->dictionary_offset = has_dictionary ? p->dictionary : 0;
    return RWL_OK;
}

static rwl_status read_chunk_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    reading *p = ctx;
    rwl_parquet_chunk *chunk = p->chunk;
    switch (f.id) {
    case 1:
        return rwl_fail(err, RWL_UNSUPPORTED, "chunk lies in another file");
    case 3:
        return read_chunk_meta(p, c, f, err);
    case 4:
        return rwl_parquet_field_i64(c, f, &chunk->offset_index.off, err);
    case 5:
        return read_i32_as_i64(c, f, &chunk->offset_index.len, err);
    case 6:
        return rwl_parquet_field_i64(c, f, &chunk->column_index.off, err);
    case 7:
        return read_i32_as_i64(c, f, &chunk->column_index.len, err);
    case 8:
    case 9:
        chunk->encrypted = true;
        return rwl_thrift_skip(c, f.type, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

rwl_status rwl_parquet_footer_chunk_parse(rwl_cursor *c, const rwl_parquet_leaf *leaf,
                                          rwl_parquet_chunk *chunk, rwl_error *err) {
    reading p = {.leaf = leaf, .chunk = chunk};
    chunk->stats.null_count = chunk->stats.nan_count = chunk->unencoded_bytes = -1;
    RWL_TRY(rwl_thrift_struct(c, read_chunk_field, &p, err));
    if (!p.has_meta && !chunk->encrypted)
        return rwl_fail(err, RWL_CORRUPT, "chunk without metadata");
    return RWL_OK;
}

/* --- what the whole footer says of it --- */

/* What lies outside of the file is as good as absent. A bloom filter may come without its length. */
static void settle_ranges(int64_t data_end, rwl_parquet_chunk *chunk) {
    rwl_parquet_range *ranges[] = {&chunk->offset_index, &chunk->column_index, &chunk->bloom};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        rwl_parquet_range *r = ranges[i];
        bool may_be_empty = r == &chunk->bloom;
        if (may_be_empty && r->len < 0)
            r->len = 0;
        if (chunk->encrypted || r->off < RWL_PARQUET_FIRST_DATA || r->off >= data_end || r->len < 0 ||
            r->len > data_end - r->off || (r->len == 0 && !may_be_empty))
            *r = (rwl_parquet_range){0, 0};
    }
}

/* Rules 3 to 5 of the header. */
static rwl_status check_chunk(const rwl_parquet_leaf *leaf, int64_t row_count, int64_t data_end,
                              rwl_parquet_chunk *chunk, rwl_error *err) {
    if (chunk->encrypted)
        return RWL_OK;
    if (chunk->value_count < 0 || chunk->compressed_size < 0 || chunk->uncompressed_size < 0)
        return rwl_fail(err, RWL_CORRUPT, "%lld values, %lld bytes, %lld uncompressed",
                        (long long)chunk->value_count, (long long)chunk->compressed_size,
                        (long long)chunk->uncompressed_size);
    if (!leaf->is_nested && chunk->value_count != row_count)
        return rwl_fail(err, RWL_CORRUPT, "%lld values in a row group of %lld rows",
                        (long long)chunk->value_count, (long long)row_count);
    if (chunk->stats.null_count > chunk->value_count)
        chunk->stats.null_count = -1;
    if (row_count == 0)
        return RWL_OK;
    int64_t start = chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset;
    if (start < RWL_PARQUET_FIRST_DATA || start > data_end || chunk->compressed_size > data_end - start)
        return rwl_fail(err, RWL_CORRUPT, "chunk of %lld bytes at offset %lld, data ends at %lld",
                        (long long)chunk->compressed_size, (long long)start, (long long)data_end);
    if (chunk->data_offset - start > chunk->compressed_size)
        return rwl_fail(err, RWL_CORRUPT, "data page at offset %lld, behind its chunk",
                        (long long)chunk->data_offset);
    return RWL_OK;
}

static void settle_stats(const rwl_parquet_leaf *leaf, rwl_parquet_chunk *chunk, bool is_corrupt) {
    bool is_bytes = leaf->physical == RWL_PARQUET_BYTE_ARRAY || leaf->physical == RWL_PARQUET_FIXED;
    if (chunk->stats.is_old && is_bytes && is_corrupt)
        chunk->stats.min = chunk->stats.max = (rwl_span){NULL, 0};
    if (chunk->stats.nan_count > chunk->value_count)
        chunk->stats.nan_count = -1;
    rwl_parquet_stats_settle(leaf, &chunk->stats);
}

rwl_status rwl_parquet_footer_chunk_settle(const rwl_parquet_leaf *leaf, int64_t row_count, int64_t data_end,
                                           bool is_corrupt, rwl_parquet_chunk *chunk, rwl_error *err) {
    RWL_TRY(check_chunk(leaf, row_count, data_end, chunk, err));
    settle_ranges(data_end, chunk);
    settle_stats(leaf, chunk, is_corrupt);
    return RWL_OK;
}
