/* SPDX-License-Identifier: Apache-2.0 */
/* Thrift compact protocol: reading from a bounds-checked cursor, writing to a growing buffer. */
#include "wire/thrift.h"

enum { THRIFT_DEPTH_MAX = 32 };

static rwl_status fail_at(const rwl_cursor *c, rwl_error *err, const char *what) {
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "thrift: %s", what);
}

/* --- reading --- */

rwl_status rwl_thrift_next(rwl_cursor *c, int16_t *last_id, rwl_thrift_field *out, rwl_error *err) {
    uint8_t head;
    if (rwl_cursor_left(c) == 0)
        return rwl_cursor_u8(c, &head, err); /* fails; a call for every field would show */
    head = c->data[c->pos++];
    uint8_t type = head & 0x0f;
    uint8_t delta = (uint8_t)(head >> 4);
    if (type == RWL_THRIFT_STOP) {
        if (delta != 0)
            return fail_at(c, err, "stop with a field id");
        out->type = RWL_THRIFT_STOP;
        out->id = 0;
        return RWL_OK;
    }
    if (type > RWL_THRIFT_STRUCT)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos - 1, "thrift: unknown type %u", type);
    int16_t id;
    if (delta == 0) {
        RWL_TRY(rwl_thrift_i16(c, &id, err));
    } else {
        if (*last_id > INT16_MAX - delta)
            return fail_at(c, err, "field id above 32767");
        id = (int16_t)(*last_id + delta);
    }
    out->type = (rwl_thrift_type)type;
    out->id = id;
    *last_id = id;
    return RWL_OK;
}

rwl_status rwl_thrift_struct(rwl_cursor *c, rwl_thrift_reader read, void *ctx, rwl_error *err) {
    int16_t last = 0;
    for (;;) {
        rwl_thrift_field f = {RWL_THRIFT_STOP, 0}; /* gcc does not see that it is always set */
        RWL_TRY(rwl_thrift_next(c, &last, &f, err));
        if (f.type == RWL_THRIFT_STOP)
            return RWL_OK;
        RWL_TRY(read(ctx, c, f, err));
    }
}

static rwl_status read_choice(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    *(int16_t *)ctx = f.id;
    return rwl_thrift_skip(c, f.type, err);
}

rwl_status rwl_thrift_union(rwl_cursor *c, int16_t *which, rwl_error *err) {
    return rwl_thrift_struct(c, read_choice, which, err);
}

rwl_status rwl_thrift_i8(rwl_cursor *c, int8_t *out, rwl_error *err) {
    uint8_t byte;
    RWL_TRY(rwl_cursor_u8(c, &byte, err));
    memcpy(out, &byte, 1);
    return RWL_OK;
}

rwl_status rwl_thrift_i16(rwl_cursor *c, int16_t *out, rwl_error *err) {
    int64_t v;
    RWL_TRY(rwl_cursor_zigzag(c, &v, err));
    if (v < INT16_MIN || v > INT16_MAX)
        return fail_at(c, err, "number wider than 16 bits");
    *out = (int16_t)v;
    return RWL_OK;
}

rwl_status rwl_thrift_i32(rwl_cursor *c, int32_t *out, rwl_error *err) {
    int64_t v;
    RWL_TRY(rwl_cursor_zigzag(c, &v, err));
    if (v < INT32_MIN || v > INT32_MAX)
        return fail_at(c, err, "number wider than 32 bits");
    *out = (int32_t)v;
    return RWL_OK;
}

rwl_status rwl_thrift_i64(rwl_cursor *c, int64_t *out, rwl_error *err) {
    return rwl_cursor_zigzag(c, out, err);
}

rwl_status rwl_thrift_binary(rwl_cursor *c, rwl_span *out, rwl_error *err) {
    uint64_t len;
    RWL_TRY(rwl_cursor_varint(c, &len, err));
    if (len > rwl_cursor_left(c))
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos,
                           "thrift: binary of %llu bytes where %zu are left", (unsigned long long)len,
                           rwl_cursor_left(c));
    return rwl_cursor_bytes(c, (size_t)len, out, err);
}

rwl_status rwl_thrift_list(rwl_cursor *c, rwl_thrift_type *item, uint32_t *count, rwl_error *err) {
    uint8_t head;
    RWL_TRY(rwl_cursor_u8(c, &head, err));
    uint64_t n = head >> 4;
    uint8_t type = head & 0x0f;
    if (n == 15)
        RWL_TRY(rwl_cursor_varint(c, &n, err));
    if (n > rwl_cursor_left(c) || n > UINT32_MAX)
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos,
                           "thrift: list of %llu items where %zu bytes are left", (unsigned long long)n,
                           rwl_cursor_left(c));
    if (type > RWL_THRIFT_STRUCT || (type == RWL_THRIFT_STOP && n > 0))
        return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "thrift: list of unknown type %u", type);
    *item = (rwl_thrift_type)type;
    *count = (uint32_t)n;
    return RWL_OK;
}

static rwl_status skip_value(rwl_cursor *c, rwl_thrift_type type, int depth, rwl_error *err);

