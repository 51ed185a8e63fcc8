/* SPDX-License-Identifier: Apache-2.0 */
/* What one codec implements; one file a library. For this folder only. */
#ifndef RWL_CODEC_CODEC_INTERNAL_H
#define RWL_CODEC_CODEC_INTERNAL_H

#include "codec/codec.h"

/*
 * Contexts are made at first use, so that a reader never pays for a compressor. Those of zstd and libdeflate come from
 * the libraries' own allocators: neither takes one without touching the whole process.
 */
struct rwl_codec {
    const rwl_env *env;
    const struct rwl_codec_ops *ops;
    rwl_codec_id id;
    int level; /* never 0 */
    void *compressor, *decompressor;
};

typedef struct rwl_codec_ops {
    const char *name;
    int min_level, max_level, default_level; /* all 0 when there are none */
    rwl_status (*compress)(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err);
    rwl_status (*decompress)(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len, rwl_error *err);
    rwl_status (*decompress_all)(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err);
    void (*clear)(rwl_codec *codec); /* frees both contexts; may be NULL */
} rwl_codec_ops;

extern const rwl_codec_ops rwl_codec_snappy, rwl_codec_gzip, rwl_codec_deflate, rwl_codec_zstd,
    rwl_codec_lz4_raw, rwl_codec_lz4_hadoop, rwl_codec_brotli;

/* Decompression that does not give out_len bytes; `got` SIZE_MAX when it gives more. */
rwl_status rwl_codec_wrong_size(const rwl_codec *codec, size_t out_len, size_t got, rwl_error *err);
/* More free bytes after out->len, at least as many as there are, within out->max; 0 when it is full. */
RWL_MUST_CHECK rwl_status rwl_codec_grow(rwl_buf *out, size_t *room, rwl_error *err);

#endif
