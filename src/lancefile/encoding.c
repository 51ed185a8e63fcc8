/* SPDX-License-Identifier: Apache-2.0 */
/* Codecs and page layouts of file versions 2.1 and 2.2, parsed and checked ("lance.encodings21"). */
#include "lancefile/encoding.h"

#include "wire/proto.h"

#include <inttypes.h>

enum {
    BITS_MAX = 1 << 26,           /* of a value: 8 MiB */
    ITEMS_MAX = 1 << 26,          /* of a fixed-size list */
    FIELDS_MAX = 1 << 16,         /* of a packed struct */
    BUFFERS_MAX = 64,             /* value buffers of a chunk */
    LEVEL_BITS_MAX = 16,          /* of a control word's part */
    MESSAGE_MAX = 1 * 1024 * 1024 /* bytes of a page's encoding; Lance's own are of some KiB */
};

/* --- reading messages --- */

/* A step through a message. */
typedef struct walk {
    rwl_cursor cursor;
    rwl_proto_field field;
} walk;

static walk walk_of(rwl_span message) {
    return (walk){.cursor = rwl_cursor_of(message)};
}

static rwl_status take_number(const rwl_proto_field *field, const char *what, int64_t min, int64_t max,
                              int64_t *out, rwl_error *err) {
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_VARINT, err));
    if (field->value > INT64_MAX || (int64_t)field->value < min || (int64_t)field->value > max)
        return rwl_fail(err, RWL_CORRUPT, "%s %" PRIu64, what, field->value);
    *out = (int64_t)field->value;
    return RWL_OK;
}

static rwl_status take_bytes(const rwl_proto_field *field, rwl_span *out, rwl_error *err) {
    RWL_TRY(rwl_proto_expect(field, RWL_PROTO_BYTES, err));
    *out = field->bytes;
    return RWL_OK;
}

/* BufferCompression: 1 scheme, 2 level. */
static rwl_status take_scheme(const rwl_proto_field *field, rwl_lance_scheme *out, rwl_error *err) {
    rwl_span message;
    int64_t scheme = 0;
    bool more;
    RWL_TRY(take_bytes(field, &message, err));
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(take_number(&w.field, "compression scheme", 0, INT64_MAX, &scheme, err));
    }
    if (scheme > RWL_LANCE_SCHEME_ZSTD)
        return rwl_fail(err, RWL_UNSUPPORTED, "compression scheme %" PRId64, scheme);
    *out = (rwl_lance_scheme)scheme;
    return RWL_OK;
}

/* --- codecs --- */

static const char *codec_name(int64_t kind) {
    static const char *const names[] = {"?",
                                        "flat",
                                        "variable",
                                        "constant",
                                        "out-of-line bitpacking",
                                        "inline bitpacking",
                                        "fsst",
                                        "dictionary",
                                        "rle",
                                        "byte stream split",
                                        "general",
                                        "fixed-size list",
                                        "packed struct",
                                        "variable packed struct",
                                        "range",
                                        "delta"};
    return kind > 0 && kind < (int64_t)(sizeof names / sizeof names[0]) ? names[kind] : names[0];
}

typedef struct codec_parser {
    rwl_arena *arena;
    int depth;
    bool is_packed; /* the codec's values may have no bits */
} codec_parser;

static rwl_status parse_codec(codec_parser *p, const rwl_proto_field *field, const rwl_lance_codec **out,
                              rwl_error *err);

static rwl_status need_codec(const rwl_lance_codec *codec, const char *what, rwl_error *err) {
    return codec ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "no codec of its %s", what);
}

static rwl_status parse_flat(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(take_number(&w.field, "bits", 0, BITS_MAX, &out->bits, err));
        else if (w.field.number == 2)
            RWL_TRY(take_scheme(&w.field, &out->scheme, err));
    }
    return out->bits > 0 || p->is_packed ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "bits 0");
}

