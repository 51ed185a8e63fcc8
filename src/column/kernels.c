/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over columns: take by ranges and by indexes, bits to ranges. */
#include "column/batch.h"
#include "column/bits.h"

/* Children are compared when they are taken from. */
static bool same_layout(const rwl_column *a, const rwl_column *b) {
    return a->type.kind == b->type.kind && rwl_type_width(&a->type) == rwl_type_width(&b->type) &&
           (!rwl_type_is_nested(&a->type) || a->type.child_count == b->type.child_count);
}

static bool has_elements(const rwl_column *c) {
    return c->type.kind == RWL_TYPE_LIST || c->type.kind == RWL_TYPE_MAP;
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

/* The children have been taken, so that their lengths fit. */
static void copy_offsets_range(const rwl_column *in, rwl_range r, rwl_column *out, int64_t at) {
    const int32_t *from = rwl_column_offsets(in) + r.start;
    int32_t *to = (int32_t *)(void *)out->offsets.data + at;
    int32_t shift = to[0] - from[0];
    for (int64_t i = 1; i <= r.count; i++)
        to[i] = from[i] + shift;
}

static void copy_values_range(const rwl_column *in, rwl_range r, rwl_column *out, int64_t at, size_t width) {
    if (r.count == 0)
        return;
    if (rwl_type_is_bytes(&in->type))
        copy_bytes_range(in, r, out, at);
    else if (has_elements(in))
        copy_offsets_range(in, r, out, at);
    else if (in->type.kind == RWL_TYPE_BOOLEAN)
        rwl_bits_copy(out->values.data, at, in->values.data, r.start, r.count);
    else if (width > 0)
        memcpy(out->values.data + (size_t)at * width, in->values.data + (size_t)r.start * width,
               (size_t)r.count * width);
}

/* Ranges of a few rows each are what scattered filters leave: those are copied without a call. */
enum { FEW_ROWS = 8 };
#define TAKE_RANGES(name, type)                                                                              \
    static void name(const uint8_t *from, const rwl_range *ranges, size_t count, uint8_t *to) {              \
        for (size_t i = 0; i < count; i++) {                                                                 \
            const uint8_t *src = from + (size_t)ranges[i].start * sizeof(type);                              \
            size_t n = (size_t)ranges[i].count;                                                              \
            if (n > FEW_ROWS)                                                                                \
                memcpy(to, src, n * sizeof(type));                                                           \
            for (size_t k = 0; n <= FEW_ROWS && k < n; k++) {                                                \
                type v;                                                                                      \
                memcpy(&v, src + k * sizeof v, sizeof v);                                                    \
                memcpy(to + k * sizeof v, &v, sizeof v);                                                     \
            }                                                                                                \
            to += n * sizeof(type);                                                                          \
        }                                                                                                    \
    }
TAKE_RANGES(take_ranges_4, uint32_t)
TAKE_RANGES(take_ranges_8, uint64_t)

/* Values of the ranges, appended at out->length. */
static void copy_values_ranges(const rwl_column *in, const rwl_range *ranges, size_t count, rwl_column *out) {
    size_t width = (size_t)rwl_type_width(&in->type);
    uint8_t *to = width > 0 ? out->values.data + (size_t)out->length * width : NULL;
    bool is_plain = !rwl_type_is_bytes(&in->type) && !has_elements(in) && in->type.kind != RWL_TYPE_BOOLEAN;
    if (is_plain && width == sizeof(uint32_t)) {
        take_ranges_4(in->values.data, ranges, count, to);
        return;
    }
    if (is_plain && width == sizeof(uint64_t)) {
        take_ranges_8(in->values.data, ranges, count, to);
        return;
    }
    int64_t at = out->length;
    for (size_t i = 0; i < count; i++) {
        copy_values_range(in, ranges[i], out, at, width);
        at += ranges[i].count;
    }
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

/* Ranges of elements, adjacent ones as one, so that neighbouring rows make one copy. */
typedef struct element_ranges {
    rwl_range few[32];
    rwl_range *items; /* few, or allocated */
    size_t count;
} element_ranges;

static rwl_status open_elements(element_ranges *e, size_t cap, const rwl_env *env, rwl_error *err) {
    e->count = 0;
    e->items = e->few;
    if (cap <= sizeof e->few / sizeof e->few[0])
        return RWL_OK;
    e->items = rwl_alloc(env, cap * sizeof *e->items);
    return e->items != NULL ? RWL_OK : rwl_no_memory(err, cap * sizeof *e->items);
}

static void add_elements(element_ranges *e, int32_t start, int32_t end) {
    if (end == start)
        return;
    if (e->count > 0 && e->items[e->count - 1].start + e->items[e->count - 1].count == start)
        e->items[e->count - 1].count += end - start;
    else
        e->items[e->count++] = (rwl_range){start, end - start};
}

static rwl_status take_elements(const rwl_column *in, element_ranges *e, rwl_column *out, const rwl_env *env,
                                rwl_error *err) {
    rwl_status st = RWL_OK;
    for (int32_t i = 0; st == RWL_OK && i < in->type.child_count; i++)
        st = rwl_column_take_ranges(&in->children[i], e->items, e->count, &out->children[i], env, err);
    if (e->items != e->few)
        rwl_free(env, e->items);
    return st;
}

static rwl_status take_children_ranges(const rwl_column *in, const rwl_range *ranges, size_t count,
                                       rwl_column *out, const rwl_env *env, rwl_error *err) {
    if (has_elements(in)) {
        const int32_t *offsets = rwl_column_offsets(in);
        element_ranges e;
        RWL_TRY(open_elements(&e, count, env, err));
        for (size_t i = 0; i < count; i++)
            add_elements(&e, offsets[ranges[i].start], offsets[ranges[i].start + ranges[i].count]);
        return take_elements(in, &e, out, env, err);
    }
    for (int32_t i = 0; i < in->type.child_count; i++)
        RWL_TRY(rwl_column_take_ranges(&in->children[i], ranges, count, &out->children[i], env, err));
    return RWL_OK;
}

rwl_status rwl_column_take_ranges(const rwl_column *in, const rwl_range *ranges, size_t count,
                                  rwl_column *out, const rwl_env *env, rwl_error *err) {
    RWL_TRY(check_take(in, out, err));
    int64_t rows;
    size_t bytes;
    RWL_TRY(measure_ranges(in, ranges, count, &rows, &bytes, err));
    if (rows == 0)
        return RWL_OK;
    if (rwl_type_is_nested(&in->type))
        RWL_TRY(take_children_ranges(in, ranges, count, out, env, err));
    RWL_TRY(rwl_column_reserve(out, env, out->length + rows, out->bytes_len + bytes, err));
    if (in->null_count > 0 || out->null_count > 0)
        RWL_TRY(rwl_column_need_validity(out, env, out->length + rows, err));
    copy_values_ranges(in, ranges, count, out);
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

static rwl_status take_children(const rwl_column *in, const int32_t *rows, int64_t count, rwl_column *out,
                                const rwl_env *env, rwl_error *err) {
    if (has_elements(in)) {
        const int32_t *offsets = rwl_column_offsets(in);
        element_ranges e;
        RWL_TRY(open_elements(&e, (size_t)count, env, err));
        for (int64_t i = 0; i < count; i++)
            add_elements(&e, offsets[rows[i]], offsets[rows[i] + 1]);
        return take_elements(in, &e, out, env, err);
    }
    for (int32_t i = 0; i < in->type.child_count; i++)
        RWL_TRY(rwl_column_take(&in->children[i], rows, count, &out->children[i], env, err));
    return RWL_OK;
}

static void gather_offsets(const rwl_column *in, const int32_t *rows, int64_t count, rwl_column *out) {
    const int32_t *from = rwl_column_offsets(in);
    int32_t *to = (int32_t *)(void *)out->offsets.data + out->length;
    for (int64_t i = 0; i < count; i++)
        to[i + 1] = to[i] + (from[rows[i] + 1] - from[rows[i]]);
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
    if (rwl_type_is_nested(&in->type))
        RWL_TRY(take_children(in, rows, count, out, env, err));
    RWL_TRY(rwl_column_reserve(out, env, out->length + count, out->bytes_len + bytes, err));
    if (in->null_count > 0 || out->null_count > 0)
        RWL_TRY(rwl_column_need_validity(out, env, out->length + count, err));
    size_t width = (size_t)rwl_type_width(&in->type);
    if (rwl_type_is_bytes(&in->type))
        gather_bytes(in, rows, count, out);
    else if (has_elements(in))
        gather_offsets(in, rows, count, out);
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
