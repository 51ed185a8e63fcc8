/* SPDX-License-Identifier: Apache-2.0 */
/* Levels as bytes, in words of eight: no level has its top bit set, so that sums do not carry from one to the next. */
#include "parquet/levels.h"

#define ONES UINT64_C(0x0101010101010101)
#define TOPS UINT64_C(0x8080808080808080)

enum { WORD = 8 };

static inline uint64_t load_word(const uint8_t *p) {
    return rwl_load_le64(p);
}

static inline void store_word(uint8_t *p, uint64_t word) {
    for (int i = 0; i < WORD; i++)
        p[i] = (uint8_t)(word >> (8 * i));
}

/* Byte i is 1 where level i of the word is at least `least` (0 to 127), else 0. */
static inline uint64_t flags_from(uint64_t word, int least) {
    return ((word + (uint64_t)(0x80 - least) * ONES) & TOPS) >> 7;
}

/* How many of eight flags are set. */
static inline size_t count_flags(uint64_t flags) {
    return (size_t)(flags * ONES >> 56);
}

/* Flag i as bit i. */
static inline uint64_t gather_flags(uint64_t flags) {
    return flags * UINT64_C(0x0102040810204080) >> 56;
}

/* --- decoding --- */

/* Eight packed levels of `width` bits as eight bytes. */
static inline uint64_t spread_word(const uint8_t *packed, int width) {
    uint64_t x = load_word(packed), out = 0;
    switch (width) {
    case 1:
        x = (x & 0xff) * ONES & UINT64_C(0x8040201008040201);
        return ((x + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7) & ONES;
    case 2:
        x &= 0xffff;
        x = (x | x << 24) & UINT64_C(0x000000ff000000ff);
        x = (x | x << 12) & UINT64_C(0x000f000f000f000f);
        return (x | x << 6) & UINT64_C(0x0303030303030303);
    case 4:
        x &= 0xffffffff;
        x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
        x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
        return (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    default:
        for (int i = 0; i < WORD; i++)
            out |= (x >> (i * width) & ((UINT64_C(1) << width) - 1)) << (8 * i);
        return out;
    }
}

static void unpack(const rwl_rle_run *run, int width, uint8_t *out) {
    size_t i = 0;
    uint64_t pos = run->pos;
    for (; i < run->count && pos % WORD != 0; i++, pos++) {
        uint64_t bit = pos * (uint64_t)width;
        out[i] = (uint8_t)(load_word(run->packed + bit / 8) >> (bit % 8) & ((1u << width) - 1));
    }
    const uint8_t *packed = run->packed + pos / WORD * (uint64_t)width;
    for (; i + WORD <= run->count; i += WORD, packed += width)
        store_word(out + i, spread_word(packed, width));
    if (i == run->count)
        return;
    uint64_t rest = spread_word(packed, width);
    for (; i < run->count; i++, rest >>= 8)
        out[i] = (uint8_t)rest;
}

rwl_status rwl_parquet_levels_read(rwl_rle *rle, int max, uint8_t *out, size_t count, rwl_error *err) {
    uint8_t largest = 0;
    while (count > 0) {
        rwl_rle_run run;
        RWL_TRY(rwl_rle_take(rle, count, &run, err));
        if (!run.is_packed && run.value > (uint32_t)max)
            return rwl_fail(err, RWL_CORRUPT, "level %u of at most %d", run.value, max);
        if (run.is_packed) {
            unpack(&run, rle->width, out);
            for (size_t i = 0; i < run.count; i++)
                largest = out[i] > largest ? out[i] : largest;
        } else {
            memset(out, (int)run.value, run.count);
        }
        out += run.count;
        count -= run.count;
    }
    if (largest > max)
        return rwl_fail(err, RWL_CORRUPT, "level %u of at most %d", largest, max);
    return RWL_OK;
}

/* --- counting --- */

size_t rwl_parquet_levels_count_from(const uint8_t *levels, size_t count, int least) {
    size_t found = 0, i = 0;
    if (least == 0)
        return count;
    while (i + WORD <= count) { /* up to 255 words are counted in their bytes */
        size_t end = count - i < 255 * WORD ? count - count % WORD : i + 255 * WORD;
        uint64_t sums = 0;
        for (; i + WORD <= end; i += WORD)
            sums += flags_from(load_word(levels + i), least);
        uint64_t pairs = (sums & UINT64_C(0x00ff00ff00ff00ff)) + (sums >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        found += (size_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
    }
    for (; i < count; i++)
        found += levels[i] >= least;
    return found;
}

size_t rwl_parquet_levels_find_zero(const uint8_t *levels, size_t count, size_t n) {
    size_t i = 0;
    if (count <= n)
        return count;
    for (; i + WORD <= count; i += WORD) {
        size_t zeros = WORD - count_flags(flags_from(load_word(levels + i), 1));
        if (zeros > n)
            break;
        n -= zeros;
    }
    for (; i < count; i++)
        if (levels[i] == 0 && n-- == 0)
            return i;
    return count;
}

/* --- picking --- */

/* The bits of `value` where `slot` has one, side by side. */
static inline uint64_t compress(uint64_t value, uint64_t slot) {
    uint64_t out = 0;
    int at = 0;
    for (int i = 0; i < WORD; i++) {
        out |= (value >> i & 1) << at;
        at += (int)(slot >> i & 1);
    }
    return out & ((UINT64_C(1) << at) - 1);
}

/* Appends the `n` (up to 8) low bits of `value` behind bit `at`. */
static inline void append_bits(uint64_t *bits, size_t at, uint64_t value, size_t n) {
    size_t shift = at % 64;
    uint64_t low = value << shift;
    bits[at / 64] = shift == 0 ? low : bits[at / 64] | low;
    if (shift + n > 64)
        bits[at / 64 + 1] = value >> (64 - shift);
}

size_t rwl_parquet_levels_pick(const uint8_t *definitions, const uint8_t *repetitions, size_t count,
                               const rwl_parquet_pick *pick, uint64_t *bits, size_t *valid) {
    size_t slots = 0, values = 0;
    for (size_t i = 0; i < count; i += WORD) {
        size_t n = count - i < WORD ? count - i : WORD;
        uint64_t all = n < WORD ? ONES & ((UINT64_C(1) << (8 * n)) - 1) : ONES,
                 word = load_word(definitions + i);
        uint64_t slot = flags_from(word, pick->slot_definition) & all;
        if (repetitions)
            slot &= ~flags_from(load_word(repetitions + i), pick->slot_repetition + 1);
        if (slot == 0)
            continue;
        uint64_t value = flags_from(word, pick->value_definition) & slot;
        size_t taken = count_flags(slot);
        uint64_t packed = gather_flags(value);
        if (slot != all && value != 0)
            packed = value == slot ? (UINT64_C(1) << taken) - 1 : compress(packed, gather_flags(slot));
        values += count_flags(value);
        append_bits(bits, slots, packed, taken);
        slots += taken;
    }
    *valid = values;
    return slots;
}

bool rwl_parquet_levels_continue(const uint8_t *definitions, const uint8_t *repetitions, size_t count,
                                 int least, uint8_t before) {
    uint64_t bad = repetitions[0] && (before < least || definitions[0] < least);
    size_t i = 1;
    for (; i + WORD <= count; i += WORD) {
        uint64_t both =
            flags_from(load_word(definitions + i - 1), least) & flags_from(load_word(definitions + i), least);
        bad |= load_word(repetitions + i) & ~both;
    }
    for (; i < count; i++)
        bad |= repetitions[i] & (uint64_t)((definitions[i - 1] < least) | (definitions[i] < least));
    return bad == 0;
}
