/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZ4 blocks, and what Parquet files call LZ4.
 *
 *   block := sequences of token, literals, [u16 offset, match length]; the last one has literals only
 *   hadoop := frame…;  frame := u32 BE uncompressed length, then until that is reached: u32 BE length, block
 *
 * Files that name Hadoop's codec also hold one bare block (parquet-cpp before 1.5) or an LZ4 frame, magic 0x184D2204:
 * the first reading that gives exactly the bytes asked for is right.
 */
#include "codec/codec_internal.h"

#include <limits.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>

enum {
    MIN_MATCH = 4,
    MAX_RATIO = 255, /* a byte of a match length stands for 255 bytes */
    HC_FROM = 3      /* levels from here on take the slower search */
};
#define FRAME_MAGIC UINT32_C(0x184D2204)

/* --- one block --- */

static bool read_run(rwl_span in, size_t *at, size_t *len) {
    if (*len != 15)
        return true;
    for (;;) {
        if (*at == in.len)
            return false;
        uint8_t more = in.data[(*at)++];
        *len += more;
        if (more != 255)
            return true;
    }
}

/* How many bytes the block gives, its offsets not looked at; false when it is cut short. */
static bool measure_block(rwl_span in, size_t *total) {
    size_t at = 0;
    *total = 0;
    for (;;) {
        if (at == in.len)
            return false;
        uint8_t token = in.data[at++];
        size_t literals = token >> 4, match = token & 15;
        if (!read_run(in, &at, &literals) || literals > in.len - at)
            return false;
        at += literals;
        *total += literals; /* at most 255 bytes for each of in.len, far from an overflow */
        if (at == in.len)
            return true;
        if (in.len - at < 2)
            return false;
        at += 2;
        if (!read_run(in, &at, &match))
            return false;
        *total += match + MIN_MATCH;
    }
}

/* Bytes given, -1 when the block is broken or gives more than `room`. */
static int64_t read_block(rwl_span in, uint8_t *out, size_t room) {
    if (in.len == 0 || in.len > INT_MAX)
        return -1;
    uint8_t nothing; /* a place for no bytes */
    int to = room > INT_MAX ? INT_MAX : (int)room;
    return LZ4_decompress_safe((const char *)in.data, room ? (char *)out : (char *)&nothing, (int)in.len, to);
}

static rwl_status fail_broken(const rwl_codec *codec, size_t len, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "%s data of %zu bytes is broken", codec->ops->name, len);
}

static rwl_status compress_block(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    if (in.len > LZ4_MAX_INPUT_SIZE)
        return rwl_fail(err, RWL_UNSUPPORTED, "lz4 blocks hold at most %d bytes, not %zu", LZ4_MAX_INPUT_SIZE,
                        in.len);
    int bound = LZ4_compressBound((int)in.len);
    bool slow = codec->level >= HC_FROM;
    if (!codec->compressor) {
        codec->compressor = rwl_alloc(codec->env, (size_t)(slow ? LZ4_sizeofStateHC() : LZ4_sizeofState()));
        if (!codec->compressor)
            return rwl_no_memory(err, (size_t)LZ4_sizeofStateHC());
    }
    RWL_TRY(rwl_buf_reserve(out, (size_t)bound, err));
    const char *from = in.len ? (const char *)in.data : "";
    char *to = (char *)out->data + out->len;
    int len = slow ? LZ4_compress_HC_extStateHC(codec->compressor, from, to, (int)in.len, bound, codec->level)
                   : LZ4_compress_fast_extState(codec->compressor, from, to, (int)in.len, bound, 1);
    if (len <= 0)
        return rwl_fail(err, RWL_INTERNAL, "%s cannot compress %zu bytes", codec->ops->name, in.len);
    out->len += (size_t)len;
    return RWL_OK;
}

static rwl_status decompress_block(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                   rwl_error *err) {
    int64_t made = read_block(in, out, out_len);
    if (made >= 0 && (size_t)made == out_len)
        return RWL_OK;
    size_t total;
    if (made < 0 && (!measure_block(in, &total) || total <= out_len))
        return fail_broken(codec, in.len, err);
    return rwl_codec_wrong_size(codec, out_len, made < 0 ? total : (size_t)made, err);
}

static rwl_status decompress_all_block(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    size_t total;
    if (!measure_block(in, &total))
        return fail_broken(codec, in.len, err);
    RWL_TRY(rwl_buf_reserve(out, total, err));
    if (read_block(in, total ? out->data + out->len : NULL, total) != (int64_t)total)
        return fail_broken(codec, in.len, err);
    out->len += total;
    return RWL_OK;
}

static void clear_block(rwl_codec *codec) {
    rwl_free(codec->env, codec->compressor);
}

const rwl_codec_ops rwl_codec_lz4_raw = {.name = "lz4_raw",
                                         .min_level = 1,
                                         .max_level = 12,
                                         .default_level = 1,
                                         .compress = compress_block,
                                         .decompress = decompress_block,
                                         .decompress_all = decompress_all_block,
                                         .clear = clear_block};

