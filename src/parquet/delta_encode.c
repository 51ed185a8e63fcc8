/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders of DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. */
#include "parquet/delta_encode.h"

#include "parquet/encode.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    BLOCK = 128,
    MINI = 32, /* values of a miniblock; a multiple of 32 by the specification */
    MINIS = BLOCK / MINI,
    HEADER_MOST = 2 + 1 + 10 + 10, /* 128, 4, count, first value */
    BLOCK_HEADER_MOST = 10 + MINIS
};

static uint8_t *put_zigzag(uint8_t *out, int64_t v) {
    return rwl_parquet_put_varint(out, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

size_t rwl_parquet_delta_bound(size_t count, size_t width) {
    size_t blocks = count / BLOCK + 1;
    return HEADER_MOST + blocks * (BLOCK_HEADER_MOST + BLOCK * width) + RWL_PARQUET_SLACK;
}

/* Packs 32 values below 2^width, least significant bit first: 4 * width bytes. */
static uint8_t *pack_mini(const uint64_t *v, int width, uint8_t *out) {
    uint64_t held = 0;
    int bits = 0;
    if (width == 0)
        return out;
    for (int i = 0; i < MINI; i++) {
        held |= v[i] << bits;
        bits += width;
        if (bits >= 64) {
            memcpy(out, &held, sizeof held);
            out += sizeof held;
            bits -= 64;
            held = bits > 0 ? v[i] >> (width - bits) : 0;
        }
    }
    if (bits > 0) { /* 32 * width bits are whole halves of a word */
        memcpy(out, &held, sizeof held);
        out += bits / 8;
    }
    return out;
}

static int width_of(uint64_t v) {
    return v == 0 ? 0 : 64 - __builtin_clzll(v);
}

/* One block of `count` deltas, the least of which is `least`; `deltas` has room for BLOCK. */
INLINE uint8_t *put_block(uint64_t *deltas, size_t count, int64_t least, uint64_t mask, uint8_t *out) {
    out = put_zigzag(out, least);
    uint8_t *widths = out;
    memset(widths, 0, MINIS);
    out += MINIS;
    for (size_t i = count; i < BLOCK; i++)
        deltas[i] = (uint64_t)least;
    for (size_t m = 0; m * MINI < count; m++) {
        uint64_t *v = deltas + m * MINI, all = 0;
        for (int i = 0; i < MINI; i++) {
            v[i] = (v[i] - (uint64_t)least) & mask;
            all |= v[i];
        }
        widths[m] = (uint8_t)width_of(all);
        out = pack_mini(v, widths[m], out);
    }
    return out;
}

static size_t encode_64(const uint8_t *values, size_t count, uint8_t *start) {
    int64_t last, v;
    uint64_t deltas[BLOCK];
    memcpy(&last, values, sizeof last);
    uint8_t *out = put_zigzag(start, last);
    for (size_t i = 1; i < count; i += BLOCK) {
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        int64_t least = INT64_MAX;
        for (size_t k = 0; k < n; k++) {
            memcpy(&v, values + (i + k) * sizeof v, sizeof v);
            deltas[k] = (uint64_t)v - (uint64_t)last;
            least = (int64_t)deltas[k] < least ? (int64_t)deltas[k] : least;
            last = v;
        }
        out = put_block(deltas, n, least, UINT64_MAX, out);
    }
    return (size_t)(out - start);
}

static size_t encode_32(const uint8_t *values, size_t count, uint8_t *start) {
    int32_t last, v;
    uint64_t deltas[BLOCK];
    memcpy(&last, values, sizeof last);
    uint8_t *out = put_zigzag(start, last);
    for (size_t i = 1; i < count; i += BLOCK) {
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        int32_t least = INT32_MAX;
        for (size_t k = 0; k < n; k++) {
            memcpy(&v, values + (i + k) * sizeof v, sizeof v);
            int32_t delta = (int32_t)((uint32_t)v - (uint32_t)last);
            deltas[k] = (uint64_t)(int64_t)delta;
            least = delta < least ? delta : least;
            last = v;
        }
        out = put_block(deltas, n, least, UINT32_MAX, out);
    }
    return (size_t)(out - start);
}

size_t rwl_parquet_delta_encode(const uint8_t *values, size_t count, size_t width, uint8_t *out) {
    uint8_t *at = rwl_parquet_put_varint(out, BLOCK);
    at = rwl_parquet_put_varint(at, MINIS);
    at = rwl_parquet_put_varint(at, count);
    if (count == 0)
        at = put_zigzag(at, 0);
    else
        at += width == 4 ? encode_32(values, count, at) : encode_64(values, count, at);
    return (size_t)(at - out);
}

/* --- byte arrays --- */

static rwl_status append_lengths(const uint32_t *lengths, size_t count, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_reserve(out, rwl_parquet_delta_bound(count, sizeof *lengths), err));
    out->len +=
        rwl_parquet_delta_encode((const uint8_t *)lengths, count, sizeof *lengths, out->data + out->len);
    return RWL_OK;
}

static rwl_status fail_count(size_t count, rwl_error *err) {
    return rwl_fail(err, RWL_INTERNAL, "a page of other than %zu byte arrays", count);
}

/* The next value of a page in PLAIN; false when the page ends. */
static inline bool next_value(rwl_span *plain, rwl_span *value) {
    if (plain->len < 4)
        return false;
    size_t len = rwl_load_le32(plain->data);
    if (len > plain->len - 4)
        return false;
    *value = rwl_span_of(plain->data + 4, len);
    *plain = rwl_span_of(value->data + len, plain->len - 4 - len);
    return true;
}

rwl_status rwl_parquet_delta_length_encode(rwl_span plain, size_t count, rwl_buf *scratch, rwl_buf *out,
                                           rwl_error *err) {
    rwl_buf_reset(scratch);
    RWL_TRY(rwl_buf_reserve(scratch, count * sizeof(uint32_t) + 1, err));
    uint32_t *lengths = (uint32_t *)(void *)scratch->data;
    rwl_span left = plain, value;
    for (size_t i = 0; i < count; i++) {
        if (!next_value(&left, &value))
            return fail_count(count, err);
        lengths[i] = (uint32_t)value.len;
    }
    if (left.len > 0)
        return fail_count(count, err);
    RWL_TRY(append_lengths(lengths, count, out, err));
    RWL_TRY(rwl_buf_reserve(out, plain.len + 1, err));
    uint8_t *to = out->data + out->len;
    const uint8_t *from = plain.data;
    for (size_t i = 0; i < count; i++) {
        memcpy(to, from + 4, lengths[i]);
        to += lengths[i];
        from += 4 + lengths[i];
    }
    out->len = (size_t)(to - out->data);
    return RWL_OK;
}

static inline size_t common_prefix(rwl_span a, rwl_span b) {
    size_t most = a.len < b.len ? a.len : b.len, i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t x, y;
        memcpy(&x, a.data + i, 8);
        memcpy(&y, b.data + i, 8);
        if (x != y)
            return i + (size_t)__builtin_ctzll(x ^ y) / 8;
    }
    while (i < most && a.data[i] == b.data[i])
        i++;
    return i;
}

