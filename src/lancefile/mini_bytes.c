/* SPDX-License-Identifier: Apache-2.0 */
/* Variable-length values of a mini-block chunk: offsets and bytes in one buffer, perhaps compressed value by value. */
#include "lancefile/mini_internal.h"

#define SPLIT   UINT32_MAX
#define ESCAPES UINT32_MAX
enum {
    STREAM_MAX = 64 * 1024
}; /* bytes of compressed text that are decoded in one go: room is made for eight times as many */

/* Values as the buffer holds them: count + 1 offsets into `bytes`. */
typedef struct stored_bytes {
    rwl_span bytes;
    int64_t count;
    size_t width; /* of an offset: 4, 8 */
} stored_bytes;

static inline uint64_t load_offset(const stored_bytes *s, int64_t i) {
    return s->width == 4 ? rwl_load_le32(s->bytes.data + i * 4) : rwl_load_le64(s->bytes.data + i * 8);
}

static rwl_status open_stored(const rwl_lance_mini_coded *coded, stored_bytes *out, rwl_error *err) {
    const rwl_lance_codec *offsets = coded->codec->second;
    if (coded->buffer_count != 1)
        return rwl_fail(err, RWL_CORRUPT, "variable values in %d buffers, there has to be one",
                        coded->buffer_count);
    if (offsets == NULL || offsets->kind != RWL_LANCE_CODEC_FLAT || offsets->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED, "offsets of variable values encoded as %s",
                        offsets != NULL ? rwl_lance_codec_name(offsets->kind) : "nothing");
    if (offsets->bits != 32 && offsets->bits != 64)
        return rwl_fail(err, RWL_CORRUPT, "offsets of %lld bits", (long long)offsets->bits);
    if (coded->codec->scheme != RWL_LANCE_SCHEME_NONE)
        return rwl_fail(err, RWL_UNSUPPORTED, "variable values with compressed bytes");
    out->bytes = coded->buffers[0];
    out->count = coded->count;
    out->width = (size_t)offsets->bits / 8;
    size_t head = ((size_t)coded->count + 1) * out->width;
    if (out->bytes.len < head)
        return rwl_fail(err, RWL_CORRUPT, "variable values: %zu bytes for %lld offsets of %zu",
                        out->bytes.len, (long long)coded->count + 1, out->width);
    if (load_offset(out, 0) < head || load_offset(out, out->count) > out->bytes.len)
        return rwl_fail(err, RWL_CORRUPT, "variable values from %llu to %llu, their bytes lie in %zu to %zu",
                        (unsigned long long)load_offset(out, 0),
                        (unsigned long long)load_offset(out, out->count), head, out->bytes.len);
    return RWL_OK;
}

static rwl_status fail_order(const stored_bytes *s, rwl_error *err) {
    for (int64_t i = 0; i < s->count; i++)
        if (load_offset(s, i) > load_offset(s, i + 1))
            return rwl_fail(err, RWL_CORRUPT, "variable value %lld from %llu to %llu", (long long)i,
                            (unsigned long long)load_offset(s, i), (unsigned long long)load_offset(s, i + 1));
    return rwl_fail(err, RWL_INTERNAL, "offsets in order");
}

/* Turns offsets into those of the column, whose bytes begin at `base`; false unless they ascend. The first is there already. */
static bool move_offsets32(const uint8_t *in, int64_t count, uint32_t base, int32_t *out) {
    uint32_t first, descends = 0;
    memcpy(&first, in, 4);
    for (int64_t i = 0; i < count; i++) {
        uint32_t a, b;
        memcpy(&a, in + i * 4, 4);
        memcpy(&b, in + i * 4 + 4, 4);
        descends |= b < a;
        out[i + 1] = (int32_t)(b - first + base);
    }
    return descends == 0;
}

static bool move_offsets64(const stored_bytes *s, uint32_t base, int32_t *out) {
    uint64_t first = load_offset(s, 0), before = first;
    for (int64_t i = 1; i <= s->count; i++) {
        uint64_t at = load_offset(s, i);
        if (at < before)
            return false;
        before = at;
        out[i] = (int32_t)(at - first + base); /* below the column's limit, when the last is */
    }
    return true;
}

