/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a mini-block chunk: what is around a codec is peeled off, fixed-width values are unpacked into the leaf. */
#include "lancefile/mini_internal.h"

enum {
    BUFFER_MAX = 64 * 1024 * 1024, /* bytes of a decompressed value buffer; chunks have some KiB */
    PACKED_BITS_MAX = 128          /* of values of every codec but flat */
};

/* --- set-up --- */

static rwl_status parse_symbols(rwl_lance_mini_values *v, rwl_error *err) {
    for (const rwl_lance_codec *c = v->layout->values; c != NULL; c = c->values) {
        if (c->kind != RWL_LANCE_CODEC_FSST)
            continue;
        v->fsst = rwl_alloc(v->op->env, sizeof *v->fsst);
        if (v->fsst == NULL)
            return rwl_no_memory(err, sizeof *v->fsst);
        return rwl_lance_fsst_parse(c->blob, v->fsst, err);
    }
    return RWL_OK;
}

rwl_status rwl_lance_mini_values_init(rwl_lance_mini_values *v, rwl_op *op, rwl_lance_general *general,
                                      const rwl_lance_layout *layout, rwl_error *err) {
    memset(v, 0, sizeof *v);
    v->op = op;
    v->general = general;
    v->layout = layout;
    for (int i = 0; i < RWL_LANCE_MINI_TEMPS; i++)
        rwl_buf_init(&v->temps[i], op->env, BUFFER_MAX);
    rwl_buf_init(&v->room, op->env, SIZE_MAX);
    rwl_buf_init(&v->items, op->env, SIZE_MAX);
    rwl_type type = rwl_type_of(RWL_TYPE_BINARY);
    rwl_column_init_flat(&v->texts, &type);
    if (layout->buffer_count < 0 || layout->buffer_count > RWL_LANCE_MINI_BUFFERS_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "%d value buffers a chunk, limit %d", layout->buffer_count,
                        RWL_LANCE_MINI_BUFFERS_MAX);
    if (layout->values == NULL)
        return rwl_fail(err, RWL_CORRUPT, "no encoding of the values");
    if (layout->dictionary != NULL) {
        v->index_bits = rwl_lance_codec_bits(layout->values);
        if (v->index_bits != 8 && v->index_bits != 16 && v->index_bits != 32 && v->index_bits != 64)
            return rwl_fail(err, RWL_UNSUPPORTED, "dictionary indices of %lld bits (%s)",
                            (long long)v->index_bits, rwl_lance_codec_name(layout->values->kind));
    }
    return parse_symbols(v, err);
}

void rwl_lance_mini_values_clear(rwl_lance_mini_values *v) {
    if (v->op == NULL)
        return;
    for (int i = 0; i < RWL_LANCE_MINI_TEMPS; i++)
        rwl_buf_clear(&v->temps[i]);
    rwl_buf_clear(&v->room);
    rwl_buf_clear(&v->items);
    rwl_column_clear(&v->texts, v->op->env);
    rwl_free(v->op->env, v->fsst);
    rwl_op_release(v->op, v->charged);
    memset(v, 0, sizeof *v);
}

/* --- peeling --- */

rwl_status rwl_lance_mini_inflate(rwl_lance_mini_values *v, rwl_lance_scheme scheme, rwl_span *bytes,
                                  rwl_error *err) {
    if (scheme == RWL_LANCE_SCHEME_NONE)
        return RWL_OK;
    if (v->temp_count == RWL_LANCE_MINI_TEMPS)
        return rwl_fail(err, RWL_UNSUPPORTED, "more than %d compressed buffers in a chunk",
                        RWL_LANCE_MINI_TEMPS);
    rwl_buf *to = &v->temps[v->temp_count];
    RWL_TRY(rwl_lance_general_decode(v->general, v->op->env, scheme, *bytes, to, err));
    v->temp_count++;
    *bytes = rwl_buf_span(to);
    return RWL_OK;
}

static void drop_first_buffer(rwl_lance_mini_coded *coded) {
    coded->buffer_count--;
    memmove(&coded->buffers[0], &coded->buffers[1], (size_t)coded->buffer_count * sizeof coded->buffers[0]);
}

