/* SPDX-License-Identifier: Apache-2.0 */
/* What encoding.c (layouts), encoding_codec.c (codecs), encoding20.c (arrays) and encoding_format.c (texts) share. */
#ifndef RWL_LANCEFILE_ENCODING_INTERNAL_H
#define RWL_LANCEFILE_ENCODING_INTERNAL_H

#include "lancefile/encoding.h"
#include "wire/proto.h"

enum { RWL_LANCE_BITS_MAX = 1 << 26 }; /* of a value: 8 MiB */

typedef struct rwl_lance_codec_parser {
    rwl_arena *arena;
    int depth;
    bool is_packed; /* the codec to parse may be of values without bits */
} rwl_lance_codec_parser;

/* A number from min to max; CORRUPT naming `what`. */
RWL_MUST_CHECK rwl_status rwl_lance_take_number(const rwl_proto_field *field, const char *what, int64_t min,
                                                int64_t max, int64_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_lance_take_bytes(const rwl_proto_field *field, rwl_span *out, rwl_error *err);

/* What a message that is a oneof of messages holds: the last field; number 0: nothing. */
typedef struct rwl_lance_arm_of {
    uint32_t number;
    rwl_span message;
} rwl_lance_arm_of;
RWL_MUST_CHECK rwl_status rwl_lance_find_arm(rwl_span message, rwl_lance_arm_of *out, rwl_error *err);

/* The codec that is this field. */
RWL_MUST_CHECK rwl_status rwl_lance_codec_parse(rwl_lance_codec_parser *p, const rwl_proto_field *field,
                                                const rwl_lance_codec **out, rwl_error *err);
/* "none", "lz4", "zstd": as messages of 2.0 and texts have it. */
const char *rwl_lance_scheme_name(rwl_lance_scheme scheme);
/* CORRUPT unless it is there. */
RWL_MUST_CHECK rwl_status rwl_lance_need_codec(const rwl_lance_codec *codec, const char *what,
                                               rwl_error *err);

#endif
