/* SPDX-License-Identifier: Apache-2.0 */
/* Page headers from Thrift, and the names of what they say. */
#include "parquet/page.h"

#include "parquet/thrift_field.h"

typedef struct header_parse {
    rwl_parquet_page_header *h;
    int32_t header_of; /* the type of page whose header came; -1 none */
} header_parse;

static rwl_status read_data_header(rwl_cursor *c, rwl_parquet_page_header *h, rwl_error *err) {
    const rwl_parquet_target targets[] = {{1, .i32 = &h->value_count},
                                          {2, .i32 = &h->encoding},
                                          {3, .i32 = &h->definition_encoding},
                                          {4, .i32 = &h->repetition_encoding}};
    return rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err);
}

static rwl_status read_dictionary_header(rwl_cursor *c, rwl_parquet_page_header *h, rwl_error *err) {
    const rwl_parquet_target targets[] = {{1, .i32 = &h->value_count}, {2, .i32 = &h->encoding}};
    return rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err);
}

static rwl_status read_v2_header(rwl_cursor *c, rwl_parquet_page_header *h, rwl_error *err) {
    const rwl_parquet_target targets[] = {{1, .i32 = &h->value_count},    {2, .i32 = &h->null_count},
                                          {3, .i32 = &h->row_count},      {4, .i32 = &h->encoding},
                                          {5, .i32 = &h->definition_len}, {6, .i32 = &h->repetition_len},
                                          {7, .flag = &h->is_compressed}};
    RWL_TRY(rwl_parquet_fields_read(c, targets, sizeof targets / sizeof targets[0], err));
    if (h->definition_len < 0 || h->repetition_len < 0 || h->null_count < 0 || h->null_count > h->value_count)
        return rwl_fail(err, RWL_CORRUPT, "page with %d and %d bytes of levels, %d nulls of %d values",
                        h->repetition_len, h->definition_len, h->null_count, h->value_count);
    return RWL_OK;
}

static rwl_status read_page_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    header_parse *p = ctx;
    rwl_parquet_page_header *h = p->h;
    int32_t crc;
    switch (f.id) {
    case 1:
        return rwl_parquet_field_i32(c, f, &h->type, err);
    case 2:
        return rwl_parquet_field_i32(c, f, &h->uncompressed_size, err);
    case 3:
        return rwl_parquet_field_i32(c, f, &h->compressed_size, err);
    case 4:
        RWL_TRY(rwl_parquet_field_i32(c, f, &crc, err));
        h->has_crc = true;
        h->crc = (uint32_t)crc;
        return RWL_OK;
    case 5:
        p->header_of = RWL_PARQUET_DATA_PAGE;
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
        return read_data_header(c, h, err);
    case 7:
        p->header_of = RWL_PARQUET_DICTIONARY_PAGE;
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
        return read_dictionary_header(c, h, err);
    case 8:
        p->header_of = RWL_PARQUET_DATA_PAGE_V2;
        RWL_TRY(rwl_parquet_field_type(c, f, RWL_THRIFT_STRUCT, err));
        return read_v2_header(c, h, err);
    default:
        return rwl_thrift_skip(c, f.type, err);
    }
}

static rwl_status check_header(const rwl_parquet_page_header *h, int32_t header_of, rwl_error *err) {
    if (h->compressed_size < 0 || h->uncompressed_size < 0)
        return rwl_fail(err, RWL_CORRUPT, "page of %d bytes, %d uncompressed", h->compressed_size,
                        h->uncompressed_size);
    bool has_values = h->type == RWL_PARQUET_DATA_PAGE || h->type == RWL_PARQUET_DICTIONARY_PAGE ||
                      h->type == RWL_PARQUET_DATA_PAGE_V2;
    if (!has_values)
        return RWL_OK;
    if (header_of != h->type)
        return rwl_fail(err, RWL_CORRUPT, "page of type %d with the header of another", h->type);
    if (h->value_count < 0)
        return rwl_fail(err, RWL_CORRUPT, "page of %d values", h->value_count);
    return RWL_OK;
}

rwl_status rwl_parquet_page_parse(rwl_span bytes, rwl_parquet_page_header *out, size_t *len, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    *out = (rwl_parquet_page_header){.type = -1,
                                     .uncompressed_size = -1,
                                     .compressed_size = -1,
                                     .value_count = -1,
                                     .encoding = -1,
                                     .definition_encoding = RWL_PARQUET_RLE,
                                     .repetition_encoding = RWL_PARQUET_RLE,
                                     .null_count = -1,
                                     .row_count = -1,
                                     .is_compressed = true};
    header_parse p = {.h = out, .header_of = -1};
    RWL_TRY(rwl_thrift_struct(&c, read_page_field, &p, err));
    *len = c.pos;
    return check_header(out, p.header_of, err);
}

const char *rwl_parquet_encoding_name(int32_t encoding) {
    static const char *const names[] = {
        "PLAIN",          "encoding 1",          "PLAIN_DICTIONARY",        "RLE",
        "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
    return encoding >= 0 && (size_t)encoding < sizeof names / sizeof names[0] ? names[encoding]
                                                                              : "of an unknown number";
}

const char *rwl_parquet_edges_name(int64_t algorithm) {
    static const char *const names[] = {"spherical", "vincenty", "thomas", "andoyer", "karney"};
    return algorithm >= 0 && (size_t)algorithm < sizeof names / sizeof names[0] ? names[algorithm] : NULL;
}

const char *rwl_parquet_codec_name(int32_t codec) {
    static const char *const names[] = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                        "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};
    return codec >= 0 && (size_t)codec < sizeof names / sizeof names[0] ? names[codec]
                                                                        : "of an unknown number";
}

bool rwl_parquet_codec_of(int32_t codec, rwl_codec_id *out) {
    switch (codec) {
    case 0:
        *out = RWL_CODEC_NONE;
        return true;
    case 1:
        *out = RWL_CODEC_SNAPPY;
        return true;
    case 2:
        *out = RWL_CODEC_GZIP;
        return true;
    case 4:
        *out = RWL_CODEC_BROTLI;
        return true;
    case 5:
        *out = RWL_CODEC_LZ4_HADOOP;
        return true;
    case 6:
        *out = RWL_CODEC_ZSTD;
        return true;
    case 7:
        *out = RWL_CODEC_LZ4_RAW;
        return true;
    default:
        return false;
    }
}

bool rwl_parquet_page_may_expand(rwl_codec_id codec, size_t len, size_t to) {
    static const size_t factors[] = {
        [RWL_CODEC_NONE] = 1,         [RWL_CODEC_SNAPPY] = 32,         [RWL_CODEC_GZIP] = 1040,
        [RWL_CODEC_DEFLATE] = 1040,   [RWL_CODEC_ZSTD] = 48 * 1024,    [RWL_CODEC_LZ4_RAW] = 255,
        [RWL_CODEC_LZ4_HADOOP] = 255, [RWL_CODEC_BROTLI] = 1024 * 1024};
    return to / factors[codec] <= len + 64;
}