/* Where the values lie: `width` bytes each, or by the lengths before them when 0. */
static inline bool step_value(rwl_span *plain, size_t width, rwl_span *value) {
    if (width == 0)
        return next_value(plain, value);
    if (plain->len < width)
        return false;
    *value = rwl_span_of(plain->data, width);
    *plain = rwl_span_of(plain->data + width, plain->len - width);
    return true;
}

static rwl_status encode_prefixed(rwl_span plain, size_t width, size_t count, rwl_buf *scratch, rwl_buf *out,
                                  rwl_error *err) {
    rwl_buf_reset(scratch);
    RWL_TRY(rwl_buf_reserve(scratch, 2 * count * sizeof(uint32_t) + 1, err));
    uint32_t *prefixes = (uint32_t *)(void *)scratch->data, *suffixes = prefixes + count;
    rwl_span left = plain, value, last = {NULL, 0};
    for (size_t i = 0; i < count; i++, last = value) {
        if (!step_value(&left, width, &value))
            return fail_count(count, err);
        size_t prefix = common_prefix(last, value);
        prefixes[i] = (uint32_t)prefix;
        suffixes[i] = (uint32_t)(value.len - prefix);
    }
    if (left.len > 0)
        return fail_count(count, err);
    RWL_TRY(append_lengths(prefixes, count, out, err));
    RWL_TRY(append_lengths(suffixes, count, out, err));
    RWL_TRY(rwl_buf_reserve(out, plain.len + 1, err));
    uint8_t *to = out->data + out->len;
    const uint8_t *from = plain.data;
    for (size_t i = 0; i < count; i++) {
        from += (width == 0 ? 4 : 0) + prefixes[i];
        memcpy(to, from, suffixes[i]);
        to += suffixes[i];
        from += suffixes[i];
    }
    out->len = (size_t)(to - out->data);
    return RWL_OK;
}

rwl_status rwl_parquet_delta_bytes_encode(rwl_span plain, size_t count, rwl_buf *scratch, rwl_buf *out,
                                          rwl_error *err) {
    return encode_prefixed(plain, 0, count, scratch, out, err);
}

rwl_status rwl_parquet_delta_fixed_encode(rwl_span plain, size_t width, rwl_buf *scratch, rwl_buf *out,
                                          rwl_error *err) {
    return encode_prefixed(plain, width, plain.len / width, scratch, out, err);
}
