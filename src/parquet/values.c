/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fixed widths of a page: plain ones converted, indexes unpacked in blocks, checked once a block and gathered. */
#include "parquet/values.h"

#include "column/bits.h"
#include "parquet/split_decode.h"
#include "parquet/values_internal.h"

enum { INDEX_WIDTH_MAX = 32, RUNS_PREFIX = 4, DETOUR_BYTES = 16384 };

rwl_status rwl_parquet_values_fail_end(rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "page ends before its values do");
}

static rwl_status fail_end(rwl_error *err) {
    return rwl_parquet_values_fail_end(err);
}

/* --- pages --- */

bool rwl_parquet_values_supported(const rwl_parquet_layout *layout, int32_t encoding) {
    rwl_parquet_physical type = layout->physical;
    switch (encoding) {
    case RWL_PARQUET_PLAIN:
        return true;
    case RWL_PARQUET_RLE:
        return type == RWL_PARQUET_BOOLEAN;
    case RWL_PARQUET_PLAIN_DICTIONARY:
    case RWL_PARQUET_RLE_DICTIONARY:
        return type != RWL_PARQUET_BOOLEAN;
    case RWL_PARQUET_DELTA_BINARY_PACKED:
        return type == RWL_PARQUET_INT32 || type == RWL_PARQUET_INT64;
    case RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return type == RWL_PARQUET_BYTE_ARRAY;
    case RWL_PARQUET_DELTA_BYTE_ARRAY:
        return type == RWL_PARQUET_BYTE_ARRAY || type == RWL_PARQUET_FIXED;
    case RWL_PARQUET_BYTE_STREAM_SPLIT:
        return type == RWL_PARQUET_INT32 || type == RWL_PARQUET_INT64 || type == RWL_PARQUET_FLOAT ||
               type == RWL_PARQUET_DOUBLE || type == RWL_PARQUET_FIXED;
    default:
        return false;
    }
}

/* "parquet-mr version 1.7.0 (build …)"; who does not say a version may be one of them. */
bool rwl_parquet_values_carry(const char *created_by) {
    static const char name[] = "parquet-mr", version[] = " version ";
    if (!created_by || strncmp(created_by, name, sizeof name - 1) != 0)
        return false;
    const char *p = created_by + sizeof name - 1;
    if (strncmp(p, version, sizeof version - 1) != 0)
        return true;
    p += sizeof version - 1;
    if (p[0] == '0')
        return true;
    return p[0] == '1' && p[1] == '.' && p[2] >= '0' && p[2] < '8' && (p[3] < '0' || p[3] > '9');
}

void rwl_parquet_values_begin(rwl_parquet_values *v, const rwl_env *env, const rwl_parquet_layout *layout,
                              const rwl_parquet_dictionary *dictionary, bool carries_previous) {
    v->kind = RWL_PARQUET_VALUES_NONE;
    v->env = env;
    v->layout = layout;
    v->dictionary = dictionary;
    v->carries_previous = carries_previous;
    v->previous_len = 0;
}

void rwl_parquet_values_clear(rwl_parquet_values *v) {
    if (v->previous)
        rwl_free(v->env, v->previous);
    memset(v, 0, sizeof *v);
}

static rwl_status init_runs(rwl_parquet_values *v, rwl_span bytes, rwl_error *err) {
    if (bytes.len < RUNS_PREFIX)
        return fail_end(err);
    size_t len = rwl_load_le32(bytes.data);
    if (len > bytes.len - RUNS_PREFIX)
        return rwl_fail(err, RWL_CORRUPT, "boolean runs of %zu bytes in a page of %zu", len, bytes.len);
    v->kind = RWL_PARQUET_VALUES_RUNS;
    rwl_rle_init(&v->rle, rwl_span_of(bytes.data + RUNS_PREFIX, len), 1);
    return RWL_OK;
}

