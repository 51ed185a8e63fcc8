/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block codecs: a buffer of its own for levels and dictionaries.
 *
 *   flat                     values side by side
 *   inline_bitpacking        a word with the packed width, one packed block; 1024 values at most
 *   out_of_line_bitpacking   packed blocks, tail raw or packed
 *   rle                      u64 bytes of the values | values | u8 lengths
 *   fixed_size_list          the block of the elements
 *   general                  compressed, another block codec's bytes inside
 *   variable                 u32 bits of an offset (32) | u32 where the bytes begin | n + 1 u32 offsets from 0 | bytes
 *                            or u64 bits (64), u64, u64 offsets; from pylance 0.33, before 2.1 was finished, u8 bits | number of
 *                            values | where the bytes begin | offsets, all but the first as wide as the bits say
 */
#include "lancefile/unpack.h"

#include <limits.h>

enum { BITS_MAX = 1 << 26 }; /* of a value: 8 MiB */

static rwl_status fail_codec(const rwl_lance_codec *codec, const char *of, rwl_error *err) {
    return rwl_fail(err, RWL_UNSUPPORTED, "encoding %s for a block of %s", rwl_lance_codec_name(codec->kind),
                    of);
}

/* One block of a codec that is being decoded. */
typedef struct block {
    rwl_lance_general *general;
    const rwl_env *env;
    int64_t count, bits; /* bits: fixed width only */
} block;

/* --- fixed width --- */

static rwl_status read_flat(const block *b, rwl_span in, void *out, rwl_error *err) {
    size_t len = (size_t)b->count * (size_t)(b->bits / 8);
    if (in.len != len)
        return rwl_fail(err, RWL_CORRUPT, "flat block: %zu bytes of %lld values of %lld bits", in.len,
                        (long long)b->count, (long long)b->bits);
    if (len > 0)
        memcpy(out, in.data, len);
    return RWL_OK;
}

static rwl_status read_inline(const block *b, rwl_span in, void *out, rwl_error *err) {
    if (b->count == 0 && in.len == 0)
        return RWL_OK;
    if (b->count > RWL_LANCE_PACK)
        return rwl_fail(err, RWL_CORRUPT, "inline_bitpacking block of %lld values, not 1024 at most",
                        (long long)b->count);
    if (b->bits > 64)
        return rwl_fail(err, RWL_CORRUPT, "inline_bitpacking of %lld bits", (long long)b->bits);
    size_t word = (size_t)b->bits / 8;
    if (in.len < word)
        return rwl_fail(err, RWL_CORRUPT, "inline_bitpacking block of %zu bytes", in.len);
    uint64_t packed = 0;
    for (size_t i = 0; i < word; i++)
        packed |= (uint64_t)in.data[i] << (8 * i);
    if (packed > (uint64_t)b->bits)
        return rwl_fail(err, RWL_CORRUPT, "inline_bitpacking: width word %llu for values of %lld bits",
                        (unsigned long long)packed, (long long)b->bits);
    int64_t unpacked = b->count > 0 ? RWL_LANCE_PACK : 0; /* a whole block, or no room at all */
    return rwl_lance_unpack_blocks((int)b->bits, (int)packed, rwl_span_of(in.data + word, in.len - word),
                                   unpacked, out, err);
}

static rwl_status read_runs(const block *b, const rwl_lance_codec *codec, rwl_span in, void *out,
                            rwl_error *err) {
    if (b->count == 0 && in.len == 0)
        return RWL_OK;
    if (in.len < 8 || rwl_load_le64(in.data) > in.len - 8)
        return rwl_fail(err, RWL_CORRUPT, "rle block of %zu bytes: its values do not fit", in.len);
    size_t values_len = (size_t)rwl_load_le64(in.data);
    return rwl_lance_block_runs(b->general, b->env, codec, rwl_span_of(in.data + 8, values_len),
                                rwl_span_of(in.data + 8 + values_len, in.len - 8 - values_len), b->count,
                                b->bits, out, err);
}

