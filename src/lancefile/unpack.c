/* SPDX-License-Identifier: Apache-2.0 */
/* Byte streams and general compression. */
#include "lancefile/unpack.h"

/* --- byte streams --- */

static void unsplit_32(const uint8_t *restrict in, size_t n, uint8_t *restrict out) {
    const uint8_t *b1 = in + n, *b2 = b1 + n, *b3 = b2 + n;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = in[i] | (uint32_t)b1[i] << 8 | (uint32_t)b2[i] << 16 | (uint32_t)b3[i] << 24;
        memcpy(out + i * 4, &value, 4);
    }
}

static void unsplit_64(const uint8_t *restrict in, size_t n, uint8_t *restrict out) {
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        for (size_t j = 0; j < 8; j++)
            value |= (uint64_t)in[j * n + i] << (8 * j);
        memcpy(out + i * 8, &value, 8);
    }
}

rwl_status rwl_lance_unsplit(int width, rwl_span in, int64_t count, void *out, rwl_error *err) {
    if (width < 1 || count < 0 || in.len % (size_t)width != 0 || in.len / (size_t)width != (size_t)count)
        return rwl_fail(err, RWL_CORRUPT, "split byte streams: %zu bytes of %lld values of %d bytes", in.len,
                        (long long)count, width);
    size_t n = (size_t)count, w = (size_t)width;
    uint8_t *to = out;
    if (width == 4) {
        unsplit_32(in.data, n, to);
    } else if (width == 8) {
        unsplit_64(in.data, n, to);
    } else {
        for (size_t j = 0; j < w; j++)
            for (size_t i = 0; i < n; i++)
                to[i * w + j] = in.data[j * n + i];
    }
    return RWL_OK;
}

/* --- general compression --- */

enum {
    LZ4_RATIO_MAX = 255,     /* a byte of a match length stands for 255 bytes */
    ZSTD_RATIO_MAX = 1 << 15 /* a block of 128 KiB of the same byte takes 4 */
};
#define ZSTD_MAGIC UINT32_C(0xFD2FB528)

void rwl_lance_general_clear(rwl_lance_general *general) {
    rwl_codec_free(general->lz4);
    rwl_codec_free(general->zstd);
    general->lz4 = general->zstd = NULL;
}

rwl_status rwl_lance_general_fits(const rwl_lance_general *general, uint64_t len, rwl_error *err) {
    if (general->op == NULL)
        return RWL_OK;
    int64_t size = len < INT64_MAX ? (int64_t)len : INT64_MAX;
    RWL_TRY(rwl_op_reserve(general->op, size, "decompressing", err));
    rwl_op_release(general->op, size);
    return RWL_OK;
}

/* The length before the compressed bytes. */
static size_t head_length(rwl_lance_scheme scheme) {
    return scheme == RWL_LANCE_SCHEME_LZ4 ? 4 : scheme == RWL_LANCE_SCHEME_ZSTD ? 8 : 0;
}

static bool is_bare_frame(rwl_lance_scheme scheme, rwl_span in) {
    return scheme == RWL_LANCE_SCHEME_ZSTD && in.len >= 4 &&
           rwl_load_le32(in.data) == ZSTD_MAGIC; /* as a length it would be above 4 GB */
}

rwl_status rwl_lance_general_length(rwl_lance_scheme scheme, rwl_span in, bool *known, size_t *len,
                                    rwl_error *err) {
    bool is_lz4 = scheme == RWL_LANCE_SCHEME_LZ4;
    size_t head = head_length(scheme);
    *known = !is_bare_frame(scheme, in);
    *len = in.len;
    if (!*known || in.len == 0 || scheme == RWL_LANCE_SCHEME_NONE) /* nothing stays nothing */
        return RWL_OK;
    if (in.len < head)
        return rwl_fail(err, RWL_CORRUPT, "%s: %zu bytes, too few for a length", is_lz4 ? "lz4" : "zstd",
                        in.len);
    uint64_t declared = is_lz4 ? rwl_load_le32(in.data) : rwl_load_le64(in.data);
    if (declared > (uint64_t)(in.len - head) * (is_lz4 ? LZ4_RATIO_MAX : ZSTD_RATIO_MAX))
        return rwl_fail(err, RWL_CORRUPT, "%s: %llu bytes declared, which %zu cannot give",
                        is_lz4 ? "lz4" : "zstd", (unsigned long long)declared, in.len - head);
    *len = (size_t)declared;
    return RWL_OK;
}

static rwl_status need_codec(rwl_lance_general *general, const rwl_env *env, rwl_lance_scheme scheme,
                             rwl_codec **out, rwl_error *err) {
    bool is_lz4 = scheme == RWL_LANCE_SCHEME_LZ4;
    rwl_codec **codec = is_lz4 ? &general->lz4 : &general->zstd;
    if (*codec == NULL)
        RWL_TRY(rwl_codec_new(env, is_lz4 ? RWL_CODEC_LZ4_RAW : RWL_CODEC_ZSTD, 0, codec, err));
    *out = *codec;
    return RWL_OK;
}

rwl_status rwl_lance_general_decode_to(rwl_lance_general *general, const rwl_env *env,
                                       rwl_lance_scheme scheme, rwl_span in, uint8_t *out, size_t len,
                                       rwl_error *err) {
    size_t head = head_length(scheme);
    rwl_codec *codec;
    uint8_t nothing; /* a place for no bytes */
    if (in.len == 0)
        return RWL_OK;
    if (scheme == RWL_LANCE_SCHEME_NONE) {
        memcpy(out, in.data, len);
        return RWL_OK;
    }
    RWL_TRY(need_codec(general, env, scheme, &codec, err));
    return rwl_codec_decompress(codec, rwl_span_of(in.data + head, in.len - head), len > 0 ? out : &nothing,
                                len, err);
}

/* As many bytes come out as do. */
static rwl_status decompress_frame(rwl_lance_general *general, const rwl_env *env, rwl_span in, rwl_buf *out,
                                   rwl_error *err) {
    size_t max = out->max;
    rwl_codec *zstd;
    RWL_TRY(need_codec(general, env, RWL_LANCE_SCHEME_ZSTD, &zstd, err));
    if (general->op != NULL && general->op->memory_limit > 0) {
        int64_t left = general->op->memory_limit - atomic_load(&general->op->memory_used);
        out->max = left <= 0 ? 0 : (uint64_t)left < max ? (size_t)left : max;
    }
    rwl_status st = rwl_codec_decompress_all(zstd, in, out, err);
    out->max = max;
    return st;
}

rwl_status rwl_lance_general_decode(rwl_lance_general *general, const rwl_env *env, rwl_lance_scheme scheme,
                                    rwl_span in, rwl_buf *out, rwl_error *err) {
    bool known;
    size_t len;
    rwl_buf_reset(out);
    RWL_TRY(rwl_lance_general_length(scheme, in, &known, &len, err));
    if (!known)
        return decompress_frame(general, env, in, out, err);
    if (len > out->max)
        return rwl_fail(err, RWL_CORRUPT, "%zu bytes declared where %zu are possible", len, out->max);
    if (scheme != RWL_LANCE_SCHEME_NONE)
        RWL_TRY(rwl_lance_general_fits(general, len, err));
    RWL_TRY(rwl_buf_reserve(out, len, err));
    RWL_TRY(rwl_lance_general_decode_to(general, env, scheme, in, out->data, len, err));
    out->len = len;
    return RWL_OK;
}