/* All values as they are: one copy. */
static rwl_status append_all(const stored_bytes *s, rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_column *c = &leaf->values;
    uint64_t first = load_offset(s, 0), end = load_offset(s, s->count);
    if (end < first)
        return fail_order(s, err);
    size_t len = (size_t)(end - first);
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, s->count, len, err));
    int32_t *offsets = (int32_t *)(void *)c->offsets.data + c->length;
    uint32_t base = (uint32_t)c->bytes_len;
    offsets[0] = (int32_t)base;
    if (!(s->width == 4 ? move_offsets32(s->bytes.data, s->count, base, offsets)
                        : move_offsets64(s, base, offsets)))
        return fail_order(s, err);
    if (len > 0)
        memcpy(c->values.data + c->bytes_len, s->bytes.data + first, len);
    c->length += s->count;
    c->bytes_len += len;
    return RWL_OK;
}

/* --- compressed text --- */

/* Decodes the values' bytes in one go, wherever values end, so that no branch depends on it; starts[k] is where in `out` the code at byte
 * k goes, SPLIT inside of an escape. Writes at most 8 bytes for one of `in` and 8 more; -1 for a code that is none. */
static int64_t decode_stream(const rwl_lance_fsst *table, rwl_span in, uint32_t *restrict starts,
                             uint8_t *restrict out) {
    uint32_t at = 0;
    size_t i = 0;
    while (i < in.len) {
        uint32_t codes = in.len - i >= 4 ? rwl_load_le32(in.data + i) : ESCAPES;
        if (((~codes - 0x01010101u) & codes & 0x80808080u) == 0) { /* none of the four is an escape */
            for (int k = 0; k < 4; k++, i++) {
                uint8_t code = (uint8_t)(codes >> (8 * k));
                starts[i] = at;
                memcpy(out + at, &table->symbols[code], 8);
                at += table->lengths[code];
            }
            continue;
        }
        uint8_t code = in.data[i];
        starts[i++] = at;
        if (code != 255) {
            memcpy(out + at, &table->symbols[code], 8);
            at += table->lengths[code];
        } else if (i == in.len) {
            return -1;
        } else {
            starts[i] = SPLIT;
            out[at++] = in.data[i++];
        }
    }
    starts[in.len] = at;
    unsigned none = 0; /* codes that are none gave no bytes */
    for (i = 0; i < in.len; i++)
        none |= starts[i] == starts[i + 1];
    return none ? -1 : (int64_t)at;
}

static bool offsets_ascend(const stored_bytes *s) {
    unsigned descends = 0;
    for (int64_t i = 0; i < s->count; i++)
        descends |= load_offset(s, i) > load_offset(s, i + 1);
    return descends == 0;
}

static rwl_status append_stream(rwl_lance_mini_values *v, const stored_bytes *s, rwl_lance_leaf *leaf,
                                rwl_error *err) {
    if (!offsets_ascend(s))
        return fail_order(s, err);
    rwl_column *c = &leaf->values;
    uint64_t first = load_offset(s, 0);
    rwl_span in = rwl_span_of(s->bytes.data + first, (size_t)(load_offset(s, s->count) - first));
    v->room.len = 0;
    RWL_TRY(rwl_buf_reserve(&v->room, (in.len + 1) * sizeof(uint32_t), err));
    uint32_t *starts = (uint32_t *)(void *)v->room.data;
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, s->count, in.len * 8 + 8, err));
    int64_t len = decode_stream(v->fsst, in, starts, c->values.data + c->bytes_len);
    if (len < 0)
        return rwl_fail(err, RWL_CORRUPT, "fsst: a code that is none");
    int32_t *offsets = (int32_t *)(void *)c->offsets.data + c->length;
    uint32_t base = (uint32_t)c->bytes_len;
    unsigned split = 0;
    for (int64_t i = 0; i <= s->count; i++) {
        uint32_t start = starts[load_offset(s, i) - first];
        split |= start == SPLIT;
        offsets[i] = (int32_t)(base + start);
    }
    if (split)
        return rwl_fail(err, RWL_CORRUPT, "fsst: a value ends inside of an escape");
    c->length += s->count;
    c->bytes_len += (size_t)len;
    return RWL_OK;
}

