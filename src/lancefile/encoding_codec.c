/* SPDX-License-Identifier: Apache-2.0 */
/* Codecs of file versions 2.1 and 2.2, parsed and checked ("lance.encodings21": CompressiveEncoding). */
#include "lancefile/encoding_internal.h"

#include <inttypes.h>
#include <stddef.h>

enum {
    ITEMS_MAX = 1 << 26, /* of a fixed-size list */
    FIELDS_MAX = 1 << 16 /* of a packed struct */
};

/* --- fields --- */

rwl_status rwl_lance_take_number(const rwl_proto_field *field, const char *what, int64_t min, int64_t max,
                                 int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_VARINT, err));
    if (field->value > INT64_MAX || (int64_t)field->value < min || (int64_t)field->value > max)
        return rwl_fail(err, RWL_CORRUPT, "%s %" PRIu64, what, field->value);
    *out = (int64_t)field->value;
    return RWL_OK;
}

rwl_status rwl_lance_take_bytes(const rwl_proto_field *field, rwl_span *out, rwl_error *err) {
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    *out = field->bytes;
    return RWL_OK;
}

const char *rwl_lance_scheme_name(rwl_lance_scheme scheme) {
    static const char *const names[] = {"none", "lz4", "zstd"};
    return names[scheme];
}

/* BufferCompression: 1 scheme, 2 level. */
static rwl_status take_scheme_number(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    return field->number == 1 ? rwl_lance_take_number(field, "compression scheme", 0, INT64_MAX, ctx, err)
                              : (rwl_status)RWL_OK;
}

static rwl_status take_scheme(const rwl_proto_field *field, rwl_lance_scheme *out, rwl_error *err) {
    rwl_span message;
    int64_t scheme = 0;
    RWL_TRY(rwl_lance_take_bytes(field, &message, err));
    RWL_TRY(rwl_proto_walk(message, take_scheme_number, &scheme, err));
    if (scheme > RWL_LANCE_SCHEME_ZSTD)
        return rwl_fail(err, RWL_UNSUPPORTED, "compression scheme %" PRId64, scheme);
    *out = (rwl_lance_scheme)scheme;
    return RWL_OK;
}

/* --- what each codec's message holds --- */

typedef enum part_kind {
    PART_CODEC, /* has to be there */
    PART_NUMBER,
    PART_FLAG,
    PART_BYTES,
    PART_SCHEME
} part_kind;

typedef struct part {
    rwl_lance_codec_kind codec;
    uint32_t number; /* of the field */
    part_kind kind;
    size_t at; /* the member of rwl_lance_codec */
    const char *what;
    int64_t max; /* NUMBER */
} part;

