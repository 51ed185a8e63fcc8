/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FastLanes bit unpacking: a routine of its own for each word size and packed width, all shifts known when it is compiled.
 *
 * A routine goes over the lanes, which stand side by side in words and values alike, and does all rows of one: the compiler makes
 * vectors of neighbouring lanes, and a packed word is loaded once for all the values that have bits in it.
 */
#include "lancefile/unpack.h"

/* Words of any alignment in bytes of any type. */
typedef uint8_t loose8;
typedef uint16_t loose16 __attribute__((aligned(1), may_alias));
typedef uint32_t loose32 __attribute__((aligned(1), may_alias));
typedef uint64_t loose64 __attribute__((aligned(1), may_alias));

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "packed words are little endian"
#endif

/* The value in row r of a lane, of packed words `stride` apart. */
#define DEFINE_TAKE(T)                                                                                       \
    static inline __attribute__((always_inline))                                                             \
    uint##T##_t take_##T(const loose##T *in, unsigned w, unsigned r) {                                       \
        unsigned k = r * w / T, shift = r * w % T;                                                           \
        uint##T##_t value = (uint##T##_t)(in[k * (1024 / T)] >> shift);                                      \
        if (shift + w > T)                                                                                   \
            value = (uint##T##_t)(value | (uint##T##_t)(in[(k + 1) * (1024 / T)] << ((T - shift) % T)));     \
        return (uint##T##_t)(value & (uint##T##_t)(UINT##T##_MAX >> (T - w)));                               \
    }
DEFINE_TAKE(8)
DEFINE_TAKE(16)
DEFINE_TAKE(32)
DEFINE_TAKE(64)

/* ORDER[r / 8] * 16 + (r % 8) * 128: bits of r / 8 reversed */
#define FIRST(r)  ((((r) / 8 & 1) << 2 | ((r) / 8 & 2) | ((r) / 8 & 4) >> 2) * 16 + (r) % 8 * 128)
#define ROW(T, r) out[FIRST(r) + lane] = take_##T(in + lane, w, r);
#define ROWS8(T, r)                                                                                          \
    ROW(T, r)                                                                                                \
    ROW(T, r + 1) ROW(T, r + 2) ROW(T, r + 3) ROW(T, r + 4) ROW(T, r + 5) ROW(T, r + 6) ROW(T, r + 7)
#define ROWS16(T, r) ROWS8(T, r) ROWS8(T, r + 8)
#define ROWS32(T, r) ROWS16(T, r) ROWS16(T, r + 16)
#define ROWS64(T, r) ROWS32(T, r) ROWS32(T, r + 32)

#define DEFINE_LANES(T)                                                                                      \
    static inline __attribute__((always_inline)) void unpack_lanes_##T(                                      \
        unsigned w, const loose##T *restrict in, loose##T *restrict out) {                                   \
        for (unsigned lane = 0; lane < 1024 / T; lane++) {                                                   \
            ROWS##T(T, 0)                                                                                    \
        }                                                                                                    \
    }
DEFINE_LANES(8)
DEFINE_LANES(16)
DEFINE_LANES(32)
DEFINE_LANES(64)

#define EACH(X, T, a, b, c, d, e, f, g, h) X(T, a) X(T, b) X(T, c) X(T, d) X(T, e) X(T, f) X(T, g) X(T, h)
#define WIDTHS8(X, T)                      EACH(X, T, 1, 2, 3, 4, 5, 6, 7, 8)
#define WIDTHS16(X, T)                     WIDTHS8(X, T) EACH(X, T, 9, 10, 11, 12, 13, 14, 15, 16)
#define WIDTHS17_TO(X, T)                                                                                    \
    EACH(X, T, 17, 18, 19, 20, 21, 22, 23, 24) EACH(X, T, 25, 26, 27, 28, 29, 30, 31, 32)
#define WIDTHS33_TO(X, T)                                                                                    \
    EACH(X, T, 33, 34, 35, 36, 37, 38, 39, 40) EACH(X, T, 41, 42, 43, 44, 45, 46, 47, 48)
