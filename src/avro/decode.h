/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding one value of a schema (Avro specification, "Binary Encoding"). */
#ifndef RWL_AVRO_DECODE_H
#define RWL_AVRO_DECODE_H

#include "avro/avro.h"

typedef struct rwl_avro_decoder {
    rwl_cursor in;      /* the uncompressed block */
    rwl_arena *arena;   /* of the record */
    int64_t values_left; /* a few bytes must not become endless values: null and empty records take none */
} rwl_avro_decoder;

/* How many values a block of `len` bytes may decode to. */
int64_t rwl_avro_values_max(size_t len);
/* Decodes one value of `schema` into `out`, whose parts are in the arena and whose bytes are in the block. */
RWL_MUST_CHECK rwl_status rwl_avro_decode(rwl_avro_decoder *d, const rwl_avro_schema *schema, rwl_avro_datum *out, rwl_error *err);

#endif
