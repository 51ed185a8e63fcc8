/* SPDX-License-Identifier: Apache-2.0 */
/* The non-null values of a slice of a column, side by side. */
#include "parquet/dense.h"

#include "column/variant.h"
#include "parquet/encode.h"

#define INLINE static inline __attribute__((always_inline))

void rwl_parquet_dense_init(rwl_parquet_dense *d, const rwl_env *env) {
    memset(d, 0, sizeof *d);
    d->env = env;
    rwl_buf_init(&d->scratch, env, SIZE_MAX);
    rwl_buf_init(&d->second, env, SIZE_MAX);
    rwl_buf_init(&d->parts, env, SIZE_MAX);
}

void rwl_parquet_dense_clear(rwl_parquet_dense *d) {
    rwl_buf_clear(&d->scratch);
    rwl_buf_clear(&d->second);
    rwl_buf_clear(&d->parts);
}

/* --- leaving out the nulls --- */

INLINE void compact(const uint8_t *from, const uint8_t *validity, size_t first, size_t rows, uint8_t *to,
                    size_t width) {
    for (size_t i = 0; i < rows; i += 64) {
        size_t n = rows - i < 64 ? rows - i : 64;
        uint64_t valid = rwl_parquet_bits_load(validity, first + i, n);
        const uint8_t *p = from + (first + i) * width;
        if (valid == UINT64_MAX) {
            memcpy(to, p, 64 * width);
            to += 64 * width;
            continue;
        }
        for (; valid != 0; valid &= valid - 1, to += width)
            memcpy(to, p + (size_t)__builtin_ctzll(valid) * width, width);
    }
}

static void compact_fixed(const uint8_t *from, const uint8_t *validity, size_t first, size_t rows,
                          uint8_t *to, size_t width) {
    switch (width) {
    case 4:
        compact(from, validity, first, rows, to, 4);
        return;
    case 8:
        compact(from, validity, first, rows, to, 8);
        return;
    case 16:
        compact(from, validity, first, rows, to, 16);
        return;
    default:
        compact(from, validity, first, rows, to, width);
    }
}

static uint64_t compact_word(uint64_t bits, uint64_t valid) {
    uint64_t out = 0;
    for (int k = 0; valid != 0; valid &= valid - 1, k++)
        out |= (bits >> __builtin_ctzll(valid) & 1) << k;
    return out;
}

static rwl_status load_bits(rwl_parquet_dense *d, const rwl_column *column, size_t first, size_t rows,
                            size_t nulls, rwl_error *err) {
    d->values = column->values.data;
    d->bit_pos = first;
    if (nulls == 0)
        return RWL_OK;
    rwl_buf_reset(&d->scratch);
    RWL_TRY(rwl_buf_reserve(&d->scratch, rows / 8 + 1 + RWL_PARQUET_SLACK, err));
    d->scratch.data[0] = 0;
    size_t at = 0;
    for (size_t i = 0; i < rows; i += 64) {
        size_t n = rows - i < 64 ? rows - i : 64;
        uint64_t valid = rwl_parquet_bits_load(column->validity.data, first + i, n);
        uint64_t bits = rwl_parquet_bits_load(column->values.data, first + i, n);
        rwl_parquet_bits_store(d->scratch.data, at, compact_word(bits, valid));
        at += (size_t)__builtin_popcountll(valid);
    }
    d->values = d->scratch.data;
    d->bit_pos = 0;
    return RWL_OK;
}

static rwl_status load_bytes(rwl_parquet_dense *d, const rwl_column *column, size_t first, size_t rows,
                             size_t nulls, rwl_error *err) {
    const int32_t *offsets = rwl_column_offsets(column);
    static const uint8_t nothing[1] = {0}; /* a column of empty strings has no buffer */
    d->values = column->values.data != NULL ? column->values.data : nothing;
    d->readable = column->values.cap;
    d->starts = offsets + first;
    d->ends = offsets + first + 1;
    d->byte_count = (size_t)(offsets[first + rows] - offsets[first]);
    if (nulls == 0)
        return RWL_OK;
    size_t bytes = d->count * sizeof *offsets;
    rwl_buf_reset(&d->scratch);
    RWL_TRY(rwl_buf_reserve(&d->scratch, 2 * bytes + 1, err));
    uint8_t *starts = d->scratch.data, *ends = starts + bytes;
    const uint8_t *from = column->offsets.data;
    compact(from, column->validity.data, first, rows, starts, sizeof *offsets);
    compact(from + sizeof *offsets, column->validity.data, first, rows, ends, sizeof *offsets);
    d->starts = (const int32_t *)(const void *)starts;
    d->ends = (const int32_t *)(const void *)ends;
    d->byte_count = 0;
    for (size_t i = 0; i < d->count; i++)
        d->byte_count += (size_t)(d->ends[i] - d->starts[i]); /* a null row may hold bytes of its own */
    return RWL_OK;
}

