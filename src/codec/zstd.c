/* SPDX-License-Identifier: Apache-2.0 */
/* Zstandard frames (RFC 8878); several in a row are read as one content. */
#include "codec/codec_internal.h"

#include <zstd.h>
#include <zstd_errors.h>

static rwl_status need_compressor(rwl_codec *codec, rwl_error *err) {
    if (!codec->compressor)
        codec->compressor = ZSTD_createCCtx();
    return codec->compressor ? RWL_OK : rwl_fail(err, RWL_NO_MEMORY, "no memory for a zstd compressor");
}

static rwl_status need_decompressor(rwl_codec *codec, rwl_error *err) {
    if (!codec->decompressor)
        codec->decompressor = ZSTD_createDCtx();
    return codec->decompressor ? RWL_OK : rwl_fail(err, RWL_NO_MEMORY, "no memory for a zstd decompressor");
}

static rwl_status fail_zstd(size_t code, size_t in_len, rwl_error *err) {
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for zstd data of %zu bytes", in_len);
    return rwl_fail(err, RWL_CORRUPT, "zstd data of %zu bytes is broken: %s", in_len,
                    ZSTD_getErrorName(code));
}

static rwl_status compress_zstd(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    RWL_TRY(need_compressor(codec, err));
    size_t bound = ZSTD_compressBound(in.len);
    RWL_TRY(rwl_buf_reserve(out, bound, err));
    size_t len =
        ZSTD_compressCCtx(codec->compressor, out->data + out->len, bound, in.data, in.len, codec->level);
    if (ZSTD_isError(len))
        return rwl_fail(err, RWL_NO_MEMORY, "zstd cannot compress %zu bytes: %s", in.len,
                        ZSTD_getErrorName(len));
    out->len += len;
    return RWL_OK;
}

static rwl_status decompress_zstd(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                  rwl_error *err) {
    RWL_TRY(need_decompressor(codec, err));
    if (in.len == 0)
        return rwl_fail(err, RWL_CORRUPT, "zstd data of 0 bytes: a frame is missing");
    size_t len = ZSTD_decompressDCtx(codec->decompressor, out, out_len, in.data, in.len);
    if (ZSTD_isError(len) && ZSTD_getErrorCode(len) == ZSTD_error_dstSize_tooSmall)
        return rwl_codec_wrong_size(codec, out_len, SIZE_MAX, err);
    if (ZSTD_isError(len))
        return fail_zstd(len, in.len, err);
    return len == out_len ? RWL_OK : rwl_codec_wrong_size(codec, out_len, len, err);
}

/* One step of a stream; a full `out` gets one byte beside it, to tell "at the limit" from "past it". */
static rwl_status step_stream(rwl_codec *codec, ZSTD_inBuffer *in, rwl_buf *out, size_t *hint,
                              rwl_error *err) {
    size_t room;
    uint8_t beyond;
    RWL_TRY(rwl_codec_grow(out, &room, err));
    ZSTD_outBuffer to = {room ? (void *)(out->data + out->len) : &beyond, room ? room : 1, 0};
    size_t consumed = in->pos;
    *hint = ZSTD_decompressStream(codec->decompressor, &to, in);
    if (ZSTD_isError(*hint))
        return fail_zstd(*hint, in->size, err);
    if (room == 0 && to.pos > 0)
        return rwl_buf_reserve(out, 1, err);
    out->len += to.pos;
    if (to.pos == 0 && in->pos == consumed && *hint != 0)
        return rwl_fail(err, RWL_CORRUPT, "zstd data of %zu bytes ends inside a frame", in->size);
    return RWL_OK;
}

static rwl_status decompress_all_zstd(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    RWL_TRY(need_decompressor(codec, err));
    if (in.len == 0)
        return rwl_fail(err, RWL_CORRUPT, "zstd data of 0 bytes: a frame is missing");
    size_t hint = ZSTD_DCtx_reset(codec->decompressor, ZSTD_reset_session_only);
    ZSTD_inBuffer from = {in.data, in.len, 0};
    do {
        RWL_TRY(step_stream(codec, &from, out, &hint, err));
    } while (hint != 0 || from.pos < from.size);
    return RWL_OK;
}

static void clear_zstd(rwl_codec *codec) {
    ZSTD_freeCCtx(codec->compressor);
    ZSTD_freeDCtx(codec->decompressor);
}

const rwl_codec_ops rwl_codec_zstd = {.name = "zstd",
                                      .min_level = -7,
                                      .max_level = 22,
                                      .default_level = 3,
                                      .compress = compress_zstd,
                                      .decompress = decompress_zstd,
                                      .decompress_all = decompress_all_zstd,
                                      .clear = clear_zstd};