static rwl_status read_same(const block *b, const rwl_lance_codec *codec, void *out, rwl_error *err) {
    size_t width = (size_t)b->bits / 8;
    if (codec->blob.len != width)
        return rwl_fail(err, RWL_CORRUPT, "constant block: a value of %zu bytes, not %zu", codec->blob.len,
                        width);
    uint8_t *to = out;
    for (int64_t i = 0; i < b->count; i++, to += width)
        memcpy(to, codec->blob.data, width);
    return RWL_OK;
}

static rwl_status read_fixed(const block *b, const rwl_lance_codec *codec, rwl_span in, void *out,
                             rwl_error *err);

/* Lists of fixed size are their elements side by side. */
static rwl_status read_lists(const block *b, const rwl_lance_codec *codec, rwl_span in, void *out,
                             rwl_error *err) {
    if (codec->has_validity)
        return rwl_fail(err, RWL_UNSUPPORTED, "a block of fixed-size lists with null elements");
    if (b->bits % (8 * codec->items) != 0)
        return rwl_fail(err, RWL_CORRUPT, "block of fixed-size lists of %lld in %lld bits",
                        (long long)codec->items, (long long)b->bits);
    block elements = *b; /* of values whose bytes all are bounded */
    elements.count *= codec->items;
    elements.bits /= codec->items;
    return read_fixed(&elements, codec->values, in, out, err);
}

/* What a compressed block may have inside: at most a run, or a packed value, for each. */
static rwl_status read_compressed(const block *b, rwl_lance_scheme scheme, const rwl_lance_codec *inner,
                                  rwl_span in, void *out, rwl_error *err) {
    size_t width = (size_t)b->bits / 8;
    rwl_buf bytes;
    rwl_buf_init(&bytes, b->env, ((size_t)b->count + RWL_LANCE_PACK) * (width + 1) + 16);
    rwl_status st = rwl_lance_general_decode(b->general, b->env, scheme, in, &bytes, err);
    if (st == RWL_OK)
        st = inner ? read_fixed(b, inner, rwl_buf_span(&bytes), out, err)
                   : read_flat(b, rwl_buf_span(&bytes), out, err);
    rwl_buf_clear(&bytes);
    return st;
}

/* Depth: the codec's, which parsing limits. */
static rwl_status read_fixed(const block *b, const rwl_lance_codec *codec, rwl_span in, void *out,
                             rwl_error *err) {
    bool has_bits = codec->kind == RWL_LANCE_CODEC_FLAT || codec->kind == RWL_LANCE_CODEC_INLINE_BITPACKING ||
                    codec->kind == RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING;
    if (has_bits && codec->bits != b->bits)
        return rwl_fail(err, RWL_CORRUPT, "%s block of %lld-bit values, not %lld",
                        rwl_lance_codec_name(codec->kind), (long long)codec->bits, (long long)b->bits);
    switch (codec->kind) {
    case RWL_LANCE_CODEC_FLAT:
        if (codec->scheme != RWL_LANCE_SCHEME_NONE)
            return read_compressed(b, codec->scheme, NULL, in, out, err);
        return read_flat(b, in, out, err);
    case RWL_LANCE_CODEC_INLINE_BITPACKING:
        return read_inline(b, in, out, err);
    case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
        if (codec->packed_bits < 0 || codec->packed_bits > b->bits)
            return rwl_fail(err, RWL_CORRUPT, "out_of_line_bitpacking of %lld bits into %lld",
                            (long long)b->bits, (long long)codec->packed_bits);
        return rwl_lance_unpack_blocks((int)b->bits, (int)codec->packed_bits, in, b->count, out, err);
    case RWL_LANCE_CODEC_RLE:
        return read_runs(b, codec, in, out, err);
    case RWL_LANCE_CODEC_FIXED_SIZE_LIST:
        return read_lists(b, codec, in, out, err);
    case RWL_LANCE_CODEC_CONSTANT:
        return read_same(b, codec, out, err);
    case RWL_LANCE_CODEC_GENERAL:
        return read_compressed(b, codec->scheme, codec->values, in, out, err);
    default:
        return fail_codec(codec, "fixed-width values", err);
    }
}

