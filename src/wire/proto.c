/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol buffers, read in place. */
#include "wire/proto.h"

enum { NUMBER_MAX = (1 << 29) - 1 };

static rwl_status read_value(rwl_cursor *c, rwl_proto_field *out, rwl_error *err) {
    uint32_t four;
    switch (out->type) {
    case RWL_PROTO_VARINT:
        return rwl_cursor_varint(c, &out->value, err);
    case RWL_PROTO_FIXED64:
        return rwl_cursor_le64(c, &out->value, err);
    case RWL_PROTO_FIXED32:
        RWL_TRY(rwl_cursor_le32(c, &four, err));
        out->value = four;
        return RWL_OK;
    case RWL_PROTO_BYTES:
        RWL_TRY(rwl_cursor_varint(c, &out->value, err));
        if (out->value > rwl_cursor_left(c))
            return rwl_fail(err, RWL_CORRUPT, "field %u has %llu bytes, %zu are left", out->number,
                            (unsigned long long)out->value, rwl_cursor_left(c));
        return rwl_cursor_bytes(c, (size_t)out->value, &out->bytes, err);
    }
    return rwl_fail(err, RWL_CORRUPT, "field %u has wire type %d", out->number, (int)out->type);
}

rwl_status rwl_proto_next(rwl_cursor *message, bool *more, rwl_proto_field *out, rwl_error *err) {
    uint64_t tag;
    *more = rwl_cursor_left(message) > 0;
    if (!*more)
        return RWL_OK;
    RWL_TRY(rwl_cursor_varint(message, &tag, err));
    if (tag >> 3 == 0 || tag >> 3 > NUMBER_MAX)
        return rwl_fail(err, RWL_CORRUPT, "field number %llu", (unsigned long long)(tag >> 3));
    out->number = (uint32_t)(tag >> 3);
    out->type = (rwl_proto_type)(tag & 7);
    out->bytes = rwl_span_of(NULL, 0);
    return read_value(message, out, err);
}

rwl_status rwl_proto_expect(const rwl_proto_field *field, rwl_proto_type type, rwl_error *err) {
    if (field->type == type)
        return RWL_OK;
    return rwl_fail(err, RWL_CORRUPT, "field %u has wire type %d, not %d", field->number, (int)field->type,
                    (int)type);
}

rwl_status rwl_proto_walk(rwl_span message, rwl_proto_take_fn take, void *ctx, rwl_error *err) {
    rwl_proto_field field;
    bool more;
    for (rwl_cursor c = rwl_cursor_of(message);;) {
        RWL_TRY(rwl_proto_next(&c, &more, &field, err));
        if (!more)
            return RWL_OK;
        RWL_TRY(take(ctx, &field, err));
    }
}

typedef struct wanted {
    const rwl_proto_want *items;
    size_t count;
} wanted;

static rwl_status take_wanted(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    const wanted *w = ctx;
    for (size_t i = 0; i < w->count; i++) {
        const rwl_proto_want *want = &w->items[i];
        if (want->number != field->number)
            continue;
        RWL_TRY(rwl_proto_expect(field, want->value ? RWL_PROTO_VARINT : RWL_PROTO_BYTES, err));
        if (want->value)
            *want->value = field->value;
        else
            *want->bytes = field->bytes;
    }
    return RWL_OK;
}

rwl_status rwl_proto_pick(rwl_span message, const rwl_proto_want *wants, size_t count, rwl_error *err) {
    wanted w = {wants, count};
    return rwl_proto_walk(message, take_wanted, &w, err);
}

rwl_status rwl_proto_each(const rwl_proto_field *field,
                          rwl_status (*each)(void *ctx, uint64_t value, rwl_error *err), void *ctx,
                          rwl_error *err) {
    uint64_t value;
    if (field->type == RWL_PROTO_VARINT)
        return each(ctx, field->value, err);
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    for (rwl_cursor c = rwl_cursor_of(field->bytes); rwl_cursor_left(&c) > 0;) {
        RWL_TRY(rwl_cursor_varint(&c, &value, err));
        RWL_TRY(each(ctx, value, err));
    }
    return RWL_OK;
}

static rwl_status count_one(void *ctx, uint64_t value, rwl_error *err) {
    (void)value;
    (void)err;
    ++*(size_t *)ctx;
    return RWL_OK;
}

rwl_status rwl_proto_count(const rwl_proto_field *field, size_t *count, rwl_error *err) {
    *count = 0;
    return rwl_proto_each(field, count_one, count, err);
}
