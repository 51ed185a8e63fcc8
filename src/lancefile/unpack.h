/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codecs' kernels: compressed bytes to values, lengths checked before, nothing allocated but by rwl_lance_general.
 *
 * FastLanes bit packing of 1024 values of T bits, W bits each ("The FastLanes Compression Layout", VLDB 2023): 1024 * W / T words
 * in L = 1024 / T lanes; word k of a lane is words[L * k + lane]. In each lane, row r = 0 … T - 1 holds the value
 *
 *   ORDER[r / 8] * 16 + (r % 8) * 128 + lane          ORDER = 0 4 2 6 1 5 3 7
 *
 * in the bits from r * W of the lane's stream on, low bits first.
 */
#ifndef RWL_LANCEFILE_UNPACK_H
#define RWL_LANCEFILE_UNPACK_H

#include "codec/codec.h"
#include "column/batch.h"
#include "lancefile/encoding.h"

enum { RWL_LANCE_PACK = 1024 }; /* values of a packed block */

/* Unpacks one block of 1024 values of `bits` (8, 16, 32, 64) bits, `packed_bits` each (0 … bits), from 128 * packed_bits bytes. */
void rwl_lance_unpack(int bits, int packed_bits, const uint8_t *in, void *out);
/* Out of line: `count` values in blocks of 1024; the rest raw or as one more block, told by the length. Out has room for `count` values
 * rounded up to 1024. CORRUPT for another length or width. */
RWL_MUST_CHECK rwl_status rwl_lance_unpack_blocks(int bits, int packed_bits, rwl_span in, int64_t count,
                                                  void *out, rwl_error *err);
/* Runs: values of `width` bytes and a length of 1, 2 or 4 bytes each, `count` values in all; the last may pass the end, as in
 * chunks that pylance 0.39 wrote. CORRUPT when they give fewer, or more than that. */
RWL_MUST_CHECK rwl_status rwl_lance_unpack_runs(int width, rwl_span values, int length_width,
                                                rwl_span lengths, int64_t count, void *out, rwl_error *err);
/* Byte j of value i stands at j * n + i. */
RWL_MUST_CHECK rwl_status rwl_lance_unsplit(int width, rwl_span in, int64_t count, void *out, rwl_error *err);

/* An FSST symbol table (Boncz, Neumann, Leis, VLDB 2020) as the file holds it: 2312 bytes at most. */
typedef struct rwl_lance_fsst {
    bool is_raw;           /* text is not compressed */
    uint64_t symbols[256]; /* little endian bytes; of codes that are none: length 0 */
    uint8_t lengths[256];
} rwl_lance_fsst;
RWL_MUST_CHECK rwl_status rwl_lance_fsst_parse(rwl_span table, rwl_lance_fsst *out, rwl_error *err);
/* Decodes one value behind out->len. Room: 8 bytes for each byte of `in` and RWL_LANCE_FSST_SLACK more, reserved by the caller; returns
 * bytes written, -1 for a code that is none or an escape at the end. */
enum { RWL_LANCE_FSST_SLACK = 8 };
int64_t rwl_lance_fsst_decode(const rwl_lance_fsst *table, rwl_span in, uint8_t *out);

/* General compression: LZ4 (u32 length, block), zstd (u64 length, frame; or a bare frame). Replaces `out`, at most out->max bytes. The
 * scratch keeps contexts between calls. */
typedef struct rwl_lance_general {
    rwl_codec *lz4, *zstd; /* made when first needed */
    rwl_op *op;            /* whose budget what comes out has to fit; NULL where the caller has seen to it */
} rwl_lance_general;
void rwl_lance_general_clear(rwl_lance_general *general);
/* UNSUPPORTED for more bytes than the operation may still take. */
RWL_MUST_CHECK rwl_status rwl_lance_general_fits(const rwl_lance_general *general, uint64_t len,
                                                 rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_general_decode(rwl_lance_general *general, const rwl_env *env,
                                                   rwl_lance_scheme scheme, rwl_span in, rwl_buf *out,
                                                   rwl_error *err);
/* How many bytes `in` says that it becomes; *known false when it does not. CORRUPT for more than it can. */
RWL_MUST_CHECK rwl_status rwl_lance_general_length(rwl_lance_scheme scheme, rwl_span in, bool *known,
                                                   size_t *len, rwl_error *err);
/* Into `out`, of just that many bytes. */
RWL_MUST_CHECK rwl_status rwl_lance_general_decode_to(rwl_lance_general *general, const rwl_env *env,
                                                      rwl_lance_scheme scheme, rwl_span in, uint8_t *out,
                                                      size_t len, rwl_error *err);

/* --- blocks: levels, dictionaries (docs: "block compression") --- */

/* `count` values of `bits` (a number of bytes) from a block of the codec: flat, either bitpacking, RLE, general or fixed-size lists around
 * these, constant. `out` has room for count rounded up to 1024 values. UNSUPPORTED naming another codec. */
RWL_MUST_CHECK rwl_status rwl_lance_block_fixed(rwl_lance_general *general, const rwl_env *env,
                                                const rwl_lance_codec *codec, rwl_span in, int64_t count,
                                                int64_t bits, void *out, rwl_error *err);
/* The same of the values and the lengths of an RLE codec, which are blocks. CORRUPT when neither tells how many runs there are. */
RWL_MUST_CHECK rwl_status rwl_lance_block_runs(rwl_lance_general *general, const rwl_env *env,
                                               const rwl_lance_codec *codec, rwl_span values,
                                               rwl_span lengths, int64_t count, int64_t bits, void *out,
                                               rwl_error *err);
/* `count` variable-length values appended to a STRING or BINARY column: variable in block form, general around it, FSST. */
RWL_MUST_CHECK rwl_status rwl_lance_block_bytes(rwl_lance_general *general, const rwl_env *env,
                                                const rwl_lance_codec *codec, rwl_span in, int64_t count,
                                                rwl_column *out, rwl_error *err);

#endif
