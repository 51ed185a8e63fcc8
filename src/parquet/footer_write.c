/* SPDX-License-Identifier: Apache-2.0 */
/* Page headers and the footer of a written file, in Thrift's compact protocol. */
#include "parquet/footer_write.h"

#include "wire/thrift.h"

/* An open struct: where it goes and the id of its last field. */
typedef struct writing {
    rwl_buf *out;
    int16_t last_id;
    rwl_error *err;
} writing;

static rwl_status put_header(writing *w, int16_t id, rwl_thrift_type type) {
    return rwl_thrift_put_field(w->out, &w->last_id, id, type, w->err);
}

static rwl_status put_i32(writing *w, int16_t id, int32_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I32));
    return rwl_thrift_put_i32(w->out, v, w->err);
}

static rwl_status put_i16(writing *w, int16_t id, int16_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I16));
    return rwl_thrift_put_i32(w->out, v, w->err);
}

static rwl_status put_i64(writing *w, int16_t id, int64_t v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_I64));
    return rwl_thrift_put_i64(w->out, v, w->err);
}

static rwl_status put_bool(writing *w, int16_t id, bool v) {
    return put_header(w, id, v ? RWL_THRIFT_TRUE : RWL_THRIFT_FALSE);
}

static rwl_status put_bytes(writing *w, int16_t id, rwl_span v) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_BINARY));
    return rwl_thrift_put_binary(w->out, v, w->err);
}

static rwl_status put_text(writing *w, int16_t id, const char *v) {
    return put_bytes(w, id, rwl_span_str(v));
}

static rwl_status put_list(writing *w, int16_t id, rwl_thrift_type item, size_t count) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_LIST));
    if (count > INT32_MAX)
        return rwl_fail(w->err, RWL_UNSUPPORTED, "parquet footer: a list of %zu items", count);
    return rwl_thrift_put_list(w->out, item, (uint32_t)count, w->err);
}

/* Opens a struct as field `id` of `w`; its fields go through `inner`, its end through end_struct. */
static rwl_status begin_struct(writing *w, int16_t id, writing *inner) {
    RWL_TRY(put_header(w, id, RWL_THRIFT_STRUCT));
    *inner = (writing){w->out, 0, w->err};
    return RWL_OK;
}

static rwl_status end_struct(writing *w) {
    return rwl_thrift_put_stop(w->out, w->err);
}

static rwl_status put_empty_struct(writing *w, int16_t id) {
    writing inner;
    RWL_TRY(begin_struct(w, id, &inner));
    return end_struct(&inner);
}

/* --- page headers --- */

static rwl_status put_data_page(writing *w, const rwl_parquet_written_page *h) {
    writing page;
    RWL_TRY(begin_struct(w, 5, &page));
    RWL_TRY(put_i32(&page, 1, h->value_count));
    RWL_TRY(put_i32(&page, 2, (int32_t)h->encoding));
    RWL_TRY(put_i32(&page, 3, RWL_PARQUET_RLE)); /* definition levels */
    RWL_TRY(put_i32(&page, 4, RWL_PARQUET_RLE)); /* repetition levels: none stored in a flat column */
    return end_struct(&page);
}

static rwl_status put_dictionary_page(writing *w, const rwl_parquet_written_page *h) {
    writing page;
    RWL_TRY(begin_struct(w, 7, &page));
    RWL_TRY(put_i32(&page, 1, h->value_count));
    RWL_TRY(put_i32(&page, 2, (int32_t)h->encoding));
    RWL_TRY(put_bool(&page, 3, false)); /* is_sorted */
    return end_struct(&page);
}

rwl_status rwl_parquet_page_header_write(const rwl_parquet_written_page *h, rwl_buf *out, rwl_error *err) {
    enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
    writing w = {out, 0, err};
    RWL_TRY(put_i32(&w, 1, h->is_dictionary ? DICTIONARY_PAGE : DATA_PAGE));
    RWL_TRY(put_i32(&w, 2, h->uncompressed_size));
    RWL_TRY(put_i32(&w, 3, h->compressed_size));
    RWL_TRY(put_i32(&w, 4, (int32_t)h->crc));
    RWL_TRY(h->is_dictionary ? put_dictionary_page(&w, h) : put_data_page(&w, h));
    return end_struct(&w);
}