rwl_status rwl_lance_block_fixed(rwl_lance_general *general, const rwl_env *env, const rwl_lance_codec *codec,
                                 rwl_span in, int64_t count, int64_t bits, void *out, rwl_error *err) {
    if (bits <= 0 || bits % 8 != 0 || bits > BITS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "block of values of %lld bits", (long long)bits);
    if (count < 0 || count > INT64_MAX / 2 / bits - RWL_LANCE_PACK)
        return rwl_fail(err, RWL_CORRUPT, "block of %lld values", (long long)count);
    block b = {general, env, count, bits};
    return read_fixed(&b, codec, in, out, err);
}

/* --- variable length --- */

/* A variable block, taken apart: offsets[i] to offsets[i + 1] of `bytes`. */
typedef struct texts {
    const uint8_t *offsets;
    size_t width; /* of an offset */
    rwl_span bytes;
} texts;

static uint64_t load_wide(const uint8_t *at, size_t width) {
    return width == 4 ? rwl_load_le32(at) : rwl_load_le64(at);
}

static uint64_t load_offset(const texts *t, int64_t i) {
    return load_wide(t->offsets + (size_t)i * t->width, t->width);
}

static rwl_status split_head(rwl_span in, int64_t count, texts *out, uint64_t *begin, rwl_error *err) {
    if (in.len < 8)
        return rwl_fail(err, RWL_CORRUPT, "variable block of %zu bytes", in.len);
    /* bits of 64 are a u64, so both show in the first four bytes; in the older form three of these are a number of values */
    uint32_t bits = rwl_load_le32(in.data);
    bool is_older = bits > UINT8_MAX;
    if (is_older)
        bits = in.data[0];
    if (bits != 32 && bits != 64)
        return rwl_fail(err, RWL_CORRUPT, "variable block: offsets of %u bits", bits);
    out->width = bits / 8;
    size_t head = is_older + 2 * out->width;
    size_t places = in.len < head ? 0 : (in.len - head) / out->width;
    if ((uint64_t)count >= places)
        return rwl_fail(err, RWL_CORRUPT, "variable block of %zu bytes: no room for %lld offsets", in.len,
                        (long long)count + 1);
    if (is_older && load_wide(in.data + 1, out->width) != (uint64_t)count)
        return rwl_fail(err, RWL_CORRUPT, "variable block of %llu values, not %lld",
                        (unsigned long long)load_wide(in.data + 1, out->width), (long long)count);
    *begin = load_wide(in.data + head - out->width, out->width);
    out->offsets = in.data + head;
    return RWL_OK;
}

static rwl_status split_texts(rwl_span in, int64_t count, texts *out, rwl_error *err) {
    uint64_t begin;
    RWL_TRY(split_head(in, count, out, &begin, err));
    size_t begin_min = (size_t)(out->offsets - in.data) + ((size_t)count + 1) * out->width;
    if (begin < begin_min || begin > in.len)
        return rwl_fail(err, RWL_CORRUPT, "variable block of %zu bytes: its bytes begin at %llu", in.len,
                        (unsigned long long)begin);
    out->bytes = rwl_span_of(in.data + begin, in.len - (size_t)begin);
    uint64_t before = load_offset(out, 0);
    for (int64_t i = 1; i <= count; i++) {
        uint64_t offset = load_offset(out, i);
        if (offset < before)
            return rwl_fail(err, RWL_CORRUPT, "variable block: offset %lld is %llu after %llu", (long long)i,
                            (unsigned long long)offset, (unsigned long long)before);
        before = offset;
    }
    if (before > out->bytes.len)
        return rwl_fail(err, RWL_CORRUPT, "variable block: the last offset is %llu of %zu bytes",
                        (unsigned long long)before, out->bytes.len);
    return RWL_OK;
}

static int32_t *column_ends(const rwl_column *column) {
    return (int32_t *)(void *)column->offsets.data;
}

static rwl_status append_texts(const block *b, const texts *t, rwl_column *out, rwl_error *err) {
    uint64_t first = load_offset(t, 0);
    size_t len = (size_t)(load_offset(t, b->count) - first);
    RWL_TRY(rwl_column_reserve(out, b->env, out->length + b->count, out->bytes_len + len, err));
    int32_t *ends = column_ends(out) + out->length;
    for (int64_t i = 1; i <= b->count; i++)
        ends[i] = (int32_t)(out->bytes_len + (size_t)(load_offset(t, i) - first));
    if (len > 0)
        memcpy(out->values.data + out->bytes_len, t->bytes.data + first, len);
    out->bytes_len += len;
    out->length += b->count;
    return RWL_OK;
}