#define AT(member) offsetof(rwl_lance_codec, member)
static const part PARTS[] = {
    {RWL_LANCE_CODEC_FLAT, 1, PART_NUMBER, AT(bits), "bits", RWL_LANCE_BITS_MAX},
    {RWL_LANCE_CODEC_FLAT, 2, PART_SCHEME, AT(scheme), NULL, 0},
    {RWL_LANCE_CODEC_VARIABLE, 1, PART_CODEC, AT(second), "offsets", 0},
    {RWL_LANCE_CODEC_VARIABLE, 2, PART_SCHEME, AT(scheme), NULL, 0},
    {RWL_LANCE_CODEC_CONSTANT, 1, PART_BYTES, AT(blob), NULL, 0},
    {RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING, 1, PART_NUMBER, AT(bits), "uncompressed bits", INT64_MAX},
    {RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING, 3, PART_CODEC, AT(values), "values", 0},
    {RWL_LANCE_CODEC_INLINE_BITPACKING, 1, PART_NUMBER, AT(bits), "uncompressed bits", INT64_MAX},
    {RWL_LANCE_CODEC_INLINE_BITPACKING, 2, PART_SCHEME, AT(scheme), NULL, 0},
    {RWL_LANCE_CODEC_FSST, 1, PART_BYTES, AT(blob), NULL, 0},
    {RWL_LANCE_CODEC_FSST, 2, PART_CODEC, AT(values), "values", 0},
    {RWL_LANCE_CODEC_DICTIONARY, 1, PART_CODEC, AT(second), "indices", 0},
    {RWL_LANCE_CODEC_DICTIONARY, 2, PART_CODEC, AT(values), "items", 0},
    {RWL_LANCE_CODEC_DICTIONARY, 3, PART_NUMBER, AT(items), "dictionary items", INT64_MAX},
    {RWL_LANCE_CODEC_RLE, 1, PART_CODEC, AT(values), "values", 0},
    {RWL_LANCE_CODEC_RLE, 2, PART_CODEC, AT(second), "run lengths", 0},
    {RWL_LANCE_CODEC_BYTE_STREAM_SPLIT, 1, PART_CODEC, AT(values), "values", 0},
    {RWL_LANCE_CODEC_GENERAL, 1, PART_SCHEME, AT(scheme), NULL, 0},
    {RWL_LANCE_CODEC_GENERAL, 3, PART_CODEC, AT(values), "values", 0},
    {RWL_LANCE_CODEC_FIXED_SIZE_LIST, 1, PART_NUMBER, AT(items), "items a value", ITEMS_MAX},
    {RWL_LANCE_CODEC_FIXED_SIZE_LIST, 2, PART_CODEC, AT(values), "values", 0},
    {RWL_LANCE_CODEC_FIXED_SIZE_LIST, 3, PART_FLAG, AT(has_validity), "validity flag", 0},
    {RWL_LANCE_CODEC_PACKED_STRUCT, 2, PART_CODEC, AT(values), "values", 0},
};
#undef AT
enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

/* A codec on its way. */
typedef struct codec_message {
    rwl_lance_codec_parser *parser;
    rwl_lance_codec *codec;
} codec_message;

static void *member_of(rwl_lance_codec *codec, const part *p) {
    return (char *)codec + p->at;
}

static rwl_status take_part(const codec_message *m, const part *p, const rwl_proto_field *field,
                            rwl_error *err) {
    void *member = member_of(m->codec, p);
    int64_t flag;
    switch (p->kind) {
    case PART_CODEC:
        return rwl_lance_codec_parse(m->parser, field, member, err);
    case PART_NUMBER:
        return rwl_lance_take_number(field, p->what, 0, p->max, member, err);
    case PART_FLAG:
        RWL_TRY(rwl_lance_take_number(field, p->what, 0, INT64_MAX, &flag, err));
        *(bool *)member = flag != 0;
        return RWL_OK;
    case PART_BYTES:
        return rwl_lance_take_bytes(field, member, err);
    case PART_SCHEME:
        return take_scheme(field, member, err);
    }
    return RWL_OK;
}

static rwl_status take_codec_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    const codec_message *m = ctx;
    for (int i = 0; i < PART_COUNT; i++)
        if (PARTS[i].codec == m->codec->kind && PARTS[i].number == field->number)
            return take_part(m, &PARTS[i], field, err);
    return RWL_OK;
}

rwl_status rwl_lance_need_codec(const rwl_lance_codec *codec, const char *what, rwl_error *err) {
    return codec != NULL ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "no codec of its %s", what);
}

/* --- what has to be so --- */

static rwl_status check_packing(const rwl_lance_codec *codec, rwl_error *err) {
    if (codec->bits != 8 && codec->bits != 16 && codec->bits != 32 && codec->bits != 64)
        return rwl_fail(err, RWL_CORRUPT, "values of %" PRId64 " bits", codec->bits);
    return RWL_OK;
}