/* An item of a list or map: bools take a byte there, unlike in a field. */
static rwl_status skip_item(rwl_cursor *c, rwl_thrift_type type, int depth, rwl_error *err) {
    if (type == RWL_THRIFT_TRUE || type == RWL_THRIFT_FALSE)
        return rwl_cursor_skip(c, 1, err);
    return skip_value(c, type, depth, err);
}

static rwl_status skip_list(rwl_cursor *c, int depth, rwl_error *err) {
    rwl_thrift_type item;
    uint32_t count;
    RWL_TRY(rwl_thrift_list(c, &item, &count, err));
    for (uint32_t i = 0; i < count; i++)
        RWL_TRY(skip_item(c, item, depth, err));
    return RWL_OK;
}

static rwl_status skip_map(rwl_cursor *c, int depth, rwl_error *err) {
    uint64_t count;
    RWL_TRY(rwl_cursor_varint(c, &count, err));
    if (count == 0)
        return RWL_OK;
    uint8_t types;
    RWL_TRY(rwl_cursor_u8(c, &types, err));
    if (count > rwl_cursor_left(c))
        return fail_at(c, err, "map longer than its bytes");
    for (uint64_t i = 0; i < count; i++) {
        RWL_TRY(skip_item(c, (rwl_thrift_type)(types >> 4), depth, err));
        RWL_TRY(skip_item(c, (rwl_thrift_type)(types & 0x0f), depth, err));
    }
    return RWL_OK;
}

static rwl_status skip_field(void *ctx, rwl_cursor *c, rwl_thrift_field f, rwl_error *err) {
    const int *depth = ctx;
    return skip_value(c, f.type, *depth, err);
}

static rwl_status skip_struct(rwl_cursor *c, int depth, rwl_error *err) {
    return rwl_thrift_struct(c, skip_field, &depth, err);
}

static rwl_status skip_value(rwl_cursor *c, rwl_thrift_type type, int depth, rwl_error *err) {
    uint64_t ignored;
    rwl_span bytes;
    if (depth >= THRIFT_DEPTH_MAX)
        return fail_at(c, err, "nested deeper than 32");
    switch (type) {
    case RWL_THRIFT_TRUE:
    case RWL_THRIFT_FALSE:
        return RWL_OK;
    case RWL_THRIFT_I8:
        return rwl_cursor_skip(c, 1, err);
    case RWL_THRIFT_I16:
    case RWL_THRIFT_I32:
    case RWL_THRIFT_I64:
        return rwl_cursor_varint(c, &ignored, err);
    case RWL_THRIFT_DOUBLE:
        return rwl_cursor_skip(c, 8, err);
    case RWL_THRIFT_BINARY:
        return rwl_thrift_binary(c, &bytes, err);
    case RWL_THRIFT_LIST:
    case RWL_THRIFT_SET:
        return skip_list(c, depth + 1, err);
    case RWL_THRIFT_MAP:
        return skip_map(c, depth + 1, err);
    case RWL_THRIFT_STRUCT:
        return skip_struct(c, depth + 1, err);
    case RWL_THRIFT_STOP:
        break;
    }
    return rwl_fail_at(err, RWL_CORRUPT, (int64_t)c->pos, "thrift: unknown type %d", (int)type);
}

rwl_status rwl_thrift_skip(rwl_cursor *c, rwl_thrift_type type, rwl_error *err) {
    return skip_value(c, type, 0, err);
}

/* --- writing --- */

rwl_status rwl_thrift_put_field(rwl_buf *b, int16_t *last_id, int16_t id, rwl_thrift_type type,
                                rwl_error *err) {
    int delta = id - *last_id;
    if (delta >= 1 && delta <= 15) {
        RWL_TRY(rwl_buf_u8(b, (uint8_t)(delta << 4 | (int)type), err));
    } else {
        RWL_TRY(rwl_buf_u8(b, (uint8_t)type, err));
        RWL_TRY(rwl_buf_zigzag(b, id, err));
    }
    *last_id = id;
    return RWL_OK;
}

rwl_status rwl_thrift_put_stop(rwl_buf *b, rwl_error *err) {
    return rwl_buf_u8(b, RWL_THRIFT_STOP, err);
}

rwl_status rwl_thrift_put_i32(rwl_buf *b, int32_t v, rwl_error *err) {
    return rwl_buf_zigzag(b, v, err);
}

rwl_status rwl_thrift_put_i64(rwl_buf *b, int64_t v, rwl_error *err) {
    return rwl_buf_zigzag(b, v, err);
}

rwl_status rwl_thrift_put_binary(rwl_buf *b, rwl_span v, rwl_error *err) {
    RWL_TRY(rwl_buf_varint(b, v.len, err));
    return rwl_buf_append(b, v.data, v.len, err);
}

rwl_status rwl_thrift_put_list(rwl_buf *b, rwl_thrift_type item, uint32_t count, rwl_error *err) {
    if (count < 15)
        return rwl_buf_u8(b, (uint8_t)(count << 4 | (uint32_t)item), err);
    RWL_TRY(rwl_buf_u8(b, (uint8_t)(0xf0 | (uint32_t)item), err));
    return rwl_buf_varint(b, count, err);
}
