/* SPDX-License-Identifier: Apache-2.0 */
/* DELTA_BINARY_PACKED: 32 deltas at a time are unpacked and summed by a kernel of their width. */
#include "parquet/delta_decode.h"

enum { BLOCK_STEP = 128, BLOCK_MAX = 1 << 30, WIDTH_MAX = 64, SKIP_STEP = 256 };

static rwl_status fail_end(rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "delta-coded data ends too early");
}

/* --- kernels --- */

static inline uint64_t mask_of(int width) {
    return width == WIDTH_MAX ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* `width` bits from bit `bit` on, which may lie in nine bytes. */
static inline uint64_t load_bits(const uint8_t *in, uint64_t bit, int width) {
    const uint8_t *p = in + (bit >> 3);
    int shift = (int)(bit & 7);
    uint64_t v = rwl_load_le64(p) >> shift;
    if (shift + width > WIDTH_MAX)
        v |= (uint64_t)p[8] << (WIDTH_MAX - shift);
    return v & mask_of(width);
}

/* Value `i` of a kernel whose width is a constant: load, shift, mask and two sums. */
#define ONE(type, width, i)                                                                                  \
    value = (type)(value + (type)(min + (type)load_bits(in, (uint64_t)(width) * (i), width)));               \
    memcpy(out + (i) * sizeof value, &value, sizeof value)
#define FOUR(type, width, i)                                                                                 \
    ONE(type, width, i);                                                                                     \
    ONE(type, width, (i) + 1);                                                                               \
    ONE(type, width, (i) + 2);                                                                               \
    ONE(type, width, (i) + 3)
#define KERNEL(type, bits, width)                                                                            \
    static type sum##bits##_##width(const uint8_t *in, type value, type min, uint8_t *out) {                 \
        FOUR(type, width, 0);                                                                                \
        FOUR(type, width, 4);                                                                                \
        FOUR(type, width, 8);                                                                                \
        FOUR(type, width, 12);                                                                               \
        FOUR(type, width, 16);                                                                               \
        FOUR(type, width, 20);                                                                               \
        FOUR(type, width, 24);                                                                               \
        FOUR(type, width, 28);                                                                               \
        return value;                                                                                        \
    }
#define KERNEL64(width) KERNEL(uint64_t, 64, width)
#define KERNEL32(width) KERNEL(uint32_t, 32, width)
#define NAME64(width)   sum64_##width,
#define NAME32(width)   sum32_##width,
/* clang-format off */
#define WIDTHS(X)                                                                                            \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)  \
    X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
#define WIDE(X)                                                                                              \
    X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47) X(48) X(49)     \
    X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(59) X(60) X(61) X(62) X(63) X(64)
/* clang-format on */
WIDTHS(KERNEL64)
WIDE(KERNEL64)
WIDTHS(KERNEL32)

static uint64_t (*const kernels64[])(const uint8_t *in, uint64_t value, uint64_t min,
                                     uint8_t *out) = {NULL, WIDTHS(NAME64) WIDE(NAME64)};
static uint32_t (*const kernels32[])(const uint8_t *in, uint32_t value, uint32_t min,
                                     uint8_t *out) = {NULL, WIDTHS(NAME32)};

/* Width 0: the deltas are all min_delta, the values a sequence. */
#define SEQUENCE(type, bits)                                                                                 \
    static void sequence##bits(type value, type step, uint8_t *out, size_t count) {                          \
        for (size_t i = 0; i < count; i++) {                                                                 \
            type v = (type)(value + step * (type)(i + 1));                                                   \
            memcpy(out + i * sizeof v, &v, sizeof v);                                                        \
        }                                                                                                    \
    }
SEQUENCE(uint64_t, 64)
SEQUENCE(uint32_t, 32)

/* --- headers --- */

static rwl_status read_varint(const uint8_t **p, const uint8_t *end, uint64_t *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(*p, (size_t)(end - *p)));
    RWL_TRY(rwl_cursor_varint(&c, out, err));
    *p += c.pos;
    return RWL_OK;
}

static uint64_t from_zigzag(uint64_t v) {
    return v >> 1 ^ (0 - (v & 1));
}