static rwl_status init_indexes(rwl_parquet_values *v, rwl_span bytes, rwl_error *err) {
    int width = bytes.data[0];
    if (width > INDEX_WIDTH_MAX)
        return rwl_fail(err, RWL_CORRUPT, "dictionary indexes of %d bits", width);
    v->kind = RWL_PARQUET_VALUES_INDEX;
    rwl_rle_init(&v->rle, rwl_span_of(bytes.data + 1, bytes.len - 1), width);
    return RWL_OK;
}

static rwl_status init_split(rwl_parquet_values *v, rwl_span bytes, rwl_error *err) {
    size_t width = v->layout->stored_width;
    if (bytes.len % width != 0)
        return rwl_fail(err, RWL_CORRUPT, "split streams of %zu bytes for values of %zu", bytes.len, width);
    v->kind = RWL_PARQUET_VALUES_SPLIT;
    v->end = v->p + bytes.len / width;
    return RWL_OK;
}

rwl_status rwl_parquet_values_init(rwl_parquet_values *v, int32_t encoding, rwl_span bytes, rwl_error *err) {
    v->kind = RWL_PARQUET_VALUES_NONE;
    v->p = bytes.data;
    v->end = bytes.data + bytes.len;
    v->bit = 0;
    if (bytes.len == 0)
        return RWL_OK;
    switch (encoding) {
    case RWL_PARQUET_PLAIN:
        v->kind = RWL_PARQUET_VALUES_PLAIN;
        return RWL_OK;
    case RWL_PARQUET_RLE:
        return init_runs(v, bytes, err);
    case RWL_PARQUET_PLAIN_DICTIONARY:
    case RWL_PARQUET_RLE_DICTIONARY:
        return init_indexes(v, bytes, err);
    case RWL_PARQUET_DELTA_BINARY_PACKED:
        v->kind = RWL_PARQUET_VALUES_DELTA;
        return rwl_delta_init(&v->delta, bytes, err);
    case RWL_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return rwl_parquet_lengths_init(v, bytes, err);
    case RWL_PARQUET_DELTA_BYTE_ARRAY:
        return rwl_parquet_prefixes_init(v, bytes, err);
    case RWL_PARQUET_BYTE_STREAM_SPLIT:
        return init_split(v, bytes, err);
    default:
        return rwl_fail(err, RWL_INTERNAL, "values of encoding %d", (int)encoding);
    }
}

/* --- skipping --- */

static rwl_status skip_prefixed(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    const uint8_t *p = v->p;
    for (int64_t i = 0; i < count; i++) {
        if (v->end - p < 4)
            return fail_end(err);
        size_t len = rwl_load_le32(p);
        if (len > (size_t)(v->end - p) - 4)
            return fail_end(err);
        p += 4 + len;
    }
    v->p = p;
    return RWL_OK;
}

static rwl_status skip_plain(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    size_t width = v->layout->stored_width;
    if (v->layout->convert == RWL_PARQUET_TO_BITS) {
        if (count > (v->end - v->p) * 8 - v->bit)
            return fail_end(err);
        v->bit += count;
        return RWL_OK;
    }
    if (width == 0)
        return skip_prefixed(v, count, err);
    if ((size_t)count > (size_t)(v->end - v->p) / width)
        return fail_end(err);
    v->p += (size_t)count * width;
    return RWL_OK;
}

static rwl_status skip_split(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    if (count > v->end - v->p - v->bit)
        return fail_end(err);
    v->bit += count;
    return RWL_OK;
}

rwl_status rwl_parquet_values_skip(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    switch (v->kind) {
    case RWL_PARQUET_VALUES_NONE:
        return fail_end(err);
    case RWL_PARQUET_VALUES_PLAIN:
        return skip_plain(v, count, err);
    case RWL_PARQUET_VALUES_DELTA:
        return rwl_delta_skip(&v->delta, (uint64_t)count, err);
    case RWL_PARQUET_VALUES_LENGTHS:
        return rwl_parquet_lengths_skip(v, count, err);
    case RWL_PARQUET_VALUES_PREFIXES:
        return rwl_parquet_prefixes_skip(v, count, err);
    case RWL_PARQUET_VALUES_SPLIT:
        return skip_split(v, count, err);
    case RWL_PARQUET_VALUES_INDEX:
    case RWL_PARQUET_VALUES_RUNS:
        break;
    }
    return rwl_rle_skip(&v->rle, (uint64_t)count, err);
}