static rwl_status parse_variable(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(parse_codec(p, &w.field, &out->second, err));
        else if (w.field.number == 2)
            RWL_TRY(take_scheme(&w.field, &out->scheme, err));
    }
    return need_codec(out->second, "offsets", err);
}

static rwl_status parse_constant(rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            return RWL_OK;
        if (w.field.number == 1)
            RWL_TRY(take_bytes(&w.field, &out->blob, err));
    }
}

static bool is_packable(int64_t bits) {
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static rwl_status parse_packed_values(codec_parser *p, const rwl_proto_field *field,
                                      const rwl_lance_codec **out, rwl_error *err) {
    p->is_packed = true;
    rwl_status st = parse_codec(p, field, out, err);
    p->is_packed = false;
    return st;
}

/* Out of line: 1 bits of a value, 3 flat of as many as are left. Inline: 1 bits of a value, 2 compression. */
static rwl_status parse_bitpacking(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool is_inline = out->kind == RWL_LANCE_CODEC_INLINE_BITPACKING, more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(take_number(&w.field, "uncompressed bits", 0, INT64_MAX, &out->bits, err));
        else if (w.field.number == 2 && is_inline)
            RWL_TRY(take_scheme(&w.field, &out->scheme, err));
        else if (w.field.number == 3 && !is_inline)
            RWL_TRY(parse_packed_values(p, &w.field, &out->values, err));
    }
    if (!is_packable(out->bits))
        return rwl_fail(err, RWL_CORRUPT, "values of %" PRId64 " bits", out->bits);
    if (is_inline)
        return RWL_OK;
    RWL_TRY(need_codec(out->values, "values", err));
    if (out->values->kind != RWL_LANCE_CODEC_FLAT || out->values->bits > out->bits)
        return rwl_fail(err, RWL_CORRUPT, "values of %" PRId64 " bits packed as %s of %" PRId64, out->bits,
                        codec_name(out->values->kind), out->values->bits);
    out->packed_bits = out->values->bits;
    return RWL_OK;
}

static rwl_status parse_fsst(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(take_bytes(&w.field, &out->blob, err));
        else if (w.field.number == 2)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
    }
    return need_codec(out->values, "values", err);
}

static rwl_status parse_dictionary(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(parse_codec(p, &w.field, &out->second, err));
        else if (w.field.number == 2)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
        else if (w.field.number == 3)
            RWL_TRY(take_number(&w.field, "dictionary items", 0, INT64_MAX, &out->items, err));
    }
    RWL_TRY(need_codec(out->second, "indices", err));
    return need_codec(out->values, "items", err);
}

static rwl_status parse_rle(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
        else if (w.field.number == 2)
            RWL_TRY(parse_codec(p, &w.field, &out->second, err));
    }
    RWL_TRY(need_codec(out->values, "values", err));
    return need_codec(out->second, "run lengths", err);
}

static rwl_status parse_split(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
    }
    return need_codec(out->values, "values", err);
}

static rwl_status parse_general(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(take_scheme(&w.field, &out->scheme, err));
        else if (w.field.number == 3)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
    }
    return need_codec(out->values, "values", err);
}

static rwl_status parse_fixed_list(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    int64_t flag = 0;
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(take_number(&w.field, "items a value", 0, ITEMS_MAX, &out->items, err));
        else if (w.field.number == 2)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
        else if (w.field.number == 3)
            RWL_TRY(take_number(&w.field, "validity flag", 0, INT64_MAX, &flag, err));
    }
    out->has_validity = flag != 0;
    if (out->items == 0)
        return rwl_fail(err, RWL_CORRUPT, "no items a value");
    return need_codec(out->values, "values", err);
}

/* --- packed structs --- */

typedef struct width_list {
    int64_t *widths;
    int32_t count;
} width_list;

