/* SPDX-License-Identifier: Apache-2.0 */
/* JSONB documents as JSON text: a walk with a stack of its own, each byte looked at once. */
#include "lancefile/jsonb.h"

#include "base/int128.h"
#include "base/vec.h"

enum { ENTRY_LEN = 4, LEVELS_MAX = 10000, BYTES_MAX = 32 };

enum { CONTAINER_SCALAR = 1, CONTAINER_OBJECT = 2, CONTAINER_ARRAY = 4 };

enum {
    TYPE_NULL,
    TYPE_STRING,
    TYPE_NUMBER,
    TYPE_FALSE,
    TYPE_TRUE,
    TYPE_CONTAINER,
    TYPE_EXTENSION,
};

enum {
    NUMBER_ZERO = 0x00,
    NUMBER_NAN = 0x10,
    NUMBER_INFINITY = 0x20,
    NUMBER_MINUS_INFINITY = 0x30,
    NUMBER_SIGNED = 0x40,
    NUMBER_UNSIGNED = 0x50,
    NUMBER_FLOAT = 0x60,
    NUMBER_DECIMAL = 0x70
};

/* An array or object of which `left` values are still to be written. */
typedef struct frame {
    bool is_object, is_begun;
    uint32_t left;
    rwl_cursor key_entries, entries;
    rwl_cursor keys, values; /* their data */
} frame;

typedef RWL_VEC(frame) frame_stack;

/* --- numbers --- */

/* The digits are the same; from 1e16 on exponents have a sign, and 1e-5 is still written out. */
static rwl_status put_float(double v, rwl_buf *out, rwl_error *err) {
    char text[40];
    if (v - v != 0)
        return rwl_buf_str(out, "null", err);
    size_t len = rwl_double_format(v, text), e = 0;
    while (e < len && text[e] != 'e')
        e++;
    if (e == len)
        return rwl_buf_append(out, text, len, err);
    if (text[e + 1] != '-') {
        RWL_TRY(rwl_buf_append(out, text, e, err));
        RWL_TRY(rwl_buf_str(out, "e+", err));
        return rwl_buf_append(out, text + e + 1, len - e - 1, err);
    }
    if (len - e != 3 || text[e + 2] != '5')
        return rwl_buf_append(out, text, len, err);
    RWL_TRY(rwl_buf_str(out, text[0] == '-' ? "-0.0000" : "0.0000", err));
    for (size_t i = 0; i < e; i++)
        if (text[i] != '.' && text[i] != '-')
            RWL_TRY(rwl_buf_u8(out, (uint8_t)text[i], err));
    return RWL_OK;
}

static rwl_status fail_number(uint8_t kind, size_t len, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "jsonb: a number of kind 0x%02x with %zu bytes", kind, len);
}

