/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of written metadata. */
#include "output_support.h"

#include "wire/thrift.h"

/* --- Thrift as text --- */

static void dump_value(rwl_cursor *c, rwl_thrift_type type, bool in_list, rwl_buf *out);

static void dump_struct(rwl_cursor *c, rwl_buf *out) {
    int16_t last = 0;
    const char *space = "";
    write_ok(rwl_buf_str(out, "{", &writer_error));
    for (;;) {
        rwl_thrift_field f;
        write_ok(rwl_thrift_next(c, &last, &f, &writer_error));
        if (f.type == RWL_THRIFT_STOP)
            break;
        write_ok(rwl_buf_printf(out, &writer_error, "%s%d:", space, f.id));
        dump_value(c, f.type, false, out);
        space = " ";
    }
    write_ok(rwl_buf_str(out, "}", &writer_error));
}

static void dump_list(rwl_cursor *c, rwl_buf *out) {
    rwl_thrift_type item;
    uint32_t count;
    write_ok(rwl_thrift_list(c, &item, &count, &writer_error));
    write_ok(rwl_buf_str(out, "[", &writer_error));
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            write_ok(rwl_buf_str(out, " ", &writer_error));
        dump_value(c, item, true, out);
    }
    write_ok(rwl_buf_str(out, "]", &writer_error));
}

static void dump_binary(rwl_cursor *c, rwl_buf *out) {
    rwl_span bytes;
    bool printable = true;
    write_ok(rwl_thrift_binary(c, &bytes, &writer_error));
    for (size_t i = 0; i < bytes.len; i++)
        printable &= bytes.data[i] >= 0x20 && bytes.data[i] < 0x7F;
    if (printable) {
        write_ok(rwl_buf_printf(out, &writer_error, "'%.*s'", (int)bytes.len, (const char *)bytes.data));
        return;
    }
    write_ok(rwl_buf_str(out, "x", &writer_error));
    for (size_t i = 0; i < bytes.len; i++)
        write_ok(rwl_buf_printf(out, &writer_error, "%02x", bytes.data[i]));
}

static void dump_value(rwl_cursor *c, rwl_thrift_type type, bool in_list, rwl_buf *out) {
    int64_t number;
    uint8_t byte;
    int8_t small;
    switch (type) {
    case RWL_THRIFT_TRUE:
    case RWL_THRIFT_FALSE:
        byte = (uint8_t)type;
        if (in_list)
            write_ok(rwl_cursor_u8(c, &byte, &writer_error));
        write_ok(rwl_buf_str(out, byte == RWL_THRIFT_TRUE ? "T" : "F", &writer_error));
        return;
    case RWL_THRIFT_I8:
        write_ok(rwl_thrift_i8(c, &small, &writer_error));
        write_ok(rwl_buf_printf(out, &writer_error, "%d", small));
        return;
    case RWL_THRIFT_I16:
    case RWL_THRIFT_I32:
    case RWL_THRIFT_I64:
        write_ok(rwl_thrift_i64(c, &number, &writer_error));
        write_ok(rwl_buf_printf(out, &writer_error, "%lld", (long long)number));
        return;
    case RWL_THRIFT_BINARY:
        dump_binary(c, out);
        return;
    case RWL_THRIFT_LIST:
        dump_list(c, out);
        return;
    case RWL_THRIFT_STRUCT:
        dump_struct(c, out);
        return;
    default:
        ck_abort_msg("thrift type %d", (int)type);
    }
}

const char *thrift_text(rwl_arena *arena, rwl_span bytes, size_t *len) {
    rwl_cursor c = rwl_cursor_of(bytes);
    rwl_buf out;
    rwl_buf_init(&out, &writer_env, SIZE_MAX);
    dump_struct(&c, &out);
    char *text = rwl_arena_strndup(arena, (const char *)out.data, out.len);
    ck_assert_ptr_nonnull(text);
    rwl_buf_clear(&out);
    if (len != NULL)
        *len = c.pos;
    return text;
}

/* --- schemas and chunks --- */

rwl_field make_field(const char *name, int32_t id, bool required, rwl_type_kind kind) {
    return (rwl_field){.name = name, .id = id, .required = required, .type = rwl_type_of(kind)};
}

