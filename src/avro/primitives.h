/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, lengths and counts of the binary encoding, each checked against the bytes that are left. */
#ifndef RWL_AVRO_PRIMITIVES_H
#define RWL_AVRO_PRIMITIVES_H

#include "base/buf.h"

#include <inttypes.h>

/* A zigzag number: in place where ten bytes are left, the most that one takes. */
static inline rwl_status rwl_avro_read_long(rwl_cursor *c, int64_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) >= 10) {
        const uint8_t *p = c->data + c->pos;
        uint64_t v = 0;
        for (unsigned i = 0; i < 9; i++) {
            v |= (uint64_t)(p[i] & 0x7f) << (7 * i);
            if (p[i] < 0x80) {
                c->pos += i + 1;
                *out = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
                return RWL_OK;
            }
        }
    }
    return rwl_cursor_zigzag(c, out, err);
}

static inline rwl_status rwl_avro_read_int(rwl_cursor *c, int64_t *out, rwl_error *err) {
    int64_t at = (int64_t)c->pos;
    RWL_TRY(rwl_avro_read_long(c, out, err));
    if (*out < INT32_MIN || *out > INT32_MAX)
        return rwl_fail_at(err, RWL_CORRUPT, at, "int is %" PRId64 ", which is no 32-bit number", *out);
    return RWL_OK;
}

static inline rwl_status rwl_avro_read_bool(rwl_cursor *c, bool *out, rwl_error *err) {
    uint8_t byte = 0;
    RWL_TRY(rwl_cursor_u8(c, &byte, err));
    if (byte > 1)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos - 1, "boolean is %u, not 0 or 1",
                           (unsigned)byte);
    *out = byte == 1;
    return RWL_OK;
}

/* Length and bytes, borrowed from the input. */
static inline rwl_status rwl_avro_read_bytes(rwl_cursor *c, rwl_span *out, rwl_error *err) {
    int64_t at = (int64_t)c->pos, len;
    RWL_TRY(rwl_avro_read_long(c, &len, err));
    if (len < 0 || (uint64_t)len > rwl_cursor_left(c))
        return rwl_fail_at(err, RWL_CORRUPT, at, "length is %" PRId64 ", %zu bytes are left in the block",
                           len, rwl_cursor_left(c));
    *out = rwl_span_of(c->data + c->pos, (size_t)len);
    c->pos += (size_t)len;
    return RWL_OK;
}

/* An index below `count`: of a union's branch or an enum's symbol. */
static inline rwl_status rwl_avro_read_index(rwl_cursor *c, int32_t count, const char *what, int64_t *out,
                                             rwl_error *err) {
    int64_t at = (int64_t)c->pos;
    RWL_TRY(rwl_avro_read_long(c, out, err));
    if (*out < 0 || *out >= count)
        return rwl_fail_at(err, RWL_CORRUPT, at, "%s is %" PRId64 ", there are %d", what, *out, count);
    return RWL_OK;
}

/* The count of the next run of items, 0 at the end, and its bytes, -1 where it does not say: it does behind a
 * negative count. */
static inline rwl_status rwl_avro_read_count(rwl_cursor *c, int64_t *count, int64_t *size, rwl_error *err) {
    int64_t at = (int64_t)c->pos;
    *size = -1;
    RWL_TRY(rwl_avro_read_long(c, count, err));
    if (*count >= 0)
        return RWL_OK;
    RWL_TRY(rwl_avro_read_long(c, size, err));
    if (*count == INT64_MIN || *size < 0 || (uint64_t)*size > rwl_cursor_left(c))
        return rwl_fail_at(err, RWL_CORRUPT, at,
                           "items: count is %" PRId64 ", size %" PRId64 ", %zu bytes are left", *count, *size,
                           rwl_cursor_left(c));
    *count = -*count;
    return RWL_OK;
}

#endif