rwl_status rwl_delta_init(rwl_delta *d, rwl_span bytes, rwl_error *err) {
    uint64_t block, miniblocks, first;
    memset(d, 0, sizeof *d);
    d->p = bytes.data;
    d->end = bytes.data + bytes.len;
    RWL_TRY(read_varint(&d->p, d->end, &block, err));
    RWL_TRY(read_varint(&d->p, d->end, &miniblocks, err));
    RWL_TRY(read_varint(&d->p, d->end, &d->left, err));
    RWL_TRY(read_varint(&d->p, d->end, &first, err));
    if (block == 0 || block > BLOCK_MAX || block % BLOCK_STEP != 0 || miniblocks == 0 ||
        miniblocks > block / RWL_DELTA_VALUES || block % (miniblocks * RWL_DELTA_VALUES) != 0)
        return rwl_fail(err, RWL_CORRUPT, "delta blocks of %llu values in %llu parts",
                        (unsigned long long)block, (unsigned long long)miniblocks);
    d->miniblocks = (uint32_t)miniblocks;
    d->miniblock_values = (uint32_t)(block / miniblocks);
    d->value = from_zigzag(first);
    d->at_first = d->left > 0;
    return RWL_OK;
}

static rwl_status start_block(rwl_delta *d, rwl_error *err) {
    uint64_t min;
    RWL_TRY(read_varint(&d->p, d->end, &min, err));
    if (d->miniblocks > (size_t)(d->end - d->p))
        return fail_end(err);
    d->min_delta = from_zigzag(min);
    d->widths = d->p;
    d->minis_left = d->miniblocks;
    d->p += d->miniblocks;
    return RWL_OK;
}

/* The next miniblock, of which there is need: `left` is not 0, nor is the first value next. */
static rwl_status start_miniblock(rwl_delta *d, rwl_error *err) {
    if (d->minis_left == 0)
        RWL_TRY(start_block(d, err));
    d->width = *d->widths++;
    d->minis_left--;
    if (d->width > WIDTH_MAX)
        return rwl_fail(err, RWL_CORRUPT, "deltas of %d bits", d->width);
    size_t bytes_left = (size_t)(d->end - d->p);
    uint64_t bytes = (uint64_t)d->miniblock_values / 8 * (uint64_t)d->width; /* below 2^30 * 2^3 */
    d->packed = d->p;
    d->pos = 0;
    d->mini_left = d->left < d->miniblock_values ? (uint32_t)d->left : d->miniblock_values;
    if (bytes > bytes_left) {
        bytes = bytes_left;
        uint64_t values = bytes * 8 / (uint64_t)d->width;
        if (d->mini_left > values) {
            d->mini_left = (uint32_t)values;
            d->minis_left = 0; /* nothing follows, not even deltas of no bits */
        }
        if (d->mini_left == 0)
            return fail_end(err);
    }
    d->p += bytes;
    return RWL_OK;
}

rwl_status rwl_delta_find_end(const rwl_delta *at_start, rwl_span *rest, rwl_error *err) {
    rwl_delta d = *at_start;
    d.left -= d.at_first;
    while (d.left > 0) {
        RWL_TRY(start_miniblock(&d, err));
        if ((size_t)(d.p - d.packed) < d.miniblock_values / 8 * (size_t)d.width)
            return fail_end(err);
        d.left -= d.mini_left;
    }
    *rest = rwl_span_of(d.p, (size_t)(d.end - d.p));
    return RWL_OK;
}

/* --- values --- */

/* Whether the 32 deltas from `pos` on, a multiple of that, lie in the miniblock whole: kernels may then read them. */
static bool has_group(const rwl_delta *d, uint32_t pos) {
    return (uint64_t)(d->p - d->packed) * 8 >= ((uint64_t)pos + RWL_DELTA_VALUES) * (uint64_t)d->width;
}