/* --- decimals --- */

/* The low 64 bits of 128-bit values, when the rest only repeats the sign. */
static bool narrow_to_64(const uint8_t *from, size_t count, uint8_t *to) {
    uint64_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t v[2];
        memcpy(v, from + i * 16, 16);
        wrong |= (uint64_t)(v[1] ^ v[0] >> 63);
        memcpy(to + i * 8, v, 8);
    }
    return wrong == 0;
}

static bool narrow_to_32(const uint8_t *from, size_t count, uint8_t *to) {
    uint64_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t v[2];
        memcpy(v, from + i * 16, 16);
        int32_t low = (int32_t)v[0];
        wrong |= (uint64_t)(v[1] ^ v[0] >> 63) | (uint64_t)(v[0] ^ low);
        memcpy(to + i * 4, &low, 4);
    }
    return wrong == 0;
}

static bool to_big_endian(const uint8_t *from, size_t count, size_t width, uint8_t *to) {
    uint8_t wrong = 0;
    for (size_t i = 0; i < count; i++, from += 16, to += width) {
        uint8_t sign = (from[width - 1] & 0x80) != 0 ? 0xFF : 0;
        for (size_t k = width; k < 16; k++)
            wrong |= from[k] ^ sign;
        for (size_t k = 0; k < width; k++)
            to[k] = from[width - 1 - k];
    }
    return wrong == 0;
}

static rwl_status convert_decimals(rwl_parquet_dense *d, const rwl_column *column,
                                   const rwl_parquet_shape *shape, rwl_error *err) {
    rwl_buf_reset(&d->second);
    RWL_TRY(rwl_buf_reserve(&d->second, d->count * shape->width + 1, err));
    bool fits = shape->width == 4   ? narrow_to_32(d->values, d->count, d->second.data)
                : shape->width == 8 ? narrow_to_64(d->values, d->count, d->second.data)
                                    : to_big_endian(d->values, d->count, shape->width, d->second.data);
    if (!fits)
        return rwl_fail(err, RWL_INTERNAL, "a value does not fit decimal(%d, %d)", column->type.precision,
                        column->type.scale);
    d->values = d->second.data;
    return RWL_OK;
}

rwl_status rwl_parquet_dense_load(rwl_parquet_dense *d, const rwl_column *column,
                                  const rwl_parquet_shape *shape, size_t first, size_t rows, size_t nulls,
                                  rwl_error *err) {
    d->count = rows - nulls;
    if (shape->physical == RWL_PARQUET_BOOLEAN)
        return load_bits(d, column, first, rows, nulls, err);
    if (shape->physical == RWL_PARQUET_BYTE_ARRAY)
        return load_bytes(d, column, first, rows, nulls, err);
    bool is_decimal = column->type.kind == RWL_TYPE_DECIMAL;
    size_t width = is_decimal ? 16 : shape->width;
    d->values = column->values.data + first * width;
    if (nulls > 0) {
        rwl_buf_reset(&d->scratch);
        RWL_TRY(rwl_buf_reserve(&d->scratch, d->count * width + 1, err));
        compact_fixed(column->values.data, column->validity.data, first, rows, d->scratch.data, width);
        d->values = d->scratch.data;
    }
    return is_decimal ? convert_decimals(d, column, shape, err) : RWL_OK;
}

/* --- values picked by index --- */

INLINE void pick(const uint8_t *from, const int32_t *indexes, size_t count, uint8_t *to, size_t width) {
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, from + (size_t)indexes[i] * width, width);
}

static void pick_fixed(const uint8_t *from, const int32_t *indexes, size_t count, uint8_t *to, size_t width) {
    switch (width) {
    case 4:
        pick(from, indexes, count, to, 4);
        return;
    case 8:
        pick(from, indexes, count, to, 8);
        return;
    case 16:
        pick(from, indexes, count, to, 16);
        return;
    default:
        pick(from, indexes, count, to, width);
    }
}

static rwl_status gather_bits(rwl_parquet_dense *d, const rwl_column *column, const int32_t *indexes,
                              rwl_error *err) {
    size_t bytes = d->count / 8 + 1;
    RWL_TRY(rwl_buf_reserve(&d->scratch, bytes, err));
    memset(d->scratch.data, 0, bytes);
    for (size_t i = 0; i < d->count; i++)
        if (rwl_bit_get(column->values.data, indexes[i]))
            rwl_bit_set(d->scratch.data, (int64_t)i);
    d->values = d->scratch.data;
    d->bit_pos = 0;
    return RWL_OK;
}