rwl_parquet_write_schema make_schema(rwl_arena *arena, const rwl_field *fields, int32_t count) {
    rwl_parquet_write_schema schema;
    write_ok(rwl_parquet_write_schema_make(fields, count, arena, &schema, &writer_error));
    return schema;
}

static const uint8_t body[PAGE_BODY] = "page bytes";

static rwl_parquet_stat_bound bound_of(const void *bytes, size_t len, bool inexact) {
    rwl_parquet_stat_bound b = {.present = bytes != NULL, .exact = !inexact};
    rwl_buf_init(&b.bytes, &writer_env, SIZE_MAX);
    if (bytes != NULL)
        write_ok(rwl_buf_append(&b.bytes, bytes, len, &writer_error));
    return b;
}

rwl_status add_page(rwl_parquet_chunk_write *c, const page_of *page, rwl_error *err) {
    rwl_parquet_stat_bound min = bound_of(page->min, page->min_len, page->inexact),
                           max = bound_of(page->max, page->max_len, page->inexact);
    rwl_parquet_page_header h = {.type = page->type,
                                 .uncompressed_size = PAGE_BODY + 5,
                                 .compressed_size = PAGE_BODY,
                                 .has_crc = true,
                                 .crc = 77,
                                 .value_count = page->values > 0 ? page->values : page->rows,
                                 .encoding = page->encoding,
                                 .definition_encoding = RWL_PARQUET_RLE,
                                 .repetition_encoding = RWL_PARQUET_BIT_PACKED,
                                 .null_count = -1,
                                 .row_count = -1,
                                 .is_compressed = true};
    rwl_parquet_page_facts facts = {.row_count = page->rows,
                                    .null_count = page->nulls,
                                    .min = page->unknown ? NULL : &min,
                                    .max = page->unknown ? NULL : &max,
                                    .unencoded_bytes = page->unencoded > 0 ? page->unencoded : -1,
                                    .definitions = page->definitions,
                                    .repetitions = page->repetitions,
                                    .has_nan_count = page->nans != NULL,
                                    .nan_count = page->nans != NULL ? *page->nans : 0};
    rwl_status st = rwl_parquet_chunk_page(c, &h, rwl_span_of(body, sizeof body), &facts, err);
    rwl_buf_clear(&min.bytes);
    rwl_buf_clear(&max.bytes);
    return st;
}

rwl_status add_dictionary(rwl_parquet_chunk_write *c, rwl_error *err) {
    rwl_parquet_page_header h = {.type = RWL_PARQUET_DICTIONARY_PAGE,
                                 .uncompressed_size = PAGE_BODY,
                                 .compressed_size = PAGE_BODY,
                                 .value_count = 3,
                                 .encoding = RWL_PARQUET_PLAIN_DICTIONARY};
    return rwl_parquet_chunk_dictionary(c, &h, rwl_span_of(body, sizeof body), err);
}

void add_numbers(rwl_parquet_chunk_write *c, int32_t rows, int64_t min, int64_t max) {
    uint8_t low[8], high[8];
    rwl_store_le64(low, (uint64_t)min);
    rwl_store_le64(high, (uint64_t)max);
    page_of page = {.rows = rows, .min = low, .max = high, .min_len = 8, .max_len = 8};
    write_ok(add_page(c, &page, &writer_error));
}

/* --- files --- */

rwl_buf read_file(const char *path) {
    rwl_buf file;
    rwl_buf_init(&file, &writer_env, SIZE_MAX);
    write_ok(rwl_store_read_all(writer_store, &writer_op, path, &file, &writer_error));
    return file;
}

const char *footer_text(rwl_arena *arena, const rwl_buf *file) {
    ck_assert_uint_ge(file->len, 12);
    ck_assert_mem_eq(file->data, "PAR1", 4);
    ck_assert_mem_eq(file->data + file->len - 4, "PAR1", 4);
    size_t len = rwl_load_le32(file->data + file->len - 8), got;
    ck_assert_uint_le(len, file->len - 12);
    const char *text = thrift_text(arena, rwl_span_of(file->data + file->len - 8 - len, len), &got);
    ck_assert_uint_eq(got, len);
    return text;
}
