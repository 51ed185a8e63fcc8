/* SPDX-License-Identifier: Apache-2.0 */
/* Gzip (RFC 1952), raw deflate (RFC 1951) and the CRC both formats share. */
#include "codec/codec_internal.h"

#include <libdeflate.h>

typedef enum libdeflate_result (*inflate_fn)(struct libdeflate_decompressor *d, const void *in, size_t in_len,
                                             void *out, size_t out_room, size_t *in_used, size_t *out_len);

static rwl_status need_compressor(rwl_codec *codec, rwl_error *err) {
    if (!codec->compressor)
        codec->compressor = libdeflate_alloc_compressor(codec->level);
    return codec->compressor ? RWL_OK : rwl_fail(err, RWL_NO_MEMORY, "no memory for a deflate compressor");
}

static rwl_status need_decompressor(rwl_codec *codec, rwl_error *err) {
    if (!codec->decompressor)
        codec->decompressor = libdeflate_alloc_decompressor();
    return codec->decompressor ? RWL_OK
                               : rwl_fail(err, RWL_NO_MEMORY, "no memory for a deflate decompressor");
}

static rwl_status fail_broken(const rwl_codec *codec, size_t in_len, size_t at, rwl_error *err) {
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)at,
                       "%s data of %zu bytes is broken in the part from byte %zu", codec->ops->name, in_len,
                       at);
}

static rwl_status compress_deflate(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    RWL_TRY(need_compressor(codec, err));
    bool gzip = codec->id == RWL_CODEC_GZIP;
    size_t bound = gzip ? libdeflate_gzip_compress_bound(codec->compressor, in.len)
                        : libdeflate_deflate_compress_bound(codec->compressor, in.len);
    RWL_TRY(rwl_buf_reserve(out, bound, err));
    const void *data = in.len ? (const void *)in.data : "";
    uint8_t *to = out->data + out->len;
    size_t len = gzip ? libdeflate_gzip_compress(codec->compressor, data, in.len, to, bound)
                      : libdeflate_deflate_compress(codec->compressor, data, in.len, to, bound);
    if (len == 0)
        return rwl_fail(err, RWL_INTERNAL, "%s cannot compress %zu bytes", codec->ops->name, in.len);
    out->len += len;
    return RWL_OK;
}

static inflate_fn choose_inflate(const rwl_codec *codec) {
    return codec->id == RWL_CODEC_GZIP ? libdeflate_gzip_decompress_ex : libdeflate_deflate_decompress_ex;
}

/*
 * Whether another part follows at `used`. Gzip: members until the end. Raw deflate ends itself, and what
 * follows is ignored: Python's Avro writers leave three bytes of a zlib checksum there.
 */
static bool has_more(const rwl_codec *codec, rwl_span in, size_t used) {
    return codec->id == RWL_CODEC_GZIP && used < in.len;
}

static rwl_status decompress_deflate(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                     rwl_error *err) {
    RWL_TRY(need_decompressor(codec, err));
    inflate_fn inflate = choose_inflate(codec);
    uint8_t nothing; /* a place for no bytes */
    uint8_t *to = out_len ? out : &nothing;
    size_t used = 0, made = 0;
    do {
        size_t part_used, part_made;
        enum libdeflate_result result = in.len == 0
                                            ? LIBDEFLATE_BAD_DATA
                                            : inflate(codec->decompressor, in.data + used, in.len - used,
                                                      to + made, out_len - made, &part_used, &part_made);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
            return rwl_codec_wrong_size(codec, out_len, SIZE_MAX, err);
        if (result != LIBDEFLATE_SUCCESS)
            return fail_broken(codec, in.len, used, err);
        used += part_used;
        made += part_made;
    } while (has_more(codec, in, used));
    return made == out_len ? RWL_OK : rwl_codec_wrong_size(codec, out_len, made, err);
}

/* One member or stream, whose size nobody knows, tried with ever more room. */
static rwl_status inflate_part(rwl_codec *codec, rwl_span part, rwl_buf *out, size_t *used, bool *broken,
                               rwl_error *err) {
    inflate_fn inflate = choose_inflate(codec);
    size_t room = out->cap - out->len; /* what an earlier one needed, most likely */
    if (room > out->max - out->len)
        room = out->max - out->len;
    for (;;) {
        uint8_t nothing;
        size_t made;
        uint8_t *to = room ? out->data + out->len : &nothing;
        enum libdeflate_result result =
            inflate(codec->decompressor, part.data, part.len, to, room, used, &made);
        if (result == LIBDEFLATE_SUCCESS) {
            out->len += made;
            return RWL_OK;
        }
        *broken = result != LIBDEFLATE_INSUFFICIENT_SPACE;
        if (*broken)
            return RWL_CORRUPT;
        size_t left = out->max > out->len ? out->max - out->len : 0;
        if (room == left)
            return rwl_buf_reserve(out, left + 1, err);
        size_t want = room ? room * 2 : part.len < 16 * 1024 ? 64 * 1024 : part.len * 4;
        room = want < left && want > room ? want : left;
        RWL_TRY(rwl_buf_reserve(out, room, err));
    }
}

static rwl_status decompress_all_deflate(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    RWL_TRY(need_decompressor(codec, err));
    size_t used = 0;
    do {
        size_t part_used = 0;
        bool broken = in.len == 0;
        rwl_span part = {in.data + (in.len ? used : 0), in.len - used};
        rwl_status st = broken ? RWL_CORRUPT : inflate_part(codec, part, out, &part_used, &broken, err);
        if (broken)
            return fail_broken(codec, in.len, used, err);
        RWL_TRY(st);
        used += part_used;
    } while (has_more(codec, in, used));
    return RWL_OK;
}

static void clear_deflate(rwl_codec *codec) {
    libdeflate_free_compressor(codec->compressor);
    libdeflate_free_decompressor(codec->decompressor);
}

const rwl_codec_ops rwl_codec_gzip = {.name = "gzip",
                                      .min_level = 1,
                                      .max_level = 12,
                                      .default_level = 6,
                                      .compress = compress_deflate,
                                      .decompress = decompress_deflate,
                                      .decompress_all = decompress_all_deflate,
                                      .clear = clear_deflate};

const rwl_codec_ops rwl_codec_deflate = {.name = "deflate",
                                         .min_level = 1,
                                         .max_level = 12,
                                         .default_level = 6,
                                         .compress = compress_deflate,
                                         .decompress = decompress_deflate,
                                         .decompress_all = decompress_all_deflate,
                                         .clear = clear_deflate};

uint32_t rwl_crc32(uint32_t crc, rwl_span bytes) {
    return bytes.len ? libdeflate_crc32(crc, bytes.data, bytes.len) : crc;
}