static rwl_status add_width(void *ctx, uint64_t value, rwl_error *err) {
    width_list *list = ctx;
    if (value == 0 || value > BITS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "a field of %" PRIu64 " bits", value);
    list->widths[list->count++] = (int64_t)value;
    return RWL_OK;
}

/* Fields of a message with this number: integers of a repeated field, or messages. */
static rwl_status count_fields(rwl_span message, uint32_t number, bool is_integer, int32_t *out,
                               rwl_error *err) {
    size_t count = 0, more_of = 1;
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number != number)
            continue;
        if (is_integer)
            RWL_TRY(rwl_proto_count(&w.field, &more_of, err));
        count += more_of;
    }
    if (count == 0 || count > FIELDS_MAX)
        return rwl_fail(err, RWL_CORRUPT, "%zu fields", count);
    *out = (int32_t)count;
    return RWL_OK;
}

static rwl_status parse_packed(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    width_list list = {0};
    bool more;
    RWL_TRY(count_fields(message, 1, true, &out->field_count, err));
    list.widths = rwl_arena_array(p->arena, (size_t)out->field_count, sizeof *list.widths);
    if (!list.widths)
        return rwl_no_memory(err, (size_t)out->field_count * sizeof *list.widths);
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1)
            RWL_TRY(rwl_proto_each(&w.field, add_width, &list, err));
        else if (w.field.number == 2)
            RWL_TRY(parse_codec(p, &w.field, &out->values, err));
    }
    out->widths = list.widths;
    return need_codec(out->values, "values", err);
}

/* 1 value; oneof 2 bits a value, 3 bits of the length before it. */
static rwl_status parse_packed_field(codec_parser *p, rwl_span message, rwl_lance_packed_field *out,
                                     rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            break;
        if (w.field.number == 1) {
            RWL_TRY(parse_codec(p, &w.field, &out->value, err));
        } else if (w.field.number == 2) {
            out->bits_per_length = 0;
            RWL_TRY(take_number(&w.field, "bits of a field", 1, BITS_MAX, &out->bits_per_value, err));
        } else if (w.field.number == 3) {
            out->bits_per_value = 0;
            RWL_TRY(take_number(&w.field, "bits of a length", 8, 64, &out->bits_per_length, err));
        }
    }
    if (out->bits_per_value == 0 && out->bits_per_length == 0)
        return rwl_fail(err, RWL_CORRUPT, "a field of no width");
    return need_codec(out->value, "field", err);
}

static rwl_status parse_variable_packed(codec_parser *p, rwl_span message, rwl_lance_codec *out,
                                        rwl_error *err) {
    rwl_span inner;
    int32_t i = 0;
    bool more;
    RWL_TRY(count_fields(message, 1, false, &out->field_count, err));
    rwl_lance_packed_field *fields = rwl_arena_array(p->arena, (size_t)out->field_count, sizeof *fields);
    if (!fields)
        return rwl_no_memory(err, (size_t)out->field_count * sizeof *fields);
    out->fields = fields;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            return RWL_OK;
        if (w.field.number != 1)
            continue;
        RWL_TRY(take_bytes(&w.field, &inner, err));
        RWL_TRY(parse_packed_field(p, inner, &fields[i++], err));
    }
}

/* --- the oneof --- */