static rwl_status gather_bytes(rwl_parquet_dense *d, const rwl_column *column, const int32_t *indexes,
                               rwl_error *err) {
    static const uint8_t nothing[1] = {0};
    const int32_t *offsets = rwl_column_offsets(column);
    size_t bytes = d->count * sizeof *offsets;
    RWL_TRY(rwl_buf_reserve(&d->scratch, 2 * bytes + 1, err));
    int32_t *starts = (int32_t *)(void *)d->scratch.data, *ends = starts + d->count;
    d->byte_count = 0;
    for (size_t i = 0; i < d->count; i++) {
        starts[i] = offsets[indexes[i]];
        ends[i] = offsets[indexes[i] + 1];
        d->byte_count += (size_t)(ends[i] - starts[i]);
    }
    d->values = column->values.data != NULL ? column->values.data : nothing;
    d->readable = column->values.cap;
    d->starts = starts;
    d->ends = ends;
    return RWL_OK;
}

rwl_status rwl_parquet_dense_gather(rwl_parquet_dense *d, const rwl_column *column,
                                    const rwl_parquet_shape *shape, const int32_t *indexes, size_t count,
                                    bool is_run, rwl_error *err) {
    if (is_run && count > 0)
        return rwl_parquet_dense_load(d, column, shape, (size_t)indexes[0], count, 0, err);
    d->count = count;
    rwl_buf_reset(&d->scratch);
    if (shape->physical == RWL_PARQUET_BOOLEAN)
        return gather_bits(d, column, indexes, err);
    if (shape->physical == RWL_PARQUET_BYTE_ARRAY)
        return gather_bytes(d, column, indexes, err);
    bool is_decimal = column->type.kind == RWL_TYPE_DECIMAL;
    size_t width = is_decimal ? 16 : shape->width;
    RWL_TRY(rwl_buf_reserve(&d->scratch, count * width + 1, err));
    pick_fixed(column->values.data, indexes, count, d->scratch.data, width);
    d->values = d->scratch.data;
    return is_decimal ? convert_decimals(d, column, shape, err) : RWL_OK;
}

/* --- variants: metadata and value side by side, each to its own leaf --- */

rwl_status rwl_parquet_dense_variant(rwl_parquet_dense *d, rwl_parquet_part part, rwl_error *err) {
    size_t bytes = d->count * sizeof(int32_t);
    rwl_buf_reset(&d->parts);
    RWL_TRY(rwl_buf_reserve(&d->parts, bytes + 1, err));
    int32_t *borders = (int32_t *)(void *)d->parts.data;
    d->byte_count = 0;
    for (size_t i = 0; i < d->count; i++) {
        rwl_span metadata, value;
        rwl_span v = rwl_span_of(d->values + d->starts[i], (size_t)(d->ends[i] - d->starts[i]));
        RWL_TRY(rwl_variant_split(v, &metadata, &value, err));
        borders[i] = d->starts[i] + (int32_t)metadata.len;
        d->byte_count += part == RWL_PARQUET_VARIANT_METADATA ? metadata.len : value.len;
    }
    if (part == RWL_PARQUET_VARIANT_METADATA)
        d->ends = borders;
    else
        d->starts = borders;
    return RWL_OK;
}

/* --- plain --- */

/* Short strings are copied by a whole 16 bytes where both sides have room: what is too much is overwritten.
 */
static void put_byte_arrays(const rwl_parquet_dense *d, uint8_t *to) {
    for (size_t i = 0; i < d->count; i++) {
        size_t start = (size_t)d->starts[i];
        uint32_t len = (uint32_t)(d->ends[i] - d->starts[i]);
        memcpy(to, &len, sizeof len);
        to += sizeof len;
        if (len <= 16 && start + 16 <= d->readable)
            memcpy(to, d->values + start, 16);
        else
            memcpy(to, d->values + start, len);
        to += len;
    }
}

rwl_status rwl_parquet_dense_plain(const rwl_parquet_dense *d, const rwl_parquet_shape *shape, rwl_buf *out,
                                   rwl_error *err) {
    if (shape->width > 0)
        return rwl_buf_append(out, d->values, d->count * shape->width, err);
    size_t size = d->byte_count + 4 * d->count;
    RWL_TRY(rwl_buf_reserve(out, size + RWL_PARQUET_SLACK, err));
    put_byte_arrays(d, out->data + out->len);
    out->len += size;
    return RWL_OK;
}
