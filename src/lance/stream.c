/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a file, walked through a window. */
#include "lance/stream_internal.h"

enum { NUMBER_MAX = (1 << 29) - 1 };

rwl_status rwl_lance_stream_new(rwl_file *file, rwl_op *op, rwl_lance_stream **out, rwl_error *err) {
    rwl_lance_stream *s = rwl_calloc(op->env, 1, sizeof *s);
    if (s == NULL)
        return rwl_no_memory(err, sizeof *s);
    s->file = file;
    s->op = op;
    rwl_status st = rwl_file_size(file, &s->size, err);
    if (st != RWL_OK) {
        rwl_free(op->env, s);
        return st;
    }
    *out = s;
    return RWL_OK;
}

void rwl_lance_stream_free(rwl_lance_stream *s) {
    if (s != NULL)
        rwl_free(s->op->env, s);
}

rwl_status rwl_lance_stream_view(rwl_lance_stream *s, rwl_span *out, rwl_error *err) {
    if (s->pos < s->window_offset || s->pos >= s->window_offset + (int64_t)s->window_len) {
        if (s->pos < 0 || s->pos >= s->size)
            return rwl_fail_at(err, RWL_CORRUPT, s->pos, "the file ends at %lld", (long long)s->size);
        RWL_TRY(rwl_op_check(s->op, err));
        int64_t left = s->size - s->pos;
        size_t len = left < RWL_LANCE_WINDOW ? (size_t)left : RWL_LANCE_WINDOW;
        s->window_len = 0;
        RWL_TRY(rwl_file_read(s->file, s->op, s->pos, len, s->window, err));
        s->window_offset = s->pos;
        s->window_len = len;
    }
    size_t at = (size_t)(s->pos - s->window_offset);
    *out = rwl_span_of(s->window + at, s->window_len - at);
    return RWL_OK;
}

rwl_status rwl_lance_stream_read(rwl_lance_stream *s, uint8_t *out, size_t len, rwl_error *err) {
    rwl_span view;
    for (size_t done = 0; done < len; done += view.len) {
        RWL_TRY(rwl_lance_stream_view(s, &view, err));
        if (view.len > len - done)
            view.len = len - done;
        memcpy(out + done, view.data, view.len);
        s->pos += (int64_t)view.len;
    }
    return RWL_OK;
}

static rwl_status read_varint(rwl_lance_stream *s, int64_t end, uint64_t *out, rwl_error *err) {
    int64_t start = s->pos;
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        rwl_span view;
        if (s->pos >= end)
            return rwl_fail_at(err, RWL_CORRUPT, start, "the message ends inside of a number");
        RWL_TRY(rwl_lance_stream_view(s, &view, err));
        uint8_t byte = view.data[0];
        s->pos++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = value;
            return RWL_OK;
        }
    }
    return rwl_fail_at(err, RWL_CORRUPT, start, "a number of more than 64 bits");
}

static rwl_status read_fixed(rwl_lance_stream *s, int64_t end, size_t len, uint64_t *out, rwl_error *err) {
    uint8_t bytes[8] = {0};
    if (end - s->pos < (int64_t)len)
        return rwl_fail_at(err, RWL_CORRUPT, s->pos, "the message ends inside of a number");
    RWL_TRY(rwl_lance_stream_read(s, bytes, len, err));
    *out = rwl_load_le64(bytes);
    return RWL_OK;
}

rwl_status rwl_lance_stream_head(rwl_lance_stream *s, int64_t end, rwl_lance_head *out, rwl_error *err) {
    int64_t start = s->pos;
    uint64_t tag;
    RWL_TRY(read_varint(s, end, &tag, err));
    if (tag >> 3 == 0 || tag >> 3 > NUMBER_MAX)
        return rwl_fail_at(err, RWL_CORRUPT, start, "field number %llu", (unsigned long long)(tag >> 3));
    out->number = (uint32_t)(tag >> 3);
    out->type = (rwl_proto_type)(tag & 7);
    switch (out->type) {
    case RWL_PROTO_VARINT:
        return read_varint(s, end, &out->value, err);
    case RWL_PROTO_FIXED64:
        return read_fixed(s, end, 8, &out->value, err);
    case RWL_PROTO_FIXED32:
        return read_fixed(s, end, 4, &out->value, err);
    case RWL_PROTO_BYTES:
        RWL_TRY(read_varint(s, end, &out->value, err));
        if (out->value > (uint64_t)(end - s->pos))
            return rwl_fail_at(err, RWL_CORRUPT, start, "field %u has %llu bytes, %lld are left", out->number,
                               (unsigned long long)out->value, (long long)(end - s->pos));
        return RWL_OK;
    }
    return rwl_fail_at(err, RWL_CORRUPT, start, "field %u has wire type %d", out->number, (int)out->type);
}

rwl_status rwl_lance_stream_section(rwl_lance_stream *s, int64_t offset, int64_t limit, const char *what,
                                    int64_t *length, rwl_error *err) {
    uint8_t bytes[4];
    if (offset < 0 || limit > s->size || offset > limit - 4)
        return rwl_fail(err, RWL_CORRUPT, "%s at %lld, outside of the file's %lld bytes", what,
                        (long long)offset, (long long)s->size);
    s->pos = offset;
    RWL_TRY(rwl_lance_stream_read(s, bytes, 4, err));
    *length = rwl_load_le32(bytes);
    if (*length > limit - s->pos)
        return rwl_fail_at(err, RWL_CORRUPT, offset, "%s has %lld bytes, %lld are left", what,
                           (long long)*length, (long long)(limit - s->pos));
    return RWL_OK;
}