/* --- schema --- */

/* ConvertedType, for readers older than logical types; -1 where it has none for the type (LogicalTypes.md:
 * local times and nanoseconds have none). */
static int32_t converted_type(rwl_type_kind kind) {
    enum { UTF8 = 0, DECIMAL = 5, DATE = 6, TIMESTAMP_MICROS = 10 };
    switch (kind) {
    case RWL_TYPE_STRING:
        return UTF8;
    case RWL_TYPE_DECIMAL:
        return DECIMAL;
    case RWL_TYPE_DATE:
        return DATE;
    case RWL_TYPE_TIMESTAMPTZ:
        return TIMESTAMP_MICROS;
    default:
        return -1;
    }
}

/* TimeType and TimestampType: whether UTC, and the unit. */
static rwl_status put_time(writing *logical, int16_t id, bool utc, bool nanos) {
    writing time, unit;
    RWL_TRY(begin_struct(logical, id, &time));
    RWL_TRY(put_bool(&time, 1, utc));
    RWL_TRY(begin_struct(&time, 2, &unit));
    RWL_TRY(put_empty_struct(&unit, nanos ? 3 : 2));
    RWL_TRY(end_struct(&unit));
    return end_struct(&time);
}

static rwl_status put_decimal(writing *logical, const rwl_type *type) {
    writing decimal;
    RWL_TRY(begin_struct(logical, 5, &decimal));
    RWL_TRY(put_i32(&decimal, 1, type->scale));
    RWL_TRY(put_i32(&decimal, 2, type->precision));
    return end_struct(&decimal);
}

static rwl_status put_logical_choice(writing *logical, const rwl_type *type) {
    enum { STRING = 1, DATE = 6, TIME = 7, TIMESTAMP = 8, UUID = 14 };
    switch (type->kind) {
    case RWL_TYPE_STRING:
        return put_empty_struct(logical, STRING);
    case RWL_TYPE_DECIMAL:
        return put_decimal(logical, type);
    case RWL_TYPE_DATE:
        return put_empty_struct(logical, DATE);
    case RWL_TYPE_TIME:
        return put_time(logical, TIME, false, false);
    case RWL_TYPE_TIMESTAMP:
        return put_time(logical, TIMESTAMP, false, false);
    case RWL_TYPE_TIMESTAMPTZ:
        return put_time(logical, TIMESTAMP, true, false);
    case RWL_TYPE_TIMESTAMP_NS:
        return put_time(logical, TIMESTAMP, false, true);
    case RWL_TYPE_TIMESTAMPTZ_NS:
        return put_time(logical, TIMESTAMP, true, true);
    case RWL_TYPE_UUID:
        return put_empty_struct(logical, UUID);
    default:
        return RWL_OK;
    }
}

static bool has_logical_type(rwl_type_kind kind) {
    switch (kind) {
    case RWL_TYPE_BOOLEAN:
    case RWL_TYPE_INT:
    case RWL_TYPE_LONG:
    case RWL_TYPE_FLOAT:
    case RWL_TYPE_DOUBLE:
    case RWL_TYPE_FIXED:
    case RWL_TYPE_BINARY:
        return false;
    default:
        return true;
    }
}

static rwl_status put_column_element(writing *file, const rwl_field *field, const rwl_parquet_shape *shape) {
    enum { REQUIRED = 0, OPTIONAL = 1 };
    writing w = {file->out, 0, file->err};
    RWL_TRY(put_i32(&w, 1, (int32_t)shape->physical));
    if (shape->physical == RWL_PARQUET_FIXED)
        RWL_TRY(put_i32(&w, 2, shape->type_length));
    RWL_TRY(put_i32(&w, 3, field->required ? REQUIRED : OPTIONAL));
    RWL_TRY(put_text(&w, 4, field->name));
    if (converted_type(field->type.kind) >= 0)
        RWL_TRY(put_i32(&w, 6, converted_type(field->type.kind)));
    if (field->type.kind == RWL_TYPE_DECIMAL) {
        RWL_TRY(put_i32(&w, 7, field->type.scale));
        RWL_TRY(put_i32(&w, 8, field->type.precision));
    }
    if (field->id >= 0)
        RWL_TRY(put_i32(&w, 9, field->id));
    if (has_logical_type(field->type.kind)) {
        writing logical;
        RWL_TRY(begin_struct(&w, 10, &logical));
        RWL_TRY(put_logical_choice(&logical, &field->type));
        RWL_TRY(end_struct(&logical));
    }
    return end_struct(&w);
}

