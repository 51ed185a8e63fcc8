/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over columns: take by ranges and by indexes, bits to ranges, promotion. */
#include "column/batch.h"
#include "column/bits.h"

static bool same_layout(const rwl_column *a, const rwl_column *b) {
    return a->type.kind == b->type.kind && rwl_type_width(&a->type) == rwl_type_width(&b->type);
}

static rwl_status check_take(const rwl_column *in, const rwl_column *out, rwl_error *err) {
    if (!same_layout(in, out))
        return rwl_fail(err, RWL_INTERNAL, "take from type kind %d into kind %d", (int)in->type.kind,
                        (int)out->type.kind);
    return RWL_OK;
}

/* --- ranges --- */

static rwl_status measure_ranges(const rwl_column *in, const rwl_range *ranges, size_t count, int64_t *rows,
                                 size_t *bytes, rwl_error *err) {
    const int32_t *offsets = rwl_type_is_bytes(&in->type) ? rwl_column_offsets(in) : NULL;
    *rows = 0;
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        rwl_range r = ranges[i];
        if (r.start < 0 || r.count < 0 || r.start > in->length || r.count > in->length - r.start)
            return rwl_fail(err, RWL_INTERNAL, "rows %lld + %lld of a column of %lld", (long long)r.start,
                            (long long)r.count, (long long)in->length);
        *rows += r.count;
        if (offsets != NULL && r.count > 0)
            *bytes += (size_t)(offsets[r.start + r.count] - offsets[r.start]);
    }
    return RWL_OK;
}

static void copy_bytes_range(const rwl_column *in, rwl_range r, rwl_column *out, int64_t at) {
    const int32_t *from = rwl_column_offsets(in) + r.start;
    int32_t *to = (int32_t *)(void *)out->offsets.data + at;
    size_t len = (size_t)(from[r.count] - from[0]);
    int32_t shift = (int32_t)out->bytes_len - from[0];
    for (int64_t i = 1; i <= r.count; i++)
        to[i] = from[i] + shift;
    if (len > 0)
        memcpy(out->values.data + out->bytes_len, in->values.data + from[0], len);
    out->bytes_len += len;
}

static void copy_values_range(const rwl_column *in, rwl_range r, rwl_column *out, int64_t at, size_t width) {
    if (r.count == 0)
        return;
    if (rwl_type_is_bytes(&in->type))
        copy_bytes_range(in, r, out, at);
    else if (in->type.kind == RWL_TYPE_BOOLEAN)
        rwl_bits_copy(out->values.data, at, in->values.data, r.start, r.count);
    else if (width > 0)
        memcpy(out->values.data + (size_t)at * width, in->values.data + (size_t)r.start * width,
               (size_t)r.count * width);
}

/* Validity of the rows appended at out->length; adds to null_count. The bitmap has room. */
static void copy_validity_ranges(const rwl_column *in, const rwl_range *ranges, size_t count, rwl_column *out,
                                 int64_t rows) {
    if (in->null_count == 0) {
        if (out->null_count > 0)
            rwl_bits_fill(out->validity.data, out->length, rows, true);
        return;
    }
    int64_t at = out->length;
    for (size_t i = 0; i < count; i++) {
        rwl_bits_copy(out->validity.data, at, in->validity.data, ranges[i].start, ranges[i].count);
        at += ranges[i].count;
    }
    out->null_count += rows - rwl_bits_count(out->validity.data, out->length, rows);
}

rwl_status rwl_column_take_ranges(const rwl_column *in, const rwl_range *ranges, size_t count,
                                  rwl_column *out, const rwl_env *env, rwl_error *err) {
    RWL_TRY(check_take(in, out, err));
    int64_t rows;
    size_t bytes;
    RWL_TRY(measure_ranges(in, ranges, count, &rows, &bytes, err));
    if (rows == 0)
        return RWL_OK;
    RWL_TRY(rwl_column_reserve(out, env, out->length + rows, out->bytes_len + bytes, err));
    if (in->null_count > 0 || out->null_count > 0)
        RWL_TRY(rwl_column_need_validity(out, env, out->length + rows, err));
    size_t width = (size_t)rwl_type_width(&in->type);
    int64_t at = out->length;
    for (size_t i = 0; i < count; i++) {
        copy_values_range(in, ranges[i], out, at, width);
        at += ranges[i].count;
    }
    copy_validity_ranges(in, ranges, count, out, rows);
    out->length += rows;
    return RWL_OK;
}

/* --- indexes --- */

