/* SPDX-License-Identifier: Apache-2.0 */
/* RLE / bit-packing hybrid: runs from the stream, and unpacking kernels of 32 values, one a bit width. */
#include "parquet/rle_decode.h"

enum { KERNEL_VALUES = 32 };

/* --- unpacking --- */

/* Value `i` of a kernel whose width is a constant: a load, a shift and a mask. */
#define VALUE(width, i)                                                                                      \
    (uint32_t)(rwl_load_le64(in + (width) * (i) / 8) >> ((width) * (i) % 8) & ((UINT64_C(1) << (width)) - 1))
#define FOUR(width, i)                                                                                       \
    out[i] = VALUE(width, i);                                                                                \
    out[(i) + 1] = VALUE(width, (i) + 1);                                                                    \
    out[(i) + 2] = VALUE(width, (i) + 2);                                                                    \
    out[(i) + 3] = VALUE(width, (i) + 3)
#define KERNEL(width)                                                                                        \
    static void unpack_##width(const uint8_t *in, uint32_t *out) {                                           \
        FOUR(width, 0);                                                                                      \
        FOUR(width, 4);                                                                                      \
        FOUR(width, 8);                                                                                      \
        FOUR(width, 12);                                                                                     \
        FOUR(width, 16);                                                                                     \
        FOUR(width, 20);                                                                                     \
        FOUR(width, 24);                                                                                     \
        FOUR(width, 28);                                                                                     \
    }
/* clang-format off */
#define WIDTHS(X)                                                                                            \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)  \
    X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
/* clang-format on */
WIDTHS(KERNEL)

#define KERNEL_NAME(width) unpack_##width,
static void (*const kernels[])(const uint8_t *in, uint32_t *out) = {NULL, WIDTHS(KERNEL_NAME)};

static void unpack_few(const uint8_t *packed, uint64_t pos, int width, uint32_t *out, size_t count) {
    uint64_t mask = (UINT64_C(1) << width) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = (pos + i) * (uint64_t)width;
        out[i] = (uint32_t)(rwl_load_le64(packed + (bit >> 3)) >> (bit & 7) & mask);
    }
}

void rwl_rle_unpack(const uint8_t *packed, uint64_t pos, int width, uint32_t *out, size_t count) {
    size_t head = (size_t)(-pos & 7); /* up to where a value begins at a byte again */
    if (head > count)
        head = count;
    unpack_few(packed, pos, width, out, head);
    pos += head;
    out += head;
    count -= head;
    const uint8_t *in = packed + pos * (uint64_t)width / 8;
    for (; count >= KERNEL_VALUES; count -= KERNEL_VALUES) {
        kernels[width](in, out);
        in += KERNEL_VALUES / 8 * width;
        out += KERNEL_VALUES;
    }
    unpack_few(in, 0, width, out, count);
}

/* --- runs --- */

void rwl_rle_init(rwl_rle *rle, rwl_span bytes, int width) {
    memset(rle, 0, sizeof *rle);
    rle->p = bytes.data;
    rle->end = bytes.data + bytes.len;
    rle->width = width;
    if (width == 0)
        rle->left = UINT64_MAX;
}

static rwl_status fail_end(rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "run-length data ends too early");
}

static rwl_status read_header(rwl_rle *rle, uint64_t *out, rwl_error *err) {
    uint64_t header = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (rle->p == rle->end)
            return fail_end(err);
        uint8_t byte = *rle->p++;
        header |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = header;
            return RWL_OK;
        }
    }
    return rwl_fail(err, RWL_CORRUPT, "run length of more than 32 bits");
}

static rwl_status start_packed(rwl_rle *rle, uint64_t groups, rwl_error *err) {
    size_t bytes_left = (size_t)(rle->end - rle->p);
    uint64_t bytes = groups * (uint64_t)rle->width; /* below 2^32 * 2^5 */
    rle->is_packed = true;
    rle->packed = rle->p;
    rle->packed_pos = 0;
    rle->left = groups * 8;
    if (bytes > bytes_left) {
        bytes = bytes_left;
        rle->left = bytes * 8 / (uint64_t)rle->width;
        if (rle->left == 0)
            return fail_end(err);
    }
    rle->p += bytes;
    return RWL_OK;
}

static rwl_status start_repeated(rwl_rle *rle, uint64_t count, rwl_error *err) {
    int bytes = (rle->width + 7) / 8;
    if (rle->end - rle->p < bytes)
        return fail_end(err);
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)rle->p[i] << (8 * i);
    rle->p += bytes;
    rle->is_packed = false;
    rle->value = value;
    rle->left = count;
    return RWL_OK;
}

static rwl_status start_run(rwl_rle *rle, rwl_error *err) {
    while (rle->left == 0) {
        uint64_t header = 0;
        RWL_TRY(read_header(rle, &header, err));
        RWL_TRY((header & 1) ? start_packed(rle, header >> 1, err) : start_repeated(rle, header >> 1, err));
    }
    return RWL_OK;
}

rwl_status rwl_rle_take(rwl_rle *rle, size_t max, rwl_rle_run *out, rwl_error *err) {
    if (rle->left == 0)
        RWL_TRY(start_run(rle, err));
    size_t count = rle->left < max ? (size_t)rle->left : max;
    out->count = count;
    out->is_packed = rle->is_packed;
    out->value = rle->value;
    out->packed = rle->packed;
    out->pos = rle->packed_pos;
    rle->packed_pos += count;
    rle->left -= count;
    return RWL_OK;
}

