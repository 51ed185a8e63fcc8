/* SPDX-License-Identifier: Apache-2.0 */
/* The table of codecs, and the one that does nothing. */
#include "codec/codec_internal.h"

#include <strings.h>

enum { FIRST_ROOM = 64 * 1024 };

static rwl_status copy_in(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    (void)codec;
    return rwl_buf_append(out, in.data, in.len, err);
}

static rwl_status copy_out(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len, rwl_error *err) {
    if (in.len != out_len)
        return rwl_codec_wrong_size(codec, out_len, in.len, err);
    if (out_len)
        memcpy(out, in.data, out_len);
    return RWL_OK;
}

static const rwl_codec_ops none_ops = {
    .name = "uncompressed", .compress = copy_in, .decompress = copy_out, .decompress_all = copy_in};

static const rwl_codec_ops *find_ops(rwl_codec_id id) {
    switch (id) {
    case RWL_CODEC_NONE:
        return &none_ops;
    case RWL_CODEC_SNAPPY:
        return &rwl_codec_snappy;
    case RWL_CODEC_GZIP:
        return &rwl_codec_gzip;
    case RWL_CODEC_DEFLATE:
        return &rwl_codec_deflate;
    case RWL_CODEC_ZSTD:
        return &rwl_codec_zstd;
    case RWL_CODEC_LZ4_RAW:
        return &rwl_codec_lz4_raw;
    case RWL_CODEC_LZ4_HADOOP:
        return &rwl_codec_lz4_hadoop;
    case RWL_CODEC_BROTLI:
        return &rwl_codec_brotli;
    }
    return NULL;
}

rwl_status rwl_codec_new(const rwl_env *env, rwl_codec_id id, int level, rwl_codec **out, rwl_error *err) {
    *out = NULL;
    const rwl_codec_ops *ops = find_ops(id);
    if (!ops)
        return rwl_fail(err, RWL_INTERNAL, "no codec has the number %d", (int)id);
    bool has_levels = ops->max_level > 0;
    if (level != 0 && has_levels && (level < ops->min_level || level > ops->max_level))
        return rwl_fail(err, RWL_USAGE, "%s has no compression level %d: %d to %d are possible", ops->name,
                        level, ops->min_level, ops->max_level);
    rwl_codec *codec = rwl_calloc(env, 1, sizeof *codec);
    if (!codec)
        return rwl_no_memory(err, sizeof *codec);
    codec->env = env;
    codec->ops = ops;
    codec->id = id;
    codec->level = level ? level : ops->default_level;
    *out = codec;
    return RWL_OK;
}

void rwl_codec_free(rwl_codec *codec) {
    if (!codec)
        return;
    if (codec->ops->clear)
        codec->ops->clear(codec);
    rwl_free(codec->env, codec);
}

rwl_status rwl_codec_compress(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    return codec->ops->compress(codec, in, out, err);
}

rwl_status rwl_codec_decompress(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len, rwl_error *err) {
    return codec->ops->decompress(codec, in, out, out_len, err);
}

rwl_status rwl_codec_decompress_all(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err) {
    return codec->ops->decompress_all(codec, in, out, err);
}

const char *rwl_codec_name(rwl_codec_id id) {
    const rwl_codec_ops *ops = find_ops(id);
    return ops ? ops->name : "unknown";
}

bool rwl_codec_by_name(const char *name, rwl_codec_id *out) {
    static const struct {
        const char *name;
        rwl_codec_id id;
    } names[] = {
        {"zstd", RWL_CODEC_ZSTD},       {"gzip", RWL_CODEC_GZIP},     {"snappy", RWL_CODEC_SNAPPY},
        {"lz4", RWL_CODEC_LZ4_RAW}, /* what Hadoop calls so is not written */
        {"lz4_raw", RWL_CODEC_LZ4_RAW}, {"brotli", RWL_CODEC_BROTLI}, {"uncompressed", RWL_CODEC_NONE},
        {"none", RWL_CODEC_NONE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i].name) == 0) {
            *out = names[i].id;
            return true;
        }
    }
    return false;
}

rwl_status rwl_codec_wrong_size(const rwl_codec *codec, size_t out_len, size_t got, rwl_error *err) {
    if (got == SIZE_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%s data gives more than the %zu bytes it should", codec->ops->name,
                        out_len);
    return rwl_fail(err, RWL_CORRUPT, "%s data gives %zu bytes, not the %zu it should", codec->ops->name, got,
                    out_len);
}

rwl_status rwl_codec_grow(rwl_buf *out, size_t *room, rwl_error *err) {
    size_t left = out->max > out->len ? out->max - out->len : 0;
    size_t want = out->len < FIRST_ROOM ? FIRST_ROOM : out->len;
    *room = want < left ? want : left;
    while (out->op && *room > FIRST_ROOM && rwl_buf_reserve(out, *room, NULL) != RWL_OK)
        *room /= 2; /* what is still to come may fit a budget that twice as much does not */
    return rwl_buf_reserve(out, *room, err);
}
