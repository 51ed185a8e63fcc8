/* SPDX-License-Identifier: Apache-2.0 */
/* Page layouts as text: "miniblock[item?] inline_bitpacking64 def flat16". */
#include "lancefile/encoding_internal.h"

#include <inttypes.h>
#include <stdio.h>

static rwl_status format_codec(const rwl_lance_codec *codec, int depth, rwl_buf *out, rwl_error *err);

/* name(inner) */
static rwl_status format_inner(const char *name, const rwl_lance_codec *inner, int depth, rwl_buf *out,
                               rwl_error *err) {
    RWL_TRY(rwl_buf_printf(out, err, "%s(", name));
    RWL_TRY(format_codec(inner, depth + 1, out, err));
    return rwl_buf_u8(out, ')', err);
}

/* name(a, between b): the last parenthesis is the caller's */
static rwl_status format_two(const char *name, const rwl_lance_codec *a, const char *between,
                             const rwl_lance_codec *b, int depth, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_printf(out, err, "%s(", name));
    RWL_TRY(format_codec(a, depth + 1, out, err));
    RWL_TRY(rwl_buf_printf(out, err, ", %s ", between));
    return format_codec(b, depth + 1, out, err);
}

static rwl_status format_variable(const rwl_lance_codec *codec, int depth, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "variable(", err));
    RWL_TRY(format_codec(codec->second, depth + 1, out, err));
    if (codec->scheme != RWL_LANCE_SCHEME_NONE)
        RWL_TRY(rwl_buf_printf(out, err, ", values %s", rwl_lance_scheme_name(codec->scheme)));
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_packed(const rwl_lance_codec *codec, int depth, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "packed_struct([", err));
    for (int32_t i = 0; i < codec->field_count; i++)
        RWL_TRY(rwl_buf_printf(out, err, "%s%" PRId64, i > 0 ? ", " : "", codec->widths[i]));
    RWL_TRY(rwl_buf_str(out, "], ", err));
    RWL_TRY(format_codec(codec->values, depth + 1, out, err));
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_variable_packed(const rwl_lance_codec *codec, int depth, rwl_buf *out,
                                         rwl_error *err) {
    RWL_TRY(rwl_buf_str(out, "variable_packed_struct(", err));
    for (int32_t i = 0; i < codec->field_count; i++) {
        RWL_TRY(rwl_buf_str(out, i > 0 ? ", " : "", err));
        RWL_TRY(format_codec(codec->fields[i].value, depth + 1, out, err));
    }
    return rwl_buf_u8(out, ')', err);
}

static rwl_status format_flat(const rwl_lance_codec *codec, rwl_buf *out, rwl_error *err) {
    RWL_TRY(rwl_buf_printf(out, err, "flat%" PRId64, codec->bits));
    if (codec->scheme == RWL_LANCE_SCHEME_NONE)
        return RWL_OK;
    return rwl_buf_printf(out, err, "+%s", rwl_lance_scheme_name(codec->scheme));
}

static rwl_status format_codec(const rwl_lance_codec *codec, int depth, rwl_buf *out, rwl_error *err) {
    char name[48];
    if (depth > RWL_LANCE_CODEC_DEPTH_MAX)
        return rwl_fail(err, RWL_INTERNAL, "codecs nest deeper than %d", RWL_LANCE_CODEC_DEPTH_MAX);
    switch (codec->kind) {
    case RWL_LANCE_CODEC_FLAT:
        return format_flat(codec, out, err);
    case RWL_LANCE_CODEC_VARIABLE:
        return format_variable(codec, depth, out, err);
    case RWL_LANCE_CODEC_CONSTANT:
        RWL_TRY(rwl_buf_str(out, "constant(", err));
        RWL_TRY(rwl_buf_hex(out, codec->blob, err));
        return rwl_buf_u8(out, ')', err);
    case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
        snprintf(name, sizeof name, "out_of_line_bitpacking%" PRId64, codec->bits);
        return format_inner(name, codec->values, depth, out, err);
    case RWL_LANCE_CODEC_INLINE_BITPACKING:
        return rwl_buf_printf(out, err, "inline_bitpacking%" PRId64, codec->bits);
    case RWL_LANCE_CODEC_FSST:
        return format_inner("fsst", codec->values, depth, out, err);
    case RWL_LANCE_CODEC_DICTIONARY:
        RWL_TRY(format_two("dictionary", codec->second, "items", codec->values, depth, out, err));
        return rwl_buf_printf(out, err, " x%" PRId64 ")", codec->items);
    case RWL_LANCE_CODEC_RLE:
        RWL_TRY(format_two("rle", codec->values, "lengths", codec->second, depth, out, err));
        return rwl_buf_u8(out, ')', err);
    case RWL_LANCE_CODEC_BYTE_STREAM_SPLIT:
        return format_inner("byte_stream_split", codec->values, depth, out, err);
    case RWL_LANCE_CODEC_GENERAL:
        snprintf(name, sizeof name, "general_%s", rwl_lance_scheme_name(codec->scheme));
        return format_inner(name, codec->values, depth, out, err);
    case RWL_LANCE_CODEC_FIXED_SIZE_LIST:
        snprintf(name, sizeof name, "fsl%" PRId64 "%s", codec->items, codec->has_validity ? "+validity" : "");
        return format_inner(name, codec->values, depth, out, err);
    case RWL_LANCE_CODEC_PACKED_STRUCT:
        return format_packed(codec, depth, out, err);
    case RWL_LANCE_CODEC_VARIABLE_PACKED_STRUCT:
        return format_variable_packed(codec, depth, out, err);
    }
    return rwl_fail(err, RWL_INTERNAL, "codec %d", (int)codec->kind);
}

