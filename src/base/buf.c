/* SPDX-License-Identifier: Apache-2.0 */
/* Spans and growing buffers. */
#include "base/buf.h"

#include <stdio.h>

bool rwl_span_equal(rwl_span a, rwl_span b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

int rwl_span_compare(rwl_span a, rwl_span b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order == 0)
        order = (a.len > b.len) - (a.len < b.len);
    return (order > 0) - (order < 0);
}

int rwl_hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

void rwl_buf_init(rwl_buf *buf, const rwl_env *env, size_t max) {
    *buf = (rwl_buf){.env = env, .max = max};
}

void rwl_buf_charge(rwl_buf *buf, rwl_op *op, const char *what) {
    buf->op = op;
    buf->what = what;
}

void rwl_buf_clear(rwl_buf *buf) {
    if (buf->op)
        rwl_op_release(buf->op, (int64_t)buf->cap);
    rwl_free(buf->env, buf->data);
    buf->data = NULL;
    buf->len = buf->cap = 0;
}

/* Takes what growing to *cap costs from the budget; to `need` alone where no more fits. */
static rwl_status charge_growth(const rwl_buf *buf, size_t need, size_t *cap, rwl_error *err) {
    if (rwl_op_reserve(buf->op, (int64_t)(*cap - buf->cap), buf->what, NULL) == RWL_OK)
        return RWL_OK;
    *cap = need;
    return rwl_op_reserve(buf->op, (int64_t)(*cap - buf->cap), buf->what, err);
}

/* Makes room for `need` bytes in all, at least half as much again as there is. */
static rwl_status grow_to(rwl_buf *buf, size_t need, rwl_error *err) {
    if (need <= buf->cap)
        return RWL_OK;
    size_t cap = buf->cap + buf->cap / 2;
    if (cap < need)
        cap = need;
    if (cap < 64)
        cap = 64;
    if (buf->op)
        RWL_TRY(charge_growth(buf, need, &cap, err));
    uint8_t *data = rwl_realloc(buf->env, buf->data, cap);
    if (!data) {
        if (buf->op)
            rwl_op_release(buf->op, (int64_t)(cap - buf->cap));
        return rwl_no_memory(err, cap);
    }
    buf->data = data;
    buf->cap = cap;
    return RWL_OK;
}

rwl_status rwl_buf_reserve(rwl_buf *buf, size_t more, rwl_error *err) {
    size_t need;
    if (__builtin_add_overflow(buf->len, more, &need) || need > buf->max)
        return rwl_fail(err, RWL_UNSUPPORTED, "%zu bytes and %zu more pass the limit of %zu", buf->len, more,
                        buf->max);
    return grow_to(buf, need, err);
}

rwl_status rwl_buf_append(rwl_buf *buf, const void *data, size_t len, rwl_error *err) {
    RWL_TRY(rwl_buf_reserve(buf, len, err));
    if (len)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    return RWL_OK;
}

rwl_status rwl_buf_u8(rwl_buf *buf, uint8_t value, rwl_error *err) {
    return rwl_buf_append(buf, &value, 1, err);
}

rwl_status rwl_buf_le32(rwl_buf *buf, uint32_t value, rwl_error *err) {
    uint8_t bytes[4];
    rwl_store_le32(bytes, value);
    return rwl_buf_append(buf, bytes, sizeof bytes, err);
}

rwl_status rwl_buf_le64(rwl_buf *buf, uint64_t value, rwl_error *err) {
    uint8_t bytes[8];
    rwl_store_le64(bytes, value);
    return rwl_buf_append(buf, bytes, sizeof bytes, err);
}

rwl_status rwl_buf_be32(rwl_buf *buf, uint32_t value, rwl_error *err) {
    return rwl_buf_le32(buf, __builtin_bswap32(value), err);
}

rwl_status rwl_buf_varint(rwl_buf *buf, uint64_t value, rwl_error *err) {
    uint8_t bytes[10];
    size_t len = 0;
    while (value >= 0x80) {
        bytes[len++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[len++] = (uint8_t)value;
    return rwl_buf_append(buf, bytes, len, err);
}

rwl_status rwl_buf_zigzag(rwl_buf *buf, int64_t value, rwl_error *err) {
    uint64_t sign = value < 0 ? UINT64_MAX : 0;
    return rwl_buf_varint(buf, ((uint64_t)value << 1) ^ sign, err);
}

rwl_status rwl_buf_hex(rwl_buf *buf, rwl_span bytes, rwl_error *err) {
    static const char DIGITS[] = "0123456789abcdef";
    if (bytes.len > SIZE_MAX / 2)
        return rwl_no_memory(err, bytes.len);
    RWL_TRY(rwl_buf_reserve(buf, bytes.len * 2, err));
    for (size_t i = 0; i < bytes.len; i++) {
        buf->data[buf->len++] = (uint8_t)DIGITS[bytes.data[i] >> 4];
        buf->data[buf->len++] = (uint8_t)DIGITS[bytes.data[i] & 15];
    }
    return RWL_OK;
}

rwl_status rwl_buf_str(rwl_buf *buf, const char *text, rwl_error *err) {
    return rwl_buf_append(buf, text, strlen(text), err);
}

rwl_status rwl_buf_printf(rwl_buf *buf, rwl_error *err, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    rwl_status st = len < 0 ? rwl_fail(err, RWL_INTERNAL, "a text cannot be formatted")
                            : rwl_buf_reserve(buf, (size_t)len, err);
    if (st == RWL_OK)
        st = grow_to(buf, buf->len + (size_t)len + 1, err); /* vsnprintf's NUL is outside the limit */
    if (st == RWL_OK) {
        vsnprintf((char *)buf->data + buf->len, (size_t)len + 1, fmt, again);
        buf->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
    return st;
}

rwl_status rwl_buf_terminate(rwl_buf *buf, rwl_error *err) {
    if (buf->len == SIZE_MAX)
        return rwl_no_memory(err, buf->len);
    RWL_TRY(grow_to(buf, buf->len + 1, err));
    buf->data[buf->len] = 0;
    return RWL_OK;
}
