/* SPDX-License-Identifier: Apache-2.0 */
/* ArrayEncoding messages of file version 2.0: parsed, and as text. */
#include "lancefile/encoding20.h"

#include "lancefile/encoding_internal.h"

#include <stdio.h>

enum { FIELDS_MAX = 1 << 16 };
#define ITEMS_MAX (INT64_C(1) << 40)

static const char *const NAMES[] = {
    NULL,
    "flat",
    "nullable",
    "fixed_size_list",
    "list",
    "struct",
    "binary",
    "dictionary",
    "fsst",
    "packed_struct",
    "bitpacked",
    "fixed_size_binary",
    "bitpacked_for_non_neg",
    "constant",
};

const char *rwl_lance_array_kind_name(rwl_lance_array_kind kind) {
    return kind >= RWL_LANCE_ARRAY_FLAT && kind <= RWL_LANCE_ARRAY_CONSTANT ? NAMES[kind] : "?";
}

/* --- messages by number: the last of each counts --- */

enum { PARTS_MAX = 6 };

typedef struct parts {
    uint64_t numbers[PARTS_MAX + 1];
    rwl_span messages[PARTS_MAX + 1];
    bool has[PARTS_MAX + 1];
} parts;

static rwl_status take_part(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    parts *p = ctx;
    (void)err;
    if (field->number > PARTS_MAX)
        return RWL_OK;
    p->has[field->number] = true;
    p->numbers[field->number] = field->type == RWL_PROTO_BYTES ? 0 : field->value;
    p->messages[field->number] = field->bytes;
    return RWL_OK;
}

static rwl_status read_parts(rwl_span message, parts *out, rwl_error *err) {
    memset(out, 0, sizeof *out);
    return rwl_proto_walk(message, take_part, out, err);
}

static rwl_status take_count(const parts *p, int number, int64_t max, const char *what, int64_t *out,
                             rwl_error *err) {
    if (p->numbers[number] > (uint64_t)max)
        return rwl_fail(err, RWL_CORRUPT, "page encoding with %s of %llu", what,
                        (unsigned long long)p->numbers[number]);
    *out = (int64_t)p->numbers[number];
    return RWL_OK;
}

/* --- encodings --- */

typedef struct parser {
    rwl_arena *arena;
    rwl_error *err;
} parser;

static rwl_status parse_array(const parser *p, rwl_span message, int depth, const rwl_lance_array **out);

static rwl_status parse_inner(const parser *p, const parts *from, int number, const char *what, int depth,
                              const rwl_lance_array **out) {
    if (!from->has[number])
        return rwl_fail(p->err, RWL_CORRUPT, "page encoding without %s", what);
    return parse_array(p, from->messages[number], depth + 1, out);
}

static rwl_status parse_buffer(const parser *p, const parts *from, int number, rwl_lance_array *out) {
    parts buffer;
    if (!from->has[number])
        return rwl_fail(p->err, RWL_CORRUPT, "page encoding without a buffer");
    RWL_TRY(read_parts(from->messages[number], &buffer, p->err));
    RWL_TRY(take_count(&buffer, 1, INT32_MAX, "a buffer index", &out->buffer, p->err));
    if (buffer.numbers[2] > RWL_LANCE_BUFFER_FILE)
        return rwl_fail(p->err, RWL_CORRUPT, "page encoding with a buffer of type %llu",
                        (unsigned long long)buffer.numbers[2]);
    out->buffer_kind = (rwl_lance_buffer_kind)buffer.numbers[2];
    return RWL_OK;
}

static rwl_status parse_scheme(const parser *p, rwl_span message, rwl_lance_scheme *out) {
    parts compression;
    RWL_TRY(read_parts(message, &compression, p->err));
    rwl_span name = compression.messages[1];
    if (name.len == 0)
        return RWL_OK;
    for (int i = RWL_LANCE_SCHEME_NONE; i <= RWL_LANCE_SCHEME_ZSTD; i++) {
        rwl_lance_scheme scheme = (rwl_lance_scheme)i;
        if (rwl_span_equal(name, rwl_span_str(rwl_lance_scheme_name(scheme)))) {
            *out = scheme;
            return RWL_OK;
        }
    }
    char shown[24] = {0};
    for (size_t i = 0; i < name.len && i < sizeof shown - 1; i++)
        shown[i] = name.data[i] >= 0x20 && name.data[i] < 0x7f ? (char)name.data[i] : '?';
    return rwl_fail(p->err, RWL_UNSUPPORTED, "buffer compressed with '%s'", shown);
}

static rwl_status parse_flat(const parser *p, const parts *from, rwl_lance_array *out) {
    RWL_TRY(take_count(from, 1, INT32_MAX, "values of bits", &out->bits, p->err));
    RWL_TRY(parse_buffer(p, from, 2, out));
    return from->has[3] ? parse_scheme(p, from->messages[3], &out->scheme) : (rwl_status)RWL_OK;
}