/* --- fixed widths --- */

#define GATHER(name, type)                                                                                   \
    static void gather_##name(const uint8_t *values, const uint32_t *indexes, uint8_t *dst, size_t count) {  \
        for (size_t i = 0; i < count; i++)                                                                   \
            memcpy(dst + i * sizeof(type), values + (size_t)indexes[i] * sizeof(type), sizeof(type));        \
    }                                                                                                        \
    static void fill_##name(const uint8_t *value, uint8_t *dst, size_t count) {                              \
        type v;                                                                                              \
        memcpy(&v, value, sizeof v);                                                                         \
        for (size_t i = 0; i < count; i++)                                                                   \
            memcpy(dst + i * sizeof v, &v, sizeof v);                                                        \
    }
GATHER(4, uint32_t)
GATHER(8, uint64_t)
GATHER(16, rwl_u128)

static void gather(const uint8_t *values, size_t width, const uint32_t *indexes, uint8_t *dst, size_t count) {
    if (width == 4)
        gather_4(values, indexes, dst, count);
    else if (width == 8)
        gather_8(values, indexes, dst, count);
    else if (width == 16)
        gather_16(values, indexes, dst, count);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(dst + i * width, values + (size_t)indexes[i] * width, width);
}

static void fill(const uint8_t *value, size_t width, uint8_t *dst, size_t count) {
    if (width == 4)
        fill_4(value, dst, count);
    else if (width == 8)
        fill_8(value, dst, count);
    else if (width == 16)
        fill_16(value, dst, count);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(dst + i * width, value, width);
}

/* Signed compares, which SSE2 has: a top bit set anywhere is caught by the OR. */
rwl_status rwl_parquet_values_check_indexes(const rwl_parquet_dictionary *d, const uint32_t *indexes,
                                            size_t count, rwl_error *err) {
    int32_t largest = 0;
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t v = (int32_t)indexes[i];
        largest = v > largest ? v : largest;
        any |= indexes[i];
    }
    if (any > INT32_MAX || (uint32_t)largest >= d->count)
        return rwl_fail(err, RWL_CORRUPT, "dictionary index %u of a dictionary of %u values",
                        any > INT32_MAX ? any : (uint32_t)largest, d->count);
    return RWL_OK;
}

static rwl_status fixed_from_index(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    const rwl_parquet_dictionary *d = v->dictionary;
    size_t width = v->layout->width;
    uint32_t indexes[RWL_PARQUET_BLOCK];
    while (count > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(&v->rle, count, &run, err));
        if (!run.is_packed) {
            RWL_TRY(rwl_parquet_values_check_indexes(d, &run.value, 1, err));
            fill(d->values + (size_t)run.value * width, width, dst, run.count);
            dst += run.count * width;
        }
        for (size_t done = 0; run.is_packed && done < run.count;) {
            size_t n = run.count - done < RWL_PARQUET_BLOCK ? run.count - done : RWL_PARQUET_BLOCK;
            rwl_rle_unpack(run.packed, run.pos + done, v->rle.width, indexes, n);
            RWL_TRY(rwl_parquet_values_check_indexes(d, indexes, n, err));
            gather(d->values, width, indexes, dst, n);
            dst += n * width;
            done += n;
        }
        count -= run.count;
    }
    return RWL_OK;
}

static rwl_status fixed_from_plain(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    size_t width = v->layout->stored_width;
    if (width == 0)
        return rwl_parquet_convert_byte_decimals(&v->p, v->end, dst, count, err);
    if (count > (size_t)(v->end - v->p) / width)
        return fail_end(err);
    RWL_TRY(rwl_parquet_convert_fixed(v->layout, v->p, dst, count, err));
    v->p += count * width;
    return RWL_OK;
}

