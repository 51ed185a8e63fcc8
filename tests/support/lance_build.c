/* SPDX-License-Identifier: Apache-2.0 */
/* Lance data files for tests: protobuf by hand, then buffers, column metadata, tables and footer. */
#include "lance_build.h"

#include <stdio.h>
#include <stdlib.h>

static void must(rwl_status st) {
    if (st != RWL_OK) {
        fprintf(stderr, "lance_build: status %d\n", (int)st);
        abort();
    }
}

/* --- protobuf --- */

static void put_tag(rwl_buf *out, uint32_t number, uint32_t type) {
    must(rwl_buf_varint(out, (uint64_t)number << 3 | type, NULL));
}

void pb_varint(rwl_buf *out, uint32_t number, uint64_t value) {
    put_tag(out, number, 0);
    must(rwl_buf_varint(out, value, NULL));
}

void pb_signed(rwl_buf *out, uint32_t number, int64_t value) {
    pb_varint(out, number, (uint64_t)value);
}

void pb_fixed64(rwl_buf *out, uint32_t number, uint64_t value) {
    put_tag(out, number, 1);
    must(rwl_buf_le64(out, value, NULL));
}

void pb_fixed32(rwl_buf *out, uint32_t number, uint32_t value) {
    put_tag(out, number, 5);
    must(rwl_buf_le32(out, value, NULL));
}

void pb_bytes(rwl_buf *out, uint32_t number, rwl_span bytes) {
    put_tag(out, number, 2);
    must(rwl_buf_varint(out, bytes.len, NULL));
    must(rwl_buf_append(out, bytes.data, bytes.len, NULL));
}

void pb_text(rwl_buf *out, uint32_t number, const char *text) {
    pb_bytes(out, number, rwl_span_str(text));
}

size_t pb_begin(rwl_buf *out, uint32_t number) {
    put_tag(out, number, 2);
    return out->len;
}

/* The length goes before what is there already, which moves. */
void pb_end(rwl_buf *out, size_t begin) {
    uint8_t length[10];
    size_t n = 0, len = out->len - begin;
    do {
        length[n++] = (uint8_t)((len & 127) | (len > 127 ? 128 : 0));
        len >>= 7;
    } while (len > 0);
    len = out->len - begin;
    must(rwl_buf_append(out, length, n, NULL));
    memmove(out->data + begin + n, out->data + begin, len);
    memcpy(out->data + begin, length, n);
}

void pb_empty(rwl_buf *out, uint32_t number) {
    pb_end(out, pb_begin(out, number));
}

void pb_packed(rwl_buf *out, uint32_t number, const uint64_t *values, size_t count) {
    size_t begin = pb_begin(out, number);
    for (size_t i = 0; i < count; i++)
        must(rwl_buf_varint(out, values[i], NULL));
    pb_end(out, begin);
}

/* --- encodings --- */

void lance_put_flat(rwl_buf *out, uint32_t number, uint64_t bits) {
    size_t codec = pb_begin(out, number), flat = pb_begin(out, 1);
    pb_varint(out, 1, bits);
    pb_end(out, flat);
    pb_end(out, codec);
}

void lance_put_variable(rwl_buf *out, uint32_t number, uint64_t offset_bits) {
    size_t codec = pb_begin(out, number), variable = pb_begin(out, 2);
    lance_put_flat(out, 1, offset_bits);
    pb_end(out, variable);
    pb_end(out, codec);
}

void lance_put_inline_bitpacking(rwl_buf *out, uint32_t number, uint64_t bits) {
    size_t codec = pb_begin(out, number), packed = pb_begin(out, 5);
    pb_varint(out, 1, bits);
    pb_end(out, packed);
    pb_end(out, codec);
}

/* What is zero or empty is left out, as protobuf does: id and parent too. */
void lance_put_field(rwl_buf *out, uint32_t number, const char *name, int32_t id, int32_t parent_id,
                     const char *logical_type, bool nullable) {
    size_t field = pb_begin(out, number);
    pb_text(out, 2, name);
    if (id != 0)
        pb_signed(out, 3, id);
    if (parent_id != 0)
        pb_signed(out, 4, parent_id);
    pb_text(out, 5, logical_type);
    if (nullable)
        pb_varint(out, 6, 1);
    if (strncmp(logical_type, "struct", 6) != 0)
        pb_varint(out, 7, strstr(logical_type, "string") || strstr(logical_type, "binary") ? 2 : 1);
    pb_end(out, field);
}

/* --- files --- */

void lance_build_init(lance_build *b, const rwl_env *env, uint16_t major, uint16_t minor) {
    memset(b, 0, sizeof *b);
    b->env = env;
    b->major = major;
    b->minor = minor;
    b->alignment = 64;
    rwl_buf *const bufs[] = {&b->data,  &b->schema,         &b->columns,      &b->column,  &b->offsets,
                             &b->sizes, &b->column_offsets, &b->column_sizes, &b->lengths, &b->globals};
    for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
        rwl_buf_init(bufs[i], env, SIZE_MAX);
}

