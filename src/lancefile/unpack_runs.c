/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: values and lengths to values, and both from blocks of their own. */
#include "lancefile/unpack.h"

/* --- lengths of a byte --- */

/* Sums of run lengths in 32 bits, so that the compiler can make vectors of them: 2^24 lengths of 255 at most at a time. */
static uint64_t sum_lengths(rwl_span lengths) {
    uint64_t total = 0;
    for (size_t at = 0; at < lengths.len;) {
        size_t end = lengths.len - at > 1u << 24 ? at + (1u << 24) : lengths.len;
        uint32_t sum = 0;
        for (; at < end; at++)
            sum += lengths.data[at];
        total += sum;
    }
    return total;
}

#define DEFINE_FILL(T)                                                                                       \
    static void fill_runs_##T(rwl_span values, rwl_span lengths, uint8_t *out) {                             \
        for (size_t run = 0; run < lengths.len; run++) {                                                     \
            uint##T##_t value;                                                                               \
            memcpy(&value, values.data + run * sizeof value, sizeof value);                                  \
            for (unsigned i = lengths.data[run]; i > 0; i--, out += sizeof value)                            \
                memcpy(out, &value, sizeof value);                                                           \
        }                                                                                                    \
    }
DEFINE_FILL(16)
DEFINE_FILL(32)
DEFINE_FILL(64)

static void fill_runs_of_bytes(rwl_span values, rwl_span lengths, uint8_t *out) {
    for (size_t run = 0; run < lengths.len; out += lengths.data[run], run++)
        memset(out, values.data[run], lengths.data[run]);
}

/* --- wider ones, and wider values --- */

static uint64_t load_length(rwl_span lengths, int width, size_t run) {
    const uint8_t *at = lengths.data + run * (size_t)width;
    return width == 1 ? *at : width == 2 ? rwl_load_le16(at) : rwl_load_le32(at);
}

/* Stops beyond `max`. */
static uint64_t sum_wide_lengths(rwl_span lengths, int width, uint64_t max) {
    uint64_t total = 0;
    size_t runs = lengths.len / (size_t)width;
    for (size_t run = 0; run < runs && total <= max; run++)
        total += load_length(lengths, width, run);
    return total;
}

static void fill_runs_of_any(size_t width, rwl_span values, int length_width, rwl_span lengths,
                             uint8_t *out) {
    size_t runs = lengths.len / (size_t)length_width;
    for (size_t run = 0; run < runs; run++)
        for (uint64_t i = load_length(lengths, length_width, run); i > 0; i--, out += width)
            memcpy(out, values.data + run * width, width);
}

static void fill_runs(size_t width, rwl_span values, int length_width, rwl_span lengths, uint8_t *out) {
    if (length_width > 1)
        fill_runs_of_any(width, values, length_width, lengths, out);
    else if (width == 1)
        fill_runs_of_bytes(values, lengths, out);
    else if (width == 2)
        fill_runs_16(values, lengths, out);
    else if (width == 4)
        fill_runs_32(values, lengths, out);
    else if (width == 8)
        fill_runs_64(values, lengths, out);
    else
        fill_runs_of_any(width, values, length_width, lengths, out);
}

rwl_status rwl_lance_unpack_runs(int width, rwl_span values, int length_width, rwl_span lengths,
                                 int64_t count, void *out, rwl_error *err) {
    if (length_width != 1 && length_width != 2 && length_width != 4)
        return rwl_fail(err, RWL_CORRUPT, "runs: lengths of %d bytes", length_width);
    if (width < 1 || lengths.len % (size_t)length_width != 0 || values.len % (size_t)width != 0 ||
        values.len / (size_t)width != lengths.len / (size_t)length_width)
        return rwl_fail(err, RWL_CORRUPT, "runs: %zu bytes of values of %d bytes, %zu of lengths of %d",
                        values.len, width, lengths.len, length_width);
    size_t runs = values.len / (size_t)width;
    uint64_t total = length_width == 1 ? sum_lengths(lengths)
                                       : sum_wide_lengths(lengths, length_width, (uint64_t)INT64_MAX);
    uint64_t last = runs > 0 ? load_length(lengths, length_width, runs - 1) : 0;
    uint64_t wanted = count > 0 ? (uint64_t)count : 0;
    if (count < 0 || total < wanted || (total > wanted && total - last >= wanted))
        return rwl_fail(err, RWL_CORRUPT, "runs: %zu of them give %llu values, not %lld", runs,
                        (unsigned long long)total, (long long)count);
    if (total > wanted) { /* the last is filled by hand */
        values.len -= (size_t)width;
        lengths.len -= (size_t)length_width;
        for (uint64_t i = total - last; i < wanted; i++)
            memcpy((uint8_t *)out + i * (size_t)width, values.data + values.len, (size_t)width);
    }
    fill_runs((size_t)width, values, length_width, lengths, out);
    return RWL_OK;
}

/* --- runs whose parts are blocks --- */

/* Values of runs, or their lengths. */
typedef struct run_part {
    const rwl_lance_codec *codec; /* compression around it taken off */
    int64_t bits;
    rwl_span bytes;
    rwl_buf room; /* where they lie, once they are not those of the file */
} run_part;