static rwl_status peel_list(rwl_lance_mini_coded *coded, rwl_error *err) {
    int64_t items = coded->codec->items;
    if (coded->list_count == RWL_LANCE_VECTOR_DEPTH_MAX)
        return rwl_fail(err, RWL_UNSUPPORTED, "fixed-size lists nested deeper than %d",
                        RWL_LANCE_VECTOR_DEPTH_MAX);
    if (items <= 0 || coded->bits % items != 0)
        return rwl_fail(err, RWL_CORRUPT, "fixed-size list of %lld values in %lld bits", (long long)items,
                        (long long)coded->bits);
    coded->bits /= items;
    coded->count *= items; /* bits and items are those of a slot, which a chunk has few of */
    coded->items[coded->list_count] =
        items * (coded->list_count > 0 ? coded->items[coded->list_count - 1] : 1);
    rwl_span *validity = &coded->validity[coded->list_count++];
    *validity = rwl_span_of(NULL, 0);
    if (!coded->codec->has_validity)
        return RWL_OK;
    if (coded->buffer_count == 0)
        return rwl_fail(err, RWL_CORRUPT, "no buffer for the validity of a fixed-size list");
    *validity = coded->buffers[0];
    if ((int64_t)validity->len < (coded->count + 7) / 8)
        return rwl_fail(err, RWL_CORRUPT, "validity of %zu bytes for %lld elements", validity->len,
                        (long long)coded->count);
    drop_first_buffer(coded);
    return RWL_OK;
}

static rwl_status check_struct(const rwl_lance_mini_coded *coded, rwl_error *err) {
    int64_t bits = 0;
    for (int32_t i = 0; i < coded->codec->field_count; i++)
        if (coded->codec->widths[i] % 8 != 0)
            return rwl_fail(err, RWL_UNSUPPORTED,
                            "packed structs with a field of %lld bits, whose values Lance loses",
                            (long long)coded->codec->widths[i]);
    for (int32_t i = 0; i < coded->codec->field_count && bits <= coded->bits; i++) {
        if (coded->codec->widths[i] < 0 || coded->codec->widths[i] > coded->bits)
            return rwl_fail(err, RWL_CORRUPT, "packed struct field of %lld bits",
                            (long long)coded->codec->widths[i]);
        bits += coded->codec->widths[i];
    }
    if (bits != coded->bits)
        return rwl_fail(err, RWL_CORRUPT, "packed struct of %lld bits where values have %lld",
                        (long long)bits, (long long)coded->bits);
    return RWL_OK;
}

/* Takes off general compression, fixed-size lists and packed structs. */
static rwl_status peel(rwl_lance_mini_values *v, const rwl_lance_mini_parts *parts, int64_t bits,
                       rwl_lance_mini_coded *out, rwl_error *err) {
    out->codec = v->layout->values;
    memcpy(out->buffers, parts->buffers, (size_t)parts->buffer_count * sizeof out->buffers[0]);
    out->buffer_count = parts->buffer_count;
    out->count = parts->value_count;
    out->bits = bits;
    out->list_count = 0;
    v->temp_count = 0;
    for (;;) {
        rwl_lance_codec_kind kind = out->codec->kind;
        if (kind == RWL_LANCE_CODEC_GENERAL && out->buffer_count > 0) {
            RWL_TRY(rwl_lance_mini_inflate(v, out->codec->scheme, &out->buffers[0], err));
        } else if (kind == RWL_LANCE_CODEC_FIXED_SIZE_LIST && bits > 0) {
            RWL_TRY(peel_list(out, err));
        } else if (kind == RWL_LANCE_CODEC_PACKED_STRUCT && bits > 0) {
            RWL_TRY(check_struct(out, err));
        } else {
            return RWL_OK;
        }
        if (out->codec->values == NULL)
            return rwl_fail(err, RWL_CORRUPT, "%s without an encoding inside", rwl_lance_codec_name(kind));
        out->codec = out->codec->values;
    }
}

/* --- fixed-width values --- */

static rwl_status check_buffer_count(const rwl_lance_mini_coded *coded, int32_t want, rwl_error *err) {
    if (coded->buffer_count != want)
        return rwl_fail(err, RWL_CORRUPT, "%s values in %d buffers, there have to be %d",
                        rwl_lance_codec_name(coded->codec->kind), coded->buffer_count, want);
    return RWL_OK;
}

static rwl_status fail_length(const rwl_lance_mini_coded *coded, rwl_error *err) {
    return rwl_fail(err, RWL_CORRUPT, "%s values: %zu bytes for %lld values of %lld bits",
                    rwl_lance_codec_name(coded->codec->kind), coded->buffers[0].len, (long long)coded->count,
                    (long long)coded->bits);
}