static rwl_status measure_rows(const rwl_column *in, const int32_t *rows, int64_t count, size_t *bytes,
                               rwl_error *err) {
    uint32_t length = (uint32_t)in->length;
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = (uint32_t)rows[i] > largest ? (uint32_t)rows[i] : largest;
    if (count > 0 && largest >= length)
        return rwl_fail(err, RWL_INTERNAL, "row %u of a column of %u", largest, length);
    *bytes = 0;
    if (!rwl_type_is_bytes(&in->type) || count == 0)
        return RWL_OK;
    const int32_t *offsets = rwl_column_offsets(in);
    for (int64_t i = 0; i < count; i++)
        *bytes += (size_t)(offsets[rows[i] + 1] - offsets[rows[i]]);
    return RWL_OK;
}

static void gather_fixed(const rwl_column *in, const int32_t *rows, int64_t count, rwl_column *out,
                         size_t width) {
    uint8_t *base = out->values.data + (size_t)out->length * width;
    if (width == 4) {
        const uint32_t *from = (const uint32_t *)(const void *)in->values.data;
        uint32_t *to = (uint32_t *)(void *)base;
        for (int64_t i = 0; i < count; i++)
            to[i] = from[rows[i]];
    } else if (width == 8) {
        const uint64_t *from = (const uint64_t *)(const void *)in->values.data;
        uint64_t *to = (uint64_t *)(void *)base;
        for (int64_t i = 0; i < count; i++)
            to[i] = from[rows[i]];
    } else if (width == 16) {
        for (int64_t i = 0; i < count; i++)
            memcpy(base + i * 16, in->values.data + (int64_t)rows[i] * 16, 16);
    } else {
        for (int64_t i = 0; i < count; i++)
            memcpy(base + (size_t)i * width, in->values.data + (size_t)rows[i] * width, width);
    }
}

static void gather_bytes(const rwl_column *in, const int32_t *rows, int64_t count, rwl_column *out) {
    const int32_t *from = rwl_column_offsets(in);
    int32_t *to = (int32_t *)(void *)out->offsets.data + out->length + 1;
    uint8_t *bytes = out->values.data;
    size_t end = out->bytes_len;
    for (int64_t i = 0; i < count; i++) {
        int32_t start = from[rows[i]];
        size_t len = (size_t)(from[rows[i] + 1] - start);
        if (len > 0)
            memcpy(bytes + end, in->values.data + start, len);
        end += len;
        to[i] = (int32_t)end;
    }
    out->bytes_len = end;
}

/* Bits of `rows` to dst from bit `at` on, collected a byte at a time; returns how many are 1. */
static int64_t gather_bits(const uint8_t *src, const int32_t *rows, int64_t count, uint8_t *dst, int64_t at) {
    int64_t ones = 0;
    int64_t i = 0;
    for (; i < count && ((at + i) & 7) != 0; i++) {
        bool bit = rwl_bit_get(src, rows[i]);
        rwl_bits_fill(dst, at + i, 1, bit);
        ones += bit;
    }
    for (; i + 8 <= count; i += 8) {
        unsigned byte = 0;
        for (int k = 0; k < 8; k++)
            byte |= (unsigned)rwl_bit_get(src, rows[i + k]) << k;
        dst[(at + i) >> 3] = (uint8_t)byte;
        ones += __builtin_popcount(byte);
    }
    for (; i < count; i++) {
        bool bit = rwl_bit_get(src, rows[i]);
        rwl_bits_fill(dst, at + i, 1, bit);
        ones += bit;
    }
    return ones;
}

rwl_status rwl_column_take(const rwl_column *in, const int32_t *rows, int64_t count, rwl_column *out,
                           const rwl_env *env, rwl_error *err) {
    RWL_TRY(check_take(in, out, err));
    size_t bytes;
    RWL_TRY(measure_rows(in, rows, count, &bytes, err));
    if (count == 0)
        return RWL_OK;
    RWL_TRY(rwl_column_reserve(out, env, out->length + count, out->bytes_len + bytes, err));
    if (in->null_count > 0 || out->null_count > 0)
        RWL_TRY(rwl_column_need_validity(out, env, out->length + count, err));
    size_t width = (size_t)rwl_type_width(&in->type);
    if (rwl_type_is_bytes(&in->type))
        gather_bytes(in, rows, count, out);
    else if (in->type.kind == RWL_TYPE_BOOLEAN)
        (void)gather_bits(in->values.data, rows, count, out->values.data, out->length);
    else if (width > 0)
        gather_fixed(in, rows, count, out, width);
    if (in->null_count > 0)
        out->null_count +=
            count - gather_bits(in->validity.data, rows, count, out->validity.data, out->length);
    else if (out->null_count > 0)
        rwl_bits_fill(out->validity.data, out->length, count, true);
    out->length += count;
    return RWL_OK;
}