/* What is compressed goes to room of its own, `max` bytes at most. */
static rwl_status inflate_part(rwl_lance_general *general, const rwl_env *env, rwl_lance_scheme scheme,
                               size_t max, run_part *part, rwl_error *err) {
    rwl_buf to;
    rwl_buf_init(&to, env, max);
    rwl_status st = rwl_lance_general_decode(general, env, scheme, part->bytes, &to, err);
    rwl_buf_clear(&part->room);
    part->room = to;
    part->bytes = rwl_buf_span(&part->room);
    return st;
}

static rwl_status open_part(rwl_lance_general *general, const rwl_env *env, size_t max, run_part *part,
                            rwl_error *err) {
    for (;; part->codec = part->codec->values) {
        bool is_flat = part->codec->kind == RWL_LANCE_CODEC_FLAT;
        if (!is_flat && part->codec->kind != RWL_LANCE_CODEC_GENERAL)
            return RWL_OK;
        if (part->codec->scheme != RWL_LANCE_SCHEME_NONE)
            RWL_TRY(inflate_part(general, env, part->codec->scheme, max, part, err));
        if (is_flat)
            return RWL_OK;
    }
}

/* How many there are by this part: told by flat values only; -1. */
static int64_t count_runs(const run_part *part) {
    if (part->codec->kind != RWL_LANCE_CODEC_FLAT)
        return -1;
    return (int64_t)(part->bytes.len / (size_t)(part->bits / 8));
}

static rwl_status decode_part(rwl_lance_general *general, const rwl_env *env, int64_t runs, run_part *part,
                              rwl_error *err) {
    if (part->codec->kind == RWL_LANCE_CODEC_FLAT)
        return RWL_OK;
    rwl_buf to;
    size_t rounded = ((size_t)runs + RWL_LANCE_PACK - 1) / RWL_LANCE_PACK * RWL_LANCE_PACK;
    rwl_buf_init(&to, env, SIZE_MAX);
    rwl_status st = rwl_buf_reserve(&to, rounded * (size_t)(part->bits / 8), err);
    if (st == RWL_OK)
        st = rwl_lance_block_fixed(general, env, part->codec, part->bytes, runs, part->bits, to.data, err);
    rwl_buf_clear(&part->room);
    part->room = to;
    part->bytes = rwl_span_of(to.data, (size_t)runs * (size_t)(part->bits / 8));
    return st;
}

static rwl_status check_parts(const run_part *values, const run_part *lengths, rwl_error *err) {
    if (lengths->bits != 8 && lengths->bits != 16 && lengths->bits != 32)
        return rwl_fail(err, RWL_CORRUPT, "rle with lengths of %lld bits", (long long)lengths->bits);
    if (values->codec->kind == RWL_LANCE_CODEC_FLAT && values->codec->bits != values->bits)
        return rwl_fail(err, RWL_CORRUPT, "rle of %lld-bit values, not %lld", (long long)values->codec->bits,
                        (long long)values->bits);
    return RWL_OK;
}

static rwl_status decode_runs(rwl_lance_general *general, const rwl_env *env, run_part *values,
                              run_part *lengths, int64_t count, void *out, rwl_error *err) {
    size_t most =
        (size_t)count + RWL_LANCE_PACK; /* runs; each part may be packed to words of any width below */
    RWL_TRY(open_part(general, env, most * (size_t)(values->bits / 8 + 1), values, err));
    RWL_TRY(open_part(general, env, most * (size_t)(lengths->bits / 8 + 1), lengths, err));
    RWL_TRY(check_parts(values, lengths, err));
    int64_t runs = count_runs(values);
    runs = runs >= 0 ? runs : count_runs(lengths);
    if (runs < 0)
        return rwl_fail(
            err, RWL_CORRUPT, "rle of %s values and %s lengths: neither tells how many runs there are",
            rwl_lance_codec_name(values->codec->kind), rwl_lance_codec_name(lengths->codec->kind));
    if (runs > count)
        return rwl_fail(err, RWL_CORRUPT, "rle: %lld runs of %lld values", (long long)runs, (long long)count);
    RWL_TRY(decode_part(general, env, runs, values, err));
    RWL_TRY(decode_part(general, env, runs, lengths, err));
    return rwl_lance_unpack_runs((int)(values->bits / 8), values->bytes, (int)(lengths->bits / 8),
                                 lengths->bytes, count, out, err);
}

rwl_status rwl_lance_block_runs(rwl_lance_general *general, const rwl_env *env, const rwl_lance_codec *codec,
                                rwl_span values, rwl_span lengths, int64_t count, int64_t bits, void *out,
                                rwl_error *err) {
    run_part value = {.codec = codec->values, .bits = bits, .bytes = values};
    run_part length = {.codec = codec->second, .bytes = lengths};
    length.bits = rwl_lance_codec_bits(codec->second);
    rwl_buf_init(&value.room, env, 0);
    rwl_buf_init(&length.room, env, 0);
    rwl_status st = decode_runs(general, env, &value, &length, count, out, err);
    rwl_buf_clear(&value.room);
    rwl_buf_clear(&length.room);
    return st;
}
