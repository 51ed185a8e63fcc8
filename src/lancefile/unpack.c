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

static rwl_status decompress_declared(const rwl_lance_general *general, rwl_codec *codec, rwl_span in,
                                      uint64_t len, uint64_t ratio_max, rwl_buf *out, rwl_error *err) {
    if (len > (uint64_t)in.len * ratio_max)
        return rwl_fail(err, RWL_CORRUPT, "%s: %llu bytes declared, which %zu cannot give",
                        ratio_max == LZ4_RATIO_MAX ? "lz4" : "zstd", (unsigned long long)len, in.len);
    if (len > out->max)
        return rwl_fail(err, RWL_CORRUPT, "%s: %llu bytes declared where %zu are possible",
                        ratio_max == LZ4_RATIO_MAX ? "lz4" : "zstd", (unsigned long long)len, out->max);
    RWL_TRY(rwl_lance_general_fits(general, len, err));
    RWL_TRY(rwl_buf_reserve(out, (size_t)len, err));
    uint8_t nothing; /* a place for no bytes */
    RWL_TRY(rwl_codec_decompress(codec, in, len > 0 ? out->data : &nothing, (size_t)len, err));
    out->len = (size_t)len;
    return RWL_OK;
}

static rwl_status decode_lz4(rwl_lance_general *general, const rwl_env *env, rwl_span in, rwl_buf *out,
                             rwl_error *err) {
    if (!general->lz4)
        RWL_TRY(rwl_codec_new(env, RWL_CODEC_LZ4_RAW, 0, &general->lz4, err));
    if (in.len < 4)
        return rwl_fail(err, RWL_CORRUPT, "lz4: %zu bytes, too few for a length", in.len);
    return decompress_declared(general, general->lz4, rwl_span_of(in.data + 4, in.len - 4),
                               rwl_load_le32(in.data), LZ4_RATIO_MAX, out, err);
}

/* The frame's own length may be missing: as many bytes come out as do. */
static rwl_status decompress_frame(const rwl_lance_general *general, rwl_span in, rwl_buf *out,
                                   rwl_error *err) {
    size_t max = out->max;
    if (general->op != NULL && general->op->memory_limit > 0) {
        int64_t left = general->op->memory_limit - atomic_load(&general->op->memory_used);
        out->max = left <= 0 ? 0 : (uint64_t)left < max ? (size_t)left : max;
    }
    rwl_status st = rwl_codec_decompress_all(general->zstd, in, out, err);
    out->max = max;
    return st;
}

static rwl_status decode_zstd(rwl_lance_general *general, const rwl_env *env, rwl_span in, rwl_buf *out,
                              rwl_error *err) {
    if (!general->zstd)
        RWL_TRY(rwl_codec_new(env, RWL_CODEC_ZSTD, 0, &general->zstd, err));
    if (in.len >= 4 && rwl_load_le32(in.data) == ZSTD_MAGIC) /* as a length it would be above 4 GB */
        return decompress_frame(general, in, out, err);
    if (in.len < 8)
        return rwl_fail(err, RWL_CORRUPT, "zstd: %zu bytes, too few for a length", in.len);
    return decompress_declared(general, general->zstd, rwl_span_of(in.data + 8, in.len - 8),
                               rwl_load_le64(in.data), ZSTD_RATIO_MAX, out, err);
}

rwl_status rwl_lance_general_decode(rwl_lance_general *general, const rwl_env *env, rwl_lance_scheme scheme,
                                    rwl_span in, rwl_buf *out, rwl_error *err) {
    rwl_buf_reset(out);
    if (in.len == 0) /* nothing stays nothing */
        return RWL_OK;
    switch (scheme) {
    case RWL_LANCE_SCHEME_NONE:
        return rwl_buf_append(out, in.data, in.len, err);
    case RWL_LANCE_SCHEME_LZ4:
        return decode_lz4(general, env, in, out, err);
    case RWL_LANCE_SCHEME_ZSTD:
        return decode_zstd(general, env, in, out, err);
    }
    return rwl_fail(err, RWL_INTERNAL, "no compression scheme has the number %d", (int)scheme);
}