static rwl_status put_integer(uint8_t kind, rwl_span bytes, rwl_buf *out, rwl_error *err) {
    if (bytes.len != 1 && bytes.len != 2 && bytes.len != 4 && bytes.len != 8)
        return fail_number(kind, bytes.len, err);
    uint64_t v = kind == NUMBER_SIGNED && (bytes.data[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes.len; i++)
        v = v << 8 | bytes.data[i];
    if (kind == NUMBER_UNSIGNED)
        return rwl_buf_printf(out, err, "%llu", (unsigned long long)v);
    char text[24];
    return rwl_buf_append(out, text, rwl_i64_format((int64_t)v, text), err);
}

static rwl_status put_decimal(rwl_span bytes, rwl_buf *out, rwl_error *err) {
    size_t width = bytes.len >= 33 ? 32 : bytes.len >= 17 ? 16 : 8;
    bool has_precision = bytes.len == width + 2 && width > 8;
    if (bytes.len != width + 1 && !has_precision)
        return fail_number(NUMBER_DECIMAL, bytes.len, err);
    int scale = bytes.data[bytes.len - 1], most = width == 32 ? 76 : width == 16 ? 38 : 18;
    if (scale > most)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: a decimal of %zu bytes with scale %d", width, scale);
    uint8_t value[BYTES_MAX]; /* little endian, as wide as can be */
    memset(value, (bytes.data[0] & 0x80) != 0 ? 0xff : 0, sizeof value);
    for (size_t i = 0; i < width; i++)
        value[i] = bytes.data[width - 1 - i];
    char text[RWL_I256_TEXT_MAX];
    return rwl_buf_append(out, text, rwl_i256_format(value, scale, text), err);
}

static rwl_status put_number(rwl_span bytes, rwl_buf *out, rwl_error *err) {
    if (bytes.len == 0)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: a number of no bytes");
    uint8_t kind = bytes.data[0];
    rwl_span rest = rwl_span_of(bytes.data + 1, bytes.len - 1);
    switch (kind) {
    case NUMBER_ZERO:
        return rest.len == 0 ? rwl_buf_u8(out, '0', err) : fail_number(kind, rest.len, err);
    case NUMBER_NAN:
    case NUMBER_INFINITY:
    case NUMBER_MINUS_INFINITY: /* JSON has none of these */
        return rest.len == 0 ? rwl_buf_str(out, "null", err) : fail_number(kind, rest.len, err);
    case NUMBER_SIGNED:
    case NUMBER_UNSIGNED:
        return put_integer(kind, rest, out, err);
    case NUMBER_FLOAT: {
        uint64_t bits = 0;
        double v;
        if (rest.len != 8)
            return fail_number(kind, rest.len, err);
        for (size_t i = 0; i < 8; i++)
            bits = bits << 8 | rest.data[i];
        memcpy(&v, &bits, sizeof v);
        return put_float(v, out, err);
    }
    case NUMBER_DECIMAL:
        return put_decimal(rest, out, err);
    default:
        return fail_number(kind, rest.len, err);
    }
}

/* --- other scalars --- */

static rwl_status put_string(rwl_span text, rwl_buf *out, rwl_error *err) {
    if (!rwl_utf8_valid(text))
        return rwl_fail(err, RWL_CORRUPT, "jsonb: a string of %zu bytes is not UTF-8", text.len);
    return rwl_json_quote(text, out, err);
}

/* null, true or false, which have no data. */
static rwl_status put_word(const char *word, rwl_span data, rwl_buf *out, rwl_error *err) {
    if (data.len > 0)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: %s with %zu bytes", word, data.len);
    return rwl_buf_str(out, word, err);
}

static rwl_status put_scalar(uint32_t type, rwl_span data, rwl_buf *out, rwl_error *err) {
    switch (type) {
    case TYPE_NULL:
        return put_word("null", data, out, err);
    case TYPE_FALSE:
        return put_word("false", data, out, err);
    case TYPE_TRUE:
        return put_word("true", data, out, err);
    case TYPE_STRING:
        return put_string(data, out, err);
    case TYPE_NUMBER:
        return put_number(data, out, err);
    case TYPE_EXTENSION:
        return rwl_fail(err, RWL_UNSUPPORTED, "jsonb: extension value of kind 0x%02x",
                        data.len > 0 ? data.data[0] : 0U);
    default:
        return rwl_fail(err, RWL_CORRUPT, "jsonb: type %u where a scalar has to be", type);
    }
}

/* --- arrays and objects --- */

/* The next entry's type and data. */
static rwl_status take_entry(rwl_cursor *entries, rwl_cursor *data, uint32_t *type, rwl_span *bytes,
                             rwl_error *err) {
    uint32_t entry = 0;
    RWL_TRY(rwl_cursor_be32(entries, &entry, err));
    uint32_t len = entry & 0x0fffffff;
    *type = entry >> 28;
    if (len > rwl_cursor_left(data))
        return rwl_fail(err, RWL_CORRUPT, "jsonb: a value of %u bytes where %zu are left", len,
                        rwl_cursor_left(data));
    return rwl_cursor_bytes(data, len, bytes, err);
}

/* How many bytes the next `count` entries tell of. */
static rwl_status sum_lengths(rwl_cursor entries, uint32_t count, uint64_t *out, rwl_error *err) {
    for (*out = 0; count > 0; count--) {
        uint32_t entry = 0;
        RWL_TRY(rwl_cursor_be32(&entries, &entry, err));
        *out += entry & 0x0fffffff;
    }
    return RWL_OK;
}

static rwl_status cut(rwl_cursor *from, uint64_t len, rwl_cursor *out, rwl_error *err) {
    rwl_span bytes;
    if (len > rwl_cursor_left(from))
        return rwl_fail(err, RWL_CORRUPT, "jsonb: %llu bytes where %zu are left", (unsigned long long)len,
                        rwl_cursor_left(from));
    RWL_TRY(rwl_cursor_bytes(from, (size_t)len, &bytes, err));
    *out = rwl_cursor_of(bytes);
    return RWL_OK;
}

static rwl_status push(frame_stack *stack, uint32_t header, rwl_cursor rest, rwl_buf *out, rwl_error *err) {
    frame f = {.is_object = header >> 29 == CONTAINER_OBJECT, .left = header & 0x1fffffff};
    uint64_t keys = 0, len = (uint64_t)f.left * ENTRY_LEN;
    if (stack->len >= LEVELS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "jsonb: nested deeper than %d levels", LEVELS_MAX);
    if (f.is_object) {
        RWL_TRY(cut(&rest, len, &f.key_entries, err));
        RWL_TRY(sum_lengths(f.key_entries, f.left, &keys, err));
    }
    RWL_TRY(cut(&rest, len, &f.entries, err));
    RWL_TRY(cut(&rest, keys, &f.keys, err));
    f.values = rest;
    RWL_TRY(rwl_vec_push(stack, out->env, f, err));
    return rwl_buf_u8(out, f.is_object ? '{' : '[', err);
}

/* A whole value: a scalar is written, an array or object begun. */
static rwl_status begin_value(frame_stack *stack, rwl_span bytes, rwl_buf *out, rwl_error *err) {
    rwl_cursor c = rwl_cursor_of(bytes);
    uint32_t header = 0, type;
    if (bytes.len < ENTRY_LEN)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: a document of %zu bytes", bytes.len);
    RWL_TRY(rwl_cursor_be32(&c, &header, err));
    if (header >> 29 == CONTAINER_ARRAY || header >> 29 == CONTAINER_OBJECT)
        return push(stack, header, c, out, err);
    if (header >> 29 != CONTAINER_SCALAR || stack->len > 0)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: header 0x%08x", header);
    rwl_cursor entry;
    rwl_span data;
    RWL_TRY(cut(&c, ENTRY_LEN, &entry, err));
    RWL_TRY(take_entry(&entry, &c, &type, &data, err));
    if (rwl_cursor_left(&c) > 0)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: %zu bytes behind the value", rwl_cursor_left(&c));
    return put_scalar(type, data, out, err);
}

static rwl_status put_key(frame *f, rwl_buf *out, rwl_error *err) {
    uint32_t type;
    rwl_span key;
    RWL_TRY(take_entry(&f->key_entries, &f->keys, &type, &key, err));
    if (type != TYPE_STRING)
        return rwl_fail(err, RWL_CORRUPT, "jsonb: a key of type %u", type);
    RWL_TRY(put_string(key, out, err));
    return rwl_buf_u8(out, ':', err);
}

/* The next value of the innermost array or object, or its end. */
static rwl_status step(frame_stack *stack, rwl_buf *out, rwl_error *err) {
    frame *f = &stack->items[stack->len - 1];
    uint32_t type;
    rwl_span data;
    if (f->left == 0) {
        if (rwl_cursor_left(&f->values) > 0)
            return rwl_fail(err, RWL_CORRUPT, "jsonb: %zu bytes behind the last value",
                            rwl_cursor_left(&f->values));
        stack->len--;
        return rwl_buf_u8(out, f->is_object ? '}' : ']', err);
    }
    f->left--;
    if (f->is_begun)
        RWL_TRY(rwl_buf_u8(out, ',', err));
    f->is_begun = true;
    if (f->is_object)
        RWL_TRY(put_key(f, out, err));
    RWL_TRY(take_entry(&f->entries, &f->values, &type, &data, err));
    return type == TYPE_CONTAINER ? begin_value(stack, data, out, err) : put_scalar(type, data, out, err);
}

/* Whether a document is JSON text: no header of JSONB begins with such a byte, but a scalar's with a space, and then a zero. */
static bool is_text(rwl_span document) {
    static const char first[] = "{[\"-0123456789tfn \t\r\n";
    if (document.len == 0 || memchr(first, document.data[0], sizeof first - 1) == NULL)
        return false;
    return document.data[0] != ' ' || document.len == 1 || document.data[1] != 0;
}

/* As it was given to pylance 0.38 and 0.39, which appended it as it is. */
static rwl_status put_text(rwl_span document, rwl_buf *out, rwl_error *err) {
    if (!rwl_utf8_valid(document))
        return rwl_fail(err, RWL_CORRUPT, "json: a document of %zu bytes is not UTF-8", document.len);
    return rwl_buf_append(out, document.data, document.len, err);
}

static rwl_status put_document(frame_stack *stack, rwl_span document, rwl_buf *out, rwl_error *err) {
    if (is_text(document))
        return put_text(document, out, err);
    stack->len = 0;
    RWL_TRY(begin_value(stack, document, out, err));
    while (stack->len > 0)
        RWL_TRY(step(stack, out, err));
    return RWL_OK;
}

rwl_status rwl_lance_jsonb_text(rwl_span document, rwl_buf *out, rwl_error *err) {
    frame_stack stack = {0};
    rwl_status st = put_document(&stack, document, out, err);
    rwl_vec_clear(&stack, out->env);
    return st;
}

/* --- columns --- */

/* Appends all texts, and sets the offsets to their ends. */
static rwl_status put_documents(rwl_column *column, frame_stack *stack, rwl_buf *out, rwl_error *err) {
    int32_t *offsets = (int32_t *)(void *)column->offsets.data;
    int32_t start = offsets[0];
    offsets[0] = 0;
    for (int64_t i = 0; i < column->length; i++) {
        rwl_span document = rwl_span_of(column->values.data + start, (size_t)(offsets[i + 1] - start));
        start = offsets[i + 1];
        if (!rwl_column_is_null(column, i)) {
            rwl_status st = put_document(stack, document, out, err);
            if (st != RWL_OK)
                return rwl_error_in(err, st, "value %lld of the batch", (long long)i);
        }
        offsets[i + 1] = (int32_t)out->len; /* out->max */
    }
    return RWL_OK;
}

rwl_status rwl_lance_jsonb_column(const rwl_env *env, rwl_column *column, rwl_error *err) {
    frame_stack stack = {0};
    rwl_buf texts;
    if (column->length == 0)
        return RWL_OK;
    rwl_buf_init(&texts, env, RWL_COLUMN_BYTES_MAX);
    rwl_status st = put_documents(column, &stack, &texts, err);
    if (st == RWL_OK)
        st = rwl_column_reserve(column, env, column->length, texts.len, err);
    if (st == RWL_OK && texts.len > 0)
        memcpy(column->values.data, texts.data, texts.len);
    column->bytes_len = st == RWL_OK ? texts.len : 0;
    rwl_buf_clear(&texts);
    rwl_vec_clear(&stack, env);
    return st;
}