/* "name[item?/list?0]" */
static rwl_status format_layers(const char *name, const rwl_lance_layout *layout, rwl_buf *out,
                                rwl_error *err) {
    static const char *const layers[] = {"?", "item", "list", "item?", "list?", "list0", "list?0"};
    RWL_TRY(rwl_buf_printf(out, err, "%s[", name));
    for (int32_t i = 0; i < layout->layer_count; i++)
        RWL_TRY(rwl_buf_printf(out, err, "%s%s", i > 0 ? "/" : "", layers[layout->layers[i]]));
    return rwl_buf_u8(out, ']', err);
}

static rwl_status format_levels(const rwl_lance_layout *layout, rwl_buf *out, rwl_error *err) {
    if (layout->rep) {
        RWL_TRY(rwl_buf_str(out, " rep ", err));
        RWL_TRY(format_codec(layout->rep, 0, out, err));
    }
    if (layout->def) {
        RWL_TRY(rwl_buf_str(out, " def ", err));
        RWL_TRY(format_codec(layout->def, 0, out, err));
    }
    return RWL_OK;
}

static rwl_status format_mini(const rwl_lance_layout *layout, rwl_buf *out, rwl_error *err) {
    RWL_TRY(format_layers("miniblock", layout, out, err));
    RWL_TRY(rwl_buf_u8(out, ' ', err));
    RWL_TRY(format_codec(layout->values, 0, out, err));
    RWL_TRY(format_levels(layout, out, err));
    if (layout->dictionary) {
        RWL_TRY(rwl_buf_str(out, " dictionary ", err));
        RWL_TRY(format_codec(layout->dictionary, 0, out, err));
        RWL_TRY(rwl_buf_printf(out, err, " x%" PRId64, layout->dictionary_items));
    }
    return rwl_buf_str(out, layout->has_large_chunk ? " large_chunk" : "", err);
}

static rwl_status format_constant(const rwl_lance_layout *layout, rwl_buf *out, rwl_error *err) {
    RWL_TRY(format_layers("constant", layout, out, err));
    if (layout->has_value) {
        RWL_TRY(rwl_buf_str(out, " inline ", err));
        RWL_TRY(rwl_buf_hex(out, layout->value, err));
    }
    return format_levels(layout, out, err);
}

static rwl_status format_zip(const rwl_lance_layout *layout, rwl_buf *out, rwl_error *err) {
    bool is_fixed = layout->bits_per_offset == 0;
    RWL_TRY(format_layers("full_zip", layout, out, err));
    RWL_TRY(rwl_buf_printf(out, err, " rep%" PRId64 " def%" PRId64 " %s%" PRId64 " ", layout->bits_rep,
                           layout->bits_def, is_fixed ? "value" : "offset",
                           is_fixed ? layout->bits_per_value : layout->bits_per_offset));
    return format_codec(layout->values, 0, out, err);
}

static rwl_status format_plain(const rwl_lance_layout *layout, rwl_buf *out, rwl_error *err) {
    switch (layout->kind) {
    case RWL_LANCE_LAYOUT_MINI_BLOCK:
        return format_mini(layout, out, err);
    case RWL_LANCE_LAYOUT_CONSTANT:
        return format_constant(layout, out, err);
    case RWL_LANCE_LAYOUT_FULL_ZIP:
        return format_zip(layout, out, err);
    case RWL_LANCE_LAYOUT_BLOB:
        break;
    }
    return rwl_fail(err, RWL_INTERNAL, "page layout %d", (int)layout->kind);
}

rwl_status rwl_lance_layout_format(const rwl_lance_layout *layout, rwl_buf *out, rwl_error *err) {
    if (layout->kind != RWL_LANCE_LAYOUT_BLOB)
        return format_plain(layout, out, err);
    RWL_TRY(format_layers("blob", layout, out, err));
    RWL_TRY(rwl_buf_u8(out, ' ', err));
    return format_plain(layout->inner, out, err);
}
