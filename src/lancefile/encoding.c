/* SPDX-License-Identifier: Apache-2.0 */
/* Page layouts of file versions 2.1 and 2.2, parsed and checked ("lance.encodings21": PageLayout). */
#include "lancefile/encoding_internal.h"

#include <inttypes.h>

enum {
    BUFFERS_MAX = 64,             /* value buffers of a chunk */
    LEVEL_BITS_MAX = 16,          /* of a control word's part */
    MESSAGE_MAX = 1 * 1024 * 1024 /* bytes of a page's encoding; Lance's own are of some KiB */
};

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

static rwl_status take_mini(rwl_lance_codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                            rwl_error *err) {
    int64_t number;
    switch (field->number) {
    case 1:
        return rwl_lance_codec_parse(p, field, &out->rep, err);
    case 2:
        return rwl_lance_codec_parse(p, field, &out->def, err);
    case 3:
        return rwl_lance_codec_parse(p, field, &out->values, err);
    case 4:
        return rwl_lance_codec_parse(p, field, &out->dictionary, err);
    case 5:
        return rwl_lance_take_number(field, "dictionary items", 0, INT64_MAX, &out->dictionary_items, err);
    case 6:
        return rwl_proto_each(field, add_layer, out, err);
    case 7:
        RWL_TRY(rwl_lance_take_number(field, "buffers a chunk", 0, BUFFERS_MAX, &number, err));
        out->buffer_count = (int32_t)number;
        return RWL_OK;
    case 8:
        RWL_TRY(
            rwl_lance_take_number(field, "repetition index depth", 0, RWL_LANCE_LAYERS_MAX, &number, err));
        out->repetition_index_depth = (int32_t)number;
        return RWL_OK;
    case 9:
        return rwl_lance_take_number(field, "items", 0, INT64_MAX, &out->item_count, err);
    case 10:
        RWL_TRY(rwl_lance_take_number(field, "chunk grammar", 0, INT64_MAX, &number, err));
        out->has_large_chunk = number != 0;
        return RWL_OK;
    default:
        return RWL_OK;
    }
}

static rwl_status take_constant(rwl_lance_codec_parser *p, const rwl_proto_field *field,
                                rwl_lance_layout *out, rwl_error *err) {
    switch (field->number) {
    case 5:
        return rwl_proto_each(field, add_layer, out, err);
    case 6:
        out->has_value = true;
        return rwl_lance_take_bytes(field, &out->value, err);
    case 7:
        return rwl_lance_codec_parse(p, field, &out->rep, err);
    case 8:
        return rwl_lance_codec_parse(p, field, &out->def, err);
    case 9:
        return rwl_lance_take_number(field, "repetition levels", 0, INT64_MAX, &out->rep_values, err);
    case 10:
        return rwl_lance_take_number(field, "definition levels", 0, INT64_MAX, &out->def_values, err);
    default:
        return RWL_OK;
    }
}

static rwl_status take_zip(rwl_lance_codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                           rwl_error *err) {
    switch (field->number) {
    case 1:
        return rwl_lance_take_number(field, "repetition bits", 0, LEVEL_BITS_MAX, &out->bits_rep, err);
    case 2:
        return rwl_lance_take_number(field, "definition bits", 0, LEVEL_BITS_MAX, &out->bits_def, err);
    case 3:
        out->bits_per_offset = 0;
        return rwl_lance_take_number(field, "bits a value", 0, RWL_LANCE_BITS_MAX, &out->bits_per_value, err);
    case 4:
        out->bits_per_value = 0;
        return rwl_lance_take_number(field, "bits a length", 8, 64, &out->bits_per_offset, err);
    case 5:
        return rwl_lance_take_number(field, "items", 0, INT64_MAX, &out->item_count, err);
    case 6:
        return rwl_lance_take_number(field, "visible items", 0, INT64_MAX, &out->visible_items, err);
    case 7:
        return rwl_lance_codec_parse(p, field, &out->values, err);
    case 8:
        return rwl_proto_each(field, add_layer, out, err);
    default:
        return RWL_OK;
    }
}

static rwl_status parse_page_layout(rwl_lance_codec_parser *p, rwl_span message, bool is_inner,
                                    rwl_lance_layout *out, rwl_error *err);