static bool is_word(int64_t bits) {
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* The length that packed values have at least. */
static bool holds_packed(const rwl_lance_mini_coded *coded) {
    int64_t packed = coded->codec->packed_bits;
    return packed > 0 && packed <= coded->bits && coded->count <= (int64_t)coded->buffers[0].len * 8 / packed;
}

/* Whether the codec's bytes can hold so many values. */
static rwl_status check_fixed(const rwl_lance_mini_coded *coded, rwl_error *err) {
    const rwl_lance_codec *codec = coded->codec;
    bool packs = codec->kind == RWL_LANCE_CODEC_INLINE_BITPACKING ||
                 codec->kind == RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING;
    if ((packs || codec->kind == RWL_LANCE_CODEC_FLAT) && codec->bits != coded->bits)
        return rwl_fail(err, RWL_CORRUPT, "%s values of %lld bits, the field's have %lld",
                        rwl_lance_codec_name(codec->kind), (long long)codec->bits, (long long)coded->bits);
    if (codec->kind == RWL_LANCE_CODEC_CONSTANT) {
        if ((int64_t)codec->blob.len != (coded->bits + 7) / 8)
            return rwl_fail(err, RWL_CORRUPT, "constant of %zu bytes for values of %lld bits",
                            codec->blob.len, (long long)coded->bits);
        return RWL_OK;
    }
    if (codec->kind == RWL_LANCE_CODEC_FLAT) {
        RWL_TRY(check_buffer_count(coded, 1, err));
        return codec->scheme == RWL_LANCE_SCHEME_NONE &&
                       (int64_t)coded->buffers[0].len < (coded->count * coded->bits + 7) / 8
                   ? fail_length(coded, err)
                   : RWL_OK;
    }
    if (coded->bits > PACKED_BITS_MAX || coded->bits % 8 != 0)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s of values of %lld bits", rwl_lance_codec_name(codec->kind),
                        (long long)coded->bits);
    RWL_TRY(check_buffer_count(coded, codec->kind == RWL_LANCE_CODEC_RLE ? 2 : 1, err));
    bool fits = true; /* the kernels check the rest */
    if (codec->kind == RWL_LANCE_CODEC_INLINE_BITPACKING)
        fits = coded->count <= RWL_LANCE_PACK && is_word(coded->bits) &&
               (int64_t)coded->buffers[0].len >= coded->bits / 8;
    else if (codec->kind == RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING)
        fits = is_word(coded->bits) && holds_packed(coded);
    return fits ? RWL_OK : fail_length(coded, err);
}

/* A block of 1024 values behind a word that holds their width. */
static rwl_status unpack_inline(const rwl_lance_mini_coded *coded, uint8_t *out, rwl_error *err) {
    rwl_span in = coded->buffers[0];
    size_t word = (size_t)coded->bits / 8;
    uint64_t width = 0;
    for (size_t i = word; i-- > 0;)
        width = width << 8 | in.data[i];
    if (width > (uint64_t)coded->bits)
        return rwl_fail(err, RWL_CORRUPT, "values of %lld bits packed into %llu", (long long)coded->bits,
                        (unsigned long long)width);
    if (in.len - word < 128 * width)
        return fail_length(coded, err);
    rwl_lance_unpack((int)coded->bits, (int)width, in.data + word, out);
    return RWL_OK;
}

/* Streams that have to be flat, or flat and compressed. */
static rwl_status unpack_streams(rwl_lance_mini_values *v, const rwl_lance_mini_coded *coded, uint8_t *out,
                                 rwl_error *err) {
    const rwl_lance_codec *inner = coded->codec->values;
    rwl_span in = coded->buffers[0];
    if (inner->kind != RWL_LANCE_CODEC_FLAT)
        return rwl_fail(err, RWL_UNSUPPORTED, "byte_stream_split of %s", rwl_lance_codec_name(inner->kind));
    if (inner->bits != coded->bits)
        return rwl_fail(err, RWL_CORRUPT, "flat values of %lld bits inside, they have to have %lld",
                        (long long)inner->bits, (long long)coded->bits);
    RWL_TRY(rwl_lance_mini_inflate(v, inner->scheme, &in, err));
    return rwl_lance_unsplit((int)(coded->bits / 8), in, coded->count, out, err);
}

static void fill_constant(rwl_span value, int64_t count, int64_t bits, uint8_t *out) {
    if (bits == 1)
        memset(out, value.data[0] & 1 ? 0xFF : 0, (size_t)(count + 7) / 8);
    for (int64_t i = 0; bits > 1 && i < count; i++)
        memcpy(out + i * (int64_t)value.len, value.data, value.len);
}

