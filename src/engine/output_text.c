/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as text: JSON lines and CSV. Numbers and plain strings are put by hand, all else by the column's formatter. */
#include "engine/output.h"

enum { SEND_BYTES = 1 << 18, CELL_ROOM = 48 /* the longest number, separators around it included */ };

typedef struct text_output {
    rwl_output base;
    bool csv;
    rwl_arena arena;
    rwl_span *keys; /* of JSON lines: what stands before each value */
    rwl_buf text;   /* not yet sent */
    rwl_buf cell;   /* of CSV: a value before it is known whether it needs quotes; a piece of a long one */
    int64_t held;   /* charged for long values in them */
} text_output;

static rwl_status send(text_output *o, rwl_error *err) {
    size_t len = o->text.len;
    o->text.len = 0;
    rwl_status st =
        len > 0 ? o->base.sink.write(o->base.sink.ctx, o->text.data, len, err) : (rwl_status)RWL_OK;
    if (o->held > 0) {
        rwl_buf_clear(&o->text);
        rwl_buf_clear(&o->cell);
        rwl_op_release(o->base.op, o->held);
        o->held = 0;
    }
    return st;
}

/* Charges what a long value becomes as text, until it is sent: two digits a byte, or as many quotes, and room to grow. */
static rwl_status hold_long(text_output *o, size_t len, rwl_error *err) {
    enum { GROWTH = 3 };
    if (len <= SEND_BYTES)
        return RWL_OK;
    int64_t size = (int64_t)len * GROWTH; /* of a column's bytes, which are below 2^31 */
    RWL_TRY(rwl_op_reserve(o->base.op, size, "a value as text", err));
    o->held += size;
    return RWL_OK;
}

static size_t cell_length(const rwl_column *c, int64_t i) {
    return rwl_type_is_bytes(&c->type) ? rwl_column_bytes(c, i).len : 0;
}

/* --- pieces: room for CELL_ROOM bytes is there --- */

static void put_i64(rwl_buf *out, int64_t v) {
    out->len += rwl_i64_format(v, (char *)out->data + out->len);
}

/* True for a word of eight bytes that all stand for themselves in a JSON string: 0x20 to 0x7f but quote and backslash. The usual test of
 * all bytes at once: a byte less than n has its high bit set by the subtraction. */
static bool is_plain_word(uint64_t w) {
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
    return ((w | (w - ones * 0x20) | (quote - ones) | (backslash - ones)) & high) == 0;
}

static bool is_plain(rwl_span text) {
    size_t i = 0;
    for (; text.len - i >= 8; i += 8)
        if (!is_plain_word(rwl_load_le64(text.data + i)))
            return false;
    for (; i < text.len; i++)
        if (text.data[i] < 0x20 || text.data[i] > 0x7e || text.data[i] == '"' || text.data[i] == '\\')
            return false;
    return true;
}

static rwl_status put_json_string(rwl_buf *out, rwl_span text, rwl_error *err) {
    if (!is_plain(text))
        return rwl_json_quote(text, out, err);
    RWL_TRY(rwl_buf_reserve(out, text.len + CELL_ROOM, err));
    out->data[out->len++] = '"';
    if (text.len > 0)
        memcpy(out->data + out->len, text.data, text.len);
    out->len += text.len;
    out->data[out->len++] = '"';
    return RWL_OK;
}

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

/* Whether a field of these bytes reads as something else without quotes. */
static bool needs_quotes(rwl_span text) {
    static const uint8_t mark[3] = {0xef, 0xbb, 0xbf};
    if (text.len == 0 || is_blank(text.data[0]) || is_blank(text.data[text.len - 1]))
        return true;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c == ',' || c == '"' || c == '\n' || c == '\r')
            return true;
    }
    return text.len >= sizeof mark && memcmp(text.data, mark, sizeof mark) == 0;
}

static rwl_status put_csv_field(rwl_buf *out, rwl_span text, rwl_error *err) {
    if (!needs_quotes(text))
        return rwl_buf_append(out, text.data, text.len, err);
    RWL_TRY(rwl_buf_reserve(out, 2 * text.len + 2, err));
    out->data[out->len++] = '"';
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"')
            out->data[out->len++] = '"';
        out->data[out->len++] = text.data[i];
    }
    out->data[out->len++] = '"';
    return RWL_OK;
}

