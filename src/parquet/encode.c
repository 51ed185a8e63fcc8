/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders of the RLE / bit-packing hybrid and of bit strings. */
#include "parquet/encode.h"

int rwl_parquet_bit_width(uint32_t count) {
    return count <= 2 ? 1 : 32 - __builtin_clz(count - 1);
}

/* --- packing groups of 8 values into `width` bytes each --- */

static inline uint64_t pack4(const uint32_t *v, int width) {
    uint64_t a = v[0] | (uint64_t)v[1] << width;
    uint64_t b = v[2] | (uint64_t)v[3] << width;
    return a | b << (2 * width);
}

/* Groups of narrow values: one word each, written whole, of which `width` bytes stay. */
static uint8_t *pack_to_8(const uint32_t *v, size_t groups, int width, uint8_t *out) {
    for (size_t g = 0; g < groups; g++, v += 8, out += width) {
        uint64_t word = pack4(v, width) | pack4(v + 4, width) << (4 * width);
        memcpy(out, &word, 8);
    }
    return out;
}

static uint8_t *pack_to_16(const uint32_t *v, size_t groups, int width, uint8_t *out) {
    int low = 4 * width; /* 36 to 64 bits */
    for (size_t g = 0; g < groups; g++, v += 8, out += width) {
        uint64_t a = pack4(v, width), b = pack4(v + 4, width);
        uint64_t words[2] = {low < 64 ? a | b << low : a, low < 64 ? b >> (64 - low) : b};
        memcpy(out, words, 16);
    }
    return out;
}

static uint8_t *pack_to_32(const uint32_t *v, size_t groups, int width, uint8_t *out) {
    for (size_t g = 0; g < groups; g++, v += 8) {
        uint64_t held = 0;
        int bits = 0;
        for (int i = 0; i < 8; i++) {
            held |= (uint64_t)v[i] << bits;
            bits += width;
            for (; bits >= 8; bits -= 8, held >>= 8)
                *out++ = (uint8_t)held;
        }
    }
    return out;
}

static uint8_t *pack_groups(const uint32_t *v, size_t groups, int width, uint8_t *out) {
    if (width <= 8)
        return pack_to_8(v, groups, width, out);
    if (width <= 16)
        return pack_to_16(v, groups, width, out);
    return pack_to_32(v, groups, width, out);
}

/* A bit-packed run; the last group of a page is filled up with zeros. */
static uint8_t *put_packed(const uint32_t *v, size_t count, int width, uint8_t *out) {
    if (count == 0)
        return out;
    size_t whole = count / 8, rest = count % 8;
    out = rwl_parquet_put_varint(out, (uint64_t)(whole + (rest > 0)) << 1 | 1);
    out = pack_groups(v, whole, width, out);
    if (rest > 0) {
        uint32_t last[8] = {0};
        memcpy(last, v + whole * 8, rest * sizeof *last);
        out = pack_groups(last, 1, width, out);
    }
    return out;
}

static uint8_t *put_run(uint32_t value, size_t count, int width, uint8_t *out) {
    out = rwl_parquet_put_varint(out, (uint64_t)count << 1);
    for (int shift = 0; shift < width; shift += 8)
        *out++ = (uint8_t)(value >> shift);
    return out;
}

static inline bool all_equal_8(const uint32_t *v, uint32_t to) {
    uint32_t difference = 0;
    for (int i = 0; i < 8; i++)
        difference |= v[i] ^ to;
    return difference == 0;
}

static size_t run_length(const uint32_t *v, size_t count) {
    size_t n = 0;
    while (count - n >= 8 && all_equal_8(v + n, v[0]))
        n += 8;
    while (n < count && v[n] == v[0])
        n++;
    return n;
}

/* Each run costs at most 9 bytes and a header of 5 of the packed run after it; there is one in 8 values at
 * most. */
size_t rwl_parquet_hybrid_bound(size_t count, int width) {
    size_t groups = count / 8 + 1;
    return groups * (size_t)width + (groups + 1) * 14 + RWL_PARQUET_SLACK;
}