void lance_build_clear(lance_build *b) {
    rwl_buf *const bufs[] = {&b->data,  &b->schema,         &b->columns,      &b->column,  &b->offsets,
                             &b->sizes, &b->column_offsets, &b->column_sizes, &b->lengths, &b->globals};
    for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++)
        rwl_buf_clear(bufs[i]);
}

void lance_build_field(lance_build *b, const char *name, int32_t id, int32_t parent_id,
                       const char *logical_type, bool nullable) {
    lance_put_field(&b->schema, 1, name, id, parent_id, logical_type, nullable);
}

static void align(lance_build *b) {
    while (b->data.len % b->alignment != 0)
        must(rwl_buf_u8(&b->data, 'H', NULL));
}

static uint64_t put_buffer(lance_build *b, const void *data, size_t len, rwl_buf *offsets, rwl_buf *sizes) {
    align(b);
    uint64_t at = b->data.len;
    must(rwl_buf_le64(offsets, at, NULL));
    must(rwl_buf_le64(sizes, len, NULL));
    must(rwl_buf_append(&b->data, data, len, NULL));
    return at;
}

uint64_t lance_build_buffer(lance_build *b, const void *data, size_t len) {
    return put_buffer(b, data, len, &b->offsets, &b->sizes);
}

uint64_t lance_build_column_buffer(lance_build *b, const void *data, size_t len) {
    return put_buffer(b, data, len, &b->column_offsets, &b->column_sizes);
}

/* A packed field of the numbers in `values`, u64 each. */
static void put_numbers(rwl_buf *out, uint32_t number, const rwl_buf *values) {
    if (values->len == 0)
        return;
    size_t begin = pb_begin(out, number);
    for (size_t i = 0; i < values->len; i += 8)
        must(rwl_buf_varint(out, rwl_load_le64(values->data + i), NULL));
    pb_end(out, begin);
}

/* Encoding{direct{bytes: Any{type_url, value}}} */
static void put_encoding(rwl_buf *out, uint32_t number, const char *type_url, rwl_span value) {
    size_t encoding = pb_begin(out, number), direct = pb_begin(out, 2), any = pb_begin(out, 1);
    pb_text(out, 1, type_url);
    pb_bytes(out, 2, value);
    pb_end(out, any);
    pb_end(out, direct);
    pb_end(out, encoding);
}

static void end_column(lance_build *b) {
    if (!b->is_open)
        return;
    static const uint8_t values[2] = {0x0a, 0x00}; /* ColumnEncoding{values{}} */
    size_t begin = b->columns.len;
    if (b->column_encoding)
        pb_bytes(&b->columns, 1, rwl_buf_span(b->column_encoding));
    else if (!b->has_no_column_encoding)
        put_encoding(&b->columns, 1, "/lance.encodings.ColumnEncoding", rwl_span_of(values, sizeof values));
    must(rwl_buf_append(&b->columns, b->column.data, b->column.len, NULL));
    put_numbers(&b->columns, 3, &b->column_offsets);
    put_numbers(&b->columns, 4, &b->column_sizes);
    must(rwl_buf_le64(&b->lengths, b->columns.len - begin, NULL));
    rwl_buf_reset(&b->column);
    rwl_buf_reset(&b->column_offsets);
    rwl_buf_reset(&b->column_sizes);
    b->is_open = false;
}

void lance_build_column(lance_build *b) {
    end_column(b);
    b->is_open = true;
    b->rows = 0;
}

void lance_build_page(lance_build *b, uint64_t row_count, rwl_span encoding) {
    const char *url = b->type_url;
    if (!url)
        url = b->major == 0 ? "/lance.encodings.ArrayEncoding" : "/lance.encodings21.PageLayout";
    size_t page = pb_begin(&b->column, 2);
    put_numbers(&b->column, 1, &b->offsets);
    put_numbers(&b->column, 2, &b->sizes);
    if (row_count > 0)
        pb_varint(&b->column, 3, row_count);
    put_encoding(&b->column, 4, url, encoding);
    if (b->rows > 0)
        pb_varint(&b->column, 5, b->rows);
    pb_end(&b->column, page);
    b->rows += row_count;
    rwl_buf_reset(&b->offsets);
    rwl_buf_reset(&b->sizes);
}

void lance_build_page_raw(lance_build *b, uint64_t row_count, const uint64_t *offsets, size_t offset_count,
                          const uint64_t *sizes, size_t size_count, rwl_span encoding) {
    size_t page = pb_begin(&b->column, 2);
    pb_packed(&b->column, 1, offsets, offset_count);
    pb_packed(&b->column, 2, sizes, size_count);
    pb_varint(&b->column, 3, row_count);
    pb_bytes(&b->column, 4, encoding);
    pb_end(&b->column, page);
    b->rows += row_count;
}

