/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding one value of a schema (Avro specification, "Binary Encoding"). */
#ifndef RWL_AVRO_DECODE_H
#define RWL_AVRO_DECODE_H

#include "avro/avro.h"

typedef struct rwl_avro_decoder {
    rwl_cursor in;       /* the uncompressed block */
    rwl_arena *arena;    /* of the record */
    int64_t values_left; /* that may yet be decoded */
} rwl_avro_decoder;

/* Nulls and empty records take no bytes: so that a few bytes do not become endless values, a file may have
 * this many values, and so many more for each byte of its blocks. */
#define RWL_AVRO_VALUES_FREE     (INT64_C(1) << 22)
#define RWL_AVRO_VALUES_PER_BYTE 64

/* Decodes one value of `schema` into `out`, whose parts are in the arena and whose bytes are in the block. */
RWL_MUST_CHECK rwl_status rwl_avro_decode(rwl_avro_decoder *d, const rwl_avro_schema *schema,
                                          rwl_avro_datum *out, rwl_error *err);

#endif