static rwl_status parse_nullable(const parser *p, rwl_span message, int depth, rwl_lance_array *out) {
    rwl_lance_arm_of arm;
    parts inner;
    RWL_TRY(rwl_lance_find_arm(message, &arm, p->err));
    if (arm.number < RWL_LANCE_NO_NULLS || arm.number > RWL_LANCE_ALL_NULLS)
        return rwl_fail(p->err, RWL_CORRUPT, "nullable page encoding of form %u", arm.number);
    out->nulls = (rwl_lance_nulls)arm.number;
    if (out->nulls == RWL_LANCE_ALL_NULLS)
        return RWL_OK;
    RWL_TRY(read_parts(arm.message, &inner, p->err));
    if (out->nulls == RWL_LANCE_NO_NULLS)
        return parse_inner(p, &inner, 1, "values", depth, &out->values);
    RWL_TRY(parse_inner(p, &inner, 1, "a validity", depth, &out->second));
    return parse_inner(p, &inner, 2, "values", depth, &out->values);
}

/* Fields of a packed struct: counted first, then parsed. */
typedef struct packed_fields {
    const parser *parser;
    int depth; /* of the struct */
    rwl_lance_array *out;
    int32_t next;
} packed_fields;

static rwl_status count_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    int32_t *count = ctx;
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    if (*count == FIELDS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "packed struct of more than %d fields", FIELDS_MAX);
    ++*count;
    return RWL_OK;
}

static rwl_status take_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    packed_fields *f = ctx;
    (void)err; /* the parser has it */
    return field->number == 1 ? parse_array(f->parser, field->bytes, f->depth + 1, &f->out->fields[f->next++])
                              : (rwl_status)RWL_OK;
}

static rwl_status parse_packed(const parser *p, rwl_span message, int depth, rwl_lance_array *out) {
    packed_fields f = {p, depth, out, 0};
    parts from;
    RWL_TRY(read_parts(message, &from, p->err));
    RWL_TRY(parse_buffer(p, &from, 2, out));
    RWL_TRY(rwl_proto_walk(message, count_field, &out->field_count, p->err));
    out->fields = rwl_arena_array(p->arena, (size_t)out->field_count, sizeof *out->fields);
    if (out->fields == NULL)
        return rwl_no_memory(p->err, (size_t)out->field_count * sizeof *out->fields);
    return rwl_proto_walk(message, take_field, &f, p->err);
}

static rwl_status parse_bitpacked(const parser *p, const parts *from, rwl_lance_array *out) {
    RWL_TRY(take_count(from, 1, 1 << 16, "packed values of bits", &out->bits, p->err));
    RWL_TRY(take_count(from, 2, 1 << 16, "values of bits", &out->unpacked_bits, p->err));
    return parse_buffer(p, from, 3, out);
}

static rwl_status parse_ends(const parser *p, const parts *from, int adjustment, int depth,
                             rwl_lance_array *out) {
    out->null_adjustment = from->numbers[adjustment];
    return parse_inner(p, from, 1, "offsets", depth, &out->values);
}

static rwl_status parse_kind(const parser *p, rwl_span arm, int depth, rwl_lance_array *out) {
    parts from;
    if (out->kind == RWL_LANCE_ARRAY_NULLABLE)
        return parse_nullable(p, arm, depth, out);
    if (out->kind == RWL_LANCE_ARRAY_PACKED_STRUCT)
        return parse_packed(p, arm, depth, out);
    RWL_TRY(read_parts(arm, &from, p->err));
    switch (out->kind) {
    case RWL_LANCE_ARRAY_FLAT:
        return parse_flat(p, &from, out);
    case RWL_LANCE_ARRAY_FIXED_SIZE_LIST:
        RWL_TRY(take_count(&from, 1, INT32_MAX, "a dimension", &out->items, p->err));
        out->has_validity = from.numbers[3] != 0;
        return parse_inner(p, &from, 2, "items", depth, &out->values);
    case RWL_LANCE_ARRAY_LIST:
        RWL_TRY(take_count(&from, 3, ITEMS_MAX, "a number of items", &out->items, p->err));
        return parse_ends(p, &from, 2, depth, out);
    case RWL_LANCE_ARRAY_BINARY:
        RWL_TRY(parse_ends(p, &from, 3, depth, out));
        return parse_inner(p, &from, 2, "bytes", depth, &out->second);
    case RWL_LANCE_ARRAY_DICTIONARY:
        RWL_TRY(parse_inner(p, &from, 1, "indices", depth, &out->values));
        RWL_TRY(parse_inner(p, &from, 2, "items", depth, &out->second));
        return take_count(&from, 3, INT32_MAX, "a number of items", &out->items, p->err);
    case RWL_LANCE_ARRAY_FSST:
        out->table = from.messages[2];
        return parse_inner(p, &from, 1, "values", depth, &out->values);
    case RWL_LANCE_ARRAY_FIXED_SIZE_BINARY:
        RWL_TRY(take_count(&from, 2, INT32_MAX, "a width", &out->items, p->err));
        return parse_inner(p, &from, 1, "bytes", depth, &out->values);
    case RWL_LANCE_ARRAY_BITPACKED:
        out->is_signed = from.numbers[4] != 0;
        return parse_bitpacked(p, &from, out);
    case RWL_LANCE_ARRAY_BITPACKED_FOR_NON_NEG:
        return parse_bitpacked(p, &from, out);
    case RWL_LANCE_ARRAY_CONSTANT: /* the number of values beside it is the page's */
        out->value = from.messages[1];
        return RWL_OK;
    default: /* STRUCT: nothing to know */
        return RWL_OK;
    }
}