/* --- cells --- */

/* A cell whose text is the same in both formats and never needs quotes; false when it is no such. */
static bool put_number(rwl_buf *out, const rwl_column *c, int64_t i) {
    switch (c->type.kind) {
    case RWL_TYPE_INT:
        put_i64(out, rwl_column_i32(c)[i]);
        return true;
    case RWL_TYPE_LONG:
        put_i64(out, rwl_column_i64(c)[i]);
        return true;
    case RWL_TYPE_DOUBLE: {
        double v = rwl_column_f64(c)[i];
        if (v - v != 0)
            return false;
        out->len += rwl_double_format(v, (char *)out->data + out->len);
        return true;
    }
    case RWL_TYPE_FLOAT: {
        float v = rwl_column_f32(c)[i];
        if (v - v != 0)
            return false;
        out->len += rwl_float_format(v, (char *)out->data + out->len);
        return true;
    }
    default:
        return false;
    }
}

/* In pieces that end where a character does, each sent by itself. */
static rwl_status put_long_string(text_output *o, rwl_span text, rwl_error *err) {
    RWL_TRY(rwl_buf_u8(&o->text, '"', err));
    for (size_t at = 0, end; at < text.len; at = end) {
        end = text.len - at > SEND_BYTES ? at + SEND_BYTES : text.len;
        while (end < text.len && (text.data[end] & 0xc0) == 0x80 && end > at + 1)
            end--;
        rwl_buf_reset(&o->cell);
        RWL_TRY(put_json_string(&o->cell, rwl_span_of(text.data + at, end - at), err));
        RWL_TRY(rwl_buf_append(&o->text, o->cell.data + 1, o->cell.len - 2, err)); /* without its quotes */
        RWL_TRY(send(o, err));
    }
    return rwl_buf_u8(&o->text, '"', err);
}

static rwl_status put_json_cell(text_output *o, const rwl_column *c, int64_t i, rwl_error *err) {
    if (rwl_column_is_null(c, i))
        return rwl_buf_str(&o->text, "null", err);
    if (put_number(&o->text, c, i))
        return RWL_OK;
    size_t len = cell_length(c, i);
    bool is_text = c->type.kind == RWL_TYPE_STRING && !rwl_type_has(&c->type, RWL_TYPE_JSON);
    if (is_text && len > SEND_BYTES)
        return put_long_string(o, rwl_column_bytes(c, i), err);
    RWL_TRY(hold_long(o, len, err));
    if (c->type.kind != RWL_TYPE_STRING)
        return rwl_column_format_json(c, i, &o->text, err);
    if (rwl_type_has(&c->type, RWL_TYPE_JSON)) { /* a document, embedded as it is */
        rwl_span text = rwl_column_bytes(c, i);
        return rwl_buf_append(&o->text, text.data, text.len, err);
    }
    return put_json_string(&o->text, rwl_column_bytes(c, i), err);
}

static rwl_status put_csv_cell(text_output *o, const rwl_column *c, int64_t i, rwl_error *err) {
    if (rwl_column_is_null(c, i) || c->type.kind == RWL_TYPE_UNKNOWN || put_number(&o->text, c, i))
        return RWL_OK;
    RWL_TRY(hold_long(o, cell_length(c, i), err));
    if (c->type.kind == RWL_TYPE_STRING)
        return put_csv_field(&o->text, rwl_column_bytes(c, i), err);
    rwl_buf_reset(&o->cell);
    if (rwl_type_is_nested(&c->type)) {
        RWL_TRY(rwl_column_format_json(c, i, &o->cell, err));
    } else {
        rwl_value v = rwl_column_value(c, i);
        RWL_TRY(rwl_value_format(&c->type, &v, &o->cell, err));
    }
    return put_csv_field(&o->text, rwl_buf_span(&o->cell), err);
}

/* --- rows --- */

