/* SPDX-License-Identifier: Apache-2.0 */
/* Brotli streams (RFC 7932). */
#include "codec/codec_internal.h"

#include <brotli/decode.h>
#include <brotli/encode.h>

/* A stream has a state of its own that can't be used again; it takes memory from the environment. */
static void *take_memory(void *env, size_t len) {
    return rwl_alloc(env, len);
}

static void give_memory(void *env, void *memory) {
    rwl_free(env, memory);
}

static rwl_status run_encoder(const rwl_codec *codec, BrotliEncoderState *s, rwl_span in, rwl_buf *out,
                              rwl_error *err) {
    size_t in_left = in.len;
    const uint8_t *from = in.data;
    while (!BrotliEncoderIsFinished(s)) {
        size_t room;
        RWL_TRY(rwl_codec_grow(out, &room, err));
        if (room == 0)
            return rwl_buf_reserve(out, 1, err);
        size_t left = room;
        uint8_t *to = out->data + out->len;
        if (!BrotliEncoderCompressStream(s, BROTLI_OPERATION_FINISH, &in_left, &from, &left, &to, NULL))
            return rwl_fail(err, RWL_NO_MEMORY, "%s cannot compress %zu bytes", codec->ops->name, in.len);
        out->len += room - left;
    }
    return RWL_OK;
}

static rwl_status compress_brotli(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    BrotliEncoderState *s =
        BrotliEncoderCreateInstance(take_memory, give_memory, (void *)(uintptr_t)codec->env);
    if (!s)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for a brotli compressor");
    size_t hint = in.len < UINT32_MAX ? in.len : UINT32_MAX;
    (void)BrotliEncoderSetParameter(s, BROTLI_PARAM_QUALITY, (uint32_t)codec->level);
    (void)BrotliEncoderSetParameter(s, BROTLI_PARAM_SIZE_HINT, (uint32_t)hint);
    rwl_status st = run_encoder(codec, s, in, out, err);
    BrotliEncoderDestroyInstance(s);
    return st;
}

static rwl_status fail_brotli(BrotliDecoderState *s, size_t in_len, rwl_error *err) {
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(s);
    if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
        code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
        return rwl_fail(err, RWL_NO_MEMORY, "no memory for brotli data of %zu bytes", in_len);
    return rwl_fail(err, RWL_CORRUPT, "brotli data of %zu bytes is broken: %s", in_len,
                    BrotliDecoderErrorString(code));
}

static rwl_status start_decoder(const rwl_codec *codec, BrotliDecoderState **out, rwl_error *err) {
    *out = BrotliDecoderCreateInstance(take_memory, give_memory, (void *)(uintptr_t)codec->env);
    return *out ? RWL_OK : rwl_fail(err, RWL_NO_MEMORY, "no memory for a brotli decompressor");
}

/* What a result other than success means; *left input bytes are not used. */
static rwl_status check_end(BrotliDecoderState *s, BrotliDecoderResult result, rwl_span in, size_t left,
                            rwl_error *err) {
    if (result == BROTLI_DECODER_RESULT_ERROR)
        return fail_brotli(s, in.len, err);
    if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
        return rwl_fail(err, RWL_CORRUPT, "brotli data of %zu bytes ends too early", in.len);
    if (result == BROTLI_DECODER_RESULT_SUCCESS && left > 0)
        return rwl_fail(err, RWL_CORRUPT, "brotli data of %zu bytes has %zu behind its end", in.len, left);
    return RWL_OK;
}

static rwl_status decompress_brotli(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                    rwl_error *err) {
    BrotliDecoderState *s;
    RWL_TRY(start_decoder(codec, &s, err));
    uint8_t nothing;
    size_t in_left = in.len, left = out_len;
    const uint8_t *from = in.data;
    uint8_t *to = out_len ? out : &nothing;
    BrotliDecoderResult result = BrotliDecoderDecompressStream(s, &in_left, &from, &left, &to, NULL);
    rwl_status st = check_end(s, result, in, in_left, err);
    if (st == RWL_OK && result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT)
        st = rwl_codec_wrong_size(codec, out_len, SIZE_MAX, err);
    else if (st == RWL_OK && left > 0)
        st = rwl_codec_wrong_size(codec, out_len, out_len - left, err);
    BrotliDecoderDestroyInstance(s);
    return st;
}

/* A full `out` gets one byte beside it, to tell "at the limit" from "past it". */
static rwl_status run_decoder(BrotliDecoderState *s, rwl_span in, rwl_buf *out, rwl_error *err) {
    size_t in_left = in.len;
    const uint8_t *from = in.data;
    for (;;) {
        uint8_t beyond;
        size_t room;
        RWL_TRY(rwl_codec_grow(out, &room, err));
        size_t left = room ? room : 1, given = left;
        uint8_t *to = room ? out->data + out->len : &beyond;
        BrotliDecoderResult result = BrotliDecoderDecompressStream(s, &in_left, &from, &left, &to, NULL);
        RWL_TRY(check_end(s, result, in, in_left, err));
        if (room == 0 && left < given)
            return rwl_buf_reserve(out, 1, err);
        out->len += given - left;
        if (result == BROTLI_DECODER_RESULT_SUCCESS)
            return RWL_OK;
    }
}

static rwl_status decompress_all_brotli(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    BrotliDecoderState *s;
    RWL_TRY(start_decoder(codec, &s, err));
    rwl_status st = run_decoder(s, in, out, err);
    BrotliDecoderDestroyInstance(s);
    return st;
}

const rwl_codec_ops rwl_codec_brotli = {.name = "brotli",
                                        .min_level = 1,
                                        .max_level = 11,
                                        .default_level = 5,
                                        .compress = compress_brotli,
                                        .decompress = decompress_brotli,
                                        .decompress_all = decompress_all_brotli};