#define WIDTHS49_TO(X, T)                                                                                    \
    EACH(X, T, 49, 50, 51, 52, 53, 54, 55, 56) EACH(X, T, 57, 58, 59, 60, 61, 62, 63, 64)
#define WIDTHS32(X, T) WIDTHS16(X, T) WIDTHS17_TO(X, T)
#define WIDTHS64(X, T) WIDTHS32(X, T) WIDTHS33_TO(X, T) WIDTHS49_TO(X, T)

/* Void pointers, so that bytes become words without a cast. */
#define DEFINE_WIDTH(T, w)                                                                                   \
    static void unpack_##T##_##w(const void *in, void *out) {                                                \
        unpack_lanes_##T(w, in, out);                                                                        \
    }
WIDTHS8(DEFINE_WIDTH, 8)
WIDTHS16(DEFINE_WIDTH, 16)
WIDTHS32(DEFINE_WIDTH, 32)
WIDTHS64(DEFINE_WIDTH, 64)

typedef void unpack_function(const void *in, void *out);

#define NAME_WIDTH(T, w) unpack_##T##_##w,
static unpack_function *const functions8[] = {WIDTHS8(NAME_WIDTH, 8)};
static unpack_function *const functions16[] = {WIDTHS16(NAME_WIDTH, 16)};
static unpack_function *const functions32[] = {WIDTHS32(NAME_WIDTH, 32)};
static unpack_function *const functions64[] = {WIDTHS64(NAME_WIDTH, 64)};

void rwl_lance_unpack(int bits, int packed_bits, const uint8_t *in, void *out) {
    if (packed_bits == 0)
        memset(out, 0, (size_t)bits * (RWL_LANCE_PACK / 8));
    else if (bits == 8)
        functions8[packed_bits - 1](in, out);
    else if (bits == 16)
        functions16[packed_bits - 1](in, out);
    else if (bits == 32)
        functions32[packed_bits - 1](in, out);
    else
        functions64[packed_bits - 1](in, out);
}

static rwl_status check_width(int bits, int packed_bits, rwl_error *err) {
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return rwl_fail(err, RWL_CORRUPT, "bit packing of words of %d bits, not 8, 16, 32 or 64", bits);
    if (packed_bits < 0 || packed_bits > bits)
        return rwl_fail(err, RWL_CORRUPT, "bit packing of words of %d bits into %d", bits, packed_bits);
    return RWL_OK;
}

rwl_status rwl_lance_unpack_blocks(int bits, int packed_bits, rwl_span in, int64_t count, void *out,
                                   rwl_error *err) {
    RWL_TRY(check_width(bits, packed_bits, err));
    size_t blocks = (size_t)count / RWL_LANCE_PACK, tail = (size_t)count % RWL_LANCE_PACK;
    size_t block_len = (size_t)packed_bits * (RWL_LANCE_PACK / 8), word = (size_t)bits / 8;
    if (count < 0 || blocks > SIZE_MAX / (RWL_LANCE_PACK * 8) - 1)
        return rwl_fail(err, RWL_CORRUPT, "bit packing of %lld values", (long long)count);
    size_t raw_len = blocks * block_len + tail * word;
    bool is_raw = tail > 0 && in.len == raw_len; /* writers pack the tail only where that is shorter */
    if (tail > 0 && !is_raw)
        blocks++;
    if (!is_raw && in.len != blocks * block_len)
        return rwl_fail(err, RWL_CORRUPT, "bit packing: %zu bytes of %lld values in %d bits each, not %zu",
                        in.len, (long long)count, packed_bits, blocks * block_len);
    uint8_t *to = out;
    for (size_t b = 0; b < blocks; b++, to += RWL_LANCE_PACK * word)
        rwl_lance_unpack(bits, packed_bits, block_len > 0 ? in.data + b * block_len : in.data, to);
    if (is_raw)
        memcpy(to, in.data + blocks * block_len, tail * word);
    return RWL_OK;
}