/* --- batches --- */

static rwl_status check_batches(const rwl_batch *in, const rwl_batch *out, rwl_error *err) {
    if (in->column_count != out->column_count)
        return rwl_fail(err, RWL_INTERNAL, "take from %d columns into %d", in->column_count,
                        out->column_count);
    return RWL_OK;
}

rwl_status rwl_batch_take_ranges(const rwl_batch *in, const rwl_range *ranges, size_t count, rwl_batch *out,
                                 rwl_error *err) {
    RWL_TRY(check_batches(in, out, err));
    for (int32_t i = 0; i < in->column_count; i++)
        RWL_TRY(rwl_column_take_ranges(&in->columns[i], ranges, count, &out->columns[i], out->env, err));
    for (size_t i = 0; i < count; i++)
        out->length += ranges[i].count;
    return RWL_OK;
}

rwl_status rwl_batch_take(const rwl_batch *in, const int32_t *rows, int64_t count, rwl_batch *out,
                          rwl_error *err) {
    RWL_TRY(check_batches(in, out, err));
    for (int32_t i = 0; i < in->column_count; i++)
        RWL_TRY(rwl_column_take(&in->columns[i], rows, count, &out->columns[i], out->env, err));
    out->length += count;
    return RWL_OK;
}

/* --- bits to ranges --- */

size_t rwl_ranges_from_bits(const uint8_t *bits, int64_t length, rwl_range *ranges) {
    size_t n = 0;
    int64_t open = -1; /* start of the range being read, -1 outside */
    for (int64_t base = 0; base < length; base += 64) {
        int64_t left = length - base;
        uint64_t word = 0;
        memcpy(&word, bits + base / 8, left >= 64 ? 8 : rwl_bits_bytes(left));
        if (left < 64)
            word &= (UINT64_C(1) << left) - 1;
        if ((word == 0 && open < 0) || (word == UINT64_MAX && open >= 0))
            continue;
        int at = 0;
        while (at < 64) {
            uint64_t rest = (open < 0 ? word : ~word) >> at;
            if (rest == 0)
                break;
            at += __builtin_ctzll(rest);
            if (open < 0) {
                open = base + at;
            } else {
                ranges[n++] = (rwl_range){open, base + at - open};
                open = -1;
            }
        }
    }
    if (open >= 0)
        ranges[n++] = (rwl_range){open, length - open};
    return n;
}

/* --- promotion --- */

static void widen_ints(const rwl_column *in, rwl_column *out) {
    const int32_t *from = rwl_column_i32(in);
    int64_t *to = (int64_t *)(void *)out->values.data;
    for (int64_t i = 0; i < in->length; i++)
        to[i] = from[i];
}

static void widen_floats(const rwl_column *in, rwl_column *out) {
    const float *from = rwl_column_f32(in);
    double *to = (double *)(void *)out->values.data;
    for (int64_t i = 0; i < in->length; i++)
        to[i] = (double)from[i];
}

/* Slots of nulls hold zero, which never overflows. */
static rwl_status widen_dates(const rwl_column *in, rwl_column *out, int64_t units_a_day, rwl_error *err) {
    const int32_t *from = rwl_column_i32(in);
    int64_t *to = (int64_t *)(void *)out->values.data;
    int64_t limit = INT64_MAX / units_a_day;
    int64_t bad = 0;
    for (int64_t i = 0; i < in->length; i++) {
        bool fits = from[i] >= -limit && from[i] <= limit;
        bad += !fits;
        to[i] = fits ? from[i] * units_a_day : 0;
    }
    if (bad == 0)
        return RWL_OK;
    for (int64_t i = 0; i < in->length; i++) {
        if (!rwl_column_is_null(in, i) && (from[i] < -limit || from[i] > limit))
            return rwl_fail(err, RWL_CORRUPT, "date of day %d is outside the range of its promoted type",
                            from[i]);
    }
    return RWL_OK;
}

static rwl_status copy_all(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    rwl_range all = {0, in->length};
    return rwl_column_take_ranges(in, &all, 1, out, env, err);
}