/* `count` stored values of DELTA or SPLIT. */
static rwl_status take_stored(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    if (v->kind == RWL_PARQUET_VALUES_DELTA)
        return v->layout->stored_width == 4 ? rwl_delta_read32(&v->delta, dst, count, err)
                                            : rwl_delta_read64(&v->delta, dst, count, err);
    size_t stride = (size_t)(v->end - v->p), pos = (size_t)v->bit;
    if (count > stride - pos)
        return fail_end(err);
    rwl_split_join(v->p + pos, stride, v->layout->stored_width, dst, count);
    v->bit += (int64_t)count;
    return RWL_OK;
}

/* Straight to where they go, or through a block when they are still to be converted. */
static rwl_status fixed_from_stored(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    uint8_t stored[DETOUR_BYTES + RWL_PARQUET_READ_SLACK];
    size_t width = v->layout->stored_width;
    if (v->layout->convert == RWL_PARQUET_TO_SAME)
        return take_stored(v, dst, count, err);
    if (width > DETOUR_BYTES)
        return rwl_fail(err, RWL_CORRUPT, "a decimal of %zu bytes needs more than 128 bits", width);
    while (count > 0) {
        size_t n = count < DETOUR_BYTES / width ? count : DETOUR_BYTES / width;
        RWL_TRY(take_stored(v, stored, n, err));
        RWL_TRY(rwl_parquet_convert_fixed(v->layout, stored, dst, n, err));
        dst += n * v->layout->width;
        count -= n;
    }
    return RWL_OK;
}

const uint8_t *rwl_parquet_values_borrow(rwl_parquet_values *v, size_t count) {
    size_t width = v->layout->width;
    if (v->kind != RWL_PARQUET_VALUES_PLAIN || v->layout->convert != RWL_PARQUET_TO_SAME || width == 0 ||
        count > (size_t)(v->end - v->p) / width)
        return NULL;
    const uint8_t *values = v->p;
    v->p += count * width;
    return values;
}

rwl_status rwl_parquet_values_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    switch (v->kind) {
    case RWL_PARQUET_VALUES_INDEX:
        return fixed_from_index(v, dst, count, err);
    case RWL_PARQUET_VALUES_PLAIN:
        return fixed_from_plain(v, dst, count, err);
    case RWL_PARQUET_VALUES_DELTA:
    case RWL_PARQUET_VALUES_SPLIT:
        return fixed_from_stored(v, dst, count, err);
    case RWL_PARQUET_VALUES_LENGTHS:
        return rwl_parquet_lengths_fixed(v, dst, count, err);
    case RWL_PARQUET_VALUES_PREFIXES:
        return rwl_parquet_prefixes_fixed(v, dst, count, err);
    case RWL_PARQUET_VALUES_NONE:
    case RWL_PARQUET_VALUES_RUNS:
        break;
    }
    return fail_end(err);
}

/* --- bits --- */

static rwl_status bits_from_runs(rwl_parquet_values *v, uint8_t *dst, int64_t dst_off, size_t count,
                                 rwl_error *err) {
    while (count > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(&v->rle, count, &run, err));
        if (run.is_packed)
            rwl_bits_copy(dst, dst_off, run.packed, (int64_t)run.pos, (int64_t)run.count);
        else if (run.value > 1)
            return rwl_fail(err, RWL_CORRUPT, "boolean %u", run.value);
        else
            rwl_bits_fill(dst, dst_off, (int64_t)run.count, run.value == 1);
        dst_off += (int64_t)run.count;
        count -= run.count;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_values_bits(rwl_parquet_values *v, uint8_t *dst, int64_t dst_off, size_t count,
                                   rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    if (v->kind == RWL_PARQUET_VALUES_RUNS)
        return bits_from_runs(v, dst, dst_off, count, err);
    if (v->kind != RWL_PARQUET_VALUES_PLAIN || (int64_t)count > (v->end - v->p) * 8 - v->bit)
        return fail_end(err);
    rwl_bits_copy(dst, dst_off, v->p, v->bit, (int64_t)count);
    v->bit += (int64_t)count;
    return RWL_OK;
}