size_t rwl_parquet_hybrid_encode(const uint32_t *values, size_t count, int width, uint8_t *out) {
    uint8_t *start = out;
    /* A run pays when it is shorter than its values packed: value, header, header of the next packed run. */
    size_t worth_bits = 8 * (3 + ((size_t)width + 7) / 8);
    size_t done = 0, pos = 0; /* values done .. pos wait to be packed: always whole groups */
    while (count - pos >= 8) {
        if (!all_equal_8(values + pos, values[pos])) {
            pos += 8;
            continue;
        }
        size_t run = run_length(values + pos, count - pos);
        if (run * (size_t)width < worth_bits) {
            pos += 8;
            continue;
        }
        out = put_packed(values + done, pos - done, width, out);
        out = put_run(values[pos], run, width, out);
        done = pos += run;
    }
    size_t left = count - done;
    if (left > 0 && done == pos && run_length(values + done, left) == left)
        out = put_run(values[done], left, width, out); /* a short page, or the end of one, all the same */
    else
        out = put_packed(values + done, left, width, out);
    return (size_t)(out - start);
}

/* --- levels --- */

/* A run is only written for 128 levels or more, so runs never make the whole longer than the bits. */
size_t rwl_parquet_levels_bound(size_t count) {
    return count / 8 + 1 + 2 * 10 + RWL_PARQUET_SLACK;
}

size_t rwl_parquet_levels_constant(bool level, size_t count, uint8_t *out) {
    return count == 0 ? 0 : (size_t)(put_run(level, count, 1, out) - out);
}

static uint8_t *put_bits(const uint8_t *bits, size_t first, size_t end, uint8_t *out) {
    if (first == end)
        return out;
    size_t bytes = (end - first + 7) / 8;
    out = rwl_parquet_put_varint(out, (uint64_t)bytes << 1 | 1);
    memcpy(out, bits + first / 8, bytes);
    return out + bytes;
}

size_t rwl_parquet_levels_encode(const uint8_t *bits, size_t count, uint8_t *out) {
    enum { WORTH = 128 };
    uint8_t *start = out;
    size_t done = 0, pos = 0; /* both multiples of 64 */
    while (count - pos >= 64) {
        uint64_t word = rwl_load_le64(bits + pos / 8);
        size_t run = 64;
        if (word != 0 && word != UINT64_MAX) {
            pos += run;
            continue;
        }
        while (count - pos - run >= 64 && rwl_load_le64(bits + (pos + run) / 8) == word)
            run += 64;
        if (run >= WORTH) {
            out = put_bits(bits, done, pos, out);
            out = put_run(word != 0, run, 1, out);
            done = pos + run;
        }
        pos += run;
    }
    return (size_t)(put_bits(bits, done, count, out) - start);
}

rwl_status rwl_parquet_levels_append(const uint8_t *levels, size_t count, int max, rwl_buf *wide,
                                     rwl_buf *out, rwl_error *err) {
    int width = rwl_parquet_bit_width((uint32_t)max + 1);
    rwl_buf_reset(wide);
    RWL_TRY(rwl_buf_reserve(wide, count * sizeof(uint32_t) + 1, err));
    uint32_t *values = (uint32_t *)(void *)wide->data;
    for (size_t i = 0; i < count; i++)
        values[i] = levels[i];
    RWL_TRY(rwl_buf_reserve(out, rwl_parquet_hybrid_bound(count, width), err));
    out->len += rwl_parquet_hybrid_encode(values, count, width, out->data + out->len);
    return RWL_OK;
}

/* --- bit strings --- */

void rwl_parquet_bits_copy(uint8_t *to, size_t to_pos, const uint8_t *from, size_t from_pos, size_t count) {
    for (size_t i = 0; i < count; i += 64) {
        size_t n = count - i < 64 ? count - i : 64;
        rwl_parquet_bits_store(to, to_pos + i, rwl_parquet_bits_load(from, from_pos + i, n));
    }
}

void rwl_parquet_bits_fill(uint8_t *bits, size_t pos, size_t count) {
    for (size_t i = 0; i < count; i += 64) {
        size_t n = count - i < 64 ? count - i : 64;
        rwl_parquet_bits_store(bits, pos + i, n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX);
    }
}

size_t rwl_parquet_bits_count(const uint8_t *bits, size_t pos, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i += 64)
        n += (size_t)__builtin_popcountll(
            rwl_parquet_bits_load(bits, pos + i, count - i < 64 ? count - i : 64));
    return n;
}