#define READ(type, bits, kernel_max)                                                                         \
    static void read_few##bits(rwl_delta *d, uint8_t *dst, uint32_t count) {                                 \
        type value = (type)d->value, min = (type)d->min_delta;                                               \
        for (uint32_t i = 0; i < count; i++) {                                                               \
            uint64_t bit = ((uint64_t)d->pos + i) * (uint64_t)d->width;                                      \
            value = (type)(value + (type)(min + (type)load_bits(d->packed, bit, d->width)));                 \
            memcpy(dst + i * sizeof value, &value, sizeof value);                                            \
        }                                                                                                    \
        d->value = value;                                                                                    \
        d->pos += count;                                                                                     \
    }                                                                                                        \
    static void read_groups##bits(rwl_delta *d, uint8_t *dst, uint32_t groups) {                             \
        type value = (type)d->value, min = (type)d->min_delta;                                               \
        type (*kernel)(const uint8_t *, type, type, uint8_t *) = kernels##bits[d->width];                    \
        size_t step = (size_t)d->width * (RWL_DELTA_VALUES / 8);                                             \
        const uint8_t *in = d->packed + d->pos / RWL_DELTA_VALUES * step;                                    \
        for (uint32_t i = 0; i < groups; i++, in += step, dst += RWL_DELTA_VALUES * sizeof value)            \
            value = kernel(in, value, min, dst);                                                             \
        d->value = value;                                                                                    \
        d->pos += groups * RWL_DELTA_VALUES;                                                                 \
    }                                                                                                        \
    static void read_miniblock##bits(rwl_delta *d, uint8_t *dst, uint32_t count) {                           \
        d->mini_left -= count;                                                                               \
        if (d->width == 0) {                                                                                 \
            sequence##bits((type)d->value, (type)d->min_delta, dst, count);                                  \
            d->value += d->min_delta * count;                                                                \
            return;                                                                                          \
        }                                                                                                    \
        uint32_t head = (0 - d->pos) % RWL_DELTA_VALUES;                                                     \
        if (head > count || d->width > (kernel_max))                                                         \
            head = count;                                                                                    \
        read_few##bits(d, dst, head);                                                                        \
        dst += head * sizeof(type);                                                                          \
        count -= head;                                                                                       \
        uint32_t groups = count / RWL_DELTA_VALUES;                                                          \
        if (groups > 0 && !has_group(d, d->pos + (groups - 1) * RWL_DELTA_VALUES))                           \
            groups--;                                                                                        \
        if (groups > 0)                                                                                      \
            read_groups##bits(d, dst, groups);                                                               \
        dst += (size_t)groups * RWL_DELTA_VALUES * sizeof(type);                                             \
        read_few##bits(d, dst, count - groups * RWL_DELTA_VALUES);                                           \
    }                                                                                                        \
    rwl_status rwl_delta_read##bits(rwl_delta *d, uint8_t *dst, size_t count, rwl_error *err) {              \
        if (count > d->left)                                                                                 \
            return fail_end(err);                                                                            \
        if (d->at_first && count > 0) {                                                                      \
            type first = (type)d->value;                                                                     \
            memcpy(dst, &first, sizeof first);                                                               \
            d->at_first = false;                                                                             \
            d->left--;                                                                                       \
            dst += sizeof first;                                                                             \
            count--;                                                                                         \
        }                                                                                                    \
        while (count > 0) {                                                                                  \
            if (d->mini_left == 0)                                                                           \
                RWL_TRY(start_miniblock(d, err));                                                            \
            uint32_t n = count < d->mini_left ? (uint32_t)count : d->mini_left;                              \
            read_miniblock##bits(d, dst, n);                                                                 \
            d->left -= n;                                                                                    \
            dst += (size_t)n * sizeof(type);                                                                 \
            count -= n;                                                                                      \
        }                                                                                                    \
        return RWL_OK;                                                                                       \
    }
READ(uint64_t, 64, 64)
READ(uint32_t, 32, 32)

rwl_status rwl_delta_skip(rwl_delta *d, uint64_t count, rwl_error *err) {
    uint8_t ignored[SKIP_STEP * sizeof(uint64_t)];
    if (count > d->left)
        return fail_end(err);
    while (count > 0) {
        size_t n = count < SKIP_STEP ? (size_t)count : SKIP_STEP;
        RWL_TRY(rwl_delta_read64(d, ignored, n, err));
        count -= n;
    }
    return RWL_OK;
}