static void pad_to_8(rwl_buf *out) {
    while (out->len % 8 != 0)
        must(rwl_buf_u8(out, 0xfe, NULL));
}

static void put_chunk(lance_build *b, const void *values, uint32_t len, rwl_buf *chunk) {
    must(rwl_buf_append(chunk, "\0\0", 2, NULL)); /* no levels */
    if (b->minor >= 2) {
        must(rwl_buf_le32(chunk, len, NULL));
    } else {
        const uint8_t size[2] = {(uint8_t)len, (uint8_t)(len >> 8)};
        must(rwl_buf_append(chunk, size, 2, NULL));
    }
    pad_to_8(chunk);
    must(rwl_buf_append(chunk, values, len, NULL));
    pad_to_8(chunk);
}

void lance_build_flat_column(lance_build *b, const void *values, uint32_t count, uint32_t bits) {
    bool is_large = b->minor >= 2;
    rwl_buf chunk, encoding;
    rwl_buf_init(&chunk, b->env, SIZE_MAX);
    rwl_buf_init(&encoding, b->env, SIZE_MAX);
    put_chunk(b, values, count * bits / 8, &chunk);
    uint32_t word = (uint32_t)(chunk.len / 8 - 1) << 4;
    const uint8_t metadata[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                 (uint8_t)(word >> 24)};
    lance_build_column(b);
    lance_build_buffer(b, metadata, is_large ? 4 : 2);
    lance_build_buffer(b, chunk.data, chunk.len);
    size_t layout = pb_begin(&encoding, 1);
    lance_put_flat(&encoding, 3, bits);
    pb_packed(&encoding, 6, (const uint64_t[]){1}, 1);
    pb_varint(&encoding, 7, 1);
    pb_varint(&encoding, 9, count);
    if (is_large)
        pb_varint(&encoding, 10, 1);
    pb_end(&encoding, layout);
    lance_build_page(b, count, rwl_buf_span(&encoding));
    rwl_buf_clear(&chunk);
    rwl_buf_clear(&encoding);
}

void lance_build_global(lance_build *b, const void *data, size_t len) {
    align(b);
    must(rwl_buf_le64(&b->globals, b->data.len, NULL));
    must(rwl_buf_le64(&b->globals, len, NULL));
    must(rwl_buf_append(&b->data, data, len, NULL));
}

/* Appends the descriptor; its position and length go to `out`. */
static void put_descriptor(lance_build *b, uint64_t rows, uint64_t out[2]) {
    align(b);
    out[0] = b->data.len;
    pb_bytes(&b->data, 1, rwl_buf_span(&b->schema));
    if (rows > 0)
        pb_varint(&b->data, 2, rows);
    out[1] = b->data.len - out[0];
}

void lance_build_finish(lance_build *b, uint64_t rows, rwl_buf *out) {
    uint64_t descriptor[2];
    end_column(b);
    put_descriptor(b, rows, descriptor);
    rwl_buf *data = &b->data;
    uint64_t first = data->len, at = first;
    must(rwl_buf_append(data, b->columns.data, b->columns.len, NULL));
    uint64_t column_table = data->len;
    for (size_t i = 0; i < b->lengths.len; i += 8) {
        uint64_t length = rwl_load_le64(b->lengths.data + i);
        must(rwl_buf_le64(data, at, NULL));
        must(rwl_buf_le64(data, length, NULL));
        at += length;
    }
    uint64_t global_table = data->len;
    must(rwl_buf_le64(data, descriptor[0], NULL));
    must(rwl_buf_le64(data, descriptor[1], NULL));
    must(rwl_buf_append(data, b->globals.data, b->globals.len, NULL));
    must(rwl_buf_le64(data, first, NULL));
    must(rwl_buf_le64(data, column_table, NULL));
    must(rwl_buf_le64(data, global_table, NULL));
    must(rwl_buf_le32(data, (uint32_t)(1 + b->globals.len / 16), NULL));
    must(rwl_buf_le32(data, (uint32_t)(b->lengths.len / 8), NULL));
    must(rwl_buf_le32(data, (uint32_t)b->major | (uint32_t)b->minor << 16, NULL));
    must(rwl_buf_append(data, "LANC", 4, NULL));
    must(rwl_buf_append(out, data->data, data->len, NULL));
}

void lance_build_write(lance_build *b, uint64_t rows, const char *path) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, b->env, SIZE_MAX);
    lance_build_finish(b, rows, &bytes);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes.data, 1, bytes.len, f) != bytes.len || fclose(f) != 0) {
        fprintf(stderr, "lance_build: cannot write %s\n", path);
        abort();
    }
    rwl_buf_clear(&bytes);
}