static rwl_status put_schema(writing *w, const rwl_parquet_footer *f) {
    RWL_TRY(put_list(w, 2, RWL_THRIFT_STRUCT, (size_t)f->column_count + 1));
    writing root = {w->out, 0, w->err};
    RWL_TRY(put_text(&root, 4, "table"));
    RWL_TRY(put_i32(&root, 5, f->column_count));
    RWL_TRY(end_struct(&root));
    for (int32_t i = 0; i < f->column_count; i++)
        RWL_TRY(put_column_element(w, f->fields[i], &f->shapes[i]));
    return RWL_OK;
}

/* --- row groups --- */

static rwl_status put_statistics(writing *meta, const rwl_parquet_written_chunk *c) {
    writing w;
    RWL_TRY(begin_struct(meta, 12, &w));
    RWL_TRY(put_i64(&w, 3, c->null_count));
    if (c->has_max)
        RWL_TRY(put_bytes(&w, 5, c->max));
    if (c->has_min)
        RWL_TRY(put_bytes(&w, 6, c->min));
    if (c->has_max)
        RWL_TRY(put_bool(&w, 7, c->max_exact));
    if (c->has_min)
        RWL_TRY(put_bool(&w, 8, c->min_exact));
    return end_struct(&w);
}

static rwl_status put_page_count(writing *meta, int32_t page_type, rwl_parquet_encoding encoding,
                                 int32_t count) {
    writing w = {meta->out, 0, meta->err};
    RWL_TRY(put_i32(&w, 1, page_type));
    RWL_TRY(put_i32(&w, 2, (int32_t)encoding));
    RWL_TRY(put_i32(&w, 3, count));
    return end_struct(&w);
}

/* How many pages of which kind and encoding: tells readers whether a whole chunk is dictionary-coded. */
static rwl_status put_encoding_stats(writing *meta, const rwl_parquet_written_chunk *c) {
    enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
    bool has_dictionary = c->dictionary_offset > 0;
    size_t count = (size_t)has_dictionary + (c->dictionary_coded_pages > 0) + (c->plain_pages > 0);
    RWL_TRY(put_list(meta, 13, RWL_THRIFT_STRUCT, count));
    if (has_dictionary)
        RWL_TRY(put_page_count(meta, DICTIONARY_PAGE, RWL_PARQUET_PLAIN, 1));
    if (c->dictionary_coded_pages > 0)
        RWL_TRY(put_page_count(meta, DATA_PAGE, RWL_PARQUET_RLE_DICTIONARY, c->dictionary_coded_pages));
    if (c->plain_pages > 0)
        RWL_TRY(put_page_count(meta, DATA_PAGE, RWL_PARQUET_PLAIN, c->plain_pages));
    return RWL_OK;
}

static rwl_status put_encodings(writing *meta, const rwl_parquet_written_chunk *c) {
    bool plain = c->plain_pages > 0 || c->dictionary_offset > 0; /* the dictionary page itself is plain */
    bool coded = c->dictionary_coded_pages > 0;
    RWL_TRY(put_list(meta, 2, RWL_THRIFT_I32, (size_t)plain + coded + 1));
    if (plain)
        RWL_TRY(rwl_thrift_put_i32(meta->out, RWL_PARQUET_PLAIN, meta->err));
    if (coded)
        RWL_TRY(rwl_thrift_put_i32(meta->out, RWL_PARQUET_RLE_DICTIONARY, meta->err));
    return rwl_thrift_put_i32(meta->out, RWL_PARQUET_RLE, meta->err); /* levels */
}

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