static rwl_status take_blob(rwl_lance_codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
                            rwl_error *err) {
    rwl_span message;
    if (field->number == 2)
        return rwl_proto_each(field, add_layer, out, err);
    if (field->number != 1)
        return RWL_OK;
    RWL_TRY(rwl_lance_take_bytes(field, &message, err));
    rwl_lance_layout *inner = rwl_arena_alloc(p->arena, sizeof *inner);
    if (!inner)
        return rwl_no_memory(err, sizeof *inner);
    out->inner = inner;
    return parse_page_layout(p, message, true, inner, err);
}

static rwl_status take_part(rwl_lance_codec_parser *p, const rwl_proto_field *field, rwl_lance_layout *out,
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

/* Whether all values, or elements of vectors, are null, and have no bytes then. */
static bool is_nothing(const rwl_lance_codec *codec) {
    while (codec && codec->kind == RWL_LANCE_CODEC_FIXED_SIZE_LIST)
        codec = codec->values;
    return codec && codec->kind == RWL_LANCE_CODEC_CONSTANT && codec->blob.len == 0;
}

static rwl_status check_layout(const rwl_lance_layout *layout, rwl_error *err) {
    if (layout->layer_count == 0)
        return rwl_fail(err, RWL_CORRUPT, "no layers");
    switch (layout->kind) {
    case RWL_LANCE_LAYOUT_MINI_BLOCK:
        return rwl_lance_need_codec(layout->values, "values", err);
    case RWL_LANCE_LAYOUT_FULL_ZIP:
        if (layout->bits_per_value == 0 && layout->bits_per_offset == 0 && !is_nothing(layout->values))
            return rwl_fail(err, RWL_CORRUPT, "neither bits a value nor bits a length");
        if (layout->bits_per_offset % 8 != 0)
            return rwl_fail(err, RWL_CORRUPT, "lengths of %" PRId64 " bits", layout->bits_per_offset);
        return rwl_lance_need_codec(layout->values, "values", err);
    case RWL_LANCE_LAYOUT_BLOB:
        return layout->inner ? (rwl_status)RWL_OK : rwl_fail(err, RWL_CORRUPT, "no inner layout");
    case RWL_LANCE_LAYOUT_CONSTANT:
        return RWL_OK;
    }
    return RWL_OK;
}

typedef struct layout_message {
    rwl_lance_codec_parser *parser;
    rwl_lance_layout *layout;
} layout_message;

static rwl_status take_field(void *ctx, const rwl_proto_field *field, rwl_error *err) {
    const layout_message *m = ctx;
    return take_part(m->parser, field, m->layout, err);
}

static rwl_status parse_page_layout(rwl_lance_codec_parser *p, rwl_span message, bool is_inner,
                                    rwl_lance_layout *out, rwl_error *err) {
    static const char *const names[] = {"?", "mini-block", "constant", "full-zip", "blob", "sparse"};
    layout_message m = {p, out};
    rwl_lance_arm_of arm;
    memset(out, 0, sizeof *out);
    RWL_TRY(rwl_lance_find_arm(message, &arm, err));
    if (arm.number == 0)
        return rwl_fail(err, RWL_CORRUPT, "a page layout of no kind");
    if (arm.number > RWL_LANCE_LAYOUT_BLOB)
        return rwl_fail(err, RWL_UNSUPPORTED, "page layout %" PRIu32 " (%s)", arm.number,
                        names[arm.number == 5 ? 5 : 0]);
    if (arm.number == RWL_LANCE_LAYOUT_BLOB && is_inner)
        return rwl_fail(err, RWL_CORRUPT, "a blob layout inside of one");
    out->kind = (rwl_lance_layout_kind)arm.number;
    rwl_status st = rwl_proto_walk(arm.message, take_field, &m, err);
    if (st == RWL_OK)
        st = check_layout(out, err);
    return st == RWL_OK ? st : rwl_error_in(err, st, "%s page", names[arm.number]);
}

rwl_status rwl_lance_layout_parse(rwl_span message, rwl_arena *arena, rwl_lance_layout *out, rwl_error *err) {
    rwl_lance_codec_parser p = {arena, 0, false};
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