static rwl_status parse_arm(codec_parser *p, rwl_span message, rwl_lance_codec *out, rwl_error *err) {
    switch (out->kind) {
    case RWL_LANCE_CODEC_FLAT:
        return parse_flat(p, message, out, err);
    case RWL_LANCE_CODEC_VARIABLE:
        return parse_variable(p, message, out, err);
    case RWL_LANCE_CODEC_CONSTANT:
        return parse_constant(message, out, err);
    case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
    case RWL_LANCE_CODEC_INLINE_BITPACKING:
        return parse_bitpacking(p, message, out, err);
    case RWL_LANCE_CODEC_FSST:
        return parse_fsst(p, message, out, err);
    case RWL_LANCE_CODEC_DICTIONARY:
        return parse_dictionary(p, message, out, err);
    case RWL_LANCE_CODEC_RLE:
        return parse_rle(p, message, out, err);
    case RWL_LANCE_CODEC_BYTE_STREAM_SPLIT:
        return parse_split(p, message, out, err);
    case RWL_LANCE_CODEC_GENERAL:
        return parse_general(p, message, out, err);
    case RWL_LANCE_CODEC_FIXED_SIZE_LIST:
        return parse_fixed_list(p, message, out, err);
    case RWL_LANCE_CODEC_PACKED_STRUCT:
        return parse_packed(p, message, out, err);
    case RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT:
        return parse_variable_packed(p, message, out, err);
    }
    return rwl_fail(err, RWL_UNSUPPORTED, "codec %d (%s)", (int)out->kind, codec_name(out->kind));
}

/* The last field of the message, which is a oneof: number and bytes. Number 0 when it has none. */
static rwl_status find_arm(rwl_span message, uint32_t *number, rwl_span *arm, rwl_error *err) {
    bool more;
    *number = 0;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            return RWL_OK;
        RWL_TRY(take_bytes(&w.field, arm, err));
        *number = w.field.number;
    }
}

static rwl_status parse_codec(codec_parser *p, const rwl_proto_field *field, const rwl_lance_codec **out,
                              rwl_error *err) {
    rwl_span message, arm = {NULL, 0};
    uint32_t number;
    RWL_TRY(take_bytes(field, &message, err));
    if (p->depth == RWL_LANCE_CODEC_DEPTH_MAX)
        return rwl_fail(err, RWL_CORRUPT, "codecs nest deeper than %d", RWL_LANCE_CODEC_DEPTH_MAX);
    RWL_TRY(find_arm(message, &number, &arm, err));
    if (number == 0)
        return rwl_fail(err, RWL_CORRUPT, "a codec of no kind");
    if (number > RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT)
        return rwl_fail(err, RWL_UNSUPPORTED, "codec %" PRIu32 " (%s)", number, codec_name(number));
    rwl_lance_codec *codec = rwl_arena_alloc(p->arena, sizeof *codec);
    if (!codec)
        return rwl_no_memory(err, sizeof *codec);
    codec->kind = (rwl_lance_codec_kind)number;
    p->depth++;
    rwl_status st = parse_arm(p, arm, codec, err);
    p->depth--;
    if (st != RWL_OK)
        return rwl_error_in(err, st, "%s", codec_name(number));
    *out = codec;
    return RWL_OK;
}

/* --- layouts --- */

static rwl_status add_layer(void *ctx, uint64_t value, rwl_error *err) {
    rwl_lance_layout *layout = ctx;
    if (value < RWL_LANCE_LAYER_ITEM || value > RWL_LANCE_LAYER_NULL_AND_EMPTY_LIST)
        return rwl_fail(err, RWL_CORRUPT, "layer %" PRIu64, value);
    if (layout->layer_count == RWL_LANCE_LAYERS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "more than %d layers", RWL_LANCE_LAYERS_MAX);
    layout->layers[layout->layer_count++] = (uint8_t)value;
    return RWL_OK;
}

static rwl_status take_mini(codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                            rwl_error *err) {
    int64_t number;
    switch (field->number) {
    case 1:
        return parse_codec(p, field, &out->rep, err);
    case 2:
        return parse_codec(p, field, &out->def, err);
    case 3:
        return parse_codec(p, field, &out->values, err);
    case 4:
        return parse_codec(p, field, &out->dictionary, err);
    case 5:
        return take_number(field, "dictionary items", 0, INT64_MAX, &out->dictionary_items, err);
    case 6:
        return rwl_proto_each(field, add_layer, out, err);
    case 7:
        RWL_TRY(take_number(field, "buffers a chunk", 0, BUFFERS_MAX, &number, err));
        out->buffer_count = (int32_t)number;
        return RWL_OK;
    case 8:
        RWL_TRY(take_number(field, "repetition index depth", 0, RWL_LANCE_LAYERS_MAX, &number, err));
        out->repetition_index_depth = (int32_t)number;
        return RWL_OK;
    case 9:
        return take_number(field, "items", 0, INT64_MAX, &out->item_count, err);
    case 10:
        RWL_TRY(take_number(field, "chunk grammar", 0, INT64_MAX, &number, err));
        out->has_large_chunk = number != 0;
        return RWL_OK;
    default:
        return RWL_OK;
    }
}