static rwl_status check_codec(rwl_lance_codec *codec, bool is_packed, rwl_error *err) {
    for (int i = 0; i < PART_COUNT; i++) {
        if (PARTS[i].codec != codec->kind || PARTS[i].kind != PART_CODEC)
            continue;
        const rwl_lance_codec *const *inner = member_of(codec, &PARTS[i]);
        RWL_TRY(rwl_lance_need_codec(*inner, PARTS[i].what, err));
    }
    switch (codec->kind) {
    case RWL_LANCE_CODEC_FLAT:
        return codec->bits > 0 || is_packed ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "bits 0");
    case RWL_LANCE_CODEC_INLINE_BITPACKING:
        return check_packing(codec, err);
    case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
        RWL_TRY(check_packing(codec, err));
        if (codec->values->kind != RWL_LANCE_CODEC_FLAT || codec->values->bits > codec->bits)
            return rwl_fail(err, RWL_CORRUPT, "values of %" PRId64 " bits packed as %s of %" PRId64,
                            codec->bits, rwl_lance_codec_name(codec->values->kind), codec->values->bits);
        codec->packed_bits = codec->values->bits;
        return RWL_OK;
    case RWL_LANCE_CODEC_FIXED_SIZE_LIST:
        return codec->items > 0 ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "no items a value");
    default:
        return RWL_OK;
    }
}

/* --- packed structs --- */

/* Fields of a packed struct: their number first, then what each is. */
typedef struct packed_fields {
    rwl_lance_codec_parser *parser;
    bool is_variable; /* each field is a message, else a width among integers */
    int64_t *widths;
    rwl_lance_packed_field *fields;
    size_t count;
} packed_fields;

static rwl_status count_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    packed_fields *f = ctx;
    size_t count = 1;
    if (field->number != 1)
        return RWL_OK;
    if (!f->is_variable)
        RWL_TRY(rwl_proto_count(field, &count, err));
    f->count += count;
    return RWL_OK;
}

static rwl_status add_width(void *ctx, uint64_t value, rwl_error *err) {
    packed_fields *f = ctx;
    if (value == 0 || value > RWL_LANCE_BITS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "a field of %" PRIu64 " bits", value);
    f->widths[f->count++] = (int64_t)value;
    return RWL_OK;
}

/* 1 value; oneof 2 bits a value, 3 bits of the length before it. */
typedef struct packed_message {
    rwl_lance_codec_parser *parser;
    rwl_lance_packed_field *field;
} packed_message;

static rwl_status take_packed_part(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    const packed_message *m = ctx;
    switch (field->number) {
    case 1:
        return rwl_lance_codec_parse(m->parser, field, &m->field->value, err);
    case 2:
        m->field->bits_per_length = 0;
        return rwl_lance_take_number(field, "bits of a field", 1, RWL_LANCE_BITS_MAX,
                                     &m->field->bits_per_value, err);
    case 3:
        m->field->bits_per_value = 0;
        return rwl_lance_take_number(field, "bits of a length", 8, 64, &m->field->bits_per_length, err);
    default:
        return RWL_OK;
    }
}

static rwl_status take_packed_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    packed_fields *f = ctx;
    if (field->number != 1)
        return RWL_OK;
    if (!f->is_variable)
        return rwl_proto_each(field, add_width, f, err);
    packed_message m = {f->parser, &f->fields[f->count++]};
    rwl_span message;
    RWL_TRY(rwl_lance_take_bytes(field, &message, err));
    RWL_TRY(rwl_proto_walk(message, take_packed_part, &m, err));
    if (m.field->bits_per_value == 0 && m.field->bits_per_length == 0)
        return rwl_fail(err, RWL_CORRUPT, "a field of no width");
    return rwl_lance_need_codec(m.field->value, "field", err);
}

