/* SPDX-License-Identifier: Apache-2.0 */
/* A container file's header and its blocks one after another, uncompressed; shared by both readers. */
#ifndef RWL_AVRO_CONTAINER_H
#define RWL_AVRO_CONTAINER_H

#include "avro/avro.h"
#include "avro/input.h"

enum { RWL_AVRO_SYNC_LEN = 16 };

typedef struct rwl_avro_header {
    rwl_arena arena; /* of metadata and schema */
    struct rwl_avro_header_entry *metadata;
    const rwl_avro_known_schema *known; /* set before reading; may be NULL */
    const rwl_avro_schema *schema;
    rwl_codec_id codec_id;
    uint8_t sync[RWL_AVRO_SYNC_LEN];
    int64_t end; /* where the first block begins */
} rwl_avro_header;

/* The operation is to outlive it: what is read is charged to it. */
void rwl_avro_header_init(rwl_avro_header *h, rwl_op *op);
void rwl_avro_header_clear(rwl_avro_header *h);
/* Reads the header at the front of the file. UNSUPPORTED: encrypted, a codec that is not ours. */
RWL_MUST_CHECK rwl_status rwl_avro_header_read(rwl_avro_header *h, rwl_avro_input *in, rwl_error *err);
/* A metadata value, data NULL when absent; NUL-terminated behind its end. */
rwl_span rwl_avro_header_get(const rwl_avro_header *h, const char *key);

typedef struct rwl_avro_blocks {
    const rwl_avro_header *header;
    rwl_avro_input input;
    rwl_codec *codec;     /* NULL for null */
    rwl_buf spill, plain; /* a block as stored and uncompressed */
    int64_t off;          /* of the current block in the file */
} rwl_avro_blocks;

/* `header` may be filled later, before the first block. Blocks are charged to the operation. The input is opened by the
 * caller and closed by clear. */
void rwl_avro_blocks_init(rwl_avro_blocks *b, rwl_op *op, const rwl_avro_header *header);
void rwl_avro_blocks_clear(rwl_avro_blocks *b);
/* The head of the next block: its records and stored bytes; *end at the end of the file. Then one of: */
RWL_MUST_CHECK rwl_status rwl_avro_block_open(rwl_avro_blocks *b, int64_t *count, int64_t *size, bool *end,
                                              rwl_error *err);
/* its uncompressed bytes, valid until the next call, */
RWL_MUST_CHECK rwl_status rwl_avro_block_read(rwl_avro_blocks *b, int64_t size, rwl_span *plain,
                                              rwl_error *err);
/* or nothing but its sync marker. */
RWL_MUST_CHECK rwl_status rwl_avro_block_skip(rwl_avro_blocks *b, int64_t size, rwl_error *err);

#endif