static rwl_status take_constant(codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                                rwl_error *err) {
    switch (field->number) {
    case 5:
        return rwl_proto_each(field, add_layer, out, err);
    case 6:
        out->has_value = true;
        return take_bytes(field, &out->value, err);
    case 7:
        return parse_codec(p, field, &out->rep, err);
    case 8:
        return parse_codec(p, field, &out->def, err);
    case 9:
        return take_number(field, "repetition levels", 0, INT64_MAX, &out->rep_values, err);
    case 10:
        return take_number(field, "definition levels", 0, INT64_MAX, &out->def_values, err);
    default:
        return RWL_OK;
    }
}

static rwl_status take_zip(codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                           rwl_error *err) {
    switch (field->number) {
    case 1:
        return take_number(field, "repetition bits", 0, LEVEL_BITS_MAX, &out->bits_rep, err);
    case 2:
        return take_number(field, "definition bits", 0, LEVEL_BITS_MAX, &out->bits_def, err);
    case 3:
        out->bits_per_offset = 0;
        return take_number(field, "bits a value", 1, BITS_MAX, &out->bits_per_value, err);
    case 4:
        out->bits_per_value = 0;
        return take_number(field, "bits a length", 8, 64, &out->bits_per_offset, err);
    case 5:
        return take_number(field, "items", 0, INT64_MAX, &out->item_count, err);
    case 6:
        return take_number(field, "visible items", 0, INT64_MAX, &out->visible_items, err);
    case 7:
        return parse_codec(p, field, &out->values, err);
    case 8:
        return rwl_proto_each(field, add_layer, out, err);
    default:
        return RWL_OK;
    }
}

static rwl_status parse_page_layout(codec_parser *p, rwl_span message, bool is_inner, rwl_lance_layout *out,
                                    rwl_error *err);

static rwl_status take_blob(codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                            rwl_error *err) {
    rwl_span message;
    if (field->number == 2)
        return rwl_proto_each(field, add_layer, out, err);
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(take_bytes(field, &message, err));
    rwl_lance_layout *inner = rwl_arena_alloc(p->arena, sizeof *inner);
    if (!inner)
        return rwl_no_memory(err, sizeof *inner);
    out->inner = inner;
    return parse_page_layout(p, message, true, inner, err);
}

static rwl_status take_part(codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                            rwl_error *err) {
    switch (out->kind) {
    case RWL_LANCE_LAYOUT_MINI_BLOCK:
        return take_mini(p, field, out, err);
    case RWL_LANCE_LAYOUT_CONSTANT:
        return take_constant(p, field, out, err);
    case RWL_LANCE_LAYOUT_FULL_ZIP:
        return take_zip(p, field, out, err);
    case RWL_LANCE_LAYOUT_BLOB:
        return take_blob(p, field, out, err);
    }
    return RWL_OK;
}

