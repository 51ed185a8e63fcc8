/* SPDX-License-Identifier: Apache-2.0 */
/* Pages for the tests of decoders. */
#include "values_support.h"

enum { SLACK = RWL_PARQUET_READ_SLACK };

rwl_parquet_layout layout_for(rwl_parquet_physical physical, rwl_type_kind kind, int32_t type_length) {
    rwl_parquet_leaf leaf = {.physical = physical, .type_length = type_length};
    leaf.field.type = rwl_type_of(kind);
    return rwl_parquet_layout_of(&leaf);
}

void page_init(page *p, rwl_parquet_layout layout, bool carries_previous) {
    memset(p, 0, sizeof *p);
    rwl_env_init_default(&p->env);
    rwl_op_init(&p->op, &p->env, 1 << 26);
    p->layout = layout;
    rwl_type type = rwl_type_of(layout.is_text ? RWL_TYPE_STRING : RWL_TYPE_BINARY);
    ck_assert_int_eq(rwl_column_init(&p->column, &p->env, &type, &p->err), RWL_OK);
    ck_assert_int_eq(rwl_column_reserve(&p->column, &p->env, 16, 16, &p->err), RWL_OK);
    rwl_parquet_values_begin(&p->values, &p->env, &p->layout, &p->dictionary, carries_previous);
}

rwl_status page_open(page *p, int32_t encoding, const void *data, size_t len) {
    uint8_t *copy = rwl_alloc(&p->env, len + SLACK);
    ck_assert_ptr_nonnull(copy);
    memset(copy, 0xff, len + SLACK);
    memcpy(copy, data, len);
    rwl_free(&p->env, p->bytes);
    p->bytes = copy;
    ck_assert(rwl_parquet_values_supported(&p->layout, encoding));
    return rwl_parquet_values_init(&p->values, encoding, rwl_span_of(copy, len), &p->err);
}

rwl_status page_dictionary(page *p, const void *plain, size_t len, int64_t count) {
    uint8_t copy[1024 + SLACK];
    memset(copy, 0xff, sizeof copy);
    memcpy(copy, plain, len);
    return rwl_parquet_dictionary_build(&p->dictionary, &p->op, &p->layout, rwl_span_of(copy, len), count,
                                        &p->err);
}

void page_free(page *p) {
    rwl_parquet_values_clear(&p->values);
    rwl_parquet_dictionary_clear(&p->dictionary, &p->op);
    rwl_column_clear(&p->column, &p->env);
    rwl_free(&p->env, p->bytes);
    ck_assert_int_eq(atomic_load(&p->op.memory_used), 0);
}

rwl_status page_strings(page *p, size_t count, size_t limit, char *out, size_t *done) {
    int32_t ends[RWL_PARQUET_BLOCK + 1];
    RWL_TRY(rwl_parquet_values_bytes(&p->values, &p->column, limit, count, ends, done, &p->err));
    for (size_t i = 0; i < *done; i++) {
        size_t len = (size_t)(ends[i + 1] - ends[i]);
        memcpy(out, p->column.values.data + ends[i], len);
        out += len;
        *out++ = '|';
    }
    *out = '\0';
    return RWL_OK;
}

void put_data(bytes *b, const void *data, size_t len) {
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

void put_varint(bytes *b, uint64_t v) {
    for (; v >= 0x80; v >>= 7)
        b->data[b->len++] = (uint8_t)(v | 0x80);
    b->data[b->len++] = (uint8_t)v;
}

void put_zigzag(bytes *b, int64_t v) {
    put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void put_bits(bytes *b, uint64_t v, int width) {
    for (int i = 0; i < width; i++) {
        if (b->bit == 0)
            b->data[b->len++] = 0;
        b->data[b->len - 1] = (uint8_t)(b->data[b->len - 1] | (v >> i & 1) << b->bit);
        b->bit = (b->bit + 1) % 8;
    }
}

void put_delta(bytes *b, const int64_t *values, size_t count, int width) {
    put_varint(b, 128);
    put_varint(b, 4);
    put_varint(b, count);
    put_zigzag(b, count ? values[0] : 0);
    for (size_t at = 1; at < count; at += 128) {
        int64_t min = INT64_MAX;
        for (size_t i = at; i < count && i < at + 128; i++) {
            int64_t delta = (int64_t)((uint64_t)values[i] - (uint64_t)values[i - 1]);
            min = delta < min ? delta : min;
        }
        put_zigzag(b, min);
        for (size_t m = 0; m < 4; m++)
            b->data[b->len++] = at + m * 32 < count ? (uint8_t)width : 0;
        for (size_t m = 0; m < 4 && at + m * 32 < count; m++)
            for (size_t i = at + m * 32; i < at + m * 32 + 32; i++)
                put_bits(b, i < count ? (uint64_t)values[i] - (uint64_t)values[i - 1] - (uint64_t)min : 0,
                         width);
    }
}