/* Into `out`, which has room for the count rounded up to RWL_LANCE_PACK (of 16 bytes at most). */
static rwl_status unpack_fixed(rwl_lance_mini_values *v, const rwl_lance_mini_coded *coded, uint8_t *out,
                               rwl_error *err) {
    const rwl_lance_codec *codec = coded->codec;
    int64_t count = coded->count, bits = coded->bits;
    rwl_span in = coded->buffers[0];
    switch (codec->kind) {
    case RWL_LANCE_CODEC_FLAT: {
        size_t len = (size_t)((count * bits + 7) / 8);
        RWL_TRY(rwl_lance_mini_inflate(v, codec->scheme, &in, err));
        if (in.len < len)
            return fail_length(coded, err);
        if (len > 0)
            memcpy(out, in.data, len);
        return RWL_OK;
    }
    case RWL_LANCE_CODEC_INLINE_BITPACKING:
        return unpack_inline(coded, out, err);
    case RWL_LANCE_CODEC_OUT_OF_LINE_BITPACKING:
        return rwl_lance_unpack_blocks((int)bits, (int)codec->packed_bits, in, count, out, err);
    case RWL_LANCE_CODEC_RLE:
        return rwl_lance_block_runs(v->general, v->op->env, codec, in, coded->buffers[1], count, bits, out,
                                    err);
    case RWL_LANCE_CODEC_BYTE_STREAM_SPLIT:
        return unpack_streams(v, coded, out, err);
    case RWL_LANCE_CODEC_CONSTANT:
        if (bits > 1 && bits % 8 != 0)
            return rwl_fail(err, RWL_UNSUPPORTED, "constant of %lld bits", (long long)bits);
        fill_constant(codec->blob, count, bits, out);
        return RWL_OK;
    default:
        return rwl_fail(err, RWL_UNSUPPORTED, "%s in a mini-block page of fixed-width values",
                        rwl_lance_codec_name(codec->kind));
    }
}

/* Room for a chunk's values that cannot go where they belong. */
static rwl_status reserve_room(rwl_lance_mini_values *v, const rwl_lance_mini_coded *coded, rwl_error *err) {
    int64_t width = (coded->bits + 7) / 8;
    int64_t slack = (int64_t)RWL_LANCE_PACK * (width < 16 ? width : 16);
    v->room.len = 0;
    return rwl_buf_reserve(&v->room, (size_t)(coded->count * coded->bits / 8 + slack + 8), err);
}

rwl_status rwl_lance_mini_add_validity(const rwl_lance_mini_coded *coded, int64_t slots, rwl_lance_leaf *leaf,
                                       rwl_error *err) {
    int level = 0;
    for (int64_t items; (items = rwl_lance_leaf_items(leaf, level)) > 0; level++) {
        const uint8_t *bits = level < coded->list_count ? coded->validity[level].data : NULL;
        if (bits != NULL && coded->items[level] != items)
            return rwl_fail(err, RWL_CORRUPT,
                            "fixed-size list of %lld elements a value, the field's has %lld",
                            (long long)coded->items[level], (long long)items);
        RWL_TRY(rwl_lance_leaf_add_item_validity(leaf, level, bits, 0, slots, err));
    }
    for (; level < coded->list_count; level++)
        if (coded->validity[level].data != NULL)
            return rwl_fail(err, RWL_CORRUPT, "fixed-size lists nested deeper than the field's");
    return RWL_OK;
}

static rwl_status decode_fixed(rwl_lance_mini_values *v, const rwl_lance_mini_coded *coded, int64_t slots,
                               rwl_lance_leaf *leaf, rwl_error *err) {
    RWL_TRY(check_fixed(coded, err));
    uint8_t *out = NULL;
    RWL_TRY(rwl_lance_leaf_reserve(leaf, slots, &out, err));
    if (out != NULL) {
        RWL_TRY(unpack_fixed(v, coded, out, err));
        leaf->slots += slots;
    } else {
        RWL_TRY(reserve_room(v, coded, err));
        RWL_TRY(unpack_fixed(v, coded, v->room.data, err));
        RWL_TRY(rwl_lance_leaf_add_fixed(leaf, v->room.data, 0, slots, err));
    }
    return rwl_lance_mini_add_validity(coded, slots, leaf, err);
}

rwl_status rwl_lance_mini_decode(rwl_lance_mini_values *v, const rwl_lance_mini_parts *parts,
                                 const uint16_t *slot_def, rwl_lance_leaf *leaf, rwl_error *err) {
    if (parts->value_count == 0)
        return RWL_OK;
    rwl_lance_mini_coded coded;
    int64_t bits = v->index_bits > 0 ? v->index_bits : leaf->width_bits;
    RWL_TRY(peel(v, parts, bits, &coded, err));
    if (v->index_bits > 0) {
        RWL_TRY(check_fixed(&coded, err));
        RWL_TRY(reserve_room(v, &coded, err));
        RWL_TRY(unpack_fixed(v, &coded, v->room.data, err));
        return rwl_lance_mini_decode_indices(v, &coded, slot_def, leaf, err);
    }
    if (leaf->node->form == RWL_LANCE_NULL)
        return rwl_fail(err, RWL_CORRUPT, "values of a field that has none");
    if (leaf->width_bits == 0 && leaf->node->form != RWL_LANCE_BYTES)
        return rwl_fail(err, RWL_UNSUPPORTED, "packed structs of variable length in a mini-block page");
    return leaf->width_bits == 0 ? rwl_lance_mini_decode_bytes(v, &coded, slot_def, leaf, err)
                                 : decode_fixed(v, &coded, parts->value_count, leaf, err);
}
