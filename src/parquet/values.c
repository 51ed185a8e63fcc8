/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a page: plain ones converted, indexes unpacked in blocks, checked once a block and gathered. */
#include "parquet/values.h"

#include "column/bits.h"

enum { INDEX_WIDTH_MAX = 32, RUNS_PREFIX = 4, COPY_STEP = 16, COPY_BY_STEPS_MAX = 128 };

static rwl_status fail_end(rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "page ends before its values do");
}

rwl_status rwl_parquet_values_init(rwl_parquet_values *v, const rwl_parquet_layout *layout,
                                   const rwl_parquet_dictionary *dictionary, int32_t encoding, rwl_span bytes,
                                   rwl_error *err) {
    memset(v, 0, sizeof *v);
    v->layout = layout;
    v->dictionary = dictionary;
    v->p = bytes.data;
    v->end = bytes.data + bytes.len;
    if (bytes.len == 0)
        return RWL_OK; /* VALUES_NONE */
    if (encoding == RWL_PARQUET_PLAIN) {
        v->kind = RWL_PARQUET_VALUES_PLAIN;
    } else if (encoding == RWL_PARQUET_RLE) {
        if (bytes.len < RUNS_PREFIX)
            return fail_end(err);
        size_t len = rwl_load_le32(bytes.data);
        if (len > bytes.len - RUNS_PREFIX)
            return rwl_fail(err, RWL_CORRUPT, "boolean runs of %zu bytes in a page of %zu", len, bytes.len);
        v->kind = RWL_PARQUET_VALUES_RUNS;
        rwl_rle_init(&v->rle, rwl_span_of(bytes.data + RUNS_PREFIX, len), 1);
    } else {
        int width = bytes.data[0];
        if (width > INDEX_WIDTH_MAX)
            return rwl_fail(err, RWL_CORRUPT, "dictionary indexes of %d bits", width);
        v->kind = RWL_PARQUET_VALUES_INDEX;
        rwl_rle_init(&v->rle, rwl_span_of(bytes.data + 1, bytes.len - 1), width);
    }
    return RWL_OK;
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

rwl_status rwl_parquet_values_skip(rwl_parquet_values *v, int64_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    switch (v->kind) {
    case RWL_PARQUET_VALUES_NONE:
        return fail_end(err);
    case RWL_PARQUET_VALUES_PLAIN:
        return skip_plain(v, count, err);
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
static rwl_status check_indexes(const rwl_parquet_dictionary *d, const uint32_t *indexes, size_t count,
                                rwl_error *err) {
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
            RWL_TRY(check_indexes(d, &run.value, 1, err));
            fill(d->values + (size_t)run.value * width, width, dst, run.count);
            dst += run.count * width;
        }
        for (size_t done = 0; run.is_packed && done < run.count;) {
            size_t n = run.count - done < RWL_PARQUET_BLOCK ? run.count - done : RWL_PARQUET_BLOCK;
            rwl_rle_unpack(run.packed, run.pos + done, v->rle.width, indexes, n);
            RWL_TRY(check_indexes(d, indexes, n, err));
            gather(d->values, width, indexes, dst, n);
            dst += n * width;
            done += n;
        }
        count -= run.count;
    }
    return RWL_OK;
}

rwl_status rwl_parquet_values_fixed(rwl_parquet_values *v, uint8_t *dst, size_t count, rwl_error *err) {
    if (count == 0)
        return RWL_OK;
    if (v->kind == RWL_PARQUET_VALUES_INDEX)
        return fixed_from_index(v, dst, count, err);
    if (v->kind != RWL_PARQUET_VALUES_PLAIN)
        return fail_end(err);
    size_t width = v->layout->stored_width;
    if (width == 0)
        return rwl_parquet_convert_byte_decimals(&v->p, v->end, dst, count, err);
    if (count > (size_t)(v->end - v->p) / width)
        return fail_end(err);
    RWL_TRY(rwl_parquet_convert_fixed(v->layout, v->p, dst, count, err));
    v->p += count * width;
    return RWL_OK;
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

/* --- bytes --- */

/* Copies by whole steps, past the end: both sides have slack. Only long values are worth a call. */
static inline void copy_value(uint8_t *dst, const uint8_t *src, size_t len) {
    memcpy(dst, src, COPY_STEP);
    if (len > COPY_BY_STEPS_MAX) {
        memcpy(dst, src, len);
        return;
    }
    for (size_t done = COPY_STEP; done < len; done += COPY_STEP)
        memcpy(dst + done, src + done, COPY_STEP);
}

/* Room for bytes up to `end` and the last step's overshoot. */
static rwl_status reserve_bytes(rwl_column *out, const rwl_env *env, size_t end, rwl_error *err) {
    if (end + COPY_STEP <= out->values.cap)
        return RWL_OK;
    return rwl_column_reserve(out, env, out->length, end + COPY_STEP, err);
}

/* Lengths first, then bytes: so that nothing is copied before it is known to fit. */
static rwl_status bytes_from_plain(rwl_parquet_values *v, const rwl_env *env, rwl_column *out, size_t limit,
                                   size_t count, int32_t *ends, bool *is_full, rwl_error *err) {
    const uint8_t *p = v->p;
    size_t end = out->bytes_len;
    for (size_t i = 0; i < count; i++) {
        if (v->end - p < 4)
            return fail_end(err);
        size_t len = rwl_load_le32(p);
        if (len > (size_t)(v->end - p) - 4)
            return fail_end(err);
        p += 4 + len;
        end += len; /* below 2^31 + bytes of the page: the page is shorter than 2^31 */
        ends[i + 1] = end > INT32_MAX ? INT32_MAX : (int32_t)end;
    }
    *is_full = end > limit;
    if (*is_full)
        return RWL_OK;
    RWL_TRY(reserve_bytes(out, env, end, err));
    const uint8_t *from = v->p;
    uint8_t *to = out->values.data;
    for (size_t i = 0; i < count; i++) {
        size_t len = (size_t)(ends[i + 1] - ends[i]);
        copy_value(to + ends[i], from + 4, len);
        from += 4 + len;
    }
    v->p = p;
    out->bytes_len = end;
    return RWL_OK;
}

static rwl_status bytes_from_index(rwl_parquet_values *v, const rwl_env *env, rwl_column *out, size_t limit,
                                   size_t count, int32_t *ends, bool *is_full, rwl_error *err) {
    const rwl_parquet_dictionary *d = v->dictionary;
    uint32_t indexes[RWL_PARQUET_BLOCK];
    RWL_TRY(rwl_rle_read(&v->rle, indexes, count, err));
    RWL_TRY(check_indexes(d, indexes, count, err));
    const rwl_parquet_entry *entries = d->entries;
    size_t end = out->bytes_len;
    for (size_t i = 0; i < count; i++) {
        end += entries[indexes[i]].len;
        ends[i + 1] = (int32_t)(uint32_t)end;
    }
    *is_full = end > limit; /* and then the ends may have wrapped, and are not used */
    if (*is_full)
        return RWL_OK;
    RWL_TRY(reserve_bytes(out, env, end, err));
    uint8_t *to = out->values.data;
    for (size_t i = 0; i < count; i++) {
        rwl_parquet_entry entry = entries[indexes[i]];
        copy_value(to + ends[i], d->values + entry.off, entry.len);
    }
    out->bytes_len = end;
    return RWL_OK;
}

rwl_status rwl_parquet_values_bytes(rwl_parquet_values *v, const rwl_env *env, rwl_column *out, size_t limit,
                                    size_t count, int32_t *ends, bool *is_full, rwl_error *err) {
    *is_full = false;
    ends[0] = (int32_t)out->bytes_len;
    if (count == 0)
        return RWL_OK;
    if (v->kind == RWL_PARQUET_VALUES_PLAIN)
        return bytes_from_plain(v, env, out, limit, count, ends, is_full, err);
    if (v->kind == RWL_PARQUET_VALUES_INDEX)
        return bytes_from_index(v, env, out, limit, count, ends, is_full, err);
    return fail_end(err);
}
