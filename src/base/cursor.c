/* SPDX-License-Identifier: Apache-2.0 */
/* The cursor: every read checks what is left before it looks. */
#include "base/buf.h"

static rwl_status fail_short(const rwl_cursor *c, size_t need, rwl_error *err) {
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "input ends at byte %zu: %zu bytes needed at %zu",
                       c->len, need, c->pos);
}

rwl_status rwl_cursor_bytes(rwl_cursor *c, size_t len, rwl_span *out, rwl_error *err) {
    if (len > rwl_cursor_left(c))
        return fail_short(c, len, err);
    *out = rwl_span_of(c->data ? c->data + c->pos : NULL, len);
    c->pos += len;
    return RWL_OK;
}

rwl_status rwl_cursor_skip(rwl_cursor *c, size_t len, rwl_error *err) {
    if (len > rwl_cursor_left(c))
        return fail_short(c, len, err);
    c->pos += len;
    return RWL_OK;
}

rwl_status rwl_cursor_u8(rwl_cursor *c, uint8_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) < 1)
        return fail_short(c, 1, err);
    *out = c->data[c->pos++];
    return RWL_OK;
}

rwl_status rwl_cursor_le16(rwl_cursor *c, uint16_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) < 2)
        return fail_short(c, 2, err);
    *out = rwl_load_le16(c->data + c->pos);
    c->pos += 2;
    return RWL_OK;
}

rwl_status rwl_cursor_le32(rwl_cursor *c, uint32_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) < 4)
        return fail_short(c, 4, err);
    *out = rwl_load_le32(c->data + c->pos);
    c->pos += 4;
    return RWL_OK;
}

rwl_status rwl_cursor_le64(rwl_cursor *c, uint64_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) < 8)
        return fail_short(c, 8, err);
    *out = rwl_load_le64(c->data + c->pos);
    c->pos += 8;
    return RWL_OK;
}

rwl_status rwl_cursor_be32(rwl_cursor *c, uint32_t *out, rwl_error *err) {
    if (rwl_cursor_left(c) < 4)
        return fail_short(c, 4, err);
    *out = rwl_load_be32(c->data + c->pos);
    c->pos += 4;
    return RWL_OK;
}

rwl_status rwl_cursor_varint(rwl_cursor *c, uint64_t *out, rwl_error *err) {
    size_t pos = c->pos;
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (pos == c->len)
            return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "input ends inside the number at byte %zu",
                               c->pos);
        uint8_t byte = c->data[pos++];
        if (shift == 63 && byte > 1) /* the tenth byte has room for one bit */
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            c->pos = pos;
            *out = value;
            return RWL_OK;
        }
    }
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "the number at byte %zu needs more than 64 bits",
                       c->pos);
}

rwl_status rwl_cursor_zigzag(rwl_cursor *c, int64_t *out, rwl_error *err) {
    uint64_t value;
    RWL_TRY(rwl_cursor_varint(c, &value, err));
    *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    return RWL_OK;
}