static rwl_status append_fsst(const block *b, const rwl_lance_codec *codec, const texts *t, rwl_column *out,
                              rwl_error *err) {
    rwl_lance_fsst table;
    RWL_TRY(rwl_lance_fsst_parse(codec->blob, &table, err));
    for (int64_t i = 0; i < b->count; i++) {
        uint64_t from = load_offset(t, i);
        rwl_span in = rwl_span_of(t->bytes.data + from, (size_t)(load_offset(t, i + 1) - from));
        RWL_TRY(rwl_column_reserve(out, b->env, out->length + 1,
                                   out->bytes_len + in.len * 8 + RWL_LANCE_FSST_SLACK, err));
        int64_t len = rwl_lance_fsst_decode(&table, in, out->values.data + out->bytes_len);
        if (len < 0)
            return rwl_fail(err, RWL_CORRUPT, "fsst: value %lld has a code that is none", (long long)i);
        out->bytes_len += (size_t)len;
        column_ends(out)[++out->length] = (int32_t)out->bytes_len;
    }
    return RWL_OK;
}

static rwl_status append_same(const block *b, const rwl_lance_codec *codec, rwl_column *out, rwl_error *err) {
    rwl_value value = {.kind = out->type.kind, .as.bytes = codec->blob};
    uint64_t len = 0;
    if (__builtin_mul_overflow((uint64_t)b->count, (uint64_t)codec->blob.len, &len))
        len = UINT64_MAX;
    RWL_TRY(rwl_lance_general_fits(b->general, len, err));
    return rwl_column_append(out, b->env, &value, b->count, err);
}

static rwl_status read_bytes(const block *b, const rwl_lance_codec *codec, rwl_span in, rwl_column *out,
                             rwl_error *err);

static rwl_status read_compressed_bytes(const block *b, const rwl_lance_codec *codec, rwl_span in,
                                        rwl_column *out, rwl_error *err) {
    rwl_buf bytes;
    rwl_buf_init(&bytes, b->env, RWL_COLUMN_BYTES_MAX);
    rwl_status st = rwl_lance_general_decode(b->general, b->env, codec->scheme, in, &bytes, err);
    if (st == RWL_OK)
        st = read_bytes(b, codec->values, rwl_buf_span(&bytes), out, err);
    rwl_buf_clear(&bytes);
    return st;
}

static rwl_status read_bytes(const block *b, const rwl_lance_codec *codec, rwl_span in, rwl_column *out,
                             rwl_error *err) {
    const rwl_lance_codec *inner = codec->kind == RWL_LANCE_CODEC_FSST ? codec->values : codec;
    texts t;
    switch (codec->kind) {
    case RWL_LANCE_CODEC_VARIABLE:
    case RWL_LANCE_CODEC_FSST:
        if (inner->kind != RWL_LANCE_CODEC_VARIABLE || inner->scheme != RWL_LANCE_SCHEME_NONE)
            return rwl_fail(err, RWL_UNSUPPORTED, "block of variable-length values: %s over %s%s",
                            rwl_lance_codec_name(codec->kind), rwl_lance_codec_name(inner->kind),
                            inner->scheme != RWL_LANCE_SCHEME_NONE ? ", compressed" : "");
        RWL_TRY(split_texts(in, b->count, &t, err));
        return codec == inner ? append_texts(b, &t, out, err) : append_fsst(b, codec, &t, out, err);
    case RWL_LANCE_CODEC_CONSTANT:
        return append_same(b, codec, out, err);
    case RWL_LANCE_CODEC_GENERAL:
        return read_compressed_bytes(b, codec, in, out, err);
    default:
        return fail_codec(codec, "variable-length values", err);
    }
}

rwl_status rwl_lance_block_bytes(rwl_lance_general *general, const rwl_env *env, const rwl_lance_codec *codec,
                                 rwl_span in, int64_t count, rwl_column *out, rwl_error *err) {
    if (count < 0 || count > INT_MAX)
        return rwl_fail(err, RWL_CORRUPT, "block of %lld variable-length values", (long long)count);
    block b = {general, env, count, 0};
    return read_bytes(&b, codec, in, out, err);
}