/* One by one: compressed text that is long, or nulls that have bytes. */
static rwl_status append_each(const stored_bytes *s, const rwl_lance_fsst *fsst, const uint16_t *slot_def,
                              rwl_lance_leaf *leaf, rwl_error *err) {
    rwl_column *c = &leaf->values;
    uint64_t at = load_offset(s, 0);
    RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, s->count, 0, err));
    int32_t *offsets = (int32_t *)(void *)c->offsets.data + c->length;
    offsets[0] = (int32_t)c->bytes_len;
    for (int64_t i = 0; i < s->count; i++) {
        uint64_t end = load_offset(s, i + 1);
        if (end < at || end > s->bytes.len)
            return fail_order(s, err);
        rwl_span value = rwl_span_of(s->bytes.data + at, (size_t)(end - at));
        at = end;
        if (slot_def != NULL && slot_def[i] > 0)
            value.len = 0;
        size_t room = fsst == NULL ? value.len : value.len * 8 + RWL_LANCE_FSST_SLACK;
        if (room > c->values.cap - c->bytes_len)
            RWL_TRY(rwl_lance_leaf_reserve_bytes(leaf, s->count, room, err));
        int64_t written = (int64_t)value.len;
        if (fsst != NULL && value.len > 0)
            written = rwl_lance_fsst_decode(fsst, value, c->values.data + c->bytes_len);
        else if (value.len > 0)
            memcpy(c->values.data + c->bytes_len, value.data, value.len);
        if (written < 0)
            return rwl_fail(err, RWL_CORRUPT, "fsst: value %lld has a code that is none", (long long)i);
        c->bytes_len += (size_t)written;
        if (c->bytes_len > RWL_COLUMN_BYTES_MAX)
            return rwl_fail(err, RWL_UNSUPPORTED, "more than %zu bytes of values in one batch",
                            RWL_COLUMN_BYTES_MAX);
        offsets[i + 1] = (int32_t)c->bytes_len;
    }
    c->length += s->count;
    return RWL_OK;
}

static bool has_null_bytes(const stored_bytes *s, const uint16_t *slot_def) {
    for (int64_t i = 0; i < s->count; i++)
        if (slot_def[i] > 0 && load_offset(s, i) != load_offset(s, i + 1))
            return true;
    return false;
}

rwl_status rwl_lance_mini_decode_bytes(rwl_lance_mini_values *v, rwl_lance_mini_coded *coded,
                                       const uint16_t *slot_def, rwl_lance_leaf *leaf, rwl_error *err) {
    const rwl_lance_fsst *fsst = NULL;
    for (; coded->codec != NULL; coded->codec = coded->codec->values) {
        if (coded->codec->kind == RWL_LANCE_CODEC_FSST && fsst == NULL)
            fsst = v->fsst;
        else if (coded->codec->kind == RWL_LANCE_CODEC_GENERAL && coded->buffer_count > 0)
            RWL_TRY(rwl_lance_mini_inflate(v, coded->codec->scheme, &coded->buffers[0], err));
        else
            break;
    }
    if (coded->codec != NULL && coded->codec->kind == RWL_LANCE_CODEC_CONSTANT && fsst == NULL)
        return rwl_lance_leaf_add_same(leaf, coded->codec->blob, coded->count, err);
    if (coded->codec == NULL || coded->codec->kind != RWL_LANCE_CODEC_VARIABLE)
        return rwl_fail(err, RWL_UNSUPPORTED, "%s in a mini-block page of variable-length values",
                        coded->codec != NULL ? rwl_lance_codec_name(coded->codec->kind) : "nothing");
    stored_bytes stored;
    RWL_TRY(open_stored(coded, &stored, err));
    if (fsst != NULL && fsst->is_raw)
        fsst = NULL;
    if (fsst == NULL && (slot_def == NULL || !has_null_bytes(&stored, slot_def)))
        RWL_TRY(append_all(&stored, leaf, err));
    else if (fsst != NULL && stored.bytes.len <= STREAM_MAX &&
             (slot_def == NULL || !has_null_bytes(&stored, slot_def)))
        RWL_TRY(append_stream(v, &stored, leaf, err));
    else
        RWL_TRY(append_each(&stored, fsst, slot_def, leaf, err));
    leaf->slots += coded->count;
    return RWL_OK;
}