static rwl_status put_chunk(writing *group, const rwl_parquet_footer *f, int32_t column,
                            const rwl_parquet_written_chunk *c) {
    writing chunk = {group->out, 0, group->err}, meta;
    RWL_TRY(put_i64(&chunk, 2, 0)); /* file_offset: "should be 0 if no ColumnMetaData outside the footer" */
    RWL_TRY(begin_struct(&chunk, 3, &meta));
    RWL_TRY(put_i32(&meta, 1, (int32_t)f->shapes[column].physical));
    RWL_TRY(put_encodings(&meta, c));
    RWL_TRY(put_list(&meta, 3, RWL_THRIFT_BINARY, 1));
    RWL_TRY(rwl_thrift_put_binary(meta.out, rwl_span_str(f->fields[column]->name), meta.err));
    RWL_TRY(put_i32(&meta, 4, codec_number(f->codec)));
    RWL_TRY(put_i64(&meta, 5, c->value_count));
    RWL_TRY(put_i64(&meta, 6, c->uncompressed_size));
    RWL_TRY(put_i64(&meta, 7, c->compressed_size));
    RWL_TRY(put_i64(&meta, 9, c->data_offset));
    if (c->dictionary_offset > 0)
        RWL_TRY(put_i64(&meta, 11, c->dictionary_offset));
    RWL_TRY(put_statistics(&meta, c));
    RWL_TRY(put_encoding_stats(&meta, c));
    RWL_TRY(end_struct(&meta));
    return end_struct(&chunk);
}

static rwl_status put_group(writing *file, const rwl_parquet_footer *f, size_t index) {
    const rwl_parquet_written_group *g = &f->groups[index];
    writing w = {file->out, 0, file->err};
    int64_t compressed = 0, uncompressed = 0;
    RWL_TRY(put_list(&w, 1, RWL_THRIFT_STRUCT, (size_t)f->column_count));
    for (int32_t i = 0; i < f->column_count; i++) {
        compressed += g->chunks[i].compressed_size;
        uncompressed += g->chunks[i].uncompressed_size;
        RWL_TRY(put_chunk(&w, f, i, &g->chunks[i]));
    }
    RWL_TRY(put_i64(&w, 2, uncompressed));
    RWL_TRY(put_i64(&w, 3, g->row_count));
    RWL_TRY(put_i64(&w, 5, g->file_offset));
    RWL_TRY(put_i64(&w, 6, compressed));
    if (index <= INT16_MAX)
        RWL_TRY(put_i16(&w, 7, (int16_t)index));
    return end_struct(&w);
}

/* --- file --- */

static rwl_status put_key_values(writing *w, const rwl_parquet_footer *f) {
    if (f->kv_count == 0)
        return RWL_OK;
    RWL_TRY(put_list(w, 5, RWL_THRIFT_STRUCT, (size_t)f->kv_count));
    for (int32_t i = 0; i < f->kv_count; i++) {
        writing pair = {w->out, 0, w->err};
        RWL_TRY(put_text(&pair, 1, f->kv_keys[i]));
        RWL_TRY(put_text(&pair, 2, f->kv_values[i]));
        RWL_TRY(end_struct(&pair));
    }
    return RWL_OK;
}

static rwl_status put_column_orders(writing *w, int32_t column_count) {
    RWL_TRY(put_list(w, 7, RWL_THRIFT_STRUCT, (size_t)column_count));
    for (int32_t i = 0; i < column_count; i++) {
        writing order = {w->out, 0, w->err};
        RWL_TRY(put_empty_struct(&order, 1)); /* TYPE_ORDER */
        RWL_TRY(end_struct(&order));
    }
    return RWL_OK;
}

rwl_status rwl_parquet_footer_write(const rwl_parquet_footer *f, rwl_buf *out, rwl_error *err) {
    writing w = {out, 0, err};
    int64_t rows = 0;
    for (size_t i = 0; i < f->group_count; i++)
        rows += f->groups[i].row_count;
    RWL_TRY(
        put_i32(&w, 1, 1)); /* "for maximum compatibility with readers, writers should always populate 1" */
    RWL_TRY(put_schema(&w, f));
    RWL_TRY(put_i64(&w, 3, rows));
    RWL_TRY(put_list(&w, 4, RWL_THRIFT_STRUCT, f->group_count));
    for (size_t i = 0; i < f->group_count; i++)
        RWL_TRY(put_group(&w, f, i));
    RWL_TRY(put_key_values(&w, f));
    RWL_TRY(put_text(&w, 6, "rowline version " ROWLINE_VERSION));
    RWL_TRY(put_column_orders(&w, f->column_count));
    return end_struct(&w);
}