rwl_status rwl_rle_skip(rwl_rle *rle, uint64_t count, rwl_error *err) {
    while (count > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(rle, (size_t)count, &run, err));
        count -= run.count;
    }
    return RWL_OK;
}

rwl_status rwl_rle_read(rwl_rle *rle, uint32_t *out, size_t count, rwl_error *err) {
    while (count > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(rle, count, &run, err));
        if (run.is_packed)
            rwl_rle_unpack(run.packed, run.pos, rle->width, out, run.count);
        else
            for (size_t i = 0; i < run.count; i++)
                out[i] = run.value;
        out += run.count;
        count -= run.count;
    }
    return RWL_OK;
}

rwl_status rwl_rle_peek(rwl_rle *rle, uint64_t *count, uint32_t *value, rwl_error *err) {
    if (rle->left == 0)
        RWL_TRY(start_run(rle, err));
    *count = rle->is_packed ? 0 : rle->left;
    *value = rle->value;
    return RWL_OK;
}

/* --- bits --- */

enum { WORD_BITS = 64, LOADED_BITS = 56 }; /* bits of a load that remain whatever the shift */

/* Bits gathered to words. */
typedef struct gathered {
    uint64_t *words; /* the one being filled, which is stored as it is, too */
    uint64_t word;
    unsigned used; /* bits of it, below 64 */
} gathered;

/* `count` bits, up to 64; those of `bits` behind them are 0. Without a branch: runs end anywhere. */
static inline void append_bits(gathered *g, uint64_t bits, unsigned count) {
    uint64_t word = g->word | bits << g->used, rest = bits >> 1 >> (WORD_BITS - 1 - g->used);
    unsigned used = g->used + count;
    *g->words = word;
    g->words += used / WORD_BITS;
    g->word = used >= WORD_BITS ? rest : word;
    g->used = used % WORD_BITS;
}

static inline uint64_t low_bits(unsigned count) {
    return count < WORD_BITS ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static inline void append_repeated(gathered *g, uint32_t value, size_t count) {
    uint64_t bits = 0 - (uint64_t)value;
    for (; count > WORD_BITS; count -= WORD_BITS)
        append_bits(g, bits, WORD_BITS);
    append_bits(g, bits & low_bits((unsigned)count), (unsigned)count);
}

static inline void append_packed(gathered *g, const uint8_t *packed, uint64_t pos, size_t count) {
    for (; count > LOADED_BITS; pos += LOADED_BITS, count -= LOADED_BITS)
        append_bits(g, rwl_load_le64(packed + (pos >> 3)) >> (pos & 7) & low_bits(LOADED_BITS), LOADED_BITS);
    append_bits(g, rwl_load_le64(packed + (pos >> 3)) >> (pos & 7) & low_bits((unsigned)count),
                (unsigned)count);
}

/* Whole runs with a header of one byte, as most are, as long as they fit: fewer than `count` bits are left. */
static size_t append_short_runs(rwl_rle *rle, gathered *g, size_t count) {
    const uint8_t *p = rle->p, *end = rle->end;
    while (end - p >= 2 && p[0] < 0x80) {
        size_t groups = p[0] >> 1;
        if (p[0] & 1) {
            if (groups * 8 > count || groups > (size_t)(end - p) - 1)
                break;
            append_packed(g, p + 1, 0, groups * 8);
            p += 1 + groups;
            count -= groups * 8;
        } else {
            if (groups > count || p[1] > 1)
                break;
            append_repeated(g, p[1], groups);
            p += 2;
            count -= groups;
        }
    }
    rle->p = p;
    return count;
}

rwl_status rwl_rle_read_bits(rwl_rle *rle, uint64_t *words, size_t count, rwl_error *err) {
    gathered g = {words, 0, 0};
    while (count > 0) {
        if (rle->left == 0 && rle->width == 1)
            count = append_short_runs(rle, &g, count);
        if (count == 0)
            break;
        if (rle->left == 0)
            RWL_TRY(start_run(rle, err));
        size_t n = rle->left < count ? (size_t)rle->left : count;
        if (rle->is_packed)
            append_packed(&g, rle->packed, rle->packed_pos, n);
        else if (rle->value > 1)
            return rwl_fail(err, RWL_CORRUPT, "level %u of at most 1", rle->value);
        else
            append_repeated(&g, rle->value, n);
        rle->packed_pos += n;
        rle->left -= n;
        count -= n;
    }
    *g.words = g.word;
    return RWL_OK;
}

/* --- BIT_PACKED --- */

rwl_status rwl_rle_init_bit_packed(rwl_rle *rle, rwl_span bytes, int width, uint64_t count, uint8_t *packed,
                                   rwl_error *err) {
    uint64_t need = rwl_rle_bit_packed_bytes(width, count);
    if (need > bytes.len)
        return fail_end(err);
    rwl_rle_init(rle, rwl_span_of(packed, 0), width);
    if (width == 0)
        return RWL_OK;
    memset(packed, 0, (size_t)need + RWL_RLE_SLACK);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bit = i * (uint64_t)width;
        for (int k = 0; k < width; k++) {
            uint64_t from = bit + (uint64_t)(width - 1 - k), to = bit + (uint64_t)k;
            unsigned value = (unsigned)bytes.data[from >> 3] >> (7 - (from & 7)) & 1u;
            packed[to >> 3] = (uint8_t)(packed[to >> 3] | value << (to & 7));
        }
    }
    rle->p = rle->end = packed + need;
    rle->is_packed = true;
    rle->packed = packed;
    rle->left = count;
    return RWL_OK;
}