/* --- Hadoop's frames --- */

/*
 * Decompresses frames to `out`, at most `room` bytes, or only says how many there are when it is NULL. False when
 * lengths or blocks do not add up.
 */
static bool read_hadoop(rwl_span in, uint8_t *out, size_t room, size_t *total) {
    size_t at = 0;
    for (*total = 0; at < in.len;) {
        if (in.len - at < 4)
            return false;
        size_t left = rwl_load_be32(in.data + at);
        at += 4;
        if (left > room - *total)
            return false;
        bool is_first = true; /* a frame of no bytes has a block, too */
        for (; left > 0 || (is_first && at < in.len); is_first = false) {
            size_t len = in.len - at < 4 ? SIZE_MAX : rwl_load_be32(in.data + at), gives;
            if (len > in.len - at - 4 || len == SIZE_MAX)
                return false;
            rwl_span block = rwl_span_of(in.data + at + 4, len);
            int64_t got = out                            ? read_block(block, out + *total, left)
                          : measure_block(block, &gives) ? (int64_t)gives
                                                         : -1;
            if (got < 0 || (size_t)got > left || (got == 0 && left > 0))
                return false;
            at += 4 + len;
            *total += (size_t)got;
            left -= (size_t)got;
        }
    }
    return in.len > 0;
}

/* --- the LZ4 frame format --- */

static bool is_frame(rwl_span in) {
    return in.len >= 4 && rwl_load_le32(in.data) == FRAME_MAGIC;
}

/* Appends frames, one after the other, at most `room` bytes. */
static rwl_status read_frames(const rwl_codec *codec, rwl_span in, rwl_buf *out, size_t room,
                              rwl_error *err) {
    LZ4F_dctx *ctx = NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&ctx, LZ4F_VERSION)))
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for an lz4 decompressor");
    rwl_status st = RWL_OK;
    size_t at = 0, first = out->len, hint = 1;
    while (st == RWL_OK && (at < in.len || hint != 0)) {
        uint8_t beyond; /* tells "at the limit" from "past it" */
        size_t left = room - (out->len - first), used = in.len - at, made = 64 * 1024;
        made = made < left ? made : left;
        st = rwl_buf_reserve(out, made, err);
        if (st != RWL_OK)
            break;
        uint8_t *to = made ? out->data + out->len : &beyond;
        bool is_full = made == 0;
        made = is_full ? 1 : made;
        hint = LZ4F_decompress(ctx, to, &made, in.data + at, &used, NULL);
        at += used;
        if (LZ4F_isError(hint))
            st = fail_broken(codec, in.len, err);
        else if (is_full && made > 0)
            st = rwl_codec_wrong_size(codec, room, SIZE_MAX, err);
        else if (used == 0 && made == 0 && (hint != 0 || at < in.len))
            st = fail_broken(codec, in.len, err);
        if (!is_full)
            out->len += st == RWL_OK ? made : 0;
    }
    (void)LZ4F_freeDecompressionContext(ctx);
    return st;
}

static rwl_status decompress_frames(const rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                    rwl_error *err) {
    rwl_buf all;
    rwl_buf_init(&all, codec->env, out_len);
    rwl_status st = read_frames(codec, in, &all, out_len, err);
    if (st == RWL_OK && all.len != out_len)
        st = rwl_codec_wrong_size(codec, out_len, all.len, err);
    if (st == RWL_OK && out_len)
        memcpy(out, all.data, out_len);
    rwl_buf_clear(&all);
    return st;
}

/* --- whatever is called LZ4 --- */

static rwl_status compress_hadoop(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    (void)codec, (void)in, (void)out;
    return rwl_fail(err, RWL_UNSUPPORTED, "lz4 in Hadoop's frames is not written; lz4_raw is");
}

static rwl_status decompress_hadoop(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                    rwl_error *err) {
    size_t total;
    if (read_hadoop(in, out, out_len, &total) && total == out_len)
        return RWL_OK;
    if (is_frame(in))
        return decompress_frames(codec, in, out, out_len, err);
    return decompress_block(codec, in, out, out_len, err);
}

static rwl_status decompress_all_hadoop(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    size_t total;
    if (read_hadoop(in, NULL, SIZE_MAX, &total)) { /* counted from the blocks: no more than 255 * in.len */
        size_t again;
        RWL_TRY(rwl_buf_reserve(out, total, err));
        if (!read_hadoop(in, total ? out->data + out->len : NULL, total, &again))
            return fail_broken(codec, in.len, err);
        out->len += total;
        return RWL_OK;
    }
    if (is_frame(in))
        return read_frames(codec, in, out, out->max > out->len ? out->max - out->len : 0, err);
    return decompress_all_block(codec, in, out, err);
}

const rwl_codec_ops rwl_codec_lz4_hadoop = {.name = "lz4",
                                            .compress = compress_hadoop,
                                            .decompress = decompress_hadoop,
                                            .decompress_all = decompress_all_hadoop};
