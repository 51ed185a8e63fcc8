/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of container files: their heads, their bytes uncompressed, their sync markers. */
#include "avro/container.h"

#include <inttypes.h>

void rwl_avro_blocks_init(rwl_avro_blocks *b, rwl_op *op, const rwl_avro_header *header) {
    memset(b, 0, sizeof *b);
    b->header = header;
    rwl_buf_init(&b->spill, op->env, RWL_AVRO_BLOCK_MAX + RWL_AVRO_SYNC_LEN);
    rwl_buf_init(&b->plain, op->env, RWL_AVRO_BLOCK_MAX);
    rwl_buf_charge(&b->spill, op, "an avro block");
    rwl_buf_charge(&b->plain, op, "an avro block uncompressed");
}

void rwl_avro_blocks_clear(rwl_avro_blocks *b) {
    rwl_avro_input_close(&b->input);
    rwl_codec_free(b->codec);
    b->codec = NULL;
    rwl_buf_clear(&b->spill);
    rwl_buf_clear(&b->plain);
}

rwl_status rwl_avro_block_open(rwl_avro_blocks *b, int64_t *count, int64_t *size, bool *end, rwl_error *err) {
    *count = *size = 0;
    *end = rwl_avro_input_left(&b->input) == 0;
    b->off = b->input.off;
    if (*end)
        return RWL_OK;
    RWL_TRY(rwl_avro_input_zigzag(&b->input, "a block", count, err));
    RWL_TRY(rwl_avro_input_zigzag(&b->input, "a block", size, err));
    if (*count < 0 || *size < 0)
        return rwl_fail(err, RWL_CORRUPT, "block has %" PRId64 " records in %" PRId64 " bytes", *count,
                        *size);
    if (*size > rwl_avro_input_left(&b->input))
        return rwl_fail(err, RWL_CORRUPT, "file ends inside a block: %" PRId64 " bytes are left of %" PRId64,
                        rwl_avro_input_left(&b->input), *size);
    return RWL_OK;
}

/* Snappy blocks end with the CRC-32 of what they hold, big-endian. */
static rwl_status uncompress(rwl_avro_blocks *b, rwl_span stored, rwl_error *err) {
    rwl_codec_id id = b->header->codec_id;
    if (b->codec == NULL)
        RWL_TRY(rwl_codec_new(b->plain.env, id, 0, &b->codec, err));
    rwl_buf_reset(&b->plain);
    if (id != RWL_CODEC_SNAPPY)
        return rwl_codec_decompress_all(b->codec, stored, &b->plain, err);
    if (stored.len < 4)
        return rwl_fail(err, RWL_CORRUPT, "snappy block of %zu bytes has no room for its CRC", stored.len);
    RWL_TRY(rwl_codec_decompress_all(b->codec, rwl_span_of(stored.data, stored.len - 4), &b->plain, err));
    uint32_t crc = rwl_crc32(0, rwl_buf_span(&b->plain)),
             expected = rwl_load_be32(stored.data + stored.len - 4);
    if (crc != expected)
        return rwl_fail(err, RWL_CORRUPT, "invalid CRC of snappy block: 0x%08x, expected 0x%08x", crc,
                        expected);
    return RWL_OK;
}

static rwl_status check_sync(const rwl_avro_blocks *b, const uint8_t *sync, rwl_error *err) {
    if (memcmp(sync, b->header->sync, RWL_AVRO_SYNC_LEN) == 0)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "block does not end with the file's sync marker");
}

rwl_status rwl_avro_block_read(rwl_avro_blocks *b, int64_t size, rwl_span *plain, rwl_error *err) {
    rwl_span stored;
    if (size > RWL_AVRO_BLOCK_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "block of %" PRId64 " bytes is larger than %d", size,
                        RWL_AVRO_BLOCK_MAX);
    RWL_TRY(
        rwl_avro_input_take(&b->input, (size_t)size + RWL_AVRO_SYNC_LEN, &b->spill, "a block", &stored, err));
    stored.len -= RWL_AVRO_SYNC_LEN;
    RWL_TRY(check_sync(b, stored.data + stored.len, err));
    *plain = stored;
    if (b->header->codec_id == RWL_CODEC_NONE)
        return RWL_OK;
    RWL_TRY(uncompress(b, stored, err));
    *plain = rwl_buf_span(&b->plain);
    return RWL_OK;
}

rwl_status rwl_avro_block_skip(rwl_avro_blocks *b, int64_t size, rwl_error *err) {
    rwl_span sync;
    RWL_TRY(rwl_avro_input_skip(&b->input, size, "a block", err));
    RWL_TRY(rwl_avro_input_take(&b->input, RWL_AVRO_SYNC_LEN, &b->spill, "a block", &sync, err));
    return check_sync(b, sync.data, err);
}