static bool is_same_or_wider(const rwl_type *from, const rwl_type *to) {
    if (from->kind != to->kind)
        return false;
    if (from->kind == RWL_TYPE_DECIMAL)
        return from->scale == to->scale && from->precision <= to->precision;
    return from->kind == RWL_TYPE_FIXED ? from->length == to->length : true;
}

/* Converts the values into reserved room; UNSUPPORTED for pairs that are no promotion. */
static rwl_status widen_values(const rwl_column *in, rwl_column *out, rwl_error *err) {
    rwl_type_kind from = in->type.kind;
    rwl_type_kind to = out->type.kind;
    if (from == RWL_TYPE_INT && to == RWL_TYPE_LONG)
        widen_ints(in, out);
    else if (from == RWL_TYPE_FLOAT && to == RWL_TYPE_DOUBLE)
        widen_floats(in, out);
    else if (from == RWL_TYPE_DATE && to == RWL_TYPE_TIMESTAMP)
        return widen_dates(in, out, INT64_C(86400000000), err);
    else if (from == RWL_TYPE_DATE && to == RWL_TYPE_TIMESTAMP_NS)
        return widen_dates(in, out, INT64_C(86400000000000), err);
    else
        return rwl_fail(err, RWL_UNSUPPORTED, "type kind %d does not promote to kind %d", (int)from, (int)to);
    return RWL_OK;
}

rwl_status rwl_column_promote(const rwl_column *in, rwl_column *out, const rwl_env *env, rwl_error *err) {
    rwl_column_reset(out);
    if (is_same_or_wider(&in->type, &out->type))
        return copy_all(in, out, env, err);
    if (in->type.kind == RWL_TYPE_UNKNOWN) {
        rwl_value null = rwl_value_null(out->type.kind);
        return rwl_column_append(out, env, &null, in->length, err);
    }
    RWL_TRY(rwl_column_reserve(out, env, in->length, 0, err));
    RWL_TRY(widen_values(in, out, err));
    if (in->null_count > 0) {
        RWL_TRY(rwl_column_need_validity(out, env, in->length, err));
        rwl_bits_copy(out->validity.data, 0, in->validity.data, 0, in->length);
    }
    out->length = in->length;
    out->null_count = in->null_count;
    return RWL_OK;
}

/* --- values from outside --- */

/* Slots of nulls hold zero, which belongs to every type. */
static int64_t find_wide_decimal(const rwl_column *c) {
    const rwl_u128 limit = (rwl_u128)rwl_i128_pow10(c->type.precision) - 1;
    for (int64_t i = 0; i < c->length; i++) {
        rwl_i128 v = rwl_i128_load(c->values.data + i * 16);
        if ((rwl_u128)v + limit > 2 * limit) /* below -limit or above it */
            return i;
    }
    return c->length;
}

static int64_t find_wrong_time(const rwl_column *c) {
    const int64_t *v = rwl_column_i64(c);
    int64_t i = 0;
    while (i < c->length && v[i] >= 0 && v[i] < INT64_C(86400000000))
        i++;
    return i;
}

/* All at once; one by one only to find the one that is wrong, also by beginning inside a sequence. */
static int64_t find_wrong_text(const rwl_column *c) {
    if (c->length == 0)
        return 0;
    const int32_t *offsets = rwl_column_offsets(c);
    rwl_span all = rwl_span_of(c->values.data, (size_t)offsets[c->length]);
    bool ok = rwl_utf8_valid(all);
    for (int64_t i = 0; ok && i < c->length; i++) {
        size_t at = (size_t)offsets[i];
        ok = at == all.len || (all.data[at] & 0xC0) != 0x80;
    }
    int64_t i = ok ? c->length : 0;
    while (i < c->length && rwl_utf8_valid(rwl_column_bytes(c, i)))
        i++;
    return i;
}

rwl_status rwl_column_check_values(const rwl_column *c, rwl_error *err) {
    int64_t wrong = c->length;
    const char *what = "";
    if (c->type.kind == RWL_TYPE_DECIMAL) {
        wrong = find_wide_decimal(c);
        what = "a decimal has more digits than its type";
    } else if (c->type.kind == RWL_TYPE_TIME) {
        wrong = find_wrong_time(c);
        what = "a time is outside of the day";
    } else if (c->type.kind == RWL_TYPE_STRING) {
        wrong = find_wrong_text(c);
        what = "a string is not UTF-8";
    }
    return wrong == c->length ? RWL_OK : rwl_fail(err, RWL_CORRUPT, "row %lld: %s", (long long)wrong, what);
}
