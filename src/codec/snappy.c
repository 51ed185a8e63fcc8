/* SPDX-License-Identifier: Apache-2.0 */
/* Snappy raw blocks. */
#include "codec/codec_internal.h"

#include <snappy-c.h>

/* The densest element, a copy of 64 bytes, takes 3: more than this many bytes from one cannot be. */
enum { MAX_RATIO = 64 };

static const char *chars(rwl_span in) {
    return in.len ? (const char *)in.data : "";
}

static rwl_status read_length(rwl_span in, size_t *out, rwl_error *err) {
    if (snappy_uncompressed_length(chars(in), in.len, out) != SNAPPY_OK || *out / MAX_RATIO > in.len)
        return rwl_fail(err, RWL_CORRUPT, "snappy data of %zu bytes has no valid length", in.len);
    return RWL_OK;
}

static rwl_status uncompress(rwl_span in, uint8_t *out, size_t out_len, rwl_error *err) {
    char nothing; /* snappy wants a place even for no bytes */
    size_t len = out_len;
    char *place = out_len ? (char *)out : &nothing;
    if (snappy_uncompress(chars(in), in.len, place, &len) != SNAPPY_OK || len != out_len)
        return rwl_fail(err, RWL_CORRUPT, "snappy data of %zu bytes is broken", in.len);
    return RWL_OK;
}

static rwl_status compress_snappy(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    size_t bound = snappy_max_compressed_length(in.len);
    RWL_TRY(rwl_buf_reserve(out, bound, err));
    if (snappy_compress(chars(in), in.len, (char *)out->data + out->len, &bound) != SNAPPY_OK)
        return rwl_fail(err, RWL_INTERNAL, "%s cannot compress %zu bytes", codec->ops->name, in.len);
    out->len += bound;
    return RWL_OK;
}

static rwl_status decompress_snappy(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                    rwl_error *err) {
    size_t len;
    RWL_TRY(read_length(in, &len, err));
    if (len != out_len)
        return rwl_codec_wrong_size(codec, out_len, len, err);
    return uncompress(in, out, out_len, err);
}

static rwl_status decompress_all_snappy(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    (void)codec;
    size_t len;
    RWL_TRY(read_length(in, &len, err));
    RWL_TRY(rwl_buf_reserve(out, len, err));
    RWL_TRY(uncompress(in, len ? out->data + out->len : NULL, len, err));
    out->len += len;
    return RWL_OK;
}

const rwl_codec_ops rwl_codec_snappy = {.name = "snappy",
                                        .compress = compress_snappy,
                                        .decompress = decompress_snappy,
                                        .decompress_all = decompress_all_snappy};