static rwl_status check_layout(const rwl_lance_layout *layout, rwl_error *err) {
    if (layout->layer_count == 0)
        return rwl_fail(err, RWL_CORRUPT, "no layers");
    switch (layout->kind) {
    case RWL_LANCE_LAYOUT_MINI_BLOCK:
        return need_codec(layout->values, "values", err);
    case RWL_LANCE_LAYOUT_FULL_ZIP:
        if (layout->bits_per_value == 0 && layout->bits_per_offset == 0)
            return rwl_fail(err, RWL_CORRUPT, "neither bits a value nor bits a length");
        if (layout->bits_per_offset % 8 != 0)
            return rwl_fail(err, RWL_CORRUPT, "lengths of %" PRId64 " bits", layout->bits_per_offset);
        return need_codec(layout->values, "values", err);
    case RWL_LANCE_LAYOUT_BLOB:
        return layout->inner ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "no inner layout");
    case RWL_LANCE_LAYOUT_CONSTANT:
        return RWL_OK;
    }
    return RWL_OK;
}

static rwl_status parse_layout_arm(codec_parser *p, rwl_span message, rwl_lance_layout *out, rwl_error *err) {
    bool more;
    for (walk w = walk_of(message);;) {
        RWL_TRY(rwl_proto_next(&w.cursor, &more, &w.field, err));
        if (!more)
            return check_layout(out, err);
        RWL_TRY(take_part(p, &w.field, out, err));
    }
}

static rwl_status parse_page_layout(codec_parser *p, rwl_span message, bool is_inner, rwl_lance_layout *out,
                                    rwl_error *err) {
    static const char *const names[] = {"?", "mini-block", "constant", "full-zip", "blob", "sparse"};
    rwl_span arm = {NULL, 0};
    uint32_t number;
    memset(out, 0, sizeof *out);
    RWL_TRY(find_arm(message, &number, &arm, err));
    if (number == 0)
        return rwl_fail(err, RWL_CORRUPT, "a page layout of no kind");
    if (number > RWL_LANCE_LAYOUT_BLOB)
        return rwl_fail(err, RWL_UNSUPPORTED, "page layout %" PRIu32 " (%s)", number,
                        names[number == 5 ? 5 : 0]);
    if (number == RWL_LANCE_LAYOUT_BLOB && is_inner)
        return rwl_fail(err, RWL_CORRUPT, "a blob layout inside of one");
    out->kind = (rwl_lance_layout_kind)number;
    rwl_status st = parse_layout_arm(p, arm, out, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s page", names[number]);
}

rwl_status rwl_lance_layout_parse(rwl_span message, rwl_arena *arena, rwl_lance_layout *out, rwl_error *err) {
    codec_parser p = {arena, 0, false};
    if (message.len > MESSAGE_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "a page encoding of %zu bytes; the limit is %d", message.len,
                        MESSAGE_MAX);
    return parse_page_layout(&p, message, false, out, err);
}

/* --- levels --- */

void rwl_lance_level_map_make(const rwl_lance_layout *layout, rwl_lance_level_map *out) {
    uint16_t full = 1; /* the next level of the numbering that counts all */
    bool is_below_lists = true;
    memset(out, 0, sizeof *out);
    out->level_count = 1;
    for (int32_t i = 0; i < layout->layer_count; i++) {
        uint8_t layer = layout->layers[i];
        if (layer == RWL_LANCE_LAYER_ITEM || layer == RWL_LANCE_LAYER_NULLABLE_ITEM) {
            if (layer == RWL_LANCE_LAYER_NULLABLE_ITEM) {
                out->max_visible = is_below_lists ? out->level_count : out->max_visible;
                out->full[out->level_count++] = full;
            }
            full++;
            continue;
        }
        is_below_lists = false;
        out->max_rep++;
        if (layer == RWL_LANCE_LAYER_NULLABLE_LIST || layer == RWL_LANCE_LAYER_NULL_AND_EMPTY_LIST)
            out->full[out->level_count++] = full;
        if (layer == RWL_LANCE_LAYER_EMPTYABLE_LIST || layer == RWL_LANCE_LAYER_NULL_AND_EMPTY_LIST)
            out->full[out->level_count++] = (uint16_t)(full + 1);
        full = (uint16_t)(full + 2);
    }
}
