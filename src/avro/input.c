/* SPDX-License-Identifier: Apache-2.0 */
/* Reading ahead: two pieces, one in use and one on its way. */
#include "avro/input.h"

#include <inttypes.h>

/* Asks for the piece after the last one asked for, if the file has any more. */
static rwl_status ask_next(rwl_avro_input *in, rwl_avro_piece *piece, rwl_error *err) {
    int64_t left = in->size - in->asked_end;
    if (left == 0)
        return RWL_OK;
    size_t len = (uint64_t)left < in->piece_len ? (size_t)left : in->piece_len;
    if (piece->cap < len) {
        rwl_free(in->op->env, piece->data);
        piece->cap = 0;
        piece->data = rwl_alloc(in->op->env, len);
        if (piece->data == NULL)
            return rwl_no_memory(err, len);
        piece->cap = len;
    }
    piece->read = (rwl_range_read){.offset = in->asked_end, .len = len, .dst = piece->data};
    rwl_range_read *reads[] = {&piece->read};
    RWL_TRY(rwl_file_submit(in->file, in->op, reads, 1, err));
    piece->asked = true;
    in->asked_end += (int64_t)len;
    in->asked += (int64_t)len;
    return RWL_OK;
}

/* Makes the piece that was asked for the current one and asks for the next. */
static rwl_status turn(rwl_avro_input *in, rwl_error *err) {
    rwl_avro_piece *used = &in->pieces[in->current];
    in->current ^= 1;
    rwl_avro_piece *piece = &in->pieces[in->current];
    if (!piece->asked)
        return rwl_fail(err, RWL_INTERNAL, "nothing was asked for at byte %" PRId64, in->off);
    piece->asked = false;
    in->pos = in->len = 0;
    RWL_TRY(rwl_file_wait(in->file, in->op, &piece->read, err));
    in->len = piece->read.len;
    return ask_next(in, used, err);
}

rwl_status rwl_avro_input_open(rwl_avro_input *in, rwl_store *store, rwl_op *op, const char *location,
                               int64_t off, size_t piece_len, rwl_error *err) {
    memset(in, 0, sizeof *in);
    in->op = op;
    in->piece_len = piece_len;
    RWL_TRY(rwl_file_open(store, op, location, &in->file, err));
    RWL_TRY(rwl_file_size(in->file, &in->size, err));
    if (off > in->size)
        return rwl_fail_at(err, RWL_CORRUPT, off, "file ends at byte %" PRId64, in->size);
    in->off = in->asked_end = off;
    in->current = 1;
    return ask_next(in, &in->pieces[0], err);
}

void rwl_avro_input_close(rwl_avro_input *in) {
    rwl_file_close(in->file); /* cancels what is on its way */
    for (int i = 0; i < 2 && in->op != NULL; i++)
        rwl_free(in->op->env, in->pieces[i].data);
    memset(in, 0, sizeof *in);
}

static rwl_status fail_end(const rwl_avro_input *in, const char *what, rwl_error *err) {
    return rwl_fail_at(err, RWL_CORRUPT, in->off, "file ends inside %s, at byte %" PRId64, what, in->size);
}

/* Copies `len` bytes, which the file has. */
static rwl_status copy(rwl_avro_input *in, uint8_t *dst, size_t len, rwl_error *err) {
    while (len > 0) {
        if (in->pos == in->len)
            RWL_TRY(turn(in, err));
        size_t part = in->len - in->pos < len ? in->len - in->pos : len;
        memcpy(dst, in->pieces[in->current].data + in->pos, part);
        dst += part;
        len -= part;
        in->pos += part;
        in->off += (int64_t)part;
    }
    return RWL_OK;
}

rwl_status rwl_avro_input_take(rwl_avro_input *in, size_t len, rwl_buf *spill, const char *what,
                               rwl_span *out, rwl_error *err) {
    if ((uint64_t)len > (uint64_t)rwl_avro_input_left(in))
        return fail_end(in, what, err);
    if (in->pos == in->len && len > 0)
        RWL_TRY(turn(in, err));
    if (len <= in->len - in->pos) {
        *out = rwl_span_of(in->pieces[in->current].data + in->pos, len);
        in->pos += len;
        in->off += (int64_t)len;
        return RWL_OK;
    }
    rwl_buf_reset(spill);
    RWL_TRY(rwl_buf_reserve(spill, len, err));
    RWL_TRY(copy(in, spill->data, len, err));
    spill->len = len;
    *out = rwl_buf_span(spill);
    return RWL_OK;
}

/* What lies behind the piece that is on its way is never asked for. */
static rwl_status jump(rwl_avro_input *in, int64_t to, rwl_error *err) {
    rwl_avro_piece *piece = &in->pieces[in->current ^ 1];
    if (piece->asked) {
        piece->asked = false;
        RWL_TRY(rwl_file_wait(in->file, in->op, &piece->read, err));
    }
    in->off = in->asked_end = to;
    in->pos = in->len = 0;
    return ask_next(in, piece, err);
}

rwl_status rwl_avro_input_skip(rwl_avro_input *in, int64_t len, const char *what, rwl_error *err) {
    if (len > rwl_avro_input_left(in))
        return fail_end(in, what, err);
    int64_t to = in->off + len;
    while (in->off < to) {
        if (in->pos == in->len && to >= in->asked_end)
            return jump(in, to, err);
        if (in->pos == in->len)
            RWL_TRY(turn(in, err));
        int64_t here = (int64_t)(in->len - in->pos), part = here < to - in->off ? here : to - in->off;
        in->pos += (size_t)part;
        in->off += part;
    }
    return RWL_OK;
}

rwl_status rwl_avro_input_zigzag(rwl_avro_input *in, const char *what, int64_t *out, rwl_error *err) {
    uint8_t bytes[10];
    size_t len = 0;
    do {
        if (len == sizeof bytes)
            return rwl_fail_at(err, RWL_CORRUPT, in->off, "number in %s needs more than 64 bits", what);
        if (rwl_avro_input_left(in) == 0)
            return fail_end(in, what, err);
        RWL_TRY(copy(in, &bytes[len], 1, err));
    } while (bytes[len++] >= 0x80);
    rwl_cursor c = rwl_cursor_of(rwl_span_of(bytes, len));
    return rwl_cursor_zigzag(&c, out, err);
}