static rwl_status parse_packed(rwl_lance_codec_parser *p, rwl_span message, rwl_lance_codec *out,
                               rwl_error *err) {
    packed_fields f = {.parser = p, .is_variable = out->kind == RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT};
    RWL_TRY(rwl_proto_walk(message, count_field, &f, err));
    if (f.count == 0 || f.count > FIELDS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%zu fields", f.count);
    out->field_count = (int32_t)f.count;
    if (f.is_variable)
        out->fields = f.fields = rwl_arena_array(p->arena, f.count, sizeof *f.fields);
    else
        out->widths = f.widths = rwl_arena_array(p->arena, f.count, sizeof *f.widths);
    if (f.fields == NULL && f.widths == NULL)
        return rwl_no_memory(err, f.count * sizeof *f.fields);
    f.count = 0;
    return rwl_proto_walk(message, take_packed_field, &f, err);
}

/* --- the oneof --- */

const char *rwl_lance_codec_name(int64_t kind) {
    static const char *const names[] = {"?",
                                        "flat",
                                        "variable",
                                        "constant",
                                        "out_of_line_bitpacking",
                                        "inline_bitpacking",
                                        "fsst",
                                        "dictionary",
                                        "rle",
                                        "byte_stream_split",
                                        "general",
                                        "fixed_size_list",
                                        "packed_struct",
                                        "variable_packed_struct",
                                        "range",
                                        "delta"};
    return kind > 0 && kind < (int64_t)(sizeof names / sizeof names[0]) ? names[kind] : names[0];
}

int64_t rwl_lance_codec_bits(const rwl_lance_codec *codec) {
    for (; codec != NULL; codec = codec->values)
        switch (codec->kind) {
        case RWL_LANCE_CODEC_FLAT:
        case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
        case RWL_LANCE_CODEC_INLINE_BITPACKING:
            return codec->bits;
        case RWL_LANCE_CODEC_CONSTANT:
            return codec->blob.len < 32 ? (int64_t)codec->blob.len * 8 : 0;
        case RWL_LANCE_CODEC_RLE:
        case RWL_LANCE_CODEC_BYTE_STREAM_SPLIT:
        case RWL_LANCE_CODEC_GENERAL:
            break;
        default:
            return 0;
        }
    return 0;
}

static rwl_status take_arm(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    rwl_lance_arm_of *arm = ctx;
    arm->number = field->number;
    return rwl_lance_take_bytes(field, &arm->message, err);
}

rwl_status rwl_lance_find_arm(rwl_span message, rwl_lance_arm_of *out, rwl_error *err) {
    *out = (rwl_lance_arm_of){0, {NULL, 0}};
    return rwl_proto_walk(message, take_arm, out, err);
}

static rwl_status parse_arm(rwl_lance_codec_parser *p, rwl_span message, rwl_lance_codec *codec,
                            rwl_error *err) {
    codec_message m = {p, codec};
    /* what is left of a value that takes no bits */
    bool is_packed = p->is_packed;
    p->is_packed = codec->kind == RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING;
    if (codec->kind == RWL_LANCE_CODEC_PACKED_STRUCT || codec->kind == RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT)
        RWL_TRY(parse_packed(p, message, codec, err));
    RWL_TRY(rwl_proto_walk(message, take_codec_field, &m, err));
    p->is_packed = false;
    return check_codec(codec, is_packed, err);
}

rwl_status rwl_lance_codec_parse(rwl_lance_codec_parser *p, const rwl_proto_field *field,
                                 const rwl_lance_codec **out, rwl_error *err) {
    rwl_span message;
    rwl_lance_arm_of arm;
    RWL_TRY(rwl_lance_take_bytes(field, &message, err));
    if (p->depth == RWL_LANCE_CODEC_DEPTH_MAX)
        return rwl_fail(err, RWL_CORRUPT, "codecs nest deeper than %d", RWL_LANCE_CODEC_DEPTH_MAX);
    RWL_TRY(rwl_lance_find_arm(message, &arm, err));
    if (arm.number == 0)
        return rwl_fail(err, RWL_CORRUPT, "a codec of no kind");
    if (arm.number > RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT)
        return rwl_fail(err, RWL_UNSUPPORTED, "codec %" PRIu32 " (%s)", arm.number,
                        rwl_lance_codec_name(arm.number));
    rwl_lance_codec *codec = rwl_arena_alloc(p->arena, sizeof *codec);
    if (codec == NULL)
        return rwl_no_memory(err, sizeof *codec);
    codec->kind = (rwl_lance_codec_kind)arm.number;
    p->depth++;
    rwl_status st = parse_arm(p, arm.message, codec, err);
    p->depth--;
    if (st != RWL_OK)
        return rwl_error_in(err, st, "%s", rwl_lance_codec_name(arm.number));
    *out = codec;
    return RWL_OK;
}
