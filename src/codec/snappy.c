/* SPDX-License-Identifier: Apache-2.0 */
/* Snappy raw blocks. */
#include "codec/codec_internal.h"
#include "codec/snappy_decode.h"

#include <snappy-c.h>

/* The densest element, a copy of 64 bytes, takes 3: more than this many bytes from one cannot be. */
enum { MAX_RATIO = 64 };

static rwl_status read_length(rwl_span in, size_t *len, rwl_span *elements, rwl_error *err) {
    if (!rwl_snappy_read_length(in, len, elements) || *len / MAX_RATIO > in.len)
        return rwl_fail(err, RWL_CORRUPT, "snappy data of %zu bytes has no valid length", in.len);
    return RWL_OK;
}

/* By our own decoder: the library's calls memmove for each element, which is most of its time. */
static rwl_status uncompress(rwl_span elements, uint8_t *out, size_t out_len, rwl_error *err) {
    if (!rwl_snappy_decode(elements, out, out_len))
        return rwl_fail(err, RWL_CORRUPT, "snappy data of %zu bytes is broken", elements.len);
    return RWL_OK;
}

static rwl_status compress_snappy(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    size_t bound = snappy_max_compressed_length(in.len);
    RWL_TRY(rwl_buf_reserve(out, bound, err));
    if (snappy_compress(in.len ? (const char *)in.data : "", in.len, (char *)out->data + out->len, &bound) !=
        SNAPPY_OK)
        return rwl_fail(err, RWL_INTERNAL, "%s cannot compress %zu bytes", codec->ops->name, in.len);
    out->len += bound;
    return RWL_OK;
}

static rwl_status decompress_snappy(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                    rwl_error *err) {
    size_t len;
    rwl_span elements;
    RWL_TRY(read_length(in, &len, &elements, err));
    if (len != out_len)
        return rwl_codec_wrong_size(codec, out_len, len, err);
    return uncompress(elements, out, out_len, err);
}

static rwl_status decompress_all_snappy(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    (void)codec;
    size_t len;
    rwl_span elements;
    RWL_TRY(read_length(in, &len, &elements, err));
    RWL_TRY(rwl_buf_reserve(out, len, err));
    RWL_TRY(uncompress(elements, len ? out->data + out->len : NULL, len, err));
    out->len += len;
    return RWL_OK;
}

const rwl_codec_ops rwl_codec_snappy = {.name = "snappy",
                                        .compress = compress_snappy,
                                        .decompress = decompress_snappy,
                                        .decompress_all = decompress_all_snappy};
