/* SPDX-License-Identifier: Apache-2.0 */
/* Sets right what a changed container file has wrong by chance. */
#include "avro_patch.h"

#include "avro/avro.h"

#include <stdlib.h>

enum { SYNC_LEN = 16 };

static bool skip_bytes(rwl_cursor *c, rwl_span *out) {
    int64_t len;
    return rwl_cursor_zigzag(c, &len, NULL) == RWL_OK && len >= 0 && (uint64_t)len <= rwl_cursor_left(c) &&
           rwl_cursor_bytes(c, (size_t)len, out, NULL) == RWL_OK;
}

/* Goes to the sync marker behind the header's metadata. */
static bool skip_header(rwl_cursor *c, bool *snappy) {
    rwl_span key, value;
    int64_t count, size;
    if (rwl_cursor_skip(c, 4, NULL) != RWL_OK)
        return false;
    while (rwl_cursor_zigzag(c, &count, NULL) == RWL_OK && count != 0) {
        if (count < 0 && rwl_cursor_zigzag(c, &size, NULL) != RWL_OK)
            return false;
        for (count = count == INT64_MIN ? 0 : llabs(count); count > 0; count--) {
            if (!skip_bytes(c, &key) || !skip_bytes(c, &value))
                return false;
            *snappy |= rwl_span_equal(value, rwl_span_str("snappy"));
        }
    }
    return rwl_cursor_left(c) >= SYNC_LEN;
}

static void patch_crc(const rwl_env *env, uint8_t *block, size_t len) {
    rwl_codec *codec;
    rwl_buf plain;
    rwl_buf_init(&plain, env, 1 << 20);
    if (len >= 4 && rwl_codec_new(env, RWL_CODEC_SNAPPY, 0, &codec, NULL) == RWL_OK) {
        if (rwl_codec_decompress_all(codec, rwl_span_of(block, len - 4), &plain, NULL) == RWL_OK) {
            uint32_t crc = rwl_crc32(0, rwl_buf_span(&plain));
            for (int i = 0; i < 4; i++)
                block[len - 4 + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        }
        rwl_codec_free(codec);
    }
    rwl_buf_clear(&plain);
}

void avro_patch(const rwl_env *env, uint8_t *file, size_t len) {
    rwl_cursor c = rwl_cursor_of(rwl_span_of(file, len));
    bool snappy = false;
    int64_t count, size;
    if (!skip_header(&c, &snappy))
        return;
    const uint8_t *sync = file + c.pos;
    c.pos += SYNC_LEN;
    while (rwl_cursor_zigzag(&c, &count, NULL) == RWL_OK && rwl_cursor_zigzag(&c, &size, NULL) == RWL_OK) {
        if (size < 0 || (uint64_t)size > rwl_cursor_left(&c) || rwl_cursor_left(&c) - (size_t)size < SYNC_LEN)
            return;
        if (snappy)
            patch_crc(env, file + c.pos, (size_t)size);
        memcpy(file + c.pos + size, sync, SYNC_LEN);
        c.pos += (size_t)size + SYNC_LEN;
    }
}