static rwl_status put_json_row(text_output *o, const rwl_batch *batch, int64_t row, rwl_error *err) {
    rwl_buf *out = &o->text;
    for (int32_t i = 0; i < batch->column_count; i++) {
        rwl_span key = o->keys[i];
        RWL_TRY(rwl_buf_reserve(out, key.len + CELL_ROOM, err));
        memcpy(out->data + out->len, key.data, key.len);
        out->len += key.len;
        RWL_TRY(put_json_cell(o, &batch->columns[i], row, err));
    }
    return rwl_buf_str(out, batch->column_count > 0 ? "}\n" : "{}\n", err);
}

static rwl_status put_csv_row(text_output *o, const rwl_batch *batch, int64_t row, rwl_error *err) {
    rwl_buf *out = &o->text;
    for (int32_t i = 0; i < batch->column_count; i++) {
        RWL_TRY(rwl_buf_reserve(out, CELL_ROOM, err));
        if (i > 0)
            out->data[out->len++] = ',';
        RWL_TRY(put_csv_cell(o, &batch->columns[i], row, err));
    }
    return rwl_buf_u8(out, '\n', err);
}

static rwl_status write_text(rwl_output *base, rwl_batch *batch, rwl_error *err) {
    text_output *o = (text_output *)base;
    for (int64_t row = 0; row < batch->length; row++) {
        RWL_TRY(o->csv ? put_csv_row(o, batch, row, err) : put_json_row(o, batch, row, err));
        if (o->text.len >= SEND_BYTES)
            RWL_TRY(send(o, err));
    }
    return send(o, err); /* a reader of the other end sees whole batches */
}

static rwl_status finish_text(rwl_output *base, rwl_error *err) {
    return send((text_output *)base, err);
}

static void close_text(rwl_output *base) {
    text_output *o = (text_output *)base;
    rwl_op_release(base->op, o->held);
    rwl_buf_clear(&o->text);
    rwl_buf_clear(&o->cell);
    rwl_arena_clear(&o->arena);
    rwl_free(base->op->env, o);
}

rwl_status rwl_output_open_text(rwl_op *op, bool csv, rwl_output **out, rwl_error *err) {
    static const rwl_output_vtable vtable = {write_text, finish_text, close_text};
    text_output *o = rwl_calloc(op->env, 1, sizeof *o);
    if (o == NULL)
        return rwl_no_memory(err, sizeof *o);
    o->base.vtable = &vtable;
    o->csv = csv;
    rwl_arena_init(&o->arena, op->env, 0);
    rwl_buf_init(&o->text, op->env, SIZE_MAX);
    rwl_buf_init(&o->cell, op->env, SIZE_MAX);
    *out = &o->base;
    return RWL_OK;
}

static rwl_status put_header(text_output *o, rwl_error *err) {
    for (int32_t i = 0; i < o->base.field_count; i++) {
        if (i > 0)
            RWL_TRY(rwl_buf_u8(&o->text, ',', err));
        RWL_TRY(put_csv_field(&o->text, rwl_span_str(o->base.fields[i].name), err));
    }
    RWL_TRY(rwl_buf_u8(&o->text, '\n', err));
    return send(o, err);
}

/* {"first": and , "second": as they stand before their values. */
static rwl_status make_keys(text_output *o, rwl_error *err) {
    size_t count = (size_t)o->base.field_count;
    o->keys = rwl_arena_array(&o->arena, count, sizeof *o->keys);
    if (o->keys == NULL)
        return rwl_no_memory(err, count * sizeof *o->keys);
    for (size_t i = 0; i < count; i++) {
        rwl_buf_reset(&o->cell);
        RWL_TRY(rwl_buf_str(&o->cell, i > 0 ? ", " : "{", err));
        RWL_TRY(rwl_json_quote(rwl_span_str(o->base.fields[i].name), &o->cell, err));
        RWL_TRY(rwl_buf_str(&o->cell, ": ", err));
        const uint8_t *key = rwl_arena_copy(&o->arena, o->cell.data, o->cell.len);
        if (key == NULL)
            return rwl_no_memory(err, o->cell.len);
        o->keys[i] = rwl_span_of(key, o->cell.len);
    }
    return RWL_OK;
}

rwl_status rwl_output_begin_text(rwl_output *base, rwl_error *err) {
    text_output *o = (text_output *)base;
    return o->csv ? put_header(o, err) : make_keys(o, err);
}