static rwl_status parse_array(const parser *p, rwl_span message, int depth, const rwl_lance_array **out) {
    rwl_lance_arm_of arm;
    if (depth > RWL_LANCE_CODEC_DEPTH_MAX)
        return rwl_fail(p->err, RWL_UNSUPPORTED, "page encoding nested deeper than %d levels",
                        RWL_LANCE_CODEC_DEPTH_MAX);
    RWL_TRY(rwl_lance_find_arm(message, &arm, p->err));
    if (arm.number == 0)
        return rwl_fail(p->err, RWL_CORRUPT, "page encoding without a kind");
    if (arm.number > RWL_LANCE_ARRAY_CONSTANT)
        return rwl_fail(p->err, RWL_UNSUPPORTED, "page encoding number %u in file version 2.0", arm.number);
    rwl_lance_array *array = rwl_arena_alloc(p->arena, sizeof *array);
    if (array == NULL)
        return rwl_no_memory(p->err, sizeof *array);
    array->kind = (rwl_lance_array_kind)arm.number;
    *out = array;
    return parse_kind(p, arm.message, depth, array);
}

rwl_status rwl_lance_array_parse(rwl_span message, rwl_arena *arena, const rwl_lance_array **out,
                                 rwl_error *err) {
    parser p = {arena, err};
    return parse_array(&p, message, 0, out);
}

/* --- text --- */

/* As deep as parsing lets it be. */
static rwl_status format_pair(const char *name, const rwl_lance_array *a, const rwl_lance_array *b,
                              rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_printf(out, err, "%s(", name));
    RWL_TRY(rwl_lance_array_format(a, out, err));
    if (b != NULL) {
        RWL_TRY(rwl_buf_str(out, ", ", err));
        RWL_TRY(rwl_lance_array_format(b, out, err));
    }
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_nullable(const rwl_lance_array *array, rwl_buf *out, rwl_error *err) {
    if (array->nulls == RWL_LANCE_ALL_NULLS)
        return rwl_buf_str(out, "all_nulls", err);
    if (array->nulls == RWL_LANCE_NO_NULLS)
        return format_pair("no_nulls", array->values, NULL, out, err);
    return format_pair("some_nulls", array->second, array->values, out, err);
}

static rwl_status format_packed(const rwl_lance_array *array, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "packed_struct(", err));
    for (int32_t i = 0; i < array->field_count; i++) {
        RWL_TRY(rwl_buf_str(out, i > 0 ? ", " : "", err));
        RWL_TRY(rwl_lance_array_format(array->fields[i], out, err));
    }
    return rwl_buf_u8(out, ')', err);
}

rwl_status rwl_lance_array_format(const rwl_lance_array *array, rwl_buf *out, rwl_error *err) {
    const char *name = rwl_lance_array_kind_name(array->kind);
    switch (array->kind) {
    case RWL_LANCE_ARRAY_FLAT:
        RWL_TRY(rwl_buf_printf(out, err, "flat%lld", (long long)array->bits));
        return array->scheme == RWL_LANCE_SCHEME_NONE
                   ? (rwl_status)RWL_OK
                   : rwl_buf_printf(out, err, "+%s", rwl_lance_scheme_name(array->scheme));
    case RWL_LANCE_ARRAY_NULLABLE:
        return format_nullable(array, out, err);
    case RWL_LANCE_ARRAY_FIXED_SIZE_LIST: {
        char text[40];
        snprintf(text, sizeof text, "fsl%lld%s", (long long)array->items,
                 array->has_validity ? "+validity" : "");
        return format_pair(text, array->values, NULL, out, err);
    }
    case RWL_LANCE_ARRAY_LIST:
    case RWL_LANCE_ARRAY_FSST:
    case RWL_LANCE_ARRAY_FIXED_SIZE_BINARY:
        return format_pair(name, array->values, NULL, out, err);
    case RWL_LANCE_ARRAY_BINARY:
    case RWL_LANCE_ARRAY_DICTIONARY:
        return format_pair(name, array->values, array->second, out, err);
    case RWL_LANCE_ARRAY_PACKED_STRUCT:
        return format_packed(array, out, err);
    case RWL_LANCE_ARRAY_BITPACKED:
    case RWL_LANCE_ARRAY_BITPACKED_FOR_NON_NEG:
        return rwl_buf_printf(out, err, "%s(%lld of %lld%s)", name, (long long)array->bits,
                              (long long)array->unpacked_bits, array->is_signed ? ", signed" : "");
    default:
        return rwl_buf_str(out, name, err);
    }
}
