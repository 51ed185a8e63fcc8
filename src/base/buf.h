/* SPDX-License-Identifier: Apache-2.0 */
/* Byte spans, growing buffers with a limit, and the bounds-checked cursor all input goes through. */
#ifndef RWL_BASE_BUF_H
#define RWL_BASE_BUF_H

#include "base/env.h"

#include <string.h>

/* Borrowed bytes. */
typedef struct rwl_span {
    const uint8_t *data;
    size_t len;
} rwl_span;

static inline rwl_span rwl_span_of(const void *data, size_t len) {
    rwl_span span = {(const uint8_t *)data, len};
    return span;
}
static inline rwl_span rwl_span_str(const char *text) {
    return rwl_span_of(text, strlen(text));
}
bool rwl_span_equal(rwl_span a, rwl_span b);
int rwl_span_compare(rwl_span a, rwl_span b); /* unsigned bytes, shorter first: -1, 0, 1 */

/* The value of a hexadecimal digit of either case, -1 for any other byte. */
int rwl_hex_digit(uint8_t c);

/* A growing buffer. Keeps its old block when growing fails. */
typedef struct rwl_buf {
    const rwl_env *env;
    uint8_t *data;
    size_t len, cap;
    size_t max; /* limit of len; SIZE_MAX for none */
    rwl_op *op; /* whose budget `cap` takes; NULL: none */
    const char *what;
} rwl_buf;

void rwl_buf_init(rwl_buf *buf, const rwl_env *env, size_t max);
/* Charges what it holds to an operation, which is to outlive it; while it is empty. `what`, a constant, is for refusals. */
void rwl_buf_charge(rwl_buf *buf, rwl_op *op, const char *what);
void rwl_buf_clear(rwl_buf *buf);
static inline void rwl_buf_reset(rwl_buf *buf) {
    buf->len = 0;
}
static inline rwl_span rwl_buf_span(const rwl_buf *buf) {
    return rwl_span_of(buf->data, buf->len);
}
/* Room for `more` bytes after len; NO_MEMORY, or UNSUPPORTED when over the limit. */
RWL_MUST_CHECK rwl_status rwl_buf_reserve(rwl_buf *buf, size_t more, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_append(rwl_buf *buf, const void *data, size_t len, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_u8(rwl_buf *buf, uint8_t value, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_le32(rwl_buf *buf, uint32_t value, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_le64(rwl_buf *buf, uint64_t value, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_be32(rwl_buf *buf, uint32_t value, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_varint(rwl_buf *buf, uint64_t value, rwl_error *err); /* LEB128 */
RWL_MUST_CHECK rwl_status rwl_buf_zigzag(rwl_buf *buf, int64_t value, rwl_error *err);
/* Two lower-case digits a byte. */
RWL_MUST_CHECK rwl_status rwl_buf_hex(rwl_buf *buf, rwl_span bytes, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_buf_str(rwl_buf *buf, const char *text, rwl_error *err); /* no NUL */
RWL_MUST_CHECK rwl_status rwl_buf_printf(rwl_buf *buf, rwl_error *err, const char *fmt, ...) RWL_PRINTF(3, 4);
/* NUL after the content, not counted in len. */
RWL_MUST_CHECK rwl_status rwl_buf_terminate(rwl_buf *buf, rwl_error *err);

/* A read position in borrowed bytes. Every read checks what is left and fails with CORRUPT, offset set. */
typedef struct rwl_cursor {
    const uint8_t *data;
    size_t len, pos;
} rwl_cursor;

static inline rwl_cursor rwl_cursor_of(rwl_span span) {
    rwl_cursor c = {span.data, span.len, 0};
    return c;
}
static inline size_t rwl_cursor_left(const rwl_cursor *c) {
    return c->len - c->pos;
}
RWL_MUST_CHECK rwl_status rwl_cursor_bytes(rwl_cursor *c, size_t len, rwl_span *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_skip(rwl_cursor *c, size_t len, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_u8(rwl_cursor *c, uint8_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_le16(rwl_cursor *c, uint16_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_le32(rwl_cursor *c, uint32_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_le64(rwl_cursor *c, uint64_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_be32(rwl_cursor *c, uint32_t *out, rwl_error *err);
RWL_MUST_CHECK rwl_status rwl_cursor_varint(rwl_cursor *c, uint64_t *out, rwl_error *err); /* <= 10 bytes */
RWL_MUST_CHECK rwl_status rwl_cursor_zigzag(rwl_cursor *c, int64_t *out, rwl_error *err);

/* Little-endian loads and stores of any alignment. */
static inline uint16_t rwl_load_le16(const uint8_t *p) {
    return (uint16_t)(p[0] | (uint16_t)(p[1] << 8));
}
static inline uint32_t rwl_load_le32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t rwl_load_le64(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}
static inline void rwl_store_le32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}
static inline void rwl_store_le64(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}
static inline uint32_t rwl_load_be32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

#endif
