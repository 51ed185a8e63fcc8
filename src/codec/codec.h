/* SPDX-License-Identifier: Apache-2.0 */
/* Compression behind one table. */
#ifndef RWL_CODEC_CODEC_H
#define RWL_CODEC_CODEC_H

#include "base/buf.h"

typedef enum rwl_codec_id {
    RWL_CODEC_NONE,
    RWL_CODEC_SNAPPY,  /* raw block */
    RWL_CODEC_GZIP,    /* RFC 1952, concatenated members accepted */
    RWL_CODEC_DEFLATE, /* RFC 1951 raw, as Avro has it */
    RWL_CODEC_ZSTD,
    RWL_CODEC_LZ4_RAW, /* one LZ4 block */
    RWL_CODEC_LZ4_HADOOP, /* read only: Hadoop's frames (u32 BE sizes before blocks), or a raw block that claims it */
    RWL_CODEC_BROTLI
} rwl_codec_id;
#define RWL_CODEC_COUNT (RWL_CODEC_BROTLI + 1)

/* Reusable state (compression contexts); one thread at a time. */
typedef struct rwl_codec rwl_codec;

/* `level` 0 is the codec's default. */
RWL_MUST_CHECK rwl_status rwl_codec_new(const rwl_env *env, rwl_codec_id id, int level, rwl_codec **out,
                                        rwl_error *err);
void rwl_codec_free(rwl_codec *codec);
/* Appends the compressed form of `in`. */
RWL_MUST_CHECK rwl_status rwl_codec_compress(rwl_codec *codec, rwl_span in, rwl_buf *out, rwl_error *err);
/* Decompresses to exactly `out_len` bytes; CORRUPT when it gives more or fewer. */
RWL_MUST_CHECK rwl_status rwl_codec_decompress(rwl_codec *codec, rwl_span in, uint8_t *out, size_t out_len,
                                               rwl_error *err);
/* Decompresses content of unknown size, appended to `out`, at most out->max bytes in all. */
RWL_MUST_CHECK rwl_status rwl_codec_decompress_all(rwl_codec *codec, rwl_span in, rwl_buf *out,
                                                   rwl_error *err);
const char *rwl_codec_name(rwl_codec_id id); /* "zstd", … */
/* By Iceberg's property names (zstd gzip snappy lz4 lz4_raw brotli uncompressed none), any case; false when not ours.
 * lz4 is LZ4_RAW here: Hadoop's framing is not written. */
bool rwl_codec_by_name(const char *name, rwl_codec_id *out);

uint32_t rwl_crc32(uint32_t crc, rwl_span bytes); /* zlib polynomial, start with 0 */

#endif
